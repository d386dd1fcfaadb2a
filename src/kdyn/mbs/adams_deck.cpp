// SPDX-License-Identifier: Apache-2.0
// Adams solver decks: statements, continued by lines that begin with a comma or after one that ends with &, comments
// behind "!". Everything is turned into SI units by the deck's UNITS.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/double_chars.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/mbs/foreign_model.hpp"
#include "kdyn/mbs/internal/foreign_words.hpp"
#include "kdyn/numerics/formula.hpp"

namespace kdyn::mbs {
namespace {

struct Statement {
  std::string kind, id, name;  // name: by which Adams View shows it
  std::map<std::string, std::vector<std::string>> fields;
  std::set<std::string> words;  // fields without a value
  std::string function;         // FUNCTION=, as written
  int line = 0;
};

// Statements that draw, report or steer the solver.
const std::set<std::string> harmless = {
    "GRAPHICS", "REQUEST",     "OUTPUT", "RESULTS", "MREQUEST",    "END",      "LIST",   "INTEGRATOR", "KINEMATICS",
    "DYNAMICS", "EQUILIBRIUM", "IC",     "DEBUG",   "PREFERENCES", "SIMULATE", "STRING", "LSE_NAME",   "ANALYSIS",
    "STATIC",   "SAVE",        "LINEAR", "TITLE",   "HELP",        "PINPUT",   "POUTPUT"};
const std::set<std::string> known = {"PART",   "MARKER",       "JOINT",   "JPRIM", "MOTION",  "BUSHING",
                                     "SFORCE", "SPRINGDAMPER", "ACCGRAV", "UNITS", "VARIABLE"};

// Splits "A = 1, 2, B = F(1,2)" at commas outside parentheses.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth <= 0) {
      out.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  out.push_back(trimmed(part));
  return out;
}

class Deck {
 public:
  Deck(const std::string& content, std::string where) : where_(std::move(where)) { read(content); }

  std::vector<Statement> statements;
  std::string title;
  std::string at(const Statement& s) const { return fmt::format("{}:{}", where_, s.line); }

 private:
  void read(const std::string& content) {
    std::string text, name, next_name;
    int line = 0, begun = 0;
    bool continues = false;
    const auto flush = [&] {
      if (!trimmed(text).empty()) add(text, begun, name);
      text.clear();
    };
    for (std::size_t from = 0; from <= content.size();) {
      const std::size_t end = std::min(content.find('\n', from), content.size());
      std::string row = content.substr(from, end - from);
      from = end + 1;
      ++line;
      if (line == 1 && upper_case(row).rfind("ADAMS", 0) == 0) {
        const auto colon = row.find(':');
        title = colon == std::string::npos ? "" : trimmed(row.substr(colon + 1));
        continue;
      }
      if (const auto mark = row.find('!'); mark != std::string::npos) {
        const std::string comment = row.substr(mark);
        if (const auto quoted = comment.find("adams_view_name='"); quoted != std::string::npos) {
          const auto begin = quoted + 17, stop = comment.find('\'', begin);
          if (stop != std::string::npos) next_name = comment.substr(begin, stop - begin);
        }
        row = row.substr(0, mark);
      }
      std::string bare = trimmed(row);
      if (bare.empty()) continue;
      const bool more = bare.back() == '&';
      if (more) bare.pop_back();
      if (bare[0] == ',' || continues) {
        // What goes on inside a formula is no new field: a comma stands there for the line alone.
        text += (bare[0] == ',' && !continues ? "," : " ") + (bare[0] == ',' ? bare.substr(1) : bare);
      } else {
        flush();
        begun = line;
        name = next_name;
        next_name.clear();
        text = bare;
      }
      continues = more;
    }
    flush();
  }

  void add(const std::string& text, int line, const std::string& name) {
    Statement s;
    s.line = line;
    s.name = name;
    const auto slash = text.find('/');
    s.kind = upper_case(trimmed(text.substr(0, slash)));
    if (slash == std::string::npos) {
      statements.push_back(s);
      return;
    }
    std::string rest = text.substr(slash + 1);
    // FUNCTION is the last field: all behind it belongs to it.
    const std::string upper = upper_case(rest);
    for (const char* word : {"FUNCTION", "FUNC"}) {
      const auto found = upper.find(word);
      const auto equals = found == std::string::npos ? found : rest.find('=', found);
      if (equals == std::string::npos) continue;
      s.function = trimmed(rest.substr(equals + 1));
      rest = rest.substr(0, found);
      break;
    }
    std::string key;
    const auto parts = split(rest);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string& part = parts[i];
      const auto equals = part.find('=');
      if (i == 0 && equals == std::string::npos) {
        s.id = part;
        continue;
      }
      if (part.empty()) continue;
      if (equals != std::string::npos) {
        key = upper_case(trimmed(part.substr(0, equals)));
        s.fields[key] = {trimmed(part.substr(equals + 1))};
      } else if (!key.empty() && (std::isdigit(static_cast<unsigned char>(part[0])) || part[0] == '-' ||
                                  part[0] == '+' || part[0] == '.')) {
        s.fields[key].push_back(part);
      } else {
        s.words.insert(upper_case(part));
        key.clear();
      }
    }
    // 0101 and 101 are one marker.
    s.id = plain_id(s.id);
    statements.push_back(s);
  }

