// SPDX-License-Identifier: Apache-2.0
// The active mount in C99: [activemount E1] to [activemount E6] by Runge-Kutta steps that follow the fastest rate [activemount E7].
// The voltage of the coil is an input, held over a step.
#include "kdyn/activemount/active_mount_model.hpp"
#include "kdyn/fmu/internal/c_laws.hpp"

namespace kdyn::internal {
namespace {

constexpr const char* code = R"(typedef struct {
@DECLARATIONS@
} @P@_parameters;

/* States: actuator displacement and velocity, fluid displacement and velocity in the track, current, relaxing parts of bulge and rubber. */
typedef struct {
  @P@_parameters p;
  real u, v;     /* motion at the end of the last step */
  real x[7];
  real input[1]; /* voltage of the coil */
  real origin;   /* displacement at which the fluid was at rest */
} @P@_model;

void @P@_default_parameters(@P@_parameters* p) {
@DEFAULTS@
}

real @P@_static_force(const @P@_parameters* p, real u) { return p->cT1 * u; }

static real @P@_relaxation_rate(real d1, real d2, real c2, real v, real z) {
  if (!(value_of(d1) > 0.0)) return 0.0;
  return (d1 * v - c2 * z) / (d1 + d2);
}

/* Rates of the states; forces on the engine side (0) and on the chassis side (1); pressure (2). */
static void @P@_respond(const @P@_model* m, real u, real v, const real* x, real* rate, real* force) {
  const @P@_parameters* p = &m->p;
  const real xT = u - m->origin;
  const real xB = (p->AT * xT - p->AA * x[0] - p->AK * x[2]) / p->AB;
  const real vB = (p->AT * v - p->AA * x[1] - p->AK * x[3]) / p->AB;
  const real vK = x[3];
  real pressure, quadratic, inertia, rubber;
  rate[5] = @P@_relaxation_rate(p->dB1, p->dB2, p->cB2, vB, x[5]);
  rate[6] = @P@_relaxation_rate(p->dT1, p->dT2, p->cT2, v, x[6]);
  pressure = -(p->cB1 * xB + p->dB1 * (vB - rate[5])) / p->AB;
  quadratic = value_of(vK) < 0.0 ? -p->dKq * vK * vK : p->dKq * vK * vK;
  rate[0] = x[1];
  rate[2] = vK;
  rate[3] = -(pressure * p->AK + p->dK * vK + quadratic) / (p->rho * p->AK * p->lK);
  inertia = p->kM * x[4] - pressure * p->AA - p->dA * x[1] - p->cA * x[0];
  rate[1] = inertia / p->mA;
  rate[4] = (m->input[0] - p->R * x[4] - p->kM * x[1]) / p->L;
  rubber = p->cT1 * u + p->dT1 * (v - rate[6]);
  force[0] = -rubber + pressure * p->AT;
  force[1] = rubber - pressure * p->AT - inertia;
  force[2] = pressure;
}

/* Upper bound of the modulus of the poles, rad/s. */
static double @P@_fastest_rate(const @P@_parameters* p) {
  const double AB = value_of(p->AB), AA = value_of(p->AA), AK = value_of(p->AK), mA = value_of(p->mA), L = value_of(p->L), kM = value_of(p->kM);
  const double dB1 = value_of(p->dB1), dB2 = value_of(p->dB2), dT1 = value_of(p->dT1), dT2 = value_of(p->dT2);
  const double mK = value_of(p->rho) * AK * value_of(p->lK);
  const double bulge = (value_of(p->cB1) + value_of(p->cB2)) / (AB * AB), friction = (dB1 > 0.0 ? dB1 * dB2 / (dB1 + dB2) : 0.0) / (AB * AB);
  const double actuator = sqrt((value_of(p->cA) + AA * AA * bulge + kM * kM / L) / mA) + (value_of(p->dA) + friction * AA * AA) / mA;
  const double fluid = sqrt(AK * AK * bulge / mK) + (value_of(p->dK) + friction * AK * AK) / mK;
  const double relaxing = (dB1 + dB2 > 0.0 ? value_of(p->cB2) / (dB1 + dB2) : 0.0) + (dT1 + dT2 > 0.0 ? value_of(p->cT2) / (dT1 + dT2) : 0.0);
  return actuator + fluid + relaxing + value_of(p->R) / L;
}

void @P@_retune(@P@_model* m) { (void)m; }

void @P@_start(@P@_model* m, const @P@_parameters* p, real u, real v) {
  int i;
  m->p = *p;
  m->u = m->origin = u;
  m->v = v;
  for (i = 0; i < 7; ++i) m->x[i] = 0.0;
  m->input[0] = 0.0;
}

/* The force on the chassis. */
real @P@_evaluate(const @P@_model* m, real u, real v, const real* x, real* rate) {
  real force[3];
  @P@_respond(m, u, v, x, rate, force);
  return force[1];
}

real @P@_force(const @P@_model* m, real u, real v) {
  real rate[7];
  return @P@_evaluate(m, u, v, m->x, rate);
}

void @P@_accept(@P@_model* m, real u, real v, const real* x, real h) {
  int i;
  (void)h;
  m->u = u;
  m->v = v;
  for (i = 0; i < 7; ++i) m->x[i] = x[i];
}

/* Rate at the position s of a step, and the point reached from y along a rate. */
static void @P@_rate_at(const @P@_model* m, const @F@_path* path, real h, double s, const real* y, real* rate) {
  real force[3];
  @P@_respond(m, m->u + h * @F@_travelled(path, s), path->c0 + s * (path->c1 + s * path->c2), y, rate, force);
}
static void @P@_along(const real* y, real step, const real* rate, real* moved) {
  int i;
  for (i = 0; i < 7; ++i) moved[i] = y[i] + step * rate[i];
}

real @P@_advance(@P@_model* m, real u, real v, real h) {
  const @P@_parameters* p = &m->p;
  const double speed = @P@_fastest_rate(p) + 2.0 * value_of(p->dKq) * fabs(value_of(m->x[3])) / value_of(p->rho * p->AK * p->lK);
  const double wanted = ceil(speed * value_of(h) / 0.1);
  const int parts = wanted < 1.0 ? 1 : (int)wanted;
  const @F@_path path = @F@_path_of(m->u, m->v, u, v, h);
  const real dt = h / (double)parts;
  real y[7], at[7], k1[7], k2[7], k3[7], k4[7];
  int part, i;
  for (i = 0; i < 7; ++i) y[i] = m->x[i];
  for (part = 0; part < parts; ++part) {
    const double s0 = (double)part / parts, sm = (part + 0.5) / parts, s1 = (part + 1.0) / parts;
    @P@_rate_at(m, &path, h, s0, y, k1);
    @P@_along(y, 0.5 * dt, k1, at);
    @P@_rate_at(m, &path, h, sm, at, k2);
    @P@_along(y, 0.5 * dt, k2, at);
    @P@_rate_at(m, &path, h, sm, at, k3);
    @P@_along(y, dt, k3, at);
    @P@_rate_at(m, &path, h, s1, at, k4);
    for (i = 0; i < 7; ++i) y[i] += dt / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
  }
  for (i = 0; i < 7; ++i) m->x[i] = y[i];
  m->u = u;
  m->v = v;
  return @P@_force(m, u, v);
}

/* Force on the engine, pressure. */
void @P@_inside(const @P@_model* m, real u, real v, const real* x, real* signals) {
  real rate[7], force[3];
  @P@_respond(m, u, v, x, rate, force);
  signals[0] = force[0];
  signals[1] = force[2];
}

void @P@_turning(const @P@_model* m, real u, real v, const real* x, real* z) {
  (void)m;
  (void)u;
  (void)v;
  (void)x;
  (void)z;
}
)";

}  // namespace

CLaw activemount_c(const Json& model, const std::string& where) {
  const ActiveMount<double> law = active_mount_from_json(model, where).law;
  CLaw out;
  out.title = "Active engine mount";
  for (std::size_t i = 0; i < law.members.size(); ++i)
    out.parameters.push_back(parameter_of(field_table<ActiveMount<double>>(), active_mount_parameters[i].name, law.*law.members[i]));
  out.states = {{"xA", "m", "Displacement of the actuator"},
                {"vA", "m/s", "Velocity of the actuator"},
                {"xK", "m", "Displacement of the fluid in the track"},
                {"vK", "m/s", "Velocity of the fluid in the track"},
                {"i", "A", "Current of the coil"},
                {"zB", "m", "Relaxing part of the bulge"},
                {"zT", "m", "Relaxing part of the main rubber"}};
  out.signals = {{"engine_force", "N", "Force on the engine"}, {"pressure", "Pa", "Over-pressure in the chamber"}};
  out.inputs = {{"voltage", "V", "Voltage of the coil"}};
  out.helpers = {c_path, c_travelled};
  out.text = code;
  fill_parameters(out);
  return out;
}

}  // namespace kdyn::internal
