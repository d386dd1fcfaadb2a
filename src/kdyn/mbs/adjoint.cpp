// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/adjoint.hpp"

namespace kdyn::mbs {

GradientResult adjoint_gradient(const System& system, const RunOptions& options, Trajectory& states,
                                const std::vector<Output>& outputs, const MatrixX& y_bar,
                                const std::vector<Parameter>& parameters) {
  refuse_controllers(system);
  return Adjoint(system, options, states, outputs, y_bar, parameters).run();
}

GradientResult adjoint_gradient(const System& system, const RunOptions& options, const History& history,
                                const std::vector<Output>& outputs, const MatrixX& y_bar,
                                const std::vector<Parameter>& parameters) {
  if (history.states.empty()) return {};
  Stored states(history);
  return adjoint_gradient(system, options, states, outputs, y_bar, parameters);
}

}  // namespace kdyn::mbs
