// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/population.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kdyn/app/mount/part_dates.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::app {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() /
              fs::path("kdyn_batch_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "_" +
                       std::to_string(counter()++))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string text() const { return path_.string(); }

 private:
  static int& counter() {
    static int count = 0;
    return count;
  }
  fs::path path_;
};

TEST(Batch, GroupsFilesByPartAndDirection) {
  const Folder folder;
  for (const char* name :
       {"left/z_map.csv", "left/z_static.csv", "left/x_map.csv", "right/z_map.csv", "right/notes.md"})
    write_text(folder / name, "x\n");
  const auto groups = batch_groups({folder.text()});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "left/x");
  EXPECT_EQ(groups[1].name, "left/z");
  EXPECT_EQ(groups[1].files.size(), 2u);
  EXPECT_EQ(groups[2].name, "right/z");
  EXPECT_TRUE(is_batch({folder.text()}));
  EXPECT_FALSE(is_batch({folder / "left/z_map.csv"}));
}

// One fit through the parts of two suppliers had 40 % misfit and was called converged.
TEST(Batch, EqualNamesInTwoFoldersAreTwoParts) {
  const Folder folder;
  for (const char* name : {"a/parts/z_map.csv", "a/parts/z_static.csv", "b/parts/z_map.csv", "b/parts/x_map.csv"})
    write_text(folder / name, "x\n");
  const auto groups = batch_groups({folder / "a/parts", folder / "b/parts"});
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name, "a/parts/z");
  EXPECT_EQ(groups[0].files.size(), 2u);
  EXPECT_EQ(groups[1].name, "b/parts/x");
  EXPECT_EQ(groups[2].name, "b/parts/z");
  EXPECT_EQ(groups[2].files.size(), 1u);
  // Beside a file of the same name; and different kinds in different folders stay together.
  EXPECT_EQ(batch_groups({folder / "a", folder / "b/parts/z_map.csv"}).size(), 2u);
  EXPECT_EQ(batch_groups({folder / "a/parts", folder / "b/parts/z_map.csv"}).size(), 2u);
  for (const char* name : {"maps/z_map.csv", "loops/z_static.csv"}) write_text(folder / name, "x\n");
  const auto kinds = batch_groups({folder / "maps", folder / "loops"});
  ASSERT_EQ(kinds.size(), 1u);
  EXPECT_EQ(kinds[0].name, "z");
}

TEST(Batch, AnEmptyFolderIsAnError) {
  const Folder folder;
  EXPECT_THROW(batch_groups({folder.text()}), Error);
}

Outcome outcome_with(double stiffness) {
  Outcome outcome;
  outcome.result["status"] = "converged";
  outcome.result["parameters"]["static_stiffness"] = {{"value", stiffness}, {"unit", "N/m"}, {"std", 100.0},
                                                      {"lower_95", 0},      {"upper_95", 0}, {"status", "free"}};
  outcome.result["fit"] = {{"rms_kdyn_rel", 0.01}, {"rms_loss_deg", 0.1}};
  return outcome;
}

TEST(Batch, AFailingPartStopsNobodyAndTheOddOneIsMarked) {
  std::vector<BatchGroup> groups;
  for (int i = 0; i < 9; ++i) groups.push_back({"part" + std::to_string(i) + "/z", {}});
  std::vector<Finding> told;
  auto entries = run_batch(groups, {[](const BatchGroup& group, Progress&) {
                             if (group.name == "part3/z")
                               throw_bad_input("file.csv:7", "column 'force' holds text", "correct it");
                             return outcome_with(group.name == "part5/z" ? 400e3 : 300e3 + 1e3 * (group.name[4] - '0'));
                           }},
                           told, silent_progress());
  const Outcome summary = population_outcome(
      "Batch", describe_population(std::move(entries), {{"z.static_stiffness", {300.5e3, 320e3}}}), {}, {});
  EXPECT_FALSE(summary.complete);
  ASSERT_EQ(summary.result["parts"].size(), 9u);
  EXPECT_EQ(summary.result["parts"][3]["status"], "failed");
  EXPECT_NE(summary.result["parts"][3]["error"].get<std::string>().find("file.csv:7"), std::string::npos);
  for (const std::size_t i : {0u, 1u, 2u, 4u, 5u, 6u, 7u, 8u})
    EXPECT_EQ(summary.result["parts"][i]["outliers"].size(), i == 5 ? 1u : 0u) << i;
  const Json& spread = summary.result["families"][0]["parameters"]["static_stiffness"];
  EXPECT_EQ(spread["statistics"]["count"], 8);
  EXPECT_EQ(spread["capability"]["outside"], 2);  // the first one and the odd one
}

