// SPDX-License-Identifier: Apache-2.0
// kdyn export of a whole multibody model: an FMU for co-simulation.
#pragma once

#include "kdyn/app/exchange/exchange_jobs.hpp"

namespace kdyn::app {

// Whether the job names a multibody model file instead of mounts.
bool is_system_export(const ExportJob& job);
Outcome export_system(const ExportJob& job);

}  // namespace kdyn::app
