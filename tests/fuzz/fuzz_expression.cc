// Whatever the text of an expression is: it compiles and gives a value, or an error says what is wrong and where.
#include <cstddef>
#include <cstdint>
#include <string>

#include "policies/priority/error.h"
#include "policies/priority/program.h"

namespace {

using headroom::expr::TypeKind;
using headroom::expr::Value;

/// Typed fields, and a map whose fields have no types.
struct World {
  World() {
    environment.add_record("organization");
    add("name", TypeKind::kString, Value::of_string("physics"));
    environment.add_record("workflow");
    add("priority", TypeKind::kInt, Value::of_int(-10));
    add("factor", TypeKind::kFloat, Value::of_float(0.1));
    add("create_time", TypeKind::kTime, Value::of_time({1'773'111'600, 5}));
    environment.add_leaf("stage", TypeKind::kMap);
    values.push_back(Value::of_fields({{"cores", Value::of_int(8)}, {"name", Value::of_string("x")}}));
    clock.now = {1'773'156'600, 0};
  }
  void add(const char* field, TypeKind type, Value value) {
    environment.add_field(field, type);
    values.push_back(std::move(value));
  }
  headroom::expr::Environment environment;
  std::vector<Value> values;
  headroom::expr::Clock clock;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const World world;
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  try {
    const headroom::expr::Expression expression(text, world.environment);
    static_cast<void>(value_text(expression.evaluate(world.values, world.clock)));
  } catch (const headroom::expr::Error& error) {
    static_cast<void>(to_text(error, text));
  }
  return 0;
}
