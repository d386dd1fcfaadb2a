// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/elastomer_fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/internal/advise.hpp"
#include "kdyn/identify/internal/elastomer_fitter.hpp"
#include "kdyn/identify/internal/elastomer_gate.hpp"
#include "kdyn/identify/internal/fit_result.hpp"
#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/identify/internal/residuals.hpp"
#include "kdyn/identify/internal/sine_curve.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

using namespace identify;

// ymax stays free when the static loop tells it at all: away from its bounds and with a standard deviation below a
// factor of three. Friction called unlimited where it is not would make the static stiffness look more certain than it
// is.
bool limit_is_seen(const Solved& without, const Solved& with, const FitSetup& setup) {
  if (!with.fit.converged) return false;
  const int at = setup.layout.at[slot_ymax];
  const double gain = 2.0 * (without.fit.final_cost - with.fit.final_cost);
  const bool at_bound = with.fit.theta[at] > setup.upper[at] - 0.1 || with.fit.theta[at] < setup.lower[at] + 0.1;
  return gain > 1.0 && !at_bound && covariance_of(with.fit.jacobian).standard_deviation[at] < 1.1;
}

// [identify E8] Limited and unlimited friction, each as likely as it is: spread about the one that is taken. The limit
// is one unknown more; what the data tell about it over what was known before (a standard deviation of three in its
// logarithm) is what a solution with it costs.
Eigen::MatrixXd limit_left_open(const FitSetup& setup, const Solved& without, const FitSetup& limited,
                                const Solved& with, bool seen) {
  constexpr double known_before = 3.0;
  const FitSetup& used = seen ? limited : setup;
  const Eigen::VectorXd& taken = seen ? with.fit.theta : without.fit.theta;
  if (!with.fit.converged || !without.fit.converged) return {};
  const double sd = covariance_of(with.fit.jacobian).standard_deviation[limited.layout.at[slot_ymax]];
  const double price = -std::log(std::min(1.0, sd / known_before));
  return spread_about(taken,
                      {{without.fit.final_cost, in_layout(setup.layout, without.fit.theta, used.layout, taken)},
                       {with.fit.final_cost + price, in_layout(limited.layout, with.fit.theta, used.layout, taken)}});
}

constexpr std::size_t most_map_rows = 200'000;

// Values of a data sheet beside measurements would be left unused, and a fit without weight has nothing to fit.
void check_data_options(const ElastomerData& data, const ElastomerFitOptions& options) {
  const std::pair<const char*, const std::optional<double>&> sheet[] = {
      {"static_stiffness", options.static_stiffness},
      {"dynamic_hardening_1", options.dynamic_hardening_1},
      {"dynamic_hardening_2", options.dynamic_hardening_2},
      {"loss_angle_deg", options.loss_angle_deg}};
  for (const auto& [name, value] : sheet)
    if (value)
      throw_bad_input(name, fmt::format("{:g} is a value of a data sheet, but measurements are given", *value),
                      name == sheet[0].first ? "hold it by fix static_stiffness=VALUE, or leave one of the two out"
                                             : "leave one of the two out");
  if (data.map.rows.size() > most_map_rows)
    throw_bad_input(data.map.source.path,
                    fmt::format("the map has {} rows, a fit takes at most {}", data.map.rows.size(), most_map_rows),
                    "thin the map out; a thousand rows tell as much");
  const bool some = (!data.map.rows.empty() && (options.weight_k_dyn > 0.0 || options.weight_loss_angle > 0.0)) ||
                    (!data.loops.empty() && options.weight_static > 0.0) ||
                    (!data.series.empty() && options.weight_transient > 0.0);
  if (!some) throw_bad_input("weight_k_dyn", "all data have the weight 0", "give at least one weight above 0");
}

// A fit, and what its theta may vary by because the model could hold more than it does.
struct Answer {
  FitSetup setup;
  Solved solved;
  Eigen::MatrixXd open;  // added to the covariance; empty: nothing

