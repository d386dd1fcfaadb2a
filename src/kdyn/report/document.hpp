// SPDX-License-Identifier: Apache-2.0
// A report as a value: what is shown, in reading order. Built by any part of kdyn, turned into one HTML file by
// html.hpp.
//
//   report::Document d{.title = "Engine mount 4711", .subtitle = "Elastomer model, axial direction"};
//   d.key_figures.push_back({.label = "Misfit of k_dyn", .value = 1.83, .unit = "%", .quality = report::Quality::good});
//   auto& fit = d.section("Dynamic stiffness", "Markers are measured, lines are the model.");
//   fit.add(report::Plot{.title = "Stiffness over frequency", .x = {"Frequency", "Hz"}, .y = {"Dynamic stiffness", "N/mm"}, .series = {...}});
//   report::write_html(d, "report.html");
//
// Numbers are shown as they are given: the caller converts to the unit it names. All text is plain text, never markup.
// Every member has an initialiser, so that designated initialisers may leave any of them out without a warning.
// NaN and infinity are gaps in a line and an empty cell in a table.
// Series longer than max_points_per_series are thinned before they are written (decimate.hpp): extremes stay, the
// report says so.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kdyn/data/finding.hpp"

namespace kdyn::report {

// Longest series written in full. A laptop screen has fewer columns; more points only make the file slow.
inline constexpr std::size_t max_points_per_series = 4000;

// How good a number is: tints key figures and table rows.
enum class Quality { neutral, good, fair, poor };

// A table cell or key figure: nothing, a number (formatted by the report) or text (shown as it is).
class Value {
 public:
  Value() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Value(Number number) : content_(static_cast<double>(number)) {}
  Value(std::string text) : content_(std::move(text)) {}
  Value(const char* text) : content_(std::string(text)) {}

  const double* number() const { return std::get_if<double>(&content_); }
  const std::string* text() const { return std::get_if<std::string>(&content_); }

