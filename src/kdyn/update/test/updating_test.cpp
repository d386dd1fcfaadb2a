// SPDX-License-Identifier: Apache-2.0
// The 20-dof reference (test/reference/updating.json): responses, metric, gradient, optimum, bootstrap. It was derived
// independently, so its numbers are the oracle; tolerances are those it states: FRF 1e-10, metric 1e-9, gradient 1e-8,
// optimum 1e-7, first bootstrap draw 1e-7.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/base/json.hpp"
#include "kdyn/update/calibrate.hpp"
#include "kdyn/update/surrogate.hpp"
#include "kdyn/update/uncertainty.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd vector_of(const Json& in) {
  VectorXd out(static_cast<Index>(in.size()));
  for (std::size_t i = 0; i < in.size(); ++i) out[static_cast<Index>(i)] = in[i].get<double>();
  return out;
}
MatrixXd matrix_of(const Json& in) {
  MatrixXd out(static_cast<Index>(in.size()), static_cast<Index>(in[0].size()));
  for (std::size_t i = 0; i < in.size(); ++i) out.row(static_cast<Index>(i)) = vector_of(in[i]).transpose();
  return out;
}

// x = a x + c mod 2^64, advanced before each use; u in [0, 1) from the upper 53 bits.
class Congruential {
 public:
  explicit Congruential(std::uint64_t seed) : x_(seed) {}
  double uniform() {
    x_ = 6364136223846793005ULL * x_ + 1442695040888963407ULL;
    return static_cast<double>(x_ >> 11) / 9007199254740992.0;
  }

 private:
  std::uint64_t x_;
};

class Reference : public testing::Test {
 protected:
  Reference() : json(read_json(std::string(KDYN_SOURCE_DIR) + "/src/kdyn/update/test/reference/updating.json")) {
    p0 = vector_of(json["p0"]);
    full = model_on(MatrixXd::Identity(20, 20));
    twelve = model_on(matrix_of(json["surrogate12"]["T0"]));
    enriched = model_on(matrix_of(json["surrogate9p5"]["T"]));
    target.frequency_hz = vector_of(json["freq_hz"]);
    damping = json["xi0"].get<double>();
    // HX = Hq (1 + rel z): frequency outer, input middle, output inner.
    target.values = accelerance(modal_form(full, ratio_of(json["p_true"]), false), target.frequency_hz, damping);
    Congruential random(json["lcg"]["noise_seed"].get<std::uint64_t>());
    const double rel = json["lcg"]["noise_rel"].get<double>();
    for (Index l = 0; l < target.values.rows(); ++l)
      for (Index c = 0; c < target.values.cols(); ++c) {
        const double u1 = random.uniform(), u2 = random.uniform();
        target.values(l, c) *= 1.0 + rel * std::polar(std::sqrt(-std::log(1.0 - u1)), 2.0 * std::numbers::pi * u2);
      }
  }

  fe::ReducedModel model_on(const MatrixXd& basis) const {
    fe::ReducedModel out;
    out.parameters = 6;
    const auto term = [&](const Json& matrix, int parameter, double factor) -> fe::ReducedTerm {
      std::vector<int> exponents(6, 0);
      if (parameter >= 0) exponents[static_cast<std::size_t>(parameter)] = 1;
      return {exponents, factor * (basis.transpose() * matrix_of(matrix) * basis)};
    };
    out.stiffness.push_back(term(json["K_fix"], -1, 1.0));
    out.mass.push_back(term(json["M_fix"], -1, 1.0));
    for (int s = 0; s < 6; ++s) {
      out.stiffness.push_back(term(json["dK"][static_cast<std::size_t>(s)], s, p0[s]));
      out.mass.push_back(term(json["dM"][static_cast<std::size_t>(s)], s, p0[s]));
    }
    const auto rows = [&](const Json& list) {
      MatrixXd picked(static_cast<Index>(list.size()), basis.cols());
      for (std::size_t i = 0; i < list.size(); ++i) picked.row(static_cast<Index>(i)) = basis.row(list[i].get<Index>());
      return picked;
    };
    out.C = rows(json["outputs_dof0"]);
    out.B = rows(json["inputs_dof0"]).transpose();
    return out;
  }

  VectorXd ratio_of(const Json& p) const { return vector_of(p).cwiseQuotient(p0); }

