// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/conformance.hpp"

#include "kdyn/element/mount_of.hpp"
#include "kdyn/rivals/berg.hpp"
#include "kdyn/rivals/bouc_wen.hpp"
#include "kdyn/rivals/kelvin_voigt_mount.hpp"
#include "kdyn/rivals/payne.hpp"
#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn::inline rivals {
namespace {

struct KelvinVoigtFamily {
  using Law = KelvinVoigtMount<double>;
  static conformance::Access<Law> access() {
    return {plain_law_table<Law>(), [](const Json& model) { return plain_law_from_json<Law>(model, "model"); },
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
    return {plain_law_table<Law>(), [](const Json& model) { return plain_law_from_json<Law>(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
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
    return {plain_law_table<Law>(), [](const Json& model) { return plain_law_from_json<Law>(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
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

struct PayneFamily {
  using Law = Payne<double>;
  static conformance::Access<Law> access() {
    return {plain_law_table<Law>(), [](const Json& model) { return plain_law_from_json<Law>(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    Law early, limited, no_network;
    early.onset_exponent = 0.7;
    early.tail_exponent = 0.4;
    limited.onset_exponent = 2.0;
    limited.tail_exponent = 1.0;
    limited.link_stiffness = 60e3;
    limited.kept_share = 0.0;
    no_network.payne_stiffness = 0.0;
    std::vector<conformance::Example<Law>> all = {
        {"default", Law{}}, {"early onset", early}, {"limited", limited}, {"without network", no_network}};
    for (auto& example : all) {
      example.settle_time = 45.0;  // the slowest link takes 3 s
      // The links turn with the network force over 0.6 k_p x_c: third derivatives are large, and the rates of fast
      // links are small differences of m v and Q/tau.
      example.sharpness = 1000.0;
      example.order = 3.0;  // the fastest link is quicker than the step: the parabola of m v is met at its ends only
    }
    all[1].small_amplitude = 1e-10;  // X = (a/x_c)^0.7 is 4e-5 there
    return all;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(KelvinVoigt, ElementConformance, KelvinVoigtFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(Maxwell, ElementConformance, MaxwellFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(Berg, ElementConformance, BergFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(BoucWen, ElementConformance, BoucWenFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(FractionalZener, ElementConformance, FractionalZenerFamily);
INSTANTIATE_TYPED_TEST_SUITE_P(Payne, ElementConformance, PayneFamily);

}  // namespace
}  // namespace kdyn::inline rivals
