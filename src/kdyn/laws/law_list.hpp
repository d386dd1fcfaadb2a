// SPDX-License-Identifier: Apache-2.0
// Every mount law of kdyn, once. Rig, multibody models, fits, exported models, sliders and the tables of the
// documentation go through this list: a new law joins with its include and its name here.
#pragma once

#include "kdyn/activemount/active_mount.hpp"
#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/hydromount/hydromount.hpp"
#include "kdyn/rivals/berg.hpp"
#include "kdyn/rivals/bouc_wen.hpp"
#include "kdyn/rivals/fractional_zener.hpp"
#include "kdyn/rivals/kelvin_voigt_mount.hpp"
#include "kdyn/rivals/maxwell.hpp"
#include "kdyn/rivals/payne.hpp"

#define KDYN_LAWS(LAW)  \
  LAW(Elastomer)        \
  LAW(HydroMount)       \
  LAW(ActiveMount)      \
  LAW(KelvinVoigtMount) \
  LAW(Maxwell)          \
  LAW(Berg)             \
  LAW(BoucWen)          \
  LAW(FractionalZener)  \
  LAW(Payne)

#include "kdyn/laws/make_instance.hpp"
