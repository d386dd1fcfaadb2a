// SPDX-License-Identifier: Apache-2.0
// Strongly filled rubber: spring, filler network of springs and sliders, and two relaxing parts, one of which the network holds.
//
//   [rivals E13]  F = k u + N + m g_n Q + g_r q,   Q' = m v - Q/tau_n,   q' = v - q/tau_r,   m = 1/sqrt(1 + (N/(0.4 k_p x_c))^2)
//
// N is the force of the network  [rivals E11] with the memory of nested turning points  [element E6]: loops close, nothing drifts. Q relaxes like
// the matter between filler clusters: the more the network is strained, the fewer links m carry it, so that stiffness and loss
// angle fall together with growing amplitude, as Kraus' curves do. q belongs to the rubber between and knows no amplitude. m
// multiplies velocity and force alike, hence the law is passive whatever m does  [rivals E15].
//
// Units SI. Force is positive for positive displacement. The network starts from rest where the element is started.
// Where the logarithmic law of module elastomer is not enough: stiffness falling by a factor of three and more between small and large amplitudes,
// loss angles that peak between them. Not modelled: recovery after rest (thixotropy), lasting softening (Mullins), temperature.
// References: G. Kraus, J. Appl. Polym. Sci. Symp. 39 (1984) 75-92; W. D. Iwan, J. Appl. Mech. 33 (1966) 893-900.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "kdyn/element/masing_memory.hpp"
#include "kdyn/element/parameter.hpp"
#include "kdyn/element/relaxation.hpp"
#include "kdyn/rivals/payne_network.hpp"

namespace kdyn {

template <class T>
struct Payne {
  using Scalar = T;
  template <class U>
  using Rebind = Payne<U>;
  static constexpr int state_count = 2;
  enum State { network_q, rubber_q };
  static constexpr const char* model = "payne";
  static constexpr const char* title = "Slider network with a Payne backbone";
  static constexpr std::array<SignalName, 2> state_signals = {
      {{"network_q", "m", "Extension of the relaxing part that the network holds"}, {"rubber_q", "m", "Extension of the rubber's relaxing part"}}};
  static constexpr double breaking_share = 0.4;  // of k_p x_c: the network force at which m^2 = 1/2; suits Kraus' curves

  T static_stiffness{200e3};
  T payne_stiffness{400e3};
  T payne_displacement{2e-4};
  T onset_exponent{1.2};
  T tail_exponent{0.8};
  T network_viscous_stiffness{60e3};
  T network_relaxation_time{4e-3};
  T rubber_viscous_stiffness{20e3};
  T rubber_relaxation_time{2e-3};

  static constexpr std::array<ParameterInfo, 9> parameters = {{
      {"static_stiffness", "N/m", 0.0, true, 1e12, "Stiffness of the spring, left at large amplitudes"},
      {"payne_stiffness", "N/m", 0.0, false, 1e12, "Stiffness k_p that the filler network adds at small amplitudes"},
      {"payne_displacement", "m", 0.0, true, 1e3, "Displacement x_c at which the filler network breaks down"},
      {"onset_exponent", "-", 0.1, false, 10.0, "Exponent p: how early the breakdown begins, small is early; 2m of Kraus"},
      {"tail_exponent", "-", 0.01, false, 1.0, "Exponent s: how fast the network's stiffness falls at large amplitudes; 1 has a largest force"},
      {"network_viscous_stiffness", "N/m", 0.0, false, 1e12, "Stiffness of the relaxing part that breaks down with the network"},
      {"network_relaxation_time", "s", 0.0, true, 1e6, "Relaxation time of the part that breaks down with the network"},
      {"rubber_viscous_stiffness", "N/m", 0.0, false, 1e12, "Stiffness of the relaxing part that keeps at all amplitudes"},
      {"rubber_relaxation_time", "s", 0.0, true, 1e6, "Relaxation time of the part that keeps at all amplitudes"},
  }};
  static constexpr std::array members = {
      &Payne::static_stiffness,      &Payne::payne_stiffness,           &Payne::payne_displacement,      &Payne::onset_exponent,
      &Payne::tail_exponent,         &Payne::network_viscous_stiffness, &Payne::network_relaxation_time, &Payne::rubber_viscous_stiffness,
      &Payne::rubber_relaxation_time};

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
  static const ParameterInfo* find_parameter(const char* name) { return kdyn::find_parameter(parameters, name); }
  static std::array<double, 9> first_guess(const MapSizes& s) {
    return {0.7 * s.k_low, 1.5 * s.spread(), s.amplitude, 1.2, 0.7, 0.5 * s.loss, 1.0 / s.omega, 0.5 * s.loss, 1.0 / s.omega};
  }
  static constexpr std::array<SignalName, 1> output_signals = {{{"network_force", "N", "Force of the filler network"}}};
  std::array<T, 1> outputs(const Motion<T>& at, const T*, const Memory& memory) const { return {memory.network.peek(network(), at.u)}; }
  static constexpr std::array<SignalName, 1> turning_signals = {{{"turning", "m/s", "Zero where the network turns round"}}};
  std::array<T, 1> turning(const Motion<T>& at, const T*, const Memory&) const { return {at.v}; }

