// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/linear_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/numerics/nnls.hpp"
#include "kdyn/rig/rig.hpp"
#include "kdyn/rivals/maxwell.hpp"

namespace kdyn::inline rig {

const FieldTable& fields_of(const LinearModelOptions*) {
  using O = LinearModelOptions;
  static const FieldTable table = FieldTable::of<O>("linearise", [](FieldTable& t) {
    t.add(&O::amplitude_m, "amplitude_m", "m", "Amplitude at which the mount is made linear").above(0.0);
    t.add(&O::preload_n, "preload_n", "N", "Static preload");
    t.add(&O::from_hz, "from_hz", "Hz", "Lowest frequency of use").above(0.0);
    t.add(&O::to_hz, "to_hz", "Hz", "Highest frequency of use").above(0.0);
    t.add(&O::terms, "terms", "-", "Maxwell terms at most; those that are not needed are left out")
        .range(1, Maxwell<double>::max_branches);
  });
  return table;
}

namespace {

std::complex<double> term(double hz, double time) {
  const std::complex<double> s(0.0, 2.0 * std::numbers::pi * hz * time);
  return s / (1.0 + s);
}

std::complex<double> fluid_term(double hz, double resonance_hz, double damping) {
  const double x = hz / resonance_hz;
  const std::complex<double> moving(-x * x, 2.0 * damping * x);
  return moving / (1.0 + moving);
}

// Non-negative shares of Maxwell terms and, when there is a resonance, of a damper and the fluid term in what the
// static spring leaves.
struct Shares {
  Eigen::VectorXd of;   // Maxwell terms, damper, fluid
  double square = 0.0;  // of the relative misfit
};

struct FluidGuess {
  double hz = 0.0, damping = 0.0, time = 0.0;  // time of the one Maxwell term beside it
};

Shares fit_shares(const LinearModel& m, const std::vector<double>& times, const FluidGuess& fluid = {}) {
  const auto points = static_cast<Eigen::Index>(m.target.size()), maxwell = static_cast<Eigen::Index>(times.size());
  const Eigen::Index columns = maxwell + (fluid.hz > 0.0 ? 2 : 0);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * points, columns);
  Eigen::VectorXd b(2 * points);
  for (Eigen::Index i = 0; i < points; ++i) {
    const std::complex<double> target = m.target[static_cast<std::size_t>(i)];
    const double w = 1.0 / std::abs(target), hz = m.frequency_hz[static_cast<std::size_t>(i)];
    const auto put = [&](Eigen::Index column, std::complex<double> value) {
      A(2 * i, column) = w * value.real();
      A(2 * i + 1, column) = w * value.imag();
    };
    for (Eigen::Index j = 0; j < maxwell; ++j) put(j, term(hz, times[static_cast<std::size_t>(j)]));
    if (fluid.hz > 0.0) {
      put(maxwell, {0.0, hz / fluid.hz});  // scaled to the size of the others
      put(maxwell + 1, fluid_term(hz, fluid.hz, fluid.damping));
    }
    b[2 * i] = w * (target.real() - m.static_stiffness);
    b[2 * i + 1] = w * target.imag();
  }
  Shares shares{non_negative_least_squares(A, b), 0.0};  // [rig E16]
  shares.square = (A * shares.of - b).squaredNorm();
  return shares;
}

// Keeps the times that have a share, and gives up those that cost least until there are at most `most`.
Shares fit_few(const LinearModel& m, std::vector<double>& times, std::size_t most) {
  Shares shares = fit_shares(m, times);
  const auto keep_used = [&] {
    std::vector<double> used;
    for (std::size_t j = 0; j < times.size(); ++j)
      if (shares.of[static_cast<Eigen::Index>(j)] > 0.0) used.push_back(times[j]);
    times = std::move(used);
    shares = fit_shares(m, times);
  };
  keep_used();
  while (times.size() > most) {
    Shares best;
    std::size_t given_up = 0;
    for (std::size_t j = 0; j < times.size(); ++j) {
      std::vector<double> others = times;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(j));
      Shares without = fit_shares(m, others);
      if (j == 0 || without.square < best.square) best = std::move(without), given_up = j;
    }
    times.erase(times.begin() + static_cast<std::ptrdiff_t>(given_up));
    shares = std::move(best);
  }
  return shares;
}

