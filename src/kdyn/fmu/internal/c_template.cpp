// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fmu/internal/c_laws.hpp"

namespace kdyn::internal {

// [element E2]
const char* const c_path = R"(/* Velocity inside a step: c0 + c1 s + c2 s^2, s = t/h, from the motion at both ends. */
typedef struct {
  real c0, c1, c2;
} @F@_path;

static @F@_path @F@_path_of(real u0, real v0, real u, real v, real h) {
  const real secant = (u - u0) / h;
  @F@_path path;
  path.c0 = v0;
  path.c1 = -4.0 * v0 - 2.0 * v + 6.0 * secant;
  path.c2 = 3.0 * (v0 + v) - 6.0 * secant;
  return path;
}
)";

const char* const c_turns = R"(/* Positions in (0, 1) where the velocity changes sign, ascending. */
static int @F@_turns(const @F@_path* path, double s[2]) {
  const double a = value_of(path->c2), b = value_of(path->c1), c = value_of(path->c0);
  double disc, q, r1, r2, first, second;
  int n = 0;
  if (c * (a + b + c) > 0.0 && b * (b + 2.0 * a) >= 0.0) return 0;
  disc = b * b - 4.0 * a * c;
  if (!(disc > 0.0)) return 0;
  q = -0.5 * (b + copysign(sqrt(disc), b));
  r1 = a != 0.0 ? q / a : -1.0;
  r2 = q != 0.0 ? c / q : -1.0;
  first = r1 < r2 ? r1 : r2;
  second = r1 < r2 ? r2 : r1;
  if (first > 0.0 && first < 1.0) s[n++] = first;
  if (second > 0.0 && second < 1.0) s[n++] = second;
  return n;
}
)";

const char* const c_travelled = R"(/* Displacement travelled from the start of the step to s, over h. */
static real @F@_travelled(const @F@_path* path, double s) { return s * (path->c0 + s * (path->c1 / 2.0 + s * (path->c2 / 3.0))); }
)";

// kdyn/element/relaxation.hpp
const char* const c_relaxation = R"(/* Exact step of q' = v - rate q for the velocity of the step. */
typedef struct {
  real keep, w0, w1, w2;
} @F@_relaxation;

static @F@_relaxation @F@_relaxation_of(real rate, real h) {
  const real x = rate * h;
  real psi0, psi1, psi2;
  @F@_relaxation step;
  if (value_of(x) < 1.0) {
    real term = 1.0 / 3.0;
    int j;
    psi2 = term;
    for (j = 1; j < 40 && fabs(value_of(term)) > 1e-18; ++j) {
      term *= -x / (3.0 + j);
      psi2 += term;
    }
    psi1 = 0.5 * (1.0 - x * psi2);
    psi0 = 1.0 - x * psi1;
  } else {
    psi0 = (1.0 - r_exp(-x)) / x;
    psi1 = (1.0 - psi0) / x;
    psi2 = (1.0 - 2.0 * psi1) / x;
  }
  step.keep = 1.0 - x * psi0;
  step.w0 = h * psi0;
  step.w1 = h * psi1;
  step.w2 = h * psi2;
  return step;
}

static real @F@_relax(const @F@_relaxation* step, real q, const @F@_path* v) {
  return step->keep * q + step->w0 * v->c0 + step->w1 * v->c1 + step->w2 * v->c2;
}
)";

const char* const c_chain = R"(/* f(x) for a function known by value and slope. */
static real @F@_chain(real x, double value, double slope) { return value + slope * (x - value_of(x)); }
)";

// kdyn/numerics/linear_table.hpp
const char* const c_table = R"(/* Straight lines between the points, constant outside; the upper side of a jump counts at the jump. */
static double @F@_table(const double points[][2], int n, double x) {
  int after = 0;
  while (after < n && !(x < points[after][0])) ++after;
  if (after == 0) return points[0][1];
  if (after == n) return points[n - 1][1];
  return points[after - 1][1] + (points[after][1] - points[after - 1][1]) * (x - points[after - 1][0]) / (points[after][0] - points[after - 1][0]);
}
)";

const char* const c_dual_functions = R"(/* Dual numbers: the imaginary part is a derivative times kdyn_dual_unit. */
#include <complex.h>

static const double kdyn_dual_unit = 1e-100;

static inline double complex kdyn_dual(double value, double slope, double complex x) { return value + (slope * cimag(x)) * I; }
static inline double complex kdyn_dual_exp(double complex x) { return kdyn_dual(exp(creal(x)), exp(creal(x)), x); }
static inline double complex kdyn_dual_expm1(double complex x) { return kdyn_dual(expm1(creal(x)), exp(creal(x)), x); }
static inline double complex kdyn_dual_log(double complex x) { return kdyn_dual(log(creal(x)), 1.0 / creal(x), x); }
static inline double complex kdyn_dual_log1p(double complex x) { return kdyn_dual(log1p(creal(x)), 1.0 / (1.0 + creal(x)), x); }
static inline double complex kdyn_dual_sqrt(double complex x) { return kdyn_dual(sqrt(creal(x)), 0.5 / sqrt(creal(x)), x); }
static inline double complex kdyn_dual_tanh(double complex x) {
  const double t = tanh(creal(x));
  return kdyn_dual(t, 1.0 - t * t, x);
}
)";

namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Replaces whole words, or beginnings of words where `word` ends in an underscore.
void replace_word(std::string& text, const std::string& word, const std::string& with) {
  const bool beginning = word.back() == '_';
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
    const bool starts = at == 0 || !in_word(text[at - 1]);
    const bool ends = beginning || at + word.size() == text.size() || !in_word(text[at + word.size()]);
    if (starts && ends) {
      text.replace(at, word.size(), with);
      at += with.size();
    } else {
      at += word.size();
    }
  }
}

}  // namespace

std::string instantiate(const std::string& text, const std::string& prefix, const std::string& file_prefix, CScalar scalar) {
  const bool dual = scalar == CScalar::dual;
  std::string out = text;
  fill(out, {{"P", prefix}, {"F", file_prefix}});
  demand(out.find('@') == std::string::npos, "every key of a C template is filled");
  replace_word(out, "real", dual ? "double complex" : "double");
  replace_word(out, "value_of", dual ? "creal" : "");
  replace_word(out, "r_", dual ? "kdyn_dual_" : "");
  return out;
}

std::string c_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string c_rows(const Curve& points) {
  std::string out;
  for (const auto& [x, y] : points) out += fmt::format("{}{{{}, {}}}", out.empty() ? "" : ", ", c_number(x), c_number(y));
  return out;
}

void fill(std::string& text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [key, value] : values) {
    const std::string mark = "@" + key + "@";
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size())) text.replace(at, mark.size(), value);
  }
}

CVariable parameter_of(const FieldTable& table, const std::string& name, double value) {
  const Field* field = table.find(name);
  demand(field != nullptr, "a parameter of a law is in its field table");
  return {name, field->unit, field->meaning, value, field->lower, field->upper, field->lower_open, {}};
}

void fill_parameters(CLaw& law) {
  std::string declarations, defaults;
  for (const CVariable& p : law.parameters) {
    declarations += fmt::format("{}  real {}; /* {}: {} */", declarations.empty() ? "" : "\n", p.name, p.unit, p.meaning);
    defaults += fmt::format("{}  p->{} = {};", defaults.empty() ? "" : "\n", p.member.empty() ? p.name : p.member, c_number(p.start));
  }
  fill(law.text, {{"DECLARATIONS", declarations}, {"DEFAULTS", defaults}});
}

}  // namespace kdyn::internal
