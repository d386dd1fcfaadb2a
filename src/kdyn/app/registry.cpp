// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/registry.hpp"

#include "kdyn/app/active_mount_jobs.hpp"
#include "kdyn/app/compare_job.hpp"
#include "kdyn/app/jobs.hpp"

namespace kdyn::app {

std::vector<Operation> registered_operations() {
  return {
      make_operation<InspectJob>("inspect", "Tell what is in a file, in which units, and what is wrong with it",
                                 "kdyn inspect data/cab_mount/z_map.csv", &inspect),
      make_operation<FitElastomerJob>("fit elastomer", "Identify an elastomer mount from a map, a static loop, a transient, or a data sheet",
                                      "kdyn fit elastomer --data data/cab_mount/z_map.csv data/cab_mount/z_static.csv --out out/z",
                                      &fit_elastomer_job),
      make_operation<FitActiveMountJob>(
          "fit activemount", "Identify an active mount from measured frequency responses",
          "kdyn fit activemount --data data/active_mount/s_x.csv data/active_mount/p_yx.csv --model data/active_mount/model.json --out out/aem_fit",
          &fit_active_mount_job),
      make_operation<FitCompareJob>("fit compare", "Fit every law to the same data and rank them by cross-validation",
                                    "kdyn fit compare --data data/cab_mount/z_map.csv --out out/compare", &fit_compare_job),
      make_operation<AemJob>("aem", "Analyse an active mount: responses, poles, phase errors in service, stability of FxLMS control",
                             "kdyn aem data/active_mount/model.json --out out/aem", &aem),
      make_operation<RigJob>("rig", "Run a mount model on the virtual test rig", "kdyn rig data/cab_mount/z_truth.json --program map --out out/rig",
                             &rig),
  };
}

}  // namespace kdyn::app
