// SPDX-License-Identifier: Apache-2.0
// The Magic Formula against reference/magic_formula.json, which reference/magic_formula.py wrote from the published
// equations, and against properties that the equations promise.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/mbs/magic_formula_file.hpp"

namespace kdyn::mbs {
namespace {

const std::string source = KDYN_SOURCE_DIR;

std::string example() { return read_text(source + "/examples/multibody/car_tyre.tir"); }
MagicFormula made(const std::string& content) {
  std::vector<Finding> findings;
  return magic_formula_of(parse_tyre_file(content, "car_tyre.tir"), findings);
}
std::string with(std::string content, const std::string& line, const std::string& instead) {
  const std::size_t at = content.find(line + " ");
  EXPECT_NE(at, std::string::npos) << line;
  const std::size_t end = content.find('\n', at);
  return content.replace(at, end - at, instead);
}

// Both evaluate the same equations in double precision: forces agree to rounding of the largest of them.
TEST(MagicFormula, IsThatOfTheBook) {
  const Json reference = read_json(source + "/src/kdyn/mbs/test/reference/magic_formula.json");
  MagicFormula formula = made(example());
  ASSERT_GT(reference.size(), 100u);
  for (const Json& c : reference) {
    formula.combined = c["combined"].get<bool>();
    const double fz = c["fz"], gamma = c["gamma"];
    const auto f =
        formula.evaluate(fz, c["kappa"].get<double>(), c["alpha"].get<double>(), gamma, c["vx"].get<double>(), 1.0);
    EXPECT_NEAR(f.fx, c["fx"].get<double>(), 1e-11 * fz) << c.dump();
    EXPECT_NEAR(f.fy, c["fy"].get<double>(), 1e-11 * fz) << c.dump();
    EXPECT_NEAR(f.mz, c["mz"].get<double>(), 1e-11 * fz) << c.dump();
    EXPECT_NEAR(f.mx, c["mx"].get<double>(), 1e-11 * fz) << c.dump();
    // Rolling resistance depends on the force along, which is that of combined slip there and here.
    // The book's polynomial may fall below 0 under braking, where it would drive.
    EXPECT_NEAR(f.my, std::max(0.0, c["my"].get<double>()), 1e-11 * fz) << c.dump();
    EXPECT_NEAR(formula.relaxation_x(fz), c["sigma_x"].get<double>(), 1e-13);
    EXPECT_NEAR(formula.relaxation_y(fz, gamma), c["sigma_y"].get<double>(), 1e-13);
  }
}

// Without shifts: odd in slip, slope B C D at zero, largest value D (where C > 1), friction shared in combined slip.
TEST(MagicFormula, SlopePeakAndSymmetry) {
  std::string content = example();
  for (const char* key : {"PHX1", "PHX2", "PVX1", "PVX2", "PEX4", "PHY1", "PHY2", "PVY1", "PVY2", "PEY3"})
    content = with(content, key, std::string(key) + " = 0");
  const MagicFormula formula = made(content);
  const double fz = 3500.0;
  const auto at = [&](double kappa, double alpha) { return formula.evaluate(fz, kappa, alpha, 0.0, 20.0, 1.0); };
  MagicFormula pure = formula;
  pure.combined = false;
  double most_x = 0.0, most_y = 0.0;
  for (int i = 1; i <= 3000; ++i) {
    const double slip = 5e-4 * i;
    const auto plus = pure.evaluate(fz, slip, slip, 0.0, 20.0, 1.0),
               minus = pure.evaluate(fz, -slip, -slip, 0.0, 20.0, 1.0);
    EXPECT_NEAR(plus.fx, -minus.fx, 1e-9);
    EXPECT_NEAR(plus.fy, -minus.fy, 1e-9);
    EXPECT_GT(plus.fx, 0.0);
    EXPECT_LT(plus.fy, 0.0);
    most_x = std::max(most_x, plus.fx), most_y = std::max(most_y, -plus.fy);
  }
  const auto rest = at(0.0, 0.0);
  // The peak is flat: 3000 looks find it to the square of their distance.
  EXPECT_NEAR(most_x, rest.peak_x, 1e-4 * rest.peak_x);
  EXPECT_NEAR(most_y, rest.peak_y, 1e-4 * rest.peak_y);
  const double d = 1e-5;
  EXPECT_NEAR((pure.evaluate(fz, d, 0.0, 0.0, 20.0, 1.0).fx - pure.evaluate(fz, -d, 0.0, 0.0, 20.0, 1.0).fx) / (2 * d),
              rest.stiffness_x, 1e-6 * rest.stiffness_x);
  EXPECT_NEAR((pure.evaluate(fz, 0.0, -d, 0.0, 20.0, 1.0).fy - pure.evaluate(fz, 0.0, d, 0.0, 20.0, 1.0).fy) / (2 * d),
              rest.stiffness_y, 1e-6 * rest.stiffness_y);
  EXPECT_LT(at(0.1, 0.15).fx, 0.9 * at(0.1, 0.0).fx);
  EXPECT_LT(std::abs(at(0.1, 0.15).fy), 0.9 * std::abs(at(0.0, 0.15).fy));
  // The ellipse of files without coefficients of combined slip stays within it, and is pure slip on its axes.
  MagicFormula ellipse = formula;
  ellipse.ellipse = true;
  for (const double kappa : {-0.5, -0.05, 0.02, 0.3})
    for (const double alpha : {-0.4, 0.03, 0.2}) {
      const auto f = ellipse.evaluate(fz, kappa, alpha, 0.0, 20.0, 1.0);
      EXPECT_LT(std::hypot(f.fx / f.peak_x, f.fy / f.peak_y), 1.0 + 1e-9);
      EXPECT_NEAR(ellipse.evaluate(fz, kappa, 0.0, 0.0, 20.0, 1.0).fx, pure.evaluate(fz, kappa, 0.0, 0.0, 20.0, 1.0).fx,
                  1e-6 * fz);
    }
}

// Forces vanish with the load, also below FZMIN; above FZMAX they are those of FZMAX.
TEST(MagicFormula, LoadsBeyondTheFile) {
  const MagicFormula formula = made(example());
  const auto at = [&](double fz) { return formula.evaluate(fz, 0.05, 0.04, 0.02, 20.0, 1.0); };
  EXPECT_NEAR(at(50.0).fx, 0.25 * at(200.0).fx, 1e-9);
  EXPECT_NEAR(at(50.0).mz, 0.25 * at(200.0).mz, 1e-9);
  EXPECT_NEAR(at(1e-9).fy, 0.0, 1e-8);
  EXPECT_EQ(at(20000.0).fx, at(9000.0).fx);
  // A standing tyre has neither ply steer nor trail.
  const auto standing = formula.evaluate(4000.0, 0.0, 0.0, 0.0, 0.0, 0.0);
  EXPECT_EQ(standing.fx, 0.0);
  EXPECT_EQ(standing.fy, 0.0);
  EXPECT_EQ(standing.mz, 0.0);
}

TEST(MagicFormula, FilesThatMeanSomethingElseAreRefused) {
  const std::string good = example();
  EXPECT_NO_THROW(made(good));
  const std::pair<const char*, const char*> wrong[] = {{"PROPERTY_FILE_FORMAT", "PROPERTY_FILE_FORMAT = 'FTIRE'"},
                                                       {"VXLOW", "FITTYP = 61"},
                                                       {"ANGLE", "ANGLE = 'degree'"},
                                                       {"PKY1", "PKY1 = 19"},
                                                       {"PDX2", "PDX2 = -1.2"},
                                                       {"PCX1", "PCX1 = 0"},
                                                       {"FZMIN", "FZMIN = 20000"},
                                                       {"USE_MODE", "USE_MODE = 0"},
                                                       {"LMUX", "LMUX = -1"},
                                                       {"ALPMIN", "ALPMIN = 0.1"}};
  for (const auto& [line, instead] : wrong) EXPECT_THROW(made(with(good, line, instead)), Error) << instead;
  std::vector<Finding> findings;
  magic_formula_of(parse_tyre_file(with(good, "VXLOW", "QSX4 = 3"), "x.tir"), findings);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "tyre_coefficients_ignored");
  EXPECT_NE(findings[0].message.find("QSX4"), std::string::npos);
}

// A file in millimetres and kilonewtons is the same tyre.
TEST(MagicFormula, UnitsOfTheFile) {
  std::string content = example();
  for (const auto& [line, instead] : {std::pair{"LENGTH", "LENGTH = 'mm'"},
                                      {"FORCE", "FORCE = 'kN'"},
                                      {"UNLOADED_RADIUS", "UNLOADED_RADIUS = 315"},
                                      {"FNOMIN", "FNOMIN = 4"},
                                      {"FZMIN", "FZMIN = 0.2"},
                                      {"FZMAX", "FZMAX = 9"},
                                      {"LONGVL", "LONGVL = 16700"},
                                      {"VERTICAL_STIFFNESS", "VERTICAL_STIFFNESS = 0.21"}})
    content = with(content, line, instead);
  const TyreFile file = parse_tyre_file(content, "mm.tir");
  EXPECT_NEAR(file.number("VERTICAL_STIFFNESS", 0.0), 210000.0, 1e-6);
  EXPECT_FALSE(file.findings.empty());
  const auto one = made(example()).evaluate(3000.0, 0.04, 0.06, 0.01, 20.0, 1.0),
             two = made(content).evaluate(3000.0, 0.04, 0.06, 0.01, 20.0, 1.0);
  EXPECT_NEAR(one.fx, two.fx, 1e-9);
  EXPECT_NEAR(one.mz, two.mz, 1e-9);
  EXPECT_NEAR(one.my, two.my, 1e-9);
}

}  // namespace
}  // namespace kdyn::mbs
