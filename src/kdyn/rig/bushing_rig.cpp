// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/bushing_rig.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/rig/internal/bench.hpp"
#include "kdyn/signal/reduction.hpp"

namespace kdyn::inline rig {

const FieldTable& fields_of(const AxisMotion*) {
  using M = AxisMotion;
  static const FieldTable table = FieldTable::of<M>("motion", [](FieldTable& t) {
    t.add(&M::amplitude, "amplitude", "m or rad", "Amplitude, zero to peak; random and road: rms").at_least(0.0);
    t.add(&M::phase_deg, "phase_deg", "deg", "Phase of the sine").range(-3600.0, 3600.0);
    t.add(&M::preload, "preload", "N or N*m", "Static force about which the axis moves");
    t.add(&M::frequency_hz, "frequency_hz", "Hz", "Transient: frequency of the sine").above(0.0);
    t.add(&M::formula, "formula", "m or rad", "Transient: displacement over the time t in s, in place of a sine");
  });
  return table;
}

namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

std::string place_of(std::size_t axis) { return fmt::format("motion.{}", axis_names[axis]); }

// Options that a programme cannot use are refused: a motion that is not made would look like one that is.
void check(const BushingRigOptions& options, bool recorded) {
  const RigProgram program = options.rig.program;
  const bool moves = std::any_of(options.motion.begin(), options.motion.end(),
                                 [](const auto& m) { return m && (m->amplitude > 0.0 || !m->formula.empty()); });
  if (!moves && !recorded)
    throw_bad_input(
        "motion", "no axis of the bushing moves",
        R"(give --motion '{"fx": {"amplitude": 1e-3}, "fz": {"amplitude": 5e-4, "phase_deg": 90}}', or --axis fz for one axis alone)");
  for (std::size_t k = 0; k < 6; ++k) {
    if (!options.motion[k]) continue;
    const AxisMotion& m = *options.motion[k];
    const auto refuse = [&](const char* key, const std::string& why, const char* remedy) {
      throw_bad_input(place_of(k) + "." + key, why, remedy);
    };
    if (program != RigProgram::transient) {
      if (m.frequency_hz)
        refuse("frequency_hz", "the programme has its own frequencies",
               "use --program transient for a frequency of each axis");
      if (!m.formula.empty()) refuse("formula", "a formula needs the programme transient", "use --program transient");
      if (m.phase_deg != 0.0 && program != RigProgram::map)
        refuse("phase_deg", "this programme has no phase", "leave it out");
      continue;
    }
    if (recorded) {
      if (m.amplitude != 0.0 || m.frequency_hz || !m.formula.empty() || m.phase_deg != 0.0)
        throw_bad_input(place_of(k), "the motion comes from the file",
                        "give nothing but preload here, or leave --input out");
    } else if (!m.formula.empty()) {
      if (m.amplitude != 0.0 || m.frequency_hz || m.phase_deg != 0.0)
        refuse("formula", "the axis has a formula and a sine", "put the sine into the formula");
    } else if (m.amplitude > 0.0 && !m.frequency_hz) {
      refuse("amplitude", "a sine in the programme transient needs a frequency", "give frequency_hz");
    }
  }
}

std::string sine_formula(const AxisMotion& m) {
  return fmt::format("{}*sin({}*t + {})", m.amplitude, two_pi * *m.frequency_hz,
                     m.phase_deg * std::numbers::pi / 180.0);
}

Excitation path_of(const BushingRigOptions& options, std::size_t axis, const BushingInput* input) {
  if (input != nullptr) return (*input)[axis] ? internal::excitation_of(options.rig, &*(*input)[axis]) : Excitation{};
  if (!options.motion[axis]) return {};
  const AxisMotion& m = *options.motion[axis];
  if (m.formula.empty() && m.amplitude == 0.0) return {};
  RigOptions own = options.rig;
  own.seed += static_cast<std::int64_t>(axis);  // independent from axis to axis
  own.sweep_amplitude_m = own.random_rms_m = m.amplitude;
  if (own.program == RigProgram::transient) own.formula = m.formula.empty() ? sine_formula(m) : m.formula;
  return internal::excitation_of(own, nullptr);
}

// Sines of a transient over whole cycles of the second half, by their own phase.
void reduce_sine_of(const AxisMotion& m, double duration_s, RigResult& result) {
  const double cycles = std::floor(0.5 * duration_s * *m.frequency_hz + 1e-9);
  if (cycles < 1.0) {
    result.findings.push_back(
        {Severity::note, "too_short_to_reduce", "duration_s",
         fmt::format("the second half of {:g} s holds no cycle of {:g} Hz", duration_s, *m.frequency_hz),
         "run longer"});
    return;
  }
  const BenchSeries& s = result.series;
  const double from = s.time.back() - cycles / *m.frequency_hz;
  std::vector<double> phase, u, force;
  for (std::size_t i = 0; i < s.time.size(); ++i) {
    if (s.time[i] <= from) continue;
    phase.push_back(two_pi * *m.frequency_hz * s.time[i]);
    u.push_back(s.displacement[i]), force.push_back(s.force[i]);
  }
  if (phase.size() < 16) {
    result.findings.push_back({Severity::note, "too_short_to_reduce", "sample_rate_hz",
                               fmt::format("{} samples are too few to reduce", phase.size()), "raise sample_rate_hz"});
    return;
  }
  const Reduction r = reduce_by_phase(phase, u, force);
  RigMapRow row;
  row.frequency_hz = *m.frequency_hz, row.amplitude = r.amplitude, row.preload = m.preload;
  row.response = {r.k_dyn, r.loss_angle, r.k_dyn_loop, r.loss_angle_loop};
  row.cycles = static_cast<std::int64_t>(cycles), row.settled = true;
  result.map.push_back(row);
}

}  // namespace

