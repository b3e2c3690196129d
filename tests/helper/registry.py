#!/usr/bin/env python3
"""A registry on loopback for tests: npm and PyPI, http and https, with faults on demand.

    registry.py --dir DIR [--spec FILE]

Prints one line, "HTTP HTTPS UNTRUSTED CDN_HTTP CDN_HTTPS" (ports), when it listens, and ends by
SIGTERM or when stdin closes. DIR gets ca.pem (the authority to trust) and log.jsonl (one line a
request: listener, method, path, headers as they came, status, body bytes sent, whether it was
complete). The first three listen on 127.0.0.1 and [::1]; the CDN, another host by name and port,
on 127.0.0.2. UNTRUSTED is https by a certificate of nobody. Certificates are for localhost, the
loopback addresses, registry.test and *.registry.test.

Bases (append a package name):
    /  /npm/  /artifactory/api/npm/repo/  /repository/npm-group/                  npm
    /simple/  /pypi/simple/  /artifactory/api/pypi/repo/simple/                   PyPI
Packages: fixture_packages.DEFAULTS, --spec (a JSON list of the same), or POST one, or a list, to /-/add.
"big" 1.0.0 is a tarball of 100 MiB, "huge" a packument of 100 MB. A package without `time` or `age` is
years old.
GET /-/hash/npm/NAME/VERSION or /-/hash/pypi/FILE answers {"sha1","sha256","sri","length"}.

Knobs are path segments in front of a base, "~name.value", any number of them; addresses in
metadata keep them: http://127.0.0.1:P/~gzip/~bearer.t1/npm/
    bearer.TOKEN basic.USER.PASS      401 without it
    token.NAME                        the same; the token, "secret-of-NAME", is not in the address
    gzip chunked http10               how a body is sent (gzip: where the client accepts it)
    noetag                            no validators (else ETag, and 304 to If-None-Match; metadata:
                                      Last-Modified and If-Modified-Since too)
    nomatch                           metadata: Last-Modified alone, If-None-Match is not looked at
    status.CODE  fail.N.CODE          always, or the first N times a path is asked; Retry-After: 1
    delay.MS                          before the head
    truncate.N rst.N slow.RATE        of artifacts: cut after N bytes, reset after N bytes, bytes/s
    on.meta                           these three, of metadata instead
    redirect                          artifacts: 302 to the CDN
    cdn                               metadata names artifacts on the CDN
    html json                         PyPI: only this form
    htmlfirst                         PyPI: HTML to whoever takes it, though JSON was preferred
    full                              npm: never the abbreviated form
    undated                           no publish time anywhere
    count.N                           versions of "huge"
    young                             the last version of "huge" is an hour old
    relative nometa                   PyPI: relative addresses; no .metadata
"""
import argparse
import base64
import calendar
import hashlib
import html
import json
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import fixture_packages as fx

NPM_BASES = ("artifactory/api/npm/repo/", "repository/npm-group/", "npm/", "")
PYPI_BASES = ("artifactory/api/pypi/repo/", "pypi/", "")
ABBREVIATED = "application/vnd.npm.install-v1+json"
PEP691 = "application/vnd.pypi.simple.v1+json"

YOUNG = {"age": "1h", "born": time.time()}

packages = {}  # (eco, name): list of packages
failures = {}  # path: how often it was made to fail
lock = threading.Lock()
ports = {}


def add(p):
    p = dict(p)
    p["cache"] = {}
    p["born"] = time.time()
    key = p["name"] if p["eco"] == "npm" else fx.normal(p["name"])
    p["artifact"] = lambda: p["cache"].setdefault("npm", None) or make_npm(p)
    with lock:
        packages.setdefault((p["eco"], key), []).append(p)


def make_npm(p):
    p["cache"]["npm"] = fx.Big() if p["name"] == "big" else fx.Blob(fx.npm_tarball(p))
    return p["cache"]["npm"]


def py_files(name):
    """{file name: (package, Blob)} of a normalised name."""
    files = {}
    for p in packages.get(("pypi", name), []):
        for kind, file_name, make in (("wheel", fx.wheel_name, fx.wheel),
                                      ("sdist", fx.sdist_name, fx.sdist)):
            if p.get({"wheel": "sdist_only", "sdist": "wheel_only"}[kind]):
                continue
            if kind not in p["cache"]:
                p["cache"][kind] = fx.Blob(make(p))
            files[file_name(p)] = (p, p["cache"][kind])
    return files


