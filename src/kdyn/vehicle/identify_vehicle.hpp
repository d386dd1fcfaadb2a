// SPDX-License-Identifier: Apache-2.0
// Physical parameters of a vehicle from its free decays or from records on a measured road, as it is and with known
// added mass; by any sensors on body and wheels (channels.hpp), or as bounce, pitch and roll of the centre of gravity.
//
// Default: structured maximum likelihood. The unknowns are the logarithms of the parameters; initial states are
// eliminated and the noise of each channel is estimated along the way [vehicle E17-E19], [vehicle E24]. It attains the
// Cramer-Rao bound on simulated data. The published state variable method and the realisation algorithm are there for
// comparison; they need 20 dB less noise for the same result.
//
// The scale of all masses, stiffnesses and dampings is that of the added mass: +5 % in each of its entries is +5 % in
// each of them; how well it is known is part of the intervals. Without added mass at least one of them must be fixed.
// Valid for small motions of a vehicle as in
// vehicle.hpp with white sensor noise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/decays.hpp"

namespace kdyn::inline vehicle {

enum class VehicleMethod { maximum_likelihood, state_variable, realisation };

enum class DamperLaw { linear, bilinear };

struct VehicleFitOptions {
  VehicleMethod method = VehicleMethod::maximum_likelihood;
  bool symmetric = true;                  // 15 parameters; otherwise 23, each corner its own
  DamperLaw dampers = DamperLaw::linear;  // bilinear: another damping in rebound than in compression [vehicle E35]
  std::map<std::string, double> fixed;    // measured directly: name -> value
  std::map<std::string, double>
      start;  // name -> start value; the others come from the data, and all do when the fit misses the noise
  std::optional<double> wheelbase_m;      // first to second axle, measured: a + b
  double added_mass_std = 0.005;          // relative, a common factor of all added masses [vehicle E37]
  std::optional<double> weighed_mass_kg;  // of the vehicle as it stands on its wheels, for checking the added mass
  std::vector<double> noise;              // known sensor noise of the channels, SI; empty: estimated
  std::int64_t reweightings = 4;
  std::int64_t max_iterations = 60;  // of each weighted solution
  std::int64_t stack = 10;           // state variable method and realisation: samples stacked, minus one
  DecayOptions decays;
};

// How one channel was met.
struct ChannelCheck {
  std::string name, unit;
  double residual = 0.0;  // standard deviation, the one used in the weights
  double noise = 0.0;     // of the sensor: given, or from the end of the records
  double ratio = 0.0;     // residual over noise: near 1 when the model is right
  double lag_one = 0.0;   // correlation of neighbouring residuals: near 0 when what is left is noise
  // Factor and delay, beyond what is assumed, with which this channel would fit best to the vehicle and all others
  // [vehicle E25]; infinite std: not told; 1, 0 and std 0 where they were found.
  double gain = 1.0, gain_std = 0.0, delay_s = 0.0, delay_std_s = 0.0;
};

// Score test of one added mass: what its entry would have to be for the best fit, all others taken as said [vehicle
// E25].
struct AddedMassCheck {
  std::string name;
  double change = 0.0, std = 0.0;  // relative
};

struct VehicleFitResult {
  std::string status = "not run";  // converged | not_converged | stopped
  std::string reason;
  Vehicle<double> vehicle;
  std::vector<ParameterEstimate> parameters;  // of the vehicle, then those of sensors that were unknown
  std::vector<std::string> correlation_names;
  Eigen::MatrixXd correlation;
  std::vector<std::string> not_told_apart;
  std::vector<ChannelCheck> channels;
  std::vector<AddedMassCheck> added_mass;
  std::optional<double> asymmetry_K;                     // |K - K^T|/|K| of the model-free matrices
  std::vector<VehicleModes> modes;                       // of each configuration, from the identified parameters
  std::map<std::string, Eigen::VectorXd> other_methods;  // name of the method -> parameter values, where it worked
  PreparedDecays decays;                                 // what was fitted
  std::vector<Eigen::MatrixXd> model;                    // samples of the model for every record
  std::vector<Finding> findings;
  std::vector<double> cost_history;
  int iterations = 0, evaluations = 0;
  double seconds = 0.0;
};

// Wrong options and decays of no use throw; not converging is a status.
VehicleFitResult identify_vehicle(const DecaySet& measured, const VehicleFitOptions& options,
                                  Progress& progress = silent_progress());

const FieldTable& fields_of(const VehicleFitOptions*);

}  // namespace kdyn::inline vehicle
