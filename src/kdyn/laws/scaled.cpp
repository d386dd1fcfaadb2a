// SPDX-License-Identifier: Apache-2.0
#include "kdyn/laws/scaled.hpp"

#include "kdyn/base/error.hpp"
#include "kdyn/laws/registry.hpp"

namespace kdyn::inline laws {
namespace {

class ScaledMount final : public Mount {
 public:
  ScaledMount(std::unique_ptr<Mount> own, double scale) : own_(std::move(own)), scale_(scale) {}

  std::unique_ptr<Mount> clone() const override { return std::make_unique<ScaledMount>(own_->clone(), scale_); }
  std::string model() const override { return own_->model(); }
  void to_json(Json& out) const override {
    own_->to_json(out);
    out["scale"] = scale_;
  }
  std::unique_ptr<Mount> at_temperature(double temperature_c) const override {
    return std::make_unique<ScaledMount>(own_->at_temperature(temperature_c), scale_);
  }
  double static_force(double u) const override { return scale_ * own_->static_force(u); }
  double static_displacement(double force) const override { return own_->static_displacement(force / scale_); }
  void start(const Motion<double>& from) override { own_->start(from); }
  double advance(const Motion<double>& to, double h) override { return scale_ * own_->advance(to, h); }
  void change_velocity(double v) override { own_->change_velocity(v); }
  double peek(const Motion<double>& at) const override { return scale_ * own_->peek(at); }
  std::optional<double> stored_energy() const override {
    const auto energy = own_->stored_energy();
    return energy ? std::optional(scale_ * *energy) : std::nullopt;
  }
  std::vector<MountSignal> outputs() const override { return own_->outputs(); }
  std::vector<double> output_values() const override { return own_->output_values(); }
  std::vector<MountSignal> inputs() const override { return own_->inputs(); }
  void set_input(std::size_t index, double value) override { own_->set_input(index, value); }
  std::complex<double> linear_stiffness(double frequency_hz, double u0) const override {
    return scale_ * own_->linear_stiffness(frequency_hz, u0);
  }
  std::optional<SteadyResponse> closed_form(double frequency_hz, double amplitude, double u0) const override {
    auto response = own_->closed_form(frequency_hz, amplitude, u0);
    if (response) response->k_dyn *= scale_, response->k_dyn_loop *= scale_;
    return response;
  }

 private:
  std::unique_ptr<Mount> own_;
  double scale_;
};

class ScaledAxisLaw final : public AxisLaw {
 public:
  ScaledAxisLaw(std::unique_ptr<AxisLaw> own, double scale) : own_(std::move(own)), scale_(scale) {}

  std::unique_ptr<AxisLaw> clone() const override { return std::make_unique<ScaledAxisLaw>(own_->clone(), scale_); }
  std::string model() const override { return own_->model(); }
  void to_json(Json& out) const override {
    own_->to_json(out);
    out["scale"] = scale_;
  }
  int state_count() const override { return own_->state_count(); }
  bool has_memory() const override { return own_->has_memory(); }
  const std::vector<std::string>& parameter_names() const override { return own_->parameter_names(); }
  double parameter(std::size_t index) const override { return own_->parameter(index); }
  void set_parameter(std::size_t index, double value) override { own_->set_parameter(index, value); }
  const ParameterInfo* parameter_info(std::size_t index) const override { return own_->parameter_info(index); }
  int input_count() const override { return own_->input_count(); }
  InputName input(int index) const override { return own_->input(index); }
  Memory with_input(const Memory& memory, int index, double value) const override {
    return own_->with_input(memory, index, value);
  }
  const Curve& own_signal() const override { return own_->own_signal(); }

