// SPDX-License-Identifier: Apache-2.0
// The hydro mount in C99: [hydromount E1] to [hydromount E3] with power damping [hydromount E4], decoupler [hydromount E5], pressure limit
// [hydromount E7] and bypass [hydromount E8]; a step by Dormand-Prince pairs that end at the chamber's turning points [hydromount E11].
#include <fmt/format.h>

#include "kdyn/base/json.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/fmu/internal/c_laws.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"

namespace kdyn::internal {
namespace {

constexpr const char* code = R"(typedef struct {
  @P@_main_parameters main;
  @P@_chamber_parameters chamber;
@DECLARATIONS@
} @P@_parameters;

/* States: Kelvin-Voigt parts of main and chamber rubber, displacement of chamber fluid that has left, fluid velocity in the channel. */
typedef struct {
  @P@_parameters p;
  @P@_main_model main;
  @P@_chamber_model chamber;
  real u, v;           /* motion at the end of the last step */
  real x[4];
  real input[1];       /* coupling: 1 hydraulics work, 0 vented */
  real origin;         /* displacement at which the chamber was at rest */
  real chamber_factor; /* on the chamber's force, from the preload */
  real time;           /* since the start */
} @P@_model;

void @P@_default_parameters(@P@_parameters* p) {
  @P@_main_default_parameters(&p->main);
  @P@_chamber_default_parameters(&p->chamber);
@DEFAULTS@
}

real @P@_static_force(const @P@_parameters* p, real u) { return @P@_main_static_force(&p->main, u); }

@TABLES@
/* |v|^(n-1) v: always brakes. */
static real @P@_odd_power(real v, double n) {
  const double sign = value_of(v) < 0.0 ? -1.0 : 1.0;
  const real size = sign * v;
  if (n == 1.0) return v;
  if (value_of(v) == 0.0) return 0.0 * v;
  if (n == 2.0) return size * v;
  if (n == 3.0) return v * v * v;
  return sign * @F@_chain(size, pow(value_of(size), n), n * pow(value_of(size), n - 1.0));
}

static real @P@_fluid_friction(const @P@_parameters* p, real v) {
  return p->fluid_damping_linear * v + @POWER_DAMPING@ * @P@_odd_power(v, value_of(p->fluid_damping_exponent));
}

@DECOUPLER@
@LIMIT@
/* Pressure and motion of the chamber. */
typedef struct {
  real pressure, bypass, u2, u2_rate, chamber_u;
} @P@_chamber_state;

@BYPASS@
static @P@_chamber_state @P@_look(const @P@_model* m, real u, real v, const real* x, real* chamber_rate) {
  const @P@_parameters* p = &m->p;
  const real inflow = v - p->channel_area / p->chamber_area * x[3];
  @P@_chamber_state now;
  real slope;
  now.pressure = now.bypass = now.chamber_u = 0.0;
  now.u2 = u - m->origin - x[2];
  now.u2_rate = inflow;
  if (value_of(m->input[0]) <= 0.0) {
    @P@_chamber_evaluate(&m->chamber, 0.0, 0.0, x + 1, chamber_rate);
    return now;
  }
  now.chamber_u = @P@_decoupled(p, m->input[0], now.u2);
  slope = @P@_decoupler_slope(p, m->input[0], now.u2);
@PRESSURE@  return now;
}

/* Rates of chamber and fluid (1, 2 and 3). */
static @P@_chamber_state @P@_fluid_rates(const @P@_model* m, real u, real v, const real* x, real* rate) {
  const @P@_parameters* p = &m->p;
  const @P@_chamber_state now = @P@_look(m, u, v, x, rate + 1);
  rate[2] = v - now.u2_rate;
  rate[3] = (now.pressure * p->channel_area - @P@_fluid_friction(p, x[3])) / (p->fluid_density * p->channel_area * p->channel_length);
  return now;
}

static void @P@_commit_chamber(@P@_model* m, real u2) {
  if (value_of(m->input[0]) > 0.0) @P@_chamber_commit(&m->chamber, @P@_decoupled(&m->p, m->input[0], u2));
}

/* Clock, switch and venting at the end of an accepted step. */
static void @P@_finish(@P@_model* m, real u, real h) {
  m->time += h;
@SWITCH@  if (value_of(m->input[0]) > 0.0) return;
  m->origin = u - m->x[2];
  @P@_chamber_start(&m->chamber, &m->p.chamber, 0.0, 0.0);
}

void @P@_retune(@P@_model* m) {
  m->main.p = m->p.main;
  m->chamber.p = m->p.chamber;
  @P@_main_retune(&m->main);
  @P@_chamber_retune(&m->chamber);
}

void @P@_start(@P@_model* m, const @P@_parameters* p, real u, real v) {
  int i;
  m->p = *p;
  @P@_main_start(&m->main, &p->main, u, v);
  @P@_chamber_start(&m->chamber, &p->chamber, 0.0, 0.0);
  m->u = m->origin = u;
  m->v = v;
  for (i = 0; i < 4; ++i) m->x[i] = 0.0;
  m->input[0] = 1.0;
  m->chamber_factor = 1.0;
  m->time = 0.0;
@START@}

real @P@_evaluate(const @P@_model* m, real u, real v, const real* x, real* rate) {
  const real main = @P@_main_evaluate(&m->main, u, v, x, rate);
  return main + m->p.chamber_area * @P@_fluid_rates(m, u, v, x, rate).pressure;
}

real @P@_force(const @P@_model* m, real u, real v) {
  real rate[4];
  return @P@_evaluate(m, u, v, m->x, rate);
}

void @P@_accept(@P@_model* m, real u, real v, const real* x, real h) {
  real unused;
  int i;
  if (value_of(h) > 0.0) {
    const @P@_chamber_state begin = @P@_look(m, m->u, m->v, m->x, &unused), end = @P@_look(m, u, v, x, &unused);
    const @F@_path path = @F@_path_of(begin.u2, begin.u2_rate, end.u2, end.u2_rate, h);
    double s[2];
    const int n = @F@_turns(&path, s);
    @P@_main_accept(&m->main, u, v, x, h);
    for (i = 0; i < n; ++i) @P@_commit_chamber(m, begin.u2 + h * @F@_travelled(&path, s[i]));
    @P@_commit_chamber(m, end.u2);
  } else {
    @P@_main_accept(&m->main, u, v, x, h);
    @P@_commit_chamber(m, u - m->origin - x[2]);
  }
  m->u = u;
  m->v = v;
  for (i = 0; i < 4; ++i) m->x[i] = x[i];
  @P@_finish(m, u, h);
}

/* An inner step: the motion of the whole step, and what belongs to one end of the inner step (states, rates per unit of s, rate of u2). */
typedef struct {
  const @P@_model* m;
  @F@_path path;
  real h;
} @P@_stage;
typedef struct {
  real y[3], k[3], u2_rate;
} @P@_end;

static real @P@_stage_u(const @P@_stage* g, double s) { return g->m->u + g->h * @F@_travelled(&g->path, s); }
static real @P@_stage_u2(const @P@_stage* g, double s, const real* y) { return @P@_stage_u(g, s) - g->m->origin - y[1]; }

static real @P@_stage_rates(const @P@_stage* g, double s, const real* y, real* k) {
  const real v = g->path.c0 + s * (g->path.c1 + s * g->path.c2);
  real x[4], rate[4];
  @P@_chamber_state now;
  int i;
  x[0] = 0.0;
  for (i = 0; i < 3; ++i) x[i + 1] = y[i];
  now = @P@_fluid_rates(g->m, @P@_stage_u(g, s), v, x, rate);
  for (i = 0; i < 3; ++i) k[i] = g->h * rate[i + 1];
  return now.u2_rate;
}

/* Dormand and Prince 1980; returns the error over the tolerance. */
static double @P@_trial(const @P@_stage* g, double s, double step, const @P@_end* from, @P@_end* to) {
  const real *y = from->y, *k1 = from->k, *k7 = to->k;
  real k2[3], k3[3], k4[3], k5[3], k6[3], at[3];
  double worst = 0.0, least[3];
  const double stroke = fabs(value_of(@P@_stage_u(g, s + step)) - value_of(g->m->origin));
  int i;
  for (i = 0; i < 3; ++i) at[i] = y[i] + step * (1.0 / 5.0 * k1[i]);
  @P@_stage_rates(g, s + step / 5.0, at, k2);
  for (i = 0; i < 3; ++i) at[i] = y[i] + step * (3.0 / 40.0 * k1[i] + 9.0 / 40.0 * k2[i]);
  @P@_stage_rates(g, s + 0.3 * step, at, k3);
  for (i = 0; i < 3; ++i) at[i] = y[i] + step * (44.0 / 45.0 * k1[i] + -56.0 / 15.0 * k2[i] + 32.0 / 9.0 * k3[i]);
  @P@_stage_rates(g, s + 0.8 * step, at, k4);
  for (i = 0; i < 3; ++i)
    at[i] = y[i] + step * (19372.0 / 6561.0 * k1[i] + -25360.0 / 2187.0 * k2[i] + 64448.0 / 6561.0 * k3[i] + -212.0 / 729.0 * k4[i]);
  @P@_stage_rates(g, s + 8.0 / 9.0 * step, at, k5);
  for (i = 0; i < 3; ++i)
    at[i] = y[i] + step * (9017.0 / 3168.0 * k1[i] + -355.0 / 33.0 * k2[i] + 46732.0 / 5247.0 * k3[i] + 49.0 / 176.0 * k4[i] +
                           -5103.0 / 18656.0 * k5[i]);
  @P@_stage_rates(g, s + step, at, k6);
  for (i = 0; i < 3; ++i)
    to->y[i] = y[i] + step * (35.0 / 384.0 * k1[i] + 500.0 / 1113.0 * k3[i] + 125.0 / 192.0 * k4[i] + -2187.0 / 6784.0 * k5[i] + 11.0 / 84.0 * k6[i]);
  to->u2_rate = @P@_stage_rates(g, s + step, to->y, to->k);
  least[0] = 1e-12;
  least[1] = stroke > 1e-9 ? stroke : 1e-9;
  least[2] = 1e-7;
  for (i = 0; i < 3; ++i) {
    const double e = step * (71.0 / 57600.0 * value_of(k1[i]) - 71.0 / 16695.0 * value_of(k3[i]) + 71.0 / 1920.0 * value_of(k4[i]) -
                             17253.0 / 339200.0 * value_of(k5[i]) + 22.0 / 525.0 * value_of(k6[i]) - 1.0 / 40.0 * value_of(k7[i]));
    const double a = fabs(value_of(y[i])), b = fabs(value_of(to->y[i]));
    const double size = a > b ? (a > least[i] ? a : least[i]) : (b > least[i] ? b : least[i]);
    const double error = fabs(e) / (1e-9 * size);
    if (worst < error) worst = error;
  }
  return isfinite(worst) ? worst : INFINITY;
}

/* The inner step up to the first turning point of the chamber, if there is one. Returns its length. */
static double @P@_cut(const @P@_stage* g, double s, double step, const @P@_end* from, @P@_end* to) {
  const double nothing = 1e-6;
  const @F@_path path = @F@_path_of(value_of(@P@_stage_u2(g, s, from->y)), value_of(from->u2_rate), value_of(@P@_stage_u2(g, s + step, to->y)),
                                    value_of(to->u2_rate), step * value_of(g->h));
  double roots[2], at = 0.0, cut, slope;
  const int n = @F@_turns(&path, roots);
  int i;
  for (i = 0; i < n && at == 0.0; ++i)
    if (roots[i] > nothing && roots[i] < 1.0 - nothing) at = roots[i];
  if (at == 0.0) return step;
  cut = at * step;
  @P@_trial(g, s, cut, from, to);
  slope = (value_of(path.c1) + 2.0 * at * value_of(path.c2)) / step;
  if (slope != 0.0) {
    const double corrected = cut - value_of(to->u2_rate) / slope;
    if (corrected > nothing * step && corrected < step) {
      cut = corrected;
      @P@_trial(g, s, cut, from, to);
    }
  }
  return cut;
}

real @P@_advance(@P@_model* m, real u, real v, real h) {
  const @P@_chamber_parameters* rubber = &m->p.chamber;
  const int friction = value_of(rubber->rdl) > 0.0 && value_of(rubber->rho) > 0.0 && value_of(m->input[0]) > 0.0;
  const real main = @P@_main_advance(&m->main, u, v, h);
  double s = 0.0, step = 1.0;
  real unused, pressure;
  @P@_stage g;
  @P@_end from, to;
  int count, i;
  g.m = m;
  g.path = @F@_path_of(m->u, m->v, u, v, h);
  g.h = h;
  for (i = 0; i < 3; ++i) from.y[i] = m->x[i + 1];
  from.u2_rate = @P@_stage_rates(&g, 0.0, from.y, from.k);
  for (count = 0; s < 1.0 && count < 100000; ++count) {
    double error, taken;
    if (step > 1.0 - s || 1.0 - s - step < 1e-9) step = 1.0 - s;
    error = @P@_trial(&g, s, step, &from, &to);
    if (!(error <= 1.0) && !(step < 1e-7 || count + 1 == 100000)) {
      const double shrink = isfinite(error) ? 0.9 * pow(error, -0.2) : 0.1;
      step *= shrink > 0.1 ? shrink : 0.1;
      continue;
    }
    taken = friction ? @P@_cut(&g, s, step, &from, &to) : step;
    from = to;
    s = taken >= 1.0 - s ? 1.0 : s + taken;
    if (friction) @P@_commit_chamber(m, @P@_stage_u2(&g, s, from.y));
    if (taken == step) {
      const double grow = 0.9 * pow(error > 1e-6 ? error : 1e-6, -0.2);
      step *= grow < 5.0 ? grow : 5.0;
    }
  }
  m->x[0] = m->main.x[0];
  for (i = 0; i < 3; ++i) m->x[i + 1] = from.y[i];
  pressure = @P@_look(m, u, v, m->x, &unused).pressure;
  m->u = u;
  m->v = v;
  @P@_finish(m, u, h);
  return main + m->p.chamber_area * pressure;
}

/* Pressure, fluid velocity, chamber displacement, bypass flow. */
void @P@_inside(const @P@_model* m, real u, real v, const real* x, real* signals) {
  real unused;
  const @P@_chamber_state now = @P@_look(m, u, v, x, &unused);
  signals[0] = now.pressure;
  signals[1] = x[3];
  signals[2] = now.u2;
  signals[3] = now.bypass;
}

void @P@_turning(const @P@_model* m, real u, real v, const real* x, real* z) {
  real unused;
  z[0] = v;
  z[1] = @P@_look(m, u, v, x, &unused).u2_rate;
}
)";

