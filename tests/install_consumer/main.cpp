// SPDX-License-Identifier: Apache-2.0
// A stranger's program: reads the map of a bushing, fits the rubber law and runs it under a sine. Succeeds when
// installed headers, libraries and dependencies fit together and the numbers make sense.
#include <cmath>
#include <cstdio>

#include <kdyn/door/read.hpp>
#include <kdyn/elastomer/elastomer_model.hpp>
#include <kdyn/element/simulate.hpp>
#include <kdyn/identify/elastomer_fit.hpp>

int main(int, char** words) {
  const kdyn::Contents contents = kdyn::read_measurements({words[1]}, {});
  kdyn::ElastomerData data;
  data.map = contents.sets.at(0).bench.map;
  const kdyn::ElastomerFitResult fit = kdyn::fit_elastomer(data, {});
  std::printf("%s: stiffness missed by %.2f %%\n", fit.status.c_str(), 100.0 * fit.rms_k_dyn_rel);
  if (fit.status != "converged") return 1;

  // A sine of 1 mm at 10 Hz, sampled 200 times a period: the force in its last period has the amplitude that the fitted
  // law has in closed form.
  constexpr double pi = 3.14159265358979323846, amplitude = 1e-3, frequency = 10.0;
  constexpr int period = 200, periods = 20;
  std::vector<double> time, displacement;
  for (int i = 0; i <= periods * period; ++i) {
    time.push_back(i / (frequency * period));
    displacement.push_back(amplitude * std::sin(2.0 * pi * frequency * time.back()));
  }
  const auto mount = kdyn::make_mount(fit.law);
  const std::vector<double> force = kdyn::simulate(*mount, time, displacement);
  double re = 0.0, im = 0.0;
  for (int i = (periods - 1) * period; i < periods * period; ++i) {
    re += 2.0 / period * force[i] * std::sin(2.0 * pi * frequency * time[i]);
    im += 2.0 / period * force[i] * std::cos(2.0 * pi * frequency * time[i]);
  }
  const double seen = std::hypot(re, im) / amplitude;
  const auto expected = mount->closed_form(frequency, amplitude, 0.0);
  if (!expected) return 1;
  std::printf("dynamic stiffness %.4g N/mm in time, %.4g in closed form\n", seen / 1e3, expected->k_dyn / 1e3);
  // Interpolation between 200 samples of a period leaves errors of the order (2 pi / 200)^2 = 1e-3.
  return std::abs(seen / expected->k_dyn - 1.0) < 1e-3 ? 0 : 1;
}
