// SPDX-License-Identifier: Apache-2.0
// A law as the comparison sees it: names and start values of its parameters, its first harmonic with derivatives, and a
// Mount.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/identify/internal/fit_record.hpp"
#include "kdyn/identify/internal/log_fit.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

struct LawCandidate {
  std::string law, title;
  std::vector<LogParameter> parameters;  // start values from the rows
  // Complex stiffness at each row; derivatives with respect to ln(parameter) when wanted (rows x parameters).
  std::function<void(const Eigen::VectorXd& values, const std::vector<MapRow>& rows, Eigen::VectorXcd& K,
                     Eigen::MatrixXcd* dK)>
      stiffness;
  // Force along a record at its scored samples, run in time from rest; derivatives likewise (samples x parameters).
  std::function<void(const Eigen::VectorXd& values, const FitRecord& record, Eigen::VectorXd& force,
                     Eigen::MatrixXd* dF)>
      force;
  std::function<std::unique_ptr<Mount>(const Eigen::VectorXd& values)> mount;
};

// Start values come from these rows: sizes of stiffness, loss, amplitude and frequency.
LawCandidate make_law_candidate(const std::string& law, const std::vector<MapRow>& rows, int maxwell_branches);

}  // namespace kdyn::inline identify
