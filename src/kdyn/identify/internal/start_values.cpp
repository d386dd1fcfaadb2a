// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/start_values.hpp"
#include "kdyn/numerics/dense.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/elastomer/harmonic.hpp"

namespace kdyn::inline identify {
namespace {

using C = std::complex<double>;

struct Row {
  double omega, amplitude;
  C stiffness;
};

constexpr std::size_t most_rows = 120;

// Non-negative least squares of three unknowns by leaving out those that come out negative.
double solve_linear(const Eigen::Matrix3d& A, const Eigen::Vector3d& b, double total, Eigen::Vector3d& x) {
  std::array<bool, 3> used = {true, true, true};
  for (int attempt = 0; attempt < 3; ++attempt) {
    Eigen::Matrix3d M = Eigen::Matrix3d::Identity();
    Eigen::Vector3d rhs = Eigen::Vector3d::Zero();
    for (int i = 0; i < 3; ++i)
      if (used[static_cast<std::size_t>(i)]) {
        rhs[i] = b[i];
        for (int j = 0; j < 3; ++j) M(i, j) = used[static_cast<std::size_t>(j)] ? A(i, j) : 0.0;
      }
    x = M.ldlt().solve(rhs);
    bool negative = false;
    for (int i = 1; i < 3; ++i)
      if (x[i] < 0.0) {
        used[static_cast<std::size_t>(i)] = false;
        negative = true;
      }
    if (!negative) break;
  }
  return total - 2.0 * b.dot(x) + x.dot(A * x);
}

}  // namespace

void start_from_map(const StiffnessMap& map, const std::vector<std::size_t>& rows,
                    const std::vector<double>& relative_stiffness, Elastomer<double>& law) {
  std::vector<Row> data;
  const std::size_t stride = std::max<std::size_t>(1, (rows.size() + most_rows - 1) / most_rows);
  double log_amplitude = 0.0, omega_min = 1e300, omega_max = 0.0;
  for (std::size_t n = 0; n < rows.size(); n += stride) {
    const MapRow& row = map.rows[rows[n]];
    const double omega = 2.0 * std::numbers::pi * row.frequency_hz;
    data.push_back({omega, row.amplitude, std::polar(row.k_dyn, row.loss_angle) / relative_stiffness[rows[n]]});
    log_amplitude += std::log(row.amplitude);
    omega_min = std::min(omega_min, omega);
    omega_max = std::max(omega_max, omega);
  }
  const double typical = std::exp(log_amplitude / static_cast<double>(data.size()));

  struct Times {
    double t1, t2;
  };
  std::vector<Times> times;
  const double shortest = 0.3 / omega_max, longest = 10.0 / omega_min;
  for (int i = 0; i < 9; ++i)
    for (const double ratio : {0.02, 0.08, 0.3}) {
      const double t2 = shortest * std::pow(longest / shortest, i / 8.0);
      times.push_back({ratio * t2, t2});
    }
  double best = std::numeric_limits<double>::infinity();
  Eigen::Vector3d best_x(1.0, 0.0, 0.0);
  double best_rho = 1.0 / typical;
  Times best_times = times.front();
  // What does not depend on rho is made once.
  std::vector<std::vector<C>> viscous(times.size());
  for (std::size_t k = 0; k < times.size(); ++k)
    for (const Row& row : data) {
      const C iw(0.0, row.omega);
      viscous[k].push_back(iw * (1.0 + iw * times[k].t1) / (1.0 + iw * times[k].t2));
    }
  std::vector<C> friction(data.size());
  for (int i = -6; i <= 8; ++i) {
    const double rho = std::exp(0.6 * i) / typical;
    for (std::size_t n = 0; n < data.size(); ++n) {
      const auto K =
          friction_stiffness(Friction<double>{FrictionLaw::masing, 1.0, rho, std::nullopt}, data[n].amplitude);
      friction[n] = {K.re, K.im};
    }
    for (std::size_t k = 0; k < times.size(); ++k) {
      Eigen::Matrix3d A = Eigen::Matrix3d::Zero();
      Eigen::Vector3d b = Eigen::Vector3d::Zero();
      double total = 0.0;
      for (std::size_t n = 0; n < data.size(); ++n) {
        const std::array<C, 3> column = {C(1.0, 0.0), viscous[k][n], friction[n]};
        const double w = 1.0 / std::norm(data[n].stiffness);
        for (int p = 0; p < 3; ++p) {
          const C cp = column[static_cast<std::size_t>(p)];
          b[p] += w * (std::conj(cp) * data[n].stiffness).real();
          for (int q = 0; q < 3; ++q) A(p, q) += w * (std::conj(cp) * column[static_cast<std::size_t>(q)]).real();
        }
        total += 1.0;
      }
      Eigen::Vector3d scale = A.diagonal().cwiseSqrt().cwiseInverse(), x;
      const double misfit = solve_linear(scale.asDiagonal() * A * scale.asDiagonal(), scale.asDiagonal() * b, total, x);
      if (misfit < best && x[0] > 0.0) {
        best = misfit;
        best_x = scale.asDiagonal() * x;
        best_rho = rho;
        best_times = times[k];
      }
    }
  }
  const double k = best_x[0];
  const double c = std::max(best_x[1] / k, 1e-3 / omega_max);
  law.static_stiffness = k;
  law.rdl = std::max(best_x[2] / k, 1e-3 * typical);
  law.rho = best_rho;
  const double lambda = law.lambda > 0.0 ? law.lambda : 1.0;
  law.gamma = c / lambda;
  law.beta = best_times.t1 / (best_times.t2 - best_times.t1);
  law.alpha = (1.0 + law.beta) * law.gamma / best_times.t2;
}

double secant_slope(const std::vector<double>& u, const std::vector<double>& f) {
  double mu = 0.0, mf = 0.0, uu = 0.0, uf = 0.0;
  const auto n = static_cast<double>(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    mu += u[i] / n;
    mf += f[i] / n;
  }
  for (std::size_t i = 0; i < u.size(); ++i) {
    uu += (u[i] - mu) * (u[i] - mu);
    uf += (u[i] - mu) * (f[i] - mf);
  }
  return uu > 0.0 ? uf / uu : 0.0;
}

}  // namespace kdyn::inline identify
