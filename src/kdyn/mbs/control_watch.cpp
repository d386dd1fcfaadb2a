// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/control_watch.hpp"

#include <algorithm>
#include <cmath>
#include <complex>

#include <fmt/format.h>

namespace kdyn::mbs {
namespace {

// Of the matrix of the states: what a state is multiplied with per second, or per sample of a sampled one.
std::vector<std::complex<double>> eigenvalues(const Controller& c) {
  if (c.states() == 0) return {};
  const Eigen::VectorXcd values = Eigen::EigenSolver<MatrixX>(c.A, false).eigenvalues();
  return {values.data(), values.data() + values.size()};
}

}  // namespace

void ControlWatch::see(const Run& run) {
  const ControlPoint& p = run.evaluation().control;
  limited_.resize(static_cast<std::size_t>(p.y.size()));
  for (std::size_t k = 0; k < system_.model().controllers.size(); ++k) {
    const Controller& c = system_.model().controllers[k];
    for (int i = 0; i < c.outputs(); ++i)
      if (const int o = system_.control_at()[k].y + i; p.y[o] <= c.lower[i] || p.y[o] >= c.upper[i])
        ++limited_[static_cast<std::size_t>(o)];
  }
  ++seen_;
  jump_.resize(system_.model().controllers.size());
  for (std::size_t k = 0; k < jump_.size(); ++k) jump_[k] = run.unit_jump(k);
}

std::vector<Finding> ControlWatch::findings(double step_s, const std::string& where) const {
  std::vector<Finding> out;
  for (std::size_t k = 0; k < system_.model().controllers.size(); ++k) {
    const Controller& c = system_.model().controllers[k];
    const std::string place = fmt::format("{}: controllers.{}", where, c.name);
    double fastest = 0.0, growing = 0.0;
    for (const std::complex<double>& value : eigenvalues(c)) {
      fastest = std::max(fastest, std::abs(value));
      growing = std::max(growing, c.sampled() ? std::abs(value) - 1.0 : value.real());
    }
    constexpr double rounding = 1e-9;
    if (growing > rounding * std::max(fastest, 1.0))
      out.push_back({Severity::warning, "controller_grows", place,
                     "its states grow by themselves: it is not stable without the model around it",
                     "check the signs of A, or of the denominator"});
    if (!c.sampled() && fastest * step_s > 1.0)
      out.push_back({Severity::warning, "controller_fast", place,
                     fmt::format("its fastest state follows within {:.3g} s, less than the step of {:.3g} s",
                                 1.0 / fastest, step_s),
                     fmt::format("shorten step_s to {:.2g} s, or leave the fast state out", 0.2 / fastest)});
    for (int i = 0; i < c.outputs() && seen_ > 0; ++i)
      if (const std::size_t count = limited_[static_cast<std::size_t>(system_.control_at()[k].y + i)]; count > 0)
        out.push_back({Severity::note, "controller_limited", place,
                       fmt::format("its output {} is at a limit in {:.2g} % of the run",
                                   c.output_names[static_cast<std::size_t>(i)],
                                   100.0 * static_cast<double>(count) / static_cast<double>(seen_)),
                       "states that integrate go on meanwhile: there is no protection against windup"});
    if (!c.unit) continue;
    constexpr double coarse = 0.05;
    if (k < jump_.size() && jump_[k] > coarse)
      out.push_back({Severity::warning, "communication_step", place,
                     fmt::format("outputs of the FMU jump by up to {:.2g} % of their largest value where it has "
                                 "stepped: between its steps the model does not see them change",
                                 100.0 * jump_[k]),
                     c.unit->goes_on() ? "compare with half of sample_s"
                                       : R"(compare with half of sample_s, or write "outputs": "linear")"});
    if (!c.unit->warning().empty())
      out.push_back({Severity::warning, "fmu_warning", place, "the FMU warns: " + c.unit->warning(),
                     "look at its documentation"});
  }
  return out;
}

}  // namespace kdyn::mbs
