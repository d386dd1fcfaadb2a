// SPDX-License-Identifier: Apache-2.0
// Angles about z that go on beyond half a turn.
//
//   [mbs E110]  x = phi + 2 pi round((x0 - phi)/(2 pi)), phi of the frames in -pi .. pi, x0 the angle at the beginning of the step: right as
//              long as a step turns by less than half a turn. Slopes are those of phi.
// The count needs no state of its own: the laws carry deflections from step to step, into saved runs and adjoints.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

void System::find_counted() {
  for (std::size_t c = 0; c < model_.connections.size(); ++c) {
    const Connection& connection = model_.connections[c];
    if (connection.kind != ConnectionKind::bushing) continue;
    if (connection.measure == RotationMeasure::spin)
      for (const int a : axes_of_[c])
        if (axes_[at(a)].component > 2)
          throw_bad_input("bushing " + connection.name, "the measure spin knows no angles",
                          "leave laws about tx, ty and tz to another bushing");
    if (connection.measure != RotationMeasure::angle) continue;
    int own = -1;
    for (const int a : axes_of_[c]) {
      if (const int k = axes_[at(a)].component; k == 3 || k == 4)
        throw_bad_input("bushing " + connection.name, "the measure angle counts turns about z alone",
                        "leave tx and ty to a joint, or to a bushing of their own");
      if (axes_[at(a)].component == 5) own = a;
    }
    demand(own >= 0, "an angle that is counted has a law");
    counted_.push_back(own);
  }
}

void System::count_turns(const LawState& from, Evaluation& e) const {
  constexpr double turn = 2.0 * std::numbers::pi;
  for (const int a : counted_) {
    double& x = e.measure[at(axes_[at(a)].connection)].x[5];
    x += turn * std::round((from.motion[at(a)].u - x) / turn);
  }
}

}  // namespace kdyn::mbs
