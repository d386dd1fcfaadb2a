// SPDX-License-Identifier: Apache-2.0
// Options and functions of the operations of modal testing: frf, modal, body.
#pragma once

#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/modes/fe_body.hpp"
#include "kdyn/modes/test_body.hpp"
#include "kdyn/signal/frf.hpp"
#include "kdyn/sysid/identify.hpp"

namespace kdyn::app {

struct FrfJob {
  std::vector<std::string> data;
  std::string geometry;
  std::string title;
  FrfOptions frf;
};
Outcome frf_job(const FrfJob& job, Progress& progress);

struct ModalJob {
  std::vector<std::string> data;
  std::string geometry;
  std::string title;
  double equalise = 0.0;             // damping ratio of the equalised responses written beside; 0: none
  std::vector<double> mass_line_hz;  // band of the rigid motion: mass, centre and inertia from it
  ModalOptions modal;
};
Outcome modal_job(const ModalJob& job, Progress& progress);

enum class BodyFrom { test, fe };

struct BodyJob {
  BodyFrom from = BodyFrom::test;
  std::string modes;                      // test modes
  std::vector<std::string> fe;            // matrices or modes of the FE model, geometry
  double length_m = 1.0, mass_kg = 1.0;   // one unit of a Nastran deck
  std::vector<std::string> ignore_cards;  // of the deck, by name
  std::string geometry;                   // of the test, when the modes have none
  std::string title;
  int fe_modes = 60;  // FE modes to compute from matrices
  double mass = 0.0;  // kg, weighed; 0: from the FE mass matrix
  std::vector<double> centre,
      inertia;  // m; kg*m^2 about the centre of gravity, xx yy zz xy yz zx; empty: as the FE model has them
  TestBodyOptions test;
  FeBodyOptions reduction;
};
Outcome body_job(const BodyJob& job, Progress& progress);

const FieldTable& fields_of(const FrfJob*);
const FieldTable& fields_of(const ModalJob*);
const FieldTable& fields_of(const BodyJob*);

// Their results, defined beside the functions.
struct FrfOutput;
struct ModalOutput;
struct BodyOutput;
const FieldTable& fields_of(const FrfOutput*);
const FieldTable& fields_of(const ModalOutput*);
const FieldTable& fields_of(const BodyOutput*);

}  // namespace kdyn::app
