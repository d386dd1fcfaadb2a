// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/controller.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/mbs/fmu_law.hpp"
#include "kdyn/mbs/internal/co_simulation.hpp"
#include "kdyn/mbs/internal/model_item.hpp"

namespace kdyn::mbs {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr int most = 200;  // states, inputs and outputs of one controller

double number_in(const Json& in, const std::string& where) {
  if (!in.is_number() || !std::isfinite(in.get<double>()))
    throw_bad_input(where, "this must be a finite number", "give a number in SI units");
  return in.get<double>();
}

// Rows of a matrix; a single row or column may be written as one list, a single number as itself.
MatrixX matrix_in(const Json& in, const std::string& where, int rows, int columns) {
  MatrixX m(rows, columns);
  if (in.is_number() && rows == 1 && columns == 1) {
    m(0, 0) = number_in(in, where);
    return m;
  }
  const auto fail = [&] {
    throw_bad_input(where, fmt::format("this must be {} rows of {} numbers", rows, columns),
                    "A has as many rows and columns as there are states, B a column for each input, C a row for each "
                    "output, D both");
  };
  if (!in.is_array()) fail();
  const auto n = static_cast<int>(std::min<std::size_t>(in.size(), 1000000));
  if (n > 0 && !in[0].is_array() && (rows == 1 || columns == 1) && n == rows * columns) {
    for (int i = 0; i < n; ++i)
      m.data()[i] = number_in(in[static_cast<std::size_t>(i)], fmt::format("{}[{}]", where, i));
    return m;
  }
  if (n != rows) fail();
  for (int i = 0; i < rows; ++i) {
    const Json& row = in[static_cast<std::size_t>(i)];
    if (!row.is_array() || row.size() != static_cast<std::size_t>(columns)) fail();
    for (int j = 0; j < columns; ++j)
      m(i, j) = number_in(row[static_cast<std::size_t>(j)], fmt::format("{}[{}][{}]", where, i, j));
  }
  return m;
}

std::vector<double> numbers_in(const Json& in, const std::string& where) {
  if (!in.is_array() || in.empty() || in.size() > static_cast<std::size_t>(most))
    throw_bad_input(where, "this must be a list of numbers", "write the coefficients by falling powers: [1, 20, 400]");
  std::vector<double> out;
  for (std::size_t i = 0; i < in.size(); ++i) out.push_back(number_in(in[i], fmt::format("{}[{}]", where, i)));
  return out;
}

void check_word(const std::string& name, const std::string& where) {
  const auto words = Formula::words(name);
  if (words.size() != 1 || words[0].name != name || name.find('.') != std::string::npos)
    throw_bad_input(where, fmt::format("{} is no name for an input or output", in_quotes(name)),
                    "use letters, digits and _, beginning with a letter; t, pi and functions are taken");
}

class ControllerReader {
 public:
  ControllerReader(const Json& in, const std::string& where, const std::string& folder, std::vector<std::string>& files)
      : folder_(folder),
        files_(files),
        item_(in, where,
              {"name", "input", "inputs", "output", "outputs", "state_space", "transfer_function", "pid", "filter",
               "gain", "fmu", "sample_s", "initial", "limits", "comment"}) {}

