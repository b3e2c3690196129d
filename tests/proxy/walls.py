#!/usr/bin/env python3
"""The running proxy within walls: whoever comes is known by the broker's word, and reaches only what
the rules say. All in a network of the test's own, where every address is local."""
import os
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

import ownnet
import world
from proxyctl import ANYBODY, MANAGER, SCRIPT
from world import Registry

PROXY = "127.0.0.1:61080"
A, PTR, HTTPS, AAAA, ANY = 1, 12, 65, 28, 255


def echo(_, conn):
    while True:
        data = conn.recv(65536)
        if not data:
            break
        conn.sendall(data)


def question(name, kind, ident=0x1234):
    labels = b"".join(bytes([len(l)]) + l.encode() for l in name.split("."))
    return struct.pack(">HHHHHH", ident, 0x100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(
        ">HH", kind, 1)


def answer(data, asked):
    """(rcode, address or name's bytes or None) of an answer to that question."""
    assert data[:2] == asked[:2] and data[12:len(asked)] == asked[12:]
    rcode, count = data[3] & 15, struct.unpack_from(">H", data, 6)[0]
    if count == 0:
        return rcode, None
    kind, length = struct.unpack_from(">H6xH", data, len(asked) + 2)
    found = data[len(asked) + 12:]
    assert len(found) == length
    if kind == A:
        return rcode, socket.inet_ntop(socket.AF_INET, found)
    return rcode, socket.inet_ntop(socket.AF_INET6, found) if kind == AAAA else found


def listener(port, v6=False, kind=socket.SOCK_STREAM, host=None):
    sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if v6:
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    sock.bind((host or ("::" if v6 else "0.0.0.0"), port))
    if kind == socket.SOCK_STREAM:
        sock.listen(1024)
    return sock


class Caller(world.Client):
    """A connection of the run's: it knows nothing of pmg unless it comes by the proxy's door."""

    def __init__(self, case, target, role=SCRIPT, told=True, **more): # noqa
        self.front, self.buffer, self.broken = case.front, b"", False
        host, port = target.rsplit(":", 1)
        v6 = host.startswith("[")
        self.sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET)
        self.sock.settimeout(30)
        self.sock.connect((host.strip("[]"), int(port)))
        case.cleanup.append(self.close)
        if told:
            self.front.tell("tcp6" if v6 else "tcp4", self.sock, target, role,
                            **more)

    def hello(self, name, ca=None):
        """TLS without a proxy."""
        return self.tls(name, ca)


class Walls(world.Case):
    def open(self, *registries, rules=(), ports=(), **more):
        doors = [("proxy", listener(61080, host="127.0.0.1"))]
        for v6 in (False, True):
            doors += [("http", listener(80, v6)), ("tls", listener(443, v6)),
                      ("dns-tcp", listener(53, v6)),
                      ("dns-udp", listener(53, v6, socket.SOCK_DGRAM))]
            doors += [("port", listener(port, v6)) for port in ports]
        try:
            return self.start(*registries, doors=doors, netrules=rules, **more)
        finally:
            for _, sock in doors:
                sock.close()

    def parent(self, *maps):
        """Names of the outside: known only to a parent proxy."""
        log = tempfile.mkstemp(dir=world.WORK)[1]
        args = [x for m in maps for x in ("--map", m)]
        process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(world.TOP, "tests/helper/parent_proxy.py"),
             "--log", log, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.cleanup.append(lambda: (process.stdin.close(), process.wait(), process.stdout.close()))
        self.log = log
        return "http://127.0.0.1:%d" % int(process.stdout.readline())

    def asked_outside(self):
        with open(self.log, encoding="utf-8") as f:
            return [line for line in f]

    def lookup(self, name, kind=A, v6=False, server=None, told=True, **more):
        query = question(name, kind)
        server = server or ("fd00:1::53" if v6 else "10.99.0.53")
        sock = socket.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_DGRAM)
        with sock:
            sock.settimeout(2)
            sock.connect((server, 53)) # only what comes from that very address arrives
            if told:
                self.front.tell("udp6" if v6 else "udp4", sock,
                                ("[%s]:53" if v6 else "%s:53") % server, **more)
            for _ in range(10): # as resolvers do: a datagram may get lost
                try:
                    sock.send(query)
                    return answer(sock.recv(2048), query)
                except socket.timeout:
                    pass
        raise TimeoutError(name)

    def tearDown(self):
        if self.front and hasattr(self.front, "broker"):
            self.front.broker.close()
        super().tearDown()

    def denied(self):
        return [(m["code"], m["op"], m["target"], m.get("package"), m["count"])
                for m in self.told("denied")]


