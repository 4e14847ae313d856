// `shape:` of generated work: the form of each workflow's graph and its numbers, which may be drawn.
#include <algorithm>
#include <array>
#include <string>

#include "workloads/generate_parts.h"
#include "workloads/shape_graph.h"

namespace headroom::yaml {
namespace {

struct Parameter {
  std::string_view name;
  Distribution Shape::*member;
};

struct Form {
  std::string_view name;
  Shape::Kind kind;
  std::array<Parameter, 3> parameters;  ///< nameless: no more
  std::string_view example;
};

constexpr Parameter kNone{"", nullptr};
constexpr std::array kForms{
    Form{"single", Shape::Kind::kSingle, {kNone, kNone, kNone}, "single"},
    Form{"chain", Shape::Kind::kChain, {Parameter{"length", &Shape::size}, kNone, kNone}, "{length: 5}"},
    Form{"fork_join", Shape::Kind::kForkJoin, {Parameter{"width", &Shape::size}, kNone, kNone}, "{width: 8}"},
    Form{"layered",
         Shape::Kind::kLayered,
         {Parameter{"layers", &Shape::size}, Parameter{"width", &Shape::breadth}, Parameter{"degree", &Shape::degree}},
         "{layers: 4, width: 10, degree: 2}"},
    Form{"random",
         Shape::Kind::kRandom,
         {Parameter{"stages", &Shape::size}, kNone, kNone},
         "{stages: 20, edge_probability: 0.1}"},
    Form{"tree",
         Shape::Kind::kTree,
         {Parameter{"depth", &Shape::size}, Parameter{"arity", &Shape::breadth}, kNone},
         "{depth: 4, arity: 2}"},
    Form{"diamond", Shape::Kind::kDiamond, {Parameter{"width", &Shape::size}, kNone, kNone}, "{width: 4}"},
};

std::array<std::string_view, kForms.size()> words() {
  std::array<std::string_view, kForms.size()> result;
  std::ranges::transform(kForms, result.begin(), &Form::name);
  return result;
}

/// The smallest that can be drawn, for a check of what cannot fit at all; what is drawn is checked then.
std::int64_t smallest(const Distribution& distribution) {
  if (distribution.kind == Distribution::Kind::kConstant) return distribution.constant;
  if (distribution.kind == Distribution::Kind::kUniform) return static_cast<std::int64_t>(distribution.a);
  return 1;
}

class ShapeReader {
 public:
  ShapeReader(Context& context, const std::string& where) : c_(context), where_(where) {}

  Shape read(const Node& node) {
    const bool is_one_key = node.is_map() && node.children.size() == 2;
    const Node& word = is_one_key ? c_.at(node.children[0]) : node;
    const auto names = words();
    const auto found = word_of(c_, word, "shape", "generate.shape", names);
    if (!found) return {};
    const Form& form = kForms.at(*found);
    if (form.kind == Shape::Kind::kSingle) return {};  // `single` and `single: {}`
    if (!is_one_key) {
      c_.error(node, "shape: '" + std::string(form.name) + "' needs its numbers, as in {" + std::string(form.name) +
                         ": " + std::string(form.example) + "}");
      return {};
    }
    const std::size_t errors = c_.errors().size();
    read_numbers(form, c_.at(node.children[1]));
    if (c_.errors().size() == errors) check_size(word);
    return c_.errors().size() == errors ? made_ : Shape{};
  }

 private:
  void read_numbers(const Form& form, const Node& node) {
    made_.kind = form.kind;
    MapReader map(c_, node, form.name, std::string(form.name));
    for (const Parameter& parameter : form.parameters) {
      if (parameter.name.empty()) break;
      const Node* value = map.require(parameter.name, form.example);
      if (value == nullptr) continue;
      const auto read = distribution_of(c_, *value, parameter.name, Quantity::kWhole, 1, kMostShapeStages);
      if (read) made_.*parameter.member = *read;
    }
    if (form.kind == Shape::Kind::kRandom) {
      if (const Node* value = map.require("edge_probability", form.example)) {
        made_.edge_probability = number_of(c_, *value, "edge_probability").value_or(0);
        if (!(made_.edge_probability >= 0 && made_.edge_probability <= 1))
          c_.expected(*value, "edge_probability", "a number from 0 to 1");
      }
    }
    map.finish();
  }

  void check_size(const Node& node) {
    const ShapeNumbers least{smallest(made_.size), smallest(made_.breadth), smallest(made_.degree)};
    if (stages_of(made_.kind, least.size, least.breadth) > kMostShapeStages)
      return c_.error(node, where_ + ": more than " + std::to_string(kMostShapeStages) + " stages in each workflow");
    if (needs_of(made_, least) > static_cast<long double>(kMostShapeNeeds))
      c_.error(node, where_ + ": more than " + std::to_string(kMostShapeNeeds) + " needs in each workflow");
  }

  Context& c_;
  const std::string& where_;
  Shape made_;
};

}  // namespace

Shape read_shape(Context& context, const Node& node, const std::string& where) {
  return ShapeReader(context, where).read(node);
}

}  // namespace headroom::yaml
