// SPDX-License-Identifier: Apache-2.0
// Residuals of free decays under the vehicle model, with the initial states eliminated (variable projection).
//
// The free motions of one configuration are y_c(t) = sum_j Re(lambda_j^d psi_cj q_j e^(lambda_j t)), d = 0, 1, 2 for
// displacement, velocity, acceleration [vehicle E17]. What is left of the data after the best q has been taken out is
// the residual [vehicle E18].
//
// Speed: e^(lambda_j t) and t e^(lambda_j t) are 28 functions of time for all channels, records and parameters. Data
// and derivatives are expressed in an orthonormal basis of these functions first [vehicle E19]; from then on a channel
// has 28 numbers, however long the record.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/decays.hpp"

namespace kdyn::inline vehicle::internal {

using ChannelValues = std::array<double, vehicle_dofs>;

// Remembers its last evaluation: not for several threads at once.
class DecayLikelihood {
 public:
  // A record needs more than `shortest_record` samples.
  static constexpr int shortest_record = 4 * vehicle_dofs;

  DecayLikelihood(const DecaySet& set, bool remove_offset);

  int residual_count() const { return residual_count_; }
  Eigen::Index sample_count() const;  // of one channel, all records
  Eigen::Index free_samples() const;  // per channel: two of each record go into its initial state, one into an offset
  int record_count() const { return static_cast<int>(record_count_); }

  // A direction in which the residuals are differentiated: logarithms of these corner parameters (0..22) or added
  // masses (23..29) together.
  using Direction = std::vector<int>;
  static constexpr int first_added_mass = corner_parameter_count;

  // Residuals over sigma and, when wanted, their derivatives. The gradient J^T r is exact, J^T J the information about
  // the parameters [vehicle E18]. False when the vehicle has no such response (a parameter overflowed).
  bool evaluate(const Vehicle<double>& vehicle, const ChannelValues& sigma, Eigen::VectorXd& r,
                const std::vector<Direction>& directions, Eigen::MatrixXd* J) const;

  // Sum of squared residuals in each channel, from the residuals over sigma.
  ChannelValues squares(const Eigen::VectorXd& r, const ChannelValues& sigma) const;

  // Model of every record, in the order of the set: what the fit explains of the data.
  std::vector<Eigen::MatrixXd> model(const Vehicle<double>& vehicle, const ChannelValues& sigma) const;

 private:
  struct Modes;
  struct Reduced;
  // Records with the same configuration, interval and length share their functions of time.
  struct Group {
    int config = 0;
    double interval = 0.0;
    Eigen::MatrixXd data;  // samples x (7 * records)
    std::vector<std::size_t> records;
    // The last reduction: residuals, their derivatives and the next weights are asked for at the same parameters.
    mutable std::shared_ptr<const Reduced> reduced;
    mutable std::array<std::complex<double>, 2 * vehicle_dofs> reduced_at{};
  };
  struct Change;
  struct Rates;

  const Reduced& reduce(const Group& group, const Modes& modes) const;
  Modes modes_of(const Vehicle<double>& vehicle, int config, const ChannelValues& sigma) const;
  std::vector<Change> changes(const Vehicle<double>& vehicle, int config,
                              const std::vector<Direction>& directions) const;
  Rates rates(const Modes& modes, const std::vector<Change>& changes, double length, const ChannelValues& sigma) const;
  // Those of one record with the amplitudes q, in the functions of time: basis x (7 * directions).
  static Eigen::MatrixXd in_functions(const Modes& modes, const Rates& rates, const Eigen::VectorXd& q);

  std::vector<Group> groups_;
  std::vector<AddedMass> added_;
  std::array<int, vehicle_dofs> derivative_{};
  bool remove_offset_ = false;
  int residual_count_ = 0;
  std::size_t record_count_ = 0;
};

}  // namespace kdyn::inline vehicle::internal
