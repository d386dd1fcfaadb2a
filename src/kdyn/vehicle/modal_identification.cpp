// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/modal_identification.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/thin_svd.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr int n = vehicle_dofs;
using Cplx = std::complex<double>;

// Columns of p + 2 samples each, one record after the other; a column never reaches across a record boundary [vehicle
// E10]. Phi is all rows but the last seven, Phi shifted by one sample all but the first seven.
Eigen::MatrixXd stack_records(const DecaySet& set, int config, int p, double& interval) {
  Eigen::Index columns = 0;
  for (const DecayRecord& r : set.records)
    if (r.config == config) columns += std::max<Eigen::Index>(0, r.samples.rows() - p - 1);
  if (columns < 4 * n) throw_bad_input("data", "the records are too short to find modes", "give longer decays");
  Eigen::MatrixXd out(n * (p + 2), columns);
  Eigen::Index at = 0;
  for (const DecayRecord& r : set.records) {
    if (r.config != config) continue;
    interval = r.interval;
    for (Eigen::Index k = 0; k + p + 1 < r.samples.rows(); ++k, ++at)
      for (int j = 0; j <= p + 1; ++j) out.block(n * j, at, n, 1) = r.samples.row(k + j).transpose();
  }
  return out;
}

// Transition matrix and the map from its coordinates to the first seven channels.
struct Transition {
  Eigen::MatrixXd A, output;
  Eigen::MatrixXd states;  // coordinates of all columns up to a rotation, for the contributions
};

Transition transition_of(const Eigen::MatrixXd& stacked, ModalMethod method) {
  Transition t;
  const Eigen::Index rows = stacked.rows() - n;
  if (method == ModalMethod::state_variable_eq18) {  // [vehicle E11], as printed
    const Eigen::MatrixXd from = stacked.topRows(rows), to = stacked.bottomRows(rows);
    const Eigen::MatrixXd gram = from * from.transpose();
    const Eigen::MatrixXd crossed = (to * from.transpose()).transpose();
    t.A = Eigen::PartialPivLU<Eigen::MatrixXd>(gram.transpose()).solve(crossed).transpose();
    t.output = Eigen::MatrixXd::Identity(n, rows);
    t.states = from;
    return t;
  }
  // Least squares by singular values. There are many more columns than rows: both matrices are replaced by their
  // triangular factor first.
  const Eigen::Index kept = std::min(stacked.rows(), stacked.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(stacked.transpose());
  const Eigen::MatrixXd R = qr.matrixQR().topRows(kept).triangularView<Eigen::Upper>();
  const Eigen::MatrixXd from = R.leftCols(rows).transpose(), to = R.rightCols(rows).transpose();
  const ThinSvd svd = thin_svd(from);
  const Eigen::VectorXd& s = svd.values;
  const double cutoff = s[0] * std::numeric_limits<double>::epsilon() * static_cast<double>(stacked.cols());
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > cutoff) ++rank;
  if (method == ModalMethod::realisation) {  // [vehicle E12]: coordinates are the leading left singular vectors
    rank = std::min<Eigen::Index>(rank, 2 * n);
    const Eigen::MatrixXd U = svd.U.leftCols(rank);
    const Eigen::VectorXd scale = s.head(rank).cwiseSqrt();
    t.A = scale.cwiseInverse().asDiagonal() * U.transpose() * to * svd.V.leftCols(rank) *
          scale.cwiseInverse().asDiagonal();
    t.output = U.topRows(n) * scale.asDiagonal();
    t.states = scale.cwiseInverse().asDiagonal() * U.transpose() * from;
  } else {
    t.A = to * svd.V.leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal() * svd.U.leftCols(rank).transpose();
    t.output = Eigen::MatrixXd::Identity(n, rows);
    t.states = from;
  }
  return t;
}

int derivative_of(MotionKind kind) { return static_cast<int>(kind); }

}  // namespace

