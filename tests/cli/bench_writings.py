# SPDX-License-Identifier: Apache-2.0
"""One known mount in the layouts and formats of benches, written by other software than kdyn: plain Python, openpyxl, scipy, h5py.

Each writing is a Writing: the file, the words beside it on the command line, and what it means in the units of kdyn's own CSV. The truth is
rounded to the digits that are printed, so that what is read must agree to the last of them."""
import cmath
import io
import math
import zipfile
from dataclasses import dataclass, field

FREQUENCIES = (1.0, 5.0, 10.0, 20.0, 40.0)
AMPLITUDES = (0.05, 0.2, 1.0)
PRELOADS = (0.0, 850.0)


def stiffness(f, a, p):
    return round(400.0 + 35.0 * math.log10(f) - 60.0 * math.log10(a / 0.05) + 0.11 * p, 1)


def angle(f, a, p):
    return round(3.0 + 1.2 * math.log10(f) + 2.1 * a ** 0.3 + 0.0003 * p, 2)


def rows(preloads=PRELOADS, amplitudes=AMPLITUDES):
    """(frequency Hz, amplitude mm, preload N, k_dyn N/mm, loss angle deg)"""
    return [(f, a, p, stiffness(f, a, p), angle(f, a, p)) for p in preloads for a in amplitudes for f in FREQUENCIES]


@dataclass
class Writing:
    name: str
    content: bytes
    expected: list  # rows of kdyn's CSV
    words: list = field(default_factory=list)
    kind: str = "map"
    digits: float = 1e-9  # relative, where numbers were converted before they were printed


def text(name, header, lines, expected, *, delimiter=",", encoding="utf-8", words=(), kind="map", digits=1e-9, end="\n"):
    body = end.join(([header] if header else []) + [delimiter.join(line) for line in lines]) + end
    return Writing(name, body.encode(encoding), expected, list(words), kind, digits)


def comma(x, digits):
    return f"{x:.{digits}f}".replace(".", ",")


def complex_stiffness(row):
    return cmath.rect(row[3], math.radians(row[4]))


def book(name, sheets, expected, hidden=(), merged=(), **more):
    import openpyxl
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for title, cells in sheets.items():
        sheet = workbook.create_sheet(title)
        for row in cells:
            sheet.append(row)
        if title in hidden:
            sheet.sheet_state = "hidden"
        for area in merged:
            sheet.merge_cells(area)
    out = io.BytesIO()
    workbook.save(out)
    return Writing(name, out.getvalue(), expected, **more)


def ods(name, cells, expected):
    """The least of an OpenDocument sheet, by hand."""
    def cell(value):
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value!r}"><text:p>{value}</text:p></table:table-cell>'
    body = "".join("<table:table-row>" + "".join(map(cell, row)) + "</table:table-row>" for row in cells)
    space = "urn:oasis:names:tc:opendocument:xmlns:"
    content = (f'<office:document-content xmlns:office="{space}office:1.0" xmlns:table="{space}table:1.0" xmlns:text="{space}text:1.0"><office:body>'
               f'<office:spreadsheet><table:table table:name="Messung">{body}</table:table></office:spreadsheet></office:body></office:document-content>')
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
    return Writing(name, out.getvalue(), expected)


def mat(name, variables, expected, **more):
    import scipy.io
    options = {key: more.pop(key) for key in ("format", "do_compression") if key in more}
    out = io.BytesIO()
    scipy.io.savemat(out, variables, **options)
    return Writing(name, out.getvalue(), expected, **more)


def h5(name, datasets, expected, **more):
    import h5py
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        for path, values in datasets.items():
            file.create_dataset(path, data=values)
    return Writing(name, out.getvalue(), expected, **more)


def uff58(name, signals, step, expected, **more):
    """Dataset 58, real, single precision of text, evenly spaced in time: (name, unit of displacement or force, values)."""
    out = []
    for title, kind, unit, values in signals:
        out += ["    -1", "    58", f"{title:<80}", f"{'NONE':<80}", f"{'16-NOV-26 10:00:00':<80}", f"{'NONE':<80}", f"{'NONE':<80}",
                f"{1:5d}{0:10d}{0:5d}{0:10d} {title[:10]:<10}{1:10d}{3:4d} {'NONE':<10}{0:10d}{0:4d}",
                f"{4:10d}{len(values):10d}{1:10d}{0.0:13.5e}{step:13.5e}{0.0:13.5e}",
                f"{17:10d}{0:5d}{0:5d}{0:5d} {'Time':<20} {'s':<20}", f"{kind:10d}{0:5d}{0:5d}{0:5d} {title:<20} {unit:<20}",
                f"{0:10d}{0:5d}{0:5d}{0:5d} {'NONE':<20} {'NONE':<20}", f"{0:10d}{0:5d}{0:5d}{0:5d} {'NONE':<20} {'NONE':<20}"]
        for i in range(0, len(values), 4):
            out.append("".join(f"{v:20.11e}" for v in values[i:i + 4]))
        out.append("    -1")
    return Writing(name, ("\n".join(out) + "\n").encode(), expected, **more)


