// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/steady_points.hpp"

#include <functional>
#include <unordered_map>

#include "kdyn/elastomer/amplitude_table.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/laws/scaled.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig {

struct SteadyPoints::Rubber {
  Elastomer<double> law;
  // By amplitude and operating point: frequencies share what depends on these. The last one first.
  struct Place {
    double amplitude = -1.0, u0 = 0.0;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Place& p) const {
      return std::hash<double>()(p.amplitude) * 31 + std::hash<double>()(p.u0);
    }
  };
  Place last;
  HarmonicAtAmplitude<double> at;
  std::unordered_map<Place, HarmonicAtAmplitude<double>, Hash> known;
  static constexpr std::size_t most_known = 100'000;

  DynamicStiffness<double> response(double u0, double frequency_hz, double amplitude) {
    const Place place{amplitude, u0};
    if (!(place == last)) {
      if (known.size() >= most_known) known.clear();
      const auto [entry, fresh] = known.try_emplace(place);
      if (fresh)
        entry->second = harmonic_at_amplitude(law, StaticPart<double>{law}, law.stiffness_at(u0), amplitude, u0);
      last = place, at = entry->second;
    }
    const Complex<double> k = harmonic_stiffness(law, at, frequency_hz);
    return {abs(k), arg(k)};
  }

  // Points at one displacement; `points` are their places in the arrays.
  void responses(double u0, const std::vector<std::size_t>& points, const FrictionTable& friction,
                 std::span<const double> frequency_hz, std::span<const double> amplitude,
                 std::span<std::complex<double>> out) const {
    std::vector<double> amplitudes;
    amplitudes.reserve(points.size());
    for (const std::size_t i : points) amplitudes.push_back(amplitude[i]);
    const StaticTable statics(law, u0, amplitudes);
    HarmonicAtAmplitude<double> part{0.0, law.stiffness_at(u0), {}};
    double last_amplitude = -1.0;
    for (const std::size_t i : points) {
      if (amplitude[i] != last_amplitude) {
        last_amplitude = amplitude[i];
        part.statics = statics(last_amplitude);
        part.friction = friction(last_amplitude);
      }
      const Complex<double> k = harmonic_stiffness(law, part, frequency_hz[i]);
      out[i] = {k.re, k.im};
    }
  }
};

SteadyPoints::SteadyPoints(const Json& model, const Mount& mount, bool loop) : mount_(mount), loop_(loop) {
  if (loop || model_word(model) != "elastomer") return;
  const ScaledModel plain = scaled_model(model, "model");
  if (plain.scale == 1.0) {
    rubber_ = std::make_shared<Rubber>();
    rubber_->law = elastomer_from_json(plain.model, "model");
  }
}

std::optional<ModelPoint> SteadyPoints::closed(double u0, double frequency_hz, double amplitude) const {
  if (rubber_) {
    const DynamicStiffness<double> k = rubber_->response(u0, frequency_hz, amplitude);
    return ModelPoint{k.k_dyn, k.loss_angle};
  }
  const auto found = mount_.closed_form(frequency_hz, amplitude, u0);
  if (!found) return std::nullopt;
  return loop_ ? ModelPoint{found->k_dyn_loop, found->loss_angle_loop} : ModelPoint{found->k_dyn, found->loss_angle};
}

double SteadyPoints::displacement_of(double preload) {
  const auto [entry, fresh] = displacement_of_.try_emplace(preload, 0.0);
  if (fresh) entry->second = mount_.static_displacement(preload);
  return entry->second;
}

ModelPoint SteadyPoints::at_preload(double preload, double frequency_hz, double amplitude) {
  if (const auto found = closed(displacement_of(preload), frequency_hz, amplitude)) return *found;
  const SteadyResponse response = run_rig_point(mount_, RigOptions(), frequency_hz, amplitude, preload).response;
  return loop_ ? ModelPoint{response.k_dyn_loop, response.loss_angle_loop}
               : ModelPoint{response.k_dyn, response.loss_angle};
}

void SteadyPoints::at_preloads(std::span<const double> preload, std::span<const double> frequency_hz,
                               std::span<const double> amplitude, std::span<std::complex<double>> out) {
  // Below this many points tables cost more than they save.
  constexpr std::size_t many = 4'000;
  std::map<double, std::vector<std::size_t>> at;  // places by preload
  if (rubber_ && out.size() >= many) {
    std::vector<std::size_t>* last = nullptr;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (last == nullptr || preload[i] != preload[i - 1]) last = &at[preload[i]];
      last->push_back(i);
    }
  }
  if (at.empty() || at.size() > out.size() / many) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const ModelPoint point = at_preload(preload[i], frequency_hz[i], amplitude[i]);
      out[i] = std::polar(point.k_dyn, point.loss_angle);
    }
    return;
  }
  const FrictionTable friction(rubber_->law.friction(), amplitude);
  for (const auto& [load, points] : at)
    rubber_->responses(displacement_of(load), points, friction, frequency_hz, amplitude, out);
}

}  // namespace kdyn::inline rig
