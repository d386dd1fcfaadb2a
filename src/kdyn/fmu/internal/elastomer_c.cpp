// SPDX-License-Identifier: Apache-2.0
// The elastomer law in C99: [elastomer E1] force, [elastomer E2] and [elastomer E4] Kelvin-Voigt part, [elastomer E7] g4 branch,
// [elastomer E12] to [elastomer E14] masing friction, [elastomer E22] turning points inside a step.
#include <fmt/format.h>

#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/fmu/internal/c_laws.hpp"

namespace kdyn::internal {
namespace {

constexpr const char* code = R"(/* Turning points the friction can remember. Ten are typical; when all are in use the smallest loop is forgotten. */
#define @P@_MEMORY 256

typedef struct {
@DECLARATIONS@
} @P@_parameters;

typedef struct {
  @P@_parameters p;
  real u, v;                 /* motion at the end of the last step */
  real x[1];                 /* displacement of the Kelvin-Voigt part */
  real k;                    /* static stiffness at the operating point */
  real origin;               /* displacement at the start */
  real last_u, last_y;       /* end of the path so far */
  real turning_u[@P@_MEMORY], turning_y[@P@_MEMORY];
  real depth;                /* turning points in use: a count */
  real direction;            /* of the last motion: -1, 1, or 0 before the first */
} @P@_model;

void @P@_default_parameters(@P@_parameters* p) {
@DEFAULTS@
}

@SPRING@
/* A limit far above rdl cannot be told from none. ymax <= 0 is no limit. */
static int @P@_limited(const @P@_parameters* p) { return value_of(p->ymax) > 0.0 && value_of(p->rdl) > 1e-9 * value_of(p->ymax); }

@BACKBONE@
typedef struct {
  real y;
  int direction, reversed, depth;
} @P@_located;

@FRICTION@
/* Friction displacement at u, as if it were reached without a further turning point. */
static @P@_located @P@_locate(const @P@_model* m, real u) {
  const double du = value_of(u) - value_of(m->last_u);
  const int before = (int)value_of(m->direction);
  @P@_located at;
  at.direction = du > 0.0 ? 1 : du < 0.0 ? -1 : before;
  at.reversed = at.direction * before < 0;
  at.depth = 0;
  at.y = @P@_friction(m, u, &at);
  return at;
}

/* Accepts the point u of the path and returns the friction displacement there. */
static real @P@_commit(@P@_model* m, real u) {
  const @P@_located at = @P@_locate(m, u);
@REMEMBER@
  if (at.direction != 0) m->direction = at.direction;
  m->last_u = u;
  m->last_y = at.y;
  return at.y;
}

/* Accepts the path of a step; turning points inside it come first. */
static real @P@_commit_step(@P@_model* m, const @F@_path* path, real u, real h) {
  double s[2];
  const int n = @F@_turns(path, s);
  int i;
  for (i = 0; i < n; ++i) @P@_commit(m, m->u + h * @F@_travelled(path, s[i]));
  return @P@_commit(m, u);
}

static real @P@_rate(const @P@_parameters* p, real v, real z) { return (v - p->alpha / p->gamma * z) / (1.0 + p->beta); }

static real @P@_total(const @P@_model* m, real u, real v, real z_rate, real y) {
  const @P@_parameters* p = &m->p;
  return @P@_static_force(p, u) + m->k * (p->scale_freq * (p->lambda * p->gamma * (v - z_rate)) + p->scale_ampl * y);
}

void @P@_retune(@P@_model* m) { m->k = @P@_stiffness_at(&m->p, m->origin); }

void @P@_start(@P@_model* m, const @P@_parameters* p, real u, real v) {
  int i;
  m->p = *p;
  m->u = u;
  m->v = v;
  m->x[0] = 0.0;
  m->origin = m->last_u = u;
  m->last_y = 0.0;
  for (i = 0; i < @P@_MEMORY; ++i) m->turning_u[i] = m->turning_y[i] = 0.0;
  m->depth = 0.0;
  m->direction = 0.0;
  @P@_retune(m);
}

real @P@_evaluate(const @P@_model* m, real u, real v, const real* x, real* rate) {
  rate[0] = @P@_rate(&m->p, v, x[0]);
  return @P@_total(m, u, v, rate[0], @P@_locate(m, u).y);
}

real @P@_force(const @P@_model* m, real u, real v) {
  real rate[1];
  return @P@_evaluate(m, u, v, m->x, rate);
}

void @P@_accept(@P@_model* m, real u, real v, const real* x, real h) {
  if (value_of(h) > 0.0) {
    const @F@_path path = @F@_path_of(m->u, m->v, u, v, h);
    @P@_commit_step(m, &path, u, h);
  } else {
    @P@_commit(m, u);
  }
  m->u = u;
  m->v = v;
  m->x[0] = x[0];
}

real @P@_advance(@P@_model* m, real u, real v, real h) {
  const @P@_parameters* p = &m->p;
  const @F@_path path = @F@_path_of(m->u, m->v, u, v, h);
  const @F@_relaxation step = @F@_relaxation_of(p->alpha / p->gamma / (1.0 + p->beta), h);
  const real y = @P@_commit_step(m, &path, u, h);
  m->x[0] = @F@_relax(&step, (1.0 + p->beta) * m->x[0], &path) / (1.0 + p->beta);
  m->u = u;
  m->v = v;
  return @P@_total(m, u, v, @P@_rate(p, v, m->x[0]), y);
}

/* Friction displacement. */
void @P@_inside(const @P@_model* m, real u, real v, const real* x, real* signals) {
  (void)v;
  (void)x;
  signals[0] = @P@_locate(m, u).y;
}

void @P@_turning(const @P@_model* m, real u, real v, const real* x, real* z) {
  (void)m;
  (void)u;
  (void)x;
  z[0] = v;
}
)";

constexpr const char* spring =
    R"(real @P@_static_force(const @P@_parameters* p, real u) { return p->scale_static_stiffness * p->static_stiffness * u; }

static real @P@_stiffness_at(const @P@_parameters* p, real u) {
  (void)u;
  return p->static_stiffness;
}
)";

