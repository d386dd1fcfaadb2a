// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rivals/rivals_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/signal/reduction.hpp"

namespace kdyn {
namespace {

template <class Law>
void describe(FieldTable& t) {
  for (std::size_t i = 0; i < Law::members.size(); ++i) {
    const RivalParameter& info = Law::parameters[i];
    Field& field = t.add(Law::members[i], info.name, info.unit, info.meaning).range(info.lower, info.upper);
    field.lower_open = info.lower_open;
  }
}

const Json& parameters_of(const Json& in, const std::string& where) {
  static const std::vector<std::string> keys = {"model", "parameters", "name", "axis", "comment"};
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {} of a model", in_quotes(key)), suggest(key, keys));
  if (!in.contains("parameters")) throw_bad_input(where + ".parameters", "the parameters are missing", "add \"parameters\": {...}");
  return in["parameters"];
}

void must_contain(const Json& parameters, const char* name, const char* meaning, const std::string& where) {
  if (parameters.is_object() && !parameters.contains(name))
    throw_bad_input(fmt::format("{}.parameters.{}", where, name), "this parameter is missing", meaning);
}

template <class Law>
void plain_model_json(const Law& law, Json& out) {
  out = Json::object();
  out["model"] = Law::model;
  to_json_fields(law, out["parameters"]);
}

// Linear laws: the loop is an ellipse.
template <class Law>
SteadyResponse linear_response(const Law& law, double frequency_hz, double amplitude) {
  const Complex<double> K = law.harmonic(2.0 * std::numbers::pi * frequency_hz, amplitude);
  const double k = abs(K), angle = arg(K);
  return {k, angle, k, angle};
}

// Friction laws: the first harmonic in closed form, force range and area of the loop from a run to the steady cycle.
template <class Law>
SteadyResponse friction_response(const Law& law, double frequency_hz, double amplitude) {
  SteadyResponse out = linear_response(law, frequency_hz, amplitude);
  constexpr int n = 256, most_cycles = 60;
  const double omega = 2.0 * std::numbers::pi * frequency_hz;
  const auto motion = [&](int i) {
    const double phase = 2.0 * std::numbers::pi * i / n;
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

}  // namespace

template <>
const FieldTable& field_table<KelvinVoigtMount<double>>() {
  static const FieldTable table =
      FieldTable::of<KelvinVoigtMount<double>>("kelvin_voigt parameters", [](FieldTable& t) { describe<KelvinVoigtMount<double>>(t); });
  return table;
}
template <>
const FieldTable& field_table<Berg<double>>() {
  static const FieldTable table = FieldTable::of<Berg<double>>("berg parameters", [](FieldTable& t) { describe<Berg<double>>(t); });
  return table;
}
template <>
const FieldTable& field_table<BoucWen<double>>() {
  static const FieldTable table = FieldTable::of<BoucWen<double>>("bouc_wen parameters", [](FieldTable& t) { describe<BoucWen<double>>(t); });
  return table;
}
template <>
const FieldTable& field_table<FractionalZener<double>>() {
  using Law = FractionalZener<double>;
  static const FieldTable table = FieldTable::of<Law>("fractional_zener parameters", [](FieldTable& t) {
    describe<Law>(t);
    t.add(&Law::band_lower_hz, "band_lower_hz", "Hz", "Band in which the ladder follows the exact stiffness: lower end").above(0.0);
    t.add(&Law::band_upper_hz, "band_upper_hz", "Hz", "Band in which the ladder follows the exact stiffness: upper end").above(0.0);
  });
  return table;
}
template <>
const FieldTable& field_table<MaxwellParameters>() {
  using P = MaxwellParameters;
  static const FieldTable table = FieldTable::of<P>("maxwell parameters", [](FieldTable& t) {
    const auto described = [&](auto member, std::size_t i) {
      const ParameterInfo& info = maxwell_parameters[i];
      t.add(member, info.name, info.unit, info.meaning).range(info.lower, info.upper).lower_open = info.lower_open;
    };
    described(&P::static_stiffness, 0);
    described(&P::stiffness, 1);
    described(&P::relaxation_time, 2);
  });
  return table;
}

const Json& plain_parameters(const Json& in, const ParameterInfo* wanted, std::size_t count, const std::string& where) {
  const Json& parameters = parameters_of(in, where);
  for (const ParameterInfo* info = wanted; info != wanted + count; ++info) must_contain(parameters, info->name, info->meaning, where);
  return parameters;
}

FractionalZener<double> fractional_zener_from_json(const Json& in, const std::string& where) {
  auto law = plain_law_from_json<FractionalZener<double>>(in, where);
  if (!(law.band_upper_hz > 10.0 * law.band_lower_hz))
    throw_bad_input(where + ".parameters.band_upper_hz",
                    fmt::format("{:g} Hz is less than a decade above band_lower_hz = {:g} Hz", law.band_upper_hz, law.band_lower_hz),
                    "widen the band");
  law.complete();
  return law;
}

Maxwell<double> maxwell_from_json(const Json& in, const std::string& where) {
  const Json& parameters = parameters_of(in, where);
  for (const char* name : {"static_stiffness", "stiffness", "relaxation_time"})
    must_contain(parameters, name, "static_stiffness in N/m, stiffness and relaxation_time as lists of N/m and s", where);
  MaxwellParameters p;
  from_json_fields(p, parameters, where + ".parameters");
  if (p.stiffness.size() != p.relaxation_time.size())
    throw_bad_input(where + ".parameters.relaxation_time",
                    fmt::format("{} relaxation times for {} stiffnesses", p.relaxation_time.size(), p.stiffness.size()), "give as many of each");
  if (p.stiffness.size() > static_cast<std::size_t>(Maxwell<double>::max_branches))
    throw_bad_input(where + ".parameters.stiffness",
                    fmt::format("{} branches, at most {} are possible", p.stiffness.size(), Maxwell<double>::max_branches),
                    "merge neighbouring branches");
  Maxwell<double> law;
  law.static_stiffness = p.static_stiffness;
  law.bank.branches = static_cast<int>(p.stiffness.size());
  std::copy(p.stiffness.begin(), p.stiffness.end(), law.bank.stiffness.begin());
  std::copy(p.relaxation_time.begin(), p.relaxation_time.end(), law.bank.relaxation_time.begin());
  return law;
}

std::string model_name(const KelvinVoigtMount<double>& law) { return law.model; }
std::string model_name(const Maxwell<double>& law) { return law.model; }
std::string model_name(const Berg<double>& law) { return law.model; }
std::string model_name(const BoucWen<double>& law) { return law.model; }
std::string model_name(const FractionalZener<double>& law) { return law.model; }

void model_json(const KelvinVoigtMount<double>& law, Json& out) { plain_model_json(law, out); }
void model_json(const Berg<double>& law, Json& out) { plain_model_json(law, out); }
void model_json(const BoucWen<double>& law, Json& out) { plain_model_json(law, out); }
void model_json(const FractionalZener<double>& law, Json& out) { plain_model_json(law, out); }
void model_json(const Maxwell<double>& law, Json& out) {
  MaxwellParameters p;
  p.static_stiffness = law.static_stiffness;
  p.stiffness.assign(law.bank.stiffness.begin(), law.bank.stiffness.begin() + law.bank.branches);
  p.relaxation_time.assign(law.bank.relaxation_time.begin(), law.bank.relaxation_time.begin() + law.bank.branches);
  out = Json::object();
  out["model"] = law.model;
  to_json_fields(p, out["parameters"]);
}

double static_displacement(const KelvinVoigtMount<double>& law, double force) { return force / law.stiffness; }
double static_displacement(const Maxwell<double>& law, double force) { return force / law.static_stiffness; }
double static_displacement(const Berg<double>& law, double force) { return force / law.stiffness; }
double static_displacement(const BoucWen<double>& law, double force) { return force / law.stiffness; }
double static_displacement(const FractionalZener<double>& law, double force) { return force / law.static_stiffness; }

SteadyResponse steady_response(const KelvinVoigtMount<double>& law, double f, double a, double) { return linear_response(law, f, a); }
SteadyResponse steady_response(const Maxwell<double>& law, double f, double a, double) { return linear_response(law, f, a); }
SteadyResponse steady_response(const FractionalZener<double>& law, double f, double a, double) { return linear_response(law, f, a); }
SteadyResponse steady_response(const Berg<double>& law, double f, double a, double) { return friction_response(law, f, a); }
SteadyResponse steady_response(const BoucWen<double>& law, double f, double a, double) { return friction_response(law, f, a); }

std::unique_ptr<Mount> make_mount(const KelvinVoigtMount<double>& law) { return std::make_unique<MountOf<KelvinVoigtMount<double>>>(law); }
std::unique_ptr<Mount> make_mount(const Maxwell<double>& law) { return std::make_unique<MountOf<Maxwell<double>>>(law); }
std::unique_ptr<Mount> make_mount(const Berg<double>& law) { return std::make_unique<MountOf<Berg<double>>>(law); }
std::unique_ptr<Mount> make_mount(const BoucWen<double>& law) { return std::make_unique<MountOf<BoucWen<double>>>(law); }
std::unique_ptr<Mount> make_mount(const FractionalZener<double>& law) {
  FractionalZener<double> ready = law;
  ready.complete();
  return std::make_unique<MountOf<FractionalZener<double>>>(ready);
}

}  // namespace kdyn
