// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/frf_csv.hpp"

#include <array>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/io/csv.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

enum Part { re, im, crr, cri, cii, coh, part_count };
constexpr std::array<std::string_view, part_count> suffixes = {"_re", "_im", "_crr", "_cri", "_cii", "_coh"};
constexpr std::array<std::string_view, part_count> old_names = {"re", "im", "crr", "cri", "cii", "coh"};

struct ColumnPlace {
  std::string channel;  // "12+Z:1-X", or "#3" in the older layout
  Part part;
};

bool is_frequency(std::string_view name) {
  const std::string lower = lower_case(trim(name));
  return lower == "frequency_hz" || lower == "f_hz" || lower == "freq_hz";
}

std::optional<ColumnPlace> place_of(std::string_view column) {
  const std::string_view name = trim(column);
  for (int part = 0; part < part_count; ++part) {
    const std::string_view suffix = suffixes[static_cast<std::size_t>(part)];
    if (name.find(':') != std::string_view::npos && lower_case(name).ends_with(suffix))
      return ColumnPlace{std::string(name.substr(0, name.size() - suffix.size())), static_cast<Part>(part)};
    const std::string_view old = old_names[static_cast<std::size_t>(part)];
    if (lower_case(name).starts_with(old) && name.size() > old.size())
      if (const auto number = internal::field_integer(name.substr(old.size())); number && *number > 0)
        return ColumnPlace{fmt::format("#{}", *number), static_cast<Part>(part)};
  }
  return std::nullopt;
}

bool is_frf_header(const std::vector<std::string>& cells) {
  return cells.size() >= 3 && is_frequency(cells[0]) && place_of(cells[1]).has_value();
}

struct Sensor {
  std::string name, unit;
};

constexpr std::string_view added_decay_word = "added_decay ";

// What the comments before the table say about units, sensors and the window.
struct Comments {
  std::map<std::string, std::pair<std::string, std::string>> units;
  std::vector<Sensor> sensors;
  double added_decay = 0.0;
};

Comments comments_of(std::string_view content) {
  Comments out;
  internal::TextLines lines(content);
  internal::TextLine line;
  while (lines.next(line) && line.number <= csv_header_search_lines) {
    std::string_view text = trim(line.text.substr(0, 4096));
    if (text.empty()) continue;
    if (text.front() != '#') break;
    text = trim(text.substr(1));
    if (text.starts_with("unit ")) {
      const auto words = internal::words_of(text);
      if (words.size() >= 3)
        out.units[std::string(words[1])] = {std::string(words[2]),
                                            words.size() > 3 ? std::string(words[3]) : std::string()};
    } else if (text.starts_with(added_decay_word)) {
      out.added_decay = parse_number(trim(text.substr(added_decay_word.size()))).value_or(0.0);
    } else if (text.starts_with("sensors:")) {
      text.remove_prefix(8);
      if (text.find('[') != std::string_view::npos) continue;  // a list of names without units
      while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(';'));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
        const std::size_t unit = one.rfind(" unit ");
        if (unit == std::string_view::npos) continue;
        const auto words = internal::words_of(one.substr(0, unit));
        out.sensors.push_back(
            {words.size() >= 2 ? fmt::format("{}_{}", words[0], words[1]) : std::string(trim(one.substr(0, unit))),
             std::string(trim(one.substr(unit + 6)))});
      }
    }
  }
  return out;
}

// Factor to SI and the SI name of a unit; nothing known keeps the number and leaves the name empty.
double to_si(const std::string& unit, std::string& si) {
  static const std::array<const char*, 9> names = {"m", "m/s", "m/s^2", "N", "N*m", "Pa", "rad", "rad/s", "rad/s^2"};
  si.clear();
  const auto parsed = parse_unit(unit);
  if (!parsed) return 1.0;
  for (const char* name : names)
    if (parsed->same_dimension(*parse_unit(name))) {
      si = name;
      return parsed->to_si;
    }
  si = parsed->to_si == 1.0 ? unit : "";
  return 1.0;
}

struct Channel {
  std::array<std::optional<std::size_t>, part_count> column;  // index into the table
};

void fill(FrequencyResponseChannel& channel, const Channel& places, const CsvTable& table, double scale) {
  const auto values = [&](Part part) -> const std::vector<double>& { return table.columns[*places.column[part]]; };
  channel.values.resize(table.rows);
  for (std::size_t i = 0; i < table.rows; ++i) channel.values[i] = {scale * values(re)[i], scale * values(im)[i]};
  if (places.column[crr] && places.column[cii]) {
    channel.covariance.resize(table.rows);
    for (std::size_t i = 0; i < table.rows; ++i)
      channel.covariance[i] = {scale * scale * values(crr)[i],
                               places.column[cri] ? scale * scale * values(cri)[i] : 0.0,
                               scale * scale * values(cii)[i]};
  }
  if (places.column[coh]) channel.coherence = values(coh);
}

