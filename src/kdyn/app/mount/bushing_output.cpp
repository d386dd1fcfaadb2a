// SPDX-License-Identifier: Apache-2.0
// What kdyn fit bushing writes into result.json.
#include "kdyn/app/mount/bushing_job.hpp"
#include "kdyn/app/present/shared_results.hpp"

namespace kdyn::app {

static const FieldTable& fields_of(const LawTried*) {
  using T = LawTried;
  static const FieldTable table = FieldTable::results<T>("law tried", [](FieldTable& t) {
    t.add(&T::law, "law", "-", "elastomer or hydromount");
    t.add(&T::status, "status", "-", "How its fit ended");
    t.add(&T::reason, "reason", "-", "Why");
    t.add(&T::parameters, "parameters", "-", "Free parameters");
    t.add(&T::rms_kdyn_rel, "rms_kdyn_rel", "-", "Misfit of stiffness on the rows that all laws tried used");
    t.add(&T::rms_loss_deg, "rms_loss_deg", "deg", "Misfit of the loss angle on these rows");
    t.add(&T::information, "information", "-", "Bayesian information criterion: the lower the better");
    t.add(&T::chosen, "chosen", "-", "Whether it was taken");
  });
  return table;
}

static const FieldTable& fields_of(const FittedDirection*) {
  using D = FittedDirection;
  static const FieldTable table = FieldTable::results<D>("direction", [](FieldTable& t) {
    t.add(
        [](const D& d) {
          std::vector<std::string> axes;
          for (const std::size_t axis : d.of->axes) axes.emplace_back(axis_names[axis]);
          return axes;
        },
        "axes", "-", "Axes of the bushing that it stands for");
    t.add([](const D& d) { return d.of->label; }, "direction", "-", "What the files call it");
    t.add([](const D& d) { return d.of->files; }, "files", "-", "Files it was read from");
    t.add([](const D& d) { return d.of->measured; }, "measured", "-", "What they hold");
    t.add([](const D& d) { return d.of->peaks; }, "loss_angle_peaks", "-",
          "Whether the loss angle peaks over frequency");
    t.add(&D::law, "law", "-", "Law that was taken");
    t.add(&D::status, "status", "-", "How its fit ended; failed: the axis has no law");
    t.add(&D::reason, "reason", "-", "Why");
    t.add(&D::rms_kdyn_rel, "rms_kdyn_rel", "-", "Misfit of stiffness over the map");
    t.add(&D::rms_loss_deg, "rms_loss_deg", "deg", "Misfit of the loss angle over the map");
    t.add(&D::rms_static, "rms_static", "N or N*m", "Misfit of the static loops");
    t.add(&D::rms_transient, "rms_transient", "N or N*m", "Misfit of time records");
    t.add(&D::static_stiffness, "static_stiffness", "N/m or N*m/rad", "Slope of the static curve at zero displacement");
    t.add(&D::tried, "laws_tried", "-", "Laws that were fitted");
    t.add(&D::folder, "folder", "-", "Where its own result and report are");
  });
  return table;
}

static const FieldTable& fields_of(const EstimatedAxis*) {
  using E = EstimatedAxis;
  static const FieldTable table = FieldTable::results<E>("estimated axis", [](FieldTable& t) {
    t.add(&E::axis, "axis", "-", "Axis that was not measured");
    t.add(&E::ratio, "ratio", "-", "Times");
    t.add(&E::from, "from", "-", "this axis");
  });
  return table;
}

const FieldTable& fields_of(const FitBushingOutput*) {
  using O = FitBushingOutput;
  static const FieldTable table = FieldTable::results<O>("fit bushing result", [](FieldTable& t) {
    t.add(&O::status, "status", "-", "converged, poor_fit or not_converged: the worst of all directions");
    t.add(&O::reason, "reason", "-", "Why");
    t.add(&O::model, "model", "-", "The bushing as a model file");
    t.add(&O::coupling, "coupling", "-", "Coupling of the static forces");
    t.add(
        [](const O& o) {
          std::vector<std::pair<std::string, ParameterEstimate>> out;
          for (const FittedDirection& d : o.directions)
            for (ParameterEstimate p : d.parameters) {
              const std::string name = std::string(axis_names[d.of->axes.front()]) + "." + p.name;
              p.name.clear();
              out.emplace_back(name, std::move(p));
            }
          return out;
        },
        "parameters", "-", "Parameters of all measured directions, as axis.name");
    t.add(&O::directions, "directions", "-", "Measured directions");
    t.add(&O::estimated, "estimated", "-", "Axes that follow from stated ratios");
    t.add(&O::absent, "absent", "-", "Axes without a law: they carry no force");
    t.add(&O::files, "files", "-", "Files beside this one");
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

}  // namespace kdyn::app
