#include "policies/priority/operations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "policies/priority/error.h"
#include "policies/priority/utf8.h"

namespace headroom::expr {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail(Category category, std::uint32_t offset, const std::string& message) {
  throw Error(Phase::kRuntime, category, offset, message);
}
[[noreturn]] void bad_operands(Op op, const Value& a, const Value& b, std::uint32_t offset) {
  fail(Category::kOperandTypes, offset,
       quoted(op_text(op)) + " cannot take " + std::string(kind_name(a.kind)) + " and " +
           std::string(kind_name(b.kind)));
}
bool both(const Value& a, const Value& b, ValueKind kind) { return a.is(kind) && b.is(kind); }

Value string_of(std::string text, std::uint32_t offset) {
  if (static_cast<std::int64_t>(text.size()) > kMaxValueSize)
    fail(Category::kTooLarge, offset, "the string becomes too long");
  return Value::of_string(std::move(text));
}

/// What a value takes of kMaxValueSize.
std::int64_t weight(const Value& v) {
  return v.is(ValueKind::kArray) || v.is(ValueKind::kMap) ? v.i
         : v.is(ValueKind::kString)                       ? 1 + static_cast<std::int64_t>(v.text->size())
                                                          : 1;
}
std::int64_t weight_of_all(std::span<const Value> values, std::uint32_t offset) {
  std::int64_t all = 1;
  for (const Value& v : values) {
    all += weight(v);
    if (all > kMaxValueSize) fail(Category::kTooLarge, offset, "the array or map becomes too large");
  }
  return all;
}

Value add(const Value& a, const Value& b, std::uint32_t offset) {
  if (both(a, b, ValueKind::kInt)) return Value::of_int(wrap_add(a.i, b.i));
  if (a.is_number() && b.is_number()) return Value::of_float(a.as_double() + b.as_double());
  if (both(a, b, ValueKind::kString)) return string_of(*a.text + *b.text, offset);
  if (both(a, b, ValueKind::kDuration)) return Value::of_duration(wrap_add(a.i, b.i));
  if (a.is(ValueKind::kTime) && b.is(ValueKind::kDuration)) return Value::of_time(a.instant().plus(b.i));
  if (a.is(ValueKind::kDuration) && b.is(ValueKind::kTime)) return Value::of_time(b.instant().plus(a.i));
  bad_operands(Op::kAdd, a, b, offset);
}

Value subtract(const Value& a, const Value& b, std::uint32_t offset) {
  if (both(a, b, ValueKind::kInt)) return Value::of_int(wrap_subtract(a.i, b.i));
  if (a.is_number() && b.is_number()) return Value::of_float(a.as_double() - b.as_double());
  if (both(a, b, ValueKind::kDuration)) return Value::of_duration(wrap_subtract(a.i, b.i));
  if (both(a, b, ValueKind::kTime)) return Value::of_duration(a.instant().minus(b.instant()));
  if (a.is(ValueKind::kTime) && b.is(ValueKind::kDuration))
    return Value::of_time(a.instant().plus(wrap_subtract(0, b.i)));
  bad_operands(Op::kSubtract, a, b, offset);
}

Value multiply(const Value& a, const Value& b, std::uint32_t offset) {
  if (both(a, b, ValueKind::kInt)) return Value::of_int(wrap_multiply(a.i, b.i));
  if (a.is_number() && b.is_number()) return Value::of_float(a.as_double() * b.as_double());
  const bool first = a.is(ValueKind::kDuration);
  const bool second = b.is(ValueKind::kDuration);
  if ((first && (second || b.is(ValueKind::kInt))) || (second && a.is(ValueKind::kInt)))
    return Value::of_duration(wrap_multiply(a.i, b.i));
  // A trap of the real language: the product with a float is a plain float of nanoseconds.
  if (first && b.is(ValueKind::kFloat)) return Value::of_float(static_cast<double>(a.i) * b.f);
  if (second && a.is(ValueKind::kFloat)) return Value::of_float(a.f * static_cast<double>(b.i));
  bad_operands(Op::kMultiply, a, b, offset);
}

Value modulo(const Value& a, const Value& b, std::uint32_t offset) {
  if (!both(a, b, ValueKind::kInt)) bad_operands(Op::kModulo, a, b, offset);
  if (b.i == 0) fail(Category::kModuloByZero, offset, "'%' by zero");
  return Value::of_int(b.i == -1 ? 0 : a.i % b.i);
}

template <class T>
bool ordered(Op op, const T& a, const T& b) {
  switch (op) {
    case Op::kLess:
      return a < b;
    case Op::kGreater:
      return a > b;
    case Op::kLessEqual:
      return a <= b;
    default:
      return a >= b;
  }
}

Value compare(Op op, const Value& a, const Value& b, std::uint32_t offset) {
  if (both(a, b, ValueKind::kInt) || both(a, b, ValueKind::kDuration)) return Value::of_bool(ordered(op, a.i, b.i));
  if (a.is_number() && b.is_number()) return Value::of_bool(ordered(op, a.as_double(), b.as_double()));
  if (both(a, b, ValueKind::kString)) return Value::of_bool(ordered(op, *a.text, *b.text));
  if (both(a, b, ValueKind::kTime)) return Value::of_bool(ordered(op, a.instant(), b.instant()));
  bad_operands(op, a, b, offset);
}

Value is_in(const Value& a, const Value& b, std::uint32_t offset) {
  switch (b.kind) {
    case ValueKind::kNil:
      return Value::of_bool(false);
    case ValueKind::kArray:
      return Value::of_bool(std::ranges::any_of(*b.items, [&](const Value& item) { return equal(item, a); }));
    case ValueKind::kMap:
      if (a.is(ValueKind::kString)) return Value::of_bool(b.fields->contains(*a.text));
      break;
    default:
      break;
  }
  fail(Category::kBadIndexOrMembership, offset,
       std::string(kind_name(a.kind)) + " cannot be looked for in " + std::string(kind_name(b.kind)));
}

Value text_test(Op op, const Value& a, const Value& b, std::uint32_t offset) {
  if (!both(a, b, ValueKind::kString)) bad_operands(op, a, b, offset);
  if (op == Op::kContains) return Value::of_bool(a.text->find(*b.text) != std::string::npos);
  return Value::of_bool(op == Op::kStartsWith ? a.text->starts_with(*b.text) : a.text->ends_with(*b.text));
}

// ---- functions

[[noreturn]] void bad_argument(std::string_view name, const Value& v, std::uint32_t offset) {
  fail(Category::kArgumentType, offset, quoted(name) + " cannot take " + std::string(kind_name(v.kind)));
}

Value absolute(const Value& v, std::uint32_t offset) {
  if (v.is(ValueKind::kFloat)) return Value::of_float(std::fabs(v.f));
  if (!v.is(ValueKind::kInt)) bad_argument("abs", v, offset);
  return Value::of_int(v.i < 0 ? wrap_subtract(0, v.i) : v.i, v.width);
}

Value rounded(Builtin builtin, const Value& v, std::uint32_t offset) {
  if (!v.is_number())
    bad_argument(builtin == Builtin::kCeil ? "ceil" : builtin == Builtin::kFloor ? "floor" : "round", v, offset);
  const double x = v.as_double();
  return Value::of_float(builtin == Builtin::kCeil    ? std::ceil(x)
                         : builtin == Builtin::kFloor ? std::floor(x)
                                                      : std::round(x));
}

/// Arguments, with arrays among them taken apart.
std::vector<Value> flat(std::span<const Value> arguments) {
  std::vector<Value> all;
  for (const Value& v : arguments) {
    if (v.is(ValueKind::kArray)) {
      const std::vector<Value> inner = flat(*v.items);
      all.insert(all.end(), inner.begin(), inner.end());
    } else {
      all.push_back(v);
    }
  }
  return all;
}

/// The winner keeps its own type; of equals the first; what NaN does depends on where it stands.
Value extreme(Op wins, std::span<const Value> arguments, std::uint32_t offset) {
  const std::vector<Value> all = flat(arguments);
  if (all.empty()) return Value::nil();
  Value best = all.front();
  const auto checked = [&](const Value& v) {
    if (!v.is_number() && !v.is(ValueKind::kDuration)) bad_argument(wins == Op::kLess ? "min" : "max", v, offset);
  };
  checked(best);
  for (std::size_t i = 1; i < all.size(); ++i) {
    checked(all[i]);
    if (compare(wins, all[i], best, offset).i != 0) best = all[i];
  }
  return best;
}

std::vector<double> numbers(std::string_view name, std::span<const Value> arguments, std::uint32_t offset) {
  std::vector<double> all;
  for (const Value& v : flat(arguments)) {
    if (!v.is_number()) bad_argument(name, v, offset);
    all.push_back(v.as_double());
  }
  return all;
}

Value mean(std::span<const Value> arguments, std::uint32_t offset) {
  const std::vector<double> all = numbers("mean", arguments, offset);
  if (all.empty()) return Value::of_float(0);
  double sum = 0;
  for (const double x : all) sum += x;
  return Value::of_float(sum / static_cast<double>(all.size()));
}

Value median(std::span<const Value> arguments, std::uint32_t offset) {
  std::vector<double> all = numbers("median", arguments, offset);
  if (all.empty()) return Value::of_float(0);
  // NaN first, as the real language's sort has it; comparing with it any other way is no order.
  std::ranges::sort(all, [](double a, double b) { return a < b || (std::isnan(a) && !std::isnan(b)); });
  const std::size_t middle = all.size() / 2;
  return Value::of_float(all.size() % 2 == 1 ? all[middle] : (all[middle - 1] + all[middle]) / 2);
}

Value sum(const Value& v, std::uint32_t offset) {
  if (!v.is(ValueKind::kArray)) bad_argument("sum", v, offset);
  Value total = Value::of_int(0);
  for (const Value& item : *v.items) total = add(total, item, offset);
  return total;
}

Value to_int(const Value& v, std::uint32_t offset) {
  switch (v.kind) {
    case ValueKind::kInt:
    case ValueKind::kDuration:
    case ValueKind::kMonth:
    case ValueKind::kWeekday:
      return Value::of_int(v.i);
    case ValueKind::kFloat:
      return Value::of_int(truncated(v.f));
    case ValueKind::kString: {
      std::string_view text = *v.text;
      if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      if (error != std::errc{} || end != text.data() + text.size() || text.empty())
        fail(Category::kConversion, offset, "'" + *v.text + "' is not an int");
      return Value::of_int(value);
    }
    default:
      fail(Category::kConversion, offset, std::string(kind_name(v.kind)) + " cannot become an int");
  }
}

Value to_float(const Value& v, std::uint32_t offset) {
  if (v.is_number()) return Value::of_float(v.as_double());
  if (!v.is(ValueKind::kString))
    fail(Category::kConversion, offset, std::string(kind_name(v.kind)) + " cannot become a float");
  std::string_view text = *v.text;
  const bool signed_twice = text.size() > 1 && text[0] == '+' && text[1] == '-';
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(text).c_str(), nullptr);
  const bool overflow = error == std::errc::result_out_of_range && std::isinf(value);
  if (error == std::errc::invalid_argument || overflow || signed_twice || text.empty() ||
      end != text.data() + text.size())
    fail(Category::kConversion, offset, "'" + *v.text + "' is not a number");
  return Value::of_float(value);
}

