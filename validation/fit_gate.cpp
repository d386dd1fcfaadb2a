// SPDX-License-Identifier: Apache-2.0
// The gate of fits: deliberately wrong pairs of model and data all get the finding poor_fit, good random maps never do,
// and those that do not converge name what is not determined.
//
//   fit_gate [--maps N]      400 good maps are the full run, fewer the one of the tests; the wrong pairs are always run
//
// Good maps: random elastomers, grids of 6 x 20, 3 x 8 and 2 x 10 amplitudes and frequencies, 1 % and 0.3 deg of noise.
#include <cstdlib>
#include <cstring>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/rig/rig.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;

constexpr double degree = std::numbers::pi / 180.0;

double around(RandomStream& r, double middle, double factor) {
  return middle * std::exp(std::log(factor) * r.uniform(-1.0, 1.0));
}

Elastomer<double> random_law(RandomStream& r) {
  Elastomer<double> law;
  law.static_stiffness = around(r, 300e3, 4.0);
  law.alpha = around(r, 0.1, 2.0), law.beta = around(r, 0.09, 2.0), law.gamma = around(r, 0.0035, 2.0);
  law.rdl = around(r, 9e-5, 2.5), law.rho = around(r, 4500.0, 3.0);
  prepare(law, "random");
  return law;
}

StiffnessMap map_of(const Elastomer<double>& law, int amplitudes, int frequencies) {
  StiffnessMap map;
  for (int i = 0; i < amplitudes; ++i)
    for (int j = 0; j < frequencies; ++j) {
      const double a = 5e-5 * std::pow(40.0, i / std::max(1.0, amplitudes - 1.0)),
                   f = std::pow(50.0, j / (frequencies - 1.0));
      const SteadyResponse k = steady_response(law, f, a, 0.0);
      map.rows.push_back({f, a, 0.0, k.k_dyn, k.loss_angle, 0.0, 0});
    }
  return map;
}

void add_noise(StiffnessMap& map, RandomStream& r) {
  for (MapRow& row : map.rows) row.k_dyn *= 1.0 + 0.01 * r.normal(), row.loss_angle += 0.3 * degree * r.normal();
}

StaticLoop loop_of(const Elastomer<double>& law) {
  RigOptions options;
  options.program = RigProgram::static_loop;
  options.static_amplitude_m = 3e-3;
  return run_rig(*make_mount(law), options).static_loop;
}

BenchSeries transient_of(const Elastomer<double>& law) {
  RigOptions options;
  options.program = RigProgram::transient;
  options.formula = "(1-exp(-t/0.05))*(7e-4*sin(2*pi*2.3*t)+3e-4*sin(2*pi*9.1*t+0.4)+1e-4*sin(2*pi*27*t+1.9))";
  options.sample_rate_hz = 1000.0;
  return run_rig(*make_mount(law), options).series;
}

// What is wrong, done to the good map of a mount; nothing when the data are refused outright, which is told as well.
struct Wrong {
  const char* name;
  void (*spoil)(ElastomerData& data, const Elastomer<double>& law, RandomStream& r);
};

