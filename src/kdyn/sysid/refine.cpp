// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/refine.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"
#include "kdyn/sysid/internal/complex_product.hpp"
#include "kdyn/sysid/internal/side_fit.hpp"

namespace kdyn::inline sysid {
namespace {

using internal::LineSums;
using internal::Projection;
using internal::SideFit;

enum class Side { outputs, inputs };  // which vectors are solved for

class Refiner {
 public:
  Refiner(const FrfMatrix& frf, const ModalModel& start, const RefineOptions& options)
      : frf_(frf),
        options_(options),
        model_(start) {
    two_sided_ = frf.inputs > 1 && frf.outputs > 1;
    if (frf.outputs == 1 || two_sided_) flipped_ = transposed(frf);
    if (!weighted()) paired_data_ = internal::paired_columns(frf.values);
    make_stable(model_.poles);
    set_poles(model_.poles);
    data_norm_ = weighted_norm(frf.values);
  }

  RefineResult run() {
    start_vectors();
    for (int i = 0; i < (two_sided_ ? options_.alternations : 1); ++i) solve_all();
    RefineResult out;
    out.cost = cost();
    out.cost_history.push_back(out.cost);
    step_poles(out);
    true_residuals_ = true;  // a last correction cleans the rounding of the sums
    residual_known_ = false;
    solve_all();
    out.cost = cost();
    describe(out);
    out.model = model_;
    return out;
  }

 private:
  Side main_side() const { return frf_.outputs == 1 ? Side::inputs : Side::outputs; }
  bool weighted() const { return frf_.weight.size() > 0; }
  double weighted_norm(const Eigen::MatrixXcd& x) const {
    return weighted() ? frf_.weight.cwiseProduct(x.cwiseAbs2()).sum() : x.squaredNorm();
  }
  // From the sums that are there already while they carry enough digits, else from the residuals themselves.
  double cost() {
    if (!weighted()) {
      const Eigen::Index m = model_.poles.size(), channels = frf_.values.cols();
      const Eigen::MatrixXcd R = residues();
      const Eigen::RowVectorXd D = Eigen::Map<const Eigen::RowVectorXd>(model_.D.data(), channels);
      // 2 <model, data> - <model, model> with <model, data - model> from the residual.
      const Projection& left = residual_projection();
      const Eigen::MatrixXcd toward = data_projection_.on_basis.topRows(2 * m) + left.on_basis.topRows(2 * m);
      const double explained =
          (R.conjugate().cwiseProduct(toward.topRows(m)) + R.cwiseProduct(toward.bottomRows(m))).sum().real() +
          (data_projection_.total + left.total).dot(D);
      if (data_norm_ - explained > 1e-9 * data_norm_) return (data_norm_ - explained) / data_norm_;
    }
    return weighted_norm(frf_.values - synthesise(model_, frf_.omega)) / data_norm_;
  }

  // Residues of the poles, m x channels; those of their conjugates are conjugate.
  Eigen::MatrixXcd residues() const {
    const Eigen::Index m = model_.poles.size();
    Eigen::MatrixXcd out(m, frf_.values.cols());
    for (Eigen::Index u = 0; u < frf_.inputs; ++u)
      for (Eigen::Index y = 0; y < frf_.outputs; ++y)
        out.col(frf_.column(y, u)) = model_.C.row(y).transpose().cwiseProduct(model_.B.col(u));
    return out;
  }
  bool movable(Eigen::Index r) const {
    const PoleRole role = model_.roles[static_cast<std::size_t>(r)];
    return role == PoleRole::mode || role == PoleRole::other || options_.move_residual_poles;
  }

  void set_poles(const Eigen::VectorXcd& poles) {
    model_.poles = poles;
    sums_ = internal::line_sums(frf_.omega, poles);
    residual_known_ = false;
    if (!weighted())
      data_projection_ = {internal::adjoint_product(sums_.stacked, paired_data_), frf_.values.real().colwise().sum()};
  }

  // Residual of the current model; without weights by sums that are there already.
  const Projection& residual_projection() {
    if (residual_known_) return residual_;
    residual_known_ = true;
    if (weighted() || true_residuals_) {
      Eigen::MatrixXcd r = frf_.values - synthesise(model_, frf_.omega);
      if (weighted()) r.array() *= frf_.weight.array();
      residual_ = {internal::adjoint_product(sums_.stacked, internal::paired_columns(r)), r.real().colwise().sum()};
      return residual_;
    }
    const Eigen::Index m = model_.poles.size();
    const Eigen::MatrixXcd R = residues();
    const Eigen::RowVectorXd D = Eigen::Map<const Eigen::RowVectorXd>(model_.D.data(), frf_.values.cols());
    residual_ = data_projection_;
    residual_.on_basis -= internal::product_with_mirrored(sums_.gram.leftCols(2 * m), R);
    residual_.on_basis -= sums_.total.adjoint() * D;
    residual_.total -= (sums_.total.head(m) * R + sums_.total.segment(m, m) * R.conjugate()).real() +
                       static_cast<double>(frf_.lines()) * D;
    return residual_;
  }

