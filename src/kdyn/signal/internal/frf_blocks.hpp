// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a record lie, and which of them are fit for averaging.
#pragma once

#include <span>
#include <vector>

#include "kdyn/signal/frf.hpp"

namespace kdyn::inline signal::internal {

struct Blocks {
  std::size_t length = 0;          // samples
  std::size_t pre_trigger = 0;     // samples before the hit, part of the length
  std::size_t force_hold = 0;      // samples from the block's start until the pulse is over
  std::vector<std::size_t> start;  // first sample of each block
  std::vector<int> segment;        // step of the multisine, else 0
  std::vector<BlockInfo> info;
};

// `force`: the first input signal of the record.
Blocks hammer_blocks(std::span<const double> force, double rate, const FrfOptions& options, const std::string& where);
Blocks running_blocks(std::size_t samples, double rate, const FrfOptions& options, const std::string& where);

}  // namespace kdyn::inline signal::internal
