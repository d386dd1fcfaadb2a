// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/fit_gate.hpp"
#include "kdyn/vehicle/internal/added_mass.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

constexpr double z95 = 1.96;    // standard deviations of a 95 % interval
constexpr double hardly = 3.0;  // a channel with less than this many times its noise hardly moves

bool unknown_of(const VehicleFitResult& result, const std::string& name) {
  return std::any_of(result.parameters.begin(), result.parameters.end(),
                     [&](const ParameterEstimate& p) { return p.name == name; });
}

}  // namespace

double channel_rms(const DecaySet& set, int channel) {
  double square = 0.0, count = 0.0;
  for (const DecayRecord& r : set.records)
    square += r.samples.col(channel).squaredNorm(), count += static_cast<double>(r.samples.rows());
  return count > 0.0 ? std::sqrt(square / count) : 0.0;
}

bool loses_motion(const DecaySet& before, const DecaySet& after) {
  const std::vector<double> noise_before = estimate_noise(before), noise_after = estimate_noise(after);
  for (int c = 0; c < before.channel_count(); ++c) {
    const auto at = static_cast<std::size_t>(c);
    const DecayChannel& channel = before.channels[at];
    if (channel.body != 0.0 || channel.pitch != 0.0 || channel.roll != 0.0) continue;
    if (channel_rms(before, c) > 2.0 * noise_only * noise_before[at] &&
        channel_rms(after, c) < noise_only * noise_after[at])
      return true;
  }
  return false;
}

std::vector<ChannelCheck> check_channels(const VehicleFitResult& result, const ChannelValues& sigma,
                                         const VehicleFitOptions& options) {
  const DecaySet& set = result.decays.set;
  const std::vector<double> noise = estimate_noise(set);
  const int n = set.channel_count();
  std::vector<ChannelCheck> out;
  for (int c = 0; c < n; ++c) {
    const auto at = static_cast<std::size_t>(c);
    ChannelCheck check;
    check.name = set.channels[at].name;
    check.unit = set.channels[at].unit();
    check.residual = sigma[at];
    check.noise =
        options.noise.empty() ? noise[at] : options.noise[at] / std::sqrt(static_cast<double>(result.decays.average));
    check.ratio = check.noise > 0.0 ? check.residual / check.noise : std::numeric_limits<double>::quiet_NaN();
    double square = 0.0, product = 0.0;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const Eigen::VectorXd r = set.records[i].samples.col(c) - result.model[i].col(c);
      square += r.squaredNorm();
      product += r.head(r.size() - 1).dot(r.tail(r.size() - 1));
    }
    check.lag_one = square > 0.0 ? product / square : 0.0;
    out.push_back(check);
  }
  return out;
}

void withhold_unseen(VehicleFitResult& result) {
  constexpr double widest =
      0.3;  // relative standard deviation beyond which an interval of the linearised fit says nothing
  std::vector<std::string> lost;
  const double size = std::abs(result.vehicle.a) + std::abs(result.vehicle.b);  // lengths may be near zero
  const auto withhold_one = [&](ParameterEstimate& p) {
    if (p.status != ParameterStatus::free || std::find(lost.begin(), lost.end(), p.name) != lost.end()) return;
    p.std = std::numeric_limits<double>::infinity();
    p.lower_95 = -p.std, p.upper_95 = p.std;
    lost.push_back(p.name);
  };
  const auto withhold = [&](const std::vector<std::string>& names) {
    for (ParameterEstimate& p : result.parameters)
      if (std::find(names.begin(), names.end(), p.name) != names.end()) withhold_one(p);
  };
  for (ParameterEstimate& p : result.parameters)
    if (p.unit != "s" && !(p.std < (p.unit == "m"     ? 0.5 * widest * size
                                    : p.unit == "rad" ? widest
                                                      : widest * std::abs(p.value))))
      withhold_one(p);
  // Wheels whose channels are all silent.
  const auto wheels = static_cast<std::size_t>(result.vehicle.layout.wheels());
  std::vector<bool> silent(wheels, false), heard(wheels, false);
  for (int c = 0; c < result.decays.set.channel_count(); ++c) {
    const ChannelCheck& check = result.channels[static_cast<std::size_t>(c)];
    const DecayChannel& channel = result.decays.set.channels[static_cast<std::size_t>(c)];
    const double shown = channel_rms(result.decays.set, c);
    const bool noise = check.noise > 0.0 && shown < noise_only * check.noise;
    for (std::size_t w = 0; w < wheels; ++w)
      if (channel.wheel[w] != 0.0) (noise ? silent : heard)[w] = true;
    if (!noise && shown < hardly * check.noise)
      result.findings.push_back(
          {Severity::warning, "weak_signal", check.name,
           fmt::format(
               "channel {} hardly moves, {:.1f} times the noise of its sensor: what only this motion shows rests "
               "on little",
               check.name, shown / check.noise),
           "excite this motion (a bump under the left wheels excites all of them)"});
    if (!noise) continue;
    // Motions that this channel alone would have shown.
    std::vector<std::string> names;
    if (channel.pitch != 0.0) names = {"Iyy", "a", "b", "b3"};
    if (channel.roll != 0.0) names = {"Ixx", "tf", "tr", "t1", "t2", "t3"};
    if (channel.body != 0.0 && channel.from_cg) names = {"ms"};
    withhold(names);
    result.findings.push_back(
        {Severity::serious, "no_signal", check.name, fmt::format("channel {} shows nothing but noise", check.name),
         "check the sensor and its cable, and excite this motion (a bump under the left wheels excites all of them)"});
  }
  for (std::size_t w = 0; w < wheels; w += 2)
    if (silent[w] && silent[w + 1] && !heard[w] && !heard[w + 1]) {
      const std::string axle = wheels > 4 ? std::to_string(w / 2 + 1) : w == 0 ? "f" : "r";
      std::vector<std::string> names = {"mu" + axle, "kt" + axle};
      for (const std::size_t i : {w, w + 1})
        for (const char* symbol : {"mu", "kt"}) names.push_back(symbol + std::string(1, static_cast<char>('A' + i)));
      withhold(names);
    }
  if (!lost.empty())
    result.findings.push_back({Severity::serious, "not_determined", join(lost, ", "),
                               fmt::format("these decays do not determine {}", join(lost, ", ")),
                               "excite more modes (a bump under the left wheels excites all), add sensors, or fix what "
                               "was measured directly; "
                               "kdyn vehicle --plan tells what helps"});
}