Value length(const Value& v, std::uint32_t offset) {
  switch (v.kind) {
    case ValueKind::kString: {
      std::int64_t count = 0;
      for (std::size_t at = 0; at < v.text->size(); ++count) static_cast<void>(next_code_point(*v.text, at));
      return Value::of_int(count);
    }
    case ValueKind::kArray:
      return Value::of_int(static_cast<std::int64_t>(v.items->size()));
    case ValueKind::kMap:
      return Value::of_int(static_cast<std::int64_t>(v.fields->size()));
    default:
      bad_argument("len", v, offset);
  }
}

std::string type_text(const Value& v) {
  switch (v.kind) {
    case ValueKind::kDuration:
      return "time.Duration";
    case ValueKind::kTime:
      return "time.Time";
    case ValueKind::kMonth:
      return "time.Month";
    case ValueKind::kWeekday:
      return "time.Weekday";
    default:
      return std::string(kind_name(v.kind));
  }
}

Value bits(Builtin builtin, std::span<const Value> arguments, std::uint32_t offset) {
  for (const Value& v : arguments)
    if (!v.is(ValueKind::kInt)) bad_argument("bit…", v, offset);
  const std::int64_t a = arguments[0].i;
  const std::int64_t b = arguments.size() > 1 ? arguments[1].i : 0;
  switch (builtin) {
    case Builtin::kBitAnd:
      return Value::of_int(a & b);
    case Builtin::kBitOr:
      return Value::of_int(a | b);
    case Builtin::kBitXor:
      return Value::of_int(a ^ b);
    case Builtin::kBitNand:
      return Value::of_int(a & ~b);
    case Builtin::kBitNot:
      return Value::of_int(~a);
    default:
      break;
  }
  if (b < 0) fail(Category::kNegativeShift, offset, "a shift by " + std::to_string(b));
  const auto u = static_cast<std::uint64_t>(a);
  if (builtin == Builtin::kShiftLeft) return Value::of_int(b > 63 ? 0 : static_cast<std::int64_t>(u << b));
  if (builtin == Builtin::kShiftRight) return Value::of_int(a >> std::min<std::int64_t>(b, 63));
  return Value::of_int(b > 63 ? 0 : static_cast<std::int64_t>(u >> b));
}

