// SPDX-License-Identifier: Apache-2.0
// Universal files: our own written and read again, defects of real files, and the public torture set.
// Tolerances: text of dataset 58 holds 13 digits (E20.12), of 55 six digits (E13.5); binary and 2411 (E25.16) hold
// every bit.
#include <gtest/gtest.h>

#include <fstream>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/uff_data.hpp"
#include "kdyn/io/uff_spectra.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using test::sample_modes;
using test::sample_response;
using test::shared;

bool has(const std::vector<Finding>& findings, const std::string& code) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.code == code; });
}

TEST(Uff, BinaryFunctionsKeepEveryBit) {
  const FrequencyResponse given = sample_response();
  FrequencyResponse read = frequency_response_of(parse_uff(uff_text(to_uff(given), {true, true}), "a.uff"));
  ASSERT_EQ(read.channels.size(), 2U);
  EXPECT_EQ(read.frequency_hz, given.frequency_hz);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(read.channels[c].values, given.channels[c].values);
    EXPECT_EQ(read.channels[c].coherence, given.channels[c].coherence);
    EXPECT_EQ(read.channels[c].output, given.channels[c].output);
    EXPECT_EQ(read.channels[c].input, given.channels[c].input);
    EXPECT_EQ(read.channels[c].output_unit, "m/s^2");
  }
  EXPECT_TRUE(read.findings.empty());
}

TEST(Uff, TextFunctionsKeepThirteenDigits) {
  FrequencyResponse given = sample_response();
  for (std::size_t i = 0; i < given.frequency_hz.size(); ++i)
    given.frequency_hz[i] = 10.0 + 0.25 * static_cast<double>(i);  // an even axis fits the header
  const std::string text = uff_text(to_uff(given), {false, true});
  FrequencyResponse read = frequency_response_of(parse_uff(text, "a.uff"));
  EXPECT_EQ(read.frequency_hz, given.frequency_hz);
  for (std::size_t i = 0; i < given.channels[0].values.size(); ++i)
    EXPECT_LT(std::abs(read.channels[0].values[i] - given.channels[0].values[i]), 1e-12);
  // What the format holds survives a second trip exactly.
  EXPECT_EQ(uff_text(to_uff(read), {false, true}), text);
}

TEST(Uff, ModesAndGeometrySurvive) {
  const ModeSet given = sample_modes();
  const ModeSet read = modes_of(parse_uff(uff_text(to_uff(given)), "a.uff"));
  ASSERT_EQ(read.modes.size(), 2U);
  EXPECT_EQ(read.dofs, given.dofs);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(read.modes[k].frequency_hz(), given.modes[k].frequency_hz(), 1e-5 * given.modes[k].frequency_hz());
    EXPECT_NEAR(read.modes[k].damping_ratio(), given.modes[k].damping_ratio(), 1e-6);
    for (std::size_t i = 0; i < given.dofs.size(); ++i)
      EXPECT_NEAR(read.modes[k].shape[i].real(), given.modes[k].shape[i].real(), 5e-6);
  }
  ASSERT_EQ(read.geometry.nodes.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(read.geometry.nodes[i].position, given.geometry.nodes[i].position);
  EXPECT_EQ(read.geometry.lines[0].nodes, given.geometry.lines[0].nodes);
  EXPECT_EQ(read.geometry.elements[1].beam[0], 2);
}

TEST(Uff, ComplexModesKeepTheirPole) {
  ModeSet given = sample_modes();
  given.complex_shapes = true;
  given.modes[0].shape[2] = {0.25, -0.5};
  given.modes[0].modal_a = {0.0, 3.0};
  const ModeSet read = modes_of(parse_uff(uff_text(to_uff(given)), "a.uff"));
  EXPECT_LT(std::abs(read.modes[0].pole - given.modes[0].pole), 1e-5 * std::abs(given.modes[0].pole));
  EXPECT_EQ(read.modes[0].shape[2], std::complex<double>(0.25, -0.5));
  EXPECT_EQ(read.modes[0].modal_a, std::complex<double>(0.0, 3.0));
}

