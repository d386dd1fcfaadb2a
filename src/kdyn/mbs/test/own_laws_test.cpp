// SPDX-License-Identifier: Apache-2.0
// Force tables and stops: the conformance suite of laws, closed forms, energy in a multibody run, gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "gradient_problem.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/element/conformance.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/own_laws.hpp"

namespace kdyn::mbs {
namespace {

Json shock() {
  return {{"model", "force_table"},
          {"velocity", {-1.0, -0.3, -0.1, 0.0, 0.1, 0.3, 1.0}},
          {"force", {-900.0, -450.0, -250.0, 0.0, 500.0, 900.0, 1700.0}}};
}
Json grid() {
  return {{"model", "force_table"},
          {"displacement", {-0.05, 0.0, 0.04}},
          {"velocity", {-0.5, 0.0, 0.5}},
          {"force", {{-1100.0, -300.0, 100.0}, {-400.0, 0.0, 500.0}, {-100.0, 250.0, 1200.0}}}};
}
Json stop() {
  return {{"model", "stop"},
          {"parameters",
           {{"stiffness", 3e6}, {"exponent", 1.7}, {"damping", 0.8}, {"lower_gap", 2e-3}, {"upper_gap", 4e-3}}}};
}

struct ForceTableFamily {
  using Law = ForceTable<double>;
  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return force_table_from_json(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    // Slopes change at nodes: the order of a step that crosses one drops, and small sines see one side.
    conformance::Example<Law> damper{"damper", force_table_from_json(shock(), "model")},
        both{"both", force_table_from_json(grid(), "model")};
    return {damper, both};
  }
};
struct StopFamily {
  using Law = StopLaw<double>;
  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return stop_from_json(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    Law pressed;
    pressed.stiffness = 3e6, pressed.exponent = 1.7, pressed.damping = 0.8, pressed.lower_gap = -5e-2;
    return {{"pressed together by five centimetres", pressed}};
  }
};

}  // namespace
}  // namespace kdyn::mbs