def maps():
    all_rows, one = rows(), rows(preloads=(850.0,))
    plain = [[f"{f:g}", f"{a:g}", f"{p:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, p, k, d in all_rows]
    german = [[comma(f, 1), comma(a, 2), comma(p, 0), comma(k, 1), comma(d, 2)] for f, a, p, k, d in all_rows]
    head = "Frequency [Hz],Amplitude [mm],Preload [N],"
    first = [line[:3] for line in plain]
    K = [complex_stiffness(row) for row in all_rows]

    yield text("canonical.csv", "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg", plain, all_rows)
    yield text("crlf.csv", "frequency_hz,amplitude_mm,preload_n,k_dyn_n_per_mm,loss_angle_deg", plain, all_rows, end="\r\n")
    yield text("german.csv", "Frequenz [Hz];Amplitude [mm];Vorlast [N];Dyn. Steifigkeit [N/mm];Verlustwinkel [°]", german, all_rows, delimiter=";")
    yield text("german_latin1.csv", "Prüffrequenz [Hz];Wegamplitude [mm];Vorlast [N];Cdyn [N/mm];Verlustwinkel [Grad]", german, all_rows, delimiter=";", encoding="latin-1")
    yield text("german_utf16.txt", "Frequenz [Hz]\tAmplitude [mm]\tVorlast [N]\tKdyn [N/mm]\tPhase [°]", german, all_rows, delimiter="\t", encoding="utf-16")
    yield text("bom.csv", "Frequency (Hz),Amplitude (mm),Preload (N),Dynamic Stiffness (N/mm),Phase (deg)", plain, all_rows, encoding="utf-8-sig")
    yield text("french.csv", "Fréquence [Hz];Amplitude dynamique [mm];Précharge [N];Rigidité dynamique [N/mm];Angle de perte [deg]", german, all_rows, delimiter=";")
    yield text("french_1252.csv", "Fréquence (Hz);Amplitude (mm);Charge statique (N);Raideur dynamique (N/mm);Déphasage (°)", german, all_rows, delimiter=";", encoding="cp1252")
    yield text("short_names.csv", "f;x0;Fv;Cdyn;phi\nHz;mm;N;N/mm;°", german, all_rows, delimiter=";")
    yield text("units_row.csv", "Frequency,Amplitude,Mean Force,Kdyn,Loss angle\nHz,mm,N,N/mm,deg", plain, all_rows)
    yield text("bars.txt", "Frequency [Hz]|Amplitude [mm]|Preload [N]|Kdyn [N/mm]|Phase [deg]", plain, all_rows, delimiter="|")
    yield text("blanks.txt", "frequency_hz   amplitude_mm   preload_n   k_dyn_n_per_mm   loss_angle_deg", plain, all_rows, delimiter="   ")
    yield text("tan_delta.csv", head + "K* [N/mm],tan delta", [a + [p[3], f"{math.tan(math.radians(row[4])):.12f}"] for a, p, row in zip(first, plain, all_rows)], all_rows)
    yield text("loss_factor.csv", head + "|K*| [N/mm],Loss factor [-]", [a + [p[3], f"{math.tan(math.radians(row[4])):.12f}"] for a, p, row in zip(first, plain, all_rows)], all_rows)
    yield text("radians.csv", head + "Kdyn [N/mm],delta [rad]", [a + [p[3], f"{math.radians(row[4]):.12f}"] for a, p, row in zip(first, plain, all_rows)], all_rows)
    parts = [a + [f"{z.real:.10f}", f"{z.imag:.10f}"] for a, z in zip(first, K)]
    yield text("storage_loss.csv", head + "K' [N/mm],K'' [N/mm]", parts, all_rows)
    yield text("storage_loss_words.csv", head + "Storage Stiffness [N/mm],Loss Stiffness [N/mm]", parts, all_rows)
    yield text("speicher_verlust.csv", "Frequenz [Hz],Amplitude [mm],Vorlast [N],Speichersteifigkeit [N/mm],Verluststeifigkeit [N/mm]", parts, all_rows)
    yield text("real_imaginary.csv", head + "Re(K) [N/mm],Im(K) [N/mm]", parts, all_rows)
    damping = [a + [f"{z.real:.10f}", f"{z.imag / (2 * math.pi * row[0]):.12f}"] for a, z, row in zip(first, K, all_rows)]
    yield text("k_and_c.csv", head + "K [N/mm],C [Ns/mm]", damping, all_rows)
    yield text("complex_i.csv", head + "K* [N/mm]", [a + [f"{z.real:.10f}+{z.imag:.10f}i"] for a, z in zip(first, K)], all_rows)
    yield text("complex_j_comma.csv", "Frequenz [Hz];Amplitude [mm];Vorlast [N];Komplexe Steifigkeit [N/mm]",
               [g[:3] + [f"{comma(z.real, 10)} + j{comma(z.imag, 10)}"] for g, z in zip(german, K)], all_rows, delimiter=";")
    yield text("complex_brackets.csv", head + "K* [N/mm]", [a + [f"({z.real:.10f} + {z.imag:.10f}*j)"] for a, z in zip(first, K)], all_rows)
    yield text("peak_to_peak.csv", "Frequency [Hz],Amplitude p-p [mm],Preload [N],Kdyn [N/mm],Phase [deg]", [[p[0], f"{2 * row[1]:g}"] + p[2:] for p, row in zip(plain, all_rows)], all_rows)
    yield text("pk_pk_in_unit.csv", "Frequency (Hz),Dyn. Amplitude (mm pk-pk),Preload (N),K* (N/mm),Phase (deg)", [[p[0], f"{2 * row[1]:g}"] + p[2:] for p, row in zip(plain, all_rows)], all_rows)
    yield text("plus_minus.csv", "Frequency [Hz],Amplitude [±mm],Preload [N],Kdyn [N/mm],Phase [deg]", plain, all_rows)
    yield text("rms.csv", "Frequency [Hz],Amplitude rms [mm],Preload [N],Kdyn [N/mm],Phase [deg]", [[p[0], f"{row[1] / math.sqrt(2):.12f}"] + p[2:] for p, row in zip(plain, all_rows)], all_rows)
    yield text("micrometres.csv", "Frequency [Hz],Amplitude [µm],Preload [N],Kdyn [N/mm],Phase [deg]", [[p[0], f"{1000 * row[1]:g}"] + p[2:] for p, row in zip(plain, all_rows)], all_rows)
    pound, inch = 4.4482216152605, 25.4
    yield text("imperial.csv", "Frequency (Hz),Amplitude (in),Preload (lbf),K* (lbf/in),Phase (deg)",
               [[p[0], f"{row[1] / inch:.14f}", f"{row[2] / pound:.10f}", f"{row[3] / pound * inch:.10f}", p[4]] for p, row in zip(plain, all_rows)], all_rows)
    yield text("kilonewton.csv", "Frequency [Hz],Amplitude [mm],Preload [kN],Kdyn [kN/mm],Phase [deg]", [p[:2] + [f"{row[2] / 1000:g}", f"{row[3] / 1000:.4f}", p[4]] for p, row in zip(plain, all_rows)], all_rows)
    yield text("decanewton.csv", "Frequency [Hz],Amplitude [mm],Preload [daN],Kdyn [daN/mm],Phase [deg]", [p[:2] + [f"{row[2] / 10:g}", f"{row[3] / 10:.2f}", p[4]] for p, row in zip(plain, all_rows)], all_rows)
    yield text("newton_per_metre.csv", "Frequency [Hz],Amplitude [m],Preload [N],Kdyn [N/m],Phase [deg]", [[p[0], f"{row[1] / 1000:g}", p[2], f"{1000 * row[3]:.0f}", p[4]] for p, row in zip(plain, all_rows)], all_rows)
    yield text("thousands_german.csv", "Frequenz [Hz];Amplitude [mm];Vorlast [N];Kdyn [N/m];Phase [°]",
               [g[:3] + [f"{1000 * row[3]:,.1f}".replace(",", "x").replace(".", ",").replace("x", "."), g[4]] for g, row in zip(german, all_rows)], all_rows, delimiter=";")
    yield text("thousands_quoted.csv", "Frequency [Hz],Amplitude [mm],Preload [N],Kdyn [N/m],Phase [deg]", [p[:3] + [f'"{1000 * row[3]:,.1f}"', p[4]] for p, row in zip(plain, all_rows)], all_rows)
    yield text("thousands_blank.csv", "Frequency [Hz];Amplitude [mm];Preload [N];Kdyn [N/m];Phase [deg]", [p[:3] + [f"{1000 * row[3]:,.1f}".replace(",", " "), p[4]] for p, row in zip(plain, all_rows)], all_rows, delimiter=";")
    yield text("constants.csv", "# Part: M17\n# Direction: z\n# Preload: 850 N\n# Temperature: 23 °C\nFrequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]",
               [[f"{f:g}", f"{a:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, _, k, d in one], one)
    yield text("preamble.txt", "Prüfbericht 17\nPrüfling;M17\nVorlast [N];850\nDatum;16.11.2026\n\nFrequenz [Hz];Amplitude [mm];Cdyn [N/mm];Verlustwinkel [°]",
               [[comma(f, 1), comma(a, 2), comma(k, 1), comma(d, 2)] for f, a, _, k, d in one], one, delimiter=";")
    wide = [[f"{f:g}"] + [cell for a in AMPLITUDES for cell in (f"{stiffness(f, a, 850.0):.1f}", f"{angle(f, a, 850.0):.2f}")] for f in FREQUENCIES]
    yield text("wide_names.csv", "# Preload: 850 N\nFrequency [Hz]," + ",".join(f"Kdyn {a:g}mm [N/mm],Phase {a:g}mm [deg]" for a in AMPLITUDES), wide, one)
    yield text("wide_two_rows.csv", "Vorlast: 850 N;;;;;;\nAmplitude [mm];" + ";".join(f"{comma(a, 2)};{comma(a, 2)}" for a in AMPLITUDES) + "\nFrequenz [Hz];" + ";".join(["Kdyn [N/mm];Phase [°]"] * 3),
               [[cell.replace(".", ",") for cell in line] for line in wide], one, delimiter=";")
    yield text("wide_frequencies.csv", "# Preload: 850 N\nAmplitude [mm]," + ",".join(f"Kdyn {f:g} Hz [N/mm],Phase {f:g} Hz [deg]" for f in FREQUENCIES),
               [[f"{a:g}"] + [cell for f in FREQUENCIES for cell in (f"{stiffness(f, a, 850.0):.1f}", f"{angle(f, a, 850.0):.2f}")] for a in AMPLITUDES], one)
    blocks = "\n".join(f"Amplitude = {a:g} mm, F0 = {p:g} N\nFrequency [Hz],Kdyn [N/mm],Phase [deg]\n" + "\n".join(
        f"{f:g},{stiffness(f, a, p):.1f},{angle(f, a, p):.2f}" for f in FREQUENCIES) + "\n" for p in PRELOADS for a in AMPLITUDES)
    yield Writing("blocks.csv", blocks.encode(), all_rows)
    matrix = "Preload: 850 N\n\nKdyn [N/mm]\n" + "\n".join(["f [Hz] \\ A [mm]," + ",".join(f"{a:g}" for a in AMPLITUDES)] + [
        f"{f:g}," + ",".join(f"{stiffness(f, a, 850.0):.1f}" for a in AMPLITUDES) for f in FREQUENCIES]) + "\n\nPhase [deg]\n" + "\n".join(
        ["f [Hz] \\ A [mm]," + ",".join(f"{a:g}" for a in AMPLITUDES)] + [f"{f:g}," + ",".join(f"{angle(f, a, 850.0):.2f}" for a in AMPLITUDES) for f in FREQUENCIES]) + "\n"
    yield Writing("two_matrices.csv", matrix.encode(), one)
    for name, sign in (("gaps_dashes.csv", "---"), ("gaps_empty.csv", ""), ("gaps_nv.csv", "#NV"), ("gaps_nan.csv", "NaN"), ("gaps_na.csv", "n/a")):
        holed = [line[:3] + [sign, line[4]] if i % 7 == 3 else line for i, line in enumerate(plain)]
        yield text(name, "Frequency [Hz],Amplitude [mm],Preload [N],Kdyn [N/mm],Phase [deg]", holed, [row for i, row in enumerate(all_rows) if i % 7 != 3])
    yield text("footer.csv", "Frequenz [Hz];Amplitude [mm];Vorlast [N];Kdyn [N/mm];Phase [°]", german + [["Mittelwert", "", "", "512,3", "4,4"]], all_rows, delimiter=";")
    yield text("no_header.csv", "", plain, all_rows, words=["--columns", "frequency=1,amplitude=2,preload=3,k_dyn=4,loss_angle=5", "--units", "amplitude=mm,preload=N,k_dyn=N/mm,loss_angle=deg"])
    yield text("strange_names.csv", "Kanal 1,Kanal 2,Kanal 3,Kanal 4,Kanal 5", plain, all_rows,
               words=["--columns", "frequency=Kanal 1,amplitude=Kanal 2,preload=Kanal 3,k_dyn=Kanal 4,loss_angle=Kanal 5", "--units", "amplitude=mm,preload=N,k_dyn=N/mm,loss_angle=deg"])
    yield text("value_by_hint.csv", "Frequency [Hz],Kdyn [N/mm],Phase [deg]", [[f"{f:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, p, k, d in one if a == 0.2],
               [row for row in one if row[1] == 0.2], words=["--columns", "amplitude==0.2 mm,preload==850 N"])
    yield text("mts_like.txt", "MTS793|TestSuite\nDate: 11/16/2026 10:12:00 AM\nStation: 831.50\n\nTest Frequency (Hz)\tDynamic Displacement (mm pk-pk)\tMean Force (N)\tDynamic Stiffness K* (N/mm)\tPhase Angle (deg)\tTan Delta",
               [[p[0], f"{2 * row[1]:g}"] + p[2:] + [f"{math.tan(math.radians(row[4])):.6f}"] for p, row in zip(plain, all_rows)], all_rows, delimiter="\t")
    yield text("instron_like.csv", '"",Frequency (Hz),Amplitude (mm),Mean Load (N),Complex Stiffness K* (N/mm),Phase Angle (deg)', [[str(i + 1)] + line for i, line in enumerate(plain)], all_rows)
    directions = [[f"{f:g}", f"{a:g}", f"{k:.1f}", f"{d:.2f}", f"{2 * k:.1f}", f"{d:.2f}"] for f, a, _, k, d in one]
    yield text("three_directions.csv", "Frequency [Hz],Amplitude [mm],Kdyn x [N/mm],Phase x [deg],Kdyn z [N/mm],Phase z [deg]", directions,
               [(f, a, 0.0, 2 * k, d) for f, a, _, k, d in one], words=["--direction", "z"])
    yield text("parts_column.csv", "Part,Frequency [Hz],Amplitude [mm],Preload [N],Kdyn [N/mm],Phase [deg]", [["A"] + line for line in plain] + [["B"] + line for line in plain[:5]],
               all_rows[:5], words=["--part", "B"])
    twist = [(f, a, 0.0, k, d) for f, a, _, k, d in one]
    yield text("torsion.csv", "Frequency [Hz],Twist amplitude [deg],Torsional stiffness [Nm/deg],Loss angle [deg]", [[f"{f:g}", f"{a:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, _, k, d in one], twist, kind="torsion")
    yield text("torsion_german.csv", "Frequenz [Hz];Winkelamplitude [Grad];Drehsteifigkeit [Nm/Grad];Verlustwinkel [Grad]",
               [[comma(f, 1), comma(a, 2), comma(k, 1), comma(d, 2)] for f, a, _, k, d in one], twist, delimiter=";", kind="torsion")

    header = ["Frequency [Hz]", "Amplitude [mm]", "Preload [N]", "Kdyn [N/mm]", "Phase [deg]"]
    yield book("plain.xlsx", {"Data": [header] + [list(row) for row in all_rows]}, all_rows)
    yield book("protocol.xlsx", {"Protocol": [["Customer", "none"], ["Remark", "all well"]], "Data": [["Test of 16 November"], ["Part", "M17"], ["Preload [N]", 850], [], header[:2] + header[3:]]
                                 + [[f, a, k, d] for f, a, _, k, d in one]}, one)
    yield book("hidden.xlsx", {"Raw": [header] + [[1.0, 1.0, 1.0, 1.0, 1.0]], "Data": [header] + [list(row) for row in all_rows]}, all_rows, hidden=("Raw",))
    yield book("three_sheets.xlsx", {d: [header] + [[f, a, p, scale * k, phi] for f, a, p, k, phi in all_rows] for d, scale in (("x", 3.0), ("y", 2.0), ("z", 1.0))}, all_rows, words=["--direction", "z"])
    yield book("merged.xlsx", {"Data": [["", "Kdyn [N/mm]", None, None, "Phase [deg]", None, None], ["Amplitude [mm]"] + list(AMPLITUDES) * 2]
                               + [[f] + [stiffness(f, a, 850.0) for a in AMPLITUDES] + [angle(f, a, 850.0) for a in AMPLITUDES] for f in FREQUENCIES]},
               [(f, a, 0.0, k, d) for f, a, _, k, d in one], merged=("B1:D1", "E1:G1"), words=["--columns", "frequency=A"])
    yield book("complex.xlsx", {"Data": [header[:3] + ["K* [N/mm]"]] + [[f, a, p, f"{z.real:.10f}+{z.imag:.10f}i"] for (f, a, p, _, _), z in zip(all_rows, K)]}, all_rows)
    yield ods("plain.ods", [header] + [list(row) for row in all_rows], all_rows)

    columns = list(zip(*all_rows))
    names = ("frequency_hz", "amplitude_mm", "preload_n", "k_dyn_n_per_mm", "loss_angle_deg")
    yield mat("vectors.mat", dict(zip(names, columns)), all_rows)
    yield mat("vectors_packed.mat", dict(zip(names, columns)), all_rows, do_compression=True)
    yield mat("version_4.mat", dict(zip(("frequency_hz", "amplitude_mm", "preload_n", "k_dyn_n_per_mm", "phase_deg"), columns)), all_rows, format="4")
    yield mat("own_names.mat", dict(zip(("fHz", "xa", "Fv", "cdyn", "phi"), columns)), all_rows,
              words=["--columns", "frequency=fHz,amplitude=xa,preload=Fv,k_dyn=cdyn,loss_angle=phi", "--units", "frequency=Hz,amplitude=mm,preload=N,k_dyn=N/mm,loss_angle=deg"])
    grid = [[stiffness(f, a, 850.0) for a in AMPLITUDES] for f in FREQUENCIES]
    phases = [[angle(f, a, 850.0) for a in AMPLITUDES] for f in FREQUENCIES]
    yield mat("grid.mat", {"frequency_hz": [[f] for f in FREQUENCIES], "amplitude_mm": [list(AMPLITUDES)], "k_dyn_n_per_mm": grid, "loss_angle_deg": phases, "preload_n": 850.0}, one)
    yield mat("structs.mat", {d: dict(zip(names, [columns[0], columns[1], columns[2], [scale * k for k in columns[3]], columns[4]])) for d, scale in (("x", 2.0), ("z", 1.0))},
              all_rows, words=["--direction", "z"])
    yield mat("complex.mat", dict(zip(names[:3], columns[:3])) | {"K_n_per_mm": K}, all_rows, words=["--columns", "k_dyn=K_n_per_mm"], digits=1e-9)
    yield h5("vectors.h5", dict(zip(names, columns)), all_rows)
    yield h5("groups.h5", {f"bench/{name}": values for name, values in zip(names, columns)}, all_rows)
    yield h5("own_names.h5", dict(zip(("f", "x", "F", "c", "d"), columns)), all_rows,
             words=["--columns", "frequency=f,amplitude=x,preload=F,k_dyn=c,loss_angle=d", "--units", "frequency=Hz,amplitude=mm,preload=N,k_dyn=N/mm,loss_angle=deg"])


def uncommon():
    """Other units, names and settings: each found in exports that a newcomer would try."""
    one = [(f, a, 0.0, k, d) for f, a, _, k, d in rows(preloads=(0.0,))]
    plain = [[f"{f:g}", f"{a:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, _, k, d in one]
    german = [[comma(f, 1), comma(2 * a, 2), comma(k, 1), comma(d, 2)] for f, a, _, k, d in one]
    kgf = 9.80665
    yield text("kilopond.csv", "Freq(Hz),Amp(mm p-p),Kd(kgf/mm),Loss factor", [[p[0], f"{2 * row[1]:g}", f"{row[3] / kgf:.12f}", f"{math.tan(math.radians(row[4])):.12f}"] for p, row in zip(plain, one)], one)
    yield text("double_amplitude.csv", "Frequency (Hz),Double Amplitude (in),K* (N/mm),Phase Angle (deg)", [[p[0], f"{2 * row[1] / 25.4:.14f}", p[2], p[3]] for p, row in zip(plain, one)], one)
    yield text("doppelamplitude.csv", "Frequenz [Hz];Doppelamplitude [mm];c_dyn [N/mm];Verlustwinkel [°]", german, one, delimiter=";")
    yield text("spitze_spitze.csv", "Frequenz [Hz];Weg Spitze-Spitze [mm];Dynamische Steifigkeit [N/mm];Phasenwinkel [°]", german, one, delimiter=";")
    yield text("crete_a_crete.csv", "Fréquence (Hz);Amplitude crête à crête (mm);Raideur dynamique (N/mm);Angle de perte (°)", german, one, delimiter=";", encoding="latin-1")
    yield text("omega.csv", "omega [rad/s],Amplitude [mm],Kdyn [N/mm],Phase [deg]", [[f"{2 * math.pi * row[0]:.14f}"] + p[1:] for p, row in zip(plain, one)], one)
    yield text("force_amplitude.csv", "Frequency [Hz],Force amplitude [N],Displacement amplitude [mm],Phase [deg]", [[p[0], f"{row[1] * row[3]:.10f}", p[1], p[3]] for p, row in zip(plain, one)], one)
    yield text("kraft_spitze_spitze.csv", "Frequenz [Hz];Kraft Spitze-Spitze [kN];Weg Spitze-Spitze [mm];Phasenwinkel [°]",
               [[g[0], comma(2 * row[1] * row[3] / 1000, 12), g[1], g[3]] for g, row in zip(german, one)], one, delimiter=";")
    yield text("mil.csv", "Freq (Hz),Amplitude (mil),Stiffness (N/mm),Damping (N-s/mm)",
               [[p[0], f"{row[1] / 0.0254:.12f}", f"{complex_stiffness(row).real:.10f}", f"{complex_stiffness(row).imag / (2 * math.pi * row[0]):.14f}"] for p, row in zip(plain, one)], one)
    yield text("meganewton.csv", "Frequency [Hz],Amplitude [µm],Kdyn [MN/m],Phase [deg]", [[p[0], f"{1000 * row[1]:g}", f"{row[3] / 1000:.4f}", p[3]] for p, row in zip(plain, one)], one)
    yield text("percent.csv", "Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Loss factor [%]", [p[:3] + [f"{100 * math.tan(math.radians(row[4])):.12f}"] for p, row in zip(plain, one)], one)
    yield text("kx_ky.csv", "f [Hz],A [mm],Kx [N/mm],delta x [deg],Ky [N/mm],delta y [deg]", [p + [f"{2 * row[3]:.1f}", p[3]] for p, row in zip(plain, one)],
               [(f, a, 0.0, 2 * k, d) for f, a, _, k, d in one], words=["--direction", "y"])
    yield text("fahrenheit.csv", "Temp [°F],Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]", [["73.4"] + p for p in plain] + [["176"] + p[:2] + [f"{0.7 * row[3]:.1f}", p[3]] for p, row in zip(plain, one)],
               one, words=["--temperature", "23"])
    yield text("serial.csv", "Serial,Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]", [["1017"] + p for p in plain] + [["1018"] + p[:2] + [f"{1.3 * row[3]:.1f}", p[3]] for p, row in zip(plain, one)],
               one, words=["--part", "1017"])
    yield text("compound.csv", "Mischung;Frequenz [Hz];Doppelamplitude [mm];c_dyn [N/mm];Verlustwinkel [°]",
               [["NR 55"] + g for g in german] + [["NR 65"] + g[:2] + [comma(1.3 * row[3], 1), g[3]] for g, row in zip(german, one)], one, delimiter=";", words=["--part", "NR 55"])
    yield h5_described(one)
    yield from reports(one, plain)


def reports(one, plain):
    """Whole reports: unit rows, settings, statistics, signs of other software."""
    K = [complex_stiffness(row) for row in one]
    yield text("units_below.csv", "Frequency,Amplitude,Stiffness K*,Stiffness K',Stiffness K\",Damping,Phase\n(Hz),(mm),(N/mm),(N/mm),(N/mm),(N.s/m),(deg)",
               [p[:3] + [f"{z.real:.4f}", f"{z.imag:.4f}", f"{1000 * z.imag / (2 * math.pi * row[0]):.4f}", p[3]] for p, row, z in zip(plain, one, K)], one)
    numbered = [[str(i + 1), comma(f, 1), comma(a, 2), comma(k, 1), comma(d, 2), ""] for i, (f, a, _, k, d) in enumerate(one)]
    yield text("statistics.csv", "Prüfprotokoll\nPrüfer;Huber\nPrüftemperatur;23;°C\n\nNr;Frequenz;Amplitude;c dyn;Verlustwinkel δ;Bemerkung\n;Hz;mm;N/mm;°;",
               numbered + [[""], ["Statistik:"], ["Serie", "f", "A", "c dyn", "δ"], ["n = 15", "Hz", "mm", "N/mm", "°"], ["x̄", "13,0", "0,42", "441,2", "4,61"], ["s", "14,1", "0,42", "35,2", "0,51"]],
               one, delimiter=";")
    yield text("star_comments.dat", "* HYDROPULS   Kennfeld\n* Pruefling: Lager_rechts  Richtung: axial\n* f[Hz]   s0[mm]   c[N/mm]   delta[Grad]", [[""] + p for p in plain], one, delimiter="  ")
    yield text("division.csv", "f/Hz;A0/mm;K'/(N/mm);K''/(N/mm)", [p[:2] + [f"{z.real:.10f}", f"{z.imag:.10f}"] for p, z in zip(plain, K)], one, delimiter=";")
    twist = [(f, a, 5.0, k, d) for f, a, _, k, d in one]
    yield text("torsion_mrad.csv", "Frequency [Hz],Angle amplitude [mrad],Mean torque [Nm],Torsional stiffness [Nm/rad],Loss angle [deg]",
               [[p[0], f"{1000 * math.radians(row[1]):.12f}", "5", f"{math.degrees(row[3]):.10f}", p[3]] for p, row in zip(plain, one)], twist, kind="torsion")
    yield text("drehwinkel.txt", "Prüfung Torsion\nFrequenz (Hz)\tDrehwinkel SS (°)\tMittelmoment (Nm)\tcdyn (Nm/°)\tVerlustwinkel (°)",
               [[comma(f, 1), comma(2 * a, 2), "5,0", comma(k, 1), comma(d, 2)] for f, a, _, k, d in one], twist, delimiter="\t", kind="torsion", encoding="utf-16")
    yield book("rapport.xlsx", {"Résumé": [["Essai", "OK"]], "Mesures": [["Pièce", "SUP-AV"], ["Température d'essai", 23, "°C"], [],
                                ["Fréquence (Hz)", "Amplitude (mm crête)", "Raideur (N/mm)", "Déphasage (°)"]] + [[f, a, k, d] for f, a, _, k, d in one]}, one)
    yield book("amplitude_sheets.xlsx", {f"{a:g} mm": [["Frequency", "K'", "K''"], ["Hz", "N/mm", "N/mm"]] + [[row[0], z.real, z.imag] for row, z in zip(one, K) if row[1] == a] for a in AMPLITUDES},
               [row for row in one if row[1] == 0.2], words=["--sheets", "0.2 mm"])


def h5_described(one):
    """Names that tell nothing, units and settings in attributes."""
    import h5py
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        group = file.create_group("test")
        group.attrs["preload_n"] = 0.0
        group.attrs["direction"] = "z"
        for name, unit, values in zip(("Frequency", "Amplitude", "Kdyn", "Loss angle"), ("Hz", "µm", "N/mm", "deg"), zip(*[(f, 1000 * a, k, d) for f, a, _, k, d in one])):
            group.create_dataset(name, data=values).attrs["units"] = unit
    return Writing("described.h5", out.getvalue(), one)


def loops_and_records():
    loop = [(round(3.0 * math.sin(0.1 * i), 3), round(900.0 * math.sin(0.1 * i) + 40.0 * math.cos(0.1 * i), 1)) for i in range(64)]
    yield text("loop.csv", "displacement_mm,force_n", [[f"{x:g}", f"{f:g}"] for x, f in loop], loop, kind="static")
    yield text("loop_german.txt", "Weg [mm];Kraft [kN]", [[comma(x, 3), comma(f / 1000, 5)] for x, f in loop], loop, delimiter=";", kind="static")
    yield text("loop_utf16.txt", "Traversenweg [mm]\tStandardkraft [N]", [[comma(x, 3), comma(f, 1)] for x, f in loop], loop, delimiter="\t", encoding="utf-16", kind="static")
    yield text("loop_extension.csv", "Extension (mm),Load (N)", [[f"{x:g}", f"{f:g}"] for x, f in loop], loop, kind="static")
    yield text("loop_torsion.csv", "Twist angle [deg],Torque [Nm]", [[f"{x:g}", f"{f:g}"] for x, f in loop], loop, kind="torsion_static")
    yield book("loop.xlsx", {"Static z": [["Weg [mm]", "Kraft [N]"]] + [list(p) for p in loop]}, loop, kind="static")
    yield mat("loop.mat", {"displacement_mm": [x for x, _ in loop], "force_n": [f for _, f in loop]}, loop, kind="static")
    step = 0.002
    record = [(round(step * i, 3), round(math.sin(0.3 * i) + 0.2 * math.sin(1.1 * i), 4), round(500.0 * math.sin(0.3 * i + 0.1), 2)) for i in range(200)]
    plain = [[f"{t:g}", f"{x:g}", f"{f:g}"] for t, x, f in record]
    yield text("record.csv", "time_s,displacement_mm,force_n", plain, record, kind="series")
    yield text("record_mts.txt", "Axial Displacement (mm)\tAxial Force (N)\tRunning Time (s)", [[x, f, t] for t, x, f in plain], record, delimiter="\t", kind="series")
    yield text("record_milliseconds.csv", "Zeit [ms];Weg [mm];Kraft [N]", [[comma(1000 * t, 0), comma(x, 4), comma(f, 2)] for t, x, f in record], record, delimiter=";", kind="series")
    yield text("record_strange_time.csv", "Clock (s),LVDT (mm),Load Cell (N)", plain, record, kind="series")
    yield text("record_channels.csv", "Clock (s),Ch 1 (mm),Ch 2 (mm),Ch 3 (N),Ch 4 (N)", [[t, x, "7", f, "9"] for t, x, f in plain], record,
               words=["--columns", "displacement=Ch 1,force=Ch 3"], kind="series")
    clock = [[f"14.03.2026 10:22:{comma(t, 3):0>6}", comma(x, 4), comma(f, 2)] for t, x, f in record]
    yield text("record_clock.csv", "Zeitstempel;Weg [mm];Kraft [N]", clock, record, delimiter=";", kind="series")
    yield text("loop_points.txt", "Prüfgeschwindigkeit\t10\tmm/min\nVorkraft\t5\tN\n\nPunkt\tStandardweg\tStandardkraft\n\tmm\tkN",
               [[str(i), comma(x, 3), comma(f / 1000, 5)] for i, (x, f) in enumerate(loop)], loop, delimiter="\t", encoding="cp1252", kind="static")
    yield book("record.xlsx", {"Data": [["Time [s]", "Displacement [mm]", "Force [N]"]] + [list(p) for p in record]}, record, kind="series")
    times, ways, forces = zip(*record)
    yield mat("record.mat", {"time_s": times, "displacement_mm": ways, "force_n": forces}, record, kind="signals")
    yield mat("record_rate.mat", {"fs": 500.0, "displacement_mm": ways, "force_n": forces}, record, kind="signals")
    yield h5("record.h5", {"bench/time_s": times, "bench/displacement_mm": ways, "bench/force_n": forces}, record, kind="signals")
    yield uff58("record.uff", [("disp", 8, "m", [x / 1000 for x in ways]), ("force", 13, "N", forces)], step, record, kind="signals")


def further():
    """Styles of recorders and spreadsheets: factors in units, other marks of numbers, settings that tell the rate, counters."""
    one = [(f, a, 0.0, k, d) for f, a, _, k, d in rows(preloads=(0.0,))]
    plain = [[f"{f:g}", f"{a:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, _, k, d in one]
    head = "Frequency [Hz],Amplitude [mm],"
    thousandth = [p[:2] + [f"{row[3] / 1000:.4f}", p[3]] for p, row in zip(plain, one)]
    yield text("power_of_ten.csv", head + "Kdyn [10^3 N/mm],Phase [deg]", thousandth, one)
    yield text("raised_power.csv", head + "Kdyn [10³ N/mm],Phase [deg]", thousandth, one)
    yield text("times_thousand.csv", head + "Kdyn [x1000 N/mm],Phase [deg]", thousandth, one)
    tangents = [p[:3] + [f"{1000 * math.tan(math.radians(row[4])):.10f}"] for p, row in zip(plain, one)]
    yield text("thousandths.csv", head + "Kdyn [N/mm],tan delta [1e-3]", tangents, one)
    yield text("factor_told.csv", head + "Kdyn [N/mm],tan delta x 1000", tangents, one, words=["--units", "loss_factor=1e-3"])
    yield text("kilopond_per_cm.csv", "Frequenz [Hz];Amplitude [cm];Federrate [kp/cm];Verlustwinkel [°]",
               [[p[0], f"{row[1] / 10:g}", f"{row[3] * 10 / 9.80665:.12f}", p[3]] for p, row in zip(plain, one)], one, delimiter=";")
    minute = [[f"{60 * row[0]:g}"] + p[1:] for p, row in zip(plain, one)]
    yield text("per_minute.csv", "Frequenz [1/min];Amplitude [mm];Kdyn [N/mm];Phase [deg]", minute, one, delimiter=";")
    yield text("cpm.csv", "Frequency [cpm],Amplitude [mm],Kdyn [N/mm],Phase [deg]", minute, one)
    yield text("kelvin.csv", "Temp [K]," + head + "Kdyn [N/mm],Phase [deg]", [["296.15"] + p for p in plain] + [["353.15"] + p[:2] + [f"{0.7 * row[3]:.1f}", p[3]] for p, row in zip(plain, one)],
               one, words=["--temperature", "23"])
    doubled = [[p[0], f"{2 * row[1]:g}"] + p[2:] for p, row in zip(plain, one)]
    yield text("schwingbreite.csv", "Frequenz (Hz);Schwingbreite (mm);Kdyn (N/mm);Verlustwinkel (°)", doubled, one, delimiter=";")
    yield text("stroke_pp.csv", "Frequency (Hz),Stroke peak to peak (mm),Kdyn (N/mm),Phase (deg)", doubled, one)
    yield text("ss_behind.csv", "Frequenz [Hz];Amplitude [mm] (SS);Kdyn [N/mm];Phase [°]", doubled, one, delimiter=";")
    yield text("mrad.csv", head + "Kdyn [N/mm],Phase [mrad]", [p[:3] + [f"{1000 * math.radians(row[4]):.12f}"] for p, row in zip(plain, one)], one)
    yield text("newton_per_micrometre.csv", "Frequency [Hz],Amplitude [µm],Kdyn [N/µm],Phase [deg]", [[p[0], f"{1000 * row[1]:g}", f"{row[3] / 1000:.5f}", p[3]] for p, row in zip(plain, one)], one)
    yield text("swiss.csv", "Frequenz [Hz];Amplitude [mm];Kdyn [N/m];Phase [°]", [p[:2] + [f"{1000 * row[3]:,.1f}".replace(",", "'"), p[3]] for p, row in zip(plain, one)], one, delimiter=";")
    yield text("d_exponent.csv", head + "Kdyn [N/mm],Phase [deg]", [[f"{float(c):.8E}".replace("E", "D") for c in p] for p in plain], one)
    yield text("sep_line.csv", "sep=;\r\nFrequenz [Hz];Amplitude [mm];Kdyn [N/mm];Phase [deg]", [[c.replace(".", ",") for c in p] for p in plain], one, delimiter=";", end="\r\n")
    yield text("quoted.csv", '"Frequency (Hz)","Amplitude (mm)","Kdyn (N/mm)","Phase (deg)"', [[f'"{c}"' for c in p] for p in plain], one)
    yield text("wrapped_titles.csv", '"Frequency\n[Hz]","Amplitude\n[mm]","Kdyn\n[N/mm]","Phase\n[deg]"', plain, one)
    yield text("pandas.csv", ",frequency_hz,amplitude_mm,k_dyn_n_per_mm,loss_angle_deg", [[str(i)] + p for i, p in enumerate(plain)], one)
    yield text("last_mark.csv", "Frequency [Hz];Amplitude [mm];Kdyn [N/mm];Phase [deg]", [p + [""] for p in plain], one, delimiter=";")
    yield text("static_beside.csv", head + "Kstat [N/mm],Kdyn [N/mm],Kdyn/Kstat [-],Phase [deg]", [p[:2] + ["300.0", p[2], f"{row[3] / 300:.3f}", p[3]] for p, row in zip(plain, one)], one)
    yield text("counted.csv", "Sample," + head + "Kdyn [N/mm],Phase [deg]", [[str(i + 1)] + p for i, p in enumerate(plain)], one)
    blocks = [["\nAmplitude = 0.05 mm\nFrequency [Hz],Kdyn [N/mm],Phase [deg]"]] + [[p[0], p[2], p[3]] for p in plain[:5]]
    blocks += [["\nAmplitude = 0.2 mm\nFrequency [Hz],Kdyn [kN/mm],Phase [deg]"]] + [[p[0], f"{row[3] / 1000:.4f}", p[3]] for p, row in zip(plain[5:10], one[5:10])]
    yield text("units_of_blocks.csv", "", blocks, one[:10])
    levels = [["\n23 °C\n" + head + "Kdyn [N/mm],Phase [deg]"]] + plain + [["\n80 °C\n" + head + "Kdyn [N/mm],Phase [deg]"]] + [p[:2] + [f"{0.7 * row[3]:.1f}", p[3]] for p, row in zip(plain, one)]
    yield text("temperature_above.csv", "", levels, one, words=["--temperature", "23"])

    step = 0.002
    record = [(round(step * i, 3), round(math.sin(0.3 * i) + 0.2 * math.sin(1.1 * i), 4), round(500.0 * math.sin(0.3 * i + 0.1), 2)) for i in range(200)]
    pairs = [[f"{x:g}", f"{f:g}"] for _, x, f in record]
    yield text("rate_above.csv", "Sampling frequency [Hz];500\nWeg [mm];Kraft [N]", pairs, record, delimiter=";", kind="series")
    yield text("rate_and_counter.csv", "Sample rate: 500 Hz\nSample,Displacement [mm],Force [N]", [[str(i)] + p for i, p in enumerate(pairs)], record, kind="series")
    yield text("interval_above.csv", "# Abtastintervall: 2 ms\nWeg [mm];Kraft [N]", pairs, record, delimiter=";", kind="series")
    yield text("minutes.csv", "Time [min],Displacement [mm],Force [N]", [[f"{t / 60:.15f}"] + p for (t, _, _), p in zip(record, pairs)], record, kind="series")
    yield text("microseconds.csv", "t [µs];Weg [mm];Kraft [N]", [[f"{1e6 * t:.0f}"] + p for (t, _, _), p in zip(record, pairs)], record, delimiter=";", kind="series")
    yield text("iso_time.csv", "Timestamp,Displacement [mm],Force [N]", [[f"2026-03-14T10:22:{t:06.3f}Z"] + p for (t, _, _), p in zip(record, pairs)], record, kind="series")
    loop = [(round(3.0 * math.sin(0.1 * i), 3), round(900.0 * math.sin(0.1 * i) + 40.0 * math.cos(0.1 * i), 1)) for i in range(64)]
    yield text("unicode_minus.csv", "Weg [mm];Kraft [N]", [[comma(x, 3).replace("-", "\u2212"), comma(f, 1).replace("-", "\u2212")] for x, f in loop], loop, delimiter=";", kind="static")
    yield text("soll_ist.csv", "Weg Soll [mm];Weg Ist [mm];Kraft Ist [N]", [[f"{1.1 * x:g}", f"{x:g}", f"{f:g}"] for x, f in loop], loop, delimiter=";", kind="static")
    yield text("cycles.csv", "Zyklus;Weg [mm];Kraft [N]", [[str(1 + i // 32), f"{x:g}", f"{f:g}"] for i, (x, f) in enumerate(loop)], loop, delimiter=";", kind="static")


def side_by_side_and_more():
    """Tables side by side, words and signs of further benches, files of LabVIEW."""
    one = [(f, a, 0.0, k, d) for f, a, _, k, d in rows(preloads=(0.0,))]
    all_rows = rows()
    plain = [[f"{f:g}", f"{a:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, _, k, d in one]
    full = [[f"{f:g}", f"{a:g}", f"{p:g}", f"{k:.1f}", f"{d:.2f}"] for f, a, p, k, d in all_rows]
    left, right = ([row for row in one if row[1] == a] for a in AMPLITUDES[:2])
    beside = [[f"{row[0]:g}", f"{row[3]:.1f}", f"{row[4]:.2f}"] for row in left], [[f"{row[0]:g}", f"{row[3]:.1f}", f"{row[4]:.2f}"] for row in right]
    names = "Frequency [Hz],Kdyn [N/mm],Phase [deg]"
    yield text("side_by_side.csv", f"Amplitude 0.05 mm,,,,Amplitude 0.2 mm,,\n{names},,{names}", [a + [""] + b for a, b in zip(*beside)], left + right)
    yield text("side_by_side_close.csv", f"Part,M17,,,,\nAmplitude 0.05 mm,,,Amplitude 0.2 mm,,\n{names},{names}", [a + b for a, b in zip(*beside)], left + right)
    names = "Frequency [Hz],Amplitude [mm],Kdyn [N/mm],Phase [deg]"
    twice = [p + [""] + p[:2] + [f"{2 * row[3]:.1f}", p[3]] for p, row in zip(plain, one)]
    doubled = [(f, a, 0.0, 2 * k, d) for f, a, _, k, d in one]
    yield text("side_by_side_directions.csv", f"x direction,,,,,z direction,,,\n{names},,{names}", twice, doubled, words=["--direction", "z"])
    yield text("side_by_side_parts.csv", f"Mount A,,,,,Mount B,,,\n{names},,{names}", twice, doubled, words=["--part", "Mount B"])
    yield book("side_by_side.xlsx", {"Data": [["x direction"] + [None] * 4 + ["z direction"], names.split(",") + [None] + names.split(",")]
                                     + [[f, a, k, d, None, f, a, 2 * k, d] for f, a, _, k, d in one]}, doubled, words=["--direction", "z"])
    tangent = [f"{math.tan(math.radians(row[4])):.12f}" for row in all_rows]
    halved = [[p[0], f"{2 * row[1]:g}"] + p[2:] for p, row in zip(full, all_rows)]
    yield text("crete_crete_short.csv", "Fréq. [Hz];Ampl. c-c [mm];Précharge [N];Kdyn [N/mm];Phase [°]", halved, all_rows, delimiter=";")
    yield text("mm_ss.csv", "f [Hz];A [mmSS];Fv [N];c* [N/mm];phi [Grad]", halved, all_rows, delimiter=";")
    yield text("tangente.csv", "Fréquence (Hz);Amplitude ± (mm);Effort moyen (N);Raideur dynamique K* (N/mm);Tangente delta", [p[:4] + [t] for p, t in zip(full, tangent)], all_rows,
               delimiter=";")
    yield text("snake.csv", "freq_Hz,amp_mm_pp,preload_N,Kstar_N_per_mm,tan_delta", [p[:4] + [t] for p, t in zip(halved, tangent)], all_rows)
    yield text("mean_behind.csv", '"Total Cycles","Frequency(Hz)","Displacement(Linear:Digital Position) Amplitude(mm)","Load(Linear:Load) Mean(N)","Dynamic Stiffness(N/mm)","Phase(deg)"',
               [["100"] + p for p in full], all_rows)
    yield text("dyn_amp.txt", "Freq\tDyn Amp\tMean Load\tK*\tPhase\nHz\tmm (pk)\tN\tN/mm\tdeg", full, all_rows, delimiter="\t")
    pound, inch = 4.4482216152605, 25.4
    yield text("inch_dot.csv", "Freq (Hz),Amp (in. pk-pk),Preload (lb),K* (lb/in),Tan Delta",
               [[p[0], f"{2 * row[1] / inch:.14f}", f"{row[2] / pound:.10f}", f"{row[3] / pound * inch:.10f}", t] for p, row, t in zip(full, all_rows, tangent)], all_rows)
    starts = {row[1]: i for i, row in reversed(list(enumerate(one)))}
    grouped = [[p[1] if starts[row[1]] == i else "", p[0], p[2], p[3]] for i, (p, row) in enumerate(zip(plain, one))]
    yield text("groups.csv", "Amplitude [mm],Frequency [Hz],Kdyn [N/mm],Phase [deg]", grouped, one)
    K = [complex_stiffness(row) for row in all_rows]
    yield text("damping_stiffness.csv", "Frequency (Hz),Amplitude (mm),Preload (N),Elastic Stiffness (N/mm),Damping Stiffness (N/mm)",
               [p[:3] + [f"{z.real:.10f}", f"{z.imag:.10f}"] for p, z in zip(full, K)], all_rows)
    yield text("raised_minus.csv", "Frequency [Hz],Amplitude [mm],Preload [N],Kdyn [N·mm⁻¹],Phase [deg]", full, all_rows)
    yield text("blanks_and_brackets.txt", "Frequency (Hz)  Amplitude (mm)  Preload (N)  Kdyn (N/mm)  Phase (deg)", full, all_rows, delimiter="      ")
    blocks = "".join(f"Double amplitude;{2 * a:g};mm\nFrequency [Hz];Kdyn [N/mm];Phase [deg]\n" + "".join(
        f"{row[0]:g};{row[3]:.1f};{row[4]:.2f}\n" for row in one if row[1] == a) + "\n" for a in AMPLITUDES)
    yield Writing("double_amplitude_above.csv", blocks.encode(), one)
    record = [(round(0.002 * i, 3), round(math.sin(0.3 * i) + 0.2 * math.sin(1.1 * i), 4), round(500.0 * math.sin(0.3 * i + 0.1), 2)) for i in range(200)]
    for name, times in (("labview.lvm", "One"), ("labview_no_times.lvm", "No")):
        head = (f"LabVIEW Measurement\t\nWriter_Version\t2\nSeparator\tTab\nDecimal_Separator\t.\nX_Columns\t{times}\nTime_Pref\tRelative\n***End_of_Header***\t\n\t\n"
                "Channels\t2\t\nSamples\t200\t200\nDate\t2026/11/16\t2026/11/16\nTime\t10:21:33\t10:21:33\nY_Unit_Label\tmm\tN\nX_Dimension\tTime\tTime\n"
                "X0\t0.0\t0.0\nDelta_X\t0.002\t0.002\n***End_of_Header***\t\t\nX_Value\tDisplacement\tForce\tComment\n")
        samples = "".join(f"{t if times == 'One' else ''}\t{x:.6f}\t{f:.6f}\t\n" for t, x, f in record)
        yield Writing(name, (head + samples).encode(), record, [], "series")


def writings():
    yield from maps()
    yield from further()
    yield from side_by_side_and_more()
    yield from uncommon()
    yield from loops_and_records()
