// SPDX-License-Identifier: Apache-2.0
// From the unknowns of a hydro mount fit to a law, for any scalar: effective parameters, both areas 1 m^2  [identify
// E30].
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "kdyn/hydromount/hydromount.hpp"

namespace kdyn::inline identify {

enum HydroSlot {
  hydro_main_k,
  hydro_main_c,
  hydro_t2,
  hydro_t_ratio,
  hydro_main_h,
  hydro_main_rho,
  hydro_chamber_k,
  hydro_chamber_c,
  hydro_chamber_h,
  hydro_chamber_rho,
  hydro_mass,
  hydro_linear,
  hydro_power,
  hydro_clearance,
  hydro_residual,
  hydro_bypass,
  hydro_threshold,
  hydro_limit,
  hydro_limit_width,
  hydro_slot_count
};

struct HydroSlotInfo {
  const char *name, *unit, *meaning;
};
inline constexpr std::array<HydroSlotInfo, hydro_slot_count> hydro_slots = {{
    {"main_stiffness", "N/m", "Static stiffness of the main rubber"},
    {"main_c", "s", "lambda gamma of the main rubber: damping over static stiffness"},
    {"t2", "s", "Pole of the Kelvin-Voigt parts, common to both rubbers"},
    {"t1_over_t2", "-", "Zero over pole of the Kelvin-Voigt parts"},
    {"main_h", "-", "rdl rho of the main rubber: friction hardening at vanishing amplitude"},
    {"main_rho", "1/m", "rho of the main rubber's friction"},
    {"chamber_stiffness", "N/m", "Static stiffness of the chamber rubber, referred to the mount's displacement"},
    {"chamber_c", "s", "lambda gamma of the chamber rubber"},
    {"chamber_h", "-", "rdl rho of the chamber rubber"},
    {"chamber_rho", "1/m", "rho of the chamber rubber's friction"},
    {"effective_mass", "kg", "Fluid mass referred to the mount's displacement, m_K/R^2"},
    {"effective_damping_linear", "N*s/m", "Linear fluid damping, d/R^2"},
    {"effective_damping_nonlinear", "N*(s/m)^n", "Nonlinear fluid damping, b/R^(n+1)"},
    {"decoupler_clearance", "m", "Clearance of the decoupler (gradient 1)"},
    {"decoupler_residual_slope", "-", "Slope of the membrane at small strokes"},
    {"bypass_coefficient", "m/s/N^0.5",
     "Chamber displacement rate through the bypass over the square root of the excess force"},
    {"bypass_force", "N", "Chamber force at which the bypass opens"},
    {"pressure_limit_force", "N", "Chamber force at which the rebound side gives way"},
    {"pressure_limit_width", "-", "Width of the transition to the pressure limit over the limit"},
}};

using HydroValues = std::array<double, hydro_slot_count>;

// Which unknowns are free, and the values of all.
struct HydroLayout {
  std::vector<int> free;  // slots, in the order of theta (logarithms)
  HydroValues values{};   // of held ones, and start values
  double exponent = 2.0;
  bool rubber = false, decoupler = false, bypass = false, limit = false;
  static constexpr double lambda = 0.3803;  // of the degenerate triple alpha, gamma, lambda
};

// value_at(slot) as T: natural values, not logarithms.
template <class T, class ValueAt>
HydroMount<T> make_hydro(const HydroLayout& layout, ValueAt&& value_at) {
  HydroMount<T> law;
  const auto rubber = [&](Elastomer<T>& e, int k, int c, int h, int rho) {
    e.static_stiffness = value_at(k);
    if (!layout.rubber) {
      e.lambda = e.rdl = e.rho = T(0.0);
      return;
    }
    const T ratio = value_at(hydro_t_ratio);
    e.lambda = T(HydroLayout::lambda);
    e.gamma = value_at(c) / HydroLayout::lambda;
    e.beta = ratio / (1.0 - ratio);
    e.alpha = (1.0 + e.beta) * e.gamma / value_at(hydro_t2);
    e.rho = value_at(rho);
    e.rdl = value_at(h) / e.rho;
  };
  rubber(law.main_rubber, hydro_main_k, hydro_main_c, hydro_main_h, hydro_main_rho);
  rubber(law.chamber_rubber, hydro_chamber_k, hydro_chamber_c, hydro_chamber_h, hydro_chamber_rho);
  law.chamber_area = law.channel_area = law.fluid_density = T(1.0);
  law.channel_length = value_at(hydro_mass);
  law.fluid_damping_linear = value_at(hydro_linear);
  law.fluid_damping_nonlinear = value_at(hydro_power);
  law.fluid_damping_exponent = layout.exponent;
  if (layout.decoupler) {
    law.decoupler_clearance = value_at(hydro_clearance);
    law.decoupler_residual_slope = value_at(hydro_residual);
  }
  if (layout.bypass) {
    law.bypass_area = value_at(hydro_bypass) / std::sqrt(2.0);  // orifice at unit density and chamber area
    law.bypass_threshold = value_at(hydro_threshold);
  }
  if (layout.limit) {
    law.pressure_limit = value_at(hydro_limit);
    law.pressure_limit_smoothing = value_at(hydro_limit) * value_at(hydro_limit_width);
  }
  return law;
}

inline HydroMount<double> make_hydro(const HydroLayout& layout) {
  return make_hydro<double>(layout, [&](int slot) { return layout.values[static_cast<std::size_t>(slot)]; });
}

}  // namespace kdyn::inline identify
