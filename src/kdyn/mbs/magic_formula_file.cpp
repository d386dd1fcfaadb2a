// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/magic_formula_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::mbs {
namespace {

const std::map<std::string, double MagicFormula::*>& coefficients() {
  using M = MagicFormula;
  static const std::map<std::string, double M::*> table = {
      {"UNLOADED_RADIUS", &M::unloaded_radius},
      {"FNOMIN", &M::fnomin},
      {"LONGVL", &M::longvl},
      {"FZMIN", &M::fzmin},
      {"FZMAX", &M::fzmax},
      {"KPUMIN", &M::kpumin},
      {"KPUMAX", &M::kpumax},
      {"ALPMIN", &M::alpmin},
      {"ALPMAX", &M::alpmax},
      {"CAMMIN", &M::cammin},
      {"CAMMAX", &M::cammax},
      {"LFZO", &M::lfzo},
      {"LCX", &M::lcx},
      {"LMUX", &M::lmux},
      {"LEX", &M::lex},
      {"LKX", &M::lkx},
      {"LHX", &M::lhx},
      {"LVX", &M::lvx},
      {"LGAX", &M::lgax},
      {"LCY", &M::lcy},
      {"LMUY", &M::lmuy},
      {"LEY", &M::ley},
      {"LKY", &M::lky},
      {"LHY", &M::lhy},
      {"LVY", &M::lvy},
      {"LGAY", &M::lgay},
      {"LTR", &M::ltr},
      {"LRES", &M::lres},
      {"LGAZ", &M::lgaz},
      {"LXAL", &M::lxal},
      {"LYKA", &M::lyka},
      {"LVYKA", &M::lvyka},
      {"LS", &M::ls},
      {"LSGKP", &M::lsgkp},
      {"LSGAL", &M::lsgal},
      {"LMX", &M::lmx},
      {"LVMX", &M::lvmx},
      {"LMY", &M::lmy},
      {"PCX1", &M::pcx1},
      {"PDX1", &M::pdx1},
      {"PDX2", &M::pdx2},
      {"PDX3", &M::pdx3},
      {"PEX1", &M::pex1},
      {"PEX2", &M::pex2},
      {"PEX3", &M::pex3},
      {"PEX4", &M::pex4},
      {"PKX1", &M::pkx1},
      {"PKX2", &M::pkx2},
      {"PKX3", &M::pkx3},
      {"PHX1", &M::phx1},
      {"PHX2", &M::phx2},
      {"PVX1", &M::pvx1},
      {"PVX2", &M::pvx2},
      {"RBX1", &M::rbx1},
      {"RBX2", &M::rbx2},
      {"RCX1", &M::rcx1},
      {"REX1", &M::rex1},
      {"REX2", &M::rex2},
      {"RHX1", &M::rhx1},
      {"PTX1", &M::ptx1},
      {"PTX2", &M::ptx2},
      {"PTX3", &M::ptx3},
      {"PCY1", &M::pcy1},
      {"PDY1", &M::pdy1},
      {"PDY2", &M::pdy2},
      {"PDY3", &M::pdy3},
      {"PEY1", &M::pey1},
      {"PEY2", &M::pey2},
      {"PEY3", &M::pey3},
      {"PEY4", &M::pey4},
      {"PKY1", &M::pky1},
      {"PKY2", &M::pky2},
      {"PKY3", &M::pky3},
      {"PHY1", &M::phy1},
      {"PHY2", &M::phy2},
      {"PHY3", &M::phy3},
      {"PVY1", &M::pvy1},
      {"PVY2", &M::pvy2},
      {"PVY3", &M::pvy3},
      {"PVY4", &M::pvy4},
      {"RBY1", &M::rby1},
      {"RBY2", &M::rby2},
      {"RBY3", &M::rby3},
      {"RCY1", &M::rcy1},
      {"REY1", &M::rey1},
      {"REY2", &M::rey2},
      {"RHY1", &M::rhy1},
      {"RHY2", &M::rhy2},
      {"RVY1", &M::rvy1},
      {"RVY2", &M::rvy2},
      {"RVY3", &M::rvy3},
      {"RVY4", &M::rvy4},
      {"RVY5", &M::rvy5},
      {"RVY6", &M::rvy6},
      {"PTY1", &M::pty1},
      {"PTY2", &M::pty2},
      {"QBZ1", &M::qbz1},
      {"QBZ2", &M::qbz2},
      {"QBZ3", &M::qbz3},
      {"QBZ4", &M::qbz4},
      {"QBZ5", &M::qbz5},
      {"QBZ9", &M::qbz9},
      {"QBZ10", &M::qbz10},
      {"QCZ1", &M::qcz1},
      {"QDZ1", &M::qdz1},
      {"QDZ2", &M::qdz2},
      {"QDZ3", &M::qdz3},
      {"QDZ4", &M::qdz4},
      {"QDZ6", &M::qdz6},
      {"QDZ7", &M::qdz7},
      {"QDZ8", &M::qdz8},
      {"QDZ9", &M::qdz9},
      {"QEZ1", &M::qez1},
      {"QEZ2", &M::qez2},
      {"QEZ3", &M::qez3},
      {"QEZ4", &M::qez4},
      {"QEZ5", &M::qez5},
      {"QHZ1", &M::qhz1},
      {"QHZ2", &M::qhz2},
      {"QHZ3", &M::qhz3},
      {"QHZ4", &M::qhz4},
      {"SSZ1", &M::ssz1},
      {"SSZ2", &M::ssz2},
      {"SSZ3", &M::ssz3},
      {"SSZ4", &M::ssz4},
      {"QSX1", &M::qsx1},
      {"QSX2", &M::qsx2},
      {"QSX3", &M::qsx3},
      {"QSY1", &M::qsy1},
      {"QSY2", &M::qsy2},
      {"QSY3", &M::qsy3},
      {"QSY4", &M::qsy4},
  };
  return table;
}

// Read elsewhere, or without a say in the forces.
const std::set<std::string>& silent() {
  static const std::set<std::string> table = {"PROPERTY_FILE_FORMAT",
                                              "USE_MODE",
                                              "FITTYP",
                                              "VXLOW",
                                              "TYRESIDE",
                                              "MESSAGES",
                                              "WIDTH",
                                              "ASPECT_RATIO",
                                              "RIM_RADIUS",
                                              "RIM_WIDTH",
                                              "VERTICAL_STIFFNESS",
                                              "VERTICAL_DAMPING",
                                              "BREFF",
                                              "DREFF",
                                              "FREFF",
                                              "FILE_VERSION",
                                              "FILE_TYPE",
                                              "FILE_FORMAT",
                                              "LGYR",
                                              "LCZ",
                                              "LIP",
                                              "LKG",
                                              "LKC",
                                              "LMP",
                                              "LKXK",
                                              "PTX4",
                                              "PTY3",
                                              "LSGKP",
                                              "LSGAL",
                                              "INFLPRES",
                                              "NOMPRES",
                                              "MFSAFE1",
                                              "MFSAFE2",
                                              "MFSAFE3"};
  return table;
}

}  // namespace