 public:
  static std::string plain_id(const std::string& id) {
    const auto first = id.find_first_not_of('0');
    return first == std::string::npos ? (id.empty() ? "" : "0") : id.substr(first);
  }

 private:
  std::string where_;
};

class AdamsReader {
 public:
  AdamsReader(const std::string& content, const std::string& where, const std::vector<std::string>& ignore)
      : deck_(content, where),
        where_(where) {
    for (const std::string& kind : ignore) ignore_.insert(upper_case(kind));
  }

  ForeignModel read() {
    sort_out();
    units();
    Json& model = out_.model;
    model["title"] = deck_.title;
    model["run"] = {{"step_s", 1e-3}, {"duration_s", 1.0}};
    for (const char* key : {"bodies", "markers", "joints", "bushings", "springs", "loads"}) model[key] = Json::array();
    each("PART", [&](const Statement& s) { part_name(s); });
    each("MARKER", [&](const Statement& s) { marker(s); });
    each("VARIABLE", [&](const Statement& s) { variables_[s.id] = &s; });
    each("PART", [&](const Statement& s) { part(s); });
    for (const auto& [id, m] : markers_) {
      Json one = {{"name", m.name}, {"body", m.body}, {"position", numbers_of(m.x)}};
      if (!m.R.isIdentity(1e-12)) one["rotation"] = rows_of(m.R);
      model["markers"].push_back(std::move(one));
    }
    each("JOINT", [&](const Statement& s) { joint(s); });
    each("JPRIM", [&](const Statement& s) { primitive(s); });
    each("MOTION", [&](const Statement& s) { motion(s); });
    each("BUSHING", [&](const Statement& s) { bushing(s); });
    each("SPRINGDAMPER", [&](const Statement& s) { springdamper(s); });
    each("SFORCE", [&](const Statement& s) { sforce(s); });
    each("ACCGRAV", [&](const Statement& s) { gravity(s); });
    if (!model.contains("gravity"))
      out_.findings.push_back(
          {Severity::note, "no_gravity", where_, "the deck has no ACCGRAV: nothing weighs", "add it"});
    return std::move(out_);
  }

 private:
  struct Marker {
    std::string name, body;
    Vector3 x = Vector3::Zero();
    Matrix3 R = Matrix3::Identity();
    int line = 0;
  };

  template <class F>
  void each(const char* kind, F&& f) {
    for (const Statement& s : deck_.statements)
      if (s.kind == kind && !ignore_.contains(s.kind)) f(s);
  }

  // What is not known stops the reading, unless it only draws or reports.
  void sort_out() {
    std::map<std::string, std::pair<int, int>> drawn, left_out;
    std::vector<std::string> missing;
    for (const Statement& s : deck_.statements) {
      if (known.contains(s.kind) && !ignore_.contains(s.kind)) continue;
      auto& of = harmless.contains(s.kind) ? drawn[s.kind] : left_out[s.kind];
      if (of.first++ == 0) of.second = s.line;
    }
    for (const auto& [kind, of] : left_out) {
      const std::string told = fmt::format("{} x {} from line {}", of.first, kind.substr(0, 40), of.second);
      if (ignore_.contains(kind))
        out_.findings.push_back({Severity::warning, "left_out", fmt::format("{}:{}", where_, of.second),
                                 told + " left out by wish", "the motion is that of a model without"});
      else
        missing.push_back(told);
    }
    if (!missing.empty())
      throw_bad_input(where_, "the deck has statements that kdyn does not have: " + join(missing, ", "),
                      "replace them, or leave them out by wish: kdyn import DECK --ignore KIND");
    std::string list;
    for (const auto& [kind, of] : drawn)
      if (kind != "END") list += fmt::format("{}{} x {}", list.empty() ? "" : ", ", of.first, kind);
    if (!list.empty())
      out_.findings.push_back({Severity::note, "not_read", where_,
                               "statements that only draw, report or steer the solver are not read: " + list, ""});
    if (std::none_of(deck_.statements.begin(), deck_.statements.end(),
                     [](const Statement& s) { return s.kind == "PART"; }))
      throw_bad_input(where_, "the deck has no PART", "give the solver deck (.adm), not the View file");
  }

