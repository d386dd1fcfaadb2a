// SPDX-License-Identifier: Apache-2.0
// Controllers inside the step: their states are condensed, so that outputs are functions of inputs, and inputs that
// read outputs are found together by Newton.
//
//   [mbs E90]  x' = A x + B u, y = limit(C x + D u), u = U(t, motion, y)
//   [mbs E91]  in a step c x + offset = A x + B u:  y = limit((C R B + D) u - C R offset), R = (c I - A)^-1
//   [mbs E92]  dy = Y_u S U_m dm,  S = (I - U_y Y_u)^-1
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

// Stands here, not with the reading of files: the FMU of a system holds no reader.
void check_controller(const Controller& c, const std::string& where) {
  const auto n = c.A.rows(), m = static_cast<Eigen::Index>(c.output_names.size()), inputs = c.B.cols();
  if (c.A.cols() != n || c.B.rows() != n || c.C.rows() != m || c.C.cols() != n || c.D.rows() != m ||
      c.D.cols() != inputs || c.lower.size() != m || c.upper.size() != m || m == 0 || inputs == 0 ||
      c.input_names.size() != static_cast<std::size_t>(inputs) ||
      (c.start == ControllerStart::given && c.initial.size() != n))
    throw_bad_input(where, "the sizes of its matrices do not belong together",
                    "A has as many rows and columns as there are states, B a column for each input, C a row for each "
                    "output, D both");
  if (!c.A.allFinite() || !c.B.allFinite() || !c.C.allFinite() || !c.D.allFinite() || !std::isfinite(c.sample_s) ||
      c.sample_s < 0.0)
    throw_bad_input(where, "its matrices are no finite numbers", "are its coefficients of very different size?");
}

void System::find_controllers() {
  for (std::size_t k = 0; k < model_.controllers.size(); ++k) {
    const Controller& c = model_.controllers[k];
    ControlPlace place;
    place.u = n_u_, place.y = n_y_;
    n_u_ += static_cast<int>(c.inputs.size());
    n_y_ += c.outputs();
    if (c.sampled())
      place.x = n_held_, n_held_ += c.states();
    else
      place.x = n_c_, n_c_ += c.states();
    // [mbs E93] at rest: 0 = A x + B u, or x = A x + B u of a sampled one
    const MatrixX rest = c.sampled() ? MatrixX(MatrixX::Identity(c.states(), c.states()) - c.A) : MatrixX(-c.A);
    if (c.states() > 0) {
      Eigen::CompleteOrthogonalDecomposition<MatrixX> solver;
      solver.setThreshold(1e-13);
      solver.compute(rest);
      place.rest = solver.solve(c.B);
      place.left = c.B - rest * place.rest;
      if (place.left.cwiseAbs().maxCoeff() < 1e-9 * c.B.cwiseAbs().maxCoeff()) place.left.setZero();
    } else {
      place.rest = place.left = MatrixX::Zero(0, static_cast<Eigen::Index>(c.inputs.size()));
    }
    for (const StateFormula& input : c.inputs)
      for (const StateVariable& y : input.inputs)
        controllers_read_outputs_ = controllers_read_outputs_ || y.kind == StateVariableKind::controller;
    control_at_.push_back(place);
  }
  // Behind the states of the sampled ones their outputs.
  for (std::size_t k = 0; k < model_.controllers.size(); ++k)
    if (model_.controllers[k].sampled()) {
      control_at_[k].held = n_held_;
      n_held_ += model_.controllers[k].outputs();
      // Of a unit their slopes, the instant of its last step, and its inputs there.
      if (model_.controllers[k].unit)
        n_held_ += model_.controllers[k].outputs() + 1 + static_cast<int>(model_.controllers[k].inputs.size());
    }
  control_w_ = n_w_;
  n_w_ += n_c_;
}

void System::begin_controllers(const LawState& from, const StateScheme& scheme, Evaluation& e) const {
  ControlPoint& p = e.control;
  p.given = scheme.c == 0.0 ? ControlPoint::Given::states : ControlPoint::Given::step;
  p.due.assign(model_.controllers.size(), 0);
  p.held = from.held;
  if (p.given == ControlPoint::Given::states) return;
  p.c = scheme.c;
  p.offset = scheme.offset.segment(control_w_, n_c_);
  p.from = from.w.segment(control_w_, n_c_);
}

