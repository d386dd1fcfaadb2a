// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/internal/judge_part.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/numerics/fit_gate_widened.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/update/internal/mesh_part.hpp"
#include "kdyn/update/model_error.hpp"

namespace kdyn::update::internal {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

constexpr double ln10 = 2.302585092994045684;

// Where the samples of the calibration miss: shares of the sum of squares by line and by sensor.
struct Missed {
  VectorXd of_line, of_output;
};
Missed missed(const PartResult& out) {
  const Stage& last = out.stages.back();
  const Eigen::MatrixXcd h =
      accelerance(modal_form(out.model, out.optimum.ratio, false), last.target.frequency_hz, last.damping);
  const Eigen::MatrixXd resolved = out.noise.resolved(last.target);
  const auto outputs = static_cast<Index>(out.outputs.size());
  Missed sum{VectorXd::Zero(h.rows()), VectorXd::Zero(outputs)};
  for (Index c = 0; c < h.cols(); ++c)
    for (Index l = 0; l < h.rows() && out.calibration[static_cast<std::size_t>(c)]; ++l) {
      if (resolved.size() > 0 && !(resolved(l, c) > 0.0)) continue;
      const double square = std::norm(log10_ratio(h(l, c), last.target.values(l, c)));
      sum.of_line[l] += square, sum.of_output[c % outputs] += square;
    }
  sum.of_line /= std::max(sum.of_line.sum(), 1e-300), sum.of_output /= std::max(sum.of_output.sum(), 1e-300);
  return sum;
}

// Whether the frequencies of the upper third of the pairs are off by much more than those of the others.
bool frequencies_part_upwards(const PartResult& out) {
  const auto& pairs = out.pairs_after.pairs;  // by frequency
  const std::size_t from = pairs.size() - pairs.size() / 3;
  double lower = 0.0, upper = 0.0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double off = out.after.frequency_hz[pairs[i].model] / out.test.frequency_hz[pairs[i].test] - 1.0;
    (i < from ? lower : upper) += off * off;
  }
  return pairs.size() >= 6 &&
         upper / static_cast<double>(pairs.size() - from) > 4.0 * lower / static_cast<double>(from);
}

// What kind of error the residual looks like, the most telling first.
std::string kind_of_error(const PartResult& out) {
  std::vector<std::string> words;
  if (!out.channel_faults.empty())
    words.push_back(fmt::format("a channel ({})", words_of(out.channel_faults.front(), out.outputs, out.inputs)));
  const Missed where = missed(out);
  const VectorXd& hz = out.stages.back().target.frequency_hz;
  const Index lines = hz.size(), edge = std::max<Index>(1, lines / 12);
  const double low = where.of_line.head(edge).sum(), high = where.of_line.tail(edge).sum();
  // A coarse mesh is too stiff, and the more so the shorter the waves: what parameters cannot take up grows towards the
  // top of the band, in frequencies and in responses.
  const bool mesh = frequencies_part_upwards(out) && out.pairs_after.test_alone.empty();
  if (out.finer_mesh.share > 0.5)
    words.push_back(fmt::format("the mesh (calibrated with one twice as fine, it is {:.3g} times that of noise)",
                                out.finer_mesh.model_to_noise));
  else if (mesh && high > low && !out.finer_mesh.made())
    words.push_back("the mesh (differences of frequency grow towards the top of the band)");
  if (std::max(low, high) > 0.4)
    words.push_back(fmt::format(
        "the {} edge of the band ({:.0f} % of the deviation within {:.4g} ... {:.4g} Hz): {}a mode just beside it, or "
        "sensors at their limit",
        low > high ? "lower" : "upper", 100.0 * std::max(low, high), low > high ? hz[0] : hz[lines - edge],
        low > high ? hz[edge - 1] : hz[lines - 1], low > high ? "" : "a mesh too coarse for short waves, "));
  double damped = 0.0;
  int complex = 0;
  for (const IdentifiedMode& mode : out.identified.modes)
    damped = std::max(damped, mode.damping), complex += mode.phase_collinearity < 0.95;
  if (out.model.loses()) damped = 0.0, complex = 0;  // it has that loss
  if (damped > 0.03 || 3 * complex > static_cast<int>(out.identified.modes.size()))
    words.push_back(
        fmt::format("damping (up to {:.2g} %, {} of {} modes are complex): rubber or joints whose loss the "
                    "model does not have (loss_factor makes it a parameter)",
                    100.0 * damped, complex, out.identified.modes.size()));
  if (!out.pairs_after.test_alone.empty())
    words.push_back(fmt::format("a part that the model lacks (the test has a mode at {:.4g} Hz without partner)",
                                out.test.frequency_hz[out.pairs_after.test_alone.front()]));
  Index worst = 0;
  if (where.of_output.maxCoeff(&worst) > 4.0 / static_cast<double>(out.outputs.size()))
    words.push_back(fmt::format("something local near {} ({:.0f} % of the deviation is seen there): a joint or a mass",
                                label(out.outputs[static_cast<std::size_t>(worst)]), 100.0 * where.of_output[worst]));
  if (words.empty()) words.push_back("stiffness or mass that no parameter stands for, spread over the structure");
  return join(words, "; or ");
}

