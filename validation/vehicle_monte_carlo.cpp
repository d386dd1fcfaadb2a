// SPDX-License-Identifier: Apache-2.0
// Maximum-likelihood identification of the published car against the Cramer-Rao bound: 1 kHz, 2 s of free decay, three
// cases, noise [vehicle E26]; 11 parameters (structure known) and 15, at 30 and 20 dB. Promise with the full run: rms
// error of each parameter within 0.9-1.15 of the bound, pooled coverage of the 95 % intervals 92-98 %.
//
//   validation_vehicle_monte_carlo --seeds 200     the full run, about a minute
// With fewer seeds the limits are widened by what chance allows: 3.5 standard deviations of an rms of n values,
// 3.5/sqrt(2 n).
#include <cstdlib>
#include <cstring>
#include <string>

#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/plan.hpp"
#include "validation.hpp"

int main(int argc, char** argv) {
  using namespace kdyn;
  int seeds = 200;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::max(2, std::atoi(argv[i + 1]));
  const double chance = seeds >= 200 ? 0.0 : 3.5 / std::sqrt(2.0 * seeds);
  validation::Case report(fmt::format("Vehicle, maximum likelihood, {} seeds", seeds),
                          "Cramer-Rao bound of the same test");
  const Vehicle<double> car;
  const AddedMass added = {130.0, 250.0, 40.0, 4.0, 4.0, 5.0, 5.0};
  const DecaySet clean = simulate_decays(car, {added}, {});
  const std::vector<std::string> structure = {"a", "b", "tf", "tr"};
  const Eigen::VectorXd truth = values_of(car, true);
  const auto names = parameter_names(true);
  for (const double snr : {30.0, 20.0})
    for (const bool all : {false, true}) {
      const auto sigma = noise_for(clean, snr);
      const Eigen::VectorXd bound = cramer_rao(car, clean, sigma, true, all ? std::vector<std::string>{} : structure);
      Eigen::VectorXd squares = Eigen::VectorXd::Zero(bound.size());
      int covered = 0, failed = 0;
      for (int seed = 0; seed < seeds; ++seed) {
        DecaySet set = clean;
        add_noise(set, sigma, 1000 + static_cast<std::uint64_t>(seed));
        VehicleFitOptions options;
        options.added_mass_std = 0.0;  // the simulated ones are exact
        if (!all)
          for (std::size_t i = 11; i < 15; ++i) options.fixed[names[i]] = truth[static_cast<Eigen::Index>(i)];
        const VehicleFitResult fit = identify_vehicle(set, options);
        failed += fit.status == "converged" ? 0 : 1;
        for (Eigen::Index i = 0; i < bound.size(); ++i) {
          const ParameterEstimate& p = fit.parameters[static_cast<std::size_t>(i)];
          squares[i] += std::pow(p.value / truth[i] - 1.0, 2);
          covered += p.lower_95 < truth[i] && truth[i] < p.upper_95 ? 1 : 0;
        }
      }
      const std::string what = fmt::format("{} dB, {} parameters", snr, bound.size());
      report.number(what + ": fits that did not converge", failed + 1.0, 1.0, 15.0);
      for (Eigen::Index i = 0; i < bound.size(); ++i)
        report.range(fmt::format("{}: rms/bound of {}", what, names[static_cast<std::size_t>(i)]),
                     std::sqrt(squares[i] / seeds) / bound[i], 0.9 - chance, 1.15 + chance);
      const double coverage = static_cast<double>(covered) / static_cast<double>(seeds * bound.size());
      // Intervals of one fit are wrong together: pooled coverage scatters like that of about two independent
      // parameters.
      report.range(what + ": coverage of 95 % intervals", coverage, 0.92 - 0.35 * chance, 0.98 + 0.35 * chance);
    }
  return report.finish();
}
