// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/own_laws.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/plain_law.hpp"
#include "kdyn/laws/axis_law_of.hpp"

namespace kdyn::mbs {
namespace {

std::vector<double> numbers(const Json& in, const std::string& where) {
  if (!in.is_array() || in.empty()) throw_bad_input(where, "this must be a list of numbers", "write [-1, 0, 1]");
  std::vector<double> out;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!in[i].is_number() || !std::isfinite(in[i].get<double>()))
      throw_bad_input(fmt::format("{}[{}]", where, i), "this is no finite number", "repair or remove it");
    out.push_back(in[i].get<double>());
  }
  return out;
}

void check_nodes(const std::vector<double>& nodes, const std::string& where, const char* what) {
  if (nodes.size() < 2)
    throw_bad_input(where, fmt::format("a table needs two {} at least", what),
                    "leave it out if the force does not depend on it");
  for (std::size_t i = 1; i < nodes.size(); ++i)
    if (!(nodes[i] > nodes[i - 1]))
      throw_bad_input(fmt::format("{}[{}]", where, i), fmt::format("the {} do not rise", what), "sort them, each once");
  if (nodes.front() > 0.0 || nodes.back() < 0.0)
    throw_bad_input(where,
                    fmt::format("the {} do not hold 0: they go from {:g} to {:g}", what, nodes.front(), nodes.back()),
                    "give both directions: negative when pushed together, positive when pulled apart");
}

void keys_of(const Json& in, const std::vector<std::string>& known, const std::string& where) {
  for (const auto& [key, value] : in.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {}", in_quotes(key)), suggest(key, known));
}

// A table that gives energy, or that is far from what cars have.
void doubt(const ForceTable<double>& law, const std::string& where, std::vector<Finding>& findings) {
  const ForceGrid& g = *law.grid;
  double worst = 0.0, at_u = 0.0, at_v = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < g.u.size() && g.v.size() > 1; ++i) {
    const double rest = law.static_force(g.u[i]);
    for (std::size_t j = 0; j < g.v.size(); ++j) {
      const double part = g.at(g.f, i, j) - rest;
      largest = std::max(largest, std::abs(part));
      if (part * g.v[j] < 0.0 && std::abs(part) > worst) worst = std::abs(part), at_u = g.u[i], at_v = g.v[j];
    }
  }
  if (worst > 1e-6 * largest)
    findings.push_back(
        {Severity::warning, "table_gives_energy", where,
         fmt::format("the table pushes along with the motion at {}velocity {:g}: {:.4g} there, it gives energy",
                     g.u.size() > 1 ? fmt::format("displacement {:g}, ", at_u) : "", at_v, worst),
         "a damper has positive forces at positive velocities (pulled apart, rebound); check the signs"});
  const double fastest = g.v.size() > 1 ? std::max(-g.v.front(), g.v.back()) : 0.0,
               farthest = g.u.size() > 1 ? std::max(-g.u.front(), g.u.back()) : 0.0;
  if (fastest > 30.0 || farthest > 10.0)
    findings.push_back(
        {Severity::warning, "table_units", where,
         fmt::format("the table goes to {:g} {}: is it given in {}?", fastest > 30.0 ? fastest : farthest,
                     fastest > 30.0 ? "m/s" : "m", fastest > 30.0 ? "mm/s" : "mm"),
         "give m, m/s and N, or the factors 1000 as displacement_factor and velocity_factor"});
}

}  // namespace

const FieldTable& fields_of(const ForceTable<double>*) { return plain_law_table<ForceTable<double>>(); }
const FieldTable& fields_of(const StopLaw<double>*) { return plain_law_table<StopLaw<double>>(); }

