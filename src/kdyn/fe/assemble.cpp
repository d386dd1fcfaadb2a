// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/assemble.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/beam.hpp"
#include "kdyn/fe/internal/parameter_powers.hpp"
#include "kdyn/fe/internal/symmetric_sum.hpp"
#include "kdyn/fe/power_product.hpp"
#include "kdyn/fe/shell.hpp"
#include "kdyn/fe/solid.hpp"

namespace kdyn::fe {
namespace {

using internal::at;
using internal::Exponents;
using internal::Powers;

// The sums of one kind of matrix, one per combination of exponents.
class Terms {
 public:
  explicit Terms(const DofMap& map) : map_(map) {}
  int index(const Exponents& exponents) {
    const auto [found, fresh] = places_.emplace(exponents, static_cast<int>(sums_.size()));
    if (fresh) {
      sums_.push_back(std::make_unique<internal::SymmetricSum>(map_.first, map_.node_of));
      exponents_.push_back(exponents);
    }
    return found->second;
  }
  internal::SymmetricSum& sum(int term) { return *sums_[at(term)]; }
  void freeze() {
    for (auto& sum : sums_) sum->freeze();
  }
  std::vector<AffineTerm> take() {
    std::vector<AffineTerm> out;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      AffineTerm term{exponents_[i], sums_[i]->take()};
      sums_[i].reset();
      if (term.matrix.nonZeros() > 0) out.push_back(std::move(term));
    }
    return out;
  }

 private:
  const DofMap& map_;
  std::map<Exponents, int> places_;
  std::vector<std::unique_ptr<internal::SymmetricSum>> sums_;
  std::vector<Exponents> exponents_;
};

// Unknowns of a list of motions (6 * node + component, global axes), and how the motions follow from them where they
// are combined.
struct Footing {
  std::vector<int> unknowns;
  std::vector<int> rows;        // plain: rows of the element matrix that are unknowns
  Eigen::MatrixXd combination;  // motions x unknowns; empty when plain
};
void find_footing(const DofMap& map, const std::vector<int>& motions, Footing& out) {
  out.unknowns.clear(), out.rows.clear();
  out.combination.resize(0, 0);
  bool plain = true;
  for (std::size_t i = 0; i < motions.size() && plain; ++i) plain = map.equation[at(motions[i])] != DofMap::combined;
  if (plain) {
    for (std::size_t i = 0; i < motions.size(); ++i)
      if (const int q = map.equation[at(motions[i])]; q >= 0)
        out.unknowns.push_back(q), out.rows.push_back(static_cast<int>(i));
    return;
  }
  const auto each = [&](auto&& work) {
    for (std::size_t i = 0; i < motions.size(); ++i) {
      const int q = map.equation[at(motions[i])];
      if (q >= 0) work(static_cast<int>(i), q, 1.0);
      if (q == DofMap::combined)
        for (const auto& [unknown, factor] : map.combinations.at(motions[i]))
          work(static_cast<int>(i), unknown, factor);
    }
  };
  each([&](int, int q, double) { out.unknowns.push_back(q); });
  std::sort(out.unknowns.begin(), out.unknowns.end());
  out.unknowns.erase(std::unique(out.unknowns.begin(), out.unknowns.end()), out.unknowns.end());
  out.combination.setZero(static_cast<Eigen::Index>(motions.size()), static_cast<Eigen::Index>(out.unknowns.size()));
  each([&](int row, int q, double factor) {
    out.combination(row, std::lower_bound(out.unknowns.begin(), out.unknowns.end(), q) - out.unknowns.begin()) +=
        factor;
  });
}

class Assembler {
 public:
  Assembler(const Model& model, const std::vector<Parameter>& parameters) : model_(model), powers_(model, parameters) {
    for (const Property& p : model.properties) {
      if (p.material < 0 || at(p.material) >= model.materials.size())
        throw_bad_input(fmt::format("property {}", p.label), "it has no material", "give it the label of a material");
      const Material& m = model.materials[at(p.material)];
      const Exponents e = powers_.with(powers_.none(), ParameterKind::young, m.label, 0, 1);
      const Exponents rho = powers_.with(powers_.none(), ParameterKind::density, m.label, 0, 1);
      keys_.push_back({e, powers_.with(e, ParameterKind::thickness, p.label, 0, 1),
                       powers_.with(e, ParameterKind::thickness, p.label, 0, 3), rho,
                       powers_.with(rho, ParameterKind::thickness, p.label, 0, 1),
                       powers_.with(rho, ParameterKind::thickness, p.label, 0, 3)});
    }
  }

