// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/workbench.hpp"
#include "kdyn/app/present/display.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/hydromount/steady_curve.hpp"
#include "kdyn/identify/static_history.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/numerics/meet.hpp"
#include "kdyn/report/decimate.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const EvaluateOptions*) {
  using O = app::EvaluateOptions;
  static const FieldTable table = FieldTable::of<O>("evaluate", [](FieldTable& t) {
    t.add(&O::preload, "preload", "-", "Index of the preload level").range(0, 1e6);
    t.add(&O::points, "points", "-", "Frequencies of each curve").range(2, 1000);
    t.add(&O::loop_criterion, "loop_criterion", "-", "Stiffness from force range and loop area");
    t.add(&O::misfit, "misfit", "-", "Compare with every row of the map");
    t.add(&O::left_out, "left_out", "-", "Rows of the map that do not count in the misfit, from 0").at_least(0.0);
    t.add(&O::paths, "paths", "-", "Static loops and transients as well");
    t.add(&O::cycle_hz, "cycle_hz", "Hz", "Frequency of a steady cycle for each amplitude; 0: none").range(0.0, 1e5);
  });
  return table;
}

const FieldTable& app::fields_of(const SeriesView*) {
  using O = app::SeriesView;
  static const FieldTable table = FieldTable::of<O>("series", [](FieldTable& t) {
    t.add(&O::index, "index", "-", "Which record").range(0, 1e6);
    t.add(&O::from_s, "from_s", "s", "Begin of the view");
    t.add(&O::to_s, "to_s", "s", "End of the view");
    t.add(&O::points, "points", "-", "Points at most, for each channel").range(10, 20000);
    t.add(&O::channel, "channel", "-", "One channel alone: displacement_m or force_n");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

constexpr std::size_t drawn_points = 1500;
constexpr std::size_t longest_path = 200'000;  // samples that are simulated while somebody waits

std::vector<std::size_t> drawn(std::span<const double> x, std::span<const double> y) {
  return report::decimate(x, y, drawn_points);
}

std::vector<double> picked(std::span<const double> values, const std::vector<std::size_t>& points) {
  std::vector<double> out;
  for (const std::size_t i : points) out.push_back(values[i]);
  return out;
}

// One data reduction of a model; where the law has no closed form, the linear stiffness: somebody waits.
class ResponseOf {
 public:
  ResponseOf(const Json& model, const Mount& mount, bool loop) : mount_(mount), points_(model, mount, loop) {}
  ModelPoint operator()(double frequency_hz, double amplitude, double u0) const {
    if (const auto closed = points_.closed(u0, frequency_hz, amplitude)) return *closed;
    const std::complex<double> k = mount_.linear_stiffness(frequency_hz, u0);
    return {std::abs(k), std::arg(k)};
  }

 private:
  const Mount& mount_;
  SteadyPoints points_;
};

// Points of one curve, each by itself.
template <class Response>
auto one_by_one(const Response& response, double u0) {
  return [&response, u0](const std::vector<SweepPoint>& sweep) {
    std::vector<ModelPoint> out;
    for (const SweepPoint& point : sweep) out.push_back(response(point.frequency_hz, point.amplitude, u0));
    return out;
  };
}

void add_numbers(const Json& model, const std::vector<std::string>& path, std::vector<ModelNumber>& out) {
  const LawEntry* law = find_law(model_word(model));
  for (const auto& [key, value] : model.items()) {
    if (!value.is_object()) continue;
    std::vector<std::string> inner = path;
    inner.push_back(key);
    if (!model_word(value).empty()) {
      add_numbers(value, inner, out);
      continue;
    }
    if (key != "parameters") continue;
    for (const auto& [name, number] : value.items()) {
      if (!number.is_number()) continue;
      ModelNumber& one = out.emplace_back(ModelNumber{inner, name, number.get<double>()});
      one.path.push_back(name);
      if (!path.empty()) one.part = path.back();
      if (const Field* field = law == nullptr ? nullptr : law->table->find(name)) {
        one.unit = field->unit;
        one.meaning = field->meaning;
        if (std::isfinite(field->lower)) one.lower = field->lower;
        if (std::isfinite(field->upper)) one.upper = field->upper;
      }
    }
  }
}

}  // namespace

Json model_fields(const Json& model) {
  std::vector<ModelNumber> out;
  if (model.is_object()) add_numbers(model, {}, out);
  return described_json(out);
}

Workbench::Workbench(const std::vector<std::string>& files, const ReadHints& hints)
    : inputs_(read_bench_inputs(files, hints)),
      view_(inputs_.data.map) {
  for (const StaticLoop& loop : inputs_.data.loops) loop_points_.push_back(drawn(loop.displacement, loop.force));
  for (const BenchSeries& series : inputs_.data.series) series_points_.push_back(drawn(series.time, series.force));
}

Json Workbench::measured() const {
  Measured out{view_.map.axis, {view_.amplitudes, view_.preloads, view_.frequencies, {}}, {}, {}};
  for (std::size_t p = 0; p < view_.preloads.size(); ++p)
    for (std::size_t level = 0; level < view_.amplitudes.size(); ++level) {
      MeasuredCurve curve{p, level};
      for (std::size_t i = 0; i < view_.map.rows.size(); ++i) {
        const MapRow& row = view_.map.rows[i];
        if (view_.amplitude_level(row) != level || !view_.at_preload(row, p)) continue;
        curve.row.push_back(static_cast<std::int64_t>(i));
        curve.frequency_hz.push_back(row.frequency_hz);
        curve.k_dyn.push_back(row.k_dyn);
        curve.loss_angle_deg.push_back(row.loss_angle / degree);
        curve.amplitude_m.push_back(row.amplitude);
      }
      if (!curve.frequency_hz.empty()) out.map.curves.push_back(std::move(curve));
    }
  for (std::size_t i = 0; i < loop_points_.size(); ++i) {
    const StaticLoop& loop = inputs_.data.loops[i];
    if (loop.axis == AxisKind::rotation) out.axis = loop.axis;
    out.loops.push_back({picked(loop.displacement, loop_points_[i]), picked(loop.force, loop_points_[i])});
  }
  for (std::size_t i = 0; i < series_points_.size(); ++i) {
    const BenchSeries& series = inputs_.data.series[i];
    if (series.axis == AxisKind::rotation) out.axis = series.axis;
    out.series.push_back({picked(series.time, series_points_[i]), picked(series.displacement, series_points_[i]),
                          picked(series.force, series_points_[i]), series.time.size()});
  }
  return described_json(out);
}

Json Workbench::series(const SeriesView& view) const {
  if (static_cast<std::size_t>(view.index) >= inputs_.data.series.size())
    throw_bad_input("index", "there is no such record", "count from 0");
  const BenchSeries& record = inputs_.data.series[static_cast<std::size_t>(view.index)];
  // One sample beyond the view on each side, so that a line reaches the frame.
  const auto first = std::lower_bound(record.time.begin(), record.time.end(), view.from_s) - record.time.begin();
  const auto last = std::upper_bound(record.time.begin(), record.time.end(), view.to_s) - record.time.begin();
  const auto begin = std::max<std::ptrdiff_t>(first - 1, 0),
             end = std::min<std::ptrdiff_t>(last + 1, static_cast<std::ptrdiff_t>(record.time.size()));
  if (begin >= end) throw_bad_input("view", "the record has nothing there", "look at another time");
  const auto part = [&](const std::vector<double>& all) {
    return std::span(all).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  };
  const std::span<const double> time = part(record.time);
  SeriesPart out{record.time.front(), record.time.back(), end - begin, {}};
  const auto add = [&](const char* name, const std::vector<double>& all) {
    if (all.empty() || (!view.channel.empty() && view.channel != name)) return;
    const std::vector<std::size_t> kept = report::decimate(time, part(all), static_cast<std::size_t>(view.points));
    out.channels.push_back({name, picked(time, kept), picked(part(all), kept)});
  };
  add("displacement_m", record.displacement);
  add("force_n", record.force);
  return described_json(out);
}

Json Workbench::evaluate(const Json& model, const EvaluateOptions& options) const {
  const std::unique_ptr<Mount> mount = mount_from_json(model, "model");
  Evaluated out;
  const ResponseOf response(model, *mount, options.loop_criterion);
  ThreadRunner one_thread(1);
  if (!view_.map.rows.empty())
    out.curves = curves(one_by_one(response, preload_displacement(*mount, options)), options, one_thread);
  if (options.misfit && !view_.map.rows.empty()) out.misfit = misfit(*mount, response, options);
  if (options.paths) add_paths(*mount, out);
  if (options.cycle_hz > 0.0) out.cycles = cycles(*mount, options);
  return described_json(out);
}

double Workbench::preload_displacement(const Mount& mount, const EvaluateOptions& options) const {
  const auto p = static_cast<std::size_t>(options.preload);
  if (p >= view_.preloads.size())
    throw_bad_input("preload", "there is no such preload level", "choose one of those in the data");
  return mount.static_displacement(view_.preloads[p]);
}

std::vector<ModelCurve> Workbench::curves(const CurveResponse& response, const EvaluateOptions& options,
                                          TaskRunner& runner) const {
  const auto p = static_cast<std::size_t>(options.preload);
  std::vector<ModelCurve> all;
  std::vector<std::vector<SweepPoint>> sweeps;
  for (std::size_t level = 0; level < view_.amplitudes.size(); ++level) {
    const AchievedAmplitude amplitude(view_, level, p);
    if (amplitude.empty()) continue;
    ModelCurve& curve = all.emplace_back(ModelCurve{options.preload, level});
    std::vector<SweepPoint>& sweep = sweeps.emplace_back();
    for (std::int64_t i = 0; i < options.points; ++i) {
      const double hz = amplitude.lower() * std::pow(amplitude.upper() / amplitude.lower(),
                                                     static_cast<double>(i) / static_cast<double>(options.points - 1));
      curve.frequency_hz.push_back(hz);
      sweep.push_back({hz, amplitude(hz)});
    }
  }
  runner.run(static_cast<int>(all.size()), [&](int task) {
    const auto level = static_cast<std::size_t>(task);
    for (const ModelPoint& r : response(sweeps[level])) {
      all[level].k_dyn.push_back(r.k_dyn);
      all[level].loss_angle_deg.push_back(r.loss_angle / degree);
    }
    return std::vector<double>();
  });
  return all;
}

std::vector<float> Workbench::follow(const Json& model, const EvaluateOptions& options) const {
  const std::unique_ptr<Mount> mount = mount_from_json(model, "model");
  std::vector<float> out;
  if (view_.map.rows.empty()) return out;
  const double u0 = preload_displacement(*mount, options);
  const ResponseOf response(model, *mount, options.loop_criterion);
  CurveResponse curve_of = one_by_one(response, u0);
  ThreadRunner one_thread(1);
  ThreadRunner threads;
  // A hydro mount moves with the slider by three harmonics along the curve; where the slider rests, evaluate has all.
  std::optional<HydroMount<double>> hydro;
  if (!options.loop_criterion && model.value("model", "") == "hydromount" && !model.contains("scale")) {
    hydro = hydromount_from_json(model, "model");
    curve_of = [&hydro, u0](const std::vector<SweepPoint>& sweep) {
      std::vector<ModelPoint> points;
      for (const std::complex<double>& k : steady_curve(*hydro, u0, sweep))
        points.push_back({std::abs(k), std::arg(k)});
      return points;
    };
  }
  for (const ModelCurve& curve : curves(curve_of, options, hydro ? threads : one_thread))
    for (const std::vector<double>* values : {&curve.k_dyn, &curve.loss_angle_deg})
      out.insert(out.end(), values->begin(), values->end());
  return out;
}

MapMisfit Workbench::misfit(const Mount& mount, const Reduction& response, const EvaluateOptions& options) const {
  std::vector<double> u0;
  for (const double preload : view_.preloads) u0.push_back(mount.static_displacement(preload));
  double k_sum = 0.0, angle_sum = 0.0, n = 0.0;
  const std::set<double> left_out(options.left_out.begin(), options.left_out.end());
  for (std::size_t i = 0; i < view_.map.rows.size(); ++i) {
    if (left_out.contains(static_cast<double>(i))) continue;
    const MapRow& row = view_.map.rows[i];
    std::size_t p = 0;
    while (p + 1 < u0.size() && !view_.at_preload(row, p)) ++p;
    const ModelPoint r = response(row.frequency_hz, row.amplitude, u0[p]);
    const double k = r.k_dyn / row.k_dyn - 1.0;
    const double angle = r.loss_angle - row.loss_angle;
    k_sum += k * k;
    angle_sum += angle * angle;
    n += 1.0;
  }
  return {std::sqrt(k_sum / n), std::sqrt(angle_sum / n) / degree};
}

void Workbench::add_paths(Mount& mount, Evaluated& out) const {
  const auto can_wait = [](const std::vector<double>& force) {
    return force.size() <= longest_path && force.size() >= 3;
  };
  out.loops.emplace();
  for (std::size_t i = 0; i < loop_points_.size(); ++i) {
    const StaticLoop& loop = inputs_.data.loops[i];
    std::optional<ModelPath>& path = out.loops->emplace_back();
    if (!can_wait(loop.force)) continue;
    const StaticComparison met = compare_static(mount, loop, view_.preloads);
    path = {picked(met.force, loop_points_[i]), met.rms};
  }
  out.series.emplace();
  for (std::size_t i = 0; i < series_points_.size(); ++i) {
    const BenchSeries& series = inputs_.data.series[i];
    std::optional<ModelPath>& path = out.series->emplace_back();
    if (!can_wait(series.force)) continue;
    std::vector<double> force = simulate(mount, series.time, series.displacement);
    const double rms = meet(force, series.force).rms;
    path = {picked(force, series_points_[i]), rms};
  }
}

std::vector<ModelCycle> Workbench::cycles(const Mount& mount, const EvaluateOptions& options) const {
  RigOptions rig;
  rig.frequencies_hz = {options.cycle_hz};
  rig.amplitudes_m = view_.amplitudes.empty() ? std::vector<double>{1e-4, 1e-3} : view_.amplitudes;
  rig.preloads_n = {
      view_.preloads.empty()
          ? 0.0
          : view_.preloads[std::min(static_cast<std::size_t>(options.preload), view_.preloads.size() - 1)]};
  rig.samples_per_cycle = 128;
  rig.measured_cycles = 1;
  rig.settle_tolerance = 1e-4;  // below the width of a line
  rig.max_cycles = 100;
  std::vector<ModelCycle> out;
  for (const RigLoop& loop : run_rig(mount, rig).loops) out.push_back({loop.amplitude, loop.displacement, loop.force});
  return out;
}

}  // namespace kdyn::app
