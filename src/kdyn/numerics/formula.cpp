// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/formula.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/double_chars.hpp"
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
  int arguments;
};
constexpr Name functions[] = {{"sin", Op::sin, 1},          {"cos", Op::cos, 1},      {"tan", Op::tan, 1},
                              {"atan", Op::atan, 1},        {"exp", Op::exp, 1},      {"log", Op::log, 1},
                              {"sqrt", Op::sqrt, 1},        {"abs", Op::abs, 1},      {"tanh", Op::tanh, 1},
                              {"sign", Op::sign, 1},        {"not", Op::negation, 1}, {"step", Op::step, 1},
                              {"step", Op::smooth_step, 5}, {"min", Op::minimum, 2},  {"max", Op::maximum, 2},
                              {"and", Op::both, 2},         {"or", Op::either, 2},    {"if", Op::choose, 3}};
// Functions that take any number of arguments, two at a time.
bool folds(Op op) { return op == Op::minimum || op == Op::maximum || op == Op::both || op == Op::either; }

bool is_function(std::string_view name) {
  return std::any_of(std::begin(functions), std::end(functions), [&](const Name& f) { return f.text == name; });
}
bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
// The word that begins at `at`: letters, digits, '_' and inner dots.
std::size_t end_of_word(std::string_view text, std::size_t at) {
  const auto inside = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  while (inside(at) || (at < text.size() && text[at] == '.' && inside(at + 1))) ++at;
  return at;
}

// Recursive descent: comparison > sum > product > sign > power > atom. Depth is bounded so that no text can exhaust the stack.
class Parser {
 public:
  Parser(std::string_view text, const std::string& where, const Formula::Names& names,
         std::vector<Formula::Instruction>& out, std::vector<std::shared_ptr<const ShapeCurve>>& tables)
      : text_(text),
        where_(where),
        names_(names),
        out_(out),
        tables_(tables) {}

  void parse() {
    if (text_.size() > 10000) fail("is longer than 10000 characters");
    comparison();
    if (peek() != '\0') fail("has something unexpected");
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy = "") const {
    throw_bad_input(
        where_, fmt::format("formula {} {} at column {}", in_quotes(text_), what, at_ + 1),
        !remedy.empty()
            ? remedy
            : "use numbers, t, pi, + - * / ^ < > ( ) and sin cos tan atan exp log sqrt abs tanh sign min max "
              "step if and or not");
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void emit(Op op, double number = 0.0, std::size_t index = 0) { out_.push_back({op, number, index}); }

  void comparison() {
    if (++depth_ > 200) fail("is nested deeper than 200 levels");
    sum();
    const char c = peek();
    if (c == '<' || c == '>' || c == '=' || c == '!') {
      const bool equal = at_ + 1 < text_.size() && text_[at_ + 1] == '=';
      if ((c == '=' || c == '!') && !equal) fail(c == '=' ? "has one = (== compares)" : "has something unexpected");
      at_ += equal ? 2 : 1;
      sum();
      emit(c == '<'   ? (equal ? Op::less_equal : Op::less)
           : c == '>' ? (equal ? Op::greater_equal : Op::greater)
           : c == '=' ? Op::equal
                      : Op::not_equal);
    }
    --depth_;
  }
  void sum() {
    product();
    for (char c = peek(); c == '+' || c == '-'; c = peek()) {
      ++at_;
      product();
      emit(c == '+' ? Op::add : Op::subtract);
    }
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
      comparison();
      if (peek() != ')') fail("lacks a closing parenthesis");
      ++at_;
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      double value = 0.0;
      const auto [end, ec] = double_from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (ec != std::errc()) fail("has a number that cannot be read");
      at_ = static_cast<std::size_t>(end - text_.data());
      emit(Op::number, value);
    } else if (starts_name(c)) {
      const std::size_t end = end_of_word(text_, at_);
      word(text_.substr(at_, end - at_), end);
    } else if (c == '[') {
      const std::size_t end = text_.find(']', at_);
      if (end == std::string_view::npos) fail("lacks a closing bracket");
      named(std::string(text_.substr(at_ + 1, end - at_ - 1)), end + 1);
    } else {
      fail(c == '\0' ? "ends too early" : "has something unexpected");
    }
  }
  // After the opening parenthesis; how many there are.
  int arguments(Op fold, bool folding) {
    ++at_;
    int count = 0;
    while (true) {
      comparison();
      ++count;
      if (folding && count > 1) emit(fold);
      if (peek() != ',') break;
      ++at_;
    }
    if (peek() != ')') fail("lacks a closing parenthesis");
    ++at_;
    return count;
  }
  void word(std::string_view name, std::size_t end) {
    if (name == "t" || name == "pi") {
      at_ = end;
      return name == "t" ? emit(Op::time) : emit(Op::number, std::numbers::pi);
    }
    if (!is_function(name)) return named(std::string(name), end);
    at_ = end;
    if (peek() != '(') fail("lacks the parenthesis of a function");
    const auto first =
        std::find_if(std::begin(functions), std::end(functions), [&](const Name& f) { return f.text == name; });
    const bool folding = folds(first->op);
    const int count = arguments(first->op, folding);
    if (folding && count > 1) return;
    for (const Name& function : functions)
      if (function.text == name && function.arguments == count && !folding) return emit(function.op);
    fail(fmt::format("gives {} {} argument{}", name, count, count == 1 ? "" : "s"),
         name == "step" ? "write step(x), or step(x, x0, y0, x1, y1) for a smooth one"
         : folding      ? "give at least two"
                        : fmt::format("give {}", first->arguments));
  }
  void named(const std::string& name, std::size_t end) {
    if (names_.constant)
      if (const auto value = names_.constant(name)) {
        at_ = end;
        return emit(Op::number, *value);
      }
    if (names_.variable)
      if (const int index = names_.variable(name); index >= 0) {
        at_ = end;
        return emit(Op::variable, 0.0, static_cast<std::size_t>(index));
      }
    if (names_.table)
      if (auto table = names_.table(name)) {
        at_ = end;
        if (peek() != '(') fail(fmt::format("lacks the parenthesis of the table {}", name));
        if (arguments(Op::table, false) != 1) fail(fmt::format("gives the table {} more than one argument", name));
        tables_.push_back(std::move(table));
        return emit(Op::table, 0.0, tables_.size() - 1);
      }
    if (names_.remedy) fail(fmt::format("has an unknown name, {},", in_quotes(name)), names_.remedy(name));
    fail("has an unknown name");
  }

