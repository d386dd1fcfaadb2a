// SPDX-License-Identifier: Apache-2.0
// Strongly filled rubber: spring, filler network of springs and sliders, and relaxing links that the network holds.
//
//   [rivals E13]  F = k u + N + m sum_i g_i Q_i,   Q_i' = m v - Q_i/tau_i,   m^2 = r + (1 - r)/(1 + (N/(0.6 k_p x_c))^2)^2
//
// N is the force of the network  [rivals E11] with the memory of nested turning points  [element E6]: loops close,
// nothing drifts. The Q_i relax like the matter between filler clusters: the more the network is strained, the fewer
// links m carry them, so that stiffness and loss fall together with growing amplitude, as Kraus' curves do; the share r
// stays. m multiplies velocity and force alike, hence the law is passive whatever m does  [rivals E15]. Relaxation
// times are fixed, seven from 3 s to 0.1 ms: with g_i = g (tau_3/tau_i)^alpha stiffness and loss follow the weak power
// of frequency that rubber has; alpha = 0 is a loss that does not depend on frequency (0.2 Hz to 500 Hz; it falls
// outside).
//
// Units SI. Force is positive for positive displacement. The network starts from rest where the element is started.
// Where the logarithmic law of module elastomer is not enough: stiffness falling by a factor of three and more between
// small and large amplitudes, loss angles that peak between them. Not modelled: recovery after rest (thixotropy),
// lasting softening (Mullins), temperature. References: G. Kraus, J. Appl. Polym. Sci. Symp. 39 (1984) 75-92; W. D.
// Iwan, J. Appl. Mech. 33 (1966) 893-900.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "kdyn/element/masing_memory.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/rivals/payne_network.hpp"
#include "kdyn/rivals/relaxation_bank.hpp"

namespace kdyn::inline rivals {

template <class T>
struct Payne {
  using Scalar = T;
  template <class U>
  using Rebind = Payne<U>;
  static constexpr int state_count = 7;
  static constexpr const char* model = "payne";
  static constexpr const char* title = "Slider network with a Payne backbone";
  static constexpr std::array<SignalName, state_count> state_signals = {{
      {"q_1", "m", "Extension of the slowest link"},
      {"q_2", "m", "Extension of the second link"},
      {"q_3", "m", "Extension of the third link"},
      {"q_4", "m", "Extension of the fourth link"},
      {"q_5", "m", "Extension of the fifth link"},
      {"q_6", "m", "Extension of the sixth link"},
      {"q_7", "m", "Extension of the fastest link"},
  }};
  static constexpr double breaking_share =
      0.6;  // of k_p x_c: the network force at which a quarter of what can break still holds; suits Kraus' curves
  // Four per three decades: the ripple of their common loss is 1.3 % up and down.
  static constexpr std::array<double, state_count> relaxation_times = {3.0,   0.5334838,    0.09486833,   0.01687024,
                                                                       0.003, 0.0005334838, 0.00009486833};

  T static_stiffness{200e3};
  T payne_stiffness{400e3};
  T payne_displacement{2e-4};
  T onset_exponent{1.2};
  T tail_exponent{0.8};
  T link_stiffness{15e3};
  T frequency_exponent{0.1};
  T kept_share{0.3};

  static constexpr std::array<ParameterInfo, 8> parameters = {{
      {"static_stiffness", "N/m", 0.0, true, 1e12, "Stiffness of the spring, left at rest and at large amplitudes"},
      {"payne_stiffness", "N/m", 0.0, false, 1e12, "Stiffness k_p that the filler network adds at small amplitudes"},
      {"payne_displacement", "m", 0.0, true, 1e3, "Displacement x_c at which the filler network breaks down"},
      {"onset_exponent", "-", 0.1, false, 10.0,
       "Exponent p: how early the breakdown begins, small is early; 2m of Kraus"},
      {"tail_exponent", "-", 0.01, false, 1.0,
       "Exponent s: how fast the network's stiffness falls at large amplitudes; 1 has a largest force"},
      {"link_stiffness", "N/m", 0.0, false, 1e12,
       "Stiffness g of one relaxing link near 10 Hz; there are four in three decades of time"},
      {"frequency_exponent", "-", 0.0, false, 1.0,
       "Exponent alpha of the links' stiffness over frequency; 0: loss does not depend on frequency"},
      {"kept_share", "-", 0.0, false, 1.0, "Share r of the links that stays at large amplitudes"},
  }};
  static constexpr std::array members = {
      &Payne::static_stiffness, &Payne::payne_stiffness, &Payne::payne_displacement, &Payne::onset_exponent,
      &Payne::tail_exponent,    &Payne::link_stiffness,  &Payne::frequency_exponent, &Payne::kept_share};

