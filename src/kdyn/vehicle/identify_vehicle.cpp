// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/identify_vehicle.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/vehicle/internal/added_mass.hpp"
#include "kdyn/vehicle/internal/checks.hpp"
#include "kdyn/vehicle/internal/driven.hpp"
#include "kdyn/vehicle/internal/estimates.hpp"
#include "kdyn/vehicle/internal/faults.hpp"
#include "kdyn/vehicle/internal/fit.hpp"
#include "kdyn/vehicle/internal/search.hpp"
#include "kdyn/vehicle/internal/start_values.hpp"
#include "kdyn/vehicle/internal/whole_records.hpp"

namespace kdyn::inline vehicle {
namespace {

void check_names(const std::map<std::string, double>& given, const char* option, bool symmetric,
                 const VehicleLayout& layout) {
  const std::vector<std::string> names = parameter_names(symmetric, layout);
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

// What the published methods need: each degree of freedom measured on its own, added mass on the diagonal.
bool seven_motions_of(const DecaySet& set) {
  if (set.layout != VehicleLayout{} || !set.points.empty() || set.channel_count() != vehicle_dofs) return false;
  const std::vector<DecayChannel> wanted = seven_motions(MotionKind::acceleration);
  for (std::size_t c = 0; c < wanted.size(); ++c) {
    const DecayChannel &x = set.channels[c], &y = wanted[c];
    if (x.name != y.name || x.body != y.body || x.pitch != y.pitch || x.roll != y.roll || x.wheel != y.wheel ||
        x.from_cg != y.from_cg || x.x != 0.0 || x.y != 0.0 || x.gain != 1.0 || x.delay_s != 0.0)
      return false;
  }
  return true;
}

// The scale of the vehicle comes from added mass or from a fixed mass, stiffness or damping.
void check_scale(const DecaySet& set, const VehicleFitOptions& options) {
  int highest = 0;
  bool plain = false;
  for (const DecayRecord& r : set.records) {
    highest = std::max(highest, r.config);
    plain = plain || r.config == 0;
  }
  if (highest > set.configurations())
    throw_bad_input("added_mass",
                    fmt::format("there are decays with added mass (config {}), but no added mass is given", highest),
                    "give added_mass as ms, Iyy, Ixx, muA, muB, muC, muD in kg and kg m^2, or loads with their places");
  for (std::size_t i = 0; i < static_cast<std::size_t>(set.configurations()); ++i) {
    double sum = 0.0;
    if (i < set.points.size())
      for (const PointMass& p : set.points[i]) sum += p.mass;
    for (const double m : i < set.added.size() ? set.added[i] : AddedMass{}) {
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
  static const std::vector<std::string> lengths = {"a", "b", "b3", "tf", "tr", "t1", "t2", "t3", "hitch"};
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
    if (!seven_motions_of(set))
      throw_bad_input("method", "this method needs the seven motions zs, theta, phi, zuA ... zuD",
                      "use the maximum-likelihood method");
    if (!plain || highest == 0)
      throw_bad_input("method", "this method needs decays without and with added mass",
                      "use the maximum-likelihood method");
    for (const double m : set.added.front())
      if (!(m > 0.0))
        throw_bad_input("added_mass", "this method needs an added mass in each of the seven entries",
                        "use the maximum-likelihood method");
  }
}

bool has_road(const DecaySet& set) {
  return std::any_of(set.records.begin(), set.records.end(), [](const DecayRecord& r) { return r.road.rows() > 0; });
}

std::unique_ptr<internal::Likelihood> likelihood_of(const DecaySet& set, bool remove_offset) {
  if (has_road(set)) return std::make_unique<internal::DrivenLikelihood>(set, remove_offset);
  return std::make_unique<internal::DecayLikelihood>(set, remove_offset);
}

std::vector<int> free_parameters(const VehicleFitOptions& options, const VehicleLayout& layout) {
  std::vector<int> out;
  const auto& parameters = vehicle_parameters(options.symmetric, layout);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!options.fixed.contains(parameters[i].name) && !(options.wheelbase_m && parameters[i].name == "b"))
      out.push_back(static_cast<int>(i));
  return out;
}

// Options that belong to the channels and places of this test.
void check_test(const DecaySet& set, const VehicleFitOptions& options) {
  if (!options.noise.empty() && options.noise.size() != set.channels.size())
    throw_bad_input(
        "noise",
        fmt::format("has {} numbers, not one for each of the {} channels", options.noise.size(), set.channels.size()),
        "give the standard deviations of all channels in their order");
  if (options.wheelbase_m && (options.fixed.contains("a") || options.fixed.contains("b")))
    throw_bad_input("wheelbase_m", "a or b is fixed already", "give the wheelbase, or a and b");
  for (std::size_t i = 0; i < set.points.size(); ++i) {
    if (set.points[i].size() > internal::max_points)
      throw_bad_input("loads", fmt::format("{} point masses are too many", set.points[i].size()), "join some of them");
    for (const PointMass& p : set.points[i])
      if (!(p.mass > 0.0) || !std::isfinite(p.mass) || !(p.Iyy >= 0.0) || !(p.Ixx >= 0.0) || !(std::abs(p.x) < 25.0) ||
          !(std::abs(p.y) < 3.0) || p.wheel >= set.layout.wheels())
        throw_bad_input(
            "loads", fmt::format("load {} is no mass on this vehicle", in_quotes(p.name)),
            "give kg > 0, and metres: x forward from the first axle line, y to the left of the middle plane");
  }
  const bool time_domain = options.dampers == DamperLaw::bilinear || has_road(set);
  for (const DecayChannel& c : set.channels)
    if (time_domain && (c.delay_s != 0.0 || c.delay_unknown))
      throw_bad_input(
          "sensors",
          fmt::format("channel {} has a delay, which a measured road or bilinear dampers do not allow", c.name),
          "shift the column in the file and leave the delay out");
  if (time_domain && options.method != VehicleMethod::maximum_likelihood)
    throw_bad_input("method", "this method knows free decays of linear vehicles only",
                    "use the maximum-likelihood method");
  if (has_road(set) && options.decays.low_pass_hz)
    throw_bad_input("low_pass_hz", "records on a measured road are not filtered", "leave it out");
  check_scale(set, options);
}

// An accelerometer that was given as motion of the centre of gravity rarely sits there. Where the decays say so, its
// place is found along, and told; only when that explains all that is left.
void find_places(VehicleFitResult& result, const internal::Likelihood& likelihood, internal::Unknowns& unknowns,
                 const internal::ChannelValues& noise, const VehicleFitOptions& options, internal::WeightedFit& fit,
                 Progress& progress) {
  constexpr double smallest = 0.005;  // m; nobody measures places better
  const DecaySet& set = result.decays.set;
  for (int c = 0; c < set.channel_count(); ++c) {
    const DecayChannel& channel = set.channels[static_cast<std::size_t>(c)];
    if (!channel.from_cg || channel.body == 0.0 || channel.place_unknown) continue;
    const std::vector<internal::Score> found = scores(likelihood, fit,
                                                      {{{{internal::index_of(c, internal::ChannelValue::x), 1.0}}},
                                                       {{{internal::index_of(c, internal::ChannelValue::y), 1.0}}}});
    const auto off = [&](const internal::Score& s) { return std::abs(s.change) > std::max(4.0 * s.std, smallest); };
    if (!off(found[0]) && !off(found[1])) continue;
    internal::Unknowns wider = unknowns;
    wider.channel.insert(wider.channel.end(),
                         {{c, internal::ChannelValue::x, 0.0}, {c, internal::ChannelValue::y, 0.0}});
    // Not about the start: lengths trade with the place.
    internal::Assumed start = fit.assumed;
    internal::WeightedFit again = fit_weighted(likelihood, wider, start, noise, options, progress);
    if (!again.converged || internal::worst_over_noise(again, noise) > 1.3) continue;
    fit = std::move(again);
    unknowns = std::move(wider);
    const DecayChannel& placed = fit.assumed.channels[static_cast<std::size_t>(c)];
    result.findings.push_back(
        {Severity::warning, "not_at_centre", channel.name,
         fmt::format(
             "channel {} was not measured at the centre of gravity: it fits {:.3f} m {} and {:.3f} m to the {} of "
             "it; that place was found along with the parameters",
             channel.name, std::abs(placed.x), placed.x < 0.0 ? "behind" : "ahead", std::abs(placed.y),
             placed.y < 0.0 ? "right" : "left"),
         "describe the sensors with their positions (sensors in the job): the centre of gravity is found then"});
  }
}

// From the linear vehicle on, in the time domain. Where that leads to no vehicle, the linear one stays, not converged.
void fit_bilinear(VehicleFitResult& result, internal::Unknowns& unknowns, const VehicleLayout& layout,
                  const VehicleFitOptions& options, std::unique_ptr<internal::Likelihood>& likelihood,
                  internal::WeightedFit& fit, Progress& progress) {
  internal::Unknowns wider = unknowns;
  wider.layout = layout;
  wider.free = free_parameters(options, layout);
  internal::Assumed start = fit.assumed;
  start.vehicle.layout = layout;
  const auto members = start.vehicle.members();
  for (const VehicleParameter& p : vehicle_parameters(options.symmetric, layout))
    for (const auto* known : {&options.start, &options.fixed})
      if (const auto it = known->find(p.name); it != known->end() && p.name.starts_with("reb"))
        for (const int m : p.members) *members[static_cast<std::size_t>(m)] = it->second;
  auto bilinear = std::make_unique<internal::DrivenLikelihood>(result.decays.set, options.decays.remove_offset);
  internal::WeightedFit found = fit_weighted(*bilinear, wider, start, fit.sigma, options, progress);
  Eigen::VectorXd r;
  const bool defined = bilinear->evaluate(found.assumed, found.sigma, r, {}, nullptr);
  const internal::ChannelValues noise = internal::first_weights(result.decays.set);
  if (options.decays.cut_bump && !options.decays.start_s && !found.stopped &&
      (!defined || !found.converged || internal::worst_over_noise(found, noise) > 2.0))
    result.findings.push_back({Severity::serious, "excitation_end", "start_s",
                               "with bilinear dampers the end of the excitation does not show by itself: a decay that "
                               "is not linear looks like one that is still excited",
                               "give start_s, the time when all wheels have left the bump, or cut_bump=false for "
                               "records that begin after it"});
  if (!defined) {
    fit.converged = false;
    fit.reason = "no vehicle with bilinear dampers was found from the linear one";
    return;
  }
  unknowns = std::move(wider), likelihood = std::move(bilinear), fit = std::move(found);
}

// Gain and delay of every channel against the vehicle and all other channels.
void score_channels(VehicleFitResult& result, const internal::Likelihood& likelihood,
                    const internal::Unknowns& unknowns, const internal::WeightedFit& fit) {
  std::vector<internal::Direction> directions;
  const int channels = result.decays.set.channel_count();
  for (int c = 0; c < channels; ++c)
    for (const auto what : {internal::ChannelValue::gain, internal::ChannelValue::delay})
      directions.push_back(
          {{{internal::index_of(c, what), what == internal::ChannelValue::gain ? 1.0 : internal::delay_unit}}});
  const std::vector<internal::Score> found = scores(likelihood, fit, directions);
  for (int c = 0; c < channels; ++c) {
    ChannelCheck& check = result.channels[static_cast<std::size_t>(c)];
    const auto unknown = [&](internal::ChannelValue what) {
      return std::any_of(unknowns.channel.begin(), unknowns.channel.end(),
                         [&](const internal::ChannelUnknown& u) { return u.channel == c && u.what == what; });
    };
    const internal::Score &gain = found[static_cast<std::size_t>(2 * c)],
                          &delay = found[static_cast<std::size_t>(2 * c + 1)];
    if (!unknown(internal::ChannelValue::gain)) check.gain = 1.0 + gain.change, check.gain_std = gain.std;
    if (!unknown(internal::ChannelValue::delay))
      check.delay_s = internal::delay_unit * delay.change, check.delay_std_s = internal::delay_unit * delay.std;
  }
}

void add_modes(VehicleFitResult& result) {
  for (int config = 0; config <= result.decays.set.configurations(); ++config)
    result.modes.push_back(vehicle_modes(result.decays.set.matrices(result.vehicle, config)));
}

bool physical(const Vehicle<double>& vehicle) {
  Vehicle<double> copy = vehicle;
  const auto members = copy.members();
  return std::all_of(members.begin(), members.end(),
                     [](const double* value) { return std::isfinite(*value) && *value > 0.0; });
}

}  // namespace

VehicleFitResult identify_vehicle(const DecaySet& given, const VehicleFitOptions& options, Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  VehicleLayout layout = given.layout;
  layout.bilinear = options.dampers == DamperLaw::bilinear;
  check_names(options.fixed, "fixed", options.symmetric, layout);
  check_names(options.start, "start", options.symmetric, layout);
  check_test(given, options);
  DecaySet measured = given;
  VehicleFitOptions options_used = options;
  for (const DecayChannel& c : measured.channels)
    options_used.decays.remove_offset = options_used.decays.remove_offset || c.offset_unknown;
  // Roll may rest after one bump, but a channel that rests in all of them has no sensor.
  for (int c = 0; c < measured.channel_count(); ++c)
    if (std::all_of(measured.records.begin(), measured.records.end(), [&](const DecayRecord& r) {
          return c < r.samples.cols() && (r.samples.col(c).array() == 0.0).all();
        }))
      throw_bad_input(
          "data", fmt::format("channel {} is 0 in every record", measured.channels[static_cast<std::size_t>(c)].name),
          "check the sensor and its cable");

  VehicleFitResult result;
  progress.report(0.0, "preparing the decays");
  result.decays = prepare_decays(measured, options.decays);
  const bool two_configurations =
      measured.configurations() > 0 &&
      std::any_of(measured.records.begin(), measured.records.end(), [](const auto& r) { return r.config == 0; }) &&
      std::any_of(measured.records.begin(), measured.records.end(), [](const auto& r) { return r.config == 1; });

  // What the methods without a model say: a start, a check and a comparison.
  std::optional<internal::ModelFree> realised;
  std::string complaint;
  for (const auto& [name, method] :
       {std::pair{"realisation", ModalMethod::realisation}, {"state_variable", ModalMethod::state_variable}}) {
    if (!two_configurations || !seven_motions_of(measured)) break;
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
        internal::report_plain(result, found.vehicle, options.symmetric);
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

  internal::Unknowns unknowns;
  unknowns.symmetric = options.symmetric, unknowns.layout = measured.layout, unknowns.wheelbase = options.wheelbase_m;
  unknowns.channel = internal::channel_unknowns(measured.channels);
  unknowns.free = free_parameters(options, measured.layout);
  const bool driven = has_road(measured);
  if (unknowns.free.empty())
    throw_bad_input("fixed", "every parameter is fixed", "leave at least one to be identified");

  std::vector<Vehicle<double>> starts =
      internal::start_vehicles(result.decays.set, options, realised ? &*realised : nullptr);
  if (const std::vector<int> dead =
          driven ? std::vector<int>{}
                 : internal::dead_channels(measured, result.decays.set, unknowns, options_used, starts, progress);
      !dead.empty()) {
    for (const int c : dead) {
      const std::string& name = measured.channels[static_cast<std::size_t>(c)].name;
      result.findings.push_back(
          {Severity::serious, "no_signal", name,
           fmt::format("channel {} shows nothing but noise, although the others say that it moves; it was left out",
                       name),
           "check the sensor and its cable"});
    }
    for (auto it = dead.rbegin(); it != dead.rend() && !options_used.noise.empty(); ++it)
      options_used.noise.erase(options_used.noise.begin() + *it);
    measured = internal::without_channels(measured, dead);
    unknowns.channel = internal::channel_unknowns(measured.channels);
    result.decays = prepare_decays(measured, options.decays);
  }
  if (!driven && options.decays.cut_bump && !options.decays.start_s)
    result.decays = internal::with_one_start(measured, options.decays, std::move(result.decays));
  if (!driven && options.decays.cut_bump && !options.decays.start_s &&
      std::any_of(result.decays.start_s.begin(), result.decays.start_s.end(), [](double s) { return s > 0.0; })) {
    PreparedDecays whole = prepare_decays(measured, options.decays, std::vector<double>(measured.records.size(), 0.0));
    if (internal::loses_motion(whole.set, result.decays.set)) result.decays = std::move(whole);
  }
  const PreparedDecays first_cut = result.decays;
  internal::WeightedFit fit;
  internal::ChannelValues noise;
  std::unique_ptr<internal::Likelihood> likelihood;
  bool settled = false;
  for (int round = 0; round < 3; ++round) {
    progress.report(0.2 + 0.2 * round, "fitting");
    noise = internal::first_weights(result.decays.set);
    likelihood = likelihood_of(result.decays.set, options_used.decays.remove_offset);
    fit = internal::search(*likelihood, unknowns, result.decays.set, starts, noise, options_used, progress,
                           round == 0 ? 6 : 2);
    settled = false;
    if (fit.stopped || driven || !options.decays.cut_bump || options.decays.start_s || round == 2) break;
    // With a vehicle at hand the end of the excitation shows better than without.
    if (internal::fit_whole_records(measured, options_used, unknowns, fit, result.decays, fit, progress)) {
      noise = internal::first_weights(result.decays.set);
      likelihood = likelihood_of(result.decays.set, options_used.decays.remove_offset);
      settled = true;
      break;
    }
    const std::vector<double> refined = internal::refine_starts(
        measured, fit.assumed, result.decays.start_s, result.decays.average, options_used.decays.remove_offset);
    if (refined == result.decays.start_s || (round == 1 && internal::worst_over_noise(fit, noise) > 3.0)) break;
    PreparedDecays later = prepare_decays(measured, options.decays, refined);
    if (internal::loses_motion(result.decays.set, later.set)) break;
    result.decays = std::move(later);
    starts.insert(starts.begin(), fit.assumed.vehicle);
  }
  if (!settled) fit = internal::settle(*likelihood, unknowns, fit, noise, options_used, progress);
  // Without an answer that meets the sensors, or with none at all, a single channel may be the reason.
  bool looked_for_faults = false;
  std::vector<Finding> faults;
  const auto look_for_faults = [&](bool before_it_is_told) {
    if (looked_for_faults || fit.stopped || driven || options.dampers != DamperLaw::linear) return;
    looked_for_faults = true;
    progress.report(0.8, "looking for broken channels");
    // As the records were cut at first: a spoilt vehicle is no judge of where they are free.
    std::optional<Vehicle<double>> better;
    faults = internal::find_faults(first_cut.set, unknowns, options_used, fit, starts, better, progress);
    if (!better || !before_it_is_told) return;
    result.decays = first_cut;
    noise = internal::first_weights(result.decays.set);
    likelihood = likelihood_of(result.decays.set, options_used.decays.remove_offset);
    fit = internal::search(*likelihood, unknowns, result.decays.set, {*better}, noise, options_used, progress, 0);
    fit = internal::settle(*likelihood, unknowns, fit, noise, options_used, progress);
  };
  if (options.dampers == DamperLaw::bilinear && !fit.stopped) {
    progress.report(0.6, "fitting the dampers");
    fit_bilinear(result, unknowns, layout, options_used, likelihood, fit, progress);
  }
  if (fit.converged) find_places(result, *likelihood, unknowns, noise, options_used, fit, progress);
  if (!fit.converged || internal::worst_over_noise(fit, noise) > 3.0) look_for_faults(true);

  result.vehicle = fit.assumed.vehicle;
  result.status = fit.stopped ? "stopped" : fit.converged ? "converged" : "not_converged";
  result.reason = fit.reason;
  result.cost_history = fit.cost_history;
  result.iterations = fit.iterations;
  result.evaluations = fit.evaluations;
  Covariance covariance = covariance_of(fit.jacobian);
  const bool scale_checked = add_scale_uncertainty(*likelihood, fit, options.added_mass_std, covariance);
  internal::report_parameters(result, unknowns, fit, covariance);
  result.model = likelihood->model(fit.assumed, fit.sigma);
  result.channels = internal::check_channels(result, fit.sigma, options_used);
  score_channels(result, *likelihood, unknowns, fit);
  if (two_configurations)
    result.added_mass = internal::check_added_mass(*likelihood, fit, result.decays.set, options.symmetric);
  add_modes(result);
  internal::withhold_unseen(result);
  internal::check_plausible(result);
  internal::doubt_added_mass(result);
  internal::check_scale_of(result, options, scale_checked);
  internal::add_findings(result, static_cast<std::size_t>(likelihood->sample_count()), options_used);
  internal::judge_vehicle(result);
  if (result.status != "converged") look_for_faults(false);
  result.findings.insert(result.findings.begin(), faults.begin(), faults.end());
  finish();
  return result;
}

const FieldTable& fields_of(const VehicleFitOptions*) {
  using O = VehicleFitOptions;
  static const FieldTable table = FieldTable::of<O>("vehicle", [](FieldTable& t) {
    t.add(&O::method, "method", "-", "Structured maximum likelihood, or one of the published methods for comparison")
        .one_of({"maximum_likelihood", "state_variable", "realisation"});
    t.add(&O::symmetric, "symmetric", "-", "Left and right alike (15 parameters), or each corner its own (23)");
    t.add(&O::dampers, "dampers", "-",
          "Dampers: linear, or bilinear with another damping in rebound (rebf, rebr: rebound over compression)")
        .one_of({"linear", "bilinear"});
    t.add(&O::fixed, "fixed", "SI", "Parameters measured directly, e.g. {\"a\": 1.25, \"b\": 1.51}");
    t.add(&O::start, "start", "SI", "Start values; by default they come from the data");
    t.add(&O::wheelbase_m, "wheelbase_m", "m", "First to second axle, measured: a + b; null: both are found")
        .range(0.1, 100.0)
        .shown_in("m");
    t.add(
         &O::added_mass_std, "added_mass_std", "-",
         "How well the added mass is known: relative standard deviation of a factor common to all of it; part of every "
         "interval of mass, stiffness and damping")
        .range(0.0, 0.5);
    t.add(&O::weighed_mass_kg, "weighed_mass_kg", "kg",
          "Mass of the vehicle on its wheels as weighed, which checks the added mass; null: not weighed")
        .range(0.1, 1e7)
        .shown_in("kg");
    t.add(&O::noise, "noise", "SI",
          "Known sensor noise of the channels (zs, theta, phi, zuA, zuB, zuC, zuD, or those of the sensors in their "
          "order), "
          "standard deviation per sample; empty: estimated")
        .above(0.0);
    t.add(&O::reweightings, "reweightings", "-", "How often the noise of the channels is estimated anew").range(0, 50);
    t.add(&O::max_iterations, "max_iterations", "-", "Iterations of each weighted solution").range(1, 10000);
    t.add(&O::stack, "stack", "-", "State variable method and realisation: samples stacked, minus one").range(1, 200);
    t.include(&O::decays, field_table<DecayOptions>());
  });
  return table;
}

}  // namespace kdyn::inline vehicle
