// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/model_file.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/bushing.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/mbs/flexible_file.hpp"
#include "kdyn/mbs/fmu_law.hpp"
#include "kdyn/mbs/foreign_model.hpp"
#include "kdyn/mbs/internal/body_shapes.hpp"
#include "kdyn/mbs/internal/model_item.hpp"
#include "kdyn/mbs/internal/plausible.hpp"
#include "kdyn/mbs/internal/signal_reader.hpp"
#include "kdyn/mbs/internal/tyre_reader.hpp"
#include "kdyn/mbs/model_expansion.hpp"
#include "kdyn/mbs/own_laws.hpp"
#include "kdyn/mbs/sensors.hpp"
#include "kdyn/mbs/state_force.hpp"

namespace kdyn::mbs {
namespace {

class Reader {
 public:
  Reader(const Json& in, const std::string& where, std::string folder)
      : file_(in, where,
              {"title", "comment", "gravity", "run", "tables", "bodies", "markers", "joints", "bushings", "springs",
               "loads", "sensors", "tyres", "controllers"}),
        folder_(std::move(folder)),
        signals_(folder_, out_.files, out_.findings) {}

  ModelFile read() {
    out_.model.title = file_.text("title");
    out_.model.gravity = file_.vector("gravity");
    if (file_.has("run")) run(file_["run"], file_.at("run"));
    if (file_.has("tables")) tables(file_["tables"], file_.at("tables"));
    each("bodies", [&](const Json& j, const std::string& w) { body(j, w); });
    if (out_.model.bodies.empty())
      throw_bad_input(file_.at("bodies"), "the model has no body", "add \"bodies\": [{\"name\": ..., \"mass\": ...}]");
    each("markers", [&](const Json& j, const std::string& w) { marker(j, w); });
    each("joints", [&](const Json& j, const std::string& w) { joint(j, w); });
    each("bushings", [&](const Json& j, const std::string& w) { bushing(j, w); });
    each("springs", [&](const Json& j, const std::string& w) { spring(j, w); });
    each("loads", [&](const Json& j, const std::string& w) { load(j, w); });
    each("tyres", [&](const Json& j, const std::string& w) { tyre(j, w); });
    check_tyres(out_.model, file_.where());
    each("sensors", [&](const Json& j, const std::string& w) {
      Sensor sensor;
      from_json_fields(sensor, j, w);
      add_sensor(out_.model, sensor, w);
    });
    each("controllers", [&](const Json& j, const std::string& w) { controller(j, w); });
    // Formulas may read any part, also one that stands behind them.
    for (std::size_t k = 0; k < controller_texts_.size(); ++k) {
      const ControllerText& text = controller_texts_[k];
      for (std::size_t i = 0; i < text.formulas.size(); ++i) {
        StateFormula input = read_state_formula(out_.model, text.formulas[i], tables_, text.where[i]);
        input.name = fmt::format("the input {} of controller {}", text.controller.input_names[i], text.controller.name);
        out_.model.controllers[k].inputs.push_back(std::move(input));
      }
    }
    for (const Pending& p : pending_) {
      StateForce force = read_state_force(out_.model, p.text, tables_, p.where);
      force.name = p.name;
      force.of_load = p.of_load;
      force.index = p.index;
      force.component = p.component;
      out_.model.state_forces.push_back(std::move(force));
    }
    return std::move(out_);
  }

 private:
  struct Pending {
    std::string text, where, name;
    bool of_load;
    int index, component;
  };
  // Whether a signal is a formula that reads more than the time.
  static bool reads_state(const Json& in) { return in.is_string() && !Formula::words(in.get<std::string>()).empty(); }

