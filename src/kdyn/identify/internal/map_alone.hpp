// SPDX-License-Identifier: Apache-2.0
// What a map tells by itself, to hold against the static loop beside it: static stiffness and friction  [identify E10].
//
// A joint fit takes the stiffness of the loop and lets friction and damping explain the rest of the map: a loop of
// another direction, part or temperature passes as an unusually soft or stiff rubber. The map alone knows its static
// stiffness less well, but it does.
#pragma once

#include <optional>

#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/numerics/fit_gate.hpp"

namespace kdyn::inline identify {

// A channel of the gate: stiffness of the finished joint fit against that of the map alone, at the preload where the
// joint fit tells it. Nothing when there are not both, when the stiffness is held, or when the map does not tell it.
// Friction that does not agree is a finding (loop_friction).
std::optional<GateChannel> map_against_loop(const ElastomerData& data, const ElastomerFitOptions& options,
                                            const ElastomerFitResult& joint, Progress& progress,
                                            std::vector<Finding>& findings);

}  // namespace kdyn::inline identify