  std::string_view text_;
  const std::string& where_;
  const Formula::Names& names_;
  std::vector<Formula::Instruction>& out_;
  std::vector<std::shared_ptr<const ShapeCurve>>& tables_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Formula::Formula(std::string_view text, const std::string& where) : Formula(text, where, Names{}) {}

Formula::Formula(std::string_view text, const std::string& where, const Names& names) : text_(text) {
  Parser(text, where, names, program_, tables_).parse();
}

bool Formula::is_reserved(std::string_view name) { return name == "t" || name == "pi" || is_function(name); }

std::vector<Formula::Word> Formula::words(std::string_view text) {
  std::vector<Word> out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '[') {
      const std::size_t end = std::min(text.find(']', i), text.size() - 1);
      out.push_back({i, end + 1 - i, std::string(text.substr(i + 1, end - i - 1))});
      i = end + 1;
    } else if (starts_name(c)) {
      const std::size_t end = end_of_word(text, i);
      const std::string name(text.substr(i, end - i));
      if (!is_reserved(name)) out.push_back({i, end - i, name});
      i = end;
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      // A number with its exponent is no word.
      double value = 0.0;
      const auto [end, ec] = double_from_chars(text.data() + i, text.data() + text.size(), value);
      i = std::max(i + 1, static_cast<std::size_t>(end - text.data()));
    } else {
      ++i;
    }
  }
  return out;
}

namespace {

// Whether a scalar changes.
template <int N>
bool moves(const Jet<N>& x) {
  for (int i = 0; i < N; ++i)
    if (x.v[i] != 0.0) return true;
  return false;
}
bool moves(const Taylor& x) { return x.d1 != 0.0 || x.d2 != 0.0 || x.d3 != 0.0; }

}  // namespace

Formula::Value Formula::operator()(double t) const {
  const auto out = evaluate(Jet<1>(t, 0), static_cast<const Jet<1>*>(nullptr), nullptr);
  return {out.a, out.v[0]};
}

Formula::Rates Formula::rates(double t) const {
  const Taylor out = evaluate(Taylor(t, 1.0, 0.0, 0.0), static_cast<const Taylor*>(nullptr), nullptr);
  return {out.a, out.d1, out.d2, out.d3};
}

std::uint64_t Formula::sides(double t) const {
  std::uint64_t bits = 0;
  evaluate(Jet<1>(t, 0), static_cast<const Jet<1>*>(nullptr), &bits);
  return bits;
}

bool Formula::has_variables() const {
  return std::any_of(program_.begin(), program_.end(), [](const Instruction& i) { return i.op == Op::variable; });
}

bool Formula::uses_time() const {
  return std::any_of(program_.begin(), program_.end(), [](const Instruction& i) { return i.op == Op::time; });
}

