// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/load.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline vehicle {

const FieldTable& fields_of(const Load*) {
  using L = Load;
  static const FieldTable table = FieldTable::of<L>("load", [](FieldTable& t) {
    t.add(&L::name, "name", "-", "Name, for messages").unless_empty();
    t.add(&L::mass, "mass", "kg", "Mass").above(0.0).must_be_given();
    t.add(&L::body, "body", "-", "What it lies on: body, or a wheel, A (front left) to F");
    t.add(&L::position, "position", "m",
          "Where: x forward from the first axle line, y to the left of the middle plane; z is not used");
    t.add(&L::Iyy, "Iyy", "kg*m^2",
          "Its own pitch inertia, with mass times the square of its height above the centre of gravity")
        .at_least(0.0);
    t.add(&L::Ixx, "Ixx", "kg*m^2", "Its own roll inertia, likewise").at_least(0.0);
    t.add(&L::config, "config", "-", "Tests it was on board in, as in the column config").range(1, 100);
  });
  return table;
}

std::vector<std::vector<PointMass>> points_of(const std::vector<Load>& loads, const VehicleLayout& layout) {
  std::vector<std::vector<PointMass>> out;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const Load& load = loads[i];
    const std::string where = fmt::format("loads[{}]", i);
    PointMass p;
    p.name = load.name.empty() ? fmt::format("load {}", i + 1) : load.name;
    p.mass = load.mass, p.x = load.position[0], p.y = load.position[1], p.Iyy = load.Iyy, p.Ixx = load.Ixx;
    if (load.body != "body") {
      p.wheel = load.body.size() == 1 ? load.body[0] - 'A' : -1;
      if (p.wheel < 0 || p.wheel >= layout.wheels())
        throw_bad_input(where + ".body", fmt::format("there is no {} on this vehicle", in_quotes(load.body)),
                        "write \"body\", or a wheel: \"A\" (front left), \"B\" (front right), ...");
    }
    if (!(std::abs(p.x) < 25.0) || !(std::abs(p.y) < 3.0))
      throw_bad_input(where + ".position", fmt::format("({:g} m, {:g} m) is on no vehicle", p.x, p.y),
                      "give metres: x forward from the first axle line, y to the left of the middle plane");
    if (static_cast<std::size_t>(load.config) > out.size()) out.resize(static_cast<std::size_t>(load.config));
    out[static_cast<std::size_t>(load.config - 1)].push_back(std::move(p));
  }
  return out;
}

}  // namespace kdyn::inline vehicle
