// SPDX-License-Identifier: Apache-2.0
// modelDescription.xml against the rules of the standard: FMI 2.0.4 sections 2.2.1 to 2.2.8, FMI 3.0 sections 2.4.1
// to 2.4.8. The rules are written from the text of the standard; the parser (pugixml) is not the exporter's.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <pugixml.hpp>

#include "kdyn/fmu/fmu.hpp"
#include "kdyn/fmu/test/sample_models.hpp"

namespace kdyn::inline fmu {
namespace {

struct Variable {
  std::string name, causality, variability, initial, type, unit, start, min, max;
  unsigned reference = 0, derivative = 0;
  std::size_t index = 0;  // from 1
  bool has_derivative = false;
};

class Description {
 public:
  Description(const Fmu& fmu, int version) : fmu_(fmu), version_(version) {
    EXPECT_TRUE(document_.load_string(fmu.entry("modelDescription.xml").c_str()));
    root_ = document_.child("fmiModelDescription");
    for (const pugi::xml_node& node : root_.child("ModelVariables").children()) {
      if (node.type() != pugi::node_element) continue;
      const pugi::xml_node typed = version == 2 ? node.first_child() : node;
      Variable v;
      v.name = node.attribute("name").value(), v.causality = node.attribute("causality").value();
      v.variability = node.attribute("variability").value(), v.initial = node.attribute("initial").value();
      v.type = typed.name(), v.unit = typed.attribute("unit").value(), v.start = typed.attribute("start").value();
      v.min = typed.attribute("min").value(), v.max = typed.attribute("max").value();
      EXPECT_TRUE(node.attribute("valueReference")) << v.name;
      v.reference = node.attribute("valueReference").as_uint();
      v.has_derivative = static_cast<bool>(typed.attribute("derivative"));
      v.derivative = typed.attribute("derivative").as_uint();
      v.index = variables_.size() + 1;
      variables_.push_back(v);
    }
  }

  void check() {
    header();
    names_and_references();
    for (const Variable& v : variables_) attributes_of(v);
    derivatives();
    structure();
    files();
  }

 private:
  // Elements in the order of the schema, none that it does not know.
  void header() {
    static const std::vector<std::string> order = {"ModelExchange",   "CoSimulation",  "UnitDefinitions",
                                                   "TypeDefinitions", "LogCategories", "DefaultExperiment",
                                                   "ModelVariables",  "ModelStructure"};
    EXPECT_EQ(std::string(root_.attribute("fmiVersion").value()), version_ == 2 ? "2.0" : "3.0");
    EXPECT_FALSE(std::string(root_.attribute("modelName").value()).empty());
    EXPECT_TRUE(
        std::regex_match(token(), std::regex(R"(\{[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\})")))
        << token();
    std::size_t place = 0;
    for (const pugi::xml_node& child : root_.children()) {
      const auto at = std::find(order.begin(), order.end(), child.name());
      ASSERT_NE(at, order.end()) << child.name();
      EXPECT_GE(static_cast<std::size_t>(at - order.begin()), place) << child.name();
      place = static_cast<std::size_t>(at - order.begin()) + 1;
    }
    static const std::map<std::string, std::set<std::string>> known = {
        {"ModelExchange2",
         {"modelIdentifier", "needsExecutionTool", "completedIntegratorStepNotNeeded",
          "canBeInstantiatedOnlyOncePerProcess", "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate",
          "canSerializeFMUstate", "providesDirectionalDerivative"}},
        {"CoSimulation2",
         {"modelIdentifier", "needsExecutionTool", "canHandleVariableCommunicationStepSize", "canInterpolateInputs",
          "maxOutputDerivativeOrder", "canRunAsynchronuously", "canBeInstantiatedOnlyOncePerProcess",
          "canNotUseMemoryManagementFunctions", "canGetAndSetFMUstate", "canSerializeFMUstate",
          "providesDirectionalDerivative"}},
        {"ModelExchange3",
         {"modelIdentifier", "needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess", "canGetAndSetFMUState",
          "canSerializeFMUState", "providesDirectionalDerivatives", "providesAdjointDerivatives",
          "providesPerElementDependencies", "needsCompletedIntegratorStep", "providesEvaluateDiscreteStates"}},
        {"CoSimulation3",
         {"modelIdentifier", "needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess", "canGetAndSetFMUState",
          "canSerializeFMUState", "providesDirectionalDerivatives", "providesAdjointDerivatives",
          "providesPerElementDependencies", "canHandleVariableCommunicationStepSize", "fixedInternalStepSize",
          "maxOutputDerivativeOrder", "recommendedIntermediateInputSmoothness", "providesIntermediateUpdate",
          "mightReturnEarlyFromDoStep", "canReturnEarlyAfterIntermediateUpdate", "hasEventMode",
          "providesEvaluateDiscreteStates"}}};
    for (const char* kind : {"ModelExchange", "CoSimulation"}) {
      ASSERT_TRUE(root_.child(kind));
      for (const pugi::xml_attribute& a : root_.child(kind).attributes())
        EXPECT_TRUE(known.at(kind + std::to_string(version_)).count(a.name())) << kind << " " << a.name();
      EXPECT_TRUE(std::regex_match(root_.child(kind).attribute("modelIdentifier").value(),
                                   std::regex("[A-Za-z_][A-Za-z_0-9]*")));
    }
  }

