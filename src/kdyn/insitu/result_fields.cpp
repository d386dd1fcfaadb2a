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

const FieldTable& fields_of(const InsituChannel*) {
  using C = InsituChannel;
  static const FieldTable table = FieldTable::results<C>("in-situ channel", [](FieldTable& t) {
    t.add(&C::experiment, "experiment", "-", "Experiment");
    t.add(&C::signal, "signal", "-", "Signal");
    t.add(&C::misfit, "misfit", "-", "rms of the difference over rms of the signal");
    t.add(&C::noise, "noise", "-", "Scatter from sample to sample over rms of the signal");
    t.add(&C::colour, "colour", "-", "Correlation of neighbouring residuals: 0 is white noise");
    t.add(&C::factor, "factor", "-", "Shown over expected, when gain, offset and delay of all channels are freed");
    t.add(&C::factor_std, "factor_std", "-", "Its standard deviation; null: not determined");
    t.add(&C::delay_s, "delay_s", "s", "Shown later than expected by this");
    t.add(&C::delay_std_s, "delay_std_s", "s", "Its standard deviation; null: not determined");
  });
  return table;
}

const FieldTable& fields_of(const InsituEndShown*) {
  using E = InsituEndShown;
  static const FieldTable table = FieldTable::results<E>("in-situ end point", [](FieldTable& t) {
    t.add(&E::experiment, "experiment", "-", "Experiment");
    t.add(&E::signal, "signal", "-", "Signal");
    t.add(&E::given, "given", "SI", "Value at the end of the run as it is known");
    t.add(&E::std, "std", "SI", "Its standard deviation");
    t.add(&E::found, "found", "SI", "Value of the fitted model");
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
