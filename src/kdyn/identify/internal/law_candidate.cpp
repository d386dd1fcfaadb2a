// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/law_candidate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <type_traits>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/identify/compare.hpp"
#include "kdyn/identify/internal/start_values.hpp"
#include "kdyn/laws/law_list.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn::inline identify {
namespace {

MapSizes sizes_of(const std::vector<MapRow>& rows) {
  MapSizes s;
  s.k_low = s.omega_low = 1e300;
  std::vector<double> losses;
  double log_a = 0.0, log_w = 0.0;
  for (const MapRow& row : rows) {
    const double storage = row.k_dyn * std::cos(row.loss_angle), w = two_pi * row.frequency_hz;
    s.k_low = std::min(s.k_low, std::max(storage, 0.05 * row.k_dyn));
    s.k_high = std::max(s.k_high, storage);
    losses.push_back(row.k_dyn * std::sin(row.loss_angle));
    log_a += std::log(row.amplitude);
    log_w += std::log(w);
    s.omega_low = std::min(s.omega_low, w);
    s.omega_high = std::max(s.omega_high, w);
  }
  s.loss = std::max(median(losses), 1e-3 * s.k_low);
  s.amplitude = std::exp(log_a / static_cast<double>(rows.size()));
  s.omega = std::exp(log_w / static_cast<double>(rows.size()));
  return s;
}

LogParameter about(const std::string& name, const std::string& unit, const std::string& meaning, double start,
                   double down = 1e-4, double up = 1e4) {
  return {name, unit, meaning, start, start * down, start * up};
}

// Laws whose response to a sine is made of a part of the amplitude and one of the frequency: each is computed once per
// level instead of once per row.
template <class Law>
concept SeparatesAmplitude = requires(const Law& law, typename Law::Scalar a) {
  law.harmonic(law.frequency_part(1.0, law.amplitude_part(a).harmonics()), law.amplitude_part(a));
};

// Amplitudes as achieved scatter within a level. A level of few of them is computed at each; one of more at its two ends
// when they are within 3 %, else at three places across it, and between them by straight line or parabola: of a range of
// 3 % the line leaves 1e-4 of what changes, of 10 % the parabola 1e-6.
class AmplitudeNodes {
 public:
  explicit AmplitudeNodes(const std::vector<MapRow>& rows) {
    std::vector<double> all;
    for (const MapRow& row : rows) all.push_back(row.amplitude);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      while (end < all.size() && all[end] <= 1.1 * all[i]) ++end;
      const double low = all[i], high = all[end - 1];
      std::vector<double> places(all.begin() + static_cast<std::ptrdiff_t>(i),
                                 all.begin() + static_cast<std::ptrdiff_t>(end));
      if (end - i > 2 && high <= 1.03 * low)
        places = {low, high};
      else if (end - i > 3)
        places = {low, 0.5 * (low + high), high};
      groups_.push_back({low, high, nodes_.size(), places.size()});
      nodes_.insert(nodes_.end(), places.begin(), places.end());
      i = end;
    }
  }
  const std::vector<double>& nodes() const { return nodes_; }

  // Value at an amplitude, value(i) being that at node i.
  template <class Value>
  auto at(double amplitude, Value&& value) const {
    std::size_t g = 0;
    while (g + 1 < groups_.size() && amplitude > groups_[g].high) ++g;
    const Group& group = groups_[g];
    decltype(value(0)) out{};
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      double weight = 1.0;
      for (std::size_t j = group.first; j < group.first + group.count; ++j)
        if (j != i) weight *= (amplitude - nodes_[j]) / (nodes_[i] - nodes_[j]);
      if (weight == 0.0) continue;
      const auto one = value(i);
      out.re += weight * one.re;
      out.im += weight * one.im;
    }
    return out;
  }

 private:
  struct Group {
    double low, high;
    std::size_t first, count;
  };
  std::vector<Group> groups_;
  std::vector<double> nodes_;
};

