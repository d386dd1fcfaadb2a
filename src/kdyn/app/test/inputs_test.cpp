// SPDX-License-Identifier: Apache-2.0
// Measurements of several parts, directions and temperatures never end in one fit: they are refused, or left out and
// told. Files are those of a made-up mount; the stiffness tells whose they are.
#include "kdyn/app/inputs.hpp"

#include <algorithm>
#include <filesystem>

#include <unistd.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::app {
namespace {

class Inputs : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string map(const std::string& name, double stiffness, const std::string& temperature = "") {
    std::string text = "frequency_hz,amplitude_mm,k_dyn_n_per_mm,loss_angle_deg";
    text += temperature.empty() ? "\n" : ",temperature_c\n";
    for (const double a : {0.1, 1.0})
      for (const double f : {1.0, 5.0, 20.0})
        text += fmt::format("{},{},{},5{}\n", f, a, stiffness + f, temperature.empty() ? "" : "," + temperature);
    return write(name, text);
  }
  std::string loop(const std::string& name, const std::string& preamble = "") {
    std::string text = preamble + "displacement_mm,force_n\n";
    for (int i = 0; i <= 20; ++i) text += fmt::format("{},{}\n", 0.1 * i, 40.0 * i);
    return write(name, text);
  }
  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    write_text(path, text);
    return path;
  }
  static std::string refusal(const std::vector<std::string>& paths, const ReadHints& hints = {}) {
    try {
      read_bench_inputs(paths, hints);
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.message() + " | " + error.remedy();
    }
    return "";
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("kdyn_inputs_" + std::to_string(::getpid()));
};

TEST_F(Inputs, ALoopAtAnotherTemperatureIsRefused) {
  const std::string cold = map("map.csv", 400.0, "23");
  EXPECT_NE(refusal({cold, loop("loop.csv", "# Temperature: 80 degC\n")}).find("80 degC"), std::string::npos);
  EXPECT_NE(refusal({cold, loop("loop_80C.csv")}).find("--temperature 23"), std::string::npos);
  EXPECT_EQ(refusal({cold, loop("loop_24C.csv")}), "");  // within 2 degrees
  EXPECT_EQ(refusal({cold, loop("plain.csv")}), "");     // tells none
  ReadHints hints;
  hints.temperature = 23.0;
  const BenchInputs chosen = read_bench_inputs({cold, loop("loop_80C.csv")}, hints);
  EXPECT_TRUE(chosen.data.loops.empty());
  EXPECT_TRUE(std::any_of(chosen.findings.begin(), chosen.findings.end(),
                          [](const Finding& f) { return f.code == "not_used"; }));
  EXPECT_NE(refusal({loop("a_20C.csv"), loop("b_60C.csv")}), "");
}

TEST_F(Inputs, OfSeveralTemperaturesTheLoopOfTheReferenceServes) {
  const BenchInputs all =
      read_bench_inputs({map("m_23C.csv", 400.0), map("m_80C.csv", 250.0), loop("l_23C.csv"), loop("l_80C.csv")}, {});
  EXPECT_EQ(all.data.map.rows.size(), 12u);
  ASSERT_EQ(all.data.loops.size(), 1u);
  EXPECT_NE(all.data.loops[0].source.path.find("l_23C"), std::string::npos);
  EXPECT_TRUE(std::any_of(all.findings.begin(), all.findings.end(),
                          [](const Finding& f) { return f.code == "not_used" && f.severity == Severity::warning; }));
}

TEST_F(Inputs, ALoopOfAnotherDirectionIsRefused) {
  const std::string z = map("z_map.csv", 400.0);
  EXPECT_NE(refusal({z, loop("x_static.csv")}).find("direction"), std::string::npos);
  EXPECT_NE(refusal({z, loop("static.csv", "# Direction: x\n")}).find("direction"), std::string::npos);
  EXPECT_EQ(refusal({z, loop("z_static.csv")}), "");
}

TEST_F(Inputs, MapsThatContradictEachOtherAreNotOnePart) {
  EXPECT_NE(refusal({map("a.csv", 400.0), map("b.csv", 600.0)}).find("times as high"), std::string::npos);
  EXPECT_EQ(refusal({map("a.csv", 400.0), map("c.csv", 410.0)}), "");  // repeated
}

TEST_F(Inputs, ProvenanceNamesColumns) {
  const BenchInputs one = read_bench_inputs({map("m.csv", 400.0)}, {});
  EXPECT_EQ(one.inputs[0].mapping.at("k_dyn"), "k_dyn_n_per_mm");
}

}  // namespace
}  // namespace kdyn::app
