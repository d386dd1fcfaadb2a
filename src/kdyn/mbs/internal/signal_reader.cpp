// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/signal_reader.hpp"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/numerics/integrated_curve.hpp"
#include "kdyn/signal/channel_check.hpp"

namespace kdyn::mbs {
namespace {

// A signal that is more than a number, a formula or rows.
struct SignalGiven {
  Json signal;  // a number, a formula, or rows
  Json table, motion;
  std::string file, column;
  SignalTuning tuning;
  bool smooth = false;
  double smooth_hz = 0.0, high_pass_hz = 0.0;
  int integrate = 0;
  std::string comment;
};

const FieldTable& fields_of(const SignalGiven*) {
  using S = SignalGiven;
  static const FieldTable table = FieldTable::of<S>("signal", [](FieldTable& t) {
    t.add(&S::signal, "signal", "-", "A number, a formula in t as text, or rows [[t, value], ...]").unless_null();
    t.add(&S::table, "table", "-", "Rows [[t, value], ...]").unless_null();
    t.add(&S::motion, "motion", "-", "Rows [[t, value], ...] that a smooth spline is laid through").unless_null();
    t.add(&S::file, "file", "-", "File with a time column, instead of rows").unless_empty();
    t.add(&S::column, "column", "-", "Its column").unless_empty();
    t.include(&S::tuning, field_table<SignalTuning>());
    t.add(&S::smooth, "smooth", "-", "A force is read by a smooth spline, too, instead of straight lines");
    t.add(&S::smooth_hz, "smooth_hz", "Hz", "Highest frequency of the signal; what is faster is smoothed away")
        .at_least(0.0);
    t.add(&S::integrate, "integrate", "-", "2: the rows are accelerations, 1: velocities, of the motion that drives")
        .range(0, 2);
    t.add(&S::high_pass_hz, "high_pass_hz", "Hz", "Integrated motion slower than this is lost").at_least(0.0);
    t.add(&S::comment, "comment", "-", "For people").unless_empty();
  });
  return table;
}

}  // namespace

Curve SignalReader::column(const std::string& file, const std::string& name, const std::string& where) {
  const std::string path = (std::filesystem::path(folder_) / file).string();
  auto found = tables_.find(path);
  if (found == tables_.end()) {
    found = tables_.emplace(path, read_signal_table(path)).first;
    files_.push_back(path);
  }
  const SignalSet& table = found->second;
  if (table.time.empty()) throw_bad_input(path, "there is no time column", "add a column \"time [s]\"");
  const Signal* column = table.find(name);
  if (column == nullptr) {
    std::vector<std::string> names;
    for (const Signal& c : table.signals) names.push_back(c.name);
    throw_bad_input(where + ".column", fmt::format("{} has no column {}", path, in_quotes(name)), suggest(name, names));
  }
  Curve curve;
  for (std::size_t i = 0; i < table.time.size(); ++i) {
    if (!std::isfinite(table.time[i]) || !std::isfinite(column->values[i]))
      throw_bad_input(table.place(i), fmt::format("{} is not a finite number", in_quotes(column->name)),
                      "repair or remove the row");
    curve.emplace_back(table.time[i], column->values[i]);
  }
  // A drive may be made by hand: levels and rests are no faults of it.
  const double step = table.time.size() > 1
                          ? (table.time.back() - table.time.front()) / static_cast<double>(table.time.size() - 1)
                          : 0.0;
  for (Finding& odd : check_channel(column->values, table.time.empty() ? 0.0 : table.time.front(), step, name, path))
    if (odd.code == "spikes") findings_.push_back(std::move(odd));
  return curve;
}

TimeSignal SignalReader::read(const Json& in, const std::string& where, bool moves) {
  SignalGiven given;
  if (in.is_object())
    from_json_fields(given, in, where);
  else
    given.signal = in;
  const int ways = (given.signal.is_null() ? 0 : 1) + (given.table.is_null() ? 0 : 1) +
                   (given.motion.is_null() ? 0 : 1) + (given.file.empty() ? 0 : 1);
  if (ways != 1)
    throw_bad_input(where, ways == 0 ? "the signal is missing" : "the signal is given twice",
                    R"(write one of "signal", "table", "motion" or "file" with "column")");
  const std::string at = !given.file.empty()       ? (std::filesystem::path(folder_) / given.file).string()
                         : !given.table.is_null()  ? where + ".table"
                         : !given.motion.is_null() ? where + ".motion"
                         : in.is_object()          ? where + ".signal"
                                                   : where;
  TimeSignal out = !given.file.empty() ? TimeSignal(column(given.file, given.column, where), at)
                                       : signal_from_json(!given.table.is_null()    ? given.table
                                                          : !given.motion.is_null() ? given.motion
                                                                                    : given.signal,
                                                          at);
  if (!out.tuning().plain())
    throw_bad_input(where + ".signal", "a signal with factors stands inside another", "write the factors once");
  const auto only_tables = [&](bool asked, const char* field) {
    if (asked && out.table().empty())
      throw_bad_input(fmt::format("{}.{}", where, field), "only a table has this", "leave it out");
  };
  if (given.integrate > 0 && !moves)
    throw_bad_input(where + ".integrate", "only a motion that drives is integrated from accelerations",
                    "give the force itself");
  only_tables(given.smooth, "smooth");
  only_tables(given.smooth_hz > 0.0, "smooth_hz");
  only_tables(given.integrate > 0, "integrate");
  if (given.high_pass_hz > 0.0 && given.integrate == 0)
    throw_bad_input(where + ".high_pass_hz", "only what is integrated needs it",
                    R"(add "integrate": 2, or leave it out)");
  if (!out.table().empty() &&
      (moves || given.smooth || given.smooth_hz > 0.0 || given.integrate > 0 || !given.motion.is_null())) {
    Curve curve = TimeSignal::motion(out.table(), at).motion();  // checks that times ascend
    if (given.integrate > 0) {
      if (!(given.high_pass_hz > 0.0))
        throw_bad_input(where + ".high_pass_hz", "an integrated record drifts without a high-pass",
                        "give a third of the slowest frequency of the motion in Hz");
      const double length = curve.back().first - curve.front().first,
                   rate = static_cast<double>(curve.size() - 1) / std::max(length, 1e-300);
      if (curve.size() < 6 || given.high_pass_hz * length < 1.0 || given.high_pass_hz > 0.1 * rate)
        throw_bad_input(where + ".high_pass_hz",
                        fmt::format("{:.4g} Hz cannot be cut off a record of {:.4g} s with {:.4g} samples per second",
                                    given.high_pass_hz, length, rate),
                        "it lies between one period in the record and a tenth of the sampling rate");
      curve = integrated(curve, given.integrate, given.high_pass_hz);
      findings_.push_back(
          {Severity::note, "integrated", where,
           fmt::format("the motion is {} integrated: below {:.3g} Hz it is lost, from {:.3g} Hz on it is right within "
                       "2 %, but for {:.2g} s at either end unless it is at rest there",
                       given.integrate == 2 ? "an acceleration, twice" : "a velocity,", given.high_pass_hz,
                       3.0 * given.high_pass_hz, 1.0 / given.high_pass_hz),
           "lower high_pass_hz for slower motion; noise is magnified then"});
    }
    if (given.smooth_hz > 0.0) curve = smoothed(curve, given.smooth_hz);
    out = TimeSignal::motion(std::move(curve), at);
  }
  out.set_tuning(given.tuning);
  return out;
}

}  // namespace kdyn::mbs
