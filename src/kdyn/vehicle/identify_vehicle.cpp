// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/identify_vehicle.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/fit_gate.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/vehicle/internal/fit.hpp"
#include "kdyn/vehicle/internal/start_values.hpp"

namespace kdyn::inline vehicle {
namespace {

constexpr int n = vehicle_dofs;
constexpr double z95 = 1.96;  // standard deviations of a 95 % interval

void check_names(const std::map<std::string, double>& given, const char* option, bool symmetric) {
  const std::vector<std::string> names = parameter_names(symmetric);
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw_bad_input(fmt::format("{}.{}", option, name),
                      fmt::format("there is no parameter {} in the {} vehicle", in_quotes(name),
                                  symmetric ? "symmetric" : "per-corner"),
                      suggest(name, names));
    if (!(value > 0.0) || !std::isfinite(value))
      throw_bad_input(fmt::format("{}.{}", option, name), fmt::format("must be a number > 0, not {:g}", value),
                      "give the measured value in SI units");
  }
}

// The scale of the vehicle comes from added mass or from a fixed mass, stiffness or damping.
void check_scale(const DecaySet& set, const VehicleFitOptions& options) {
  int highest = 0;
  bool plain = false;
  for (const DecayRecord& r : set.records) {
    highest = std::max(highest, r.config);
    plain = plain || r.config == 0;
  }
  if (highest > static_cast<int>(set.added.size()))
    throw_bad_input("added_mass",
                    fmt::format("there are decays with added mass (config {}), but no added mass is given", highest),
                    "give added_mass as ms, Iyy, Ixx, muA, muB, muC, muD in kg and kg m^2");
  for (std::size_t i = 0; i < set.added.size(); ++i) {
    double sum = 0.0;
    for (const double m : set.added[i]) {
      if (!(m >= 0.0) || !std::isfinite(m))
        throw_bad_input("added_mass", fmt::format("must hold numbers >= 0, not {:g}", m),
                        "give masses in kg and inertias in kg m^2");
      sum += m;
    }
    if (!(sum > 0.0))
      throw_bad_input(
          "added_mass",
          "the added mass is zero: without it no mass, stiffness or damping can be told, only their ratios",
          "add about a tenth of the vehicle's mass and inertia, or fix a parameter that was measured directly");
  }
  static const std::vector<std::string> lengths = {"a", "b", "tf", "tr"};
  const bool scale_fixed = std::any_of(options.fixed.begin(), options.fixed.end(), [](const auto& f) {
    return std::find(lengths.begin(), lengths.end(), f.first) == lengths.end();
  });
  if (highest == 0 && !scale_fixed)
    throw_bad_input("data",
                    "all decays are of the vehicle without added mass: masses, stiffnesses and dampings can be told "
                    "only up to a common factor",
                    "measure again with known added mass (config 1), or fix one of them, e.g. --set fixed.ms=1380");
  if (!plain && highest == 1 && !scale_fixed)
    throw_bad_input("data", "all decays are of the vehicle with added mass",
                    "add the decays without added mass (config 0), or fix one of the masses");
  if (options.method != VehicleMethod::maximum_likelihood) {
    if (!plain || highest == 0)
      throw_bad_input("method", "this method needs decays without and with added mass",
                      "use the maximum-likelihood method");
    for (const double m : set.added.front())
      if (!(m > 0.0))
        throw_bad_input("added_mass", "this method needs an added mass in each of the seven entries",
                        "use the maximum-likelihood method");
  }
}

std::vector<ChannelCheck> check_channels(const VehicleFitResult& result, const internal::ChannelValues& sigma,
                                         const VehicleFitOptions& options) {
  const DecaySet& set = result.decays.set;
  const std::array<double, n> noise = estimate_noise(set);
  std::vector<ChannelCheck> out;
  for (int c = 0; c < n; ++c) {
    const auto at = static_cast<std::size_t>(c);
    ChannelCheck check;
    check.name = vehicle_channels[at];
    const int d = static_cast<int>(set.kinds[at]);
    check.unit = std::string(is_angle(c) ? "rad" : "m") + (d == 0 ? "" : d == 1 ? "/s" : "/s^2");
    check.residual = sigma[at];
    check.noise =
        options.noise.empty() ? noise[at] : options.noise[at] / std::sqrt(static_cast<double>(result.decays.average));
    check.ratio = check.noise > 0.0 ? check.residual / check.noise : std::numeric_limits<double>::quiet_NaN();
    double square = 0.0, product = 0.0;
    for (std::size_t i = 0; i < set.records.size(); ++i) {
      const Eigen::VectorXd r = set.records[i].samples.col(c) - result.model[i].col(c);
      square += r.squaredNorm();
      product += r.head(r.size() - 1).dot(r.tail(r.size() - 1));
    }
    check.lag_one = square > 0.0 ? product / square : 0.0;
    out.push_back(check);
  }
  return out;
}

// A channel that shows nothing but noise, and what only that motion could determine: intervals at the solution would be
// those of a fitted noise.
void withhold_unseen(VehicleFitResult& result) {
  const auto size_of = [&](int channel) {
    double square = 0.0, count = 0.0;
    for (const DecayRecord& r : result.decays.set.records)
      square += r.samples.col(channel).squaredNorm(), count += static_cast<double>(r.samples.rows());
    return count > 0.0 ? std::sqrt(square / count) : 0.0;
  };
  std::array<bool, n> unseen{};
  for (int c = 0; c < n; ++c) {
    const ChannelCheck& check = result.channels[static_cast<std::size_t>(c)];
    unseen[static_cast<std::size_t>(c)] = check.noise > 0.0 && size_of(c) < 1.5 * check.noise;
  }
  const auto withhold = [&](int channel, const std::vector<std::string>& names) {
    std::vector<std::string> touched;
    for (ParameterEstimate& p : result.parameters)
      if (p.status == ParameterStatus::free && std::find(names.begin(), names.end(), p.name) != names.end()) {
        p.std = std::numeric_limits<double>::infinity();
        p.lower_95 = -p.std, p.upper_95 = p.std;
        touched.push_back(p.name);
      }
    const std::string name = vehicle_channels[static_cast<std::size_t>(channel)];
    result.findings.push_back(
        {Severity::serious, "no_signal", name,
         fmt::format("channel {} shows nothing but noise{}", name,
                     touched.empty() ? "" : ": " + join(touched, ", ") + " cannot be determined from these decays"),
         "check the sensor and its cable, and excite this motion (a bump under the left wheels excites all seven)"});
  };
  if (unseen[1]) withhold(1, {"Iyy", "a", "b"});
  if (unseen[2]) withhold(2, {"Ixx", "tf", "tr"});
  // The partner on the axle may still show the wheel; alone it leaves the symmetric values uncertain, not unknown.
  for (const int c : {3, 4, 5, 6})
    if (unseen[static_cast<std::size_t>(c)]) {
      const bool both = unseen[static_cast<std::size_t>(c % 2 == 1 ? c + 1 : c - 1)];
      const std::string corner(1, "ABCD"[c - 3]);
      withhold(
          c, both ? std::vector<std::string>{c < 5 ? "muf" : "mur", c < 5 ? "ktf" : "ktr", "mu" + corner, "kt" + corner}
                  : std::vector<std::string>{"mu" + corner, "kt" + corner});
    }
  if (unseen[0]) withhold(0, {"ms"});
}

// What no two-axle road vehicle has, from kart to bus: a sign of wrong units, sampling or added mass, which the decays
// themselves cannot show.
void check_plausible(VehicleFitResult& result) {
  const Vehicle<double>& v = result.vehicle;
  const auto doubt = [&](const char* name, double value, const char* unit, double low, double high) {
    if (value > low && value < high) return;
    result.findings.push_back({Severity::serious, "implausible", name,
                               fmt::format("{} of {:.3g} {} is outside {:g} to {:g} {}, where two-axle vehicles are",
                                           name, value, unit, low, high, unit),
                               "check the units of added masses and channels and the sampling interval: all masses, "
                               "stiffnesses and dampings scale with the "
                               "added mass, stiffnesses with the square of the sampling rate"});
  };
  double spring = 0.0, hop = 0.0, wheels = 0.0;
  for (std::size_t i = 0; i < 4; ++i) spring += v.ks[i], hop += (v.kt[i] + v.ks[i]) / v.mu[i] / 4.0, wheels += v.mu[i];
  doubt("sprung mass", v.ms, "kg", 40.0, 40000.0);
  doubt("wheel masses over sprung mass", wheels / v.ms, "", 0.02, 0.8);
  doubt("bounce frequency", std::sqrt(spring / v.ms) / two_pi, "Hz", 0.65, 8.0);
  doubt("wheel hop frequency", std::sqrt(hop) / two_pi, "Hz", 6.0, 40.0);
  doubt("wheelbase", v.a + v.b, "m", 0.7, 12.0);
  doubt("half track", 0.5 * (v.tf + v.tr), "m", 0.3, 1.5);
}

// The gate of all identifications: what the model leaves in each channel against the noise of its sensor, which the
// quiet part of the record or the user tells. A sensor is not better than a hundredth of its signal, and a tenth of it
// is no noise.
void judge_vehicle(VehicleFitResult& result) {
  std::vector<GateChannel> channels;
  for (const ChannelCheck& c : result.channels) {
    double square = 0.0, count = 0.0;
    for (const DecayRecord& r : result.decays.set.records)
      for (int k = 0; k < n; ++k)
        if (c.name == vehicle_channels[static_cast<std::size_t>(k)])
          square += r.samples.col(k).squaredNorm(), count += static_cast<double>(r.samples.rows());
    const double size = count > 0.0 ? std::sqrt(square / count) : 0.0;
    if (!(size > 0.0) || !std::isfinite(c.residual)) continue;
    GateChannel channel;
    channel.name = "channel " + c.name, channel.unit = "%", channel.factor = 100.0;
    channel.residuals = {c.residual / size};
    channel.noise = std::isfinite(c.noise) ? c.noise / size : 0.0;
    channel.finest = 0.01, channel.coarsest = 0.1;
    channels.push_back(std::move(channel));
  }
  apply_gate(judge_fit(channels),
             "the vehicle is not as modelled (left and right differ, nonlinear dampers, excitation not over), a "
             "channel has the wrong sign or unit, or an "
             "added mass is wrong; try symmetric=false and a later start_s",
             result.status, result.reason, result.parameters, result.findings);
}

void add_findings(VehicleFitResult& result, std::size_t samples, const VehicleFitOptions& options) {
  const auto note = [&](Severity severity, const char* code, const char* where, std::string message,
                        const char* remedy) {
    result.findings.push_back({severity, code, where, std::move(message), remedy});
  };
  const double white = std::max(0.1, 4.0 / std::sqrt(static_cast<double>(samples)));
  for (const ChannelCheck& c : result.channels) {
    // An exact simulation leaves rounding; nothing to judge there.
    double size = 0.0;
    for (const DecayRecord& r : result.decays.set.records)
      for (int k = 0; k < n; ++k)
        if (c.name == vehicle_channels[static_cast<std::size_t>(k)])
          size = std::max(size, r.samples.col(k).cwiseAbs().maxCoeff());
    if (c.residual < 1e-6 * size) continue;
    if (c.ratio > 1.3)
      note(c.ratio > 2.0 ? Severity::serious : Severity::warning, "misfit", c.name.c_str(),
           fmt::format("channel {}: what the model leaves is {:.2g} times the sensor noise", c.name, c.ratio),
           "the vehicle is not as modelled (left and right differ, nonlinear dampers, excitation not over) or an added "
           "mass is wrong; try "
           "symmetric=false, a later start_s, and see the added-mass check");
    else if (std::abs(c.lag_one) > white && !options.decays.low_pass_hz)
      note(Severity::warning, "coloured", c.name.c_str(),
           fmt::format(
               "channel {}: neighbouring residuals are correlated by {:.2f}; the intervals take them for independent",
               c.name, c.lag_one),
           "switch filters of the measuring system off, or take more samples into one average");
  }
  for (const AddedMassCheck& a : result.added_mass)
    if (std::abs(a.change) > 4.0 * a.std && std::abs(a.change) > 0.005)
      note(Severity::warning, "added_mass", a.name.c_str(),
           fmt::format("the decays fit better with an added {} that is {:+.1f} % different (+- {:.1f} %)", a.name,
                       100.0 * a.change, 100.0 * z95 * a.std),
           "weigh the added masses again and check where they were placed; +5 % in all of them is +5 % in each mass, "
           "stiffness and damping");
  for (const ParameterEstimate& p : result.parameters)
    if (p.status == ParameterStatus::free && !(z95 * p.std < 0.2 * p.value))
      note(Severity::warning, "uncertain", p.name.c_str(),
           fmt::format("{} is known to +-{:.0f} % only", p.name, 100.0 * z95 * p.std / p.value),
           "excite more modes (a bump under the left wheels excites all seven), record longer, add more mass, or fix "
           "what was measured directly; "
           "kdyn vehicle --plan tells what helps");
}

void report_parameters(VehicleFitResult& result, const internal::Unknowns& unknowns, const internal::WeightedFit& fit) {
  const auto& parameters = vehicle_parameters(unknowns.symmetric);
  const Eigen::VectorXd values = values_of(fit.vehicle, unknowns.symmetric);
  const Covariance covariance = covariance_of(fit.jacobian);
  const double s = std::sqrt(fit.variance);
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ParameterEstimate p{parameters[i].name, parameters[i].unit, parameters[i].meaning};
    p.value = values[static_cast<Eigen::Index>(i)];
    if (std::find(unknowns.free.begin(), unknowns.free.end(), static_cast<int>(i)) != unknowns.free.end()) {
      p.std = p.value * s * covariance.standard_deviation[column++];
      result.correlation_names.push_back(p.name);
    } else {
      p.status = ParameterStatus::fixed;
    }
    p.lower_95 = p.value - z95 * p.std;
    p.upper_95 = p.value + z95 * p.std;
    result.parameters.push_back(p);
  }
  result.correlation = covariance.correlation;
  for (const Eigen::VectorXd& direction : covariance.not_determined) {
    std::vector<std::string> names;
    for (Eigen::Index i = 0; i < direction.size(); ++i)
      if (std::abs(direction[i]) > 0.1) names.push_back(result.correlation_names[static_cast<std::size_t>(i)]);
    result.not_told_apart.push_back(fmt::format("the decays do not tell {} apart", join(names, ", ")));
  }
}

