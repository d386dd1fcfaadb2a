// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/field.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn {
namespace {

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
    case FieldKind::curve: return "list of [x, y] pairs";
    case FieldKind::number_map: return "object of numbers";
    case FieldKind::range_map: return "object of [lower, upper] pairs";
    case FieldKind::any: return "any";
  }
  return "";
}

std::string shorten(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

[[noreturn]] void wrong_type(const Field& field, const Json& in, const std::string& where) {
  throw_bad_input(where, fmt::format("{} is not {}", shorten(in), field.rule()), field.meaning.empty() ? "correct the value" : field.meaning);
}

double number(const Field& field, const Json& in, const std::string& where) {
  if (!in.is_number()) wrong_type(field, in, where);
  const double value = in.get<double>();
  check_bounds(field, value, where);
  return value;
}

std::string indexed(const std::string& where, std::size_t i) { return fmt::format("{}[{}]", where, i); }

}  // namespace

std::string Field::rule() const {
  if (kind == FieldKind::choice) return "one of " + join(choices, ", ");
  std::string text = kind_name(kind);
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

const Field* FieldTable::find(const std::string& name) const {
  for (const Field& field : fields_)
    if (field.name == name || std::find(field.aliases.begin(), field.aliases.end(), name) != field.aliases.end()) return &field;
  return nullptr;
}

std::vector<std::string> FieldTable::names() const {
  std::vector<std::string> all;
  for (const Field& field : fields_) all.push_back(field.name);
  return all;
}

Field& FieldTable::add_raw(std::string name, std::string unit, std::string meaning, FieldKind kind) {
  demand(find(name) == nullptr, "a field name is unique in its table");
  Field& field = fields_.emplace_back();
  field.name = std::move(name);
  field.unit = std::move(unit);
  field.meaning = std::move(meaning);
  field.kind = kind;
  return field;
}

void FieldTable::add_existing(Field field) {
  demand(find(field.name) == nullptr, "a field name is unique in its table");
  fields_.push_back(std::move(field));
}

void FieldTable::remember_defaults(const void* object) {
  for (const Field& field : fields_) {
    Json value;
    field.get(field, object, value);
    default_dumps_.push_back(value.dump());
  }
}

void FieldTable::to_json(const void* object, Json& out) const {
  if (!out.is_object()) out = Json::object();
  for (const Field& field : fields_) field.get(field, object, out[field.name]);
}

void FieldTable::set_one(void* object, const std::string& name, const Json& value, const std::string& where) const {
  const Field* field = find(name);
  const std::string place = where.empty() ? name : where + "." + name;
  if (field == nullptr) throw_bad_input(place, fmt::format("unknown field {} of {}", in_quotes(name), subject_), suggest(name, names()));
  field->set(*field, object, value, place);
}

void FieldTable::from_json(void* object, const Json& in, const std::string& where) const {
  if (!in.is_object())
    throw_bad_input(where, fmt::format("{} must be a JSON object, not {}", subject_, shorten(in)), "write {\"field\": value, ...}");
  for (const auto& [key, value] : in.items()) set_one(object, key, value, where);
}

void FieldTable::schema(Json& out) const {
  out = Json::array();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    Json entry = {{"name", field.name}, {"kind", kind_name(field.kind)}, {"unit", field.unit}, {"meaning", field.meaning}};
    if (std::isfinite(field.lower)) entry[field.lower_open ? "above" : "minimum"] = field.lower;
    if (std::isfinite(field.upper)) entry["maximum"] = field.upper;
    if (!field.choices.empty()) entry["choices"] = field.choices;
    if (!field.aliases.empty()) entry["aliases"] = field.aliases;
    if (field.positional) entry["positional"] = true;
    if (field.required) entry["required"] = true;
    entry["default"] = Json::parse(default_dumps_[i]);
    out.push_back(std::move(entry));
  }
}

