// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/structure/fe_inputs.hpp"
#include "kdyn/app/structure/fe_jobs.hpp"
#include "kdyn/app/structure/fe_report.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/progress_part.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/data/dof_field.hpp"
#include "kdyn/fe/doctor.hpp"
#include "kdyn/fe/nastran_write.hpp"
#include "kdyn/fe/outline.hpp"
#include "kdyn/fe/reduce.hpp"
#include "kdyn/io/calculix.hpp"
#include "kdyn/io/exchange.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FeJob*) {
  using J = app::FeJob;
  static const FieldTable table = FieldTable::of<J>("fe", [](FieldTable& t) {
    t.add(
         &J::files, "files", "-",
         "Nastran deck, or files with the matrices M and K (OP4, DMIG, CalculiX, Matrix Market, HDF5) and their points")
        .from_words()
        .must_be_given()
        .reads();
    t.add(&J::title, "title", "-", "Title of the report");
    t.add(&J::length_m, "length_m", "m", "Unit of length of a Nastran deck: 0.001 for millimetres").range(1e-9, 1e9);
    t.add(&J::mass_kg, "mass_kg", "kg", "Unit of mass of a Nastran deck: 1000 for tonnes").range(1e-9, 1e9);
    t.add(&J::ignore_cards, "ignore_cards", "-",
          "Cards of a deck that are left out although they may carry stiffness, mass or links, such as CWELD CGAP");
    t.include(&J::modes, field_table<fe::ModesOptions>());
    t.add(&J::reduce, "reduce", "-",
          "Reduction to the interface: static (guyan) or with fixed-interface modes (craig_bampton)")
        .one_of({"none", "guyan", "craig_bampton"});
    t.add(&J::interface_nodes, "interface_nodes", "-",
          "Interface of the reduction: nodes such as 12 (all their directions) or 12+Z");
    t.add(&J::fixed_modes, "fixed_modes", "-", "Craig-Bampton: modes with the interface held").range(1, 2000);
    t.add(&J::write, "write", "-",
          "Files to write: modes.EXT (uff, h5), matrices.EXT and reduced.EXT (h5, op4, mtx, pch, sti), model.bdf (deck "
          "in SI units)");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

struct Reduced {
  Eigen::MatrixXd stiffness, mass;
  std::vector<Dof> dofs;
  std::vector<double> frequency_hz;
  double largest_error = 0.0;  // of the elastic frequencies asked for, where the reduced model has them
};

}  // namespace

struct FeOutput {
  const FeJob& job;
  const fe::Modes& modes;
  const fe::Diagnosis& diagnosis;
  const std::vector<std::string>& derivatives;
  const Reduced* reduced;
  Eigen::Index unknowns;
  std::vector<std::string> files;
  std::vector<Finding> findings;
};

namespace {

struct SturmShown {
  const fe::Modes& of;
};
const FieldTable& fields_of(const SturmShown*) {
  using S = SturmShown;
  static const FieldTable table = FieldTable::results<S>("Sturm check", [](FieldTable& t) {
    t.add([](const S& s) { return s.of.sturm_checked; }, "checked", "-", "Whether the modes were counted");
    t.add([](const S& s) { return s.of.sturm_frequency_hz; }, "frequency_hz", "Hz", "Below this frequency");
    t.add([](const S& s) { return s.of.sturm_count; }, "modes_below", "-", "Modes there are below it");
  });
  return table;
}

struct MassShown {
  double value;
  std::array<double, 3> centre;
  std::array<double, 6> inertia;
  bool whole;
};
const FieldTable& fields_of(const MassShown*) {
  using M = MassShown;
  static const FieldTable table = FieldTable::results<M>("mass", [](FieldTable& t) {
    t.add(&M::value, "value", "kg", "Mass");
    t.add([](const M&) { return "kg"; }, "unit", "-", "Its unit");
    t.add(&M::centre, "centre_m", "m", "Centre of gravity").shown_in("m");
    t.add(&M::inertia, "inertia_kg_m2", "kg*m^2", "Inertia about the centre in global axes: xx, yy, zz, xy, yz, zx");
    t.add(&M::whole, "whole", "-", "Mass at held motions counts too; false: matrices hold free motions only");
  });
  return table;
}

MassShown mass_shown(const fe::Diagnosis& d) {
  const Eigen::Matrix3d& j = d.inertia;
  return {d.mass,
          {d.centre[0], d.centre[1], d.centre[2]},
          {j(0, 0), j(1, 1), j(2, 2), j(0, 1), j(1, 2), j(2, 0)},
          d.whole_mass};
}

struct SolverShown {
  const fe::Modes& of;
};
const FieldTable& fields_of(const SolverShown*) {
  using S = SolverShown;
  static const FieldTable table = FieldTable::results<S>("eigensolver", [](FieldTable& t) {
    t.add([](const S& s) { return to_string(s.of.solver); }, "eigensolver", "-", "Solver that was used");
    t.add([](const S& s) { return s.of.vectors; }, "lanczos_vectors", "-", "Vectors of the Krylov space");
    t.add([](const S& s) { return s.of.factor_entries; }, "factor_entries", "-", "Entries of the factor");
    t.add([](const S& s) { return s.of.expected_bytes; }, "expected_memory_bytes", "-",
          "Memory as estimated before the factorisation; 0: not estimated");
    t.add([](const S& s) { return s.of.analysis_s; }, "analysis_s", "s", "Time of the symbolic factorisation")
        .shown_in("s");
    t.add([](const S& s) { return s.of.factor_s; }, "factor_s", "s", "Time of the factorisation").shown_in("s");
    t.add([](const S& s) { return s.of.lanczos_s; }, "lanczos_s", "s", "Time of the iteration").shown_in("s");
    t.add([](const S& s) { return s.of.sturm_s; }, "sturm_s", "s", "Time of the check").shown_in("s");
  });
  return table;
}

struct ReductionShown {
  const FeJob& job;
  const Reduced& of;
};
const FieldTable& fields_of(const ReductionShown*) {
  using R = ReductionShown;
  static const FieldTable table = FieldTable::results<R>("reduction", [](FieldTable& t) {
    t.add([](const R& r) { return r.job.reduce; }, "method", "-", "How it was reduced")
        .one_of({"none", "guyan", "craig_bampton"});
    t.add([](const R& r) { return r.of.dofs.size(); }, "size", "-", "Degrees of freedom that are left");
    t.add(
        [](const R& r) -> const auto& { return r.of.dofs; }, "dofs", "-", "Their names");
    t.add(
        [](const R& r) -> const auto& { return r.of.frequency_hz; }, "frequencies_hz", "Hz",
        "Natural frequencies of the reduced model");
    t.add([](const R& r) { return r.of.largest_error; }, "largest_frequency_error", "-",
          "Largest relative error of those asked for");
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const FeOutput*) {
  using O = FeOutput;
  static const FieldTable table = FieldTable::results<O>("fe result", [](FieldTable& t) {
    t.add([](const O& o) { return to_string(o.modes.status); }, "status", "-", "converged, not_converged or stopped");
    t.add([](const O& o) { return o.modes.reason; }, "reason", "-", "Why");
    t.add(&O::unknowns, "unknowns", "-", "Unknowns of the model");
    t.add(
        [](const O& o) -> const auto& { return o.modes.frequency_hz; }, "frequencies_hz", "Hz",
        "Natural frequencies, rigid ones first");
    t.add(
        [](const O& o) -> const auto& { return o.modes.residual; }, "residuals", "-", "Residual of each mode");
    t.add([](const O& o) { return o.modes.rigid; }, "rigid_modes", "-", "How many of them are rigid");
    t.add([](const O& o) { return SturmShown{o.modes}; }, "sturm", "-", "Check that no mode is missing");
    t.add([](const O& o) { return o.diagnosis.mass > 0.0 ? std::optional(mass_shown(o.diagnosis)) : std::nullopt; },
          "mass", "-", "Mass, where the points are known")
        .unless_null();
    t.add([](const O& o) { return SolverShown{o.modes}; }, "solver", "-", "How it was solved");
    t.add(
         [](const O& o) -> const auto& { return o.derivatives; }, "derivatives", "-",
         "Parameters that the matrices have derivatives by")
        .unless_empty();
    t.add(
         [](const O& o) {
           return o.reduced != nullptr ? std::optional(ReductionShown{o.job, *o.reduced}) : std::nullopt;
         },
         "reduction", "-", "The reduced model, where one was made")
        .unless_null();
    t.add(&O::files, "files", "-", "Files beside result.json");
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

using Eigen::MatrixXd;

Reduced reduce(const FeJob& job, const fe::SparseMatrix& k, const fe::SparseMatrix& m, const std::vector<Dof>& dofs,
               const std::vector<int>& group_of, const fe::Modes& modes) {
  if (job.interface_nodes.empty())
    throw_bad_input("interface_nodes", "a reduction needs an interface",
                    "give the nodes where other parts connect: 12 or 12+Z");
  const std::vector<int> rows = fe::interface_rows(job.interface_nodes, dofs);
  const MatrixXd basis = fe::craig_bampton_basis(k, m, rows, job.reduce == FeReduction::guyan ? 0 : job.fixed_modes,
                                                 job.modes.eigensolver, group_of);
  Reduced out;
  out.stiffness = basis.transpose() * fe::multiply(k, basis);
  out.mass = basis.transpose() * fe::multiply(m, basis);
  out.stiffness = (0.5 * (out.stiffness + out.stiffness.transpose())).eval();
  out.mass = (0.5 * (out.mass + out.mass.transpose())).eval();
  for (const int row : rows) out.dofs.push_back(dofs[static_cast<std::size_t>(row)]);
  for (Eigen::Index i = static_cast<Eigen::Index>(rows.size()); i < basis.cols(); ++i)
    out.dofs.push_back({0, 0, fmt::format("fixed_mode_{}", i - static_cast<Eigen::Index>(rows.size()) + 1)});
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(out.stiffness, out.mass, Eigen::EigenvaluesOnly);
  if (eigen.info() != Eigen::Success)
    throw_bad_input("interface_nodes", "the reduced mass matrix is not positive definite",
                    "choose interface degrees of freedom that move mass");
  for (Eigen::Index i = 0; i < eigen.eigenvalues().size(); ++i) {
    const double f = std::sqrt(std::max(0.0, eigen.eigenvalues()[i])) / (2.0 * std::numbers::pi);
    const bool both = i < modes.frequency_hz.size();
    out.frequency_hz.push_back(both && modes.frequency_hz[i] == 0.0 ? 0.0 : f);
    if (both && modes.frequency_hz[i] > 0.0)
      out.largest_error = std::max(out.largest_error, std::abs(f / modes.frequency_hz[i] - 1.0));
  }
  return out;
}

// K, M and their derivatives dK_name, dM_name, which stand behind them.
void write_matrices(const std::string& name, const std::vector<Matrix>& all, Outcome& outcome,
                    std::vector<Finding>& findings) {
  const Matrix &k = all[0], &m = all[1];
  const std::filesystem::path path(name);
  const std::string stem = path.stem().string(), extension = lower_case(path.extension().string());
  if (extension == ".sti" || extension == ".mas") {
    outcome.files.push_back({stem + ".sti", calculix_matrix_text(to_sparse(k))});
    outcome.files.push_back({stem + ".mas", calculix_matrix_text(to_sparse(m))});
    outcome.files.push_back({stem + ".dof", calculix_dof_text(k.row_dofs)});
    if (all.size() > 2)
      findings.push_back({Severity::note, "derivatives_left_out", name, "files of CalculiX hold K and M only",
                          "write .h5 or .mtx to keep the derivatives"});
    return;
  }
  Exchange file;
  file.matrices = MatrixSet{};
  file.matrices->matrices = all;
  if (extension == ".mtx") {
    for (const Matrix& matrix : all) {
      ExchangeWriteOptions options;
      options.matrix = matrix.name;
      const bool derivative = &matrix - all.data() > 1;  // the reader finds them by the beginning of the name
      outcome.files.push_back({derivative ? matrix.name + ".mtx" : fmt::format("{}_{}.mtx", stem, matrix.name),
                               exchange_bytes(file, name, options, findings)});
    }
    return;
  }
  outcome.files.push_back({name, exchange_bytes(file, name, {}, findings)});
}

// Global motions of all points that the dofs name, from those of the rows.
ModeSet modes_of_rows(const Geometry& geometry, const std::vector<Dof>& dofs, const fe::Modes& modes) {
  ModeSet set;
  set.scaling = ModeScaling::unit_modal_mass;
  set.geometry = geometry;
  set.dofs = dofs;
  if (set.dofs.empty())
    for (Eigen::Index i = 0; i < modes.shapes.rows(); ++i) set.dofs.push_back({i + 1, 0, {}});
  for (Eigen::Index j = 0; j < modes.shapes.cols(); ++j) {
    Mode mode;
    mode.pole = pole_of(std::max(0.0, modes.frequency_hz[j]), 0.0);
    mode.modal_mass = 1.0;
    for (Eigen::Index i = 0; i < modes.shapes.rows(); ++i) mode.shape.emplace_back(modes.shapes(i, j), 0.0);
    set.modes.push_back(std::move(mode));
  }
  return set;
}

// What is animated: surface and edges of a mesh (of very large ones the outline) with as many modes as keep the report
// small.
ModeSet drawn_modes(const FeSource& source, const fe::Assembly& assembly, const std::vector<Dof>& dofs,
                    fe::Modes modes) {
  const std::vector<std::array<int, 2>> lines =
      source.model ? fe::outline(*source.model) : std::vector<std::array<int, 2>>();
  const Geometry drawing = source.model ? fe::outline_geometry(*source.model, lines) : source.geometry;
  const auto points = static_cast<Eigen::Index>(std::max<std::size_t>(1, drawing.nodes.size()));
  const Eigen::Index most = std::clamp<Eigen::Index>(80000 / points, 4, 40);
  const Eigen::Index first = modes.rigid < modes.shapes.cols() ? modes.rigid : 0,
                     count = std::min(most, modes.shapes.cols() - first);
  modes.shapes = modes.shapes.middleCols(first, count).eval();
  modes.frequency_hz = modes.frequency_hz.segment(first, count).eval();
  ModeSet set;
  if (source.model) {
    std::set<std::int64_t> drawn;
    for (const GeometryNode& node : drawing.nodes) drawn.insert(node.label);
    std::vector<int> nodes;
    for (std::size_t i = 0; i < source.model->nodes.size(); ++i)
      if (drawn.contains(source.model->nodes[i].label)) nodes.push_back(static_cast<int>(i));
    set = fe::mode_set_of(*source.model, assembly, modes, nodes);
    set.geometry = drawing;
  } else {
    set = modes_of_rows(drawing, dofs, modes);
  }
  for (Eigen::Index j = 0; j < count; ++j)
    set.modes[static_cast<std::size_t>(j)].name =
        fmt::format("Mode {}: {:.4g} Hz", first + j + 1, modes.frequency_hz[j]);
  return set;
}

// Models of matrices have terms of one parameter each.
void add_derivatives(const char* prefix, const std::vector<std::string>& names,
                     const std::vector<fe::AffineTerm>& terms, const std::vector<Dof>& dofs, std::vector<Matrix>& to) {
  for (const fe::AffineTerm& term : terms)
    for (std::size_t p = 0; p < names.size(); ++p)
      if (term.exponents[p] != 0) to.push_back(fe::exchange_matrix(prefix + names[p], term.matrix, dofs));
}

void write_files(const FeJob& job, const FeSource& source, const fe::Assembly& assembly,
                 const fe::AffineMatrices& affine, const fe::SparseMatrix& k, const fe::SparseMatrix& m,
                 const std::vector<Dof>& dofs, const fe::Modes& modes, const Reduced* reduced, Outcome& outcome,
                 std::vector<Finding>& findings) {
  for (const std::string& name : job.write) {
    const std::string stem = lower_case(std::filesystem::path(name).stem().string());
    if (std::filesystem::path(name).has_parent_path())
      throw_bad_input("write", fmt::format("{} names a folder", in_quotes(name)),
                      "give bare file names; they go to the output folder");
    if (stem == "modes") {
      Exchange file;
      file.modes =
          source.model ? fe::mode_set_of(*source.model, assembly, modes) : modes_of_rows(source.geometry, dofs, modes);
      outcome.files.push_back({name, exchange_bytes(file, name, {}, findings)});
    } else if (stem == "matrices") {
      std::vector<Matrix> all = {fe::exchange_matrix("K", k, dofs), fe::exchange_matrix("M", m, dofs)};
      add_derivatives("dK_", affine.parameters, affine.stiffness, dofs, all);
      add_derivatives("dM_", affine.parameters, affine.mass, dofs, all);
      write_matrices(name, all, outcome, findings);
    } else if (stem == "reduced" && reduced != nullptr) {
      write_matrices(name,
                     {fe::exchange_matrix("K", reduced->stiffness, reduced->dofs),
                      fe::exchange_matrix("M", reduced->mass, reduced->dofs)},
                     outcome, findings);
    } else if (stem == "model" && source.model) {
      outcome.files.push_back({name, fe::nastran_text(*source.model)});
    } else {
      throw_bad_input("write", fmt::format("{} cannot be written from this job", in_quotes(name)),
                      "names begin with modes, matrices, reduced (with a reduction) or model (from a Nastran deck)");
    }
  }
}

}  // namespace

Outcome fe_job(const FeJob& job, Progress& progress) {
  progress.report(0.0, "reading");
  FeSource source = read_fe_source(job.files, {job.length_m, job.mass_kg, job.ignore_cards});
  const std::string& where = job.files.front();
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(where).stem().string();
  progress.report(0.05, "assembling");
  fe::Assembly assembly;
  if (source.model) assembly = fe::assemble(*source.model);
  const fe::AffineMatrices& affine = source.model ? assembly.matrices : source.matrices.matrices;
  const std::vector<Dof>& dofs = source.model ? assembly.map.dofs : source.matrices.dofs;
  const std::vector<int>& group_of = source.model ? assembly.map.node_of : source.matrices.group_of;
  const fe::SparseMatrix k = affine.stiffness_at(), m = affine.mass_at();
  fe::Diagnosis diagnosis =
      fe::examine(k, m, dofs, source.geometry, where, source.model ? &assembly.rigid_mass : nullptr);
  for (const Finding& f : diagnosis.findings)
    if (f.code == "no_stiffness_no_mass" || f.code == "negative_diagonal")
      throw Error(ErrorCode::bad_input, f.message, f.where, f.remedy);
  progress.report(0.1, "modes");
  ProgressPart part(progress, 0.1, 0.9);
  const bool has_mass = m.nonZeros() > 0 && !m.coeffs().isZero(0.0);
  fe::Modes modes;
  if (has_mass)
    modes = fe::find_modes(k, m, group_of, job.modes, {}, part);
  else
    modes.shapes.resize(k.rows(), 0);
  fe::examine_modes(modes, dofs, where, diagnosis);
  std::vector<Finding> findings = source.findings;
  findings.insert(findings.end(), diagnosis.findings.begin(), diagnosis.findings.end());
  if ((source.asked_modes > 0 && source.asked_modes != job.modes.count) ||
      (source.asked_max_frequency_hz > 0.0 && source.asked_max_frequency_hz != job.modes.max_frequency_hz))
    findings.push_back(
        {Severity::note, "eigrl", where,
         fmt::format(
             "EIGRL of the deck asks for {}{}; the options of the job count",
             source.asked_modes > 0 ? fmt::format("{} modes", source.asked_modes) : "modes",
             source.asked_max_frequency_hz > 0.0 ? fmt::format(" up to {:.6g} Hz", source.asked_max_frequency_hz) : ""),
         "give count and max_frequency_hz to follow the deck"});
  if (!has_mass)
    findings.push_back({Severity::warning, "no_mass", where, "the model has no mass, so it has no natural frequencies",
                        "give the materials a density (RHO of MAT1), or masses"});
  if (assembly.held_without_stiffness > 0)
    findings.push_back({Severity::note, "held", where,
                        fmt::format("{} motions that nothing gives stiffness or mass to are held at zero",
                                    assembly.held_without_stiffness),
                        "nothing; Nastran's AUTOSPC does the same"});
  if (assembly.held_with_mass > 0)
    findings.push_back(
        {Severity::warning, "held_with_mass", where,
         fmt::format("{} motions that have mass, but no stiffness, are held at zero", assembly.held_with_mass),
         "connect the masses; PARAM,AUTOSPC,NO leaves them free, as modes of zero frequency"});
  Outcome outcome;
  outcome.inputs = source.inputs;
  std::optional<Reduced> reduced;
  if (job.reduce != FeReduction::none && modes.status != fe::ModesStatus::stopped) {
    progress.report(0.9, "reducing");
    reduced = reduce(job, k, m, dofs, group_of, modes);
  }
  write_files(job, source, assembly, affine, k, m, dofs, modes, reduced ? &*reduced : nullptr, outcome, findings);

  const bool converged = modes.status == fe::ModesStatus::converged;
  outcome.complete = converged;
  to_json_fields(FeOutput{job, modes, diagnosis, affine.parameters, reduced ? &*reduced : nullptr, k.rows(),
                          names_of(outcome.files), findings},
                 outcome.result);

  outcome.text = fmt::format("{}: {} unknowns, {} rigid and {} elastic modes\n", to_string(modes.status), k.rows(),
                             modes.rigid, modes.frequency_hz.size() - modes.rigid);
  if (!modes.reason.empty()) outcome.text += "  " + modes.reason + "\n";
  for (Eigen::Index i = modes.rigid; i < std::min<Eigen::Index>(modes.frequency_hz.size(), modes.rigid + 10); ++i)
    outcome.text += fmt::format("  mode {:3}  {:12.6g} Hz\n", i + 1, modes.frequency_hz[i]);
  if (modes.sturm_checked)
    outcome.text += fmt::format("  Sturm check: {} modes below {:.6g} Hz, {}\n", modes.sturm_count,
                                modes.sturm_frequency_hz, converged ? "all found" : "not all found");
  if (reduced)
    outcome.text += fmt::format("  reduced to {} degrees of freedom, frequencies within {:.3g} %\n",
                                reduced->dofs.size(), 100.0 * reduced->largest_error);
  outcome.text += findings_text(findings);

  FeReportInput facts{title,
                      static_cast<int>(k.rows()),
                      diagnosis,
                      modes,
                      drawn_modes(source, assembly, dofs, modes),
                      findings,
                      {},
                      0.0,
                      0};
  if (reduced) {
    facts.reduced_hz = reduced->frequency_hz;
    facts.reduction_error = reduced->largest_error;
    facts.reduced_size = static_cast<int>(reduced->dofs.size());
  }
  outcome.document = fe_report(facts);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