class Broken(Exception):
    """The answer was broken off on purpose, or the client went away."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 0
    server_version = "fixture"

    # finding out what is asked

    def knobs_and_rest(self):
        path = urllib.parse.urlsplit(self.path).path
        knobs, prefix = {}, "/"
        rest = path.lstrip("/")
        while rest.startswith("~"):
            segment, _, rest = rest.partition("/")
            name, _, value = segment[1:].partition(".")
            knobs[name] = value
            prefix += segment + "/"
        return knobs, prefix, rest

    def address(self, cdn=False):
        """scheme://host:port as the client wrote it; of the CDN when asked for."""
        tls = self.server.listener in ("https", "untrusted", "cdn_https")
        if cdn:
            port = ports["cdn_https" if tls else "cdn_http"]
            return "%s://127.0.0.2:%d" % ("https" if tls else "http", port)
        return "%s://%s" % ("https" if tls else "http", self.headers.get("Host", "127.0.0.1"))

    def handle_any(self):
        self.sent, self.status, self.whole = 0, 0, False
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else b""
        try:
            self.answer()
            self.whole = True
        except (Broken, OSError):
            self.close_connection = True
        finally:
            self.note()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_any

    def answer(self):
        self.knobs, self.prefix, rest = self.knobs_and_rest()
        if "delay" in self.knobs:
            time.sleep(int(self.knobs["delay"]) / 1000)
        if rest.startswith("-/"):
            return self.control(rest[2:])
        if not self.may_enter() or self.must_fail():
            return None
        for base in PYPI_BASES:
            if rest.startswith((base + "simple/", base + "files/")):
                return self.pypi(base, rest[len(base):])
        for base in NPM_BASES:
            if rest.startswith(base):
                return self.npm(base, urllib.parse.unquote(rest[len(base):]))
        return self.small(404, {"error": "not here"})

    def may_enter(self):
        want = None
        if "bearer" in self.knobs:
            want = "Bearer " + self.knobs["bearer"]
        if "token" in self.knobs:
            want = "Bearer secret-of-" + self.knobs["token"]
        if "basic" in self.knobs:
            pair = self.knobs["basic"].replace(".", ":", 1)
            want = "Basic " + base64.b64encode(pair.encode()).decode()
        if want is None or self.headers.get("Authorization") == want:
            return True
        realm = "Bearer" if want.startswith("Bearer") else 'Basic realm="fixture"'
        self.small(401, {"error": "who are you"}, {"WWW-Authenticate": realm})
        return False

    def must_fail(self):
        code = 0
        if "status" in self.knobs:
            code = int(self.knobs["status"])
        if "fail" in self.knobs:
            times, _, status = self.knobs["fail"].partition(".")
            with lock:
                failures[self.path] = failures.get(self.path, 0) + 1
                if failures[self.path] <= int(times):
                    code = int(status)
        if code:
            self.small(code, {"error": "out of order"}, {"Retry-After": "1"})
        return bool(code)

    def control(self, what):
        if what == "add":
            body = json.loads(self.body)
            for package in body if isinstance(body, list) else [body]:
                add(package)
            return self.small(200, {})
        if what.startswith("hash/"):
            eco, name = what[len("hash/"):].split("/", 1)
            blob = self.find_blob(eco, urllib.parse.unquote(name))
            if blob is None:
                return self.small(404, {})
            return self.small(200, {"sha1": blob.sha1, "sha256": blob.sha256, "sri": blob.sri,
                                    "length": blob.length})
        return self.small(200, {})  # ping, audit, whoami

    @staticmethod
    def find_blob(eco, name):
        if eco == "npm":
            name, _, version = name.rpartition("/")
            found = [p for p in packages.get(("npm", name), []) if p["version"] == version]
            return found[0]["artifact"]() if found else None
        for key in list(packages):
            if key[0] == "pypi" and name in py_files(key[1]):
                return py_files(key[1])[name][1]
        return None

    # npm

    def npm(self, base, name):
        root = self.prefix + base
        if self.command == "PUT":
            return self.small(201, {"ok": True})
        if "/-/" in name:
            return self.npm_artifact(*name.split("/-/", 1))
        parts = name.strip("/").split("/")
        cut = 2 if name.startswith("@") else 1
        name, tag = "/".join(parts[:cut]), "/".join(parts[cut:])
        here = self.address(cdn="cdn" in self.knobs) + root
        if name == "huge":
            last = YOUNG if "young" in self.knobs else {}
            huge = fx.Huge((here + "huge/-/").encode(),
                           int(self.knobs.get("count", fx.HUGE_VERSIONS)), fx.published(last))
            return self.send(huge, "application/json", meta=True)
        found = packages.get(("npm", name))
        if not found:
            return self.small(404, {"error": "Not found"})
        if tag:
            tag = fx.dist_tags(found).get(tag, tag)
            found = [p for p in found if p["version"] == tag]
            if not found:
                return self.small(404, {"error": "version not found"})
        abbreviated = ABBREVIATED in self.headers.get("Accept", "") and "full" not in self.knobs

        def url(p):
            return here + p["name"] + "/-/" + fx.npm_file_name(p)

        body = fx.packument(found, url, abbreviated and not tag, "undated" not in self.knobs)
        if tag:
            body = json.dumps(json.loads(body)["versions"][found[0]["version"]]).encode()
        kind = ABBREVIATED if abbreviated else "application/json"
        return self.send(fx.Blob(body), kind, meta=True, modified=fx.newest(found))

    def npm_artifact(self, name, file_name):
        for p in packages.get(("npm", name), []):
            if fx.npm_file_name(p) == file_name:
                return self.artifact(p["artifact"](), "application/octet-stream")
        if name == "huge":
            version = file_name[len("huge-"):-len(".tgz")]
            made = fx.npm_tarball({"name": "huge", "version": version})
            return self.artifact(fx.Blob(made), "application/octet-stream")
        return self.small(404, {"error": "no such file"})

    def artifact(self, blob, kind):
        if "redirect" in self.knobs and not self.server.listener.startswith("cdn"):
            where = self.address(cdn=True) + self.path.replace("/~redirect", "", 1)
            where = "/".join(s for s in where.split("/")
                             if not s.startswith(("~bearer", "~basic", "~token")))
            return self.small(302, {}, {"Location": where})
        return self.send(blob, kind, meta=False)

    # PyPI

    def pypi(self, base, rest):
        what, _, name = rest.partition("/")
        name = urllib.parse.unquote(name)
        if what == "files":
            return self.pypi_file(name)
        if not name.endswith("/"):
            return self.small(301, {}, {"Location": self.path + "/"})
        files = py_files(fx.normal(name[:-1]))
        if not files:
            return self.small(404, {"message": "Not Found"})
        root = self.address(cdn="cdn" in self.knobs) + self.prefix + base
        if "relative" in self.knobs:
            root = "../../"
        accept = self.headers.get("Accept", "")
        as_json = "html" not in self.knobs and (PEP691 in accept or "json" in self.knobs)
        if "htmlfirst" in self.knobs and "text/html" in accept:
            as_json = False
        rows = []
        for file_name, (p, blob) in sorted(files.items()):
            meta = None
            if file_name.endswith(".whl") and "nometa" not in self.knobs:
                meta = hashlib.sha256(fx.py_metadata(p).encode()).hexdigest()
            rows.append((file_name, root + "files/" + fx.normal(p["name"]) + "/" + file_name,
                         blob, meta, p))
        make = self.pypi_json if as_json else self.pypi_html
        body = make(fx.normal(name[:-1]), rows).encode()
        kind = PEP691 if as_json else "text/html; charset=utf-8"
        return self.send(fx.Blob(body), kind, meta=True,
                         modified=fx.newest([p for _, _, _, _, p in rows]))

    def pypi_json(self, name, rows):
        files = []
        for file_name, url, blob, meta, p in rows:
            entry = {"filename": file_name, "url": url, "hashes": {"sha256": blob.sha256},
                     "size": blob.length, "yanked": False}
            if fx.published(p) and "undated" not in self.knobs:
                entry["upload-time"] = fx.published(p)
            if meta:
                entry["core-metadata"] = entry["data-dist-info-metadata"] = {"sha256": meta}
            files.append(entry)
        versions = sorted({p["version"] for _, _, _, _, p in rows})
        return json.dumps({"meta": {"api-version": "1.1"}, "name": name, "versions": versions,
                           "files": files})

    @staticmethod
    def pypi_html(name, rows):
        lines = ["<!DOCTYPE html><html><head><title>%s</title></head><body>" % html.escape(name)]
        for file_name, url, blob, meta, _ in rows:
            attr = ' data-core-metadata="sha256=%s"' % meta if meta else ""
            lines.append('<a href="%s#sha256=%s"%s>%s</a><br>' % (
                html.escape(url), blob.sha256, attr, html.escape(file_name)))
        return "\n".join(lines + ["</body></html>"])

    def pypi_file(self, name):
        project, _, file_name = name.partition("/")
        files = py_files(project)
        if file_name.endswith(".metadata") and file_name[:-len(".metadata")] in files:
            p, _ = files[file_name[:-len(".metadata")]]
            return self.artifact(fx.Blob(fx.py_metadata(p).encode()), "text/plain")
        if file_name not in files:
            return self.small(404, {"message": "Not Found"})
        return self.artifact(files[file_name][1], "application/octet-stream")

    # sending

    def small(self, status, doc, headers=None):
        body = json.dumps(doc).encode()
        head = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        head.update(headers or {})
        self.head(status, head)
        if self.command != "HEAD":
            self.put(body)

    def head(self, status, headers):
        self.status = status
        version = "HTTP/1.0" if "http10" in self.knobs else "HTTP/1.1"
        if "http10" in self.knobs:
            headers["Connection"] = "close"
            self.close_connection = True
        reason = self.responses.get(status, ("",))[0]
        lines = ["%s %d %s" % (version, status, reason), "Date: " + self.date_time_string()]
        lines += ["%s: %s" % kv for kv in headers.items()]
        self.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def put(self, data):
        self.connection.sendall(data)
        self.sent += len(data)

    def is_unchanged(self, tag, modified):
        """If-None-Match counts before If-Modified-Since (RFC 9110, 13.2.2)."""
        if "If-None-Match" in self.headers and "nomatch" not in self.knobs:
            return tag in self.headers["If-None-Match"]
        return modified is not None and self.headers.get("If-Modified-Since") == modified

    def send(self, blob, kind, meta, modified=None):
        headers = {"Content-Type": kind, "Accept-Ranges": "bytes"}
        tag = '"%s"' % (blob.sha256 or "huge-%d" % blob.length)[:32]
        if "noetag" not in self.knobs:
            if "nomatch" not in self.knobs:
                headers["ETag"] = tag
            headers["Cache-Control"] = "public, max-age=300" if meta else "immutable"
            if modified:
                when = time.strptime(modified[:19], "%Y-%m-%dT%H:%M:%S")
                modified = self.date_time_string(calendar.timegm(when))
                headers["Last-Modified"] = modified
            if self.is_unchanged(tag, modified):
                return self.head(304, headers)
        length, chunks, status = blob.length, blob.chunks(), 200
        first, last = self.range_of(blob.length)
        if first is not None and not meta:
            if first > last:
                return self.head(416, {"Content-Range": "bytes */%d" % blob.length,
                                       "Content-Length": "0"})
            headers["Content-Range"] = "bytes %d-%d/%d" % (first, last, blob.length)
            length, chunks, status = last - first + 1, cut(chunks, first, last), 206
        elif meta and "gzip" in self.knobs and "gzip" in self.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
            headers["Vary"] = "Accept-Encoding"
            length, chunks = None, gzipped(chunks)
            if blob.length < 1 << 20 and "chunked" not in self.knobs:
                whole = b"".join(chunks)
                length, chunks = len(whole), iter([whole])
        chunked = ("chunked" in self.knobs or length is None) and "http10" not in self.knobs
        if chunked:
            headers["Transfer-Encoding"] = "chunked"
        elif length is not None and "http10" not in self.knobs:
            headers["Content-Length"] = str(length)
        self.head(status, headers)
        if self.command == "HEAD":
            return None
        faulty = meta == (self.knobs.get("on") == "meta")
        self.pump(self.spoiled(chunks) if faulty else chunks, chunked)
        return None

    def range_of(self, total):
        unit, _, spec = self.headers.get("Range", "").partition("=")
        if unit != "bytes" or "," in spec or "-" not in spec:
            return None, None
        a, _, b = spec.partition("-")
        if a == "":
            return max(0, total - int(b)), total - 1
        return int(a), min(int(b) if b else total - 1, total - 1)

    def pump(self, chunks, chunked):
        for chunk in chunks:
            if chunked:
                self.connection.sendall(b"%x\r\n" % len(chunk))
            self.put(chunk)
            if chunked:
                self.connection.sendall(b"\r\n")
        if chunked:
            self.connection.sendall(b"0\r\n\r\n")

    def spoiled(self, chunks):
        limit = None
        for knob in ("truncate", "rst"):
            if knob in self.knobs:
                limit = int(self.knobs[knob])
        rate = int(self.knobs.get("slow", 0))
        for chunk in chunks:
            step = max(1, rate // 10) if rate else len(chunk)
            for i in range(0, len(chunk), step):
                part = chunk[i:i + step]
                if limit is not None and self.sent + len(part) > limit:
                    self.put(part[:limit - self.sent])
                    self.break_off()
                yield part
                if rate:
                    time.sleep(0.1)

    def break_off(self):
        if "rst" in self.knobs:
            time.sleep(0.05)  # what was sent before shall arrive: RST discards
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                       struct.pack("ii", 1, 0))
            os.close(self.connection.detach())
        raise Broken

    def note(self):
        line = {"time": time.time(), "listener": self.server.listener, "method": self.command,
                "path": self.path, "headers": dict(self.headers.items()), "status": self.status,
                "sent": self.sent, "complete": self.whole}
        with lock:
            self.server.log.write(json.dumps(line) + "\n")
            self.server.log.flush()

    def finish(self):
        try:
            super().finish()
        except (OSError, ValueError):
            pass

    def log_message(self, format, *args):  # noqa: A002, the base class names it so
        pass


