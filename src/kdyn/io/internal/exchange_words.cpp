// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/internal/exchange_words.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"

namespace kdyn::inline io::internal {
namespace {

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void say(Exchange& out, const FrequencyResponse& r) {
  std::set<std::string> units;
  bool coherence = false, covariance = false;
  for (const auto& channel : r.channels) {
    units.insert(channel.output_unit.empty() || channel.input_unit.empty()
                     ? "unknown unit"
                     : fmt::format("({})/({})", channel.output_unit, channel.input_unit));
    coherence = coherence || !channel.coherence.empty();
    covariance = covariance || !channel.covariance.empty();
  }
  if (r.frequency_hz.empty()) return;
  out.words.push_back(fmt::format("{} over {} lines from {:g} to {:g} Hz, {}{}{}",
                                  counted(r.channels.size(), "frequency response", "frequency responses"),
                                  r.frequency_hz.size(), r.frequency_hz.front(), r.frequency_hz.back(),
                                  join({units.begin(), units.end()}, ", "), coherence ? ", with coherence" : "",
                                  covariance ? ", with covariance" : ""));
}

void say(Exchange& out, const SignalSet& s) {
  std::size_t shown = 0;
  for (const Signal& signal : s.signals)
    if (shown++ < 10)
      out.words.push_back(fmt::format("time signal {}: {} samples at {:g} Hz, {}", in_quotes(signal.name),
                                      signal.values.size(), signal.step_s > 0.0 ? 1.0 / signal.step_s : 0.0,
                                      signal.unit.empty() ? "unknown unit" : signal.unit));
  if (shown > 10) out.words.push_back(fmt::format("and {} more time signals", shown - 10));
}

void say(Exchange& out, const MatrixSet& set) {
  std::size_t shown = 0;
  for (const Matrix& m : set.matrices)
    if (shown++ < 20)
      out.words.push_back(fmt::format("matrix {}: {} x {}, {}{}{}{}, {} stored values{}",
                                      m.name.empty() ? "without a name" : m.name, m.rows, m.columns,
                                      m.is_complex ? "complex" : "real", m.single_precision ? " single precision" : "",
                                      m.symmetric ? ", symmetric" : "", m.sparse ? ", sparse" : ", dense", m.nonzeros(),
                                      m.row_dofs.empty() ? "" : ", with degrees of freedom"));
  if (shown > 20) out.words.push_back(fmt::format("and {} more matrices", shown - 20));
}

void say(Exchange& out, const Geometry& g) {
  out.words.push_back(fmt::format("geometry: {}, {}, {}, {}", counted(g.nodes.size(), "node", "nodes"),
                                  counted(g.elements.size(), "element", "elements"),
                                  counted(g.lines.size(), "trace line", "trace lines"),
                                  counted(g.systems.size(), "coordinate system", "coordinate systems")));
}

void say(Exchange& out, const ModeSet& m) {
  if (!m.modes.empty()) {
    double low = m.modes.front().frequency_hz(), high = low;
    for (const Mode& mode : m.modes)
      low = std::min(low, mode.frequency_hz()), high = std::max(high, mode.frequency_hz());
    out.words.push_back(fmt::format(
        "{} from {:g} to {:g} Hz at {}, {} shapes", counted(m.modes.size(), "mode", "modes"), low, high,
        counted(m.dofs.size(), "degree of freedom", "degrees of freedom"), m.complex_shapes ? "complex" : "real"));
  }
  if (!m.geometry.nodes.empty()) say(out, m.geometry);
}

void say(Exchange& out, const BushingFile& b) {
  for (std::size_t d = 0; d < 6; ++d) {
    const BushingDirection& one = b.directions[d];
    if (one.curve.empty() && !one.stiffness && !one.damping) continue;
    std::string text = fmt::format("direction {}: ", bushing_directions[d]);
    if (!one.curve.empty())
      text += fmt::format("static curve with {} points from {:g} to {:g} {}", one.curve.size(), one.curve.front().first,
                          one.curve.back().first, d >= 3 ? "rad" : "m");
    else if (one.stiffness)
      text += fmt::format("constant stiffness {:g} {}", *one.stiffness, d >= 3 ? "N m/rad" : "N/m");
    if (one.damping) text += fmt::format(", damping {:g} {}", *one.damping, d >= 3 ? "N m s/rad" : "N s/m");
    out.words.push_back(text);
  }
}

void say(Exchange& out, const UbfFile& u) {
  std::vector<std::string> directions;
  for (std::size_t d = 0; d < 6; ++d)
    if (u.directions[d].present) directions.emplace_back(bushing_directions[d]);
  out.words.push_back(fmt::format("a {} ({}) in {}", u.model_type == "G4D" ? "hydro mount" : "rubber mount",
                                  u.model_type, directions.empty() ? "no direction" : join(directions, ", ")));
}

void say(Exchange& out, const SidBody& s) {
  out.words.push_back(fmt::format("flexible body: mass {:g} kg, {}, {}", s.mass,
                                  counted(s.mode_names.size(), "mode", "modes"),
                                  counted(s.nodes.size(), "node", "nodes")));
  std::vector<std::string> names;
  for (const auto& [name, block] : s.blocks) names.push_back(name);
  if (!names.empty()) out.words.push_back("matrices " + join(names, ", "));
}

void say(Exchange& out, const ModulusTable& table) {
  const auto [slow, fast] = std::minmax_element(table.frequency_hz.begin(), table.frequency_hz.end());
  const auto [cold, warm] = std::minmax_element(table.temperature_c.begin(), table.temperature_c.end());
  if (table.frequency_hz.empty()) return;
  out.words.push_back(
      fmt::format("storage and loss moduli, {} rows from {:g} to {:g} Hz and {:g} to {:g} degC (fit mastercurve)",
                  table.frequency_hz.size(), *slow, *fast, *cold, *warm));
}

}  // namespace

std::string words_of(const UffFile& file) {
  std::map<std::string, std::size_t> counts;
  for (const UffDataset& dataset : file.datasets)
    ++counts[fmt::format("{}{}{}", dataset.number, dataset.binary ? "b" : "", dataset.understood ? "" : " (skipped)")];
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts)
    if (parts.size() < 30) parts.push_back(count == 1 ? name : fmt::format("{} x {}", count, name));
  return fmt::format("universal file with {}: {}", counted(file.datasets.size(), "dataset", "datasets"),
                     join(parts, ", "));
}

