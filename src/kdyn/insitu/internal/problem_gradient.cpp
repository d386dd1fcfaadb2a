// SPDX-License-Identifier: Apache-2.0
// Derivatives of the misfit: normal equations by direct sensitivities, gradient by the adjoint.
#include <algorithm>
#include <cmath>

#include "kdyn/insitu/internal/problem.hpp"

namespace kdyn::inline insitu::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

bool InsituProblem::adjoint_row(const InsituPoint& at, std::size_t e, Index output, const VectorXd& on_steps,
                                Eigen::RowVectorXd& row) {
  const std::vector<mbs::RunState>& states = at.history[e].states;
  // Up to the last instant that counts.
  mbs::History part;
  MatrixXd bar = MatrixXd::Zero(static_cast<Index>(outputs_[e].size()), static_cast<Index>(states.size()));
  Index n = 0, end = 0;
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i].on_grid) {
      if (on_steps[n] != 0.0) bar(output, static_cast<Index>(i)) = on_steps[n], end = static_cast<Index>(i);
      if (++n == on_steps.size()) break;
    }
  part.states.assign(states.begin(), states.begin() + end + 1);
  const auto adjoint = mbs::adjoint_gradient(systems_[e], experiments_[e].run, part, outputs_[e],
                                             MatrixXd(bar.leftCols(end + 1)), plain_[e]);
  if (adjoint.complete) row = adjoint.gradient.transpose();
  return adjoint.complete;
}

bool InsituProblem::each_channel(const InsituPoint& at,
                                 const std::function<void(std::size_t, Index, const Rows&)>& take,
                                 const std::function<void(const Rows&)>& take_end) {
  const VectorXd scale = slopes(at.p);
  const auto plain = static_cast<Index>(columns_.size());
  Rows out;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    apply(e, at.p);
    const Index samples = measured_[e].cols(), channels = measured_[e].rows();
    const Index last = std::min(samples - 1, static_cast<Index>(window * static_cast<double>(samples)));
    const bool ends = window >= 1.0 && !experiments_[e].end_points.empty();
    Index last_step = ends ? step_counts_[e] - 1 : 0;
    for (Index j = 0; j < channels; ++j) last_step = std::max(last_step, place_of(at, e, j).last_step(last));
    const auto wanted = static_cast<std::size_t>(last_step) + 1;
    const std::vector<mbs::RunState>& states = at.history[e].states;
    // Samples refer to the states on the grid; the run has more where laws switch or steps are chosen.
    std::size_t inside = 0;
    for (std::size_t seen = 0; inside < states.size() && seen < wanted; ++inside)
      seen += states[inside].on_grid ? 1 : 0;
    std::vector<MatrixXd> on_grid;
    if (!rows_by_adjoint_) {
      const auto forward =
          mbs::forward_sensitivity(systems_[e], experiments_[e].run, at.history[e], outputs_[e], plain_[e], inside);
      if (!forward.complete) return false;
      for (std::size_t i = 0; i < forward.jacobian.size(); ++i)
        if (states[i].on_grid) on_grid.push_back(forward.jacobian[i]);
    }
    const Index known = rows_by_adjoint_ ? step_counts_[e] : static_cast<Index>(on_grid.size());
    bool complete = true;
    // Channel by channel: rows by the model's parameters, and by its own unknowns  [insitu E8].
    MatrixXd rows(samples, plain + 4);
    Eigen::RowVectorXd row(plain);
    for (Index j = 0; j < channels; ++j) {
      const Sampling& place = place_of(at, e, j);
      const ChannelUnknowns& u = unknown_[e][static_cast<std::size_t>(j)];
      const double gain = calibration(e, j, at.p).gain, weight = weight_[e][j];
      Index count = 0;
      out.r.resize(samples);
      out.sample.clear();
      for (Index n = 0; n < samples; ++n) {
        if (!counts(e, j, n, window) || place.last_step(n) >= known) continue;
        if (rows_by_adjoint_)
          complete = complete && adjoint_row(at, e, j, place.spread(n, step_counts_[e]), row);
        else
          place.row_at_sample(on_grid, n, j, row);
        rows.row(count).head(plain) = weight * gain * row;
        if (u.gain >= 0) rows(count, plain) = weight * at.read[e](j, n);
        if (u.offset >= 0) rows(count, plain + 1) = weight;
        if (u.late()) rows(count, plain + 2) = rows(count, plain + 3) = -weight * gain * place.slope(at.steps[e], j, n);
        out.r[count++] = weighted_residual(e, j, n, at.y[e]);
        out.sample.push_back(n);
      }
      const int own[4] = {u.gain, u.offset, u.delay, u.time_offset};
      out.to.clear();
      std::vector<double> factor;
      std::vector<Index> from;
      for (Index k = 0; k < plain + 4; ++k) {
        const Index parameter = k < plain ? columns_[static_cast<std::size_t>(k)].parameter : own[k - plain];
        if (parameter < 0) continue;
        from.push_back(k), out.to.push_back(parameter);
        factor.push_back(scale[parameter] * (k < plain ? columns_[static_cast<std::size_t>(k)].ratio : 1.0));
      }
      out.rows.resize(count, static_cast<Index>(from.size()));
      for (std::size_t k = 0; k < from.size(); ++k)
        out.rows.col(static_cast<Index>(k)) = factor[k] * rows.col(from[k]).head(count);
      out.r.conservativeResize(count);
      take(e, j, out);
    }
    if (!complete) return false;
    if (!ends) continue;
    // [insitu E11]
    const auto count = static_cast<Index>(experiments_[e].end_points.size());
    out.rows.resize(count, plain), out.r.resize(count), out.to.clear(), out.sample.clear();
    for (Index k = 0; k < plain; ++k) out.to.push_back(columns_[static_cast<std::size_t>(k)].parameter);
    for (Index i = 0; i < count; ++i) {
      const InsituEndPoint& end = experiments_[e].end_points[static_cast<std::size_t>(i)];
      if (!rows_by_adjoint_)
        row = on_grid.back().row(channels + i);
      else if (!adjoint_row(at, e, channels + i, VectorXd::Unit(step_counts_[e], step_counts_[e] - 1), row))
        return false;
      for (Index k = 0; k < plain; ++k) {
        const Column& column = columns_[static_cast<std::size_t>(k)];
        out.rows(i, k) = noise / end.std * scale[column.parameter] * column.ratio * row[k];
      }
      out.r[i] = noise / end.std * (at.ends[e][i] - end.value);
    }
    take_end(out);
  }
  return true;
}