const char* fault_code(ChannelFaultKind kind) {
  switch (kind) {
    case ChannelFaultKind::sign: return "channel_sign";
    case ChannelFaultKind::swap: return "channel_swap";
    case ChannelFaultKind::delay: return "channel_delay";
    case ChannelFaultKind::factor: return "channel_factor";
  }
  return "";
}

// [update E29] Does the model describe the test? Above twice what noise leaves nothing counts as determined; the gate of
// the house decides about the status.
void judge_model(PartResult& out, const UpdateOptions& options) {
  if (!std::isfinite(out.model_to_noise)) return;
  GateChannel channel;
  channel.name = "the calibrated model", channel.unit = "%", channel.factor = 100.0;
  channel.residuals = {ln10 * std::sqrt(out.metric.resolved_calibration)};
  channel.noise = ln10 * std::sqrt(out.noise_metric.resolved_calibration);
  channel.finest = 0.03;  // what identification and an edge of the band leave between good responses
  const bool red = out.model_to_noise > model_error_limit;
  if (red) {
    out.likely_error = kind_of_error(out);
    out.findings.push_back(
        {Severity::serious, "model_error", out.name,
         fmt::format(
             "the misfit of the calibrated model is {:.3g} times that of noise: it lacks something, and no parameter "
             "counts as determined; intervals are widened by what that may do to them. It looks like {}",
             out.model_to_noise, out.likely_error),
         "mend the model or the data and calibrate again; trust predictions no further than the fit is"});
  }
  apply_gate_to_widened(judge_fit({channel}), out.likely_error.empty() ? "" : "it looks like " + out.likely_error,
                        out.status, out.reason, out.findings);
  for (std::size_t s = 0; s < out.parameters.size(); ++s) {
    const ParameterEstimate& p = out.parameters[s];
    Verdict& verdict = out.gate_at_optimum.verdict[s];
    const double half = 0.5 * (p.upper_95 - p.lower_95);
    if (verdict == Verdict::determined && p.status != ParameterStatus::fixed &&
        (red || 100.0 * half > options.target_percent * std::abs(p.value)))
      verdict = Verdict::weak;
  }
}

}  // namespace

