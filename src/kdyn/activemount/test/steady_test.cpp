// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/steady.hpp"

#include <gtest/gtest.h>

#include "kdyn/activemount/test/reference.hpp"
#include "kdyn/activemount/transfer.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/element/simulate.hpp"

namespace kdyn::inline activemount {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

ActiveMount<double> with_quadratic_damping() {
  ActiveMount<double> law = nominal_mount();
  law.dK = 0.35;
  law.dKq = 0.1;
  return law;
}

TEST(ActiveSteady, DescribingFunctionMeetsTheReference) {
  for (const Json& row : reference()["nonlinear_eq43"]) {
    const ActiveSteadyState s = steady_state_of(
        with_quadratic_damping(), {}, {.frequency_hz = row["f"].get<double>(), .voltage = row["U"].get<double>()});
    EXPECT_NEAR(s.dK_equivalent, row["dK_eq"].get<double>(), 1e-9);
    EXPECT_NEAR(std::abs(s.force_x), row["Sx_hb"][0].get<double>(), 1e-7);
    EXPECT_NEAR(std::arg(s.force_x) / degree, row["Sx_hb"][1].get<double>(), 1e-6);
  }
}

// Time integration is the oracle of the describing function; the reference's own time integration (RK4 of fixed step)
// is met to its error.
TEST(ActiveSteady, TimeDomainConfirmsTheDescribingFunction) {
  for (const Json& row : reference()["nonlinear_eq43"]) {
    const double f = row["f"].get<double>(), U = row["U"].get<double>();
    if (f > 12.0)
      continue;  // above, the amplitude of the fluid is so small that both are the linear model (first test)
    const ActiveDrive drive{.frequency_hz = f, .voltage = U};
    const ActiveTimeResponse t = integrate_steady(with_quadratic_damping(), drive, static_cast<int>(3.0 * f) + 1, 128);
    EXPECT_NEAR(std::abs(t.force_x), row["Sx_td"][0].get<double>(), 2e-4 * std::abs(t.force_x)) << f << " " << U;
    EXPECT_NEAR(std::arg(t.force_x) / degree, row["Sx_td"][1].get<double>(), 0.01) << f << " " << U;
    EXPECT_NEAR(t.third_harmonic, row["h3"].get<double>(), 2e-5) << f << " " << U;
    const ActiveSteadyState s = steady_state_of(with_quadratic_damping(), {}, drive);
    EXPECT_LT(std::abs(s.force_x / t.force_x - 1.0), 1e-3) << f << " " << U;  // third harmonic squared
  }
}

TEST(ActiveSteady, WithoutQuadraticDampingItIsTheLinearResponse) {
  const ActiveMount<double> law = nominal_mount();
  const auto all = active_responses(law, 17.0);
  const ActiveSteadyState v = steady_state_of(law, {}, {.frequency_hz = 17.0, .voltage = 4.0});
  const ActiveSteadyState d = steady_state_of(law, {}, {.frequency_hz = 17.0, .displacement = 1e-4});
  EXPECT_EQ(v.force_y, std::complex<double>(all[3].re, all[3].im));
  EXPECT_EQ(d.force_y, std::complex<double>(all[1].re, all[1].im));
}

TEST(ActiveSteady, TableIsReadAtTheAmplitudeThatComesOut) {
  const ActiveMount<double> law = nominal_mount();
  const std::vector<ActuatorTableRow> table = {{1e-6, 1.4, 0.8}, {1e-4, 1.0, 1.0}, {1e-3, 0.8, 1.2}};
  double before = 0.0;
  for (const double U : {0.01, 0.1, 1.0, 10.0}) {
    const ActiveSteadyState s = steady_state_of(law, table, {.frequency_hz = 250.0, .voltage = U});
    EXPECT_EQ(s.solutions, 1);
    EXPECT_GT(s.amplitude_A, before);
    before = s.amplitude_A;
    // Second formulation: the linear mount with exactly these parameters moves with exactly this amplitude.
    ActiveMount<double> same = law;
    same.cA = s.cA;
    same.dA = s.dA;
    EXPECT_NEAR(steady_state_of(same, {}, {.frequency_hz = 250.0, .voltage = U}).amplitude_A, s.amplitude_A,
                1e-9 * s.amplitude_A);
  }
  const ActiveSteadyState small = steady_state_of(law, table, {.frequency_hz = 250.0, .voltage = 1e-4});
  EXPECT_DOUBLE_EQ(small.cA, 1.4 * law.cA);
}

// The virtual Mount (voltage zero) against the closed form of the same amplitude.
TEST(ActiveSteady, MountFollowsTheDescribingFunction) {
  const ActiveMount<double> law = with_quadratic_damping();
  const double f = 10.0, a = 2e-4, omega = 2.0 * std::numbers::pi * f;
  const auto mount = make_mount(law);
  const int n = 200, cycles = 30;
  mount->start({0.0, a * omega});
  std::complex<double> first = 0.0;
  for (int i = 1; i <= n * cycles; ++i) {
    const double phase = omega * i / (n * f);
    const double force = mount->advance({a * std::sin(phase), a * omega * std::cos(phase)}, 1.0 / (n * f));
    if (i > n * (cycles - 1)) first += force * std::polar(2.0 / n, -phase);
  }
  const std::complex<double> K = first / std::complex<double>(0.0, -a);
  EXPECT_FALSE(mount->closed_form(f, a, 0.0));
  const ActiveSteadyState closed = steady_state_of(law, {}, {.frequency_hz = f, .displacement = a});
  EXPECT_LT(std::abs(K - closed.force_y), 2e-3 * std::abs(K));  // harmonics left out by the describing function
}

TEST(ActiveModel, JsonReturnsWhatWasWritten) {
  ActiveMountModel model;
  model.law = nominal_mount();
  model.law.dKq = 0.1;
  model.actuator_table = {{1e-6, 1.2, 0.9}, {1e-4, 1.0, 1.0}};
  model.variations = published_variations();
  Json json;
  active_mount_to_json(model, json);
  const ActiveMountModel back = active_mount_from_json(json, "model.json");
  for (const auto member : ActiveMount<double>::members) EXPECT_EQ(back.law.*member, model.law.*member);
  EXPECT_EQ(back.actuator_table.size(), 2u);
  EXPECT_EQ(back.variations->temperature.size(), 3u);
  EXPECT_EQ(back.variations->preload[2].ratios, model.variations->preload[2].ratios);
}

TEST(ActiveModel, BadInputNamesThePlace) {
  const auto where_of = [](const Json& json) {
    try {
      active_mount_from_json(json, "m.json");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::bad_input);
      return e.where();
    }
    return std::string("no error");
  };
  const Json good = {{"model", "activemount"}, {"parameters", reference()["parameters_SI"]}};
  Json json = good;
  EXPECT_EQ(where_of(json), "no error");
  json["parameters"].erase("kM");
  EXPECT_EQ(where_of(json), "m.json.parameters.kM");
  json = good, json["parameters"]["cA"] = -1.0;
  EXPECT_EQ(where_of(json), "m.json.parameters.cA");
  json = good, json["parameters"]["cX"] = 1.0;
  EXPECT_EQ(where_of(json), "m.json.parameters.cX");
  json = good, json["parameter"] = 1;
  EXPECT_EQ(where_of(json), "m.json.parameter");
  json = good, json["actuator_table"] = {{1e-4, 1.0, 1.0}, {1e-5, 1.0, 1.0}};
  EXPECT_EQ(where_of(json), "m.json.actuator_table[1]");
  json = good, json["variations"]["temperature"] = Json::array({{{"name", "hot"}, {"ratios", {{"cB9", 1.0}}}}});
  EXPECT_EQ(where_of(json), "m.json.variations.temperature[0].ratios.cB9");
  EXPECT_EQ(where_of(Json::array()), "m.json");
}

}  // namespace
}  // namespace kdyn::inline activemount
