// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/likelihood.hpp"

#include <cmath>
#include <complex>
#include <map>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/jet_eigen.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

using Cplx = std::complex<double>;

// T = Q R by two rounds of Cholesky (Yamamoto et al. 2015): as orthogonal as reflections as long as the columns of T are
// not too much alike, and several times faster, for all is products. False when they are.
bool thin_by_products(const Eigen::MatrixXd& T, Eigen::MatrixXd& Q, Eigen::MatrixXd& R) {
  constexpr double smallest_pivot =
      1e-6;  // with columns of unit length; rounding of the first round grows by its square
  const Eigen::Index n = T.cols();
  const Eigen::VectorXd size = T.colwise().norm();
  if (!(size.minCoeff() > 0.0) || !size.allFinite()) return false;
  Q.noalias() = T * size.cwiseInverse().asDiagonal();
  R = size.asDiagonal();
  Eigen::MatrixXd gram(n, n);
  for (int round = 0; round < 2; ++round) {
    gram.setZero();
    gram.selfadjointView<Eigen::Upper>().rankUpdate(Q.transpose());
    const Eigen::LLT<Eigen::MatrixXd, Eigen::Upper> factor(gram);
    if (factor.info() != Eigen::Success || !(factor.matrixLLT().diagonal().minCoeff() > smallest_pivot)) return false;
    factor.matrixU().solveInPlace<Eigen::OnTheRight>(Q);
    R = factor.matrixU() * R;
  }
  return true;
}

Cplx power(Cplx x, int d) { return d == 0 ? Cplx(1.0) : d == 1 ? x : x * x; }

}  // namespace

// Eigenvalues and shapes of one configuration.
struct DecayLikelihood::Modes {
  std::vector<Cplx> lambda;  // all; `kept` has one of each pair, and the real ones
  Eigen::MatrixXcd shape;    // displacement
  std::vector<Cplx> size;    // psi^T (2 lambda M + C) psi
  Eigen::MatrixXd rows;      // what each channel sees of the degrees of freedom
  Eigen::MatrixXcd factor;   // gain e^(-lambda tau) / sigma
  Eigen::MatrixXcd output;   // factor lambda^d H psi
  std::vector<int> kept;
  bool real(int j) const { return lambda[static_cast<std::size_t>(j)].imag() == 0.0; }
};

// Change of M, C and K in one direction, of what the channels see, of their gains and delays.
struct DecayLikelihood::Change : SetChange {
  Eigen::MatrixXd damping, stiffness;
};

// Rates of the response in every direction, per amplitude of a mode: rows are kept modes, columns the channels of each
// direction.
struct DecayLikelihood::Rates {
  Eigen::MatrixXcd plain, growing;  // of e^(lambda t) and of t e^(lambda t)
};

struct DecayLikelihood::Reduced {
  Eigen::MatrixXd Q;            // samples x basis, orthonormal columns
  Eigen::MatrixXd R;            // basis x basis
  Eigen::MatrixXd coordinates;  // Q^T data
  Eigen::RowVectorXd rest;      // norm of what is left of each column of the data
};

