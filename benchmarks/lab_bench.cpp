// SPDX-License-Identifier: Apache-2.0
// Readers of recordings: all channels of a file on disk, bytes of the file per second on one core, and the largest
// memory over the samples that are held in the end (counter "memory_ratio"; what was read of the file counts as
// memory). Wanted: MDF 4 and RPC III 500 MB/s, ratio 2.5. Workbooks: bytes of XML per second, as tables and as a record
// of a bench; wanted 20 MB/s.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <zlib.h>

#include "kdyn/base/file.hpp"
#include "kdyn/io/bench_tables.hpp"
#include "kdyn/io/recording.hpp"
#include "kdyn/io/test/counted_memory.hpp"
#include "kdyn/io/test/stored_archive.hpp"

namespace {

using namespace kdyn;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A minimal MDF 4.10: one group, time as f64 and channels of type T with a linear conversion; in one DT block, or
// packed in DZ blocks of 4 MB.
template <class T>
std::string mdf(int channels, std::size_t records, bool packed) {
  std::string out(64, '\0');
  std::memcpy(out.data(), "MDF     4.10    bench", 21);
  const std::uint16_t version = 410;
  std::memcpy(out.data() + 28, &version, 2);
  const auto block = [&](const char* id, const std::vector<std::uint64_t>& links, const std::string& data) {
    while (out.size() % 8 != 0) out += '\0';
    const std::uint64_t at = out.size();
    out += "##" + std::string(id) + std::string(4, '\0');
    put<std::uint64_t>(out, 24 + 8 * links.size() + data.size());
    put<std::uint64_t>(out, links.size());
    for (const std::uint64_t link : links) put(out, link);
    out += data;
    return at;
  };
  const auto text = [&](std::string t) { return block("TX", {}, t + std::string(8 - t.size() % 8, '\0')); };
  block("HD", {0, 0, 0, 0, 0, 0}, std::string(32, '\0'));
  std::string linear("\1\0\0\0\0\0\2\0", 8);
  put(linear, 0.0), put(linear, 0.0), put(linear, 1.0), put(linear, 0.25);
  const std::uint64_t conversion = block("CC", {0, 0, 0, 0}, linear);
  std::uint64_t next = 0;
  for (int c = channels; c >= 0; --c) {
    std::string data;
    const bool time = c == 0;
    data += static_cast<char>(time ? 2 : 0), data += static_cast<char>(time ? 1 : 0),
        data += static_cast<char>(time || sizeof(T) == 4 ? 4 : 2), data += '\0';
    put<std::uint32_t>(data, time ? 0 : 8 + static_cast<std::uint32_t>(sizeof(T)) * static_cast<std::uint32_t>(c - 1));
    put<std::uint32_t>(data, time ? 64 : 8 * static_cast<std::uint32_t>(sizeof(T)));
    data += std::string(12, '\0') + std::string(48, '\0');
    next = block(
        "CN",
        {next, 0, text(time ? "time" : fmt::format("c{}", c)), 0, time ? 0 : conversion, 0, text(time ? "s" : "N"), 0},
        data);
  }
  const std::size_t record = 8 + sizeof(T) * static_cast<std::size_t>(channels);
  std::string group;
  put<std::uint64_t>(group, 0), put<std::uint64_t>(group, records), put<std::uint64_t>(group, 0),
      put<std::uint32_t>(group, static_cast<std::uint32_t>(record)), put<std::uint32_t>(group, 0);
  const std::uint64_t cg = block("CG", {0, next, 0, 0, 0, 0}, group);
  const std::uint64_t dg = block("DG", {0, cg, 0, 0}, std::string(8, '\0'));
  std::memcpy(out.data() + 64 + 24, &dg, 8);
  std::string rows;
  rows.reserve(records * record);
  for (std::size_t i = 0; i < records; ++i) {
    put(rows, 1e-3 * static_cast<double>(i));
    for (int c = 0; c < channels; ++c)
      put(rows, static_cast<T>(1e4 * std::sin(1e-3 * static_cast<double>(i * static_cast<std::size_t>(c + 1) % 6283))));
  }
  std::uint64_t data = 0;
  if (!packed) {
    data = block("DT", {}, rows);
  } else {
    std::vector<std::uint64_t> links = {0};
    constexpr std::size_t piece = std::size_t{4} << 20;
    std::string offsets;
    for (std::size_t at = 0; at < rows.size(); at += piece) {
      const std::string part = rows.substr(at, piece);
      std::string packed_bytes(compressBound(part.size()), '\0');
      uLongf size = packed_bytes.size();
      compress2(reinterpret_cast<Bytef*>(packed_bytes.data()), &size, reinterpret_cast<const Bytef*>(part.data()),
                part.size(), 1);
      std::string head("DT\0\0\0\0\0\0", 8);
      put<std::uint64_t>(head, part.size()), put<std::uint64_t>(head, size);
      links.push_back(block("DZ", {}, head + packed_bytes.substr(0, size)));
      put<std::uint64_t>(offsets, at);
    }
    std::string list(4, '\0');
    put<std::uint32_t>(list, static_cast<std::uint32_t>(links.size() - 1));
    data = block("DL", links, list + offsets);
  }
  std::memcpy(out.data() + dg + 24 + 16, &data, 8);
  return out;
}

std::string rpc(int channels, int frames) {
  std::string out;
  const auto key = [&](const std::string& name, const std::string& value) {
    std::string record = name;
    record.resize(32, '\0');
    record += value;
    record.resize(128, '\0');
    out += record;
  };
  key("FORMAT", "BINARY_IEEE_LITTLE_END"), key("NUM_HEADER_BLOCKS", "32"),
      key("NUM_PARAMS", std::to_string(9 + 3 * channels));
  key("FILE_TYPE", "TIME_HISTORY"), key("CHANNELS", std::to_string(channels)), key("DELTA_T", "1.0E-03"),
      key("PTS_PER_FRAME", "1024");
  key("PTS_PER_GROUP", "2048"), key("FRAMES", std::to_string(frames));
  for (int c = 1; c <= channels; ++c)
    key(fmt::format("DESC.CHAN_{}", c), fmt::format("c{}", c)), key(fmt::format("UNITS.CHAN_{}", c), "N"),
        key(fmt::format("SCALE.CHAN_{}", c), "3.05E-4");
  out.resize(32 * 512, '\0');
  for (int i = 0; i < frames * 1024 * channels; ++i) put(out, static_cast<std::int16_t>(i * 7));
  return out;
}

void run(benchmark::State& state, const std::string& content, const char* name) {
  const std::string path = (std::filesystem::temp_directory_path() / name).string();
  write_text(path, content);
  double ratio = 0.0;
  for (auto _ : state) {
    const std::size_t before = live;
    peak = live.load();
    const Recording recording = open_recording(path);
    const auto held = recording.reader->values(choose_channels(recording, {"*"}));
    benchmark::DoNotOptimize(held.data());
    ratio = static_cast<double>(peak - before) / static_cast<double>(live - before);
  }
  std::filesystem::remove(path);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(content.size()));
  state.counters["memory_ratio"] = ratio;
  state.counters["file_mb"] = static_cast<double>(content.size()) / 1e6;
}