  // Curves that formulas call by name.
  void tables(const Json& in, const std::string& where) {
    if (!in.is_object()) throw_bad_input(where, "this must be tables by name", R"(write {"shock": [[x, y], [x, y]]})");
    for (const auto& [name, rows] : in.items()) {
      const std::string at = where + "." + name;
      const auto words = Formula::words(name);
      if (words.size() != 1 || words[0].name != name)
        throw_bad_input(at, "this name cannot be called in a formula",
                        "use letters, digits and _; no name of a function");
      Curve table;
      if (!rows.is_array()) throw_bad_input(at, "this must be a list of points", "write [[x, y], [x, y], ...]");
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const MatrixX row = Item::read_matrix(rows[i], fmt::format("{}[{}]", at, i), 2, 1);
        table.emplace_back(row(0, 0), row(1, 0));
      }
      check_table(table, at);
      tables_[name] = std::move(table);
    }
  }
  // Formulas of a bushing or a spring: they add to the load of the laws.
  void formula(const Json& in, const std::string& where, const std::string& name, int component) {
    if (!in.is_string())
      throw_bad_input(where, "this must be a formula as text", "write \"-200*wheel.velocity.z\" or \"12.5\"");
    pending_.push_back(
        {in.get<std::string>(), where, name, false, static_cast<int>(out_.model.connections.size()), component});
  }
  template <class F>
  void each(const char* key, F&& f) {
    if (!file_.has(key)) return;
    const Json& list = file_[key];
    if (!list.is_array()) throw_bad_input(file_.at(key), "this must be a list", "write [ {...}, {...} ]");
    for (std::size_t i = 0; i < list.size(); ++i) f(list[i], fmt::format("{}[{}]", file_.at(key), i));
  }

  static int find(const std::map<std::string, int>& names, const std::string& name, const std::string& where,
                  const char* what) {
    const auto it = names.find(name);
    if (it != names.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : names) known.push_back(key);
    throw_bad_input(where, fmt::format("there is no {} {}", what, in_quotes(name)), suggest(name, known));
  }
  static void remember(std::map<std::string, int>& names, const std::string& name, int index,
                       const std::string& where) {
    if (name.empty()) throw_bad_input(where + ".name", "the name is missing", "give every part its own name");
    if (!names.emplace(name, index).second)
      throw_bad_input(where + ".name", fmt::format("the name {} is used twice", in_quotes(name)),
                      "give every part its own name");
  }

  // step_control may hold its own fields: {"tolerance": .., "smallest_step_s": .., "largest_step_s": ..} switches it
  // on.
  void run(const Json& in, const std::string& where) {
    Json flat = in;
    const bool grouped = in.is_object() && in.contains("step_control") && in["step_control"].is_object();
    if (grouped) {
      const Item item(in["step_control"], where + ".step_control",
                      {"tolerance", "smallest_step_s", "largest_step_s", "comment"});
      flat["step_control"] = true;
      for (const auto& [inner, outer] : {std::pair{"tolerance", "step_tolerance"},
                                         {"smallest_step_s", "smallest_step_s"},
                                         {"largest_step_s", "largest_step_s"}})
        if (item.has(inner)) {
          if (flat.contains(outer))
            throw_bad_input(where + "." + outer, "this is given twice",
                            fmt::format("remove it, or {} of step_control", inner));
          if (item.number(inner, 0.0) <= 0.0)
            throw_bad_input(item.at(inner), "this must be above 0", "leave it out for the default");
          flat[outer] = item[inner];
        }
    }
    from_json_fields(out_.run, flat, where);
    check(out_.run, where + (grouped ? ".step_control" : ""));
  }

  void body(const Json& in, const std::string& where) {
    const Item item(in, where,
                    {"name", "mass", "centre", "inertia", "position", "rotation", "velocity", "angular_velocity",
                     "flexible", "damping_factor", "shapes", "comment"});
    Body b;
    b.name = item.text("name");
    remember(bodies_, b.name, static_cast<int>(out_.model.bodies.size()), where);
    b.position = item.vector("position");
    b.rotation = item.rotation("rotation");
    b.velocity = item.vector("velocity");
    b.angular_velocity = item.vector("angular_velocity");
    const bool rigid = item.has("mass") || item.has("inertia") || item.has("centre");
    const auto properties = [&] {
      const double mass = item.number("mass", 0.0);
      if (!(mass > 0.0))
        throw_bad_input(item.at("mass"), item.has("mass") ? "the mass must be above 0" : "the mass is missing",
                        "give a mass in kg");
      RigidBodyProperties out;
      out.mass = mass;
      const Vector3 centre = item.vector("centre");
      out.centre = {centre.x(), centre.y(), centre.z()};
      out.inertia = inertia(item, "inertia", true);
      return out;
    };
    if (!item.has("flexible")) {
      const RigidBodyProperties p = properties();
      b.G = rigid_mass(p.mass, Vector3(p.centre.data()), p.inertia);
    } else if (item["flexible"].is_object() && item["flexible"].contains("file")) {
      flexible_file(item["flexible"], item.at("flexible"), rigid ? std::optional(properties()) : std::nullopt, b);
    } else {
      if (rigid)
        throw_bad_input(where, "a flexible body takes its mass from its nodes",
                        "remove mass, centre and inertia, or flexible");
      flexible(item["flexible"], item.at("flexible"), b);
    }
    if (item.has("shapes") && b.modes() > 0)
      throw_bad_input(item.at("shapes"), "pictures show a flexible body by its nodes and lines",
                      "leave the shapes out");
    if (item.has("shapes")) b.surface = body_surface(item["shapes"], item.at("shapes"), folder_, out_.files);
    if (item.has("damping_factor")) {
      const double factor = item.number("damping_factor", 1.0);
      if (!(factor >= 0.0))
        throw_bad_input(item.at("damping_factor"), "the factor on the damping of modes is below 0", "1 leaves it");
      b.damping *= factor;
    }
    out_.model.bodies.push_back(std::move(b));
  }

