// SPDX-License-Identifier: Apache-2.0
// A multibody model as one JSON value that needs no other file: what leaves kdyn inside an FMU.
//
// Not the model file: parts are told by number, flexible bodies by their mass matrix G [mbs E2] and markers by the
// shapes at their place, so that nothing of the nodes is needed. Numbers come back to the last bit. Pictures (nodes,
// lines) stay behind.
#pragma once

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

struct ModelImage {
  Model model;
  RunOptions run;
};

Json image_of(const Model& model, const RunOptions& run);
// Throws Error(bad_input) at `where` when it is no such image.
ModelImage model_from_image(const Json& in, const std::string& where);

}  // namespace kdyn::mbs