  Assembly run() {
    const std::vector<unsigned> touched = touch();
    std::vector<unsigned> held(model_.nodes.size(), 0u);
    Assembly out;
    for (;;) {
      out.map = make_dof_map(model_, touched, held);
      if (out.map.unknowns == 0)
        throw_bad_input("model", "it has no unknown motion", "add elements, or remove supports");
      build(out);
      if (!hold_loose(out, held)) break;
    }
    out.matrices.nominal =
        Eigen::Map<const Eigen::VectorXd>(powers_.nominal.data(), static_cast<Eigen::Index>(powers_.nominal.size()));
    return out;
  }

 private:
  struct Keys {
    Exponents stiffness, stiffness_t, stiffness_ttt, mass, mass_t, mass_ttt;
  };

  std::vector<unsigned> touch() const {
    std::vector<unsigned> touched(model_.nodes.size(), 0u);
    for (const Element& e : model_.elements)
      for (int i = 0; i < node_count(e.shape); ++i) touched[at(e.nodes[at(i)])] |= is_solid(e.shape) ? 0x7u : 0x3fu;
    for (const Spring& s : model_.springs)
      for (const int n : {s.a, s.b})
        if (n >= 0) touched[at(n)] |= 0x3fu;
    for (const ScalarSpring& s : model_.scalar_springs) {
      if (s.node_a >= 0) touched[at(s.node_a)] |= 1u << s.component_a;
      if (s.node_b >= 0) touched[at(s.node_b)] |= 1u << s.component_b;
    }
    for (const PointMass& m : model_.masses) touched[at(m.node)] |= 0x3fu;
    for (const RigidLink& link : model_.rigid_links) touched[at(link.master)] |= 0x3fu;
    for (const AverageLink& link : model_.average_links)
      for (const auto& member : link.members) touched[at(member.node)] |= member.components;
    for (const DirectTerm& x : model_.entries)
      for (const int motion : {x.a, x.b}) touched[at(motion / 6)] |= 1u << (motion % 6);
    for (const LinearConstraint& constraint : model_.constraints)
      for (const auto& part : constraint.parts) touched[at(part.node)] |= 1u << part.component;
    return touched;
  }