  void widen(const Eigen::MatrixXd& by) {
    if (by.size() == 0) return;
    if (open.size() == 0) open.setZero(setup.layout.size, setup.layout.size);
    open += by;
  }
};

// Friction that begins far beyond the measured amplitudes, or a relaxation far slower than the slowest sine, acts as a
// spring on all that was measured: a static part in disguise.
bool beyond_the_sines(const ElastomerData& data, const Comparison& comparison, const Answer& answer) {
  constexpr double far = 5.0;
  double slowest = 1e300;
  for (const std::size_t i : comparison.rows) slowest = std::min(slowest, data.map.rows[i].frequency_hz);
  const Elastomer<double> law =
      make_candidate<double>(answer.setup.layout, [&](int i) { return answer.solved.fit.theta[i]; }).law;
  const double relaxation = (1.0 + law.beta) * law.gamma / law.alpha;  // t2 of [identify E6]
  return 1.0 > far * law.rho * largest_amplitude(data, comparison) ||
         2.0 * std::numbers::pi * slowest * relaxation > far;
}

void tell_curve_from_sines(const ElastomerData& data, std::vector<Finding>& findings) {
  std::erase_if(findings, [](const Finding& f) { return f.code == "curve_from_preloads"; });
  if (std::any_of(findings.begin(), findings.end(), [](const Finding& f) { return f.code == "curve_from_sines"; }))
    return;
  findings.push_back(
      {Severity::note, "curve_from_sines", data.map.source.path,
       "large sines are stiffer or softer than small ones, as a bent static curve makes them: the static part is a "
       "curve laid through the sines, straight beyond them",
       "add the static loop, which shows the curve itself"});
}

// [identify E11] A straight static part may have driven friction or relaxation out of the measured range, and a curve
// that starts from there stays there. From the start values it is found where it is; the better of the two is taken.
void look_from_the_start(const ElastomerData& data, Fitter& fitter, const FitSetup& first, Answer& answer,
                         std::vector<Finding>& findings) {
  if (!beyond_the_sines(data, fitter.comparison(), answer)) return;
  const FitSetup curved = curve_from_sines(data, fitter.comparison(), first, first.start);
  const Solved with = fitter.solve(curved);
  if (!with.fit.converged) return;
  const Solved before = fitter.solve(continued(answer.setup, answer.solved.fit.theta), with.groups, false);
  const Solved after = fitter.solve(continued(curved, with.fit.theta), with.groups, false);
  // More unknowns always fit better: each has to lower the cost by one (Akaike).
  const double price = std::max(0, curved.layout.size - answer.setup.layout.size);
  if (!(after.fit.final_cost + price < before.fit.final_cost)) return;
  answer = {curved, after, {}};
  tell_curve_from_sines(data, findings);
}

// [identify E11] Without a static loop the curve may bend unseen. Where sines or the transient show it, it is fitted;
// otherwise intervals are as wide as what they leave open.
void let_curve_bend(const ElastomerData& data, const ElastomerFitOptions& options, Fitter& fitter, Answer& answer,
                    std::vector<Finding>& findings) {
  if (answer.solved.fit.stopped || !curve_is_open(data, options, answer.setup)) return;
  const FitSetup first = answer.setup;
  const bool sines = !data.map.rows.empty();
  const ModelFreedom bend = freedom_to_bend(data, fitter.comparison(), answer.setup, answer.solved);
  answer.widen(bend.spread);
  constexpr double likely = 0.5;
  if (bend.likely > likely || options.use_curve == CurveUse::yes) {
    FitSetup curved;
    if (sines) {
      curved = curve_from_sines(data, fitter.comparison(), answer.setup, answer.solved.fit.theta);
    } else {
      ElastomerFitOptions with_curve = options;
      with_curve.use_curve = CurveUse::yes;
      std::vector<Finding> repeated;
      curved = make_setup(data, with_curve, fitter.comparison(), false, repeated);
      continue_from(answer.setup, answer.solved.fit.theta, curved);
    }
    const Solved with = fitter.solve(curved);
    if (with.fit.converged || !answer.solved.fit.converged) {
      answer = {curved, with, {}};
      std::erase_if(findings, [](const Finding& f) { return f.code == "curve_from_preloads"; });
      if (sines) tell_curve_from_sines(data, findings);
    }
  }
  if (sines && data.series.empty()) look_from_the_start(data, fitter, first, answer, findings);
}

