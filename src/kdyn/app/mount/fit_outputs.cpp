// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount/fit_outputs.hpp"

#include <algorithm>

namespace kdyn::app {

const FieldTable& fields_of(const FittedRow*) {
  using R = FittedRow;
  static const FieldTable table = FieldTable::results<R>("row of the map and model", [](FieldTable& t) {
    add_map_row<R>(
        t, [](const R& r) { return r.axis; }, [](const R& r) -> const MapRow& { return r.measured; });
    t.add(&R::k_dyn, "k_dyn_model", stiffness_unit, "Dynamic stiffness of the model");
    t.add(&R::loss_angle, "loss_angle_model_deg", "deg", "Loss angle of the model").in_degrees();
    t.add(&R::used, "used", "-", "Whether the fit used it");
    t.add(&R::several_states, "several_states", "-", "Whether several steady states exist here").unless_null();
  });
  return table;
}

const FieldTable& fields_of(const ValidRange*) {
  using V = ValidRange;
  static const FieldTable table = FieldTable::results<V>("valid range", [](FieldTable& t) {
    t.add(&V::frequency_hz, "frequency_hz", "Hz", "From, to");
    const auto axis = [](const V& v) { return v.axis; };
    add_on_axis<V>(
        t, axis, [](const V& v) { return v.amplitude; }, amplitude_field, "From, to");
    add_on_axis<V>(
        t, axis, [](const V& v) { return v.preload; }, preload_field, "From, to");
  });
  return table;
}

ValidRange valid_range(const StiffnessMap& map) {
  const auto range = [&](double MapRow::*member) -> std::optional<std::pair<double, double>> {
    if (map.rows.empty()) return std::nullopt;
    const auto [low, high] = std::minmax_element(
        map.rows.begin(), map.rows.end(), [&](const MapRow& a, const MapRow& b) { return a.*member < b.*member; });
    return std::pair((*low).*member, (*high).*member);
  };
  return {map.axis, range(&MapRow::frequency_hz), range(&MapRow::amplitude), range(&MapRow::preload)};
}

const FieldTable& fields_of(const TrustShown*) {
  using T = TrustShown;
  static const FieldTable table = FieldTable::results<T>("trust and range", [](FieldTable& t) {
    t.include(&T::trust, field_table<TrustResult>());
    t.add(&T::valid, "valid", "-", "Range of the data").unless_null();
  });
  return table;
}

}  // namespace kdyn::app
