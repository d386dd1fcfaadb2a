// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/loss_fit.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double model_floor = 0.02;  // of a response, [update E33]
constexpr double ratio_spread = 0.6;  // of a mode's damping ratio about the common one, where the data do not tell
constexpr int loss_blocks = 12;       // of lines, for what the model leaves over

struct LossSums {
  MatrixXd a, b;  // J^T J, and the same weighted with the part of sigma^2 that is noise
  VectorXd g;
  double cost = 0.0, noise = 0.0;
};

class LossFitter {
 public:
  LossFitter(const fe::ReducedModel& model, const LossData& data, const LossOptions& options)
      : model_(model),
        data_(data),
        options_(options),
        losses_(static_cast<Index>(options.loss.size())) {
    for (Index s = 0; s < model.parameters; ++s)
      if (options.upper[s] > options.lower[s]) free_.push_back(s);
  }

  LossFit run(const VectorXd& ratio, Progress& progress) {
    LossFit out;
    ratio_ = ratio, loss_ = options_.start;
    const ModalForm form = modal_form(model_, ratio_, false);
    const double top = 1.2 * two_pi * data_.frequency_hz[data_.frequency_hz.size() - 1];
    for (Index r = 0; r < form.omega.size(); ++r)
      if (form.omega[r] > 0.0 && form.omega[r] < top) damped_.push_back(r);
    background_ = VectorXd::Constant(static_cast<Index>(damped_.size()), options_.background);
    std::vector<LossSums> now = look();
    double cost = total(now);
    out.cost_before = cost;
    double mu = 1e-3;
    int small = 0;
    for (out.iterations = 0; out.iterations < options_.max_iterations && !progress.stop_requested(); ++out.iterations) {
      const LossSums all = added(now);
      MatrixXd a = all.a;
      VectorXd g = all.g;
      add_prior(a, g);
      MatrixXd damped = a;
      damped.diagonal() += mu * a.diagonal().cwiseMax(1e-12 * a.diagonal().maxCoeff());
      const VectorXd step = -damped.ldlt().solve(g);
      const VectorXd kept_ratio = ratio_, kept_loss = loss_, kept_background = background_;
      move(step);
      std::vector<LossSums> trial = look();
      const double next = total(trial);
      if (next <= cost) {
        small = cost - next < 1e-6 * cost ? small + 1 : 0;
        now = std::move(trial), cost = next, mu = std::max(1e-9, 0.2 * mu);
        if (small == 2) {
          out.converged = true;
          break;
        }
      } else {
        ratio_ = kept_ratio, loss_ = kept_loss, background_ = kept_background;
        mu *= 8.0;
        if (mu > 1e9) {
          out.converged = true;
          break;
        }
      }
    }
    describe(now, out);
    out.cost = cost;
    return out;
  }

 private:
  Index unknowns() const { return static_cast<Index>(free_.size()) + losses_ + background_.size(); }
  // Terms multiplied by their loss factor: K'' of [update E32].
  fe::ReducedModel lossy() const {
    fe::ReducedModel out = model_;
    for (fe::ReducedTerm& term : out.stiffness) {
      double eta = 0.0;
      for (Index g = 0; g < losses_; ++g)
        eta += term.exponents[static_cast<std::size_t>(options_.loss[static_cast<std::size_t>(g)])] * loss_[g];
      term.matrix *= eta;
    }
    return out;
  }

  double total(const std::vector<LossSums>& parts) const {
    double out = 0.0;
    for (const LossSums& part : parts) out += part.cost;
    for (const double xi : background_) out += std::pow((xi / options_.background - 1.0) / ratio_spread, 2);
    return out;
  }
  LossSums added(const std::vector<LossSums>& parts) const {
    LossSums out = parts.front();
    for (std::size_t i = 1; i < parts.size(); ++i)
      out.a += parts[i].a, out.b += parts[i].b, out.g += parts[i].g, out.cost += parts[i].cost,
          out.noise += parts[i].noise;
    return out;
  }
  void add_prior(MatrixXd& a, VectorXd& g) const {
    const Index first = unknowns() - background_.size();
    const double weight = std::pow(1.0 / (ratio_spread * options_.background), 2);
    for (Index r = 0; r < background_.size(); ++r) {
      a(first + r, first + r) += weight;
      g[first + r] += weight * (background_[r] - options_.background);
    }
  }
  void move(const VectorXd& step) {
    Index i = 0;
    for (const Index s : free_) ratio_[s] = std::clamp(ratio_[s] + step[i++], options_.lower[s], options_.upper[s]);
    for (Index g = 0; g < losses_; ++g) loss_[g] = std::clamp(loss_[g] + step[i++], 0.0, 3.0);
    for (double& xi : background_) xi = std::clamp(xi + step[i++], 1e-5, 0.5);
  }