void judge(PartResult& out, const FullModel& model, const UpdateOptions& options) {
  const auto say = [&](Severity severity, const char* code, std::string message, std::string remedy) {
    out.findings.push_back({severity, code, out.name, std::move(message), std::move(remedy)});
  };
  for (const Direction& direction : out.gate.loose)
    say(Severity::serious, "not_determined",
        std::isfinite(direction.std)
            ? fmt::format("the data cannot determine {} (predicted standard deviation {:.0f} %)", direction.words,
                          100.0 * direction.std)
            : fmt::format("the data cannot determine {}: changed together in this way, the responses do not change",
                          direction.words),
        "fix one of these parameters, or add what the table of suggestions names");
  for (std::size_t s = 0; s < model.parameters.size(); ++s)
    if (out.optimum.at_bound[s])
      say(Severity::warning, "at_bound", fmt::format("{} ended at a bound", model.parameters[s].name),
          "widen its bounds when the value is possible; else the model lacks something");
  if (out.starts.runs.size() > 1 && out.starts.same_as_best * 2 < static_cast<int>(out.starts.runs.size()))
    say(Severity::warning, "several_minima",
        fmt::format("{} of {} starts ended at the best optimum", out.starts.same_as_best, out.starts.runs.size()),
        "take more starts, or a continuation that begins with more damping");
  if (out.basis_error > 0.01 * options.basis_limit_percent)
    say(Severity::serious, "basis_error",
        fmt::format("the reduced basis is off by {:.3g} % in frequency at the optimum: parameters are biased",
                    100.0 * out.basis_error),
        "take more modes or sensitivity modes into the basis, or allow more rebuilds");
  if (out.metric.resolved_validation > 1.5 * out.metric.resolved_calibration)
    say(Severity::warning, "validation",
        fmt::format("on the validation channels the metric of resolved samples is {:.2f} times that of the calibration",
                    out.metric.resolved_validation / out.metric.resolved_calibration),
        "the model may fit noise or lack something that the other channels see");
  else if (out.metric.validation > 1.5 * out.metric.calibration)
    say(Severity::note, "validation_noise",
        fmt::format("over all samples the metric of the validation channels is {:.2f} times that of the calibration, "
                    "over resolved ones {:.2f} times: "
                    "responses that noise hides make the difference",
                    out.metric.validation / out.metric.calibration,
                    out.metric.resolved_validation / out.metric.resolved_calibration),
        "compare resolved samples; more averages or a higher lower end of the band would help");
  std::string lost;
  for (std::size_t s = 0; s < model.parameters.size(); ++s)
    if (out.gate.verdict[s] == Verdict::determined && out.gate_at_optimum.verdict[s] != Verdict::determined)
      lost += fmt::format(
          "{}{} ({:.1f} %)", lost.empty() ? "" : ", ", model.parameters[s].name,
          196.0 * out.gate_at_optimum.std[static_cast<Index>(s)] / out.optimum.ratio[static_cast<Index>(s)]);
  if (!lost.empty())
    say(Severity::warning, "weak_at_optimum",
        fmt::format("determined at the nominal model, but not at the calibrated one: {}", lost),
        "trust the check at the calibrated model, or re-calibration");
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    const ParameterSetting& p = model.parameters[s];
    if (!(p.prior_std > 0.0) || p.fixed) continue;
    const double known = p.prior_value != 0.0 ? p.prior_value : p.nominal,
                 off = std::abs(out.parameters[s].value - known) / (p.prior_std * std::abs(p.nominal));
    if (off > 3.0)
      say(Severity::warning, "known_otherwise",
          fmt::format("{} ended {:.1f} standard deviations away from what was known beforehand", p.name, off),
          "check the bench value and its known_percent; else the model or the data lack something");
  }
  if (!out.pairs_after.test_alone.empty()) {
    std::string list;
    for (const int i : out.pairs_after.test_alone)
      list += fmt::format("{}{:.1f} Hz", list.empty() ? "" : ", ", out.test.frequency_hz[i]);
    say(Severity::note, "modes_alone", fmt::format("modes of the test without partner in the model: {}", list),
        "they may be spurious poles; look at the stabilisation diagram of kdyn modal");
  }
  for (const ChannelFault& fault : out.channel_faults)
    say(Severity::serious, fault_code(fault.kind),
        fmt::format("{}: the metric of its responses is {:.2g} as measured and {:.2g} with that mended",
                    words_of(fault, out.outputs, out.inputs), fault.before, fault.after),
        fmt::format("check it, then correct the data or name it in {}; leave_out_faulty does so by itself",
                    fault.force ? "leave_out_inputs" : "leave_out"));
  judge_model(out, options);
}

void estimate_parameters(PartResult& out, const FullModel& model) {
  // The best method there is: re-calibration, else the prediction of the gate at the optimum, whose few draws count as
  // such; beside it what the error of the model adds.
  VectorXd std = out.gate_at_optimum.std;
  double quantile =
      out.noise.draws.empty() ? 1.96 : student_t_quantile(0.975, static_cast<double>(out.noise.draws.size()));
  // [update E30] Few blocks tell the size of the error of the model: Student's t with five degrees of freedom.
  constexpr double model_quantile = 2.571;
  for (const UncertaintyMethod& method : out.uncertainty)
    if (method.name == "recalibration") std = method.std, quantile = method.quantile;
  const VectorXd by_mesh = mesh_half_interval(out);
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    const ParameterSetting& p = model.parameters[s];
    const auto i = static_cast<Index>(s);
    const double by_model = out.model_error_std.size() > 0 ? out.model_error_std[i] : 0.0;
    ParameterEstimate e;
    e.name = p.name, e.unit = p.unit;
    e.value = p.nominal * out.optimum.ratio[i];
    e.status = p.fixed ? ParameterStatus::fixed : ParameterStatus::free;
    e.std = p.fixed ? 0.0 : std::abs(p.nominal) * std::hypot(std[i], by_model, 0.5 * by_mesh[i]);
    const double half =
        p.fixed ? 0.0 : std::abs(p.nominal) * std::hypot(quantile * std[i], model_quantile * by_model, by_mesh[i]);
    e.lower_95 = e.value - half, e.upper_95 = e.value + half;
    out.parameters.push_back(std::move(e));
  }
}

}  // namespace kdyn::update::internal
