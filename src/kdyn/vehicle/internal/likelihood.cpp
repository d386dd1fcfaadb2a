// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/likelihood.hpp"

#include <cmath>
#include <complex>
#include <map>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/vehicle/internal/orthonormal.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

using Cplx = std::complex<double>;

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
  // M, C and K where they change: a parameter stands in few places.
  struct Entry {
    int row, column;
    double mass, damping, stiffness;
  };
  std::vector<Entry> entries;
  bool sees_otherwise = false;  // `rows` is not zero
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

struct DecayLikelihood::Latest {
  std::vector<double> values;  // of vehicle, channels and weights
  std::map<int, Modes> modes;  // of each configuration
  struct Projected {
    Eigen::MatrixXd Q;          // orthonormal basis of the free motions in the reduced coordinates
    Eigen::MatrixXd amplitude;  // of the modes in each record
    Eigen::MatrixXd residual;   // of each record
  };
  std::vector<Projected> groups;
};

DecayLikelihood::DecayLikelihood(const DecaySet& set, bool remove_offset, bool with_derivatives)
    : channels_(set.channel_count()),
      dofs_(set.layout.dofs()),
      functions_(2 * dofs_),                                   // e^(lambda t) as real functions
      basis_(with_derivatives ? 2 * functions_ : functions_),  // and t e^(lambda t)
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
      groups_.push_back({r.config, r.interval, Eigen::MatrixXd(r.samples.rows(), 0), {}, {}, {}, {}, {}});
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
  for (Group& group : groups_) group.squares = group.data.colwise().squaredNorm();
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
      if (!real) T(k, at + 1) = e.imag();
      if (basis_ > functions_) {
        T(k, functions_ + at) = t * e.real();
        if (!real) T(k, functions_ + at + 1) = t * e.imag();
      }
      e *= step;
    }
    at += real ? 1 : 2;
  }
  if (remove_offset_) T.rowwise() -= T.colwise().mean().eval();
  Reduced out;
  if (!thin_by_products(T, out.Q, out.R, true)) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(T);
    out.R = qr.matrixQR().topRows(basis_).triangularView<Eigen::Upper>();
    // Products with a thin Q are several times faster than one reflection after the other.
    out.Q = qr.householderQ() * Eigen::MatrixXd::Identity(samples, basis_);
  }
  out.coordinates.noalias() = out.Q.transpose() * group.data;
  // What is left: by squares, which is good to 1e-11 of it; where it is less than that of sensors of 50 dB, by itself.
  constexpr double small = 1e-5;
  const Eigen::RowVectorXd all = group.squares, seen = out.coordinates.colwise().squaredNorm();
  if (((all - seen).array() > small * all.array() || all.array() == 0.0).all())
    out.rest = (all - seen).cwiseMax(0.0).cwiseSqrt();
  else
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
    const int c = (p - first_channel_value) / channel_values;
    const DecayChannel& channel = assumed.channels[static_cast<std::size_t>(c)];
    const double body = channel.body;
    switch (static_cast<ChannelValue>((p - first_channel_value) % channel_values)) {
      case ChannelValue::gain: change.gain[c] += weight; break;
      case ChannelValue::delay: change.delay[c] += weight; break;
      case ChannelValue::x: change.rows(c, 1) -= weight * body; break;
      case ChannelValue::y: change.rows(c, 2) += weight * body; break;
      case ChannelValue::turn:  // [vehicle E38]
        change.rows(c, 1) += weight * channel.roll, change.rows(c, 2) -= weight * channel.pitch;
        break;
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
    VehicleMatrix<double> damping = VehicleMatrix<double>::Zero(dofs_, dofs_), stiffness = damping;
    for (const auto& [p, weight] : directions[i].parts) {
      if (!add_change(set_, assumed, config, p, weight, change)) continue;
      for (int r = 0; r < dofs_; ++r)
        for (int c = 0; c < dofs_; ++c) {
          change.mass(r, c) += weight * m.mass(r, c).v[p];
          damping(r, c) += weight * m.damping(r, c).v[p];
          stiffness(r, c) += weight * m.stiffness(r, c).v[p];
        }
    }
    for (int c = 0; c < dofs_; ++c)
      for (int r = 0; r < dofs_; ++r)
        if (change.mass(r, c) != 0.0 || damping(r, c) != 0.0 || stiffness(r, c) != 0.0)
          change.entries.push_back({r, c, change.mass(r, c), damping(r, c), stiffness(r, c)});
    change.sees_otherwise = !change.rows.isZero(0.0);
  }
  return out;
}

