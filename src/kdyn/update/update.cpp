// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/update.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/progress_part.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/update/internal/judge_part.hpp"
#include "kdyn/update/internal/loss_part.hpp"
#include "kdyn/update/internal/mesh_part.hpp"
#include "kdyn/update/internal/part_uncertainty.hpp"
#include "kdyn/update/model_error.hpp"
#include "kdyn/update/result_fields.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double identified_beyond = 1.3;  // of the ends of the band

// A stretch of a longer piece of work: its fractions and words, put in place.
class Stretch final : public Progress, public PassesSteps {
 public:
  Stretch(Progress& whole, double from, double to, std::string name = {})
      : PassesSteps(whole),
        whole_(whole),
        from_(from),
        to_(to),
        name_(std::move(name)) {}
  void report(double fraction, std::string_view what) override {
    whole_.report(from_ + (to_ - from_) * std::clamp(fraction, 0.0, 1.0),
                  name_.empty() ? std::string(what) : fmt::format("{}: {}", name_, what));
  }
  bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Progress& whole_;
  double from_, to_;
  std::string name_;
};

std::vector<bool> free_parameters(const FullModel& model) {
  std::vector<bool> out;
  // Loss factors wait for responses as measured (internal/loss_part.hpp).
  for (const ParameterSetting& p : model.parameters) out.push_back(!p.fixed && !p.what.loss);
  return out;
}
std::vector<std::string> names_of(const FullModel& model) {
  std::vector<std::string> out;
  for (const ParameterSetting& p : model.parameters) out.push_back(p.name);
  return out;
}

// "a,b" -> the parameters of these groups (or of these names).
std::vector<std::vector<bool>> phases_of(const FullModel& model, const std::vector<std::string>& phases) {
  std::vector<std::vector<bool>> out;
  for (const std::string& phase : phases) {
    std::vector<bool> free(model.parameters.size(), false);
    for (std::size_t from = 0; from <= phase.size();) {
      const std::size_t to = std::min(phase.find(',', from), phase.size());
      const std::string word(trim(phase.substr(from, to - from)));
      bool any = false;
      for (std::size_t s = 0; s < free.size(); ++s) {
        const ParameterSetting& p = model.parameters[s];
        const bool meant = word == "all" || p.group == word || p.name == word;
        any = any || meant;
        free[s] = free[s] || (meant && !p.fixed);
      }
      if (!any)
        throw_bad_input("phases", fmt::format("there is no group or parameter {}", in_quotes(word)),
                        "use groups of the parameters, or all");
      from = to + 1;
    }
    out.push_back(std::move(free));
  }
  return out;
}

CalibrationOptions calibration_options(const FullModel& model, const UpdateOptions& options) {
  CalibrationOptions out;
  const auto n = static_cast<Index>(model.parameters.size());
  out.lower.resize(n), out.upper.resize(n);
  for (Index s = 0; s < n; ++s) {
    const ParameterSetting& p = model.parameters[static_cast<std::size_t>(s)];
    const bool held = p.fixed || p.what.loss;
    out.lower[s] = held ? 1.0 : 1.0 + p.lower;
    out.upper[s] = held ? 1.0 : 1.0 + p.upper;
  }
  out.max_iterations = options.max_iterations;
  return out;
}

std::vector<Dof> mapped(const std::vector<Dof>& dofs, const Part& part) {
  std::vector<Dof> out;
  for (const Dof& dof : dofs) {
    const auto found = std::find_if(part.channel_map.begin(), part.channel_map.end(),
                                    [&](const auto& pair) { return pair.first == label(dof); });
    out.push_back(found != part.channel_map.end() ? parse_dof(found->second) : dof);
  }
  return out;
}

bool names(const std::vector<std::string>& list, const Dof& dof) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& word) { return word == label(dof) || word == std::to_string(dof.node); });
}

// A word that names no channel is a mistake that must not pass for a choice.
void check_words(const std::vector<std::string>& words, const char* field, bool inputs, const std::vector<Dof>& dofs) {
  for (const std::string& word : words)
    if (std::none_of(dofs.begin(), dofs.end(), [&](const Dof& dof) { return names({word}, dof); }))
      throw_bad_input(field, fmt::format("the data have no {} {}", inputs ? "force" : "output", in_quotes(word)),
                      "write labels as in the data, 12+Z, or 12 for all of a point");
}

