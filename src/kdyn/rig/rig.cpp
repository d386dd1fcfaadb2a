// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/rig.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/rig/internal/bench.hpp"

namespace kdyn::inline rig {
namespace {

// Loops for the picture are those of the first preload at one frequency: where a resonance turns the force most, else
// in the middle.
std::size_t loop_frequency(const Mount& mount, const RigOptions& options) {
  constexpr double resonance = 20.0 * std::numbers::pi / 180.0;
  const std::size_t count = options.frequencies_hz.size();
  std::vector<double> angle;
  const double u0 = mount.static_displacement(options.preloads_n.front());
  for (const double f : options.frequencies_hz) angle.push_back(std::abs(std::arg(mount.linear_stiffness(f, u0))));
  const auto peak = static_cast<std::size_t>(std::max_element(angle.begin(), angle.end()) - angle.begin());
  return peak > 0 && peak + 1 < count && angle[peak] > resonance ? peak : count / 2;
}

}  // namespace

RigMapRow run_rig_point(const Mount& mount, const RigOptions& options, double frequency_hz, double amplitude,
                        double preload) {
  const std::unique_ptr<Mount> own = mount.clone();
  internal::MountSpecimen specimen(*own);
  RigResult result;
  internal::Bench bench{specimen, options, result, {&result}, silent_progress()};
  return internal::run_point(bench, frequency_hz, {{own->static_displacement(preload), amplitude, 0.0, preload}}, 0,
                             nullptr)
      ->front();
}

RigResult run_rig(const Mount& given, const RigOptions& options, const BenchSeries* input, Progress& progress) {
  RigResult result;
  result.status = "done";
  const std::unique_ptr<Mount> mount =
      options.temperature_c ? given.at_temperature(*options.temperature_c) : given.clone();
  internal::MountSpecimen specimen(*mount);
  internal::Bench bench{specimen, options, result, {&result}, progress};
  const double preload = options.preloads_n.empty() ? 0.0 : options.preloads_n.front();
  const auto drive = [&](double amplitude, double at) {
    return internal::AxisDrive{mount->static_displacement(at), amplitude, 0.0, at};
  };
  const auto closed_form = [&](RigMapRow& row) {
    row.closed_form = mount->closed_form(
        row.frequency_hz, options.program == RigProgram::sweep ? options.sweep_amplitude_m : row.amplitude,
        mount->static_displacement(row.preload));
  };
  switch (options.program) {
    case RigProgram::map: {
      std::vector<internal::MapLevel> levels;
      for (std::size_t p = 0; p < options.preloads_n.size(); ++p)
        for (const double amplitude : options.amplitudes_m)
          levels.push_back({{drive(amplitude, options.preloads_n[p])}, p == 0});
      internal::run_map(bench, levels,
                        levels.empty() || options.frequencies_hz.empty() ? 0 : loop_frequency(*mount, options),
                        closed_form);
      break;
    }
    case RigProgram::static_loop: internal::run_static(bench, {drive(options.static_amplitude_m, preload)}); break;
    case RigProgram::transient:
    case RigProgram::random:
    case RigProgram::road:
      internal::run_series(bench, {internal::excitation_of(options, input)}, {drive(0.0, preload)});
      break;
    case RigProgram::sweep:
      internal::run_series(bench, {internal::excitation_of(options, input)}, {drive(0.0, preload)});
      internal::reduce_sweep(options, drive(0.0, preload), result, closed_form);
      break;
  }
  return result;
}

}  // namespace kdyn::inline rig
