// SPDX-License-Identifier: Apache-2.0
// Elements of a model file that are made of others: a bushing with full 6 x 6 matrices, couplers, friction and limits of
// joints. What is left holds formulas of bushings, laws and joints alone, so that slopes and gradients are theirs.
//
//   [mbs E46]  field: load = K x + C x' on the six measures x of a bushing;  coupler: with s = sum r_i x_i over measures of several bushings,
//              load_i = r_i (k s + c s')
// Both have the potential x^T K x/2 or k s^2/2, whatever the motion, since loads act along the change of the measures.
#pragma once

#include <string>

#include "kdyn/base/json.hpp"

namespace kdyn::mbs {

// `model` has numbers only (model_expansion.hpp). Errors name `where`.
void expand_elements(Json& model, const std::string& where);

}  // namespace kdyn::mbs
