// SPDX-License-Identifier: Apache-2.0
// Signals written row by row, read back by the readers of every other file.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/io/signal_writer.hpp"
#include "kdyn/io/store.hpp"

namespace kdyn {
namespace {

const std::vector<WrittenSignal> columns = {{"left.fz.load", "N"}, {"tip.acceleration.z", "m/s^2"}};

double value(std::size_t row, std::size_t signal) {
  return std::sin(0.1 * static_cast<double>(row) + static_cast<double>(signal)) * (signal == 0 ? 1e3 : 1e-7) / 3.0;
}

void write(SignalWriter& writer, std::size_t rows, double first, double step) {
  for (std::size_t n = 0; n < rows; ++n) {
    const double row[2] = {value(n, 0), value(n, 1)};
    writer.add(first + static_cast<double>(n) * step, row);
  }
  writer.finish();
}

std::string temporary(const std::string& name) { return testing::TempDir() + "kdyn_writer_" + name; }

TEST(SignalWriter, AStoreKeepsEveryBit) {
  // None, one, just a chunk, a chunk and some, several.
  for (const std::size_t rows : {0u, 1u, 2048u, 2049u, 7000u}) {
    const std::string path = temporary("a.h5");
    write(*store_writer(path, columns, 2.5, 0.01), rows, 2.5, 0.01);
    const Store store = read_store(path);
    EXPECT_TRUE(store.findings.empty()) << (store.findings.empty() ? "" : store.findings.front().message);
    ASSERT_TRUE(store.signals);
    ASSERT_EQ(store.signals->signals.size(), 2u) << rows;
    for (std::size_t i = 0; i < 2; ++i) {
      const Signal& signal = store.signals->signals[i];
      EXPECT_EQ(signal.name, columns[i].name);
      EXPECT_EQ(signal.unit, columns[i].unit);
      EXPECT_EQ(signal.start_s, 2.5);
      EXPECT_EQ(signal.step_s, 0.01);
      ASSERT_EQ(signal.values.size(), rows);
      for (std::size_t n = 0; n < rows; ++n) ASSERT_EQ(signal.values[n], value(n, i));
    }
    std::filesystem::remove(path);
  }
}

TEST(SignalWriter, ATableKeepsTwelveDigits) {
  const std::string path = temporary("a.csv");
  write(*csv_writer(path, columns), 30000, 0.0, 0.001);  // more than is held at once
  const SignalSet table = read_signal_table(path);
  ASSERT_EQ(table.rows, 30000u);
  for (std::size_t n = 0; n < table.rows; ++n) {
    ASSERT_NEAR(table.time[n], 0.001 * static_cast<double>(n), 1e-12 * 30.0);
    for (std::size_t i = 0; i < 2; ++i)
      ASSERT_NEAR(table.signals[i].values[n], value(n, i), 0.51e-11 * std::abs(value(n, i)));
  }
  EXPECT_EQ(read_text(path).substr(0, 48), "time [s],left.fz.load [N],tip.acceleration.z [m/");
  std::filesystem::remove(path);
}

TEST(SignalWriter, BothFilesAreOneTableToReaders) {
  const std::string one = temporary("b.h5"), two = temporary("b.csv");
  write(*store_writer(one, columns, 0.0, 0.01), 100, 0.0, 0.01);
  write(*csv_writer(two, columns), 100, 0.0, 0.01);
  const SignalSet a = evenly_sampled(read_signal_table(one)), b = evenly_sampled(read_signal_table(two));
  ASSERT_EQ(a.signals.size(), b.signals.size());
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(a.signals[i].name, b.signals[i].name);
    EXPECT_NEAR(a.signals[i].step_s, b.signals[i].step_s, 1e-14);
    EXPECT_EQ(a.signals[i].values.size(), b.signals[i].values.size());
  }
  std::filesystem::remove(one), std::filesystem::remove(two);
}

TEST(SignalWriter, WhereNothingCanBeWrittenItSaysSo) {
  const std::string nowhere = temporary("missing") + "/deeper/a";
  EXPECT_THROW(csv_writer(nowhere, columns), Error);
  EXPECT_THROW(store_writer(nowhere, columns, 0.0, 0.1), Error);
  if (std::filesystem::exists("/dev/full")) {
    const auto full = csv_writer("/dev/full", columns);
    EXPECT_THROW(write(*full, 100, 0.0, 0.1), Error);
  }
}

}  // namespace
}  // namespace kdyn
