// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/update.hpp"

namespace kdyn::update {

const FieldTable& fields_of(const UpdateOptions*) {
  using O = UpdateOptions;
  static const FieldTable table = FieldTable::of<O>("updating", [](FieldTable& t) {
    t.add(&O::band_hz, "band_hz", "Hz", "Lowest and highest frequency that are compared; by default those of the data")
        .at_least(0.0);
    t.add(&O::damping, "damping", "-", "Damping ratio of all modes in the stages of the continuation, in order")
        .range(1e-4, 0.7);
    t.add(&O::lines_per_half_bandwidth, "lines_per_half_bandwidth", "-",
          "Lines in half of a resonance's width, for each stage")
        .above(0.0);
    t.add(&O::damping_kind, "damping_kind", "-",
          "Damping of the test: hysteretic as of rubber, viscous, or automatic: hysteretic for modes above 2 %")
        .one_of({"automatic", "viscous", "hysteretic"});
    t.add(&O::validation, "validation", "-", "Outputs for validation only: 12+Z, or 12 for all of a point");
    t.add(&O::validation_inputs, "validation_inputs", "-",
          "Forces for validation only: 12+Z, or 12 for all of a point");
    t.add(&O::leave_out, "leave_out", "-", "Outputs that are not used at all: 12+Z, or 12 for all of a point");
    t.add(&O::leave_out_inputs, "leave_out_inputs", "-", "Forces that are not used at all: 12+Z, or 12");
    t.add(&O::leave_out_faulty, "leave_out_faulty", "-",
          "Leave out the sensors and forces that turn out to be turned, exchanged, late or wrongly scaled, and "
          "calibrate again");
    t.add(&O::phases, "phases", "-",
          "Groups of parameters freed one after the other, as \"rotational\" then \"all\"; empty: all at once");
    t.add(&O::starts, "starts", "-",
          "Starts of the calibration: the nominal one and a Latin hypercube within the bounds")
        .range(1, 10000);
    t.add(&O::seed, "seed", "-", "Seed of starts and draws").range(0, 1e15);
    t.add(&O::max_iterations, "max_iterations", "-", "Iterations of each stage").range(1, 10000);
    t.add(&O::basis_modes, "basis_modes", "-", "Modes in the reduced basis, besides attachment and sensitivity vectors")
        .range(1, 2000);
    t.add(&O::sensitivity_modes, "sensitivity_modes", "-",
          "Modes whose sensitivity to thickness, modulus and density is in the basis")
        .range(0, 500);
    t.add(&O::shift_hz, "shift_hz", "Hz", "Shift of the static solutions of a free structure").above(0.0);
    t.add(&O::eigensolver, "eigensolver", "-",
          "Who finds the modes of the full model, as in kdyn fe: one process (lanczos) or all ranks (slepc)")
        .one_of({"automatic", "lanczos", "slepc"});
    t.add(&O::basis_limit_percent, "basis_limit_percent", "%",
          "Frequency error of the basis at the optimum beyond which it is rebuilt")
        .above(0.0);
    t.add(&O::rebuilds, "rebuilds", "-", "How often the basis may be rebuilt").range(0, 20);
    t.add(&O::mesh_check, "mesh_check", "-",
          "Where the model does not describe the test: calibrate once more with a mesh twice as fine, if it is a "
          "mesh of at most 25 000 unknowns that can be cut");
    t.add(&O::mac_limit, "mac_limit", "-", "Pairs of modes with a lower MAC are rejected").range(0.0, 1.0);
    t.add(&O::target_percent, "target_percent", "%", "95 % half interval of a parameter that counts as determined")
        .above(0.0);
    t.add(&O::suggest, "suggest", "-", "Look for sensors, inputs and added masses that would help");
    t.add(&O::bootstrap_draws, "bootstrap_draws", "-", "Draws of the two bootstraps; 0: none").range(0, 100000);
    t.add(&O::block_lines, "block_lines", "-", "Neighbouring lines drawn together by the block bootstrap")
        .range(2, 10000);
    t.add(&O::noise_draws, "noise_draws", "-",
          "Retests with new noise that tell which samples are resolved and feed the gate; 0: none")
        .range(0, 1000);
    t.add(&O::resolved_only, "resolved_only", "-",
          "Calibrate by resolved samples only: responses above three standard deviations of their noise");
    t.add(&O::monte_carlo_draws, "monte_carlo_draws", "-",
          "Full re-calibrations with new noise, the reference for uncertainty; 0: none")
        .range(0, 100000);
    t.add(&O::checkpoint, "checkpoint", "-",
          "Folder for finished starts and draws; a job that finds its own there goes on")
        .folder();
  });
  return table;
}

}  // namespace kdyn::update
