// SPDX-License-Identifier: Apache-2.0
// A law of a model file at work: static force, steady response, force over time, step by step.
#include <complex>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "kdyn/app/mount/workbench.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/scaled.hpp"
#include "kdyn/rig/model_axis.hpp"
#include "kdyn/rig/steady_points.hpp"

#include "bindings.hpp"

namespace kdyn::python {
namespace {

using Stiffness = py::array_t<std::complex<double>>;

void demand_points(std::initializer_list<std::size_t> sizes, double smallest_hz, double smallest_amplitude) {
  for (const std::size_t size : sizes) demand(size == *sizes.begin(), "arrays of one length");
  if (!(smallest_hz > 0.0)) throw_bad_input("frequency_hz", "must be above 0", "give the frequency in Hz");
  if (!(smallest_amplitude > 0.0))
    throw_bad_input("amplitude", "must be above 0", "give the amplitude zero to peak, in m or rad");
}

void demand_finite(const char* name, const Numbers& numbers) {
  for (py::ssize_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers.data()[i]))
      throw_bad_input(fmt::format("{}[{}]", name, i), "is not a finite number", "leave such points out");
}

double smallest(const Numbers& numbers) {
  double out = std::numeric_limits<double>::infinity();
  for (py::ssize_t i = 0; i < numbers.size(); ++i)
    // A comparison that NaN does not pass.
    out = numbers.data()[i] >= out ? out : numbers.data()[i];
  return out;
}

class Law {
 public:
  Law(const Json& model, const std::string& axis) : axis_mount_(mount_on_axis(model, "model", axis)) {
    axis_mount_.mount->to_json(model_);
    if (is_bushing_model(model)) {
      model_ = inner_model(model)["axes"][axis_mount_.axis];
    } else {
      model_ = inner_model(model);
    }
  }

  const Mount& mount() const { return *axis_mount_.mount; }
  const Json& model() const { return model_; }
  bool turns() const { return axis_mount_.kind == AxisKind::rotation; }
  std::string axis() const { return axis_mount_.axis; }

  Stiffness stiffness(const Numbers& frequency_hz, const Numbers& amplitude, const Numbers& preload, bool loop) const {
    const auto n = static_cast<std::size_t>(frequency_hz.size());
    demand_points({n, static_cast<std::size_t>(amplitude.size()), static_cast<std::size_t>(preload.size())},
                  smallest(frequency_hz), smallest(amplitude));
    demand_finite("frequency_hz", frequency_hz);
    demand_finite("amplitude", amplitude);
    demand_finite("preload", preload);
    Stiffness out(frequency_hz.size());
    const std::span<const double> f(frequency_hz.data(), n), a(amplitude.data(), n), p(preload.data(), n);
    const std::span<std::complex<double>> k(out.mutable_data(), n);
    const py::gil_scoped_release others;
    SteadyPoints(model_, mount(), loop).at_preloads(p, f, a, k);
    return out;
  }

 private:
  AxisMount axis_mount_;
  Json model_;
};

// Exact derivatives of the first harmonic by parameters of the rubber law, column by column; nothing for other laws.
py::object stiffness_gradient(const Law& law, const std::vector<std::string>& names, const Numbers& frequency_hz,
                              const Numbers& amplitude, const Numbers& preload) {
  if (model_word(law.model()) != "elastomer") return py::none();
  const ScaledModel plain = scaled_model(law.model(), "model");
  if (plain.scale != 1.0 || temperature_tables(law.model()).size() > 0) return py::none();
  const Elastomer<double> rubber = elastomer_from_json(plain.model, "model");
  using J = Jet<1>;
  const py::ssize_t n = frequency_hz.size();
  Stiffness out({n, static_cast<py::ssize_t>(names.size())});
  auto at = out.mutable_unchecked<2>();
  for (std::size_t j = 0; j < names.size(); ++j) {
    Elastomer<J> moved = rubber.cast<J>();
    bool found = false;
    moved.visit_parameters([&](const char* name, J& value) {
      if (names[j] == name) value.v[0] = 1.0, found = true;
    });
    if (!found) return py::none();
    moved.complete();
    double last_preload = 0.0, u0 = 0.0;
    J moved_u0(0.0);
    for (py::ssize_t i = 0; i < n; ++i) {
      const double load = preload.data()[i];
      if (i == 0 || load != last_preload) {
        u0 = law.mount().static_displacement(load);
        // The preload stays: du0 = -dF/dk.
        const J force = moved.static_force(J(u0));
        moved_u0 = J(u0);
        moved_u0.v[0] = -force.v[0] / rubber.static_slope(u0);
        last_preload = load;
      }
      const Complex<J> k = harmonic_stiffness(moved, frequency_hz.data()[i], J(amplitude.data()[i]), moved_u0);
      at(i, static_cast<py::ssize_t>(j)) = {k.re.v[0], k.im.v[0]};
    }
  }
  return out;
}

// Force under a displacement over time, and signals inside by name.
py::tuple simulate_law(const Law& law, const Numbers& time, const Numbers& displacement, const Numbers& velocity) {
  if (time.size() != displacement.size() || (velocity.size() != 0 && velocity.size() != time.size()))
    throw_bad_input("displacement", "time, displacement and velocity must have one length",
                    "give arrays of one length");
  if (time.size() < 2) throw_bad_input("time", "two samples are needed at least", "give time and displacement over it");
  const std::vector<double> t = to_vector(time), u = to_vector(displacement), v = to_vector(velocity);
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!std::isfinite(t[i]) || !std::isfinite(u[i]) || (!v.empty() && !std::isfinite(v[i])))
      throw_bad_input(fmt::format("sample {}", i), "is not a finite number", "leave gaps out, or fill them");
    if (i > 0 && !(t[i] > t[i - 1]))
      throw_bad_input(fmt::format("time[{}]", i), "time must increase", "sort the samples by time");
  }
  std::vector<double> force;
  std::vector<MountRecord> inside;
  {
    const py::gil_scoped_release others;
    const std::unique_ptr<Mount> mount = law.mount().clone();
    force = simulate(*mount, t, u, v, &inside);
  }
  py::dict signals;
  for (MountRecord& record : inside) signals[to_text(record.signal.name)] = to_array(std::move(record.values));
  return py::make_tuple(to_array(std::move(force)), signals);
}

