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

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <string_view>

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

  // How the value stands in JSON: functions of its type, not of the single field, so that two thousand fields do not
  // become as many functions. `place` bytes into the object is the member; a computed value takes the object itself.
  using Get = void (*)(const Field& field, FieldUse use, const void* value, Json& out);
  using Set = void (*)(const Field& field, FieldUse use, void* value, const Json& in, const std::string& where);
  Get get_value = nullptr;
  Set set_value = nullptr;  // none: computed
  std::ptrdiff_t place = 0;
  std::array<void*, 4> function{};  // the bytes of a function object that computes the value
  void (*type_schema)(const Field&, Json&, Definitions&) = nullptr;
  const FieldTable* (*table)() = nullptr;  // of a struct, of those in a list or map
  bool list_of_like = false;

  Field& range(double lo, double hi) { return lower = lo, upper = hi, *this; }
  Field& above(double lo) { return lower = lo, lower_open = true, *this; }
  Field& at_least(double lo) { return lower = lo, *this; }
  Field& one_of(std::vector<std::string> names) { return choices = std::move(names), *this; }
  Field& one_of(std::initializer_list<std::string_view> names);
  Field& alias(std::string_view other);
  Field& from_words() { return positional = true, *this; }
  Field& must_be_given() { return required = true, *this; }
  Field& reads() { return role = PathRole::input, *this; }
  Field& writes() { return role = PathRole::output, *this; }
  Field& folder() { return role = PathRole::folder, *this; }
  Field& job_file() { return role = PathRole::job, *this; }
  Field& shown_in(std::string_view u);
  Field& keyed_by(std::string_view field);
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

  void get(FieldUse use, const void* object, Json& out) const {
    get_value(*this, use, static_cast<const char*>(object) + place, out);
  }
  void set(FieldUse use, void* object, const Json& in, const std::string& where) const {
    if (set_value != nullptr) set_value(*this, use, static_cast<char*>(object) + place, in, where);
  }
};

namespace field_parts {

// What a field takes from the type of its value.
struct ValueType {
  FieldKind kind;
  Field::Get get;
  Field::Set set;
  void (*schema)(const Field&, Json&, Definitions&);
  const FieldTable* (*table)();
};

template <class M>
void get_erased(const Field& field, FieldUse use, const void* value, Json& out) {
  FieldValue<M>::get(field, use, *static_cast<const M*>(value), out);
}
template <class M>
void set_erased(const Field& field, FieldUse use, void* value, const Json& in, const std::string& where) {
  FieldValue<M>::set(field, use, *static_cast<M*>(value), in, where);
}
template <class M>
constexpr ValueType value_type = {FieldValue<M>::kind, &get_erased<M>, &set_erased<M>, &FieldValue<M>::schema,
                                  &FieldValue<M>::table};

template <class F, class S, class R>
void get_computed(const Field& field, FieldUse use, const void* object, Json& out) {
  const F& of = *std::launder(reinterpret_cast<const F*>(field.function.data()));
  FieldValue<std::remove_cvref_t<R>>::get(field, use, of(*static_cast<const S*>(object)), out);
}
template <class F, class S, class R>
constexpr ValueType computed_type(R (F::*)(const S&) const) {
  using Value = FieldValue<std::remove_cvref_t<R>>;
  return {Value::kind, &get_computed<F, S, R>, nullptr, &Value::schema, &Value::table};
}

// Bytes from the beginning of the object to its member, which is what a pointer to a member holds on every machine that
// kdyn is built for (Itanium C++ ABI); the tests of tables with members at all places would notice another one.
template <class S, class M>
std::ptrdiff_t place_of(M S::*member) {
  static_assert(sizeof member == sizeof(std::ptrdiff_t));
  return std::bit_cast<std::ptrdiff_t>(member);
}

}  // namespace field_parts

// Throws Error(bad_input) when a number is not finite or breaks the bounds of its field.
void check_bounds(const Field& field, double value, const std::string& where);

class FieldTable {
 public:
  using Describe = void (*)(FieldTable&);

  template <class S>
  static FieldTable of(std::string_view subject, Describe describe) {
    return made(subject, describe, [](FieldTable& table) {
      const S defaults{};
      table.remember_defaults(&defaults);
    });
  }

  // Of what kdyn writes: every field is there unless it says when not, numbers may be null, defaults have no meaning.
  template <class S>
  static FieldTable results(std::string_view subject, Describe describe) {
    return made(subject, describe, nullptr);
  }

  ~FieldTable();
  FieldTable(const FieldTable&) = delete;
  FieldTable& operator=(const FieldTable&) = delete;

  template <class S, class M>
  requires(!std::is_function_v<M>) Field& add(M S::*member, std::string_view name, std::string_view unit,
                                              std::string_view meaning) {
    return add_typed(field_parts::value_type<M>, field_parts::place_of(member), name, unit, meaning);
  }

  // A field that is computed from the object, for tables of results: written, never read. The function may hold some
  // plain values.
  template <class F>
  requires(std::is_trivially_copyable_v<F> &&
           sizeof(F) <= sizeof(Field::function)) Field& add(F of, std::string_view name, std::string_view unit,
                                                            std::string_view meaning) {
    Field& field = add_typed(field_parts::computed_type(&F::operator()), 0, name, unit, meaning);
    if constexpr (!std::is_empty_v<F>) std::memcpy(field.function.data(), &of, sizeof of);
    return field;
  }

  // Takes the fields of a described member as if they were the object's own.
  template <class S, class M>
  void include(M S::*member, const FieldTable& inner) {
    include_at(field_parts::place_of(member), inner);
  }

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
  explicit FieldTable(std::string_view subject, Describe describe, Describe remember);
  static FieldTable made(std::string_view subject, Describe describe, Describe remember);  // none to remember: results
  Field& add_typed(const field_parts::ValueType& type, std::ptrdiff_t place, std::string_view name,
                   std::string_view unit, std::string_view meaning);
  Field& add_existing(Field field);
  void include_at(std::ptrdiff_t place, const FieldTable& inner);
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

}  // namespace kdyn::inline base
