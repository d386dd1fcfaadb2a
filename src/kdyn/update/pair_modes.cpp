// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/pair_modes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int moc_terms = 16;

}  // namespace

std::vector<int> assign(const MatrixXd& benefit) {
  // Shortest augmenting paths with potentials (Jonker and Volgenant), on the square matrix filled up with zeros.
  const int n = static_cast<int>(std::max(benefit.rows(), benefit.cols()));
  const auto cost = [&](int i, int j) { return i < benefit.rows() && j < benefit.cols() ? -benefit(i, j) : 0.0; };
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  std::vector<double> u(at(n + 1), 0.0), v(at(n + 1), 0.0);
  std::vector<int> row_of(at(n + 1), 0), way(at(n + 1), 0);
  for (int i = 1; i <= n; ++i) {
    row_of[0] = i;
    int j0 = 0;
    std::vector<double> least(at(n + 1), std::numeric_limits<double>::infinity());
    std::vector<bool> done(at(n + 1), false);
    do {
      done[at(j0)] = true;
      const int i0 = row_of[at(j0)];
      int j1 = 0;
      double delta = std::numeric_limits<double>::infinity();
      for (int j = 1; j <= n; ++j) {
        if (done[at(j)]) continue;
        const double reduced = cost(i0 - 1, j - 1) - u[at(i0)] - v[at(j)];
        if (reduced < least[at(j)]) least[at(j)] = reduced, way[at(j)] = j0;
        if (least[at(j)] < delta) delta = least[at(j)], j1 = j;
      }
      for (int j = 0; j <= n; ++j) {
        if (done[at(j)])
          u[at(row_of[at(j)])] += delta, v[at(j)] -= delta;
        else
          least[at(j)] -= delta;
      }
      j0 = j1;
    } while (row_of[at(j0)] != 0);
    do {
      const int j1 = way[at(j0)];
      row_of[at(j0)] = row_of[at(j1)];
      j0 = j1;
    } while (j0 != 0);
  }
  std::vector<int> out(static_cast<std::size_t>(benefit.rows()), -1);
  for (int j = 1; j <= n; ++j)
    if (row_of[at(j)] - 1 < benefit.rows() && j - 1 < benefit.cols()) out[at(row_of[at(j)] - 1)] = j - 1;
  return out;
}

Pairing pair_modes(const ModesAtSensors& test, const ModesAtSensors& model, double mac_limit) {
  demand(test.shapes.rows() == model.shapes.rows(), "shapes are at the same sensors");
  Pairing out;
  out.mac = mac_matrix(test.shapes, model.shapes);
  MatrixXd moc = out.mac;
  const double top = std::max(1.0, test.frequency_hz.size() > 0 ? test.frequency_hz.maxCoeff() : 1.0);
  for (Index i = 0; i < moc.rows(); ++i)
    for (Index j = 0; j < moc.cols(); ++j) {
      const double turn = 2.0 * std::numbers::pi * (model.frequency_hz[j] - test.frequency_hz[i]) / (4.5 * top);
      std::complex<double> sum = 0.0;
      for (int k = 0; k < moc_terms; ++k) sum += std::polar(1.0, turn * k);
      moc(i, j) *= std::norm(sum) / (moc_terms * moc_terms);  // [update E15]
    }
  const std::vector<int> partner = assign(moc);
  std::vector<bool> taken(static_cast<std::size_t>(moc.cols()), false);
  for (std::size_t i = 0; i < partner.size(); ++i) {
    const int j = partner[i];
    if (j >= 0 && out.mac(static_cast<Index>(i), j) >= mac_limit) {
      out.pairs.push_back({static_cast<int>(i), j, out.mac(static_cast<Index>(i), j), moc(static_cast<Index>(i), j)});
      taken[static_cast<std::size_t>(j)] = true;
    } else {
      out.test_alone.push_back(static_cast<int>(i));
    }
  }
  for (Index j = 0; j < moc.cols(); ++j)
    if (!taken[static_cast<std::size_t>(j)] && model.frequency_hz[j] > 0.0 && model.frequency_hz[j] <= top)
      out.model_alone.push_back(static_cast<int>(j));
  return out;
}

VectorXd mapped_damping(const Pairing& pairing, const ModesAtSensors& test, Index model_modes) {
  std::vector<double> known;
  for (const ModePair& pair : pairing.pairs) known.push_back(test.damping[pair.test]);
  VectorXd out = VectorXd::Constant(model_modes, known.empty() ? 0.01 : median(known));  // [update E16]
  for (const ModePair& pair : pairing.pairs) out[pair.model] = test.damping[pair.test];
  return out;
}

}  // namespace kdyn::update