// What no road vehicle has, from kart to bus: a sign of wrong units, sampling or added mass, which the decays
// themselves cannot show.
void check_plausible(VehicleFitResult& result) {
  const Vehicle<double>& v = result.vehicle;
  const auto doubt = [&](const char* name, double value, const char* unit, double low, double high) {
    if (value > low && value < high) return;
    result.findings.push_back({Severity::serious, "implausible", name,
                               fmt::format("{} of {:.3g} {} is outside {:g} to {:g} {}, where road vehicles are", name,
                                           value, unit, low, high, unit),
                               "check the units of added masses and channels and the sampling interval: all masses, "
                               "stiffnesses and dampings scale with the "
                               "added mass, stiffnesses with the square of the sampling rate"});
  };
  double spring = v.layout.hitch ? v.kh : 0.0, hop = 0.0, wheels = 0.0;
  const auto count = static_cast<std::size_t>(v.layout.wheels());
  for (std::size_t i = 0; i < count; ++i)
    spring += v.ks[i], hop += (v.kt[i] + v.ks[i]) / v.mu[i] / static_cast<double>(count), wheels += v.mu[i];
  doubt("sprung mass", v.ms, "kg", 40.0, 40000.0);
  doubt("wheel masses over sprung mass", wheels / v.ms, "", 0.02, 0.8);
  doubt("bounce frequency", std::sqrt(spring / v.ms) / two_pi, "Hz", 0.65, 8.0);
  doubt("wheel hop frequency", std::sqrt(hop) / two_pi, "Hz", 6.0, 40.0);
  doubt("wheelbase", v.a + (v.layout.axles > 2 ? v.b3 : v.b), "m", 0.7, 16.0);
  doubt("half track", 0.5 * (v.tf + v.tr), "m", 0.3, 1.5);
  const std::size_t before = result.findings.size();
  doubt("front over rear track", v.tf / v.tr, "", 0.55, 1.8);
  // Hubs whose cables were exchanged from left to right do this, and leave hardly another trace.
  if (result.findings.size() > before)
    for (ParameterEstimate& p : result.parameters)
      if (p.status == ParameterStatus::free && (p.name == "tf" || p.name == "tr" || p.name == "Ixx")) {
        p.std = std::numeric_limits<double>::infinity();
        p.lower_95 = -p.std, p.upper_95 = p.std;
      }
  // Time that runs at another pace leaves a vehicle that looks like one, but of another size: light wheels hop fast.
  const double hop_hz = std::sqrt(hop) / two_pi;
  if (hop_hz < 7.2 || (v.ms > 900.0 && hop_hz > 17.5))
    result.findings.push_back(
        {Severity::warning, "implausible", "sampling",
         fmt::format("wheel hop at {:.3g} Hz is unusual for a sprung mass of {:.3g} kg", hop_hz, v.ms),
         "check the sampling interval: time that runs twice as fast doubles all frequencies and dampings and "
         "multiplies stiffnesses by four, and no data can tell"});
}

