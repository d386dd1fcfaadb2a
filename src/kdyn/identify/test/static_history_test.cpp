// SPDX-License-Identifier: Apache-2.0
// Static loops as benches record them. Oracle: the law itself, walked along the path; truth parameters.
#include "kdyn/identify/static_history.hpp"

#include <gtest/gtest.h>

#include "fit_cases.hpp"
#include "kdyn/identify/internal/alternatives.hpp"

namespace kdyn::inline identify {
namespace {

using namespace kdyn::test;

// Up from `from` to `to` and back; a record of one cycle.
std::vector<double> up_and_down(double from, double to, int n = 120) {
  std::vector<double> path = {from};
  for (int i = 1; i <= n; ++i) path.push_back(from + (to - from) * i / n);
  for (int i = 1; i <= n; ++i) path.push_back(to + (from - to) * i / n);
  return path;
}

StaticLoop walked(const Elastomer<double>& law, std::vector<double> path, const PathHistory& history) {
  StaticLoop loop;
  loop.displacement = std::move(path);
  loop.force = static_path_force(*make_mount(law), loop.displacement, history, 1e-9);
  loop.source.path = "static.csv";
  return loop;
}

struct Case {
  const char* name;
  double preload;
  PathHistory (*history)(double at_preload);
};

// Exact data: the history is recognised and the truth found, to what the spline of the static curve leaves (0.3 %).
TEST(StaticHistory, OneSidedLoopsGiveTheTruth) {
  const Elastomer<double> truth = truth_law(FrictionLaw::masing, false, true);
  for (const Case& one : {Case{"virgin from zero", 600.0,
                               [](double) {
                                 return PathHistory{0.0, 1};
                               }},
                          Case{"cycled from zero", 600.0,
                               [](double) {
                                 return PathHistory{0.0, 2};
                               }},
                          Case{"first way from the preload", 900.0,
                               [](double u0) {
                                 return PathHistory{u0, 1};
                               }},
                          Case{"cycled from the preload", 900.0, [](double u0) {
                                 return PathHistory{u0, 2};
                               }}}) {
    const double u0 = static_displacement(truth, one.preload);
    ElastomerData data;
    data.map = exact_map(truth, Criterion::harmonic, {one.preload});
    data.loops.push_back(walked(truth, up_and_down(0.0, 4.5e-3), one.history(u0)));
    ElastomerFitOptions options;
    options.fix = {{"lambda", truth.lambda}};
    const ElastomerFitResult fit = fit_elastomer(data, options);
    EXPECT_EQ(fit.status, "converged") << one.name << ": " << fit.reason;
    // From the preload both ways are one: the path to zero has passed every turning point already.
    if (one.history(u0).rest == 0.0) {
      EXPECT_EQ(fit.loop_history.front().passes, one.history(u0).passes) << one.name;
    }
    EXPECT_NEAR(parameter_of(fit, "rdl").value / truth.rdl, 1.0, 0.003) << one.name;
    EXPECT_NEAR(parameter_of(fit, "rho").value / truth.rho, 1.0, 0.003) << one.name;
    EXPECT_NEAR(parameter_of(fit, "static_stiffness").value / truth.stiffness_at(u0), 1.0, 0.003) << one.name;
    EXPECT_FALSE(has_finding(fit, "static_offset")) << one.name;
    // The model file on the rig gives what the fit says.
    const StaticComparison rig = compare_static(*make_mount(fit.law), data.loops.front(), {one.preload});
    EXPECT_NEAR(rig.rms, *fit.rms_static, 1e-9 * 2000.0) << one.name;
  }
}

// Sines of 1 mm about zero beside a loop that begins there: the far side of the curve is that of the map. Exact data;
// straight on, k_dyn at 1 mm would be 0.6 % too small, and rho 3 % off.
TEST(StaticHistory, SinesReachBeyondTheLoop) {
  const Elastomer<double> truth = truth_law(FrictionLaw::masing, false, true);
  ElastomerData data;
  data.map = exact_map(truth);
  data.loops.push_back(walked(truth, up_and_down(0.0, 4.5e-3), {0.0, 2}));
  ElastomerFitOptions options;
  options.fix = {{"lambda", truth.lambda}};
  const ElastomerFitResult fit = fit_elastomer(data, options);
  EXPECT_EQ(fit.status, "converged") << fit.reason;
  EXPECT_LT(fit.law.curve_points.front().first, -0.9e-3);
  EXPECT_LT(fit.rms_k_dyn_rel, 3e-4);
  EXPECT_NEAR(parameter_of(fit, "rho").value / truth.rho, 1.0, 0.003);
  EXPECT_NEAR(parameter_of(fit, "rdl").value / truth.rdl, 1.0, 0.003);
}

// Two answers of equal likelihood, one taken: half the square of the step. Two units of cost more: a share of e^-2.
TEST(StaticHistory, AnswersLeftOpenWiden) {
  const Eigen::Vector2d taken(1.0, 2.0), other(1.4, 1.8), step = other - taken;
  EXPECT_LT((spread_about(taken, {{5.0, taken}, {5.0, other}}) - 0.5 * step * step.transpose()).norm(), 1e-15);
  const double share = std::exp(-2.0) / (1.0 + std::exp(-2.0));
  EXPECT_LT((spread_about(taken, {{5.0, taken}, {7.0, other}}) - share * step * step.transpose()).norm(), 1e-15);
}

// A sensor offset is told where the loop shows it.
TEST(StaticHistory, OffsetOfAVirginLoop) {
  const Elastomer<double> truth = truth_law(FrictionLaw::masing, false, true);
  ElastomerData data;
  data.map = exact_map(truth, Criterion::harmonic, {600.0});
  data.loops.push_back(walked(truth, up_and_down(0.0, 4.5e-3), {0.0, 1}));
  for (double& f : data.loops.front().force) f += 25.0;
  const ElastomerFitResult fit = fit_elastomer(data, {});
  EXPECT_TRUE(has_finding(fit, "static_offset"));
}

// A curve without hysteresis says nothing about friction, and nothing is invented.
TEST(StaticHistory, CurveWithoutHysteresis) {
  ElastomerData data;
  StaticLoop curve;
  for (int i = 0; i <= 20; ++i) {
    curve.displacement.push_back(3e-4 * i);
    curve.force.push_back(300e3 * 3e-4 * i);
  }
  curve.source.path = "curve.csv";
  data.loops.push_back(curve);
  const ElastomerFitResult fit = fit_elastomer(data, {});
  EXPECT_EQ(fit.law.rdl, 0.0);
  EXPECT_EQ(parameter_of(fit, "rdl").status, ParameterStatus::fixed);
  EXPECT_NEAR(parameter_of(fit, "static_stiffness").value, 300e3, 1.0);  // a straight line through zero
  EXPECT_TRUE(has_finding(fit, "no_hysteresis"));
  EXPECT_FALSE(has_finding(fit, "static_offset"));
}

TEST(StaticHistory, StiffnessAloneIsATypicalRubber) {
  ElastomerFitOptions options;
  options.static_stiffness = 200e3;
  const ElastomerFitResult fit = fit_elastomer({}, options);
  EXPECT_EQ(fit.status, "converged");
  EXPECT_EQ(fit.law.static_stiffness, 200e3);
  const ParameterEstimate& rdl = parameter_of(fit, "rdl");
  EXPECT_GT(rdl.upper_95 / rdl.lower_95, 10.0);
  EXPECT_TRUE(has_finding(fit, "typical_rubber"));
}

// Progressive mount, transient alone: the curve is found from the transient.
TEST(StaticHistory, TransientAloneShowsACurve) {
  const Elastomer<double> truth = truth_law(FrictionLaw::masing, false, true);
  RigOptions options;
  options.program = RigProgram::transient;
  options.formula = "(1-exp(-t/0.05))*(2.5e-3*sin(2*pi*1.3*t)+8e-4*sin(2*pi*9.1*t+0.4)+2e-4*sin(2*pi*27*t+1.9))";
  options.duration_s = 2.0;
  options.sample_rate_hz = 1000.0;
  ElastomerData data;
  data.series.push_back(run_rig(*make_mount(truth), options).series);
  ElastomerFitOptions fit_options;
  fit_options.fix = {{"lambda", truth.lambda}};
  const ElastomerFitResult fit = fit_elastomer(data, fit_options);
  EXPECT_EQ(fit.status, "converged") << fit.reason;
  EXPECT_FALSE(fit.law.curve_points.empty());
  EXPECT_NEAR(parameter_of(fit, "rdl").value / truth.rdl, 1.0,
              0.03);  // the spline leaves some tenths of a per cent of the force
}

// Wrong pairs of model and data are told, whatever the optimiser says.
TEST(FitGateOfElastomer, TellsWrongData) {
  const Elastomer<double> truth = truth_law();
  ElastomerData good;
  good.map = exact_map(truth);
  add_noise(good.map, 0.01, 0.3, 5);
  EXPECT_FALSE(has_finding(fit_elastomer(good, {}), "poor_fit"));

  ElastomerData random = good;
  RandomStream stream(7);
  for (MapRow& row : random.map.rows)
    row.k_dyn = 1e5 * std::exp(2.0 * stream.normal()), row.loss_angle = 0.5 * stream.uniform();
  const ElastomerFitResult bad = fit_elastomer(random, {});
  EXPECT_TRUE(has_finding(bad, "poor_fit"));
  EXPECT_NE(bad.status, "converged");
  EXPECT_TRUE(std::isnan(parameter_of(bad, "rdl").lower_95));

  ElastomerData other_axis = good;
  for (const double factor : {0.5, 1.6}) {
    Elastomer<double> other = truth;
    other.static_stiffness *= factor;
    other_axis.loops = {rig_loop(other)};
    EXPECT_TRUE(has_finding(fit_elastomer(other_axis, {}), "poor_fit")) << factor;
  }
  other_axis.loops = {rig_loop(truth)};
  EXPECT_FALSE(has_finding(fit_elastomer(other_axis, {}), "poor_fit"));

  ElastomerData complement = good;
  for (MapRow& row : complement.map.rows) row.loss_angle = 0.5 * std::numbers::pi - row.loss_angle;
  EXPECT_TRUE(has_finding(fit_elastomer(complement, {}), "poor_fit"));
}

}  // namespace
}  // namespace kdyn::inline identify
