// SPDX-License-Identifier: Apache-2.0
// Elastomer from the data sheet of Scheiblegger 2018, Table 3-1: 444 and 380 N/mm at 0.1 and 1 mm, 2.47 deg at 0.1 mm,
// 10 Hz, 338 N/mm static.
//
// Reference: roots of the three equations by an independent program (Newton on numerical integrals of the loops,
// residuals below 1e-13). Beside them the numbers the publication prints: its tool met its own equations to a few per
// cent only, so those are promised to one digit. The appendix's chamber rubber asks for less loss angle than its
// friction alone has: infeasible, lambda would be -0.114.
#include <numbers>
#include <optional>

#include "kdyn/identify/two_point.hpp"
#include "validation.hpp"

namespace {

using namespace kdyn;

constexpr double degree = std::numbers::pi / 180.0;

struct Row {
  const char* name;
  FrictionLaw law;
  Criterion criterion;
  std::optional<double> ymax;
  double rdl, rho, lambda;
};

}  // namespace

int main() {
  validation::Case report("Two-point identification, Table 3-1",
                          "independent roots of the same equations; Scheiblegger 2018, Tables 3-2, 3-3, appendix A2.1");
  const TwoPointInput table{444.0 / 338.0, 380.0 / 338.0, 1e-4, 1e-3, 2.47 * degree, 10.0};
  const double limit = 150.0 / 338e3;
  const Row rows[] = {
      {"g4, harmonic, unlimited", FrictionLaw::g4, Criterion::harmonic, std::nullopt, 9.252516135338363e-05,
       4299.240031359151, 0.3851840835708386},
      {"g4, loop, unlimited", FrictionLaw::g4, Criterion::loop, std::nullopt, 8.641043877452983e-05, 4817.221481999571,
       0.307033092265205},
      {"g4, loop, 150 N", FrictionLaw::g4, Criterion::loop, limit, 0.00010024969436151644, 4068.9306489484725,
       0.21705415017104907},
      {"g4, harmonic, 150 N", FrictionLaw::g4, Criterion::harmonic, limit, 0.00010992759295814108, 3513.5040209073554,
       0.31646142996474935},
      {"masing, harmonic, unlimited", FrictionLaw::masing, Criterion::harmonic, std::nullopt, 9.252516135338545e-05,
       4299.24003135928, 0.3851840835708261},
      {"masing, harmonic, 150 N", FrictionLaw::masing, Criterion::harmonic, limit, 9.436974769724368e-05,
       4172.763237964013, 0.399499531275842},
  };
  for (const Row& row : rows) {
    Elastomer<double> given;
    given.law = row.law;
    given.ymax = row.ymax;
    const TwoPointResult result = identify_two_point(given, table, row.criterion);
    report.words(fmt::format("{}: status", row.name), result.status, "converged");
    report.number(fmt::format("{}: rdl (m)", row.name), result.law.rdl, row.rdl, 7.0);
    report.number(fmt::format("{}: rho (1/m)", row.name), result.law.rho, row.rho, 7.0);
    report.number(fmt::format("{}: lambda", row.name), result.law.lambda, row.lambda, 7.0);
  }

  Elastomer<double> published;
  published.law = FrictionLaw::g4;
  const TwoPointResult unlimited = identify_two_point(published, table, Criterion::harmonic);
  report.number("Table 3-2: rdl (m)", unlimited.law.rdl, 9.263e-5, 2.5);
  report.number("Table 3-2: rho (1/m)", unlimited.law.rho, 4352.2, 1.5);
  report.number("Table 3-2: lambda", unlimited.law.lambda, 0.3783, 1.5);

  Elastomer<double> chamber;
  chamber.law = FrictionLaw::g4;
  chamber.alpha = 0.3717;
  chamber.beta = 0.0971;
  chamber.gamma = 0.0084;
  // The property file limits friction at ten times rdl, which is an unknown itself: found by repetition.
  TwoPointResult infeasible;
  for (int i = 0; i < 60; ++i) {
    infeasible = identify_two_point(chamber, {1.4721, 1.08, 1e-4, 1e-3, 5.0 * degree, 10.0}, Criterion::harmonic);
    chamber.ymax = 10.0 * infeasible.unconstrained_rdl;
  }
  report.words("chamber rubber: status", infeasible.status, "infeasible");
  report.number("chamber rubber: lambda without bound", infeasible.unconstrained_lambda, -0.114, 2.0);
  report.number("chamber rubber: lambda held", infeasible.law.lambda + 1.0, 1.0, 15.0);
  return report.finish();
}
