// SPDX-License-Identifier: Apache-2.0
// The rival laws in C99: [rivals E1] Kelvin-Voigt, [rivals E3] Maxwell, [rivals E4] and [rivals E5] Berg, [rivals E7] Bouc-Wen,
// [rivals E10] ladder of the fractional Zener.
#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fmu/internal/c_laws.hpp"
#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn::internal {
namespace {

// What the laws have in common; each text offers @P@_evaluate and @P@_advance.
constexpr const char* frame = R"(typedef struct {
@DECLARATIONS@
} @P@_parameters;

typedef struct {
  @P@_parameters p;
  real u, v; /* motion at the end of the last step */
  real x[@SLOTS@]; /* states */
@MEMBERS@} @P@_model;

void @P@_default_parameters(@P@_parameters* p) {
@DEFAULTS@
}

@LAW@
real @P@_static_force(const @P@_parameters* p, real u) { return p->@SPRING@ * u; }

void @P@_retune(@P@_model* m) { (void)m; }

void @P@_start(@P@_model* m, const @P@_parameters* p, real u, real v) {
  int i;
  m->p = *p;
  m->u = u;
  m->v = v;
  for (i = 0; i < @SLOTS@; ++i) m->x[i] = 0.0;
@START@}

real @P@_force(const @P@_model* m, real u, real v) {
  real rate[@SLOTS@];
  return @P@_evaluate(m, u, v, m->x, rate);
}

void @P@_accept(@P@_model* m, real u, real v, const real* x, real h) {
  int i;
@ACCEPT@  m->u = u;
  m->v = v;
  for (i = 0; i < @STATES@; ++i) m->x[i] = x[i];
}

void @P@_inside(const @P@_model* m, real u, real v, const real* x, real* signals) {
@INSIDE@}

void @P@_turning(const @P@_model* m, real u, real v, const real* x, real* z) {
  (void)m;
  (void)u;
  (void)x;
@TURNING@}
)";

struct Parts {
  std::string law, members, start, accept, inside, spring, declarations = {};
};

constexpr const char* silent = "  (void)m;\n  (void)u;\n  (void)v;\n  (void)x;\n  (void)signals;\n";

void assemble(CLaw& law, const Parts& parts) {
  law.text = frame;
  const std::size_t n = law.states.size();
  fill(law.text, {{"LAW", parts.law},
                  {"MEMBERS", parts.members},
                  {"START", parts.start},
                  {"ACCEPT", parts.accept.empty() ? "  (void)h;\n" : parts.accept},
                  {"INSIDE", parts.inside.empty() ? silent : parts.inside},
                  {"TURNING", law.turning.empty() ? "  (void)v;\n  (void)z;\n" : "  z[0] = v;\n"},
                  {"SPRING", parts.spring},
                  {"STATES", fmt::format("{}", n)},
                  {"SLOTS", fmt::format("{}", n == 0 ? 1 : n)}});
  if (!parts.declarations.empty()) fill(law.text, {{"DECLARATIONS", parts.declarations}});
  fill_parameters(law);
}

template <class Law>
void take_parameters(CLaw& out, const Law& law) {
  for (std::size_t i = 0; i < Law::members.size(); ++i)
    out.parameters.push_back(parameter_of(field_table<Law>(), Law::parameters[i].name, law.*Law::members[i]));
}

constexpr const char* kelvin_voigt = R"(real @P@_evaluate(const @P@_model* m, real u, real v, const real* x, real* rate) {
  (void)x;
  (void)rate;
  return m->p.stiffness * u + m->p.damping * v;
}

real @P@_advance(@P@_model* m, real u, real v, real h) {
  (void)h;
  m->u = u;
  m->v = v;
  return m->p.stiffness * u + m->p.damping * v;
}
)";