// Parameters of a model-free method; it knows no intervals.
void report_plain(VehicleFitResult& result, const Vehicle<double>& vehicle, bool symmetric) {
  const auto& parameters = vehicle_parameters(symmetric);
  const Eigen::VectorXd values = values_of(vehicle, symmetric);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ParameterEstimate p{parameters[i].name, parameters[i].unit, parameters[i].meaning};
    p.value = values[static_cast<Eigen::Index>(i)];
    p.std = std::numeric_limits<double>::infinity();
    p.lower_95 = -p.std, p.upper_95 = p.std;
    result.parameters.push_back(p);
  }
}

void add_modes(VehicleFitResult& result) {
  result.modes.push_back(vehicle_modes(result.vehicle.matrices()));
  for (const AddedMass& added : result.decays.set.added)
    result.modes.push_back(vehicle_modes(result.vehicle.matrices(added)));
}

bool physical(const Vehicle<double>& vehicle) {
  Vehicle<double> copy = vehicle;
  const auto members = copy.members();
  return std::all_of(members.begin(), members.end(),
                     [](const double* value) { return std::isfinite(*value) && *value > 0.0; });
}

// Values that no start lies near: the search has run away. A hundred times away from a start of the same fit is farther
// than any error of a guess.
bool ran_away(const Vehicle<double>& found, const Vehicle<double>& start) {
  Vehicle<double> a = found, b = start;
  const auto x = a.members(), y = b.members();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(*x[i] > 0.01 * *y[i] && *x[i] < 100.0 * *y[i])) return true;
  return false;
}

