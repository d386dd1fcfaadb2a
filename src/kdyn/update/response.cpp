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
  const auto in_modes = [&](const MatrixXd& matrix) {
    return matrix.isZero(0.0) ? MatrixXd() : MatrixXd(out.shapes.transpose() * matrix * out.shapes);
  };
  if (model.loses()) {
    out.loss = out.shapes.transpose() * model.loss_at(ratio) * out.shapes;
    out.nominal_damping = model.mode_damping;
    out.own_damping = model.mode_damping.cwiseProduct(ratio.tail(model.mode_damping.size()));
  }
  if (!derivatives) return out;
  for (int s = 0; s < model.parameters; ++s) {
    const MatrixXd k = model.stiffness_derivative(ratio, s);
    out.k.push_back(model.loses() ? in_modes(k) : MatrixXd(out.shapes.transpose() * k * out.shapes));
    out.m.push_back(in_modes(model.mass_derivative(ratio, s)));
    if (model.loses()) out.loss_slopes.push_back(in_modes(model.loss_derivative(ratio, s)));
  }
  return out;
}

Index ModalForm::rigid() const { return (omega.array() == 0.0).count(); }

VectorXd damping_of_modes(const ModalForm& form, double damping, bool with_loss) {
  VectorXd out = VectorXd::Constant(form.omega.size(), damping);
  const Index first = form.rigid(), own = std::min(form.own_damping.size(), form.omega.size() - first);
  out.segment(first, own) = form.own_damping.head(own);
  for (Index r = first; with_loss && form.loses() && r < out.size(); ++r)
    out[r] += 0.5 * form.loss(r, r) / (form.omega[r] * form.omega[r]);
  return out;
}

namespace {

// [update E32] A = W^2 - w^2 + 2 i xi W w + i L, L = R R^T of low rank where few springs lose energy: A^-1 by Woodbury then,
// else by elimination.
class LossyMatrix {
 public:
  LossyMatrix(const ModalForm& form, const VectorXd& damping) : form_(form), damping_(damping) {
    const Index n = form.omega.size();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(form.loss);
    const double largest = eigen.eigenvalues().cwiseAbs().maxCoeff(), nothing = 1e-13 * largest;
    std::vector<Index> kept;
    bool negative = false;
    for (Index i = 0; i < n; ++i) {
      negative = negative || eigen.eigenvalues()[i] < -1e-9 * largest;
      if (eigen.eigenvalues()[i] > nothing) kept.push_back(i);
    }
    low_rank_ = !negative && 2 * static_cast<Index>(kept.size()) <= n;
    if (low_rank_) root_ = eigen.eigenvectors()(Eigen::all, kept) * eigen.eigenvalues()(kept).cwiseSqrt().asDiagonal();
  }
  void at(double w) {
    const Index n = form_.omega.size();
    diagonal_.resize(n);
    for (Index r = 0; r < n; ++r) {
      const double o = form_.omega[r];
      diagonal_[r] = Complex(o * o - w * w, 2.0 * damping_[r] * o * w);
    }
    if (low_rank_) {
      scaled_ = diagonal_.cwiseInverse().asDiagonal() * root_.cast<Complex>();
      MatrixXcd core = Complex(0.0, 1.0) * (root_.transpose().cast<Complex>() * scaled_);
      core.diagonal().array() += 1.0;
      core_.compute(core);
    } else {
      MatrixXcd full = Complex(0.0, 1.0) * form_.loss.cast<Complex>();
      full.diagonal() += diagonal_;
      full_.compute(full);
    }
  }
  MatrixXcd solve(const MatrixXd& right) const {
    if (!low_rank_) return full_.solve(right.cast<Complex>());
    const MatrixXcd simple = diagonal_.cwiseInverse().asDiagonal() * right.cast<Complex>();
    if (root_.cols() == 0) return simple;
    const MatrixXcd inner = scaled_.transpose() * right.cast<Complex>();
    return simple - Complex(0.0, 1.0) * scaled_ * core_.solve(inner);
  }

