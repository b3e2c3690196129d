"""The packages that the fixture registry serves: small tarballs, wheels and
sdists made in memory, reproducible byte for byte, and two giants that are
generated as they are sent.

A package is a dict: eco ("npm" or "pypi"), name, version, and optionally
  npm:  dependencies, optionalDependencies, scripts, bin, files {path: text}, time, deprecated,
        filler (bytes of a file that does not compress), tags [dist-tag]
  pypi: requires [text], files {path: text}, sdist_only, wheel_only, requires_python, time,
        backend (Python that the build of an sdist runs first)
`time` is when it was published, "" for a registry that does not say; without it that is years ago.
`age` says the same from now backwards: "90s", "30m", "1h", "10d".
"""
import base64
import gzip
import hashlib
import io
import json
import re
import tarfile
import time
import zipfile
import zlib

EPOCH = 499162500  # 1985-10-26: the date that npm gives packed files
DEFAULT_TIME = "2020-01-01T00:00:00.000Z"
BIG_BLOCKS = 100  # of 1 MiB: body of big-1.0.0.tgz
HUGE_VERSIONS = 200000  # of about 520 bytes: packument of "huge"

DEFAULTS = [
    {"eco": "npm", "name": "tiny", "version": "1.0.0"},
    {"eco": "npm", "name": "tiny", "version": "1.1.0", "bin": {"tiny": "index.js"},
     "files": {"index.js": "#!/usr/bin/env node\nconsole.log('tiny 1.1.0')\n"}},
    {"eco": "npm", "name": "bad", "version": "1.0.0"},
    {"eco": "npm", "name": "bad", "version": "2.0.0"},
    {"eco": "npm", "name": "needs-bad", "version": "1.0.0", "dependencies": {"bad": "^1.0.0"}},
    {"eco": "npm", "name": "needs-tiny", "version": "1.0.0", "dependencies": {"tiny": "^1.0.0"}},
    {"eco": "npm", "name": "maybe-bad", "version": "1.0.0",
     "optionalDependencies": {"bad": "^1.0.0"}},
    {"eco": "npm", "name": "@acme/tool", "version": "1.0.0"},
    {"eco": "npm", "name": "@acme/bad", "version": "1.0.0"},
    {"eco": "npm", "name": "scripted", "version": "1.0.0",
     "scripts": {"postinstall": "node mark.js"},
     "files": {"mark.js": "require('fs').writeFileSync('marked', 'yes')\n"}},
    {"eco": "pypi", "name": "tinypy", "version": "1.0"},
    {"eco": "pypi", "name": "tinypy", "version": "1.1"},
    {"eco": "pypi", "name": "badpy", "version": "1.0"},
    {"eco": "pypi", "name": "needs-badpy", "version": "1.0", "requires": ["badpy==1.0"]},
    {"eco": "pypi", "name": "sdistpy", "version": "1.0", "sdist_only": True},
    {"eco": "pypi", "name": "badsdist", "version": "1.0", "sdist_only": True},
    {"eco": "pypi", "name": "Odd.Name_py", "version": "1.0"},
]


UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def published(p):
    """When: RFC 3339, or None."""
    if "age" not in p:
        return p.get("time", DEFAULT_TIME) or None
    when = p["born"] - int(p["age"][:-1]) * UNITS[p["age"][-1]]
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(when))


def newest(packages):
    return max([published(p) or DEFAULT_TIME for p in packages])