class Doors(Walls):
    def test_a_connection_is_not_read_from_before_somebody_owns_up_to_it(self):
        server = self.server(echo)
        self.open(rules=[("127.0.0.1:%d" % server.port,)])
        client = Caller(self, PROXY, told=False)
        client.send("CONNECT 127.0.0.1:%d HTTP/1.1\r\n%s\r\n" % (server.port, client.auth()))
        client.sock.settimeout(0.5)
        with self.assertRaises(socket.timeout):
            client.sock.recv(1)
        # the word on another connection is none on this one
        self.front.tell("tcp4", client.sock, "127.0.0.1:443")
        self.front.tell("tcp4", "10.99.0.1:%d" % client.sock.getsockname()[1], PROXY, MANAGER)
        with self.assertRaises(socket.timeout):
            client.sock.recv(1)
        client.sock.settimeout(30)
        self.front.tell("tcp4", client.sock, PROXY)
        self.assertEqual(client.connected(), 200)

    def test_who_is_never_told_of_is_closed(self):
        server = self.server(echo)
        self.open(rules=[("127.0.0.1:%d" % server.port, MANAGER)])
        silent, slow = Caller(self, PROXY), Caller(self, PROXY, MANAGER)
        began = time.monotonic()
        clients = [Caller(self, target, told=False)
                   for target in (PROXY, "10.99.0.1:443", "[fd00::1]:80", "10.99.0.1:53")]
        for client in clients:
            client.send(b"x")
        for client in clients:
            self.assertEqual(client.ended(), True)
        self.assertGreater(time.monotonic() - began, 4)
        self.assertTrue(silent.ended()) # a script that says nothing
        time.sleep(0.5)
        # The manager may be as slow as a busy machine makes it.
        self.assertEqual(slow.connect("127.0.0.1:%d" % server.port), 200)
        self.assertEqual(self.denied(), [])

    def test_who_is_told_of_needs_no_token(self):
        server = self.server(echo)
        self.open(rules=[("127.0.0.1:%d" % server.port,)])
        client, other = Caller(self, PROXY), Caller(self, PROXY)
        self.assertEqual(client.connect("127.0.0.1:%d" % server.port, auth=False), 200)
        self.assertEqual(other.connect("127.0.0.1:%d" % (server.port ^ 1), auth=False), 403)

    def test_walls_without_listeners_are_no_start(self):
        import proxyctl
        for more in ({"walls": True}, {"doors": [("odd", listener(0))]}):
            front = proxyctl.Front(world.PROGRAM, wrap=world.WRAP,
                                   bundle=tempfile.mkstemp(suffix=".pem", dir=world.WORK)[1], **more)
            self.cleanup.append(front.kill)
            self.assertEqual(front.receive()["type"], "failed")

    def test_nonsense_of_the_broker_harms_nobody(self):
        self.open()
        self.front.broker.send(b"\x14\0{}")
        self.front.tell("tcp4", "10.0.0.1:1", "no address")
        self.front.tell("sctp", "10.0.0.1:1", "10.0.0.1:1")
        self.front.tell("tcp4", "10.0.0.1", "10.0.0.1:1")
        self.assertEqual(self.lookup("a.test")[0], 0)
        self.front.broker.close()
        self.assertEqual(self.lookup("b.test", told=False)[0], 0)
        self.stop()