// Relaxing branches side by side: @K@ and @TAU@ are stiffness and relaxation time of branch i, @OUTER@ makes the force of their sum.
constexpr const char* bank = R"(real @P@_evaluate(const @P@_model* m, real u, real v, const real* x, real* rate) {
  const @P@_parameters* p = &m->p;
  real sum = 0.0;
  int i;
  for (i = 0; i < @STATES@; ++i) {
    rate[i] = v - x[i] / @TAU@;
    sum += @K@ * x[i];
  }
  return @OUTER@;
}

real @P@_advance(@P@_model* m, real u, real v, real h) {
  const @P@_parameters* p = &m->p;
  const @F@_path path = @F@_path_of(m->u, m->v, u, v, h);
  real sum = 0.0;
  int i;
  for (i = 0; i < @STATES@; ++i) {
    const @F@_relaxation step = @F@_relaxation_of(1.0 / @TAU@, h);
    m->x[i] = @F@_relax(&step, m->x[i], &path);
    sum += @K@ * m->x[i];
  }
  m->u = u;
  m->v = v;
  return @OUTER@;
}
)";

constexpr const char* berg = R"(static real @P@_branch(const @P@_parameters* p, real u_turn, real f_turn, real u) {
  const double s = value_of(u) < value_of(u_turn) ? -1.0 : 1.0;
  const real distance = s * (u - u_turn);
  if (!(value_of(p->friction_max) > 0.0)) return 0.0;
  return f_turn + s * distance * (p->friction_max - s * f_turn) / (p->friction_displacement * (1.0 - s * f_turn / p->friction_max) + distance);
}

static real @P@_friction(const @P@_model* m, real u) {
  const double du = value_of(u) - value_of(m->u_last);
  const int reversed = du * value_of(m->direction) < 0.0;
  return reversed ? @P@_branch(&m->p, m->u_last, m->f_last, u) : @P@_branch(&m->p, m->u_turn, m->f_turn, u);
}

/* Accepts the point u of the path. */
static void @P@_commit(@P@_model* m, real u) {
  const real f = @P@_friction(m, u);
  const double du = value_of(u) - value_of(m->u_last);
  const double direction = du > 0.0 ? 1.0 : du < 0.0 ? -1.0 : value_of(m->direction);
  if (direction * value_of(m->direction) < 0.0) {
    m->u_turn = m->u_last;
    m->f_turn = m->f_last;
  }
  m->direction = direction;
  m->u_last = u;
  m->f_last = f;
}

/* Accepts the path of a step; turning points inside it come first. */
static void @P@_commit_step(@P@_model* m, const @F@_path* path, real u, real h) {
  double s[2];
  const int n = @F@_turns(path, s);
  int i;
  for (i = 0; i < n; ++i) @P@_commit(m, m->u + h * @F@_travelled(path, s[i]));
  @P@_commit(m, u);
}

real @P@_evaluate(const @P@_model* m, real u, real v, const real* x, real* rate) {
  const @P@_parameters* p = &m->p;
  rate[0] = v - x[0] / p->relaxation_time;
  return p->stiffness * u + @P@_friction(m, u) + p->viscous_stiffness * x[0];
}

real @P@_advance(@P@_model* m, real u, real v, real h) {
  const @P@_parameters* p = &m->p;
  const @F@_path path = @F@_path_of(m->u, m->v, u, v, h);
  const @F@_relaxation step = @F@_relaxation_of(1.0 / p->relaxation_time, h);
  @P@_commit_step(m, &path, u, h);
  m->x[0] = @F@_relax(&step, m->x[0], &path);
  m->u = u;
  m->v = v;
  return p->stiffness * u + m->f_last + p->viscous_stiffness * m->x[0];
}
)";

constexpr const char* bouc_wen = R"(/* dz/du for a motion of this sign. */
static real @P@_slope(const @P@_parameters* p, real z, double direction) {
  const double sign = value_of(z) < 0.0 ? -1.0 : 1.0;
  real power;
  if (value_of(z) == 0.0) return 1.0;
  power = r_exp(p->sharpness * r_log(sign * z / p->yield_displacement));
  return 1.0 - power * (1.0 - p->shape + p->shape * (direction * sign));
}