// ---- times and durations

std::int64_t round_to(std::int64_t d, std::int64_t unit) {
  if (unit <= 0) return d;
  std::int64_t rest = d % unit;
  const auto less_than_half = [&](std::int64_t r) {
    return static_cast<std::uint64_t>(r) + static_cast<std::uint64_t>(r) < static_cast<std::uint64_t>(unit);
  };
  std::int64_t result = 0;
  if (d < 0) {
    rest = -rest;
    if (less_than_half(rest)) return d + rest;
    return __builtin_sub_overflow(d, unit - rest, &result) ? kMin : result;
  }
  if (less_than_half(rest)) return d - rest;
  return __builtin_add_overflow(d, unit - rest, &result) ? kMax : result;
}

/// Counted from the year 1, as the real language does.
Instant truncate_time(Instant at, std::int64_t unit) {
  if (unit <= 0) return at;
  constexpr std::int64_t kYearOne = -62'135'596'800;
  const __int128 since = (static_cast<__int128>(at.seconds) - kYearOne) * 1'000'000'000 + at.nanoseconds;
  __int128 rest = since % unit;
  if (rest < 0) rest += unit;
  return at.plus(-static_cast<std::int64_t>(rest));
}

std::int64_t unix_in(Instant at, std::int64_t per_second) {
  return wrap_add(wrap_multiply(at.seconds, per_second), at.nanoseconds / (1'000'000'000 / per_second));
}

Value int64_of(std::int64_t value) { return Value::of_int(value, Width::kInt64); }

}  // namespace

double hours_of(std::int64_t ns) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  return static_cast<double>(ns / kHour) + static_cast<double>(ns % kHour) / 3.6e12;
}
double minutes_of(std::int64_t ns) {
  constexpr std::int64_t kMinute = 60'000'000'000;
  return static_cast<double>(ns / kMinute) + static_cast<double>(ns % kMinute) / 6e10;
}
double seconds_of(std::int64_t ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  return static_cast<double>(ns / kSecond) + static_cast<double>(ns % kSecond) / 1e9;
}
double power(double base, double exponent) { return std::pow(base, exponent); }
std::int64_t truncated(double value) {
  // 2^63 is the first double that is too large; -2^63 fits.
  return value >= -9223372036854775808.0 && value < 9223372036854775808.0 ? static_cast<std::int64_t>(value) : kMin;
}

