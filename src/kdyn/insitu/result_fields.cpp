// SPDX-License-Identifier: Apache-2.0
#include "kdyn/insitu/result_fields.hpp"

namespace kdyn::inline insitu {

const FieldTable& fields_of(const InsituStart*) {
  using S = InsituStart;
  static const FieldTable table = FieldTable::results<S>("in-situ start", [](FieldTable& t) {
    t.add(&S::start, "start", "SI", "Where the search began");
    t.add(&S::end, "end", "SI", "Where it ended");
    t.add(&S::objective, "objective", "-", "Objective at its end");
    t.add(&S::iterations, "iterations", "-", "Iterations");
    t.add(&S::status, "status", "-", "How it ended");
  });
  return table;
}

const FieldTable& fields_of(const InsituIteration*) {
  using I = InsituIteration;
  static const FieldTable table = FieldTable::results<I>("in-situ iteration", [](FieldTable& t) {
    t.add(&I::objective, "objective", "-", "Objective");
    t.add(&I::values, "values", "SI", "Parameters");
    t.add(&I::evaluations, "evaluations", "-", "Runs of the model");
  });
  return table;
}

}  // namespace kdyn::inline insitu