  static Matrix3 inertia(const Item& item, const char* key, bool needed) {
    if (!item.has(key) && !needed) return Matrix3::Zero();
    const Json& in = item.need(key);
    Matrix3 J;
    if (in.is_array() && in.size() == 3 && in[0].is_array())
      J = Item::read_matrix(in, item.at(key), 3, 3);
    else
      J = Vector3(Item::read_matrix(in, item.at(key), 3, 1)).asDiagonal();
    const Eigen::SelfAdjointEigenSolver<Matrix3> eigen(J);
    const Vector3 e = eigen.eigenvalues();
    if (!J.isApprox(J.transpose(), 1e-9) || e[0] < 0.0 || e[2] > (e[0] + e[1]) * (1.0 + 1e-9))
      throw_bad_input(item.at(key),
                      fmt::format("this is no inertia: principal values {:.4g}, {:.4g}, {:.4g}", e[0], e[1], e[2]),
                      "give a symmetric matrix whose largest principal value is at most the sum of the others");
    return J;
  }

  void flexible_file(const Json& in, const std::string& where, std::optional<RigidBodyProperties> rigid, Body& b) {
    const Item item(in, where, {"file", "modes", "damping_ratio", "comment"});
    FlexibleOptions options;
    options.rigid = std::move(rigid);
    if (item.has("modes")) {
      const Json& list = item["modes"];
      if (!list.is_array()) throw_bad_input(item.at("modes"), "this must be a list of mode numbers", "write [1, 2, 3]");
      for (const Json& mode : list) {
        if (!mode.is_number_integer() || mode.get<double>() < 1.0 || mode.get<double>() > 1e6)
          throw_bad_input(item.at("modes"), "a mode number is no whole number above 0", "write [1, 2, 3]");
        options.modes.push_back(mode.get<int>());
      }
    }
    if (item.has("damping_ratio")) {
      options.damping_ratio = item.number("damping_ratio", 0.0);
      if (*options.damping_ratio < 0.0 || *options.damping_ratio >= 1.0)
        throw_bad_input(item.at("damping_ratio"), "the damping ratio must be from 0 to below 1",
                        "0.01 is usual for steel");
    }
    if (item.text("file").empty())
      throw_bad_input(item.at("file"), "the file has no name", "name body.json of kdyn body, a .fem or a SID_FEM file");
    const std::string path = (std::filesystem::path(folder_) / item.text("file")).string();
    FlexibleData data = read_flexible(path, options);
    out_.files.push_back(path);
    b.G = std::move(data.body.G);
    b.stiffness = std::move(data.body.stiffness);
    b.damping = std::move(data.body.damping);
    b.nodes = std::move(data.body.nodes);
    b.lines = std::move(data.body.lines);
    out_.findings.insert(out_.findings.end(), data.findings.begin(), data.findings.end());
  }

