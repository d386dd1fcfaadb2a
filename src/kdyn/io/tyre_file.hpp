// SPDX-License-Identifier: Apache-2.0
// Property files of tyres (.tir, TeimOrbit text): sections of KEY = value, the names as the file has them.
//
// Lengths, forces, stiffness, damping, speeds and angles of the sections that are no coefficients are turned into SI by
// [UNITS]; coefficients are plain numbers. Comments begin with $ or, at the start of a line, with !. Tables of a section
// ({pen fz}) are kept for [DEFLECTION_LOAD_CURVE] only; other ones are named in a finding.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline io {

struct TyreFile {
  Source source;
  std::map<std::string, double> numbers;              // by key in capitals, SI
  std::map<std::string, std::string> words;           // what stands in quotes
  std::map<std::string, std::size_t> lines;           // where each key stands
  std::vector<std::pair<double, double>> load_curve;  // deflection m, load N; empty: not given
  std::vector<Finding> findings;

  double number(const std::string& key, double otherwise) const {
    const auto found = numbers.find(key);
    return found == numbers.end() ? otherwise : found->second;
  }
  std::string word(const std::string& key) const {
    const auto found = words.find(key);
    return found == words.end() ? std::string() : found->second;
  }
  std::string place(const std::string& key) const;  // "file:12"
};

bool looks_like_tyre_file(std::string_view content);
TyreFile parse_tyre_file(std::string_view content, const std::string& name);
TyreFile read_tyre_file(const std::string& path);

}  // namespace kdyn::inline io
