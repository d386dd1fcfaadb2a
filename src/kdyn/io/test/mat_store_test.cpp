// SPDX-License-Identifier: Apache-2.0
// MATLAB files and the HDF5 store: every bit back; MATLAB files checked by a second program, libmatio.
#include <gtest/gtest.h>
#include <matio.h>
#include <unistd.h>
#include <zlib.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/store.hpp"
#include "samples.hpp"

namespace kdyn::inline io {
namespace {

using test::same_values;
using test::sample_matrices;
using test::sample_response;

std::string temporary(const char* name) {
  return (std::filesystem::temp_directory_path() / ("kdyn_" + std::to_string(::getpid()) + name)).string();
}

TEST(Mat, BothVersionsKeepEveryBit) {
  for (const bool version_73 : {false, true}) {
    const MatrixSet given = sample_matrices();
    const MatrixSet read = matrices_of(parse_mat(mat_bytes(to_mat(given), version_73), "a.mat"));
    EXPECT_TRUE(read.findings.empty());
    for (const Matrix& matrix : given.matrices) {
      const Matrix* same = read.find(matrix.name);
      ASSERT_NE(same, nullptr) << matrix.name;
      EXPECT_TRUE(same_values(*same, matrix)) << matrix.name;
      EXPECT_EQ(same->sparse, matrix.sparse);
    }
    const FrequencyResponse response = sample_response();
    const FrequencyResponse back = frequency_response_of(parse_mat(mat_bytes(to_mat(response), version_73), "a.mat"));
    EXPECT_EQ(back.frequency_hz, response.frequency_hz);
    ASSERT_EQ(back.channels.size(), 2U);
    EXPECT_EQ(back.channels[1].values, response.channels[1].values);
    EXPECT_EQ(back.channels[1].coherence, response.channels[1].coherence);
    EXPECT_EQ(back.channels[1].covariance[3].re_im, response.channels[1].covariance[3].re_im);
    EXPECT_EQ(back.channels[1].output, response.channels[1].output);
    EXPECT_EQ(back.channels[1].output_unit, "m/s^2");
  }
}

// libmatio reads what we write.
TEST(Mat, AnotherProgramReadsOurs) {
  for (const bool version_73 : {false, true}) {
    const std::string path = temporary(version_73 ? "73.mat" : "5.mat");
    write_text(path, mat_bytes(to_mat(sample_matrices()), version_73));
    mat_t* file = Mat_Open(path.c_str(), MAT_ACC_RDONLY);
    ASSERT_NE(file, nullptr);
    matvar_t* dense = Mat_VarRead(file, "D");
    ASSERT_NE(dense, nullptr);
    EXPECT_EQ(dense->dims[0], 3U);
    EXPECT_EQ(dense->dims[1], 4U);
    EXPECT_EQ(static_cast<const double*>(dense->data)[5], test::sample_dense(false).real[5]);
    Mat_VarFree(dense);
    matvar_t* complex = Mat_VarRead(file, "DC");
    ASSERT_NE(complex, nullptr);
    const auto* parts = static_cast<const mat_complex_split_t*>(complex->data);
    EXPECT_EQ(static_cast<const double*>(parts->Im)[5], test::sample_dense(true).complex[5].imag());
    Mat_VarFree(complex);
    matvar_t* sparse = Mat_VarRead(file, "K");
    ASSERT_NE(sparse, nullptr);
    const auto* columns = static_cast<const mat_sparse_t*>(sparse->data);
    EXPECT_EQ(columns->njc, 7U);
    EXPECT_EQ(static_cast<const double*>(columns->data)[1], test::sample_sparse(false).real[1]);
    Mat_VarFree(sparse);
    Mat_Close(file);
    std::remove(path.c_str());
  }
}

// We read what libmatio writes: compressed, structs and cells, integers, text, both versions.
TEST(Mat, WeReadAnotherProgramsFiles) {
  for (const bool version_73 : {false, true}) {
    const std::string path = temporary("m.mat");
    mat_t* file = Mat_CreateVer(path.c_str(), nullptr, version_73 ? MAT_FT_MAT73 : MAT_FT_MAT5);
    ASSERT_NE(file, nullptr);
    double numbers[6] = {1.5, -2.5, 3.5, 4.5, 5.5, 6.5};
    std::int16_t integers[2] = {-7, 9};
    char text[] = "hello";
    std::size_t two_three[2] = {2, 3}, one_two[2] = {1, 2}, one_five[2] = {1, 5}, one_one[2] = {1, 1};
    matvar_t* array = Mat_VarCreate("numbers", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, two_three, numbers, 0);
    Mat_VarWrite(file, array, MAT_COMPRESSION_ZLIB);
    Mat_VarFree(array);
    array = Mat_VarCreate("integers", MAT_C_INT16, MAT_T_INT16, 2, one_two, integers, 0);
    Mat_VarWrite(file, array, MAT_COMPRESSION_NONE);
    Mat_VarFree(array);
    array = Mat_VarCreate("text", MAT_C_CHAR, MAT_T_UTF8, 2, one_five, text, 0);
    Mat_VarWrite(file, array, MAT_COMPRESSION_NONE);
    Mat_VarFree(array);
    const char* fields[] = {"a", "b"};
    matvar_t* structure = Mat_VarCreateStruct("s", 2, one_one, fields, 2);
    Mat_VarSetStructFieldByName(structure, "a", 0,
                                Mat_VarCreate("a", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one_two, numbers, 0));
    Mat_VarSetStructFieldByName(structure, "b", 0,
                                Mat_VarCreate("b", MAT_C_DOUBLE, MAT_T_DOUBLE, 2, one_one, numbers + 2, 0));
    Mat_VarWrite(file, structure, MAT_COMPRESSION_ZLIB);
    Mat_VarFree(structure);
    Mat_Close(file);
    const MatFile read = read_mat(path);
    std::remove(path.c_str());
    ASSERT_NE(read.find("numbers"), nullptr);
    EXPECT_EQ(read.find("numbers")->real, std::vector<double>(numbers, numbers + 6));
    EXPECT_EQ(read.find("numbers")->shape, (std::vector<std::size_t>{2, 3}));
    EXPECT_EQ(read.find("integers")->real, (std::vector<double>{-7.0, 9.0}));
    EXPECT_EQ(read.find("text")->text, "hello");
    ASSERT_NE(read.find("s.a"), nullptr);
    EXPECT_EQ(read.find("s.a")->real, (std::vector<double>{1.5, -2.5}));
    EXPECT_EQ(read.find("s.b")->real, (std::vector<double>{3.5}));
  }
}

TEST(Mat, ABombIsRefused) {
  // 600 MB of zeros in 600 kB: more than 512 MB and 20 times the file.
  const std::string zeros(std::size_t{1} << 20, '\0');
  std::string packed(std::size_t{1} << 20, '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit(&stream, 6), Z_OK);
  stream.next_out = reinterpret_cast<Bytef*>(packed.data()), stream.avail_out = static_cast<uInt>(packed.size());
  for (int i = 0; i < 600; ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(zeros.data())),
    stream.avail_in = static_cast<uInt>(zeros.size());
    ASSERT_EQ(deflate(&stream, Z_NO_FLUSH), Z_OK);
  }
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  std::string file = mat_bytes({});
  internal::store(file, std::uint32_t{15});
  internal::store(file, static_cast<std::uint32_t>(packed.size()));
  const MatFile read = parse_mat(file + packed, "bomb.mat");
  EXPECT_TRUE(read.arrays.empty());
  ASSERT_FALSE(read.findings.empty());
  EXPECT_EQ(read.findings[0].code, "too_large");
}

// Oracle: the bytes of version 4 are put together here by hand.
TEST(Mat, ReadsVersionFour) {
  std::string file;
  const auto array = [&](std::uint32_t type, std::uint32_t rows, std::uint32_t columns, const std::string& name,
                         const std::string& data, bool big) {
    for (const std::uint32_t word :
         {type, rows, columns, std::uint32_t{0}, static_cast<std::uint32_t>(name.size() + 1)})
      internal::store(file, word, big);
    file += name + std::string(1, '\0') + data;
  };
  std::string doubles, shorts;
  for (const double v : {1.5, -2.0, 3.25, 4.0, 5.0, 6.0}) internal::store(doubles, v);
  for (const std::int16_t v : {-7, 9}) internal::store(shorts, v, true);
  array(0, 2, 3, "a", doubles, false);
  array(1030, 1, 2, "b", shorts, true);
  array(51, 1, 2, "word", "hi", false);
  const MatFile read = parse_mat(file, "old.mat");
  ASSERT_EQ(read.arrays.size(), 3U);
  EXPECT_EQ(read.find("a")->real, (std::vector<double>{1.5, -2.0, 3.25, 4.0, 5.0, 6.0}));
  EXPECT_EQ(read.find("a")->shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(read.find("b")->real, (std::vector<double>{-7.0, 9.0}));
  EXPECT_EQ(read.find("word")->text, "hi");
  EXPECT_FALSE(parse_mat(file.substr(0, file.size() - 1), "cut.mat").findings.empty());
}

MatArray vector_of(const char* name, std::vector<double> values) {
  MatArray out;
  out.name = name, out.matlab_class = "double", out.shape = {values.size(), 1}, out.real = std::move(values);
  return out;
}

TEST(Mat, TimesAndSamplesAreSignals) {
  MatFile file;
  file.name = "run.mat";
  file.arrays = {vector_of("time_ms", {0.0, 2.0, 4.0, 6.0}), vector_of("force_kN", {1.0, 2.0, 3.0, 4.0}),
                 vector_of("odd", {1.0, 2.0})};
  MatArray table = vector_of("acc", {1, 2, 3, 4, 5, 6, 7, 8});
  table.shape = {4, 2};
  file.arrays.push_back(table);
  std::vector<Finding> findings;
  const auto set = signals_of(file, findings);
  ASSERT_TRUE(set);
  ASSERT_EQ(set->signals.size(), 3U);
  EXPECT_EQ(set->signals[0].unit, "N");
  EXPECT_DOUBLE_EQ(set->signals[0].values[3], 4000.0);
  EXPECT_DOUBLE_EQ(set->signals[0].step_s, 2e-3);
  EXPECT_EQ(set->signals[2].name, "acc_2");
  EXPECT_EQ(set->signals[2].values, (std::vector<double>{5, 6, 7, 8}));
  EXPECT_EQ(findings.size(), 2U) << "no unit of acc; odd was not used";
  file.arrays.erase(file.arrays.begin());
  EXPECT_FALSE(signals_of(file, findings)) << "nobody tells the sampling";
}

TEST(Mat, BandedMatricesArePackedSmallAndRead) {
  MatFile file;
  MatArray band = vector_of("K", std::vector<double>(600 * 600, 0.0));
  band.shape = {600, 600};
  for (std::size_t i = 0; i < 600; ++i) band.real[601 * i] = 2.0;
  const std::string plain = mat_bytes({"", false, {band}, {}}), array = plain.substr(128);
  std::string packed(compressBound(array.size()), '\0'), bytes = plain.substr(0, 128);
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(array.data()),
                     array.size()),
            Z_OK);
  ASSERT_GT(array.size(), 100 * size);
  internal::store(bytes, std::uint32_t{15});
  internal::store(bytes, static_cast<std::uint32_t>(size));
  const MatFile read = parse_mat(bytes + packed.substr(0, size), "k.mat");
  ASSERT_NE(read.find("K"), nullptr);
  EXPECT_EQ(read.find("K")->real, band.real);
}

TEST(Store, KeepsEveryBit) {
  Store given;
  given.response = sample_response();
  given.matrices = sample_matrices();
  given.modes = test::sample_modes();
  given.signals.emplace().signals.push_back({"force", "N", "N", {7, -3, {}}, 0.5, 1e-3, {0.1, 0.2, 0.3}});
  const std::string bytes = store_bytes(given);
  EXPECT_EQ(store_bytes(given), bytes);  // equal content gives equal bytes
  const Store read = parse_store(bytes, "a.h5");
  EXPECT_TRUE(read.findings.empty()) << read.findings[0].message;
  ASSERT_TRUE(read.response && read.matrices && read.modes && read.signals);
  EXPECT_EQ(read.response->frequency_hz, given.response->frequency_hz);
  EXPECT_EQ(read.response->channels[0].values, given.response->channels[0].values);
  EXPECT_EQ(read.response->channels[0].covariance[2].re_re, given.response->channels[0].covariance[2].re_re);
  EXPECT_EQ(read.response->channels[0].input, given.response->channels[0].input);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(same_values(read.matrices->matrices[i], given.matrices->matrices[i]));
    EXPECT_EQ(read.matrices->matrices[i].row_dofs, given.matrices->matrices[i].row_dofs);
  }
  EXPECT_EQ(read.modes->modes[1].shape, given.modes->modes[1].shape);
  EXPECT_EQ(read.modes->modes[1].pole, given.modes->modes[1].pole);
  EXPECT_EQ(read.modes->geometry.nodes[2].position, given.modes->geometry.nodes[2].position);
  EXPECT_EQ(read.modes->geometry.elements[1].beam[0], 2);
  EXPECT_EQ(read.signals->signals[0].values, given.signals->signals[0].values);
  EXPECT_EQ(store_bytes(read), bytes);
  const std::string path = temporary("s.h5");
  write_text(path, bytes);
  EXPECT_EQ(read_store(path).modes->modes[1].shape, given.modes->modes[1].shape);
  write_store(path, given);
  EXPECT_EQ(read_text(path), bytes);  // written by the library itself, without the bytes in memory
  std::remove(path.c_str());
  EXPECT_THROW(write_store("/dev/null/s.h5", given), Error);
}

TEST(Store, RefusesOtherFiles) {
  EXPECT_THROW(parse_store("no", "a.h5"), Error);
  EXPECT_THROW(parse_store(mat_bytes(to_mat(sample_matrices()), true), "a.mat"), Error);  // HDF5, but not a store
}

}  // namespace
}  // namespace kdyn::inline io
