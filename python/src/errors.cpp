// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/error.hpp"

#include <fmt/format.h>

#include "bindings.hpp"

namespace kdyn::python {
namespace {

// Kept for the life of the interpreter.
PyObject* kinds[3] = {nullptr, nullptr, nullptr};

PyObject* kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_input: return kinds[0];
    case ErrorCode::file_access: return kinds[1];
    case ErrorCode::internal: return kinds[2];
  }
  return kinds[2];
}

void raise(const Error& error) {
  std::string text = error.where().empty() ? error.message() : fmt::format("{}: {}", error.where(), error.message());
  if (!error.remedy().empty()) text += fmt::format("\n  remedy: {}", error.remedy());
  try {
    const py::object raised = py::reinterpret_borrow<py::object>(kind_of(error.code()))(text);
    raised.attr("message") = error.message();
    raised.attr("where") = error.where();
    raised.attr("remedy") = error.remedy();
    PyErr_SetObject(kind_of(error.code()), raised.ptr());
  } catch (py::error_already_set& trouble) {
    trouble.restore();
  }
}

}  // namespace

void add_errors(py::module_& module) {
  const auto make = [&](const char* name, const char* doc, py::handle bases) {
    PyObject* made = PyErr_NewExceptionWithDoc((std::string("kdyn.") + name).c_str(), doc, bases.ptr(), nullptr);
    if (made == nullptr) throw py::error_already_set();
    module.add_object(name, py::reinterpret_borrow<py::object>(made));
    return made;
  };
  PyObject* base = make("Error",
                        "What kdyn refuses. Attributes: message (what is wrong), where (file:line or field), remedy "
                        "(what to do).",
                        PyExc_Exception);
  kinds[0] = make("BadInput", "An option or the content of a file breaks a rule.",
                  py::make_tuple(py::handle(base), py::handle(PyExc_ValueError)));
  kinds[1] = make("FileAccess", "A file is missing, unreadable, not a file, or cannot be written.",
                  py::make_tuple(py::handle(base), py::handle(PyExc_OSError)));
  kinds[2] = make("InternalError", "A bug of kdyn.", py::make_tuple(py::handle(base), py::handle(PyExc_RuntimeError)));
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace kdyn::python
