// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/hydromount_fit.hpp"

namespace kdyn::inline identify {

const FieldTable& fields_of(const HydroMountFitOptions*) {
  using O = HydroMountFitOptions;
  static const FieldTable table = FieldTable::of<O>("fit hydromount", [](FieldTable& t) {
    t.add(&O::detail, "detail", "-", "Level of detail: chosen by what the data support, or given")
        .one_of(hydro_detail_names());
    t.add(&O::criterion, "criterion", "-",
          "How the map was reduced: first harmonics, or extremes and area of the force loops")
        .one_of({"harmonic", "loop"});
    t.add(&O::use_transients, "use_transients", "-", "Fit time records too; false leaves them for validation");
    t.add(&O::fluid_damping_exponent, "fluid_damping_exponent", "-",
          "Exponent of the nonlinear fluid damping; null: 2 and 3 are tried")
        .range(1.5, 5.0);
    t.add(&O::chamber_area, "chamber_area", "m^2", "Piston area of the chamber from the drawing").above(0.0);
    t.add(&O::channel_area, "channel_area", "m^2", "Cross-section of the channel from the drawing").above(0.0);
    t.add(&O::channel_length, "channel_length", "m",
          "Length of the channel from the drawing; gives the cross-section when that is unknown")
        .above(0.0);
    t.add(&O::fluid_density, "fluid_density", "kg/m^3", "Density of the fluid").above(0.0);
    t.add(&O::coupled_damping, "coupled_damping", "-", "Write the nonlinear damping as a factor of the linear one");
    t.add(&O::fix, "fix", "SI", "Parameters held at a value, e.g. {\"chamber_stiffness\": 1.6e6}");
    t.add(&O::preload, "preload", "N", "Preload whose rows are fitted; null: the one with most rows");
    t.add(&O::noise_k_dyn_rel, "noise_k_dyn_rel", "-",
          "Relative standard deviation of measured stiffness; null: estimated")
        .range(1e-6, 1.0);
    t.add(&O::noise_loss_angle_deg, "noise_loss_angle_deg", "deg",
          "Standard deviation of measured loss angle; null: estimated")
        .range(1e-4, 45.0);
    t.add(&O::priors, "priors", "-", "Weak prior knowledge about rubber and decoupler");
    t.add(&O::corrections, "corrections", "-", "Corrections of the first-harmonic model by harmonics 1, 3, 5")
        .range(0, 10);
    t.add(&O::max_iterations, "max_iterations", "-", "Iterations of each least-squares solution").range(1, 10000);
  });
  return table;
}

const char* to_string(HydroDetail detail) {
  switch (detail) {
    case HydroDetail::springs: return "springs";
    case HydroDetail::rubber: return "rubber";
    case HydroDetail::decoupler: return "decoupler";
    case HydroDetail::bypass: return "bypass";
    case HydroDetail::limit: return "limit";
    case HydroDetail::automatic: break;
  }
  return "auto";
}

std::vector<std::string> hydro_detail_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(HydroDetail::limit); ++i)
    names.emplace_back(to_string(static_cast<HydroDetail>(i)));
  return names;
}

}  // namespace kdyn::inline identify