/* z after a monotone displacement of du, Runge-Kutta in u. */
static real @P@_along(const @P@_parameters* p, real z, real du) {
  const double direction = value_of(du) < 0.0 ? -1.0 : 1.0;
  const double sharp = fabs(value_of(du)) * value_of(p->sharpness) / value_of(p->yield_displacement);
  const double wanted = ceil(20.0 * sharp);
  const int parts = (int)(wanted < 1.0 ? 1.0 : wanted > 1e5 ? 1e5 : wanted);
  const real h = du / (double)parts;
  int i;
  for (i = 0; i < parts; ++i) {
    const real k1 = @P@_slope(p, z, direction), k2 = @P@_slope(p, z + 0.5 * h * k1, direction), k3 = @P@_slope(p, z + 0.5 * h * k2, direction),
               k4 = @P@_slope(p, z + h * k3, direction);
    z += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
  }
  return z;
}

real @P@_evaluate(const @P@_model* m, real u, real v, const real* x, real* rate) {
  const @P@_parameters* p = &m->p;
  rate[0] = v * @P@_slope(p, x[0], value_of(v) < 0.0 ? -1.0 : 1.0);
  return p->stiffness * u + p->hysteretic_stiffness * x[0] + p->damping * v;
}

real @P@_advance(@P@_model* m, real u, real v, real h) {
  const @P@_parameters* p = &m->p;
  const @F@_path path = @F@_path_of(m->u, m->v, u, v, h);
  real at = m->u;
  double s[2];
  const int n = @F@_turns(&path, s);
  int i;
  for (i = 0; i < n; ++i) {
    const real next = m->u + h * @F@_travelled(&path, s[i]);
    m->x[0] = @P@_along(p, m->x[0], next - at);
    at = next;
  }
  m->x[0] = @P@_along(p, m->x[0], u - at);
  m->u = u;
  m->v = v;
  return p->stiffness * u + p->hysteretic_stiffness * m->x[0] + p->damping * v;
}
)";

}  // namespace

CLaw kelvin_voigt_c(const Json& model, const std::string& where) {
  CLaw out;
  out.title = "Kelvin-Voigt mount";
  take_parameters(out, plain_law_from_json<KelvinVoigtMount<double>>(model, where));
  assemble(out, {.law = kelvin_voigt, .members = "", .start = "", .accept = "", .inside = "", .spring = "stiffness"});
  return out;
}

CLaw maxwell_c(const Json& model, const std::string& where) {
  const Maxwell<double> law = maxwell_from_json(model, where);
  const FieldTable& table = field_table<MaxwellParameters>();
  CLaw out;
  out.title = "Generalised Maxwell mount";
  out.parameters = {parameter_of(table, "static_stiffness", law.static_stiffness)};
  const auto n = static_cast<std::size_t>(law.bank.branches);
  if (n == 0) throw_bad_input(where + ".parameters.stiffness", "a Maxwell mount without branches has no C form", "export a kelvin_voigt model");
  for (const bool times : {false, true})
    for (std::size_t i = 0; i < n; ++i) {
      CVariable p = parameter_of(table, times ? "relaxation_time" : "stiffness", times ? law.bank.relaxation_time[i] : law.bank.stiffness[i]);
      p.member = fmt::format("{}[{}]", p.name, i);
      p.name += fmt::format("_{}", i + 1);
      p.meaning = fmt::format("{} of branch {}", times ? "Relaxation time" : "Stiffness", i + 1);
      out.parameters.push_back(p);
    }
  for (std::size_t i = 0; i < n; ++i)
    out.states.push_back({fmt::format("q_{}", i + 1), "m", fmt::format("Extension of the spring of branch {}", i + 1)});
  out.helpers = {c_path, c_relaxation};
  Parts parts{.law = bank, .members = "", .start = "", .accept = "", .inside = "", .spring = "static_stiffness"};
  parts.declarations = fmt::format(
      "  real static_stiffness; /* N/m */\n  real stiffness[{0}]; /* N/m: of each branch */\n  real relaxation_time[{0}]; /* s: of each branch */",
      n);
  fill(parts.law, {{"K", "p->stiffness[i]"}, {"TAU", "p->relaxation_time[i]"}, {"OUTER", "p->static_stiffness * u + sum"}});
  assemble(out, parts);
  return out;
}

