// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/reversals.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"

namespace kdyn::inline signal {
namespace {

TEST(Reversals, StartEndAndTies) {
  EXPECT_TRUE(find_reversals({}, 0.0).at.empty());
  EXPECT_TRUE(find_reversals(std::vector<double>{2, 2, 2}, 0.0).at.empty());
  const std::vector<double> x = {0, -0.3, 5, 5, 4.5, 6, 1, 1.5};
  const Reversals found = find_reversals(x, 1.0);
  EXPECT_EQ(found.at, (std::vector<std::size_t>{1, 5}));  // the dip at the start, the top; 4.5 is too little of a way
  EXPECT_EQ(found.open, 6u);
  EXPECT_EQ(find_reversals(x, 0.0).at, (std::vector<std::size_t>{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(find_reversals(std::vector<double>{0, 1, 0}, 1.0).at.size(), 0u);  // a way of the threshold is none
}

// What defines them: neighbours differ by more than the threshold, in turn up and down, each is the extreme of the
// stretch between its neighbours, and no stretch holds a way back larger than the threshold. Checked pair by pair.
TEST(Reversals, OfRandomPathsFulfilTheDefinition) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed);
    std::vector<double> x = {0.0};
    for (int i = 0; i < 300; ++i) x.push_back(x.back() + std::round(4.0 * random.normal()) / 4.0);
    const double threshold = 0.25 * static_cast<double>(seed % 5);
    const Reversals found = find_reversals(x, threshold);
    std::vector<std::size_t> ends = found.at;
    ends.push_back(found.open);
    ASSERT_GT(ends.size(), 3u);
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
      const double way = x[ends[k + 1]] - x[ends[k]];
      EXPECT_GT(std::abs(way), threshold);
      if (k > 0) {
        EXPECT_LT(way * (x[ends[k]] - x[ends[k - 1]]), 0.0);
      }
      for (std::size_t i = ends[k]; i <= ends[k + 1]; ++i)
        for (std::size_t j = i; j <= ends[k + 1]; ++j)
          EXPECT_LE(way > 0.0 ? x[i] - x[j] : x[j] - x[i], threshold) << seed << " " << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace kdyn::inline signal
