// SPDX-License-Identifier: Apache-2.0
// Tyres upright: against closed forms of springs, against the same model made of other parts, against a cam that is
// rolled by brute force, and their slopes against differences.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tyre_cases.hpp"

namespace kdyn::mbs {
namespace {

using namespace tyres;

// m z'' + d z' + k z = 0 about the static deflection m g/k. The scheme errs by its second order: (omega h)^2 = 2e-5.
TEST(Tyre, VerticalIsASpringWithADamper) {
  const double m = 400.0, k = 2e5, d = 400.0, g = 9.81;
  Json model = guided(m, 0.3 - m * g / k);
  model["bodies"][0]["velocity"] = {0, 0, 0.1};
  const Record r = run_of(model);
  const double decay = d / (2 * m), w = std::sqrt(k / m - decay * decay);
  for (std::size_t i = 0; i < r.time.size(); ++i) {
    const double t = r.time[i], z = 0.1 / w * std::exp(-decay * t) * std::sin(w * t),
                 v = 0.1 * std::exp(-decay * t) * (std::cos(w * t) - decay / w * std::sin(w * t));
    EXPECT_NEAR(r.signal.at("wheel.position.z")[i], 0.3 - m * g / k + z, 1e-7);
    EXPECT_NEAR(r.signal.at("tyre.fz")[i], m * g - k * z - d * v, 0.03);
    EXPECT_NEAR(r.signal.at("tyre.contact.z")[i], 0.0, 1e-12);
    EXPECT_EQ(r.signal.at("tyre.force.z")[i], r.signal.at("tyre.fz")[i]);
  }
}

// A bouncing wheel without damping: it never pulls, and its energy stays.
TEST(Tyre, NeverPullsAndKeepsItsEnergy) {
  Json model = guided(20.0, 0.4);
  model["tyres"][0]["damping"] = 0;
  model["run"]["duration_s"] = 1.5;
  const Record r = run_of(model);
  const auto &fz = r.signal.at("tyre.fz"), &energy = r.signal.at("energy.total");
  const double whole = 20.0 * 9.81 * 0.1;
  for (std::size_t i = 0; i < fz.size(); ++i) {
    EXPECT_GE(fz[i], 0.0);
    // Steps across the touch see a kink: each costs h^2 of the acceleration there.
    EXPECT_NEAR(energy[i], energy[0], 2e-3 * whole);
  }
  EXPECT_TRUE(says(r.findings, "tyre_lifted"));
  EXPECT_NEAR(*std::max_element(fz.begin(), fz.end()),
              20 * 9.81 + std::sqrt(2.0 * 2e5 * whole + std::pow(20 * 9.81, 2)), 1.0);
}

// A load curve holds the work that was done on it.
TEST(Tyre, ALoadCurveKeepsItsEnergyToo) {
  Json model = guided(20.0, 0.36);
  model["tyres"][0]["damping"] = 0;
  model["tyres"][0].erase("stiffness");
  model["tyres"][0]["load_curve"] = {{0, 0}, {0.01, 1200}, {0.03, 6000}, {0.06, 20000}};
  const Record r = run_of(model);
  const auto& energy = r.signal.at("energy.total");
  for (std::size_t i = 0; i < energy.size(); ++i) EXPECT_NEAR(energy[i], energy[0], 2e-3 * 20.0 * 9.81 * 0.06);
}

// A road that moves under the wheel is a post with a spring and a damper on it: the same model, of a driven body and a
// bushing. The post's velocity is the scheme's, the road's is exact: they differ by the second order of the step.
TEST(Tyre, AMovingRoadIsAPost) {
  Json model = guided(300.0, 0.3 - 300.0 * 9.81 / 2e5);
  model["run"]["step_s"] = 5e-4;
  model["tyres"][0]["road"] = {{"height", "0.004*sin(2*pi*3*t) + 0.001*t"}};
  const Record r = run_of(model);
  Json post = model;
  post.erase("tyres");
  post["bodies"].push_back({{"name", "post"}, {"mass", 1.0}, {"inertia", {1, 1, 1}}});
  post["joints"].push_back(
      {{"name", "post_guide"}, {"kind", "translational"}, {"markers", {{{"body", "ground"}}, {{"body", "post"}}}}});
  post["joints"].push_back({{"name", "lift"},
                            {"kind", "drive_translation"},
                            {"axis", "z"},
                            {"markers", {{{"body", "ground"}}, {{"body", "post"}}}},
                            {"drive", "0.004*sin(2*pi*3*t) + 0.001*t"}});
  post["bushings"] = {
      {{"name", "spring"},
       {"markers", {{{"body", "post"}, {"position", {0, 0, 0.3}}}, {{"body", "wheel"}}}},
       {"laws", {{"fz", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 2e5}, {"damping", 400}}}}}}}}};
  const Record other = run_of(post);
  for (std::size_t i = 0; i < r.time.size(); ++i) {
    EXPECT_NEAR(r.signal.at("wheel.position.z")[i], other.signal.at("wheel.position.z")[i], 2e-8);
    EXPECT_NEAR(r.signal.at("tyre.fz")[i], -other.signal.at("spring.fz.load")[i], 2e-3);
  }
}

