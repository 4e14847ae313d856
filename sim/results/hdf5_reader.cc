// A results file as results. The file may be anybody's: what it lacks is an error, never a crash.
#include <algorithm>
#include <utility>

#include "sim/results/hdf5.h"
#include "sim/results/reader_source.h"

namespace headroom {
namespace {

using h5::Handle;

Handle open_dataset(hid_t file, const std::string& path) {
  return {H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose, "opening a dataset"};
}

std::uint64_t length_of(hid_t dataset) {
  const Handle space(H5Dget_space(dataset), H5Sclose, "reading a dataset");
  hsize_t dims[1] = {0};
  if (H5Sget_simple_extent_ndims(space.id()) != 1) throw h5::Error("a column is not of one dimension");
  h5::check(H5Sget_simple_extent_dims(space.id(), dims, nullptr), "reading a dataset");
  return dims[0];
}

template <class Value>
std::vector<Value> read_numbers(hid_t dataset, hid_t type, hid_t memory, hid_t space, std::uint64_t count) {
  std::vector<Value> values(count);
  h5::check(H5Dread(dataset, type, memory, space, H5P_DEFAULT, values.data()), "reading a dataset");
  return values;
}

std::vector<std::string> read_strings(hid_t dataset, hid_t type, hid_t memory, hid_t space, std::uint64_t count) {
  if (H5Tis_variable_str(type) > 0) throw h5::Error("a text column is not of fixed length");
  const std::size_t width = H5Tget_size(type);
  std::vector<std::string> values(count);
  std::string bytes(count * width, '\0');
  const Handle as = h5::fixed_string_type(width);
  h5::check(H5Dread(dataset, as.id(), memory, space, H5P_DEFAULT, bytes.data()), "reading a dataset");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view value = std::string_view(bytes).substr(i * width, width);
    values[i] = value.substr(0, value.find('\0'));
  }
  return values;
}

Column::Data read_rows(hid_t dataset, std::uint64_t first, std::uint64_t last) {
  const Handle type(H5Dget_type(dataset), H5Tclose, "reading a dataset");
  const Handle space(H5Dget_space(dataset), H5Sclose, "reading a dataset");
  const hsize_t start[] = {first}, count[] = {last - first};
  if (count[0] == 0) {
    h5::check(H5Sselect_none(space.id()), "reading a dataset");
  } else {
    h5::check(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr), "reading a dataset");
  }
  const Handle memory(H5Screate_simple(1, count, nullptr), H5Sclose, "reading a dataset");
  if (count[0] == 0) h5::check(H5Sselect_none(memory.id()), "reading a dataset");
  const std::size_t size = H5Tget_size(type.id());
  switch (H5Tget_class(type.id())) {
    case H5T_STRING:
      return read_strings(dataset, type.id(), memory.id(), space.id(), count[0]);
    case H5T_FLOAT:
      return read_numbers<double>(dataset, H5T_NATIVE_DOUBLE, memory.id(), space.id(), count[0]);
    case H5T_INTEGER:
      break;
    default:
      throw h5::Error("a column is neither text nor numbers");
  }
  const bool is_signed = H5Tget_sign(type.id()) == H5T_SGN_2;
  if (size == 1) return read_numbers<std::uint8_t>(dataset, H5T_NATIVE_UINT8, memory.id(), space.id(), count[0]);
  if (size <= 4 && is_signed) {
    return read_numbers<std::int32_t>(dataset, H5T_NATIVE_INT32, memory.id(), space.id(), count[0]);
  }
  if (!is_signed) return read_numbers<std::uint64_t>(dataset, H5T_NATIVE_UINT64, memory.id(), space.id(), count[0]);
  return read_numbers<std::int64_t>(dataset, H5T_NATIVE_INT64, memory.id(), space.id(), count[0]);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

bool is_scale(hid_t dataset) { return h5::text_attribute(dataset, "CLASS") == "DIMENSION_SCALE"; }

herr_t keep_name(hid_t, const char* name, const H5L_info_t*, void* out) {
  static_cast<std::vector<std::string>*>(out)->emplace_back(name);
  return 0;
}

std::vector<std::string> links_of(hid_t group) {
  std::vector<std::string> names;
  // Files of others may keep no creation order.
  if (H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, keep_name, &names) < 0) {
    names.clear();
    h5::check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, keep_name, &names), "reading a group");
  }
  return names;
}

