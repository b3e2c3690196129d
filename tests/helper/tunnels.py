#!/usr/bin/env python3
"""Both ends of tunnels through an HTTP proxy, for tests.

    tunnels.py serve            listens on 127.0.0.2, prints one line with its ports, in the order
                                of SERVERS; ends when stdin does
    tunnels.py NAME PORT...     one of CLIENTS, through the proxy of $HTTPS_PROXY, or straight when
                                there is none; says what it saw, fails when that is wrong
"""
import base64
import hashlib
import os
import socket
import struct
import sys
import threading
import time
import urllib.parse

HOST = "127.0.0.2"
MEGA = 1 << 20


def reset(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def read_all(sock):
    """All that comes, and how it ended."""
    got = b""
    try:
        while True:
            more = sock.recv(65536)
            if not more:
                return got, "end"
            got += more
    except ConnectionResetError:
        return got, "reset"


def read_exactly(sock, length):
    got = b""
    while len(got) < length:
        more = sock.recv(min(65536, length - len(got)))
        if not more:
            raise EOFError("%d of %d bytes" % (len(got), length))
        got += more
    return got


def pattern(length, seed):
    block = hashlib.sha512(b"%d" % seed).digest() * 1024
    return (block * (length // len(block) + 1))[:length]


# Servers: a function for a connection

def echo(sock):
    while True:
        data = sock.recv(65536)
        if not data:
            return
        sock.sendall(data)


def count(sock):
    """Answers when the client has ended its side, not before."""
    data, how = read_all(sock)
    sock.sendall(b"%d bytes, %s" % (len(data), how.encode()))


def greet(sock):
    """Speaks first, as SSH and SMTP do, and ends its side; then reads on."""
    sock.sendall(b"220 hello\r\n")
    sock.shutdown(socket.SHUT_WR)
    data, how = read_all(sock)
    notes.append("greet: %d bytes, %s" % (len(data), how))


def break_off(sock):
    sock.recv(1)
    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome")
    time.sleep(0.2)  # what was sent shall arrive: RST discards
    reset(sock)


def source(sock):
    """20 MB both ways at once."""
    sender = threading.Thread(target=lambda: sock.sendall(pattern(20 * MEGA, 1)))
    sender.start()
    digest = hashlib.sha256(read_exactly(sock, 20 * MEGA)).hexdigest()
    sender.join()
    notes.append("source: " + digest)
    sock.sendall(digest.encode())


def watch(sock):
    """Notes how a client goes away."""
    sock.sendall(b"x")
    notes.append("watch: " + read_all(sock)[1])


def tell(sock):
    """What the others noted."""
    sock.sendall("\n".join(notes).encode())


SERVERS = (echo, count, greet, break_off, source, watch, tell)
notes = []


def serve():
    def one(sock, kind):
        with sock:
            try:
                kind(sock)
            except OSError:
                pass

    def accept(listener, kind):
        while True:
            threading.Thread(target=one, args=(listener.accept()[0], kind), daemon=True).start()

    listeners = [socket.create_server((HOST, 0), backlog=128) for _ in SERVERS]
    for listener, kind in zip(listeners, SERVERS):
        threading.Thread(target=accept, args=(listener, kind), daemon=True).start()
    print(*[listener.getsockname()[1] for listener in listeners], flush=True)
    sys.stdin.read()
    os._exit(0)


# Clients

def tunnel(port, early=b""):
    proxy = os.environ.get("HTTPS_PROXY")
    if not proxy:
        sock = socket.create_connection((HOST, port), timeout=20)
        sock.sendall(early)
        return sock
    proxy = urllib.parse.urlsplit(proxy)
    pair = base64.b64encode(("%s:%s" % (proxy.username, proxy.password)).encode()).decode()
    sock = socket.create_connection((proxy.hostname, proxy.port), timeout=20)
    sock.sendall(("CONNECT %s:%d HTTP/1.1\r\nHost: %s:%d\r\nProxy-Authorization: Basic %s\r\n\r\n" %
                  (HOST, port, HOST, port, pair)).encode() + early)
    head = b""
    while b"\r\n\r\n" not in head:
        head += read_exactly(sock, 1)
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise EOFError(head)
    return sock


def expect(what, want, got):
    if want != got:
        sys.exit("%s: %r, not %r" % (what, got[:200], want[:200]))


def many(port, *_):
    """30 tunnels at once, each with 40 exchanges of odd sizes."""
    failed = []

    def one(seed):
        try:
            with tunnel(port) as sock:
                for i in range(40):
                    data = pattern(1 + (seed * 7919 + i * 104729) % 30000, seed)
                    sock.sendall(data)
                    if read_exactly(sock, len(data)) != data:
                        failed.append("bytes")
        except (OSError, EOFError) as why:
            failed.append(str(why))

    threads = [threading.Thread(target=one, args=(seed,)) for seed in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expect("failed", [], failed)


def half(port, *_):
    with tunnel(port) as sock:
        sock.sendall(b"a" * 100000)
        sock.shutdown(socket.SHUT_WR)
        expect("answer", (b"100000 bytes, end", "end"), read_all(sock))


def early(port, *_):
    """Bytes that come in one segment with the request belong to the target."""
    with tunnel(port, b"early") as sock:
        sock.sendall(b" and late")
        sock.shutdown(socket.SHUT_WR)
        expect("answer", (b"14 bytes, end", "end"), read_all(sock))


def greeted(port, tell_port, *_):
    with tunnel(port) as sock:
        expect("greeting", (b"220 hello\r\n", "end"), read_all(sock))
        sock.sendall(b"b" * 1000)
        sock.shutdown(socket.SHUT_WR)
    noted(tell_port, "greet: 1000 bytes, end")


def broken(port, echo_port, *_):
    """A reset tears its own tunnel down, no other, and is no proper end."""
    with tunnel(echo_port) as other, tunnel(port) as sock:
        sock.sendall(b"x")
        got, how = read_all(sock)
        expect("before the reset", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nsome", got)
        print(how)
        other.sendall(b"alive")
        expect("the other", b"alive", read_exactly(other, 5))


def duplex(port, *_):
    with tunnel(port) as sock:
        sender = threading.Thread(target=lambda: sock.sendall(pattern(20 * MEGA, 2)))
        sender.start()
        time.sleep(1)  # a slow reader: the proxy must not take all that comes
        expect("bytes", pattern(20 * MEGA, 1), read_exactly(sock, 20 * MEGA))
        sender.join()
        want = hashlib.sha256(pattern(20 * MEGA, 2)).hexdigest().encode()
        expect("sent", want, read_exactly(sock, len(want)))


def leave(port, tell_port, *_):
    """A client that breaks off is seen at the other end."""
    sock = tunnel(port)
    read_exactly(sock, 1)
    reset(sock)
    noted(tell_port, "watch: ")


def noted(port, text):
    for _ in range(100):
        with tunnel(port) as sock:
            said = read_all(sock)[0].decode()
        if text in said:
            return
        time.sleep(0.05)
    sys.exit("the server did not see: %s; it saw: %s" % (text, said))


CLIENTS = (many, half, early, greeted, broken, duplex, leave)

if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve()
    {f.__name__: f for f in CLIENTS}[sys.argv[1]](*map(int, sys.argv[2:]))
