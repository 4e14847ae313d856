// A YAML document as a tree of plain values with places, so that the reader of workloads can be strict where the YAML
// library is lenient. It must never know what a workload is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/diagnostics.h"

namespace headroom::yaml {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffff;

/// Bounds on what a file may ask of us, each far beyond any workload that people write.
inline constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
inline constexpr std::size_t kMostMarks =
    4'000'000;  ///< of [ { , : & * ! ?, of each of which yaml-cpp may keep a token
inline constexpr std::size_t kMostValues =
    4'000'000;  ///< keys and values, with every alias counted as what it stands for
inline constexpr std::size_t kDeepest = 100;

struct Node {
  enum class Kind : std::uint8_t { kEmpty, kScalar, kList, kMap };

  Kind kind = Kind::kEmpty;
  bool quoted = false;               ///< a scalar in quotes or a block scalar: text whatever it looks like
  bool broken = false;               ///< an error has been reported for it: whoever reads it keeps silent
  std::int32_t line = 0;             ///< from 1
  std::int32_t column = 0;           ///< from 1, in code points
  std::int32_t override_index = -1;  ///< which override put it there; -1: the file
  NodeId parameter = kNoNode;        ///< the value of the parameter that `$name` here stood for
  std::string parameter_name;
  std::string text;              ///< kScalar: as it stands; `~` and `null` are such texts too
  std::vector<NodeId> children;  ///< kList: the items; kMap: key, value, key, value …

  [[nodiscard]] bool is_map() const { return kind == Kind::kMap; }
  [[nodiscard]] bool is_list() const { return kind == Kind::kList; }
  [[nodiscard]] bool is_scalar() const { return kind == Kind::kScalar; }
  /// Nothing, or what YAML 1.2's core schema takes for null.
  [[nodiscard]] bool is_null() const;
};

/// A document. Ids are indices; copying it copies everything.
struct Tree {
  std::vector<Node> nodes;
  NodeId root = kNoNode;
  bool has_aliases = false;  ///< some nodes stand in several places

  [[nodiscard]] const Node& operator[](NodeId id) const { return nodes[id]; }
  [[nodiscard]] Node& operator[](NodeId id) { return nodes[id]; }
  [[nodiscard]] bool empty() const { return root == kNoNode; }
  /// The value of a map's key, or kNoNode.
  [[nodiscard]] NodeId find(NodeId map, std::string_view key) const { return find_in(nodes[map], key); }
  [[nodiscard]] NodeId find_in(const Node& map, std::string_view key) const;
};

/// The same with a node of its own at every place, so that a change at one place is not seen at another.
[[nodiscard]] Tree without_aliases(const Tree& tree);

/// The lines of a text, for diagnostics.
class Lines {
 public:
  Lines() = default;
  explicit Lines(std::string_view text);                           ///< `text` must outlive it
  [[nodiscard]] std::string_view line(std::int64_t number) const;  ///< from 1, without its end; "" outside

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
};

/// Line ends become '\n' and a byte order mark at the beginning goes.
[[nodiscard]] std::string normalised(std::string_view text);

/// Parses one document. `text` is normalised() already.
///
/// Fails   InputError of one diagnostic: invalid UTF-8, what YAML does not allow, and by name: duplicate keys, merge
/// keys,
///         tags, a second document, a byte order mark in the middle, tabs as indentation, too deep, too large.
/// Cost    O(text), no recursion of ours; aliases share what they stand for.
[[nodiscard]] Tree parse(std::string_view text, const std::string& file);

}  // namespace headroom::yaml
