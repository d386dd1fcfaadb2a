// SPDX-License-Identifier: Apache-2.0
// Engineering units for people: results are SI, tables and plots show N/mm, mm, deg, ms.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/numerics/levels.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

std::vector<double> scaled(const std::vector<double>& x, double factor);

// A figure where less is better.
inline report::Quality judge(double value, double good, double fair) {
  return value <= good ? report::Quality::good : value <= fair ? report::Quality::fair : report::Quality::poor;
}

// Scales and names of one axis kind.
struct AxisDisplay {
  DisplayUnit displacement, force, stiffness;
  std::string displacement_name, force_name;
};
AxisDisplay axis_display(AxisKind axis);

const char* axis_word(AxisKind axis);  // "translation" or "rotation", as results and model files say it

report::Table parameter_table(const std::vector<ParameterEstimate>& parameters);
std::string parameter_text(const std::vector<ParameterEstimate>& parameters);  // for a terminal

std::string format_number(double value, int digits = 4);

}  // namespace kdyn::app
