// SPDX-License-Identifier: Apache-2.0
// How master curves stand in results.
#include <cmath>

#include "kdyn/identify/master_curve.hpp"

namespace kdyn::inline identify {
namespace {

std::optional<double> if_finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace

const FieldTable& fields_of(const ShiftFactor*) {
  using F = ShiftFactor;
  static const FieldTable table = FieldTable::results<F>("shift factor", [](FieldTable& t) {
    t.add(&F::temperature_c, "temperature_c", "degC", "Temperature");
    t.add([](const F& f) { return f.rows; }, "rows", "-", "Rows at this temperature");
    t.add(&F::status, "status", "-",
          "reference, determined, uncertain (interval wider than half a decade each way), not_determined");
    t.add(&F::log_a, "log10_a", "-", "Horizontal shift factor, decadic logarithm: reduced frequency = a f");
    t.add([](const F& f) { return if_finite(f.log_a_std); }, "log10_a_std", "-",
          "Its standard deviation; null: not known");
    t.add([](const F& f) { return if_finite(f.log_a_lower); }, "log10_a_lower_95", "-",
          "Lower end of its 95 % interval");
    t.add([](const F& f) { return if_finite(f.log_a_upper); }, "log10_a_upper_95", "-",
          "Upper end of its 95 % interval");
    t.add(&F::law_log_a, "log10_a_law", "-", "The same by the better law");
    t.add(&F::b, "b", "-", "Vertical shift: moduli here over those of the master curve");
    t.add(&F::b_lower, "b_lower_95", "-", "Lower end of its 95 % interval");
    t.add(&F::b_upper, "b_upper_95", "-", "Upper end of its 95 % interval");
    t.add(&F::overlap_decades, "overlap_decades", "-", "Decades of reduced frequency shared with other temperatures");
    t.add(&F::linked, "linked", "-", "Whether overlaps lead from here to the reference");
    t.add(&F::rms_storage_rel, "rms_storage_rel", "-", "Misfit of the storage, rms");
    t.add(&F::rms_loss_rel, "rms_loss_rel", "-", "Misfit of the loss, rms");
  });
  return table;
}

const FieldTable& fields_of(const ShiftLaw*) {
  using L = ShiftLaw;
  static const FieldTable table = FieldTable::results<L>("law of the shift factors", [](FieldTable& t) {
    t.add(&L::law, "law", "-", "wlf or arrhenius");
    t.add([](const L& l) { return l.parameters; }, "parameters", "-", "Its parameters").keyed_by("name");
    t.add(&L::rms_decades, "rms_decades", "-",
          "Distance of the shift factors from the law, rms weighted by their intervals");
    t.add(&L::chi_square, "chi_square", "-", "Misfit against the factors' own covariance, per degree of freedom");
    t.add([](const L& l) { return l.factors; }, "factors", "-", "Shift factors it was fitted to");
    t.add(&L::physical, "physical", "-", "Whether its constants are positive and its pole lies below the data");
  });
  return table;
}

const FieldTable& fields_of(const MasterPoint*) {
  using P = MasterPoint;
  static const FieldTable table = FieldTable::results<P>("point of the master curve", [](FieldTable& t) {
    t.add(&P::frequency_hz, "frequency_hz", "Hz", "Reduced frequency at the reference temperature");
    t.add(&P::storage, "storage", "-", "Storage modulus, Pa, or stiffness, N/m");
    t.add([](const P& p) { return if_finite(p.loss); }, "loss", "-", "Loss, likewise");
  });
  return table;
}

}  // namespace kdyn::inline identify
