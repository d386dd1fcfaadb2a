// SPDX-License-Identifier: Apache-2.0
// One axis of a mount at work, whatever its law: states, memory and motion, with exact derivatives. What an FMU and a C
// program drive. InstanceOf<Law> (laws/instance_of.hpp) makes one from any law; no formula lives here.
//
// Like everything that goes into exported models this header is plain C++17 without exceptions, strings or libraries.
// Memory changes in `start`, `advance` and `accept` only; everything else looks without a trace.
#pragma once

#include <cstddef>
#include <vector>

#include "kdyn/element/parameter.hpp"
#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline laws {

class LawInstance {
 public:
  virtual ~LawInstance() = default;
  virtual LawInstance* copy() const = 0;              // with everything it remembers; the caller owns it
  virtual bool assign(const LawInstance& other) = 0;  // takes everything over; false when `other` has another law
  virtual const char* model() const = 0;
  virtual const char* title() const = 0;

  // What it consists of; the counts depend on the settings of the law, not on its state.
  virtual int states() const = 0;
  virtual int parameters() const = 0;
  virtual int signals() const = 0;
  virtual int inputs() const = 0;
  virtual int turnings() const = 0;  // functions that are zero where memory turns round: event indicators
  virtual SignalName state(int i) const = 0;
  virtual const char* parameter_name(int i) const = 0;
  virtual const ParameterInfo& parameter_info(int i) const = 0;  // unit, bounds, meaning
  virtual SignalName signal(int i) const = 0;
  virtual InputName input(int i) const = 0;
  virtual SignalName turning(int i) const = 0;

  // Parameters may be changed before the start, and afterwards when `retune` follows: what the law derives from them is
  // made anew, and what memory holds of them (stiffness at the operating point) follows.
  virtual double parameter(int i) const = 0;
  virtual void set_parameter(int i, double value) = 0;
  virtual void retune() = 0;

  // At rest at displacement u with the velocity v suddenly applied; states and inputs at their start values.
  virtual void start(double u, double v) = 0;
  virtual void set_input(int i, double value) = 0;
  virtual void get_states(double* x) const = 0;
  virtual void set_states(const double* x) = 0;
  virtual double static_force(double u) const = 0;

  // One accepted step of length h > 0 that ends at (u, v); states by the law's own method. Returns the force there.
  virtual double advance(double u, double v, double h) = 0;
  // The force at a motion for the present states, and force and rates for states of a solver outside.
  virtual double force(double u, double v) const = 0;
  virtual double evaluate(double u, double v, const double* x, double* rate) const = 0;
  // Accepts a step whose states were integrated outside; h = 0 is a jump at one instant.
  virtual void accept(double u, double v, const double* x, double h) = 0;
  virtual void inside(double u, double v, const double* x, double* signals) const = 0;
  virtual void turning_values(double u, double v, const double* x, double* values) const = 0;

  // Derivatives of force, rates, signals and turning functions along a direction; null pointers are zero directions, or
  // not wanted.
  struct Direction {
    double u = 0.0, v = 0.0;
    const double *x = nullptr, *input = nullptr, *parameter = nullptr;
  };
  struct Response {
    double force = 0.0;
    double *rate = nullptr, *signals = nullptr, *turning = nullptr;
  };
  // With `starts`, memory is that of a start at u, and follows u and the parameters.
  virtual void derivative(double u, double v, const double* x, const Direction& along, bool starts,
                          Response& out) const = 0;
  // Static force as a dual number: along a change of u and of the parameters.
  virtual Jet<1> static_force(const Jet<1>& u, const double* parameter_direction) const = 0;

  // Everything that changes while it works and its parameters, as numbers; `load` refuses what it did not write.
  virtual void save(std::vector<double>& out) const = 0;
  virtual bool load(const double* in, std::size_t size) = 0;
};

}  // namespace kdyn::inline laws
