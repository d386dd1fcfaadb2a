// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/catalogue.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"

namespace kdyn::app {
namespace {

class CatalogueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("kdyn_catalogue_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path() const { return (folder / "catalogue.sqlite").string(); }

  static CatalogueEntry entry(const std::string& part, const std::string& direction, const std::string& job) {
    return {part,
            direction,
            "batch 7",
            "",
            job,
            "fit elastomer",
            {{"alpha", {{"value", 0.1}, {"unit", "-"}}}},
            {{"rms_kdyn_rel", 0.004}},
            "2026-01-01T00:00:00Z"};
  }
  static std::vector<std::string> jobs(const Json& found) {
    std::vector<std::string> names;
    for (const Json& one : found) names.push_back(one["job"].get<std::string>());
    return names;
  }

  std::filesystem::path folder;
};

using Names = std::vector<std::string>;

TEST_F(CatalogueTest, FindsByWordsAndOutlivesTheProgram) {
  {
    Catalogue catalogue(path());
    catalogue.put(entry("4711", "z", "0001"));
    catalogue.put(entry("4711", "x", "0002"));
    catalogue.put(entry("0815 left", "z", "0003"));
  }
  Catalogue catalogue(path());
  EXPECT_EQ(jobs(catalogue.find("")), (Names{"0003", "0002", "0001"}));
  EXPECT_EQ(jobs(catalogue.find("4711")), (Names{"0002", "0001"}));
  EXPECT_EQ(jobs(catalogue.find("left BATCH")), (Names{"0003"}));
  EXPECT_EQ(catalogue.find("0001")[0]["parameters"]["alpha"]["value"], 0.1);
  CatalogueEntry again = entry("4712", "z", "0001");
  catalogue.put(again);
  EXPECT_EQ(jobs(catalogue.find("4712")), (Names{"0001"}));
  EXPECT_EQ(catalogue.find("").size(), 3u);
  catalogue.remove("0001");
  EXPECT_EQ(catalogue.find("").size(), 2u);
}

TEST_F(CatalogueTest, TakesEveryTextForWhatItIs) {
  Catalogue catalogue(path());
  const std::string nasty = "'; DROP TABLE entries; --\"%_\\";
  catalogue.put(entry(nasty, "z", "0001"));
  EXPECT_EQ(catalogue.find("")[0]["part"], nasty);
  EXPECT_EQ(catalogue.find("%_\\").size(), 1u);
  EXPECT_EQ(catalogue.find("%x").size(), 0u);
  EXPECT_THROW(catalogue.put(entry("", "z", "0001")), Error);
  EXPECT_THROW(catalogue.put(entry(std::string(3000, 'a'), "z", "0001")), Error);
}

TEST_F(CatalogueTest, NamesADamagedFile) {
  std::ofstream(path()) << std::string(5000, 'x');
  try {
    Catalogue catalogue(path());
    FAIL() << "a damaged file was opened";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::file_access);
    EXPECT_NE(error.remedy().find("deleted"), std::string::npos);
  }
}

}  // namespace
}  // namespace kdyn::app
