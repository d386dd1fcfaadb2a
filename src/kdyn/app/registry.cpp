// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/registry.hpp"

#include "kdyn/app/exchange/exchange_jobs.hpp"
#include "kdyn/app/mount/active_mount_jobs.hpp"
#include "kdyn/app/mount/bushing_job.hpp"
#include "kdyn/app/mount/compare_job.hpp"
#include "kdyn/app/mount/hydromount_jobs.hpp"
#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/mount/master_curve_job.hpp"
#include "kdyn/app/mount/validate.hpp"
#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/structure/correlate_job.hpp"
#include "kdyn/app/structure/fe_jobs.hpp"
#include "kdyn/app/structure/modal_jobs.hpp"
#include "kdyn/app/structure/update_jobs.hpp"
#include "kdyn/app/study/study_job.hpp"
#include "kdyn/app/vehicle/road_job.hpp"
#include "kdyn/app/vehicle/vehicle_jobs.hpp"

namespace kdyn::app {

// KDYN_WITHOUT_STRUCTURES: the page without a server (cmake/KdynWasm.cmake) has nothing that needs finite elements,
// multibody models or processes.
std::vector<Operation> registered_operations() {
  return {
      make_operation<InspectJob, InspectOutput>("inspect",
                                                "Tell what is in a file, in which units, and what is wrong with it",
                                                "kdyn inspect data/cab_mount/z_map.csv", &inspect),
      make_operation<FitElastomerJob, FitElastomerOutput, SeparateTemperaturesOutput, BatchOutput>(
          "fit elastomer", "Identify an elastomer mount from a map, a static loop, a transient, or a data sheet",
          "kdyn fit elastomer --data data/cab_mount/z_map.csv data/cab_mount/z_static.csv --out out/z",
          &fit_elastomer_job,
          {{"data", "Data"},
           {"law", "Model and parameters"},
           {"weight_k_dyn", "Weights, noise and selection of data"},
           {"use_curve", "Static part and solver"},
           {"static_stiffness", "Data sheet, instead of files"}}),
      make_operation<FitHydroMountJob, FitHydroMountOutput, FitHydroMountStopped, BatchOutput>(
          "fit hydromount", "Identify a hydro mount from a map, with or without a static loop",
          "kdyn fit hydromount --data data/hydro_mount/map.csv data/hydro_mount/static.csv --out out/hydro",
          &fit_hydromount_job,
          {{"data", "Data"}, {"detail", "Model"}, {"chamber_area", "Drawing"}, {"fix", "Parameters and noise"}}),
      make_operation<FitBushingJob, FitBushingOutput>(
          "fit bushing", "Identify all directions of a bushing: one six-axis model from a folder, workbook or files",
          "kdyn fit bushing --data data/cab_mount --out out/bushing", &fit_bushing_job,
          {{"data", "Data"}, {"directions", "Axes"}, {"exports", "Files and options of the fits"}}),
      make_operation<FitActiveMountJob, FitActiveMountOutput>(
          "fit activemount", "Identify an active mount from measured frequency responses",
          "kdyn fit activemount --data data/active_mount/s_x.csv data/active_mount/p_yx.csv --model "
          "data/active_mount/model.json --out out/aem_fit",
          &fit_active_mount_job),
      make_operation<FitCompareJob, FitCompareOutput>(
          "fit compare", "Fit every law to the same data and rank them by cross-validation",
          "kdyn fit compare --data data/cab_mount/z_map.csv --out out/compare", &fit_compare_job),
      make_operation<MasterCurveJob, MasterCurveOutput>(
          "fit mastercurve", "Shift curves of several temperatures onto one: shift factors, WLF and Arrhenius",
          "kdyn fit mastercurve --data dma.csv --out out/master", &fit_master_curve_job),
      make_operation<AemJob, AemOutput>(
          "aem", "Analyse an active mount: responses, poles, phase errors in service, stability of FxLMS control",
          "kdyn aem data/active_mount/model.json --out out/aem", &aem,
          {{"model", "Model"},
           {"error_signal", "Range and service"},
           {"steps", "Stability and amplitude"},
           {"plant", "Control run"}}),
      make_operation<RigJob, RigOutput, BushingRigOutput>(
          "rig", "Run a mount model on the virtual test rig",
          "kdyn rig data/cab_mount/z_truth.json --program map --out out/rig", &rig,
          {{"model", "Model and programme"},
           {"frequencies_hz", "Programme map"},
           {"static_amplitude_m", "Programme static"},
           {"formula", "Programme transient"},
           {"sweep_amplitude_m", "Programmes sweep, random and road"},
           {"duration_s", "Length, rate and temperature"},
           {"noise_force_n", "Sensors and noise"}}),
      make_operation<ValidateJob, ValidateOutput>(
          "validate", "Compare a mount model with measurements that took no part in its fit",
          "kdyn validate data/cab_mount/z_truth.json data/cab_mount/z_transient.csv --out out/validate", &validate,
          {{"files", "Model and data"}, {"allowed_k_dyn_rel", "What counts as good"}}),
      make_operation<LineariseJob, LineariseOutput>(
          "linearise", "Make a linear model for frequency-domain work at one amplitude",
          "kdyn linearise data/cab_mount/z_truth.json --amplitude-m 2e-4 --out out/linear", &linearise_job),
#ifndef KDYN_WITHOUT_STRUCTURES
      make_operation<FrfJob, FrfOutput>("frf", "Estimate frequency responses from time signals of a modal test",
                                        "kdyn frf out/modal_test/hits_*.uff --out out/frf", &frf_job,
                                        {{"data", "Signals"},
                                         {"excitation", "Estimation"},
                                         {"trigger_level", "Hammer"},
                                         {"excited_level", "Periodic and multisine"}}),
      make_operation<ModalJob, ModalOutput>("modal",
                                            "Identify a state-space model and the modes from frequency responses",
                                            "kdyn modal out/frf/frf.uff --band-hz 30,260 --out out/modal", &modal_job,
                                            {{"data", "Responses"},
                                             {"band_hz", "Identification"},
                                             {"residual_above", "Residual poles and refinement"},
                                             {"frequency_tolerance", "Which poles are modes"},
                                             {"select_hz", "Manual choice"}}),
      make_operation<BodyJob, BodyOutput>(
          "body", "Make a flexible body from test modes or from an FE model",
          "kdyn body --modes out/modal/result.json --fe out/modal_test/fe_model.h5 --out out/body", &body_job,
          {{"from", "Inputs"}, {"orthonormalise", "From test modes"}, {"method", "From an FE model"}}),
      make_operation<FeJob, FeOutput>(
          "fe", "Find modes of a finite-element model, check its matrices, reduce and convert it",
          "kdyn fe examples/updating/box_ring.bdf --count 40 --out out/fe", &fe_job,
          {{"files", "Model"}, {"count", "Modes"}, {"reduce", "Reduction"}, {"write", "Files"}}),
      make_operation<CorrelateJob, CorrelateOutput>(
          "correlate", "Compare modes or responses of a test with those of a model: MAC, CoMAC, FRAC, orthogonality",
          "kdyn correlate data/subframe/frame.bdf data/subframe/on_bushings.bdf --count 20 --out out/correlation",
          &correlate_job, {{"files", "Test and model"}, {"match_tolerance_m", "Comparison"}}),
      update_operation(),
#endif
      make_operation<CompareResultsJob, CompareResultsOutput>(
          "report", "Put the results of two or more fits beside each other",
          "kdyn report out/cab_mount_x out/cab_mount_y --out out/compare", &compare_results),
      make_operation<ConvertJob, ConvertOutput>("convert", "Convert between file formats that carry the same thing",
                                                "kdyn convert data/cab_mount/z_transient.csv out/z.csv", &convert),
      make_operation<ImportJob, ImportOutput>("import",
                                              "Turn property files of other tools (.ubf, .bus, .gbs) into model files",
                                              "kdyn import mount.ubf --out out/models", &import_models),
      make_operation<ExportJob, ExportOutput>(
          "export", "Write a model as FMU (FMI 2.0 or 3.0), C source, .ubf, .bus or .gbs",
          "kdyn export data/cab_mount/z_truth.json --to fmu2 --out out/fmu", &export_models,
          {{"models", "Models"}, {"frequency_hz", "bus and gbs, and the check of fmu and c"}, {"name", "File"}}),
#ifndef KDYN_WITHOUT_STRUCTURES
      make_operation<VehicleJob, VehicleOutput, VehiclePlanOutput>(
          "vehicle", "Identify masses, springs and dampers of a vehicle from free decays, or plan such a test",
          "kdyn vehicle --data data/bump_test/decays.csv --added-mass 130 250 40 4 4 5 5 --out out/vehicle",
          &vehicle_job,
          {{"data", "Data"},
           {"method", "Method and parameters"},
           {"cut_bump", "Preparation of the decays"},
           {"target_percent", "Planning of a test"}}),
      make_operation<SimulateJob, SimulateOutput>(
          "simulate", "Run a multibody model with mount laws",
          "kdyn simulate examples/multibody/double_mass.json --out out/double_mass", &simulate_job),
      make_operation<ModesJob, ModesOutput>(
          "modes", "Find modes and frequency responses of a multibody model about its static equilibrium",
          "kdyn modes examples/multibody/engine.json --outputs engine.acceleration.z --out out/engine_modes",
          &modes_job, {{"model", "Model"}, {"inputs", "Responses"}}),
      insitu_operation(),
#endif
      make_operation<AssessJob, AssessOutput>(
          "assess", "Assess ride comfort and durability of signals, alone or against another record",
          "kdyn assess data/bump_test/drive_old.csv --compare data/bump_test/drive_new.csv --out out/assess",
          &assess_job, {{"file", "Signals"}, {"exponents", "Counting and spectra"}}),
      make_operation<RoadJob, RoadOutput>(
          "road", "Make a road for models on posts: random profiles of ISO 8608, bumps and potholes",
          "kdyn road --roughness 64e-6 --duration-s 30 --out out/road", &road_job,
          {{"roughness", "Road"}, {"duration_s", "Rows"}, {"obstacles", "Obstacles and title"}}),
#ifndef KDYN_WITHOUT_STRUCTURES
      study_operation(),
#endif
  };
}

}  // namespace kdyn::app
