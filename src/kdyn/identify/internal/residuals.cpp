// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/residuals.hpp"

#include <algorithm>
#include <map>

#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/identify/internal/narrow.hpp"
#include "kdyn/identify/internal/static_path.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/numerics/meet.hpp"

namespace kdyn::inline identify {
namespace {

constexpr std::size_t most_loop_samples = 800, most_series_samples = 2000;

std::vector<std::size_t> thin(std::size_t count, std::size_t most) {
  std::vector<std::size_t> picked;
  const std::size_t stride = std::max<std::size_t>(1, (count + most - 1) / most);
  for (std::size_t i = 0; i < count; i += stride) picked.push_back(i);
  return picked;
}

// Force over a quasi-static path at the chosen samples, up to a constant  [identify E3].
template <class T>
std::vector<T> static_force_along(const Candidate<T>& c, const StaticLoop& loop, const LoopHistory& history,
                                  const std::vector<std::size_t>& samples) {
  const auto point = history.rest == RestPoint::preload ? c.at_preload(history.preload)
                                                        : c.at_displacement(T(rest_displacement(history, loop, 0.0)));
  std::vector<T> y;
  if (history.passes > 0) y = friction_along(c.law, loop.displacement, point.u0, history.passes);
  const T k = point.k * c.law.scale_ampl;
  std::vector<T> force;
  for (const std::size_t i : samples) {
    force.push_back(point.statics.force(T(loop.displacement[i])));
    if (!y.empty()) force.back() += k * y[i];
  }
  return force;
}

// Force over a transient from rest at its first sample, at the chosen samples, up to a constant  [identify E4].
template <class T>
std::vector<T> series_force_along(const Candidate<T>& c, const BenchSeries& series, const std::vector<double>& v,
                                  const std::vector<std::size_t>& samples) {
  const std::vector<double>&t = series.time, &u = series.displacement;
  const auto point = c.at_displacement(T(u.front()));
  NarrowDynamics<T> narrow(c.law);
  using S = typename NarrowDynamics<T>::S;
  const Elastomer<S>& dynamic = narrow.law;
  auto memory = dynamic.start(S(u.front()));
  S z(0.0), rate;
  Motion<S> from{S(u.front()), S(v.front())};
  auto step = dynamic.prepare_step(S(t[1] - t[0]));
  std::vector<T> force;
  std::size_t next = 0;  // of the samples
  for (std::size_t i = 0; i < u.size(); ++i) {
    S part;
    if (i == 0) {
      part = dynamic.evaluate(from, &z, memory, &rate);
    } else {
      const Motion<S> to{S(u[i]), S(v[i])};
      const double h = t[i] - t[i - 1];
      // Time stamps are rounded in files: steps that agree to that rounding are one length.
      if (std::abs(h - value_of(step.h)) > 1e-6 * h) step = dynamic.prepare_step(S(h));
      part = dynamic.advance(&z, memory, from, to, step);
      from = to;
    }
    if (next == samples.size() || samples[next] != i) continue;
    force.push_back(point.statics.force(T(u[i])) + point.k * narrow.widen(part));
    ++next;
  }
  return force;
}

// The model at the chosen samples against the measurement there.
template <class T, class Put>
void put_force_residuals(const std::vector<T>& model, const std::vector<double>& measured,
                         const std::vector<std::size_t>& samples, bool free_offset, Put&& put) {
  T offset(0.0);
  if (free_offset) {
    for (std::size_t i = 0; i < samples.size(); ++i) offset += model[i] - measured[samples[i]];
    offset /= static_cast<double>(samples.size());
  }
  for (std::size_t i = 0; i < samples.size(); ++i) put(T(model[i] - measured[samples[i]] - offset));
}

template <class T, class ThetaAt, class Put>
bool compare(const Comparison& comparison, const Layout& layout, ThetaAt&& theta_at, Put&& put) {
  const Candidate<T> c = make_candidate<T>(layout, theta_at);
  const ElastomerData& data = *comparison.data;

  // [identify E2] Rows share operating points and often amplitudes; friction depends on the amplitude alone.
  std::map<double, typename Candidate<T>::OperatingPoint> points;
  std::map<double, Complex<T>> frictions;
  const NarrowFriction<T> narrow(c.law.friction());
  using S = typename NarrowFriction<T>::S;
  Elastomer<T> frictionless = c.law;
  frictionless.rdl = T(0.0);
  for (const std::size_t i : comparison.rows) {
    const MapRow& row = data.map.rows[i];
    auto it = points.find(row.preload);
    if (it == points.end()) it = points.emplace(row.preload, c.at_preload(row.preload)).first;
    const auto& point = it->second;
    if (!(value_of(point.k) > 0.0)) return false;
    DynamicStiffness<T> model;
    if (comparison.criterion == Criterion::loop) {
      model = loop_reduction(c.law, point.statics, point.k, row.frequency_hz, T(row.amplitude), point.u0);
    } else {
      auto friction = frictions.find(row.amplitude);
      if (friction == frictions.end()) {
        const Complex<S> part = friction_stiffness(narrow.friction, S(row.amplitude));
        friction = frictions.emplace(row.amplitude, Complex<T>{narrow.widen(part.re), narrow.widen(part.im)}).first;
      }
      const Complex<T> rest =
          harmonic_stiffness(frictionless, point.statics, point.k, row.frequency_hz, T(row.amplitude), point.u0);
      const Complex<T> K = rest + T(point.k * c.law.scale_ampl) * friction->second;
      model = {abs(K), arg(K)};
    }
    using std::log;
    put(T(log(model.k_dyn / row.k_dyn)));
    put(T(model.loss_angle - row.loss_angle));
  }
  for (std::size_t i = 0; i < data.loops.size(); ++i)
    // A spline carries its own constant; a straight line through 0 needs a free offset of the force sensor.
    put_force_residuals(static_force_along(c, data.loops[i], comparison.history[i], comparison.loop_samples[i]),
                        data.loops[i].force, comparison.loop_samples[i], layout.mode != StaticMode::spline, put);
  // Without a loop the first transient tells the constant of a spline.
  const bool told = layout.mode == StaticMode::spline && data.loops.empty();
  for (std::size_t i = 0; i < data.series.size(); ++i)
    put_force_residuals(
        series_force_along(c, data.series[i], comparison.series_velocity[i], comparison.series_samples[i]),
        data.series[i].force, comparison.series_samples[i], i > 0 || !told, put);
  return true;
}

template <int N>
bool compare_with_jets(const Comparison& comparison, const Layout& layout, const Eigen::VectorXd& theta,
                       Eigen::VectorXd& r, Eigen::MatrixXd& J) {
  Eigen::Index at = 0;
  return compare<Jet<N>>(
      comparison, layout, [&](int i) { return Jet<N>(theta[i], i); },
      [&](const Jet<N>& residual) {
        r[at] = residual.a;
        J.row(at++) = derivatives(residual).head(layout.size).transpose();
      });
}

}  // namespace

Comparison::Comparison(const ElastomerData& source, Criterion reduction, const std::vector<bool>& row_used)
    : data(&source),
      criterion(reduction) {
  for (std::size_t i = 0; i < source.map.rows.size(); ++i)
    if (row_used[i]) {
      rows.push_back(i);
      group.push_back(group_k_dyn);
      group.push_back(group_loss_angle);
    }
  for (const StaticLoop& loop : source.loops) {
    history.push_back(possible_histories(loop, {}, {}).front());
    loop_samples.push_back(thin(loop.displacement.size(), most_loop_samples));
    group.insert(group.end(), loop_samples.back().size(), group_static);
  }
  for (const BenchSeries& one : source.series) {
    series_samples.push_back(thin(one.time.size(), most_series_samples));
    series_velocity.push_back(velocity_of(one.time, one.displacement));
    group.insert(group.end(), series_samples.back().size(), group_transient);
  }
  weight.assign(group.size(), 1.0);
}

bool evaluate_residuals(const Comparison& comparison, const Layout& layout, const Eigen::VectorXd& theta,
                        Eigen::VectorXd& r, Eigen::MatrixXd* J) {
  if (J == nullptr) {
    Eigen::Index at = 0;
    return compare<double>(
        comparison, layout, [&](int i) { return theta[i]; }, [&](double residual) { r[at++] = residual; });
  }
  if (layout.size <= 8) return compare_with_jets<8>(comparison, layout, theta, r, *J);
  if (layout.size <= 16) return compare_with_jets<16>(comparison, layout, theta, r, *J);
  return compare_with_jets<most_unknowns>(comparison, layout, theta, r, *J);
}

std::vector<double> series_force(const Elastomer<double>& law, const BenchSeries& series) {
  const std::unique_ptr<Mount> mount = make_mount(law);
  std::vector<double> force = simulate(*mount, series.time, series.displacement);
  meet(force, series.force);
  return force;
}

}  // namespace kdyn::inline identify
