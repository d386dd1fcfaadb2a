// SPDX-License-Identifier: Apache-2.0
// Universal files as the standard lays them out: fixed columns, one value format per dataset.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/io/internal/bytes.hpp"
#include "kdyn/io/uff.hpp"

namespace kdyn::inline io {
namespace {

// Text on its way into the sink, held in pieces.
class Out {
 public:
  explicit Out(const ByteSink& sink) : sink_(sink) {}
  template <class... A>
  void print(fmt::format_string<A...> format, A&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<A>(arguments)...);
    if (text_.size() >= piece) flush();
  }
  void push_back(char c) { text_.push_back(c); }
  void bytes(std::string_view more) {
    flush();
    sink_(more);
  }
  void flush() {
    sink_({text_.data(), text_.size()});
    text_.clear();
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 18;
  const ByteSink& sink_;
  fmt::memory_buffer text_;
};

template <class... A>
void print(Out& out, fmt::format_string<A...> format, A&&... arguments) {
  out.print(format, std::forward<A>(arguments)...);
}

// A text in a field of fixed width, one line, never empty.
std::string clipped(const std::string& text, std::size_t width) {
  std::string out = text.empty() ? "NONE" : text.substr(0, width);
  // A character of several bytes is not cut in two.
  while (out.size() == width && !out.empty() && text.size() > width &&
         (static_cast<unsigned char>(text[width]) & 0xc0) == 0x80 &&
         (static_cast<unsigned char>(out.back()) & 0x80) != 0)
    out.pop_back();
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  if (out == "-1" || out == "    -1") out += " ";  // never a line that closes the dataset
  return out;
}

std::string id_line(const std::string& text) {
  const std::string line = clipped(text, 80);
  return line.find_first_not_of(" -1") == std::string::npos ? "NONE" : line;
}

void open(Out& out, int number) { print(out, "{:6d}\n{:6d}\n", -1, number); }
void close(Out& out) { print(out, "{:6d}\n", -1); }

// Rows of numbers in equal fields.
class Rows {
 public:
  Rows(Out& out, int per_row, bool long_field) : out_(out), per_row_(per_row), long_(long_field) {}
  void add(double value) {
    if (long_)
      print(out_, "{:20.12E}", value);
    else
      print(out_, "{:13.5E}", value);
    if (++count_ % per_row_ == 0) out_.push_back('\n');
  }
  void end() {
    if (count_ % per_row_ != 0) out_.push_back('\n');
  }

