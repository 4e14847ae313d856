#include <unistd.h>

#include <iostream>

#include "sim/cli/program.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return headroom::cli::run_program({argv + 1, argv + argc},
                                    {std::cin, std::cout, std::cerr, isatty(STDERR_FILENO) != 0});
}
