// Environments of priority expressions from JSON, and their values to JSON: what `sim eval` reads and writes, and how
// the recordings of the real language are kept.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "policies/priority/environment.h"
#include "policies/priority/error.h"
#include "policies/priority/operations.h"
#include "policies/priority/program.h"

namespace headroom {

/// An environment with values in it.
struct ExpressionInputs {
  std::string name;
  expr::Environment environment;
  std::vector<expr::Value> values;  ///< by slot
  expr::Clock clock;
};

/// {"env": "e1", "typing": "static", "now": "2026-…Z", "workflow": {"priority": -10, …}, …}: an object's fields become
/// typed ones, or with "typing": "dynamic" an untyped map. A text that is a date is a time; a text of digits alone, an
/// integer too long for JSON's readers; "200 (unsigned 8-bit)" an integer of that width. Without "now": 1970.
/// Fails  InputError.
[[nodiscard]] ExpressionInputs expression_inputs(const nlohmann::ordered_json& object);
/// One such object, or a list of them.
[[nodiscard]] std::vector<ExpressionInputs> read_expression_inputs(std::string_view json, const std::string& file);

/// {"type": "float", "value": "19.5", "bits": "4033800000000000"}
[[nodiscard]] nlohmann::ordered_json to_json(const expr::Value& value);
/// {"kind": "compile", "phase": "check", "category": "unknown_name", "line": 1, "col": 1, "message": …}
[[nodiscard]] nlohmann::ordered_json to_json(const expr::Error& error, std::string_view source);
/// {"static_type", "result" or "error", "as_float"}
[[nodiscard]] nlohmann::ordered_json evaluation_json(const std::string& source, const ExpressionInputs& inputs);

}  // namespace headroom
