// SPDX-License-Identifier: Apache-2.0
// How findings, parameters and sources stand in results.
#include "kdyn/base/field.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/dof_field.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"

namespace kdyn::inline data {

const FieldTable& fields_of(const Finding*) {
  using F = Finding;
  static const FieldTable table = FieldTable::results<F>("finding", [](FieldTable& t) {
    t.add(&F::severity, "severity", "-", "How much it matters").one_of({"note", "warning", "serious"});
    t.add(&F::code, "code", "-", "Short stable name");
    t.add(&F::where, "where", "-", "File, file:line or field");
    t.add(&F::message, "message", "-", "What was seen");
    t.add(&F::remedy, "remedy", "-", "What to do");
  });
  return table;
}

const FieldTable& fields_of(const ParameterEstimate*) {
  using P = ParameterEstimate;
  static const FieldTable table = FieldTable::results<P>("parameter", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Name").unless_empty();
    t.add(&P::value, "value", "as unit says", "Value; null: absent");
    t.add(&P::unit, "unit", "-", "SI unit");
    t.add(&P::std, "std", "as unit says", "Standard deviation; 0 when fixed, null when the data do not determine it");
    t.add(&P::lower_95, "lower_95", "as unit says", "Lower end of the 95 % confidence interval");
    t.add(&P::upper_95, "upper_95", "as unit says", "Upper end of the 95 % confidence interval");
    t.add(&P::status, "status", "-", "Where the value is from").one_of({"free", "fixed", "derived"});
    t.add(&P::meaning, "meaning", "-", "What it is").archive_only();
  });
  return table;
}

const FieldTable& fields_of(const UnitConversion*) {
  using C = UnitConversion;
  static const FieldTable table = FieldTable::results<C>("unit conversion", [](FieldTable& t) {
    t.add(&C::column, "column", "-", "Column or channel");
    t.add(&C::unit, "unit", "-", "Unit in the file");
    t.add(&C::si_unit, "si_unit", "-", "Unit it was converted to");
    t.add(&C::factor, "factor", "-", "What it was multiplied by");
  });
  return table;
}

const FieldTable& fields_of(const Source*) {
  static const FieldTable table = FieldTable::results<Source>("source", [](FieldTable& t) {
    t.add(&Source::path, "path", "-", "File that was read");
    t.add(&Source::sha256, "sha256", "-", "Hash of its content");
    t.add(&Source::conversions, "conversions", "-", "Units that were converted").unless_empty();
    t.add(&Source::sheet, "sheet", "-", "Sheet or block of a file with several").unless_empty();
    t.add(&Source::mapping, "mapping", "-", "Column that each quantity was read from").unless_empty();
  });
  return table;
}

}  // namespace kdyn::inline data
