// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/op4.hpp"

namespace kdyn::inline io {
namespace {

// Consecutive stored rows of one column.
struct Run {
  int row = 0;
  std::size_t first = 0, count = 0;  // into the values of the matrix
};

std::vector<Run> runs_of(const Matrix& matrix, int column, bool dense, std::size_t longest) {
  std::vector<Run> runs;
  const auto c = static_cast<std::size_t>(column), rows = static_cast<std::size_t>(matrix.rows);
  const auto zero = [&](std::size_t k) { return matrix.is_complex ? matrix.complex[k] == 0.0 : matrix.real[k] == 0.0; };
  const auto add = [&](int row, std::size_t k) {
    if (!runs.empty() && runs.back().row + static_cast<int>(runs.back().count) == row && runs.back().count < longest)
      ++runs.back().count;
    else
      runs.push_back({row, k, 1});
  };
  if (matrix.sparse) {
    for (auto k = static_cast<std::size_t>(matrix.column_start[c]);
         k < static_cast<std::size_t>(matrix.column_start[c + 1]); ++k)
      add(matrix.row[k], k);
  } else if (dense) {
    // From the first to the last value that is not zero.
    std::size_t first = c * rows, last = first + rows;
    while (first < last && zero(first)) ++first;
    while (last > first && zero(last - 1)) --last;
    if (first < last) runs.push_back({static_cast<int>(first - c * rows), first, last - first});
  } else {
    for (std::size_t r = 0; r < rows; ++r)
      if (!zero(c * rows + r)) add(static_cast<int>(r), c * rows + r);
  }
  return runs;
}

class Writer {
 public:
  Writer(const Matrix& matrix, const Op4WriteOptions& options, std::string& out)
      : matrix_(matrix),
        options_(options),
        out_(out) {
    // A sparse matrix has no dense columns of its own; dense storage is written from its dense form.
    storage_ = options.storage == Op4Storage::automatic ? (matrix.sparse ? Op4Storage::bigmat : Op4Storage::dense)
                                                        : options.storage;
    if (storage_ == Op4Storage::nonbigmat && matrix.rows > 65535)
      throw_bad_input(matrix.name,
                      fmt::format("{} rows do not fit into nonbigmat strings (65535 at most)", matrix.rows),
                      "choose bigmat");
    single_ = matrix.single_precision && !options.wide_integers;
    word_ = options.wide_integers ? 8 : 4;
    words_ = (single_ || options.wide_integers ? 1U : 2U) * (matrix.is_complex ? 2U : 1U);
    longest_ = storage_ == Op4Storage::nonbigmat ? 16000 / words_ : std::size_t{1} << 24;
  }

  void write() {
    const int type = (matrix_.is_complex ? 3 : 1) + (matrix_.single_precision ? 0 : 1);
    const int form = matrix_.symmetric ? 6 : matrix_.rows == matrix_.columns ? 1 : 2;
    const int rows = storage_ == Op4Storage::bigmat ? -matrix_.rows : matrix_.rows;
    const std::string name = fmt::format("{:<8}", matrix_.name.substr(0, 8));
    if (options_.binary) {
      std::string record;
      for (const int value : {matrix_.columns, rows, form, type}) integer(record, value);
      record += name;
      record.resize(6 * word_, ' ');
      emit(record);
    } else {
      out_ += fmt::format("{:8d}{:8d}{:8d}{:8d}{}{}\n", matrix_.columns, rows, form, type, name, "1P,3E24.16");
    }
    for (int column = 0; column < matrix_.columns; ++column) {
      const auto runs = runs_of(matrix_, column, storage_ == Op4Storage::dense, longest_);
      if (runs.empty()) continue;
      options_.binary ? binary_column(column, runs) : text_column(column, runs);
    }
    close();
  }

