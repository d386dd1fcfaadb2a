// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/internal/part_archive.hpp"

#include <complex>
#include <type_traits>

#include "kdyn/base/error.hpp"

namespace kdyn::update::internal {
namespace {

using Eigen::Index;

// One list of members serves both directions: `Out` appends them to a row, `In` takes them from it.
struct Out {
  std::vector<double>& row;
  void number(double& value) { row.push_back(value); }
};
struct In {
  const std::vector<double>& row;
  std::size_t at = 0;
  void number(double& value) {
    demand(at < row.size(), "the row of a part is whole");
    value = row[at++];
  }
};

template <class Archive, class... Members>
void visit(Archive& archive, Members&... members);

// Numbers, enumerations and flags.
template <class Archive, class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void one(Archive& archive, T& value) {
  auto number = static_cast<double>(value);
  archive.number(number);
  value = static_cast<T>(number);
}
template <class Archive>
void one(Archive& archive, std::complex<double>& value) {
  double re = value.real(), im = value.imag();
  archive.number(re), archive.number(im);
  value = {re, im};
}
template <class Archive>
void one(Archive& archive, std::int64_t& value) {  // more digits than a double has
  double high = static_cast<double>(value >> 32), low = static_cast<double>(value & 0xffffffff);
  archive.number(high), archive.number(low);
  value = (static_cast<std::int64_t>(high) << 32) + static_cast<std::int64_t>(low);
}
template <class Archive>
void one(Archive& archive, std::string& text) {
  auto size = static_cast<double>(text.size());
  archive.number(size);
  text.resize(static_cast<std::size_t>(size));
  for (char& letter : text) one(archive, letter);
}
template <class Archive, class T, int R, int C>
void one(Archive& archive, Eigen::Matrix<T, R, C>& matrix) {
  auto rows = static_cast<double>(matrix.rows()), columns = static_cast<double>(matrix.cols());
  archive.number(rows), archive.number(columns);
  matrix.resize(static_cast<Index>(rows), static_cast<Index>(columns));
  for (Index i = 0; i < matrix.size(); ++i) one(archive, matrix.data()[i]);
}
template <class Archive>
void one(Archive& archive, std::vector<bool>& list) {
  auto size = static_cast<double>(list.size());
  archive.number(size);
  list.resize(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < list.size(); ++i) {
    bool flag = list[i];
    one(archive, flag);
    list[i] = flag;
  }
}

template <class Archive>
void one(Archive& a, Dof& x) {
  visit(a, x.node, x.direction, x.name);
}
template <class Archive>
void one(Archive& a, Finding& x) {
  visit(a, x.severity, x.code, x.where, x.message, x.remedy);
}
template <class Archive>
void one(Archive& a, ParameterEstimate& x) {
  visit(a, x.name, x.unit, x.meaning, x.value, x.std, x.lower_95, x.upper_95, x.status);
}
template <class Archive>
void one(Archive& a, IdentifiedMode& x) {
  visit(a, x.pole, x.frequency_hz, x.damping, x.frequency_std_hz, x.damping_std, x.shape, x.participation, x.phase_collinearity, x.contribution,
        x.gain, x.seen_orders);
}
template <class Archive>
void one(Archive& a, Stage& x) {
  visit(a, x.damping, x.target.frequency_hz, x.target.values, x.target.use, x.target.weight);
}
template <class Archive>
void one(Archive& a, fe::ReducedTerm& x) {
  visit(a, x.exponents, x.matrix);
}
template <class Archive>
void one(Archive& a, fe::ReducedModel& x) {
  visit(a, x.stiffness, x.mass, x.C, x.B, x.parameters);
}
template <class Archive>
void one(Archive& a, Direction& x) {
  visit(a, x.weights, x.std, x.words);
}
template <class Archive>
void one(Archive& a, Gate& x) {
  visit(a, x.std, x.verdict, x.loose, x.covariance, x.information, x.noise_to_response);
}
template <class Archive>
void one(Archive& a, Suggestion& x) {
  visit(a, x.kind, x.label, x.kg, x.std_before, x.std_after, x.parameter);
}
template <class Archive>
void one(Archive& a, Calibration& x) {
  visit(a, x.status, x.reason, x.ratio, x.start_metric, x.metric, x.gradient, x.evaluations, x.gauss_newton, x.history, x.iterations, x.at_bound);
}
template <class Archive>
void one(Archive& a, MultiStart& x) {
  visit(a, x.runs, x.best, x.same_as_best);
}
template <class Archive>
void one(Archive& a, Metrics& x) {
  visit(a, x.calibration, x.validation, x.resolved_calibration, x.resolved_validation);
}
template <class Archive>
void one(Archive& a, TargetNoise& x) {
  visit(a, x.draws, x.std);
}
template <class Archive>
void one(Archive& a, ModesAtSensors& x) {
  visit(a, x.frequency_hz, x.damping, x.shapes);
}
template <class Archive>
void one(Archive& a, ModePair& x) {
  visit(a, x.test, x.model, x.mac, x.moc);
}
template <class Archive>
void one(Archive& a, Pairing& x) {
  visit(a, x.pairs, x.test_alone, x.model_alone, x.mac);
}
template <class Archive>
void one(Archive& a, UncertaintyMethod& x) {
  visit(a, x.name, x.measures, x.std, x.quantile, x.to_reference, x.mean);
}
template <class Archive, class T>
void one(Archive& archive, std::vector<T>& list) {
  auto size = static_cast<double>(list.size());
  archive.number(size);
  list.resize(static_cast<std::size_t>(size));
  for (T& element : list) one(archive, element);
}
template <class Archive>
void one(Archive& a, PartResult& x) {
  visit(a, x.name, x.status, x.reason, x.identified.modes, x.identified.misfit, x.kind, x.outputs, x.inputs, x.output_axes, x.input_axes,
        x.calibration, x.validation, x.stages, x.model, x.basis_modes, x.basis_attachments, x.basis_sensitivities, x.basis_rebuilt,
        x.basis_error_nominal, x.basis_error, x.gate, x.gate_at_optimum, x.suggestions, x.starts, x.optimum, x.metric_before, x.metric,
        x.noise_metric, x.resolved_percent, x.noise, x.test, x.before, x.after, x.pairs_before, x.pairs_after, x.damping_after, x.damped_misfit,
        x.mass_before, x.mass_after, x.uncertainty, x.parameters, x.findings);
}

template <class Archive, class... Members>
void visit(Archive& archive, Members&... members) {
  (one(archive, members), ...);
}

}  // namespace

std::vector<double> packed(const PartResult& part) {
  std::vector<double> row;
  Out archive{row};
  one(archive, const_cast<PartResult&>(part));  // Out reads only
  return row;
}

PartResult unpacked(const std::vector<double>& row) {
  In archive{row};
  PartResult out;
  one(archive, out);
  demand(archive.at == row.size(), "the row of a part is whole");
  return out;
}

}  // namespace kdyn::update::internal