CLaw fractional_zener_c(const Json& model, const std::string& where) {
  const FractionalZener<double> law = fractional_zener_from_json(model, where);
  CLaw out;
  out.title = fmt::format("Fractional Zener mount (hardening {:g}, relaxation time {:g} s, order {:g}; ladder for {:g} to {:g} Hz)", law.hardening,
                          law.relaxation_time, law.order, law.band_lower_hz, law.band_upper_hz);
  out.parameters = {parameter_of(field_table<FractionalZener<double>>(), "static_stiffness", law.static_stiffness)};
  std::string rows;
  for (int i = 0; i < law.ladder.branches; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out.states.push_back({fmt::format("q_{}", i + 1), "m", fmt::format("Extension of rung {} of the ladder", i + 1)});
    rows += fmt::format("  {{{}, {}}},\n", c_number(law.ladder.stiffness[at]), c_number(law.ladder.relaxation_time[at]));
  }
  out.helpers = {c_path, c_relaxation};
  Parts parts{.law = fmt::format("/* Rungs: stiffness over the static one, relaxation time. They belong to the law's order and times. */\n"
                                 "static const double @P@_ladder[{}][2] = {{\n{}}};\n",
                                 law.ladder.branches, rows) +
                     bank,
              .members = "",
              .start = "",
              .accept = "",
              .inside = "",
              .spring = "static_stiffness"};
  fill(parts.law, {{"K", "@P@_ladder[i][0]"},
                   {"TAU", "@P@_ladder[i][1]"},
                   {"OUTER", fmt::format("p->static_stiffness * (u + sum + {} * v)", c_number(law.ladder_damping))}});
  assemble(out, parts);
  return out;
}

CLaw berg_c(const Json& model, const std::string& where) {
  CLaw out;
  out.title = "Berg mount";
  take_parameters(out, plain_law_from_json<Berg<double>>(model, where));
  out.states = {{"q", "m", "Extension of the viscous branch's spring"}};
  out.signals = {{"friction_force", "N", "Friction force"}};
  out.turning = {{"turning", "m/s", "Zero where the friction turns round"}};
  out.helpers = {c_path, c_turns, c_travelled, c_relaxation};
  assemble(out, {.law = berg,
                 .members = "  real u_turn, f_turn, u_last, f_last; /* last turning point, end of the path so far */\n  real direction; /* of the "
                            "last motion: -1, 1, or 0 before the first */\n",
                 .start = "  m->u_turn = m->u_last = u;\n  m->f_turn = m->f_last = 0.0;\n  m->direction = 0.0;\n",
                 .accept = "  if (value_of(h) > 0.0) {\n    const @F@_path path = @F@_path_of(m->u, m->v, u, v, h);\n    @P@_commit_step(m, &path, "
                           "u, h);\n  } else {\n    @P@_commit(m, u);\n  }\n",
                 .inside = "  (void)v;\n  (void)x;\n  signals[0] = @P@_friction(m, u);\n",
                 .spring = "stiffness"});
  return out;
}

CLaw bouc_wen_c(const Json& model, const std::string& where) {
  CLaw out;
  out.title = "Bouc-Wen mount";
  take_parameters(out, plain_law_from_json<BoucWen<double>>(model, where));
  out.states = {{"z", "m", "Hysteretic displacement"}};
  out.turning = {{"turning", "m/s", "Zero where the hysteretic displacement turns round"}};
  out.helpers = {c_path, c_turns, c_travelled};
  assemble(out, {.law = bouc_wen, .members = "", .start = "", .accept = "", .inside = "", .spring = "stiffness"});
  return out;
}

}  // namespace kdyn::internal