void System::start_controllers(bool rests, Evaluation& e) const {
  e.control.given = ControlPoint::Given::start;
  e.control.rests = rests;
  e.control.due.assign(model_.controllers.size(), 0);
  if (e.control.held.size() != n_held_) e.control.held.setZero(n_held_);
}

namespace {

// y = limit(constant + gain u) of one controller.
struct Answer {
  VectorX constant;
  MatrixX gain;
};

bool begins_at_rest(const Controller& c, const ControlPoint& p) {
  return c.start == ControllerStart::steady || (c.start == ControllerStart::automatic && p.rests);
}

}  // namespace

void System::solve_controllers(double t, Evaluation& e) const {
  ControlPoint& p = e.control;
  const std::size_t count = model_.controllers.size();
  std::vector<Answer> answers(count);
  if (p.given == ControlPoint::Given::step && (p.factored_c != p.c || p.R.size() != count)) {
    p.R.resize(count);
    for (std::size_t k = 0; k < count; ++k)
      if (const Controller& c = model_.controllers[k]; !c.sampled() && c.states() > 0)
        p.R[k] = (p.c * MatrixX::Identity(c.states(), c.states()) - c.A).partialPivLu().inverse();
    p.factored_c = p.c;
  }
  if (p.due.size() != count) p.due.assign(count, 0);
  p.limited.assign(at(n_y_), 0);
  p.u.setZero(n_u_), p.y.setZero(n_y_);
  p.y_u.setZero(n_y_, n_u_), p.u_y.setZero(n_u_, n_y_);
  for (std::size_t k = 0; k < count; ++k) {
    const Controller& c = model_.controllers[k];
    const ControlPlace& place = control_at_[k];
    const int n = c.states(), m = c.outputs();
    Answer& a = answers[k];
    a.gain = c.D;
    if (c.unit) {
      a.constant = p.held.segment(place.held, m) + (t - p.held[place.held + 2 * m]) * p.held.segment(place.held + m, m);
    } else if (p.given == ControlPoint::Given::start) {
      if (begins_at_rest(c, p))
        a.constant = VectorX::Zero(m), a.gain += c.C * place.rest;
      else
        a.constant = c.start == ControllerStart::given ? VectorX(c.C * c.initial) : VectorX(VectorX::Zero(m));
    } else if (c.sampled() && p.due[k] == 0) {
      a.constant = p.held.segment(place.held, m);
      a.gain.setZero();
    } else if (c.sampled()) {
      a.constant = c.C * p.held.segment(place.x, n);
    } else if (p.given == ControlPoint::Given::states) {
      a.constant = c.C * e.w.segment(control_w_ + place.x, n);
    } else if (n > 0) {
      const MatrixX CR = c.C * p.R[k];
      a.constant = -CR * p.offset.segment(place.x, n);
      a.gain += CR * c.B;
    } else {
      a.constant = VectorX::Zero(m);
    }
  }
  const auto put_out = [&] {
    for (std::size_t k = 0; k < count; ++k) {
      const Controller& c = model_.controllers[k];
      const ControlPlace& place = control_at_[k];
      const auto n = static_cast<Eigen::Index>(c.inputs.size());
      const VectorX plain = answers[k].constant + answers[k].gain * p.u.segment(place.u, n);
      const bool holds = c.sampled() && !c.unit && p.due[k] == 0 && p.given != ControlPoint::Given::start;
      for (int i = 0; i < c.outputs(); ++i) {
        const bool out = !holds && (plain[i] < c.lower[i] || plain[i] > c.upper[i]);
        p.limited[at(place.y + i)] = out ? 1 : 0;
        p.y[place.y + i] = out ? std::clamp(plain[i], c.lower[i], c.upper[i]) : plain[i];
        if (out)
          p.y_u.row(place.y + i).segment(place.u, n).setZero();
        else
          p.y_u.row(place.y + i).segment(place.u, n) = answers[k].gain.row(i);
      }
    }
  };
  p.slopes.resize(at(n_u_));
  std::vector<double> values;
  const auto take_in = [&](VectorX& u) {
    u.resize(n_u_);
    std::size_t at_u = 0;
    for (const Controller& c : model_.controllers)
      for (const StateFormula& input : c.inputs) {
        values.clear();
        for (const StateVariable& y : input.inputs) values.push_back(formula_input(y, e));
        p.slopes[at_u].resize(values.size());
        u[static_cast<Eigen::Index>(at_u)] =
            input.formula->value(t, values.data(), values.size(), p.slopes[at_u].data());
        for (std::size_t i = 0; i < input.inputs.size(); ++i)
          if (const StateVariable& y = input.inputs[i]; y.kind == StateVariableKind::controller)
            p.u_y(static_cast<Eigen::Index>(at_u), control_at_[at(y.index)].y + y.component) += p.slopes[at_u][i];
        ++at_u;
      }
  };
  p.solved = true;
  const MatrixX one = MatrixX::Identity(n_u_, n_u_);
  if (!controllers_read_outputs_) {
    take_in(p.u);
    put_out();
    p.solve_u = one;
  } else {
    // From the outputs of held states and those at the beginning of the step: the iterates of a step depend on what it
    // began with alone, so that a run that is restored takes the same ones.
    for (std::size_t k = 0; k < count; ++k) {
      const Controller& c = model_.controllers[k];
      VectorX begin = answers[k].constant;
      if (!c.sampled() && p.given == ControlPoint::Given::step)
        begin = c.C * p.from.segment(control_at_[k].x, c.states());
      p.y.segment(control_at_[k].y, c.outputs()) = begin.cwiseMax(c.lower).cwiseMin(c.upper);
    }
    take_in(p.u);
    VectorX U;
    double last = std::numeric_limits<double>::infinity();
    p.solved = false;
    for (int i = 0; i < 50; ++i) {
      put_out();
      p.u_y.setZero();
      take_in(U);
      const Eigen::PartialPivLU<MatrixX> lu(one - p.u_y * p.y_u);
      const double size = std::max(p.u.cwiseAbs().maxCoeff(), U.cwiseAbs().maxCoeff()),
                   off = (U - p.u).cwiseAbs().maxCoeff();
      if (!std::isfinite(off) || !(lu.rcond() > 1e-14)) break;
      if (off <= 1e-15 * size || (off <= 1e-11 * size && off >= 0.3 * last)) {
        p.solved = true;
        p.solve_u = lu.inverse();
        break;
      }
      p.u += lu.solve(U - p.u);
      last = off;
    }
    if (!p.solved) {
      p.y.setConstant(std::numeric_limits<double>::quiet_NaN());
      p.solve_u = one;
    }
  }
  p.follow = p.y_u * p.solve_u;

  p.w.setZero(n_c_);
  p.x.setZero(n_held_);
  for (std::size_t k = 0; k < count; ++k) {
    const Controller& c = model_.controllers[k];
    const ControlPlace& place = control_at_[k];
    const int n = c.states();
    if (n == 0) continue;
    const VectorX driven = c.B * p.u.segment(place.u, c.B.cols());
    if (p.given == ControlPoint::Given::start) {
      auto x = c.sampled() ? p.x.segment(place.x, n) : p.w.segment(place.x, n);
      if (begins_at_rest(c, p))
        x = place.rest * p.u.segment(place.u, c.B.cols());
      else if (c.start == ControllerStart::given)
        x = c.initial;
    } else if (!c.sampled()) {
      auto w = e.w.segment(control_w_ + place.x, n);
      auto wd = e.wd.segment(control_w_ + place.x, n);
      if (p.given == ControlPoint::Given::step) {
        w = p.R[k] * (driven - p.offset.segment(place.x, n));
        wd = p.c * w + p.offset.segment(place.x, n);
      } else {
        wd = c.A * w + driven;
      }
      p.w.segment(place.x, n) = w;
    }
  }
}

