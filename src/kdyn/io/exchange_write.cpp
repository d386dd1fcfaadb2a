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

std::string signals_csv(const SignalSet& set, const std::string& path) {
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
  for (std::size_t i = 0; i < signals[0].values.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}", signals[0].start_s + static_cast<double>(i) * signals[0].step_s);
    for (const Signal& signal : signals) fmt::format_to(std::back_inserter(out), ",{}", signal.values[i]);
    out += '\n';
  }
  return out;
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

std::string csv_of(const Exchange& x, const std::string& path) {
  if (x.response) return frf_csv(*x.response);
  if (!x.sets.empty()) {
    const BenchFile& bench = one_set(x, path).bench;
    return bench.kind == BenchKind::map           ? map_csv(bench.map)
           : bench.kind == BenchKind::static_loop ? static_csv(bench.loop)
                                                  : series_csv(bench.series);
  }
  if (x.signals) return signals_csv(*x.signals, path);
  if (x.spectra) return spectra_csv(*x.spectra, path);
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

std::string uff_of(const Exchange& x, const std::string& path, const ExchangeWriteOptions& options,
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
  const std::optional<SignalSet> series = x.signals ? std::nullopt : series_as_signals(x, path);
  const SignalSet* signals = x.signals ? &*x.signals : series ? &*series : nullptr;
  if (signals) join_functions(to_uff(*signals));
  if (x.spectra) join_functions(to_uff(*x.spectra));
  if (!x.modes && !x.geometry && !x.response && !signals && !x.spectra)
    refuse(x, path, "frequency responses, signals, modes and geometry");
  if (x.modes)
    findings.push_back({Severity::note, "rounded", path, "dataset 55 holds 6 digits", "use .h5 to keep all"});
  return uff_text(file, {options.binary, true});
}

std::string mat_of(const Exchange& x, const std::string& path, const ExchangeWriteOptions& options,
                   std::vector<Finding>& findings) {
  if (x.response) return mat_bytes(to_mat(*x.response), options.version_73);
  if (x.matrices) return mat_bytes(to_mat(*x.matrices), options.version_73);
  if (!x.sets.empty()) return mat_bytes(internal::arrays_of(one_set(x, path).bench), options.version_73);
  if (x.signals) return mat_bytes(internal::arrays_of(*x.signals, path, findings), options.version_73);
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

bool is_store(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  return extension == ".h5" || extension == ".hdf5";
}

}  // namespace

void write_exchange(Exchange&& x, const std::string& path, const ExchangeWriteOptions& options,
                    std::vector<Finding>& findings) {
  if (is_store(path) && !as_arrays(x, path)) return write_store(path, store_of(std::move(x), path));
  write_text(path, exchange_bytes(x, path, options, findings));
}

std::string exchange_bytes(const Exchange& x, const std::string& path, const ExchangeWriteOptions& options,
                           std::vector<Finding>& findings) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  if (extension == ".csv") return csv_of(x, path);
  if (extension == ".uff" || extension == ".unv" || extension == ".uf") return uff_of(x, path, options, findings);
  if (extension == ".mat") return mat_of(x, path, options, findings);
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
