// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/conformance.hpp"

#include "kdyn/activemount/active_mount_model.hpp"

namespace kdyn::inline activemount {
namespace {

struct ActiveMountFamily {
  using Law = ActiveMount<double>;

  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return active_mount_from_json(model, "model").law; },
            [](const Law& law) { return make_mount(law); }};
  }

  static std::vector<conformance::Example<Law>> examples() {
    const Law published;
    Law quadratic = published;
    quadratic.dKq = 0.1;
    conformance::Example<Law> linear{"published mount", published},
        turbulent{"with quadratic fluid damping", quadratic};
    linear.amplitude = turbulent.amplitude = 2e-4;
    return {linear, turbulent};
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(ActiveMount, ElementConformance, ActiveMountFamily);

}  // namespace
}  // namespace kdyn::inline activemount
