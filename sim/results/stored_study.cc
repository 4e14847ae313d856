#include "sim/results/stored_study.h"

#include <filesystem>
#include <string_view>

#include "sim/results/hdf5.h"
#include "workloads/diagnostics.h"

namespace headroom {
namespace {

using h5::Handle;

constexpr hsize_t kMostValues = 1'000'000;  ///< of one dataset here: the file may be anybody's
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

class Config {
 public:
  explicit Config(hid_t file) : file_(file) {}

  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
    const Handle dataset = open(name);
    const Handle type(H5Dget_type(dataset.id()), H5Tclose, "reading the configuration");
    if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0)
      throw h5::Error("'config/" + name + "' is no text");
    const std::size_t width = H5Tget_size(type.id());
    const std::size_t count = size_of(dataset.id());
    if (width > kMostBytes || count * width > kMostBytes) throw h5::Error("'config/" + name + "' is too large");
    std::string bytes(count * width, '\0');
    if (count > 0) read(dataset.id(), h5::fixed_string_type(width).id(), bytes.data());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string_view text = std::string_view(bytes).substr(i * width, width);
      texts.emplace_back(text.substr(0, text.find('\0')));
    }
    return texts;
  }
  [[nodiscard]] std::string text(const std::string& name) const { return single(texts(name), name); }

  template <class Number>
  [[nodiscard]] std::vector<Number> numbers(const std::string& name, hid_t type) const {
    const Handle dataset = open(name);
    std::vector<Number> values(size_of(dataset.id()));
    if (!values.empty()) read(dataset.id(), type, values.data());
    return values;
  }
  template <class Value>
  static Value single(const std::vector<Value>& values, const std::string& name) {
    if (values.size() != 1) throw h5::Error("'config/" + name + "' is not one value");
    return values.front();
  }

 private:
  [[nodiscard]] Handle open(const std::string& name) const {
    const std::string path = "config/" + name;
    if (H5Lexists(file_, "config", H5P_DEFAULT) <= 0 || H5Lexists(file_, path.c_str(), H5P_DEFAULT) <= 0)
      throw h5::Error("it has no '" + path + "'");
    return {H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose, "reading the configuration"};
  }
  static std::size_t size_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose, "reading the configuration");
    const hssize_t points = H5Sget_simple_extent_npoints(space.id());
    if (points < 0 || static_cast<hsize_t>(points) > kMostValues) throw h5::Error("the configuration is too large");
    return static_cast<std::size_t>(points);
  }
  static void read(hid_t dataset, hid_t type, void* to) {
    h5::check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), "reading the configuration");
  }

  hid_t file_;
};

StoredStudy read(const std::string& path) {
  h5::initialise();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "making a property list");
  h5::check(H5Pset_file_locking(access.id(), false, true), "choosing no lock");
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, "opening the file");
  const Config config(file.id());
  StoredStudy study;
  study.version = h5::text_attribute(file.id(), "headroom_version");
  int complete = 0;
  if (H5Aexists(file.id(), "complete") > 0) {
    const Handle attribute(H5Aopen(file.id(), "complete", H5P_DEFAULT), H5Aclose, "reading the configuration");
    h5::check(H5Aread(attribute.id(), H5T_NATIVE_INT, &complete), "reading the configuration");
  }
  study.complete = complete == 1;
  study.workload_text = config.text("workload");
  study.sets = config.texts("sets");
  study.policy_arguments = config.texts("policy_argument");
  study.seed = Config::single(config.numbers<std::uint64_t>("seed", H5T_NATIVE_UINT64), "seed");
  study.replications = Config::single(config.numbers<std::int64_t>("replications", H5T_NATIVE_INT64), "replications");
  const std::vector<std::string> paths = config.texts("input_path"), hashes = config.texts("input_sha256");
  const auto sizes = config.numbers<std::uint64_t>("input_bytes", H5T_NATIVE_UINT64);
  if (paths.size() != hashes.size() || paths.size() != sizes.size())
    throw h5::Error("the inputs' columns are not of one length");
  for (std::size_t i = 0; i < paths.size(); ++i) study.inputs.push_back({paths[i], sizes[i], hashes[i]});
  return study;
}

}  // namespace

StoredStudy read_stored_study(const std::string& path) {
  const auto refuse = [&path](const std::string& what, InputError::Kind kind) {
    throw InputError({Diagnostic{path, 0, 0, what, ""}}, kind);
  };
  std::error_code error;
  if (!std::filesystem::exists(path, error)) refuse("no such file", InputError::Kind::kNoInput);
  if (std::filesystem::is_directory(path, error))
    refuse("is a folder, not a finished results file", InputError::Kind::kBadInput);
  try {
    return read(path);
  } catch (const h5::Error& wrong) {
    refuse(std::string("cannot be read as results: ") + wrong.what(), InputError::Kind::kBadInput);
    throw;
  }
}

}  // namespace headroom
