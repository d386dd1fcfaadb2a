// SPDX-License-Identifier: Apache-2.0
// Modes of the vehicle from free decays without a model of it: state variable method and eigensystem realisation
// algorithm.
//
// Both are what the literature offers; both are fragile here (wheel hop dies within 0.15 s, two pairs of poles lie 0.03
// % apart, and the published least squares is biased by noise in its regressors). They start and check the
// maximum-likelihood fit, nothing else.
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/vehicle/decays.hpp"

namespace kdyn::inline vehicle {

enum class ModalMethod { state_variable, state_variable_eq18, realisation };

struct DecayModalOptions {
  ModalMethod method = ModalMethod::realisation;
  int stack = 10;  // p: a stacked vector holds p + 1 samples
  int max_modes = vehicle_dofs;
  double lowest_hz = 0.3, highest_hz = 40.0, largest_damping = 0.95;
};

struct IdentifiedModes {
  Eigen::VectorXcd eigenvalues;      // continuous time, Im > 0, by rising frequency
  Eigen::MatrixXcd shapes;           // displacement shapes, 7 x modes
  std::vector<double> contribution;  // rms share in the data
};

// Of all records with this configuration together; they must share one sampling interval.
IdentifiedModes identify_modes(const DecaySet& set, int config, const DecayModalOptions& options);

// Acceleration per displacement and per velocity, A21 and A22 of the state matrix, from seven modes [vehicle E13].
struct StateBlocks {
  Eigen::MatrixXd A21, A22;
};
StateBlocks state_blocks(const IdentifiedModes& modes);

// Matrices by the difference of the two configurations [vehicle E14].
struct PhysicalMatrices {
  Eigen::MatrixXd M, C, K;
  double asymmetry_K = 0.0, asymmetry_C = 0.0;  // |K - K^T|/|K|: zero when the added mass is what was said
};
PhysicalMatrices physical_matrices(const StateBlocks& plain, const StateBlocks& loaded, const AddedMass& added);

// Parameters from the elements of M, C and K by least squares [vehicle E15]; per corner, or averaged over the axles
// when symmetric. With known structure (a, b, tf, tr) all elements of K and C take part [vehicle E16].
struct ElementFit {
  bool symmetric = true;
  const Vehicle<double>* known_structure = nullptr;
};
Vehicle<double> vehicle_from_matrices(const PhysicalMatrices& matrices, const ElementFit& fit);

}  // namespace kdyn::inline vehicle
