// sim eval: what a priority expression is worth, with what each of its terms is worth.
#include <algorithm>
#include <fstream>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>

#include "policies/expression_rule.h"
#include "policies/priority/error.h"
#include "policies/priority/inputs.h"
#include "sim/cli/commands.h"
#include "sim/cli/text_table.h"
#include "workloads/diagnostics.h"
#include "workloads/expression_json.h"

namespace headroom::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What a stage looks like that nothing is said of: everything 0, one hour old.
ExpressionInputs default_inputs() {
  const Json object = Json::parse(R"({
    "now": "1970-01-01T01:00:00Z",
    "organization": {"id": "organization", "name": "organization", "priority": 0},
    "account": {"id": "account", "name": "account", "priority": 0},
    "user": {"id": "user", "name": "user", "priority": 0},
    "workflow": {"id": "workflow", "name": "workflow", "priority": 0, "create_time": "1970-01-01T00:00:00Z"}})");
  return expression_inputs(object);
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError({Diagnostic{path, 0, 0, "cannot be read", ""}}, InputError::Kind::kNoInput);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<ExpressionInputs> environments(const EvalArguments& arguments) {
  if (arguments.environment.empty()) return {default_inputs()};
  return read_expression_inputs(text_of(arguments.environment), arguments.environment);
}

const ExpressionInputs& environment_named(const std::vector<ExpressionInputs>& all, const std::string& name) {
  for (const ExpressionInputs& inputs : all)
    if (inputs.name == name) return inputs;
  throw InputError({Diagnostic{"", 0, 0, "unknown environment '" + name + "'", ""}});
}

/// --set workflow.priority=-10, or now=…, or age=12.5h (the workflow was created so long ago).
void set_value(ExpressionInputs& inputs, const std::string& path, const std::string& text) {
  const auto refuse = [&](const std::string& why) { throw UsageError("--set " + path + "=" + text + ": " + why); };
  const auto slot_of = [&](const std::string& record, const std::string& field) -> const expr::Environment::Field* {
    const expr::Environment::Name* name = inputs.environment.find(record);
    if (name == nullptr) return nullptr;
    for (const expr::Environment::Field& one : name->fields)
      if (one.name == field) return &one;
    return nullptr;
  };
  expr::Instant at;
  if (path == "now") {
    if (!expr::parse_time(text, at)) refuse("'now' is a time such as 2026-03-10T15:30:00Z");
    inputs.clock.now = at;
    return;
  }
  if (path == "age") {
    std::int64_t ns = 0;
    const auto* created = slot_of("workflow", "create_time");
    if (created == nullptr) refuse("the environment has no workflow.create_time");
    if (!expr::parse_duration(text, ns)) refuse("an age is a duration such as 12h30m");
    inputs.values[created->slot] = expr::Value::of_time(inputs.clock.now.plus(-ns));
    return;
  }
  const std::size_t dot = path.find('.');
  const auto* field = dot == std::string::npos ? nullptr : slot_of(path.substr(0, dot), path.substr(dot + 1));
  if (field == nullptr) {
    std::vector<std::string> known{"now", "age"};
    for (const expr::Environment::Name& name : inputs.environment.names())
      for (const expr::Environment::Field& one : name.fields) known.push_back(name.name + "." + one.name);
    refuse("there is no such value" + did_you_mean(path, known));
  }
  expr::Value& value = inputs.values[field->slot];
  if (field->type.is(expr::TypeKind::kString)) {
    value = expr::Value::of_string(text);
    return;
  }
  const Json json = Json::parse(text, nullptr, false);
  if (field->type.is(expr::TypeKind::kTime)) {
    if (!expr::parse_time(text, at)) refuse("expected a time such as 2026-03-10T15:30:00Z");
    value = expr::Value::of_time(at);
  } else if (field->type.is(expr::TypeKind::kInt)) {
    if (!json.is_number_integer()) refuse("expected an integer");
    value = expr::Value::of_int(json.get<std::int64_t>());
  } else if (field->type.is(expr::TypeKind::kFloat)) {
    if (!json.is_number()) refuse("expected a number");
    value = expr::Value::of_float(json.get<double>());
  } else {
    refuse("this value cannot be set");
  }
}

/// The parts of a sum, down to what is none: as they stand in the source.
void add_terms(const expr::Tree& tree, expr::NodeId id, bool negative,
               std::vector<std::pair<expr::NodeId, bool>>& terms) {
  const expr::Node& node = tree[id];
  const bool sum =
      node.kind == expr::NodeKind::kBinary && (node.op == expr::Op::kAdd || node.op == expr::Op::kSubtract);
  if (!sum) {
    terms.emplace_back(id, negative);
    return;
  }
  add_terms(tree, node.children[0], negative, terms);
  add_terms(tree, node.children[1], negative != (node.op == expr::Op::kSubtract), terms);
}

