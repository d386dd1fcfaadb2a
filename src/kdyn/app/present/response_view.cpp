// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/present/response_view.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/operation.hpp"
#include "kdyn/app/structure/modal_inputs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/report/decimate.hpp"

namespace kdyn::app {
namespace {

constexpr std::size_t most_points = 4000, most_channels = 40;

struct ChannelName {
  std::string output, input, unit;
};
const FieldTable& fields_of(const ChannelName*) {
  using C = ChannelName;
  static const FieldTable table = FieldTable::results<C>("channel of responses", [](FieldTable& t) {
    t.add(&C::output, "output", "-", "Where it moves");
    t.add(&C::input, "input", "-", "Where it is driven");
    t.add(&C::unit, "unit", "-", "Output over input");
  });
  return table;
}

struct ResponseList {
  std::string name;
  std::size_t lines;
  double from_hz, to_hz;
  std::vector<ChannelName> channels{};
};
const FieldTable& fields_of(const ResponseList*) {
  using L = ResponseList;
  static const FieldTable table = FieldTable::results<L>("responses", [](FieldTable& t) {
    t.add(&L::name, "name", "-", "Name");
    t.add(&L::lines, "lines", "-", "Frequency lines");
    t.add(&L::from_hz, "from_hz", "Hz", "First line");
    t.add(&L::to_hz, "to_hz", "Hz", "Last line");
    t.add(&L::channels, "channels", "-", "Channels");
  });
  return table;
}

struct ChannelValues {
  ChannelName channel;
  std::vector<double> frequency_hz{}, magnitude{}, phase_deg{}, coherence{};
};
const FieldTable& fields_of(const ChannelValues*) {
  using V = ChannelValues;
  static const FieldTable table = FieldTable::results<V>("values of a channel", [](FieldTable& t) {
    t.include(&V::channel, field_table<ChannelName>());
    t.add(&V::frequency_hz, "frequency_hz", "Hz", "Frequencies");
    t.add(&V::magnitude, "magnitude", "as unit says", "Magnitude");
    t.add(&V::phase_deg, "phase_deg", "deg", "Phase");
    t.add(&V::coherence, "coherence", "-", "Coherence, where it is known");
  });
  return table;
}

ChannelName name_of(const FrequencyResponseChannel& channel) {
  return {label(channel.output), label(channel.input), unit_of(channel)};
}

}  // namespace

std::string unit_of(const FrequencyResponseChannel& channel) {
  return channel.output_unit.empty() || channel.input_unit.empty()
             ? ""
             : fmt::format("({})/{}", channel.output_unit, channel.input_unit);
}

ResponseView::ResponseView(const std::vector<std::string>& files) {
  ModalInputs inputs;
  response_ = read_responses(files, inputs);
}

Json ResponseView::channels() const {
  const std::vector<double>& f = response_.frequency_hz;
  ResponseList out{response_.name, f.size(), f.empty() ? 0.0 : f.front(), f.empty() ? 0.0 : f.back()};
  for (const FrequencyResponseChannel& channel : response_.channels) out.channels.push_back(name_of(channel));
  return described_json(out);
}

Json ResponseView::values(const std::vector<double>& chosen) const {
  if (chosen.size() > most_channels)
    throw_bad_input("channels", fmt::format("{} channels at once", chosen.size()),
                    fmt::format("choose {} at most", most_channels));
  std::vector<ChannelValues> out;
  for (const double index : chosen) {
    if (!(index >= 0.0) || index >= static_cast<double>(response_.channels.size()))
      throw_bad_input("channels", fmt::format("there is no channel {:g}", index), "count from 0");
    const FrequencyResponseChannel& channel = response_.channels[static_cast<std::size_t>(index)];
    std::vector<double> magnitude;
    for (const auto& value : channel.values) magnitude.push_back(std::abs(value));
    ChannelValues& one = out.emplace_back(ChannelValues{name_of(channel)});
    for (const std::size_t i : report::decimate(response_.frequency_hz, magnitude, most_points)) {
      one.frequency_hz.push_back(response_.frequency_hz[i]);
      one.magnitude.push_back(magnitude[i]);
      one.phase_deg.push_back(std::arg(channel.values[i]) * 180.0 / std::numbers::pi);
      if (!channel.coherence.empty()) one.coherence.push_back(channel.coherence[i]);
    }
  }
  return described_json(out);
}

}  // namespace kdyn::app
