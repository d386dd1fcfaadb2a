// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/operation.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "kdyn/app/provenance.hpp"
#include "kdyn/app/registry.hpp"
#include "kdyn/base/display_units.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/schema.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"
#include "kdyn/data/bench.hpp"

namespace kdyn::app {
namespace {

// A value as a person would write it: no quotes, lists with commas.
std::string readable(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const Json& one : value) parts.push_back(readable(one));
    return join(parts, ", ");
  }
  if (value.is_object()) {
    std::vector<std::string> parts;
    for (const auto& [name, one] : value.items()) parts.push_back(fmt::format("{} = {}", name, readable(one)));
    return join(parts, ", ");
  }
  return value.dump();
}

void add_provenance(const Operation& operation, const Json& given, double seconds, Outcome& outcome) {
  Provenance provenance{
      {version(), revision(), compiler()}, now_text(), operation.name, given, outcome.inputs, seconds};
  to_json_fields(provenance, outcome.result["provenance"]);
  if (!outcome.document) return;
  report::Document& document = *outcome.document;
  document.created = provenance.created;
  document.provenance.emplace_back("kdyn", fmt::format("{} ({}), {}", version(), revision(), compiler()));
  document.provenance.emplace_back("Operation", operation.name);
  for (const Source& input : provenance.inputs)
    document.provenance.emplace_back("Input", fmt::format("{}  sha256 {}", input.path, input.sha256));
  for (const auto& [name, value] : given.items()) document.provenance.emplace_back("Option " + name, readable(value));
  document.provenance.emplace_back("Computing time", fmt::format("{:.3g} s", seconds));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i)
    if (i == text.size() || text[i] == separator) {
      parts.emplace_back(trim(std::string_view(text).substr(start, i - start)));
      start = i + 1;
    }
  return parts;
}

// A word as JSON when it is JSON, else as text.
Json json_or_text(const std::string& word) {
  const Json parsed = Json::parse(word, nullptr, false);
  return parsed.is_discarded() ? Json(word) : parsed;
}

}  // namespace

std::string now_text() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = registered_operations();
  return all;
}

const Operation* find_operation(std::string_view name) {
  for (const Operation& operation : operations())
    if (operation.name == name) return &operation;
  return nullptr;
}

