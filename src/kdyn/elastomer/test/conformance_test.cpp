// SPDX-License-Identifier: Apache-2.0
#include "kdyn/element/conformance.hpp"

#include "kdyn/elastomer/elastomer_model.hpp"

namespace kdyn::inline elastomer {
namespace {

struct ElastomerFamily {
  using Law = Elastomer<double>;

  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return elastomer_from_json(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }

  static std::vector<conformance::Example<Law>> examples() {
    const Law masing;  // Table 3-3 of Scheiblegger 2018, without limit
    Law masing_limited = masing;
    masing_limited.ymax = 150.0 / 338e3;
    masing_limited.scale_freq = 1.3;
    masing_limited.scale_ampl = 0.7;
    masing_limited.scale_static_stiffness = 1.1;
    masing_limited.temperature = {{-20.0, 1.4, 1.3, 1.2}, {20.0, 1.0, 1.0, 1.0}};

    Law curved = masing_limited;
    curved.curve_points = {{-3e-3, -2600.0}, {-1e-3, -500.0}, {0.0, 0.0},
                           {1e-3, 400.0},    {2e-3, 1000.0},  {4e-3, 3500.0}};
    curved.scale_curve = 0.9;
    prepare(curved, "curved");

    Law g4 = masing, g4_limited = masing_limited;
    g4.law = g4_limited.law = FrictionLaw::g4;
    g4_limited.start_up = StartUp::backbone;

    Law spring;
    spring.lambda = spring.rdl = spring.rho = 0.0;

    return {{"masing unlimited", masing},
            {"masing limited", masing_limited},
            {"masing limited on a curve under preload", curved, 1.4e-3},
            {"g4 unlimited", g4},
            {"g4 limited", g4_limited},
            {"plain spring", spring}};
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Elastomer, ElementConformance, ElastomerFamily);

}  // namespace
}  // namespace kdyn::inline elastomer