IdentifiedModes identify_modes(const DecaySet& set, int config, const DecayModalOptions& options) {
  double interval = 0.0;
  const Transition t = transition_of(stack_records(set, config, options.stack, interval), options.method);
  if (t.A.rows() < 2 || !t.A.allFinite() || !t.states.allFinite())
    throw_bad_input("data", "there is no motion in the records from which modes could be told",
                    "check the channels of the file and the sensors");
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(t.A);
  if (eigen.info() != Eigen::Success)
    throw_bad_input("data", "no modes could be told from the records",
                    "check the channels of the file and the sensors");
  const Eigen::MatrixXcd V = eigen.eigenvectors();
  const Eigen::MatrixXcd states = t.states.cast<Cplx>(), modal = V.fullPivLu().solve(states);

  struct Mode {
    Cplx lambda;
    Eigen::VectorXcd shape;
    double contribution;
  };
  std::vector<Mode> found;
  for (Eigen::Index i = 0; i < V.cols(); ++i) {
    const Cplx z = eigen.eigenvalues()[i];
    if (!(z.imag() > 0.0) || std::abs(z) < 1e-12) continue;
    const Cplx lambda = std::log(z) / interval;  // [vehicle E10]
    const double hz = std::abs(lambda) / (2.0 * std::numbers::pi), damping = -lambda.real() / std::abs(lambda);
    if (!(lambda.real() < 0.0) || hz < options.lowest_hz || hz > options.highest_hz ||
        damping > options.largest_damping)
      continue;
    Eigen::VectorXcd shape = t.output.cast<Cplx>() * V.col(i);
    const double share = shape.norm() * modal.row(i).norm();
    // Shapes of displacement, whatever was measured.
    for (int c = 0; c < n; ++c)
      shape[c] /= std::pow(lambda, derivative_of(set.channels[static_cast<std::size_t>(c)].kind));
    found.push_back({lambda, shape, share});
  }
  std::sort(found.begin(), found.end(), [](const Mode& a, const Mode& b) { return a.contribution > b.contribution; });
  if (found.size() > static_cast<std::size_t>(options.max_modes))
    found.resize(static_cast<std::size_t>(options.max_modes));
  std::sort(found.begin(), found.end(),
            [](const Mode& a, const Mode& b) { return std::abs(a.lambda) < std::abs(b.lambda); });
  IdentifiedModes out;
  out.eigenvalues.resize(static_cast<Eigen::Index>(found.size()));
  out.shapes.resize(n, static_cast<Eigen::Index>(found.size()));
  double total = 0.0;
  for (const Mode& mode : found) total += mode.contribution * mode.contribution;
  for (std::size_t i = 0; i < found.size(); ++i) {
    out.eigenvalues[static_cast<Eigen::Index>(i)] = found[i].lambda;
    out.shapes.col(static_cast<Eigen::Index>(i)) = found[i].shape;
    out.contribution.push_back(total > 0.0 ? found[i].contribution / std::sqrt(total) : 0.0);
  }
  return out;
}

StateBlocks state_blocks(const IdentifiedModes& modes) {
  if (modes.eigenvalues.size() != n)
    throw_bad_input("data", "only " + std::to_string(modes.eigenvalues.size()) + " of the 7 modes were found",
                    "excite all of them (a bump under the left wheels does), or use the maximum-likelihood method");
  // [vehicle E13]
  const Eigen::MatrixXcd L = modes.eigenvalues.asDiagonal();
  Eigen::MatrixXcd T(2 * n, 2 * n), D = Eigen::MatrixXcd::Zero(2 * n, 2 * n);
  T << modes.shapes, modes.shapes.conjugate(), modes.shapes * L, (modes.shapes * L).conjugate();
  D.topLeftCorner(n, n) = L;
  D.bottomRightCorner(n, n) = L.conjugate();
  const Eigen::MatrixXcd TD = (T * D).transpose(),
                         A = Eigen::FullPivLU<Eigen::MatrixXcd>(T.transpose()).solve(TD).transpose();
  return {A.bottomLeftCorner(n, n).real(), A.bottomRightCorner(n, n).real()};
}

PhysicalMatrices physical_matrices(const StateBlocks& plain, const StateBlocks& loaded, const AddedMass& added) {
  const Eigen::VectorXd dM = Eigen::Map<const Eigen::VectorXd>(added.data(), n);
  // [vehicle E14]
  PhysicalMatrices out;
  const Eigen::MatrixXd difference = plain.A21 - loaded.A21;
  const Eigen::MatrixXd weighted = (dM.asDiagonal() * loaded.A21).transpose();
  out.M = Eigen::FullPivLU<Eigen::MatrixXd>(difference.transpose()).solve(weighted).transpose();
  out.C = -out.M * plain.A22;
  out.K = -out.M * plain.A21;
  out.asymmetry_K = (out.K - out.K.transpose()).norm() / out.K.norm();
  out.asymmetry_C = (out.C - out.C.transpose()).norm() / out.C.norm();
  return out;
}

namespace {

// Unweighted linear least squares, equation by equation.
class Equations {
 public:
  explicit Equations(int unknowns) : unknowns_(unknowns) {}
  void add(std::initializer_list<std::pair<int, double>> terms, double value) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(unknowns_);
    for (const auto& [index, factor] : terms) row[index] += factor;
    rows_.push_back(row);
    values_.push_back(value);
  }
  void add(const Eigen::VectorXd& row, double value) {
    rows_.push_back(row);
    values_.push_back(value);
  }
  Eigen::VectorXd solve() const {
    Eigen::MatrixXd A(static_cast<Eigen::Index>(rows_.size()), unknowns_);
    for (std::size_t i = 0; i < rows_.size(); ++i) A.row(static_cast<Eigen::Index>(i)) = rows_[i];
    const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(values_.data(), A.rows());
    return A.colPivHouseholderQr().solve(b);
  }

 private:
  int unknowns_;
  std::vector<Eigen::VectorXd> rows_;
  std::vector<double> values_;
};