  ControllerText read() {
    c_.name = item_.text("name");
    if (c_.name.empty()) throw_bad_input(item_.at("name"), "the name is missing", "give every part its own name");
    if (c_.name.find_first_of(".[]") != std::string::npos)
      throw_bad_input(item_.at("name"), fmt::format("the name {} holds a point or a bracket", in_quotes(c_.name)),
                      "NAME.OUTPUT must mean one thing: use letters, digits, _ and -");
    if (item_.has("sample_s")) {
      c_.sample_s = item_.number("sample_s", 0.0);
      if (!(c_.sample_s > 0.0))
        throw_bad_input(item_.at("sample_s"), "the time between samples must be above 0",
                        "leave it out for a controller that acts at every instant");
    }
    inputs();
    output_names();
    const std::vector<const char*> ways = {"state_space", "transfer_function", "pid", "filter", "gain", "fmu"};
    const auto given = std::count_if(ways.begin(), ways.end(), [&](const char* way) { return item_.has(way); });
    if (given != 1)
      throw_bad_input(item_.where(),
                      given == 0 ? "the controller says not what it does" : "the controller is given twice",
                      "write one of state_space, transfer_function, pid, filter, gain, fmu");
    if (item_.has("state_space")) state_space();
    if (item_.has("transfer_function")) transfer_function();
    if (item_.has("pid")) pid();
    if (item_.has("filter")) filter();
    if (item_.has("gain")) {
      one_way("gain");
      c_.A.resize(0, 0), c_.B.resize(0, 1), c_.C.resize(1, 0);
      c_.D = MatrixX::Constant(1, 1, item_.number("gain", 0.0));
    }
    if (item_.has("fmu")) fmu();
    limits();
    initial();
    check_controller(c_, item_.where());
    return std::move(out_);
  }

