// SPDX-License-Identifier: Apache-2.0
// Bands that ask much of an identification: 100 and 200 modes at once, and modes as rubber gives them, 2 to 30 % of
// damping; 1 % noise, default settings. The truth was chosen. A mode counts as found when one within a half of its
// bandwidth has its damping within 30 %.
//
//   validation_modal_dense                       100 and 200 modes, ten dampings
//   validation_modal_dense --modes 100           one size
//   validation_modal_dense --modes 0             damping alone
#include <chrono>
#include <cstring>

#include "kdyn/sysid/identify.hpp"
#include "kdyn/sysid/test/synthetic.hpp"

#include "validation.hpp"

namespace {

using namespace kdyn;

int count_found(const ModalModel& truth, const ModalResult& result) {
  int out = 0;
  std::vector<bool> taken(result.modes.size(), false);
  for (const std::complex<double>& pole : truth.poles)
    for (std::size_t i = 0; i < result.modes.size(); ++i)
      if (const double reach = std::max(0.5 * std::abs(pole.real()), 1e-4 * std::abs(pole));
          !taken[i] && std::abs(result.modes[i].pole.imag() - pole.imag()) < reach &&
          std::abs(result.modes[i].damping / damping_ratio(pole) - 1.0) < 0.3) {
        taken[i] = true, ++out;
        break;
      }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  int only = -1;
  for (int i = 1; i + 1 < argc; i += 2)
    if (std::strcmp(argv[i], "--modes") == 0) only = std::atoi(argv[i + 1]);
  validation::Case test("Modes of rich and of heavily damped bands, 1 % noise, default settings",
                        "poles chosen for the simulation");
  for (const int modes : {100, 200}) {
    if (only >= 0 && only != modes) continue;
    const int outputs = 24, inputs = 4;
    const double high = modes == 100 ? 500.0 : 950.0;
    ModalModel truth = synthetic::system(modes, outputs, inputs, 40.0, high, 7, 0.05);
    RandomStream random(3);
    for (Eigen::Index r = 0; r < modes; ++r) {
      const double xi = random.uniform(0.001, 0.006), size = std::abs(truth.poles[r]);
      truth.poles[r] = size * std::complex<double>(-xi, std::sqrt(1.0 - xi * xi));
    }
    const Eigen::VectorXd omega = synthetic::lines(36.0, high + 4.0, 20 * modes);
    Eigen::MatrixXcd h = synthesise(truth, omega);
    synthetic::add_noise(h, 0.01, 11);
    const auto begin = std::chrono::steady_clock::now();
    const ModalResult result = identify_modes(synthetic::response(h, omega, outputs, inputs), {});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const int found = count_found(truth, result);
    fmt::print("  {} modes: {} found, {} too many, misfit {:.2f} %, order {}, {} parts of the band, {:.0f} s\n", modes,
               found, result.modes.size() - static_cast<std::size_t>(found), 100.0 * result.misfit,
               result.max_order_used, result.parts_of_band, seconds);
    test.range(fmt::format("{} modes in band: found, %", modes), 100.0 * found / modes, 95.0, 100.0);
    test.range(fmt::format("{} modes in band: found that are none, %", modes),
               100.0 * (static_cast<double>(result.modes.size()) - found) / modes, 0.0, 5.0);
  }
  if (only < 0 || only == 0)
    for (const double damping : {0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.15, 0.20, 0.25, 0.30}) {
      // Modes that far apart that a person could count them.
      int found = 0, modes = 0, extra = 0;
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const int count = damping < 0.1 ? 8 : 5;
        ModalModel truth = synthetic::system(count, 12, 3, 20.0, 400.0, seed, 0.05);
        RandomStream random(seed);
        for (Eigen::Index r = 0; r < count; ++r) {
          const double size =
              2.0 * std::numbers::pi * 20.0 * std::pow(20.0, (r + 0.5) / count) * random.uniform(0.95, 1.05);
          truth.poles[r] = size * std::complex<double>(-damping, std::sqrt(1.0 - damping * damping));
        }
        const Eigen::VectorXd omega = synthetic::lines(15.0, 450.0, 600);
        Eigen::MatrixXcd h = synthesise(truth, omega);
        synthetic::add_noise(h, 0.01, seed);
        const ModalResult result = identify_modes(synthetic::response(h, omega, 12, 3), {});
        const int here = count_found(truth, result);
        found += here, modes += count, extra += static_cast<int>(result.modes.size()) - here;
      }
      fmt::print("  damping {:.0f} %: {} of {} found, {} too many\n", 100.0 * damping, found, modes, extra);
      test.range(fmt::format("damping {:.0f} %: found, %", 100.0 * damping), 100.0 * found / modes, 95.0, 100.0);
    }
  return test.finish();
}
