// SPDX-License-Identifier: Apache-2.0
// The FE model that a flexible body is made of: matrices whose rows are the points' motions, the mesh of a deck, or
// modes.
#pragma once

#include "kdyn/app/structure/fe_inputs.hpp"
#include "kdyn/app/structure/modal_jobs.hpp"

namespace kdyn::app {

struct BodySource {
  FeSource files;
  fe::Assembly assembly;  // of a deck
  FeModel model;          // empty when there are only modes

  bool has_matrices() const { return model.mass.rows() > 0; }
};

BodySource read_body_source(const BodyJob& job);

// Flexible modes at the points: computed, or those that were given.
FeModes modes_at_points(const BodySource& source, int count);
// Shapes of the unknowns of a deck become motions of its points in global axes: of all up to 3000 points, else of the
// outline and the interface, which is told. Rows of matrices stay as they are.
void move_to_points(const BodySource& source, FlexibleBody& body, std::vector<Finding>& findings);

}  // namespace kdyn::app
