// SPDX-License-Identifier: Apache-2.0
// Datasets of geometry: nodes (15, 2411), coordinate systems (18, 2420), trace lines (82), elements (2412).
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/uff_reader.hpp"

namespace kdyn::inline io::internal {
namespace {

constexpr std::int64_t largest_label = std::int64_t{1} << 52;

bool is_label(std::int64_t value) { return value >= 0 && value <= largest_label; }
int whole(std::int64_t value) {
  return static_cast<int>(
      std::clamp<std::int64_t>(value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}

// Numbers of exactly `count`, over as many records as they take.
bool take_numbers(UffRecords& records, std::size_t count, std::vector<double>& values, const char* what) {
  values.clear();
  std::string_view text;
  while (values.size() < count) {
    if (!records.need(text, what)) return false;
    const std::size_t before = values.size();
    if (!append_numbers(text, values))
      return records.bad(fmt::format("{} should be numbers, not {}", what, in_quotes(trim(text))));
    if (values.size() == before) return records.bad(fmt::format("an empty record where {} are expected", what));
  }
  if (values.size() > count)
    records.complain(Severity::warning, "too_many_values", fmt::format("more values than {} holds", what),
                     "compare with the writer");
  return true;
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

// Local axes from three points: origin, a point on +x, a point in the +xz plane (18).
bool axes_from_points(const std::vector<double>& p, CoordinateSystem& system) {
  const auto difference = [&](std::size_t a, std::size_t b) {
    return std::array<double, 3>{p[a] - p[b], p[a + 1] - p[b + 1], p[a + 2] - p[b + 2]};
  };
  const auto cross = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::array<double, 3>{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto normalise = [](std::array<double, 3>& a) {
    const double size = std::hypot(a[0], a[1], a[2]);
    for (double& value : a) value /= size;
    return size > 1e-300 && std::isfinite(size);
  };
  std::array<double, 3> x = difference(3, 0), y = cross(difference(6, 0), x);
  if (!normalise(x) || !normalise(y)) return false;
  const std::array<double, 3> z = cross(x, y);
  for (std::size_t i = 0; i < 3; ++i) system.R_GL[i] = {x[i], y[i], z[i]}, system.p_GL_G[i] = p[i];
  return true;
}

}  // namespace

void read_uff_15(UffRecords& records) {
  std::string_view text;
  while (records.next(text)) {
    if (trim(text).empty()) continue;
    // 4I10, 3E13.5: by columns, since coordinates may touch the colour; by words where columns do not fit.
    std::array<std::int64_t, 4> numbers{};
    std::vector<double> position;
    bool good = true;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto value = field_integer(columns(text, 10 * i, 10));
      good = good && value.has_value();
      numbers[i] = value.value_or(0);
    }
    good = good && append_numbers(columns(text, 40, text.size()), position) && position.size() == 3;
    if (!good) {
      std::vector<double> all;
      good =
          append_numbers(text, all) && all.size() == 7 && finite(all) &&
          std::all_of(all.begin(), all.begin() + 4, [](double v) { return std::abs(v) < 1e15 && v == std::floor(v); });
      if (good) {
        for (std::size_t i = 0; i < 4; ++i) numbers[i] = static_cast<std::int64_t>(all[i]);
        position.assign(all.begin() + 4, all.end());
      }
    }
    if (!good || !is_label(numbers[0]) || !finite(position)) {
      records.bad(fmt::format("a node needs 4 whole numbers and 3 coordinates, not {}", in_quotes(trim(text))));
      continue;
    }
    records.file().geometry.nodes.push_back(
        {numbers[0], {position[0], position[1], position[2]}, numbers[2], numbers[1], whole(numbers[3])});
  }
}

void read_uff_2411(UffRecords& records) {
  std::string_view text;
  std::vector<double> position;
  while (records.next(text)) {
    if (trim(text).empty()) continue;
    const auto numbers = integer_fields(text, 10);
    if (!numbers || numbers->empty() || !is_label((*numbers)[0])) {
      records.bad(fmt::format("a node's label is expected, not {}", in_quotes(trim(text))));
      return;
    }
    if (!take_numbers(records, 3, position, "the coordinates of a node")) return;
    if (!finite(position)) {
      records.bad("a coordinate is not finite");
      continue;
    }
    const auto at = [&](std::size_t i) { return i < numbers->size() ? (*numbers)[i] : 0; };
    records.file().geometry.nodes.push_back(
        {at(0), {position[0], position[1], position[2]}, at(2), at(1), whole(at(3))});
  }
}

void read_uff_2412(UffRecords& records) {
  std::string_view text;
  while (records.next(text)) {
    if (trim(text).empty()) continue;
    const auto numbers = integer_fields(text, 10);
    if (!numbers || numbers->size() < 6 || !is_label((*numbers)[0]) || (*numbers)[5] < 0) {
      records.bad(fmt::format("an element needs 6 whole numbers, not {}", in_quotes(trim(text))));
      return;
    }
    GeometryElement element;
    element.label = (*numbers)[0], element.type = whole((*numbers)[1]);
    element.property = (*numbers)[2], element.material = (*numbers)[3], element.color = whole((*numbers)[4]);
    const auto count = static_cast<std::uint64_t>((*numbers)[5]);
    const bool beam = element.type == 11 || (element.type >= 21 && element.type <= 24);
    if (beam) {
      if (!records.need(text, "the orientation of a beam")) return;
      const auto orientation = integer_fields(text, 10);
      if (!orientation || orientation->empty()) {
        records.bad("the orientation of a beam should be whole numbers");
        return;
      }
      for (std::size_t i = 0; i < 3 && i < orientation->size(); ++i) element.beam[i] = (*orientation)[i];
    }
    while (element.nodes.size() < count) {
      if (!records.need(text, "the nodes of an element")) return;
      const auto nodes = integer_fields(text, 10);
      if (!nodes || nodes->empty()) {
        records.bad("the nodes of an element should be whole numbers");
        return;
      }
      element.nodes.insert(element.nodes.end(), nodes->begin(), nodes->end());
    }
    if (element.nodes.size() > count) {
      records.complain(
          Severity::warning, "wrong_count",
          fmt::format("element {} announces {} nodes and has {}", element.label, count, element.nodes.size()),
          "compare with the writer; all nodes were kept");
    }
    records.file().geometry.elements.push_back(std::move(element));
  }
}

void read_uff_82(UffRecords& records) {
  std::string_view text;
  while (records.next(text)) {
    if (trim(text).empty()) continue;
    const auto numbers = integer_fields(text, 10);
    if (!numbers || numbers->size() < 2 || (*numbers)[1] < 0) {
      records.bad(fmt::format("a trace line needs its number and its count of nodes, not {}", in_quotes(trim(text))));
      return;
    }
    TraceLine line;
    line.label = (*numbers)[0];
    line.color = numbers->size() > 2 ? whole((*numbers)[2]) : 0;
    const auto count = static_cast<std::uint64_t>((*numbers)[1]);
    if (!records.need(text, "the name of a trace line")) return;
    line.name = to_utf8(trim(text.substr(0, 200)));
    while (line.nodes.size() < count) {
      if (!records.next(text)) {
        records.complain(
            Severity::warning, "wrong_count",
            fmt::format("trace line {} announces {} nodes and has {}", in_quotes(line.name), count, line.nodes.size()),
            "the nodes that are there were kept");
        break;
      }
      const auto nodes = integer_fields(text, 10);
      if (!nodes || nodes->empty()) {
        records.bad("the nodes of a trace line should be whole numbers");
        break;
      }
      line.nodes.insert(line.nodes.end(), nodes->begin(), nodes->end());
    }
    // The last record is filled up with zeros.
    if (line.nodes.size() > count) line.nodes.resize(count);
    records.file().geometry.lines.push_back(std::move(line));
  }
}

namespace {

// Label, kind and, in the next record, name; `text` is the first of the two.
bool take_system_head(UffRecords& records, std::string_view text, CoordinateSystem& system) {
  const auto numbers = integer_fields(text, 10);
  if (!numbers || numbers->size() < 2 || (*numbers)[1] < 0 || (*numbers)[1] > 2) {
    records.bad(
        fmt::format("a coordinate system needs its label and its kind 0, 1 or 2, not {}", in_quotes(trim(text))));
    return false;
  }
  system.label = (*numbers)[0];
  system.kind = static_cast<CoordinateKind>((*numbers)[1]);
  if (!records.need(text, "the name of a coordinate system")) return false;
  system.name = to_utf8(trim(text.substr(0, 200)));
  return true;
}

}  // namespace

void read_uff_18(UffRecords& records) {
  std::string_view text;
  std::vector<double> points;
  while (records.next(text)) {
    if (trim(text).empty()) continue;
    CoordinateSystem system;
    if (!take_system_head(records, text, system)) return;
    if (!take_numbers(records, 9, points, "the three points of a coordinate system")) return;
    if (!finite(points) || !axes_from_points(points, system)) {
      records.bad(fmt::format("the points of coordinate system {} lie on one line", system.label));
      continue;
    }
    records.file().geometry.systems.push_back(std::move(system));
  }
}

void read_uff_2420(UffRecords& records) {
  std::string_view text;
  if (!records.need(text, "the part number") || !records.need(text, "the part name")) return;
  if (records.file().geometry.name.empty()) records.file().geometry.name = to_utf8(trim(text.substr(0, 200)));
  std::vector<double> matrix;
  while (records.next(text)) {
    if (trim(text).empty()) continue;
    CoordinateSystem system;
    if (!take_system_head(records, text, system)) return;
    if (!take_numbers(records, 12, matrix, "the matrix of a coordinate system")) return;
    if (!finite(matrix)) {
      records.bad("the matrix of a coordinate system is not finite");
      continue;
    }
    // Rows are the local axes in global components, then the origin.
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 3; ++k) system.R_GL[i][k] = matrix[3 * k + i];
      system.p_GL_G[i] = matrix[9 + i];
    }
    records.file().geometry.systems.push_back(std::move(system));
  }
}

}  // namespace kdyn::inline io::internal
