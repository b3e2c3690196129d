#!/usr/bin/env python3
"""Feeds of millions of files: huge_feed.py PMG FOLDER [FILES].

A list that would take gigabytes as a tree is read in little memory. A zip archive of two million records is taken, in bounded time and memory, and the index then
answers for them. A feed of one record more than is taken at most is refused, and the index stays.
Part of ./check deep: a minute or two, and some gigabytes in FOLDER.
"""

import json
import os
import resource
import struct
import subprocess
import sys
import time
import zlib

MOST = 4000000  # pmg_feed_limits_default()
SECONDS = 240
MEGABYTES = 1024
RECORD = ('{"id":"MAL-2030-%d","modified":"2030-01-01T00:00:00Z","affected":[{"package":'
          '{"ecosystem":"npm","name":"package-%d"},"versions":["1.0.%d"]}]}')


def must(is_so, said):
    if not is_so:
        sys.exit("huge_feed: %s" % said)


def write_zip(path, n):
    """Stored, with the 64-bit directory that so many files need: APPNOTE.TXT 4.3.7 to 4.3.16."""
    common = struct.Struct("<HHHHHIIIHH")  # version needed ... length of what is extra
    beside = path + ".directory"
    at = 0
    with open(path, "wb", 1 << 20) as out:
        with open(beside, "wb", 1 << 20) as directory:
            for i in range(n):
                text = (RECORD % (i, i, i % 1000)).encode()
                name = b"MAL-2030-%d.json" % i
                head = common.pack(20, 0, 0, 0, 33, zlib.crc32(text), len(text), len(text),
                                   len(name), 0)
                local = b"PK\3\4" + head + name + text
                out.write(local)
                directory.write(b"PK\1\2\x14\x00" + head +
                                struct.pack("<HHHII", 0, 0, 0, 0, at) + name)
                at += len(local)
        size = os.path.getsize(beside)
        with open(beside, "rb") as directory:
            while block := directory.read(1 << 20):
                out.write(block)
        os.unlink(beside)
        out.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, n, n, size, at))
        out.write(b"PK\6\7" + struct.pack("<IQI", 0, at + size, 1))
        out.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xffff, 0xffff, min(size, 0xffffffff),
                                          min(at, 0xffffffff), 0))
    must(at < 0xffffffff, "too large for 32 bits")


def peak():
    """Megabytes, of whatever ran until now."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main():
    pmg, folder = sys.argv[1:3]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 2000000
    os.makedirs(folder, mode=0o700)
    home = {"HOME": folder, "PATH": os.environ["PATH"], "XDG_STATE_HOME": folder + "/state"}

    def intel(*words):
        return subprocess.run([pmg, "intel", *words], env=home, check=False, text=True,
                              timeout=SECONDS, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def verdict(name, version):
        return json.loads(intel("query", "--json", "pkg:npm/%s@%s" % (name, version)).stdout)

    bomb = os.path.join(folder, "npm.json")
    with open(bomb, "w") as out:
        out.write('[{"package_name":"bomb","version":"1.0.0"}' + ",{}" * 20000000 + "]")
    said = intel("import", "--name", "bomb", bomb)
    must(said.returncode == 0 and "20000000 files could not be read" in said.stderr, said.stderr)
    must(verdict("bomb", "1.0.0")["verdict"] == "block", "what can be read of a list counts")
    must(peak() < MEGABYTES / 4, "the list took %d MB of memory" % peak())

    feed = os.path.join(folder, "osv-npm.zip")
    write_zip(feed, n)
    began = time.monotonic()
    said = intel("import", "--json", feed)
    took = time.monotonic() - began
    print("%d files: %.1f s, %.0f MB of memory at most" % (n, took, peak()))
    must(said.returncode == 0, said.stderr)
    must(json.loads(said.stdout)["records"] == n, "not all were taken: " + said.stdout[:500])
    must(peak() < MEGABYTES, "it took more than %d MB of memory" % MEGABYTES)
    for i in (0, n // 2, n - 1):
        name, version = "package-%d" % i, "1.0.%d" % (i % 1000)
        must(verdict(name, version)["ids"] == ["MAL-2030-%d" % i], name + " is not known")
        must(verdict(name, "2.0.0")["verdict"] == "allow", name + ": a version that is not listed")
    must(verdict("package-%d" % n, "1.0.0")["verdict"] == "allow", "a name that is not in it")

    lines = os.path.join(folder, "osv-npm.jsonl")
    with open(lines, "wb") as out:
        out.write(b"{}\n" * (MOST + 1))
    said = intel("import", lines)
    must(said.returncode != 0 and "more than %d entries" % MOST in said.stderr, said.stderr)
    must(verdict("package-0", "1.0.0")["verdict"] == "block", "the index did not stay")


main()