  Projection flip(const Projection& given) const {
    Projection out = given;
    for (Eigen::Index u = 0; u < frf_.inputs; ++u)
      for (Eigen::Index y = 0; y < frf_.outputs; ++y) {
        out.on_basis.col(flipped_->column(u, y)) = given.on_basis.col(frf_.column(y, u));
        out.total[flipped_->column(u, y)] = given.total[frf_.column(y, u)];
      }
    return out;
  }

  void solve(Side side, const Projection& residual) {
    if (side == Side::outputs) {
      SideFit(frf_, model_.poles, sums_, model_.B).correct(residual, model_.C, model_.D);
    } else {
      const Eigen::MatrixXcd b = model_.C.transpose();
      Eigen::MatrixXcd c = model_.B.transpose();
      Eigen::MatrixXd D = model_.D.transpose();
      SideFit(*flipped_, model_.poles, sums_, b).correct(flip(residual), c, D);
      model_.B = c.transpose();
      model_.D = D.transpose();
    }
    residual_known_ = false;
  }
  void solve(Side side) { solve(side, Projection(residual_projection())); }

  void solve_all() {
    if (two_sided_) {
      balance();
      solve(Side::inputs);
      balance();
    }
    solve(main_side());
  }

  void restore(const ModalModel& kept) {
    model_.C = kept.C;
    model_.B = kept.B;
    model_.D = kept.D;
    residual_known_ = false;
  }

  // Equal norms of c and b, so that neither side runs away over many alternations.
  void balance() {
    for (Eigen::Index r = 0; r < model_.poles.size(); ++r) {
      const double nc = model_.C.col(r).norm(), nb = model_.B.row(r).norm();
      if (!(nc > 0.0) || !(nb > 0.0)) continue;
      const double factor = std::sqrt(nb / nc);
      model_.C.col(r) *= factor;
      model_.B.row(r) /= factor;
    }
  }

  // What the caller needs to judge poles: removal cost, whether the residual is noise, and the covariance.
  void describe(RefineResult& out) {
    const bool on_inputs = main_side() == Side::inputs;
    const FrfMatrix& frf = on_inputs ? *flipped_ : frf_;
    const Eigen::MatrixXcd b = on_inputs ? Eigen::MatrixXcd(model_.C.transpose()) : model_.B,
                           c = on_inputs ? Eigen::MatrixXcd(model_.B.transpose()) : model_.C;
    SideFit side(frf, model_.poles, sums_, b);
    out.removal_cost = side.removal_cost(c) / data_norm_;
    const Eigen::MatrixXcd residual = frf_.values - synthesise(model_, frf_.omega);
    const Eigen::Index N = frf_.lines();
    double neighbours = 0.0, total = 0.0;
    for (Eigen::Index k = 0; k < N; ++k) {
      total += residual.row(k).squaredNorm();
      if (k > 0) neighbours += residual.row(k - 1).dot(residual.row(k)).real();
    }
    out.residual_correlation = total > 0.0 ? std::clamp(neighbours / total, 0.0, 1.0) : 0.0;
    out.local_cost = Eigen::VectorXd::Zero(model_.poles.size());
    const Eigen::MatrixXd squares =
        weighted() ? frf_.weight.cwiseProduct(residual.cwiseAbs2()).eval() : residual.cwiseAbs2().eval();
    const Eigen::VectorXd by_line = squares.rowwise().sum();
    for (Eigen::Index r = 0; r < model_.poles.size(); ++r)
      for (Eigen::Index k = 0; k < N; ++k)
        if (std::abs(frf_.omega[k] - model_.poles[r].imag()) <= 10.0 * std::abs(model_.poles[r].real()))
          out.local_cost[r] += by_line[k] / data_norm_;
    if (!options_.uncertainty) return;
    Eigen::MatrixXd information;
    Eigen::VectorXd equation;
    pole_equations(main_side(), information, equation);
    Eigen::MatrixXd variance = sample_variance(residual);
    if (on_inputs) {
      FrfMatrix carrier = frf_;
      carrier.weight = variance;
      variance = transposed(carrier).weight;
    }
    std::vector<bool> wanted;
    for (Eigen::Index r = 0; r < model_.poles.size(); ++r) wanted.push_back(movable(r));
    const Eigen::MatrixXd noise = side.pole_noise(c, variance, wanted);
    for (Eigen::Index i = 0; i < information.rows(); ++i)
      if (!(information(i, i) > 0.0)) information(i, i) = 1.0;
    const Eigen::MatrixXd inverse = symmetric_inverse(information);
    out.pole_covariance = product(product(inverse, noise), inverse);
    for (Eigen::Index i = 0; i < inverse.rows(); ++i)
      if (!movable(i / 2)) {
        out.pole_covariance.row(i).setZero();
        out.pole_covariance.col(i).setZero();
      }
  }

