// SPDX-License-Identifier: Apache-2.0
// Field tables: each struct describes its fields once (name, unit, bounds, default, meaning). JSON, command-line flags,
// the schema, report tables, archives and optimiser scaling are read from that table and from nothing else.
//
// In the header, beside the struct and in its namespace:
//   const FieldTable& fields_of(const RigOptions*);
// in the source:
//   const FieldTable& fields_of(const RigOptions*) {
//     static const FieldTable table = FieldTable::of<RigOptions>("rig", [](FieldTable& t) {
//       t.add(&RigOptions::seed, "seed", "-", "Seed of the noise").range(0, 1e15);
//       t.add(&RigOptions::sensors, "sensors", "-", "Sensors");  // std::vector<Sensor>, with a table of its own
//     });
//     return table;
//   }
// What an operation returns is described in the same way by FieldTable::results<S>; a field may be computed there:
//       t.add([](const Mode& m) { return m.pole.real(); }, "real", "1/s", "Real part of the pole");
//
// Member types and what they are in JSON:
//   double number | int, int64_t whole number | bool | string | enum (name from choices) | complex [re, im] | Json anything
//   optional<T> T or null | vector<T>, array<T, n> list | map<string, T>, vector<pair<string, T>> object | Curve [[x, y], ...]
//   a described struct: object. Eigen: numerics/field_eigen.hpp.
// Errors name the place: parts[2].sensors.x.
#pragma once

#include <functional>
#include <limits>

#include "kdyn/base/field_value.hpp"

namespace kdyn::inline base {

// Texts that are paths: what the operation does there. A job file is read in place of the options it holds.
enum class PathRole { none, input, output, folder, job };

struct Field {
  std::string name, unit, meaning;
  FieldKind kind = FieldKind::number;
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool lower_open = false;  // the bound itself is not allowed
  bool positional = false;  // command line: taken from the words without a flag
  bool required = false;
  PathRole role = PathRole::none;
  std::vector<std::string> choices;
  std::vector<std::string> aliases;
  std::string display_unit;  // where it is not the usual one of `unit` (units.hpp)
  std::string key;           // a list of structs is an object in JSON, keyed by this field of theirs
  double divisor = 1.0;      // JSON holds member / divisor

  // Of results:
  bool result = false;    // a number that is not finite is null
  bool hidden = false;    // in archives only
  bool computed = false;  // not in archives
  enum class LeftOut { never, when_null, when_empty } left_out = LeftOut::never;

  // The field passes itself, so that a choice can look its names up.
  std::function<void(const Field&, FieldUse, const void*, Json&)> get;
  std::function<void(const Field&, FieldUse, void*, const Json&, const std::string& where)> set;
  void (*type_schema)(const Field&, Json&, Definitions&) = nullptr;
  const FieldTable* (*table)() = nullptr;  // of a struct, of those in a list or map
  bool list_of_like = false;

  Field& range(double lo, double hi) { return lower = lo, upper = hi, *this; }
  Field& above(double lo) { return lower = lo, lower_open = true, *this; }
  Field& at_least(double lo) { return lower = lo, *this; }
  Field& one_of(std::vector<std::string> names) { return choices = std::move(names), *this; }
  Field& alias(std::string other) { return aliases.push_back(std::move(other)), *this; }
  Field& from_words() { return positional = true, *this; }
  Field& must_be_given() { return required = true, *this; }
  Field& reads() { return role = PathRole::input, *this; }
  Field& writes() { return role = PathRole::output, *this; }
  Field& folder() { return role = PathRole::folder, *this; }
  Field& job_file() { return role = PathRole::job, *this; }
  Field& shown_in(std::string u) { return display_unit = std::move(u), *this; }
  Field& keyed_by(std::string field) { return key = std::move(field), *this; }
  Field& in_degrees() { return divided_by(3.14159265358979323846 / 180.0); }
  Field& divided_by(double by) { return divisor = by, *this; }
  Field& archive_only() { return hidden = true, *this; }
  Field& unless_null() { return left_out = LeftOut::when_null, *this; }  // no key when it is null
  Field& unless_empty() {
    return left_out = LeftOut::when_empty, *this;
  }  // nor when it is an empty list, object or text
  // A Json member with any fields of another table, beside others; or a list of such.
  Field& like(const FieldTable* (*other)(), bool list) { return table = other, list_of_like = list, *this; }

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

  // Of what kdyn writes: every field is there unless it says when not, numbers may be null, defaults have no meaning.
  template <class S, class Describe>
  static FieldTable results(std::string subject, Describe&& describe) {
    FieldTable table;
    table.subject_ = std::move(subject);
    table.result_ = true;
    describe(table);
    return table;
  }

  template <class S, class M>
  requires(!std::is_function_v<M>) Field& add(M S::*member, std::string name, std::string unit, std::string meaning);

