// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/active_mount_fit.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/identify/internal/log_fit.hpp"
#include "kdyn/numerics/fit_gate.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/numerics/scatter.hpp"

namespace kdyn::inline identify {
namespace {

using namespace identify;
using Law = ActiveMount<double>;
constexpr std::size_t count = active_mount_parameters.size();
constexpr std::array<const char*, 12> free_by_default = {"cT1", "cT2", "dT1", "dT2", "cB1", "cB2",
                                                         "dB1", "dB2", "dK",  "cA",  "dA",  "kM"};

std::size_t index_of(const std::string& name, const char* option) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < count; ++i) {
    if (name == active_mount_parameters[i].name) return i;
    known.push_back(active_mount_parameters[i].name);
  }
  throw_bad_input(fmt::format("{}.{}", option, name),
                  fmt::format("unknown parameter {} of an active mount", in_quotes(name)), suggest(name, known));
}

// The main rubber acts on the passive paths only, the coil's force on the active ones: without such data there is
// nothing to fit.
std::array<bool, count> free_parameters(const ActiveMountFitOptions& options, bool passive, bool active) {
  std::array<bool, count> is_free{};
  for (const char* name : free_by_default) {
    const bool rubber = name[1] == 'T', coil = std::string_view(name) == "kM";
    is_free[index_of(name, "free")] = rubber ? passive : coil ? active : true;
  }
  for (const std::string& name : options.free) {
    if (name == "dKq")
      throw_bad_input("free.dKq", "a linear frequency response cannot show quadratic damping", "give it by fix");
    is_free[index_of(name, "free")] = true;
  }
  for (const auto& [name, value] : options.fix) is_free[index_of(name, "fix")] = false;
  if (is_free[index_of("AB", "free")] && is_free[index_of("cB1", "free")])
    throw_bad_input("free.AB", "AB cannot be told from the bulge's stiffness: only cB/AB^2 acts",
                    "fix cB1, cB2, dB1 and dB2, or leave AB held");
  return is_free;
}

template <int N>
bool residuals_with_jets(const std::vector<ActiveFrfPoint>& points, const Law& base,
                         const std::vector<std::size_t>& free, const Eigen::VectorXd& values, Eigen::VectorXd& r,
                         Eigen::MatrixXd* J) {
  using T = Jet<N>;
  ActiveMount<T> law = base.cast<T>();
  for (std::size_t k = 0; k < free.size(); ++k) {
    T value(values[static_cast<Eigen::Index>(k)], static_cast<int>(k));
    value.v *= value.a;  // derivative with respect to the logarithm
    law.*ActiveMount<T>::members[free[k]] = value;
  }
  std::array<Complex<T>, 4> all;
  double frequency = -1.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ActiveFrfPoint& p = points[i];
    if (p.frequency_hz != frequency) all = active_responses(law, frequency = p.frequency_hz);
    const Complex<T> quotient =
        all[static_cast<std::size_t>(p.path)] / Complex<T>{T(p.value.real()), T(p.value.imag())};
    const T gain = log(abs(quotient)), angle = arg(quotient);
    const auto row = static_cast<Eigen::Index>(2 * i);
    r[row] = gain.a;
    r[row + 1] = angle.a;
    if (J != nullptr) {
      J->row(row) = derivatives(gain).head(J->cols()).transpose();
      J->row(row + 1) = derivatives(angle).head(J->cols()).transpose();
    }
  }
  return r.allFinite();
}

LogFitProblem make_problem(const std::vector<ActiveFrfPoint>& points, const Law& base,
                           const std::vector<std::size_t>& free, const ActiveMountFitOptions& options) {
  LogFitProblem problem;
  for (const std::size_t i : free) {
    const ParameterInfo& info = active_mount_parameters[i];
    const double start = base.*Law::members[i] > 0.0 ? base.*Law::members[i] : 1e-3;
    problem.parameters.push_back({info.name, info.unit, info.meaning, start, start * 1e-5, start * 1e5});
  }
  problem.groups = {{"gain", "-", options.noise_gain_rel.value_or(0.02), options.noise_gain_rel.has_value()},
                    {"phase", "rad", options.noise_phase_deg.value_or(1.0) * std::numbers::pi / 180.0,
                     options.noise_phase_deg.has_value()}};
  for (std::size_t i = 0; i < points.size(); ++i) problem.group_of.insert(problem.group_of.end(), {0, 1});
  problem.evaluate = [&points, &base, &free](const Eigen::VectorXd& values, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    if (free.size() <= 12) return residuals_with_jets<12>(points, base, free, values, r, J);
    return residuals_with_jets<static_cast<int>(count)>(points, base, free, values, r, J);
  };
  return problem;
}