// Responses without the outputs and forces that are left out.
FrequencyResponse without(FrequencyResponse responses, const UpdateOptions& options, const std::string& where) {
  std::vector<Dof> outputs, inputs;
  for (const FrequencyResponseChannel& c : responses.channels) outputs.push_back(c.output), inputs.push_back(c.input);
  check_words(options.leave_out, "leave_out", false, outputs);
  check_words(options.leave_out_inputs, "leave_out_inputs", true, inputs);
  check_words(options.validation, "validation", false, outputs);
  check_words(options.validation_inputs, "validation_inputs", true, inputs);
  std::erase_if(responses.channels, [&](const FrequencyResponseChannel& channel) {
    return names(options.leave_out, channel.output) || names(options.leave_out_inputs, channel.input);
  });
  if (responses.channels.empty())
    throw_bad_input(where, "all of its channels are left out", "leave out fewer outputs or inputs");
  return responses;
}

// Directions of channels whose label does not tell them.
std::vector<Eigen::Vector3d> axes_of(const std::vector<Dof>& dofs, const Part& part) {
  std::vector<Eigen::Vector3d> out;
  for (const Dof& dof : dofs) {
    const auto found = part.directions.find(label(dof));
    out.push_back(found != part.directions.end() ? found->second : Eigen::Vector3d(0.0, 0.0, 0.0));
  }
  return out;
}

ModesAtSensors modes_at_sensors(const ModalForm& form, double max_hz) {
  ModesAtSensors out;
  std::vector<Index> elastic;
  for (Index r = 0; r < form.omega.size(); ++r)
    if (form.omega[r] > 0.0 && form.omega[r] <= two_pi * max_hz) elastic.push_back(r);
  out.frequency_hz = form.omega(elastic) / two_pi;
  out.shapes = form.Y(Eigen::all, elastic).cast<std::complex<double>>();
  return out;
}

// Those of the band that is compared; identification looks beyond.
ModesAtSensors modes_of_test(const ModalResult& identified, double max_hz) {
  ModesAtSensors out;
  Index n = 0;
  while (n < static_cast<Index>(identified.modes.size()) &&
         identified.modes[static_cast<std::size_t>(n)].frequency_hz <= max_hz)
    ++n;
  out.frequency_hz.resize(n), out.damping.resize(n);
  out.shapes.resize(identified.frf.outputs, n);
  for (Index i = 0; i < n; ++i) {
    const IdentifiedMode& mode = identified.modes[static_cast<std::size_t>(i)];
    out.frequency_hz[i] = mode.frequency_hz, out.damping[i] = mode.damping;
    out.shapes.col(i) = mode.shape;
  }
  return out;
}

// Basis and projection of one part; rebuilt where the optimum asks for it.
struct Builder {
  const FullModel& full;
  const UpdateOptions& options;
  MatrixXd vectors;
  int modes = 0, attachments = 0, sensitivities = 0;

  void build(const VectorXd& ratio, Progress& progress) {
    fe::BasisOptions basis;
    basis.modes = std::min(options.basis_modes, full.matrices.size());
    basis.sensitivity_modes = options.sensitivity_modes;
    basis.shift_hz = options.shift_hz;
    basis.eigensolver = options.eigensolver;
    const fe::ParametricBasis made = fe::parametric_basis(full.matrices, full.group_of, basis, ratio, progress);
    vectors = made.vectors;
    modes = made.modes, attachments = made.attachments, sensitivities = made.sensitivities;
  }
  fe::ReducedModel project(const PartResult& part) const {
    return fe::project(full.matrices, vectors, full.rows(part.outputs, "outputs", part.output_axes),
                       full.rows(part.inputs, "inputs", part.input_axes).transpose());
  }
};

