// SPDX-License-Identifier: Apache-2.0
// The pieces around the calibration: starts, phases, checkpoints, gate, pairing, planning, populations, and the whole
// chain on a small structure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/numerics/tasks.hpp"
#include "kdyn/update/plan.hpp"
#include "kdyn/update/population.hpp"
#include "kdyn/update/update.hpp"
#include "kdyn/update/virtual_responses.hpp"

namespace kdyn::update {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Unknown i is the motion of point i + 1 along x.
Matrix named(const char* name, const MatrixXd& values) {
  Matrix matrix;
  matrix.name = name;
  matrix.rows = matrix.columns = static_cast<int>(values.rows());
  matrix.real.assign(values.data(), values.data() + values.size());
  for (int i = 0; i < matrix.rows; ++i) matrix.row_dofs.push_back({i + 1, 1, ""});
  return matrix;
}

// Six masses in a row on springs to each other and to the ground. Parameters: springs a and b, mass c.
MatrixSet chain_of_masses(bool blind) {
  constexpr int n = 6;
  MatrixXd k = MatrixXd::Zero(n, n), m = MatrixXd::Identity(n, n), ka = k, kb = k, mc = k;
  const auto spring = [](MatrixXd& to, int a, int b, double s) {
    to(a, a) += s;
    if (b >= 0) to(b, b) += s, to(a, b) -= s, to(b, a) -= s;
  };
  for (int i = 0; i + 1 < n; ++i) spring(k, i, i + 1, 1e5 * (1.0 + 0.3 * i));
  spring(k, 0, -1, 4e4);
  spring(ka, 1, 3, 6e4);
  spring(kb, blind ? 1 : 2, blind ? 3 : 5, 5e4);  // blind: two springs between the same points cannot be told apart
  mc(4, 4) = 0.5;
  k += ka + kb, m += mc;
  MatrixSet out;
  const auto add = [&](const char* name, const MatrixXd& values) { out.matrices.push_back(named(name, values)); };
  add("K", k), add("M", m), add("dK_a", ka), add("dK_b", kb), add("dM_c", mc);
  return out;
}

FullModel small_model(bool blind = false) {
  std::vector<ParameterSetting> settings(3);
  settings[0].name = "a", settings[1].name = "b", settings[2].name = "c";
  settings[0].group = settings[1].group = "springs", settings[2].group = "masses";
  settings[0].nominal = 6e4, settings[1].nominal = 5e4, settings[2].nominal = 0.5;
  return full_model(fe::matrix_model_of(chain_of_masses(blind), "chain"), settings, "chain");
}

const std::vector<Dof> outputs = {{1, 1, ""}, {2, 1, ""}, {3, 1, ""}, {5, 1, ""}, {6, 1, ""}},
                       inputs = {{1, 1, ""}, {5, 1, ""}};

fe::ReducedModel reduced(const FullModel& model) {
  return fe::project(model.matrices, MatrixXd::Identity(6, 6), model.rows(outputs, "outputs"),
                     model.rows(inputs, "inputs").transpose());
}

StageOptions band() {
  StageOptions out;
  out.band_hz = {10.0, 140.0};
  return out;
}

Part virtual_part(const FullModel& model, const VectorXd& truth, double noise, std::uint64_t seed) {
  return {"part",
          virtual_responses(modal_form(reduced(model), truth, false), VectorXd::Constant(6, 0.008),
                            VectorXd::LinSpaced(500, 8.0, 150.0), outputs, inputs, noise, seed),
          {}};
}

VectorXd vec(std::initializer_list<double> values) {
  VectorXd out(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

TEST(MultiStart, StartsAgreePhasesHoldAndCheckpointsGiveTheSameNumbers) {
  const FullModel model = small_model();
  const VectorXd truth = vec({1.4, 0.7, 1.3});
  const fe::ReducedModel small = reduced(model);
  const std::vector<Stage> stages = stages_of_model(small, truth, band());
  MultiStartOptions options;
  options.calibration.lower = VectorXd::Constant(3, 0.4), options.calibration.upper = VectorXd::Constant(3, 2.5);
  const MatrixXd starts = latin_hypercube(options.calibration.lower, options.calibration.upper, 6, 3);
  // Every parameter visits each of the five intervals once.
  for (Index s = 0; s < 3; ++s) {
    std::vector<int> seen(5, 0);
    for (Index j = 1; j < 6; ++j)
      ++seen[static_cast<std::size_t>(std::min(4.0, std::floor((starts(s, j) - 0.4) / 0.42)))];
    for (const int count : seen) EXPECT_EQ(count, 1);
  }
  const MultiStart plain = calibrate_from(starts, small, stages, options);
  EXPECT_EQ(plain.same_as_best, 6);
  EXPECT_LT((plain.runs[0].ratio - truth).cwiseAbs().maxCoeff(),
            1e-7);  // responses without noise: the truth is the optimum

  const std::string folder = (std::filesystem::path(testing::TempDir()) / "kdyn_update_checkpoint").string();
  std::filesystem::remove_all(folder);
  const Checkpoint checkpoint{folder, "job one"};
  const MultiStart stored = calibrate_from(starts, small, stages, options, checkpoint);
  std::filesystem::remove(folder + "/start_0004.json");  // as if killed there
  write_text(folder + "/start_0003.json",
             "{\"key\": \"job one\", \"row\": [1, 2");  // and half written by somebody else
  const MultiStart resumed = calibrate_from(starts, small, stages, options, checkpoint);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(stored.runs[i].ratio, plain.runs[i].ratio);
    EXPECT_EQ(resumed.runs[i].ratio, plain.runs[i].ratio);
  }
  // A finished start is taken from its file, not computed: one that was changed there shows.
  checkpoint.store("start", 2, [&] {
    auto row = *checkpoint.find("start", 2);
    row[2] = 123.0;
    return row;
  }());
  EXPECT_EQ(calibrate_from(starts, small, stages, options, checkpoint).runs[2].metric, 123.0);
  EXPECT_NE(calibrate_from(starts, small, stages, options, {folder, "job two"}).runs[2].metric, 123.0);

  // A folder that cannot be written is refused before the work; one that cannot be written any more ends no work.
  const std::string file = folder + "/a_file";
  write_text(file, "");
  const Checkpoint nowhere{file + "/below", "job one"};
  EXPECT_THROW(nowhere.try_folder(), Error);
  EXPECT_EQ(calibrate_from(starts, small, stages, options, nowhere).runs[2].ratio, plain.runs[2].ratio);
  EXPECT_NO_THROW(checkpoint.try_folder());

  options.phases = {{true, false, false}, {true, true, true}};
  const MultiStart staged = calibrate_from(starts.leftCols(2), small, stages, options);
  EXPECT_LT((staged.runs[1].ratio - truth).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(Gate, PredictsTheScatterAndNamesWhatCannotBeToldApart) {
  const FullModel model = small_model();
  const VectorXd truth = vec({1.4, 0.7, 1.3});
  UpdateOptions options;
  options.band_hz = {10.0, 140.0};
  options.starts = 1, options.basis_modes = 6, options.bootstrap_draws = 20;
  constexpr int seeds = 24;
  MatrixXd found(3, seeds);
  VectorXd predicted;
  for (int seed = 0; seed < seeds; ++seed) {
    const PartResult part =
        run_update(model, {virtual_part(model, truth, 0.01, 50 + static_cast<std::uint64_t>(seed))}, {}, options, "")
            .parts[0];
    found.col(seed) = part.optimum.ratio;
    predicted = part.gate_at_optimum.std;
    EXPECT_EQ(part.status, "converged");
  }
  for (Index s = 0; s < 3; ++s) {
    const double mean = found.row(s).mean(),
                 scatter = std::sqrt((found.row(s).array() - mean).square().sum() / (seeds - 1));
    EXPECT_NEAR(mean, truth[s], 4.0 * scatter / std::sqrt(seeds) + 2e-4)
        << s;  // no bias beyond its own uncertainty and that of equalisation
    // Scatter of 24 estimates and of 12 retests: known to 15 and 20 %; three times both together.
    EXPECT_NEAR(predicted[s] / scatter, 1.0, 0.75) << s;
  }

  const FullModel twins = small_model(true);
  const PartResult part =
      run_update(twins, {virtual_part(twins, VectorXd::Ones(3), 0.01, 1)}, {}, options, "").parts[0];
  ASSERT_EQ(part.gate.loose.size(), 1u);
  EXPECT_NEAR(std::abs(part.gate.loose[0].weights[0] / 6e4) / std::abs(part.gate.loose[0].weights[1] / 5e4),
              std::pow(5.0 / 6.0, 2),
              0.02);  // a up, b down, sum of both constant
  EXPECT_EQ(part.gate.verdict[0], Verdict::not_determined);
  EXPECT_EQ(part.gate.verdict[1], Verdict::not_determined);
  EXPECT_EQ(part.gate.verdict[2], Verdict::determined);
  EXPECT_TRUE(std::any_of(part.findings.begin(), part.findings.end(),
                          [](const Finding& f) { return f.code == "not_determined"; }));
}

TEST(Update, WholeChainWithValidationFixedParameterAndPairs) {
  FullModel model = small_model();
  model.parameters[2].fixed = true;
  const VectorXd truth = vec({1.4, 0.7, 1.0});
  UpdateOptions options;
  options.band_hz = {10.0, 140.0};
  options.starts = 2, options.basis_modes = 6, options.monte_carlo_draws = 8, options.validation = {"3"};
  options.phases = {"a", "all"};
  const UpdateResult result = run_update(model, {virtual_part(model, truth, 0.01, 3)}, {}, options, "");
  ASSERT_EQ(result.status, "converged") << result.reason;
  const PartResult& part = result.parts[0];
  EXPECT_EQ(part.optimum.ratio[2], 1.0);
  EXPECT_EQ(part.parameters[2].status, ParameterStatus::fixed);
  for (Index s = 0; s < 2; ++s) EXPECT_NEAR(part.optimum.ratio[s], truth[s], 0.01 * truth[s]);
  EXPECT_EQ(part.pairs_after.pairs.size(), part.identified.modes.size());
  for (const ModePair& pair : part.pairs_after.pairs) {
    EXPECT_GT(pair.mac, 0.99);
    EXPECT_NEAR(part.damping_after[pair.model], 0.008, 5e-4);
  }
  EXPECT_GT(part.metric_before.calibration, 20.0 * part.metric.calibration);
  // Parameters within half a per cent leave frequencies within 0.05 %, which over a damping of 0.8 % is 6 % of the
  // response at a resonance.
  EXPECT_LT(part.damped_misfit, 0.06);
  EXPECT_TRUE(std::isfinite(part.metric.validation));
  EXPECT_NEAR(part.mass_after, 6.5, 1e-9);
  EXPECT_EQ(part.uncertainty[0].name, "recalibration");
  EXPECT_GT(part.uncertainty[0].std[0], 0.0);
  EXPECT_EQ(part.uncertainty[0].std[2], 0.0);
  // Tasks on one thread give the same numbers.
  ThreadRunner one(1);
  set_task_runner(&one);
  const UpdateResult again = run_update(model, {virtual_part(model, truth, 0.01, 3)}, {}, options, "");
  set_task_runner(nullptr);
  EXPECT_EQ(again.parts[0].optimum.ratio, part.optimum.ratio);
  EXPECT_EQ(again.parts[0].uncertainty[0].std, part.uncertainty[0].std);
}

// Forty masses on springs; the parameter is the stiffness of the right half: too many directions for attachment
// vectors.
struct LongChain {
  FullModel model;
  Part part;
};
LongChain long_chain(double truth) {
  constexpr int n = 40;
  MatrixXd k = MatrixXd::Zero(n, n), half = k;
  for (int i = 0; i + 1 < n; ++i) {
    MatrixXd& to = i < n / 2 ? k : half;
    to(i, i) += 4e6, to(i + 1, i + 1) += 4e6, to(i, i + 1) -= 4e6, to(i + 1, i) -= 4e6;
  }
  k(0, 0) += 1e5;
  k += half;
  MatrixSet set;
  const auto add = [&](const char* name, const MatrixXd& values) { set.matrices.push_back(named(name, values)); };
  add("K", k), add("M", MatrixXd::Identity(n, n)), add("dK_half", half);
  ParameterSetting setting;
  setting.name = "half", setting.upper = 2.5;
  LongChain out{full_model(fe::matrix_model_of(set, "chain"), {setting}, "chain"), {}};
  std::vector<Dof> sensors;
  for (int node = 1; node <= n; node += 5) sensors.push_back({node, 1, ""});
  const fe::ReducedModel full = fe::project(out.model.matrices, MatrixXd::Identity(n, n), out.model.rows(sensors, ""),
                                            out.model.rows({{1, 1, ""}, {31, 1, ""}}, "").transpose());
  out.part = {"part",
              virtual_responses(modal_form(full, vec({truth}), false), VectorXd::Constant(n, 0.01),
                                VectorXd::LinSpaced(500, 10.0, 130.0), sensors, {{1, 1, ""}, {31, 1, ""}}, 1e-3, 5),
              {}};
  return out;
}

TEST(Update, ABasisThatDoesNotFollowIsRebuiltAtTheOptimumAndNeverSilent) {
  const LongChain chain = long_chain(2.4);
  UpdateOptions options;
  options.band_hz = {12.0, 100.0};
  options.starts = 1, options.basis_modes = 40, options.sensitivity_modes = 0, options.bootstrap_draws = 0,
  options.noise_draws = 0;
  options.suggest = false;
  const auto has_finding = [](const PartResult& part) {
    return std::any_of(part.findings.begin(), part.findings.end(),
                       [](const Finding& f) { return f.code == "basis_error"; });
  };
  // The oracle: all forty modes are a basis without error.
  const PartResult exact = run_update(chain.model, {chain.part}, {}, options, "").parts[0];
  EXPECT_LT(exact.basis_error, 1e-9);
  EXPECT_EQ(exact.basis_rebuilt, 0);
  EXPECT_NEAR(exact.optimum.ratio[0], 2.4,
              0.01 * 2.4);  // noise and what identification of a chain with forty modes leaves
  // Not allowed to rebuild: biased, and said so.
  options.basis_modes = 16, options.rebuilds = 0;
  const PartResult stiff = run_update(chain.model, {chain.part}, {}, options, "").parts[0];
  EXPECT_GT(stiff.basis_error, 1e-3);
  EXPECT_TRUE(has_finding(stiff));
  // Rebuilt: the full model agrees at the optimum. What remains is the static share of the modes that sixteen do not
  // hold.
  options.rebuilds = 3;
  const PartResult rebuilt = run_update(chain.model, {chain.part}, {}, options, "").parts[0];
  EXPECT_GE(rebuilt.basis_rebuilt, 1);
  EXPECT_EQ(rebuilt.basis_error_nominal, stiff.basis_error);
  EXPECT_LT(rebuilt.basis_error, 1e-4);
  EXPECT_FALSE(has_finding(rebuilt));
  EXPECT_NE(rebuilt.optimum.ratio[0], stiff.optimum.ratio[0]);
  EXPECT_LT(std::abs(rebuilt.optimum.ratio[0] - exact.optimum.ratio[0]),
            0.6 * std::abs(stiff.optimum.ratio[0] - exact.optimum.ratio[0]));
}

TEST(TargetNoise, RetestsScatterAsTestsDoAndHiddenSamplesAreNotResolved) {
  // The same structure measured with 24 noises: scatter of the equalised targets against what retests of the first one
  // say.
  const FullModel model = small_model();
  const VectorXd truth = vec({1.4, 0.7, 1.3});
  ModalOptions identification;
  identification.band_hz = {8.0, 150.0};
  const StageOptions last = last_of(band());
  const Stage exact = stages_of_model(reduced(model), truth, last).front();
  MatrixXd square = MatrixXd::Zero(exact.target.values.rows(), exact.target.values.cols());
  constexpr int tests = 24;
  ModalResult first;
  for (int seed = 0; seed < tests; ++seed) {
    const ModalResult found = identify_modes(
        virtual_part(model, truth, 0.02, 300 + static_cast<std::uint64_t>(seed)).responses, identification);
    square +=
        (equalised_stages(found.model, ResponseKind::accelerance, last).front().target.values - exact.target.values)
            .cwiseAbs2() /
        tests;
    if (seed == 0) first = found;
  }
  const Stage stage = equalised_stages(first.model, ResponseKind::accelerance, last).front();
  const TargetNoise noise = target_noise(first, ResponseKind::accelerance, last, stage, 24, 7);
  ASSERT_EQ(noise.draws.size(), 24u);
  // Pooled over all samples; both sides know their rms to about 10 %, and the fitted model is not quite the true one.
  EXPECT_NEAR(std::sqrt(noise.std.cwiseAbs2().sum() / square.sum()), 1.0, 0.35);
  // A response far below the noise cannot be resolved; one far above is.
  Target target = stage.target;
  target.values(3, 2) = 0.1 * noise.std(3, 2);
  target.values(4, 2) = 100.0 * noise.std(4, 2);
  const MatrixXd resolved = noise.resolved(target);
  EXPECT_EQ(resolved(3, 2), 0.0);
  EXPECT_EQ(resolved(4, 2), 1.0);
  // Weights of zero take samples out of the metric.
  Target without = exact.target;
  without.values(3, 2) *= 10.0;  // |eps| = 1 there, zero elsewhere
  const Eigen::MatrixXcd h = exact.target.values;
  EXPECT_NEAR(log_metric(h, without), 1.0 / static_cast<double>(h.size()), 1e-12);
  without.weight = MatrixXd::Ones(h.rows(), h.cols());
  without.weight(3, 2) = 0.0;
  EXPECT_EQ(log_metric(h, without), 0.0);
  const MetricSlope slope = metric_slope(reduced(model), truth, without, last.damping.front());
  EXPECT_LT(slope.metric, 1e-20);
  EXPECT_EQ(target_noise(first, ResponseKind::accelerance, last, stage, 0, 7).resolved(target).size(), 0);
}

TEST(Population, SpreadBetweenPartsIsSeparatedFromNoise) {
  // Parts with a known spread of 6 % and known noise: parameter a differs, b does not.
  FullModel model = small_model();
  constexpr int count = 200;
  std::vector<PartResult> parts(count);
  RandomStream random(8);
  const fe::ReducedModel small = reduced(model);
  StageOptions stage_options = band();
  stage_options.damping = {0.1}, stage_options.lines_per_half_bandwidth = {1.0};
  const std::vector<Stage> stages = stages_of_model(small, VectorXd::Ones(3), stage_options);
  for (PartResult& part : parts) {
    part.parameters.resize(3);
    for (int s = 0; s < 3; ++s) part.parameters[static_cast<std::size_t>(s)].std = 0.05;
    part.parameters[0].value = 2.0 + 0.12 * random.normal() + 0.05 * random.normal();
    part.parameters[1].value = 2.0 + 0.05 * random.normal();
    part.parameters[2].value = 1.0;
    part.model = small, part.stages = stages, part.optimum.ratio = VectorXd::Ones(3);
    part.calibration.assign(10, true), part.validation.assign(10, false), part.stages[0].target.use.assign(10, true);
  }
  const Population all = compare_parts(model, parts);
  // The standard deviation of 200 draws is known to 5 %; three times that.
  EXPECT_NEAR(all.parameters[0].between_std, 0.12, 0.018);
  EXPECT_LT(all.parameters[0].p_value, 1e-6);
  EXPECT_LT(all.parameters[1].between_std, 0.025);
  EXPECT_GT(all.parameters[1].p_value, 1e-3);
  EXPECT_NEAR(all.cross_metric(0, 1), 0.0, 1e-20);
}

TEST(PairModes, FrequencyDecidesBetweenShapesThatLookAlikeAndSpuriousPolesAreRejected) {
  ModesAtSensors test, model;
  test.frequency_hz = vec({50.0, 100.0, 120.0});
  test.damping = vec({0.01, 0.02, 0.03});
  test.shapes.resize(4, 3);
  test.shapes << 1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1, -1;  // the first two look alike to these sensors
  model.frequency_hz = vec({52.0, 98.0});
  model.shapes.resize(4, 2);
  model.shapes << 1, 1, 1, 1, 1, 1, 1, 1;
  const Pairing pairing = pair_modes(test, model);
  ASSERT_EQ(pairing.pairs.size(), 2u);
  EXPECT_EQ(pairing.pairs[0].model, 0);
  EXPECT_EQ(pairing.pairs[1].model, 1);
  EXPECT_EQ(pairing.test_alone, std::vector<int>{2});
  EXPECT_EQ(mapped_damping(pairing, test, 2), vec({0.01, 0.02}));
}

TEST(PairModes, AssignmentIsTheBestOfAll) {
  // Against all permutations of a 5 x 5 matrix.
  RandomStream random(2);
  MatrixXd benefit(5, 5);
  for (double& x : benefit.reshaped()) x = random.uniform();
  std::vector<int> order = {0, 1, 2, 3, 4};
  double best = 0.0;
  do {
    double sum = 0.0;
    for (int i = 0; i < 5; ++i) sum += benefit(i, order[static_cast<std::size_t>(i)]);
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  const std::vector<int> found = assign(benefit);
  double sum = 0.0;
  for (int i = 0; i < 5; ++i) sum += benefit(i, found[static_cast<std::size_t>(i)]);
  EXPECT_DOUBLE_EQ(sum, best);
  EXPECT_EQ(assign(benefit.topRows(2)).size(), 2u);
}

TEST(Plan, SensorsKeepTheModesApartAndDoublesAreRejected) {
  // Sine shapes of a string at 30 points, each point twice.
  constexpr int points = 30, modes = 4;
  MatrixXd shapes(2 * points, modes);
  for (int i = 0; i < 2 * points; ++i)
    for (int r = 0; r < modes; ++r)
      shapes(i, r) = std::sin((r + 1) * std::numbers::pi * (i / 2 + 1.0) / (points + 1.0));
  const SensorChoice choice = choose_sensors(shapes, 6);
  ASSERT_EQ(choice.chosen.size(), 6u);
  EXPECT_GE(choice.rejected_alike, points - 1);
  std::vector<int> places;
  for (const int i : choice.chosen) places.push_back(i / 2);
  std::sort(places.begin(), places.end());
  EXPECT_EQ(std::unique(places.begin(), places.end()), places.end());
  EXPECT_LT(choice.condition, 3.0);
  double sum = 0.0;
  for (const double share : choice.independence) sum += share;
  EXPECT_NEAR(sum, modes, 1e-9);  // trace of a projector
  EXPECT_THROW(choose_sensors(shapes, 3), Error);
  const VectorXd lines = lines_from_poles(vec({50.0, 90.0}), 20.0, 200.0, 0.02, 2.0);
  EXPECT_GE(lines[0], 20.0);
  for (const double pole : {50.0, 90.0}) EXPECT_LT((lines.array() - pole).abs().minCoeff(), 0.25 * 0.02 * pole);
  for (Index i = 0; i + 1 < lines.size(); ++i) EXPECT_GT(lines[i + 1], lines[i]);
}

TEST(Metric, FastAngleIsThatOfTheStandardLibrary) {
  RandomStream random(4);
  for (int i = 0; i < 2000; ++i) {
    const std::complex<double> a = std::polar(std::exp(random.normal()), random.uniform(-3.14159265, 3.14159265)),
                               b(1.0, 0.0);
    const std::complex<double> fast = log10_ratio(a, b), exact = std::log(a) / std::log(10.0);
    EXPECT_NEAR(fast.real(), exact.real(), 4e-16 * std::max(1.0, std::abs(exact.real())));
    EXPECT_NEAR(fast.imag(), exact.imag(),
                4e-16 * std::max(1.0, std::abs(exact.imag())));  // a few units of the last digit
  }
  EXPECT_DOUBLE_EQ(log10_ratio({-1.0, 0.0}, {1.0, 0.0}).imag(), std::numbers::pi / std::log(10.0));
}

}  // namespace
}  // namespace kdyn::update
