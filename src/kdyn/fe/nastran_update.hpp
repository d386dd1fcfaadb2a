// SPDX-License-Identifier: Apache-2.0
// A deck with other parameters: the same files, with only the cards changed that hold them.
//
// A changed card is written in large field, so that values keep ten digits; its other fields, the comments around it and
// every other line stay as they are. A property that is shared with springs that do not change is copied under a new
// label, and the springs that do change point to the copy. Parameters are ratios to what the deck holds, so units do not
// matter. What was written is read back by model_of(): its matrices have to be those of the parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kdyn/fe/assemble.hpp"
#include "kdyn/fe/nastran_model.hpp"

namespace kdyn::fe {

struct CardChange {
  std::string parameter, file;
  std::size_t line = 0;  // of the deck as it was
  std::string card;      // PBUSH 52
  std::string field;     // K1
  double before = 0.0, after = 0.0;
};

struct UpdatedDeck {
  std::vector<std::pair<std::string, std::string>>
      files;                  // name relative to the folder of the deck, text; the deck first
  std::vector<bool> changed;  // of each file
  std::vector<CardChange> changes;
  double largest_difference = 0.0;  // of the matrices read back from those of the parameters, relative
};

// One ratio for each parameter. Throws Error(bad_input) for a parameter that no card holds.
UpdatedDeck updated_deck(const std::string& path, const NastranSettings& settings,
                         const std::vector<Parameter>& parameters, const Eigen::VectorXd& ratio);

}  // namespace kdyn::fe
