// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/decay_file.hpp"

#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr int n = vehicle_dofs;
constexpr std::array<const char*, 3> linear_units = {"m", "m/s", "m/s^2"}, angular_units = {"rad", "rad/s", "rad/s^2"};

std::string header_of(const SignalSet& table) { return fmt::format("{}:{}", table.name, table.header_line); }

MotionKind kind_of(const SignalSet& table, const Signal& column, int channel, MotionKind assumed) {
  const auto& units = is_angle(channel) ? angular_units : linear_units;
  if (column.written_unit.empty()) return assumed;
  for (std::size_t d = 0; d < units.size(); ++d)
    if (column.unit == units[d]) return static_cast<MotionKind>(d);
  throw_bad_input(header_of(table),
                  fmt::format("channel {} is in {}, which is no {} motion", column.name, in_quotes(column.written_unit),
                              is_angle(channel) ? "angular" : "linear"),
                  is_angle(channel) ? "use rad, deg, rad/s, deg/s or rad/s^2" : "use m, mm, m/s, m/s^2 or g");
}

// Rows of one record.
struct Piece {
  std::size_t begin, end;
  int config;
  std::string name;
};

std::vector<Piece> pieces_of(const SignalSet& table, int config) {
  const Signal* configs = table.find("config");
  const Signal* index = table.find("k");
  const auto cases = table.texts.find("case");
  std::vector<Piece> out;
  const std::string stem = std::filesystem::path(table.name).stem().string();
  for (std::size_t r = 0; r < table.rows; ++r) {
    int here = config;
    if (configs != nullptr) {
      const double value = configs->values[r];
      if (value != std::floor(value) || value < 0.0 || value > 100.0)
        throw_bad_input(table.place(r), fmt::format("config is {:g}, not a whole number", value),
                        "write 0 for the vehicle as is, 1 with the added mass");
      here = static_cast<int>(value);
    }
    const std::string name = cases != table.texts.end() ? cases->second[r] : stem;
    const bool restarts = r > 0 && ((index != nullptr && index->values[r] <= index->values[r - 1]) ||
                                    (!table.time.empty() && table.time[r] <= table.time[r - 1]));
    if (out.empty() || out.back().config != here || out.back().name != name || restarts)
      out.push_back({r, r, here, name});
    out.back().end = r + 1;
  }
  return out;
}

}  // namespace

void add_decays(const SignalSet& table, int config, const DecayFileOptions& options, DecayFiles& into) {
  std::array<const Signal*, n> channels{};
  std::vector<std::string> missing, present;
  for (const Signal& column : table.signals) present.push_back(column.name);
  for (int c = 0; c < n; ++c) {
    channels[static_cast<std::size_t>(c)] = table.find(vehicle_channels[static_cast<std::size_t>(c)]);
    if (channels[static_cast<std::size_t>(c)] == nullptr)
      missing.emplace_back(vehicle_channels[static_cast<std::size_t>(c)]);
  }
  if (!missing.empty())
    throw_bad_input(header_of(table),
                    fmt::format("channel {} is missing; the columns are {}", join(missing, ", "), join(present, ", ")),
                    "all seven motions must be measured: bounce zs, pitch theta, roll phi of the body and the four "
                    "wheels zuA (front left), zuB "
                    "(front right), zuC (rear left), zuD (rear right)");
  std::vector<std::string> assumed;
  for (int c = 0; c < n; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const MotionKind kind = kind_of(table, *channels[at], c, options.quantity);
    if (channels[at]->written_unit.empty()) assumed.push_back(channels[at]->name);
    if (!into.set.records.empty() && into.set.kinds[at] != kind)
      throw_bad_input(header_of(table),
                      fmt::format("channel {} measures another quantity than in {}", channels[at]->name,
                                  into.set.records.front().where),
                      "give files whose channels measure the same");
    into.set.kinds[at] = kind;
  }
  if (!assumed.empty())
    into.findings.push_back({Severity::note, "unit_assumed", header_of(table),
                             fmt::format("{} carry no unit; SI units of {} were assumed", join(assumed, ", "),
                                         options.quantity == MotionKind::displacement ? "displacement"
                                         : options.quantity == MotionKind::velocity   ? "velocity"
                                                                                      : "acceleration"),
                             "write units into the header, e.g. zs [m/s^2], or set quantity"});
  if (table.rows == 0) throw_bad_input(header_of(table), "there are no samples", "give a file with measured decays");
  for (const Piece& piece : pieces_of(table, config)) {
    DecayRecord record;
    record.config = piece.config;
    record.name = piece.name;
    record.where = fmt::format("{} (case {}, config {})", table.place(piece.begin), piece.name, piece.config);
    if (!table.time.empty())
      record.interval = sampling_interval(table, piece.begin, piece.end);
    else if (options.sample_interval_s)
      record.interval = *options.sample_interval_s;
    else
      throw_bad_input(header_of(table), "there is no time column, so the sampling rate is not known",
                      "add a column time_s, or give the interval: --set sample_interval_s=0.005");
    record.samples.resize(static_cast<Eigen::Index>(piece.end - piece.begin), n);
    for (int c = 0; c < n; ++c)
      for (std::size_t r = piece.begin; r < piece.end; ++r)
        record.samples(static_cast<Eigen::Index>(r - piece.begin), c) =
            channels[static_cast<std::size_t>(c)]->values[r];
    into.set.records.push_back(std::move(record));
  }
}

DecayFiles read_decay_files(const std::vector<std::string>& plain, const std::vector<std::string>& loaded,
                            const DecayFileOptions& options) {
  DecayFiles out;
  SignalTableOptions reading;
  reading.units = options.units;
  reading.text_columns = {"case"};
  reading.plain_columns = {"config", "k"};
  for (const auto* files : {&plain, &loaded})
    for (const std::string& path : *files) {
      const SignalSet table = read_signal_table(path, reading);
      if (files == &loaded && table.find("config") != nullptr)
        throw_bad_input(path, "this file has a column config and is given as one with added mass",
                        "give it as data; its config column tells which rows carry the added mass");
      add_decays(table, files == &loaded ? 1 : 0, options, out);
      out.sources.push_back(table.source);
      out.findings.insert(out.findings.end(), table.findings.begin(), table.findings.end());
    }
  return out;
}

std::string decay_csv(const DecaySet& set) {
  std::string out = "config,case,time_s";
  for (int c = 0; c < n; ++c) {
    const auto at = static_cast<std::size_t>(c);
    out += fmt::format(",{} [{}]", vehicle_channels[at],
                       (is_angle(c) ? angular_units : linear_units)[static_cast<std::size_t>(set.kinds[at])]);
  }
  out += "\n";
  for (const DecayRecord& r : set.records)
    for (Eigen::Index k = 0; k < r.samples.rows(); ++k) {
      out += fmt::format("{},{},{:.10g}", r.config, r.name, static_cast<double>(k) * r.interval);
      for (int c = 0; c < n; ++c) out += fmt::format(",{:.9g}", r.samples(k, c));
      out += "\n";
    }
  return out;
}

}  // namespace kdyn::inline vehicle