Value binary(Op op, const Value& a, const Value& b, std::uint32_t offset) {
  switch (op) {
    case Op::kAdd:
      return add(a, b, offset);
    case Op::kSubtract:
      return subtract(a, b, offset);
    case Op::kMultiply:
      return multiply(a, b, offset);
    case Op::kDivide:
      if (a.is_number() && b.is_number()) return Value::of_float(a.as_double() / b.as_double());
      break;
    case Op::kPower:
      if (a.is_number() && b.is_number()) return Value::of_float(power(a.as_double(), b.as_double()));
      break;
    case Op::kModulo:
      return modulo(a, b, offset);
    case Op::kEqual:
      return Value::of_bool(equal(a, b));
    case Op::kNotEqual:
      return Value::of_bool(!equal(a, b));
    case Op::kLess:
    case Op::kGreater:
    case Op::kLessEqual:
    case Op::kGreaterEqual:
      return compare(op, a, b, offset);
    case Op::kIn:
      return is_in(a, b, offset);
    case Op::kContains:
    case Op::kStartsWith:
    case Op::kEndsWith:
      return text_test(op, a, b, offset);
    default:
      break;
  }
  bad_operands(op, a, b, offset);
}

Value unary(Op op, const Value& a, std::uint32_t offset) {
  if (op == Op::kNot) {
    if (a.is(ValueKind::kBool)) return Value::of_bool(a.i == 0);
  } else if (a.is(ValueKind::kFloat)) {
    return Value::of_float(op == Op::kNegate ? -a.f : a.f);
  } else if (a.is(ValueKind::kInt)) {
    if (op == Op::kPlus) return a;
    std::int64_t negated = wrap_subtract(0, a.i);
    if (a.width == Width::kInt32) negated = static_cast<std::int32_t>(static_cast<std::uint64_t>(negated));
    if (a.width == Width::kUint8) negated = static_cast<std::uint8_t>(static_cast<std::uint64_t>(negated));
    return Value::of_int(negated, a.width);
  }
  fail(Category::kOperandTypes, offset, quoted(op_text(op)) + " cannot take " + std::string(kind_name(a.kind)));
}

