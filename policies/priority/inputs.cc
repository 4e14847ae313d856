#include "policies/priority/inputs.h"

#include <cstdlib>

#include "policies/check.h"

namespace headroom::expr {

Environment scheduler_environment(const std::vector<Param>& params) {
  Environment e;
  for (const char* entity : {"organization", "account", "user", "workflow"}) {
    e.add_record(entity);
    e.add_field("id", TypeKind::kString);
    e.add_field("name", TypeKind::kString);
    e.add_field("priority", TypeKind::kInt);
  }
  e.add_field("create_time", TypeKind::kTime);
  e.add_record("stage");
  e.add_field("estimate", TypeKind::kDuration);
  e.add_field("tail_time", TypeKind::kDuration);
  for (const char* amount : {"cores", "memory", "gpus"}) e.add_field(amount, TypeKind::kInt);
  e.add_field("ready_time", TypeKind::kTime);
  e.add_field("attempt", TypeKind::kInt);
  e.add_record("queue");
  e.add_field("length", TypeKind::kInt);
  HEADROOM_CHECK(e.slots() == kFixedSlots, std::to_string(e.slots()));
  for (const Param& param : params)
    e.add_leaf(param.name, param_value(param).is(ValueKind::kInt) ? TypeKind::kInt : TypeKind::kFloat);
  return e;
}

Value param_value(const Param& param) {
  if (param.number.find_first_of(".eE") == std::string::npos)
    return Value::of_int(std::strtoll(param.number.c_str(), nullptr, 10));
  return Value::of_float(std::strtod(param.number.c_str(), nullptr));
}

}  // namespace headroom::expr
