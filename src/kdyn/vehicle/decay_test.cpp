// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/decay_test.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline vehicle {

std::vector<BumpCase> published_cases() {
  return {{"bounce", bounce_bump()}, {"pitch", pitch_bump()}, {"roll", roll_bump()}};
}

BumpCase bump_case(const std::string& name) {
  for (const BumpCase& known : published_cases())
    if (known.name == name) return known;
  BumpCase out{name, {}};
  out.bump.wheels.fill(false);
  for (const char wheel : name) {
    if (wheel < 'A' || wheel > 'D')
      throw_bad_input("cases", fmt::format("unknown case {}", in_quotes(name)),
                      "use bounce, pitch, roll, or the wheels on the bump: A, AB, AC, AD, ...");
    out.bump.wheels[static_cast<std::size_t>(wheel - 'A')] = true;
  }
  if (name.empty())
    throw_bad_input("cases", "a case has no name", "use bounce, pitch, roll, or the wheels on the bump");
  return out;
}

DecaySet simulate_decays(const Vehicle<double>& vehicle, const std::vector<AddedMass>& added, const DecayTest& test) {
  DecaySet set;
  set.kinds.fill(test.kind);
  set.added = added;
  const double interval = 1.0 / test.rate_hz;
  for (std::size_t config = 0; config <= added.size(); ++config) {
    const VehicleMatrices<double> m = vehicle.matrices(config > 0 ? added[config - 1] : AddedMass{});
    for (const BumpCase& one : test.cases) {
      DecayRecord record;
      record.config = static_cast<int>(config);
      record.name = one.name;
      record.interval = interval;
      record.where = fmt::format("simulated {} (config {})", one.name, config);
      if (test.with_bump) {
        const double end = one.bump.start + one.bump.length + test.length_s;
        record.samples =
            exact_response(m, vehicle.kt, one.bump, interval, static_cast<int>(std::llround(end / interval)))
                .of(test.kind);
      } else {
        const auto [x, v] = state_after(m, vehicle.kt, one.bump);
        record.samples =
            free_response(m, x, v, interval, static_cast<int>(std::llround(test.length_s / interval))).of(test.kind);
      }
      set.records.push_back(std::move(record));
    }
  }
  return set;
}

std::array<double, vehicle_dofs> noise_for(const DecaySet& set, double snr_db) {
  std::array<double, vehicle_dofs> sigma{};
  double count = 0.0;
  for (const DecayRecord& r : set.records) {
    if (r.config != 0) continue;
    for (int c = 0; c < vehicle_dofs; ++c) sigma[static_cast<std::size_t>(c)] += r.samples.col(c).squaredNorm();
    count += static_cast<double>(r.samples.rows());
  }
  for (double& s : sigma) s = std::sqrt(s / count) * std::pow(10.0, -snr_db / 20.0);
  return sigma;
}

void add_noise(DecaySet& set, const std::array<double, vehicle_dofs>& sigma, std::uint64_t seed) {
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    RandomStream stream(seed, i);
    Eigen::MatrixXd& y = set.records[i].samples;
    for (Eigen::Index k = 0; k < y.rows(); ++k)
      for (int c = 0; c < vehicle_dofs; ++c) y(k, c) += sigma[static_cast<std::size_t>(c)] * stream.normal();
  }
}

}  // namespace kdyn::inline vehicle
