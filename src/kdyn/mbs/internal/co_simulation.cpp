// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/co_simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/base/units.hpp"
#include "kdyn/mbs/internal/fmu_package.hpp"
#include "kdyn/mbs/internal/model_item.hpp"

namespace kdyn::mbs::internal {
namespace {

constexpr const char* co_simulation_remedy =
    "export it as FMI 2.0 or 3.0 for co-simulation, with a binary for Linux (x86-64)";

struct Variable {
  unsigned reference = 0;
  std::string causality, unit;
  bool real = false, si = true;
};

// Both versions have the same calls under other names.
struct Calls {
  using C = void*;
  C (*instantiate_2)(const char*, int, const char*, const char*, const KdynFmiCallbacks*, int, int) = nullptr;
  C(*instantiate_3)
  (const char*, const char*, const char*, bool, bool, bool, bool, const unsigned*, std::size_t, void*,
   void (*)(void*, int, const char*, const char*), void*) = nullptr;
  void (*free_instance)(C) = nullptr;
  int (*setup_2)(C, int, double, double, int, double) = nullptr;
  int (*enter_2)(C) = nullptr;
  int (*enter_3)(C, bool, double, double, bool, double) = nullptr;
  int (*exit_initialization)(C) = nullptr;
  int (*reset)(C) = nullptr;
  int (*set_2)(C, const unsigned*, std::size_t, const double*) = nullptr;
  int (*get_2)(C, const unsigned*, std::size_t, double*) = nullptr;
  int (*set_3)(C, const unsigned*, std::size_t, const double*, std::size_t) = nullptr;
  int (*get_3)(C, const unsigned*, std::size_t, double*, std::size_t) = nullptr;
  int (*derivatives_2)(C, const unsigned*, std::size_t, const int*, const double*) = nullptr;
  int (*step_2)(C, double, double, int) = nullptr;
  int (*step_3)(C, double, double, bool, bool*, bool*, bool*, double*) = nullptr;
  int (*save)(C, void**) = nullptr;
  int (*restore)(C, void*) = nullptr;
  int (*free_state)(C, void**) = nullptr;
  int (*state_size)(C, void*, std::size_t*) = nullptr;
  int (*serialise)(C, void*, char*, std::size_t) = nullptr;
  int (*deserialise)(C, const char*, std::size_t, void**) = nullptr;
};

extern "C" {
static void kdyn_fmi3_log(void* environment, int status, const char*, const char* message) {
  if (environment == nullptr || message == nullptr || status == 0) return;
  auto& messages = *static_cast<std::string*>(environment);
  constexpr std::size_t most = 2000;
  if (messages.size() < most) messages += (messages.empty() ? "" : "; ") + std::string(message);
}
}

// How inputs reach the FMU in the step from u0 to u1  [mbs E97].
enum class Send { begin, end, linear };

class CoSimulation final : public ControlUnit {
 public:
  CoSimulation(const std::string& path, std::string where)
      : where_(std::move(where)),
        package_(path, where_, co_simulation_remedy),
        two_(package_.version() == "2.0") {
    if (!two_ && !package_.version().starts_with("3.0"))
      throw_bad_input(where_, fmt::format("the FMU is of FMI {}", package_.version()), co_simulation_remedy);
    const pugi::xml_node about = package_.root().child("CoSimulation");
    if (!about)
      throw_bad_input(where_, "the FMU is not for co-simulation",
                      R"(a force element for model exchange stands as a law: {"model": "fmu", "file": ..})");
    if (about.attribute("needsExecutionTool").as_bool())
      throw_bad_input(where_, "the FMU needs the tool that made it", "export it so that it runs by itself");
    interpolates_ = two_ && about.attribute("canInterpolateInputs").as_bool();
    const bool saves = about.attribute(two_ ? "canGetAndSetFMUstate" : "canGetAndSetFMUState").as_bool();
    serialises_ = saves && about.attribute(two_ ? "canSerializeFMUstate" : "canSerializeFMUState").as_bool();
    read_variables();
    const std::string identifier = about.attribute("modelIdentifier").value(),
                      token = package_.root().attribute(two_ ? "guid" : "instantiationToken").value();
    package_.load(identifier, two_ ? "linux64" : "x86_64-linux");
    find_calls();
    const std::string resources =
        two_ ? "file://" + package_.resources().string() : package_.resources().string() + "/";
    callbacks_ = FmuPackage::callbacks(&messages_);
    component_ = two_ ? calls_.instantiate_2(identifier.c_str(), 1, token.c_str(), resources.c_str(), &callbacks_, 0, 0)
                      : calls_.instantiate_3(identifier.c_str(), token.c_str(), resources.c_str(), false, false, false,
                                             false, nullptr, 0, &messages_, kdyn_fmi3_log, nullptr);
    if (component_ == nullptr)
      throw_bad_input(where_, "the FMU refuses to start" + (messages_.empty() ? "" : ": " + messages_),
                      "does it need a licence, or was it changed after its export?");
  }
  ~CoSimulation() override { calls_.free_instance(component_); }
  CoSimulation(const CoSimulation&) = delete;
  CoSimulation& operator=(const CoSimulation&) = delete;

