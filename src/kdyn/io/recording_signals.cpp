// SPDX-License-Identifier: Apache-2.0
// Channels of a recording as signals in SI: one place for all formats.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/recording.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn::inline io {
namespace {

struct RecordUnit {
  std::string name;    // empty: unknown
  std::string parsed;  // as kdyn writes it
  double factor = 1.0, offset = 0.0;
};

RecordUnit record_unit_of(const std::string& unit) {
  const std::string plain = lower_case(unit);
  if (unit.empty()) return {};
  if (unit == "g" || unit == "G") return {"m/s^2", "gn", parse_unit("gn")->to_si, 0.0};
  if (unit == "K") return {"degC", unit, 1.0, -273.15};
  if (plain == "degf" || plain ==
                             "\xc2\xb0"
                             "f")
    return {"degC", unit, 1.0 / 1.8, -32.0 / 1.8};
  const auto known = parse_unit(unit);
  if (!known) return {};
  if (plain == "degc" || plain == "deg c" ||
      plain ==
          "\xc2\xb0"
          "c" ||
      plain == "celsius")
    return {"degC", "degC", 1.0, 0.0};
  return {si_unit_of(unit), unit, known->to_si, 0.0};
}

// Times of the samples, read once for all channels of an axis.
class Times {
 public:
  explicit Times(const Recording& recording) : recording_(recording) {}
  const std::vector<double>& of(std::size_t channel) {
    const std::optional<std::size_t> axis = recording_.channels[channel].axis_channel;
    if (!axis) return own_ = recording_.times(channel);
    const auto known = by_axis_.find(*axis);
    return known != by_axis_.end() ? known->second : by_axis_[*axis] = recording_.times(*axis);
  }

 private:
  const Recording& recording_;
  std::map<std::size_t, std::vector<double>> by_axis_;
  std::vector<double> own_;
};

void check_rise(const std::vector<double>& times, const std::string& where) {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!std::isfinite(times[i]) || (i > 0 && !(times[i] > times[i - 1])))
      throw_bad_input(
          where,
          fmt::format("time does not rise at sample {}: {:g} s after {:g} s", i, times[i], i > 0 ? times[i - 1] : 0.0),
          "cut the recording there, or export it from the tool that wrote it with restarts apart");
}

double even_step(const std::vector<double>& times, const std::string& where) {
  check_rise(times, where);
  const double step = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t i = 1; i < times.size(); ++i)
    if (const double here = times[i] - times[i - 1]; std::abs(here - step) > 0.01 * step)
      throw_bad_input(
          where,
          fmt::format("the samples are not evenly spaced: a step of {:g} s at sample {} among steps of {:g} s", here, i,
                      step),
          "resample to one rate, or cut the record at the gap");
  return step;
}

void check_all_valid(const ChannelSamples& samples, const std::string& where) {
  const auto bad = [](double v) { return !std::isfinite(v); };
  const auto first = std::find_if(samples.values.begin(), samples.values.end(), bad);
  if (first == samples.values.end()) return;
  const auto count = std::count_if(samples.values.begin(), samples.values.end(), bad);
  std::string why = samples.marked_invalid > 0 ? "marked invalid" : "not a number";
  if (!samples.texts.empty()) why = fmt::format("texts such as {}", in_quotes(samples.texts.front().second));
  throw_bad_input(where,
                  fmt::format("{} of {} samples are {}, the first is number {}", count, samples.values.size(), why,
                              first - samples.values.begin()),
                  "cut the record to its valid part, or leave the channel out");
}

class Converter {
 public:
  Converter(const Recording& recording, const std::vector<std::string>& names)
      : recording_(recording),
        chosen_(choose_channels(recording, names)),
        named_(!names.empty()),
        times_(recording) {}

  const std::vector<std::size_t>& chosen() const { return chosen_; }

  std::string where(std::size_t channel) const {
    return fmt::format("{}: channel {}", recording_.path, in_quotes(recording_.full_name(channel)));
  }

  // Runs `take` for a channel; what it refuses is an error for a channel that was named, else a finding.
  template <class Take>
  void attempt(std::size_t channel, std::vector<Finding>& findings, Take&& take) {
    try {
      if (recording_.channels[channel].is_text)
        throw_bad_input(where(channel), "it holds texts, not numbers", "choose channels of numbers");
      if (recording_.channels[channel].count < 2)
        throw_bad_input(where(channel), fmt::format("{} samples are no signal", recording_.channels[channel].count),
                        "");
      take();
    } catch (const Error& error) {
      if (named_ || error.code() != ErrorCode::bad_input) throw;
      findings.push_back(
          {Severity::warning, "channel_left_out", error.where(), "left out: " + error.message(), error.remedy()});
    }
  }

  std::vector<double> values(std::size_t channel, std::string& unit, Source& source, std::vector<Finding>& findings) {
    ChannelSamples samples = samples_of(channel);
    check_all_valid(samples, where(channel));
    const std::string& written = recording_.channels[channel].unit;
    const RecordUnit si = record_unit_of(written);
    unit = si.name;
    if (written == "g" || written == "G")
      findings.push_back(
          {Severity::note, "unit_g", where(channel), "g was read as the acceleration of gravity, 9.80665 m/s^2", ""});
    if (si.name.empty()) {
      findings.push_back(
          {Severity::warning, "unit_unknown", where(channel),
           written.empty() ? "it has no unit; its values stand as they are"
                           : fmt::format("the unit {} is not known; its values stand as they are", in_quotes(written)),
           "give the unit in the tool that wrote the file"});
      return std::move(samples.values);
    }
    source.conversions.push_back({recording_.full_name(channel), written, si.name, si.factor});
    if (si.factor != 1.0 || si.offset != 0.0)
      for (double& v : samples.values) v = si.factor * v + si.offset;
    return std::move(samples.values);
  }

