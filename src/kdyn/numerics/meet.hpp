// SPDX-License-Identifier: Apache-2.0
// A computed force beside a measured one whose zero is not known: load cells are tared, static loops start anywhere.
// Every static and transient misfit of kdyn is this one.
#pragma once

#include <cmath>
#include <vector>

namespace kdyn::inline numerics {

struct Met {
  double offset = 0.0;  // what was added to the model
  double rms = 0.0;     // of the difference that is left
};

// Shifts the model to the mean of the measurement, which has as many samples.
inline Met meet(std::vector<double>& model, const std::vector<double>& measured) {
  Met out;
  const auto n = static_cast<double>(model.size());
  for (std::size_t i = 0; i < model.size(); ++i) out.offset += (measured[i] - model[i]) / n;
  double square = 0.0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    model[i] += out.offset;
    square += (model[i] - measured[i]) * (model[i] - measured[i]) / n;
  }
  out.rms = std::sqrt(square);
  return out;
}

}  // namespace kdyn::inline numerics