  const std::map<std::string, Variable>& variables() const { return variables_; }
  bool interpolates() const { return interpolates_; }

  std::vector<unsigned> in, out;
  std::vector<std::pair<unsigned, double>> parameters;
  Send send = Send::begin;
  bool linear_outputs = false;

  VectorX begin(const VectorX& u) override {
    messages_.clear();
    if (begun_++ > 0) check(calls_.reset(component_), "begin anew");
    if (two_) {
      check(calls_.setup_2(component_, 0, 0.0, 0.0, 0, 0.0), "begin");
      check(calls_.enter_2(component_), "begin");
    } else {
      check(calls_.enter_3(component_, false, 0.0, 0.0, false, 0.0), "begin");
    }
    for (const auto& [reference, value] : parameters) set(reference, value);
    put(u);
    check(calls_.exit_initialization(component_), "begin with these values");
    return outputs();
  }
  VectorX advance(double t, double h, const VectorX& u0, const VectorX& u1) override {
    messages_.clear();
    put(send == Send::end ? u1 : u0);
    if (send == Send::linear) {
      const std::vector<int> orders(in.size(), 1);
      const VectorX rate = (u1 - u0) / h;
      check(calls_.derivatives_2(component_, in.data(), in.size(), orders.data(), rate.data()),
            "take the slopes of inputs");
    }
    if (two_) {
      check(calls_.step_2(component_, t, h, 1), fmt::format("step from {:.9g} s by {:.3g} s", t, h));
    } else {
      bool event = false, ends = false, early = false;
      double last = t + h;
      check(calls_.step_3(component_, t, h, true, &event, &ends, &early, &last),
            fmt::format("step from {:.9g} s by {:.3g} s", t, h));
      if (ends)
        throw_bad_input(where_, fmt::format("the FMU ends the run at {:.9g} s", last), "look at its documentation");
      if (early) throw_bad_input(where_, "the FMU returns before the end of its step", "choose another sample_s");
    }
    // The outputs of this instant are those of its inputs, where the FMU computes them anew.
    if (send != Send::end) put(u1);
    return outputs();
  }
  bool goes_on() const override { return linear_outputs; }
  std::string warning() const override { return warning_; }
  long begun() const override { return begun_; }

  // The bytes of the FMU, six to a number.
  std::vector<double> image() override {
    if (!serialises_) return {};
    void* state = nullptr;
    check(calls_.save(component_, &state), "keep its state");
    std::size_t size = 0;
    check(calls_.state_size(component_, state, &size), "give its state");
    std::vector<char> bytes(size);
    check(calls_.serialise(component_, state, bytes.data(), bytes.size()), "give its state");
    calls_.free_state(component_, &state);
    std::vector<double> numbers = {static_cast<double>(size)};
    for (std::size_t i = 0; i < bytes.size(); i += 6) {
      std::uint64_t six = 0;
      std::memcpy(&six, bytes.data() + i, std::min<std::size_t>(6, bytes.size() - i));
      numbers.push_back(static_cast<double>(six));
    }
    return numbers;
  }
  bool set_image(const std::vector<double>& image) override {
    if (!serialises_ || image.empty() || !(image[0] >= 1.0) || image[0] > 6.0 * static_cast<double>(image.size()))
      return false;
    std::vector<char> bytes(static_cast<std::size_t>(image[0]));
    if (image.size() != 1 + (bytes.size() + 5) / 6) return false;
    for (std::size_t i = 0; i < bytes.size(); i += 6) {
      const double number = image[1 + i / 6];
      if (!(number >= 0.0 && number < 281474976710656.0)) return false;
      const auto six = static_cast<std::uint64_t>(number);
      std::memcpy(bytes.data() + i, &six, std::min<std::size_t>(6, bytes.size() - i));
    }
    begin(VectorX::Zero(static_cast<Eigen::Index>(in.size())));
    void* state = nullptr;
    check(calls_.deserialise(component_, bytes.data(), bytes.size(), &state), "take a state that was kept");
    check(calls_.restore(component_, state), "go back to a state");
    calls_.free_state(component_, &state);
    return true;
  }

