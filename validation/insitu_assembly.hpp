// SPDX-License-Identifier: Apache-2.0
// A block of 60 kg on three mounts with an arm of 9 kg on a fourth, six triaxial accelerometers: the assembly of the
// in-situ cases, its records and its identification.
#pragma once

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/mbs/model_file.hpp"
#include "kdyn/mbs/sensitivity.hpp"

namespace kdyn::validation::insitu_case {

inline constexpr double noise = 0.05, step = 1e-3, duration = 0.8;

struct Truth {
  std::string mount, axis;
  double stiffness, damping;
};
inline const std::vector<Truth> mounts = {
    {"m1", "fx", 2.1e5, 310.0}, {"m1", "fy", 1.7e5, 260.0}, {"m1", "fz", 4.2e5, 520.0}, {"m2", "fx", 2.6e5, 340.0},
    {"m2", "fy", 1.4e5, 240.0}, {"m2", "fz", 3.6e5, 480.0}, {"m3", "fx", 1.9e5, 280.0}, {"m3", "fy", 2.3e5, 330.0},
    {"m3", "fz", 5.1e5, 610.0}, {"m4", "fx", 9.0e4, 60.0},  {"m4", "fy", 1.2e5, 75.0},  {"m4", "fz", 1.5e5, 90.0}};

inline Json mount(const char* name, const Json& one, const Json& two, bool turning) {
  Json laws = Json::object();
  for (const Truth& t : mounts)
    if (t.mount == name)
      laws[t.axis] = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", t.stiffness}, {"damping", t.damping}}}};
  if (turning)
    for (const char* axis : {"tx", "ty", "tz"})
      laws[axis] = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 900.0}, {"damping", 0.9}}}};
  return {{"name", name}, {"markers", {one, two}}, {"laws", laws}};
}

inline Json assembly() {
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

inline std::vector<std::string> channels() {
  std::vector<std::string> out;
  for (int i = 1; i <= 6; ++i)
    for (const char axis : {'x', 'y', 'z'}) out.push_back(fmt::format("a{}.{}", i, axis));
  return out;
}

// Eight neighbours: another reading between steps than that of the fit, with errors of (omega h)^8.
inline double read(const Eigen::MatrixXd& y, Eigen::Index row, double t) {
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
inline Eigen::MatrixXd felt(const Json& json) {
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
inline Record record(const Eigen::MatrixXd& y, std::uint64_t seed, const std::vector<double>& times,
                     bool sensors = true, double clock = 0.0) {
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

inline void write(const std::string& path, const Record& rows) {
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

inline std::string wanted(std::size_t i) {
  return i < 12 ? mounts[i].mount + "." + mounts[i].axis + ".stiffness"
                : mounts[3 * (i - 12) + 2].mount + ".fz.damping";
}
inline double exact(std::size_t i) { return i < 12 ? mounts[i].stiffness : mounts[3 * (i - 12) + 2].damping; }

inline InsituResult identify(const std::string& folder, const Json& model, const Record& rows,
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

inline const ParameterEstimate& found(const InsituResult& result, const std::string& name) {
  for (const ParameterEstimate& p : result.parameters)
    if (p.name == name) return p;
  std::fputs("a parameter is missing\n", stderr);
  std::exit(1);
}

inline std::vector<double> grid(double from, double to, double interval) {
  std::vector<double> t;
  for (int n = 0; from + n * interval <= to + 1e-9; ++n) t.push_back(from + n * interval);
  return t;
}

}  // namespace kdyn::validation::insitu_case
