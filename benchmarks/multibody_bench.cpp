// SPDX-License-Identifier: Apache-2.0
// The chain on bushings (chain_model.hpp): at equal tip error beside Simbody's CPodes in the same run, through the library
// and through the command line, cost per step against the number of bodies, and what an adjoint gradient of all bushing parameters costs against the runs it
// belongs to. Times are CPU time of the thread. The error is the largest distance of the tip from the converged
// solution at t = 1, 2, ..., 10 s. Simbody takes part where the build found it (Debian: libsimbody-dev);
// docs/multibody.md says how to get it.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <limits>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "chain_model.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/mbs/sensitivity.hpp"
#ifdef KDYN_SIMBODY
#include "simbody_chain.hpp"
#endif

namespace {

using namespace kdyn;
using namespace kdyn::mbs;
using Tips = std::vector<Vector3>;

// Newton's error beside that of the scheme: each figure measures its own. Beside the peer both look for their cheapest.
constexpr double newton_tolerance = 1e-6;

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

RunOptions options(double step, double duration, double tolerance, bool full_newton = false) {
  RunOptions o;
  o.step_s = step;
  o.duration_s = duration;
  o.tolerance = tolerance;
  o.full_newton = full_newton;
  return o;
}

// Tips at every full second, and the CPU time of the run.
double run_chain(const System& system, const RunOptions& o, Tips* tips = nullptr, History* history = nullptr) {
  const long per_second = std::lround(1.0 / o.step_s);
  const int tip = static_cast<int>(system.model().markers.size()) - 1;
  long n = 0;
  const double before = cpu_s();
  const RunResult result = simulate_watched(
      system, o,
      [&](const Run& run) {
        if (tips && n > 0 && n % per_second == 0) tips->push_back(system.frame_of(tip, run.moved().q, false).u);
        if (history) history->states.push_back(run.state());
        ++n;
      },
      silent_progress());
  const double seconds = cpu_s() - before;
  return result.status == RunStatus::done ? seconds : std::numeric_limits<double>::quiet_NaN();
}

[[maybe_unused]] double distance(const Tips& a, const Tips& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) worst = std::max(worst, (a[i] - b[i]).norm());
  return worst;
}

// Converged solution: the error of the scheme falls with the square of the step, two runs give its limit.
[[maybe_unused]] const Tips& converged() {
  static const Tips tips = [] {
    const System system(chain::rigid(10));
    Tips coarse, fine;
    run_chain(system, options(1e-4, 10.0, 1e-12), &coarse);
    run_chain(system, options(5e-5, 10.0, 1e-12), &fine);
    for (std::size_t i = 0; i < fine.size(); ++i) fine[i] += (fine[i] - coarse[i]) / 3.0;
    return fine;
  }();
  return tips;
}

// Cheapest of several settings whose error stays below the goal.
template <class Setting, class Run>
double cheapest(const std::vector<Setting>& settings, double goal, double& error, Setting& used, Run&& run) {
  double best = std::numeric_limits<double>::infinity();
  for (const Setting& setting : settings) {
    Tips tips;
    const double seconds = run(setting, tips), miss = distance(tips, converged());
    if (miss > goal || seconds >= best) continue;
    best = seconds, error = miss, used = setting;
  }
  return best;
}

