// SPDX-License-Identifier: Apache-2.0
// Robust statistics and list keeping shared by the files of the data doctor. Not for other users.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline doctor {

double quantile(std::vector<double> values, double fraction);  // nearest rank; 0 for none
double spread(const std::vector<double>&
                  values);  // 1.4826 times the median absolute deviation: the standard deviation of normal data

struct Range {
  double low = 0.0, high = 0.0;
  double width() const { return high - low; }
};
Range range_of(const std::vector<double>& values);

// Least-squares slope of y over x, and the correlation.
struct Trend {
  double slope = 0.0, correlation = 0.0;
};
Trend trend(const std::vector<double>& x, const std::vector<double>& y);

// Frequencies that people chose are round; when they are so only after division by 2 pi, their unit is rad/s.
bool look_like_rad_per_s(std::vector<double> frequencies);

// Findings about one file.
class Chart {
 public:
  explicit Chart(const Source& source) : path_(source.path) {}

  void add(Severity severity, const char* code, std::size_t line, std::string message,
           std::string remedy);  // line 0: the whole file
  std::vector<Finding> take() { return std::move(findings_); }
  bool has(std::string_view code) const;

 private:
  std::string path_;
  std::vector<Finding> findings_;
};

// "lines 3, 8, 12 and 4 more"
std::string list_lines(const std::vector<std::size_t>& lines);

// Numbers with the units engineers read: N/mm, mm, deg or N*m/rad, deg.
std::string show_length(double value, AxisKind axis);
std::string show_force(double value, AxisKind axis);
std::string show_stiffness(double value, AxisKind axis);
std::string show_angle(double value);

}  // namespace kdyn::inline doctor
