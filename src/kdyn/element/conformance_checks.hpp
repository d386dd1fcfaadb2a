// SPDX-License-Identifier: Apache-2.0
// What every law of kdyn must satisfy, as functions that return complaints (none: the law conforms). No test framework
// in here, so that the checks themselves can be tested on laws with known flaws; element/conformance.hpp makes a test
// suite of them.
//
// Each check compares the law with something that is not the law's own formula: differences against Jets, a simulated
// sine against the linearisation and the closed form, work against stored energy, a fine step against a coarse one,
// JSON against the members. Tolerances follow from the size of a step, a rounding error or an amplitude; the reason
// stands beside each.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/element/conformance_run.hpp"

namespace kdyn::conformance {

// Every bounded parameter refuses a value past its bound, and text, and NaN, in a message that names it.
template <class L>
Complaints check_bounds_by_name(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  Json good;
  access.make_mount(example.law)->to_json(good);
  int bounded = 0;
  for (const Field& field : access.parameters.fields()) {
    if (field.kind != FieldKind::number && field.kind != FieldKind::optional_number && field.kind != FieldKind::integer)
      continue;
    if (field.unit.empty() || field.meaning.empty()) complaints.push_back(field.name + ": has no unit or no meaning");
    std::vector<Json> bad = {Json("text"), Json(std::numeric_limits<double>::quiet_NaN()),
                             Json(std::numeric_limits<double>::infinity())};
    if (std::isfinite(field.lower))
      bad.push_back(field.lower_open ? field.lower : field.lower - 1e-9 * std::max(1.0, std::abs(field.lower)));
    if (std::isfinite(field.upper)) bad.push_back(field.upper + 1e-9 * std::max(1.0, std::abs(field.upper)));
    bounded += bad.size() > 3 ? 1 : 0;
    for (const Json& value : bad) {
      Json model = good;
      model["parameters"][field.name] = value;
      try {
        access.from_json(model);
        complaints.push_back(fmt::format("{} = {} was accepted", field.name, value.dump()));
      } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input || error.where().find(field.name) == std::string::npos ||
            error.remedy().empty())
          complaints.push_back(fmt::format("{} = {}: the error does not name the field or lacks a remedy: {}",
                                           field.name, value.dump(), error.what()));
      }
    }
  }
  if (bounded == 0) complaints.push_back("no parameter has a bound");
  return complaints;
}

// Writing and reading a model gives the same text and the same parameters, bit by bit.
template <class L>
Complaints check_json_round_trip(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  Json written, again;
  access.make_mount(example.law)->to_json(written);
  L before = example.law, after = access.from_json(parse_json(dump_json(written), "model"));
  access.make_mount(after)->to_json(again);
  if (written != again) complaints.push_back("the model reads back as " + again.dump());
  std::vector<std::pair<std::string, double>> values;
  before.visit_parameters([&](const char* name, double& value) { values.emplace_back(name, value); });
  std::size_t i = 0;
  after.visit_parameters([&](const char* name, double& value) {
    if (i >= values.size() || values[i].first != name || values[i].second != value)
      complaints.push_back(fmt::format("{} reads back as {:.17g}", name, value));
    ++i;
  });
  if (i != values.size()) complaints.push_back(fmt::format("{} parameters read back as {}", values.size(), i));
  return complaints;
}

// At rest the force is the static force and nothing moves, for as long as one waits; the static force can be inverted.
template <class L>
Complaints check_rest(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  for (const double u : {example.u0, example.u0 + example.amplitude, example.u0 - example.amplitude}) {
    Run<L> run(example.law, {u, 0.0});
    const double expected = example.law.static_force(u),
                 scale =
                     std::max(std::abs(expected), std::abs(example.law.static_force(example.u0 + example.amplitude)));
    const double force = run.evaluate({u, 0.0});
    if (std::abs(force - expected) > 4.0 * rounding * scale)
      complaints.push_back(fmt::format("at rest at {:g} the force is {:.17g}, not {:.17g}", u, force, expected));
    for (const double rate : run.rate)
      if (rate != 0.0) complaints.push_back(fmt::format("at rest at {:g} a state moves with {:g}", u, rate));
    for (int i = 0; i < 10; ++i) {
      const double later = run.advance({u, 0.0}, 0.1);
      if (std::abs(later - expected) > 4.0 * rounding * scale)
        complaints.push_back(fmt::format("after {} s of rest at {:g} the force is {:.17g}, not {:.17g}", 0.1 * (i + 1),
                                         u, later, expected));
    }
    // The inverse is iterated to rounding: a few units in the last place of travel.
    const double back = mount->static_displacement(mount->static_force(u));
    if (std::abs(back - u) > 1e-12 * (std::abs(u) + example.amplitude))
      complaints.push_back(fmt::format("the static displacement of the force at {:.17g} is {:.17g}", u, back));
  }
  return complaints;
}

