// SPDX-License-Identifier: Apache-2.0
// Many nominally identical parts: spread of their parameters, capability against tolerance bands, trends over date or
// order, differences of batches, parts that stand apart, and a scatter model for tolerance studies.
//
// Groups whose last part of the name is the same ("left/z", "right/z") are nominally the same and form a family; names
// without a folder form one family. Parts whose fit failed take no part. Statistics are of the estimates: measurement
// noise is in them. The multivariate distance is taken over logarithms of the free parameters [numerics E15].
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/mount/batch.hpp"
#include "kdyn/numerics/population.hpp"

namespace kdyn::app {

// Tolerance bands: "static_stiffness" or "z.static_stiffness" -> [lower, upper], SI.
using Tolerances = std::map<std::string, std::pair<double, double>>;

// Parts of one batch.
struct BatchMean {
  std::string batch;
  std::size_t count = 0;
  double mean = 0.0, std = 0.0;
};
const FieldTable& fields_of(const BatchMean*);

struct ParameterPopulation {
  std::string name, unit;
  SampleStatistics statistics;
  double noise_std = 0.0;  // root mean square of the standard deviations of the estimates
  std::optional<Capability> capability;
  std::vector<BatchMean> batches;  // in the order in which they come up; empty when the files name fewer than two
  double batch_difference = 0.0;   // of their means, in standard deviations
};

struct Family {
  std::string name;                  // "z"; empty when the names tell none
  std::vector<std::size_t> members;  // parts with a result; by date where all of them state one
  std::vector<double> days;          // of the members, since 1970; empty: not all state one, the order is that of names
  std::vector<ParameterPopulation> parameters;
  // Of the logarithms of `scatter_names`; empty when there are too few parts.
  std::vector<std::string> scatter_names;
  Eigen::VectorXd log_mean;
  Eigen::MatrixXd log_covariance;
  double distance_limit = 0.0;
};

struct Population {
  std::vector<PartSummary> parts;
  std::vector<double> distance;                    // of each part from its family; NaN when not known
  std::vector<std::vector<std::string>> outliers;  // parameters of each part that stand apart
  std::vector<Family> families;
  std::vector<Finding> findings;
};
Population describe_population(std::vector<PartSummary> parts, const Tolerances& tolerances);

// result.json of a batch.
struct BatchOutput {
  std::string status, reason;
  const Population& population;
  Json options_used;
  std::vector<Finding> findings;
};
const FieldTable& fields_of(const BatchOutput*);

// Result, report, scatter models and what a terminal shows.
Outcome population_outcome(const std::string& title, Population population, std::vector<Finding> told,
                           const Json& options_used);

report::Document population_report(const std::string& title, const Population& population,
                                   const std::vector<Finding>& findings, bool stopped);

}  // namespace kdyn::app