const Wrong wrongs[] = {
    {"random numbers",
     [](ElastomerData& d, const Elastomer<double>&, RandomStream& r) {
       for (MapRow& row : d.map.rows) row.k_dyn = 1e5 * std::exp(1.5 * r.normal()), row.loss_angle = 0.6 * r.uniform();
     }},
    {"90 deg minus the angle",
     [](ElastomerData& d, const Elastomer<double>&, RandomStream&) {
       for (MapRow& row : d.map.rows) row.loss_angle = 0.5 * std::numbers::pi - row.loss_angle;
     }},
    {"static loop of another direction",
     [](ElastomerData& d, const Elastomer<double>& law, RandomStream&) {
       Elastomer<double> other = law;
       other.static_stiffness *= 1.6;
       d.loops.push_back(loop_of(other));
     }},
    {"softer static loop of another direction",
     [](ElastomerData& d, const Elastomer<double>& law, RandomStream&) {
       Elastomer<double> other = law;
       other.static_stiffness *= 0.6;
       d.loops.push_back(loop_of(other));
     }},
    {"static loop at another temperature",
     [](ElastomerData& d, const Elastomer<double>& law, RandomStream&) {
       Elastomer<double> other = law;
       other.static_stiffness *= 0.8, other.rdl *= 0.8;
       d.loops.push_back(loop_of(other));
     }},
    {"two directions in one map",
     [](ElastomerData& d, const Elastomer<double>&, RandomStream&) {
       const std::vector<MapRow> rows = d.map.rows;
       for (MapRow row : rows) row.k_dyn *= 1.7, d.map.rows.push_back(row);
     }},
    {"a mass in the load path",
     [](ElastomerData& d, const Elastomer<double>&, RandomStream&) {
       for (MapRow& row : d.map.rows) {
         const double w = 2.0 * std::numbers::pi * row.frequency_hz;
         const std::complex<double> k =
             std::polar(row.k_dyn, row.loss_angle) - 0.8 * row.k_dyn * (w * w) / (314.0 * 314.0);
         row.k_dyn = std::abs(k), row.loss_angle = std::arg(k);
       }
     }},
    {"stiffness that grows with amplitude",
     [](ElastomerData& d, const Elastomer<double>&, RandomStream&) {
       for (MapRow& row : d.map.rows) row.k_dyn *= 1.0 + 500.0 * row.amplitude;
     }},
    {"transient of another mount",
     [](ElastomerData& d, const Elastomer<double>& law, RandomStream&) {
       Elastomer<double> other = law;
       other.static_stiffness *= 1.8;
       d.series.push_back(transient_of(other));
     }},
    {"transient of wrong sign",
     [](ElastomerData& d, const Elastomer<double>& law, RandomStream&) {
       d.series.push_back(transient_of(law));
       for (double& f : d.series.back().force) f = -f;
     }},
    {"rows of two units",
     [](ElastomerData& d, const Elastomer<double>&, RandomStream&) {
       for (std::size_t i = 0; i < d.map.rows.size(); i += 2)
         d.map.rows[i].amplitude *= 0.5, d.map.rows[i].k_dyn *= 1.25;
     }},
    {"a fluid's resonance",
     [](ElastomerData& d, const Elastomer<double>&, RandomStream&) {
       for (MapRow& row : d.map.rows) {
         const std::complex<double> s(0.0, row.frequency_hz / 12.0);
         const std::complex<double> k =
             std::polar(row.k_dyn, row.loss_angle) * (1.0 + 0.9 * s * s / (1.0 + 0.3 * s + s * s));
         row.k_dyn = std::abs(k), row.loss_angle = std::arg(k);
       }
     }},
};

bool has(const ElastomerFitResult& fit, const char* code) {
  return std::any_of(fit.findings.begin(), fit.findings.end(), [&](const Finding& f) { return f.code == code; });
}

}  // namespace

int main(int argc, char** argv) {
  int maps = 400;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], "--maps") == 0) maps = std::max(1, std::atoi(argv[i + 1]));
  validation::Case report(fmt::format("Which fits are called poor: {} wrong pairs of model and data, {} good maps",
                                      4 * std::size(wrongs), maps),
                          "what was done to the data");
  for (const Wrong& wrong : wrongs) {
    int told = 0;
    for (std::uint64_t mount = 1; mount <= 4; ++mount) {
      RandomStream r(mount, 77);
      const Elastomer<double> law = random_law(r);
      ElastomerData data;
      data.map = map_of(law, 5, 15);
      add_noise(data.map, r);
      wrong.spoil(data, law, r);
      ElastomerFitOptions options;
      options.exclude_suspicious = false;
      try {
        const ElastomerFitResult fit = fit_elastomer(data, options);
        told += has(fit, "poor_fit") && fit.status != "converged";
      } catch (const Error&) {
        ++told;  // refused with a reason
      }
    }
    report.range(wrong.name, told, 4, 4);
  }
  int accused = 0, ended = 0;
  const int grids[3][2] = {{6, 20}, {3, 8}, {2, 10}};
  for (int i = 0; i < maps; ++i) {
    RandomStream r(static_cast<std::uint64_t>(i + 1), 5);
    ElastomerData data;
    const Elastomer<double> law = random_law(r);
    data.map = map_of(law, grids[i % 3][0], grids[i % 3][1]);
    add_noise(data.map, r);
    // Every fourth with its own static loop.
    if (i % 4 == 3) data.loops.push_back(loop_of(law));
    const ElastomerFitResult fit = fit_elastomer(data, {});
    accused += has(fit, "poor_fit");
    ended += fit.status == "converged" || has(fit, "not_determined") || has(fit, "at_bound");
    if (fit.status != "converged") fmt::print("map {}: {} ({})\n", i + 1, fit.status, fit.reason);
  }
  report.range("good maps called poor", accused, 0, 0);
  report.range("good maps that end converged or named", ended, maps, maps);
  return report.finish();
}
