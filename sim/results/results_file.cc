#include "sim/results/results_file.h"

#include <hdf5_hl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "sim/results/chunk_writer.h"
#include "sim/results/hdf5.h"
#include "sim/results/output_error.h"

namespace headroom {

std::string headroom_version() { return HEADROOM_VERSION; }

namespace {

constexpr std::size_t kBlockBytes = std::size_t{16} << 20;  ///< of a table that are in memory at a time

// xarray takes strings of one byte for characters of a longer one.
std::size_t file_width(ColumnType type, std::size_t width) {
  return type == ColumnType::kString ? std::max<std::size_t>(width, 2) : width;
}

h5::Handle file_type(ColumnType type, std::size_t width) {
  hid_t native = H5T_IEEE_F64LE;
  switch (type) {
    case ColumnType::kDouble:
      break;
    case ColumnType::kInt64:
      native = H5T_STD_I64LE;
      break;
    case ColumnType::kInt32:
      native = H5T_STD_I32LE;
      break;
    case ColumnType::kUint8:
      native = H5T_STD_U8LE;
      break;
    case ColumnType::kUint64:
      native = H5T_STD_U64LE;
      break;
    case ColumnType::kString:
      return h5::fixed_string_type(file_width(type, width));
  }
  return {H5Tcopy(native), H5Tclose, "making a type"};
}

// Of the catalogue of attributes that netCDF's tools know: what a reader needs to show the column rightly.
void describe(hid_t dataset, const Column& column, ColumnType type) {
  h5::put_attribute(dataset, "units", column.units.empty() ? "1" : column.units);
  h5::put_attribute(dataset, "long_name", column.long_name);
  if (type == ColumnType::kString) h5::put_attribute(dataset, "_Encoding", "utf-8");
  if (type == ColumnType::kDouble) {
    const double undefined = std::numeric_limits<double>::quiet_NaN();
    h5::put_attribute(dataset, "_FillValue", H5T_IEEE_F64LE, &undefined);
  }
  if (column.minus_one_is_missing) {
    const std::int32_t none = -1;
    h5::put_attribute(dataset, "_FillValue", H5T_STD_I32LE, &none);
  }
  if (!column.names.empty()) {
    h5::put_attribute(dataset, "names", "/names/" + column.names);
  } else if (!column.meanings.empty()) {
    std::string words;
    for (const std::string& word : column.meanings) words += (words.empty() ? "" : " ") + word;
    if (type == ColumnType::kUint8) {
      std::vector<std::uint8_t> values(column.meanings.size());
      std::iota(values.begin(), values.end(), std::uint8_t{0});
      h5::put_attribute(dataset, "flag_values", H5T_STD_U8LE, values.data(), values.size());
    } else {
      std::vector<std::int32_t> values(column.meanings.size());
      std::iota(values.begin(), values.end(), 0);
      h5::put_attribute(dataset, "flag_values", H5T_STD_I32LE, values.data(), values.size());
    }
    h5::put_attribute(dataset, "flag_meanings", words);
  }
}

template <class Value>
std::string_view bytes_of(const std::vector<Value>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)};
}

std::size_t widest(const Column::Data& data) {
  std::size_t width = 2;
  for (const std::string& text : std::get<std::vector<std::string>>(data)) width = std::max(width, text.size());
  return width;
}

std::string padded(const std::vector<std::string>& texts, std::size_t width) {
  std::string bytes;
  for (const std::string& text : texts) {
    bytes += text;
    bytes.append(width - text.size(), '\0');
  }
  return bytes;
}

