// SPDX-License-Identifier: Apache-2.0
// The programmes of the rig on a specimen with any number of axes: one for a mount, six for a bushing. Every axis has a
// result of its own, reduced in the same way; steps are those of all axes together.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kdyn/element/bushing.hpp"
#include "kdyn/rig/excitation.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline rig::internal {

class Specimen {
 public:
  virtual ~Specimen() = default;
  virtual std::size_t axes() const = 0;
  virtual const Mount* mount(std::size_t axis) const = 0;  // what has signals inside; null: no law
  virtual void start(const std::vector<Motion<double>>& from) = 0;
  virtual void advance(const std::vector<Motion<double>>& to, double h, std::vector<double>& force) = 0;
  virtual void change_velocity(const std::vector<Motion<double>>& now) = 0;
  virtual void peek(const std::vector<Motion<double>>& at, std::vector<double>& force) const = 0;
};

class MountSpecimen final : public Specimen {
 public:
  explicit MountSpecimen(Mount& mount) : mount_(mount) {}
  std::size_t axes() const override { return 1; }
  const Mount* mount(std::size_t) const override { return &mount_; }
  void start(const std::vector<Motion<double>>& from) override { mount_.start(from[0]); }
  void advance(const std::vector<Motion<double>>& to, double h, std::vector<double>& force) override {
    force[0] = mount_.advance(to[0], h);
  }
  void change_velocity(const std::vector<Motion<double>>& now) override { mount_.change_velocity(now[0].v); }
  void peek(const std::vector<Motion<double>>& at, std::vector<double>& force) const override {
    force[0] = mount_.peek(at[0]);
  }

 private:
  Mount& mount_;
};

class BushingSpecimen final : public Specimen {
 public:
  explicit BushingSpecimen(Bushing& bushing) : bushing_(bushing) {}
  std::size_t axes() const override { return axis_names.size(); }
  const Mount* mount(std::size_t axis) const override { return bushing_.axes[axis].get(); }
  void start(const std::vector<Motion<double>>& from) override {
    bushing_.start(part(from, &Motion<double>::u), part(from, &Motion<double>::v));
  }
  void advance(const std::vector<Motion<double>>& to, double h, std::vector<double>& force) override {
    const Bushing::Vector f = bushing_.advance(part(to, &Motion<double>::u), part(to, &Motion<double>::v), h);
    force.assign(f.begin(), f.end());
  }
  void change_velocity(const std::vector<Motion<double>>& now) override {
    bushing_.change_velocity(part(now, &Motion<double>::v));
  }
  void peek(const std::vector<Motion<double>>& at, std::vector<double>& force) const override {
    const Bushing::Vector f = bushing_.peek(part(at, &Motion<double>::u), part(at, &Motion<double>::v));
    force.assign(f.begin(), f.end());
  }

 private:
  static Bushing::Vector part(const std::vector<Motion<double>>& motion, double Motion<double>::*of) {
    Bushing::Vector out;
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = motion[i].*of;
    return out;
  }
  Bushing& bushing_;
};

// A sine of one axis, or the triangle of a static loop: about u0, the static displacement of the preload. Amplitude 0:
// the axis is held there.
struct AxisDrive {
  double u0 = 0.0, amplitude = 0.0, phase = 0.0, preload = 0.0;
};

struct Bench {
  Specimen& specimen;
  const RigOptions& options;
  RigResult& common;             // status, reason and findings of the run
  std::vector<RigResult*> axes;  // one for each axis of the specimen; may be `common` itself
  Progress& progress;
};

// Rows of the axes that move at one frequency, each point until all of them repeat [rig E1]; nothing when stopped.
// `keep` gets one cycle of each axis.
std::optional<std::vector<RigMapRow>> run_point(Bench& bench, double frequency_hz, const std::vector<AxisDrive>& drives,
                                                std::uint64_t task, std::vector<RigLoop>* keep);

// Levels one after the other, each over all frequencies. Loops are kept where `shown` says so. `closed_form` completes
// a row, where there is one.
struct MapLevel {
  std::vector<AxisDrive> drives;
  bool shown = false;
};
void run_map(Bench& bench, const std::vector<MapLevel>& levels, std::size_t shown_frequency,
             const std::function<void(RigMapRow&)>& complete = {});

void run_static(Bench& bench, const std::vector<AxisDrive>& drives);

// Paths of all axes over one time, about u0 of each drive; an axis that does not move has an empty path.
void run_series(Bench& bench, std::vector<Excitation> paths, const std::vector<AxisDrive>& drives);

// [rig E11] of one axis after run_series with the programme sweep.
void reduce_sweep(const RigOptions& options, const AxisDrive& drive, RigResult& result,
                  const std::function<void(RigMapRow&)>& complete = {});

// What an axis moves along, as the programme and its options say; the series is that of a file.
Excitation excitation_of(const RigOptions& options, const BenchSeries* input);

}  // namespace kdyn::inline rig::internal
