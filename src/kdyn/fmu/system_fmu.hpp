// SPDX-License-Identifier: Apache-2.0
// A whole multibody model as a functional mock-up unit: FMI 2.0 or 3.0, co-simulation, linux64.
//
// The binary is kdyn's multibody module (fmu/runtime/system_core.hpp says how it steps); the model with everything it
// names stands in resources/system.json. Signals that come from outside are chosen by name, and so are those that go
// out.
#pragma once

#include <string>
#include <vector>

#include "kdyn/fmu/fmu.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::inline fmu {

struct SystemFmuChoice {
  // Names as in internal/system_model.hpp, with * for any letters; or the name of a load (all components that the model
  // uses) or of a driven joint.
  std::vector<std::string> inputs;
  // Names of signals of kdyn simulate, with * for any letters. None: what the default says.
  std::vector<std::string> outputs;
};

struct SystemFmu {
  Fmu fmu;
  std::vector<std::string> inputs, outputs;  // that were taken
  std::vector<Finding> findings;             // what of the model is different in the FMU
};

// Without a choice of outputs: positions of bodies, deflections and loads of the axes that have a law.
SystemFmu make_system_fmu(const mbs::ModelFile& file, const SystemFmuChoice& choice, const FmuOptions& options);

}  // namespace kdyn::inline fmu
