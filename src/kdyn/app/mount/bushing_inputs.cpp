// SPDX-License-Identifier: Apache-2.0
// Which measurement belongs to which axis of a bushing.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/mount/batch.hpp"
#include "kdyn/app/mount/bushing_job.hpp"
#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/levels.hpp"

namespace kdyn::app {
namespace fs = std::filesystem;
namespace {

struct UsualDirection {
  const char *label, *axes;
};
constexpr UsualDirection usual_directions[] = {
    {"x", "fx"},  {"y", "fy"},         {"z", "fz"},     {"rx", "tx"},        {"ry", "ty"},
    {"rz", "tz"}, {"radial", "fx+fy"}, {"axial", "fz"}, {"torsional", "tz"}, {"cardanic", "tx+ty"}};

std::vector<std::size_t> axes_from(const std::string& text, const std::string& where) {
  std::vector<std::size_t> out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('+', begin), text.size());
    const std::string name = lower_case(std::string(trim(std::string_view(text).substr(begin, end - begin))));
    const auto it = std::find(axis_names.begin(), axis_names.end(), name);
    if (it == axis_names.end())
      throw_bad_input(where, fmt::format("{} is no axis of a bushing", in_quotes(name)),
                      "use fx fy fz tx ty tz; two axes with the same law: fx+fy");
    const auto axis = static_cast<std::size_t>(it - axis_names.begin());
    if (std::find(out.begin(), out.end(), axis) == out.end()) out.push_back(axis);
    begin = end + 1;
  }
  return out;
}

AxisKind kind_of(const BenchSet& set) {
  switch (set.bench.kind) {
    case BenchKind::map: return set.bench.map.axis;
    case BenchKind::static_loop: return set.bench.loop.axis;
    default: return set.bench.series.axis;
  }
}

// Whether rubber alone could hardly do it: at one amplitude and preload the loss angle has a peak of 4 degrees inside
// the range of frequencies, or spans more than 15 degrees.
bool loss_angle_peaks(const StiffnessMap& map) {
  constexpr double height = 4.0 * degree, span = 15.0 * degree;
  std::vector<double> amplitudes;
  for (const MapRow& row : map.rows) amplitudes.push_back(row.amplitude);
  const std::vector<double> levels = levels_of(amplitudes);
  std::map<std::pair<std::size_t, double>, std::map<double, double>> curves;
  for (const MapRow& row : map.rows)
    curves[{nearest_level(levels, row.amplitude), row.preload}][row.frequency_hz] = row.loss_angle;
  for (const auto& [place, curve] : curves) {
    if (curve.size() < 5) continue;
    // The second largest and second smallest value: a single bad point is no peak.
    std::vector<double> angles;
    for (const auto& [f, angle] : curve) angles.push_back(angle);
    std::vector<double> inner(angles.begin() + 1, angles.end() - 1), all = angles;
    std::sort(inner.begin(), inner.end());
    std::sort(all.begin(), all.end());
    const double top = inner[inner.size() - 2];
    if (top > angles.front() + height && top > angles.back() + height) return true;
    if (all[all.size() - 2] - all[1] > span) return true;
  }
  return false;
}

// The folder of the part that a file belongs to: folders that are named after a direction or a kind of measurement are
// passed.
std::string folder_of_part(const std::string& path) {
  static const std::set<std::string> kinds = {"map",   "maps",    "static",   "transient", "series",
                                              "sweep", "dynamic", "dynamics", "loop",      "loops"};
  fs::path folder = fs::path(path).parent_path();
  while (folder.has_filename() && (kinds.contains(lower_case(folder.filename().string())) ||
                                   !direction_of_path((folder / "file").string()).empty()))
    folder = folder.parent_path();
  return folder.string();
}

// Files of folders that hold no table (notes) are told and left out; whatever else is wrong with a file ends the run.
Contents read_all(const FitBushingJob& job) {
  Contents all;
  std::vector<std::string> files;
  for (const BatchGroup& group : batch_groups(job.data))
    for (const std::string& file : group.files) files.push_back(file);
  std::sort(files.begin(), files.end());
  std::set<std::string> named(job.data.begin(), job.data.end());
  for (const std::string& file : files) try {
      Contents one = read_measurements({file}, job.read);
      for (Exchange& exchange : one.files) all.files.push_back(std::move(exchange));
      for (BenchSet& set : one.sets) all.sets.push_back(std::move(set));
      all.findings.insert(all.findings.end(), one.findings.begin(), one.findings.end());
    } catch (const Error& error) {
      if (named.contains(file) || !error.message().starts_with("no table found")) throw;
      all.findings.push_back({Severity::note, "not_used", file, "it holds no table and was not used", ""});
    }
  return all;
}

void demand_one_part(const std::vector<MeasuredObject>& objects, const Contents& contents, bool folders) {
  std::set<std::string> parts;
  for (const MeasuredObject& object : objects) parts.insert(object.part);
  if (parts.size() > 1)
    throw_bad_input("data", tell_objects(objects, contents) + "; a bushing is one part",
                    fmt::format("choose one: --part {}", in_quotes(*parts.rbegin())));
  if (!folders) return;  // files that are named one by one are of the same part, wherever they lie
  for (const MeasuredObject& object : objects) {
    std::set<std::string> own;
    for (const std::size_t i : object.sets)
      own.insert(folder_of_part(contents.sets[i].place.substr(0, contents.sets[i].place.find('!'))));
    if (own.size() > 1)
      throw_bad_input(
          "data",
          fmt::format("direction {} was measured in several folders ({}, {}); a bushing is one part",
                      object.direction.empty() ? "without a name" : object.direction, *own.begin(), *own.rbegin()),
          "give the folder of one part; fit elastomer takes a folder of many");
  }
}

}  // namespace

