// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/internal/bench.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/rig/sensors.hpp"
#include "kdyn/signal/reduction.hpp"

namespace kdyn::inline rig::internal {
namespace {

void mark_stopped(RigResult& result, std::string reason) {
  result.status = "stopped";
  result.reason = std::move(reason);
}

RandomStream noise_of(const Bench& bench, std::uint64_t task, std::size_t axis) {
  return RandomStream(static_cast<std::uint64_t>(bench.options.seed), task * bench.axes.size() + axis);
}

// The fixture of a bushing has a mass and no inertia.
RigOptions sensors_of(const Bench& bench, std::size_t axis) {
  RigOptions sensors = bench.options;
  if (axis >= 3) sensors.fixture_mass_kg = 0.0;
  return sensors;
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

}  // namespace

std::optional<std::vector<RigMapRow>> run_point(Bench& bench, double frequency_hz, const std::vector<AxisDrive>& drives,
                                                std::uint64_t task, std::vector<RigLoop>* keep) {
  const RigOptions& options = bench.options;
  Specimen& specimen = bench.specimen;
  const std::size_t n = static_cast<std::size_t>(options.samples_per_cycle), axes = specimen.axes();
  const double omega = 2.0 * std::numbers::pi * frequency_hz;
  const double h = 1.0 / (frequency_hz * static_cast<double>(n));
  struct Signals {
    std::vector<double> sine, u, force;
    std::vector<Motion<double>> motion;
  };
  std::vector<Signals> cycle(axes);
  std::vector<RigMapRow> rows(axes);
  std::vector<bool> settled(axes);
  for (std::size_t k = 0; k < axes; ++k) {
    const AxisDrive& drive = drives[k];
    cycle[k].force.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double phase = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n) + drive.phase;
      cycle[k].sine.push_back(std::sin(phase));
      cycle[k].u.push_back(drive.u0 + drive.amplitude * cycle[k].sine.back());
      cycle[k].motion.push_back({cycle[k].u.back(), drive.amplitude * omega * std::cos(phase)});
    }
    rows[k].frequency_hz = frequency_hz, rows[k].amplitude = drive.amplitude, rows[k].preload = drive.preload;
    settled[k] = drive.amplitude == 0.0;
  }
  std::vector<Motion<double>> at(axes);
  const auto motion = [&](std::size_t i) -> const std::vector<Motion<double>>& {
    for (std::size_t k = 0; k < axes; ++k) at[k] = cycle[k].motion[i];
    return at;
  };
  std::vector<double> first(axes), next(axes);  // force at the start of the next cycle
  specimen.start(motion(0));
  specimen.peek(at, first);
  const auto run_cycle = [&](std::vector<std::vector<MountRecord>>* inside = nullptr) {
    for (std::size_t k = 0; k < axes; ++k) cycle[k].force[0] = first[k];
    for (std::size_t i = 1; i <= n; ++i) {
      if (inside != nullptr)
        for (std::size_t k = 0; k < axes; ++k)
          if (specimen.mount(k) != nullptr) record(*specimen.mount(k), (*inside)[k]);
      specimen.advance(motion(i % n), h, next);
      for (std::size_t k = 0; k < axes; ++k) (i < n ? cycle[k].force[i] : first[k]) = next[k];
    }
  };

  std::vector<std::complex<double>> before(axes);
  std::int64_t cycles = 0;
  bool steady = false;
  while (cycles < options.max_cycles && !steady) {
    if (bench.progress.stop_requested()) return std::nullopt;
    run_cycle();
    ++cycles;
    steady = true;
    for (std::size_t k = 0; k < axes; ++k) {
      if (drives[k].amplitude == 0.0) continue;
      const Reduction r = reduce_sine(cycle[k].u, cycle[k].force, 1);
      const std::complex<double> K = std::polar(r.k_dyn, r.loss_angle);
      settled[k] = std::abs(K - before[k]) <= options.settle_tolerance * std::abs(K);
      steady = steady && settled[k];
      before[k] = K;
    }
  }

