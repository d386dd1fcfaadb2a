// SPDX-License-Identifier: Apache-2.0
// What inspect, convert, import and export write.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/exchange/exchange_jobs.hpp"
#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/fmu/fmu.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/rig/mount_difference.hpp"

namespace kdyn::app {

// Which operation a file looks made for.
struct Suggestion {
  std::string operation, because;
};
const FieldTable& fields_of(const Suggestion*);

// What a file is by its content; measurements of a bench tell more.
struct InspectedSet {
  Source source;
  std::string kind;
  std::optional<std::size_t> rows{};
  std::optional<AxisKind> axis{};
  std::optional<std::pair<double, double>> frequency_range_hz{};  // of a map
  std::optional<std::vector<double>> amplitudes{}, preloads{};    // its levels
  std::optional<Suggestion> suggests{};
  std::string part{}, direction{};
  std::optional<double> temperature_c{};
};
const FieldTable& fields_of(const InspectedSet*);

// What of a deck can be calibrated by update: labels of elements, properties and materials.
struct InspectedDeck {
  std::vector<std::int64_t> bushings, shells, materials;
};
const FieldTable& fields_of(const InspectedDeck*);

// Where something of a model or deck sits that a page lets its user point at.
struct InspectedPlace {
  std::string name, kind;  // bushing, spring or sensor
  std::array<double, 3> at = {0, 0, 0};
};
const FieldTable& fields_of(const InspectedPlace*);

// A column of a table as it stands in the file, and what its title says by itself.
struct InspectedColumn {
  std::string title, meaning, unit;
  std::vector<std::string> cells;  // the first ones
};
const FieldTable& fields_of(const InspectedColumn*);

// The columns of a table of text or of the first sheet of a workbook; none when there is no table.
std::vector<InspectedColumn> columns_of_table(const std::string& path);

// One of several sheets of a workbook.
struct InspectedSheet {
  std::string name;
  std::vector<InspectedColumn> columns;
};
const FieldTable& fields_of(const InspectedSheet*);

// Those that are shown, when there are several.
std::vector<InspectedSheet> sheets_of_workbook(const std::string& path);

struct InspectedFile {
  InspectedSet what;
  std::optional<std::string> operation{}, status{};  // of a result
  std::vector<std::string> operations{};             // that take these options
  std::string model{};                               // kind of a model file
  std::optional<std::string> format{};
  std::vector<InspectedSet> sets{};  // when there are several
  std::optional<std::map<std::string, std::size_t>> cards_skipped{};
  std::optional<InspectedDeck> deck{};
  std::vector<InspectedPlace> places{};    // in the axes and units of its picture
  std::vector<InspectedColumn> columns{};  // of a table
  std::vector<InspectedSheet> sheets{};    // of a workbook with several
  std::vector<std::string> summary{};
  std::vector<Finding> findings{};
};
const FieldTable& fields_of(const InspectedFile*);

struct SavedLayout {
  std::string name, path;
  std::vector<std::string> match;  // columns by which a header is known again
};
const FieldTable& fields_of(const SavedLayout*);

struct InspectOutput {
  std::string status = "done";
  std::vector<InspectedFile> files;
  std::optional<SavedLayout> layout;
  std::vector<Finding> findings;
};

struct WrittenFile {
  std::string path;
  std::size_t bytes = 0;
  std::string sha256;
};
const FieldTable& fields_of(const WrittenFile*);
WrittenFile written(const std::string& path, const std::string& content);

struct ConvertOutput {
  std::string kind;
  std::vector<WrittenFile> files;
  std::vector<std::string> summary;
  std::vector<Finding> findings;
};

struct ImportedModel {
  std::string path, direction, model;
};
const FieldTable& fields_of(const ImportedModel*);

struct ImportOutput {
  std::string kind;
  std::vector<ImportedModel> files{};
  std::vector<std::pair<std::string, ModelObject>> models{};  // by direction
  std::optional<ModelObject> bushing{};
  std::vector<Finding> findings{};
};

// How far a property file that was read back is from the model.
struct DifferenceShown {
  AxisKind axis;
  MountDifference of;
};
const FieldTable& fields_of(const DifferenceShown*);

// Model and file at the sine where the damping of the file is taken.
struct ChosenPoint {
  AxisKind axis;
  double frequency_hz, amplitude;
  double k_dyn, loss_angle, k_dyn_file, loss_angle_file;
};
const FieldTable& fields_of(const ChosenPoint*);

struct ExportedAxis {
  std::optional<DifferenceShown> read_back{};
  std::optional<ChosenPoint> chosen_point{};
  std::optional<std::vector<std::string>> lost{};
  std::optional<DifferenceShown> without_kdyn_blocks{};
  std::optional<std::vector<std::string>> lost_by_others{};
  std::optional<double> akima_rel{};
};
const FieldTable& fields_of(const ExportedAxis*);

struct ExportComparison {
  std::array<std::optional<ExportedAxis>, 6> axes{};
  std::optional<double> coupling_rel{};
};
const FieldTable& fields_of(const ExportComparison*);

struct ExportedFmu {
  std::string path, fmi_version;
  std::vector<std::string> platforms;
  std::optional<std::vector<std::string>> inputs, outputs;     // of a multibody model
  std::vector<std::pair<std::string, std::size_t>> entries{};  // path in the archive, bytes
};
const FieldTable& fields_of(const ExportedFmu*);
ExportedFmu exported_fmu(const std::string& name, int version, const Fmu& fmu);

// In one line, for a button.
struct ExportLoss {
  std::string words;
  std::optional<Severity> severity{};  // of the worst finding; none: nothing is lost
};
const FieldTable& fields_of(const ExportLoss*);

struct ExportOutput {
  std::vector<ExportedFmu> fmu{};
  std::optional<ExportLoss> loss{};  // of a mount
  std::optional<ExportComparison> comparison{};
  std::vector<WrittenFile> files{};
  std::vector<Finding> findings{};
};

}  // namespace kdyn::app
