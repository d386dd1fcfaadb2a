// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/modal_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"
#include "kdyn/sysid/internal/complex_product.hpp"

namespace kdyn::inline sysid {

const char* to_string(PoleRole role) {
  switch (role) {
    case PoleRole::mode: return "mode";
    case PoleRole::residual_below: return "residual_below";
    case PoleRole::residual_above: return "residual_above";
    case PoleRole::other: return "other";
  }
  return "other";
}

Eigen::Index ModalModel::order() const {
  Eigen::Index n = 0;
  for (Eigen::Index r = 0; r < poles.size(); ++r) n += poles[r].imag() > 0.0 ? 2 : 1;
  return n;
}

std::vector<Eigen::Index> ModalModel::of_role(PoleRole role) const {
  std::vector<Eigen::Index> found;
  for (std::size_t r = 0; r < roles.size(); ++r)
    if (roles[r] == role) found.push_back(static_cast<Eigen::Index>(r));
  return found;
}

StateSpace state_space(const ModalModel& model) {
  const Eigen::Index n = model.order();
  StateSpace out{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, model.inputs()),
                 Eigen::MatrixXd::Zero(model.outputs(), n), model.D};
  Eigen::Index at = 0;
  for (Eigen::Index r = 0; r < model.poles.size(); ++r) {
    const std::complex<double> pole = model.poles[r];
    const double nc = model.C.col(r).norm(), nb = model.B.row(r).norm();
    const double balance = nc > 0.0 && nb > 0.0 ? std::sqrt(nb / nc) : 1.0;
    if (pole.imag() > 0.0) {
      // [sysid E2] with x = [Re q, Im q], q' = lambda q + b u, y = 2 Re(c q).
      out.A.block<2, 2>(at, at) << pole.real(), -pole.imag(), pole.imag(), pole.real();
      out.B.row(at) = model.B.row(r).real() / balance;
      out.B.row(at + 1) = model.B.row(r).imag() / balance;
      out.C.col(at) = 2.0 * balance * model.C.col(r).real();
      out.C.col(at + 1) = -2.0 * balance * model.C.col(r).imag();
      at += 2;
    } else {
      out.A(at, at) = pole.real();
      out.B.row(at) = model.B.row(r).real() / balance;
      out.C.col(at) = balance * model.C.col(r).real();
      at += 1;
    }
  }
  return out;
}

Eigen::MatrixXcd synthesise(const ModalModel& model, const Eigen::VectorXd& omega) {
  const Eigen::Index N = omega.size(), m = model.poles.size(), p = model.outputs(), q = model.inputs();
  // One product: basis functions of all poles and conjugates times residues.
  Eigen::MatrixXcd basis(N, 2 * m), residues(m, p * q);
  for (Eigen::Index r = 0; r < m; ++r) {
    const bool pair = model.poles[r].imag() > 0.0;
    for (Eigen::Index k = 0; k < N; ++k) {
      const std::complex<double> s(0.0, omega[k]);
      basis(k, r) = 1.0 / (s - model.poles[r]);
      basis(k, m + r) = pair ? 1.0 / (s - std::conj(model.poles[r])) : 0.0;
    }
    const Eigen::MatrixXcd residue = model.residue(r);
    residues.row(r) = Eigen::Map<const Eigen::RowVectorXcd>(residue.data(), p * q);
  }
  Eigen::MatrixXcd H = internal::product_with_mirrored(basis, residues);
  H.rowwise() += Eigen::Map<const Eigen::RowVectorXd>(model.D.data(), p * q).cast<std::complex<double>>();
  return H;
}

Eigen::MatrixXcd synthesise(const StateSpace& system, const Eigen::VectorXd& omega) {
  const Eigen::Index n = system.A.rows(), p = system.C.rows(), q = system.B.cols();
  Eigen::MatrixXcd H(omega.size(), p * q);
  for (Eigen::Index k = 0; k < omega.size(); ++k) {
    Eigen::MatrixXcd dynamic = -system.A.cast<std::complex<double>>();
    dynamic.diagonal().array() += std::complex<double>(0.0, omega[k]);
    const Eigen::MatrixXcd h =
        n > 0
            ? (product(system.C.cast<std::complex<double>>(), solved(dynamic, system.B.cast<std::complex<double>>())) +
               system.D)
                  .eval()
            : system.D.cast<std::complex<double>>().eval();
    H.row(k) = Eigen::Map<const Eigen::RowVectorXcd>(h.data(), p * q);
  }
  return H;
}

double frequency_hz(std::complex<double> pole) { return std::abs(pole) / (2.0 * std::numbers::pi); }
double damping_ratio(std::complex<double> pole) { return -pole.real() / std::abs(pole); }

int make_stable(Eigen::VectorXcd& poles) {
  int reflected = 0;
  for (auto& pole : poles) {
    if (pole.real() < 0.0) continue;
    pole.real(-std::max(pole.real(), 1e-9 * std::abs(pole)));
    ++reflected;
  }
  return reflected;
}

void sort_poles(ModalModel& model) {
  const std::size_t m = model.roles.size();
  demand(static_cast<Eigen::Index>(m) == model.poles.size(), "every pole of a modal model has a role");
  std::vector<Eigen::Index> order(m);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    const bool mode_a = model.roles[static_cast<std::size_t>(a)] == PoleRole::mode,
               mode_b = model.roles[static_cast<std::size_t>(b)] == PoleRole::mode;
    return mode_a != mode_b ? mode_a : std::abs(model.poles[a]) < std::abs(model.poles[b]);
  });
  const ModalModel old = model;
  for (std::size_t i = 0; i < m; ++i) {
    const auto to = static_cast<Eigen::Index>(i), from = order[i];
    model.poles[to] = old.poles[from];
    model.roles[i] = old.roles[static_cast<std::size_t>(from)];
    model.C.col(to) = old.C.col(from);
    model.B.row(to) = old.B.row(from);
  }
}

}  // namespace kdyn::inline sysid
