// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/master_spline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double knot_step_decades = 0.4;
constexpr double margin = 1.2;  // decades of knots beyond the data
constexpr double huber = 3.0;   // standard deviations from which a point counts less
// How far log10 a(T) strays from the straight line between its neighbours: holds what the data leave open, and is too
// weak to be seen elsewhere. It is not part of the intervals.
constexpr double stray = 0.5;

// Cubic B-spline at x on uniform knots: first of four coefficients, their weights and slopes.
struct Basis {
  Eigen::Index first = 0;
  std::array<double, 4> value{}, slope{};
};
Basis basis_at(double x, double first, double step, Eigen::Index count) {
  const double place = (x - first) / step;
  const double cell = std::clamp(std::floor(place), 0.0, static_cast<double>(count - 4));
  const double t = place - cell, s = 1.0 - t;
  Basis b;
  b.first = static_cast<Eigen::Index>(cell);
  b.value = {s * s * s / 6.0, (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0, (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
             t * t * t / 6.0};
  b.slope = {-s * s / (2.0 * step), (9.0 * t * t - 12.0 * t) / (6.0 * step), (12.0 * s - 9.0 * s * s) / (6.0 * step),
             t * t / (2.0 * step)};
  return b;
}

// Rest of the least-squares polynomial through points, both channels together; infinite when there are too few.
double polynomial_rest(const std::vector<double>& x, const std::vector<std::array<double, 2>>& y, int channels,
                       const std::array<double, 2>& noise) {
  double sum = 0.0;
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double centre = 0.5 * (*low + *high), half = std::max(1e-3, 0.5 * (*high - *low));
  for (int c = 0; c < channels; ++c) {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::isfinite(y[i][static_cast<std::size_t>(c)])) used.push_back(i);
    const Eigen::Index terms = std::min<Eigen::Index>(5, static_cast<Eigen::Index>(used.size()) - 2);
    if (terms < 2) continue;
    Eigen::MatrixXd A(static_cast<Eigen::Index>(used.size()), terms);
    Eigen::VectorXd b(A.rows());
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      const std::size_t at = used[static_cast<std::size_t>(i)];
      double power = 1.0;
      for (Eigen::Index k = 0; k < terms; ++k, power *= (x[at] - centre) / half) A(i, k) = power;
      b[i] = y[at][static_cast<std::size_t>(c)];
    }
    const Eigen::MatrixXd normal = A.transpose() * A;
    const Eigen::VectorXd right = A.transpose() * b;
    const Eigen::VectorXd solution = normal.ldlt().solve(right);
    sum += (A * solution - b).squaredNorm() / std::pow(noise[static_cast<std::size_t>(c)], 2);
  }
  return sum;
}

// Rest of the pair j-1, j on one polynomial, over the shift between them.
struct PairRest {
  std::vector<double> shift, rest;
};
PairRest pair_rest(const MasterSets& sets, std::size_t j) {
  const std::array<double, 2> noise = {0.02, 0.05};
  std::vector<double> xa, xb;
  std::vector<std::array<double, 2>> y, yb;
  for (const MasterSample& s : sets.samples) {
    if (s.level == j - 1) xa.push_back(s.x), y.push_back(s.y);
    if (s.level == j) xb.push_back(s.x), yb.push_back(s.y);
  }
  y.insert(y.end(), yb.begin(), yb.end());
  const auto range = [](const std::vector<double>& x) { return std::minmax_element(x.begin(), x.end()); };
  const double least = *range(xa).first - *range(xb).second - 1.0, most = *range(xa).second - *range(xb).first + 1.0;
  PairRest out;
  for (double s = least; s <= most; s += 0.05) {
    std::vector<double> x = xa;
    for (const double one : xb) x.push_back(one + s);
    out.shift.push_back(s);
    out.rest.push_back(polynomial_rest(x, y, sets.loss_moves ? 2 : 1, noise));
  }
  return out;
}

