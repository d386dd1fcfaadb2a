// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/body_file.hpp"

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"

namespace kdyn::inline modes {
namespace {

constexpr const char* remedy = "give the body.json or body.h5 of kdyn body";
constexpr std::string_view origin_word = "flexible body: ";

Matrix matrix_of(const std::string& name, const Eigen::MatrixXd& A) {
  Matrix out;
  out.name = name;
  out.rows = static_cast<int>(A.rows());
  out.columns = static_cast<int>(A.cols());
  out.symmetric = A.rows() == A.cols();
  out.real.assign(A.data(), A.data() + A.size());
  return out;
}

Eigen::MatrixXd square_from(const MatrixSet& set, const char* name, Eigen::Index size, const std::string& where) {
  const Matrix* found = set.find(name);
  if (found == nullptr || found->is_complex || found->rows != size || found->columns != size)
    throw_bad_input(where, fmt::format("a flexible body needs a real matrix '{}' of {} x {}", name, size, size),
                    remedy);
  const Matrix dense = found->sparse ? to_dense(*found) : *found;
  return Eigen::Map<const Eigen::MatrixXd>(dense.real.data(), size, size);
}

}  // namespace

Store body_store(const FlexibleBody& body) {
  Store out;
  out.modes = mode_set_of(body);
  out.modes->geometry.name = std::string(origin_word) + body.origin;
  for (std::size_t r = 0; r < body.kinds.size(); ++r) out.modes->modes[r].name = body.kinds[r];
  out.matrices.emplace();
  auto& matrices = out.matrices->matrices;
  matrices = {matrix_of("modal_mass", body.modal_mass), matrix_of("modal_stiffness", body.modal_stiffness),
              matrix_of("modal_damping", body.modal_damping), matrix_of("rigid_mass", rigid_mass_matrix(body.rigid))};
  if (!body.interface_dofs.empty()) {
    matrices.push_back(
        matrix_of("interface", Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(body.interface_dofs.size()), 1)));
    matrices.back().row_dofs = body.interface_dofs;
  }
  return out;
}

FlexibleBody body_from_store(const Store& store, const std::string& where) {
  if (!store.modes || store.modes->modes.empty()) throw_bad_input(where, "a flexible body needs modes", remedy);
  if (!store.matrices) throw_bad_input(where, "a flexible body needs its modal matrices", remedy);
  const ModeSet& set = *store.modes;
  const auto n = static_cast<Eigen::Index>(set.modes.size());
  FlexibleBody out;
  out.name = set.name;
  out.geometry = set.geometry;
  if (out.geometry.name.starts_with(origin_word)) {
    out.origin = out.geometry.name.substr(origin_word.size());
    out.geometry.name.clear();
  }
  out.dofs = set.dofs;
  out.shapes.resize(static_cast<Eigen::Index>(set.dofs.size()), n);
  out.frequency_hz.resize(n);
  out.damping.resize(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Mode& mode = set.modes[static_cast<std::size_t>(r)];
    if (mode.shape.size() != set.dofs.size())
      throw_bad_input(
          where,
          fmt::format("mode {} has {} values for {} degrees of freedom", r + 1, mode.shape.size(), set.dofs.size()),
          remedy);
    for (std::size_t i = 0; i < mode.shape.size(); ++i)
      out.shapes(static_cast<Eigen::Index>(i), r) = mode.shape[i].real();
    out.frequency_hz[r] = mode.frequency_hz();
    out.damping[r] = mode.damping_ratio();
    out.kinds.push_back(mode.name);
  }
  out.modal_mass = square_from(*store.matrices, "modal_mass", n, where);
  out.modal_stiffness = square_from(*store.matrices, "modal_stiffness", n, where);
  out.modal_damping = square_from(*store.matrices, "modal_damping", n, where);
  out.rigid = rigid_properties(square_from(*store.matrices, "rigid_mass", 6, where),
                               out.origin.empty() ? "file" : "mass matrix");
  if (const Matrix* interface = store.matrices->find("interface")) out.interface_dofs = interface->row_dofs;
  return out;
}

FlexibleBody read_body(const std::string& path) {
  const std::string content = read_text(path);
  if (looks_like_hdf5(content)) return body_from_store(parse_store(content, path), path);
  return body_from_json(parse_json(content, path), path);
}

}  // namespace kdyn::inline modes