constexpr const char* no_decoupler = R"(static real @P@_decoupler_slope(const @P@_parameters* p, real coupling, real u2) {
  (void)u2;
  return p->decoupler_gradient * coupling;
}
static real @P@_decoupled(const @P@_parameters* p, real coupling, real u2) { return p->decoupler_gradient * coupling * u2; }
)";

constexpr const char* decoupler_text = R"(/* Integral of tanh(t^2) from 0 to i/128, i = 25 .. 640; beyond it grows with slope 1. */
static const double @P@_integral_nodes[616] = {
@NODES@};

/* The integral at x: quintic between the nodes, value, slope and curvature known at both ends. */
static double @P@_integral(double x) {
  const double a = fabs(x), sign = x < 0.0 ? -1.0 : 1.0, h = 5.0 / 640.0;
  double w, s, x0, f0, rise, t0, t1, d0, d1, c0, c1;
  int i;
  if (a < 0.2) {
    const double q = a * a * a * a;
    return sign * a * a * a * (1.0 / 3.0 - q * (1.0 / 21.0 - q * (2.0 / 165.0 - q * (17.0 / 4725.0))));
  }
  if (a >= 5.0) return sign * (@P@_integral_nodes[615] + (a - 5.0));
  w = a * 128.0;
  i = w < 639.0 ? (int)floor(w) : 639;
  s = w - i;
  x0 = i * h;
  f0 = @P@_integral_nodes[i - 25];
  rise = @P@_integral_nodes[i - 24] - f0;
  t0 = tanh(x0 * x0);
  t1 = tanh((x0 + h) * (x0 + h));
  d0 = h * t0;
  d1 = h * t1;
  c0 = h * h * (2.0 * x0 * (1.0 - t0 * t0));
  c1 = h * h * (2.0 * (x0 + h) * (1.0 - t1 * t1));
  return sign * (f0 + s * (d0 + s * (0.5 * c0 + s * (10.0 * rise - 6.0 * d0 - 4.0 * d1 - 1.5 * c0 + 0.5 * c1 +
                                                     s * (-15.0 * rise + 8.0 * d0 + 7.0 * d1 + 1.5 * c0 - c1 +
                                                          s * (6.0 * rise - 3.0 * (d0 + d1) - 0.5 * (c0 - c1)))))));
}

