// Reads workload and policy files. Every error of a file is found and thrown at once; nothing is half-read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/diagnostics.h"
#include "workloads/workload.h"

namespace headroom {

/// `params.slots=4`, `cluster.slots=4`, `work.base.arrivals.poisson.rate=10/h`, `work[0].at=5s`: the value is YAML
/// text.
struct Override {
  std::string path;
  std::string value;
  std::string origin;  ///< "--set" or "sweep.vary", for messages
};

/// A workload file, parsed once; read into values once per point of a sweep.
class WorkloadDocument {
 public:
  /// Fails  InputError: kNoInput if the file cannot be opened, kBadInput for YAML that cannot be parsed.
  static WorkloadDocument load(const std::string& path);
  /// `file` names the text in messages; its folder is where relative names start.
  static WorkloadDocument parse(std::string text, std::string file);
  /// A bare trace as a workload of one item, on the trace's own cluster. The name is the file's stem.
  static WorkloadDocument from_trace(const std::string& path, TraceItem::Format format = TraceItem::Format::kSwf);

  /// Checks everything and reads it, with the overrides put in place first.
  /// Fails  InputError with all errors, in line order; those of an override name it instead of a line.
  [[nodiscard]] Workload read(const std::vector<Override>& overrides = {}) const;

  /// Its `compare:` alone, if it has one: of a text that was kept, whose other files may be gone.
  /// Fails  InputError as read() does.
  [[nodiscard]] std::optional<CompareSpec> compare(const std::vector<Override>& overrides = {}) const;

  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const std::string& file() const;

  ~WorkloadDocument();
  WorkloadDocument(WorkloadDocument&&) noexcept;
  WorkloadDocument& operator=(WorkloadDocument&&) noexcept;

 private:
  struct Impl;
  explicit WorkloadDocument(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A preset's name, a policy file, a policy in braces or expr:EXPRESSION. `{policy: capped_aging, cap: [24, 84]}` is
/// two policies, called capped_aging:cap=24 and capped_aging:cap=84; there is at least one. Fails  InputError; the
/// nearest preset is named.
[[nodiscard]] std::vector<Policy> read_policies(const std::string& name_or_file);
/// The same where it is one.
[[nodiscard]] Policy read_policy(const std::string& name_or_file);

}  // namespace headroom