 private:
  std::variant<std::monostate, double, std::string> content_;
};

struct KeyFigure {
  std::string label{};
  Value value{};
  std::string unit{};
  Quality quality = Quality::neutral;
  std::string note{};  // small print below the value: "limit 5 %"
  int digits = 4;      // significant digits of a number
};

struct Axis {
  std::string label{}, unit{};
  bool log = false;                        // values <= 0 are not drawn
  std::optional<double> lower{}, upper{};  // fixed ends; from the data when absent
};

enum class SeriesStyle { line, dashed_line, markers, line_and_markers };

struct Series {
  std::string name{};
  SeriesStyle style = SeriesStyle::line;
  std::vector<double> x{}, y{};      // x need not be monotone: loops are drawn in the given order
  int group = -1;                    // index of the colour, and into Plot::groups; -1 takes the position of the series
  std::vector<std::string> hover{};  // extra text for each point, or empty
  std::vector<double> lower{},
      upper{};  // interval for each point, or empty: error bars on markers, a band around lines
};

// Categorical: unrelated things. Sequential: ordered ones, such as amplitudes or preloads.
enum class Palette { categorical, sequential };

// With `groups` the legend offers the groups (one colour each: "0.1 mm") and the series names (one style each:
// "measured", "model"); without, it offers every series by name.
struct Plot {
  std::string title{};
  Axis x{}, y{};
  std::vector<Series> series{};
  std::vector<std::string> groups{};
  std::string group_label{};  // what the groups are: "Amplitude"
  Palette palette = Palette::categorical;
  std::string caption{};
  int height_px = 320;
};

// Plots side by side, or one above the other with columns = 1, under one legend.
struct PlotRow {
  std::vector<Plot> plots{};
  int columns = 0;      // 0: all plots in one row
  bool link_x = false;  // zooming one zooms the x axes of all
};

enum class Align { automatic, left, right, centre };  // automatic: right when the column holds numbers

struct Column {
  std::string title{}, unit{};
  Align align = Align::automatic;
  int digits = 4;  // significant digits of numbers
};

struct Row {
  std::vector<Value> cells{};
  Quality quality = Quality::neutral;
  std::string link{};  // of the first cell: a file beside the report, "parts/left/z/report.html"
};

struct Table {
  std::string title{};
  std::vector<Column> columns{};
  std::vector<Row> rows{};
  std::string note{};
};

// Shown as cards, serious ones first.
struct Findings {
  std::vector<Finding> findings{};
  std::string when_empty = "Nothing to report.";
};

enum class ColourScale { diverging, sequential };

// Matrix of numbers with names on both sides: correlations (-1..1, diverging), MAC (0..1, sequential).
struct Heatmap {
  std::string title{};
  std::vector<std::string> row_names{}, column_names{};
  std::vector<std::vector<double>> values{};  // values[row][column]
  double lower = -1.0, upper = 1.0;
  ColourScale scale = ColourScale::diverging;
  int decimals = 2;
  std::string caption{};
};

// A structure in space, by surfaces and lines: at rest (no shapes, no times), in mode shapes, or in a motion over time. The
// reader turns it by dragging, plays and pauses, chooses the shape (or the instant) and the amplitude; on paper it is a
// still. Displacements of shapes are scaled to the size of the drawing.
struct AnimatedShape {
  std::string name{};  // "3: 194.16 Hz, 0.13 %"
  std::vector<std::array<double, 3>> real{},
      imaginary{};  // displacement of each point; imaginary may be empty (a real mode)
};

// A force drawn as an arrow at a point, at each time of a motion.
struct AnimatedForce {
  std::string name{};
  int point = 0;
  std::vector<std::array<double, 3>> force{};  // one for each frame
};

// A part of the surface that is shown or hidden as a whole, such as one property of a mesh.
struct AnimatedSurface {
  std::string name{};
  std::vector<std::array<int, 3>> triangles{};  // indices into points
};

struct Animation {
  std::string title{};
  std::vector<std::array<double, 3>> points{};
  std::vector<std::string> point_names{};   // empty or one each
  std::vector<std::array<int, 2>> lines{};  // pairs of indices into points
  std::vector<AnimatedSurface> surfaces{};
  std::vector<int> dashed{};  // indices into lines: what connects bodies rather than being one
  std::vector<int> marked{};  // points drawn with a dot, such as sensors
  std::vector<AnimatedShape> shapes{};
  // A motion instead of shapes: where every point is at each time. Departures from `points` are drawn larger by
  // `magnification`.
  std::vector<double> times{};
  std::vector<std::vector<std::array<double, 3>>> frames{};
  std::vector<AnimatedForce> forces{};
  double magnification = 1.0;
  std::string caption{};
  int height_px = 420;
};

// Paragraphs are separated by empty lines.
struct Text {
  std::string text{};
};

struct Block;

// Closed until the reader opens it. Preformatted text keeps its line breaks (JSON, logs).
// It contains blocks and is one, hence the constructors: they are defined where Block is complete.
struct Details {
  explicit Details(std::string title, std::string preformatted = {});
  Details(std::string title, std::vector<Block> blocks);
  Details(std::string title, std::string preformatted, std::vector<Block> blocks);

  std::string title, preformatted;
  std::vector<Block> blocks;
};

struct Block {
  std::variant<Text, Plot, PlotRow, Table, Findings, Heatmap, Animation, Details> content{};
};

inline Details::Details(std::string title_, std::string preformatted_)
    : title(std::move(title_)),
      preformatted(std::move(preformatted_)) {}
inline Details::Details(std::string title_, std::vector<Block> blocks_)
    : title(std::move(title_)),
      blocks(std::move(blocks_)) {}
inline Details::Details(std::string title_, std::string preformatted_, std::vector<Block> blocks_)
    : title(std::move(title_)),
      preformatted(std::move(preformatted_)),
      blocks(std::move(blocks_)) {}

struct Section {
  std::string title{}, lead{};
  std::vector<Block> blocks{};
  std::string id{};  // what programs call it, whatever the title says; from the title when it has none of its own

  Section& named(std::string own_id) { return id = std::move(own_id), *this; }

  template <class Content>
  Section& add(Content content) {
    blocks.push_back(Block{std::move(content)});
    return *this;
  }
};

struct Document {
  std::string title{}, subtitle{};
  std::string created{};  // date and time as it shall be printed; the caller's, so that equal input gives an equal file
  std::vector<KeyFigure> key_figures{};
  std::vector<Section> sections{};
  std::vector<std::pair<std::string, std::string>> provenance{};  // program, inputs, hashes: name and value

  // The reference stays good until the next section is started.
  Section& section(std::string section_title, std::string lead = {}) {
    return sections.emplace_back(Section{std::move(section_title), std::move(lead), {}, {}});
  }
};

}  // namespace kdyn::report
