// SPDX-License-Identifier: Apache-2.0
// Strongly filled rubber as Kraus describes it, not as any law of kdyn does: which law follows it, and how closely.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/identify/compare.hpp"

namespace kdyn {
namespace {

using C = std::complex<double>;

// Kraus 1984: storage k_inf + dk/(1 + X), loss 2 dl sqrt(X)/(1 + X), X = (a/a_c)^(2m); both springs with the weak power law of frequency that
// rubber has, the filler network with the larger power, which is its own loss at small amplitudes.
struct Kraus {
  double k_inf, dk, m, dl, rubber_power, network_power;

  C operator()(double f, double a) const {
    const double X = std::pow(a / 3e-4, 2.0 * m);
    const C i_f(0.0, f / 5.0);
    return k_inf * std::pow(i_f, rubber_power) + dk / (1.0 + X) * std::pow(i_f, network_power) + C(0.0, 2.0 * dl * std::sqrt(X) / (1.0 + X));
  }
};

ElastomerData map_of(const Kraus& rubber) {
  ElastomerData data;
  for (int i = 0; i < 10; ++i)
    for (const double f : {1.0, 3.0, 10.0, 30.0}) {
      MapRow row;
      row.frequency_hz = f;
      row.amplitude = 1e-5 * std::pow(400.0, i / 9.0);  // 0.01 to 4 mm
      const C K = rubber(f, row.amplitude);
      row.k_dyn = std::abs(K);
      row.loss_angle = std::arg(K);
      data.map.rows.push_back(row);
    }
  return data;
}

TEST(ComparePayne, FollowsKrausWhereTheLogarithmicLawDoesNot) {
  CompareOptions options;
  options.laws = {"payne", "elastomer_masing"};
  options.starts = 3;
  constexpr double degree = std::numbers::pi / 180.0;
  for (const Kraus& rubber : {Kraus{3e5, 12e5, 0.55, 2.4e5, 0.03, 0.07}, Kraus{3e5, 12e5, 0.6, 2.6e5, 0.05, 0.07},
                              Kraus{3e5, 12e5, 0.5, 2.0e5, 0.05, 0.04}, Kraus{3e5, 8e5, 0.55, 1.6e5, 0.05, 0.05}}) {
    const CompareResult r = compare_laws(map_of(rubber), options);
    for (const LawFit& law : r.laws) {
      std::printf("%s: %.2f %% %.2f deg  left out %.2f %.2f  %.2f s status %s\n", law.law.c_str(), 100 * law.fit.k_dyn_rel,
                  law.fit.loss_angle / degree, 100 * law.left_out_amplitudes->total, 100 * law.left_out_frequencies->total, law.seconds,
                  law.status.c_str());
      for (auto& p : law.parameters) std::printf("   %s %.4g\n", p.name.c_str(), p.value);
    }
  }
}

}  // namespace
}  // namespace kdyn