def normal(name):
    """PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


def noise(size):
    return b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(size // 32 + 1))[:size]


def tgz(files):
    """files: [(path, bytes, mode)]"""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, data, mode in files:
            info = tarfile.TarInfo(path)
            info.size, info.mode, info.mtime = len(data), mode, EPOCH
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), mtime=0)


def integrity(data):
    return "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()


# npm

NPM_KEYS = ("dependencies", "optionalDependencies", "peerDependencies", "scripts", "bin",
            "deprecated", "engines")


def npm_manifest(p):
    doc = {"name": p["name"], "version": p["version"], "description": "a fixture",
           "license": "Apache-2.0"}
    doc.update({k: p[k] for k in NPM_KEYS if k in p})
    return doc


def npm_tarball(p):
    files = {"index.js": "module.exports = %s\n" % json.dumps(p["name"])}
    files.update(p.get("files", {}))
    entries = [("package/package.json", json.dumps(npm_manifest(p), indent=2).encode(), 0o644)]
    for path, text in sorted(files.items()):
        mode = 0o755 if text.startswith("#!") else 0o644
        entries.append(("package/" + path, text.encode(), mode))
    if "filler" in p:
        entries.append(("package/filler.bin", noise(p["filler"]), 0o644))
    return tgz(entries)


def npm_file_name(p):
    return "%s-%s.tgz" % (p["name"].split("/")[-1], p["version"])


def dist_tags(packages):
    """The last one is the latest unless one says that it is."""
    tags = {"latest": packages[-1]["version"]}
    tags.update((tag, p["version"]) for p in packages for tag in p.get("tags", ()))
    return tags


def packument(packages, tarball_url, abbreviated, dated=True):
    """tarball_url: function of a package."""
    name = packages[0]["name"]
    doc = {"name": name, "dist-tags": dist_tags(packages), "versions": {}}
    for p in packages:
        data = p["artifact"]()
        v = npm_manifest(p)
        if abbreviated:
            v.pop("description"), v.pop("license")
            if any(s in p.get("scripts", {}) for s in ("preinstall", "install", "postinstall")):
                v["hasInstallScript"] = True
        v["dist"] = {"tarball": tarball_url(p), "shasum": data.sha1, "integrity": data.sri}
        doc["versions"][p["version"]] = v
    if abbreviated:
        doc.update({"modified": newest(packages)} if dated else {})
    else:
        doc["_id"] = name
    if dated and not abbreviated:
        doc["time"] = {p["version"]: published(p) for p in packages if published(p)}
        doc["time"].update(created=DEFAULT_TIME, modified=newest(packages))
    return json.dumps(doc).encode()


# PyPI

BACKEND = '''import os, zipfile
FILES = %r
def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(os.path.join(wheel_directory, %r), "w") as z:
        for path, text in FILES:
            z.writestr(path, text)
    return %r
'''


def py_metadata(p):
    lines = ["Metadata-Version: 2.1", "Name: " + p["name"], "Version: " + p["version"],
             "Summary: a fixture"]
    lines += ["Requires-Dist: " + r for r in p.get("requires", [])]
    if "requires_python" in p:
        lines.append("Requires-Python: " + p["requires_python"])
    return "\n".join(lines) + "\n"


def wheel_files(p):
    mod = normal(p["name"]).replace("-", "_")
    info = "%s-%s.dist-info/" % (mod, p["version"])
    files = [(mod + "/__init__.py", "VERSION = %r\n" % p["version"])]
    files += sorted(p.get("files", {}).items())
    files += [(info + "METADATA", py_metadata(p)),
              (info + "WHEEL", "Wheel-Version: 1.0\nGenerator: fixture\n"
                               "Root-Is-Purelib: true\nTag: py3-none-any\n")]
    record = "".join("%s,,\n" % path for path, _ in files) + info + "RECORD,,\n"
    return files + [(info + "RECORD", record)]


def wheel_name(p):
    return "%s-%s-py3-none-any.whl" % (normal(p["name"]).replace("-", "_"), p["version"])


def wheel(p):
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as z:
        for path, text in wheel_files(p):
            z.writestr(zipfile.ZipInfo(path, (1985, 10, 26, 8, 15, 0)), text)
    return raw.getvalue()


def sdist_name(p):
    return "%s-%s.tar.gz" % (normal(p["name"]).replace("-", "_"), p["version"])


def sdist(p):
    """Builds itself, so that no build tool has to be fetched."""
    top = sdist_name(p)[:-len(".tar.gz")] + "/"
    backend = p.get("backend", "") + BACKEND % (wheel_files(p), wheel_name(p), wheel_name(p))
    project = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
    return tgz([(top + "PKG-INFO", py_metadata(p).encode(), 0o644),
                (top + "pyproject.toml", project.encode(), 0o644),
                (top + "backend.py", backend.encode(), 0o644)])


# What is sent: bytes, or a giant made on the way

class Blob:
    """A body of known length, made of chunks."""

    def __init__(self, data):
        self.data = data
        self.length = len(data)
        self.sha1 = hashlib.sha1(data).hexdigest()
        self.sha256 = hashlib.sha256(data).hexdigest()
        self.sri = integrity(data)

    def chunks(self):
        for i in range(0, self.length, 65536):
            yield self.data[i:i + 65536]


class Big(Blob):
    """A tarball of 100 MiB that does not compress: stored blocks of fixed pseudo-random bytes."""

    def __init__(self, blocks=BIG_BLOCKS):
        self.blocks = blocks
        self.block = noise(1 << 20)
        sums = [hashlib.sha1(), hashlib.sha256(), hashlib.sha512()]
        self.length = 0
        for chunk in self.chunks():
            self.length += len(chunk)
            for s in sums:
                s.update(chunk)
        self.sha1, self.sha256 = sums[0].hexdigest(), sums[1].hexdigest()
        self.sri = "sha512-" + base64.b64encode(sums[2].digest()).decode()

    def plain(self):
        manifest = json.dumps({"name": "big", "version": "1.0.0"}).encode()
        for path, size in (("package/package.json", len(manifest)),
                           ("package/data.bin", self.blocks << 20)):
            info = tarfile.TarInfo(path)
            info.size, info.mtime = size, EPOCH
            yield info.tobuf(tarfile.USTAR_FORMAT)
            if path.endswith(".json"):
                yield manifest + b"\0" * (-size % 512)
        for i in range(self.blocks):
            yield i.to_bytes(8, "big") + self.block[8:]
        yield b"\0" * 1024

    def chunks(self):
        z = zlib.compressobj(0, zlib.DEFLATED, 31)
        for part in self.plain():
            out = z.compress(part)
            if out:
                yield out
        yield z.flush()


class Huge(Blob):
    """A packument of 100 MB: versions 1.100000.0 to 1.299999.0, all entries of one length, and
    their times, of which that of the last may be another."""

    def __init__(self, url, count=HUGE_VERSIONS, last=DEFAULT_TIME):
        self.url, self.count, self.last = url, count, last
        self.head = b'{"name":"huge","dist-tags":{"latest":"1.%d.0"},"versions":{' % (
            99999 + count)
        self.middle, self.tail = b'},"time":{', b'}}'
        self.length = (len(self.head) + len(self.middle) + len(self.tail) + 2 * (count - 1) +
                       count * (len(self.entry(0)) + len(self.date(0))))
        self.sha256 = None  # depends on the address asked for: the reader hashes chunks()

    def entry(self, i):
        v = b"1.%d.0" % (100000 + i)
        return (b'"%s":{"name":"huge","version":"%s","description":"%s","dist":{"tarball":'
                b'"%shuge-%s.tgz"}}' % (v, v, b"x" * 320, self.url, v))

    def date(self, i):
        when = self.last if i == self.count - 1 else DEFAULT_TIME
        return b'"1.%d.0":"%s"' % (100000 + i, when.encode())

    def parts(self, make):
        for i in range(0, self.count, 200):
            part = b",".join(make(k) for k in range(i, min(i + 200, self.count)))
            yield (b"," if i else b"") + part

    def chunks(self):
        yield self.head
        yield from self.parts(self.entry)
        yield self.middle
        yield from self.parts(self.date)
        yield self.tail
