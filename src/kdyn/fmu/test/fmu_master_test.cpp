// SPDX-License-Identifier: Apache-2.0
// FMUs in the hands of standard masters, which set the inputs of the beginning and then call the step: how good the
// reported force is, and whether a mass in the loop is stable. The oracle is the mount of the library, driven along the
// true motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>

#include "kdyn/fmu/test/importer.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::inline fmu {
namespace {

using test::Unit;

bool set_motion(Unit& unit, const Motion<double>& at) {
  return unit.set(unit["displacement"], at.u) && unit.set(unit["velocity"], at.v);
}

struct Sine {
  double amplitude, omega;
  Motion<double> operator()(double t) const {
    return {amplitude * std::sin(omega * t), amplitude * omega * std::cos(omega * t)};
  }
  double acceleration(double t) const { return -amplitude * omega * omega * std::sin(omega * t); }
};

// Largest error of the forces that the steps report, over the largest force. `tell` may tell the unit more before each
// step.
double error_of_reported_force(Unit& unit, const Json& model, const Sine& sine, double h,
                               const std::function<void(double)>& tell) {
  const auto mount = mount_from_json(model, "test");
  mount->start(sine(0.0));
  EXPECT_TRUE(unit.begin(true, sine(0.0).u, sine(0.0).v));
  double worst = 0.0, largest = 0.0, t = 0.0;
  for (int i = 1; i <= 500; ++i) {
    EXPECT_TRUE(set_motion(unit, sine(t)));
    tell(t);
    EXPECT_TRUE(unit.step(t, h));
    t += h;
    const double force = mount->advance(sine(t), h);
    worst = std::max(worst, std::abs(force - unit.value("force")));
    largest = std::max(largest, std::abs(force));
  }
  return worst / largest;
}

// With h = 1 ms and up to 10 Hz: (w h)^2 = 4e-3 of the force of a pure damper, (w h)^3/4 = 6e-5 of that of a spring;
// what laws add is below the bound that the documentation promises.
TEST(FmuMaster, ForceIsGoodWithInputsOfTheBeginning) {
  double worst = 0.0;
  std::vector<test::NamedModel> models = test::sample_models();
  models.push_back({"damper", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1.0}, {"damping", 1000.0}}}}});
  for (const auto& [name, model] : models) {
    double of_model = 0.0;
    for (const int version : {2, 3}) {
      const auto unit = test::load(make_fmu(model, "test", {.version = version}), version);
      for (const double frequency : {2.0, 5.0, 10.0})
        for (const double amplitude : {1e-4, 1e-3})
          of_model =
              std::max(of_model, error_of_reported_force(*unit, model, {amplitude, 2.0 * std::numbers::pi * frequency},
                                                         1e-3, [](double) {}));
    }
    std::printf("[ figure ] %-22s error of the reported force up to 10 Hz at 1 ms: %.1e\n", name.c_str(), of_model);
    EXPECT_LT(of_model, 5e-3) << name;
    worst = std::max(worst, of_model);
  }
  std::printf("[ figure ] worst %.1e\n", worst);
}

// Derivatives of the inputs at the beginning, as the standard means them: velocity, acceleration and what follows; or
// the slopes to the end.
TEST(FmuMaster, InputDerivativesTellTheEndOfTheStep) {
  const double h = 1e-3;
  for (const auto& [name, model] : test::sample_models()) {
    const auto unit = test::load(make_fmu(model, "test", {}), 2);
    for (const double frequency : {2.0, 10.0}) {
      const Sine sine{1e-3, 2.0 * std::numbers::pi * frequency};
      const unsigned u = (*unit)["displacement"], v = (*unit)["velocity"];
      // Taylor series of first order in both: errs by (w h)^2/2 = 2e-3 of the velocity, as the damping's share of the
      // force is small by less than half of it in the force.
      EXPECT_LT(error_of_reported_force(*unit, model, sine, h,
                                        [&](double t) {
                                          EXPECT_TRUE(unit->set_input_derivative(u, 1, sine(t).v) &&
                                                      unit->set_input_derivative(v, 1, sine.acceleration(t)));
                                        }),
                1e-3)
          << name;
      EXPECT_LT(error_of_reported_force(*unit, model, sine, h,
                                        [&](double t) {
                                          const Motion<double> from = sine(t), to = sine(t + h);
                                          EXPECT_TRUE(unit->set_input_derivative(u, 1, (to.u - from.u) / h) &&
                                                      unit->set_input_derivative(v, 1, (to.v - from.v) / h));
                                        }),
                1e-9)
          << name;
    }
    EXPECT_FALSE(unit->set_input_derivative((*unit)["displacement"], 3, 0.0));
    EXPECT_FALSE(unit->set_input_derivative((*unit)["force"], 1, 0.0));
  }
}

