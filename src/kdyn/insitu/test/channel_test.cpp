// SPDX-License-Identifier: Apache-2.0
// Channels that do not show signals as they are: gains, offsets, delays, clocks and ties among the unknowns, and faults
// that must be named. Oracle: the values the records were made with; gradients against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "kdyn/base/random.hpp"
#include "kdyn/insitu/insitu.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::inline insitu {
namespace {

using namespace mbs;
using Of = InsituParameter::Of;

constexpr double step = 1e-3;

// The double mass, position and acceleration of both masses, chirp instead of a blow.
struct Masses {
  std::vector<InsituExperiment> experiments;
  std::vector<InsituParameter> parameters;
  std::vector<double> exact;
  Eigen::MatrixXd felt;

  Masses() {
    ModelFile file = read_model(std::string(KDYN_SOURCE_DIR) + "/examples/multibody/double_mass.json");
    file.run.tolerance = 1e-13;
    file.run.step_s = step;
    file.run.duration_s = 1.0;
    file.model.loads[0].force[0] = TimeSignal("40*(1 - exp(-t/0.02))*sin(2*pi*(3 + 6*t)*t)");
    InsituExperiment x;
    x.name = "sweep";
    const int m1 = file.model.add_marker(0, Vector3::Zero()), m2 = file.model.add_marker(1, Vector3::Zero());
    x.signals = {"m1.position.x", "m2.position.x", "m1.acceleration.x", "m2.acceleration.x"};
    x.units = {"m", "m", "m/s^2", "m/s^2"};
    x.outputs = {{OutputKind::position, m1, 0},
                 {OutputKind::position, m2, 0},
                 {OutputKind::acceleration, m1, 0},
                 {OutputKind::acceleration, m2, 0}};
    x.model = file.model;
    x.run = file.run;
    const System system(x.model);
    felt.resize(4, 1001);
    Eigen::Index n = 0;
    simulate(
        system, x.run,
        [&](const RunState& s, const Evaluation& e) {
          for (Eigen::Index j = 0; j < 4; ++j)
            felt(j, n) = output_value(system, x.outputs[static_cast<std::size_t>(j)], s, e);
          ++n;
        },
        silent_progress());
    x.measured = felt;
    experiments.push_back(x);
    for (int a = 0; a < 2; ++a)
      for (int i = 0; i < 2; ++i) {
        const Parameter at{Parameter::Kind::law, a, i};
        exact.push_back(parameter_value(system, at));
        parameters.push_back({"b" + std::to_string(a + 1) + (i == 0 ? ".stiffness" : ".damping"),
                              "",
                              {at},
                              (i == 0 ? 1.15 : 0.8) * exact.back()});
      }
  }
  // A sample late by a share of a step: eight neighbours, another formula than that of the fit.
  double late(Eigen::Index row, double t) const {
    const double x = std::max(0.0, t) / step;
    const Eigen::Index first = std::clamp<Eigen::Index>(static_cast<Eigen::Index>(std::floor(x)) - 3, 0, 1001 - 8);
    double sum = 0.0;
    for (Eigen::Index k = 0; k < 8; ++k) {
      double weight = 1.0;
      for (Eigen::Index j = 0; j < 8; ++j)
        if (j != k) weight *= (x - static_cast<double>(first + j)) / static_cast<double>(k - j);
      sum += weight * felt(row, first + k);
    }
    return sum;
  }
  void shown(Eigen::Index row, double gain, double offset, double delay) {
    for (Eigen::Index n = 0; n < 1001; ++n)
      experiments[0].measured(row, n) = gain * late(row, static_cast<double>(n) * step - delay) + offset;
  }
  double rms(Eigen::Index row) const {
    return std::sqrt((felt.row(row).array() - felt.row(row).mean()).square().mean());
  }
  void add_noise(double size) {
    RandomStream random(3);
    for (Eigen::Index j = 0; j < 4; ++j)
      for (double& m : experiments[0].measured.row(j)) m += size * rms(j) * random.normal();
  }
  void unknown(Of of, int channel, double start, double scale, double reach) {
    InsituParameter p;
    p.name = experiments[0].signals[static_cast<std::size_t>(channel)] + (of == Of::gain     ? ".gain"
                                                                          : of == Of::offset ? ".offset"
                                                                                             : ".delay");
    p.of = of, p.start = start, p.scale = scale;
    p.channel = {channel};
    p.lower = start - reach, p.upper = start + reach;
    parameters.push_back(p);
  }
};

TEST(InsituChannels, GainsOffsetsAndDelaysAreFoundWithTheMounts) {
  Masses m;
  const double gain[4] = {1.08, 0.93, 1.05, 0.9}, delay[4] = {0.0, 1.3e-3, 2.7e-3, -0.6e-3};
  double offset[4];
  for (int j = 0; j < 4; ++j) {
    offset[j] = 0.3 * m.rms(j) * (j % 2 == 0 ? 1 : -1);
    m.shown(j, gain[j], offset[j], delay[j]);
    m.unknown(Of::gain, j, 1.0, 1.0, 0.5);
    m.unknown(Of::offset, j, 0.0, m.rms(j), 10.0 * m.rms(j));
    m.unknown(Of::delay, j, 0.0, 1e-3, 0.01);
  }
  for (const InsituMethod method : {InsituMethod::gauss_newton, InsituMethod::quasi_newton}) {
    InsituOptions options;
    options.method = method;
    options.max_iterations = 300;
    const InsituResult result = identify_in_situ(m.experiments, m.parameters, {}, options, silent_progress());
    ASSERT_EQ(result.parameters.size(), 16u);
    // Asked for: 1e-10 between both exact formulations, 1e-7 against differences.
    EXPECT_TRUE(result.gradient_check.done);
    EXPECT_LT(result.gradient_check.adjoint_forward, 1e-10);
    EXPECT_LT(result.gradient_check.adjoint_differences, 1e-7);
    std::printf("gradients %.1e %.1e\n", result.gradient_check.adjoint_forward,
                result.gradient_check.adjoint_differences);
    if (method == InsituMethod::quasi_newton) continue;
    EXPECT_EQ(result.status, "converged") << result.reason;
    // Two formulas read between steps: h^4/384 of the fourth derivative, 9 Hz, is 3e-8 of the signal; the dampings
    // magnify it by some hundreds.
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.parameters[i].value / m.exact[i], 1.0, 1e-4);
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(result.parameters[4 + 3 * j].value, gain[j], 1e-4);
      EXPECT_NEAR(result.parameters[5 + 3 * j].value, offset[j], 1e-4 * m.rms(static_cast<Eigen::Index>(j)));
      EXPECT_NEAR(result.parameters[6 + 3 * j].value, delay[j], 1e-7);
    }
  }
}