// evaluate and peek leave no trace; a step that is tried on a copy and thrown away neither. What advance returns is
// what evaluate says at its end; commit and advance remember the same.
template <class L>
Complaints check_purity(const Example<L>& example, const Access<L>& access) {
  Complaints complaints;
  const Drive drive = drive_of(example);
  const double h = path_step(example);
  Run<L> run(example.law, drive(0.0)), plain(example.law, drive(0.0));
  const std::unique_ptr<Mount> mount = access.make_mount(example.law);
  mount->start(drive(0.0));
  double scale = 0.0;
  for (int i = 1; i <= path_steps && complaints.empty(); ++i) {
    const Motion<double> to = drive(i * h);
    const double before = run.evaluate(to);
    for (const double s : {-1.0, 0.3, 2.0}) {
      run.evaluate({example.u0 + s * example.amplitude, s});
      mount->peek({example.u0 + s * example.amplitude, s});
    }
    Run<L> rejected = run;
    rejected.advance({example.u0 - 0.7 * example.amplitude, -1.0}, 3.0 * h);
    mount->clone()->advance({example.u0 - 0.7 * example.amplitude, -1.0}, 3.0 * h);
    if (run.evaluate(to) != before)
      complaints.push_back(fmt::format("step {}: evaluate depends on evaluations in between", i));

    auto remembered = run.memory;
    const Run<L> origin = run;
    const double force = run.advance(to, h), plain_force = plain.advance(to, h), mount_force = mount->advance(to, h);
    scale = std::max(scale, std::abs(force));
    if (force != plain_force)
      complaints.push_back(fmt::format("step {}: the force depends on evaluations or rejected steps before it", i));
    if (std::abs(force - mount_force) > 4.0 * rounding * scale)
      complaints.push_back(fmt::format("step {}: the mount gives {:.17g}, the law {:.17g}", i, mount_force, force));
    // Two ways to the same number: the step's own end and a fresh evaluation there, apart by rounding.
    const double here = run.evaluate(run.now);
    if (std::abs(force - here) > 64.0 * rounding * scale)
      complaints.push_back(fmt::format("step {}: advance returned {:.17g}, evaluate says {:.17g}", i, force, here));
    commit_step(example.law, remembered, origin.now, origin.x.data(), run.now, run.x.data(), h);
    std::swap(remembered, run.memory);
    if (std::abs(run.evaluate(run.now) - here) > example.commit_tolerance * scale)
      complaints.push_back(fmt::format("step {}: commit and advance remember different things", i));
    std::swap(remembered, run.memory);
  }
  return complaints;
}

// A central difference over a relative step e errs by about e^2 (curvature) and rounding/e; a hundred of that covers
// curvatures of order ten.
inline constexpr double difference_step = 1e-5;
inline constexpr double difference_tolerance = 100.0 * (difference_step * difference_step + rounding / difference_step);

// Derivatives by Jet with respect to every parameter, through states and memory along a path with many turning points.
// A parameter that is zero in the example has no scale and is passed over: another example has to carry it.
template <class L>
Complaints check_parameter_derivatives(const Example<L>& example) {
  using J = Jet<1>;
  Complaints complaints;
  const Drive drive = drive_of(example);
  const double h = path_step(example);
  std::vector<std::pair<std::string, double>> parameters;
  L copy = example.law;
  copy.visit_parameters([&](const char* name, double& value) { parameters.emplace_back(name, value); });
  for (const auto& [name, value] : parameters) {
    if (value == 0.0) continue;
    const auto shifted = [&, &shifted_name = name](double relative) {
      L law = example.law;
      law.visit_parameters(
          [&](const char* other, double& member) { member *= shifted_name == other ? 1.0 + relative : 1.0; });
      return forces(law, drive, h, path_steps);
    };
    const std::vector<double> up = shifted(difference_step), down = shifted(-difference_step), centre = shifted(0.0);
    auto dual = example.law.template cast<J>();
    dual.visit_parameters([&, &seeded_name = name](const char* other, J& member) {
      if (seeded_name == other) member.v[0] = 1.0;
    });
    Run<decltype(dual)> run(dual, drive(0.0));
    const double tolerance = (example.sharpness * difference_tolerance + example.step_noise / difference_step) *
                             largest(centre) / std::abs(value);
    for (int i = 1; i <= path_steps; ++i) {
      const auto at = static_cast<std::size_t>(i - 1);
      const J force = run.advance(drive(i * h), h);
      const double difference = (up[at] - down[at]) / (2.0 * difference_step * value);
      if (!(std::abs(force.v[0] - difference) <= tolerance)) {
        complaints.push_back(fmt::format("step {}: dF/d{} is {:.10g} by Jet, {:.10g} by differences (tolerance {:.2g})",
                                         i, name, force.v[0], difference, tolerance));
        break;
      }
      if (!(std::abs(force.a - centre[at]) <= (1e4 * rounding + example.step_noise) * largest(centre))) {
        complaints.push_back(
            fmt::format("step {}: the force is {:.17g} with Jets, {:.17g} without", i, force.a, centre[at]));
        break;
      }
    }
  }
  return complaints;
}

