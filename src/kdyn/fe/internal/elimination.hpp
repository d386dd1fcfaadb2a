// SPDX-License-Identifier: Apache-2.0
// Symbolic side of the sparse factorisation: order of elimination, supernodes, their tree. [fe E22]
//
// Works on groups of unknowns (the nodes of a mesh), which have one pattern: METIS and the fill are six times smaller
// than by unknowns.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <Eigen/Sparse>

namespace kdyn::fe::internal {

struct Supernode {
  int first = 0, columns = 0;  // unknowns in the new order
  int below = 0;               // rows under its diagonal block
  std::size_t rows = 0;        // start of those rows in Elimination::rows
  std::size_t panel = 0;       // start of its (columns + below) x columns values
  std::size_t update = 0;      // row of the stack of its chunk where solves leave what it hands to its parent
  int parent = -1;
  std::vector<int> children;
};

struct Elimination {
  int size = 0;
  std::vector<int> new_of, old_of;    // unknowns
  std::vector<Supernode> supernodes;  // children before parents, subtrees contiguous
  std::vector<int> rows;              // of all supernodes, new order, ascending
  std::vector<int> relative;          // beside rows: place of the row in the parent's front
  std::vector<int> owner;             // supernode of each unknown (new order)
  std::size_t panel_values = 0;
  double flops = 0.0;

  // Chunks of the tree: subtrees of little work, and single supernodes above them. Each is a range of supernodes;
  // only the single ones have children in other chunks.
  struct Chunk {
    int first = 0, last = 0, parent = -1;
    std::size_t stack = 0;  // rows
    std::vector<int> children;
  };
  std::vector<Chunk> chunks;
};

// Patterns are lower triangles; `group_of` (ascending, one per unknown) may be empty: every unknown is its own group.
Elimination eliminate(const std::vector<const Eigen::SparseMatrix<double>*>& patterns,
                      const std::vector<int>& group_of);

// Runs work(chunk) for all chunks, children before parents (or after), on some threads. What work throws is thrown
// here.
void run_chunks(const Elimination& elimination, bool upwards, int threads,
                const std::function<void(int chunk, int thread)>& work);

}  // namespace kdyn::fe::internal
