#!/usr/bin/env python3
"""Runs a command on a terminal of its own and plays a dialogue.

    onpty.py [--seconds N] [--keys FIFO] [--wait TEXT | --send TEXT | --sleep S |
             --size ROWSxCOLUMNS | --run PROGRAM]... -- COMMAND...

--wait waits until the terminal has shown TEXT, --send types TEXT (\\n, \\x03 ... as in Python),
--size changes the window, --run runs a program beside it, in the order given; what is written to
FIFO is typed as it comes. Everything shown goes to stdout; the exit status is the command's, 128+n
for a signal, 99 when N seconds (30) passed first. As a shell does, the command gets the terminal as its
controlling one, with default signals.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time


def steps_of(args):
    steps, seconds, keys = [], 30.0, -1
    while args and args[0] != "--":
        if args[0] == "--seconds":
            seconds = float(args[1])
        elif args[0] == "--keys":
            keys = os.open(args[1], os.O_RDWR | os.O_NONBLOCK)
        else:
            steps.append((args[0], args[1]))
        args = args[2:]
    return steps, seconds, keys, args[1:]


def child(command):
    for sig in (signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE, signal.SIGHUP, signal.SIGTERM):
        signal.signal(sig, signal.SIG_DFL)
    os.execvp(command[0], command)


def main():
    steps, seconds, keys, command = steps_of(sys.argv[1:])
    pid, terminal = pty.fork()
    if pid == 0:
        child(command)
    end = time.monotonic() + seconds
    seen = b""  # since the last --wait was fulfilled
    resume = 0.0
    open_ = True
    while open_:
        now = time.monotonic()
        if now > end:
            os.kill(pid, signal.SIGKILL)
            sys.exit(99)
        while steps and now >= resume:
            kind, text = steps[0]
            if kind == "--wait":
                at = seen.find(text.encode())
                if at < 0:
                    break
                seen = seen[at + len(text.encode()):]
            elif kind == "--send":
                os.write(terminal, text.encode().decode("unicode_escape").encode("latin-1"))
            elif kind == "--size":
                rows, columns = map(int, text.split("x"))
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))
            elif kind == "--run":
                subprocess.run([text], stdin=subprocess.DEVNULL, check=True)
            elif kind == "--sleep":
                resume = now + float(text)
            steps.pop(0)
        ready = select.select([terminal] + [keys] * (keys >= 0), [], [], 0.05)[0]
        if keys in ready:
            os.write(terminal, os.read(keys, 4096))
        if terminal in ready:
            try:
                data = os.read(terminal, 65536)
            except OSError:  # EIO: the last one with the terminal open has gone
                data = b""
            open_ = bool(data)
            seen += data
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.exit(status if status >= 0 else 128 - status)


if __name__ == "__main__":
    main()