DecayLikelihood::DecayLikelihood(const DecaySet& set, bool remove_offset)
    : channels_(set.channel_count()),
      dofs_(set.layout.dofs()),
      functions_(2 * dofs_),   // e^(lambda t) as real functions
      basis_(2 * functions_),  // and t e^(lambda t)
      remove_offset_(remove_offset) {
  set_.layout = set.layout;
  set_.channels = set.channels;
  set_.added = set.added;
  set_.points = set.points;
  record_count_ = set.records.size();
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const DecayRecord& r = set.records[i];
    demand(r.samples.cols() == channels_ && r.samples.rows() > shortest_record(set.layout),
           "a decay has all channels and enough samples");
    demand(r.config <= set.configurations(), "each configuration has its added mass");
    Group* group = nullptr;
    for (Group& g : groups_)
      if (g.config == r.config && g.interval == r.interval && g.data.rows() == r.samples.rows()) group = &g;
    if (group == nullptr) {
      groups_.push_back({r.config, r.interval, Eigen::MatrixXd(r.samples.rows(), 0), {}, {}, {}, {}});
      group = &groups_.back();
    }
    Eigen::MatrixXd samples = r.samples;
    Eigen::RowVectorXd offset = Eigen::RowVectorXd::Zero(channels_);
    if (remove_offset_) offset = samples.colwise().mean();
    samples.rowwise() -= offset;
    group->offsets.conservativeResize(group->offsets.size() + channels_);
    group->offsets.tail(channels_) = offset;
    group->data.conservativeResize(Eigen::NoChange, group->data.cols() + channels_);
    group->data.rightCols(channels_) = samples;
    group->records.push_back(i);
    residual_count_ += channels_ * (basis_ + 1);
  }
}

Eigen::Index DecayLikelihood::sample_count() const {
  Eigen::Index count = 0;
  for (const Group& g : groups_) count += g.data.rows() * static_cast<Eigen::Index>(g.records.size());
  return count;
}

double DecayLikelihood::free_samples() const {
  const double initial = static_cast<double>(functions_) / channels_ + (remove_offset_ ? 1.0 : 0.0);
  return static_cast<double>(sample_count()) - initial * static_cast<double>(record_count_);
}

DecayLikelihood::Modes DecayLikelihood::modes_of(const Assumed& assumed, int config, const ChannelValues& sigma) const {
  const VehicleMatrices<double> m = set_.matrices(assumed.vehicle, config);
  Modes modes;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(state_matrix(m));
  modes.lambda.resize(static_cast<std::size_t>(functions_));
  modes.size.resize(modes.lambda.size());
  modes.shape.resize(dofs_, functions_);
  modes.rows.resize(channels_, dofs_);
  for (int c = 0; c < channels_; ++c)
    modes.rows.row(c) = output_row(assumed.channels[static_cast<std::size_t>(c)], assumed.vehicle);
  for (int j = 0; j < functions_; ++j) {
    const Cplx lambda = solver.eigenvalues()[j];
    modes.lambda[static_cast<std::size_t>(j)] = lambda;
    const Eigen::VectorXcd psi = solver.eigenvectors().col(j).head(dofs_).normalized();
    modes.shape.col(j) = psi;
    modes.size[static_cast<std::size_t>(j)] =
        (psi.transpose() * (2.0 * lambda * (m.mass * psi) + m.damping * psi)).value();
    if (lambda.imag() >= 0.0) modes.kept.push_back(j);
  }
  modes.factor.resize(channels_, functions_);
  modes.output = modes.rows * modes.shape;
  for (int c = 0; c < channels_; ++c) {
    const DecayChannel& channel = assumed.channels[static_cast<std::size_t>(c)];
    for (int j = 0; j < functions_; ++j) {
      const Cplx lambda = modes.lambda[static_cast<std::size_t>(j)];
      modes.factor(c, j) = channel.gain / sigma[static_cast<std::size_t>(c)] *
                           (channel.delay_s == 0.0 ? Cplx(1.0) : std::exp(-lambda * channel.delay_s));
      modes.output(c, j) *= modes.factor(c, j) * power(lambda, static_cast<int>(channel.kind));
    }
  }
  return modes;
}

