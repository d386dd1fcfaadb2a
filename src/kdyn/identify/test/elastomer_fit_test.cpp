// SPDX-License-Identifier: Apache-2.0
// Oracle: mounts whose parameters are known. Exact data must give them back; what the data cannot tell must be said.
#include "kdyn/identify/elastomer_fit.hpp"

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/identify/test/fit_cases.hpp"

namespace kdyn::inline identify {
namespace {

using test::exact_map;
using test::has_finding;
using test::parameter_of;
using test::truth_law;

void expect_recovered(const ElastomerFitResult& fit, const Elastomer<double>& truth, double tolerance,
                      const std::vector<std::string>& names) {
  for (const std::string& name : names)
    for (std::size_t i = 0; i < elastomer_parameters.size(); ++i)
      if (name == elastomer_parameters[i].name) {
        EXPECT_NEAR(parameter_of(fit, name).value / (truth.*Elastomer<double>::members[i]), 1.0, tolerance) << name;
      }
}
const std::vector<std::string> dynamic_parameters = {"alpha", "beta", "gamma", "rdl", "rho"};

ElastomerFitOptions options_for(const Elastomer<double>& truth) {
  ElastomerFitOptions options;
  options.law = truth.law;
  options.fix["lambda"] = truth.lambda;
  if (truth.ymax) options.fix["ymax"] = *truth.ymax;
  return options;
}

TEST(ElastomerFit, ExactMapsGiveTheMountBack) {
  // The map is exact for the law, so only the stopping rule is left: 1e-6.
  for (const FrictionLaw law : {FrictionLaw::masing, FrictionLaw::g4})
    for (const Criterion criterion : {Criterion::harmonic, Criterion::loop})
      for (const bool limited : {false, true}) {
        const Elastomer<double> truth = truth_law(law, limited);
        ElastomerData data;
        data.map = exact_map(truth, criterion);
        ElastomerFitOptions options = options_for(truth);
        options.criterion = criterion;
        const ElastomerFitResult fit = fit_elastomer(data, options);
        ASSERT_EQ(fit.status, "converged") << fit.reason;
        expect_recovered(fit, truth, 1e-6, dynamic_parameters);
        expect_recovered(fit, truth, 1e-6, {"static_stiffness"});
        EXPECT_LT(fit.rms_k_dyn_rel, 1e-7);
        EXPECT_EQ(fit.criterion, criterion);
        EXPECT_EQ(fit.map_model.size(), data.map.rows.size());
      }
}

TEST(ElastomerFit, RigDataOfAllKindsGiveTheMountBack) {
  // The rig agrees with the closed forms to about 1e-5, and the transient is sampled at 2 kHz without its velocity: 0.2
  // %.
  const Elastomer<double> truth = truth_law(FrictionLaw::masing, true, true);
  ElastomerData data;
  RigOptions rig;
  rig.frequencies_hz = test::fit_frequencies();
  rig.amplitudes_m = test::fit_amplitudes();
  rig.preloads_n = {0.0, 400.0};
  for (const RigMapRow& row : run_rig(*make_mount(truth), rig).map)
    data.map.rows.push_back(
        {row.frequency_hz, row.amplitude, row.preload, row.response.k_dyn, row.response.loss_angle, 0.0, 0});
  data.loops.push_back(test::rig_loop(truth));
  data.series.push_back(test::rig_series(truth));
  ElastomerFitOptions options = options_for(truth);
  options.fix.erase("ymax");
  const ElastomerFitResult fit = fit_elastomer(data, options);
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  expect_recovered(fit, truth, 2e-3, dynamic_parameters);
  EXPECT_NEAR(parameter_of(fit, "ymax").value / *truth.ymax, 1.0,
              5e-3);  // of all parameters the one these data tell least
  EXPECT_EQ(parameter_of(fit, "ymax").status, ParameterStatus::free);
  // A progressive static part: the curve is handed over, and the static stiffness is its slope at the smallest preload.
  EXPECT_EQ(parameter_of(fit, "static_stiffness").status, ParameterStatus::derived);
  EXPECT_NEAR(parameter_of(fit, "static_stiffness").value / 250e3, 1.0, 2e-3);
  ASSERT_TRUE(fit.law.curve);
  for (const double u : {-2.5e-3, -1e-3, 1e-3, 2.5e-3})
    EXPECT_NEAR(fit.law.static_force(u) / truth.static_force(u), 1.0, 2e-3) << u;
  EXPECT_LT(*fit.rms_static, 1.0);
  EXPECT_LT(*fit.rms_transient, 1.0);
}

TEST(ElastomerFit, TransientAloneGivesTheMountBack) {
  // A second formulation of the same truth: time domain only. 2 kHz sampling leaves 1 %.
  const Elastomer<double> truth = truth_law();
  ElastomerData data;
  data.series.push_back(test::rig_series(truth));
  const ElastomerFitResult fit = fit_elastomer(data, options_for(truth));
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  expect_recovered(fit, truth, 0.01, {"static_stiffness", "rdl", "gamma"});
  expect_recovered(fit, truth, 0.05, dynamic_parameters);
}

TEST(ElastomerFit, StaticLoopAloneTellsFrictionAndKeepsTheRest) {
  const Elastomer<double> truth = truth_law(FrictionLaw::masing, true);
  ElastomerData data;
  data.loops.push_back(test::rig_loop(truth));
  const ElastomerFitResult fit = fit_elastomer(data, {});
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  expect_recovered(fit, truth, 0.01, {"static_stiffness", "rdl", "rho"});
  EXPECT_NEAR(parameter_of(fit, "ymax").value / *truth.ymax, 1.0, 0.01);
  EXPECT_TRUE(has_finding(fit, "static_only"));
  // Typical of rubber, within a factor of about four: a static loop does not see it.
  EXPECT_EQ(parameter_of(fit, "gamma").status, ParameterStatus::derived);
  EXPECT_GT(parameter_of(fit, "gamma").upper_95, 3.0 * parameter_of(fit, "gamma").value);
}

TEST(ElastomerFit, AlphaGammaLambdaTogetherAreNotToldApart) {
  // (alpha, gamma, lambda) -> (m alpha, m gamma, lambda/m) is the same mount exactly; c, t1, t2 are not touched by it.
  const Elastomer<double> truth = truth_law();
  ElastomerData data;
  data.map = exact_map(truth);
  test::add_noise(data.map, 0.005, 0.08, 3);
  ElastomerFitOptions options;
  options.free = {"lambda"};
  const ElastomerFitResult fit = fit_elastomer(data, options);
  EXPECT_EQ(fit.status, "converged");
  ASSERT_FALSE(fit.not_told_apart.empty());
  EXPECT_NE(fit.not_told_apart.front().find("alpha, gamma, lambda together are not determined"), std::string::npos)
      << fit.not_told_apart.front();
  for (const char* name : {"alpha", "gamma", "lambda"}) EXPECT_TRUE(std::isinf(parameter_of(fit, name).std)) << name;
  for (const char* name : {"static_stiffness", "beta", "rdl", "rho", "c", "t1", "t2"})
    EXPECT_TRUE(std::isfinite(parameter_of(fit, name).std)) << name;
  const double c = truth.lambda * truth.gamma, t2 = (1.0 + truth.beta) * truth.gamma / truth.alpha;
  EXPECT_LT(std::abs(parameter_of(fit, "c").value - c), 4.0 * parameter_of(fit, "c").std);
  EXPECT_LT(std::abs(parameter_of(fit, "t2").value - t2), 4.0 * parameter_of(fit, "t2").std);
}

TEST(ElastomerFit, YmaxIsNeverTakenFromASweep) {
  const Elastomer<double> truth = truth_law(FrictionLaw::masing, true);
  ElastomerData data;
  data.map = exact_map(truth);
  test::add_noise(data.map, 0.005, 0.08, 4);
  const ElastomerFitResult fit = fit_elastomer(data, {});
  EXPECT_TRUE(has_finding(fit, "ymax_not_seen"));
  EXPECT_TRUE(std::isnan(parameter_of(fit, "ymax").value));
  EXPECT_EQ(parameter_of(fit, "ymax").status, ParameterStatus::fixed);
  EXPECT_FALSE(fit.law.ymax.has_value());
}

TEST(ElastomerFit, AStaticLoopShowsWhetherThereIsALimit) {
  for (const bool limited : {true, false}) {
    const Elastomer<double> truth = truth_law(FrictionLaw::masing, limited);
    ElastomerData data;
    data.map = exact_map(truth);
    test::add_noise(data.map, 0.005, 0.08, 5);
    data.loops.push_back(test::rig_loop(truth));
    RandomStream random(6);
    for (double& f : data.loops[0].force) f += 1.5 * random.normal();
    const ElastomerFitResult fit = fit_elastomer(data, {});
    ASSERT_EQ(fit.status, "converged");
    EXPECT_EQ(fit.law.ymax.has_value(), limited);
    EXPECT_EQ(has_finding(fit, "ymax_not_seen"), !limited);
    if (limited) {
      EXPECT_LT(std::abs(*fit.law.ymax - *truth.ymax), 4.0 * parameter_of(fit, "ymax").std);
    }
  }
}

TEST(ElastomerFit, OutliersTakeNoPart) {
  const Elastomer<double> truth = truth_law();
  ElastomerData clean, wild;
  clean.map = exact_map(truth);
  test::add_noise(clean.map, 0.003, 0.05, 8);
  wild = clean;
  wild.map.rows[23].k_dyn *= 1.3;
  wild.map.rows[37].loss_angle += 6.0 * test::one_degree;
  const ElastomerFitOptions options = options_for(truth);
  const ElastomerFitResult reference = fit_elastomer(clean, options), excluded = fit_elastomer(wild, options);
  EXPECT_FALSE(excluded.row_used[23]);
  EXPECT_FALSE(excluded.row_used[37]);
  EXPECT_TRUE(has_finding(excluded, "rows_left_out"));
  ElastomerFitOptions keep = options;
  keep.exclude_suspicious = false;
  const ElastomerFitResult weighted = fit_elastomer(wild, keep);
  EXPECT_TRUE(weighted.row_used[23]);
  EXPECT_EQ(weighted.groups[0].down_weighted, 1u);
  EXPECT_EQ(weighted.groups[1].down_weighted, 1u);
  // Two rows of fifty less, or with little weight: parameters move by less than their standard deviation. Squared
  // residuals would move by far more.
  for (const std::string& name : dynamic_parameters) {
    const ParameterEstimate& p = parameter_of(reference, name);
    EXPECT_LT(std::abs(parameter_of(excluded, name).value - p.value), p.std) << name;
    EXPECT_LT(std::abs(parameter_of(weighted, name).value - p.value), 1.5 * p.std) << name;
  }
}

TEST(ElastomerFit, FixedParametersAndBoundsAreRespected) {
  const Elastomer<double> truth = truth_law();
  ElastomerData data;
  data.map = exact_map(truth);
  test::add_noise(data.map, 0.005, 0.08, 9);
  ElastomerFitOptions options = options_for(truth);
  options.fix["rho"] = 4000.0;
  options.fix["static_stiffness"] = 249e3;
  options.bounds["beta"] = {0.2, 0.5};
  options.start["gamma"] = 0.006;
  const ElastomerFitResult fit = fit_elastomer(data, options);
  EXPECT_EQ(parameter_of(fit, "rho").value, 4000.0);
  EXPECT_EQ(parameter_of(fit, "rho").status, ParameterStatus::fixed);
  EXPECT_EQ(parameter_of(fit, "rho").std, 0.0);
  EXPECT_EQ(fit.law.static_stiffness, 249e3);
  EXPECT_NEAR(parameter_of(fit, "beta").value, 0.2, 1e-6);  // the truth, 0.085, is outside
  EXPECT_TRUE(has_finding(fit, "at_bound"));
  for (const std::string& name : fit.correlation_names) EXPECT_NE(name, "rho");
}

TEST(ElastomerFit, WithoutFrictionTheParameterAtItsBoundSaysSo) {
  Elastomer<double> truth = truth_law();
  truth.rdl = 0.0;
  ElastomerData data;
  data.map = exact_map(truth);
  test::add_noise(data.map, 0.003, 0.05, 10);
  const ElastomerFitResult fit = fit_elastomer(data, options_for(truth));
  bool said = false;
  for (const Finding& f : fit.findings) said = said || f.message.find("friction is not present") != std::string::npos;
  // Either friction runs to its bound and the result says so, or it is found so small that it cannot be told from none.
  EXPECT_TRUE(said || parameter_of(fit, "rdl").lower_95 < 1e-3 * parameter_of(fit, "rdl").upper_95);
  EXPECT_LT(fit.rms_k_dyn_rel, 0.004);
}

TEST(ElastomerFit, WeightsDecideWhichDataCount) {
  // Stiffness and angle of different mounts: with all weight on one of them the fit follows it.
  const Elastomer<double> truth = truth_law();
  Elastomer<double> other = truth;
  other.rdl *= 1.4;
  ElastomerData data;
  data.map = exact_map(truth);
  const StiffnessMap angles = exact_map(other);
  for (std::size_t i = 0; i < data.map.rows.size(); ++i) data.map.rows[i].loss_angle = angles.rows[i].loss_angle;
  ElastomerFitOptions options = options_for(truth);
  options.weight_loss_angle = 0.0;
  const ElastomerFitResult stiffness_only = fit_elastomer(data, options);
  expect_recovered(stiffness_only, truth, 1e-4, {"rdl", "rho", "static_stiffness"});
  options.weight_loss_angle = 1.0;
  options.weight_k_dyn = 1e-6;
  const ElastomerFitResult angle_mostly = fit_elastomer(data, options);
  EXPECT_LT(angle_mostly.rms_loss_angle, stiffness_only.rms_loss_angle);
}

TEST(ElastomerFit, PreloadsWithoutALoopBecomeACurve) {
  // Truth: the very curve of [identify E7], so the fit can be exact. Amplitudes reach over the preloads: only the curve
  // describes that.
  Elastomer<double> truth = truth_law();
  const double k[3] = {250e3, 270e3, 340e3}, F[3] = {0.0, 300.0, 800.0};
  double u = 0.0;
  truth.curve_points = {{-300.0 / k[0], -300.0}, {-0.5 * 300.0 / k[0], -150.0}};
  for (int i = 0; i < 2; ++i)
    for (int s = i == 0 ? 0 : 1; s <= 200; ++s) {
      const double force = F[i] + (F[i + 1] - F[i]) * s / 200.0, m = (k[i + 1] - k[i]) / (F[i + 1] - F[i]);
      truth.curve_points.emplace_back(u + std::log(1.0 + m * (force - F[i]) / k[i]) / m, force);
      if (s == 200) u = truth.curve_points.back().first;
    }
  for (int s = 1; s <= 4; ++s) truth.curve_points.emplace_back(u + 50.0 * s / k[2], 800.0 + 50.0 * s);
  prepare(truth, "truth");
  ElastomerData data;
  data.map = exact_map(truth, Criterion::harmonic, {0.0, 300.0, 800.0});
  const ElastomerFitResult fit = fit_elastomer(data, options_for(truth));
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  // The kinks of k' and the different quadratures leave about 1e-3.
  EXPECT_NEAR(parameter_of(fit, "static_stiffness").value / k[0], 1.0, 3e-3);
  EXPECT_NEAR(parameter_of(fit, "static_stiffness_2").value / k[1], 1.0, 3e-3);
  EXPECT_NEAR(parameter_of(fit, "static_stiffness_3").value / k[2], 1.0, 3e-3);
  expect_recovered(fit, truth, 0.03, {"rdl", "rho"});
  // What is reported is what the law in the result does.
  EXPECT_LT(fit.rms_k_dyn_rel, 2e-3);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(fit.law.stiffness_at(static_displacement(fit.law, F[i])) / k[i], 1.0, 5e-3) << i;
}

TEST(ElastomerFit, ALoopThatIsStraightGivesOneStiffnessForAllPreloads) {
  const Elastomer<double> truth = truth_law();
  ElastomerData data;
  data.map = exact_map(truth, Criterion::harmonic, {0.0, 300.0});
  data.loops.push_back(test::rig_loop(truth));
  const ElastomerFitResult fit = fit_elastomer(data, options_for(truth));
  EXPECT_EQ(parameter_of(fit, "static_stiffness").status, ParameterStatus::free);
  expect_recovered(fit, truth, 1e-3, {"static_stiffness", "rdl", "rho"});
  EXPECT_TRUE(fit.law.curve_points.empty());
}

TEST(ElastomerFit, TorsionalAxesHaveTorsionalUnits) {
  Elastomer<double> truth = truth_law();
  truth.static_stiffness = 900.0;  // N m/rad
  truth.rdl = 4e-3;
  truth.rho = 90.0;
  ElastomerData data;
  data.map.axis = AxisKind::rotation;
  for (const double a : {0.002, 0.005, 0.01, 0.03, 0.08})
    for (const double f : test::fit_frequencies()) {
      const SteadyResponse r = steady_response(truth, f, a, 0.0);
      data.map.rows.push_back({f, a, 0.0, r.k_dyn, r.loss_angle, 0.0, 0});
    }
  const ElastomerFitResult fit = fit_elastomer(data, options_for(truth));
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  EXPECT_EQ(fit.axis, AxisKind::rotation);
  EXPECT_EQ(parameter_of(fit, "static_stiffness").unit, "N*m/rad");
  EXPECT_EQ(parameter_of(fit, "rdl").unit, "rad");
  EXPECT_EQ(parameter_of(fit, "rho").unit, "1/rad");
  expect_recovered(fit, truth, 1e-6, dynamic_parameters);
}

TEST(ElastomerFit, GivenNoiseReplacesTheEstimate) {
  const Elastomer<double> truth = truth_law();
  ElastomerData data;
  data.map = exact_map(truth);
  test::add_noise(data.map, 0.005, 0.08, 12);
  ElastomerFitOptions options = options_for(truth);
  // What the model leaves open does not grow with noise [identify E11]: straight, with a limit out of reach.
  options.use_curve = CurveUse::no;
  options.fix.try_emplace("ymax", 1.0);
  const ElastomerFitResult estimated = fit_elastomer(data, options);
  // 50 rows give the noise to about 10 %; three times that.
  EXPECT_NEAR(estimated.groups[0].noise, 0.005, 0.0015);
  EXPECT_NEAR(estimated.groups[1].noise, 0.08 * test::one_degree, 0.024 * test::one_degree);
  options.noise_k_dyn_rel = 0.02;
  options.noise_loss_angle_deg = 0.32;
  const ElastomerFitResult given = fit_elastomer(data, options);
  EXPECT_TRUE(given.groups[0].noise_given);
  EXPECT_EQ(given.groups[0].noise, 0.02);
  // Four times the noise in both groups: four times the intervals, up to the estimate's own scatter.
  EXPECT_NEAR(parameter_of(given, "rdl").std / parameter_of(estimated, "rdl").std, 4.0, 1.0);
}

TEST(ElastomerFit, CorrelationsBelongToTheFreeParameters) {
  const Elastomer<double> truth = truth_law();
  ElastomerData data;
  data.map = exact_map(truth);
  test::add_noise(data.map, 0.005, 0.08, 13);
  const ElastomerFitResult fit = fit_elastomer(data, options_for(truth));
  EXPECT_EQ(fit.correlation_names,
            (std::vector<std::string>{"static_stiffness", "alpha", "beta", "gamma", "rdl", "rho"}));
  ASSERT_EQ(fit.correlation.rows(), 6);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      EXPECT_NEAR(fit.correlation(i, j), fit.correlation(j, i), 1e-12);
      EXPECT_LE(std::abs(fit.correlation(i, j)), 1.0 + 1e-12);
    }
}

class StopAtOnce : public Progress {
 public:
  bool stop_requested() const override { return true; }
};

TEST(ElastomerFit, StoppingIsAStatusWithWhatWasComputed) {
  const Elastomer<double> truth = truth_law();
  ElastomerData data;
  data.map = exact_map(truth);
  StopAtOnce stop;
  const ElastomerFitResult fit = fit_elastomer(data, options_for(truth), stop);
  EXPECT_EQ(fit.status, "stopped");
  EXPECT_EQ(fit.map_model.size(), data.map.rows.size());
  ElastomerFitOptions few = options_for(truth);
  few.max_iterations = 1;
  few.start = {{"rho", 1e6}, {"rdl", 1e-7}, {"gamma", 1e-5}, {"beta", 3.0}};
  EXPECT_EQ(fit_elastomer(data, few).status, "not_converged");
}

std::string refused(const ElastomerData& data, const ElastomerFitOptions& options) {
  try {
    fit_elastomer(data, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_FALSE(error.remedy().empty()) << error.message();
    return error.where();
  }
  return "";
}

TEST(ElastomerFit, WrongOptionsAreRefusedByName) {
  ElastomerData data;
  data.map = exact_map(truth_law());
  const auto with = [&](auto change) {
    ElastomerFitOptions options;
    change(options);
    return refused(data, options);
  };
  EXPECT_EQ(with([](auto& o) { o.fix["aplha"] = 0.1; }), "fix.aplha");
  EXPECT_EQ(with([](auto& o) { o.fix["rho"] = -3.0; }), "fix.rho");
  EXPECT_EQ(with([](auto& o) { o.bounds["rho"] = {0.0, 10.0}; }), "bounds.rho");
  EXPECT_EQ(with([](auto& o) { o.bounds["rho"] = {10.0, 20.0}, o.start["rho"] = 5.0; }), "start.rho");
  EXPECT_EQ(with([](auto& o) { o.bounds["rho"] = {1e3, 1e4}, o.fix["rho"] = 5e3; }), "bounds.rho");
  EXPECT_EQ(with([](auto& o) { o.free = {"lambda"}, o.fix["lambda"] = 0.3; }), "free.lambda");
  EXPECT_EQ(with([](auto& o) { o.free = {"lamda"}; }), "free.lamda");
  EXPECT_EQ(with([](auto& o) { o.static_stiffness = 1e5; }), "static_stiffness");
  EXPECT_EQ(with([](auto& o) { o.weight_k_dyn = 0.0, o.weight_loss_angle = 0.0; }), "weight_k_dyn");
  EXPECT_EQ(with([](auto& o) {
              for (const char* name : {"static_stiffness", "alpha", "beta", "gamma", "rdl", "rho"}) o.fix[name] = 0.1;
            }),
            "fix");
}

TEST(ElastomerFit, DataThatCannotCarryAFitAreRefused) {
  ElastomerData few;
  few.map = exact_map(truth_law());
  few.map.rows.resize(2);
  EXPECT_EQ(refused(few, {}), "map.csv");
  ElastomerData many;
  many.map.source.path = "map.csv";
  many.map.rows.assign(200'001, exact_map(truth_law()).rows.front());
  EXPECT_EQ(refused(many, {}), "map.csv");
  ElastomerData falling;
  falling.series.push_back(test::rig_series(truth_law()));
  for (double& f : falling.series[0].force) f = -f;
  EXPECT_EQ(refused(falling, {}), "series.csv");
  ElastomerData standing;
  standing.loops.push_back(test::rig_loop(truth_law()));
  for (double& u : standing.loops[0].displacement) u = 1e-3;
  EXPECT_EQ(refused(standing, {}), "static.csv");
}

}  // namespace
}  // namespace kdyn::inline identify
