// SPDX-License-Identifier: Apache-2.0
// Controllers at one point: inputs, outputs, states, and how outputs follow the motion  [mbs E90] .. [mbs E92].
#pragma once

#include <vector>

#include "kdyn/mbs/relative.hpp"

namespace kdyn::mbs {

struct ControlPoint {
  // What is known of the states: their values, where the step began (they follow from w' = c w + offset), or that they
  // are those of the start.
  enum class Given { states, step, start };
  Given given = Given::states;
  double c = 0.0;
  VectorX offset, from;   // of the states: of the scheme, and at the beginning of the step
  VectorX held;           // of the sampled controllers: states of the next sample, then outputs
  bool rests = false;     // start: states of `automatic` are those of rest
  std::vector<char> due;  // of the controllers: it is sampled at this instant

  VectorX u, y;                             // inputs and outputs of all controllers
  VectorX w;                                // states of those that act at every instant
  VectorX x;                                // start: states of the sampled ones
  std::vector<char> limited;                // of the outputs
  std::vector<std::vector<double>> slopes;  // of the input formulas by what they read
  MatrixX y_u;                              // dy/du of the blocks, states condensed
  MatrixX u_y;                              // of the input formulas by outputs
  MatrixX solve_u;                          // (I - u_y y_u)^-1
  MatrixX follow;                           // dy by what the motion alone changes of the inputs: y_u solve_u
  bool solved = true;
  double factored_c = 0.0;
  std::vector<MatrixX> R;  // (c I - A)^-1 of each
};

}  // namespace kdyn::mbs
