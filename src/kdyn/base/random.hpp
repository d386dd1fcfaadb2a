// SPDX-License-Identifier: Apache-2.0
// Seeded random streams: stream = f(seed, task). Results do not depend on thread or rank count, nor on the standard
// library.
#pragma once

#include <cstdint>

namespace kdyn::inline base {

// SplitMix64 (Steele, Lea, Flood 2014) started from a hash of seed and task: passes BigCrush, one multiply-xor chain
// per draw.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed, std::uint64_t task = 0);

  std::uint64_t next();                        // 64 uniform bits
  double uniform();                            // [0, 1), 53 bits
  double uniform(double lower, double upper);  // [lower, upper], the upper end only by rounding
  double normal();                             // mean 0, standard deviation 1 (Box-Muller)
  std::uint64_t below(std::uint64_t count);    // 0 .. count-1; count <= 2^53

 private:
  std::uint64_t state_;
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace kdyn::inline base