/* Share of the chamber's displacement that reaches its rubber, and the rubber's displacement. */
static real @P@_decoupler_slope(const @P@_parameters* p, real coupling, real u2) {
  const real gradient = p->decoupler_gradient * coupling, x = gradient * u2 / p->decoupler_clearance;
  return gradient * (p->decoupler_residual_slope + (1.0 - p->decoupler_residual_slope) * r_tanh(x * x));
}
static real @P@_decoupled(const @P@_parameters* p, real coupling, real u2) {
  const real gradient = p->decoupler_gradient * coupling, x = gradient * u2 / p->decoupler_clearance;
  const double at = value_of(x);
  return gradient * p->decoupler_residual_slope * u2 +
         (1.0 - p->decoupler_residual_slope) * p->decoupler_clearance * @F@_chain(x, @P@_integral(at), tanh(at * at));
}
)";

constexpr const char* limit_text = R"(/* Pressure after the limit on the rebound side. */
static real @P@_limit(const @P@_parameters* p, real p0) {
  const real P = p->pressure_limit, e = p->pressure_limit_smoothing;
  return 0.5 * (p0 + P + r_sqrt((p0 + P) * (p0 + P) + e * e)) - 0.5 * (P + r_sqrt(P * P + e * e));
}
@LIMIT_SLOPE@)";

