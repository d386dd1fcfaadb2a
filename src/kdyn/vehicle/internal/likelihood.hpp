// SPDX-License-Identifier: Apache-2.0
// Residuals of free decays under the vehicle model, with the initial states eliminated (variable projection).
//
// The free motions of one configuration are y_c(t) = sum_j Re(g_c e^(-lambda_j tau_c) lambda_j^d H_c psi_j q_j
// e^(lambda_j t)), d = 0, 1, 2 for displacement, velocity, acceleration [vehicle E17]; H_c: what the channel sees of
// each degree of freedom, g_c gain, tau_c delay [vehicle E33]. What is left of the data after the best q has been taken
// out is the residual [vehicle E18].
//
// Speed: e^(lambda_j t) and t e^(lambda_j t) are 28 functions of time (with two axles) for all channels, records and
// parameters. Data and derivatives are expressed in an orthonormal basis of these functions first [vehicle E19]; from
// then on a channel has 28 numbers, however long the record.
#pragma once

#include <complex>
#include <memory>
#include <utility>
#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/decays.hpp"

namespace kdyn::inline vehicle::internal {

using ChannelValues = std::vector<double>;

// A vehicle and its channels, with the gains, delays and places that are assumed for them.
struct Assumed {
  Vehicle<double> vehicle;
  std::vector<DecayChannel> channels;
};

// A direction in which residuals are differentiated: what is changed, and the rate of each. Indices: members of the
// vehicle; factors on added masses, on point masses and on all that was added in a configuration; gain (relative),
// delay, x, y and turn about the vertical axis of channels.
struct Direction {
  std::vector<std::pair<int, double>> parts;
};
inline constexpr int first_added_mass = max_members, first_point_mass = first_added_mass + max_dofs, max_points = 1000,
                     first_load = first_point_mass + max_points, max_loads = 100,
                     first_channel_value = first_load + max_loads;
enum class ChannelValue { gain, delay, x, y, turn };
inline constexpr int channel_values = 5;
inline int index_of(int channel, ChannelValue what) {
  return first_channel_value + channel_values * channel + static_cast<int>(what);
}

// What a part of a direction changes that is no member of the vehicle: the mass matrix by added and point masses, what
// channels see of each degree of freedom by their places, gain (relative) and delay. One for all likelihoods.
struct SetChange {
  Eigen::MatrixXd mass, rows;
  Eigen::VectorXd gain, delay;
};
void set_zero(SetChange& change, int channels, int dofs);
// Adds weight times the derivative by index p. True when p is a member of the vehicle, whose matrices the caller knows.
bool add_change(const DecaySet& set, const Assumed& assumed, int config, int p, double weight, SetChange& change);

// Residuals of measured records under the model, initial states eliminated.
class Likelihood {
 public:
  virtual ~Likelihood() = default;
  virtual const std::vector<DecayChannel>& channels() const = 0;  // as the job says
  virtual int residual_count() const = 0;
  virtual Eigen::Index sample_count() const = 0;  // of one channel, all records
  // Per channel: its share of the initial states and an offset are taken off.
  virtual double free_samples() const = 0;
  // Residuals over sigma and, when wanted, their derivatives. The gradient J^T r is exact, J^T J the information about
  // the parameters [vehicle E18]. False when the vehicle has no such response (a parameter overflowed).
  virtual bool evaluate(const Assumed& assumed, const ChannelValues& sigma, Eigen::VectorXd& r,
                        const std::vector<Direction>& directions, Eigen::MatrixXd* J) const = 0;
  // Sum of squared residuals in each channel, from the residuals over sigma.
  virtual ChannelValues squares(const Eigen::VectorXd& r, const ChannelValues& sigma) const = 0;
  // Model of every record, in the order of the set: what the fit explains of the data.
  virtual std::vector<Eigen::MatrixXd> model(const Assumed& assumed, const ChannelValues& sigma) const = 0;
};

// Of free decays. Remembers its last evaluation: not for several threads at once.
class DecayLikelihood : public Likelihood {
 public:
  // A record needs more samples than this.
  static int shortest_record(const VehicleLayout& layout) { return 4 * layout.dofs(); }

  // Without derivatives half of the functions of time do: for ranking many vehicles.
  DecayLikelihood(const DecaySet& set, bool remove_offset, bool with_derivatives = true);

  const std::vector<DecayChannel>& channels() const override { return set_.channels; }
  int residual_count() const override { return residual_count_; }
  Eigen::Index sample_count() const override;
  double free_samples() const override;
  bool evaluate(const Assumed& assumed, const ChannelValues& sigma, Eigen::VectorXd& r,
                const std::vector<Direction>& directions, Eigen::MatrixXd* J) const override;
  ChannelValues squares(const Eigen::VectorXd& r, const ChannelValues& sigma) const override;
  std::vector<Eigen::MatrixXd> model(const Assumed& assumed, const ChannelValues& sigma) const override;

 private:
  struct Modes;
  struct Reduced;
  // Records with the same configuration, interval and length share their functions of time.
  struct Group {
    int config = 0;
    double interval = 0.0;
    Eigen::MatrixXd data;  // samples x (channels * records)
    std::vector<std::size_t> records;
    Eigen::RowVectorXd offsets;  // that were taken off, a mean for each column of the data
    Eigen::RowVectorXd squares;  // of each column of the data
    // The last reduction: residuals, their derivatives and the next weights are asked for at the same parameters.
    mutable std::shared_ptr<const Reduced> reduced;
    mutable std::vector<std::complex<double>> reduced_at;
  };
  struct Change;
  struct Rates;
  struct Latest;

  // Modes, projections and residuals at these values: residuals, their derivatives and the model are asked for at one
  // place. Null when the vehicle has no such response.
  std::shared_ptr<const Latest> at(const Assumed& assumed, const ChannelValues& sigma) const;
  const Reduced& reduce(const Group& group, const Modes& modes) const;
  Modes modes_of(const Assumed& assumed, int config, const ChannelValues& sigma) const;
  std::vector<Change> changes(const Assumed& assumed, int config, const std::vector<Direction>& directions) const;
  Rates rates(const Assumed& assumed, const Modes& modes, const std::vector<Change>& changes) const;
  // Those of one record with the amplitudes q, in the functions of time: basis x (channels * directions). t is scaled
  // by the length of the record.
  Eigen::MatrixXd in_functions(const Modes& modes, const Rates& rates, const Eigen::VectorXd& q, double length) const;

  std::vector<Group> groups_;
  DecaySet set_;  // without the records
  int channels_ = 0, dofs_ = 0, functions_ = 0, basis_ = 0;
  bool remove_offset_ = false;
  int residual_count_ = 0;
  std::size_t record_count_ = 0;
  mutable std::shared_ptr<const Latest> latest_;
};

}  // namespace kdyn::inline vehicle::internal
