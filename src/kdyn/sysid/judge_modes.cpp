// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "kdyn/numerics/fit_gate.hpp"
#include "kdyn/numerics/scatter.hpp"
#include "kdyn/sysid/identify.hpp"

namespace kdyn::inline sysid {

void judge_modes(ModalResult& result) {
  if (result.status != "done" || result.modes.empty()) return;
  if (result.misfit > 0.2)
    result.findings.push_back(
        {Severity::serious, "misfit", "fit",
         fmt::format("the modes leave {:.0f} % of the responses unexplained (order {}, {} part{} of the band)",
                     100.0 * result.misfit, result.max_order_used, result.parts_of_band,
                     result.parts_of_band == 1 ? "" : "s"),
         "give a narrower band_hz or finer lines; look at the channels with the largest misfit"});
  // One scatter for real and imaginary parts of all channels, each over its own rms, as the misfit is.
  Scatter scatter;
  std::vector<double> place(static_cast<std::size_t>(result.frf.lines()));
  for (std::size_t i = 0; i < place.size(); ++i) place[i] = result.frf.omega[static_cast<Eigen::Index>(i)];
  const double size = result.frf.values.norm() / std::sqrt(static_cast<double>(result.frf.values.size()));
  if (!(size > 0.0)) return;
  for (Eigen::Index c = 0; c < result.frf.values.cols(); ++c) {
    std::vector<double> re(place.size()), im(place.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      const std::complex<double> h = result.frf.values(static_cast<Eigen::Index>(i), c) / size;
      re[i] = h.real(), im[i] = h.imag();
    }
    scatter.add(place, re);
    scatter.add(place, im);
  }
  GateChannel channel;
  channel.name = "response", channel.unit = "%", channel.factor = 100.0;
  channel.residuals = {result.misfit};
  channel.noise = std::sqrt(2.0) * scatter.noise();
  channel.finest = 0.03, channel.coarsest = 0.12;
  std::vector<ParameterEstimate> none;
  apply_gate(judge_fit({channel}),
             "modes are missing, the band cuts through one, or the responses are not those of a linear structure; see "
             "the fit of each channel",
             result.status, result.reason, none, result.findings);
}

}  // namespace kdyn::inline sysid
