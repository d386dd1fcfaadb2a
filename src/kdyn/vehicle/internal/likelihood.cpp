// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/likelihood.hpp"

#include <cmath>
#include <complex>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/numerics/jet_eigen.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

constexpr int n = vehicle_dofs;
constexpr int functions = 2 * n;      // e^(lambda t) as real functions
constexpr int basis = 2 * functions;  // and t e^(lambda t)

using Cplx = std::complex<double>;
using Square = Eigen::Matrix<double, n, n>;
using Shapes = Eigen::Matrix<Cplx, n, 2 * n>;

Cplx power(Cplx x, int d) { return d == 0 ? Cplx(1.0) : d == 1 ? x : x * x; }

}  // namespace

// Eigenvalues and shapes of one configuration.
struct DecayLikelihood::Modes {
  std::array<Cplx, 2 * n> lambda;  // all; `kept` has one of each pair, and the real ones
  Shapes shape;                    // displacement
  std::array<Cplx, 2 * n> size;    // psi^T (2 lambda M + C) psi
  Shapes output;                   // lambda^d psi / sigma
  std::vector<int> kept;
  bool real(int j) const { return lambda[static_cast<std::size_t>(j)].imag() == 0.0; }
};

// Change of M, C and K in one direction.
struct DecayLikelihood::Change {
  Eigen::Matrix<double, n, 1> mass = Eigen::Matrix<double, n, 1>::Zero();
  Square damping = Square::Zero(), stiffness = Square::Zero();
};

// Rates of the response in every direction, per amplitude of a mode: rows are kept modes, columns 7 channels of each
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
    : added_(set.added),
      remove_offset_(remove_offset) {
  for (int c = 0; c < n; ++c)
    derivative_[static_cast<std::size_t>(c)] = static_cast<int>(set.kinds[static_cast<std::size_t>(c)]);
  record_count_ = set.records.size();
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    const DecayRecord& r = set.records[i];
    demand(r.samples.cols() == n && r.samples.rows() > shortest_record,
           "a decay has seven channels and enough samples");
    demand(r.config <= static_cast<int>(set.added.size()), "each configuration has its added mass");
    Group* group = nullptr;
    for (Group& g : groups_)
      if (g.config == r.config && g.interval == r.interval && g.data.rows() == r.samples.rows()) group = &g;
    if (group == nullptr) {
      groups_.push_back({r.config, r.interval, Eigen::MatrixXd(r.samples.rows(), 0), {}, {}, {}});
      group = &groups_.back();
    }
    Eigen::MatrixXd samples = r.samples;
    if (remove_offset_) samples.rowwise() -= samples.colwise().mean().eval();
    group->data.conservativeResize(Eigen::NoChange, group->data.cols() + n);
    group->data.rightCols(n) = samples;
    group->records.push_back(i);
    residual_count_ += n * (basis + 1);
  }
}

Eigen::Index DecayLikelihood::sample_count() const {
  Eigen::Index count = 0;
  for (const Group& g : groups_) count += g.data.rows() * static_cast<Eigen::Index>(g.records.size());
  return count;
}

Eigen::Index DecayLikelihood::free_samples() const {
  return sample_count() - (remove_offset_ ? 3 : 2) * static_cast<Eigen::Index>(record_count_);
}

DecayLikelihood::Modes DecayLikelihood::modes_of(const Vehicle<double>& vehicle, int config,
                                                 const ChannelValues& sigma) const {
  const VehicleMatrices<double> m =
      vehicle.matrices(config > 0 ? added_[static_cast<std::size_t>(config - 1)] : AddedMass{});
  const Eigen::Matrix<double, 2 * n, 2 * n> A = state_matrix(m);
  Modes modes;
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(
      Eigen::MatrixXd{A});  // of any size: compiled once for the house (numerics/dense.hpp)
  for (int j = 0; j < 2 * n; ++j) {
    const Cplx lambda = solver.eigenvalues()[j];
    modes.lambda[static_cast<std::size_t>(j)] = lambda;
    const Eigen::Matrix<Cplx, n, 1> psi = solver.eigenvectors().col(j).head<n>().normalized();
    modes.shape.col(j) = psi;
    modes.size[static_cast<std::size_t>(j)] =
        (psi.transpose() * (2.0 * lambda * m.mass.cwiseProduct(psi) + m.damping * psi))(0);
    if (lambda.imag() >= 0.0) modes.kept.push_back(j);
    for (int c = 0; c < n; ++c)
      modes.output(c, j) = power(lambda, derivative_[static_cast<std::size_t>(c)]) * modes.shape(c, j) /
                           sigma[static_cast<std::size_t>(c)];
  }
  return modes;
}

