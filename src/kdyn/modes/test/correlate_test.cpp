// SPDX-License-Identifier: Apache-2.0
// Oracle: sets made from one another by known changes (order, scale, phase, axes, sign, exchange), and closed forms.
#include "kdyn/modes/correlate.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/modes/fe_body.hpp"
#include "kdyn/modes/space_frame.hpp"

namespace kdyn::inline modes {
namespace {

constexpr double pi = std::numbers::pi;

// Flexible modes of the frame of the other tests at all its nodes, translations only.
ModeSet model_of_frame(int count) {
  const FeModes fe = fe_modes(make_bushing_frame(6).frame.model(), count);
  ModeSet out;
  out.geometry = fe.geometry;
  out.scaling = ModeScaling::unit_modal_mass;
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < fe.dofs.size(); ++i)
    if (fe.dofs[i].direction <= 3) {
      rows.push_back(static_cast<Eigen::Index>(i));
      out.dofs.push_back(fe.dofs[i]);
    }
  for (Eigen::Index m = 0; m < fe.shapes.cols(); ++m) {
    Mode& mode = out.modes.emplace_back();
    mode.pole = pole_of(std::sqrt(fe.eigenvalues[m]) / (2.0 * pi), 0.0);
    for (const Eigen::Index row : rows) mode.shape.emplace_back(fe.shapes(row, m));
  }
  return out;
}

// The first modes in another order, at every other node, 3 % higher, damped, each turned in phase and scaled.
ModeSet test_of(const ModeSet& model, const std::vector<std::size_t>& order, double noise = 0.0,
                std::uint64_t seed = 1) {
  ModeSet out;
  out.geometry = model.geometry;
  for (GeometryNode& node : out.geometry.nodes) node.label += 5000;  // labels of a test are its own
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < model.dofs.size(); ++i)
    if (model.dofs[i].node % 2 == 0) {
      rows.push_back(i);
      out.dofs.push_back({model.dofs[i].node + 5000, model.dofs[i].direction, {}});
    }
  RandomStream random(seed);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Mode& from = model.modes[order[k]];
    Mode& mode = out.modes.emplace_back();
    mode.pole = pole_of(1.03 * from.frequency_hz(), 0.01);
    const std::complex<double> factor = std::polar(0.2 + static_cast<double>(k), 0.7 * static_cast<double>(k));
    double rms = 0.0;
    for (const std::size_t row : rows) rms += std::norm(from.shape[row]) / static_cast<double>(rows.size());
    rms = std::sqrt(rms);
    for (const std::size_t row : rows) mode.shape.push_back(factor * (from.shape[row] + noise * rms * random.normal()));
  }
  return out;
}

const std::vector<std::size_t> mixed = {3, 0, 5, 1, 4, 2, 6, 7};

bool has(const std::vector<Finding>& findings, const std::string& code) {
  for (const Finding& f : findings)
    if (f.code == code) return true;
  return false;
}

