// SPDX-License-Identifier: Apache-2.0
// The module that links MPI.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "kdyn/mpi/mpi_interface.hpp"

namespace {

constexpr kdyn::mpi::MpiFunctions functions = {
    [](int* argc, char*** argv, int* rank, int* size) {
      int provided = 0;
      MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
      MPI_Comm_rank(MPI_COMM_WORLD, rank);
      MPI_Comm_size(MPI_COMM_WORLD, size);
    },
    [] { MPI_Finalize(); },
    [](const int* mine, int* all) { MPI_Allgather(mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD); },
    [](const int* mine, int* all) { MPI_Gather(mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD); },
    [](const void* mine, int length, void* all, const int* lengths, const int* offsets) {
      MPI_Gatherv(mine, length, MPI_BYTE, all, lengths, offsets, MPI_BYTE, 0, MPI_COMM_WORLD);
    },
    [](void* bytes, int length, int root) { MPI_Bcast(bytes, length, MPI_BYTE, root, MPI_COMM_WORLD); },
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const kdyn::mpi::MpiFunctions* kdyn_mpi_functions_1();
extern "C" const kdyn::mpi::MpiFunctions* kdyn_mpi_functions_1() { return &functions; }
