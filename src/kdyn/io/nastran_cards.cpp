// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/nastran_cards.hpp"

#include <algorithm>
#include <unordered_map>

namespace kdyn::inline io {
namespace {

struct CardGroup {
  CardRole role;
  const char* names;
};
constexpr CardGroup card_groups[] = {
    {CardRole::used,
     "GRID GRDSET SPOINT CORD1R CORD1C CORD1S CORD2R CORD2C CORD2S CQUAD4 CQUADR CTRIA3 CTRIAR CQUAD8 CTRIA6 CBAR "
     "CBEAM CHEXA CPENTA CTETRA CROD CONROD CTUBE CSHEAR CGAP CBEND CPYRAM GENEL CBUSH CBUSH1D CELAS1 CELAS2 CELAS3 "
     "CELAS4 CMASS1 CMASS2 "
     "CMASS3 "
     "CMASS4 CONM1 CONM2 RBE1 RBE2 RBE3 RBAR RBAR1 RROD RTRPLT MPC SPC SPC1 SPCADD MPCADD MAT1 MAT2 MAT8 MAT9 "
     "MAT11 PSHELL PCOMP PCOMPG PSOLID PBAR PBARL PBEAM PBEAML PROD PTUBE PBUSH PBUSH1D PELAS PMASS BAROR BEAMOR NSM "
     "NSM1 NSML NSML1 NSMADD PARAM EIGRL DMIG PSHEAR PGAP PBEND PCOMPS"},
    {CardRole::loads,
     "FORCE FORCE1 FORCE2 FORCEAX MOMENT MOMENT1 MOMENT2 PLOAD PLOAD1 PLOAD2 PLOAD4 PLOADE1 PLOADF PLOADFP PLOADX "
     "PLOADX1 PLOADB3 PRESAX GRAV ACCEL ACCEL1 RFORCE RFORCE1 LOAD LOADSET LOADCYH LOADCYN LOADCYT CLOAD DLOAD RLOAD1 "
     "RLOAD2 TLOAD1 TLOAD2 DAREA DELAY DPHASE LSEQ SLOAD SPCD SPCR TIC TEMP TEMPD TEMPB3 TEMPF TEMPG TEMPN1 TEMPP1 "
     "TEMPP2 TEMPP3 TEMPRB TEMPAX DEFORM NOLIN1 NOLIN2 NOLIN3 NOLIN4 ACSRCE ACPLNW UNBALNC BOLT BOLTFOR BOLTLD GMLOAD"},
    {CardRole::solution,
     "EIGR EIGB EIGC EIGP EIGRL1 FREQ FREQ1 FREQ2 FREQ3 FREQ4 FREQ5 TSTEP TSTEP1 TSTEPNL NLPARM NLPCI NLSTEP NLOPRM "
     "NLCNTL NLCNTL2 NLCNTLG NLADAPT NLAUTO MODTRAK MODSEL RANDPS RANDT1 TABRND1 TABRNDG TABDMP1 TABLED1 TABLED2 "
     "TABLED3 TABLED4 TABLED5 TABLEM1 TABLEM2 TABLEM3 TABLEM4 TABLEM5 TABLES1 TABLEST TABLEH1 TABLEHT TABLE3D TABPT "
     "DEQATN DTABLE DTI DMI DMIJ DMIJI DMIK DMIAX SET1 SET2 SET3 CSET CSET1 ASET ASET1 BSET BSET1 QSET QSET1 "
     "USET USET1 OMIT OMIT1 OMITAX SUPORT SUPORT1 SUPAX BNDFREE BNDFIX RVDOF RVDOF1 CBARAO PLOTEL PLOTEL3 PLOTEL4 "
     "PLOTEL6 PLOTEL8 PLOTTET PLOTHEX PLOTPEN PLOTPYR PLOTG POINT SEQGP ADAPT PVAL OUTPUT OUTRCV MDLPRM NXSTRAT ECHOON "
     "ECHOOFF ACMODL ACORDER ACADAPT SESET SEQSET SEQSET1 SEBSET SEBSET1 SECSET SECSET1 SESUP SEUSET SEUSET1 SPLOTG "
     "ITER CYAX CYJOIN CYSYM CYSUP DSPHERE MONPNT1 MONPNT2 MONPNT3 MONDSP1 MONGRP MONSUM UXVEC VCEV MESHPRM GROUP "
     "PANEL MASSSET GRIDG CGEN "
     "EGRID EQUIV DELETE LIST SPCG FEEDGE FEFACE GMCURV GMSURF GMCORD GMBC GMSPC GMBNDC GMBNDS GMINTC GMINTS PINTS "
     "PINTC ROTORD ROTORG ROTORSE RGYRO RSPINR RSPINT ROTPARM HYBDAMP EXTRN EPOINT TF SEQDEP ENDDYNA DYPARAM ABSTRCT "
     "ABSNMVS INCLUDE"},
    {CardRole::aero,
     "AERO AEROS AEROF AEROZ CAERO1 CAERO2 CAERO3 CAERO4 CAERO5 CAERO7 PAERO1 PAERO2 PAERO3 PAERO4 PAERO5 PAFOIL7 "
     "SPLINE1 SPLINE2 SPLINE3 SPLINE4 SPLINE5 SPLINE6 SPLINE7 SPLINEX SPLINRB SPLINE0 FLUTTER FLFACT MKAERO1 MKAERO2 "
     "MKAEROZ TRIM TRIM2 AESTAT AESURF AESURFS AESURFZ AELIST AELINK AEPARM AECOMP AECOMPL AECONFIG AEDW AEFACT "
     "AEFORCE "
     "AEPRESS AESCALE AESYMXY AESYMXZ AEGRID AEQUAD4 AETRIA3 GUST DIVERG CSSCHD CAEROB APRES STFLOW PANLST1 PANLST2 "
     "PANLST3 ACOORD BODY7 SEGMESH TRIMFLT TRIMVAR TRIMFNC TRIMCON TRIMOBJ LOADMOD CELLBOX CELLWNG PLTMODE EXTFILE "
     "ATTACH AMLREG MICPNT PMIC BLKSEQ BLKLAY GENGAF INPCFD MKPARAL MKPARAM DMIS DMIIN BLOCK CPU MLDTRIM MLDSTAT "
     "MLDPRNT "
     "ASE ASECONT GAP GAP1 YZONEY"},
    {CardRole::optimisation,
     "DESVAR DVPREL1 DVPREL2 DVMREL1 DVMREL2 DVCREL1 DVCREL2 DVGRID DVBSHAP DVSHAP DVTREL1 DRESP1 DRESP2 DRESP3 "
     "DCONSTR "
     "DCONADD DOPTPRM DLINK DSCREEN TOPVAR DDVAL DVGEOM BNDGRID DESGLB DMRLAW DMNCON DVPSURF STOCHAS RANDVAR RCROSS "
     "DRESPM DVLREL1 DTABLE2 BEADVAR"},
    {CardRole::contact,
     "BSURF BSURFS BCRPARA BCTSET BCTADD BCTPARM BCTPARA BCPROP BCPROPS BCPARA BCONP BLSEG BFRIC BCTABLE BCTABL1 "
     "BCBODY "
     "BCBODY1 BCONTACT BCSURF BCONECT BCONUDS BCPATCH BCONPRG BCONPRP BCBDPRP BCHANGE BCMOVE BEDGE BCSCAP BCSET "
     "BCAUTOP "
     "BGPARM BGADD BCPFLG BOUTPUT BDYOR BNDGRD1"},
    {CardRole::heat,
     "MAT4 MAT5 MATT4 MATT5 CHBDYE CHBDYG CHBDYP PHBDY CONV CONVM PCONV PCONVM PCONV1 RADM RADMT RADBC RADBND RADLST "
     "RADMTX RADCAV RADSET RADCOL VIEW VIEW3D VIEWEX TEMPBC QBDY1 QBDY2 QBDY3 QBDY4 QHBDY QVECT QVOL"},
    {CardRole::curves,
     "MATT1 MATT2 MATT3 MATT8 MATT9 MATT11 MATS1 MATS3 MATS8 MATSORT MATDMG MATF MATF1 MATFT MATEP MATVE MATVP MATCRP "
     "CREEP PELAST PBUSHT PDAMPT PFASTT PBSPOT"},
    {CardRole::damping, "CDAMP1 CDAMP2 CDAMP3 CDAMP4 CDAMP5 PDAMP PDAMP5 CVISC PVISC DAMPING DAMPGBL"},
    {CardRole::property,
     "PCOMPLS PBCOMP PBEAM3 PBMSECT PBRSECT PWELD PFAST PLSOLID PLPLANE PPLANE PHBDY2 PAABSF "
     "PAABSF1 PACABS PACBAR PAXISYM PAXSYMH PCONEAX PDUM1 PRAC2D PRAC3D PSEAM PTRIA6 PWSEAM PGPLSN PSOLCZ PCOHE MAT3 "
     "MAT10 MATHP MATHE MATPOR MATORT MATG MAT1F MATUSR MCOHE MATCZ PBARN1 PBEMN1 PSHLN1 PSHLN2 PSLDN1 PRODN1 SWLDPRM "
     "BEAMSEC"},
};

struct CardRemedy {
  const char* names;
  const char* words;
};
constexpr CardRemedy card_remedies[] = {
    {"CWELD CFAST CSEAM", "model the connector with RBE3 and CBUSH"},
    {"CBEAM3", "divide the arc into straight CBEAM"},
    {"CPYRA", "divide it into CTETRA"},
    {"CQUAD CQUADX CTRIAX CTRIAX6 CQUADX4 CQUADX8 CTRAX3 CTRAX6 CCONEAX CPLSTN3 CPLSTN4 CPLSTN6 CPLSTN8 CPLSTS3 "
     "CPLSTS4 "
     "CPLSTS6 CPLSTS8 AXIC AXIF RINGAX",
     "plane and axisymmetric models are not solved: model the part in space"},
    {"CFLUID2 CFLUID3 CFLUID4 CSLOT3 CSLOT4 CHACAB CHACBR CAABSF ELIST MFLUID", "fluids are not solved"},
    {"BGSET", "join the glued faces with RBE3 or common nodes"},
    {"CSUPER CSUPEXT SELOC SECONCT SEBULK SEEXCLD SEMPLN SETREE RELEASE SELABEL BSETS",
     "superelements are not solved: give the model as one bulk data section"},
    {"RSPLINE RSSCON RJOINT RBE2GS", "use RBE2, RBE3 or MPC"},
    {"CCRSFIL CACINF3 CACINF4", "acoustic elements are not solved"},
};

template <class Value>
void each_card_name(const char* names, const Value& value, std::unordered_map<std::string_view, Value>& to) {
  std::string_view rest(names);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    to.emplace(rest.substr(0, end), value);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

}  // namespace

CardRole role_of_card(std::string_view name) {
  static const auto roles = [] {
    std::unordered_map<std::string_view, CardRole> out;
    for (const CardGroup& group : card_groups) each_card_name(group.names, group.role, out);
    return out;
  }();
  const auto found = roles.find(name);
  return found == roles.end() ? CardRole::refused : found->second;
}

const char* words_of(CardRole role) {
  switch (role) {
    case CardRole::loads: return "loads, temperatures and enforced motion";
    case CardRole::solution: return "choices of the analysis, tables, sets and output";
    case CardRole::aero: return "aerodynamics";
    case CardRole::optimisation: return "optimisation";
    case CardRole::contact: return "contact, which is taken as open";
    case CardRole::heat: return "heat transfer";
    case CardRole::curves: return "dependence on temperature, frequency or stress; the base values hold";
    case CardRole::damping: return "damping, which natural frequencies do not need";
    case CardRole::property: return "properties and materials that no element uses";
    case CardRole::used:
    case CardRole::refused: break;
  }
  return "";
}

std::string remedy_for_card(std::string_view name) {
  if (name == "BEGIN SUPER") return "give the assembled model as one bulk data section";
  static const auto words = [] {
    std::unordered_map<std::string_view, const char*> out;
    for (const CardRemedy& remedy : card_remedies) each_card_name(remedy.names, remedy.words, out);
    return out;
  }();
  const auto found = words.find(name);
  return found == words.end() ? "" : found->second;
}

const std::vector<std::string>& known_nastran_cards() {
  static const std::vector<std::string> names = [] {
    std::unordered_map<std::string_view, int> all;
    each_card_name(card_groups[0].names, 0, all);
    std::vector<std::string> out;
    for (const auto& [name, unused] : all) out.emplace_back(name);
    return out;
  }();
  return names;
}

}  // namespace kdyn::inline io
