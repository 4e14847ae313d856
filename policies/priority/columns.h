// An expression over many stages at once. What does not depend on now() is computed once a stage, what does not depend
// on the stage once a pass; the rest, a block of stages at a time. The bits are those of the scalar machine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policies/priority/inputs.h"
#include "policies/priority/program.h"

namespace headroom::expr {

class ColumnProgram {
 public:
  /// A checked tree. None if a part may fail at run time, or has no type until then: such are evaluated one by one.
  static std::optional<ColumnProgram> build(const Tree& tree);

  /// Of the stage in that row. `inputs`: by slot. `epoch`: time 0 of the run.
  void prepare(std::uint32_t row, std::span<const Value> inputs, Instant epoch);
  /// For rows that were prepared. `inputs`: the slots that are no stage's. Cost: no allocation.
  void run(std::span<const std::uint32_t> rows, std::span<const Value> inputs, const Clock& clock, Instant epoch,
           std::span<double> into) const;

 private:
  class Builder;
  enum class Code : std::uint8_t {
    kColumn,  ///< push column index
    kGlobal,  ///< push what is the same for all
    kNow,
    kToFloat,
    kAddF,
    kSubtractF,
    kMultiplyF,
    kDivide,
    kPower,
    kMinF,
    kMaxF,
    kNegateF,
    kAbsF,
    kCeil,
    kFloor,
    kRound,
    kCompareF,
    kChooseF,
    kAddI,
    kSubtractI,
    kMultiplyI,
    kMinI,
    kMaxI,
    kNegateI,
    kAbsI,
    kCompareI,
    kChooseI,
    kQuotientI,  ///< by number, cut
    kHours,
    kMinutes,
    kSeconds,
    kAnd,
    kOr,
    kNot,
    kStore,
    kLoad,
    kPop,
  };
  struct Instruction {
    Code code;
    Op op = Op::kLess;
    std::uint32_t index = 0;
    std::int64_t number = 0;
  };
  struct Part {
    Program program;
    bool is_float, is_time;
  };
  /// A double or an int, by the part's type.
  union Cell {
    std::int64_t i;
    double f;
  };
  [[nodiscard]] static Cell cell_of(const Part& part, const Value& value, Instant epoch);

  std::vector<Instruction> code_;
  std::vector<Part> parts_;                 ///< of a stage
  std::vector<Part> globals_;               ///< of a pass
  std::vector<std::vector<Cell>> columns_;  ///< by part, by row
  bool root_is_float_ = true;
  struct Registers;
  mutable std::shared_ptr<Registers> registers_;  ///< made by the first run; a program belongs to one thread
};

}  // namespace headroom::expr
