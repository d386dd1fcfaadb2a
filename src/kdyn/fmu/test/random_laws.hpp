// SPDX-License-Identifier: Apache-2.0
// Random laws of every kind, and long random paths.
#pragma once

#include <cmath>
#include <memory>
#include <numbers>
#include <optional>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/fmu/test/sample_models.hpp"
#include "kdyn/laws/model_file.hpp"

namespace kdyn::test {

// Every number of a model by a factor between 1/2 and 2; nothing when the law refuses one of them.
inline void vary(Json& part, RandomStream& random) {
  for (auto& [key, value] : part.items()) {
    if (value.is_number_float()) value = value.get<double>() * std::exp2(random.uniform(-1.0, 1.0));
    if (value.is_object()) vary(value, random);
    if (value.is_array() && !value.empty() && value[0].is_number())
      for (Json& entry : value) entry = entry.get<double>() * std::exp2(random.uniform(-1.0, 1.0));
  }
}

inline std::optional<std::unique_ptr<Mount>> random_mount(const Json& kind, RandomStream& random, Json& model) {
  model = kind;
  vary(model, random);
  try {
    return mount_from_json(model, "random");
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Tones with a common envelope: none, or one that decays by 1 % a cycle and grows back.
struct RandomPath {
  double amplitude[3], omega[3], phase[3], decay, turn;
  RandomPath(RandomStream& random, bool nested, double length) {
    for (int i = 0; i < 3; ++i) {
      amplitude[i] = (i == 0 ? 1.5e-3 : nested ? 0.0 : 5e-4) * random.uniform(0.2, 1.0);
      omega[i] = 2.0 * std::numbers::pi * (nested ? 10.0 : std::exp(random.uniform(0.0, 4.0)));
      phase[i] = random.uniform(0.0, 6.28);
    }
    turn = 0.5 * length;
    decay = nested ? 0.1 : 0.0;
  }
  Motion<double> operator()(double t) const {
    const double slope = t < turn ? -decay : decay, envelope = std::exp(-decay * (turn - std::abs(turn - t)));
    Motion<double> at;
    for (int i = 0; i < 3; ++i) {
      const double a = amplitude[i] * envelope, s = std::sin(omega[i] * t + phase[i]),
                   c = std::cos(omega[i] * t + phase[i]);
      at.u += a * s;
      at.v += a * (omega[i] * c + slope * s);
    }
    return at;
  }
};

}  // namespace kdyn::test
