// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/slepc_solver.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <vector>

#include <cblas-openblas.h>
#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/program.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fe/eigensolver.hpp"
#include "kdyn/fe/slepc_interface.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::fe {

EigenSolver chosen_solver(EigenSolver asked, int unknowns) {
  if (asked != EigenSolver::automatic) return asked;
  return unknowns >= distributed_from && task_runner().ranks() > 1 ? EigenSolver::slepc : EigenSolver::lanczos;
}

namespace {
constexpr const char* module_name = "kdyn_slepc.so";
}
std::string find_slepc_module() { return find_module("KDYN_SLEPC_MODULE", module_name); }

namespace internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Module {
  SlepcModesFunction* modes = nullptr;
  SlepcInertiaFunction* inertia = nullptr;
};

// Opened once and never closed: PETSc and MPI do not survive that.
const Module& module() {
  static const Module opened = [] {
    const char* remedy =
        "install the package kdyn-ranks (from source: slepc-dev and -DKDYN_SLEPC=ON), name the module in "
        "KDYN_SLEPC_MODULE, or take "
        "the eigensolver lanczos";
    const std::string path = find_slepc_module();
    if (path.empty())
      throw_bad_input("eigensolver", fmt::format("the SLEPc module {} is not installed", module_name), remedy);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw_bad_input("eigensolver", fmt::format("the SLEPc module cannot be opened: {}", dlerror()), remedy);
    Module out;
    out.modes = reinterpret_cast<SlepcModesFunction*>(dlsym(library, slepc_modes_name));
    out.inertia = reinterpret_cast<SlepcInertiaFunction*>(dlsym(library, slepc_inertia_name));
    if (out.modes == nullptr || out.inertia == nullptr)
      throw_bad_input("eigensolver", path + " is no SLEPc module of kdyn", remedy);
    return out;
  }();
  return opened;
}

// MUMPS works by the BLAS: its threads are shared by the ranks.
class BlasThreads {
 public:
  explicit BlasThreads(int threads) : before_(openblas_get_num_threads()) {
    const int machine = threads_or_all(threads);
    openblas_set_num_threads(std::max(1, machine / task_runner().ranks()));
  }
  ~BlasThreads() { openblas_set_num_threads(before_); }
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int before_;
};

SlepcRun run_of(const SparseMatrix& stiffness, const SparseMatrix& mass) {
  demand(stiffness.isCompressed() && mass.isCompressed() && stiffness.rows() == mass.rows(),
         "matrices are compressed and of one size");
  SlepcRun run;
  run.size = static_cast<int>(stiffness.rows());
  run.stiffness = {stiffness.outerIndexPtr(), stiffness.innerIndexPtr(), stiffness.valuePtr()};
  run.mass = {mass.outerIndexPtr(), mass.innerIndexPtr(), mass.valuePtr()};
  return run;
}

// Rayleigh-Ritz on what was found: M-orthonormal to rounding, whoever found it. [fe E32]
void rayleigh_ritz(const SlepcInput& input, VectorXd& theta, MatrixXd& shapes) {
  const MatrixXd m = multiply(input.mass, shapes), a = multiply(input.stiffness, shapes) + input.shift * m;
  MatrixXd small_m = shapes.transpose() * m, small_a = shapes.transpose() * a;
  small_m = (0.5 * (small_m + small_m.transpose())).eval();
  small_a = (0.5 * (small_a + small_a.transpose())).eval();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(small_m, small_a);
  theta = eigen.eigenvalues().reverse();
  shapes = (shapes * (eigen.eigenvectors().rowwise().reverse() * theta.cwiseSqrt().cwiseInverse().asDiagonal())).eval();
}

}  // namespace

SlepcFound slepc_modes(const SlepcInput& input, const MatrixXd& known, Progress& progress) {
  const BlasThreads blas(input.threads);
  SlepcRun run = run_of(input.stiffness, input.mass);
  run.context = &progress;
  run.stop = [](void* context, double done) {
    auto& to = *static_cast<Progress*>(context);
    to.report(std::min(1.0, done), "modes");
    return to.stop_requested() ? 1 : 0;
  };
  SlepcFound out;
  const int left = run.size - static_cast<int>(known.cols());
  SlepcModes job;
  job.shift = input.shift, job.tolerance = input.tolerance;
  job.wanted = std::min(input.wanted, left), job.most_restarts = 200;
  // Numbers go by unknown: the start is the same on any number of ranks.
  RandomStream random(input.seed);
  VectorXd start(run.size);
  for (double& value : start) value = random.normal();
  job.start = start.data();
  job.known = known.data(), job.known_count = static_cast<int>(known.cols());
  job.loads = input.loads.data(), job.load_count = static_cast<int>(input.loads.cols());
  out.solutions.resize(run.size, input.loads.cols());
  job.solutions = out.solutions.data();
  out.theta.resize(job.wanted), out.shapes.resize(run.size, job.wanted);
  job.theta = out.theta.data(), job.shapes = out.shapes.data();
  const int end = module().modes(&run, &job);
  if (end == slepc_not_definite)
    throw_bad_input(
        "model",
        "K + s M is not positive definite: a motion has neither stiffness nor mass, or a stiffness is negative",
        "let the matrix doctor name it (kdyn fe)");
  if (end == slepc_failed)
    throw Error(ErrorCode::internal, fmt::format("the SLEPc module failed: {}", run.message), "eigensolver",
                "take lanczos");
  out.converged = end == slepc_done, out.stopped = end == slepc_stopped;
  out.theta.conservativeResize(job.found);
  if (job.found < job.wanted) out.shapes.conservativeResize(Eigen::NoChange, job.found);
  out.vectors = job.vectors;
  out.factor_entries = job.factor_entries, out.factor_s = job.factor_s, out.solve_s = job.solve_s;
  if (known.cols() > 0) {
    MatrixXd joined(run.size, known.cols() + out.shapes.cols());
    joined << known, out.shapes;
    out.shapes = std::move(joined);
  }
  if (out.shapes.cols() > 0) rayleigh_ritz(input, out.theta, out.shapes);
  return out;
}

SlepcCount slepc_inertia(const SparseMatrix& stiffness, const SparseMatrix& mass, double at, const VectorXd& load,
                         int threads) {
  const BlasThreads blas(threads);
  SlepcRun run = run_of(stiffness, mass);
  SlepcInertia job;
  job.at = at, job.load = load.data();
  if (module().inertia(&run, &job) != slepc_done)
    throw Error(ErrorCode::internal, fmt::format("the SLEPc module failed: {}", run.message), "eigensolver",
                "leave out the Sturm check or take lanczos");
  return {job.negative, job.zero, job.misfit};
}

}  // namespace internal
}  // namespace kdyn::fe
