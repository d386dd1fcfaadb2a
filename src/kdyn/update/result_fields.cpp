// SPDX-License-Identifier: Apache-2.0
#include "kdyn/update/result_fields.hpp"

#include "kdyn/data/dof_field.hpp"

namespace kdyn {

const FieldTable& fields_of(const ModalResult*) {
  using M = ModalResult;
  static const FieldTable table = FieldTable::results<M>("identification", [](FieldTable& t) {
    t.add(&M::modes, "modes", "-", "Identified modes");
    t.add(&M::misfit, "misfit", "-", "Misfit of the responses");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::fe {

const FieldTable& fields_of(const ReducedTerm*) {
  using R = ReducedTerm;
  static const FieldTable table = FieldTable::results<R>("reduced term", [](FieldTable& t) {
    t.add(&R::exponents, "exponents", "-", "Powers of the parameters");
    t.add(&R::matrix, "matrix", "-", "Matrix");
  });
  return table;
}

const FieldTable& fields_of(const ReducedModel*) {
  using R = ReducedModel;
  static const FieldTable table = FieldTable::results<R>("reduced model", [](FieldTable& t) {
    t.add(&R::stiffness, "stiffness", "-", "Terms of the stiffness");
    t.add(&R::mass, "mass", "-", "Terms of the mass");
    t.add(&R::C, "C", "-", "Outputs");
    t.add(&R::B, "B", "-", "Inputs");
    t.add(&R::parameters, "parameters", "-", "How many");
    t.add(&R::loss, "loss", "-", "Nominal loss factors");
    t.add(&R::mode_damping, "mode_damping", "-", "Nominal damping ratios of modes");
  });
  return table;
}

}  // namespace kdyn::fe

namespace kdyn::update {

const FieldTable& fields_of(const Target*) {
  static const FieldTable table = FieldTable::results<Target>("target", [](FieldTable& t) {
    t.add(&Target::frequency_hz, "frequency_hz", "Hz", "Lines");
    t.add(&Target::values, "values", "-", "Responses, lines x channels");
    t.add(&Target::use, "use", "-", "Channels that count");
    t.add(&Target::weight, "weight", "-", "Weights of the samples");
  });
  return table;
}

const FieldTable& fields_of(const Stage*) {
  static const FieldTable table = FieldTable::results<Stage>("stage", [](FieldTable& t) {
    t.add(&Stage::damping, "damping", "-", "Damping ratio");
    t.add(&Stage::target, "target", "-", "Responses of that damping");
  });
  return table;
}

const FieldTable& fields_of(const Direction*) {
  using D = Direction;
  static const FieldTable table = FieldTable::results<D>("direction", [](FieldTable& t) {
    t.add(&D::words, "direction", "-", "Parameters that move together");
    t.add(&D::std, "predicted_std", "-", "Predicted standard deviation, relative");
    t.add(&D::weights, "weights", "-", "Unit vector").archive_only();
  });
  return table;
}

const FieldTable& fields_of(const Gate*) {
  using G = Gate;
  static const FieldTable table = FieldTable::results<G>("gate", [](FieldTable& t) {
    t.add(&G::std, "std", "-", "Predicted standard deviations");
    t.add(&G::verdict, "verdict", "-", "Verdicts").one_of({"determined", "weak", "not determined"});
    t.add(&G::loose, "loose", "-", "What the data cannot determine");
    t.add(&G::covariance, "covariance", "-", "Of the ratios");
    t.add(&G::information, "information", "-", "Fisher information");
    t.add(&G::noise_to_response, "noise_to_response", "-", "Median over channels");
    t.add(&G::sample_variance, "sample_variance", "-", "Of a sample, as it acts on the parameters");
  });
  return table;
}

const FieldTable& fields_of(const Suggestion*) {
  using S = Suggestion;
  static const FieldTable table = FieldTable::results<S>("suggestion", [](FieldTable& t) {
    t.add(&S::kind, "kind", "-", "sensor, input or mass");
    t.add(&S::label, "where", "-", "Point and direction");
    t.add(&S::kg, "kg", "kg", "Mass to add");
    t.add(&S::parameter, "parameter", "-", "Parameter that gains");
    t.add(&S::std_before, "std_before", "-", "Its predicted standard deviation now");
    t.add(&S::std_after, "std_after", "-", "And with it");
  });
  return table;
}

const FieldTable& fields_of(const Calibration*) {
  using C = Calibration;
  static const FieldTable table = FieldTable::results<C>("calibration", [](FieldTable& t) {
    t.add(&C::metric, "metric", "-", "Metric at its end");
    t.add([](const C& c) { return to_string(c.status); }, "status", "-", "How it ended");
    t.add(&C::evaluations, "evaluations", "-", "Evaluations of the model");
    t.add(&C::ratio, "ratio", "-", "Parameters over nominal");
    t.add(&C::status, "status_number", "-", "Status").archive_only();
    t.add(&C::reason, "reason", "-", "Why").archive_only();
    t.add(&C::start_metric, "start_metric", "-", "Metric at its start").archive_only();
    t.add(&C::gradient, "gradient", "-", "Largest projected component").archive_only();
    t.add(&C::gauss_newton, "gauss_newton", "-", "Matrix at the end").archive_only();
    t.add(&C::history, "history", "-", "Metric over the steps").archive_only();
    t.add(&C::iterations, "iterations", "-", "Of each stage").archive_only();
    t.add(&C::at_bound, "at_bound", "-", "Parameters at a bound").archive_only();
  });
  return table;
}

const FieldTable& fields_of(const MultiStart*) {
  using M = MultiStart;
  static const FieldTable table = FieldTable::results<M>("starts", [](FieldTable& t) {
    t.add(&M::runs, "runs", "-", "One of each start");
    t.add(&M::best, "best", "-", "Index of the best");
    t.add(&M::same_as_best, "same_as_best", "-", "How many ended there");
  });
  return table;
}

const FieldTable& fields_of(const Metrics*) {
  using M = Metrics;
  static const FieldTable table = FieldTable::results<M>("metrics", [](FieldTable& t) {
    t.add(&M::calibration, "calibration", "-", "Channels of the calibration");
    t.add(&M::validation, "validation", "-", "Validation channels");
    t.add(&M::resolved_calibration, "resolved_calibration", "-", "The same over resolved samples");
    t.add(&M::resolved_validation, "resolved_validation", "-", "The same over resolved samples");
  });
  return table;
}

const FieldTable& fields_of(const TargetNoise*) {
  using N = TargetNoise;
  static const FieldTable table = FieldTable::results<N>("target noise", [](FieldTable& t) {
    t.add(&N::draws, "draws", "-", "Draws minus the test");
    t.add(&N::std, "std", "-", "Standard deviations");
  });
  return table;
}

const FieldTable& fields_of(const ModesAtSensors*) {
  using M = ModesAtSensors;
  static const FieldTable table = FieldTable::results<M>("modes at sensors", [](FieldTable& t) {
    t.add(&M::frequency_hz, "frequency_hz", "Hz", "Frequencies");
    t.add(&M::damping, "damping", "-", "Damping ratios");
    t.add(&M::shapes, "shapes", "-", "Shapes");
  });
  return table;
}

const FieldTable& fields_of(const ModePair*) {
  using M = ModePair;
  static const FieldTable table = FieldTable::results<M>("pair of modes", [](FieldTable& t) {
    t.add(&M::test, "test", "-", "Index in the test");
    t.add(&M::model, "model", "-", "Index in the model");
    t.add(&M::mac, "mac", "-", "MAC");
    t.add(&M::moc, "moc", "-", "Correlation that punishes frequency too");
  });
  return table;
}

const FieldTable& fields_of(const Pairing*) {
  using P = Pairing;
  static const FieldTable table = FieldTable::results<P>("pairing", [](FieldTable& t) {
    t.add(&P::pairs, "pairs", "-", "Pairs");
    t.add(&P::test_alone, "test_alone", "-", "Modes of the test without partner");
    t.add(&P::model_alone, "model_alone", "-", "Modes of the model without partner");
    t.add(&P::mac, "mac", "-", "Test x model");
  });
  return table;
}

const FieldTable& fields_of(const UncertaintyMethod*) {
  using U = UncertaintyMethod;
  static const FieldTable table = FieldTable::results<U>("uncertainty", [](FieldTable& t) {
    t.add(&U::name, "name", "-", "Method").unless_empty();
    t.add(&U::std, "std_of_ratio", "-", "Standard deviations of the ratios");
    t.add(&U::to_reference, "ratio_to_recalibration", "-",
          "Median over the parameters of std over that of re-calibration");
    t.add(&U::measures, "measures", "-", "What it measures, and what it does not");
    t.add(&U::quantile, "quantile", "-", "Half interval over std").archive_only();
    t.add(&U::mean, "mean", "-", "Over draws").archive_only();
  });
  return table;
}

const FieldTable& fields_of(const ParameterSpread*) {
  using P = ParameterSpread;
  static const FieldTable table = FieldTable::results<P>("parameter of a population", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Parameter").unless_empty();
    t.add(&P::mean, "mean", "as unit says", "Mean over the parts");
    t.add(&P::mean_std, "mean_std", "as unit says", "Its standard deviation");
    t.add(&P::unit, "unit", "-", "Unit");
    t.add(&P::observed_std, "observed_std", "as unit says", "Spread of the estimates");
    t.add(&P::noise_std, "noise_std", "as unit says", "Spread that their uncertainty explains");
    t.add(&P::between_std, "between_std", "as unit says", "Spread from part to part");
    t.add(&P::p_value, "p_value", "-", "Probability of such a spread by uncertainty alone");
  });
  return table;
}

const FieldTable& fields_of(const ChannelFault*) {
  using F = ChannelFault;
  static const FieldTable table = FieldTable::results<F>("channel fault", [](FieldTable& t) {
    t.add(&F::kind, "kind", "-", "What is wrong").one_of({"sign", "swap", "delay", "factor"});
    t.add(&F::force, "force", "-", "A force, else a sensor");
    t.add(&F::index, "index", "-", "Of the outputs or inputs, from 0");
    t.add(&F::other, "other", "-", "With which it is exchanged");
    t.add(&F::value, "value", "-", "Factor of its responses, or their delay in s");
    t.add(&F::before, "metric_before", "-", "Metric of its resolved samples");
    t.add(&F::after, "metric_after", "-", "The same when it is corrected");
  });
  return table;
}

const FieldTable& fields_of(const MeshCheck*) {
  using M = MeshCheck;
  static const FieldTable table = FieldTable::results<M>("mesh check", [](FieldTable& t) {
    t.add(&M::model_to_noise, "model_to_noise", "-", "Misfit over that of noise with the finer mesh");
    t.add(&M::ratio, "ratio", "-", "Optimum with the finer mesh");
    t.add(&M::share, "share", "-", "Share of the metric that the finer mesh takes away");
  });
  return table;
}

const FieldTable& fields_of(const PartResult*) {
  using P = PartResult;
  static const FieldTable table = FieldTable::results<P>("part", [](FieldTable& t) {
    t.add(&P::name, "name", "-", "Part");
    t.add(&P::status, "status", "-", "converged, not_converged or stopped");
    t.add(&P::reason, "reason", "-", "Why");
    t.add(&P::identified, "identified", "-", "Modes of the test");
    t.add(&P::kind, "kind", "-", "Kind of the responses").one_of({"receptance", "mobility", "accelerance"});
    t.add(&P::outputs, "outputs", "-", "Outputs in the model");
    t.add(&P::inputs, "inputs", "-", "Inputs in the model");
    t.add(&P::output_axes, "output_axes", "-", "Directions of the outputs");
    t.add(&P::input_axes, "input_axes", "-", "Directions of the inputs");
    t.add(&P::calibration, "calibration", "-", "Channels of the calibration");
    t.add(&P::validation, "validation", "-", "Validation channels");
    t.add(&P::stages, "stages", "-", "Stages of the continuation in damping");
    t.add(&P::model, "model", "-", "The surrogate the result stands on");
    t.add(&P::basis_modes, "basis_modes", "-", "Modes in the basis");
    t.add(&P::basis_attachments, "basis_attachments", "-", "Attachment vectors");
    t.add(&P::basis_sensitivities, "basis_sensitivities", "-", "Sensitivity vectors");
    t.add(&P::basis_rebuilt, "basis_rebuilt", "-", "How often it was rebuilt");
    t.add(&P::basis_error_nominal, "basis_error_nominal", "-", "Error of the first basis");
    t.add(&P::basis_error, "basis_error", "-", "Error at the end");
    t.add(&P::gate, "gate", "-", "What the data can determine");
    t.add(&P::gate_at_optimum, "gate_at_optimum", "-", "The same at the optimum");
    t.add(&P::suggestions, "suggestions", "-", "What to measure next");
    t.add(&P::starts, "starts", "-", "Calibrations from several starts");
    t.add(&P::optimum, "optimum", "-", "The best of them");
    t.add(&P::metric_before, "metric_before", "-", "Metric of the nominal model");
    t.add(&P::metric, "metric", "-", "Metric of the calibrated model");
    t.add(&P::noise_metric, "noise_metric", "-", "Metric of a retest");
    t.add(&P::resolved_percent, "resolved_percent", "%", "Resolved samples");
    t.add(&P::model_to_noise, "model_to_noise", "-", "Misfit of the model over that of noise");
    t.add(&P::model_error_std, "model_error_std", "-", "Standard deviations by the error of the model");
    t.add(&P::finer_mesh, "finer_mesh", "-", "The same calibration with a mesh twice as fine");
    t.add(&P::likely_error, "likely_error", "-", "What kind of error it looks like");
    t.add(&P::channel_faults, "channel_faults", "-", "What is wrong with single channels");
    t.add(&P::noise, "noise", "-", "Noise of the targets");
    t.add(&P::test, "test", "-", "Modes of the test");
    t.add(&P::before, "before", "-", "Modes of the nominal model");
    t.add(&P::after, "after", "-", "Modes of the calibrated model");
    t.add(&P::pairs_before, "pairs_before", "-", "Pairs before");
    t.add(&P::pairs_after, "pairs_after", "-", "Pairs after");
    t.add(&P::damping_after, "damping_after", "-", "Damping mapped back");
    t.add(&P::own_damping, "own_damping", "-", "Damping ratios of modes beside loss factors");
    t.add(&P::damped_misfit, "damped_misfit", "-", "Misfit of the raw responses");
    t.add(&P::mass_before, "mass_before", "kg", "Mass of the nominal model");
    t.add(&P::mass_after, "mass_after", "kg", "Mass of the calibrated model");
    t.add(&P::uncertainty, "uncertainty", "-", "Methods of uncertainty");
    t.add(&P::parameters, "parameters", "-", "Parameters");
    t.add(&P::findings, "findings", "-", "What was noticed");
  });
  return table;
}

}  // namespace kdyn::update
