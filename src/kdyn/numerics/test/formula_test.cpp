// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/formula.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline numerics {
namespace {

double value(const std::string& text, double t = 0.0) { return Formula(text, "test")(t).value; }

TEST(Formula, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(value("2+3*4"), 14.0);
  EXPECT_EQ(value("(2+3)*4"), 20.0);
  EXPECT_EQ(value("2-3-4"), -5.0);
  EXPECT_EQ(value("24/4/3"), 2.0);
  EXPECT_EQ(value("2^3^2"), 512.0);
  EXPECT_EQ(value("-2^2"), -4.0);
  EXPECT_EQ(value("2^-2"), 0.25);
  EXPECT_EQ(value("--3"), 3.0);
  EXPECT_EQ(value("2*-3"), -6.0);
  EXPECT_EQ(value(" 1e-3 * 2 "), 2e-3);
  EXPECT_EQ(value(".5+1.5E1"), 15.5);
  EXPECT_EQ(value("t*t", 3.0), 9.0);
  EXPECT_EQ(value("(-8)^3"), -512.0);
  EXPECT_EQ(value("t^0", 0.0), 1.0);
}

TEST(Formula, KnowsItsFunctions) {
  EXPECT_DOUBLE_EQ(value("sin(pi/6)"), 0.5);
  EXPECT_DOUBLE_EQ(value("cos(t)", 1.2), std::cos(1.2));
  EXPECT_DOUBLE_EQ(value("tan(t)", 1.2), std::tan(1.2));
  EXPECT_DOUBLE_EQ(value("exp(log(5))"), 5.0);
  EXPECT_DOUBLE_EQ(value("sqrt(abs(-16))"), 4.0);
  EXPECT_DOUBLE_EQ(value("tanh(0.3)"), std::tanh(0.3));
  EXPECT_DOUBLE_EQ(
      value("1e-3*sin(2*pi*5*t) + 2e-4*sin(2*pi*31*t + 0.9)", 0.137),
      1e-3 * std::sin(2 * std::numbers::pi * 5 * 0.137) + 2e-4 * std::sin(2 * std::numbers::pi * 31 * 0.137 + 0.9));
}

TEST(Formula, GivesTheExactRate) {
  // Against a central difference over 1e-6, which errs by 1e-10 for functions of order 1.
  for (const std::string text : {"sin(3*t)", "cos(t)^3", "tan(t)/2", "exp(-t)*t", "log(1+t^2)", "sqrt(2+t)", "abs(t-5)",
                                 "tanh(2*t-1)", "t^2.5", "2^t", "t^t", "(t-3)^3", "1/(1+t)", "7"})
    for (const double t : {0.3, 0.7, 1.1}) {
      const Formula f(text, "test");
      EXPECT_NEAR(f(t).rate, (f(t + 1e-6).value - f(t - 1e-6).value) / 2e-6, 1e-8) << text << " " << t;
    }
  EXPECT_EQ(Formula("t^1", "test")(0.0).rate, 1.0);
  EXPECT_EQ(Formula("t^2", "test")(0.0).rate, 0.0);
}

// With variables, conditions and tables; slopes against central differences of values.
TEST(Formula, ReadsVariablesAndTables) {
  Formula::Names names;
  const std::vector<std::string> known = {"a.x", "b_2", "with space"};
  names.variable = [&](const std::string& name) {
    const auto at = std::find(known.begin(), known.end(), name);
    return at == known.end() ? -1 : static_cast<int>(at - known.begin());
  };
  names.constant = [](const std::string& name) { return name == "k" ? std::optional(3.0) : std::nullopt; };
  names.table = [](const std::string& name) {
    return name == "bend" ? std::make_shared<const ShapeCurve>(Curve{{-1.0, 2.0}, {0.0, 0.0}, {1.0, 1.0}, {3.0, 1.5}})
                          : nullptr;
  };
  for (const std::string text :
       {"k*a.x - b_2^2 + t", "if(a.x > b_2, a.x^2, b_2)", "min(a.x, b_2, [with space])*max(t, a.x)",
        "bend(a.x*b_2) + bend(4*a.x)", "sign(a.x - 1)*b_2", "step(a.x, 0, 1, 2, 5) + step(b_2)*a.x", "atan(a.x*b_2)",
        "and(a.x > 0, b_2 < 1)*a.x + or(t, 0)*b_2", "not(a.x == b_2)*[with space]",
        "(a.x <= 1) + (b_2 >= 1) + (a.x != 2)", "a.x^b_2"})
    for (const double first : {0.4, 1.3}) {
      const Formula f(text, "test", names);
      std::vector<double> x = {first, 0.7, -0.2}, slopes(3);
      const double y = f.value(0.3, x.data(), x.size(), slopes.data());
      EXPECT_EQ(f.value(0.3, x.data(), x.size()), y) << text;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double at = x[i], h = 1e-6;
        x[i] = at + h;
        const double up = f.value(0.3, x.data(), x.size());
        x[i] = at - h;
        EXPECT_NEAR(slopes[i], (up - f.value(0.3, x.data(), x.size())) / (2.0 * h), 1e-8) << text << " " << i;
        x[i] = at;
      }
    }
  EXPECT_EQ(Formula("if(1 < 2, 7, 8) + 10*(3 >= 3)", "test")(0.0).value, 17.0);
  EXPECT_EQ(Formula("step(0) + sign(-3) + min(4, 2, 3) + max(1, 5)", "test")(0.0).value, 7.0);
  EXPECT_EQ(Formula("step(0.5, 0, 0, 1, 1)", "test")(0.0).value, 0.5);
}

