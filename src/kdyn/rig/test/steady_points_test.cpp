// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/steady_points.hpp"

#include <cmath>
#include <complex>

#include <gtest/gtest.h>

#include "kdyn/base/json.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::inline rig {
namespace {

Json rubber() {
  return parse_json(R"({"model": "elastomer", "parameters": {
    "curve": [[-0.004, -3000], [-0.002, -900], [0, 0], [0.002, 900], [0.004, 3000]],
    "alpha": 0.1, "beta": 0.1, "gamma": 0.004, "lambda": 0.4, "rdl": 1e-4, "rho": 4000, "ymax": 3e-4}})",
                    "test");
}

// The mount as a run-time object knows no short cut: same law, other way round.
TEST(SteadyPoints, AreTheClosedFormsOfTheMount) {
  for (const double scale : {1.0, 2.5})
    for (const bool loop : {false, true}) {
      Json model = rubber();
      if (scale != 1.0) model["scale"] = scale;
      const auto mount = mount_from_json(model, "test");
      SteadyPoints points(model, *mount, loop);
      for (const double preload : {0.0, 400.0, -200.0})
        for (const double amplitude : {1e-4, 1e-3, 1e-4})
          for (const double hz : {1.0, 30.0}) {
            const auto expected = mount->closed_form(hz, amplitude, mount->static_displacement(preload));
            const ModelPoint found = points.at_preload(preload, hz, amplitude);
            EXPECT_DOUBLE_EQ(found.k_dyn, loop ? expected->k_dyn_loop : expected->k_dyn);
            EXPECT_DOUBLE_EQ(found.loss_angle, loop ? expected->loss_angle_loop : expected->loss_angle);
          }
    }
}

// Whole arrays: by tables where they are long, the same numbers.
TEST(SteadyPoints, ArraysAreTheirPoints) {
  const auto mount = mount_from_json(rubber(), "test");
  for (const bool loop : {false, true})
    for (const std::size_t n : {std::size_t(3), std::size_t(12'000)}) {
      if (loop && n > 100) continue;
      std::vector<double> preload, hz, amplitude;
      for (std::size_t i = 0; i < n; ++i) {
        preload.push_back(i % 2 == 0 ? 0.0 : 350.0);
        hz.push_back(1.0 + static_cast<double>(i % 97));
        amplitude.push_back(1e-5 * std::pow(300.0, static_cast<double>((i * 7919) % n) / static_cast<double>(n)));
      }
      std::vector<std::complex<double>> found(n);
      SteadyPoints points(rubber(), *mount, loop);
      points.at_preloads(preload, hz, amplitude, found);
      for (std::size_t i = 0; i < n; i += 1 + n / 500) {
        const ModelPoint one = points.at_preload(preload[i], hz[i], amplitude[i]);
        const std::complex<double> expected = std::polar(one.k_dyn, one.loss_angle);
        // amplitude_table.hpp: 1e-12, and the rounding of a preload of 350 N beside 4 N at the smallest amplitude.
        EXPECT_LT(std::abs(found[i] - expected), 1e-11 * std::abs(expected)) << amplitude[i];
      }
    }
}

// A scaled mount is as many times as stiff and loses the same angle.
TEST(SteadyPoints, ScaleMultipliesTheForce) {
  Json scaled = rubber();
  scaled["scale"] = 3.0;
  const auto one = mount_from_json(rubber(), "test"), three = mount_from_json(scaled, "test");
  const auto a = SteadyPoints(rubber(), *one, false).closed(0.0, 12.0, 5e-4);
  const auto b = SteadyPoints(scaled, *three, false).closed(0.0, 12.0, 5e-4);
  ASSERT_TRUE(a && b);
  EXPECT_NEAR(b->k_dyn / a->k_dyn, 3.0, 1e-14);
  EXPECT_NEAR(b->loss_angle, a->loss_angle, 1e-15);
}

}  // namespace
}  // namespace kdyn::inline rig
