#!/usr/bin/env python3
"""A server of feeds on loopback, as buckets are: ETag, Last-Modified, 304, Range with If-Range.

feeds.py DIR: serves the files below DIR/www; prints its port; ends when its standard input is closed.
DIR/log has a line of JSON for each request: path, status, range, bytes. DIR/faults, when it is there, is
JSON: of a path (or "*") what goes wrong with it:
  {"cut": N}        the connection ends after N bytes of the body, whatever the length says
  {"status": N}     that status, and a page of HTML
  {"html": true}    a page of HTML with status 200
  {"etag": "x"}     this tag, whatever the content is
  {"to": "ADDRESS"} a redirect
  {"slow": S}       a pause of S seconds in the middle of the body
  {"auth": "TOKEN"} without it 401, and the address of one: /token
  {"length": N}     a Content-Length that is N too large
"""
import hashlib
import http.server
import json
import os
import sys
import threading
import time
from email.utils import formatdate, parsedate_to_datetime

PAGE = b"<!DOCTYPE html><title>log in</title><p>Who are you?\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def fault(self, path):
        try:
            with open(os.path.join(self.server.dir, "faults")) as file:
                faults = json.load(file)
        except (OSError, ValueError):
            return {}
        return faults.get(path, faults.get("*", {}))

    def note(self, path, status, sent):
        line = json.dumps({"path": path, "status": status, "range": self.headers.get("Range"),
                           "etag": self.headers.get("If-None-Match"), "bytes": sent,
                           "auth": self.headers.get("Authorization")})
        with open(os.path.join(self.server.dir, "log"), "a") as file:
            file.write(line + "\n")

    def reply(self, path, status, body, headers):
        fault = self.fault(path)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body) + fault.get("length", 0)))
        self.end_headers()
        cut = fault.get("cut", len(body))
        half = min(cut, len(body) // 2)
        self.note(path, status, min(cut, len(body)))
        self.wfile.write(body[:half])
        if "slow" in fault:
            self.wfile.flush()
            time.sleep(fault["slow"])
        self.wfile.write(body[half:cut])
        if cut < len(body) or "length" in fault:
            self.close_connection = True

    def ranged(self, body, tag):
        """The part that is asked for, if it is of this file. @return start, or None"""
        asked = self.headers.get("Range", "")
        if not asked.startswith("bytes=") or self.headers.get("If-Range", tag) != tag:
            return None
        return int(asked[6:].split("-")[0])

    def do_GET(self):
        path = self.path.split("?")[0].lstrip("/")
        fault = self.fault(path)
        name = os.path.join(self.server.dir, "www", path)
        if "to" in fault:
            return self.reply(path, 302, b"", {"Location": fault["to"]})
        if "auth" in fault and self.headers.get("Authorization") != "Bearer " + fault["auth"]:
            here = "http://127.0.0.1:%d/token" % self.server.server_address[1]
            challenge = 'Bearer realm="%s",service="s",scope="repository:x:pull"' % here
            return self.reply(path, 401, b"{}", {"WWW-Authenticate": challenge})
        if "status" in fault or "html" in fault:
            return self.reply(path, fault.get("status", 200), PAGE, {"Content-Type": "text/html"})
        if not os.path.isfile(name):
            return self.reply(path, 404, PAGE, {"Content-Type": "text/html"})
        with open(name, "rb") as file:
            body = file.read()
        tag = '"%s"' % fault.get("etag", hashlib.sha256(body).hexdigest()[:32])
        stamp = formatdate(os.stat(name).st_mtime, usegmt=True)
        headers = {"ETag": tag, "Last-Modified": stamp, "Accept-Ranges": "bytes"}
        if self.headers.get("If-None-Match") == tag:
            return self.reply(path, 304, b"", headers)
        since = self.headers.get("If-Modified-Since")
        if since and not self.headers.get("If-None-Match") and \
                parsedate_to_datetime(since) >= parsedate_to_datetime(stamp):
            return self.reply(path, 304, b"", headers)
        start = self.ranged(body, tag)
        if start is None:
            return self.reply(path, 200, body, headers)
        if start >= len(body):
            return self.reply(path, 416, b"", {"Content-Range": "bytes */%d" % len(body)})
        headers["Content-Range"] = "bytes %d-%d/%d" % (start, len(body) - 1, len(body))
        return self.reply(path, 206, body[start:], headers)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # who asked has gone


def main():
    server = Server(("127.0.0.1", 0), Handler)
    server.dir = sys.argv[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
