// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/present/structure_plots.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "kdyn/data/surface.hpp"

namespace kdyn::app {
namespace {

using namespace report;

// Lines as pairs of point indices: trace lines and line elements, else the edges of all elements.
std::vector<std::array<int, 2>> wires(const Geometry& geometry, const std::map<std::int64_t, int>& point,
                                      const std::vector<SurfaceFace>& faces) {
  std::set<std::array<int, 2>> known;
  std::vector<std::array<int, 2>> lines;
  const auto connect = [&](std::int64_t a, std::int64_t b) {
    const auto i = point.find(a), j = point.find(b);
    if (i == point.end() || j == point.end() || i->second == j->second) return;
    if (known.insert({std::min(i->second, j->second), std::max(i->second, j->second)}).second)
      lines.push_back({i->second, j->second});
  };
  for (const TraceLine& line : geometry.lines)
    for (std::size_t i = 1; i < line.nodes.size(); ++i)
      if (line.nodes[i - 1] != 0 && line.nodes[i] != 0) connect(line.nodes[i - 1], line.nodes[i]);
  if (geometry.lines.empty())
    for (const SurfaceFace& face : faces)
      for (std::size_t i = 0; i < face.nodes.size(); ++i)
        connect(face.nodes[i], face.nodes[(i + 1) % face.nodes.size()]);
  for (const GeometryElement& element : geometry.elements)
    if (element_faces(element.type).empty())
      for (std::size_t i = 0; i < element.nodes.size(); ++i)
        if (i + 1 < element.nodes.size() || element.nodes.size() > 2)
          connect(element.nodes[i], element.nodes[(i + 1) % element.nodes.size()]);
  if (lines.empty())
    for (int i = 1; i < static_cast<int>(point.size()); ++i) lines.push_back({i - 1, i});
  return lines;
}

// Triangles by property, so that a reader can hide what stands before the rest.
std::vector<AnimatedSurface> surfaces(const std::vector<SurfaceFace>& faces, const std::map<std::int64_t, int>& point) {
  std::map<std::int64_t, AnimatedSurface> parts;
  for (const SurfaceFace& face : faces) {
    std::vector<int> corners;
    for (const std::int64_t label : face.nodes)
      if (const auto found = point.find(label); found != point.end()) corners.push_back(found->second);
    if (corners.size() != face.nodes.size()) continue;
    AnimatedSurface& part = parts[face.property];
    for (std::size_t i = 2; i < corners.size(); ++i) part.triangles.push_back({corners[0], corners[i - 1], corners[i]});
  }
  std::vector<AnimatedSurface> out;
  for (auto& [property, part] : parts) {
    part.name = parts.size() == 1 ? "Surface" : fmt::format("Property {}", property);
    out.push_back(std::move(part));
  }
  return out;
}

}  // namespace

Animation structure_picture(const Geometry& geometry, const std::string& title) {
  Animation out{.title = title};
  std::map<std::int64_t, int> point;
  for (const GeometryNode& node : geometry.nodes)
    if (point.emplace(node.label, static_cast<int>(out.points.size())).second) {
      out.points.push_back(node.position);
      out.point_names.push_back(fmt::format("{}", node.label));
    }
  const std::vector<SurfaceFace> faces = surface_of(geometry);
  out.lines = wires(geometry, point, faces);
  out.surfaces = surfaces(faces, point);
  return out;
}

Animation animation(const ModeSet& modes, const std::string& title, const std::vector<Dof>& marked,
                    bool complex_shapes) {
  Animation out = structure_picture(modes.geometry, title);
  std::map<std::int64_t, int> point;
  std::vector<std::array<std::array<double, 3>, 3>> axes;  // of the motion of each point
  for (const GeometryNode& node : modes.geometry.nodes)
    if (point.emplace(node.label, static_cast<int>(axes.size())).second)
      axes.push_back(motion_axes(modes.geometry, node));
  bool any = false;
  for (const Dof& dof : modes.dofs) any = any || point.contains(dof.node);
  if (!any) return {};
  for (const Dof& dof : marked)
    if (const auto found = point.find(dof.node);
        found != point.end() && (out.marked.empty() || out.marked.back() != found->second))
      out.marked.push_back(found->second);
  for (std::size_t m = 0; m < modes.modes.size(); ++m) {
    const Mode& mode = modes.modes[m];
    AnimatedShape shape{.name = fmt::format("Mode {}: {:.2f} Hz, damping {:.2f} %", m + 1, mode.frequency_hz(),
                                            100.0 * mode.damping_ratio())};
    shape.real.assign(out.points.size(), {0.0, 0.0, 0.0});
    if (complex_shapes) shape.imaginary = shape.real;
    for (std::size_t i = 0; i < modes.dofs.size(); ++i) {
      const auto found = point.find(modes.dofs[i].node);
      const int direction = std::abs(modes.dofs[i].direction);
      if (found == point.end() || direction < 1 || direction > 3) continue;
      const auto at = static_cast<std::size_t>(found->second);
      const double sign = modes.dofs[i].direction > 0 ? 1.0 : -1.0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double part = axes[at][axis][static_cast<std::size_t>(direction - 1)];
        shape.real[at][axis] += sign * part * mode.shape[i].real();
        if (complex_shapes) shape.imaginary[at][axis] += sign * part * mode.shape[i].imag();
      }
    }
    out.shapes.push_back(std::move(shape));
  }
  return out;
}