DecayLikelihood::Rates DecayLikelihood::rates(const Assumed& assumed, const Modes& modes,
                                              const std::vector<Change>& changes) const {
  Rates out;
  const auto kept = static_cast<Eigen::Index>(modes.kept.size()),
             directions = static_cast<Eigen::Index>(changes.size());
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
    // All directions side by side: D psi, then what it does to the shape and to what the channels see.
    Eigen::MatrixXcd change = Eigen::MatrixXcd::Zero(dofs_, directions);
    for (Eigen::Index p = 0; p < directions; ++p)
      for (const Change::Entry& e : changes[static_cast<std::size_t>(p)].entries)
        change(e.row, p) += (lambda * (lambda * e.mass + e.damping) + e.stiffness) * psi[e.column];
    const Eigen::RowVectorXcd lambda_rates = -(psi.transpose() * change) / modes.size[static_cast<std::size_t>(j)];
    const Eigen::MatrixXcd mixed = modes.shape.transpose() * change;
    const Eigen::MatrixXcd shape_rates = -(modes.shape * (weight.asDiagonal() * mixed));
    Eigen::MatrixXcd seen_rates = modes.rows * shape_rates;
    for (Eigen::Index p = 0; p < directions; ++p)
      if (const Change& one = changes[static_cast<std::size_t>(p)]; one.sees_otherwise)
        seen_rates.col(p) += one.rows * psi;
    for (int c = 0; c < channels_; ++c) {
      const DecayChannel& channel = assumed.channels[static_cast<std::size_t>(c)];
      const int d = static_cast<int>(channel.kind);
      const Cplx by_shape = modes.factor(c, j) * power(lambda, d), shown = modes.output(c, j);
      const Cplx by_lambda = static_cast<double>(d) / lambda - channel.delay_s;
      for (Eigen::Index p = 0; p < directions; ++p) {
        const Change& one = changes[static_cast<std::size_t>(p)];
        const Eigen::Index column = p * channels_ + c;
        out.plain(m, column) =
            by_shape * seen_rates(c, p) + shown * (by_lambda * lambda_rates[p] + one.gain[c] - lambda * one.delay[c]);
        out.growing(m, column) = shown * lambda_rates[p];
      }
    }
  }
  return out;
}

Eigen::MatrixXd DecayLikelihood::in_functions(const Modes& modes, const Rates& rates, const Eigen::VectorXd& q,
                                              double length) const {
  Eigen::MatrixXd out(basis_, rates.plain.cols());
  struct Place {
    int at;
    bool real;
    Cplx amplitude;
  };
  std::vector<Place> places;
  for (int at = 0; const int j : modes.kept) {
    const bool real = modes.real(j);
    places.push_back({at, real, real ? Cplx(q[at]) : Cplx(q[at], q[at + 1])});
    at += real ? 1 : 2;
  }
  for (Eigen::Index column = 0; column < out.cols(); ++column)
    for (std::size_t m = 0; m < places.size(); ++m) {
      const auto& [at, real, amplitude] = places[m];
      const Cplx plain = amplitude * rates.plain(static_cast<Eigen::Index>(m), column),
                 growing = length * amplitude * rates.growing(static_cast<Eigen::Index>(m), column);
      out(at, column) = plain.real(), out(functions_ + at, column) = growing.real();
      if (!real) out(at + 1, column) = -plain.imag(), out(functions_ + at + 1, column) = -growing.imag();
    }
  return out;
}