  // Sums of the blocks of lines.
  std::vector<LossSums> look() const {
    const ModalForm form = modal_form(model_, ratio_, true);
    const fe::ReducedModel second = lossy();
    const MatrixXd k2 = form.shapes.transpose() * second.stiffness_at(ratio_) * form.shapes;
    std::vector<MatrixXd> k2_of;
    for (const Index s : free_)
      k2_of.push_back(form.shapes.transpose() * second.stiffness_derivative(ratio_, static_cast<int>(s)) * form.shapes);
    VectorXd xi = VectorXd::Constant(form.omega.size(), options_.background);
    for (std::size_t r = 0; r < damped_.size(); ++r) xi[damped_[r]] = background_[static_cast<Index>(r)];
    const Index n = unknowns(), lines = data_.frequency_hz.size(), outputs = form.Y.rows(), inputs = form.U.cols();
    const LossSums zero{MatrixXd::Zero(n, n), MatrixXd::Zero(n, n), VectorXd::Zero(n)};
    std::vector<LossSums> out(loss_blocks, zero);
    const MatrixXcd u = form.U.cast<Complex>(), yt = form.Y.transpose().cast<Complex>();
    MatrixXcd slopes(outputs * inputs, n);
    for (Index l = 0; l < lines; ++l) {
      const double w = two_pi * data_.frequency_hz[l];
      MatrixXcd dynamic = Complex(0.0, 1.0) * k2;
      for (Index r = 0; r < form.omega.size(); ++r)
        dynamic(r, r) += Complex(form.omega[r] * form.omega[r] - w * w, 2.0 * xi[r] * form.omega[r] * w);
      const Eigen::PartialPivLU<MatrixXcd> lu(dynamic);
      const MatrixXcd xu = lu.solve(u), xy = lu.solve(yt);
      const MatrixXcd h = -w * w * (form.Y.cast<Complex>() * xu);
      Index column = 0;
      const auto put = [&](const MatrixXcd& middle) {
        slopes.col(column++) = (w * w * (xy.transpose() * middle)).reshaped();
      };
      for (std::size_t i = 0; i < free_.size(); ++i) {
        const auto s = static_cast<std::size_t>(free_[i]);
        MatrixXcd d(form.k[s].rows(), form.k[s].cols());
        d.real() = form.k[s], d.imag() = k2_of[i];
        if (form.m[s].size() > 0) d.real() -= w * w * form.m[s];
        put(d * xu);
      }
      for (Index g = 0; g < losses_; ++g)
        put(Complex(0.0, 1.0) * (form.k[static_cast<std::size_t>(options_.loss[static_cast<std::size_t>(g)])] * xu));
      for (const Index r : damped_)
        slopes.col(column++) =
            (Complex(0.0, 2.0 * w * w * w * form.omega[r]) * (xy.row(r).transpose() * xu.row(r))).reshaped();
      LossSums& sum = out[static_cast<std::size_t>(l * loss_blocks / lines)];
      Index rows = 0;
      MatrixXd j(2 * outputs * inputs, n), jn(2 * outputs * inputs, n);
      VectorXd e(2 * outputs * inputs);
      for (Index c = 0; c < outputs * inputs; ++c) {
        if (!data_.use.empty() && !data_.use[static_cast<std::size_t>(c)]) continue;
        const Complex measured = data_.values(l, c);
        const double half = 0.5 * data_.noise_variance(l, c);  // of each part
        const double sigma = std::sqrt(half + 0.5 * std::pow(model_floor * std::abs(measured), 2));
        const Complex left = (h(c % outputs, c / outputs) - measured) / sigma;
        const double share = std::sqrt(half) / sigma;
        j.row(rows) = slopes.row(c).real() / sigma, j.row(rows + 1) = slopes.row(c).imag() / sigma;
        jn.row(rows) = share * j.row(rows), jn.row(rows + 1) = share * j.row(rows + 1);
        e[rows] = left.real(), e[rows + 1] = left.imag();
        sum.noise += 2.0 * share * share;
        rows += 2;
      }
      const auto used = j.topRows(rows);
      sum.a.noalias() += used.transpose() * used;
      sum.b.noalias() += jn.topRows(rows).transpose() * jn.topRows(rows);
      sum.g.noalias() += used.transpose() * e.head(rows);
      sum.cost += e.head(rows).squaredNorm();
    }
    return out;
  }

  // Noise by the sandwich; the error of the model by leaving out loss_blocks of lines, as in [update E30].
  void describe(const std::vector<LossSums>& parts, LossFit& out) const {
    const LossSums all = added(parts);
    MatrixXd a = all.a;
    VectorXd g = all.g;
    add_prior(a, g);
    const MatrixXd inverse = a.ldlt().solve(MatrixXd::Identity(a.rows(), a.cols()));
    VectorXd variance = (inverse * all.b * inverse).diagonal();
    out.model_to_noise = std::sqrt(all.cost / std::max(all.noise, 1e-300));
    const double excess = std::max(0.0, 1.0 - 1.0 / (out.model_to_noise * out.model_to_noise));
    VectorXd moved = VectorXd::Zero(a.rows());
    for (const LossSums& part : parts) {
      const MatrixXd rest = a - part.a;
      moved += rest.ldlt().solve(part.g - g / static_cast<double>(parts.size())).cwiseAbs2();
    }
    const auto count = static_cast<double>(parts.size());
    variance += excess * (count - 1.0) / count * moved;
    out.ratio = ratio_, out.loss = loss_, out.background = background_;
    out.ratio_std = VectorXd::Zero(ratio_.size()), out.loss_std = VectorXd::Zero(losses_);
    for (std::size_t i = 0; i < free_.size(); ++i)
      out.ratio_std[free_[i]] = std::sqrt(std::max(0.0, variance[static_cast<Index>(i)]));
    for (Index k = 0; k < losses_; ++k)
      out.loss_std[k] = std::sqrt(std::max(0.0, variance[static_cast<Index>(free_.size()) + k]));
  }

  const fe::ReducedModel& model_;
  const LossData& data_;
  const LossOptions& options_;
  const Index losses_;
  std::vector<Index> free_, damped_;
  VectorXd ratio_, loss_, background_;
};

}  // namespace

LossFit fit_losses(const fe::ReducedModel& model, const LossData& data, const VectorXd& ratio,
                   const LossOptions& options, Progress& progress) {
  demand(options.start.size() == static_cast<Index>(options.loss.size()) && ratio.size() == model.parameters,
         "loss factors have starts, parameters have ratios");
  return LossFitter(model, data, options).run(ratio, progress);
}

}  // namespace kdyn::update
