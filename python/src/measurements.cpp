// SPDX-License-Identifier: Apache-2.0
// Files read by the door, as arrays of numpy in SI units.
#include <cmath>
#include <complex>
#include <optional>

#include "kdyn/app/operation.hpp"
#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/door/read.hpp"
#include "kdyn/door/templates.hpp"
#include "kdyn/io/exchange.hpp"

#include "bindings.hpp"

namespace kdyn::python {
namespace {

template <class Rows, class Value>
py::array column(const Rows& rows, Value&& value) {
  std::vector<double> out;
  out.reserve(rows.size());
  for (const auto& row : rows) out.push_back(value(row));
  return to_array(std::move(out));
}

py::dict columns_of(BenchFile& bench) {
  py::dict out;
  switch (bench.kind) {
    case BenchKind::map: {
      const std::vector<MapRow>& rows = bench.map.rows;
      out["frequency_hz"] = column(rows, [](const MapRow& r) { return r.frequency_hz; });
      out["amplitude"] = column(rows, [](const MapRow& r) { return r.amplitude; });
      out["preload"] = column(rows, [](const MapRow& r) { return r.preload; });
      out["k_dyn"] = column(rows, [](const MapRow& r) { return r.k_dyn; });
      out["loss_angle_deg"] = column(rows, [](const MapRow& r) { return r.loss_angle / degree; });
      bool tells = false;
      for (const MapRow& row : rows) tells = tells || std::isfinite(row.temperature_c);
      if (tells) out["temperature_c"] = column(rows, [](const MapRow& r) { return r.temperature_c; });
      break;
    }
    case BenchKind::static_loop:
      out["displacement"] = to_array(std::move(bench.loop.displacement));
      out["force"] = to_array(std::move(bench.loop.force));
      break;
    case BenchKind::series:
      out["time_s"] = to_array(std::move(bench.series.time));
      out["displacement"] = to_array(std::move(bench.series.displacement));
      if (!bench.series.force.empty()) out["force"] = to_array(std::move(bench.series.force));
      break;
    case BenchKind::unknown: break;
  }
  return out;
}

AxisKind axis_of(const BenchFile& bench) {
  return bench.kind == BenchKind::map           ? bench.map.axis
         : bench.kind == BenchKind::static_loop ? bench.loop.axis
                                                : bench.series.axis;
}

py::dict set_of(BenchSet& set) {
  py::dict out, mapping;
  out["kind"] = to_string(set.bench.kind);
  out["place"] = to_text(set.place);
  out["part"] = to_text(set.labels.part);
  out["direction"] = to_text(set.labels.direction);
  out["rotation"] = axis_of(set.bench) == AxisKind::rotation;
  if (std::isfinite(set.labels.temperature_c)) out["temperature_c"] = set.labels.temperature_c;
  for (const ColumnUse& use : set.mapping)
    mapping[to_text(use.meaning)] = to_text(use.unit.empty() ? use.column : use.column + " [" + use.unit + "]");
  out["mapping"] = mapping;
  out["columns"] = columns_of(set.bench);
  return out;
}

py::array_t<std::complex<double>> complex_array(const std::vector<std::complex<double>>& values) {
  return py::array_t<std::complex<double>>(static_cast<py::ssize_t>(values.size()), values.data());
}

py::dict responses_of(FrequencyResponse& response) {
  py::dict out;
  py::list channels;
  for (const FrequencyResponseChannel& channel : response.channels) {
    py::dict one;
    one["output"] = to_text(label(channel.output));
    one["input"] = to_text(label(channel.input));
    one["output_unit"] = to_text(channel.output_unit);
    one["input_unit"] = to_text(channel.input_unit);
    one["values"] = complex_array(channel.values);
    if (!channel.coherence.empty()) one["coherence"] = to_array(std::vector<double>(channel.coherence));
    channels.append(one);
  }
  out["frequency_hz"] = to_array(std::move(response.frequency_hz));
  out["channels"] = channels;
  return out;
}

py::dict signals_of(SignalSet& set) {
  py::dict out, signals;
  for (Signal& signal : set.signals) {
    py::dict one;
    one["unit"] = to_text(signal.unit);
    if (signal.step_s > 0.0) {
      one["start_s"] = signal.start_s;
      one["step_s"] = signal.step_s;
    }
    one["values"] = to_array(std::move(signal.values));
    signals[to_text(signal.name)] = one;
  }
  out["time_s"] = to_array(std::move(set.time));
  out["signals"] = signals;
  return out;
}

py::dict modes_of(const ModeSet& set) {
  py::dict out;
  py::list dofs;
  for (const Dof& dof : set.dofs) dofs.append(to_text(label(dof)));
  const auto rows = static_cast<py::ssize_t>(set.dofs.size()), count = static_cast<py::ssize_t>(set.modes.size());
  py::array_t<std::complex<double>> shapes({rows, count});
  auto at = shapes.mutable_unchecked<2>();
  for (py::ssize_t j = 0; j < count; ++j)
    for (py::ssize_t i = 0; i < rows; ++i)
      at(i, j) = set.modes[static_cast<std::size_t>(j)].shape[static_cast<std::size_t>(i)];
  out["frequency_hz"] = column(set.modes, [](const Mode& m) { return m.frequency_hz(); });
  out["damping_ratio"] = column(set.modes, [](const Mode& m) { return m.damping_ratio(); });
  out["dofs"] = dofs;
  out["shapes"] = shapes;
  return out;
}

py::dict file_of(Exchange& file) {
  py::dict out;
  py::list words;
  for (const std::string& word : file.words) words.append(to_text(word));
  out["path"] = to_text(file.path);
  out["sha256"] = file.sha256;
  out["format"] = file.format;
  out["kind"] = file.kind();
  out["words"] = words;
  if (file.response) out["responses"] = responses_of(*file.response);
  if (file.signals) out["signals"] = signals_of(*file.signals);
  if (file.modes) out["modes"] = modes_of(*file.modes);
  return out;
}

// What no bench measured: responses, signals, modes, decks. Channels of recordings are read.
Contents read_others(const std::vector<std::string>& paths, const ReadHints& hints) {
  Contents out;
  for (const std::string& path : paths) {
    Exchange file = read_exchange(path, options_for(path, hints, out.findings));
    if (file.recording) take_signals(file, {});
    out.findings.insert(out.findings.end(), file.findings.begin(), file.findings.end());
    out.files.push_back(std::move(file));
  }
  return out;
}

py::dict read(const std::vector<std::string>& paths, const py::dict& given) {
  ReadHints hints;
  from_json_fields(hints, to_json(given), "");
  Contents contents;
  {
    const py::gil_scoped_release others;
    try {
      contents = read_measurements(paths, hints);
      if (!hints.part.empty() || !hints.direction.empty()) choose_object(contents, hints);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_input) throw;
      contents = read_others(paths, hints);
      bool found = true;
      for (const Exchange& file : contents.files)
        found = found && (file.response || file.signals || file.modes || file.matrices || file.deck || file.geometry ||
                          file.spectra || file.bushing || file.mount || file.body || file.sid);
      if (!found) throw;
    }
  }
  py::dict out;
  py::list files, sets;
  for (Exchange& file : contents.files) files.append(file_of(file));
  for (BenchSet& set : contents.sets) sets.append(set_of(set));
  out["files"] = files;
  out["sets"] = sets;
  out["findings"] = to_python(app::described_json(contents.findings));
  return out;
}

}  // namespace

void add_measurements(py::module_& module) {
  module.def(
      "read",
      [](const py::list& paths, const py::dict& hints) {
        std::vector<std::string> names;
        for (const py::handle& path : paths) names.push_back(py::str(path).cast<std::string>());
        return read(names, hints);
      },
      py::arg("paths"), py::arg("hints"), "Measurements of files, as arrays in SI units.");
}

}  // namespace kdyn::python
