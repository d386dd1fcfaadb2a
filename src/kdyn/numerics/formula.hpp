// SPDX-License-Identifier: Apache-2.0
// A formula given as text, in the time t: "1e-3*sin(2*pi*5*t) + 2e-4*sin(2*pi*31*t + 0.9)", or in variables as well:
// "if(wheel.velocity.z > 0, -200, -900)*wheel.velocity.z".
// Numbers, t, pi, + - * / ^, < <= > >= == != (1 or 0), parentheses, sin cos tan atan exp log sqrt abs tanh sign min max
// step if and or not, variables and tables by name. Value and exact derivatives come from one evaluation.
//
//   [numerics E18]  step(x) = 1 for x >= 0, else 0;  step(x, x0, y0, x1, y1) = y0 + (y1 - y0) s^2 (3 - 2 s), s = (x - x0)/(x1 - x0) held in 0 .. 1
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/numerics/shape_curve.hpp"

namespace kdyn::inline numerics {

class Formula {
 public:
  // What names mean beside t, pi and functions. A name holds letters, digits, '_' and '.', or anything in [ ].
  struct Names {
    std::function<std::optional<double>(const std::string&)> constant;
    std::function<int(const std::string&)> variable;                             // its index, -1: there is none
    std::function<std::shared_ptr<const ShapeCurve>(const std::string&)> table;  // null: there is none
    std::function<std::string(const std::string&)> remedy;                       // for a name nobody knows
  };
  // Syntax errors throw Error(bad_input) at `where`, naming the column.
  Formula(std::string_view text, const std::string& where);
  Formula(std::string_view text, const std::string& where, const Names& names);
  // The names a text uses that are neither t, pi nor functions, with place and length: syntax is not looked at.
  struct Word {
    std::size_t at, length;
    std::string name;
  };
  static std::vector<Word> words(std::string_view text);
  static bool is_reserved(std::string_view name);

  struct Value {
    double value, rate;  // f(t) and df/dt
  };
  Value operator()(double t) const;
  struct Rates {
    double value, rate, second, third;  // f(t) and its first three derivatives by t
  };
  Rates rates(double t) const;
  // With variables: value, and its derivatives by each of them where `slopes` is not null.
  double value(double t, const double* variables, std::size_t count, double* slopes = nullptr) const;
  bool has_variables() const;
  bool uses_time() const;
  const std::string& text() const { return text_; }
  // Which side the arguments of abs, sign, step and comparisons are on, one bit each: where it changes, the formula has
  // a kink or a jump.
  std::uint64_t sides(double t) const;

  enum class Op {
    number,
    time,
    variable,
    table,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    sin,
    cos,
    tan,
    exp,
    log,
    sqrt,
    abs,
    tanh,
    atan,
    sign,
    step,
    negation,
    minimum,
    maximum,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    both,
    either,
    choose,
    smooth_step
  };
  struct Instruction {
    Op op;
    double number = 0.0;    // of a number
    std::size_t index = 0;  // of a variable or table
  };

 private:
  template <class T>
  T evaluate(const T& time, const T* variables, std::uint64_t* sides) const;

  std::string text_;
  std::vector<Instruction> program_;  // in postfix order
  std::vector<std::shared_ptr<const ShapeCurve>> tables_;
};

}  // namespace kdyn::inline numerics
