#!/usr/bin/env python3
"""The running proxy: artifacts are looked into, and their end is held back until that is done."""
import gzip
import hashlib
import io
import json
import os
import signal
import subprocess
import tarfile
import tempfile
import time
import zipfile

import world
from world import Registry, Server, direct, noise, plain, tgz

HELD = 256 << 10  # src/proxy/artifact.h
EVIL = "package/../../../evil"


class Shelf:
    """A registry of files, each with what it is to be sent like: "length", "chunked", "close"."""

    def __init__(self, case):
        self.files = {}
        self.asked = []
        self.server = case.server(self.answer)
        self.base = "http://127.0.0.1:%d/" % self.server.port

    def put(self, path, body, how="length", head="200 OK", extra=()):
        self.files[path] = (body, how, head, list(extra))
        return self.base + path[1:]

    def answer(self, _, conn):
        head, _ = Server.head(conn)
        if not head:
            return
        method, path, _ = head.split(" ", 2)
        self.asked.append(head)
        body, how, status, fields = self.files[path.split("?")[0]]
        if how == "length":
            fields = fields + ["Content-Length: %d" % len(body)]
        elif how == "chunked":
            fields = fields + ["Transfer-Encoding: chunked"]
        fields = fields + ["Accept-Ranges: bytes", 'ETag: "x"', "Connection: close"]
        conn.sendall(("HTTP/1.1 %s\r\n%s\r\n\r\n" % (status, "\r\n".join(fields))).encode())
        if method == "HEAD":
            return
        if how == "chunked":
            for i in range(0, len(body), 10000):
                part = body[i:i + 10000]
                conn.sendall(b"%x\r\n%s\r\n" % (len(part), part))
            conn.sendall(b"0\r\n\r\n")
        else:
            conn.sendall(body)