void name_channel(FrequencyResponseChannel& channel, const std::string& key, const Comments& comments, double& scale,
                  std::vector<Finding>& findings, const std::string& file) {
  std::string output_unit, input_unit;
  if (key.front() == '#') {
    const auto number = static_cast<std::size_t>(*internal::field_integer(std::string_view(key).substr(1)));
    const bool known = comments.sensors.size() > number;
    channel.output = parse_dof(known ? internal::to_utf8(comments.sensors[number].name) : fmt::format("{}", number));
    channel.input = parse_dof(comments.sensors.empty() ? "force" : internal::to_utf8(comments.sensors[0].name));
    if (known) output_unit = comments.sensors[number].unit, input_unit = comments.sensors[0].unit;
  } else {
    const std::size_t colon = key.find(':');
    channel.output = parse_dof(internal::to_utf8(key.substr(0, colon))),
    channel.input = parse_dof(internal::to_utf8(key.substr(colon + 1)));
    if (const auto found = comments.units.find(key); found != comments.units.end())
      std::tie(output_unit, input_unit) = found->second;
  }
  scale = to_si(output_unit, channel.output_unit) / to_si(input_unit, channel.input_unit);
  if ((channel.output_unit.empty() || channel.input_unit.empty()) && findings.size() < 20)
    findings.push_back({Severity::warning, "unit_unknown", file,
                        fmt::format("channel {} has no unit that is known; its numbers were kept", in_quotes(key)),
                        "add a line '# unit <output>:<input> m/s^2 N'"});
}

}  // namespace

bool looks_like_frf_csv(std::string_view content) {
  try {
    const CsvLayout layout = detect_csv(content.substr(0, std::size_t{1} << 18), "", is_frf_header);
    return is_frf_header(layout.columns);
  } catch (const Error&) {
    return false;
  }
}

FrequencyResponse parse_frf_csv(std::string_view content, const std::string& name) {
  const CsvLayout layout = detect_csv(content, name, is_frf_header);
  const std::string where = fmt::format("{}:{}", name, layout.header_line);
  if (!is_frf_header(layout.columns))
    throw_bad_input(where, "the columns are not those of frequency responses",
                    "start with frequency_hz, then <output>:<input>_re, <output>:<input>_im, ...");
  FrequencyResponse out;
  out.source.path = name;
  out.findings = layout.findings;
  std::map<std::string, std::size_t> order;
  std::vector<std::string> keys;
  std::vector<Channel> channels;
  std::vector<std::size_t> wanted = {0};
  for (std::size_t c = 1; c < layout.columns.size(); ++c) {
    const auto place = place_of(layout.columns[c]);
    if (!place) {
      out.findings.push_back({Severity::note, "column_unused", where,
                              fmt::format("column {} is not used", in_quotes(layout.columns[c])),
                              "nothing, unless you need it"});
      continue;
    }
    const auto [found, fresh] = order.emplace(place->channel, channels.size());
    if (fresh) keys.push_back(place->channel), channels.emplace_back();
    auto& column = channels[found->second].column[place->part];
    if (column)
      throw_bad_input(where, fmt::format("column {} occurs twice", in_quotes(layout.columns[c])),
                      "name each channel once");
    column = wanted.size();
    wanted.push_back(c);
  }
  for (std::size_t i = 0; i < channels.size(); ++i)
    if (!channels[i].column[re] || !channels[i].column[im])
      throw_bad_input(where, fmt::format("channel {} lacks its real or imaginary part", in_quotes(keys[i])),
                      "give both _re and _im");
  CsvTable table = read_csv_columns(content, layout, wanted);
  out.findings.insert(out.findings.end(), table.findings.begin(), table.findings.end());
  for (std::size_t i = 0; i < table.rows; ++i)
    if (table.columns[0][i] < 0.0 || (i > 0 && table.columns[0][i] <= table.columns[0][i - 1]))
      throw_bad_input(fmt::format("{}:{}", name, table.lines.of(i)),
                      fmt::format("the frequency {} does not rise", table.columns[0][i]), "sort the rows by frequency");
  const Comments comments = comments_of(content);
  out.added_decay = comments.added_decay;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    FrequencyResponseChannel channel;
    double scale = 1.0;
    name_channel(channel, keys[i], comments, scale, out.findings, name);
    fill(channel, channels[i], table, scale);
    out.channels.push_back(std::move(channel));
  }
  out.frequency_hz = std::move(table.columns[0]);
  return out;
}

std::string frf_csv(const FrequencyResponse& response) {
  fmt::memory_buffer out;
  const auto add = [&](std::string_view text) { out.append(text.data(), text.data() + text.size()); };
  std::vector<std::string> keys;
  for (const FrequencyResponseChannel& channel : response.channels) {
    std::string key = label(channel.output) + ":" + label(channel.input);
    for (char& c : key)
      if (c == ',' || c == ';' || c == '"' || static_cast<unsigned char>(c) <= ' ') c = '_';
    keys.push_back(key);
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (const auto& channel = response.channels[i]; !channel.output_unit.empty() && !channel.input_unit.empty())
      add(fmt::format("# unit {} {} {}\n", keys[i], channel.output_unit, channel.input_unit));
  if (response.added_decay != 0.0) add(fmt::format("# {}{}\n", added_decay_word, response.added_decay));
  add("frequency_hz");
  for (std::size_t i = 0; i < keys.size(); ++i) {
    add(fmt::format(",{0}_re,{0}_im", keys[i]));
    if (!response.channels[i].covariance.empty()) add(fmt::format(",{0}_crr,{0}_cri,{0}_cii", keys[i]));
    if (!response.channels[i].coherence.empty()) add(fmt::format(",{}_coh", keys[i]));
  }
  add("\n");
  for (std::size_t row = 0; row < response.frequency_hz.size(); ++row) {
    add(fmt::format("{}", response.frequency_hz[row]));
    for (const FrequencyResponseChannel& channel : response.channels) {
      add(fmt::format(",{},{}", channel.values[row].real(), channel.values[row].imag()));
      if (!channel.covariance.empty())
        add(fmt::format(",{},{},{}", channel.covariance[row].re_re, channel.covariance[row].re_im,
                        channel.covariance[row].im_im));
      if (!channel.coherence.empty()) add(fmt::format(",{}", channel.coherence[row]));
    }
    add("\n");
  }
  return fmt::to_string(out);
}

}  // namespace kdyn::inline io
