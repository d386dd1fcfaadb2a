// SPDX-License-Identifier: Apache-2.0
// Oracle: roots of the same equations found by an independent program (numerical loop integrals, residuals below
// 1e-13), printed with 16 digits. Both sides solve to round-off, so 1e-9 relative leaves room for the quadratures and
// nothing else.
#include "kdyn/identify/two_point.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/identify/test/fit_cases.hpp"

namespace kdyn::inline identify {
namespace {

using test::one_degree;

// Scheiblegger 2018, Table 3-1.
TwoPointInput table_3_1() { return {444.0 / 338.0, 380.0 / 338.0, 1e-4, 1e-3, 2.47 * one_degree, 10.0}; }

struct Root {
  FrictionLaw law;
  Criterion criterion;
  double limit;  // ymax; 0: none
  double rdl, rho, lambda;
};

class TwoPointRoots : public ::testing::TestWithParam<Root> {};

TEST_P(TwoPointRoots, AgreeWithTheIndependentProgram) {
  const Root& root = GetParam();
  Elastomer<double> given;
  given.law = root.law;
  if (root.limit > 0.0) given.ymax = root.limit;
  const TwoPointResult result = identify_two_point(given, table_3_1(), root.criterion);
  ASSERT_EQ(result.status, "converged") << result.reason;
  EXPECT_NEAR(result.law.rdl / root.rdl, 1.0, 1e-9);
  EXPECT_NEAR(result.law.rho / root.rho, 1.0, 1e-9);
  EXPECT_NEAR(result.law.lambda / root.lambda, 1.0, 1e-9);
  EXPECT_LT(result.residual, 1e-12);
  EXPECT_LE(result.iterations, 30);
}

constexpr double limit_150n = 150.0 / 338e3;
INSTANTIATE_TEST_SUITE_P(Reference, TwoPointRoots,
                         ::testing::Values(Root{FrictionLaw::g4, Criterion::loop, 0.0, 8.641043877452983e-05,
                                                4817.221481999571, 0.307033092265205},
                                           Root{FrictionLaw::g4, Criterion::loop, limit_150n, 0.00010024969436151644,
                                                4068.9306489484725, 0.21705415017104907},
                                           Root{FrictionLaw::g4, Criterion::loop, 0.000922191918401056,
                                                9.22191918401056e-05, 4479.964303290053, 0.2602963121735638},
                                           Root{FrictionLaw::g4, Criterion::loop, 0.00016087280561704272,
                                                0.00016087280561704272, 2307.1952854698247, 0.1673610363986022},
                                           Root{FrictionLaw::g4, Criterion::harmonic, 0.0, 9.252516135338363e-05,
                                                4299.240031359151, 0.3851840835708386},
                                           Root{FrictionLaw::g4, Criterion::harmonic, limit_150n,
                                                0.00010992759295814108, 3513.5040209073554, 0.31646142996474935},
                                           Root{FrictionLaw::g4, Criterion::harmonic, 0.0009919934516685039,
                                                9.919934516685038e-05, 3966.227266818864, 0.35087031997184},
                                           Root{FrictionLaw::g4, Criterion::harmonic, 0.00017476729682347676,
                                                0.00017476729682347676, 2017.2315388071233, 0.2945874355863726},
                                           Root{FrictionLaw::masing, Criterion::harmonic, 0.0, 9.252516135338545e-05,
                                                4299.24003135928, 0.3851840835708261},
                                           Root{FrictionLaw::masing, Criterion::harmonic, limit_150n,
                                                9.436974769724368e-05, 4172.763237964013, 0.399499531275842}));

TEST(TwoPoint, RecoversAnyMountFromItsOwnResponse) {
  // Oracle: the law itself. Mounts drawn over decades of each parameter; their two-point response leads back to them.
  RandomStream random(7);
  for (int i = 0; i < 200; ++i) {
    Elastomer<double> truth;
    truth.law = i % 2 == 0 ? FrictionLaw::masing : FrictionLaw::g4;
    const Criterion criterion = i % 4 < 2 ? Criterion::harmonic : Criterion::loop;
    truth.alpha = std::exp(random.uniform(std::log(0.03), std::log(0.5)));
    truth.gamma = std::exp(random.uniform(std::log(0.001), std::log(0.02)));
    truth.lambda = random.uniform(0.05, 1.0);
    truth.rdl = std::exp(random.uniform(std::log(2e-5), std::log(3e-4)));
    truth.rho = std::exp(random.uniform(std::log(1e3), std::log(2e4)));
    if (i % 3 == 0) truth.ymax = truth.rdl * random.uniform(1.5, 8.0);
    TwoPointInput input{0, 0, 1e-4, 1e-3, 0, 10.0};
    const auto respond = [&](double a) {
      const SteadyResponse r = steady_response(truth, input.frequency_hz, a, 0.0);
      return criterion == Criterion::loop ? std::pair(r.k_dyn_loop, r.loss_angle_loop)
                                          : std::pair(r.k_dyn, r.loss_angle);
    };
    input.dynamic_hardening_1 = respond(input.amplitude_1).first / truth.static_stiffness;
    input.dynamic_hardening_2 = respond(input.amplitude_2).first / truth.static_stiffness;
    input.loss_angle = respond(input.amplitude_1).second;
    Elastomer<double> given = truth;
    given.rdl = given.rho = given.lambda = 0.0;
    const TwoPointResult result = identify_two_point(given, input, criterion);
    ASSERT_EQ(result.status, "converged") << i << " " << result.reason;
    // The equations are met to 1e-12; the worst conditioned of these mounts lose six digits on the way to rho.
    EXPECT_NEAR(result.law.rdl / truth.rdl, 1.0, 1e-6) << i;
    EXPECT_NEAR(result.law.rho / truth.rho, 1.0, 1e-6) << i;
    EXPECT_NEAR(result.law.lambda, truth.lambda, 1e-6) << i;
  }
}

TEST(TwoPoint, FrictionThatLosesTooMuchIsInfeasible) {
  // The chamber rubber of the publication's appendix, with its limit of ten times rdl: lambda = -0.114 (mounts.md 1.6).
  Elastomer<double> chamber;
  chamber.law = FrictionLaw::g4;
  chamber.alpha = 0.3717;
  chamber.beta = 0.0971;
  chamber.gamma = 0.0084;
  const TwoPointInput input{1.4721, 1.08, 1e-4, 1e-3, 5.0 * one_degree, 10.0};
  TwoPointResult result;
  for (int i = 0; i < 80; ++i) {
    result = identify_two_point(chamber, input, Criterion::harmonic);
    chamber.ymax = 10.0 * result.unconstrained_rdl;
  }
  EXPECT_EQ(result.status, "infeasible");
  EXPECT_NEAR(result.unconstrained_lambda, -0.114, 5e-4);  // printed with three digits
  EXPECT_EQ(result.law.lambda, 0.0);
  EXPECT_NE(result.reason.find("-0.114"), std::string::npos) << result.reason;
  // The law that is handed back still meets both stiffnesses, and loses more than asked.
  const auto one = harmonic_reduction(result.law, 10.0, 1e-4), two = harmonic_reduction(result.law, 10.0, 1e-3);
  EXPECT_NEAR(one.k_dyn / result.law.static_stiffness, 1.4721, 1e-6);
  EXPECT_NEAR(two.k_dyn / result.law.static_stiffness, 1.08, 1e-6);
  EXPECT_GT(one.loss_angle, input.loss_angle);
}

TEST(TwoPoint, ImpossibleNumbersEndInAStatus) {
  // 60 degrees at a hardening of 1.3: no law of this kind; and nearly no amplitude dependence with a large angle.
  Elastomer<double> given;
  for (const TwoPointInput& input : {TwoPointInput{1.31, 1.12, 1e-4, 1e-3, 60.0 * one_degree, 10.0},
                                     TwoPointInput{1.1200001, 1.12, 1e-4, 1e-3, 20.0 * one_degree, 10.0},
                                     TwoPointInput{90.0, 1.01, 1e-7, 1e-1, 0.001 * one_degree, 1e-3},
                                     TwoPointInput{1.3, 1.0, 1e-4, 1e-3, 3.0 * one_degree, 1e5}}) {
    for (const Criterion criterion : {Criterion::harmonic, Criterion::loop}) {
      const TwoPointResult result = identify_two_point(given, input, criterion);
      EXPECT_TRUE(result.status == "converged" || result.status == "infeasible" || result.status == "not_converged");
      if (result.status != "converged") {
        EXPECT_FALSE(result.reason.empty());
      }
      EXPECT_TRUE(std::isfinite(result.law.rdl) && std::isfinite(result.law.rho) && std::isfinite(result.law.lambda));
    }
  }
  const TwoPointResult wide =
      identify_two_point(given, {1.31, 1.12, 1e-4, 1e-3, 60.0 * one_degree, 10.0}, Criterion::harmonic);
  EXPECT_EQ(wide.status, "not_converged");
}

ElastomerFitOptions sheet() {
  ElastomerFitOptions options;
  options.static_stiffness = 338e3;
  options.dynamic_hardening_1 = 444.0 / 338.0;
  options.dynamic_hardening_2 = 380.0 / 338.0;
  options.loss_angle_deg = 2.47;
  return options;
}

TEST(DataSheet, GivesTheRootWithDefaults) {
  const ElastomerFitResult fit = fit_elastomer({}, sheet());
  EXPECT_EQ(fit.status, "converged");
  EXPECT_NEAR(fit.law.rdl, 9.252516135338545e-05, 1e-13);
  EXPECT_EQ(test::parameter_of(fit, "static_stiffness").value, 338e3);
  EXPECT_LT(fit.rms_k_dyn_rel, 1e-9);
  EXPECT_LT(fit.rms_loss_angle, 1e-9);
  EXPECT_TRUE(test::has_finding(fit, "no_uncertainty"));
  EXPECT_TRUE(std::isnan(test::parameter_of(fit, "rdl").std));
  EXPECT_EQ(test::parameter_of(fit, "rdl").status, ParameterStatus::free);
  EXPECT_EQ(test::parameter_of(fit, "alpha").status, ParameterStatus::fixed);
}

TEST(DataSheet, NoiseOfTheSheetBecomesIntervals) {
  // Oracle: the spread of the roots of 4000 sheets drawn with that noise. Small noise keeps the map from sheet to root
  // nearly linear; the standard deviation of 4000 draws is known to 1.1 %, tested at four times that.
  ElastomerFitOptions options = sheet();
  options.noise_k_dyn_rel = 0.0005;
  options.noise_loss_angle_deg = 0.01;
  const ElastomerFitResult fit = fit_elastomer({}, options);
  EXPECT_FALSE(test::has_finding(fit, "no_uncertainty"));
  RandomStream random(11);
  double mean[3] = {}, square[3] = {};
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    TwoPointInput input = table_3_1();
    input.dynamic_hardening_1 *= 1.0 + 0.0005 * random.normal();
    input.dynamic_hardening_2 *= 1.0 + 0.0005 * random.normal();
    input.loss_angle += 0.01 * one_degree * random.normal();
    const Elastomer<double> law = identify_two_point(Elastomer<double>{}, input, Criterion::harmonic).law;
    const double x[3] = {law.lambda, std::log(law.rdl), std::log(law.rho)};
    for (int j = 0; j < 3; ++j) mean[j] += x[j] / draws, square[j] += x[j] * x[j] / draws;
  }
  const auto spread = [&](int j) { return std::sqrt(square[j] - mean[j] * mean[j]); };
  EXPECT_NEAR(test::parameter_of(fit, "lambda").std / spread(0), 1.0, 0.045);
  EXPECT_NEAR(test::parameter_of(fit, "rdl").std / fit.law.rdl / spread(1), 1.0, 0.045);
  EXPECT_NEAR(test::parameter_of(fit, "rho").std / fit.law.rho / spread(2), 1.0, 0.045);
  const ParameterEstimate& rho = test::parameter_of(fit, "rho");
  EXPECT_NEAR(std::log(rho.upper_95 / rho.value), 1.959964 * rho.std / rho.value, 1e-6);
}

TEST(DataSheet, InfeasibleIsAStatusWithReason) {
  ElastomerFitOptions options = sheet();
  options.dynamic_hardening_1 = 1.4721;
  options.dynamic_hardening_2 = 1.08;
  options.loss_angle_deg = 5.0;
  options.fix = {{"alpha", 0.3717}, {"beta", 0.0971}, {"gamma", 0.0084}};
  const ElastomerFitResult fit = fit_elastomer({}, options);
  EXPECT_EQ(fit.status, "infeasible");
  EXPECT_NE(fit.reason.find("lambda would be -0.1"), std::string::npos) << fit.reason;
  EXPECT_EQ(fit.law.lambda, 0.0);
}

// The field that an error names, or "" when nothing is thrown.
std::string refused(const ElastomerFitOptions& options) {
  try {
    fit_elastomer({}, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_input);
    EXPECT_FALSE(error.remedy().empty());
    return error.where();
  }
  return "";
}

TEST(DataSheet, NonsenseIsRefusedByName) {
  EXPECT_EQ(refused(ElastomerFitOptions{}), "static_stiffness");
  ElastomerFitOptions options = sheet();
  options.loss_angle_deg.reset();
  EXPECT_EQ(refused(options), "loss_angle_deg");
  options = sheet();
  std::swap(options.dynamic_hardening_1, options.dynamic_hardening_2);
  EXPECT_EQ(refused(options), "dynamic_hardening_1");
  options = sheet();
  std::swap(options.amplitude_1, options.amplitude_2);
  EXPECT_EQ(refused(options), "amplitude_1");
  options = sheet();
  options.fix["rdl"] = 1e-4;
  EXPECT_EQ(refused(options), "fix.rdl");
  options = sheet();
  options.fix["ymx"] = 1e-4;
  EXPECT_EQ(refused(options), "fix.ymx");
  options = sheet();
  options.fix["alpha"] = -1.0;
  EXPECT_EQ(refused(options), "fix.alpha");
}

}  // namespace
}  // namespace kdyn::inline identify