MagicFormula magic_formula_of(const TyreFile& file, std::vector<Finding>& findings) {
  MagicFormula out;
  std::string format = lower_case(file.word("PROPERTY_FILE_FORMAT"));
  const double fit = file.number("FITTYP", 6.0);
  if (format != "pac2002" && format != "mf-tyre" && format != "mf_tyre")
    throw_bad_input(file.place("PROPERTY_FILE_FORMAT"),
                    fmt::format("tyres of format {} are not read", in_quotes(file.word("PROPERTY_FILE_FORMAT"))),
                    "give a file of PAC2002 or MF-Tyre 5.2, or the tyre by its own numbers");
  if (fit != 6.0 && fit != 21.0 && fit != 52.0)
    throw_bad_input(file.place("FITTYP"), fmt::format("FITTYP {:g} is another set of equations", fit),
                    "give a file of MF-Tyre 5.2 (FITTYP 6, 21 or 52)");
  if (const std::string angle = lower_case(file.word("ANGLE")); angle.substr(0, 3) != "rad")
    throw_bad_input(file.place("ANGLE"), "coefficients of the Magic Formula belong to radians, the file is in degrees",
                    "convert the file: ANGLE = 'radian'");
  for (const auto& [key, member] : coefficients()) out.*member = file.number(key, out.*member);
  for (const char* key : {"UNLOADED_RADIUS", "FNOMIN", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2"})
    if (file.number(key, 0.0) == 0.0)
      throw_bad_input(file.place(key), fmt::format("{} is missing or 0", key), "the Magic Formula needs it");
  for (const char* key : {"UNLOADED_RADIUS", "FNOMIN", "LFZO", "LONGVL", "PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY2",
                          "LCX", "LCY", "LMUX", "LMUY", "LKX", "LKY"})
    if (!(out.*coefficients().at(key) > 0.0))
      throw_bad_input(file.place(key), fmt::format("{} is {:g}", key, out.*coefficients().at(key)),
                      "it must be above 0");
  if (!(out.pky1 < 0.0))
    throw_bad_input(file.place("PKY1"),
                    fmt::format("PKY1 is {:g}: side forces would push the tyre along its slip", out.pky1),
                    "in the axes of ISO (TYDEX W) PKY1 is below 0; was the file made for other axes?");
  for (const auto& [low, high] :
       {std::pair{"FZMIN", "FZMAX"}, {"KPUMIN", "KPUMAX"}, {"ALPMIN", "ALPMAX"}, {"CAMMIN", "CAMMAX"}})
    if (!(out.*coefficients().at(low) < out.*coefficients().at(high)))
      throw_bad_input(file.place(low), fmt::format("{} is not below {}", low, high), "repair the range");
  if (!(out.fzmax > 0.0) || out.fzmin < 0.0 || out.kpumin > 0.0 || out.kpumax < 0.0 || out.alpmin > 0.0 ||
      out.alpmax < 0.0 || out.cammin > 0.0 || out.cammax < 0.0)
    throw_bad_input(file.place("FZMAX"), "a range of the file does not hold its zero", "repair the ranges");

  // Over the whole range of loads friction and stiffness must stay what they are.
  for (int i = 0; i <= 100; ++i) {
    const double lowest = std::max(out.fzmin, 1e-3 * out.fnomin), highest = std::min(out.fzmax, 10.0 * out.fnomin);
    const double fz = lowest + (highest - lowest) * i / 100.0;
    const auto f = out.evaluate(fz, 0.0, 0.0, 0.0, 10.0, 1.0);
    const double dfz = (fz - out.fnomin * out.lfzo) / (out.fnomin * out.lfzo);
    if (!(out.pdx1 + out.pdx2 * dfz > 0.0) || !(out.pdy1 + out.pdy2 * dfz > 0.0) || !(f.stiffness_x > 0.0) ||
        !(f.stiffness_y > 0.0) || !std::isfinite(f.fx + f.fy + f.mz)) {
      throw_bad_input(file.place("FZMAX"),
                      fmt::format("at a load of {:.4g} N the file gives no positive friction and slip stiffness", fz),
                      "correct FZMIN and FZMAX to the loads that the tyre was measured at");
    }
  }

  const double mode = file.number("USE_MODE", 14.0);
  const int kind = static_cast<int>(std::abs(mode)) % 10;
  if (mode != std::floor(mode) || std::abs(mode) > 99.0 || kind > 5 || kind == 0)
    throw_bad_input(file.place("USE_MODE"), fmt::format("USE_MODE {:g} asks for something that is not computed", mode),
                    "1 to 4, or 11 to 14 with relaxation; for the vertical force alone give no file");
  out.longitudinal = kind != 2;
  out.lateral = kind != 1;
  out.combined = kind >= 4;
  if (kind == 5)
    findings.push_back({Severity::warning, "tyre_turn_slip", file.place("USE_MODE"),
                        "USE_MODE asks for turn slip, which is not computed: moments of a tyre that turns on the spot "
                        "are missing",
                        "do not read parking moments from this run"});
  if (std::abs(mode) < 10.0)
    findings.push_back({Severity::note, "tyre_steady", file.place("USE_MODE"),
                        "USE_MODE asks for steady forces; kdyn always follows slip with the relaxation lengths",
                        "nothing to do"});
  if (out.combined && out.rbx1 == 0.0 && out.rby1 == 0.0) {
    out.ellipse = true;
    findings.push_back({Severity::note, "tyre_no_combined_slip", file.source.path,
                        "the file has no coefficients of combined slip (RBX1, RBY1): forces along and across share "
                        "their friction by an ellipse",
                        "for braking in a bend use a file with coefficients of combined slip"});
  }
  std::vector<std::string> ignored;
  for (const auto& [key, value] : file.numbers)
    if (const bool nominal = (key == "IP" || key == "IP_NOM") && file.number("IP", 0.0) == file.number("IP_NOM", 0.0);
        !nominal && value != 0.0 && !coefficients().contains(key) && !silent().contains(key) &&
        !(key[0] == 'L' && value == 1.0))
      ignored.push_back(key);
  if (!ignored.empty()) {
    const std::size_t more = ignored.size() > 20 ? ignored.size() - 20 : 0;
    if (more > 0) ignored.resize(20);
    // The gyroscopic moment of the belt counts in fast changes of the slip angle alone.
    const bool belt = std::all_of(ignored.begin(), ignored.end(),
                                  [](const std::string& key) { return key == "MBELT" || key == "QTZ1"; });
    findings.push_back({belt ? Severity::note : Severity::warning, "tyre_coefficients_ignored", file.source.path,
                        fmt::format("these values of the file are not used: {}{}", join(ignored, ", "),
                                    more > 0 ? fmt::format(" and {} more", more) : ""),
                        "see the equations in THEORY.md; effects of pressure, turn slip, belt and 3D contact are "
                        "not computed"});
  }
  return out;
}

}  // namespace kdyn::mbs