  Times& times() { return times_; }

 private:
  // Channels of one group are read together, as many as 256 MB hold: records of a file hold all of them side by side.
  ChannelSamples samples_of(std::size_t channel) {
    if (!read_.contains(channel)) {
      constexpr std::size_t most = std::size_t{1} << 25;
      std::vector<std::size_t> batch = {channel};
      std::size_t samples = recording_.channels[channel].count;
      for (const std::size_t other : chosen_) {
        const RecordedChannel& c = recording_.channels[other];
        if (other <= channel || c.is_text || c.group_number != recording_.channels[channel].group_number ||
            read_.contains(other))
          continue;
        if (samples + c.count > most) break;
        samples += c.count;
        batch.push_back(other);
      }
      std::vector<ChannelSamples> all;
      try {
        all = recording_.reader->values(batch);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input || batch.size() == 1) throw;
        batch.resize(1);  // another channel may be the damaged one
        all = recording_.reader->values(batch);
      }
      for (std::size_t i = 0; i < batch.size(); ++i) read_[batch[i]] = std::move(all[i]);
    }
    ChannelSamples out = std::move(read_[channel]);
    read_.erase(channel);
    return out;
  }

  const Recording& recording_;
  std::vector<std::size_t> chosen_;
  std::map<std::size_t, ChannelSamples> read_;
  bool named_;
  Times times_;
};

}  // namespace

SignalSet signals_of(const Recording& recording, const std::vector<std::string>& names) {
  SignalSet out;
  out.findings = recording.findings;
  out.source.path = recording.path;
  Converter converter(recording, names);
  for (const std::size_t channel : converter.chosen())
    converter.attempt(channel, out.findings, [&] {
      const RecordedChannel& from = recording.channels[channel];
      Signal signal;
      signal.name = recording.full_name(channel);
      signal.written_unit = from.unit;
      signal.dof = parse_dof(signal.name);
      if (from.axis_channel || from.master != RecordAxis::none) {
        const std::vector<double>& times = converter.times().of(channel);
        signal.step_s = even_step(times, converter.where(channel));
        signal.start_s = times.front();
      } else {
        if (!(from.step_s > 0.0)) recording.times(channel);  // says what is missing
        signal.start_s = from.start_s, signal.step_s = from.step_s;
      }
      signal.values = converter.values(channel, signal.unit, out.source, out.findings);
      out.signals.push_back(std::move(signal));
    });
  if (out.signals.empty())
    throw_bad_input(recording.path, "no channel of it can be used as a signal over time",
                    out.findings.empty() ? "see kdyn inspect" : "see the findings of kdyn inspect");
  return out;
}

std::vector<Finding> examine(const Recording& recording) {
  constexpr std::size_t largest = std::size_t{256} << 20;
  std::vector<Finding> out;
  if (recording.file_bytes > largest) {
    out.push_back({Severity::note, "not_examined", recording.path,
                   "the file is large: channels are listed, their samples were not looked at",
                   "choose channels, such as kdyn convert FILE part.h5 --channels NAME..."});
    return out;
  }
  Converter converter(recording, {});
  std::map<std::size_t, std::string> uneven;  // by axis: told once for all its channels
  for (const std::size_t channel : converter.chosen()) {
    const RecordedChannel& from = recording.channels[channel];
    if (from.count == 0) continue;
    converter.attempt(channel, out, [&] {
      if (from.axis_channel && uneven.contains(*from.axis_channel)) return;
      try {
        if (from.axis_channel)
          even_step(converter.times().of(channel), converter.where(channel));
        else if (!(from.step_s > 0.0))
          recording.times(channel);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        if (from.axis_channel) uneven[*from.axis_channel] = error.message();
        throw;
      }
      std::string unit;
      Source source;
      converter.values(channel, unit, source, out);
    });
  }
  for (Finding& finding : out) {
    if (finding.code != "channel_left_out") continue;
    finding.code = "no_signal";
    finding.message = "no signal over time: " + finding.message.substr(std::string_view("left out: ").size());
  }
  return out;
}

SignalSet signal_table_of(const Recording& recording, const std::vector<std::string>& names) {
  SignalSet out;
  out.name = recording.path;
  out.findings = recording.findings;
  out.source.path = recording.path;
  Converter converter(recording, names);
  for (const std::size_t channel : converter.chosen())
    converter.attempt(channel, out.findings, [&] {
      const std::vector<double>& times = converter.times().of(channel);
      check_rise(times, converter.where(channel));
      if (out.time.empty())
        out.time = times;
      else if (out.time != times)
        throw Error(ErrorCode::bad_input, "its samples are at other times than those of the channels before it",
                    converter.where(channel), "name channels of one group, or kdyn convert with --channels");
      Signal column;
      column.name = recording.full_name(channel);
      column.written_unit = recording.channels[channel].unit;
      column.values = converter.values(channel, column.unit, out.source, out.findings);
      out.signals.push_back(std::move(column));
    });
  if (out.signals.empty())
    throw_bad_input(recording.path, "no channel of it can be used as a signal over time", "see kdyn inspect");
  out.rows = out.time.size();
  return out;
}

}  // namespace kdyn::inline io
