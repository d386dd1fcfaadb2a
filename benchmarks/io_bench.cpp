// SPDX-License-Identifier: Apache-2.0
// Readers of exchange files: bytes of the file per second on one core, and the largest memory over the data that is
// held in the end (counter "memory_ratio"; the file's bytes count as memory). Wanted: CSV 150 MB/s, UFF 58b and binary
// OP4 500 MB/s, CalculiX 80 MB/s, ratio 3.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include <fmt/format.h>

#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/calculix.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/op4.hpp"
#include "kdyn/io/store.hpp"
#include "kdyn/io/test/counted_memory.hpp"
#include "kdyn/io/uff_data.hpp"

namespace {

using namespace kdyn;

// Reads a copy of the file again and again; the copy stands for the bytes that come from the disk.
template <class Read>
void run(benchmark::State& state, const std::string& file, Read read) {
  double ratio = 0.0;
  for (auto _ : state) {
    state.PauseTiming();
    const std::size_t before = live;
    std::string content = file;
    peak = live.load();
    state.ResumeTiming();
    auto held = read(std::move(content));
    benchmark::DoNotOptimize(held);
    state.PauseTiming();
    content = {};
    ratio = static_cast<double>(peak - before) / static_cast<double>(live - before);
    held = {};
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(file.size()));
  state.counters["memory_ratio"] = ratio;
  state.counters["file_mb"] = static_cast<double>(file.size()) / 1e6;
}

FrequencyResponse response(std::size_t lines, std::size_t channels) {
  FrequencyResponse r;
  for (std::size_t i = 0; i < lines; ++i) r.frequency_hz.push_back(0.25 * static_cast<double>(i + 1));
  for (std::size_t c = 0; c < channels; ++c) {
    FrequencyResponseChannel channel;
    channel.output = {static_cast<std::int64_t>(c + 1), 3, {}}, channel.input = {1, 3, {}};
    channel.output_unit = "m/s^2", channel.input_unit = "N";
    for (std::size_t i = 0; i < lines; ++i)
      channel.values.emplace_back(std::sin(0.37 * static_cast<double>(i + c)),
                                  std::cos(0.11 * static_cast<double>(i * c + 1)));
    r.channels.push_back(std::move(channel));
  }
  return r;
}

void csv_time_series(benchmark::State& state) {
  BenchSeries series;
  for (int i = 0; i < 400000; ++i)
    series.time.push_back(1e-3 * i), series.displacement.push_back(1e-3 * std::sin(0.01 * i)),
        series.force.push_back(300.0 * std::sin(0.01 * i + 0.1));
  run(state, series_csv(series), [](std::string&& content) { return read_bench_tables(content, "b.csv"); });
}

void csv_frequency_responses(benchmark::State& state) {
  run(state, frf_csv(response(4000, 32)), [](std::string&& content) { return parse_frf_csv(content, "b.csv"); });
}

void uff_58b(benchmark::State& state) {
  run(state, uff_text(to_uff(response(16384, 100)), {true, true}), [](std::string&& content) {
    UffFile file = parse_uff(content, "b.uff");
    content = {};
    return frequency_response_of(std::move(file));
  });
}

void uff_58_text(benchmark::State& state) {
  run(state, uff_text(to_uff(response(4096, 32)), {false, true}),
      [](std::string&& content) { return frequency_response_of(parse_uff(content, "b.uff")); });
}

Matrix dense(int size) {
  Matrix m;
  m.name = "K", m.rows = m.columns = size;
  for (int k = 0; k < size * size; ++k) m.real.push_back(std::sin(0.1 * k));
  return m;
}

// A band matrix as a stiffness matrix has it.
Matrix sparse(int size, int band) {
  std::vector<MatrixEntry> entries;
  for (int c = 0; c < size; ++c)
    for (int r = std::max(0, c - band); r <= std::min(size - 1, c + band); ++r)
      entries.push_back({r, c, 1e6 / (1.0 + std::abs(r - c))});
  Matrix m = sparse_matrix("K", size, size, false, std::move(entries));
  m.symmetric = true;
  return m;
}

void op4_binary_dense(benchmark::State& state) {
  MatrixSet set;
  set.matrices.push_back(dense(2000));
  run(state, op4_bytes(set), [](std::string&& content) { return parse_op4(content, "b.op4"); });
}

void op4_binary_sparse(benchmark::State& state) {
  MatrixSet set;
  set.matrices.push_back(sparse(40000, 30));
  run(state, op4_bytes(set), [](std::string&& content) { return parse_op4(content, "b.op4"); });
}

void calculix_stiffness(benchmark::State& state) {
  run(state, calculix_matrix_text(sparse(40000, 30)), [](std::string&& content) {
    std::vector<Finding> findings;
    return parse_calculix_matrix(std::move(content), "b.sti", findings);
  });
}

void mat5_dense(benchmark::State& state) {
  MatrixSet set;
  set.matrices.push_back(dense(1500));
  run(state, mat_bytes(to_mat(set)), [](std::string&& content) { return matrices_of(parse_mat(content, "b.mat")); });
}

void store_frequency_responses(benchmark::State& state) {
  Store store;
  store.response = response(16384, 64);
  run(state, store_bytes(store), [](std::string&& content) { return parse_store(content, "b.h5"); });
}

BENCHMARK(csv_time_series)->Unit(benchmark::kMillisecond);
BENCHMARK(csv_frequency_responses)->Unit(benchmark::kMillisecond);
BENCHMARK(uff_58b)->Unit(benchmark::kMillisecond);
BENCHMARK(uff_58_text)->Unit(benchmark::kMillisecond);
BENCHMARK(op4_binary_dense)->Unit(benchmark::kMillisecond);
BENCHMARK(op4_binary_sparse)->Unit(benchmark::kMillisecond);
BENCHMARK(calculix_stiffness)->Unit(benchmark::kMillisecond);
BENCHMARK(mat5_dense)->Unit(benchmark::kMillisecond);
BENCHMARK(store_frequency_responses)->Unit(benchmark::kMillisecond);

}  // namespace
