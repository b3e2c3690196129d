#!/usr/bin/env python3
"""Git over https on loopback, by git's own http-backend, for tests.

    git_server.py FOLDER CERTIFICATE KEY

Serves the bare repositories below FOLDER on 127.0.0.2; prints its port when it listens, ends when
stdin does. Each request is a line of FOLDER/log: method and path.
"""
import http.server
import os
import ssl
import subprocess
import sys
import threading
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while True:
            size = int(self.rfile.readline(), 16)
            data += self.rfile.read(size)
            self.rfile.readline()
            if not size:
                return data

    def run(self):
        url = urllib.parse.urlsplit(self.path)
        with open(os.path.join(sys.argv[1], "log"), "a", encoding="utf-8") as log:
            log.write("%s %s\n" % (self.command, url.path))
        env = {"PATH": os.environ["PATH"], "GIT_PROJECT_ROOT": sys.argv[1],
               "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": urllib.parse.unquote(url.path),
               "QUERY_STRING": url.query, "REQUEST_METHOD": self.command,
               "CONTENT_TYPE": self.headers.get("Content-Type", ""),
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
               "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        done = subprocess.run(["git", "-c", "safe.directory=*", "http-backend"], env=env,
                              input=self.body(), stdout=subprocess.PIPE, check=False)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if line]
        status = dict(fields).get("Status", "200 OK")
        self.send_response(int(status[:3]))
        for name, value in fields:
            if name != "Status":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = run

    def log_message(self, format, *args):  # noqa: A002, the base class names it so
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client that does not trust us is not our fault


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server = Server(("127.0.0.2", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True,
                                        do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
