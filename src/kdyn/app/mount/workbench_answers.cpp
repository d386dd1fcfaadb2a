// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/workbench_answers.hpp"

namespace kdyn::app {

const FieldTable& fields_of(const MeasuredCurve*) {
  using S = MeasuredCurve;
  static const FieldTable table = FieldTable::results<S>("measured curve", [](FieldTable& t) {
    t.add(&S::preload, "preload", "-", "Index of the preload level");
    t.add(&S::amplitude, "amplitude", "-", "Index of the amplitude level");
    t.add(&S::frequency_hz, "frequency_hz", "Hz", "Frequencies");
    t.add(&S::k_dyn, "k_dyn", "N/m or N*m/rad", "Dynamic stiffness");
    t.add(&S::loss_angle_deg, "loss_angle_deg", "deg", "Loss angle");
    t.add(&S::amplitude_m, "amplitude_m", "m or rad", "Amplitudes as achieved");
    t.add(&S::row, "row", "-", "Which row of the map each point is, from 0");
  });
  return table;
}

const FieldTable& fields_of(const MeasuredMap*) {
  using S = MeasuredMap;
  static const FieldTable table = FieldTable::results<S>("measured map", [](FieldTable& t) {
    t.add(&S::amplitudes_m, "amplitudes_m", "m or rad", "Amplitude levels");
    t.add(&S::preloads_n, "preloads_n", "N or N*m", "Preload levels");
    t.add(&S::frequencies_hz, "frequencies_hz", "Hz", "Frequency levels");
    t.add(&S::curves, "curves", "-", "Rows by preload and amplitude");
  });
  return table;
}

const FieldTable& fields_of(const MeasuredLoop*) {
  using S = MeasuredLoop;
  static const FieldTable table = FieldTable::results<S>("measured loop", [](FieldTable& t) {
    t.add(&S::displacement_m, "displacement_m", "m or rad", "Displacement");
    t.add(&S::force_n, "force_n", "N or N*m", "Force");
  });
  return table;
}

const FieldTable& fields_of(const MeasuredSeries*) {
  using S = MeasuredSeries;
  static const FieldTable table = FieldTable::results<S>("measured series", [](FieldTable& t) {
    t.add(&S::time_s, "time_s", "s", "Time");
    t.add(&S::displacement_m, "displacement_m", "m or rad", "Displacement");
    t.add(&S::force_n, "force_n", "N or N*m", "Force");
    t.add(&S::samples, "samples", "-", "Samples of the record");
  });
  return table;
}

const FieldTable& fields_of(const Measured*) {
  using S = Measured;
  static const FieldTable table = FieldTable::results<S>("measured", [](FieldTable& t) {
    t.add(&S::axis, "axis", "-", "Kind of axis").one_of({"translation", "rotation"});
    t.add(&S::map, "map", "-", "Map");
    t.add(&S::loops, "loops", "-", "Static loops");
    t.add(&S::series, "series", "-", "Transients");
  });
  return table;
}

const FieldTable& fields_of(const SeriesChannel*) {
  using S = SeriesChannel;
  static const FieldTable table = FieldTable::results<S>("channel of a record", [](FieldTable& t) {
    t.add(&S::name, "name", "-", "Name and unit");
    t.add(&S::time_s, "time_s", "s", "Time");
    t.add(&S::values, "values", "as name says", "Values");
  });
  return table;
}

const FieldTable& fields_of(const SeriesPart*) {
  using S = SeriesPart;
  static const FieldTable table = FieldTable::results<S>("part of a record", [](FieldTable& t) {
    t.add(&S::from_s, "from_s", "s", "Begin of the record");
    t.add(&S::to_s, "to_s", "s", "End of the record");
    t.add(&S::samples, "samples", "-", "Samples within the view");
    t.add(&S::channels, "channels", "-", "Channels, each with its own extremes");
  });
  return table;
}

const FieldTable& fields_of(const ModelCurve*) {
  using S = ModelCurve;
  static const FieldTable table = FieldTable::results<S>("curve of the model", [](FieldTable& t) {
    t.add(&S::preload, "preload", "-", "Index of the preload level");
    t.add(&S::amplitude, "amplitude", "-", "Index of the amplitude level");
    t.add(&S::frequency_hz, "frequency_hz", "Hz", "Frequencies");
    t.add(&S::k_dyn, "k_dyn", "N/m or N*m/rad", "Dynamic stiffness");
    t.add(&S::loss_angle_deg, "loss_angle_deg", "deg", "Loss angle");
  });
  return table;
}

const FieldTable& fields_of(const ModelPath*) {
  using S = ModelPath;
  static const FieldTable table = FieldTable::results<S>("path of the model", [](FieldTable& t) {
    t.add(&S::force_n, "force_n", "N or N*m", "Force, moved to the mean of the measurement");
    t.add(&S::rms_n, "rms_n", "N or N*m", "Misfit, rms");
  });
  return table;
}

const FieldTable& fields_of(const ModelCycle*) {
  using S = ModelCycle;
  static const FieldTable table = FieldTable::results<S>("steady cycle", [](FieldTable& t) {
    t.add(&S::amplitude_m, "amplitude_m", "m or rad", "Amplitude");
    t.add(&S::displacement_m, "displacement_m", "m or rad", "Displacement");
    t.add(&S::force_n, "force_n", "N or N*m", "Force");
  });
  return table;
}

const FieldTable& fields_of(const Evaluated*) {
  using S = Evaluated;
  static const FieldTable table = FieldTable::results<S>("evaluated model", [](FieldTable& t) {
    t.add(&S::curves, "curves", "-", "Over frequency").unless_null();
    t.add(&S::misfit, "misfit", "-", "Over the rows of the map").unless_null();
    t.add(&S::loops, "loops", "-", "Static loops").unless_null();
    t.add(&S::series, "series", "-", "Transients").unless_null();
    t.add(&S::cycles, "cycles", "-", "Steady cycles").unless_null();
  });
  return table;
}

const FieldTable& fields_of(const ModelNumber*) {
  using S = ModelNumber;
  static const FieldTable table = FieldTable::results<S>("number of a model", [](FieldTable& t) {
    t.add(&S::path, "path", "-", "Keys that lead to it in the model file");
    t.add(&S::name, "name", "-", "Name");
    t.add(&S::value, "value", "as unit says", "Value");
    t.add(&S::unit, "unit", "-", "Unit");
    t.add(&S::meaning, "meaning", "-", "Meaning");
    t.add(&S::lower, "lower", "as unit says", "Lower bound");
    t.add(&S::upper, "upper", "as unit says", "Upper bound");
    t.add(&S::part, "part", "-", "Part of the mount").unless_empty();
  });
  return table;
}

}  // namespace kdyn::app
