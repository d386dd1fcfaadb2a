// SPDX-License-Identifier: Apache-2.0
// Signals of HDF5 files read on demand: the same as when the file is read as a whole, and what the writer (the library
// of HDF5) was given.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/recording.hpp"
#include "kdyn/io/store.hpp"

namespace kdyn::inline io {
namespace {

std::vector<double> wave(std::size_t count, double scale) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = scale * std::sin(0.01 * static_cast<double>(i));
  return out;
}

TEST(Hdf5Recording, StoreOfKdyn) {
  Store store;
  store.signals.emplace();
  for (int n = 0; n < 3; ++n) {
    Signal signal;
    signal.name = "channel " + std::to_string(n), signal.unit = n == 0 ? "N" : "m";
    signal.start_s = 0.5, signal.step_s = 1e-3 * (n + 1);
    signal.values = wave(6000 + 10 * static_cast<std::size_t>(n), n + 1.0);
    store.signals->signals.push_back(std::move(signal));
  }
  const std::string bytes = store_bytes(store);
  const Recording recording = open_recording(ByteSource::of(bytes), "a.h5");
  EXPECT_EQ(recording.format, "hdf5");
  ASSERT_EQ(recording.channels.size(), 3U);
  const SignalSet read = signals_of(recording, {"channel 2", "channel 0"});
  ASSERT_EQ(read.signals.size(), 2U);
  EXPECT_EQ(read.signals[0].values, store.signals->signals[2].values);
  EXPECT_EQ(read.signals[0].step_s, 3e-3);
  EXPECT_EQ(read.signals[1].values, store.signals->signals[0].values);
  EXPECT_EQ(read.signals[1].unit, "N");
}

// Vectors and a matrix of channels, rows and columns: as signals_of reads them from the whole file.
TEST(Hdf5Recording, ArraysOfOtherPrograms) {
  constexpr std::size_t samples = 5000, channels = 3;
  for (const bool by_rows : {false, true}) {
    MatFile file;
    const auto add = [&](const char* name, std::vector<std::size_t> shape, std::vector<double> values) {
      MatArray array;
      array.name = name, array.matlab_class = "double", array.shape = std::move(shape), array.real = std::move(values);
      file.arrays.push_back(std::move(array));
    };
    std::vector<double> time(samples);
    for (std::size_t i = 0; i < samples; ++i) time[i] = 2e-3 * static_cast<double>(i);
    add("time_s", {samples, 1}, time);
    add("force_kN", {samples, 1}, wave(samples, 2.0));
    std::vector<double> matrix(samples * channels);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<double>(i);
    add("acc_g", by_rows ? std::vector{channels, samples} : std::vector{samples, channels}, matrix);
    const std::string bytes = mat_bytes(file, true);
    std::vector<Finding> findings;
    const auto whole = signals_of(parse_mat(bytes, "a.mat"), findings);
    ASSERT_TRUE(whole);
    const SignalSet read = signals_of(open_recording(ByteSource::of(bytes), "a.mat"));
    ASSERT_EQ(read.signals.size(), 1 + channels);
    ASSERT_EQ(whole->signals.size(), 1 + channels);
    for (std::size_t n = 0; n < read.signals.size(); ++n) {
      EXPECT_EQ(read.signals[n].name, whole->signals[n].name);
      EXPECT_EQ(read.signals[n].unit, whole->signals[n].unit);
      EXPECT_EQ(read.signals[n].values, whole->signals[n].values);
      EXPECT_NEAR(read.signals[n].step_s, 2e-3, 1e-15);
    }
    // Accelerations in g are multiples of gravity, not grams.
    const auto acceleration =
        std::find_if(read.signals.begin(), read.signals.end(), [](const Signal& s) { return s.name == "acc_2"; });
    ASSERT_NE(acceleration, read.signals.end());
    EXPECT_EQ(acceleration->unit, "m/s^2");
    const std::size_t tenth = by_rows ? 10 * channels + 1 : samples + 10;
    EXPECT_DOUBLE_EQ(acceleration->values[10], 9.80665 * matrix[tenth]);
  }
}

TEST(Hdf5Recording, DamageIsRefusedOrTold) {
  Store store;
  store.signals.emplace();
  Signal signal;
  signal.name = "x", signal.unit = "m", signal.step_s = 1e-3, signal.values = wave(5000, 1.0);
  store.signals->signals.push_back(signal);
  const std::string bytes = store_bytes(store);
  for (std::size_t cut = 100; cut < bytes.size(); cut += 997) {
    const std::string part = bytes.substr(0, cut);
    try {
      const Recording recording = open_recording(ByteSource::of(part), "cut.h5");
      for (std::size_t i = 0; i < recording.channels.size(); ++i) recording.values(i);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_FALSE(error.message().empty());
    }
  }
}

}  // namespace
}  // namespace kdyn::inline io
