#!/usr/bin/env python3
"""pmg-proxy without its front: speaks violation/wire.h to it. For tests; a module and a program.

    proxyctl.py PROGRAM [--registry ECO=URL]... [--source ECO,URL[,NAME[,VERSION]]]... [--bundle FILE]
                [--index FILE] [--blocklist FILE] [--cache FILE] [--ca-file FILE]... [--debug]
                [--https-proxy URL] [--http-proxy URL] [--no-proxy LIST]

Prints one JSON line a message: {"type": "listening", "port", "token", "pid", "bundle"} first, then
what the proxy says. When stdin closes it sends STOP, prints the rest and ends as the proxy ended.
"""
import argparse
import fcntl
import json
import os
import secrets
import socket
import struct
import subprocess
import sys
import tempfile
import threading

TYPES = ("", "registry", "source", "start", "ready", "failed", "judged", "passed", "trouble", "stop",
         "done", "netrule", "listen", "denied", "walls", "go", "started", "stopped", "end", "ended",
         "connect", "packages", "ask", "answer", "answered", "dated",
         "contents")

RANKS = ("managed-deny", "hooks", "opt-out", "mandatory-deny", "deny", "allow")
MANAGER, SCRIPT, ANYBODY = 1, 2, 3


def packed(kind, body):
    return struct.pack("=H", TYPES.index(kind)) + json.dumps(body).encode()


# As of config.yml without a word about it.
BLOCKED = ["traversal", "link-outside", "device", "oversized", "unreadable", "ambiguous"]
TRAITS = BLOCKED + ["mismatch", "control", "duplicate", "case", "setuid", "link", "outside",
                    "new-scripts", "new-build", "new-startup", "new-native", "new-binary", "scripts",
                    "build", "startup", "native", "binary", "uninspected"]


