#!/usr/bin/env python3
"""Fetch the same address again and again and say how long it took.

    load.py OUT COUNT PARALLEL LENGTH URL

Run bare, or as a script of `pmg npm run`: curl takes proxy and certificates from the environment.
OUT gets {"seconds", "bytes", "proxy_cpu", "proxy_peak_kb"}: the last two are those of the pmg-proxy that
belongs to the pmg above this process, null without one. Fails when a body had not LENGTH bytes.
LENGTH 0: in whatever coding the server likes, as managers ask for documents; of any length.
"""
import json
import os
import subprocess
import sys
import time


def stat_of(pid):
    """(name, parent, CPU seconds) by proc(5)."""
    with open("/proc/%d/stat" % pid, encoding="latin-1") as f:
        head, _, tail = f.read().rpartition(")")
    fields = tail.split()
    ticks = int(fields[11]) + int(fields[12])
    return head.partition("(")[2], int(fields[1]), ticks / os.sysconf("SC_CLK_TCK")


def find_proxy():
    """Our ancestors include pmg, and pmg-proxy is a child of it."""
    above, pid = set(), os.getpid()
    while pid > 1:
        above.add(pid)
        pid = stat_of(pid)[1]
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            name, parent, _ = stat_of(int(entry))
        except OSError:
            continue  # gone meanwhile
        if name == "pmg-proxy" and parent in above:
            return int(entry)
    return None


def peak_kb(pid):
    with open("/proc/%d/status" % pid, encoding="latin-1") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmHWM:"))


def fetch(count, parallel, url, more):
    """@return (seconds, lengths of the bodies)"""
    share = count // parallel
    argv = ["curl", "-sS", "--fail", "--http1.1", "-o", "/dev/null", "-w", "%{size_download}\n",
            "%s?[1-%d]" % (url, share)] + more
    began = time.monotonic()
    children = [subprocess.Popen(argv, stdout=subprocess.PIPE) for _ in range(parallel)]
    said = [child.communicate()[0] for child in children]
    seconds = time.monotonic() - began
    if any(child.returncode for child in children):
        sys.exit("load.py: curl failed")
    return seconds, [int(n) for text in said for n in text.split()]


def main():
    out, count, parallel, length, url = sys.argv[1:]
    proxy = find_proxy()
    before = stat_of(proxy)[2] if proxy else 0
    seconds, lengths = fetch(int(count), int(parallel), url, [] if int(length) else ["--compressed"])
    if any(n != (int(length) or n) for n in lengths) or len(lengths) != int(count):
        sys.exit("load.py: bodies are not as they should be")
    result = {"seconds": seconds, "bytes": sum(lengths), "proxy_cpu": None, "proxy_peak_kb": None}
    if proxy:
        result["proxy_cpu"] = stat_of(proxy)[2] - before
        result["proxy_peak_kb"] = peak_kb(proxy)
    with open(out, "w", encoding="utf-8") as f:
        json.dump(result, f)


main()