// Stiffness of the main rubber from the lowest passive frequencies, where the fluid moves freely: |P| there is close to
// cT1.
void start_from_data(const std::vector<ActiveFrfPoint>& points, Law& law, const std::array<bool, count>& is_free) {
  if (!is_free[0]) return;
  const ActiveFrfPoint* lowest = nullptr;
  for (const ActiveFrfPoint& p : points)
    if (is_passive(p.path) && (lowest == nullptr || p.frequency_hz < lowest->frequency_hz)) lowest = &p;
  if (lowest != nullptr && lowest->frequency_hz < 6.0) law.cT1 = std::abs(lowest->value);
}

void add_misfit(const std::vector<ActiveFrfPoint>& points, const Eigen::VectorXd& r, ActiveMountFitResult& result) {
  double gain = 0.0, phase = 0.0;
  for (const ActivePath path : active_paths) {
    double g = 0.0, a = 0.0;
    std::size_t n = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].path != path) continue;
      const auto row = static_cast<Eigen::Index>(2 * i);
      g += std::expm1(r[row]) * std::expm1(r[row]);
      a += r[row + 1] * r[row + 1];
      ++n;
    }
    gain += g;
    phase += a;
    if (n > 0)
      result.paths.push_back({path, n, std::sqrt(g / static_cast<double>(n)), std::sqrt(a / static_cast<double>(n))});
  }
  result.rms_gain_rel = std::sqrt(gain / static_cast<double>(points.size()));
  result.rms_phase = std::sqrt(phase / static_cast<double>(points.size()));
}

