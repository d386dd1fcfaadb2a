// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/residuals.hpp"

#include <algorithm>
#include <map>

#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/identify/internal/static_path.hpp"

namespace kdyn::identify {
namespace {

constexpr std::size_t most_loop_samples = 800, most_series_samples = 2000;

std::vector<std::size_t> thin(std::size_t count, std::size_t most) {
  std::vector<std::size_t> picked;
  const std::size_t stride = std::max<std::size_t>(1, (count + most - 1) / most);
  for (std::size_t i = 0; i < count; i += stride) picked.push_back(i);
  return picked;
}

// Force over a quasi-static path, up to a constant  [identify E3].
template <class T>
std::vector<T> static_force_along(const Candidate<T>& c, const std::vector<double>& path) {
  const auto [low, high] = std::minmax_element(path.begin(), path.end());
  const auto point = c.at_displacement(T(0.5 * (*low + *high)));
  std::vector<T> force = centred_friction(c.law.friction(), path);
  for (std::size_t i = 0; i < path.size(); ++i) force[i] = point.statics.force(T(path[i])) + point.k * c.law.scale_ampl * force[i];
  return force;
}

// Force over a transient from rest at its first sample, up to a constant  [identify E4].
template <class T>
std::vector<T> series_force_along(const Candidate<T>& c, const std::vector<double>& t, const std::vector<double>& u, const std::vector<double>& v) {
  const auto point = c.at_displacement(T(u.front()));
  Elastomer<T> dynamic = c.law;  // its dynamic parts alone; the candidate's static part is added
  dynamic.curve = nullptr;
  dynamic.static_stiffness = point.k;
  dynamic.scale_static_stiffness = T(0.0);
  auto memory = dynamic.start(T(u.front()));
  T z(0.0);
  std::vector<T> force(u.size());
  T rate;
  Motion<T> from{T(u.front()), T(v.front())};
  force[0] = dynamic.evaluate(from, &z, memory, &rate) + point.statics.force(from.u);
  auto step = dynamic.prepare_step(T(t[1] - t[0]));
  for (std::size_t i = 1; i < u.size(); ++i) {
    const Motion<T> to{T(u[i]), T(v[i])};
    const double h = t[i] - t[i - 1];
    // Time stamps are rounded in files: steps that agree to that rounding are one length.
    if (std::abs(h - value_of(step.h)) > 1e-6 * h) step = dynamic.prepare_step(T(h));
    force[i] = dynamic.advance(&z, memory, from, to, step) + point.statics.force(to.u);
    from = to;
  }
  return force;
}

template <class T, class Put>
void put_force_residuals(const std::vector<T>& model, const std::vector<double>& measured, const std::vector<std::size_t>& samples, bool free_offset, Put&& put) {
  T offset(0.0);
  if (free_offset) {
    for (const std::size_t i : samples) offset += model[i] - measured[i];
    offset /= static_cast<double>(samples.size());
  }
  for (const std::size_t i : samples) put(T(model[i] - measured[i] - offset));
}

template <class T, class ThetaAt, class Put>
bool compare(const Comparison& comparison, const Layout& layout, ThetaAt&& theta_at, Put&& put) {
  const Candidate<T> c = make_candidate<T>(layout, theta_at);
  const ElastomerData& data = *comparison.data;

  // [identify E2] Rows share operating points; those are looked up once per preload.
  std::map<double, typename Candidate<T>::OperatingPoint> points;
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
      const Complex<T> K = harmonic_stiffness(c.law, point.statics, point.k, row.frequency_hz, T(row.amplitude), point.u0);
      model = {abs(K), arg(K)};
    }
    using std::log;
    put(T(log(model.k_dyn / row.k_dyn)));
    put(T(model.loss_angle - row.loss_angle));
  }
  for (std::size_t i = 0; i < data.loops.size(); ++i)
    // A spline carries its own constant; a straight line through 0 needs a free offset of the force sensor.
    put_force_residuals(static_force_along(c, data.loops[i].displacement), data.loops[i].force, comparison.loop_samples[i],
                        layout.mode != StaticMode::spline, put);
  for (std::size_t i = 0; i < data.series.size(); ++i)
    put_force_residuals(series_force_along(c, data.series[i].time, data.series[i].displacement, comparison.series_velocity[i]), data.series[i].force,
                        comparison.series_samples[i], true, put);
  return true;
}

template <int N>
bool compare_with_jets(const Comparison& comparison, const Layout& layout, const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd& J) {
  Eigen::Index at = 0;
  return compare<Jet<N>>(
      comparison, layout, [&](int i) { return Jet<N>(theta[i], i); },
      [&](const Jet<N>& residual) {
        r[at] = residual.a;
        J.row(at++) = residual.v.head(layout.size).transpose();
      });
}

void add_offset(std::vector<double>& model, const std::vector<double>& measured) {
  double offset = 0.0;
  for (std::size_t i = 0; i < model.size(); ++i) offset += (measured[i] - model[i]) / static_cast<double>(model.size());
  for (double& f : model) f += offset;
}

}  // namespace

Comparison::Comparison(const ElastomerData& source, Criterion reduction, const std::vector<bool>& row_used) : data(&source), criterion(reduction) {
  for (std::size_t i = 0; i < source.map.rows.size(); ++i)
    if (row_used[i]) {
      rows.push_back(i);
      group.push_back(group_k_dyn);
      group.push_back(group_loss_angle);
    }
  for (const StaticLoop& loop : source.loops) {
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

bool evaluate_residuals(const Comparison& comparison, const Layout& layout, const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
  if (J == nullptr) {
    Eigen::Index at = 0;
    return compare<double>(comparison, layout, [&](int i) { return theta[i]; }, [&](double residual) { r[at++] = residual; });
  }
  if (layout.size <= 8) return compare_with_jets<8>(comparison, layout, theta, r, *J);
  if (layout.size <= 16) return compare_with_jets<16>(comparison, layout, theta, r, *J);
  return compare_with_jets<24>(comparison, layout, theta, r, *J);
}

std::vector<double> static_loop_force(const Elastomer<double>& law, const StaticLoop& loop) {
  const auto [low, high] = std::minmax_element(loop.displacement.begin(), loop.displacement.end());
  const double k = law.stiffness_at(0.5 * (*low + *high));
  std::vector<double> force = centred_friction(law.friction(), loop.displacement);
  for (std::size_t i = 0; i < force.size(); ++i) force[i] = law.static_force(loop.displacement[i]) + k * law.scale_ampl * force[i];
  add_offset(force, loop.force);
  return force;
}

std::vector<double> series_force(const Elastomer<double>& law, const BenchSeries& series) {
  const std::unique_ptr<Mount> mount = make_mount(law);
  std::vector<double> force = simulate(*mount, series.time, series.displacement);
  add_offset(force, series.force);
  return force;
}

}  // namespace kdyn::identify