Value call(Builtin builtin, std::span<const Value> arguments, const Clock& clock, std::uint32_t offset) {
  switch (builtin) {
    case Builtin::kNow:
      return Value::of_time(clock.now);
    case Builtin::kAbs:
      return absolute(arguments[0], offset);
    case Builtin::kCeil:
    case Builtin::kFloor:
    case Builtin::kRound:
      return rounded(builtin, arguments[0], offset);
    case Builtin::kMin:
      return extreme(Op::kLess, arguments, offset);
    case Builtin::kMax:
      return extreme(Op::kGreater, arguments, offset);
    case Builtin::kSum:
      return sum(arguments[0], offset);
    case Builtin::kMean:
      return mean(arguments, offset);
    case Builtin::kMedian:
      return median(arguments, offset);
    case Builtin::kInt:
      return to_int(arguments[0], offset);
    case Builtin::kFloat:
      return to_float(arguments[0], offset);
    case Builtin::kString:
      return string_of(value_text(arguments[0]), offset);
    case Builtin::kType:
      return string_of(type_text(arguments[0]), offset);
    case Builtin::kLen:
      return length(arguments[0], offset);
    case Builtin::kDuration: {
      if (!arguments[0].is(ValueKind::kString)) bad_argument("duration", arguments[0], offset);
      std::int64_t ns = 0;
      if (!parse_duration(*arguments[0].text, ns))
        fail(Category::kBadDurationText, offset,
             "'" + *arguments[0].text + "' is not a duration such as '1h30m' (h m s ms us ns)");
      return Value::of_duration(ns);
    }
    default:
      return bits(builtin, arguments, offset);
  }
}