Candidates candidates_of(const FullModel& full, const MatrixXd& vectors, const PartResult& part) {
  Candidates out;
  std::vector<Dof> sensors;
  for (const Dof& dof : full.spring_points)
    if (full.knows(dof) && std::find(part.outputs.begin(), part.outputs.end(), dof) == part.outputs.end())
      sensors.push_back(dof);
  std::vector<Dof> forces;
  for (const Dof& dof : part.outputs)
    if (std::find(part.inputs.begin(), part.inputs.end(), dof) == part.inputs.end()) forces.push_back(dof);
  for (const Dof& dof : sensors) out.outputs.push_back(label(dof));
  for (const Dof& dof : forces) out.inputs.push_back(label(dof));
  out.output_rows = full.rows(sensors, "candidates") * vectors;
  out.input_columns = (full.rows(forces, "candidates") * vectors).transpose();
  const double mass = full.mass_kg(VectorXd::Ones(static_cast<Index>(full.parameters.size())));
  std::vector<std::int64_t> seen;
  for (const Dof& dof : part.outputs) {
    if (dof.node == 0 || std::find(seen.begin(), seen.end(), dof.node) != seen.end() || seen.size() >= 16) continue;
    seen.push_back(dof.node);
    const std::vector<Dof> three = {{dof.node, 1, ""}, {dof.node, 2, ""}, {dof.node, 3, ""}};
    if (mass > 0.0 && std::all_of(three.begin(), three.end(), [&](const Dof& d) { return full.knows(d); }))
      out.masses.push_back({std::to_string(dof.node), full.rows(three, "candidates") * vectors, 0.05 * mass});
  }
  return out;
}

// Channels and stages: all that is known before the optimisation.
void prepare(PartResult& out, const Part& part, const UpdateOptions& options, const StageOptions& stage_options) {
  bool known = false;
  if (part.equalised.empty())
    out.kind = response_kind(out.identified.frf.output_unit, known);
  else
    out.stages = given_stages(part.equalised, options.band_hz, part.name, out.kind, known, out.identified.frf);
  const FrfMatrix& frf = out.identified.frf;
  if (!part.equalised.empty()) {
    if (!options.leave_out.empty() || !options.leave_out_inputs.empty() || options.leave_out_faulty)
      throw_bad_input("leave_out", "channels of equalised responses cannot be left out",
                      "keep them aside with validation, or take them out of the files");
    check_words(options.validation, "validation", false, frf.output_dofs);
    check_words(options.validation_inputs, "validation_inputs", true, frf.input_dofs);
  }
  const std::vector<bool> live = live_channels(frf, 1e-6, out.findings);
  out.outputs = mapped(frf.output_dofs, part), out.output_axes = axes_of(frf.output_dofs, part);
  out.inputs = mapped(frf.input_dofs, part), out.input_axes = axes_of(frf.input_dofs, part);
  if (!known)
    out.findings.push_back({Severity::note, "unit_unknown", part.name,
                            "the responses do not tell their unit; they are taken for accelerance",
                            "give a file with units"});
  for (std::size_t c = 0; c < live.size(); ++c) {
    const Dof &output = frf.output_dofs[c % static_cast<std::size_t>(frf.outputs)],
              &input = frf.input_dofs[c / static_cast<std::size_t>(frf.outputs)];
    const bool aside = names(options.validation, output) || names(options.validation_inputs, input);
    out.calibration.push_back(live[c] && !aside);
    out.validation.push_back(live[c] && aside);
  }
  if (std::none_of(out.calibration.begin(), out.calibration.end(), [](bool b) { return b; }))
    throw_bad_input("validation", fmt::format("part {} has no channel left for the calibration", part.name),
                    "keep fewer outputs or inputs aside");
  if (part.equalised.empty()) out.stages = equalised_stages(out.identified.model, out.kind, stage_options);
  for (Stage& stage : out.stages) stage.target.use = out.calibration;
}

// Noise of every channel: what identification left over; for equalised responses what their file says, else what is
// expected.
VectorXd channel_noise(PartResult& out, const Part& part) {
  if (part.equalised.empty()) return noise_variance(out.identified);
  const FrfMatrix& frf = out.identified.frf;
  if (frf.variance.size() > 0) return frf.variance.colwise().mean().transpose();
  out.findings.push_back(
      {Severity::note, "noise_assumed", part.name,
       fmt::format("equalised responses do not tell their noise: the gate takes {:g} % of the mean of each channel",
                   part.noise_percent),
       "set noise_percent, or give the responses as measured"});
  return (0.01 * part.noise_percent * out.stages.back().target.values.cwiseAbs().colwise().mean().transpose())
      .cwiseAbs2();
}