  PayneNetwork<T> network() const { return {payne_stiffness, payne_displacement, onset_exponent, tail_exponent}; }
  // Share m of the links that hold at a network force.
  T links(const T& force) const {
    using std::sqrt;
    if (!(value_of(payne_stiffness) > 0.0)) return T(1.0);
    const T strain = force / (breaking_share * payne_stiffness * payne_displacement);
    return 1.0 / sqrt(1.0 + strain * strain);
  }

  Memory start(const T& u) const { return {MasingMemory<T>(u)}; }
  T static_force(const T& u) const { return static_stiffness * u; }

  // [rivals E13]
  T evaluate(const Motion<T>& at, const T* x, const Memory& memory, T* rate) const {
    const T force = memory.network.peek(network(), at.u), m = links(force);
    rate[network_q] = m * at.v - x[network_q] / network_relaxation_time;
    rate[rubber_q] = at.v - x[rubber_q] / rubber_relaxation_time;
    return total(at.u, force, m, x);
  }

  // Turning points inside the step are located first  [element E2].
  void commit(Memory& memory, const Motion<T>& from, const Motion<T>& to, const T& h) const {
    const StepVelocity<T> velocity(from, to, h);
    int count = 0;
    const auto roots = velocity.turning(count);
    for (int i = 0; i < count; ++i) memory.network.commit(network(), T(from.u + h * velocity.travelled(roots[static_cast<std::size_t>(i)])));
    memory.network.commit(network(), to.u);
  }

  struct Step {
    T h{0.0};
    RelaxationStep<T> network, rubber;
  };
  Step prepare_step(const T& h) const {
    return {h, RelaxationStep<T>(1.0 / network_relaxation_time, h), RelaxationStep<T>(1.0 / rubber_relaxation_time, h)};
  }
  // The network is exact along the step's path, the rubber's part for its velocity polynomial; m v is taken for a parabola between the
  // places where it has a kink: turning points and ends of branches.
  T advance(T* x, Memory& memory, const Motion<T>& from, const Motion<T>& to, const Step& step) const {
    const StepVelocity<T> velocity(from, to, step.h);
    Walk walk{*this, memory.network, velocity, from, to, step};
    int count = 0;
    const auto roots = velocity.turning(count);
    for (int i = 0; i < count; ++i) walk.go_to(roots[static_cast<std::size_t>(i)], x[network_q]);
    walk.go_to(1.0, x[network_q]);
    x[rubber_q] = step.rubber.advance(x[rubber_q], velocity);
    const T& force = memory.network.last().y;
    return total(to.u, force, links(force), x);
  }

  bool has_stored_energy() const { return true; }
  T stored_energy(const T& u, const T* x, const Memory& memory) const {
    return 0.5 * static_stiffness * u * u + memory.network.stored_energy(network()) +
           0.5 * (network_viscous_stiffness * x[network_q] * x[network_q] + rubber_viscous_stiffness * x[rubber_q] * x[rubber_q]);
  }

