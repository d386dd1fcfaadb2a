// SPDX-License-Identifier: Apache-2.0
// Any file by its content, and the ways between formats: what comes out of a chain of conversions is what went in.
#include <gtest/gtest.h>
#include <unistd.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

Exchange through(const Exchange& given, const std::string& path, const ExchangeWriteOptions& options = {}) {
  std::vector<Finding> findings;
  Exchange out = parse_exchange(exchange_bytes(given, path, options, findings), path);
  EXPECT_NE(out.kind(), "unknown") << path << " " << (out.findings.empty() ? "" : out.findings.back().message);
  return out;
}

TEST(Exchange, FrequencyResponsesSurviveAChain) {
  Exchange start;
  start.response = test::sample_response();
  Exchange now = start;
  for (const char* step : {"a.csv", "b.mat", "c.h5", "d.csv"}) now = through(now, step);
  now = through(now, "e.mat", {true, true, ""});
  EXPECT_EQ(now.response->channels[1].values, start.response->channels[1].values);
  EXPECT_EQ(now.response->channels[1].covariance[4].im_im, start.response->channels[1].covariance[4].im_im);
  const Exchange uff = through(now, "f.uff");
  EXPECT_EQ(uff.response->channels[1].values, start.response->channels[1].values);
  EXPECT_TRUE(uff.response->channels[1].covariance.empty());
  std::vector<Finding> findings;
  exchange_bytes(now, "f.uff", {}, findings);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].code, "lost");
}

TEST(Exchange, MatricesSurviveAChain) {
  Exchange start;
  start.matrices = test::sample_matrices();
  Exchange now = start;
  for (const char* step : {"a.op4", "b.mat", "c.h5"}) now = through(now, step);
  now = through(now, "d.op4", {false, false, ""});
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(test::same_values(now.matrices->matrices[i], start.matrices->matrices[i]));
  const Exchange one = through(now, "k.mtx", {true, false, "K"});
  EXPECT_TRUE(test::same_values(one.matrices->matrices[0], start.matrices->matrices[0]));
  EXPECT_TRUE(test::same_values(through(one, "k.sti").matrices->matrices[0], start.matrices->matrices[0]));
  std::vector<Finding> findings;
  EXPECT_THROW(exchange_bytes(now, "k.mtx", {}, findings), Error);
  EXPECT_THROW(exchange_bytes(now, "k.mtx", {true, false, "X"}, findings), Error);
}

TEST(Exchange, ModesGeometryAndBushings) {
  Exchange modes;
  modes.modes = test::sample_modes();
  EXPECT_EQ(through(modes, "a.h5").modes->modes[1].shape, modes.modes->modes[1].shape);
  EXPECT_EQ(through(modes, "a.unv").modes->dofs, modes.modes->dofs);
  EXPECT_EQ(through(modes, "a.fem").modes->modes.size(), 2U);
  Exchange geometry;
  geometry.geometry = modes.modes->geometry;
  EXPECT_EQ(through(geometry, "g.uff").geometry->nodes[2].position, geometry.geometry->nodes[2].position);
  Exchange bushing;
  bushing.bushing.emplace().directions[1].curve = {{-1e-3, -5.0}, {1e-3, 5.0}};
  const Exchange gbs = through(through(bushing, "a.bus"), "b.gbs");
  EXPECT_EQ(gbs.format, "gbs");
  EXPECT_NEAR(gbs.bushing->directions[1].curve[1].second, 5.0, 1e-9);
}

TEST(Exchange, RefusesWhatAFormatCannotCarry) {
  Exchange modes;
  modes.modes = test::sample_modes();
  std::vector<Finding> findings;
  for (const char* path : {"a.op4", "a.csv", "a.bus", "a.ubf", "a.mtx", "a.sid_fem", "a.docx", "a"}) {
    try {
      exchange_bytes(modes, path, {}, findings);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_FALSE(error.remedy().empty());
    }
  }
}

TEST(Exchange, UnreadableContentIsAFinding) {
  const Exchange none = parse_exchange("\x01\x02\x03 nonsense", "a.xyz");
  EXPECT_EQ(none.kind(), "unknown");
  ASSERT_FALSE(none.findings.empty());
  EXPECT_EQ(none.findings[0].severity, Severity::serious);
  EXPECT_THROW(read_exchange("/nowhere/at/all.uff"), Error);
}

TEST(Exchange, KnowsEveryPublicFile) {
  if (!std::filesystem::is_directory(test::shared("uff"))) GTEST_SKIP() << "the public files are not here";
  for (const char* folder : {"uff", "nastran", "frf_subframe", "mbs/sid"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::shared(folder))) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || extension == ".op2" || extension == ".f06" ||
          entry.path().filename() == "LICENSE")
        continue;
      if (entry.path().filename() == "cbush.pch") continue;  // printed results, not a format of the list
      const Exchange one = read_exchange(entry.path().string());
      EXPECT_FALSE(one.format.empty()) << entry.path();
      EXPECT_FALSE(one.words.empty()) << entry.path();
    }
}

}  // namespace
}  // namespace kdyn::inline io
