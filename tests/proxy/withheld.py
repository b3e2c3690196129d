#!/usr/bin/env python3
"""The running proxy: versions that are too young or malicious are left out of what registries say."""
import json
import os
import signal
import subprocess
import threading
import time
import urllib.request

import world
from world import NO_WAIT, Registry, Server, direct, plain

ABBREVIATED = "Accept: application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*"
PEP691 = "Accept: application/vnd.pypi.simple.v1+json, text/html;q=0.1"
HTML = "Accept: text/html"
WAIT = dict(world.NO_WAIT, enabled=True, now=int(time.time()))


def npm(name, *versions):
    """versions: (version, age[, more])"""
    for version, age, *more in versions:
        Registry.add(dict({"eco": "npm", "name": name, "version": version, "age": age},
                          **(more[0] if more else {})))


class Case(world.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if cls is not Case and not hasattr(Case, "is_filled"):
            Case.is_filled = True
            npm("pkg", ("1.0.0", "400d"), ("1.1.0", "10d"), ("1.2.0", "1h"))
            npm("old", ("1.0.0", "400d"), ("2.0.0", "40d"))
            npm("new", ("1.0.0", "2h"))
            npm("coa", ("2.0.2", "400d"), ("2.0.3", "390d"))
            npm("@acme/scoped", ("1.0.0", "400d"), ("1.0.1", "2h"))

    def start_npm(self, base="/npm/", **more):
        self.base = "http://127.0.0.1:%d%s" % (Registry.http, base)
        self.start(("npm", self.base), **more)

    def get(self, path, *fields):
        return self.client().get(self.base + path, *fields)

    def doc(self, path, *fields):
        got = self.get(path, *fields)
        self.assertEqual((got.status, got.whole), (200, True), got.body)
        return got, json.loads(got.body)


class Npm(Case):
    def test_a_young_version_is_left_out_of_either_form(self):
        for base in ("/npm/", "/~gzip/npm/", "/~chunked/npm/", "/~full/npm/", "/~noetag/npm/"):
            for fields in ((), (ABBREVIATED,), (ABBREVIATED, "Accept-Encoding: gzip, br")):
                self.start_npm(base)
                got, doc = self.doc("pkg", *fields)
                self.assertEqual(sorted(doc["versions"]), ["1.0.0", "1.1.0"], base)
                self.assertEqual(doc["dist-tags"], {"latest": "1.1.0"})
                self.assertNotIn("1.2.0", doc.get("time", {}))
                abbreviated = bool(fields) and "full" not in base
                self.assertEqual("description" in doc["versions"]["1.0.0"], not abbreviated)
                self.assertEqual(got["cache-control"], "no-store")
                self.assertIsNone(got["last-modified"])
                self.assertIsNone(got["content-encoding"])
                told = [(m["name"], m["version"], m["diag"], m.get("instead"))
                        for m in self.stop() if m.get("verdict") == "withheld"]
                self.assertEqual(told, [("pkg", "1.2.0", 3003, "1.1.0")])

    def test_where_nothing_is_withheld_it_is_byte_for_byte_as_it_was(self):
        for base in ("/npm/", "/~gzip/npm/", "/~chunked/npm/"):
            self.start_npm(base)
            for fields in ((), (ABBREVIATED,), ("Accept-Encoding: gzip",)):
                request = urllib.request.Request(plain(base + "old"))
                for field in fields:
                    request.add_header(*field.split(": "))
                with urllib.request.urlopen(request) as f:
                    want, head = f.read(), f.headers
                got = self.get("old", *fields)
                self.assertEqual(got.body, want)
                for name in ("etag", "last-modified", "content-encoding", "cache-control"):
                    self.assertEqual(got[name], head[name], name)
                again = self.get("old", "If-None-Match: " + got["etag"], *fields)
                self.assertEqual((again.status, again["etag"]), (304, got["etag"]))
                again = self.get("old", "If-Modified-Since: " + got["last-modified"], *fields)
                self.assertEqual(again.status, 304)
            self.assertEqual([m for m in self.stop() if m.get("verdict") == "withheld"], [])

    def test_a_status_that_is_no_error_brings_no_version_back(self):
        """Clients take its body like that of 200, but for what leads elsewhere."""
        body, now = direct("/npm/pkg"), []

        def handle(_, conn):
            head, _ = Server.head(conn)
            if head:
                conn.sendall(("HTTP/1.1 %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" %
                              (now[0], len(body))).encode() + body)

        self.base = "http://127.0.0.1:%d/" % self.server(handle).port
        self.start(("npm", self.base))
        for head, kept in (("201 Created", True), ("203 Odd", True), ("206 Partial Content", True),
                           ("300 Multiple Choices\r\nLocation: /x", True), ("302 Found", True),
                           ("399 Odd", True), ("302 Found\r\nLocation:", False),
                           ("307 Moved\r\nLocation: /x", False)):
            now[:] = [head]
            got = self.get("pkg")
            self.assertEqual((got.status, got.whole), (int(head[:3]), True))
            if kept:
                self.assertEqual(sorted(json.loads(got.body)["versions"]), ["1.0.0", "1.1.0"], head)
            else:
                self.assertEqual(got.body, b"", head)

    def test_what_a_cache_holds_does_not_bring_a_version_back(self):
        """The client has it whole from a run without pmg, and asks whether it changed."""
        self.start_npm()
        with urllib.request.urlopen(plain("/npm/pkg")) as f:
            etag, modified = f.headers["ETag"], f.headers["Last-Modified"]
        for field in ("If-None-Match: " + etag, "If-None-Match: W/" + etag,
                      "If-Modified-Since: " + modified):
            got, doc = self.doc("pkg", field)
            self.assertNotIn("1.2.0", doc["versions"])
            self.assertNotEqual(got["etag"], etag)
        again = self.get("pkg", "If-None-Match: " + got["etag"])
        self.assertEqual(again.status, 304)
        self.assertIn("versions", self.doc("pkg", "If-None-Match: *")[1])  # of whatever it has

    def test_head_says_what_get_would_give(self):
        for base in ("/npm/", "/~gzip/npm/", "/~chunked/npm/"):
            self.start_npm(base)
            for name in ("pkg", "old", "pkg/latest", "nothing-of-that-name"):
                client = self.client()
                head = client.get(self.base + name, "Accept-Encoding: gzip", method="HEAD")
                got = client.get(self.base + name, "Accept-Encoding: gzip")  # nothing is left over
                self.assertEqual((head.status, head.body), (got.status, b""), name)
                for field in ("etag", "last-modified", "cache-control", "content-encoding",
                              "location", "content-length", "transfer-encoding"):
                    self.assertEqual(head[field], got[field], (name, field))
        self.start_npm("/~chunked/npm/", packages=dict(WAIT, mode=1))
        self.assertEqual(self.client().get(self.base + "pkg", method="HEAD")["etag"],
                         self.get("pkg")["etag"])

    def test_where_nothing_would_be_left_the_artifact_is_refused(self):
        self.start_npm()
        got, doc = self.doc("new")
        self.assertEqual(got.body, direct("/npm/new"))
        got = self.client().get(doc["versions"]["1.0.0"]["dist"]["tarball"])
        self.assertEqual(got.status, 403)
        self.assertIn("PMG3003", json.loads(got.body)["error"])

    def test_an_artifact_that_is_asked_for_directly_is_judged_by_its_age(self):
        self.start_npm("/~k.1/npm/")
        for path, status in (("pkg/-/pkg-1.2.0.tgz", 403), ("pkg/-/pkg-1.1.0.tgz", 200),
                             ("old/-/old-2.0.0.tgz", 200), ("new/-/new-1.0.0.tgz", 403),
                             ("@acme/scoped/-/scoped-1.0.1.tgz", 403),
                             ("@acme/scoped/-/scoped-1.0.0.tgz", 200)):
            self.assertEqual(self.get(path).status, status, path)
        # Once a package, and the full form only where the short one was not enough.
        asked = [r["headers"].get("Accept") for r in Registry.asked("/~k.1/npm/pkg")]
        self.assertEqual(len(asked), 2)
        self.assertEqual(len(Registry.asked("/~k.1/npm/old")), 1)

    def test_dates_are_kept_for_the_next_run(self):
        self.start_npm("/~d.1/npm/")
        self.assertEqual(self.get("pkg/-/pkg-1.1.0.tgz").status, 200)
        self.assertEqual(self.get("pkg/-/pkg-1.2.0.tgz").status, 403)
        lines = [line for m in self.told("dated") for line in m["lines"]]
        self.assertEqual([line.rsplit(" ", 1)[0] for line in lines],
                         ["npm %s pkg 1.1.0" % self.base])
        asked = len(Registry.asked("/~d.1/npm/pkg", 2))
        path = os.path.join(world.WORK, "dates")
        young = int(time.time()) - 3600
        with open(path, "w", encoding="ascii") as f:
            f.write("odd\nnpm %s pkg\nnpm https://other.test/ old 2.0.0 5\n" % self.base)
            f.write("\n".join(lines) + "\nnpm %s new 9.9.9 %d\n" % (self.base, young))
        self.start_npm("/~d.1/npm/", dates_path=path)
        self.assertEqual(self.get("pkg/-/pkg-1.1.0.tgz").status, 200)
        self.assertEqual(len(Registry.asked("/~d.1/npm/pkg")), asked)  # it was not asked again
        self.assertEqual(self.get("pkg/-/pkg-1.2.0.tgz").status, 403)  # of that nothing was kept
        self.assertEqual(self.get("new/-/new-9.9.9.tgz").status, 403)  # as young as it was
        self.assertEqual(self.told("dated"), [])

    def test_a_tag_leads_to_the_version_that_passes(self):
        npm("tagged", ("1.0.0", "400d"), ("1.9.0", "300d"), ("2.0.0", "90d", {"tags": ["two"]}),
            ("2.0.1-rc.1", "80d"), ("3.0.0-rc.1", "70d"), ("3.0.0-rc.2", "1h", {"tags": ["next"]}),
            ("3.0.0", "1h"))
        self.start_npm()
        for tag, want in (("latest", "2.0.0"), ("next", "3.0.0-rc.1"), ("two", None)):
            got = self.get("tagged/" + tag)
            self.assertEqual((got.status, got["location"]), (307 if want else 200, want), tag)
        got, doc = self.doc("tagged/2.0.0")
        self.assertEqual((got.body, doc["version"]), (direct("/npm/tagged/2.0.0"), "2.0.0"))
        self.assertEqual(self.doc("tagged/3.0.0")[1]["version"], "3.0.0")  # it is refused later
        told = [(m["version"], m["instead"]) for m in self.stop()
                if m.get("verdict") == "withheld"]
        self.assertEqual(told, [("3.0.0", "2.0.0"), ("3.0.0-rc.2", "3.0.0-rc.1")])

    def test_a_malicious_version_is_left_out_too(self):
        self.start_npm(blocked=("pkg:npm/old@2.0.0",))
        got, doc = self.doc("old", ABBREVIATED)
        self.assertEqual(list(doc["versions"]), ["1.0.0"])
        self.assertEqual(doc["dist-tags"], {"latest": "1.0.0"})
        told = [m for m in self.stop() if m.get("verdict") == "withheld"]
        self.assertEqual([(m["version"], m["diag"]) for m in told], [("2.0.0", 3006)])

    def test_of_many_versions_some_are_told_and_the_rest_counted(self):
        npm("many", ("1.0.0", "400d"), *(("1.0.%d" % i, "%dm" % i) for i in range(1, 41)))
        self.start_npm()
        self.assertEqual(list(self.doc("many")[1]["versions"]), ["1.0.0"])
        told = [(m["version"], m["more"]) for m in self.stop() if m.get("verdict") == "withheld"]
        self.assertEqual(told, [("1.0.%d" % i, 8 if i == 32 else 0) for i in range(1, 33)])

    def test_a_tarball_that_is_spelled_oddly_leads_nobody_around_its_judgement(self):
        """What no strict reader takes for an address node fetches all the same."""
        port, path = Registry.http, "/npm/old/-/old-2.0.0.tgz"
        spellings = ["http:127.0.0.1:%d%s", "http:///127.0.0.1:%d%s", "http:\\\\127.0.0.1:%d%s",
                     "http://127.0.0.1:%d/npm\\..%s", "http://127.0.0.1:%d/x/%%2e%%2E%s",
                     "h\ttt\np://127.0.0.1:%d%s", " http://127.0.0.1:%d%s\n", "http://a@b@127.0.0.1:%d%s"]
        plain_ones = ["HTTP://127.0.0.1:%d%s", "http://127.0.0.1:%d%s?", "http://u:p@127.0.0.1:%d%s"]
        got = subprocess.run(
            ["node", "-e", "for (const u of process.argv.slice(1)) require('http').get(new URL(u), "
             "r => {r.resume(); console.log(r.statusCode)})", "--"] +
            [s % (port, path) for s in spellings + plain_ones], check=True, stdout=subprocess.PIPE)
        self.assertEqual(got.stdout.split(), [b"200"] * len(spellings + plain_ones))

        def version(v, tarball):
            return {"name": "x", "version": v, "dist": {"tarball": tarball}}

        def handle(_, conn):
            head, _ = Server.head(conn)
            if not head:
                return
            body = json.dumps(docs[0] if "/x " in head else docs[0]["versions"]["2.0.0"]).encode()
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" %
                         len(body) + body)

        docs = [None]
        base = "http://127.0.0.1:%d/" % self.server(handle).port
        for spelling in spellings + plain_ones:
            odd = spelling in spellings
            docs[0] = {"name": "x", "dist-tags": {"latest": "2.0.0"}, "versions": {
                "1.0.0": version("1.0.0", plain("/npm/old/-/old-1.0.0.tgz")),
                "2.0.0": version("2.0.0", spelling % (port, path))},
                       "time": {"1.0.0": "2015-01-01T00:00:00Z", "2.0.0": "2015-01-01T00:00:00Z"}}
            self.base = base
            self.start(("npm", base))
            got, doc = self.doc("x")
            self.assertEqual("2.0.0" in doc["versions"], not odd, spelling)
            self.assertEqual(self.get("x/2.0.0").status, 502 if odd else 200, spelling)
            del docs[0]["versions"]["1.0.0"]
            self.assertEqual(self.get("x").status, 502 if odd else 200, spelling)
            told = {(m["version"], m["diag"]) for m in self.stop()
                    if m.get("verdict") == "withheld"}
            self.assertEqual(told, {("2.0.0", 3005)} if odd else set(), spelling)
            # Where all is told the name is known still, wherever the file lies.
            self.start(("npm", base), packages=dict(WAIT, mode=1), blocked=("pkg:npm/x@2.0.0",))
            self.assertEqual(self.get("x").status, 200)
            self.assertEqual(self.client().get(plain(path)).status, 403, spelling)
            self.stop()

    def test_a_document_that_cannot_be_read_is_refused(self):
        def answer(server, conn):
            world.Server.head(conn)
            body = b'{"name":"x","versions":{},"versions":{"1.0.0":{}}}'
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(body) + body)

        server = self.server(answer)
        self.base = "http://127.0.0.1:%d/" % server.port
        self.start(("npm", self.base))
        got = self.get("x")
        self.assertEqual(got.status, 502)
        self.assertIn("PMG3011", json.loads(got.body)["error"])
        self.assertEqual([m["diag"] for m in self.told("trouble")], [3011])

    def test_without_dates_nothing_is_old_enough(self):
        self.start_npm("/~undated/npm/")
        self.assertEqual(self.get("old/-/old-1.0.0.tgz").status, 403)
        self.assertEqual(self.get("old", ABBREVIATED).status, 200)
        self.assertEqual(self.get("old/-/old-1.0.0.tgz").status, 403)

    def test_a_registry_that_fails_is_no_reason_to_let_a_package_in(self):
        self.start_npm("/~status.503/npm/")
        got = self.get("old/-/old-1.0.0.tgz")
        self.assertEqual(got.status, 502)
        self.assertIn("503", json.loads(got.body)["error"])
        self.assertEqual([m["diag"] for m in self.told("trouble")], [3011])


