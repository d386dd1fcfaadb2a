// SPDX-License-Identifier: Apache-2.0
// Which parameters act on which elements, as exponents of [fe E6], and which cannot.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/assemble.hpp"

namespace kdyn::fe::internal {

inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

using Exponents = std::vector<int>;

// Which parameters act on what, as exponents.
class Powers {
 public:
  Powers(const Model& model, const std::vector<Parameter>& parameters) : count_(parameters.size()) {
    for (std::size_t s = 0; s < parameters.size(); ++s) {
      const Parameter& p = parameters[s];
      nominal.push_back(nominal_of(model, p));
      refuse_laminates(model, p);
      for (const std::int64_t label : p.labels)
        for (int c = 0; c < 6; ++c)
          if (is_spring(p.kind) ? p.component == c || p.component < 0 : c == 0)
            by_item_[{p.kind, label, c}].push_back(s);
    }
  }

  std::vector<double> nominal;

  Exponents none() const { return Exponents(count_, 0); }
  Exponents with(Exponents base, ParameterKind kind, std::int64_t label, int component, int power) const {
    const auto found = by_item_.find({kind, label, component});
    if (found != by_item_.end())
      for (const std::size_t s : found->second) base[s] += power;
    return base;
  }

 private:
  static bool is_spring(ParameterKind kind) { return kind == ParameterKind::spring; }

  // A stiffness that is given by its matrices does not follow a thickness, modulus or density.
  static void refuse_laminates(const Model& model, const Parameter& p) {
    const bool thick = p.kind == ParameterKind::thickness;
    if (!thick && p.kind != ParameterKind::young && p.kind != ParameterKind::density) return;
    const auto refuse = [&](const char* what, std::int64_t label) {
      throw_bad_input(fmt::format("parameter {}", p.name), fmt::format("{} {}", what, label),
                      "choose a parameter of plain shells, or give these their own property and material");
    };
    for (const std::int64_t label : p.labels) {
      for (const Property& property : model.properties) {
        if (property.shell_law < 0) continue;
        if (thick && property.label == label)
          refuse("it is the thickness of a laminate, membrane or orthotropic plate, property", label);
        const auto& made_of = model.shell_laws[at(property.shell_law)].materials;
        if (!thick && std::find(made_of.begin(), made_of.end(), label) != made_of.end())
          refuse("its material is also that of a laminate, membrane or orthotropic plate, property", property.label);
      }
      for (const Element& e : model.elements)
        if (thick && e.detail >= 0 && model.details[at(e.detail)].thickness[0] > 0.0 &&
            model.properties[at(e.property)].label == label)
          refuse("corners have a thickness of their own at element", e.label);
    }
  }

  static double nominal_of(const Model& model, const Parameter& p) {
    if (p.labels.empty())
      throw_bad_input(fmt::format("parameter {}", p.name), "it acts on nothing", "give at least one label");
    if (p.component < (p.loss ? -1 : 0) || p.component > 5)
      throw_bad_input(fmt::format("parameter {}", p.name), fmt::format("component {} is none of 0..5", p.component),
                      "0..2 translations, 3..5 rotations");
    if (p.loss && p.kind != ParameterKind::spring && p.kind != ParameterKind::young &&
        p.kind != ParameterKind::scalar_spring)
      throw_bad_input(fmt::format("parameter {}", p.name), fmt::format("a {} has no loss factor", to_string(p.kind)),
                      "give springs or materials a loss factor");
    double first = 0.0;
    for (std::size_t i = 0; i < p.labels.size(); ++i) {
      const double value = value_of(model, p, p.labels[i]);
      if (!(std::abs(value) > 0.0))
        throw_bad_input(fmt::format("parameter {}", p.name),
                        fmt::format("its nominal value at {} is zero", p.labels[i]),
                        "parameters scale the nominal model: give it a value other than zero there");
      if (i == 0) first = value;
    }
    return p.loss ? loss_of(model, p) : first;
  }
  // Of the first label; what is not positive stands for none.
  static double loss_of(const Model& model, const Parameter& p) {
    double out = 0.0;
    for (const Spring& s : model.springs)
      if (p.kind == ParameterKind::spring && s.label == p.labels.front())
        out = p.component < 0 ? s.loss.maxCoeff() : s.loss[p.component];
    for (const Material& m : model.materials)
      if (p.kind == ParameterKind::young && m.label == p.labels.front()) out = m.loss;
    return out > 0.0 ? out : p.loss_factor;
  }
  static double value_of(const Model& model, const Parameter& p, std::int64_t label) {
    const auto look = [&](const auto& items, auto&& value) {
      const auto found =
          std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.label == label; });
      if (found == items.end())
        throw_bad_input(fmt::format("parameter {}", p.name),
                        fmt::format("the model has no {} with label {}", to_string(p.kind), label),
                        "use labels of the model");
      return value(*found);
    };
    switch (p.kind) {
      case ParameterKind::thickness: return look(model.properties, [](const Property& x) { return x.thickness; });
      case ParameterKind::young: return look(model.materials, [](const Material& x) { return x.young; });
      case ParameterKind::density: return look(model.materials, [](const Material& x) { return x.density; });
      case ParameterKind::spring:
        return look(model.springs, [&](const Spring& x) {
          return p.component < 0 ? x.stiffness.cwiseAbs().maxCoeff() : x.stiffness[p.component];
        });
      case ParameterKind::scalar_spring:
        return look(model.scalar_springs, [](const ScalarSpring& x) { return x.stiffness; });
      case ParameterKind::point_mass: return look(model.masses, [](const PointMass& x) { return x.mass; });
    }
    return 0.0;
  }

  std::size_t count_;
  std::map<std::tuple<ParameterKind, std::int64_t, int>, std::vector<std::size_t>> by_item_;
};

}  // namespace kdyn::fe::internal