/// Source text of each term of a sum of numbers: what lies between the operators that join them.
std::vector<std::string> texts_of(const std::string& source, const expr::Tree& tree) {
  std::vector<std::uint32_t> cuts;
  const auto gather = [&](auto self, expr::NodeId id) -> void {
    const expr::Node& node = tree[id];
    if (node.kind != expr::NodeKind::kBinary || (node.op != expr::Op::kAdd && node.op != expr::Op::kSubtract)) return;
    self(self, node.children[0]);
    cuts.push_back(node.offset);
    self(self, node.children[1]);
  };
  gather(gather, tree.root);
  std::vector<std::string> texts(1);
  std::size_t next = 0;
  std::uint32_t offset = 0;
  for (const char c : source) {
    if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      if (next < cuts.size() && offset == cuts[next]) {
        ++next;
        ++offset;
        texts.emplace_back();
        continue;
      }
      ++offset;
    }
    texts.back() += c == '\n' || c == '\t' ? ' ' : c;
  }
  for (std::string& text : texts) {
    const auto open = std::ranges::count(text, '(');
    const auto closed = std::ranges::count(text, ')');
    text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
    for (auto k = closed; k < open && text.starts_with('('); ++k) text.erase(0, 1);
    while (text.ends_with(' ')) text.pop_back();
    for (auto k = open; k < closed && text.ends_with(')'); ++k) text.pop_back();
  }
  return texts;
}

ExitStatus evaluate_one(const EvalArguments& arguments, ExpressionInputs inputs, const Streams& streams) {
  for (const auto& [path, text] : arguments.sets) set_value(inputs, path, text);
  try {
    const expr::Expression expression(arguments.expression, inputs.environment);
    const expr::Value value = expression.evaluate(inputs.values, inputs.clock);
    streams.out << "value  " << printable(expr::value_text(value)) << "\n";
    streams.out << "type   " << expr::kind_name(value.kind) << " (" << expr::type_name(expression.type()) << ")\n";
    const expr::Tree& tree = expression.tree();
    std::vector<std::pair<expr::NodeId, bool>> terms;
    add_terms(tree, tree.root, false, terms);
    const std::vector<std::string> texts = texts_of(arguments.expression, tree);
    if (terms.size() > 1 && texts.size() == terms.size()) {
      streams.out << "terms\n";
      for (std::size_t k = 0; k < terms.size(); ++k) {
        const expr::Value term = expr::Program(tree, terms[k].first).run(inputs.values, inputs.clock);
        streams.out << "  " << (terms[k].second ? "- " : "+ ") << printable(expr::value_text(term)) << "  "
                    << shortened(printable(texts[k]), 80) << "\n";
      }
    }
    expression.require_number();
    return kDone;
  } catch (const expr::Error& error) {
    streams.err << printable_lines(expr::to_text(error, arguments.expression) + "\n");
    return kBadInput;
  }
}

ExitStatus evaluate_lines(const EvalArguments& arguments, const Streams& streams) {
  const std::vector<ExpressionInputs> all = environments(arguments);
  std::string line;
  for (std::int64_t number = 1; std::getline(streams.in, line); ++number) {
    if (line.empty()) continue;
    const Json asked = Json::parse(line, nullptr, false);
    if (!asked.is_object() || !asked.contains("expr") || !asked["expr"].is_string())
      throw InputError({Diagnostic{"stdin", number, 1, "expected an object {\"id\", \"env\", \"expr\"}", line}});
    ExpressionInputs inputs = !asked.contains("env")     ? all.front()
                              : asked["env"].is_object() ? expression_inputs(asked["env"])
                              : asked["env"].is_string() ? environment_named(all, asked["env"].get<std::string>())
                                                         : all.front();
    for (const auto& [path, text] : arguments.sets) set_value(inputs, path, text);
    Json answer;
    if (asked.contains("id")) answer["id"] = asked["id"];
    answer.update(evaluation_json(asked["expr"].get<std::string>(), inputs));
    streams.out << answer.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
  }
  return kDone;
}

}  // namespace

ExitStatus eval_command(const EvalArguments& arguments, const Streams& streams) {
  if (arguments.json_lines) return evaluate_lines(arguments, streams);
  return evaluate_one(arguments, environments(arguments).front(), streams);
}

}  // namespace headroom::cli
