// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/rig.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/numerics/formula.hpp"
#include "kdyn/signal/reduction.hpp"

namespace kdyn {
namespace {

constexpr std::size_t max_samples = 50'000'000;

void mark_stopped(RigResult& result, std::string reason) {
  result.status = "stopped";
  result.reason = std::move(reason);
}

// One point of the stepped sine: whole cycles until the reduced stiffness repeats, then the measured ones. Nothing when stopped.
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
  const auto run_cycle = [&] {
    force[0] = first;
    for (std::size_t i = 1; i < n; ++i) force[i] = mount.advance(motion(i), h);
    first = mount.advance(motion(0), h);
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

  std::vector<double> all_u, all_force;
  for (std::int64_t c = 0; c < options.measured_cycles; ++c) {
    run_cycle();
    if (keep != nullptr && c == 0) *keep = {row.frequency_hz, row.amplitude, row.preload, u, force};
    for (std::size_t i = 0; i < n; ++i) {
      all_u.push_back(u[i] + (options.noise_displacement_m > 0.0 ? options.noise_displacement_m * noise.normal() : 0.0));
      all_force.push_back(force[i] + (options.noise_force_n > 0.0 ? options.noise_force_n * noise.normal() : 0.0));
    }
  }
  const Reduction r = reduce_sine(all_u, all_force, static_cast<int>(options.measured_cycles));
  row.response = {r.k_dyn, r.loss_angle, r.k_dyn_loop, r.loss_angle_loop};
  if (options.noise_k_dyn_rel > 0.0 || options.noise_loss_angle_deg > 0.0) {
    const double gain = 1.0 + options.noise_k_dyn_rel * noise.normal();
    const double turn = options.noise_loss_angle_deg * std::numbers::pi / 180.0 * noise.normal();
    row.response.k_dyn *= gain;
    row.response.k_dyn_loop *= gain;
    row.response.loss_angle += turn;
    row.response.loss_angle_loop += turn;
  }
  row.closed_form = mount.closed_form(row.frequency_hz, row.amplitude, u0);
  return row;
}

void run_map(Mount& mount, const RigOptions& options, RigResult& result, Progress& progress) {
  const std::size_t total = options.preloads_n.size() * options.amplitudes_m.size() * options.frequencies_hz.size();
  if (total == 0) throw_bad_input("rig", "the map has no points", "give frequencies_hz, amplitudes_m and preloads_n");
  if (total > 10'000'000) throw_bad_input("rig", fmt::format("the map has {} points, the limit is 10000000", total), "thin the grid out");
  // Loops for the picture: every amplitude at the middle frequency of the first preload.
  const std::size_t middle = options.frequencies_hz.size() / 2;
  std::uint64_t task = 0;
  for (std::size_t p = 0; p < options.preloads_n.size(); ++p)
    for (const double amplitude : options.amplitudes_m)
      for (std::size_t f = 0; f < options.frequencies_hz.size(); ++f) {
        RigMapRow row;
        row.frequency_hz = options.frequencies_hz[f];
        row.amplitude = amplitude;
        row.preload = options.preloads_n[p];
        RigLoop loop;
        const bool keep = p == 0 && f == middle;
        const auto measured =
            run_point(mount, options, row, RandomStream(static_cast<std::uint64_t>(options.seed), task++), keep ? &loop : nullptr, progress);
        if (!measured) return mark_stopped(result, fmt::format("stopped after {} of {} points", result.map.size(), total));
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
                                   fmt::format("{:g} Hz, {:g} m, {:g} N", row.frequency_hz, row.amplitude, row.preload),
                                   fmt::format("the response still changes after {} cycles", row.cycles), "raise max_cycles or settle_tolerance"});
  }
}

void add_noise(const RigOptions& options, std::vector<double>& displacement, std::vector<double>& force) {
  RandomStream noise(static_cast<std::uint64_t>(options.seed));
  if (options.noise_displacement_m > 0.0)
    for (double& u : displacement) u += options.noise_displacement_m * noise.normal();
  if (options.noise_force_n > 0.0)
    for (double& f : force) f += options.noise_force_n * noise.normal();
}

double first_preload(const RigOptions& options) { return options.preloads_n.empty() ? 0.0 : options.preloads_n.front(); }

void run_static(Mount& mount, const RigOptions& options, RigResult& result, Progress& progress) {
  const auto n = static_cast<std::size_t>(options.static_points);
  const double u0 = mount.static_displacement(first_preload(options));
  const double period = 4.0 * options.static_amplitude_m / options.static_rate_m_per_s, h = period / static_cast<double>(n);
  // Triangle 0 -> a -> -a -> 0, sampled so that the corners are samples when n is a multiple of four.
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
  add_noise(options, result.static_loop.displacement, result.static_loop.force);
}

void run_transient(Mount& mount, const RigOptions& options, const BenchSeries* input, RigResult& result, const Progress& progress) {
  if (progress.stop_requested()) return mark_stopped(result, "stopped before the transient");
  const double u0 = mount.static_displacement(first_preload(options));
  BenchSeries& out = result.series;
  std::vector<double> velocity;
  if (!options.formula.empty()) {
    const Formula formula(options.formula, "formula");
    const double samples = std::floor(options.duration_s * options.sample_rate_hz + 1e-9) + 1.0;
    if (samples > static_cast<double>(max_samples))
      throw_bad_input("duration_s", fmt::format("the transient has {:.3g} samples, the limit is {}", samples, max_samples),
                      "shorten it or lower sample_rate_hz");
    for (std::size_t i = 0; i < static_cast<std::size_t>(samples); ++i) {
      const double t = static_cast<double>(i) / options.sample_rate_hz;
      const auto [u, v] = formula(t);
      if (!std::isfinite(u) || !std::isfinite(v))
        throw_bad_input("formula", fmt::format("displacement or velocity is not finite at t = {:g} s", t), "change the formula");
      out.time.push_back(t);
      out.displacement.push_back(u0 + u);
      velocity.push_back(v);
    }
  } else if (input != nullptr && !input->time.empty()) {
    if (input->displacement.size() != input->time.size())
      throw_bad_input("input", fmt::format("{} times but {} displacements", input->time.size(), input->displacement.size()),
                      "give one displacement per time");
    for (std::size_t i = 1; i < input->time.size(); ++i)
      if (!(input->time[i] > input->time[i - 1]))
        throw_bad_input(input->source.path.empty() ? "input" : fmt::format("{}:{}", input->source.path, input->lines.of(i)),
                        fmt::format("time {:g} s does not follow {:g} s", input->time[i], input->time[i - 1]),
                        "sort by time and remove repeated samples");
    out.time = input->time;
    for (const double u : input->displacement) out.displacement.push_back(u0 + u);
  } else {
    throw_bad_input("program", "the transient programme has no input", "give --input FILE (time_s, displacement_mm) or --formula TEXT");
  }
  out.force = simulate(mount, out.time, out.displacement, velocity);
  add_noise(options, out.displacement, out.force);
}

}  // namespace

RigResult run_rig(const Mount& mount, const RigOptions& options, const BenchSeries* input, Progress& progress) {
  RigResult result;
  result.status = "done";
  const std::unique_ptr<Mount> specimen = mount.clone();
  switch (options.program) {
    case RigProgram::map: run_map(*specimen, options, result, progress); break;
    case RigProgram::static_loop: run_static(*specimen, options, result, progress); break;
    case RigProgram::transient: run_transient(*specimen, options, input, result, progress); break;
  }
  return result;
}

}  // namespace kdyn
