// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig {

const FieldTable& fields_of(const RigOptions*) {
  using O = RigOptions;
  static const FieldTable table = FieldTable::of<O>("rig", [](FieldTable& t) {
    t.add(&O::program, "program", "-", "Test programme")
        .one_of({"static", "map", "transient", "sweep", "random", "road"});
    t.add(&O::frequencies_hz, "frequencies_hz", "Hz", "Map: frequencies of the stepped sine").above(0.0);
    t.add(&O::amplitudes_m, "amplitudes_m", "m", "Map: amplitudes, zero to peak").above(0.0);
    t.add(&O::preloads_n, "preloads_n", "N", "Static preloads; map runs each of them, static and transient the first");
    t.add(&O::samples_per_cycle, "samples_per_cycle", "-", "Map: samples in one cycle").range(16, 65536);
    t.add(&O::measured_cycles, "measured_cycles", "-", "Map: cycles averaged after the response has settled")
        .range(1, 1000);
    t.add(&O::max_cycles, "max_cycles", "-", "Map: cycles after which a point counts as not settled").range(2, 1e6);
    t.add(&O::settle_tolerance, "settle_tolerance", "-",
          "Map: relative change of stiffness from cycle to cycle that counts as settled")
        .range(1e-12, 1e-2);
    t.add(&O::static_amplitude_m, "static_amplitude_m", "m", "Static: half stroke about the preload point").above(0.0);
    t.add(&O::static_rate_m_per_s, "static_rate_m_per_s", "m/s", "Static: speed of the triangle").above(0.0);
    t.add(&O::static_points, "static_points", "-", "Static: samples in the recorded cycle").range(16, 1e7);
    t.add(&O::static_cycles, "static_cycles", "-", "Static: cycles run; the last one is recorded").range(1, 1000);
    t.add(&O::formula, "formula", "m", "Transient: displacement over the time t in s, e.g. 1e-3*sin(2*pi*5*t)");
    t.add(&O::sweep_amplitude_m, "sweep_amplitude_m", "m", "Sweep: amplitude, zero to peak").above(0.0);
    t.add(&O::sweep_from_hz, "sweep_from_hz", "Hz", "Sweep: first frequency").above(0.0);
    t.add(&O::sweep_to_hz, "sweep_to_hz", "Hz", "Sweep: last frequency").above(0.0);
    t.add(&O::random_rms_m, "random_rms_m", "m", "Random and road: rms displacement").above(0.0);
    t.add(&O::random_lower_hz, "random_lower_hz", "Hz", "Random and road: lowest frequency").above(0.0);
    t.add(&O::random_upper_hz, "random_upper_hz", "Hz", "Random and road: highest frequency").above(0.0);
    t.add(&O::duration_s, "duration_s", "s", "Length of a transient given by a formula, of sweep, random and road")
        .above(0.0);
    t.add(&O::sample_rate_hz, "sample_rate_hz", "Hz", "Sampling rate of these").above(0.0);
    t.add(&O::temperature_c, "temperature_c", "degC", "Temperature of the test; the model needs a temperature table")
        .range(-100.0, 300.0);
    t.add(&O::noise_force_n, "noise_force_n", "N", "Noise of the force sensor, standard deviation per sample")
        .at_least(0.0);
    t.add(&O::noise_displacement_m, "noise_displacement_m", "m",
          "Noise of the displacement sensor, standard deviation per sample")
        .at_least(0.0);
    t.add(&O::noise_k_dyn_rel, "noise_k_dyn_rel", "-", "Scatter of the reduced stiffness, relative standard deviation")
        .range(0.0, 1.0);
    t.add(&O::noise_loss_angle_deg, "noise_loss_angle_deg", "deg",
          "Scatter of the reduced loss angle, standard deviation")
        .range(0.0, 90.0);
    t.add(&O::resolution_force_n, "resolution_force_n", "N", "Step of the digitised force; 0 is continuous")
        .at_least(0.0);
    t.add(&O::resolution_displacement_m, "resolution_displacement_m", "m",
          "Step of the digitised displacement; 0 is continuous")
        .at_least(0.0);
    t.add(&O::filter_force_hz, "filter_force_hz", "Hz", "Cut-off of the low-pass in the force channel; 0 is none")
        .at_least(0.0);
    t.add(&O::filter_displacement_hz, "filter_displacement_hz", "Hz",
          "Cut-off of the low-pass in the displacement channel; 0 is none")
        .at_least(0.0);
    t.add(&O::fixture_mass_kg, "fixture_mass_kg", "kg",
          "Mass between mount and load cell, moving with the displacement")
        .at_least(0.0);
    t.add(&O::seed, "seed", "-", "Seed of random displacement and of all noise").range(0, 9e15);
  });
  return table;
}

}  // namespace kdyn::inline rig
