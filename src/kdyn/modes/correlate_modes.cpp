// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/modes/correlate.hpp"
#include "kdyn/modes/expand.hpp"
#include "kdyn/modes/orthonormalise.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline modes {
namespace {

constexpr double alike = 0.9;      // MAC above which two modes of one set are one to the sensors
constexpr double reversed = -0.7;  // sign of a sensor below which it reads the other way round

bool inside(double f, const std::vector<double>& band) { return band.empty() || (f >= band[0] && f <= band[1]); }

Eigen::MatrixXcd shapes_of(const ModeSet& set, const std::vector<std::size_t>& modes) {
  Eigen::MatrixXcd out(static_cast<Eigen::Index>(set.dofs.size()), static_cast<Eigen::Index>(modes.size()));
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const auto& shape = set.modes[modes[m]].shape;
    demand(shape.size() == set.dofs.size(), "a shape has a value for each degree of freedom");
    for (std::size_t i = 0; i < shape.size(); ++i)
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(m)) = shape[i];
  }
  return out;
}

void choose_modes(const ModeSet& test, const ModeSet& model, const CorrelateOptions& options, ModeCorrelation& out) {
  double lowest = 1e300;
  for (std::size_t i = 0; i < test.modes.size(); ++i)
    if (const double f = test.modes[i].frequency_hz(); inside(f, options.band_hz)) {
      out.test_modes.push_back(i);
      lowest = std::min(lowest, f);
    }
  if (out.test_modes.empty())
    throw_bad_input("band_hz", fmt::format("none of the {} modes of the test lies in the band", test.modes.size()),
                    "give a band with modes in it");
  std::size_t rigid = 0;
  for (std::size_t i = 0; i < model.modes.size(); ++i)
    if (model.modes[i].frequency_hz() < 0.01 * lowest)
      ++rigid;
    else
      out.model_modes.push_back(i);
  if (out.model_modes.empty())
    throw_bad_input("model", "all modes of the model lie below a hundredth of the lowest mode of the test",
                    "ask for more modes, or check the units of the model");
  if (rigid > 0)
    out.findings.push_back({Severity::note, "rigid_modes", "model",
                            fmt::format("{} {} of the model below {:.3g} Hz {} not compared: motions of the whole part",
                                        rigid, rigid == 1 ? "mode" : "modes", 0.01 * lowest, rigid == 1 ? "is" : "are"),
                            "nothing"});
  double highest_test = 0.0, highest_model = 0.0;
  for (const std::size_t i : out.test_modes) highest_test = std::max(highest_test, test.modes[i].frequency_hz());
  for (const std::size_t i : out.model_modes) highest_model = std::max(highest_model, model.modes[i].frequency_hz());
  if (highest_model < 1.1 * highest_test)
    out.findings.push_back(
        {Severity::warning, "too_few_model_modes", "count",
         fmt::format("the modes of the model end at {:.4g} Hz, those of the test at {:.4g} Hz: the highest may lack "
                     "their partner",
                     highest_model, highest_test),
         "give more modes of the model"});
}

