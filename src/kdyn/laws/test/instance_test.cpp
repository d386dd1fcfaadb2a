// SPDX-License-Identifier: Apache-2.0
// A law at work (what FMUs and C programs drive) beside the same law as a run-time Mount and beside differences.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "kdyn/base/json.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/laws/unit.hpp"
#include "sample_laws.hpp"

namespace kdyn::inline laws {
namespace {

MountUnit unit_of(const Json& model) {
  const std::vector<double> image = image_of_model(model, "test");
  MountUnit unit;
  EXPECT_TRUE(unit.read_image(image.data(), image.size())) << model.dump();
  return unit;
}

// Sum of sines with a slow growth and decay: many nested cycles.
struct Path {
  double a = 4e-4, f = 7.3, g = 1.9, b = 2e-4;
  double u(double t) const {
    return a * std::sin(2.0 * constants::pi * f * t) + b * std::sin(2.0 * constants::pi * g * t + 0.3);
  }
  double v(double t) const {
    return 2.0 * constants::pi *
           (a * f * std::cos(2.0 * constants::pi * f * t) + b * g * std::cos(2.0 * constants::pi * g * t + 0.3));
  }
};

TEST(LawInstance, RunsAsTheMountDoes) {
  // The same template runs on both sides: nothing but the order of sums may differ, hence bit-equal up to the
  // compiler's contraction.
  for (const Json& model : test::sample_laws()) {
    MountUnit unit = unit_of(model);
    const auto mount = mount_from_json(model, "test");
    const Path path;
    const double h = 1e-3, u0 = path.u(0.0), v0 = path.v(0.0);
    unit.start(&u0, &v0);
    mount->start({u0, v0});
    double size = 0.0, worst = 0.0;
    for (int i = 1; i <= 800; ++i) {
      const double u = path.u(i * h), v = path.v(i * h);
      double force = 0.0;
      unit.advance(&u, &v, h, &force);
      const double expected = mount->advance({u, v}, h);
      size = std::max(size, std::abs(expected));
      worst = std::max(worst, std::abs(force - expected));
    }
    EXPECT_LE(worst, 1e-12 * size) << model.dump();
  }
}

TEST(LawInstance, NamesTheParametersOfTheRegistry) {
  for (const LawEntry& entry : law_registry()) {
    const Json* model = nullptr;
    const std::vector<Json> samples = test::sample_laws();
    for (const Json& sample : samples)
      if (sample["model"] == entry.model) model = &sample;
    ASSERT_NE(model, nullptr) << "sample_laws.hpp has no " << entry.model;
    const MountUnit unit = unit_of(*model);
    const auto axis = entry.axis_law(*model, "test");
    ASSERT_EQ(static_cast<std::size_t>(unit.parameters()), axis->parameter_names().size()) << entry.model;
    for (int i = 0; i < unit.parameters(); ++i) {
      const LawInstance& law = *unit.axis(0);
      EXPECT_STREQ(law.parameter_name(i), axis->parameter_names()[static_cast<std::size_t>(i)].c_str());
      EXPECT_EQ(law.parameter(i), axis->parameter(static_cast<std::size_t>(i)));
      // Bounds and meaning are found, and the value lies within.
      ASSERT_NE(&law.parameter_info(i), nullptr);
      EXPECT_GE(law.parameter(i), law.parameter_info(i).lower) << law.parameter_name(i);
      EXPECT_LE(law.parameter(i), law.parameter_info(i).upper) << law.parameter_name(i);
    }
  }
}

TEST(LawInstance, SavesAndRestoresEverything) {
  for (const Json& model : test::sample_laws()) {
    MountUnit unit = unit_of(model), other = unit_of(model);
    const Path path;
    const double h = 1e-3;
    double u = path.u(0.0), v = path.v(0.0), force = 0.0, again = 0.0;
    unit.start(&u, &v);
    for (int i = 1; i <= 300; ++i) u = path.u(i * h), v = path.v(i * h), unit.advance(&u, &v, h, &force);
    std::vector<double> state;
    unit.save(state);
    ASSERT_TRUE(other.load(state.data(), state.size()));
    for (int i = 301; i <= 400; ++i) {
      u = path.u(i * h), v = path.v(i * h);
      unit.advance(&u, &v, h, &force);
      other.advance(&u, &v, h, &again);
      ASSERT_EQ(force, again) << model.dump();
    }
    // Numbers that are no state of this unit are refused, and leave it as it was.
    std::vector<double> before, after;
    other.save(before);
    for (const std::size_t cut : {std::size_t{0}, std::size_t{1}, state.size() / 2, state.size() - 1})
      EXPECT_FALSE(other.load(state.data(), cut));
    std::vector<double> longer = state;
    longer.push_back(0.0);
    EXPECT_FALSE(other.load(longer.data(), longer.size()));
    for (std::size_t i = 0; i < state.size(); i += 3) {
      std::vector<double> damaged = state;
      damaged[i] = std::nan("");
      EXPECT_FALSE(other.load(damaged.data(), damaged.size()));
    }
    other.save(after);
    EXPECT_EQ(before, after);
  }
}

TEST(LawInstance, DerivativesAgreeWithDifferences) {
  for (const Json& model : test::sample_laws()) {
    MountUnit unit = unit_of(model);
    const Path path;
    const double h = 1e-3;
    double u = path.u(0.0), v = path.v(0.0), force = 0.0;
    unit.start(&u, &v);
    for (int i = 1; i <= 57; ++i) u = path.u(i * h), v = path.v(i * h), unit.advance(&u, &v, h, &force);
    const auto room = [](int n) { return std::vector<double>(static_cast<std::size_t>(n) + 1, 0.0); };
    std::vector<double> x = room(unit.states()), zero_x = x, input = room(unit.inputs()),
                        zero = room(unit.parameters());
    unit.get_states(x.data());
    // Onward from the accepted point: friction is smooth there, at the point itself it has a kink.
    u += 2e-6 * (v > 0.0 ? 1.0 : -1.0);
    const auto value_at = [&](MountUnit& at, double du, double dv, const std::vector<double>& dx) {
      std::vector<double> states = x, rate = room(at.states()), f = {0.0};
      for (std::size_t i = 0; i < states.size(); ++i) states[i] += dx[i];
      const double uu = u + du, vv = v + dv;
      at.evaluate(&uu, &vv, states.data(), f.data(), rate.data());
      rate.back() = f[0];
      return rate;
    };
    const auto derivative = [&](double du, double dv, const std::vector<double>& dx, const std::vector<double>& dp) {
      std::vector<double> rate = room(unit.states()), signals = room(unit.signals()), turning = room(unit.turnings());
      double f = 0.0;
      unit.derivative(&u, &v, x.data(), {&du, &dv, dx.data(), input.data(), dp.data()}, false,
                      {&f, rate.data(), signals.data(), turning.data()});
      rate.back() = f;
      return rate;
    };
    const auto compare = [&](const std::vector<double>& exact, const std::vector<double>& plus,
                             const std::vector<double>& minus, double step, const std::string& what) {
      double scale = 0.0;
      for (std::size_t i = 0; i < exact.size(); ++i) scale = std::max(scale, std::abs(plus[i]) / step * 1e-9);
      // Central differences of second order: relative error of the step squared, and rounding over the step.
      for (std::size_t i = 0; i < exact.size(); ++i)
        EXPECT_NEAR(exact[i], (plus[i] - minus[i]) / (2.0 * step), 2e-5 * std::abs(exact[i]) + scale)
            << model["model"] << " " << what << " " << i;
    };
    const double du = 1e-9, dv = 1e-6;
    compare(derivative(1.0, 0.0, zero_x, zero), value_at(unit, du, 0.0, zero_x), value_at(unit, -du, 0.0, zero_x), du,
            "u");
    compare(derivative(0.0, 1.0, zero_x, zero), value_at(unit, 0.0, dv, zero_x), value_at(unit, 0.0, -dv, zero_x), dv,
            "v");
    for (int i = 0; i < unit.states(); ++i) {
      std::vector<double> dx = zero_x, plus = zero_x, minus = zero_x;
      const double step = 1e-6 * (std::abs(x[static_cast<std::size_t>(i)]) + 1e-4);
      dx[static_cast<std::size_t>(i)] = 1.0, plus[static_cast<std::size_t>(i)] = step,
      minus[static_cast<std::size_t>(i)] = -step;
      compare(derivative(0.0, 0.0, dx, zero), value_at(unit, 0.0, 0.0, plus), value_at(unit, 0.0, 0.0, minus), step,
              "state");
    }
    for (int i = 0; i < unit.parameters(); ++i) {
      const double p = unit.parameter(i);
      if (p == 0.0) continue;  // no two-sided difference at a bound
      const ParameterInfo& info = unit.axis(0)->parameter_info(i);
      const double step = 1e-5 * std::abs(p);
      if (p - step < info.lower || p + step > info.upper) continue;
      std::vector<double> dp = zero;
      dp[static_cast<std::size_t>(i)] = 1.0;
      MountUnit plus = unit, minus = unit;
      plus.set_parameter(i, p + step), plus.retune();
      minus.set_parameter(i, p - step), minus.retune();
      compare(derivative(0.0, 0.0, zero_x, dp), value_at(plus, 0.0, 0.0, zero_x), value_at(minus, 0.0, 0.0, zero_x),
              step, unit.axis(0)->parameter_name(i));
    }
  }
}

TEST(Unit, RefusesWhatIsNoImage) {
  const std::vector<double> image = image_of_model(test::sample_laws().front(), "test");
  for (std::size_t n = 0; n < image.size(); ++n) EXPECT_FALSE(MountUnit().read_image(image.data(), n)) << n;
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    // Whatever the numbers are, reading returns; that it may succeed is no fault.
    std::vector<double> damaged = image;
    damaged[random() % damaged.size()] =
        std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 80) - 40);
    MountUnit unit;
    unit.read_image(damaged.data(), damaged.size());
  }
}

