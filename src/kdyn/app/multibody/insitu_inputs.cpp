// SPDX-License-Identifier: Apache-2.0
// What kdyn insitu reads: a job file, models, measured signals, priors from the bench, an earlier result.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/multibody/insitu_channels.hpp"
#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/present/fit_summary.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/insitu/result_fields.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/mbs/closing.hpp"
#include "kdyn/mbs/model_expansion.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/motion_check.hpp"
#include "kdyn/mbs/sensors.hpp"

namespace kdyn::app {
namespace {

using namespace mbs;
namespace fs = std::filesystem;

const Signal& column_of(const SignalSet& table, const std::string& name) {
  if (const Signal* column = table.find(name)) return *column;
  std::vector<std::string> names;
  for (const Signal& c : table.signals) names.push_back(c.name);
  throw_bad_input(table.name, fmt::format("there is no column {}", in_quotes(name)),
                  suggest(name, names) + "; or name the column of a signal by \"columns\": {\"signal\": \"column\"}");
}

// Whether every sample falls on a step of the run.
bool on_steps(const std::vector<double>& time, double step) {
  return std::all_of(time.begin(), time.end(),
                     [&](double t) { return std::abs(t / step - std::round(t / step)) < 1e-4; });
}

// The model file with what the experiment has instead.
Json model_with(const InsituExperimentJob& in, const std::string& path, const std::string& where) {
  Json json = read_json(path);
  if (!in.loads.is_null()) json["loads"] = in.loads;
  if (!in.gravity.is_null()) json["gravity"] = in.gravity;
  if (in.run.is_null()) return json;
  if (!in.run.is_object()) throw_bad_input(where + ".run", "this must be an object", "write {\"step_s\": ...}");
  json["run"].update(in.run);
  return json;
}

// Of the result.json that is resumed.
struct EarlierRun {
  std::vector<InsituIteration> history;
};
const FieldTable& fields_of(const EarlierRun*) {
  static const FieldTable table = FieldTable::results<EarlierRun>(
      "earlier run", [](FieldTable& t) { t.add(&EarlierRun::history, "history", "-", "Its iterations"); });
  return table;
}

class Reader {
 public:
  explicit Reader(const InsituJob& given) {
    out_.job = given;
    const InsituJob& job = out_.job;
    if (job.start.empty())
      throw_bad_input("start", "no parameter is free",
                      "name at least one with its start value, such as left.fz.stiffness=2e5");
    for (const auto& [name, value] : job.start) out_.parameters.push_back({name, "", {}, value});
    for (const InsituTieJob& tie : job.ties) {
      const int to = index_of(tie.to);
      if (to < 0)
        throw_bad_input("ties", fmt::format("{} is not free", in_quotes(tie.to)), "name it among the start values");
      if (index_of(tie.parameter) >= 0)
        throw_bad_input("ties", fmt::format("{} is free and follows another", in_quotes(tie.parameter)),
                        "take it out of the start values");
      out_.parameters[static_cast<std::size_t>(to)].ties.push_back({{}, tie.ratio});
      tied_[static_cast<std::size_t>(to)].push_back(tie.parameter);
    }
    for (const std::string& path : job.data) {
      InsituExperimentJob one;
      one.data = path;
      experiment(one, "data");
    }
    for (std::size_t i = 0; i < job.experiments.size(); ++i)
      experiment(job.experiments[i], fmt::format("experiments[{}]", i));
    if (out_.experiments.empty())
      throw_bad_input("data", "no measured signals are given", "name a file with a time column, or experiments");
    for (InsituParameter& p : out_.parameters) {
      if (p.of == InsituParameter::Of::model) continue;
      p.channel.resize(out_.experiments.size(), -1);
      if (std::all_of(p.channel.begin(), p.channel.end(), [](int c) { return c < 0; }))
        throw_bad_input("start", fmt::format("no experiment has the signal of {}", in_quotes(p.name)),
                        "name a signal that is compared: m2.position.x.delay");
    }
    for (std::size_t i = 0; i < job.priors.size(); ++i) prior(job.priors[i], fmt::format("priors[{}]", i));
    if (!job.resume.empty()) resume();
  }
  InsituInputs take() { return std::move(out_); }