// [vehicle E19] Columns: for every kept mode Re and Im of e^(lambda t) (one column when real), then the same times t.
const DecayLikelihood::Reduced& DecayLikelihood::reduce(const Group& group, const Modes& modes) const {
  if (group.reduced && group.reduced_at == modes.lambda) return *group.reduced;
  const Eigen::Index samples = group.data.rows();
  Eigen::MatrixXd T(samples, basis_);
  int at = 0;
  const double length = static_cast<double>(samples) * group.interval;  // t is scaled by it: columns of alike size
  for (const int j : modes.kept) {
    const Cplx lambda = modes.lambda[static_cast<std::size_t>(j)];
    const bool real = lambda.imag() == 0.0;
    const Cplx step = std::exp(lambda * group.interval);
    Cplx e(1.0);
    for (Eigen::Index k = 0; k < samples; ++k) {
      if (k % 256 == 0) e = std::exp(lambda * (static_cast<double>(k) * group.interval));  // rounding does not pile up
      const double t = static_cast<double>(k) * group.interval / length;
      T(k, at) = e.real();
      T(k, functions_ + at) = t * e.real();
      if (!real) {
        T(k, at + 1) = e.imag();
        T(k, functions_ + at + 1) = t * e.imag();
      }
      e *= step;
    }
    at += real ? 1 : 2;
  }
  if (remove_offset_) T.rowwise() -= T.colwise().mean().eval();
  Reduced out;
  if (!thin_by_products(T, out.Q, out.R)) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(T);
    out.R = qr.matrixQR().topRows(basis_).triangularView<Eigen::Upper>();
    // Products with a thin Q are several times faster than one reflection after the other.
    out.Q = qr.householderQ() * Eigen::MatrixXd::Identity(samples, basis_);
  }
  out.coordinates.noalias() = out.Q.transpose() * group.data;
  out.rest = (group.data - out.Q * out.coordinates).colwise().norm();
  group.reduced = std::make_shared<const Reduced>(std::move(out));
  group.reduced_at = modes.lambda;
  return *group.reduced;
}

void set_zero(SetChange& change, int channels, int dofs) {
  change.mass.setZero(dofs, dofs), change.rows.setZero(channels, dofs);
  change.gain.setZero(channels), change.delay.setZero(channels);
}

bool add_change(const DecaySet& set, const Assumed& assumed, int config, int p, double weight, SetChange& change) {
  const auto at = static_cast<std::size_t>(config - 1);
  if (p >= first_channel_value) {
    const int c = (p - first_channel_value) / 4;
    const double body = assumed.channels[static_cast<std::size_t>(c)].body;
    switch (static_cast<ChannelValue>((p - first_channel_value) % 4)) {
      case ChannelValue::gain: change.gain[c] += weight; break;
      case ChannelValue::delay: change.delay[c] += weight; break;
      case ChannelValue::x: change.rows(c, 1) -= weight * body; break;
      case ChannelValue::y: change.rows(c, 2) += weight * body; break;
    }
    return false;
  }
  if (p >= first_load) {
    if (config == p - first_load + 1)
      change.mass += weight * (set.matrices(assumed.vehicle, config).mass - assumed.vehicle.matrices().mass);
    return false;
  }
  if (p >= first_point_mass) {
    const auto k = static_cast<std::size_t>(p - first_point_mass);
    if (config > 0 && at < set.points.size() && k < set.points[at].size())
      change.mass +=
          weight * (assumed.vehicle.matrices({}, {set.points[at][k]}).mass - assumed.vehicle.matrices().mass);
    return false;
  }
  if (p >= first_added_mass) {
    const int k = p - first_added_mass;
    if (config > 0 && at < set.added.size() && k < vehicle_dofs)
      change.mass(k, k) += weight * set.added[at][static_cast<std::size_t>(k)];
    return false;
  }
  // Places of sensors count from the first axle: they depend on the lever a.
  if (p == 3 + 4 * assumed.vehicle.layout.wheels())
    for (std::size_t c = 0; c < assumed.channels.size(); ++c)
      if (const DecayChannel& channel = assumed.channels[c]; !channel.from_cg)
        change.rows(static_cast<Eigen::Index>(c), 1) -= weight * channel.body;
  return true;
}

