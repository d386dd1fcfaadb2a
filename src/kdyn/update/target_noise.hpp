// SPDX-License-Identifier: Apache-2.0
// What noise does to the target of a calibration: the test is repeated with new noise of the measured size and
// identified again.
//
//   [update E14] size of the noise; [update E26] standard deviation s of a sample of the target, over draws and neighbouring lines
//   [update E27] a sample is resolved when |H_X| > 3 s. The logarithm of a response that noise hides is a random number of the order of one, and
//                a handful of them outweighs all other samples of a metric.
// Identification smooths: it takes out all noise that no modal model can follow, so s is far below the noise of the
// responses (a tenth in the middle of a band), but more at its ends. Draws depend on seed and number alone. Needs an
// identified model.
#pragma once

#include <vector>

#include "kdyn/base/progress.hpp"
#include "kdyn/update/targets.hpp"

namespace kdyn::update {

// The test again: smooth responses, new noise of [update E14], poles and residues fitted again from those of the test.
class Retest {
 public:
  Retest(const ModalResult& identified, std::int64_t seed);
  ModalModel identify(int draw) const;

 private:
  const ModalResult& identified_;
  std::int64_t seed_;
  Eigen::VectorXd deviation_;  // of each part of a complex sample
  Eigen::MatrixXcd smooth_;
};

struct TargetNoise {
  std::vector<Eigen::MatrixXcd> draws;  // target of each draw minus that of the test, lines x channels
  Eigen::MatrixXd std;                  // [update E26]; empty without draws

  // 1 where a sample of `target` is resolved, else 0 [update E27]; empty without draws.
  Eigen::MatrixXd resolved(const Target& target) const;
};
// `stage`: of this identified model, with the options it was made with (targets.hpp).
TargetNoise target_noise(const ModalResult& identified, ResponseKind kind, const StageOptions& options,
                         const Stage& stage, int draws, std::int64_t seed, Progress& progress = silent_progress());

}  // namespace kdyn::update
