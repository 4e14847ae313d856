#include "sim/cli/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "sim/sweep/study.h"

namespace headroom::cli {
namespace {

[[noreturn]] void fail(OutputError::Kind kind, const std::string& path, const std::string& what) {
  throw OutputError(kind, "'" + path + "' " + what);
}

std::string reason() { return errno != 0 ? std::string(": ") + std::strerror(errno) : ""; }

}  // namespace

std::string default_output(const std::string& workload_name) {
  std::string name = workload_name.substr(0, 200);  // a file name holds 255 bytes, and FILE.perf.json is longer
  for (char& c : name)
    if (c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  if (name.empty() || name[0] == '.') name.insert(0, "_");
  return name + ".h5";
}

void check_output(const std::string& path, bool force, bool resume) {
  namespace fs = std::filesystem;
  constexpr auto kCannot = OutputError::Kind::kCannotCreate;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail(kCannot, path, "is a folder; name a file with -o");
  if (fs::exists(status) && !fs::is_regular_file(status)) fail(kCannot, path, "is no file that could be replaced");
  if (fs::exists(status) && !force && !resume)
    fail(kCannot, path, "is there already; --force overwrites it, -o names another");
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored))
    fail(kCannot, path, "cannot be made: there is no folder '" + folder.string() + "'");
}

void write_text_file(const std::string& path, const std::string& text, bool force) {
  check_output(path, force, false);
  const std::string temporary = path + ".tmp";
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  if (!file) fail(OutputError::Kind::kCannotCreate, path, "cannot be made" + reason());
  file << text;
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(temporary, path, error);
  if (file && !error) return;
  const std::string why = reason();
  std::error_code ignored;
  std::filesystem::remove(temporary, ignored);
  fail(OutputError::Kind::kCannotWrite, path, "cannot be written" + why);
}

}  // namespace headroom::cli
