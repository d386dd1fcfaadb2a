// SPDX-License-Identifier: Apache-2.0
// Temperature dependence of a fitted elastomer, as a section of the report.
#pragma once

#include <vector>

#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

void add_temperature_section(report::Document& document, const std::vector<TemperatureLevel>& levels);

}  // namespace kdyn::app
