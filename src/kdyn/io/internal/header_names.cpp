// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/header_names.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"

namespace kdyn::inline io::internal {
namespace {

using enum Quantity;

// Letters outside ASCII as names are compared.
constexpr std::pair<std::string_view, std::string_view> plain_letters[] = {
    {"\xc3\xa4", "a"},     {"\xc3\x84", "a"},     {"\xc3\xb6", "o"},      {"\xc3\x96", "o"},     {"\xc3\xbc", "u"},
    {"\xc3\x9c", "u"},     {"\xc3\x9f", "ss"},    {"\xc3\xa9", "e"},      {"\xc3\xa8", "e"},     {"\xc3\xaa", "e"},
    {"\xc3\x89", "e"},     {"\xc3\xa0", "a"},     {"\xc3\xa2", "a"},      {"\xc3\xa7", "c"},     {"\xc3\xb4", "o"},
    {"\xc3\xae", "i"},     {"\xce\xb4", "delta"}, {"\xcf\x86", "phi"},    {"\xcf\x95", "phi"},   {"\xce\xb7", "eta"},
    {"\xcf\x89", "omega"}, {"\xc2\xb5", "u"},     {"\xce\xbc", "u"},      {"\xe2\x80\xb2", "'"}, {"\xe2\x80\xb3", "''"},
    {"\xe2\x80\x99", "'"}, {"\xe2\x80\x98", "'"}, {"\xe2\x80\x9d", "''"}, {"\xc2\xb4", "'"},     {"\xc2\xa0", " "},
    {"\xce\x94", "delta"}, {"\xe2\x80\x93", "-"},
};

struct Word {
  std::string_view name;
  Quantity quantity;
  bool weak;
};

// Beyond column_names.cpp: German, French, symbols of the field, names of channels. Weak ones need a unit that agrees.
constexpr Word words[] = {
    {"frequence", frequency, false},
    {"freq", frequency, false},
    {"test_frequency", frequency, false},
    {"prufrequenz", frequency, false},
    {"pruffrequenz", frequency, false},
    {"erregerfrequenz", frequency, false},
    {"anregungsfrequenz", frequency, false},
    {"freq_hz", frequency, false},
    {"x0", amplitude, false},
    {"s0", amplitude, false},
    {"xa", amplitude, false},
    {"sa", amplitude, false},
    {"x_dyn", amplitude, false},
    {"xdyn", amplitude, false},
    {"s_dyn", amplitude, false},
    {"a", amplitude, true},
    {"dyn_amplitude", amplitude, false},
    {"dynamic_displacement", amplitude, false},
    {"dynamic_displacement_amplitude", amplitude, false},
    {"dyn_displacement", amplitude, false},
    {"amplitude_dynamique", amplitude, false},
    {"amplitude_de_deplacement", amplitude, false},
    {"amplitude_deplacement", amplitude, false},
    {"wegamplitude", amplitude, false},
    {"schwingwegamplitude", amplitude, false},
    {"schwingamplitude", amplitude, false},
    {"schwingweg", amplitude, false},
    {"anregungsamplitude", amplitude, false},
    {"auslenkung", amplitude, false},
    {"winkelamplitude", amplitude, false},
    {"twist_amplitude", amplitude, false},
    {"strain_amplitude_displacement", amplitude, false},
    {"sollamplitude", nominal_amplitude, false},
    {"amplitude_soll", nominal_amplitude, false},
    {"amplitude_setpoint", nominal_amplitude, false},
    {"setpoint_amplitude", nominal_amplitude, false},
    {"fv", preload, false},
    {"f0", preload, false},
    {"fm", preload, false},
    {"f_v", preload, false},
    {"f_0", preload, false},
    {"f_m", preload, false},
    {"f_mean", preload, false},
    {"f_vor", preload, false},
    {"fvor", preload, false},
    {"vorspannkraft", preload, false},
    {"vorkraft", preload, false},
    {"mittellast", preload, false},
    {"mittelkraft", preload, false},
    {"statische_last", preload, false},
    {"statische_vorlast", preload, false},
    {"stat_vorlast", preload, false},
    {"precharge", preload, false},
    {"pre_charge", preload, false},
    {"charge_statique", preload, false},
    {"effort_moyen", preload, false},
    {"static_force", preload, false},
    {"static_load", preload, false},
    {"mean_axial_load", preload, false},
    {"vormoment", preload, false},
    {"mean_torque", preload, false},
    {"k*", k_dyn, false},
    {"c*", k_dyn, false},
    {"|k*|", k_dyn, false},
    {"|k|", k_dyn, false},
    {"abs_k", k_dyn, false},
    {"k_abs", k_dyn, false},
    {"k_complex", k_dyn, false},
    {"complex_stiffness_k*", k_dyn, false},
    {"dynamic_stiffness_k*", k_dyn, false},
    {"dynamic_stiffness_kdyn", k_dyn, false},
    {"dyn_steifigkeit", k_dyn, false},
    {"dyn_steifigkeit_cdyn", k_dyn, false},
    {"dynamische_steifigkeit_cdyn", k_dyn, false},
    {"komplexe_steifigkeit", k_dyn, false},
    {"dynamische_federsteifigkeit", k_dyn, false},
    {"federsteifigkeit", k_dyn, false},
    {"dyn_federrate", k_dyn, false},
    {"dynamische_federrate", k_dyn, false},
    {"federrate", k_dyn, false},
    {"dynamic_spring_rate", k_dyn, false},
    {"dynamic_rate", k_dyn, false},
    {"dynamic_modulus", k_dyn, false},
    {"spring_rate", k_dyn, false},
    {"raideur", k_dyn, false},
    {"raideur_dynamique", k_dyn, false},
    {"rigidite", k_dyn, false},
    {"rigidite_dynamique", k_dyn, false},
    {"rigidite_complexe", k_dyn, false},
    {"torsional_stiffness", k_dyn, false},
    {"drehsteifigkeit", k_dyn, false},
    {"torsionssteifigkeit", k_dyn, false},
    {"c", k_dyn, true},
    {"k", k_dyn, true},
    {"phasenwinkel", loss_angle, false},
    {"phasenverschiebung", loss_angle, false},
    {"phase_lag", loss_angle, false},
    {"phase_shift", loss_angle, false},
    {"phase_delta", loss_angle, false},
    {"loss_angle_delta", loss_angle, false},
    {"verlustwinkel_delta", loss_angle, false},
    {"verlustwinkel_phi", loss_angle, false},
    {"angle_de_perte", loss_angle, false},
    {"angle_de_phase", loss_angle, false},
    {"dephasage", loss_angle, false},
    {"tan_delta", loss_factor, false},
    {"tan", loss_factor, false},
    {"tan_phi", loss_factor, false},
    {"tanphi", loss_factor, false},
    {"tan_(delta)", loss_factor, false},
    {"tan(delta)", loss_factor, false},
    {"eta", loss_factor, false},
    {"facteur_de_perte", loss_factor, false},
    {"loss_tangent", loss_factor, false},
    {"k'", storage_stiffness, false},
    {"c'", storage_stiffness, false},
    {"k_prime", storage_stiffness, false},
    {"kprime", storage_stiffness, false},
    {"k1", storage_stiffness, false},
    {"storage_stiffness", storage_stiffness, false},
    {"storage_stiffness_k'", storage_stiffness, false},
    {"elastic_stiffness", storage_stiffness, false},
    {"in_phase_stiffness", storage_stiffness, false},
    {"speichersteifigkeit", storage_stiffness, false},
    {"speicheranteil", storage_stiffness, false},
    {"rigidite_de_stockage", storage_stiffness, false},
    {"raideur_elastique", storage_stiffness, false},
    {"k_storage", storage_stiffness, false},
    {"k_real", storage_stiffness, false},
    {"real_k", storage_stiffness, false},
    {"re_k", storage_stiffness, false},
    {"re(k)", storage_stiffness, false},
    {"re(k*)", storage_stiffness, false},
    {"k_re", storage_stiffness, false},
    {"re_k*", storage_stiffness, false},
    {"stiffness_real", storage_stiffness, false},
    {"real_stiffness", storage_stiffness, false},
    {"real", storage_stiffness, true},
    {"re", storage_stiffness, true},
    {"realteil", storage_stiffness, true},
    {"k''", loss_stiffness, false},
    {"k\"", loss_stiffness, false},
    {"c''", loss_stiffness, false},
    {"c\"", loss_stiffness, false},
    {"k_double_prime", loss_stiffness, false},
    {"kdoubleprime", loss_stiffness, false},
    {"k2", loss_stiffness, false},
    {"loss_stiffness", loss_stiffness, false},
    {"loss_stiffness_k''", loss_stiffness, false},
    {"viscous_stiffness", loss_stiffness, false},
    {"quadrature_stiffness", loss_stiffness, false},
    {"verluststeifigkeit", loss_stiffness, false},
    {"verlustanteil", loss_stiffness, false},
    {"rigidite_de_perte", loss_stiffness, false},
    {"raideur_de_perte", loss_stiffness, false},
    {"k_loss", loss_stiffness, false},
    {"k_imag", loss_stiffness, false},
    {"imag_k", loss_stiffness, false},
    {"im_k", loss_stiffness, false},
    {"im(k)", loss_stiffness, false},
    {"im(k*)", loss_stiffness, false},
    {"k_im", loss_stiffness, false},
    {"im_k*", loss_stiffness, false},
    {"stiffness_imag", loss_stiffness, false},
    {"imaginary_stiffness", loss_stiffness, false},
    {"imag", loss_stiffness, true},
    {"im", loss_stiffness, true},
    {"imaginarteil", loss_stiffness, true},
    {"damping", damping, false},
    {"damping_coefficient", damping, false},
    {"damping_c", damping, false},
    {"equivalent_damping", damping, false},
    {"viscous_damping", damping, false},
    {"dampfung", damping, false},
    {"daempfung", damping, false},
    {"dampfungskonstante", damping, false},
    {"dampfungskoeffizient", damping, false},
    {"amortissement", damping, false},
    {"c", damping, true},
    {"d", damping, true},
    {"b", damping, true},
    {"c_eq", damping, true},
    {"extension", displacement, false},
    {"elongation", displacement, false},
    {"lvdt", displacement, false},
    {"crosshead", displacement, false},
    {"crosshead_travel", displacement, false},
    {"traverse", displacement, false},
    {"traversenweg", displacement, false},
    {"standardweg", displacement, false},
    {"kolbenweg", displacement, false},
    {"verformung", displacement, false},
    {"federweg", displacement, false},
    {"dehnung_weg", displacement, false},
    {"deplacement", displacement, false},
    {"course", displacement, false},
    {"deformation", displacement, false},
    {"actuator_position", displacement, false},
    {"ram_position", displacement, false},
    {"hub", displacement, false},
    {"angular_displacement", displacement, false},
    {"twist_angle", displacement, false},
    {"load_cell", force, false},
    {"standardkraft", force, false},
    {"prufkraft", force, false},
    {"last", force, false},
    {"charge", force, false},
    {"effort", force, false},
    {"couple", force, false},
    {"kraftaufnehmer", force, false},
    {"running_time", time, false},
    {"elapsed_time", time, false},
    {"test_time", time, false},
    {"total_time", time, false},
    {"segment_time", time, false},
    {"prufzeit", time, false},
    {"messzeit", time, false},
    {"laufzeit", time, false},
    {"temps", time, false},
    {"duree", time, false},
    {"chamber_temperature", temperature, false},
    {"ambient_temperature", temperature, false},
    {"pruftemperatur", temperature, false},
    {"kammertemperatur", temperature, false},
    {"temp", temperature, false},
    {"t", time, true},
};

constexpr std::string_view part_words[] = {
    "part",          "part_no",     "part_number",  "part_id",    "specimen",    "specimen_id",
    "sample",        "sample_id",   "teil",         "teil_nr",    "teilenummer", "teile_nr",
    "prufling",      "probe",       "probennummer", "proben_nr",  "serial_no",   "serial_number",
    "mount",         "mount_id",    "piece",        "reference",  "prufteil",    "muster",
    "specimen_name", "sample_name", "bauteil",      "eprouvette", "part_name",   "probenbezeichnung"};
constexpr std::string_view direction_words[] = {
    "direction",      "axis",         "richtung", "achse",        "belastungsrichtung", "lastrichtung",
    "test_direction", "prufrichtung", "sens",     "messrichtung", "load_direction",     "axe"};

constexpr std::string_view peak_to_peak_words[] = {"pp",
                                                   "p_p",
                                                   "p2p",
                                                   "pkpk",
                                                   "ptp",
                                                   "pk_pk",
                                                   "peak_to_peak",
                                                   "peak_peak",
                                                   "spitze_spitze",
                                                   "double_amplitude",
                                                   "double",
                                                   "doppelamplitude",
                                                   "ss",
                                                   "crete_a_crete",
                                                   "crete_crete",
                                                   "cc"};
constexpr std::string_view rms_words[] = {"rms", "eff", "effektiv", "efficace"};
constexpr std::string_view peak_words[] = {
    "0_p", "0p", "zero_to_peak", "0_peak", "0_pk", "peak", "pk", "single_amplitude", "o_p", "zero_peak", "spitze"};

constexpr std::pair<std::string_view, std::string_view> directions[] = {
    {"x", "x"},
    {"y", "y"},
    {"z", "z"},
    {"fx", "x"},
    {"fy", "y"},
    {"fz", "z"},
    {"dx", "x"},
    {"dy", "y"},
    {"dz", "z"},
    {"rx", "rx"},
    {"ry", "ry"},
    {"rz", "rz"},
    {"mx", "rx"},
    {"my", "ry"},
    {"mz", "rz"},
    {"radial", "radial"},
    {"axial", "axial"},
    {"torsional", "torsional"},
    {"torsion", "torsional"},
    {"kardanisch", "cardanic"},
    {"cardanic", "cardanic"},
    {"conical", "cardanic"},
    {"vertical", "z"},
    {"vertikal", "z"},
    {"lateral", "y"},
    {"longitudinal", "x"},
    {"laengs", "x"},
    {"langs", "x"},
    {"quer", "y"},
    {"hoch", "z"},
    {"tx", "rx"},
    {"ty", "ry"},
    {"tz", "rz"},
    {"xdir", "x"},
    {"ydir", "y"},
    {"zdir", "z"},
    {"rad", "radial"},
    {"ax", "axial"},
    {"+x", "x"},
    {"+y", "y"},
    {"+z", "z"},
};

// Takes `phrase` (words joined by _) out of `name` when something is left of it.
bool take_phrase(std::string& name, std::string_view phrase) {
  for (auto at = name.find(phrase); at != std::string::npos; at = name.find(phrase, at + 1)) {
    const auto end = at + phrase.size();
    const bool first = at == 0, last = end == name.size();
    if ((!first && name[at - 1] != '_') || (!last && name[end] != '_') || (first && last)) continue;
    name.erase(first ? 0 : at - 1, phrase.size() + 1);
    return true;
  }
  return false;
}

template <std::size_t n>
bool listed_word(const std::string_view (&list)[n], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// What is said of an amplitude beside its name; taken out of the name.
std::optional<AmplitudeKind> take_kind(std::string& name) {
  for (const std::string_view phrase : peak_to_peak_words)
    if (name == phrase || take_phrase(name, phrase)) return AmplitudeKind::peak_to_peak;
  for (const std::string_view phrase : rms_words)
    if (name == phrase || take_phrase(name, phrase)) return AmplitudeKind::rms;
  for (const std::string_view phrase : peak_words)
    if (name == phrase || take_phrase(name, phrase)) return AmplitudeKind::peak;
  return std::nullopt;
}

bool fits(const std::string& unit, Quantity quantity) {
  return unit_fits(unit, quantity, false) || unit_fits(unit, quantity, true);
}

// Among equal names the one whose unit agrees; without a unit the first that is not weak.
std::optional<Word> find_word(const std::string& name, const std::string& unit) {
  std::optional<Word> found;
  for (const Word& word : words) {
    if (word.name != name) continue;
    if (unit.empty() ? !word.weak : fits(unit, word.quantity)) return word;
    if (!word.weak && !found) found = word;
  }
  return found;
}

struct Brackets {
  std::string outside;
  std::vector<std::string> inside;
};
// "Dynamic Stiffness (K*) [N/mm]" -> "Dynamic Stiffness", {"K*", "N/mm"}; brackets of functions such as Re(K) stay.
Brackets split_all_brackets(std::string_view text) {
  Brackets out;
  for (std::size_t i = 0; i < text.size();) {
    const char close = text[i] == '[' ? ']' : text[i] == '(' ? ')' : text[i] == '{' ? '}' : text[i] == '<' ? '>' : '\0';
    const auto end = close == '\0' ? std::string_view::npos : text.find(close, i + 1);
    const bool function =
        text[i] == '(' && i > 0 && std::isalpha(static_cast<unsigned char>(text[i - 1])) != 0 &&
        (lower_case(text.substr(0, i)).ends_with("re") || lower_case(text.substr(0, i)).ends_with("im") ||
         lower_case(text.substr(0, i)).ends_with("tan"));
    if (end == std::string_view::npos || function) {
      out.outside += text[i++];
      continue;
    }
    out.inside.emplace_back(trim(text.substr(i + 1, end - i - 1)));
    out.outside += ' ';
    i = end + 1;
  }
  return out;
}

}  // namespace

double amplitude_factor(AmplitudeKind kind) {
  return kind == AmplitudeKind::peak_to_peak ? 0.5 : kind == AmplitudeKind::rms ? std::numbers::sqrt2 : 1.0;
}
const char* to_string(AmplitudeKind kind) {
  return kind == AmplitudeKind::peak_to_peak ? "peak-to-peak" : kind == AmplitudeKind::rms ? "rms" : "zero-to-peak";
}

std::string plain_words(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const auto* letter = std::find_if(std::begin(plain_letters), std::end(plain_letters),
                                      [&](const auto& one) { return text.substr(i).starts_with(one.first); });
    if (letter != std::end(plain_letters)) {
      plain += letter->second;
      i += letter->first.size();
    } else {
      plain += text[i++];
    }
  }
  plain = lower_case(plain);
  std::string out;
  for (const char c : plain) {
    const bool gap = c == ' ' || c == '\t' || c == '_' || c == '-' || c == ',' || c == ':' || c == ';' || c == '=' ||
                     c == '@' || c == '.' || c == '\n';
    if (!gap)
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  while (!out.empty() && out.back() == '_') out.pop_back();
  return out;
}

UnitText read_unit_text(std::string_view raw) {
  UnitText out;
  std::string text(trim(raw));
  if (text.empty() || text.size() > 40) return out;
  if ((text.front() == '[' && text.back() == ']') || (text.front() == '(' && text.back() == ')'))
    text = std::string(trim(std::string_view(text).substr(1, text.size() - 2)));
  for (const std::string_view sign : {"\xc2\xb1", "+/-", "+-"})
    if (text.starts_with(sign)) {
      text = std::string(trim(std::string_view(text).substr(sign.size())));
      out.kind = AmplitudeKind::peak;
    }
  static constexpr std::pair<std::string_view, std::string_view> spellings[] = {
      {"grad", "deg"},
      {"\xc2\xba", "deg"},
      {"degre", "deg"},
      {"degres", "deg"},
      {"sek", "s"},
      {"secs", "s"},
      {"seconds", "s"},
      {"sekunden", "s"},
      {"secondes", "s"},
      {"msec", "ms"},
      {"hertz", "Hz"},
      {"newton", "N"},
      {"ns/mm", "N*s/mm"},
      {"ns/m", "N*s/m"},
      {"kns/m", "kN*s/m"},
      {"ns/cm", "N*s/cm"},
      {"\xc2\xb0"
       "c",
       "degC"},
      {"deg c", "degC"},
      {"degc", "degC"},
      {"celsius", "degC"},
      {"c", "degC"},
      {"mikrometer", "um"},
      {"micron", "um"},
      {"microns", "um"},
      {"millimeter", "mm"},
      {"inch", "in"},
      {"\"", "in"},
      {"lbs", "lbf"},
      {"lbs/in", "lbf/in"},
      {"lb/in", "lbf/in"},
      {"radians", "rad"},
      {"n-m", "N*m"},
      {"n.m", "N*m"},
      {"nm/rad", "N*m/rad"},
      {"nm/deg", "N*m/deg"},
      {"nm/\xc2\xb0", "N*m/deg"},
      {"nm/grad", "N*m/deg"},
      {"lbf-s/in", "lbf*s/in"},
      {"n-s/mm", "N*s/mm"},
      {"n-s/m", "N*s/m"},
      {"cycles/s", "Hz"},
      {"cps", "Hz"},
      {"none", "-"},
      {"nms/rad", "N*m*s/rad"},
      {"nms/deg", "N*m*s/deg"},
  };
  static constexpr std::pair<std::string_view, std::string_view> tens[] = {
      {"dan", "N"}, {"dan/mm", "N/mm"}, {"dan/m", "N/m"}, {"danm", "N*m"}};
  const auto known = [&](const std::string& one) {
    const std::string small = lower_case(one);
    for (const auto& [from, to] : tens)
      if (small == from) {
        out.unit = to;
        out.factor = 10.0;
        return true;
      }
    for (const auto& [from, to] : spellings)
      if (small == from) {
        out.unit = to;
        return true;
      }
    if (!one.empty() && parse_unit(one)) {
      out.unit = one;
      return true;
    }
    return false;
  };
  if (known(text)) return out;
  // "mm pk-pk", "mm p-p", "mmpp", "mm (0-p)": a unit and what kind of amplitude it measures.
  const auto blank = text.find_first_of(" _(");
  if (blank != std::string::npos && blank > 0) {
    std::string rest = plain_words(std::string_view(text).substr(blank));
    rest.erase(std::remove_if(rest.begin(), rest.end(), [](char c) { return c == '(' || c == ')'; }), rest.end());
    const std::string first = text.substr(0, blank);
    if (const auto kind = take_kind(rest); kind &&
                                           (rest.empty() || listed_word(peak_to_peak_words, rest) ||
                                            listed_word(rms_words, rest) || listed_word(peak_words, rest)) &&
                                           known(first))
      out.kind = kind;
  }
  for (const std::string_view end : {"pp", "rms"})
    if (out.unit.empty() && text.size() > end.size() && std::string_view(text).ends_with(end) &&
        known(text.substr(0, text.size() - end.size())))
      out.kind = end == "pp" ? AmplitudeKind::peak_to_peak : AmplitudeKind::rms;
  return out;
}

std::string direction_of_word(std::string_view word) {
  std::string small = lower_case(trim(word));
  for (const std::string_view lead : {"richtung ", "direction ", "axis ", "achse ", "dir "})
    if (small.starts_with(lead)) small = small.substr(lead.size());
  for (const std::string_view tail :
       {" direction", "-direction", "-richtung", " richtung", "-axis", " axis", "-achse", " achse", "-dir"})
    if (small.size() > tail.size() && small.ends_with(tail)) small.resize(small.size() - tail.size());
  for (const auto& [from, to] : directions)
    if (small == from) return std::string(to);
  return "";
}

std::string direction_in_name(std::string_view name) {
  std::string found;
  std::string word;
  const auto look = [&] {
    if (word == "rad" || word == "ax") word.clear();  // too common in names of other things
    const std::string direction = direction_of_word(word);
    word.clear();
    if (direction.empty() || direction == found) return true;
    if (!found.empty()) return false;
    found = direction;
    return true;
  };
  for (const char c : lower_case(name)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += c;
    else if (!look())
      return "";
  }
  return look() ? found : "";
}

std::optional<HeaderLevel> read_level(std::string_view text, Decimal decimal) {
  const auto number = number_in(text, decimal);
  if (!number) return std::nullopt;
  const auto end = number->behind.find_first_of(",;");
  const UnitText unit = read_unit_text(std::string_view(number->behind).substr(0, end));
  if (unit.unit.empty() || unit.unit == "-" || unit.unit == "1" || unit.unit == "%") return std::nullopt;
  HeaderLevel level;
  std::string before = plain_words(number->before);
  AmplitudeKind kind = unit.kind.value_or(AmplitudeKind::peak);
  if (const auto told = take_kind(before)) kind = *told;
  bool found = false;
  for (const Quantity q : {amplitude, frequency, preload, temperature})
    if (!found && fits(unit.unit, q) && (q != temperature || unit.unit == "degC")) level.quantity = q, found = true;
  if (!found) return std::nullopt;
  const auto parsed = parse_unit(unit.unit);
  level.value =
      number->value * parsed->to_si * unit.factor * (level.quantity == amplitude ? amplitude_factor(kind) : 1.0);
  if (number->before.ends_with("\xc2\xb1") || number->before.ends_with("+/-")) level.value = std::abs(level.value);
  level.text = std::string(trim(text));
  return level;
}

HeaderName read_header_name(std::string_view raw, std::string_view unit_row, Decimal decimal) {
  HeaderName out;
  raw = trim(raw);
  if (raw.size() > 120) return out;  // a sentence, not a name
  const Brackets parts = split_all_brackets(raw);
  std::string name(trim(parts.outside));
  if (name.size() > 1 && name.back() == '/')
    name = std::string(trim(std::string_view(name).substr(0, name.size() - 1)));  // Kdyn/(N/mm)
  std::vector<std::string> symbols;
  const auto take_unit = [&out](const UnitText& unit) {
    out.unit = unit.unit;
    out.factor = unit.factor;
    if (unit.kind) out.kind = *unit.kind, out.kind_told = true;
  };
  for (const std::string& inside : parts.inside) {
    std::string small = plain_words(inside);
    if (const UnitText unit = read_unit_text(inside); !unit.unit.empty()) {
      take_unit(unit);
    } else if (const auto level = read_level(inside, decimal)) {
      out.level = level;
    } else if (const auto kind = take_kind(small)) {
      out.kind = *kind, out.kind_told = true;
    } else {
      symbols.push_back(inside);
    }
  }
  if (out.unit.empty() && !trim(unit_row).empty()) {
    const UnitText unit = read_unit_text(unit_row);
    if (!unit.unit.empty())
      take_unit(unit);
    else if (trim(unit_row) != "-")
      out.unknown_unit = std::string(trim(unit_row));
  }
  // "Kdyn 0.05mm", "delta @ 10 Hz", "A=0.1 mm"
  if (!out.level) {
    if (const auto number = number_in(name, decimal)) {
      std::size_t length = 0;  // of the unit: letters, signs and slashes up to the next blank
      std::string_view behind = number->behind;
      while (length < behind.size() && behind[length] != ' ' && behind[length] != ',' && behind[length] != ';' &&
             behind[length] != '_')
        ++length;
      const std::string level_text = fmt::format("{} {}", number->value, behind.substr(0, length));
      std::string before = number->before;
      if (auto level = read_level(level_text, Decimal::point)) {
        for (const std::string_view sign : {"\xc2\xb1", "+/-", "@", "=", "bei", "at"})
          if (before.ends_with(sign))
            before = std::string(trim(std::string_view(before).substr(0, before.size() - sign.size())));
        level->text = std::string(trim(name));
        const std::string rest = before + " " + std::string(behind.substr(length));
        if (!plain_words(rest).empty() || !parts.inside.empty() || !trim(unit_row).empty()) name = rest;
        std::string words_left = plain_words(rest);
        if (level->quantity == amplitude)
          if (const auto kind = take_kind(words_left)) level->value *= amplitude_factor(*kind);
        if (words_left != plain_words(rest)) name = words_left;
        out.level = level;
      }
    }
  }
  // "Frequency, Hz" and "f / Hz": a unit behind a mark.
  if (out.unit.empty())
    for (const char mark : {'/', ','}) {
      const auto at = name.rfind(mark);
      if (at == std::string::npos || at == 0) continue;
      if (const UnitText unit = read_unit_text(std::string_view(name).substr(at + 1));
          !unit.unit.empty() && unit.unit != "degC") {
        take_unit(unit);
        name = std::string(trim(std::string_view(name).substr(0, at)));
        break;
      }
    }
  std::string small = plain_words(name);
  if (small.empty() && !symbols.empty()) small = plain_words(symbols.front());
  const auto settle = [&](const std::string& candidate) {
    if (const auto word = find_word(candidate, out.unit)) {
      if (word->weak && out.unit.empty()) return false;
      out.quantity = word->quantity;
      out.weak = word->weak || candidate.size() == 1;
      return true;
    }
    return false;
  };
  if (listed_word(part_words, small)) return out.label = LabelKind::part, out;
  if (listed_word(direction_words, small)) return out.label = LabelKind::direction, out;
  if (settle(small)) return out;
  // The names of column_names.hpp, with units as it knows them.
  const auto ask = [&](const std::string& text) {
    const ColumnName known = read_column_name(text);
    if (!known.quantity) return false;
    if (!out.unit.empty() && known.weak && !fits(out.unit, *known.quantity)) return false;
    if (out.unit.empty() && known.unit.empty() && known.weak && *known.quantity != Quantity::frequency &&
        *known.quantity != Quantity::time)
      return false;
    out.quantity = known.quantity;
    out.weak = known.weak;
    if (known.peak_to_peak) out.kind = AmplitudeKind::peak_to_peak, out.kind_told = true;
    if (out.unit.empty() && !known.unit.empty()) {
      const UnitText unit = read_unit_text(known.unit);
      if (unit.unit.empty())
        out.unknown_unit = known.unit;
      else
        take_unit(unit);
    }
    return true;
  };
  // A direction in the name is kept: columns of x and y are not one.
  std::string stripped = small;
  if (const auto kind = take_kind(stripped)) out.kind = *kind, out.kind_told = true;
  // Extremes and means are no samples of a signal, and a static stiffness is no dynamic one.
  const auto statistic = [&] {
    if (out.quantity != force && out.quantity != displacement && out.quantity != k_dyn && out.quantity != loss_angle)
      return false;
    std::string rest = stripped;
    for (const std::string_view word :
         {"min",       "max",  "mean",    "avg",     "average", "mittel", "mittelwert", "std",     "static", "statisch",
          "statische", "stat", "minimum", "maximum", "valley",  "set",    "setpoint",   "command", "soll",   "error"})
      if (take_phrase(rest, word)) return true;
    return stripped.starts_with("peak_");
  };
  const auto ask_both = [&](const std::string& text) {
    if (!settle(text) && !ask(out.unit.empty() ? text : fmt::format("{} [{}]", text, out.unit))) return false;
    if (!statistic()) return true;
    out.quantity.reset();
    return false;
  };
  if (stripped != small && ask_both(stripped)) return out;
  for (const auto& [word, direction] : directions) {
    std::string without = stripped;
    if (word == "rad" || word == "ax" || !take_phrase(without, word)) continue;  // a unit; not of use within a name
    if (ask_both(without)) {
      if (word.size() == 1 || word == "radial" || word == "axial" || word == "torsional" || word == "torsion")
        out.direction = direction;
      return out;
    }
  }
  if (ask_both(stripped)) return out;
  // "Dynamic stiffness (K*)": the symbol says it when the words do not; "Channel 3 Load Cell": its last words do.
  for (const std::string& symbol : symbols)
    if (settle(plain_words(symbol))) return out;
  for (auto at = stripped.find('_'); at != std::string::npos; at = stripped.find('_', at + 1)) {
    const std::string tail = stripped.substr(at + 1);
    if (tail.size() > 3 && ask_both(tail)) {
      if (out.unit.empty() || fits(out.unit, *out.quantity)) return out.weak = true, out;
      out.quantity.reset();
    }
  }
  for (auto at = stripped.rfind('_'); at != std::string::npos && at > 0; at = stripped.rfind('_', at - 1)) {
    const std::string head = stripped.substr(0, at);
    if (head.size() > 3 && ask_both(head)) {
      if (out.unit.empty() || fits(out.unit, *out.quantity)) return out.weak = true, out;
      out.quantity.reset();
    }
  }
  if (!symbols.empty() && out.unit.empty()) out.unknown_unit = symbols.back();
  return out;
}

}  // namespace kdyn::inline io::internal
