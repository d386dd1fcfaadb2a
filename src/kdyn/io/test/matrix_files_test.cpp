// SPDX-License-Identifier: Apache-2.0
// CalculiX and Matrix Market: written and read, and what is said about damaged or expanded models.
#include <gtest/gtest.h>
#include <unistd.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/calculix.hpp"
#include "kdyn/io/matrix_market.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using test::same_values;

bool has(const std::vector<Finding>& findings, const std::string& code) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.code == code; });
}

TEST(Calculix, AJobIsReadFromAnyOfItsFiles) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("kdyn_calculix_" + std::to_string(::getpid()));
  const Matrix k = test::sample_sparse(false);
  Matrix m = k;
  for (double& value : m.real) value = std::abs(value);
  write_text((root / "job.sti").string(), calculix_matrix_text(k));
  write_text((root / "job.mas").string(), calculix_matrix_text(m));
  write_text((root / "job.dof").string(), calculix_dof_text(k.row_dofs));
  for (const char* name : {"job.sti", "job.mas", "job.dof"}) {
    const MatrixSet set = read_calculix((root / name).string());
    ASSERT_EQ(set.matrices.size(), 2U) << name;
    EXPECT_TRUE(set.findings.empty());
    EXPECT_TRUE(same_values(*set.find("K"), k));
    EXPECT_TRUE(same_values(*set.find("M"), m));
    EXPECT_EQ(set.find("K")->row_dofs, k.row_dofs);
  }
  fs::remove_all(root);
}

TEST(Calculix, UpperTriangleInAnyOrderWithStructuralZeros) {
  std::vector<Finding> findings;
  const Matrix m = parse_calculix_matrix("2 2 3.0\n1 2 -1.0\n1 1 2.0D0\n3 3 0.0\n", "k.sti", findings);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(m.rows, 3);
  EXPECT_EQ(m.nonzeros(), 5U);
  EXPECT_EQ(m.at(0, 1), -1.0);
  EXPECT_EQ(m.at(1, 0), -1.0);
  EXPECT_EQ(m.at(2, 2), 0.0);
}

TEST(Calculix, ExpandedShellsAreRecognised) {
  namespace fs = std::filesystem;
  const fs::path root = fs::temp_directory_path() / ("kdyn_shells_" + std::to_string(::getpid()));
  write_text((root / "s.mas").string(), "1 1 1.0\n2 2 -0.5\n");
  write_text((root / "s.dof").string(), "5.1\n5.1\n");
  const MatrixSet set = read_calculix((root / "s.mas").string());
  fs::remove_all(root);
  EXPECT_TRUE(has(set.findings, "mass_not_definite"));
  EXPECT_TRUE(has(set.findings, "labels_repeat"));
}

TEST(Calculix, BadRowsAreNamedAndTheRestIsRead) {
  std::vector<Finding> findings;
  const Matrix m =
      parse_calculix_matrix("1 1 1.0\nnonsense\n2 2 nan\n2147483646 1 1.0\n0 1 2.0\n2 2 4.0\n", "k.sti", findings);
  EXPECT_EQ(m.rows, 2);
  EXPECT_EQ(m.at(1, 1), 4.0);
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0].where, "k.sti:2: byte 8");
}

TEST(MatrixMarket, RoundTripsExactly) {
  for (const Matrix& given : test::sample_matrices().matrices) {
    const MatrixSet read = parse_matrix_market(matrix_market_text(given), "a.mtx");
    ASSERT_EQ(read.matrices.size(), 1U);
    EXPECT_TRUE(read.findings.empty());
    EXPECT_TRUE(same_values(read.matrices[0], given)) << given.name;
    EXPECT_EQ(read.matrices[0].sparse, given.sparse);
  }
}

TEST(MatrixMarket, KindsOfTheStandard) {
  const auto at = [](const std::string& text, int r, int c) {
    return parse_matrix_market(text, "a.mtx").matrices[0].at(r, c);
  };
  EXPECT_EQ(at("%%MatrixMarket matrix coordinate pattern general\n% comment\n2 3 1\n2 3\n", 1, 2), 1.0);
  EXPECT_EQ(at("%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 4\n2 1 7\n", 0, 1), 7.0);
  EXPECT_EQ(at("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 7\n", 0, 1), -7.0);
  EXPECT_EQ(at("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 1 1 2\n", 0, 1),
            std::complex<double>(1.0, -2.0));
  EXPECT_EQ(at("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", 0, 1), 2.0);
  EXPECT_EQ(at("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", 0, 1), 3.0);
  EXPECT_THROW(parse_matrix_market("%%MatrixMarket tensor\n", "a"), Error);
  EXPECT_THROW(
      parse_matrix_market("%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 1\n1 1 1\n", "a"),
      Error);
  EXPECT_FALSE(parse_matrix_market("%%MatrixMarket matrix coordinate real general\n2 2 9\n1 1 1\n3 1 1\n", "a")
                   .findings.empty());
}

}  // namespace
}  // namespace kdyn::inline io
