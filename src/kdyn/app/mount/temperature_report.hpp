// SPDX-License-Identifier: Apache-2.0
// Temperature dependence of a fitted elastomer, as JSON and as a section of the report.
#pragma once

#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

Json temperature_json(const std::vector<TemperatureLevel>& levels);
void add_temperature_section(report::Document& document, const std::vector<TemperatureLevel>& levels);

}  // namespace kdyn::app