Bushing::Vector static_displacement(const Bushing& bushing, const std::array<std::optional<double>, 6>& preload) {
  std::vector<std::size_t> free;
  for (std::size_t k = 0; k < 6; ++k)
    if (preload[k]) free.push_back(k);
  Bushing::Vector u{};
  if (free.empty()) return u;
  const auto n = static_cast<Eigen::Index>(free.size());
  const auto residual = [&](const Bushing::Vector& at) {
    const Bushing::Vector force = bushing.static_force(at);
    Eigen::VectorXd r(n);
    for (Eigen::Index i = 0; i < n; ++i)
      r[i] = force[free[static_cast<std::size_t>(i)]] - *preload[free[static_cast<std::size_t>(i)]];
    return r;
  };
  // Forces and moments differ in size: each counts against its preload and the force of a tenth of a millimetre
  // (milliradian).
  Eigen::VectorXd size(n);
  Eigen::VectorXd r = residual(u);
  for (int round = 0; round < 200; ++round) {
    Eigen::MatrixXd slope(n, n);
    for (Eigen::Index j = 0; j < n; ++j) {
      constexpr double small = 1e-8;
      const std::size_t k = free[static_cast<std::size_t>(j)];
      Bushing::Vector plus = u, minus = u;
      plus[k] += small, minus[k] -= small;
      slope.col(j) = (residual(plus) - residual(minus)) / (2.0 * small);
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      size[i] = std::abs(*preload[free[static_cast<std::size_t>(i)]]) + 1e-4 * std::abs(slope(i, i));
      if (!(slope.row(i).cwiseAbs().maxCoeff() > 0.0)) {
        const std::size_t k = free[static_cast<std::size_t>(i)];
        if (std::abs(r[i]) > 0.0)
          throw_bad_input(place_of(k) + ".preload", "the axis carries no static force", "leave its preload out");
        slope(i, i) = 1.0, size[i] = 1.0;
      }
    }
    const double worst = r.cwiseQuotient(size).cwiseAbs().maxCoeff();
    if (worst <= 1e-12) return u;
    const Eigen::VectorXd step = -slope.fullPivLu().solve(r);
    // Curves bend: shorter steps until the force comes nearer.
    bool nearer = false;
    for (double part = 1.0; part > 1e-6 && !nearer; part *= 0.5) {
      Bushing::Vector next = u;
      for (Eigen::Index i = 0; i < n; ++i) next[free[static_cast<std::size_t>(i)]] += part * step[i];
      const Eigen::VectorXd there = residual(next);
      nearer = there.allFinite() && there.cwiseQuotient(size).cwiseAbs().maxCoeff() < worst;
      if (nearer) u = next, r = there;
    }
    if (nearer) continue;
    if (worst <= 1e-9) return u;  // rounding keeps it from coming nearer
    break;
  }
  throw_bad_input("motion", "no static displacement of the bushing has these preloads", "lower the preloads");
}

