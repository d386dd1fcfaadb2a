// SPDX-License-Identifier: Apache-2.0
// A model file inside a result: {"model": LAW, "parameters": {...}, ...} as the readers of model files take it. Its
// schema lists the laws of the registry with their parameters.
#pragma once

#include <utility>

#include "kdyn/base/field.hpp"
#include "kdyn/base/json.hpp"

namespace kdyn::inline laws {

struct ModelObject {
  Json json;
};

// Of a law: what its model_json writes.
template <class Law>
ModelObject model_object(const Law& law) {
  ModelObject out;
  model_json(law, out.json);
  return out;
}

// Notes that every model file may carry: the axis it is of ("rotation", "fz"; empty: none) and a comment for people.
void put_axis(ModelObject& model, const std::string& axis);
void put_comment(ModelObject& model, const std::string& comment);

// The word in "model" of a model file; empty when there is none.
std::string model_word(const Json& model);

void model_schema(Json& out, Definitions& all);

}  // namespace kdyn::inline laws

namespace kdyn::inline base {

template <>
struct FieldValue<ModelObject> : field_parts::NoTable {
  static constexpr FieldKind kind = FieldKind::any;
  static void get(const Field&, FieldUse, const ModelObject& value, Json& out) { out = value.json; }
  static void set(const Field&, FieldUse, ModelObject& value, const Json& in, const std::string&) { value.json = in; }
  static void schema(const Field&, Json& out, Definitions& all) { model_schema(out, all); }
};

}  // namespace kdyn::inline base
