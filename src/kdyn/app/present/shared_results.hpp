// SPDX-License-Identifier: Apache-2.0
// What results of several operations have in common, described once.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/data/bench_fields.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/numerics/field_eigen.hpp"

namespace kdyn::app {

struct Correlation {
  std::vector<std::string> names;
  Eigen::MatrixXd matrix;
};
const FieldTable& fields_of(const Correlation*);

// x' = A x + B u, y = C x + D u.
struct NamedStateSpace {
  std::vector<std::string> states, inputs, outputs;
  Eigen::MatrixXd A, B, C, D;
};
const FieldTable& fields_of(const NamedStateSpace*);

// The findings of an output that keeps them in a member of that name.
template <class Output>
void add_findings(FieldTable& t) {
  t.add([](const Output& o) -> const std::vector<Finding>& { return o.findings; }, "findings", "-",
        "What was noticed, and what to do");
}

std::vector<std::string> names_of(const std::vector<OutputFile>& files);

}  // namespace kdyn::app
