// SPDX-License-Identifier: Apache-2.0
// How one value of a described struct stands in JSON: for each type its kind, writing, checked reading and JSON Schema.
// The work on JSON is compiled once in field_value.cpp; templates here only walk through lists, maps and optionals.
// Types of other libraries join by specialising FieldValue<T> (numerics/field_eigen.hpp does so for Eigen).
//
// A struct joins by a function beside it, found through its namespace:
//   const FieldTable& fields_of(const Sensor*);
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "kdyn/base/curve.hpp"

namespace kdyn::inline base {

using Json = nlohmann::ordered_json;

struct Field;
class FieldTable;

// What a value is for command lines and forms; the JSON Schema tells the rest.
enum class FieldKind {
  number,
  optional_number,
  integer,
  flag,
  text,
  choice,
  numbers,
  texts,
  integers,
  curve,
  number_map,
  range_map,
  text_map,
  object,      // a described struct
  objects,     // a list of them
  object_map,  // them by name
  list,        // of anything else: rows of a matrix, flags
  any
};

// shown: as people and other programs read it. archive: every member with all its bits, NaN included, for kdyn itself.
enum class FieldUse { shown, archive };

// Tables that a schema refers to, each once; and those of which any fields may be given, beside others.
struct Definitions {
  std::vector<const FieldTable*> tables, partial;
};

template <class T>
concept Described = requires {
  { fields_of(static_cast<const T*>(nullptr)) } -> std::same_as<const FieldTable&>;
};

// kind; get(field, use, value, out); set(field, use, value, in, where); schema(field, out, definitions); and table(),
// nullptr unless there is one.
template <class T>
struct FieldValue;

namespace field_parts {

void set_null(Json& out);
void start_list(Json& out);
void start_object(Json& out);
Json& append(Json& list);
Json& at_key(Json& object, const std::string& key);
bool is_null(const Json& in);
const Json& item(const Json& list, std::size_t i);
std::string place(const std::string& where, std::size_t i);
// Throws when it is no list of this size.
void check_size(const Field& field, const Json& in, const std::string& where, std::size_t wanted);
std::vector<std::pair<std::string, const Json*>> entries(const Field& field, const Json& in, const std::string& where);

void get_number(const Field& field, FieldUse use, double value, Json& out);
double number_of(const Field& field, FieldUse use, const Json& in, const std::string& where);
void get_integer(std::int64_t value, Json& out);
std::int64_t integer_of(const Field& field, const Json& in, const std::string& where);
// A whole number that the member's type cannot hold.
[[noreturn]] void refuse_integer(const Field& field, const Json& in, const std::string& where);
void get_choice(const Field& field, FieldUse use, std::size_t index, Json& out);
std::size_t choice_of(const Field& field, FieldUse use, const Json& in, const std::string& where);
void get_struct(const FieldTable& table, FieldUse use, const void* object, Json& out);
void set_struct(const FieldTable& table, FieldUse use, void* object, const Json& in, const std::string& where);
// A list of structs as an object, keyed by one of their fields (Field::key).
void to_keyed(const Field& field, FieldUse use, Json& list);
// Reads a list into `list` through two functions of its type; `structs`: it may be keyed. One value that is no list is
// a list of one elsewhere.
struct ListAccess {
  void (*resize)(void* list, std::size_t count);
  void (*set)(const Field& field, FieldUse use, void* list, std::size_t i, const Json& in, const std::string& where);
};
void read_list(const Field& field, FieldUse use, const Json& in, const std::string& where, bool structs, void* list,
               const ListAccess& access);

void integer_schema(const Field& field, Json& out);
void choice_schema(const Field& field, Json& out);
void struct_schema(const FieldTable& table, Json& out, Definitions& all, bool partial = false);
void list_schema(const Field& field, Json& out, std::size_t count);  // count 0: any
void map_schema(Json& out);
void allow_null(Json& out);
Json& inner(Json& schema);  // of the values in a list or map

struct NoTable {
  static const FieldTable* table() { return nullptr; }
};

using NumberPair = std::pair<double, double>;
using RangeMap = std::map<std::string, NumberPair>;

// Types without template parameters.
// clang-format off
void get_value(const Field& field, FieldUse use, const double& value, Json& out);
void get_value(const Field& field, FieldUse use, const bool& value, Json& out);
void get_value(const Field& field, FieldUse use, const std::string& value, Json& out);
void get_value(const Field& field, FieldUse use, const Json& value, Json& out);
void get_value(const Field& field, FieldUse use, const Curve& value, Json& out);
void get_value(const Field& field, FieldUse use, const std::vector<double>& value, Json& out);
void get_value(const Field& field, FieldUse use, const std::vector<std::string>& value, Json& out);
void get_value(const Field& field, FieldUse use, const std::vector<bool>& value, Json& out);
void get_value(const Field& field, FieldUse use, const NumberPair& value, Json& out);
void get_value(const Field& field, FieldUse use, const std::complex<double>& value, Json& out);
void get_value(const Field& field, FieldUse use, const RangeMap& value, Json& out);
void set_value(const Field& field, FieldUse use, double& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, bool& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, std::string& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, Json& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, Curve& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, std::vector<double>& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, std::vector<std::string>& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, std::vector<bool>& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, NumberPair& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, std::complex<double>& value, const Json& in, const std::string& where);
void set_value(const Field& field, FieldUse use, RangeMap& value, const Json& in, const std::string& where);
void value_schema(const double*, const Field& field, Json& out, Definitions& all);
void value_schema(const bool*, const Field& field, Json& out, Definitions& all);
void value_schema(const std::string*, const Field& field, Json& out, Definitions& all);
void value_schema(const Json*, const Field& field, Json& out, Definitions& all);
void value_schema(const Curve*, const Field& field, Json& out, Definitions& all);
void value_schema(const std::vector<double>*, const Field& field, Json& out, Definitions& all);
void value_schema(const std::vector<std::string>*, const Field& field, Json& out, Definitions& all);
void value_schema(const std::vector<bool>*, const Field& field, Json& out, Definitions& all);
void value_schema(const NumberPair*, const Field& field, Json& out, Definitions& all);
void value_schema(const std::complex<double>*, const Field& field, Json& out, Definitions& all);
void value_schema(const RangeMap*, const Field& field, Json& out, Definitions& all);
// clang-format on

template <class T, FieldKind Kind>
struct PlainValue : NoTable {
  static constexpr FieldKind kind = Kind;
  static void get(const Field& field, FieldUse use, const T& value, Json& out) { get_value(field, use, value, out); }
  static void set(const Field& field, FieldUse use, T& value, const Json& in, const std::string& where) {
    set_value(field, use, value, in, where);
  }
  static void schema(const Field& field, Json& out, Definitions& all) {
    value_schema(static_cast<const T*>(nullptr), field, out, all);
  }
};

}  // namespace field_parts

// clang-format off
template <> struct FieldValue<double> : field_parts::PlainValue<double, FieldKind::number> {};
template <> struct FieldValue<bool> : field_parts::PlainValue<bool, FieldKind::flag> {};
template <> struct FieldValue<std::string> : field_parts::PlainValue<std::string, FieldKind::text> {};
template <> struct FieldValue<Json> : field_parts::PlainValue<Json, FieldKind::any> {};
template <> struct FieldValue<Curve> : field_parts::PlainValue<Curve, FieldKind::curve> {};
template <> struct FieldValue<std::vector<double>> : field_parts::PlainValue<std::vector<double>, FieldKind::numbers> {};
template <> struct FieldValue<std::vector<std::string>> : field_parts::PlainValue<std::vector<std::string>, FieldKind::texts> {};
template <> struct FieldValue<std::vector<bool>> : field_parts::PlainValue<std::vector<bool>, FieldKind::list> {};
template <> struct FieldValue<std::pair<double, double>> : field_parts::PlainValue<std::pair<double, double>, FieldKind::numbers> {};
template <> struct FieldValue<std::complex<double>> : field_parts::PlainValue<std::complex<double>, FieldKind::numbers> {};
// A word that a function gives, for computed fields.
template <> struct FieldValue<const char*> : FieldValue<std::string> {};
template <> struct FieldValue<field_parts::RangeMap> : field_parts::PlainValue<field_parts::RangeMap, FieldKind::range_map> {};
// clang-format on

template <class T>
requires(std::is_integral_v<T> && !std::is_same_v<T, bool>) struct FieldValue<T> : field_parts::NoTable {
  static constexpr FieldKind kind = FieldKind::integer;
  static void get(const Field&, FieldUse, T value, Json& out) {
    field_parts::get_integer(static_cast<std::int64_t>(value), out);
  }
  static void set(const Field& field, FieldUse, T& value, const Json& in, const std::string& where) {
    const std::int64_t wide = field_parts::integer_of(field, in, where);
    if (!std::in_range<T>(wide)) field_parts::refuse_integer(field, in, where);
    value = static_cast<T>(wide);
  }
  static void schema(const Field& field, Json& out, Definitions&) { field_parts::integer_schema(field, out); }
};

template <class T>
requires std::is_enum_v<T>
struct FieldValue<T> : field_parts::NoTable {
  static constexpr FieldKind kind = FieldKind::choice;
  static void get(const Field& field, FieldUse use, T value, Json& out) {
    field_parts::get_choice(field, use, static_cast<std::size_t>(value), out);
  }
  static void set(const Field& field, FieldUse use, T& value, const Json& in, const std::string& where) {
    value = static_cast<T>(field_parts::choice_of(field, use, in, where));
  }
  static void schema(const Field& field, Json& out, Definitions&) { field_parts::choice_schema(field, out); }
};

template <Described T>
struct FieldValue<T> {
  static constexpr FieldKind kind = FieldKind::object;
  static const FieldTable* table() { return &fields_of(static_cast<const T*>(nullptr)); }
  static void get(const Field&, FieldUse use, const T& value, Json& out) {
    field_parts::get_struct(*table(), use, &value, out);
  }
  static void set(const Field&, FieldUse use, T& value, const Json& in, const std::string& where) {
    T fresh = value;  // a refused value leaves the object as it was
    field_parts::set_struct(*table(), use, &fresh, in, where);
    value = std::move(fresh);
  }
  static void schema(const Field&, Json& out, Definitions& all) { field_parts::struct_schema(*table(), out, all); }
};

template <class T>
struct FieldValue<std::optional<T>> {
  static constexpr FieldKind kind = std::is_same_v<T, double> ? FieldKind::optional_number : FieldValue<T>::kind;
  static const FieldTable* table() { return FieldValue<T>::table(); }
  static void get(const Field& field, FieldUse use, const std::optional<T>& value, Json& out) {
    field_parts::set_null(out);
    if (value) FieldValue<T>::get(field, use, *value, out);
  }
  static void set(const Field& field, FieldUse use, std::optional<T>& value, const Json& in, const std::string& where) {
    if (field_parts::is_null(in)) return value.reset();
    T fresh{};
    FieldValue<T>::set(field, use, fresh, in, where);
    value = std::move(fresh);
  }
  static void schema(const Field& field, Json& out, Definitions& all) {
    FieldValue<T>::schema(field, out, all);
    field_parts::allow_null(out);
  }
};

template <class T>
struct FieldValue<std::vector<T>> {
  static constexpr bool structs = Described<T>;
  static constexpr FieldKind kind = structs                                     ? FieldKind::objects
                                    : FieldValue<T>::kind == FieldKind::integer ? FieldKind::integers
                                    : FieldValue<T>::kind == FieldKind::choice  ? FieldKind::texts
                                                                                : FieldKind::list;
  static const FieldTable* table() { return FieldValue<T>::table(); }
  static void get(const Field& field, FieldUse use, const std::vector<T>& value, Json& out) {
    field_parts::start_list(out);
    for (const T& one : value) FieldValue<T>::get(field, use, one, field_parts::append(out));
    if constexpr (structs) field_parts::to_keyed(field, use, out);
  }
  static void set(const Field& field, FieldUse use, std::vector<T>& value, const Json& in, const std::string& where) {
    constexpr field_parts::ListAccess access = {
        [](void* list, std::size_t count) { static_cast<std::vector<T>*>(list)->resize(count); },
        [](const Field& of, FieldUse how, void* list, std::size_t i, const Json& one, const std::string& place) {
          FieldValue<T>::set(of, how, (*static_cast<std::vector<T>*>(list))[i], one, place);
        }};
    std::vector<T> fresh;
    field_parts::read_list(field, use, in, where, structs, &fresh, access);
    value = std::move(fresh);
  }
  static void schema(const Field& field, Json& out, Definitions& all) {
    field_parts::list_schema(field, out, 0);
    FieldValue<T>::schema(field, field_parts::inner(out), all);
  }
};

template <class T, std::size_t N>
struct FieldValue<std::array<T, N>> {
  static constexpr FieldKind kind = FieldValue<T>::kind == FieldKind::number ? FieldKind::numbers : FieldKind::list;
  static const FieldTable* table() { return FieldValue<T>::table(); }
  static void get(const Field& field, FieldUse use, const std::array<T, N>& value, Json& out) {
    field_parts::start_list(out);
    for (const T& one : value) FieldValue<T>::get(field, use, one, field_parts::append(out));
  }
  static void set(const Field& field, FieldUse use, std::array<T, N>& value, const Json& in, const std::string& where) {
    field_parts::check_size(field, in, where, N);
    std::array<T, N> fresh = value;
    for (std::size_t i = 0; i < N; ++i)
      FieldValue<T>::set(field, use, fresh[i], field_parts::item(in, i), field_parts::place(where, i));
    value = std::move(fresh);
  }
  static void schema(const Field& field, Json& out, Definitions& all) {
    field_parts::list_schema(field, out, N);
    FieldValue<T>::schema(field, field_parts::inner(out), all);
  }
};

template <class T>
struct FieldValue<std::map<std::string, T>> {
  static constexpr FieldKind kind = Described<T>                             ? FieldKind::object_map
                                    : std::is_same_v<T, double>              ? FieldKind::number_map
                                    : FieldValue<T>::kind == FieldKind::text ? FieldKind::text_map
                                                                             : FieldKind::any;
  static const FieldTable* table() { return FieldValue<T>::table(); }
  static void get(const Field& field, FieldUse use, const std::map<std::string, T>& value, Json& out) {
    field_parts::start_object(out);
    for (const auto& [key, one] : value) FieldValue<T>::get(field, use, one, field_parts::at_key(out, key));
  }
  static void set(const Field& field, FieldUse use, std::map<std::string, T>& value, const Json& in,
                  const std::string& where) {
    std::map<std::string, T> fresh;
    for (const auto& [key, one] : field_parts::entries(field, in, where))
      FieldValue<T>::set(field, use, fresh[key], *one, where + "." + key);
    value = std::move(fresh);
  }
  static void schema(const Field& field, Json& out, Definitions& all) {
    field_parts::map_schema(out);
    FieldValue<T>::schema(field, field_parts::inner(out), all);
  }
};

// Values by name, in the order of the list.
template <class T>
struct FieldValue<std::vector<std::pair<std::string, T>>> {
  using Pairs = std::vector<std::pair<std::string, T>>;
  static constexpr FieldKind kind = FieldValue<std::map<std::string, T>>::kind;
  static const FieldTable* table() { return FieldValue<T>::table(); }
  static void get(const Field& field, FieldUse use, const Pairs& value, Json& out) {
    field_parts::start_object(out);
    for (const auto& [key, one] : value) FieldValue<T>::get(field, use, one, field_parts::at_key(out, key));
  }
  static void set(const Field& field, FieldUse use, Pairs& value, const Json& in, const std::string& where) {
    Pairs fresh;
    for (const auto& [key, one] : field_parts::entries(field, in, where))
      FieldValue<T>::set(field, use, fresh.emplace_back(key, T{}).second, *one, where + "." + key);
    value = std::move(fresh);
  }
  static void schema(const Field& field, Json& out, Definitions& all) {
    field_parts::map_schema(out);
    FieldValue<T>::schema(field, field_parts::inner(out), all);
  }
};

}  // namespace kdyn::inline base
