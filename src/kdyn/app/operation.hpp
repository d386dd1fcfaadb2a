// SPDX-License-Identifier: Apache-2.0
// Operations: registered once with name, options type, result types and function; command line, server and bindings
// look them up and know no physics.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

// A file an operation wants beside result.json: name inside the output folder, and content.
struct OutputFile {
  std::string name, content;
};

// What an operation hands back. `result` gets the provenance and becomes result.json.
struct Outcome {
  Json result = Json::object();
  bool complete = true;                      // false: not converged or stopped; the exit code is 3
  std::optional<report::Document> document;  // becomes report.html
  std::vector<OutputFile> files;
  std::string text;            // for a person at a terminal
  std::vector<Source> inputs;  // path, sha256 and unit conversions of every file that was read
};

// Options are shown in groups: a heading stands before the field that opens its group.
struct Heading {
  std::string first_field, title;
};

struct Operation {
  std::string name;     // "fit elastomer"
  std::string summary;  // one line
  std::string example;  // a command line that works on the bundled data
  const FieldTable& (*options)();
  std::vector<const FieldTable& (*)()>
      results;  // of result.json, provenance aside; several when there are several kinds of jobs
  std::function<Outcome(const Json& options, Progress& progress)> run;
  std::vector<Heading> headings;
};

const std::vector<Operation>& operations();
const Operation* find_operation(std::string_view name);

// Runs an operation: parses options (strict), adds status, findings and provenance to the result, dates the report.
Outcome run_operation(const Operation& operation, const Json& options, Progress& progress);

// The date and time of now in UTC, as results and jobs carry it: 2026-03-01T12:00:00Z.
std::string now_text();

// Name, fields, examples and JSON Schemas of options and result of every operation, or of one: what `kdyn describe
// --json` prints.
Json describe_operations(const Operation* only = nullptr);

// The words of a flag as the JSON value its field wants: JSON, else text; lists may be written 1,2,5 and maps a=1,b=2.
Json value_from_words(const Field& field, const std::vector<std::string>& words);
// The same for --set field=value, where the field may be dotted into a map: fix.lambda=0.3.
void set_from_text(Json& options, const FieldTable& table, const std::string& assignment);

// Options with those of the job file under them that the given ones name (a field with the role job): what is given
// wins, key by key, and paths in the file are relative to its folder.
Json with_job_file(const FieldTable& table, const Json& given);

// Pieces that operations share.
// A described value, or a list or map of such, as JSON of a result.
template <class T>
Json described_json(const T& value) {
  Field field;
  field.result = true;
  Json out;
  FieldValue<T>::get(field, FieldUse::shown, value, out);
  return out;
}
std::string findings_text(const std::vector<Finding>& findings);  // as a person reads them in the terminal

// For registration: parses the options struct and calls the function. The result types need only be declared, with
// their fields_of.
template <class Options, class... Results>
Operation make_operation(std::string name, std::string summary, std::string example,
                         Outcome (*function)(const Options&, Progress&), std::vector<Heading> headings = {}) {
  return {std::move(name),
          std::move(summary),
          std::move(example),
          &field_table<Options>,
          {&field_table<Results>...},
          [function](const Json& json, Progress& progress) {
            Options options;
            from_json_fields(options, json, "");
            return function(options, progress);
          },
          std::move(headings)};
}

}  // namespace kdyn::app
