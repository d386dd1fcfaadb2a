// SPDX-License-Identifier: Apache-2.0
// Models as property files of other tools (.ubf, .bus, .gbs), read back and compared on the rig before they leave
// (export_check.hpp).
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/exchange/exchange_outputs.hpp"

namespace kdyn::app {

struct ExportModel {
  std::string path;
  Json model;  // the model object itself
  std::size_t direction = 2;
};

// Models that are read already, in the format the job names.
Outcome export_given(const std::vector<ExportModel>& models, const ExportJob& job);

// A bushing must stand alone; its axes go to their directions. Adds the file, what was compared and what is lost.
void export_property_file(const std::vector<ExportModel>& models, const ExportJob& job, const std::string& name,
                          Outcome& outcome, ExportOutput& output, report::Document& document);

}  // namespace kdyn::app
