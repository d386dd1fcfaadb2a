// SPDX-License-Identifier: Apache-2.0
// Do the 95 % intervals hold the truth where only one kind of file is given? Maps, static loops and transients of
// random mounts, straight and progressive, each fitted alone.
//
//   single_files [--seeds N] [--kind WORD]      400 seeds of each kind are the full run, a few the one of the tests
//
// Truth: random rubbers (stiffness, frequency and friction within a factor of two to four), every other progressive:
// F = k (u + q u^3), q 0.01 to 0.06 1/mm^2 (the stiffness doubles within 2.4 to 6 mm). Noise: 1 % and 0.3 deg of maps,
// 2 N and 0.5 um of records. A parameter that is said to be not determined is counted as such and makes no claim.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numbers>

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

Elastomer<double> random_law(RandomStream& r, bool progressive, bool limited) {
  Elastomer<double> law;
  law.static_stiffness = around(r, 300e3, 2.0);
  law.alpha = around(r, 0.1, 2.0), law.beta = around(r, 0.09, 2.0), law.gamma = around(r, 0.0035, 2.0);
  law.rdl = around(r, 9e-5, 2.0), law.rho = around(r, 4500.0, 2.0);
  const double q = r.uniform(1e4, 6e4);
  if (limited) law.ymax = law.rdl * r.uniform(2.0, 3.0);
  if (progressive)
    for (int i = -800; i <= 800; ++i) {
      const double u = 1e-5 * i;
      law.curve_points.emplace_back(u, law.static_stiffness * (u + q * u * u * u));
    }
  prepare(law, "truth");
  return law;
}

struct Measured {
  ElastomerData data;
  double u_reference = 0.0;  // where the one static stiffness is told
};

void add_map(ElastomerData& data, const Elastomer<double>& law, double preload) {
  const double u0 = static_displacement(law, preload);
  for (const double a : {5e-5, 1e-4, 2e-4, 5e-4, 1e-3})
    for (const double f : {1.0, 2.0, 4.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0}) {
      const SteadyResponse k = steady_response(law, f, a, u0);
      data.map.rows.push_back({f, a, preload, k.k_dyn, k.loss_angle, 0.0, 0});
    }
}

StaticLoop loop_of(const Elastomer<double>& law, double from, double to, int passes) {
  StaticLoop loop;
  constexpr int n = 150;
  const auto go = [&](double a, double b) {
    for (int i = 1; i <= n; ++i) loop.displacement.push_back(a + (b - a) * i / n);
  };
  if (from < 0.0) {
    loop.displacement = {0.0};
    go(0.0, to), go(to, from), go(from, 0.0);
  } else {
    loop.displacement = {from};
    go(from, to), go(to, from);
  }
  loop.force = static_path_force(*make_mount(law), loop.displacement, {loop.displacement.front(), passes}, 1e-9);
  loop.source.path = "static.csv";
  return loop;
}

BenchSeries transient_of(const Elastomer<double>& law, double scale, double at) {
  RigOptions options;
  options.program = RigProgram::transient;
  options.formula = fmt::format(
      "{}+{}*(1-exp(-t/0.05))*(7e-4*sin(2*pi*2.3*t)+3.5e-4*sin(2*pi*9.1*t+0.4)+1.2e-4*sin(2*pi*27*t+1.9))*exp(-((t-1.6)"
      "/1.1)^2)",
      at, scale);
  options.duration_s = 4.0;
  options.sample_rate_hz = 1000.0;
  BenchSeries series = run_rig(*make_mount(law), options).series;
  series.source.path = "transient.csv";
  return series;
}

double middle_of(const std::vector<double>& u) {
  const auto [low, high] = std::minmax_element(u.begin(), u.end());
  return 0.5 * (*low + *high);
}

struct Kind {
  const char* name;
  bool progressive, limited;
  std::function<Measured(const Elastomer<double>&, int)> measure;
};

