// SPDX-License-Identifier: Apache-2.0
// Eigenproblems by SLEPc and MUMPS over all ranks: the module behind kdyn/fe/slepc_interface.hpp.
//
// Krylov-Schur on (K + s M)^-1 M in the inner product of K + s M, which is definite where M is not: massless motions
// need no purification. Every rank holds a run of rows of the matrices, of the factor and of the vectors. Sturm counts
// come from MUMPS' inertia of K - m M; the root of its tree is then factorised by one rank, for the count does not know
// what ScaLAPACK does there.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <slepceps.h>

#include "kdyn/fe/slepc_interface.hpp"

namespace {

using namespace kdyn::fe;

// A failed call ends the run with a code; the text was noted by the handler below.
struct Failed {
  PetscErrorCode code;
};
void check(PetscErrorCode code) {
  if (code != 0) throw Failed{code};
}

std::string first_message;
PetscErrorCode note(MPI_Comm, int line, const char* function, const char*, PetscErrorCode code, PetscErrorType,
                    const char* message, void*) {
  if (first_message.empty())
    first_message = std::string(function) + ":" + std::to_string(line) + ": " + (message != nullptr ? message : "");
  return code;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// PETSc for the time of one call. Its own handling of signals, files of options and printing of errors stays off.
class Session {
 public:
  Session() {
    int started = 0;
    MPI_Initialized(&started);
    if (!started) {
      int provided = 0;
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
      std::atexit([] { MPI_Finalize(); });
    }
    first_message.clear();
    static char name[] = "kdyn", plain[] = "-no_signal_handler", alone[] = "-skip_petscrc";
    char* words[] = {name, plain, alone, nullptr};
    char** argv = words;
    int argc = 3;
    check(SlepcInitialize(&argc, &argv, nullptr, nullptr));
    check(PetscPushErrorHandler(&note, nullptr));
  }
  ~Session() {
    PetscPopErrorHandler();
    SlepcFinalize();
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

// PETSc objects end with their scope.
template <class Handle, PetscErrorCode (*destroy)(Handle*)>
class Owned {
 public:
  Owned() = default;
  ~Owned() { destroy(&handle_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  operator Handle() const { return handle_; }
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};
using OwnedMat = Owned<Mat, MatDestroy>;
using OwnedVec = Owned<Vec, VecDestroy>;
using OwnedEps = Owned<EPS, EPSDestroy>;

// Which rows this rank holds. Rows of the upper triangle get shorter to the end only slightly: equal numbers of rows
// are fair.
struct Rows {
  int begin = 0, end = 0, rank = 0, ranks = 1;
  std::vector<int> counts, offsets;

  explicit Rows(int size) {
    MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
    MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
    for (int r = 0; r <= ranks; ++r) offsets.push_back(static_cast<int>(static_cast<long long>(size) * r / ranks));
    for (int r = 0; r < ranks; ++r)
      counts.push_back(offsets[static_cast<std::size_t>(r) + 1] - offsets[static_cast<std::size_t>(r)]);
    begin = offsets[static_cast<std::size_t>(rank)], end = offsets[static_cast<std::size_t>(rank) + 1];
  }
  int count() const { return end - begin; }
};

// a K + b M, rows of this rank; b = 0 or a = 0 leaves one of them out.
void combine(const SlepcRun& run, double a, double b, const Rows& rows, Mat* out) {
  std::vector<PetscInt> start{0}, column;
  std::vector<PetscScalar> value;
  const auto at = [](const SlepcMatrix& m, double factor, int row) {
    return factor != 0.0 ? std::pair(m.start[row], m.start[row + 1]) : std::pair(0, 0);
  };
  for (int row = rows.begin; row < rows.end; ++row) {
    auto [k, k_end] = at(run.stiffness, a, row);
    auto [m, m_end] = at(run.mass, b, row);
    if ((k == k_end || run.stiffness.column[k] != row) && (m == m_end || run.mass.column[m] != row)) {
      column.push_back(row), value.push_back(0.0);  // the diagonal is always there
    }
    while (k < k_end || m < m_end) {
      const int kc = k < k_end ? run.stiffness.column[k] : run.size, mc = m < m_end ? run.mass.column[m] : run.size;
      column.push_back(std::min(kc, mc));
      double sum = 0.0;
      if (kc <= mc) sum += a * run.stiffness.value[k++];
      if (mc <= kc) sum += b * run.mass.value[m++];
      value.push_back(sum);
    }
    start.push_back(static_cast<PetscInt>(column.size()));
  }
  check(MatCreate(PETSC_COMM_WORLD, out));
  check(MatSetSizes(*out, rows.count(), rows.count(), run.size, run.size));
  check(MatSetType(*out, MATSBAIJ));
  check(MatSeqSBAIJSetPreallocationCSR(*out, 1, start.data(), column.data(), value.data()));
  check(MatMPISBAIJSetPreallocationCSR(*out, 1, start.data(), column.data(), value.data()));
  check(MatSetOption(*out, MAT_SYMMETRIC, PETSC_TRUE));
}

void make_vector(const Rows& rows, int size, const double* values, Vec* out) {
  check(VecCreateMPI(PETSC_COMM_WORLD, rows.count(), size, out));
  PetscScalar* own = nullptr;
  check(VecGetArrayWrite(*out, &own));
  std::copy(values + rows.begin, values + rows.end, own);
  check(VecRestoreArrayWrite(*out, &own));
}

// Rows of all ranks, on all ranks.
void gather(const Rows& rows, Vec from, double* to) {
  const PetscScalar* own = nullptr;
  check(VecGetArrayRead(from, &own));
  MPI_Allgatherv(own, rows.count(), MPI_DOUBLE, to, rows.counts.data(), rows.offsets.data(), MPI_DOUBLE,
                 PETSC_COMM_WORLD);
  check(VecRestoreArrayRead(from, &own));
}

// MUMPS by METIS' order, with room for what pivoting adds.
void set_up(Mat factor) {
  constexpr int ordering = 7, metis = 5, room_percent = 14;
  check(MatMumpsSetIcntl(factor, ordering, metis));
  check(MatMumpsSetIcntl(factor, room_percent, 60));
}

// What MUMPS says when it gave up: one end for all ranks.
int end_of(Mat factor, SlepcRun& run) {
  MatFactorError error = MAT_FACTOR_NOERROR;
  check(MatFactorGetError(factor, &error));
  if (error == MAT_FACTOR_NOERROR) return slepc_done;
  PetscInt code = 0, detail = 0;
  check(MatMumpsGetInfog(factor, 1, &code));
  check(MatMumpsGetInfog(factor, 2, &detail));
  if (code == -10 || code == -40) return slepc_not_definite;
  std::snprintf(run.message, sizeof run.message, "MUMPS ended with INFOG(1) = %d, INFOG(2) = %d%s",
                static_cast<int>(code), static_cast<int>(detail),
                code == -9 || code == -13 || code == -8 ? ": memory was too small" : "");
  return slepc_failed;
}

struct Watch {
  SlepcRun* run;
  int wanted;
  bool stopped = false;
};
PetscErrorCode stop_or_go(EPS eps, PetscInt its, PetscInt most, PetscInt converged, PetscInt wanted,
                          EPSConvergedReason* reason, void* context) {
  auto& watch = *static_cast<Watch*>(context);
  int own = watch.run->stop != nullptr
                ? watch.run->stop(watch.run->context, static_cast<double>(converged) / watch.wanted)
                : 0,
      any = 0;
  MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  if (any) {
    watch.stopped = true;
    *reason = EPS_CONVERGED_USER;
    return 0;
  }
  return EPSStoppingBasic(eps, its, most, converged, wanted, reason, nullptr);
}

int solve(SlepcRun& run, SlepcModes& job) {
  const Rows rows(run.size);
  double lap = now();
  OwnedMat shifted, mass;
  combine(run, 1.0, job.shift, rows, shifted.out());
  check(MatSetOption(shifted, MAT_SPD, PETSC_TRUE));
  OwnedEps eps;
  check(EPSCreate(PETSC_COMM_WORLD, eps.out()));
  Owned<KSP, KSPDestroy> own_solver;
  KSP solver = nullptr;
  if (job.wanted > 0) {
    combine(run, 0.0, 1.0, rows, mass.out());
    check(EPSSetOperators(eps, mass, shifted));
    check(EPSSetProblemType(eps, EPS_GHEP));
    check(EPSSetType(eps, EPSKRYLOVSCHUR));
    check(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
    const int most = run.size - job.known_count, wanted = std::min(job.wanted, most);
    check(EPSSetDimensions(eps, wanted, std::min(most, 2 * wanted + 40), PETSC_DEFAULT));
    check(EPSSetTolerances(eps, job.tolerance, job.most_restarts));
    ST st = nullptr;
    check(EPSGetST(eps, &st));
    check(STGetKSP(st, &solver));
  } else {
    check(KSPCreate(PETSC_COMM_WORLD, own_solver.out()));
    solver = own_solver;
    check(KSPSetOperators(solver, shifted, shifted));
  }
  check(KSPSetType(solver, KSPPREONLY));
  PC pc = nullptr;
  check(KSPGetPC(solver, &pc));
  check(PCSetType(pc, PCCHOLESKY));
  check(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  check(PCSetOperators(pc, shifted, shifted));
  check(PCFactorSetUpMatSolverType(pc));
  Mat factor = nullptr;
  check(PCFactorGetMatrix(pc, &factor));
  set_up(factor);
  check(PCSetUp(pc));
  if (const int end = end_of(factor, run); end != slepc_done) return end;
  PetscInt entries = 0, negative = 0;
  check(MatMumpsGetInfog(factor, 12, &negative));
  if (negative > 0) return slepc_not_definite;
  check(MatMumpsGetInfog(factor, 29, &entries));  // negative: millions
  job.factor_entries = entries < 0 ? -1e6 * static_cast<double>(entries) : static_cast<double>(entries);
  job.factor_s = now() - lap;

  if (job.load_count > 0) {
    OwnedMat right, left;
    check(MatCreateDense(PETSC_COMM_WORLD, rows.count(), PETSC_DECIDE, run.size, job.load_count, nullptr, right.out()));
    PetscScalar* values = nullptr;
    PetscInt lead = 0;
    check(MatDenseGetLDA(right, &lead));
    check(MatDenseGetArrayWrite(right, &values));
    for (int j = 0; j < job.load_count; ++j) {
      const double* from = job.loads + static_cast<std::ptrdiff_t>(j) * run.size;
      std::copy(from + rows.begin, from + rows.end, values + static_cast<std::ptrdiff_t>(j) * lead);
    }
    check(MatDenseRestoreArrayWrite(right, &values));
    check(MatAssemblyBegin(right, MAT_FINAL_ASSEMBLY));
    check(MatAssemblyEnd(right, MAT_FINAL_ASSEMBLY));
    check(MatDuplicate(right, MAT_DO_NOT_COPY_VALUES, left.out()));
    check(MatMatSolve(factor, right, left));
    const PetscScalar* found = nullptr;
    check(MatDenseGetLDA(left, &lead));
    check(MatDenseGetArrayRead(left, &found));
    for (int j = 0; j < job.load_count; ++j)
      MPI_Allgatherv(found + static_cast<std::ptrdiff_t>(j) * lead, rows.count(), MPI_DOUBLE,
                     job.solutions + static_cast<std::ptrdiff_t>(j) * run.size, rows.counts.data(), rows.offsets.data(),
                     MPI_DOUBLE, PETSC_COMM_WORLD);
    check(MatDenseRestoreArrayRead(left, &found));
  }
  if (job.wanted == 0) return slepc_done;

  lap = now();
  OwnedVec start, shape;
  make_vector(rows, run.size, job.start, start.out());
  check(VecDuplicate(start, shape.out()));
  check(EPSSetInitialSpace(eps, 1, start.out()));
  std::vector<Vec> known(static_cast<std::size_t>(job.known_count), nullptr);
  for (int i = 0; i < job.known_count; ++i)
    make_vector(rows, run.size, job.known + static_cast<std::ptrdiff_t>(i) * run.size,
                &known[static_cast<std::size_t>(i)]);
  if (!known.empty()) check(EPSSetDeflationSpace(eps, job.known_count, known.data()));
  for (Vec& v : known) check(VecDestroy(&v));
  Watch watch{&run, job.wanted};
  check(EPSSetStoppingTestFunction(eps, &stop_or_go, &watch, nullptr));
  check(EPSSolve(eps));
  PetscInt converged = 0, restarts = 0, width = 0;
  check(EPSGetConverged(eps, &converged));
  check(EPSGetIterationNumber(eps, &restarts));
  check(EPSGetDimensions(eps, nullptr, &width, nullptr));
  job.vectors = static_cast<int>(restarts * width);
  job.found = std::min(static_cast<int>(converged), job.wanted);
  for (int i = 0; i < job.found; ++i) {
    check(EPSGetEigenpair(eps, i, &job.theta[i], nullptr, shape, nullptr));
    gather(rows, shape, job.shapes + static_cast<std::ptrdiff_t>(i) * run.size);
  }
  job.solve_s = now() - lap;
  if (watch.stopped) return slepc_stopped;
  return converged < std::min(job.wanted, run.size - job.known_count) ? slepc_not_converged : slepc_done;
}

int count_below(SlepcRun& run, SlepcInertia& job) {
  const Rows rows(run.size);
  OwnedMat shifted, factor;
  combine(run, 1.0, -job.at, rows, shifted.out());
  check(MatGetFactor(shifted, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, factor.out()));
  set_up(factor);
  constexpr int root_of_one = 13, null_pivots = 24;
  check(MatMumpsSetIcntl(factor, root_of_one, 1));
  check(MatMumpsSetIcntl(factor, null_pivots, 1));
  MatFactorInfo info;
  check(MatFactorInfoInitialize(&info));
  check(MatCholeskyFactorSymbolic(factor, shifted, nullptr, &info));
  check(MatCholeskyFactorNumeric(factor, shifted, &info));
  if (const int end = end_of(factor, run); end != slepc_done) return end;
  PetscInt negative = 0, zero = 0, positive = 0;
  check(MatGetInertia(factor, &negative, &zero, &positive));
  job.negative = static_cast<int>(negative), job.zero = static_cast<int>(zero);
  OwnedVec right, left, product;
  make_vector(rows, run.size, job.load, right.out());
  check(VecDuplicate(right, left.out()));
  check(VecDuplicate(right, product.out()));
  check(MatSolve(factor, right, left));
  check(MatMult(shifted, left, product));
  PetscReal size = 0.0, rest = 0.0;
  check(VecNorm(right, NORM_2, &size));
  check(VecAXPY(product, -1.0, right));
  check(VecNorm(product, NORM_2, &rest));
  job.misfit = rest / size;
  return slepc_done;
}

template <class Job, class Work>
int guarded(SlepcRun* run, Job* job, Work&& work) {
  if (run->version != SlepcRun::current) {
    std::snprintf(run->message, sizeof run->message, "the module was built for another version of kdyn");
    return slepc_failed;
  }
  try {
    const Session session;
    return work(*run, *job);
  } catch (const Failed& failed) {
    const char* text = nullptr;
    PetscErrorMessage(failed.code, &text, nullptr);
    std::snprintf(run->message, sizeof run->message, "PETSc error %d (%s) in %s", static_cast<int>(failed.code),
                  text != nullptr ? text : "unknown", first_message.c_str());
  } catch (const std::exception& error) {
    std::snprintf(run->message, sizeof run->message, "%s", error.what());
  }
  return slepc_failed;
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) int kdyn_slepc_modes(SlepcRun* run, SlepcModes* job) {
  return guarded(run, job, solve);
}
__attribute__((visibility("default"))) int kdyn_slepc_inertia(SlepcRun* run, SlepcInertia* job) {
  return guarded(run, job, count_below);
}
}
