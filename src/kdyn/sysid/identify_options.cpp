// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/identify.hpp"

namespace kdyn::inline sysid {

const FieldTable& fields_of(const StabiliseOptions*) {
  using O = StabiliseOptions;
  static const FieldTable table = FieldTable::of<O>("stabilisation", [](FieldTable& t) {
    t.add(&O::frequency_tolerance, "frequency_tolerance", "-",
          "Relative change of frequency from order to order that counts as stable")
        .range(1e-6, 0.5);
    t.add(&O::damping_tolerance, "damping_tolerance", "-",
          "Relative change of damping from order to order that counts as stable")
        .range(1e-4, 10.0);
    t.add(&O::mac_limit, "mac_limit", "-", "MAC of shapes from order to order that counts as stable")
        .range(0.0, 0.9999);
    t.add(&O::min_damping, "min_damping", "-", "Least damping ratio of a mode").range(0.0, 1.0);
    t.add(&O::max_damping, "max_damping", "-",
          "Largest damping ratio of a mode; 0: 0.08, and 0.6 where that leaves the responses unexplained")
        .range(0.0, 1.0);
    t.add(&O::min_phase_collinearity, "min_phase_collinearity", "-",
          "Least modal phase collinearity of a mode (1: a real mode)")
        .range(0.0, 1.0);
    t.add(&O::min_track_share, "min_track_share", "-",
          "Part of the orders at which a mode must be seen since it appeared")
        .range(0.0, 1.0);
    t.add(&O::min_track_length, "min_track_length", "-", "Orders at which a mode must be seen").range(2, 1000);
  });
  return table;
}

const FieldTable& fields_of(const ModalOptions*) {
  using O = ModalOptions;
  static const FieldTable table = FieldTable::of<O>("modal", [](FieldTable& t) {
    t.add(&O::band_hz, "band_hz", "Hz", "Band to identify in: two frequencies; all lines when not given")
        .range(0.0, 1e7);
    t.add(&O::method, "method", "-", "Where the poles come from: subspace, or LSCF for comparison")
        .one_of({"subspace", "lscf"});
    t.add(&O::weighting, "weighting", "-",
          "Weight of each sample: none (the misfit itself), relative (1/|H|^2), covariance (measured)")
        .one_of({"none", "relative", "covariance"});
    t.add(&O::max_order, "max_order", "-",
          "Largest order of the stabilisation diagram; 0: 60, more when the band is full, then parts of the band")
        .range(0, 400);
    t.add(&O::order, "order", "-", "Fixed model order instead of the diagram; 0: automatic").range(0, 400);
    t.add(&O::block_rows, "block_rows", "-", "Block rows of the subspace method; 0: automatic").range(0, 1000);
    t.add(&O::map_hz, "map_hz", "Hz", "Centre of the bilinear map; 0: geometric centre of the band").range(0.0, 1e7);
    t.add(&O::residual_above, "residual_above", "-", "Residual pole pairs above the band; -1: automatic")
        .range(-1, 100);
    t.add(&O::residual_below, "residual_below", "-", "Residual pole pairs below the band; -1: automatic")
        .range(-1, 100);
    t.add(&O::residual_from, "residual_from", "-",
          "First residual pole above the band, over its highest frequency, and one below by the same factor; 0: "
          "automatic")
        .range(0.0, 3.0);
    t.add(&O::residual_damping, "residual_damping", "-", "Damping ratio of the residual poles").range(1e-4, 0.9);
    t.add(&O::alternations, "alternations", "-", "Alternations of B and C").range(1, 1000);
    t.add(&O::refine_poles, "refine_poles", "-", "Move the poles to the least misfit");
    t.add(&O::max_pole_steps, "max_pole_steps", "-", "Largest number of pole steps").range(0, 1000);
    t.include(&O::limits, field_table<StabiliseOptions>());
    t.add(&O::min_gain, "min_gain", "-", "Part by which a mode must lower a systematic misfit to be kept")
        .range(0.0, 100.0);
    t.add(&O::select_hz, "select_hz", "Hz", "Manual choice: exactly the poles nearest to these frequencies");
    t.add(&O::add_hz, "add_hz", "Hz", "Manual choice: also the poles nearest to these frequencies");
    t.add(&O::drop_hz, "drop_hz", "Hz", "Manual choice: not the modes nearest to these frequencies");
    t.add(&O::added_decay, "added_decay", "1/s",
          "Decay an exponential window added, taken off the poles; -1: as the files of kdyn frf say, 0: none")
        .range(-1.0, 1e6);
    t.add(&O::uncertainty, "uncertainty", "-", "Standard deviations of frequencies and damping");
  });
  return table;
}

}  // namespace kdyn::inline sysid
