// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/channels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double log_ten = 2.302585092994045684;

// Limits of what is told. A metric of 0.3 is a phase off by 70 deg or a factor of 3.5 throughout the channel.
constexpr double reversed_metric = 0.3, exchanged_metric = 0.02, exchanged_gain = 0.4;
constexpr double least_factor = 0.015;  // log10: 3.5 %
constexpr double least_phase = 0.05;    // rad at the top of the band
constexpr double stands_out = 6.0;      // times the robust spread of the other channels
constexpr double least_gain = 0.3;      // part of the channel's sum of squares that a factor or delay takes off

// Sums over the samples of one sensor or force.
struct ChannelSums {
  double weight = 0.0, squares = 0.0;
  Eigen::Vector2d norm = Eigen::Vector2d::Zero(), residual = Eigen::Vector2d::Zero();  // log factor, delay
  Eigen::MatrixX2d cross;
};

class Diagnosis {
 public:
  Diagnosis(const fe::ReducedModel& model, const Stage& stage, const MatrixXd& resolved,
            const CalibrationOptions& options)
      : model_(model),
        stage_(stage),
        options_(options) {
    if (resolved.size() > 0) stage_.target.weight = resolved;
    options_.step_tolerance = 1e-5;
    options_.max_iterations = 25;
  }

  std::vector<ChannelFault> run(VectorXd ratio, int most) {
    std::vector<ChannelFault> out;
    for (int round = 0; round < most; ++round) {
      look(ratio);
      const std::optional<ChannelFault> worst = strongest(out);
      if (!worst) break;
      correct(*worst);
      out.push_back(*worst);
      ratio = calibrate(model_, {stage_}, ratio, options_).ratio;
    }
    return out;
  }

 private:
  Index outputs() const { return model_.C.rows(); }
  Index inputs() const { return model_.B.cols(); }
  Index lines() const { return stage_.target.frequency_hz.size(); }
  double weight(Index l, Index c) const { return stage_.target.uses(c) ? stage_.target.weight_at(l, c) : 0.0; }
  std::vector<Index> channels_of(bool force, Index i) const {
    std::vector<Index> out;
    if (force)
      for (Index y = 0; y < outputs(); ++y) out.push_back(y + outputs() * i);
    else
      for (Index u = 0; u < inputs(); ++u) out.push_back(i + outputs() * u);
    return out;
  }
  // 1 at the top of the band, so that factor and delay weigh alike; the phase of a delay there.
  double slope(Index l) const { return stage_.target.frequency_hz[l] / stage_.target.frequency_hz[lines() - 1]; }

  void look(const VectorXd& ratio) {
    const ModalForm form = modal_form(model_, ratio, true);
    h_ = accelerance(form, stage_.target.frequency_hz, stage_.damping);
    SlopeKernel kernel(form, stage_.damping);
    const Index parameters = model_.parameters;
    normal_ = MatrixXd::Zero(parameters, parameters);
    gradient_ = VectorXd::Zero(parameters);
    ChannelSums zero;
    zero.cross = Eigen::MatrixX2d::Zero(parameters, 2);
    of_output_.assign(static_cast<std::size_t>(outputs()), zero);
    of_input_.assign(static_cast<std::size_t>(inputs()), zero);
    MatrixXd rows(2, parameters);
    for (Index l = 0; l < lines(); ++l) {
      kernel.at(stage_.target.frequency_hz[l]);
      for (Index u = 0; u < inputs(); ++u)
        for (Index y = 0; y < outputs(); ++y) {
          const Index c = y + outputs() * u;
          const double w = weight(l, c);
          if (!(w > 0.0)) continue;
          const Complex eps = log10_ratio(h_(l, c), stage_.target.values(l, c)), scale = 1.0 / (h_(l, c) * log_ten);
          for (Index s = 0; s < parameters; ++s) {
            const Complex j = kernel.value(y, u, s) * scale;
            rows(0, s) = j.real(), rows(1, s) = j.imag();
          }
          normal_.noalias() += w * rows.transpose() * rows;
          gradient_ += w * (rows.row(0).transpose() * eps.real() + rows.row(1).transpose() * eps.imag());
          for (ChannelSums* sums :
               {&of_output_[static_cast<std::size_t>(y)], &of_input_[static_cast<std::size_t>(u)]}) {
            sums->weight += w, sums->squares += w * std::norm(eps);
            sums->norm += w * Eigen::Vector2d(1.0, slope(l) * slope(l));
            sums->residual += w * Eigen::Vector2d(eps.real(), slope(l) * eps.imag());
            sums->cross.col(0) += w * rows.row(0).transpose();
            sums->cross.col(1) += w * slope(l) * rows.row(1).transpose();
          }
        }
    }
    // Parameters held by equal bounds take no part in the step.
    for (Index s = 0; s < parameters; ++s)
      if (options_.lower.size() > 0 && !(options_.upper[s] > options_.lower[s])) {
        normal_.row(s).setZero(), normal_.col(s).setZero(), gradient_[s] = 0.0;
        for (auto* list : {&of_output_, &of_input_})
          for (ChannelSums& sums : *list) sums.cross.row(s).setZero();
      }
    normal_.diagonal().array() += 1e-9 * normal_.diagonal().maxCoeff();
    factor_.compute(normal_);
  }

