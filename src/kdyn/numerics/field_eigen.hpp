// SPDX-License-Identifier: Apache-2.0
// Vectors and matrices of Eigen in field tables: a vector is a list of numbers, a matrix a list of its rows; complex
// entries are [re, im]. Reading takes the size from the JSON; rows of different lengths are refused. Archives hold
// rows, columns and the entries as they lie in memory.
#pragma once

#include <Eigen/Core>

#include "kdyn/base/field.hpp"

namespace kdyn::inline base {
namespace field_parts {

std::size_t rows_in(const Field& field, const Json& in, const std::string& where);
// Archives: size and entries as bytes.
void put_matrix(Json& out, Eigen::Index rows, Eigen::Index cols, const void* entries, std::size_t size_of_one);
std::pair<Eigen::Index, Eigen::Index> size_in(const Json& in);
void take_matrix(const Json& in, void* entries, std::size_t size);
[[noreturn]] void uneven_rows(const std::string& where);
[[noreturn]] void wrong_size(const std::string& where, Eigen::Index wanted);

template <class T, int Rows, int Cols>
struct MatrixValue : NoTable {
  using Matrix = Eigen::Matrix<T, Rows, Cols>;
  static constexpr bool vector = Cols == 1;
  static constexpr FieldKind kind = vector && std::is_same_v<T, double> ? FieldKind::numbers : FieldKind::list;

  static void get(const Field& field, FieldUse use, const Matrix& value, Json& out) {
    start_list(out);
    if (use == FieldUse::archive) return put_matrix(out, value.rows(), value.cols(), value.data(), sizeof(T));
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
      Json& row = append(out);
      if constexpr (vector) {
        FieldValue<T>::get(field, use, value(i, 0), row);
      } else {
        start_list(row);
        for (Eigen::Index j = 0; j < value.cols(); ++j) FieldValue<T>::get(field, use, value(i, j), append(row));
      }
    }
  }

  static void set(const Field& field, FieldUse use, Matrix& value, const Json& in, const std::string& where) {
    if (use == FieldUse::archive) {
      const auto [kept_rows, kept_cols] = size_in(in);
      value.resize(kept_rows, kept_cols);
      return take_matrix(in, value.data(), static_cast<std::size_t>(value.size()) * sizeof(T));
    }
    const auto rows = static_cast<Eigen::Index>(rows_in(field, in, where));
    const auto at = [](Eigen::Index i) { return static_cast<std::size_t>(i); };
    const Eigen::Index cols = vector      ? 1
                              : rows == 0 ? 0
                                          : static_cast<Eigen::Index>(rows_in(field, item(in, 0), place(where, 0)));
    if ((Rows > 0 && rows != Rows) || (Cols > 0 && rows > 0 && cols != Cols))
      wrong_size(where, Rows > 0 && rows != Rows ? Rows : Cols);
    Matrix fresh;
    if constexpr (Rows < 0 || Cols < 0) fresh.resize(rows, vector ? 1 : cols);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const Json& row = item(in, at(i));
      const std::string here = place(where, at(i));
      if constexpr (vector) {
        FieldValue<T>::set(field, use, fresh(i, 0), row, here);
      } else {
        if (static_cast<Eigen::Index>(rows_in(field, row, here)) != cols) uneven_rows(here);
        for (Eigen::Index j = 0; j < cols; ++j)
          FieldValue<T>::set(field, use, fresh(i, j), item(row, at(j)), place(here, at(j)));
      }
    }
    value = std::move(fresh);
  }

  static void schema(const Field& field, Json& out, Definitions& all) {
    list_schema(field, out, Rows > 0 ? static_cast<std::size_t>(Rows) : 0);
    Json& row = inner(out);
    if constexpr (vector) {
      FieldValue<T>::schema(field, row, all);
    } else {
      list_schema(field, row, Cols > 0 ? static_cast<std::size_t>(Cols) : 0);
      FieldValue<T>::schema(field, inner(row), all);
    }
  }
};

}  // namespace field_parts

template <class T, int Rows, int Cols>
struct FieldValue<Eigen::Matrix<T, Rows, Cols>> : field_parts::MatrixValue<T, Rows, Cols> {};

}  // namespace kdyn::inline base