ForceTable<double> force_table_from_json(const Json& in, const std::string& where) {
  keys_of(in, {"model", "displacement", "velocity", "force", "parameters", "comment"}, where);
  ForceTable<double> law;
  if (in.contains("parameters")) from_json_fields(law, in["parameters"], where + ".parameters");
  auto grid = std::make_shared<ForceGrid>();
  grid->u = grid->v = {0.0};
  const bool by_u = in.contains("displacement"), by_v = in.contains("velocity");
  if (!by_u && !by_v)
    throw_bad_input(where, "the table has neither displacement nor velocity",
                    R"(write "velocity": [-1, 0, 1], "force": [-800, 0, 1500])");
  if (by_u)
    check_nodes(grid->u = numbers(in["displacement"], where + ".displacement"), where + ".displacement",
                "displacements");
  if (by_v) check_nodes(grid->v = numbers(in["velocity"], where + ".velocity"), where + ".velocity", "velocities");
  if (!in.contains("force"))
    throw_bad_input(where + ".force", "the forces are missing",
                    "give one for each velocity, or a row for each displacement");
  const Json& force = in["force"];
  const auto row = [&](const Json& values, const std::string& place, std::size_t count) {
    const auto list = numbers(values, place);
    if (list.size() != count)
      throw_bad_input(place, fmt::format("{} forces stand where {} are needed", list.size(), count),
                      by_u && by_v ? "give a row for each displacement, with one force for each velocity"
                                   : "give one force for each node");
    grid->f.insert(grid->f.end(), list.begin(), list.end());
  };
  if (by_u && by_v) {
    if (!force.is_array() || force.size() != grid->u.size())
      throw_bad_input(
          where + ".force",
          fmt::format("{} rows stand where {} are needed", force.is_array() ? force.size() : 0, grid->u.size()),
          "give a row for each displacement, with one force for each velocity");
    for (std::size_t i = 0; i < force.size(); ++i) row(force[i], fmt::format("{}.force[{}]", where, i), grid->v.size());
  } else {
    row(force, where + ".force", by_u ? grid->u.size() : grid->v.size());
  }
  grid->complete();
  law.grid = std::move(grid);
  return law;
}

void model_json(const ForceTable<double>& law, Json& out) {
  out["model"] = law.model;
  to_json_fields(law, out["parameters"]);
  const ForceGrid& g = *law.grid;
  if (g.u.size() > 1) out["displacement"] = g.u;
  if (g.v.size() > 1) out["velocity"] = g.v;
  if (g.u.size() < 2 || g.v.size() < 2) {
    out["force"] = g.f;
    return;
  }
  out["force"] = Json::array();
  for (std::size_t i = 0; i < g.u.size(); ++i)
    out["force"].push_back(std::vector<double>(g.f.begin() + static_cast<std::ptrdiff_t>(i * g.v.size()),
                                               g.f.begin() + static_cast<std::ptrdiff_t>((i + 1) * g.v.size())));
}

StopLaw<double> stop_from_json(const Json& in, const std::string& where) {
  keys_of(in, {"model", "parameters", "comment"}, where);
  StopLaw<double> law;
  if (!in.contains("parameters") || !in["parameters"].is_object() || !in["parameters"].contains("stiffness"))
    throw_bad_input(where + ".parameters.stiffness", "the stiffness of the stop is missing",
                    R"(write "parameters": {"stiffness": 1e6, "lower_gap": 0.03})");
  from_json_fields(law, in["parameters"], where + ".parameters");
  if (law.lower_gap == law.none && law.upper_gap == law.none)
    throw_bad_input(where + ".parameters", "the stop has no gap on either side",
                    "give lower_gap, upper_gap or both, in m");
  if (law.lower_gap + law.upper_gap < 0.0)
    throw_bad_input(where + ".parameters.upper_gap", "both stops press at once: their gaps add up to less than 0",
                    "give the gaps as distances from the free position");
  return law;
}

void model_json(const StopLaw<double>& law, Json& out) {
  plain_json(law.model, field_table<StopLaw<double>>(), &law, out);
}

std::unique_ptr<AxisLaw> model_law(const Json& in, const std::string& where, std::vector<Finding>* findings) {
  const std::string model =
      in.is_object() && in.contains("model") && in["model"].is_string() ? in["model"].get<std::string>() : "";
  if (model == ForceTable<double>::model) {
    const auto law = force_table_from_json(in, where);
    if (findings) doubt(law, where, *findings);
    return std::make_unique<AxisLawOf<ForceTable<double>>>(law);
  }
  if (model == StopLaw<double>::model) return std::make_unique<AxisLawOf<StopLaw<double>>>(stop_from_json(in, where));
  return axis_law_from_json(in, where);
}

}  // namespace kdyn::mbs
