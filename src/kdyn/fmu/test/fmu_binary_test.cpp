// SPDX-License-Identifier: Apache-2.0
// The binaries inside FMUs as files: what they need from the system they are loaded on, how a model gets into them, the
// sources beside them, and the Windows binary at work where there are a compiler for it and wine.
#include <dlfcn.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/fmu/internal/runtime_files.hpp"
#include "kdyn/fmu/test/importer.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::inline fmu {
namespace {

using test::Path;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kdyn_binary_XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

bool have(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

// Names of versions and libraries stand as plain text in the table of dynamic strings.
void needs_the_c_library_alone_and_loads_on_glibc_2_28(const std::string& bytes,
                                                       const std::set<std::string>& libraries) {
  const std::regex version("GLIBC_2\\.([0-9]+)"), library("lib[a-zA-Z0-9_+-]+\\.so[.0-9]*"), cpp("GLIBCXX|CXXABI");
  int versions = 0;
  for (auto it = std::sregex_iterator(bytes.begin(), bytes.end(), version); it != std::sregex_iterator();
       ++it, ++versions)
    EXPECT_LE(std::stoi((*it)[1]), 28) << it->str();
  EXPECT_GT(versions, 0);
  std::set<std::string> needed;
  for (auto it = std::sregex_iterator(bytes.begin(), bytes.end(), library); it != std::sregex_iterator(); ++it)
    needed.insert(it->str());
  EXPECT_EQ(needed, libraries);
  EXPECT_FALSE(std::regex_search(bytes, cpp));
}

TEST(FmuBinary, NeedsTheCLibraryAloneAndLoadsOnGlibc228) {
  needs_the_c_library_alone_and_loads_on_glibc_2_28(std::string(internal::runtime_binaries().front().bytes),
                                                    {"libc.so.6", "libm.so.6"});
}

TEST(FmuBinary, OfSystemsTooNeedsTheCLibraryAloneAndLoadsOnGlibc228) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "older versions of glibc's functions are chosen on x86-64 alone";
#endif
  needs_the_c_library_alone_and_loads_on_glibc_2_28(std::string(internal::system_binary().bytes),
                                                    {"libc.so.6", "libm.so.6"});
}

TEST(FmuBinary, AModelThatIsTooLargeIsRefused) {
  Json model = test::elastomer_with_curve();
  Json points = Json::array();
  for (int i = 0; i < 20000; ++i) points.push_back({i * 1e-6, i * 0.1});
  model["parameters"]["curve"] = points;
  try {
    make_fmu(model, "large.json", {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("an FMU has room for 32768"), std::string::npos) << error.what();
  }
}

TEST(FmuBinary, HoldsTheModelFile) {
  const Fmu fmu = make_fmu({{"model", test::hydromount()}, {"status", "converged"}}, "test", {.version = 3});
  EXPECT_EQ(Json::parse(fmu.entry("resources/model.json")), test::hydromount());
}

// An instance does not need what the importer may have deleted, nor any other file.
TEST(FmuBinary, InstancesAreIndependent) {
  const auto one = test::load(make_fmu(test::elastomer(), "test", {}), 2),
             other = test::load(make_fmu(test::hydromount(), "test", {}), 2);
  const Path path;
  ASSERT_TRUE(one->begin_at_end(path(0.0).u, path(0.0).v) && other->begin_at_end(path(0.0).u, path(0.0).v));
  const auto first = mount_from_json(test::elastomer(), "test"), second = mount_from_json(test::hydromount(), "test");
  first->start(path(0.0)), second->start(path(0.0));
  for (int i = 1; i < 100; ++i) {
    const double h = 1e-3;
    for (auto* unit : {one.get(), other.get()})
      ASSERT_TRUE(unit->set((*unit)["displacement"], path(i * h).u) && unit->set((*unit)["velocity"], path(i * h).v) &&
                  unit->step((i - 1) * h, h));
    const double a = first->advance(path(i * h), h), b = second->advance(path(i * h), h);
    EXPECT_NEAR(one->value("force"), a, 1e-12 * 1e3);
    EXPECT_NEAR(other->value("force"), b, 1e-12 * 1e3);
  }
}

// Forces of a run with the motion at the end of each step, printed by test/drive_fmu.cpp.
std::vector<double> numbers_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<double> out;
  for (double value = 0.0; in >> value;) out.push_back(value);
  return out;
}

void compare_with_library(const std::vector<double>& forces, const Json& model) {
  const auto mount = mount_from_json(model, "test");
  const Path path;
  mount->start(path(0.0));
  ASSERT_EQ(forces.size(), 300U);
  double worst = 0.0, largest = 0.0;
  for (int i = 1; i <= 300; ++i) {
    const double expected = mount->advance(path(i * 1e-3), 1e-3);
    worst = std::max(worst, std::abs(expected - forces[static_cast<std::size_t>(i - 1)]));
    largest = std::max(largest, std::abs(expected));
  }
  std::printf("[ figure ] difference %.1e of the largest force\n", worst / largest);
  EXPECT_LT(worst, 1e-10 * largest);  // another compiler, another mathematics library
}

TEST(FmuBinary, SourcesGiveTheSame) {
  const Fmu fmu = make_fmu(test::hydromount(), "test", {.version = 2});
  const Folder folder;
  for (const char* name : {"fmi2.cpp", "model.inc"})
    write_text(folder / name, fmu.entry(std::string("sources/") + name));
  const std::string command = "c++ -std=c++17 -O0 -Wall -Wextra -Werror -shared -fPIC -o " + (folder / "mount.so") +
                              " " + (folder / "fmi2.cpp");
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  Fmu compiled = fmu;
  const std::string xml = fmu.entry("modelDescription.xml");
  const std::string token = xml.substr(xml.find("guid=\"") + 6, 38);
  const std::string driver = "c++ -std=c++17 -O0 -o " + (folder / "drive") +
                             " " KDYN_SOURCE_DIR "/src/kdyn/fmu/test/drive_fmu.cpp -ldl && " + (folder / "drive") +
                             " " + (folder / "mount.so") + " '" + token + "' > " + (folder / "out.txt");
  ASSERT_EQ(std::system(driver.c_str()), 0) << driver;
  compare_with_library(numbers_of(folder / "out.txt"), test::hydromount());
}

TEST(FmuBinary, WindowsBinaryGivesTheSame) {
  const Fmu fmu = make_fmu(test::hydromount(), "test", {.version = 2});
  if (std::find(fmu.platforms.begin(), fmu.platforms.end(), "win64") == fmu.platforms.end())
    GTEST_SKIP() << "kdyn was built without x86_64-w64-mingw32-g++";
  const std::string& library = fmu.entry("binaries/win64/mount.dll");
  EXPECT_EQ(library.substr(0, 2), "MZ");
  if (!have("wine64") && !have("wine") && !std::filesystem::exists("/usr/lib/wine/wine64"))
    GTEST_SKIP() << "no wine here";
  const std::string wine = have("wine64") ? "wine64" : have("wine") ? "wine" : "/usr/lib/wine/wine64";
  const Folder folder;
  write_text(folder / "mount.dll", library);
  const std::string xml = fmu.entry("modelDescription.xml");
  const std::string token = xml.substr(xml.find("guid=\"") + 6, 38);
  const std::string command = "x86_64-w64-mingw32-g++ -std=c++17 -O0 -static -o " + (folder / "drive.exe") +
                              " " KDYN_SOURCE_DIR "/src/kdyn/fmu/test/drive_fmu.cpp && cd " + (folder / "") +
                              " && WINEPREFIX=" + (folder / "prefix") + " WINEDEBUG=-all " + wine +
                              " drive.exe mount.dll '" + token + "' > out.txt";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  compare_with_library(numbers_of(folder / "out.txt"), test::hydromount());
}

}  // namespace
}  // namespace kdyn::inline fmu