std::vector<DecayLikelihood::Change> DecayLikelihood::changes(const Assumed& assumed, int config,
                                                              const std::vector<Direction>& directions) const {
  using D = Jet<max_members>;
  const auto at = static_cast<std::size_t>(config - 1);
  const bool has_points = config > 0 && at < set_.points.size();
  const std::vector<PointMass> points = has_points ? set_.points[at] : std::vector<PointMass>{};
  Vehicle<double> copy = assumed.vehicle;
  Vehicle<D> dual;
  dual.layout = copy.layout;
  const auto values = copy.members();
  const auto members = dual.members();
  for (std::size_t p = 0; p < members.size(); ++p) *members[p] = D(*values[p], static_cast<int>(p));
  const VehicleMatrices<D> m = dual.matrices({}, points);
  std::vector<Change> out(directions.size());
  for (std::size_t i = 0; i < directions.size(); ++i) {
    Change& change = out[i];
    set_zero(change, channels_, dofs_);
    for (auto* matrix : {&change.damping, &change.stiffness}) matrix->setZero(dofs_, dofs_);
    for (const auto& [p, weight] : directions[i].parts) {
      if (!add_change(set_, assumed, config, p, weight, change)) continue;
      for (int r = 0; r < dofs_; ++r)
        for (int c = 0; c < dofs_; ++c) {
          change.mass(r, c) += weight * m.mass(r, c).v[p];
          change.damping(r, c) += weight * m.damping(r, c).v[p];
          change.stiffness(r, c) += weight * m.stiffness(r, c).v[p];
        }
    }
  }
  return out;
}

DecayLikelihood::Rates DecayLikelihood::rates(const Assumed& assumed, const Modes& modes,
                                              const std::vector<Change>& changes) const {
  Rates out;
  const auto kept = static_cast<Eigen::Index>(modes.kept.size());
  out.plain.resize(kept, channels_ * static_cast<Eigen::Index>(changes.size()));
  out.growing.resize(kept, out.plain.cols());
  for (Eigen::Index m = 0; m < kept; ++m) {
    const int j = modes.kept[static_cast<std::size_t>(m)];
    const Cplx lambda = modes.lambda[static_cast<std::size_t>(j)];
    const Eigen::VectorXcd psi = modes.shape.col(j);
    // Weights of the other modes in the change of this one [vehicle E23].
    Eigen::VectorXcd weight(functions_);
    for (int i = 0; i < functions_; ++i) {
      const Cplx gap = lambda - modes.lambda[static_cast<std::size_t>(i)];
      // Coinciding eigenvalues of a symmetric vehicle do not mix; the next iterate has them apart in any case.
      weight[i] = i == j || std::abs(gap) < 1e-9 * std::abs(lambda)
                      ? Cplx(0.0)
                      : 1.0 / (modes.size[static_cast<std::size_t>(i)] * gap);
    }
    const Eigen::MatrixXcd mixing = modes.shape * weight.asDiagonal() * modes.shape.transpose();
    for (std::size_t p = 0; p < changes.size(); ++p) {
      const Eigen::VectorXcd change =
          lambda * lambda * (changes[p].mass * psi) + lambda * (changes[p].damping * psi) + changes[p].stiffness * psi;
      const Cplx lambda_rate = -(psi.transpose() * change).value() / modes.size[static_cast<std::size_t>(j)];
      const Eigen::VectorXcd shape_rate = -(mixing * change);
      const Eigen::VectorXcd seen_rate = modes.rows * shape_rate + changes[p].rows * psi;
      for (int c = 0; c < channels_; ++c) {
        const DecayChannel& channel = assumed.channels[static_cast<std::size_t>(c)];
        const int d = static_cast<int>(channel.kind);
        const Eigen::Index column = static_cast<Eigen::Index>(p) * channels_ + c;
        out.plain(m, column) =
            modes.factor(c, j) * power(lambda, d) * seen_rate[c] +
            modes.output(c, j) * (static_cast<double>(d) * lambda_rate / lambda + changes[p].gain[c] -
                                  channel.delay_s * lambda_rate - lambda * changes[p].delay[c]);
        out.growing(m, column) = modes.output(c, j) * lambda_rate;
      }
    }
  }
  return out;
}

