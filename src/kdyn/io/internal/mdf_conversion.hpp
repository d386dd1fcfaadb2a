// SPDX-License-Identifier: Apache-2.0
// Conversions of MDF 4 (CC blocks): raw value to physical value or text.
//
// Linear, rational, tables (interpolated, nearest, ranges), texts by value, by range and by text, formulas of the four
// operations with functions. The default of a text table may be another conversion: such channels hold numbers, with
// texts at some samples. A conversion that kdyn cannot follow exactly is refused with its name; nobody gets raw values
// for physical ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/io/internal/mdf_blocks.hpp"

namespace kdyn::inline io::internal {

struct MdfResult {
  double number = 0.0;
  const std::string* text = nullptr;  // set: the result is this text
  bool none = false;                  // neither: no entry of the table fits and there is no default
};

class MdfConversion {
 public:
  enum Type {
    identity,
    linear,
    rational,
    algebraic,
    interpolated,
    nearest,
    range_value,
    value_text,
    range_text,
    text_value,
    text_text,
    bitfield
  };

  // Throws Error(bad_input) that names the block when it is damaged or not supported.
  static std::shared_ptr<const MdfConversion> read(MdfFile& file, std::uint64_t offset, int depth = 0);

  Type type() const { return type_; }
  const std::string& unit() const { return unit_; }
  bool gives_number() const { return gives_number_; }  // for numbers in: at least at some samples
  bool gives_text() const { return gives_text_; }

  // `whole`: the raw value is an integer; ranges then include their upper end.
  MdfResult of(double raw, bool whole) const;
  MdfResult of(const std::string& raw) const;
  // In place, for the conversions that give numbers only.
  void apply(double* values, std::size_t count, bool whole) const;

 private:
  struct Reference {
    std::optional<std::string> text;
    std::shared_ptr<const MdfConversion> conversion;
  };
  MdfResult refer(const Reference& reference, double raw, bool whole) const;
  std::size_t range_of(double raw, bool whole) const;  // index of the range, or ranges
  double interpolate(double raw) const;

  Type type_ = identity;
  std::string unit_;
  bool gives_number_ = true, gives_text_ = false;
  std::vector<double> v_;
  std::vector<Reference> references_;
  std::vector<std::pair<double, std::size_t>> sorted_;  // values of a text table, in order
  bool ordered_ = false;                                // ranges rise and do not overlap
  std::function<double(double)> formula_;
};

// A formula in X with + - * / ( ), numbers and functions of one argument; throws Error(bad_input) at `where` otherwise.
std::function<double(double)> parse_mdf_formula(const std::string& text, const std::string& where);

}  // namespace kdyn::inline io::internal