// Derivatives of force and rates with respect to u, v and every state, on both sides of the last motion (going on and
// turning back).
template <class L>
Complaints check_motion_derivatives(const Example<L>& example) {
  constexpr int n = L::state_count;
  using J = Jet<n + 2>;
  Complaints complaints;
  const Drive drive = drive_of(example);
  const double h = path_step(example), speed = 2.0 * std::numbers::pi * example.frequency_hz * example.amplitude;
  const auto dual_law = example.law.template cast<J>();
  Run<L> run(example.law, drive(0.0));
  Run<std::remove_cv_t<decltype(dual_law)>> dual(dual_law, drive(0.0));
  double scale = 0.0;
  std::array<double, static_cast<std::size_t>(n)> x_scale{}, rate_scale{};
  for (int i = 1; i <= path_steps && complaints.empty(); ++i) {
    const Motion<double> to = drive(i * h);
    scale = std::max(scale, std::abs(run.advance(to, h)));
    dual.advance(to, h);
    run.evaluate(to);
    for (std::size_t j = 0; j < x_scale.size(); ++j) {
      x_scale[j] = std::max(x_scale[j], std::abs(run.x[j]));
      rate_scale[j] = std::max(rate_scale[j], std::abs(run.rate[j]));
    }
    if (i % 10 != 0) continue;
    for (const double side : {0.05, -0.05}) {
      Motion<J> at{J(to.u + side * example.amplitude, n), J(to.v, n + 1)};
      std::array<J, static_cast<std::size_t>(n)> x, rate;
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = J(run.x[j], static_cast<int>(j));
      const J force = dual_law.evaluate(at, x.data(), dual.memory, rate.data());
      for (int d = 0; d < n + 2; ++d) {
        const double step = difference_step * (d == n       ? example.amplitude
                                               : d == n + 1 ? speed
                                                            : x_scale[static_cast<std::size_t>(d)]);
        if (step == 0.0) continue;
        double f[2] = {};
        std::array<double, static_cast<std::size_t>(n)> r[2] = {};
        for (const int sign : {0, 1}) {
          const double shift = (sign == 0 ? -1.0 : 1.0) * step;
          Motion<double> m{at.u.a, at.v.a};
          auto state = run.x;
          if (d == n)
            m.u += shift;
          else if (d == n + 1)
            m.v += shift;
          else
            state[static_cast<std::size_t>(d)] += shift;
          f[sign] = example.law.evaluate(m, state.data(), run.memory, r[sign].data());
        }
        const auto compare = [&](const std::string& what, double jet, double plus, double minus, double size) {
          const double difference = (plus - minus) / (2.0 * step),
                       tolerance = example.sharpness * difference_tolerance * size * difference_step / step;
          if (!(std::abs(jet - difference) <= tolerance))
            complaints.push_back(
                fmt::format("step {}: d{}/d({}) is {:.10g} by Jet, {:.10g} by differences (tolerance {:.2g})", i, what,
                            d == n       ? std::string("u")
                            : d == n + 1 ? std::string("v")
                                         : fmt::format("x{}", d),
                            jet, difference, tolerance));
        };
        compare("F", force.v[d], f[1], f[0], scale);
        for (std::size_t j = 0; j < x_scale.size(); ++j)
          compare(fmt::format("x{}_rate", j), rate[j].v[d], r[1][j], r[0][j], rate_scale[j]);
      }
    }
  }
  return complaints;
}

}  // namespace kdyn::conformance
