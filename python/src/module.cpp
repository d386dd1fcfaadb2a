// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

#include "kdyn/base/version.hpp"

PYBIND11_MODULE(_kdyn, module) {
  module.doc() = "Compiled part of the kdyn package.";
  module.attr("version") = kdyn::version();
  kdyn::python::add_errors(module);
  kdyn::python::add_operations(module);
  kdyn::python::add_measurements(module);
  kdyn::python::add_laws(module);
}