  // Motions whose diagonal is zero in every term have neither stiffness nor mass. Of a deck, also the directions of a
  // node that nothing gives stiffness to: the component nearest to such a direction is held (Nastran: AUTOSPC).
  bool hold_loose(Assembly& out, std::vector<unsigned>& held) const {
    Eigen::VectorXd stiff = Eigen::VectorXd::Zero(out.map.unknowns), heavy = stiff;
    for (const AffineTerm& term : out.matrices.stiffness) stiff += term.matrix.diagonal().cwiseAbs();
    for (const AffineTerm& term : out.matrices.mass) heavy += term.matrix.diagonal().cwiseAbs();
    bool any = false;
    const auto hold = [&](int q) {
      unsigned& mask = held[at(out.map.node_of[at(q)])];
      const unsigned bit = 1u << (out.map.dofs[at(q)].direction - 1);
      if (mask & bit) return;
      mask |= bit, any = true;
      ++(heavy[q] == 0.0 ? out.held_without_stiffness : out.held_with_mass);
    };
    for (int q = 0; q < out.map.unknowns; ++q)
      if (stiff[q] == 0.0 && (heavy[q] == 0.0 || model_.hold_loose_mass)) hold(q);
    if (any || !model_.hold_loose_mass) return any;
    // Directions across the axes: three unknowns of one kind at a node.
    for (std::size_t n = 0; n + 1 < out.map.first.size(); ++n)
      for (const bool turns : {false, true}) {
        std::vector<int> rows;
        for (int q = out.map.first[n]; q < out.map.first[n + 1]; ++q)
          if ((out.map.dofs[at(q)].direction > 3) == turns) rows.push_back(q);
        if (rows.size() < 2) continue;
        const auto size = static_cast<Eigen::Index>(rows.size());
        Eigen::Matrix3d block = Eigen::Matrix3d::Zero();
        for (const AffineTerm& term : out.matrices.stiffness)
          for (Eigen::Index j = 0; j < size; ++j)
            for (Eigen::Index i = j; i < size; ++i)
              block(i, j) += term.matrix.coeff(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(Eigen::MatrixXd(block.topLeftCorner(size, size)));
        constexpr double nothing = 1e-11;  // of the stiffest direction of the node: rounding, not thin plates
        for (Eigen::Index k = 0; k < size; ++k) {
          if (eigen.eigenvalues()[k] > nothing * eigen.eigenvalues()[size - 1]) continue;
          Eigen::Index row = 0;
          eigen.eigenvectors().col(k).cwiseAbs().maxCoeff(&row);
          hold(rows[static_cast<std::size_t>(row)]);
        }
      }
    return any;
  }

  void motions_of(const int* nodes, int count, int per_node) {
    motions_.clear();
    for (int i = 0; i < count; ++i)
      for (int c = 0; c < per_node; ++c) motions_.push_back(6 * nodes[i] + c);
  }

  // First pass: announces where numbers will go (matrix is null); second pass: adds them.
  void deliver(Terms& terms, const Exponents& key, const Eigen::Ref<const Eigen::MatrixXd>* matrix, double factor) {
    if (footing_.unknowns.empty()) return;
    internal::SymmetricSum& sum = terms.sum(terms.index(key));
    if (!matrix) {
      sum.announce(footing_.unknowns);
      return;
    }
    if (footing_.combination.size() > 0) {
      scratch_.noalias() = footing_.combination.transpose() * (*matrix * footing_.combination);
      sum.add(footing_.unknowns, scratch_, factor);
    } else if (footing_.rows.size() == at(static_cast<int>(matrix->rows()))) {
      sum.add(footing_.unknowns, *matrix, factor);
    } else {
      scratch_ = (*matrix)(footing_.rows, footing_.rows);
      sum.add(footing_.unknowns, scratch_, factor);
    }
  }
  void stiffness(const Exponents& key, const Eigen::Ref<const Eigen::MatrixXd>& m) {
    deliver(*k_, key, numbers_ ? &m : nullptr, 1.0);
  }
  void mass(const Exponents& key, const Eigen::Ref<const Eigen::MatrixXd>& m) {
    if (numbers_) weigh(m);
    deliver(*m_, key, numbers_ ? &m : nullptr, model_.mass_factor);
  }

  // Motions of nodes as those of a rigid body about the origin; held ones count too.
  void weigh(const Eigen::Ref<const Eigen::MatrixXd>& m) {
    rigid_.resize(static_cast<Eigen::Index>(motions_.size()), 6);
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      const Node& node = model_.nodes[at(motions_[i] / 6)];
      const auto row = static_cast<Eigen::Index>(i);
      const int c = motions_[i] % 6;
      rigid_.row(row).setZero();
      if (node.scalar) continue;
      rigid_(row, c) = 1.0;
      if (c > 2) continue;
      const int y = (c + 1) % 3, z = (c + 2) % 3;  // u_c = t_c + theta_y x_z - theta_z x_y
      rigid_(row, 3 + y) = node.position[z], rigid_(row, 3 + z) = -node.position[y];
    }
    rigid_mass_.noalias() += model_.mass_factor * (rigid_.transpose() * (m * rigid_));
  }

