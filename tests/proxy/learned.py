#!/usr/bin/env python3
"""The running proxy: artifact hosts and addresses learned from metadata, redirects, cache, index."""
import hashlib
import json
import signal
import tempfile
import time
import urllib.request

import world
from world import Registry


class Learned(world.Case):
    BAD = ("pkg:npm/bad", "pkg:pypi/badpy", "pkg:npm/hidden@1.0.0")

    def setUp(self):
        super().setUp()
        self.host = "127.0.0.1:%d" % Registry.https
        self.cdn = "127.0.0.2:%d" % Registry.cdn_https

    def inside(self, host):
        client = self.client()
        self.assertEqual(client.connect(host), 200)
        return client.tls(host.split(":")[0])

    def cdn_client(self, intercepted=True):
        """Connected to the CDN; by which certificate shows whether the proxy looks inside."""
        client = self.client()
        self.assertEqual(client.connect(self.cdn), 200)
        return client.tls("127.0.0.2", ca=None if intercepted else Registry.ca)

    def test_hosts_that_metadata_names_are_looked_into(self):
        rows = [
            ("npm", "/~cdn/npm/", "bad", "/~cdn/npm/bad/-/bad-1.0.0.tgz"),
            ("npm", "/~cdn/~gzip/npm/", "bad", "/~cdn/~gzip/npm/bad/-/bad-1.0.0.tgz"),
            ("npm", "/~cdn/~chunked/npm/", "bad/latest", "/~cdn/~chunked/npm/bad/-/bad-2.0.0.tgz"),
            ("pypi", "/~cdn/~json/simple/", "badpy/", "/~cdn/~json/files/badpy/badpy-1.0.tar.gz"),
            ("pypi", "/~cdn/~html/~gzip/simple/", "badpy/",
             "/~cdn/~html/~gzip/files/badpy/badpy-1.0-py3-none-any.whl.metadata"),
        ]
        for eco, base, page, artifact in rows:
            registry = "https://%s%s" % (self.host, base)
            self.start((eco, registry), blocked=self.BAD)
            client = self.inside(self.host)
            got = client.inside(base + page, self.host, "Accept-Encoding: gzip, br",
                                "Accept: application/vnd.pypi.simple.v1+json, text/html;q=0.1")
            self.assertEqual((got.status, got.whole), (200, True), base)
            got = self.cdn_client().inside(artifact, self.cdn)
            self.assertEqual(got.status, 403, artifact)
            done = self.stop()[-1]
            self.assertEqual(done["learned"], ["%s %s %s" % (eco, registry, self.cdn)])

    def test_metadata_is_asked_for_in_a_coding_that_can_be_read(self):
        self.start(("npm", "https://%s/~y.1/npm/" % self.host))
        client = self.inside(self.host)
        client.inside("/~y.1/npm/tiny", self.host, "Accept-Encoding: br, gzip, deflate")
        client.inside("/~y.1/npm/tiny/-/tiny-1.0.0.tgz", self.host, "Accept-Encoding: br, gzip")
        Registry.asked("/~y.1/npm/tiny/-/tiny-1.0.0.tgz", 1)
        fields = [{k.lower(): v for k, v in r["headers"].items()}["accept-encoding"]
                  for r in Registry.log() if r["path"].startswith("/~y.1/")]
        self.assertEqual(fields, ["gzip", "identity"])

    def test_addresses_without_a_name_are_known_from_metadata(self):
        doc = {}

        def answer(server, conn):
            head, _ = world.Server.head(conn)
            path = head.split()[1]
            body = json.dumps(doc).encode() if path == "/hidden" else world.tgz()
            server.seen.append(path)
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(body) + body)

        server = self.server(answer)
        base = "http://127.0.0.1:%d" % server.port
        doc.update({"name": "hidden", "time": {v: "2020-01-01T00:00:00.000Z" for v in (
            "1.0.0", "2.0.0")}, "versions": {
            v: {"dist": {"tarball": "%s/dl?id=%d" % (base, i)}}
            for i, v in enumerate(("1.0.0", "2.0.0"))}})
        self.start(("npm", base + "/"), blocked=self.BAD)
        client = self.client()
        got = client.get(base + "/hidden")
        self.assertEqual((got.status, list(json.loads(got.body)["versions"])), (200, ["2.0.0"]))
        self.assertEqual(client.get(base + "/dl?id=0").status, 403)
        self.assertEqual(client.get(base + "/dl?id=1").status, 200)
        self.assertEqual(server.seen, ["/hidden", "/dl?id=1"])

    def test_a_redirect_leads_to_the_same_package(self):
        base = "https://%s/~redirect/~bearer.t1/npm/" % self.host
        self.start(("npm", base), blocked=self.BAD)
        client = self.inside(self.host)
        path = "/~redirect/~bearer.t1/npm/tiny/-/tiny-1.0.0.tgz"
        got = client.inside(path, self.host, "Authorization: Bearer t1")
        self.assertEqual(got.status, 302)
        where = got["location"].split(self.cdn)[1]
        got = self.cdn_client().inside(where, self.cdn)
        self.assertEqual(got.status, 200)
        messages = self.stop()
        self.assertEqual([(m["name"], m["version"]) for m in messages if m["type"] == "judged"],
                         [("tiny", "1.0.0")])
        # What is kept for the next run names the base, which here has the token in its address.
        self.assertNotIn("t1", json.dumps([m for m in messages if m["type"] not in (
            "judged", "dated", "done")]))

    def test_a_redirected_blob_keeps_its_name(self):
        """The CDN's address says nothing; only the redirect told what it is."""
        def answer(server, conn):
            path = world.Server.head(conn)[0].split()[1]
            if path == "/x":
                doc = (b'{"versions":{"1.0.0":{}},"time":{"1.0.0":"2020-01-01T00:00:00.000Z"}}')
                conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(doc) + doc)
            elif path.endswith(".tgz"):
                conn.sendall(b"HTTP/1.1 302 Found\r\nLocation: http://localhost:%d/blob?sig=1\r\n"
                             b"Content-Length: 0\r\n\r\n" % server.port)
            else:
                conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        body = world.tgz(name="x")
        server = self.server(answer)
        base = "http://127.0.0.1:%d" % server.port
        self.start(("npm", base + "/"))
        self.assertEqual(self.client().get(base + "/x/-/x-1.0.0.tgz").status, 302)
        self.assertEqual(self.client().get(
            "http://localhost:%d/blob?sig=1" % server.port).body, body)
        self.assertEqual([(m["name"], m["url"]) for m in self.told("judged")],
                         [("x", "http://localhost:%d/blob" % server.port)])

    def test_an_index_is_asked_when_pip_asks_none(self):
        """pip had all pages in its cache: the first thing it does is to connect to the CDN."""
        base = "https://%s/~cdn/~z.1/simple/" % self.host
        Registry.add({"eco": "pypi", "name": "pip", "version": "1.0"})
        self.start(("pypi", base), blocked=self.BAD)
        clients = [self.client() for _ in range(3)]
        for client in clients:
            client.send("CONNECT %s HTTP/1.1\r\n%s\r\n" % (self.cdn, client.auth()))
        for client in clients:
            self.assertEqual(client.connected(), 200)
        got = clients[0].tls("127.0.0.2").inside("/~cdn/~z.1/files/badpy/badpy-1.0.tar.gz", self.cdn)
        self.assertEqual(got.status, 403)
        self.assertEqual(len(Registry.asked("/~cdn/~z.1/simple/pip/", 1)), 1)
        other = self.server(lambda _, c: c.sendall(b"x"))
        self.assertEqual(self.client().connect("127.0.0.1:%d" % other.port), 200)
        self.assertEqual(len(Registry.asked("/~cdn/~z.1/simple/pip/", 1)), 1)

    def test_an_index_that_does_not_answer_delays_but_does_not_stop(self):
        other = self.server(lambda _, c: c.sendall(b"x"))
        silent = self.server(lambda _, c: time.sleep(30))
        self.start(("pypi", "https://%s/~status.404/simple/" % self.host),
                   ("pypi", "http://127.0.0.1:%d/simple/" % silent.port))
        began = time.time()
        self.assertEqual(self.client().connect("127.0.0.1:%d" % other.port), 200)
        self.assertLess(time.time() - began, 12)
        began = time.time()
        self.assertEqual(self.client().connect("127.0.0.1:%d" % other.port), 200)
        self.assertLess(time.time() - began, 2)

    def test_hosts_are_kept_for_the_next_run(self):
        base = "https://%s/~cdn/npm/" % self.host
        cache = tempfile.mkstemp(dir=world.WORK)[1]
        with open(cache, "w", encoding="ascii") as f:
            f.write("npm %s %s\n" % (base, self.cdn))
        self.start(("npm", base), cache_path=cache, blocked=self.BAD)
        got = self.cdn_client().inside("/~cdn/npm/bad/-/bad-1.0.0.tgz", self.cdn)
        self.assertEqual(got.status, 403)
        self.assertEqual(self.stop()[-1]["learned"], [])

    def test_a_host_nobody_named_is_a_tunnel(self):
        self.start(("npm", "https://%s/npm/" % self.host))
        got = self.cdn_client(intercepted=False).inside("/npm/tiny", self.cdn)
        self.assertEqual(got.status, 200)
        self.assertEqual([m["target"] for m in self.told("passed")], [self.cdn])