Outcome run_operation(const Operation& operation, const Json& options, Progress& progress) {
  for (const Field& field : operation.options().fields())
    if (field.required && !options.contains(field.name))
      throw_bad_input(field.name, "this is needed",
                      fmt::format("{}; for example: {}", field.meaning, operation.example));
  const auto begin = std::chrono::steady_clock::now();
  Outcome outcome;
  try {
    outcome = operation.run(options, progress);
  } catch (const Json::exception& error) {
    // A reader that did not look at a type before it took the value: the file is at fault, whatever the operation.
    throw_bad_input(
        operation.name,
        fmt::format("a value in one of the JSON inputs has another type than it must have: {}", error.what()),
        "compare the file with its description in docs/, or with one that kdyn wrote");
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  add_provenance(operation, options, seconds, outcome);
  return outcome;
}

Json describe_operations(const Operation* only) {
  Json all = Json::array();
  for (const Operation& operation : operations()) {
    if (only != nullptr && only->name != operation.name) continue;
    Json fields;
    operation.options().schema(fields);
    std::string group;
    for (Json& field : fields) {
      for (const Heading& heading : operation.headings)
        if (heading.first_field == field["name"].get<std::string>()) group = heading.title;
      if (!group.empty()) field["group"] = group;
    }
    Json input, output;
    operation.options().json_schema(input);
    std::vector<const FieldTable*> results;
    for (const auto& table : operation.results) results.push_back(&table());
    json_schema(results, {{"provenance", &field_table<Provenance>()}}, output);
    all.push_back({{"operation", operation.name},
                   {"summary", operation.summary},
                   {"example", operation.example},
                   {"fields", std::move(fields)},
                   {"input_schema", std::move(input)},
                   {"output_schema", std::move(output)}});
  }
  return {{"kdyn", version()}, {"display_units", described_json(shown_units())}, {"operations", std::move(all)}};
}

Json value_from_words(const Field& field, const std::vector<std::string>& words) {
  demand(!words.empty(), "a flag has at least one word");
  const std::string& word = words.front();
  switch (field.kind) {
    case FieldKind::text:
    case FieldKind::choice: return word;
    case FieldKind::texts: {
      if (words.size() == 1 && word.starts_with("[")) return json_or_text(word);
      return words;
    }
    case FieldKind::integers:
    case FieldKind::numbers: {
      if (words.size() == 1 && word.starts_with("[")) return json_or_text(word);
      Json list = Json::array();
      for (const std::string& one : words)
        for (const std::string& part : split(one, ',')) list.push_back(json_or_text(part));
      return list;
    }
    case FieldKind::text_map:
    case FieldKind::number_map: {
      if (word.starts_with("{")) return json_or_text(word);
      const bool texts = field.kind == FieldKind::text_map;
      Json map = Json::object();
      for (const std::string& one : words)
        for (const std::string& part : split(one, ',')) {
          const auto equal = part.find('=');
          if (equal == std::string::npos)
            throw_bad_input(field.name, fmt::format("{} is not name=value", in_quotes(part)),
                            texts ? "write for example force=kN" : "write for example lambda=0.38,ymax=4.4e-4");
          const std::string value = part.substr(equal + 1);
          map[part.substr(0, equal)] = texts ? Json(value) : json_or_text(value);
        }
      return map;
    }
    case FieldKind::any: {
      // name=text, several with commas or by repeating the flag; what starts with a brace is JSON.
      if (words.size() == 1 && (word.find('=') == std::string::npos || word.starts_with("{") || word.starts_with("[")))
        return json_or_text(word);
      Json map = Json::object();
      for (const std::string& one : words) {
        if (one.starts_with("{")) {
          for (const auto& [name, value] : json_or_text(one).items()) map[name] = value;
          continue;
        }
        for (const std::string& part : split(one, ',')) {
          const auto equal = part.find('=');
          if (equal == std::string::npos || equal == 0)
            throw_bad_input(field.name, fmt::format("{} is not name=value", in_quotes(part)),
                            "write for example force=\"Load Cell 2\",time=1");
          map[part.substr(0, equal)] = part.substr(equal + 1);
        }
      }
      return map;
    }
    default: return json_or_text(word);
  }
}

void set_from_text(Json& options, const FieldTable& table, const std::string& assignment) {
  const auto equal = assignment.find('=');
  if (equal == std::string::npos) throw_bad_input("--set " + assignment, "there is no '='", "write --set field=value");
  const std::string value = assignment.substr(equal + 1);
  // Dots lead into structs, field by field, and into a map: fix.lambda.
  const FieldTable* at = &table;
  Json* place = &options;
  for (std::string rest = assignment.substr(0, equal);;) {
    const auto dot = rest.find('.');
    std::string name = rest.substr(0, dot);
    std::replace(name.begin(), name.end(), '-', '_');
    const Field* field = at->find(name);
    if (field == nullptr)
      throw_bad_input("--set " + name, fmt::format("unknown field {} of {}", in_quotes(name), at->subject()),
                      suggest(name, at->names()));
    place = &(*place)[field->name];
    if (dot != std::string::npos && !place->is_null() && !place->is_object())
      throw_bad_input("--set " + assignment, fmt::format("{} has no parts that could be set", in_quotes(field->name)),
                      "leave the point out, or give the whole value once");
    if (dot == std::string::npos) return void(*place = value_from_words(*field, {value}));
    rest = rest.substr(dot + 1);
    if (field->kind != FieldKind::object)
      return void((*place)[rest] = field->kind == FieldKind::text_map ? Json(value) : json_or_text(value));
    at = field->table();
  }
}

Json with_job_file(const FieldTable& table, const Json& given) {
  const auto job = std::find_if(table.fields().begin(), table.fields().end(),
                                [](const Field& f) { return f.role == PathRole::job; });
  demand(job != table.fields().end(), "an operation with job files has a field for them");
  if (!given.contains(job->name) || !given[job->name].is_string()) return given;
  const std::string path = given[job->name].get<std::string>();
  if (path.empty()) return given;
  const Json file = read_json(path);
  if (!file.is_object()) throw_bad_input(path, "a job file must be a JSON object", R"(write {"field": value, ...})");
  Json out = Json::object();
  for (const auto& [key, value] : file.items())
    if (table.find(key) == nullptr)
      throw_bad_input(path + ": " + key, fmt::format("unknown field {} of {}", in_quotes(key), table.subject()),
                      suggest(key, table.names()));
  table.overlay(out, file);
  table.resolve_paths(out, std::filesystem::path(path).parent_path().string());
  table.overlay(out, given);
  return out;
}

std::string findings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += fmt::format("  {}: {}", to_string(f.severity), f.message);
    if (!f.where.empty()) text += fmt::format(" ({})", f.where);
    text += '\n';
    if (!f.remedy.empty()) text += fmt::format("    {}\n", f.remedy);
  }
  return text;
}

}  // namespace kdyn::app