  void units() {
    static const std::map<std::string, double>
        force = {{"NEWTON", 1.0},
                 {"KILONEWTON", 1e3},
                 {"KNEWTON", 1e3},
                 {"MILLINEWTON", 1e-3},
                 {"KILOGRAM_FORCE", 9.80665},
                 {"KGF", 9.80665},
                 {"DYNE", 1e-5},
                 {"POUND_FORCE", 4.4482216152605},
                 {"LBF", 4.4482216152605}},
        mass = {{"KILOGRAM", 1.0},   {"KG", 1.0},           {"GRAM", 1e-3},
                {"MEGAGRAM", 1e3},   {"TONNE", 1e3},        {"POUND_MASS", 0.45359237},
                {"LBM", 0.45359237}, {"SLUG", 14.593902937}},
        length = {{"METER", 1.0}, {"MILLIMETER", 1e-3}, {"MM", 1e-3},     {"CENTIMETER", 1e-2},
                  {"CM", 1e-2},   {"KILOMETER", 1e3},   {"INCH", 0.0254}, {"FOOT", 0.3048}},
        time = {{"SECOND", 1.0}, {"SEC", 1.0}, {"MILLISECOND", 1e-3}, {"MINUTE", 60.0}, {"HOUR", 3600.0}};
    const Statement* found = nullptr;
    each("UNITS", [&](const Statement& s) { found = &s; });
    if (!found)
      throw_bad_input(where_, "the deck has no UNITS: its numbers could be metres or millimetres",
                      "add UNITS/ FORCE = NEWTON, MASS = KILOGRAM, LENGTH = MILLIMETER, TIME = SECOND");
    if (found->words.contains("UNCONSISTENT") || found->words.contains("NONE"))
      throw_bad_input(deck_.at(*found), "the deck says that it has no units", "name them");
    const auto take = [&](const char* key, const std::map<std::string, double>& table, double& into) {
      const auto field = found->fields.find(key);
      std::vector<std::string> names;
      for (const auto& [name, value] : table) names.push_back(name);
      if (field == found->fields.end())
        throw_bad_input(deck_.at(*found), fmt::format("UNITS does not say the unit of {}", key),
                        fmt::format("add {} = one of {}", key, join(names, ", ")));
      const std::string word = upper_case(field->second[0]);
      const auto unit = table.find(word);
      if (unit == table.end())
        throw_bad_input(deck_.at(*found), fmt::format("{} is no unit of {} that kdyn knows", in_quotes(word), key),
                        suggest(word, names));
      into = unit->second;
    };
    take("FORCE", force, force_);
    take("MASS", mass, mass_);
    take("LENGTH", length, length_);
    take("TIME", time, time_);
  }

  [[noreturn]] void fail(const Statement& s, const std::string& what, const std::string& remedy) const {
    throw_bad_input(deck_.at(s), fmt::format("{}/{}: {}", s.kind, s.id, what), remedy);
  }
  double number(const Statement& s, const std::string& text, bool* degrees = nullptr) const {
    std::string plain = upper_case(trimmed(text));
    if (degrees) *degrees = false;
    if (!plain.empty() && plain[0] == '+') plain.erase(0, 1);
    double value = 0.0;
    const auto [end, ec] = double_from_chars(plain.data(), plain.data() + plain.size(), value);
    std::string rest = ec == std::errc() ? plain.substr(static_cast<std::size_t>(end - plain.data())) : plain;
    if (degrees && trimmed(rest) == "D") *degrees = true, rest.clear();
    if (ec != std::errc() || !trimmed(rest).empty() || !std::isfinite(value))
      fail(s, fmt::format("{} is no number", in_quotes(text)), "write a number; angles in degrees end with D");
    return value;
  }
  std::vector<double> numbers(const Statement& s, const char* key, std::size_t least, std::size_t most) const {
    const auto found = s.fields.find(key);
    if (found == s.fields.end()) return {};
    std::vector<double> out;
    for (const std::string& text : found->second) out.push_back(number(s, text));
    if (out.size() < least || out.size() > most)
      fail(s, fmt::format("{} has {} numbers", key, out.size()),
           least == most ? fmt::format("give {}", least) : fmt::format("give {} to {}", least, most));
    return out;
  }
  Vector3 vector(const Statement& s, const char* key, double unit) const {
    const auto v = numbers(s, key, 3, 3);
    return v.empty() ? Vector3(Vector3::Zero()) : Vector3(unit * Vector3(v[0], v[1], v[2]));
  }
  double angle(const Statement& s, const std::string& text) const {
    bool degrees = false;
    const double value = number(s, text, &degrees);
    if (degrees) return value * pi_ / 180.0;
    if (std::abs(value) > 2.0 * pi_ + 1e-6)
      fail(s, fmt::format("the angle {} is more than one turn in radians", text),
           fmt::format("write {}D for degrees", text));
    return value;
  }
  // Orientation of a part or marker: REULER about z, x, z of the turned axes, or points on its axes.
  Matrix3 rotation(const Statement& s, const Vector3& origin, const char* z_point, const char* x_point) const {
    if (const auto found = s.fields.find("REULER"); found != s.fields.end()) {
      if (found->second.size() != 3) fail(s, "REULER has not three angles", "write REULER = 90D, 0D, 0D");
      return about(2, angle(s, found->second[0])) * about(0, angle(s, found->second[1])) *
             about(2, angle(s, found->second[2]));
    }
    const bool z_given = s.fields.contains(z_point), x_given = s.fields.contains(x_point);
    if (!z_given && !x_given) return Matrix3::Identity();
    Vector3 z = vector(s, z_point, length_) - origin, x = vector(s, x_point, length_) - origin;
    // The axis that is named by USEXP is met exactly, the other one in its plane; what is not given points anywhere.
    const bool x_first = s.words.contains("USEXP") || !z_given;
    if (!z_given) z = Vector3::UnitZ();
    if (!x_given) x = std::abs(z.normalized().x()) < 0.9 ? Vector3::UnitX() : Vector3::UnitY();
    if (!(z.norm() > 0.0) || !(x.norm() > 0.0) || !(z.cross(x).norm() > 1e-9 * z.norm() * x.norm()))
      fail(s, "the points of its axes lie on one line", "move ZP or XP");
    Matrix3 R;
    if (x_first)
      x.normalize(), z = (z - x * x.dot(z)).normalized();
    else
      z.normalize(), x = (x - z * z.dot(x)).normalized();
    R.col(0) = x, R.col(1) = z.cross(x), R.col(2) = z;
    return R;
  }

