// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/present/response_view.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/structure/modal_inputs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/report/decimate.hpp"

namespace kdyn::app {
namespace {

constexpr std::size_t most_points = 4000, most_channels = 40;

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
  Json out = {{"name", response_.name},
              {"lines", f.size()},
              {"from_hz", f.empty() ? 0.0 : f.front()},
              {"to_hz", f.empty() ? 0.0 : f.back()}};
  out["channels"] = Json::array();
  for (const FrequencyResponseChannel& channel : response_.channels)
    out["channels"].push_back(
        {{"output", label(channel.output)}, {"input", label(channel.input)}, {"unit", unit_of(channel)}});
  return out;
}

Json ResponseView::values(const std::vector<double>& chosen) const {
  if (chosen.size() > most_channels)
    throw_bad_input("channels", fmt::format("{} channels at once", chosen.size()),
                    fmt::format("choose {} at most", most_channels));
  Json out = Json::array();
  for (const double index : chosen) {
    if (!(index >= 0.0) || index >= static_cast<double>(response_.channels.size()))
      throw_bad_input("channels", fmt::format("there is no channel {:g}", index), "count from 0");
    const FrequencyResponseChannel& channel = response_.channels[static_cast<std::size_t>(index)];
    std::vector<double> magnitude;
    for (const auto& value : channel.values) magnitude.push_back(std::abs(value));
    Json f = Json::array(), size = Json::array(), phase = Json::array(), coherence = Json::array();
    for (const std::size_t i : report::decimate(response_.frequency_hz, magnitude, most_points)) {
      f.push_back(response_.frequency_hz[i]);
      size.push_back(magnitude[i]);
      phase.push_back(std::arg(channel.values[i]) * 180.0 / std::numbers::pi);
      if (!channel.coherence.empty()) coherence.push_back(channel.coherence[i]);
    }
    out.push_back({{"output", label(channel.output)},
                   {"input", label(channel.input)},
                   {"unit", unit_of(channel)},
                   {"frequency_hz", std::move(f)},
                   {"magnitude", std::move(size)},
                   {"phase_deg", std::move(phase)},
                   {"coherence", std::move(coherence)}});
  }
  return out;
}

}  // namespace kdyn::app
