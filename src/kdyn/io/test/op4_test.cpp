// SPDX-License-Identifier: Apache-2.0
// OP4: all variants of our writer read back exactly, and the public files in several variants against each other.
#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/op4.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using test::same_values;
using test::sample_matrices;
using test::shared;

// Largest difference relative to the largest value.
double difference(const Matrix& a, const Matrix& b) {
  const Matrix x = to_dense(a), y = to_dense(b);
  if (x.rows != y.rows || x.columns != y.columns) return 1e300;
  double worst = 0.0, largest = 0.0;
  for (int c = 0; c < x.columns; ++c)
    for (int r = 0; r < x.rows; ++r)
      worst = std::max(worst, std::abs(x.at(r, c) - y.at(r, c))), largest = std::max(largest, std::abs(y.at(r, c)));
  return largest > 0.0 ? worst / largest : worst;
}

TEST(Op4, EveryVariantRoundTrips) {
  MatrixSet given = sample_matrices();
  Matrix single = test::sample_dense(false);
  single.name = "S", single.single_precision = true;
  for (double& value : single.real) value = static_cast<double>(static_cast<float>(value));
  given.matrices.push_back(single);
  for (const Op4Storage storage : {Op4Storage::dense, Op4Storage::nonbigmat, Op4Storage::bigmat, Op4Storage::automatic})
    for (const bool binary : {false, true})
      for (const bool big : {false, true})
        for (const bool wide : {false, true}) {
          const MatrixSet read = parse_op4(op4_bytes(given, {binary, big, wide, storage}), "a.op4");
          ASSERT_EQ(read.matrices.size(), given.matrices.size());
          EXPECT_TRUE(read.findings.empty());
          for (std::size_t i = 0; i < given.matrices.size(); ++i) {
            EXPECT_TRUE(same_values(read.matrices[i], given.matrices[i])) << given.matrices[i].name;
            EXPECT_EQ(read.matrices[i].name, given.matrices[i].name);
            EXPECT_EQ(read.matrices[i].symmetric, given.matrices[i].symmetric);
            EXPECT_EQ(read.matrices[i].single_precision, given.matrices[i].single_precision);
          }
        }
}

TEST(Op4, NonbigmatRefusesManyRows) {
  MatrixSet set;
  set.matrices.push_back(sparse_matrix("BIG", 70000, 1, false, {{69999, 0, 1.0}}));
  EXPECT_THROW(op4_bytes(set, {true, false, false, Op4Storage::nonbigmat}), Error);
  EXPECT_TRUE(same_values(parse_op4(op4_bytes(set), "a").matrices[0], set.matrices[0]));
}

TEST(Op4, ABadColumnLeavesTheOthers) {
  MatrixSet set;
  set.matrices = {test::sample_dense(false), test::sample_dense(true)};
  std::string bytes = op4_bytes(set);
  // Row of the second column of the first matrix: behind the header (32 bytes) and one column (8 + 12 + 24 bytes), its
  // second integer.
  const std::size_t place = 32 + 44 + 4 + 4;
  bytes[place] = 77;
  const MatrixSet read = parse_op4(bytes, "bad.op4");
  ASSERT_EQ(read.matrices.size(), 2U);
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_NE(read.findings[0].where.find("matrix 'D', column 2, byte"), std::string::npos) << read.findings[0].where;
  EXPECT_EQ(read.matrices[0].at(0, 0), set.matrices[0].at(0, 0));
  EXPECT_EQ(read.matrices[0].at(0, 1), 0.0);
  EXPECT_EQ(read.matrices[0].at(2, 3), set.matrices[0].at(2, 3));
  EXPECT_TRUE(same_values(read.matrices[1], set.matrices[1]));
}

TEST(Op4, LyingSizesAreFindings) {
  MatrixSet set;
  set.matrices = {test::sample_dense(false)};
  std::string bytes = op4_bytes(set);
  const std::int32_t huge = 2000000000;
  std::memcpy(bytes.data() + 4, &huge, 4);  // columns
  std::memcpy(bytes.data() + 8, &huge, 4);  // rows
  const MatrixSet read = parse_op4(bytes, "huge.op4");
  ASSERT_EQ(read.matrices.size(), 1U);
  EXPECT_EQ(read.matrices[0].rows, 0);
  EXPECT_FALSE(read.findings.empty());
}

