// SPDX-License-Identifier: Apache-2.0
// Field tables: each struct describes its fields once (name, unit, bounds, default, meaning). JSON, command-line flags, the schema,
// report tables and optimiser scaling are read from that table and from nothing else.
//
//   template <> const FieldTable& field_table<RigOptions>() {
//     static const FieldTable table = FieldTable::of<RigOptions>("rig", [](auto& t) {
//       t.add(&RigOptions::seed, "seed", "-", "Seed of the noise").range(0, 1e15);
//     });
//     return table;
//   }
//
// Member types and what they are in JSON:
//   double number | optional<double> number or null | int, int64_t whole number | bool | string | enum (name from choices)
//   vector<double> | vector<string> | Curve [[x, y], ...] | map<string, double> | map<string, pair<double, double>> | Json anything
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kdyn/base/curve.hpp"

namespace kdyn {

using Json = nlohmann::ordered_json;

enum class FieldKind { number, optional_number, integer, flag, text, choice, numbers, texts, curve, number_map, range_map, any };

struct Field {
  std::string name, unit, meaning;
  FieldKind kind = FieldKind::number;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;  // the bound itself is not allowed
  bool positional = false;  // command line: taken from the words without a flag
  bool required = false;
  std::vector<std::string> choices;
  std::vector<std::string> aliases;

  // The field passes itself, so that a choice can look its names up.
  std::function<void(const Field&, const void*, Json&)> get;
  std::function<void(const Field&, void*, const Json&, const std::string& where)> set;

  Field& range(double lo, double hi) { return lower = lo, upper = hi, *this; }
  Field& above(double lo) { return lower = lo, lower_open = true, *this; }
  Field& at_least(double lo) { return lower = lo, *this; }
  Field& one_of(std::vector<std::string> names) { return choices = std::move(names), *this; }
  Field& alias(std::string other) { return aliases.push_back(std::move(other)), *this; }
  Field& from_words() { return positional = true, *this; }
  Field& must_be_given() { return required = true, *this; }

  std::string rule() const;  // "a number > 0", "one of masing, g4"
};

// Throws Error(bad_input) when a number is not finite or breaks the bounds of its field.
void check_bounds(const Field& field, double value, const std::string& where);

class FieldTable {
 public:
  template <class S, class Describe>
  static FieldTable of(std::string subject, Describe&& describe) {
    FieldTable table;
    table.subject_ = std::move(subject);
    describe(table);
    const S defaults{};
    table.remember_defaults(&defaults);
    return table;
  }

  template <class S, class M>
  Field& add(M S::*member, std::string name, std::string unit, std::string meaning);

  // Takes the fields of a described member as if they were the object's own.
  template <class S, class M>
  void include(M S::*member, const FieldTable& inner);

  const std::string& subject() const { return subject_; }
  const std::vector<Field>& fields() const { return fields_; }
  const Field* find(const std::string& name) const;  // by name or alias
  std::vector<std::string> names() const;

  void to_json(const void* object, Json& out) const;
  // Sets what is given and leaves the rest; unknown keys and broken rules throw, naming `where`.field.
  void from_json(void* object, const Json& in, const std::string& where) const;
  void set_one(void* object, const std::string& name, const Json& value, const std::string& where) const;
  // Name, kind, unit, bounds, default and meaning of every field: what `kdyn describe --json` prints.
  void schema(Json& out) const;

 private:
  void add_existing(Field field);
  Field& add_raw(std::string name, std::string unit, std::string meaning, FieldKind kind);
  void remember_defaults(const void* object);

