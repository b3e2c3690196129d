#!/usr/bin/env python3
"""The running proxy: requests forwarded, judged, refused; plain and inside TLS."""
import os
import signal
import socket
import subprocess
import threading
import time

import world
from world import Registry, direct, plain


class Begin(world.Case):
    def test_it_is_ready_soon_and_ends_when_told(self):
        began = time.time()
        self.start(("npm", plain("/npm/")))
        self.assertLess(time.time() - began, 2 * world.SLOW)
        self.assertFalse(self.ready["index_present"])
        self.assertEqual(self.stop(), [{"type": "done", "requests": 0, "bytes": 0, "learned": []}])

    def test_the_bundle_holds_all_roots_and_its_own(self):
        self.start()
        with open(self.front.bundle, encoding="ascii") as f:
            text = f.read()
        with open(Registry.ca, encoding="ascii") as f:
            self.assertIn(f.read().split("-----")[2].strip()[:200], text)
        self.assertGreaterEqual(text.count("BEGIN CERTIFICATE"), 3)

    def test_it_ends_at_once_when_the_front_is_gone(self):
        self.start()
        self.front.sock.close()
        self.assertNotEqual(self.front.process.wait(5 * world.SLOW), 0)

    def test_what_it_cannot_take_is_said_before_ready(self):
        for registry, more, words in (
                (("npm", "nonsense"), {}, "registry"),
                (("cargo", "http://r.test/"), {}, "cargo"),
                (("npm", "http://r.test/"), {"https_proxy": "ftp://p.test"}, "parent proxy"),
                (("npm", "http://r.test/"), {"blocklist_path": Registry.ca}, Registry.ca)):
            front = world.proxyctl.Front(world.PROGRAM, [registry], wrap=world.WRAP, **more)
            said = front.receive()
            self.assertEqual(said["type"], "failed")
            self.assertIn(words, said["msg"])
            self.assertNotEqual(front.process.wait(5 * world.SLOW), 0)
            front.kill()
            os.unlink(front.bundle)

    def test_by_hand_it_says_who_starts_it(self):
        done = subprocess.run([world.PROGRAM], stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"started by pmg", done.stderr)

    def test_nobody_can_look_into_it(self):
        self.start()
        with open("/proc/%d/status" % self.front.process.pid, encoding="utf-8") as f:
            status = dict(line.split(":", 1) for line in f)
        if not world.WRAP:
            self.assertEqual(status["NoNewPrivs"].strip(), "1")
            self.assertEqual(status["Seccomp"].strip(), "2")
            self.assertEqual(int(status["CapEff"], 16), 0)
        self.assertEqual(os.getsid(self.front.process.pid), self.front.process.pid)