class PublicOp4 : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(shared("nastran/op4"))) GTEST_SKIP() << "the public files are not here";
  }
  static MatrixSet read(const std::string& name) { return read_op4(shared("nastran/op4/" + name).string()); }
};

TEST_F(PublicOp4, EveryFileReadsWithoutFinding) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared("nastran/op4"))) {
    if (entry.path().extension() != ".op4") continue;
    const MatrixSet set = read_op4(entry.path().string());
    EXPECT_FALSE(set.matrices.empty()) << entry.path();
    EXPECT_TRUE(set.findings.empty()) << entry.path() << " " << (set.findings.empty() ? "" : set.findings[0].message);
    ++files;
  }
  EXPECT_EQ(files, 23U);
}

// The same three matrices in ten variants; r_c_rc.op4 has 17 digits, MATLAB's file is a third route.
TEST_F(PublicOp4, VariantsAgreeToTheirPrecision) {
  const MatrixSet reference = read("r_c_rc.op4");
  const struct {
    const char* file;
    double tolerance;
  } variants[] = {{"double_dense_be.op4", 0.0},         {"double_dense_le_i64.op4", 0.0},
                  {"double_nonbigmat_be_i64.op4", 0.0}, {"double_bigmat_le.op4", 0.0},
                  {"double_bigmat_ascii.op4", 5.1e-10}, {"single_dense_ascii.op4", 6e-8},
                  {"single_nonbigmat_le.op4", 6e-8}};  // 10 digits; 24 bits
  for (const auto& variant : variants) {
    const MatrixSet set = read(variant.file);
    ASSERT_EQ(set.matrices.size(), 3U) << variant.file;
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_LE(difference(set.matrices[i], reference.matrices[i]), variant.tolerance)
          << variant.file << " " << set.matrices[i].name;
  }
  const MatrixSet matlab = matrices_of(read_mat(shared("nastran/op4/r_c_rc.mat").string()));
  for (const Matrix& matrix : matlab.matrices) {
    std::string name = matrix.name;
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (const Matrix* same = reference.find(name)) {
      EXPECT_EQ(difference(matrix, *same), 0.0) << name;
    }
  }
  EXPECT_GE(matlab.matrices.size(), 3U);
}

TEST_F(PublicOp4, OtherFamiliesAgree) {
  const MatrixSet reference = read("mat_t_dn.op4");
  for (const char* file : {"mat_t_s1.op4", "mat_t_s2.op4", "mat_b_dn.op4", "mat_b_s1.op4", "mat_b_s2.op4"}) {
    const MatrixSet set = read(file);
    ASSERT_EQ(set.matrices.size(), reference.matrices.size()) << file;
    // Text holds 16 or 17 digits.
    for (const Matrix& matrix : set.matrices)
      EXPECT_LE(difference(matrix, *reference.find(matrix.name)), 3e-16) << file << " " << matrix.name;
  }
  // A stiffness matrix in binary and in text of 10 digits; free, so rigid translation gives no force.
  const Matrix binary = read("testplate_kgg.op4").matrices[0], text = read("testplate_kgg_ascii.op4").matrices[0];
  EXPECT_LE(difference(text, binary), 5.1e-10);
  EXPECT_TRUE(is_symmetric(binary, 1e-12));
  for (const auto& [a, b] :
       {std::pair{"rd.op4", "rdbin.op4"}, std::pair{"cd.op4", "cdbin.op4"}, std::pair{"rs.op4", "rsbin.op4"}}) {
    const MatrixSet x = read(a), y = read(b);
    for (const Matrix& matrix : y.matrices)
      if (const Matrix* same = x.find(matrix.name)) {
        EXPECT_LE(difference(matrix, *same), std::string(a) == "rs.op4" ? 5.1e-10 : 1e-16) << a << " " << matrix.name;
      }
  }
}

}  // namespace
}  // namespace kdyn::inline io