  void expect_responses(const MatrixXcd& h, const char* key) const {
    const Json& points = json["frf_points_index"];
    for (std::size_t i = 0; i < points.size(); ++i) {
      const MatrixXd re = matrix_of(json[key][i]["re"]), im = matrix_of(json[key][i]["im"]);
      for (Index u = 0; u < 3; ++u)
        for (Index y = 0; y < 8; ++y) {
          const Complex expected(re(y, u), im(y, u));
          EXPECT_LT(std::abs(h(points[i].get<Index>(), y + 8 * u) - expected), 1e-10 * std::abs(expected))
              << key << ' ' << i << ' ' << y << ' ' << u;
        }
    }
  }

  Json json;
  VectorXd p0;
  fe::ReducedModel full, twelve, enriched;
  Target target;
  double damping = 0.0;
};

TEST_F(Reference, Responses) {
  const ModalForm form = modal_form(full, ratio_of(json["p_true"]), false);
  expect_responses(accelerance(form, target.frequency_hz, vector_of(json["xi_true"])), "frf_true_damped");
  expect_responses(accelerance(form, target.frequency_hz, damping), "frf_equalised_exact");
  expect_responses(target.values, "target_HX_points");
  const VectorXd lines = frequency_lines(20.0, 200.0, damping, 2.0);
  ASSERT_EQ(lines.size(), target.frequency_hz.size());
  EXPECT_LT((lines - target.frequency_hz).cwiseAbs().maxCoeff(), 1e-11);
}

TEST_F(Reference, MetricAndGradient) {
  for (const auto& [name, at] : json["evaluations"].items()) {
    for (const auto& [key, model] : {std::pair{"full", &full}, {"surrogate12", &twelve}, {"surrogate9+5", &enriched}}) {
      const Json& expected = at[key];
      const VectorXd ratio = ratio_of(at["p"]);
      const double ratio_metric = expected["metric_ratio"].get<double>();
      for (const auto& [kind, field] : {std::pair{LogKind::ratio, "metric_ratio"},
                                        {LogKind::amplitude, "metric_amp"},
                                        {LogKind::separate, "metric_sep"}}) {
        const double value = expected[field].get<double>();
        EXPECT_NEAR(log_metric(*model, ratio, target, damping, kind), value, 1e-9 * value)
            << name << ' ' << key << ' ' << field;
      }
      const MetricSlope slope = metric_slope(*model, ratio, target, damping);
      EXPECT_NEAR(slope.metric, ratio_metric, 1e-9 * ratio_metric);
      const VectorXd gradient = vector_of(expected["grad_ratio_wrt_pbar"]);
      EXPECT_LT((slope.gradient - gradient).cwiseAbs().maxCoeff(), 1e-8 * gradient.cwiseAbs().maxCoeff())
          << name << ' ' << key;
    }
  }
}

TEST_F(Reference, GradientOfTheMetricIsThatOfDifferences) {
  const VectorXd ratio = ratio_of(json["evaluations"]["mid"]["p"]);
  const MetricSlope slope = metric_slope(full, ratio, target, damping, 1);
  for (Index s = 0; s < 6; ++s) {
    VectorXd up = ratio, down = ratio;
    up[s] += 1e-6, down[s] -= 1e-6;
    const double difference = (log_metric(full, up, target, damping) - log_metric(full, down, target, damping)) / 2e-6;
    EXPECT_NEAR(slope.gradient[s], difference, 1e-7 * slope.gradient.cwiseAbs().maxCoeff())
        << s;  // differences are good to 1e-8 here
  }
  const MetricSlope other = metric_slope(full, ratio, target, damping, 3);
  EXPECT_EQ((slope.gradient - other.gradient).cwiseAbs().maxCoeff(), 0.0);  // threads do not change a bit
}

