// SPDX-License-Identifier: Apache-2.0
// Oracle: responses of a 20-dof model computed independently with modal damping xi_0 (reference/updating_frf.json).
#include "kdyn/sysid/equalise.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/json.hpp"
#include "kdyn/sysid/identify.hpp"
#include "kdyn/sysid/test/synthetic.hpp"

namespace kdyn::inline sysid {
namespace {

Eigen::MatrixXd matrix(const Json& rows) {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(rows[0].size()));
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    for (Eigen::Index j = 0; j < out.cols(); ++j)
      out(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>();
  return out;
}

struct Reference {
  Json data = read_json(KDYN_SOURCE_DIR "/src/kdyn/sysid/test/reference/updating_frf.json");
  ModalModel model;
  Eigen::VectorXd omega;

  Reference() {
    Eigen::MatrixXd M = matrix(data["M_fix"]), K = matrix(data["K_fix"]);
    for (std::size_t s = 0; s < data["p_true"].size(); ++s) {
      M += data["p_true"][s].get<double>() * matrix(data["dM"][s]);
      K += data["p_true"][s].get<double>() * matrix(data["dK"][s]);
    }
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, M);
    const auto y = data["outputs_dof0"].get<std::vector<int>>(), u = data["inputs_dof0"].get<std::vector<int>>();
    const auto p = static_cast<Eigen::Index>(y.size()), q = static_cast<Eigen::Index>(u.size());
    // Accelerance: D = sum phi phi^T holds the rigid mode exactly; the 19 flexible ones are poles.
    const Eigen::MatrixXd out = eigen.eigenvectors()(y, Eigen::all), in = eigen.eigenvectors()(u, Eigen::all);
    model.D = out * in.transpose();
    model.poles.resize(19);
    model.C.resize(p, 19);
    model.B.resize(19, q);
    for (Eigen::Index r = 0; r < 19; ++r) {
      const double w = std::sqrt(eigen.eigenvalues()[r + 1]),
                   xi = data["xi_true"][static_cast<std::size_t>(r + 1)].get<double>();
      const std::complex<double> pole = w * std::complex<double>(-xi, std::sqrt(1.0 - xi * xi));
      model.poles[r] = pole;
      model.roles.push_back(PoleRole::mode);
      model.C.col(r) = out.col(r + 1) * (pole * pole / std::complex<double>(0.0, 2.0 * pole.imag()));
      model.B.row(r) = in.col(r + 1).transpose();
    }
    const auto index = data["frf_points_index"].get<std::vector<int>>();
    omega.resize(static_cast<Eigen::Index>(index.size()));
    for (std::size_t i = 0; i < index.size(); ++i)
      omega[static_cast<Eigen::Index>(i)] =
          2.0 * std::numbers::pi * data["freq_hz"][static_cast<std::size_t>(index[i])].get<double>();
  }

  Eigen::MatrixXcd responses(const char* key) const {
    const Eigen::Index p = model.outputs(), q = model.inputs();
    Eigen::MatrixXcd H(omega.size(), p * q);
    for (Eigen::Index k = 0; k < omega.size(); ++k) {
      const Json& at = data[key][static_cast<std::size_t>(k)];
      const Eigen::MatrixXd re = matrix(at["re"]), im = matrix(at["im"]);
      for (Eigen::Index u = 0; u < q; ++u)
        for (Eigen::Index y = 0; y < p; ++y) H(k, y + p * u) = {re(y, u), im(y, u)};
    }
    return H;
  }
};

// Both sides are sums of 20 terms in double precision; the acceptance asks for 1e-12.
TEST(Equalise, AgreesWithExactResponsesForRealModes) {
  const Reference reference;
  EXPECT_LT(misfit(synthesise(reference.model, reference.omega), reference.responses("frf_true_damped")), 1e-12);
  const ModalModel equal = equalise_damping(reference.model, reference.data["xi0"].get<double>());
  const Eigen::MatrixXcd expected = reference.responses("frf_equalised_exact"),
                         got = synthesise(equal, reference.omega);
  EXPECT_LT(misfit(got, expected), 1e-12);
  for (Eigen::Index k = 0; k < got.rows(); ++k)
    for (Eigen::Index c = 0; c < got.cols(); ++c)
      EXPECT_LT(std::abs(got(k, c) - expected(k, c)), 1e-12 * expected.row(k).cwiseAbs().maxCoeff());
}

// Identified from noise-free responses over all modes, then equalised: only the rounding of the identification is
// added.
TEST(Equalise, IdentifiedModelGivesTheSame) {
  const Reference reference;
  const Eigen::VectorXd lines = synthetic::lines(20.0, 1.1 * frequency_hz(reference.model.poles[18]), 1200);
  const ModalResult found = identify_modes(synthetic::response(synthesise(reference.model, lines), lines, 8, 3), {});
  ASSERT_EQ(found.modes.size(), 19U);
  const ModalModel equal = equalise_damping(found.model, 0.02);
  EXPECT_LT(misfit(synthesise(equal, reference.omega), reference.responses("frf_equalised_exact")), 1e-8);
}

TEST(Equalise, LeavesResidualPolesAlone) {
  ModalModel model = synthetic::system(3, 2, 2, 50.0, 100.0, 1);
  model.roles[1] = PoleRole::residual_above;
  const ModalModel equal = equalise_damping(model, 0.05);
  EXPECT_EQ(equal.poles[1], model.poles[1]);
  EXPECT_NEAR(damping_ratio(equal.poles[0]), 0.05, 1e-15);
  EXPECT_NEAR(std::abs(equal.poles[0]), std::abs(model.poles[0]), 1e-12 * std::abs(model.poles[0]));
}

}  // namespace
}  // namespace kdyn::inline sysid
