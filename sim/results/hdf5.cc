#include "sim/results/hdf5.h"

#include <utility>

namespace headroom::h5 {
namespace {

// The stack is walked from the innermost call: the first entry knows the reason (no space left, no such file).
herr_t keep_first(unsigned, const H5E_error2_t* error, void* out) {
  auto& reason = *static_cast<std::string*>(out);
  if (reason.empty() && error->desc != nullptr) reason = error->desc;
  return 0;
}

// "file write failed: time = …, errno = 28, error message = 'No space left on device', buf = …": the words alone.
std::string short_reason(const std::string& reason) {
  const std::string mark = "error message = '";
  const std::size_t begin = reason.find(mark);
  if (begin == std::string::npos) return reason;
  const std::size_t from = begin + mark.size();
  return reason.substr(from, reason.find('\'', from) - from);
}

[[noreturn]] void fail(const char* what) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
  H5Eclear2(H5E_DEFAULT);
  throw Error(reason.empty() ? std::string(what) : short_reason(reason) + " (" + what + ")");
}

}  // namespace

void initialise() {
  // After a full disk the library's exit handler would try to write again, in vain and aloud.
  static const bool done = [] {
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return true;
  }();
  static_cast<void>(done);
}

Handle::Handle(hid_t id, Close closer, const char* what) : id_(id), close_(closer) {
  if (id < 0) fail(what);
}

Handle& Handle::operator=(Handle&& other) noexcept {
  std::swap(id_, other.id_);
  std::swap(close_, other.close_);
  return *this;
}

void Handle::reset() {
  if (id_ >= 0) close_(id_);
  id_ = -1;
}

void Handle::close(const char* what) {
  if (id_ >= 0) check(close_(std::exchange(id_, -1)), what);
}

void check(herr_t status, const char* what) {
  if (status < 0) fail(what);
}

Handle creation_properties(hid_t property_class) {
  Handle list(H5Pcreate(property_class), H5Pclose, "making a property list");
  constexpr unsigned kOrder = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  check(H5Pset_obj_track_times(list.id(), false), "switching time stamps off");
  check(H5Pset_attr_creation_order(list.id(), kOrder), "keeping the order of attributes");
  if (property_class == H5P_GROUP_CREATE || property_class == H5P_FILE_CREATE) {
    check(H5Pset_link_creation_order(list.id(), kOrder), "keeping the order of links");
  }
  return list;
}

namespace {

Handle string_type(std::size_t size) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "making a string type");
  check(H5Tset_size(type.id(), size), "making a string type");
  check(H5Tset_cset(type.id(), H5T_CSET_UTF8), "making a string type");
  check(H5Tset_strpad(type.id(), size == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD), "making a string type");
  return type;
}

}  // namespace

Handle fixed_string_type(std::size_t width) { return string_type(width); }
Handle variable_string_type() { return string_type(H5T_VARIABLE); }

namespace {

void write_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* value) {
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "making an attribute");
  check(H5Awrite(attribute.id(), type, value), "writing an attribute");
}

}  // namespace

void put_attribute(hid_t object, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, "making a scalar");
  write_attribute(object, name, type, space.id(), value);
}

void put_attribute(hid_t object, const char* name, hid_t type, const void* values, std::size_t count) {
  const hsize_t dims[] = {count};
  const Handle space(H5Screate_simple(1, dims, nullptr), H5Sclose, "making a list");
  write_attribute(object, name, type, space.id(), values);
}

void put_attribute(hid_t object, const char* name, const std::string& text) {
  const Handle type = variable_string_type();
  const char* value = text.c_str();
  put_attribute(object, name, type.id(), &value);
}

std::string text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return "";
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, "opening an attribute");
  const Handle type(H5Aget_type(attribute.id()), H5Tclose, "reading an attribute");
  if (H5Tget_class(type.id()) != H5T_STRING) return "";
  if (H5Tis_variable_str(type.id()) > 0) {
    const Handle as = variable_string_type();
    char* value = nullptr;
    check(H5Aread(attribute.id(), as.id(), &value), "reading an attribute");
    std::string text = value == nullptr ? "" : value;
    H5free_memory(value);
    return text;
  }
  std::string text(H5Tget_size(type.id()), '\0');
  check(H5Aread(attribute.id(), type.id(), text.data()), "reading an attribute");
  return text.substr(0, text.find('\0'));
}

}  // namespace headroom::h5