  void flexible(const Json& in, const std::string& where, Body& b) {
    const Item item(in, where, {"nodes", "stiffness", "damping", "comment"});
    const Json& K = item.need("stiffness");
    const int n = K.is_array() ? static_cast<int>(K.size()) : 0;
    if (n < 1) throw_bad_input(item.at("stiffness"), "this must be the modal stiffness, n x n", "give a list of rows");
    b.stiffness = n == 1 && !K[0].is_array() ? MatrixX::Constant(1, 1, item.matrix("stiffness", 1, 1)(0, 0))
                                             : Item::read_matrix(wrap(K, n), item.at("stiffness"), n, n);
    if (item.has("damping")) b.damping = Item::read_matrix(wrap(item["damping"], n), item.at("damping"), n, n);
    const Json& list = item.need("nodes");
    if (!list.is_array() || list.empty())
      throw_bad_input(item.at("nodes"), "this must be a list of nodes",
                      "give {\"position\": .., \"mass\": .., \"shapes\": [[ux, uy, uz, rx, ry, rz], ...]}");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Item node(list[i], fmt::format("{}[{}]", item.at("nodes"), i),
                      {"label", "mass", "inertia", "position", "shapes"});
      ModalNode m;
      m.label = static_cast<std::int64_t>(
          std::llround(std::clamp(node.number("label", static_cast<double>(i)), -1e15, 1e15)));
      m.mass = node.number("mass", 0.0);
      m.inertia = inertia(node, "inertia", false);
      m.x = node.vector("position");
      const MatrixX shapes = Item::read_matrix(node.need("shapes"), node.at("shapes"), n, 6);
      m.psi = shapes.leftCols(3).transpose();
      m.theta = shapes.rightCols(3).transpose();
      b.nodes.push_back(m);
    }
    b.G = modal_mass(b.nodes, n);
  }
  // A 1 x 1 matrix may be written as one row.
  static Json wrap(const Json& in, int n) {
    if (n == 1 && in.is_array() && in.size() == 1 && in[0].is_array()) return in[0];
    return in;
  }

  int marker(const Json& in, const std::string& where) {
    const Item item(in, where, {"name", "body", "position", "rotation", "node", "comment"});
    Marker m;
    m.name = item.text("name");
    const std::string body = item.need("body").is_string() ? item.text("body") : "";
    m.body = body == "ground" ? -1 : find(bodies_, body, item.at("body"), "body");
    m.x = item.vector("position");
    m.R0 = item.rotation("rotation");
    if (item.has("node")) {
      static const std::vector<ModalNode> none;
      const auto& nodes = m.body < 0 ? none : out_.model.bodies[static_cast<std::size_t>(m.body)].nodes;
      const double label = item.number("node", 0.0);
      const auto it = std::find_if(nodes.begin(), nodes.end(),
                                   [&](const ModalNode& n) { return static_cast<double>(n.label) == label; });
      if (it == nodes.end()) {
        std::string known;
        for (std::size_t i = 0; i < nodes.size() && i < 12; ++i)
          known += fmt::format("{}{}", i > 0 ? ", " : "", nodes[i].label);
        throw_bad_input(item.at("node"), fmt::format("the body has no node {}", label),
                        nodes.empty() ? "give \"position\": only flexible bodies have nodes"
                                      : fmt::format("its nodes are {}{}", known, nodes.size() > 12 ? ", ..." : ""));
      }
      const ModalNode& node = *it;
      m.x = node.x;
      m.psi = node.psi;
      m.theta = node.theta;
    } else if (m.body >= 0 && out_.model.bodies[static_cast<std::size_t>(m.body)].modes() > 0) {
      throw_bad_input(item.at("node"), "a marker on a flexible body sits on one of its nodes", "give \"node\": label");
    }
    const int index = static_cast<int>(out_.model.markers.size());
    if (!m.name.empty()) remember(markers_, m.name, index, where);
    out_.model.markers.push_back(std::move(m));
    return index;
  }

  int marker_of(const Json& in, const std::string& where) {
    if (in.is_object()) return marker(in, where);
    if (!in.is_string())
      throw_bad_input(where, "this is no marker", "give a marker's name or {\"body\": .., \"position\": ..}");
    return find(markers_, in.get<std::string>(), where, "marker");
  }
  std::pair<int, int> pair(const Item& item) {
    const Json& list = item.need("markers");
    if (!list.is_array() || list.size() != 2)
      throw_bad_input(item.at("markers"), "two markers are needed", "write [\"first\", \"second\"]");
    const int one = marker_of(list[0], item.at("markers") + "[0]");
    return {one, marker_of(list[1], item.at("markers") + "[1]")};
  }