BushingRigResult run_bushing_rig(const Bushing& given, const BushingRigOptions& options, const BushingInput* input,
                                 Progress& progress) {
  check(options, input != nullptr);
  Bushing bushing = given;
  for (auto& axis : bushing.axes)
    if (axis && options.rig.temperature_c) axis = axis->at_temperature(*options.rig.temperature_c);
  BushingRigResult out;
  RigResult common;
  common.status = "done";
  std::array<std::optional<double>, 6> preload;
  for (std::size_t k = 0; k < 6; ++k)
    if (options.motion[k])
      preload[k] = options.motion[k]->preload;
    else if (input != nullptr && (*input)[k])
      preload[k] = 0.0;
  out.centre = static_displacement(bushing, preload);
  std::vector<internal::AxisDrive> drives(6);
  for (std::size_t k = 0; k < 6; ++k) {
    drives[k].u0 = out.centre[k];
    if (!options.motion[k]) continue;
    drives[k].amplitude = options.motion[k]->amplitude, drives[k].preload = options.motion[k]->preload;
    drives[k].phase = options.motion[k]->phase_deg * std::numbers::pi / 180.0;
  }
  internal::BushingSpecimen specimen(bushing);
  internal::Bench bench{specimen, options.rig, common, {}, progress};
  for (RigResult& axis : out.axes) bench.axes.push_back(&axis);
  const auto series = [&] {
    std::vector<Excitation> paths;
    for (std::size_t k = 0; k < 6; ++k) paths.push_back(path_of(options, k, input));
    internal::run_series(bench, std::move(paths), drives);
  };
  switch (options.rig.program) {
    case RigProgram::map: {
      std::vector<internal::MapLevel> levels;
      for (const double factor : options.factors) {
        levels.push_back({drives, true});
        for (internal::AxisDrive& drive : levels.back().drives) drive.amplitude *= factor;
      }
      internal::run_map(bench, levels, options.rig.frequencies_hz.size() / 2);
      break;
    }
    case RigProgram::static_loop: internal::run_static(bench, drives); break;
    case RigProgram::random:
    case RigProgram::road: series(); break;
    case RigProgram::transient:
      series();
      for (std::size_t k = 0; k < 6 && input == nullptr && common.status == "done"; ++k)
        if (options.motion[k] && options.motion[k]->amplitude > 0.0)
          reduce_sine_of(*options.motion[k], options.rig.duration_s, out.axes[k]);
      break;
    case RigProgram::sweep:
      series();
      for (std::size_t k = 0; k < 6 && common.status == "done"; ++k)
        if (drives[k].amplitude > 0.0) internal::reduce_sweep(options.rig, drives[k], out.axes[k]);
      break;
  }
  out.status = common.status, out.reason = common.reason, out.findings = std::move(common.findings);
  for (std::size_t k = 0; k < 6; ++k) {
    RigResult& axis = out.axes[k];
    axis.status = out.status;
    axis.static_loop.axis = axis.series.axis = k < 3 ? AxisKind::translation : AxisKind::rotation;
    const auto carries = [](const std::vector<double>& force) {
      return std::any_of(force.begin(), force.end(), [](double f) { return f != 0.0; });
    };
    out.shown[k] = options.motion[k].has_value() || (input != nullptr && (*input)[k]) || carries(axis.series.force) ||
                   carries(axis.static_loop.force);
    for (Finding& finding : axis.findings)
      finding.where = fmt::format("{}: {}", axis_names[k], finding.where), out.findings.push_back(finding);
  }
  return out;
}

}  // namespace kdyn::inline rig
