// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/fmu_unit.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"

namespace kdyn::mbs::internal {

extern "C" {
struct KdynFmiEvents {
  int new_states_needed, terminate, nominals_changed, values_changed, next_defined;
  double next;
};
}

struct FmuUnit::Calls {
  using C = void*;
  C (*instantiate)(const char*, int, const char*, const char*, const KdynFmiCallbacks*, int, int);
  void (*free_instance)(C);
  int (*setup)(C, int, double, double, int, double);
  int (*enter_initialization)(C);
  int (*exit_initialization)(C);
  int (*reset)(C);
  int (*set_real)(C, const unsigned*, std::size_t, const double*);
  int (*get_real)(C, const unsigned*, std::size_t, double*);
  int (*enter_event)(C);
  int (*new_states)(C, KdynFmiEvents*);
  int (*enter_continuous)(C);
  int (*completed)(C, int, int*, int*);
  int (*set_time)(C, double);
  int (*set_states)(C, const double*, std::size_t);
  int (*get_states)(C, double*, std::size_t);
  int (*get_derivatives)(C, double*, std::size_t);
  int (*get_indicators)(C, double*, std::size_t);
  int (*save)(C, void**);
  int (*restore)(C, void*);
  int (*free_state)(C, void**);
  int (*state_size)(C, void*, std::size_t*);
  int (*serialise)(C, void*, char*, std::size_t);
  int (*deserialise)(C, const char*, std::size_t, void**);
  int (*directional)(C, const unsigned*, std::size_t, const unsigned*, std::size_t, const double*, double*);
  KdynFmiCallbacks callbacks{};
};

// Lives as long as somebody may go back to it; the unit is there as long as its law.
class FmuUnit::State {
 public:
  State(void* component, int (*free_state)(void*, void**), void* state)
      : component_(component),
        free_(free_state),
        state_(state) {}
  ~State() { free_(component_, &state_); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  void* get() const { return state_; }

 private:
  void* component_;
  int (*free_)(void*, void**);
  void* state_;
};

namespace {
constexpr const char* exchange_remedy = "export it as FMI 2.0 for model exchange, with a binary for Linux (x86-64)";
}

FmuUnit::FmuUnit(const std::string& path, const std::string& where)
    : where_(where),
      package_(path, where, exchange_remedy) {
  const pugi::xml_node root = package_.root();
  const std::string version = package_.version();
  if (version != "2.0") throw_bad_input(where, fmt::format("the FMU is of FMI {}", version), exchange_remedy);
  const pugi::xml_node exchange = root.child("ModelExchange");
  if (!exchange)
    throw_bad_input(where, "the FMU is for co-simulation only: it cannot be solved together with the model",
                    exchange_remedy);
  if (!exchange.attribute("canGetAndSetFMUstate").as_bool())
    throw_bad_input(where, "the FMU cannot go back to an earlier state, which implicit steps need",
                    "export it with canGetAndSetFMUstate");
  identifier_ = exchange.attribute("modelIdentifier").value();
  guid_ = root.attribute("guid").value();
  directional_ = exchange.attribute("providesDirectionalDerivative").as_bool();
  serialises_ = exchange.attribute("canSerializeFMUstate").as_bool();
  completed_needed_ = !exchange.attribute("completedIntegratorStepNotNeeded").as_bool();
  constexpr unsigned most = 100000;
  indicator_count_ = root.attribute("numberOfEventIndicators").as_uint();
  std::vector<unsigned> reference, state_of;  // by index from 1; the state whose rate a variable is, 0: of none
  for (const pugi::xml_node& v : root.child("ModelVariables").children("ScalarVariable")) {
    Variable one;
    one.reference = v.attribute("valueReference").as_uint();
    one.causality = v.attribute("causality").as_string("local");
    const pugi::xml_node real = v.child("Real");
    one.real = static_cast<bool>(real);
    one.unit = real.attribute("unit").value();
    variables_[v.attribute("name").value()] = one;
    reference.push_back(one.reference);
    state_of.push_back(real.attribute("derivative").as_uint());
  }
  for (const pugi::xml_node& u : root.child("ModelStructure").child("Derivatives").children("Unknown")) {
    const unsigned i = u.attribute("index").as_uint();
    const unsigned s = i >= 1 && i <= reference.size() ? state_of[i - 1] : 0;
    if (s < 1 || s > reference.size())
      throw_bad_input(where, "modelDescription.xml: a state derivative belongs to no state", "export the FMU again");
    states_.push_back(reference[s - 1]);
    rates_.push_back(reference[i - 1]);
  }
  if (states_.size() > most || indicator_count_ > most)
    throw_bad_input(where, fmt::format("the FMU has {} states", states_.size()), "this is no model of a damper");
  package_.load(identifier_, "linux64");
  calls_ = std::make_unique<Calls>();
  const auto find = [&](auto& function, const char* name) { package_.find(function, name); };
  Calls& c = *calls_;
  find(c.instantiate, "fmi2Instantiate"), find(c.free_instance, "fmi2FreeInstance");
  find(c.setup, "fmi2SetupExperiment"), find(c.enter_initialization, "fmi2EnterInitializationMode");
  find(c.exit_initialization, "fmi2ExitInitializationMode"), find(c.reset, "fmi2Reset");
  find(c.set_real, "fmi2SetReal"), find(c.get_real, "fmi2GetReal");
  find(c.enter_event, "fmi2EnterEventMode"), find(c.new_states, "fmi2NewDiscreteStates");
  find(c.enter_continuous, "fmi2EnterContinuousTimeMode"), find(c.completed, "fmi2CompletedIntegratorStep");
  find(c.set_time, "fmi2SetTime"), find(c.set_states, "fmi2SetContinuousStates");
  find(c.get_states, "fmi2GetContinuousStates"), find(c.get_derivatives, "fmi2GetDerivatives");
  find(c.get_indicators, "fmi2GetEventIndicators");
  find(c.save, "fmi2GetFMUstate"), find(c.restore, "fmi2SetFMUstate"), find(c.free_state, "fmi2FreeFMUstate");
  if (serialises_)
    find(c.state_size, "fmi2SerializedFMUstateSize"), find(c.serialise, "fmi2SerializeFMUstate"),
        find(c.deserialise, "fmi2DeSerializeFMUstate");
  if (directional_) find(c.directional, "fmi2GetDirectionalDerivative");
  c.callbacks = FmuPackage::callbacks(&messages_);
  const std::string resources = "file://" + package_.resources().string();
  component_ = c.instantiate(identifier_.c_str(), 0, guid_.c_str(), resources.c_str(), &c.callbacks, 0, 0);
  if (component_ == nullptr)
    throw_bad_input(where, "the FMU refuses to start" + (messages_.empty() ? "" : ": " + messages_),
                    "does it need a licence, or was it changed after its export?");
}

FmuUnit::~FmuUnit() { calls_->free_instance(component_); }

void FmuUnit::check(int status, const char* what) {
  if (status <= 1) return;  // OK, Warning
  const std::string told = std::exchange(messages_, {});
  throw_bad_input(where_, fmt::format("the FMU does not {}{}", what, told.empty() ? "" : ": " + told),
                  "check its parameters and the motion it is given");
}

void FmuUnit::open() {
  messages_.clear();
  check(calls_->reset(component_), "begin anew");
  check(calls_->setup(component_, 0, 0.0, 0.0, 0, 0.0), "begin");
  check(calls_->enter_initialization(component_), "begin");
}
void FmuUnit::close() {
  check(calls_->exit_initialization(component_), "begin with these values");
  settle(0.0);
}
void FmuUnit::settle(double t) {
  KdynFmiEvents events{1, 0, 0, 0, 0, 0.0};
  for (int round = 0; events.new_states_needed != 0; ++round) {
    check(calls_->new_states(component_, &events), "come through an event");
    if (events.terminate != 0) throw_bad_input(where_, "the FMU ends the run", "look at its documentation");
    constexpr int most_rounds = 1000;
    if (round == most_rounds) throw_bad_input(where_, "the FMU does not come through an event", "tell its author");
  }
  has_next_event_ = events.next_defined != 0 && events.next > t;
  next_event_ = events.next;
  check(calls_->enter_continuous(component_), "go on");
}

void FmuUnit::set(unsigned reference, double value) {
  check(calls_->set_real(component_, &reference, 1, &value), "take a value");
}
double FmuUnit::get(unsigned reference) {
  double value = std::numeric_limits<double>::quiet_NaN();
  check(calls_->get_real(component_, &reference, 1, &value), "give a value");
  return value;
}
void FmuUnit::set_time(double t) { check(calls_->set_time(component_, t), "take the time"); }
void FmuUnit::set_states(const double* x) {
  if (!states_.empty()) check(calls_->set_states(component_, x, states_.size()), "take its states");
}
void FmuUnit::states_now(double* x) {
  if (!states_.empty()) check(calls_->get_states(component_, x, states_.size()), "give its states");
}
void FmuUnit::rates(double* rate) {
  if (!states_.empty()) check(calls_->get_derivatives(component_, rate, states_.size()), "give its rates");
}
std::vector<double> FmuUnit::indicators() {
  std::vector<double> out(indicator_count_);
  if (!out.empty()) check(calls_->get_indicators(component_, out.data(), out.size()), "tell its events");
  return out;
}

void FmuUnit::completed_step(double t, bool event) {
  int enter = 0, terminate = 0;
  if (completed_needed_) check(calls_->completed(component_, 1, &enter, &terminate), "take the step");
  if (terminate != 0) throw_bad_input(where_, "the FMU ends the run", "look at its documentation");
  if (enter == 0 && !event && !(has_next_event_ && t >= next_event_)) return;
  std::vector<double> before(states_.size()), after(states_.size());
  states_now(before.data());
  check(calls_->enter_event(component_), "come to an event");
  settle(t);
  states_now(after.data());
  if (before != after)
    throw_bad_input(where_, "the states of the FMU jump at an event, which kdyn cannot follow",
                    "use an FMU whose continuous states are continuous");
}

void FmuUnit::derivative(unsigned force, unsigned by, std::vector<double>& out) {
  std::vector<unsigned> unknown = {force};
  unknown.insert(unknown.end(), rates_.begin(), rates_.end());
  out.assign(unknown.size(), 0.0);
  const double one = 1.0;
  check(calls_->directional(component_, unknown.data(), unknown.size(), &by, 1, &one, out.data()), "give its slopes");
}

std::shared_ptr<const FmuUnit::State> FmuUnit::save() {
  void* state = nullptr;
  check(calls_->save(component_, &state), "keep its state");
  return std::make_shared<const State>(component_, calls_->free_state, state);
}
void FmuUnit::restore(const State& state) { check(calls_->restore(component_, state.get()), "go back to a state"); }
std::vector<char> FmuUnit::bytes_of(const State& state) {
  if (!serialises_) return {};
  std::size_t size = 0;
  check(calls_->state_size(component_, state.get(), &size), "give its state");
  std::vector<char> out(size);
  check(calls_->serialise(component_, state.get(), out.data(), out.size()), "give its state");
  return out;
}
std::shared_ptr<const FmuUnit::State> FmuUnit::state_of(const std::vector<char>& bytes) {
  void* state = nullptr;
  check(calls_->deserialise(component_, bytes.data(), bytes.size(), &state), "take a state that was kept");
  return std::make_shared<const State>(component_, calls_->free_state, state);
}

}  // namespace kdyn::mbs::internal
