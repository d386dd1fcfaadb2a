// SPDX-License-Identifier: Apache-2.0
// Vehicles from kart to bus without initial guess: random two-axle vehicles of five kinds, 1 kHz, free decays after the
// three published bumps, with and without added mass of 5 to 15 %, 30 and 40 dB, all 15 parameters free. The oracle is
// the truth of the simulation and the bound of Cramer and Rao. Promise: a fit that says "converged" has no parameter
// more than 4 standard deviations of the bound away in more than 1 % of the vehicles (a Gaussian estimate has one in
// 1000 for 15 parameters).
//
//   validation_vehicle_kinds --vehicles 500 --snr-db 30   the full run at one level; without: 30 and 40 dB in turns
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/plan.hpp"
#include "validation.hpp"
#include "vehicle_kinds.hpp"

using namespace kdyn;
using namespace kdyn::validation;

int main(int argc, char** argv) {
  int vehicles = 500, first = 0;
  double snr_db = 0.0;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--vehicles") == 0) vehicles = std::max(5, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--first") == 0) first = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--snr-db") == 0) snr_db = std::atof(argv[i + 1]);
  }
  Case report(fmt::format("Vehicles from kart to bus, {} of them", vehicles),
              "truth of the simulation, Cramer-Rao bound");
  VehicleFitOptions options;
  options.added_mass_std = 0.0;  // the simulated ones are exact, and so is the bound
  int wrong = 0, converged = 0, inside = 0, intervals = 0;
  Durations durations;
  for (int i = first; i < first + vehicles; ++i) {
    RandomStream random(4711, static_cast<std::uint64_t>(i));
    const Kind& kind = kinds[i % 5];
    const Vehicle<double> truth = random_vehicle(kind, random);
    AddedMass added{};
    const double share = 0.05 + 0.1 * random.uniform();
    added = {share * truth.ms,    share * truth.Iyy,   share * truth.Ixx,  share * truth.mu[0],
             share * truth.mu[1], share * truth.mu[2], share * truth.mu[3]};
    DecaySet set = simulate_decays(truth, {added}, {});
    const auto sigma = noise_for(set, snr_db > 0.0 ? snr_db : i % 2 == 0 ? 30.0 : 40.0);
    const Eigen::VectorXd bound = cramer_rao(truth, set, sigma, true, {}), values = values_of(truth, true);
    add_noise(set, sigma, static_cast<std::uint64_t>(i));
    const std::clock_t begin = std::clock();
    const VehicleFitResult fit = identify_vehicle(set, options);
    const double took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    durations.add(took);
    if (took > 0.3)
      fmt::print("  {} {}: {:.2f} s of processor time, {} iterations, {} evaluations\n", i, kind.name, took,
                 fit.iterations, fit.evaluations);
    if (fit.status != "converged") {
      fmt::print("  {} {}: {}, {}\n", i, kind.name, fit.status, fit.reason);
      continue;
    }
    ++converged;
    double worst = 0.0;
    std::string name;
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      const ParameterEstimate& p = fit.parameters[static_cast<std::size_t>(k)];
      const double off = std::abs(p.value / values[k] - 1.0) / bound[k];
      if (off > worst) worst = off, name = p.name;
      inside += p.lower_95 < values[k] && values[k] < p.upper_95, ++intervals;
    }
    if (worst > 4.0) {
      ++wrong;
      fmt::print("  {} {}: {} is off by {:.1f} standard deviations of the bound{}\n", i, kind.name, name, worst,
                 said(fit.findings));
    }
  }
  report.range("converged, %", 100.0 * converged / vehicles, 95.0, 100.0);
  report.range("converged and off by more than 4 bounds, %", 100.0 * wrong / vehicles, 0.0,
               std::max(1.0, 150.0 / vehicles));
  report.range("coverage of 95 % intervals, %", 100.0 * inside / std::max(1, intervals), 90.0, 98.5);
  fmt::print("  {}\n", durations.text());
  return report.finish();
}
