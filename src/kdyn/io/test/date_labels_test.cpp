// SPDX-License-Identifier: Apache-2.0
// Dates and batches of parts, as settings and as columns; expected values are those written into the texts.
#include <gtest/gtest.h>

#include "kdyn/io/bench_tables.hpp"

namespace kdyn {
namespace {

const std::string names = "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg\n";
const std::string rows = "1,0.1,850,400,5\n2,0.1,850,402,5\n5,0.1,850,410,5\n10,0.1,850,415,5\n";

TEST(DateLabels, InComments) {
  const BenchTables tables = read_bench_tables("# Date: 2026-03-01 14:05\n# Batch: 4711\n" + names + rows, "f.csv");
  ASSERT_EQ(tables.sets.size(), 1u);
  EXPECT_EQ(tables.sets[0].labels.date, "2026-03-01 14:05");
  EXPECT_EQ(tables.sets[0].labels.batch, "4711");
}

TEST(DateLabels, InColumnsOfSeveralParts) {
  const BenchTables tables = read_bench_tables("part,date,batch," + names +
                                                   "A,2026-03-01,7,1,0.1,850,400,5\nA,2026-03-01,7,2,0.1,850,401,5\n"
                                                   "B,2026-03-02,8,1,0.1,850,400,5\nB,2026-03-02,8,2,0.1,850,401,5\n",
                                               "f.csv");
  ASSERT_EQ(tables.sets.size(), 2u);
  EXPECT_EQ(tables.sets[0].labels.date, "2026-03-01");
  EXPECT_EQ(tables.sets[1].labels.date, "2026-03-02");
  EXPECT_EQ(tables.sets[1].labels.batch, "8");
  EXPECT_EQ(tables.sets[1].bench.map.rows.size(), 2u);
}

TEST(DateLabels, NoneIsStated) {
  const BenchTables tables = read_bench_tables(names + rows, "f.csv");
  ASSERT_EQ(tables.sets.size(), 1u);
  EXPECT_TRUE(tables.sets[0].labels.date.empty());
  EXPECT_TRUE(tables.sets[0].labels.batch.empty());
}

}  // namespace
}  // namespace kdyn
