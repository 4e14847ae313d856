#include "workloads/expression_json.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "workloads/diagnostics.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;
using expr::TypeKind;
using expr::Value;
using expr::ValueKind;
using expr::Width;

[[noreturn]] void refuse(const std::string& file, std::string message) {
  throw InputError({Diagnostic{file, 0, 0, std::move(message), ""}});
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Value> number_of_width(std::string_view text) {
  const std::size_t space = text.find(" (");
  if (space == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(0, space);
  const std::string_view width = text.substr(space + 1);
  if (width == "(32-bit float)") {
    if (const auto value = number_in<float>(digits)) return Value::of_float(static_cast<double>(*value));
    return std::nullopt;
  }
  const auto value = number_in<std::int64_t>(digits);
  if (!value) return std::nullopt;
  if (width == "(64-bit int)") return Value::of_int(*value);
  if (width == "(32-bit int)") return Value::of_int(*value, Width::kInt32);
  if (width == "(unsigned 8-bit)") return Value::of_int(*value, Width::kUint8);
  return std::nullopt;
}

Value value_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return Value::of_bool(json.get<bool>());
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return Value::of_int(json.get<std::int64_t>());
    case Json::value_t::number_float:
      return Value::of_float(json.get<double>());
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      if (const auto value = number_in<std::int64_t>(text)) return Value::of_int(*value);
      if (const auto value = number_of_width(text)) return *value;
      expr::Instant at;
      if (expr::parse_time(text, at)) return Value::of_time(at);
      return Value::of_string(text);
    }
    default:
      return Value::nil();
  }
}

TypeKind type_of(const Value& value) {
  switch (value.kind) {
    case ValueKind::kBool:
      return TypeKind::kBool;
    case ValueKind::kInt:
      return TypeKind::kInt;
    case ValueKind::kFloat:
      return TypeKind::kFloat;
    case ValueKind::kString:
      return TypeKind::kString;
    case ValueKind::kTime:
      return TypeKind::kTime;
    case ValueKind::kDuration:
      return TypeKind::kDuration;
    case ValueKind::kMap:
      return TypeKind::kMap;
    default:
      return TypeKind::kNil;
  }
}

/// What an environment says about itself.
constexpr std::array<std::string_view, 5> kNotNames{"env", "typing", "now", "age_ns", "note"};

std::string bits_text(double value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  auto bits = std::bit_cast<std::uint64_t>(value);
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; bits >>= 4U) text[i] = kHex[bits & 15U];
  return text;
}

Json float_json(double value) {
  Json json;
  json["value"] = expr::float_text(value);
  if (!std::isnan(value)) json["bits"] = bits_text(value);
  return json;
}

}  // namespace

ExpressionInputs expression_inputs(const Json& object) {
  if (!object.is_object()) refuse("", "an environment is an object: {\"workflow\": {\"priority\": -10}}");
  ExpressionInputs inputs;
  inputs.name = object.value("env", "");
  const bool is_static = object.value("typing", "static") != "dynamic";
  if (object.contains("now")) {
    const Value now = value_of(object["now"]);
    if (!now.is(ValueKind::kTime)) refuse("", "'now' is a time such as 2026-03-10T15:30:00Z");
    inputs.clock.now = now.instant();
  }
  for (const auto& [name, json] : object.items()) {
    if (std::ranges::find(kNotNames, name) != kNotNames.end()) continue;
    if (json.is_object() && is_static) {
      inputs.environment.add_record(name);
      for (const auto& [field, inner] : json.items()) {
        inputs.values.push_back(value_of(inner));
        inputs.environment.add_field(field, type_of(inputs.values.back()));
      }
      continue;
    }
    if (json.is_object()) {
      expr::Fields fields;
      for (const auto& [field, inner] : json.items()) fields[field] = value_of(inner);
      inputs.values.push_back(Value::of_fields(std::move(fields)));
    } else {
      inputs.values.push_back(value_of(json));
    }
    inputs.environment.add_leaf(name, type_of(inputs.values.back()));
  }
  return inputs;
}

std::vector<ExpressionInputs> read_expression_inputs(std::string_view text, const std::string& file) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) refuse(file, "is not JSON");
  std::vector<ExpressionInputs> all;
  try {
    if (!json.is_array()) {
      all.push_back(expression_inputs(json));
    } else {
      for (const Json& one : json) all.push_back(expression_inputs(one));
    }
  } catch (const Json::exception& error) {
    refuse(file, error.what());
  }
  return all;
}

Json to_json(const Value& value) {
  Json json;
  json["type"] = expr::kind_name(value.kind);
  switch (value.kind) {
    case ValueKind::kInt:
      json["value"] = std::to_string(value.i);
      if (value.width == Width::kInt64) json["width"] = "int64";
      if (value.width == Width::kInt32) json["width"] = "int32";
      if (value.width == Width::kUint8) json["width"] = "uint8";
      break;
    case ValueKind::kFloat:
      json.update(float_json(value.f));
      break;
    case ValueKind::kDuration:
      json["ns"] = std::to_string(value.i);
      break;
    case ValueKind::kBool:
      json["value"] = value.i != 0;
      break;
    case ValueKind::kTime:
    case ValueKind::kString:
      json["value"] = expr::value_text(value);
      break;
    case ValueKind::kArray:
      json["items"] = Json::array();
      for (const Value& item : *value.items) json["items"].push_back(to_json(item));
      break;
    case ValueKind::kMap:
      json["fields"] = Json::object();
      for (const auto& [name, item] : *value.fields) json["fields"][name] = to_json(item);
      break;
    case ValueKind::kNil:
    case ValueKind::kRecord:
      break;
    case ValueKind::kFunction:
    case ValueKind::kMonth:
    case ValueKind::kWeekday:
      json["type"] = "opaque";
      break;
  }
  return json;
}

Json to_json(const expr::Error& error, std::string_view source) {
  const expr::Place place = expr::place_of(source, error.offset());
  Json json;
  json["kind"] = error.is_compile_error() ? "compile" : "runtime";
  json["phase"] = expr::word(error.phase());
  json["category"] = expr::word(error.category());
  json["line"] = place.line;
  json["col"] = place.column;
  if (!error.token().empty()) json[error.category() == expr::Category::kUnknownName ? "name" : "token"] = error.token();
  json["message"] = error.what();
  return json;
}

Json evaluation_json(const std::string& source, const ExpressionInputs& inputs) {
  Json json;
  try {
    const expr::Expression expression(source, inputs.environment);
    json["static_type"] = expr::type_name(expression.type());
    const Value value = expression.evaluate(inputs.values, inputs.clock);
    json["result"] = to_json(value);
    try {
      expression.require_number();
      json["as_float"] = float_json(expr::as_priority(value));
    } catch (const expr::Error& error) {
      json["as_float"]["error"]["kind"] = error.is_compile_error() ? "compile" : "runtime";
      json["as_float"]["error"]["category"] = expr::word(error.category());
    }
  } catch (const expr::Error& error) {
    json["error"] = to_json(error, source);
  }
  return json;
}

}  // namespace headroom