// The cam against one that is set down by brute force on a fine grid. Its path has corners; between points of the
// path's own grid, a/256 = 1.2 mm, they are cut by an eighth of the change of slope, up to 0.7, over it.
TEST(Tyre, ACamRollsOverTheRoad) {
  const Curve road = {{-1.0, 0.0},   {-0.1, 0.0},  {-0.099, 0.02}, {-0.08, 0.02}, {-0.079, 0.0}, {0.2, 0.0},
                      {0.25, -0.03}, {0.5, -0.03}, {0.501, 0.0},   {1.0, 0.01},   {1.5, 0.03}};
  const Enveloping cam{0.1, 0.31, 0.29, 1.8};
  const auto height = [&](double x) {
    if (x <= road.front().first) return road.front().second;
    if (x >= road.back().first) return road.back().second;
    std::size_t i = 1;
    while (road[i].first < x) ++i;
    return road[i - 1].second +
           (road[i].second - road[i - 1].second) * (x - road[i - 1].first) / (road[i].first - road[i - 1].first);
  };
  const RoadPath path(cam_path(road, cam), 0.0);
  for (double x = -1.4; x < 1.9; x += 0.0137) {
    double highest = -1.0;
    for (int k = -31000; k <= 31000; ++k) {
      const double s = 1e-5 * k;
      const double depth = 0.29 - 0.29 * std::pow(1.0 - std::pow(std::abs(s) / 0.31, 1.8), 1.0 / 1.8);
      highest = std::max(highest, height(x + s) - depth);
    }
    double z, slope, tangent;
    path.at(x, z, slope, tangent);
    EXPECT_NEAR(z, highest, 1.1e-4) << x;
  }
}

// A step of height H is first felt where the cam's under side reaches H:
// z(X) = H - b (1 - (1 - (s/a)^p)^(1/p)), s the way to the step.
TEST(Tyre, AStepIsFeltAsTheCamSays) {
  const Enveloping cam{0.1, 0.3, 0.3, 2.0};
  const double H = 0.02;
  const RoadPath path(cam_path({{-2.0, 0.0}, {0.0, 0.0}, {1e-4, H}, {2.0, H}}, cam), 0.0);
  const double first = std::sqrt(0.3 * 0.3 - 0.28 * 0.28);
  for (double s = 0.01; s < 0.14; s += 0.004) {
    double z, slope, tangent;
    path.at(1e-4 - s, z, slope, tangent);
    const double expected = s < first ? H - (0.3 - std::sqrt(0.09 - s * s)) : 0.0;
    // Away from the corner where the cam begins to climb: grid^2 times the curvature of the cam.
    EXPECT_NEAR(z, expected, std::abs(s - first) < 2e-3 ? 6e-5 : 3e-6) << s;
  }
  // Over an obstacle between equal heights the slopes of the effective plane do no work on a constant load.
  const RoadPath both(cam_path({{-2.0, 0.0}, {0.0, 0.0}, {1e-3, H}, {0.03, H}, {0.031, 0.0}, {2.0, 0.0}}, cam), 0.1);
  double work = 0.0, up = 0.0;
  const double dx = 1e-5;
  for (double x = -1.0; x < 1.0; x += dx) {
    double z, slope, tangent;
    both.at(x, z, slope, tangent);
    work += tangent * dx, up += std::abs(tangent) * dx;
    EXPECT_LE(z, H + 1e-9);
  }
  EXPECT_GT(up, 0.5 * H);
  EXPECT_NEAR(work, 0.0, 1e-6 * up);
}