  std::string own_name(const Statement& s, const std::string& otherwise) {
    std::string name =
        s.name.empty() ? otherwise : s.name.substr(s.name.rfind('.') == std::string::npos ? 0 : s.name.rfind('.') + 1);
    for (char& c : name)
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
    while (name.empty() || name == "ground" || !names_.insert(name).second)
      name = otherwise + (name == otherwise ? "_" : "");
    return name;
  }

  void part_name(const Statement& s) {
    if (parts_.contains(s.id)) fail(s, "two parts have this number", "give each its own");
    parts_[s.id] = s.words.contains("GROUND") ? "ground" : own_name(s, "part_" + s.id);
    for (const char* key : {"POINT_MASS", "FLEX_BODY"})
      if (s.words.contains(key)) fail(s, fmt::format("{} is not known", key), "write a rigid part");
  }

  void marker(const Statement& s) {
    if (s.words.contains("FLOATING"))
      fail(s, "a floating marker is not known", "remove it with the forces that use it");
    if (markers_.contains(s.id)) fail(s, "two markers have this number", "give each its own");
    const auto part = s.fields.find("PART");
    if (part == s.fields.end()) fail(s, "it has no PART", "write PART = 1");
    const auto body = parts_.find(Deck::plain_id(part->second[0]));
    if (body == parts_.end()) fail(s, fmt::format("there is no PART/{}", part->second[0]), "correct the number");
    Marker m;
    m.name = own_name(s, "marker_" + s.id);
    m.body = body->second;
    m.line = s.line;
    m.x = vector(s, "QP", length_);
    m.R = rotation(s, m.x, "ZP", "XP");
    markers_[s.id] = m;
  }
  const Marker& marker_of(const Statement& s, const std::string& text) const {
    const auto found = markers_.find(Deck::plain_id(trimmed(text)));
    if (found == markers_.end()) fail(s, fmt::format("there is no MARKER/{}", trimmed(text)), "correct the number");
    return found->second;
  }
  const Marker& field_marker(const Statement& s, const char* key) const {
    const auto found = s.fields.find(key);
    if (found == s.fields.end()) fail(s, fmt::format("it has no marker {}", key), fmt::format("write {} = 101", key));
    return marker_of(s, found->second[0]);
  }

  void part(const Statement& s) {
    if (parts_[s.id] == "ground") return;
    Json body = {{"name", parts_[s.id]}};
    const auto mass = numbers(s, "MASS", 1, 1);
    if (mass.empty() || !(mass[0] > 0.0))
      fail(s, "it has no mass", "give MASS, CM and IP; parts without mass are not known");
    const double m = mass[0] * mass_;
    body["mass"] = m;
    const Vector3 origin = vector(s, "QG", length_);
    const Matrix3 A = rotation(s, origin, "ZG", "XG");
    body["position"] = numbers_of(origin);
    if (!A.isIdentity(1e-12)) body["rotation"] = rows_of(A);
    if (!s.fields.contains("CM")) fail(s, "it has no CM", "name the marker at the centre of mass");
    const Marker& cm = field_marker(s, "CM");
    const Marker& im = s.fields.contains("IM") ? field_marker(s, "IM") : cm;
    for (const Marker* one : {&cm, &im})
      if (one->body != parts_[s.id]) fail(s, "CM or IM lies on another part", "name a marker of this part");
    body["centre"] = numbers_of(cm.x);
    const auto ip = numbers(s, "IP", 3, 6);
    if (ip.empty()) fail(s, "it has no IP", "give IP = Ixx, Iyy, Izz");
    Matrix3 J = Vector3(ip[0], ip[1], ip[2]).asDiagonal();
    const auto product = [&](std::size_t i, int a, int b) {
      if (ip.size() > i) J(a, b) = J(b, a) = -ip[i];  // Adams gives the integral of x y
    };
    product(3, 0, 1), product(4, 0, 2), product(5, 1, 2);
    // No published case with products of inertia was met so far: the sign is that of the manual's definition.
    if (J(0, 1) != 0.0 || J(0, 2) != 0.0 || J(1, 2) != 0.0)
      out_.findings.push_back({Severity::warning, "products_of_inertia", deck_.at(s),
                               "products of inertia are taken as the integrals of x y, x z and y z (Ixy = +8 makes "
                               "-8 in the tensor)",
                               "compare the principal moments with those of the program that wrote the deck; turn the "
                               "signs if that counts them the other way round"});
    J *= mass_ * length_ * length_;
    J = (im.R * J * im.R.transpose()).eval();
    const Vector3 d = cm.x - im.x;
    J -= m * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
    body["inertia"] = rows_of(0.5 * (J + J.transpose()));
    Vector3 v = Vector3::Zero(), w = Vector3::Zero();
    bool moves = false;
    for (int k = 0; k < 3; ++k) {
      const std::string speed = fmt::format("V{}", "XYZ"[k]), spin = fmt::format("W{}", "XYZ"[k]);
      if (const auto x = numbers(s, speed.c_str(), 1, 1); !x.empty()) v[k] = x[0] * length_ / time_, moves = true;
      if (const auto found = s.fields.find(spin); found != s.fields.end()) {
        bool degrees = false;
        w[k] = number(s, found->second[0], &degrees) / time_;
        if (degrees) w[k] *= pi_ / 180.0;
        moves = true;
      }
    }
    if (s.fields.contains("VM") || s.fields.contains("WM"))
      fail(s, "velocities in the axes of a marker (VM, WM) are not known", "give them in global axes");
    if (moves) {
      // Adams says the velocity of the centre of mass, and both in global axes (spin: in those of the centre of mass).
      const Vector3 spin = A * cm.R * w;
      body["velocity"] = numbers_of(v - spin.cross(A * cm.x));
      body["angular_velocity"] = numbers_of(spin);
    }
    out_.model["bodies"].push_back(std::move(body));
  }