class Pypi(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not hasattr(Case, "has_pypi"):
            Case.has_pypi = True
            for version, age in (("1.0", "400d"), ("1.1", "13d"), ("1.2", "1h")):
                Registry.add({"eco": "pypi", "name": "wait", "version": version, "age": age})
            Registry.add({"eco": "pypi", "name": "settled", "version": "1.0"})

    def start_pypi(self, base="/simple/", **more):
        self.base = "http://127.0.0.1:%d%s" % (Registry.http, base)
        self.start(("pypi", self.base), **more)

    def test_files_that_are_too_young_are_left_out_of_either_form(self):
        rows = (("/simple/", PEP691), ("/~gzip/simple/", PEP691), ("/simple/", HTML),
                ("/~htmlfirst/simple/", PEP691), ("/~gzip/simple/", HTML))
        for base, accept in rows:
            self.start_pypi(base)
            got = self.get("wait/", accept, "Accept-Encoding: gzip")
            self.assertEqual((got.status, got.whole, got["cache-control"]), (200, True, "no-store"))
            text = got.body.decode()
            for part in ("wait-1.0-py3-none-any.whl", "wait-1.0.tar.gz", "wait-1.1.tar.gz"):
                self.assertIn(part, text, base)
            self.assertNotIn("1.2", text)
            self.assertEqual("json" in got["content-type"],
                             accept == PEP691 and "htmlfirst" not in base)
            told = [(m["name"], m["version"], m["diag"])
                    for m in self.stop() if m.get("verdict") == "withheld"]
            self.assertEqual(told, [("wait", "1.2", 3003)])

    def test_where_nothing_is_withheld_it_is_byte_for_byte_as_it_was(self):
        for accept in (PEP691, HTML):
            self.start_pypi()
            request = urllib.request.Request(plain("/simple/settled/"))
            request.add_header(*accept.split(": "))
            with urllib.request.urlopen(request) as f:
                want = f.read()
            got = self.get("settled/", accept)
            self.assertEqual(got.body, want)
            again = self.get("settled/", accept, "If-None-Match: " + got["etag"])
            self.assertEqual(again.status, 304)
            self.stop()

    def test_files_that_are_asked_for_directly_are_judged_by_their_own_age(self):
        self.start_pypi("/~k.2/simple/")
        files = "http://127.0.0.1:%d/~k.2/files/" % Registry.http
        for path, status in (("wait/wait-1.2.tar.gz", 403), ("wait/wait-1.1.tar.gz", 200),
                             ("wait/wait-1.2-py3-none-any.whl", 403),
                             ("wait/wait-1.2-py3-none-any.whl.metadata", 403),
                             ("wait/wait-1.0-py3-none-any.whl.metadata", 200),
                             ("settled/settled-1.0.tar.gz", 200)):
            self.assertEqual(self.client().get(files + path).status, status, path)
        self.assertEqual(len(Registry.asked("/~k.2/simple/wait/", 1)), 1)

    def test_json_in_an_encoding_that_is_not_read_is_refused(self):
        """pip finds out by itself which of them it is."""
        page = {"meta": {"api-version": "1.1"}, "name": "x", "files": []}
        bodies = []

        def handle(_, conn):
            head, _ = Server.head(conn)
            if head:
                conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n"
                             b"Content-Type: application/vnd.pypi.simple.v1+json\r\n\r\n" %
                             len(bodies[0]) + bodies[0])

        self.base = "http://127.0.0.1:%d/simple/" % self.server(handle).port
        self.start(("pypi", self.base), packages=WAIT)
        for encoding in ("utf-16-be", "utf-16-le", "utf-32-be", "utf-32-le", "utf-16"):
            bodies[:] = [json.dumps(page).encode(encoding)]
            self.assertEqual(self.get("x/", PEP691).status, 502, encoding)
        bodies[:] = [b"PK\3\4 no document at all"]
        self.assertEqual(self.get("x/", PEP691).status, 200)

    def test_an_index_without_dates_dates_nothing(self):
        for base in ("/~html/simple/", "/~undated/simple/"):
            self.start_pypi(base)
            got = self.get("settled/", PEP691)
            self.assertIn("settled-1.0.tar.gz", got.body.decode())  # nothing would be left
            got = self.client().get(plain(base.replace("simple", "files") +
                                          "settled/settled-1.0.tar.gz"))
            self.assertEqual(got.status, 403)
            self.assertIn("PMG3003", got.body.decode())