double Formula::value(double t, const double* variables, std::size_t count, double* slopes) const {
  constexpr int width = 4;
  using J = Jet<width>;
  std::vector<J> x(count);
  double out = 0.0;
  for (std::size_t first = 0; first == 0 || (slopes && first < count); first += width) {
    for (std::size_t i = 0; i < count; ++i) {
      x[i] = J(variables[i]);
      if (slopes && i >= first && i < first + width) x[i].v[static_cast<std::ptrdiff_t>(i - first)] = 1.0;
    }
    const J y = evaluate(J(t), x.data(), nullptr);
    out = y.a;
    if (slopes)
      for (std::size_t i = first; i < std::min(count, first + width); ++i)
        slopes[i] = y.v[static_cast<std::ptrdiff_t>(i - first)];
  }
  return out;
}

namespace {

bool compare(Op op, double a, double b) {
  switch (op) {
    case Op::less: return a < b;
    case Op::less_equal: return a <= b;
    case Op::greater: return a > b;
    case Op::greater_equal: return a >= b;
    case Op::equal: return a == b;
    default: return a != b;
  }
}

}  // namespace

template <class J>
J Formula::evaluate(const J& time, const J* variables, std::uint64_t* sides) const {
  std::vector<J> stack;
  const auto pop = [&] {
    const J top = stack.back();
    stack.pop_back();
    return top;
  };
  int place = 0;
  const auto side = [&](bool above) {
    if (sides && above) *sides ^= std::uint64_t{1} << (place % 64);
    ++place;
    return above;
  };
  for (const Instruction& step : program_) {
    switch (step.op) {
      case Op::number: stack.push_back(J(step.number)); continue;
      case Op::time: stack.push_back(time); continue;
      case Op::variable: stack.push_back(variables[step.index]); continue;
      case Op::table: stack.back() = tables_[step.index]->value(stack.back()); continue;
      case Op::negate: stack.back() = -stack.back(); continue;
      case Op::sin: stack.back() = sin(stack.back()); continue;
      case Op::cos: stack.back() = cos(stack.back()); continue;
      case Op::tan: stack.back() = tan(stack.back()); continue;
      case Op::atan: stack.back() = atan(stack.back()); continue;
      case Op::exp: stack.back() = exp(stack.back()); continue;
      case Op::log: stack.back() = log(stack.back()); continue;
      case Op::sqrt: stack.back() = sqrt(stack.back()); continue;
      case Op::abs:
        side(stack.back().a > 0.0);
        stack.back() = abs(stack.back());
        continue;
      case Op::tanh: stack.back() = tanh(stack.back()); continue;
      case Op::sign: {
        const double x = stack.back().a;
        side(x > 0.0);
        stack.back() = J(x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0);
        continue;
      }
      case Op::step: stack.back() = J(side(stack.back().a >= 0.0) ? 1.0 : 0.0); continue;
      case Op::negation: stack.back() = J(stack.back().a == 0.0 ? 1.0 : 0.0); continue;
      case Op::choose: {
        const J otherwise = pop(), then = pop();
        stack.back() = stack.back().a != 0.0 ? then : otherwise;
        continue;
      }
      case Op::smooth_step: {  // [numerics E18]
        const J y1 = pop(), x1 = pop(), y0 = pop(), x0 = pop(), x = pop();
        const J s = (x - x0) / (x1 - x0);
        if (s.a <= 0.0)
          stack.push_back(y0);
        else if (s.a >= 1.0)
          stack.push_back(y1);
        else
          stack.push_back(y0 + (y1 - y0) * s * s * (J(3.0) - J(2.0) * s));
        continue;
      }
      default: break;
    }
    const J right = pop(), left = pop();
    switch (step.op) {
      case Op::add: stack.push_back(left + right); break;
      case Op::subtract: stack.push_back(left - right); break;
      case Op::multiply: stack.push_back(left * right); break;
      case Op::divide: stack.push_back(left / right); break;
      case Op::minimum: stack.push_back(side(left.a < right.a) ? left : right); break;
      case Op::maximum: stack.push_back(side(left.a > right.a) ? left : right); break;
      case Op::both: stack.push_back(J(left.a != 0.0 && right.a != 0.0 ? 1.0 : 0.0)); break;
      case Op::either: stack.push_back(J(left.a != 0.0 || right.a != 0.0 ? 1.0 : 0.0)); break;
      // A constant exponent keeps negative bases differentiable; 0^0 is 1 without a rate.
      case Op::power:
        stack.push_back(moves(right) ? pow(left, right) : right.a == 0.0 ? J(1.0) : pow(left, right.a));
        break;
      default: stack.push_back(J(side(compare(step.op, left.a, right.a)) ? 1.0 : 0.0)); break;
    }
  }
  return stack.back();
}

}  // namespace kdyn::inline numerics