// The chain as a model file with named bars, and `kdyn simulate` on it as a process of its own.
class CommandLine {
 public:
  CommandLine() {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("kdyn-bench-{}", ::getpid());
    std::filesystem::create_directories(folder_);
    program_ = std::filesystem::canonical("/proc/self/exe").parent_path().parent_path() / "kdyn";
    const auto law = [](double k) {
      return Json{{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", chain::damping_time * k}}}};
    };
    Json& model = model_;
    model = {{"gravity", {0.0, -chain::gravity, 0.0}}, {"run", {{"step_s", 1e-3}, {"duration_s", 10.0}}}};
    const Vector3 inertia = chain::brick_inertia(1.0).diagonal();
    for (int i = 0; i < 10; ++i) {
      const std::string name = fmt::format("bar{}", i + 1);
      model["bodies"].push_back({{"name", name},
                                 {"mass", 1.0},
                                 {"inertia", {inertia.x(), inertia.y(), inertia.z()}},
                                 {"position", {chain::half + chain::pitch * i, 0.0, 0.0}}});
      const Json before = i == 0 ? Json{{"body", "ground"}}
                                 : Json{{"body", fmt::format("bar{}", i)}, {"position", {chain::half, 0.0, 0.0}}};
      Json laws;
      for (const char* axis : {"fx", "fy", "fz"}) laws[axis] = law(chain::stiffness);
      for (const char* axis : {"tx", "ty", "tz"}) laws[axis] = law(chain::turning_stiffness);
      model["bushings"].push_back({{"name", fmt::format("tie{}", i + 1)},
                                   {"markers", {before, {{"body", name}, {"position", {-chain::half, 0.0, 0.0}}}}},
                                   {"laws", laws}});
    }
    model["markers"].push_back({{"name", "tip"}, {"body", "bar10"}, {"position", {chain::half, 0.0, 0.0}}});
  }
  ~CommandLine() { std::filesystem::remove_all(folder_); }

  // CPU time of the process from its start to its end. Ten signals in a file, result.json without their points.
  double run(double step, const char* series, double tolerance = newton_tolerance) const {
    const std::string file = fmt::format("chain_{:g}.json", tolerance);
    if (!std::filesystem::exists(folder_ / file)) {
      Json model = model_;
      model["run"]["tolerance"] = tolerance;
      write_text((folder_ / file).string(), dump_json(model));
    }
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string model = (folder_ / file).string(), out = (folder_ / "out").string(),
                        h = fmt::format("{:.17g}", step);
      ::execl(program_.c_str(), "kdyn", "simulate", model.c_str(), "--step-s", h.c_str(), "--signals", "tip.position.x",
              "tip.position.y", "tip.acceleration.y", "tie1.fx.load", "tie1.fy.load", "tie1.tz.load", "tie5.fx.load",
              "tie5.fy.deflection", "bar5.angular_velocity.z", "bar10.velocity.y", "--series", series, "--out",
              out.c_str(), "--samples", "0", "--no-report", "--quiet", nullptr);
      ::_exit(127);
    }
    int status = 0;
    rusage used{};
    ::wait4(child, &status, 0, &used);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::numeric_limits<double>::quiet_NaN();
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
  }

 private:
  std::filesystem::path folder_, program_;
  Json model_;
};

// `kdyn simulate` with ten signals over the library for the same steps, by turns.
void BM_command_line_over_library(benchmark::State& state) {
  const System system(chain::rigid(10));
  const CommandLine line;
  const double step = 1.0 / static_cast<double>(state.range(0));
  for (auto _ : state) {
    double library = 1e9, csv = 1e9, hdf5 = 1e9;
    for (int i = 0; i < 7; ++i) {
      library = std::min(library, run_chain(system, options(step, 10.0, newton_tolerance)));
      csv = std::min(csv, line.run(step, "csv"));
      hdf5 = std::min(hdf5, line.run(step, "hdf5"));
    }
    state.counters["library_ms"] = 1e3 * library;
    state.counters["csv_ms"] = 1e3 * csv;
    state.counters["hdf5_ms"] = 1e3 * hdf5;
    state.counters["csv_over_library"] = csv / library;
    state.counters["hdf5_over_library"] = hdf5 / library;
  }
}
BENCHMARK(BM_command_line_over_library)
    ->ArgName("steps_per_s")
    ->Arg(400)
    ->Arg(1000)
    ->Arg(10000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

#ifdef KDYN_SIMBODY
// Both programs reach the goal as cheaply as they can: first their settings are found, then both and the command line
// run by turns. The ratios are those of the least CPU times in this run.
void BM_chain_beside_simbody(benchmark::State& state) {
  const double goal = std::pow(10.0, -static_cast<double>(state.range(0)));
  const System system(chain::rigid(10));
  const CommandLine line;
  converged();
  for (auto _ : state) {
    struct Setting {
      double step, tolerance;
    };
    double own_error = 0.0, peer_error = 0.0, accuracy = 0.0;
    Setting used{};
    std::vector<Setting> settings;
    for (const double steps_per_s : {240.0, 260.0, 280.0, 300.0, 400.0, 500.0, 800.0, 850.0, 1000.0, 1600.0, 2000.0})
      for (const double tolerance : {1e-6, 1e-5, 1e-4, 1e-3}) settings.push_back({1.0 / steps_per_s, tolerance});
    const auto run_peer = [](double a, Tips& tips) {
      const double before = cpu_s();
      tips = peer::simbody_chain_tips(10, 10, a);
      return cpu_s() - before;
    };
    double own = cheapest<Setting>(settings, goal, own_error, used, [&](const Setting& with, Tips& tips) {
      return run_chain(system, options(with.step, 10.0, with.tolerance), &tips);
    });
    double peer = cheapest<double>(
               {1e-2, 5e-3, 3e-3, 2e-3, 1e-3, 5e-4, 3e-4, 2e-4, 1e-4, 5e-5, 3e-5, 2e-5, 1e-5, 5e-6, 3e-6}, goal,
               peer_error, accuracy, run_peer),
           csv = std::numeric_limits<double>::infinity(), hdf5 = csv;
    for (int i = 0; i < 5; ++i) {
      own = std::min(own, run_chain(system, options(used.step, 10.0, used.tolerance)));
      csv = std::min(csv, line.run(used.step, "csv", used.tolerance));
      Tips tips;
      peer = std::min(peer, run_peer(accuracy, tips));
      hdf5 = std::min(hdf5, line.run(used.step, "hdf5", used.tolerance));
    }
    state.counters["kdyn_ms"] = 1e3 * own;
    state.counters["csv_ms"] = 1e3 * csv;
    state.counters["hdf5_ms"] = 1e3 * hdf5;
    state.counters["simbody_ms"] = 1e3 * peer;
    state.counters["ratio"] = peer / own;
    state.counters["csv_ratio"] = peer / csv;
    state.counters["hdf5_ratio"] = peer / hdf5;
    state.counters["kdyn_error_m"] = own_error;
    state.counters["simbody_error_m"] = peer_error;
    state.counters["kdyn_step_s"] = used.step;
    state.counters["kdyn_tolerance"] = used.tolerance;
    state.counters["simbody_accuracy"] = accuracy;
  }
}
BENCHMARK(BM_chain_beside_simbody)->ArgName("error_1e-")->Arg(3)->Arg(4)->Iterations(1)->Unit(benchmark::kMillisecond);

// Both converged: the motion is plane, so that the two measures of rotation agree.
void BM_converged_tip_beside_simbody(benchmark::State& state) {
  for (auto _ : state) {
    const Tips peer = peer::simbody_chain_tips(10, 10, 1e-9);
    state.counters["distance_m"] = distance(peer, converged());
    state.counters["tip_x"] = converged().back().x();
    state.counters["tip_y"] = converged().back().y();
    state.counters["peer_tip_x"] = peer.back().x();
    state.counters["peer_tip_y"] = peer.back().y();
  }
}
BENCHMARK(BM_converged_tip_beside_simbody)->Iterations(1)->Unit(benchmark::kMillisecond);
#endif

// CPU time per body and step: linear cost shows as a constant.
void per_body_and_step(benchmark::State& state, const Model& model, double duration) {
  const System system(model);
  for (auto _ : state) {
    const RunOptions o = options(1e-3, duration, newton_tolerance);
    const double seconds = run_chain(system, o);
    state.counters["us_per_body_step"] =
        1e6 * seconds / (static_cast<double>(state.range(0)) * o.duration_s / o.step_s);
  }
}
void BM_rigid_chain(benchmark::State& state) {
  per_body_and_step(state, chain::rigid(static_cast<int>(state.range(0))), 1.0);
}
BENCHMARK(BM_rigid_chain)->ArgName("bodies")->Arg(10)->Arg(30)->Arg(100)->Arg(300)->Unit(benchmark::kMillisecond);
void BM_flexible_chain(benchmark::State& state) {
  per_body_and_step(state, chain::flexible(static_cast<int>(state.range(0))), 0.2);
}
BENCHMARK(BM_flexible_chain)->ArgName("bodies")->Arg(10)->Arg(30)->Arg(100)->Arg(300)->Unit(benchmark::kMillisecond);

// Gradient of the tip's squared distance from rest by stiffness and damping of every axis: 120 parameters for ten
// bodies.
void gradient(benchmark::State& state, const Model& model, double duration) {
  const System system(model);
  std::vector<Parameter> parameters;
  for (std::size_t a = 0; a < system.axes().size(); ++a)
    for (int i = 0; i < 2; ++i) parameters.push_back({Parameter::Kind::law, static_cast<int>(a), i});
  const int tip = static_cast<int>(system.model().markers.size()) - 1;
  const std::vector<Output> outputs = {{OutputKind::position, tip, 0}, {OutputKind::position, tip, 1}};
  for (auto _ : state) {
    const RunOptions fast = options(1e-3, duration, newton_tolerance),
                     full = options(1e-3, duration, newton_tolerance, true);
    const double fastest = run_chain(system, fast), newton = run_chain(system, full);
    History history;
    const double with_history = run_chain(system, fast, nullptr, &history);
    MatrixX bar(2, static_cast<Eigen::Index>(history.states.size()));
    for (Eigen::Index n = 0; n < bar.cols(); ++n)
      bar.col(n) = 2e-3 * system.frame_of(tip, history.states[static_cast<std::size_t>(n)].q, false).u.head<2>();
    const double before = cpu_s();
    const auto result = adjoint_gradient(system, fast, history, outputs, bar, parameters);
    const double adjoint = cpu_s() - before;
    if (!result.complete) state.SkipWithError("the gradient is not complete");
    state.counters["parameters"] = static_cast<double>(parameters.size());
    state.counters["adjoint_ms"] = 1e3 * adjoint;
    state.counters["over_full_newton"] = adjoint / newton;
    state.counters["over_fastest"] = adjoint / fastest;
    state.counters["over_fastest_with_history"] = adjoint / with_history;
    state.counters["forward_ms"] = 1e3 * fastest;
  }
}
void BM_rigid_chain_gradient(benchmark::State& state) { gradient(state, chain::rigid(10), 10.0); }
BENCHMARK(BM_rigid_chain_gradient)->Iterations(3)->Unit(benchmark::kMillisecond);
void BM_flexible_chain_gradient(benchmark::State& state) { gradient(state, chain::flexible(10), 1.0); }
BENCHMARK(BM_flexible_chain_gradient)->Iterations(3)->Unit(benchmark::kMillisecond);

}  // namespace