std::string MeasuredDirection::axis_words() const {
  std::vector<std::string> names;
  for (const std::size_t axis : axes) names.emplace_back(axis_names[axis]);
  return join(names, ", ");
}

BushingMeasurements read_bushing(const FitBushingJob& job) {
  Contents contents = read_all(job);
  choose_object(contents, job.read);
  const std::vector<MeasuredObject> objects = objects_of(contents);
  demand_one_part(objects, contents, is_batch(job.data));
  const std::vector<BatchGroup> groups = groups_of_objects(contents, "");
  BushingMeasurements out;
  std::set<std::string> labels, used;
  for (const MeasuredObject& object : objects) labels.insert(object.direction);
  for (std::size_t k = 0; k < objects.size(); ++k) {
    const MeasuredObject& object = objects[k];
    MeasuredDirection one;
    one.label = object.direction.empty() ? "-" : object.direction;
    one.part = groups[k].part, one.direction = groups[k].direction, one.files = groups[k].files;
    one.kind = kind_of(contents.sets[object.sets.front()]);
    for (const std::size_t i : object.sets) {
      const BenchSet& set = contents.sets[i];
      if (kind_of(set) != one.kind)
        throw_bad_input(set.place,
                        fmt::format("direction {} holds torsional and translational measurements", one.label),
                        "name them differently, for example z and rz");
      if (set.bench.kind == BenchKind::map) {
        one.peaks = one.peaks || loss_angle_peaks(set.bench.map);
        one.measured.push_back(fmt::format("map of {} rows", set.bench.map.rows.size()));
      } else if (set.bench.kind == BenchKind::static_loop) {
        for (const double x : set.bench.loop.displacement) one.reach = std::max(one.reach, std::abs(x));
        one.measured.emplace_back("static loop");
      } else {
        one.measured.emplace_back("time record");
      }
    }
    const auto said = std::find_if(job.directions.begin(), job.directions.end(),
                                   [&](const auto& d) { return lower_case(d.first) == lower_case(one.label); });
    if (said != job.directions.end()) {
      one.axes = axes_from(said->second, "directions." + said->first);
      used.insert(said->first);
    } else {
      for (const UsualDirection& usual : usual_directions)
        if (one.label == usual.label) one.axes = axes_from(usual.axes, "directions");
      if (one.axes.empty())
        throw_bad_input(
            "directions",
            one.label == "-" ? fmt::format("{} does not tell its direction", one.files.front())
                             : fmt::format("direction {} is none that kdyn knows", in_quotes(one.label)),
            fmt::format("say which axis it is: --directions '{}=fz', or name file, sheet or a column after it",
                        one.label));
      // A moment over an angle, "direction z": about z.
      if (one.kind == AxisKind::rotation && one.axes.front() < 3) {
        for (std::size_t& axis : one.axes) axis += 3;
        out.findings.push_back(
            {Severity::note, "torsion", one.files.front(),
             fmt::format("direction {} is a moment over an angle and goes to {}", one.label, one.axis_words()),
             "--directions says otherwise"});
      }
    }
    for (const std::size_t axis : one.axes)
      if ((axis >= 3) != (one.kind == AxisKind::rotation))
        throw_bad_input("directions",
                        fmt::format("direction {} is {} and cannot be axis {}", one.label,
                                    one.kind == AxisKind::rotation ? "torsional" : "translational", axis_names[axis]),
                        "translations are fx fy fz, torsion is tx ty tz");
    for (const MeasuredDirection& other : out.directions)
      for (const std::size_t axis : one.axes)
        if (std::find(other.axes.begin(), other.axes.end(), axis) != other.axes.end())
          throw_bad_input(
              "directions",
              fmt::format("directions {} and {} are both axis {}", other.label, one.label, axis_names[axis]),
              fmt::format("say which axis each of them is: --directions {}=fx,{}=fy", other.label, one.label));
    if (one.label == "radial" || one.label == "axial" || one.label == "torsional" || one.label == "cardanic")
      if (said == job.directions.end())
        out.findings.push_back(
            {Severity::note, "round_bushing", "directions",
             fmt::format("direction {} was taken for {}: the axis of the bushing is z", one.label, one.axis_words()),
             "another axis: --directions radial=fy+fz,axial=fx,torsional=tx"});
    out.round = out.round || (one.axes.size() > 1 && one.kind == AxisKind::translation);
    out.directions.push_back(std::move(one));
  }
  for (const auto& [label, axes] : job.directions)
    if (!used.contains(label))
      throw_bad_input("directions." + label, "no measurement is called so",
                      "the files hold " + join({labels.begin(), labels.end()}, ", "));
  std::sort(out.directions.begin(), out.directions.end(),
            [](const MeasuredDirection& a, const MeasuredDirection& b) { return a.axes.front() < b.axes.front(); });
  // What the readers said of measurements that are used stands in the fits.
  for (const Finding& finding : contents.findings)
    if (finding.code == "not_used") out.findings.push_back(finding);
  return out;
}

}  // namespace kdyn::app