// The first starts are those of a passenger car. When none of them meets the noise, vehicles of other kinds are tried.
internal::WeightedFit fit_from(const internal::DecayLikelihood& likelihood, const internal::Unknowns& unknowns,
                               const DecaySet& set, std::vector<Vehicle<double>> starts,
                               const internal::ChannelValues& sigma, const VehicleFitOptions& options,
                               Progress& progress, const internal::ChannelValues& noise) {
  constexpr std::size_t searched = 6;
  internal::WeightedFit best;
  bool has_best = false, searched_already = false;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    internal::WeightedFit fit = fit_weighted(likelihood, unknowns, starts[i], sigma, options, progress);
    if (fit.converged && ran_away(fit.vehicle, starts[i])) {
      fit.converged = false;
      fit.reason =
          "a value ran away to where no vehicle is: the decays do not determine it, or the initial guess is too far "
          "off";
    }
    // The likelihood decides; a fit that ran away or was cut short counts only where there is no other.
    const bool better = !has_best || (fit.converged && !best.converged) ||
                        (fit.converged == best.converged && fit.objective < best.objective);
    if (better) best = std::move(fit);
    has_best = true;
    // Met to the noise: there is nothing better to find.
    double worst = 0.0;
    for (int c = 0; c < n; ++c)
      worst = std::max(worst, best.sigma[static_cast<std::size_t>(c)] / noise[static_cast<std::size_t>(c)]);
    if (best.stopped || (best.converged && worst < 1.5)) break;
    if (i + 1 == starts.size() && !searched_already && options.start.empty()) {
      searched_already = true;
      Eigen::VectorXd r;
      const auto misfit = [&](const Vehicle<double>& vehicle) {
        return likelihood.evaluate(vehicle, sigma, r, {}, nullptr) ? r.squaredNorm()
                                                                   : std::numeric_limits<double>::infinity();
      };
      for (const Vehicle<double>& start : internal::searched_starts(set, options, misfit, searched))
        starts.push_back(start);
    }
  }
  return best;
}

}  // namespace

