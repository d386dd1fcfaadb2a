// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/elastomer_fit.hpp"

namespace kdyn::inline identify {

const FieldTable& fields_of(const ElastomerFitOptions*) {
  using O = ElastomerFitOptions;
  static const FieldTable table = FieldTable::of<O>("fit elastomer", [](FieldTable& t) {
    t.add(&O::law, "law", "-", "Friction law: masing, or g4 as published").one_of({"masing", "g4"});
    t.add(&O::criterion, "criterion", "-", "Data reduction the stiffness and loss angle come from")
        .one_of({"harmonic", "loop"});
    t.add(&O::fix, "fix", "SI", "Parameters held at a value, e.g. lambda=0.38,ymax=4.4e-4");
    t.add(&O::free, "free", "-", "Parameters to fit although they are held by default (lambda)");
    t.add(&O::bounds, "bounds", "SI", "Bounds of fitted parameters, e.g. {\"rho\": [100, 1e5]}");
    t.add(&O::start, "start", "SI", "Start values; by default they come from the data");
    t.add(&O::weight_k_dyn, "weight_k_dyn", "-", "Weight of the dynamic stiffness").range(0.0, 1e6);
    t.add(&O::weight_loss_angle, "weight_loss_angle", "-", "Weight of the loss angle").range(0.0, 1e6);
    t.add(&O::weight_static, "weight_static", "-", "Weight of the static loop").range(0.0, 1e6);
    t.add(&O::weight_transient, "weight_transient", "-", "Weight of the transient").range(0.0, 1e6);
    t.add(&O::noise_k_dyn_rel, "noise_k_dyn_rel", "-",
          "Relative standard deviation of measured stiffness; null: estimated")
        .range(1e-6, 1.0);
    t.add(&O::noise_loss_angle_deg, "noise_loss_angle_deg", "deg",
          "Standard deviation of measured loss angle; null: estimated")
        .range(1e-4, 45.0);
    t.add(&O::exclude_suspicious, "exclude_suspicious", "-",
          "Leave out rows the data doctor calls outliers or duplicates");
    t.add(&O::use_curve, "use_curve", "-",
          "Static part from the static loop: a curve, a constant stiffness, or whichever fits")
        .one_of({"auto", "yes", "no"});
    t.add(&O::curve_intervals, "curve_intervals", "-", "Intervals of the spline that becomes the static curve")
        .range(1, 12);
    t.add(&O::max_iterations, "max_iterations", "-", "Iterations of each least-squares solution").range(1, 10000);
    t.add(&O::static_stiffness, "static_stiffness", "N/m", "Static stiffness").above(0.0);
    t.add(&O::dynamic_hardening_1, "dynamic_hardening_1", "-", "Dynamic over static stiffness at amplitude_1")
        .range(1.0, 100.0);
    t.add(&O::dynamic_hardening_2, "dynamic_hardening_2", "-", "Dynamic over static stiffness at amplitude_2")
        .range(1.0, 100.0);
    t.add(&O::amplitude_1, "amplitude_1", "m", "Small amplitude, zero to peak").alias("amplitude_1_m").above(0.0);
    t.add(&O::amplitude_2, "amplitude_2", "m", "Large amplitude, zero to peak").alias("amplitude_2_m").above(0.0);
    t.add(&O::loss_angle_deg, "loss_angle_deg", "deg", "Loss angle at amplitude_1").range(1e-3, 89.0);
    t.add(&O::layout_frequency_hz, "layout_frequency_hz", "Hz", "Frequency at which these values hold")
        .alias("layout_frequency")
        .above(0.0);
  });
  return table;
}

}  // namespace kdyn::inline identify
