// SPDX-License-Identifier: Apache-2.0
// Mass, centre of gravity and inertia of a softly suspended part from the mass line of its responses: the lines above
// the suspension and below the first elastic mode, where the part moves as a rigid body.
//
//   [modes E20] accelerance of a rigid body at r_i in direction d_i under a force f at r_j:
//               A = d_i . (f/m + (J^-1 ((r_j - c) x f)) x (r_i - c))
//   [modes E21] what a line shows: Re H - elastic modes = A + B w^2 + C/w^2 (modes above the band, suspension)
// Unknown are 1/m, c and J^-1, fitted to the constants A of all channels. What the channels do not determine is said:
// one force through the centre tells the mass and no inertia. SI units; points in m, inertia about the centre of
// gravity. It takes the suspension for soft: what the springs add to the mass counts as mass.
#pragma once

#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/geometry.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/modes/flexible_body.hpp"
#include "kdyn/sysid/frf_matrix.hpp"
#include "kdyn/sysid/modal_model.hpp"

namespace kdyn::inline modes {

struct MassLine {
  std::vector<ParameterEstimate> parameters;  // mass, centre, inertia; without a value where not determined
  RigidBodyProperties rigid;                  // the whole body, where `complete`
  bool complete = false;
  double low_hz = 0.0, high_hz = 0.0;
  int lines = 0;
  std::string terms;                 // what was taken beside the constant
  double misfit = 0.0;               // of the constants by a rigid body, relative
  double imaginary = 0.0;            // size of the imaginary parts over that of the constants
  int elastic_modes = 0;             // whose share was taken off
  Eigen::VectorXd measured, fitted;  // constants of all channels, 1/kg
  std::vector<std::string> channels;
  std::vector<Finding> findings;
};

// `frf`: the lines of the mass line, all channels. `elastic`: identified modes of the same channels (may have none), whose
// poles include `added_decay` 1/s of an exponential window; those above the mass line count. Throws Error(bad_input) when points or units are not known.
MassLine mass_line(const FrfMatrix& frf, const Geometry& geometry, const ModalModel& elastic, double added_decay);

const FieldTable& fields_of(const MassLine*);

}  // namespace kdyn::inline modes
