// Writes the sample study to a file, for the test that opens it in Python.
#include <iostream>

#include "sim/results/part_store.h"
#include "tests/results/samples.h"

int main(int argc, char** argv) {
  using namespace headroom;
  if (argc != 2) return 2;
  PartStore store({argv[1], true, false}, {{"seed", "17"}});
  for (std::uint64_t run = 0; run < 12; ++run) store.add(testing::sample_run(run, run == 7 ? 70'000 : 10 + run));
  store.flush();
  store.assemble(testing::sample_facts(), 1);
  return 0;
}
