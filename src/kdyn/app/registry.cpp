// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/registry.hpp"

#include "kdyn/app/exchange_jobs.hpp"
#include "kdyn/app/jobs.hpp"

namespace kdyn::app {

std::vector<Operation> registered_operations() {
  return {
      make_operation<InspectJob>("inspect", "Tell what is in a file, in which units, and what is wrong with it",
                                 "kdyn inspect data/cab_mount/z_map.csv", &inspect),
      make_operation<FitElastomerJob>("fit elastomer", "Identify an elastomer mount from a map, a static loop, a transient, or a data sheet",
                                      "kdyn fit elastomer --data data/cab_mount/z_map.csv data/cab_mount/z_static.csv --out out/z",
                                      &fit_elastomer_job),
      make_operation<RigJob>("rig", "Run a mount model on the virtual test rig", "kdyn rig data/cab_mount/z_truth.json --program map --out out/rig",
                             &rig),
      make_operation<ConvertJob>("convert", "Convert between file formats that carry the same thing",
                                 "kdyn convert data/cab_mount/z_transient.csv out/z.csv", &convert),
      make_operation<ImportJob>("import", "Turn property files of other tools (.ubf, .bus, .gbs) into model files",
                                "kdyn import mount.ubf --out out/models", &import_models),
      make_operation<ExportJob>("export", "Write a model as .ubf, .bus, .gbs or C source",
                                "kdyn export data/cab_mount/z_truth.json --to c --out out/c", &export_models),
  };
}

}  // namespace kdyn::app
