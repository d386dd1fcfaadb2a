// SPDX-License-Identifier: Apache-2.0
// What leaves kdyn as one thing: a mount of one axis, or a bushing of six with coupling, at work. FMUs, C programs and
// the exporter's own description of their variables are made from this class, so they cannot differ.
//
// A unit is made from its image, a list of numbers that the exporter writes and that stands in the exported binary or
// source:
//   3, number of axes (1 or 6), coupling, for six axes position and orientation of the bushing (element/bushing_place.hpp), then for each axis:
//   code of its law (0: no law, no force), scale of its force, count, `count` numbers (archive_law, and the temperature it
//   starts at where the law knows temperatures)
// Arrays u, v, force have one entry for each axis, in the axes in which the bushing is placed; states, parameters,
// inputs, signals and turning functions follow axis by axis of the bushing itself.
//
// Plain C++17 without exceptions, strings or libraries (laws/instance.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "kdyn/element/bushing_place.hpp"
#include "kdyn/element/coupling.hpp"
#include "kdyn/laws/law_list.hpp"

namespace kdyn::inline laws {

inline constexpr int most_axes = 6;
inline constexpr double image_format = 3.0;

class MountUnit {
 public:
  MountUnit() = default;
  MountUnit(const MountUnit& other) { *this = other; }
  MountUnit& operator=(const MountUnit& other) {
    if (this == &other) return *this;
    axes_ = other.axes_;
    coupling_ = other.coupling_;
    place_ = other.place_;
    for (int a = 0; a < most_axes; ++a) scale_[a] = other.scale_[a];
    for (int a = 0; a < most_axes; ++a) axis_[a].reset(other.axis_[a] ? other.axis_[a]->copy() : nullptr);
    return *this;
  }
  // Takes over everything that changes while it works from a unit of the same image, without asking for memory.
  void take(const MountUnit& same) {
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) axis_[a]->assign(*same.axis_[a]);
  }
  MountUnit(MountUnit&&) = default;
  MountUnit& operator=(MountUnit&&) = default;

  // False when the numbers are no image of a unit whose laws this program knows.
  bool read_image(const double* image, std::size_t size) {
    if (size < 3 || image[0] != image_format || (image[1] != 1.0 && image[1] != most_axes)) return false;
    if (!(image[2] == 0.0 || image[2] == 1.0 || image[2] == 2.0)) return false;
    axes_ = static_cast<int>(image[1]);
    coupling_ = static_cast<Coupling>(static_cast<int>(image[2]));
    std::size_t next = 3;
    if (axes_ == most_axes) {
      if (size - next < 6) return false;
      for (std::size_t i = next; i < next + 6; ++i)
        if (!(std::abs(image[i]) <= 1e6)) return false;
      place_ = BushingPlace(image + next, image + next + 3);
      next += 6;
    }
    for (int a = 0; a < axes_; ++a) {
      axis_[a].reset();
      if (size - next < 3) return false;
      const double code = image[next], count = image[next + 2];
      scale_[a] = image[next + 1];
      next += 3;
      if (!(scale_[a] > 0.0 && scale_[a] <= 1e9)) return false;
      if (!(count >= 0.0 && count <= static_cast<double>(size - next))) return false;
      const auto numbers = static_cast<std::size_t>(count);
      if (code != 0.0) {
        axis_[a].reset(make_instance(code, image + next, numbers));
        if (!axis_[a]) return false;
      }
      next += numbers;
    }
    return next == size;
  }

  int axes() const { return axes_; }
  Coupling coupling() const { return coupling_; }
  bool placed() const { return place_.given(); }                   // every force depends on all axes then
  const LawInstance* axis(int a) const { return axis_[a].get(); }  // null: no law