 private:
  void experiment(const InsituExperimentJob& in, const std::string& where) {
    const InsituJob& job = out_.job;
    const std::string& path = in.model.empty() ? job.model : in.model;
    if (path.empty()) throw_bad_input("model", "no model is given", "name a multibody model file or a job file");
    const std::string& data = in.data;
    if (data.empty())
      throw_bad_input(where + ".data", "the measured signals are missing", "name a file with a time column");
    const Json json = expand_model(model_with(in, path, where), path, fs::path(path).parent_path().string()).model;
    ModelFile file = model_from_json(json, path, fs::path(path).parent_path().string());
    if (out_.experiments.empty()) {
      out_.model = json;
      out_.model_folder = fs::path(path).parent_path().string();
      out_.model_files = file.files;
      out_.title = !job.title.empty()          ? job.title
                   : !file.model.title.empty() ? file.model.title
                                               : fs::path(path).stem().string();
    }
    if (seen_.insert(path).second) out_.sources.push_back({path, sha256(read_text(path)), {}});
    for (const std::string& other : file.files)
      if (seen_.insert(other).second) out_.sources.push_back({other, sha256(read_text(other)), {}});
    if (job.step_s) file.run.step_s = *job.step_s;
    if (job.duration_s) file.run.duration_s = *job.duration_s;
    out_.findings.insert(out_.findings.end(), file.findings.begin(), file.findings.end());
    InsituExperiment x;
    x.name = in.name.empty() ? fs::path(data).stem().string() : in.name;
    for (std::size_t i = 0; i < job.sensors.size(); ++i)
      set_sensor(file.model, job.sensors[i], fmt::format("sensors[{}]", i));
    const auto known = named_outputs(file.model);
    const System system(file.model);
    out_.starts.push_back({x.name, assemble_start(system, file.run.closing_limit, path)});
    for (const auto& found :
         {out_.starts.back().start.findings, check_motions(file.model, file.run.step_s, file.run.duration_s, path)})
      out_.findings.insert(out_.findings.end(), found.begin(), found.end());
    const auto parameters = named_parameters(system);
    if (out_.experiments.empty()) free_orientations(out_, file.model);
    for (std::size_t i = 0; i < out_.parameters.size(); ++i) {
      InsituParameter& p = out_.parameters[i];
      if (is_of_channel(p)) continue;
      const std::string place = out_.experiments.empty() ? "start" : path;
      require_searchable(parameters, p.name, place);
      const NamedParameter& found = look_up(parameters, p.name, place);
      p.unit = found.unit;
      p.scale = found.scale;
      set_reach(p, found, job.fit);
      check_signal(system.model(), found, file.run, place, out_.findings);
      p.in.push_back(found.parameter);
      for (std::size_t k = 0; k < p.ties.size(); ++k) {
        const NamedParameter& follower = look_up(parameters, tied_[i][k], "ties");
        if (follower.unit != found.unit || follower.scale != found.scale)
          throw_bad_input("ties",
                          fmt::format("{} and {} are of different kind", in_quotes(tied_[i][k]), in_quotes(p.name)),
                          "tie parameters of one unit");
        p.ties[k].in.push_back(follower.parameter);
      }
    }
    if (out_.experiments.empty())
      out_.findings.insert(out_.findings.end(), system.findings().begin(), system.findings().end());
    tell_closing_by_mass(file.run, path);

    SignalTableOptions reading;
    reading.gaps = true;
    const SignalSet table = read_signal_table(data, reading);
    out_.sources.push_back(table.source);
    out_.findings.insert(out_.findings.end(), table.findings.begin(), table.findings.end());
    if (table.time.size() < 2)
      throw_bad_input(data, "there is no time column, or fewer than two samples", "add a column \"time [s]\"");
    if (table.time.front() > 0.5 * file.run.step_s && table.time.front() >= file.run.duration_s)
      throw_bad_input(data, fmt::format("the signals begin at {:.6g} s, after the end of the run", table.time.front()),
                      "shift the time so that the run's start is 0");
    for (std::size_t i = 1; i < table.time.size(); ++i)
      if (!(table.time[i] > table.time[i - 1]))
        throw_bad_input(table.place(i), "the time does not grow", "sort the rows by time");
    // Up to the last step that a sample needs. Samples before the start of the run or after its end have nothing to be
    // compared with.
    const double end = std::min(file.run.duration_s, table.time.back()), run_end = file.run.duration_s;
    file.run.duration_s = std::ceil(end / file.run.step_s - 1e-4) * file.run.step_s;
    const double steps = file.run.duration_s / file.run.step_s;
    if (!(steps >= 2.0) || steps > 1e7)
      throw_bad_input("step_s", fmt::format("{:.3g} steps of the run fall into the measured time", steps),
                      "check the time column and step_s");
    const Eigen::Index count = std::lround(steps) + 1;
    const double hair = 1e-4 * file.run.step_s;
    std::vector<std::size_t> used;
    std::vector<double> times;
    for (std::size_t i = 0; i < table.time.size(); ++i)
      if (table.time[i] > -hair && table.time[i] < file.run.duration_s + hair)
        used.push_back(i), times.push_back(std::max(0.0, table.time[i]));
    if (used.size() < table.time.size())
      out_.findings.push_back({Severity::note, "samples_outside", data,
                               fmt::format("{} of {} samples lie outside the run (0 to {:.6g} s) and are not used",
                                           table.time.size() - used.size(), table.time.size(), run_end),
                               "lengthen run.duration_s, or shift the time so that the run's start is 0"});
    if (used.size() < 2)
      throw_bad_input(data, "fewer than two samples lie inside the run", "shift the time so that the run's start is 0");
    const bool exact = on_steps(times, file.run.step_s);
    if (!exact) x.sampling = Sampling(times, file.run.step_s, count - 1);
    if (table.time.front() > hair)
      out_.findings.push_back(
          {Severity::note, "late_record", data,
           fmt::format(
               "the record begins {:.6g} s after the start of the run; the run before it is computed and not compared",
               table.time.front()),
           "check that the time of the record counts from the start of the run"});
    std::vector<std::string> signals = in.signals ? *in.signals : job.signals;
    if (signals.empty())
      for (const SensorChannel& c : file.model.channels) signals.push_back(c.name);
    if (signals.empty())
      throw_bad_input("signals", "no signal is named, and there is no sensor",
                      "name at least one, such as frame.acceleration.z");
    const std::map<std::string, std::string>& columns = in.columns ? *in.columns : job.columns;
    signals = without_dead(std::move(signals), columns, table, used, out_.findings);
    x.measured = Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(signals.size()),
                                           exact ? count : static_cast<Eigen::Index>(used.size()), std::nan(""));
    auto& units = out_.units.emplace_back();
    for (std::size_t j = 0; j < signals.size(); ++j) {
      const NamedOutput& output = look_up(known, signals[j], "signals");
      const auto named = columns.find(signals[j]);
      const Signal& column = column_of(table, named == columns.end() ? signals[j] : named->second);
      if (!column.unit.empty() && column.unit != output.unit)
        throw_bad_input(table.name,
                        fmt::format("column {} is measured in {}, the signal in {}", in_quotes(column.name),
                                    column.written_unit, output.unit),
                        "compare signals of one kind");
      x.signals.push_back(signals[j]);
      x.outputs.push_back(output.output);
      x.units.push_back(output.unit);
      calibrate(x, output);
      units.push_back(output.unit);
      for (std::size_t i = 0; i < used.size(); ++i) {
        const Eigen::Index n = exact ? std::lround(times[i] / file.run.step_s) : static_cast<Eigen::Index>(i);
        x.measured(static_cast<Eigen::Index>(j), n) = column.values[used[i]];
      }
      tell_gaps(column, used, data, out_.findings);
    }
    if (!exact)
      out_.findings.push_back(
          {Severity::note, "between_steps", data,
           "samples do not fall on steps of the run: the computed signals are read between steps by cubics",
           "choose step_s so that the sampling interval is a multiple of it to have them exact"});
    if (std::all_of(x.calibration.begin(), x.calibration.end(),
                    [](const ChannelCalibration& c) { return c.gain == 1.0 && c.offset == 0.0 && c.delay_s == 0.0; }))
      x.calibration.clear();
    free_channels(out_, x, file.model);
    add_end_points(x, in.end_points ? *in.end_points : job.end_points, known);
    x.model = std::move(file.model);
    x.run = file.run;
    out_.experiments.push_back(std::move(x));
  }