TEST(Correlate, FindsThePairsWhateverOrderScaleAndPhase) {
  const ModeSet model = model_of_frame(20);
  const ModeCorrelation c = correlate_modes(test_of(model, mixed), model, {});
  ASSERT_EQ(c.pairs.size(), mixed.size());
  for (const ModePair& pair : c.pairs) {
    EXPECT_EQ(pair.model, mixed[pair.test]);
    EXPECT_NEAR(pair.mac, 1.0, 1e-12);  // the same numbers but for a factor
    EXPECT_NEAR(pair.difference, 1.0 / 1.03 - 1.0, 1e-12);
  }
  for (const SensorAgreement& sensor : c.sensors) EXPECT_NEAR(sensor.sign, 1.0, 1e-9) << label(sensor.sensor);
  ASSERT_TRUE(c.orthogonality);
  // Modes of the model itself are orthogonal by its mass; rounding of a least squares over some ten modes.
  EXPECT_LT((*c.orthogonality - Eigen::MatrixXd::Identity(8, 8)).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_TRUE(c.test_alone.empty());
}

TEST(Correlate, ReadsSensorsInTurnedAndRoundAxes) {
  const ModeSet model = model_of_frame(20);
  ModeSet test = test_of(model, mixed);
  // Each point measures in cylindrical axes about (0.3, -0.2): the same motion in other components.
  CoordinateSystem round;
  round.label = 7;
  round.kind = CoordinateKind::cylindrical;
  round.p_GL_G = {0.3, -0.2, 0.0};
  test.geometry.systems.push_back(round);
  for (GeometryNode& node : test.geometry.nodes) {
    node.motion_system = 7;
    const double angle = std::atan2(node.position[1] + 0.2, node.position[0] - 0.3), c = std::cos(angle),
                 s = std::sin(angle);
    for (Mode& mode : test.modes)
      for (std::size_t i = 0; i + 2 < test.dofs.size(); i += 3)
        if (test.dofs[i].node == node.label) {
          const std::complex<double> x = mode.shape[i], y = mode.shape[i + 1];
          mode.shape[i] = c * x + s * y;
          mode.shape[i + 1] = -s * x + c * y;
        }
  }
  for (const ModePair& pair : correlate_modes(test, model, {}).pairs) EXPECT_NEAR(pair.mac, 1.0, 1e-12);
}

TEST(Correlate, NamesAReversedSensorAndNoOther) {
  const ModeSet model = model_of_frame(20);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ModeSet test = test_of(model, mixed, 0.03, seed);
    EXPECT_FALSE(has(correlate_modes(test, model, {}).findings, "sensor_reversed")) << seed;
    EXPECT_FALSE(has(correlate_modes(test, model, {}).findings, "sensors_exchanged")) << seed;
    const std::size_t wrong = 3 * (seed % (test.dofs.size() / 3)) + 2;
    for (Mode& mode : test.modes) mode.shape[wrong] *= -1.0;
    const ModeCorrelation c = correlate_modes(test, model, {});
    int named = 0;
    for (const Finding& f : c.findings)
      if (f.code == "sensor_reversed") {
        ++named;
        EXPECT_EQ(f.where, label(test.dofs[wrong])) << seed;
      }
    // A sensor that hardly moves in these modes is not accused, turned or not.
    for (const SensorAgreement& sensor : c.sensors)
      if (sensor.sensor == test.dofs[wrong] && sensor.sign < -0.95) EXPECT_EQ(named, 1) << seed << " " << sensor.sign;
  }
}

TEST(Correlate, NamesExchangedSensors) {
  const ModeSet model = model_of_frame(20);
  ModeSet test = test_of(model, mixed, 0.01);
  // Two vertical sensors far from each other.
  const std::size_t a = 2, b = test.dofs.size() - 1;
  for (Mode& mode : test.modes) std::swap(mode.shape[a], mode.shape[b]);
  const ModeCorrelation c = correlate_modes(test, model, {});
  ASSERT_TRUE(has(c.findings, "sensors_exchanged"));
  for (const Finding& f : c.findings)
    if (f.code == "sensors_exchanged") {
      EXPECT_NE(f.message.find(label(test.dofs[a])), std::string::npos);
      EXPECT_NE(f.message.find(label(test.dofs[b])), std::string::npos);
    }
}

TEST(Correlate, SaysThatMillimetresAreReadAsMetres) {
  const ModeSet model = model_of_frame(12);
  ModeSet test = test_of(model, mixed);
  for (GeometryNode& node : test.geometry.nodes)
    for (double& x : node.position) x *= 1000.0;
  try {
    correlate_modes(test, model, {});
    // Points at the origin may still meet; then the others are told.
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("millimetres"), std::string::npos) << e.what();
    return;
  }
  FAIL() << "points a thousand times too far away were matched";
}

TEST(Correlate, ADirectionTheModelDoesNotHaveIsNoZero) {
  ModeSet model = model_of_frame(20);
  const ModeSet test = test_of(model, mixed);
  // The model without its vertical motion: sensors along Z have no partner, the others agree as before.
  ModeSet flat = model;
  flat.dofs.clear();
  for (Mode& mode : flat.modes) mode.shape.clear();
  for (std::size_t i = 0; i < model.dofs.size(); ++i)
    if (model.dofs[i].direction != 3) {
      flat.dofs.push_back(model.dofs[i]);
      for (std::size_t m = 0; m < model.modes.size(); ++m) flat.modes[m].shape.push_back(model.modes[m].shape[i]);
    }
  const ModeCorrelation c = correlate_modes(test, flat, {});
  EXPECT_EQ(c.matches.size(), test.dofs.size() / 3 * 2);
  EXPECT_TRUE(has(c.findings, "direction_without_partner"));
  for (const ModePair& pair : c.pairs) EXPECT_NEAR(pair.mac, 1.0, 1e-12);
}