// Stiffness of a law with its parameters set, at every row.
template <class Law, class Harmonic, class Put>
void stiffness_of_rows(const Law& law, const Harmonic& harmonic, const std::vector<MapRow>& rows, Put&& put) {
  using T = typename Law::Scalar;
  if constexpr (SeparatesAmplitude<Law>) {
    const AmplitudeNodes nodes(rows);
    std::vector<typename Law::AmplitudePart> parts;
    int harmonics = 0;
    for (const double a : nodes.nodes()) {
      parts.push_back(law.amplitude_part(T(a)));
      harmonics = std::max(harmonics, parts.back().harmonics());
    }
    std::map<double, decltype(law.frequency_part(1.0, 1))> frequencies;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double f = rows[r].frequency_hz;
      auto known = frequencies.find(f);
      if (known == frequencies.end()) known = frequencies.emplace(f, law.frequency_part(two_pi * f, harmonics)).first;
      put(r, nodes.at(rows[r].amplitude, [&](std::size_t i) { return law.harmonic(known->second, parts[i]); }));
    }
  } else {
    for (std::size_t r = 0; r < rows.size(); ++r) put(r, harmonic(law, rows[r].frequency_hz, T(rows[r].amplitude)));
  }
}

// A parameter with its derivative with respect to its logarithm.
template <int width>
Jet<width> by_logarithm(const Eigen::VectorXd& values, int i) {
  Jet<width> value(values[i], i);
  value.v *= value.a;
  return value;
}

// Any law with visit_parameters and harmonic(omega, a): `names` are the free parameters in the order of the unknowns.
template <int width, class Law, class Harmonic>
auto stiffness_function(const Law& base, std::vector<std::string> names, Harmonic harmonic) {
  return [base, names = std::move(names), harmonic](const Eigen::VectorXd& values, const std::vector<MapRow>& rows,
                                                    Eigen::VectorXcd& K, Eigen::MatrixXcd* dK) {
    const auto set = [&](auto& law, auto&& make) {
      law.visit_parameters([&](const char* name, auto& member) {
        for (std::size_t i = 0; i < names.size(); ++i)
          if (names[i] == name) member = make(static_cast<int>(i));
      });
    };
    K.resize(static_cast<Eigen::Index>(rows.size()));
    if (dK == nullptr) {
      Law law = base;
      set(law, [&](int i) { return values[i]; });
      stiffness_of_rows(law, harmonic, rows, [&](std::size_t r, const Complex<double>& one) {
        K[static_cast<Eigen::Index>(r)] = {one.re, one.im};
      });
      return;
    }
    using J = Jet<width>;
    auto law = base.template cast<J>();
    set(law, [&](int i) { return by_logarithm<width>(values, i); });
    stiffness_of_rows(law, harmonic, rows, [&](std::size_t r, const Complex<J>& one) {
      const auto at = static_cast<Eigen::Index>(r);
      K[at] = {one.re.a, one.im.a};
      for (Eigen::Index p = 0; p < values.size(); ++p) (*dK)(at, p) = {one.re.v[p], one.im.v[p]};
    });
  };
}

// Force of a law along a record, from rest at its first displacement.
template <class Law, class Put>
void run_record(const Law& law, const FitRecord& record, Put&& put) {
  using T = typename Law::Scalar;
  constexpr std::size_t room = Law::state_count > 0 ? Law::state_count : 1;
  std::array<T, room> x, rate;
  x.fill(T(0.0));
  auto memory = law.start(T(record.displacement.front()));
  Motion<T> from{T(record.displacement.front()), T(record.velocity.front())};
  double h = 0.0;
  std::optional<typename Law::Step> step;
  std::size_t next = 0;
  for (std::size_t i = 0; i < record.time.size() && next < record.scored.size(); ++i) {
    T force;
    if (i == 0) {
      force = law.evaluate(from, x.data(), memory, rate.data());
    } else {
      const double length = record.time[i] - record.time[i - 1];
      // Time stamps are rounded in files: steps that agree to that rounding are one length.
      if (!step || std::abs(length - h) > 1e-6 * h) h = length, step = law.prepare_step(T(h));
      const Motion<T> to{T(record.displacement[i]), T(record.velocity[i])};
      force = law.advance(x.data(), memory, from, to, *step);
      from = to;
    }
    if (record.scored[next] == i) put(next++, force);
  }
}

