// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/surrogate.hpp"

#include <fmt/format.h>

namespace kdyn::update {

BasisCheck check_basis(const fe::AffineMatrices& matrices, const std::vector<int>& group_of,
                       const fe::ReducedModel& reduced, const Eigen::VectorXd& ratio, double max_frequency_hz,
                       double limit, fe::EigenSolver eigensolver) {
  BasisCheck out;
  out.error = fe::basis_error(matrices, group_of, reduced, ratio, max_frequency_hz, 60, 0, eigensolver);
  out.good = out.error.largest <= limit;
  if (!out.good)
    out.findings.push_back({Severity::serious, "basis_error", "basis",
                            fmt::format("the reduced basis is off by {:.3g} % in frequency at these parameters, more "
                                        "than {:.3g} %: they are biased",
                                        100.0 * out.error.largest, 100.0 * limit),
                            "rebuild the basis at these parameters and continue, or take more modes into it"});
  return out;
}

Surrogate make_surrogate(const fe::AffineMatrices& matrices, const std::vector<int>& group_of,
                         const Eigen::MatrixXd& outputs, const Eigen::MatrixXd& inputs, const fe::BasisOptions& options,
                         const Eigen::VectorXd& ratio, Progress& progress) {
  const fe::ParametricBasis basis = fe::parametric_basis(matrices, group_of, options, ratio, progress);
  return {fe::project(matrices, basis.vectors, outputs, inputs), basis.modes, basis.attachments, basis.sensitivities,
          basis.dropped};
}

}  // namespace kdyn::update