Eigen::MatrixXd DecayLikelihood::in_functions(const Modes& modes, const Rates& rates, const Eigen::VectorXd& q,
                                              double length) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(basis_, rates.plain.cols());
  int at = 0;
  for (std::size_t m = 0; m < modes.kept.size(); ++m) {
    const auto row = static_cast<Eigen::Index>(m);
    const bool real = modes.real(modes.kept[m]);
    const Cplx amplitude = real ? Cplx(q[at]) : Cplx(q[at], q[at + 1]);
    out.row(at) = (amplitude * rates.plain.row(row)).real();
    out.row(functions_ + at) = (length * amplitude * rates.growing.row(row)).real();
    if (!real) {
      out.row(at + 1) = -(amplitude * rates.plain.row(row)).imag();
      out.row(functions_ + at + 1) = -(length * amplitude * rates.growing.row(row)).imag();
    }
    at += real ? 1 : 2;
  }
  return out;
}

bool DecayLikelihood::evaluate(const Assumed& assumed, const ChannelValues& sigma, Eigen::VectorXd& r,
                               const std::vector<Direction>& directions, Eigen::MatrixXd* J) const {
  Vehicle<double> copy = assumed.vehicle;
  const bool either_side = copy.layout.axles > 2 || copy.layout.hitch;
  for (const double* value : copy.members()) {
    const bool lever = either_side && (value == &copy.a || value == &copy.b || value == &copy.b3);
    if (!std::isfinite(*value) || !(*value > 0.0 || lever) || std::abs(*value) > 1e15) return false;
  }
  // A delay beyond this would multiply fast modes by more than all there is.
  for (const DecayChannel& channel : assumed.channels)
    if (!(std::abs(channel.delay_s) < 0.2)) return false;
  r.resize(residual_count_);
  const auto columns = static_cast<Eigen::Index>(directions.size());
  if (J != nullptr) J->setZero(residual_count_, columns);
  Eigen::Index row = 0;
  // Records of one configuration differ in their lengths only.
  struct OfConfig {
    Modes modes;
    Rates rates;
  };
  std::map<int, OfConfig> known;
  for (const Group& group : groups_) {
    const auto [place, is_new] = known.try_emplace(group.config);
    if (is_new) {
      place->second.modes = modes_of(assumed, group.config, sigma);
      for (const Cplx& lambda : place->second.modes.lambda)
        if (!std::isfinite(lambda.real()) || !std::isfinite(lambda.imag())) return false;
      if (J != nullptr)
        place->second.rates = rates(assumed, place->second.modes, changes(assumed, group.config, directions));
    }
    const auto& [modes, rate] = place->second;
    const Reduced& reduced = reduce(group, modes);
    const double length = static_cast<double>(group.data.rows()) * group.interval;

    // Columns of the space of free motions in the reduced coordinates, channel after channel: Re(s q e) with q = 1 and
    // q = i.
    Eigen::MatrixXd O(channels_ * basis_, functions_);
    int at = 0;
    for (const int j : modes.kept) {
      for (int c = 0; c < channels_; ++c) {
        const Cplx s = modes.output(c, j);
        if (modes.real(j)) {
          O.block(c * basis_, at, basis_, 1) = s.real() * reduced.R.col(at);
        } else {
          O.block(c * basis_, at, basis_, 1) = s.real() * reduced.R.col(at) - s.imag() * reduced.R.col(at + 1);
          O.block(c * basis_, at + 1, basis_, 1) = -s.imag() * reduced.R.col(at) - s.real() * reduced.R.col(at + 1);
        }
      }
      at += modes.real(j) ? 1 : 2;
    }
    // Pivots: few channels do not see every motion, and what they do not see must not take anything out of the data.
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> projector(O);
    const Eigen::MatrixXd Q =
        projector.householderQ() * Eigen::MatrixXd::Identity(channels_ * basis_, projector.rank());
    const auto records = static_cast<Eigen::Index>(group.records.size());
    // Data and changes of all records side by side: one projection for all.
    Eigen::MatrixXd y(channels_ * basis_, records * (1 + (J != nullptr ? columns : 0)));
    for (Eigen::Index k = 0; k < records; ++k)
      for (int c = 0; c < channels_; ++c)
        y.block(c * basis_, k, basis_, 1) =
            reduced.coordinates.col(k * channels_ + c) / sigma[static_cast<std::size_t>(c)];
    if (J != nullptr) {
      const Eigen::MatrixXd q = projector.solve(Eigen::MatrixXd(y.leftCols(records)));
      for (Eigen::Index k = 0; k < records; ++k) {
        const Eigen::MatrixXd in_basis =
            reduced.R.triangularView<Eigen::Upper>() * in_functions(modes, rate, q.col(k), length);
        for (Eigen::Index p = 0; p < columns; ++p)
          for (int c = 0; c < channels_; ++c)
            y.block(c * basis_, records + k * columns + p, basis_, 1) = in_basis.col(p * channels_ + c);
      }
    }
    // [vehicle E18] r = (I - Q Q^T) y, J = -(I - Q Q^T) dO q
    const Eigen::MatrixXd explained = Q.transpose() * y;
    y.noalias() -= Q * explained;
    for (Eigen::Index k = 0; k < records; ++k) {
      r.segment(row, channels_ * basis_) = y.col(k);
      if (J != nullptr) J->middleRows(row, channels_ * basis_) = -y.middleCols(records + k * columns, columns);
      row += channels_ * basis_;
      for (int c = 0; c < channels_; ++c)
        r[row++] = reduced.rest[k * channels_ + c] /
                   sigma[static_cast<std::size_t>(c)];  // explained by no motion near these parameters
    }
  }
  return r.allFinite() && (J == nullptr || J->allFinite());
}