class Large(world.Case):
    """Memory stays bounded whatever the size, and bytes stay right."""

    def digest(self, client, path, *fields):
        client.send("GET http://127.0.0.1:%d%s HTTP/1.1\r\nHost: x\r\n%s%s\r\n" % (
            Registry.http, path, client.auth(), "".join(f + "\r\n" for f in fields)))
        got = client.response()
        self.assertTrue(got.whole)
        return hashlib.sha256(got.body).hexdigest(), len(got.body), got["content-encoding"]

    def test_an_artifact_of_100_mb_comes_whole_to_fast_and_slow_clients(self):
        with urllib.request.urlopen("http://127.0.0.1:%d/-/hash/npm/big/1.0.0" %
                                    Registry.http) as f:
            want = json.load(f)
        self.start(("npm", "http://127.0.0.1:%d/npm/" % Registry.http))
        slow = [self.client() for _ in range(30)]
        for client in slow: # they ask, and read nothing
            client.send("GET http://127.0.0.1:%d/npm/big/-/big-1.0.0.tgz HTTP/1.1\r\nHost: x\r\n"
                        "%s\r\n" % (Registry.http, client.auth()))
        got = self.digest(self.client(), "/npm/big/-/big-1.0.0.tgz")
        self.assertEqual(got[:2], (want["sha256"], want["length"]))
        self.assert_small()

    def test_a_packument_of_100_mb_comes_whole_and_teaches(self):
        with urllib.request.urlopen("http://127.0.0.1:%d/npm/huge" % Registry.http) as f:
            want = hashlib.sha256(f.read()).hexdigest()
        self.start(("npm", "http://127.0.0.1:%d/npm/" % Registry.http),
                   ("npm", "http://127.0.0.1:%d/~gzip/npm/" % Registry.http))
        self.assertEqual(self.digest(self.client(), "/npm/huge")[0], want)
        _, size, coding = self.digest(self.client(), "/~gzip/npm/huge", "Accept-Encoding: gzip")
        self.assertEqual(coding, "gzip")
        self.assertGreater(size, 100000)
        self.assert_small()


if __name__ == "__main__":
    signal.alarm(600)
    world.main()