constexpr const char* limit_slope_text = R"(static real @P@_limit_slope(const @P@_parameters* p, real p0) {
  const real P = p->pressure_limit, e = p->pressure_limit_smoothing;
  return 0.5 * (1.0 + (p0 + P) / r_sqrt((p0 + P) * (p0 + P) + e * e));
}
)";

constexpr const char* bypass_text = R"(/* Volume flow through the bypass, an orifice that opens above the threshold, and its slope. */
static real @P@_bypass(const @P@_parameters* p, real pressure) {
  const double sign = value_of(pressure) < 0.0 ? -1.0 : 1.0;
  const real excess = sign * pressure - p->bypass_threshold, knee = 0.02 * p->bypass_threshold;
  if (!(value_of(excess) > 0.0)) return 0.0 * pressure;
  return sign * p->bypass_area * r_sqrt(2.0 / p->fluid_density) * excess / r_sqrt(r_sqrt(excess * excess + knee * knee));
}
static real @P@_bypass_slope(const @P@_parameters* p, real pressure) {
  const double sign = value_of(pressure) < 0.0 ? -1.0 : 1.0;
  const real excess = sign * pressure - p->bypass_threshold, knee = 0.02 * p->bypass_threshold, square = excess * excess + knee * knee;
  if (!(value_of(excess) > 0.0)) return 0.0 * pressure;
  return p->bypass_area * r_sqrt(2.0 / p->fluid_density) * (1.0 - 0.5 * excess * excess / square) / r_sqrt(r_sqrt(square));
}

