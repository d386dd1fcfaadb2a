// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/model_image.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/own_laws.hpp"
#include "kdyn/mbs/state_force.hpp"

namespace kdyn::mbs {
namespace {

// The same walk writes and reads: every part is named once.
class Writer {
 public:
  explicit Writer(Json& out) : out_(out) {}
  template <class T>
  void plain(const char* name, T& value) {
    out_[name] = value;
  }
  template <class T>
  void choice(const char* name, T& value) {
    out_[name] = static_cast<int>(value);
  }
  template <class M>
  void matrix(const char* name, M& m) {
    Json numbers = Json::array();
    for (Eigen::Index i = 0; i < m.size(); ++i) numbers.push_back(m.data()[i]);
    out_[name] = {{"rows", m.rows()}, {"columns", m.cols()}, {"numbers", std::move(numbers)}};
  }
  void signal(const char* name, TimeSignal& value) { out_[name] = signal_to_json(value); }
  void law(const char* name, std::shared_ptr<AxisLaw>& value) {
    if (!value) return;
    Json one = Json::object();
    value->to_json(one);
    out_[name] = std::move(one);
  }
  // Names of formulas are looked up anew: the file holds the text.
  void formulas(Model& model) {
    Json all = Json::array();
    for (const StateForce& force : model.state_forces) {
      Json one = text_of(force);
      one["of_load"] = force.of_load, one["index"] = force.index, one["component"] = force.component;
      all.push_back(std::move(one));
    }
    if (!all.empty()) out_["state_forces"] = std::move(all);
    Json inputs = Json::array();
    for (const Controller& c : model.controllers) {
      Json of = Json::array();
      for (const StateFormula& input : c.inputs) of.push_back(text_of(input));
      inputs.push_back(std::move(of));
    }
    if (!inputs.empty()) out_["controller_inputs"] = std::move(inputs);
  }
  static Json text_of(const StateFormula& formula) {
    Json one = {{"name", formula.name}, {"formula", formula.formula->text()}, {"tables", Json::object()}};
    for (const auto& [name, table] : formula.tables) one["tables"][name] = table;
    return one;
  }
  // JSON has no infinite numbers: no limit is null.
  void limits(const char* name, Controller& c) {
    Json all = Json::array();
    for (const VectorX* side : {&c.lower, &c.upper})
      for (const double limit : *side) all.push_back(std::isfinite(limit) ? Json(limit) : Json());
    out_[name] = std::move(all);
  }
  template <class T, class F>
  void optional_list(const char* name, std::vector<T>& values, F&& walk) {
    if (!values.empty()) list(name, values, walk);
  }
  template <class T, class F>
  void list(const char* name, std::vector<T>& values, F&& walk) {
    Json all = Json::array();
    for (T& value : values) {
      Json one = Json::object();
      Writer inner(one);
      walk(inner, value);
      all.push_back(std::move(one));
    }
    out_[name] = std::move(all);
  }

