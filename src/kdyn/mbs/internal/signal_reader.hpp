// SPDX-License-Identifier: Apache-2.0
// Signals of loads and drives as model files give them: in place, or a column of a file; smoothed, integrated, with a
// factor, later, faster.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/data/signal.hpp"
#include "kdyn/mbs/time_signal.hpp"

namespace kdyn::mbs {

class SignalReader {
 public:
  SignalReader(std::string folder, std::vector<std::string>& files, std::vector<Finding>& findings)
      : folder_(std::move(folder)),
        files_(files),
        findings_(findings) {}

  // Of a force: a table is read by straight lines.
  TimeSignal load(const Json& in, const std::string& where) { return read(in, where, false); }
  // Of what moves a body: a table is a motion, read by a spline.
  TimeSignal drive(const Json& in, const std::string& where) { return read(in, where, true); }

 private:
  TimeSignal read(const Json& in, const std::string& where, bool moves);
  Curve column(const std::string& file, const std::string& name, const std::string& where);

  std::string folder_;
  std::vector<std::string>& files_;  // that were read
  std::vector<Finding>& findings_;
  std::map<std::string, SignalSet> tables_;  // by path
};

}  // namespace kdyn::mbs
