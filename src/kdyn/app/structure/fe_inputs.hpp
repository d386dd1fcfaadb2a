// SPDX-License-Identifier: Apache-2.0
// A finite-element model as the operations take it: from bulk data or from matrices, whatever format they are in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/fe/matrix_model.hpp"
#include "kdyn/fe/nastran_model.hpp"

namespace kdyn::app {

struct FeSource {
  std::optional<fe::Model> model;  // when it came as bulk data; the matrices are then empty
  fe::MatrixModel matrices;
  ModeSet modes;                          // read only where the caller takes them; model and matrices are then empty
  Geometry geometry;                      // of the model, or of whichever file had one
  std::vector<CoordinateSystem> systems;  // of the deck, by their labels there; origins in m
  int asked_modes = 0;                    // by EIGRL of a deck; 0: it does not say
  double asked_max_frequency_hz = 0;      // likewise
  std::vector<Finding> findings;
  std::vector<Source> inputs;
};

// Bulk data with elements, or files that hold M and K (OP4, DMIG, CalculiX, Matrix Market, HDF5), with geometry beside
// where known.
FeSource read_fe_source(const std::vector<std::string>& files, const fe::NastranSettings& settings,
                        bool modes_will_do = false);

}  // namespace kdyn::app