  // Sum of squares of the channel's samples with the measured response multiplied by `turn(line)`.
  template <class Turn>
  double squares_with(const std::vector<Index>& channels, Turn&& turn) const {
    double out = 0.0;
    for (const Index c : channels)
      for (Index l = 0; l < lines(); ++l)
        if (const double w = weight(l, c); w > 0.0)
          out += w * std::norm(log10_ratio(h_(l, c), turn(l) * stage_.target.values(l, c)));
    return out;
  }

  double squares_exchanged(bool force, Index a, Index b) const {
    const std::vector<Index> of_a = channels_of(force, a), of_b = channels_of(force, b);
    double out = 0.0;
    for (std::size_t i = 0; i < of_a.size(); ++i)
      for (Index l = 0; l < lines(); ++l) {
        const Index x = of_a[i], y = of_b[i];
        if (const double w = weight(l, x); w > 0.0)
          out += w * std::norm(log10_ratio(h_(l, y), stage_.target.values(l, x)));
        if (const double w = weight(l, y); w > 0.0)
          out += w * std::norm(log10_ratio(h_(l, x), stage_.target.values(l, y)));
      }
    return out;
  }

  // [update E31] Log factor and delay (as phase over ln 10 at the top of the band) of one channel with all parameters
  // free; `gain`: what they take off.
  Eigen::Vector2d fitted(const ChannelSums& sums, Eigen::Vector2d& gain) const {
    const MatrixXd solved = factor_.solve(MatrixXd(sums.cross));
    const Eigen::Matrix2d schur = Eigen::Matrix2d(sums.norm.asDiagonal()) - sums.cross.transpose() * solved;
    const Eigen::Vector2d right = -(sums.residual - solved.transpose() * gradient_);
    Eigen::Vector2d out = Eigen::Vector2d::Zero();
    gain.setZero();
    for (int i = 0; i < 2; ++i)
      if (schur(i, i) > 1e-3 * sums.norm[i]) out[i] = right[i] / schur(i, i), gain[i] = right[i] * out[i];
    return out;
  }

  std::optional<ChannelFault> strongest(const std::vector<ChannelFault>& known) const {
    std::optional<ChannelFault> best;
    double most = 0.0;
    const auto propose = [&](ChannelFault fault, double gain, double weight) {
      const auto same = [&](const ChannelFault& k) {
        return k.kind == fault.kind && k.force == fault.force && k.index == fault.index && k.other == fault.other;
      };
      if (!(gain > most) || !(weight > 0.0) || std::any_of(known.begin(), known.end(), same)) return;
      most = gain, best = fault;
    };
    for (const bool force : {false, true}) {
      const std::vector<ChannelSums>& list = force ? of_input_ : of_output_;
      const auto count = static_cast<Index>(list.size());
      std::vector<Eigen::Vector2d> value, gain;
      for (const ChannelSums& sums : list) {
        Eigen::Vector2d g;
        value.push_back(fitted(sums, g)), gain.push_back(g);
      }
      for (Index i = 0; i < count; ++i) {
        const ChannelSums& sums = list[static_cast<std::size_t>(i)];
        if (!(sums.weight > 0.0)) continue;
        const double before = sums.squares / sums.weight;
        const auto fault = [&](ChannelFaultKind kind, double measured, double squares) {
          return ChannelFault{kind, force, static_cast<int>(i), 0, measured, before, squares / sums.weight};
        };
        if (before > reversed_metric) {
          const double turned = squares_with(channels_of(force, i), [](Index) { return -1.0; });
          if (turned < exchanged_gain * sums.squares)
            propose(fault(ChannelFaultKind::sign, -1.0, turned), sums.squares - turned, sums.weight);
        }
        for (const int kind : {0, 1}) {
          std::vector<double> others;
          for (std::size_t k = 0; k < value.size(); ++k)
            if (static_cast<Index>(k) != i && list[k].weight > 0.0) others.push_back(value[k][kind]);
          if (others.size() < 2) continue;
          const double middle = median(others);
          for (double& x : others) x = std::abs(x - middle);
          const double spread = 1.4826 * median(others), off = value[static_cast<std::size_t>(i)][kind] - middle;
          const double least = kind == 0 ? least_factor : least_phase / log_ten;
          const double taken = gain[static_cast<std::size_t>(i)][kind];
          if (std::abs(off) < std::max(least, stands_out * spread) || taken < least_gain * sums.squares) continue;
          // eps + correction = 0: model over measurement falls by what the measurement is too large.
          const double full = value[static_cast<std::size_t>(i)][kind];
          const double measured =
              kind == 0 ? std::pow(10.0, full) : -full * log_ten / (two_pi * stage_.target.frequency_hz[lines() - 1]);
          propose(fault(kind == 0 ? ChannelFaultKind::factor : ChannelFaultKind::delay, measured, sums.squares - taken),
                  taken, sums.weight);
        }
        // Delays beyond half a turn: the sum of squares itself over a grid.
        if (before > exchanged_metric) {
          const double top = stage_.target.frequency_hz[lines() - 1];
          double least = sums.squares, at = 0.0;
          for (int k = -60; k <= 60; ++k) {
            const double delay = 0.1 * k / top;
            const double squares = squares_with(channels_of(force, i), [&](Index l) {
              return std::polar(1.0, two_pi * stage_.target.frequency_hz[l] * delay);
            });
            if (squares < least) least = squares, at = delay;
          }
          if (least < exchanged_gain * sums.squares)
            propose(fault(ChannelFaultKind::delay, at, least), sums.squares - least, sums.weight);
        }
        for (Index j = i + 1; j < count; ++j) {
          const ChannelSums& with = list[static_cast<std::size_t>(j)];
          const double both = sums.squares + with.squares, samples = sums.weight + with.weight;
          if (!(with.weight > 0.0) || both < exchanged_metric * samples) continue;
          const double exchanged = squares_exchanged(force, i, j);
          if (exchanged > exchanged_gain * both) continue;
          propose({ChannelFaultKind::swap, force, static_cast<int>(i), static_cast<int>(j), 1.0, both / samples,
                   exchanged / samples},
                  both - exchanged, samples);
        }
      }
    }
    return best;
  }

