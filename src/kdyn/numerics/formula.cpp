// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/formula.hpp"

#include <cctype>
#include <charconv>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/internal/taylor.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {
namespace {

using Op = Formula::Op;

struct Name {
  std::string_view text;
  Op op;
};
constexpr Name functions[] = {{"sin", Op::sin}, {"cos", Op::cos},   {"tan", Op::tan}, {"exp", Op::exp},
                              {"log", Op::log}, {"sqrt", Op::sqrt}, {"abs", Op::abs}, {"tanh", Op::tanh}};

// Recursive descent: sum > product > sign > power > atom. Depth is bounded so that no text can exhaust the stack.
class Parser {
 public:
  Parser(std::string_view text, const std::string& where, std::vector<Formula::Instruction>& out)
      : text_(text),
        where_(where),
        out_(out) {}

  void parse() {
    if (text_.size() > 10000) fail("is longer than 10000 characters");
    sum();
    if (peek() != '\0') fail("has something unexpected");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw_bad_input(where_, fmt::format("formula {} {} at column {}", in_quotes(text_), what, at_ + 1),
                    "use numbers, t, pi, + - * / ^ ( ) and sin cos tan exp log sqrt abs tanh");
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void emit(Op op, double number = 0.0) { out_.push_back({op, number}); }

  void sum() {
    if (++depth_ > 200) fail("is nested deeper than 200 levels");
    product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++at_;
      product();
      emit(c == '+' ? Op::add : Op::subtract);
    }
    --depth_;
  }
  void product() {
    sign();
    for (char c = peek(); c == '*' || c == '/'; c = peek()) {
      ++at_;
      sign();
      emit(c == '*' ? Op::multiply : Op::divide);
    }
  }
  void sign() {
    bool negative = false;
    for (char c = peek(); c == '-' || c == '+'; c = peek()) {
      ++at_;
      negative ^= c == '-';
    }
    power();
    if (negative) emit(Op::negate);
  }
  void power() {
    atom();
    if (peek() == '^') {
      ++at_;
      if (++depth_ > 200) fail("is nested deeper than 200 levels");
      sign();  // right-associative, and 2^-3 is allowed
      --depth_;
      emit(Op::power);
    }
  }
  void atom() {
    const char c = peek();
    if (c == '(') {
      ++at_;
      sum();
      if (peek() != ')') fail("lacks a closing parenthesis");
      ++at_;
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      double value = 0.0;
      const auto [end, ec] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (ec != std::errc()) fail("has a number that cannot be read");
      at_ = static_cast<std::size_t>(end - text_.data());
      emit(Op::number, value);
    } else if (std::isalpha(static_cast<unsigned char>(c))) {
      std::size_t end = at_;
      while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))) ++end;
      word(text_.substr(at_, end - at_), end);
    } else {
      fail(c == '\0' ? "ends too early" : "has something unexpected");
    }
  }
  void word(std::string_view name, std::size_t end) {
    if (name == "t" || name == "pi") {
      at_ = end;
      return name == "t" ? emit(Op::time) : emit(Op::number, std::numbers::pi);
    }
    for (const Name& function : functions)
      if (function.text == name) {
        at_ = end;
        if (peek() != '(') fail("lacks the parenthesis of a function");
        ++at_;
        sum();
        if (peek() != ')') fail("lacks a closing parenthesis");
        ++at_;
        return emit(function.op);
      }
    fail("has an unknown name");
  }

  std::string_view text_;
  const std::string& where_;
  std::vector<Formula::Instruction>& out_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Formula::Formula(std::string_view text, const std::string& where) : text_(text) {
  Parser(text, where, program_).parse();
}

namespace {

// Whether a scalar changes with time.
bool moves(const Jet<1>& x) { return x.v[0] != 0.0; }
bool moves(const Taylor& x) { return x.d1 != 0.0 || x.d2 != 0.0 || x.d3 != 0.0; }

}  // namespace

Formula::Value Formula::operator()(double t) const {
  const auto out = evaluate(Jet<1>(t, 0), nullptr);
  return {out.a, out.v[0]};
}

Formula::Rates Formula::rates(double t) const {
  const Taylor out = evaluate(Taylor(t, 1.0, 0.0, 0.0), nullptr);
  return {out.a, out.d1, out.d2, out.d3};
}

std::uint64_t Formula::sides(double t) const {
  std::uint64_t bits = 0;
  evaluate(Jet<1>(t, 0), &bits);
  return bits;
}

template <class J>
J Formula::evaluate(const J& time, std::uint64_t* sides) const {
  std::vector<J> stack;
  const auto pop = [&] {
    const J top = stack.back();
    stack.pop_back();
    return top;
  };
  int place = 0;
  for (const Instruction& step : program_) {
    switch (step.op) {
      case Op::number: stack.push_back(J(step.number)); continue;
      case Op::time: stack.push_back(time); continue;
      case Op::negate: stack.back() = -stack.back(); continue;
      case Op::sin: stack.back() = sin(stack.back()); continue;
      case Op::cos: stack.back() = cos(stack.back()); continue;
      case Op::tan: stack.back() = tan(stack.back()); continue;
      case Op::exp: stack.back() = exp(stack.back()); continue;
      case Op::log: stack.back() = log(stack.back()); continue;
      case Op::sqrt: stack.back() = sqrt(stack.back()); continue;
      case Op::abs:
        if (sides && stack.back().a > 0.0) *sides ^= std::uint64_t{1} << (place % 64);
        ++place;
        stack.back() = abs(stack.back());
        continue;
      case Op::tanh: stack.back() = tanh(stack.back()); continue;
      default: break;
    }
    const J right = pop(), left = pop();
    switch (step.op) {
      case Op::add: stack.push_back(left + right); break;
      case Op::subtract: stack.push_back(left - right); break;
      case Op::multiply: stack.push_back(left * right); break;
      case Op::divide: stack.push_back(left / right); break;
      // A constant exponent keeps negative bases differentiable; 0^0 is 1 without a rate.
      default: stack.push_back(moves(right) ? pow(left, right) : right.a == 0.0 ? J(1.0) : pow(left, right.a)); break;
    }
  }
  return stack.back();
}

}  // namespace kdyn::inline numerics
