// SPDX-License-Identifier: Apache-2.0
// Instants that a step must not jump over: where loads and drives of a model have kinks and jumps, where laws switch
// themselves by a table, and where something short happens between two points of the output grid. Steps of one length
// stop at switches alone.
//
//   [mbs E26]  tables: every row that does not lie on the line of its neighbours; two rows of one time are a jump.
//              formulas: looked at 16 times in every step_s; a change of side of the argument of an abs is found by bisection (a jump when the
//              value changes there); steps are made short enough for straight lines between their ends to follow the looks to 5 % of the
//              largest value met so far. What a formula does within step_s/16 without an abs can be missed.
#pragma once

#include <vector>

#include "kdyn/mbs/model.hpp"

namespace kdyn::mbs {

struct BreakPoint {
  double t = 0.0;
  bool jump = false;
};

// Of the tables by which laws of the model switch themselves, ascending.
std::vector<BreakPoint> switch_points(const Model& model);

class BreakPoints {
 public:
  explicit BreakPoints(const Model& model);

  // Those of tables with from < t <= to, ascending.
  std::vector<BreakPoint> of_tables(double from, double to) const;
  struct Look {
    std::vector<BreakPoint> kinks;  // ascending, inside
    int pieces = 1;                 // equal steps that the stretch needs to be followed
  };
  // What the formulas do from one instant to another; `largest` keeps the largest value of each so far.
  Look of_formulas(double from, double to, std::vector<double>& largest) const;

 private:
  std::vector<BreakPoint> tables_;
  std::vector<TimeSignal> formulas_;
};

// A load or drive by a table whose content falls between points of a fixed grid, in words; empty when the grid follows
// all. The measure is the integral over every step against the trapezium of both ends: together above a twentieth of
// the integral of the size.
std::string missed_by_grid(const Model& model, double step, double duration);

}  // namespace kdyn::mbs