bool InsituProblem::normal_equations(const InsituPoint& at, MatrixXd& A, VectorXd& g) {
  A.setZero(parameters(), parameters());
  g.setZero(parameters());
  const auto add = [&](const Rows& of) {
    const MatrixXd square = of.rows.transpose() * of.rows;
    const VectorXd pull = of.rows.transpose() * of.r;
    for (std::size_t k = 0; k < of.to.size(); ++k) {
      g[of.to[k]] += pull[static_cast<Index>(k)];
      for (std::size_t l = 0; l < of.to.size(); ++l)
        A(of.to[k], of.to[l]) += square(static_cast<Index>(k), static_cast<Index>(l));
    }
  };
  if (!each_channel(
          at, [&](std::size_t, Index, const Rows& of) { add(of); }, add))
    return false;
  return A.allFinite() && g.allFinite();
}

// [insitu E13] R_mn = colour^|m - n|: J + F + B with F_n = colour (F_(n-1) + J_(n-1)), B the same backwards; gaps fade by
// their length.
bool InsituProblem::coloured_equations(const InsituPoint& at, const std::vector<std::vector<double>>& colours,
                                       MatrixXd& B) {
  B.setZero(parameters(), parameters());
  const auto add = [&](const Rows& of, const MatrixXd& spread) {
    const MatrixXd square = of.rows.transpose() * spread;
    for (std::size_t k = 0; k < of.to.size(); ++k)
      for (std::size_t l = 0; l < of.to.size(); ++l)
        B(of.to[k], of.to[l]) += square(static_cast<Index>(k), static_cast<Index>(l));
  };
  const bool done = each_channel(
      at,
      [&](std::size_t e, Index j, const Rows& of) {
        const double colour = colours[e][static_cast<std::size_t>(j)];
        MatrixXd spread = of.rows;
        if (colour != 0.0) {
          const auto fade = [&](Index a, Index b) {
            return std::pow(colour, static_cast<double>(of.sample[static_cast<std::size_t>(b)] -
                                                        of.sample[static_cast<std::size_t>(a)]));
          };
          Eigen::RowVectorXd tail = Eigen::RowVectorXd::Zero(of.rows.cols());
          for (Index n = 1; n < of.rows.rows(); ++n) {
            tail = fade(n - 1, n) * (tail + of.rows.row(n - 1));
            spread.row(n) += tail;
          }
          tail.setZero();
          for (Index n = of.rows.rows() - 1; n-- > 0;) {
            tail = fade(n, n + 1) * (tail + of.rows.row(n + 1));
            spread.row(n) += tail;
          }
        }
        add(of, spread);
      },
      [&](const Rows& of) { add(of, of.rows); });
  return done && B.allFinite();
}