Value call(const MethodInfo& method, const Value& receiver, std::span<const Value> arguments, const Clock& clock,
           std::uint32_t offset) {
  const std::size_t wanted = method.argument == TypeKind::kNil ? 0 : 1;
  if (arguments.size() != wanted)
    fail(Category::kArgumentCount, offset, quoted(method.name) + " takes " + std::to_string(wanted) + " arguments");
  if (wanted == 1) {
    const ValueKind kind = method.argument == TypeKind::kTime ? ValueKind::kTime : ValueKind::kDuration;
    if (!arguments[0].is(kind)) bad_argument(method.name, arguments[0], offset);
  }
  const std::int64_t d = receiver.i;
  const Instant at = receiver.instant();
  const auto date = [&] { return calendar_of(at, clock.utc_offset_s); };
  switch (method.method) {
    case Method::kHours:
      return Value::of_float(hours_of(d));
    case Method::kMinutes:
      return Value::of_float(minutes_of(d));
    case Method::kSeconds:
      return Value::of_float(seconds_of(d));
    case Method::kMilliseconds:
      return int64_of(d / 1'000'000);
    case Method::kMicroseconds:
      return int64_of(d / 1'000);
    case Method::kNanoseconds:
      return int64_of(d);
    case Method::kAbs:
      return Value::of_duration(d == kMin ? kMax : d < 0 ? -d : d);
    case Method::kRoundTo:
      return Value::of_duration(round_to(d, arguments[0].i));
    case Method::kTruncateTo:
      return Value::of_duration(arguments[0].i <= 0 ? d : d - d % arguments[0].i);
    case Method::kText:
      return Value::of_string(value_text(receiver));
    case Method::kUnix:
      return int64_of(at.seconds);
    case Method::kUnixMilli:
      return int64_of(unix_in(at, 1'000));
    case Method::kUnixMicro:
      return int64_of(unix_in(at, 1'000'000));
    case Method::kUnixNano:
      return int64_of(unix_in(at, 1'000'000'000));
    case Method::kYear:
      return Value::of_int(date().year);
    case Method::kMonthOf:
      return Value::of_kind(ValueKind::kMonth, date().month);
    case Method::kDay:
      return Value::of_int(date().day);
    case Method::kYearDay:
      return Value::of_int(date().year_day);
    case Method::kWeekdayOf:
      return Value::of_kind(ValueKind::kWeekday, date().weekday);
    case Method::kHour:
      return Value::of_int(date().hour);
    case Method::kMinute:
      return Value::of_int(date().minute);
    case Method::kSecond:
      return Value::of_int(date().second);
    case Method::kNanosecond:
      return Value::of_int(at.nanoseconds);
    case Method::kAdd:
      return Value::of_time(at.plus(arguments[0].i));
    case Method::kSub:
      return Value::of_duration(at.minus(arguments[0].instant()));
    case Method::kAfter:
      return Value::of_bool(at > arguments[0].instant());
    case Method::kBefore:
      return Value::of_bool(at < arguments[0].instant());
    case Method::kEqualTo:
      return Value::of_bool(at == arguments[0].instant());
    case Method::kCompare:
      return Value::of_int(at < arguments[0].instant() ? -1 : at == arguments[0].instant() ? 0 : 1);
    case Method::kTruncateTime:
      return Value::of_time(truncate_time(at, arguments[0].i));
  }
  return Value::nil();
}

Value member(const Value& base, const std::string& name, std::uint32_t offset) {
  if (base.is(ValueKind::kMap)) {
    const auto found = base.fields->find(name);
    return found == base.fields->end() ? Value::nil() : found->second;
  }
  if (find_method(receiver_of(base.kind), name) != nullptr) return Value::of_kind(ValueKind::kFunction);
  fail(Category::kMemberOfWrongValue, offset, std::string(kind_name(base.kind)) + " has no member '" + name + "'");
}

Value element(const Value& base, const Value& key, std::uint32_t offset) {
  if (base.is(ValueKind::kMap) && key.is(ValueKind::kString)) return member(base, *key.text, offset);
  if (!base.is(ValueKind::kArray) || !key.is(ValueKind::kInt))
    fail(Category::kMemberOfWrongValue, offset,
         std::string(kind_name(base.kind)) + " has no element " + value_text(key).substr(0, 80));
  const auto size = static_cast<std::int64_t>(base.items->size());
  const std::int64_t at = key.i < 0 ? key.i + size : key.i;
  if (at < 0 || at >= size)
    fail(Category::kIndexOutOfRange, offset,
         "index " + std::to_string(key.i) + " of " + std::to_string(size) + " elements");
  return (*base.items)[static_cast<std::size_t>(at)];
}

Value array_of(std::span<const Value> items, std::uint32_t offset) {
  const std::int64_t all = weight_of_all(items, offset);
  Value v = Value::of_items({items.begin(), items.end()});
  v.i = all;
  return v;
}

Value map_of(std::span<const Value> parts, std::uint32_t offset) {
  const std::int64_t all = weight_of_all(parts, offset);
  Fields fields;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (!parts[i].is(ValueKind::kString))
      fail(Category::kConversion, offset, "a map's keys are strings, not " + std::string(kind_name(parts[i].kind)));
    fields[*parts[i].text] = parts[i + 1];
  }
  Value v = Value::of_fields(std::move(fields));
  v.i = all;
  return v;
}

double as_priority(const Value& value) {
  if (value.is_number()) return value.as_double();
  fail(Category::kConversion, 0, "a priority is a number, not " + std::string(kind_name(value.kind)));
}

}  // namespace headroom::expr