  // Every axis with a law, in order: f(axis number, instance).
  template <class F>
  void for_each(F&& f) const {
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) f(a, static_cast<const LawInstance&>(*axis_[a]));
  }

  int states() const { return sum(&LawInstance::states); }
  int parameters() const { return sum(&LawInstance::parameters); }
  int signals() const { return sum(&LawInstance::signals); }
  int inputs() const { return sum(&LawInstance::inputs); }
  int turnings() const { return sum(&LawInstance::turnings); }

  // Where entry i of a list that counts over all axes belongs.
  struct Place {
    int axis = -1, index = 0;
  };
  Place place_of(int i, int (LawInstance::*count)() const) const {
    for (int a = 0; a < axes_; ++a) {
      const int n = axis_[a] ? ((*axis_[a]).*count)() : 0;
      if (i < n) return {a, i};
      i -= n;
    }
    return {};
  }

  double parameter(int i) const {
    const Place p = place_of(i, &LawInstance::parameters);
    return axis_[p.axis]->parameter(p.index);
  }
  void set_parameter(int i, double value) {
    const Place p = place_of(i, &LawInstance::parameters);
    axis_[p.axis]->set_parameter(p.index, value);
  }
  void retune() {
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) axis_[a]->retune();
  }
  void set_input(int i, double value) {
    const Place p = place_of(i, &LawInstance::inputs);
    axis_[p.axis]->set_input(p.index, value);
  }

  void start(const double* u, const double* v) {
    const Own at(*this, u, v);
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) axis_[a]->start(at.u[a], at.v[a]);
  }
  void get_states(double* x) const {
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) axis_[a]->get_states(x), x += axis_[a]->states();
  }
  void set_states(const double* x) {
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) axis_[a]->set_states(x), x += axis_[a]->states();
  }

  void advance(const double* u, const double* v, double h, double* force) {
    const Own at(*this, u, v);
    double own[most_axes];
    for (int a = 0; a < axes_; ++a) own[a] = axis_[a] ? axis_[a]->advance(at.u[a], at.v[a], h) : 0.0;
    give(at.u, own, force);
  }
  void force(const double* u, const double* v, double* force) const {
    const Own at(*this, u, v);
    double own[most_axes];
    for (int a = 0; a < axes_; ++a) own[a] = axis_[a] ? axis_[a]->force(at.u[a], at.v[a]) : 0.0;
    give(at.u, own, force);
  }
  void evaluate(const double* u, const double* v, const double* x, double* force, double* rate) const {
    const Own at(*this, u, v);
    double own[most_axes];
    for (int a = 0; a < axes_; ++a) {
      own[a] = axis_[a] ? axis_[a]->evaluate(at.u[a], at.v[a], x, rate) : 0.0;
      const int n = axis_[a] ? axis_[a]->states() : 0;
      x += n, rate += n;
    }
    give(at.u, own, force);
  }
  void accept(const double* u, const double* v, const double* x, double h) {
    const Own at(*this, u, v);
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) axis_[a]->accept(at.u[a], at.v[a], x, h), x += axis_[a]->states();
  }
  void inside(const double* u, const double* v, const double* x, double* signals) const {
    const Own at(*this, u, v);
    for (int a = 0; a < axes_; ++a)
      if (axis_[a])
        axis_[a]->inside(at.u[a], at.v[a], x, signals), x += axis_[a]->states(), signals += axis_[a]->signals();
  }
  void turning_values(const double* u, const double* v, const double* x, double* values) const {
    const Own at(*this, u, v);
    for (int a = 0; a < axes_; ++a)
      if (axis_[a])
        axis_[a]->turning_values(at.u[a], at.v[a], x, values), x += axis_[a]->states(), values += axis_[a]->turnings();
  }

  // Along a direction in all lists; every pointer of `along` and `out` must be given, with entries for all axes.
  struct Direction {
    const double *u, *v, *x, *input, *parameter;
  };
  struct Response {
    double *force, *rate, *signals, *turning;
  };
  void derivative(const double* u, const double* v, const double* x, const Direction& along, bool starts,
                  const Response& out) const {
    const Own at(*this, u, v), way(*this, along.u, along.v);
    const double* parameter[most_axes] = {};
    double force[most_axes] = {};
    int state = 0, input = 0, number = 0, signal = 0, turn = 0;
    for (int a = 0; a < axes_; ++a) {
      if (!axis_[a]) continue;
      const LawInstance& law = *axis_[a];
      parameter[a] = along.parameter + number;
      LawInstance::Response response{0.0, out.rate + state, out.signals + signal, out.turning + turn};
      law.derivative(at.u[a], at.v[a], x + state,
                     {way.u[a], way.v[a], along.x + state, along.input + input, parameter[a]}, starts, response);
      force[a] = scale_[a] * response.force;
      state += law.states(), input += law.inputs(), number += law.parameters(), signal += law.signals(),
          turn += law.turnings();
    }
    if (coupling_ != Coupling::none) {
      Jet<1> from[3];
      for (int i = 0; i < 3; ++i) from[i] = Jet<1>(at.u[i]), from[i].v[0] = way.u[i];
      const auto added = coupling_force(coupling_, from, [&](std::size_t i, const Jet<1>& w) {
        return axis_[i] ? scale_[i] * axis_[i]->static_force(w, parameter[i]) : Jet<1>(0.0);
      });
      for (std::size_t i = 0; i < coupled_axes(coupling_); ++i)
        if (axis_[i]) force[i] += added[i].v[0];
    }
    back(force, out.force);
  }

  // Everything that changes while it works. `load` leaves the unit as it was when the numbers are not a state of this
  // unit.
  void save(std::vector<double>& out) const {
    for (int a = 0; a < axes_; ++a) {
      if (!axis_[a]) continue;
      const std::size_t head = out.size();
      out.push_back(0.0);
      axis_[a]->save(out);
      out[head] = static_cast<double>(out.size() - head - 1);
    }
  }
  bool load(const double* in, std::size_t size) {
    MountUnit changed(*this);
    std::size_t next = 0;
    for (int a = 0; a < axes_; ++a) {
      if (!axis_[a]) continue;
      if (next == size || !(in[next] >= 0.0 && in[next] <= static_cast<double>(size - next - 1))) return false;
      const auto numbers = static_cast<std::size_t>(in[next++]);
      if (!changed.axis_[a]->load(in + next, numbers)) return false;
      next += numbers;
    }
    if (next != size) return false;
    *this = static_cast<MountUnit&&>(changed);
    return true;
  }

 private:
  int sum(int (LawInstance::*count)() const) const {
    int total = 0;
    for (int a = 0; a < axes_; ++a)
      if (axis_[a]) total += ((*axis_[a]).*count)();
    return total;
  }
  // Motion in the bushing's own axes: a copy where it has a place, else what was given.
  struct Own {
    Own(const MountUnit& unit, const double* given_u, const double* given_v) : u(given_u), v(given_v) {
      if (!unit.place_.given()) return;
      unit.place_.motion_inside(given_u, room), unit.place_.motion_inside(given_v, room + most_axes);
      u = room, v = room + most_axes;
    }
    Own(const Own&) = delete;
    Own& operator=(const Own&) = delete;
    const double *u, *v;
    double room[2 * most_axes];
  };
  // Forces of the laws, scaled and coupled, in the axes outside.
  void give(const double* u, double* own, double* force) const {
    for (int a = 0; a < axes_; ++a) own[a] *= scale_[a];
    if (coupling_ != Coupling::none) {
      const auto added = coupling_force(coupling_, u, [&](std::size_t i, double w) {
        return axis_[i] ? scale_[i] * axis_[i]->static_force(w) : 0.0;
      });
      for (std::size_t i = 0; i < coupled_axes(coupling_); ++i)
        if (axis_[i]) own[i] += added[i];
    }
    back(own, force);
  }
  void back(const double* own, double* force) const {
    if (place_.given()) return place_.force_outside(own, force);
    for (int a = 0; a < axes_; ++a) force[a] = own[a];
  }

  int axes_ = 0;
  Coupling coupling_ = Coupling::none;
  BushingPlace place_;
  double scale_[most_axes] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  std::unique_ptr<LawInstance> axis_[most_axes];
};

}  // namespace kdyn::inline laws
