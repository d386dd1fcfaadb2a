// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/exchange_outputs.hpp"

#include "kdyn/base/file.hpp"
#include "kdyn/element/bushing.hpp"

namespace kdyn::app {
namespace {

struct FmuEntry {
  std::string path;
  std::size_t bytes;
};
const FieldTable& fields_of(const FmuEntry*) {
  static const FieldTable table = FieldTable::results<FmuEntry>("entry of an FMU", [](FieldTable& t) {
    t.add(&FmuEntry::path, "path", "-", "Path in the archive");
    t.add(&FmuEntry::bytes, "bytes", "-", "Size");
  });
  return table;
}

struct SineShown {
  AxisKind axis;
  MountDifference::Place at;
};
const FieldTable& fields_of(const SineShown*) {
  using S = SineShown;
  static const FieldTable table = FieldTable::results<S>("sine", [](FieldTable& t) {
    add_sine<S>(
        t, [](const S& s) { return s.axis; }, [](const S& s) -> const MountDifference::Place& { return s.at; });
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const Suggestion*) {
  static const FieldTable table = FieldTable::results<Suggestion>("suggestion", [](FieldTable& t) {
    t.add(&Suggestion::operation, "operation", "-", "Operation that takes it");
    t.add(&Suggestion::because, "because", "-", "Why");
  });
  return table;
}

const FieldTable& fields_of(const InspectedSet*) {
  using S = InspectedSet;
  static const FieldTable table = FieldTable::results<S>("inspected set", [](FieldTable& t) {
    t.include(&S::source, field_table<Source>());
    t.add(&S::kind, "kind", "-", "What it is");
    t.add(&S::rows, "rows", "-", "Rows or samples").unless_null();
    t.add(&S::axis, "axis", "-", "Kind of axis").one_of({"translation", "rotation"}).unless_null();
    t.add(&S::frequency_range_hz, "frequency_range_hz", "Hz", "Lowest and highest frequency of a map").unless_null();
    t.add(&S::amplitudes, "amplitudes", "m or rad", "Amplitude levels").unless_null();
    t.add(&S::preloads, "preloads", "N or N*m", "Preload levels").unless_null();
    t.add(&S::suggests, "suggests", "-", "Which operation it looks made for").unless_null();
    t.add(&S::part, "part", "-", "Part it was measured on").unless_empty();
    t.add(&S::direction, "direction", "-", "Direction it was measured in").unless_empty();
    t.add(&S::temperature_c, "temperature_c", "degC", "Temperature it was measured at").unless_null();
  });
  return table;
}

const FieldTable& fields_of(const InspectedDeck*) {
  using D = InspectedDeck;
  static const FieldTable table = FieldTable::results<D>("what update can calibrate", [](FieldTable& t) {
    t.add(&D::bushings, "bushings", "-", "Labels of bushing elements");
    t.add(&D::shells, "shells", "-", "Labels of shell properties");
    t.add(&D::materials, "materials", "-", "Labels of materials");
  });
  return table;
}

const FieldTable& fields_of(const InspectedPlace*) {
  using P = InspectedPlace;
  static const FieldTable table = FieldTable::results<P>("place in a structure", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Name or label");
    t.add(&P::kind, "kind", "-", "bushing, spring or sensor");
    t.add(&P::at, "at", "-", "Where it sits: x, y, z in the length unit of the file");
  });
  return table;
}

const FieldTable& fields_of(const InspectedColumn*) {
  using C = InspectedColumn;
  static const FieldTable table = FieldTable::results<C>("column of a table", [](FieldTable& t) {
    t.add(&C::title, "title", "-", "As the header has it");
    t.add(&C::meaning, "meaning", "-", "What the title says: force, displacement, ...; empty: nothing");
    t.add(&C::unit, "unit", "-", "Unit in the title or the row below; empty: none");
    t.add(&C::cells, "cells", "-", "First cells");
  });
  return table;
}

const FieldTable& fields_of(const InspectedSheet*) {
  using S = InspectedSheet;
  static const FieldTable table = FieldTable::results<S>("sheet of a workbook", [](FieldTable& t) {
    t.add(&S::name, "name", "-", "Its name");
    t.add(&S::columns, "columns", "-", "Its columns, with what their titles say");
  });
  return table;
}

const FieldTable& fields_of(const InspectedFile*) {
  using F = InspectedFile;
  static const FieldTable table = FieldTable::results<F>("inspected file", [](FieldTable& t) {
    t.include(&F::what, field_table<InspectedSet>());
    t.add(&F::operation, "operation", "-", "Operation a result or job is of").unless_null();
    t.add(&F::status, "status", "-", "Status of a result").unless_null();
    t.add(&F::operations, "operations", "-", "Operations that take these options").unless_empty();
    t.add(&F::model, "model", "-", "Kind of a model file").unless_empty();
    t.add(&F::format, "format", "-", "Format of the file").unless_null();
    t.add(&F::sets, "sets", "-", "Measurements, when there are several").unless_empty();
    t.add(&F::cards_skipped, "cards_skipped", "-", "Cards of a deck that are not used, with their number")
        .unless_null();
    t.add(&F::deck, "deck", "-", "What of a deck update can calibrate").unless_null();
    t.add(&F::places, "places", "-", "Bushings, springs and sensors of a model or deck").unless_empty();
    t.add(&F::columns, "columns", "-", "Columns of a table, with what their titles say").unless_empty();
    t.add(&F::sheets, "sheets", "-", "Sheets of a workbook, when there are several").unless_empty();
    t.add(&F::summary, "summary", "-", "What is in it, in words");
    add_findings<F>(t);
  });
  return table;
}

const FieldTable& fields_of(const SavedLayout*) {
  using L = SavedLayout;
  static const FieldTable table = FieldTable::results<L>("saved layout", [](FieldTable& t) {
    t.add(&L::name, "name", "-", "Name");
    t.add(&L::path, "path", "-", "Where it is kept");
    t.add(&L::match, "match", "-", "Columns by which a header is known again");
  });
  return table;
}

const FieldTable& fields_of(const InspectOutput*) {
  using O = InspectOutput;
  static const FieldTable table = FieldTable::results<O>("inspect result", [](FieldTable& t) {
    t.add(&O::status, "status", "-", "done or stopped");
    t.add(&O::files, "files", "-", "Files that were looked at");
    t.add(&O::layout, "layout", "-", "Layout that was kept").unless_null();
    add_findings<O>(t);
  });
  return table;
}

const FieldTable& fields_of(const WrittenFile*) {
  using F = WrittenFile;
  static const FieldTable table = FieldTable::results<F>("written file", [](FieldTable& t) {
    t.add(&F::path, "path", "-", "File");
    t.add(&F::bytes, "bytes", "-", "Size");
    t.add(&F::sha256, "sha256", "-", "Hash of its content");
  });
  return table;
}

WrittenFile written(const std::string& path, const std::string& content) {
  return {path, content.size(), sha256(content)};
}

const FieldTable& fields_of(const ConvertOutput*) {
  using O = ConvertOutput;
  static const FieldTable table = FieldTable::results<O>("convert result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(&O::kind, "kind", "-", "What the file holds");
    t.add(&O::files, "files", "-", "Files that were written");
    t.add(&O::summary, "summary", "-", "What is in it, in words");
    add_findings<O>(t);
  });
  return table;
}

const FieldTable& fields_of(const ImportedModel*) {
  using M = ImportedModel;
  static const FieldTable table = FieldTable::results<M>("imported model", [](FieldTable& t) {
    t.add(&M::path, "path", "-", "Model file");
    t.add(&M::direction, "direction", "-", "Direction: fx fy fz tx ty tz").unless_empty();
    t.add(&M::model, "model", "-", "Law, or bushing");
  });
  return table;
}

const FieldTable& fields_of(const ImportOutput*) {
  using O = ImportOutput;
  static const FieldTable table = FieldTable::results<O>("import result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(&O::kind, "kind", "-", "What the file is");
    t.add(&O::files, "files", "-", "Model files that were written");
    t.add(&O::models, "models", "-", "The model of each direction").unless_empty();
    t.add(&O::bushing, "bushing", "-", "All directions as one bushing").unless_null();
    add_findings<O>(t);
  });
  return table;
}

const FieldTable& fields_of(const DifferenceShown*) {
  using D = DifferenceShown;
  static const FieldTable table = FieldTable::results<D>("difference of two mounts", [](FieldTable& t) {
    t.add([](const D& d) { return d.of.none(); }, "equal", "-", "Whether nothing but rounding is between them");
    t.add([](const D& d) { return d.of.k_dyn_rel; }, "k_dyn_rel", "-", "Dynamic stiffness: largest difference");
    t.add([](const D& d) { return SineShown{d.axis, d.of.k_dyn_at}; }, "k_dyn_at", "-", "Where that is");
    t.add([](const D& d) { return d.of.loss_angle; }, "loss_angle_deg", "deg", "Loss angle: largest difference")
        .in_degrees();
    t.add([](const D& d) { return SineShown{d.axis, d.of.loss_angle_at}; }, "loss_angle_at", "-", "Where that is");
    t.add([](const D& d) { return d.of.static_rel; }, "static_rel", "-", "Static force, over its range");
    t.add([](const D& d) { return d.of.path_rel; }, "path_rel", "-", "Force on a random path, over its range");
    t.add([](const D& d) { return d.of.hot_k_dyn_rel; }, "hot_k_dyn_rel", "-", "Stiffness over the temperature table");
    t.add([](const D& d) { return d.of.hot_loss_angle; }, "hot_loss_angle_deg", "deg",
          "Loss angle over the temperature table")
        .in_degrees();
  });
  return table;
}

const FieldTable& fields_of(const ChosenPoint*) {
  using P = ChosenPoint;
  static const FieldTable table = FieldTable::results<P>("chosen point", [](FieldTable& t) {
    t.add(&P::frequency_hz, "frequency_hz", "Hz", "Frequency");
    add_on_axis<P>(
        t, [](const P& p) { return p.axis; }, [](const P& p) { return p.amplitude; }, amplitude_field, "Amplitude");
    t.add(&P::k_dyn, "k_dyn", stiffness_unit, "Dynamic stiffness of the model");
    t.add(&P::loss_angle, "loss_angle_deg", "deg", "Its loss angle").in_degrees();
    t.add(&P::k_dyn_file, "k_dyn_file", stiffness_unit, "Dynamic stiffness of the file");
    t.add(&P::loss_angle_file, "loss_angle_file_deg", "deg", "Its loss angle").in_degrees();
  });
  return table;
}

const FieldTable& fields_of(const ExportedAxis*) {
  using A = ExportedAxis;
  static const FieldTable table = FieldTable::results<A>("exported axis", [](FieldTable& t) {
    t.add(&A::read_back, "read_back", "-", "The file as kdyn reads it, against the model").unless_null();
    t.add(&A::chosen_point, "chosen_point", "-", "At the sine where the damping is taken").unless_null();
    t.add(&A::lost, "lost", "-", "What the file cannot hold").unless_null();
    t.add(&A::without_kdyn_blocks, "without_kdyn_blocks", "-", "As others read it, against the model").unless_null();
    t.add(&A::lost_by_others, "lost_by_others", "-", "What others do not see").unless_null();
    t.add(&A::akima_rel, "akima_rel", "-", "Static curve by Akima's interpolation, over its range").unless_null();
  });
  return table;
}

const FieldTable& fields_of(const ExportComparison*) {
  using C = ExportComparison;
  static const FieldTable table = FieldTable::results<C>("comparison of the export", [](FieldTable& t) {
    for (std::size_t d = 0; d < axis_names.size(); ++d)
      t.add([d](const C& c) { return c.axes[d]; }, axis_names[d], "-", "This axis").unless_null();
    t.add(&C::coupling_rel, "coupling_rel", "-", "What a reader without kdyn's block loses with the coupling")
        .unless_null();
  });
  return table;
}

const FieldTable& fields_of(const ExportedFmu*) {
  using F = ExportedFmu;
  static const FieldTable table = FieldTable::results<F>("exported FMU", [](FieldTable& t) {
    t.add(&F::path, "path", "-", "File");
    t.add(&F::fmi_version, "fmi_version", "-", "2.0 or 3.0");
    t.add(&F::platforms, "platforms", "-", "Platforms with binaries");
    t.add(&F::inputs, "inputs", "-", "Inputs of a multibody model").unless_null();
    t.add(&F::outputs, "outputs", "-", "Outputs of a multibody model").unless_null();
    t.add(
        [](const F& f) {
          std::vector<FmuEntry> out;
          for (const auto& [path, bytes] : f.entries) out.push_back({path, bytes});
          return out;
        },
        "entries", "-", "Files inside");
  });
  return table;
}

ExportedFmu exported_fmu(const std::string& name, int version, const Fmu& fmu) {
  ExportedFmu out{name + ".fmu", version == 2 ? "2.0" : "3.0", fmu.platforms, {}, {}};
  for (const auto& [path, content] : fmu.entries) out.entries.emplace_back(path, content.size());
  return out;
}

const FieldTable& fields_of(const ExportLoss*) {
  using L = ExportLoss;
  static const FieldTable table = FieldTable::results<L>("loss of the export", [](FieldTable& t) {
    t.add(&L::words, "words", "-", "What the format cannot hold of this model, in one line");
    t.add([](const L& l) { return std::string(l.severity ? to_string(*l.severity) : "none"); }, "severity", "-",
          "Of the worst finding: none, note, warning or serious");
  });
  return table;
}

const FieldTable& fields_of(const ExportOutput*) {
  using O = ExportOutput;
  static const FieldTable table = FieldTable::results<O>("export result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(&O::fmu, "fmu", "-", "FMUs").unless_empty();
    t.add(&O::loss, "loss", "-", "What is lost, in one line").unless_null();
    t.add(&O::comparison, "comparison", "-", "Property file read back and run beside the model").unless_null();
    t.add(&O::files, "files", "-", "Files that were written");
    add_findings<O>(t);
  });
  return table;
}

}  // namespace kdyn::app
