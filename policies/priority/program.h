// A compiled expression: flat code for a stack machine, and the machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policies/priority/environment.h"
#include "policies/priority/operations.h"
#include "policies/priority/syntax.h"
#include "policies/priority/value.h"

namespace headroom::expr {

struct Instruction {
  enum class Code : std::uint8_t {
    kConstant,   ///< push constants[a]
    kInput,      ///< push the value of slot a
    kRecord,     ///< push the record a as a whole
    kUncalled,   ///< fails: a function that was not called
    kPushLocal,  ///< push local a
    kStore,      ///< pop into local a
    kTee,        ///< local a becomes a copy of the top
    kPop,
    kUnary,        ///< op a
    kBinary,       ///< op a
    kJump,         ///< to a
    kJumpIfFalse,  ///< to a if the top is false; leaves it
    kJumpIfTrue,
    kBranch,       ///< pop; to a if it is false
    kJumpIfNil,    ///< to a if the top is nil; leaves it
    kJumpIfValue,  ///< to a if the top is not nil; leaves it
    kCheckBool,    ///< the top is a bool
    kMember,       ///< names[a] of the top
    kElement,      ///< pop the key
    kMethod,       ///< names[a] of what lies below b arguments
    kMethodTyped,  ///< likewise; the receiver's type was thought to be known
    kCall,         ///< builtin a with b arguments
    kArray,        ///< of b items
    kMap,          ///< of b keys and values
  };
  Code code;
  std::uint32_t a = 0, b = 0;
  std::uint32_t offset = 0;
};

/// Variables and the nodes that give their values.
using Lets = std::vector<std::pair<std::uint32_t, NodeId>>;

class Program {
 public:
  /// Code for the part of a checked tree below `node`. `lets`: the variables declared above it, in order.
  Program(const Tree& tree, NodeId node, const Lets& lets = {});

  /// `inputs`: by slot, those that are used. Fails  Error (runtime).
  [[nodiscard]] Value run(std::span<const Value> inputs, const Clock& clock) const;
  [[nodiscard]] std::size_t size() const { return code_.size(); }

 private:
  class Compiler;
  std::vector<Instruction> code_;
  std::vector<Value> constants_;
  std::vector<std::string> names_;
  std::uint32_t locals_ = 0;
};

/// An expression in an environment: parsed, checked, folded and compiled.
class Expression {
 public:
  /// Fails  Error (parse, check or fold): the first.
  Expression(std::string source, const Environment& environment);

  [[nodiscard]] const std::string& source() const { return source_; }
  [[nodiscard]] Type type() const { return type_; }
  /// Checked, not folded: literals are as written.
  [[nodiscard]] const Tree& tree() const { return tree_; }
  /// Refuses what can never be a number. Fails  Error (check, result_not_number).
  void require_number() const;
  [[nodiscard]] Value evaluate(std::span<const Value> inputs, const Clock& clock) const {
    return program_->run(inputs, clock);
  }
  [[nodiscard]] std::size_t code_size() const { return program_->size(); }

 private:
  std::string source_;
  Tree tree_;
  Type type_;
  std::shared_ptr<const Program> program_;
};

}  // namespace headroom::expr