  // Bodies that are put elsewhere than given move by their masses, which gradients leave out.
  void tell_closing_by_mass(const RunOptions& run, const std::string& path) {
    const auto has = [&](const char* code) {
      return std::any_of(out_.findings.begin(), out_.findings.end(),
                         [&](const Finding& f) { return f.code == code && f.where == path; });
    };
    const bool masses = std::any_of(out_.parameters.begin(), out_.parameters.end(), [](const InsituParameter& p) {
      return p.of == InsituParameter::Of::model &&
             (p.in.back().kind == Parameter::Kind::mass || p.in.back().kind == Parameter::Kind::inertia ||
              p.in.back().kind == Parameter::Kind::centre);
    });
    if (masses && !run.static_start && (has("joint_closed") || has("drive_starts")))
      out_.findings.push_back(
          {Severity::warning, "closing_by_mass", path,
           "joints are closed at the start by moving bodies according to their masses, and masses are free: gradients "
           "leave that out",
           "give positions that close the joints and meet the drives at their start"});
  }

  // "SIGNAL.gain" and the like: known by its ending; which signal follows when they are read.
  static bool is_of_channel(InsituParameter& p) {
    using Of = InsituParameter::Of;
    if (p.name == "time_offset") p.of = Of::time_offset;
    if (p.name.ends_with(".gain")) p.of = Of::gain;
    if (p.name.ends_with(".offset")) p.of = Of::offset;
    if (p.name.ends_with(".delay")) p.of = Of::delay;
    return p.of != Of::model;
  }