class Proxy(Walls):
    def test_rules_are_asked_by_role_and_a_no_is_told_with_who_it_was(self):
        server = self.server(echo)
        target = "127.0.0.1:%d" % server.port
        self.open(rules=[(target, SCRIPT)])
        client = Caller(self, PROXY)
        self.assertEqual(client.connect(target), 200)
        client.send(b"ping")
        self.assertEqual(client.take(4), b"ping")
        for role, place in ((MANAGER, target), (SCRIPT, "other.test:443"), (SCRIPT, "other.test:443")):
            client = Caller(self, PROXY, role, package="dep@1.0.0", script="postinstall")
            client.send("CONNECT %s HTTP/1.1\r\n%s\r\n" % (place, client.auth()))
            got = client.response()
            self.assertEqual(got.status, 403)
            self.assertIn(place.encode(), got.body)
            self.assertIn(b"PMG2009", got.body)
        got = Caller(self, PROXY).get("http://plain.test/x")
        self.assertEqual(got.status, 403)
        told = self.told("denied")
        self.assertEqual([(m["target"], m["count"]) for m in told],
                         [("tcp " + target, 1), ("tcp other.test:443", 1), ("tcp plain.test:80", 1),
                          ("tcp other.test:443", 1)])
        self.assertEqual([(m["code"], m["op"], m["enforced_by"], m["package"], m["script"],
                           m["allow"], m["process"]) for m in told[1:2]],
                         [("PMG2009", "connect", "proxy", "dep@1.0.0", "postinstall",
                           "net-connect=other.test:443", ["npm", "node"])])

    def test_a_rule_that_denies_is_named(self):
        self.open(rules=[("*.corp.test", ANYBODY), ("db.corp.test", ANYBODY, "deny", True)])
        self.assertEqual(Caller(self, PROXY).connect("db.corp.test:5432"), 403)
        told = self.told("denied")[0]
        self.assertEqual((told["rule"], told["source"], told["layer"], told["sensitive"]),
                         ("db.corp.test", "test:1", "built-in", True))
        self.assertNotIn("allow", told)

    def test_registries_are_the_managers_and_judged_as_ever(self):
        host = "127.0.0.1:%d" % Registry.https
        self.open(("npm", "https://%s/npm/" % host), rules=[("registry", MANAGER)])
        client = Caller(self, PROXY, MANAGER)
        client.connect(host)
        self.assertEqual(client.tls().inside("/npm/tiny", host).status, 200)
        self.assertEqual(Caller(self, PROXY, SCRIPT).connect(host), 403)
        self.assertEqual([d[2] for d in self.denied()], ["tcp " + host])

    def test_without_the_rule_nobody_reaches_a_registry(self):
        host = "127.0.0.1:%d" % Registry.https
        self.open(("npm", "https://%s/npm/" % host))
        self.assertEqual(Caller(self, PROXY, MANAGER).connect(host), 403)

    def test_scripts_that_may_reach_registries_only_fetch_packages(self):
        host = "127.0.0.1:%d" % Registry.http
        self.open(("npm", "http://%s/npm/" % host), rules=[("registry", ANYBODY)],
                  blocked=["pkg:npm/tiny@1.0.0"])
        base = "http://%s/npm" % host
        rows = ((SCRIPT, "GET", "/tiny", 200), (SCRIPT, "HEAD", "/tiny", 200),
                (SCRIPT, "GET", "/tiny?x=secret", 403), (SCRIPT, "DELETE", "/tiny", 403),
                (SCRIPT, "GET", "/-/v1/search", 403), (SCRIPT, "GET", "/-/ping", 403),
                (MANAGER, "GET", "/tiny?x=1", 200))
        for role, method, path, status in rows:
            got = Caller(self, PROXY, role).get(base + path, method=method)
            self.assertEqual(got.status, status, (method, path))
        client = Caller(self, PROXY)
        client.send("POST %s/tiny HTTP/1.1\r\nHost: x\r\n%sContent-Length: 6\r\n\r\nsecret" % (
            base, client.auth()))
        self.assertEqual(client.response().status, 403)
        self.assertEqual({r["method"] for r in Registry.asked("/npm/tiny")} - {"GET", "HEAD"}, set())
        self.assertEqual(Registry.asked("/npm/tiny?x=secret"), [])

    def test_a_loopback_target_never_goes_by_a_parent_proxy(self):
        server = self.server(echo)
        target = "127.0.0.1:%d" % server.port
        parent = self.parent()
        self.open(rules=[(target,)], https_proxy=parent, http_proxy=parent)
        client = Caller(self, PROXY)
        self.assertEqual(client.connect(target), 200)
        client.send(b"ping")
        self.assertEqual(client.take(4), b"ping")
        self.assertEqual(self.asked_outside(), [])