TEST(InsituChannels, TheClockOfTheRecorderIsFound) {
  Masses m;
  for (Eigen::Index j = 0; j < 4; ++j) m.shown(j, 1.0, 0.0, 4.3e-3);
  InsituParameter clock;
  clock.name = "time_offset", clock.of = Of::time_offset;
  clock.scale = 1e-3, clock.channel = {0};
  clock.lower = -0.02, clock.upper = 0.02;
  m.parameters.push_back(clock);
  InsituOptions options;
  const InsituResult result = identify_in_situ(m.experiments, m.parameters, {}, options, silent_progress());
  EXPECT_EQ(result.status, "converged") << result.reason;
  EXPECT_LT(result.gradient_check.adjoint_differences, 1e-7);
  EXPECT_NEAR(result.parameters[4].value, 4.3e-3, 1e-7);
  // Unknown to the fit, it is told.
  m.parameters.pop_back();
  m.add_noise(0.02);
  options.check_gradient = false;
  const InsituResult wrong = identify_in_situ(m.experiments, m.parameters, {}, options, silent_progress());
  bool told = false;
  for (const Finding& f : wrong.findings) told = told || f.code == "record_time";
  EXPECT_TRUE(told);
  EXPECT_EQ(wrong.status, "poor_fit");
}

TEST(InsituChannels, TiedParametersMoveTogether) {
  Masses m;
  // One unknown for both stiffnesses, of ratio 1/2 in truth (2000 and 1000 N/m), and one for both dampings.
  std::vector<InsituParameter> tied;
  for (int i = 0; i < 2; ++i) {
    tied.push_back(m.parameters[static_cast<std::size_t>(i)]);
    tied.back().ties.push_back({m.parameters[static_cast<std::size_t>(i) + 2].in,
                                m.exact[static_cast<std::size_t>(i) + 2] / m.exact[static_cast<std::size_t>(i)]});
  }
  InsituOptions options;
  const InsituResult result = identify_in_situ(m.experiments, tied, {}, options, silent_progress());
  EXPECT_EQ(result.status, "converged") << result.reason;
  EXPECT_LT(result.gradient_check.adjoint_forward, 1e-10);
  EXPECT_LT(result.gradient_check.adjoint_differences, 1e-7);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(result.parameters[i].value / m.exact[i], 1.0, 1e-8);
}

TEST(InsituChannels, EachSignalCountsByItsOwnNoise) {
  // Positions with 20 % noise, accelerations with 0.5 %: weighing by noise must narrow the intervals, and still cover.
  Masses m;
  RandomStream random(5);
  for (Eigen::Index j = 0; j < 4; ++j)
    for (double& x : m.experiments[0].measured.row(j)) x += (j < 2 ? 0.2 : 0.005) * m.rms(j) * random.normal();
  InsituOptions options;
  options.check_gradient = false;
  const InsituResult alike = identify_in_situ(m.experiments, m.parameters, {}, options, silent_progress());
  options.noise_per_signal = true;
  const InsituResult own = identify_in_situ(m.experiments, m.parameters, {}, options, silent_progress());
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_LT(own.after.std[static_cast<Eigen::Index>(i)], 0.2 * alike.after.std[static_cast<Eigen::Index>(i)]);
    // Four standard deviations: one draw in 16 000.
    EXPECT_LT(std::abs(std::log(own.parameters[i].value / m.exact[i])),
              4.0 * own.after.std[static_cast<Eigen::Index>(i)]);
  }
}

