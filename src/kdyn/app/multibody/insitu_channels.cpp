// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/multibody/insitu_channels.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {

using namespace mbs;

int parameter_index(const InsituInputs& inputs, const std::string& name) {
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i)
    if (inputs.parameters[i].name == name) return static_cast<int>(i);
  return -1;
}

void free_channels(InsituInputs& out, const InsituExperiment& x, const Model& model) {
  using Of = InsituParameter::Of;
  const std::size_t e = out.experiments.size();
  for (std::size_t j = 0; j < x.signals.size(); ++j) {
    const ChannelCalibration known = x.calibration.empty() ? ChannelCalibration{} : x.calibration[j];
    const Sensor* sensor = nullptr;
    for (const SensorChannel& c : model.channels)
      if (c.name == x.signals[j]) sensor = &model.sensors[static_cast<std::size_t>(c.sensor)];
    const auto unknown = [&](Of of, SensorUnknown what, const char* word, double start, double std) {
      const std::string name = x.signals[j] + "." + word;
      int index = parameter_index(out, name);
      if (index < 0 && (sensor == nullptr || !sensor->is_unknown(what))) return;
      if (index < 0) {
        index = static_cast<int>(out.parameters.size());
        out.parameters.push_back({name, "", {}, start});
        out.parameters.back().of = of;
      }
      InsituParameter& p = out.parameters[static_cast<std::size_t>(index)];
      p.channel.resize(e, -1);
      p.channel.push_back(static_cast<int>(j));
      if (p.scale > 0.0) return;
      double reach = 0.0;
      if (of == Of::gain) {
        if (p.start == 0.0) throw_bad_input(p.name, "a gain of 0 shows nothing", "start with 1");
        p.unit = "-", p.scale = std::abs(p.start),
        reach = std::abs(p.start) * (std > 0.0 ? std::clamp(6.0 * std, 0.3, 0.95) : 0.95);
      } else if (of == Of::offset) {
        double sum = 0.0, square = 0.0, count = 0.0;
        for (const double m : x.measured.row(static_cast<Eigen::Index>(j)))
          if (std::isfinite(m)) sum += m, square += m * m, count += 1.0;
        const double rms = std::sqrt(std::max(0.0, square / count - sum * sum / (count * count)));
        p.unit = x.units[j], p.scale = rms > 0.0 ? rms : 1.0,
        reach = std::max({20.0 * p.scale, 6.0 * std, 2.0 * std::abs(sum / count)});
      } else {
        p.unit = "s", p.scale = 1e-3, reach = std > 0.0 ? 5.0 * std : out.job.fit.max_delay_s;
      }
      p.lower = p.start - reach, p.upper = p.start + reach;
      p.known_std = std;
      if (!(std > 0.0)) return;
      InsituPrior prior;
      prior.origin = name;
      prior.parameters = {index};
      prior.mean = VectorX::Constant(1, p.unknown(p.start));
      prior.covariance = MatrixX::Constant(1, 1, std * std / (p.scale * p.scale));
      out.priors.push_back(std::move(prior));
    };
    unknown(Of::gain, SensorUnknown::gain, "gain", known.gain, sensor ? sensor->gain_std : 0.0);
    unknown(Of::offset, SensorUnknown::offset, "offset", known.offset, sensor ? sensor->offset_std : 0.0);
    unknown(Of::delay, SensorUnknown::delay, "delay", known.delay_s, sensor ? sensor->delay_std_s : 0.0);
  }
  if (const int index = parameter_index(out, "time_offset"); index >= 0) {
    InsituParameter& p = out.parameters[static_cast<std::size_t>(index)];
    p.unit = "s", p.scale = 1e-3;
    p.channel.resize(e, -1);
    p.channel.push_back(0);
    p.lower = p.start - out.job.fit.max_delay_s, p.upper = p.start + out.job.fit.max_delay_s;
  }
}

void free_orientations(InsituInputs& out, const Model& model) {
  for (const Sensor& sensor : model.sensors) {
    if (!sensor.is_unknown(SensorUnknown::orientation)) continue;
    for (int k = 0; k < 3; ++k) {
      if (sensor.axes.size() == 1 && sensor.axis(0) == k) continue;
      const std::string name = fmt::format("{}.turn.{}", sensor.name, "xyz"[k]);
      int index = parameter_index(out, name);
      const double start = sensor.turn[static_cast<std::size_t>(k)];
      if (index < 0) {
        index = static_cast<int>(out.parameters.size());
        out.parameters.push_back({name, "", {}, start});
      }
      if (!(sensor.turn_std > 0.0)) continue;
      InsituPrior prior;
      prior.origin = name;
      prior.parameters = {index};
      prior.mean = VectorX::Constant(1, start / place_scale);
      prior.covariance = MatrixX::Constant(1, 1, std::pow(sensor.turn_std / place_scale, 2));
      out.priors.push_back(std::move(prior));
    }
  }
}