ChannelValues DecayLikelihood::squares(const Eigen::VectorXd& r, const ChannelValues& sigma) const {
  ChannelValues sum(static_cast<std::size_t>(channels_), 0.0);
  for (Eigen::Index start = 0; start < r.size(); start += channels_ * (basis_ + 1))
    for (int c = 0; c < channels_; ++c) {
      const double s = sigma[static_cast<std::size_t>(c)], rest = r[start + channels_ * basis_ + c];
      sum[static_cast<std::size_t>(c)] += s * s * (r.segment(start + c * basis_, basis_).squaredNorm() + rest * rest);
    }
  return sum;
}

std::vector<Eigen::MatrixXd> DecayLikelihood::model(const Assumed& assumed, const ChannelValues& sigma) const {
  Eigen::VectorXd r;
  const bool defined = evaluate(assumed, sigma, r, {}, nullptr);
  demand(defined, "the fitted vehicle has a response");
  std::vector<Eigen::MatrixXd> out(record_count_);
  Eigen::Index row = 0;
  for (const Group& group : groups_) {
    const Reduced& reduced = reduce(group, modes_of(assumed, group.config, sigma));
    for (std::size_t k = 0; k < group.records.size(); ++k) {
      Eigen::MatrixXd explained(basis_, channels_);
      for (int c = 0; c < channels_; ++c)
        explained.col(c) = reduced.coordinates.col(static_cast<Eigen::Index>(k) * channels_ + c) -
                           sigma[static_cast<std::size_t>(c)] * r.segment(row + c * basis_, basis_);
      out[group.records[k]] = reduced.Q * explained;
      out[group.records[k]].rowwise() += group.offsets.segment(static_cast<Eigen::Index>(k) * channels_, channels_);
      row += channels_ * (basis_ + 1);
    }
  }
  return out;
}

}  // namespace kdyn::inline vehicle::internal
