// SPDX-License-Identifier: Apache-2.0
// Rows of a header, looked at once: what stands in or over each column.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/internal/header_names.hpp"
#include "kdyn/io/internal/table_blocks.hpp"

namespace kdyn::inline io::internal {

class HeaderRows {
 public:
  HeaderRows(const DataTable& table, const TableBlock& block, Decimal decimal)
      : table_(table),
        block_(block),
        decimal_(decimal) {}
  void read(std::size_t columns);

  // The text of a cell, or of the merged range it lies in.
  std::string_view text(std::size_t row, std::size_t column) const;
  // The same where names are written once for several columns: "Kdyn;;;delta;;" above "0.05;0.1;0.2;0.05;0.1;0.2".
  std::string spread(std::size_t row, std::size_t column) const;
  // A number in a header row: its quantity and unit stand left of it ("Amplitude [mm]; 0.1; 0.2").
  std::optional<HeaderLevel> level(std::size_t row, std::size_t column, const std::string& number) const;

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  struct Row {
    std::vector<std::string_view> texts;  // by column
    std::vector<std::size_t> left;        // the nearest column to the left that has a text, behind the first one
    std::deque<std::string> numbers;      // what texts of numbers point at
    std::size_t lead = none;              // the column that says what the numbers to its right are
    HeaderLevel lead_level;               // for a number of 1
  };
  void read_texts(std::size_t row, std::size_t columns, Row& out) const;
  void find_lead(std::size_t row, Row& out) const;

  const DataTable& table_;
  const TableBlock& block_;
  Decimal decimal_;
  std::map<std::size_t, Row> rows_;
};

}  // namespace kdyn::inline io::internal