template <double (Mount::*Function)(double) const>
py::array_t<double> by_number(const Law& law, const Numbers& numbers) {
  py::array_t<double> out(numbers.size());
  for (py::ssize_t i = 0; i < numbers.size(); ++i) out.mutable_data()[i] = (law.mount().*Function)(numbers.data()[i]);
  return out;
}

// A mount that is driven step by step, inside a loop of somebody else.
class Stepper {
 public:
  Stepper(const Law& law, double u, double v) : mount_(law.mount().clone()) { mount_->start({u, v}); }
  double step(double u, double v, double h) {
    if (!(h > 0.0) || !std::isfinite(u) || !std::isfinite(v))
      throw_bad_input("step", "h must be above 0, u and v finite", "give displacement, velocity and time step in SI");
    return mount_->advance({u, v}, h);
  }
  double force(double u, double v) const { return mount_->peek({u, v}); }

 private:
  std::unique_ptr<Mount> mount_;
};

}  // namespace

void add_laws(py::module_& module) {
  py::class_<Law>(module, "Law")
      .def(py::init([](const py::dict& model, const std::string& axis) { return Law(to_json(model), axis); }),
           py::arg("model"), py::arg("axis") = "")
      .def_property_readonly("model", [](const Law& law) { return to_python(law.model()); })
      .def_property_readonly("numbers", [](const Law& law) { return to_python(app::model_fields(law.model())); })
      .def_property_readonly("name", [](const Law& law) { return law.mount().model(); })
      .def_property_readonly("rotation", &Law::turns)
      .def_property_readonly("axis", &Law::axis)
      .def("stiffness", &Law::stiffness)
      .def("stiffness_gradient", &stiffness_gradient)
      .def("linear_stiffness",
           [](const Law& law, const Numbers& frequency_hz, double preload) {
             const double u0 = law.mount().static_displacement(preload);
             Stiffness out(frequency_hz.size());
             for (py::ssize_t i = 0; i < frequency_hz.size(); ++i)
               out.mutable_data()[i] = law.mount().linear_stiffness(frequency_hz.data()[i], u0);
             return out;
           })
      .def("static_force", &by_number<&Mount::static_force>)
      .def("static_displacement", &by_number<&Mount::static_displacement>)
      .def("simulate", &simulate_law)
      .def("at_temperature", [](const Law& law, double temperature_c) {
        Json model;
        law.mount().at_temperature(temperature_c)->to_json(model);
        if (law.turns()) model["axis"] = law.axis().empty() ? "rotation" : law.axis();
        return Law(model, "");
      });
  py::class_<Stepper>(module, "Stepper")
      .def(py::init<const Law&, double, double>(), py::arg("law"), py::arg("u") = 0.0, py::arg("v") = 0.0)
      .def("step", &Stepper::step, py::arg("u"), py::arg("v"), py::arg("h"),
           "Accepts a step of length h (s) that ends at displacement u and velocity v; returns the force there.")
      .def("force", &Stepper::force, py::arg("u"), py::arg("v"), "The force at a motion, without a trace.");
}

}  // namespace kdyn::python
