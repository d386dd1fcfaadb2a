// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/header_words.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kdyn/base/text.hpp"

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

// Names of one quantity, between blanks.
struct Words {
  Quantity quantity;
  bool weak;
  std::string_view names;
};

// Beyond column_names.cpp: German, French, symbols of the field, names of channels. Weak ones need a unit that agrees.
constexpr Words words[] = {
    {frequency, false,
     "frequence freq test_frequency omega angular_frequency kreisfrequenz pulsation prufrequenz pruffrequenz "
     "erregerfrequenz anregungsfrequenz freq_hz"},
    {amplitude, false, "x0 s0 a0 xa sa x_dyn xdyn s_dyn"},
    {amplitude, true, "a"},
    {amplitude, false,
     "doppelamplitude double_amplitude schwingbreite dyn_amplitude dynamic_displacement dynamic_displacement_amplitude "
     "dyn_displacement dyn_amp dynamic_amp disp_amp displacement_amp disp_amplitude "
     "amplitude_dynamique amplitude_de_deplacement amplitude_deplacement wegamplitude "
     "schwingwegamplitude schwingamplitude schwingweg anregungsamplitude auslenkung winkelamplitude "
     "twist_amplitude drehwinkelamplitude strain_amplitude_displacement"},
    {nominal_amplitude, false, "sollamplitude amplitude_soll amplitude_setpoint setpoint_amplitude"},
    {preload, false,
     "fv f0 fm f_v f_0 f_m f_mean f_vor fvor vorspannkraft vorkraft mittellast mittelkraft "
     "statische_last statische_vorlast stat_vorlast precharge pre_charge charge_statique effort_moyen "
     "static_force static_load mean_axial_load mean_axial_force load_mean force_mean vormoment mittelmoment "
     "mean_torque mean_moment"},
    {k_dyn, false,
     "kd k_d k* c* |k*| |k| |c*| abs_k k_abs k_complex complex_stiffness_k* dynamic_stiffness_k* "
     "dynamic_stiffness_kdyn dyn_steifigkeit dyn_steifigkeit_cdyn dynamische_steifigkeit_cdyn "
     "komplexe_steifigkeit dynamische_federsteifigkeit federsteifigkeit dyn_federrate "
     "dynamische_federrate federrate dynamic_spring_rate dynamic_rate dynamic_modulus spring_rate "
     "raideur raideur_dynamique rigidite rigidite_dynamique rigidite_complexe torsional_stiffness "
     "drehsteifigkeit torsionssteifigkeit"},
    {k_dyn, true, "c k"},
    {loss_angle, false,
     "phasenwinkel phasenverschiebung phase_lag phase_shift phase_delta loss_angle_delta "
     "verlustwinkel_delta verlustwinkel_phi angle_de_perte angle_de_phase dephasage"},
    {loss_factor, false,
     "tan_delta tan tan_phi tanphi tan_(delta) tan(delta) eta facteur_de_perte loss_tangent tangente_delta "
     "tangente_de_perte tangente tg_delta"},
    {storage_stiffness, false,
     "k' c' k_prime kprime storage_stiffness storage_stiffness_k' elastic_stiffness "
     "in_phase_stiffness speichersteifigkeit speicheranteil rigidite_de_stockage raideur_elastique "
     "k_storage k_real real_k re_k re(k) re(k*) k_re re_k* stiffness_real real_stiffness"},
    {storage_stiffness, true, "real re realteil"},
    {loss_stiffness, false,
     "k'' k\" c'' c\" k_double_prime kdoubleprime loss_stiffness loss_stiffness_k'' "
     "viscous_stiffness damping_stiffness dampfungssteifigkeit quadrature_stiffness verluststeifigkeit verlustanteil "
     "rigidite_de_perte "
     "raideur_de_perte k_loss k_imag imag_k im_k im(k) im(k*) k_im im_k* stiffness_imag "
     "imaginary_stiffness"},
    {loss_stiffness, true, "imag im imaginarteil"},
    {damping, false,
     "damping damping_coefficient damping_c equivalent_damping viscous_damping dampfung daempfung "
     "dampfungskonstante dampfungskoeffizient amortissement"},
    {damping, true, "c d b c_eq"},
    {displacement, false,
     "extension elongation lvdt crosshead crosshead_travel traverse traversenweg standardweg kolbenweg "
     "verformung federweg dehnung_weg deplacement course deformation actuator_position ram_position "
     "hub angular_displacement twist_angle drehwinkel torsionswinkel angle_de_torsion"},
    {force_amplitude, false,
     "force_amplitude amplitude_force load_amplitude dynamic_force dynamic_force_amplitude dynamic_load kraftamplitude "
     "amplitude_kraft moment_amplitude torque_amplitude momentenamplitude amplitude_de_force amplitude_effort"},
    {force, false, "load_cell standardkraft prufkraft last charge effort couple kraftaufnehmer"},
    {time, false,
     "running_time elapsed_time test_time total_time segment_time prufzeit messzeit laufzeit temps "
     "duree"},
    {temperature, false, "chamber_temperature ambient_temperature pruftemperatur kammertemperatur temp"},
    {time, true, "t"},
};

