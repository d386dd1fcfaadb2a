// SPDX-License-Identifier: Apache-2.0
// What a table tells about itself: the list that forms are drawn from, and JSON Schema.
#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/base/internal/field_text.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/schema.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline base {
namespace field_parts {
namespace {

// Bounds and, in results, null.
void number_schema(const Field& field, const char* type, Json& out) {
  if (field.result)
    out["type"] = {type, "null"};
  else
    out["type"] = type;
  if (std::isfinite(field.lower)) out[field.lower_open ? "exclusiveMinimum" : "minimum"] = field.lower;
  if (std::isfinite(field.upper)) out["maximum"] = field.upper;
}

std::string definition_name(const FieldTable& table, bool partial) {
  std::string name = table.subject() + (partial ? " in part" : "");
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == '/' || c == '~'; }, '_');
  return name;
}

// A list where one value may stand for a list of one.
void list_or_one(const Field& field, const char* one, Json& out) {
  if (field.result)
    out["type"] = "array";
  else
    out["type"] = {"array", one};
}

}  // namespace

void integer_schema(const Field& field, Json& out) {
  number_schema(field, "integer", out);
  if (field.result) out["type"] = "integer";
}
void choice_schema(const Field& field, Json& out) {
  out["type"] = "string";
  out["enum"] = field.choices;
}

void struct_schema(const FieldTable& table, Json& out, Definitions& all, bool partial) {
  auto& tables = partial ? all.partial : all.tables;
  if (std::find(tables.begin(), tables.end(), &table) == tables.end()) {
    for (const FieldTable* other : tables)
      demand(other->subject() != table.subject(), "tables of one schema have different subjects");
    tables.push_back(&table);
  }
  out["$ref"] = "#/$defs/" + definition_name(table, partial);
}

void list_schema(const Field& field, Json& out, std::size_t count) {
  if (!field.key.empty()) return map_schema(out);
  out["type"] = "array";
  if (count > 0) out["minItems"] = out["maxItems"] = count;
  out["items"] = Json::object();
}
void map_schema(Json& out) {
  out["type"] = "object";
  out["additionalProperties"] = Json::object();
}
Json& inner(Json& schema) { return schema.contains("items") ? schema["items"] : schema["additionalProperties"]; }

void allow_null(Json& out) {
  if (out.contains("enum")) out["enum"].push_back(nullptr);
  if (out.contains("$ref")) {
    out = {{"anyOf", Json::array({out, {{"type", "null"}}})}};
  } else if (out.contains("type")) {
    Json types = out["type"].is_array() ? out["type"] : Json::array({out["type"]});
    if (std::find(types.begin(), types.end(), "null") == types.end()) types.push_back("null");
    out["type"] = std::move(types);
  }
}

void value_schema(const double*, const Field& field, Json& out, Definitions&) { number_schema(field, "number", out); }
void value_schema(const bool*, const Field&, Json& out, Definitions&) { out["type"] = "boolean"; }
void value_schema(const std::string*, const Field&, Json& out, Definitions&) { out["type"] = "string"; }
void value_schema(const Json*, const Field& field, Json& out, Definitions& all) {
  const FieldTable* table = field.table == nullptr ? nullptr : field.table();
  if (table == nullptr) return;
  if (field.list_of_like) out["type"] = "array";
  struct_schema(*table, field.list_of_like ? out["items"] : out, all, true);
}
void value_schema(const std::vector<double>*, const Field& field, Json& out, Definitions&) {
  if (!field.result) number_schema(field, "number", out);  // bounds of one value that stands for the list
  list_or_one(field, "number", out);
  number_schema(field, "number", out["items"]);
}
void value_schema(const std::vector<std::string>*, const Field& field, Json& out, Definitions&) {
  list_or_one(field, "string", out);
  out["items"] = {{"type", "string"}};
}
void value_schema(const std::vector<bool>*, const Field&, Json& out, Definitions&) {
  out["type"] = "array";
  out["items"] = {{"type", "boolean"}};
}
void value_schema(const std::pair<double, double>*, const Field& field, Json& out, Definitions&) {
  list_schema(field, out, 2);
  number_schema(field, "number", out["items"]);
}
void value_schema(const std::complex<double>*, const Field& field, Json& out, Definitions& all) {
  FieldValue<std::pair<double, double>>::schema(field, out, all);
}
void value_schema(const Curve*, const Field&, Json& out, Definitions&) {
  out["type"] = {"array", "null"};
  out["items"] = {{"type", "array"}, {"minItems", 2}, {"maxItems", 2}, {"items", {{"type", "number"}}}};
}
void value_schema(const RangeMap*, const Field& field, Json& out, Definitions& all) {
  map_schema(out);
  FieldValue<std::pair<double, double>>::schema(field, out["additionalProperties"], all);
}

}  // namespace field_parts

