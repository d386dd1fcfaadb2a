// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/array_tables.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/internal/column_names.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"

namespace kdyn::inline io::internal {
namespace {

// "bench.x.force_n" -> "bench.x" and "force_n".
std::pair<std::string, std::string> split_place(const std::string& name) {
  const auto dot = name.find_last_of("./");
  return dot == std::string::npos ? std::pair(std::string(), name)
                                  : std::pair(name.substr(0, dot), name.substr(dot + 1));
}

using Shape = std::pair<std::size_t, std::size_t>;

Shape shape_of_array(const MatArray& array) {
  if (array.shape.size() != 2 || array.count() != array.shape[0] * array.shape[1] || array.count() == 0) return {0, 0};
  return {array.shape[0], array.shape[1]};
}

// The value that most arrays have; {0, 0} when there is none.
Shape most_common(const std::vector<Shape>& shapes) {
  std::map<Shape, std::size_t> counts;
  Shape best{0, 0};
  for (const Shape& shape : shapes)
    if (++counts[shape] > counts[best]) best = shape;
  return best;
}

// One struct or group.
class ArrayTable {
 public:
  ArrayTable(const MatFile& file, const std::string& place) {
    table_.file = file.name;
    table_.sheet = place;
    std::vector<Shape> grids, vectors;
    for (const MatArray& array : file.arrays) {
      const auto [where, name] = split_place(array.name);
      if (where != place) continue;
      if (array.matlab_class == "char") {
        if (!array.text.empty()) texts_.emplace_back(name, array.text);
        continue;
      }
      const auto [rows, columns] = shape_of_array(array);
      if (rows == 0 || array.matlab_class == "sparse") continue;
      arrays_.emplace_back(array.unit.empty() ? name : fmt::format("{} [{}]", name, array.unit), &array);
      if (rows > 1 && columns > 1) grids.push_back({rows, columns});
      if ((rows == 1) != (columns == 1)) vectors.push_back({rows * columns, 1});
    }
    const Shape grid = most_common(grids), vector = most_common(vectors);
    const bool by_grid = grid.first > 0 && has_vector(grid.first) && has_vector(grid.second);
    if (by_grid)
      lay_out(grid);
    else if (vector.first > 1)
      lay_out({vector.first, 1});
  }

  bool empty() const { return table_.rows() == 0; }
  DataTable take() { return std::move(table_); }

 private:
  bool has_vector(std::size_t count) const {
    return std::any_of(arrays_.begin(), arrays_.end(), [&](const auto& one) {
      const auto [rows, columns] = shape_of_array(*one.second);
      return (rows == 1) != (columns == 1) && rows * columns == count;
    });
  }

  // Which element of the array belongs to (row, column) of the grid; nothing when it does not run along it.
  static std::optional<std::pair<std::size_t, std::size_t>> strides(const MatArray& array, const Shape& grid) {
    const auto [rows, columns] = shape_of_array(array);
    if (rows == grid.first && columns == grid.second) return {{1, grid.first}};
    if ((rows == 1) == (columns == 1)) return std::nullopt;
    const std::size_t count = rows * columns;
    if (grid.second == 1)
      return count == grid.first ? std::optional(std::pair(std::size_t{1}, std::size_t{0})) : std::nullopt;
    const bool along_rows = count == grid.first && (grid.first != grid.second || columns == 1);
    if (along_rows) return {{1, 0}};
    if (count == grid.second) return {{0, 1}};
    return std::nullopt;
  }

  void add_number(std::size_t column, const MatArray& array, std::size_t index) {
    if (!array.is_complex)
      return table_.add(column, CellKind::number, array.real[index], fmt::format("{}", array.real[index]));
    const std::complex<double> z = array.complex[index];
    table_.add(column, CellKind::text, 0.0, fmt::format("{}{:+}i", z.real(), z.imag()));
  }

  void lay_out(const Shape& grid) {
    if (grid.first * grid.second * arrays_.size() > DataTable::most_cells) return;
    std::size_t line = 1;
    for (const auto& [name, text] : texts_) {
      table_.begin_row(line++, true);
      table_.add(0, CellKind::text, 0.0, name);
      table_.add(1, CellKind::text, 0.0, text);
    }
    std::vector<std::pair<const MatArray*, std::pair<std::size_t, std::size_t>>> columns;
    std::vector<std::string> names;
    for (const auto& [name, array] : arrays_) {
      if (array->count() == 1 && !array->is_complex) {
        table_.begin_row(line++, true);
        table_.add(0, CellKind::text, 0.0, name);
        add_number(1, *array, 0);
      } else if (const auto stride = strides(*array, grid)) {
        columns.emplace_back(array, *stride);
        names.push_back(name);
      }
    }
    table_.begin_row(line++);
    for (std::size_t c = 0; c < names.size(); ++c) table_.add(c, CellKind::text, 0.0, names[c]);
    for (std::size_t j = 0; j < grid.second; ++j)
      for (std::size_t i = 0; i < grid.first; ++i) {
        table_.begin_row(line++);
        for (std::size_t c = 0; c < columns.size(); ++c)
          add_number(c, *columns[c].first, i * columns[c].second.first + j * columns[c].second.second);
      }
  }