// First shifts: neighbour by neighbour, the step that lets both lie on one polynomial and is near the step of the pair
// before, up or down the temperatures; `hold` (decades) says how near.
std::vector<double> first_shifts(const MasterSets& sets, const std::vector<PairRest>& pairs, bool up, double hold) {
  std::vector<double> step(sets.levels, 0.0);
  double rate = std::numeric_limits<double>::quiet_NaN();  // decades a degree
  for (std::size_t k = 1; k < sets.levels; ++k) {
    const std::size_t j = up ? k : sets.levels - k;
    const double span = sets.temperature_c[j] - sets.temperature_c[j - 1];
    double best_cost = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < pairs[j].shift.size(); ++i) {
      double cost = pairs[j].rest[i];
      if (std::isfinite(rate)) cost += std::pow((pairs[j].shift[i] - rate * span) / hold, 2);
      if (cost < best_cost) best_cost = cost, step[j] = pairs[j].shift[i];
    }
    rate = step[j] / span;
  }
  std::vector<double> log_a(sets.levels, 0.0);
  for (std::size_t j = 1; j < sets.levels; ++j) log_a[j] = log_a[j - 1] + step[j];
  const double zero = log_a[sets.reference];
  for (double& one : log_a) one -= zero;
  return log_a;
}

class SplineFitter {
 public:
  SplineFitter(const MasterSets& sets, std::vector<double> log_a) : sets_(sets) {
    out_.log_a = std::move(log_a);
    out_.log_b.assign(sets.levels, 0.0);
    for (const MasterSample& s : sets.samples)
      for (std::size_t c = 0; c < 2; ++c)
        if (std::isfinite(s.y[c])) {
          data_.push_back({&s, c});
          ++count_[c];
        }
    out_.has_loss = count_[1] >= 8;
    if (!out_.has_loss) std::erase_if(data_, [](const Datum& d) { return d.channel == 1; });
    channels_ = out_.has_loss ? 2 : 1;
    out_.noise = {0.02, 0.05};
    weight_.assign(data_.size(), 1.0);
    place_knots();
    Eigen::Index next = 0;
    shift_.assign(sets.levels, -1), lift_.assign(sets.levels, -1);
    for (std::size_t j = 0; j < sets.levels; ++j)
      if (j != sets.reference) shift_[j] = next++;
    if (sets.free_vertical)
      for (std::size_t j = 0; j < sets.levels; ++j)
        if (j != sets.reference) lift_[j] = next++;
    first_coefficient_ = next;
  }

  // Gauss-Newton with shorter steps where the cost would rise; noise and weights of far points follow in rounds.
  bool solve(double smoothness) {
    for (int round = 0; round < 30; ++round) {
      const std::array<double, 2> before = out_.noise;
      const std::vector<double> shifts = out_.log_a;
      if (!minimise(smoothness, round == 0)) return false;
      update_noise(smoothness);
      double moved = 0.0;
      for (std::size_t c = 0; c < channels_; ++c)
        moved = std::max(moved, std::abs(std::log(out_.noise[c] / before[c])));
      for (std::size_t j = 0; j < sets_.levels; ++j)
        moved = std::max(moved, 10.0 * std::abs(out_.log_a[j] - shifts[j]));
      if (round > 0 && moved < 0.01) return true;
    }
    return false;
  }

  // -2 ln of the marginal likelihood, up to a constant (Laplace).
  double evidence(double smoothness) {
    build(smoothness, true);
    const Eigen::LDLT<Eigen::MatrixXd> factor(normal_);
    double value = cost_ + factor.vectorD().array().abs().max(1e-300).log().sum();
    value -= static_cast<double>(channels_) * static_cast<double>(knots_ - 3) * std::log(smoothness);
    for (const Datum& d : data_) value += 2.0 * std::log(out_.noise[d.channel]);
    return value;
  }

