// SPDX-License-Identifier: Apache-2.0
// Makes a model from the cards of a deck, in the order in which they need each other. Each group of cards has a file of
// its own: nastran_nodes, _properties, _elements, _springs, _panels, _links, _added_mass.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kdyn/fe/nastran_model.hpp"

namespace kdyn::fe::internal {

class NastranBuilder {
 public:
  NastranBuilder(NastranDeck& deck, const NastranSettings& settings) : deck_(deck), settings_(settings) {}
  Model run();

 private:
  using Cards = std::vector<const NastranCard*>;

  // Factors to SI.
  double length() const { return settings_.length_m; }
  double force() const { return settings_.mass_kg * settings_.length_m; }
  double pressure() const { return force() / (length() * length()); }
  double density() const;

  [[noreturn]] void complain(const NastranCard& card, const std::string& what, const std::string& remedy) const;
  void tell(const NastranCard& card, Severity severity, const char* code, const std::string& what, const char* remedy);
  const Cards& named(const char* name) const;

  // nastran_nodes.cpp
  void refuse_what_is_not_read();
  void read_parameters();
  void read_nodes();
  int node(const NastranCard& card, std::size_t field) const { return node_of(card, deck_.integer(card, field)); }
  int node_of(const NastranCard& card, std::int64_t label) const;
  int place_node(const NastranCard& card, std::int64_t label) const;  // a node in space, no scalar point
  unsigned components(const NastranCard& card, std::size_t field, unsigned otherwise = 0u) const;
  // One motion: node and component; 0 or blank at scalar points. 6 * node + component.
  int motion(const NastranCard& card, std::int64_t label, std::int64_t component) const;
  Eigen::Matrix3d axes(const NastranCard& card, std::int64_t label, const Eigen::Vector3d& point) const;
  Eigen::Matrix3d frame_of(int node) const;
  Eigen::Vector3d origin(const NastranCard& card, std::int64_t label) const;
  // Set numbers in force: those the case control names (through SPCADD and its kin), or, without case control, the only one.
  std::set<std::int64_t> chosen(const char* word, const char* add, const Cards& cards);
  std::vector<std::string> case_values(const char* word) const;

  // nastran_properties.cpp
  // Materials and properties are read when the first element asks for them: cards that nobody uses may be anything.
  void index_properties();
  const NastranCard& material_card(const NastranCard& card, std::int64_t label) const;
  int material(const NastranCard& card, std::int64_t label);            // of any kind; what is not isotropic has no E
  int isotropic_material(const NastranCard& card, std::int64_t label);  // MAT1 with E > 0
  int property(const NastranCard& card, std::int64_t label, std::initializer_list<const char*> kinds);
  int property_of(const NastranCard& card, std::initializer_list<const char*> kinds);  // by field 3
  Property shell_property(const NastranCard& card);
  Property solid_property(const NastranCard& card);
  Property layered_solid_property(const NastranCard& card);
  Property line_property(const NastranCard& card);

  // nastran_laminates.cpp
  Property laminate_property(const NastranCard& card);
  void set_shell_law(const NastranCard& card, Property& p);                         // of a PSHELL
  Eigen::Matrix3d plane_stiffness(const NastranCard& card, std::int64_t material);  // Pa
  Eigen::Matrix2d shear_moduli(const NastranCard& card, std::int64_t material);     // Pa; zero: no shear flexibility
  double density_of(const NastranCard& card, std::int64_t material);                // kg/m^3

  // nastran_elements.cpp
  void read_elements();
  Element& start(const NastranCard& card, Shape shape, int count, std::size_t first, int property);
  Element& start(const NastranCard& card, Shape shape, const std::vector<int>& nodes, int property);
  ElementDetail& detail(Element& e);
  void shell(const NastranCard& card);
  void set_shell_details(const NastranCard& card, Element& e, int corners);
  void solid(const NastranCard& card);
  void pyramid(const NastranCard& card);
  // Nodes of an element from field 4 on; midside nodes that are left out are put half way and follow their corners.
  std::vector<int> nodes_with_midsides(const NastranCard& card, int corners,
                                       const std::vector<std::array<int, 2>>& sides, bool turning);
  void beam(const NastranCard& card);
  void rod(const NastranCard& card);

  // nastran_springs.cpp
  void read_springs();
  void bush(const NastranCard& card, const std::map<std::int64_t, const NastranCard*>& pbush);
  void bush_line(const NastranCard& card);
  void set_bush_axes(const NastranCard& card, Spring& s, std::size_t system_field, std::size_t vector_field);
  void scalar(const NastranCard& card);
  void scalar_mass(const NastranCard& card);
  struct Ends {
    int a = -1, b = -1;  // motions; -1: ground
  };
  Ends ends_of(const NastranCard& card, std::size_t a, std::size_t a_component, std::size_t b,
               std::size_t b_component) const;
  double turning(int motion) const;  // unit of length for rotations, 1 for translations
  void add_entry(bool mass, int a, int b, double value);
  void point_mass(const NastranCard& card);
  void mass_matrix(const NastranCard& card);
  void direct_matrices();

  // nastran_panels.cpp
  void shear_sheet(const NastranCard& card);
  void gap(const NastranCard& card);

  // nastran_bends.cpp
  void bend(const NastranCard& card);
  void general(const NastranCard& card);

  // nastran_links.cpp
  void read_constraints();
  void rigid_bar(const NastranCard& card);
  void rigid_by_lists(const NastranCard& card);
  void rigid_rod(const NastranCard& card);
  // Motions that follow from six that hold a rigid body: rows by `dependent`, SI.
  Eigen::MatrixXd rigid_shares(const NastranCard& card, const std::vector<int>& independent,
                               const std::vector<int>& dependent) const;
  void tie(const NastranCard& card, const std::vector<int>& independent, const std::vector<int>& dependent);
  void average(const NastranCard& card);
  void average_by_others(const NastranCard& card, const AverageLink& link, const std::vector<int>& dependent);
  void linear(const NastranCard& card);

  // nastran_added_mass.cpp
  void read_added_mass();
  double measure(const Element& e) const;  // area or length

  NastranDeck& deck_;
  const NastranSettings& settings_;
  Model model_;
  std::unordered_map<std::string, Cards> by_name_;
  std::unordered_map<std::int64_t, int> nodes_;
  std::map<std::int64_t, CoordinateSystem> systems_;
  std::map<std::int64_t, int> materials_;
  std::map<std::int64_t, const NastranCard*> material_cards_;
  std::map<std::int64_t, const NastranCard*> property_cards_;
  std::map<std::int64_t, int> properties_;  // those read so far
  std::map<std::pair<int, double>, int> offset_properties_;
  std::map<std::array<int, 2>, int> middles_;  // made midside nodes, by their corners
  std::map<int, int> halves_;                  // properties of half stiffness and mass, by the whole ones
};

}  // namespace kdyn::fe::internal
