// SPDX-License-Identifier: Apache-2.0
// The tables of the paper (Gibanica, Abrahamsson and Olsson 2020) for the user's parts: parameters, mass,
// eigenfrequencies and deviation metric of each configuration, numbered through. With three configurations of which the
// first changes its mass they are its Tables 1 to 10.
//
// EX is a test, FE N the nominal model, FE C a calibrated one, FE UQ the mean over draws with the coefficient of
// variation in parentheses.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/structure/update_jobs.hpp"

namespace kdyn::app {
namespace {

using namespace report;
using update::PartResult;

// What the draws of a part say: full re-calibration where it was made, else the paper's bootstrap.
const update::UncertaintyMethod* draws_of(const PartResult& part) {
  for (const char* name : {"recalibration", "pair_bootstrap"})
    for (const update::UncertaintyMethod& method : part.uncertainty)
      if (method.name == name && method.mean.size() > 0) return &method;
  return nullptr;
}

Table parameters(const UpdateCase& one) {
  Table table{.columns = {{"Parameter"}, {"Unit"}, {"FE N"}}};
  const std::vector<PartResult>& parts = one.result.parts;
  for (const PartResult& part : parts) table.columns.push_back({"FE C " + part.name});
  const bool draws =
      std::all_of(parts.begin(), parts.end(), [](const PartResult& part) { return draws_of(part) != nullptr; });
  if (draws)
    for (const PartResult& part : parts) table.columns.push_back({"FE UQ " + part.name, "", Align::right});
  for (std::size_t s = 0; s < one.model.parameters.size(); ++s) {
    const update::ParameterSetting& p = one.model.parameters[s];
    const DisplayUnit unit = display_unit(p.unit);
    Row row;
    row.cells = {p.name, unit.unit, unit.factor * p.nominal};
    for (const PartResult& part : parts) row.cells.push_back(unit.factor * part.parameters[s].value);
    for (const PartResult& part : parts) {
      if (!draws) break;
      const update::UncertaintyMethod& method = *draws_of(part);
      const auto i = static_cast<Eigen::Index>(s);
      row.cells.push_back(p.fixed ? fmt::format("{:.5g} (fixed)", unit.factor * p.nominal)
                                  : fmt::format("{:.5g} ({:.2f})", unit.factor * p.nominal * method.mean[i],
                                                100.0 * method.std[i] / method.mean[i]));
    }
    table.rows.push_back(std::move(row));
  }
  table.note = "FE N: nominal; FE C: calibrated by the part.";
  if (draws)
    table.note += fmt::format(
        " FE UQ: mean over draws by {}, coefficient of variation in % in parentheses.",
        draws_of(parts.front())->name == "recalibration" ? "full re-calibration" : "pair bootstrap, as in the paper");
  return table;
}

// Only where there is something to compare: a weighed part, or a parameter that changes the mass.
bool shows_mass(const UpdateCase& one) {
  for (std::size_t k = 0; k < one.result.parts.size(); ++k) {
    const PartResult& part = one.result.parts[k];
    if (std::isfinite(one.weighed_kg[k]) || std::abs(part.mass_after - part.mass_before) > 1e-9 * part.mass_before)
      return true;
  }
  return false;
}

Table masses(const UpdateCase& one) {
  Table table;
  Row row;
  for (std::size_t k = 0; k < one.result.parts.size(); ++k) {
    table.columns.push_back({"EX " + one.result.parts[k].name});
    row.cells.push_back(std::isfinite(one.weighed_kg[k]) ? Value(one.weighed_kg[k]) : Value("not weighed"));
  }
  table.columns.push_back({"FE N"});
  row.cells.push_back(one.result.parts.front().mass_before);
  for (const PartResult& part : one.result.parts)
    table.columns.push_back({"FE C " + part.name}), row.cells.push_back(part.mass_after);
  table.rows.push_back(std::move(row));
  table.note = "EX: weighed (weighed_kg of a part); FE: of the model.";
  return table;
}

// Modes of the calibrated model of a part that are those of the first part, by shape and frequency; the same numbers
// where sensors differ.
std::vector<int> as_in_first(const PartResult& first, const PartResult& part) {
  std::vector<int> out(static_cast<std::size_t>(first.after.frequency_hz.size()), -1);
  if (first.outputs != part.outputs) {
    for (std::size_t r = 0; r < out.size(); ++r)
      out[r] = static_cast<Eigen::Index>(r) < part.after.frequency_hz.size() ? static_cast<int>(r) : -1;
    return out;
  }
  for (const update::ModePair& pair : update::pair_modes(first.after, part.after, 0.0).pairs)
    out[static_cast<std::size_t>(pair.test)] = pair.model;
  return out;
}

Table frequencies(const UpdateCase& one) {
  const std::vector<PartResult>& parts = one.result.parts;
  Table table{.columns = {{"Mode", "", Align::right}}};
  for (const PartResult& part : parts) table.columns.push_back({"EX " + part.name, "Hz", Align::right, 5});
  table.columns.push_back({"FE N", "Hz", Align::right, 5});
  for (const PartResult& part : parts) table.columns.push_back({"FE C " + part.name, "Hz", Align::right, 5});
  table.columns.push_back({"Smallest MAC", "", Align::right, 3});
  const auto with_model = [](const update::Pairing& pairing, int model) {
    return std::find_if(pairing.pairs.begin(), pairing.pairs.end(),
                        [&](const auto& pair) { return pair.model == model; });
  };
  const PartResult& first = parts.front();
  std::vector<std::vector<int>> number;
  for (const PartResult& part : parts) number.push_back(as_in_first(first, part));
  int shown = 0;
  for (std::size_t r = 0; r < number.front().size(); ++r) {
    Row row;
    row.cells.push_back(shown + 1);
    bool any = false;
    double mac = 1.0;
    Value nominal;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto pair = with_model(parts[k].pairs_after, number[k][r]);
      if (number[k][r] < 0 || pair == parts[k].pairs_after.pairs.end()) {
        row.cells.push_back(Value());
        continue;
      }
      any = true, mac = std::min(mac, pair->mac);
      row.cells.push_back(parts[k].test.frequency_hz[pair->test]);
      const auto& before = parts[k].pairs_before.pairs;
      const auto same = std::find_if(before.begin(), before.end(), [&](const auto& p) { return p.test == pair->test; });
      if (nominal.number() == nullptr && same != before.end()) nominal = parts[k].before.frequency_hz[same->model];
    }
    if (!any) continue;
    row.cells.push_back(nominal);
    for (std::size_t k = 0; k < parts.size(); ++k)
      row.cells.push_back(number[k][r] < 0 ? Value() : Value(parts[k].after.frequency_hz[number[k][r]]));
    row.cells.push_back(mac);
    row.quality = mac >= 0.95 ? Quality::good : mac >= 0.8 ? Quality::fair : Quality::poor;
    table.rows.push_back(std::move(row)), ++shown;
  }
  table.note =
      "EX: identified from the test; a line is one mode, followed by shape from part to part. An empty place: no "
      "partner. The MAC is that of "
      "the calibrated models with their tests.";
  return table;
}

Table metrics(const UpdateCase& one) {
  Table table{.columns = {{"Channels"}}};
  const std::vector<PartResult>& parts = one.result.parts;
  for (const PartResult& part : parts) table.columns.push_back({"FE N " + part.name, "", Align::right, 3});
  for (const PartResult& part : parts) table.columns.push_back({"FE C " + part.name, "", Align::right, 3});
  const auto add = [&](const char* what, double update::Metrics::*which) {
    Row row;
    row.cells.push_back(what);
    for (const PartResult& part : parts) row.cells.push_back(part.metric_before.*which);
    for (const PartResult& part : parts) row.cells.push_back(part.metric.*which);
    table.rows.push_back(std::move(row));
  };
  add("Calibration", &update::Metrics::calibration);
  if (std::isfinite(parts.front().metric.validation)) add("Validation", &update::Metrics::validation);
  if (!parts.front().noise.draws.empty()) {
    add("Calibration, resolved samples", &update::Metrics::resolved_calibration);
    if (std::isfinite(parts.front().metric.validation))
      add("Validation, resolved samples", &update::Metrics::resolved_validation);
  }
  table.note = fmt::format(
      "Mean of |log10(FE/EX)|^2 with {:g} % damping for all modes and one principal value of the ratio. Papers that "
      "take two "
      "logarithms apart get larger numbers.",
      100.0 * parts.front().stages.back().damping);
  return table;
}

}  // namespace

void add_paper_tables(Document& out, const std::vector<UpdateCase>& cases) {
  Section& section = out.section("Tables", "In the order of the paper that the method comes from, for these parts.");
  int number = 0;
  for (const UpdateCase& one : cases) {
    if (one.result.parts.empty()) continue;
    const std::string of = cases.size() > 1 && !one.name.empty() ? ", " + one.name : "";
    const auto add = [&](const char* title, Table table) {
      table.title = fmt::format("Table {}. {}{}", ++number, title, of);
      section.add(std::move(table));
    };
    add("Parameters, nominal and updated", parameters(one));
    if (shows_mass(one)) add("Mass, kg", masses(one));
    add("Eigenfrequencies, Hz", frequencies(one));
    add("Deviation metric", metrics(one));
  }
}

}  // namespace kdyn::app
