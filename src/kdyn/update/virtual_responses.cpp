// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/virtual_responses.hpp"

#include <cmath>
#include <numbers>

#include "kdyn/base/random.hpp"

namespace kdyn::update {

using Eigen::Index;
using Eigen::VectorXd;

FrequencyResponse virtual_responses(const ModalForm& modes, const VectorXd& damping, const VectorXd& frequency_hz,
                                    const std::vector<Dof>& outputs, const std::vector<Dof>& inputs, double noise,
                                    std::uint64_t seed) {
  FrequencyResponse out;
  out.name = "virtual test";
  out.frequency_hz.assign(frequency_hz.data(), frequency_hz.data() + frequency_hz.size());
  const Eigen::MatrixXcd h = accelerance(modes, frequency_hz, damping);
  for (std::size_t u = 0; u < inputs.size(); ++u)
    for (std::size_t y = 0; y < outputs.size(); ++y) {
      const std::size_t column = y + outputs.size() * u;
      RandomStream random(seed, column);
      const Eigen::VectorXcd clean = h.col(static_cast<Index>(column));
      const double level = noise * clean.cwiseAbs().mean() * std::numbers::sqrt2 / 2.0;
      FrequencyResponseChannel channel;
      channel.output = outputs[y], channel.input = inputs[u];
      channel.output_unit = "m/s^2", channel.input_unit = "N";
      for (const std::complex<double>& value : clean) {
        const double re = random.normal(), im = random.normal();
        channel.values.push_back(value + level * std::complex<double>(re, im));
      }
      out.channels.push_back(std::move(channel));
    }
  return out;
}

ModalForm modes_at(const fe::Modes& modes, const Eigen::MatrixXd& output_rows, const Eigen::MatrixXd& input_rows) {
  ModalForm out;
  out.omega = 2.0 * std::numbers::pi * modes.frequency_hz;
  out.Y = output_rows * modes.shapes;
  out.U = (input_rows * modes.shapes).transpose();
  return out;
}

}  // namespace kdyn::update