// What the gate of all identifications judges: magnitude and phase, against their scatter along frequency.
std::vector<GateChannel> channels_of(const std::vector<ActiveFrfPoint>& points, const Eigen::VectorXd& r,
                                     const ActiveMountFitOptions& options) {
  Scatter gain_scatter, phase_scatter;
  for (const ActivePath path : active_paths) {
    std::vector<std::pair<double, std::complex<double>>> curve;
    for (const ActiveFrfPoint& p : points)
      if (p.path == path && p.frequency_hz > 0.0 && std::abs(p.value) > 0.0)
        curve.emplace_back(std::log(p.frequency_hz), p.value);
    std::stable_sort(curve.begin(), curve.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<double> f, gain, phase;
    for (const auto& [place, value] : curve) {
      f.push_back(place);
      gain.push_back(std::log(std::abs(value)));
      phase.push_back(phase.empty()
                          ? std::arg(value)
                          : phase.back() + std::remainder(std::arg(value) - phase.back(), 2.0 * std::numbers::pi));
    }
    gain_scatter.add(f, gain);
    phase_scatter.add(f, phase);
  }
  GateChannel gain, phase;
  gain.name = "magnitude", gain.unit = "%", gain.factor = 100.0, gain.finest = 0.01, gain.coarsest = 0.05;
  gain.noise = options.noise_gain_rel.value_or(gain_scatter.noise());
  phase.name = "phase", phase.unit = "deg", phase.factor = 1.0 / degree, phase.finest = 0.5 * degree,
  phase.coarsest = 3.0 * degree;
  phase.noise = options.noise_phase_deg ? *options.noise_phase_deg * degree : phase_scatter.noise();
  GateAxis frequency{"frequency", "Hz", 1.0, {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    gain.residuals.push_back(std::expm1(r[static_cast<Eigen::Index>(2 * i)]));
    phase.residuals.push_back(r[static_cast<Eigen::Index>(2 * i + 1)]);
    frequency.values.push_back(points[i].frequency_hz);
  }
  gain.axes = phase.axes = {frequency};
  return {gain, phase};
}

}  // namespace

const FieldTable& fields_of(const ActiveMountFitOptions*) {
  using O = ActiveMountFitOptions;
  static const FieldTable table = FieldTable::of<O>("fit activemount", [](FieldTable& t) {
    t.add(&O::fix, "fix", "SI", "Parameters held at a value, e.g. {\"kM\": 14.0}");
    t.add(&O::free, "free", "-", "Parameters freed although held by default, e.g. mA, L");
    t.add(&O::noise_gain_rel, "noise_gain_rel", "-", "Known relative noise of the magnitudes; null: estimated")
        .above(0.0);
    t.add(&O::noise_phase_deg, "noise_phase_deg", "deg", "Known noise of the phases; null: estimated").above(0.0);
    t.add(&O::starts, "starts", "-", "Start points: the model's values, then scattered about them").range(1, 1000);
    t.add(&O::max_iterations, "max_iterations", "-", "Most iterations of one solution").range(1, 10000);
    t.add(&O::seed, "seed", "-", "Seed of the scattered start points").range(0, 9e15);
  });
  return table;
}

ActiveMountFitResult fit_active_mount(const std::vector<ActiveFrfPoint>& points, const Law& known,
                                      const ActiveMountFitOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  if (points.empty()) throw_bad_input("data", "there are no frequency responses", "give --data FRF.csv");
  bool passive = false, active = false;
  for (const ActiveFrfPoint& p : points) (is_passive(p.path) ? passive : active) = true;
  Law law = known;
  law.dKq = 0.0;
  for (const auto& [name, value] : options.fix) {
    const std::size_t i = index_of(name, "fix");
    check_bounds(*field_table<Law>().find(name), value, "fix." + name);
    law.*Law::members[i] = value;
  }
  const auto is_free = free_parameters(options, passive, active);
  start_from_data(points, law, is_free);
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < count; ++i)
    if (is_free[i]) free.push_back(i);
  if (free.empty()) throw_bad_input("fix", "every parameter is held: nothing is left to fit", "fix fewer parameters");
  if (2 * points.size() < free.size())
    throw_bad_input("data", fmt::format("{} points cannot tell {} parameters", points.size(), free.size()),
                    "give more frequencies or fix parameters");

  LogFitOptions settings;
  settings.max_iterations = static_cast<int>(options.max_iterations);
  settings.starts = static_cast<int>(options.starts);
  settings.scatter = 0.5;
  settings.seed = static_cast<std::uint64_t>(options.seed);
  const LogFitResult fit = fit_log_parameters(make_problem(points, law, free, options), settings, progress);

  ActiveMountFitResult result;
  result.status = fit.status;
  result.reason = fit.reason;
  result.law = law;
  result.law.dKq = known.dKq;
  for (std::size_t i = 0, k = 0; i < count; ++i) {
    const ParameterInfo& info = active_mount_parameters[i];
    if (is_free[i]) {
      result.law.*Law::members[i] = fit.values[static_cast<Eigen::Index>(k)];
      result.parameters.push_back(fit.parameters[k++]);
      result.correlation_names.push_back(info.name);
    } else {
      const double value = result.law.*Law::members[i];
      result.parameters.push_back(
          {info.name, info.unit, info.meaning, value, 0.0, value, value, ParameterStatus::fixed});
    }
  }
  result.correlation = fit.correlation;
  result.not_told_apart = fit.not_told_apart;
  result.noise_gain_rel = fit.groups[0].noise;
  result.noise_phase = fit.groups[1].noise;
  result.start_costs = fit.start_costs;
  result.cost_history = fit.cost_history;
  result.iterations = fit.iterations;
  result.evaluations = fit.evaluations;
  add_misfit(points, fit.residuals, result);
  if (!passive)
    result.findings.push_back({Severity::note, "no_passive_response", "data",
                               "no P_xx or P_yx was given: the main rubber is held",
                               "add the dynamic stiffness to fit cT1, cT2, dT1, dT2"});
  if (!active)
    result.findings.push_back({Severity::note, "no_active_response", "data", "no S_x or S_y was given: kM is held",
                               "add the force per volt to fit kM"});
  std::vector<Finding> wide;
  withhold_wide_intervals(result.parameters, wide);
  const GateVerdict verdict = judge_fit(channels_of(points, fit.residuals, options));
  apply_gate(verdict,
             "check signs and units of the responses, the fixed geometry, and whether the amplitudes were small",
             result.status, result.reason, result.parameters, result.findings);
  if (!verdict.poor) result.findings.insert(result.findings.end(), wide.begin(), wide.end());
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace kdyn::inline identify