 private:
  void inputs() {
    if (item_.has("input") == item_.has("inputs"))
      throw_bad_input(item_.where(), item_.has("input") ? "the inputs are given twice" : "the input is missing",
                      R"(write "input": "wheel.velocity.z", or "inputs": [{"name": "speed", "formula": ".."}, ...])");
    const Json list = item_.has("input") ? Json::array({item_["input"]}) : item_["inputs"];
    const std::string at = item_.at(item_.has("input") ? "input" : "inputs");
    if (!list.is_array() || list.empty() || list.size() > static_cast<std::size_t>(most))
      throw_bad_input(at, "this must be a list of inputs", R"(write [{"name": "speed", "formula": ".."}])");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = item_.has("input") ? at : fmt::format("{}[{}]", at, i);
      Json formula = list[i];
      std::string name = list.size() == 1 ? "input" : fmt::format("input_{}", i + 1), place = where;
      if (list[i].is_object()) {
        const Item one(list[i], where, {"name", "formula", "comment"});
        name = one.text("name", name);
        formula = one.need("formula");
        place = one.at("formula");
      }
      if (formula.is_number()) formula = fmt::format("{}", number_in(formula, place));
      if (!formula.is_string()) throw_bad_input(place, "this must be a formula as text", R"(write "wheel.velocity.z")");
      check_word(name, where + ".name");
      if (std::find(c_.input_names.begin(), c_.input_names.end(), name) != c_.input_names.end())
        throw_bad_input(where, fmt::format("there are two inputs {}", in_quotes(name)), "give each its own name");
      c_.input_names.push_back(name);
      out_.formulas.push_back(formula.get<std::string>());
      out_.where.push_back(place);
    }
  }
  void output_names() {
    if (item_.has("output") && item_.has("outputs"))
      throw_bad_input(item_.at("output"), "the outputs are given twice", "leave one of output and outputs out");
    if (!item_.has("output") && !item_.has("outputs")) return;
    const Json list = item_.has("output") ? Json::array({item_["output"]}) : item_["outputs"];
    const std::string at = item_.at(item_.has("output") ? "output" : "outputs");
    if (!list.is_array() || list.empty() || list.size() > static_cast<std::size_t>(most))
      throw_bad_input(at, "this must be a list of names", R"(write ["force"])");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string where = item_.has("output") ? at : fmt::format("{}[{}]", at, i);
      std::string unit = "-", name;
      if (list[i].is_object()) {
        const Item one(list[i], where, {"name", "unit", "comment"});
        name = one.text("name");
        unit = one.text("unit", "-");
        const auto known = unit == "-" ? std::optional<Unit>() : parse_unit(unit);
        if (unit != "-" && (!known || known->to_si != 1.0))
          throw_bad_input(one.at("unit"), fmt::format("{} is no SI unit", in_quotes(unit)),
                          R"(write "N", "m/s", "rad")");
      } else if (list[i].is_string()) {
        name = list[i].get<std::string>();
      } else {
        throw_bad_input(where, "a name must be text", R"(write "force" or {"name": "force", "unit": "N"})");
      }
      check_word(name, where);
      if (name.starts_with("state_"))
        throw_bad_input(where, fmt::format("{} is a name of a state", in_quotes(name)), "choose another name");
      if (std::find(c_.output_names.begin(), c_.output_names.end(), name) != c_.output_names.end())
        throw_bad_input(where, fmt::format("there are two outputs {}", in_quotes(name)), "give each its own name");
      c_.output_names.push_back(name);
      c_.output_units.push_back(unit);
    }
  }
  // Names that were not given, and their number against that of the block.
  void name_outputs(int count, const std::string& where) {
    if (c_.output_names.empty())
      for (int i = 0; i < count; ++i)
        c_.output_names.push_back(count == 1 ? std::string("output") : fmt::format("output_{}", i + 1));
    c_.output_units.resize(c_.output_names.size(), "-");
    if (c_.outputs() != count)
      throw_bad_input(where, fmt::format("the block has {} outputs, and {} names", count, c_.outputs()),
                      "name each row of C");
  }
  void one_way(const char* what) {
    if (c_.input_names.size() != 1)
      throw_bad_input(item_.at(what), fmt::format("this has one input, and {} are given", c_.input_names.size()),
                      "write a formula of all of them as its input, or use state_space");
    name_outputs(1, item_.at(what));
  }
  // [mbs E94] Short forms are in continuous time: of a sampled one the input is held between samples. Their states do
  // not act on each other.
  void held() {
    if (!c_.sampled()) return;
    const double h = c_.sample_s;
    for (Eigen::Index k = 0; k < c_.A.rows(); ++k) {
      const double a = c_.A(k, k);
      c_.A(k, k) = std::exp(a * h);
      c_.B(k, 0) *= a == 0.0 ? h : std::expm1(a * h) / a;
    }
  }

  void state_space() {
    const Item s(item_["state_space"], item_.at("state_space"), {"A", "B", "C", "D", "comment"});
    const auto inputs = static_cast<int>(c_.input_names.size());
    const Json& output = s.has("C") ? s["C"] : s.need("D");
    const auto size = [](const Json& in) {
      return in.is_array() ? static_cast<int>(std::min<std::size_t>(in.size(), 1000000)) : 1;
    };
    const int n = s.has("A") ? size(s["A"]) : 0;
    int outputs = c_.outputs();
    if (outputs == 0) outputs = output.is_array() && !output.empty() && output[0].is_array() ? size(output) : 1;
    if (n > most || outputs > most)
      throw_bad_input(s.where(), fmt::format("the block has {} states", n), fmt::format("{} are the most", most));
    name_outputs(outputs, s.where());
    c_.A.resize(n, n), c_.B.resize(n, inputs), c_.C.resize(outputs, n);
    if (n > 0) {
      c_.A = matrix_in(s["A"], s.at("A"), n, n);
      c_.B = matrix_in(s.need("B"), s.at("B"), n, inputs);
      c_.C = matrix_in(s.need("C"), s.at("C"), outputs, n);
    } else if (s.has("B") || s.has("C")) {
      throw_bad_input(s.at("A"), "the field is missing", "B and C belong to states");
    }
    c_.D = s.has("D") ? matrix_in(s["D"], s.at("D"), outputs, inputs) : MatrixX(MatrixX::Zero(outputs, inputs));
  }

  // Controllable form in the time of its own fastest root, so that its numbers stay near 1  [mbs E94].
  void transfer_function() {
    one_way("transfer_function");
    const Item s(item_["transfer_function"], item_.at("transfer_function"), {"numerator", "denominator", "comment"});
    std::vector<double> top = numbers_in(s.need("numerator"), s.at("numerator")),
                        bottom = numbers_in(s.need("denominator"), s.at("denominator"));
    while (top.size() > 1 && top.front() == 0.0) top.erase(top.begin());
    if (bottom.front() == 0.0)
      throw_bad_input(s.at("denominator"), "its first coefficient is 0", "begin with the highest power that is there");
    if (top.size() > bottom.size())
      throw_bad_input(s.at("numerator"),
                      "the numerator has a higher power than the denominator: it would differentiate",
                      "add a fast pole to the denominator, as a real controller has it");
    const auto n = static_cast<int>(bottom.size()) - 1;
    std::reverse(top.begin(), top.end()), std::reverse(bottom.begin(), bottom.end());  // by rising powers
    top.resize(bottom.size(), 0.0);
    double scale = 0.0;
    for (int k = 0; k < n && !c_.sampled(); ++k)
      scale = std::max(scale, std::pow(std::abs(bottom[at(k)] / bottom[at(n)]), 1.0 / (n - k)));
    if (!(scale > 0.0)) scale = 1.0;
    const double lead = bottom[at(n)] * std::pow(scale, n);
    for (int k = 0; k <= n; ++k) top[at(k)] *= std::pow(scale, k) / lead, bottom[at(k)] *= std::pow(scale, k) / lead;
    c_.A.setZero(n, n), c_.B.setZero(n, 1), c_.C.setZero(1, n);
    c_.D = MatrixX::Constant(1, 1, top[at(n)]);
    for (int k = 0; k < n; ++k) {
      if (k + 1 < n) c_.A(k, k + 1) = scale;
      c_.A(n - 1, k) = -scale * bottom[at(k)];
      c_.C(0, k) = top[at(k)] - top[at(n)] * bottom[at(k)];
    }
    if (n > 0) c_.B(n - 1, 0) = scale;
  }
  static std::size_t at(int k) { return static_cast<std::size_t>(k); }

  void pid() {
    one_way("pid");
    const Item s(item_["pid"], item_.at("pid"), {"p", "i", "d", "filter_s", "comment"});
    const double p = s.number("p", 0.0), i = s.number("i", 0.0), d = s.number("d", 0.0),
                 tau = s.number("filter_s", 0.0);
    if (p == 0.0 && i == 0.0 && d == 0.0) throw_bad_input(s.where(), "p, i and d are all 0", "give one of them");
    if (d != 0.0 && !(tau > 0.0))
      throw_bad_input(s.at("filter_s"), "the derivative needs a filter", "give its time constant in s, above 0");
    if (d == 0.0 && s.has("filter_s"))
      throw_bad_input(s.at("filter_s"), "only the derivative is filtered", "give d, or leave it out");
    const int n = (i != 0.0 ? 1 : 0) + (d != 0.0 ? 1 : 0);
    c_.A.setZero(n, n), c_.B.setZero(n, 1), c_.C.setZero(1, n);
    c_.D = MatrixX::Constant(1, 1, p);
    if (i != 0.0) c_.B(0, 0) = 1.0, c_.C(0, 0) = i;
    if (d != 0.0) {  // d s/(tau s + 1) = (d/tau) (1 - 1/(tau s + 1))
      c_.A(n - 1, n - 1) = -1.0 / tau, c_.B(n - 1, 0) = 1.0 / tau, c_.C(0, n - 1) = -d / tau;
      c_.D(0, 0) += d / tau;
    }
    held();
  }
  void filter() {
    one_way("filter");
    const Item s(item_["filter"], item_.at("filter"), {"time_constant_s", "gain", "comment"});
    s.need("time_constant_s");
    const double tau = s.number("time_constant_s", 0.0);
    if (!(tau > 0.0)) throw_bad_input(s.at("time_constant_s"), "the time constant must be above 0", "give it in s");
    c_.A = MatrixX::Constant(1, 1, -1.0 / tau);
    c_.B = MatrixX::Constant(1, 1, 1.0 / tau);
    c_.C = MatrixX::Constant(1, 1, s.number("gain", 1.0));
    c_.D = MatrixX::Zero(1, 1);
    held();
  }

  void fmu() {
    const Json& in = item_["fmu"];
    const std::string where = item_.at("fmu");
    if (!in.is_object() || !in.contains("file") || !in["file"].is_string() || in["file"].get<std::string>().empty())
      throw_bad_input(where + ".file", "the FMU is not named", R"(write "fmu": {"file": "ecu.fmu"})");
    if (!c_.sampled())
      throw_bad_input(item_.at("sample_s"), "the communication step of the FMU is missing",
                      "give the time between its steps in s, a multiple of the step of the run");
    if (item_.has("initial"))
      throw_bad_input(item_.at("initial"), "an FMU knows its own start", "leave it out, or set its parameters");
    if (c_.output_names.empty())
      throw_bad_input(item_.at("outputs"), "the outputs of the FMU are missing", R"(write "outputs": ["force"])");
    const std::string path = (std::filesystem::path(folder_) / in["file"].get<std::string>()).string();
    demand_foreign_code(path, where + ".file");
    c_.unit = internal::co_simulation_from_json(in, where, path, c_.input_names, c_.output_names, c_.output_units);
    if (std::find(files_.begin(), files_.end(), path) == files_.end()) files_.push_back(path);
    const auto m = static_cast<Eigen::Index>(c_.output_names.size()),
               n = static_cast<Eigen::Index>(c_.input_names.size());
    c_.A.resize(0, 0), c_.B.resize(0, n), c_.C.resize(m, 0), c_.D.setZero(m, n);
  }

  void limits() {
    c_.lower = VectorX::Constant(c_.outputs(), -infinite), c_.upper = VectorX::Constant(c_.outputs(), infinite);
    if (!item_.has("limits")) return;
    const auto one = [&](const Json& in, const std::string& where, int output) {
      if (!in.is_array() || in.size() != 2)
        throw_bad_input(where, "limits are a pair of numbers", "write [-800, 800]; null for none");
      if (!in[0].is_null()) c_.lower[output] = number_in(in[0], where + "[0]");
      if (!in[1].is_null()) c_.upper[output] = number_in(in[1], where + "[1]");
      if (!(c_.lower[output] < c_.upper[output]))
        throw_bad_input(where, "the lower limit must be below the upper one", "write [-800, 800]");
    };
    const Json& in = item_["limits"];
    if (in.is_array()) {
      if (c_.outputs() != 1)
        throw_bad_input(item_.at("limits"), "there are several outputs", R"(write {"force": [-800, 800]})");
      one(in, item_.at("limits"), 0);
      return;
    }
    const Item named(in, item_.at("limits"), c_.output_names);
    for (int i = 0; i < c_.outputs(); ++i) {
      const char* name = c_.output_names[at(i)].c_str();
      if (named.has(name)) one(named[name], named.at(name), i);
    }
  }
  void initial() {
    if (!item_.has("initial")) return;
    const Json& in = item_["initial"];
    if (in == "zero") {
      c_.start = ControllerStart::zero;
    } else if (in == "steady") {
      c_.start = ControllerStart::steady;
    } else if (in.is_array() && in.size() == static_cast<std::size_t>(c_.states())) {
      c_.start = ControllerStart::given;
      c_.initial = matrix_in(in, item_.at("initial"), c_.states(), 1);
    } else {
      throw_bad_input(item_.at("initial"), fmt::format("this must be the {} states at the start", c_.states()),
                      R"(write "zero", "steady", or a list of numbers)");
    }
  }

  std::string folder_;
  std::vector<std::string>& files_;
  Item item_;
  ControllerText out_;
  Controller& c_ = out_.controller;
};

}  // namespace

ControllerText controller_from_json(const Json& in, const std::string& where, const std::string& folder,
                                    std::vector<std::string>& files) {
  return ControllerReader(in, where, folder, files).read();
}

}  // namespace kdyn::mbs
