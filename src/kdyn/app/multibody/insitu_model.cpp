// SPDX-License-Identifier: Apache-2.0
// The model of kdyn insitu with what was found put into the user's own file.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/modes/flexible_body.hpp"

namespace kdyn::app {

using namespace mbs;

namespace {

// The result is to be moved as one folder: files that the model reads are copied beside it, each once. What a model
// merely mentions, in a comment for example, stays where it is: it may be anything on this machine.
class Copies {
 public:
  Copies(std::filesystem::path folder, const std::vector<std::string>& read, std::vector<OutputFile>& files)
      : folder_(std::move(folder)),
        read_(read),
        files_(files) {}

  void take(Json& part) {
    if (part.is_object() && part.contains("file") && part["file"].is_string()) {
      const std::filesystem::path path = folder_ / part["file"].get<std::string>();
      if (std::find(read_.begin(), read_.end(), path.string()) != read_.end()) part["file"] = copied(path);
    }
    if (part.is_structured())
      for (Json& inner : part) take(inner);
  }

 private:
  std::string copied(const std::filesystem::path& from) {
    const std::string path = std::filesystem::absolute(from).lexically_normal().string();
    const auto known = names_.find(path);
    if (known != names_.end()) return known->second;
    // Two files of one name from two folders stay apart, and none takes the place of a result.
    std::string name = "model_" + from.filename().string();
    for (int i = 2; std::any_of(files_.begin(), files_.end(), [&](const OutputFile& f) { return f.name == name; }); ++i)
      name = fmt::format("model_{}_{}", i, from.filename().string());
    files_.push_back({name, read_text(path)});
    names_[path] = name;
    return name;
  }

