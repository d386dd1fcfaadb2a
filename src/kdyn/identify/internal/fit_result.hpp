// SPDX-License-Identifier: Apache-2.0
// From a least-squares solution to what the user sees: the law, parameters with intervals, correlations, predictions.
#pragma once

#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/numerics/least_squares.hpp"

namespace kdyn::inline identify {

// `spread`: of theta, by what the data leave open besides the parameters (alternatives.hpp); empty: nothing.
void report_fit(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup,
                const LeastSquaresResult& fit, const Eigen::MatrixXd& spread, ElastomerFitResult& result);

void report_sheet(const TwoPointInput& input, const ElastomerFitOptions& options, const TwoPointResult& solved,
                  ElastomerFitResult& result);

// A typical rubber: parameters nobody measured, within the spread of rubber compounds.
void report_typical(const ElastomerFitOptions& options, ElastomerFitResult& result);

}  // namespace kdyn::inline identify