class Pinned(Case):
    """Questions of the front about what nobody fetches: ASK with an age."""

    def ask(self, *pins, eco="npm", age="before", limit_ms=0):
        """pins: (name, version[, url]). What is said against each, by its name and version."""
        self.front.send("ask", {
            "number": 7, "eco": eco, "names": [p[0] for p in pins], "versions": [p[1] for p in pins],
            "hashes": [""] * len(pins), "ages": [age] * len(pins),
            "urls": [p[2] if len(p) > 2 else "" for p in pins], "limit_ms": limit_ms})
        said = {}
        while True:
            message = self.front.receive()
            if message["type"] == "answered":
                return said
            if message["type"] == "answer":
                said["@".join(pins[message["at"]][:2])] = message

    def test_a_pin_is_judged_by_its_age(self):
        self.start_npm("/~d.1/npm/")
        before = len(Registry.log())
        self.assertEqual(self.ask(("pkg", "1.2.0"), ("new", "1.0.0"), age=""), {})
        self.assertEqual(len(Registry.log()), before)
        said = self.ask(("pkg", "1.2.0"), ("pkg", "1.1.0"), ("new", "1.0.0"), ("old", "2.0.0"),
                        ("pkg", "1.2.0", self.base + "pkg/-/pkg-1.2.0.tgz"),
                        ("new", "1.0.0", "git+ssh://git.test/new"), ("new", "1.0.0", "bundled"),
                        ("none", "1.0.0", "https://elsewhere.test/none.tgz"), ("old", "9.9.9"))
        self.assertEqual({k: (m["verdict"], m["diag"]) for k, m in said.items()},
                         {k: ("block", 3003) for k in ("pkg@1.2.0", "new@1.0.0", "old@9.9.9")})
        self.assertIn("1 h old, min age 5 d", said["pkg@1.2.0"]["reason"])
        self.assertEqual(self.ask(("pkg", "1.1.0")), {})
        lines = [line for m in self.told("dated") for line in m["lines"]]
        self.assertEqual(len(lines), 2)
        self.assertEqual({line.split()[2:4] == ["pkg", "1.1.0"] or line.split()[2:4] == ["old", "2.0.0"]
                          for line in lines}, {True})
        # The next run knows without asking.
        path = os.path.join(world.WORK, "pinned-dates")
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in lines)
        self.start_npm("/~d.1/npm/", dates_path=path)
        before = len(Registry.log())
        self.assertEqual(self.ask(("pkg", "1.1.0"), ("old", "2.0.0")), {})
        self.assertEqual(len(Registry.log()), before)

    def test_of_an_index_the_oldest_file_of_a_version_counts(self):
        base = plain("/simple/")
        for eco, version, age in (("pypi", "1.0", "400d"), ("pypi", "2.0", "1h")):
            Registry.add({"eco": eco, "name": "pinpy", "version": version, "age": age})
        self.start(("pypi", base))
        said = self.ask(("pinpy", "1.0.0"), ("PinPy", "2.0"), ("pinpy", "2.0", "anywhere"),
                        ("nowhere", "1.0", "anywhere"), eco="pypi")
        self.assertEqual(sorted(said), ["PinPy@2.0", "pinpy@2.0"])
        said = self.ask(("nowhere", "1.0", "anywhere"), ("nowhere", "2.0"), eco="pypi", age="after")
        self.assertEqual(sorted(said), ["nowhere@2.0"])

    def test_who_asks_says_how_long_it_waits_for_dates(self):
        npm("late", ("1.0.0", "400d"))
        self.start_npm("/~delay.3000/npm/")
        began = time.time()
        said = self.ask(("late", "1.0.0"), limit_ms=200)
        self.assertLess(time.time() - began, 2)
        self.assertEqual(said["late@1.0.0"]["diag"], 3003)
        self.assertIn("did not answer in time", json.dumps(said))

    def test_what_is_asked_ahead_is_not_waited_for_and_asked_once(self):
        npm("ahead", ("1.0.0", "400d"))
        self.start_npm("/~delay.500/npm/")
        began = time.time()
        self.assertEqual(self.ask(("ahead", "1.0.0"), age="ahead"), {})
        self.assertLess(time.time() - began, 0.4)
        self.assertEqual(self.get("ahead/-/ahead-1.0.0.tgz").status, 200)
        self.assertEqual(len(Registry.asked("/~delay.500/npm/ahead", 1)), 1)

    def test_a_registry_that_cannot_be_asked_dates_nothing_and_is_given_up(self):
        server = self.server(lambda server, conn: server.seen.append(1)) # closes at once
        self.start(("npm", "http://127.0.0.1:%d/npm/" % server.port))
        pins = [("p%d" % i, "1.0.0") for i in range(200)]
        said = self.ask(*pins)
        self.assertEqual(len(said), 200)
        self.assertLess(len(server.seen), 200)
        self.assertIn("no publish time is known: ", said["p0@1.0.0"]["reason"])
        self.assertIn("--skip-dependency-cooldown", said["p0@1.0.0"]["note"])
        self.front.kill()
        self.start(("npm", plain("/npm/")), packages=dict(WAIT, undated=0))
        self.assertEqual(self.ask(("none", "1.0.0"), age="after")["none@1.0.0"]["verdict"], "allow")

    def test_of_several_indexes_the_dates_that_come_count(self):
        """Whatever the other one answers, or where it stands."""
        for version, age in (("1.0", "400d"), ("2.0", "1h")):
            Registry.add({"eco": "pypi", "name": "manypy", "version": version, "age": age})
        for status in ("401 No", "403 No", "404 No", "500 Odd", None):
            def answer(_, conn):
                Server.head(conn)
                conn.sendall(("HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n" % status).encode()
                             if status else b"")

            other = "http://127.0.0.1:%d/simple/" % self.server(answer).port
            for bases in ((other, plain("/simple/")), (plain("/simple/"), other)):
                self.start(*(("pypi", base) for base in bases))
                said = self.ask(("manypy", "1.0"), ("manypy", "2.0"), ("manypy", "9.9"), eco="pypi")
                is_denied = status and status[0] == "4"
                self.assertEqual(sorted(said), ["manypy@2.0"] + ["manypy@9.9"] * (not is_denied))
                self.assertIn("1 h old, min age 5 d", said["manypy@2.0"]["reason"])
                said = self.ask(("manypy", "1.0"), ("manypy", "2.0"), ("manypy", "9.9"), eco="pypi",
                                age="after")
                self.assertEqual(sorted(said), ["manypy@2.0", "manypy@9.9"])
                self.front.kill()
        # Each has it: who takes the younger file must not.
        Registry.add({"eco": "pypi", "name": "manypy", "version": "3.0", "age": "400d"})
        page = json.dumps({"meta": {"api-version": "1.1"}, "name": "manypy", "files": [
            {"filename": "manypy-3.0-py3-none-any.whl", "url": "x.whl", "hashes": {},
             "upload-time": time.strftime("%Y-%m-%dT%H:00:00Z", time.gmtime())}]}).encode()
        young = self.server(lambda _, conn: (Server.head(conn), conn.sendall(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/vnd.pypi.simple.v1+json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(page), page))))
        self.start(("pypi", plain("/simple/")), ("pypi", "http://127.0.0.1:%d/simple/" % young.port))
        self.assertEqual(sorted(self.ask(("manypy", "3.0"), eco="pypi")), ["manypy@3.0"])

    def test_what_has_another_in_its_place_is_not_asked(self):
        """No name goes to a public registry that the manager itself would not ask."""
        npm("inhouse", ("1.0.0", "400d"), ("2.0.0", "1h"))
        def answer(server, conn):
            server.seen.append(Server.head(conn)[0])
            conn.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")

        public = self.server(answer)
        base = "http://127.0.0.1:%d/" % public.port
        pins = [("inhouse", "1.0.0"), ("inhouse", "2.0.0"),
                ("inhouse", "1.0.0", base + "inhouse/-/inhouse-1.0.0.tgz"),
                ("inhouse", "1.0.0", "https://elsewhere.test/inhouse-1.0.0.tgz")]
        for age in ("ahead", "before", "after"):
            self.start(("npm", base, "replaced"), ("npm", plain("/npm/")))
            self.assertEqual(list(self.ask(*pins, age=age)),
                             ["inhouse@2.0.0"] if age != "ahead" else [])
            self.assertEqual(self.get_status(plain("/npm/inhouse/-/inhouse-1.0.0.tgz")), 200)
            self.assertEqual(public.seen, [])
            self.front.kill()
        # Who goes there himself is seen, and judged by what it says.
        self.start(("npm", base, "replaced"), ("npm", plain("/npm/")))
        self.assertEqual(self.get_status(base + "inhouse/-/inhouse-1.0.0.tgz"), 403)
        self.assertEqual([head.split()[1] for head in public.seen], ["/inhouse"])

    def get_status(self, url):
        return self.client().get(url).status

    def test_a_registry_that_does_not_know_us_yet_says_nothing(self):
        """Before a run nobody has shown it a token; what it denies is judged when it is fetched."""
        def answer(_, conn):
            head, _rest = Server.head(conn)
            status = b"200 OK" if "authorization" in head.lower() else b"404 Not Found"
            body = b'{"name":"mine","modified":"2099-01-01T00:00:00.000Z","dist-tags":{},' \
                   b'"time":{"1.0.0":"2020-01-01T00:00:00.000Z"},"versions":{"1.0.0":{}}}'
            body = body if status[:3] == b"200" else b"{}"
            conn.sendall(b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                         % (status, len(body), body))

        base = "http://127.0.0.1:%d/npm/" % self.server(answer).port
        self.start(("npm", base))
        self.assertEqual(self.ask(("mine", "1.0.0")), {})
        self.assertIn("mine@1.0.0", self.ask(("mine", "1.0.0"), age="after"))
        self.front.kill()
        self.start(("npm", base))
        self.assertEqual(self.ask(("mine", "1.0.0")), {})
        self.client().get(base + "other", "Authorization: Bearer t")
        self.assertEqual(self.ask(("mine", "1.0.0"), age="after"), {})
        self.assertEqual(self.ask(("mine", "2.0.0"), age="after")["mine@2.0.0"]["diag"], 3003)


