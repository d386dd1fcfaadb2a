// SPDX-License-Identifier: Apache-2.0
// Options and function of the operation on finite-element models: modes, checks, reduction, matrices.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/fe/modes.hpp"

namespace kdyn::app {

enum class FeReduction { none, guyan, craig_bampton };

struct FeJob {
  std::vector<std::string> files;
  std::string title;
  double length_m = 1.0, mass_kg = 1.0;   // one unit of a Nastran deck
  std::vector<std::string> ignore_cards;  // of the deck, by name
  fe::ModesOptions modes;
  FeReduction reduce = FeReduction::none;
  std::vector<std::string> interface_nodes;
  int fixed_modes = 20;
  std::vector<std::string> write;
};
Outcome fe_job(const FeJob& job, Progress& progress);

const FieldTable& fields_of(const FeJob*);

// Its result, defined beside the function.
struct FeOutput;
const FieldTable& fields_of(const FeOutput*);

}  // namespace kdyn::app