VehicleFitResult identify_vehicle(const DecaySet& measured, const VehicleFitOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  check_names(options.fixed, "fixed", options.symmetric);
  check_names(options.start, "start", options.symmetric);
  if (!options.noise.empty() && options.noise.size() != static_cast<std::size_t>(n))
    throw_bad_input("noise",
                    fmt::format("has {} numbers, not one for each of the {} channels", options.noise.size(), n),
                    "give the standard deviations of zs, theta, phi, zuA, zuB, zuC, zuD");
  check_scale(measured, options);
  // Roll may rest after one bump, but a channel that rests in all of them has no sensor.
  for (int c = 0; c < n; ++c)
    if (std::all_of(measured.records.begin(), measured.records.end(), [&](const DecayRecord& r) {
          return c < r.samples.cols() && (r.samples.col(c).array() == 0.0).all();
        }))
      throw_bad_input("data",
                      fmt::format("channel {} is 0 in every record", vehicle_channels[static_cast<std::size_t>(c)]),
                      "check the sensor and its cable");

  VehicleFitResult result;
  progress.report(0.0, "preparing the decays");
  result.decays = prepare_decays(measured, options.decays);
  const bool two_configurations =
      !measured.added.empty() &&
      std::any_of(measured.records.begin(), measured.records.end(), [](const auto& r) { return r.config == 0; }) &&
      std::any_of(measured.records.begin(), measured.records.end(), [](const auto& r) { return r.config == 1; });

  // What the methods without a model say: a start, a check and a comparison.
  std::optional<internal::ModelFree> realised;
  std::string complaint;
  for (const auto& [name, method] :
       {std::pair{"realisation", ModalMethod::realisation}, {"state_variable", ModalMethod::state_variable}}) {
    if (!two_configurations) break;
    const bool wanted = options.method == (method == ModalMethod::realisation ? VehicleMethod::realisation
                                                                              : VehicleMethod::state_variable);
    // The realisation is cheap and serves as a check; the state variable method only runs when it is asked for.
    if (!wanted && method == ModalMethod::state_variable) continue;
    try {
      internal::ModelFree found =
          internal::model_free(result.decays.set, method, static_cast<int>(options.stack), options.symmetric);
      result.other_methods[name] = values_of(found.vehicle, options.symmetric);
      result.asymmetry_K = found.matrices.asymmetry_K;
      if (method == ModalMethod::realisation) realised = found;
      if (wanted) {
        result.vehicle = found.vehicle;
        report_plain(result, found.vehicle, options.symmetric);
      }
    } catch (const Error& error) {
      if (wanted) complaint = error.message();
    }
  }
  const auto finish = [&] {
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.findings.insert(result.findings.begin(), result.decays.findings.begin(), result.decays.findings.end());
    progress.report(1.0, "done");
  };
  if (options.method != VehicleMethod::maximum_likelihood) {
    const bool good = complaint.empty() && physical(result.vehicle);
    result.status = good ? "converged" : "not_converged";
    result.reason = !complaint.empty() ? complaint
                    : good             ? "seven modes in both configurations"
                                       : "the values are not physical: noise has got the better of the method";
    if (good) add_modes(result);
    finish();
    return result;
  }

  internal::Unknowns unknowns{options.symmetric, {}};
  const auto& parameters = vehicle_parameters(options.symmetric);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!options.fixed.contains(parameters[i].name)) unknowns.free.push_back(static_cast<int>(i));
  if (unknowns.free.empty())
    throw_bad_input("fixed", "every parameter is fixed", "leave at least one to be identified");

  std::vector<Vehicle<double>> starts =
      internal::start_vehicles(result.decays.set, options, realised ? &*realised : nullptr);
  internal::WeightedFit fit;
  std::optional<internal::DecayLikelihood> likelihood;
  for (int round = 0; round < 3; ++round) {
    progress.report(0.2 + 0.2 * round, "fitting");
    const std::array<double, n> noise = estimate_noise(result.decays.set);
    internal::ChannelValues sigma = noise;
    for (int c = 0; c < n; ++c) {
      double size = 0.0;
      for (const DecayRecord& r : result.decays.set.records)
        size = std::max(size, r.samples.col(c).cwiseAbs().maxCoeff());
      if (!(size > 0.0))
        throw_bad_input(
            "data", fmt::format("channel {} is zero in every record", vehicle_channels[static_cast<std::size_t>(c)]),
            "check the sensor and its cable");
      sigma[static_cast<std::size_t>(c)] = std::max(sigma[static_cast<std::size_t>(c)], 1e-6 * size);
    }
    likelihood.emplace(result.decays.set, options.decays.remove_offset);
    fit = fit_from(*likelihood, unknowns, result.decays.set, starts, sigma, options, progress, sigma);
    if (fit.stopped || !options.decays.cut_bump || options.decays.start_s || round == 2) break;
    // With a vehicle at hand the end of the excitation shows better than without.
    const std::vector<double> refined = internal::refine_starts(measured, fit.vehicle, result.decays.start_s,
                                                                result.decays.average, options.decays.remove_offset);
    if (refined == result.decays.start_s) break;
    result.decays = prepare_decays(measured, options.decays, refined);
    starts.insert(starts.begin(), fit.vehicle);
  }

  result.vehicle = fit.vehicle;
  result.status = fit.stopped ? "stopped" : fit.converged ? "converged" : "not_converged";
  result.reason = fit.reason;
  result.cost_history = fit.cost_history;
  result.iterations = fit.iterations;
  result.evaluations = fit.evaluations;
  report_parameters(result, unknowns, fit);
  result.model = likelihood->model(fit.vehicle, fit.sigma);
  result.channels = check_channels(result, fit.sigma, options);
  if (two_configurations) result.added_mass = internal::check_added_mass(*likelihood, fit, options.symmetric);
  add_modes(result);
  withhold_unseen(result);
  check_plausible(result);
  add_findings(result, static_cast<std::size_t>(likelihood->sample_count()), options);
  judge_vehicle(result);
  finish();
  return result;
}

