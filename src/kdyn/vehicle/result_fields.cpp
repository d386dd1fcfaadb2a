// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/result_fields.hpp"

namespace kdyn::inline vehicle {

const FieldTable& fields_of(const ChannelCheck*) {
  using C = ChannelCheck;
  static const FieldTable table = FieldTable::results<C>("channel check", [](FieldTable& t) {
    t.add(&C::name, "name", "-", "Channel");
    t.add(&C::unit, "unit", "-", "Its unit");
    t.add(&C::residual, "residual", "as unit says", "Standard deviation of what the model leaves over");
    t.add(&C::noise, "noise", "as unit says", "Standard deviation of the sensor noise");
    t.add(&C::ratio, "residual_to_noise", "-", "Near 1 when the model is right");
    t.add(&C::lag_one, "lag_one_correlation", "-",
          "Correlation of neighbouring residuals: near 0 when only noise is left");
    t.add(&C::gain, "best_factor", "-", "Factor with which the channel would fit best to the vehicle and all others");
    t.add(&C::gain_std, "best_factor_std", "-", "Its standard deviation; null: not told; 0: the gain was found");
    t.add(&C::delay_s, "best_delay_s", "s", "Delay with which it would fit best").shown_in("s");
    t.add(&C::delay_std_s, "best_delay_std_s", "s", "Its standard deviation, likewise").shown_in("s");
  });
  return table;
}

const FieldTable& fields_of(const AddedMassCheck*) {
  using A = AddedMassCheck;
  static const FieldTable table = FieldTable::results<A>("added mass check", [](FieldTable& t) {
    t.add(&A::name, "name", "-", "Added mass or inertia");
    t.add(&A::change, "change", "-", "Relative change that would fit best, all others as given");
    t.add(&A::std, "std", "-", "Its standard deviation");
  });
  return table;
}

const FieldTable& fields_of(const PlannedTest*) {
  using P = PlannedTest;
  static const FieldTable table = FieldTable::results<P>("planned test", [](FieldTable& t) {
    t.add(&P::cases, "cases", "-", "Excitations");
    t.add(&P::mass_factor, "mass_factor", "-", "Added mass over the given one");
    t.add(&P::length_s, "length_s", "s", "Length of each record").shown_in("s");
    t.add(&P::half_interval_percent, "half_interval_percent", "%",
          "95 % half interval of every free parameter; null: not determined");
    t.add(&P::worst_percent, "worst_percent", "%", "The largest of them");
    t.add(&P::worst_name, "worst", "-", "Its parameter");
    t.add(&P::meets, "meets_target", "-", "Whether all of them meet the target");
  });
  return table;
}

}  // namespace kdyn::inline vehicle