/* Bypass flow and pressure depend on each other through the chamber's viscosity: one monotone equation, by Newton. */
static real @P@_solve_bypass(const @P@_model* m, real chamber_u, real slope, real inflow, const real* x, real* flow) {
  const @P@_parameters* p = &m->p;
  const @P@_chamber_parameters* e = &p->chamber;
  real unused;
  const real elastic = m->chamber_factor * @P@_chamber_evaluate(&m->chamber, chamber_u, 0.0, x + 1, &unused) / p->chamber_area;
  const real damper = m->chamber_factor * m->chamber.k * e->scale_freq * e->lambda * e->gamma * e->beta / (1.0 + e->beta);
  const real viscosity = damper * slope / p->chamber_area, closed = elastic + viscosity * inflow;
  double p0 = value_of(closed), steep = 1.0;
  real residual, exact;
  int i;
  for (i = 0; i < 50; ++i) {
    double change;
    residual = p0 - closed + viscosity * @P@_bypass(p, @LIMITED_P0@) / p->chamber_area;
    steep = value_of(1.0 + viscosity / p->chamber_area * @P@_bypass_slope(p, @LIMITED_P0@)@TIMES_LIMIT_SLOPE@);
    change = value_of(residual) / steep;
    p0 -= change;
    if (fabs(change) <= 1e-13 * (fabs(p0) + 1.0)) break;
  }
  residual = p0 - closed + viscosity * @P@_bypass(p, @LIMITED_P0@) / p->chamber_area;
  steep = value_of(1.0 + viscosity / p->chamber_area * @P@_bypass_slope(p, @LIMITED_P0@)@TIMES_LIMIT_SLOPE@);
  exact = p0 - residual / steep;
  *flow = @P@_bypass(p, @LIMITED_EXACT@);
  return @LIMITED_EXACT@;
}
)";