 private:
  Out& out_;
  int per_row_, count_ = 0;
  bool long_;
};

void integers(Out& out, const std::vector<std::int64_t>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    print(out, "{:10d}", values[i]);
    if (i % 8 == 7 || i + 1 == values.size()) out.push_back('\n');
  }
}

void write_header(Out& out, const UffHeader& header) {
  open(out, 151);
  for (const std::string& line : header.lines) print(out, "{}\n", id_line(line));
  close(out);
}

void write_units(Out& out, const UffUnits& units) {
  open(out, 164);
  print(out, "{:10d}{:<20}{:10d}\n", units.code, clipped(units.name, 20), 2);
  print(out, "{:25.16E}{:25.16E}{:25.16E}\n{:25.16E}\n", units.length, units.force, units.temperature, units.offset);
  close(out);
}

// 2420: rows of the matrix are the local axes in global components, then the origin.
void write_systems(Out& out, const Geometry& geometry) {
  open(out, 2420);
  print(out, "{:10d}\n{}\n", 1, id_line(geometry.name));
  for (const CoordinateSystem& system : geometry.systems) {
    print(out, "{:10d}{:10d}{:10d}\n{}\n", system.label, static_cast<int>(system.kind), 8, id_line(system.name));
    for (std::size_t k = 0; k < 3; ++k)
      print(out, "{:25.16E}{:25.16E}{:25.16E}\n", system.R_GL[0][k], system.R_GL[1][k], system.R_GL[2][k]);
    print(out, "{:25.16E}{:25.16E}{:25.16E}\n", system.p_GL_G[0], system.p_GL_G[1], system.p_GL_G[2]);
  }
  close(out);
}

void write_geometry(Out& out, const Geometry& geometry, bool long_coordinates) {
  if (!geometry.systems.empty()) write_systems(out, geometry);
  if (!geometry.nodes.empty()) {
    open(out, long_coordinates ? 2411 : 15);
    for (const GeometryNode& node : geometry.nodes) {
      print(out, "{:10d}{:10d}{:10d}{:10d}", node.label, node.definition_system, node.motion_system, node.color);
      if (long_coordinates) {
        std::string row =
            fmt::format("\n{:25.16E}{:25.16E}{:25.16E}\n", node.position[0], node.position[1], node.position[2]);
        for (char& c : row)
          if (c == 'E') c = 'D';
        print(out, "{}", row);
      } else {
        print(out, "{:13.5E}{:13.5E}{:13.5E}\n", node.position[0], node.position[1], node.position[2]);
      }
    }
    close(out);
  }
  if (!geometry.elements.empty()) {
    open(out, 2412);
    for (const GeometryElement& element : geometry.elements) {
      print(out, "{:10d}{:10d}{:10d}{:10d}{:10d}{:10d}\n", element.label, element.type, element.property,
            element.material, element.color, element.nodes.size());
      if (element.type == 11 || (element.type >= 21 && element.type <= 24))
        print(out, "{:10d}{:10d}{:10d}\n", element.beam[0], element.beam[1], element.beam[2]);
      integers(out, element.nodes);
    }
    close(out);
  }
  for (const TraceLine& line : geometry.lines) {
    open(out, 82);
    print(out, "{:10d}{:10d}{:10d}\n{}\n", line.label, line.nodes.size(), line.color, id_line(line.name));
    std::vector<std::int64_t> nodes = line.nodes;
    while (nodes.size() % 8 != 0) nodes.push_back(0);
    integers(out, nodes);
    close(out);
  }
}

int data_type(const UffFunction& f) {
  return f.is_complex ? (f.double_precision ? 6 : 5) : (f.double_precision ? 4 : 2);
}

void write_head(Out& out, const UffFunction& f) {
  for (const std::string& id : f.id) print(out, "{}\n", id_line(id));
  print(out, "{:5d}{:10d}{:5d}{:10d} {:<10}{:10d}{:4d} {:<10}{:10d}{:4d}\n", f.type, f.number, f.version, f.load_case,
        clipped(f.response_name, 10), f.response_node, f.response_direction, clipped(f.reference_name, 10),
        f.reference_node, f.reference_direction);
  print(out, "{:10d}{:10d}{:10d}{:13.5E}{:13.5E}{:13.5E}\n", data_type(f), f.size(), f.even ? 1 : 0, f.start, f.step,
        f.z);
  for (const UffAxis& axis : f.axes)
    print(out, "{:10d}{:5d}{:5d}{:5d} {:<20} {:<20}\n", axis.type, axis.exponents[0], axis.exponents[1],
          axis.exponents[2], clipped(axis.label, 20), clipped(axis.unit, 20));
}

void write_function(Out& out, const UffFunction& f) {
  open(out, 58);
  write_head(out, f);
  // Uneven doubles alternate short abscissa and long ordinate fields; everything else has fields of one width.
  const bool mixed = f.double_precision && !f.even;
  Rows rows(out, f.double_precision ? 4 : 6, f.double_precision);
  const int per_row = f.is_complex ? 1 : 2;
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (mixed) {
      print(out, "{:13.5E}", f.abscissa[i]);
      if (f.is_complex)
        print(out, "{:20.12E}{:20.12E}", f.complex[i].real(), f.complex[i].imag());
      else
        print(out, "{:20.12E}", f.real[i]);
      if (static_cast<int>(i % static_cast<std::size_t>(per_row)) == per_row - 1 || i + 1 == f.size())
        out.push_back('\n');
      continue;
    }
    if (!f.even) rows.add(f.abscissa[i]);
    if (f.is_complex)
      rows.add(f.complex[i].real()), rows.add(f.complex[i].imag());
    else
      rows.add(f.real[i]);
  }
  if (!mixed) rows.end();
  close(out);
}

