// SPDX-License-Identifier: Apache-2.0
#include "help.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "default_folder.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/version.hpp"

namespace kdyn::cli {
namespace {

constexpr std::size_t page_width = 80, text_column = 28;

// The text wrapped into lines that begin at a column; `out` ends there.
void wrap(std::string& out, const std::string& text, std::size_t first_column) {
  const std::string margin(first_column, ' ');
  std::size_t column = first_column;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > first_column && column + (end - at) > page_width) {
      while (out.back() == ' ') out.pop_back();
      out += "\n" + margin;
      column = first_column;
    }
    out += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
    if (at < text.size()) {
      out += ' ';
      ++column;
    }
  }
  out += "\n";
}

// A command in lines that a shell takes as one.
std::string command_lines(const std::string& first, const std::string& command) {
  std::string out = first;
  std::size_t column = first.size();
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find(' ', at), command.size()), length = end - at;
    // Two more for the backslash, where the command goes on.
    if (at > 0 && column + 1 + length + (end < command.size() ? 2 : 0) > page_width) {
      out += " \\\n    ";
      column = 4;
    } else if (at > 0) {
      out += ' ';
      ++column;
    }
    out += command.substr(at, length);
    column += length;
    at = end + 1;
  }
  return out + "\n";
}

// One entry: what is typed on the left, the explanation wrapped on the right.
std::string entry(const std::string& left, const std::string& text) {
  std::string out = "  " + left;
  if (out.size() + 2 > text_column)
    out += "\n" + std::string(text_column, ' ');
  else
    out.resize(text_column, ' ');
  wrap(out, text, text_column);
  return out;
}

std::string value_hint(const Field& field) {
  const std::string unit = field.unit == "-" || field.unit.empty() ? "" : field.unit;
  switch (field.kind) {
    case FieldKind::choice: return join(field.choices, "|");
    case FieldKind::flag: return "true|false";
    case FieldKind::texts: return field.role != PathRole::none ? "FILE..." : "NAME...";
    case FieldKind::text:
      return field.role == PathRole::none ? "TEXT" : field.role == PathRole::folder ? "FOLDER" : "FILE";
    case FieldKind::integer: return "COUNT";
    case FieldKind::number:
    case FieldKind::optional_number: return unit.empty() ? "NUMBER" : unit;
    case FieldKind::numbers: return (unit.empty() ? "NUMBER" : unit) + ",...";
    case FieldKind::integers: return "COUNT,...";
    case FieldKind::number_map: return "NAME=VALUE,...";
    case FieldKind::text_map: return "NAME=TEXT,...";
    default: return "JSON";
  }
}

std::string limits(const Field& field) {
  const bool low = std::isfinite(field.lower), high = std::isfinite(field.upper);
  if (low && high) return fmt::format("{:g} to {:g}", field.lower, field.upper);
  if (low) return fmt::format("{} {:g}", field.lower_open ? "above" : "at least", field.lower);
  if (high) return fmt::format("at most {:g}", field.upper);
  return "";
}

std::string default_text(const Json& value) {
  if (value.is_null() || ((value.is_string() || value.is_array() || value.is_object()) && value.empty())) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return fmt::format("{:.4g}", value.get<double>());
  if (value.is_array()) {
    std::vector<std::string> parts;
    for (const Json& one : value)
      parts.push_back(one.is_number() ? fmt::format("{:g}", one.get<double>()) : one.dump());
    return join(parts, ",");
  }
  return "";  // an object: its fields have their own defaults
}

std::string explanation(const Field& field, const Json& schema) {
  std::vector<std::string> facts;
  if (field.required) facts.push_back("required");
  if (const std::string text = limits(field); !text.empty()) facts.push_back(text);
  if (const std::string text = default_text(schema.value("default", Json())); !text.empty() && !field.required)
    facts.push_back("default " + text);
  return facts.empty() ? field.meaning : fmt::format("{} ({})", field.meaning, join(facts, "; "));
}

std::string usage(const app::Operation& operation) {
  std::string words;
  for (const Field& field : operation.options().fields())
    if (field.positional) words += " " + std::string(field.kind == FieldKind::texts ? "FILE..." : "FILE");
  return fmt::format("Usage: kdyn {}{} [options] [--out DIR]\n", operation.name, words);
}

std::string list_of(const std::string& group) {
  std::string out;
  for (const app::Operation& operation : app::operations())
    if (group.empty() || operation.name.starts_with(group + " ")) out += entry(operation.name, operation.summary);
  return out;
}

}  // namespace

std::string flag_name(std::string field) {
  std::replace(field.begin(), field.end(), '_', '-');
  return field;
}

std::string help_of_program() {
  std::string out = "kdyn: models of rubber bushings and mounts from measurements\n\n";
  out += "Usage: kdyn OPERATION [inputs] [options] --out DIR\n\nOperations\n" + list_of("");
  out +=
      entry("example [NAME]", "Write a bundled example into a folder to play with; without a name the list") +
      entry("serve [--project DIR]", "The web application: drop files, fit, turn parameters, export; see serve --help");
  out += entry("describe [OPERATION] [--json]", "Print operations and their options; --json as a schema") +
         entry("completion SHELL", "Print what makes bash, zsh or fish complete words of kdyn") +
         entry("man", "Print the manual page; kdyn man | man -l - shows it") +
         entry("self-test", "Check this installation on the bundled data");
  out += "\nOptions\n" + entry("help [OPERATION]", "This page, or the options of an operation; --help does the same") +
         entry("--version", "Version and revision");
  out +=
      "\nExit codes: 0 done, 2 bad options or file content, 3 not converged or stopped,\n"
      "4 file missing or unreadable, 5 internal error\n";
  return out;
}

std::string help_of_group(const std::string& group) {
  return fmt::format(
      "Usage: kdyn {} ... [options] --out DIR\n\nOperations\n{}\nkdyn OPERATION --help tells the options of one.\n",
      group, list_of(group));
}

std::string help_of(const app::Operation& operation) {
  std::string out;
  wrap(out, operation.summary, 0);
  out += "\n" + usage(operation);
  Json schema;
  operation.options().schema(schema);
  std::size_t index = 0;
  bool headed = false;
  for (const Field& field : operation.options().fields()) {
    for (const app::Heading& heading : operation.headings)
      if (heading.first_field == field.name) out += "\n" + heading.title + "\n", headed = true;
    if (!headed) out += "\nOptions\n", headed = true;
    const std::string left =
        field.positional ? value_hint(field) : fmt::format("--{} {}", flag_name(field.name), value_hint(field));
    out += entry(left, explanation(field, schema[index++]));
  }
  out += "\nJob\n";
  out +=
      entry("--out DIR",
            "Folder for result.json, report.html and other files; a run that fails (exit code 2, 4, 5) writes nothing" +
                std::string(only_looks(operation)
                                ? ""
                                : ". Default: out/INPUT_OPERATION, with a number behind it when that has results"));
  out += entry("--config FILE", "Job file: a JSON object of these options, named with underscores");
  out += entry("--set NAME=VALUE",
               "One option, the value as JSON or text, e.g. fix.lambda=0.3; may be repeated. --set wins over flags, "
               "flags over --config");
  out += entry("--cover FILE", "Cover of the report: a JSON object with part, customer, bench, operator, note, logo");
  out += entry("--no-report", "Write no report.html") + entry("--json", "Print result.json on standard output") +
         entry("--quiet", "No progress, no summary") +
         entry("--verbose", "Every step of the progress with its time, each on a line");
  out += "\n" + command_lines("Example: ", operation.example);
  return out;
}

}  // namespace kdyn::cli
