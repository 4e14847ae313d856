#include "sim/sweep/facts.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include "sim/results/crc32.h"
#include "sim/results/results_file.h"
#include "sim/results/sha256.h"
#include "workloads/offered_load.h"
#include "workloads/scheduler_words.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The policy as the workload format would say it.
std::string definition_of(const Policy& policy) {
  const auto word = [](std::span<const std::string_view> words, auto value) {
    return std::string(words[static_cast<std::size_t>(value)]);
  };
  std::string text = "{policy: " + in_quotes(policy.name);
  if (!policy.about.empty()) text += ", about: " + in_quotes(policy.about);
  text += ", priority: " + in_quotes(priority_expression(policy)) + ", ties: [";
  for (std::size_t i = 0; i < policy.ties.size(); ++i) text += (i > 0 ? ", " : "") + word(tie_words(), policy.ties[i]);
  return text + "], placement: " + word(placement_words(), policy.placement) +
         ", backfill: " + word(backfill_words(), policy.backfill) +
         ", preemption: " + word(preemption_words(), policy.preemption) + ", hold: " + word(hold_words(), policy.hold) +
         "}";
}

std::string scheduler_of(const SchedulerSettings& s) {
  const auto line = [](std::string_view key, std::string_view word) {
    return "\n" + std::string(key) + ": " + std::string(word);
  };
  std::string text = "like: " + std::string(word_in(like_words(), s.like));
  text += "\ntick: " + exact_text(s.tick);
  text += line("hold_scope", word_in(hold_scope_words(), s.hold_scope));
  text += line("hold_release", word_in(hold_release_words(), s.hold_release));
  text += "\noverheads: {";
  for (const OverheadKey& key : overhead_keys())
    text += (&key == overhead_keys().data() ? "" : ", ") + std::string(key.name) + ": " +
            exact_text(s.overheads.*key.member);
  text += "}" + line("simultaneous", word_in(simultaneous_words(), s.simultaneous));
  text += "\nqueue_depth: " + std::to_string(s.queue_depth);
  text += line("on_failure", word_in(on_failure_words(), s.on_failure));
  return text + "\ndefault_estimate: " + exact_text(s.default_estimate) + "\n";
}

/// Nothing of where it was called from: the path as seen from the workload's own folder.
std::string shown_path(const std::string& path, const std::string& workload_file) {
  const fs::path folder = fs::path(workload_file).parent_path();
  const fs::path relative = fs::path(path).lexically_normal().lexically_relative(folder.lexically_normal());
  return folder.empty() || relative.empty() ? path : relative.string();
}

void read_file(const std::string& path, const std::function<void(std::string_view)>& take) {
  std::ifstream in(path, std::ios::binary);
  std::string buffer(std::size_t{1} << 20, '\0');
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    take(std::string_view(buffer).substr(0, static_cast<std::size_t>(in.gcount())));
  }
  if (!in.eof()) {
    throw InputError({Diagnostic{path, 0, 0, "cannot be read", ""}}, InputError::Kind::kNoInput);
  }
}

std::string checksum_of(const std::string& path) {
  Crc32 crc;
  std::uint64_t size = 0;
  read_file(path, [&](std::string_view bytes) {
    crc.add(bytes);
    size += bytes.size();
  });
  return std::to_string(size) + " bytes, checksum " + crc.hex();
}

/// As read. That of a bare trace was made from the name under which the trace was found, which says where it lies.
std::string text_of(const WorkloadDocument& document) {
  std::string text = document.text();
  const std::string folder = fs::path(document.file()).parent_path().string();
  if (folder.empty() || fs::path(document.file()).extension() == ".yaml") return text;
  const std::size_t at = text.find(document.file());
  return at == std::string::npos ? text : text.erase(at, folder.size() + (folder.ends_with('/') ? 0 : 1));
}

/// The arrival rates that follow from a `load:`, one a line; where points differ, each its own.
std::string arrival_rates_of(const Study& study) {
  std::string text;
  for (std::size_t p = 0; p < study.points.size(); ++p) {
    std::string own;
    for (const WorkItem& item : study.points[p].items) {
      const auto* generate = std::get_if<GenerateItem>(&item);
      if (generate == nullptr || !generate->load) continue;
      own += (study.points.size() > 1 ? "point " + std::to_string(p) + ": " : "") +
             load_text(*generate, study.points[p].cluster) + "\n";
    }
    text += own;
  }
  return text;
}

}  // namespace