// The gate of all identifications: what the model leaves in each channel against the noise of its sensor, which the
// quiet part of the record or the user tells. A sensor is not better than a hundredth of its signal, and a tenth of it
// is no noise.
void judge_vehicle(VehicleFitResult& result) {
  std::vector<GateChannel> channels;
  for (const ChannelCheck& c : result.channels) {
    const double size = channel_rms(result.decays.set, static_cast<int>(&c - result.channels.data()));
    if (!(size > 0.0) || !std::isfinite(c.residual)) continue;
    // A channel that hardly moves and is met to the noise of its sensor is no witness against the vehicle.
    if (size < hardly * c.noise && c.residual < 1.3 * c.noise) continue;
    GateChannel channel;
    channel.name = "channel " + c.name, channel.unit = "%", channel.factor = 100.0;
    channel.residuals = {c.residual / size};
    channel.noise = std::isfinite(c.noise) ? c.noise / size : 0.0;
    channel.finest = 0.01, channel.coarsest = 0.1;
    channels.push_back(std::move(channel));
  }
  apply_gate(judge_fit(channels),
             "the vehicle is not as modelled (left and right differ, nonlinear dampers, excitation not over), a "
             "channel has the wrong sign or unit, or an "
             "added mass is wrong; try symmetric=false, dampers=bilinear and a later start_s",
             result.status, result.reason, result.parameters, result.findings);
}

void add_findings(VehicleFitResult& result, std::size_t samples, const VehicleFitOptions& options) {
  const auto note = [&](Severity severity, const char* code, const char* where, std::string message,
                        const char* remedy) {
    result.findings.push_back({severity, code, where, std::move(message), remedy});
  };
  const double white = std::max(0.1, 4.0 / std::sqrt(static_cast<double>(samples)));
  for (const ChannelCheck& c : result.channels) {
    // An exact simulation leaves rounding; nothing to judge there.
    double size = 0.0;
    for (const DecayRecord& r : result.decays.set.records)
      size = std::max(size, r.samples.col(&c - result.channels.data()).cwiseAbs().maxCoeff());
    if (c.residual < 1e-6 * size) continue;
    if (c.ratio > 1.3)
      note(c.ratio > 2.0 ? Severity::serious : Severity::warning, "misfit", c.name.c_str(),
           fmt::format("channel {}: what the model leaves is {:.2g} times the sensor noise", c.name, c.ratio),
           "the vehicle is not as modelled (left and right differ, nonlinear dampers, excitation not over) or an added "
           "mass is wrong; try "
           "symmetric=false, dampers=bilinear, a later start_s, and see the added-mass check");
    else if (std::abs(c.lag_one) > white && !options.decays.low_pass_hz)
      note(Severity::warning, "coloured", c.name.c_str(),
           fmt::format(
               "channel {}: neighbouring residuals are correlated by {:.2f}; the intervals take them for independent",
               c.name, c.lag_one),
           "switch filters of the measuring system off, or take more samples into one average");
  }
  for (const AddedMassCheck& a : result.added_mass)
    if (is_wrong(a))
      note(Severity::serious, "added_mass", a.name.c_str(),
           fmt::format("the decays fit better with an added {} that is {:+.1f} % different (+- {:.1f} %)", a.name,
                       100.0 * a.change, 100.0 * z95 * a.std),
           "weigh the added masses again and check where they were placed; the vehicle rests on them, and its "
           "intervals are withheld");
  for (const ChannelCheck& c : result.channels) {
    // Small faults that the misfit hides and the intervals do not contain.
    const bool gain = std::abs(c.gain - 1.0) > 4.0 * c.gain_std && std::abs(c.gain - 1.0) > 0.02,
               delay = std::abs(c.delay_s) > 4.0 * c.delay_std_s && std::abs(c.delay_s) > 1e-4;
    if (c.residual < 1e-6 * c.noise) continue;
    if (gain && !unknown_of(result, c.name + ".gain"))
      note(Severity::warning, "channel_gain", c.name.c_str(),
           fmt::format("channel {} fits best with a factor {:.3f} +- {:.3f}", c.name, c.gain, z95 * c.gain_std),
           "check its calibration, or let the fit find it: \"unknown\": [\"gain\"]");
    if (delay && !unknown_of(result, c.name + ".delay_s"))
      note(Severity::warning, "channel_delay", c.name.c_str(),
           fmt::format("channel {} fits best when it comes {:.2g} +- {:.1g} ms {}", c.name, 1e3 * std::abs(c.delay_s),
                       1e3 * z95 * c.delay_std_s, c.delay_s > 0.0 ? "late" : "early"),
           "check filters and recorders, or let the fit find it: \"unknown\": [\"delay\"]");
  }
  for (const ParameterEstimate& p : result.parameters)
    if (p.status == ParameterStatus::free && p.unit != "s" && p.unit != "-" && std::isfinite(p.std) &&
        p.name.find('.') == std::string::npos && !(z95 * p.std < 0.2 * std::abs(p.value)))
      note(Severity::warning, "uncertain", p.name.c_str(),
           fmt::format("{} is known to +-{:.0f} % only", p.name, 100.0 * z95 * p.std / std::abs(p.value)),
           "excite more modes (a bump under the left wheels excites all seven), record longer, add more mass, or fix "
           "what was measured directly; "
           "kdyn vehicle --plan tells what helps");
}

}  // namespace kdyn::inline vehicle::internal