 private:
  void integer(std::string& record, std::int64_t value) const {
    if (options_.wide_integers)
      internal::store(record, value, options_.big_endian);
    else
      internal::store(record, static_cast<std::int32_t>(value), options_.big_endian);
  }
  void number(std::string& record, double value) const {
    if (single_)
      internal::store(record, static_cast<float>(value), options_.big_endian);
    else
      internal::store(record, value, options_.big_endian);
  }
  void values(std::string& record, const Run& run) const {
    for (std::size_t k = run.first; k < run.first + run.count; ++k) {
      if (matrix_.is_complex)
        number(record, matrix_.complex[k].real()), number(record, matrix_.complex[k].imag());
      else
        number(record, matrix_.real[k]);
    }
  }
  void emit(const std::string& record) const {
    internal::store(out_, static_cast<std::uint32_t>(record.size()), options_.big_endian);
    out_ += record;
    internal::store(out_, static_cast<std::uint32_t>(record.size()), options_.big_endian);
  }
  std::size_t total_words(const std::vector<Run>& runs) const {
    std::size_t words = 0;
    for (const Run& run : runs)
      words += run.count * words_ + (storage_ == Op4Storage::dense ? 0 : storage_ == Op4Storage::bigmat ? 2 : 1);
    return words;
  }

  void binary_column(int column, const std::vector<Run>& runs) const {
    std::string record;
    integer(record, column + 1);
    integer(record, storage_ == Op4Storage::dense ? runs.front().row + 1 : 0);
    integer(record, static_cast<std::int64_t>(total_words(runs)));
    for (const Run& run : runs) {
      const auto words = static_cast<std::int64_t>(run.count * words_);
      if (storage_ == Op4Storage::bigmat)
        integer(record, words + 1), integer(record, run.row + 1);
      else if (storage_ == Op4Storage::nonbigmat)
        integer(record, (words + 1) * 65536 + run.row + 1);
      values(record, run);
    }
    emit(record);
  }

  void text_values(const std::vector<double>& numbers) const {
    constexpr std::size_t per_line = 3;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      out_ += fmt::format("{:24.16E}", numbers[i]);
      if (i % per_line == per_line - 1 || i + 1 == numbers.size()) out_ += '\n';
    }
  }
  void text_column(int column, const std::vector<Run>& runs) const {
    const std::size_t count =
        storage_ == Op4Storage::dense ? runs.front().count * (matrix_.is_complex ? 2 : 1) : total_words(runs);
    out_ +=
        fmt::format("{:8d}{:8d}{:8d}\n", column + 1, storage_ == Op4Storage::dense ? runs.front().row + 1 : 0, count);
    for (const Run& run : runs) {
      const std::size_t words = run.count * words_;
      if (storage_ == Op4Storage::bigmat)
        out_ += fmt::format("{:8d}{:8d}\n", words + 1, run.row + 1);
      else if (storage_ == Op4Storage::nonbigmat)
        out_ += fmt::format("{:12d}\n", (words + 1) * 65536 + static_cast<std::size_t>(run.row) + 1);
      std::vector<double> numbers;
      for (std::size_t k = run.first; k < run.first + run.count; ++k) {
        if (matrix_.is_complex)
          numbers.push_back(matrix_.complex[k].real()), numbers.push_back(matrix_.complex[k].imag());
        else
          numbers.push_back(matrix_.real[k]);
      }
      text_values(numbers);
    }
  }

  // A column past the last one ends the matrix.
  void close() const {
    if (options_.binary) {
      std::string record;
      integer(record, matrix_.columns + 1), integer(record, 1),
          integer(record, single_ || options_.wide_integers ? 1 : 2);
      number(record, 1.0);
      emit(record);
    } else {
      out_ += fmt::format("{:8d}{:8d}{:8d}\n  1.0000000000000000E+00\n", matrix_.columns + 1, 1, 1);
    }
  }

  const Matrix& matrix_;
  Op4WriteOptions options_;
  std::string& out_;
  Op4Storage storage_;
  bool single_ = false;
  std::size_t word_ = 4, words_ = 1, longest_ = 1;
};

}  // namespace

std::string op4_bytes(const MatrixSet& matrices, const Op4WriteOptions& options) {
  std::string out;
  for (const Matrix& matrix : matrices.matrices) {
    if (matrix.sparse && options.storage == Op4Storage::dense)
      Writer(to_dense(matrix), options, out).write();
    else
      Writer(matrix, options, out).write();
  }
  return out;
}

}  // namespace kdyn::inline io