constexpr const char* curve = R"(/* Static curve as cubic pieces: start, value, slope, second and third coefficient. */
#define @P@_POINTS @POINTS@
static const double @P@_curve[@P@_POINTS + 1][5] = {
@ROWS@};

/* The piece that holds u: the last but one goes on to the right, the last one to the left. */
static const double* @P@_piece(double u) {
  int low = 0, high = @P@_POINTS;
  if (u < @P@_curve[0][0]) return @P@_curve[@P@_POINTS];
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (@P@_curve[middle][0] <= u)
      low = middle;
    else
      high = middle;
  }
  return @P@_curve[low];
}

real @P@_static_force(const @P@_parameters* p, real u) {
  const double* c = @P@_piece(value_of(u));
  const real d = u - c[0];
  return p->scale_curve * (c[1] + d * (c[2] + d * (c[3] + d * c[4])));
}

static real @P@_stiffness_at(const @P@_parameters* p, real u) {
  const double* c = @P@_piece(value_of(u));
  const real d = u - c[0];
  (void)p;
  return c[2] + d * (2.0 * c[3] + 3.0 * d * c[4]);
}
)";

constexpr const char* backbone_text = R"(/* Locus of the loop tips, an odd function. */
static real @P@_backbone(const @P@_parameters* p, real x) {
  const double sign = value_of(x) < 0.0 ? -1.0 : 1.0;
  const real log_term = r_log1p(2.0 * p->rho * (sign * x));
  if (!@P@_limited(p)) return sign * 0.5 * p->rdl * log_term;
  return sign * p->ymax * r_tanh(0.5 * (p->rdl / p->ymax) * log_term);
}
)";

constexpr const char* masing =
    R"(static real @P@_point(const @P@_model* m, int i) { return i < (int)value_of(m->depth) ? m->turning_u[i] : m->last_u; }

/* Masing's rule with a stack of turning points; loops that the motion closes are taken off. */
static real @P@_friction(const @P@_model* m, real u, @P@_located* at) {
  const double x = value_of(u), origin = value_of(m->origin);
  const int stored = (int)value_of(m->depth);
  int depth = stored + (at->reversed ? 1 : 0);
  while (depth >= 2 && at->direction * (x - value_of(@P@_point(m, depth - 2))) >= 0.0) depth -= 2;
  if (depth == 1 && at->direction * (x - origin) >= fabs(value_of(@P@_point(m, 0)) - origin)) depth = 0;
  at->depth = depth;
  if (depth == 0) return @P@_backbone(&m->p, u - m->origin);
  return (depth <= stored ? m->turning_y[depth - 1] : m->last_y) + 2.0 * @P@_backbone(&m->p, 0.5 * (u - @P@_point(m, depth - 1)));
}
)";