// Metrics of responses h against the target of the last stage.
Metrics metrics_of(const PartResult& part, const Eigen::MatrixXcd& h) {
  Target target = part.stages.back().target;
  const MatrixXd resolved = part.noise.resolved(target);
  const auto on = [&](const std::vector<bool>& use, const MatrixXd& weight) {
    target.use = use, target.weight = weight;
    return target.total_weight() > 0.0 ? log_metric(h, target) : std::numeric_limits<double>::quiet_NaN();
  };
  return {on(part.calibration, {}), on(part.validation, {}), on(part.calibration, resolved),
          on(part.validation, resolved)};
}
Metrics metrics_at(const PartResult& part, const VectorXd& ratio) {
  const Stage& last = part.stages.back();
  return metrics_of(part, accelerance(modal_form(part.model, ratio, false), last.target.frequency_hz, last.damping));
}

// What noise alone leaves over, whatever the model.
Metrics metrics_of_noise(const PartResult& part) {
  std::vector<double> lists[4];
  for (const Eigen::MatrixXcd& draw : part.noise.draws) {
    const Metrics m = metrics_of(part, part.stages.back().target.values + draw);
    const double values[4] = {m.calibration, m.validation, m.resolved_calibration, m.resolved_validation};
    for (int i = 0; i < 4; ++i) lists[i].push_back(values[i]);
  }
  if (lists[0].empty()) return {};
  return {median(lists[0]), median(lists[1]), median(lists[2]), median(lists[3])};
}

void compare_modes(PartResult& out, const VectorXd& nominal, const UpdateOptions& options, double max_hz) {
  const ModalForm before = modal_form(out.model, nominal, false),
                  after = modal_form(out.model, out.optimum.ratio, false);
  out.test = modes_of_test(out.identified, max_hz);  // none for equalised responses
  out.before = modes_at_sensors(before, 1.15 * max_hz), out.after = modes_at_sensors(after, 1.15 * max_hz);
  out.pairs_before = pair_modes(out.test, out.before, options.mac_limit);
  out.pairs_after = pair_modes(out.test, out.after, options.mac_limit);
  out.damping_after = mapped_damping(out.pairs_after, out.test, out.after.frequency_hz.size());
  // Raw responses with mapped damping; modes above get the median.
  const bool mapped = out.test.frequency_hz.size() > 0 && out.damping_after.size() > 0;
  VectorXd damping = VectorXd::Constant(
      after.omega.size(), mapped
                              ? median({out.damping_after.data(), out.damping_after.data() + out.damping_after.size()})
                              : out.stages.back().damping);
  Index next = 0;
  for (Index r = 0; r < after.omega.size(); ++r)
    if (mapped && after.omega[r] > 0.0 && next < out.damping_after.size()) damping[r] = out.damping_after[next++];
  const VectorXd hz = out.identified.frf.omega / two_pi;
  Eigen::MatrixXcd h =
      after.loses() ? accelerance(after, hz, out.stages.back().damping) : accelerance(after, hz, damping);
  if (after.loses()) {
    out.own_damping = after.own_damping;
    out.damping_after =
        damping_of_modes(after, out.stages.back().damping, true).segment(after.rigid(), out.after.frequency_hz.size());
  }
  for (int power = static_cast<int>(out.kind); power < 2; ++power)
    for (Index l = 0; l < h.rows(); ++l) h.row(l) /= std::complex<double>(0.0, out.identified.frf.omega[l]);
  out.damped_misfit = misfit(h, out.identified.frf.values);
}

// [update E13] An error of frequency is twice as large in a stiffness: the basis may add a fifth to what noise does.
double basis_limit(const PartResult& part, const std::vector<bool>& free, const UpdateOptions& options) {
  double out = 0.01 * options.basis_limit_percent;
  if (part.noise.draws.empty()) return out;
  std::vector<double> known;
  for (std::size_t s = 0; s < free.size(); ++s)
    if (const double std = part.gate.std[static_cast<Index>(s)]; free[s] && std::isfinite(std)) known.push_back(std);
  if (!known.empty()) out = std::min(out, std::max(1e-6, 0.1 * median(known)));
  return out;
}

