// SPDX-License-Identifier: Apache-2.0
// No wrong number with exit 0: plausible but wrong measurements of mounts and comfort signals whose truth is known.
//
//   spoilt_measurements [--cases N] [--seed S] [--threads T] [--only WORD] [--keep DIR]      100000 cases are the full run
//
// Each mount is a random law with a map, a static loop and a transient as a bench writes them, with noise. One file is
// spoilt as benches and people do (two in every fourth case), so that the fault contradicts the others, and the
// operation runs on the texts as from the command line, in this process. A case passes when the operation refuses, ends
// as a poor fit, tells a warning or a serious finding that the clean files do not have, or gives intervals (made twice
// as wide: 4 standard deviations) that hold the truth; comfort values have to be right to 5 %. Anything else is a wrong
// number with exit 0. The clean files have to pass too, by their intervals alone.
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>
#include <set>

#include "kdyn/app/operation.hpp"
#include "kdyn/app/part_sink.hpp"
#include "kdyn/base/file_view.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/rig/rig.hpp"
#include "spoilt_measurements.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;
using namespace kdyn::validation;

constexpr double degree = std::numbers::pi / 180.0;
const std::string folder = "/measured/";

struct Subject {
  const char* operation;
  Json options;
  std::map<std::string, BenchTable> files, of_another;
  std::map<std::string, double> truth;
};

