// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/modes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fe/internal/lanczos.hpp"
#include "kdyn/fe/internal/panel_kernels.hpp"
#include "kdyn/fe/internal/row_team.hpp"
#include "kdyn/fe/sparse_factor.hpp"

namespace kdyn {
template <>
const FieldTable& field_table<fe::ModesOptions>() {
  using O = fe::ModesOptions;
  static const FieldTable table = FieldTable::of<O>("modes", [](FieldTable& t) {
    t.add(&O::count, "count", "-", "Number of modes, rigid ones included").range(1, 5000);
    t.add(&O::max_frequency_hz, "max_frequency_hz", "Hz", "Modes above are dropped; 0: none is").range(0.0, 1e9);
    t.add(&O::shift_hz, "shift_hz", "Hz", "Shift s = (2 pi f)^2 of the factorised K + s M; of the order of the first elastic mode").range(1e-6, 1e9);
    t.add(&O::tolerance, "tolerance", "-", "Bound of the relative error of a mode").range(1e-13, 1e-3);
    t.add(&O::sturm_check, "sturm_check", "-", "Prove by a second factorisation that no mode was missed");
    t.add(&O::threads, "threads", "-", "Threads; 0: all of the machine").range(0, 1024);
    t.add(&O::seed, "seed", "-", "Seed of the start vectors").range(0, 1e15);
  });
  return table;
}
}  // namespace kdyn

namespace kdyn::fe {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int small_model = 500;

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double out = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return out;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// M times a strip of eight vectors in the order of elimination; both triangles are held, so that rows can be shared among threads.
class MassProduct {
 public:
  MassProduct(const SparseMatrix& lower, const std::vector<int>& order, int threads) : team_(lower.rows(), threads) {
    const auto place = [&](Index i) { return static_cast<std::size_t>(order[static_cast<std::size_t>(i)]); };
    start_.assign(static_cast<std::size_t>(lower.rows()) + 1, 0);
    const auto each = [&](auto&& work) {
      for (Index j = 0; j < lower.cols(); ++j)
        for (SparseMatrix::InnerIterator entry(lower, j); entry; ++entry) {
          work(place(entry.row()), place(j), entry.value());
          if (entry.row() != j) work(place(j), place(entry.row()), entry.value());
        }
    };
    each([&](std::size_t row, std::size_t, double) { ++start_[row + 1]; });
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
    column_.resize(start_.back()), value_.resize(start_.back());
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    each([&](std::size_t row, std::size_t column, double value) {
      column_[next[row]] = static_cast<int>(column);
      value_[next[row]++] = value;
    });
  }

  void operator()(const double* x, double* out) const {
    team_.run([&](Index begin, Index end, Index) { internal::multiply_rows(start_.data(), column_.data(), value_.data(), x, out, begin, end); });
  }

