// SPDX-License-Identifier: Apache-2.0
// Mounts in place from real sensors: a block of 60 kg on three mounts with an arm of 9 kg on a fourth, six triaxial
// accelerometers (18 channels, axes of the bodies, gravity shown), gains within 10 %, offsets, delays up to 3 ms, noise
// of 5 % of each signal. Unknown: 12 stiffnesses and 4 dampings, and gain, offset and delay of every channel.
//
// Coverage: the true values lie in their 95 % intervals in 90 to 99 % over all seeds. Faults: sign, exchanged cables, g
// instead of m/s^2, delay, noise only, clipped; two of each, of which at least 11 must be named by a finding with the
// right word and the right channel, and none of the fault-free runs may accuse anybody; beside a wrong sign or unit in a
// job that takes its sensors for perfect nobody else is accused. Records: late, early-ending,
// off-grid, with gaps, of another sampling, and with a clock that is 4.3 ms off give the values of the full record
// within the intervals.
//
//   validation_insitu_sensors --seeds 20 --faults 12 --alone 12 --records 1      the full run
#include <unistd.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;

constexpr double noise = 0.05, step = 1e-3, duration = 0.8;

struct Truth {
  std::string mount, axis;
  double stiffness, damping;
};
const std::vector<Truth> mounts = {{"m1", "fx", 2.1e5, 310.0}, {"m1", "fy", 1.7e5, 260.0}, {"m1", "fz", 4.2e5, 520.0},
                                   {"m2", "fx", 2.6e5, 340.0}, {"m2", "fy", 1.4e5, 240.0}, {"m2", "fz", 3.6e5, 480.0},
                                   {"m3", "fx", 1.9e5, 280.0}, {"m3", "fy", 2.3e5, 330.0}, {"m3", "fz", 5.1e5, 610.0},
                                   {"m4", "fx", 9.0e4, 60.0},  {"m4", "fy", 1.2e5, 75.0},  {"m4", "fz", 1.5e5, 90.0}};

Json mount(const char* name, const Json& one, const Json& two, bool turning) {
  Json laws = Json::object();
  for (const Truth& t : mounts)
    if (t.mount == name)
      laws[t.axis] = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", t.stiffness}, {"damping", t.damping}}}};
  if (turning)
    for (const char* axis : {"tx", "ty", "tz"})
      laws[axis] = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 900.0}, {"damping", 0.9}}}};
  return {{"name", name}, {"markers", {one, two}}, {"laws", laws}};
}

Json assembly() {
  const auto place = [](const char* body, double x, double y, double z) {
    return Json{{"body", body}, {"position", {x, y, z}}};
  };
  Json model = {{"title", "Block with arm"},
                {"gravity", {0.0, 0.0, -9.81}},
                {"run", {{"step_s", step}, {"duration_s", duration}, {"static_start", true}}}};
  model["bodies"] = {{{"name", "block"}, {"mass", 60.0}, {"inertia", {1.9, 2.6, 2.2}}, {"position", {0.0, 0.0, 0.0}}},
                     {{"name", "arm"},
                      {"mass", 9.0},
                      {"inertia", {0.08, 0.15, 0.12}},
                      {"centre", {0.05, 0.0, 0.02}},
                      {"position", {0.45, 0.1, 0.1}}}};
  model["bushings"] = {mount("m1", place("ground", -0.3, -0.25, -0.2), place("block", -0.3, -0.25, -0.2), false),
                       mount("m2", place("ground", 0.35, -0.2, -0.15), place("block", 0.35, -0.2, -0.15), false),
                       mount("m3", place("ground", 0.0, 0.3, -0.2), place("block", 0.0, 0.3, -0.2), false),
                       mount("m4", place("block", 0.4, 0.1, 0.1), place("arm", -0.05, 0.0, 0.0), true)};
  const auto sweep = [](double size, double from, double rate, double phase) {
    return fmt::format("{}*(1 - exp(-t/0.02))*sin(2*pi*({} + {}*t)*t + {})", size, from, rate, phase);
  };
  model["loads"] = {{{"name", "shaker"},
                     {"marker", place("block", 0.2, 0.15, 0.25)},
                     {"force", {sweep(150, 6, 22, 0), sweep(120, 8, 25, 1), sweep(200, 10, 28, 2)}}},
                    {{"name", "second"},
                     {"marker", place("arm", 0.15, 0.0, 0.05)},
                     {"force", {sweep(25, 11, 24, 0.5), sweep(30, 9, 27, 1.5), sweep(35, 7, 30, 2.5)}}}};
  const std::array<double, 3> places[6] = {{-0.3, 0.2, 0.2},   {0.3, 0.25, 0.15}, {0.3, -0.25, 0.2},
                                           {-0.25, -0.3, 0.1}, {0.2, 0.05, 0.05}, {-0.05, -0.06, 0.03}};
  for (int i = 0; i < 6; ++i)
    model["sensors"].push_back({{"name", fmt::format("a{}", i + 1)},
                                {"kind", "accelerometer"},
                                {"body", i < 4 ? "block" : "arm"},
                                {"position", places[i]},
                                {"gravity", true},
                                {"unknown", {"gain", "offset", "delay"}}});
  return model;
}

