// SPDX-License-Identifier: Apache-2.0
// Runs as one rank, and with three under mpirun (src/kdyn/mpi/CMakeLists.txt): every expectation holds for any number
// of ranks.
#include "kdyn/mpi/ranks.hpp"

#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn {
namespace {

mpi::Ranks& ranks() {
  static int argc = 0;
  static char** argv = nullptr;
  static mpi::Ranks all(argc, argv);
  return all;
}

// Rows of different length with random numbers of the task's own stream.
std::vector<double> row_of(int task) {
  RandomStream random(5, static_cast<std::uint64_t>(task));
  std::vector<double> row(static_cast<std::size_t>(task % 4));
  for (double& x : row) x = random.normal();
  return row;
}

TEST(Ranks, RowsDoNotDependOnWhoRanThem) {
  for (const int threads : {1, 3})
    for (const int count : {0, 1, 17}) {
      const auto rows = ranks().run(count, threads, row_of);
      if (!ranks().first()) {
        EXPECT_TRUE(rows.empty());
        continue;
      }
      ASSERT_EQ(rows.size(), static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) EXPECT_EQ(rows[static_cast<std::size_t>(i)], row_of(i));
    }
}

TEST(Ranks, RunForAllGivesEveryRankAllRows) {
  mpi::RankRunner runner(ranks());
  const auto rows = runner.run(11, row_of);
  ASSERT_EQ(rows.size(), 11u);
  for (int i = 0; i < 11; ++i) EXPECT_EQ(rows[static_cast<std::size_t>(i)], row_of(i));
}

TEST(Ranks, EveryRankHearsOfTheFirstFailure) {
  const auto failing = [](int task) -> std::vector<double> {
    if (task == 4 || task == 7)
      throw Error(ErrorCode::bad_input, "broken mount " + std::to_string(task), "mounts", "repair it");
    return {1.0};
  };
  try {
    ranks().run(9, 2, failing);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("broken mount 4"), std::string::npos) << error.what();
  }
  EXPECT_EQ(ranks().run(2, 1, row_of).size(), ranks().first() ? 2u : 0u);  // and goes on working
}

}  // namespace
}  // namespace kdyn
