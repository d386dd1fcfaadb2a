// SPDX-License-Identifier: Apache-2.0
// Writes the seed corpus with our own writers: make_seeds DIR. The seeds are tracked; run this when a writer changes
// its layout.
#include <cstdio>
#include <string>

#include "kdyn/base/file.hpp"
#include "kdyn/io/bushing_file.hpp"
#include "kdyn/io/calculix.hpp"
#include "kdyn/io/dmig.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/io/mat.hpp"
#include "kdyn/io/matrix_market.hpp"
#include "kdyn/io/mbdyn_fem.hpp"
#include "kdyn/io/op4.hpp"
#include "kdyn/io/sid.hpp"
#include "kdyn/io/store.hpp"
#include "kdyn/io/ubf.hpp"
#include "kdyn/io/uff_data.hpp"

namespace {

using namespace kdyn;

FrequencyResponse response() {
  FrequencyResponse r;
  r.frequency_hz = {1.0, 2.0, 3.5};
  FrequencyResponseChannel c;
  c.output = {12, 3, {}}, c.input = {1, -1, {}};
  c.output_unit = "m/s^2", c.input_unit = "N";
  c.values = {{1.0, 2.0}, {0.5, -1.0}, {0.25, 0.125}};
  c.coherence = {1.0, 0.5, 0.75};
  c.covariance = {{1.0, 0.0, 1.0}, {2.0, 0.5, 1.0}, {1.0, 0.0, 1.0}};
  r.channels = {c};
  return r;
}

ModeSet modes() {
  ModeSet m;
  m.dofs = {{1, 1, {}}, {1, 2, {}}, {1, 3, {}}};
  Mode mode;
  mode.pole = pole_of(10.0, 0.01);
  mode.shape = {1.0, 0.5, -0.25};
  mode.modal_mass = 2.0;
  m.modes = {mode};
  m.geometry.nodes = {{1, {0.0, 0.5, 1.0}, 0, 0, 1}, {2, {1.0, 0.5, 1.0}, 0, 0, 1}};
  m.geometry.lines = {{1, "edge", 1, {1, 2, 0, 1}}};
  m.geometry.elements = {{1, 44, 1, 1, 1, {1, 2, 1, 2}, {0, 0, 0}}, {2, 21, 1, 1, 1, {1, 2}, {3, 0, 0}}};
  return m;
}

MatrixSet matrices() {
  MatrixSet s;
  Matrix k = sparse_matrix("K", 3, 3, false, {{0, 0, 2.0}, {1, 1, 3.0}, {0, 1, -1.0}, {1, 0, -1.0}, {2, 2, 1.5}});
  k.symmetric = true;
  k.row_dofs = k.column_dofs = {{1, 1, {}}, {1, 2, {}}, {2, 3, {}}};
  Matrix c;
  c.name = "C", c.rows = 2, c.columns = 2, c.is_complex = true;
  c.complex = {{1.0, 2.0}, {0.0, 1.0}, {3.0, 0.0}, {4.0, -1.0}};
  s.matrices = {k, c};
  return s;
}

UbfFile ubf() {
  UbfFile u;
  u.directions[2].present = true;
  u.directions[2].numbers = {{"STIFFNESS_STATIC", 338e3}, {"ALPHA", 0.1}, {"RDL_RUBBER", 9e-5}, {"RHO_RUBBER", 4500.0}};
  u.directions[2].texts = {{"FRICTION_LAW", "masing"}, {"USE_CURVE", "yes"}};
  u.directions[2].curve = {{-0.001, -300.0}, {0.0, 0.0}, {0.001, 300.0}};
  return u;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("make_seeds DIR\n", stderr), 2;
  const std::string root = argv[1];
  const auto write = [&](const char* target, const char* file, const std::string& bytes) {
    write_text(root + "/" + target + "/" + file, bytes);
  };
  UffFile uff = to_uff(response());
  write("fuzz_uff", "functions.uff", uff_text(uff, {false, true}));
  write("fuzz_uff", "functions_binary.uff", uff_text(uff, {true, true}));
  write("fuzz_uff", "modes.uff", uff_text(to_uff(modes()), {false, true}));
  write("fuzz_uff", "short.uff", uff_text(to_uff(modes()), {false, false}));
  for (const bool binary : {false, true})
    for (const auto& [storage, name] :
         {std::pair{Op4Storage::dense, "dense"}, std::pair{Op4Storage::nonbigmat, "nonbigmat"},
          std::pair{Op4Storage::bigmat, "bigmat"}}) {
      write("fuzz_op4", (std::string(name) + (binary ? ".bin.op4" : ".op4")).c_str(),
            op4_bytes(matrices(), {binary, false, false, storage}));
      if (binary)
        write("fuzz_op4", (std::string(name) + ".wide.op4").c_str(),
              op4_bytes(matrices(), {true, true, true, storage}));
    }
  write("fuzz_nastran", "deck.bdf",
        "SOL 103\nCEND\nBEGIN BULK\nPARAM,POST,-1\nGRID     1               0.      1.+1    0.\nGRID*    2             "
        "                  1.0D0       "
        "    0.              *A\n*A      0.              1\n"
        "CORD2R  1       0       0.      0.      0.      0.      0.      1.      +C\n+C      1.      0.      "
        "0.\nCHEXA,1,1,1,2,3,4,5,6\n,7,8\nSPC1,1,123,1,THRU,5\nFORCE,1,1,0,1.,0.,0.,1.\nINCLUDE 'a.inc'\nENDDATA\n");
  write("fuzz_nastran", "dmig.pch", dmig_text(matrices()));
  write("fuzz_calculix", "k.sti", calculix_matrix_text(matrices().matrices[0]));
  write("fuzz_calculix", "k.dof", calculix_dof_text(matrices().matrices[0].row_dofs));
  MbdynFem fem;
  fem.modes = modes();
  fem.modal_mass.rows = fem.modal_mass.columns = fem.modal_stiffness.rows = fem.modal_stiffness.columns = 1;
  fem.modal_mass.real = {2.0}, fem.modal_stiffness.real = {50.0};
  fem.lumped_mass.assign(12, 1.0);
  write("fuzz_mbdyn_fem", "body.fem", mbdyn_fem_text(fem));
  SidBody sid;
  sid.mass = 1.5, sid.mode_names = {"mode 1"}, sid.comment = "seed";
  SidTaylor t;
  t.order = 1, t.rows = 3, t.columns = 1, t.modes = 1;
  t.m0 = {1.0, 2.0, 3.0}, t.m1 = {0.5, 0.25, 0.125};
  sid.blocks["mdCM"] = t;
  sid.nodes.push_back({7, "body ref", {{"origin", t}}});
  write("fuzz_sid", "body.sid_fem", sid_text(sid));
  MatFile mat = to_mat(matrices());
  MatArray text;
  text.name = "note", text.matlab_class = "char", text.text = "seed", text.shape = {1, 4};
  mat.arrays.push_back(text);
  write("fuzz_mat", "matrices.mat", mat_bytes(mat));
  write("fuzz_mat", "frf.mat", mat_bytes(to_mat(response())));
  Store store;
  store.response = response();
  write("fuzz_hdf5", "frf.h5", store_bytes(store));
  store = {};
  store.matrices = matrices();
  write("fuzz_hdf5", "matrices.h5", store_bytes(store));
  write("fuzz_hdf5", "matrices73.mat", mat_bytes(mat, true));
  BushingFile bushing;
  bushing.directions[0].curve = {{-0.001, -300.0}, {0.0, 0.0}, {0.001, 300.0}};
  bushing.directions[0].damping = 10.0;
  bushing.directions[3].stiffness = 5.0;
  write("fuzz_teimorbit", "a.bus", bus_text(bushing));
  write("fuzz_teimorbit", "a.gbs", gbs_text(bushing));
  write("fuzz_teimorbit", "a.ubf", ubf_text(ubf()));
  write("fuzz_frf_csv", "frf.csv", frf_csv(response()));
  write("fuzz_frf_csv", "old.csv",
        "# sensors: Load a sn 1 unit N; Acc 1 sn 2 unit "
        "m/s^2\nf_Hz,re1,im1,cRR1,cRI1,cII1,coh1\n1,2,3,4,5,6,1\n2,3,4,5,6,7,0.5\n");
  write("fuzz_matrix_market", "sparse.mtx", matrix_market_text(matrices().matrices[0]));
  write("fuzz_matrix_market", "dense.mtx", matrix_market_text(matrices().matrices[1]));
  write("fuzz_exchange", "uff", "D" + uff_text(uff, {true, true}));
  write("fuzz_exchange", "op4", "F" + op4_bytes(matrices(), {}));
  write("fuzz_exchange", "csv", "B" + frf_csv(response()));
  write("fuzz_exchange", "bus", "B" + bus_text(bushing));
  write("fuzz_exchange", "map",
        "Bfrequency_hz,amplitude_mm,k_dyn_n_per_mm,loss_angle_deg\n10,0.1,444,2.5\n20,0.1,450,2.6\n");
  return 0;
}