std::vector<std::string> channels() {
  std::vector<std::string> out;
  for (int i = 1; i <= 6; ++i)
    for (const char axis : {'x', 'y', 'z'}) out.push_back(fmt::format("a{}.{}", i, axis));
  return out;
}

// Eight neighbours: another reading between steps than that of the fit, with errors of (omega h)^8.
double read(const Eigen::MatrixXd& y, Eigen::Index row, double t) {
  const double x = t / step;
  const Eigen::Index first = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(std::floor(x)) - 3, 0, y.cols() - 8);
  double sum = 0.0;
  for (Eigen::Index k = 0; k < 8; ++k) {
    double weight = 1.0;
    for (Eigen::Index j = 0; j < 8; ++j)
      if (j != k) weight *= (x - static_cast<double>(first + j)) / static_cast<double>(k - j);
    sum += weight * y(row, first + k);
  }
  return sum;
}

// What the sensors feel, at the steps of a run that is longer than the record at both ends.
Eigen::MatrixXd felt(const Json& json) {
  mbs::ModelFile file = mbs::model_from_json(json, "model");
  const mbs::System system(file.model);
  Eigen::MatrixXd y(18, std::lround(duration / step) + 1);
  Eigen::Index n = 0;
  mbs::simulate(
      system, file.run,
      [&](const mbs::RunState& s, const mbs::Evaluation& e) {
        for (Eigen::Index j = 0; j < 18; ++j)
          y(j, n) = mbs::output_value(system, file.model.channels[static_cast<std::size_t>(j)].output, s, e);
        ++n;
      },
      silent_progress());
  return y;
}

using Record = std::vector<std::vector<double>>;  // rows: time, channels

// times -> rows with gains, offsets, delays and noise of a seed.
Record record(const Eigen::MatrixXd& y, std::uint64_t seed, const std::vector<double>& times, bool sensors = true,
              double clock = 0.0) {
  Record rows;
  for (const double t : times) rows.push_back({t});
  for (Eigen::Index j = 0; j < y.rows(); ++j) {
    RandomStream random(seed, static_cast<std::uint64_t>(j));
    const double rms = std::sqrt((y.row(j).array() - y.row(j).mean()).square().mean());
    const double gain = 1.0 + random.uniform(-0.1, 0.1), offset = random.uniform(-0.5, 0.5) * rms,
                 delay = random.uniform(0.0, 3e-3);
    for (std::size_t n = 0; n < times.size(); ++n) {
      const double at = std::max(0.0, times[n] - clock - (sensors ? delay : 0.0));
      const double c = read(y, j, at);
      rows[n].push_back((sensors ? gain * c + offset : c) + noise * rms * random.normal());
    }
  }
  return rows;
}

void write(const std::string& path, const Record& rows) {
  std::string text = "time [s]";
  for (const std::string& name : channels()) text += "," + name + " [m/s^2]";
  text += "\n";
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < row.size(); ++k)
      text += (k > 0 ? "," : "") + (std::isfinite(row[k]) ? fmt::format("{:.9g}", row[k]) : std::string());
    text += "\n";
  }
  write_text(path, text);
}

std::string wanted(std::size_t i) {
  return i < 12 ? mounts[i].mount + "." + mounts[i].axis + ".stiffness"
                : mounts[3 * (i - 12) + 2].mount + ".fz.damping";
}
double exact(std::size_t i) { return i < 12 ? mounts[i].stiffness : mounts[3 * (i - 12) + 2].damping; }

