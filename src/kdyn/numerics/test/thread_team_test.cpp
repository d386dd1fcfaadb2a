// SPDX-License-Identifier: Apache-2.0
// Oracle: every index once, whatever the number of threads; the exception of the caller's own share.
#include "kdyn/numerics/thread_team.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace kdyn::inline numerics {
namespace {

TEST(ThreadTeam, DoesEveryIndexOnce) {
  for (const int threads : {0, 1, 2, 7}) {
    std::vector<std::atomic<int>> done(1000);
    for_each_index(1000, threads, [&](int i) { ++done[static_cast<std::size_t>(i)]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
  for_each_index(0, 4, [](int) { FAIL(); });
}

TEST(ThreadTeam, ThrowsAgainOnceAllHaveEnded) {
  std::atomic<int> ended{0};
  const auto share = [&](int thread) {
    ++ended;
    if (thread > 0) throw std::runtime_error(thread == 1 ? "first" : "second");
  };
  try {
    run_team(3, share);
    FAIL();
  } catch (const std::runtime_error& problem) {
    EXPECT_STREQ(problem.what(), "first");
  }
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace kdyn::inline numerics