// A sheet of a record as spreadsheet programs write it: 100 000 rows of time, displacement and force.
std::string sheet_xml() {
  std::string out = "<worksheet><sheetData><row r=\"1\">";
  for (const char* title : {"A1", "B1", "C1"})
    out += fmt::format("<c r=\"{}\" t=\"inlineStr\"><is><t>{}</t></is></c>", title,
                       title[0] == 'A'   ? "Time [s]"
                       : title[0] == 'B' ? "Displacement [mm]"
                                         : "Force [N]");
  out += "</row>";
  for (int i = 0; i < 100'000; ++i)
    out += fmt::format(
        "<row r=\"{0}\"><c r=\"A{0}\" s=\"1\"><v>{1:.3f}</v></c><c r=\"B{0}\" s=\"1\"><v>{2:.6f}</v></c><c r=\"C{0}\" "
        "s=\"1\"><v>{3:.4f}</v></c></row>",
        i + 2, 1e-3 * i, std::sin(0.01 * i), 500.0 * std::sin(0.01 * i + 0.1));
  return out + "</sheetData></worksheet>";
}

template <class Read>
void run_workbook(benchmark::State& state, Read&& read) {
  const std::string xml = sheet_xml();
  const std::string file = test::archive(
      {{"xl/workbook.xml", "<workbook><sheets><sheet name=\"Data\" sheetId=\"1\" id=\"r1\"/></sheets></workbook>"},
       {"xl/_rels/workbook.xml.rels",
        "<Relationships><Relationship Id=\"r1\" Type=\"/worksheet\" Target=\"s.xml\"/></Relationships>"},
       {"xl/s.xml", xml}});
  for (auto _ : state) read(file);
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(xml.size()));
  state.counters["xml_mb"] = static_cast<double>(xml.size()) / 1e6;
}

void xlsx_tables(benchmark::State& state) {
  run_workbook(state, [](const std::string& file) { benchmark::DoNotOptimize(read_spreadsheet(file, "b.xlsx")); });
}
void xlsx_record(benchmark::State& state) {
  run_workbook(state, [](const std::string& file) { benchmark::DoNotOptimize(read_bench_tables(file, "b.xlsx")); });
}

void mdf_floats(benchmark::State& state) { run(state, mdf<float>(20, 1'500'000, false), "kdyn_bench_f.mf4"); }
void mdf_integers(benchmark::State& state) { run(state, mdf<std::int16_t>(20, 1'500'000, false), "kdyn_bench_i.mf4"); }
void mdf_packed(benchmark::State& state) { run(state, mdf<float>(20, 500'000, true), "kdyn_bench_z.mf4"); }
void rpc_integers(benchmark::State& state) { run(state, rpc(16, 4000), "kdyn_bench.rsp"); }

BENCHMARK(mdf_floats)->Unit(benchmark::kMillisecond);
BENCHMARK(mdf_integers)->Unit(benchmark::kMillisecond);
BENCHMARK(mdf_packed)->Unit(benchmark::kMillisecond);
BENCHMARK(rpc_integers)->Unit(benchmark::kMillisecond);
BENCHMARK(xlsx_tables)->Unit(benchmark::kMillisecond);
BENCHMARK(xlsx_record)->Unit(benchmark::kMillisecond);

}  // namespace
