// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/conformance.hpp"

#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn {
namespace {

struct KelvinVoigtFamily {
  using Law = KelvinVoigtMount<double>;
  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return plain_law_from_json<Law>(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() { return {{"default", Law{}}}; }
};

struct MaxwellFamily {
  using Law = Maxwell<double>;
  static conformance::Access<Law> access() {
    return {field_table<MaxwellParameters>(), [](const Json& model) { return maxwell_from_json(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    Law three, none;
    three.bank.branches = 3;
    three.bank.stiffness = {4e4, 3e4, 2e4};
    three.bank.relaxation_time = {3e-4, 4e-3, 6e-2};
    return {{"three branches", three}, {"spring alone", none}};
  }
};

struct BergFamily {
  using Law = Berg<double>;
  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return plain_law_from_json<Law>(model, "model"); }, [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    Law no_friction;
    no_friction.friction_max = 0.0;
    return {{"default", Law{}}, {"without friction", no_friction}};
  }
};

struct BoucWenFamily {
  using Law = BoucWen<double>;
  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return plain_law_from_json<Law>(model, "model"); }, [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    Law full;
    full.shape = 1.0;
    full.sharpness = 3.0;
    // The rate of z has a kink where z changes sign (|z|^n): the order of a step that crosses it drops to n + 1.
    conformance::Example<Law> soft{"default", Law{}}, round{"full loops", full};
    soft.order = 2.5;
    return {soft, round};
  }
};

struct FractionalZenerFamily {
  using Law = FractionalZener<double>;
  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return fractional_zener_from_json(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    Law law;
    law.complete();
    conformance::Example<Law> example{"default", law};
    example.settle_time = 200.0;  // the slowest branch is a spring inside the band
    return {example};
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(KelvinVoigt, ElementConformance, KelvinVoigtFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(Maxwell, ElementConformance, MaxwellFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(Berg, ElementConformance, BergFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(BoucWen, ElementConformance, BoucWenFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(FractionalZener, ElementConformance, FractionalZenerFamily);

}  // namespace
}  // namespace kdyn