class Front:
    """The other end of the message socket. With doors, [(kind, socket)], those of the walls: then
    this is the broker too."""

    def __init__(self, program, registries=(), sources=(), listen="127.0.0.1", bundle=None,
                 wrap=(), stderr=None, doors=(), netrules=(), packages=None, **start):
        family = socket.AF_INET6 if ":" in listen else socket.AF_INET
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        self.listener.bind((listen, 0))
        self.listener.listen(128)
        self.host, self.port = listen, self.listener.getsockname()[1]
        self.token = secrets.token_urlsafe(24)
        self.sock, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.bundle = bundle or tempfile.mkstemp(suffix=".pem")[1]
        self.messages = []
        bundle_fd = os.open(self.bundle, os.O_WRONLY | os.O_TRUNC | os.O_CREAT, 0o600)
        self.process = self.spawn(list(wrap) + [program], theirs.fileno(),
                                  self.listener.fileno(), bundle_fd, stderr)
        theirs.close()
        os.close(bundle_fd)
        self.listener.close()
        for eco, url, *said in registries:  # "private", "replaced"
            self.send("registry", {"eco": eco, "url": url, "is_private": "private" in said,
                                   "is_replaced": "replaced" in said})
        for source in sources:
            keys = ("eco", "url", "name", "version")
            self.send("source", {k: v for k, v in zip(keys, source) if v is not None})
        for rule in netrules:
            self.send_rule(*rule)
        if packages:
            self.send("packages", {"piece": json.dumps(packages)})
        if doors:
            self.hand_over(doors)
        body = {"token": self.token, "index_path": "/nonexistent/intel.db",
                "blocklist_path": "/nonexistent/blocklist.yml", "ca_files": [], "ca_dirs": [],
                "debug": False, "walls": bool(doors), "inspect": True,
                "inspect_block": BLOCKED,
                "inspect_report": TRAITS}
        body.update({k: v for k, v in start.items() if v is not None})
        self.send("start", body)

    @staticmethod
    def spawn(argv, wire, listen, bundle, stderr):
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 200) for fd in (wire, listen, bundle)]

        def set_up():
            for i, fd in enumerate(high):
                os.dup2(fd, 3 + i)

        try:
            return Front.popen(argv, stderr, set_up)
        finally:
            for fd in high:
                os.close(fd)

    @staticmethod
    def popen(argv, stderr, set_up):
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=stderr or subprocess.DEVNULL, close_fds=False,
                                preexec_fn=set_up, env={"PATH": os.environ["PATH"]})

    def send(self, kind, body):
        self.sock.send(packed(kind, body))

    def send_rule(self, text, roles=SCRIPT, rank="allow", sensitive=False):
        self.send("netrule", {"rank": RANKS.index(rank), "roles": roles, "layer": 0, "text": text,
                              "source": "test:1", "sensitive": sensitive})

    def hand_over(self, doors):
        self.broker, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kinds = [kind for kind, _ in doors] + ["broker"]
        fds = [sock.fileno() for _, sock in doors] + [theirs.fileno()]
        socket.send_fds(self.sock, [packed("listen", {"kinds": kinds})], fds)
        theirs.close()
        for kind, sock in doors:
            if kind == "proxy":
                self.host, self.port = sock.getsockname()[:2]

    def tell(self, protocol, local, target, role=SCRIPT, **more):
        """As the broker: who has connected from there, a socket or a text; None: was refused."""
        body = {"protocol": protocol, "target": target, "role": role, "process": ["npm", "node"]}
        if isinstance(local, socket.socket):
            host, port = local.getsockname()[:2]
            local = ("[%s]:%d" if ":" in host else "%s:%d") % (host, port)
        if local:
            body["local"] = local
        body.update(more)
        self.broker.send(packed("connect", body))

    def receive(self, timeout=30):
        """The next message with its "type"; None when the proxy has closed."""
        self.sock.settimeout(timeout)
        try:
            data = self.sock.recv(1 << 17)
        except ConnectionResetError:
            return None
        if not data:
            return None
        message = json.loads(data[2:])
        message["type"] = TYPES[struct.unpack("=H", data[:2])[0]]
        self.messages.append(message)
        return message

    def ready(self):
        message = self.receive()
        if not message or message["type"] != "ready":
            raise RuntimeError("the proxy said %r" % (message,))
        return message

    @property
    def url(self):
        return "http://pmg:%s@%s:%d" % (self.token, self.host, self.port)

    def stop(self):
        """All messages up to DONE, and the exit status."""
        try:
            self.send("stop", {})
        except OSError:
            pass
        while self.receive():
            pass
        status = self.process.wait(30)
        self.sock.close()
        return self.messages, status

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.sock.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--registry", action="append", default=[])
    parser.add_argument("--source", action="append", default=[])
    parser.add_argument("--bundle")
    parser.add_argument("--index")
    parser.add_argument("--blocklist")
    parser.add_argument("--cache")
    parser.add_argument("--ca-file", action="append", default=[])
    parser.add_argument("--https-proxy")
    parser.add_argument("--http-proxy")
    parser.add_argument("--no-proxy")
    parser.add_argument("--debug", action="store_true")
    o = parser.parse_args()
    front = Front(o.program, [r.split("=", 1) for r in o.registry],
                  [s.split(",") for s in o.source], bundle=o.bundle, index_path=o.index,
                  blocklist_path=o.blocklist, cache_path=o.cache, ca_files=o.ca_file,
                  https_proxy=o.https_proxy, http_proxy=o.http_proxy, no_proxy=o.no_proxy,
                  debug=o.debug, stderr=sys.stderr if o.debug else None)
    print(json.dumps({"type": "listening", "port": front.port, "token": front.token,
                      "pid": front.process.pid, "bundle": front.bundle, "url": front.url}),
          flush=True)

    def stop_when_told():
        sys.stdin.read()
        try:
            front.send("stop", {})
        except OSError:
            pass

    threading.Thread(target=stop_when_told, daemon=True).start()
    while True:
        message = front.receive(None)
        if not message:
            break
        print(json.dumps(message), flush=True)
    sys.exit(front.process.wait() & 255)


if __name__ == "__main__":
    main()