std::shared_ptr<const DecayLikelihood::Latest> DecayLikelihood::at(const Assumed& assumed,
                                                                   const ChannelValues& sigma) const {
  auto out = std::make_shared<Latest>();
  Vehicle<double> copy = assumed.vehicle;
  const bool either_side = copy.layout.axles > 2 || copy.layout.hitch;
  for (const double* value : copy.members()) {
    const bool lever = either_side && (value == &copy.a || value == &copy.b || value == &copy.b3);
    if (!std::isfinite(*value) || !(*value > 0.0 || lever) || std::abs(*value) > 1e15) return nullptr;
    out->values.push_back(*value);
  }
  for (const DecayChannel& channel : assumed.channels) {
    // A delay beyond this would multiply fast modes by more than all there is.
    if (!(std::abs(channel.delay_s) < 0.2)) return nullptr;
    out->values.insert(out->values.end(), {channel.gain, channel.delay_s, channel.x, channel.y, channel.turn_z});
  }
  out->values.insert(out->values.end(), sigma.begin(), sigma.end());
  if (latest_ && latest_->values == out->values) return latest_;
  for (const Group& group : groups_) {
    const auto [place, is_new] = out->modes.try_emplace(group.config);
    if (is_new) place->second = modes_of(assumed, group.config, sigma);
    const Modes& modes = place->second;
    for (const Cplx& lambda : modes.lambda)
      if (!std::isfinite(lambda.real()) || !std::isfinite(lambda.imag())) return nullptr;
    const Reduced& reduced = reduce(group, modes);
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
    const auto records = static_cast<Eigen::Index>(group.records.size());
    Latest::Projected& projected = out->groups.emplace_back();
    Eigen::MatrixXd& y = projected.residual;
    y.resize(channels_ * basis_, records);
    for (Eigen::Index k = 0; k < records; ++k)
      for (int c = 0; c < channels_; ++c)
        y.block(c * basis_, k, basis_, 1) =
            reduced.coordinates.col(k * channels_ + c) / sigma[static_cast<std::size_t>(c)];
    Eigen::MatrixXd explained, R;
    if (thin_by_products(O, projected.Q, R, false)) {
      explained = projected.Q.transpose() * y;
      projected.amplitude = R.triangularView<Eigen::Upper>().solve(explained);
    } else {
      // Pivots: few channels do not see every motion, and what they do not see must not take anything out of the data.
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> projector(O);
      projected.Q = projector.householderQ() * Eigen::MatrixXd::Identity(channels_ * basis_, projector.rank());
      explained = projected.Q.transpose() * y;
      projected.amplitude = projector.solve(y);
    }
    y.noalias() -= projected.Q * explained;  // [vehicle E18] r = (I - Q Q^T) y
  }
  latest_ = out;
  return out;
}

bool DecayLikelihood::evaluate(const Assumed& assumed, const ChannelValues& sigma, Eigen::VectorXd& r,
                               const std::vector<Direction>& directions, Eigen::MatrixXd* J) const {
  const std::shared_ptr<const Latest> here = at(assumed, sigma);
  demand(J == nullptr || basis_ > functions_, "a likelihood that only ranks has no derivatives");
  if (!here) return false;
  r.resize(residual_count_);
  const auto columns = static_cast<Eigen::Index>(directions.size());
  const Eigen::Index rows = channels_ * basis_;
  if (J != nullptr) J->setZero(residual_count_, columns);
  std::map<int, Rates> known;  // records of one configuration differ in their lengths only
  Eigen::Index row = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const Modes& modes = here->modes.at(group.config);
    const Latest::Projected& projected = here->groups[g];
    const Reduced& reduced = reduce(group, modes);
    const double length = static_cast<double>(group.data.rows()) * group.interval;
    const auto [rate, is_new] = known.try_emplace(group.config);
    if (is_new && J != nullptr) rate->second = rates(assumed, modes, changes(assumed, group.config, directions));
    for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(group.records.size()); ++k) {
      r.segment(row, rows) = projected.residual.col(k);
      if (J != nullptr) {
        // [vehicle E18] J = -(I - Q Q^T) dO q; the channels of a direction stand one after the other.
        const Eigen::MatrixXd in_basis = reduced.R.triangularView<Eigen::Upper>() *
                                         in_functions(modes, rate->second, projected.amplitude.col(k), length);
        const Eigen::Map<const Eigen::MatrixXd> change(in_basis.data(), rows, columns);
        const Eigen::MatrixXd explained = projected.Q.transpose() * change;
        auto block = J->middleRows(row, rows);
        block.noalias() = projected.Q * explained;
        block -= change;
      }
      row += rows;
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
    const Reduced& reduced = reduce(group, latest_->modes.at(group.config));
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
