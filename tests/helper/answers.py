#!/usr/bin/env python3
"""A server on loopback that answers as its last path segment says: oddly but legally, or broken.

    answers.py       prints its port when it listens on 127.0.0.1; ends when stdin does

The bytes of ANSWERS are sent as they stand; after those of ENDS the connection is closed, whatever
the answer said of it. "toolarge" answers before it has read the body.
"""
import os
import re
import socket
import sys
import threading
import time

OK = b"HTTP/1.1 200 OK\r\n"
BODY = b"x" * 50
LENGTH = b"Content-Length: 50\r\n\r\n" + BODY

ANSWERS = {
    # legal
    "plain": OK + LENGTH,
    "cookies": OK + b"Set-Cookie: a=1; Path=/\r\nset-cookie: b=2\r\n"
               b"WWW-Authenticate: Basic realm=\"x, y\"\r\nWWW-Authenticate: Bearer\r\n" + LENGTH,
    "early": b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK + LENGTH,
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + LENGTH,
    "trailer": OK + b"Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n32;ext=\"a;b\"\r\n" + BODY +
               b"\r\n0\r\nX-Sum: abc\r\n\r\n",
    "noreason": b"HTTP/1.1 200\r\n" + LENGTH,
    "reason": b"HTTP/1.1 299 Something Of Our Own\r\n" + LENGTH,
    "fields": OK + b"X-Empty:\r\nX-Latin: caf\xe9\r\nX-Blanks:   a  b  \r\n" + LENGTH,
    "linefeeds": (OK + LENGTH).replace(b"\r\n", b"\n"),
    "empty": OK + b"Content-Length: 0\r\n\r\n",
    "nocontent": b"HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n",
    "many": OK + b"".join(b"X-%d: %s\r\n" % (i, b"v" * 200) for i in range(200)) + LENGTH,
    "encoded": OK + b"Content-Encoding: br\r\n" + LENGTH,
    "redirect": b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /plain?x=%2f#y\r\n"
                b"Content-Length: 0\r\n\r\n",
    "close": OK + b"Connection: close\r\n\r\n" + BODY,
    "idle": OK + LENGTH,
    # broken
    "silent": b"",
    "words": b"220 mail.test ESMTP\r\n",
    "status": b"HTTP/1.1 2xx Fine\r\n\r\n",
    "two": OK + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
    "endless": OK + b"X: " + b"x" * 400000 + b"\r\n\r\n",
    "chunk": OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
    "head": OK + b"Content-Le",
}
ENDS = ("close", "idle", "silent", "words", "status", "two", "endless", "chunk", "head")
HEAD_END = b"\r\n\r\n"


def read_head(sock, data):
    while HEAD_END not in data:
        more = sock.recv(65536)
        if not more:
            return None, b""
        data += more
    return data.split(HEAD_END, 1)


def read_body(sock, head, data):
    """What is left behind the body."""
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    chunked = re.search(rb"(?i)transfer-encoding: *chunked", head)
    want = int(length.group(1)) if length else 0
    while len(data) < want or (chunked and b"0\r\n\r\n" not in data):
        more = sock.recv(65536)
        if not more:
            return b""
        data += more
    return data.split(b"0\r\n\r\n", 1)[1] if chunked else data[want:]


def serve(sock):
    data = b""
    with sock:
        while True:
            head, data = read_head(sock, data)
            if head is None:
                return
            method, path = head.split(b" ")[:2]
            name = path.decode().split("?")[0].rsplit("/", 1)[1]
            if name == "toolarge":
                sock.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
                time.sleep(0.2)  # closing at once would reset what was sent
                return
            data = read_body(sock, head, data)
            answer = ANSWERS[name]
            if method == b"HEAD":
                answer = answer.split(HEAD_END)[0] + HEAD_END
            sock.sendall(answer)
            if name in ENDS:
                time.sleep(0.05)
                return


def guarded(sock):
    try:
        serve(sock)
    except (OSError, KeyError):
        pass


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def accept():
        while True:
            threading.Thread(target=guarded, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