  // A steady response repeats: filters get a lead of copies of it to settle on.
  const bool filtered = options.filter_force_hz > 0.0 || options.filter_displacement_hz > 0.0;
  const std::size_t lead = filtered ? 40 : 0, measured = static_cast<std::size_t>(options.measured_cycles);
  std::vector<std::vector<double>> all_u(axes), all_force(axes), all_acceleration(axes);
  std::vector<std::vector<MountRecord>> inside(axes);
  for (std::size_t k = 0; k < axes; ++k)
    if (specimen.mount(k) != nullptr) inside[k] = records_of(*specimen.mount(k));
  run_cycle(keep != nullptr ? &inside : nullptr);
  for (std::size_t k = 0; keep != nullptr && k < axes; ++k)
    keep->push_back(
        {frequency_hz, drives[k].amplitude, drives[k].preload, cycle[k].u, cycle[k].force, std::move(inside[k])});
  for (std::size_t c = 0; c < lead + measured; ++c) {
    if (c > lead) run_cycle();
    for (std::size_t k = 0; k < axes; ++k) {
      if (drives[k].amplitude == 0.0) continue;
      all_u[k].insert(all_u[k].end(), cycle[k].u.begin(), cycle[k].u.end());
      all_force[k].insert(all_force[k].end(), cycle[k].force.begin(), cycle[k].force.end());
      if (options.fixture_mass_kg > 0.0)
        for (const double s : cycle[k].sine) all_acceleration[k].push_back(-drives[k].amplitude * omega * omega * s);
    }
  }
  for (std::size_t k = 0; k < axes; ++k) {
    RigMapRow& row = rows[k];
    row.cycles = cycles, row.settled = settled[k];
    if (drives[k].amplitude == 0.0) continue;
    RandomStream noise = noise_of(bench, task, k);
    apply_sensors(sensors_of(bench, k), h, all_acceleration[k], all_u[k], all_force[k], noise);
    const Reduction r =
        reduce_sine(std::span<const double>(all_u[k]).subspan(lead * n),
                    std::span<const double>(all_force[k]).subspan(lead * n), static_cast<int>(measured));
    row.response = {r.k_dyn, r.loss_angle, r.k_dyn_loop, r.loss_angle_loop};
    if (!(options.noise_k_dyn_rel > 0.0) && !(options.noise_loss_angle_deg > 0.0)) continue;
    const double gain = 1.0 + options.noise_k_dyn_rel * noise.normal();
    const double turn = options.noise_loss_angle_deg * std::numbers::pi / 180.0 * noise.normal();
    row.response.k_dyn *= gain;
    row.response.k_dyn_loop *= gain;
    row.response.loss_angle += turn;
    row.response.loss_angle_loop += turn;
  }
  return rows;
}

void run_map(Bench& bench, const std::vector<MapLevel>& levels, std::size_t shown_frequency,
             const std::function<void(RigMapRow&)>& complete) {
  const RigOptions& options = bench.options;
  RigResult& common = bench.common;
  const std::size_t total = levels.size() * options.frequencies_hz.size();
  if (total == 0) throw_bad_input("rig", "the map has no points", "give frequencies_hz, amplitudes_m and preloads_n");
  if (total > 10'000'000)
    throw_bad_input("rig", fmt::format("the map has {} points, the limit is 10000000", total), "thin the grid out");
  std::size_t done = 0, open = 0;
  for (const MapLevel& level : levels)
    for (std::size_t f = 0; f < options.frequencies_hz.size(); ++f) {
      std::vector<RigLoop> loops;
      const bool keep = level.shown && f == shown_frequency;
      auto rows = run_point(bench, options.frequencies_hz[f], level.drives, done, keep ? &loops : nullptr);
      if (!rows) return mark_stopped(common, fmt::format("stopped after {} of {} points", done, total));
      bool settled = true;
      for (std::size_t k = 0; k < rows->size(); ++k) {
        RigMapRow& row = (*rows)[k];
        if (level.drives[k].amplitude == 0.0) continue;
        if (complete) complete(row);
        bench.axes[k]->map.push_back(row);
        if (keep) bench.axes[k]->loops.push_back(std::move(loops[k]));
        settled = settled && row.settled;
        if (!row.settled && common.findings.size() < 20)
          common.findings.push_back(
              {Severity::warning, "not_settled",
               fmt::format("{:g} Hz, amplitude {:g}, preload {:g} (SI)", row.frequency_hz, row.amplitude, row.preload),
               fmt::format("the response still changes after {} cycles", row.cycles),
               "raise max_cycles or settle_tolerance"});
      }
      open += settled ? 0 : 1;
      ++done;
      bench.progress.report(static_cast<double>(done) / static_cast<double>(total), "map");
    }
  if (open == 0) return;
  common.status = "not_settled";
  common.reason = fmt::format("{} of {} points did not repeat to {:g} within {} cycles", open, total,
                              options.settle_tolerance, options.max_cycles);
}