template <int width, class Law, class Ready>
auto force_function(const Law& base, std::vector<std::string> names, Ready ready) {
  return [base, names = std::move(names), ready](const Eigen::VectorXd& values, const FitRecord& record,
                                                 Eigen::VectorXd& force, Eigen::MatrixXd* dF) {
    const auto set = [&](auto& law, auto&& make) {
      law.visit_parameters([&](const char* name, auto& member) {
        for (std::size_t i = 0; i < names.size(); ++i)
          if (names[i] == name) member = make(static_cast<int>(i));
      });
    };
    Law law = base;
    set(law, [&](int i) { return values[i]; });
    ready(law);
    force.resize(static_cast<Eigen::Index>(record.scored.size()));
    if (dF == nullptr) {
      run_record(law, record, [&](std::size_t i, double f) { force[static_cast<Eigen::Index>(i)] = f; });
      return;
    }
    auto dual = law.template cast<Jet<width>>();
    set(dual, [&](int i) { return by_logarithm<width>(values, i); });
    if constexpr (requires { dual.follow_parameters(); }) dual.follow_parameters();
    dF->resize(force.size(), values.size());
    run_record(dual, record, [&](std::size_t i, const Jet<width>& f) {
      const auto at = static_cast<Eigen::Index>(i);
      force[at] = f.a;
      for (Eigen::Index p = 0; p < values.size(); ++p) (*dF)(at, p) = f.v[p];
    });
  };
}

// Mount of the law with these values.
template <class Law, class Ready>
auto mount_function(const Law& base, std::vector<std::string> names, Ready ready) {
  return [base, names = std::move(names), ready](const Eigen::VectorXd& values) {
    Law law = base;
    law.visit_parameters([&](const char* name, double& member) {
      for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) member = values[static_cast<Eigen::Index>(i)];
    });
    ready(law);
    return make_mount(law);
  };
}

std::vector<std::string> names_of(const std::vector<LogParameter>& parameters) {
  std::vector<std::string> names;
  for (const LogParameter& p : parameters) names.push_back(p.name);
  return names;
}

template <class Law>
LawCandidate plain_candidate(const MapSizes& sizes) {
  const Law base;
  const auto starts = Law::first_guess(sizes);
  LawCandidate c{Law::model, Law::title, {}, {}, {}, {}};
  for (std::size_t i = 0; i < Law::members.size(); ++i) {
    const ParameterInfo& info = Law::parameters[i];
    LogParameter p = about(info.name, info.unit, info.meaning, starts[i]);
    p.lower = std::max(p.lower, info.lower > 0.0 ? info.lower : p.lower);
    p.upper = std::min(p.upper, info.upper);
    c.parameters.push_back(p);
  }
  const auto harmonic = [](const auto& law, double f, const auto& a) { return law.harmonic(two_pi * f, a); };
  static_assert(Law::members.size() <= 8);
  const auto ready = [](Law& law) { law.complete(); };
  c.stiffness = stiffness_function<8>(base, names_of(c.parameters), harmonic);
  c.force = force_function<8>(base, names_of(c.parameters), ready);
  c.mount = mount_function(base, names_of(c.parameters), ready);
  return c;
}

LawCandidate maxwell(const MapSizes& s, int branches) {
  Maxwell<double> base;
  base.bank.branches = branches;
  LawCandidate c{"maxwell", "Generalised Maxwell", {}, {}, {}, {}};
  c.parameters.push_back(about("static_stiffness", "N/m", "Static stiffness", 0.85 * s.k_low));
  const std::string digits = "12345678";
  const double fast = 0.5 / s.omega_high, slow = 3.0 / s.omega_low;
  for (int i = 0; i < branches; ++i) {
    const std::string n(1, digits[static_cast<std::size_t>(i)]);
    const double share = branches > 1 ? i / (branches - 1.0) : 0.5;
    c.parameters.push_back(
        about("stiffness_" + n, "N/m", "Stiffness of branch " + n, 0.3 * s.loss + 0.05 * s.k_low, 1e-6));
    // Its decade is the branch's own: branches that could pass each other would be the same law twice.
    c.parameters.push_back(about("relaxation_time_" + n, "s", "Relaxation time of branch " + n,
                                 fast * std::pow(slow / fast, share), 0.1, 10.0));
  }
  const auto harmonic = [](const auto& law, double f, const auto& a) { return law.harmonic(two_pi * f, a); };
  c.stiffness = stiffness_function<17>(base, names_of(c.parameters), harmonic);
  c.force = force_function<17>(base, names_of(c.parameters), [](Maxwell<double>&) {});
  c.mount = mount_function(base, names_of(c.parameters), [](Maxwell<double>&) {});
  return c;
}