TEST(Formula, FindsItsWords) {
  const auto words = Formula::words("2e-3*abc.d + sin(t)*[x y] + pi - _q1(3.5e+2)");
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(words[0].name, "abc.d");
  EXPECT_EQ(words[1].name, "x y");
  EXPECT_EQ(words[1].length, 5u);
  EXPECT_EQ(words[2].name, "_q1");
}

TEST(Formula, SaysWhatIsWrongAndWhere) {
  const auto expect_error = [](const std::string& text, const std::string& what, int column) {
    try {
      Formula(text, "formula");
      ADD_FAILURE() << text << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_EQ(error.where(), "formula");
      EXPECT_NE(error.message().find(what), std::string::npos) << error.what();
      EXPECT_NE(error.message().find("at column " + std::to_string(column)), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  expect_error("", "ends too early", 1);
  expect_error("1+", "ends too early", 3);
  expect_error("2 t", "unexpected", 3);
  expect_error("sin t", "parenthesis of a function", 5);
  expect_error("sin(t", "closing parenthesis", 6);
  expect_error("(1+2", "closing parenthesis", 5);
  expect_error("1+2)", "unexpected", 4);
  expect_error("x*2", "unknown name", 1);
  expect_error("2*sinh(t)", "unknown name", 3);
  expect_error("1e999", "cannot be read", 1);
  expect_error("3 $ 4", "unexpected", 3);
  expect_error(std::string(20000, '1'), "longer than 10000", 1);
  expect_error(std::string(5000, '('), "nested deeper", 201);
  EXPECT_THROW(Formula(std::string(9000, '^'), "formula"), Error);
  EXPECT_THROW(Formula("2" + std::string(4000, '^') + "2", "formula"), Error);
}

TEST(Formula, SidesOfAbsoluteValuesChangeWhereTheirArgumentsDo) {
  const Formula two("abs(t-1) + 3*abs(2-t)*t", "formula");
  EXPECT_EQ(two.sides(0.0), 2u);  // only 2-t is above 0
  EXPECT_EQ(two.sides(1.5), 3u);
  EXPECT_EQ(two.sides(2.5), 1u);
  EXPECT_EQ(two.sides(1.0), two.sides(0.9));  // zero counts as below
  EXPECT_EQ(Formula("sin(9*t)", "formula").sides(0.1), Formula("sin(9*t)", "formula").sides(0.5));
}

}  // namespace
}  // namespace kdyn::inline numerics
