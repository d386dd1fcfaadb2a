// SPDX-License-Identifier: Apache-2.0
// What the first harmonic of the rubber law owes to amplitude [elastomer E19], for arrays of very many amplitudes at one
// operating point: formulas at a few amplitudes, polynomials between them.
//
//   friction     smooth in the amplitude: eight pieces an octave, Chebyshev polynomials of degree 10. A piece whose
//                polynomial misses the formula by more than 1e-12 between its nodes is not used.
//   static part  the sum of E21 over a curve of cubics is itself a cubic of the amplitude between those at which one of
//                its points passes a point of the curve: no error but rounding.
//
// Pieces that hold few of the amplitudes are left to the formulas. So a number may differ in its last digits from that
// of a single evaluation (relative 1e-12), never by more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kdyn/elastomer/harmonic.hpp"

namespace kdyn::inline elastomer {

class FrictionTable {
 public:
  FrictionTable(const Friction<double>& friction, std::span<const double> amplitudes);
  Complex<double> operator()(double amplitude) const;

 private:
  static constexpr int degree = 10;
  struct Piece {
    bool used = false;
    double re[degree + 1] = {}, im[degree + 1] = {};  // Chebyshev coefficients
  };
  Piece piece_of(std::uint64_t index) const;

  Friction<double> friction_;
  std::uint64_t first_ = 0;
  std::vector<Piece> pieces_;
};

class StaticTable {
 public:
  StaticTable(const Elastomer<double>& law, double u0, std::span<const double> amplitudes);
  // First harmonic of the static part, N/m.
  double operator()(double amplitude) const;

 private:
  double sum(double amplitude) const;
  std::size_t piece_at(double amplitude) const;

  const Elastomer<double>& law_;
  double u0_;
  struct Piece {
    double centre = 0.0, half = 0.0, c[4] = {};
  };
  std::vector<double> edges_;  // ascending; between two of them lies a piece
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> guide_;  // the piece at which the search begins, by equal parts of the range
  double guide_scale_ = 0.0;
};

}  // namespace kdyn::inline elastomer
