#!/usr/bin/env python3
"""A parent proxy on loopback, as companies have them, with odd but legal answers.

    parent_proxy.py --log FILE [--answer KIND] [--auth USER:PASSWORD] [--tls CERTIFICATE:KEY]
                    [--map HOST:PORT=HOST:PORT]...

Prints its port when it listens on 127.0.0.1; ends by SIGTERM or when stdin closes. Serves CONNECT
and GET/HEAD/POST of absolute addresses (http only). --log gets one JSON line a request: method,
target, headers, status. KIND is how a CONNECT that could be done is answered:
    plain     HTTP/1.1 200 Connection established
    http10    HTTP/1.0 200 Connection established
    noreason  HTTP/1.1 200 and nothing after it
    headers   200 with several more headers
    split     200 in three segments
    407 502   refused with that status and a body that says so
--tls: it is spoken to by TLS itself.
--map sends a target elsewhere: so a test can use names that only the parent proxy resolves.
"""
import argparse
import base64
import json
import os
import select
import signal
import socket
import ssl
import sys
import threading
import time
import urllib.parse

ANSWERS = {
    "plain": [b"HTTP/1.1 200 Connection established\r\n\r\n"],
    "http10": [b"HTTP/1.0 200 Connection established\r\n\r\n"],
    "noreason": [b"HTTP/1.1 200\r\n\r\n"],
    "headers": [b"HTTP/1.1 200 OK\r\nVia: 1.1 parent\r\nX-Filler: " + b"x" * 900 + b"\r\n"
                b"Proxy-Agent: fixture\r\n\r\n"],
    "split": [b"HTTP/1.1 2", b"00 Connection estab", b"lished\r\n\r\n"],
    "407": [b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=p\r\n"
            b"Content-Length: 16\r\n\r\nsay who you are\n"],
    "502": [b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 17\r\n\r\nparent is broken\n"],
}
HEAD_MAX = 65536
options = None
log_lock = threading.Lock()


def note(method, target, headers, status):
    line = {"time": time.time(), "method": method, "target": target, "headers": headers,
            "status": status}
    with log_lock, open(options.log, "a", encoding="utf-8") as f:
        f.write(json.dumps(line) + "\n")


def read_head(sock):
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(4096)
        if not more or len(data) > HEAD_MAX:
            return None, None, b""
        data += more
    head, rest = data.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").split("\r\n")
    headers = dict((k.strip().lower(), v.strip()) for k, _, v in
                   (line.partition(":") for line in lines[1:]))
    return lines[0].split(" "), headers, rest


def reach(host, port):
    target = options.map.get("%s:%d" % (host, port), "%s:%d" % (host, port))
    host, _, port = target.rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=20)


def waiting(socks):
    """Those with something to read. What TLS has decrypted already select() does not see."""
    pending = [s for s in socks if isinstance(s, ssl.SSLSocket) and s.pending()]
    return pending or select.select(socks, [], [])[0]


def relay(a, b):
    """Both ways until both have ended; the end of one way is passed on, but TLS knows no such."""
    a.settimeout(None)
    b.settimeout(None)
    to = {a: b, b: a}
    while to:
        for sock in waiting(list(to)):
            data = sock.recv(65536)
            if data:
                to[sock].sendall(data)
            elif isinstance(a, ssl.SSLSocket):
                a.unwrap()
                return
            else:
                to.pop(sock).shutdown(socket.SHUT_WR)


def connect(sock, target, headers, rest):
    refused = options.answer in ("407", "502")
    note("CONNECT", target, headers, int(options.answer) if refused else 200)
    if refused:
        sock.sendall(ANSWERS[options.answer][0])
        return
    host, _, port = target.rpartition(":")
    with reach(host.strip("[]"), int(port)) as up:
        for segment in ANSWERS[options.answer]:
            sock.sendall(segment)
            time.sleep(0.02)
        up.sendall(rest)
        relay(sock, up)


def forward(sock, words, headers, rest):
    url = urllib.parse.urlsplit(words[1])
    note(words[0], words[1], headers, 200)
    with reach(url.hostname, url.port or 80) as up:
        path = (url.path or "/") + ("?" + url.query if url.query else "")
        kept = {k: v for k, v in headers.items()
                if k not in ("connection", "proxy-connection", "proxy-authorization")}
        lines = ["%s %s HTTP/1.1" % (words[0], path)]
        lines += ["%s: %s" % kv for kv in kept.items()] + ["Connection: close", "", ""]
        up.sendall("\r\n".join(lines).encode("latin-1") + rest)
        try:
            relay(sock, up)
        except ConnectionError:
            pass # behind an answer, a word about it would be taken for the next one


def serve(sock):
    with sock:
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            words, headers, rest = read_head(sock)
            if words is None:
                return
            if options.auth and headers.get("proxy-authorization") != options.auth:
                note(words[0], words[1], headers, 407)
                sock.sendall(ANSWERS["407"][0])
            elif words[0] == "CONNECT":
                connect(sock, words[1], headers, rest)
            else:
                forward(sock, words, headers, rest)
        except (OSError, ValueError) as why:
            try:
                text = ("parent: %s\n" % why).encode()
                sock.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: %d\r\n\r\n%s" % (
                    len(text), text))
            except OSError:
                pass


def main():
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", required=True)
    parser.add_argument("--answer", choices=sorted(ANSWERS), default="plain")
    parser.add_argument("--auth")
    parser.add_argument("--tls")
    parser.add_argument("--map", action="append", default=[])
    options = parser.parse_args()
    options.map = dict(m.split("=", 1) for m in options.map)
    if options.auth:
        options.auth = "Basic " + base64.b64encode(options.auth.encode()).decode()
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls.split(":"))
        listener = context.wrap_socket(listener, server_side=True, do_handshake_on_connect=False)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    print(listener.getsockname()[1], flush=True)

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    while sys.stdin.buffer.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
