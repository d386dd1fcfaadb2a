// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/driven.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/jet_eigen.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

// Height of the road at a time from the first sample on: cubic through four samples.
Eigen::VectorXd road_at(const DecayRecord& record, double t) {
  const Eigen::Index count = record.road.rows();
  const double at = std::clamp(t / record.road_interval, 0.0, static_cast<double>(count - 1));
  const auto k = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(std::floor(at)) - 1, 0, count - 4);
  const double s = at - static_cast<double>(k);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(record.road.cols());
  for (int i = 0; i < 4; ++i) {
    double weight = 1.0;
    for (int j = 0; j < 4; ++j)
      if (j != i) weight *= (s - j) / (i - j);
    out += weight * record.road.row(k + i).transpose();
  }
  return out;
}

}  // namespace

// One configuration of a vehicle, with its changes in each direction.
struct DrivenLikelihood::System {
  int dofs = 0, wheels = 0;
  Eigen::MatrixXd stiffness;  // M^-1 K
  Eigen::MatrixXd fixed;      // M^-1 times damping of the hitch
  Eigen::MatrixXd damper;     // M^-1 g, a column for each
  Eigen::MatrixXd g;          // rows: suspensions
  Eigen::MatrixXd road;       // M^-1 kt
  CornerValues<double> compression{}, rebound{};
  Eigen::MatrixXd output;  // rows of the channels
  std::vector<int> kind;
  Eigen::VectorXd gain;
  Eigen::MatrixXd inverse;  // M^-1
  struct Change : SetChange {
    Eigen::MatrixXd stiffness, fixed, g;
    CornerValues<double> compression{}, rebound{}, tyre{};
  };
  std::vector<Change> changes;

  double coefficient(int i, double speed) const {
    return speed > 0.0 ? rebound[static_cast<std::size_t>(i)] : compression[static_cast<std::size_t>(i)];
  }

  System(const DecaySet& set, const Assumed& assumed, int config, const std::vector<Direction>& directions) {
    using D = Jet<max_members>;
    Vehicle<double> copy = assumed.vehicle;
    dofs = copy.layout.dofs(), wheels = copy.layout.wheels();
    const auto at = static_cast<std::size_t>(config - 1);
    const bool has_points = config > 0 && at<set.points.size(), has_added = config> 0 && at < set.added.size();
    const std::vector<PointMass> points = has_points ? set.points[at] : std::vector<PointMass>{};
    Vehicle<D> dual;
    dual.layout = copy.layout;
    const auto values = copy.members();
    const auto members = dual.members();
    for (std::size_t p = 0; p < members.size(); ++p) *members[p] = D(*values[p], static_cast<int>(p));
    const VehicleMatrices<D> m = dual.matrices(has_added ? set.added[at] : AddedMass{}, points);
    Vehicle<D> without = dual;  // dampers stand on their own
    without.layout.bilinear = false;
    without.cs.fill(D(0.0));
    const VehicleMatrices<D> hitch = without.matrices();
    const auto plain = [&](const VehicleMatrix<D>& matrix, int p) {
      Eigen::MatrixXd out(dofs, dofs);
      for (int r = 0; r < dofs; ++r)
        for (int c = 0; c < dofs; ++c) out(r, c) = p < 0 ? matrix(r, c).a : matrix(r, c).v[p];
      return out;
    };
    inverse = plain(m.mass, -1).llt().solve(Eigen::MatrixXd::Identity(dofs, dofs));
    stiffness = inverse * plain(m.stiffness, -1);
    fixed = inverse * plain(hitch.damping, -1);
    g.setZero(wheels, dofs);
    road.setZero(dofs, wheels);
    std::vector<std::array<D, 4>> rows;
    for (int i = 0; i < wheels; ++i) {
      const auto w = static_cast<std::size_t>(i);
      rows.push_back(dual.deflection(i));
      for (int k = 0; k < 3; ++k) g(i, k) = rows.back()[static_cast<std::size_t>(k)].a;
      g(i, 3 + i) = -1.0;
      road.col(i) = inverse.col(3 + i) * copy.kt[w];
      compression[w] = copy.cs[w];
      rebound[w] = copy.cs[w] * (copy.layout.bilinear ? copy.rebound[w] : 1.0);
    }
    damper = inverse * g.transpose();
    const int channels = static_cast<int>(assumed.channels.size());
    output.resize(channels, dofs), gain.resize(channels);
    for (int c = 0; c < channels; ++c) {
      const DecayChannel& channel = assumed.channels[static_cast<std::size_t>(c)];
      output.row(c) = output_row(channel, copy);
      gain[c] = channel.gain;
      kind.push_back(static_cast<int>(channel.kind));
    }
    for (const Direction& direction : directions) {
      Change change;
      set_zero(change, channels, dofs);
      change.stiffness.setZero(dofs, dofs), change.fixed = change.stiffness;
      change.g.setZero(wheels, dofs);
      for (const auto& [p, weight] : direction.parts) {
        if (!add_change(set, assumed, config, p, weight, change)) continue;
        change.mass += weight * plain(m.mass, p);
        change.stiffness += weight * plain(m.stiffness, p);
        change.fixed += weight * plain(hitch.damping, p);
        for (int i = 0; i < wheels; ++i) {
          const auto w = static_cast<std::size_t>(i);
          for (int k = 0; k < 3; ++k) change.g(i, k) += weight * rows[w][static_cast<std::size_t>(k)].v[p];
          change.compression[w] += weight * dual.cs[w].v[p];
          change.rebound[w] += weight * (copy.layout.bilinear ? (dual.cs[w] * dual.rebound[w]).v[p] : dual.cs[w].v[p]);
          change.tyre[w] += weight * dual.kt[w].v[p];
        }
      }
      changes.push_back(std::move(change));
    }
  }