  // A marker in place, with its axes in another order: columns of the turned frame.
  static Json turned(const Marker& m, const std::array<int, 3>& columns) {
    Matrix3 R;
    for (int k = 0; k < 3; ++k) R.col(k) = m.R.col(columns[static_cast<std::size_t>(k)]);
    return {{"body", m.body}, {"position", numbers_of(m.x)}, {"rotation", rows_of(R)}};
  }

  void joint(const Statement& s) {
    static const std::map<std::string, std::string> kinds = {
        {"REVOLUTE", "revolute"},           {"SPHERICAL", "spherical"}, {"FIXED", "fixed"},
        {"TRANSLATIONAL", "translational"}, {"PLANAR", "planar"},       {"UNIVERSAL", "universal"},
        {"CYLINDRICAL", "cylindrical"},     {"HOOKE", "universal"}};
    const Marker &i = field_marker(s, "I"), &j = field_marker(s, "J");
    std::string kind;
    for (const auto& [word, name] : kinds)
      if (s.words.contains(word)) kind = name;
    if (kind.empty())
      fail(s, fmt::format("this joint is not known: {}", join({s.words.begin(), s.words.end()}, " ")),
           "replace it, or leave all joints out: --ignore JOINT");
    Json out = {{"name", own_name(s, "joint_" + s.id)}, {"kind", kind}};
    // Reactions are shown on the second marker's body, I as in Adams.
    if (kind == "universal")
      out["markers"] = Json::array({turned(j, {2, 0, 1}), turned(i, {1, 2, 0})});
    else
      out["markers"] = Json::array({j.name, i.name});
    joint_kinds_[s.id] = {kind, i.name, j.name};
    // Initial conditions of joints would be lost.
    for (const char* key : {"IC", "ICTRAN", "ICROT", "DELTA_V", "MU_STATIC", "FRICTION"})
      if (s.fields.contains(key) || s.words.contains(key))
        fail(s, fmt::format("{} is not known", key), "remove it; give velocities of the parts");
    out_.model["joints"].push_back(std::move(out));
  }

  void primitive(const Statement& s) {
    static const std::map<std::string, std::string> kinds = {
        {"ATPOINT", "spherical"}, {"INLINE", "point_on_line"}, {"ORIENTATION", "orientation"}};
    std::string kind;
    for (const auto& [word, name] : kinds)
      if (s.words.contains(word)) kind = name;
    if (kind.empty())
      fail(s, fmt::format("this primitive is not known: {}", join({s.words.begin(), s.words.end()}, " ")),
           "replace it by a joint");
    out_.model["joints"].push_back({{"name", own_name(s, "jprim_" + s.id)},
                                    {"kind", kind},
                                    {"markers", Json::array({field_marker(s, "J").name, field_marker(s, "I").name})}});
  }

  void motion(const Statement& s) {
    std::string i, j, kind;
    if (const auto at = s.fields.find("JOINT"); at != s.fields.end()) {
      const auto found = joint_kinds_.find(Deck::plain_id(at->second[0]));
      if (found == joint_kinds_.end())
        fail(s, fmt::format("there is no JOINT/{}", at->second[0]), "correct the number");
      kind = found->second[0], i = found->second[1], j = found->second[2];
    } else {
      fail(s, "only the motion of a joint is known", "write JOINT = 1");
    }
    const bool rotates = s.words.contains("ROTATION") || (!s.words.contains("TRANSLATION") && kind == "revolute");
    if (kind != (rotates ? "revolute" : "translational") && kind != "cylindrical")
      fail(s, fmt::format("a {} joint cannot be driven this way", kind),
           "drive revolute, translational or cylindrical joints");
    if (s.words.contains("VELOCITY") || s.words.contains("ACCELERATION"))
      fail(s, "a motion by its velocity or acceleration is not known", "give the displacement");
    const Translated f = translate(s, s.function, false);
    out_.model["joints"].push_back({{"name", own_name(s, "motion_" + s.id)},
                                    {"kind", rotates ? "drive_rotation" : "drive_translation"},
                                    {"markers", Json::array({j, i})},
                                    {"axis", "z"},
                                    {"drive", rotates ? f.text : fmt::format("{}*({})", length_, f.text)}});
  }