// The files of a subject in place of a disk.
class Texts final : public FileView {
 public:
  explicit Texts(const std::map<std::string, BenchTable>& files) {
    for (const auto& [name, table] : files) all_[folder + name] = std::make_shared<const std::string>(table.text());
  }
  std::shared_ptr<const std::string> content(const std::string& path) const override {
    const auto found = all_.find(path);
    return found == all_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, std::shared_ptr<const std::string>> all_;
};

class NoReport final : public Progress, public app::ReportWish {
 public:
  bool wants_report() const override { return false; }
};

// ---- subjects

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

// Files as a rig writes them: 0.5 % and 0.1 deg on maps, 0.3 % of the largest force on loops and transients.
std::map<std::string, BenchTable> bench_files(const Elastomer<double>& law, int amplitudes, int frequencies,
                                              RandomStream& r) {
  std::map<std::string, BenchTable> out;
  BenchTable& map = out["part_z_map.csv"];
  map.head = {"frequency_hz", "amplitude_mm", "preload_n", "k_dyn_n_per_mm", "loss_angle_deg"};
  map.columns.resize(map.head.size());
  for (int i = 0; i < amplitudes; ++i)
    for (int j = 0; j < frequencies; ++j) {
      const double a = 5e-5 * std::pow(40.0, i / (amplitudes - 1.0)), f = std::pow(50.0, j / (frequencies - 1.0));
      const SteadyResponse k = steady_response(law, f, a, 0.0);
      const double row[] = {f, 1e3 * a, 0.0, 1e-3 * k.k_dyn * (1.0 + 0.005 * r.normal()),
                            k.loss_angle / degree + 0.1 * r.normal()};
      for (std::size_t c = 0; c < 5; ++c) map.columns[c].push_back(row[c]);
    }
  const auto mount = make_mount(law);
  RigOptions options;
  options.program = RigProgram::static_loop;
  options.static_amplitude_m = 3e-3;
  const StaticLoop loop = run_rig(*mount, options).static_loop;
  options.program = RigProgram::transient;
  options.formula = "(1-exp(-t/0.05))*(7e-4*sin(2*pi*2.3*t)+3e-4*sin(2*pi*9.1*t+0.4)+1e-4*sin(2*pi*27*t+1.9))";
  options.duration_s = 2.0;
  const BenchSeries series = run_rig(*mount, options).series;
  const auto noisy = [&](const std::vector<double>& values, double factor, double share) {
    double largest = 0.0;
    for (const double v : values) largest = std::max(largest, std::abs(v));
    std::vector<double> out_values;
    for (const double v : values) out_values.push_back(factor * (v + share * largest * r.normal()));
    return out_values;
  };
  out["part_z_static.csv"] = {{"displacement_mm", "force_n"},
                              {noisy(loop.displacement, 1e3, 3e-4), noisy(loop.force, 1.0, 3e-3)}};
  out["part_z_transient.csv"] = {{"time_s", "displacement_mm", "force_n"},
                                 {series.time, noisy(series.displacement, 1e3, 3e-4), noisy(series.force, 1.0, 3e-3)}};
  return out;
}

Subject bushing(RandomStream& r) {
  Subject s{"fit elastomer", {}, {}, {}, {}};
  const Elastomer<double> law = random_law(r);
  const int amplitudes = 3 + static_cast<int>(r.below(3)), frequencies = 8 + static_cast<int>(r.below(12));
  s.files = bench_files(law, amplitudes, frequencies, r);
  // Another part of the same batch is no fault that anybody could see.
  Elastomer<double> other = random_law(r);
  while (std::abs(std::log(other.static_stiffness / law.static_stiffness)) < 0.3) other = random_law(r);
  s.of_another = bench_files(other, amplitudes, frequencies, r);
  // Half of the benches deliver no transient.
  if (r.uniform() < 0.5) s.files.erase("part_z_transient.csv");
  Json data = Json::array();
  for (const auto& file : s.files) data.push_back(folder + file.first);
  s.options = Json{{"data", data}};
  s.truth = {{"static_stiffness", law.static_stiffness},
             {"alpha", law.alpha},
             {"beta", law.beta},
             {"gamma", law.gamma},
             {"rdl", law.rdl},
             {"rho", law.rho}};
  return s;
}

BenchTable ride(RandomStream& r) {
  BenchTable t{{"time_s", "seat_z [m/s^2]", "spring [N]"}, {}};
  t.columns.resize(3);
  struct Line {
    double w, phase, size;
  };
  std::vector<Line> lines;
  for (int i = 0; i < 40; ++i)
    lines.push_back({2.0 * std::numbers::pi * around(r, 4.0, 5.0), r.uniform(0.0, 2.0 * std::numbers::pi),
                     0.12 * std::abs(r.normal())});
  const double rate = r.uniform() < 0.5 ? 200.0 : 512.0;
  for (int i = 0; i < 4000; ++i) {
    const double time = i / rate;
    double a = 0.01 * r.normal(), f = 0.0;
    for (const Line& l : lines)
      a += l.size * std::sin(l.w * time + l.phase), f += 400.0 * l.size / l.w * std::cos(l.w * time + l.phase);
    t.columns[0].push_back(time), t.columns[1].push_back(a), t.columns[2].push_back(f);
  }
  return t;
}

Subject comfort(RandomStream& r) {
  Subject s{"assess", Json{{"file", folder + "drive.csv"}}, {}, {}, {}};
  s.files["drive.csv"] = ride(r);
  s.of_another["drive.csv"] = ride(r);
  return s;
}

// ---- what is done to them

struct Fault {
  const char *file, *name;
  Spoil spoil;
  const char* needs = "";  // the file that contradicts; without it nobody could know
};

const std::vector<Fault>& bench_faults() {
  static const char *const map = "part_z_map.csv", *const loop = "part_z_static.csv",
                           *const run = "part_z_transient.csv";
  static const std::vector<Fault> all = {
      {map, "stiffness in N/m", scaled("k_dyn", 1e3)},
      {map, "stiffness in kN/mm", scaled("k_dyn", 1e-3)},
      {map, "stiffness in kgf/mm", scaled("k_dyn", 1.0 / 9.81)},
      {map, "stiffness in lbf/in", scaled("k_dyn", 5.71)},
      {map, "stiffness out of calibration", out_of_calibration("k_dyn")},
      {map, "angle in rad", scaled("loss_angle", degree)},
      {map, "angle times 57.3", scaled("loss_angle", 1.0 / degree)},
      {map, "tan delta under degrees", each_value("loss_angle", [](double v) { return std::tan(v * degree); })},
      {map, "tan delta in percent", each_value("loss_angle", [](double v) { return 100.0 * std::tan(v * degree); })},
      {map, "90 deg minus the angle", each_value("loss_angle", [](double v) { return 90.0 - v; })},
      {map, "angle of wrong sign", scaled("loss_angle", -1.0)},
      {map, "angle with an offset", each_value("loss_angle", [](double v) { return v + 3.0; })},
      {map, "angle dead", dead("loss_angle", true)},
      {map, "angle shuffled", shuffled("loss_angle")},
      {map, "angle clipped", clipped("loss_angle")},
      {map, "amplitude in m", scaled("amplitude", 1e-3)},
      {map, "amplitude in um", scaled("amplitude", 1e3)},
      {map, "amplitude in inch", scaled("amplitude", 1.0 / 25.4)},
      {map, "amplitude peak to peak", scaled("amplitude", 2.0)},
      {map, "frequency in rad/s", scaled("frequency", 2.0 * std::numbers::pi), run},
      {map, "frequency in kHz", scaled("frequency", 1e-3)},
      {map, "stiffness and angle exchanged", exchanged("k_dyn", "loss_angle")},
      {map, "frequency and amplitude exchanged", exchanged("frequency", "amplitude")},
      {map, "stiffness dead", dead("k_dyn", false)},
      {map, "stiffness zero", dead("k_dyn", true)},
      {map, "stiffness clipped", clipped("k_dyn")},
      {map, "stiffness shuffled", shuffled("k_dyn")},
      {map, "stiffness random", spread("k_dyn", 0.5)},
      {map, "spikes", spikes("k_dyn")},
      {map, "rows repeated", rows_repeated},
      {map, "rows turned round", rows_turned_round},
      {map, "other mount", other_mount},
      {map, "half of another mount", half_of_other_mount},
      {map, "another mount appended", other_mount_appended},
      {loop, "force in kN", scaled("force", 1e-3)},
      {loop, "force in kgf", scaled("force", 1.0 / 9.81)},
      {loop, "force in lbf", scaled("force", 0.2248)},
      {loop, "force of wrong sign", scaled("force", -1.0)},
      {loop, "force out of calibration", out_of_calibration("force")},
      {loop, "displacement in m", scaled("displacement", 1e-3)},
      {loop, "displacement in inch", scaled("displacement", 1.0 / 25.4)},
      {loop, "displacement in um", scaled("displacement", 1e3)},
      {loop, "columns exchanged", exchanged("displacement", "force")},
      {loop, "force clipped", clipped("force")},
      {loop, "force dead", dead("force", true)},
      {loop, "force hangs", hangs("force")},
      {loop, "displacement hangs", hangs("displacement")},
      {loop, "noise instead of force", noise_instead("force")},
      {loop, "spikes", spikes("force")},
      {loop, "rows repeated", rows_repeated},
      {loop, "rows lost", rows_lost},
      {loop, "other mount", other_mount},
      {loop, "half of another mount", half_of_other_mount},
      {loop, "another mount appended", other_mount_appended},
      {run, "force in kN", scaled("force", 1e-3)},
      {run, "force in kgf", scaled("force", 1.0 / 9.81)},
      {run, "force of wrong sign", scaled("force", -1.0)},
      {run, "force out of calibration", out_of_calibration("force")},
      {run, "displacement in m", scaled("displacement", 1e-3)},
      {run, "displacement in inch", scaled("displacement", 1.0 / 25.4)},
      {run, "columns exchanged", exchanged("displacement", "force")},
      {run, "force clipped", clipped("force")},
      {run, "displacement clipped", clipped("displacement")},
      {run, "force dead", dead("force", false)},
      {run, "force hangs", hangs("force")},
      {run, "displacement hangs", hangs("displacement")},
      {run, "noise instead of force", noise_instead("force")},
      {run, "spikes", spikes("force")},
      {run, "force late", late("force", 1, 12)},
      {run, "displacement late", late("displacement", 1, 12)},
      {run, "time in ms", scaled("time", 1e3)},
      {run, "time in minutes", scaled("time", 1.0 / 60.0)},
      {run, "time turned round", time_turned_round},
      {run, "rows repeated", rows_repeated},
      {run, "rows lost", rows_lost},
      {run, "other mount", other_mount},
      {run, "half of another mount", half_of_other_mount},
      {run, "another mount appended", other_mount_appended},
  };
  return all;
}

const std::vector<Fault>& ride_faults() {
  static const char* const file = "drive.csv";
  static const std::vector<Fault> all = {
      {file, "clipped", clipped("seat_z")},
      {file, "dead", dead("seat_z", false)},
      {file, "hangs", hangs("seat_z")},
      {file, "spikes", spikes("seat_z")},
      {file, "gravity in it", each_value("seat_z", [](double v) { return v + 9.81; })},
      {file, "wrong sign", scaled("seat_z", -1.0)},
      {file, "time in ms", scaled("time", 1e3)},
      {file, "time turned round", time_turned_round},
      {file, "rows repeated", rows_repeated},
      {file, "rows lost", rows_lost},
      {file, "another drive appended", other_mount_appended},
      {file, "time and signal exchanged", exchanged("time", "seat_z")},
  };
  return all;
}

// ---- judging

struct Ended {
  bool refused = false, poor = false, internal = false;
  std::string told;
  Json result;
};

Ended run(const Subject& s, const std::map<std::string, BenchTable>& files) {
  Ended out;
  Texts texts(files);
  const WithFileView view(&texts);
  NoReport progress;
  try {
    app::Outcome outcome = app::run_operation(*app::find_operation(s.operation), s.options, progress);
    out.poor = !outcome.complete;
    out.result = std::move(outcome.result);
  } catch (const Error& error) {
    out.refused = true, out.told = error.what();
  } catch (const std::exception& error) {
    out.internal = true, out.told = error.what();
  }
  return out;
}

std::set<std::string> loud(const Json& result) {
  std::set<std::string> out;
  if (result.contains("findings"))
    for (const Json& f : result["findings"])
      if (f["severity"] != "note") out.insert(f["code"].get<std::string>() + " " + f["severity"].get<std::string>());
  return out;
}

// Parameters whose intervals, made twice as wide, miss the truth.
std::string missed(const Subject& s, const Json& result, const Json& clean) {
  if (std::strcmp(s.operation, "assess") == 0) {
    const Json &now = result["weighted_rms"], &right = clean["weighted_rms"];
    if (!now.contains("seat_z")) return "seat_z was not assessed";
    const double a = now["seat_z"].get<double>(), b = right["seat_z"].get<double>();
    return std::abs(a / b - 1.0) <= 0.05 ? "" : fmt::format("comfort {:.4g} for {:.4g}", a, b);
  }
  std::string out;
  for (const auto& [name, p] : result["parameters"].items()) {
    const auto truth = s.truth.find(name);
    if (truth == s.truth.end() || p["status"] != "free" || p["lower_95"].is_null() || p["upper_95"].is_null()) continue;
    const double v = p["value"].get<double>(), low = p["lower_95"].get<double>(), high = p["upper_95"].get<double>();
    if (truth->second < v - 2.0 * (v - low) || truth->second > v + 2.0 * (high - v))
      out += fmt::format("{} = {:.4g} ({:.4g} ... {:.4g}), true {:.4g}; ", name, v, low, high, truth->second);
  }
  return out;
}

struct Count {
  int cases = 0, refused = 0, poor = 0, told = 0, right = 0, wrong = 0;
};

}  // namespace

