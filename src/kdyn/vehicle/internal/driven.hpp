// SPDX-License-Identifier: Apache-2.0
// Residuals of records in the time domain: on a measured road, and with dampers that differ in compression and rebound.
//
// The equations of motion [vehicle E1], [vehicle E35] are integrated together with their derivatives; initial states
// are eliminated by Gauss-Newton steps of their own, so that residuals, gradient and information are those of
// [vehicle E18].
// Ten to a hundred times slower than free decays of a linear vehicle (likelihood.hpp), which is why those do not come
// here. Gains and offsets of sensors, no delays.
#pragma once

#include <vector>

#include "kdyn/vehicle/internal/likelihood.hpp"

namespace kdyn::inline vehicle::internal {

// Remembers the last initial states: not for several threads at once.
class DrivenLikelihood : public Likelihood {
 public:
  DrivenLikelihood(const DecaySet& set, bool remove_offset);

  const std::vector<DecayChannel>& channels() const override { return set_.channels; }
  int residual_count() const override { return residual_count_; }
  Eigen::Index sample_count() const override;
  double free_samples() const override;
  bool evaluate(const Assumed& assumed, const ChannelValues& sigma, Eigen::VectorXd& r,
                const std::vector<Direction>& directions, Eigen::MatrixXd* J) const override;
  ChannelValues squares(const Eigen::VectorXd& r, const ChannelValues& sigma) const override;
  std::vector<Eigen::MatrixXd> model(const Assumed& assumed, const ChannelValues& sigma) const override;

 private:
  struct System;
  struct Run;
  Run run(const System& system, const DecayRecord& record, const Eigen::VectorXd& start, bool with_parameters) const;
  bool solve_record(const System& system, std::size_t record, const ChannelValues& sigma, bool with_parameters,
                    Run& out) const;
  void weigh(Eigen::MatrixXd& columns, Eigen::Index samples, const ChannelValues& sigma) const;

  DecaySet set_;
  bool remove_offset_ = false;
  int residual_count_ = 0;
  mutable std::vector<Eigen::VectorXd> start_;  // last initial state of each record
};

}  // namespace kdyn::inline vehicle::internal