def cut(chunks, first, last):
    at = 0
    for chunk in chunks:
        part = chunk[max(0, first - at):max(0, last + 1 - at)]
        at += len(chunk)
        if part:
            yield part
        if at > last:
            return


def gzipped(chunks):
    z = zlib.compressobj(6, zlib.DEFLATED, 31)
    for chunk in chunks:
        out = z.compress(chunk)
        if out:
            yield out
    yield z.flush()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, family, address, listener, context, log):
        self.address_family = family
        self.listener, self.context, self.log = listener, context, log
        super().__init__(address, Handler)

    def finish_request(self, request, client_address):
        # In the connection's own thread: a client that is slow to greet stops nobody.
        if self.context:
            request.settimeout(20)
            request = self.context.wrap_socket(request, server_side=True)
            request.settimeout(None)
        request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.RequestHandlerClass(request, client_address, self)
        try:
            if self.context and request.fileno() >= 0:
                request.unwrap()
        except (OSError, ValueError):
            pass
        request.close()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, client_address)


def make_authority(folder):
    """ca.pem, cert.pem + key.pem signed by it; bad.pem + bad.key signed by itself."""
    names = ("subjectAltName=DNS:localhost,DNS:registry.test,DNS:*.registry.test,"
             "IP:127.0.0.1,IP:127.0.0.2,IP:::1")

    def openssl(*args):
        subprocess.run(("openssl",) + args, cwd=folder, check=True, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    new = ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
           "-days", "30")
    openssl(*new, "-subj", "/CN=fixture authority", "-keyout", "ca.key", "-out", "ca.pem",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    openssl(*new, "-subj", "/CN=nobody", "-addext", names, "-keyout", "bad.key", "-out", "bad.pem")
    openssl(*new, "-subj", "/CN=fixture", "-addext", names, "-addext",
            "basicConstraints=critical,CA:FALSE", "-addext", "extendedKeyUsage=serverAuth",
            "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", "key.pem", "-out", "cert.pem")


def tls_context(folder, cert, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, cert), os.path.join(folder, key))
    context.set_alpn_protocols(["http/1.1"])
    return context


