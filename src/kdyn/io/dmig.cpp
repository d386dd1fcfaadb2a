// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/dmig.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"
#include "kdyn/io/internal/triplets.hpp"

namespace kdyn::inline io {
namespace {

using Point = std::pair<std::int64_t, int>;  // node and component

// Node and component in one number that sorts as the pair does.
constexpr std::int64_t largest_node = std::int64_t{1} << 50;
std::int64_t key_of(const Point& point) { return 8 * point.first + point.second; }
Dof dof_of(std::int64_t key) { return {key / 8, static_cast<int>(key % 8), {}}; }

struct Raw {
  std::string name;
  std::int64_t form = 2, type = 2, columns = 0;
  bool polar = false;
  std::vector<std::int64_t> row, column;
  std::vector<double> real, imaginary;
};

// A card DMIG,NAME,GJ,CJ,,G1,C1,A1,B1 with more entries of four fields behind it.
void take_column(const NastranDeck& deck, const NastranCard& card, Raw& raw) {
  const auto point = [&](std::size_t field) {
    const std::int64_t node = deck.integer(card, field), component = deck.integer(card, field + 1, 0);
    if (component < 0 || component > 6 || node < 0 || node > largest_node)
      throw_bad_input(deck.where(card), fmt::format("node {} or component {} cannot be", node, component),
                      "repair the card");
    return key_of({node, static_cast<int>(component)});
  };
  const std::int64_t column = point(3);
  for (std::size_t field = 6; field <= card.last_field(); field += 4) {
    if (card.blank(field)) continue;
    const std::int64_t row = point(field);
    const double a = deck.real(card, field + 2, 0.0), b = deck.real(card, field + 3, 0.0);
    const std::complex<double> value = raw.type < 3 ? a
                                       : raw.polar  ? std::polar(std::abs(a), degree * b) * (a < 0.0 ? -1.0 : 1.0)
                                                    : std::complex<double>(a, b);
    raw.row.push_back(row), raw.column.push_back(column), raw.real.push_back(value.real());
    if (raw.type >= 3) raw.imaginary.push_back(value.imag());
  }
}

std::vector<int> indices_of(std::vector<std::int64_t>&& keys, const std::vector<std::int64_t>& sorted) {
  std::vector<int> out(keys.size());
  std::transform(keys.begin(), keys.end(), out.begin(), [&](std::int64_t key) {
    return static_cast<int>(std::lower_bound(sorted.begin(), sorted.end(), key) - sorted.begin());
  });
  keys = {};
  return out;
}

void make_unique(std::vector<std::int64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

Matrix matrix_of(Raw& raw, std::size_t limit, const std::string& where, std::vector<Finding>& findings) {
  const bool plain_columns = raw.form == 9, own_columns = plain_columns || raw.form == 2;
  std::int64_t width = 0;
  if (plain_columns) {
    width = raw.columns;
    for (const std::int64_t column : raw.column) width = std::max(width, column / 8);
    if (width < 0 || static_cast<std::uint64_t>(width) > internal::most_columns(limit) ||
        std::any_of(raw.column.begin(), raw.column.end(), [](std::int64_t c) { return c < 8; })) {
      findings.push_back({Severity::serious, "too_large", where,
                          fmt::format("matrix {} claims {} columns and was not read", in_quotes(raw.name), width),
                          "check its header card"});
      raw.row.clear(), raw.column.clear(), raw.real.clear(), raw.imaginary.clear(), width = 0;
    }
  }
  std::vector<std::int64_t> rows = raw.row, columns;
  if (!own_columns) rows.insert(rows.end(), raw.column.begin(), raw.column.end());
  make_unique(rows);
  if (!plain_columns) {
    columns = own_columns ? raw.column : rows;
    make_unique(columns);
    width = static_cast<std::int64_t>(columns.size());
  }
  internal::Triplets entries;
  entries.row = indices_of(std::move(raw.row), rows);
  if (plain_columns)
    std::transform(raw.column.begin(), raw.column.end(), std::back_inserter(entries.column),
                   [](std::int64_t key) { return static_cast<int>(key / 8 - 1); });
  else
    entries.column = indices_of(std::move(raw.column), columns);
  entries.real = std::move(raw.real), entries.imaginary = std::move(raw.imaginary);
  Matrix matrix =
      internal::compress(std::move(entries), static_cast<int>(rows.size()), static_cast<int>(width), raw.type >= 3,
                         raw.form == 6 ? internal::Mirror::symmetric : internal::Mirror::none);
  matrix.name = raw.name;
  matrix.symmetric = raw.form == 6;
  matrix.single_precision = raw.type % 2 == 1;
  for (const std::int64_t row : rows) matrix.row_dofs.push_back(dof_of(row));
  for (const std::int64_t column : columns) matrix.column_dofs.push_back(dof_of(column));
  return matrix;
}

}  // namespace

MatrixSet dmig_matrices(const NastranDeck& deck) {
  MatrixSet out;
  if (!deck.files.empty()) out.source.path = deck.files[0];
  std::map<std::string, std::size_t> place;
  std::vector<Raw> raw;
  std::size_t bytes = 0;
  for (const NastranCard& card : deck.cards) {
    if (card.name != "DMIG") continue;
    try {
      const std::string name(card.field(2));
      const auto [found, fresh] = place.emplace(name, raw.size());
      if (fresh) raw.emplace_back().name = name;
      Raw& matrix = raw[found->second];
      bytes += 8 * card.last_field();
      // A header has 0 where others have a node.
      if (deck.integer(card, 3, 0) == 0) {
        if (!matrix.row.empty())
          throw_bad_input(deck.where(card), "a second header card behind the first entries",
                          "give each matrix one header, in front");
        matrix.form = deck.integer(card, 4, 2), matrix.type = deck.integer(card, 5, 2);
        matrix.polar = deck.integer(card, 7, 0) != 0;
        matrix.columns = deck.integer(card, 9, 0);
        if (matrix.type < 1 || matrix.type > 4 ||
            (matrix.form != 1 && matrix.form != 2 && matrix.form != 6 && matrix.form != 9))
          matrix.form = 2, matrix.type = 2,
          throw_bad_input(deck.where(card), "form is not 1, 2, 6 or 9, or type not 1 to 4", "repair the header card");
      } else {
        take_column(deck, card, matrix);
      }
    } catch (const Error& error) {
      if (out.findings.size() < 200)
        out.findings.push_back({Severity::serious, "bad_card", error.where(), error.message(), error.remedy()});
    }
  }
  for (Raw& matrix : raw)
    out.matrices.push_back(matrix_of(matrix, internal::allowed_bytes(bytes) / std::max<std::size_t>(raw.size(), 1),
                                     out.source.path, out.findings));
  return out;
}

MatrixSet parse_dmig(std::string_view content, const std::string& name) {
  const NastranDeck deck = parse_nastran(content, name);
  MatrixSet out = dmig_matrices(deck);
  if (out.matrices.empty() && out.findings.empty())
    throw_bad_input(name, "there is no DMIG card in it", "check the file");
  return out;
}

MatrixSet read_dmig(const std::string& path) { return parse_dmig(read_text(path), path); }

std::string dmig_text(const MatrixSet& matrices) {
  std::string out;
  for (const Matrix& given : matrices.matrices) {
    const Matrix matrix = to_sparse(given);
    const std::string name = matrix.name.substr(0, 8);
    const auto point = [](const std::vector<Dof>& dofs, int index) {
      const auto i = static_cast<std::size_t>(index);
      return i < dofs.size() && dofs[i].node > 0
                 ? Point{dofs[i].node, dofs[i].direction < 0 ? -dofs[i].direction : dofs[i].direction}
                 : Point{index + 1, 0};
    };
    const bool square = matrix.rows == matrix.columns && (matrix.symmetric || matrix.row_dofs == matrix.column_dofs);
    const int form = matrix.symmetric ? 6 : square ? 1 : 9;
    const int type = (matrix.is_complex ? 3 : 1) + (matrix.single_precision ? 0 : 1);
    out += fmt::format("{:<8}{:<8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "DMIG", name, 0, form, type, 0, "", "",
                       form == 9 ? fmt::format("{}", matrix.columns) : "");
    for (int c = 0; c < matrix.columns; ++c) {
      const Point column =
          form == 9 ? Point{c + 1, 0} : point(matrix.column_dofs.empty() ? matrix.row_dofs : matrix.column_dofs, c);
      bool opened = false;
      for (auto k = matrix.column_start[static_cast<std::size_t>(c)];
           k < matrix.column_start[static_cast<std::size_t>(c) + 1]; ++k) {
        const int r = matrix.row[static_cast<std::size_t>(k)];
        if (matrix.symmetric && r > c) continue;
        if (!opened) out += fmt::format("{:<8}{:<16}{:>16}{:>16}\n", "DMIG*", name, column.first, column.second);
        opened = true;
        const Point row = point(matrix.row_dofs, r);
        const std::complex<double> value =
            matrix.is_complex ? matrix.complex[static_cast<std::size_t>(k)] : matrix.real[static_cast<std::size_t>(k)];
        out += fmt::format("{:<8}{:>16}{:>16}{:>16.9E}", "*", row.first, row.second, value.real());
        if (matrix.is_complex) out += fmt::format("{:>16.9E}", value.imag());
        out += '\n';
      }
    }
  }
  return out;
}

}  // namespace kdyn::inline io
