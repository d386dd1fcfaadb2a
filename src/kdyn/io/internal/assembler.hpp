// SPDX-License-Identifier: Apache-2.0
// One part of a block of columns, of one direction and one level of the header: what it holds is told apart, brought to
// SI and written into measurements. A helper of bench_assembly.cpp, in files by subject: units, maps, samples.
#pragma once

#include <complex>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kdyn/io/internal/bench_assembly.hpp"

namespace kdyn::inline io::internal {

// The values of a quantity in SI: a column, a level of the header or a constant.
struct Supply {
  const DataColumn* column = nullptr;
  std::string unit;
  double factor = 1.0, constant = 0.0, offset = 0.0;
  double at(std::size_t row) const { return column != nullptr ? column->values[row] * factor + offset : constant; }
};

class Assembler {
 public:
  // With `alone` no other part shares the columns of the block, and long ones are moved rather than copied.
  Assembler(DataBlock& block, const DataTable& table, const BenchReadOptions& options,
            std::vector<const DataColumn*> columns, const std::optional<HeaderLevel>& level, std::string direction,
            bool alone, std::vector<Finding>& findings);

  BenchKind kind() const;  // throws when it is no bench measurement
  void fill(BenchKind kind, std::vector<BenchSet>& sets);

 private:
  // assembler.cpp: which columns serve
  bool has(Quantity q) const { return supply_.contains(q); }
  const DataColumn* column(Quantity q) const {
    const auto it = supply_.find(q);
    return it == supply_.end() ? nullptr : it->second.column;
  }
  // What a map still lacks; empty when it is one.
  std::vector<std::string> missing(BenchKind kind) const;
  // A full name wins over a short one; two full names are not for kdyn to choose from.
  void choose(const DataColumn& candidate);
  void keep_needed(BenchKind kind);
  void tell_open_names();
  void tell_static_position();
  void note(const char* code, const std::string& where, std::string message, std::string remedy,
            Severity severity = Severity::note);
  [[noreturn]] void refuse(Quantity q, std::size_t row, const char* rule) const;
  std::string place_of(Quantity q, std::size_t row) const;
  // Maps of one table that belong to the same part and direction are one map.
  static void add(BenchSet&& set, std::vector<BenchSet>& sets);
  std::vector<std::size_t> every_row() const;

  // assembler_units.cpp
  std::string unit_of(Quantity q, const DataColumn& column);
  // Sets factor and offset to degrees Celsius; false for another unit.
  static bool temperature_scale(Supply& supply);
  void settle_units();
  void tell_conversions();

  // assembler_map.cpp
  // "K" beside "C" is the real part, "Kdyn" and "K*" are magnitudes.
  bool magnitude_by_name() const;
  std::complex<double> stiffness(std::size_t i) const;
  // Several descriptions of one stiffness must agree.
  void check_redundant(const std::vector<std::size_t>& rows);
  void fill_map(const std::vector<std::size_t>& rows, BenchSet& set);
  double positive(Quantity q, std::size_t i) const;
  void tell_gaps(const std::vector<std::size_t>& gaps, const std::set<std::string>& columns, std::size_t rows);

  // assembler_samples.cpp: static loops and time records
  void fill_samples(BenchKind kind, const std::vector<std::size_t>& rows, BenchSet& set);
  bool move_samples(BenchKind kind, BenchSet& set);
  void store(BenchKind kind, std::vector<double>&& t, std::vector<double>&& x, std::vector<double>&& f,
             LineNumbers&& lines, BenchSet& set) const;

  DataBlock& block_;
  const DataTable& table_;
  const BenchReadOptions& options_;
  std::vector<const DataColumn*> columns_;
  std::string direction_;
  bool alone_;
  std::vector<Finding>& findings_;
  std::map<Quantity, Supply> supply_;
  std::map<Quantity, std::string> constant_places_;
  std::set<Quantity> redundant_;
  std::vector<UnitConversion> conversions_;
  std::vector<ColumnUse> mapping_;
  AxisKind axis_ = AxisKind::translation;
};

}  // namespace kdyn::inline io::internal
