// The one error of everything that writes results.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace headroom {

/// The output cannot be made (exit 73) or written (exit 74); or another process holds FILE.part/.
class OutputError : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t { kCannotCreate, kCannotWrite };
  OutputError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  [[nodiscard]] Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace headroom
