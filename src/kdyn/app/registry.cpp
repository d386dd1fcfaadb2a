// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/registry.hpp"

#include "kdyn/app/jobs.hpp"
#include "kdyn/app/modal_jobs.hpp"

namespace kdyn::app {

std::vector<Operation> registered_operations() {
  return {
      make_operation<InspectJob>("inspect", "Tell what is in a file, in which units, and what is wrong with it",
                                 "kdyn inspect data/cab_mount/z_map.csv", &inspect),
      make_operation<FitElastomerJob>("fit elastomer", "Identify an elastomer mount from a map, a static loop, a transient, or a data sheet",
                                      "kdyn fit elastomer --data data/cab_mount/z_map.csv data/cab_mount/z_static.csv --out out/z",
                                      &fit_elastomer_job,
                                      {{"data", "Data"},
                                       {"law", "Model and parameters"},
                                       {"weight_k_dyn", "Weights, noise and selection of data"},
                                       {"use_curve", "Static part and solver"},
                                       {"static_stiffness", "Data sheet, instead of files"}}),
      make_operation<RigJob>("rig", "Run a mount model on the virtual test rig", "kdyn rig data/cab_mount/z_truth.json --program map --out out/rig",
                             &rig,
                             {{"model", "Model and programme"},
                              {"frequencies_hz", "Programme map"},
                              {"static_amplitude_m", "Programme static"},
                              {"formula", "Programme transient"},
                              {"sweep_amplitude_m", "Programmes sweep, random and road"},
                              {"duration_s", "Length, rate and temperature"},
                              {"noise_force_n", "Sensors and noise"}}),
      make_operation<LineariseJob>("linearise", "Make a linear model for frequency-domain work at one amplitude",
                                   "kdyn linearise data/cab_mount/z_truth.json --amplitude-m 2e-4 --out out/linear", &linearise_job),
      make_operation<FrfJob>("frf", "Estimate frequency responses from time signals of a modal test", "kdyn frf out/modal_test/hits_*.uff --out out/frf", &frf_job,
                             {{"data", "Signals"},
                              {"excitation", "Estimation"},
                              {"trigger_level", "Hammer"},
                              {"excited_level", "Periodic and multisine"}}),
      make_operation<ModalJob>("modal", "Identify a state-space model and the modes from frequency responses", "kdyn modal out/frf/frf.uff --band-hz 30,260 --out out/modal", &modal_job,
                               {{"data", "Responses"},
                                {"band_hz", "Identification"},
                                {"residual_above", "Residual poles and refinement"},
                                {"frequency_tolerance", "Which poles are modes"},
                                {"select_hz", "Manual choice"}}),
      make_operation<BodyJob>("body", "Make a flexible body from test modes or from an FE model", "kdyn body --modes out/modal/result.json --fe out/modal_test/fe_model.h5 --out out/body",
                              &body_job,
                              {{"from", "Inputs"}, {"orthonormalise", "From test modes"}, {"method", "From an FE model"}}),
      make_operation<CompareResultsJob>("report", "Put the results of two or more fits beside each other",
                                        "kdyn report out/cab_mount_x out/cab_mount_y --out out/compare", &compare_results),
  };
}

}  // namespace kdyn::app
