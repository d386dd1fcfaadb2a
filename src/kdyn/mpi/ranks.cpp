// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mpi/ranks.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::mpi {
namespace {

// Launchers tell their children who they are.
bool launched_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

struct Failure {
  int task = std::numeric_limits<int>::max();
  ErrorCode code = ErrorCode::internal;
  std::string message;
};

// Tasks of this rank over its threads; the failure with the smallest task number is kept.
Failure run_own(const std::vector<int>& own, int threads, const std::function<std::string(int)>& task,
                std::vector<std::string>& rows) {
  Failure failure;
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  run_team(threads, [&](int) {
    const InsideTask inside;
    for (std::size_t i = next++; i < own.size(); i = next++) {
      try {
        rows[i] = task(own[i]);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        const auto* ours = dynamic_cast<const Error*>(&error);
        if (own[i] < failure.task)
          failure = {own[i], ours != nullptr ? ours->code() : ErrorCode::internal, error.what()};
      }
    }
  });
  return failure;
}

// The first failure of all ranks, on all ranks.
Failure first_of_all(const Failure& own, int size) {
  std::vector<int> tasks(static_cast<std::size_t>(size));
  MPI_Allgather(&own.task, 1, MPI_INT, tasks.data(), 1, MPI_INT, MPI_COMM_WORLD);
  const auto at = std::min_element(tasks.begin(), tasks.end());
  Failure out{*at, own.code, own.message};
  if (*at == std::numeric_limits<int>::max()) return out;
  const int root = static_cast<int>(at - tasks.begin());
  int head[2] = {static_cast<int>(own.message.size()), static_cast<int>(own.code)};
  MPI_Bcast(head, 2, MPI_INT, root, MPI_COMM_WORLD);
  out.message.resize(static_cast<std::size_t>(head[0]));
  out.code = static_cast<ErrorCode>(head[1]);
  MPI_Bcast(out.message.data(), head[0], MPI_CHAR, root, MPI_COMM_WORLD);
  return out;
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  if (!launched_by_mpirun()) return;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  started_ = true;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Ranks::~Ranks() {
  if (started_) MPI_Finalize();
}

std::vector<std::string> Ranks::run_bytes(int count, int threads, const std::function<std::string(int)>& task) {
  demand(count >= 0 && threads >= 1, "there are tasks and threads for them");
  std::vector<int> own;
  for (int i = rank_; i < count; i += size_) own.push_back(i);
  std::vector<std::string> rows(own.size());
  Failure failure = run_own(own, threads, task, rows);
  if (size_ > 1) failure = first_of_all(failure, size_);
  if (failure.task != std::numeric_limits<int>::max())
    throw Error(failure.code, failure.message, "task " + std::to_string(failure.task), "");
  if (size_ == 1) return rows;

  // Lengths of the rows of one rank after the other, then their bytes; the tasks of each rank are known.
  std::vector<int> sizes;
  std::string packed;
  for (const std::string& row : rows) sizes.push_back(static_cast<int>(row.size())), packed += row;
  demand(packed.size() < static_cast<std::size_t>(std::numeric_limits<int>::max()) / static_cast<std::size_t>(size_),
         "the rows of all tasks fit one message");
  const auto gather = [this](const auto& mine, MPI_Datatype type, std::vector<int>& offsets) {
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(static_cast<std::size_t>(size_));
    offsets.assign(lengths.size(), 0);
    MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    int total = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) offsets[i] = total, total += lengths[i];
    std::remove_cvref_t<decltype(mine)> all;
    all.resize(first() ? static_cast<std::size_t>(total) : 0);
    MPI_Gatherv(mine.data(), length, type, all.data(), lengths.data(), offsets.data(), type, 0, MPI_COMM_WORLD);
    return all;
  };
  std::vector<int> size_at, byte_at;
  const std::vector<int> all_sizes = gather(sizes, MPI_INT, size_at);
  const std::string bytes = gather(packed, MPI_CHAR, byte_at);
  std::vector<std::string> out(first() ? static_cast<std::size_t>(count) : 0);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t rank = i % static_cast<std::size_t>(size_);
    const int length = all_sizes[static_cast<std::size_t>(size_at[rank]) + i / static_cast<std::size_t>(size_)];
    out[i] = bytes.substr(static_cast<std::size_t>(byte_at[rank]), static_cast<std::size_t>(length));
    byte_at[rank] += length;
  }
  return out;
}

std::vector<std::vector<double>> Ranks::run(int count, int threads,
                                            const std::function<std::vector<double>(int)>& task) {
  using Row = TaskValue<std::vector<double>>;
  std::vector<std::vector<double>> out;
  for (const std::string& bytes : run_bytes(count, threads, [&](int i) { return Row::bytes(task(i)); }))
    Row::from_bytes(bytes, out.emplace_back());
  return out;
}

std::vector<std::string> Ranks::run_bytes_for_all(int count, int threads, const std::function<std::string(int)>& task) {
  std::vector<std::string> rows = run_bytes(count, threads, task);
  if (size_ == 1) return rows;
  rows.resize(static_cast<std::size_t>(count));
  for (std::string& row : rows) {
    int length = static_cast<int>(row.size());
    MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    row.resize(static_cast<std::size_t>(length));
    MPI_Bcast(row.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  }
  return rows;
}

std::vector<std::string> RankRunner::run_bytes(int count, const std::function<std::string(int)>& task) {
  return ranks_.run_bytes_for_all(count, std::max(1, machine_threads() / ranks_.size()), task);
}

}  // namespace kdyn::mpi