class Policy(Case):
    def test_who_waits_for_nothing_is_told_all(self):
        self.start_npm("/~p.1/npm/", packages=dict(NO_WAIT))
        self.assertEqual(self.get("pkg", ABBREVIATED).body,
                         self.get("pkg", ABBREVIATED).body)
        self.assertIn("1.2.0", json.loads(self.get("pkg").body)["versions"])
        self.assertEqual(self.get("pkg/-/pkg-1.2.0.tgz").status, 200)
        # The client's Accept goes on as it is, and nothing else is asked.
        asked = Registry.asked("/~p.1/npm/pkg", 3)
        self.assertEqual(len(asked), 3)
        self.assertEqual(asked[0]["headers"]["Accept"], ABBREVIATED.split(": ")[1])

    def test_a_version_that_is_built_in_as_bad_is_withheld_without_a_wait(self):
        self.assertIn("2.0.3", json.loads(direct("/npm/coa"))["versions"])
        self.start_npm(packages=dict(NO_WAIT))
        got, doc = self.doc("coa", ABBREVIATED)
        self.assertEqual(list(doc["versions"]), ["2.0.2"])
        self.assertEqual(doc["dist-tags"], {"latest": "2.0.2"})
        told = [m for m in self.stop() if m.get("verdict") == "withheld"]
        self.assertEqual([(m["version"], m["diag"]) for m in told], [("2.0.3", 3001)])

    def test_who_rather_fails_is_told_all_and_refused_the_artifact(self):
        self.start_npm(packages=dict(WAIT, mode=1))
        self.assertEqual(self.get("pkg").body, direct("/npm/pkg"))
        self.assertEqual(self.get("pkg", ABBREVIATED).status, 200)
        self.assertEqual(self.get("pkg/-/pkg-1.2.0.tgz").status, 403)
        self.assertEqual(self.get("pkg/-/pkg-1.1.0.tgz").status, 200)


