// SPDX-License-Identifier: Apache-2.0
// The library without the command line: read measurements, fit, look at the parameters, ask the model something.
//
// Sample runs:
//   fit_a_map data/cab_mount/x_map.csv
//   fit_a_map data/cab_mount/z_map.csv data/cab_mount/z_static.csv
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/door/read.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/elastomer_fit.hpp"

int main(int argc, char** argv) {
  try {
    kdyn::ElastomerData data;
    const kdyn::Contents contents = kdyn::read_measurements({argv + 1, argv + argc}, {});
    for (const kdyn::BenchSet& set : contents.sets) {
      const kdyn::BenchFile& file = set.bench;
      if (file.kind == kdyn::BenchKind::map) data.map = file.map;
      if (file.kind == kdyn::BenchKind::static_loop) data.loops.push_back(file.loop);
      if (file.kind == kdyn::BenchKind::series) data.series.push_back(file.series);
    }
    const kdyn::ElastomerFitResult fit = kdyn::fit_elastomer(data, {});
    fmt::print("{}: {:.2f} % of stiffness, {:.2f} deg of loss angle (rms)\n", fit.status, 100.0 * fit.rms_k_dyn_rel,
               fit.rms_loss_angle * 180.0 / std::numbers::pi);
    for (const kdyn::ParameterEstimate& p : fit.parameters)
      if (p.status == kdyn::ParameterStatus::free)
        fmt::print("  {:<18}{:12.5g} {:<6} {:.5g} ... {:.5g}\n", p.name, p.value, p.unit, p.lower_95, p.upper_95);

    // The fitted law is a value: it answers at once, here at a point that was not measured.
    const kdyn::SteadyResponse response = kdyn::steady_response(fit.law, 17.0, 0.3e-3, 0.0);
    fmt::print("at 17 Hz and 0.3 mm: {:.1f} N/mm, {:.2f} deg\n", 1e-3 * response.k_dyn,
               response.loss_angle * 180.0 / std::numbers::pi);
    return fit.status == "converged" ? 0 : 3;
  } catch (const kdyn::Error& error) {
    fmt::print(stderr, "{}: {}\n{}\n", error.where(), error.message(), error.remedy());
    return static_cast<int>(error.code());
  }
}