class Captured(Walls):
    def tls_server(self, handle=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(Registry.dir, "cert.pem"),
                                os.path.join(Registry.dir, "key.pem"))

        def serve(server, conn):
            with context.wrap_socket(conn, server_side=True) as tls:
                (handle or echo)(server, tls)

        return self.server(serve)

    def ping(self, client):
        client.send(b"ping")
        self.assertEqual(client.take(4), b"ping")

    def test_tls_goes_to_the_name_that_was_looked_up_or_is_within(self):
        server = self.tls_server()
        parent = self.parent("registry.test:443=127.0.0.1:%d" % server.port)
        self.open(rules=[("registry.test:443",)], https_proxy=parent)
        v4 = self.lookup("registry.test")[1]
        v6 = self.lookup("Registry.Test", AAAA, v6=True)[1]
        self.assertRegex(v4, r"^198\.1[89]\.")
        self.assertTrue(v6.startswith("fd00:706d:67:"))
        for target in (v4 + ":443", "[%s]:443" % v6, "10.99.0.1:443", "[fd00:9::1]:443"):
            # the certificate is the server's own: nobody looked inside
            self.ping(Caller(self, target).hello("registry.test", Registry.ca))
        self.assertEqual(len(self.asked_outside()), 4)
        self.assertEqual([(m["target"], m["why"]) for m in self.told("passed")],
                         [("registry.test:443", "tunnel")])

    def refused_tls(self, client, name):
        try:
            client.hello(name, Registry.ca)
        except ssl.SSLError as e:
            return "alert access denied" in str(e).lower().replace("_", " ")
        return False

    def test_another_name_than_that_of_the_address_is_refused(self):
        parent = self.parent()
        self.open(rules=[("good.test",), ("fine.test",)], https_proxy=parent)
        address = self.lookup("good.test")[1]
        self.assertTrue(self.refused_tls(Caller(self, address + ":443"), "evil.test"))
        self.assertTrue(self.refused_tls(Caller(self, address + ":443"), "fine.test"))
        client = Caller(self, address + ":80")
        client.send(b"GET / HTTP/1.1\r\nHost: fine.test\r\n\r\n")
        self.assertEqual(client.response().status, 403)
        # an address of ours that stands for nothing, and one of nobody's
        self.assertTrue(self.refused_tls(Caller(self, "198.19.200.1:443"), "good.test"))
        self.assertTrue(self.refused_tls(Caller(self, "10.99.0.1:443"), "evil.test"))
        self.assertEqual(self.asked_outside(), [])
        # an allowance is named only where it would help
        self.assertEqual([(m["target"], m["count"], m.get("allow")) for m in self.told("denied")],
                         [("tcp evil.test:443", 1, None), ("tcp fine.test:443", 1, None),
                          ("tcp fine.test:80", 1, None), ("tcp good.test:443", 1, None),
                          ("tcp evil.test:443", 1, None)])

    def test_an_address_counts_where_there_is_no_name(self):
        server = world.Server(echo, "127.0.0.9")
        self.cleanup.append(server.close)
        self.open(rules=[("127.0.0.9:%d" % server.port,), ("10.99.0.7:%d" % server.port,)],
                  ports=(9999,))
        client = Caller(self, "10.99.0.1:443")
        client.send(b"no TLS, no HTTP\n\n")
        self.assertTrue(client.ended())
        client = Caller(self, "10.99.0.1:443")
        client.sock.shutdown(socket.SHUT_WR)
        self.assertTrue(client.ended())
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client = Caller(self, "[fd00:9::1]:443")
        with self.assertRaises(ssl.SSLError):
            context.wrap_socket(client.sock)
        self.assertEqual([d[2] for d in self.denied()],
                         ["tcp 10.99.0.1:443", "tcp [fd00:9::1]:443"])

    def test_any_other_port_is_tunnelled_to_its_name_or_address(self):
        # the server speaks first; outside it is the very same address and port
        def greet(server, conn):
            server.seen.append(conn.getsockname())
            conn.sendall(b"SSH-2.0-x\r\n")
            echo(server, conn)

        server = world.Server(greet, "127.0.0.1")
        self.cleanup.append(server.close)
        parent = self.parent("git.test:%d=127.0.0.1:%d" % (2222, server.port))
        self.open(rules=[("git.test:2222",)], ports=(2222,), https_proxy=parent)
        address = self.lookup("git.test")[1]
        client = Caller(self, address + ":2222")
        self.assertEqual(client.take(11), b"SSH-2.0-x\r\n")
        self.ping(client)
        client = Caller(self, "10.99.0.1:2222")
        self.assertTrue(client.ended())
        self.assertEqual([d[2] for d in self.denied()], ["tcp 10.99.0.1:2222"])

    def test_a_loopback_port_of_the_host_by_rule(self):
        # in this network inside and outside are one: the "outside" listens on another address
        server = world.Server(echo, "127.0.0.1")
        self.cleanup.append(server.close)
        door = listener(0, host="127.0.0.2")
        port = door.getsockname()[1]
        self.start(doors=[("proxy", listener(61080, host="127.0.0.1")), ("port", door)],
                   netrules=[("localhost:%d" % port,), ("127.0.0.1:%d" % port,)])
        door.close()
        self.assertTrue(Caller(self, "127.0.0.2:%d" % port).ended())
        self.assertEqual([d[2] for d in self.denied()], ["tcp 127.0.0.2:%d" % port])

    def test_a_registry_on_localhost_is_judged_by_its_address_too(self):
        door = listener(0, host="127.0.0.2")
        port = door.getsockname()[1]
        self.start(("npm", "http://localhost:%d/npm/" % port),
                   doors=[("proxy", listener(61080, host="127.0.0.1")), ("port", door)],
                   netrules=[("127.0.0.2:%d" % port,)])
        door.close()
        self.assertTrue(Caller(self, "127.0.0.2:%d" % port).ended())
        self.assertEqual([d[2] for d in self.denied()], ["tcp localhost:%d" % port])

    def test_plain_http_goes_by_its_host_request_after_request(self):
        host = "plain.test"
        parent = self.parent("plain.test:80=127.0.0.1:%d" % Registry.http)
        self.open(rules=[(host,)], http_proxy=parent)
        client = Caller(self, "10.99.0.1:80")
        self.assertEqual(client.inside("/npm/tiny", host).status, 200)
        self.assertEqual(client.inside("/npm/tiny", host).status, 200)
        self.assertEqual(client.inside("/npm/tiny", "other.test").status, 421)
        client = Caller(self, "10.99.0.1:80")
        for byte in b"GET /npm/tiny HTTP/1.1\r\nHo":
            client.send(bytes([byte]))
            time.sleep(0.01)
        client.send(b"st: plain.test\r\n\r\n")
        self.assertEqual(client.response().status, 200)
        client = Caller(self, "10.99.0.1:80")
        got = client.inside("/npm/tiny", "other.test", "X: y")
        self.assertEqual(got.status, 403)
        self.assertIn(b"tcp other.test:80", got.body)
        self.assertTrue(client.ended())
        self.assertEqual([d[2] for d in self.denied()], ["tcp other.test:80"])

    def test_a_registry_is_looked_into_without_a_proxy_too(self):
        parent = self.parent("registry.test:443=127.0.0.1:%d" % Registry.https)
        self.open(("npm", "https://registry.test/npm/"), rules=[("registry", MANAGER)],
                  https_proxy=parent, blocked=["pkg:npm/tiny@1.0.0"])
        address = self.lookup("registry.test", role=MANAGER)[1]
        for target in (address + ":443", "10.99.0.1:443"):
            client = Caller(self, target, MANAGER).hello("registry.test") # the run's certificate
            self.assertEqual(client.inside("/npm/tiny", "registry.test").status, 200)
            self.assertEqual(
                client.inside("/npm/tiny/-/tiny-1.0.0.tgz", "registry.test").status, 403)
        self.assertTrue(self.refused_tls(Caller(self, address + ":443"), "registry.test"))
        self.assertEqual([d[2] for d in self.denied()], ["tcp registry.test:443"])