// Residue of a mode with modal mass m: phi phi^T / (2 i omega_d m), which readers of dataset 55 know as 1 / modal A.
TEST(Uff, ComplexModesCarryTheirMassAsModalA) {
  ModeSet given = sample_modes();
  given.complex_shapes = true;
  given.modes[0].modal_mass = 2.5, given.modes[0].modal_a = 0.0;
  const ModeSet read = modes_of(parse_uff(uff_text(to_uff(given)), "a.uff"));
  const std::complex<double> expected(0.0, 5.0 * given.modes[0].pole.imag());
  EXPECT_LT(std::abs(read.modes[0].modal_a - expected), 1e-5 * std::abs(expected)) << "6 digits";
  EXPECT_EQ(read.scaling, ModeScaling::as_given);
}

TEST(Uff, CoordinateSystemsSurvive) {
  Geometry given = sample_modes().geometry;
  CoordinateSystem system;
  system.label = 7, system.name = "hub", system.p_GL_G = {0.5, -1.0, 2.0};
  system.R_GL = {{{0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}};
  given.systems = {system};
  given.nodes[1].motion_system = 7;
  const Geometry read = geometry_of(parse_uff(uff_text(to_uff(given)), "a.uff"));
  ASSERT_EQ(read.systems.size(), 1U);
  EXPECT_EQ(read.systems[0].R_GL, system.R_GL);
  EXPECT_EQ(read.systems[0].p_GL_G, system.p_GL_G);
  EXPECT_EQ(read.systems[0].label, 7);
  EXPECT_EQ(read.nodes[1].motion_system, 7);
  EXPECT_EQ(read.nodes[1].position, given.nodes[1].position);
}

TEST(Uff, SpectraAreDataAndDoubledDelimitersAreForgiven) {
  UffFile file;
  for (const int type : {2, 3, 6, 9, 12, 7}) {
    UffFunction f;
    f.type = type, f.response_node = 12, f.response_direction = 3, f.start = 1.0, f.step = 0.5;
    f.axes[0].type = 18, f.axes[0].unit = "Hz", f.axes[1].unit = "g^2/Hz";
    if (type == 3)
      f.is_complex = true, f.complex = {{1.0, 2.0}, {3.0, 4.0}};
    else
      f.real = {0.25 * type, 0.5};
    file.functions.push_back(f);
  }
  const std::string text = "    -1\n" + uff_text(file, {true, true});
  EXPECT_TRUE(looks_like_uff(text));
  std::vector<Finding> findings;
  const SpectrumSet set = spectra_of(parse_uff(text, "a.uff"), findings);
  ASSERT_EQ(set.spectra.size(), 5U);
  ASSERT_EQ(findings.size(), 1U) << "type 7 is told";
  EXPECT_EQ(set.spectra[3].kind, SpectrumKind::power_spectral_density);
  EXPECT_EQ(set.spectra[3].unit, "g^2/Hz");
  EXPECT_EQ(set.spectra[3].values[0], 2.25);
  EXPECT_EQ(set.spectra[3].frequency_hz, (std::vector<double>{1.0, 1.5}));
  EXPECT_EQ(set.spectra[1].values[1], std::complex<double>(3.0, 4.0));
  const SpectrumSet again = spectra_of(parse_uff(uff_text(to_uff(set), {true, true}), "b.uff"), findings);
  ASSERT_EQ(again.spectra.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(again.spectra[i].values, set.spectra[i].values);
  EXPECT_EQ(spectra_csv({{set.spectra[3]}, {}}, "x.csv"), "frequency_hz,psd_12+Z [g^2/Hz]\n1,2.25\n1.5,0.5\n");
}

TEST(Uff, ABadDatasetLeavesTheOthers) {
  const FrequencyResponse given = sample_response();
  UffFile file = to_uff(given);
  std::string text = uff_text(file, {false, true});
  // The second function's form record is destroyed.
  const std::size_t second = text.find("    58\n", text.find("    58\n") + 7);
  const std::size_t record = text.find("         4         7", second);
  ASSERT_NE(record, std::string::npos);
  text.replace(record, 10, "     FOUR!");
  const UffFile read = parse_uff(text, "bad.uff");
  EXPECT_EQ(read.functions.size(), 3U);
  ASSERT_TRUE(has(read.findings, "bad_record"));
  const auto finding = *std::find_if(read.findings.begin(), read.findings.end(),
                                     [](const Finding& f) { return f.code == "bad_record"; });
  EXPECT_NE(finding.where.find("dataset 58"), std::string::npos) << finding.where;
  EXPECT_NE(finding.where.find("record 7"), std::string::npos) << finding.where;
  EXPECT_NE(finding.where.find("byte "), std::string::npos) << finding.where;
}

TEST(Uff, ForgivesWhatRealFilesDo) {
  const std::string head =
      "    -1\n    58\nNONE\nNONE\nNONE\nNONE\nNONE\n    4         0    0         0 NONE              12   3 NONE      "
      "         1   1\n";
  const std::string axes =
      "        18    0    0    0 Frequency            Hz\n        12    0    0    0 Acceleration         g\n        13 "
      "   0    0    0 Force          "
      "      N\n         0    0    0    0 NONE                 NONE\n";
  // Fields that run together, D exponents, an exponent without its letter, a wrong count, no closing -1.
  const std::string text = head + "         5         9         1  0.00000E+00  1.00000E+00  0.00000E+00\n" + axes +
                           " 1.00000E+00-2.00000E+00-3.00000D+00 4.00000-101\n";
  UffFile file = parse_uff(text, "odd.uff");
  ASSERT_EQ(file.functions.size(), 1U);
  ASSERT_EQ(file.functions[0].complex.size(), 2U);
  EXPECT_EQ(file.functions[0].complex[0], std::complex<double>(1.0, -2.0));
  EXPECT_EQ(file.functions[0].complex[1], std::complex<double>(-3.0, 4e-101));
  EXPECT_TRUE(has(file.findings, "wrong_count"));
  EXPECT_TRUE(has(file.findings, "not_closed"));
  const FrequencyResponse response = frequency_response_of(std::move(file));
  EXPECT_DOUBLE_EQ(response.channels[0].values[0].real(), 9.80665);  // "g" of an acceleration is gravity
  EXPECT_EQ(response.channels[0].output_unit, "m/s^2");
}

TEST(Uff, BinaryWithLineEndBeforeTheDelimiterAndWrongPointCount) {
  UffFile file = to_uff(sample_response());
  file.functions.resize(1);
  std::string text = uff_text(file, {true, true});
  text.insert(text.rfind("    -1\n"), "\r\n");
  EXPECT_EQ(parse_uff(text, "crlf.uff").functions[0].complex, file.functions[0].complex);
  // The count says 2 GB; the bytes announced are right and the next dataset is still there.
  std::string lying = uff_text(file, {true, true}) + uff_text(to_uff(sample_modes().geometry));
  const std::size_t record = lying.find("         6         7         0");
  ASSERT_NE(record, std::string::npos);
  lying.replace(record + 10, 10, "2147483647");
  const UffFile read = parse_uff(lying, "lying.uff");
  EXPECT_EQ(read.functions[0].complex, file.functions[0].complex);
  EXPECT_EQ(read.geometry.nodes.size(), 3U);
  EXPECT_TRUE(has(read.findings, "wrong_count"));
}

TEST(Uff, CoordinateSystemsPlaceNodes) {
  const std::string text =
      "    -1\n   164\n         1SI                           2\n  1.0000D+03  1.0000D+00  1.0000D+00\n  0.0000D+00\n  "
      "  -1\n"
      "    -1\n  2420\n         1\npart\n         5         1         0\ncylinder\n  1.0 0.0 0.0\n  0.0 1.0 0.0\n  0.0 "
      "0.0 1.0\n  10.0 0.0 0.0\n    "
      "-1\n"
      "    -1\n  2411\n         1         5         0         1\n   2.0D+02   9.0D+01   3.0D+01\n    -1\n";
  const UffFile file = parse_uff(text, "c.uff");
  const Geometry g = geometry_of(file);
  ASSERT_EQ(g.nodes.size(), 1U);
  // mm: 10 mm offset, radius 200 mm at 90 degrees, 30 mm up. cos(90 deg) is 6e-17.
  EXPECT_NEAR(g.nodes[0].position[0], 0.010, 1e-15);
  EXPECT_NEAR(g.nodes[0].position[1], 0.200, 1e-15);
  EXPECT_NEAR(g.nodes[0].position[2], 0.030, 1e-15);
}

TEST(Uff, RefusesWhatIsNone) {
  EXPECT_THROW(parse_uff("", "e"), Error);
  EXPECT_THROW(parse_uff("frequency_hz,amplitude\n1,2\n", "e"), Error);
}

class PublicUff : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(shared("uff"))) GTEST_SKIP() << "the public files are not here";
  }
};

