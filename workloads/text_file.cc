// Reads a whole text file into memory, within bounds.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "workloads/read_sections.h"

namespace headroom::yaml {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string message, InputError::Kind kind) {
  Diagnostic diagnostic;
  diagnostic.file = path;
  diagnostic.message = std::move(message);
  throw InputError({std::move(diagnostic)}, kind);
}

}  // namespace

std::string read_text_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    refuse(path, "this is a folder, not a file", InputError::Kind::kNoInput);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    refuse(path, std::string("cannot be opened: ") + std::strerror(errno != 0 ? errno : ENOENT),
           InputError::Kind::kNoInput);
  // By blocks, not by the size that the file claims to have: a device has none and does not end.
  constexpr std::size_t kBlock = std::size_t{1} << 16U;
  std::string text;
  while (file && text.size() <= kMostBytes) {
    const std::size_t before = text.size();
    text.resize(before + kBlock);
    file.read(text.data() + before, static_cast<std::streamsize>(kBlock));
    text.resize(before + static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) refuse(path, "cannot be read", InputError::Kind::kNoInput);
  if (text.size() > kMostBytes)
    refuse(path, "larger than " + std::to_string(kMostBytes >> 20U) + " MiB", InputError::Kind::kBadInput);
  return text;
}

}  // namespace headroom::yaml
