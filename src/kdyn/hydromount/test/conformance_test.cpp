// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/conformance.hpp"

#include "reference_mounts.hpp"

namespace kdyn::inline hydromount {
namespace {

struct HydroMountFamily {
  using Law = HydroMount<double>;

  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return hydromount_from_json(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }

  static std::vector<conformance::Example<Law>> examples() {
    const Law springs = reference::table_1();
    Law decoupled = springs;
    decoupled.decoupler_clearance = 2e-4;
    decoupled.decoupler_residual_slope = 0.3;
    decoupled.decoupler_gradient = 0.8;
    decoupled.fluid_damping_exponent = 3.0;
    decoupled.fluid_damping_nonlinear = 0.4;
    Law membrane = springs;
    membrane.main_rubber = Elastomer<double>{};
    membrane.chamber_rubber = Elastomer<double>{};
    membrane.main_rubber.static_stiffness = 7.5e5;
    membrane.chamber_rubber.static_stiffness = 1.35e6;
    Law valves = springs;
    valves.coupled_damping = true;
    valves.bypass_area = 3e-6;
    valves.bypass_threshold = 3e4;
    Law limited = membrane;
    limited.pressure_limit = 6e4;
    limited.pressure_limit_smoothing = 3e4;
    membrane.decoupler_clearance = 2e-4;
    membrane.decoupler_residual_slope = 0.25;
    std::vector<conformance::Example<Law>> all = {{"decoupler on springs", decoupled},
                                                  {"membrane and rubber", membrane},
                                                  {"bypass", valves},
                                                  {"limit and rubber", limited}};
    for (auto& example : all) {
      example.small_amplitude = 1e-11;  // quadratic damping is still felt at a hundredth of a micrometre
      example.small_tolerance = 2e-4;
      example.step_noise =
          2e-7;  // inner steps controlled to 1e-9 of the states each, some hundred of them behind a force
      example.commit_tolerance = 0.05;  // five samples in a period of the highest tone: the chamber turns between them
      example.sharpness = 1e4;          // the bypass opens over a fiftieth of its threshold
    }
    return all;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(HydroMount, ElementConformance, HydroMountFamily);

}  // namespace
}  // namespace kdyn::inline hydromount