  // Accelerations of the state and of its derivatives (columns of S: rates of X over rates of X').
  void accelerate(const Eigen::VectorXd& x, const Eigen::VectorXd& v, const Eigen::VectorXd& u,
                  const Eigen::MatrixXd& X, const Eigen::MatrixXd& V, Eigen::VectorXd& a, Eigen::MatrixXd& A) const {
    const Eigen::VectorXd speed = g * v;
    Eigen::VectorXd c(wheels);
    for (int i = 0; i < wheels; ++i) c[i] = coefficient(i, speed[i]);
    a = -stiffness * x - fixed * v - damper * c.cwiseProduct(speed) + road * u;
    A.noalias() = -(stiffness * X);
    A.noalias() -= fixed * V;
    A.noalias() -= damper * (c.asDiagonal() * (g * V));
    const Eigen::Index first = X.cols() - static_cast<Eigen::Index>(changes.size());
    for (std::size_t p = 0; p < changes.size() && first >= 0; ++p) {
      const Change& change = changes[p];
      Eigen::VectorXd force = -(change.mass * a) - change.stiffness * x - change.fixed * v;
      const Eigen::VectorXd speed_rate = change.g * v;
      for (int i = 0; i < wheels; ++i) {
        const auto w = static_cast<std::size_t>(i);
        const double rate = speed[i] > 0.0 ? change.rebound[w] : change.compression[w];
        force -= (rate * speed[i] + c[i] * speed_rate[i]) * g.row(i).transpose() +
                 c[i] * speed[i] * change.g.row(i).transpose();
        force[3 + i] += change.tyre[w] * u[i];
      }
      A.col(first + static_cast<Eigen::Index>(p)) += inverse * force;
    }
  }
};

struct DrivenLikelihood::Run {
  Eigen::MatrixXd model;    // samples x channels
  Eigen::MatrixXd columns;  // (channels * samples) x (initial states, directions)
};

DrivenLikelihood::DrivenLikelihood(const DecaySet& set, bool remove_offset)
    : set_(set),
      remove_offset_(remove_offset),
      start_(set.records.size(), Eigen::VectorXd::Zero(2 * set.layout.dofs())) {
  for (DecayRecord& r : set_.records) {
    demand(r.road.rows() == 0 || (r.road.cols() == set.layout.wheels() && r.road.rows() >= 4),
           "a road lies under all wheels");
    residual_count_ += static_cast<int>(r.samples.size());
  }
}

Eigen::Index DrivenLikelihood::sample_count() const {
  Eigen::Index count = 0;
  for (const DecayRecord& r : set_.records) count += r.samples.rows();
  return count;
}

double DrivenLikelihood::free_samples() const {
  const double initial =
      2.0 * set_.layout.dofs() / static_cast<double>(set_.channels.size()) + (remove_offset_ ? 1.0 : 0.0);
  return static_cast<double>(sample_count()) - initial * static_cast<double>(set_.records.size());
}

