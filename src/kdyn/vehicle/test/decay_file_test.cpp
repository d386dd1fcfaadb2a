// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/decay_file.hpp"

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "reference_case.hpp"

namespace kdyn::inline vehicle {
namespace {

SignalSet table_of(const std::string& text, const DecayFileOptions& options = {}) {
  SignalTableOptions reading;
  reading.units = options.units;
  reading.text_columns = {"case"};
  reading.plain_columns = {"config", "k"};
  return parse_signal_table(text, "test.csv", reading);
}

DecaySet read(const std::string& text, const DecayFileOptions& options = {}, int config = 0) {
  DecayFiles files;
  add_decays(table_of(text, options), config, options, files);
  return files.set;
}

std::string complaint(const std::string& text, const DecayFileOptions& options = {}) {
  try {
    read(text, options);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.where() + ": " + error.message() + " / " + error.remedy();
  }
  return "no error";
}

TEST(DecayFile, ReferenceLayoutIsRead) {
  const DecaySet set = noisy_case();
  ASSERT_EQ(set.records.size(), 6u);
  EXPECT_EQ(set.records[0].name, "bounce");
  EXPECT_EQ(set.records[5].name, "roll");
  EXPECT_EQ(set.records[5].config, 1);
  EXPECT_EQ(set.records[3].samples.rows(), 400);
  EXPECT_DOUBLE_EQ(set.records[0].samples(0, 0), -9.50722995);
  EXPECT_DOUBLE_EQ(set.records[0].samples(3, 6), 64.5541755);
}

TEST(DecayFile, WrittenFilesComeBack) {
  DecayTest test;
  test.rate_hz = 100.0;
  test.length_s = 0.6;
  test.kind = MotionKind::velocity;
  const DecaySet set = simulate_decays(Vehicle<double>{}, {published_mass}, test);
  const DecaySet back = read(decay_csv(set));
  ASSERT_EQ(back.records.size(), 6u);
  for (std::size_t c = 0; c < 7; ++c) EXPECT_EQ(back.channels[c].kind, set.channels[c].kind);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(back.records[i].interval, 0.01, 1e-12);
    EXPECT_LT((back.records[i].samples - set.records[i].samples).norm(), 1e-7);
  }
}

TEST(DecayFile, UnitsTellTheQuantity) {
  const DecaySet set = read(
      "time_s,zs [g],theta_deg_per_s,phi [rad/s],zuA [mm],zuB [mm],zuC [mm],zuD "
      "[mm]\n0,1,180,1,2,2,2,2\n0.01,0,0,0,0,0,0,1\n");
  EXPECT_EQ(set.channels[0].kind, MotionKind::acceleration);
  EXPECT_EQ(set.channels[1].kind, MotionKind::velocity);
  EXPECT_EQ(set.channels[3].kind, MotionKind::displacement);
  EXPECT_DOUBLE_EQ(set.records[0].samples(0, 0), 9.80665);
  EXPECT_NEAR(set.records[0].samples(0, 1), 3.14159265358979, 1e-12);
  EXPECT_DOUBLE_EQ(set.records[0].samples(0, 4), 0.002);
}

TEST(DecayFile, ErrorsNamePlaceAndRemedy) {
  // A missing motion is none to refuse, but two of seven are no test.
  EXPECT_NE(complaint("time_s,zs,theta\n0,1,1\n0.01,1,1\n").find("channel phi, zuA, zuB, zuC, zuD is missing"),
            std::string::npos);
  EXPECT_NE(complaint("time_s,zs [N],theta,phi,zuA,zuB,zuC,zuD\n0,1,1,1,1,1,1,1\n0.01,1,1,1,1,1,1,1\n")
                .find("test.csv:1: channel zs is in 'N'"),
            std::string::npos);
  EXPECT_NE(complaint("time_s,zs [m/s^2],theta [m/s^2],phi,zuA,zuB,zuC,zuD\n0,1,1,1,1,1,1,1\n0.01,1,1,1,1,1,1,1\n")
                .find("no angular motion"),
            std::string::npos);
  EXPECT_NE(complaint("k,zs,theta,phi,zuA,zuB,zuC,zuD\n0,1,1,1,1,1,1,1\n1,1,1,1,1,1,1,1\n").find("sample_interval_s"),
            std::string::npos);
  EXPECT_NE(complaint("config,time_s,zs,theta,phi,zuA,zuB,zuC,zuD\n0.5,0,1,1,1,1,1,1,1\n0,0.01,1,1,1,1,1,1,1\n")
                .find("test.csv:2: config is 0.5"),
            std::string::npos);
  EXPECT_NE(complaint("time_s,zs,theta,phi,zuA,zuB,zuC,zuD\n0,1,1,1,1,1,1,1\n0.01,1,1,1,1,1,1,1\n0.03,1,1,1,1,1,1,1\n")
                .find("not evenly spaced"),
            std::string::npos);
  EXPECT_NE(complaint("time_s,zs [furlong],theta,phi,zuA,zuB,zuC,zuD\n0,1,1,1,1,1,1,1\n").find("unknown unit"),
            std::string::npos);
}

}  // namespace
}  // namespace kdyn::inline vehicle
