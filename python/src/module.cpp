// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

#include "kdyn/base/version.hpp"
#include "kdyn/io/nastran_deck.hpp"

PYBIND11_MODULE(_kdyn, module) {
  module.doc() = "Compiled part of the kdyn package.";
  module.attr("version") = kdyn::version();
  kdyn::allow_includes_from_anywhere();  // files are read for the user who owns them
  kdyn::python::add_errors(module);
  kdyn::python::add_operations(module);
  kdyn::python::add_measurements(module);
  kdyn::python::add_laws(module);
}