TEST(Batch, DatesAreReadInOneWayOnly) {
  // Days by the calendar of std::chrono: 2026-03-01 is day 20513 after 1970-01-01.
  EXPECT_EQ(days_of_date("2026-03-01"), 20513.0);
  EXPECT_EQ(days_of_date("01.03.2026"), 20513.0);
  EXPECT_EQ(days_of_date("1.3.2026 12:00"), 20513.5);
  EXPECT_EQ(days_of_date("2026-03-01T06:00:00Z"), 20513.25);
  EXPECT_EQ(days_of_date("20260301"), 20513.0);
  EXPECT_EQ(days_of_date("03/15/2026"), 20527.0);
  EXPECT_EQ(days_of_date("15/03/2026"), 20527.0);
  EXPECT_FALSE(days_of_date("03/04/2026"));
  EXPECT_FALSE(days_of_date("2026-02-30"));
  EXPECT_FALSE(days_of_date("4711"));
  EXPECT_FALSE(days_of_date("yesterday"));
  EXPECT_FALSE(days_of_date(""));
}

// Stiffness that falls by 1 % a day, in names whose order says nothing, in two batches of which the later is softer.
TEST(Batch, TrendsGoAlongDatesAndBatchesAreCompared) {
  std::vector<PartSummary> parts;
  for (int i = 0; i < 20; ++i) {
    const int day = (7 * i) % 20;  // every day once
    PartSummary part;
    part.group.name = fmt::format("part{:02}/z", i);
    part.status = "converged";
    part.complete = true;
    part.date = fmt::format("2026-03-{:02}", day + 1);
    part.batch = day < 10 ? "A" : "B";
    ParameterEstimate p;
    p.name = "static_stiffness", p.unit = "N/m", p.status = ParameterStatus::free;
    p.value = 300e3 * (1.0 - 0.01 * day) + 300.0 * (i % 3), p.std = 100.0;
    part.parameters = {p};
    parts.push_back(part);
  }
  const Population population = describe_population(parts, {});
  ASSERT_EQ(population.families.size(), 1u);
  const Family& family = population.families[0];
  ASSERT_EQ(family.days.size(), 20u);
  EXPECT_TRUE(std::is_sorted(family.days.begin(), family.days.end()));
  const ParameterPopulation& p = family.parameters[0];
  EXPECT_NEAR(p.statistics.trend, -0.19 * 300e3, 1e3);
  ASSERT_EQ(p.batches.size(), 2u);
  EXPECT_EQ(p.batches[0].batch, "A");
  EXPECT_EQ(p.batches[0].count, 10u);
  EXPECT_GT(p.batch_difference, 4.0);
  const auto told = [&](const char* code) {
    return std::any_of(population.findings.begin(), population.findings.end(),
                       [&](const Finding& f) { return f.code == code; });
  };
  EXPECT_TRUE(told("trend"));
  EXPECT_TRUE(told("batches_differ"));
  // One part without a date: back to the order of names, and said so.
  parts[3].date.clear();
  const Population undated = describe_population(parts, {});
  EXPECT_TRUE(undated.families[0].days.empty());
  EXPECT_TRUE(std::any_of(undated.findings.begin(), undated.findings.end(),
                          [](const Finding& f) { return f.code == "date_missing"; }));
}

}  // namespace
}  // namespace kdyn::app
