// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/write_by.hpp"
#include "kdyn/io/calculix.hpp"
#include "kdyn/io/dmig.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/io/internal/array_tables.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/matrix_market.hpp"
#include "kdyn/io/op4.hpp"
#include "kdyn/io/store.hpp"
#include "kdyn/io/uff_data.hpp"
#include "kdyn/io/uff_spectra.hpp"

namespace kdyn::inline io {
namespace {

[[noreturn]] void refuse(const Exchange& exchange, const std::string& path, const std::string& carries) {
  throw_bad_input(path, fmt::format("this format carries {}; {} holds {}", carries, exchange.path, exchange.kind()),
                  "choose an output format that carries the same thing (docs/formats.md)");
}

const Matrix& one_matrix(const Exchange& exchange, const std::string& path, const ExchangeWriteOptions& options) {
  if (!exchange.matrices || exchange.matrices->matrices.empty()) refuse(exchange, path, "one matrix");
  const std::vector<Matrix>& all = exchange.matrices->matrices;
  std::vector<std::string> names;
  for (const Matrix& matrix : all) names.push_back(matrix.name);
  if (options.matrix.empty()) {
    if (all.size() > 1)
      throw_bad_input("matrix", fmt::format("{} holds {} matrices, the output takes one", exchange.path, all.size()),
                      "name it: --matrix NAME; " + suggest("", names));
    return all.front();
  }
  if (const Matrix* found = exchange.matrices->find(options.matrix)) return *found;
  throw_bad_input("matrix", fmt::format("{} has no matrix {}", exchange.path, in_quotes(options.matrix)),
                  suggest(options.matrix, names));
}

void put_signals_csv(const SignalSet& set, const std::string& path, const ByteSink& sink) {
  const std::vector<Signal>& signals = set.signals;
  for (const Signal& signal : signals)
    if (signal.values.size() != signals[0].values.size() || signal.step_s != signals[0].step_s ||
        signal.start_s != signals[0].start_s)
      throw_bad_input(path, "the signals differ in length or sampling and do not fit into one table",
                      "convert to .uff or .h5, or choose signals of one rate with --channels");
  std::string out = "time_s";
  for (const Signal& signal : signals) {
    std::string name = signal.name;
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char c) { return c <= ' ' || c == ',' || c == ';' || c == '"' || c == '['; }, '_');
    out += fmt::format(",{} [{}]", name, signal.unit.empty() ? "-" : signal.unit);
  }
  out += '\n';
  constexpr std::size_t piece = std::size_t{1} << 18;
  fmt::memory_buffer rows;
  rows.append(out.data(), out.data() + out.size());
  for (std::size_t i = 0; i < signals[0].values.size(); ++i) {
    fmt::format_to(std::back_inserter(rows), "{}", signals[0].start_s + static_cast<double>(i) * signals[0].step_s);
    for (const Signal& signal : signals) fmt::format_to(std::back_inserter(rows), ",{}", signal.values[i]);
    rows.push_back('\n');
    if (rows.size() < piece) continue;
    sink({rows.data(), rows.size()});
    rows.clear();
  }
  sink({rows.data(), rows.size()});
}

const BenchSet& one_set(const Exchange& x, const std::string& path) {
  if (x.sets.size() > 1) {
    std::vector<std::string> names;
    for (const BenchSet& set : x.sets) {
      std::string name = set.labels.part + (set.labels.direction.empty() ? "" : " " + set.labels.direction);
      const auto sheet = set.place.rfind('!');
      if (name.empty() && sheet != std::string::npos) name = set.place.substr(sheet + 1);
      if (names.size() < 8)
        names.push_back((name.empty() ? "" : std::string(trim(name)) + " ") + to_string(set.bench.kind));
    }
    if (x.sets.size() > names.size()) names.emplace_back("...");
    throw_bad_input(
        path,
        fmt::format("{} holds {} measurements ({}), the output takes one", x.path, x.sets.size(), join(names, ", ")),
        "choose one with --direction, --part or --sheets");
  }
  return x.sets.front();
}