Json with_temperatures(const Json& model) {
  Json out = model;
  const Json rubber = Json::array({{-30.0, 2.1, 1.8, 1.4}, {23.0, 1.0, 1.0, 1.0}, {80.0, 0.7, 0.6, 0.9}});
  if (out["model"] == "elastomer") {
    out["temperature"] = rubber;
    return out;
  }
  out["main_rubber"]["temperature"] = rubber;
  out["chamber_rubber"]["temperature"] = Json::array({{-30.0, 1.7, 1.5, 1.2}, {23.0, 1.0, 1.0, 1.0}});
  out["temperature"] = Json::array({{-30.0, 6.0, 1.3}, {23.0, 1.0, 1.0}, {80.0, 0.3, 0.9}});
  return out;
}

TEST(LawInstance, TemperatureIsAParameterOfItsOwn) {
  // Oracle: the model file's own law at that temperature, which the rig runs.
  int tried = 0;
  for (const Json& sample : test::sample_laws()) {
    if (sample["model"] != "elastomer" && sample["model"] != "hydromount") continue;
    const Json model = with_temperatures(sample);
    MountUnit unit = unit_of(model);
    const int last = unit.parameters() - 1;
    ASSERT_STREQ(unit.axis(0)->parameter_name(last), "temperature_c");
    EXPECT_EQ(unit.parameter(last), 23.0);
    EXPECT_EQ(unit.parameters(), unit_of(sample).parameters() + 1);
    for (const double temperature : {-50.0, -3.0, 23.0, 61.0}) {
      const auto mount = mount_from_json(model, "test")->at_temperature(temperature);
      const Path path;
      const double h = 1e-3, u0 = path.u(0.0), v0 = path.v(0.0);
      unit.set_parameter(last, temperature);
      unit.start(&u0, &v0);
      mount->start({u0, v0});
      MountUnit copy(unit);
      double size = 0.0, worst = 0.0;
      for (int i = 1; i <= 300; ++i) {
        const double u = path.u(i * h), v = path.v(i * h);
        double force = 0.0;
        unit.advance(&u, &v, h, &force);
        const double expected = mount->advance({u, v}, h);
        size = std::max(size, std::abs(expected));
        worst = std::max(worst, std::abs(force - expected));
      }
      EXPECT_LE(worst, 1e-12 * size) << model.dump() << temperature;
      // A copy and what was saved carry it along.
      std::vector<double> saved;
      unit.save(saved);
      MountUnit other = unit_of(model);
      ASSERT_TRUE(other.load(saved.data(), saved.size()));
      EXPECT_EQ(other.parameter(last), temperature);
      EXPECT_EQ(copy.parameter(last), temperature);
      const double u = path.u(0.7), v = path.v(0.7);
      double f1 = 0.0, f2 = 0.0;
      unit.advance(&u, &v, h, &f1);
      other.advance(&u, &v, h, &f2);
      EXPECT_EQ(f1, f2);
    }
    ++tried;
  }
  EXPECT_GE(tried, 4);
}

