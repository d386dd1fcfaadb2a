// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/channel_fault.hpp"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace kdyn::inline signal {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

// A channel that is written in one unit and read as another shows its motion times the factor.
struct UnitSlip {
  double factor;
  const char* words;
  bool (*applies)(const std::string& unit);
};
bool turns(const std::string& unit) { return unit.starts_with("rad"); }
bool accelerates(const std::string& unit) { return unit == "m/s^2"; }
bool moves(const std::string& unit) { return unit == "m" || unit == "m/s" || unit == "m/s^2"; }
bool pushes(const std::string& unit) { return unit == "N" || unit == "N*m"; }

constexpr UnitSlip unit_slips[] = {{1.0 / 9.80665, "is in g and was read as m/s^2", accelerates},
                                   {9.80665, "is in m/s^2 and was read as g", accelerates},
                                   {1e3, "is in mm and was read as m", moves},
                                   {1e-3, "is in m and was read as mm", moves},
                                   {1.0 / degree, "is in degrees and was read as rad", turns},
                                   {degree, "is in rad and was read as degrees", turns},
                                   {1e-3, "is in thousands and was read as single newtons", pushes},
                                   {1e3, "is in single newtons and was read as thousands", pushes}};

}  // namespace

Finding describe_fault(const std::string& channel, const std::string& unit, const ChannelMatch& match,
                       const ChannelLimits& limits) {
  const auto told = [&](const char* code, std::string what, const char* remedy) {
    return Finding{Severity::serious, code, channel, std::move(what), remedy};
  };
  if (match.share < limits.broken)
    return told("channel_broken",
                fmt::format("channel {} does not show the motion that all others say is there ({:.0f} % of it is "
                            "explained)",
                            channel, 100.0 * match.share),
                "check its cable, its name and where it sits, or leave it out");
  for (const UnitSlip& known : unit_slips)
    if (known.applies(unit) && std::abs(std::abs(match.factor) / known.factor - 1.0) < limits.factor)
      return told("channel_unit",
                  fmt::format("channel {} {}{}: it fits with a factor {:.4g}", channel, known.words,
                              match.factor < 0.0 ? ", with the sign reversed" : "", match.factor),
                  "give its unit in the header or by units");
  if (match.factor < 0.0)
    return told("channel_sign",
                fmt::format("channel {} fits with a factor {:.2f}: its sign is reversed", channel, match.factor),
                "turn the sensor or its sign (gain -1)");
  if (std::abs(match.delay_s) > limits.delay_s)
    return told(
        "channel_delay",
        fmt::format("channel {} comes {:.2g} ms {}{}", channel, 1e3 * std::abs(match.delay_s),
                    match.delay_s > 0.0 ? "late" : "early",
                    std::abs(match.factor - 1.0) > 0.05 ? fmt::format(", with a factor {:.2f}", match.factor) : ""),
        "check filters and recorders, give delay_s, or let the fit find it: \"unknown\": [\"delay\"]");
  return told("channel_gain", fmt::format("channel {} fits with a factor {:.3f}", channel, match.factor),
              "check its calibration and where it sits, or let the fit find it: \"unknown\": [\"gain\"]");
}

Finding describe_swap(const std::string& one, const std::string& two) {
  return {Severity::serious, "channels_swapped", one + ", " + two,
          fmt::format("channels {} and {} are exchanged: all fits when they change places", one, two),
          "check the cables and the names of the columns"};
}

Finding describe_turned(const std::string& sensor, const std::string& how, const std::string& remedy) {
  return {Severity::serious, "sensor_turned", sensor,
          fmt::format("sensor {} sits turned against how it is described: {}", sensor, how), remedy};
}

}  // namespace kdyn::inline signal