// Puts the channels that are wrong on the list of those that are not used, and says so.
std::vector<Finding> leave_out_faulty(const PartResult& found, UpdateOptions& options) {
  std::vector<Finding> out;
  for (const ChannelFault& fault : found.channel_faults) {
    const std::vector<Dof>& dofs = fault.force ? found.identified.frf.input_dofs : found.identified.frf.output_dofs;
    std::vector<std::string>& list = fault.force ? options.leave_out_inputs : options.leave_out;
    list.push_back(label(dofs[static_cast<std::size_t>(fault.index)]));
    if (fault.kind == ChannelFaultKind::swap) list.push_back(label(dofs[static_cast<std::size_t>(fault.other)]));
    out.push_back({Severity::warning, "left_out", found.name,
                   fmt::format("{}; it is left out", words_of(fault, found.outputs, found.inputs)),
                   "correct the data where the fault is certain, and use the channel again"});
  }
  return out;
}

PartResult update_part(const FullModel& full, const Part& part, Builder builder, const ModalOptions& identification,
                       const UpdateOptions& options, const Checkpoint& checkpoint, Progress& progress) {
  PartResult out;
  out.name = part.name;
  VectorXd nominal = VectorXd::Ones(static_cast<Index>(full.parameters.size()));
  if (full.loses() && !part.equalised.empty())
    throw_bad_input(part.name, "equalised responses do not hold damping: they cannot tell a loss factor",
                    "give the responses as measured, or take the loss factors out of the parameters");
  ModalOptions modal = identification;
  // Wider than what is compared, as far as the data go: modes just beyond the band must be found, else they keep their
  // own damping in the target while the model gives them that of all others.
  if (modal.band_hz.empty() && options.band_hz.size() == 2)
    modal.band_hz = {options.band_hz[0] / identified_beyond, options.band_hz[1] * identified_beyond};
  // Modes just above the measured band are found with some noises and missed with others; a residual pole at the edge
  // takes their part. Without it the box ring's weakest stiffness was off by 5 % whenever they were missed.
  if (modal.residual_from == 0.0) modal.residual_from = 1.02;
  Stretch identifying(progress, 0.0, 0.3), starting(progress, 0.35, 0.8), judging(progress, 0.85, 1.0);
  if (part.equalised.empty()) {
    out.identified = identify_modes(without(part.responses, options, part.name), modal, identifying);
    out.findings = out.identified.findings;
    if (out.identified.modes.empty())
      throw_bad_input(part.name, "no modes were found in its responses", "look at them with kdyn modal first");
  }
  StageOptions stage_options{options.band_hz, options.damping, options.lines_per_half_bandwidth, options.damping_kind};
  if (stage_options.band_hz.empty() && part.equalised.empty())
    stage_options.band_hz = {out.identified.frf.omega[0] / two_pi, out.identified.frf.omega.tail(1)[0] / two_pi};
  prepare(out, part, options, stage_options);
  const double max_hz = out.stages.back().target.frequency_hz.tail(1)[0];
  out.model = builder.project(out);
  progress.report(0.3, "noise of the target");
  if (part.equalised.empty())
    out.noise = target_noise(out.identified, out.kind, stage_options, out.stages.back(), options.noise_draws,
                             options.seed, progress);
  const MatrixXd resolved = out.noise.resolved(out.stages.back().target);
  if (resolved.size() > 0) out.resolved_percent = 100.0 * resolved.mean();
  if (options.resolved_only) out.stages.back().target.weight = resolved;
  internal::PartSearch search{free_parameters(full),
                              names_of(full),
                              calibration_options(full, options),
                              stage_options,
                              {channel_noise(out, part), out.identified.frf.lines(), out.noise.draws},
                              {options.target_percent, 0.5, internal::prior_of(full)}};
  progress.report(0.35, "gate");
  {
    const Stage& last = out.stages.back();
    out.gate = identifiability(out.model, nominal, last.target, last.damping, search.noise, search.free, search.names,
                               search.gate);
    if (options.suggest)
      out.suggestions = suggestions(out.model, nominal, last.target, last.damping, search.noise, out.gate,
                                    candidates_of(full, builder.vectors, out), search.free, search.names);
    internal::set_pull(search, full, out.gate.sample_variance, last.target.total_weight());
  }
  MultiStartOptions multi;
  multi.phases = phases_of(full, options.phases);
  multi.calibration = search.calibration;
  const MatrixXd starts = latin_hypercube(multi.calibration.lower, multi.calibration.upper, options.starts,
                                          static_cast<std::uint64_t>(options.seed));
  out.starts = calibrate_from(starts, out.model, out.stages, multi, checkpoint, starting);
  out.optimum = out.starts.runs[static_cast<std::size_t>(out.starts.best)];
  const auto basis_error_at = [&](VectorXd ratio) {
    ratio.conservativeResize(nominal.size());
    for (std::size_t s = 0; s < full.parameters.size(); ++s)
      if (full.parameters[s].what.loss) ratio[static_cast<Index>(s)] = 1.0;
    return check_basis(full.matrices, full.group_of, out.model, ratio, max_hz, basis_error_limit, options.eigensolver)
        .error.largest;
  };
  out.basis_error_nominal = out.basis_error = basis_error_at(out.optimum.ratio);
  // Loss factors are found by all that is measured: their basis has to be as good as it can be.
  const double limit =
      full.loses() ? std::min(1e-6, 0.01 * options.basis_limit_percent) : basis_limit(out, search.free, options);
  while (out.optimum.status != CalibrationStatus::stopped && out.basis_error > limit &&
         out.basis_rebuilt < options.rebuilds) {
    progress.report(0.8, "new basis at the optimum");
    builder.build(out.optimum.ratio, silent_progress());
    ++out.basis_rebuilt;
    out.model = builder.project(out);
    CalibrationOptions again = multi.calibration;
    again.threads = 0;
    Stretch continuing(progress, 0.8, 0.85);
    out.optimum = calibrate(out.model, {out.stages.back()}, out.optimum.ratio, again, continuing);
    const double before = std::exchange(out.basis_error, basis_error_at(out.optimum.ratio));
    if (out.basis_error < 0.01 * options.basis_limit_percent && out.basis_error > 0.3 * before) break;
  }
  if (full.loses() && out.optimum.status != CalibrationStatus::stopped) {
    progress.report(0.82, "loss factors");
    compare_modes(out, nominal, options, max_hz);
    internal::calibrate_losses(out, full, options, search, silent_progress());
    nominal = VectorXd::Ones(out.model.parameters);
    out.basis_error = std::max(out.basis_error, basis_error_at(out.optimum.ratio));
  }
  const MatrixXd counted = out.noise.resolved(out.stages.back().target);
  out.basis_modes = builder.modes, out.basis_attachments = builder.attachments,
  out.basis_sensitivities = builder.sensitivities;
  out.metric_before = metrics_at(out, nominal), out.metric = metrics_at(out, out.optimum.ratio),
  out.noise_metric = metrics_of_noise(out);
  out.mass_before = full.mass_kg(nominal), out.mass_after = full.mass_kg(out.optimum.ratio);
  switch (out.optimum.status) {
    case CalibrationStatus::converged:
      out.status = "converged", out.reason = "the calibration of the best start converged";
      break;
    case CalibrationStatus::max_iterations:
      out.status = "not_converged",
      out.reason = fmt::format("the best start did not converge within {} iterations", options.max_iterations);
      break;
    case CalibrationStatus::stopped: out.status = "stopped", out.reason = "stopped on request"; break;
  }
  const Stage& last = out.stages.back();
  if (!out.noise.draws.empty())
    out.model_to_noise = std::sqrt(out.metric.resolved_calibration / out.noise_metric.resolved_calibration);
  if (out.model_to_noise > 1.0) {
    Target judged = last.target;
    judged.weight = counted;
    out.model_error_std = model_error_spread(out.model, out.optimum.ratio, judged, last.damping,
                                             out.noise_metric.resolved_calibration, search.free,
                                             search.calibration.pull * judged.total_weight())
                              .std();  // [update E30]
  }
  if (options.mesh_check && out.model_to_noise > model_error_limit &&
      out.optimum.status != CalibrationStatus::stopped) {
    progress.report(0.84, "mesh twice as fine");
    internal::check_mesh(out, full, options, search);
  }
  out.channel_faults = find_channel_faults(out.model, last, counted, out.optimum.ratio, search.calibration);
  out.gate_at_optimum = identifiability(out.model, out.optimum.ratio, last.target, last.damping, search.noise,
                                        search.free, search.names, search.gate);
  compare_modes(out, nominal, options, max_hz);
  progress.report(0.85, "uncertainty");
  internal::add_uncertainty(out, search.stages, search.calibration, search.noise.variance, search.free, options,
                            checkpoint, judging);
  internal::estimate_parameters(out, full);
  internal::judge(out, full, options);
  return out;
}

}  // namespace