// Part, direction and temperature as lines that every reader of tables takes for comments, and kdyn for what they say.
// A direction that the name of the file told is told by the next name as well, or not: it is the user's.
std::string label_lines(const BenchSet& set) {
  std::string out;
  const auto add = [&](const char* key, std::string value) {
    std::replace_if(
        value.begin(), value.end(), [](unsigned char c) { return c < 0x20; }, ' ');
    if (!value.empty()) out += fmt::format("# {}: {}\n", key, value);
  };
  add("part", set.labels.part);
  if (set.labels.direction_from != "file name") add("direction", set.labels.direction);
  if (set.bench.kind != BenchKind::map && !std::isnan(set.labels.temperature_c))
    add("temperature", fmt::format("{} degC", set.labels.temperature_c));
  add("date", set.labels.date);
  add("batch", set.labels.batch);
  return out;
}

void put_csv(const Exchange& x, const std::string& path, const ByteSink& sink) {
  if (x.response) return sink(frf_csv(*x.response));
  if (!x.sets.empty()) {
    const BenchSet& set = one_set(x, path);
    const BenchFile& bench = set.bench;
    sink(label_lines(set));
    return sink(bench.kind == BenchKind::map           ? map_csv(bench.map)
                : bench.kind == BenchKind::static_loop ? static_csv(bench.loop)
                                                       : series_csv(bench.series));
  }
  if (x.signals && !x.signals->signals.empty()) return put_signals_csv(*x.signals, path, sink);
  if (x.spectra) return sink(spectra_csv(*x.spectra, path));
  refuse(x, path, "frequency responses, signals and bench measurements");
}

// A time record as signals, where the format holds those: samples must be evenly spaced.
std::optional<SignalSet> series_as_signals(const Exchange& x, const std::string& path) {
  if (x.sets.empty() || x.sets.front().bench.kind != BenchKind::series) return std::nullopt;
  const BenchSeries& series = one_set(x, path).bench.series;
  const std::size_t n = series.time.size();
  const double step = (series.time.back() - series.time.front()) / static_cast<double>(n - 1);
  for (std::size_t i = 1; i < n; ++i)
    if (std::abs(series.time[i] - series.time[i - 1] - step) > 0.01 * step)
      throw_bad_input(
          path, fmt::format("sample {} of {} is not evenly spaced, and signals in this format are", i + 1, x.path),
          "resample first, or write .csv");
  const bool rotation = series.axis == AxisKind::rotation;
  SignalSet out;
  const auto add = [&](const char* name, const char* unit, const std::vector<double>& values) {
    Signal signal;
    signal.name = name, signal.unit = unit, signal.start_s = series.time.front(), signal.step_s = step,
    signal.values = values;
    signal.dof = parse_dof(name);
    out.signals.push_back(std::move(signal));
  };
  add(rotation ? "angle" : "disp", rotation ? "rad" : "m", series.displacement);
  if (!series.force.empty()) add(rotation ? "moment" : "force", rotation ? "N*m" : "N", series.force);
  return out;
}

// The standard gives the step between samples a field of 6 digits: a long record ends some samples early or late.
void tell_rounded_steps(const SignalSet& set, const std::string& path, std::vector<Finding>& findings) {
  double most = 0.0;
  for (const Signal& signal : set.signals) {
    const double stored = *parse_number(fmt::format("{:.5E}", signal.step_s));
    most = std::max(most, std::abs(stored / signal.step_s - 1.0) * static_cast<double>(signal.values.size()));
  }
  if (most > 0.01)
    findings.push_back({Severity::note, "rounded", path,
                        fmt::format("universal files hold 6 digits of the step between samples: the last sample is off "
                                    "by {:.2g} steps",
                                    most),
                        "use .h5, .mat or .csv to keep all"});
}