// Tangents of a tyre by dual numbers against central differences, wherever its pieces join smoothly.
void expect_slopes(const Tyre& tyre, double t, const std::vector<double>& y, const std::vector<double>& w) {
  TyreJet in[tyre_inputs], states[tyre_states];
  for (int k = 0; k < tyre_inputs; ++k) in[k].a = y[static_cast<std::size_t>(k)], in[k].v[k] = 1.0;
  for (int k = 0; k < tyre_states; ++k)
    states[k].a = w[static_cast<std::size_t>(k)], states[k].v[tyre_inputs + k] = 1.0;
  const TyreForce<TyreJet> f = evaluate(tyre, t, in, states);
  for (int k = 0; k < tyre_inputs + tyre_states; ++k) {
    const double h = 1e-6;
    TyreForce<double> side[2];
    for (int s = 0; s < 2; ++s) {
      std::vector<double> a = y, b = w;
      (k < tyre_inputs ? a[static_cast<std::size_t>(k)] : b[static_cast<std::size_t>(k - tyre_inputs)]) +=
          (s == 0 ? h : -h);
      side[s] = evaluate(tyre, t, a.data(), b.data());
    }
    const auto compare = [&](const TyreJet& exact, double plus, double minus, double size, const char* what, int i) {
      // Differences lose the value's rounding over h, 1e-16/1e-6, and h^2 of the third derivative.
      EXPECT_NEAR(exact.v[k], (plus - minus) / (2 * h), 2e-6 * size + 1e-5 * std::abs(exact.v[k]))
          << what << i << " by " << k << " at x = " << y[0] << ", v = " << y[6];
    };
    for (int i = 0; i < 3; ++i) {
      compare(f.force[i], side[0].force[i], side[1].force[i], 2e5, "force ", i);
      compare(f.torque[i], side[0].torque[i], side[1].torque[i], 6e4, "torque ", i);
    }
    for (int i = 0; i < 2; ++i) compare(f.rate[i], side[0].rate[i], side[1].rate[i], 10.0, "rate ", i);
  }
}

TEST(Tyre, SlopesAreExact) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  for (const bool linear : {true, false}) {
    const Tyre tyre = example_tyre(linear);
    for (int i = 0; i < 60; ++i) {
      const double speed = i % 3 == 0 ? 0.5 : i % 3 == 1 ? 12.0 : -6.0;
      const double tilt = 0.1 * any(random), yaw = 0.2 * any(random);
      const Vector3 axis = Vector3(std::sin(yaw), std::cos(yaw), std::sin(tilt)).normalized();
      expect_slopes(tyre, 0.3,
                    {0.9 + 0.3 * any(random), any(random), 0.29 + 0.01 * any(random), axis.x(), axis.y(), axis.z(),
                     speed, 0.4 * any(random), 0.2 * any(random), 0.3 * any(random), speed / 0.31 + 2.0 * any(random),
                     0.3 * any(random)},
                    {0.01 * any(random), 0.02 * any(random)});
    }
  }
}

}  // namespace
}  // namespace kdyn::mbs
