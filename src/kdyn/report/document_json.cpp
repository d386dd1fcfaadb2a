// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/double_chars.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/report/decimate.hpp"
#include "kdyn/report/html.hpp"

namespace kdyn::report {
namespace {

// Eight digits are below every line width and keep the file small; a measured number has fewer.
Json plotted(double value) {
  if (!std::isfinite(value)) return nullptr;
  char text[32];
  const auto end = fmt::format_to_n(text, sizeof text, "{:.8g}", value).out;
  double rounded = value;
  double_from_chars(text, end, rounded);
  return rounded;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json to_json(const Value& value) {
  if (const double* number = value.number()) return finite_or_null(*number);
  if (const std::string* text = value.text()) return *text;
  return nullptr;
}

const char* to_string(Quality quality) {
  switch (quality) {
    case Quality::neutral: return "neutral";
    case Quality::good: return "good";
    case Quality::fair: return "fair";
    case Quality::poor: return "poor";
  }
  return "neutral";
}

const char* to_string(SeriesStyle style) {
  switch (style) {
    case SeriesStyle::line: return "line";
    case SeriesStyle::dashed_line: return "dashed_line";
    case SeriesStyle::markers: return "markers";
    case SeriesStyle::line_and_markers: return "line_and_markers";
  }
  return "line";
}

const char* to_string(Align align) {
  switch (align) {
    case Align::automatic: return "automatic";
    case Align::left: return "left";
    case Align::right: return "right";
    case Align::centre: return "centre";
  }
  return "automatic";
}

Json to_json(const Axis& axis) {
  Json out{{"label", axis.label}, {"unit", axis.unit}, {"log", axis.log}};
  if (axis.lower) out["lower"] = *axis.lower;
  if (axis.upper) out["upper"] = *axis.upper;
  return out;
}

Json pick(const std::vector<double>& values, const std::vector<std::size_t>& kept) {
  Json out = Json::array();
  for (const std::size_t i : kept) out.push_back(plotted(values[i]));
  return out;
}

Json to_json(const Series& series, std::size_t position) {
  const auto fits = [&](const auto& values) { return values.empty() || values.size() == series.y.size(); };
  demand(series.x.size() == series.y.size(), "x and y of a report series have the same length");
  demand(fits(series.hover), "a report series has one hover text for each point or none");
  demand(fits(series.lower) && fits(series.upper) && series.lower.empty() == series.upper.empty(),
         "a report series has both interval bounds for each point or none");
  const std::vector<std::size_t> kept = decimate(series);
  Json out{{"name", series.name},
           {"style", to_string(series.style)},
           {"group", series.group < 0 ? position : static_cast<std::size_t>(series.group)},
           {"total_points", series.y.size()},
           {"x", pick(series.x, kept)},
           {"y", pick(series.y, kept)}};
  if (!series.lower.empty()) {
    out["lower"] = pick(series.lower, kept);
    out["upper"] = pick(series.upper, kept);
  }
  if (!series.hover.empty()) {
    Json& hover = out["hover"] = Json::array();
    for (const std::size_t i : kept) hover.push_back(series.hover[i]);
  }
  return out;
}

Json to_json(const Plot& plot) {
  Json series = Json::array();
  for (const Series& s : plot.series) {
    series.push_back(to_json(s, series.size()));
    demand(plot.groups.empty() || series.back()["group"].get<std::size_t>() < plot.groups.size(),
           "the group of a report series exists");
  }
  return {{"kind", "plot"},
          {"title", plot.title},
          {"x", to_json(plot.x)},
          {"y", to_json(plot.y)},
          {"series", std::move(series)},
          {"groups", plot.groups},
          {"group_label", plot.group_label},
          {"palette", plot.palette == Palette::sequential ? "sequential" : "categorical"},
          {"caption", plot.caption},
          {"height_px", plot.height_px}};
}

Json to_json(const PlotRow& row) {
  Json plots = Json::array();
  for (const Plot& plot : row.plots) plots.push_back(to_json(plot));
  return {{"kind", "plot_row"}, {"columns", row.columns}, {"link_x", row.link_x}, {"plots", std::move(plots)}};
}

Json to_json(const Table& table) {
  Json columns = Json::array();
  for (const Column& column : table.columns)
    columns.push_back({{"title", column.title},
                       {"unit", column.unit},
                       {"align", to_string(column.align)},
                       {"digits", column.digits}});
  Json rows = Json::array();
  for (const Row& row : table.rows) {
    demand(row.cells.size() == table.columns.size(), "a row of a report table has one cell for each column");
    Json cells = Json::array();
    for (const Value& cell : row.cells) cells.push_back(to_json(cell));
    rows.push_back({{"cells", std::move(cells)}, {"quality", to_string(row.quality)}});
    if (!row.link.empty()) rows.back()["link"] = row.link;
  }
  return {{"kind", "table"},
          {"title", table.title},
          {"columns", std::move(columns)},
          {"rows", std::move(rows)},
          {"note", table.note}};
}

Json to_json(const Findings& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings.findings)
    list.push_back({{"severity", kdyn::to_string(finding.severity)},
                    {"code", finding.code},
                    {"where", finding.where},
                    {"message", finding.message},
                    {"remedy", finding.remedy}});
  return {{"kind", "findings"}, {"findings", std::move(list)}, {"when_empty", findings.when_empty}};
}

Json to_json(const Heatmap& map) {
  demand(map.values.size() == map.row_names.size(), "a heat map has one name for each row");
  Json values = Json::array();
  for (const auto& row : map.values) {
    demand(row.size() == map.column_names.size(), "a heat map has one name for each column");
    Json numbers = Json::array();
    for (const double value : row) numbers.push_back(plotted(value));
    values.push_back(std::move(numbers));
  }
  return {{"kind", "heatmap"},           {"title", map.title},
          {"row_names", map.row_names},  {"column_names", map.column_names},
          {"values", std::move(values)}, {"lower", map.lower},
          {"upper", map.upper},          {"scale", map.scale == ColourScale::diverging ? "diverging" : "sequential"},
          {"decimals", map.decimals},    {"caption", map.caption}};
}

// Three numbers per point in one flat list: half the size of nested ones.
Json flat(const std::vector<std::array<double, 3>>& vectors) {
  Json out = Json::array();
  for (const auto& v : vectors)
    for (const double component : v) out.push_back(plotted(component));
  return out;
}

// Displacements of a picture to a ten-thousandth of the largest: more digits are not seen and make reports large.
std::vector<std::array<double, 3>> rounded(std::vector<std::array<double, 3>> vectors, double largest) {
  if (!(largest > 0.0) || !std::isfinite(largest)) return vectors;
  const double steps = std::pow(10.0, 4.0 - std::floor(std::log10(largest)));
  for (auto& v : vectors)
    for (double& component : v) component = std::round(component * steps) / steps;
  return vectors;
}

double largest_component(const AnimatedShape& shape) {
  double largest = 0.0;
  for (const auto* vectors : {&shape.real, &shape.imaginary})
    for (const auto& v : *vectors)
      for (const double component : v) largest = std::max(largest, std::abs(component));
  return largest;
}

Json to_json(const Animation& animation) {
  const std::size_t count = animation.points.size();
  demand(animation.point_names.empty() || animation.point_names.size() == count,
         "an animation has one name for each point or none");
  Json lines = Json::array(), shapes = Json::array();
  const auto exists = [count](int index) { return index >= 0 && static_cast<std::size_t>(index) < count; };
  for (const auto& line : animation.lines) {
    demand(exists(line[0]) && exists(line[1]), "the ends of a line of an animation exist");
    lines.push_back(line[0]);
    lines.push_back(line[1]);
  }
  Json surfaces = Json::array();
  for (const AnimatedSurface& surface : animation.surfaces) {
    Json triangles = Json::array();
    for (const auto& triangle : surface.triangles)
      for (const int corner : triangle) {
        demand(exists(corner), "the corners of a triangle of an animation exist");
        triangles.push_back(corner);
      }
    surfaces.push_back({{"name", surface.name}, {"triangles", std::move(triangles)}});
  }
  for (const int point : animation.marked) demand(exists(point), "a marked point of an animation exists");
  for (const AnimatedShape& shape : animation.shapes) {
    demand(shape.real.size() == count && (shape.imaginary.empty() || shape.imaginary.size() == count),
           "a shape of an animation moves every point");
    const double largest = largest_component(shape);
    shapes.push_back({{"name", shape.name},
                      {"real", flat(rounded(shape.real, largest))},
                      {"imaginary", flat(rounded(shape.imaginary, largest))}});
  }
  demand(animation.frames.size() == animation.times.size(), "a moving picture has one frame for each time");
  Json frames = Json::array();
  for (const auto& frame : animation.frames) {
    demand(frame.size() == count, "a frame of an animation places every point");
    frames.push_back(flat(frame));
  }
  for (const int line : animation.dashed)
    demand(line >= 0 && static_cast<std::size_t>(line) < animation.lines.size(),
           "a dashed line of an animation exists");
  Json forces = Json::array();
  for (const AnimatedForce& force : animation.forces) {
    demand(exists(force.point) && force.force.size() == animation.frames.size(),
           "a force of an animation has a point and a value for each frame");
    forces.push_back({{"name", force.name}, {"point", force.point}, {"force", flat(force.force)}});
  }
  return {{"kind", "animation"},
          {"title", animation.title},
          {"points", flat(animation.points)},
          {"point_names", animation.point_names},
          {"lines", std::move(lines)},
          {"surfaces", std::move(surfaces)},
          {"dashed", animation.dashed},
          {"marked", animation.marked},
          {"shapes", std::move(shapes)},
          {"times", animation.times},
          {"frames", std::move(frames)},
          {"forces", std::move(forces)},
          {"magnification", animation.magnification},
          {"caption", animation.caption},
          {"height_px", animation.height_px}};
}

Json to_json(const Text& text) { return {{"kind", "text"}, {"text", text.text}}; }

Json to_json(const std::vector<Block>& blocks);

Json to_json(const Details& details) {
  return {{"kind", "details"},
          {"title", details.title},
          {"preformatted", details.preformatted},
          {"blocks", to_json(details.blocks)}};
}

Json to_json(const std::vector<Block>& blocks) {
  Json out = Json::array();
  for (const Block& block : blocks)
    out.push_back(std::visit([](const auto& content) { return to_json(content); }, block.content));
  return out;
}

// "Use of the model" -> "use_of_the_model".
std::string id_of(const std::string& title) {
  std::string id;
  for (const char c : title)
    if (std::isalnum(static_cast<unsigned char>(c)))
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!id.empty() && id.back() != '_')
      id += '_';
  while (!id.empty() && id.back() == '_') id.pop_back();
  return id;
}

}  // namespace

Json to_json(const Document& document) {
  Json figures = Json::array();
  for (const KeyFigure& figure : document.key_figures)
    figures.push_back({{"label", figure.label},
                       {"value", to_json(figure.value)},
                       {"unit", figure.unit},
                       {"quality", to_string(figure.quality)},
                       {"note", figure.note},
                       {"digits", figure.digits}});
  Json sections = Json::array();
  for (const Section& section : document.sections)
    sections.push_back({{"id", section.id.empty() ? id_of(section.title) : section.id},
                        {"title", section.title},
                        {"lead", section.lead},
                        {"blocks", to_json(section.blocks)}});
  Json provenance = Json::array();
  for (const auto& [name, value] : document.provenance) provenance.push_back({{"name", name}, {"value", value}});
  return {{"title", document.title},         {"subtitle", document.subtitle},
          {"created", document.created},     {"key_figures", std::move(figures)},
          {"sections", std::move(sections)}, {"provenance", std::move(provenance)}};
}

}  // namespace kdyn::report
