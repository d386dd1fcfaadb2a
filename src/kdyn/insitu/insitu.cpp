// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/insitu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/numerics/fit_gate.hpp"
#include "kdyn/numerics/scatter.hpp"

#include "kdyn/base/progress_part.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/insitu/internal/channel_unknowns.hpp"
#include "kdyn/insitu/internal/diagnosis.hpp"
#include "kdyn/insitu/internal/gradient_check.hpp"
#include "kdyn/insitu/internal/problem.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/numerics/tasks.hpp"

namespace kdyn::inline insitu {

const FieldTable& fields_of(const InsituOptions*) {
  using O = InsituOptions;
  static const FieldTable table = FieldTable::of<O>("in-situ identification", [](FieldTable& t) {
    t.add(&O::method, "method", "-",
          "Gauss-Newton on direct sensitivities, BFGS on the adjoint gradient, or what is faster for the job")
        .one_of({"automatic", "gauss_newton", "quasi_newton"});
    t.add(&O::max_iterations, "max_iterations", "-", "Most iterations").range(1, 10000);
    t.add(&O::tolerance, "tolerance", "-", "Converged when no parameter changes by more than this share")
        .range(1e-15, 0.1);
    t.add(&O::max_factor, "max_factor", "-", "A parameter stays between start / factor and start * factor")
        .range(1.001, 1e6);
    t.add(&O::max_shift, "max_shift", "m",
          "The place of a bushing stays within its start -+ this (rad for its orientation)")
        .range(1e-6, 10.0);
    t.add(&O::noise, "noise", "-",
          "Standard deviation of the noise over the rms of each signal; 0 takes it from the residuals")
        .range(0.0, 10.0);
    t.add(&O::check_gradient, "check_gradient", "-",
          "Compare the gradients of adjoint, direct sensitivity and differences at the start");
    t.add(&O::starts, "starts", "-",
          "Searches: the first from the start values, the others from values drawn around them")
        .range(1, 10000);
    t.add(&O::start_spread, "start_spread", "-", "Drawn starts lie between start / factor and start * factor")
        .range(1.0, 1e3);
    t.add(&O::seed, "seed", "-", "Seed of the drawn starts").range(0, 1e15);
    t.add(&O::max_delay_s, "max_delay_s", "s", "The delay of a channel or recorder stays within its start -+ this")
        .range(1e-9, 10.0);
    t.add(&O::max_turn, "max_turn", "rad", "The orientation of a sensor stays within its start -+ this")
        .range(1e-6, 3.2);
    t.add(&O::noise_per_signal, "noise_per_signal", "-",
          "Each signal counts by its own noise, as its residuals show it, instead of one share of the rms for all");
  });
  return table;
}

double InsituParameter::unknown(double v) const { return scale > 0.0 ? v / scale : std::log(v); }
double InsituParameter::value(double x) const { return scale > 0.0 ? scale * x : std::exp(x); }
double InsituParameter::slope(double x) const { return scale > 0.0 ? scale : std::exp(x); }

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using internal::InsituPoint;
using internal::InsituProblem;
using internal::InsituSearch;

// Assumed before the first run when nothing is said about the noise.
constexpr double usual_noise = 0.02;

bool of_model(const std::vector<InsituParameter>& parameters, Index i) {
  return parameters[static_cast<std::size_t>(i)].of == InsituParameter::Of::model;
}

// [insitu E2]
InsituIdentifiability identifiability(const InsituProblem& problem, const MatrixXd& A, double noise,
                                      const std::vector<InsituParameter>& parameters) {
  InsituIdentifiability out;
  out.noise = noise;
  const MatrixXd information = A / (noise * noise) + problem.prior_information();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(information);
  const VectorXd values = eigen.eigenvalues().cwiseMax(0.0);
  const Covariance covariance = covariance_of(values.cwiseSqrt().asDiagonal() * eigen.eigenvectors().transpose());
  out.std = covariance.standard_deviation;
  out.correlation = covariance.correlation;
  const double least = values.minCoeff();
  out.condition = least > 0.0 ? std::sqrt(values.maxCoeff() / least) : std::numeric_limits<double>::infinity();
  for (const VectorXd& direction : covariance.not_determined) {
    std::string text;
    for (Index i = 0; i < direction.size(); ++i)
      if (std::abs(direction[i]) > 0.3 * direction.cwiseAbs().maxCoeff())
        text += fmt::format("{}{}", text.empty() ? "" : ", ", parameters[static_cast<std::size_t>(i)].name);
    out.weak.push_back(text + (text.find(',') == std::string::npos ? " is not felt by any signal"
                                                                   : " act together: only a combination is felt"));
  }
  for (Index i = 0; i < out.correlation.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      if (std::abs(out.correlation(i, j)) > 0.98 && (of_model(parameters, i) || of_model(parameters, j)))
        out.weak.push_back(fmt::format("{} and {} can hardly be distinguished (correlation {:.3f})",
                                       parameters[static_cast<std::size_t>(j)].name,
                                       parameters[static_cast<std::size_t>(i)].name, out.correlation(i, j)));
  for (Index i = 0; i < out.std.size(); ++i)
    if (const InsituParameter& p = parameters[static_cast<std::size_t>(i)];
        std::isfinite(out.std[i]) && out.std[i] > 0.5)
      out.weak.push_back(
          p.scale > 0.0 ? fmt::format("{} is known to -+{:.2g} {} only", p.name, 1.96 * out.std[i] * p.scale, p.unit)
                        : fmt::format("{} is known to a factor {:.2g} only", p.name, std::exp(1.96 * out.std[i])));
  return out;
}

// [insitu E13] Coloured noise tells less than its number of samples: (H^-1 (B/s^2 + C^-1) H^-1) in place of H^-1. Only
// colours beyond chance count, and intervals are never made narrower.
void widen_by_colour(InsituIdentifiability& out, InsituProblem& problem, const InsituPoint& at, const MatrixXd& A,
                     double noise) {
  std::vector<std::vector<double>> colours = problem.colours(at);
  bool any = false;
  for (std::size_t e = 0; e < colours.size(); ++e)
    for (std::size_t j = 0; j < colours[e].size(); ++j) {
      const auto count = static_cast<double>(problem.residuals(e, static_cast<Index>(j), at).size());
      double& colour = colours[e][j];
      // Beyond 0.95 the correlation is that of a model that does not fit; the gate tells that.
      colour =
          std::isfinite(colour) && std::abs(colour) > 3.0 / std::sqrt(count) ? std::clamp(colour, -0.95, 0.95) : 0.0;
      any = any || colour != 0.0;
    }
  MatrixXd B;
  if (!any || !problem.coloured_equations(at, colours, B)) return;
  const MatrixXd prior = problem.prior_information();
  const internal::InformationInverse inverse = internal::inverse_of(A / (noise * noise) + prior);
  const MatrixXd wide = inverse.covariance * (B / (noise * noise) + prior) * inverse.covariance;
  for (Index i = 0; i < out.std.size(); ++i)
    if (const double plain = inverse.covariance(i, i); plain > 0.0 && wide(i, i) > plain)
      out.std[i] *= std::sqrt(wide(i, i) / plain);
}

// Starts around the given one, each from its own random stream.
VectorXd drawn_start(const VectorXd& start, int index, const InsituOptions& options, const VectorXd& lower,
                     const VectorXd& upper, const std::vector<InsituParameter>& parameters) {
  if (index == 0) return start;
  RandomStream random(static_cast<std::uint64_t>(options.seed), static_cast<std::uint64_t>(index));
  VectorXd p = start;
  for (Index i = 0; i < p.size(); ++i)
    if (of_model(parameters, i)) p[i] += random.uniform(-1.0, 1.0) * std::log(options.start_spread);
  return p.cwiseMax(lower).cwiseMin(upper);
}

// The gate of all identifications: misfit of every signal over its rms, against its noise, given or by its scatter from
// sample to sample.
GateVerdict judge_insitu(const InsituResult& result, const std::vector<InsituExperiment>& experiments,
                         const InsituOptions& options) {
  std::vector<GateChannel> channels;
  for (std::size_t e = 0; e < experiments.size() && e < result.misfits.size(); ++e)
    for (std::size_t j = 0; j < result.misfits[e].size(); ++j) {
      const Eigen::VectorXd signal = experiments[e].measured.row(static_cast<Eigen::Index>(j));
      std::vector<double> place, value;
      double mean = 0.0, square = 0.0;
      for (Eigen::Index i = 0; i < signal.size(); ++i)
        if (std::isfinite(signal[i]))
          place.push_back(static_cast<double>(i)), value.push_back(signal[i]), mean += signal[i];
      if (value.size() < 3) continue;
      mean /= static_cast<double>(value.size());
      for (const double x : value) square += (x - mean) * (x - mean) / static_cast<double>(value.size());
      if (!(square > 0.0)) continue;
      Scatter scatter;
      scatter.add(place, value);
      GateChannel channel;
      channel.name = fmt::format("{}: {}", experiments[e].name,
                                 j < experiments[e].signals.size() ? experiments[e].signals[j] : "signal");
      channel.unit = "%", channel.factor = 100.0;
      channel.residuals = {result.misfits[e][j]};
      channel.noise = options.noise > 0.0 ? options.noise : scatter.noise() / std::sqrt(square);
      channel.finest = 0.01, channel.coarsest = 0.1;
      channels.push_back(std::move(channel));
    }
  return judge_fit(channels);
}

// A channel fault that moves a parameter by more than this many of its standard deviations makes the intervals wrong.
constexpr double harmless = 1.0;

// [insitu E9] Channels that do not show what they should, and what the gate makes of the fit.
void judge_channels(InsituResult& result, const std::vector<InsituExperiment>& experiments,
                    const std::vector<InsituParameter>& parameters, const std::vector<InsituPrior>& priors,
                    const VectorXd& begin, const VectorXd& best, bool suspicious, const InsituOptions& options,
                    Progress& progress) {
  GateVerdict verdict = judge_insitu(result, experiments, options);
  std::vector<Finding> found = internal::clipped_channels(experiments);
  Index signals = 0;
  for (const InsituExperiment& x : experiments) signals = std::max(signals, x.measured.rows());
  if (signals > 1 && (verdict.poor || suspicious || result.status == "not_converged") && !progress.stop_requested()) {
    const internal::Diagnosis diagnosis = internal::find_faults(
        experiments, parameters, priors, verdict.poor ? begin : best, best, result.after.std, options, progress);
    for (const Finding& f : diagnosis.findings)
      if (std::none_of(found.begin(), found.end(), [&](const Finding& c) { return c.where == f.where; }))
        found.push_back(f);
    if (!verdict.poor && diagnosis.largest_shift > harmless) {
      verdict.poor = true;
      verdict.words = fmt::format("{}; that moves {} by {:.2g} standard deviations", diagnosis.findings.front().message,
                                  diagnosis.shifted, diagnosis.largest_shift);
    }
  }
  // [insitu E11] Records and end point contradict each other: one of them is wrong.
  for (const InsituEndShown& end : result.end_points)
    if (const double off = std::abs(end.found - end.given) / end.std; off > 4.0 && !verdict.poor) {
      verdict.poor = true;
      verdict.words = fmt::format("{} ends {:.2g} standard deviations away from its end point", end.signal, off);
    }
  // A wrong sign or unit or exchanged channels bend the fit so that others seem late or weak: it is named before them.
  std::stable_partition(found.begin(), found.end(),
                        [](const Finding& f) { return f.code != "channel_delay" && f.code != "channel_gain"; });
  result.findings.insert(result.findings.end(), found.begin(), found.end());
  for (Finding& odd : internal::odd_samples(experiments)) result.findings.push_back(std::move(odd));
  apply_gate(verdict,
             found.empty()
                 ? "check sign, unit, place and orientation of the sensor and the loads; else the model lacks "
                   "something that these signals show"
                 : "mend the channels that are named, or leave them out",
             result.status, result.reason, result.parameters, result.findings);
}

// A rotation vector ends at 180 degrees and goes on from the other side; a recorder may count on.
void tell_turns(InsituResult& result, const std::vector<InsituExperiment>& experiments) {
  for (std::size_t e = 0; e < experiments.size() && e < result.response.size(); ++e)
    for (std::size_t j = 0; j < experiments[e].outputs.size(); ++j) {
      if (experiments[e].outputs[j].kind != mbs::OutputKind::angle) continue;
      const auto row = static_cast<Index>(j);
      const double gain = experiments[e].calibration.empty() ? 1.0 : std::abs(experiments[e].calibration[j].gain);
      const MatrixXd& y = result.response[e];
      for (Index n = 1; n < y.cols(); ++n)
        if (std::abs(y(row, n) - y(row, n - 1)) > gain * std::numbers::pi) {
          result.findings.push_back({Severity::serious, "turned_too_far", experiments[e].signals[j],
                                     fmt::format("angle {} of the model passes 180 degrees and goes on from the other "
                                                 "side: turns are not counted here",
                                                 experiments[e].signals[j]),
                                     "compare the angular velocity (a gyro) instead, or end the run before"});
          break;
        }
    }
}

// [insitu E14]
InsituMethod choose_method(const InsituProblem& problem, const InsituOptions& options, std::string& reason) {
  constexpr double most_bytes = 1e9;
  const Index n = problem.model_parameters();
  if (options.method != InsituMethod::automatic) {
    reason = "as the job says";
    return options.method;
  }
  if (problem.rows_by_adjoint()) {
    reason = fmt::format("{} measured numbers for {} parameters: the Jacobian is made row by row by adjoint runs",
                         problem.measured_numbers(), n);
    return InsituMethod::gauss_newton;
  }
  if (problem.jacobian_bytes() > most_bytes) {
    reason = fmt::format("direct sensitivities of {} parameters would need {:.1f} GB: gradient by the adjoint", n,
                         1e-9 * problem.jacobian_bytes());
    return InsituMethod::quasi_newton;
  }
  reason = fmt::format("{} measured numbers for {} parameters: direct sensitivities", problem.measured_numbers(), n);
  return InsituMethod::gauss_newton;
}

InsituSearch search(InsituProblem& problem, const VectorXd& start, const VectorXd& lower, const VectorXd& upper,
                    double noise, const InsituOptions& options, Progress& progress) {
  return options.method != InsituMethod::quasi_newton
             ? search_gauss_newton(problem, start, lower, upper, noise, options, progress)
             : search_quasi_newton(problem, start, lower, upper, noise, options, progress);
}

void describe_parameters(InsituResult& result, const InsituProblem& problem, const VectorXd& p, const VectorXd& lower,
                         const VectorXd& upper, const std::vector<InsituParameter>& parameters) {
  const double t =
      student_t_quantile(0.975, static_cast<double>(std::max<Index>(1, problem.samples() - problem.parameters())));
  for (Index i = 0; i < p.size(); ++i) {
    const InsituParameter& from = parameters[static_cast<std::size_t>(i)];
    const double deviation = result.after.std[i];
    ParameterEstimate out;
    out.name = from.name;
    out.unit = from.unit;
    out.value = from.value(p[i]);
    out.std = from.slope(p[i]) * deviation;
    out.lower_95 = std::isfinite(deviation) ? from.value(p[i] - t * deviation)
                   : from.scale > 0.0       ? -std::numeric_limits<double>::infinity()
                                            : 0.0;
    out.upper_95 = from.value(p[i] + t * deviation);
    result.parameters.push_back(std::move(out));
    if (p[i] <= lower[i] || p[i] >= upper[i])
      result.findings.push_back({Severity::warning, "at_bound", from.name,
                                 fmt::format("ended at the edge of its range, {:.4g}", from.value(p[i])),
                                 from.of != InsituParameter::Of::model ? "check the sensor, or start elsewhere"
                                 : from.scale > 0.0                    ? "raise max_shift or start elsewhere"
                                                                       : "raise max_factor or start elsewhere"});
  }
}

void describe_fit(InsituResult& result, const InsituProblem& problem, const InsituPoint& best) {
  result.misfits = problem.misfits(best);
  result.misfit = std::sqrt(best.data / static_cast<double>(problem.samples()));
  // Correlated residuals at the size of the noise: the model lacks something, and intervals are too narrow.
  double lag = 0.0;
  for (const InsituChannel& channel : result.channels)
    if (std::abs(channel.colour) > std::abs(lag)) lag = channel.colour;
  if (std::abs(lag) > 0.3 && result.misfit > 1e-6)
    result.findings.push_back(
        {Severity::warning, "correlated_residuals", "signals",
         fmt::format("neighbouring residuals of a signal correlate by {:.2f}: coloured noise, or more than noise", lag),
         "intervals are widened as for coloured noise; look at the responses: if a load is missing, a law is wrong or "
         "a "
         "signal was interpolated, they are still too narrow"});
  for (const InsituEndShown& end : result.end_points)
    if (std::abs(end.found - end.given) > 3.0 * end.std)
      result.findings.push_back(
          {Severity::warning, "end_point", end.signal,
           fmt::format("{} ends at {:.4g} in the fitted model, {:.2g} standard deviations from "
                       "the {:.4g} that are given for experiment {}",
                       end.signal, end.found, std::abs(end.found - end.given) / end.std, end.given, end.experiment),
           "check its value and unit; records and end point contradict each other"});
  if (problem.chooses_steps())
    for (std::size_t e = 0; e < result.steps.size(); ++e)
      result.findings.push_back(
          {Severity::note, "step_control", "run",
           fmt::format("the steps of run {} were chosen by their error at the values found: {}; they were held while "
                       "derivatives were taken",
                       e + 1, result.steps[e]),
           ""});
  for (const std::string& weak : result.after.weak)
    result.findings.push_back({Severity::warning, "weakly_identifiable", "parameters", weak,
                               "add signals or experiments, give a prior, or fix it"});
}

}  // namespace

InsituResult identify_in_situ(const std::vector<InsituExperiment>& experiments,
                              const std::vector<InsituParameter>& parameters, const std::vector<InsituPrior>& priors,
                              const InsituOptions& options, Progress& progress) {
  InsituProblem problem(experiments, parameters, priors);
  const VectorXd start = problem.start();
  VectorXd lower, upper;
  internal::search_bounds(parameters, options, start, lower, upper);
  VectorXd begin = start;
  for (Index i = 0; i < begin.size(); ++i)
    if (const InsituParameter& p = parameters[static_cast<std::size_t>(i)]; p.resumed)
      begin[i] = std::clamp(p.unknown(*p.resumed), lower[i], upper[i]);
  InsituResult result;
  double noise = options.noise > 0.0 ? options.noise : usual_noise;
  problem.noise = noise;
  InsituOptions used = options;
  used.method = result.method = choose_method(problem, options, result.method_reason);

  const InsituPoint first = problem.evaluate(begin);
  if (!first.complete) {
    result.status = "failed";
    result.reason = "the run at the start values failed: " + first.reason;
    return result;
  }
  MatrixXd A;
  VectorXd g;
  if (!problem.normal_equations(first, A, g)) {
    result.status = "failed";
    result.reason = "the sensitivities at the start values could not be computed";
    return result;
  }
  result.before = identifiability(problem, A, noise, parameters);
  if (options.check_gradient)
    result.gradient_check =
        internal::check_gradient(experiments, parameters, priors, begin, noise, problem.evaluations);

  VectorXd from = begin;
  if (options.starts > 1) {
    // Rows: status, objective, iterations, end. Everything else is computed again for the best of them.
    ProgressOfTasks counted(progress, options.starts, "start");
    const auto task = [&](int index) {
      const VectorXd drawn = drawn_start(begin, index, options, lower, upper, parameters);
      if (index > 0 && counted.stop_requested()) {  // not begun: thousands of starts would take their time one by one
        std::vector<double> row = {1.0, std::numeric_limits<double>::max(), 0.0, 0.0};
        row.insert(row.end(), drawn.begin(), drawn.end());
        return row;
      }
      InsituProblem own(experiments, parameters, priors);
      const InsituSearch found = search(own, drawn, lower, upper, noise, used, counted);
      counted.done();
      const double status = found.status == "converged" ? 0.0 : found.status == "failed" ? 2.0 : 1.0;
      std::vector<double> row = {
          status, found.best.complete ? own.objective(found.best, noise) : std::numeric_limits<double>::max(),
          static_cast<double>(found.history.size()), static_cast<double>(own.evaluations)};
      for (const double x : found.best.p) row.push_back(x);
      return row;
    };
    const std::vector<std::vector<double>> rows = task_runner().run(options.starts, task);
    std::size_t best = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      InsituStart one;
      one.start = problem.values(drawn_start(begin, static_cast<int>(i), options, lower, upper, parameters));
      one.status = rows[i][0] == 0.0 ? "converged" : rows[i][0] == 1.0 ? "not_converged" : "failed";
      one.objective = rows[i][1];
      one.iterations = std::max(0, static_cast<int>(rows[i][2]) - 1);
      one.end = problem.values(Eigen::Map<const VectorXd>(rows[i].data() + 4, start.size()));
      problem.evaluations += static_cast<int>(rows[i][3]);
      result.starts.push_back(std::move(one));
      if (rows[i][1] < rows[best][1]) best = i;
    }
    from = drawn_start(begin, static_cast<int>(best), options, lower, upper, parameters);
  }

