// SPDX-License-Identifier: Apache-2.0
// How the start of a run was put together, for result.json and reports.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/mbs/closing.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::mbs {

const FieldTable& fields_of(const OpenJoint*);
const FieldTable& fields_of(const MovedPart*);
const FieldTable& fields_of(const AssembledStart*);

}  // namespace kdyn::mbs

namespace kdyn::app {

struct NamedStart {
  std::string name;  // of the experiment; empty: there is one only
  mbs::AssembledStart start;
};

// A section with the joints that were open and the parts that moved; none where nothing did.
void add_start_section(report::Document& document, const std::vector<NamedStart>& starts);

}  // namespace kdyn::app