namespace {

const char* role_name(PathRole role) {
  switch (role) {
    case PathRole::none: return "";
    case PathRole::input: return "input";
    case PathRole::output: return "output";
    case PathRole::folder: return "folder";
    case PathRole::job: return "job";
  }
  return "";
}

// What both descriptions say about a field beside its type.
void add_facts(const Field& field, Json& out) {
  if (field.role != PathRole::none) out["path"] = role_name(field.role);
  if (field.unit.empty() || field.unit == "-") return;
  const std::string shown = field.display_unit.empty() ? display_unit(field.unit).unit : field.display_unit;
  if (shown != field.unit) out["display_unit"] = shown;
}

}  // namespace

void FieldTable::schema(Json& out) const {
  out = Json::array();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    if (field.hidden) continue;
    Json entry = {{"name", field.name},
                  {"kind", field_parts::kind_name(field.kind)},
                  {"unit", field.unit},
                  {"meaning", field.meaning}};
    if (std::isfinite(field.lower)) entry[field.lower_open ? "above" : "minimum"] = field.lower;
    if (std::isfinite(field.upper)) entry["maximum"] = field.upper;
    if (!field.choices.empty()) entry["choices"] = field.choices;
    if (!field.aliases.empty()) entry["aliases"] = field.aliases;
    if (field.positional) entry["positional"] = true;
    if (field.required) entry["required"] = true;
    add_facts(field, entry);
    const bool nested =
        field.kind == FieldKind::object || field.kind == FieldKind::objects || field.kind == FieldKind::object_map;
    if (nested && field.table() != nullptr) field.table()->schema(entry["fields"]);
    if (!default_dumps_.empty()) entry["default"] = Json::parse(default_dumps_[i]);
    out.push_back(std::move(entry));
  }
}

void FieldTable::json_schema_here(Json& out, Definitions& all) const {
  out = {{"type", "object"}, {"title", subject_}};
  Json properties = Json::object(), required = Json::array();
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Field& field = fields_[i];
    if (field.hidden) continue;
    Json type = Json::object(), one = Json::object();
    field.type_schema(field, type, all);
    if (!field.meaning.empty()) one["description"] = field.meaning;
    if (!field.unit.empty() && field.unit != "-") one["unit"] = field.unit;
    add_facts(field, one);
    one.update(type);
    if (!default_dumps_.empty() && !field.required) one["default"] = Json::parse(default_dumps_[i]);
    if (result_ ? field.left_out == Field::LeftOut::never : field.required) required.push_back(field.name);
    for (const std::string& alias : field.aliases) properties[alias] = {{"description", "the same as " + field.name}};
    properties[field.name] = std::move(one);
  }
  out["properties"] = std::move(properties);
  if (!required.empty()) out["required"] = std::move(required);
  out["additionalProperties"] = false;
}

void FieldTable::json_schema(Json& out, const std::vector<std::pair<std::string, const FieldTable*>>& more) const {
  kdyn::json_schema({this}, more, out);
}

void json_schema(const std::vector<const FieldTable*>& alternatives,
                 const std::vector<std::pair<std::string, const FieldTable*>>& more, Json& out) {
  Definitions all;
  Json each = Json::array();
  for (const FieldTable* table : alternatives) {
    Json& own = each.emplace_back();
    table->json_schema_here(own, all);
    for (const auto& [name, other] : more) {
      field_parts::struct_schema(*other, own["properties"][name], all);
      own["required"].push_back(name);
    }
  }
  out = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}};
  if (each.empty()) {  // not described: any object that has the others
    out["type"] = "object";
    for (const auto& [name, other] : more) {
      field_parts::struct_schema(*other, out["properties"][name], all);
      out["required"].push_back(name);
    }
  } else if (each.size() == 1) {
    out.update(each.front());
  } else {
    out["anyOf"] = std::move(each);
  }
  Json definitions = Json::object();
  // Tables may name further ones while they are written.
  for (std::size_t i = 0, k = 0; i < all.tables.size() || k < all.partial.size();) {
    const bool partial = i >= all.tables.size();
    const FieldTable& table = partial ? *all.partial[k++] : *all.tables[i++];
    Json one;
    table.json_schema_here(one, all);
    if (partial) one.erase("required"), one.erase("additionalProperties");
    definitions[field_parts::definition_name(table, partial)] = std::move(one);
  }
  if (!definitions.empty()) out["$defs"] = std::move(definitions);
}

}  // namespace kdyn::inline base
