// SPDX-License-Identifier: Apache-2.0
// Bushings four at a time [mbs E61] against the same bushings one by one, whose measures, loads and virtual work are
// formed by other formulas in natural coordinates.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cases.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/mbs/internal/bushing_batch.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn::mbs {
namespace {

Vector3 random_vector(RandomStream& random, double size) {
  return size * Vector3(random.normal(), random.normal(), random.normal());
}

std::shared_ptr<AxisLaw> law(double k, double c) {
  return axis_law_from_json({{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", c}}}}, "law");
}

// `count` bodies tied to one another and to ground by bushings that differ in everything.
Model web(int count, bool turned, RandomStream& random) {
  Model model;
  for (int i = 0; i < count; ++i)
    model.bodies.push_back(cases::rigid(1.0, 0.1 * Matrix3::Identity(), random_vector(random, 0.1)));
  const auto marker = [&](int body) {
    return model.add_marker(body, random_vector(random, 0.3),
                            turned ? rotation_of(random_vector(random, 1.0)) : Matrix3(Matrix3::Identity()));
  };
  for (int i = 0; i < count; ++i) {
    Connection c;
    c.marker1 = marker(i - 1), c.marker2 = marker(i);
    if (i % 3 == 2) std::swap(c.marker1, c.marker2);
    for (std::size_t k = 0; k < 6; ++k)
      if ((i + static_cast<int>(k)) % 5 != 0) c.laws[k] = law(1e3 * (1.0 + random.uniform()), 10.0 * random.uniform());
    c.preload << random_vector(random, 100.0), random_vector(random, 5.0);
    model.connections.push_back(c);
  }
  return model;
}

// One by one, and the size of what is summed; near half a turn rounding grows as 1/sin^2 of the angle, by the slope of the
// logarithm.
VectorX one_by_one(const System& system, const VectorX& q, const VectorX& v, double& size) {
  Evaluation e;
  e.w.setZero(0), e.wd.setZero(0);
  system.place(q, v, e);
  LawState laws;
  laws.motion.resize(system.axes().size(), {0.0, 0.0});
  laws.memory.resize(system.axes().size());
  laws.w.setZero(0);
  system.apply_laws(laws, {}, e);
  VectorX full = VectorX::Zero(system.coordinates()), reduced;
  size = 0.0;
  for (std::size_t c = 0; c < system.model().connections.size(); ++c) {
    Vector6 load = system.model().connections[c].preload;
    for (std::size_t a = 0; a < system.axes().size(); ++a)
      if (system.axes()[a].connection == static_cast<int>(c)) load[system.axes()[a].component] += e.load[a];
    system.pull_back_load(static_cast<int>(c), load, e, full);
    const double cosine = 0.5 * (e.measure[c].P.trace() - 1.0), steep = cosine < 0.0 ? 1.0 - cosine * cosine : 1.0;
    size = std::max(size, load.cwiseAbs().maxCoeff() / steep);
  }
  system.project(q, full, reduced);
  return reduced;
}

void agree(const Model& model, double angle, std::uint64_t seed) {
  const System system(model);
  const BushingBatch batch(system);
  ASSERT_FALSE(batch.empty());
  for (const char taken : batch.taken()) EXPECT_TRUE(taken);
  for (int round = 0; round < 20; ++round) {
    RandomStream random(seed, static_cast<std::uint64_t>(round));
    VectorX q = system.initial_position(), v(system.coordinates());
    for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
      q.segment<3>(system.q_at(b)) = random_vector(random, 0.5);
      const Matrix3 A = rotation_of(angle * random_vector(random, 1.0).normalized() * random.uniform());
      q.segment<9>(system.q_at(b) + 3) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(A.data());
    }
    // Rates of the scheme are no exact rates of rotations.
    for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = random.normal();
    double size = 0.0;
    const VectorX expected = one_by_one(system, q, v, size);
    VectorX found = VectorX::Ones(system.tangents());
    batch.add(q, v, found);
    // Arms of about a metre, some twenty products: rounding of the loads.
    EXPECT_LT((found - VectorX::Ones(system.tangents()) - expected).cwiseAbs().maxCoeff(), 2e-13 * size) << angle;
  }
}

TEST(BushingBatch, IsTheSumOfItsBushings) {
  RandomStream random(3, 0);
  // Groups that are full, and last ones with one, two and three bushings.
  for (const int count : {1, 2, 3, 4, 5, 11})
    for (const bool turned : {false, true}) agree(web(count, turned, random), 1.0, 17);
}

TEST(BushingBatch, HoldsFromNoAngleToNearlyHalfATurn) {
  RandomStream random(5, 0);
  const Model model = web(4, false, random);
  for (const double angle : {0.0, 1e-9, 1e-6, 1e-4, 5e-3, 1.5e-2, 0.1, 0.6, 1.4}) agree(model, angle, 23);
  // One bushing alone has the angle of its body: up to 179 degrees.
  Model single = web(1, false, random);
  const System system(single);
  const BushingBatch batch(system);
  for (const double degrees : {10.0, 90.0, 150.0, 179.0}) {
    VectorX q = system.initial_position();
    const Matrix3 A = rotation_of(Vector3(0.6, 0.0, 0.8) * degrees * std::numbers::pi / 180.0);
    q.segment<9>(3) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(A.data());
    double size = 0.0;
    const VectorX v = VectorX::Constant(system.coordinates(), 0.3), expected = one_by_one(system, q, v, size);
    VectorX found = VectorX::Zero(system.tangents());
    batch.add(q, v, found);
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 2e-13 * size) << degrees;
  }
}

TEST(BushingBatch, LeavesToOthersWhatItCannot) {
  RandomStream random(9, 0);
  Model model = web(6, false, random);
  model.connections[1].measure = RotationMeasure::vect;
  model.connections[2].laws[0] = axis_law_from_json(
      {{"model", "elastomer"}, {"parameters", {{"static_stiffness", 1e4}, {"rdl", 1e-4}, {"rho", 1e3}}}}, "law");
  model.connections[3].kind = ConnectionKind::spring;
  const System system(model);
  const BushingBatch batch(system);
  EXPECT_EQ(batch.taken(), (std::vector<char>{1, 0, 0, 0, 1, 1}));
  EXPECT_FALSE(batch.own_markers()[static_cast<std::size_t>(model.connections[2].marker1)]);
  EXPECT_TRUE(batch.own_markers()[static_cast<std::size_t>(model.connections[4].marker1)]);
}

}  // namespace
}  // namespace kdyn::mbs
