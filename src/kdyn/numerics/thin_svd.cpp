// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/thin_svd.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <cblas-openblas.h>

#include "kdyn/base/error.hpp"

extern "C" void dgesdd_(const char* job, const int* rows, const int* columns, double* a, const int* lda, double* s,
                        double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* size,
                        int* whole, int* info, std::size_t job_length);

namespace kdyn::inline numerics {

ThinSvd thin_svd(Eigen::MatrixXd a) {
  const int m = static_cast<int>(a.rows()), n = static_cast<int>(a.cols()), k = std::min(m, n);
  ThinSvd out{Eigen::VectorXd(k), Eigen::MatrixXd(m, k), {}};
  out.V.resize(n, k);
  if (k == 0) return out;
  if (!a.allFinite()) {  // LAPACK would not return
    out.values.setConstant(std::numeric_limits<double>::quiet_NaN());
    out.U.setConstant(std::numeric_limits<double>::quiet_NaN());
    out.V.setConstant(std::numeric_limits<double>::quiet_NaN());
    return out;
  }
  const int threads = openblas_get_num_threads();
  openblas_set_num_threads(1);
  Eigen::MatrixXd vt(k, n);
  std::vector<int> whole(static_cast<std::size_t>(8 * k));
  int info = 0, ask = -1;
  double size = 0.0;
  dgesdd_("S", &m, &n, a.data(), &m, out.values.data(), out.U.data(), &m, vt.data(), &k, &size, &ask, whole.data(),
          &info, 1);
  std::vector<double> work(static_cast<std::size_t>(size));
  ask = static_cast<int>(work.size());
  dgesdd_("S", &m, &n, a.data(), &m, out.values.data(), out.U.data(), &m, vt.data(), &k, work.data(), &ask,
          whole.data(), &info, 1);
  openblas_set_num_threads(threads);
  demand(info == 0, "singular values of a finite matrix converge");
  out.V = vt.transpose();
  return out;
}

}  // namespace kdyn::inline numerics