  // Parts with one key are added up first: one pass through the sparse matrix instead of two.
  template <class Matrices>
  void shell(const Keys& keys, Matrices& m, bool added) {
    if (keys.stiffness_t == keys.stiffness_ttt) {
      if (numbers_) m.k_linear += m.k_cubic;
      stiffness(keys.stiffness_t, m.k_linear);
    } else {
      stiffness(keys.stiffness_t, m.k_linear);
      stiffness(keys.stiffness_ttt, m.k_cubic);
    }
    const bool same = keys.mass_t == keys.mass_ttt;
    if (numbers_ && same && model_.consistent_mass) m.m_linear += m.m_cubic;
    const bool merged = added && keys.mass_t == powers_.none();
    if (numbers_ && merged) m.m_linear += m.m_added;
    mass(keys.mass_t, m.m_linear);
    if (!same && model_.consistent_mass) mass(keys.mass_ttt, m.m_cubic);
    if (added && !merged) mass(powers_.none(), m.m_added);
  }

  void element(const Element& e) {
    const Property& p = model_.properties[at(e.property)];
    const Material& material = model_.materials[at(p.material)];
    const Keys& keys = keys_[at(e.property)];
    const int count = node_count(e.shape);
    motions_of(e.nodes.data(), count, is_solid(e.shape) ? 3 : 6);
    find_footing(*map_, motions_, footing_);
    if (footing_.unknowns.empty() && !numbers_) return;
    static const ElementDetail plain;
    const ElementDetail& detail = e.detail < 0 ? plain : model_.details[at(e.detail)];
    const double added = p.added_mass + detail.added_mass;
    const auto place = [&](int i) -> const Eigen::Vector3d& { return model_.nodes[at(e.nodes[at(i)])].position; };
    if (is_shell(e.shape)) {
      const double shear = material.shear > 0.0 ? material.shear : 0.5 * material.young / (1.0 + material.poisson);
      ShellInput in{material.young,        material.poisson, shear, material.density,
                    p.thickness,           p.offset,         added, model_.drilling_factor,
                    model_.consistent_mass};
      in.bending_ratio = p.bending_ratio, in.shear_ratio = p.shear_ratio;
      if (p.shell_law >= 0) in.law = &model_.shell_laws[at(p.shell_law)];
      in.angle = detail.angle;
      if (detail.thickness[0] > 0.0)
        for (std::size_t i = 0; i < 4; ++i) in.corners[i] = detail.thickness[i] / p.thickness;
      if (e.shape == Shape::quad4) {
        ShellMatrices<24>& m = quad_;
        if (numbers_) {
          Eigen::Matrix<double, 3, 4> corners;
          for (int i = 0; i < 4; ++i) corners.col(i) = place(i);
          m = shell_quad(corners, in);
        }
        shell(keys, m, added != 0.0);
      } else if (e.shape != Shape::tria3) {
        ShellMatricesOfAnySize& m = curved_;
        if (numbers_) {
          Eigen::Matrix3Xd nodes(3, count);
          for (int i = 0; i < count; ++i) nodes.col(i) = place(i);
          m = shell_quadratic(nodes, in);
        }
        shell(keys, m, added != 0.0);
      } else {
        ShellMatrices<18>& m = triangle_;
        if (numbers_) {
          Eigen::Matrix3d corners;
          for (int i = 0; i < 3; ++i) corners.col(i) = place(i);
          m = shell_triangle(corners, in);
        }
        shell(keys, m, added != 0.0);
      }
    } else if (is_solid(e.shape)) {
      SolidMatrices m;
      if (numbers_) {
        Eigen::Matrix3Xd corners(3, count);
        for (int i = 0; i < count; ++i) corners.col(i) = place(i);
        SolidInput in{material.young, material.poisson, material.density, model_.consistent_mass};
        if (p.solid_law >= 0) in.law = &model_.solid_laws[at(p.solid_law)];
        m = solid_element(e.shape, corners, in);
      }
      stiffness(keys.stiffness, m.stiffness);
      mass(keys.mass, m.mass);
    } else {
      BeamMatrices m;
      const BeamLaw* law = p.beam_law < 0 ? nullptr : &model_.beam_laws[at(p.beam_law)];
      if (numbers_) m = beam_element(place(0), place(1), e, p, material, model_.consistent_mass, law, detail);
      stiffness(keys.stiffness, m.stiffness);
      mass(keys.mass, m.mass);
      if (added != 0.0 || law) mass(powers_.none(), m.added_mass);
    }
  }

