// SPDX-License-Identifier: Apache-2.0
// Frequency responses as text: our layout exactly, the older layout of the public subframe tests.
#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using test::sample_response;
using test::shared;

TEST(FrfCsv, RoundTripsExactly) {
  const FrequencyResponse given = sample_response();
  const std::string text = frf_csv(given);
  EXPECT_TRUE(looks_like_frf_csv(text));
  const FrequencyResponse read = parse_frf_csv(text, "a.csv");
  EXPECT_TRUE(read.findings.empty()) << read.findings[0].message;
  EXPECT_EQ(read.frequency_hz, given.frequency_hz);
  ASSERT_EQ(read.channels.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(read.channels[c].values, given.channels[c].values);
    EXPECT_EQ(read.channels[c].coherence, given.channels[c].coherence);
    EXPECT_EQ(read.channels[c].output, given.channels[c].output);
    EXPECT_EQ(read.channels[c].input, given.channels[c].input);
    EXPECT_EQ(read.channels[c].output_unit, "m/s^2");
    for (std::size_t i = 0; i < given.frequency_hz.size(); ++i)
      EXPECT_EQ(read.channels[c].covariance[i].re_im, given.channels[c].covariance[i].re_im);
  }
  EXPECT_EQ(frf_csv(read), text);
}

TEST(FrfCsv, UnitsAreConvertedAndMissingOnesSaid) {
  const FrequencyResponse read = parse_frf_csv(
      "# unit a+Z:f+Z mm/s^2 kN\nfrequency_hz,a+Z:f+Z_re,a+Z:f+Z_im,b:f_re,b:f_im\n1,2,4,1,1\n2,3,5,1,1\n", "a.csv");
  EXPECT_NEAR(read.channels[0].values[0].real(), 2e-6, 1e-21);
  EXPECT_EQ(read.channels[0].output.name, "a");
  EXPECT_EQ(read.channels[0].output.direction, 3);
  EXPECT_EQ(read.channels[1].values[0].real(), 1.0);
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(read.findings[0].code, "unit_unknown");
}

TEST(FrfCsv, RefusesWithTheLine) {
  const auto where = [](const std::string& text) {
    try {
      parse_frf_csv(text, "a.csv");
    } catch (const Error& error) {
      return error.where();
    }
    return std::string("read");
  };
  EXPECT_EQ(where("frequency_hz,a:b_re\n1,2\n"), "a.csv:1");
  EXPECT_EQ(where("frequency_hz,a:b_re,a:b_im,a:b_re\n1,2,3,4\n"), "a.csv:1");
  EXPECT_EQ(where("frequency_hz,a:b_re,a:b_im\n2,2,3\n1,2,3\n"), "a.csv:3");
}

TEST(FrfCsv, PublicSubframe) {
  if (!std::filesystem::is_directory(shared("frf_subframe"))) GTEST_SKIP() << "the public files are not here";
  const auto read = [](const char* name) {
    return parse_frf_csv(read_text(shared(std::string("frf_subframe/") + name).string()), name);
  };
  const FrequencyResponse amplitude = read("amp_sys1.csv");
  EXPECT_EQ(amplitude.frequency_hz.size(), 2000U);
  ASSERT_EQ(amplitude.channels.size(), 6U);
  EXPECT_EQ(amplitude.channels[0].covariance.size(), 2000U);
  EXPECT_EQ(amplitude.channels[0].values[0], std::complex<double>(-0.0500385987, -0.00207209856));
  EXPECT_EQ(amplitude.channels[0].output_unit, "m/s^2");
  EXPECT_EQ(amplitude.channels[0].input_unit, "N");
  EXPECT_EQ(amplitude.channels[0].output.name, "Acc_24");
  const FrequencyResponse periodic = read("periodic.csv");
  EXPECT_EQ(periodic.frequency_hz.size(), 1840U);
  EXPECT_TRUE(periodic.channels[5].covariance.empty());
  EXPECT_EQ(periodic.channels[5].coherence.size(), 1840U);
  const FrequencyResponse eight = read("subFfax_id3_multisine_8ch.csv");
  EXPECT_EQ(eight.channels.size(), 8U);
  EXPECT_EQ(eight.frequency_hz.size(), 1000U);
  EXPECT_FALSE(eight.findings.empty());  // its units are not stored
}

}  // namespace
}  // namespace kdyn::inline io