struct Fault {
  const char *code, *where;
  void (*plant)(Masses&);
};

TEST(InsituChannels, FaultsAreNamed) {
  const Fault faults[] = {{"channel_sign", "m2.acceleration.x", [](Masses& m) { m.shown(3, -1.0, 0.0, 0.0); }},
                          {"channel_unit", "m1.acceleration.x", [](Masses& m) { m.shown(2, 1.0 / 9.80665, 0.0, 0.0); }},
                          {"channel_delay", "m2.acceleration.x", [](Masses& m) { m.shown(3, 1.0, 0.0, 0.5e-3); }},
                          {"channel_gain", "m1.position.x", [](Masses& m) { m.shown(0, 1.1, 0.0, 0.0); }},
                          {"channels_swapped", "m1.acceleration.x, m2.acceleration.x",
                           [](Masses& m) { m.experiments[0].measured.row(2).swap(m.experiments[0].measured.row(3)); }},
                          {"channel_broken", "m1.acceleration.x", [](Masses& m) {
                             RandomStream random(9);
                             for (double& x : m.experiments[0].measured.row(2)) x = 0.3 * m.rms(2) * random.normal();
                           }}};
  for (const Fault& fault : faults) {
    Masses m;
    fault.plant(m);
    m.add_noise(0.02);
    InsituOptions options;
    options.check_gradient = false;
    const InsituResult result = identify_in_situ(m.experiments, m.parameters, {}, options, silent_progress());
    bool named = false;
    std::string all;
    for (const Finding& f : result.findings) {
      named = named || (f.code == fault.code && f.where == fault.where);
      all += f.code + " " + f.where + ": " + f.message + "\n";
    }
    EXPECT_TRUE(named) << fault.code << " " << fault.where << " not among\n" << all;
    // The fit is bent by a gross fault; nobody else is accused for that.
    for (const Finding& f : result.findings)
      EXPECT_TRUE(!f.code.starts_with("channel") || f.where == fault.where) << fault.where << " beside\n" << all;
    EXPECT_EQ(result.status, "poor_fit") << fault.code;
  }
}

TEST(InsituChannels, NobodyIsAccusedWithoutReason) {
  for (const double noise : {0.0, 0.02, 0.05}) {
    Masses m;
    m.add_noise(noise);
    InsituOptions options;
    options.check_gradient = false;
    const InsituResult result = identify_in_situ(m.experiments, m.parameters, {}, options, silent_progress());
    EXPECT_EQ(result.status, "converged");
    for (const Finding& f : result.findings) EXPECT_FALSE(f.code.starts_with("channel")) << f.message;
    for (const InsituChannel& c : result.channels) {
      EXPECT_NEAR(c.factor, 1.0, 5.0 * c.factor_std + 1e-6) << c.signal;
      EXPECT_NEAR(c.delay_s, 0.0, 5.0 * c.delay_std_s + 1e-8) << c.signal;
    }
  }
}

// Values and slopes of a cubic are met exactly, and the reading has no jump in slope at a step.
TEST(InsituSampling, ReadsSmoothly) {
  const auto f = [](double t) { return 2.0 + t * (3.0 + t * (-40.0 + 700.0 * t)); };
  Eigen::MatrixXd y(1, 101);
  for (Eigen::Index n = 0; n < 101; ++n) y(0, n) = f(static_cast<double>(n) * step);
  std::vector<double> times;
  for (int i = 0; i <= 400; ++i) times.push_back(0.00025 * i);
  const Sampling sampling(times, step, 100);
  const Eigen::MatrixXd read = sampling.at_samples(y);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const double t = times[i];
    EXPECT_NEAR(read(0, static_cast<Eigen::Index>(i)), f(t), 1e-12);
    EXPECT_NEAR(sampling.slope(y, 0, static_cast<Eigen::Index>(i)), 3.0 - 80.0 * t + 2100.0 * t * t, 1e-9);
  }
  Eigen::MatrixXd wave(1, 101);
  for (Eigen::Index n = 0; n < 101; ++n) wave(0, n) = std::sin(0.7 * static_cast<double>(n));
  const double hair = 1e-12;
  const Sampling around({0.05 - hair, 0.05 + hair}, step, 100);
  EXPECT_NEAR(around.slope(wave, 0, 0), around.slope(wave, 0, 1), 1e-5);
}

}  // namespace
}  // namespace kdyn::inline insitu