constexpr std::string_view part_words[] = {
    "part",      "part_no",       "part_number", "part_id",     "specimen",   "specimen_id",  "sample",
    "sample_id", "teil",          "teil_nr",     "teilenummer", "teile_nr",   "serial",       "sn",
    "s/n",       "seriennummer",  "serien_nr",   "prufling",    "probe",      "probennummer", "proben_nr",
    "serial_no", "serial_number", "mount",       "mount_id",    "piece",      "reference",    "prufteil",
    "muster",    "specimen_name", "sample_name", "bauteil",     "eprouvette", "part_name",    "probenbezeichnung"};
constexpr std::string_view direction_words[] = {
    "direction",      "axis",         "richtung", "achse",        "belastungsrichtung", "lastrichtung",
    "test_direction", "prufrichtung", "sens",     "messrichtung", "load_direction",     "axe"};

constexpr std::string_view date_words[] = {
    "date",      "test_date",       "date_of_test",       "measured_on",   "measurement_date", "date_of_measurement",
    "datum",     "prufdatum",       "messdatum",          "prufungsdatum", "date_d'essai",     "date_essai",
    "date_time", "production_date", "date_of_production", "herstelldatum", "fertigungsdatum",  "produktionsdatum"};
constexpr std::string_view batch_words[] = {"batch",      "batch_no",      "batch_number", "batch_id",  "lot",
                                            "lot_no",     "lot_number",    "lot_id",       "charge_nr", "charge_no",
                                            "chargen_nr", "chargennummer", "los",          "los_nr",    "losnummer",
                                            "no_de_lot",  "numero_de_lot"};

// What each word that labels rows says: no word stands in two lists.
enum class Label { part, direction, date, batch };
bool labels(std::string_view name, Label label) {
  static const auto all = [] {
    std::unordered_map<std::string_view, Label> out;
    for (const std::string_view word : part_words) out.emplace(word, Label::part);
    for (const std::string_view word : direction_words) out.emplace(word, Label::direction);
    for (const std::string_view word : date_words) out.emplace(word, Label::date);
    for (const std::string_view word : batch_words) out.emplace(word, Label::batch);
    return out;
  }();
  const auto found = all.find(name);
  return found != all.end() && found->second == label;
}

// Every name with the lists it stands in, in their order.
const std::unordered_map<std::string_view, std::vector<const Words*>>& words_by_name() {
  static const auto all = [] {
    std::unordered_map<std::string_view, std::vector<const Words*>> out;
    for (const Words& word : words)
      for (std::size_t at = 0; at < word.names.size();) {
        const std::size_t end = std::min(word.names.find(' ', at), word.names.size());
        out[word.names.substr(at, end - at)].push_back(&word);
        at = end + 1;
      }
    return out;
  }();
  return all;
}

}  // namespace

std::optional<HeaderWord> find_word(std::string_view name, const std::string& unit) {
  std::optional<HeaderWord> found;
  const auto lists = words_by_name().find(name);
  if (lists == words_by_name().end()) return found;
  for (const Words* word : lists->second) {
    if (unit.empty() ? !word->weak : unit_fits_any(unit, word->quantity)) return HeaderWord{word->quantity, word->weak};
    if (!word->weak && !found) found = HeaderWord{word->quantity, word->weak};
  }
  return found;
}

bool is_part_word(std::string_view name) { return labels(name, Label::part); }
bool is_direction_word(std::string_view name) { return labels(name, Label::direction); }
bool is_date_word(std::string_view name) { return labels(name, Label::date); }
bool is_batch_word(std::string_view name) { return labels(name, Label::batch); }

std::string plain_words(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const auto* letter = static_cast<unsigned char>(text[i]) < 0x80
                             ? std::end(plain_letters)
                             : std::find_if(std::begin(plain_letters), std::end(plain_letters),
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

}  // namespace kdyn::inline io::internal