constexpr const char* pressure_closed =
    R"(  now.pressure = m->chamber_factor * @P@_chamber_evaluate(&m->chamber, now.chamber_u, slope * inflow, x + 1, chamber_rate) / p->chamber_area;
)";
constexpr const char* pressure_limited =
    R"(  now.pressure = @P@_limit(p, m->chamber_factor * @P@_chamber_evaluate(&m->chamber, now.chamber_u, slope * inflow, x + 1, chamber_rate) / p->chamber_area);
)";
constexpr const char* pressure_bypass = R"(  now.pressure = @P@_solve_bypass(m, now.chamber_u, slope, inflow, x, &now.bypass);
  now.u2_rate = inflow - now.bypass / p->chamber_area;
  @P@_chamber_evaluate(&m->chamber, now.chamber_u, slope * now.u2_rate, x + 1, chamber_rate);
)";

// The rubber's text under a longer prefix; its parameters as members of the mount's.
std::string rubber(const Json& model, const std::string& where, const std::string& part, CLaw& mount) {
  CLaw law = elastomer_c(model, where);
  fill(law.text, {{"P", "@P@_" + part}});
  for (CVariable p : law.parameters) {
    p.member = part + "." + p.name;
    p.name = part + "_rubber." + p.name;
    mount.parameters.push_back(std::move(p));
  }
  return law.text;
}

std::string table_text(const char* name, const Curve& points) {
  return points.empty() ? "" : fmt::format("static const double @P@_{}[{}][2] = {{{}}};\n", name, points.size(), c_rows(points));
}

}  // namespace