  void spring(const Spring& s) {
    const int nodes[2] = {s.a, s.b};
    const int count = s.b < 0 ? 1 : 2;
    motions_of(nodes, count, 6);
    find_footing(*map_, motions_, footing_);
    if (footing_.unknowns.empty()) return;
    const Eigen::Vector3d& a = model_.nodes[at(s.a)].position;
    const Eigen::Matrix<double, 12, 6> directions =
        spring_directions(s, a, s.b < 0 ? a : model_.nodes[at(s.b)].position);
    for (int c = 0; c < 6; ++c) {
      if (s.stiffness[c] == 0.0) continue;
      const Eigen::VectorXd b = directions.col(c).head(6 * count);
      const Eigen::MatrixXd k = s.stiffness[c] * b * b.transpose();
      stiffness(powers_.with(powers_.none(), ParameterKind::spring, s.label, c, 1), k);
    }
  }

  // Components of scalar springs are in the frames of the nodes.
  void scalar_spring(const ScalarSpring& s) {
    std::vector<int> nodes;
    for (const int n : {s.node_a, s.node_b})
      if (n >= 0) nodes.push_back(n);
    motions_of(nodes.data(), static_cast<int>(nodes.size()), 6);
    find_footing(*map_, motions_, footing_);
    if (footing_.unknowns.empty()) return;
    Eigen::VectorXd b = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(motions_.size()));
    const auto fill = [&](int node, int component, double sign, int first) {
      if (node < 0) return;
      const int frame = model_.nodes[at(node)].frame;
      Eigen::Vector3d axis = Eigen::Vector3d::Unit(component % 3);
      if (frame >= 0) axis = model_.frames[at(frame)].col(component % 3);
      b.segment<3>(first + 3 * (component / 3)) = sign * axis;
    };
    fill(s.node_a, s.component_a, -1.0, 0);
    fill(s.node_b, s.component_b, 1.0, s.node_a >= 0 ? 6 : 0);
    const Eigen::MatrixXd k = s.stiffness * b * b.transpose();
    stiffness(powers_.with(powers_.none(), ParameterKind::scalar_spring, s.label, 0, 1), k);
  }

  void point(const PointMass& m) {
    motions_of(&m.node, 1, 6);
    find_footing(*map_, motions_, footing_);
    const Matrix6 six = point_mass(m);
    mass(powers_.with(powers_.none(), ParameterKind::point_mass, m.label, 0, 1), six);
  }

  // Direction of a motion in the frame of its node, by the global components of that node. [fe E38]
  Vector6 direction(int motion) const {
    const int c = motion % 6, frame = model_.nodes[at(motion / 6)].frame;
    Vector6 out = Vector6::Zero();
    out.segment<3>(3 * (c / 3)) = frame < 0 ? Eigen::Vector3d(Eigen::Vector3d::Unit(c % 3))
                                            : Eigen::Vector3d(model_.frames[at(frame)].col(c % 3));
    return out;
  }
  void entry(const DirectTerm& x) {
    const int nodes[2] = {x.a / 6, x.b / 6};
    const int count = nodes[0] == nodes[1] ? 1 : 2;
    motions_of(nodes, count, 6);
    find_footing(*map_, motions_, footing_);
    Eigen::MatrixXd k = Eigen::MatrixXd::Zero(6 * count, 6 * count);
    if (numbers_) {
      const Vector6 a = direction(x.a), b = direction(x.b);
      const int second = 6 * (count - 1);
      k.block<6, 6>(0, second) += x.value * a * b.transpose();
      if (x.a != x.b) k.block<6, 6>(second, 0) += x.value * b * a.transpose();
    }
    x.mass ? mass(powers_.none(), k) : stiffness(powers_.none(), k);
  }