// [vehicle E19] Columns: for every kept mode Re and Im of e^(lambda t) (one column when real), then the same times t.
const DecayLikelihood::Reduced& DecayLikelihood::reduce(const Group& group, const Modes& modes) const {
  if (group.reduced && group.reduced_at == modes.lambda) return *group.reduced;
  const Eigen::Index samples = group.data.rows();
  Eigen::MatrixXd T(samples, basis);
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
      T(k, functions + at) = t * e.real();
      if (!real) {
        T(k, at + 1) = e.imag();
        T(k, functions + at + 1) = t * e.imag();
      }
      e *= step;
    }
    at += real ? 1 : 2;
  }
  if (remove_offset_) T.rowwise() -= T.colwise().mean().eval();
  Reduced out;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(T);
  out.R = qr.matrixQR().topRows(basis).triangularView<Eigen::Upper>();
  // Products with a thin Q are several times faster than one reflection after the other.
  out.Q = qr.householderQ() * Eigen::MatrixXd::Identity(samples, basis);
  out.coordinates.noalias() = out.Q.transpose() * group.data;
  out.rest = (group.data - out.Q * out.coordinates).colwise().norm();
  group.reduced = std::make_shared<const Reduced>(std::move(out));
  group.reduced_at = modes.lambda;
  return *group.reduced;
}

std::vector<DecayLikelihood::Change> DecayLikelihood::changes(const Vehicle<double>& vehicle, int config,
                                                              const std::vector<Direction>& directions) const {
  using D = Jet<corner_parameter_count>;
  Vehicle<double> copy = vehicle;
  Vehicle<D> dual;
  const auto values = copy.members();
  const auto members = dual.members();
  for (int p = 0; p < corner_parameter_count; ++p) {
    *members[static_cast<std::size_t>(p)] = D(*values[static_cast<std::size_t>(p)], p);
    members[static_cast<std::size_t>(p)]->v[p] = *values[static_cast<std::size_t>(p)];  // derivative in the logarithm
  }
  const VehicleMatrices<D> m = dual.matrices();
  std::vector<Change> out(directions.size());
  for (std::size_t i = 0; i < directions.size(); ++i)
    for (const int p : directions[i]) {
      Change& change = out[i];
      if (p >= first_added_mass) {
        if (config > 0)
          change.mass[p - first_added_mass] +=
              added_[static_cast<std::size_t>(config - 1)][static_cast<std::size_t>(p - first_added_mass)];
        continue;
      }
      for (int r = 0; r < n; ++r) {
        change.mass[r] += m.mass[r].v[p];
        for (int c = 0; c < n; ++c) {
          change.damping(r, c) += m.damping(r, c).v[p];
          change.stiffness(r, c) += m.stiffness(r, c).v[p];
        }
      }
    }
  return out;
}

