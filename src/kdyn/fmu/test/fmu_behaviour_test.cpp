// SPDX-License-Identifier: Apache-2.0
// What an FMU does beyond its law: bushings, inputs from outside, tuning in mid-run, motion at the end of a step,
// events, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kdyn/activemount/active_mount_model.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/fmu/test/importer.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::inline fmu {
namespace {

using test::Path;
using test::Unit;

bool set_motion(Unit& unit, const Motion<double>& at) {
  return unit.set(unit["displacement"], at.u) && unit.set(unit["velocity"], at.v);
}

Fmu fmu_of(const Json& model, int version = 2) { return make_fmu(model, "test", {.version = version}); }

TEST(Fmu, BushingFollowsItsAxesAndTheirCoupling) {
  const Json model = test::bushing("cylindrical");
  const auto unit = test::load(fmu_of(model, 3), 3);
  Bushing bushing = bushing_from_json(model, "test");
  const auto motion = [](double t, Bushing::Vector& u, Bushing::Vector& v) {
    for (std::size_t i = 0; i < 6; ++i) {
      const Motion<double> at =
          Path{.scale = 0.5 + 0.1 * static_cast<double>(i), .shift = 0.7 * static_cast<double>(i)}(t);
      u[i] = at.u, v[i] = at.v;
    }
  };
  const auto set = [&](const Bushing::Vector& u, const Bushing::Vector& v) {
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_TRUE(unit->set((*unit)[std::string("displacement.") + axis_names[i]], u[i]) &&
                  unit->set((*unit)[std::string("velocity.") + axis_names[i]], v[i]));
  };
  Bushing::Vector u, v;
  motion(0.0, u, v);
  bushing.start(u, v);
  ASSERT_TRUE(unit->instantiate(true, unit->token) && unit->set_boolean((*unit)["inputs_at_end_of_step"], true) &&
              unit->enter_initialization(0.0));
  set(u, v);
  ASSERT_TRUE(unit->exit_initialization());
  double worst = 0.0, largest = 0.0;
  const double h = 1.0 / 700.0;
  for (int i = 1; i <= 400; ++i) {
    motion(i * h, u, v);
    set(u, v);
    ASSERT_TRUE(unit->step((i - 1) * h, h));
    const Bushing::Vector expected = bushing.advance(u, v, h);
    for (std::size_t a = 0; a < 6; ++a) {
      worst = std::max(worst, std::abs(expected[a] - unit->value(std::string("force.") + axis_names[a])));
      largest = std::max(largest, std::abs(expected[a]));
    }
  }
  EXPECT_LT(worst, 1e-12 * largest);
  // Coupling: the force along x depends on the displacement along y. Difference of the law over 1e-9 m, error about
  // 1e-7 of the slope.
  std::vector<double> slope;
  ASSERT_TRUE(unit->derivative({(*unit)["force.fx"]}, {(*unit)["displacement.fy"]}, {1.0}, slope));
  Bushing::Vector up = u, down = u;
  up[1] += 1e-9, down[1] -= 1e-9;
  const double expected = (bushing.peek(up, v)[0] - bushing.peek(down, v)[0]) / 2e-9;
  EXPECT_NEAR(slope[0], expected, 1e-5 * std::abs(expected) + 1.0);
}

// Without damping parts the force depends on path and memory alone, so that model exchange gives what the library's
// steps give.
TEST(Fmu, BushingRemembersInModelExchange) {
  Json model = test::bushing("spherical");
  Json rubber = test::elastomer();
  rubber["parameters"]["lambda"] = 0.0;
  model["axes"] = {{"fx", rubber}, {"fz", rubber}, {"ty", rubber}};
  const auto unit = test::load(fmu_of(model), 2);
  Bushing bushing = bushing_from_json(model, "test");
  const std::vector<std::size_t> moving = {0, 1, 2, 4};
  Bushing::Vector u{}, v{};
  bushing.start(u, v);
  ASSERT_TRUE(unit->instantiate(false, unit->token) && unit->enter_initialization(0.0) && unit->exit_initialization() &&
              unit->enter_continuous_mode());
  EXPECT_EQ(unit->state_count, 3U);
  EXPECT_EQ(unit->indicator_count, 3U);
  double worst = 0.0, largest = 0.0;
  const double h = 2e-3;
  for (int i = 1; i <= 300; ++i) {
    for (const std::size_t a : moving) {
      const Motion<double> at = Path{.scale = 0.5 + 0.1 * static_cast<double>(a), .shift = 0.0}(i * h);
      u[a] = at.u, v[a] = at.v;
      ASSERT_TRUE(unit->set((*unit)[std::string("displacement.") + axis_names[a]], at.u) &&
                  unit->set((*unit)[std::string("velocity.") + axis_names[a]], at.v));
    }
    ASSERT_TRUE(unit->set_time(i * h) && unit->completed_step());
    const Bushing::Vector expected = bushing.advance(u, v, h);
    for (std::size_t a = 0; a < 6; ++a) {
      worst = std::max(worst, std::abs(expected[a] - unit->value(std::string("force.") + axis_names[a])));
      largest = std::max(largest, std::abs(expected[a]));
    }
  }
  EXPECT_LT(worst, 1e-12 * largest);
}

TEST(Fmu, VoltageDrivesTheActiveMount) {
  const auto unit = test::load(fmu_of(test::activemount()), 2);
  const ActiveMount<double> law = active_mount_from_json(test::activemount(), "test").law;
  const Path path;
  ASSERT_TRUE(unit->begin_at_end(path(0.0).u, path(0.0).v));
  auto memory = law.start(path(0.0).u);
  std::array<double, 7> x{};
  double worst = 0.0, largest = 0.0;
  const double h = 1e-3;
  for (int i = 1; i <= 300; ++i) {
    const double voltage = 5.0 * std::sin(0.3 * i);
    const auto force = law.integrate(x.data(), memory, path((i - 1) * h), path(i * h), voltage, h);
    ASSERT_TRUE(unit->set((*unit)["voltage"], voltage) && set_motion(*unit, path(i * h)) && unit->step((i - 1) * h, h));
    worst =
        std::max({worst, std::abs(force.y - unit->value("force")), std::abs(force.x - unit->value("engine_force"))});
    largest = std::max(largest, std::abs(force.y));
  }
  EXPECT_LT(worst, 1e-12 * largest);
}

TEST(Fmu, CouplingSwitchesTheHydroMount) {
  const auto unit = test::load(fmu_of(test::hydromount(), 3), 3);
  const auto mount = mount_from_json(test::hydromount(), "test");
  const Path path;
  mount->start(path(0.0));
  ASSERT_TRUE(unit->begin_at_end(path(0.0).u, path(0.0).v));
  double worst = 0.0, largest = 0.0;
  const double h = 1e-3;
  for (int i = 1; i <= 300; ++i) {
    const double coupling = i < 100 ? 1.0 : i < 200 ? 0.0 : 0.6;
    mount->set_input(0, coupling);
    ASSERT_TRUE(unit->set((*unit)["coupling"], coupling) && set_motion(*unit, path(i * h)) &&
                unit->step((i - 1) * h, h));
    const double expected = mount->advance(path(i * h), h);
    worst = std::max(worst, std::abs(expected - unit->value("force")));
    largest = std::max(largest, std::abs(expected));
  }
  EXPECT_LT(worst, 1e-12 * largest);
}

TEST(Fmu, ParametersCanBeTunedBetweenSteps) {
  const auto unit = test::load(fmu_of(test::elastomer()), 2);
  Elastomer<double> law = elastomer_from_json(test::elastomer(), "test");
  const Path path;
  ASSERT_TRUE(unit->begin_at_end(path(0.0).u, path(0.0).v));
  auto memory = law.start(path(0.0).u);
  double z = 0.0, worst = 0.0, largest = 0.0;
  const double h = 1e-3;
  for (int i = 1; i <= 400; ++i) {
    if (i == 200) {  // friction keeps its turning points, the stiffness at the operating point follows
      law.static_stiffness = 500e3, law.rdl = 5e-5, law.gamma = 0.005;
      memory.k = law.stiffness_at(path(0.0).u);
      ASSERT_TRUE(unit->set((*unit)["static_stiffness"], 500e3) && unit->set((*unit)["rdl"], 5e-5) &&
                  unit->set((*unit)["gamma"], 0.005));
    }
    const double expected = law.advance(&z, memory, path((i - 1) * h), path(i * h), h);
    ASSERT_TRUE(set_motion(*unit, path(i * h)) && unit->step((i - 1) * h, h));
    worst = std::max(worst, std::abs(expected - unit->value("force")));
    largest = std::max(largest, std::abs(expected));
  }
  EXPECT_LT(worst, 1e-12 * largest);
}

TEST(Fmu, IndicatorsVanishAtTurningPoints) {
  const auto unit = test::load(fmu_of(test::hydromount()), 2);
  const Path path;
  ASSERT_TRUE(unit->begin(false, path(0.0).u, path(0.0).v) && unit->enter_continuous_mode());
  ASSERT_EQ(unit->indicator_count, 2U);
  std::vector<double> z(2);
  const HydroMount<double> law = hydromount_from_json(test::hydromount(), "test");
  const std::vector<double> x = {0.0, 0.0, 1e-5, 0.7};
  for (int i = 1; i <= 50; ++i) {
    const Motion<double> at = path(i * 1e-3);
    ASSERT_TRUE(unit->set_time(i * 1e-3) && unit->set_states(x) && set_motion(*unit, at) && unit->indicators(z));
    EXPECT_EQ(z[0], at.v);                                   // the main rubber turns where the velocity vanishes,
    EXPECT_DOUBLE_EQ(z[1], at.v - law.area_ratio() * x[3]);  // the chamber where as much fluid leaves as is displaced
  }
}

// A solver that stops at turning points needs no help from the cubic between its points: with very long steps between
// two turning points friction is exact, because it depends on the path alone.
TEST(Fmu, MemoryIsExactWhenTheSolverStopsAtTurningPoints) {
  Json model = test::elastomer();
  model["parameters"]["lambda"] = 0.0;  // friction and spring alone
  const auto unit = test::load(fmu_of(model), 2);
  const Elastomer<double> law = elastomer_from_json(model, "test");
  ASSERT_TRUE(unit->begin(false, 0.0, 0.0) && unit->enter_continuous_mode());
  auto memory = law.start(0.0);
  double t = 0.0, rate = 0.0;
  for (const double u : {1e-3, -4e-4, 5e-4, -2e-4, 2e-4, -1.2e-3, 0.0, -3e-4, 1.1e-3}) {
    ASSERT_TRUE(unit->set_time(t += 0.1) && set_motion(*unit, {u, 0.0}));
    const double z = 0.0;
    const double expected = law.evaluate({u, 0.0}, &z, memory, &rate);
    EXPECT_NEAR(unit->value("force"), expected, 1e-12 * std::abs(expected) + 1e-12);
    ASSERT_TRUE(unit->completed_step() && unit->enter_event_mode() && unit->enter_continuous_mode());
    memory.friction.commit(law.friction(), u);
  }
}

// At an event the velocity jumps (the corner of a triangle). The next step starts with the new velocity, so that its
// turning point is found.
TEST(Fmu, AJumpOfTheVelocityInEventModeIsAccepted) {
  Json model = test::elastomer();
  model["parameters"]["lambda"] = 0.0;
  const auto unit = test::load(fmu_of(model, 3), 3);
  const Elastomer<double> law = elastomer_from_json(model, "test");
  auto memory = law.start(0.0), without_jump = memory;
  ASSERT_TRUE(unit->begin(false, 0.0, 0.0) && unit->enter_continuous_mode());
  const Motion<double> corner{1e-3, 0.2}, after{1e-3, -0.2}, end{8e-4, 0.1};
  ASSERT_TRUE(unit->set_time(0.01) && set_motion(*unit, corner) && unit->completed_step());
  ASSERT_TRUE(unit->enter_event_mode() && set_motion(*unit, after) && unit->enter_continuous_mode());
  ASSERT_TRUE(unit->set_time(0.02) && set_motion(*unit, end) && unit->completed_step());
  for (auto* m : {&memory, &without_jump}) law.commit(*m, {0.0, 0.0}, corner, 0.01);
  law.commit(memory, after, end, 0.01);
  law.commit(without_jump, corner, end, 0.01);
  const Motion<double> later{9e-4, 0.1};
  ASSERT_TRUE(unit->set_time(0.03) && set_motion(*unit, later));
  const double z = 0.0;
  double rate = 0.0;
  const double expected = law.evaluate(later, &z, memory, &rate);
  EXPECT_NEAR(unit->value("force"), expected, 1e-12 * std::abs(expected));
  EXPECT_GT(std::abs(law.evaluate(later, &z, without_jump, &rate) - expected),
            1e-3 * std::abs(expected));  // the jump matters
}

// In initialization the mount rests at the displacement: the stiffness of its operating point, a slope of the curve,
// depends on it, and so does everything it scales. States may be given other start values there.
TEST(Fmu, DerivativesInInitializationIncludeTheStart) {
  const Json model = test::elastomer_with_curve();
  const auto unit = test::load(fmu_of(model), 2);
  const Elastomer<double> law = elastomer_from_json(model, "test");
  const Motion<double> at{3e-4, 0.05};
  const double z0 = 2e-5;
  ASSERT_TRUE(unit->instantiate(false, unit->token) && unit->enter_initialization(0.0) && set_motion(*unit, at) &&
              unit->set((*unit)["z"], z0));
  const auto force = [&](const Elastomer<double>& l, double u, double z) {
    double rate = 0.0;
    return l.evaluate({u, at.v}, &z, l.start(u), &rate);
  };
  EXPECT_NEAR(unit->value("force"), force(law, at.u, z0), 1e-12 * std::abs(force(law, at.u, z0)));
  std::vector<double> slope;
  // Differences over 1e-7 of a size err by about 1e-8.
  ASSERT_TRUE(unit->derivative({(*unit)["force"]}, {(*unit)["displacement"]}, {1.0}, slope));
  const double by_u = (force(law, at.u + 1e-9, z0) - force(law, at.u - 1e-9, z0)) / 2e-9;
  EXPECT_NEAR(slope[0], by_u, 1e-6 * std::abs(by_u));
  Elastomer<double> more = law, less = law;
  more.lambda += 1e-6, less.lambda -= 1e-6;
  ASSERT_TRUE(unit->derivative({(*unit)["force"]}, {(*unit)["lambda"]}, {1.0}, slope));
  const double by_lambda = (force(more, at.u, z0) - force(less, at.u, z0)) / 2e-6;
  EXPECT_NEAR(slope[0], by_lambda, 1e-6 * std::abs(by_lambda));
  ASSERT_TRUE(unit->derivative({(*unit)["force"]}, {(*unit)["z"]}, {1.0}, slope));
  const double by_z = (force(law, at.u, z0 + 1e-7) - force(law, at.u, z0 - 1e-7)) / 2e-7;
  EXPECT_NEAR(slope[0], by_z, 1e-6 * std::abs(by_z));
  ASSERT_TRUE(unit->exit_initialization() && unit->enter_continuous_mode());
  std::vector<double> x(1);
  ASSERT_TRUE(unit->get_states(x));
  EXPECT_EQ(x[0], z0);
}

TEST(Fmu, RefusesWhatMakesNoSense) {
  for (const int version : {2, 3}) {
    const auto unit = test::load(fmu_of(test::elastomer(), version), version);
    EXPECT_FALSE(unit->instantiate(true, "{00000000-0000-0000-0000-000000000000}"));
    EXPECT_FALSE(unit->messages.empty());
    ASSERT_TRUE(unit->instantiate(true, unit->token));
    EXPECT_FALSE(unit->exit_initialization());
    EXPECT_FALSE(unit->set((*unit)["gamma"], 0.0));  // must be above 0
    EXPECT_EQ(unit->messages.back(), "parameter gamma: 0 is out of its bounds, above 0 and at most 1e+06");
    EXPECT_FALSE(unit->set((*unit)["gamma"], -1.0));
    EXPECT_FALSE(unit->set((*unit)["gamma"], std::numeric_limits<double>::quiet_NaN()));
    EXPECT_EQ(unit->value("gamma"), 0.0035);
    EXPECT_NE(unit->messages.back().find("not finite"), std::string::npos);
    EXPECT_FALSE(unit->step(0.0, 0.1));
    ASSERT_TRUE(unit->enter_initialization(0.0) && unit->exit_initialization());
    EXPECT_FALSE(unit->step(0.0, 0.0));
    EXPECT_FALSE(unit->step(0.0, -0.1));
    EXPECT_FALSE(unit->step(0.5, 0.1));  // the time is 0
    EXPECT_FALSE(unit->set((*unit)["force"], 1.0));
    EXPECT_EQ(unit->messages.back(), "force cannot be set now");
    EXPECT_FALSE(unit->set_boolean((*unit)["inputs_at_end_of_step"], true));  // before the end of initialization only
    EXPECT_FALSE(unit->set(9999, 1.0));
    double value = 0.0;
    EXPECT_FALSE(unit->get(9999, value));
    std::vector<double> slope;
    EXPECT_FALSE(unit->derivative({(*unit)["displacement"]}, {(*unit)["velocity"]}, {1.0}, slope));
    EXPECT_FALSE(unit->derivative({(*unit)["force"]}, {(*unit)["force"]}, {1.0}, slope));
    ASSERT_TRUE(unit->begin(false, 0.0, 0.0) && unit->enter_continuous_mode());
    EXPECT_FALSE(unit->set((*unit)["gamma"], 0.004));  // in event mode only
    EXPECT_FALSE(unit->set_states({1.0, 2.0}));
    ASSERT_TRUE(unit->enter_event_mode());
    EXPECT_TRUE(unit->set((*unit)["gamma"], 0.004));
  }
}

// Importers resolve every function of the standard when they load a binary, whether they need it or not.
TEST(Fmu, ExportsEveryFunctionOfTheStandard) {
  const std::vector<std::string> both = {"SetDebugLogging",
                                         "FreeInstance",
                                         "EnterInitializationMode",
                                         "ExitInitializationMode",
                                         "Terminate",
                                         "Reset",
                                         "GetBoolean",
                                         "SetBoolean",
                                         "GetString",
                                         "SetString",
                                         "GetDirectionalDerivative",
                                         "EnterEventMode",
                                         "EnterContinuousTimeMode",
                                         "CompletedIntegratorStep",
                                         "SetTime",
                                         "SetContinuousStates",
                                         "GetEventIndicators",
                                         "GetContinuousStates",
                                         "GetNominalsOfContinuousStates",
                                         "DoStep",
                                         "GetVersion"};
  std::vector<std::string> two = {"GetTypesPlatform",
                                  "Instantiate",
                                  "SetupExperiment",
                                  "GetReal",
                                  "SetReal",
                                  "GetInteger",
                                  "SetInteger",
                                  "GetFMUstate",
                                  "SetFMUstate",
                                  "FreeFMUstate",
                                  "SerializedFMUstateSize",
                                  "SerializeFMUstate",
                                  "DeSerializeFMUstate",
                                  "NewDiscreteStates",
                                  "GetDerivatives",
                                  "SetRealInputDerivatives",
                                  "GetRealOutputDerivatives",
                                  "CancelStep",
                                  "GetStatus",
                                  "GetRealStatus",
                                  "GetIntegerStatus",
                                  "GetBooleanStatus",
                                  "GetStringStatus"};
  std::vector<std::string> three = {"InstantiateModelExchange",
                                    "InstantiateCoSimulation",
                                    "InstantiateScheduledExecution",
                                    "GetNumberOfVariableDependencies",
                                    "GetVariableDependencies",
                                    "GetFMUState",
                                    "SetFMUState",
                                    "FreeFMUState",
                                    "SerializedFMUStateSize",
                                    "SerializeFMUState",
                                    "DeserializeFMUState",
                                    "GetAdjointDerivative",
                                    "EnterConfigurationMode",
                                    "ExitConfigurationMode",
                                    "GetIntervalDecimal",
                                    "GetIntervalFraction",
                                    "GetShiftDecimal",
                                    "GetShiftFraction",
                                    "SetIntervalDecimal",
                                    "SetIntervalFraction",
                                    "SetShiftDecimal",
                                    "SetShiftFraction",
                                    "EvaluateDiscreteStates",
                                    "UpdateDiscreteStates",
                                    "GetContinuousStateDerivatives",
                                    "GetNumberOfEventIndicators",
                                    "GetNumberOfContinuousStates",
                                    "EnterStepMode",
                                    "GetOutputDerivatives",
                                    "ActivateModelPartition"};
  for (const char* type : {"Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64",
                           "UInt64", "Binary", "Clock"})
    for (const char* way : {"Get", "Set"}) three.push_back(std::string(way) + type);
  EXPECT_EQ(both.size() + two.size(), 44U);    // fmi2Functions.h of 2.0.4
  EXPECT_EQ(both.size() + three.size(), 75U);  // fmi3Functions.h of 3.0
  for (const int version : {2, 3}) {
    const auto unit = test::load(
        fmu_of({{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1e5}, {"damping", 10.0}}}}, version), version);
    for (const auto* list : {static_cast<const std::vector<std::string>*>(&both),
                             static_cast<const std::vector<std::string>*>(version == 2 ? &two : &three)})
      for (const std::string& name : *list) EXPECT_TRUE(unit->has("fmi" + std::to_string(version) + name)) << name;
  }
}

TEST(Fmu, TheSameModelGivesTheSameBytes) {
  const FmuOptions dated{.date = "2026-01-31T12:00:00Z"};
  EXPECT_EQ(make_fmu(test::elastomer(), "test", dated).archive, make_fmu(test::elastomer(), "test", dated).archive);
  const auto token_line = [&](const Json& model) {
    const std::string xml = make_fmu(model, "test", dated).entry("modelDescription.xml");
    return xml.substr(xml.find("guid="), 45);
  };
  EXPECT_NE(token_line(test::elastomer()), token_line(test::with(test::elastomer(), "rdl", 9e-5)));
}

TEST(Fmu, RefusesBadOptions) {
  EXPECT_THROW(make_fmu(test::elastomer(), "m.json", {.version = 1}), Error);
  EXPECT_THROW(make_fmu(test::elastomer(), "m.json", {.name = "my mount"}), Error);
  EXPECT_THROW(make_fmu({{"model", "unknown"}}, "m.json", {}), Error);
}

}  // namespace
}  // namespace kdyn::inline fmu