void run_static(Bench& bench, const std::vector<AxisDrive>& drives) {
  const RigOptions& options = bench.options;
  const std::size_t n = static_cast<std::size_t>(options.static_points), axes = bench.specimen.axes();
  // The speed is that of the translation that goes farthest; without one, of the rotation.
  double largest = 0.0;
  for (std::size_t k = 0; k < axes; ++k)
    if (k < 3 || largest == 0.0) largest = std::max(largest, drives[k].amplitude);
  const double period = 4.0 * largest / options.static_rate_m_per_s, h = period / static_cast<double>(n);
  // [rig E2] Triangle 0 -> a -> -a -> 0, sampled so that the corners are samples when n is a multiple of four; axes
  // move in proportion.
  const auto triangle = [&](std::size_t i, double amplitude) {
    const double s = 4.0 * static_cast<double>(i % n) / static_cast<double>(n);
    return amplitude * (s <= 1.0 ? s : s <= 3.0 ? 2.0 - s : s - 4.0);
  };
  const std::size_t samples = n * static_cast<std::size_t>(options.static_cycles);
  std::vector<Motion<double>> now(axes);
  std::vector<double> force(axes);
  for (std::size_t k = 0; k < axes; ++k) now[k] = {drives[k].u0, 0.0};
  bench.specimen.start(now);
  for (std::size_t i = 1; i <= samples; ++i) {
    if (i % n == 1) {
      if (bench.progress.stop_requested())
        return mark_stopped(bench.common, fmt::format("stopped after {} of {} cycles", i / n, options.static_cycles));
      bench.progress.report(static_cast<double>(i) / static_cast<double>(samples), "static loop");
    }
    // Straight lines: the velocity jumps at the corners, so it is set at the start of each step too.
    for (std::size_t k = 0; k < axes; ++k) {
      const double to = drives[k].u0 + triangle(i, drives[k].amplitude);
      now[k] = {to, (to - now[k].u) / h};
    }
    bench.specimen.change_velocity(now);
    bench.specimen.advance(now, h, force);
    if (i + n > samples)
      for (std::size_t k = 0; k < axes; ++k) {
        bench.axes[k]->static_loop.displacement.push_back(now[k].u);
        bench.axes[k]->static_loop.force.push_back(force[k]);
      }
  }
  RigOptions sensors = options;
  sensors.fixture_mass_kg = 0.0;  // a slow triangle has no acceleration worth the name
  for (std::size_t k = 0; k < axes; ++k) {
    RandomStream noise = noise_of(bench, 0, k);
    apply_sensors(sensors, h, {}, bench.axes[k]->static_loop.displacement, bench.axes[k]->static_loop.force, noise);
  }
}

