// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/present/shared_results.hpp"

namespace kdyn::app {

const FieldTable& fields_of(const Correlation*) {
  static const FieldTable table = FieldTable::results<Correlation>("correlation", [](FieldTable& t) {
    t.add(&Correlation::names, "names", "-", "Parameters, in the order of the rows");
    t.add(&Correlation::matrix, "matrix", "-", "Correlation coefficients of the estimates, by rows");
  });
  return table;
}

const FieldTable& fields_of(const NamedStateSpace*) {
  using S = NamedStateSpace;
  static const FieldTable table = FieldTable::results<S>("named state space", [](FieldTable& t) {
    t.add(&S::states, "states", "-", "Names of the states").unless_empty();
    t.add(&S::inputs, "inputs", "-", "Names of the inputs");
    t.add(&S::outputs, "outputs", "-", "Names of the outputs");
    t.add(&S::A, "A", "-", "x' = A x + B u, by rows");
    t.add(&S::B, "B", "-", "Inputs");
    t.add(&S::C, "C", "-", "y = C x + D u");
    t.add(&S::D, "D", "-", "Direct term");
  });
  return table;
}

std::vector<std::string> names_of(const std::vector<OutputFile>& files) {
  std::vector<std::string> out;
  for (const OutputFile& file : files) out.push_back(file.name);
  return out;
}

}  // namespace kdyn::app
