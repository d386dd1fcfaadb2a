// SPDX-License-Identifier: Apache-2.0
// The operation update: a finite-element model calibrated by measured frequency responses, and the planning of such a
// test.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/app/structure/modal_inputs.hpp"
#include "kdyn/fe/nastran_update.hpp"
#include "kdyn/update/population.hpp"
#include "kdyn/update/update.hpp"

namespace kdyn::app {

// Responses that have one damping ratio for all modes already.
struct UpdateEqualised {
  double damping = 0.0;
  std::vector<std::string> data;
};

struct UpdatePart {
  std::string name;  // by default "part 1" and so on
  std::vector<std::string> data;
  std::vector<UpdateEqualised> equalised;  // instead of data
  std::optional<double> weighed_kg;
  std::string comment;
};

// Bounds are relative changes.
struct UpdateLimits {
  std::optional<double> lower, upper;
  std::optional<bool> fixed;
  std::optional<double> known_percent;  // standard deviation of what is known beforehand
};

// What is not known: a property of the deck, or a derivative that comes with the matrices.
enum class UpdateParameterKind {
  matrix,
  bushing,
  thickness,
  young,
  density,
  spring,
  scalar_spring,
  point_mass,
  loss_factor,
  scalar_loss_factor,
  material_loss_factor
};
struct UpdateParameter {
  std::string name;
  UpdateParameterKind kind = UpdateParameterKind::matrix;
  std::vector<std::int64_t> labels;
  Json component;  // of a spring: x y z rx ry rz, or 1 to 6
  std::string group, unit;
  std::optional<double> nominal;
  UpdateLimits limits;
  std::optional<double> known_value;  // instead of the nominal one
  std::string comment;
};

struct UpdateJob {
  std::string job;                      // JSON file with any of the other fields; flags go before it
  std::vector<std::string> model;       // Nastran deck, or files with matrices
  std::vector<std::string> data;        // responses of one part
  std::vector<UpdatePart> parts;        // several parts
  Json configurations = Json::array();  // [{"name": ..., any other field}], several models or tests in one report
  std::vector<UpdateParameter> parameters;
  std::map<std::string, UpdateLimits> groups;  // limits for groups of parameters
  std::vector<UpdateEqualised> equalised;
  std::vector<std::pair<std::string, std::string>> channel_map;  // label in the data -> label in the model
  std::vector<std::pair<std::string, Json>>
      directions;               // label in the data -> [x, y, z] or the label of a coordinate system of the deck
  ModalOptions identification;  // as of kdyn modal
  double length_m = 1.0, mass_kg = 1.0;   // one unit of the deck
  std::vector<std::string> ignore_cards;  // of the deck, by name
  std::string title;
  update::UpdateOptions updating;
  bool carry_over = false;  // what earlier configurations found is known beforehand here
  bool write_deck = true;   // the deck with the calibrated parameters, when the model is a deck
  bool plan = false;        // plan the test instead
  std::vector<std::string> candidates, inputs;
  int sensors = 0;  // 0: twice the modes in the band
  double noise_percent = 1.0;
};

// Parameters of a job; throws Error(bad_input) naming the entry.
std::vector<update::ParameterSetting> parameter_settings(const UpdateJob& job);
// `systems` gets the coordinate systems of the deck.
update::FullModel read_full_model(const UpdateJob& job, ModalInputs& inputs,
                                  std::vector<CoordinateSystem>* systems = nullptr);
// Parts of a job with their responses, channels and directions.
std::vector<update::Part> read_parts(const UpdateJob& job, const update::FullModel& model,
                                     const std::vector<CoordinateSystem>& systems, ModalInputs& inputs);

Operation update_operation();

// The deck with the parameters of one part.
struct UpdatedDeckOfPart {
  std::string part, folder;  // below the results
  fe::UpdatedDeck deck;
};
// A name as a folder: what is neither letter, digit nor - becomes _.
std::string file_name_of(const std::string& name);
// Decks of all parts of a case; what cannot be written is a finding.
std::vector<UpdatedDeckOfPart> updated_decks(const UpdateJob& job, const update::FullModel& model,
                                             const update::UpdateResult& result, const std::string& folder,
                                             std::vector<Finding>& findings);

// One model with its parts, calibrated.
struct UpdateCase {
  std::string name;  // of the configuration
  update::FullModel model;
  update::UpdateResult result;
  update::Population population;           // when there are several parts
  std::vector<double> weighed_kg;          // of the parts; NaN: not weighed
  std::vector<UpdatedDeckOfPart> decks{};  // written, one for each part
};
report::Document update_report(const std::string& title, const std::vector<UpdateCase>& cases);
void add_paper_tables(report::Document& out, const std::vector<UpdateCase>& cases);
Outcome plan_update(const UpdateJob& job, const update::FullModel& model, Progress& progress);

const FieldTable& fields_of(const UpdateEqualised*);
const FieldTable& fields_of(const UpdatePart*);
const FieldTable& fields_of(const UpdateLimits*);
const FieldTable& fields_of(const UpdateParameter*);
const FieldTable& fields_of(const UpdateJob*);

// What the operation writes.
struct UpdateOutput;
struct UpdatePlanOutput;
const FieldTable& fields_of(const UpdateOutput*);
const FieldTable& fields_of(const UpdatePlanOutput*);

}  // namespace kdyn::app
