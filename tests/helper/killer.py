#!/usr/bin/env python3
"""Kills one process of a guarded run after the other, at random moments, and looks at what stays.

    killer.py --seed N --rounds N --dir DIR --victims front,keeper,... [--user UID] -- PMG ARGUMENTS...

DIR holds `template` and `skeleton`, which are copied to `project` and `home` for each round, and
gets `tmp` and `runtime`. With --user it is run by that user. The command has a script that lets the file `project/**/mark` grow for as long as it
lives. Two seconds after the kill no process, no mount, no file of the run may be there, the
mark may not grow, and pmg must say what it lost. Victims: front, keeper, broker, reaper, proxy,
sweeper, and two joined by "+". Prints what failed, and how to see it again.
"""
import argparse
import glob
import os
import random
import shutil
import signal
import subprocess
import sys
import time

LIMIT = 10.0  # seconds: on a busy machine the kernel takes its time with a namespace
SAYS = {"keeper": "PMG2107", "broker": "PMG2107", "reaper": "PMG2107", "proxy": "PMG4019"}


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def processes():
    """{pid: (parent, name, exe, environment, start)} of all that live."""
    found = {}
    for pid in os.listdir("/proc"):
        if not pid.isdigit():
            continue
        stat = read(f"/proc/{pid}/stat")
        if b")" not in stat:
            continue
        name = stat[stat.find(b"(") + 1:stat.rfind(b")")].decode(errors="replace")
        fields = stat[stat.rfind(b")") + 2:].split()
        if fields[0] in (b"Z", b"X"):
            continue
        try:
            exe = os.readlink(f"/proc/{pid}/exe")
        except OSError:
            exe = ""
        found[int(pid)] = (int(fields[1]), name, exe, read(f"/proc/{pid}/environ"), fields[19])
    return found


def child(all_, parent, accept):
    for pid, (above, name, *_) in all_.items():
        if above == parent and accept(pid, name):
            return pid
    return 0


def is_reaper(pid, _):
    for line in read(f"/proc/{pid}/status").splitlines():
        if line.startswith(b"NSpid:"):
            return line.split()[-1] == b"1" and len(line.split()) > 2
    return False


def pid_of(role, front):
    all_ = processes()
    if role == "front":
        return front
    if role in ("proxy", "sweeper"):
        return child(all_, front, lambda _, name: name == "pmg-" + role)
    keeper = child(all_, front, lambda pid, name: name in ("pmg", "pmg-keeper")
                   and all_[pid][2] == all_[front][2]) if front in all_ else 0
    if role == "keeper" or not keeper:
        return keeper
    broker = child(all_, keeper, lambda *_: True)
    if role == "broker" or not broker:
        return broker
    return child(all_, broker, is_reaper)