  struct Memory {
    MasingMemory<T> network;
  };
  template <class F>
  static void visit_memory(Memory& memory, F&& f) {
    memory.network.visit(f);
  }
  template <class U>
  static typename Payne<U>::Memory cast_memory(const Memory& memory) {
    return {memory.network.template cast<U>()};
  }

  template <class Archive>
  static void archive_memory(Memory& memory, Archive& archive) {
    memory.network.archive(archive);
  }
  static void reserve(Memory& memory, std::size_t points) { memory.network.reserve(points); }

  // All of it is in the parameters (element/archive.hpp).
  template <class Archive>
  void settings(Archive&) {}
  void complete() {}
  static const ParameterInfo* find_parameter(const char* name) { return parameter_named(parameters, name); }
  static std::array<double, 8> first_guess(const MapSizes& s) {
    return {0.7 * s.k_low, 0.8 * s.spread(), s.amplitude, 1.0, 0.8, 0.5 * s.loss, 0.05, 0.3};
  }
  static constexpr std::array<SignalName, 1> output_signals = {{{"network_force", "N", "Force of the filler network"}}};
  std::array<T, 1> outputs(const Motion<T>& at, const T*, const Memory& memory) const {
    return {memory.network.peek(network(), at.u)};
  }
  static constexpr std::array<SignalName, 1> turning_signals = {
      {{"turning", "m/s", "Zero where the network turns round"}}};
  std::array<T, 1> turning(const Motion<T>& at, const T*, const Memory&) const { return {at.v}; }

  using Bank = RelaxationBank<T, state_count>;
  Bank bank() const {
    using std::exp;
    Bank links;
    links.branches = state_count;
    const T ratio = exp(frequency_exponent * 1.7269388197455342);  // ln 10^(3/4), one step of the times
    T g = link_stiffness / (ratio * ratio * ratio);
    for (std::size_t i = 0; i < relaxation_times.size(); ++i) {
      links.relaxation_time[i] = T(relaxation_times[i]);
      links.stiffness[i] = g;
      g *= ratio;
    }
    return links;
  }
  PayneNetwork<T> network() const { return {payne_stiffness, payne_displacement, onset_exponent, tail_exponent}; }
  // m at a network force, with its derivatives: with q = N/(0.6 k_p x_c), h = (1 + q^2)^-2
  //   2 m dm = (1 - h) dr + (1 - r) dh,   dh = -4 q (1 + q^2)^-3 dq,   dq = q (dN/N - dk_p/k_p - dx_c/x_c)
  T links(const T& force) const {
    const double k = value_of(payne_stiffness), xc = value_of(payne_displacement), r = value_of(kept_share);
    if (!(k > 0.0)) return T(1.0);
    const double limit = breaking_share * k * xc, q = value_of(force) / limit, broken = 1.0 + q * q,
                 h = 1.0 / (broken * broken), m = std::sqrt(r + (1.0 - r) * h);
    if (!(m > 0.0)) return T(0.0);
    const double by_q = -2.0 * (1.0 - r) * q * h / (broken * m);
    const double slope[4] = {by_q / limit, -by_q * q / k, -by_q * q / xc, (1.0 - h) / (2.0 * m)};
    const T* of[4] = {&force, &payne_stiffness, &payne_displacement, &kept_share};
    return by_parts(m, slope, of, 4);
  }

  Memory start(const T& u) const { return {MasingMemory<T>(u)}; }
  T static_force(const T& u) const { return static_stiffness * u; }

  // [rivals E13]
  T evaluate(const Motion<T>& at, const T* q, const Memory& memory, T* rate) const {
    const T force = memory.network.peek(network(), at.u), m = links(force);
    return static_stiffness * at.u + force + m * bank().evaluate(T(m * at.v), q, rate);
  }