  Memory start(double u) const override { return own_->start(u); }
  double static_force(double u, double* slope) const override {
    const double force = own_->static_force(u, slope);
    if (slope != nullptr) *slope *= scale_;
    return scale_ * force;
  }
  std::optional<double> stored_energy(double u, const double* w, const Memory& memory) const override {
    const auto energy = own_->stored_energy(u, w, memory);
    return energy ? std::optional(scale_ * *energy) : std::nullopt;
  }
  double force(const Step& step, double* rate) const override { return scale_ * own_->force(step, rate); }
  Memory commit(const Step& step) const override { return own_->commit(step); }
  void tangent(const Step& step, Tangent& out) const override {
    own_->tangent(step, out);
    out.f *= scale_, out.f_u *= scale_, out.f_v *= scale_;
    for (double& slope : out.f_w) slope *= scale_;
  }
  void pull_back(const Step& step, const Outputs& bar, const std::vector<int>& wanted,
                 Inputs& gradient) const override {
    own_->pull_back(step, of_own_force(bar), wanted, gradient);
  }
  void push_forward(const Step& step, const Inputs& direction, const std::vector<int>& wanted,
                    Outputs& out) const override {
    own_->push_forward(step, direction, wanted, out);
    out.f *= scale_;
  }
  void pull_back_start(const Motion<double>& at, const Outputs& bar, const std::vector<int>& wanted,
                       Inputs& gradient) const override {
    own_->pull_back_start(at, of_own_force(bar), wanted, gradient);
  }
  void push_forward_start(const Motion<double>& at, const Inputs& direction, const std::vector<int>& wanted,
                          Outputs& out) const override {
    own_->push_forward_start(at, direction, wanted, out);
    out.f *= scale_;
  }
  double static_force_by_parameter(double u, int index) const override {
    return scale_ * own_->static_force_by_parameter(u, index);
  }
  std::size_t memory_size(const Memory& memory) const override { return own_->memory_size(memory); }
  void memory_image(const Memory& memory, std::vector<double>& out) const override { own_->memory_image(memory, out); }
  bool memory_of_image(const std::vector<double>& image, Memory& memory) const override {
    return own_->memory_of_image(image, memory);
  }

 private:
  Outputs of_own_force(const Outputs& bar) const {
    Outputs own = bar;
    own.f *= scale_;
    return own;
  }

  std::unique_ptr<AxisLaw> own_;
  double scale_;
};

}  // namespace

ScaledModel plain_model(const Json& in, const std::string& where) {
  ScaledModel out{in, 1.0, std::nullopt};
  if (!in.is_object()) return out;
  if (in.contains("temperature_c")) {
    const Json& value = in["temperature_c"];
    if (!value.is_number() || !(value.get<double>() >= -273.15 && value.get<double>() <= 1000.0))
      throw_bad_input(where + ".temperature_c", "the temperature is no number from -273.15 to 1000",
                      "give it in degrees Celsius");
    out.temperature_c = value.get<double>();
    out.model.erase("temperature_c");
  }
  if (!in.contains("scale")) return out;
  const Json& value = in["scale"];
  if (!value.is_number() || !(value.get<double>() > 0.0 && value.get<double>() <= 1e9))
    throw_bad_input(where + ".scale", "the scale of a force is no number above 0 and up to 1e9",
                    "leave it out, or write \"scale\": 1.2");
  out.scale = value.get<double>();
  out.model.erase("scale");
  return out;
}

ScaledModel scaled_model(const Json& in, const std::string& where) {
  ScaledModel out = plain_model(in, where);
  if (!out.temperature_c) return out;
  const std::unique_ptr<Mount> there =
      law_of(out.model, where).mount(out.model, where)->at_temperature(*out.temperature_c);
  there->to_json(out.model);
  out.temperature_c.reset();
  return out;
}

std::unique_ptr<Mount> scaled(std::unique_ptr<Mount> mount, double scale) {
  return scale == 1.0 ? std::move(mount) : std::make_unique<ScaledMount>(std::move(mount), scale);
}

std::unique_ptr<AxisLaw> scaled(std::unique_ptr<AxisLaw> law, double scale) {
  return scale == 1.0 ? std::move(law) : std::make_unique<ScaledAxisLaw>(std::move(law), scale);
}

}  // namespace kdyn::inline laws
