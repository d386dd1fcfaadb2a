// SPDX-License-Identifier: Apache-2.0
// Pictures that the reports of modal testing share: animated shapes, MAC matrices, magnitude with phase.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "kdyn/data/mode_set.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

// A structure at rest: its surface by properties, and lines from trace lines and elements, else a chain through the points.
report::Animation structure_picture(const Geometry& geometry, const std::string& title);

// Shapes on that picture. Nodes without a shape stay at rest. Only nodes of the geometry are drawn; `marked` dofs get a dot. Empty when no node of the dofs is
// in the geometry.
report::Animation animation(const ModeSet& modes, const std::string& title, const std::vector<Dof>& marked,
                            bool complex_shapes);

report::Heatmap mac_map(const std::string& title, const Eigen::MatrixXd& mac, const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns, const std::string& caption);

// Magnitude (log) above phase in degrees, linked.
struct ResponseCurve {
  std::string name;
  report::SeriesStyle style = report::SeriesStyle::line;
  int group = 0;
  std::vector<double> frequency_hz;
  std::vector<std::complex<double>> values;
};
report::PlotRow bode(const std::string& title, const std::string& unit, const std::vector<ResponseCurve>& curves,
                     const std::vector<std::string>& groups, const std::string& group_label);

}  // namespace kdyn::app