  void joint(const Json& in, const std::string& where) {
    const Item item(in, where, {"name", "kind", "markers", "length", "axis", "drive", "comment"});
    Joint j;
    j.name = item.text("name");
    remember(joints_, j.name, static_cast<int>(out_.model.joints.size()), where);
    const std::vector<std::string> kinds(joint_names.begin(), joint_names.end()), directions = {"x", "y", "z"};
    const std::string kind = item.need("kind").is_string() ? item.text("kind") : "";
    const auto it = std::find(kinds.begin(), kinds.end(), kind);
    if (it == kinds.end())
      throw_bad_input(item.at("kind"), fmt::format("unknown joint {}", in_quotes(kind)), suggest(kind, kinds));
    j.kind = static_cast<JointKind>(it - kinds.begin());
    std::tie(j.marker1, j.marker2) = pair(item);
    if (j.kind == JointKind::distance) j.length = item.need("length").is_number() ? item.number("length", 0.0) : 0.0;
    if (j.kind == JointKind::drive_translation || j.kind == JointKind::drive_rotation)
      j.drive = signals_.drive(item.need("drive"), item.at("drive"));
    if (item.has("axis")) {
      const auto axis = std::find(directions.begin(), directions.end(), item.text("axis"));
      if (axis == directions.end()) throw_bad_input(item.at("axis"), "this is no axis", "write \"x\", \"y\" or \"z\"");
      j.axis = static_cast<int>(axis - directions.begin());
    }
    out_.model.joints.push_back(std::move(j));
  }

  // What stands in place, or in the file that is named there. The result of a fit holds its model inside.
  std::pair<Json, std::string> resolved(const Json& in, const std::string& where) {
    if (!in.is_string()) return {inner_model(in), where};
    const std::string path = (std::filesystem::path(folder_) / in.get<std::string>()).string();
    if (std::find(out_.files.begin(), out_.files.end(), path) == out_.files.end()) out_.files.push_back(path);
    return {inner_model(read_json(path)), path};
  }

  std::shared_ptr<AxisLaw> law(const Json& in, const std::string& where) {
    const auto [model, place] = resolved(in, where);
    if (is_bushing_model(model))
      throw_bad_input(place, "a bushing stands where one law is needed",
                      "give the whole bushing as \"laws\", or one of its axes here");
    if (is_fmu_law(model)) {
      // A file that is named in a law file counts from there.
      const std::string from = in.is_string() ? std::filesystem::path(place).parent_path().string() : folder_;
      return fmu_law_from_json(model, place, from, out_.files);
    }
    auto made = model_law(model, place, &out_.findings);
    if (made->model() == "activemount")
      out_.findings.push_back({Severity::note, "active_mount_sides", where,
                               "the active mount is passive here (voltage zero) and acts on both sides with its force "
                               "on the chassis: the inertia force of "
                               "its moving actuator, which the engine side does not feel, is not distinguished",
                               "for the difference between both sides use kdyn aem"});
    return made;
  }

  // "laws": a law for each axis, or a bushing model {"model": "bushing", "coupling": .., "axes": {..}} in place or by
  // the name of its file.
  void bushing_laws(const Item& item, Connection& c) {
    const auto [laws, place] = resolved(item.need("laws"), item.at("laws"));
    const std::vector<std::string> known(axis_names.begin(), axis_names.end());
    if (item.has("coupling")) c.coupling = coupling_from_json(item["coupling"], item.at("coupling"));
    if (!laws.is_object() || !laws.contains("model")) {
      if (item["laws"].is_string())
        throw_bad_input(place, "this is no bushing model",
                        R"(write {"model": "bushing", "coupling": "none", "axes": {"fz": {...}}})");
      const Item each(laws, place, known);
      for (std::size_t k = 0; k < axis_names.size(); ++k)
        if (each.has(axis_names[k])) c.laws[k] = law(laws[axis_names[k]], each.at(axis_names[k]));
      return;
    }
    if (!is_bushing_model(laws))
      throw_bad_input(place + ".model", "a law of one axis stands where a bushing is needed",
                      R"(name its axis: "laws": {"fz": ...})");
    const Item model(laws, place, {bushing_keys.begin(), bushing_keys.end()});
    if (model.has("coupling")) {
      const Coupling own = coupling_from_json(model["coupling"], model.at("coupling"));
      if (item.has("coupling") && own != c.coupling)
        throw_bad_input(
            item.at("coupling"),
            fmt::format("the bushing model says {}", in_quotes(coupling_names[static_cast<std::size_t>(own)])),
            "leave one of both out");
      c.coupling = own;
    }
    c.place = place_from_json(laws, place);
    if (c.place.given()) put(c);
    const Item each(model.need("axes"), model.at("axes"), known);
    for (std::size_t k = 0; k < axis_names.size(); ++k)
      if (each.has(axis_names[k])) {
        // As the rig reads it: a model, not the name of a file.
        if (each[axis_names[k]].is_string())
          throw_bad_input(each.at(axis_names[k]), "an axis of a bushing model is no file name",
                          "put the law itself there");
        c.laws[k] = law(each[axis_names[k]], each.at(axis_names[k]));
      }
    if (std::none_of(c.laws.begin(), c.laws.end(), [](const auto& l) { return l != nullptr; }))
      throw_bad_input(model.at("axes"), "the axes are missing", R"(write "axes": {"fz": {"model": "elastomer", ...}})");
  }

