// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/structure/body_inputs.hpp"
#include "kdyn/app/structure/correlate_job.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/data/dof_field.hpp"
#include "kdyn/fe/outline.hpp"
#include "kdyn/io/exchange.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const CorrelateJob*) {
  using J = app::CorrelateJob;
  using O = CorrelateOptions;
  static const FieldTable comparing = FieldTable::of<O>("correlate options", [](FieldTable& t) {
    t.add(&O::match_tolerance_m, "match_tolerance_m", "m",
          "Largest distance of a sensor from its point of the model; 0: 2 % of the model's diagonal")
        .range(0.0, 1e6);
    t.add(&O::least_mac, "least_mac", "-", "Below this MAC two modes are no pair").range(0.0, 1.0);
    t.add(&O::band_hz, "band_hz", "Hz", "Modes of the test and lines of responses inside this band; default: all");
  });
  static const FieldTable table = FieldTable::of<J>("correlate", [](FieldTable& t) {
    t.add(&J::files, "files", "-",
          "First the test: modes (result.json of kdyn modal, universal file, HDF5) or frequency responses; then the "
          "model: a deck, matrices, modes or responses, in one or more files")
        .from_words()
        .must_be_given()
        .reads();
    t.add(&J::test_geometry, "test_geometry", "-", "Points of the test, where its file has none").reads();
    t.add(&J::model_geometry, "model_geometry", "-", "Points of the model, where its files have none").reads();
    t.add(&J::length_m, "length_m", "m", "Unit of length of a Nastran deck: 0.001 for millimetres").range(1e-9, 1e9);
    t.add(&J::mass_kg, "mass_kg", "kg", "Unit of mass of a Nastran deck: 1000 for tonnes").range(1e-9, 1e9);
    t.add(&J::ignore_cards, "ignore_cards", "-",
          "Cards of a deck that are left out although they may carry stiffness, mass or links, such as CWELD CGAP");
    t.add(&J::count, "count", "-", "Modes to compute of a deck or of matrices").range(1, 2000);
    t.add(&J::title, "title", "-", "Title of the report");
    t.include(&J::correlate, comparing);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

constexpr std::size_t most_drawn = 12'000;  // points of the model in the picture

struct ShownMode {
  std::size_t number;
  double frequency_hz;
};
const FieldTable& fields_of(const ShownMode*) {
  using M = ShownMode;
  static const FieldTable table = FieldTable::results<M>("mode of a set", [](FieldTable& t) {
    t.add(&M::number, "mode", "-", "Number in its file, from 1");
    t.add(&M::frequency_hz, "frequency_hz", "Hz", "Natural frequency");
  });
  return table;
}

struct ShownPair {
  ModePair of;
};
const FieldTable& fields_of(const ShownPair*) {
  using P = ShownPair;
  static const FieldTable table = FieldTable::results<P>("pair of modes", [](FieldTable& t) {
    t.add([](const P& p) { return p.of.test + 1; }, "test_mode", "-", "Mode of the test, from 1");
    t.add([](const P& p) { return p.of.model + 1; }, "model_mode", "-", "Mode of the model, from 1");
    t.add([](const P& p) { return p.of.test_hz; }, "test_hz", "Hz", "Natural frequency, test");
    t.add([](const P& p) { return p.of.model_hz; }, "model_hz", "Hz", "Natural frequency, model");
    t.add([](const P& p) { return p.of.difference; }, "difference", "-", "model/test - 1");
    t.add([](const P& p) { return p.of.mac; }, "mac", "-", "Modal assurance criterion");
    t.add([](const P& p) { return p.of.test_damping; }, "test_damping", "-", "Damping ratio, test");
    t.add([](const P& p) { return p.of.model_damping; }, "model_damping", "-", "Damping ratio, model");
  });
  return table;
}

struct ShownSensor {
  SensorAgreement of;
};
const FieldTable& fields_of(const ShownSensor*) {
  using S = ShownSensor;
  static const FieldTable table = FieldTable::results<S>("sensor agreement", [](FieldTable& t) {
    t.add([](const S& s) { return s.of.sensor; }, "sensor", "-", "Sensor of the test");
    t.add([](const S& s) { return s.of.node; }, "node", "-", "Point of the model");
    t.add([](const S& s) { return s.of.distance; }, "distance_m", "m", "How far apart; 0: matched by label");
    t.add([](const S& s) { return s.of.comac; }, "comac", "-", "Co-ordinate MAC over the pairs");
    t.add([](const S& s) { return s.of.sign; }, "sign", "-", "1: moves as the model, -1: the other way round");
  });
  return table;
}

struct ShownModes {
  const ModeCorrelation& of;
  std::vector<ShownPair> pairs;
  std::vector<ShownMode> test, model, test_alone, model_alone;
  std::vector<ShownSensor> sensors;
};
const FieldTable& fields_of(const ShownModes*) {
  using M = ShownModes;
  static const FieldTable table = FieldTable::results<M>("correlation of modes", [](FieldTable& t) {
    t.add(&M::pairs, "pairs", "-", "Modes that belong together, by frequency of the test");
    t.add(&M::test_alone, "test_alone", "-", "Modes of the test without a partner in the model");
    t.add(&M::model_alone, "model_alone", "-", "Modes of the model without one, in the range of the test");
    t.add(&M::test, "test_modes", "-", "Rows of mac");
    t.add(&M::model, "model_modes", "-", "Columns of mac");
    t.add(
        [](const M& m) -> const auto& { return m.of.mac; }, "mac", "-", "MAC, test by model");
    t.add(&M::sensors, "sensors", "-", "Agreement of each sensor over the pairs; empty with less than two pairs");
    t.add(
         [](const M& m) -> const auto& { return m.of.orthogonality; }, "orthogonality", "-",
         "Modal mass of the test modes as the model sees them, scaled to 1 on the diagonal")
        .unless_null();
    t.add(
         [](const M& m) -> const auto& { return m.of.cross_orthogonality; }, "cross_orthogonality", "-",
         "Test modes (rows) by modes of the model (columns), through the model's mass")
        .unless_null();
  });
  return table;
}

struct ShownChannel {
  Dof output, input;
  double frac, size;
};
const FieldTable& fields_of(const ShownChannel*) {
  using C = ShownChannel;
  static const FieldTable table = FieldTable::results<C>("response agreement", [](FieldTable& t) {
    t.add(&C::output, "output", "-", "Output");
    t.add(&C::input, "input", "-", "Input");
    t.add(&C::frac, "frac", "-", "Frequency response assurance criterion over the band");
    t.add(&C::size, "size", "-", "Norm of the model's response by the test's");
  });
  return table;
}

struct ShownInput {
  Dof input;
  std::vector<double> rvac;
};
const FieldTable& fields_of(const ShownInput*) {
  using I = ShownInput;
  static const FieldTable table = FieldTable::results<I>("responses to an input", [](FieldTable& t) {
    t.add(&I::input, "input", "-", "Input");
    t.add(&I::rvac, "rvac", "-", "Agreement of the deflection at each line");
  });
  return table;
}

struct ShownResponses {
  std::vector<double> frequency_hz;
  std::vector<ShownChannel> channels;
  std::vector<ShownInput> inputs;
};
const FieldTable& fields_of(const ShownResponses*) {
  using R = ShownResponses;
  static const FieldTable table = FieldTable::results<R>("correlation of responses", [](FieldTable& t) {
    t.add(&R::channels, "channels", "-", "Channels that both sides have");
    t.add(&R::frequency_hz, "frequency_hz", "Hz", "Lines compared");
    t.add(&R::inputs, "inputs", "-", "Agreement over frequency, for inputs with two outputs or more");
  });
  return table;
}

}  // namespace

struct CorrelateOutput {
  const CorrelateJob& job;
  std::optional<ShownModes> modes;
  std::optional<ShownResponses> responses;
  const std::vector<Finding>& findings;
};

const FieldTable& fields_of(const CorrelateOutput*) {
  using O = CorrelateOutput;
  static const FieldTable table = FieldTable::results<O>("correlate result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(
         [](const O& o) -> const auto& { return o.modes; }, "modes", "-", "Modes, where both sides have them")
        .unless_null();
    t.add(
         [](const O& o) -> const auto& { return o.responses; }, "responses", "-",
         "Frequency responses, where both sides have them")
        .unless_null();
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

// Translations only: that is what sensors read, and half of what a mesh holds.
ModeSet mode_set_of(const FeModes& fe, const std::string& name) {
  ModeSet out;
  out.name = name;
  out.scaling = ModeScaling::unit_modal_mass;
  out.geometry = fe.geometry;
  std::vector<Eigen::Index> rows;
  for (std::size_t i = 0; i < fe.dofs.size(); ++i)
    if (std::abs(fe.dofs[i].direction) >= 1 && std::abs(fe.dofs[i].direction) <= 3) {
      rows.push_back(static_cast<Eigen::Index>(i));
      out.dofs.push_back(fe.dofs[i]);
    }
  for (Eigen::Index m = 0; m < fe.shapes.cols(); ++m) {
    Mode& mode = out.modes.emplace_back();
    mode.pole = pole_of(std::sqrt(std::max(fe.eigenvalues[m], 0.0)) / (2.0 * std::numbers::pi), 0.0);
    mode.modal_mass = 1.0;
    for (const Eigen::Index row : rows) mode.shape.emplace_back(fe.shapes(row, m));
  }
  return out;
}

// A side is read by what its first file holds: modes, responses, else a model whose modes are computed.
CorrelateSide read_side(const std::vector<std::string>& files, const std::string& geometry, const CorrelateJob& job,
                        ModalInputs& inputs) {
  CorrelateSide out;
  out.name = std::filesystem::path(files.front()).filename().string();
  inputs.geometry = {};
  const Exchange first = read_exchange(files.front());
  const bool model = first.kind() == "unknown" ? false : (first.deck.has_value() || first.matrices.has_value());
  if (model) {
    BodyJob as_body;
    as_body.fe = files;
    as_body.length_m = job.length_m;
    as_body.mass_kg = job.mass_kg;
    as_body.ignore_cards = job.ignore_cards;
    const BodySource source = read_body_source(as_body);
    inputs.findings.insert(inputs.findings.end(), source.files.findings.begin(), source.files.findings.end());
    inputs.inputs.insert(inputs.inputs.end(), source.files.inputs.begin(), source.files.inputs.end());
    out.modes = mode_set_of(modes_at_points(source, job.count), out.name);
    if (source.files.model)
      out.drawn = fe::outline_geometry(*source.files.model, fe::outline(*source.files.model), most_drawn);
  } else if (first.response && !first.response->channels.empty()) {
    out.responses = read_responses(files, inputs);
  } else {
    if (files.size() > 1)
      throw_bad_input(files[1], "modes stand in one file, and there is another one behind it",
                      "give the test in one file and the model in one file; points go into test_geometry and "
                      "model_geometry");
    out.modes = read_modes(files.front(), inputs);
  }
  if (out.modes) {
    if (!geometry.empty()) {
      read_geometry(geometry, inputs);
      out.modes->geometry = inputs.geometry;
    } else if (out.modes->geometry.nodes.empty()) {
      out.modes->geometry = inputs.geometry;
    }
    if (out.drawn.nodes.empty() && out.modes->geometry.nodes.size() <= most_drawn) out.drawn = out.modes->geometry;
  }
  return out;
}

std::vector<ShownMode> shown(const ModeSet& set, const std::vector<std::size_t>& modes) {
  std::vector<ShownMode> out;
  for (const std::size_t i : modes) out.push_back({i + 1, set.modes[i].frequency_hz()});
  return out;
}

ShownModes shown(const ModeCorrelation& c, const ModeSet& test, const ModeSet& model) {
  ShownModes out{c,
                 {},
                 shown(test, c.test_modes),
                 shown(model, c.model_modes),
                 shown(test, c.test_alone),
                 shown(model, c.model_alone),
                 {}};
  for (const ModePair& pair : c.pairs) out.pairs.push_back({pair});
  for (const SensorAgreement& sensor : c.sensors) out.sensors.push_back({sensor});
  return out;
}

ShownResponses shown(const ResponseCorrelation& c, const FrequencyResponse& test) {
  ShownResponses out{c.frequency_hz, {}, {}};
  for (const ResponseAgreement& channel : c.channels)
    out.channels.push_back(
        {test.channels[channel.test].output, test.channels[channel.test].input, channel.frac, channel.size});
  for (std::size_t i = 0; i < c.inputs.size(); ++i) out.inputs.push_back({c.inputs[i], c.rvac[i]});
  return out;
}

std::string terminal_text(const ModeCorrelation* modes, const ResponseCorrelation* responses,
                          const FrequencyResponse* test) {
  std::string text;
  if (modes != nullptr) {
    text += fmt::format("{} of {} modes of the test have a partner, {} sensors\n", modes->pairs.size(),
                        modes->test_modes.size(), modes->matches.size());
    if (!modes->pairs.empty()) text += "      test Hz    model Hz  difference     MAC\n";
    for (const ModePair& pair : modes->pairs)
      text += fmt::format("  {:11.4f} {:11.4f} {:+9.2f} %  {:6.3f}\n", pair.test_hz, pair.model_hz,
                          std::abs(pair.difference) < 5e-5 ? 0.0 : 100.0 * pair.difference, pair.mac);
  }
  if (responses != nullptr) {
    double sum = 0.0, least = 1.0;
    std::size_t worst = 0;
    for (std::size_t i = 0; i < responses->channels.size(); ++i) {
      sum += responses->channels[i].frac;
      if (responses->channels[i].frac < least) least = responses->channels[worst = i].frac;
    }
    const FrequencyResponseChannel& named = test->channels[responses->channels[worst].test];
    text += fmt::format("{} channels at {} lines: mean FRAC {:.3f}, least {:.3f} ({}/{})\n", responses->channels.size(),
                        responses->frequency_hz.size(), sum / static_cast<double>(responses->channels.size()), least,
                        label(named.output), label(named.input));
  }
  return text;
}

}  // namespace

Outcome correlate_job(const CorrelateJob& job, Progress& progress) {
  if (job.files.size() < 2)
    throw_bad_input("files", "two sets are needed: a test and a model",
                    "write for example kdyn correlate out/modal/modes.uff frame.bdf");
  progress.report(0.0, "reading");
  ModalInputs inputs;
  const CorrelateSide test = read_side({job.files.front()}, job.test_geometry, job, inputs);
  progress.report(0.2, "model");
  const CorrelateSide model = read_side({job.files.begin() + 1, job.files.end()}, job.model_geometry, job, inputs);
  progress.report(0.8, "comparing");
  std::optional<ModeCorrelation> modes;
  std::optional<ResponseCorrelation> responses;
  if (test.modes && model.modes) modes = correlate_modes(*test.modes, *model.modes, job.correlate);
  if (test.responses && model.responses)
    responses = correlate_responses(*test.responses, *model.responses, job.correlate);
  if (!modes && !responses)
    throw_bad_input("files",
                    fmt::format("{} holds {}, {} holds {}: they cannot be compared", test.name,
                                test.modes ? "modes" : "responses", model.name, model.modes ? "modes" : "responses"),
                    test.responses
                        ? "identify modes of the responses first (kdyn modal), or compute responses of the model"
                        : "identify modes of the model's responses first (kdyn modal)");
  std::vector<Finding> findings = inputs.findings;
  if (modes) findings.insert(findings.end(), modes->findings.begin(), modes->findings.end());
  if (responses) findings.insert(findings.end(), responses->findings.begin(), responses->findings.end());

  Outcome outcome;
  outcome.inputs = inputs.inputs;
  CorrelateOutput output{job, {}, {}, findings};
  if (modes) output.modes.emplace(shown(*modes, *test.modes, *model.modes));
  if (responses) output.responses = shown(*responses, *test.responses);
  to_json_fields(output, outcome.result);
  outcome.text = terminal_text(modes ? &*modes : nullptr, responses ? &*responses : nullptr,
                               test.responses ? &*test.responses : nullptr) +
                 findings_text(findings);
  outcome.document =
      correlate_report({!job.title.empty() ? job.title : fmt::format("{} and {}", test.name, model.name), test, model,
                        modes ? &*modes : nullptr, responses ? &*responses : nullptr, findings});
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
