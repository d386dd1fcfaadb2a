// SPDX-License-Identifier: Apache-2.0
// kdyn study: any operation or chain of them over a design of runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/study/design.hpp"

namespace kdyn::app {

// One operation of the chain.
struct StudyStage {
  std::string name, operation;
  Json options = Json::object();
  std::map<std::string, std::string> files;  // what it reads under a name -> what stands for it
  std::string comment;
};

enum class PlaceUse { value, factor, add };

struct StudyParameter {
  std::string name, unit;
  std::vector<std::string> places;
  PlaceUse use = PlaceUse::value;
  Json values = Json::array();   // numbers, texts, anything that may stand there
  Json levels = Json::object();  // name -> {place: value}
  std::optional<study::DistributionKind> distribution;
  std::optional<double> lower, upper, mean, std, mode, start;
  int points = 0;
  std::string comment;
};

struct StudyCorrelation {
  std::vector<std::string> parameters;
  double value = 0.0;
  std::string comment;
};

// Nominally identical parts as a batch of fits describes them.
struct StudyPopulation {
  std::string name, scatter, place;
  PlaceUse use = PlaceUse::factor;
  std::string comment;
};

enum class SignalStatistic { rms, mean, std, minimum, maximum, peak, range, last };

struct StudyResponse {
  std::string name, unit;
  std::string value;          // path in the result of a stage
  std::string file, channel;  // or a channel of a file that a stage wrote
  SignalStatistic statistic = SignalStatistic::rms;
  std::optional<double> from_s, to_s;
  std::string comment;
};

struct StudyKeep {
  std::string response;
  int smallest = 1, largest = 1;
};

enum class StudyDesign { grid, random, latin_hypercube, sobol, sensitivity, list, optimise };

// What the design optimise brings down, from responses.
enum class StudyObjectiveKind { sum, largest, squares, formula };

struct StudyTerm {
  std::string response;
  double weight = 1.0;
  std::optional<double> target;
  std::string comment;
};

struct StudyObjective {
  StudyObjectiveKind kind = StudyObjectiveKind::sum;
  std::vector<StudyTerm> terms;
  std::string formula;
};

struct StudyConstraint {
  std::string name, response, formula;
  std::optional<double> above, below;
  std::string comment;
};

struct StudySearch {
  int starts = 3, most_runs = 1000;
  double tolerance = 1e-5;
};

struct StudyJob {
  std::string job;
  std::vector<StudyStage> chain;
  std::vector<StudyParameter> parameters;
  std::vector<StudyPopulation> populations;
  std::vector<StudyCorrelation> correlations;
  StudyDesign design = StudyDesign::latin_hypercube;
  int runs = 100;
  std::int64_t seed = 1;
  std::string list;
  std::vector<StudyResponse> responses;
  StudyObjective objective;
  std::vector<StudyConstraint> constraints;
  StudySearch search;
  std::vector<StudyKeep> keep;
  double allowed_failures = 0.1;
  int threads = 0;
  std::string title;
};
Outcome study_job(const StudyJob& job, Progress& progress);
Operation study_operation();

const FieldTable& fields_of(const StudyStage*);
const FieldTable& fields_of(const StudyParameter*);
const FieldTable& fields_of(const StudyCorrelation*);
const FieldTable& fields_of(const StudyPopulation*);
const FieldTable& fields_of(const StudyResponse*);
const FieldTable& fields_of(const StudyKeep*);
const FieldTable& fields_of(const StudyTerm*);
const FieldTable& fields_of(const StudyObjective*);
const FieldTable& fields_of(const StudyConstraint*);
const FieldTable& fields_of(const StudySearch*);
const FieldTable& fields_of(const StudyJob*);

struct StudyOutput;
const FieldTable& fields_of(const StudyOutput*);

}  // namespace kdyn::app