std::string System::unsteady_controller(const ControlPoint& p, double* input) const {
  for (std::size_t k = 0; k < model_.controllers.size(); ++k) {
    const Controller& c = model_.controllers[k];
    const ControlPlace& place = control_at_[k];
    if (!begins_at_rest(c, p) || c.states() == 0 || place.left.isZero(0.0)) continue;
    const VectorX u = p.u.segment(place.u, c.B.cols());
    constexpr double none = 1e-9;  // of an input in SI units: what an equilibrium leaves
    if ((place.left * u).cwiseAbs().maxCoeff() <= none * c.B.cwiseAbs().maxCoeff()) continue;
    if (input != nullptr) *input = u.cwiseAbs().maxCoeff();
    return c.name;
  }
  return {};
}

void System::begin_held(const ControlPoint& p, LawState& laws) const {
  laws.w.segment(control_w_, n_c_) = p.w;
  laws.held = p.held;
  for (std::size_t k = 0; k < model_.controllers.size(); ++k)
    if (model_.controllers[k].sampled() && !model_.controllers[k].unit) sample(k, p, p.x, laws.held);
}

void System::sample(std::size_t k, const ControlPoint& p, const VectorX& states, VectorX& held) const {
  const Controller& c = model_.controllers[k];
  const ControlPlace& place = control_at_[k];
  const VectorX x = states.segment(place.x, c.states());
  held.segment(place.x, c.states()) = c.A * x + c.B * p.u.segment(place.u, c.B.cols());
  held.segment(place.held, c.outputs()) = p.y.segment(place.y, c.outputs());
}

