#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Floods on the loopback: is the owner served meanwhile, does the server live, how much memory does it take?

    KDYN_BINARY=... KDYN_SOURCE_DIR=... flood_driver.py [--seconds S] [--idle N] [--busy N]

The server of this driver and nobody else's gets, one after the other and each for --seconds: idle connections that send half a request; busy clients
that know the token and ask without a pause; clients without the token that send header lines without end; that send bodies of 16 MB; that connect and
leave. The owner asks for the jobs five times a second. Printed: the longest time he waited, the largest memory of the server. Fails when the server
ends, refuses the owner, or takes more than --megabytes.
"""
import argparse
import asyncio
import multiprocessing
import pathlib
import resource
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from served import Server  # noqa: E402


async def idle(port, token, end):
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nX: ")
        await writer.drain()
        await asyncio.sleep(max(0.0, end - time.monotonic()))
        writer.close()
    except OSError:
        await asyncio.sleep(0.2)


async def busy(port, token, end):
    done = 0
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            while time.monotonic() < end:
                writer.write(f"GET /{token}/api/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
                await writer.drain()
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(next(line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")))
                await reader.readexactly(length)
                done += b" 200 " in head.split(b"\r\n")[0]
            writer.close()
        except (OSError, asyncio.IncompleteReadError, StopIteration):
            await asyncio.sleep(0.05)
    return done


async def send_all(port, end, first, piece, pieces):
    while time.monotonic() < end:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(first)
            for _ in range(pieces):
                if time.monotonic() > end:
                    break
                writer.write(piece)
                await writer.drain()
            writer.close()
        except OSError:
            await asyncio.sleep(0.01)


async def headers(port, token, end):
    await send_all(port, end, b"GET / HTTP/1.1\r\n", b"A: b\r\n" * 1000, 1000)


async def bodies(port, token, end):
    await send_all(port, end, f"POST /{'0' * 64}/api/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {1 << 24}\r\n\r\n".encode(),
                   b" " * 65536, 256)


async def come_and_go(port, token, end):
    await send_all(port, end, b"", b"", 0)


async def own_bodies(port, token, end):
    """With the token: the largest bodies that are taken, as a broken page of the owner might send."""
    await send_all(port, end, f"POST /{token}/api/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {1 << 24}\r\n\r\n".encode(),
                   b" " * 65536, 256)


FLOODS = {"idle": idle, "busy": busy, "header lines": headers, "bodies": bodies, "come and go": come_and_go, "bodies with token": own_bodies}


def attack(name, count, port, token, seconds):
    async def all_of_them():
        end = time.monotonic() + seconds
        await asyncio.gather(*(FLOODS[name](port, token, end) for _ in range(count)), return_exceptions=True)
    asyncio.run(all_of_them())


def memory(pid, what):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith(what)).split()[1]) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--idle", type=int, default=2000)
    parser.add_argument("--busy", type=int, default=200)
    parser.add_argument("--megabytes", type=float, default=400)
    options = parser.parse_args()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(limits[1], 3 * options.idle + 500)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, limits[1]))
    counts = {"idle": options.idle, "busy": options.busy, "header lines": options.busy // 4, "bodies": options.busy // 4, "come and go": options.busy // 4, "bodies with token": 16}
    if wanted < options.idle + 200:
        print(f"only {wanted} files may be open here: {wanted - 200} idle connections")
        counts["idle"] = wanted - 200
    failed = 0
    with tempfile.TemporaryDirectory(prefix="kdyn_flood_") as folder:
        server = Server(pathlib.Path(folder) / "project")
        try:
            for name, count in {**counts, "idle and busy": 0}.items():
                parts = [(name, count)] if count else [("idle", counts["idle"]), ("busy", counts["busy"])]
                attackers = [multiprocessing.Process(target=attack, args=(one, n, server.port, server.token, options.seconds)) for one, n in parts]
                for attacker in attackers:
                    attacker.start()
                waits, refused = [], 0
                while any(attacker.is_alive() for attacker in attackers):
                    begin = time.monotonic()
                    try:
                        if server.request("GET", "api/jobs", timeout=30)[0] != 200:
                            refused += 1
                    except OSError:
                        refused += 1
                    waits.append(time.monotonic() - begin)
                    time.sleep(0.2)
                alive = server.process.poll() is None
                waits.sort()
                print(f"{name} ({', '.join(str(n) for _, n in parts)} clients, {options.seconds:g} s): the owner waited {waits[len(waits) // 2]:.3f} s (median), {waits[-1]:.3f} s at most, "
                      f"{refused} of {len(waits)} refused; memory {memory(server.process.pid, 'VmRSS') if alive else -1:.0f} MB, {memory(server.process.pid, 'VmHWM') if alive else -1:.0f} MB at most", flush=True)
                if not alive or refused or memory(server.process.pid, "VmHWM") > options.megabytes:
                    failed += 1
                if not alive:
                    break
        finally:
            server.stop()
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