  std::filesystem::path folder_;
  const std::vector<std::string>& read_;
  std::vector<OutputFile>& files_;
  std::map<std::string, std::string> names_;
};

// Centre of mass and inertia about it, as the system has them now.
void put_inertia(const System& system, int body, Json& model) {
  const MatrixX& G = system.model().bodies[static_cast<std::size_t>(body)].G;
  const double mass = G(0, 0);
  const Vector3 centre = G.block<3, 1>(1, 0) / mass;
  const Matrix3 E = G.block<3, 3>(1, 1) - mass * centre * centre.transpose();
  const Matrix3 J = E.trace() * Matrix3::Identity() - E;
  Json& out = model["bodies"][static_cast<std::size_t>(body)];
  out["centre"] = Json::array({centre.x(), centre.y(), centre.z()});
  out["inertia"] = Json::array();
  for (int i = 0; i < 3; ++i) out["inertia"].push_back(Json::array({J(i, 0), J(i, 1), J(i, 2)}));
}

void put_damping(double factor, Json& body) {
  const double before = body.contains("damping_factor") && body["damping_factor"].is_number()
                            ? body["damping_factor"].get<double>()
                            : 1.0;
  body["damping_factor"] = before * factor;
}

// Factor, time and frequency beside a signal.
void put_tuning(const System& system, const Parameter& p, Json& model) {
  const Model& of = system.model();
  const auto index = static_cast<std::size_t>(p.index);
  const auto component = static_cast<std::size_t>(p.side > 0 ? (p.side - 1) % 3 : 0);
  const TimeSignal& signal = p.side == 0  ? of.joints[index].drive
                             : p.side < 4 ? of.loads[index].force[component]
                                          : of.loads[index].torque[component];
  Json& place = p.side == 0  ? model["joints"][index]["drive"]
                : p.side < 4 ? model["loads"][index]["force"][component]
                             : model["loads"][index]["torque"][component];
  if (!place.is_object()) {
    Json plain = std::move(place);
    place = Json::object();
    place["signal"] = std::move(plain);
  }
  Json tuning;
  to_json_fields(signal.tuning(), tuning);
  // Times of a table of straight lines are not searched: they stay as the model gives them.
  if (signal.smooth())
    place.update(tuning);
  else
    place["factor"] = signal.tuning().factor;
}

// A sensor of the job that the model does not have stays in the job.
void put_turn(const Sensor& sensor, Json& model) {
  for (Json& one : model["sensors"])
    if (one.is_object() && one.value("name", "") == sensor.name) one["turn"] = sensor.turn;
}

}  // namespace

std::string identified_model(const InsituInputs& inputs, const InsituResult& result, std::vector<OutputFile>& files) {
  Json model = inputs.model;
  Model found = inputs.experiments.front().model;
  clone_laws(found);
  System system(found);
  std::vector<std::pair<Parameter, double>> values;  // of the model, followers included
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i) {
    const InsituParameter& p = inputs.parameters[i];
    if (p.of != InsituParameter::Of::model) continue;
    values.emplace_back(p.in.front(), result.parameters[i].value);
    for (const InsituParameter::Tie& tie : p.ties)
      values.emplace_back(tie.in.front(), tie.ratio * result.parameters[i].value);
  }
  for (const auto& [parameter, value] : values) set_parameter(system, parameter, value);
  const std::size_t bushings = model.contains("bushings") ? model["bushings"].size() : 0;
  std::vector<bool> changed(system.axes().size(), false);
  for (const auto& [p, value] : values) {
    const auto index = static_cast<std::size_t>(p.index);
    if (p.kind == Parameter::Kind::law) changed[index] = true;
    if (p.kind == Parameter::Kind::mass) model["bodies"][index]["mass"] = value;
    if (p.kind == Parameter::Kind::centre || p.kind == Parameter::Kind::inertia) put_inertia(system, p.index, model);
    if (p.kind == Parameter::Kind::modal_damping) put_damping(value, model["bodies"][index]);
    if (p.kind == Parameter::Kind::signal) put_tuning(system, p, model);
    if (p.kind == Parameter::Kind::turn) put_turn(system.model().sensors[index], model);
    if (p.kind != Parameter::Kind::position && p.kind != Parameter::Kind::orientation) continue;
    const Connection& c = system.model().connections[index];
    const auto numbers = [](const Vector3& v) { return Json::array({v.x(), v.y(), v.z()}); };
    Json& bushing = model["bushings"][index];
    bushing["shift"] = numbers(c.shift);
    bushing["turn"] = numbers(c.turn);
    bushing["marker_shift"] = Json::array({numbers(c.marker_shift[0]), numbers(c.marker_shift[1])});
  }
  // A bushing model stands with its laws one by one: some of them changed. One with a place stays a bushing model.
  for (std::size_t c = 0; c < bushings; ++c) {
    Json& bushing = model["bushings"][c];
    if (bushing["laws"].is_object() && !bushing["laws"].contains("model")) continue;
    bushing["laws"] = Json::object();
    const Connection& of = found.connections[c];
    Json& holder = of.place.given() ? bushing["laws"] : bushing;
    holder["coupling"] = coupling_names[static_cast<std::size_t>(of.coupling)];
    if (!of.place.given()) continue;
    if (bushing.contains("coupling")) bushing.erase("coupling");
    holder["model"] = "bushing";
    place_json(of.place, holder);
  }
  // Laws that changed, and laws that stand in files of their own.
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const Axis& axis = system.axes()[a];
    const auto c = static_cast<std::size_t>(axis.connection);
    const auto of_bushing = [&]() -> Json& {
      Json& laws = model["bushings"][c]["laws"];
      return (laws.contains("model") ? laws["axes"] : laws)[axis_names[static_cast<std::size_t>(axis.component)]];
    };
    Json& place = c < bushings ? of_bushing() : model["springs"][c - bushings]["law"];
    if (!changed[a] && place.is_object()) continue;
    Json law;
    axis.law->to_json(law);
    place = std::move(law);
  }
  Copies(inputs.model_folder, inputs.model_files, files).take(model);
  return dump_json(model);
}

}  // namespace kdyn::app