TEST_F(PublicUff, EveryFileReads) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared("uff"))) {
    const UffFile file = read_uff(entry.path().string());
    EXPECT_FALSE(file.datasets.empty()) << entry.path();
    for (const Finding& finding : file.findings) {
      EXPECT_NE(finding.where.find("dataset"), std::string::npos) << finding.where;
      EXPECT_NE(finding.where.find("byte"), std::string::npos) << finding.where;
    }
    ++files;
  }
  EXPECT_GE(files, 17U);
}

TEST_F(PublicUff, BinaryAndTextOfOneMeasurementAgree) {
  const UffFile text = read_uff(shared("uff/Sample_UFF58_ascii.uff").string()),
                binary = read_uff(shared("uff/Sample_UFF58b_bin.uff").string());
  ASSERT_EQ(text.functions.size(), 1U);
  ASSERT_EQ(binary.functions[0].real.size(), 79292U);
  ASSERT_EQ(text.functions[0].real.size(), 79292U);
  // The text rounds single-precision values to six digits.
  for (std::size_t i = 0; i < 79292; ++i)
    ASSERT_NEAR(text.functions[0].real[i], binary.functions[0].real[i],
                5.1e-6 * std::abs(binary.functions[0].real[i]) + 1e-38);
}

TEST_F(PublicUff, KnownContents) {
  const SignalSet sine = signals_of(read_uff(shared("uff/binary8byte.uff").string()));
  ASSERT_EQ(sine.signals.size(), 1U);
  // A sine of 5 Hz sampled at 100 Hz, in g: its period is 20 samples. It was computed in single precision.
  const auto& v = sine.signals[0].values;
  for (std::size_t i = 0; i + 20 < v.size(); ++i) EXPECT_NEAR(v[i], v[i + 20], 1e-4);
  EXPECT_EQ(sine.signals[0].unit, "m/s^2");
  EXPECT_EQ(modes_of(read_uff(shared("uff/NX simulation output.uff").string())).modes.size(), 176U);
  EXPECT_NEAR(modes_of(read_uff(shared("uff/NX simulation output.uff").string())).modes[0].frequency_hz(), 23383.2,
              0.1);
  // Written in mm by dataset 164.
  const Geometry engine = geometry_of(read_uff(shared("uff/heat_engine_housing.uff").string()));
  EXPECT_NEAR(engine.nodes[0].position[0], -0.1711755676269531, 1e-15);
  const UffFile short_file = read_uff(shared("uff/dataset_milestone_in_header.uff").string());
  EXPECT_TRUE(has(short_file.findings, "wrong_count"));
  EXPECT_EQ(short_file.functions[0].real.size(), 42U);
}

}  // namespace
}  // namespace kdyn::inline io