const FieldTable& fields_of(const VehicleFitOptions*) {
  using O = VehicleFitOptions;
  static const FieldTable table = FieldTable::of<O>("vehicle", [](FieldTable& t) {
    t.add(&O::method, "method", "-", "Structured maximum likelihood, or one of the published methods for comparison")
        .one_of({"maximum_likelihood", "state_variable", "realisation"});
    t.add(&O::symmetric, "symmetric", "-", "Left and right alike (15 parameters), or each corner its own (23)");
    t.add(&O::fixed, "fixed", "SI", "Parameters measured directly, e.g. {\"a\": 1.25, \"b\": 1.51}");
    t.add(&O::start, "start", "SI", "Start values; by default they come from the data");
    t.add(&O::noise, "noise", "SI",
          "Known sensor noise of zs, theta, phi, zuA, zuB, zuC, zuD, standard deviation per sample; empty: estimated")
        .above(0.0);
    t.add(&O::reweightings, "reweightings", "-", "How often the noise of the channels is estimated anew").range(0, 50);
    t.add(&O::max_iterations, "max_iterations", "-", "Iterations of each weighted solution").range(1, 10000);
    t.add(&O::stack, "stack", "-", "State variable method and realisation: samples stacked, minus one").range(1, 200);
    t.include(&O::decays, field_table<DecayOptions>());
  });
  return table;
}

}  // namespace kdyn::inline vehicle