UffFile uff_of(Exchange&& x, const std::string& path, const ExchangeWriteOptions& options,
               std::vector<Finding>& findings) {
  UffFile file;
  if (x.modes)
    file = to_uff(*x.modes);
  else if (x.geometry)
    file = to_uff(*x.geometry);
  const auto join_functions = [&](UffFile&& other) {
    if (!file.header || (x.response && !x.response->name.empty())) file.header = other.header;
    if (!file.units) file.units = other.units;
    file.functions.insert(file.functions.end(), std::make_move_iterator(other.functions.begin()),
                          std::make_move_iterator(other.functions.end()));
  };
  if (x.response) {
    join_functions(to_uff(*x.response));
    if (std::any_of(x.response->channels.begin(), x.response->channels.end(),
                    [](const auto& c) { return !c.covariance.empty(); }))
      findings.push_back({Severity::warning, "lost", path,
                          "universal files do not hold covariances; they were left out",
                          "use .csv, .mat or .h5 to keep them"});
    if (!options.binary)
      findings.push_back({Severity::note, "rounded", path,
                          "text holds 13 digits of a value and 6 of an uneven frequency axis",
                          "use --binary true to keep all"});
  }
  std::optional<SignalSet> signals = x.signals ? std::move(x.signals) : series_as_signals(x, path);
  if (signals) tell_rounded_steps(*signals, path, findings), join_functions(to_uff(std::move(*signals)));
  if (x.spectra) join_functions(to_uff(*x.spectra));
  if (!x.modes && !x.geometry && !x.response && !signals && !x.spectra)
    refuse(x, path, "frequency responses, signals, modes and geometry");
  if (x.modes)
    findings.push_back({Severity::note, "rounded", path, "dataset 55 holds 6 digits", "use .h5 to keep all"});
  return file;
}

MatFile mat_of(Exchange&& x, const std::string& path, std::vector<Finding>& findings) {
  if (x.response) return to_mat(*x.response);
  if (x.matrices) return to_mat(*x.matrices);
  if (!x.sets.empty()) return internal::arrays_of(one_set(x, path).bench);
  if (x.signals) return internal::arrays_of(std::move(*x.signals), path, findings);
  refuse(x, path, "frequency responses, signals, bench measurements and matrices");
}

Store store_of(Exchange&& x, const std::string& path) {
  Store store;
  store.signals = x.signals ? std::move(x.signals) : series_as_signals(x, path);
  store.response = std::move(x.response), store.matrices = std::move(x.matrices), store.modes = std::move(x.modes);
  if (!store.modes && x.geometry) store.modes.emplace().geometry = std::move(*x.geometry);
  if (!store.response && !store.signals && !store.matrices && !store.modes)
    refuse(x, path, "frequency responses, signals, bench measurements, matrices, modes and geometry");
  return store;
}

// Maps and loops go into .h5 as plain arrays, which other programs know.
bool as_arrays(const Exchange& x, const std::string& path) {
  return !x.sets.empty() && one_set(x, path).bench.kind != BenchKind::series;
}

std::string fem_of(const Exchange& x, const std::string& path, std::vector<Finding>& findings) {
  if (x.body) return mbdyn_fem_text(*x.body);
  if (!x.modes || x.modes->modes.empty()) refuse(x, path, "modes of a flexible body");
  MbdynFem body;
  body.modes = *x.modes;
  const std::size_t n = body.modes.modes.size();
  body.modal_mass.rows = body.modal_mass.columns = body.modal_stiffness.rows = body.modal_stiffness.columns =
      static_cast<int>(n);
  body.modal_mass.real.assign(n * n, 0.0), body.modal_stiffness.real.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const Mode& mode = body.modes.modes[i];
    const double mass = mode.modal_mass > 0.0 ? mode.modal_mass : 1.0, omega = std::abs(mode.pole);
    body.modal_mass.real[i * n + i] = mass, body.modal_stiffness.real[i * n + i] = mass * omega * omega;
  }
  findings.push_back({Severity::warning, "lost", path,
                      "damping and imaginary parts of shapes are not in this format; modes without a modal mass were "
                      "taken as mass-normalised",
                      "check the scaling of the modes"});
  return mbdyn_fem_text(body);
}