  InsituSearch found = search(problem, from, lower, upper, noise, used, progress);
  const double freedom = static_cast<double>(std::max<Index>(1, problem.samples() - problem.parameters()));
  if (options.noise == 0.0 && found.best.complete) {
    // With a prior the noise decides how much the data count: both settle together in a few rounds.
    for (int round = 0; round < 6; ++round) {
      // [insitu E10] Signals by their own noise: twice is enough.
      const bool weigh = options.noise_per_signal && round < 2 && found.status == "converged";
      if (weigh) problem.weigh_by_noise(found.best), problem.read_channels(found.best);
      const double now = std::max(1e-12, std::sqrt(found.best.data / freedom));
      const bool same = std::abs(now / noise - 1.0) < 0.01;
      noise = now;
      if ((!weigh && (!problem.has_prior() || same)) || found.status == "stopped" || found.status == "failed") break;
      InsituSearch again = search(problem, found.best.p, lower, upper, noise, used, progress);
      again.history.insert(again.history.begin(), found.history.begin(), found.history.end());
      found = std::move(again);
    }
  }
  // [insitu E12] Steps are chosen anew where the search ended, until that changes nothing.
  for (int round = 0; round < 3 && problem.chooses_steps() && found.status == "converged"; ++round) {
    const std::vector<mbs::StepPlan> before = problem.steps();
    problem.choose_steps_again();
    InsituSearch again = search(problem, found.best.p, lower, upper, noise, used, progress);
    again.history.insert(again.history.begin(), found.history.begin(), found.history.end());
    found = std::move(again);
    if (problem.steps() == before) break;
  }
  result.status = found.status;
  result.reason = found.reason;
  result.history = std::move(found.history);
  result.noise = noise;
  internal::ChannelTest test;
  if (!found.best.complete ||
      !internal::test_channels(experiments, parameters, priors, problem, found.best, noise, test)) {
    result.status = "failed";
    if (result.reason.empty()) result.reason = "the sensitivities at the end could not be computed";
    result.evaluations = problem.evaluations;
    return result;
  }
  result.after = identifiability(problem, test.information, noise, parameters);
  widen_by_colour(result.after, problem, found.best, test.information, noise);
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    result.steps.push_back(static_cast<long>(found.best.history[e].states.size()) - 1);
    for (std::size_t k = 0; k < experiments[e].end_points.size(); ++k) {
      const InsituEndPoint& end = experiments[e].end_points[k];
      result.end_points.push_back(
          {experiments[e].name, end.signal, end.value, end.std, found.best.ends[e][static_cast<Index>(k)]});
    }
  }
  result.channels = std::move(test.channels);
  describe_parameters(result, problem, found.best.p, lower, upper, parameters);
  describe_fit(result, problem, found.best);
  judge_channels(result, experiments, parameters, priors, begin, found.best.p, test.suspicious, options, progress);
  result.response = found.best.y;
  tell_turns(result, experiments);
  result.evaluations = problem.evaluations;
  return result;
}

}  // namespace kdyn::inline insitu