class Hdf5Results final : public ResultsReader::Source {
 public:
  explicit Hdf5Results(const std::string& path) {
    h5::initialise();
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "making a property list");
    h5::check(H5Pset_file_locking(access.id(), false, true), "choosing no lock");
    file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, "opening the file");
    if (H5Lexists(file_.id(), "runs", H5P_DEFAULT) <= 0) throw h5::Error("there is no table /runs");
  }

  bool complete() override { return number_attribute("complete") != 0; }
  int schema_version() override { return number_attribute("schema_version"); }

  std::string title() override { return h5::text_attribute(file_.id(), "title"); }

  std::vector<std::string> tables() override {
    std::vector<std::string> names = links_of(file_.id());
    std::erase_if(names, [](const std::string& n) { return n == "config" || n == "sweep" || n == "names"; });
    return names;
  }

  std::uint64_t rows(const std::string& table) override {
    const std::vector<std::string> names = columns(table);
    return names.empty() ? 0 : length_of(open_dataset(file_.id(), table + "/" + names.front()).id());
  }

  std::vector<std::string> columns(const std::string& table) override {
    const Handle group(H5Gopen2(file_.id(), table.c_str(), H5P_DEFAULT), H5Gclose, "opening a table");
    std::vector<std::string> names = links_of(group.id());
    std::erase_if(names,
                  [&](const std::string& n) { return n != "run" && is_scale(open_dataset(group.id(), n).id()); });
    return names;
  }

  Column column(const std::string& table, const std::string& name, std::uint64_t first, std::uint64_t last) override {
    const Handle dataset = open_dataset(file_.id(), table + "/" + name);
    if (last > length_of(dataset.id())) throw h5::Error("the columns of a table are not of one length");
    Column column;
    column.name = name;
    column.units = h5::text_attribute(dataset.id(), "units");
    column.long_name = h5::text_attribute(dataset.id(), "long_name");
    column.data = read_rows(dataset.id(), first, last);
    if (const std::string names = h5::text_attribute(dataset.id(), "names"); !names.empty()) {
      column.names = names.substr(names.find_last_of('/') + 1);
      const Handle words = open_dataset(file_.id(), names);
      Column::Data text = read_rows(words.id(), 0, length_of(words.id()));
      if (auto* list = std::get_if<std::vector<std::string>>(&text)) column.meanings = std::move(*list);
    } else {
      column.meanings = words_of(h5::text_attribute(dataset.id(), "flag_meanings"));
    }
    column.minus_one_is_missing =
        std::holds_alternative<std::vector<std::int32_t>>(column.data) && H5Aexists(dataset.id(), "_FillValue") > 0;
    return column;
  }

 private:
  /// 0 if there is none.
  int number_attribute(const char* name) {
    if (H5Aexists(file_.id(), name) <= 0) return 0;
    const Handle attribute(H5Aopen(file_.id(), name, H5P_DEFAULT), H5Aclose, "reading an attribute");
    const Handle space(H5Aget_space(attribute.id()), H5Sclose, "reading an attribute");
    if (H5Sget_simple_extent_npoints(space.id()) != 1) throw h5::Error("an attribute is not one number");
    int value = 0;
    h5::check(H5Aread(attribute.id(), H5T_NATIVE_INT, &value), "reading an attribute");
    return value;
  }

  Handle file_;
};

}  // namespace

std::unique_ptr<ResultsReader::Source> open_hdf5_results(const std::string& path) {
  return std::make_unique<Hdf5Results>(path);
}

}  // namespace headroom
