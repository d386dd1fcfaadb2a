// SPDX-License-Identifier: Apache-2.0
// The same structure on a mesh twice as fine: every element is cut in two along each of its edges.
//
// What a mesh does to a result is seen by changing it, and by nothing else: errors of this kind are smooth and the same
// for all noises. New nodes lie in the middle of edges, faces and elements (curved surfaces stay as flat as they were),
// are held where all their neighbours are held, and follow a rigid link where all of these follow it. Labels of nodes,
// springs, masses, properties and materials stay, so parameters and sensors mean the same; elements get new labels.
//
// Cuts quad4, tria3 and hex8. A model is left alone (no value) when it has other elements, or something that ties single
// nodes together and would leave the new ones loose: constraints, weighted links with elements on them, numbers straight
// into matrices.
#pragma once

#include <optional>

#include "kdyn/fe/model.hpp"

namespace kdyn::fe {

std::optional<Model> with_mesh_halved(const Model& model);

}  // namespace kdyn::fe
