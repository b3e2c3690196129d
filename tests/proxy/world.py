"""What the tests of the running proxy share: the fixture registry, raw clients, small servers."""
import base64
import gzip
import hashlib
import io
import json
import os
import socket
import ssl
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import urllib.request

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(TOP, "tests", "helper"))
sys.dont_write_bytecode = True
import proxyctl  # noqa: E402

PROGRAM = os.environ.get("PMG_PROXY", os.path.join(os.getcwd(), "pmg-proxy"))
WRAP = os.environ.get("PMG_PROXY_WRAP", "").split()  # "valgrind -q ..."
SLOW = 8 if WRAP else 1
MEMORY_MAX_KB = 64 * 1024
WORK = tempfile.mkdtemp(prefix="proxy-test-")
# The policy on packages (conf/packages.h) of who does not care for age.
NO_WAIT = {"enabled": False, "mode": 0, "undated": 1, "fixes": 0, "private_origin": 0, "now": 0,
           "as_of": False, "managed_wait": False, "ages": [], "skip": [], "trusted_packages": [],
           "overrides": []}


def noise(size):
    return b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(size // 32 + 1))[:size]


def tgz(*files, name="art", version="1.0.0", scripts=None, filler=0):
    """files: (path, bytes) behind package.json and so much that does not compress."""
    manifest = {"name": name, "version": version}
    if scripts:
        manifest["scripts"] = scripts
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for path, data in [("package/package.json", json.dumps(manifest).encode()),
                           ("package/filler", noise(filler))] + list(files):
            info = tarfile.TarInfo(path)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(raw.getvalue(), 1)


class Registry:
    """tests/helper/registry.py; one for all tests of a program."""
    process = None

    @classmethod
    def start(cls):
        if cls.process:
            return
        cls.dir = tempfile.mkdtemp(prefix="registry-", dir=WORK)
        cls.process = subprocess.Popen(
            [sys.executable, "-B", os.path.join(TOP, "tests/helper/registry.py"), "--dir", cls.dir],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ports = cls.process.stdout.readline().split()
        cls.http, cls.https, cls.untrusted, cls.cdn_http, cls.cdn_https = map(int, ports)
        cls.ca = os.path.join(cls.dir, "ca.pem")

    @classmethod
    def stop(cls):
        if cls.process:
            cls.process.stdin.close()
            cls.process.wait(10)
            cls.process.stdout.close()
            cls.process = None

    @classmethod
    def log(cls):
        with open(os.path.join(cls.dir, "log.jsonl"), encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    @classmethod
    def add(cls, package):
        urllib.request.urlopen("http://127.0.0.1:%d/-/add" % cls.http,
                               json.dumps(package).encode()).close()

    @classmethod
    def asked(cls, path, at_least=0):
        """Requests for a path that reached the registry, which notes them after its answer."""
        deadline = time.time() + 10
        while True:
            found = [r for r in cls.log() if r["path"] == path]
            if len(found) >= at_least or time.time() > deadline:
                return found
            time.sleep(0.02)


def plain(path):
    return "http://127.0.0.1:%d%s" % (Registry.http, path)


def direct(path):
    """The bytes as the registry itself sends them."""
    with urllib.request.urlopen(plain(path)) as answer:
        return answer.read()


class Response:
    def __init__(self, status, reason, headers, body, whole):
        self.status, self.reason, self.headers, self.body = status, reason, headers, body
        self.whole = whole  # the body ended as its framing says

    def __getitem__(self, name):
        return self.headers.get(name.lower())


class Client:
    """A connection to the proxy, byte by byte."""

    def __init__(self, front, timeout=60):
        self.front = front
        self.sock = socket.create_connection((front.host, front.port), timeout)
        self.buffer = b""

    def close(self):
        self.sock.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def auth(self):
        login = base64.b64encode(("pmg:" + self.front.token).encode()).decode()
        return "Proxy-Authorization: Basic %s\r\n" % login

    def send(self, data):
        self.sock.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))

    def fill(self):
        try:
            data = self.sock.recv(65536)
        except (ConnectionResetError, ssl.SSLError):
            self.broken = True
            return False
        self.buffer += data
        return bool(data)

    def line(self):
        while b"\r\n" not in self.buffer:
            if not self.fill():
                return None
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def take(self, n):
        parts, have = [self.buffer[:n]], min(n, len(self.buffer))
        self.buffer = self.buffer[n:]
        while have < n:
            if not self.fill():
                break
            parts.append(self.buffer[:n - have])
            taken = len(parts[-1])
            self.buffer = self.buffer[taken:]
            have += taken
        return b"".join(parts)

    def chunks(self):
        parts = []
        while True:
            size = self.line()
            if size is None:
                return b"".join(parts), False
            n = int(size, 16)
            if n == 0:
                return b"".join(parts), self.line() == b""
            parts.append(self.take(n))
            if len(parts[-1]) < n or self.line() != b"":
                return b"".join(parts), False

    def response(self, head=False):
        """None when the proxy closed without one."""
        self.broken = False
        status = self.line()
        if status is None:
            return None
        _, code, reason = (status + b" ").split(b" ", 2)
        headers = {}
        while True:
            line = self.line()
            if not line:
                break
            name, value = line.decode("latin-1").split(":", 1)
            headers[name.lower()] = value.strip()
        code = int(code)
        body, whole = b"", True
        if head or code in (204, 304) or code < 200:
            pass
        elif headers.get("transfer-encoding") == "chunked":
            body, whole = self.chunks()
        elif "content-length" in headers:
            n = int(headers["content-length"])
            body = self.take(n)
            whole = len(body) == n
        else:
            while self.fill():
                pass
            body, self.buffer, whole = self.buffer, b"", not self.broken
        return Response(code, reason.strip().decode("latin-1"), headers, body, whole)

    def ended(self):
        """Has the proxy closed?"""
        return not self.buffer and not self.fill()

    def connect(self, target, auth=True):
        self.send("CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n" % (
            target, target, self.auth() if auth else ""))
        return self.connected()

    def connected(self):
        """The status of the answer to CONNECT; what follows it is the tunnel's."""
        status = self.line()
        if status is None:
            return None
        while self.line():
            pass
        return int(status.split()[1])

    def tls(self, name="127.0.0.1", ca=None):
        context = ssl.create_default_context(cafile=ca or self.front.bundle)
        self.sock = context.wrap_socket(self.sock, server_hostname=name,
                                        suppress_ragged_eofs=False)
        return self

    def get(self, url, *fields, method="GET"):
        """A request by absolute address."""
        self.send("%s %s HTTP/1.1\r\nHost: ignored.test\r\n%s%s\r\n" % (
            method, url, self.auth(), "".join(f + "\r\n" for f in fields)))
        return self.response(head=method == "HEAD")

    def inside(self, path, host, *fields, method="GET", version="1.1"):
        self.send("%s %s HTTP/%s\r\nHost: %s\r\n%s\r\n" % (
            method, path, version, host, "".join(f + "\r\n" for f in fields)))
        return self.response(head=method == "HEAD")


class Server:
    """A TCP server on loopback that runs a function for each connection, in a thread."""

    def __init__(self, handle, host="127.0.0.1"):
        self.sock = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.sock.bind((host, 0))
        self.sock.listen(64)
        self.host, self.port, self.handle = host, self.sock.getsockname()[1], handle
        self.seen = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                conn, _ = self.sock.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(conn,), daemon=True).start()

    def one(self, conn):
        try:
            self.handle(self, conn)
        except OSError:
            pass
        finally:
            conn.close()

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()

    @staticmethod
    def head(conn):
        """The head of a request, and what came after it."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = conn.recv(65536)
            if not more:
                break
            data += more
        head, _, rest = data.partition(b"\r\n\r\n")
        return head.decode("latin-1"), rest


class Case(unittest.TestCase):
    """A test with its own proxy: self.front, after start()."""

    @classmethod
    def setUpClass(cls):
        Registry.start()

    def setUp(self):
        self.front = None
        self.cleanup = []

    def tearDown(self):
        for close in reversed(self.cleanup):
            close()
        if self.front:
            self.front.kill()

    def start(self, *registries, blocked=(), **more):
        """blocked: package addresses (purl) of the user's block list."""
        if blocked:
            path = tempfile.mkstemp(suffix=".yml", dir=WORK)[1]
            with open(path, "w", encoding="utf-8") as f:
                f.write("schema_version: 1\nblock:\n")
                f.writelines('  - {purl: "%s", reason: "a test"}\n' % p for p in blocked)
            more["blocklist_path"] = path
        more.setdefault("ca_files", [Registry.ca])
        self.front = proxyctl.Front(PROGRAM, registries,
                                    bundle=tempfile.mkstemp(suffix=".pem", dir=WORK)[1],
                                    wrap=WRAP, stderr=sys.stderr if WRAP else None, **more)
        self.ready = self.front.ready()
        return self.front

    def client(self):
        client = Client(self.front)
        self.cleanup.append(client.close)
        return client

    def server(self, handle, host="127.0.0.1"):
        server = Server(handle, host)
        self.cleanup.append(server.close)
        return server

    def stop(self):
        """What the proxy told after READY, DONE last; it must have ended well."""
        messages, status = self.front.stop()
        self.assertEqual(status, 0)
        self.assertEqual(messages[-1]["type"], "done")
        self.front = None
        return messages[1:]

    def told(self, kind):
        return [m for m in self.stop() if m["type"] == kind]

    def assert_small(self):
        """The most memory that the proxy has used; what checks memory itself does not count."""
        pid = self.front.process.pid
        with open("/proc/%d/status" % pid, encoding="utf-8") as f:
            peak = int([line for line in f if line.startswith("VmHWM")][0].split()[1])
        with open("/proc/%d/maps" % pid, encoding="utf-8") as f:
            maps = f.read()
        if "libasan" not in maps and "valgrind" not in maps:
            self.assertLess(peak, MEMORY_MAX_KB)


def main():
    if not os.path.exists(PROGRAM):
        print("SKIP: there is no", PROGRAM)
        sys.exit(77)
    began = time.time()
    result = unittest.main(exit=False, verbosity=2 if "-v" in sys.argv else 1).result
    Registry.stop()
    subprocess.run(["rm", "-rf", WORK], check=False)
    print("%.1f s" % (time.time() - began))
    sys.exit(not result.wasSuccessful())