void append_value(std::string& bytes, double value, bool wide) {
  if (wide)
    internal::store(bytes, value);
  else
    internal::store(bytes, static_cast<float>(value));
}

void write_function_binary(Out& out, const UffFunction& f) {
  const bool wide = f.double_precision;
  const std::size_t numbers = f.size() * ((f.even ? 0U : 1U) + (f.is_complex ? 2U : 1U));
  print(out, "{:6d}\n{:6d}b{:6d}{:6d}{:12d}{:12d}{:6d}{:6d}{:12d}{:12d}\n", -1, 58, 1, 2, 11, numbers * (wide ? 8 : 4),
        0, 0, 0, 0);
  write_head(out, f);
  constexpr std::size_t piece = 16'384;
  std::string bytes;
  for (std::size_t first = 0; first < f.size(); first += piece) {
    bytes.clear();
    for (std::size_t i = first; i < std::min(f.size(), first + piece); ++i) {
      if (!f.even) append_value(bytes, f.abscissa[i], wide);
      if (f.is_complex)
        append_value(bytes, f.complex[i].real(), wide), append_value(bytes, f.complex[i].imag(), wide);
      else
        append_value(bytes, f.real[i], wide);
    }
    out.bytes(bytes);
  }
  close(out);
}

void write_shape(Out& out, const UffShape& shape) {
  open(out, 55);
  for (const std::string& id : shape.id) print(out, "{}\n", id_line(id));
  print(out, "{:10d}{:10d}{:10d}{:10d}{:10d}{:10d}\n", shape.model, shape.analysis, shape.characteristic,
        shape.quantity, shape.is_complex ? 5 : 2, shape.values_per_node);
  if (shape.analysis == 3 || shape.analysis == 7) {
    print(out, "{:10d}{:10d}{:10d}{:10d}\n", 2, 6, shape.load_case, shape.mode);
    print(out, "{:13.5E}{:13.5E}{:13.5E}{:13.5E}{:13.5E}{:13.5E}\n", shape.eigenvalue.real(), shape.eigenvalue.imag(),
          shape.modal_a.real(), shape.modal_a.imag(), shape.modal_b.real(), shape.modal_b.imag());
  } else {
    print(out, "{:10d}{:10d}{:10d}{:10d}\n", 2, 4, shape.load_case, shape.mode);
    print(out, "{:13.5E}{:13.5E}{:13.5E}{:13.5E}\n", shape.frequency_hz, shape.modal_mass, shape.viscous_damping,
          shape.hysteretic_damping);
  }
  const auto per_node = static_cast<std::size_t>(shape.values_per_node);
  for (std::size_t n = 0; n < shape.nodes.size(); ++n) {
    print(out, "{:10d}\n", shape.nodes[n]);
    Rows rows(out, 6, false);
    for (std::size_t i = 0; i < per_node; ++i) {
      const std::complex<double> value = shape.values[n * per_node + i];
      rows.add(value.real());
      if (shape.is_complex) rows.add(value.imag());
    }
    rows.end();
  }
  close(out);
}

}  // namespace

void write_uff(const UffFile& file, const UffWriteOptions& options, const ByteSink& sink) {
  Out out(sink);
  if (file.header) write_header(out, *file.header);
  if (file.units) write_units(out, *file.units);
  write_geometry(out, file.geometry, options.long_coordinates);
  for (const UffFunction& function : file.functions)
    if (options.binary)
      write_function_binary(out, function);
    else
      write_function(out, function);
  for (const UffShape& shape : file.shapes) write_shape(out, shape);
  out.flush();
}

std::string uff_text(const UffFile& file, const UffWriteOptions& options) {
  std::string out;
  write_uff(file, options, [&](std::string_view piece) { out += piece; });
  return out;
}

}  // namespace kdyn::inline io