// [rig E17] Frequency and damping of the fluid term and the time of the Maxwell term: a grid over the band, then ever
// smaller steps.
Shares search_fluid(const LinearModel& m, FluidGuess& found) {
  Shares best;
  best.square = std::numeric_limits<double>::infinity();
  const double slowest = 100.0 / m.frequency_hz.front(), fastest = 0.01 / m.frequency_hz.back();
  const auto look = [&](const FluidGuess& at) {
    // A resonance lies inside the band, not at its edge.
    if (at.hz < 1.05 * m.frequency_hz.front() || at.hz > m.frequency_hz.back() / 1.05 || at.damping < 1e-3 ||
        at.damping > 1.5 || at.time < fastest || at.time > slowest)
      return false;
    Shares shares = fit_shares(m, {at.time}, at);
    if (!(shares.square < best.square)) return false;
    best = std::move(shares);
    found = at;
    return true;
  };
  const double middle = 1.0 / (2.0 * std::numbers::pi * std::sqrt(m.frequency_hz.front() * m.frequency_hz.back()));
  for (std::size_t i = 0; i < m.frequency_hz.size(); i += 2)
    for (const double z : {0.03, 0.1, 0.3, 0.8})
      for (const double time : {0.1 * middle, middle, 10.0 * middle}) look({m.frequency_hz[i], z, time});
  for (double step = 0.2; step > 1e-4;) {
    const FluidGuess at = found;
    // Every side is looked at; the best of them stays.
    bool better = false;
    for (const double factor : {1.0 + step, 1.0 / (1.0 + step)}) {
      better = look({at.hz * factor, at.damping, at.time}) || better;
      better = look({at.hz, at.damping * factor * factor, at.time}) || better;
      better = look({at.hz, at.damping, at.time * factor * factor}) || better;
    }
    if (!better) step *= 0.5;
  }
  return best;
}

// First-harmonic stiffness at one point: closed form where the law has one, the virtual rig otherwise.
std::complex<double> first_harmonic(const Mount& mount, double hz, double amplitude, double preload) {
  if (const auto closed = mount.closed_form(hz, amplitude, mount.static_displacement(preload)))
    return std::polar(closed->k_dyn, closed->loss_angle);
  RigOptions options;
  options.frequencies_hz = {hz};
  options.amplitudes_m = {amplitude};
  options.preloads_n = {preload};
  const RigResult result = run_rig(mount, options);
  return std::polar(result.map.front().response.k_dyn, result.map.front().response.loss_angle);
}

}  // namespace

std::complex<double> LinearModel::stiffness_at(double hz) const {
  std::complex<double> K = static_stiffness;
  for (std::size_t i = 0; i < stiffness.size(); ++i) K += stiffness[i] * term(hz, time[i]);
  K += std::complex<double>(0.0, 2.0 * std::numbers::pi * hz * damping);
  if (fluid.stiffness > 0.0) K += fluid.stiffness * fluid_term(hz, fluid.frequency_hz, fluid.damping);
  return K;
}

