#include "sim/sweep/summary_bytes.h"

#include "sim/results/bytes.h"

namespace headroom {
namespace {

void put_groups(ByteWriter& out, const std::vector<Group>& groups) {
  out.put(std::uint64_t{groups.size()});
  for (const Group& group : groups) {
    out.put(static_cast<std::uint8_t>(group.kind));
    out.put(group.name);
    for (const std::int64_t count : {group.workflows, group.started, group.finished, group.waiting}) out.put(count);
    out.put_all(group.metrics);
  }
}

std::vector<Group> get_groups(ByteReader& in) {
  std::vector<Group> groups(in.count(sizeof(std::uint64_t)));
  for (Group& group : groups) {
    group.kind = static_cast<Group::Kind>(in.get<std::uint8_t>());
    group.name = in.text();
    for (std::int64_t* count : {&group.workflows, &group.started, &group.finished, &group.waiting}) {
      *count = in.get<std::int64_t>();
    }
    group.metrics = in.all<double>();
  }
  return groups;
}

void put_cluster(ByteWriter& out, const ClusterSpec& cluster) {
  out.put(std::uint8_t{cluster.from_trace});
  out.put(std::uint64_t{cluster.classes.size()});
  for (const NodeClass& nodes : cluster.classes) {
    out.put(nodes.name);
    out.put(nodes.count);
    for (const std::int64_t amount : {nodes.capacity.cores, nodes.capacity.memory, nodes.capacity.gpus})
      out.put(amount);
  }
  out.put(std::uint64_t{cluster.pools.size()});
  for (const auto& [name, amount] : cluster.pools) {
    out.put(name);
    out.put(amount);
  }
}

ClusterSpec get_cluster(ByteReader& in) {
  ClusterSpec cluster;
  cluster.from_trace = in.get<std::uint8_t>() != 0;
  cluster.classes.resize(in.count(sizeof(std::uint64_t)));
  for (NodeClass& nodes : cluster.classes) {
    nodes.name = in.text();
    nodes.count = in.get<std::int64_t>();
    for (std::int64_t* amount : {&nodes.capacity.cores, &nodes.capacity.memory, &nodes.capacity.gpus}) {
      *amount = in.get<std::int64_t>();
    }
  }
  cluster.pools.resize(in.count(sizeof(std::uint64_t)));
  for (auto& [name, amount] : cluster.pools) {
    name = in.text();
    amount = in.get<std::int64_t>();
  }
  return cluster;
}

}  // namespace

std::string summary_bytes(const RunSummary& summary) {
  const RunReport& report = summary.report;
  ByteWriter out;
  out.put(static_cast<std::uint8_t>(report.status));
  out.put(report.decision_hash);
  for (const std::int64_t count : {report.workflows, report.started, report.finished, report.waiting}) out.put(count);
  out.put_all(report.metrics);
  put_groups(out, report.classes);
  put_groups(out, report.tenants);
  out.put(std::uint64_t{report.warnings.size()});
  for (const Warning& warning : report.warnings) {
    out.put(warning.code);
    out.put(warning.text);
  }
  for (const std::uint64_t count : {report.passes, report.events, report.starts}) out.put(count);
  out.put(report.wall_time_s);
  out.put(std::uint64_t{summary.repairs.size()});
  for (const Repair& repair : summary.repairs) {
    out.put(repair.what);
    out.put(repair.count);
    out.put(repair.example);
  }
  out.put(std::uint8_t{summary.cluster_from_trace});
  put_cluster(out, summary.cluster);
  out.put(summary.failure);
  return out.take();
}

RunSummary read_summary(const std::string& bytes, const RunSpec& spec) {
  ByteReader in(bytes);
  RunSummary summary;
  summary.spec = spec;
  RunReport& report = summary.report;
  report.status = static_cast<RunStatus>(in.get<std::uint8_t>());
  report.decision_hash = in.get<std::uint64_t>();
  for (std::int64_t* count : {&report.workflows, &report.started, &report.finished, &report.waiting}) {
    *count = in.get<std::int64_t>();
  }
  report.metrics = in.all<double>();
  report.classes = get_groups(in);
  report.tenants = get_groups(in);
  report.warnings.resize(in.count(sizeof(std::uint64_t)));
  for (Warning& warning : report.warnings) {
    warning.code = in.text();
    warning.text = in.text();
  }
  for (std::uint64_t* count : {&report.passes, &report.events, &report.starts}) *count = in.get<std::uint64_t>();
  report.wall_time_s = in.get<double>();
  summary.repairs.resize(in.count(sizeof(std::uint64_t)));
  for (Repair& repair : summary.repairs) {
    repair.what = in.text();
    repair.count = in.get<std::int64_t>();
    repair.example = in.text();
  }
  summary.cluster_from_trace = in.get<std::uint8_t>() != 0;
  summary.cluster = get_cluster(in);
  summary.failure = in.text();
  return summary;
}

std::string makespan_bytes(const std::vector<double>& makespans_s) {
  ByteWriter out;
  out.put_all(makespans_s);
  return out.take();
}

std::vector<double> read_makespans(const std::string& bytes) { return ByteReader(bytes).all<double>(); }

}  // namespace headroom
