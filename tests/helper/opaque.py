#!/usr/bin/env python3
"""A registry on loopback whose artifact addresses say nothing of the package, as some have them.

    opaque.py        prints its port when it listens on 127.0.0.1; ends when stdin does

npm packages at /BASE/NAME (any base without "blobs"), with the versions 1.0.0 and 2.0.0 of whatever
name is asked for; their tarballs at /blobs/HASH. "/zipped/" in the path: gzip. Documents have an
ETag, answer 304 to it, and "/fresh/" in the path: may be kept for an hour.
"""
import gzip
import hashlib
import http.server
import json
import os
import sys
import threading

import fixture_packages as fx

blobs = {}


def version(name, number, here):
    data = fx.npm_tarball({"name": name, "version": number})
    key = hashlib.sha256(data).hexdigest()[:16]
    blobs[key] = data
    return {"name": name, "version": number,
            "dist": {"tarball": here + "/blobs/" + key, "integrity": fx.integrity(data)}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        base, _, name = self.path.split("?")[0].rpartition("/")
        if base == "/blobs":
            return self.send(200 if name in blobs else 404, blobs.get(name, b""))
        name = name.replace("%2f", "/")
        here = "http://" + self.headers["Host"]
        versions = {v: version(name, v, here) for v in ("1.0.0", "2.0.0")}
        doc = {"name": name, "dist-tags": {"latest": "2.0.0"}, "versions": versions}
        body = json.dumps(doc, indent=1).replace("/blobs", "\\/blobs").encode()
        tag = '"%s"' % hashlib.sha256(body).hexdigest()[:16]
        fields = {"ETag": tag}
        if "/fresh" in base:
            fields["Cache-Control"] = "public, max-age=3600"
        if self.headers.get("If-None-Match") == tag:
            return self.send(304, b"", fields)
        if "/zipped" in base:
            fields["Content-Encoding"] = "gzip"
            body = gzip.compress(body)
        return self.send(200, body, fields)

    def send(self, status, body, fields=None):
        self.send_response(status)
        for name, value in (fields or {}).items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):  # noqa: A002, the base class names it so
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