  // A field that is computed from the object, for tables of results: written, never read.
  template <class F>
  Field& add(F of, std::string name, std::string unit, std::string meaning) {
    return add_computed(&F::operator(), std::move(of), std::move(name), std::move(unit), std::move(meaning));
  }

  // Takes the fields of a described member as if they were the object's own.
  template <class S, class M>
  void include(M S::*member, const FieldTable& inner);

  const std::string& subject() const { return subject_; }
  const std::vector<Field>& fields() const { return fields_; }
  const Field* find(const std::string& name) const;  // by name or alias
  std::vector<std::string> names() const;

  void to_json(const void* object, Json& out, FieldUse use = FieldUse::shown) const;
  // Sets what is given and leaves the rest; unknown keys and broken rules throw, naming `where`.field.
  void from_json(void* object, const Json& in, const std::string& where, FieldUse use = FieldUse::shown) const;
  // Throws when a field that must be given is not.
  void check_required(const Json& in, const std::string& where) const;
  void set_one(void* object, const std::string& name, const Json& value, const std::string& where,
               FieldUse use = FieldUse::shown) const;

  // Puts what is given over `base`: objects key by key, everything else as a whole. Keys get their names where aliases
  // were used.
  void overlay(Json& base, const Json& given) const;
  // Paths of input files at any depth, relative to a folder, as they are from here.
  void resolve_paths(Json& in, const std::string& folder) const;

  // Name, kind, unit, bounds, default and meaning of every field, in order: what forms are drawn from.
  void schema(Json& out) const;
  // JSON Schema (draft 2020-12) of the object; tables of members stand in $defs.
  // `more`: properties that others add to it.
  void json_schema(Json& out, const std::vector<std::pair<std::string, const FieldTable*>>& more = {}) const;
  void json_schema_here(Json& out, Definitions& all) const;  // without $defs

 private:
  template <class F, class S, class R>
  Field& add_computed(R (F::*)(const S&) const, F of, std::string name, std::string unit, std::string meaning);
  void add_existing(Field field);
  Field& add_raw(std::string name, std::string unit, std::string meaning, FieldKind kind);
  void remember_defaults(const void* object);

  std::string subject_;
  std::vector<Field> fields_;
  std::vector<std::string> default_dumps_;  // JSON text of each default
  bool result_ = false;
};

// The table of a struct.
template <class S>
const FieldTable& field_table() {
  return fields_of(static_cast<const S*>(nullptr));
}

template <class S>
void to_json_fields(const S& object, Json& out) {
  field_table<S>().to_json(&object, out);
}
template <class S>
void from_json_fields(S& object, const Json& in, const std::string& where) {
  field_table<S>().from_json(&object, in, where);
}

// All members of described values as bytes, and back: what processes of one run exchange. Numbers keep all their bits.
std::string archive_bytes(const FieldTable& table, const void* object);
void from_archive(const FieldTable& table, void* object, const std::string& bytes);

template <class S, class M>
requires(!std::is_function_v<M>) Field& FieldTable::add(M S::*member, std::string name, std::string unit,
                                                        std::string meaning) {
  Field& field = add_raw(std::move(name), std::move(unit), std::move(meaning), FieldValue<M>::kind);
  field.get = [member](const Field& self, FieldUse use, const void* object, Json& out) {
    FieldValue<M>::get(self, use, static_cast<const S*>(object)->*member, out);
  };
  field.set = [member](const Field& self, FieldUse use, void* object, const Json& in, const std::string& where) {
    FieldValue<M>::set(self, use, static_cast<S*>(object)->*member, in, where);
  };
  field.type_schema = &FieldValue<M>::schema;
  field.table = &FieldValue<M>::table;
  return field;
}

template <class F, class S, class R>
Field& FieldTable::add_computed(R (F::*)(const S&) const, F of, std::string name, std::string unit,
                                std::string meaning) {
  using M = std::remove_cvref_t<R>;
  Field& field = add_raw(std::move(name), std::move(unit), std::move(meaning), FieldValue<M>::kind);
  field.computed = true;
  field.get = [of](const Field& self, FieldUse use, const void* object, Json& out) {
    FieldValue<M>::get(self, use, of(*static_cast<const S*>(object)), out);
  };
  field.type_schema = &FieldValue<M>::schema;
  field.table = &FieldValue<M>::table;
  return field;
}

template <class S, class M>
void FieldTable::include(M S::*member, const FieldTable& inner) {
  for (Field field : inner.fields_) {
    field.get = [member, get = field.get](const Field& self, FieldUse use, const void* object, Json& out) {
      get(self, use, &(static_cast<const S*>(object)->*member), out);
    };
    if (field.set)
      field.set = [member, set = field.set](const Field& self, FieldUse use, void* object, const Json& in,
                                            const std::string& where) {
        set(self, use, &(static_cast<S*>(object)->*member), in, where);
      };
    add_existing(std::move(field));
  }
}

}  // namespace kdyn::inline base
