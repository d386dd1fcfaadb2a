// SPDX-License-Identifier: Apache-2.0
// A controller that is a program of somebody else and steps by itself: what a run asks of it (internal/co_simulation.hpp
// is one, for FMUs).
#pragma once

#include <string>
#include <vector>

#include "kdyn/mbs/relative.hpp"

namespace kdyn::mbs {

class ControlUnit {
 public:
  virtual ~ControlUnit() = default;
  // Begins anew at time 0 with these inputs and gives its outputs.
  virtual VectorX begin(const VectorX& u) = 0;
  // Goes from t to t + h, where inputs go from u0 to u1, and gives its outputs there.
  virtual VectorX advance(double t, double h, const VectorX& u0, const VectorX& u1) = 0;
  // Outputs go on along their last change until the next step, instead of being held.
  virtual bool goes_on() const = 0;
  // Where it stands, as numbers; empty when it cannot tell.
  virtual std::vector<double> image() = 0;
  virtual bool set_image(const std::vector<double>& image) = 0;
  // What it warned of first; empty: nothing.
  virtual std::string warning() const = 0;
  // A unit runs for one run at a time: the number of times it has begun.
  virtual long begun() const = 0;
};

}  // namespace kdyn::mbs
