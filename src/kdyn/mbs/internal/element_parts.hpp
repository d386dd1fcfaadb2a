// SPDX-License-Identifier: Apache-2.0
// What elements made of others (model_elements.hpp) share: numbers, names, places of markers, motions of joints.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/mbs/relative.hpp"

namespace kdyn::mbs {

void check_element_keys(const Json& in, const std::string& where, const std::vector<std::string>& keys);
double element_number(const Json& in, const char* key, const std::string& where);
double element_number(const Json& in, const char* key, double otherwise, const std::string& where);
// A stiffness, damping or friction: not below 0.
double element_amount(const Json& in, const char* key, double otherwise, const std::string& where);
std::string element_name(const Json& part, const std::string& where);

// "[name.tz.deflection]"
std::string bushing_signal(const std::string& bushing, const std::string& axis, const char* what);
// Adds a formula to one axis of a bushing.
void add_bushing_force(Json& bushing, const std::string& axis, const std::string& formula);
// The part of that name in a list of the model; null: there is none.
Json* named_part(Json& model, const char* list, const std::string& name);
Json& list_of(Json& model, const char* key);

// The one motion of a revolute (angle with counted turns) or translational joint: axis of a bushing beside it, which is
// made when it is asked for first.
struct JointMotion {
  std::string bushing, axis;  // tz or fz
};
JointMotion joint_motion(Json& model, const std::string& joint, const std::string& where);

// Where a marker sits in its body: as the file gives it, by name or in place. A node of a flexible body is refused.
struct MarkerPlace {
  std::string body;  // ground or a name
  Vector3 x = Vector3::Zero();
  Matrix3 R = Matrix3::Identity();
};
MarkerPlace marker_place(Json& model, const Json& marker, const std::string& where);
// A rotation as the file gives it: vector or matrix.
Matrix3 rotation_in(const Json& part, const std::string& where);
Json json_of(const Vector3& x);
Json json_of(const Matrix3& R);

// "drives", see drive_elements.cpp, and "contacts", see contact_elements.cpp.
void expand_drives(Json& model, const std::string& where);
void expand_contacts(Json& model, const std::string& where);

}  // namespace kdyn::mbs
