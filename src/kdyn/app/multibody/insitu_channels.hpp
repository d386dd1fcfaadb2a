// SPDX-License-Identifier: Apache-2.0
// Unknowns of kdyn insitu beyond laws and bodies: what channels show, how sensors sit, when loads act; and what is known
// at the end of a run.
#pragma once

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/multibody/multibody_signals.hpp"

namespace kdyn::app {

int parameter_index(const InsituInputs& inputs, const std::string& name);  // -1: it is not free

// Unknown gains, offsets and delays of the channels of an experiment, those of sensors and those among the start
// values; one for a channel in all experiments.
void free_channels(InsituInputs& inputs, const InsituExperiment& experiment, const mbs::Model& model);
// Unknown orientations of sensors; about the axis of a sensor with one channel a turn is not felt.
void free_orientations(InsituInputs& inputs, const mbs::Model& model);
// Bounds of parameters that max_factor and max_shift do not suit.
void set_reach(InsituParameter& parameter, const NamedParameter& named, const InsituOptions& options);
// Says why the time of a signal that has a factor cannot be searched.
void require_searchable(const std::vector<NamedParameter>& known, const std::string& name, const std::string& where);
// The time of a signal can be searched where steps follow it: refuses corners and jumps, tells rows that end too soon.
void check_signal(const mbs::Model& model, const NamedParameter& named, const mbs::RunOptions& run,
                  const std::string& where, std::vector<Finding>& findings);
void add_end_points(InsituExperiment& experiment, const std::vector<InsituEndPointJob>& given,
                    const std::vector<NamedOutput>& known);

}  // namespace kdyn::app