 private:
  const ModalForm& form_;
  VectorXd damping_;
  bool low_rank_ = false;
  MatrixXd root_;
  VectorXcd diagonal_;
  MatrixXcd scaled_;
  Eigen::PartialPivLU<MatrixXcd> core_, full_;
};

MatrixXcd lossy_accelerance(const ModalForm& form, const VectorXd& frequency_hz, double damping) {
  LossyMatrix matrix(form, damping_of_modes(form, damping, false));
  MatrixXcd out(frequency_hz.size(), form.Y.rows() * form.U.cols());
  for (Index l = 0; l < frequency_hz.size(); ++l) {
    const double w = two_pi * frequency_hz[l];
    matrix.at(w);
    out.row(l) = (-w * w * (form.Y.cast<Complex>() * matrix.solve(form.U))).reshaped().transpose();
  }
  return out;
}

}  // namespace

class SlopeKernel::WithLoss {
 public:
  WithLoss(const ModalForm& form, double damping)
      : form_(form),
        damping_(damping_of_modes(form, damping, false)),
        matrix_(form, damping_) {
    // What a change of stiffness and mass does to a damping matrix that keeps the ratio of every mode [update E32].
    const Index n = form.omega.size();
    by_k_.resize(n, n), by_m_.resize(n, n);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const double a = form.omega[i], b = form.omega[j], sum = a + b;
        const double g = 2.0 * damping_[i] * a, h = 2.0 * damping_[j] * b;
        const bool close = std::abs(a - b) <= 1e-4 * sum;
        const double mean = sum > 0.0 ? (damping_[i] + damping_[j]) / sum : 0.0, apart = a * a - b * b;
        by_k_(i, j) = close ? mean : (g - h) / apart;
        by_m_(i, j) = close ? mean * a * b : (h * a * a - g * b * b) / apart;
      }
  }
  void at(double frequency_hz, MatrixXd& slopes) {
    const double w = two_pi * frequency_hz;
    matrix_.at(w);
    const MatrixXcd x = matrix_.solve(form_.U), z = matrix_.solve(form_.Y.transpose());
    const auto parameters = static_cast<Index>(form_.k.size()), own = form_.nominal_damping.size(),
               first = form_.rigid();
    const auto put = [&](Index s, const MatrixXcd& h) {
      for (Index u = 0; u < h.cols(); ++u) {
        slopes.col(2 * s + 2 * parameters * u) = w * w * h.col(u).real();
        slopes.col(2 * s + 1 + 2 * parameters * u) = w * w * h.col(u).imag();
      }
    };
    for (Index s = 0; s < parameters; ++s) {
      const auto i = static_cast<std::size_t>(s);
      if (const Index mode = s - (parameters - own); mode >= 0) {
        const Index r = first + mode;
        put(s, Complex(0.0, 2.0 * w * form_.omega[r] * form_.nominal_damping[mode]) * z.row(r).transpose() * x.row(r));
        continue;
      }
      const MatrixXd &k = form_.k[i], &m = form_.m[i], &l = form_.loss_slopes[i];
      re_.setZero(by_k_.rows(), by_k_.cols()), im_.setZero(by_k_.rows(), by_k_.cols());
      if (k.size() > 0) re_ += k, im_ += w * by_k_.cwiseProduct(k);
      if (m.size() > 0) re_ -= w * w * m, im_ += w * by_m_.cwiseProduct(m);
      if (l.size() > 0) im_ += l;
      // (re + i im) x by real products
      const MatrixXd xr = x.real(), xi = x.imag();
      MatrixXcd moved(x.rows(), x.cols());
      moved.real() = product(re_, xr) - product(im_, xi);
      moved.imag() = product(re_, xi) + product(im_, xr);
      put(s, z.transpose() * moved);
    }
  }

 private:
  const ModalForm& form_;
  VectorXd damping_;
  LossyMatrix matrix_;
  MatrixXd by_k_, by_m_, re_, im_;
};

SlopeKernel::~SlopeKernel() = default;

MatrixXcd accelerance(const ModalForm& form, const VectorXd& frequency_hz, double damping) {
  if (form.loses()) return lossy_accelerance(form, frequency_hz, damping);
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
  if (form.loses()) {
    with_loss_ = std::make_unique<WithLoss>(form, damping);
    slopes_.resize(form.Y.rows(), 2 * parameters_ * form.U.cols());
    return;
  }
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
  if (with_loss_) return with_loss_->at(frequency_hz, slopes_);
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
