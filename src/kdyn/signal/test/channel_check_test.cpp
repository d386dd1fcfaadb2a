// SPDX-License-Identifier: Apache-2.0
// Faults are planted into signals that are sound without them; sound ones of many kinds must not raise a word.
#include "kdyn/signal/channel_check.hpp"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace kdyn {
namespace {

std::vector<double> sine(std::size_t n = 4000) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(2.0 * std::numbers::pi * 0.0173 * static_cast<double>(i));
  return x;
}

std::vector<double> noise(unsigned seed, std::size_t n = 4000) {
  std::mt19937 stream(seed);
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  for (double& v : x) v = normal(stream);
  return x;
}

// Blows of a hammer on a quiet channel, as few samples wide as one measures them.
std::vector<double> blows(std::size_t width) {
  std::vector<double> x = noise(7);
  for (double& v : x) v *= 0.5;
  for (std::size_t hit = 500; hit < x.size(); hit += 1000)
    for (std::size_t i = 0; i < width; ++i)
      x[hit + i] += 800.0 * std::sin(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(width));
  return x;
}

std::vector<std::string> codes(const std::vector<double>& x) {
  std::vector<std::string> out;
  for (const Finding& f : check_channel(x, 0.0, 1e-3, "acc", "file.csv")) out.push_back(f.code);
  return out;
}

using Codes = std::vector<std::string>;

TEST(ChannelCheck, SoundSignals) {
  EXPECT_EQ(codes(sine()), Codes{});
  for (unsigned seed = 1; seed <= 50; ++seed) EXPECT_EQ(codes(noise(seed)), Codes{}) << seed;
  for (const std::size_t width : {3, 5, 9}) EXPECT_EQ(codes(blows(width)), Codes{}) << width;
  // Coarse digits, rest before and after, a square wave, a signal that rests now and then.
  std::vector<double> coarse = sine(), rests = sine(), square = sine(), pauses(4000);
  for (double& v : coarse) v = std::round(20.0 * v) / 20.0;
  std::fill_n(rests.begin(), 700, 0.0);
  std::fill_n(rests.end() - 700, 700, rests[3299]);
  for (double& v : square) v = v > 0.0 ? 1.0 : -1.0;
  for (std::size_t i = 0; i < pauses.size(); ++i) pauses[i] = i % 400 < 200 ? 0.0 : sine()[i];
  for (const std::vector<double>& x : {coarse, rests, square, pauses}) EXPECT_EQ(codes(x), Codes{});
  EXPECT_EQ(codes({1.0, 1.0, 1.0}), Codes{}) << "too few to tell";
}

TEST(ChannelCheck, PlantedFaults) {
  EXPECT_EQ(codes(std::vector<double>(100, 0.25)), Codes{"dead_channel"});
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<double> clipped = noise(seed), spiked = noise(seed), hung = noise(seed), missing = noise(seed);
    // White noise is flat for a sample or two; what a recorder clips is smoother.
    for (std::size_t i = clipped.size() - 1; i > 8; --i)
      for (std::size_t j = 1; j < 8; ++j) clipped[i] += clipped[i - j];
    double largest = 0.0;
    for (const double v : clipped) largest = std::max(largest, std::abs(v));
    for (double& v : clipped) v = std::clamp(v, -0.5 * largest, 0.5 * largest);
    EXPECT_EQ(codes(clipped), Codes{"clipped"}) << seed;
    spiked[seed * 100] = 1e6, spiked[seed * 50 + 7] = -2e5;
    EXPECT_EQ(codes(spiked), Codes{"spikes"}) << seed;
    std::fill_n(hung.begin() + 1000, 80, hung[1000]);
    EXPECT_EQ(codes(hung), Codes{"channel_hangs"}) << seed;
    missing[17] = std::nan(""), missing[18] = HUGE_VAL;
    EXPECT_EQ(codes(missing), Codes{}) << seed;
  }
}

TEST(ChannelCheck, PlaceAndChannelAreNamed) {
  SignalSet set;
  set.signals = {{"left", "", "", {}, 0.0, 0.0, sine(1000)}, {"right", "", "", {}, 2.0, 1e-2, sine(1000)}};
  for (std::size_t i = 0; i < 1000; ++i) set.time.push_back(5.0 + 1e-3 * static_cast<double>(i));
  set.signals[0].values[500] = 40.0;
  set.signals[1].values[100] = 40.0;
  const std::vector<Finding> found = check_channels(set, "drive.csv");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].where, "drive.csv");
  EXPECT_NE(found[0].message.find("left"), std::string::npos);
  EXPECT_NE(found[0].message.find("5.5 s"), std::string::npos) << found[0].message;
  EXPECT_NE(found[1].message.find("3 s"), std::string::npos) << found[1].message;
}

}  // namespace
}  // namespace kdyn