  std::string token() const { return root_.attribute(version_ == 2 ? "guid" : "instantiationToken").value(); }

  void names_and_references() {
    std::set<std::string> names;
    std::set<std::pair<std::string, unsigned>> references;
    // Structured names: identifiers with dots, and der() around one.
    const std::regex plain(R"([A-Za-z_][A-Za-z_0-9]*(\.[A-Za-z_][A-Za-z_0-9]*)*)"),
        derivative(R"(der\([A-Za-z_][A-Za-z_0-9.]*\))");
    for (const Variable& v : variables_) {
      EXPECT_TRUE(names.insert(v.name).second) << v.name << " stands twice";
      // FMI 2.0 asks for unique references within a type, FMI 3.0 over all.
      EXPECT_TRUE(references.insert({version_ == 2 ? v.type : "", v.reference}).second) << v.name;
      EXPECT_TRUE(std::regex_match(v.name, plain) || std::regex_match(v.name, derivative)) << v.name;
    }
  }

  void attributes_of(const Variable& v) const {
    // Tables of allowed combinations: causality with variability, and what may stand in `initial`.
    static const std::map<std::string, std::set<std::string>> variabilities = {
        {"parameter", {"fixed", "tunable"}},
        {"calculatedParameter", {"fixed", "tunable"}},
        {"input", {"discrete", "continuous"}},
        {"output", {"constant", "discrete", "continuous"}},
        {"local", {"constant", "fixed", "tunable", "discrete", "continuous"}},
        {"independent", {"continuous"}}};
    ASSERT_TRUE(variabilities.count(v.causality)) << v.name;
    EXPECT_TRUE(variabilities.at(v.causality).count(v.variability))
        << v.name << ": " << v.causality << " " << v.variability;
    if (v.causality == "input" || v.causality == "independent") {
      EXPECT_TRUE(v.initial.empty()) << v.name;
    } else if (v.causality == "parameter") {
      EXPECT_EQ(v.initial, "exact") << v.name;
    } else {
      EXPECT_TRUE(v.initial == "exact" || v.initial == "approx" || v.initial == "calculated") << v.name;
    }
    const bool needs_start =
        v.initial == "exact" || v.initial == "approx" || v.causality == "input" || v.causality == "parameter";
    EXPECT_EQ(!v.start.empty(), needs_start) << v.name;
    if (v.type == "Boolean") {
      EXPECT_NE(v.variability, "continuous") << v.name;
      return;
    }
    if (!v.min.empty() && !v.start.empty()) {
      EXPECT_GE(std::stod(v.start), std::stod(v.min)) << v.name;
    }
    if (!v.max.empty() && !v.start.empty()) {
      EXPECT_LE(std::stod(v.start), std::stod(v.max)) << v.name;
    }
    if (!v.unit.empty()) {
      EXPECT_TRUE(root_.child("UnitDefinitions").find_child_by_attribute("Unit", "name", v.unit.c_str()))
          << v.name << " " << v.unit;
    }
  }

  const Variable* state_of(const Variable& rate) const {
    for (const Variable& v : variables_)
      if (rate.derivative == (version_ == 2 ? v.index : v.reference)) return &v;
    return nullptr;
  }

  // Every derivative belongs to one continuous state, which has no other.
  void derivatives() {
    for (const Variable& v : variables_) {
      if (!v.has_derivative) continue;
      const Variable* state = state_of(v);
      ASSERT_NE(state, nullptr) << v.name;
      EXPECT_EQ(v.name, "der(" + state->name + ")");
      EXPECT_FALSE(state->has_derivative);
      EXPECT_TRUE(state->variability == "continuous" && (state->causality == "local" || state->causality == "output"))
          << state->name;
      EXPECT_TRUE(states_.insert(key(*state)).second) << state->name << " has two derivatives";
    }
  }

  unsigned key(const Variable& v) const { return version_ == 2 ? static_cast<unsigned>(v.index) : v.reference; }

