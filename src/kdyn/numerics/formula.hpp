// SPDX-License-Identifier: Apache-2.0
// A formula in the time t given as text: "1e-3*sin(2*pi*5*t) + 2e-4*sin(2*pi*31*t + 0.9)".
// Numbers, t, pi, + - * / ^, parentheses and sin cos tan exp log sqrt abs tanh. Value and exact time derivative come
// from one evaluation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kdyn::inline numerics {

class Formula {
 public:
  // Syntax errors throw Error(bad_input) at `where`, naming the column.
  Formula(std::string_view text, const std::string& where);

  struct Value {
    double value, rate;  // f(t) and df/dt
  };
  Value operator()(double t) const;
  struct Rates {
    double value, rate, second, third;  // f(t) and its first three derivatives by t
  };
  Rates rates(double t) const;
  const std::string& text() const { return text_; }
  // Which side the arguments of abs are on, one bit each (set: above 0): where it changes, the formula has a kink or a
  // jump.
  std::uint64_t sides(double t) const;

  enum class Op {
    number,
    time,
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
    tanh
  };
  struct Instruction {
    Op op;
    double number = 0.0;
  };

 private:
  template <class T>
  T evaluate(const T& time, std::uint64_t* sides) const;

  std::string text_;
  std::vector<Instruction> program_;  // in postfix order
};

}  // namespace kdyn::inline numerics