// [vehicle E16] K = sum ks g g^T + kt e e^T with g known: linear in the stiffnesses, all 49 elements.
void fit_with_structure(const PhysicalMatrices& m, const Vehicle<double>& structure, bool symmetric,
                        Vehicle<double>& out) {
  const int springs = symmetric ? 2 : 4;
  const auto group = [&](int corner) { return symmetric ? corner / 2 : corner; };
  Equations stiffness(2 * springs), damping(springs);
  std::array<Eigen::MatrixXd, 4> shape;
  for (int i = 0; i < 4; ++i) {
    Vehicle<double> one = structure;
    one.ks.fill(0.0), one.kt.fill(0.0);
    one.ks[static_cast<std::size_t>(i)] = 1.0;
    shape[static_cast<std::size_t>(i)] = one.matrices().stiffness;
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      Eigen::VectorXd k = Eigen::VectorXd::Zero(2 * springs), d = Eigen::VectorXd::Zero(springs);
      for (int i = 0; i < 4; ++i) {
        const double g = shape[static_cast<std::size_t>(i)](r, c);
        k[group(i)] += g;
        d[group(i)] += g;
        if (r == c && r == 3 + i) k[springs + group(i)] += 1.0;
      }
      stiffness.add(k, m.K(r, c));
      damping.add(d, m.C(r, c));
    }
  const Eigen::VectorXd k = stiffness.solve(), d = damping.solve();
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.ks[at] = k[group(i)];
    out.kt[at] = k[springs + group(i)];
    out.cs[at] = d[group(i)];
  }
  out.a = structure.a, out.b = structure.b, out.tf = structure.tf, out.tr = structure.tr;
}

// [vehicle E15] First the springs from elements that hold nothing else, then the lengths, given the springs.
void fit_elements(const PhysicalMatrices& m, bool symmetric, Vehicle<double>& out) {
  const int springs = symmetric ? 2 : 4;
  const auto group = [&](int corner) { return symmetric ? corner / 2 : corner; };
  Equations stiffness(2 * springs), damping(springs);
  Eigen::VectorXd all_k = Eigen::VectorXd::Zero(2 * springs), all_c = Eigen::VectorXd::Zero(springs);
  for (int i = 0; i < 4; ++i) all_k[group(i)] += 1.0, all_c[group(i)] += 1.0;
  stiffness.add(all_k, m.K(0, 0));
  damping.add(all_c, m.C(0, 0));
  for (int i = 0; i < 4; ++i) {
    const int g = group(i), j = 3 + i;
    stiffness.add({{g, -1.0}}, m.K(0, j));
    stiffness.add({{g, -1.0}}, m.K(j, 0));
    stiffness.add({{g, 1.0}, {springs + g, 1.0}}, m.K(j, j));
    damping.add({{g, -1.0}}, m.C(0, j));
    damping.add({{g, -1.0}}, m.C(j, 0));
    damping.add({{g, 1.0}}, m.C(j, j));
  }
  const Eigen::VectorXd k = stiffness.solve(), c = damping.solve();
  Equations lengths(4);  // a, b, tf, tr
  double front = 0.0, rear = 0.0;
  for (int i = 0; i < 4; ++i) (i < 2 ? front : rear) += k[group(i)];
  lengths.add({{0, -front}, {1, rear}}, m.K(0, 1));
  lengths.add({{0, -front}, {1, rear}}, m.K(1, 0));
  for (int i = 0; i < 4; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int j = 3 + i, lever = i < 2 ? 0 : 1, track = i < 2 ? 2 : 3;
    const double ks = k[group(i)], along = i < 2 ? ks : -ks, across = i % 2 == 0 ? -ks : ks;
    lengths.add({{lever, along}}, m.K(1, j));
    lengths.add({{lever, along}}, m.K(j, 1));
    lengths.add({{track, across}}, m.K(2, j));
    lengths.add({{track, across}}, m.K(j, 2));
    out.ks[at] = ks;
    out.kt[at] = k[springs + group(i)];
    out.cs[at] = c[group(i)];
  }
  const Eigen::VectorXd l = lengths.solve();
  out.a = l[0], out.b = l[1], out.tf = l[2], out.tr = l[3];
}

}  // namespace

Vehicle<double> vehicle_from_matrices(const PhysicalMatrices& m, const ElementFit& fit) {
  Vehicle<double> out;
  out.ms = m.M(0, 0), out.Iyy = m.M(1, 1), out.Ixx = m.M(2, 2);
  for (int i = 0; i < 4; ++i) {
    const int other = i ^ 1;  // the wheel on the other side of the axle
    out.mu[static_cast<std::size_t>(i)] =
        fit.symmetric ? 0.5 * (m.M(3 + i, 3 + i) + m.M(3 + other, 3 + other)) : m.M(3 + i, 3 + i);
  }
  if (fit.known_structure != nullptr)
    fit_with_structure(m, *fit.known_structure, fit.symmetric, out);
  else
    fit_elements(m, fit.symmetric, out);
  return out;
}

}  // namespace kdyn::inline vehicle
