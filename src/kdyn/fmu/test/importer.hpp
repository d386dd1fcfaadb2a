// SPDX-License-Identifier: Apache-2.0
// A small importer for tests: unpacks an FMU as a tool would, reads modelDescription.xml, loads the binary and calls
// its C interface. Function types are written from the standard, independently of the exporter's headers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/fmu/fmu.hpp"

namespace kdyn::test {

// One interface for both versions; calls that fail return false.
class Unit {
 public:
  virtual ~Unit() = default;

  virtual bool instantiate(bool co_simulation, const std::string& token) = 0;
  virtual bool enter_initialization(double start_time) = 0;
  virtual bool exit_initialization() = 0;
  virtual bool reset() = 0;
  virtual bool set(unsigned vr, double value) = 0;
  virtual bool get(unsigned vr, double& value) = 0;
  virtual bool set_boolean(unsigned vr, bool value) = 0;
  virtual bool set_input_derivative(unsigned vr, int order, double value) = 0;  // FMI 2.0
  virtual bool step(double time, double h) = 0;

  virtual bool enter_event_mode() = 0;
  virtual bool enter_continuous_mode() = 0;
  virtual bool set_time(double time) = 0;
  virtual bool set_states(const std::vector<double>& x) = 0;
  virtual bool get_states(std::vector<double>& x) = 0;
  virtual bool rates(std::vector<double>& rate) = 0;
  virtual bool indicators(std::vector<double>& z) = 0;
  virtual bool completed_step() = 0;

  virtual bool save(void*& state) = 0;
  virtual bool restore(void* state) = 0;
  virtual bool free_state(void*& state) = 0;
  virtual bool serialise(void* state, std::vector<char>& bytes) = 0;
  virtual bool deserialise(const std::vector<char>& bytes, void*& state) = 0;

  virtual bool derivative(const std::vector<unsigned>& unknown, const std::vector<unsigned>& known,
                          const std::vector<double>& seed, std::vector<double>& out) = 0;
  virtual bool adjoint(const std::vector<unsigned>& unknown, const std::vector<unsigned>& known,
                       const std::vector<double>& seed,
                       std::vector<double>& out) = 0;  // FMI 3.0

  virtual bool has(const std::string& function) const = 0;  // the binary exports it

  // From modelDescription.xml.
  std::map<std::string, unsigned> references;
  std::string token;
  std::size_t state_count = 0, indicator_count = 0;
  std::vector<std::string> parameters, messages;
  std::string resources;  // as it is given to the binary: a URI for FMI 2.0, a path for FMI 3.0

  unsigned operator[](const std::string& name) const;
  double value(const std::string& name);
  // Instantiates with the FMU's own token and goes through initialization at this motion.
  bool begin(bool co_simulation, double u, double v);
  // Co-simulation whose inputs are those at the end of each step.
  bool begin_at_end(double u, double v);
};

// Unpacks the archive into a folder of its own, which vanishes with the unit.
std::unique_ptr<Unit> load(const Fmu& fmu, int version);

}  // namespace kdyn::test
