// SPDX-License-Identifier: Apache-2.0
// Objects of a model file.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

// One object of the file: its keys are checked when it is opened, its fields are read by name.
class Item {
 public:
  Item(const Json& in, std::string where, const std::vector<std::string>& keys) : in_(in), where_(std::move(where)) {
    if (!in.is_object()) throw_bad_input(where_, "this must be a JSON object", "write {\"name\": ...}");
    for (const auto& [key, value] : in.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        throw_bad_input(where_ + "." + key, fmt::format("unknown field {}", in_quotes(key)), suggest(key, keys));
  }
  const std::string& where() const { return where_; }
  bool has(const char* key) const { return in_.contains(key) && !in_[key].is_null(); }
  std::string at(const char* key) const { return where_ + "." + key; }
  const Json& need(const char* key) const {
    if (!has(key)) throw_bad_input(at(key), "the field is missing", fmt::format("add \"{}\"", key));
    return in_[key];
  }
  std::string text(const char* key, const std::string& otherwise = "") const {
    if (!has(key)) return otherwise;
    if (!in_[key].is_string()) throw_bad_input(at(key), "this must be text", "put it in quotes");
    return in_[key].get<std::string>();
  }
  double number(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    if (!in_[key].is_number() || !std::isfinite(in_[key].get<double>()))
      throw_bad_input(at(key), "this must be a finite number", "give a number in SI units");
    return in_[key].get<double>();
  }
  bool flag(const char* key, bool otherwise) const {
    if (!has(key)) return otherwise;
    if (!in_[key].is_boolean()) throw_bad_input(at(key), "this must be true or false", "write true or false");
    return in_[key].get<bool>();
  }
  MatrixX matrix(const char* key, int rows, int columns) const {
    return read_matrix(need(key), at(key), rows, columns);
  }
  Vector3 vector(const char* key) const {
    return has(key) ? Vector3(read_matrix(in_[key], at(key), 3, 1)) : Vector3(Vector3::Zero());
  }
  // A rotation vector or a matrix.
  Matrix3 rotation(const char* key) const {
    if (!has(key)) return Matrix3::Identity();
    const Json& value = in_[key];
    if (value.is_array() && value.size() == 3 && value[0].is_array()) {
      Matrix3 R = read_matrix(value, at(key), 3, 3);
      if (!(R.transpose() * R).isIdentity(1e-6) || R.determinant() < 0.0)
        throw_bad_input(at(key), "this is no rotation matrix",
                        "give orthonormal rows with determinant 1, or a rotation vector [rx, ry, rz] in rad");
      return R;
    }
    const Vector3 v = read_matrix(value, at(key), 3, 1);
    if (v.norm() > two_pi + 1e-9)
      throw_bad_input(at(key), fmt::format("a rotation vector of {:.4g} rad is more than one turn", v.norm()),
                      "write radians: 1.5708 for a right angle");
    return rotation_of(v);
  }
  const Json& operator[](const char* key) const { return in_[key]; }

  static MatrixX read_matrix(const Json& in, const std::string& where, int rows, int columns) {
    MatrixX m(rows, columns);
    const auto fail = [&] {
      throw_bad_input(where,
                      fmt::format("this must be {} finite numbers{}", rows,
                                  columns > 1 ? fmt::format(" x {}, a list of rows", columns) : ""),
                      "check the number of entries");
    };
    if (!in.is_array() || in.size() != static_cast<std::size_t>(rows)) fail();
    for (int i = 0; i < rows; ++i) {
      const Json& row = in[static_cast<std::size_t>(i)];
      if (columns > 1 && (!row.is_array() || row.size() != static_cast<std::size_t>(columns))) fail();
      for (int j = 0; j < columns; ++j) {
        const Json& x = columns > 1 ? row[static_cast<std::size_t>(j)] : row;
        if (!x.is_number() || !std::isfinite(x.get<double>())) fail();
        m(i, j) = x.get<double>();
      }
    }
    return m;
  }

 private:
  const Json& in_;
  std::string where_;
};

}  // namespace kdyn::mbs
