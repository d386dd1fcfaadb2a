// SPDX-License-Identifier: Apache-2.0
// Large finite-element models: a ring of thin-walled box beams of 446 000 degrees of freedom, free in space.
//
// The modes are measured beside a plain solver in the same run: CHOLMOD's supernodal factor of K + s M with Spectra's
// single-vector shift-invert Lanczos (70 modes, 150 vectors, 1e-9). Counters: wall and processor seconds of both, their
// ratios, peak memory of the process while ours runs (the model and its matrices included), and by how much the
// frequencies differ. The plain solver needs libspectra-dev and libsuitesparse-dev; without them only ours runs. SLEPc
// comes last, on one rank; how ranks share it is in docs/finite_elements.md.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <numbers>

#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/fe/modes.hpp"
#include "kdyn/fe/sparse_factor.hpp"

#ifdef KDYN_HAS_SPECTRA
#include <suitesparse/cholmod.h>

#include <Spectra/SymGEigsShiftSolver.h>
#endif

namespace {

using namespace kdyn::fe;

constexpr int cells = 20;  // 3 mm

struct Watch {
  static double processor() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  double processor_start = processor();
  double wall_s() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); }
  double processor_s() const { return processor() - processor_start; }
};

// Peak memory since the last reset, GiB; what Linux counts.
void reset_peak() {
  if (std::FILE* file = std::fopen("/proc/self/clear_refs", "w")) {
    std::fputs("5", file);
    std::fclose(file);
  }
}
double peak_gib() {
  double kib = 0.0;
  if (std::FILE* file = std::fopen("/proc/self/status", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file))
      if (std::strncmp(line, "VmHWM:", 6) == 0) std::sscanf(line + 6, "%lf", &kib);
    std::fclose(file);
  }
  return kib / (1024.0 * 1024.0);
}

Model large_ring() {
  BoxRingOptions options;
  options.cells = cells;
  return make_box_ring(options).model;
}

void assemble_large_ring(benchmark::State& state) {
  const Model model = large_ring();
  int unknowns = 0;
  const Watch watch;
  for (auto _ : state) unknowns = assemble(model).map.unknowns;
  state.counters["processor_s"] = watch.processor_s();
  state.counters["unknowns"] = unknowns;
}
BENCHMARK(assemble_large_ring)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

void attachment_vectors(benchmark::State& state) {
  const Assembly assembly = assemble(large_ring());
  const SparseMatrix k = assembly.matrices.stiffness_at(), m = assembly.matrices.mass_at();
  SparseFactor factor(k, m, assembly.map.node_of);
  const double shift = std::pow(2.0 * std::numbers::pi * 100.0, 2);
  factor.factor(k, m, 1.0, shift);
  Eigen::MatrixXd loads = Eigen::MatrixXd::Zero(k.rows(), 72);
  for (Eigen::Index j = 0; j < loads.cols(); ++j) loads((j * 6151) % k.rows(), j) = 1.0;
  Eigen::MatrixXd vectors;
  const Watch watch;
  for (auto _ : state) vectors = factor.solve(loads);
  state.counters["processor_s"] = watch.processor_s();
  state.counters["misfit"] = (multiply(k, vectors) + shift * multiply(m, vectors) - loads).norm() / loads.norm();
}
BENCHMARK(attachment_vectors)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

#ifdef KDYN_HAS_SPECTRA
cholmod_sparse view_of(const SparseMatrix& a) {
  cholmod_sparse out{};
  out.nrow = static_cast<std::size_t>(a.rows()), out.ncol = static_cast<std::size_t>(a.cols()),
  out.nzmax = static_cast<std::size_t>(a.nonZeros());
  out.p = const_cast<int*>(a.outerIndexPtr()), out.i = const_cast<int*>(a.innerIndexPtr()),
  out.x = const_cast<double*>(a.valuePtr());
  out.stype = -1, out.itype = CHOLMOD_INT, out.xtype = CHOLMOD_REAL, out.dtype = CHOLMOD_DOUBLE, out.sorted = 1,
  out.packed = 1;
  return out;
}

class CholmodInverse {
 public:
  using Scalar = double;
  CholmodInverse(const SparseMatrix& k, const SparseMatrix& m) : k_(k), m_(m) {
    cholmod_start(&common_);
    common_.supernodal = CHOLMOD_SUPERNODAL;
    common_.nmethods = 1;
    common_.method[0].ordering = CHOLMOD_METIS;
    common_.postorder = 1;
  }
  ~CholmodInverse() {
    cholmod_free_dense(&x_, &common_);
    cholmod_free_dense(&y_, &common_);
    cholmod_free_dense(&e_, &common_);
    cholmod_free_factor(&factor_, &common_);
    cholmod_finish(&common_);
  }
  CholmodInverse(const CholmodInverse&) = delete;
  CholmodInverse& operator=(const CholmodInverse&) = delete;
  Eigen::Index rows() const { return k_.rows(); }
  Eigen::Index cols() const { return k_.rows(); }
  void set_shift(const double& sigma) {
    const SparseMatrix a = k_ - sigma * m_;
    cholmod_sparse view = view_of(a);
    factor_ = cholmod_analyze(&view, &common_);
    cholmod_factorize(&view, factor_, &common_);
  }
  void perform_op(const double* in, double* out) const {
    cholmod_dense b{};
    b.nrow = b.d = b.nzmax = static_cast<std::size_t>(rows()), b.ncol = 1, b.x = const_cast<double*>(in),
    b.xtype = CHOLMOD_REAL;
    cholmod_solve2(CHOLMOD_A, factor_, &b, nullptr, &x_, nullptr, &y_, &e_, &common_);
    std::memcpy(out, x_->x, sizeof(double) * static_cast<std::size_t>(rows()));
  }

