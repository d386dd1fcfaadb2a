// SPDX-License-Identifier: Apache-2.0
// How searches of in-situ identification stand in results.
#pragma once

#include "kdyn/base/field.hpp"
#include "kdyn/insitu/insitu.hpp"

namespace kdyn::inline insitu {

const FieldTable& fields_of(const InsituStart*);
const FieldTable& fields_of(const InsituChannel*);
const FieldTable& fields_of(const InsituEndShown*);
const FieldTable& fields_of(const InsituIteration*);

}  // namespace kdyn::inline insitu