  void demand_unit(const std::string& name, const Variable& v, const std::string& at) const {
    if (v.si) return;
    throw_bad_input(
        at, fmt::format("{} of the FMU is in {}, which is no SI unit as far as it tells", in_quotes(name), v.unit),
        "export the FMU in SI units");
  }

 private:
  void read_variables() {
    const pugi::xml_node root = package_.root();
    std::map<std::string, bool> si;  // units that say what they are
    for (const pugi::xml_node& unit : root.child("UnitDefinitions").children("Unit"))
      if (const pugi::xml_node base = unit.child("BaseUnit"))
        si[unit.attribute("name").value()] =
            base.attribute("factor").as_double(1.0) == 1.0 && base.attribute("offset").as_double(0.0) == 0.0;
    std::map<std::string, std::string> of_type;
    for (const pugi::xml_node& type : root.child("TypeDefinitions").children())
      of_type[type.attribute("name").value()] =
          two_ ? type.child("Real").attribute("unit").value() : type.attribute("unit").value();
    for (const pugi::xml_node& v : root.child("ModelVariables").children()) {
      const pugi::xml_node real = two_ ? v.child("Real") : v;
      Variable one;
      one.reference = v.attribute("valueReference").as_uint();
      one.causality = v.attribute("causality").as_string("local");
      one.real = two_ ? static_cast<bool>(real) : std::string(v.name()) == "Float64" && !v.child("Dimension");
      one.unit = real.attribute("unit").value();
      if (one.unit.empty()) one.unit = of_type[real.attribute("declaredType").value()];
      if (const auto known = si.find(one.unit); known != si.end()) {
        one.si = known->second;
      } else if (!one.unit.empty() && one.unit != "1" && one.unit != "-") {
        const auto unit = parse_unit(one.unit);
        one.si = unit && unit->to_si == 1.0;
      }
      variables_[v.attribute("name").value()] = one;
    }
  }
  void find_calls() {
    Calls& c = calls_;
    const std::string fmi = two_ ? "fmi2" : "fmi3", state = two_ ? "FMUstate" : "FMUState";
    const auto find = [&](auto& function, const std::string& name) { package_.find(function, (fmi + name).c_str()); };
    find(c.free_instance, "FreeInstance");
    find(c.exit_initialization, "ExitInitializationMode");
    find(c.reset, "Reset");
    if (two_) {
      find(c.instantiate_2, "Instantiate"), find(c.setup_2, "SetupExperiment"),
          find(c.enter_2, "EnterInitializationMode");
      find(c.set_2, "SetReal"), find(c.get_2, "GetReal"), find(c.step_2, "DoStep");
      if (interpolates_) find(c.derivatives_2, "SetRealInputDerivatives");
    } else {
      find(c.instantiate_3, "InstantiateCoSimulation"), find(c.enter_3, "EnterInitializationMode");
      find(c.set_3, "SetFloat64"), find(c.get_3, "GetFloat64"), find(c.step_3, "DoStep");
    }
    if (!serialises_) return;
    find(c.save, "Get" + state), find(c.restore, "Set" + state), find(c.free_state, "Free" + state);
    find(c.state_size, two_ ? "SerializedFMUstateSize" : "SerializedFMUStateSize");
    find(c.serialise, two_ ? "SerializeFMUstate" : "SerializeFMUState");
    find(c.deserialise, two_ ? "DeSerializeFMUstate" : "DeserializeFMUState");
  }

  void check(int status, const std::string& what) {
    if (status == 1 && warning_.empty()) warning_ = messages_.empty() ? "it does not say of what" : messages_;
    if (status <= 1) return;  // OK, Warning
    const std::string told = std::exchange(messages_, {});
    throw_bad_input(where_, fmt::format("the FMU does not {}{}", what, told.empty() ? "" : ": " + told),
                    "check its parameters, its sample_s and the inputs it is given");
  }
  void set(unsigned reference, double value) {
    check(two_ ? calls_.set_2(component_, &reference, 1, &value) : calls_.set_3(component_, &reference, 1, &value, 1),
          "take a value");
  }
  void put(const VectorX& u) {
    if (in.empty()) return;
    check(two_ ? calls_.set_2(component_, in.data(), in.size(), u.data())
               : calls_.set_3(component_, in.data(), in.size(), u.data(), in.size()),
          "take its inputs");
  }
  VectorX outputs() {
    VectorX y = VectorX::Constant(static_cast<Eigen::Index>(out.size()), std::nan(""));
    check(two_ ? calls_.get_2(component_, out.data(), out.size(), y.data())
               : calls_.get_3(component_, out.data(), out.size(), y.data(), out.size()),
          "give its outputs");
    return y;
  }