LawCandidate elastomer(FrictionLaw friction, const std::vector<MapRow>& rows, const MapSizes& s) {
  Elastomer<double> base;
  base.law = friction;
  StiffnessMap map;
  map.rows = rows;
  std::vector<std::size_t> all(rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  start_from_map(map, all, std::vector<double>(rows.size(), 1.0), base);
  // Few rows, or a loss that no rubber has: the features mislead, and sizes alone are the better start.
  if (!(base.static_stiffness > 0.1 * s.k_low && base.static_stiffness < 2.0 * s.k_high)) {
    base.static_stiffness = 0.5 * s.k_low;
    base.rdl = 0.5 * s.loss / base.static_stiffness * s.amplitude;
    base.rho = 4.0 / s.amplitude;
    base.alpha = base.gamma * s.omega;
  }
  base.ymax = 20.0 * base.rdl;
  const bool masing = friction == FrictionLaw::masing;
  LawCandidate c{masing ? "elastomer_masing" : "elastomer_g4",
                 masing ? "Elastomer, Masing friction" : "Elastomer, g4 friction",
                 {},
                 {},
                 {},
                 {}};
  const auto add = [&](const char* name, double start, double down, double up) {
    for (const ParameterInfo& info : elastomer_parameters)
      if (std::string_view(info.name) == name)
        c.parameters.push_back(about(name, info.unit, info.meaning, start, down, up));
  };
  add("static_stiffness", base.static_stiffness, 1e-2, 1e2);
  add("alpha", base.alpha, 1e-4, 1e4);
  add("beta", std::max(base.beta, 1e-3), 1e-4, 1e4);
  add("gamma", base.gamma, 1e-4, 1e4);
  add("rdl", std::max(base.rdl, 1e-4 * s.amplitude), 1e-4, 1e4);
  add("rho", base.rho, 1e-3, 1e3);
  c.parameters.push_back(about("ymax", "m", "Friction: limit of the friction displacement", *base.ymax, 1e-3, 1e3));
  const auto harmonic = [](const auto& law, double f, const auto& a) { return harmonic_stiffness(law, f, a); };
  const auto ready = [](Elastomer<double>& one) { prepare(one, "compare"); };
  c.stiffness = stiffness_function<8>(base, names_of(c.parameters), harmonic);
  c.force = force_function<8>(base, names_of(c.parameters), ready);
  c.mount = mount_function(base, names_of(c.parameters), ready);
  return c;
}

// A law is compared when it can make a first guess of its parameters; a Maxwell mount does so for its number of
// branches.
template <class Law>
concept MakesGuess = requires(const MapSizes& sizes) {
  Law::first_guess(sizes);
};

template <class Law>
void take_if_named(const std::string& name, const MapSizes& sizes, std::optional<LawCandidate>& found) {
  if constexpr (MakesGuess<Law>)
    if (name == Law::model) found = plain_candidate<Law>(sizes);
}
template <class Law>
void add_compared(std::vector<std::string>& names) {
  if constexpr (MakesGuess<Law> || std::is_same_v<Law, Maxwell<double>>) names.emplace_back(Law::model);
}

}  // namespace

LawCandidate make_law_candidate(const std::string& law, const std::vector<MapRow>& rows, int maxwell_branches) {
  const MapSizes s = sizes_of(rows);
  if (law == "maxwell") return maxwell(s, maxwell_branches);
  if (law == "elastomer_masing") return elastomer(FrictionLaw::masing, rows, s);
  if (law == "elastomer_g4") return elastomer(FrictionLaw::g4, rows, s);
  std::optional<LawCandidate> found;
#define KDYN_COMPARED(Law) take_if_named<Law<double>>(law, s, found);
  KDYN_LAWS(KDYN_COMPARED)
#undef KDYN_COMPARED
  if (found) return *found;
  throw Error(ErrorCode::internal, "the law is none of compared_laws", law, "report this");
}

}  // namespace kdyn::inline identify

namespace kdyn::inline identify {

const std::vector<std::string>& compared_laws() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
#define KDYN_COMPARED(Law) identify::add_compared<Law<double>>(all);
    KDYN_LAWS(KDYN_COMPARED)
#undef KDYN_COMPARED
    all.insert(all.end(), {"elastomer_masing", "elastomer_g4"});
    return all;
  }();
  return names;
}

}  // namespace kdyn::inline identify
