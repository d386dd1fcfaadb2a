// SPDX-License-Identifier: Apache-2.0
// Fields, couplers, friction and limits of joints: against beam theory, closed forms, the balance of energy and the same
// parts written out.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/linearise.hpp"
#include "kdyn/mbs/model_expansion.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {
namespace {

// Stiffness at the tip of a cantilever along x with its own axes, Euler and Bernoulli.
Eigen::Matrix<double, 6, 6> beam(double EA, double EIy, double EIz, double GJ, double L) {
  Eigen::Matrix<double, 6, 6> K = Eigen::Matrix<double, 6, 6>::Zero();
  K(0, 0) = EA / L, K(3, 3) = GJ / L;
  K(1, 1) = 12.0 * EIz / (L * L * L), K(5, 5) = 4.0 * EIz / L, K(1, 5) = K(5, 1) = -6.0 * EIz / (L * L);
  K(2, 2) = 12.0 * EIy / (L * L * L), K(4, 4) = 4.0 * EIy / L, K(2, 4) = K(4, 2) = 6.0 * EIy / (L * L);
  return K;
}
Json rows(const Eigen::Matrix<double, 6, 6>& K) {
  Json out = Json::array();
  for (int i = 0; i < 6; ++i) {
    Json row = Json::array();
    for (int j = 0; j < 6; ++j) row.push_back(K(i, j));
    out.push_back(row);
  }
  return out;
}
Json tip_on_beam(const Eigen::Matrix<double, 6, 6>& K) {
  return {{"run", {{"step_s", 1e-3}, {"duration_s", 0.5}}},
          {"bodies",
           {{{"name", "tip"},
             {"mass", 2.0},
             {"inertia", {0.02, 0.03, 0.04}},
             {"position", {0.8, 0.0, 0.0}},
             {"angular_velocity", {0.6, -0.9, 0.5}},
             {"velocity", {0.1, 0.3, -0.2}}}}},
          {"bushings",
           {{{"name", "root to tip"},
             {"markers", {{{"body", "ground"}, {"position", {0.8, 0.0, 0.0}}}, {{"body", "tip"}}}},
             {"stiffness_matrix", rows(K)}}}}};
}

// Deflection and slope of a cantilever under F and M: F L^3/(3 EI) + M L^2/(2 EI), F L^2/(2 EI) + M L/(EI). The load is
// small enough for the square of the slope to vanish.
TEST(ModelElements, AFieldIsTheTipOfABeam) {
  const double EI = 5e3, L = 0.8, F = 1e-3, M = 2e-4;
  Json model = tip_on_beam(beam(1e7, EI, 2.0 * EI, 3e3, L));
  for (const char* key : {"angular_velocity", "velocity"}) model["bodies"][0].erase(key);
  model["loads"] = {{{"name", "pull"}, {"marker", {{"body", "tip"}}}, {"force", {0, 0, F}}, {"torque", {0, M, 0}}}};
  const ModelFile file = model_from_json(model, "model");
  const System system(file.model);
  const LinearModel linear = linearise(system, true, {}, {});
  ASSERT_EQ(linear.status, RunStatus::done) << linear.reason;
  const VectorX& q = linear.at.q;
  // The moment about y bends towards -z: theta_y = -dw/dx.
  EXPECT_NEAR(q[2], F * L * L * L / (3.0 * EI) - M * L * L / (2.0 * EI), 1e-6 * F * L * L * L / EI);
  EXPECT_NEAR(q[9], -F * L * L / (2.0 * EI) + M * L / EI, 1e-6 * M * L / EI);  // row 1 of A's third column
}

// A symmetric field has a potential in its measures, for motion of any size: the energy stays, to the second order of the
// scheme.
TEST(ModelElements, AFieldKeepsTheEnergy) {
  const Eigen::Matrix<double, 6, 6> K = beam(4e4, 150.0, 220.0, 90.0, 0.8);
  const auto drift = [&](double h) {
    Json model = tip_on_beam(K);
    model["run"] = {{"step_s", h}, {"duration_s", 0.5}, {"rho_infinity", 1.0}};
    const ModelFile file = model_from_json(model, "model");
    const System system(file.model);
    double first = -1.0, worst = 0.0;
    const RunResult run = simulate(
        system, file.run,
        [&](const RunState& s, const Evaluation& e) {
          const Vector6 x = e.measure[0].x;
          const double energy = system.energy(s.q, s.v, s.laws, e).kinetic + 0.5 * x.dot(K * x);
          if (first < 0.0) first = energy;
          worst = std::max(worst, std::abs(energy / first - 1.0));
        },
        silent_progress());
    EXPECT_EQ(run.status, RunStatus::done) << run.reason;
    return worst;
  };
  const double coarse = drift(4e-4), fine = drift(2e-4);
  EXPECT_LT(fine, 2e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.3);
}

// Two masses on springs k with a roll bar kc between them: in phase k/m, against each other (k + 2 kc)/m; damping
// likewise.
TEST(ModelElements, ACouplerIsARollBar) {
  const double k = 2e4, kc = 3e3, cc = 15.0, m = 40.0;
  const Json spring = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", 0.0}}}};
  Json model = {{"bodies", Json::array()}, {"joints", Json::array()}, {"bushings", Json::array()}};
  for (const std::string side : {"left", "right"}) {
    const double y = side == "left" ? 0.7 : -0.7;
    model["bodies"].push_back({{"name", side}, {"mass", m}, {"inertia", {1, 1, 1}}, {"position", {0, y, 0}}});
    const Json markers = {{{"body", "ground"}, {"position", {0, y, 0}}}, {{"body", side}}};
    model["joints"].push_back({{"name", side + "_rail"}, {"kind", "translational"}, {"markers", markers}});
    model["bushings"].push_back({{"name", side + " coil"}, {"markers", markers}, {"laws", {{"fz", spring}}}});
  }
  model["couplers"] = {
      {{"name", "roll bar"}, {"of", {{"left coil.fz", 1}, {"right coil.fz", -1}}}, {"stiffness", kc}, {"damping", cc}}};
  const ModelFile file = model_from_json(model, "model");
  const auto found = modes(linearise(System(file.model), false, {}, {}));
  ASSERT_EQ(found.size(), 2u);
  const double two_pi = 2.0 * std::numbers::pi, roll = std::sqrt((k + 2.0 * kc) / m);
  EXPECT_NEAR(found[0].frequency_hz * two_pi, std::sqrt(k / m), 1e-9);
  EXPECT_NEAR(found[1].frequency_hz * two_pi, roll, 1e-9);
  EXPECT_NEAR(found[0].damping_ratio, 0.0, 1e-12);
  EXPECT_NEAR(found[1].damping_ratio, 2.0 * cc / (2.0 * m * roll), 1e-12);
}

// A rack and its pinion: s = x - R phi. With a stiff mesh the rack has the mass m + J/R^2.
TEST(ModelElements, ACouplerIsARackAndPinion) {
  const double R = 0.02, m = 3.0, J = 4e-4, k = 5e4;
  const Json spring = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", 0.0}}}};
  const Json rack = {{{"body", "ground"}}, {{"body", "rack"}}}, pinion = {{{"body", "ground"}}, {{"body", "pinion"}}};
  const Json model = {{"bodies",
                       {{{"name", "rack"}, {"mass", m}, {"inertia", {1, 1, 1}}},
                        {{"name", "pinion"}, {"mass", 1.0}, {"inertia", {J, J, J}}}}},
                      {"joints",
                       {{{"name", "rail"}, {"kind", "translational"}, {"markers", rack}},
                        {{"name", "bearing"}, {"kind", "revolute"}, {"markers", pinion}}}},
                      {"bushings",
                       {{{"name", "r"}, {"markers", rack}, {"laws", {{"fz", spring}}}},
                        {{"name", "p"}, {"markers", pinion}, {"forces", {{"tz", "0*t"}}}}}},
                      {"couplers", {{{"name", "mesh"}, {"of", {{"r.fz", 1}, {"p.tz", -R}}}, {"stiffness", 1e12}}}}};
  const ModelFile file = model_from_json(model, "model");
  const auto found = modes(linearise(System(file.model), false, {}, {}));
  ASSERT_FALSE(found.empty());
  // The mesh of 1e12 N/m leaves 1e-7 of the stiffness.
  EXPECT_NEAR(found[0].frequency_hz * 2.0 * std::numbers::pi, std::sqrt(k / (m + J / (R * R))), 1e-4);
}

// A block that slides on a rail with friction F comes to rest after m v^2/(2 F), and stays there although half the
// friction pulls at it.
TEST(ModelElements, FrictionStopsAndHolds) {
  const double m = 2.0, v = 1.5, F = 12.0, within = 1e-5;
  const Json model = {
      {"run", {{"step_s", 2e-4}, {"duration_s", 0.6}}},
      {"bodies", {{{"name", "block"}, {"mass", m}, {"inertia", {1, 1, 1}}, {"velocity", {0, 0, v}}}}},
      {"joints",
       {{{"name", "rail"},
         {"kind", "translational"},
         {"markers", {{{"body", "ground"}}, {{"body", "block"}}}},
         {"friction", {{"force", F}, {"sticks_within", within}}}}}},
      {"loads", {{{"name", "pull"}, {"marker", {{"body", "block"}}}, {"force", {0, 0, "if(t > 0.4, 6, 0)"}}}}}};
  const ModelFile file = model_from_json(model, "model");
  double rest = 0.0, furthest = 0.0;
  const RunResult run = simulate(
      System(file.model), file.run,
      [&](const RunState& s, const Evaluation&) {
        if (s.t < 0.4) rest = s.q[2];
        furthest = std::max(furthest, s.q[2]);
      },
      silent_progress());
  ASSERT_EQ(run.status, RunStatus::done) << run.reason;
  const double expected = 0.5 * m * v * v / F;
  // Friction grows over the way `within`, half of it lost at each end; the block springs back by as little.
  EXPECT_NEAR(rest, expected, 40.0 * within);
  EXPECT_NEAR(furthest, expected, 40.0 * within);
}

// Oracle: the bushing with the stop that the docs name, written out.
TEST(ModelElements, LimitsAreAStopBesideTheJoint) {
  const Json markers = {{{"body", "ground"}}, {{"body", "door"}}};
  Json with = {{"gravity", {0, -9.81, 0}},
               {"run", {{"step_s", 1e-3}, {"duration_s", 1.0}}},
               {"bodies", {{{"name", "door"}, {"mass", 3.0}, {"centre", {0.4, 0, 0}}, {"inertia", {0.1, 0.1, 0.1}}}}},
               {"joints", {{{"name", "hinge"}, {"kind", "revolute"}, {"markers", markers}}}}};
  Json written = with;
  with["joints"][0]["limits"] = {{"lower", -0.6}, {"upper", 0.2}, {"stiffness", 2e4}, {"damping", 0.5}};
  written["bushings"] = {
      {{"name", "hinge_limits"},
       {"markers", markers},
       {"laws",
        {{"tz",
          {{"model", "stop"},
           {"parameters",
            {{"stiffness", 2e4}, {"exponent", 1.5}, {"damping", 0.5}, {"lower_gap", 0.6}, {"upper_gap", 0.2}}}}}}}}};
  const auto angles = [](const Json& model) {
    const ModelFile file = model_from_json(model, "model");
    std::vector<double> out;
    simulate(
        System(file.model), file.run,
        [&](const RunState& s, const Evaluation& e) { (void)s, out.push_back(e.measure[0].x[5]); }, silent_progress());
    return out;
  };
  const std::vector<double> one = angles(with), other = angles(written);
  ASSERT_EQ(one, other);
  // It falls, is held near the lower limit, and springs back.
  EXPECT_LT(*std::min_element(one.begin(), one.end()), -0.6);
  EXPECT_GT(*std::min_element(one.begin(), one.end()), -0.75);
}

// The mirror image of a field has its signs turned with the axes that turn round.
TEST(ModelElements, AFieldIsMirrored) {
  Json part = tip_on_beam(beam(4e4, 150.0, 220.0, 90.0, 0.8));
  part.erase("run");
  const Json both = {
      {"run", {{"step_s", 1e-3}, {"duration_s", 0.2}}},
      {"subsystems", {{{"name", "left"}, {"model", part}}, {{"name", "right"}, {"model", part}, {"mirror", "y"}}}}};
  const ModelFile file = model_from_json(both, "model");
  double worst = 0.0, moved = 0.0;
  const RunResult run = simulate(
      System(file.model), file.run,
      [&](const RunState& s, const Evaluation&) {
        const Vector3 left = s.q.segment<3>(0), right = s.q.segment<3>(12);
        worst = std::max(worst, (left - Vector3(right.x(), -right.y(), right.z())).norm());
        moved = std::max(moved, std::abs(left.y()));
      },
      silent_progress());
  ASSERT_EQ(run.status, RunStatus::done) << run.reason;
  EXPECT_LT(worst, 1e-9);
  EXPECT_GT(moved, 1e-2);
}

TEST(ModelElements, SaysWhatIsWrong) {
  const auto refused = [](const std::function<void(Json&)>& change) {
    Json model = tip_on_beam(beam(4e4, 150.0, 220.0, 90.0, 0.8));
    const Json markers = {{{"body", "ground"}}, {{"body", "tip"}}};
    model["joints"] = {{{"name", "j"}, {"kind", "revolute"}, {"markers", markers}}};
    change(model);
    try {
      model_from_json(model, "model");
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty()) << error.what();
      return error.where() + ": " + error.message();
    }
    return std::string();
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_EQ(refused([](Json&) {}), "");
  EXPECT_PRED2(has, refused([](Json& m) { m["bushings"][0]["stiffness_matrix"][1][5] = 1e4; }), "not symmetric");
  EXPECT_PRED2(has, refused([](Json& m) { m["bushings"][0]["stiffness_matrix"][0][0] = -1.0; }), "negative eigenvalue");
  EXPECT_PRED2(has, refused([](Json& m) { m["bushings"][0]["stiffness_matrix"].erase(0); }), "6 rows of 6");
  EXPECT_PRED2(has, refused([](Json& m) { m["bushings"][0]["damping_matrix"] = 3; }), "6 rows of 6");
  const auto coupler = [](const Json& of, const Json& stiffness = 1e4) {
    return [=](Json& m) { m["couplers"] = {{{"name", "c"}, {"of", of}, {"stiffness", stiffness}}}; };
  };
  EXPECT_EQ(refused(coupler({{"root to tip.fz", 1}, {"root to tip.fy", 2}})), "");
  EXPECT_PRED2(has, refused(coupler({{"root to tip.fz", 1}, {"other.fy", 2}})), "no bushing 'other'");
  EXPECT_PRED2(has, refused(coupler({{"root to tip.fz", 1}, {"root to tip.up", 2}})), "no axis");
  EXPECT_PRED2(has, refused(coupler({{"root to tip.fz", 1}})), "two motions or more");
  EXPECT_PRED2(has, refused(coupler({{"root to tip.fz", 1}, {"root to tip.fy", 0}})), "not 0");
  EXPECT_PRED2(has, refused(coupler({{"root to tip.fz", 1}, {"root to tip.fy", 2}}, -1)), "below 0");
  EXPECT_PRED2(has, refused(coupler({{"root to tip.fz", 1}, {"root to tip.fy", 2}}, 0)), "neither");
  EXPECT_PRED2(has, refused([](Json& m) { m["joints"][0]["friction"] = {{"force", 0}}; }), "friction is missing");
  EXPECT_PRED2(has, refused([](Json& m) { m["joints"][0]["limits"] = {{"stiffness", 1e3}}; }), "no limit");
  EXPECT_PRED2(has, refused([](Json& m) { m["joints"][0]["limits"] = {{"stiffness", 1e3}, {"upper", 45}}; }), "3 rad");
  EXPECT_PRED2(has, refused([](Json& m) {
                 m["joints"][0]["limits"] = {{"stiffness", 1e3}, {"upper", -1}, {"lower", 1}};
               }),
               "not below");
  EXPECT_PRED2(has, refused([](Json& m) {
                 m["joints"][0]["kind"] = "spherical", m["joints"][0]["friction"] = {{"force", 1}};
               }),
               "one motion");
}

}  // namespace
}  // namespace kdyn::mbs