 private:
  Json& out_;
};

class Reader {
 public:
  Reader(const Json& in, std::string where) : in_(in), where_(std::move(where)) {}
  template <class T>
  void plain(const char* name, T& value) {
    value = need(name).get<T>();
  }
  template <class T>
  void choice(const char* name, T& value) {
    value = static_cast<T>(need(name).get<int>());
  }
  template <class M>
  void matrix(const char* name, M& m) {
    const Json& in = need(name);
    const auto rows = in.at("rows").get<Eigen::Index>(), columns = in.at("columns").get<Eigen::Index>();
    const std::vector<double> numbers = in.at("numbers").get<std::vector<double>>();
    if (rows < 0 || columns < 0 || (M::RowsAtCompileTime != Eigen::Dynamic && rows != M::RowsAtCompileTime) ||
        (M::ColsAtCompileTime != Eigen::Dynamic && columns != M::ColsAtCompileTime) ||
        numbers.size() != static_cast<std::size_t>(rows * columns))
      fail(name);
    m = Eigen::Map<const MatrixX>(numbers.data(), rows, columns);
  }
  void signal(const char* name, TimeSignal& value) { value = signal_from_json(need(name), where_ + "." + name); }
  void law(const char* name, std::shared_ptr<AxisLaw>& value) {
    if (in_.contains(name)) value = model_law(in_[name], where_ + "." + name);
  }
  void formulas(Model& model) {
    const auto formula_of = [&](const Json& one, const std::string& place) {
      FormulaTables tables;
      for (const auto& [name, table] : one.at("tables").items()) {
        tables[name] = table.get<Curve>();
        check_table(tables[name], place + "." + name);
      }
      StateFormula formula = read_state_formula(model, one.at("formula").get<std::string>(), tables, place);
      formula.name = one.at("name").get<std::string>();
      return formula;
    };
    for (std::size_t k = 0; k < model.controllers.size(); ++k)
      for (const Json& one : need("controller_inputs").at(k))
        model.controllers[k].inputs.push_back(formula_of(one, where_ + ".controller_inputs"));
    if (!in_.contains("state_forces")) return;
    for (const Json& one : in_["state_forces"]) {
      StateForce force;
      static_cast<StateFormula&>(force) = formula_of(one, where_ + ".state_forces");
      force.of_load = one.at("of_load").get<bool>();
      force.index = one.at("index").get<int>();
      force.component = one.at("component").get<int>();
      model.state_forces.push_back(std::move(force));
    }
  }
  void limits(const char* name, Controller& c) {
    const Json& all = need(name);
    const auto n = static_cast<Eigen::Index>(c.output_names.size());
    if (!all.is_array() || all.size() != 2 * c.output_names.size()) fail(name);
    c.lower.resize(n), c.upper.resize(n);
    for (Eigen::Index i = 0; i < 2 * n; ++i) {
      const Json& limit = all[static_cast<std::size_t>(i)];
      const double none = std::numeric_limits<double>::infinity();
      (i < n ? c.lower[i] : c.upper[i - n]) = limit.is_null() ? (i < n ? -none : none) : limit.get<double>();
    }
  }
  template <class T, class F>
  void optional_list(const char* name, std::vector<T>& values, F&& walk) {
    if (in_.is_object() && in_.contains(name)) list(name, values, walk);
  }
  template <class T, class F>
  void list(const char* name, std::vector<T>& values, F&& walk) {
    const Json& all = need(name);
    if (!all.is_array()) fail(name);
    for (std::size_t i = 0; i < all.size(); ++i) {
      Reader inner(all[i], fmt::format("{}.{}[{}]", where_, name, i));
      T value;
      walk(inner, value);
      values.push_back(std::move(value));
    }
  }

 private:
  const Json& need(const char* name) const {
    if (!in_.is_object() || !in_.contains(name)) fail(name);
    return in_[name];
  }
  [[noreturn]] void fail(const char* name) const {
    throw_bad_input(where_ + "." + name, "this is no part of a model as kdyn writes it", "export the model again");
  }