Excitation excitation_of(const RigOptions& options, const BenchSeries* input) {
  const auto seed = static_cast<std::uint64_t>(options.seed);
  switch (options.program) {
    case RigProgram::sweep:
      return sweep_excitation(options.sweep_amplitude_m, options.sweep_from_hz, options.sweep_to_hz, options.duration_s,
                              options.sample_rate_hz);
    case RigProgram::random:
      return random_excitation(options.random_rms_m, options.random_lower_hz, options.random_upper_hz, 1.0,
                               options.duration_s, options.sample_rate_hz, seed);
    case RigProgram::road:
      return road_excitation(options.random_rms_m, options.random_lower_hz, options.random_upper_hz, options.duration_s,
                             options.sample_rate_hz, seed);
    default: break;
  }
  if (!options.formula.empty()) return formula_excitation(options.formula, options.duration_s, options.sample_rate_hz);
  if (input == nullptr || input->time.empty())
    throw_bad_input("program", "the transient programme has no input",
                    "give --input FILE (time_s, displacement_mm) or --formula TEXT");
  return recorded_excitation(*input);
}

void run_series(Bench& bench, std::vector<Excitation> paths, const std::vector<AxisDrive>& drives) {
  if (bench.progress.stop_requested()) return mark_stopped(bench.common, "stopped before the run");
  const std::size_t axes = bench.specimen.axes();
  std::vector<double> time;
  for (const Excitation& path : paths)
    if (!path.time.empty()) time = path.time;
  for (std::size_t k = 0; k < axes; ++k) {
    if (paths[k].time.empty())
      paths[k] = {time, std::vector<double>(time.size()), std::vector<double>(time.size()),
                  std::vector<double>(time.size())};
    demand(paths[k].time.size() == time.size(), "all axes move over one time");
    for (double& u : paths[k].displacement) u += drives[k].u0;
    bench.axes[k]->series.force.resize(time.size());
  }
  std::vector<Motion<double>> at(axes);
  std::vector<double> force(axes);
  for (std::size_t i = 0; i < time.size(); ++i) {
    for (std::size_t k = 0; k < axes; ++k) at[k] = {paths[k].displacement[i], paths[k].velocity[i]};
    if (i == 0)
      bench.specimen.start(at), bench.specimen.peek(at, force);
    else
      bench.specimen.advance(at, time[i] - time[i - 1], force);
    for (std::size_t k = 0; k < axes; ++k) {
      RigResult& result = *bench.axes[k];
      result.series.force[i] = force[k];
      if (bench.specimen.mount(k) == nullptr) continue;
      if (i == 0) result.inside = records_of(*bench.specimen.mount(k));
      record(*bench.specimen.mount(k), result.inside);
    }
  }
  const double h = time.size() > 1 ? time[1] - time[0] : 1.0;
  for (std::size_t k = 0; k < axes; ++k) {
    BenchSeries& out = bench.axes[k]->series;
    out.time = time;
    out.displacement = std::move(paths[k].displacement);
    RandomStream noise = noise_of(bench, 0, k);
    apply_sensors(sensors_of(bench, k), h, paths[k].acceleration, out.displacement, out.force, noise);
  }
}

// [rig E11] Windows of six cycles about evenly spaced (in log f) places of the sweep, each reduced by a least-squares
// fit on the known phase.
void reduce_sweep(const RigOptions& options, const AxisDrive& drive, RigResult& result,
                  const std::function<void(RigMapRow&)>& complete) {
  constexpr int places = 60;
  constexpr double half_window = 3.0 * 2.0 * std::numbers::pi;
  const double growth = std::log(options.sweep_to_hz / options.sweep_from_hz) / options.duration_s;
  const auto phase_at = [&](double t) {
    const double w = 2.0 * std::numbers::pi * options.sweep_from_hz;
    return std::abs(growth) > 1e-12 ? w * std::expm1(growth * t) / growth : w * t;
  };
  const double last = phase_at(options.duration_s);
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
    row.preload = drive.preload;
    row.response = {r.k_dyn, r.loss_angle, r.k_dyn_loop, r.loss_angle_loop};
    row.settled = true;
    if (complete) complete(row);
    result.map.push_back(row);
  }
}

}  // namespace kdyn::inline rig::internal