namespace internal {

void get_value(double value, Json& out) { out = value; }
void get_value(const std::optional<double>& value, Json& out) { out = value ? Json(*value) : Json(nullptr); }
void get_value(std::int64_t value, Json& out) { out = value; }
void get_value(bool value, Json& out) { out = value; }
void get_value(const std::string& value, Json& out) { out = value; }
void get_value(const std::vector<double>& value, Json& out) { out = value; }
void get_value(const std::vector<std::string>& value, Json& out) { out = value; }
void get_value(const Curve& value, Json& out) {
  if (value.empty()) return void(out = nullptr);
  out = Json::array();
  for (const auto& [x, y] : value) out.push_back({x, y});
}
void get_value(const std::map<std::string, double>& value, Json& out) { out = value.empty() ? Json::object() : Json(value); }
void get_value(const std::map<std::string, std::pair<double, double>>& value, Json& out) {
  out = Json::object();
  for (const auto& [key, range] : value) out[key] = {range.first, range.second};
}
void get_json(const Json& value, Json& out) { out = value; }
void get_choice(const Field& field, std::size_t index, Json& out) {
  demand(index < field.choices.size(), "every value of an enum has a name");
  out = field.choices[index];
}

void set_value(const Field& field, double& value, const Json& in, const std::string& where) { value = number(field, in, where); }
void set_value(const Field& field, std::optional<double>& value, const Json& in, const std::string& where) {
  if (in.is_null())
    value.reset();
  else
    value = number(field, in, where);
}
void set_value(const Field& field, std::int64_t& value, const Json& in, const std::string& where) {
  const double wide = number(field, in, where);
  if (wide != std::floor(wide) || std::abs(wide) > 9e15) wrong_type(field, in, where);
  value = static_cast<std::int64_t>(wide);
}
void set_value(const Field& field, bool& value, const Json& in, const std::string& where) {
  if (!in.is_boolean()) wrong_type(field, in, where);
  value = in.get<bool>();
}
void set_value(const Field& field, std::string& value, const Json& in, const std::string& where) {
  if (!in.is_string()) wrong_type(field, in, where);
  value = in.get<std::string>();
}
void set_value(const Field& field, std::vector<double>& value, const Json& in, const std::string& where) {
  std::vector<double> fresh;
  if (in.is_number()) {
    fresh.push_back(number(field, in, where));
  } else {
    if (!in.is_array()) wrong_type(field, in, where);
    for (std::size_t i = 0; i < in.size(); ++i) fresh.push_back(number(field, in[i], indexed(where, i)));
  }
  value = std::move(fresh);
}
void set_value(const Field& field, std::vector<std::string>& value, const Json& in, const std::string& where) {
  std::vector<std::string> fresh;
  if (in.is_string()) {
    fresh.push_back(in.get<std::string>());
  } else {
    if (!in.is_array()) wrong_type(field, in, where);
    for (const Json& item : in) {
      if (!item.is_string()) wrong_type(field, in, where);
      fresh.push_back(item.get<std::string>());
    }
  }
  value = std::move(fresh);
}
void set_value(const Field& field, Curve& value, const Json& in, const std::string& where) {
  Curve fresh;
  if (!in.is_null()) {
    if (!in.is_array()) wrong_type(field, in, where);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (!in[i].is_array() || in[i].size() != 2 || !in[i][0].is_number() || !in[i][1].is_number()) wrong_type(field, in[i], indexed(where, i));
      const double x = in[i][0].get<double>(), y = in[i][1].get<double>();
      if (!std::isfinite(x) || !std::isfinite(y)) wrong_type(field, in[i], indexed(where, i));
      fresh.emplace_back(x, y);
    }
  }
  value = std::move(fresh);
}
void set_value(const Field& field, std::map<std::string, double>& value, const Json& in, const std::string& where) {
  if (!in.is_object()) wrong_type(field, in, where);
  std::map<std::string, double> fresh;
  for (const auto& [key, item] : in.items()) fresh[key] = number(field, item, where + "." + key);
  value = std::move(fresh);
}
void set_value(const Field& field, std::map<std::string, std::pair<double, double>>& value, const Json& in, const std::string& where) {
  if (!in.is_object()) wrong_type(field, in, where);
  std::map<std::string, std::pair<double, double>> fresh;
  for (const auto& [key, item] : in.items()) {
    const std::string place = where + "." + key;
    if (!item.is_array() || item.size() != 2) wrong_type(field, item, place);
    const double lower = number(field, item[0], place), upper = number(field, item[1], place);
    if (!(lower < upper)) throw_bad_input(place, fmt::format("lower bound {:g} is not below upper bound {:g}", lower, upper), "give [lower, upper]");
    fresh[key] = {lower, upper};
  }
  value = std::move(fresh);
}
void refuse_integer(const Field& field, const Json& in, const std::string& where) { wrong_type(field, in, where); }
void set_json(Json& value, const Json& in) { value = in; }
std::size_t set_choice(const Field& field, const Json& in, const std::string& where) {
  if (!in.is_string()) wrong_type(field, in, where);
  const auto it = std::find(field.choices.begin(), field.choices.end(), in.get<std::string>());
  if (it == field.choices.end())
    throw_bad_input(where, fmt::format("{} is not a choice", in_quotes(in.get<std::string>())), suggest(in.get<std::string>(), field.choices));
  return static_cast<std::size_t>(it - field.choices.begin());
}

}  // namespace internal
}  // namespace kdyn