std::string words_of(const MatFile& file) {
  std::vector<std::string> parts;
  for (const MatArray& array : file.arrays) {
    if (parts.size() >= 30) break;
    std::string shape;
    for (const std::size_t extent : array.shape) shape += fmt::format("{}{}", shape.empty() ? "" : "x", extent);
    parts.push_back(fmt::format("{} ({} {})", array.name, array.matlab_class, shape));
  }
  return fmt::format("MATLAB file, version {}, with {}: {}",
                     file.version_73  ? "7.3"
                     : file.version_4 ? "4"
                                      : "5",
                     counted(file.arrays.size(), "array", "arrays"), join(parts, ", "));
}

std::string words_of(const NastranDeck& deck) {
  std::map<std::string, std::size_t> used;
  for (const NastranCard& card : deck.cards) ++used[card.name];
  std::size_t skipped = 0;
  std::vector<std::string> parts, others;
  for (const auto& [name, count] : used) parts.push_back(fmt::format("{} {}", count, name));
  for (const auto& [name, count] : deck.skipped) {
    skipped += count;
    if (others.size() < 60) others.push_back(fmt::format("{} {}", count, name));
  }
  std::string text =
      fmt::format("Nastran deck of {}: {}", counted(deck.files.size(), "file", "files"), join(parts, ", "));
  if (skipped > 0) text += fmt::format("; not used: {}", join(others, ", "));
  return text;
}

void describe(Exchange& out) {
  if (out.response) say(out, *out.response);
  if (out.moduli) say(out, *out.moduli);
  if (out.signals) say(out, *out.signals);
  if (out.matrices) say(out, *out.matrices);
  if (out.modes) say(out, *out.modes);
  if (out.geometry) say(out, *out.geometry);
  if (out.bushing) say(out, *out.bushing);
  if (out.mount) say(out, *out.mount);
  if (out.sid) say(out, *out.sid);
  if (out.body && !out.body->lumped_mass.empty()) out.words.emplace_back("lumped masses at the nodes");
}

}  // namespace kdyn::inline io::internal