void set_reach(InsituParameter& p, const NamedParameter& named, const InsituOptions& options) {
  using Reach = NamedParameter::Reach;
  if (named.reach == Reach::usual) return;
  const double reach = named.reach == Reach::delay ? options.max_delay_s : options.max_turn;
  const bool frequency = named.reach == Reach::frequency;
  p.lower = frequency ? 0.5 * p.start : p.start - reach;
  p.upper = frequency ? 2.0 * p.start : p.start + reach;
}

void require_searchable(const std::vector<NamedParameter>& known, const std::string& name, const std::string& where) {
  const auto has = [&](const std::string& wanted) {
    return std::any_of(known.begin(), known.end(), [&](const NamedParameter& p) { return p.name == wanted; });
  };
  for (const std::string ending : {".time_shift", ".frequency_factor"})
    if (name.ends_with(ending) && !has(name) && has(name.substr(0, name.size() - ending.size()) + ".factor"))
      throw_bad_input(where,
                      fmt::format("{} cannot be searched: a number has no time, and a table of straight lines has a "
                                  "corner at every row",
                                  in_quotes(name)),
                      R"(give a formula, or the table with "smooth": true)");
}

void check_signal(const Model& model, const NamedParameter& named, const RunOptions& run, const std::string& where,
                  std::vector<Finding>& findings) {
  const double step_s = run.step_s, duration_s = run.duration_s;
  if (named.reach != NamedParameter::Reach::frequency &&
      (named.reach != NamedParameter::Reach::delay || named.parameter.kind != Parameter::Kind::signal))
    return;
  const Parameter& p = named.parameter;
  const auto index = static_cast<std::size_t>(p.index), k = static_cast<std::size_t>(p.side > 0 ? (p.side - 1) % 3 : 0);
  const TimeSignal& signal = p.side == 0  ? model.joints[index].drive
                             : p.side < 4 ? model.loads[index].force[k]
                                          : model.loads[index].torque[k];
  // Its slope against differences over a step: a twelfth of a period is off by 1 %.
  const double count = std::min(std::floor(duration_s / step_s), 1e5);
  double fastest = 0.0, worst = 0.0, at = 0.0;
  for (double n = 0.0; n <= count; n += 1.0) {
    const double t = n * step_s, slope = signal.rate(t);
    const double seen = (signal(t + 0.5 * step_s) - signal(t - 0.5 * step_s)) / step_s;
    fastest = std::max({fastest, std::min(std::abs(slope), std::abs(seen)), 1e-300});
    if (!(std::abs(slope - seen) <= worst)) worst = std::abs(slope - seen), at = t;
  }
  if (!(worst <= 0.25 * fastest))
    throw_bad_input(where,
                    fmt::format("the time of {} cannot be searched: near {:.6g} s the signal changes faster than steps "
                                "of {:.3g} s can follow (a corner or a jump)",
                                in_quotes(named.name), at, step_s),
                    "give it without corners, or choose step_s smaller; its factor can be searched all the same");
  if (const Curve rows = signal.acting_motion();
      !rows.empty() && ((rows.front().first > -1e-9 && std::abs(signal.rate(rows.front().first)) > 0.01 * fastest) ||
                        rows.back().first < duration_s * (1.0 + 1e-9)))
    findings.push_back({Severity::warning, "motion", where,
                        fmt::format("rows of {} begin at {:.6g} s and end at {:.6g} s: where its time is moved beyond "
                                    "them, their first and last values are held",
                                    in_quotes(named.name), rows.front().first, rows.back().first),
                        "record it from before the start of the run to after its end"});
}

void add_end_points(InsituExperiment& x, const std::vector<InsituEndPointJob>& given,
                    const std::vector<NamedOutput>& known) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string where = fmt::format("end_points[{}]", i);
    const NamedOutput& output = look_up(known, given[i].signal, where + ".signal");
    x.end_points.push_back({output.name, output.unit, output.output, given[i].value, given[i].std});
  }
}

}  // namespace kdyn::app