  // Turning points inside the step are located first  [element E2].
  void commit(Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& h) const {
    const StepVelocity<T> velocity(from, to, h);
    int count = 0;
    const auto roots = velocity.turning(count);
    for (int i = 0; i < count; ++i)
      memory.network.commit(network(), T(from.u + h * velocity.travelled(roots[static_cast<std::size_t>(i)])));
    memory.network.commit(network(), to.u);
  }

  struct Step {
    T h{0.0};
    Bank bank;
    typename Bank::Step whole;
  };
  Step prepare_step(const T& h) const {
    const Bank links = bank();
    return {h, links, links.prepare_step(h)};
  }
  // The network is exact along the step's path; m v is taken for a parabola between the places where it has a kink:
  // turning points and ends of branches.
  T advance(T* q, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    const StepVelocity<T> velocity(from, to, step.h);
    Walk walk{*this, memory.network, velocity, from, to, step, q};
    int count = 0;
    const auto roots = velocity.turning(count);
    for (int i = 0; i < count; ++i) walk.go_to(roots[static_cast<std::size_t>(i)]);
    walk.go_to(1.0);
    const T& force = memory.network.last().y;
    T relaxing(0.0);
    for (std::size_t i = 0; i < relaxation_times.size(); ++i) relaxing += step.bank.stiffness[i] * q[i];
    return static_stiffness * to.u + force + links(force) * relaxing;
  }

  bool has_stored_energy() const { return true; }
  T stored_energy(const T& u, const T* q, const Memory& memory) const {
    return 0.5 * static_stiffness * u * u + memory.network.stored_energy(network()) + bank().stored_energy(q);
  }