class Token(world.Case):
    def test_without_it_nothing_passes_and_the_connection_stays(self):
        self.start(("npm", plain("/npm/")))
        client = self.client()
        path = "/~x.1/npm/tiny"
        for field in ("", "Proxy-Authorization: Basic cG1nOng=\r\n", "Authorization: Basic x\r\n"):
            client.send("GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (plain(path), field))
            answer = client.response()
            self.assertEqual(answer.status, 407)
            self.assertEqual(answer["proxy-authenticate"], 'Basic realm="pmg"')
        self.assertEqual(client.connect("127.0.0.1:%d" % Registry.https, auth=False), 407)
        client.buffer = b""
        self.assertEqual(Registry.asked(path), [])
        self.assertEqual(client.get(plain(path)).status, 200)

    def test_a_stranger_soon_makes_room(self):
        self.start(("npm", plain("/npm/")))
        idle, asks, ours = self.client(), self.client(), self.client()
        ours.get(plain("/npm/tiny"))
        time.sleep(3)
        asks.send("GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % plain("/npm/tiny"))
        self.assertEqual(asks.response().status, 407)
        time.sleep(3)
        self.assertTrue(idle.ended())
        self.assertTrue(asks.ended())
        self.assertEqual(ours.get(plain("/npm/tiny")).status, 200)

    def test_it_never_goes_upstream(self):
        self.start(("npm", plain("/npm/")))
        self.client().get(plain("/~x.2/npm/tiny"), "X-Mine: 1", "Connection: x-mine",
                          "Proxy-Connection: keep-alive", "TE: trailers")
        fields = {k.lower(): v for k, v in Registry.asked("/~x.2/npm/tiny", 1)[0]["headers"].items()}
        self.assertFalse([k for k in fields if k.startswith("proxy-")])
        for name in ("x-mine", "te", "via", "connection"):
            self.assertNotIn(name, fields)
        self.assertEqual(fields["host"], "127.0.0.1:%d" % Registry.http)


class Plain(world.Case):
    def test_bytes_and_validators_are_the_registrys(self):
        self.start(("npm", plain("/npm/")), inspect=False)
        client = self.client()
        for path in ("/npm/tiny", "/npm/tiny/-/tiny-1.1.0.tgz", "/~chunked/npm/tiny",
                     "/~http10/npm/tiny"):
            answer = client.get(plain(path))
            self.assertEqual((answer.status, answer.whole), (200, True), path)
            self.assertEqual(answer.body, direct(path), path)
            tag = answer["etag"]
            again = client.get(plain(path), "If-None-Match: " + tag)
            self.assertEqual((again.status, again["etag"], again.body), (304, tag, b""))
        self.assertEqual(self.told("done")[0]["requests"], 8)

    def test_head_and_range(self):
        self.start(("npm", plain("/npm/")), inspect=False)
        client = self.client()
        path = "/npm/tiny/-/tiny-1.1.0.tgz"
        whole = direct(path)
        head = client.get(plain(path), method="HEAD")
        self.assertEqual((head.status, head["content-length"]), (200, str(len(whole))))
        part = client.get(plain(path), "Range: bytes=10-19")
        self.assertEqual((part.status, part.body), (206, whole[10:20]))
        self.assertEqual(part["content-range"], "bytes 10-19/%d" % len(whole))

    def test_errors_of_the_registry_pass_through(self):
        self.start(("npm", plain("/npm/")))
        client = self.client()
        for path, status in (("/~status.503/npm/tiny", 503), ("/~bearer.t1/npm/tiny", 401),
                             ("/npm/no-such-package", 404)):
            self.assertEqual(client.get(plain(path)).status, status)
        self.assertEqual(client.get(plain("/~bearer.t1/npm/tiny"),
                                    "Authorization: Bearer t1").status, 200)
        self.assertEqual(self.told("trouble"), [])

    def test_pipelined_requests_are_answered_in_order(self):
        self.start(("npm", plain("/npm/")))
        client = self.client()
        paths = ["/npm/tiny", "/npm/bad", "/npm/tiny/-/tiny-1.0.0.tgz", "/npm/@acme%2ftool"]
        client.send("".join("GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n" % (plain(p), client.auth())
                            for p in paths))
        for path in paths:
            self.assertEqual(client.response().body, direct(path))

    def test_a_client_of_http10_gets_what_it_can_read(self):
        self.start(("npm", plain("/npm/")))
        for path in ("/npm/tiny", "/~chunked/npm/tiny"):
            client = self.client()
            client.send("GET %s HTTP/1.0\r\n%s\r\n" % (plain(path), client.auth()))
            answer = client.response()
            self.assertIsNone(answer["transfer-encoding"])
            self.assertEqual((answer.body, answer.whole), (direct(path), True))
            self.assertTrue(client.ended())
        client = self.client()
        client.send("GET %s HTTP/1.0\r\nConnection: keep-alive\r\n%s\r\n" % (
            plain("/npm/tiny"), client.auth()))
        self.assertEqual(client.response()["connection"], "keep-alive")
        self.assertEqual(client.get(plain("/npm/bad")).status, 200)

    def test_an_address_of_the_proxy_itself_is_refused(self):
        self.start(("npm", plain("/npm/")))
        for host in ("127.0.0.1", "localhost", "127.1"):
            client = self.client()
            self.assertEqual(client.get("http://%s:%d/" % (host, self.front.port)).status, 508)
            self.assertEqual(self.client().connect("%s:%d" % (host, self.front.port)), 508)
        self.assertEqual(self.client().get("/").status, 400)

    def test_the_address_that_is_connected_to_counts_not_its_name(self):
        for listen, spelling in (("127.0.0.1", "0.0.0.0"), ("::1", "[::]")):
            self.start(("npm", plain("/npm/")), listen=listen)
            target = "%s:%d" % (spelling, self.front.port)
            self.assertEqual(self.client().get("http://%s/" % target).status, 508)
            self.assertEqual(self.client().connect(target), 508)
            self.front.kill()

    def test_other_requests_pass_and_are_told(self):
        def answer(_, conn):
            world.Server.head(conn)
            conn.sendall(b"HTTP/1.1 200 Sure\r\nX-A: b\r\nContent-Length: 2\r\n\r\nok")

        other = self.server(answer)
        self.start(("npm", plain("/npm/")))
        got = self.client().get("http://127.0.0.1:%d/a?secret=1" % other.port)
        self.assertEqual((got.reason, got["x-a"], got.body), ("Sure", "b", b"ok"))
        self.client().get("http://127.0.0.1:%d/a.tgz" % other.port)
        self.assertEqual([(m["why"], m["target"]) for m in self.told("passed")], [
            ("request", "http://127.0.0.1:%d/a" % other.port),
            ("artifact", "http://127.0.0.1:%d/a.tgz" % other.port)])


class Bodies(world.Case):
    """Bodies of requests, and answers that break."""

    def echo(self):
        def answer(server, conn):
            head, body = world.Server.head(conn)
            server.seen.append(head)
            if "chunked" in head.lower():
                while not body.endswith(b"0\r\n\r\n"):
                    body += conn.recv(65536)
                parts = body.split(b"\r\n") # the test's data holds no line ends
                body = b"".join(parts[1:-2:2])
            else:
                n = int(head.lower().split("content-length:")[1].split()[0])
                while len(body) < n:
                    body += conn.recv(65536)
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

        return self.server(answer)

    def test_a_body_goes_up_by_length_and_by_chunks(self):
        echo = self.echo()
        self.start(("npm", plain("/npm/")))
        client = self.client()
        big = os.urandom(300000)
        head = "POST http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n%s" % (echo.port, client.auth())
        client.send(head + "Content-Length: %d\r\n\r\n" % len(big))
        client.send(big)
        self.assertEqual(client.response().body, big)
        client.send(head + "Transfer-Encoding: chunked\r\n\r\n")
        for piece in (b"3\r\nabc\r\n", b"4;x=y\r\nde", b"fg\r\n", b"0\r\nT: v\r\n\r\n"):
            client.send(piece)
            time.sleep(0.02)
        self.assertEqual(client.response().body, b"abcdefg")

    def test_a_client_that_waits_is_told_to_go_on(self):
        echo = self.echo()
        self.start(("npm", plain("/npm/")))
        client = self.client()
        client.send("PUT http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n%sExpect: 100-continue\r\n"
                    "Content-Length: 3\r\n\r\n" % (echo.port, client.auth()))
        self.assertEqual(client.response().status, 100)
        client.send("abc")
        self.assertEqual(client.response().body, b"abc")
        self.assertNotIn("expect", echo.seen[0].lower())

    def test_malformed_chunks_never_look_whole(self):
        echo = self.echo()
        self.start(("npm", plain("/npm/")))
        client = self.client()
        client.send("POST http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n%s"
                    "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n" % (echo.port, client.auth()))
        time.sleep(0.1)
        client.send("zz\r\n")
        self.assertEqual(client.response().status, 400)
        self.assertTrue(client.ended())

    def test_an_early_answer_ends_the_connection(self):
        def refuse(_, conn):
            world.Server.head(conn)
            conn.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
            time.sleep(0.3)

        server = self.server(refuse)
        self.start(("npm", plain("/npm/")))
        client = self.client()
        client.send("PUT http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n%sContent-Length: 99\r\n\r\nab" % (
            server.port, client.auth()))
        answer = client.response()
        self.assertEqual((answer.status, answer["connection"]), (413, "close"))
        self.assertTrue(client.ended())

    def test_a_cut_body_reaches_the_client_as_a_cut_body(self):
        self.start(("npm", plain("/npm/")), inspect=False)
        for knobs in ("~truncate.100", "~rst.100", "~chunked/~truncate.100",
                      "~chunked/~rst.100", "~http10/~rst.100"):
            client = self.client()
            answer = client.get(plain("/%s/npm/tiny/-/tiny-1.1.0.tgz" % knobs))
            self.assertEqual(answer.status, 200, knobs)
            self.assertFalse(answer.whole, knobs)
            self.assertEqual(answer.body, direct("/npm/tiny/-/tiny-1.1.0.tgz")[:len(answer.body)])
        client = self.client() # HTTP/1.0: only a reset tells it
        client.send("GET %s HTTP/1.0\r\n%s\r\n" % (
            plain("/~chunked/~truncate.100/npm/tiny/-/tiny-1.1.0.tgz"), client.auth()))
        self.assertFalse(client.response().whole)
        troubles = self.told("trouble")
        self.assertTrue(troubles)
        self.assertEqual({m["diag"] for m in troubles}, {4006})

    def test_a_dead_upstream_is_502_and_told(self):
        dead = self.server(lambda *_: None)
        port = dead.port
        silent = self.server(lambda *_: None) # closes without an answer
        dead.close()
        nonsense = self.server(lambda _, c: (world.Server.head(c), c.sendall(b"SSH-2.0-x\r\n")))
        self.start(("npm", plain("/npm/")))
        client = self.client()
        for target in (port, silent.port, nonsense.port):
            answer = self.client().get("http://127.0.0.1:%d/" % target)
            self.assertEqual(answer.status, 502)
            self.assertIn(b"127.0.0.1:%d" % target, answer.body)
            self.assertEqual(answer.body.count(b"\n"), 1)
        self.assertEqual([m["diag"] for m in self.told("trouble")], [4004, 4006, 4006])
        client.close()

    def test_a_name_that_does_not_resolve_fails_its_own_request_alone(self):
        self.start(("npm", plain("/npm/")))
        for _ in range(3):
            lost = self.client().get("http://nobody.invalid/x/-/x-1.0.0.tgz")
            self.assertEqual(lost.status, 502)
            self.assertEqual(self.client().get(plain("/npm/tiny")).status, 200)
        self.assertEqual({m["diag"] for m in self.told("trouble")}, {4003})

    def test_odd_heads_of_a_server_are_502(self):
        heads = [b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
                 b"HTTP/1.1 200 OK\r\nA: b\x01\r\nContent-Length: 0\r\n\r\n",
                 b"HTTP/1.1 200 OK\r\n" + b"A: " + b"b" * 70000 + b"\r\n\r\n",
                 b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"]

        def answer(_, conn):
            head, _rest = world.Server.head(conn)
            conn.sendall(heads[int(head.split()[1][1:])])

        server = self.server(answer)
        self.start(("npm", plain("/npm/")))
        for i in range(len(heads)):
            got = self.client().get("http://127.0.0.1:%d/%d" % (server.port, i))
            self.assertEqual(got.status, 502, heads[i][:60])

    def test_an_endless_trailer_is_cut(self):
        """libcurl keeps what it was sent."""
        def answer(_, conn):
            world.Server.head(conn)
            conn.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n")
            while True:
                conn.sendall(b"A: " + b"b" * 1000 + b"\r\n")

        server = self.server(answer)
        self.start()
        got = self.client().get("http://127.0.0.1:%d/" % server.port)
        self.assertEqual((got.status, got.whole), (200, False))
        self.assert_small()
        self.assertEqual(len(self.told("trouble")), 1)

    def test_clients_that_go_leave_their_places_though_upstream_hangs(self):
        done = threading.Event()

        def answer(_, conn):
            world.Server.head(conn)
            done.wait(300)

        server = self.server(answer)
        self.addCleanup(done.set)
        self.start(("npm", plain("/npm/")))
        for _ in range(260):  # more than there are places
            with self.client() as client:
                client.send("GET http://127.0.0.1:%d/ HTTP/1.1\r\nHost: x\r\n%s\r\n" %
                            (server.port, client.auth()))
        with world.Client(self.front, 10 * world.SLOW) as client:
            self.assertEqual(client.get(plain("/npm/tiny")).status, 200)

    def test_a_client_that_sends_no_more_gets_answers_to_all_it_sent(self):
        self.start(("npm", plain("/npm/")))
        client = self.client()
        client.send(2 * ("GET %s HTTP/1.1\r\nHost: x\r\n%s\r\n" %
                         (plain("/~delay.100/npm/tiny"), client.auth())))
        client.sock.shutdown(socket.SHUT_WR)
        self.assertEqual([client.response().status, client.response().status], [200, 200])

    def test_interim_answers_are_passed_over(self):
        def answer(_, conn):
            world.Server.head(conn)
            conn.sendall(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                         b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        server = self.server(answer)
        self.start()
        got = self.client().get("http://127.0.0.1:%d/" % server.port)
        self.assertEqual((got.status, got["link"], got.body), (200, None, b"ok"))


class Smuggling(world.Case):
    def test_what_reads_two_ways_is_refused_and_the_connection_ends(self):
        self.start(("npm", plain("/npm/")))
        url = plain("/~x.3/npm/tiny")
        rows = [
            ("POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400),
            ("POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: 3\r\nTransfer-Encoding: chunked"
             "\r\n\r\n0\r\n\r\n", 400),
            ("POST %s HTTP/1.1\r\nHost: x\r\n%sTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 400),
            ("POST %s HTTP/1.1\r\nHost: x\r\n%sTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
            ("GET %s HTTP/1.1\r\nHost: x\r\n%sA: b\r\n c\r\n\r\n", 400),
            ("GET %s HTTP/1.1\nHost: x\n%s\n", 400),
            ("GET %s HTTP/1.1\r\nHost: x\r\n%sA: b\rC: d\r\n\r\n", 400),
            ("GET %s HTTP/1.1\r\nHost: x\r\n%sA: \0\r\n\r\n", 400),
            ("GET %s HTTP/2.0\r\nHost: x\r\n%s\r\n", 505),
            ("GET %s HTTP/1.1\r\nHost: x\r\n%s" + "A: b\r\n" * 300 + "\r\n", 431),
            ("GET %s HTTP/1.1\r\nHost: x\r\n%sA: " + "b" * 70000 + "\r\n\r\n", 431),
        ]
        for text, status in rows:
            client = self.client()
            client.send(text % (url, client.auth()))
            answer = client.response()
            self.assertEqual(answer.status, status, text[:80])
            self.assertEqual(answer["connection"], "close")
        self.assertEqual(Registry.asked("/~x.3/npm/tiny"), [])


if __name__ == "__main__":
    signal.alarm(600)
    world.main()