LinearModel linear_model(const Mount& mount, const LinearModelOptions& options) {
  if (!(options.from_hz < options.to_hz))
    throw_bad_input("to_hz", fmt::format("{:g} Hz is not above from_hz = {:g} Hz", options.to_hz, options.from_hz),
                    "give from_hz < to_hz");
  constexpr int points = 60;
  LinearModel out;
  out.preload = options.preload_n;
  out.displacement = mount.static_displacement(options.preload_n);
  const double h = 1e-6 * std::max(std::abs(out.displacement), options.amplitude_m);
  out.static_stiffness =
      (mount.static_force(out.displacement + h) - mount.static_force(out.displacement - h)) / (2.0 * h);
  for (int i = 0; i < points; ++i) {
    out.frequency_hz.push_back(options.from_hz * std::pow(options.to_hz / options.from_hz, i / (points - 1.0)));
    out.target.push_back(first_harmonic(mount, out.frequency_hz.back(), options.amplitude_m, options.preload_n));
  }
  // Times reach beyond the band on both sides: loss that does not fall towards low frequency needs slow terms, a damper
  // fast ones.
  constexpr int offered = 40;
  std::vector<double> times;
  const double slow = 10.0 / (2.0 * std::numbers::pi * options.from_hz),
               fast = 0.05 / (2.0 * std::numbers::pi * options.to_hz);
  for (int i = 0; i < offered; ++i) times.push_back(fast * std::pow(slow / fast, i / (offered - 1.0)));
  Shares shares = fit_few(out, times, static_cast<std::size_t>(options.terms));
  constexpr double resonates = 0.05;  // rms misfit that no rubber leaves
  if (shares.square > resonates * resonates * points) {
    FluidGuess fluid;
    Shares with = search_fluid(out, fluid);
    if (with.square < 0.5 * shares.square) {
      shares = std::move(with);
      times = {fluid.time};
      out.damping = shares.of[1] / (2.0 * std::numbers::pi * fluid.hz);
      out.fluid = {shares.of[2], fluid.hz, fluid.damping};
    }
  }
  for (std::size_t j = 0; j < times.size(); ++j)
    if (const double share = shares.of[static_cast<Eigen::Index>(j)]; share > 0.0) {
      out.stiffness.push_back(share);
      out.time.push_back(times[j]);
    }
  double error = 0.0, size = 0.0;
  for (std::size_t i = 0; i < out.target.size(); ++i) {
    out.model.push_back(out.stiffness_at(out.frequency_hz[i]));
    error += std::norm(out.model.back() - out.target[i]);
    size += std::norm(out.target[i]);
    if (const double here = std::abs(out.model.back() / out.target[i] - 1.0); here > out.worst)
      out.worst = here, out.worst_hz = out.frequency_hz[i];
  }
  out.misfit = std::sqrt(error / size);
  return out;
}

void linear_model_json(const LinearModel& m, const Mount& mount, Json& out) {
  out = Json::object();
  if (!(m.fluid.stiffness > 0.0)) {
    out["model"] = "maxwell";
    out["parameters"] = {
        {"static_stiffness", m.static_stiffness}, {"stiffness", m.stiffness}, {"relaxation_time", m.time}};
    return;
  }
  Json main = {{"static_stiffness", m.static_stiffness}, {"rdl", 0.0}, {"rho", 0.0}, {"lambda", 0.0}};
  if (!m.stiffness.empty() || m.damping > 0.0) {
    // [elastomer E2] is a Maxwell term k_1, t_1 beside a damper beta k_1 t_1 when gamma = t_1, alpha = 1 + beta, k
    // lambda = k_1 (1 + beta). A damper alone is a beta near its bound.
    constexpr double large = 9e5;
    const double time = m.time.empty() ? 1.0 : m.time.front();
    const double spring = std::max(m.stiffness.empty() ? 0.0 : m.stiffness.front(), m.damping / (large * time)),
                 beta = m.damping / (spring * time);
    main.update({{"alpha", 1.0 + beta},
                 {"beta", beta},
                 {"gamma", time},
                 {"lambda", spring * (1.0 + beta) / m.static_stiffness}});
  }
  Json like;
  mount.to_json(like);
  const bool hydro = mount.model() == "hydromount";
  const auto geometry = [&](const char* key, double otherwise) {
    return hydro ? like["parameters"][key].get<double>() : otherwise;
  };
  const double chamber = geometry("chamber_area", 5e-3), channel = geometry("channel_area", 5e-5),
               density = geometry("fluid_density", 1e3);
  const double w = 2.0 * std::numbers::pi * m.fluid.frequency_hz, ratio = channel / chamber;
  const double mass = m.fluid.stiffness * ratio * ratio / (w * w);  // [hydromount E3] with p A_B = k_f u2
  out["model"] = "hydromount";
  out["main_rubber"] = {{"model", "elastomer"}, {"parameters", std::move(main)}};
  out["chamber_rubber"] = {{"model", "elastomer"}, {"parameters", {{"static_stiffness", m.fluid.stiffness}}}};
  out["parameters"] = {{"chamber_area", chamber},
                       {"channel_area", channel},
                       {"channel_length", mass / (density * channel)},
                       {"fluid_density", density},
                       {"fluid_damping_linear", 2.0 * m.fluid.damping * w * mass},
                       {"fluid_damping_nonlinear", 0.0}};
}

}  // namespace kdyn::inline rig