  void pass() {
    for (const Element& e : model_.elements) {
      try {
        element(e);
      } catch (const Error& error) {
        throw_bad_input(fmt::format("element {}", e.label), error.message(), error.remedy());
      }
    }
    for (const Spring& s : model_.springs) spring(s);
    for (const ScalarSpring& s : model_.scalar_springs) scalar_spring(s);
    for (const PointMass& m : model_.masses) point(m);
    for (const DirectTerm& x : model_.entries) entry(x);
  }

  void build(Assembly& out) {
    map_ = &out.map;
    Terms k(out.map), m(out.map);
    k_ = &k, m_ = &m;
    k.index(powers_.none()), m.index(powers_.none());
    numbers_ = false;
    pass();
    k.freeze(), m.freeze();
    numbers_ = true;
    rigid_mass_.setZero();
    pass();
    out.rigid_mass = rigid_mass_;
    out.matrices.stiffness = k.take();
    out.matrices.mass = m.take();
    for (const auto* terms : {&out.matrices.stiffness, &out.matrices.mass})
      for (const AffineTerm& term : *terms)
        if (!term.matrix.coeffs().allFinite())
          throw_bad_input(
              "model",
              "positions, sections or stiffnesses are so large or small that a matrix entry is no finite number",
              "check the units and the powers of ten of the deck");
  }

  const Model& model_;
  Powers powers_;
  std::vector<Keys> keys_;
  const DofMap* map_ = nullptr;
  Terms *k_ = nullptr, *m_ = nullptr;
  bool numbers_ = false;
  std::vector<int> motions_;
  Footing footing_;
  ShellMatrices<24> quad_;
  ShellMatrices<18> triangle_;
  ShellMatricesOfAnySize curved_;
  Eigen::Matrix<double, Eigen::Dynamic, 6> rigid_;
  Matrix6 rigid_mass_ = Matrix6::Zero();
  Eigen::MatrixXd scratch_;
};

SparseMatrix sum_at(const std::vector<AffineTerm>& terms, const Eigen::VectorXd& ratio, int size) {
  SparseMatrix out(size, size);
  for (std::size_t q = 0; q < terms.size(); ++q) {
    const double factor = ratio.size() ? terms[q].factor(ratio) : 1.0;
    if (q == 0)
      out = factor == 1.0 ? terms[q].matrix : SparseMatrix(factor * terms[q].matrix);
    else
      out = SparseMatrix(out + factor * terms[q].matrix);
  }
  return out;
}

}  // namespace

const char* to_string(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::thickness: return "thickness";
    case ParameterKind::young: return "young";
    case ParameterKind::density: return "density";
    case ParameterKind::spring: return "spring";
    case ParameterKind::scalar_spring: return "scalar_spring";
    case ParameterKind::point_mass: return "point_mass";
  }
  return "";
}

double AffineTerm::factor(const Eigen::VectorXd& ratio) const { return power_product(exponents, ratio); }
double AffineTerm::derivative(const Eigen::VectorXd& ratio, int index) const {
  return power_product_derivative(exponents, ratio, index);
}

int AffineMatrices::size() const { return stiffness.empty() ? 0 : static_cast<int>(stiffness.front().matrix.rows()); }
SparseMatrix AffineMatrices::stiffness_at(const Eigen::VectorXd& ratio) const {
  return sum_at(stiffness, ratio, size());
}
SparseMatrix AffineMatrices::mass_at(const Eigen::VectorXd& ratio) const { return sum_at(mass, ratio, size()); }

Assembly assemble(const Model& model, const std::vector<Parameter>& parameters) {
  Assembly out = Assembler(model, parameters).run();
  for (const Parameter& p : parameters) out.matrices.parameters.push_back(p.name);
  return out;
}

Eigen::MatrixXd multiply(const SparseMatrix& lower, const Eigen::MatrixXd& block) {
  return lower.selfadjointView<Eigen::Lower>() * block;
}

}  // namespace kdyn::fe
