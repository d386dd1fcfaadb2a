// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/frf.hpp"

namespace kdyn::inline signal {

const FieldTable& fields_of(const FrfOptions*) {
  using O = FrfOptions;
  static const FieldTable table = FieldTable::of<O>("frf", [](FieldTable& t) {
    t.add(&O::excitation, "excitation", "-", "How the structure was excited; ambient: by forces that were not measured")
        .one_of({"hammer", "random", "burst", "periodic", "multisine", "ambient"});
    t.add(&O::estimator, "estimator", "-", "h1: noise on the outputs, h2: on the input, hv: on both")
        .one_of({"h1", "h2", "hv"});
    t.add(
        &O::inputs, "inputs", "-",
        "Labels of the force signals; by default all signals in N or N*m; ambient: responses that serve as references");
    t.add(&O::block_s, "block_s", "s",
          "Length of a block or period; 0: hammer from hit to hit, else 1 s; ambient: longest delay of the "
          "correlations, 0: a "
          "twentieth of the record")
        .range(0.0, 1e5);
    t.add(&O::overlap, "overlap", "-", "Overlap of blocks of random excitation").range(0.0, 0.9);
    t.add(&O::band_hz, "band_hz", "Hz", "Lines to give: two frequencies; by default up to 0.4 of the sampling rate")
        .range(0.0, 1e7);
    t.add(&O::trigger_level, "trigger_level", "-", "Hammer: trigger level as part of the largest force")
        .range(1e-3, 0.95);
    t.add(&O::pre_trigger_s, "pre_trigger_s", "s", "Hammer: time before the trigger; 0: 1 % of the block")
        .range(0.0, 1e3);
    t.add(&O::force_window_s, "force_window_s", "s",
          "Hammer: the force counts until this time after the trigger; 0: from the data")
        .range(0.0, 1e3);
    t.add(&O::decay_to, "decay_to", "-",
          "Hammer, ambient: value of the exponential window at the end of the block; 0: automatic, 1: none")
        .range(0.0, 1.0);
    t.add(&O::double_hit_level, "double_hit_level", "-",
          "Hammer: a later force peak of this part of the first is a double hit")
        .range(1e-3, 1.0);
    t.add(&O::keep_double_hits, "keep_double_hits", "-", "Use double hits all the same");
    t.add(&O::excited_level, "excited_level", "-",
          "Periodic: a line counts as excited from this part of the strongest line's force")
        .range(0.0, 1.0);
    t.add(&O::step_s, "step_s", "s", "Multisine: duration of one step of frequencies; 0: a single step")
        .range(0.0, 1e5);
    t.add(&O::settle_s, "settle_s", "s", "Multisine: time left out at the start of each step").range(0.0, 1e5);
  });
  return table;
}

}  // namespace kdyn::inline signal
