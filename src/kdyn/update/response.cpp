// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/response.hpp"

#include <algorithm>
#include <cmath>

#include <cblas-openblas.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/numerics/modal_sum.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

// Once for the process: OpenBLAS has no setting per thread, and threads of its own only disturb those of the caller.
void one_blas_thread() {
  static const bool done = [] {
    openblas_set_num_threads(1);
    return true;
  }();
  (void)done;
}

// c = a b, columns of all three contiguous.
void product(const double* a, const double* b, double* c, Index rows, Index inner, Index columns) {
  one_blas_thread();
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows), static_cast<int>(columns),
              static_cast<int>(inner), 1.0, a, static_cast<int>(rows), b, static_cast<int>(inner), 0.0, c,
              static_cast<int>(rows));
}
MatrixXd product(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows(), b.cols());
  product(a.data(), b.data(), out.data(), a.rows(), a.cols(), b.cols());
  return out;
}

}  // namespace

ModalForm modal_form(const fe::ReducedModel& model, const VectorXd& ratio, bool derivatives) {
  demand(ratio.size() == model.parameters, "one ratio per parameter");
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(model.stiffness_at(ratio), model.mass_at(ratio));
  if (eigen.info() != Eigen::Success || !eigen.eigenvalues().allFinite())
    throw_bad_input("model", "the mass matrix at these parameters is not positive definite",
                    "check the bounds of mass and density parameters");
  ModalForm out;
  // Rounding leaves rigid modes a small eigenvalue of either sign.
  const double zero = 1e-10 * eigen.eigenvalues().tail(1)[0];
  out.omega = eigen.eigenvalues().unaryExpr([&](double v) { return v > std::max(zero, 1e-3) ? std::sqrt(v) : 0.0; });
  out.shapes = eigen.eigenvectors();
  out.Y = model.C * out.shapes;
  out.U = out.shapes.transpose() * model.B;
  if (!derivatives) return out;
  for (int s = 0; s < model.parameters; ++s) {
    out.k.push_back(out.shapes.transpose() * model.stiffness_derivative(ratio, s) * out.shapes);
    const MatrixXd m = model.mass_derivative(ratio, s);
    out.m.push_back(m.isZero(0.0) ? MatrixXd() : MatrixXd(out.shapes.transpose() * m * out.shapes));
  }
  return out;
}

MatrixXcd accelerance(const ModalForm& form, const VectorXd& frequency_hz, double damping) {
  return accelerance(form, frequency_hz, VectorXd::Constant(form.omega.size(), damping));
}

MatrixXcd accelerance(const ModalForm& form, const VectorXd& frequency_hz, const VectorXd& damping) {
  const Index lines = frequency_hz.size(), modes = form.omega.size(), outputs = form.Y.rows(), inputs = form.U.cols();
  // Residue of each channel and mode once; then two real products over all lines.
  MatrixXd residue(modes, outputs * inputs);
  for (Index u = 0; u < inputs; ++u)
    for (Index y = 0; y < outputs; ++y)
      residue.col(y + outputs * u) = form.Y.row(y).transpose().cwiseProduct(form.U.col(u));
  const ModalWeights weights = accelerance_weights(form.omega, damping, two_pi * frequency_hz);
  MatrixXcd out(lines, outputs * inputs);
  out.real() = product(weights.re, residue);
  out.imag() = product(weights.im, residue);
  return out;
}

SlopeKernel::SlopeKernel(const ModalForm& form, double damping)
    : form_(form),
      parameters_(static_cast<Index>(form.k.size())),
      damping_(damping) {
  const Index modes = form.omega.size();
  inverse_sum_.resize(modes, modes);
  for (Index j = 0; j < modes; ++j)
    for (Index i = 0; i < modes; ++i) {
      const double sum = form.omega[i] + form.omega[j];
      inverse_sum_(i, j) = sum > 0.0 ? 1.0 / sum : 0.0;
    }
  k_re_.resize(modes, modes), k_im_.resize(modes, modes);
  m_re_.resize(modes, modes), m_im_.resize(modes, modes);
  stacked_.resize(modes * 2 * parameters_, modes);
  right_.resize(modes * 2 * parameters_, form.U.cols());
  slopes_.resize(form.Y.rows(), 2 * parameters_ * form.U.cols());
}