  // Markers of its own for a bushing model with a place in the axes of marker 1  [mbs E35].
  void put(Connection& c) {
    const auto body_axes = [&](const Marker& m) {
      return m.body < 0 ? Matrix3(Matrix3::Identity()) : out_.model.bodies[static_cast<std::size_t>(m.body)].rotation;
    };
    const Marker first = out_.model.markers[static_cast<std::size_t>(c.marker1)];
    const Matrix3 axes = body_axes(first) * first.R0;  // of marker 1 at the initial pose
    Matrix3 own;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) own(i, j) = c.place.rotation(i, j);
    const Vector3 shift = axes * Eigen::Map<const Vector3>(c.place.position());
    const Matrix3 turn = axes * own * axes.transpose();
    for (int* index : {&c.marker1, &c.marker2}) {
      Marker m = out_.model.markers[static_cast<std::size_t>(*index)];
      const Matrix3 A = body_axes(m);
      const Vector3 arm = A.transpose() * shift;
      m.name.clear();
      m.x += arm;
      m.R0 = A.transpose() * turn * A * m.R0;
      // Stiff from where the marker sits: nodes take the arm along as they turn.
      for (Eigen::Index k = 0; k < m.psi.cols(); ++k) m.psi.col(k) += Vector3(m.theta.col(k)).cross(arm);
      *index = static_cast<int>(out_.model.markers.size());
      out_.model.markers.push_back(std::move(m));
    }
  }

  // Of a mirrored bushing some axes are turned round: laws that tell both directions apart would act the wrong way.
  static void check_mirrored(const Item& item, const Connection& c) {
    std::array<bool, 6> turned = {};
    for (const char axis : item.text("mirrored"))
      for (int k = 0; k < 6; ++k)
        if ((k % 3 == axis - 'x') != (k > 2))
          turned[static_cast<std::size_t>(k)] = !turned[static_cast<std::size_t>(k)];
    if (std::none_of(turned.begin(), turned.end(), [](bool t) { return t; })) return;
    if (c.place.given())
      throw_bad_input(item.at("laws"), "a bushing model with a place of its own cannot be mirrored",
                      "put the place into the markers");
    for (std::size_t k = 0; k < turned.size(); ++k) {
      if (!turned[k] || !c.laws[k]) continue;
      const AxisLaw& law = *c.laws[k];
      const std::vector<double> none(static_cast<std::size_t>(law.state_count()), 0.0);
      std::vector<double> rate(none);
      const AxisLaw::Memory memory = law.start(0.0);
      const auto force = [&](double u, double v) {
        return law.force({&memory, {0.0, 0.0}, {u, v}, none.data(), none.data(), 0.0}, rate.data());
      };
      for (const double u : {0.0, 1e-4, 1e-3, 1e-2})
        for (const double v : {0.0, 1e-2, 0.3}) {
          const double one = force(u, v), other = force(-u, -v);
          if (std::abs(one + other) > 1e-9 * (std::abs(one) + std::abs(other)))
            throw_bad_input(
                item.at("laws") + "." + axis_names[k],
                fmt::format("the law of the mirrored bushing {} is not the same in both directions, and mirroring "
                            "turns this axis round",
                            c.name),
                "turn its markers so that this axis does not lie across the plane of the mirror, or give this "
                "side a bushing of its own");
        }
    }
  }

  void bushing(const Json& in, const std::string& where) {
    const Item item(in, where,
                    {"name", "markers", "measure", "coupling", "laws", "forces", "preload", "shift", "turn",
                     "marker_shift", "mirrored", "comment"});
    Connection c;
    c.name = item.text("name");
    remember(connections_, c.name, static_cast<int>(out_.model.connections.size()), where);
    std::tie(c.marker1, c.marker2) = pair(item);
    const std::string measure = item.text("measure", "log");
    const std::vector<std::string> measures = {"log", "vect", "angle", "spin"};
    const auto found = std::find(measures.begin(), measures.end(), measure);
    if (found == measures.end())
      throw_bad_input(
          item.at("measure"), fmt::format("unknown rotation measure {}", in_quotes(measure)),
          R"(write "log", "vect", "angle" for an angle about z that counts its turns, or "spin" for formulas of rates)");
    c.measure = static_cast<RotationMeasure>(found - measures.begin());
    if (item.has("laws") || !item.has("forces")) bushing_laws(item, c);
    if (item.has("forces")) {
      const Item forces(item["forces"], item.at("forces"), {axis_names.begin(), axis_names.end()});
      for (std::size_t k = 0; k < axis_names.size(); ++k)
        if (forces.has(axis_names[k]))
          formula(forces[axis_names[k]], forces.at(axis_names[k]),
                  fmt::format("the formula of bushing {} for {}", c.name, axis_names[k]), static_cast<int>(k));
    }
    if (c.measure == RotationMeasure::angle) {
      for (const char* axis : {"tx", "ty"})
        if (item.has("forces") && item["forces"].contains(axis))
          throw_bad_input(item.at("forces") + "." + axis, "the measure angle counts turns about z alone",
                          "leave tx and ty to a joint, or to a bushing of their own");
      // The count lives with the deflections of the laws: one that does nothing, where there is none.
      if (!c.laws[5])
        c.laws[5] = law(Json{{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1e-30}, {"damping", 0.0}}}},
                        item.at("laws") + ".tz");
    }
    if (item.has("mirrored")) check_mirrored(item, c);
    if (item.has("preload")) c.preload = item.matrix("preload", 6, 1);
    c.shift = item.vector("shift");
    c.turn = item.vector("turn");
    if (item.has("marker_shift")) {
      const MatrixX alone = item.matrix("marker_shift", 2, 3);
      c.marker_shift = {Vector3(alone.row(0)), Vector3(alone.row(1))};
    }
    out_.model.connections.push_back(std::move(c));
  }

  void spring(const Json& in, const std::string& where) {
    const Item item(in, where, {"name", "markers", "law", "force", "rest_length", "preload", "comment"});
    Connection c;
    c.kind = ConnectionKind::spring;
    c.name = item.text("name");
    remember(connections_, c.name, static_cast<int>(out_.model.connections.size()), where);
    std::tie(c.marker1, c.marker2) = pair(item);
    const bool has_law = item.has("law") || !item.has("force");
    if (has_law) c.laws[0] = law(item.need("law"), item.at("law"));
    if (item.has("force")) formula(item["force"], item.at("force"), fmt::format("the formula of spring {}", c.name), 0);
    c.rest_length = item.number("rest_length", 0.0);
    if (has_law ? !(c.rest_length > 0.0) : c.rest_length < 0.0)
      throw_bad_input(item.at("rest_length"), "the length at which the law is at rest must be above 0", "give it in m");
    c.preload[0] = item.number("preload", 0.0);
    out_.model.connections.push_back(std::move(c));
  }

  void load(const Json& in, const std::string& where) {
    const Item item(in, where, {"name", "marker", "force", "torque", "follows", "comment"});
    PointLoad l;
    l.name = item.text("name");
    l.marker = marker_of(item.need("marker"), item.at("marker"));
    l.follows = item.flag("follows", false);
    for (const char* key : {"force", "torque"}) {
      if (!item.has(key)) continue;
      if (!item[key].is_array() || item[key].size() != 3)
        throw_bad_input(item.at(key), "three signals are needed", "write [x, y, z]; 0 for none");
      const bool force = key == std::string("force");
      for (std::size_t k = 0; k < 3; ++k) {
        const std::string at = fmt::format("{}[{}]", item.at(key), k);
        if (reads_state(item[key][k]))
          pending_.push_back({item[key][k].get<std::string>(), at,
                              fmt::format("the {} of load {} along {}", key, l.name, "xyz"[k]), true,
                              static_cast<int>(out_.model.loads.size()), static_cast<int>(k) + (force ? 0 : 3)});
        else
          (force ? l.force : l.torque)[k] = signals_.load(item[key][k], at);
      }
    }
    out_.model.loads.push_back(std::move(l));
  }

  void tyre(const Json& in, const std::string& where) {
    const Item item(in, where, tyre_keys);
    Tyre made = read_tyre(item, signals_, folder_, out_.files, out_.findings);
    made.name = item.text("name");
    remember(tyres_, made.name, static_cast<int>(out_.model.tyres.size()), where);
    if (item.has("marker") == item.has("body"))
      throw_bad_input(where, item.has("marker") ? "the wheel is given twice" : "the wheel is missing",
                      R"(write "body": "wheel", or "marker" with the spin axis as its z)");
    if (item.has("marker")) {
      for (const char* key : {"axis", "position"})
        if (item.has(key)) throw_bad_input(item.at(key), "the marker says this already", "remove it");
      made.marker = marker_of(item["marker"], item.at("marker"));
    } else {
      const Vector3 axis = item.has("axis") ? item.vector("axis") : Vector3(Vector3::UnitY());
      if (!(axis.norm() > 1e-9)) throw_bad_input(item.at("axis"), "the axis has no length", "write [0, 1, 0]");
      const int body = find(bodies_, item.text("body"), item.at("body"), "body");
      made.marker = out_.model.add_marker(
          body, item.vector("position"),
          Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), axis.normalized()).toRotationMatrix());
    }
    out_.model.tyres.push_back(std::move(made));
  }

  void controller(const Json& in, const std::string& where) {
    ControllerText text = controller_from_json(in, where, folder_, out_.files);
    const std::string& name = text.controller.name;
    remember(controllers_, name, static_cast<int>(controller_texts_.size()), where);
    // Its outputs are names for formulas: NAME.OUTPUT must mean one thing.
    bool taken =
        bodies_.contains(name) || markers_.contains(name) || connections_.contains(name) || tyres_.contains(name);
    for (const Sensor& sensor : out_.model.sensors) taken = taken || sensor.name == name;
    if (taken)
      throw_bad_input(where + ".name",
                      fmt::format("a body, marker, connection, tyre or sensor is called {}, too", in_quotes(name)),
                      "give the controller a name of its own");
    out_.model.controllers.push_back(text.controller);
    controller_texts_.push_back(std::move(text));
  }

  Item file_;
  std::string folder_;
  ModelFile out_;
  std::map<std::string, int> bodies_, markers_, joints_, connections_, tyres_, controllers_;
  std::vector<ControllerText> controller_texts_;
  SignalReader signals_;
  FormulaTables tables_;
  std::vector<Pending> pending_;
};

}  // namespace

ModelFile model_from_json(const Json& in, const std::string& where, const std::string& folder,
                          const std::map<std::string, double>& parameters) {
  ExpandedModel plain = expand_model(in, where, folder, parameters);
  ModelFile out = Reader(plain.model, where, folder).read();
  out.files.insert(out.files.begin(), plain.files.begin(), plain.files.end());
  out.parameters = std::move(plain.parameters);
  doubt_units(out.model, where, out.findings);
  return out;
}

ModelFile model_from_text(const std::string& content, const std::string& where, const std::string& folder,
                          const std::map<std::string, double>& parameters) {
  const ForeignModel foreign = model_json_of(content, where);
  ModelFile out = model_from_json(foreign.model, where, folder, parameters);
  out.findings.insert(out.findings.begin(), foreign.findings.begin(), foreign.findings.end());
  if (foreign_format(content) != ForeignFormat::none) out.imported = dump_json(foreign.model);
  return out;
}

ModelFile read_model(const std::string& path, const std::map<std::string, double>& parameters) {
  return model_from_text(read_text(path), path, std::filesystem::path(path).parent_path().string(), parameters);
}

}  // namespace kdyn::mbs
