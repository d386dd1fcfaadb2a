// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/targets.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::update {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;
using Eigen::VectorXd;

// Lines of every stage; values are filled by the caller.
std::vector<Stage> empty_stages(const StageOptions& options) {
  if (options.damping.empty() || options.damping.size() != options.lines_per_half_bandwidth.size())
    throw_bad_input("lines_per_half_bandwidth",
                    fmt::format("there are {} damping ratios and {} numbers of lines", options.damping.size(),
                                options.lines_per_half_bandwidth.size()),
                    "give one number of lines for each damping ratio");
  if (options.band_hz.size() != 2)
    throw_bad_input("band_hz", "a band has two frequencies", "give lowest and highest frequency");
  std::vector<Stage> out;
  for (std::size_t i = 0; i < options.damping.size(); ++i) {
    Stage stage;
    stage.damping = options.damping[i];
    stage.target.frequency_hz =
        frequency_lines(options.band_hz[0], options.band_hz[1], stage.damping, options.lines_per_half_bandwidth[i]);
    out.push_back(std::move(stage));
  }
  return out;
}

}  // namespace

StageOptions last_of(const StageOptions& options) {
  StageOptions out = options;
  out.damping = {options.damping.back()};
  out.lines_per_half_bandwidth = {options.lines_per_half_bandwidth.back()};
  return out;
}

std::vector<Stage> equalised_stages(const ModalModel& identified, ResponseKind kind, const StageOptions& options,
                                    const std::vector<bool>& use) {
  std::vector<Stage> out = empty_stages(options);
  for (Stage& stage : out) {
    const VectorXd omega = two_pi * stage.target.frequency_hz;
    stage.target.values = synthesise(equalise_damping(identified, stage.damping, kind, options.damping_kind), omega);
    for (int power = static_cast<int>(kind); power < 2; ++power)
      for (Index l = 0; l < omega.size(); ++l) stage.target.values.row(l) *= Complex(0.0, omega[l]);
    stage.target.use = use;
  }
  return out;
}

std::vector<Stage> given_stages(const std::vector<EqualisedResponses>& given, const std::vector<double>& band_hz,
                                const std::string& where, ResponseKind& kind, bool& unit_known, FrfMatrix& last) {
  std::vector<Stage> out;
  for (const EqualisedResponses& one : given) {
    FrfMatrix frf = frf_matrix(one.responses, band_hz);
    if (!out.empty() && (frf.output_dofs != last.output_dofs || frf.input_dofs != last.input_dofs))
      throw_bad_input(where,
                      fmt::format("the responses with damping {:g} have other channels than those before", one.damping),
                      "give the same channels, in the same order, for every damping");
    kind = response_kind(frf.output_unit, unit_known);
    Stage stage;
    stage.damping = one.damping;
    stage.target.frequency_hz = frf.omega / two_pi;
    stage.target.values = frf.values;
    for (int power = static_cast<int>(kind); power < 2; ++power)
      for (Index l = 0; l < frf.omega.size(); ++l) stage.target.values.row(l) *= Complex(0.0, frf.omega[l]);
    out.push_back(std::move(stage));
    last = std::move(frf);
  }
  return out;
}

std::vector<Stage> stages_of_model(const fe::ReducedModel& model, const VectorXd& ratio, const StageOptions& options) {
  std::vector<Stage> out = empty_stages(options);
  const ModalForm form = modal_form(model, ratio, false);
  for (Stage& stage : out) stage.target.values = accelerance(form, stage.target.frequency_hz, stage.damping);
  return out;
}

VectorXd noise_variance(const ModalResult& identified) {
  const Eigen::MatrixXcd left = identified.frf.values - synthesise(identified.fitted, identified.frf.omega);
  // Each channel has spent two numbers per pole pair on its residues and one on D.
  const double lines = static_cast<double>(identified.frf.lines());
  const double spent = std::min(0.8 * lines, static_cast<double>(identified.model.poles.size()) + 0.5);
  return left.cwiseAbs2().colwise().sum().transpose() / (lines - spent);
}

std::vector<bool> live_channels(const FrfMatrix& frf, double limit, std::vector<Finding>& findings) {
  const VectorXd rms = frf.values.cwiseAbs2().colwise().mean().cwiseSqrt().transpose();
  const double largest = rms.maxCoeff();
  std::vector<bool> out;
  std::vector<std::string> dead;
  for (Index c = 0; c < rms.size(); ++c) {
    out.push_back(rms[c] > limit * largest);
    if (!out.back() && dead.size() < 6)
      dead.push_back(fmt::format("{}/{}", label(frf.output_dofs[static_cast<std::size_t>(c % frf.outputs)]),
                                 label(frf.input_dofs[static_cast<std::size_t>(c / frf.outputs)])));
  }
  const auto count = std::count(out.begin(), out.end(), false);
  if (count > 0) {
    std::string list;
    for (const std::string& name : dead) list += (list.empty() ? "" : ", ") + name;
    findings.push_back({Severity::warning, "dead_channels", "data",
                        fmt::format("{} of {} channels hold no response ({}{}); they are left out", count, rms.size(),
                                    list, count > 6 ? ", ..." : ""),
                        "check the sensor when the channel should respond"});
  }
  return out;
}

}  // namespace kdyn::update