  MasterSplineFit finish(double smoothness, bool converged) {
    out_.converged = converged;
    build(smoothness, false);
    const Eigen::Index p = normal_.rows();
    // Without the prior of the shifts flat curves leave directions open: the smallest pivots are held from 0.
    Eigen::MatrixXd held = normal_;
    for (Eigen::Index i = 0; i < first_coefficient_; ++i) held(i, i) += 1e-4;
    const Eigen::MatrixXd inverse = held.ldlt().solve(Eigen::MatrixXd::Identity(p, p).eval());
    const auto m = static_cast<Eigen::Index>(sets_.levels);
    out_.covariance.setZero(m, m);
    out_.log_a_std.assign(sets_.levels, 0.0);
    out_.log_b_std.assign(sets_.levels, 0.0);
    for (std::size_t i = 0; i < sets_.levels; ++i) {
      if (lift_[i] >= 0) out_.log_b_std[i] = std::sqrt(std::max(0.0, inverse(lift_[i], lift_[i])));
      if (shift_[i] < 0) continue;
      out_.log_a_std[i] = std::sqrt(std::max(0.0, inverse(shift_[i], shift_[i])));
      for (std::size_t j = 0; j < sets_.levels; ++j)
        if (shift_[j] >= 0)
          out_.covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = inverse(shift_[i], shift_[j]);
    }
    out_.degrees_of_freedom = std::max(1.0, static_cast<double>(data_.size()) - used_);
    return out_;
  }
  const std::vector<double>& log_a() const { return out_.log_a; }
  int iterations() const { return out_.iterations; }

 private:
  // Where the model stands at a point, and its derivatives.
  struct Row {
    std::array<Eigen::Index, 6> index{};
    std::array<double, 6> slope{};
    std::size_t n = 0;
    double model = 0.0;
    void add(Eigen::Index at, double by) { index[n] = at, slope[n++] = by; }
  };
  struct Datum {
    const MasterSample* sample;
    std::size_t channel;
  };