  static void calibrate(InsituExperiment& x, const NamedOutput& output) {
    x.calibration.push_back({output.gain, output.offset, output.delay_s});
  }

  int index_of(const std::string& name) const { return parameter_index(out_, name); }

  void prior(const InsituPriorJob& in, const std::string& where) {
    InsituPrior out;
    if (!in.parameter.empty()) {
      const std::string& name = in.parameter;
      const int index = index_of(name);
      if (index < 0)
        throw_bad_input(where + ".parameter", fmt::format("{} is not free", in_quotes(name)),
                        "name one of the parameters of start");
      const InsituParameter& p = out_.parameters[static_cast<std::size_t>(index)];
      const bool place = p.scale > 0.0;
      const double value = in.value, deviation = in.widen * (place ? in.std / p.scale : in.relative_std);
      if (place && !(deviation > 0.0))
        throw_bad_input(where + ".std", fmt::format("the standard deviation in {} must be above 0", p.unit),
                        "write 0.002 for 2 mm");
      if (!place && (!(value > 0.0) || !(deviation > 0.0)))
        throw_bad_input(where, "value and relative_std must be above 0", "write 0.1 for 10 %");
      out.origin = name;
      out.parameters = {index};
      out.mean = VectorX::Constant(1, p.unknown(value));
      out.covariance = MatrixX::Constant(1, 1, deviation * deviation);
    } else {
      bench_prior(in, where, out);
    }
    out_.priors.push_back(std::move(out));
  }

