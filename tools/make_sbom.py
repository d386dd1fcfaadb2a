#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the list of what a package is made of (CycloneDX 1.4): linked Debian packages, libraries compiled in, npm packages of the page.

    tools/make_sbom.py build/release/kdyn out/packages/kdyn.cdx.json

Linked libraries come from ldd and dpkg, what is compiled in from COMPILED_IN and dpkg, npm packages from web/package-lock.json: those that go
into the bundle (dependencies) and those that build it (scope excluded). Licences are those that the packages state."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Header-only or static: the linker leaves no trace of them.
COMPILED_IN = ["libeigen3-dev", "libceres-dev", "nlohmann-json3-dev", "libcli11-dev"]
# Packages whose copyright file is prose.
GCC = "GPL-3.0-or-later WITH GCC-exception-3.1"
STATED = {"libc6": "LGPL-2.1-or-later", "libgcc-s1": GCC, "libgfortran5": GCC, "libgomp1": GCC, "libquadmath0": "LGPL-2.1-or-later", "libstdc++6": GCC, "libaec0": "BSD-2-Clause",
          "libsz2": "BSD-2-Clause", "libgssapi-krb5-2": "MIT", "libk5crypto3": "MIT", "libkrb5-3": "MIT", "libkrb5support0": "MIT", "librtmp1": "LGPL-2.1-or-later",
          "libtasn1-6": "LGPL-2.1-or-later"}
SPDX = re.compile(r"^License:\s*(\S.*)$", re.M)


def output(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def linked_files(binary):
    return sorted(set(re.findall(r"=> (/\S+)", output("ldd", str(binary)))))


def package_of(path):
    for place in (path, str(pathlib.Path(path).resolve()), path.removeprefix("/usr"), "/usr" + path):
        found = output("dpkg", "-S", place)
        if found:
            return found.split(":")[0].split(",")[0]
    return None


def licences(package):
    if package in STATED:
        return [STATED[package]]
    page = pathlib.Path("/usr/share/doc") / package / "copyright"
    try:
        names = [one.strip() for one in SPDX.findall(page.read_text(encoding="utf-8", errors="replace"))]
    except OSError:
        return []
    return sorted(set(names))


def debian(package, scope):
    version, source = (output("dpkg-query", "-W", "-f", "${Version}\n${source:Package}", package) + "\n\n").split("\n")[:2]
    entry = {"type": "library", "name": package, "version": version, "scope": scope, "purl": f"pkg:deb/debian/{package}@{version}",
             "properties": [{"name": "debian:source", "value": source}]}
    if names := licences(package):
        entry["licenses"] = [{"license": {"name": name}} for name in names]
    return entry


def npm(lock):
    out = []
    for path, one in sorted(json.loads(lock.read_text(encoding="utf-8"))["packages"].items()):
        if not path:
            continue
        name = path.split("node_modules/")[-1]
        entry = {"type": "library", "name": name, "version": one.get("version", ""), "scope": "excluded" if one.get("dev") else "required",
                 "purl": f"pkg:npm/{name.replace('@', '%40')}@{one.get('version', '')}"}
        if one.get("license"):
            entry["licenses"] = [{"license": {"name": one["license"]}}]
        out.append(entry)
    return out


def bill(binary):
    version = re.search(r"^project\(kdyn VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(), re.M)[1]
    names = sorted({name for name in map(package_of, linked_files(binary)) if name})
    compiled = [name for name in COMPILED_IN if output("dpkg-query", "-W", name)]
    components = [debian(name, "required") for name in names] + [debian(name, "required") for name in compiled] + npm(ROOT / "web" / "package-lock.json")
    return {"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1,
            "metadata": {"component": {"type": "application", "name": "kdyn", "version": version, "licenses": [{"license": {"id": "Apache-2.0"}}]}},
            "components": components}


def main():
    binary, out = sys.argv[1:3]
    content = bill(binary)
    pathlib.Path(out).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(out).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    kinds = [c["purl"].split(":")[1].split("/")[0] for c in content["components"] if c["scope"] == "required"]
    print(f"wrote {out}: {kinds.count('deb')} Debian packages, {kinds.count('npm')} npm packages in the page")


if __name__ == "__main__":
    main()
