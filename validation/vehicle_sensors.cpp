// SPDX-License-Identifier: Apache-2.0
// Vehicles from kart to bus with sensors at arbitrary places: four to six accelerometers on the body, gyros in most tests,
// hub accelerometers of which some are missing or string pots, two or three loads on the floor as added mass, centre of
// gravity unknown, 30 and 40 dB, all 15 parameters free, no initial guess. The oracle is the truth of the simulation and
// the bound of Cramer and Rao for that very test. Promise: as for vehicle_kinds.
//
//   validation_vehicle_sensors --vehicles 500 --snr-db 30   the full run at one level; without: 30 and 40 dB in turns
//   validation_vehicle_sensors --vehicles 200 --nuisance    gains within 10 %, offsets and delays up to 3 ms unknown as well
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "kdyn/vehicle/identify_vehicle.hpp"
#include "kdyn/vehicle/plan.hpp"
#include "validation.hpp"
#include "vehicle_kinds.hpp"

using namespace kdyn;
using namespace kdyn::validation;

int main(int argc, char** argv) {
  int vehicles = 500, first = 0;
  bool nuisance = false;
  double snr_db = 0.0;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--vehicles") == 0 && i + 1 < argc) vehicles = std::max(5, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--first") == 0 && i + 1 < argc) first = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--snr-db") == 0 && i + 1 < argc) snr_db = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--nuisance") == 0) nuisance = true;
  }
  Case report(fmt::format("Sensors at arbitrary places of {} vehicles from kart to bus{}", vehicles,
                          nuisance ? ", gains, offsets and delays unknown" : ""),
              "truth of the simulation, Cramer-Rao bound of each test");
  VehicleFitOptions options;
  options.added_mass_std = 0.0;  // the simulated ones are exact, and so is the bound
  int wrong = 0, converged = 0, inside = 0, intervals = 0, open = 0, told = 0;
  double squares = 0.0, ratios = 0.0;
  Durations durations;
  for (int i = first; i < first + vehicles; ++i) {
    RandomStream random(1147, static_cast<std::uint64_t>(i));
    const Kind& kind = kinds[i % 5];
    const Vehicle<double> truth = random_vehicle(kind, random);
    DecayTest test;
    test.channels = random_sensors(truth, random);
    test.points = {random_loads(truth, random)};
    if (nuisance)
      for (std::size_t c = 0; c < test.channels.size(); ++c) {
        DecayChannel& channel = test.channels[c];
        channel.gain_unknown = channel.offset_unknown = true;
        channel.gain_std = 0.1;
        channel.delay_unknown = c > 0;  // a delay of all channels is none
        channel.delay_std_s = 0.002;
        channel.gain = 1.0 + 0.1 * (2.0 * random.uniform() - 1.0);
        if (c > 0) channel.delay_s = 0.003 * random.uniform();
      }
    DecaySet set = simulate_decays(truth, {}, test);
    const auto sigma = noise_for(set, snr_db > 0.0 ? snr_db : i % 2 == 0 ? 30.0 : 40.0);
    const Eigen::VectorXd bound = cramer_rao(truth, set, sigma, true, {}), values = values_of(truth, true);
    add_noise(set, sigma, static_cast<std::uint64_t>(i));
    if (nuisance)
      for (std::size_t c = 0; c < set.channels.size(); ++c) {
        set.channels[c].gain = 1.0, set.channels[c].delay_s = 0.0;
        for (DecayRecord& r : set.records) r.samples.col(static_cast<Eigen::Index>(c)).array() += 3.0 * sigma[c];
      }
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
      if (bound[k] > 0.3) {  // the test does not determine it, and the fit has to say so
        ++open, told += std::isinf(p.std);
        continue;
      }
      if (std::isinf(p.std)) continue;
      const double off = std::abs(p.value / values[k] - 1.0) / bound[k];
      if (off > worst) worst = off, name = p.name;
      squares += std::min(off * off, 16.0), ratios += 1.0;
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
  report.range("rms error over the bound", std::sqrt(squares / std::max(1.0, ratios)), 0.8, 1.15);
  report.range("coverage of 95 % intervals, %", 100.0 * inside / std::max(1, intervals), 90.0, 98.5);
  if (open > 0) report.range("not determined and said so, %", 100.0 * told / open, 80.0, 100.0);
  fmt::print("  {}; {} of {} parameters not determined by their test\n", durations.text(), open, 15 * converged);
  return report.finish();
}