Heatmap mac_map(const std::string& title, const Eigen::MatrixXd& mac, const std::vector<std::string>& rows,
                const std::vector<std::string>& columns, const std::string& caption) {
  Heatmap map{.title = title,
              .row_names = rows,
              .column_names = columns,
              .lower = 0.0,
              .upper = 1.0,
              .scale = ColourScale::sequential,
              .caption = caption};
  for (Eigen::Index i = 0; i < mac.rows(); ++i) {
    std::vector<double> row;
    for (Eigen::Index j = 0; j < mac.cols(); ++j) row.push_back(mac(i, j));
    map.values.push_back(std::move(row));
  }
  return map;
}

PlotRow bode(const std::string& title, const std::string& unit, const std::vector<ResponseCurve>& curves,
             const std::vector<std::string>& groups, const std::string& group_label) {
  Plot magnitude{.title = title,
                 .x = {"Frequency", "Hz"},
                 .y = {"Magnitude", unit, true},
                 .groups = groups,
                 .group_label = group_label};
  magnitude.height_px = 300;
  Plot phase{.title = "Phase",
             .x = {"Frequency", "Hz"},
             .y = {"Phase", "deg", false, -180.0, 180.0},
             .groups = groups,
             .group_label = group_label};
  phase.height_px = 170;
  for (const ResponseCurve& curve : curves)
    if (!curve.frequency_hz.empty())
      for (Plot* plot : {&magnitude, &phase}) {
        plot->x.lower = std::min(plot->x.lower.value_or(curve.frequency_hz.front()), curve.frequency_hz.front());
        plot->x.upper = std::max(plot->x.upper.value_or(curve.frequency_hz.back()), curve.frequency_hz.back());
      }
  for (const ResponseCurve& curve : curves) {
    Series m{.name = curve.name, .style = curve.style, .x = curve.frequency_hz, .group = curve.group}, p = m;
    for (const std::complex<double>& value : curve.values) {
      m.y.push_back(std::abs(value));
      p.y.push_back(std::arg(value) * 180.0 / std::numbers::pi);
    }
    // A line across the wrap from +180 to -180 degrees would be drawn through the whole plot: cut it there.
    if (curve.style == SeriesStyle::line || curve.style == SeriesStyle::dashed_line) {
      Series cut{.name = p.name, .style = p.style, .group = p.group};
      for (std::size_t i = 0; i < p.y.size(); ++i) {
        if (i > 0 && std::abs(p.y[i] - p.y[i - 1]) > 180.0) {
          cut.x.push_back(0.5 * (p.x[i] + p.x[i - 1]));
          cut.y.push_back(std::numeric_limits<double>::quiet_NaN());
        }
        cut.x.push_back(p.x[i]);
        cut.y.push_back(p.y[i]);
      }
      p = std::move(cut);
    }
    magnitude.series.push_back(std::move(m));
    phase.series.push_back(std::move(p));
  }
  return {{magnitude, phase}, 1, true};
}

}  // namespace kdyn::app