TEST(LawInstance, ForceFollowsTemperatureExactly) {
  // Oracle: central differences; the factors are straight in temperature, so what is left is rounding: 1e-16 of the
  // force over a step of 0.5 degrees.
  for (const Json& sample : test::sample_laws()) {
    if (sample["model"] != "elastomer" && sample["model"] != "hydromount") continue;
    MountUnit unit = unit_of(with_temperatures(sample));
    const auto parameters = static_cast<std::size_t>(unit.parameters());
    const int last = unit.parameters() - 1;
    const double zero = 0.0, u = 6e-4, v = 0.02, h = 0.5, at = 51.0;
    std::vector<double> x(static_cast<std::size_t>(unit.states()) + 1, 1e-5), rate(x.size()),
        none(parameters + x.size()), along(parameters), signals(16), turning(16);
    along[parameters - 1] = 1.0;
    const auto force_at = [&](double temperature) {
      unit.set_parameter(last, temperature);
      unit.start(&zero, &zero);
      double force = 0.0;
      unit.evaluate(&u, &v, x.data(), &force, rate.data());
      return force;
    };
    const double slope = (force_at(at + h) - force_at(at - h)) / (2.0 * h), force = force_at(at);
    double found = 0.0;
    unit.derivative(&u, &v, x.data(), {&zero, &zero, none.data(), none.data(), along.data()}, false,
                    {&found, rate.data(), signals.data(), turning.data()});
    EXPECT_NEAR(found, slope, 1e-4 * std::abs(slope) + 1e-12 * std::abs(force)) << sample.dump();
    EXPECT_NE(found, 0.0);
  }
}

TEST(LawInstance, ExportsStartAtTheTemperatureOfTheFile) {
  Json model = with_temperatures(test::sample_laws().front());
  ASSERT_EQ(model["model"], "elastomer");
  model["temperature_c"] = 61.0;
  const MountUnit unit = unit_of(model);
  EXPECT_EQ(unit.parameter(unit.parameters() - 1), 61.0);
  // Parameters as they stand at no temperature of the table: without a word about the start there is none to export.
  model.erase("temperature_c");
  EXPECT_TRUE(exports_temperature(model, "test"));
  model["temperature"][1][1] = 1.1;
  EXPECT_FALSE(exports_temperature(model, "test"));
  model.erase("temperature");
  model["temperature_c"] = 61.0;
  EXPECT_ANY_THROW(image_of_model(model, "test"));
}

}  // namespace
}  // namespace kdyn::inline laws