class Round:
    def __init__(self, options, victim, delay):
        self.dir, self.command, self.user = options.dir, options.command, options.user
        self.victim, self.delay = victim, delay
        self.mark = f"PMG_TEST_MARK={os.getpid()}.{random.random()}"
        self.known = set()  # (pid, start) of what the run had when it was struck
        self.faults = []

    def path(self, name):
        return os.path.join(self.dir, name)

    def begin(self):
        for name in ("project", "home", "tmp", "runtime"):
            shutil.rmtree(self.path(name), ignore_errors=True)
        shutil.copytree(self.path("template"), self.path("project"))
        shutil.copytree(self.path("skeleton"), self.path("home"))
        os.mkdir(self.path("tmp"))
        os.mkdir(self.path("runtime"), 0o700)
        if self.user:
            for name in ("project", "home", "tmp", "runtime"):
                for at, dirs, files in os.walk(self.path(name)):
                    for entry in [at] + [os.path.join(at, each) for each in dirs + files]:
                        os.chown(entry, self.user, self.user, follow_symlinks=False)
        env = dict(os.environ, HOME=self.path("home"), TMPDIR=self.path("tmp"),
                   XDG_RUNTIME_DIR=self.path("runtime"))
        env.update([self.mark.split("=", 1)])
        self.mounted = self.mounts()
        self.home = set(os.listdir(self.path("home")))
        who = dict(user=self.user, group=self.user, extra_groups=[]) if self.user else {}
        with open(self.path("out"), "wb") as out, open(self.path("err"), "wb") as err:
            self.run = subprocess.Popen(self.command, cwd=self.path("project"), env=env,
                                        stdin=subprocess.DEVNULL, stdout=out, stderr=err, **who)

    def mounts(self):
        """Those at places where the walls have some; others may do theirs elsewhere."""
        lines = read("/proc/self/mountinfo").decode().splitlines()
        places = ("/", "/tmp", "/var/tmp", "/dev/shm", "/proc", "/proc/sys", "/sys")
        return [line for line in lines if line.split()[4] in places or self.dir in line]

    def learn(self):
        """pmg-proxy has no environment: what is the run's is what descends from it, too."""
        all_ = processes()
        below, more = {self.run.pid}, True
        while more:
            more = {pid for pid, one in all_.items() if one[0] in below} - below
            below |= more
        self.known |= {(pid, all_[pid][4]) for pid in below if pid in all_}

    def own(self):
        return {pid: one for pid, one in processes().items()
                if (pid, one[4]) in self.known or self.mark.encode() in one[3].split(b"\0")}

    def strike(self):
        """The moment has come; a victim that is not there yet dies when it is."""
        time.sleep(self.delay)
        until = time.monotonic() + 20
        pids = []
        while time.monotonic() < until and self.run.poll() is None:
            pids = [pid_of(role, self.run.pid) for role in self.victim.split("+")]
            if all(pids):
                break
            time.sleep(0.002)
        if not pids or not all(pids):
            return False
        self.learn()
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                return False
        return True

    def left(self):
        """What there still is of the run."""
        what = []
        if self.run.poll() is None:
            what.append("pmg itself")
        for pid, (_, name, exe, *_) in self.own().items():
            what.append(f"process {pid} {name} {exe}")
        what += [f"mount {line}" for line in self.mounts() if line not in self.mounted]
        for name in ("tmp", "runtime"):
            what += [os.path.join(at, entry) for at, dirs, files in os.walk(self.path(name))
                     for entry in dirs + files if not entry.startswith("node-compile-cache")]
        for entry in set(os.listdir(self.path("home"))) - self.home:
            entry = os.path.join(self.path("home"), entry)
            if os.path.isdir(entry) and not os.listdir(entry):
                what.append("empty " + entry)
        return what

    def grown(self):
        return sum(os.stat(path).st_size for path in
                   glob.glob(self.path("project/**/mark"), recursive=True))

    def look(self):
        until = time.monotonic() + LIMIT
        what = self.left()
        while what and time.monotonic() < until:
            time.sleep(0.02)
            what = self.left()
        if what:
            self.faults.append("left: " + ", ".join(what[:8]))
        before = self.grown()
        time.sleep(0.1)
        if self.grown() != before:
            self.faults.append("the script goes on")

    def judge(self):
        """What pmg says; the front itself may be the victim."""
        status = self.run.poll()
        said = read(self.path("err")).decode(errors="replace")
        if "front" in self.victim:
            if status != -signal.SIGKILL:
                self.faults.append(f"status {status} of a front that was killed")
        elif status is None or status <= 0:
            self.faults.append(f"status {status}")
        elif not any(SAYS[role] in said for role in self.victim.split("+") if role in SAYS):
            self.faults.append("it does not say what it lost")
        if self.faults:
            self.faults.append(f"status {status}, it said: {said}")

    def end(self):
        if self.run.poll() is None:
            self.learn()
        for pid in self.own():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.run.wait()


def typical(options):
    """How long it takes until the script runs."""
    one = Round(options, "front", 0)
    one.begin()
    began = time.monotonic()
    while not one.grown() and time.monotonic() < began + 60 and one.run.poll() is None:
        time.sleep(0.02)
    took = time.monotonic() - began
    started = one.grown() > 0
    one.run.send_signal(signal.SIGTERM)
    try:
        one.run.wait(10)
    except subprocess.TimeoutExpired:
        pass
    one.end()
    if not started:
        sys.exit(f"the script never ran: {read(one.path('err')).decode(errors='replace')}")
    return took


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--dir", required=True)
    parser.add_argument("--victims", required=True)
    parser.add_argument("--user", type=int, default=0)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    options.command[0] = os.path.realpath(options.command[0])
    chance = random.Random(options.seed)
    victims = options.victims.split(",")
    most = typical(options) * 1.3
    faults = struck = 0
    for number in range(options.rounds):
        one = Round(options, victims[number % len(victims)], chance.uniform(0, most))
        one.begin()
        if one.strike():
            struck += 1
            one.look()
            one.judge()
        else:
            one.faults.append("there was nobody to kill: " +
                              read(one.path("err")).decode(errors="replace"))
        one.end()
        for fault in one.faults:
            print(f"seed {options.seed} round {number} {one.victim} after {one.delay:.3f} s: "
                  f"{fault}")
        faults += bool(one.faults)
    print(f"{struck} killed, {faults} faults")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
