# SPDX-License-Identifier: Apache-2.0
"""The Magic Formula once more, for magic_formula_test.cpp: written from the equations of H. B. Pacejka, Tyre and
Vehicle Dynamics, 2nd edition 2006, section 4.3.2, in their order there and with names of the book. It shares nothing
with the C++ source; where MF-Tyre 5.2 says more (relaxation lengths) its manual is followed.

python3 magic_formula.py car_tyre.tir > magic_formula.json
"""
import json
import re
import sys
from math import atan, copysign, cos, exp, pi, sin, sqrt, tan


def read(path):
    values = {}
    for line in open(path, encoding="utf-8"):
        found = re.match(r"\s*([A-Z]+[A-Z0-9_]*)\s*=\s*([-+0-9.eE]+)", line)
        if found:
            values[found.group(1)] = float(found.group(2))
    return values


def sgn(x):
    return 0.0 if x == 0 else copysign(1.0, x)


def magic(D, C, B, E, x):
    return D * sin(C * atan(B * x - E * (B * x - atan(B * x))))


def magic_cosine(D, C, B, E, x):
    return D * cos(C * atan(B * x - E * (B * x - atan(B * x))))


def tyre(c, Fz, kappa, alpha, gamma, Vx, combined=True):
    p = lambda name: c.get(name, 1.0 if name[0] == "L" and name != "LONGVL" else 0.0)
    Fzo, Ro = p("FNOMIN"), p("UNLOADED_RADIUS")
    Fzo1 = p("LFZO") * Fzo  # F'zo
    dfz = (Fz - Fzo1) / Fzo1

    # longitudinal force, pure slip
    SHx = (p("PHX1") + p("PHX2") * dfz) * p("LHX")
    kx = kappa + SHx
    Cx = p("PCX1") * p("LCX")
    mux = (p("PDX1") + p("PDX2") * dfz) * (1 - p("PDX3") * (gamma * p("LGAX")) ** 2) * p("LMUX")
    Dx = mux * Fz
    Ex = min((p("PEX1") + p("PEX2") * dfz + p("PEX3") * dfz**2) * (1 - p("PEX4") * sgn(kx)) * p("LEX"), 1.0)
    Kxk = Fz * (p("PKX1") + p("PKX2") * dfz) * exp(p("PKX3") * dfz) * p("LKX")
    Bx = Kxk / (Cx * Dx)
    SVx = Fz * (p("PVX1") + p("PVX2") * dfz) * p("LVX") * p("LMUX")
    Fxo = magic(Dx, Cx, Bx, Ex, kx) + SVx

    # lateral force, pure slip
    gy = gamma * p("LGAY")
    SHy = (p("PHY1") + p("PHY2") * dfz) * p("LHY") + p("PHY3") * gy
    ay = alpha + SHy
    Cy = p("PCY1") * p("LCY")
    muy = (p("PDY1") + p("PDY2") * dfz) * (1 - p("PDY3") * gy**2) * p("LMUY")
    Dy = muy * Fz
    Ey = min((p("PEY1") + p("PEY2") * dfz) * (1 - (p("PEY3") + p("PEY4") * gy) * sgn(ay)) * p("LEY"), 1.0)
    Kyao = p("PKY1") * Fzo1 * sin(2 * atan(Fz / (p("PKY2") * Fzo1))) * p("LKY")
    Kya = Kyao * (1 - p("PKY3") * abs(gy))
    By = Kya / (Cy * Dy)
    SVy = Fz * ((p("PVY1") + p("PVY2") * dfz) * p("LVY") + (p("PVY3") + p("PVY4") * dfz) * gy) * p("LMUY")
    Fyo = magic(Dy, Cy, By, Ey, ay) + SVy

    # aligning torque, pure slip
    gz = gamma * p("LGAZ")
    SHt = p("QHZ1") + p("QHZ2") * dfz + (p("QHZ3") + p("QHZ4") * dfz) * gz
    at = alpha + SHt
    SHf = SHy + SVy / Kya
    ar = alpha + SHf
    Bt = (p("QBZ1") + p("QBZ2") * dfz + p("QBZ3") * dfz**2) * (1 + p("QBZ4") * gz + p("QBZ5") * abs(gz))
    Bt *= p("LKY") / p("LMUY")
    Ct = p("QCZ1")
    Dt = Fz * (p("QDZ1") + p("QDZ2") * dfz) * (1 + p("QDZ3") * gz + p("QDZ4") * gz**2) * Ro / Fzo1 * p("LTR")
    Et = (p("QEZ1") + p("QEZ2") * dfz + p("QEZ3") * dfz**2) * (
        1 + (p("QEZ4") + p("QEZ5") * gz) * 2 / pi * atan(Bt * Ct * at))
    Et = min(Et, 1.0)
    Br = p("QBZ9") * p("LKY") / p("LMUY") + p("QBZ10") * By * Cy
    Dr = Fz * ((p("QDZ6") + p("QDZ7") * dfz) * p("LRES") + (p("QDZ8") + p("QDZ9") * dfz) * gz) * Ro * p("LMUY")

    out = {}
    if not combined:
        t = magic_cosine(Dt, Ct, Bt, Et, at) * cos(alpha)
        Mzr = Dr * cos(atan(Br * ar)) * cos(alpha)
        Fx, Fy, Mz = Fxo, Fyo, -t * Fyo + Mzr
    else:
        SHxa = p("RHX1")
        Bxa = p("RBX1") * cos(atan(p("RBX2") * kappa)) * p("LXAL")
        Cxa, Exa = p("RCX1"), min(p("REX1") + p("REX2") * dfz, 1.0)
        Gxa = magic_cosine(1, Cxa, Bxa, Exa, alpha + SHxa) / magic_cosine(1, Cxa, Bxa, Exa, SHxa)
        Fx = Gxa * Fxo
        SHyk = p("RHY1") + p("RHY2") * dfz
        Byk = p("RBY1") * cos(atan(p("RBY2") * (alpha - p("RBY3")))) * p("LYKA")
        Cyk, Eyk = p("RCY1"), min(p("REY1") + p("REY2") * dfz, 1.0)
        DVyk = muy * Fz * (p("RVY1") + p("RVY2") * dfz + p("RVY3") * gamma) * cos(atan(p("RVY4") * alpha))
        SVyk = DVyk * sin(p("RVY5") * atan(p("RVY6") * kappa)) * p("LVYKA")
        Gyk = magic_cosine(1, Cyk, Byk, Eyk, kappa + SHyk) / magic_cosine(1, Cyk, Byk, Eyk, SHyk)
        Fy = Gyk * Fyo + SVyk
        ateq = atan(sqrt(tan(at) ** 2 + (Kxk / Kya) ** 2 * kappa**2)) * sgn(at)
        areq = atan(sqrt(tan(ar) ** 2 + (Kxk / Kya) ** 2 * kappa**2)) * sgn(ar)
        t = magic_cosine(Dt, Ct, Bt, Et, ateq) * cos(alpha)
        Mzr = Dr * cos(atan(Br * areq)) * cos(alpha)
        s = Ro * (p("SSZ1") + p("SSZ2") * Fy / Fzo1 + (p("SSZ3") + p("SSZ4") * dfz) * gamma) * p("LS")
        Mz = -t * (Fy - SVyk) + Mzr + s * Fx
    V = abs(Vx) / p("LONGVL")
    return {
        "fx": Fx, "fy": Fy, "mz": Mz,
        "mx": Ro * Fz * (p("QSX1") * p("LVMX") + (-p("QSX2") * gamma + p("QSX3") * Fy / Fzo) * p("LMX")),
        "my": Ro * Fz * (p("QSY1") + p("QSY2") * Fx / Fzo + p("QSY3") * V + p("QSY4") * V**4) * p("LMY"),
        "sigma_x": Fz * (p("PTX1") + p("PTX2") * dfz) * exp(-p("PTX3") * dfz) * Ro / Fzo * p("LSGKP"),
        "sigma_y": p("PTY1") * sin(2 * atan(Fz / (p("PTY2") * Fzo1))) * (1 - p("PKY3") * abs(gy)) * Ro * p("LFZO")
        * p("LSGAL"),
    }


def main():
    c = read(sys.argv[1])
    c.update({k: float(v) for k, v in (a.split("=") for a in sys.argv[2:])})
    cases = []
    for combined in (False, True):
        for share in (0.1, 1.0, 1.9):
            Fz = share * c["FNOMIN"]
            for kappa in (-0.9, -0.08, 0.0, 0.05):
                for alpha in (-0.35, 0.0, 0.02, 0.2):
                    for gamma in (-0.1, 0.05):
                        if not combined and kappa != 0 and alpha != 0:
                            continue
                        case = {"combined": combined, "fz": Fz, "kappa": kappa, "alpha": alpha, "gamma": gamma, "vx": 22.0}
                        case.update(tyre(c, Fz, kappa, alpha, gamma, 22.0, combined))
                        cases.append(case)
    rows = ["  " + json.dumps(case) for case in cases]
    print("[\n" + ",\n".join(rows) + "\n]")


if __name__ == "__main__":
    main()