  // [rivals E17] What a steady sine of amplitude a makes of network and links, whatever its frequency: first harmonic of
  // the network's force, and with the odd harmonics s_n of m sin(phi) and c_n of -m cos(phi) the products |s_n|^2 and
  // s_n conj(c_n).
  struct AmplitudePart {
    Complex<T> network{T(0.0), T(0.0)};
    std::vector<T> power;
    std::vector<Complex<T>> cross;
    int harmonics() const { return static_cast<int>(power.size()); }
  };
  AmplitudePart amplitude_part(const T& a) const {
    const int panels = panels_of_branch(a), half = panels / 2, count = panels / 8;
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    std::vector<double> cosine(at(panels)), sine(at(panels));  // of 2 pi i/panels
    for (int i = 0; i < panels; ++i) {
      cosine[at(i)] = std::cos(2.0 * constants::pi * i / panels);
      sine[at(i)] = std::sin(2.0 * constants::pi * i / panels);
    }
    const PayneNetwork<T> backbone = network();
    const T tip = backbone.value(a), share = 2.0 / (static_cast<double>(panels) * a);
    AmplitudePart part;
    std::vector<T> sum(at(half + 1)), difference(at(half + 1));  // of m at phi and at pi - phi
    for (int i = 0; i <= half; ++i) {
      const double phi = constants::pi * i / panels, c = std::cos(phi), s = std::sin(phi);
      const T rising = i > 0 ? T(2.0 * backbone.value(T(0.5 * (1.0 - c) * a)) - tip) : T(-tip);
      const T end = i > 0 ? T(2.0 * backbone.value(T(0.5 * (1.0 + c) * a)) - tip) : tip;
      const double weight = i == 0 || i == half ? 0.5 : 1.0;  // of the end, and of the middle that both sides share
      part.network.re += (weight * c) * (end - rising);
      part.network.im += (weight * s) * (end + rising);
      const T m0 = links(rising), m1 = links(end);
      sum[at(i)] = weight * (m0 + m1);
      difference[at(i)] = m0 - m1;
    }
    part.network = {T(share * part.network.re), T(share * part.network.im)};
    // Even harmonics of m, then their neighbours' sums and differences.
    const auto even = [&](int j) {
      Complex<T> m{sum[0], T(0.0)};
      for (int i = 1, k = j; i <= half; ++i, k += j) {
        if (k >= panels) k -= panels;
        m.re += cosine[at(k)] * sum[at(i)];
        if (i < half) m.im += sine[at(k)] * difference[at(i)];
      }
      return Complex<T>{T((1.0 / panels) * m.re), T((1.0 / panels) * m.im)};
    };
    Complex<T> below = even(0);
    for (int n = 0; n < count; ++n) {
      const Complex<T> above = even(n + 1);
      const Complex<T> s{T(above.im - below.im), T(above.re - below.re)},
          c{T(-above.re - below.re), T(above.im + below.im)};
      part.power.push_back(s.re * s.re + s.im * s.im);
      part.cross.push_back({T(s.re * c.re + s.im * c.im), T(s.im * c.re - s.re * c.im)});
      below = above;
    }
    return part;
  }
  // [rivals E17] What frequency makes of the links, whatever the amplitude: R_n of the odd harmonics.
  std::vector<Complex<T>> frequency_part(double omega, int harmonics) const {
    const Bank bank = this->bank();
    std::vector<Complex<T>> out;
    for (int n = 0; n < harmonics; ++n) {
      const double order = 2.0 * n + 1.0;
      Complex<T> R{T(0.0), T(0.0)};
      for (std::size_t i = 0; i < relaxation_times.size(); ++i) {
        const double rate = 1.0 / (omega * relaxation_times[i]), size = 1.0 / (rate * rate + order * order);
        R.re += (rate * size) * bank.stiffness[i];
        R.im -= (order * size) * bank.stiffness[i];
      }
      out.push_back(R);
    }
    return out;
  }
  Complex<T> harmonic(const std::vector<Complex<T>>& by_frequency, const AmplitudePart& by_amplitude) const {
    Complex<T> K{T(static_stiffness + by_amplitude.network.re), by_amplitude.network.im};
    for (std::size_t n = 0; n < by_amplitude.power.size(); ++n) {
      const Complex<T>&R = by_frequency[n], &cross = by_amplitude.cross[n];
      K.re += cross.re * R.re - cross.im * R.im;
      K.im += by_amplitude.power[n] * R.re;
    }
    return K;
  }
  // [rivals E17] First harmonic of a steady sine.
  Complex<T> harmonic(double omega, const T& a) const {
    const AmplitudePart part = amplitude_part(a);
    return harmonic(frequency_part(omega, part.harmonics()), part);
  }
  // Half of the force range of the same loop.
  T half_range(double omega, const T& a) const {
    const SteadyBranch branch(*this, omega, a);
    const auto force = [&](int i) {
      return T(branch.force[static_cast<std::size_t>(i)] - std::cos(branch.angle(i)) * static_stiffness * a);
    };
    int most = 0;
    for (int i = 1; i <= branch.panels; ++i)
      if (value_of(force(i)) > value_of(force(most))) most = i;
    // The parabola through three points has its top among them, also between the last two.
    const int middle = std::min(std::max(most, 1), branch.panels - 1);
    const T centre = force(middle), rise = 0.5 * (force(middle + 1) - force(middle - 1)),
            bend = 2.0 * centre - force(middle + 1) - force(middle - 1);
    return std::abs(value_of(rise)) < value_of(bend) ? T(centre + 0.5 * rise * rise / bend) : force(most);
  }

  template <class F>
  void visit_parameters(F&& f) {
    for (std::size_t i = 0; i < members.size(); ++i) f(parameters[i].name, this->*members[i]);
  }
  template <class U>
  Payne<U> cast() const {
    return cast_members<Payne<U>>(*this);
  }

 private:
  // The branch bends within an angle of about sqrt(x_c/a). Always even.
  int panels_of_branch(const T& a) const {
    return 64 + 2 * static_cast<int>(std::min(500.0, 12.0 * std::sqrt(value_of(a) / value_of(payne_displacement))));
  }

  // [rivals E16] The rising branch u = -a cos(phi) of a steady sine, phi in (0, pi) in equal panels: network and links
  // together at their ends. The Q_i follow panel by panel, exact for a parabola of m sin(phi), and are closed by Q(pi)
  // = -Q(0).
  struct SteadyBranch {
    static constexpr double pi = constants::pi;
    int panels;
    std::vector<T> force;

    double angle(int i) const { return pi * i / panels; }

