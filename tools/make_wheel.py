#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A wheel of the built Python package: make_wheel.py PACKAGE_FOLDER VERSION OUT_FOLDER.

It holds the compiled part as it was built, hence fits this version of Python and a system with the libraries the Debian package
python3-kdyn asks for. Files are stored in a fixed order with a fixed date: the same package gives the same bytes.
"""
import base64
import hashlib
import sysconfig
import sys
import zipfile
from pathlib import Path


def main(package, version, out):
    package, out = Path(package), Path(out)
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    info = f"kdyn-{version}.dist-info"
    files = {f"kdyn/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.suffix in (".py", ".pyi", ".so", ".typed") or path.name == "py.typed"}
    if not any(name.endswith(".so") for name in files):
        sys.exit(f"{package} holds no compiled part; build the target kdyn_python first")
    files[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: kdyn\nVersion: {version}\nSummary: Models of rubber bushings and mounts from measurements\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n").encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: kdyn\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{platform}\n".encode()
    record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for name, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    path = out / f"kdyn-{version}-{tag}-{tag}-{platform}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