CLaw hydromount_c(const Json& model, const std::string& where) {
  const HydroMount<double> law = hydromount_from_json(model, where);
  const FieldTable& table = field_table<HydroMount<double>>();
  CLaw out;
  out.title = "Hydro mount";
  std::string rubbers = rubber(model["main_rubber"], where + ".main_rubber", "main", out) + "\n";
  rubbers += rubber(model["chamber_rubber"], where + ".chamber_rubber", "chamber", out) + "\n";
  const std::size_t own = out.parameters.size();
  const bool has_decoupler = law.decoupler_clearance.has_value(), has_limit = law.pressure_limit.has_value(), has_bypass = law.has_bypass();
  for (std::size_t i = 0; i < law.members.size(); ++i) {
    const std::string name = hydromount_parameters[i].name;
    if ((name == "decoupler_residual_slope" && !has_decoupler) || (name == "pressure_limit_smoothing" && !has_limit)) continue;
    out.parameters.push_back(parameter_of(table, name, law.*law.members[i]));
  }
  out.parameters.push_back(parameter_of(table, "fluid_damping_exponent", law.fluid_damping_exponent));
  for (std::size_t i = 0; i < law.optional_members.size(); ++i)
    if (const auto& value = law.*law.optional_members[i]) out.parameters.push_back(parameter_of(table, hydromount_optional_parameters[i], *value));
  out.states = {{"main_z", "m", "Displacement of the main rubber's Kelvin-Voigt part"},
                {"chamber_z", "m", "Displacement of the chamber rubber's Kelvin-Voigt part"},
                {"flow", "m", "Displacement of chamber fluid that has left through channel and bypass"},
                {"channel_velocity", "m/s", "Velocity of the fluid in the channel"}};
  for (const auto& signal : HydroMount<double>::output_signals) out.signals.push_back({signal.name, signal.unit, signal.meaning});
  if (law.switch_signal.empty()) {
    const auto& signal = HydroMount<double>::input_signals[0];
    out.inputs = {{signal.name, signal.unit, signal.meaning, 1.0, 0.0, 1.0}};
  }
  out.turning = {{"turning_main", "m/s", "Zero where the main rubber turns round"}, {"turning_chamber", "m/s", "Zero where the chamber turns round"}};
  out.helpers = {c_path, c_turns, c_travelled, c_relaxation, c_chain};
  if (!law.switch_signal.empty() || !law.chamber_preload_curve.empty()) out.helpers.push_back(c_table);

  std::string declarations, nodes, start;
  for (std::size_t i = own; i < out.parameters.size(); ++i)
    declarations +=
        fmt::format("{}  real {}; /* {}: {} */", i == own ? "" : "\n", out.parameters[i].name, out.parameters[i].unit, out.parameters[i].meaning);
  // The rubbers have set their own defaults; here stand those of the mount alone.
  std::string defaults;
  for (std::size_t i = own; i < out.parameters.size(); ++i)
    defaults += fmt::format("{}  p->{} = {};", i == own ? "" : "\n", out.parameters[i].name, c_number(out.parameters[i].start));
  for (int i = 25; i <= 640 && has_decoupler; ++i)
    nodes += fmt::format("{}{},{}", i % 4 == 1 ? "    " : " ", c_number(decoupler_integral(i / 128.0)), i % 4 == 0 ? "\n" : "");
  const auto count = [](const Curve& points) { return points.size(); };
  if (!law.chamber_preload_curve.empty())
    start += fmt::format("  m->chamber_factor = @F@_table(@P@_preload, {}, value_of(@P@_static_force(p, u)));\n", count(law.chamber_preload_curve));
  if (!law.switch_signal.empty()) start += fmt::format("  m->input[0] = @F@_table(@P@_switch, {}, 0.0);\n", count(law.switch_signal));
  const std::string switched =
      law.switch_signal.empty() ? "" : fmt::format("  m->input[0] = @F@_table(@P@_switch, {}, value_of(m->time));\n", count(law.switch_signal));
  out.text = rubbers + code;
  fill(out.text, {{"DECLARATIONS", declarations},
                  {"DEFAULTS", defaults},
                  {"TABLES", table_text("preload", law.chamber_preload_curve) + table_text("switch", law.switch_signal)},
                  {"POWER_DAMPING", law.coupled_damping ? "p->fluid_damping_linear * p->fluid_damping_nonlinear" : "p->fluid_damping_nonlinear"},
                  {"DECOUPLER", has_decoupler ? decoupler_text : no_decoupler},
                  {"NODES", nodes},
                  {"LIMIT", has_limit ? limit_text : ""},
                  {"LIMIT_SLOPE", has_bypass ? limit_slope_text : ""},
                  {"BYPASS", has_bypass ? bypass_text : ""},
                  {"LIMITED_P0", has_limit ? "@P@_limit(p, p0)" : "p0"},
                  {"LIMITED_EXACT", has_limit ? "@P@_limit(p, exact)" : "exact"},
                  {"TIMES_LIMIT_SLOPE", has_limit ? " * @P@_limit_slope(p, p0)" : ""},
                  {"PRESSURE", has_bypass  ? pressure_bypass
                               : has_limit ? pressure_limited
                                           : pressure_closed},
                  {"SWITCH", switched},
                  {"START", start}});
  return out;
}

}  // namespace kdyn::internal
