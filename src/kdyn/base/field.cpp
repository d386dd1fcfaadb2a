// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/field.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/internal/field_text.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline base {
namespace field_parts {

const char* kind_name(FieldKind kind) {
  switch (kind) {
    case FieldKind::number: return "number";
    case FieldKind::optional_number: return "number or null";
    case FieldKind::integer: return "whole number";
    case FieldKind::flag: return "true or false";
    case FieldKind::text: return "text";
    case FieldKind::choice: return "choice";
    case FieldKind::numbers: return "list of numbers";
    case FieldKind::texts: return "list of texts";
    case FieldKind::integers: return "list of whole numbers";
    case FieldKind::curve: return "list of [x, y] pairs";
    case FieldKind::number_map: return "object of numbers";
    case FieldKind::range_map: return "object of [lower, upper] pairs";
    case FieldKind::text_map: return "object of texts";
    case FieldKind::object: return "object";
    case FieldKind::objects: return "list of objects";
    case FieldKind::object_map: return "object of objects";
    case FieldKind::list: return "list";
    case FieldKind::any: return "any";
  }
  return "";
}

std::string shorten(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string remedy_of(const Field& field) { return field.meaning.empty() ? "correct the value" : field.meaning; }

void wrong_type(const Field& field, const Json& in, const std::string& where) {
  throw_bad_input(where, fmt::format("{} is not {}", shorten(in), field.rule()), remedy_of(field));
}

}  // namespace field_parts

std::string Field::rule() const {
  if (kind == FieldKind::choice) return "one of " + join(choices, ", ");
  std::string text = !key.empty() ? "object of objects" : field_parts::kind_name(kind);
  if (text.starts_with("object"))
    text = "an " + text;
  else if (kind != FieldKind::flag && kind != FieldKind::text && kind != FieldKind::any)
    text = "a " + text;
  const std::string unit_text = unit.empty() || unit == "-" ? "" : " " + unit;
  const bool has_lower = std::isfinite(lower), has_upper = std::isfinite(upper);
  if (has_lower && has_upper)
    text += fmt::format(" in {}{:g}, {:g}]{}", lower_open ? "(" : "[", lower, upper, unit_text);
  else if (has_lower)
    text += fmt::format(" {} {:g}{}", lower_open ? ">" : ">=", lower, unit_text);
  else if (has_upper)
    text += fmt::format(" <= {:g}{}", upper, unit_text);
  return text;
}

void check_bounds(const Field& field, double value, const std::string& where) {
  const bool low = field.lower_open ? !(value > field.lower) : !(value >= field.lower);
  if (!std::isfinite(value) || (std::isfinite(field.lower) && low) || value > field.upper)
    throw_bad_input(where, fmt::format("value {:g} is not {}", value, field.rule()),
                    field.meaning.empty() ? "choose a value inside the bounds" : field.meaning);
}

FieldTable::FieldTable(std::string_view subject, Describe describe, Describe remember)
    : subject_(subject),
      result_(remember == nullptr) {
  describe(*this);
  if (remember != nullptr) remember(*this);
}
FieldTable::~FieldTable() = default;

FieldTable FieldTable::made(std::string_view subject, Describe describe, Describe remember) {
  return FieldTable(subject, describe, remember);
}

const Field* FieldTable::find(const std::string& name) const {
  for (const Field& field : fields_)
    if (field.name == name || std::find(field.aliases.begin(), field.aliases.end(), name) != field.aliases.end())
      return &field;
  return nullptr;
}

std::vector<std::string> FieldTable::names() const {
  std::vector<std::string> all;
  for (const Field& field : fields_) all.push_back(field.name);
  return all;
}

Field& Field::one_of(std::initializer_list<std::string_view> names) {
  return choices.assign(names.begin(), names.end()), *this;
}
Field& Field::alias(std::string_view other) { return aliases.emplace_back(other), *this; }
Field& Field::shown_in(std::string_view u) { return display_unit = u, *this; }
Field& Field::keyed_by(std::string_view field) { return key = field, *this; }

Field& FieldTable::add_typed(const field_parts::ValueType& type, std::ptrdiff_t place, std::string_view name,
                             std::string_view unit, std::string_view meaning) {
  Field field;
  field.name = name;
  field.unit = unit;
  field.meaning = meaning;
  field.kind = type.kind;
  field.get_value = type.get;
  field.set_value = type.set;
  field.type_schema = type.schema;
  field.table = type.table;
  field.place = place;
  field.computed = type.set == nullptr;
  field.result = result_;
  return add_existing(std::move(field));
}

Field& FieldTable::add_existing(Field field) {
  demand(find(field.name) == nullptr, "a field name is unique in its table");
  return fields_.emplace_back(std::move(field));
}

void FieldTable::include_at(std::ptrdiff_t place, const FieldTable& inner) {
  for (Field field : inner.fields_) {
    field.place += place;
    add_existing(std::move(field));
  }
}

void FieldTable::remember_defaults(const void* object) {
  for (const Field& field : fields_) {
    Json value;
    field.get(FieldUse::shown, object, value);
    default_dumps_.push_back(value.dump());
  }
}

void FieldTable::to_json(const void* object, Json& out, FieldUse use) const {
  if (!out.is_object()) out = Json::object();
  for (const Field& field : fields_) {
    if (use == FieldUse::archive ? field.computed : field.hidden) continue;
    if (use == FieldUse::archive || field.left_out == Field::LeftOut::never) {
      field.get(use, object, out[field.name]);
      continue;
    }
    Json value;
    field.get(use, object, value);
    const bool empty =
        (value.is_structured() && value.empty()) || (value.is_string() && value.get_ref<const std::string&>().empty());
    if (!value.is_null() && !(empty && field.left_out == Field::LeftOut::when_empty))
      out[field.name] = std::move(value);
  }
}

void FieldTable::set_one(void* object, const std::string& name, const Json& value, const std::string& where,
                         FieldUse use) const {
  const Field* field = find(name);
  const std::string place = where.empty() ? name : where + "." + name;
  if (field == nullptr)
    throw_bad_input(place, fmt::format("unknown field {} of {}", in_quotes(name), subject_), suggest(name, names()));
  field->set(use, object, value, place);
}

void FieldTable::from_json(void* object, const Json& in, const std::string& where, FieldUse use) const {
  if (!in.is_object())
    throw_bad_input(where, fmt::format("{} must be a JSON object, not {}", subject_, field_parts::shorten(in)),
                    "write {\"field\": value, ...}");
  for (const auto& [key, value] : in.items()) set_one(object, key, value, where, use);
}

void FieldTable::check_required(const Json& in, const std::string& where) const {
  for (const Field& field : fields_) {
    if (!field.required || in.contains(field.name)) continue;
    if (std::any_of(field.aliases.begin(), field.aliases.end(),
                    [&](const std::string& alias) { return in.contains(alias); }))
      continue;
    throw_bad_input(where.empty() ? field.name : where + "." + field.name, "this is needed",
                    field_parts::remedy_of(field));
  }
}

void FieldTable::overlay(Json& base, const Json& given) const {
  if (!base.is_object()) base = Json::object();
  for (const auto& [key, value] : given.items()) {
    const Field* field = find(key);
    Json& place = base[field == nullptr ? key : field->name];
    const bool by_key = field != nullptr && place.is_object() && value.is_object();
    if (by_key && field->kind == FieldKind::object)
      field->table()->overlay(place, value);
    else if (by_key)
      place.update(value);
    else
      place = value;
  }
}

void FieldTable::resolve_paths(Json& in, const std::string& folder) const {
  const auto resolve = [&](Json& path) {
    if (path.is_string() && !path.get_ref<const std::string&>().empty() &&
        !std::filesystem::path(path.get<std::string>()).is_absolute())
      path = (std::filesystem::path(folder) / path.get<std::string>()).lexically_normal().string();
  };
  if (!in.is_object()) return;
  for (auto& [key, value] : in.items()) {
    const Field* field = find(key);
    if (field == nullptr) continue;
    if (field->role != PathRole::none) {
      if (value.is_array())
        for (Json& one : value) resolve(one);
      else
        resolve(value);
    } else if (const FieldTable* inner = field->table == nullptr ? nullptr : field->table()) {
      if (field->kind == FieldKind::object || (field->kind == FieldKind::any && value.is_object()))
        inner->resolve_paths(value, folder);
      else if (value.is_structured())
        for (Json& one : value) inner->resolve_paths(one, folder);
    }
  }
}

std::string archive_bytes(const FieldTable& table, const void* object) {
  Json all;
  table.to_json(object, all, FieldUse::archive);
  std::string out;
  Json::to_cbor(all, out);
  return out;
}

void from_archive(const FieldTable& table, void* object, const std::string& bytes) {
  table.from_json(object, Json::from_cbor(bytes), "archive", FieldUse::archive);
}

}  // namespace kdyn::inline base
