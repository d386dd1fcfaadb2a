// SPDX-License-Identifier: Apache-2.0
// Do the 95 % intervals of shift factors hold the truth? Random polymers with one broad relaxation (Cole-Cole) that
// shift by WLF, measured at 11 temperatures from -30 to 70 degC and ten frequencies from 0.1 to 100 Hz.
//
//   master_curves [--seeds N]      200 seeds are the full run, a few the one of the tests
//
// Noise: 0.5 to 2.5 % of the storage, twice that of the loss. Factors that are said to be not determined make no claim.
#include <complex>
#include <cstdlib>
#include <cstring>

#include "kdyn/base/random.hpp"
#include "kdyn/identify/master_curve.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;

struct Polymer {
  double c1, c2, breadth, middle, noise;
};

constexpr double reference_c = 20.0;

std::vector<ModulusRow> measured(const Polymer& p, RandomStream& random) {
  std::vector<ModulusRow> rows;
  for (int level = 0; level <= 10; ++level)
    for (int k = 0; k < 10; ++k) {
      const double T = -30.0 + 10.0 * level, log_f = -1.0 + k / 3.0;
      const double reduced = std::pow(10.0, log_f + wlf_log_a(p.c1, p.c2, T, reference_c) - p.middle);
      const std::complex<double> x = std::pow(std::complex<double>(0.0, reduced), p.breadth);
      const std::complex<double> E = 1e6 + 2e9 * x / (1.0 + x);
      const double storage = E.real() * std::exp(p.noise * random.normal());
      const double loss = E.imag() * std::exp(2.0 * p.noise * random.normal());
      rows.push_back({T, std::pow(10.0, log_f), storage, loss});
    }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 200;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::max(1, std::atoi(argv[i + 1]));
  validation::Case report(fmt::format("Shift factors of {} random polymers", seeds),
                          "the law that made the data; share of intervals that hold it, in %");
  int inside = 0, claimed = 0, open = 0, constants = 0, constants_inside = 0, poor = 0;
  double square = 0.0;
  for (int seed = 1; seed <= seeds; ++seed) {
    RandomStream r(static_cast<std::uint64_t>(seed), 60);
    const Polymer p{r.uniform(8.0, 16.0), r.uniform(90.0, 150.0), r.uniform(0.35, 0.6), r.uniform(0.0, 3.0),
                    r.uniform(0.005, 0.025)};
    const MasterCurveResult fit = fit_master_curve(measured(p, r), {reference_c, {}, {}});
    poor += fit.status != "converged";
    for (const ShiftFactor& f : fit.factors) {
      if (f.status == "reference") continue;
      if (f.status == "not_determined") {
        ++open;
        continue;
      }
      const double truth = wlf_log_a(p.c1, p.c2, f.temperature_c, reference_c);
      inside += f.log_a_lower <= truth && truth <= f.log_a_upper;
      square += std::pow((f.log_a - truth) / f.log_a_std, 2);
      ++claimed;
    }
    for (const ShiftLaw& law : fit.laws)
      if (law.law == "wlf")
        for (std::size_t i = 0; i < 2; ++i) {
          const double truth = i == 0 ? p.c1 : p.c2;
          constants_inside += law.parameters[i].lower_95 <= truth && truth <= law.parameters[i].upper_95;
          ++constants;
        }
  }
  fmt::print("{} factors claimed, {} not determined; rms distance {:.2f} standard deviations; {} of {} WLF constants\n",
             claimed, open, std::sqrt(square / std::max(1, claimed)), constants_inside, constants);
  // Factors of one polymer are alike: few seeds scatter as if each had one.
  const double slack = seeds >= 100 ? 0.0 : 330.0 * std::sqrt(0.95 * 0.05 / seeds);
  report.range("factors held by their intervals, %", 100.0 * inside / std::max(1, claimed), 90.0 - slack, 99.0 + slack);
  report.range("WLF constants held, %", 100.0 * constants_inside / std::max(1, constants), 90.0 - slack, 100.0);
  report.range("factors claimed", claimed, 5.0 * seeds, 10.0 * seeds);
  report.range("good polymers called poor", poor, 0, 0);
  return report.finish();
}
