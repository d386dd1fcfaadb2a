// SPDX-License-Identifier: Apache-2.0
// Laws of the shift factors over temperature  [identify E61].
#pragma once

#include <vector>

#include "kdyn/identify/master_curve.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

// WLF and Arrhenius through the shift factors (log10) with their covariance, the better one first. WLF needs four
// levels, Arrhenius two.
std::vector<ShiftLaw> fit_shift_laws(const std::vector<double>& temperature_c, std::size_t reference,
                                     const std::vector<double>& log_a, const Eigen::MatrixXd& covariance);

double log_a_of(const ShiftLaw& law, double temperature_c, double reference_c);

}  // namespace kdyn::inline identify
