// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/population.hpp"

#include <filesystem>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kdyn::app
