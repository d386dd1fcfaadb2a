// SPDX-License-Identifier: Apache-2.0
// What a law that says everything in Law::parameters and Law::members gets without further code: field table, model
// file
//   {"model": Law::model, "parameters": {every one of Law::parameters}}
// and the steady response of its run-time Mount. Laws with more in their files (curves, parts, lists) have functions of
// their own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/element/element.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/signal/reduction.hpp"

namespace kdyn::inline element {

// The "parameters" of a plain model file; unknown keys beside it and missing parameters are errors that name
// `where`.field.
const Json& plain_parameters(const Json& in, const ParameterInfo* wanted, std::size_t count, const std::string& where);
void plain_json(const char* model, const FieldTable& table, const void* law, Json& out);

template <class Law>
void describe_parameters(FieldTable& table) {
  for (std::size_t i = 0; i < Law::members.size(); ++i) {
    const ParameterInfo& info = Law::parameters[i];
    table.add(Law::members[i], info.name, info.unit, info.meaning).range(info.lower, info.upper).lower_open =
        info.lower_open;
  }
}

template <class Law>
const FieldTable& plain_law_table() {
  static const FieldTable table =
      FieldTable::of<Law>(std::string(Law::model) + " parameters", [](FieldTable& t) { describe_parameters<Law>(t); });
  return table;
}

template <class Law>
Law plain_law_from_json(const Json& in, const std::string& where) {
  Law law;
  plain_law_table<Law>().from_json(&law, plain_parameters(in, Law::parameters.data(), Law::parameters.size(), where),
                                   where + ".parameters");
  law.complete();
  return law;
}

// Magnitude and angle of the first harmonic, with the loop an ellipse: all there is to know of a linear law.
template <class Law>
SteadyResponse linear_response(const Law& law, double frequency_hz, double amplitude) {
  const Complex<double> K = law.harmonic(2.0 * constants::pi * frequency_hz, amplitude);
  const double k = abs(K), angle = arg(K);
  return {k, angle, k, angle};
}

// The first harmonic by the law's own form; range and area of the loop by the law's own form too (half_range), or by a
// run to the steady cycle.
template <class Law>
SteadyResponse plain_steady_response(const Law& law, double frequency_hz, double amplitude) {
  SteadyResponse out = linear_response(law, frequency_hz, amplitude);
  const double omega = 2.0 * constants::pi * frequency_hz;
  if constexpr (requires { Law::linear; }) {
    return out;
  } else if constexpr (requires { law.half_range(omega, amplitude); }) {
    out.k_dyn_loop = law.half_range(omega, amplitude) / amplitude;
    // The area of the loop is pi a^2 Im K  [element E5].
    out.loss_angle_loop = std::asin(std::min(1.0, law.harmonic(omega, amplitude).im / out.k_dyn_loop));
    return out;
  } else {
    constexpr int n = 256, most_cycles = 60;
    const auto motion = [&](int i) {
      const double phase = 2.0 * constants::pi * i / n;
      return Motion<double>{amplitude * std::sin(phase), amplitude * omega * std::cos(phase)};
    };
    auto memory = law.start(0.0);
    std::array<double, Law::state_count> x{};
    const auto step = law.prepare_step(1.0 / (frequency_hz * n));
    std::vector<double> u(n), force(n);
    double before = 0.0;
    for (int cycle = 0; cycle < most_cycles; ++cycle) {
      for (int i = 0; i < n; ++i) {
        force[static_cast<std::size_t>((i + 1) % n)] = law.advance(x.data(), memory, motion(i), motion(i + 1), step);
        u[static_cast<std::size_t>((i + 1) % n)] = motion(i + 1).u;
      }
      const Reduction r = reduce_sine(u, force, 1);
      out.k_dyn_loop = r.k_dyn_loop;
      out.loss_angle_loop = r.loss_angle_loop;
      if (cycle > 0 && std::abs(r.k_dyn_loop - before) <= 1e-9 * before) break;
      before = r.k_dyn_loop;
    }
    return out;
  }
}

// u with static_force(u) = force: one step for straight static forces, a few for bent ones.
template <class Law>
double plain_static_displacement(const Law& law, double force) {
  using J = Jet<1>;
  const auto dual = law.template cast<J>();
  double u = 0.0;
  for (int i = 0; i < 100; ++i) {
    const J f = dual.static_force(J(u, 0));
    const double change = (force - f.a) / f.v[0];
    u += change;
    if (std::abs(change) <= 1e-15 * std::abs(u)) break;
  }
  return u;
}

}  // namespace kdyn::inline element
