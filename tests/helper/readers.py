#!/usr/bin/env python3
"""Several readers of large bodies at once, all slow in the beginning.

    readers.py PAUSE-IN-SECONDS URL[|RANGE|HEADER...]...

Proxy and certificates as the environment has them. Prints a line for each, in order: status,
bytes, SHA-256 (of the body as sent).
"""
import hashlib
import sys
import threading
import time
import urllib.error
import urllib.request


def read(spec, pause, results, index):
    url, *fields = spec.split("|")
    request = urllib.request.Request(url)
    if fields and fields[0]:
        request.add_header("Range", "bytes=" + fields[0])
    for field in fields[1:]:
        request.add_header(*field.split(": ", 1))
    digest, length = hashlib.sha256(), 0
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            part = answer.read(100000)
            time.sleep(pause)
            while part:
                digest.update(part)
                length += len(part)
                part = answer.read(1 << 20)
            results[index] = "%d %d %s" % (answer.status, length, digest.hexdigest())
    except (OSError, urllib.error.URLError) as why:
        results[index] = "failed after %d: %s" % (length, why)


def main():
    specs = sys.argv[2:]
    results = [""] * len(specs)
    threads = [threading.Thread(target=read, args=(spec, float(sys.argv[1]), results, i))
               for i, spec in enumerate(specs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("\n".join(results))


if __name__ == "__main__":
    main()
