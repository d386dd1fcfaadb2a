// SPDX-License-Identifier: Apache-2.0
// The operation update: a finite-element model calibrated by measured frequency responses, and the planning of such a test.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/modal_inputs.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/update/population.hpp"
#include "kdyn/update/update.hpp"

namespace kdyn::app {

struct UpdateJob {
  std::string job;                       // JSON file with any of the other fields; flags go before it
  std::vector<std::string> model;        // Nastran deck, or files with matrices
  std::vector<std::string> data;         // responses of one part
  Json parts = Json::array();            // [{"name": ..., "data": [...]}], several parts
  Json configurations = Json::array();   // [{"name": ..., any other field}], several models or tests in one report
  Json parameters = Json::array();       // what is not known
  Json groups = Json::object();          // bounds and fixing for groups of parameters
  Json equalised = Json::array();        // [{"damping": 0.02, "data": [...]}], responses that are equalised already
  Json channel_map = Json::object();     // label in the data -> label in the model
  Json directions = Json::object();      // label in the data -> [x, y, z] or the label of a coordinate system of the deck
  Json identification = Json::object();  // options of kdyn modal
  double length_m = 1.0, mass_kg = 1.0;  // one unit of the deck
  std::string title;
  update::UpdateOptions updating;
  bool plan = false;  // plan the test instead
  std::vector<std::string> candidates, inputs;
  int sensors = 0;  // 0: twice the modes in the band
  double noise_percent = 1.0;
};

// Parameters of a job; throws Error(bad_input) naming the entry.
std::vector<update::ParameterSetting> parameter_settings(const Json& parameters, const Json& groups);
// `systems` gets the coordinate systems of the deck.
update::FullModel read_full_model(const UpdateJob& job, ModalInputs& inputs, std::vector<CoordinateSystem>* systems = nullptr);
// Parts of a job with their responses, channels and directions.
std::vector<update::Part> read_parts(const UpdateJob& job, const update::FullModel& model, const std::vector<CoordinateSystem>& systems,
                                     ModalInputs& inputs);

Operation update_operation();

Json part_json(const update::PartResult& part, const update::FullModel& model);

// One model with its parts, calibrated.
struct UpdateCase {
  std::string name;  // of the configuration
  update::FullModel model;
  update::UpdateResult result;
  update::Population population;   // when there are several parts
  std::vector<double> weighed_kg;  // of the parts; NaN: not weighed
};
report::Document update_report(const std::string& title, const std::vector<UpdateCase>& cases);
void add_paper_tables(report::Document& out, const std::vector<UpdateCase>& cases);
Outcome plan_update(const UpdateJob& job, const update::FullModel& model, Progress& progress);

const FieldTable& fields_of(const UpdateJob*);

}  // namespace kdyn::app
