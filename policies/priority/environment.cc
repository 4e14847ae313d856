#include "policies/priority/environment.h"

#include <algorithm>
#include <array>

namespace headroom::expr {

std::string_view type_name(Type type) {
  constexpr std::array<std::string_view, 13> kNames{"any",  "any",   "bool", "int",    "float", "string", "duration",
                                                    "time", "array", "map",  "record", "func",  "opaque"};
  return kNames[static_cast<std::size_t>(type.kind)];
}

std::uint32_t Environment::add_leaf(const std::string& name, TypeKind type) {
  names_.push_back({name, {type, TypeKind::kAny, 0}, slots_, {}});
  return slots_++;
}

void Environment::add_record(const std::string& name) {
  names_.push_back({name, {TypeKind::kRecord, TypeKind::kAny, static_cast<std::uint32_t>(names_.size())}, 0, {}});
}

std::uint32_t Environment::add_field(const std::string& field, TypeKind type) {
  names_.back().fields.push_back({field, {type, TypeKind::kAny, 0}, slots_});
  return slots_++;
}

const Environment::Name* Environment::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name, &Name::name);
  return found == names_.end() ? nullptr : &*found;
}

}  // namespace headroom::expr