 private:
  const SparseMatrix &k_, &m_;
  mutable cholmod_common common_{};
  cholmod_factor* factor_ = nullptr;
  mutable cholmod_dense *x_ = nullptr, *y_ = nullptr, *e_ = nullptr;
};

class MassTimes {
 public:
  using Scalar = double;
  explicit MassTimes(const SparseMatrix& m) : m_(m) {}
  Eigen::Index rows() const { return m_.rows(); }
  Eigen::Index cols() const { return m_.rows(); }
  void perform_op(const double* in, double* out) const {
    const Eigen::Map<const Eigen::VectorXd> x(in, m_.rows());
    Eigen::Map<Eigen::VectorXd>(out, m_.rows()).noalias() = m_.selfadjointView<Eigen::Lower>() * x;
  }

 private:
  const SparseMatrix& m_;
};

// Eigenvalues, ascending.
Eigen::VectorXd plain_modes(const SparseMatrix& k, const SparseMatrix& m, double shift, int count) {
  CholmodInverse inverse(k, m);
  MassTimes mass(m);
  Spectra::SymGEigsShiftSolver<CholmodInverse, MassTimes, Spectra::GEigsMode::ShiftInvert> solver(inverse, mass, count,
                                                                                                  150, -shift);
  solver.init();
  solver.compute(Spectra::SortRule::LargestMagn, 1000, 1e-9, Spectra::SortRule::SmallestAlge);
  benchmark::DoNotOptimize(solver.eigenvectors().sum());
  return solver.eigenvalues();
}
#endif

// Of the last run of ours, for those that come after it.
Eigen::VectorXd own_eigenvalues;

// Largest relative difference of the elastic frequencies.
double difference_of(const Eigen::VectorXd& other, const Eigen::VectorXd& own, int rigid) {
  double out = 0.0;
  for (Eigen::Index i = rigid; i < std::min(other.size(), own.size()); ++i)
    out = std::max(out, std::abs(std::sqrt(other[i] / own[i]) - 1.0));
  return out;
}

void seventy_modes(benchmark::State& state) {
  ModesOptions options;
  options.count = 70;
  for (auto _ : state) {
    reset_peak();
    Assembly assembly = assemble(large_ring());
    const Watch ours;
    const Modes modes = find_modes(assembly, options);
    const double wall = ours.wall_s(), processor = ours.processor_s();
    state.counters["unknowns"] = assembly.map.unknowns;
    state.counters["wall_s"] = wall;
    state.counters["processor_s"] = processor;
    state.counters["peak_gib"] = peak_gib();
    state.counters["sturm_ok"] = modes.status == ModesStatus::converged && modes.sturm_checked;
    state.counters["vectors"] = modes.vectors;
    // Rigid modes apart: what is left of K phi = 0 is the rounding of K (fe/THEORY.md), not the work of a solver.
    state.counters["residual"] = modes.residual.tail(modes.residual.size() - modes.rigid).maxCoeff();
    state.counters["residual_rigid"] = modes.residual.head(modes.rigid).maxCoeff();
    state.counters["factor_entries"] = modes.factor_entries;
    state.counters["analysis_s"] = modes.analysis_s;
    state.counters["factor_s"] = modes.factor_s;
    state.counters["lanczos_s"] = modes.lanczos_s;
    state.counters["sturm_s"] = modes.sturm_s;
    own_eigenvalues = modes.eigenvalues;
#ifdef KDYN_HAS_SPECTRA
    const SparseMatrix k = assembly.matrices.stiffness_at(), m = assembly.matrices.mass_at();
    assembly.matrices = {};
    const Watch plain;
    const Eigen::VectorXd other =
        plain_modes(k, m, std::pow(2.0 * std::numbers::pi * options.shift_hz, 2), options.count);
    const double plain_wall = plain.wall_s(), plain_processor = plain.processor_s();
    state.counters["plain_wall_s"] = plain_wall;
    state.counters["plain_processor_s"] = plain_processor;
    state.counters["wall_ratio"] = wall / plain_wall;
    state.counters["processor_ratio"] = processor / plain_processor;
    state.counters["frequency_difference"] = difference_of(other, modes.eigenvalues, modes.rigid);
#endif
  }
}
BENCHMARK(seventy_modes)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

// The same by SLEPc and MUMPS on one rank.
void seventy_modes_by_slepc(benchmark::State& state) {
  if (find_slepc_module().empty()) {
    state.SkipWithError("built without SLEPc");
    return;
  }
  ModesOptions options;
  options.count = 70;
  options.eigensolver = EigenSolver::slepc;
  for (auto _ : state) {
    reset_peak();
    const Assembly assembly = assemble(large_ring());
    const Watch watch;
    const Modes modes = find_modes(assembly, options);
    state.counters["wall_s"] = watch.wall_s();
    state.counters["processor_s"] = watch.processor_s();
    state.counters["peak_gib"] = peak_gib();
    state.counters["sturm_ok"] = modes.status == ModesStatus::converged && modes.sturm_checked;
    state.counters["residual"] = modes.residual.tail(modes.residual.size() - modes.rigid).maxCoeff();
    if (own_eigenvalues.size() > 0)
      state.counters["frequency_difference"] = difference_of(modes.eigenvalues, own_eigenvalues, modes.rigid);
  }
}
BENCHMARK(seventy_modes_by_slepc)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

}  // namespace
