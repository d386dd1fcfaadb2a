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

#include <dlfcn.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/program.hpp"
#include "kdyn/mpi/mpi_interface.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::mpi {
namespace {

// Launchers tell their children who they are.
bool launched_by_mpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

// Opened once and never closed: MPI does not survive that. Its symbols are for all: MPI opens modules of its own.
const MpiFunctions& mpi() {
  static const MpiFunctions* const opened = [] {
    const char* remedy = "install the package kdyn-ranks, or start kdyn without mpirun";
    const std::string path = find_module("KDYN_RANKS_MODULE", "kdyn_ranks.so");
    if (path.empty()) throw_bad_input("mpirun", "the module for ranks, kdyn_ranks.so, is not installed", remedy);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr)
      throw_bad_input("mpirun", std::string("the module for ranks cannot be opened: ") + dlerror(), remedy);
    const auto functions = reinterpret_cast<MpiFunctionsFunction*>(dlsym(library, mpi_functions_name));
    if (functions == nullptr) throw_bad_input("mpirun", path + " is no module for ranks of this kdyn", remedy);
    return functions();
  }();
  return *opened;
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
  mpi().all_gather(&own.task, tasks.data());
  const auto at = std::min_element(tasks.begin(), tasks.end());
  Failure out{*at, own.code, own.message};
  if (*at == std::numeric_limits<int>::max()) return out;
  const int root = static_cast<int>(at - tasks.begin());
  int head[2] = {static_cast<int>(own.message.size()), static_cast<int>(own.code)};
  mpi().broadcast(head, sizeof head, root);
  out.message.resize(static_cast<std::size_t>(head[0]));
  out.code = static_cast<ErrorCode>(head[1]);
  mpi().broadcast(out.message.data(), head[0], root);
  return out;
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  if (!launched_by_mpirun()) return;
  mpi().start(&argc, &argv, &rank_, &size_);
  started_ = true;
}

Ranks::~Ranks() {
  if (started_) mpi().finish();
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
  const auto gather = [this](const auto& mine, std::vector<int>& offsets) {
    constexpr int width = sizeof mine[0];
    const int length = static_cast<int>(mine.size()) * width;
    std::vector<int> lengths(static_cast<std::size_t>(size_));
    offsets.assign(lengths.size(), 0);
    mpi().gather(&length, lengths.data());
    int total = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) offsets[i] = total, total += lengths[i];
    std::remove_cvref_t<decltype(mine)> all;
    all.resize(first() ? static_cast<std::size_t>(total / width) : 0);
    mpi().gather_bytes(mine.data(), length, all.data(), lengths.data(), offsets.data());
    for (int& offset : offsets) offset /= width;
    return all;
  };
  std::vector<int> size_at, byte_at;
  const std::vector<int> all_sizes = gather(sizes, size_at);
  const std::string bytes = gather(packed, byte_at);
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
    mpi().broadcast(&length, sizeof length, 0);
    row.resize(static_cast<std::size_t>(length));
    mpi().broadcast(row.data(), length, 0);
  }
  return rows;
}

std::vector<std::string> RankRunner::run_bytes(int count, const std::function<std::string(int)>& task) {
  return ranks_.run_bytes_for_all(count, std::max(1, machine_threads() / ranks_.size()), task);
}

}  // namespace kdyn::mpi