  std::string subject_;
  std::vector<Field> fields_;
  std::vector<std::string> default_dumps_;  // JSON text of each default
};

// Specialised next to each described struct.
template <class S>
const FieldTable& field_table();

template <class S>
void to_json_fields(const S& object, Json& out) {
  field_table<S>().to_json(&object, out);
}
template <class S>
void from_json_fields(S& object, const Json& in, const std::string& where) {
  field_table<S>().from_json(&object, in, where);
}

namespace internal {

// Conversion of one value, compiled once for each member type in field.cpp. Setting checks type and bounds.
void get_value(double value, Json& out);
void get_value(const std::optional<double>& value, Json& out);
void get_value(std::int64_t value, Json& out);
void get_value(bool value, Json& out);
void get_value(const std::string& value, Json& out);
void get_value(const std::vector<double>& value, Json& out);
void get_value(const std::vector<std::string>& value, Json& out);
void get_value(const Curve& value, Json& out);
void get_value(const std::map<std::string, double>& value, Json& out);
void get_value(const std::map<std::string, std::pair<double, double>>& value, Json& out);
void get_json(const Json& value, Json& out);

void set_value(const Field& field, double& value, const Json& in, const std::string& where);
void set_value(const Field& field, std::optional<double>& value, const Json& in, const std::string& where);
void set_value(const Field& field, std::int64_t& value, const Json& in, const std::string& where);
void set_value(const Field& field, bool& value, const Json& in, const std::string& where);
void set_value(const Field& field, std::string& value, const Json& in, const std::string& where);
void set_value(const Field& field, std::vector<double>& value, const Json& in, const std::string& where);
void set_value(const Field& field, std::vector<std::string>& value, const Json& in, const std::string& where);
void set_value(const Field& field, Curve& value, const Json& in, const std::string& where);
void set_value(const Field& field, std::map<std::string, double>& value, const Json& in, const std::string& where);
void set_value(const Field& field, std::map<std::string, std::pair<double, double>>& value, const Json& in, const std::string& where);
void set_json(Json& value, const Json& in);
// A whole number that the member's type cannot hold.
[[noreturn]] void refuse_integer(const Field& field, const Json& in, const std::string& where);

void get_choice(const Field& field, std::size_t index, Json& out);
std::size_t set_choice(const Field& field, const Json& in, const std::string& where);

// clang-format off
template <class M>
constexpr FieldKind kind_of() {
  if constexpr (std::is_same_v<M, double>) return FieldKind::number;
  else if constexpr (std::is_same_v<M, std::optional<double>>) return FieldKind::optional_number;
  else if constexpr (std::is_same_v<M, bool>) return FieldKind::flag;
  else if constexpr (std::is_enum_v<M>) return FieldKind::choice;
  else if constexpr (std::is_integral_v<M>) return FieldKind::integer;
  else if constexpr (std::is_same_v<M, std::string>) return FieldKind::text;
  else if constexpr (std::is_same_v<M, std::vector<double>>) return FieldKind::numbers;
  else if constexpr (std::is_same_v<M, std::vector<std::string>>) return FieldKind::texts;
  else if constexpr (std::is_same_v<M, Curve>) return FieldKind::curve;
  else if constexpr (std::is_same_v<M, std::map<std::string, double>>) return FieldKind::number_map;
  else if constexpr (std::is_same_v<M, std::map<std::string, std::pair<double, double>>>) return FieldKind::range_map;
  else return FieldKind::any;
}
// clang-format on

}  // namespace internal

template <class S, class M>
Field& FieldTable::add(M S::*member, std::string name, std::string unit, std::string meaning) {
  Field& field = add_raw(std::move(name), std::move(unit), std::move(meaning), internal::kind_of<M>());
  field.get = [member](const Field& self, const void* object, Json& out) {
    const M& value = static_cast<const S*>(object)->*member;
    if constexpr (std::is_enum_v<M>)
      internal::get_choice(self, static_cast<std::size_t>(value), out);
    else if constexpr (std::is_integral_v<M> && !std::is_same_v<M, bool>)
      internal::get_value(static_cast<std::int64_t>(value), out);
    else if constexpr (internal::kind_of<M>() == FieldKind::any)
      internal::get_json(value, out);
    else
      internal::get_value(value, out);
  };
  field.set = [member](const Field& self, void* object, const Json& in, const std::string& where) {
    M& value = static_cast<S*>(object)->*member;
    if constexpr (std::is_enum_v<M>) {
      value = static_cast<M>(internal::set_choice(self, in, where));
    } else if constexpr (std::is_integral_v<M> && !std::is_same_v<M, bool>) {
      std::int64_t wide = 0;
      internal::set_value(self, wide, in, where);
      if (!std::in_range<M>(wide)) internal::refuse_integer(self, in, where);
      value = static_cast<M>(wide);
    } else if constexpr (internal::kind_of<M>() == FieldKind::any) {
      internal::set_json(value, in);
    } else {
      internal::set_value(self, value, in, where);
    }
  };
  return field;
}

template <class S, class M>
void FieldTable::include(M S::*member, const FieldTable& inner) {
  for (Field field : inner.fields_) {
    field.get = [member, get = field.get](const Field& self, const void* object, Json& out) {
      get(self, &(static_cast<const S*>(object)->*member), out);
    };
    field.set = [member, set = field.set](const Field& self, void* object, const Json& in, const std::string& where) {
      set(self, &(static_cast<S*>(object)->*member), in, where);
    };
    add_existing(std::move(field));
  }
}

}  // namespace kdyn