// A limit of friction that a static loop shows, or a long transient; not seen, it widens the intervals.
void let_friction_end(const ElastomerData& data, const ElastomerFitOptions& options, Fitter& fitter, Answer& answer,
                      std::vector<Finding>& findings) {
  const FitSetup setup = answer.setup;
  if (options.fix.contains("ymax") || setup.layout.at[slot_ymax] >= 0 || setup.layout.at[slot_rdl] < 0) return;
  const bool loop = may_fit_limit(data, options);
  ModelFreedom freedom;
  if (!loop && !answer.solved.fit.stopped) freedom = freedom_of_limit(fitter.comparison(), setup, answer.solved);
  constexpr double clear = 3.0;  // standard deviations
  bool seen = false;
  if (answer.solved.fit.converged && (loop || (!data.series.empty() && freedom.estimate > clear))) {
    std::vector<Finding> repeated;  // the same as those of the first setup
    ElastomerFitOptions same_curve = options;
    if (setup.layout.mode == StaticMode::spline) same_curve.use_curve = CurveUse::yes;
    FitSetup limited = make_setup(data, same_curve, fitter.comparison(), true, repeated);
    continue_from(setup, answer.solved.fit.theta, limited);
    // A limit, once seen, may make another history of the loop the likelier one.
    Solved with = fitter.solve(limited, answer.solved.groups, true);
    const Solved without = fitter.solve(continued(setup, answer.solved.fit.theta), with.groups, false);
    seen = limit_is_seen(without, with, limited);
    const Eigen::MatrixXd open = limit_left_open(setup, without, limited, with, seen);
    // A loop alone leaves the limit to a straight line that is a little softer.
    if (!seen && data.map.rows.empty()) freedom = freedom_of_limit(fitter.comparison(), setup, without);
    const double gain = 2.0 * (without.fit.final_cost - with.fit.final_cost);
    if (seen) {
      answer = {limited, fitter.choose_histories(limited, std::move(with)), {}};
      answer.widen(skewness_of_limit(limited, answer.solved, gain));
    }
    answer.widen(open);
  }
  if (seen) return;
  answer.widen(freedom.spread);
  findings.push_back({Severity::note, "ymax_not_seen", "ymax",
                      fmt::format("{} does not show a limit of the friction force: friction is taken as unlimited",
                                  loop                  ? "the static loop"
                                  : data.series.empty() ? "a sweep"
                                                        : "the record"),
                      loop ? "give ymax by fix, or measure a slow loop over a longer stroke"
                           : "add a static loop, or give ymax by fix"});
}

ElastomerFitResult fit_to_data(const ElastomerData& data, const ElastomerFitOptions& options, Progress& progress) {
  check_data_options(data, options);
  ElastomerFitResult result;
  result.findings = examine_all(data);
  result.row_used = usable_rows(data, options, result.findings);

  Fitter fitter(data, options, Comparison(data, options.criterion, result.row_used), progress);
  Answer answer;
  answer.setup = make_setup(data, options, fitter.comparison(), false, result.findings);
  answer.solved = fitter.choose_histories(answer.setup, fitter.solve(answer.setup));
  let_curve_bend(data, options, fitter, answer, result.findings);
  let_friction_end(data, options, fitter, answer, result.findings);
  const Solved& solved = answer.solved;
  result.iterations = solved.fit.iterations;
  result.evaluations = solved.fit.evaluations;
  result.cost_history = solved.fit.cost_history;
  result.status = solved.fit.stopped ? "stopped" : solved.fit.converged ? "converged" : "not_converged";
  result.reason = solved.fit.converged
                      ? fmt::format("the residuals fall no further after {} iterations", solved.fit.iterations)
                      : solved.fit.reason;
  for (const FitGroup& group : solved.groups)
    if (group.count > 0) result.groups.push_back(group);
  result.loop_history = fitter.comparison().history;
  answer.widen(solved.spread);
  report_fit(data, options, answer.setup, solved.fit, answer.open, result);
  judge_elastomer(data, options, result, progress);
  result.advice = advise(data, options, answer.setup, solved.fit, solved.groups);
  for (Advice& advice : result.advice) advice.axis = result.axis;  // also without a map
  return result;
}

