// SPDX-License-Identifier: Apache-2.0
// Motion from tables: a body of 10 kg on a slide follows a table of a smooth motion, five sines up to a twelfth of the
// table's sampling rate with phases that start in full swing; fine, coarse, off the steps and with one sample of each
// step. The oracle is the motion behind the table, its acceleration and mass times that for the force of the drive.
// Promise: both within 1 % rms, and within 3 % of the largest in the first twentieth (no ringing at the start); motion
// above that frequency, noise and kinks are told; noisy tables with smoothing within 5 % up to smooth_hz.
#include <cmath>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/motion_check.hpp"
#include "kdyn/mbs/sensitivity.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;

constexpr double mass = 10.0, duration = 2.0;

// Sines of rising frequency up to `highest`, alike in acceleration.
struct Truth {
  double highest = 5.0, acceleration = 2.0;
  double hz(int i) const { return highest * (0.2 + 0.2 * i); }
  double phase(int i) const { return 0.7 + 1.9 * i; }
  double position(double t) const {
    double x = 0.0;
    for (int i = 0; i < 5; ++i)
      x -= acceleration / std::pow(two_pi * hz(i), 2) * std::sin(two_pi * hz(i) * t + phase(i));
    return x;
  }
  double second_rate(double t) const {
    double a = 0.0;
    for (int i = 0; i < 5; ++i) a += acceleration * std::sin(two_pi * hz(i) * t + phase(i));
    return a;
  }
};

struct Seen {
  double acceleration = 0.0, force = 0.0;  // rms error over rms
  double start = 0.0;                      // largest error of the first twentieth over the largest acceleration
  std::string told;
};

Seen follow(const Truth& truth, double interval, double step, double noise = 0.0, double smooth_hz = 0.0) {
  RandomStream random(7, 0);
  Json table = Json::array();
  for (int i = 0; i * interval <= duration + interval; ++i)
    table.push_back({i * interval, truth.position(i * interval) + noise * random.normal()});
  Json drive = table;
  if (smooth_hz > 0.0) drive = {{"table", table}, {"smooth_hz", smooth_hz}};
  const double quarter = 0.25 * two_pi;
  const Json ground = {{"body", "ground"}}, body = {{"body", "b"}};
  Json ground_rail = ground, body_rail = body;
  ground_rail["rotation"] = body_rail["rotation"] = {0.0, quarter, 0.0};
  const Json json = {
      {"bodies",
       Json::array(
           {{{"name", "b"}, {"mass", mass}, {"inertia", {1, 1, 1}}, {"position", {truth.position(0.0), 0, 0}}}})},
      {"joints", Json::array({{{"name", "rail"}, {"kind", "translational"}, {"markers", {ground_rail, body_rail}}},
                              {{"name", "motor"},
                               {"kind", "drive_translation"},
                               {"axis", "x"},
                               {"markers", {ground, body}},
                               {"drive", drive}}})}};
  mbs::ModelFile file = mbs::model_from_json(json, "model");
  mbs::RunOptions options;
  options.step_s = step, options.duration_s = duration;
  const mbs::System system(file.model);
  mbs::Output force;
  force.kind = mbs::OutputKind::reaction_force, force.index = 1, force.component = 0;
  double error = 0.0, size = 0.0, force_error = 0.0, largest = 0.0, first = 0.0;
  mbs::simulate(
      system, options,
      [&](const mbs::RunState& s, const mbs::Evaluation& e) {
        const double wanted = truth.second_rate(s.t), off = s.vd[0] - wanted;
        error += off * off, size += wanted * wanted;
        force_error += std::pow(mbs::output_value(system, force, s, e) / mass - wanted, 2);
        largest = std::max(largest, std::abs(wanted));
        if (s.t < 0.05 * duration) first = std::max(first, std::abs(off));
      },
      silent_progress());
  Seen out{std::sqrt(error / size), std::sqrt(force_error / size), first / largest, ""};
  for (const Finding& f : mbs::check_motions(file.model, step, duration, "model"))
    out.told += f.code + ": " + f.message + "; ";
  return out;
}

}  // namespace

int main() {
  validation::Case report("A body driven by tables", "the smooth motion behind the table");
  struct Table {
    const char* name;
    double interval, step;
  };
  for (const Table& t : {Table{"fine, 1 ms", 1e-3, 2.5e-4},
                         {"coarse, 10 ms", 1e-2, 1e-3},
                         {"60 Hz, off the steps", 1.0 / 60.0, 1e-3},
                         {"1.37 ms, off the steps", 1.37e-3, 2.5e-4},
                         {"very coarse, 50 ms", 5e-2, 1e-3}}) {
    const Truth truth{1.0 / (12.0 * t.interval)};
    const Seen seen = follow(truth, t.interval, t.step);
    const std::string what = t.name;
    report.range(what + ": acceleration, % rms", 100.0 * seen.acceleration, 0.0, 1.0);
    report.range(what + ": force of the drive, % rms", 100.0 * seen.force, 0.0, 1.0);
    report.range(what + ": start, % of the largest", 100.0 * seen.start, 0.0, 3.0);
    report.words(what + ": told", seen.told, "");
    const Seen above = follow({2.5 * truth.highest}, t.interval, t.step);
    fmt::print("  {}: motion up to {:.3g} Hz misses by {:.1f} %: {}\n", t.name, 2.5 * truth.highest,
               100.0 * above.acceleration, above.told);
    report.words(what + ", motion above: told", above.told.empty() ? "no" : "yes", "yes");
  }
  for (const double smooth_hz : {15.0, 30.0, 60.0}) {
    const Truth truth{smooth_hz};
    // Noise of a tenth of a per cent of the motion.
    const double noise = 1e-3 * truth.acceleration / std::pow(two_pi * truth.hz(0), 2);
    const Seen raw = follow(truth, 1e-3, 5e-4, noise), smooth = follow(truth, 1e-3, 5e-4, noise, smooth_hz);
    report.words(fmt::format("noisy, up to {:g} Hz: told", truth.highest), raw.told.empty() ? "no" : "yes", "yes");
    report.range(fmt::format("smooth_hz {:g}: acceleration, % rms", smooth_hz), 100.0 * smooth.acceleration, 0.0, 5.0);
    report.range(fmt::format("smooth_hz {:g}: force, % rms", smooth_hz), 100.0 * smooth.force, 0.0, 5.0);
    fmt::print("  noisy: {:.0f} % without smoothing: {}; with: {}\n", 100.0 * raw.acceleration, raw.told, smooth.told);
  }
  return report.finish();
}
