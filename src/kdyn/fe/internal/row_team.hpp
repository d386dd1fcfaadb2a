// SPDX-License-Identifier: Apache-2.0
// Work on the rows of tall strips, in pieces of fixed size: sums over the pieces do not depend on the number of
// threads.
#pragma once

#include <cstddef>

#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::fe::internal {

class RowTeam {
 public:
  RowTeam(std::ptrdiff_t rows, int threads) : rows_(rows), threads_(threads) {}

  static constexpr std::ptrdiff_t piece = 2048;  // rows: 128 KiB of a strip stay in the cache
  std::ptrdiff_t pieces() const { return (rows_ + piece - 1) / piece; }

  // work(begin, end, index of the piece)
  template <class Work>
  void run(Work&& work) const {
    for_each_index(static_cast<int>(pieces()), rows_ >= 20000 ? threads_ : 1, [&](int p) {
      work(p * piece, p * piece + piece < rows_ ? p * piece + piece : rows_, std::ptrdiff_t{p});
    });
  }

 private:
  std::ptrdiff_t rows_;
  int threads_;
};

}  // namespace kdyn::fe::internal
