// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/internal/frf_records.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/signal/channel_check.hpp"
#include "kdyn/signal/clipping.hpp"

namespace kdyn::inline signal::internal {
namespace {

bool is_force(const Signal& s) { return s.unit == "N" || s.unit == "N*m" || s.unit == "Nm"; }

}  // namespace

FrfRecord sort_signals(const SignalSet& set, const FrfOptions& options) {
  const bool ambient = options.excitation == ModalExcitation::ambient;
  FrfRecord out;
  out.where = set.source.path.empty() ? "signals" : set.source.path;
  for (const Signal& s : set.signals) {
    const std::string name = label(s.dof);
    const bool named = std::any_of(options.inputs.begin(), options.inputs.end(),
                                   [&](const std::string& i) { return i == name || i == s.name || i == s.dof.name; });
    const bool input = options.inputs.empty() && !ambient ? is_force(s) : named;
    if (input) out.inputs.push_back(&s);
    if (ambient ? !is_force(s) : !input) out.outputs.push_back(&s);
  }
  if (out.inputs.empty() && !ambient)
    throw_bad_input(out.where, "no force signal: none has the unit N",
                    "name the force signals with inputs; responses alone want --excitation ambient");
  if (out.inputs.size() < options.inputs.size() && ambient)
    throw_bad_input(
        "inputs",
        fmt::format("{} of the {} references are signals of {}", out.inputs.size(), options.inputs.size(), out.where),
        "name responses by their labels, or leave the choice to kdyn");
  if (out.outputs.empty())
    throw_bad_input(out.where, "no response signal is left beside the force", "give the responses of the same run");
  const Signal& first = ambient ? *out.outputs.front() : *out.inputs.front();
  out.step = first.step_s;
  out.samples = first.values.size();
  for (const auto* group : {&out.inputs, &out.outputs})
    for (const Signal* s : *group) {
      if (!(s->step_s > 0.0) || std::abs(s->step_s - out.step) > 1e-9 * out.step)
        throw_bad_input(out.where,
                        fmt::format("signal {} has another sampling step ({} s) than {} ({} s)", s->name, s->step_s,
                                    ambient ? "the first" : "the force", out.step),
                        "record all signals with one clock");
      out.samples = std::min(out.samples, s->values.size());
      for (const double value : s->values)
        if (!std::isfinite(value))
          throw_bad_input(out.where, fmt::format("signal {} has a value that is not finite", s->name),
                          "repair or leave out the signal");
    }
  return out;
}

void note_clipping(const Signal& signal, const FrfRecord& record, std::vector<Finding>& findings) {
  const Clipping found = find_clipping({signal.values.data(), record.samples});
  if (found.tops == 0) return;
  findings.push_back(
      {Severity::serious, "clipped", record.where,
       fmt::format("channel {} left its measuring range: {} flat tops, the first at {:.4g} s, {:.2g} % of its samples",
                   signal.dof == Dof{} ? signal.name : label(signal.dof), found.tops,
                   static_cast<double>(found.first) * record.step, 100.0 * found.share),
       "choose a larger range or hit more softly and measure again; frequencies are about right, amplitudes and "
       "damping are not"});
}

void note_faults(const Signal& signal, const FrfRecord& record, std::vector<Finding>& findings) {
  for (Finding& found : check_channel({signal.values.data(), record.samples}, 0.0, record.step,
                                      signal.dof == Dof{} ? signal.name : label(signal.dof), record.where))
    if (found.code != "clipped") findings.push_back(std::move(found));
}

}  // namespace kdyn::inline signal::internal
