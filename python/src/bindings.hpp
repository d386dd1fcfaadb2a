// SPDX-License-Identifier: Apache-2.0
// The compiled part of the Python package. It hands over: operations of the registry, measurements read by the door,
// and laws. Nothing is computed here; what a front end shares stands in kdyn::app.
#pragma once

#include <string>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "kdyn/base/json.hpp"

namespace kdyn::python {

namespace py = pybind11;
using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

// kdyn.Error and its kinds, each with message, where and remedy.
void add_errors(py::module_& module);
void add_operations(py::module_& module);
void add_measurements(py::module_& module);
void add_laws(py::module_& module);

// JSON as objects of Python, and back. NaN and infinity become null, as in files of kdyn.
py::object to_python(const Json& value);
py::str to_text(const std::string& text);  // bytes of files that are no UTF-8 become U+FFFD
Json to_json(const py::handle& value);

inline std::vector<double> to_vector(const Numbers& numbers) {
  return std::vector<double>(numbers.data(), numbers.data() + numbers.size());
}
// An array that owns the vector: no copy.
py::array to_array(std::vector<double>&& values);

}  // namespace kdyn::python