TEST(Correlate, OfTwoPointsInOnePlaceTheLabelDecides) {
  // Node 25 carries a mass on the bushing at node 1, in the same place.
  const ModeSet model = model_of_frame(20);
  ModeSet test = test_of(model, mixed);
  const auto add = [&](std::int64_t label) {
    GeometryNode node = model.geometry.nodes[24];
    node.label = label;
    test.geometry.nodes.push_back(node);
    test.dofs.push_back({label, 3, {}});
    for (Mode& mode : test.modes) mode.shape.emplace_back(0.0);
  };
  add(25);
  std::vector<Finding> findings;
  EXPECT_EQ(match_sensors(test, model.dofs, model.geometry, {}, findings).back().fe_node, 25);
  EXPECT_FALSE(has(findings, "points_together"));
  add(9999);
  match_sensors(test, model.dofs, model.geometry, {}, findings);
  EXPECT_TRUE(has(findings, "points_together"));
}

TEST(Correlate, FewSensorsAndAliasesAreTold) {
  const ModeSet model = model_of_frame(20);
  ModeSet test = test_of(model, mixed);
  test.dofs.resize(4);
  for (Mode& mode : test.modes) mode.shape.resize(4);
  const ModeCorrelation c = correlate_modes(test, model, {});
  EXPECT_TRUE(has(c.findings, "few_sensors"));
  EXPECT_TRUE(has(c.findings, "modes_look_alike"));
}

// One oscillator: receptance 1/(k (1 - r^2 + 2 i z r)).
FrequencyResponse oscillator(double f0, double scale, const std::string& unit, int powers, double step,
                             double from = 5.0) {
  FrequencyResponse out;
  for (int i = 0; from + i * step <= 60.0; ++i) out.frequency_hz.push_back(from + i * step);
  for (int y = 1; y <= 2; ++y) {
    FrequencyResponseChannel channel;
    channel.output = {y, 3, {}};
    channel.input = {1, 3, {}};
    channel.output_unit = unit;
    channel.input_unit = "N";
    for (const double f : out.frequency_hz) {
      const double r = f / f0;
      channel.values.push_back(scale * y / std::complex<double>(1.0 - r * r, 0.02 * r) *
                               std::pow(std::complex<double>(0.0, 2.0 * pi * f), powers));
    }
    out.channels.push_back(std::move(channel));
  }
  return out;
}

TEST(CorrelateResponses, KindsAreConvertedAndSizesTold) {
  const auto c = correlate_responses(oscillator(20.0, 1e-5, "m/s^2", 2, 0.5), oscillator(20.0, 3e-5, "m", 0, 0.5), {});
  ASSERT_EQ(c.channels.size(), 2u);
  for (const ResponseAgreement& channel : c.channels) {
    EXPECT_NEAR(channel.frac, 1.0, 1e-12);
    EXPECT_NEAR(channel.size, 3.0, 1e-12);
  }
  ASSERT_EQ(c.rvac.size(), 1u);
  for (const double value : c.rvac[0]) EXPECT_NEAR(value, 1.0, 1e-12);
  EXPECT_TRUE(has(c.findings, "converted"));
}

TEST(CorrelateResponses, AShiftedPeakLowersFracAsTheSumSays) {
  const auto a = oscillator(20.0, 1.0, "m", 0, 0.5), b = oscillator(22.0, 1.0, "m", 0, 0.5);
  std::complex<double> both = 0.0;
  double aa = 0.0, bb = 0.0;
  for (std::size_t i = 0; i < a.frequency_hz.size(); ++i) {
    both += std::conj(a.channels[0].values[i]) * b.channels[0].values[i];
    aa += std::norm(a.channels[0].values[i]);
    bb += std::norm(b.channels[0].values[i]);
  }
  EXPECT_NEAR(correlate_responses(a, b, {}).channels[0].frac, std::norm(both) / (aa * bb), 1e-12);
}

TEST(CorrelateResponses, OtherLinesAreInterpolatedAndTold) {
  const auto a = oscillator(20.0, 1.0, "m", 0, 0.5), b = oscillator(20.0, 1.0, "m", 0, 0.013, 5.1);
  const auto c = correlate_responses(a, b, {});
  EXPECT_TRUE(has(c.findings, "lines_differ"));
  // Straight lines 0.013 Hz apart on a peak of 0.4 Hz half-power width: (0.013/0.4)^2/8 of the peak.
  EXPECT_NEAR(c.channels[0].frac, 1.0, 1e-3);
  EXPECT_GE(c.frequency_hz.front(), 5.1);
}

TEST(CorrelateResponses, SetsWithoutCommonLinesOrNamesAreRefused) {
  const auto a = oscillator(20.0, 1.0, "m", 0, 0.5);
  auto b = a;
  for (double& f : b.frequency_hz) f += 100.0;
  EXPECT_THROW(correlate_responses(a, b, {}), Error);
  b = a;
  for (auto& channel : b.channels) channel.output.node += 10;
  EXPECT_THROW(correlate_responses(a, b, {}), Error);
}

}  // namespace
}  // namespace kdyn::inline modes