  const Json& in_;
  std::string where_;
};

template <class Archive>
void walk_model(Archive& archive, Model& model) {
  archive.plain("title", model.title);
  archive.matrix("gravity", model.gravity);
  archive.list("bodies", model.bodies, [](auto& a, Body& b) {
    a.plain("name", b.name);
    a.matrix("G", b.G);
    a.matrix("stiffness", b.stiffness);
    a.matrix("damping", b.damping);
    a.matrix("position", b.position);
    a.matrix("rotation", b.rotation);
    a.matrix("delta", b.delta);
    a.matrix("velocity", b.velocity);
    a.matrix("angular_velocity", b.angular_velocity);
    a.matrix("delta_rate", b.delta_rate);
  });
  archive.list("markers", model.markers, [](auto& a, Marker& m) {
    a.plain("name", m.name);
    a.plain("body", m.body);
    a.matrix("x", m.x);
    a.matrix("R0", m.R0);
    a.matrix("psi", m.psi);
    a.matrix("theta", m.theta);
  });
  archive.list("joints", model.joints, [](auto& a, Joint& j) {
    a.plain("name", j.name);
    a.choice("kind", j.kind);
    a.plain("marker1", j.marker1);
    a.plain("marker2", j.marker2);
    a.plain("length", j.length);
    a.plain("axis", j.axis);
    a.signal("drive", j.drive);
  });
  archive.list("connections", model.connections, [](auto& a, Connection& c) {
    a.plain("name", c.name);
    a.choice("kind", c.kind);
    a.plain("marker1", c.marker1);
    a.plain("marker2", c.marker2);
    a.choice("measure", c.measure);
    a.choice("coupling", c.coupling);
    for (std::size_t k = 0; k < c.laws.size(); ++k) a.law(fmt::format("law_{}", k).c_str(), c.laws[k]);
    a.matrix("preload", c.preload);
    a.plain("rest_length", c.rest_length);
    a.matrix("shift", c.shift);
    a.matrix("turn", c.turn);
    a.matrix("marker_shift_1", c.marker_shift[0]);
    a.matrix("marker_shift_2", c.marker_shift[1]);
  });
  archive.list("sensors", model.sensors, [](auto& a, Sensor& s) {
    a.plain("name", s.name);
    a.choice("kind", s.kind);
  });
  archive.list("channels", model.channels, [](auto& a, SensorChannel& c) {
    a.plain("name", c.name);
    a.plain("unit", c.unit);
    a.plain("gain", c.gain);
    a.plain("offset", c.offset);
    a.plain("delay_s", c.delay_s);
    a.plain("sensor", c.sensor);
    a.choice("kind", c.output.kind);
    a.plain("index", c.output.index);
    a.plain("component", c.output.component);
    a.plain("second", c.output.second);
    a.plain("gravity", c.output.gravity);
    a.plain("own_axes", c.output.own_axes);
    a.plain("factors", c.output.factors);
  });
  archive.list("loads", model.loads, [](auto& a, PointLoad& l) {
    a.plain("name", l.name);
    a.plain("marker", l.marker);
    a.plain("follows", l.follows);
    for (std::size_t k = 0; k < 3; ++k) {
      a.signal(fmt::format("force_{}", "xyz"[k]).c_str(), l.force[k]);
      a.signal(fmt::format("torque_{}", "xyz"[k]).c_str(), l.torque[k]);
    }
  });
  archive.optional_list("controllers", model.controllers, [](auto& a, Controller& c) {
    a.plain("name", c.name);
    a.plain("input_names", c.input_names);
    a.plain("output_names", c.output_names);
    a.plain("output_units", c.output_units);
    a.matrix("A", c.A);
    a.matrix("B", c.B);
    a.matrix("C", c.C);
    a.matrix("D", c.D);
    a.limits("limits", c);
    a.plain("sample_s", c.sample_s);
    a.choice("start", c.start);
    a.matrix("initial", c.initial);
  });
  archive.formulas(model);
}

}  // namespace

Json image_of(const Model& model, const RunOptions& run) {
  if (!model.tyres.empty())
    throw_bad_input("tyres", "a model with tyres cannot leave kdyn as an FMU yet",
                    "export the model without its tyres, with their forces as inputs");
  Json out = Json::object();
  Writer writer(out);
  Model copy = model;
  walk_model(writer, copy);
  to_json_fields(run, out["run"]);
  return out;
}

ModelImage model_from_image(const Json& in, const std::string& where) {
  ModelImage out;
  try {
    Reader reader(in, where);
    walk_model(reader, out.model);
    from_json_fields(out.run, in.at("run"), where + ".run");
  } catch (const Json::exception& e) {
    throw_bad_input(where, e.what(), "export the model again");
  }
  check(out.run, where + ".run");
  return out;
}

}  // namespace kdyn::mbs