// Modes of one set that the sensors cannot tell apart: a high MAC between the sets says little about them.
void warn_of_aliases(const Eigen::MatrixXcd& shapes, const ModeSet& set, const std::vector<std::size_t>& modes,
                     double up_to_hz, const char* whose, std::vector<Finding>& findings) {
  const Eigen::MatrixXd among = mac_matrix(shapes, shapes);
  std::vector<std::string> pairs;
  for (Eigen::Index i = 0; i < among.rows(); ++i)
    for (Eigen::Index j = i + 1; j < among.cols(); ++j)
      if (among(i, j) > alike && set.modes[modes[static_cast<std::size_t>(i)]].frequency_hz() < up_to_hz &&
          set.modes[modes[static_cast<std::size_t>(j)]].frequency_hz() < up_to_hz)
        pairs.push_back(fmt::format("{:.5g} and {:.5g} Hz (MAC {:.2f})",
                                    set.modes[modes[static_cast<std::size_t>(i)]].frequency_hz(),
                                    set.modes[modes[static_cast<std::size_t>(j)]].frequency_hz(), among(i, j)));
  if (pairs.empty()) return;
  const std::size_t shown = std::min<std::size_t>(pairs.size(), 3);
  findings.push_back(
      {Severity::warning, "modes_look_alike", whose,
       fmt::format("{} of the {} look the same to the sensors: {}{}",
                   pairs.size() == 1 ? "two modes" : fmt::format("{} pairs of modes", pairs.size()), whose,
                   fmt::join(pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                   pairs.size() > shown ? ", ..." : ""),
       "pair these by hand, or measure at more points: a high MAC does not tell which of them it is"});
}

void pair_up(const ModeSet& test, const ModeSet& model, double least_mac, ModeCorrelation& out) {
  const std::vector<int> partner = pair_by_mac(out.mac);
  std::vector<bool> taken(out.model_modes.size(), false);
  double low = 1e300, high = 0.0;
  for (std::size_t i = 0; i < out.test_modes.size(); ++i) {
    const Mode& mode = test.modes[out.test_modes[i]];
    low = std::min(low, mode.frequency_hz());
    high = std::max(high, mode.frequency_hz());
    const int j = partner[i];
    if (j < 0 || out.mac(static_cast<Eigen::Index>(i), j) < least_mac) {
      out.test_alone.push_back(out.test_modes[i]);
      continue;
    }
    const auto at = static_cast<std::size_t>(j);
    taken[at] = true;
    const Mode& other = model.modes[out.model_modes[at]];
    out.pairs.push_back({out.test_modes[i], out.model_modes[at], mode.frequency_hz(), other.frequency_hz(),
                         other.frequency_hz() / mode.frequency_hz() - 1.0, out.mac(static_cast<Eigen::Index>(i), j),
                         mode.damping_ratio(), other.damping_ratio()});
  }
  std::sort(out.pairs.begin(), out.pairs.end(),
            [](const ModePair& a, const ModePair& b) { return a.test_hz < b.test_hz; });
  for (std::size_t j = 0; j < out.model_modes.size(); ++j)
    if (const double f = model.modes[out.model_modes[j]].frequency_hz(); !taken[j] && f >= low && f <= high)
      out.model_alone.push_back(out.model_modes[j]);
}

// Shapes of the pairs at equal norm and phase, [modes E18].
struct Aligned {
  Eigen::MatrixXcd test, model;  // sensors x pairs
};
Aligned aligned(const ModeCorrelation& c) {
  const auto column = [](const std::vector<std::size_t>& all, std::size_t mode) {
    return static_cast<Eigen::Index>(std::find(all.begin(), all.end(), mode) - all.begin());
  };
  const auto count = static_cast<Eigen::Index>(c.pairs.size());
  Aligned out{{c.test_at_sensors.rows(), count}, {c.test_at_sensors.rows(), count}};
  for (Eigen::Index r = 0; r < count; ++r) {
    const ModePair& pair = c.pairs[static_cast<std::size_t>(r)];
    const Eigen::VectorXcd x = c.test_at_sensors.col(column(c.test_modes, pair.test)).normalized();
    const Eigen::VectorXcd y = c.model_at_sensors.col(column(c.model_modes, pair.model)).normalized();
    const std::complex<double> turn = y.dot(x);
    out.test.col(r) = x;
    out.model.col(r) = y * (std::abs(turn) > 0.0 ? turn / std::abs(turn) : 1.0);
  }
  return out;
}

double sign_of(const Eigen::MatrixXcd& x, Eigen::Index i, const Eigen::MatrixXcd& y, Eigen::Index j) {
  const double size = x.row(i).norm() * y.row(j).norm();
  return size > 0.0 ? (x.row(i).conjugate().cwiseProduct(y.row(j))).sum().real() / size : 0.0;
}

void look_at_sensors(ModeCorrelation& out) {
  if (out.pairs.size() < 2) return;
  const Aligned shapes = aligned(out);
  const Eigen::Index count = shapes.test.rows();
  const double typical = shapes.test.norm() / std::sqrt(static_cast<double>(count));
  std::vector<Eigen::Index> odd;
  for (Eigen::Index i = 0; i < count; ++i) {
    const double sign = sign_of(shapes.test, i, shapes.model, i);
    const SensorAgreement& agreement = out.sensors[static_cast<std::size_t>(i)];
    // A sensor near the nodes of all modes reads noise, whose sign means nothing.
    const bool moves = shapes.test.row(i).norm() > 0.2 * typical && shapes.model.row(i).norm() > 0.2 * typical;
    out.sensors[static_cast<std::size_t>(i)].sign = sign;
    out.sensors[static_cast<std::size_t>(i)].comac = sign * sign;
    if (moves && sign < 0.5) odd.push_back(i);
    if (moves && sign < reversed && out.pairs.size() > 2)
      out.findings.push_back({Severity::serious, "sensor_reversed", label(agreement.sensor),
                              fmt::format("{} moves against the model in the paired modes (agreement {:.2f}): it reads "
                                          "the other way round",
                                          label(agreement.sensor), sign),
                              "check the mounting and the sign of the channel; the MAC rises when it is turned"});
  }
  // With few pairs any two sensors agree by chance.
  if (out.pairs.size() < 4) return;
  for (std::size_t a = 0; a < odd.size(); ++a)
    for (std::size_t b = a + 1; b < odd.size(); ++b)
      if (sign_of(shapes.test, odd[a], shapes.model, odd[b]) > alike &&
          sign_of(shapes.test, odd[b], shapes.model, odd[a]) > alike)
        out.findings.push_back(
            {Severity::serious, "sensors_exchanged", label(out.sensors[static_cast<std::size_t>(odd[a])].sensor),
             fmt::format("{} reads what the model says of {}, and the other way round: the two channels are exchanged",
                         label(out.sensors[static_cast<std::size_t>(odd[a])].sensor),
                         label(out.sensors[static_cast<std::size_t>(odd[b])].sensor)),
             "exchange their names and compare again"});
}

// Where the modes of the model have unit modal mass, they tell the modal mass of the test's.
void add_orthogonality(const ModeSet& model, ModeCorrelation& out) {
  if (model.scaling != ModeScaling::unit_modal_mass) return;
  const Eigen::Index count = out.test_at_sensors.cols();
  Eigen::MatrixXd test(out.test_at_sensors.rows(), count);
  for (Eigen::Index r = 0; r < count; ++r) test.col(r) = as_real_as_possible(out.test_at_sensors.col(r)).real();
  const Eigen::MatrixXd basis = out.model_at_sensors.real();
  if (std::min(basis.cols(), basis.rows()) <= count) return;
  std::string reason;
  const int size = std::max<int>(choose_basis_size(test, basis, 0.0, reason), static_cast<int>(count));
  if (size > std::min(basis.cols(), basis.rows())) return;
  Eigen::MatrixXd q = modal_coordinates(test, basis.leftCols(size));
  // The sign of a shape is nobody's choice: the largest share of each is shown positive.
  for (Eigen::Index r = 0; r < q.cols(); ++r) {
    Eigen::Index largest = 0;
    q.col(r).cwiseAbs().maxCoeff(&largest);
    if (q(largest, r) < 0.0) q.col(r) *= -1.0;
  }
  out.orthogonality = Eigen::MatrixXd(q.transpose() * q);
  out.cross_orthogonality = Eigen::MatrixXd(q.transpose());
}

}  // namespace

