// SPDX-License-Identifier: Apache-2.0
// What is kept of a multibody run: chosen signals go row by row to a file while the run goes on; in memory stay their
// extremes, a thinned copy and what a plot shows of them. However long the run becomes, that is a few megabytes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kdyn/data/finding.hpp"
#include "kdyn/io/signal_writer.hpp"
#include "kdyn/mbs/run.hpp"
#include "kdyn/mbs/signals.hpp"
#include "kdyn/signal/row_stream.hpp"

namespace kdyn::app {

// One flag for each signal of the list: which of the names or patterns (* for any letters) mean it; without patterns
// all. Throws Error(bad_input) at `where` for a pattern that fits none, with the nearest name.
std::vector<bool> chosen_signals(const std::vector<mbs::SignalInfo>& list, const std::vector<std::string>& patterns,
                                 const std::string& where);

struct RecordOptions {
  std::vector<std::string> signals;  // patterns; empty: all
  double step_s = 1e-3;              // grid of the run
  long first = 0, last = 0;          // grid points at which it begins and is expected to end
  std::size_t every = 1;             // points of the grid for one row of the file
  bool filtered = true;              // rows of the file: low-passed, else points as they are
  std::size_t samples = 0;           // most points of the thinned copies; 0: none
};

// What a record carries on from run to run: turns beyond 180 degrees, and what sensors that show late have seen.
struct RecordMemory {
  std::map<std::string, std::vector<double>> turns, late;  // by channel; rotation vector; values up to the last point
};

class RunRecord {
 public:
  RunRecord(const mbs::System& system, const RecordOptions& options);

  const std::vector<mbs::SignalInfo>& signals() const { return signals_.list(); }
  // The file for the rows; nothing is written without.
  void write_to(SignalWriter* writer) { writer_ = writer; }
  // Goes on where another run ended.
  void continue_from(const RecordMemory& memory);
  RecordMemory memory() const;

  void record(const mbs::Run& run);
  void finish();  // after the last point, also of a run that failed

  std::size_t points() const { return summary_.rows(); }  // of the grid
  std::size_t rows() const { return rows_; }              // of the file
  SignalSummary summary(std::size_t signal) const { return summary_.of(signal); }
  std::size_t thinned_every() const { return thin_every_; }
  const std::vector<double>& thinned_time() const { return thin_time_; }
  std::vector<double> thinned(std::size_t signal) const;
  std::pair<std::vector<double>, std::vector<double>> plotted(std::size_t signal) const { return envelope_.of(signal); }
  // Of each signal what decimation took from it or folded, over its rms about the mean.
  std::vector<double> lost_by_decimation() const { return decimator_.lost(); }

  double largest_vect() const { return largest_vect_; }  // sine of the largest angle seen by the vect measure
  double largest_gap() const { return largest_gap_; }    // of joint equations that were left out as dependent
  const std::vector<double>& fastest_spin() const { return fastest_spin_; }  // of each flexible body, rad/s
  // Turns that no longer mean what they say: bushings beyond 180 degrees, driven angles that tilt. Rotations of bodies
  // and angles of sensors are counted on beyond 180 degrees.
  std::vector<Finding> turned_too_far() const;

 private:
  // A rotation vector whose turns are counted: beyond 180 degrees it goes on instead of beginning on the other side.
  struct CountedTurn {
    std::string name;
    int body = -1;                               // whose rotation it is; else
    mbs::Output output{};                        // the angle of one marker against another
    std::array<int, 3> channels = {-1, -1, -1};  // where its components are shown
    double gain = 1.0, offset = 0.0;
    bool begun = false;
    mbs::Vector3 last = mbs::Vector3::Zero();
  };
  // A sensor that shows late (or early): read between the points of the grid once the points around are there.
  struct LateSensor {
    std::size_t channel;
    std::string name;
    double delay_s;
    long first = 0;              // grid point of the oldest value that is held
    std::vector<double> values;  // true ones
  };
  void count_turns(const mbs::Run& run);
  void look_at_turns(const mbs::Run& run);
  double late_value(const LateSensor& sensor, long point) const;
  void let_go(bool all);
  void take(long point, const double* row);

  const mbs::System& system_;
  RecordOptions options_;
  mbs::Signals signals_;
  RowSummary summary_;
  RowEnvelope envelope_;
  RowDecimator decimator_;
  SignalWriter* writer_ = nullptr;
  std::size_t rows_ = 0;
  std::vector<double> row_;
  std::size_t thin_every_ = 1;
  std::vector<double> thin_time_, thin_;  // rows of the thinned copy one after another
  // Rows that wait for late sensors.
  std::vector<LateSensor> late_;
  std::vector<double> waiting_;
  long next_ = 0, seen_ = 0, ahead_ = 0;  // first that waits, one past the last seen, points that must be known ahead

  bool joints_may_open_;  // some equations of joints were left out
  std::vector<double> fastest_spin_;
  std::vector<int> flexible_, vect_, log_, driven_;  // bodies, connections, joints that are looked at
  double largest_vect_ = 0.0, largest_gap_ = 0.0;
  std::vector<CountedTurn> turns_;
  std::vector<mbs::Vector3> last_turn_;  // of the connections
  std::vector<double> wrapped_;          // of the connections: when its rotation vector first jumped; infinite: never
  std::vector<double> tilt_;             // of the joints: largest sine between the axes of a driven angle
};

}  // namespace kdyn::app