    SteadyBranch(const Payne& law, double omega, const T& a) {
      panels = law.panels_of_branch(a);
      const PayneNetwork<T> backbone = law.network();
      const T tip = backbone.value(a);
      const auto count = static_cast<std::size_t>(panels);
      std::vector<T> m(2 * count + 1), relaxing(count + 1, T(0.0)), q(count + 1);
      std::vector<StepVelocity<T>> flow;
      const double width = pi / panels;
      for (std::size_t i = 0; i <= 2 * count; ++i) {
        const T network =
            i < 2 * count
                ? T(2.0 * backbone.value(T(0.5 * (1.0 - std::cos(0.5 * width * static_cast<double>(i))) * a)) - tip)
                : tip;
        m[i] = law.links(network);
        if (i % 2 == 0) force.push_back(network);
      }
      for (std::size_t i = 0; i < count; ++i) {
        const auto w = [&](std::size_t at) { return T((std::sin(0.5 * width * static_cast<double>(at)) * a) * m[at]); };
        const T w0 = w(2 * i), w1 = w(2 * i + 2);
        flow.emplace_back(Motion<T>{T(0.0), w0}, Motion<T>{T(width / 6.0 * (w0 + 4.0 * w(2 * i + 1) + w1)), w1},
                          T(width));
      }
      const Bank bank = law.bank();
      for (std::size_t branch = 0; branch < relaxation_times.size(); ++branch) {
        const RelaxationStep<T> step(T(1.0 / (omega * relaxation_times[branch])), T(width));
        q[0] = T(0.0);
        double decay = 1.0;  // of the angle and fixed times: no derivative
        for (std::size_t i = 0; i < count; ++i) {
          q[i + 1] = step.advance(q[i], flow[i]);
          decay *= value_of(step.keep);
        }
        T own = -q[count] / (1.0 + decay);
        for (std::size_t i = 0; i <= count; ++i) {
          relaxing[i] += bank.stiffness[branch] * (q[i] + own);
          own *= step.keep;
        }
      }
      for (std::size_t i = 0; i <= count; ++i) force[i] += m[2 * i] * relaxing[i];
    }
  };

  // Along the path of one step, monotone piece by monotone piece.
  struct Walk {
    const Payne& law;
    MasingMemory<T>& memory;
    const StepVelocity<T>& velocity;
    const Motion<T>& from;
    const Motion<T>& to;
    const Step& step;
    T* q;
    double s = 0.0;

    T place(double at) const { return at < 1.0 ? T(from.u + step.h * velocity.travelled(at)) : to.u; }
    T speed(double at) const { return at < 1.0 ? T(velocity.c0 + at * (velocity.c1 + at * velocity.c2)) : to.v; }

    // To the end of a monotone piece.
    void go_to(double end) {
      const double target = value_of(place(end));
      const int direction = target > value_of(memory.last().u) ? 1 : -1;
      while (const std::optional<double> kink = memory.branch_end(direction)) {
        if (!(direction * (*kink - value_of(memory.last().u)) > 0.0 && direction * (target - *kink) > 0.0)) break;
        const double at = find(*kink, end, direction);
        if (!(at > s + 1e-9 && at < end)) break;
        piece(at);
      }
      piece(end);
    }
    void piece(double end) {
      const double length = end - s, middle = s + 0.5 * length;
      const PayneNetwork<T> backbone = law.network();
      const T w0 = law.links(memory.last().y) * speed(s),
              wm = law.links(memory.peek(backbone, place(middle))) * speed(middle);
      const T w1 = law.links(memory.commit(backbone, place(end))) * speed(end);
      if (length > 0.0) {
        const T h = length * step.h;
        const StepVelocity<T> parabola({T(0.0), w0}, {T(h / 6.0 * (w0 + 4.0 * wm + w1)), w1}, h);
        step.bank.advance(q, parabola, length == 1.0 ? step.whole : step.bank.prepare_step(h));
      }
      s = end;
    }
    // Where the path passes u between s and end, by bisection.
    double find(double u, double end, int direction) const {
      double lower = s, upper = end;
      for (int i = 0; i < 60 && upper - lower > 1e-14; ++i) {
        const double middle = 0.5 * (lower + upper);
        (direction * (value_of(place(middle)) - u) < 0.0 ? lower : upper) = middle;
      }
      return upper;
    }
  };
};

}  // namespace kdyn::inline rivals