  Row row_of(const Datum& d) const {
    const std::size_t level = d.sample->level;
    const Basis b = basis_at(d.sample->x + out_.log_a[level], out_.knot_first, out_.knot_step, knots_);
    const Eigen::Index at = first_coefficient_ + static_cast<Eigen::Index>(d.channel) * knots_ + b.first;
    Row row;
    row.model = out_.log_b[level];
    double rise = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      const double c = out_.coefficients[d.channel][b.first + static_cast<Eigen::Index>(k)];
      row.model += b.value[k] * c;
      rise += b.slope[k] * c;
      row.add(at + static_cast<Eigen::Index>(k), b.value[k]);
    }
    const bool moves = d.channel == 0 || sets_.loss_moves;
    if (shift_[level] >= 0 && moves) row.add(shift_[level], rise);
    if (lift_[level] >= 0 && moves) row.add(lift_[level], 1.0);
    return row;
  }

  bool minimise(double smoothness, bool first) {
    for (int i = 0; i < 100; ++i) {
      ++out_.iterations;
      build(smoothness, true);
      const double cost = cost_;
      if (first && i == 0)  // the curve first: where it is flat shifts mean nothing
        for (Eigen::Index k = 0; k < first_coefficient_; ++k) normal_(k, k) += 1e12;
      const Eigen::VectorXd step = normal_.ldlt().solve(right_);
      if (!step.allFinite()) return false;
      const double largest = step.head(first_coefficient_).cwiseAbs().maxCoeff();
      const MasterSplineFit here = out_;
      double scale = std::min(1.0, 0.7 / std::max(largest, 1e-12));
      for (int halving = 0;; ++halving, scale *= 0.5) {
        out_.log_a = here.log_a, out_.log_b = here.log_b, out_.coefficients = here.coefficients;
        for (std::size_t j = 0; j < sets_.levels; ++j) {
          if (shift_[j] >= 0) out_.log_a[j] += scale * step[shift_[j]];
          if (lift_[j] >= 0) out_.log_b[j] += scale * step[lift_[j]];
        }
        for (std::size_t c = 0; c < channels_; ++c)
          out_.coefficients[c] +=
              scale * step.segment(first_coefficient_ + static_cast<Eigen::Index>(c) * knots_, knots_);
        build(smoothness, true);
        if (cost_ <= cost || halving > 12) break;
      }
      if ((scale * largest < 1e-5 || cost - cost_ < 1e-7 * cost) && (i > 0 || !first)) return true;
    }
    return true;  // the rounds decide
  }

  void place_knots() {
    double low = 1e300, high = -1e300;
    for (const MasterSample& s : sets_.samples) {
      low = std::min(low, s.x + out_.log_a[s.level]);
      high = std::max(high, s.x + out_.log_a[s.level]);
    }
    out_.knot_step = knot_step_decades;
    out_.knot_first = low - margin;
    knots_ = static_cast<Eigen::Index>(std::ceil((high - low + 2.0 * margin) / out_.knot_step)) + 4;
    for (std::size_t c = 0; c < channels_; ++c) out_.coefficients[c] = Eigen::VectorXd::Zero(knots_);
  }

  // Normal equations of the step: data, third differences of the coefficients, and when wanted the prior of the shifts.
  void build(double smoothness, bool with_prior) {
    const Eigen::Index p = first_coefficient_ + static_cast<Eigen::Index>(channels_) * knots_;
    normal_.setZero(p, p);
    right_.setZero(p);
    cost_ = 0.0;
    residual_.resize(data_.size());
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const Datum& d = data_[i];
      const Row row = row_of(d);
      const double r = d.sample->y[d.channel] - row.model;
      residual_[i] = r;
      const double w = weight_[i] / (out_.noise[d.channel] * out_.noise[d.channel]);
      cost_ += w * r * r;
      for (std::size_t a = 0; a < row.n; ++a) {
        right_[row.index[a]] += w * row.slope[a] * r;
        for (std::size_t c = 0; c < row.n; ++c) normal_(row.index[a], row.index[c]) += w * row.slope[a] * row.slope[c];
      }
    }
    constexpr std::array<double, 4> third = {-1.0, 3.0, -3.0, 1.0};
    for (std::size_t c = 0; c < channels_; ++c)
      for (Eigen::Index k = 0; k + 4 <= knots_; ++k) {
        const Eigen::Index at = first_coefficient_ + static_cast<Eigen::Index>(c) * knots_ + k;
        double bend = 0.0;
        for (Eigen::Index a = 0; a < 4; ++a) bend += third[static_cast<std::size_t>(a)] * out_.coefficients[c][k + a];
        cost_ += smoothness * bend * bend;
        for (Eigen::Index a = 0; a < 4; ++a) {
          right_[at + a] -= smoothness * third[static_cast<std::size_t>(a)] * bend;
          for (Eigen::Index b = 0; b < 4; ++b)
            normal_(at + a, at + b) +=
                smoothness * third[static_cast<std::size_t>(a)] * third[static_cast<std::size_t>(b)];
        }
      }
    if (!with_prior) return;
    for (std::size_t j = 1; j + 1 < sets_.levels; ++j) {
      const double whole = sets_.temperature_c[j + 1] - sets_.temperature_c[j - 1],
                   share = (sets_.temperature_c[j] - sets_.temperature_c[j - 1]) / whole;
      const std::array<std::size_t, 3> of = {j - 1, j, j + 1};
      const std::array<double, 3> part = {-(1.0 - share), 1.0, -share};
      double r = 0.0;
      for (std::size_t k = 0; k < 3; ++k) r += part[k] * out_.log_a[of[k]];
      cost_ += r * r / (stray * stray);
      for (std::size_t a = 0; a < 3; ++a) {
        if (shift_[of[a]] < 0) continue;
        right_[shift_[of[a]]] -= part[a] * r / (stray * stray);
        for (std::size_t b = 0; b < 3; ++b)
          if (shift_[of[b]] >= 0) normal_(shift_[of[a]], shift_[of[b]]) += part[a] * part[b] / (stray * stray);
      }
    }
  }

  // Noise of each channel from what is left, with the effective number of parameters; far points count less.
  void update_noise(double smoothness) {
    build(smoothness, true);
    const Eigen::Index p = normal_.rows();
    const Eigen::MatrixXd inverse = normal_.ldlt().solve(Eigen::MatrixXd::Identity(p, p).eval());
    std::array<double, 2> square{}, number{}, used{};
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const Datum& d = data_[i];
      const double sigma = out_.noise[d.channel];
      const Row row = row_of(d);
      double leverage = 0.0;
      for (std::size_t a = 0; a < row.n; ++a)
        for (std::size_t c = 0; c < row.n; ++c)
          leverage += row.slope[a] * row.slope[c] * inverse(row.index[a], row.index[c]);
      used[d.channel] += weight_[i] * leverage / (sigma * sigma);
      square[d.channel] += weight_[i] * residual_[i] * residual_[i];
      number[d.channel] += 1.0;
    }
    used_ = used[0] + used[1];
    for (std::size_t c = 0; c < channels_; ++c)
      out_.noise[c] = std::max(1e-6, std::sqrt(square[c] / std::max(0.2 * number[c], number[c] - used[c])));
    for (std::size_t i = 0; i < data_.size(); ++i) {
      const double far = std::abs(residual_[i]) / (huber * out_.noise[data_[i].channel]);
      weight_[i] = far > 1.0 ? 1.0 / far : 1.0;
    }
  }

  const MasterSets& sets_;
  MasterSplineFit out_;
  std::vector<Datum> data_;
  std::array<std::size_t, 2> count_{};
  std::size_t channels_ = 2;
  Eigen::Index knots_ = 0, first_coefficient_ = 0;
  std::vector<Eigen::Index> shift_, lift_;
  std::vector<double> weight_, residual_;
  Eigen::MatrixXd normal_;
  Eigen::VectorXd right_;
  double cost_ = 0.0, used_ = 0.0;
};

}  // namespace