namespace kdyn::inline element {
INSTANTIATE_TYPED_TEST_SUITE_P(ForceTable, ElementConformance, mbs::ForceTableFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(Stop, ElementConformance, mbs::StopFamily);
}  // namespace kdyn::inline element

namespace kdyn::mbs {
namespace {

TEST(ForceTables, PassThroughTheirNodesAndGoOnOutside) {
  const auto law = force_table_from_json(grid(), "law");
  const auto force = [&](double u, double v) { return law.evaluate({u, v}, nullptr, {}, nullptr); };
  EXPECT_DOUBLE_EQ(force(-0.05, -0.5), -1100.0);
  EXPECT_DOUBLE_EQ(force(0.0, 0.5), 500.0);
  EXPECT_DOUBLE_EQ(force(0.04, 0.0), 250.0);
  // Straight on, in both directions; monotone between nodes.
  EXPECT_NEAR(force(0.06, 0.2) - force(0.05, 0.2), force(0.05, 0.2) - force(0.04, 0.2), 1e-9);
  EXPECT_NEAR(force(0.01, 0.9) - force(0.01, 0.7), force(0.01, 0.7) - force(0.01, 0.5), 1e-9);
  for (double v = -0.6; v < 0.6; v += 0.01) EXPECT_LT(force(0.0, v), force(0.0, v + 0.01));
  // Slopes are continuous across nodes.
  const double h = 1e-7;
  EXPECT_NEAR((force(h, 0.2) - force(0.0, 0.2)) / h, (force(0.0, 0.2) - force(-h, 0.2)) / h, 0.05);
}

TEST(Stops, FollowTheirFormula) {
  const auto law = stop_from_json(stop(), "law");
  const auto force = [&](double u, double v) { return law.evaluate({u, v}, nullptr, {}, nullptr); };
  EXPECT_EQ(force(1e-3, 5.0), 0.0);
  EXPECT_NEAR(force(7e-3, 0.0), 3e6 * std::pow(3e-3, 1.7), 1e-9);
  EXPECT_NEAR(force(-5e-3, -0.5), -3e6 * std::pow(3e-3, 1.7) * 1.4, 1e-9);
  EXPECT_EQ(force(-5e-3, 2.0), 0.0);  // it never pulls
}

TEST(OwnLaws, NameWhatIsWrong) {
  const auto refused = [](Json law, const std::string& key, const Json& value) {
    if (value.is_null())
      law.erase(key);
    else
      law[key] = value;
    try {
      model_law(law, "law");
    } catch (const Error& error) {
      EXPECT_FALSE(error.remedy().empty());
      return error.where() + ": " + error.message();
    }
    return std::string();
  };
  EXPECT_NE(refused(shock(), "velocity", {0.0, 0.1, 0.2}).find("forces stand where 3 are needed"), std::string::npos);
  EXPECT_NE(refused(shock(), "velocity", {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}).find("do not hold 0"), std::string::npos);
  EXPECT_NE(refused(shock(), "velocity", {-1, -0.3, -0.3, 0, 0.1, 0.3, 1}).find("law.velocity[2]"), std::string::npos);
  EXPECT_NE(refused(shock(), "velocity", nullptr).find("neither displacement nor velocity"), std::string::npos);
  EXPECT_NE(refused(shock(), "speed", 1).find("unknown field"), std::string::npos);
  EXPECT_NE(refused(grid(), "force", {1, 2, 3}).find("law.force[0]"), std::string::npos);
  EXPECT_NE(refused(stop(), "parameters", {{"stiffness", 1e5}}).find("no gap on either side"), std::string::npos);
  std::vector<Finding> findings;
  Json wrong = shock();
  for (Json& f : wrong["force"]) f = -f.get<double>();
  model_law(wrong, "law", &findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "table_gives_energy");
  findings.clear();
  Json fast = shock();
  for (Json& v : fast["velocity"]) v = v.get<double>() * 1000.0;
  model_law(fast, "law", &findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "table_units");
}

// A ball that falls on a stop: the height of the rebound by conservation of energy without damping, and by
// s'' = -g + (k/m) s^p (1 + d s') integrated by Runge-Kutta with damping.
TEST(Stops, ABallBouncesByItsEnergy) {
  for (const double damping : {0.0, 0.5}) {
    const Json model = {
        {"gravity", {0.0, 0.0, -9.81}},
        {"run", {{"step_s", 5e-5}, {"duration_s", 0.5}}},
        {"bodies", {{{"name", "ball"}, {"mass", 2.0}, {"inertia", {0.01, 0.01, 0.01}}, {"position", {0.0, 0.0, 0.1}}}}},
        {"bushings",
         {{{"name", "floor"},
           {"markers", {{{"body", "ground"}}, {{"body", "ball"}}}},
           {"laws",
            {{"fz",
              {{"model", "stop"},
               {"parameters", {{"stiffness", 2e6}, {"damping", damping}, {"lower_gap", 0.0}}}}}}}}}}};
    const ModelFile file = model_from_json(model, "model");
    const System system(file.model);
    double worst = 0.0, z = 0.1, v = 0.0, energy = 0.0, drift = 0.0;
    bool first = true;
    const auto acceleration = [&](double x, double w) {
      return -9.81 + (x < 0.0 ? 1e6 * std::pow(-x, 1.5) * std::max(0.0, 1.0 - damping * w) : 0.0);
    };
    simulate(
        system, file.run,
        [&](const RunState& s, const Evaluation& e) {
          if (!first)
            for (int i = 0; i < 10; ++i) {
              const double h = 5e-6;
              const double k1 = v, l1 = acceleration(z, v), k2 = v + 0.5 * h * l1,
                           l2 = acceleration(z + 0.5 * h * k1, k2), k3 = v + 0.5 * h * l2,
                           l3 = acceleration(z + 0.5 * h * k2, k3), k4 = v + h * l3, l4 = acceleration(z + h * k3, k4);
              z += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
              v += h * (l1 + 2.0 * l2 + 2.0 * l3 + l4) / 6.0;
            }
          const System::Energy now = system.energy(s.q, s.v, s.laws, e);
          const double total = now.kinetic + now.gravity + now.connections;
          if (first) energy = total;
          drift = std::max(drift, std::abs(total - energy));
          worst = std::max(worst, std::abs(s.q[2] - z));
          first = false;
        },
        silent_progress());
    EXPECT_LT(worst, 2e-5) << damping;  // second order over two bounces of 1 ms with steps of 0.05 ms
    if (damping == 0.0)
      EXPECT_LT(drift, 1e-3 * 2.0 * 9.81 * 0.1);
    else
      EXPECT_GT(drift, 0.1 * 2.0 * 9.81 * 0.1);
  }
}

// Shock absorbers and stops in place of the block's laws along z.
TEST(OwnLaws, AdjointForwardAndDifferencesAgree) {
  gradients::Problem p = gradients::block(gradients::linear_law, 0.1, 400.0);
  const auto shared = [](const Json& law) { return std::shared_ptr<AxisLaw>(model_law(law, "law")); };
  p.model.connections[0].laws[0] = shared(shock());
  p.model.connections[1].laws[0] = shared(grid());
  Json near = stop();
  near["parameters"]["lower_gap"] = 1e-5, near["parameters"]["upper_gap"] = 1e-5, near["parameters"]["exponent"] = 2.5;
  near["parameters"]["stiffness"] = 1e9;
  p.model.connections[0].laws[1] = shared(near);
  p.options.full_newton = true;
  std::vector<Parameter> parameters;
  const System system(p.model);
  for (const int a : {0, 1, 6})
    for (std::size_t i = 0; i < system.axes()[static_cast<std::size_t>(a)].law->parameter_names().size(); ++i)
      parameters.push_back({Parameter::Kind::law, a, static_cast<int>(i)});
  const gradients::Comparison c = gradients::compare(p, parameters, {1e-5}, 1);
  EXPECT_LT(c.forward, 1e-10);
  EXPECT_LT(c.differences, 1e-6);  // second derivatives jump at nodes and at the touch: differences see both sides
}

}  // namespace
}  // namespace kdyn::mbs