class ResultsFile {
 public:
  ResultsFile(const std::string& path, const StudyFacts& facts, StoredRuns& runs, unsigned threads)
      : facts_(facts), runs_(runs), packer_(threads) {
    h5::initialise();
    const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "making a property list");
    h5::check(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18), "choosing the file's version");
    // The lock in FILE.part/ is ours; HDF5's own fails on some parallel file systems.
    h5::check(H5Pset_file_locking(access.id(), false, true), "choosing no lock");
    const h5::Handle creation = h5::creation_properties(H5P_FILE_CREATE);
    file_ = h5::Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose,
                       "creating the results file");
  }

  void write() {
    write_root();
    write_config();
    write_sweep();
    write_names();
    for (const MergedTable& table : runs_.tables()) write_table(table);
    h5::check(H5Fflush(file_.id(), H5F_SCOPE_LOCAL), "writing the results file");
    file_.close("writing the results file");
  }

 private:
  [[nodiscard]] h5::Handle group(const std::string& name) {
    const h5::Handle properties = h5::creation_properties(H5P_GROUP_CREATE);
    return {H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Gclose,
            "making a group"};
  }

  void write_root() {
    h5::put_attribute(file_.id(), "Conventions", "CF-1.8");
    h5::put_attribute(file_.id(), "title", facts_.title);
    h5::put_attribute(file_.id(), "history", history_of(facts_));
    h5::put_attribute(file_.id(), "source", "headroom " + headroom_version());
    h5::put_attribute(file_.id(), "headroom_version", headroom_version());
    h5::put_attribute(file_.id(), "schema_version", H5T_NATIVE_INT, &kSchemaVersion);
    const int complete = runs_.runs().size() == facts_.runs() ? 1 : 0;
    h5::put_attribute(file_.id(), "complete", H5T_NATIVE_INT, &complete);
  }

  // ---- small datasets, held in memory

  void write_text(hid_t to, const std::string& name, const std::string& text, const std::string& long_name) {
    const std::size_t width = std::max<std::size_t>(text.size(), 2);
    const h5::Handle type = h5::fixed_string_type(width);
    const std::string bytes = padded({text}, width);
    write_scalar(to, {name, "1", long_name, std::vector<std::string>{}, {}, {}, false}, ColumnType::kString, type.id(),
                 bytes.data());
  }

  void write_scalar(hid_t to, const Column& column, ColumnType column_type, hid_t type, const void* value) {
    const h5::Handle space(H5Screate(H5S_SCALAR), H5Sclose, "making a scalar");
    const h5::Handle properties = h5::creation_properties(H5P_DATASET_CREATE);
    const h5::Handle dataset(
        H5Dcreate2(to, column.name.c_str(), type, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose,
        "making a dataset");
    h5::check(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value), "writing a dataset");
    describe(dataset.id(), column, column_type);
  }

  /// A dataset of one dimension; `scale`: its dimension scale, or none if it is one itself.
  h5::Handle write_list(hid_t to, const Column& column, const h5::Handle* scale) {
    const auto type = static_cast<ColumnType>(column.data.index());
    const std::size_t width = type == ColumnType::kString ? widest(column.data) : size_of(type);
    const h5::Handle on_disk = file_type(type, width);
    ChunkWriter writer(to, column.name, on_disk.id(), width, rows_of(column.data), packer_);
    std::visit(
        [&](const auto& values) {
          if constexpr (std::is_same_v<std::decay_t<decltype(values)>, std::vector<std::string>>) {
            writer.append(padded(values, width));
          } else {
            writer.append(bytes_of(values));
          }
        },
        column.data);
    writer.finish();
    packer_.drain();
    describe(writer.dataset(), column, type);
    h5::Handle dataset(H5Dopen2(to, column.name.c_str(), H5P_DEFAULT), H5Dclose, "opening a dataset");
    if (scale != nullptr) {
      h5::check(H5DSattach_scale(dataset.id(), scale->id(), 0), "attaching a dimension");
    } else {
      h5::check(H5DSset_scale(dataset.id(), column.name.c_str()), "making a dimension");
    }
    return dataset;
  }

  static std::size_t size_of(ColumnType type) {
    return type == ColumnType::kUint8 ? 1 : type == ColumnType::kInt32 ? 4 : 8;
  }

  /// A coordinate: a dimension scale that has values.
  h5::Handle write_coordinate(hid_t to, const std::string& name, Column::Data data, const std::string& long_name) {
    return write_list(to, {name, "1", long_name, std::move(data), {}, {}, false}, nullptr);
  }

  static std::vector<std::int32_t> numbers(std::uint64_t count) {
    std::vector<std::int32_t> values(count);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }

  void write_config() {
    const h5::Handle to = group("config");
    write_text(to.id(), "workload", facts_.workload_text, "the workload file as read, before `sets`");
    write_text(to.id(), "scheduler", facts_.scheduler, "settings of the scheduling mechanism, before any axis");
    if (!facts_.arrival_rates.empty())
      write_text(to.id(), "arrival_rates", facts_.arrival_rates, "arrival rates that follow from a load");
    write_scalar(to.id(), {"seed", "1", "seed of every draw", std::vector<std::uint64_t>{}, {}, {}, false},
                 ColumnType::kUint64, H5T_STD_U64LE, &facts_.seed);
    write_scalar(to.id(),
                 {"replications", "1", "replications of each point", std::vector<std::int64_t>{}, {}, {}, false},
                 ColumnType::kInt64, H5T_STD_I64LE, &facts_.replications);
    std::vector<std::string> names, definitions;
    for (const PolicyFacts& policy : facts_.policies) {
      names.push_back(policy.name);
      definitions.push_back(policy.definition);
    }
    const h5::Handle policy = write_coordinate(to.id(), "policy", names, "policies");
    write_list(to.id(), {"policy_definition", "1", "what each policy is", definitions, {}, {}, false}, &policy);
    write_coordinate(to.id(), "policy_argument", facts_.policy_arguments,
                     "--policy as given; none: the workload's own");
    const h5::Handle set = write_coordinate(to.id(), "set", numbers(facts_.sets.size()), "overrides, in order");
    write_list(to.id(), {"sets", "1", "path=value", facts_.sets, {}, {}, false}, &set);
    std::vector<std::string> paths, hashes;
    std::vector<std::uint64_t> sizes;
    for (const InputFile& input : facts_.inputs) {
      paths.push_back(input.path);
      sizes.push_back(input.bytes);
      hashes.push_back(input.sha256);
    }
    const h5::Handle input = write_coordinate(to.id(), "input", numbers(paths.size()), "files read");
    write_list(to.id(), {"input_path", "1", "relative to the workload's folder", paths, {}, {}, false}, &input);
    write_list(to.id(), {"input_bytes", "byte", "size", sizes, {}, {}, false}, &input);
    write_list(to.id(), {"input_sha256", "1", "SHA-256 of the content", hashes, {}, {}, false}, &input);
  }

  /// Axes with a dimension of their own are its scale. Zipped ones hang on a dimension of numbered points.
  void write_sweep() {
    const h5::Handle to = group("sweep");
    std::vector<h5::Handle> scales;
    std::vector<hsize_t> dims;
    std::vector<std::string> taken{"run", "policy", "replication"};
    std::string beside;
    for (std::size_t a = 0; a < facts_.axes.size(); ++a) {
      const AxisFacts& axis = facts_.axes[a];
      if (!axis.zipped) dims.push_back(axis.values.size());
      const bool alone = !axis.zipped && (a + 1 == facts_.axes.size() || !facts_.axes[a + 1].zipped);
      if (!alone && !axis.zipped) {
        taken.push_back(axis_name("point", taken));
        scales.push_back(
            write_coordinate(to.id(), taken.back(), numbers(axis.values.size()), "number of the zipped values"));
      }
      taken.push_back(axis_name(axis.path, taken));
      const Column column{taken.back(), axis.unit, axis.path, axis.coordinate, {}, {}, false};
      if (alone) {
        scales.push_back(write_list(to.id(), column, nullptr));
        continue;
      }
      write_list(to.id(), column, &scales.back());
      // What follows the CF conventions takes a space for the end of a name.
      if (taken.back().find(' ') == std::string::npos) beside += (beside.empty() ? "" : " ") + taken.back();
    }
    std::vector<std::string> policies;
    for (const PolicyFacts& policy : facts_.policies) policies.push_back(policy.name);
    dims.push_back(policies.size());
    scales.push_back(write_coordinate(to.id(), "policy", std::move(policies), "policy"));
    const auto replications = static_cast<std::uint64_t>(facts_.replications);
    dims.push_back(replications);
    scales.push_back(write_coordinate(to.id(), "replication", numbers(replications), "replication"));

    const h5::Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose,
                           "making the sweep");
    const h5::Handle properties = h5::creation_properties(H5P_DATASET_CREATE);
    const h5::Handle run(
        H5Dcreate2(to.id(), "run", H5T_STD_I32LE, space.id(), H5P_DEFAULT, properties.id(), H5P_DEFAULT), H5Dclose,
        "making the sweep");
    const std::vector<std::int32_t> values = run_numbers(replications);
    h5::check(H5Dwrite(run.id(), H5T_STD_I32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "writing the sweep");
    describe(run.id(),
             {"run",
              "1",
              "number of the run, in /runs and every table",
              std::vector<std::int32_t>{},
              {},
              {},
              !facts_.grid.empty()},
             ColumnType::kInt32);
    if (!beside.empty()) h5::put_attribute(run.id(), "coordinates", beside);
    for (std::size_t d = 0; d < scales.size(); ++d) {
      h5::check(H5DSattach_scale(run.id(), scales[d].id(), static_cast<unsigned>(d)), "attaching a dimension");
    }
  }

  /// Runs are numbered in the order of the array; -1: excluded.
  [[nodiscard]] std::vector<std::int32_t> run_numbers(std::uint64_t replications) const {
    if (facts_.grid.empty()) return numbers(facts_.runs());
    std::vector<std::int32_t> values;
    std::int32_t next = 0;
    for (const bool is_run : facts_.grid)
      for (std::uint64_t r = 0; r < replications; ++r) values.push_back(is_run ? next++ : -1);
    return values;
  }

  void write_names() {
    const h5::Handle to = group("names");
    for (const auto& [name, words] : runs_.names()) {
      write_coordinate(to.id(), name, words, "names by code, as the columns called `" + name + "` give it");
    }
  }

  // ---- tables, streamed

  void write_table(const MergedTable& table) {
    const h5::Handle to = group(table.name);
    const bool of_runs = table.name == "runs";  // There the number of the run is the row.
    h5::Handle scale;
    if (!of_runs) {
      scale = write_row_numbers(to.id(), table);
    }
    std::vector<std::unique_ptr<ChunkWriter>> writers;
    std::vector<std::size_t> narrow(table.columns.size(), 0);  // width where HDF5's is larger
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const MergedColumn& column = table.columns[c];
      const std::size_t width = file_width(column.type, column.width);
      if (width != column.width) narrow[c] = column.width;
      const h5::Handle type = file_type(column.type, column.width);
      writers.push_back(
          std::make_unique<ChunkWriter>(to.id(), column.column.name, type.id(), width, table.rows, packer_));
      describe(writers.back()->dataset(), column.column, column.type);
    }
    if (of_runs) h5::check(H5DSset_scale(writers[0]->dataset(), "run"), "making a dimension");
    const hid_t dimension = of_runs ? writers[0]->dataset() : scale.id();
    for (std::size_t c = of_runs ? 1 : 0; c < writers.size(); ++c) {
      h5::check(H5DSattach_scale(writers[c]->dataset(), dimension, 0), "attaching a dimension");
    }
    fill(table, writers, narrow);
    for (auto& writer : writers) writer->finish();
    packer_.drain();
  }

  /// Rows come in blocks, each block column by column, so that where chunks lie does not depend on how the runs were
  /// grouped into parts.
  void fill(const MergedTable& table, const std::vector<std::unique_ptr<ChunkWriter>>& writers,
            const std::vector<std::size_t>& narrow) {
    std::size_t row_bytes = 0;
    for (const MergedColumn& column : table.columns) row_bytes += column.width;
    const std::uint64_t block = std::clamp<std::uint64_t>(kBlockBytes / row_bytes, 1, 65536);
    std::string widened;
    for (std::uint64_t row = 0; row < table.rows; row += block) {
      runs_.read(table, row, std::min(row + block, table.rows), table.columns.size(),
                 [&](std::size_t c, std::string_view bytes) {
                   if (narrow[c] == 0) {
                     writers[c]->append(bytes);
                     return;
                   }
                   widened.clear();
                   for (; !bytes.empty(); bytes.remove_prefix(narrow[c])) {
                     widened += bytes.substr(0, narrow[c]);
                     widened.append(file_width(ColumnType::kString, narrow[c]) - narrow[c], '\0');
                   }
                   writers[c]->append(widened);
                 });
      for (const auto& writer : writers) writer->send();
    }
  }

  /// The dimension of a table: its rows by number, which is what the offsets of /runs count.
  h5::Handle write_row_numbers(hid_t to, const MergedTable& table) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSingular{
        {{"classes", "class"},
         {"node_classes", "node_class"},
         {"dependencies", "dependency"},
         {"capacity", "capacity"},
         {"priorities", "priority"}}};
    const auto irregular = std::ranges::find(kSingular, table.name, [](const auto& s) { return s.first; });
    const std::string singular = irregular != kSingular.end() ? std::string(irregular->second)
                                 : table.name.ends_with('s')  ? table.name.substr(0, table.name.size() - 1)
                                                              : table.name;
    const std::string name = singular + "_row";
    const h5::Handle type = file_type(ColumnType::kInt64, 8);
    ChunkWriter writer(to, name, type.id(), sizeof(std::int64_t), table.rows, packer_);
    std::vector<std::int64_t> piece;
    for (std::uint64_t row = 0; row < table.rows; row += piece.size()) {
      piece.resize(std::min<std::uint64_t>(16384, table.rows - row));
      std::iota(piece.begin(), piece.end(), static_cast<std::int64_t>(row));
      writer.append(bytes_of(piece));
      writer.send();
    }
    writer.finish();
    packer_.drain();
    describe(writer.dataset(), {name, "1", "number of the row", std::vector<std::int64_t>{}, {}, {}, false},
             ColumnType::kInt64);
    h5::check(H5DSset_scale(writer.dataset(), name.c_str()), "making a dimension");
    return {H5Dopen2(to, name.c_str(), H5P_DEFAULT), H5Dclose, "opening a dataset"};
  }

  const StudyFacts& facts_;
  StoredRuns& runs_;
  ChunkPacker packer_;
  h5::Handle file_;
};

}  // namespace

void write_results_file(const std::string& path, const StudyFacts& facts, StoredRuns& runs, unsigned threads) {
  try {
    ResultsFile(path, facts, runs, threads).write();
  } catch (const h5::Error& error) {
    ::unlink(path.c_str());
    throw OutputError(OutputError::Kind::kCannotWrite, "cannot write '" + path + "': " + error.what());
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

}  // namespace headroom