int main(int argc, char** argv) {
  int cases = 100000, threads = 0;
  std::uint64_t seed = 1;
  std::string only, keep;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--cases") == 0) cases = std::max(1, std::atoi(argv[i + 1]));
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--threads") == 0) threads = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
    if (std::strcmp(argv[i], "--keep") == 0) keep = argv[i + 1];
  }
  // Each subject is spoilt in so many ways; of five one is a drive.
  constexpr int ways = 25;
  const int subjects = (cases + ways - 1) / ways;
  std::mutex mutex;
  std::map<std::string, Count> counts;
  int done = 0, wrong = 0, internal = 0, clean_wrong = 0;
  ThreadRunner runner(threads);
  runner.run(subjects, [&](int subject) {
    RandomStream r(seed, static_cast<std::uint64_t>(subject));
    const bool drive = subject % 5 == 4;
    const Subject s = drive ? comfort(r) : bushing(r);
    const std::vector<Fault>& faults = drive ? ride_faults() : bench_faults();
    const Ended clean = run(s, s.files);
    const auto keep_files = [&](const std::map<std::string, BenchTable>& files, const std::string& name) {
      if (keep.empty()) return;
      for (const auto& [file, table] : files) write_text(keep + "/" + name + "_" + file, table.text());
    };
    {
      const std::string trouble = clean.internal || clean.refused ? clean.told : missed(s, clean.result, clean.result);
      const std::lock_guard lock(mutex);
      if (!trouble.empty()) {
        ++clean_wrong;
        fmt::print("subject {}, clean: {}\n", subject, trouble);
        keep_files(s.files, fmt::format("{}_clean", subject));
      }
    }
    if (clean.internal || clean.refused) return std::vector<double>();
    const std::set<std::string> said_before = loud(clean.result);
    for (int way = 0; way < std::min(ways, cases - subject * ways); ++way) {
      std::map<std::string, BenchTable> files = s.files;
      std::string name;
      const int two = way % 4 == 3 && !drive ? 2 : 1;
      for (int k = 0; k < two;) {
        const Fault& fault = faults[r.below(faults.size())];
        if (!files.contains(fault.file) || (*fault.needs != '\0' && !files.contains(fault.needs)) ||
            fault.name + std::string() == name)
          continue;
        RandomStream own(seed, r.next());
        fault.spoil(files[fault.file], s.of_another.at(fault.file), own);
        const std::string file = std::string(fault.file).substr(0, std::strlen(fault.file) - 4);
        name += (name.empty() ? "" : " + ") + file.substr(file.rfind('_') + 1) + ": " + fault.name;
        ++k;
      }
      if (!only.empty() && name.find(only) == std::string::npos) continue;
      const Ended end = run(s, files);
      std::string trouble;
      Count change;
      change.cases = 1;
      if (end.internal) {
        trouble = "internal error: " + end.told;
      } else if (end.refused) {
        change.refused = 1;
        if (end.told.size() < 10) trouble = "refused without a message";
      } else if (end.poor) {
        change.poor = 1;
      } else {
        std::set<std::string> news;
        for (const std::string& code : loud(end.result))
          if (!said_before.contains(code)) news.insert(code);
        if (!news.empty()) {
          change.told = 1;
        } else {
          trouble = missed(s, end.result, clean.result);
          (trouble.empty() ? change.right : change.wrong) = 1;
        }
      }
      const std::lock_guard lock(mutex);
      Count& count = counts[two == 2 ? "two faults" : name];
      count.cases += change.cases, count.refused += change.refused, count.poor += change.poor;
      count.told += change.told, count.right += change.right, count.wrong += change.wrong;
      ++done, wrong += change.wrong, internal += end.internal;
      if (!trouble.empty()) {
        fmt::print("subject {}, way {}, {}: {}\n", subject, way, name, trouble);
        keep_files(files, fmt::format("{}_{}", subject, way));
      }
    }
    return std::vector<double>();
  });
  fmt::print("\n  {:<44}{:>8}{:>9}{:>7}{:>7}{:>7}{:>7}\n", "fault", "cases", "refused", "poor", "told", "right",
             "wrong");
  for (const auto& [name, c] : counts)
    fmt::print("  {:<44}{:>8}{:>9}{:>7}{:>7}{:>7}{:>7}\n", name, c.cases, c.refused, c.poor, c.told, c.right, c.wrong);
  Case report(fmt::format("Spoilt measurements: {} cases on {} mounts and drives", done, subjects),
              "the laws that the measurements were made from");
  report.range("internal errors", internal, 0, 0);
  // Some faults of single cases lie within what noise and law leave open: time scales of rubber that hardly loses.
  report.range("wrong numbers with exit 0, of 1000 cases", 1000.0 * wrong / std::max(1, done), 0.0, 5.0);
  // Four standard deviations, six parameters.
  report.range("clean files whose intervals miss, of 1000", 1000.0 * clean_wrong / subjects, 0.0, 5.0);
  return report.finish();
}
