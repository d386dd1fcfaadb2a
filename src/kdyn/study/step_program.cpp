// SPDX-License-Identifier: Apache-2.0
#include "kdyn/study/step_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kdyn::study {

StepSolution solve_step(const Eigen::MatrixXd& H, const Eigen::VectorXd& h, const Eigen::MatrixXd& G,
                        const Eigen::VectorXd& b) {
  using Eigen::VectorXd;
  const Eigen::Index n = h.size(), m = b.size();
  StepSolution out;
  out.z = VectorXd::Zero(n);
  VectorXd slack = b.cwiseMax(1.0), lambda = VectorXd::Ones(m);
  const double size =
      1.0 + std::max({h.lpNorm<Eigen::Infinity>(), b.lpNorm<Eigen::Infinity>(), H.lpNorm<Eigen::Infinity>()});
  // The largest share of a step that keeps what is above 0 there.
  const auto reach = [](const VectorXd& value, const VectorXd& change) {
    double share = 1.0;
    for (Eigen::Index i = 0; i < value.size(); ++i)
      if (change[i] < 0.0) share = std::min(share, -value[i] / change[i]);
    return share;
  };
  // Beyond the last digits iterates become worse again: the best one counts.
  VectorXd z = out.z;
  double best = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 100; ++iteration) {
    const VectorXd dual = H * z + h + G.transpose() * lambda, primal = G * z + slack - b;
    const double gap = slack.dot(lambda) / static_cast<double>(m);
    const double error = std::max({dual.lpNorm<Eigen::Infinity>(), primal.lpNorm<Eigen::Infinity>(), gap});
    if (error < best) best = error, out.z = z, out.multipliers = lambda;
    if (error <= 1e-15 * size || (error > 1e3 * best && best <= 1e-10 * size)) break;
    const VectorXd weight = lambda.cwiseQuotient(slack);
    Eigen::MatrixXd K = H + G.transpose() * weight.asDiagonal() * G;
    K.diagonal().array() += 1e-15 * size;
    const Eigen::LDLT<Eigen::MatrixXd> solver(K);
    VectorXd dz, ds, dl;
    const auto direction = [&](const VectorXd& complementary) {
      dz = solver.solve(-dual - G.transpose() * (weight.cwiseProduct(primal) - complementary.cwiseQuotient(slack)));
      ds = -primal - G * dz;
      dl = -(complementary + lambda.cwiseProduct(ds)).cwiseQuotient(slack);
    };
    direction(slack.cwiseProduct(lambda));
    const double ahead = std::min(reach(slack, ds), reach(lambda, dl));
    const double after = (slack + ahead * ds).dot(lambda + ahead * dl) / static_cast<double>(m);
    const double centring = std::pow(std::max(after, 0.0) / gap, 3.0);
    direction((slack.cwiseProduct(lambda) + ds.cwiseProduct(dl)).array() - centring * gap);
    if (!dz.allFinite() || !dl.allFinite()) break;
    const double share = std::min(1.0, 0.995 * std::min(reach(slack, ds), reach(lambda, dl)));
    z += share * dz, slack += share * ds, lambda += share * dl;
  }
  out.solved = best <= 1e-8 * size;
  return out;
}

}  // namespace kdyn::study
