// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/response.hpp"

#include <cmath>
#include <numbers>

#include <cblas-openblas.h>

#include "kdyn/base/error.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;

constexpr double two_pi = 2.0 * std::numbers::pi;

MatrixXd product(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd out(a.rows(), b.cols());
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(a.rows()), static_cast<int>(b.cols()), static_cast<int>(a.cols()), 1.0,
              a.data(), static_cast<int>(a.rows()), b.data(), static_cast<int>(b.rows()), 0.0, out.data(), static_cast<int>(out.rows()));
  return out;
}

VectorXcd dynamic_flexibility(const VectorXd& omega, double w, double damping) {
  VectorXcd out(omega.size());
  for (Index r = 0; r < omega.size(); ++r) out[r] = 1.0 / Complex(omega[r] * omega[r] - w * w, 2.0 * damping * omega[r] * w);
  return out;
}

}  // namespace

ModalForm modal_form(const fe::ReducedModel& model, const VectorXd& ratio, bool derivatives) {
  demand(ratio.size() == model.parameters, "one ratio per parameter");
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(model.stiffness_at(ratio), model.mass_at(ratio));
  if (eigen.info() != Eigen::Success || !eigen.eigenvalues().allFinite())
    throw_bad_input("model", "the mass matrix at these parameters is not positive definite", "check the bounds of mass and density parameters");
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
  demand(damping.size() == modes, "one damping ratio per mode");
  // Residue of each channel and mode once; then two real products over all lines.
  MatrixXd residue(modes, outputs * inputs);
  for (Index u = 0; u < inputs; ++u)
    for (Index y = 0; y < outputs; ++y) residue.col(y + outputs * u) = form.Y.row(y).transpose().cwiseProduct(form.U.col(u));
  MatrixXd re(lines, modes), im(lines, modes);
  for (Index r = 0; r < modes; ++r)
    for (Index l = 0; l < lines; ++l) {
      const double w = two_pi * frequency_hz[l], a = form.omega[r] * form.omega[r] - w * w, b = 2.0 * damping[r] * form.omega[r] * w;
      const double scale = -w * w / (a * a + b * b);
      re(l, r) = scale * a, im(l, r) = -scale * b;
    }
  MatrixXcd out(lines, outputs * inputs);
  out.real() = product(re, residue);
  out.imag() = product(im, residue);
  return out;
}

MatrixXcd accelerance_derivatives(const ModalForm& form, double frequency_hz, double damping) {
  const double w = two_pi * frequency_hz;
  const Index modes = form.omega.size(), outputs = form.Y.rows(), inputs = form.U.cols(), parameters = static_cast<Index>(form.k.size());
  const VectorXcd d = dynamic_flexibility(form.omega, w, damping);
  const MatrixXcd left = form.Y * d.asDiagonal(), right = d.asDiagonal() * form.U;
  // Real products on both halves side by side.
  MatrixXd halves(modes, 2 * inputs);
  halves << right.real(), right.imag();
  MatrixXd left_halves(2 * outputs, modes);
  left_halves << left.real(), left.imag();
  MatrixXcd out(outputs * inputs, parameters);
  MatrixXd even(modes, modes), odd(modes, modes);
  for (Index s = 0; s < parameters; ++s) {
    const MatrixXd& k = form.k[static_cast<std::size_t>(s)];
    const MatrixXd& m = form.m[static_cast<std::size_t>(s)];
    const bool massive = m.size() > 0;
    for (Index j = 0; j < modes; ++j)
      for (Index i = 0; i < modes; ++i) {
        const double sum = form.omega[i] + form.omega[j];
        const double damped = k(i, j) + (massive ? m(i, j) * form.omega[i] * form.omega[j] : 0.0);
        odd(i, j) = sum > 0.0 ? w * 2.0 * damping * damped / sum : 0.0;
        even(i, j) = k(i, j) - (massive ? w * w * m(i, j) : 0.0);
      }
    const MatrixXd a = product(even, halves), b = product(odd, halves);
    MatrixXd inner(modes, 2 * inputs);
    inner << a.leftCols(inputs) - b.rightCols(inputs), a.rightCols(inputs) + b.leftCols(inputs);
    const MatrixXd four = product(left_halves, inner);
    for (Index u = 0; u < inputs; ++u)
      for (Index y = 0; y < outputs; ++y)
        out(y + outputs * u, s) = w * w * Complex(four(y, u) - four(outputs + y, inputs + u), four(y, inputs + u) + four(outputs + y, u));
  }
  return out;
}

VectorXd frequency_lines(double min_hz, double max_hz, double damping, double per_half_bandwidth) {
  if (!(min_hz > 0.0) || !(max_hz > min_hz) || !(damping > 0.0) || !(per_half_bandwidth > 0.0))
    throw_bad_input("band_hz", "lines need 0 < lowest < highest frequency, damping > 0 and lines per half-bandwidth > 0", "correct the band");
  const auto count = static_cast<Index>(std::ceil(std::log(max_hz / min_hz) / std::log1p(damping / per_half_bandwidth))) + 1;
  if (count > 1000000) throw_bad_input("band_hz", "this makes more than a million lines", "choose fewer lines per half-bandwidth");
  VectorXd out(count);
  for (Index j = 0; j < count; ++j) out[j] = min_hz * std::pow(max_hz / min_hz, static_cast<double>(j) / static_cast<double>(count - 1));
  return out;
}

}  // namespace kdyn::update
