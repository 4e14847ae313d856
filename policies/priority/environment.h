// What an expression may name: `workflow.priority` and its kin, with their types. Each leaf has a slot; whoever
// evaluates hands the values over by slot.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/priority/value.h"

namespace headroom::expr {

enum class TypeKind : std::uint8_t {
  kAny,  ///< unknown until it runs
  kNil,
  kBool,
  kInt,
  kFloat,
  kString,
  kDuration,
  kTime,
  kArray,
  kMap,
  kRecord,
  kFunction,
  kOpaque,  ///< a month or a day of the week
};

struct Type {
  TypeKind kind = TypeKind::kAny;
  TypeKind element = TypeKind::kAny;  ///< of kArray
  std::uint32_t record = 0;           ///< of kRecord: index of Environment::names

  friend bool operator==(const Type&, const Type&) = default;
  [[nodiscard]] bool is(TypeKind k) const { return kind == k; }
};
[[nodiscard]] std::string_view type_name(Type type);

class Environment {
 public:
  struct Field {
    std::string name;
    Type type;
    std::uint32_t slot = 0;
  };
  struct Name {
    std::string name;
    Type type;                  ///< kRecord: see fields; else the name is a leaf itself
    std::uint32_t slot = 0;     ///< of a leaf
    std::vector<Field> fields;  ///< of kRecord
  };

  /// Slots are given in the order of the calls, from 0.
  std::uint32_t add_leaf(const std::string& name, TypeKind type);
  void add_record(const std::string& name);
  std::uint32_t add_field(const std::string& field, TypeKind type);  ///< to the last record

  [[nodiscard]] const std::vector<Name>& names() const { return names_; }
  [[nodiscard]] const Name* find(std::string_view name) const;
  [[nodiscard]] std::uint32_t slots() const { return slots_; }

 private:
  std::vector<Name> names_;
  std::uint32_t slots_ = 0;
};

}  // namespace headroom::expr