 private:
  internal::RowTeam team_;
  std::vector<std::size_t> start_;
  std::vector<int> column_;
  std::vector<double> value_;
};

void fix_signs(MatrixXd& shapes) {
  for (Index j = 0; j < shapes.cols(); ++j) {
    const double largest = shapes.col(j).cwiseAbs().maxCoeff();
    Index first = 0;  // the first among equals, so that symmetric shapes keep their sign when digits change
    while (std::abs(shapes(first, j)) < (1.0 - 1e-6) * largest) ++first;
    if (shapes(first, j) < 0.0) shapes.col(j) *= -1.0;
  }
}

MatrixXd full_matrix(const SparseMatrix& lower) {
  const SparseMatrix both = lower.selfadjointView<Eigen::Lower>();
  return MatrixXd(both);
}

// Small models: L^-1 M L^-T with K + s M = L L^T.
void solve_in_full(const SparseMatrix& stiffness, const SparseMatrix& mass, double shift, int count, Modes& out) {
  const MatrixXd m = full_matrix(mass), a = full_matrix(stiffness) + shift * m;
  const Eigen::LLT<MatrixXd> llt(a);
  if (llt.info() != Eigen::Success)
    throw_bad_input("model", "K + s M is not positive definite: a motion has neither stiffness nor mass, or a stiffness is negative",
                    "let the matrix doctor name it (kdyn fe)");
  MatrixXd c = llt.matrixL().solve(m);
  c = llt.matrixL().solve(c.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(0.5 * (c + c.transpose()));
  const VectorXd theta = eigen.eigenvalues().reverse();
  Index take = std::min<Index>(count, theta.size());
  while (take > 0 && theta[take - 1] <= 1e-14 * theta[0]) --take;
  out.eigenvalues = theta.head(take).cwiseInverse().array() - shift;
  out.shapes = llt.matrixU().solve(eigen.eigenvectors().rowwise().reverse().leftCols(take));
  for (Index j = 0; j < take; ++j) out.shapes.col(j) /= std::sqrt(theta[j]);
  out.vectors = static_cast<int>(theta.size());
}

// [fe E24] with a residual gate: the count is believed only when the factor solves a system.
void sturm_check(SparseFactor& factor, const SparseMatrix& stiffness, const SparseMatrix& mass, double low, double high, Modes& out) {
  for (const double share : {0.5, 0.37, 0.63}) {
    const double at = low + share * (high - low);
    const FactorFacts facts = factor.factor(stiffness, mass, 1.0, -at);
    RandomStream random(99);
    MatrixXd b(stiffness.rows(), 1);
    for (Index i = 0; i < b.size(); ++i) b.data()[i] = random.normal();
    const MatrixXd x = factor.solve(b);
    const double misfit = (multiply(stiffness, x) - at * multiply(mass, x) - b).norm() / b.norm();
    if (!(misfit < 1e-5) || facts.small_pivots > 0) continue;
    out.sturm_checked = true;
    out.sturm_count = facts.negative_pivots;
    out.sturm_frequency_hz = std::sqrt(std::max(at, 0.0)) / (2.0 * std::numbers::pi);
    return;
  }
}

void describe_result(double shift, const SparseMatrix& stiffness, const SparseMatrix& mass, Modes& out) {
  const Index count = out.eigenvalues.size();
  out.frequency_hz.resize(count);
  out.residual.resize(count);
  // Zero for this model: 0.3 % of the shift frequency, far above what rounding leaves and far below any mode the shift is chosen for.
  const double zero = 1e-5 * shift;
  out.rigid = 0;
  constexpr Index width = 8;
  for (Index first = 0; first < count; first += width) {
    const Index part = std::min(width, count - first);
    const MatrixXd phi = out.shapes.middleCols(first, part), k = multiply(stiffness, phi), m = multiply(mass, phi);
    for (Index i = 0; i < part; ++i) {
      const double lambda = out.eigenvalues[first + i];
      const bool rigid = std::abs(lambda) < zero;
      out.rigid += rigid;
      out.frequency_hz[first + i] = rigid ? 0.0 : std::copysign(std::sqrt(std::abs(lambda)), lambda) / (2.0 * std::numbers::pi);
      out.residual[first + i] = (k.col(i) - lambda * m.col(i)).norm() / (k.col(i) + shift * m.col(i)).norm();
    }
  }
}

void keep(Index count, Modes& out) {
  out.eigenvalues.conservativeResize(count);
  if (count < out.shapes.cols()) out.shapes.conservativeResize(Eigen::NoChange, count);
}

}  // namespace

const char* to_string(ModesStatus status) {
  switch (status) {
    case ModesStatus::converged: return "converged";
    case ModesStatus::not_converged: return "not_converged";
    case ModesStatus::modes_missing: return "modes_missing";
    case ModesStatus::stopped: return "stopped";
  }
  return "";
}

Modes find_modes(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of, const ModesOptions& options,
                 const MatrixXd& loads, Progress& progress) {
  Modes out;
  const double shift = std::pow(2.0 * std::numbers::pi * options.shift_hz, 2);
  const int size = static_cast<int>(stiffness.rows()),
            threads = options.threads > 0 ? options.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Clock clock;
  const bool in_full = size <= small_model;
  // One mode more than asked for: the Sturm check needs the next one, and it is dropped at the end.
  const int wanted = std::min(options.count + 1, size);
  double next = 0.0;
  SparseFactor factor(stiffness, mass, group_of, threads);
  out.analysis_s = clock.lap();
  const FactorFacts facts = factor.factor(stiffness, mass, 1.0, shift);
  out.factor_s = clock.lap();
  out.factor_entries = facts.entries;
  if (facts.negative_pivots + facts.small_pivots > 0)
    throw_bad_input(
        "model",
        fmt::format(
            "K + s M is not positive definite: {} pivots are not positive, so motions have neither stiffness nor mass, or a stiffness is negative",
            facts.negative_pivots + facts.small_pivots),
        "let the matrix doctor name them (kdyn fe)");
  if (loads.cols() > 0) out.attachment = factor.solve(loads);
  if (in_full) {
    solve_in_full(stiffness, mass, shift, wanted, out);
  } else {
    const MassProduct product(mass, factor.order(), threads);
    internal::LanczosInput input;
    input.size = size, input.wanted = wanted;
    input.most_vectors = std::min(size, 10 * wanted + 200);
    input.tolerance = options.tolerance;
    input.seed = static_cast<std::uint64_t>(options.seed);
    input.threads = threads;
    input.new_of = &factor.order();
    input.solve = [&](double* x) { factor.solve_strip(x); };
    input.mass = [&](const double* x, double* out_strip) { product(x, out_strip); };
    internal::LanczosResult found = internal::block_lanczos(input, progress);
    out.eigenvalues = found.theta.cwiseInverse().array() - shift;
    out.shapes = std::move(found.shapes);
    out.vectors = found.vectors;
    if (found.next_theta > 0.0) next = 1.0 / found.next_theta - shift;
    if (found.stopped) {
      out.status = ModesStatus::stopped, out.reason = "stopped on request";
    } else if (!found.converged) {
      out.status = ModesStatus::not_converged;
      out.reason = fmt::format("{} Lanczos vectors were not enough for {} modes", found.vectors, options.count);
    }
  }
  out.lanczos_s = clock.lap();
  const Index found = out.eigenvalues.size();
  if (options.sturm_check && out.status == ModesStatus::converged && found > 0) {
    // Between the last wanted and the next one; within a cluster, before it.
    Index below = std::min<Index>(options.count, found);
    const auto value = [&](Index i) { return i < found ? out.eigenvalues[i] : next; };
    while (below > 1 && below < found && value(below) - value(below - 1) < 1e-6 * (std::abs(value(below)) + shift)) --below;
    double low = out.eigenvalues[below - 1], high = below < found ? value(below) : 0.0;
    if (below >= found) high = low + 0.02 * (std::abs(low) + shift);  // all modes there are
    sturm_check(factor, stiffness, mass, low, high, out);
    if (!out.sturm_checked) {
      out.reason = "the Sturm check met small pivots at three shifts: that no mode was missed is not proven";
    } else if (out.sturm_count != below) {
      out.status = ModesStatus::modes_missing;
      out.reason = fmt::format("{} modes were found below {:.6g} Hz, but there are {}", below, out.sturm_frequency_hz, out.sturm_count);
    }
    out.sturm_s = clock.lap();
  }
  Index count = std::min<Index>(options.count, found);
  const double limit = std::pow(2.0 * std::numbers::pi * options.max_frequency_hz, 2);
  while (count > 0 && options.max_frequency_hz > 0.0 && out.eigenvalues[count - 1] > limit) --count;
  keep(count, out);
  fix_signs(out.shapes);
  describe_result(shift, stiffness, mass, out);
  return out;
}

Modes find_modes(const Assembly& assembly, const ModesOptions& options, Progress& progress) {
  // A model without parameters has one term of each kind: no need for a copy of it.
  const AffineMatrices& all = assembly.matrices;
  const SparseMatrix k = all.stiffness.size() == 1 ? SparseMatrix() : all.stiffness_at(), m = all.mass.size() == 1 ? SparseMatrix() : all.mass_at();
  return find_modes(all.stiffness.size() == 1 ? all.stiffness.front().matrix : k, all.mass.size() == 1 ? all.mass.front().matrix : m,
                    assembly.map.node_of, options, {}, progress);
}

ModeSet mode_set_of(const Model& model, const Assembly& assembly, const Modes& modes, const std::vector<int>& nodes) {
  ModeSet set;
  set.name = model.name;
  set.scaling = ModeScaling::unit_modal_mass;
  set.geometry = geometry_of(model);
  std::vector<int> chosen = nodes;
  if (chosen.empty())
    for (std::size_t n = 0; n < model.nodes.size(); ++n) chosen.push_back(static_cast<int>(n));
  const MatrixXd full = assembly.map.expand(modes.shapes);
  std::vector<Index> rows;
  for (const int n : chosen)
    for (int c = 0; c < 6; ++c) {
      set.dofs.push_back({model.nodes[static_cast<std::size_t>(n)].label, c + 1, {}});
      rows.push_back(6 * Index{n} + c);
    }
  for (auto& node : set.geometry.nodes) node.motion_system = 0;  // shapes are in global axes
  for (Index j = 0; j < modes.shapes.cols(); ++j) {
    Mode mode;
    mode.pole = pole_of(std::max(0.0, modes.frequency_hz[j]), 0.0);
    mode.modal_mass = 1.0;
    for (const Index row : rows) mode.shape.emplace_back(full(row, j), 0.0);
    set.modes.push_back(std::move(mode));
  }
  return set;
}

}  // namespace kdyn::fe