class Names(Walls):
    def test_every_name_has_an_address_on_every_server(self):
        self.open(rules=[("good.test",)])
        for server, v6 in (("10.99.0.53", False), ("198.18.7.7", False), ("127.0.0.53", False),
                           ("fd00:1::53", True), ("::1", True)):
            code, address = self.lookup("good.test", v6=v6, server=server)
            self.assertEqual(code, 0)
            self.assertRegex(address, r"^198\.1[89]\.")
        self.assertEqual(self.lookup("good.test", HTTPS), (0, None))
        self.assertEqual(self.lookup("good.test", ANY), (5, None))
        self.assertEqual(self.lookup("localhost"), (0, "127.0.0.1"))
        self.assertEqual(self.lookup("x.localhost", AAAA), (0, "::1"))
        reverse = ".".join(reversed(address.split("."))) + ".in-addr.arpa"
        self.assertEqual(self.lookup(reverse, PTR), (0, b"\4good\4test\0"))
        self.assertEqual(self.lookup("1.0.99.10.in-addr.arpa", PTR), (3, None))
        self.assertEqual(self.denied(), [])

    def test_the_c_library_finds_us_whatever_resolv_conf_says(self):
        self.open(rules=[("good.test",)])
        found = {i[4][0] for f in (socket.AF_INET, socket.AF_INET6)
                 for i in socket.getaddrinfo("good.test", 443, f, socket.SOCK_STREAM)}
        self.assertEqual(found, {self.lookup("good.test")[1], self.lookup("good.test", AAAA)[1]})
        for address in found:
            self.assertEqual(socket.gethostbyaddr(address)[0], "good.test")

    def test_names_that_nobody_may_reach_are_told_with_who_asked(self):
        self.open(("npm", "https://registry.test:4873/npm/"),
                  rules=[("*.good.test",), ("registry", MANAGER)])
        self.lookup("a.good.test")
        self.lookup("registry.test", role=MANAGER)
        self.lookup("registry.test", told=False)
        self.lookup("registry.test", role=SCRIPT, package="dep@1.0.0")
        for _ in range(3):
            self.lookup("exfil.evil.test", AAAA, package="dep@1.0.0")
        self.lookup("exfil.evil.test", told=False)
        self.assertEqual(self.denied(), [
            ("PMG2009", "resolve", "dns registry.test", "dep@1.0.0", 1),
            ("PMG2009", "resolve", "dns exfil.evil.test", "dep@1.0.0", 1),
            ("PMG2009", "resolve", "dns exfil.evil.test", None, 1),
            ("PMG2009", "resolve", "dns exfil.evil.test", "dep@1.0.0", 2)])

    def test_over_tcp(self):
        self.open(rules=[("good.test",)])
        query = question("good.test", A)
        client = Caller(self, "10.99.0.53:53")
        for byte in struct.pack(">H", len(query)) + query:
            client.send(bytes([byte]))
        n = struct.unpack(">H", client.take(2))[0]
        self.assertRegex(answer(client.take(n), query)[1], r"^198\.1[89]\.")
        client.send((struct.pack(">H", len(query)) + query) * 3) # pipelined
        self.assertEqual(len(client.take(3 * (n + 2))), 3 * (n + 2))
        client.send(b"\xff\xffx")
        self.assertTrue(client.ended())
        client = Caller(self, "[fd00::53]:53")
        client.send(b"\0\x03xxx")
        self.assertTrue(client.ended())

    def test_nonsense_gets_an_error_or_silence(self):
        self.open()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(10)
            sock.connect(("10.99.0.53", 53))
            sock.send(b"")
            sock.send(b"x" * 11)
            sock.send(b"\0\1\x80" + b"\0" * 9) # an answer
            sock.send(b"\0\2\1" + b"\0" * 9)
            self.assertEqual(sock.recv(100)[:4], b"\0\2\x81\x81")
            sock.send(b"\0\3\1\0\0\1" + b"\0" * 6 + b"\1x" * 300)
            self.assertEqual(question("a.test", A)[:2], b"\x12\x34")
            sock.send(question("a.test", A))
            self.assertEqual(sock.recv(2048)[:2], b"\x12\x34")

    def test_what_the_broker_refused_is_told_by_name(self):
        self.open()
        address = self.lookup("db.test")[1]
        self.front.tell("tcp4", None, address + ":8080", package="dep@1.0.0")
        self.front.tell("udp4", None, "10.99.0.1:5353")
        self.assertEqual([d[2] for d in self.denied()],
                         ["dns db.test", "tcp db.test:8080", "udp 10.99.0.1:5353"])


