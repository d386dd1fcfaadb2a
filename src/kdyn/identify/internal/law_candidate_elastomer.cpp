// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/identify/internal/law_functions.hpp"
#include "kdyn/identify/internal/start_values.hpp"
#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn::inline identify {

LawCandidate maxwell_candidate(const MapSizes& s, int branches) {
  Maxwell<double> base;
  base.bank.branches = branches;
  LawCandidate c{"maxwell", "Generalised Maxwell", {}, {}, {}, {}};
  c.parameters.push_back(about("static_stiffness", "N/m", "Static stiffness", 0.85 * s.k_low));
  const std::string digits = "12345678";
  const double fast = 0.5 / s.omega_high, slow = 3.0 / s.omega_low;
  for (int i = 0; i < branches; ++i) {
    const std::string n(1, digits[static_cast<std::size_t>(i)]);
    const double share = branches > 1 ? i / (branches - 1.0) : 0.5;
    c.parameters.push_back(
        about("stiffness_" + n, "N/m", "Stiffness of branch " + n, 0.3 * s.loss + 0.05 * s.k_low, 1e-6));
    // Its decade is the branch's own: branches that could pass each other would be the same law twice.
    c.parameters.push_back(about("relaxation_time_" + n, "s", "Relaxation time of branch " + n,
                                 fast * std::pow(slow / fast, share), 0.1, 10.0));
  }
  const auto harmonic = [](const auto& law, double f, const auto& a) { return law.harmonic(two_pi * f, a); };
  c.stiffness = stiffness_function<17>(base, names_of(c.parameters), harmonic);
  c.force = force_function<17>(base, names_of(c.parameters), [](Maxwell<double>&) {});
  c.mount = mount_function(base, names_of(c.parameters), [](Maxwell<double>&) {});
  return c;
}

LawCandidate elastomer_candidate(FrictionLaw friction, const std::vector<MapRow>& rows, const MapSizes& s) {
  Elastomer<double> base;
  base.law = friction;
  StiffnessMap map;
  map.rows = rows;
  std::vector<std::size_t> all(rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  start_from_map(map, all, std::vector<double>(rows.size(), 1.0), base);
  // Few rows, or a loss that no rubber has: the features mislead, and sizes alone are the better start.
  if (!(base.static_stiffness > 0.1 * s.k_low && base.static_stiffness < 2.0 * s.k_high)) {
    base.static_stiffness = 0.5 * s.k_low;
    base.rdl = 0.5 * s.loss / base.static_stiffness * s.amplitude;
    base.rho = 4.0 / s.amplitude;
    base.alpha = base.gamma * s.omega;
  }
  base.ymax = 20.0 * base.rdl;
  const bool masing = friction == FrictionLaw::masing;
  LawCandidate c{masing ? "elastomer_masing" : "elastomer_g4",
                 masing ? "Elastomer, Masing friction" : "Elastomer, g4 friction",
                 {},
                 {},
                 {},
                 {}};
  const auto add = [&](const char* name, double start, double down, double up) {
    for (const ParameterInfo& info : elastomer_parameters)
      if (std::string_view(info.name) == name)
        c.parameters.push_back(about(name, info.unit, info.meaning, start, down, up));
  };
  add("static_stiffness", base.static_stiffness, 1e-2, 1e2);
  add("alpha", base.alpha, 1e-4, 1e4);
  add("beta", std::max(base.beta, 1e-3), 1e-4, 1e4);
  add("gamma", base.gamma, 1e-4, 1e4);
  add("rdl", std::max(base.rdl, 1e-4 * s.amplitude), 1e-4, 1e4);
  add("rho", base.rho, 1e-3, 1e3);
  c.parameters.push_back(about("ymax", "m", "Friction: limit of the friction displacement", *base.ymax, 1e-3, 1e3));
  const auto harmonic = [](const auto& law, double f, const auto& a) { return harmonic_stiffness(law, f, a); };
  const auto ready = [](Elastomer<double>& one) { prepare(one, "compare"); };
  c.stiffness = stiffness_function<8>(base, names_of(c.parameters), harmonic);
  c.force = force_function<8>(base, names_of(c.parameters), ready);
  c.mount = mount_function(base, names_of(c.parameters), ready);
  return c;
}

}  // namespace kdyn::inline identify
