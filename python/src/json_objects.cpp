// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "kdyn/base/error.hpp"

#include "bindings.hpp"

namespace kdyn::python {
namespace {

constexpr int deepest = 200;  // as parse_json allows

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw_bad_input(where, what, "give numbers, texts, lists, dictionaries, arrays of numpy, True, False or None");
}

Json from_python(const py::handle& value, const std::string& where, int depth) {
  if (depth > deepest) refuse(where, "lists or dictionaries are nested too deeply");
  if (value.is_none()) return nullptr;
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0) return PyLong_AsDouble(value.ptr());
    return number;
  }
  if (PyFloat_Check(value.ptr())) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (!std::isfinite(number)) refuse(where, "the number is not finite");
    return number;
  }
  if (PyUnicode_Check(value.ptr())) return value.cast<std::string>();
  if (py::hasattr(value, "__fspath__")) return py::str(value.attr("__fspath__")()).cast<std::string>();
  if (py::isinstance<py::dict>(value)) {
    Json out = Json::object();
    for (const auto& [key, item] : value.cast<py::dict>()) {
      if (!PyUnicode_Check(key.ptr())) refuse(where, "a key of a dictionary is no text");
      const auto name = key.cast<std::string>();
      out[name] = from_python(item, where.empty() ? name : where + "." + name, depth + 1);
    }
    return out;
  }
  // Scalars and arrays of numpy, and whatever else knows how to become plain.
  if (py::hasattr(value, "tolist")) return from_python(value.attr("tolist")(), where, depth + 1);
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) || py::isinstance<py::set>(value)) {
    Json out = Json::array();
    std::size_t index = 0;
    for (const py::handle& item : value)
      out.push_back(from_python(item, where + "[" + std::to_string(index++) + "]", depth + 1));
    return out;
  }
  refuse(where, "a value of type " + std::string(Py_TYPE(value.ptr())->tp_name) + " has no place in a job");
}

}  // namespace

py::str to_text(const std::string& text) {
  PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "replace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

py::object to_python(const Json& value) {
  switch (value.type()) {
    case Json::value_t::boolean: return py::bool_(value.get<bool>());
    case Json::value_t::number_integer: return py::int_(value.get<long long>());
    case Json::value_t::number_unsigned: return py::int_(value.get<unsigned long long>());
    case Json::value_t::number_float: {
      const double number = value.get<double>();
      if (!std::isfinite(number)) return py::none();
      return py::float_(number);
    }
    case Json::value_t::string: return to_text(value.get_ref<const std::string&>());
    case Json::value_t::array: {
      py::list out(value.size());
      std::size_t index = 0;
      for (const Json& item : value) out[index++] = to_python(item);
      return out;
    }
    case Json::value_t::object: {
      py::dict out;
      for (const auto& [key, item] : value.items()) out[to_text(key)] = to_python(item);
      return out;
    }
    default: return py::none();
  }
}

Json to_json(const py::handle& value) { return from_python(value, "", 0); }

py::array to_array(std::vector<double>&& values) {
  auto* kept = new std::vector<double>(std::move(values));
  const py::capsule owner(kept, [](void* pointer) { delete static_cast<std::vector<double>*>(pointer); });
  return py::array_t<double>(static_cast<py::ssize_t>(kept->size()), kept->data(), owner);
}

}  // namespace kdyn::python