def listen(folder, log):
    good = tls_context(folder, "cert.pem", "key.pem")
    bad = tls_context(folder, "bad.pem", "bad.key")
    servers = []
    for listener, host, context in (("http", "127.0.0.1", None), ("https", "127.0.0.1", good),
                                    ("untrusted", "127.0.0.1", bad),
                                    ("cdn_http", "127.0.0.2", None),
                                    ("cdn_https", "127.0.0.2", good)):
        server = Server(socket.AF_INET, (host, 0), listener, context, log)
        ports[listener] = server.server_address[1]
        servers.append(server)
        try:
            if host == "127.0.0.1":
                servers.append(Server(socket.AF_INET6, ("::1", ports[listener]), listener,
                                      context, log))
        except OSError:
            pass  # no IPv6 here, or the port is taken there: 127.0.0.1 is what counts
    return servers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dir", required=True)
    parser.add_argument("--spec")
    args = parser.parse_args()
    os.makedirs(args.dir, exist_ok=True)
    for p in fx.DEFAULTS:
        add(p)
    add({"eco": "npm", "name": "big", "version": "1.0.0"})
    if args.spec:
        with open(args.spec, encoding="utf-8") as f:
            for p in json.load(f):
                add(p)
    make_authority(args.dir)
    log = open(os.path.join(args.dir, "log.jsonl"), "a", encoding="utf-8")
    for server in listen(args.dir, log):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print(ports["http"], ports["https"], ports["untrusted"], ports["cdn_http"],
          ports["cdn_https"], flush=True)
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