ModeCorrelation correlate_modes(const ModeSet& test, const ModeSet& model, const CorrelateOptions& options) {
  if (test.modes.empty()) throw_bad_input("test", "it has no modes", "give modes, or responses on both sides");
  if (model.modes.empty()) throw_bad_input("model", "it has no modes", "give modes, or responses on both sides");
  if (!options.band_hz.empty() && (options.band_hz.size() != 2 || !(options.band_hz[0] < options.band_hz[1])))
    throw_bad_input("band_hz", "a band has a lower and an upper end", "write for example 20,250");
  ModeCorrelation out;
  choose_modes(test, model, options, out);
  out.matches =
      match_sensors(test, model.dofs, model.geometry, {options.match_tolerance_m, "point of the model"}, out.findings);
  const Eigen::MatrixXcd all = shapes_of(test, out.test_modes);
  out.test_at_sensors.resize(static_cast<Eigen::Index>(out.matches.size()), all.cols());
  for (std::size_t i = 0; i < out.matches.size(); ++i) {
    const Match& match = out.matches[i];
    out.test_at_sensors.row(static_cast<Eigen::Index>(i)) = all.row(static_cast<Eigen::Index>(match.sensor));
    out.sensors.push_back({test.dofs[match.sensor], match.fe_node, match.distance});
  }
  out.model_at_sensors = at_sensors(out.matches, shapes_of(model, out.model_modes));
  out.mac = mac_matrix(out.test_at_sensors, out.model_at_sensors);
  if (out.matches.size() < 2 * out.test_modes.size())
    out.findings.push_back({Severity::warning, "few_sensors", "test",
                            fmt::format("{} sensors for {} modes: with so few points a MAC is high by chance",
                                        out.matches.size(), out.test_modes.size()),
                            "measure at more points, or compare fewer modes"});
  pair_up(test, model, options.least_mac, out);
  if (out.pairs.size() < 2) out.sensors.clear();
  look_at_sensors(out);
  double highest = 0.0;
  for (const std::size_t i : out.test_modes) highest = std::max(highest, test.modes[i].frequency_hz());
  warn_of_aliases(out.test_at_sensors, test, out.test_modes, 2.0 * highest, "test", out.findings);
  warn_of_aliases(out.model_at_sensors, model, out.model_modes, 2.0 * highest, "model", out.findings);
  add_orthogonality(model, out);
  return out;
}

}  // namespace kdyn::inline modes