double MasterSplineFit::curve(int channel, double x) const {
  const Eigen::VectorXd& c = coefficients[static_cast<std::size_t>(channel)];
  if (c.size() < 4) return std::numeric_limits<double>::quiet_NaN();
  const Basis b = basis_at(x, knot_first, knot_step, c.size());
  double sum = 0.0;
  for (std::size_t k = 0; k < 4; ++k) sum += b.value[k] * c[b.first + static_cast<Eigen::Index>(k)];
  return sum;
}

MasterSplineFit fit_master_spline(const MasterSets& sets, Progress& progress) {
  std::vector<PairRest> pairs(sets.levels);
  for (std::size_t j = 1; j < sets.levels; ++j) pairs[j] = pair_rest(sets, j);
  std::vector<std::vector<double>> starts;
  for (const double hold : {0.7, 0.2})
    for (const bool up : {true, false}) starts.push_back(first_shifts(sets, pairs, up, hold));
  std::vector<double> best;
  double best_smoothness = 1.0, best_evidence = std::numeric_limits<double>::infinity();
  int iterations = 0, done = 0;
  for (const std::vector<double>& start : starts) {
    std::vector<double> shifts = start;
    // From stiff to loose: a stiff curve sees the large steps, a loose one the details.
    for (double exponent = 8.0; exponent >= -0.01; exponent -= 1.0) {
      const double smoothness = std::pow(10.0, exponent);
      SplineFitter fitter(sets, shifts);
      const bool settled = fitter.solve(smoothness);
      iterations += fitter.iterations();
      progress.report(++done / (9.0 * static_cast<double>(starts.size()) + 1.0), "smoothness");
      if (!settled) continue;
      shifts = fitter.log_a();
      const double evidence = fitter.evidence(smoothness);
      if (evidence < best_evidence) best_evidence = evidence, best_smoothness = smoothness, best = shifts;
    }
  }
  SplineFitter fitter(sets, best.empty() ? starts.front() : best);
  const bool converged = fitter.solve(best_smoothness);
  MasterSplineFit fit = fitter.finish(best_smoothness, converged && !best.empty());
  fit.iterations += iterations;
  return fit;
}

}  // namespace kdyn::inline identify