const std::vector<Kind> kinds = {
    {"map, straight", false, false,
     [](const Elastomer<double>& law, int) {
       Measured m;
       add_map(m.data, law, 0.0);
       return m;
     }},
    {"map, straight, limited friction", false, true,
     [](const Elastomer<double>& law, int) {
       Measured m;
       add_map(m.data, law, 0.0);
       return m;
     }},
    {"map, progressive, one preload", true, false,
     [](const Elastomer<double>& law, int seed) {
       Measured m;
       const double preload = std::array{0.0, 200.0, 850.0, 2000.0}[static_cast<std::size_t>(seed % 4)];
       add_map(m.data, law, preload);
       m.u_reference = static_displacement(law, preload);
       return m;
     }},
    {"map, progressive, three preloads", true, false,
     [](const Elastomer<double>& law, int) {
       Measured m;
       for (const double preload : {0.0, 500.0, 1000.0}) add_map(m.data, law, preload);
       return m;
     }},
    {"map, progressive, limited friction", true, true,
     [](const Elastomer<double>& law, int seed) {
       Measured m;
       add_map(m.data, law, seed % 2 == 0 ? 0.0 : 400.0);
       m.u_reference = static_displacement(law, seed % 2 == 0 ? 0.0 : 400.0);
       return m;
     }},
    {"map, straight, three preloads", false, false,
     [](const Elastomer<double>& law, int) {
       Measured m;
       for (const double preload : {0.0, 500.0, 1000.0}) add_map(m.data, law, preload);
       return m;
     }},
    {"static loop, straight", false, false,
     [](const Elastomer<double>& law, int) {
       Measured m;
       m.data.loops.push_back(loop_of(law, -4e-3, 4e-3, 2));
       return m;
     }},
    {"static loop, straight, limited friction", false, true,
     [](const Elastomer<double>& law, int) {
       Measured m;
       m.data.loops.push_back(loop_of(law, -4e-3, 4e-3, 2));
       return m;
     }},
    {"static loop, progressive", true, false,
     [](const Elastomer<double>& law, int) {
       Measured m;
       m.data.loops.push_back(loop_of(law, -4e-3, 4e-3, 2));
       return m;
     }},
    {"static loop, progressive, one-sided", true, false,
     [](const Elastomer<double>& law, int seed) {
       Measured m;
       m.data.loops.push_back(loop_of(law, 0.0, 6e-3, 1 + seed % 2));
       m.u_reference = 3e-3;
       return m;
     }},
    {"transient, straight", false, false,
     [](const Elastomer<double>& law, int) {
       Measured m;
       m.data.series.push_back(transient_of(law, 1.0, 0.0));
       return m;
     }},
    {"transient, progressive", true, false,
     [](const Elastomer<double>& law, int seed) {
       Measured m;
       m.data.series.push_back(transient_of(law, 1.0 + seed % 3, 0.0));
       m.u_reference = middle_of(m.data.series.front().displacement);
       return m;
     }},
    {"transient, progressive, limited friction", true, true,
     [](const Elastomer<double>& law, int seed) {
       Measured m;
       m.data.series.push_back(transient_of(law, 1.0 + seed % 3, 0.0));
       m.u_reference = middle_of(m.data.series.front().displacement);
       return m;
     }},
};

void add_noise(ElastomerData& data, RandomStream& r) {
  for (MapRow& row : data.map.rows) row.k_dyn *= 1.0 + 0.01 * r.normal(), row.loss_angle += 0.3 * degree * r.normal();
  const auto record = [&](std::vector<double>& u, std::vector<double>& f) {
    for (double& x : u) x += 5e-7 * r.normal();
    for (double& x : f) x += 2.0 * r.normal();
  };
  for (StaticLoop& loop : data.loops) record(loop.displacement, loop.force);
  for (BenchSeries& series : data.series) record(series.displacement, series.force);
}

struct Count {
  int inside = 0, claimed = 0, open = 0;
  double bias = 0.0;  // sum of (ln estimate - ln truth)/sd
};