std::string exact_text(Duration d) {
  const bool negative = d.ns < 0;
  const auto ns = static_cast<std::uint64_t>(negative ? -d.ns : d.ns);
  std::string text = std::to_string(ns / 1'000'000'000);
  std::string fraction = std::to_string(ns % 1'000'000'000);
  fraction.insert(0, 9 - fraction.size(), '0');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (!fraction.empty()) text += "." + fraction;
  return (negative ? "-" : "") + text + "s";
}

StudyFacts facts_of(const Study& study) {
  StudyFacts facts;
  facts.title = study.workload.name;
  facts.workload_text = text_of(*study.request.document);
  facts.scheduler = scheduler_of(study.workload.scheduler);
  facts.arrival_rates = arrival_rates_of(study);
  for (const Override& set : study.request.sets) facts.sets.push_back(set.path + "=" + set.value);
  facts.policy_arguments = study.request.policies;
  for (const Policy& policy : study.policies) facts.policies.push_back({policy.name, definition_of(policy)});
  for (const SweepAxis& axis : study.axes) facts.axes.push_back({axis.path, axis.values, axis.unit, axis.zipped});
  if (std::ranges::find(study.grid, false) != study.grid.end()) facts.grid = study.grid;
  facts.seed = study.seed;
  facts.replications = study.replications;
  return facts;
}

std::vector<InputName> input_names(const Study& study) {
  std::vector<InputName> names;
  const auto add = [&names](InputName name) {
    if (std::ranges::find(names, name.path, &InputName::path) == names.end()) names.push_back(std::move(name));
  };
  for (const Workload& point : study.points) {
    for (const std::string& path : point.data_files) add({path, shown_path(path, study.request.document->file())});
    for (const WorkItem& item : point.items) {
      const auto* trace = std::get_if<TraceItem>(&item);
      if (trace != nullptr) add({trace->path, shown_path(trace->path, study.request.document->file())});
    }
  }
  for (const std::string& policy : study.request.policies) {
    std::error_code error;
    if (find_preset(policy) == nullptr && fs::is_regular_file(policy, error)) add({policy, policy});
  }
  return names;
}

std::vector<InputFile> hash_inputs(const Study& study) {
  std::vector<InputFile> inputs;
  const std::vector<InputName> names = input_names(study);
  const WorkloadDocument& document = *study.request.document;
  // A bare trace is its own document: it comes below, as the trace.
  if (!document.text().empty() && std::ranges::find(names, document.file(), &InputName::path) == names.end()) {
    inputs.push_back(
        {fs::path(document.file()).filename().string(), document.text().size(), sha256_hex(document.text())});
  }
  for (const InputName& name : names) {
    Sha256 hash;
    std::uint64_t size = 0;
    read_file(name.path, [&](std::string_view bytes) {
      hash.add(bytes);
      size += bytes.size();
    });
    inputs.push_back({name.shown, size, hash.hex()});
  }
  return inputs;
}

Identity identity_of(const Study& study, bool with_contents) {
  const StudyFacts facts = facts_of(study);
  Identity identity;
  identity.emplace_back("headroom version", headroom_version());
  identity.emplace_back("schema version", std::to_string(kSchemaVersion));
  identity.emplace_back("workload name", facts.title);
  identity.emplace_back("SHA-256 of the workload file", sha256_hex(facts.workload_text));
  std::string sets;
  for (const std::string& set : facts.sets) sets += (sets.empty() ? "" : " ") + set;
  identity.emplace_back("--set", sets.empty() ? "nothing" : sets);
  identity.emplace_back("seed", std::to_string(facts.seed));
  identity.emplace_back("replications", std::to_string(facts.replications));
  std::string policies;
  for (const PolicyFacts& policy : facts.policies) policies += (policies.empty() ? "" : ", ") + policy.name;
  identity.emplace_back("policies", policies);
  for (const PolicyFacts& policy : facts.policies) identity.emplace_back("policy " + policy.name, policy.definition);
  for (const AxisFacts& axis : facts.axes) {
    std::string values;
    for (const std::string& value : axis.values) values += (values.empty() ? "" : ", ") + value;
    identity.emplace_back("axis " + axis.path, values + (axis.zipped ? " (zipped)" : ""));
  }
  if (!facts.grid.empty()) identity.emplace_back("excluded", std::to_string(std::ranges::count(facts.grid, false)));
  for (const InputName& input : input_names(study)) {
    identity.emplace_back("input " + input.shown, with_contents ? checksum_of(input.path) : "");
  }
  return identity;
}

}  // namespace headroom