// Runge-Kutta of fourth order with two steps per sample; a sample that is a block mean is the weighted mean of three
// instants with the same second moment [vehicle E36].
DrivenLikelihood::Run DrivenLikelihood::run(const System& s, const DecayRecord& record, const Eigen::VectorXd& start,
                                            bool with_parameters) const {
  const Eigen::Index samples = record.samples.rows(), n = s.dofs, channels = record.samples.cols();
  const Eigen::Index columns = 2 * n + (with_parameters ? static_cast<Eigen::Index>(s.changes.size()) : 0);
  const double h = 0.5 * record.interval, raw = record.interval / static_cast<double>(record.averaged);
  const double blocks = static_cast<double>(record.averaged);
  const double side = (blocks * blocks - 1.0) / 12.0 * raw * raw / (2.0 * h * h), middle = 1.0 - 2.0 * side;
  const double first = 0.5 * (blocks - 1.0) * raw - h;  // time of the start: half a step before the first sample
  const bool driven = record.road.rows() > 0;
  Run out;
  out.model.setZero(samples, channels);
  out.columns.setZero(samples * channels, columns);
  Eigen::VectorXd x = start.head(n), v = start.tail(n), u = Eigen::VectorXd::Zero(s.wheels);
  Eigen::MatrixXd X = Eigen::MatrixXd::Zero(n, columns), V = X;
  X.leftCols(n).setIdentity(), V.middleCols(n, n).setIdentity();
  System plain = s;
  if (!with_parameters) plain.changes.clear();
  Eigen::VectorXd a1, a2, a3, a4, x2, v2, v3, v4;
  Eigen::MatrixXd A1, A2, A3, A4, X2, V2, V3, V4;
  const auto road = [&](double t) { return driven ? road_at(record, t) : u; };
  for (Eigen::Index step = 0; step <= 2 * samples; ++step) {
    const double t = first + static_cast<double>(step) * h;
    plain.accelerate(x, v, road(t), X, V, a1, A1);
    // This instant is the middle of a sample, or the end of one and the beginning of the next.
    for (const auto& [k, weight] :
         {std::pair{step % 2 == 1 ? (step - 1) / 2 : step / 2 - 1, step % 2 == 1 ? middle : side},
          std::pair{step % 2 == 1 ? samples : step / 2, side}}) {
      if (k < 0 || k >= samples || weight == 0.0) continue;
      for (Eigen::Index c = 0; c < channels; ++c) {
        const int d = s.kind[static_cast<std::size_t>(c)];
        const Eigen::VectorXd& q = d == 0 ? x : d == 1 ? v : a1;
        const Eigen::MatrixXd& S = d == 0 ? X : d == 1 ? V : A1;
        const double seen = s.output.row(c).dot(q);
        out.model(k, c) += weight * s.gain[c] * seen;
        auto row = out.columns.row(c * samples + k);
        row += weight * s.gain[c] * (s.output.row(c) * S);
        for (std::size_t p = 0; p < plain.changes.size(); ++p)
          row[2 * n + static_cast<Eigen::Index>(p)] +=
              weight * s.gain[c] * (plain.changes[p].gain[c] * seen + plain.changes[p].rows.row(c).dot(q));
      }
    }
    if (step == 2 * samples) break;
    const Eigen::VectorXd half = road(t + 0.5 * h);
    v2 = v + 0.5 * h * a1, V2 = V + 0.5 * h * A1;
    plain.accelerate(x + 0.5 * h * v, v2, half, X + 0.5 * h * V, V2, a2, A2);
    v3 = v + 0.5 * h * a2, V3 = V + 0.5 * h * A2;
    plain.accelerate(x + 0.5 * h * v2, v3, half, X + 0.5 * h * V2, V3, a3, A3);
    v4 = v + h * a3, V4 = V + h * A3;
    plain.accelerate(x + h * v3, v4, road(t + h), X + h * V3, V4, a4, A4);
    x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4), X += h / 6.0 * (V + 2.0 * V2 + 2.0 * V3 + V4);
    v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4), V += h / 6.0 * (A1 + 2.0 * A2 + 2.0 * A3 + A4);
  }
  return out;
}

// Columns over sigma, without their mean in each channel where offsets are unknown.
void DrivenLikelihood::weigh(Eigen::MatrixXd& columns, Eigen::Index samples, const ChannelValues& sigma) const {
  for (std::size_t c = 0; c < sigma.size(); ++c) {
    auto block = columns.middleRows(static_cast<Eigen::Index>(c) * samples, samples);
    if (remove_offset_) block.rowwise() -= block.colwise().mean().eval();
    block /= sigma[c];
  }
}