class Inspected(world.Case):
    def begin(self, private=False, **more):
        self.shelf = Shelf(self)
        more.setdefault("packages", world.NO_WAIT)  # the shelf dates nothing
        said = ("private",) if private else ()
        self.start(("npm", self.shelf.base) + said, ("pypi", self.shelf.base + "simple/") + said,
                   ("npm", plain("/npm/")), **more)
        return self.client()

    def judged(self):
        return [(m["name"], m["version"], m["verdict"], m["diag"], m["findings"])
                for m in self.told("judged")]

    def test_a_small_one_that_is_refused_never_begins(self):
        client = self.begin()
        for how in ("length", "chunked", "close"):
            for filler in (0, 200000):
                name = "%s%d" % (how, filler)
                url = self.shelf.put("/%s/-/%s-1.0.0.tgz" % (name, name),
                                     tgz((EVIL, b"x"), name=name, filler=filler), how)
                for _ in range(2):
                    answer = client.get(url)
                    self.assertEqual(answer.status, 403)
                    self.assertIn("Blocked by pmg: %s@1.0.0" % name, answer.reason)
                    text = json.loads(answer.body)["error"]
                    self.assertIn("a path leaves the package: " + EVIL, text)
                    self.assertIn("[PMG3009]", text)
        self.assertEqual(len(self.shelf.asked), 6)  # the second time it is known
        found = self.judged()
        self.assertEqual(len(found), 6)
        for row in found:
            self.assertEqual(row[1:], ("1.0.0", "block", 3009, ["traversal: " + EVIL]))

    def test_a_large_one_that_is_refused_never_looks_whole(self):
        self.begin()
        for how, version in (("length", "1.1"), ("chunked", "1.1"), ("length", "1.0"),
                             ("chunked", "1.0")):
            name = how + version[-1]
            path = "/%s/-/%s-1.0.0.tgz" % (name, name)
            body = tgz((EVIL, b"x"), name=name, filler=2 << 20)
            self.shelf.put(path, body, how)
            client = self.client()
            client.send("GET %s HTTP/%s\r\nHost: x\r\n%s\r\n" % (
                self.shelf.base + path[1:], version, client.auth()))
            answer = client.response()
            self.assertEqual((answer.status, answer.whole), (200, False), name)
            self.assertTrue(body.startswith(answer.body))  # a reset may lose some of it
            self.assertLessEqual(len(answer.body), len(body) - HELD)
            self.assertTrue(client.ended())
            again = self.client().get(self.shelf.base + path[1:])
            self.assertEqual(again.status, 403)
        self.assertEqual([row[2:] for row in self.judged()],
                         [("block", 3009, ["traversal: " + EVIL])] * 4)

    def test_what_is_honest_comes_whole_and_what_it_has_is_told(self):
        client = self.begin()
        scripts = {"postinstall": "node i.js"}
        for how in ("length", "chunked", "close"):
            for filler in (0, HELD - 2000, HELD, 3 << 20):
                name = "%s%d" % (how, filler)
                body = tgz(("package/x.node", b"\x7fELF"), name=name, scripts=scripts,
                           filler=filler)
                url = self.shelf.put("/%s/-/%s-1.0.0.tgz" % (name, name), body, how)
                answer = client.get(url)
                self.assertEqual((answer.status, answer.whole), (200, True), name)
                self.assertEqual(answer.body, body)
        rows = self.judged()
        self.assertEqual(len(rows), 12)
        for row in rows:
            self.assertEqual(row[1:], ("1.0.0", "allow", 0, ["scripts: postinstall: node i.js",
                                                             "native: package/x.node"]))

    def test_only_what_policy_names_blocks_and_is_told(self):
        client = self.begin(inspect_block=["scripts"], inspect_report=["native"])
        good = tgz(("package/x.node", b"\x7fELF"), (EVIL, b""), name="good")
        bad = tgz(name="bad", scripts={"install": "sh x"})
        self.assertEqual(client.get(self.shelf.put("/good/-/good-1.0.0.tgz", good)).body, good)
        answer = client.get(self.shelf.put("/bad/-/bad-1.0.0.tgz", bad))
        self.assertEqual(answer.status, 403)
        self.assertIn("install: sh x", json.loads(answer.body)["error"])
        self.assertEqual(self.judged(),
                         [("good", "1.0.0", "allow", 0, ["native: package/x.node"]),
                          ("bad", "1.0.0", "block", 3009, ["scripts: install: sh x"])])

    def test_what_is_new_in_a_version_is_told_and_policy_can_refuse_it(self):
        path = os.path.join(world.WORK, "contents")
        for version, more, verdict, findings in (
                ("1.0.0", {}, "allow", []),
                ("1.0.1", {"inspect_block": ["new-scripts"]}, "block",
                 ["new-scripts: not in 1.0.0: install: x", "new-native: not in 1.0.0: package/x.node",
                  "scripts: install: x", "native: package/x.node"]),
                ("1.0.2", {}, "allow",
                 ["new-scripts: not in 1.0.0: install: x", "new-native: not in 1.0.0: package/x.node",
                  "scripts: install: x", "native: package/x.node"]),
                ("1.0.3", {}, "allow", ["scripts: install: x", "native: package/x.node"])):
            client = self.begin(contents_path=path, **more)
            first = version == "1.0.0"
            body = tgz(*[] if first else [("package/x.node", b"\x7fELF")], name="up",
                       version=version, scripts=None if first else {"install": "x"})
            answer = client.get(self.shelf.put("/up/-/up-%s.tgz" % version, body))
            self.assertEqual(answer.status, 200 if verdict == "allow" else 403)
            messages = self.stop()
            judged = [m for m in messages if m["type"] == "judged"]
            self.assertEqual([(m["verdict"], m["findings"]) for m in judged], [(verdict, findings)])
            lines = [line for m in messages if m["type"] == "contents" for line in m["lines"]]
            self.assertEqual([line.split(".")[:3] for line in lines], [] if verdict == "block" else [
                ("npm up source %s %s" % (version, "-" if first else "sn")).split(".")])
            with open(path, "a", encoding="utf-8") as f:
                f.writelines(line + " 20000\n" for line in lines)

    def test_a_part_is_no_answer(self):
        client = self.begin()
        body = tgz(name="part")
        url = self.shelf.put("/part/-/part-1.0.0.tgz", body)
        answer = client.get(url, "Range: bytes=10-19", 'If-Range: "x"', 'If-None-Match: "x"',
                            "Accept-Encoding: br, gzip")
        self.assertEqual((answer.status, answer.body, answer["accept-ranges"]), (200, body, None))
        head = self.shelf.asked[-1].lower()
        for field in ("range:", "if-range:", "if-none-match:", "br"):
            self.assertNotIn("\r\n" + field, head)
        self.assertIn("accept-encoding: identity", head)
        url = self.shelf.put("/piece/-/piece-1.0.0.tgz", body[10:20], head="206 Partial Content",
                             extra=["Content-Range: bytes 10-19/%d" % len(body)])
        answer = client.get(url)
        self.assertEqual(answer.status, 403)
        self.assertIn("only a part of it came", json.loads(answer.body)["error"])
        url = self.shelf.put("/coded/-/coded-1.0.0.tgz", body, extra=["Content-Encoding: br"])
        self.assertEqual(client.get(url).status, 403)
        url = self.shelf.put("/zipped/-/zipped-1.0.0.tgz", tgz(name="zipped"),
                             extra=["Content-Encoding: x-gzip"])
        self.assertEqual(client.get(url).status, 200)
        self.assertEqual(client.get(url, method="HEAD").status, 200)
        zipped = io.BytesIO()
        with zipfile.ZipFile(zipped, "w") as archive:
            archive.writestr("package/package.json", "{}")
        unnamed = io.BytesIO()  # is read to its end, whatever is said of it
        with tarfile.open(fileobj=unnamed, mode="w:gz") as archive:
            archive.addfile(tarfile.TarInfo("package/x"))
        url = self.shelf.put("/unnamed/-/unnamed-1.0.0.tgz", unnamed.getvalue(),
                             extra=["Content-Encoding: gzip"])
        self.assertEqual(client.get(url).status, 200)
        for i, data in enumerate((tgz((EVIL, b"x"), name="twice0"), zipped.getvalue())):
            url = self.shelf.put("/twice%d/-/twice%d-1.0.0.tgz" % (i, i), gzip.compress(data),
                                 extra=["Content-Encoding: gzip"])
            answer = client.get(url)
            self.assertEqual(answer.status, 403)
            self.assertIn("a coding that was not asked for", json.loads(answer.body)["error"])
        url = self.shelf.put("/lines/-/lines-1.0.0.tgz", tgz(name="lines"),
                             extra=["Content-Encoding: gzip", "Content-Encoding: br"])
        self.assertEqual(client.get(url).status, 403)

    def test_a_status_that_is_no_error_hides_nothing(self):
        client = self.begin()
        for i, head in enumerate(("201 Created", "203 Odd", "300 Multiple Choices", "301 Moved",
                                  "305 Use Proxy", "399 Odd")):
            name = "odd%d" % i
            fields = [] if head[:3] == "301" else ["Location: /elsewhere"]
            url = self.shelf.put("/%s/-/%s-1.0.0.tgz" % (name, name), tgz((EVIL, b"x"), name=name),
                                 ("length", "chunked")[i % 2], head, fields)
            self.assertEqual(client.get(url).status, 403, head)
        good = tgz(name="good")
        answer = client.get(self.shelf.put("/good/-/good-1.0.0.tgz", good, head="203 Odd"))
        self.assertEqual((answer.status, answer.body), (203, good))
        for how in ("length", "chunked", "close"):  # what leads elsewhere brings nothing itself
            for field in ("Location: /good/-/good-1.0.0.tgz", "Location:"):
                url = self.shelf.put("/away/-/away-1.0.0.tgz", tgz(name="away"), how, "302 Found",
                                     [field, "Content-Encoding: gzip"])
                answer = client.get(url)
                self.assertEqual((answer.status, answer.whole, answer.body), (302, True, b""))
                self.assertIsNone(answer["content-encoding"])
        url = self.shelf.put("/led/-/led-1.0.0.tgz", b"", head="302 Found", extra=["Location: /blob?1"])
        blob = self.shelf.put("/blob", tgz((EVIL, b"x"), name="led"))
        self.assertEqual((client.get(url).status, client.get(blob + "?1").status), (302, 403))
        # A redirect is not told of: what it leads to is.
        self.assertEqual([(row[0][:3], row[2]) for row in self.judged()],
                         [("odd", "block")] * 6 + [("goo", "allow"), ("led", "block")])

    def test_a_wheel_is_looked_into_and_its_metadata_file_is_not(self):
        client = self.begin()
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr("w-1.0.dist-info/METADATA", "Name: w\nVersion: 1.0\n")
            wheel.writestr("x.pth", "import os")
        path = "/files/w-1.0-py3-none-any.whl"
        answer = client.get(self.shelf.put("/simple" + path, raw.getvalue()))
        self.assertEqual((answer.status, answer.body), (200, raw.getvalue()))
        text = b"Name: w\nVersion: 1.0\n"
        answer = client.get(self.shelf.put("/simple" + path + ".metadata", text))
        self.assertEqual((answer.status, answer.body), (200, text))
        with zipfile.ZipFile(raw, "a") as wheel:
            wheel.writestr("../../x.py", "")
        answer = client.get(self.shelf.put("/simple" + path.replace("1.0", "1.1"), raw.getvalue()))
        self.assertEqual(answer.status, 403)
        self.assertIn(b"a path leaves the package: ../../x.py", answer.body)
        source = io.BytesIO()
        with tarfile.open(fileobj=source, mode="w:gz") as tar:
            for name in ("w-1.0/PKG-INFO", "w-1.0/setup.py"):
                info = tarfile.TarInfo(name)
                info.size = len(text)
                tar.addfile(info, io.BytesIO(text))
        for _ in range(2):
            answer = client.get(self.shelf.put("/simple/files/w-1.0.tar.gz", source.getvalue()))
            self.assertEqual((answer.status, answer.body), (200, source.getvalue()))
        self.assertEqual(self.judged(), [
            ("w", "1.0", "allow", 0, ["startup: x.pth"]),
            ("w", "1.1", "block", 3009,
             ["traversal: ../../x.py", "mismatch: w-1.0.dist-info says w@1.0",
              "mismatch: w-1.0.dist-info/METADATA says w@1.0", "startup: x.pth"]),
            ("w", "1.0", "allow", 0, ["build: setup.py"])])

    def test_an_address_that_ends_like_a_metadata_file_hides_nothing(self):
        client = self.begin()
        for path in ("/tail/-/tail-1.0.0.tgz.metadata", "/cdn/tail.metadata",
                     "/cdn/tail-1.0.0.tgz.metadata"):
            url = self.shelf.put(path, tgz((EVIL, b"x"), name="tail"))
            self.shelf.put("/tail", json.dumps({"name": "tail", "versions": {"1.0.0": {
                "name": "tail", "version": "1.0.0", "dist": {"tarball": url}}}}).encode())
            self.assertEqual(client.get(self.shelf.base + "tail").status, 200)
            answer = client.get(url)
            self.assertEqual(answer.status, 403, path)
            self.assertIn(b"a path leaves the package", answer.body)

    def test_no_archive_comes_as_a_metadata_file(self):
        self.begin()
        raw, text = io.BytesIO(), b"Name: w\nVersion: 1.0\n"
        with zipfile.ZipFile(raw, "w") as wheel:
            wheel.writestr("x.py", "x")
        path, coded = "/simple/files/w-1.0-py3-none-any.whl.metadata", ["Content-Encoding: gzip"]
        for body, fields in ((raw.getvalue(), []), (text + raw.getvalue(), []), (tgz(), []),
                             (text, coded), (gzip.compress(raw.getvalue()), coded)):
            answer = self.client().get(self.shelf.put(path, body, extra=fields))
            self.assertEqual((answer.status, answer.whole),
                             (502, True) if fields else (200, False))
            self.assertEqual(answer.body.count(b"\0"), 0)
        answer = self.client().get(self.shelf.put(path, text), "Accept-Encoding: gzip, br")
        self.assertEqual((answer.status, answer.body), (200, text))
        self.assertIn("accept-encoding: identity", self.shelf.asked[-1].lower())
        self.assertEqual([m["what"] for m in self.told("trouble")],
                         ["a metadata file that is no plain text"])

    def test_a_bomb_is_left_and_refused(self):
        self.begin()
        zeros = tarfile.TarInfo("package/zeros")
        zeros.size = 3 << 30
        part = gzip.compress(bytes(1 << 24))  # members of one gzip file
        body = gzip.compress(zeros.tobuf()) + part * (zeros.size >> 24)
        began = time.time()
        answer = self.client().get(self.shelf.put("/bomb/-/bomb-1.0.0.tgz", body))
        took = time.time() - began
        self.assertFalse(answer.status == 200 and answer.whole)
        self.assertLess(took, 10 * world.SLOW)
        for name, data in (("text", b"no archive"), ("cut", tgz(name="cut")[:-9])):
            answer = self.client().get(self.shelf.put("/%s/-/%s-1.0.0.tgz" % (name, name), data))
            self.assertEqual(answer.status, 403)
            self.assertIn(b"it cannot be read as an archive", answer.body)
        # What was cut on its way may be asked for again.
        self.assertEqual(self.client().get(self.shelf.put("/cut/-/cut-1.0.0.tgz",
                                                          tgz(name="cut"))).status, 200)
        rows = self.judged()
        self.assertEqual(rows[0], ("bomb", "1.0.0", "block", 3009,
                                   ["oversized: it unpacks to too much"]))
        self.assertEqual([row[2] for row in rows], ["block"] * 3 + ["allow"])

    def test_a_client_that_goes_does_no_harm(self):
        self.begin()
        body = tgz(name="gone", filler=4 << 20)
        url = self.shelf.put("/gone/-/gone-1.0.0.tgz", body)
        for i in range(12):
            client = self.client()
            client.send("GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (url, client.auth()))
            if i % 3:
                client.take(1000 if i % 3 == 1 else len(body) - HELD)
            client.close()
        self.assertEqual(self.client().get(url).body, body)
        self.assertEqual(self.judged(), [("gone", "1.0.0", "allow", 0, [])])

    def test_100_mb_pass_in_bounded_memory_archive_or_not(self):
        client = self.begin(inspect_block=[])
        got = hashlib.sha256(client.get(plain("/npm/big/-/big-1.0.0.tgz")).body).digest()
        self.assertEqual(got, hashlib.sha256(direct("/npm/big/-/big-1.0.0.tgz")).digest())
        body = noise(1 << 20) * 100
        self.assertEqual(client.get(self.shelf.put("/none/-/none-1.0.0.tgz", body)).body, body)
        self.assert_small()
        self.assertEqual(self.judged(), [
            ("big", "1.0.0", "allow", 0, []),
            ("none", "1.0.0", "allow", 0,
             ["unreadable: it is no archive that is known here, or is cut"])])

    def test_a_file_on_record_is_refused_under_another_name(self):
        body, large = tgz(name="innocent", filler=1000), tgz(name="large", filler=1 << 20)
        wheel = b"no wheel at all"
        index = self.index([hashlib.sha512(body), hashlib.sha512(large), hashlib.sha256(wheel)])
        gz = ["Content-Encoding: gzip"]  # some clients undo it, and have the file then
        rows = (("/innocent/-/innocent-1.0.0.tgz", body, []),
                ("/large/-/large-1.0.0.tgz", large, []),
                ("/simple/files/w-1.0-py3-none-any.whl", wheel, []),
                ("/coded/-/coded-1.0.0.tgz", gzip.compress(body), gz),
                ("/simple/files/coded-1.0.tar", tgz(name="coded"), gz))
        for private in (False, True):
            for more in ({}, {"inspect": False}):
                client = self.begin(private, index_path=index, **more)
                for path, data, fields in rows:
                    url = self.shelf.put(path, data, extra=fields)
                    answer = client.get(url)
                    self.assertFalse(answer.status == 200 and answer.whole)
                    client = self.client()
                    answer = client.get(url)
                    self.assertEqual(answer.status, 403)
                    self.assertIn(b"PMG3009" if fields else b"PMG3002", answer.body)
                for name, version, inside in (("good", "1.0.0", "good"), ("in", "9.9.8", "other-name"),
                                              ("in", "9.9.9", "other-name"),
                                              ("other-name", "9.9.9", "other-name")):
                    good = tgz(name=inside, version=version)
                    url = self.shelf.put("/%s/-/%s-%s.tgz" % (name, name, version), good)
                    # A name is not that of a public one there; it stands inside, for who looks.
                    passes = private or version != "9.9.9" or (name == "in" and bool(more))
                    self.assertEqual(client.get(url).body == good, passes)
                bad = ("other-name", "9.9.9", "block", 3001)
                self.assertEqual([row[:4] for row in self.judged()], [
                    ("innocent", "1.0.0", "block", 3002), ("large", "1.0.0", "block", 3002),
                    ("w", "1.0", "block", 3002), ("coded", "1.0.0", "block", 3009),
                    ("coded", "1.0", "block", 3009), ("good", "1.0.0", "allow", 0),
                    ("in", "9.9.8", "allow", 0)] + (
                        [("in", "9.9.9", "allow", 0), ("other-name", "9.9.9", "allow", 0)] if private
                        else [("in", "9.9.9", "allow", 0), bad] if more else [bad]))
        client = self.begin(inspect=False)  # nobody knows these files
        for path, data, fields in rows:
            self.assertEqual(client.get(self.shelf.put(path, data, extra=fields)).body, data)

    @staticmethod
    def index(digests):
        """An index that knows these files, and no name that is asked for."""
        folder = tempfile.mkdtemp(dir=world.WORK)
        os.mkdir(os.path.join(folder, "feed"))
        for i, digest in enumerate(digests):
            record = {"id": "MAL-2025-%d" % (i + 1), "modified": "2025-01-01T00:00:00Z",
                      "affected": [{"package": {"ecosystem": "npm", "name": "other-name"},
                                    "versions": ["9.9.9"],
                                    "database_specific": {"indicators": {"package_integrity": [
                                        {"hashes": {digest.name: digest.hexdigest()}}]}}}]}
            with open(os.path.join(folder, "feed", "%d.json" % i), "w", encoding="utf-8") as f:
                json.dump(record, f)
        intel = os.path.join(os.path.dirname(world.PROGRAM), "pmg-intel")
        env = dict(os.environ, HOME=folder, XDG_STATE_HOME=folder + "/state",
                   XDG_CONFIG_HOME=folder + "/config")
        subprocess.run([intel, "intel", "import", os.path.join(folder, "feed")], check=True, env=env,
                       stdout=subprocess.DEVNULL)
        return folder + "/state/pmg/intel.db"


if __name__ == "__main__":
    signal.alarm(600)
    world.main()