InsituResult identify(const std::string& folder, const Json& model, const Record& rows,
                      const std::map<std::string, double>& more = {}) {
  write_text(folder + "/model.json", model.dump());
  write(folder + "/data.csv", rows);
  app::InsituJob job;
  job.model = folder + "/model.json";
  job.data = {folder + "/data.csv"};
  for (std::size_t i = 0; i < 16; ++i) job.start[wanted(i)] = (i % 2 == 0 ? 1.25 : 0.8) * exact(i);
  job.start.insert(more.begin(), more.end());
  job.fit.check_gradient = false;
  job.fit.tolerance = 1e-6;
  const app::InsituInputs inputs = app::read_insitu(job);
  InsituResult result =
      identify_in_situ(inputs.experiments, inputs.parameters, inputs.priors, job.fit, silent_progress());
  result.findings.insert(result.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  return result;
}

const ParameterEstimate& found(const InsituResult& result, const std::string& name) {
  for (const ParameterEstimate& p : result.parameters)
    if (p.name == name) return p;
  std::fputs("a parameter is missing\n", stderr);
  std::exit(1);
}

std::vector<double> grid(double from, double to, double interval) {
  std::vector<double> t;
  for (int n = 0; from + n * interval <= to + 1e-9; ++n) t.push_back(from + n * interval);
  return t;
}

struct Fault {
  const char *what, *code, *where;
  std::function<void(Record&)> plant;
};
std::size_t column(int sensor, char axis) {
  return 1 + 3 * static_cast<std::size_t>(sensor - 1) + static_cast<std::size_t>(axis - 'x');
}
void scale(Record& rows, std::size_t c, double factor) {
  for (auto& row : rows) row[c] *= factor;
}

std::vector<Fault> faults(const Eigen::MatrixXd& y) {
  const auto swap = [](Record& rows, std::size_t a, std::size_t b) {
    for (auto& row : rows) std::swap(row[a], row[b]);
  };
  const auto late = [](Record& rows, std::size_t c, int samples) {
    for (std::size_t n = rows.size(); n-- > 0;)
      rows[n][c] = rows[n >= static_cast<std::size_t>(samples) ? n - static_cast<std::size_t>(samples) : 0][c];
  };
  const auto dead = [&](Record& rows, std::size_t c) {
    RandomStream random(77, c);
    const auto row = y.row(static_cast<Eigen::Index>(c) - 1).array();
    for (auto& r : rows) r[c] = 0.05 * std::sqrt((row - row.mean()).square().mean()) * random.normal();
  };
  const auto clip = [](Record& rows, std::size_t c) {
    double mean = 0.0, largest = 0.0;
    for (const auto& row : rows) mean += row[c] / static_cast<double>(rows.size());
    for (const auto& row : rows) largest = std::max(largest, std::abs(row[c] - mean));
    for (auto& row : rows) row[c] = mean + std::clamp(row[c] - mean, -0.4 * largest, 0.4 * largest);
  };
  return {{"sign a4.z", "channel_sign", "a4.z", [](Record& r) { scale(r, column(4, 'z'), -1.0); }},
          {"sign a5.x", "channel_sign", "a5.x", [](Record& r) { scale(r, column(5, 'x'), -1.0); }},
          {"swap a1.x a1.y", "channels_swapped", "a1.x, a1.y",
           [swap](Record& r) { swap(r, column(1, 'x'), column(1, 'y')); }},
          {"swap a2.z a5.z", "channels_swapped", "a2.z, a5.z",
           [swap](Record& r) { swap(r, column(2, 'z'), column(5, 'z')); }},
          {"g a1.z", "channel_unit", "a1.z", [](Record& r) { scale(r, column(1, 'z'), 1.0 / 9.80665); }},
          {"g a6.y", "channel_unit", "a6.y", [](Record& r) { scale(r, column(6, 'y'), 1.0 / 9.80665); }},
          {"late a3.x", "channel_delay", "a3.x", [late](Record& r) { late(r, column(3, 'x'), 15); }},
          {"late a6.z", "channel_delay", "a6.z", [late](Record& r) { late(r, column(6, 'z'), 12); }},
          {"dead a2.y", "channel_broken", "a2.y", [dead](Record& r) { dead(r, column(2, 'y')); }},
          {"dead a4.x", "channel_broken", "a4.x", [dead](Record& r) { dead(r, column(4, 'x')); }},
          {"clipped a5.z", "channel_clipped", "a5.z", [clip](Record& r) { clip(r, column(5, 'z')); }},
          {"clipped a3.z", "channel_clipped", "a3.z", [clip](Record& r) { clip(r, column(3, 'z')); }}};
}

}  // namespace

