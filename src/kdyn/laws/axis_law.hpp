// SPDX-License-Identifier: Apache-2.0
// A mount law inside an implicit time integration: force and state rates at the end of a step with their exact
// derivatives. AxisLawOf<Law> (laws/axis_law_of.hpp) makes one from any Element; no formula of a law lives here.
//
//   [mbs E20]  m1 = commit(m0; from, w_from, to, w_to, h),   (f, wdot) = evaluate(to, w_to, m1)
//
// The memory of the step's end is formed inside every evaluation, so that turning points are located inside the Newton
// iteration; what was accepted before stays untouched, because memory is an immutable value. With h = 0 (start) nothing
// is committed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/curve.hpp"
#include "kdyn/base/field.hpp"
#include "kdyn/element/motion.hpp"
#include "kdyn/element/parameter.hpp"

namespace kdyn::inline laws {

class AxisLaw {
 public:
  using Memory = std::shared_ptr<const void>;  // null for a law without memory

  // One step of one axis as seen by the law.
  struct Step {
    const Memory* memory = nullptr;  // at the beginning
    Motion<double> from, to;
    const double* w_from = nullptr;
    const double* w_to = nullptr;
    double h = 0.0;
  };
  struct Force {
    double f = 0.0;
    std::vector<double> rate;
  };
  // By what stands at the end of the step, through the memory formed there.
  struct Tangent {
    double f = 0.0, f_u = 0.0, f_v = 0.0;
    std::vector<double> f_w, rate, rate_u, rate_v, rate_w;  // rate_w row by row
  };
  // A number for every input of a step: gradients (pull_back) or directions (push_forward).
  struct Inputs {
    Motion<double> from{0.0, 0.0}, to{0.0, 0.0};
    std::vector<double> w_from, w_to, memory, parameters;
  };
  struct Outputs {
    double f = 0.0;
    std::vector<double> rate, memory;  // memory of the end
  };

  virtual ~AxisLaw() = default;
  virtual std::unique_ptr<AxisLaw> clone() const = 0;
  virtual std::string model() const = 0;
  virtual void to_json(Json& out) const = 0;

  virtual int state_count() const = 0;
  virtual bool has_memory() const = 0;
  virtual const std::vector<std::string>& parameter_names() const = 0;
  virtual double parameter(std::size_t index) const = 0;
  virtual void set_parameter(std::size_t index, double value) = 0;
  virtual const ParameterInfo* parameter_info(std::size_t) const { return nullptr; }  // null: nothing is known about it

  // What acts on the law from outside beside motion, such as a switch. It is part of the memory: a changed one goes
  // into the next step.
  virtual int input_count() const { return 0; }
  virtual InputName input(int) const { return {}; }
  virtual Memory with_input(const Memory& memory, int, double) const { return memory; }
  // The table over time since the start by which the law switches itself; empty when it does not. Steps should end at
  // its corners.
  virtual const Curve& own_signal() const;

  // At rest: memory at u, force and its slope, energy held there (nothing when the law does not know it).
  virtual Memory start(double u) const = 0;
  virtual double static_force(double u, double* slope = nullptr) const = 0;
  virtual std::optional<double> stored_energy(double u, const double* w, const Memory& memory) const = 0;

  virtual double force(const Step& step, double* rate) const = 0;
  virtual Memory commit(const Step& step) const = 0;
  virtual void tangent(const Step& step, Tangent& out) const = 0;

  // Gradient of f_bar f + rate_bar . rate + memory_bar . memory, added to `gradient`; parameters in the order of
  // `wanted`.
  virtual void pull_back(const Step& step, const Outputs& bar, const std::vector<int>& wanted,
                         Inputs& gradient) const = 0;
  // Derivative of the outputs along a direction.
  virtual void push_forward(const Step& step, const Inputs& direction, const std::vector<int>& wanted,
                            Outputs& out) const = 0;
  // The same for the start of a run at u: memory = start(u), force and rates by evaluate at (u, v) with states zero.
  virtual void pull_back_start(const Motion<double>& at, const Outputs& bar, const std::vector<int>& wanted,
                               Inputs& gradient) const = 0;
  virtual void push_forward_start(const Motion<double>& at, const Inputs& direction, const std::vector<int>& wanted,
                                  Outputs& out) const = 0;
  // d static_force(u) / d parameter
  virtual double static_force_by_parameter(double u, int index) const = 0;
  virtual std::size_t memory_size(const Memory& memory) const = 0;

  // All that a memory holds as plain numbers, added to `out`, and back; false when the numbers are no memory of this
  // law.
  virtual void memory_image(const Memory& memory, std::vector<double>& out) const { (void)memory, (void)out; }
  virtual bool memory_of_image(const std::vector<double>& image, Memory& memory) const {
    memory = nullptr;
    return image.empty() && !has_memory();
  }
};

// From the model file's object; every mount law of kdyn is known. Errors name `where`.
std::unique_ptr<AxisLaw> axis_law_from_json(const Json& in, const std::string& where);

}  // namespace kdyn::inline laws