// A mass of 50 kg on the mount, thrown with 8 cm/s, steps of 1 ms, the force held over each. Where both step in turn,
// the amplitude falls. Where they step at the same time (Jacobi), holding the force takes damping away whoever gives
// it: the loop must be as good as one with the exact force.
TEST(FmuMaster, AMassInTheLoopComesToRest) {
  enum Master { jacobi, mount_first, mass_first };
  static constexpr double mass = 50.0, h = 1e-3;
  struct Mass {
    double u = 0.0, v = 0.08, early = 0.0, late = 0.0;
    void move(double force, int i) {
      u += h * (v - 0.5 * h * force / mass);
      v -= h * force / mass;
      if (i < 200) early = std::max(early, std::abs(u));
      if (i >= 1800) late = std::max(late, std::abs(u));
    }
  };
  for (const auto& [name, model] : test::sample_models()) {
    const auto unit = test::load(make_fmu(model, "test", {}), 2);
    const auto mount = mount_from_json(model, "test");
    Mass exact;
    mount->start({0.0, 0.08});
    for (int i = 0; i < 2000; ++i) {
      const double force = i == 0 ? mount->peek({exact.u, exact.v}) : mount->advance({exact.u, exact.v}, h);
      exact.move(force, i);
    }
    for (const Master master : {jacobi, mount_first, mass_first}) {
      ASSERT_TRUE(unit->begin(true, 0.0, 0.08));
      Mass body;
      double held = unit->value("force");
      for (int i = 0; i < 2000; ++i) {
        const double before = held;
        if (master == mass_first) body.move(before, i);
        ASSERT_TRUE(set_motion(*unit, {body.u, body.v}) && unit->step(i * h, h));
        held = unit->value("force");
        if (master != mass_first) body.move(master == jacobi ? before : held, i);
      }
      if (master != jacobi) {
        EXPECT_LT(body.late, 0.7 * body.early) << name << " master " << master;
      } else {
        EXPECT_LT(body.late, 1.05 * exact.late + 1e-3 * exact.early) << name << ", exact " << exact.late;
      }
      if (name == "masing") {
        EXPECT_LT(body.late, 0.4 * body.early) << master;
      }
    }
  }
}

// A tool may set the first inputs after initialization only: the mount is then moved there at once. The oracle goes
// there within 0.1 us; what states do in that time is 1e-4 of what they do in a step.
TEST(FmuMaster, FirstInputsMayDifferFromTheInitialization) {
  const Motion<double> first{4e-4, 0.0};
  for (const auto& [name, model] : test::sample_models()) {
    const auto unit = test::load(make_fmu(model, "test", {}), 2);
    const auto mount = mount_from_json(model, "test");
    ASSERT_TRUE(unit->begin(true, 0.0, 0.0));
    ASSERT_TRUE(set_motion(*unit, first) && unit->step(0.0, 1e-3) && set_motion(*unit, first));
    mount->start({0.0, 0.0});
    mount->advance(first, 1e-7);
    mount->advance(first, 1e-3);
    const double expected = mount->peek(first);
    EXPECT_NEAR(unit->value("force"), expected, 1e-3 * std::abs(expected)) << name;
  }
}

}  // namespace
}  // namespace kdyn::inline fmu