void SlopeKernel::at(double frequency_hz) {
  const double w = two_pi * frequency_hz;
  const Index modes = form_.omega.size();
  VectorXcd d(modes);
  for (Index r = 0; r < modes; ++r)
    d[r] = 1.0 / Complex(form_.omega[r] * form_.omega[r] - w * w, 2.0 * damping_ * form_.omega[r] * w);
  const bool massive = std::any_of(form_.m.begin(), form_.m.end(), [](const MatrixXd& m) { return m.size() > 0; });
  for (Index j = 0; j < modes; ++j)
    for (Index i = 0; i < modes; ++i) {
      const Complex both = w * w * d[i] * d[j];
      const double damped = 2.0 * damping_ * w * inverse_sum_(i, j);
      k_re_(i, j) = both.real() - both.imag() * damped;
      k_im_(i, j) = both.imag() + both.real() * damped;
      if (!massive) continue;
      const double inertia = -w * w, damped_mass = damped * form_.omega[i] * form_.omega[j];
      m_re_(i, j) = both.real() * inertia - both.imag() * damped_mass;
      m_im_(i, j) = both.imag() * inertia + both.real() * damped_mass;
    }
  for (Index s = 0; s < parameters_; ++s) {
    const MatrixXd& k = form_.k[static_cast<std::size_t>(s)];
    const MatrixXd& m = form_.m[static_cast<std::size_t>(s)];
    auto re = stacked_.middleRows(2 * s * modes, modes), im = stacked_.middleRows((2 * s + 1) * modes, modes);
    re = k_re_.cwiseProduct(k), im = k_im_.cwiseProduct(k);
    if (m.size() > 0) re += m_re_.cwiseProduct(m), im += m_im_.cwiseProduct(m);
  }
  // (parts of all parameters below each other) U, then read as modes x (parts of all parameters of all inputs).
  product(stacked_.data(), form_.U.data(), right_.data(), stacked_.rows(), modes, form_.U.cols());
  product(form_.Y.data(), right_.data(), slopes_.data(), form_.Y.rows(), modes, slopes_.cols());
}

MatrixXcd accelerance_derivatives(const ModalForm& form, double frequency_hz, double damping) {
  SlopeKernel kernel(form, damping);
  kernel.at(frequency_hz);
  const Index outputs = form.Y.rows(), inputs = form.U.cols();
  MatrixXcd out(outputs * inputs, static_cast<Index>(form.k.size()));
  for (Index s = 0; s < out.cols(); ++s)
    for (Index u = 0; u < inputs; ++u)
      for (Index y = 0; y < outputs; ++y) out(y + outputs * u, s) = kernel.value(y, u, s);
  return out;
}

VectorXd frequency_lines(double min_hz, double max_hz, double damping, double per_half_bandwidth) {
  if (!(min_hz > 0.0) || !(max_hz > min_hz) || !(damping > 0.0) || !(per_half_bandwidth > 0.0))
    throw_bad_input("band_hz",
                    "lines need 0 < lowest < highest frequency, damping > 0 and lines per half-bandwidth > 0",
                    "correct the band");
  const auto count =
      static_cast<Index>(std::ceil(std::log(max_hz / min_hz) / std::log1p(damping / per_half_bandwidth))) + 1;
  if (count > 1000000)
    throw_bad_input("band_hz", "this makes more than a million lines", "choose fewer lines per half-bandwidth");
  VectorXd out(count);
  for (Index j = 0; j < count; ++j)
    out[j] = min_hz * std::pow(max_hz / min_hz, static_cast<double>(j) / static_cast<double>(count - 1));
  return out;
}

}  // namespace kdyn::update
