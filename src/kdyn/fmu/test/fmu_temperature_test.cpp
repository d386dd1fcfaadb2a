// SPDX-License-Identifier: Apache-2.0
// An FMU at another temperature than the one it was exported at. Oracle: the mount that the rig runs with
// `--temperature-c`, read from the model file by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/fmu/test/importer.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::inline fmu {
namespace {

using test::Path;
using test::Unit;

const Json rubber_table = Json::array({{-30.0, 2.1, 1.8, 1.4}, {23.0, 1.0, 1.0, 1.0}, {80.0, 0.7, 0.6, 0.9}});

Json with_table(Json model) {
  if (model["model"] == "elastomer") {
    model["temperature"] = rubber_table;
    return model;
  }
  model["main_rubber"]["temperature"] = rubber_table;
  model["chamber_rubber"]["temperature"] = rubber_table;
  model["temperature"] = Json::array({{-30.0, 6.0, 1.3}, {23.0, 1.0, 1.0}, {80.0, 0.3, 0.9}});
  return model;
}

bool set_motion_of(Unit& unit, const Motion<double>& at) {
  return unit.set(unit["displacement"], at.u) && unit.set(unit["velocity"], at.v);
}

// Largest difference to the mount over its largest force.
double difference_along_path(Unit& unit, const Json& model, double temperature) {
  const auto mount = mount_from_json(model, "test")->at_temperature(temperature);
  const Path path;
  mount->start(path(0.0));
  EXPECT_TRUE(unit.instantiate(true, unit.token) && unit.set_boolean(unit["inputs_at_end_of_step"], true) &&
              unit.set(unit["temperature_c"], temperature) && unit.enter_initialization(0.0) &&
              set_motion_of(unit, path(0.0)) && unit.exit_initialization());
  double worst = 0.0, largest = 0.0;
  const double h = 1e-3;
  for (int i = 1; i <= 400; ++i) {
    EXPECT_TRUE(set_motion_of(unit, path(i * h)) && unit.step((i - 1) * h, h));
    const double expected = mount->advance(path(i * h), h);
    worst = std::max(worst, std::abs(expected - unit.value("force")));
    largest = std::max(largest, std::abs(expected));
  }
  return worst / largest;
}

TEST(FmuTemperature, StartsWarmOrCold) {
  for (const Json& sample : {test::elastomer(), test::elastomer_with_curve(), test::hydromount()})
    for (const int version : {2, 3})
      for (const double temperature : {-45.0, -3.0, 23.0, 61.0}) {
        const Json model = with_table(sample);
        const auto unit = test::load(make_fmu(model, "test", {.version = version}), version);
        EXPECT_LT(difference_along_path(*unit, model, temperature), 1e-12) << model.dump() << temperature;
      }
}

// Warmed up in the middle of a steady sine, it comes to the loop of the mount that was warm from the beginning:
// friction closes its loops and the rest fades within some tenths of a second, so that after two seconds rounding is
// left.
TEST(FmuTemperature, ComesToTheWarmLoopWhenWarmedInMidRun) {
  const auto sine = [](double t) {
    const double w = 2.0 * std::numbers::pi * 5.0;
    return Motion<double>{8e-4 * std::sin(w * t), 8e-4 * w * std::cos(w * t)};
  };
  for (const Json& sample : {test::elastomer(), test::hydromount()}) {
    const Json model = with_table(sample);
    const auto unit = test::load(make_fmu(model, "test", {.version = 3}), 3);
    const auto warm = mount_from_json(model, "test")->at_temperature(61.0);
    const auto cold = mount_from_json(model, "test")->at_temperature(23.0);
    warm->start(sine(0.0)), cold->start(sine(0.0));
    ASSERT_TRUE(unit->begin_at_end(sine(0.0).u, sine(0.0).v));
    double before = 0.0, after = 0.0, largest = 0.0, apart = 0.0;
    const double h = 1e-3;
    for (int i = 1; i <= 3000; ++i) {
      const double t = i * h;
      if (i == 501) {
        ASSERT_TRUE(unit->set((*unit)["temperature_c"], 61.0));
      }
      ASSERT_TRUE(set_motion_of(*unit, sine(t)) && unit->step((i - 1) * h, h));
      const double force = unit->value("force"), w = warm->advance(sine(t), h), c = cold->advance(sine(t), h);
      largest = std::max(largest, std::abs(w));
      if (i <= 500) before = std::max(before, std::abs(force - c));
      if (i > 2500) after = std::max(after, std::abs(force - w)), apart = std::max(apart, std::abs(w - c));
    }
    EXPECT_LT(before, 1e-12 * largest);
    EXPECT_LT(after, 1e-9 * largest) << model.dump();
    EXPECT_GT(apart, 0.1 * largest);  // there was something to find
  }
}

// A bushing has a temperature for each axis.
TEST(FmuTemperature, OfOneAxisOfABushing) {
  Json model = test::bushing("none");
  model["axes"] = {{"fx", with_table(test::elastomer())}, {"fz", with_table(test::elastomer())}};
  const auto unit = test::load(make_fmu(model, "test", {.version = 2}), 2);
  const auto warm = mount_from_json(model["axes"]["fz"], "test")->at_temperature(61.0);
  const auto usual = mount_from_json(model["axes"]["fx"], "test")->at_temperature(23.0);
  ASSERT_TRUE(unit->instantiate(true, unit->token) && unit->enter_initialization(0.0) && unit->exit_initialization());
  ASSERT_TRUE(unit->references.contains("fz.temperature_c")) << unit->parameters.back();
  ASSERT_TRUE(unit->set((*unit)["fz.temperature_c"], 61.0));
  ASSERT_TRUE(unit->set((*unit)["displacement.fx"], 5e-4) && unit->set((*unit)["displacement.fz"], 5e-4));
  std::vector<double> slope_x, slope_z;
  ASSERT_TRUE(unit->derivative({(*unit)["force.fx"]}, {(*unit)["displacement.fx"]}, {1.0}, slope_x));
  ASSERT_TRUE(unit->derivative({(*unit)["force.fz"]}, {(*unit)["displacement.fz"]}, {1.0}, slope_z));
  // Slope of the virgin curve there by differences of the mounts themselves: 1e-6 of it over 2e-9 m.
  const auto slope_of = [](Mount& mount) {
    mount.start({0.0, 0.0});
    return (mount.peek({5e-4 + 1e-9, 0.0}) - mount.peek({5e-4 - 1e-9, 0.0})) / 2e-9;
  };
  EXPECT_NEAR(slope_x[0] / slope_of(*usual), 1.0, 1e-6);
  EXPECT_NEAR(slope_z[0] / slope_of(*warm), 1.0, 1e-6);
}

}  // namespace
}  // namespace kdyn::inline fmu
