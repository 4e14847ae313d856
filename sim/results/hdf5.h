// HDF5 behind handles that close themselves and failures that throw with the library's own reason. Only the files of
// this folder that end in .cc and those that say so may include it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace headroom::h5 {

/// Something HDF5 would not do; the innermost reason it gives.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// To be called before anything else: HDF5 prints nothing by itself, and does not retry failed writes at exit.
void initialise();

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  /// Takes what a call returned. Fails  Error if that is negative.
  Handle(hid_t id, Close closer, const char* what);
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Handle& operator=(Handle&& other) noexcept;
  [[nodiscard]] hid_t id() const { return id_; }
  /// Closes, and says so if that fails (the last bytes are written then).
  void close(const char* what);

 private:
  void reset();
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Fails  Error if `status` is negative.
void check(herr_t status, const char* what);

/// Property list for a new group, dataset or file: no time stamps, creation order kept.
[[nodiscard]] Handle creation_properties(hid_t property_class);

/// Fixed-length UTF-8, padded with NUL; or of variable length.
[[nodiscard]] Handle fixed_string_type(std::size_t width);
[[nodiscard]] Handle variable_string_type();

void put_attribute(hid_t object, const char* name, const std::string& text);
void put_attribute(hid_t object, const char* name, hid_t type, const void* value);
void put_attribute(hid_t object, const char* name, hid_t type, const void* values, std::size_t count);

/// "" if there is no such text attribute.
[[nodiscard]] std::string text_attribute(hid_t object, const char* name);

}  // namespace headroom::h5
