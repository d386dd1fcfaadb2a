// SPDX-License-Identifier: Apache-2.0
// Measured frequency responses of a subframe (public, not part of the project): the modes of a careful independent fit,
// default settings.
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "kdyn/base/file.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/sysid/identify.hpp"

namespace kdyn::inline sysid {
namespace {

ModalResult identify_file(const std::string& name) {
  ModalOptions options;
  options.band_hz = {60.0, 265.0};
  const std::string path = KDYN_SHARED_DIR "/data/frf_subframe/" + name;
  return identify_modes(parse_frf_csv(read_text(path), path), options);
}

bool absent() { return !std::filesystem::exists(KDYN_SHARED_DIR "/data/frf_subframe/amp_sys1.csv"); }

void expect_stable(const ModalResult& result) {
  for (const auto& pole : result.model.poles) EXPECT_LT(pole.real(), 0.0);
  const Eigen::VectorXcd eigenvalues = result.state_space.A.eigenvalues();
  for (const auto& pole : eigenvalues) EXPECT_LT(pole.real(), 0.0);
}

TEST(Measured, EightModesOfTheSubframeAreFoundWithoutTuning) {
  if (absent()) GTEST_SKIP() << "the shared measurements are not here";
  const ModalResult result = identify_file("amp_sys1.csv");
  const double f[] = {75.330, 156.926, 192.665, 194.160, 205.118, 207.416, 240.654, 253.869};
  const double xi[] = {.00035, .00092, .00114, .00125, .00246, .00213, .00167, .00472};
  EXPECT_LE(result.misfit, 0.06);
  EXPECT_GT(result.misfit_without_residuals, 0.15);
  EXPECT_LE(result.modes.size(), 9U);
  for (int i = 0; i < 8; ++i) {
    bool found = false;
    // The first mode is so sharp that its damping rests on a few lines: 30 % there, 10 % elsewhere.
    for (const IdentifiedMode& mode : result.modes)
      found = found || (std::abs(mode.frequency_hz / f[i] - 1.0) < 5e-4 &&
                        std::abs(mode.damping / xi[i] - 1.0) < (i == 0 ? 0.3 : 0.1));
    EXPECT_TRUE(found) << f[i] << " Hz";
  }
  expect_stable(result);
}

// Three of six sensors: what phases of three components say about a mode must not cost one.
TEST(Measured, HalfOfTheSensorsFindTheSameModes) {
  if (absent()) GTEST_SKIP() << "the shared measurements are not here";
  const std::string path = KDYN_SHARED_DIR "/data/frf_subframe/periodic.csv";
  FrequencyResponse frf = parse_frf_csv(read_text(path), path);
  frf.channels.resize(3);
  ModalOptions options;
  options.band_hz = {60.0, 265.0};
  const ModalResult result = identify_modes(frf, options);
  EXPECT_EQ(result.modes.size(), 8U);
  EXPECT_LE(result.misfit, 0.03);
}

TEST(Measured, OtherRunsAreFollowedWithinThreePercent) {
  if (absent()) GTEST_SKIP() << "the shared measurements are not here";
  for (const char* name : {"periodic.csv", "subFfax_id3_multisine_8ch.csv"}) {
    const ModalResult result = identify_file(name);
    EXPECT_LE(result.misfit, 0.03) << name;
    expect_stable(result);
  }
}

}  // namespace
}  // namespace kdyn::inline sysid