  std::vector<unsigned> listed(const pugi::xml_node& parent, const char* element) const {
    std::vector<unsigned> keys;
    for (const pugi::xml_node& node : parent.children(element)) {
      keys.push_back(node.attribute(version_ == 2 ? "index" : "valueReference").as_uint());
      if (!node.attribute("dependencies")) continue;
      // Knowns of outputs, derivatives and event indicators: inputs, states, time.
      std::istringstream list(node.attribute("dependencies").value());
      unsigned before = 0;
      for (unsigned known = 0; list >> known; before = known) {
        EXPECT_GT(known, before) << "ascending, none twice";
        const auto v =
            std::find_if(variables_.begin(), variables_.end(), [&](const Variable& x) { return key(x) == known; });
        EXPECT_TRUE(v != variables_.end() &&
                    (v->causality == "input" || v->causality == "independent" || states_.count(known)))
            << known;
      }
    }
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end())) << element;
    return keys;
  }

  // The lists hold exactly what the standard wants in them.
  void structure() {
    std::vector<unsigned> outputs, rates, initials;
    for (const Variable& v : variables_) {
      const bool open = v.initial == "approx" || v.initial == "calculated";
      if (v.causality == "output") outputs.push_back(key(v));
      if (v.has_derivative) rates.push_back(key(v));
      const bool unknown = v.causality == "output" || v.causality == "calculatedParameter" || v.has_derivative ||
                           states_.count(key(v)) > 0;
      if (unknown && open) initials.push_back(key(v));
    }
    const pugi::xml_node m = root_.child("ModelStructure");
    ASSERT_TRUE(m);
    if (version_ == 2) {
      EXPECT_EQ(listed(m.child("Outputs"), "Unknown"), outputs);
      EXPECT_EQ(listed(m.child("Derivatives"), "Unknown"), rates);
      EXPECT_EQ(listed(m.child("InitialUnknowns"), "Unknown"), initials);
      EXPECT_EQ(static_cast<bool>(m.child("Derivatives")), !rates.empty());
      EXPECT_TRUE(root_.attribute("numberOfEventIndicators"));
      return;
    }
    EXPECT_EQ(listed(m, "Output"), outputs);
    EXPECT_EQ(listed(m, "ContinuousStateDerivative"), rates);
    EXPECT_EQ(listed(m, "InitialUnknown"), initials);
    for (const unsigned indicator : listed(m, "EventIndicator")) {
      const auto v = std::find_if(variables_.begin(), variables_.end(),
                                  [&](const Variable& x) { return x.reference == indicator; });
      EXPECT_TRUE(v != variables_.end() && v->variability == "continuous" &&
                  (v->causality == "local" || v->causality == "output"));
    }
    static const std::vector<std::string> order = {"Output", "ContinuousStateDerivative", "ClockedState",
                                                   "InitialUnknown", "EventIndicator"};
    std::ptrdiff_t place = 0;
    for (const pugi::xml_node& node : m.children()) {
      const auto at = std::find(order.begin(), order.end(), node.name()) - order.begin();
      EXPECT_GE(at, place);
      place = at;
    }
  }

  // Named sources are in the archive.
  void files() {
    if (version_ == 2) {
      for (const char* kind : {"ModelExchange", "CoSimulation"})
        for (const pugi::xml_node& file : root_.child(kind).child("SourceFiles").children("File"))
          EXPECT_FALSE(fmu_.entry(std::string("sources/") + file.attribute("name").value()).empty());
      return;
    }
    pugi::xml_document build;
    ASSERT_TRUE(build.load_string(fmu_.entry("sources/buildDescription.xml").c_str()));
    const pugi::xml_node configuration = build.child("fmiBuildDescription").child("BuildConfiguration");
    EXPECT_STREQ(configuration.attribute("modelIdentifier").value(),
                 root_.child("CoSimulation").attribute("modelIdentifier").value());
    for (const pugi::xml_node& file : configuration.child("SourceFileSet").children("SourceFile"))
      EXPECT_FALSE(fmu_.entry(std::string("sources/") + file.attribute("name").value()).empty());
  }

  const Fmu& fmu_;
  int version_;
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::vector<Variable> variables_;
  std::set<unsigned> states_;
};

TEST(ModelDescription, FollowsTheRulesOfTheStandard) {
  std::vector<test::NamedModel> models = test::sample_models();
  models.push_back({"bushing", test::bushing("spherical")});
  for (const int version : {2, 3})
    for (const auto& [name, model] : models) {
      SCOPED_TRACE(name + " FMI " + std::to_string(version));
      const Fmu fmu = make_fmu(model, "test", {.version = version, .author = "A & B", .model_version = "2"});
      Description(fmu, version).check();
    }
}

}  // namespace
}  // namespace kdyn::inline fmu