  // [sysid E15]: variance of each real component.
  Eigen::MatrixXd sample_variance(const Eigen::MatrixXcd& residual) const {
    const Eigen::Index N = residual.rows(), reach = 5;
    const double unknowns = static_cast<double>(model_.order() * (frf_.outputs + frf_.inputs) + frf_.values.cols());
    const double used = std::min(0.9, unknowns / (2.0 * static_cast<double>(residual.size())));
    Eigen::MatrixXd out(N, residual.cols());
    for (Eigen::Index c = 0; c < residual.cols(); ++c)
      for (Eigen::Index k = 0; k < N; ++k) {
        const Eigen::Index first = std::max<Eigen::Index>(0, k - reach),
                           last = std::min<Eigen::Index>(N - 1, k + reach);
        out(k, c) = 0.5 * residual.col(c).segment(first, last - first + 1).squaredNorm() /
                    static_cast<double>(last - first + 1) / (1.0 - used);
        if (frf_.variance.size() > 0) out(k, c) = std::max(out(k, c), 0.5 * frf_.variance(k, c));
      }
    return out;
  }

  void pole_equations(Side side, Eigen::MatrixXd& information, Eigen::VectorXd& equation) {
    const Projection& residual = residual_projection();
    if (side == Side::outputs) {
      SideFit(frf_, model_.poles, sums_, model_.B).pole_equations(residual, model_.C, information, equation);
    } else {
      const Eigen::MatrixXcd b = model_.C.transpose(), c = model_.B.transpose();
      SideFit(*flipped_, model_.poles, sums_, b).pole_equations(flip(residual), c, information, equation);
    }
    for (Eigen::Index r = 0; r < model_.poles.size(); ++r)
      for (Eigen::Index part = 0; part < 2; ++part)
        if (const Eigen::Index i = 2 * r + part; !movable(r) || (part == 1 && !(model_.poles[r].imag() > 0.0))) {
          information.row(i).setZero();
          information.col(i).setZero();
          equation[i] = 0.0;
        }
  }

  // First vectors of the side that is held: shapes where they are given, principal directions of what the modes leave
  // for residual poles.
  void start_vectors() {
    const Eigen::Index m = model_.poles.size();
    model_.D = Eigen::MatrixXd::Zero(frf_.outputs, frf_.inputs);
    if (!two_sided_) {
      (frf_.outputs == 1 ? model_.C = Eigen::MatrixXcd::Ones(1, m) : model_.B = Eigen::MatrixXcd::Ones(m, 1));
      (frf_.outputs == 1 ? model_.B = Eigen::MatrixXcd::Zero(m, frf_.inputs)
                         : model_.C = Eigen::MatrixXcd::Zero(frf_.outputs, m));
      return;
    }
    demand(model_.C.rows() == frf_.outputs && model_.C.cols() == m,
           "the start of a refinement with several inputs has output shapes");
    model_.B = Eigen::MatrixXcd::Zero(m, frf_.inputs);
    for (Eigen::Index r = 0; r < m; ++r)
      if (!(model_.poles[r].imag() > 0.0)) model_.C.col(r) = model_.C.col(r).real().cast<std::complex<double>>();
    solve(Side::inputs);
    if (model_.of_role(PoleRole::residual_above).empty() && model_.of_role(PoleRole::residual_below).empty()) return;
    const Eigen::MatrixXcd left = frf_.values - synthesise(model_, frf_.omega);
    start_residual(PoleRole::residual_above, left, frf_.omega.cwiseAbs2());
    start_residual(PoleRole::residual_below, left, frf_.omega.cwiseAbs2().cwiseInverse());
    model_.B.setZero();
    model_.D.setZero();
    residual_known_ = false;
    solve(Side::inputs);
  }

  void start_residual(PoleRole role, const Eigen::MatrixXcd& left, const Eigen::VectorXd& trend) {
    std::vector<Eigen::Index> poles = model_.of_role(role);
    std::erase_if(poles,
                  [this](Eigen::Index r) { return model_.C.col(r).squaredNorm() > 0.0; });  // they have a shape already
    if (poles.empty()) return;
    const Eigen::VectorXd centred = trend.array() - trend.mean();
    const Eigen::RowVectorXd moment = centred.transpose() * left.real();
    const Eigen::MatrixXd E = Eigen::Map<const Eigen::MatrixXd>(moment.data(), frf_.outputs, frf_.inputs);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(E, Eigen::ComputeThinU);
    for (std::size_t i = 0; i < poles.size(); ++i)
      model_.C.col(poles[i]) =
          svd.matrixU().col(static_cast<Eigen::Index>(i) % svd.matrixU().cols()).cast<std::complex<double>>();
  }

