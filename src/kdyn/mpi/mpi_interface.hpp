// SPDX-License-Identifier: Apache-2.0
// What the ranks and the module that links MPI (src/kdyn/mpi/link) say to each other: plain functions on ints and bytes,
// all over MPI_COMM_WORLD. The module is opened when a launcher of ranks has started the program; nothing else loads MPI.
#pragma once

namespace kdyn::mpi {

struct MpiFunctions {
  void (*start)(int* argc, char*** argv, int* rank, int* size);
  void (*finish)();
  void (*all_gather)(const int* mine, int* all);  // one number of each rank, for all
  void (*gather)(const int* mine, int* all);      // the same, for the first
  // Bytes of each rank, for the first: `lengths` and `offsets` in `all`, by rank.
  void (*gather_bytes)(const void* mine, int length, void* all, const int* lengths, const int* offsets);
  void (*broadcast)(void* bytes, int length, int root);
};

// The one function of the module; its name changes when the table does.
using MpiFunctionsFunction = const MpiFunctions*();
inline constexpr const char* mpi_functions_name = "kdyn_mpi_functions_1";

}  // namespace kdyn::mpi