bool InsituProblem::adjoint_gradient(const InsituPoint& at, VectorXd& g) {
  g.setZero(parameters());
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    apply(e, at.p);
    const std::vector<mbs::RunState>& states = at.history[e].states;
    MatrixXd at_samples(at.y[e].rows(), at.y[e].cols());
    for (Index j = 0; j < at_samples.rows(); ++j)
      for (Index n = 0; n < at_samples.cols(); ++n)
        at_samples(j, n) = weight_[e][j] * weighted_residual(e, j, n, at.y[e]);
    MatrixXd at_steps;
    if (!calibrated_[e]) {
      at_steps = experiments_[e].sampling.to_steps(at_samples, step_counts_[e]);
    } else {
      at_steps.resize(at_samples.rows(), step_counts_[e]);
      for (Index j = 0; j < at_samples.rows(); ++j) {
        const double gain = calibration(e, j, at.p).gain;
        const ChannelUnknowns& u = unknown_[e][static_cast<std::size_t>(j)];
        const Sampling& place = place_of(at, e, j);
        if (u.gain >= 0) g[u.gain] += at_samples.row(j).dot(at.read[e].row(j));
        if (u.offset >= 0) g[u.offset] += at_samples.row(j).sum();
        if (u.late()) {
          double pull = 0.0;
          for (Index n = 0; n < at_samples.cols(); ++n)
            if (at_samples(j, n) != 0.0) pull -= gain * at_samples(j, n) * place.slope(at.steps[e], j, n);
          if (u.delay >= 0) g[u.delay] += pull;
          if (u.time_offset >= 0) g[u.time_offset] += pull;
        }
        at_steps.row(j) = gain * place.to_steps(at_samples.row(j), step_counts_[e]);
      }
    }
    const auto ends = static_cast<Index>(experiments_[e].end_points.size());
    MatrixXd bar = MatrixXd::Zero(at_steps.rows() + ends, static_cast<Index>(states.size()));
    Index n = 0;
    for (std::size_t i = 0; i < states.size() && n < at_steps.cols(); ++i)
      if (states[i].on_grid) {
        bar.col(static_cast<Index>(i)).head(at_steps.rows()) = at_steps.col(n++);
        // [insitu E11]
        for (Index k = 0; n == at_steps.cols() && window >= 1.0 && k < ends; ++k) {
          const InsituEndPoint& end = experiments_[e].end_points[static_cast<std::size_t>(k)];
          bar(at_steps.rows() + k, static_cast<Index>(i)) =
              noise * noise * (at.ends[e][k] - end.value) / (end.std * end.std);
        }
      }
    const auto adjoint =
        mbs::adjoint_gradient(systems_[e], experiments_[e].run, at.history[e], outputs_[e], bar, plain_[e]);
    if (!adjoint.complete) return false;
    for (std::size_t k = 0; k < columns_.size(); ++k)
      g[columns_[k].parameter] += columns_[k].ratio * adjoint.gradient[static_cast<Index>(k)];
  }
  g.array() *= slopes(at.p).array();
  return g.allFinite();
}

}  // namespace kdyn::inline insitu::internal
