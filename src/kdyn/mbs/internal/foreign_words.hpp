// SPDX-License-Identifier: Apache-2.0
// What readers of foreign models share: letters, vectors as JSON, rotations.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/relative.hpp"

namespace kdyn::mbs {

inline std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}
inline std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n"), last = text.find_last_not_of(" \t\r\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}
inline Json numbers_of(const Vector3& v) { return Json::array({v.x(), v.y(), v.z()}); }
inline Json rows_of(const Matrix3& m) {
  Json rows = Json::array();
  for (int i = 0; i < 3; ++i) rows.push_back(Json::array({m(i, 0), m(i, 1), m(i, 2)}));
  return rows;
}
inline Matrix3 about(int axis, double angle) {
  return Eigen::AngleAxisd(angle, Vector3::Unit(axis)).toRotationMatrix();
}
// z along `direction`, x and y anywhere.
inline Matrix3 z_along(const Vector3& direction) {
  return Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), direction).toRotationMatrix();
}

}  // namespace kdyn::mbs
