// SPDX-License-Identifier: Apache-2.0
// What is wrong with a channel, in words: it is held against what the others say it should show.
//
// A measured channel m(t) fits factor * expected(t - delay); share is the part of m's power that this explains. A factor
// near a known ratio of units is a wrong unit, a negative one a wrong sign; a small share is a broken or exchanged cable.
#pragma once

#include <string>

#include "kdyn/data/finding.hpp"

namespace kdyn::inline signal {

struct ChannelMatch {
  double factor = 1.0, delay_s = 0.0;
  double share = 1.0;
};

struct ChannelLimits {
  double factor = 0.05;   // a factor this near to that of a unit is one
  double delay_s = 2e-4;  // shorter ones are not told
  double broken = 0.5;    // share below which a channel does not show the motion
};

// One serious finding: channel_broken, channel_unit, channel_sign, channel_delay or channel_gain.
Finding describe_fault(const std::string& channel, const std::string& unit, const ChannelMatch& match,
                       const ChannelLimits& limits = {});
Finding describe_swap(const std::string& one, const std::string& two);
// A sensor whose axes point elsewhere than it says; `how` in words.
Finding describe_turned(const std::string& sensor, const std::string& how, const std::string& remedy);

}  // namespace kdyn::inline signal