constexpr const char* remember_masing = R"(  int depth = (int)value_of(m->depth);
  if (at.depth > depth) {
    if (depth == @P@_MEMORY) depth -= 2;
    m->turning_u[depth] = m->last_u;
    m->turning_y[depth] = m->last_y;
    m->depth = depth + 1.0;
  } else {
    m->depth = at.depth;
  })";

constexpr const char* g4 = R"(/* Branch from the last turning point only. */
static real @P@_friction(const @P@_model* m, real u, @P@_located* at) {
  const @P@_parameters* p = &m->p;
  const int fresh = value_of(m->depth) == 0.0;
  const real from_u = at->reversed ? m->last_u : fresh ? m->origin : m->turning_u[0];
  const real from_y = at->reversed ? m->last_y : fresh ? (real)0.0 : m->turning_y[0];
  const double sign = at->direction < 0 ? -1.0 : 1.0;
  const real distance = sign * (u - from_u), w0 = sign * from_y;
  real log_term;
@FIRST_BRANCH@  log_term = r_log1p(p->rho * distance);
  if (!@P@_limited(p)) return sign * (w0 + p->rdl * log_term);
  return sign * (w0 - (p->ymax - w0) * r_expm1(-(p->rdl / p->ymax) * log_term));
}
)";

constexpr const char* first_branch = R"(  if (fresh && !at->reversed) return sign * @P@_backbone(p, distance);
)";

constexpr const char* remember_g4 =
    R"(  if (at.reversed && fabs(value_of(u) - value_of(m->last_u)) <= value_of(m->p.deadband)) return at.y; /* too small to be a turning point */
  if (at.reversed) {
    m->turning_u[0] = m->last_u;
    m->turning_y[0] = m->last_y;
    m->depth = 1.0;
  })";

}  // namespace

CLaw elastomer_c(const Json& model, const std::string& where) {
  const Elastomer<double> law = elastomer_from_json(model, where);
  CLaw out;
  out.title = "Elastomer mount";
  const FieldTable& table = field_table<Elastomer<double>>();
  for (std::size_t i = 0; i < law.members.size(); ++i) {
    const std::string name = elastomer_parameters[i].name;
    const bool unused = law.curve ? name == "static_stiffness" || name == "scale_static_stiffness" : name == "scale_curve";
    if (!unused) out.parameters.push_back(parameter_of(table, name, law.*law.members[i]));
  }
  out.parameters.push_back({"ymax", "m", "Friction: limit of the friction displacement; 0 is unlimited", law.ymax.value_or(0.0), 0.0});
  const bool is_masing = law.law == FrictionLaw::masing, from_backbone = law.start_up == StartUp::backbone;
  if (!is_masing) out.parameters.push_back({"deadband", "m", "Friction: reversals up to this size are reversible", law.deadband, 0.0, 1.0});
  out.states = {{"z", "m", "Displacement of the Kelvin-Voigt part"}};
  out.signals = {{"friction_displacement", "m", "Friction force over stiffness"}};
  out.turning = {{"turning", "m/s", "Zero where the friction turns round"}};
  out.helpers = {c_path, c_turns, c_travelled, c_relaxation};
  out.text = code;
  std::string rows;
  if (law.curve)
    for (const MonotoneCurve::Piece& piece : law.curve->pieces())
      rows += fmt::format("    {{{}, {}, {}, {}, {}}},\n", c_number(piece.x), c_number(piece.y), c_number(piece.slope), c_number(piece.c2),
                          c_number(piece.c3));
  // Parts first, since they contain keys themselves.
  fill(out.text, {{"SPRING", law.curve ? curve : spring},
                  {"BACKBONE", is_masing || from_backbone ? backbone_text : ""},
                  {"FRICTION", is_masing ? masing : g4},
                  {"REMEMBER", is_masing ? remember_masing : remember_g4},
                  {"FIRST_BRANCH", from_backbone ? first_branch : ""},
                  {"POINTS", fmt::format("{}", law.curve_points.size())},
                  {"ROWS", rows}});
  fill_parameters(out);
  return out;
}

}  // namespace kdyn::internal
