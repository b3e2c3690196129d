#!/usr/bin/env python3
"""The running proxy: which packages pass, which are refused; by address and inside TLS."""
import hashlib
import json
import signal
import time

import world
from world import Registry, direct, plain


class Judged(world.Case):
    BAD = ("pkg:npm/bad", "pkg:npm/%40acme/bad@1.0.0", "pkg:pypi/badpy", "pkg:pypi/odd-name-py")

    def test_a_blocked_package_is_refused_before_a_byte_of_it_is_asked_for(self):
        self.start(("npm", plain("/npm/")), ("npm", plain("/artifactory/api/npm/repo/")),
                   ("pypi", plain("/simple/")), blocked=self.BAD)
        rows = [
            ("/npm/bad/-/bad-1.0.0.tgz", "bad", "1.0.0"),
            ("/npm/bad/-/bad-1.0.0.tgz?cache=no", "bad", "1.0.0"),
            ("/npm/b%61d/-/bad-1.0.0.tgz", "bad", "1.0.0"),
            ("/npm//bad//-//bad-1.0.0.tgz", "bad", "1.0.0"),
            ("/npm/@acme/bad/-/bad-1.0.0.tgz", "@acme/bad", "1.0.0"),
            ("/npm/@acme%2fbad/-/bad-1.0.0.tgz", "@acme/bad", "1.0.0"),
            ("/npm/%40acme%2Fbad%2F-%2Fbad-1.0.0.tgz", "@acme/bad", "1.0.0"),
            ("/artifactory/api/npm/repo/bad/-/bad-2.0.0.tgz", "bad", "2.0.0"),
            ("/files/badpy/badpy-1.0-py3-none-any.whl", "badpy", "1.0"),
            ("/files/badpy/badpy-1.0-py3-none-any.whl.metadata", "badpy", "1.0"),
            ("/files/badpy/badpy-1.0.tar.gz", "badpy", "1.0"),
            ("/files/odd-name-py/Odd.Name_py-1.0-py3-none-any.whl", "Odd.Name_py", "1.0"),
        ]
        client = self.client()
        before = len(Registry.log())
        for path, name, version in rows:
            answer = client.get(plain(path))
            self.assertEqual(answer.status, 403, path)
            self.assertIn("Blocked by pmg: %s@%s" % (name, version), answer.reason)
            text = answer.body.decode()
            if "npm" in path:
                self.assertEqual(answer["content-type"], "application/json")
                text = json.loads(text)["error"]
            for word in (name, version, "block list", "a test", "PMG3006"):
                self.assertIn(word, text)
        self.assertEqual(client.get(plain("/npm/bad/-/bad-1.0.0.tgz"), method="HEAD").status, 403)
        self.assertEqual(len(Registry.log()), before)
        judged = self.told("judged")
        self.assertEqual({(m["name"], m["version"], m["verdict"], m["diag"]) for m in judged},
                         {(n, v, "block", 3006) for _, n, v in rows})
        self.assertEqual(len(judged), len({(n, v) for _, n, v in rows}))
        self.assertNotIn("cache", judged[0]["url"])

    def test_an_allowed_one_is_told_once_and_comes_whole(self):
        self.start(("npm", plain("/npm/")), blocked=self.BAD)
        client = self.client()
        for _ in range(3):
            answer = client.get(plain("/npm/tiny/-/tiny-1.0.0.tgz"))
            self.assertEqual(answer.body, direct("/npm/tiny/-/tiny-1.0.0.tgz"))
        self.assertEqual(client.get(plain("/npm/bad")).status, 200) # its document may pass
        judged = self.told("judged")
        self.assertEqual([(m["name"], m["version"], m["verdict"]) for m in judged],
                         [("tiny", "1.0.0", "allow")])

    def test_addresses_that_read_two_ways_are_refused(self):
        self.start(("npm", plain("/npm/")), blocked=self.BAD)
        for path in ("/npm/%2562ad/-/bad-1.0.0.tgz", "/npm/x/%2e%2e/bad/-/bad-1.0.0.tgz",
                     "/npm/x%5c..%5cbad/-/bad-1.0.0.tgz", "/npm/bad%00/-/bad-1.0.0.tgz"):
            self.assertEqual(self.client().get(plain(path)).status, 400, path)
        answer = self.client().get(plain("/npm/x/../bad/-/bad-1.0.0.tgz"))
        self.assertEqual(answer.status, 403)

    def test_an_artifact_nobody_knows_passes_and_is_told(self):
        self.start(("npm", plain("/npm/")))
        self.client().get(plain("/npm/-/unknown.tgz"))
        self.assertEqual([m["why"] for m in self.told("passed")], ["artifact"])

    def test_an_archive_at_an_address_that_says_nothing_is_told(self):
        """A place of packages may have them at addresses of other shapes too."""
        bodies = {"/npm/download?of=bad": (b"", b"\x1f\x8b\x08"), "/feed/bad/1/content": (b"", b"PK\3\4"),
                  "/npm/-/bad/odd": (b"Content-Encoding: br\r\n", b"?"),
                  "/npm/-/v1/search": (b"", b'{"objects": []}'), "/npm/none": (b"", b"{}")}
        codings = []

        def answer(_, conn):
            head, _rest = world.Server.head(conn)
            codings.append("br" in head.lower().split("accept-encoding:")[1].split("\r\n")[0])
            field, body = bodies[head.split()[1]]
            conn.sendall(b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" %
                         (field, len(body), body))

        server = self.server(answer)
        place = "http://127.0.0.1:%d" % server.port
        self.start(("npm", place + "/npm/"))
        for path, (_, body) in bodies.items():
            got = self.client().get(place + path, "Accept-Encoding: gzip, br")
            self.assertEqual((got.status, got.body), (200, body))
        self.assertNotIn(True, codings)
        self.assertEqual([(m["why"], m["target"]) for m in self.told("passed")],
                         [("artifact", place + path.split("?")[0]) for path in list(bodies)[:3]])

    def test_a_source_of_the_lockfile_is_judged_by_its_name(self):
        def answer(server, conn):
            server.seen.append(world.Server.head(conn)[0])
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        body = world.tgz(name="fine")
        server = self.server(answer)
        base = "http://127.0.0.1:%d" % server.port
        self.start(("npm", plain("/npm/")), blocked=self.BAD,
                   sources=[("npm", base + "/blob/1", "bad", "1.0.0"),
                            ("npm", base + "/blob/2", "fine", "1.0.0"), ("npm", base + "/blob/3")])
        client = self.client()
        self.assertEqual(client.get(base + "/blob/1").status, 403)
        self.assertEqual(client.get(base + "/blob/2").status, 200)
        self.assertEqual(client.get(base + "/blob/3").status, 200)
        messages = self.stop()
        self.assertEqual([(m["type"], m.get("verdict"), m.get("why")) for m in messages[:-1]],
                         [("judged", "block", None), ("judged", "allow", None),
                          ("passed", None, "artifact")])
        self.assertEqual(len(server.seen), 2)


