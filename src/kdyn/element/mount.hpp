// SPDX-License-Identifier: Apache-2.0
// A mount law as a run-time object in double: what the rig, the command line and the exporters hold when the law is
// read from a file. MountOf<Law> (element/mount_of.hpp) makes one from any Element; no formula lives here.
#pragma once

#include <complex>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/element/motion.hpp"

namespace kdyn::inline element {

// Magnitude (N/m) and loss angle (rad) by both data reductions of a rig.
struct SteadyResponse {
  double k_dyn = 0.0, loss_angle = 0.0;            // first harmonic
  double k_dyn_loop = 0.0, loss_angle_loop = 0.0;  // force range and loop area
};

// A signal of a mount beside motion and force.
struct MountSignal {
  std::string name, unit, meaning;
};

// Such a signal over time or over a cycle.
struct MountRecord {
  MountSignal signal;
  std::vector<double> values;
};

class Mount {
 public:
  virtual ~Mount() = default;
  virtual std::unique_ptr<Mount> clone() const = 0;

  virtual std::string model() const = 0;      // "elastomer"
  virtual void to_json(Json& out) const = 0;  // the model file
  // The same mount at another temperature; throws when the model has no temperature table.
  virtual std::unique_ptr<Mount> at_temperature(double temperature_c) const = 0;
  virtual double static_force(double u) const = 0;
  virtual double static_displacement(double force) const = 0;

  // Time domain: states and memory at rest at from.u (a velocity there is a sudden start), then one accepted step after
  // the other. `peek` leaves everything as it was.
  virtual void start(const Motion<double>& from) = 0;
  virtual double advance(const Motion<double>& to, double h) = 0;
  virtual void change_velocity(double v) = 0;  // a jump of velocity at this instant, as at the corner of a triangle
  virtual double peek(const Motion<double>& at) const = 0;
  virtual std::optional<double> stored_energy() const = 0;  // nothing when the law does not know it

  // Signals inside, as values at the present motion, and input signals, which keep their value until they are set
  // again; both may be empty.
  virtual std::vector<MountSignal> outputs() const = 0;
  virtual std::vector<double> output_values() const = 0;
  virtual std::vector<MountSignal> inputs() const = 0;
  virtual void set_input(std::size_t index, double value) = 0;

  // Frequency domain about the static displacement u0.
  virtual std::complex<double> linear_stiffness(double frequency_hz, double u0) const = 0;
  virtual std::optional<SteadyResponse> closed_form(double frequency_hz, double amplitude, double u0) const = 0;
};

}  // namespace kdyn::inline element
