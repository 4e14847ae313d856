// The tree of an expression. Nodes lie in one array, children before their parent; 10 000 of them at most, and 1000
// levels, 200 of them in parentheses and the like, so that whoever walks it may recurse.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/priority/environment.h"

namespace headroom::expr {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;
inline constexpr std::size_t kMaxNodes = 10'000;
inline constexpr std::uint32_t kMaxDepth = 1'000;
inline constexpr std::uint32_t kMaxNesting = 200;  ///< of what the parser itself recurses into

enum class NodeKind : std::uint8_t {
  kNil,
  kBool,
  kInt,
  kFloat,
  kString,
  kName,         ///< text
  kLocal,        ///< number: the variable's slot; made by the checker out of kName, by the parser beside a kTee
  kTee,          ///< child 0, kept in the local `number` as well: what is used twice, in `a < b < c` and `a ? : b`
  kInput,        ///< number: the environment's slot; made by the checker
  kUnary,        ///< op; child 0
  kBinary,       ///< op; children 0, 1
  kConditional,  ///< children 0 ? 1 : 2
  kMember,       ///< child 0, text; `optional`: ?.
  kIndex,        ///< child 0 [child 1]
  kMethod,       ///< child 0 . text (children 1 …); `optional`
  kCall,         ///< text (children …): a builtin, or an error
  kLet,          ///< text = child 0; child 1
  kSequence,     ///< the last child counts
  kArray,
  kMap,    ///< children: key, value, key, value …
  kChain,  ///< child 0: where `?.` of a nil ends
};

enum class Op : std::uint8_t {
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kLess,
  kGreater,
  kLessEqual,
  kGreaterEqual,
  kIn,
  kMatches,
  kContains,
  kStartsWith,
  kEndsWith,
  kRange,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kPower,
  kCoalesce,
  kNot,
  kNegate,
  kPlus,
};

struct Node {
  NodeKind kind = NodeKind::kNil;
  Op op = Op::kOr;
  bool optional = false;
  std::uint32_t offset = 0;  ///< where an error about it points, in code points
  std::uint32_t depth = 1;
  std::int64_t number = 0;  ///< kInt, kBool, kLocal, kTee, kInput
  double real = 0;          ///< kFloat
  std::string text;         ///< names, strings; of a number its digits as written
  std::vector<NodeId> children;
  Type type;  ///< set by the checker
};

struct Tree {
  std::vector<Node> nodes;
  NodeId root = kNoNode;
  std::uint32_t locals = 0;

  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes[id]; }
  [[nodiscard]] Node& operator[](NodeId id) { return nodes[id]; }
};

[[nodiscard]] std::string_view op_text(Op op);

/// Fails  Error (parse); the first that there is.
[[nodiscard]] Tree parse(std::string_view source);
/// Are all variables of a part declared in it or among `known`, by local, which grows by those met? Not so the second
/// half of a < b < c.
[[nodiscard]] bool knows_locals(const Tree& tree, NodeId part, std::vector<std::uint8_t>& known);
/// Names to slots, a type for every node. Fails  Error (check).
void check(Tree& tree, const Environment& environment);
/// Computes what is constant, as the language's own optimiser does, since that decides which errors are seen.
/// Fails  Error (fold).
void fold(Tree& tree);

}  // namespace headroom::expr