class Inside(world.Case):
    """After CONNECT to a registry: TLS by the authority of the run."""

    def setUp(self):
        super().setUp()
        self.host = "127.0.0.1:%d" % Registry.https
        self.start(("npm", "https://%s/npm/" % self.host), ("npm", plain("/npm/")),
                   blocked=Judged.BAD)

    def inside(self):
        client = self.client()
        self.assertEqual(client.connect(self.host), 200)
        return client.tls()

    def test_bytes_are_the_registrys_and_no_token_is_needed(self):
        client = self.inside()
        for path in ("/npm/tiny/-/tiny-1.1.0.tgz", "/~chunked/npm/tiny/-/tiny-1.1.0.tgz"):
            answer = client.inside(path, self.host)
            self.assertEqual((answer.status, answer.body), (200, direct(path)))
        self.assertEqual(client.inside("/npm/bad/-/bad-1.0.0.tgz", self.host).status, 403)
        self.assertEqual(client.inside("/npm/tiny", self.host, method="HEAD").status, 200)

    def test_another_host_in_the_request_is_refused(self):
        for host, status in (("127.0.0.2:1", 421), ("evil.test", 421), ("", 400)):
            answer = self.inside().inside("/npm/tiny", host)
            self.assertEqual(answer.status, status)
        client = self.inside()
        client.send("GET https://evil.test/ HTTP/1.1\r\nHost: %s\r\n\r\n" % self.host)
        self.assertEqual(client.response().status, 421)

    def test_the_certificate_is_of_this_run_only(self):
        client = self.client()
        client.connect(self.host)
        with self.assertRaises(world.ssl.SSLError):
            client.tls(ca=Registry.ca)
        time.sleep(0.2)
        trouble = self.told("trouble")
        self.assertEqual([(m["target"], m["diag"]) for m in trouble], [(self.host, 4008)])

    def test_plain_requests_inside_are_judged_too(self):
        client = self.client()
        host = "127.0.0.1:%d" % Registry.http
        self.assertEqual(client.connect(host), 200)
        self.assertEqual(client.inside("/npm/bad/-/bad-1.0.0.tgz", host).status, 403)
        self.assertEqual(client.inside("/npm/tiny", host).body, direct("/npm/tiny"))
        self.assertEqual(client.inside("/npm/bad/-/bad-1.0.0.tgz", "x.test").status, 421)

    def test_other_bytes_inside_end_the_connection(self):
        client = self.client()
        client.connect(self.host)
        client.send(b"\x00\x01\x02\x03\r\n\r\n")
        self.assertEqual(client.response().status, 400)
        early = self.client()
        early.send("CONNECT %s HTTP/1.1\r\n%s\r\nearly" % (self.host, early.auth()))
        self.assertEqual(early.response().status, 400)

    def test_a_cut_body_has_no_clean_end(self):
        self.front.kill()
        self.start(("npm", "https://%s/npm/" % self.host), inspect=False)
        answer = self.inside().inside("/~rst.100/npm/tiny/-/tiny-1.1.0.tgz", self.host)
        self.assertFalse(answer.whole)
        client = self.inside()
        answer = client.inside("/~chunked/~truncate.100/npm/tiny/-/tiny-1.1.0.tgz", self.host,
                               version="1.0")
        self.assertFalse(answer.whole)

    def test_many_at_once(self):
        want = hashlib.sha256(direct("/npm/tiny/-/tiny-1.1.0.tgz")).digest()
        clients = [self.inside() for _ in range(40)]
        for client in clients:
            client.send("GET /npm/tiny/-/tiny-1.1.0.tgz HTTP/1.1\r\nHost: %s\r\n\r\n" % self.host)
        for client in clients:
            self.assertEqual(hashlib.sha256(client.response().body).digest(), want)


class Untrusted(world.Case):
    def test_an_upstream_without_a_good_certificate_is_refused(self):
        host = "127.0.0.1:%d" % Registry.untrusted
        self.start(("npm", "https://%s/npm/" % host))
        client = self.client()
        client.connect(host)
        answer = client.tls().inside("/npm/tiny", host)
        self.assertEqual(answer.status, 502)
        self.assertIn(b"certificate", answer.body)
        self.assertEqual([m["diag"] for m in self.told("trouble")], [4001])


if __name__ == "__main__":
    signal.alarm(600)
    world.main()