UpdateResult run_update(const FullModel& model, const std::vector<Part>& parts, const ModalOptions& identification,
                        const UpdateOptions& options, const std::string& key, Progress& progress) {
  demand(!parts.empty(), "there is a part");
  if (model.parameters.empty())
    throw_bad_input("parameters", "there is nothing to calibrate",
                    "name the parameters of the model that are not known");
  if (SearchWatcher* watcher = watcher_of(progress))
    watcher->values_are(names_of(model), std::vector<std::string>(model.parameters.size(), "of nominal"));
  Builder builder{model, options, {}, 0, 0, 0};
  progress.report(0.0, "reduced basis");
  Stretch building(progress, 0.0, 0.05);
  builder.build(VectorXd::Ones(static_cast<Index>(model.parameters.size())), building);
  const auto run_part = [&](std::size_t i, Progress& own) {
    Checkpoint checkpoint{options.checkpoint.empty() ? "" : options.checkpoint + "/" + fmt::format("part_{:03d}", i),
                          key};
    PartResult found = update_part(model, parts[i], builder, identification, options, checkpoint, own);
    if (!options.leave_out_faulty || found.channel_faults.empty()) return found;
    UpdateOptions fewer = options;
    const std::vector<Finding> about = leave_out_faulty(found, fewer);
    if (!checkpoint.folder.empty()) checkpoint.folder += "/without_faulty";
    PartResult again = update_part(model, parts[i], builder, identification, fewer, checkpoint, own);
    again.findings.insert(again.findings.begin(), about.begin(), about.end());
    return again;
  };
  UpdateResult out;
  out.status = "converged";
  // Whole parts over the ranks when there is one for each of them; else one part after the other, its starts and draws
  // over all ranks. An eigenproblem that all ranks share needs all of them in the same part.
  const int ranks = task_runner().ranks(), count = static_cast<int>(parts.size());
  const bool together = fe::chosen_solver(options.eigensolver, model.matrices.size()) == fe::EigenSolver::slepc;
  std::vector<PartResult> done;
  if (ranks > 1 && count >= ranks && !together) {
    ProgressOfTasks share(progress, count, "part");
    done = task_runner().run(count, [&](int i) {
      PartResult part = run_part(static_cast<std::size_t>(i), share);
      share.done();
      return part;
    });
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double share = 0.95 / static_cast<double>(parts.size()), from = 0.05 + share * static_cast<double>(i);
    Stretch own(progress, from, from + share, parts[i].name);
    out.parts.push_back(done.empty() ? run_part(i, own) : std::move(done[i]));
    const PartResult& part = out.parts.back();
    out.findings.insert(out.findings.end(), part.findings.begin(), part.findings.end());
    if (part.optimum.status == CalibrationStatus::stopped || progress.stop_requested()) {
      out.status = "stopped",
      out.reason = "stopped on request; finished starts are in the checkpoint folder when one was given";
      return out;
    }
    if (part.status != "converged" && out.status != "not_converged")
      out.status = part.status, out.reason = fmt::format("{}: {}", part.name, part.reason);
  }
  if (out.reason.empty())
    out.reason = parts.size() == 1 ? out.parts[0].reason : fmt::format("all {} parts converged", parts.size());
  return out;
}

}  // namespace kdyn::update
