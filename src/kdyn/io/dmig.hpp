// SPDX-License-Identifier: Apache-2.0
// DMIG matrices of Nastran decks and punch files. Rows and columns are the degrees of freedom that occur, sorted by
// node and component.
#pragma once

#include "kdyn/data/matrix_set.hpp"
#include "kdyn/io/nastran_deck.hpp"

namespace kdyn::inline io {

// Symmetric matrices (form 6) are completed; form 9 has plain columns numbered by node. Bad entries become findings.
MatrixSet dmig_matrices(const NastranDeck& deck);
MatrixSet parse_dmig(std::string_view content, const std::string& name);
MatrixSet read_dmig(const std::string& path);

// Large field, 10 digits. Matrices without degrees of freedom get scalar points 1, 2, ...
std::string dmig_text(const MatrixSet& matrices);

}  // namespace kdyn::inline io
