// SPDX-License-Identifier: Apache-2.0
// The box ring of examples/updating with known stiffnesses, measured in a simulation: what the updating cases share.
//
// The truth is the set of stiffnesses that was found for such a subframe (box_ring_found_stiffness), computed with 150
// modes of the full model and 0.4 to 1.2 % damping. Measured to 340 Hz and compared to 265 Hz, as in the paper.
#pragma once

#include "kdyn/base/random.hpp"
#include "kdyn/fe/mesh_builder.hpp"
#include "kdyn/update/update.hpp"
#include "kdyn/update/virtual_responses.hpp"

namespace kdyn::validation {

using namespace kdyn::update;

struct Truth {
  Eigen::VectorXd ratio;
  fe::Modes modes;
};

// What an analyser would give: accelerances of the true structure with noise of 1 % of the mean of each channel.
inline FrequencyResponse measure(const FullModel& model, const fe::BoxRing& ring, const Truth& truth,
                                 std::uint64_t seed) {
  const ModalForm form = modes_at(truth.modes, model.rows(ring.outputs, "outputs"), model.rows(ring.inputs, "inputs"));
  Eigen::VectorXd damping(form.omega.size());
  RandomStream random(99);
  for (double& xi : damping) xi = random.uniform(0.004, 0.012);
  return virtual_responses(form, damping, Eigen::VectorXd::LinSpaced(775, 30.0, 340.0), ring.outputs, ring.inputs, 0.01,
                           seed);
}

inline FullModel ring_model(const fe::BoxRing& ring, std::vector<ParameterSetting> more = {}) {
  std::vector<ParameterSetting> settings;
  for (const fe::Parameter& p : fe::box_ring_parameters(ring)) {
    ParameterSetting setting;
    setting.name = p.name, setting.unit = p.component < 3 ? "N/m" : "N*m/rad",
    setting.group = p.component < 3 ? "translational" : "rotational";
    setting.what = p;
    settings.push_back(std::move(setting));
  }
  settings.insert(settings.end(), more.begin(), more.end());
  return full_model(ring.model, std::move(settings));
}

inline Truth truth_of(const FullModel& model, double thickness) {
  Truth out;
  out.ratio = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(model.parameters.size()));
  const auto found = fe::box_ring_found_stiffness();
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t c = 0; c < 6; ++c) {
      const auto s = static_cast<Eigen::Index>(6 * b + c);
      out.ratio[s] = found[b][c] / model.parameters[6 * b + c].nominal;
    }
  if (out.ratio.size() > 24) out.ratio[24] = thickness;
  fe::ModesOptions options;
  options.count = 150;
  options.shift_hz = 100.0;
  out.modes = fe::find_modes(model.matrices.stiffness_at(out.ratio), model.matrices.mass_at(out.ratio), model.group_of,
                             options);
  return out;
}

inline fe::BoxRing example_ring() {
  fe::BoxRingOptions options;
  options.cells = 2;  // as the example deck
  return fe::make_box_ring(options);
}

// The band and the channels kept aside: three of twelve sensors.
inline UpdateOptions ring_options(const fe::BoxRing& ring) {
  UpdateOptions options;
  options.band_hz = {30.0, 265.0};
  options.starts = 1;
  options.suggest = false;
  options.bootstrap_draws = 0;
  for (const std::size_t y : {9, 10, 11, 18, 19, 20, 33, 34, 35}) options.validation.push_back(label(ring.outputs[y]));
  return options;
}

}  // namespace kdyn::validation