  DataTable table_;
  std::vector<std::pair<std::string, const MatArray*>> arrays_;
  std::vector<std::pair<std::string, std::string>> texts_;
};

MatArray column_array(std::string name, std::vector<double> values) {
  MatArray array;
  array.name = std::move(name);
  array.matlab_class = "double";
  array.shape = {values.size(), 1};
  array.real = std::move(values);
  return array;
}

// "m/s^2" -> "m_per_s2": a unit at the end of a plain name.
std::string unit_word(const std::string& unit) {
  std::string out;
  for (const char c : lower_case(unit)) {
    if (c == '/')
      out += "_per_";
    else if (c != '^' && c != '*')
      out += c;
  }
  return out;
}

}  // namespace

std::vector<DataTable> tables_of_arrays(const MatFile& file) {
  std::vector<std::string> places;
  std::set<std::string> known;
  for (const MatArray& array : file.arrays)
    if (const std::string place = split_place(array.name).first; known.insert(place).second) places.push_back(place);
  constexpr std::size_t most_places = 200;
  std::vector<DataTable> out;
  for (std::size_t i = 0; i < std::min(places.size(), most_places); ++i)
    if (ArrayTable one(file, places[i]); !one.empty()) out.push_back(one.take());
  return out;
}

MatFile arrays_of(const BenchFile& bench) {
  // The CSV that kdyn writes names and scales the columns; its numbers give the doubles back.
  const std::string csv = bench.kind == BenchKind::map           ? map_csv(bench.map)
                          : bench.kind == BenchKind::static_loop ? static_csv(bench.loop)
                                                                 : series_csv(bench.series);
  const DataTable table = read_text_table(csv, "");
  MatFile out;
  for (std::size_t c = 0; c < table.columns(0); ++c) {
    std::vector<double> values;
    for (std::size_t r = 1; r < table.rows(); ++r) {
      const auto number = parse_number(table.at(r, c).text);
      demand(number.has_value(), "kdyn writes numbers");
      values.push_back(*number);
    }
    out.arrays.push_back(column_array(std::string(table.at(0, c).text), std::move(values)));
  }
  return out;
}

MatFile arrays_of(SignalSet set, const std::string& path, std::vector<Finding>& findings) {
  MatFile out;
  std::vector<std::string> changed;
  if (set.signals.empty()) return out;
  const Signal& first = set.signals.front();
  for (const Signal& signal : set.signals)
    if (signal.values.size() != first.values.size() || signal.step_s != first.step_s || signal.start_s != first.start_s)
      throw_bad_input(path, "the signals differ in length or sampling and do not share one vector of times",
                      "convert to .uff or .h5, or choose signals of one rate with --channels");
  std::vector<double> times(first.values.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = first.start_s + static_cast<double>(i) * first.step_s;
  out.arrays.push_back(column_array("time_s", std::move(times)));
  for (Signal& signal : set.signals) {
    std::string name;
    for (const char c : signal.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) name = "signal_" + name;
    if (name != signal.name) changed.push_back(in_quotes(signal.name));
    const std::string with_unit = signal.unit.empty() ? name : name + "_" + unit_word(signal.unit);
    const auto read = parse_unit(split_name_and_unit(with_unit).unit), meant = parse_unit(signal.unit);
    if (meant && !(read && read->same_dimension(*meant) && read->to_si == meant->to_si))
      findings.push_back(
          {Severity::warning, "lost", path,
           fmt::format("the unit {} of {} cannot stand in a name and was lost", signal.unit, in_quotes(signal.name)),
           "use .h5 or .uff to keep it"});
    std::string unique = with_unit;
    for (int n = 2; out.find(unique) != nullptr; ++n)
      unique = fmt::format("{}_{}", name, n) + with_unit.substr(name.size());
    out.arrays.push_back(column_array(std::move(unique), std::move(signal.values)));
  }
  if (!changed.empty())
    findings.push_back(
        {Severity::note, "names_changed", path,
         fmt::format("names became plain ones: {}{}",
                     join({changed.begin(),
                           changed.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(changed.size(), 5))},
                          ", "),
                     changed.size() > 5 ? ", ..." : ""),
         "use .h5 or .uff to keep them"});
  return out;
}

std::string hdf5_of_arrays(const MatFile& file) {
  std::vector<H5Item> items;
  for (const MatArray& array : file.arrays) {
    H5Item item;
    item.path = "/" + array.name;
    item.shape = {array.real.size()};
    item.numbers = array.real;
    items.push_back(std::move(item));
  }
  return hdf5_bytes(std::move(items), false);
}

}  // namespace kdyn::inline io::internal
