// A study's facts as bytes, in the folder of a shard.
#include "sim/results/bytes.h"
#include "sim/results/merge.h"

namespace headroom {
namespace {

void put_texts(ByteWriter& out, const std::vector<std::string>& texts) {
  out.put(std::uint64_t{texts.size()});
  for (const std::string& text : texts) out.put(std::string_view(text));
}

}  // namespace

std::string facts_bytes(const StudyFacts& facts) {
  ByteWriter out;
  for (const std::string* text : {&facts.title, &facts.workload_text, &facts.scheduler, &facts.arrival_rates})
    out.put(std::string_view(*text));
  put_texts(out, facts.sets);
  put_texts(out, facts.policy_arguments);
  out.put(std::uint64_t{facts.policies.size()});
  for (const PolicyFacts& policy : facts.policies) {
    out.put(std::string_view(policy.name));
    out.put(std::string_view(policy.definition));
  }
  out.put(std::uint64_t{facts.axes.size()});
  for (const AxisFacts& axis : facts.axes) {
    out.put(std::string_view(axis.path));
    put_texts(out, axis.values);
    out.put(std::string_view(axis.unit));
    out.put(std::uint8_t{axis.zipped});
  }
  out.put(facts.seed);
  out.put(facts.replications);
  out.put(std::uint64_t{facts.inputs.size()});
  for (const InputFile& input : facts.inputs) {
    out.put(std::string_view(input.path));
    out.put(input.bytes);
    out.put(std::string_view(input.sha256));
  }
  out.put(std::uint64_t{facts.grid.size()});
  for (const bool is_run : facts.grid) out.put(std::uint8_t{is_run});
  return out.take();
}

StudyFacts read_facts(const std::string& bytes) {
  ByteReader in(bytes);
  StudyFacts facts;
  for (std::string* text : {&facts.title, &facts.workload_text, &facts.scheduler, &facts.arrival_rates})
    *text = in.text();
  facts.sets = in.texts();
  facts.policy_arguments = in.texts();
  facts.policies.resize(in.count(2 * sizeof(std::uint64_t)));
  for (PolicyFacts& policy : facts.policies) {
    policy.name = in.text();
    policy.definition = in.text();
  }
  for (std::size_t axes = in.count(sizeof(std::uint64_t)); axes > 0; --axes) {
    std::string path = in.text();
    std::vector<std::string> values = in.texts();
    std::string unit = in.text();
    facts.axes.emplace_back(std::move(path), std::move(values), std::move(unit), in.get<std::uint8_t>() != 0);
  }
  facts.seed = in.get<std::uint64_t>();
  facts.replications = in.get<std::int64_t>();
  facts.inputs.resize(in.count(sizeof(std::uint64_t)));
  for (InputFile& input : facts.inputs) {
    input.path = in.text();
    input.bytes = in.get<std::uint64_t>();
    input.sha256 = in.text();
  }
  facts.grid.resize(in.count(1));
  for (std::size_t i = 0; i < facts.grid.size(); ++i) facts.grid[i] = in.get<std::uint8_t>() != 0;
  if (!in.at_end()) throw BytesDamaged();
  return facts;
}

}  // namespace headroom
