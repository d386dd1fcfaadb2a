// SPDX-License-Identifier: Apache-2.0
// How a mount changes with temperature: factors on stiffness, on the frequency-dependent and on the amplitude-dependent
// part.
//
// [identify E21]  K(T) = s_k [K_static + k (s_f G + s_a K_friction)], the law itself held at the reference temperature;
// for every other temperature the three logarithms are fitted to ln k_dyn and loss angle of its map rows, weighted with
// the noise of the reference fit. Not modelled: shift of the relaxation times (s_f scales the part as a whole) and of
// the friction's displacement scale.
#pragma once

#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/identify/two_point.hpp"

namespace kdyn::inline identify {

struct TemperatureLevel {
  double temperature_c = 0.0;
  std::size_t rows = 0;
  bool reference = false;
  bool converged = false;
  TemperatureRow factors;
  std::vector<ParameterEstimate> parameters;  // stiffness, freq, ampl with intervals
  double rms_k_dyn_rel = 0.0, rms_loss_angle = 0.0;
};

// Temperatures of a map as levels (rows within 2 degrees belong together); empty when the map has no temperature
// column.
std::vector<double> temperature_levels(const StiffnessMap& map);
std::vector<double> temperature_levels(std::vector<double> temperatures_c);
// The rows of one level.
StiffnessMap at_temperature_level(const StiffnessMap& map, const std::vector<double>& levels, std::size_t level);
// The level a law is identified at: the one nearest to 23 degrees.
std::size_t reference_level(const std::vector<double>& levels);

std::vector<TemperatureLevel> fit_temperatures(const Elastomer<double>& law, const StiffnessMap& map,
                                               const std::vector<double>& levels, std::size_t reference,
                                               Criterion criterion, double noise_k_dyn_rel, double noise_loss_angle);

}  // namespace kdyn::inline identify
