// SPDX-License-Identifier: Apache-2.0
// Start values from the data alone.
#pragma once

#include <vector>

#include "kdyn/identify/elastomer_fit.hpp"

namespace kdyn::inline identify {

// [identify E6] For given (rho, t1, t2) the complex stiffness is linear in (k, k lambda gamma, k rdl): a grid over the
// three nonlinear ones with a linear solution at each point. `relative_stiffness` scales each row to a common operating
// point (1 when there is one only). The law's lambda and ymax are taken as they are; static_stiffness, alpha, beta,
// gamma, rdl and rho are set.
void start_from_map(const StiffnessMap& map, const std::vector<std::size_t>& rows,
                    const std::vector<double>& relative_stiffness, Elastomer<double>& law);

// Slope of force over displacement by least squares; of loops the friction averages out.
double secant_slope(const std::vector<double>& displacement, const std::vector<double>& force);

}  // namespace kdyn::inline identify
