#!/usr/bin/env python3
"""The running proxy: tunnels, and the parent proxy that they and requests may go through."""
import json
import os
import select
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

import world
from world import Registry


def reset(conn):
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    conn.close()


def echo(_, conn):
    while True:
        data = conn.recv(65536)
        if not data:
            break
        conn.sendall(data)
    conn.shutdown(socket.SHUT_WR)


class Tunnel(world.Case):
    def dial(self, port, host="127.0.0.1"):
        client = self.client()
        self.assertEqual(client.connect("%s:%d" % (host, port)), 200)
        return client

    def test_bytes_pass_unchanged_both_ways_and_the_target_is_told_once(self):
        server = self.server(echo)
        self.start()
        data = os.urandom(3000000)
        for _ in range(2):
            client = self.dial(server.port)
            threading.Thread(target=lambda c=client: (c.send(data),
                                                      c.sock.shutdown(socket.SHUT_WR))).start()
            self.assertEqual(client.take(len(data) + 1), data) # and then the end
        self.assertEqual([(m["target"], m["why"]) for m in self.told("passed")],
                         [("127.0.0.1:%d" % server.port, "tunnel")])

    def test_each_direction_ends_by_itself(self):
        def first_read_all(_, conn):
            total = 0
            while True:
                data = conn.recv(65536)
                if not data:
                    break
                total += len(data)
            conn.sendall(b"%d" % total)

        def first_say_all(server, conn):
            conn.sendall(b"hello")
            conn.shutdown(socket.SHUT_WR)
            server.seen.append(conn.recv(100))

        self.start()
        client = self.dial(self.server(first_read_all).port)
        client.send(b"x" * 100000)
        time.sleep(0.2)
        client.sock.shutdown(socket.SHUT_WR)
        self.assertEqual(client.take(100), b"100000")
        server = self.server(first_say_all)
        client = self.dial(server.port)
        self.assertEqual(client.take(100), b"hello")
        client.send(b"still here")
        deadline = time.time() + 5
        while not server.seen and time.time() < deadline:
            time.sleep(0.01)
        self.assertEqual(server.seen, [b"still here"])

    def test_a_reset_is_a_reset_and_others_go_on(self):
        def head_then_reset(_, conn):
            conn.recv(100)
            conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
            time.sleep(0.1)
            reset(conn)

        self.start()
        other = self.dial(self.server(echo).port)
        client = self.dial(self.server(head_then_reset).port)
        client.send(b"x")
        client.broken = False
        while client.fill():
            pass
        self.assertIn(b"Content-Length: 100\r\n\r\n", client.buffer)
        self.assertTrue(client.broken)
        other.send(b"ping")
        self.assertEqual(other.take(4), b"ping")

    def test_a_client_that_resets_ends_the_other_side(self):
        def wait_for_end(server, conn):
            conn.recv(100)
            try:
                server.seen.append(conn.recv(100))
            except ConnectionResetError:
                server.seen.append("reset")

        server = self.server(wait_for_end)
        self.start()
        client = self.dial(server.port)
        client.send(b"x")
        time.sleep(0.2)
        reset(client.sock)
        deadline = time.time() + 5
        while not server.seen and time.time() < deadline:
            time.sleep(0.01)
        self.assertIn(server.seen, ([b""], ["reset"]))

    def test_early_bytes_and_a_server_that_speaks_first(self):
        def greet(server, conn):
            conn.sendall(b"SSH-2.0-x\r\n")
            server.seen.append(conn.recv(100))

        server = self.server(greet)
        self.start()
        client = self.client()
        client.send("CONNECT 127.0.0.1:%d HTTP/1.1\r\n%s\r\nearly" % (server.port, client.auth()))
        self.assertEqual(client.connected(), 200)
        self.assertEqual(client.take(11), b"SSH-2.0-x\r\n")
        deadline = time.time() + 5
        while not server.seen and time.time() < deadline:
            time.sleep(0.01)
        self.assertEqual(server.seen, [b"early"])

    def test_thirty_at_once_with_unread_bytes_waiting(self):
        """Other transfers must not take a tunnel with unread bytes for a dead connection."""
        server = self.server(lambda _, c: (c.sendall(b"y" * 200000), echo(None, c)))
        self.start(("npm", "http://127.0.0.1:%d/npm/" % Registry.http))
        clients = [self.dial(server.port) for _ in range(30)]
        other = self.client()
        for _ in range(3):
            self.assertEqual(other.get("http://127.0.0.1:%d/npm/tiny" % Registry.http).status, 200)
            time.sleep(1.1)
        for client in clients:
            client.send(b"z" * 1000)
        for client in clients:
            self.assertEqual(client.take(201000), b"y" * 200000 + b"z" * 1000)

    def test_a_slow_reader_costs_no_memory(self):
        server = self.server(lambda _, c: [c.sendall(b"x" * 1000000) for _ in range(50)])
        self.start()
        client = self.dial(server.port)
        time.sleep(1)
        self.assert_small()
        self.assertEqual(len(client.take(50000000)), 50000000)

    def test_what_cannot_be_reached_is_said(self):
        server = self.server(echo)
        server.close()
        self.start()
        for target, status, diag in (("127.0.0.1:%d" % server.port, 502, 4004),
                                     ("nobody.invalid:443", 502, 4003)):
            client = self.client()
            client.send("CONNECT %s HTTP/1.1\r\n%s\r\n" % (target, client.auth()))
            answer = client.response()
            self.assertEqual(answer.status, status)
            self.assertIn(target.encode(), answer.body)
            self.assertTrue(client.ended())
        self.assertEqual([m["diag"] for m in self.told("trouble")], [4004, 4003])

    def test_ipv6(self):
        server = self.server(echo, host="::1")
        self.start(listen="::1")
        client = self.client()
        self.assertEqual(client.connect("[::1]:%d" % server.port), 200)
        client.send(b"six")
        self.assertEqual(client.take(3), b"six")