class Others(threading.Thread):
    """Requests that the proxy answers by itself, one after the other, and how long the slowest of
    them had to wait."""

    def __init__(self, case):
        super().__init__()
        self.front, self.is_over, self.worst, self.served = case.front, False, 0, 0
        self.start()

    def run(self):
        while not self.is_over:
            began = time.monotonic()
            with world.Client(self.front) as client:
                got = client.get("http://%s:%d/" % (self.front.host, self.front.port))
            self.worst = max(self.worst, time.monotonic() - began)
            self.served += got.status == 508
            time.sleep(0.001)

    def end(self):
        self.is_over = True
        self.join()
        return self.worst if self.served > 100 else float("inf")


class Large(Case):
    def test_a_packument_of_100_mb_is_filtered_in_little_memory_while_others_are_served(self):
        self.start_npm("/~young/npm/")
        others = Others(self)
        got = self.get("huge")
        self.assertLess(others.end(), 0.5 * world.SLOW)
        doc = json.loads(got.body)
        self.assertEqual(len(doc["versions"]), 199999)
        self.assertEqual(doc["dist-tags"]["latest"], "1.299998.0")
        self.assert_small()

    def test_many_clients_that_read_nothing_cost_no_memory(self):
        """10 MB each: more than all may have in memory, and each waits for its turn."""
        self.start_npm("/~count.20000/~young/npm/")
        slow = [self.client() for _ in range(20)]
        for client in slow:
            client.send("GET %shuge HTTP/1.1\r\nHost: x\r\n%s\r\n" % (self.base, client.auth()))
        _, doc = self.doc("huge")
        self.assertEqual(len(doc["versions"]), 19999)
        self.assert_small()


if __name__ == "__main__":
    signal.alarm(600)
    world.main()