class Flood(Walls):
    def test_ten_thousand_connections_of_scripts_do_not_stop_the_manager(self):
        host = "127.0.0.1:%d" % Registry.http
        self.open(("npm", "http://%s/npm/" % host), rules=[("registry", MANAGER)])
        held = []
        for i in range(400): # held open: more than all places
            held.append(Caller(self, PROXY if i % 2 else "10.99.0.1:443"))
            try: # as much as is read ahead, of those that got a place
                held[-1].send(b"GET http://x.test/ HTTP/1.1\r\nX: " + b"x" * 60000)
            except OSError:
                pass
        for i in range(10000):
            with socket.socket() as sock:
                sock.connect(("10.99.0.1", (443, 80, 53)[i % 3]))
                if i % 2:
                    self.front.tell("tcp4", sock,
                                    "10.99.0.1:%d" % (443, 80, 53)[i % 3])
            if i % 1000 == 0:
                got = Caller(self, PROXY, MANAGER).get("http://%s/npm/tiny" % host)
                self.assertEqual(got.status, 200)
        self.assert_small()
        self.assertEqual([m["target"] for m in self.told("trouble")], ["pmg-proxy"])

    def test_a_flood_of_names_is_answered_and_bounded(self):
        self.open(rules=[("good.test",)])
        good = self.lookup("good.test")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.settimeout(10)
            sock.connect(("10.99.0.53", 53))
            for i in range(20000):
                sock.send(question("n%d.evil.test" % i, A))
                if i % 50 == 0:
                    time.sleep(0.001)
        self.assertEqual(self.lookup("good.test"), good)
        self.assert_small()
        client = Caller(self, PROXY)
        self.assertEqual(client.connect("evil.test:443"), 403)
        told = self.denied()
        self.assertLess(len(told), 300)
        self.assertIn("dns (and more names)", [d[2] for d in told])
        self.assertIn("tcp evil.test:443", [d[2] for d in told])


if __name__ == "__main__":
    signal.alarm(600)
    try:
        ownnet.enter()
    except OSError as error:
        print("SKIP: no network of our own:", error)
        sys.exit(77)
    world.main()
