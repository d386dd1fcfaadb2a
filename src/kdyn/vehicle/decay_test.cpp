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
    if (wheel < 'A' || wheel >= 'A' + max_wheels)
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
  set.layout = vehicle.layout;
  set.channels = test.channels.empty() ? seven_motions(test.kind, vehicle.layout) : test.channels;
  set.added = added;
  set.points = test.points;
  const double interval = 1.0 / test.rate_hz;
  const Eigen::Index dofs = vehicle.layout.dofs();
  for (int config = 0; config <= set.configurations(); ++config) {
    const VehicleMatrices<double> m = set.matrices(vehicle, config);
    for (const BumpCase& one : test.cases) {
      DecayRecord record;
      record.config = config;
      record.name = one.name;
      record.interval = interval;
      record.where = fmt::format("simulated {} (config {})", one.name, config);
      const double end = test.with_bump ? one.bump.start + one.bump.length + test.length_s : test.length_s;
      const auto samples = static_cast<int>(std::llround(end / interval));
      record.samples.resize(samples, set.channel_count());
      // Delayed channels: the free motion was there before the record, a bump comes later.
      const auto response = [&](double delay) {
        if (test.with_bump) {
          Bump later = one.bump;
          later.start += delay;
          return exact_response(m, vehicle.kt, later, interval, samples);
        }
        const auto [x, v] = state_after(m, vehicle.kt, one.bump);
        Eigen::VectorXd state(2 * dofs);
        state << x, v;
        if (delay != 0.0) state = free_state(m, state, -delay);
        return free_response(m, state.head(dofs), state.tail(dofs), interval, samples);
      };
      const VehicleResponse on_time = response(0.0);
      for (int c = 0; c < set.channel_count(); ++c) {
        const DecayChannel& channel = set.channels[static_cast<std::size_t>(c)];
        const VehicleResponse shown = channel.delay_s == 0.0 ? on_time : response(channel.delay_s);
        record.samples.col(c) = channel.gain * (shown.of(channel.kind) * output_row(channel, vehicle));
      }
      set.records.push_back(std::move(record));
    }
  }
  return set;
}

std::vector<double> noise_for(const DecaySet& set, double snr_db) {
  std::vector<double> sigma(set.channels.size(), 0.0);
  double count = 0.0;
  for (const DecayRecord& r : set.records) {
    if (r.config != 0) continue;
    for (std::size_t c = 0; c < sigma.size(); ++c)
      sigma[c] += r.samples.col(static_cast<Eigen::Index>(c)).squaredNorm();
    count += static_cast<double>(r.samples.rows());
  }
  for (double& s : sigma) s = std::sqrt(s / count) * std::pow(10.0, -snr_db / 20.0);
  return sigma;
}

void add_noise(DecaySet& set, const std::vector<double>& sigma, std::uint64_t seed) {
  for (std::size_t i = 0; i < set.records.size(); ++i) {
    RandomStream stream(seed, i);
    Eigen::MatrixXd& y = set.records[i].samples;
    for (Eigen::Index k = 0; k < y.rows(); ++k)
      for (int c = 0; c < set.channel_count(); ++c) y(k, c) += sigma[static_cast<std::size_t>(c)] * stream.normal();
  }
}

}  // namespace kdyn::inline vehicle
