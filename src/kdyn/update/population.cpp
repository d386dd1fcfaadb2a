// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/population.hpp"

#include <cmath>

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Upper tail of chi^2, Wilson and Hilferty's cube-root normal approximation (error below 0.002 for 1 and more degrees
// of freedom). [update E25]
double chi_squared_tail(double q, double dof) {
  const double spread = 2.0 / (9.0 * dof), z = (std::cbrt(q / dof) - (1.0 - spread)) / std::sqrt(spread);
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

}  // namespace

Population compare_parts(const FullModel& model, const std::vector<PartResult>& parts) {
  Population out;
  const auto n = static_cast<Index>(parts.size());
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    if (model.parameters[s].fixed) continue;
    ParameterSpread spread;
    spread.name = model.parameters[s].name, spread.unit = model.parameters[s].unit;
    VectorXd value(n), variance(n);
    for (Index k = 0; k < n; ++k) {
      const ParameterEstimate& e = parts[static_cast<std::size_t>(k)].parameters[s];
      value[k] = e.value;
      variance[k] = e.std * e.std;
    }
    const double plain = value.mean();
    spread.observed_std = n > 1 ? std::sqrt((value.array() - plain).square().sum() / static_cast<double>(n - 1)) : 0.0;
    spread.noise_std = std::sqrt(variance.mean());
    spread.mean = plain;
    if (n > 1 && variance.allFinite() && variance.minCoeff() > 0.0) {
      const VectorXd w = variance.cwiseInverse();
      const double centre = w.dot(value) / w.sum(), q = w.dot((value.array() - centre).square().matrix());
      const double tau2 =
          std::max(0.0, (q - static_cast<double>(n - 1)) / (w.sum() - w.squaredNorm() / w.sum()));  // [update E24]
      spread.between_std = std::sqrt(tau2);
      const VectorXd both = (variance.array() + tau2).inverse();
      spread.mean = both.dot(value) / both.sum();
      spread.mean_std = 1.0 / std::sqrt(both.sum());
      spread.p_value = chi_squared_tail(q, static_cast<double>(n - 1));
    }
    out.parameters.push_back(std::move(spread));
  }
  out.cross_metric.resize(n, n);
  out.nominal_metric.resize(n);
  for (Index j = 0; j < n; ++j) {
    const PartResult& data = parts[static_cast<std::size_t>(j)];
    Stage stage = data.stages.back();
    for (std::size_t c = 0; c < data.calibration.size(); ++c)
      stage.target.use[c] = data.calibration[c] || data.validation[c];
    for (Index i = 0; i < n; ++i) {
      // Damping ratios of modes are those of the part that was measured.
      VectorXd ratio = data.optimum.ratio;
      const auto own = static_cast<Index>(model.parameters.size());
      ratio.head(own) = parts[static_cast<std::size_t>(i)].optimum.ratio.head(own);
      out.cross_metric(i, j) = log_metric(data.model, ratio, stage.target, stage.damping);
    }
    out.nominal_metric[j] = log_metric(data.model, VectorXd::Ones(data.model.parameters), stage.target, stage.damping);
  }
  return out;
}

}  // namespace kdyn::update