TEST_F(Reference, OptimumOfFullModelAndSurrogates) {
  const std::vector<Stage> stages = {{damping, target}};
  for (const auto& [key, model] : {std::pair{"full", &full}, {"surrogate12", &twelve}, {"surrogate9+5", &enriched}}) {
    const Calibration found = calibrate(*model, stages, ratio_of(json["evaluations"]["mid"]["p"]), {});
    const VectorXd expected = vector_of(json["optimum"][key]["pbar"]);
    EXPECT_EQ(found.status, CalibrationStatus::converged) << found.reason;
    EXPECT_LT((found.ratio.array() - 1.0 - expected.array()).abs().maxCoeff(), 1e-7)
        << key << ' ' << found.evaluations << ' ' << found.gradient;
    const double metric = json["optimum"][key]["metric_ratio"].get<double>();
    EXPECT_NEAR(found.metric, metric, 1e-9 * metric) << key;
  }
}

TEST_F(Reference, TheBiasedSurrogateIsFoundOut) {
  // What a job does at the optimum: the surrogate's frequencies against those of the full model there.
  fe::AffineMatrices matrices;
  matrices.nominal = p0;
  const auto sparse = [](const std::vector<fe::ReducedTerm>& from, std::vector<fe::AffineTerm>& to) {
    for (const fe::ReducedTerm& term : from)
      to.push_back({term.exponents, MatrixXd(term.matrix.triangularView<Eigen::Lower>()).sparseView()});
  };
  sparse(full.stiffness, matrices.stiffness);
  sparse(full.mass, matrices.mass);
  const auto check = [&](const fe::ReducedModel& model, const char* key) {
    return check_basis(matrices, {}, model, vector_of(json["optimum"][key]["pbar"]).array() + 1.0, 200.0);
  };
  const BasisCheck biased = check(twelve, "surrogate12"), good = check(enriched, "surrogate9+5");
  EXPECT_FALSE(biased.good);  // above the limit of 0.1 %: its parameters are biased by up to 6.7 %
  ASSERT_EQ(biased.findings.size(), 1u);
  EXPECT_EQ(biased.findings[0].code, "basis_error");
  EXPECT_TRUE(good.good);
  EXPECT_TRUE(good.findings.empty());
  // The frequencies it compares are those of the dense model.
  const VectorXd exact =
      modal_form(full, vector_of(json["optimum"]["surrogate12"]["pbar"]).array() + 1.0, false).omega /
      (2.0 * std::numbers::pi);
  ASSERT_GE(biased.error.full_hz.size(), 5);
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(biased.error.full_hz[i], exact[i + 1], 1e-8 * exact[i + 1]);
}

TEST_F(Reference, BootstrapAndCovariances) {
  const Json& uq = json["uq"];
  const VectorXd optimum = vector_of(json["optimum"]["full"]["pbar"]), ratio = optimum.array() + 1.0;
  const Linearisation at = linearise(full, ratio, target, damping);
  const Index samples = at.E.rows();
  ASSERT_EQ(samples, uq["N_complex"].get<Index>());
  EXPECT_LT((optimum + least_squares_step(at) - vector_of(uq["linear_ls_pbar"])).cwiseAbs().maxCoeff(), 1e-7);
  Congruential random(uq["seed"].get<std::uint64_t>());
  std::vector<Index> rows;
  for (Index i = 0; i < samples; ++i)
    rows.push_back(static_cast<Index>(random.uniform() * static_cast<double>(samples)));
  EXPECT_LT((optimum + bootstrap_step(at, rows) - vector_of(uq["first_bootstrap_pbar"])).cwiseAbs().maxCoeff(), 1e-7);
  const LinearCovariance covariance = linear_covariance(at);
  const MatrixXd sandwich = matrix_of(uq["cov_matrix_sandwich"]), plain = matrix_of(uq["cov_matrix_homoscedastic"]);
  EXPECT_LT((covariance.sandwich - sandwich).cwiseAbs().maxCoeff(), 1e-6 * sandwich.cwiseAbs().maxCoeff());
  EXPECT_LT((covariance.homoscedastic - plain).cwiseAbs().maxCoeff(), 1e-6 * plain.cwiseAbs().maxCoeff());
  // Own draws: 400 of them agree with the sandwich within the scatter of a standard deviation from 400 draws (3.5 %,
  // three times).
  const Bootstrap own = bootstrap(at, 24, 400, 1, 5);
  for (Index s = 0; s < 6; ++s)
    EXPECT_NEAR(own.standard_deviation[s], std::sqrt(sandwich(s, s)), 0.12 * std::sqrt(sandwich(s, s))) << s;
}

}  // namespace
}  // namespace kdyn::update
