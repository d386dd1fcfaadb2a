// SPDX-License-Identifier: Apache-2.0
// Formulas of MDF conversions. A power sign is refused: some tools take ^ for a power, others for "exclusive or".
#include <cctype>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/mdf_conversion.hpp"

namespace kdyn::inline io::internal {
namespace {

using FormulaFunction = double (*)(double);
struct NamedFunction {
  std::string_view name;
  FormulaFunction function;
};
// The functions of one argument that ASAM's formulas know.
constexpr NamedFunction known_functions[] = {
    {"sin", [](double x) { return std::sin(x); }},     {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},     {"arcsin", [](double x) { return std::asin(x); }},
    {"arccos", [](double x) { return std::acos(x); }}, {"arctan", [](double x) { return std::atan(x); }},
    {"asin", [](double x) { return std::asin(x); }},   {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},   {"sinh", [](double x) { return std::sinh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},   {"tanh", [](double x) { return std::tanh(x); }},
    {"exp", [](double x) { return std::exp(x); }},     {"ln", [](double x) { return std::log(x); }},
    {"log10", [](double x) { return std::log10(x); }}, {"sqrt", [](double x) { return std::sqrt(x); }},
    {"abs", [](double x) { return std::abs(x); }},
};

// Steps on a stack: numbers, X, operations.
struct FormulaStep {
  char kind = 0;  // 'n' number, 'x' raw value, 'f' function, '-' of one operand is '~', else the operation
  double number = 0.0;
  FormulaFunction function = nullptr;
};

class FormulaParser {
 public:
  FormulaParser(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  std::vector<FormulaStep> whole() {
    sum(0);
    blank();
    if (at_ != text_.size()) refuse();
    return std::move(steps_);
  }

 private:
  [[noreturn]] void refuse() const {
    throw_bad_input(where_,
                    fmt::format("the formula {} of a conversion is not understood at {}", in_quotes(text_),
                                in_quotes(text_.substr(at_))),
                    "export the channel with physical values; formulas of + - * / ( ) and functions of X are read");
  }
  void blank() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(char c) {
    blank();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void add(FormulaStep step) {
    constexpr std::size_t most = 1000;
    if (steps_.size() == most) refuse();
    steps_.push_back(step);
  }
  void sum(int depth) {
    constexpr int deepest = 32;
    if (depth > deepest) refuse();
    product(depth);
    for (;;) {
      if (take('+'))
        product(depth), add({'+'});
      else if (take('-'))
        product(depth), add({'-'});
      else
        return;
    }
  }
  void product(int depth) {
    factor(depth);
    for (;;) {
      if (take('*'))
        factor(depth), add({'*'});
      else if (take('/'))
        factor(depth), add({'/'});
      else
        return;
    }
  }
  void factor(int depth) {
    constexpr int deepest = 32;
    if (depth > deepest) refuse();
    if (take('-')) return factor(depth + 1), add({'~'});
    if (take('+')) return factor(depth + 1);
    if (take('(')) return inner(depth);
    blank();
    std::size_t end = at_;
    if (end < text_.size() && (std::isdigit(static_cast<unsigned char>(text_[end])) || text_[end] == '.')) {
      const auto more = [&](std::size_t i) {
        const char c = text_[i];
        return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == 'e' || c == 'E' ||
               ((c == '+' || c == '-') && (text_[i - 1] == 'e' || text_[i - 1] == 'E'));
      };
      while (end < text_.size() && more(end)) ++end;
      const auto number = parse_number(text_.substr(at_, end - at_));
      if (!number) refuse();
      at_ = end;
      return add({'n', *number, nullptr});
    }
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))) ++end;
    const std::string name = lower_case(text_.substr(at_, end - at_));
    if (name == "x" || name == "x1") {
      at_ = end;
      return add({'x'});
    }
    for (const NamedFunction& known : known_functions)
      if (known.name == name) {
        at_ = end;
        if (!take('(')) refuse();
        inner(depth);
        return add({'f', 0.0, known.function});
      }
    refuse();
  }
  void inner(int depth) {
    sum(depth + 1);
    if (!take(')')) refuse();
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::vector<FormulaStep> steps_;
};

double run_steps(const std::vector<FormulaStep>& steps, double x) {
  double stack[80];  // deeper than 32 parentheses can pile up: two operands wait at each depth
  std::size_t top = 0;
  for (const FormulaStep& step : steps) switch (step.kind) {
      case 'n': stack[top++] = step.number; break;
      case 'x': stack[top++] = x; break;
      case 'f': stack[top - 1] = step.function(stack[top - 1]); break;
      case '~': stack[top - 1] = -stack[top - 1]; break;
      case '+': --top, stack[top - 1] += stack[top]; break;
      case '-': --top, stack[top - 1] -= stack[top]; break;
      case '*': --top, stack[top - 1] *= stack[top]; break;
      default: --top, stack[top - 1] /= stack[top]; break;
    }
  return stack[0];
}

}  // namespace

std::function<double(double)> parse_mdf_formula(const std::string& text, const std::string& where) {
  return [steps = FormulaParser(text, where).whole()](double x) { return run_steps(steps, x); };
}

}  // namespace kdyn::inline io::internal