// Of the data sheet only the stiffness: a typical rubber of this stiffness, with what rubbers differ by as its
// interval.
ElastomerFitResult typical_rubber(const ElastomerFitOptions& options) {
  ElastomerFitResult result;
  result.law = held_law(options);
  result.law.static_stiffness = *options.static_stiffness;
  prepare(result.law, "fit");
  result.status = "converged";
  result.reason = "static stiffness of the data sheet, everything else of a typical rubber";
  report_typical(options, result);
  return result;
}

ElastomerFitResult fit_to_sheet(const ElastomerFitOptions& options) {
  if (options.static_stiffness && !options.dynamic_hardening_1 && !options.dynamic_hardening_2 &&
      !options.loss_angle_deg)
    return typical_rubber(options);
  const auto need = [](const std::optional<double>& value, const char* name) {
    if (!value)
      throw_bad_input(name, "no data files are given and this value of the data sheet is missing",
                      "give --data FILE, or static_stiffness, dynamic_hardening_1, dynamic_hardening_2 and "
                      "loss_angle_deg; static_stiffness alone "
                      "gives a typical rubber");
    return *value;
  };
  for (const char* found : {"lambda", "rdl", "rho"})
    if (options.fix.contains(found))
      throw_bad_input(std::string("fix.") + found, "this parameter is what the data sheet is solved for",
                      "hold alpha, beta, gamma or ymax only");
  Elastomer<double> given = held_law(options);
  given.static_stiffness = need(options.static_stiffness, "static_stiffness");
  TwoPointInput input;
  input.dynamic_hardening_1 = need(options.dynamic_hardening_1, "dynamic_hardening_1");
  input.dynamic_hardening_2 = need(options.dynamic_hardening_2, "dynamic_hardening_2");
  input.loss_angle = need(options.loss_angle_deg, "loss_angle_deg") * std::numbers::pi / 180.0;
  input.amplitude_1 = options.amplitude_1;
  input.amplitude_2 = options.amplitude_2;
  input.frequency_hz = options.layout_frequency_hz;
  if (!(input.amplitude_1 < input.amplitude_2))
    throw_bad_input("amplitude_1",
                    fmt::format("{:g} m is not below amplitude_2 = {:g} m", input.amplitude_1, input.amplitude_2),
                    "give the smaller amplitude first");
  if (!(input.dynamic_hardening_1 > input.dynamic_hardening_2))
    throw_bad_input("dynamic_hardening_1",
                    fmt::format("{:g} is not above dynamic_hardening_2 = {:g}", input.dynamic_hardening_1,
                                input.dynamic_hardening_2),
                    "rubber is stiffer at the smaller amplitude; check the two values");
  const TwoPointResult solved = identify_two_point(given, input, options.criterion);
  ElastomerFitResult result;
  result.status = solved.status;
  result.reason = solved.reason.empty() ? "three equations for three parameters are met" : solved.reason;
  result.law = solved.law;
  prepare(result.law, "fit");
  result.iterations = solved.iterations;
  report_sheet(input, options, solved, result);
  return result;
}

}  // namespace

ElastomerFitResult fit_elastomer(const ElastomerData& data, const ElastomerFitOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  check_parameter_names(options);
  ElastomerFitResult result = data.empty() ? fit_to_sheet(options) : fit_to_data(data, options, progress);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace kdyn::inline identify