bool is_one_of(const std::string& path, std::initializer_list<std::string_view> extensions) {
  const std::string own = lower_case(std::filesystem::path(path).extension().string());
  return std::find(extensions.begin(), extensions.end(), own) != extensions.end();
}
bool is_csv(const std::string& path) { return is_one_of(path, {".csv"}); }
bool is_uff(const std::string& path) { return is_one_of(path, {".uff", ".unv", ".uf"}); }
bool is_mat(const std::string& path) { return is_one_of(path, {".mat"}); }
bool is_store(const std::string& path) { return is_one_of(path, {".h5", ".hdf5"}); }

}  // namespace

void write_exchange(Exchange&& x, const std::string& path, const ExchangeWriteOptions& options,
                    std::vector<Finding>& findings) {
  // Formats that hold recordings of gigabytes are written in pieces.
  if (is_store(path) && !as_arrays(x, path)) return write_store(path, store_of(std::move(x), path));
  if (is_csv(path)) return write_pieces(path, [&](const ByteSink& sink) { put_csv(x, path, sink); });
  if (is_mat(path)) return write_mat(path, mat_of(std::move(x), path, findings), options.version_73);
  if (is_uff(path)) {
    const UffFile file = uff_of(std::move(x), path, options, findings);
    return write_pieces(path, [&](const ByteSink& sink) { write_uff(file, {options.binary, true}, sink); });
  }
  write_text(path, exchange_bytes(x, path, options, findings));
}

std::string exchange_bytes(const Exchange& x, const std::string& path, const ExchangeWriteOptions& options,
                           std::vector<Finding>& findings) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  if (is_csv(path)) {
    std::string out;
    put_csv(x, path, [&](std::string_view piece) { out += piece; });
    return out;
  }
  if (is_uff(path)) return uff_text(uff_of(Exchange(x), path, options, findings), {options.binary, true});
  if (is_mat(path)) return mat_bytes(mat_of(Exchange(x), path, findings), options.version_73);
  if (is_store(path))
    return as_arrays(x, path) ? internal::hdf5_of_arrays(internal::arrays_of(x.sets.front().bench))
                              : store_bytes(store_of(Exchange(x), path));
  if (extension == ".op4") {
    if (!x.matrices) refuse(x, path, "matrices");
    return op4_bytes(*x.matrices, {options.binary, false, false, Op4Storage::automatic});
  }
  if (extension == ".pch" || extension == ".dmig") {
    if (!x.matrices) refuse(x, path, "matrices");
    findings.push_back({Severity::note, "rounded", path, "DMIG holds 10 digits", "use .op4 to keep all"});
    return dmig_text(*x.matrices);
  }
  if (extension == ".mtx") return matrix_market_text(one_matrix(x, path, options));
  if (extension == ".sti" || extension == ".mas") return calculix_matrix_text(one_matrix(x, path, options));
  if (extension == ".fem") return fem_of(x, path, findings);
  if (extension == ".sid_fem" || extension == ".sid") {
    if (!x.sid) refuse(x, path, "flexible bodies as standard input data");
    return sid_text(*x.sid);
  }
  if (extension == ".bus" || extension == ".gbs") {
    if (!x.bushing) refuse(x, path, "bushings with curves");
    return extension == ".bus" ? bus_text(*x.bushing) : gbs_text(*x.bushing);
  }
  if (extension == ".ubf") {
    if (!x.mount) refuse(x, path, "rubber and hydro mounts by their parameters");
    return ubf_text(*x.mount);
  }
  throw_bad_input(path, fmt::format("nothing is known to be written as {}", in_quotes(extension)),
                  "use .csv .uff .mat .h5 .op4 .pch .mtx .sti .mas .fem .sid_fem .bus .gbs or .ubf");
}

}  // namespace kdyn::inline io