int main(int argc, char** argv) {
  int seeds = 20, planted = 12, records = 1, alone = 12;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--seeds") == 0) seeds = std::clamp(std::atoi(argv[i + 1]), 0, 1000);
    if (std::strcmp(argv[i], "--faults") == 0) planted = std::clamp(std::atoi(argv[i + 1]), 0, 12);
    if (std::strcmp(argv[i], "--alone") == 0) alone = std::clamp(std::atoi(argv[i + 1]), 0, 100);
    if (std::strcmp(argv[i], "--records") == 0) records = std::atoi(argv[i + 1]);
  }
  validation::Case report(fmt::format("Mounts in place from 18 channels, {} seeds, {} faults", seeds, planted),
                          "the mounts and sensors the records were made with");
  const std::string folder =
      (std::filesystem::temp_directory_path() / fmt::format("kdyn_insitu_sensors_{}", getpid())).string();
  std::filesystem::create_directories(folder);
  const Json model = assembly();
  const Eigen::MatrixXd y = felt(model);
  const std::vector<double> times = grid(0.0, duration, step);

  int inside = 0, asked = 0, accused = 0, converged = 0, nuisance = 0, nuisances = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    const InsituResult result = identify(folder, model, record(y, static_cast<std::uint64_t>(seed), times));
    converged += result.status == "converged" ? 1 : 0;
    int here = 0;
    for (std::size_t i = 0; i < 16 && !result.parameters.empty(); ++i) {
      const ParameterEstimate& p = found(result, wanted(i));
      here += p.lower_95 <= exact(i) && exact(i) <= p.upper_95 ? 1 : 0;
    }
    for (Eigen::Index j = 0; j < 18 && !result.parameters.empty(); ++j) {
      RandomStream random(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(j));
      const double gain = 1.0 + random.uniform(-0.1, 0.1);
      random.uniform(0.0, 1.0);
      const double delay = random.uniform(0.0, 3e-3);
      const std::string name = channels()[static_cast<std::size_t>(j)];
      const ParameterEstimate &g = found(result, name + ".gain"), &d = found(result, name + ".delay");
      nuisance +=
          (g.lower_95 <= gain && gain <= g.upper_95 ? 1 : 0) + (d.lower_95 <= delay && delay <= d.upper_95 ? 1 : 0);
      nuisances += 2;
    }
    inside += here, asked += 16;
    for (const Finding& f : result.findings) accused += f.code.starts_with("channel") ? 1 : 0;
    fmt::print("seed {}: {} in {} iterations, {} of 16 inside, misfit {:.2f} %\n", seed, result.status,
               result.history.size() - 1, here, 100.0 * result.misfit);
    std::fflush(stdout);
  }
  if (seeds > 0) {
    report.range("converged", converged, seeds, seeds);
    // Few seeds scatter: 16 per seed, 2.2 % each way at 95 % for one standard deviation of 100 draws.
    report.range("true mounts inside their 95 % intervals, %", 100.0 * inside / asked, seeds >= 10 ? 90.0 : 80.0,
                 seeds >= 10 ? 99.0 : 100.0);
    report.range("true gains and delays inside, %", 100.0 * nuisance / nuisances, seeds >= 10 ? 90.0 : 85.0, 100.0);
    report.range("healthy channels accused", accused, 0.0, 0.0);
  }

  // What is known about the sensors in the faulty runs: gains to 10 %, delays to 2 ms.
  Json known = model;
  for (Json& s : known["sensors"]) s["gain_std"] = 0.1, s["delay_std_s"] = 2e-3;
  int named = 0, number = 0;
  for (const Fault& fault : faults(y)) {
    ++number;
    if ((number - 1) * planted / 12 == number * planted / 12) continue;  // some of them, spread over all
    Record rows = record(y, 100 + static_cast<std::uint64_t>(number), times);
    fault.plant(rows);
    const InsituResult result = identify(folder, known, rows);
    bool right = false;
    std::string words;
    for (const Finding& f : result.findings) {
      if (!f.code.starts_with("channel")) continue;
      right = right || (f.code == fault.code && f.where == fault.where);
      words += fmt::format(" {} {};", f.code, f.where);
    }
    named += right ? 1 : 0;
    fmt::print("{}: {}, {} ->{}\n", fault.what, right ? "named" : "NOT NAMED", result.status, words);
    std::fflush(stdout);
    report.range(fault.what + std::string(": not taken for a good fit"), result.status == "converged" ? 1.0 : 0.0, 0.0,
                 fault.code == std::string("channel_delay") ? 1.0 : 0.0);
  }
  if (planted > 0) report.range("faults named", named, planted == 12 ? 11.0 : planted, planted);

  // One gross fault in a job that takes all sensors for perfect: it bends the fit, and still only it may be accused.
  int only = 0;
  for (int k = 0; k < alone; ++k) {
    const auto c = static_cast<std::size_t>(1 + (7 * k) % 18);
    const bool sign = k % 2 == 0;
    Json perfect = model;
    for (Json& s : perfect["sensors"]) s.erase("unknown");
    Record rows = record(y, 600 + static_cast<std::uint64_t>(k), times, false);
    scale(rows, c, sign ? -1.0 : 1.0 / 9.80665);
    const InsituResult result = identify(folder, perfect, rows);
    const std::string name = channels()[c - 1];
    bool right = false, others = false;
    std::string words;
    for (const Finding& f : result.findings) {
      if (!f.code.starts_with("channel")) continue;
      const bool wanted = f.where == name && f.code == (sign ? "channel_sign" : "channel_unit");
      (wanted ? right : others) = true;
      words += fmt::format(" {} {};", f.code, f.where);
    }
    only += right && !others ? 1 : 0;
    fmt::print("{} {} alone: {} ->{}\n", sign ? "sign" : "g", name, result.status, words);
    std::fflush(stdout);
  }
  if (alone > 0) report.range("gross faults named, and nobody else", only, std::floor(0.9 * alone), alone);

  if (records > 0) {
    Json ideal = model;
    for (Json& s : ideal["sensors"]) s.erase("unknown");
    const InsituResult full = identify(folder, ideal, record(y, 500, times, false));
    std::vector<double> broken;
    for (std::size_t n = 0; n < times.size(); ++n)
      if (n % 190 >= 40) broken.push_back(times[n]);
    const Record gaps = record(y, 501, broken, false);
    const std::vector<std::pair<const char*, Record>> other = {
        {"late", record(y, 502, grid(0.2, duration, step), false)},
        {"early end", record(y, 503, grid(0.0, 0.55, step), false)},
        {"off grid", record(y, 504, grid(0.00037, duration, step), false)},
        {"gaps", gaps},
        {"each 2.7 ms", record(y, 505, grid(0.0, duration, 2.7e-3), false)},
        {"clock 4.3 ms off", record(y, 506, grid(0.03, duration, step), false, 4.3e-3)}};
    for (const auto& [name, rows] : other) {
      const bool clock = std::string(name).starts_with("clock");
      const InsituResult result =
          identify(folder, ideal, rows,
                   clock ? std::map<std::string, double>{{"time_offset", 0.0}} : std::map<std::string, double>{});
      int agree = 0;
      for (std::size_t i = 0; i < 16 && !result.parameters.empty(); ++i) {
        const ParameterEstimate &p = found(result, wanted(i)), &q = found(full, wanted(i));
        // Both scatter: the interval of their difference.
        agree += std::abs(p.value - q.value) < 1.96 * std::hypot(p.std, q.std) ? 1 : 0;
      }
      fmt::print("{}: {}, {} of 16 agree\n", name, result.status, agree);
      // Of 16 draws at 95 %, fewer than 13 in less than one of a hundred.
      report.range(fmt::format("record {}: values that agree with the full one", name), agree, 13.0, 16.0);
      if (clock) {
        const ParameterEstimate& t = found(result, "time_offset");
        report.range("clock found, ms", 1e3 * t.value, 4.3 - 3e3 * t.std, 4.3 + 3e3 * t.std);
      }
    }
  }
  std::filesystem::remove_all(folder);
  return report.finish();
}