  // result.json of kdyn fit: values, standard deviations and their correlation, for one axis of one mount.
  void bench_prior(const InsituPriorJob& in, const std::string& where, InsituPrior& out) {
    const std::string &path = in.bench, &axis = in.axis;
    if (path.empty() || axis.empty())
      throw_bad_input(where, "a prior names a parameter, or a bench result and an axis",
                      "write {\"bench\": \"fit/result.json\", \"axis\": \"left.fz\"} or {\"parameter\": .., \"value\": "
                      ".., \"relative_std\": ..}");
    const FitSummary fit = read_result(path, "kdyn fit", "give the result.json of a fit");
    out.origin = path;
    std::vector<std::string> names;
    std::vector<double> mean, deviation;
    for (const ParameterEstimate& p : *fit.parameters) {
      const int index = index_of(axis + "." + p.name);
      if (index < 0 || !(p.value > 0.0) || !(p.std > 0.0)) continue;
      out.parameters.push_back(index);
      names.push_back(p.name);
      mean.push_back(std::log(p.value));
      deviation.push_back(in.widen * p.std / p.value);
    }
    if (names.empty())
      throw_bad_input(where, fmt::format("no free parameter of {} has a standard deviation in {}", axis, path),
                      "free parameters of that axis in start, or check the axis");
    const auto n = static_cast<Eigen::Index>(names.size());
    out.mean = Eigen::Map<const VectorX>(mean.data(), n);
    MatrixX correlation = MatrixX::Identity(n, n);
    if (fit.correlation)
      for (Eigen::Index i = 0; i < n; ++i)
        for (Eigen::Index j = 0; j < n; ++j)
          correlation(i, j) =
              entry(*fit.correlation, names[static_cast<std::size_t>(i)], names[static_cast<std::size_t>(j)]);
    const VectorX s = Eigen::Map<const VectorX>(deviation.data(), n);
    out.covariance = s.asDiagonal() * correlation * s.asDiagonal();
    out_.sources.push_back({path, sha256(read_text(path)), {}});
  }

  static double entry(const Correlation& correlation, const std::string& a, const std::string& b) {
    if (a == b) return 1.0;
    const auto place = [&](const std::string& name) {
      return std::find(correlation.names.begin(), correlation.names.end(), name) - correlation.names.begin();
    };
    const Eigen::Index i = place(a), j = place(b);
    if (i >= correlation.matrix.rows() || j >= correlation.matrix.cols()) return 0.0;
    const double known = correlation.matrix(i, j);
    return std::isfinite(known) ? std::clamp(known, -0.9999, 0.9999) : 0.0;
  }

  static FitSummary read_result(const std::string& path, const std::string& of, const std::string& remedy) {
    FitSummary out;
    if (const Json file = read_json(path); file.is_object()) out = fit_summary(file, path);
    if (!out.parameters)
      throw_bad_input(path, fmt::format("this is no result of {}: it has no parameters", of), remedy);
    return out;
  }

  void resume() {
    const std::string& path = out_.job.resume;
    const FitSummary fit = read_result(path, "kdyn insitu", "give the result.json of the run to go on with");
    for (InsituParameter& p : out_.parameters) {
      const ParameterEstimate* earlier = fit.find(p.name);
      if (earlier == nullptr || std::isnan(earlier->value))
        throw_bad_input(path, fmt::format("the earlier run did not free {}", in_quotes(p.name)),
                        "resume with the same parameters");
      p.resumed = earlier->value;
      if (p.scale == 0.0 && !(*p.resumed > 0.0))
        throw_bad_input(path, fmt::format("{} is not above 0", in_quotes(p.name)), "start anew without resume");
    }
    EarlierRun run;
    from_known_fields(run, read_json(path), path);
    for (InsituIteration& step : run.history) {
      if (step.values.size() != out_.parameters.size()) return;
      out_.earlier.push_back(std::move(step));
    }
  }

  InsituInputs out_;
  std::set<std::string> seen_;                            // models read
  std::map<std::size_t, std::vector<std::string>> tied_;  // followers of each parameter
};

}  // namespace

InsituInputs read_insitu(const InsituJob& job) { return Reader(job).take(); }

}  // namespace kdyn::app
