// SPDX-License-Identifier: Apache-2.0
// Static loops as benches record them: one-sided, off-centre, of virgin and of cycled parts, of a progressive mount at
// four preloads, each with a map at the preload. Do the 95 % intervals hold the truth, and does the fitted model, run
// along the same path, give what the fit says?
//
//   one_sided_loops [--seeds N]      50 seeds are the full run, a few the one of the tests
//
// Truth: F = 300 u + 12 u^3 N/mm (300 to 732 N/mm over 6 mm), rdl 0.15 mm, rho 3 /mm. Noise 1 % and 0.3 deg of the map,
// 3 N of the loop. The path of each loop is walked by the law itself (element/static_path.hpp), slow enough that the
// damper does not show.
#include <cstdlib>
#include <cstring>
#include <map>
#include <numbers>

#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/elastomer_fit.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;

constexpr double degree = std::numbers::pi / 180.0;

Elastomer<double> truth_law() {
  Elastomer<double> law;
  law.rdl = 1.5e-4;
  law.rho = 3000.0;
  for (int i = -400; i <= 800; ++i) {
    const double u = 1e-5 * i;
    law.curve_points.emplace_back(u, 300e3 * u + 12e9 * u * u * u);
  }
  prepare(law, "truth");
  return law;
}

struct Kind {
  const char* name;
  double from, to;  // of the stroke, from its first sample
  bool about_preload;
  PathHistory (*history)(double at_preload, double first);
};

const Kind kinds[] = {
    {"0..6 mm from rest at preload, cycled", 0.0, 6e-3, false,
     [](double u0, double) {
       return PathHistory{u0, 2};
     }},
    {"0..6 mm from rest at preload, first way", 0.0, 6e-3, false,
     [](double u0, double) {
       return PathHistory{u0, 1};
     }},
    {"0..6 mm from rest at zero, virgin", 0.0, 6e-3, false,
     [](double, double first) {
       return PathHistory{first, 1};
     }},
    {"0..6 mm from rest at zero, cycled", 0.0, 6e-3, false,
     [](double, double first) {
       return PathHistory{first, 2};
     }},
    {"+-2 mm about the preload, cycled", 0.0, 2e-3, true,
     [](double, double first) {
       return PathHistory{first, 2};
     }},
};

StaticLoop loop_of(const Mount& mount, const Kind& kind, double u0) {
  StaticLoop loop;
  constexpr int n = 150;
  const auto go = [&](double from, double to) {
    for (int i = 1; i <= n; ++i) loop.displacement.push_back(from + (to - from) * i / n);
  };
  if (kind.about_preload) {
    loop.displacement = {u0};
    go(u0, u0 + kind.to), go(u0 + kind.to, u0 - kind.to), go(u0 - kind.to, u0);
  } else {
    loop.displacement = {kind.from};
    go(kind.from, kind.to), go(kind.to, kind.from);
  }
  loop.force = static_path_force(mount, loop.displacement, kind.history(u0, loop.displacement.front()), 1e-9);
  loop.source.path = "static.csv";
  return loop;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 50;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::max(1, std::atoi(argv[i + 1]));
  validation::Case report(fmt::format("One-sided, off-centre, virgin and cycled static loops, {} seeds", seeds),
                          "the truth behind the simulated bench; share of intervals that hold it, in %");
  const Elastomer<double> truth = truth_law();
  const auto mount = make_mount(truth);
  std::map<std::string, std::pair<int, int>> hits;  // of each parameter
  int all = 0, all_hits = 0, done = 0, fits = 0;
  double disagreement = 0.0;
  for (std::size_t k = 0; k < std::size(kinds); ++k) {
    int kind_hits = 0, kind_all = 0;
    for (const double preload : {0.0, 200.0, 850.0, 2000.0}) {
      const double u0 = static_displacement(truth, preload);
      ElastomerData clean;
      for (const double a : {5e-5, 1e-4, 2e-4, 5e-4, 1e-3})
        for (const double f : {1.0, 2.0, 4.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0}) {
          const SteadyResponse r = steady_response(truth, f, a, u0);
          clean.map.rows.push_back({f, a, preload, r.k_dyn, r.loss_angle, 0.0, 0});
        }
      clean.loops.push_back(loop_of(*mount, kinds[k], u0));
      for (int seed = 1; seed <= seeds; ++seed) {
        ElastomerData data = clean;
        RandomStream noise(static_cast<std::uint64_t>(seed), 10 * k + static_cast<std::uint64_t>(preload));
        for (MapRow& row : data.map.rows) {
          row.k_dyn *= 1.0 + 0.01 * noise.normal();
          row.loss_angle += 0.3 * degree * noise.normal();
        }
        for (double& f : data.loops.front().force) f += 3.0 * noise.normal();
        const ElastomerFitResult fit = fit_elastomer(data, {});
        ++fits;
        done += fit.status == "converged";
        for (const ParameterEstimate& p : fit.parameters) {
          if (p.status == ParameterStatus::fixed || p.name == "ymax") continue;
          double value = p.name == "static_stiffness" ? truth.stiffness_at(u0) : std::nan("");
          for (std::size_t i = 1; i < 7; ++i)
            if (p.name == elastomer_parameters[i].name) value = truth.*Elastomer<double>::members[i];
          if (std::isnan(value)) continue;
          const bool inside = p.lower_95 <= value && value <= p.upper_95;
          hits[p.name].first += inside, ++hits[p.name].second;
          kind_hits += inside, ++kind_all;
        }
        // The fitted model along the same path by the run-time object, as the rig runs it; the free constant is that of
        // the sensor.
        const StaticComparison rig = compare_static(*make_mount(fit.law), data.loops.front(), fit.loop_history.front());
        double range = 0.0;
        for (const double f : rig.force) range = std::max(range, std::abs(f));
        for (std::size_t i = 0; i < rig.force.size(); ++i)
          disagreement = std::max(disagreement, std::abs(rig.force[i] - fit.loop_model.front()[i]) / range);
      }
    }
    all += kind_all, all_hits += kind_hits;
    report.range(kinds[k].name, 100.0 * kind_hits / kind_all, seeds >= 50 ? 90.0 : 80.0, 99.0 + (seeds < 50));
  }
  for (const auto& [name, count] : hits)
    report.range(name, 100.0 * count.first / count.second, seeds >= 50 ? 90.0 : 80.0, 99.0 + (seeds < 50));
  report.range("all together", 100.0 * all_hits / all, seeds >= 50 ? 90.0 : 85.0, 99.0 + (seeds < 50));
  report.range("converged fits", 100.0 * done / fits, 100.0, 100.0);
  report.range("fit against rig, of the largest force", disagreement, 0.0, 1e-6);
  return report.finish();
}
