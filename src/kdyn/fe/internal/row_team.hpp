// SPDX-License-Identifier: Apache-2.0
// Work on the rows of tall strips, in pieces of fixed size: sums over the pieces do not depend on the number of
// threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace kdyn::fe::internal {

class RowTeam {
 public:
  RowTeam(std::ptrdiff_t rows, int threads) : rows_(rows), threads_(threads) {}

  static constexpr std::ptrdiff_t piece = 2048;  // rows: 128 KiB of a strip stay in the cache
  std::ptrdiff_t pieces() const { return (rows_ + piece - 1) / piece; }

  // work(begin, end, index of the piece)
  template <class Work>
  void run(Work&& work) const {
    std::atomic<std::ptrdiff_t> next{0};
    const auto turn = [&] {
      for (std::ptrdiff_t p = next++; p < pieces(); p = next++)
        work(p * piece, p * piece + piece < rows_ ? p * piece + piece : rows_, p);
    };
    std::vector<std::thread> team;
    if (rows_ >= 20000)
      for (int t = 1; t < threads_; ++t) team.emplace_back(turn);
    turn();
    for (std::thread& thread : team) thread.join();
  }

 private:
  std::ptrdiff_t rows_;
  int threads_;
};

}  // namespace kdyn::fe::internal
