// SPDX-License-Identifier: Apache-2.0
#include "kdyn/base/random.hpp"

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"

namespace kdyn::inline base {
namespace {

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15ULL;

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t task)
    : state_(mix(mix(seed + golden) ^ mix(task * golden + 1))) {}

std::uint64_t RandomStream::next() { return mix(state_ += golden); }

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double RandomStream::uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }

double RandomStream::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

std::uint64_t RandomStream::below(std::uint64_t count) {
  demand(count > 0, "there is something to choose from");
  return static_cast<std::uint64_t>(uniform() * static_cast<double>(count));
}

}  // namespace kdyn::inline base
