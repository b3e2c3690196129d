"""Measuring: commands in turn, medians, and the two tables that are printed."""
import os
import shlex
import statistics
import subprocess
import sys
import time


class NotRun(Exception):
    """A benchmark that cannot be run here; its text says why."""


class Timing:
    """Seconds of the clock, and seconds of CPU of the command and all that it waited for."""

    def __init__(self, wall, cpu):
        self.wall, self.cpu = wall, cpu


def run(argv, cwd, env, ok=(0,)):
    """Run a command to its end, without a terminal, and time it. NotRun when it fails."""
    log = os.path.join(cwd, ".bench.log")
    with open(log, "wb") as out:
        began = time.monotonic()
        child = subprocess.Popen(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in ok:
        with open(log, encoding="utf-8", errors="replace") as text:
            said = " | ".join(line.strip() for line in text.readlines()[-4:])
        raise NotRun("%s ended with %d: %s" % (shlex.join(argv), child.returncode, said))
    return Timing(wall, used.ru_utime + used.ru_stime)


def in_turn(rounds, *sides):
    """All sides once a round, the order changing from round to round, so that a machine that gets
    slower or warmer does so for all. Each side is a function of the round's number.
    @return the results of each side"""
    results = tuple([] for _ in sides)
    for i in range(rounds):
        for side in sorted(range(len(sides)), reverse=i % 2 == 1):
            results[side].append(sides[side](i))
    return results


def spread(values):
    """Half of what lies between the quartiles."""
    if len(values) < 3:
        return (max(values) - min(values)) / 2
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


class Pair:
    """One figure of both sides. Unit "ms" takes seconds."""

    def __init__(self, name, unit, bare, guarded, aim=""):
        scale = 1000 if unit == "ms" else 1
        self.name, self.unit, self.aim = name, unit, aim
        self.bare = [v * scale for v in bare]
        self.guarded = [v * scale for v in guarded]

    def cells(self):
        bare, guarded = statistics.median(self.bare), statistics.median(self.guarded)
        apart = statistics.median(g - b for b, g in zip(self.bare, self.guarded))
        best = max if self.unit.endswith("/s") else min
        return [self.name, number(bare), number(guarded), number(apart, sign=True),
                number(best(self.guarded) - best(self.bare), sign=True), self.unit, "%.2f" % (guarded / bare) if bare else "-",
                number(spread(self.bare)), str(len(self.bare)), self.aim]


class Single:
    """One figure that has no other side."""

    def __init__(self, name, unit, values, aim=""):
        self.name, self.unit, self.values, self.aim = name, unit, values, aim

    def cells(self):
        return [self.name, number(statistics.median(self.values)), self.unit,
                str(len(self.values)), self.aim]


def number(value, sign=False):
    digits = 0 if abs(value) >= 1000 else 1 if abs(value) >= 10 else 2
    return "%+.*f" % (digits, value) if sign else "%.*f" % (digits, value)


PAIR_HEAD = ["", "bare", "guarded", "difference", "of the best", "", "ratio", "spread", "rounds", "aim"]
SINGLE_HEAD = ["", "median", "", "rounds", "aim"]


def print_table(head, rows, out=sys.stdout):
    """First column to the left, figures to the right, texts (under no head, and the last) left."""
    if not rows:
        return
    table = [head] + rows
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    for row in table:
        cells = [cell.ljust(w) if i in (0, len(head) - 1) or head[i] == "" else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(row, widths))]
        print("  ".join(cells).rstrip(), file=out)
    print(file=out)
