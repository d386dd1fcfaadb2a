// SPDX-License-Identifier: Apache-2.0
// Property files .ubf and .ubu of Scheiblegger 2018, appendix A1 and A2: elastomer (G4E) and hydro mounts (G4D).
//
// The paper names the keys, not the layout of blocks. Ours: [MDI_HEADER], [UNITS], [MODEL] with MODEL_TYPE and SHAPE, then for each direction
// a block [FX] ... [TZ] with the keys, and [FX_CURVE] for the static curve, [FX_CHAMBER_CURVE] for the impact of the preload on the chamber.
// Keys are SI times the file's units. Accepted beside the right keys: the printed misspellings (FRICITION_, MAIN_RUBER_, CHAMEBR_,
// SCLAE_) and the variable names of .ubu (alfa, scaler, RDL, kSign, set_LIN, ...). Written are the right keys.
// Added by kdyn: FRICTION_LAW ('g4' or 'masing'), FRICTION_START_UP, FRICTION_DEADBAND. A file without FRICTION_LAW is g4.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/io/teimorbit.hpp"

namespace kdyn {

struct UbfDirection {
  bool present = false;
  std::map<std::string, double> numbers;     // key as in the standard spelling, SI
  std::map<std::string, std::string> texts;  // USE_CURVE, FRICTION_LAW, ...
  Curve curve;                               // m, N or rad, N*m
  Curve chamber_curve;                       // m, 1/m
};

struct UbfFile {
  std::string name, model_type = "G4E", shape = "none";
  std::array<UbfDirection, 6> directions;
  std::vector<Finding> findings;
};

bool is_ubf(const TeimOrbitFile& file);
UbfFile ubf_of(TeimOrbitFile&& file);
std::string ubf_text(const UbfFile& file);  // SI units, shortest digits that round-trip

// The standard keys, in the order they are written; unit in SI for a translational direction.
struct UbfKey {
  const char* key;
  const char* unit;
};
const std::vector<UbfKey>& ubf_keys();

}  // namespace kdyn