  // [rivals E16] First harmonic of a steady sine.
  Complex<T> harmonic(double omega, const T& a) const {
    const SteadyBranch branch(*this, omega, a);
    Complex<T> K = rubber_stiffness(omega);
    K.re += static_stiffness;
    for (int i = 0; i <= branch.panels; ++i) {
      const double phi = branch.angle(i), weight = (i == 0 || i == branch.panels ? 1.0 : 2.0) / branch.panels;
      K.re += (-weight * std::cos(phi)) * branch.force(*this, i) / a;
      K.im += (weight * std::sin(phi)) * branch.force(*this, i) / a;
    }
    return K;
  }
  // Half of the force range of the same loop.
  T half_range(double omega, const T& a) const {
    const SteadyBranch branch(*this, omega, a);
    const Complex<T> rubber = rubber_stiffness(omega);
    const auto force = [&](int i) {
      const double phi = branch.angle(i);
      return T(branch.force(*this, i) + a * (std::sin(phi) * rubber.im - std::cos(phi) * (static_stiffness + rubber.re)));
    };
    int most = 0;
    for (int i = 1; i <= branch.panels; ++i)
      if (value_of(force(i)) > value_of(force(most))) most = i;
    const T peak = force(most);
    if (most == 0 || most == branch.panels) return peak;
    // The parabola through the highest point and its neighbours.
    const T rise = 0.5 * (force(most + 1) - force(most - 1)), bend = 2.0 * peak - force(most + 1) - force(most - 1);
    return value_of(bend) > 0.0 ? T(peak + 0.5 * rise * rise / bend) : peak;
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
  static constexpr double pi = 3.14159265358979323846;

  T total(const T& u, const T& force, const T& m, const T* x) const {
    return static_stiffness * u + force + m * network_viscous_stiffness * x[network_q] + rubber_viscous_stiffness * x[rubber_q];
  }

  Complex<T> rubber_stiffness(double omega) const {
    const T x = omega * rubber_relaxation_time, share = rubber_viscous_stiffness * x / (1.0 + x * x);
    return {share * x, share};
  }

  // [rivals E16] The rising branch u = -a cos(phi) of a steady sine, phi in (0, pi) in equal panels: network force, links and Q at their ends.
  // Q follows panel by panel, exact for a parabola of m sin(phi), and is closed by Q(pi) = -Q(0).
  struct SteadyBranch {
    int panels;
    std::vector<T> network, links, q;

    double angle(int i) const { return pi * i / panels; }
    T force(const Payne& law, int i) const {
      const auto at = static_cast<std::size_t>(i);
      return network[at] + law.network_viscous_stiffness * links[at] * q[at];
    }

    SteadyBranch(const Payne& law, double omega, const T& a) {
      // The branch bends within an angle of about sqrt(x_c/a).
      panels = 64 + static_cast<int>(std::min(1000.0, 24.0 * std::sqrt(value_of(a) / value_of(law.payne_displacement))));
      const PayneNetwork<T> backbone = law.network();
      const T tip = backbone.value(a);
      const auto force_at = [&](double phi) { return T(2.0 * backbone.value(T(0.5 * (1.0 - std::cos(phi)) * a)) - tip); };
      for (int i = 0; i <= panels; ++i) {
        network.push_back(i < panels ? force_at(angle(i)) : tip);
        links.push_back(law.links(network.back()));
      }
      const double width = pi / panels;
      const RelaxationStep<T> step(1.0 / (omega * law.network_relaxation_time), T(width));
      q.push_back(T(0.0));
      T free(1.0);
      std::vector<T> decay{free};
      for (int i = 0; i < panels; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const double middle = angle(i) + 0.5 * width;
        const T w0 = (std::sin(angle(i)) * a) * links[at], w1 = (std::sin(angle(i + 1)) * a) * links[at + 1];
        const T wm = (std::sin(middle) * a) * law.links(force_at(middle));
        q.push_back(step.advance(q.back(), StepVelocity<T>({T(0.0), w0}, {T(width / 6.0 * (w0 + 4.0 * wm + w1)), w1}, T(width))));
        free *= step.keep;
        decay.push_back(free);
      }
      const T start = -q.back() / (1.0 + free);
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += start * decay[i];
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
    double s = 0.0;

    T place(double at) const { return at < 1.0 ? T(from.u + step.h * velocity.travelled(at)) : to.u; }
    T speed(double at) const { return at < 1.0 ? T(velocity.c0 + at * (velocity.c1 + at * velocity.c2)) : to.v; }

    // To the end of a monotone piece; q is the state of the network's relaxing part.
    void go_to(double end, T& q) {
      const double target = value_of(place(end));
      const int direction = target > value_of(memory.last().u) ? 1 : -1;
      while (const std::optional<double> kink = memory.branch_end(direction)) {
        if (!(direction * (*kink - value_of(memory.last().u)) > 0.0 && direction * (target - *kink) > 0.0)) break;
        const double at = find(*kink, end, direction);
        if (!(at > s + 1e-9 && at < end)) break;
        piece(at, q);
      }
      piece(end, q);
    }
    void piece(double end, T& q) {
      const double length = end - s, middle = s + 0.5 * length;
      const PayneNetwork<T> backbone = law.network();
      const T w0 = law.links(memory.last().y) * speed(s), wm = law.links(memory.peek(backbone, place(middle))) * speed(middle);
      const T w1 = law.links(memory.commit(backbone, place(end))) * speed(end);
      if (length > 0.0) {
        const T h = length * step.h;
        const StepVelocity<T> parabola({T(0.0), w0}, {T(h / 6.0 * (w0 + 4.0 * wm + w1)), w1}, h);
        q = length == 1.0 ? step.network.advance(q, parabola) : RelaxationStep<T>(1.0 / law.network_relaxation_time, h).advance(q, parabola);
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

}  // namespace kdyn
