// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/present/structure_plots.hpp"
#include "kdyn/app/structure/body_inputs.hpp"
#include "kdyn/app/structure/modal_inputs.hpp"
#include "kdyn/app/structure/modal_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/data/dof_field.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/modes/body_fields.hpp"
#include "kdyn/modes/body_file.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const BodyJob*) {
  using J = app::BodyJob;
  using F = FeBodyOptions;
  static const FieldTable reduction = FieldTable::of<F>("body from fe", [](FieldTable& t) {
    t.add(&F::method, "method", "-", "From FE: how the body is reduced")
        .one_of({"craig_bampton", "free_interface", "normal_modes"});
    t.add(&F::modes, "normal_modes", "-", "From FE: normal modes in the basis").range(1, 1000);
    t.add(&F::interface_nodes, "interface_nodes", "-",
          "From FE: nodes where other parts connect, such as 12 (six directions) or 12+Z");
    t.add(&F::damping, "damping", "-", "From FE: damping ratio of all modes").range(0.0, 0.99);
    t.add(&F::max_frequency_hz, "max_frequency_hz", "Hz",
          "From FE: modes of the reduced body above are left out; 0: none")
        .range(0.0, 1e7);
  });
  static const FieldTable table = FieldTable::of<J>("body", [](FieldTable& t) {
    t.add(&J::from, "from", "-", "From test modes with the help of an FE model, or from the FE model alone")
        .one_of({"test", "fe"});
    t.add(&J::modes, "modes", "-",
          "From test: the modes, as result.json or modes.uff of kdyn modal, or any universal file with shapes")
        .reads();
    t.add(&J::fe, "fe", "-",
          "FE model: a Nastran deck, mass and stiffness matrices with their node map, or modes; geometry; one or more "
          "files")
        .from_words()
        .reads();
    t.add(&J::length_m, "length_m", "m", "Unit of length of a Nastran deck: 0.001 for millimetres").range(1e-9, 1e9);
    t.add(&J::mass_kg, "mass_kg", "kg", "Unit of mass of a Nastran deck: 1000 for tonnes").range(1e-9, 1e9);
    t.add(&J::ignore_cards, "ignore_cards", "-",
          "Cards of a deck that are left out although they may carry stiffness, mass or links, such as CWELD CGAP");
    t.add(&J::geometry, "geometry", "-", "From test: points of the test, when the modes file has none").reads();
    t.add(&J::title, "title", "-", "Title of the report and name of the body");
    t.add(&J::fe_modes, "fe_modes", "-", "From test: FE modes to compute from matrices").range(1, 2000);
    t.add(&J::mass, "mass", "kg", "Mass as weighed; 0: from the FE mass matrix").range(0.0, 1e9);
    t.add(&J::centre, "centre", "m", "Centre of gravity x, y, z as measured; by default from the FE mass matrix");
    t.add(
        &J::inertia, "inertia", "kg*m^2",
        "Inertia about the centre of gravity as measured: xx, yy, zz, xy, yz, zx; by default from the FE mass matrix");
    t.include(&J::test, field_table<TestBodyOptions>());
    t.include(&J::reduction, reduction);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

struct OrthogonalityShown {
  std::optional<double> test_coupling;
  double body_coupling = 0.0;
  std::optional<Eigen::MatrixXd> test;
  Eigen::MatrixXd body;
};
const FieldTable& fields_of(const OrthogonalityShown*) {
  using O = OrthogonalityShown;
  static const FieldTable table = FieldTable::results<O>("orthogonality", [](FieldTable& t) {
    t.add(&O::test_coupling, "test_largest_coupling", "-", "Largest coupling of the test modes by the FE mass")
        .unless_null();
    t.add(&O::body_coupling, "body_largest_coupling", "-", "Largest coupling of the modes of the body");
    t.add(&O::test, "test", "-", "Modal mass of the test modes, by rows").unless_null();
    t.add(&O::body, "body", "-", "Modal mass of the body, by rows");
  });
  return table;
}

struct MacShown {
  std::optional<Eigen::MatrixXd> body_test, test_fe, body_body;
  std::optional<double> rotation;
};
const FieldTable& fields_of(const MacShown*) {
  using M = MacShown;
  static const FieldTable table = FieldTable::results<M>("mac", [](FieldTable& t) {
    t.add(&M::body_test, "body_test", "-", "Body against test, at the sensors").unless_null();
    t.add(&M::test_fe, "test_fe", "-", "Test against FE modes").unless_null();
    t.add(&M::rotation, "rotation_least", "-", "Least MAC after the rotation that makes the modes orthogonal")
        .unless_null();
    t.add(&M::body_body, "body_body", "-", "Shapes of the body among themselves").unless_null();
  });
  return table;
}

struct ExpansionShown {
  const ExpandResult& of;
};
const FieldTable& fields_of(const ExpansionShown*) {
  using E = ExpansionShown;
  static const FieldTable table = FieldTable::results<E>("expansion", [](FieldTable& t) {
    t.add([](const E& e) { return e.of.basis_size; }, "basis_size", "-", "FE modes in the basis");
    t.add([](const E& e) { return e.of.reason; }, "reason", "-", "Why so many");
    t.add([](const E& e) { return e.of.misfit; }, "misfit", "-", "Relative error at the sensors");
    t.add([](const E& e) { return e.of.hold_out; }, "hold_out", "-",
          "Relative error of predicting each sensor from the others");
  });
  return table;
}

struct MatchShown {
  Dof sensor;
  std::int64_t fe_node;
  double distance;
};
const FieldTable& fields_of(const MatchShown*) {
  using M = MatchShown;
  static const FieldTable table = FieldTable::results<M>("match", [](FieldTable& t) {
    t.add(&M::sensor, "sensor", "-", "Sensor of the test");
    t.add(&M::fe_node, "fe_node", "-", "Node of the FE model");
    t.add(&M::distance, "distance_m", "m", "How far apart; 0: matched by label");
  });
  return table;
}

struct BodyMode {
  std::string kind;
  double frequency_hz, damping;
};
const FieldTable& fields_of(const BodyMode*) {
  using M = BodyMode;
  static const FieldTable table = FieldTable::results<M>("mode of a body", [](FieldTable& t) {
    t.add(&M::kind, "kind", "-", "What it is: a mode, a shape of the interface");
    t.add(&M::frequency_hz, "frequency_hz", "Hz", "Natural frequency");
    t.add(&M::damping, "damping", "-", "Damping ratio");
  });
  return table;
}

}  // namespace

struct BodyOutput {
  const BodyJob& job;
  const FlexibleBody& body;
  const TestBodyResult* test;       // null: from FE
  std::vector<MatchShown> matches;  // of the test
  OrthogonalityShown orthogonality;
  MacShown mac;
  std::vector<std::string> files;
  std::vector<Finding> findings;
};

const FieldTable& fields_of(const BodyOutput*) {
  using O = BodyOutput;
  static const FieldTable table = FieldTable::results<O>("body result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add([](const O& o) { return o.test != nullptr ? o.test->ortho.reason : o.body.origin; }, "reason", "-",
          "How it was made");
    t.add(
         [](const O& o) {
           return o.test != nullptr ? std::optional<std::string>(to_string(o.test->ortho.used)) : std::nullopt;
         },
         "orthonormalised_by", "-", "From test: what made the modes orthogonal")
        .unless_null();
    t.add(
        [](const O& o) -> const auto& { return o.orthogonality; }, "orthogonality", "-",
        "Coupling of the modes by the mass");
    t.add(
        [](const O& o) -> const auto& { return o.mac; }, "mac", "-", "How alike shapes are");
    t.add([](const O& o) { return o.test != nullptr ? std::optional(o.test->comac) : std::nullopt; }, "comac", "-",
          "From test: CoMAC of the sensors")
        .unless_null();
    t.add(
         [](const O& o) { return o.test != nullptr ? std::optional(ExpansionShown{o.test->expansion}) : std::nullopt; },
         "expansion", "-", "From test: expansion to all points")
        .unless_null();
    t.add([](const O& o) { return o.test != nullptr ? std::optional(o.matches) : std::nullopt; }, "matches", "-",
          "From test: sensors and nodes")
        .unless_null();
    t.add(&O::files, "files", "-", "Files beside result.json");
    t.add(
        [](const O& o) {
          std::vector<BodyMode> out;
          for (Eigen::Index i = 0; i < o.body.shapes.cols(); ++i)
            out.push_back({o.body.kinds[static_cast<std::size_t>(i)], o.body.frequency_hz[i], o.body.damping[i]});
          return out;
        },
        "modes", "-", "Modes of the body");
    t.add([](const O& o) { return o.body.rigid; }, "rigid", "-",
          "Mass, centre of gravity and inertia, as in body.json");
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

using namespace report;

std::vector<std::string> names_of(const Eigen::VectorXd& frequency_hz) {
  std::vector<std::string> names;
  for (const double f : frequency_hz) names.push_back(fmt::format("{:.1f} Hz", f));
  return names;
}

double largest_off_diagonal(const Eigen::MatrixXd& A) {
  return A.rows() > 1 ? (A - Eigen::MatrixXd(A.diagonal().asDiagonal())).cwiseAbs().maxCoeff() : 0.0;
}

// What was weighed or measured on the part goes before what the FE model says.
void attach_measured(const BodyJob& job, RigidBodyProperties& rigid, std::vector<Finding>& findings) {
  if (!job.centre.empty() && job.centre.size() != 3)
    throw_bad_input("centre", "three coordinates are needed", "write for example --centre 0.4,0,0.1");
  if (!job.inertia.empty() && job.inertia.size() != 6)
    throw_bad_input("inertia", "six values are needed", "give xx, yy, zz, xy, yz, zx");
  const double of_model = rigid.mass;
  std::string given;
  if (job.mass > 0.0) {
    // The distribution of the model, at the mass that was weighed.
    if (of_model > 0.0) rigid.inertia *= job.mass / of_model;
    rigid.mass = job.mass;
    given += "mass";
  }
  if (!job.centre.empty()) {
    std::copy(job.centre.begin(), job.centre.end(), rigid.centre.begin());
    given += given.empty() ? "centre" : ", centre";
  }
  if (const auto& J = job.inertia; !J.empty()) {
    rigid.inertia << J[0], J[3], J[5], J[3], J[1], J[4], J[5], J[4], J[2];
    if (!(rigid.inertia.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff() > 0.0))
      throw_bad_input("inertia", "these values belong to no body: a principal inertia is not positive",
                      "check order and signs: xx, yy, zz, xy, yz, zx");
    given += given.empty() ? "inertia" : ", inertia";
  }
  if (given.empty()) {
    if (!(rigid.mass > 0.0))
      findings.push_back({Severity::warning, "no_rigid_properties", "mass",
                          "FE modes alone do not tell the mass of the part; the body has none",
                          "give mass, centre and inertia, or FE matrices"});
    return;
  }
  rigid.origin = of_model > 0.0 ? fmt::format("mass matrix, with {} as given", given) : given + " as given";
  if (of_model > 0.0 && job.mass > 0.0 && std::abs(job.mass / of_model - 1.0) > 0.05)
    findings.push_back({Severity::warning, "mass_differs", "mass",
                        fmt::format("the part weighs {:.4g} kg, the FE model {:.4g} kg", job.mass, of_model),
                        "check the FE model: shapes are normalised with its mass"});
}

Table rigid_table(const RigidBodyProperties& rigid) {
  Table table{.title = "Rigid-body properties",
              .columns = {{.title = "Quantity"}, {.title = "Value", .digits = 5}, {.title = "Unit"}}};
  table.rows.push_back({{"Mass", rigid.mass, "kg"}, Quality::neutral});
  const char* axes[] = {"X", "Y", "Z"};
  for (std::size_t i = 0; i < 3; ++i)
    table.rows.push_back({{fmt::format("Centre of gravity {}", axes[i]), rigid.centre[i], "m"}, Quality::neutral});
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      table.rows.push_back(
          {{fmt::format("Inertia {}{}", axes[i], axes[j]), rigid.inertia(i, j), "kg*m²"}, Quality::neutral});
  table.note = "Inertia about the centre of gravity. Source: " + rigid.origin + ".";
  return table;
}

void add_shapes(Document& d, const FlexibleBody& body, const std::vector<Dof>& sensors) {
  report::Animation moving = animation(kdyn::mode_set_of(body), "Shapes of the body", sensors, false);
  if (moving.shapes.empty()) return;
  moving.caption = sensors.empty()
                       ? "Drag to turn. The dashed frame is at rest."
                       : "Drag to turn. Dots are the nodes that carry sensors; all other motion is expanded.";
  d.section("Shapes", "All points of the body.").named("shapes").add(std::move(moving));
}

Heatmap mass_map(const std::string& title, const Eigen::MatrixXd& mass, const std::vector<std::string>& names,
                 const std::string& caption) {
  Heatmap map{
      .title = title, .row_names = names, .column_names = names, .lower = -1.0, .upper = 1.0, .caption = caption};
  for (Eigen::Index i = 0; i < mass.rows(); ++i) {
    std::vector<double> row;
    for (Eigen::Index j = 0; j < mass.cols(); ++j) row.push_back(mass(i, j));
    map.values.push_back(std::move(row));
  }
  return map;
}

Document test_report(const std::string& title, const TestBodyResult& r, const FeModes& fe) {
  const FlexibleBody& body = r.body;
  Document d{.title = title, .subtitle = "Flexible body from experimental modes"};
  const std::vector<std::string> names = names_of(body.frequency_hz);
  const double least = r.mac_body_test.diagonal().minCoeff();
  d.key_figures.push_back({.label = "Modes",
                           .value = body.shapes.cols(),
                           .note = fmt::format("{} sensors, {} points", r.sensors.size(), body.geometry.nodes.size())});
  d.key_figures.push_back({.label = "Body against test",
                           .value = least,
                           .quality = least > 0.9   ? Quality::good
                                      : least > 0.7 ? Quality::fair
                                                    : Quality::poor,
                           .note = "least MAC at the sensors",
                           .digits = 3});
  d.key_figures.push_back({.label = "Sensors left out",
                           .value = 100.0 * r.expansion.hold_out,
                           .unit = "%",
                           .quality = r.expansion.hold_out < 0.2   ? Quality::good
                                      : r.expansion.hold_out < 0.5 ? Quality::fair
                                                                   : Quality::poor,
                           .note = "error of predicting them",
                           .digits = 3});
  d.key_figures.push_back({.label = "Orthogonality of the test",
                           .value = r.ortho.largest_before,
                           .quality = r.ortho.largest_before < 0.1 ? Quality::good : Quality::fair,
                           .note = "largest coupling as measured",
                           .digits = 2});
  d.key_figures.push_back({.label = "Orthonormalised by", .value = in_words(r.ortho.used), .note = r.ortho.reason});
  // Sensors have the labels of the test; the drawing has those of the FE model.
  std::vector<Dof> marked;
  for (const Match& match : r.matches) marked.push_back({match.fe_node, 1, ""});
  add_shapes(d, body, marked);
  auto& modes =
      d.section("Modes", "Frequencies and damping are those of the test; shapes are orthonormal and expanded.")
          .named("modes");
  Table table{.title = "Modes of the body",
              .columns = {{.title = "Mode"},
                          {.title = "Frequency", .unit = "Hz", .digits = 6},
                          {.title = "Damping", .unit = "%"},
                          {.title = "MAC body : test", .digits = 3},
                          {.title = "Best MAC test : FE", .digits = 3},
                          {.title = "FE frequency of that", .unit = "Hz", .digits = 5}}};
  for (Eigen::Index i = 0; i < body.shapes.cols(); ++i) {
    Eigen::Index partner = 0;
    const double best = r.mac_test_fe.row(i).maxCoeff(&partner);
    table.rows.push_back({{i + 1, body.frequency_hz[i], 100.0 * body.damping[i], r.mac_body_test(i, i), best,
                           std::sqrt(fe.eigenvalues[partner]) / (2.0 * std::numbers::pi)},
                          r.mac_body_test(i, i) < 0.7 ? Quality::fair : Quality::neutral});
  }
  modes.add(std::move(table));
  auto& check = d.section("Checks", "How well test, FE model and body agree.");
  std::vector<std::string> fe_names;
  for (Eigen::Index j = 0; j < r.mac_test_fe.cols(); ++j)
    fe_names.push_back(fmt::format("{:.0f}", std::sqrt(fe.eigenvalues[j]) / (2.0 * std::numbers::pi)));
  check.add(mac_map("MAC: test modes (rows) against FE modes (columns, Hz)", r.mac_test_fe, names, fe_names,
                    "Low values everywhere in a row: the FE model has no such mode, and the expansion combines several "
                    "of its modes."));
  check.add(mac_map("MAC: body (rows) against test (columns), at the sensors", r.mac_body_test, names, names, ""));
  check.add(mass_map("Test modes as the FE mass sees them", r.ortho.mass_before, names,
                     "Off-diagonal values are coupling that true modes do not have: noise and neighbours."));
  Plot coherence{.title = "CoMAC of the sensors", .x = {"Sensor", ""}, .y = {"CoMAC", "", false, 0.0, 1.05}};
  Series points{.name = "CoMAC", .style = SeriesStyle::markers};
  Series left{.name = "error when left out", .style = SeriesStyle::markers};
  for (Eigen::Index i = 0; i < r.comac.size(); ++i) {
    points.x.push_back(static_cast<double>(i + 1));
    points.y.push_back(r.comac[i]);
    points.hover.push_back(label(r.sensors[static_cast<std::size_t>(i)]));
    left.x.push_back(static_cast<double>(i + 1));
    left.y.push_back(r.expansion.hold_out_by_dof[i]);
    left.hover.push_back(points.hover.back());
  }
  coherence.series = {std::move(points)};
  coherence.height_px = 220;
  Plot hold{.title = "Sensors predicted from the others", .x = coherence.x, .y = {"Error relative to rms", ""}};
  hold.series = {std::move(left)};
  hold.height_px = 220;
  check.add(PlotRow{{coherence, hold}, 0, true});
  Plot size{
      .title = "How many FE modes", .x = {"FE modes in the basis", ""}, .y = {"Error at sensors left out", "", true}};
  Series errors{.name = "sensors left out", .style = SeriesStyle::line_and_markers};
  for (std::size_t n = 0; n < r.expansion.hold_out_by_size.size(); ++n)
    if (std::isfinite(r.expansion.hold_out_by_size[n])) {
      errors.x.push_back(static_cast<double>(n));
      errors.y.push_back(r.expansion.hold_out_by_size[n]);
    }
  if (errors.x.size() > 2) {
    size.series = {std::move(errors)};
    size.height_px = 220;
    size.caption = r.expansion.reason + ".";
    check.add(std::move(size));
  }
  if (body.rigid.mass > 0.0) d.section("Rigid body").add(rigid_table(body.rigid));
  d.section("Findings").add(Findings{.findings = r.findings, .when_empty = "Nothing unusual."});
  return d;
}

Document fe_report(const std::string& title, const FlexibleBody& body) {
  Document d{.title = title, .subtitle = "Flexible body from an FE model: " + body.origin};
  d.key_figures.push_back(
      {.label = "Modes", .value = body.shapes.cols(), .note = fmt::format("{} degrees of freedom", body.dofs.size())});
  d.key_figures.push_back({.label = "First frequency", .value = body.frequency_hz[0], .unit = "Hz"});
  d.key_figures.push_back({.label = "Mass", .value = body.rigid.mass, .unit = "kg"});
  d.key_figures.push_back({.label = "Orthogonality",
                           .value = largest_off_diagonal(body.modal_mass),
                           .quality = Quality::good,
                           .note = "largest coupling of the modal mass",
                           .digits = 2});
  add_shapes(d, body, body.interface_dofs);
  Table table{
      .title = "Modes",
      .columns = {
          {.title = "Mode"}, {.title = "Frequency", .unit = "Hz", .digits = 6}, {.title = "Damping", .unit = "%"}}};
  for (Eigen::Index i = 0; i < body.shapes.cols(); ++i)
    table.rows.push_back({{i + 1, body.frequency_hz[i], 100.0 * body.damping[i]}, Quality::neutral});
  d.section("Modes", "The highest ones are shapes of the interface rather than modes of the part.")
      .named("modes")
      .add(std::move(table));
  d.section("Rigid body").add(rigid_table(body.rigid));
  return d;
}

void write_body(const FlexibleBody& body, Outcome& outcome) {
  Json json;
  body_json(body, json);
  outcome.files.push_back({"body.json", dump_json(json)});
  outcome.files.push_back({"body.h5", store_bytes(body_store(body))});
  Exchange file;
  file.modes = kdyn::mode_set_of(body);
  std::vector<Finding> lost;
  outcome.files.push_back({"body.uff", exchange_bytes(file, "body.uff", {}, lost)});
}

void take(const FeSource& files, ModalInputs& inputs) {
  inputs.findings.insert(inputs.findings.end(), files.findings.begin(), files.findings.end());
  inputs.inputs.insert(inputs.inputs.end(), files.inputs.begin(), files.inputs.end());
}

Outcome from_test(const BodyJob& job, std::string title, Progress& progress) {
  if (job.modes.empty())
    throw_bad_input("modes", "test modes are needed",
                    "give --modes result.json of kdyn modal, or a universal file with shapes");
  ModalInputs inputs;
  ModeSet test = read_modes(job.modes, inputs);
  inputs.geometry = test.geometry;
  read_geometry(job.geometry, inputs);
  test.geometry = inputs.geometry;
  // The title of the test goes on to the body.
  if (job.title.empty() && !test.name.empty() && test.name != "modes") title = test.name;
  test.name = title;
  const BodySource source = read_body_source(job);
  take(source.files, inputs);
  progress.report(0.3, "FE modes");
  const FeModes fe = modes_at_points(source, job.fe_modes);
  progress.report(0.7, "orthonormalising and expanding");
  TestBodyResult r = body_from_test(test, fe, job.test);
  attach_measured(job, r.body.rigid, r.findings);
  r.findings.insert(r.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  Outcome outcome;
  outcome.inputs = inputs.inputs;
  std::vector<MatchShown> matches;
  for (const Match& m : r.matches) matches.push_back({test.dofs[m.sensor], m.fe_node, m.distance});
  write_body(r.body, outcome);
  to_json_fields(BodyOutput{job,
                            r.body,
                            &r,
                            matches,
                            {r.ortho.largest_before, r.largest_coupling, r.ortho.mass_before, r.body_mass},
                            {r.mac_body_test, r.mac_test_fe, {}, r.ortho.rotation_mac},
                            names_of(outcome.files),
                            r.findings},
                 outcome.result);
  outcome.text = fmt::format(
      "done: {} modes at {} points, orthonormalised by {}\n  {}\n  {}\n  least MAC of body and test {:.3f}, sensors "
      "left out are predicted to {:.1f} "
      "%\n",
      r.body.shapes.cols(), r.body.geometry.nodes.size(), to_string(r.ortho.used), r.ortho.reason, r.expansion.reason,
      r.mac_body_test.diagonal().minCoeff(), 100.0 * r.expansion.hold_out);
  outcome.text += findings_text(r.findings);
  outcome.document = test_report(title, r, fe);
  return outcome;
}

Outcome from_fe(const BodyJob& job, const std::string& title, Progress& progress) {
  ModalInputs inputs;
  const BodySource source = read_body_source(job);
  take(source.files, inputs);
  if (!source.has_matrices())
    throw_bad_input("fe", "a body from FE needs mass and stiffness, not modes alone",
                    "give a Nastran deck, or matrices as .h5, .op4, .sti with .mas, or Matrix Market");
  progress.report(0.3, "reducing");
  FlexibleBody body = fe_body(source.model, job.reduction);
  move_to_points(source, body, inputs.findings);
  body.name = title;
  attach_measured(job, body.rigid, inputs.findings);
  Outcome outcome;
  outcome.inputs = inputs.inputs;
  const Eigen::MatrixXcd shapes = body.shapes.cast<std::complex<double>>();
  write_body(body, outcome);
  to_json_fields(BodyOutput{job,
                            body,
                            nullptr,
                            {},
                            {{}, largest_off_diagonal(body.modal_mass), {}, body.modal_mass},
                            {{}, {}, mac_matrix(shapes, shapes), {}},
                            names_of(outcome.files),
                            inputs.findings},
                 outcome.result);
  outcome.text =
      fmt::format("done: {} modes by {}, {:.4g} to {:.4g} Hz, mass {:.5g} kg\n", body.shapes.cols(), body.origin,
                  body.frequency_hz[0], body.frequency_hz[body.frequency_hz.size() - 1], body.rigid.mass);
  outcome.text += findings_text(inputs.findings);
  outcome.document = fe_report(title, body);
  outcome.document->section("Findings").add(Findings{.findings = inputs.findings, .when_empty = "Nothing unusual."});
  return outcome;
}

}  // namespace

Outcome body_job(const BodyJob& job, Progress& progress) {
  progress.report(0.0, "reading");
  const std::string first = job.from == BodyFrom::test ? job.modes : job.fe.empty() ? "" : job.fe.front();
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(first).stem().string();
  Outcome outcome = job.from == BodyFrom::test ? from_test(job, title, progress) : from_fe(job, title, progress);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
