// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/signal_csv.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::inline io {
namespace {

std::string complaint(const std::string& text) {
  try {
    evenly_sampled(parse_signal_table(text, "s.csv"));
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.where() + ": " + error.message();
  }
  return "no error";
}

TEST(SignalCsv, UnitsComeFromNamesBracketsAndTheUnitsRow) {
  const SignalSet set = evenly_sampled(parse_signal_table(
      "time_ms,seat_z [g],floor_x_mm_per_s2,mount force (kN),flag\n0,1,1000,2,1\n10,2,0,1,0\n20,3,0,0,1\n", "s.csv"));
  ASSERT_EQ(set.signals.size(), 4u);
  EXPECT_EQ(set.signals[0].name, "seat_z");
  EXPECT_EQ(set.signals[0].unit, "m/s^2");
  EXPECT_DOUBLE_EQ(set.signals[0].values[1], 2.0 * 9.80665);
  EXPECT_EQ(set.signals[1].name, "floor_x");
  EXPECT_DOUBLE_EQ(set.signals[1].values[0], 1.0);
  EXPECT_EQ(set.signals[2].unit, "N");
  EXPECT_EQ(set.signals[3].unit, "");
  EXPECT_NEAR(set.signals[0].step_s, 0.01, 1e-15);
  const SignalSet row = evenly_sampled(parse_signal_table("t;az\ns;m/s^2\n0;1,5\n0,1;2\n0,2;3\n", "s.csv"));
  EXPECT_EQ(row.signals[0].unit, "m/s^2");
  EXPECT_DOUBLE_EQ(row.signals[0].values[0], 1.5);
}

TEST(SignalCsv, EmptyCellsAreGapsOnlyWhenAskedFor) {
  const std::string text = "time_s,a [m],b [mm]\n0,1,\n0.1,,5\n0.2,3,NaN\n";
  EXPECT_NE(complaint(text).find("is empty"), std::string::npos);
  SignalTableOptions options;
  options.gaps = true;
  const SignalSet set = parse_signal_table(text, "s.csv", options);
  EXPECT_TRUE(std::isnan(set.signals[0].values[1]));
  EXPECT_EQ(set.signals[0].values[2], 3.0);
  EXPECT_TRUE(std::isnan(set.signals[1].values[0]) && std::isnan(set.signals[1].values[2]));
  EXPECT_DOUBLE_EQ(set.signals[1].values[1], 0.005);
  // A sample without its time is no sample.
  EXPECT_THROW(parse_signal_table("time_s,a [m]\n0,1\n,2\n0.2,3\n", "s.csv", options), Error);
  EXPECT_THROW(parse_signal_table("time_s,a [m]\n0,1\n0.1,x\n0.2,3\n", "s.csv", options), Error);
}

TEST(SignalCsv, TextColumnsAreReadWhenAskedFor) {
  SignalTableOptions options;
  options.text_columns = {"case"};
  const SignalSet table =
      parse_signal_table("time_s,case,a [N]\n# comment\n0,left,1\n0.1,\"right\",2\n", "s.csv", options);
  EXPECT_EQ(table.texts.at("case"), (std::vector<std::string>{"left", "right"}));
  EXPECT_EQ(table.place(1), "s.csv:4");
}

TEST(SignalCsv, ErrorsNameThePlace) {
  EXPECT_NE(complaint("a [N],b [N]\n1,2\n3,4\n").find("no time column"), std::string::npos);
  EXPECT_NE(complaint("time_s,a [N]\n0,1\n0.1,1\n0.1,2\n").find("s.csv:4: time does not rise"), std::string::npos);
  EXPECT_NE(complaint("time_s,a [N]\n0,1\n0.1,1\n0.3,2\n").find("not evenly spaced"), std::string::npos);
  EXPECT_NE(complaint("time_s,a [N],a [m]\n0,1,1\n0.1,1,1\n").find("two columns"), std::string::npos);
  EXPECT_NE(complaint("time_s,a [wibble]\n0,1\n0.1,1\n").find("unknown unit"), std::string::npos);
  EXPECT_NE(complaint("time_s,a [kg/m]\n0,1\n0.1,1\n").find("measures nothing"), std::string::npos);
  EXPECT_NE(complaint("time_s,a [N]\n0,1\n").find("one sample"), std::string::npos);
}

TEST(SignalCsv, UnitsInTheRowBelow) {
  const std::string text = "Time;Force;Acc\n[ms];[kN];[g]\n0;1;1\n2;2;-1\n4;3;0\n";
  ASSERT_TRUE(looks_like_signal_csv(text));
  const SignalSet set = parse_signal_csv(text, "a.csv");
  ASSERT_EQ(set.signals.size(), 2U);
  EXPECT_DOUBLE_EQ(set.signals[0].step_s, 0.002);
  EXPECT_DOUBLE_EQ(set.signals[0].values[2], 3000.0);
  EXPECT_DOUBLE_EQ(set.signals[1].values[1], -9.80665);
  EXPECT_FALSE(looks_like_signal_csv("Time;Force;Acc\n0;1;1\n2;2;-1\n"));
  EXPECT_FALSE(looks_like_signal_csv("Time;Force"));
}

}  // namespace
}  // namespace kdyn::inline io
