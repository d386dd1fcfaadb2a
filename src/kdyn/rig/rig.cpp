// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/rig.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/rig/excitation.hpp"
#include "kdyn/rig/sensors.hpp"
#include "kdyn/signal/reduction.hpp"

namespace kdyn {
namespace {

void mark_stopped(RigResult& result, std::string reason) {
  result.status = "stopped";
  result.reason = std::move(reason);
}

// One point of the stepped sine: whole cycles until the reduced stiffness repeats [rig E1], then the measured ones. Nothing when stopped.
std::optional<RigMapRow> run_point(Mount& mount, const RigOptions& options, RigMapRow row, RandomStream noise, RigLoop* keep,
                                   const Progress& progress) {
  const auto n = static_cast<std::size_t>(options.samples_per_cycle);
  const double u0 = mount.static_displacement(row.preload);
  const double omega = 2.0 * std::numbers::pi * row.frequency_hz;
  const double h = 1.0 / (row.frequency_hz * static_cast<double>(n));
  std::vector<double> sine(n), cosine(n), u(n), force(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double phase = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    sine[i] = std::sin(phase);
    cosine[i] = std::cos(phase);
    u[i] = u0 + row.amplitude * sine[i];
  }
  const auto motion = [&](std::size_t i) { return Motion<double>{u[i], row.amplitude * omega * cosine[i]}; };
  mount.start(motion(0));
  double first = mount.peek(motion(0));  // force at the start of the next cycle
  const auto run_cycle = [&](std::vector<MountRecord>* inside = nullptr) {
    force[0] = first;
    for (std::size_t i = 1; i <= n; ++i) {
      if (inside != nullptr) record(mount, *inside);
      const double next = mount.advance(motion(i % n), h);
      (i < n ? force[i] : first) = next;
    }
  };

  std::complex<double> before(0.0, 0.0);
  while (row.cycles < options.max_cycles && !row.settled) {
    if (progress.stop_requested()) return std::nullopt;
    run_cycle();
    const Reduction r = reduce_sine(u, force, 1);
    ++row.cycles;
    const std::complex<double> K = std::polar(r.k_dyn, r.loss_angle);
    row.settled = std::abs(K - before) <= options.settle_tolerance * std::abs(K);
    before = K;
  }

  // A steady response repeats: filters get a lead of copies of it to settle on.
  const bool filtered = options.filter_force_hz > 0.0 || options.filter_displacement_hz > 0.0;
  const std::size_t lead = filtered ? 40 : 0, cycles = static_cast<std::size_t>(options.measured_cycles);
  std::vector<double> all_u, all_force, all_acceleration;
  std::vector<MountRecord> inside = records_of(mount);
  run_cycle(keep != nullptr ? &inside : nullptr);
  if (keep != nullptr) *keep = {row.frequency_hz, row.amplitude, row.preload, u, force, std::move(inside)};
  for (std::size_t c = 0; c < lead + cycles; ++c) {
    if (c > lead) run_cycle();
    all_u.insert(all_u.end(), u.begin(), u.end());
    all_force.insert(all_force.end(), force.begin(), force.end());
    if (options.fixture_mass_kg > 0.0)
      for (const double s : sine) all_acceleration.push_back(-row.amplitude * omega * omega * s);
  }
  apply_sensors(options, h, all_acceleration, all_u, all_force, noise);
  const auto skip = static_cast<std::ptrdiff_t>(lead * n);
  const Reduction r = reduce_sine({all_u.begin() + skip, all_u.end()}, {all_force.begin() + skip, all_force.end()}, static_cast<int>(cycles));
  row.response = {r.k_dyn, r.loss_angle, r.k_dyn_loop, r.loss_angle_loop};
  if (options.noise_k_dyn_rel > 0.0 || options.noise_loss_angle_deg > 0.0) {
    const double gain = 1.0 + options.noise_k_dyn_rel * noise.normal();
    const double turn = options.noise_loss_angle_deg * std::numbers::pi / 180.0 * noise.normal();
    row.response.k_dyn *= gain;
    row.response.k_dyn_loop *= gain;
    row.response.loss_angle += turn;
    row.response.loss_angle_loop += turn;
  }
  return row;
}

// Loops for the picture are those of the first preload at one frequency: where a resonance turns the force most, else in the middle.
std::size_t loop_frequency(const Mount& mount, const RigOptions& options) {
  constexpr double resonance = 20.0 * std::numbers::pi / 180.0;
  const std::size_t count = options.frequencies_hz.size();
  std::vector<double> angle;
  const double u0 = mount.static_displacement(options.preloads_n.front());
  for (const double f : options.frequencies_hz) angle.push_back(std::abs(std::arg(mount.linear_stiffness(f, u0))));
  const auto peak = static_cast<std::size_t>(std::max_element(angle.begin(), angle.end()) - angle.begin());
  return peak > 0 && peak + 1 < count && angle[peak] > resonance ? peak : count / 2;
}

void run_map(Mount& mount, const RigOptions& options, RigResult& result, Progress& progress) {
  const std::size_t total = options.preloads_n.size() * options.amplitudes_m.size() * options.frequencies_hz.size();
  if (total == 0) throw_bad_input("rig", "the map has no points", "give frequencies_hz, amplitudes_m and preloads_n");
  if (total > 10'000'000) throw_bad_input("rig", fmt::format("the map has {} points, the limit is 10000000", total), "thin the grid out");
  const std::size_t shown = loop_frequency(mount, options);
  std::uint64_t task = 0;
  for (std::size_t p = 0; p < options.preloads_n.size(); ++p)
    for (const double amplitude : options.amplitudes_m)
      for (std::size_t f = 0; f < options.frequencies_hz.size(); ++f) {
        RigMapRow row;
        row.frequency_hz = options.frequencies_hz[f];
        row.amplitude = amplitude;
        row.preload = options.preloads_n[p];
        RigLoop loop;
        const bool keep = p == 0 && f == shown;
        auto measured =
            run_point(mount, options, row, RandomStream(static_cast<std::uint64_t>(options.seed), task++), keep ? &loop : nullptr, progress);
        if (!measured) return mark_stopped(result, fmt::format("stopped after {} of {} points", result.map.size(), total));
        measured->closed_form = mount.closed_form(row.frequency_hz, row.amplitude, mount.static_displacement(row.preload));
        result.map.push_back(*measured);
        if (keep) result.loops.push_back(std::move(loop));
        progress.report(static_cast<double>(result.map.size()) / static_cast<double>(total), "map");
      }
  const auto open = std::count_if(result.map.begin(), result.map.end(), [](const RigMapRow& row) { return !row.settled; });
  if (open > 0) {
    result.status = "not_settled";
    result.reason = fmt::format("{} of {} points did not repeat to {:g} within {} cycles", open, total, options.settle_tolerance, options.max_cycles);
    for (const RigMapRow& row : result.map)
      if (!row.settled && result.findings.size() < 20)
        result.findings.push_back({Severity::warning, "not_settled",
                                   fmt::format("{:g} Hz, amplitude {:g}, preload {:g} (SI)", row.frequency_hz, row.amplitude, row.preload),
                                   fmt::format("the response still changes after {} cycles", row.cycles), "raise max_cycles or settle_tolerance"});
  }
}

double first_preload(const RigOptions& options) { return options.preloads_n.empty() ? 0.0 : options.preloads_n.front(); }

void run_static(Mount& mount, const RigOptions& options, RigResult& result, Progress& progress) {
  const auto n = static_cast<std::size_t>(options.static_points);
  const double u0 = mount.static_displacement(first_preload(options));
  const double period = 4.0 * options.static_amplitude_m / options.static_rate_m_per_s, h = period / static_cast<double>(n);
  // [rig E2] Triangle 0 -> a -> -a -> 0, sampled so that the corners are samples when n is a multiple of four.
  const auto triangle = [&](std::size_t i) {
    const double s = 4.0 * static_cast<double>(i % n) / static_cast<double>(n);
    return options.static_amplitude_m * (s <= 1.0 ? s : s <= 3.0 ? 2.0 - s : s - 4.0);
  };
  const std::size_t samples = n * static_cast<std::size_t>(options.static_cycles);
  mount.start({u0, 0.0});
  double now = u0;
  for (std::size_t i = 1; i <= samples; ++i) {
    if (i % n == 1) {
      if (progress.stop_requested()) return mark_stopped(result, fmt::format("stopped after {} of {} cycles", i / n, options.static_cycles));
      progress.report(static_cast<double>(i) / static_cast<double>(samples), "static loop");
    }
    // Straight lines: the velocity jumps at the corners, so it is set at the start of each step too.
    const double to = u0 + triangle(i), v = (to - now) / h;
    mount.change_velocity(v);
    const double force = mount.advance({to, v}, h);
    now = to;
    if (i + n > samples) {
      result.static_loop.displacement.push_back(to);
      result.static_loop.force.push_back(force);
    }
  }
  RandomStream noise(static_cast<std::uint64_t>(options.seed));
  RigOptions sensors = options;
  sensors.fixture_mass_kg = 0.0;  // a slow triangle has no acceleration worth the name
  apply_sensors(sensors, h, {}, result.static_loop.displacement, result.static_loop.force, noise);
}

// The displacement of a file, with velocity and acceleration by differences.
Excitation recorded_excitation(const BenchSeries& input) {
  if (input.displacement.size() != input.time.size())
    throw_bad_input("input", fmt::format("{} times but {} displacements", input.time.size(), input.displacement.size()),
                    "give one displacement per time");
  for (std::size_t i = 1; i < input.time.size(); ++i)
    if (!(input.time[i] > input.time[i - 1]))
      throw_bad_input(input.source.path.empty() ? "input" : fmt::format("{}:{}", input.source.path, input.lines.of(i)),
                      fmt::format("time {:g} s does not follow {:g} s", input.time[i], input.time[i - 1]),
                      "sort by time and remove repeated samples");
  Excitation path{input.time, input.displacement, velocity_of(input.time, input.displacement), {}};
  path.acceleration = velocity_of(path.time, path.velocity);
  return path;
}

Excitation excitation_of(const RigOptions& options, const BenchSeries* input) {
  const auto seed = static_cast<std::uint64_t>(options.seed);
  switch (options.program) {
    case RigProgram::sweep:
      return sweep_excitation(options.sweep_amplitude_m, options.sweep_from_hz, options.sweep_to_hz, options.duration_s, options.sample_rate_hz);
    case RigProgram::random:
      return random_excitation(options.random_rms_m, options.random_lower_hz, options.random_upper_hz, 1.0, options.duration_s,
                               options.sample_rate_hz, seed);
    case RigProgram::road:
      return road_excitation(options.random_rms_m, options.random_lower_hz, options.random_upper_hz, options.duration_s, options.sample_rate_hz,
                             seed);
    default: break;
  }
  if (!options.formula.empty()) return formula_excitation(options.formula, options.duration_s, options.sample_rate_hz);
  if (input == nullptr || input->time.empty())
    throw_bad_input("program", "the transient programme has no input", "give --input FILE (time_s, displacement_mm) or --formula TEXT");
  return recorded_excitation(*input);
}

void run_series(Mount& mount, const RigOptions& options, const BenchSeries* input, RigResult& result, const Progress& progress) {
  if (progress.stop_requested()) return mark_stopped(result, "stopped before the run");
  Excitation path = excitation_of(options, input);
  const double u0 = mount.static_displacement(first_preload(options));
  for (double& u : path.displacement) u += u0;
  BenchSeries& out = result.series;
  out.force = simulate(mount, path.time, path.displacement, path.velocity, &result.inside);
  out.time = std::move(path.time);
  out.displacement = std::move(path.displacement);
  RandomStream noise(static_cast<std::uint64_t>(options.seed));
  const double h = out.time.size() > 1 ? out.time[1] - out.time[0] : 1.0;
  apply_sensors(options, h, path.acceleration, out.displacement, out.force, noise);
}

// [rig E11] Windows of six cycles about evenly spaced (in log f) places of the sweep, each reduced by a least-squares fit on the known phase.
void reduce_sweep(const Mount& mount, const RigOptions& options, RigResult& result) {
  constexpr int places = 60;
  constexpr double half_window = 3.0 * 2.0 * std::numbers::pi;
  const double growth = std::log(options.sweep_to_hz / options.sweep_from_hz) / options.duration_s;
  const auto phase_at = [&](double t) {
    const double w = 2.0 * std::numbers::pi * options.sweep_from_hz;
    return std::abs(growth) > 1e-12 ? w * std::expm1(growth * t) / growth : w * t;
  };
  const double u0 = mount.static_displacement(first_preload(options)), last = phase_at(options.duration_s);
  std::vector<double> phase, u, force;
  for (int p = 0; p < places; ++p) {
    const double t = options.duration_s * (p + 0.5) / places, centre = phase_at(t);
    if (centre < half_window || centre > last - half_window) continue;
    phase.clear(), u.clear(), force.clear();
    for (std::size_t i = 0; i < result.series.time.size(); ++i) {
      const double phi = phase_at(result.series.time[i]);
      if (std::abs(phi - centre) > half_window) continue;
      phase.push_back(phi);
      u.push_back(result.series.displacement[i]);
      force.push_back(result.series.force[i]);
    }
    if (phase.size() < 16) continue;
    const Reduction r = reduce_by_phase(phase, u, force);
    RigMapRow row;
    row.frequency_hz = options.sweep_from_hz * std::exp(growth * t);
    row.amplitude = r.amplitude;
    row.preload = first_preload(options);
    row.response = {r.k_dyn, r.loss_angle, r.k_dyn_loop, r.loss_angle_loop};
    row.closed_form = mount.closed_form(row.frequency_hz, options.sweep_amplitude_m, u0);
    row.settled = true;
    result.map.push_back(row);
  }
}

}  // namespace

RigMapRow run_rig_point(const Mount& mount, const RigOptions& options, double frequency_hz, double amplitude, double preload) {
  RigMapRow row;
  row.frequency_hz = frequency_hz;
  row.amplitude = amplitude;
  row.preload = preload;
  return *run_point(*mount.clone(), options, row, RandomStream(static_cast<std::uint64_t>(options.seed)), nullptr, silent_progress());
}

RigResult run_rig(const Mount& mount, const RigOptions& options, const BenchSeries* input, Progress& progress) {
  RigResult result;
  result.status = "done";
  std::unique_ptr<Mount> specimen = options.temperature_c ? mount.at_temperature(*options.temperature_c) : mount.clone();
  switch (options.program) {
    case RigProgram::map: run_map(*specimen, options, result, progress); break;
    case RigProgram::static_loop: run_static(*specimen, options, result, progress); break;
    case RigProgram::transient:
    case RigProgram::random:
    case RigProgram::road: run_series(*specimen, options, input, result, progress); break;
    case RigProgram::sweep:
      run_series(*specimen, options, input, result, progress);
      reduce_sweep(*specimen, options, result);
      break;
  }
  return result;
}

}  // namespace kdyn
