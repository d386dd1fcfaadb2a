// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/decay_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr std::array<const char*, 3> linear_units = {"m", "m/s", "m/s^2"}, angular_units = {"rad", "rad/s", "rad/s^2"};

std::string header_of(const SignalSet& table) { return fmt::format("{}:{}", table.name, table.header_line); }

MotionKind kind_of(const SignalSet& table, const Signal& column, bool angle, MotionKind assumed) {
  const auto& units = angle ? angular_units : linear_units;
  if (column.written_unit.empty()) return assumed;
  for (std::size_t d = 0; d < units.size(); ++d)
    if (column.unit == units[d]) return static_cast<MotionKind>(d);
  throw_bad_input(header_of(table),
                  fmt::format("channel {} is in {}, which is no {} motion", column.name, in_quotes(column.written_unit),
                              angle ? "angular" : "linear"),
                  angle ? "use rad, deg, rad/s, deg/s or rad/s^2" : "use m, mm, m/s, m/s^2 or g");
}

// "corner.z", or "corner" where that is the only channel of the sensor.
const Signal* column_of(const SignalSet& table, const std::vector<DecayChannel>& all, const std::string& channel) {
  if (const Signal* exact = table.find(channel)) return exact;
  const auto dot = channel.rfind('.');
  if (dot == std::string::npos) return nullptr;
  const std::string stem = channel.substr(0, dot + 1);
  if (std::count_if(all.begin(), all.end(), [&](const DecayChannel& c) { return c.name.starts_with(stem); }) > 1)
    return nullptr;
  return table.find(channel.substr(0, dot));
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
  const bool sensors = !options.channels.empty();
  std::vector<DecayChannel> described = sensors ? options.channels : seven_motions(options.quantity, options.layout);
  std::size_t n = described.size();
  std::vector<const Signal*> channels(n);
  std::vector<std::string> missing, present;
  for (const Signal& column : table.signals) present.push_back(column.name);
  for (std::size_t c = 0; c < n; ++c) {
    channels[c] = sensors ? column_of(table, described, described[c].name) : table.find(described[c].name);
    if (channels[c] == nullptr) missing.push_back(described[c].name);
  }
  if (!sensors && !missing.empty() && missing.size() < n && n - missing.size() >= 3) {
    // Not every motion has to be measured; whether the rest will do, the bounds of the fit tell.
    into.findings.push_back(
        {Severity::warning, "channel_missing", header_of(table),
         fmt::format("channel {} is missing; the columns are {}", join(missing, ", "), join(present, ", ")),
         "the other channels are used; check the names of the columns if it was measured"});
    for (std::size_t c = n; c-- > 0;)
      if (channels[c] == nullptr)
        channels.erase(channels.begin() + static_cast<std::ptrdiff_t>(c)),
            described.erase(described.begin() + static_cast<std::ptrdiff_t>(c));
    n = described.size();
    missing.clear();
  }
  if (!missing.empty())
    throw_bad_input(
        header_of(table),
        fmt::format("channel {} is missing; the columns are {}", join(missing, ", "), join(present, ", ")),
        sensors ? "name the columns as the sensors in the job (name.z), or leave a sensor out that was not recorded"
                : "measure bounce zs, pitch theta, roll phi of the body and the wheels zuA (front left), zuB (front "
                  "right), "
                  "zuC (rear left), zuD (rear right); or describe the sensors that were there (sensors in the job)");
  if (!into.set.records.empty() &&
      !std::equal(described.begin(), described.end(), into.set.channels.begin(), into.set.channels.end(),
                  [](const DecayChannel& x, const DecayChannel& y) { return x.name == y.name; }))
    throw_bad_input(header_of(table), "the channels are not those of " + into.set.records.front().where,
                    "give files with the same channels");
  // The road under the wheels, where it was measured along: all of them or none.
  std::vector<const Signal*> road;
  for (int w = 0; w < options.layout.wheels(); ++w) {
    const std::string name = fmt::format("zg{}", static_cast<char>('A' + w));
    const Signal* column = table.find(name);
    if (column == nullptr) continue;
    if (!column->written_unit.empty() && column->unit != "m")
      throw_bad_input(header_of(table),
                      fmt::format("{} is in {}, which is no height", name, in_quotes(column->written_unit)),
                      "give the height of the road in m or mm");
    road.push_back(column);
  }
  if (!road.empty() && road.size() != static_cast<std::size_t>(options.layout.wheels()))
    throw_bad_input(header_of(table), "the road is given under some wheels only",
                    "give a column for each wheel, zgA, zgB, ..., in m; 0 where a wheel stands still");
  if (!into.set.records.empty() && road.empty() != (into.set.records.front().road.rows() == 0))
    throw_bad_input(header_of(table), "only some files have the road under the wheels",
                    "give it for all records (0 in free decays), or for none");
  std::vector<std::string> assumed, unused;
  for (const Signal& column : table.signals)
    if (std::none_of(channels.begin(), channels.end(), [&](const Signal* used) { return used == &column; }) &&
        std::find(road.begin(), road.end(), &column) == road.end() && column.name != "config" && column.name != "k")
      unused.push_back(column.name);
  for (std::size_t c = 0; c < n; ++c) {
    const MotionKind kind = kind_of(table, *channels[c], described[c].angle, described[c].kind);
    if (sensors && kind != described[c].kind)
      throw_bad_input(header_of(table),
                      fmt::format("channel {} is in {}, but its sensor measures {}", channels[c]->name,
                                  in_quotes(channels[c]->written_unit), described[c].unit()),
                      "correct the unit of the column or the kind of the sensor");
    if (channels[c]->written_unit.empty()) assumed.push_back(channels[c]->name);
    described[c].kind = kind;
    if (!into.set.records.empty() && into.set.channels[c].kind != kind)
      throw_bad_input(header_of(table),
                      fmt::format("channel {} measures another quantity than in {}", channels[c]->name,
                                  into.set.records.front().where),
                      "give files whose channels measure the same");
  }
  into.set.layout = options.layout;
  into.set.channels = described;
  if (!unused.empty())
    into.findings.push_back({Severity::note, "not_used", header_of(table),
                             fmt::format("columns {} were not used", join(unused, ", ")),
                             "describe them as sensors if they measure vertical motion, pitch or roll"});
  if (!assumed.empty())
    into.findings.push_back({Severity::note, "unit_assumed", header_of(table),
                             sensors ? fmt::format("{} carry no unit; SI units were assumed", join(assumed, ", "))
                                     : fmt::format("{} carry no unit; SI units of {} were assumed", join(assumed, ", "),
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
    record.samples.resize(static_cast<Eigen::Index>(piece.end - piece.begin), static_cast<Eigen::Index>(n));
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = piece.begin; r < piece.end; ++r)
        record.samples(static_cast<Eigen::Index>(r - piece.begin), static_cast<Eigen::Index>(c)) =
            channels[c]->values[r] - described[c].shown_at_rest;
    if (!road.empty()) {
      record.road_interval = record.interval;
      record.road.resize(record.samples.rows(), static_cast<Eigen::Index>(road.size()));
      for (std::size_t w = 0; w < road.size(); ++w)
        for (std::size_t r = piece.begin; r < piece.end; ++r)
          record.road(static_cast<Eigen::Index>(r - piece.begin), static_cast<Eigen::Index>(w)) = road[w]->values[r];
      if (!record.road.allFinite())
        throw_bad_input(record.where, "the road holds a number that is not finite", "repair the measurement");
    }
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
  for (const DecayChannel& c : set.channels) out += fmt::format(",{} [{}]", c.name, c.unit());
  const Eigen::Index wheels = set.records.empty() ? 0 : set.records.front().road.cols();
  for (Eigen::Index w = 0; w < wheels; ++w) out += fmt::format(",zg{} [m]", static_cast<char>('A' + w));
  out += "\n";
  for (const DecayRecord& r : set.records)
    for (Eigen::Index k = 0; k < r.samples.rows(); ++k) {
      out += fmt::format("{},{},{:.10g}", r.config, r.name, static_cast<double>(k) * r.interval);
      for (int c = 0; c < set.channel_count(); ++c)
        out += fmt::format(",{:.9g}", r.samples(k, c) + set.channels[static_cast<std::size_t>(c)].shown_at_rest);
      for (Eigen::Index w = 0; w < wheels; ++w) out += fmt::format(",{:.9g}", r.road(k, w));
      out += "\n";
    }
  return out;
}

}  // namespace kdyn::inline vehicle
