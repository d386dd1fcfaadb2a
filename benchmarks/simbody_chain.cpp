// SPDX-License-Identifier: Apache-2.0
#include "simbody_chain.hpp"

#include <Simbody.h>

#include "chain_sizes.hpp"

namespace kdyn::peer {

std::vector<Eigen::Vector3d> simbody_chain_tips(int bodies, int seconds, double accuracy) {
  using namespace SimTK;
  namespace chain = mbs::chain;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::UniformGravity weight(forces, matter, Vec3(0.0, -chain::gravity, 0.0));
  const Body::Rigid bar(
      MassProperties(1.0, Vec3(0.0), UnitInertia::brick(chain::half, chain::thickness, chain::thickness)));
  Vec6 k(chain::stiffness);
  for (int i = 0; i < 3; ++i) k[i] = chain::turning_stiffness;  // rotations come first
  std::vector<MobilizedBody> bars;
  for (int i = 0; i < bodies; ++i) {
    bars.push_back(MobilizedBody::Free(matter.Ground(), bar));
    const MobilizedBody before = i == 0 ? MobilizedBody(matter.Ground()) : bars[static_cast<std::size_t>(i) - 1];
    Force::LinearBushing bushing(forces, before, Transform(Vec3(i == 0 ? 0.0 : chain::half, 0.0, 0.0)), bars.back(),
                                 Transform(Vec3(-chain::half, 0.0, 0.0)), k, chain::damping_time * k);
  }
  State state = system.realizeTopology();
  for (int i = 0; i < bodies; ++i)
    bars[static_cast<std::size_t>(i)].setQToFitTransform(state,
                                                         Transform(Vec3(chain::half + chain::pitch * i, 0.0, 0.0)));
  CPodesIntegrator integrator(system, CPodes::BDF, CPodes::Newton);
  integrator.setAccuracy(accuracy);
  TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  std::vector<::Eigen::Vector3d> tips;
  for (int second = 1; second <= seconds; ++second) {
    stepper.stepTo(second);
    const Vec3 tip = bars.back().findStationLocationInGround(stepper.getState(), Vec3(chain::half, 0.0, 0.0));
    tips.emplace_back(tip[0], tip[1], tip[2]);
  }
  return tips;
}

}  // namespace kdyn::peer
