// SPDX-License-Identifier: Apache-2.0
// Mode shapes and other data at nodes: datasets 55 and 2414.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/uff_reader.hpp"

namespace kdyn::inline io::internal {
namespace {

// Record with the kind of data, the same in both datasets: model, analysis, characteristic, quantity, data type, values
// per node.
bool read_kind(UffRecords& records, UffShape& shape) {
  std::string_view text;
  if (!records.need(text, "the record of the data kind")) return false;
  const auto n = integer_fields(text, 10);
  if (!n || n->size() < 6)
    return records.bad(fmt::format("6 whole numbers are expected, not {}", in_quotes(trim(text))));
  const auto limited = [&](std::size_t i) { return static_cast<int>(std::clamp<std::int64_t>((*n)[i], -1, 100000)); };
  shape.model = limited(0), shape.analysis = limited(1), shape.characteristic = limited(2), shape.quantity = limited(3);
  const int type = limited(4);
  shape.values_per_node = limited(5);
  if (type != 2 && type != 4 && type != 5 && type != 6)
    return records.bad(fmt::format("data type {} is not 2, 4, 5 or 6", type));
  shape.is_complex = type >= 5;
  if (shape.values_per_node < 1 || shape.values_per_node > 12)
    return records.bad(fmt::format("{} values per node cannot be", shape.values_per_node));
  return true;
}

// Node number, then its values, until the dataset ends.
void read_nodes(UffRecords& records, UffShape& shape) {
  const std::size_t per_node = static_cast<std::size_t>(shape.values_per_node) * (shape.is_complex ? 2 : 1);
  std::string_view text;
  std::vector<double> values;
  while (records.next(text)) {
    if (trim(text).empty()) continue;
    const auto node = integer_fields(text, 10);
    if (!node || node->size() != 1) {
      records.bad(fmt::format("a node number is expected, not {}", in_quotes(trim(text))));
      return;
    }
    values.clear();
    while (values.size() < per_node) {
      if (!records.need(text, "the values of a node")) return;
      const std::size_t before = values.size();
      if (!append_numbers(text, values) || values.size() == before) {
        records.bad(fmt::format("the values of node {} should be {} numbers", node->front(), per_node));
        return;
      }
    }
    if (values.size() > per_node)
      records.complain(Severity::warning, "too_many_values",
                       fmt::format("node {} has {} values, {} are announced", node->front(), values.size(), per_node),
                       "the first ones were kept");
    shape.nodes.push_back(node->front());
    for (int i = 0; i < shape.values_per_node; ++i) {
      const auto k = static_cast<std::size_t>(i);
      shape.values.push_back(shape.is_complex ? std::complex<double>(values[2 * k], values[2 * k + 1])
                                              : std::complex<double>(values[k]));
    }
  }
}

bool numbers_of(UffRecords& records, std::string_view text, std::vector<double>& values) {
  if (append_numbers(text, values)) return true;
  return records.bad(fmt::format("numbers are expected, not {}", in_quotes(trim(text))));
}

}  // namespace

void read_uff_55(UffRecords& records) {
  UffShape shape;
  std::string_view text;
  for (std::string& id : shape.id) {
    if (!records.need(text, "an identification line")) return;
    id = to_utf8(trim(text.substr(0, 200)));
  }
  if (!read_kind(records, shape)) return;
  if (!records.need(text, "the record of analysis numbers")) return;
  const auto numbers = integer_fields(text, 10);
  if (!numbers || numbers->size() < 2 || (*numbers)[0] < 0 || (*numbers)[1] < 0) {
    records.bad(fmt::format("whole numbers are expected, not {}", in_quotes(trim(text))));
    return;
  }
  const auto at = [&](std::size_t i) {
    return i < numbers->size() ? static_cast<int>(std::clamp<std::int64_t>((*numbers)[i], -1, 1000000000)) : 0;
  };
  shape.load_case = at(2), shape.mode = at(3);
  const auto wanted = static_cast<std::uint64_t>((*numbers)[1]);
  std::vector<double> reals;
  do {
    if (!records.need(text, "the record of analysis values") || !numbers_of(records, text, reals)) return;
  } while (reals.size() < wanted && reals.size() % 6 == 0 && !reals.empty());
  reals.resize(std::max<std::size_t>(reals.size(), 6), 0.0);
  if (shape.analysis == 3 || shape.analysis == 7) {
    shape.eigenvalue = {reals[0], reals[1]}, shape.modal_a = {reals[2], reals[3]}, shape.modal_b = {reals[4], reals[5]};
    shape.frequency_hz = std::abs(shape.eigenvalue) / 6.283185307179586;
  } else {
    shape.frequency_hz = reals[0], shape.modal_mass = reals[1], shape.viscous_damping = reals[2],
    shape.hysteretic_damping = reals[3];
  }
  read_nodes(records, shape);
  records.file().shapes.push_back(std::move(shape));
}

void read_uff_2414(UffRecords& records) {
  UffShape shape;
  std::string_view text;
  if (!records.need(text, "the dataset label")) return;
  if (!records.need(text, "the dataset name")) return;
  shape.name = to_utf8(trim(text.substr(0, 200)));
  if (!records.need(text, "the location of the data")) return;
  const auto location = field_integer(columns(text, 0, 10));
  if (!location) {
    records.bad(fmt::format("the location of the data should be a number, not {}", in_quotes(trim(text))));
    return;
  }
  if (*location != 1) {
    records.complain(Severity::note, "not_at_nodes",
                     fmt::format("the data are located at {}, not at nodes; they were skipped",
                                 *location == 2 ? "elements" : "other places"),
                     "nothing, unless you need them");
    return;
  }
  for (std::string& id : shape.id) {
    if (!records.need(text, "an identification line")) return;
    id = to_utf8(trim(text.substr(0, 200)));
  }
  if (!read_kind(records, shape)) return;
  std::vector<std::int64_t> integers;
  for (int i = 0; i < 2; ++i) {
    if (!records.need(text, "the record of analysis numbers")) return;
    const auto more = integer_fields(text, 10);
    if (!more) {
      records.bad(fmt::format("whole numbers are expected, not {}", in_quotes(trim(text))));
      return;
    }
    integers.insert(integers.end(), more->begin(), more->end());
  }
  integers.resize(std::max<std::size_t>(integers.size(), 10), 0);
  std::vector<double> reals;
  for (int i = 0; i < 2; ++i)
    if (!records.need(text, "the record of analysis values") || !numbers_of(records, text, reals)) return;
  reals.resize(std::max<std::size_t>(reals.size(), 12), 0.0);
  const auto limited = [](std::int64_t value) {
    return static_cast<int>(std::clamp<std::int64_t>(value, -1, 1000000000));
  };
  shape.load_case = limited(integers[4]), shape.mode = limited(integers[5]);
  shape.frequency_hz = reals[1], shape.modal_mass = reals[3], shape.viscous_damping = reals[4],
  shape.hysteretic_damping = reals[5];
  shape.eigenvalue = {reals[6], reals[7]}, shape.modal_a = {reals[8], reals[9]}, shape.modal_b = {reals[10], reals[11]};
  read_nodes(records, shape);
  records.file().shapes.push_back(std::move(shape));
}

}  // namespace kdyn::inline io::internal
