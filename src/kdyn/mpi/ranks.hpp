// SPDX-License-Identifier: Apache-2.0
// Many independent tasks over the ranks of an MPI run and the threads of each rank.
//
//   int main(int argc, char** argv) {
//     kdyn::mpi::Ranks ranks(argc, argv);
//     const auto rows = ranks.run(1000, 2, [](int task) { return std::vector<double>{...}; });
//     if (ranks.first()) ...   // rows[task] of all tasks are here
//   }
//
// What a task gives depends on its number alone (random numbers: RandomStream(seed, task)), so neither the number of
// ranks nor of threads shows in the result. Started without mpirun there is one rank, and MPI is not initialised at
// all. Tasks are dealt in turn, not by demand: right for tasks of alike length. MPI itself is in a module that is opened
// under mpirun alone (mpi_interface.hpp).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kdyn/numerics/tasks.hpp"

namespace kdyn::mpi {

class Ranks {
 public:
  Ranks(int& argc, char**& argv);
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool first() const { return rank_ == 0; }

  // Runs tasks 0 .. count - 1. The first rank gets the rows of all tasks, the others an empty vector.
  // When a task throws, every rank throws Error: with the message of the first task that failed, whoever ran it.
  std::vector<std::vector<double>> run(int count, int threads, const std::function<std::vector<double>(int)>& task);
  std::vector<std::string> run_bytes(int count, int threads, const std::function<std::string(int)>& task);
  // The same, and every rank gets the rows of all tasks.
  std::vector<std::string> run_bytes_for_all(int count, int threads, const std::function<std::string(int)>& task);

 private:
  int rank_ = 0, size_ = 1;
  bool started_ = false;  // MPI was initialised here
};

// Tasks of algorithms over the ranks: what a front end hands to set_task_runner. The threads of the machine are shared
// by the ranks.
class RankRunner final : public TaskRunner {
 public:
  explicit RankRunner(Ranks& ranks) : ranks_(ranks) {}
  std::vector<std::string> run_bytes(int count, const std::function<std::string(int)>& task) override;
  int ranks() const override { return ranks_.size(); }

 private:
  Ranks& ranks_;
};

}  // namespace kdyn::mpi
