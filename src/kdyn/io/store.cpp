// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/store.hpp"

#include <limits>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/hdf5_tree.hpp"
#include "kdyn/io/internal/store_json.hpp"

namespace kdyn::inline io {
namespace {

using internal::H5Item;
using namespace internal;

class Items {
 public:
  void group(const std::string& path) {
    H5Item& item = items.emplace_back();
    item.path = path, item.kind = H5Item::Kind::group;
  }
  void text(const std::string& path, const std::string& value) {
    H5Item& item = items.emplace_back();
    item.path = path, item.kind = H5Item::Kind::text, item.text = value;
  }
  void numbers(const std::string& path, std::vector<std::size_t> shape, std::vector<double> values) {
    H5Item& item = items.emplace_back();
    item.path = path, item.shape = std::move(shape), item.numbers = std::move(values);
  }
  void complex(const std::string& path, std::vector<std::size_t> shape,
               const std::vector<std::complex<double>>& values) {
    H5Item& item = items.emplace_back();
    item.path = path, item.kind = H5Item::Kind::complex, item.shape = std::move(shape);
    item.numbers.reserve(2 * values.size());
    for (const auto& value : values) item.numbers.push_back(value.real()), item.numbers.push_back(value.imag());
  }
  void integers(const std::string& path, const std::vector<int>& values) {
    H5Item& item = items.emplace_back();
    item.path = path, item.kind = H5Item::Kind::integer, item.shape = {values.size()};
    item.integers.assign(values.begin(), values.end());
  }
  std::vector<H5Item> items;
};

// Datasets by path, each taken once.
class Found {
 public:
  Found(std::vector<H5Item>&& items, const std::string& name, std::vector<Finding>& findings)
      : name_(name),
        findings_(findings) {
    for (H5Item& item : items) {
      std::string path = item.path;
      items_.emplace(std::move(path), std::move(item));
    }
  }
  bool has(const std::string& path) const { return items_.contains(path); }
  void complain(const std::string& path, const std::string& message) {
    if (findings_.size() < 100)
      findings_.push_back({Severity::serious, "bad_dataset", fmt::format("{}: dataset {}", name_, in_quotes(path)),
                           message, "write the file again"});
  }
  // JSON text; null when missing or damaged.
  Json json(const std::string& path) {
    const auto found = items_.find(path);
    if (found == items_.end() || found->second.kind != H5Item::Kind::text)
      return complain(path, "the description is missing"), Json();
    try {
      return parse_json(found->second.text, name_ + ": " + path);
    } catch (const Error& error) {
      complain(path, error.message());
      return {};
    }
  }
  bool numbers(const std::string& path, std::size_t count, std::vector<double>& out) {
    const auto found = items_.find(path);
    if (found == items_.end() || found->second.kind != H5Item::Kind::real || found->second.numbers.size() != count)
      return complain(path, fmt::format("{} numbers are expected", count)), false;
    out = std::move(found->second.numbers);
    return true;
  }
  bool complex(const std::string& path, std::size_t count, std::vector<std::complex<double>>& out) {
    const auto found = items_.find(path);
    if (found == items_.end() || found->second.kind != H5Item::Kind::complex ||
        found->second.numbers.size() != 2 * count)
      return complain(path, fmt::format("{} complex numbers are expected", count)), false;
    out.resize(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = {found->second.numbers[2 * i], found->second.numbers[2 * i + 1]};
    return true;
  }
  bool integers(const std::string& path, std::vector<int>& out) {
    const auto found = items_.find(path);
    if (found == items_.end() || found->second.kind != H5Item::Kind::integer)
      return complain(path, "whole numbers are expected"), false;
    for (const std::int64_t value : found->second.integers) {
      if (value < 0 || value > std::numeric_limits<int>::max())
        return complain(path, fmt::format("{} is out of range", value)), false;
      out.push_back(static_cast<int>(value));
    }
    return true;
  }
  std::size_t count(const std::string& path) const {
    const auto found = items_.find(path);
    if (found == items_.end()) return 0;
    return found->second.kind == H5Item::Kind::complex ? found->second.numbers.size() / 2
                                                       : found->second.numbers.size();
  }

 private:
  std::map<std::string, H5Item> items_;
  const std::string& name_;
  std::vector<Finding>& findings_;
};

void put(Items& out, const FrequencyResponse& response) {
  const std::string root = "/frequency_response";
  out.group(root);
  Json meta = {{"name", response.name}, {"channels", Json::array()}};
  if (response.added_decay != 0.0) meta["added_decay"] = response.added_decay;
  const std::size_t n = response.frequency_hz.size();
  out.numbers(root + "/frequency_hz", {n}, response.frequency_hz);
  for (std::size_t c = 0; c < response.channels.size(); ++c) {
    const FrequencyResponseChannel& channel = response.channels[c];
    const std::string path = fmt::format("{}/{}", root, c);
    meta["channels"].push_back({{"output", to_json(channel.output)},
                                {"input", to_json(channel.input)},
                                {"output_unit", channel.output_unit},
                                {"input_unit", channel.input_unit}});
    out.group(path);
    out.complex(path + "/values", {channel.values.size()}, channel.values);
    if (!channel.coherence.empty()) out.numbers(path + "/coherence", {channel.coherence.size()}, channel.coherence);
    if (!channel.covariance.empty()) {
      std::vector<double> flat;
      for (const SampleCovariance& s : channel.covariance) flat.insert(flat.end(), {s.re_re, s.re_im, s.im_im});
      out.numbers(path + "/covariance", {channel.covariance.size(), 3}, std::move(flat));
    }
  }
  out.text(root + "/meta", dump_json(meta));
}

void put(Items& out, SignalSet&& signals) {
  out.group("/signals");
  const std::string meta = dump_json(signals_meta(signals.signals));
  for (std::size_t i = 0; i < signals.signals.size(); ++i) {
    Signal& signal = signals.signals[i];
    const std::size_t samples = signal.values.size();
    out.numbers(fmt::format("/signals/{}", i), {samples}, std::move(signal.values));
  }
  out.text("/signals/meta", meta);
}

void put(Items& out, MatrixSet&& matrices) {
  out.group("/matrices");
  Json meta = Json::array();
  for (std::size_t i = 0; i < matrices.matrices.size(); ++i) {
    Matrix& m = matrices.matrices[i];
    const std::size_t entries = m.real.size();
    const std::string path = fmt::format("/matrices/{}", i);
    meta.push_back({{"name", m.name},
                    {"rows", m.rows},
                    {"columns", m.columns},
                    {"sparse", m.sparse},
                    {"complex", m.is_complex},
                    {"symmetric", m.symmetric},
                    {"single_precision", m.single_precision},
                    {"row_dofs", to_json(m.row_dofs)},
                    {"column_dofs", to_json(m.column_dofs)}});
    out.group(path);
    if (m.is_complex)
      out.complex(path + "/values", {m.complex.size()}, m.complex);
    else
      out.numbers(path + "/values", {entries}, std::move(m.real));
    if (m.sparse) out.integers(path + "/column_start", m.column_start), out.integers(path + "/row", m.row);
  }
  out.text("/matrices/meta", dump_json(meta));
}

void put(Items& out, const ModeSet& modes) {
  out.group("/modes");
  Json meta = {{"name", modes.name},
               {"scaling", static_cast<int>(modes.scaling)},
               {"complex_shapes", modes.complex_shapes},
               {"dofs", to_json(modes.dofs)},
               {"names", Json::array()}};
  std::vector<std::complex<double>> poles, shapes, modal_a;
  std::vector<double> masses;
  for (const Mode& mode : modes.modes) {
    poles.push_back(mode.pole), masses.push_back(mode.modal_mass), modal_a.push_back(mode.modal_a);
    shapes.insert(shapes.end(), mode.shape.begin(), mode.shape.end());
    meta["names"].push_back(mode.name);
  }
  out.complex("/modes/poles", {poles.size()}, poles);
  out.complex("/modes/modal_a", {modal_a.size()}, modal_a);
  out.numbers("/modes/modal_mass", {modes.modes.size()}, std::move(masses));
  out.complex("/modes/shapes", {modes.modes.size(), modes.dofs.size()}, shapes);
  out.text("/modes/meta", dump_json(meta));
  std::vector<double> positions;
  for (const GeometryNode& node : modes.geometry.nodes)
    positions.insert(positions.end(), node.position.begin(), node.position.end());
  out.numbers("/modes/node_positions", {modes.geometry.nodes.size(), 3}, std::move(positions));
  out.text("/modes/geometry", dump_json(geometry_json(modes.geometry)));
}

void take(Found& found, FrequencyResponse& out) {
  const std::string root = "/frequency_response";
  const Json meta = found.json(root + "/meta");
  const std::size_t n = found.count(root + "/frequency_hz");
  if (!found.numbers(root + "/frequency_hz", n, out.frequency_hz)) return;
  out.name = text_at(meta, "name");
  out.added_decay = number_at(meta, "added_decay");
  if (!meta.is_object() || !meta.contains("channels") || !meta["channels"].is_array())
    return found.complain(root + "/meta", "the list of channels is missing");
  for (std::size_t c = 0; c < meta["channels"].size(); ++c) {
    const Json& m = meta["channels"][c];
    const std::string path = fmt::format("{}/{}", root, c);
    FrequencyResponseChannel channel;
    channel.output = dof_at(m, "output"), channel.input = dof_at(m, "input");
    channel.output_unit = text_at(m, "output_unit"), channel.input_unit = text_at(m, "input_unit");
    if (!found.complex(path + "/values", n, channel.values)) continue;
    if (found.has(path + "/coherence") && !found.numbers(path + "/coherence", n, channel.coherence))
      channel.coherence.clear();
    std::vector<double> flat;
    if (found.has(path + "/covariance") && found.numbers(path + "/covariance", 3 * n, flat))
      for (std::size_t i = 0; i < n; ++i) channel.covariance.push_back({flat[3 * i], flat[3 * i + 1], flat[3 * i + 2]});
    out.channels.push_back(std::move(channel));
  }
}

void take(Found& found, SignalSet& out) {
  const Json meta = found.json("/signals/meta");
  if (!meta.is_array()) return;
  for (std::size_t i = 0; i < meta.size(); ++i) {
    const std::string path = fmt::format("/signals/{}", i);
    Signal signal;
    signal.name = text_at(meta[i], "name"), signal.unit = text_at(meta[i], "unit"), signal.dof = dof_at(meta[i], "dof");
    signal.start_s = number_at(meta[i], "start_s"), signal.step_s = number_at(meta[i], "step_s");
    if (found.numbers(path, found.count(path), signal.values)) out.signals.push_back(std::move(signal));
  }
}

bool consistent(const Matrix& m) {
  const auto columns = static_cast<std::size_t>(m.columns);
  if (!m.sparse) return m.nonzeros() == columns * static_cast<std::size_t>(m.rows);
  if (m.column_start.size() != columns + 1 || m.column_start.front() != 0 ||
      static_cast<std::size_t>(m.column_start.back()) != m.row.size() || m.row.size() != m.nonzeros())
    return false;
  for (std::size_t c = 0; c < columns; ++c) {
    if (m.column_start[c + 1] < m.column_start[c] || static_cast<std::size_t>(m.column_start[c + 1]) > m.row.size())
      return false;
    for (auto k = static_cast<std::size_t>(m.column_start[c]); k < static_cast<std::size_t>(m.column_start[c + 1]); ++k)
      if (m.row[k] >= m.rows || (k > static_cast<std::size_t>(m.column_start[c]) && m.row[k] <= m.row[k - 1]))
        return false;
  }
  return true;
}

void take(Found& found, MatrixSet& out) {
  const Json meta = found.json("/matrices/meta");
  if (!meta.is_array()) return;
  for (std::size_t i = 0; i < meta.size(); ++i) {
    const std::string path = fmt::format("/matrices/{}", i);
    Matrix m;
    m.name = text_at(meta[i], "name");
    const double rows = number_at(meta[i], "rows"), columns = number_at(meta[i], "columns");
    if (!(rows >= 0.0 && rows < 2147483647.0 && columns >= 0.0 && columns < 2147483647.0)) {
      found.complain("/matrices/meta", "a size is out of range");
      continue;
    }
    m.rows = static_cast<int>(rows), m.columns = static_cast<int>(columns);
    m.sparse = flag_at(meta[i], "sparse"), m.is_complex = flag_at(meta[i], "complex"),
    m.symmetric = flag_at(meta[i], "symmetric"), m.single_precision = flag_at(meta[i], "single_precision");
    m.row_dofs = dofs_at(meta[i], "row_dofs"), m.column_dofs = dofs_at(meta[i], "column_dofs");
    const std::size_t count = found.count(path + "/values");
    const bool read =
        (m.is_complex ? found.complex(path + "/values", count, m.complex)
                      : found.numbers(path + "/values", count, m.real)) &&
        (!m.sparse || (found.integers(path + "/column_start", m.column_start) && found.integers(path + "/row", m.row)));
    if (read && consistent(m))
      out.matrices.push_back(std::move(m));
    else if (read)
      found.complain(path, "sizes and values do not belong together");
  }
}

void take(Found& found, ModeSet& out) {
  const Json meta = found.json("/modes/meta");
  if (!meta.is_object()) return;
  out.name = text_at(meta, "name");
  const double scaling = number_at(meta, "scaling");
  out.scaling =
      scaling >= 1.0 && scaling <= 3.0 ? static_cast<ModeScaling>(static_cast<int>(scaling)) : ModeScaling::unknown;
  out.complex_shapes = flag_at(meta, "complex_shapes");
  out.dofs = dofs_at(meta, "dofs");
  std::vector<std::complex<double>> poles, shapes, modal_a;
  std::vector<double> masses;
  const std::size_t n = found.count("/modes/poles");
  if (out.dofs.size() != 0 && n > std::numeric_limits<std::size_t>::max() / out.dofs.size()) return;
  if (found.complex("/modes/poles", n, poles) && found.complex("/modes/modal_a", n, modal_a) &&
      found.numbers("/modes/modal_mass", n, masses) && found.complex("/modes/shapes", n * out.dofs.size(), shapes))
    for (std::size_t i = 0; i < n; ++i) {
      Mode mode;
      mode.pole = poles[i], mode.modal_a = modal_a[i], mode.modal_mass = masses[i];
      const auto first = shapes.begin() + static_cast<std::ptrdiff_t>(i * out.dofs.size());
      mode.shape.assign(first, first + static_cast<std::ptrdiff_t>(out.dofs.size()));
      if (meta.contains("names") && meta["names"].is_array() && i < meta["names"].size() &&
          meta["names"][i].is_string())
        mode.name = meta["names"][i].get<std::string>();
      out.modes.push_back(std::move(mode));
    }
  const Json geometry = found.json("/modes/geometry");
  geometry_from_json(geometry, out.geometry);
  std::vector<double> positions;
  if (found.numbers("/modes/node_positions", 3 * out.geometry.nodes.size(), positions))
    for (std::size_t i = 0; i < out.geometry.nodes.size(); ++i)
      out.geometry.nodes[i].position = {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
}

Store store_of(std::vector<H5Item>&& items, const std::string& name, std::vector<Finding>&& findings) {
  Store out;
  out.findings = std::move(findings);
  Found found(std::move(items), name, out.findings);
  if (!found.has("/kdyn"))
    throw_bad_input(name, "this HDF5 file is not a store of kdyn: the text /kdyn is missing",
                    "export it from its program as UFF, MAT or CSV");
  if (found.has("/frequency_response")) take(found, out.response.emplace());
  if (found.has("/signals")) take(found, out.signals.emplace());
  if (found.has("/matrices")) take(found, out.matrices.emplace());
  if (found.has("/modes")) take(found, out.modes.emplace());
  return out;
}

}  // namespace

bool looks_like_hdf5(std::string_view content) { return internal::looks_like_hdf5(content); }
bool looks_like_store(std::string_view content) {
  return internal::looks_like_hdf5(content) && content.find(store_format) != std::string_view::npos;
}

Store parse_store(std::string_view content, const std::string& name) {
  std::vector<Finding> findings;
  auto items = internal::parse_hdf5(content, name, findings);
  return store_of(std::move(items), name, std::move(findings));
}

Store read_store(const std::string& path) { return parse_store(read_text(path), path); }

namespace {

std::vector<internal::H5Item> items_of(Store&& store) {
  Items out;
  out.text("/kdyn", store_format);
  if (store.response) put(out, *store.response);
  if (store.signals) put(out, std::move(*store.signals));
  if (store.matrices) put(out, std::move(*store.matrices));
  if (store.modes) put(out, *store.modes);
  return std::move(out.items);
}

}  // namespace

std::string store_bytes(Store store) { return internal::hdf5_bytes(items_of(std::move(store)), false); }

void write_store(const std::string& path, Store store) {
  internal::write_hdf5(path, items_of(std::move(store)), false);
}

}  // namespace kdyn::inline io