DecayLikelihood::Rates DecayLikelihood::rates(const Modes& modes, const std::vector<Change>& changes, double length,
                                              const ChannelValues& sigma) const {
  Rates out;
  const auto kept = static_cast<Eigen::Index>(modes.kept.size());
  out.plain.resize(kept, n * static_cast<Eigen::Index>(changes.size()));
  out.growing.resize(kept, out.plain.cols());
  for (Eigen::Index m = 0; m < kept; ++m) {
    const int j = modes.kept[static_cast<std::size_t>(m)];
    const Cplx lambda = modes.lambda[static_cast<std::size_t>(j)];
    const Eigen::Matrix<Cplx, n, 1> psi = modes.shape.col(j);
    // Weights of the other modes in the change of this one [vehicle E23].
    Eigen::Matrix<Cplx, 2 * n, 1> weight;
    for (int i = 0; i < 2 * n; ++i) {
      const Cplx gap = lambda - modes.lambda[static_cast<std::size_t>(i)];
      // Coinciding eigenvalues of a symmetric vehicle do not mix; the next iterate has them apart in any case.
      weight[i] = i == j || std::abs(gap) < 1e-9 * std::abs(lambda)
                      ? Cplx(0.0)
                      : 1.0 / (modes.size[static_cast<std::size_t>(i)] * gap);
    }
    const Eigen::Matrix<Cplx, n, n> mixing = modes.shape * weight.asDiagonal() * modes.shape.transpose();
    for (std::size_t p = 0; p < changes.size(); ++p) {
      const Eigen::Matrix<Cplx, n, 1> change = lambda * lambda * changes[p].mass.cwiseProduct(psi) +
                                               lambda * (changes[p].damping * psi) + changes[p].stiffness * psi;
      const Cplx lambda_rate = -(psi.transpose() * change)(0) / modes.size[static_cast<std::size_t>(j)];
      const Eigen::Matrix<Cplx, n, 1> shape_rate = -(mixing * change);
      for (int c = 0; c < n; ++c) {
        const auto channel = static_cast<std::size_t>(c);
        const int d = derivative_[channel];
        const Cplx scale = d == 0 ? Cplx(0.0) : d == 1 ? lambda_rate : 2.0 * lambda * lambda_rate;
        const Eigen::Index column = static_cast<Eigen::Index>(p) * n + c;
        out.plain(m, column) = (power(lambda, d) * shape_rate[c] + scale * psi[c]) / sigma[channel];
        out.growing(m, column) = modes.output(c, j) * lambda_rate * length;
      }
    }
  }
  return out;
}

Eigen::MatrixXd DecayLikelihood::in_functions(const Modes& modes, const Rates& rates, const Eigen::VectorXd& q) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(basis, rates.plain.cols());
  int at = 0;
  for (std::size_t m = 0; m < modes.kept.size(); ++m) {
    const auto row = static_cast<Eigen::Index>(m);
    const bool real = modes.real(modes.kept[m]);
    const Cplx amplitude = real ? Cplx(q[at]) : Cplx(q[at], q[at + 1]);
    out.row(at) = (amplitude * rates.plain.row(row)).real();
    out.row(functions + at) = (amplitude * rates.growing.row(row)).real();
    if (!real) {
      out.row(at + 1) = -(amplitude * rates.plain.row(row)).imag();
      out.row(functions + at + 1) = -(amplitude * rates.growing.row(row)).imag();
    }
    at += real ? 1 : 2;
  }
  return out;
}