  static Json spring_law(double k, double c) {
    return {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", c}}}};
  }

  void bushing(const Statement& s) {
    const Marker &i = field_marker(s, "I"), &j = field_marker(s, "J");
    Json out = {{"name", own_name(s, "bushing_" + s.id)},
                {"markers", Json::array({j.name, i.name})},
                {"laws", Json::object()},
                {"forces", Json::object()}};
    Json preload = Json::array();
    for (const bool turns : {false, true}) {
      const double unit = turns ? force_ * length_ : force_ / length_, damping_unit = unit * time_,
                   load_unit = turns ? force_ * length_ : force_;
      auto k = numbers(s, turns ? "KT" : "K", 3, 3), c = numbers(s, turns ? "CT" : "C", 3, 3),
           f = numbers(s, turns ? "TORQUE" : "FORCE", 3, 3);
      k.resize(3, 0.0), c.resize(3, 0.0), f.resize(3, 0.0);
      for (std::size_t a = 0; a < 3; ++a) {
        const std::string axis = fmt::format("{}{}", turns ? 't' : 'f', "xyz"[a]);
        if (k[a] > 0.0)
          out["laws"][axis] = spring_law(k[a] * unit, c[a] * damping_unit);
        else if (k[a] != 0.0 || c[a] != 0.0)
          out["forces"][axis] =
              fmt::format("{}*[{}.{}.deflection] + {}*[{}.{}.rate]", k[a] * unit, out["name"].get<std::string>(), axis,
                          c[a] * damping_unit, out["name"].get<std::string>(), axis);
        preload.push_back(f[a] == 0.0 ? 0.0 : -f[a] * load_unit);
      }
    }
    if (out["forces"].empty()) out.erase("forces");
    out["preload"] = std::move(preload);
    out_.model["bushings"].push_back(std::move(out));
  }

  void springdamper(const Statement& s) {
    const Marker &i = field_marker(s, "I"), &j = field_marker(s, "J");
    const bool turns = s.words.contains("ROTATION");
    const std::string name = own_name(s, "spring_" + s.id);
    const auto value = [&](const char* key) {
      const auto v = numbers(s, key, 1, 1);
      return v.empty() ? 0.0 : v[0];
    };
    if (turns) {
      const double unit = force_ * length_, rest = s.fields.contains("ANGLE") ? angle(s, s.fields.at("ANGLE")[0]) : 0.0;
      Json out = {{"name", name}, {"markers", Json::array({j.name, i.name})}};
      out["forces"]["tz"] = fmt::format("{}*([{}.tz.deflection] - {}) + {}*[{}.tz.rate] - {}", value("KT") * unit, name,
                                        rest, value("CT") * unit * time_, name, value("TORQUE") * unit);
      out_.model["bushings"].push_back(std::move(out));
      return;
    }
    Json out = {{"name", name}, {"markers", Json::array({j.name, i.name})}, {"rest_length", 0.0}};
    out["force"] =
        fmt::format("{}*([{}.deflection] - {}) + {}*[{}.rate] - {}", value("K") * force_ / length_, name,
                    value("LENGTH") * length_, value("C") * force_ * time_ / length_, name, value("FORCE") * force_);
    out_.model["springs"].push_back(std::move(out));
  }

  void sforce(const Statement& s) {
    const Marker &i = field_marker(s, "I"), &j = field_marker(s, "J");
    const std::string name = own_name(s, "sforce_" + s.id);
    if (s.function.empty()) fail(s, "it has no FUNCTION", "user subroutines are not known");
    const bool turns = s.words.contains("ROTATIONAL") || s.words.contains("ROTATION");
    if (s.words.contains("ACTIONONLY")) {
      if (j.body != "ground")
        fail(s, "a force without reaction along the axis of a moving marker is not known", "put J on ground");
      const Translated f = translate(s, s.function, true);
      const Vector3 z = j.R.col(2);
      Json three = Json::array();
      const double unit = turns ? force_ * length_ : force_;
      for (int k = 0; k < 3; ++k)
        three.push_back(std::abs(z[k]) < 1e-12 ? Json(0.0) : Json(fmt::format("{}*({})", unit * z[k], f.text)));
      out_.model["loads"].push_back(
          {{"name", name}, {"marker", i.name}, {turns ? "torque" : "force", std::move(three)}});
      return;
    }
    const Translated f = translate(s, s.function, true);
    const double unit = turns ? force_ * length_ : force_;
    const std::string text = fmt::format("-{}*({})", unit, f.text);  // Adams: positive pushes apart
    Json out = {{"name", name}, {"markers", Json::array({j.name, i.name})}};
    if (turns) {
      out["forces"] = {{"tz", text}};
      out_.model["bushings"].push_back(std::move(out));
    } else {
      out["rest_length"] = 0.0;
      out["force"] = text;
      out_.model["springs"].push_back(std::move(out));
    }
  }

  void gravity(const Statement& s) {
    Vector3 g = Vector3::Zero();
    for (int k = 0; k < 3; ++k)
      if (const auto v = numbers(s, fmt::format("{}GRAV", "IJK"[k]).c_str(), 1, 1); !v.empty())
        g[k] = v[0] * length_ / (time_ * time_);
    out_.model["gravity"] = numbers_of(g);
    if (g.norm() > 0.0 && (g.norm() > 30.0 || g.norm() < 1.0))
      out_.findings.push_back({Severity::warning, "gravity_units", deck_.at(s),
                               fmt::format("gravity is {:.4g} m/s^2 by the units of the deck", g.norm()),
                               "check LENGTH and TIME of UNITS against ACCGRAV"});
  }

  // A function of Adams as formula of kdyn; its value stays in units of the deck, what it reads is turned into them.
  struct Translated {
    std::string text;
  };
  Translated translate(const Statement& s, const std::string& function, bool state) {
    if (++depth_ > 20)
      fail(s, "its functions stand in each other more than 20 deep, or variables depend on themselves",
           "give the formula itself");
    std::string out;
    const std::string& f = function;
    const auto unknown = [&](const std::string& name) {
      fail(s, fmt::format("the function {} is not known", name),
           "kdyn reads DM, VR, DX, DY, DZ, VX, VY, VZ, AZ, WZ, VARVAL, IF, STEP, MIN, MAX, SIGN and usual functions");
    };
    for (std::size_t i = 0; i < f.size();) {
      const char c = f[i];
      if (std::isspace(static_cast<unsigned char>(c)) || c == '\\') {
        ++i;
      } else if (c == ',' && !out.empty() && paren_depth(out) == 0) {
        ++i;  // the comma that a continued line begins with
      } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_') {
        std::size_t end = i;
        while (end < f.size() && (std::isalnum(static_cast<unsigned char>(f[end])) || f[end] == '_')) ++end;
        const std::string word = upper_case(f.substr(i, end - i));
        i = end;
        while (i < f.size() && std::isspace(static_cast<unsigned char>(f[i]))) ++i;
        if (i < f.size() && f[i] == '(') {
          int depth = 0;
          const std::size_t open = i;
          do {
            if (f[i] == '(') ++depth;
            if (f[i] == ')') --depth;
            ++i;
          } while (i < f.size() && depth > 0);
          if (depth > 0) fail(s, "a parenthesis is not closed", "close it");
          out += call(s, word, f.substr(open + 1, i - open - 2), state);
        } else if (word == "TIME") {
          out += time_ == 1.0 ? "t" : fmt::format("(t/{})", time_);
        } else if (word == "PI") {
          out += "pi";
        } else if (word == "DTOR" || word == "RTOD") {
          out += word == "DTOR" ? "(pi/180)" : "(180/pi)";
        } else {
          unknown(word);
        }
      } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
        double value = 0.0;
        const auto [end, ec] = double_from_chars(f.data() + i, f.data() + f.size(), value);
        if (ec != std::errc()) fail(s, "a number cannot be read", "correct the function");
        i = static_cast<std::size_t>(end - f.data());
        const bool degrees = i < f.size() && (f[i] == 'D' || f[i] == 'd') &&
                             (i + 1 >= f.size() || !std::isalnum(static_cast<unsigned char>(f[i + 1])));
        if (degrees) ++i;
        out += degrees ? fmt::format("({}*pi/180)", value) : fmt::format("{}", value);
      } else if (c == '*' && i + 1 < f.size() && f[i + 1] == '*') {
        out += '^';
        i += 2;
      } else {
        out += c;
        ++i;
      }
    }
    --depth_;
    if (out.empty()) fail(s, "its function is empty", "give a formula");
    return {out};
  }
  static int paren_depth(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '(') - std::count(text.begin(), text.end(), ')'));
  }

  std::string call(const Statement& s, const std::string& word, const std::string& inside, bool state) {
    const auto parts = split(inside);
    const auto inner = [&](std::size_t k) { return "(" + translate(s, parts.at(k), state).text + ")"; };
    const auto all = [&] {
      std::string list;
      for (std::size_t k = 0; k < parts.size(); ++k) list += (k > 0 ? ", " : "") + inner(k);
      return list;
    };
    static const std::map<std::string, std::string> same = {
        {"SIN", "sin"},   {"COS", "cos"}, {"TAN", "tan"},   {"ATAN", "atan"}, {"EXP", "exp"}, {"LOG", "log"},
        {"SQRT", "sqrt"}, {"ABS", "abs"}, {"TANH", "tanh"}, {"MIN", "min"},   {"MAX", "max"}};
    if (const auto found = same.find(word); found != same.end()) return found->second + "(" + all() + ")";
    if (word == "STEP" && parts.size() == 5)
      return fmt::format("step({}, {}, {}, {}, {})", inner(0), inner(1), inner(2), inner(3), inner(4));
    if (word == "SIGN" && parts.size() == 2) return fmt::format("(abs({})*if({} >= 0, 1, -1))", inner(0), inner(1));
    if (word == "IF") {
      const auto colon = inside.find(':');
      const auto three = colon == std::string::npos ? std::vector<std::string>{} : split(inside.substr(colon + 1));
      if (three.size() != 3) fail(s, "an IF is not IF(x: a, b, c)", "correct it");
      const std::string x = "(" + translate(s, inside.substr(0, colon), state).text + ")";
      const auto part = [&](std::size_t k) { return "(" + translate(s, three[k], state).text + ")"; };
      return fmt::format("if({} < 0, {}, if({} > 0, {}, {}))", x, part(0), x, part(2), part(1));
    }
    if (word == "VARVAL" && parts.size() == 1) {
      const auto found = variables_.find(Deck::plain_id(parts[0]));
      if (found == variables_.end()) fail(s, fmt::format("there is no VARIABLE/{}", parts[0]), "correct the number");
      return "(" + translate(*found->second, found->second->function, state).text + ")";
    }
    if (!state && (word == "DM" || word == "VR" || word.size() == 2))
      fail(s, "a motion that depends on the state is not known", "give it as function of TIME");
    const auto scaled = [&](const std::string& signal, double unit) {
      return unit == 1.0 ? "[" + signal + "]" : fmt::format("([{}]/{})", signal, unit);
    };
    if ((word == "DM" || word == "VR") && !parts.empty() && parts.size() <= 2) {
      // The distance of two markers: a spring without law.
      const std::string pair = measured(s, parts, "springs");
      return word == "DM" ? scaled(pair + ".deflection", length_) : scaled(pair + ".rate", length_ / time_);
    }
    if ((word == "AZ" || word == "WZ") && !parts.empty() && parts.size() <= 2) {
      const std::string pair = measured(s, parts, "bushings");
      return word == "AZ" ? scaled(pair + ".tz.deflection", 1.0) : scaled(pair + ".tz.rate", 1.0 / time_);
    }
    if (word.size() == 2 && (word[0] == 'D' || word[0] == 'V') && word[1] >= 'X' && word[1] <= 'Z' && !parts.empty() &&
        parts.size() <= 2) {
      const char axis = static_cast<char>(word[1] - 'X' + 'x');
      const char* what = word[0] == 'D' ? "position" : "velocity";
      const double unit = word[0] == 'D' ? length_ : length_ / time_;
      std::string text = scaled(fmt::format("{}.{}.{}", moving(s, parts[0]), what, axis), unit);
      if (parts.size() == 2)
        text = fmt::format("({} - {})", text, scaled(fmt::format("{}.{}.{}", moving(s, parts[1]), what, axis), unit));
      return text;
    }
    fail(s, fmt::format("the function {} is not known in this form", word),
         "kdyn reads DM, VR, DX, DY, DZ, VX, VY, VZ (global axes), AZ, WZ, VARVAL, IF, STEP, MIN, MAX, SIGN and usual "
         "functions");
  }
  std::string moving(const Statement& s, const std::string& id) const { return marker_of(s, id).name; }
  // A pair of markers that a formula looks at.
  std::string measured(const Statement& s, const std::vector<std::string>& ids, const char* list) {
    const std::string i = marker_of(s, ids[0]).name, j = ids.size() > 1 ? marker_of(s, ids[1]).name : "";
    const std::string key = std::string(list) + i + " " + j;
    if (const auto found = pairs_.find(key); found != pairs_.end()) return found->second;
    Statement none;
    const std::string name = own_name(none, fmt::format("between_{}_{}", i, j.empty() ? "ground" : j));
    Json out = {{"name", name}, {"markers", Json::array({j.empty() ? Json{{"body", "ground"}} : Json(j), i})}};
    if (list == std::string("springs"))
      out["rest_length"] = 0.0, out["force"] = "0";
    else
      out["forces"] = {{"tz", "0"}};
    out_.model[list].push_back(std::move(out));
    return pairs_[key] = name;
  }

  static constexpr double pi_ = 0.5 * two_pi;
  Deck deck_;
  std::string where_;
  std::set<std::string> ignore_, names_;
  ForeignModel out_;
  double force_ = 1.0, mass_ = 1.0, length_ = 1.0, time_ = 1.0;
  std::map<std::string, std::string> parts_, pairs_;
  std::map<std::string, Marker> markers_;
  std::map<std::string, const Statement*> variables_;
  std::map<std::string, std::array<std::string, 3>> joint_kinds_;
  int depth_ = 0;
};

}  // namespace

ForeignModel read_adams(const std::string& content, const std::string& where, const std::vector<std::string>& ignore) {
  return AdamsReader(content, where, ignore).read();
}

}  // namespace kdyn::mbs
