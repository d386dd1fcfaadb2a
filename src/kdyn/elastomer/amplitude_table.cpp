// SPDX-License-Identifier: Apache-2.0
#include "kdyn/elastomer/amplitude_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace kdyn::inline elastomer {
namespace {

// The pieces of a positive number are the upper bits of its writing: exponent and three bits behind the point.
constexpr int bits_inside = 52 - 3;
std::uint64_t index_of(double amplitude) { return std::bit_cast<std::uint64_t>(amplitude) >> bits_inside; }
double start_of(std::uint64_t index) { return std::bit_cast<double>(index << bits_inside); }

double chebyshev(const double* c, int degree, double x) {
  double next = 0.0, after = 0.0;
  for (int k = degree; k > 0; --k) {
    const double now = c[k] + 2.0 * x * next - after;
    after = next;
    next = now;
  }
  return c[0] + x * next - after;
}

// A polynomial must save more formulas than it costs; ranges beyond these stay with the formulas.
constexpr std::size_t friction_points_of_a_piece = 30, static_points_of_a_piece = 8, most_pieces = 200'000;

}  // namespace

FrictionTable::FrictionTable(const Friction<double>& friction, std::span<const double> amplitudes)
    : friction_(friction) {
  // Without a limit the formulas are a root and a logarithm.
  if (!friction.limited() || amplitudes.empty()) return;
  const auto [least, greatest] = std::minmax_element(amplitudes.begin(), amplitudes.end());
  if (!(*least >= 1e-300) || !(*greatest <= 1e300)) return;
  first_ = index_of(*least);
  std::vector<std::size_t> count(index_of(*greatest) - first_ + 1);
  for (const double a : amplitudes) ++count[index_of(a) - first_];
  pieces_.resize(count.size());
  for (std::size_t i = 0; i < count.size(); ++i)
    if (count[i] >= friction_points_of_a_piece) pieces_[i] = piece_of(first_ + i);
}

FrictionTable::Piece FrictionTable::piece_of(std::uint64_t index) const {
  const double from = start_of(index), to = start_of(index + 1);
  const double centre = 0.5 * (from + to), half = 0.5 * (to - from);
  constexpr int n = degree + 1;
  Complex<double> values[n];
  for (int i = 0; i < n; ++i)
    values[i] = friction_stiffness(friction_, centre + half * std::cos(std::numbers::pi * (i + 0.5) / n));
  Piece piece;
  for (int k = 0; k < n; ++k) {
    const double scale = (k == 0 ? 1.0 : 2.0) / n;
    for (int i = 0; i < n; ++i) {
      const double t = scale * std::cos(std::numbers::pi * k * (i + 0.5) / n);
      piece.re[k] += t * values[i].re;
      piece.im[k] += t * values[i].im;
    }
  }
  piece.used = true;
  for (const double x : {-0.99, -0.2, 0.13, 0.95}) {
    const Complex<double> exact = friction_stiffness(friction_, centre + half * x);
    const double miss =
        std::hypot(chebyshev(piece.re, degree, x) - exact.re, chebyshev(piece.im, degree, x) - exact.im);
    if (!(miss <= 1e-12 * std::hypot(exact.re, exact.im))) piece.used = false;
  }
  return piece;
}

Complex<double> FrictionTable::operator()(double amplitude) const {
  const std::uint64_t at = index_of(amplitude) - first_;
  if (at >= pieces_.size() || !pieces_[at].used) return friction_stiffness(friction_, amplitude);
  const double from = start_of(first_ + at), to = start_of(first_ + at + 1);
  const double x = (2.0 * amplitude - from - to) / (to - from);
  return {chebyshev(pieces_[at].re, degree, x), chebyshev(pieces_[at].im, degree, x)};
}

StaticTable::StaticTable(const Elastomer<double>& law, double u0, std::span<const double> amplitudes)
    : law_(law),
      u0_(u0) {
  if (!law.curve || amplitudes.empty()) return;
  const auto [least, greatest] = std::minmax_element(amplitudes.begin(), amplitudes.end());
  if (!std::isfinite(*greatest)) return;
  edges_ = {*least, *greatest};
  for (const double c : half_period_cosines<StaticPart<double>::quadrature_points>())
    for (const auto& [u, force] : law.curve_points)
      if (const double a = (u - u0) / c; a > *least && a < *greatest) edges_.push_back(a);
  std::sort(edges_.begin(), edges_.end());
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  if (edges_.size() < 2 || edges_.size() > most_pieces ||
      amplitudes.size() < static_points_of_a_piece * edges_.size()) {
    edges_.clear();
    return;
  }
  pieces_.resize(edges_.size() - 1);
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    piece.centre = 0.5 * (edges_[i] + edges_[i + 1]);
    piece.half = 0.5 * (edges_[i + 1] - edges_[i]);
    double values[4];
    for (int j = 0; j < 4; ++j) values[j] = sum(piece.centre + piece.half * std::cos(std::numbers::pi * (j + 0.5) / 4));
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4; ++j)
        piece.c[k] += (k == 0 ? 0.25 : 0.5) * std::cos(std::numbers::pi * k * (j + 0.5) / 4) * values[j];
  }
  const std::size_t parts = 4 * pieces_.size();
  guide_scale_ = static_cast<double>(parts) / (*greatest - *least);
  guide_.resize(parts + 1);
  std::size_t at = 0;
  for (std::size_t part = 0; part <= parts; ++part) {
    // One part earlier: rounding may put an amplitude into the part before that of its edge.
    const double from = *least + (static_cast<double>(part) - 1.0) / guide_scale_;
    while (at + 1 < pieces_.size() && edges_[at + 1] < from) ++at;
    guide_[part] = static_cast<std::uint32_t>(at);
  }
}

double StaticTable::sum(double amplitude) const {
  double sum = 0.0;
  for (const double c : half_period_cosines<StaticPart<double>::quadrature_points>())
    sum += c * law_.static_force(u0_ + c * amplitude);
  return sum;
}

std::size_t StaticTable::piece_at(double amplitude) const {
  const auto part = static_cast<std::size_t>((amplitude - edges_.front()) * guide_scale_);
  std::size_t at = guide_[std::min(part, guide_.size() - 1)];
  while (at + 1 < pieces_.size() && edges_[at + 1] < amplitude) ++at;
  return at;
}

double StaticTable::operator()(double amplitude) const {
  if (pieces_.empty() || !(amplitude >= edges_.front() && amplitude <= edges_.back()))
    return static_harmonic(StaticPart<double>{law_}, u0_, amplitude);
  const Piece& piece = pieces_[piece_at(amplitude)];
  return 2.0 / (amplitude * static_cast<double>(StaticPart<double>::quadrature_points)) *
         chebyshev(piece.c, 3, (amplitude - piece.centre) / piece.half);
}

}  // namespace kdyn::inline elastomer