// Of so many 95 % intervals, how many hold the truth at least: fewer have a chance below 1e-5 by the binomial law, that is
// below 1 in 1000 for the weakest of some 70 parameters of all kinds.
double fewest_inside_percent(int seeds) {
  double chance = std::pow(0.05, seeds);  // that exactly `inside` hold
  double sum = chance;
  int inside = 0;
  while (inside < seeds && sum < 1e-5) {
    chance *= static_cast<double>(seeds - inside) / (inside + 1) * (0.95 / 0.05);
    ++inside;
    sum += chance;
  }
  return 100.0 * inside / seeds - 1e-9;
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 100;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::max(1, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--kind") == 0) only = argv[i + 1];
  }
  const bool tell = std::getenv("KDYN_TELL") != nullptr;
  validation::Case report(fmt::format("Each kind of file alone, {} seeds", seeds),
                          "the truth behind the simulated bench; share of intervals that hold it, in %");
  // Few seeds: the 99.9 % range of so many fits, as if the parameters of one fit were alike.
  const double slack = seeds >= 100 ? 0.0 : 330.0 * std::sqrt(0.95 * 0.05 / seeds);
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const Kind& kind = kinds[k];
    if (std::string(kind.name).find(only) == std::string::npos) continue;
    std::map<std::string, Count> counts;
    Count all;
    int poor = 0, open = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      RandomStream r(static_cast<std::uint64_t>(seed), 100 + k);
      const Elastomer<double> law = random_law(r, kind.progressive, kind.limited);
      Measured m = kind.measure(law, seed);
      add_noise(m.data, r);
      const ElastomerFitResult fit = fit_elastomer(m.data, {});
      poor += fit.status == "poor_fit";
      open += fit.status != "poor_fit" && fit.status != "converged";
      for (const ParameterEstimate& p : fit.parameters) {
        if (p.status == ParameterStatus::fixed) continue;
        double value = p.name == "static_stiffness" ? law.stiffness_at(m.u_reference) : std::nan("");
        for (std::size_t i = 1; i < 7; ++i)
          if (p.name == elastomer_parameters[i].name) value = law.*Elastomer<double>::members[i];
        if (p.name == "ymax" && law.ymax) value = *law.ymax;
        if (std::isnan(value)) continue;
        Count& c = counts[p.name];
        if (!std::isfinite(p.std)) {
          ++c.open, ++all.open;
          continue;
        }
        const bool inside = p.lower_95 <= value && value <= p.upper_95;
        c.inside += inside, ++c.claimed, all.inside += inside, ++all.claimed;
        c.bias += std::log(p.value / value) / (p.std / p.value);
        if (tell && !inside)
          fmt::print("{} seed {}: {} {:.4g} ({:.4g} ... {:.4g}), truth {:.4g}\n", kind.name, seed, p.name, p.value,
                     p.lower_95, p.upper_95, value);
      }
    }
    double weakest = 100.0;
    for (const auto& [name, c] : counts)
      if (c.claimed > seeds / 2) weakest = std::min(weakest, 100.0 * c.inside / c.claimed);
    for (const auto& [name, c] : counts)
      if (c.claimed > 0)
        fmt::print("{:<42} {:<18} {:5.1f} % of {} (bias {:+.2f} sd), {} not determined\n", kind.name, name,
                   100.0 * c.inside / c.claimed, c.claimed, c.bias / c.claimed, c.open);
      else
        fmt::print("{:<42} {:<18} {} not determined\n", kind.name, name, c.open);
    report.range(fmt::format("{}: all parameters", kind.name),
                 all.claimed > 0 ? 100.0 * all.inside / all.claimed : 100.0, 90.0 - slack, 100.0);
    report.range(fmt::format("{}: weakest parameter", kind.name), weakest,
                 seeds >= 400 ? 90.0 : fewest_inside_percent(seeds), 100.0);
    report.range(fmt::format("{}: called poor", kind.name), poor, 0, 0);
    report.range(fmt::format("{}: did not converge", kind.name), open, 0, 0);
  }
  return report.finish();
}
