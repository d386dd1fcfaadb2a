// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/calculix.hpp"
#include "kdyn/io/dmig.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/io/internal/array_tables.hpp"
#include "kdyn/io/internal/directions.hpp"
#include "kdyn/io/internal/exchange_recording.hpp"
#include "kdyn/io/internal/exchange_words.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/matrix_market.hpp"
#include "kdyn/io/op2.hpp"
#include "kdyn/io/op4.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/io/store.hpp"
#include "kdyn/io/uff_data.hpp"
#include "kdyn/io/uff_spectra.hpp"

namespace kdyn::inline io {
namespace {

using namespace internal;

void add(std::vector<Finding>& to, const std::vector<Finding>& from) { to.insert(to.end(), from.begin(), from.end()); }

void take_uff(std::string_view content, Exchange& out) {
  UffFile file = parse_uff(content, out.path);
  add(out.findings, file.findings);
  out.words.push_back(words_of(file));
  const bool has_shapes = !file.shapes.empty();
  ModeSet modes = modes_of(file);
  add(out.findings, modes.findings);
  if (!modes.modes.empty())
    out.modes = std::move(modes);
  else if (!file.geometry.nodes.empty() || !file.geometry.lines.empty())
    out.geometry = std::move(modes.geometry);
  if (has_shapes && !out.modes)
    out.words.push_back(fmt::format("{} data sets at nodes that are no modes", file.shapes.size()));
  SignalSet signals = signals_of(file);
  add(out.findings, signals.findings);
  if (!signals.signals.empty()) out.signals = std::move(signals);
  SpectrumSet spectra = spectra_of(file, out.findings);
  for (const Spectrum& s : spectra.spectra)
    if (out.words.size() < 30)
      out.words.push_back(fmt::format("{}: {} lines from {:g} to {:g} Hz, {}", name_of(s), s.values.size(),
                                      s.frequency_hz.front(), s.frequency_hz.back(),
                                      s.unit.empty() ? "no unit" : s.unit));
  if (!spectra.spectra.empty()) out.spectra = std::move(spectra);
  FrequencyResponse response = frequency_response_of(std::move(file));
  add(out.findings, response.findings);
  if (!response.channels.empty()) out.response = std::move(response);
}

// Frequency responses, signals over time, or matrices.
void take_arrays(MatFile&& file, const BenchReadOptions& options, Exchange& out) {
  add(out.findings, file.findings);
  if (holds_frequency_response(file)) {
    out.response = frequency_response_of(file);
    return;
  }
  BenchTables tables;
  std::optional<Error> why_not;
  for (const DataTable& table : tables_of_arrays(file)) try {
      BenchTables one = read_bench_table(table, options);
      for (BenchSet& set : one.sets) {
        if (set.labels.direction.empty()) {
          set.labels.direction = direction_in_name(table.sheet);
          if (!set.labels.direction.empty()) set.labels.direction_from = "name of " + in_quotes(table.sheet);
        }
        tables.sets.push_back(std::move(set));
      }
      add(tables.findings, one.findings);
    } catch (const Error& error) {
      if (!why_not) why_not = error;
    }
  const auto take_sets = [&] {
    add(out.findings, tables.findings);
    out.sets = std::move(tables.sets);
    for (BenchSet& set : out.sets)
      for (Source* source : {&set.bench.map.source, &set.bench.loop.source, &set.bench.series.source})
        source->path = set.place, source->sha256 = out.sha256;
  };
  // Stiffness is a map's; what runs over time is left to the signals, which keep all channels.
  if (std::any_of(tables.sets.begin(), tables.sets.end(),
                  [](const BenchSet& set) { return set.bench.kind == BenchKind::map; }))
    return take_sets();
  if (auto signals = signals_of(file, out.findings)) {
    out.signals = std::move(signals);
    return;
  }
  if (!tables.sets.empty()) return take_sets();
  if (!options.columns.empty() && options.columns_from.empty() && why_not) throw Error(*why_not);
  MatrixSet matrices = matrices_of(std::move(file));
  matrices.findings.clear();
  if (!matrices.matrices.empty()) out.matrices = std::move(matrices);
}

void take_mat(std::string_view content, const BenchReadOptions& options, Exchange& out) {
  MatFile file = parse_mat(content, out.path);
  out.words.push_back(words_of(file));
  take_arrays(std::move(file), options, out);
}

void take_store(std::string_view content, const BenchReadOptions& options, Exchange& out) {
  if (!looks_like_store(content)) {  // of another program: its datasets by name
    MatFile file = arrays_of_hdf5(content, out.path);
    std::vector<std::string> names;
    for (const MatArray& array : file.arrays)
      if (names.size() < 30) names.push_back(array.name);
    out.words.push_back(
        fmt::format("HDF5 file with {} datasets: {}", file.arrays.size(), in_quotes(join(names, ", "))));
    take_arrays(std::move(file), options, out);
    return;
  }
  Store store = parse_store(content, out.path);
  add(out.findings, store.findings);
  out.response = std::move(store.response);
  out.signals = std::move(store.signals);
  out.matrices = std::move(store.matrices);
  out.modes = std::move(store.modes);
  if (out.modes && out.modes->modes.empty()) {
    out.geometry = std::move(out.modes->geometry);
    out.modes.reset();
  }
}

void take_teimorbit(std::string_view content, Exchange& out) {
  TeimOrbitFile file = parse_teimorbit(content, out.path);
  if (is_ubf(file)) {
    out.format = "ubf";
    out.mount = ubf_of(std::move(file));
    add(out.findings, out.mount->findings);
  } else if (is_bushing_file(file)) {
    const TeimOrbitBlock* head = file.find("HEADER");
    out.format = head != nullptr && lower_case(head->text("FILE_TYPE").value_or("")) == "gbs" ? "gbs" : "bus";
    out.bushing = bushing_of(std::move(file));
    add(out.findings, out.bushing->findings);
  } else {
    add(out.findings, file.findings);
    std::vector<std::string> titles;
    for (const TeimOrbitBlock& block : file.blocks)
      if (titles.size() < 20) titles.push_back(block.title);
    out.words.push_back("a property file of another kind, with the blocks " + join(titles, ", "));
  }
}

void take_deck(NastranDeck&& deck, Exchange& out) {
  MatrixSet dmig = dmig_matrices(deck);
  add(out.findings, dmig.findings);
  Geometry geometry = geometry_of(deck);
  add(out.findings, deck.findings);
  out.words.push_back(words_of(deck));
  if (!dmig.matrices.empty()) out.matrices = std::move(dmig);
  if (!geometry.nodes.empty()) out.geometry = std::move(geometry);
  out.deck = std::move(deck);
}

void take_op2(std::string_view content, Exchange& out) {
  Op2File file = parse_op2(content, out.path);
  out.words.push_back(fmt::format(
      "Nastran results with {} tables: {}", file.tables.size(),
      join({file.tables.begin(),
            file.tables.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(file.tables.size(), 30))},
           ", ")));
  add(out.findings, file.modes.findings);
  if (!file.modes.modes.empty())
    out.modes = std::move(file.modes);
  else if (!file.modes.geometry.nodes.empty())
    out.geometry = std::move(file.modes.geometry);
  else
    out.findings.push_back({Severity::serious, "not_read", out.path,
                            "this Nastran OP2 file holds neither eigenvectors nor geometry",
                            "write it with PARAM,POST,-1 and DISPLACEMENT(PLOT)=ALL in a run of normal modes"});
}

void take_matrices(MatrixSet&& matrices, Exchange& out) {
  add(out.findings, matrices.findings);
  out.matrices = std::move(matrices);
}

bool is_calculix_name(const std::string& extension) {
  return extension == ".sti" || extension == ".mas" || extension == ".dof";
}

// Moduli over frequency and temperature, where a table holds nothing of a bench.
bool take_moduli(std::string_view content, Exchange& out) {
  out.moduli = read_modulus_table(content, out.path);
  if (!out.moduli) return false;
  add(out.findings, out.moduli->findings);
  return true;
}

// Tables: bench measurements first, then signals over time; of a workbook each sheet for itself.
bool take_signal_text(const std::string& csv, const std::string& name, Exchange& out) {
  if (!looks_like_signal_csv(csv)) return false;
  SignalSet signals = parse_signal_csv(csv, name);
  add(out.findings, signals.findings);
  if (!out.signals) out.signals.emplace();
  for (Signal& signal : signals.signals) out.signals->signals.push_back(std::move(signal));
  return true;
}

void take_workbook(std::string_view content, const BenchReadOptions& options, Exchange& out) {
  out.format = content.find("mimetypeapplication/vnd.oasis") < 200 ? "ods" : "xlsx";
  std::optional<Error> first_error;
  try {
    BenchTables tables = read_bench_tables(content, out.path, options);
    add(out.findings, tables.findings);
    out.sets = std::move(tables.sets);
    return;
  } catch (const Error& error) {
    first_error = error;
  }
  if (take_moduli(content, out)) return;
  for (DataTable& table : read_spreadsheet(content, out.path)) {
    if (table.hidden || table.rows() == 0) continue;
    const std::string csv = table_csv(table);
    if (looks_like_frf_csv(csv) && !out.response) {
      out.response = parse_frf_csv(csv, table.name());
      add(out.findings, out.response->findings);
    } else if (!take_signal_text(csv, table.name(), out)) {
      out.tables.push_back(std::move(table));
    }
  }
  if (!out.response && !out.signals) {
    // A table all the same: what it holds is said, and why it is no measurement.
    for (const DataTable& table : out.tables) add(out.findings, table.findings);
    out.findings.push_back({Severity::warning, "table_not_recognised", first_error->where(), first_error->message(),
                            first_error->remedy()});
  }
}

void take_bench(std::string_view content, const BenchReadOptions& options, Exchange& out) {
  out.format = "csv";
  std::optional<Error> bench_error;
  try {
    BenchTables tables = read_bench_tables(content, out.path, options);
    add(out.findings, tables.findings);
    out.sets = std::move(tables.sets);
    return;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    bench_error = error;
  }
  if (take_moduli(content, out)) return;
  const DecodedText decoded = decode_text(content);
  const std::string text = decoded.converted ? decoded.text : std::string(content);
  try {
    if (!looks_binary(content) && take_signal_text(text, out.path, out)) return;
  } catch (const Error& error) {
    if (!looks_like_signal_csv(text)) throw Error(*bench_error);
    throw;
  }
  throw Error(*bench_error);
}

// `path` is empty when the bytes are not from the disk: then nothing beside them is read.
void dispatch(std::string&& content, const std::string& path, const BenchReadOptions& options, Exchange& out) {
  const std::string extension = lower_case(std::filesystem::path(out.path).extension().string());
  if (!recording_format(content).empty()) {
    take_recording(ByteSource::holding(std::move(content)), out);
  } else if (looks_like_mat(content)) {
    out.format = "mat";
    take_mat(content, options, out);
  } else if (looks_like_hdf5(content)) {
    out.format = "hdf5";
    take_store(content, options, out);
  } else if (looks_like_op2(content)) {
    out.format = "op2";
    take_op2(content, out);
  } else if (looks_like_uff(content)) {
    out.format = "uff";
    take_uff(content, out);
  } else if (looks_like_matrix_market(content)) {
    out.format = "matrix_market";
    take_matrices(parse_matrix_market(content, out.path), out);
  } else if (looks_like_op4(content)) {
    out.format = "op4";
    take_matrices(parse_op4(content, out.path), out);
  } else if (looks_like_teimorbit(content)) {
    out.format = "teimorbit";
    take_teimorbit(content, out);
  } else if (looks_like_sid(content)) {
    out.format = "sid";
    out.sid = parse_sid(content, out.path);
    add(out.findings, out.sid->findings);
  } else if (looks_like_mbdyn_fem(content)) {
    out.format = "mbdyn_fem";
    out.body = parse_mbdyn_fem(content, out.path);
    add(out.findings, out.body->findings);
    out.modes = out.body->modes;
  } else if (looks_like_spreadsheet(content)) {
    take_workbook(content, options, out);
  } else if (is_calculix_name(extension)) {
    out.format = "calculix";
    if (!path.empty()) {
      content = {};
      take_matrices(read_calculix(path), out);
    } else if (extension == ".dof") {
      parse_calculix_dofs(content, out.path, out.findings);
    } else {
      MatrixSet set;
      set.matrices.push_back(parse_calculix_matrix(std::move(content), out.path, set.findings));
      set.matrices.back().name = extension == ".sti" ? "K" : "M";
      take_matrices(std::move(set), out);
    }
  } else if (looks_like_frf_csv(content)) {
    out.format = "csv";
    out.response = parse_frf_csv(content, out.path);
    add(out.findings, out.response->findings);
  } else if (looks_like_nastran(content)) {
    out.format = "nastran";
    take_deck(path.empty() ? parse_nastran(content, out.path) : read_nastran(path), out);
  } else {
    take_bench(content, options, out);
  }
}

Exchange read_bytes(std::string&& content, const std::string& name, const std::string& path,
                    const BenchReadOptions& options) {
  Exchange out;
  out.path = name;
  out.sha256 = sha256(content);
  try {
    dispatch(std::move(content), path, options, out);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    Exchange failed;
    failed.path = name, failed.sha256 = out.sha256;
    failed.findings = std::move(out.findings);
    failed.findings.push_back({Severity::serious, "unreadable", error.where(), error.message(), error.remedy()});
    return failed;
  }
  const Source source{name, out.sha256, {}};
  if (out.response) out.response->source = source;
  if (out.signals) out.signals->source = source;
  if (out.matrices) out.matrices->source = source;
  if (out.modes) out.modes->source = source;
  describe(out);
  if (out.kind() == "unknown" && out.findings.empty())
    out.findings.push_back(
        {Severity::warning, "nothing_used", name, "the file is known, but nothing of it is used", ""});
  return out;
}

}  // namespace

std::string Exchange::kind() const {
  if (!sets.empty()) return to_string(sets.front().bench.kind);
  if (response) return "frequency_response";
  if (body || sid) return "flexible_body";
  if (modes) return "modes";
  if (deck && !matrices) return "deck";
  if (matrices) return "matrices";
  if (signals || recording) return "signals";
  if (spectra) return "spectra";
  if (mount) return "mount_file";
  if (bushing) return "bushing";
  if (geometry) return "geometry";
  if (moduli) return "moduli";
  if (!tables.empty()) return "table";
  return "unknown";
}

Exchange read_exchange(const std::string& path, const BenchReadOptions& options) {
  if (is_recording(path)) return read_recording(path);  // may be larger than memory
  return read_bytes(read_text(path), path, path, options);
}
Exchange parse_exchange(std::string&& content, const std::string& name, const BenchReadOptions& options) {
  return read_bytes(std::move(content), name, {}, options);
}

}  // namespace kdyn::inline io