bool DecayLikelihood::evaluate(const Vehicle<double>& vehicle, const ChannelValues& sigma, Eigen::VectorXd& r,
                               const std::vector<Direction>& directions, Eigen::MatrixXd* J) const {
  Vehicle<double> copy = vehicle;
  for (const double* value : copy.members())
    if (!std::isfinite(*value) || !(*value > 0.0) || *value > 1e15) return false;
  r.resize(residual_count_);
  const auto columns = static_cast<Eigen::Index>(directions.size());
  if (J != nullptr) J->setZero(residual_count_, columns);
  Eigen::Index row = 0;
  for (const Group& group : groups_) {
    const Modes modes = modes_of(vehicle, group.config, sigma);
    for (const Cplx& lambda : modes.lambda)
      if (!std::isfinite(lambda.real()) || !std::isfinite(lambda.imag())) return false;
    const Reduced& reduced = reduce(group, modes);
    const double length = static_cast<double>(group.data.rows()) * group.interval;

    // Columns of the space of free motions in the reduced coordinates, channel after channel: Re(s q e) with q = 1 and
    // q = i.
    Eigen::MatrixXd O(n * basis, functions);
    int at = 0;
    for (const int j : modes.kept) {
      for (int c = 0; c < n; ++c) {
        const Cplx s = modes.output(c, j);
        if (modes.real(j)) {
          O.block(c * basis, at, basis, 1) = s.real() * reduced.R.col(at);
        } else {
          O.block(c * basis, at, basis, 1) = s.real() * reduced.R.col(at) - s.imag() * reduced.R.col(at + 1);
          O.block(c * basis, at + 1, basis, 1) = -s.imag() * reduced.R.col(at) - s.real() * reduced.R.col(at + 1);
        }
      }
      at += modes.real(j) ? 1 : 2;
    }
    const Eigen::HouseholderQR<Eigen::MatrixXd> projector(O);
    const Eigen::MatrixXd Q = projector.householderQ() * Eigen::MatrixXd::Identity(n * basis, functions);
    const auto records = static_cast<Eigen::Index>(group.records.size());
    // Data and changes of all records side by side: one projection for all.
    Eigen::MatrixXd y(n * basis, records * (1 + (J != nullptr ? columns : 0)));
    for (Eigen::Index k = 0; k < records; ++k)
      for (int c = 0; c < n; ++c)
        y.block(c * basis, k, basis, 1) = reduced.coordinates.col(k * n + c) / sigma[static_cast<std::size_t>(c)];
    if (J != nullptr) {
      const Eigen::MatrixXd q = projector.matrixQR()
                                    .topLeftCorner(functions, functions)
                                    .triangularView<Eigen::Upper>()
                                    .solve(Q.transpose() * y.leftCols(records));
      const Rates rate = rates(modes, changes(vehicle, group.config, directions), length, sigma);
      for (Eigen::Index k = 0; k < records; ++k) {
        const Eigen::MatrixXd in_basis = reduced.R.triangularView<Eigen::Upper>() * in_functions(modes, rate, q.col(k));
        for (Eigen::Index p = 0; p < columns; ++p)
          for (int c = 0; c < n; ++c) y.block(c * basis, records + k * columns + p, basis, 1) = in_basis.col(p * n + c);
      }
    }
    // [vehicle E18] r = (I - Q Q^T) y, J = -(I - Q Q^T) dO q
    const Eigen::MatrixXd explained = Q.transpose() * y;
    y.noalias() -= Q * explained;
    for (Eigen::Index k = 0; k < records; ++k) {
      r.segment(row, n * basis) = y.col(k);
      if (J != nullptr) J->middleRows(row, n * basis) = -y.middleCols(records + k * columns, columns);
      row += n * basis;
      for (int c = 0; c < n; ++c)
        r[row++] = reduced.rest[k * n + c] /
                   sigma[static_cast<std::size_t>(c)];  // explained by no motion near these parameters
    }
  }
  return r.allFinite() && (J == nullptr || J->allFinite());
}

ChannelValues DecayLikelihood::squares(const Eigen::VectorXd& r, const ChannelValues& sigma) const {
  ChannelValues sum{};
  for (Eigen::Index start = 0; start < r.size(); start += n * (basis + 1))
    for (int c = 0; c < n; ++c) {
      const double s = sigma[static_cast<std::size_t>(c)], rest = r[start + n * basis + c];
      sum[static_cast<std::size_t>(c)] += s * s * (r.segment(start + c * basis, basis).squaredNorm() + rest * rest);
    }
  return sum;
}

std::vector<Eigen::MatrixXd> DecayLikelihood::model(const Vehicle<double>& vehicle, const ChannelValues& sigma) const {
  Eigen::VectorXd r;
  const bool defined = evaluate(vehicle, sigma, r, {}, nullptr);
  demand(defined, "the fitted vehicle has a response");
  std::vector<Eigen::MatrixXd> out(record_count_);
  Eigen::Index row = 0;
  for (const Group& group : groups_) {
    const Reduced& reduced = reduce(group, modes_of(vehicle, group.config, sigma));
    for (std::size_t k = 0; k < group.records.size(); ++k) {
      Eigen::MatrixXd explained(basis, n);
      for (int c = 0; c < n; ++c)
        explained.col(c) = reduced.coordinates.col(static_cast<Eigen::Index>(k) * n + c) -
                           sigma[static_cast<std::size_t>(c)] * r.segment(row + c * basis, basis);
      out[group.records[k]] = reduced.Q * explained;
      row += n * (basis + 1);
    }
  }
  return out;
}

}  // namespace kdyn::inline vehicle::internal
