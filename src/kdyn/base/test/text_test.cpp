// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/text.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace kdyn::inline base {
namespace {

TEST(Text, TrimTakesBlanksFromBothEnds) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, LowerCaseLeavesOtherBytes) { EXPECT_EQ(lower_case("Loss Angle \xc2\xb0"), "loss angle \xc2\xb0"); }

TEST(Text, NumbersAsFilesWriteThem) {
  EXPECT_EQ(parse_number("12"), 12.0);
  EXPECT_EQ(parse_number(" -0.5\r"), -0.5);
  EXPECT_EQ(parse_number("+3"), 3.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("1e5"), 1e5);
  EXPECT_EQ(parse_number("1E-05"), 1e-5);
  EXPECT_EQ(parse_number("1.5D+02"), 150.0);
  EXPECT_EQ(parse_number("-1d3"), -1000.0);
}

TEST(Text, ShortestDigitsComeBackExactly) { EXPECT_EQ(parse_number("0.1"), 0.1); }

TEST(Text, NanAndInfAreNumbers) {
  ASSERT_TRUE(parse_number("nan"));
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
  EXPECT_EQ(parse_number("-inf"), -INFINITY);
  EXPECT_EQ(parse_number("Inf"), INFINITY);
}

TEST(Text, WhatIsNotANumber) {
  for (const char* text : {"", " ", "-", "+", "+-1", "++1", "--1", "1,5", "1 2", "1.5x", "x1", "1e", "1d", "1e5d3",
                           "D5", "0x10", "1.2.3", "1e400", "N/A"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Text, ClosestFindsWhatWasMeant) {
  const std::vector<std::string> names{"lambda", "rdl", "rho", "k_stat", "preloads_n"};
  EXPECT_EQ(closest("lamda", names), "lambda");
  EXPECT_EQ(closest("k_stta", names), "k_stat");
  EXPECT_EQ(closest("preload_n", names), "preloads_n");
  EXPECT_EQ(closest("roh", {"rdl", "rho"}), "rho") << "two letters that changed places";
  EXPECT_EQ(closest("rab", {"rdl", "rho"}), std::nullopt) << "two changes in three letters leave nothing of the word";
  EXPECT_EQ(closest("rh", names), "rho");
  EXPECT_EQ(closest("frequency", names), std::nullopt);
  EXPECT_EQ(closest("x", names), std::nullopt);
  EXPECT_EQ(closest("", names), std::nullopt);
  EXPECT_EQ(closest("lambda", {}), std::nullopt);
}

TEST(Text, SuggestNamesTheNearestAndAll) {
  EXPECT_EQ(suggest("lamda", {"lambda", "rho"}), "did you mean 'lambda'? known: lambda, rho");
  EXPECT_EQ(suggest("frequency", {"lambda", "rho"}), "known: lambda, rho");
}

TEST(Text, QuotedTextIsShortAndPrintable) {
  EXPECT_EQ(in_quotes("abc"), "'abc'");
  EXPECT_EQ(in_quotes(std::string_view("a\0\n\xff", 4)), "'a\\x00\\x0a\\xff'");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')), "'" + std::string(40, 'x') + "...'");
  // Letters of other languages stay; halves of them, overlong forms and what moves the cursor or turns the line do not.
  EXPECT_EQ(in_quotes("D\xc3\xa4mpfung [\xc2\xb0] \xe6\x8d\x9f"), "'D\xc3\xa4mpfung [\xc2\xb0] \xe6\x8d\x9f'");
  EXPECT_EQ(in_quotes("\xc3"), "'\\xc3'");
  EXPECT_EQ(in_quotes("\xc0\xaf"), "'\\xc0\\xaf'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'\\xc2\\x9b'");
  EXPECT_EQ(in_quotes("\xe2\x80\xae"), "'\\xe2\\x80\\xae'");
  EXPECT_EQ(in_quotes("\xed\xa0\x80"), "'\\xed\\xa0\\x80'");
}

}  // namespace
}  // namespace kdyn::inline base