  std::string where_, messages_, warning_;
  FmuPackage package_;
  bool two_, interpolates_ = false, serialises_ = false;
  std::map<std::string, Variable> variables_;
  Calls calls_;
  KdynFmiCallbacks callbacks_{};
  void* component_ = nullptr;
  long begun_ = 0;
};

}  // namespace

std::shared_ptr<ControlUnit> co_simulation_from_json(const Json& in, const std::string& where, const std::string& path,
                                                     const std::vector<std::string>& inputs,
                                                     const std::vector<std::string>& outputs,
                                                     std::vector<std::string>& output_units) {
  const Item item(in, where, {"file", "parameters", "variables", "inputs", "outputs", "comment"});
  auto unit = std::make_shared<CoSimulation>(path, where);
  std::vector<std::string> known;
  for (const auto& [name, variable] : unit->variables())
    if (variable.real) known.push_back(name);
  const auto find = [&](const std::string& name, const std::string& at,
                        const std::vector<std::string>& causalities) -> const Variable& {
    const auto found = unit->variables().find(name);
    if (found == unit->variables().end() || !found->second.real)
      throw_bad_input(at, fmt::format("the FMU has no real variable {}", in_quotes(name)), suggest(name, known));
    const Variable& v = found->second;
    if (std::find(causalities.begin(), causalities.end(), v.causality) == causalities.end())
      throw_bad_input(at, fmt::format("{} is no {} of the FMU, it is {}", in_quotes(name), causalities[0], v.causality),
                      "name the variable that is meant");
    unit->demand_unit(name, v, at);
    return v;
  };
  std::vector<std::string> names = inputs;
  names.insert(names.end(), outputs.begin(), outputs.end());
  std::optional<Item> variables;
  if (item.has("variables")) variables.emplace(item["variables"], item.at("variables"), names);
  const auto variable = [&](const std::string& name) {
    return variables && variables->has(name.c_str()) ? variables->text(name.c_str()) : name;
  };
  const std::string at = variables ? item.at("variables") : where;
  for (const std::string& name : inputs) unit->in.push_back(find(variable(name), at, {"input"}).reference);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Variable& v = find(variable(outputs[i]), at, {"output", "local", "calculatedParameter"});
    unit->out.push_back(v.reference);
    if (output_units[i] == "-" && !v.unit.empty() && parse_unit(v.unit)) output_units[i] = v.unit;
  }
  // What is not connected stays at its start value: that must be meant.
  std::string open;
  for (const auto& [name, v] : unit->variables())
    if (v.real && v.causality == "input" && std::find(unit->in.begin(), unit->in.end(), v.reference) == unit->in.end())
      open += (open.empty() ? "" : ", ") + name;
  if (!open.empty())
    throw_bad_input(where, fmt::format("inputs of the FMU have no formula: {}", open),
                    R"(add them to "inputs"; "0" for one that is not used)");
  if (item.has("parameters")) {
    if (!item["parameters"].is_object())
      throw_bad_input(item.at("parameters"), "this must be numbers by name", R"(write {"gain": 2})");
    for (const auto& [name, value] : item["parameters"].items()) {
      const std::string place = item.at("parameters") + "." + name;
      if (!value.is_number() || !std::isfinite(value.get<double>()))
        throw_bad_input(place, "this must be a finite number", "give a number in SI units");
      unit->parameters.emplace_back(find(name, place, {"parameter"}).reference, value.get<double>());
    }
  }
  const std::string send = item.text("inputs", unit->interpolates() ? "linear" : "begin");
  if (send != "begin" && send != "end" && send != "linear")
    throw_bad_input(item.at("inputs"), fmt::format("{} is no way to give inputs", in_quotes(send)),
                    R"(write "begin", "end" or "linear")");
  if (send == "linear" && !unit->interpolates())
    throw_bad_input(item.at("inputs"), "the FMU cannot interpolate its inputs", R"(write "begin" or "end")");
  unit->send = send == "begin" ? Send::begin : send == "end" ? Send::end : Send::linear;
  const std::string receive = item.text("outputs", "held");
  if (receive != "held" && receive != "linear")
    throw_bad_input(item.at("outputs"), fmt::format("{} is no way to take outputs", in_quotes(receive)),
                    R"(write "held", or "linear" to carry them on)");
  unit->linear_outputs = receive == "linear";
  return unit;
}

}  // namespace kdyn::mbs::internal
