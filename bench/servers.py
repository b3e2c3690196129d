"""Servers on loopback that benchmarks fetch from. Each is a context manager and ends with it."""
import gzip
import os
import shutil
import socket
import subprocess
import sys
import time

from measure import NotRun

HELPERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "helper")

NGINX_CONF = """
daemon off;
%(user)s
worker_processes 2;
error_log stderr crit;
pid %(dir)s/nginx.pid;
events { worker_connections 512; }
http {
	access_log off;
	sendfile on;
	keepalive_requests 1000000;
	default_type application/octet-stream;
	client_body_temp_path %(dir)s/body; proxy_temp_path %(dir)s/proxy;
	fastcgi_temp_path %(dir)s/fastcgi; uwsgi_temp_path %(dir)s/uwsgi; scgi_temp_path %(dir)s/scgi;
	server {
		listen 127.0.0.1:%(port)d ssl;
		ssl_certificate %(dir)s/cert.pem;
		ssl_certificate_key %(dir)s/key.pem;
		root %(dir)s/www;
		try_files $uri.json $uri =404;
		location /gzip/ {
			default_type application/json;
			try_files $uri.gz =404;
			add_header Content-Encoding gzip;
		}
	}
}
"""


def end(child):
    child.terminate()
    try:
        child.wait(10)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


class Registry:
    """The tests' fixture registry. base(): its npm address."""

    def __init__(self, folder):
        self.folder, self.ca = folder, os.path.join(folder, "ca.pem")

    def __enter__(self):
        if not shutil.which("openssl"):
            raise NotRun("there is no openssl to make certificates with")
        os.makedirs(self.folder)
        program = os.path.join(HELPERS, "registry.py")
        self.child = subprocess.Popen([sys.executable, "-B", program, "--dir", self.folder],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ports = self.child.stdout.readline().split()
        if len(self.ports) != 5:
            end(self.child)
            raise NotRun("the fixture registry does not start")
        return self

    def base(self, scheme):
        return "%s://localhost:%s/npm/" % (scheme, self.ports[scheme == "https"])

    def __exit__(self, *_):
        end(self.child)


class Nginx:
    """nginx with https, and a certificate that ca.pem in its folder vouches for."""

    def __init__(self, folder):
        self.folder, self.ca = folder, os.path.join(folder, "ca.pem")
        self.program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def __enter__(self):
        if not self.program or not shutil.which("openssl"):
            raise NotRun("needs nginx and openssl (Debian: nginx-light, openssl)")
        os.makedirs(os.path.join(self.folder, "www"))
        make_authority(self.folder)
        self.port = free_port()
        conf = os.path.join(self.folder, "nginx.conf")
        with open(conf, "w", encoding="utf-8") as f:
            f.write(NGINX_CONF % {"dir": self.folder, "port": self.port,
                                  "user": "user root;" if os.geteuid() == 0 else ""})
        self.child = subprocess.Popen([self.program, "-p", self.folder, "-c", conf],
                                      stdin=subprocess.DEVNULL)
        try:
            self.wait()
        except NotRun:
            end(self.child)
            raise
        return self

    def wait(self):
        until = time.monotonic() + 5
        while time.monotonic() < until and self.child.poll() is None:
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise NotRun("nginx does not start")

    def base(self):
        return "https://127.0.0.1:%d/" % self.port

    def add(self, path, length):
        """A file of bytes that do not compress."""
        path = os.path.join(self.folder, "www", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            while length > 0:
                length -= f.write(os.urandom(min(length, 1 << 20)))

    def add_json(self, name, text):
        """As it is at /name, compressed at /gzip/name."""
        www = os.path.join(self.folder, "www")
        os.makedirs(os.path.join(www, "gzip"), exist_ok=True)
        with open(os.path.join(www, name + ".json"), "w", encoding="ascii") as f:
            f.write(text)
        with gzip.open(os.path.join(www, "gzip", name + ".gz"), "wt", 6, encoding="ascii") as f:
            f.write(text)

    def __exit__(self, *_):
        end(self.child)


def make_authority(folder):
    if HELPERS not in sys.path:
        sys.path.append(HELPERS)
    import registry  # pylint: disable=import-outside-toplevel
    registry.make_authority(folder)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