ControlSlopes System::control_slopes(const VectorX& q, const Evaluation& e) const {
  const ControlPoint& p = e.control;
  ControlSlopes out;
  const MatrixX none_q = MatrixX::Zero(n_u_, n_t_);
  MatrixX in_q = none_q, in_v = MatrixX::Zero(n_u_, n_t_);
  std::size_t at_u = 0;
  for (const Controller& c : model_.controllers)
    for (const StateFormula& input : c.inputs) {
      VectorX full = VectorX::Zero(n_q_), tangent = VectorX::Zero(n_t_), by_v = VectorX::Zero(n_q_), reduced;
      add_formula_slopes(input, p.slopes[at_u], 1.0, q, e, full, tangent, by_v);
      project(q, full, reduced);
      in_q.row(static_cast<Eigen::Index>(at_u)) = (tangent + reduced).transpose();
      project(q, by_v, reduced);
      in_v.row(static_cast<Eigen::Index>(at_u)) = reduced.transpose();
      ++at_u;
    }
  // The blocks with states given: y = C x + D u where no limit holds.
  MatrixX A = MatrixX::Zero(n_c_, n_c_), B = MatrixX::Zero(n_c_, n_u_), C = MatrixX::Zero(n_y_, n_c_);
  for (std::size_t k = 0; k < model_.controllers.size(); ++k) {
    const Controller& c = model_.controllers[k];
    const ControlPlace& place = control_at_[k];
    if (c.sampled()) continue;
    const int n = c.states();
    A.block(place.x, place.x, n, n) = c.A;
    B.block(place.x, place.u, n, c.B.cols()) = c.B;
    for (int i = 0; i < c.outputs(); ++i)
      if (p.limited[at(place.y + i)] == 0) C.row(place.y + i).segment(place.x, n) = c.C.row(i);
  }
  // du = S (U_m dm + U_y C dx),  dy = C dx + Y_u du
  const MatrixX by_x = p.solve_u * p.u_y * C;
  out.rate_q = B * p.solve_u * in_q, out.rate_v = B * p.solve_u * in_v, out.rate_w = A + B * by_x;
  out.y_q = p.follow * in_q, out.y_v = p.follow * in_v, out.y_w = C + p.y_u * by_x;
  return out;
}

void System::demand_controllers_at_rest(const Evaluation& e) const {
  for (std::size_t k = 0; k < model_.controllers.size(); ++k) {
    const Controller& c = model_.controllers[k];
    const ControlPlace& place = control_at_[k];
    const std::string where = "controller " + c.name;
    if (c.sampled())
      throw_bad_input(where, "it is sampled: a linear model in continuous time does not hold it",
                      "give the continuous controller that it stands for, without sample_s");
    if (c.states() == 0) continue;
    const VectorX x = e.w.segment(control_w_ + place.x, c.states()), u = e.control.u.segment(place.u, c.B.cols()),
                  rate = c.A * x + c.B * u, size = c.A.cwiseAbs() * x.cwiseAbs() + c.B.cwiseAbs() * u.cwiseAbs();
    constexpr double none = 1e-9;
    for (int i = 0; i < c.states(); ++i)
      if (std::abs(rate[i]) > none * (size[i] + c.B.cwiseAbs().maxCoeff()))
        throw_bad_input(
            where,
            fmt::format("its state {} moves by {:.3g} 1/s: a linear model is made about rest only", i + 1, rate[i]),
            R"(write "initial": "steady", or an input that is zero at rest)");
  }
}

}  // namespace kdyn::mbs
