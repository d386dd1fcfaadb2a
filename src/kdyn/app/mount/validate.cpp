// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/validate.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/numerics/meet.hpp"
#include "kdyn/rig/model_axis.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const ValidateJob*) {
  using J = app::ValidateJob;
  static const FieldTable table = FieldTable::of<J>("validate", [](FieldTable& t) {
    t.add(&J::files, "files", "-", "Model file or result.json of a fit, then measurements that took no part in the fit")
        .from_words()
        .must_be_given()
        .reads();
    t.add(&J::axis, "axis", "-", "Axis of a six-axis bushing: fx fy fz tx ty tz");
    t.add(&J::loop_criterion, "loop_criterion", "-",
          "The map was reduced by force range and loop area, not by first harmonics");
    t.add(&J::allowed_k_dyn_rel, "allowed_k_dyn_rel", "-",
          "Stiffness: rms misfit beyond which the model is called poor")
        .range(1e-3, 1.0);
    t.add(&J::allowed_loss_angle_deg, "allowed_loss_angle_deg", "deg", "Loss angle: the same").range(0.1, 45.0);
    t.add(&J::allowed_force_rel, "allowed_force_rel", "-",
          "Transients and loops: the same, over the rms of the force about its mean")
        .range(1e-3, 1.0);
    t.add(&J::exponents, "exponents", "-", "Woehler exponents of the damage ratio").range(1.0, 30.0);
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the model");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct ValidateOutput {
  const ValidateJob& job;
  const ElastomerData& data;
  const Validation& v;
  ModelObject model;

  bool has_map() const { return !v.map.empty() && v.status != "stopped"; }
};

const FieldTable& fields_of(const PartMisfit*) {
  using P = PartMisfit;
  static const FieldTable table = FieldTable::results<P>("misfit in a range", [](FieldTable& t) {
    t.add(&P::of, "of", "-", "What the range is of");
    t.add(&P::unit, "unit", "-", "Unit of its ends");
    t.add(&P::from, "from", "as unit says", "Begin");
    t.add(&P::to, "to", "as unit says", "End");
    t.add(&P::count, "count", "-", "Values in it");
    t.add([](const P& p) { return p.force_rel ? std::nullopt : std::optional(p.k_dyn_rel); }, "rms_kdyn_rel", "-",
          "Map: relative misfit of the dynamic stiffness, rms")
        .unless_null();
    t.add([](const P& p) { return p.force_rel ? std::nullopt : std::optional(p.loss_angle); }, "rms_loss_deg", "deg",
          "Map: misfit of the loss angle, rms")
        .in_degrees()
        .unless_null();
    t.add(&P::force_rel, "rms_force_rel", "-", "Series: rms of the difference over rms of the force here")
        .unless_null();
  });
  return table;
}

namespace {

struct ValidatedMap {
  const Validation& v;
};
const FieldTable& fields_of(const ValidatedMap*) {
  using M = ValidatedMap;
  static const FieldTable table = FieldTable::results<M>("validated map", [](FieldTable& t) {
    t.add([](const M& m) { return m.v.map.size(); }, "rows", "-", "Rows");
    t.add([](const M& m) { return m.v.rms_k_dyn_rel; }, "rms_kdyn_rel", "-",
          "Relative misfit of the dynamic stiffness, rms");
    t.add([](const M& m) { return m.v.rms_loss_angle; }, "rms_loss_deg", "deg", "Misfit of the loss angle, rms")
        .in_degrees();
    t.add([](const M& m) { return m.v.parts; }, "parts", "-", "By amplitude and frequency");
  });
  return table;
}

struct ValidatedLoop {
  const StaticComparison& loop;
};
const FieldTable& fields_of(const ValidatedLoop*) {
  using L = ValidatedLoop;
  static const FieldTable table = FieldTable::results<L>("validated static loop", [](FieldTable& t) {
    t.add([](const L& l) { return l.loop.rms; }, "rms_n", "N or N*m", "rms of the difference");
    t.add([](const L& l) { return l.loop.rest; }, "rest_m", "m or rad", "Where the part is taken to have rested");
    t.add([](const L& l) { return l.loop.history.passes; }, "passes", "-", "1: first way along it; 2: cycled before");
  });
  return table;
}

std::vector<ValidatedLoop> loops_of(const Validation& v) {
  std::vector<ValidatedLoop> out;
  for (const StaticComparison& loop : v.loops) out.push_back({loop});
  return out;
}

struct ValidatedSeries {
  const SeriesValidation& s;
  std::string path;
  std::vector<double> exponents;
};
const FieldTable& fields_of(const ValidatedSeries*) {
  using S = ValidatedSeries;
  static const FieldTable table = FieldTable::results<S>("validated transient", [](FieldTable& t) {
    t.add(&S::path, "path", "-", "File");
    t.add([](const S& s) { return s.s.rms; }, "rms_n", "N or N*m", "rms of the difference");
    t.add([](const S& s) { return s.s.rms_rel; }, "rms_rel", "-", "The same over the rms of the force about its mean");
    t.add([](const S& s) { return s.s.offset; }, "offset_n", "N or N*m", "Constant that was added to the model");
    t.add([](const S& s) { return s.s.correlation; }, "correlation", "-", "Of the two forces");
    t.add(&S::exponents, "exponents", "-", "Woehler exponents");
    t.add([](const S& s) { return s.s.damage_ratio; }, "damage_ratio", "-", "Model over measurement, of each exponent");
    t.add([](const S& s) { return s.s.bands; }, "bands", "-", "By frequency");
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const ValidateOutput*) {
  using O = ValidateOutput;
  static const FieldTable table = FieldTable::results<O>("validate result", [](FieldTable& t) {
    t.add([](const O& o) { return o.v.status; }, "status", "-", "done, stopped or how the model fails");
    t.add([](const O& o) { return o.v.reason; }, "reason", "-", "Why");
    add_axis<O>(t, [](const O& o) { return o.v.axis; });
    t.add(&O::model, "model", "-", "The model file");
    t.add([](const O& o) { return o.has_map() ? std::optional(ValidatedMap{o.v}) : std::nullopt; }, "map", "-",
          "Misfit of the map")
        .unless_null();
    t.add([](const O& o) { return loops_of(o.v); }, "static", "-", "Static loops");
    t.add(
        [](const O& o) {
          std::vector<ValidatedSeries> out;
          for (std::size_t i = 0; i < o.v.series.size(); ++i)
            out.push_back({o.v.series[i], o.data.series[i].source.path, o.job.exponents});
          return out;
        },
        "transients", "-", "Time series");
    t.add([](const O& o) { return o.v.findings; }, "findings", "-", "What was noticed, and what to do");
    t.add([](const O& o) { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

double rms_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return x.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(x.size()));
}

std::vector<double> about_mean(std::vector<double> x) {
  const double mean =
      std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(std::max<std::size_t>(x.size(), 1));
  for (double& v : x) v -= mean;
  return x;
}

// Sampling rate of even steps, 0 when they are not.
double even_rate(const std::vector<double>& time) {
  if (time.size() < 16) return 0.0;
  const double h = (time.back() - time.front()) / static_cast<double>(time.size() - 1);
  for (std::size_t i = 1; i < time.size(); ++i)
    if (!(std::abs(time[i] - time[i - 1] - h) < 0.01 * h)) return 0.0;
  return 1.0 / h;
}

double power_between(const Psd& psd, double from, double to) {
  double sum = 0.0;
  for (std::size_t i = 1; i < psd.frequency_hz.size(); ++i)
    if (psd.frequency_hz[i] >= from && psd.frequency_hz[i] < to) sum += psd.density[i];
  return sum * psd.resolution_hz;
}

void add_parts(const StiffnessMap& map, Validation& v, const std::string& name, const std::string& unit, double factor,
               double MapRow::*member, double spread) {
  std::vector<double> values;
  for (const MapRow& row : map.rows) values.push_back(row.*member);
  std::vector<double> levels = levels_of(values, spread);
  // Many levels are told in groups of neighbours.
  constexpr std::size_t most = 8;
  const std::size_t together = (levels.size() + most - 1) / most;
  for (std::size_t first = 0; first < levels.size(); first += together) {
    PartMisfit part{name, unit, 1e300, -1e300, 0, 0.0, 0.0, {}};
    for (std::size_t i = 0; i < map.rows.size(); ++i) {
      const std::size_t level = nearest_level(levels, values[i]);
      if (level < first || level >= first + together) continue;
      part.from = std::min(part.from, factor * values[i]), part.to = std::max(part.to, factor * values[i]);
      part.k_dyn_rel += std::pow(v.map[i].k_dyn / map.rows[i].k_dyn - 1.0, 2);
      part.loss_angle +=
          std::pow(std::remainder(v.map[i].loss_angle - map.rows[i].loss_angle, 2.0 * std::numbers::pi), 2);
      ++part.count;
    }
    if (part.count == 0) continue;
    part.k_dyn_rel = std::sqrt(part.k_dyn_rel / static_cast<double>(part.count));
    part.loss_angle = std::sqrt(part.loss_angle / static_cast<double>(part.count));
    v.parts.push_back(part);
  }
}

GateChannel force_against(const std::string& name, AxisKind axis, const std::vector<double>& place,
                          const std::vector<double>& measured, const std::vector<double>& model, double allowed) {
  GateChannel channel = force_channel(name, axis, place, measured, model);
  channel.finest = channel.coarsest = allowed / gate_factor * rms_of(about_mean(measured));
  return channel;
}

}  // namespace

SeriesValidation validate_series(const Mount& mount, const BenchSeries& series, const std::vector<double>& exponents) {
  SeriesValidation v;
  const std::unique_ptr<Mount> specimen = mount.clone();
  v.model = simulate(*specimen, series.time, series.displacement);
  const Met met = meet(v.model, series.force);
  v.offset = met.offset, v.rms = met.rms;
  std::vector<double> difference(v.model.size());
  for (std::size_t i = 0; i < v.model.size(); ++i) difference[i] = v.model[i] - series.force[i];
  const std::vector<double> measured = about_mean(series.force), predicted = about_mean(v.model);
  const double size = std::max(rms_of(measured), 1e-300);
  v.rms_rel = v.rms / size;
  double product = 0.0;
  for (std::size_t i = 0; i < measured.size(); ++i)
    product += measured[i] * predicted[i] / static_cast<double>(measured.size());
  v.correlation = product / (size * std::max(rms_of(predicted), 1e-300));
  v.load_measured = assess_durability(series.force, exponents);
  v.load_model = assess_durability(v.model, exponents);
  for (std::size_t i = 0; i < exponents.size(); ++i)
    v.damage_ratio.push_back(v.load_model.damage[i] / v.load_measured.damage[i]);
  v.rate_hz = even_rate(series.time);
  if (v.rate_hz > 0.0) {
    const double resolution = std::max(2.0 / (series.time.back() - series.time.front()), v.rate_hz / 4096.0);
    v.psd_measured = power_spectral_density(measured, v.rate_hz, resolution);
    v.psd_model = power_spectral_density(predicted, v.rate_hz, resolution);
    v.psd_difference = power_spectral_density(difference, v.rate_hz, resolution);
    const double whole = power_between(v.psd_measured, 0.0, v.rate_hz);
    for (const double from : {0.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0}) {
      const double to = from < 1.0 ? 2.0 : from == 2.0 ? 5.0 : from == 20.0 ? 50.0 : 2.0 * from;
      const double here = power_between(v.psd_measured, from, to);
      if (!(here > 1e-4 * whole)) continue;  // nothing was excited there
      PartMisfit band{"frequency", "Hz", from, to,
                      0,           0.0,  0.0,  std::sqrt(power_between(v.psd_difference, from, to) / here)};
      band.count = static_cast<std::size_t>((to - from) / resolution);
      v.bands.push_back(band);
    }
  }
  return v;
}

Validation validate_model(const Mount& mount, const ElastomerData& data, const ValidateJob& job, Progress& progress) {
  Validation v;
  v.model = mount.model();
  std::vector<GateChannel> channels;
  const bool turning = data.map.axis == AxisKind::rotation;
  RigOptions rig;
  std::size_t simulated = 0;
  for (std::size_t i = 0; i < data.map.rows.size(); ++i) {
    const MapRow& row = data.map.rows[i];
    if (progress.stop_requested()) {
      v.status = "stopped", v.reason = "stopped on request";
      return v;
    }
    progress.report(0.8 * static_cast<double>(i) / static_cast<double>(data.map.rows.size()), "map");
    auto response = mount.closed_form(row.frequency_hz, row.amplitude, mount.static_displacement(row.preload));
    if (!response)
      response = run_rig_point(mount, rig, row.frequency_hz, row.amplitude, row.preload).response, ++simulated;
    v.map.push_back(job.loop_criterion ? ModelRow{response->k_dyn_loop, response->loss_angle_loop}
                                       : ModelRow{response->k_dyn, response->loss_angle});
  }
  if (!v.map.empty()) {
    std::vector<GateChannel> map = map_channels(data.map, std::vector<bool>(v.map.size(), true), v.map);
    v.rms_k_dyn_rel = map[0].misfit(), v.rms_loss_angle = map[1].misfit();
    map[0].finest = map[0].coarsest = job.allowed_k_dyn_rel / gate_factor;
    map[1].finest = map[1].coarsest = job.allowed_loss_angle_deg * degree / gate_factor;
    channels = std::move(map);
    add_parts(data.map, v, "amplitude", turning ? "deg" : "mm", turning ? 1.0 / degree : 1e3, &MapRow::amplitude, 0.1);
    add_parts(data.map, v, "frequency", "Hz", 1.0, &MapRow::frequency_hz, frequency_spread);
  }
  std::vector<double> preloads;
  for (const MapRow& row : data.map.rows) preloads.push_back(row.preload);
  std::sort(preloads.begin(), preloads.end());
  preloads.erase(std::unique(preloads.begin(), preloads.end()), preloads.end());
  for (const StaticLoop& loop : data.loops) {
    v.loops.push_back(compare_static(mount, loop, preloads));
    v.findings.push_back({Severity::note, "loop_history", loop.source.path,
                          "static loop: " + to_words(v.loops.back().history, v.loops.back().rest, loop.axis),
                          "of the possible histories this meets the record best"});
    channels.push_back(force_against("static loop", loop.axis, loop.displacement, loop.force, v.loops.back().force,
                                     job.allowed_force_rel));
  }
  for (const BenchSeries& series : data.series) {
    if (series.force.size() != series.time.size() || series.time.size() < 3)
      throw_bad_input(series.source.path, "the record has no measured force to compare with",
                      "add a force column, or run it by kdyn rig --input");
    v.series.push_back(validate_series(mount, series, job.exponents));
    channels.push_back(force_against("transient", series.axis, series.displacement, series.force, v.series.back().model,
                                     job.allowed_force_rel));
  }
  if (simulated > 0)
    v.findings.push_back({Severity::note, "simulated", "map",
                          fmt::format("{} rows of the map were run on the virtual rig", simulated),
                          "the law has no closed form of its response"});
  const GateVerdict verdict = judge_fit(channels);
  std::vector<ParameterEstimate> none;
  apply_gate(verdict,
             "look where it fails: outside the range of the fit a model is not to be used; check also direction, units "
             "and signs",
             v.status, v.reason, none, v.findings);
  if (!verdict.poor)
    v.reason = fmt::format("the model meets these measurements: largest misfit {:.0f} % of the allowed one",
                           100.0 * verdict.worst / gate_factor);
  return v;
}

Outcome validate(const ValidateJob& job, Progress& progress) {
  if (job.files.size() < 2)
    throw_bad_input("files", "a model and at least one measurement are needed",
                    "kdyn validate MODEL.json DATA.csv ... --out DIR");
  const std::string content = read_text(job.files.front());
  const AxisMount specimen = mount_on_axis(parse_json(content, job.files.front()), job.files.front(), job.axis);
  const BenchInputs inputs = read_bench_inputs({job.files.begin() + 1, job.files.end()}, job.read, SineRecords::keep);
  const ElastomerData& data = inputs.data;
  if (data.empty())
    throw_bad_input("files", "the files hold no measurement", "give a map, a static loop or a transient");
  const AxisKind kind = !data.map.rows.empty() ? data.map.axis
                        : !data.loops.empty()  ? data.loops.front().axis
                                               : data.series.front().axis;
  if (kind != specimen.kind)
    throw_bad_input(job.files[1],
                    kind == AxisKind::rotation ? "the data are torsional, the model is a translation"
                                               : "the data are a translation, the model is torsional",
                    "name the axis of the model with --axis");
  Validation v = validate_model(*specimen.mount, data, job, progress);
  v.axis = kind;
  v.findings.insert(v.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  Outcome outcome;
  outcome.complete = v.status == "done";
  outcome.inputs = inputs.inputs;
  outcome.inputs.insert(outcome.inputs.begin(), Source{job.files.front(), sha256(content), {}});
  ValidateOutput output{job, data, v, {}};
  specimen.mount->to_json(output.model.json);
  to_json_fields(output, outcome.result);
  std::string text = fmt::format("status: {} ({})\n", v.status, v.reason);
  if (output.has_map())
    text += fmt::format("  map: {:.2f} % of stiffness, {:.2f} deg of loss angle (rms of {} rows)\n",
                        100.0 * v.rms_k_dyn_rel, v.rms_loss_angle / degree, v.map.size());
  for (const StaticComparison& loop : v.loops) text += fmt::format("  static loop: {:.3g} N rms\n", loop.rms);
  for (const SeriesValidation& s : v.series) {
    std::vector<std::string> ratios;
    for (std::size_t k = 0; k < job.exponents.size(); ++k)
      ratios.push_back(fmt::format("{:.2f} (k = {:g})", s.damage_ratio[k], job.exponents[k]));
    text += fmt::format("  transient: {:.1f} % of the force (rms {:.3g} {}), damage ratio {}\n", 100.0 * s.rms_rel,
                        s.rms, kind == AxisKind::rotation ? "N*m" : "N", join(ratios, ", "));
  }
  outcome.text = text + findings_text(v.findings);
  if (v.status != "stopped") {
    const std::string title = !job.title.empty() ? job.title : std::filesystem::path(job.files.front()).stem().string();
    outcome.document = validation_report(title, *specimen.mount, data, v, job);
  }
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