  void correct(const ChannelFault& fault) {
    Eigen::MatrixXcd& values = stage_.target.values;
    const std::vector<Index> channels = channels_of(fault.force, fault.index);
    if (fault.kind == ChannelFaultKind::swap) {
      const std::vector<Index> others = channels_of(fault.force, fault.other);
      for (std::size_t i = 0; i < channels.size(); ++i) {
        values.col(channels[i]).swap(values.col(others[i]));
        if (stage_.target.weight.size() > 0)
          stage_.target.weight.col(channels[i]).swap(stage_.target.weight.col(others[i]));
      }
      return;
    }
    for (const Index c : channels)
      for (Index l = 0; l < lines(); ++l)
        values(l, c) *= fault.kind == ChannelFaultKind::delay
                            ? std::polar(1.0, two_pi * stage_.target.frequency_hz[l] * fault.value)
                            : Complex(1.0 / fault.value, 0.0);
  }

  const fe::ReducedModel& model_;
  Stage stage_;
  CalibrationOptions options_;
  Eigen::MatrixXcd h_;
  MatrixXd normal_;
  VectorXd gradient_;
  Eigen::LDLT<MatrixXd> factor_;
  std::vector<ChannelSums> of_output_, of_input_;
};

}  // namespace

std::vector<ChannelFault> find_channel_faults(const fe::ReducedModel& model, const Stage& stage,
                                              const MatrixXd& resolved, const VectorXd& optimum,
                                              const CalibrationOptions& options, int most) {
  return Diagnosis(model, stage, resolved, options).run(optimum, most);
}

std::string words_of(const ChannelFault& fault, const std::vector<Dof>& outputs, const std::vector<Dof>& inputs) {
  const std::vector<Dof>& dofs = fault.force ? inputs : outputs;
  const std::string what = fault.force ? "force" : "sensor", name = label(dofs[static_cast<std::size_t>(fault.index)]);
  // The response is divided by the force.
  const double delay = fault.force ? -fault.value : fault.value, factor = fault.force ? 1.0 / fault.value : fault.value;
  switch (fault.kind) {
    case ChannelFaultKind::sign: return fmt::format("{} {} is turned by 180 deg", what, name);
    case ChannelFaultKind::swap:
      return fmt::format("{}s {} and {} are exchanged", what, name, label(dofs[static_cast<std::size_t>(fault.other)]));
    case ChannelFaultKind::delay:
      return fmt::format("{} {} is {} by {:.3g} ms", what, name, delay > 0.0 ? "late" : "early", 1e3 * std::abs(delay));
    case ChannelFaultKind::factor: return fmt::format("{} {} reads {:.3g} times what it should", what, name, factor);
  }
  return "";
}

}  // namespace kdyn::update