bool DrivenLikelihood::solve_record(const System& system, std::size_t record, const ChannelValues& sigma,
                                    bool with_parameters, Run& out) const {
  const DecayRecord& r = set_.records[record];
  const Eigen::Index samples = r.samples.rows();
  Eigen::VectorXd& start = start_[record];
  const bool linear = system.compression == system.rebound;
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 12; ++round) {
    out = run(system, r, start, false);
    if (!out.model.allFinite() || !out.columns.allFinite()) return false;
    Eigen::MatrixXd left = (r.samples - out.model).reshaped(samples * r.samples.cols(), 1);
    weigh(left, samples, sigma), weigh(out.columns, samples, sigma);
    const Eigen::VectorXd step = out.columns.colPivHouseholderQr().solve(Eigen::VectorXd(left));
    const double explained = (out.columns * step).squaredNorm(), all = left.squaredNorm();
    start += step;
    if (linear || explained < 1e-9 * all + 1e-18) break;
    if (all > before && round > 3) break;
    before = all;
  }
  out = run(system, r, start, with_parameters);
  return out.model.allFinite() && out.columns.allFinite();
}

bool DrivenLikelihood::evaluate(const Assumed& assumed, const ChannelValues& sigma, Eigen::VectorXd& r,
                                const std::vector<Direction>& directions, Eigen::MatrixXd* J) const {
  Vehicle<double> copy = assumed.vehicle;
  const bool either_side = copy.layout.axles > 2 || copy.layout.hitch;
  for (const double* value : copy.members()) {
    const bool lever = either_side && (value == &copy.a || value == &copy.b || value == &copy.b3);
    if (!std::isfinite(*value) || !(*value > 0.0 || lever) || std::abs(*value) > 1e15) return false;
  }
  r.resize(residual_count_);
  if (J != nullptr) J->setZero(residual_count_, static_cast<Eigen::Index>(directions.size()));
  std::vector<std::pair<int, System>> systems;
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < set_.records.size(); ++i) {
    const DecayRecord& record = set_.records[i];
    auto found = std::find_if(systems.begin(), systems.end(), [&](const auto& s) { return s.first == record.config; });
    if (found == systems.end()) {
      systems.emplace_back(record.config,
                           System(set_, assumed, record.config, J != nullptr ? directions : std::vector<Direction>{}));
      found = systems.end() - 1;
    }
    const Eigen::Index samples = record.samples.rows(), count = record.samples.size(), n = 2 * found->second.dofs;
    Run run;
    if (!solve_record(found->second, i, sigma, J != nullptr, run)) return false;
    Eigen::MatrixXd left = (record.samples - run.model).reshaped(count, 1);
    weigh(left, samples, sigma), weigh(run.columns, samples, sigma);
    const Eigen::MatrixXd states = run.columns.leftCols(n);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(states);
    const Eigen::MatrixXd Q = qr.householderQ() * Eigen::MatrixXd::Identity(count, qr.rank());
    left -= Q * (Q.transpose() * left).eval();
    r.segment(row, count) = left.col(0);
    if (J != nullptr) {
      const Eigen::MatrixXd P = run.columns.rightCols(run.columns.cols() - n);
      J->middleRows(row, count) = -(P - Q * (Q.transpose() * P).eval());
    }
    row += count;
  }
  return r.allFinite() && (J == nullptr || J->allFinite());
}

ChannelValues DrivenLikelihood::squares(const Eigen::VectorXd& r, const ChannelValues& sigma) const {
  ChannelValues sum(sigma.size(), 0.0);
  Eigen::Index row = 0;
  for (const DecayRecord& record : set_.records)
    for (std::size_t c = 0; c < sigma.size(); ++c, row += record.samples.rows())
      sum[c] += sigma[c] * sigma[c] * r.segment(row, record.samples.rows()).squaredNorm();
  return sum;
}

std::vector<Eigen::MatrixXd> DrivenLikelihood::model(const Assumed& assumed, const ChannelValues& sigma) const {
  std::vector<Eigen::MatrixXd> out;
  for (std::size_t i = 0; i < set_.records.size(); ++i) {
    const System system(set_, assumed, set_.records[i].config, {});
    Run run;
    const bool defined = solve_record(system, i, sigma, false, run);
    demand(defined, "the fitted vehicle has a response");
    if (remove_offset_) run.model.rowwise() += (set_.records[i].samples - run.model).colwise().mean().eval();
    out.push_back(std::move(run.model));
  }
  return out;
}

}  // namespace kdyn::inline vehicle::internal