class Parent(world.Case):
    def parent(self, *args):
        log = tempfile.mkstemp(dir=world.WORK)[1]
        process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(world.TOP, "tests/helper/parent_proxy.py"),
             "--log", log, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.cleanup.append(lambda: (process.stdin.close(), process.wait(), process.stdout.close()))
        self.log = log
        return int(process.stdout.readline())

    def asked(self):
        with open(self.log, encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def test_every_way_to_say_yes_is_understood(self):
        host = "127.0.0.1:%d" % Registry.https
        server = self.server(echo)
        for answer in ("plain", "http10", "noreason", "headers", "split"):
            port = self.parent("--answer", answer)
            self.start(("npm", "https://%s/npm/" % host),
                       https_proxy="http://127.0.0.1:%d" % port)
            client = self.client()
            client.connect(host)
            self.assertEqual(client.tls().inside("/npm/tiny", host).status, 200, answer)
            tunnel = self.client()
            self.assertEqual(tunnel.connect("127.0.0.1:%d" % server.port), 200, answer)
            tunnel.send(b"ping")
            self.assertEqual(tunnel.take(4), b"ping", answer)
            self.assertEqual({r["method"] for r in self.asked()}, {"CONNECT"})
            self.front.kill()

    def test_a_no_is_handed_on(self):
        host = "127.0.0.1:%d" % Registry.https
        for answer in ("407", "502"):
            port = self.parent("--answer", answer)
            self.start(("npm", "https://%s/npm/" % host),
                       https_proxy="http://127.0.0.1:%d" % port)
            client = self.client()
            client.connect(host)
            got = client.tls().inside("/npm/tiny", host)
            self.assertEqual(got.status, int(answer))
            self.assertIn(b"parent proxy", got.body)
            self.assertEqual(self.client().connect("other.test:443"), int(answer))
            self.assertEqual({m["diag"] for m in self.told("trouble")}, {4002})

    def test_names_and_passwords_are_the_parents_business(self):
        port = self.parent("--auth", "me:secret", "--map",
                           "registry.test:443=127.0.0.1:%d" % Registry.https)
        self.start(("npm", "https://registry.test/npm/"),
                   https_proxy="http://me:secret@127.0.0.1:%d" % port)
        client = self.client()
        client.connect("registry.test:443")
        got = client.tls("registry.test").inside("/npm/tiny", "registry.test")
        self.assertEqual(got.status, 200)
        self.assertNotIn(b"secret", json.dumps(self.stop()).encode())

    def test_plain_requests_have_a_parent_of_their_own_and_exceptions(self):
        port = self.parent()
        self.start(("npm", "http://127.0.0.1:%d/npm/" % Registry.http),
                   http_proxy="127.0.0.1:%d" % port, no_proxy="10.0.0.0/8, 127.0.0.*")
        url = "http://127.0.0.1:%d/npm/tiny" % Registry.http
        self.assertEqual(self.client().get(url).status, 200)
        self.assertEqual(self.asked(), [])
        self.front.kill()
        self.start(("npm", "http://127.0.0.1:%d/npm/" % Registry.http),
                   http_proxy="127.0.0.1:%d" % port)
        self.assertEqual(self.client().get(url).status, 200)
        self.assertEqual([(r["method"], r["target"]) for r in self.asked()], [("GET", url)])
        self.assertFalse([k for k in self.asked()[0]["headers"]
                          if k.lower() == "proxy-authorization"])


class TlsParent(world.Case):
    """A parent proxy that is spoken to by TLS: a tunnel's bytes go through libcurl."""

    def parent(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(Registry.dir, "cert.pem"),
                                os.path.join(Registry.dir, "key.pem"))

        def pass_on(_, conn):
            with context.wrap_socket(conn, server_side=True) as tls:
                target = world.Server.head(tls)[0].split()[1]
                host, port = target.rsplit(":", 1)
                with socket.create_connection((host, int(port))) as up:
                    tls.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                    self.relay(tls, up)

        return self.server(pass_on).port

    @staticmethod
    def relay(tls, up):
        """In one thread: OpenSSL does not read and write one connection in two."""
        while True:
            ready = [tls] if tls.pending() else select.select([tls, up], [], [], 10)[0]
            if not ready:
                return
            for source, sink in ((tls, up), (up, tls)):
                if source in ready:
                    data = source.recv(16384)
                    if not data:
                        return
                    sink.sendall(data)

    def test_requests_and_tunnels_pass(self):
        host = "127.0.0.1:%d" % Registry.https
        server = self.server(echo)
        self.start(("npm", "https://%s/npm/" % host), https_proxy="https://127.0.0.1:%d" %
                   self.parent())
        client = self.client()
        client.connect(host)
        self.assertEqual(client.tls().inside("/npm/tiny", host).status, 200)
        tunnel = self.client()
        self.assertEqual(tunnel.connect("127.0.0.1:%d" % server.port), 200)
        data = os.urandom(500000)
        threading.Thread(target=lambda: tunnel.send(data)).start()
        self.assertEqual(tunnel.take(len(data)), data)

    def test_other_transfers_do_not_end_a_tunnel_with_unread_bytes(self):
        host = "127.0.0.1:%d" % Registry.https
        server = self.server(lambda _, c: (c.sendall(b"y" * 3000000), echo(None, c)))
        self.start(("npm", "https://%s/npm/" % host), https_proxy="https://127.0.0.1:%d" %
                   self.parent())
        tunnel = self.client()
        self.assertEqual(tunnel.connect("127.0.0.1:%d" % server.port), 200)
        for _ in range(3):
            client = self.client()
            client.connect(host)
            self.assertEqual(client.tls().inside("/npm/tiny", host, "Connection: close").status,
                             200)
            time.sleep(1.1)
        self.assertEqual(len(tunnel.take(3000000)), 3000000)


if __name__ == "__main__":
    signal.alarm(600)
    world.main()
