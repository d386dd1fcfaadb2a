// SPDX-License-Identifier: Apache-2.0
// Forces by formula in a model: what their names mean  [mbs E43].
//
// A formula may read time t, BODY.position.x, BODY.velocity.x, MARKER.position.x, MARKER.velocity.x (global axes),
// BUSHING.fz.deflection, BUSHING.fz.rate, SPRING.deflection, SPRING.rate, channels of gyros, angles, displacements and
// string pots (their true values), CONTROLLER.OUTPUT, and the tables of the model as functions of one number.
#pragma once

#include <map>
#include <string>

#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

using FormulaTables = std::map<std::string, Curve>;

// Points of a table: at least two, x strictly ascending, all finite.
void check_table(const Curve& table, const std::string& where);

// Unknown names throw, with what the model offers.
StateFormula read_state_formula(Model& model, const std::string& text, const FormulaTables& tables,
                                const std::string& where);
// A force without its target.
StateForce read_state_force(Model& model, const std::string& text, const FormulaTables& tables,
                            const std::string& where);

}  // namespace kdyn::mbs