  void step_poles(RefineResult& out) {
    double damping = 1e-4;
    bool settled_before = false;
    for (int step = 0; step < options_.pole_steps; ++step) {
      // Noise-free data: the cost is rounding already.
      if (out.cost < 1e-26) {
        out.converged = true;
        return;
      }
      const Side side = !two_sided_ ? main_side() : step % 2 == 0 ? Side::outputs : Side::inputs;
      Eigen::MatrixXd information;
      Eigen::VectorXd equation;
      pole_equations(side, information, equation);
      const double before = out.cost;
      const ModalModel kept = model_;
      bool accepted = false;
      for (int attempt = 0; attempt < 8 && !accepted; ++attempt) {
        set_poles(moved(kept.poles, information, equation, damping));
        restore(kept);
        solve(side);
        const double now = cost();
        accepted = now <= before * (1.0 + 1e-12);
        if (accepted) {
          out.cost = now;
          damping = std::max(1e-9, 0.1 * damping);
        } else {
          damping = std::max(1e-6, 10.0 * damping);
          ++out.rejected_steps;
        }
      }
      if (!accepted) {
        set_poles(kept.poles);
        restore(kept);
        out.converged = true;  // no descent is left within rounding
        return;
      }
      ++out.pole_steps;
      if (two_sided_) {
        balance();
        solve(side == Side::outputs ? Side::inputs : Side::outputs);
        out.cost = cost();
      }
      out.cost_history.push_back(out.cost);
      double farthest = 0.0;
      for (Eigen::Index r = 0; r < kept.poles.size(); ++r)
        farthest = std::max(farthest, std::abs(model_.poles[r] - kept.poles[r]) / std::abs(kept.poles[r].real()));
      const bool settled = before - out.cost <= options_.tolerance * before || farthest <= options_.pole_tolerance;
      // Two-sided: both sides must have had their turn.
      if (settled && (!two_sided_ || settled_before)) {
        out.converged = true;
        return;
      }
      settled_before = settled;
    }
    out.converged = options_.pole_steps == 0;
  }

  // Levenberg step; a pole may lose or gain at most half its distance to the axis and stays inside the left half plane.
  Eigen::VectorXcd moved(const Eigen::VectorXcd& poles, const Eigen::MatrixXd& information,
                         const Eigen::VectorXd& equation, double damping) const {
    Eigen::MatrixXd A = information;
    for (Eigen::Index i = 0; i < A.rows(); ++i) A(i, i) = A(i, i) > 0.0 ? A(i, i) * (1.0 + damping) : 1.0;
    const Eigen::VectorXd step = A.ldlt().solve(equation);
    Eigen::VectorXcd out = poles;
    for (Eigen::Index r = 0; r < poles.size(); ++r) {
      std::complex<double> delta(step[2 * r], step[2 * r + 1]);
      const double reach = 4.0 * std::abs(poles[r].real()) + 1e-3 * std::abs(poles[r]);
      if (!(std::abs(delta) < reach)) delta *= reach / std::abs(delta);
      if (!std::isfinite(delta.real()) || !std::isfinite(delta.imag())) delta = 0.0;
      out[r] += delta;
      const double least = options_.min_damping * std::abs(poles[r]);
      if (out[r].real() > 0.5 * poles[r].real()) out[r].real(0.5 * poles[r].real());
      if (out[r].real() > -least) out[r].real(std::min(poles[r].real(), -least));
      if (poles[r].imag() > 0.0 && !(out[r].imag() > 0.1 * poles[r].imag())) out[r].imag(0.1 * poles[r].imag());
    }
    return out;
  }

  const FrfMatrix& frf_;
  std::optional<FrfMatrix> flipped_;
  const RefineOptions& options_;
  ModalModel model_;
  LineSums sums_;
  Projection data_projection_, residual_;
  Eigen::MatrixXd paired_data_;  // as internal::paired_columns lays it out; empty when weighted
  bool true_residuals_ = false;
  bool residual_known_ = false;  // residual_ is that of the model as it is
  bool two_sided_ = false;
  double data_norm_ = 0.0;
};

}  // namespace

RefineResult refine(const FrfMatrix& frf, const ModalModel& start, const RefineOptions& options) {
  demand(static_cast<Eigen::Index>(start.roles.size()) == start.poles.size(), "every pole to refine has a role");
  return Refiner(frf, start, options).run();
}

}  // namespace kdyn::inline sysid
