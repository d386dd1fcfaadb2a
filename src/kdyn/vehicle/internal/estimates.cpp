// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

constexpr double interval_95 = 1.96;  // standard deviations

}  // namespace

void report_parameters(VehicleFitResult& result, const Unknowns& unknowns, const WeightedFit& fit,
                       const Covariance& covariance) {
  const auto& parameters = vehicle_parameters(unknowns.symmetric, unknowns.layout);
  const Eigen::VectorXd values = values_of(fit.assumed.vehicle, unknowns.symmetric);
  const double s = std::sqrt(fit.variance);
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ParameterEstimate p{parameters[i].name, parameters[i].unit, parameters[i].meaning};
    p.value = values[static_cast<Eigen::Index>(i)];
    if (std::find(unknowns.free.begin(), unknowns.free.end(), static_cast<int>(i)) != unknowns.free.end()) {
      p.std = (parameters[i].signed_length ? 1.0 : p.value) * s * covariance.standard_deviation[column++];
      result.correlation_names.push_back(p.name);
    } else if (unknowns.wheelbase && p.name == "b") {
      p.status = ParameterStatus::derived;
      for (const ParameterEstimate& a : result.parameters)
        if (a.name == "a") p.std = a.std;
    } else {
      p.status = ParameterStatus::fixed;
    }
    p.lower_95 = p.value - interval_95 * p.std;
    p.upper_95 = p.value + interval_95 * p.std;
    result.parameters.push_back(p);
  }
  for (const ChannelUnknown& u : unknowns.channel) {
    const DecayChannel& c = fit.assumed.channels[static_cast<std::size_t>(u.channel)];
    ParameterEstimate p;
    const double deviation = s * covariance.standard_deviation[column++];
    switch (u.what) {
      case ChannelValue::gain:
        p.name = c.name + ".gain", p.unit = "-", p.meaning = "Gain of the sensor: shown over true";
        p.value = c.gain, p.std = std::abs(c.gain) * deviation;
        break;
      case ChannelValue::delay:
        p.name = c.name + ".delay_s", p.unit = "s", p.meaning = "Delay of the sensor";
        p.value = c.delay_s, p.std = delay_unit * deviation;
        break;
      case ChannelValue::x:
        p.name = c.name + ".x", p.unit = "m", p.value = c.x, p.std = deviation;
        p.meaning =
            c.from_cg ? "How far ahead of the centre of gravity it sits" : "Where it sits, ahead of the first axle";
        break;
      case ChannelValue::y:
        p.name = c.name + ".y", p.unit = "m", p.value = c.y, p.std = deviation;
        p.meaning = "How far left of the middle plane it sits";
        break;
      case ChannelValue::turn:
        p.name = c.sensor() + ".turn.z", p.unit = "rad", p.value = c.turn_z, p.std = deviation;
        p.meaning = "How far the sensor is turned about the vertical axis";
        break;
    }
    p.lower_95 = p.value - interval_95 * p.std, p.upper_95 = p.value + interval_95 * p.std;
    result.correlation_names.push_back(p.name);
    result.parameters.push_back(std::move(p));
  }
  result.correlation = covariance.correlation;
  for (const Eigen::VectorXd& direction : covariance.not_determined) {
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < direction.size(); ++i)
      if (std::abs(direction[i]) > 0.1) names.push_back(result.correlation_names[static_cast<std::size_t>(i)]);
    result.not_told_apart.push_back(fmt::format("the decays do not tell {} apart", join(names, ", ")));
  }
}

void report_plain(VehicleFitResult& result, const Vehicle<double>& vehicle, bool symmetric) {
  const auto& parameters = vehicle_parameters(symmetric);
  const Eigen::VectorXd values = values_of(vehicle, symmetric);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ParameterEstimate p{parameters[i].name, parameters[i].unit, parameters[i].meaning};
    p.value = values[static_cast<Eigen::Index>(i)];
    p.std = std::numeric_limits<double>::infinity();
    p.lower_95 = -p.std, p.upper_95 = p.std;
    result.parameters.push_back(p);
  }
}

}  // namespace kdyn::inline vehicle::internal
