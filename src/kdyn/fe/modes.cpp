// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/modes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fe/internal/lanczos.hpp"
#include "kdyn/fe/internal/memory.hpp"
#include "kdyn/fe/internal/mode_basis.hpp"
#include "kdyn/fe/internal/panel_kernels.hpp"
#include "kdyn/fe/internal/row_team.hpp"
#include "kdyn/fe/internal/slepc_solver.hpp"
#include "kdyn/fe/sparse_factor.hpp"

namespace kdyn {
const FieldTable& fe::fields_of(const ModesOptions*) {
  using O = fe::ModesOptions;
  static const FieldTable table = FieldTable::of<O>("modes", [](FieldTable& t) {
    t.add(&O::count, "count", "-", "Number of modes, rigid ones included").range(1, 5000);
    t.add(&O::max_frequency_hz, "max_frequency_hz", "Hz", "Modes above are dropped; 0: none is").range(0.0, 1e9);
    t.add(&O::shift_hz, "shift_hz", "Hz",
          "Shift s = (2 pi f)^2 of the factorised K + s M; of the order of the first elastic mode")
        .range(1e-6, 1e9);
    t.add(&O::tolerance, "tolerance", "-", "Bound of the relative error of a mode").range(1e-13, 1e-3);
    t.add(&O::sturm_check, "sturm_check", "-",
          "Prove by a second factorisation that no mode was missed; SLEPc does it always");
    t.add(&O::eigensolver, "eigensolver", "-",
          "Within one process (lanczos) or over all ranks of mpirun (slepc); automatic: slepc for models from 1.5 "
          "million unknowns on several ranks")
        .one_of({"automatic", "lanczos", "slepc"});
    t.add(&O::threads, "threads", "-", "Threads; 0: all of the machine").range(0, 1024);
    t.add(&O::max_memory_gb, "max_memory_gb", "-",
          "Gigabytes of memory that the modes may take; a job that needs more is refused before it starts; 0: what is "
          "free")
        .range(0.0, 1e6);
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
const MatrixXd no_loads;

double shift_of(const ModesOptions& options) { return std::pow(2.0 * std::numbers::pi * options.shift_hz, 2); }
// Zero for this model: 0.3 % of the shift frequency, far above what rounding leaves and far below any mode the shift is
// chosen for.
double zero_of(double shift) { return 1e-5 * shift; }

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

// M times a strip of eight vectors in the order of elimination; both triangles are held, so that rows can be shared
// among threads.
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
    team_.run([&](Index begin, Index end, Index) {
      internal::multiply_rows(start_.data(), column_.data(), value_.data(), x, out, begin, end);
    });
  }

 private:
  internal::RowTeam team_;
  std::vector<std::size_t> start_;
  std::vector<int> column_;
  std::vector<double> value_;
};

MatrixXd full_matrix(const SparseMatrix& lower) {
  const SparseMatrix both = lower.selfadjointView<Eigen::Lower>();
  return MatrixXd(both);
}

// Small models: L^-1 M L^-T with K + s M = L L^T.
void solve_in_full(const SparseMatrix& stiffness, const SparseMatrix& mass, double shift, int count, Modes& out) {
  const MatrixXd m = full_matrix(mass), a = full_matrix(stiffness) + shift * m;
  const Eigen::LLT<MatrixXd> llt(a);
  if (llt.info() != Eigen::Success)
    throw_bad_input(
        "model",
        "K + s M is not positive definite: a motion has neither stiffness nor mass, or a stiffness is negative",
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

// Where modes are counted: between the last wanted and the next one; within a cluster, before it.
struct SturmPlace {
  Index below = 0;  // modes found below
  double low = 0.0, high = 0.0;
};
SturmPlace sturm_place(const VectorXd& eigenvalues, int count, double shift) {
  const Index found = eigenvalues.size();
  SturmPlace out;
  out.below = std::min<Index>(count, found);
  const auto gap = [&](Index i) { return eigenvalues[i] - eigenvalues[i - 1]; };
  while (out.below > 1 && out.below < found && gap(out.below) < 1e-6 * (std::abs(eigenvalues[out.below]) + shift))
    --out.below;
  out.low = eigenvalues[out.below - 1];
  out.high =
      out.below < found ? eigenvalues[out.below] : out.low + 0.02 * (std::abs(out.low) + shift);  // all modes there are
  return out;
}

VectorXd random_load(Index size) {
  RandomStream random(99);
  VectorXd out(size);
  for (double& value : out) value = random.normal();
  return out;
}

// [fe E24] with a residual gate: the count is believed only when the factor solves a system. `count_at` factorises K -
// at M.
struct PivotCount {
  int negative = 0, doubtful = 0;
  double misfit = 1.0;
};
template <class CountAt>
void sturm_check(const SturmPlace& place, CountAt&& count_at, Modes& out) {
  out.sturm_checked = false;
  for (const double share : {0.5, 0.37, 0.63}) {
    const double at = place.low + share * (place.high - place.low);
    const PivotCount count = count_at(at);
    if (!(count.misfit < 1e-5) || count.doubtful > 0) continue;
    out.sturm_checked = true;
    out.sturm_count = count.negative;
    out.sturm_frequency_hz = std::sqrt(std::max(at, 0.0)) / (2.0 * std::numbers::pi);
    break;
  }
  if (!out.sturm_checked) {
    out.reason = "the Sturm check met small pivots at three shifts: that no mode was missed is not proven";
  } else if (out.sturm_count != place.below) {
    out.status = ModesStatus::modes_missing;
    out.reason = fmt::format("{} modes were found below {:.6g} Hz, but there are {}", place.below,
                             out.sturm_frequency_hz, out.sturm_count);
  }
}

// Rigid modes carry the rounding of all solves before them: one step x - (K + s M)^-1 K x takes out what is elastic in
// it. [fe E26]
void polish_rigid(const SparseFactor& factor, const SparseMatrix& stiffness, const SparseMatrix& mass, double shift,
                  Modes& out) {
  Index count = 0;
  while (count < out.eigenvalues.size() && std::abs(out.eigenvalues[count]) < zero_of(shift)) ++count;
  if (count == 0) return;
  MatrixXd rigid = out.shapes.leftCols(count);
  rigid -= factor.solve(multiply(stiffness, rigid));
  const MatrixXd gram = rigid.transpose() * multiply(mass, rigid);
  const Eigen::LLT<MatrixXd> llt(MatrixXd(0.5 * (gram + gram.transpose())));
  if (llt.info() == Eigen::Success)
    out.shapes.leftCols(count) = rigid * MatrixXd(llt.matrixU().solve(MatrixXd::Identity(count, count)));
}

// What the modes will take, told before they take it. Lanczos needs about three vectors for a mode and some blocks more,
// and holds the modes once more at the end.
void mind_memory(const SparseFactor& factor, const ModesOptions& options, int wanted, Progress& progress, Modes& out) {
  constexpr double gigabyte = 1e9;
  const double size = factor.size();
  if (size > small_model)
    out.expected_bytes =
        factor.expected_bytes() + sizeof(double) * size * std::min(size, 4.0 * wanted + 100.0) + 24.0 * size;
  const double allowed = options.max_memory_gb > 0.0 ? options.max_memory_gb * gigabyte : internal::free_memory_bytes();
  progress.report(0.0, fmt::format("modes of {} unknowns, about {:.2g} GB of memory", factor.size(),
                                   out.expected_bytes / gigabyte));
  if (out.expected_bytes > allowed)
    throw_bad_input(options.max_memory_gb > 0.0 ? "max_memory_gb" : "model",
                    fmt::format("{} modes of {} unknowns need about {:.3g} GB of memory, {:.3g} GB are {}",
                                options.count, factor.size(), out.expected_bytes / gigabyte, allowed / gigabyte,
                                options.max_memory_gb > 0.0 ? "allowed" : "free"),
                    "ask for fewer modes, coarsen the mesh, or share the model among machines: mpirun -n N kdyn fe "
                    "--eigensolver slepc");
}

void by_lanczos(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of,
                const ModesOptions& options, int wanted, const MatrixXd& loads, Progress& progress, Modes& out) {
  const double shift = shift_of(options);
  const int size = static_cast<int>(stiffness.rows()), threads = threads_or_all(options.threads);
  Clock clock;
  SparseFactor factor(stiffness, mass, group_of, threads);
  mind_memory(factor, options, wanted, progress, out);
  out.analysis_s = clock.lap();
  const FactorFacts facts = factor.factor(stiffness, mass, 1.0, shift);
  out.factor_s = clock.lap();
  out.factor_entries = facts.entries;
  if (facts.negative_pivots + facts.small_pivots > 0)
    throw_bad_input("model",
                    fmt::format("K + s M is not positive definite: {} pivots are not positive, so motions have neither "
                                "stiffness nor mass, or a stiffness is negative",
                                facts.negative_pivots + facts.small_pivots),
                    "let the matrix doctor name them (kdyn fe)");
  if (loads.cols() > 0) out.attachment = factor.solve(loads);
  if (size <= small_model) {
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
    polish_rigid(factor, stiffness, mass, shift, out);
    if (found.stopped) {
      out.status = ModesStatus::stopped, out.reason = "stopped on request";
    } else if (!found.converged) {
      out.status = ModesStatus::not_converged;
      out.reason = fmt::format("{} Lanczos vectors were not enough for {} modes", found.vectors, options.count);
    }
  }
  out.lanczos_s = clock.lap();
  if (!options.sturm_check || out.status != ModesStatus::converged || out.eigenvalues.size() == 0) return;
  const auto count_at = [&](double at) -> PivotCount {
    const FactorFacts counted = factor.factor(stiffness, mass, 1.0, -at);
    const MatrixXd b = random_load(size), x = factor.solve(b);
    return {counted.negative_pivots, counted.small_pivots,
            (multiply(stiffness, x) - at * multiply(mass, x) - b).norm() / b.norm()};
  };
  sturm_check(sturm_place(out.eigenvalues, options.count, shift), count_at, out);
  out.sturm_s = clock.lap();
}

void by_slepc(const internal::SlepcInput& input, const ModesOptions& options, Progress& progress, Modes& out) {
  Clock clock;
  const auto count_at = [&](double at) -> PivotCount {
    const auto count =
        internal::slepc_inertia(input.stiffness, input.mass, at, random_load(input.stiffness.rows()), input.threads);
    return {count.negative, count.zero, count.misfit};
  };
  internal::SlepcFound found = internal::slepc_modes(input, {}, progress);
  out.attachment = std::move(found.solutions);
  out.factor_entries = found.factor_entries, out.factor_s = found.factor_s;
  // Copies of multiple modes that were missed are searched for beside those that are known, until the count agrees.
  for (int round = 0;; ++round) {
    out.eigenvalues = found.theta.cwiseInverse().array() - input.shift;
    out.shapes = std::move(found.shapes);
    out.vectors += found.vectors, out.lanczos_s += found.solve_s;
    out.status = ModesStatus::converged, out.reason.clear();
    if (found.stopped) {
      out.status = ModesStatus::stopped, out.reason = "stopped on request";
    } else if (!found.converged) {
      out.status = ModesStatus::not_converged, out.reason = "200 restarts of SLEPc were not enough";
    }
    if (out.status != ModesStatus::converged || out.eigenvalues.size() == 0) return;
    const SturmPlace place = sturm_place(out.eigenvalues, options.count, input.shift);
    clock.lap();
    sturm_check(place, count_at, out);
    out.sturm_s += clock.lap();
    const auto missing = static_cast<int>(out.sturm_count - place.below);
    if (!out.sturm_checked || missing <= 0 || round == 5) return;
    internal::SlepcInput more{input.stiffness, input.mass,   input.shift,
                              input.tolerance, missing,      input.seed + 1 + static_cast<std::uint64_t>(round),
                              no_loads,        input.threads};
    found = internal::slepc_modes(more, out.shapes, progress);
  }
}

void describe_result(double shift, const SparseMatrix& stiffness, const SparseMatrix& mass, Modes& out) {
  const Index count = out.eigenvalues.size();
  out.frequency_hz.resize(count);
  out.residual.resize(count);
  const double zero = zero_of(shift);
  out.rigid = 0;
  constexpr Index width = 8;
  for (Index first = 0; first < count; first += width) {
    const Index part = std::min(width, count - first);
    const MatrixXd phi = out.shapes.middleCols(first, part), k = multiply(stiffness, phi), m = multiply(mass, phi);
    for (Index i = 0; i < part; ++i) {
      double& lambda = out.eigenvalues[first + i];
      const bool rigid = std::abs(lambda) < zero;
      // What the turned shape asks for, by least squares: Rayleigh's quotient would be the rounding of its long sum.
      if (rigid) lambda = m.col(i).dot(k.col(i)) / m.col(i).squaredNorm();
      out.rigid += rigid;
      out.frequency_hz[first + i] =
          rigid ? 0.0 : std::copysign(std::sqrt(std::abs(lambda)), lambda) / (2.0 * std::numbers::pi);
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

const char* to_string(EigenSolver solver) {
  switch (solver) {
    case EigenSolver::automatic: return "automatic";
    case EigenSolver::lanczos: return "lanczos";
    case EigenSolver::slepc: return "slepc";
  }
  return "";
}

Modes find_modes(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of,
                 const ModesOptions& options, const MatrixXd& loads, Progress& progress) {
  Modes out;
  const int size = static_cast<int>(stiffness.rows());
  const double shift = shift_of(options);
  // One mode more than asked for: the Sturm check needs the next one, and it is dropped at the end.
  const int wanted = std::min(options.count + 1, size);
  out.solver = size <= small_model ? EigenSolver::lanczos : chosen_solver(options.eigensolver, size);
  // SLEPc measures in another norm; a hundredth of the tolerance there leaves residuals as small as ours.
  if (out.solver == EigenSolver::slepc)
    by_slepc({stiffness, mass, shift, 0.01 * options.tolerance, wanted, static_cast<std::uint64_t>(options.seed), loads,
              options.threads},
             options, progress, out);
  else
    by_lanczos(stiffness, mass, group_of, options, wanted, loads, progress, out);
  internal::make_unique(out.eigenvalues, shift, zero_of(shift), out.shapes);
  Index count = std::min<Index>(options.count, out.eigenvalues.size());
  const double limit = std::pow(2.0 * std::numbers::pi * options.max_frequency_hz, 2);
  while (count > 0 && options.max_frequency_hz > 0.0 && out.eigenvalues[count - 1] > limit) --count;
  keep(count, out);
  internal::fix_signs(out.shapes);
  describe_result(shift, stiffness, mass, out);
  return out;
}

MatrixXd solve_shifted(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of,
                       const ModesOptions& options, const MatrixXd& loads) {
  const double shift = shift_of(options);
  const auto size = static_cast<int>(stiffness.rows());
  if (size > small_model && chosen_solver(options.eigensolver, size) == EigenSolver::slepc)
    return internal::slepc_modes({stiffness, mass, shift, 0.0, 0, 0, loads, options.threads}, {}, silent_progress())
        .solutions;
  SparseFactor factor(stiffness, mass, group_of, options.threads);
  factor.factor(stiffness, mass, 1.0, shift);
  return factor.solve(loads);
}

Modes find_modes(const Assembly& assembly, const ModesOptions& options, Progress& progress) {
  // A model without parameters has one term of each kind: no need for a copy of it.
  const AffineMatrices& all = assembly.matrices;
  const SparseMatrix k = all.stiffness.size() == 1 ? SparseMatrix() : all.stiffness_at(),
                     m = all.mass.size() == 1 ? SparseMatrix() : all.mass_at();
  return find_modes(all.stiffness.size() == 1 ? all.stiffness.front().matrix : k,
                    all.mass.size() == 1 ? all.mass.front().matrix : m, assembly.map.node_of, options, {}, progress);
}

ModeSet mode_set_of(const Model& model, const Assembly& assembly, const Modes& modes, const std::vector<int>& nodes) {
  ModeSet set;
  set.name = model.name;
  set.scaling = ModeScaling::unit_modal_mass;
  set.geometry = geometry_of(model);
  std::vector<int> chosen = nodes;
  if (chosen.empty())
    for (std::size_t n = 0; n < model.nodes.size(); ++n)
      if (!model.nodes[n].scalar) chosen.push_back(static_cast<int>(n));
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
