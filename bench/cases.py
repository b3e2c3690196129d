"""The benchmarks. Each is a function of a Bench that gives back rows (measure.Pair, Single)."""
import base64
import json
import os
import shutil
import subprocess
import time

from measure import NotRun, Pair, Single, in_turn, run
from servers import Nginx, Registry

HERE = os.path.dirname(os.path.abspath(__file__))
CA_VARIABLES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "CURL_CA_BUNDLE",
                "REQUESTS_CA_BUNDLE", "PIP_CERT", "NPM_CONFIG_CAFILE", "npm_config_cafile")
BODY = 100_000_000
BODIES = 3  # one after the other, over one connection
SMALL, SMALLS, PARALLEL = 1000, 8000, 8
PACKAGES_MIN = 600
RECORD = {"id": "MAL-2030-1", "modified": "2030-01-01T00:00:00Z", "affected": [
    {"package": {"ecosystem": "npm", "name": "not-in-any-bench"}, "versions": ["1.0.0"]}]}


class Bench:
    """What all benchmarks need: programs, an environment, and folders of their own."""

    def __init__(self, build, work, rounds):
        self.build, self.work, self.rounds_wanted = build, work, rounds
        self.pmg = os.path.join(build, "pmg")
        self.made = 0
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("PMG_")}
        # pmg's own files: not the user's.
        self.env["XDG_CONFIG_HOME"] = xdg = self.config("")
        self.env["XDG_STATE_HOME"] = self.env["XDG_CACHE_HOME"] = xdg
        self.has_index = False
        self.notes = []  # of parts of a benchmark that could not be run

    def rounds(self, default):
        return self.rounds_wanted or default

    def folder(self):
        """A new one."""
        self.made += 1
        path = os.path.join(self.work, "f%d" % self.made)
        os.mkdir(path)
        return path

    def config(self, more):
        """A new XDG_CONFIG_HOME."""
        path = self.folder()
        os.chmod(path, 0o700)
        os.mkdir(os.path.join(path, "pmg"), 0o700)
        # Where CI is set a run without an index is refused.
        write(os.path.join(path, "pmg", "config.yml"),
              "schema_version: 1\nintel: {on_missing: warn}\n" + more)
        return path

    def npm(self):
        """The real npm, as pmg would find it: the first on PATH that is not pmg."""
        for place in os.environ.get("PATH", "").split(os.pathsep):
            path = os.path.join(place, "npm")
            if os.access(path, os.X_OK) and not is_same(path, self.pmg):
                return path
        raise NotRun("there is no npm")

    def sides(self):
        """How a command line of npm's begins: bare, guarded, and guarded without walls."""
        npm = self.npm()
        if not os.access(self.pmg, os.X_OK):
            raise NotRun("pmg is not built")
        if not self.has_index:
            self.make_index()
        return ([npm], [self.pmg, "npm"], [self.pmg, "--no-sandbox", "npm"])

    def make_index(self):
        """Something to look up in, as users have it: real records where there are any."""
        feed = shared_data("data/osv/npm-all.zip")
        if not feed:
            feed = os.path.join(self.work, "feed.json")
            write(feed, json.dumps(RECORD))
        run([self.pmg, "intel", "import", feed], self.work, self.env)
        self.has_index = True

    def env_for(self, ca):
        """For servers of our own: only their CA besides the system's."""
        env = {k: v for k, v in self.env.items() if k not in CA_VARIABLES}
        if ca:
            env.update(NODE_EXTRA_CA_CERTS=ca, SSL_CERT_FILE=ca)
        return env


def is_same(a, b):
    try:
        return os.path.samefile(a, b)
    except OSError:
        return False


def write(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def timing_rows(name, unit, aim, bare, guarded):
    """By the clock, and in CPU time, which a busy machine disturbs less."""
    return [Pair(name, unit, [t.wall for t in bare], [t.wall for t in guarded], aim),
            Pair(name + ", CPU", unit, [t.cpu for t in bare], [t.cpu for t in guarded])]


def wall_rows(name, unit, aim, bare, guarded, open_):
    """Guarded against bare, and what of that is the walls."""
    return (timing_rows(name, unit, aim, bare, guarded) +
            timing_rows(name + ", walls alone", unit, "", open_, guarded))


def version(bench):
    """npm --version, which pmg leaves to npm at once"""
    cwd = bench.folder()
    bare, guarded, _ = bench.sides()

    def side(argv):
        return lambda _: run(argv + ["--version"], cwd, bench.env)

    side(guarded)(0)
    return timing_rows("npm --version", "ms", "+10 ms or less",
                       *in_turn(bench.rounds(41), side(bare), side(guarded)))


def walls(bench):
    """a program that does nothing, within walls: what setting them up costs over fork and exec"""
    cwd = bench.folder()
    sides = [["true"], [bench.pmg, "sandbox", "exec", "--", "true"],
             [bench.pmg, "--no-sandbox", "sandbox", "exec", "--", "true"]]
    # Nothing that is withheld: that would be a refusal to be recorded.
    env = {k: v for k, v in bench.env.items()
           if k in ("HOME", "PATH", "USER", "LANG") or k.startswith("XDG_")}

    def side(argv):
        return lambda _: run(argv, cwd, env)

    return wall_rows("sandbox exec true", "ms", "+5 ms for the walls",
                     *in_turn(bench.rounds(41), *map(side, sides)))


CALLS = (  # lines of call_bench: name, name here, aim
    ("stat", "stat (not trapped)", ""),
    ("umask", "umask (observed, goes on)", "+7 us"),
    ("read", "open to read (performed)", "+10 us"),
    ("system", "open to read what may not be written", "+10 us"),
    ("create", "create and unlink in the project", "+20 us"),
    ("create_deps", "create and unlink in node_modules", "+20 us"),
    ("mkdir", "mkdir of what is there", "+10 us"),
)


def calls(bench):
    """calls of a program within walls: observed, and performed on its behalf"""
    program = os.path.join(bench.build, "bench", "call_bench")
    if not os.access(program, os.X_OK):
        raise NotRun("bench/call_bench is not built")
    cwd = bench.folder()
    write(os.path.join(cwd, "package.json"), '{"name": "x", "version": "1.0.0"}\n')
    os.makedirs(os.path.join(cwd, "node_modules", "d"))
    write(os.path.join(cwd, "f"), "x")
    shutil.copy(program, os.path.join(cwd, "node_modules", "call_bench"))
    words = ["node_modules/call_bench"]

    def side(argv):
        def once(_):
            run(argv, cwd, bench.env)
            with open(os.path.join(cwd, ".bench.log"), encoding="utf-8") as f:
                return dict((line.split()[0], float(line.split()[1]) / 1000) for line in f
                            if not line.startswith("pmg"))
        return once

    bare, guarded = in_turn(bench.rounds(15), side(words),
                            side([bench.pmg, "sandbox", "exec", "--"] + words))
    return [Pair(name, "us", [r[key] for r in bare], [r[key] for r in guarded], aim)
            for key, name, aim in CALLS]


def install_project(bench, registry, scheme):
    """A new project; as a user with a registry of their own has it, whatever this machine's npmrc
    says: its cafile would win over NODE_EXTRA_CA_CERTS."""
    cwd = bench.folder()
    write(os.path.join(cwd, "package.json"), '{"name": "x", "version": "1.0.0"}\n')
    write(os.path.join(cwd, ".npmrc"), "registry=%s\naudit=false\nfund=false\nfetch-retries=0\n"
          % registry.base(scheme))
    env = dict(bench.env_for(registry.ca if scheme == "https" else None),
               npm_config_cache=os.path.join(cwd, ".cache"))
    for name in ("userconfig", "globalconfig"):
        env["npm_config_" + name] = os.path.join(bench.work, "no-" + name)
    return cwd, env


def tiny(bench):
    """npm install of one small package, registry on loopback, empty cache"""
    sides = bench.sides()
    rows = []
    with Registry(os.path.join(bench.folder(), "registry")) as registry:
        for scheme in ("http", "https"):
            def side(argv, scheme=scheme):
                def once(_):
                    cwd, env = install_project(bench, registry, scheme)
                    took = run(argv + ["install", "tiny"], cwd, env)
                    if not os.path.exists(os.path.join(cwd, "node_modules/tiny/package.json")):
                        raise NotRun("npm installed nothing")
                    shutil.rmtree(cwd)
                    return took
                return once

            side(sides[1])(0)  # pmg asks npm for its defaults the first time, and keeps them
            rows += wall_rows("npm install tiny, %s" % scheme, "ms", "+60 ms or less",
                              *in_turn(bench.rounds(21), *map(side, sides)))
    return rows


def make_lock(bench, npm):
    """The lockfile is made here: addresses of a registry do not belong into a repository; and
    behind pmg, which refuses what is too young of one that was made without it."""
    cwd = bench.folder()
    shutil.copy(os.path.join(HERE, "project.json"), os.path.join(cwd, "package.json"))
    env = dict(bench.env, npm_config_omit_lockfile_registry_resolved="false",
               npm_config_fetch_retries="0", npm_config_cache=os.path.join(cwd, ".cache"))
    try:
        run(npm + ["install", "--package-lock-only", "--no-audit", "--no-fund"], cwd, env)
    except NotRun as e:
        raise NotRun("the registry of `npm config get registry` does not answer (offline?): %s"
                     % e) from e
    with open(os.path.join(cwd, "package-lock.json"), encoding="utf-8") as f:
        packages = sum(1 for path in json.load(f)["packages"] if path)
    if packages < PACKAGES_MIN:
        raise NotRun("the project has only %d packages by now" % packages)
    return cwd, packages


def project(bench):
    """npm ci of a project of 600 packages and more, real registry, empty cache"""
    sides = bench.sides()
    lock, packages = make_lock(bench, sides[2])

    def side(argv, config=bench.env["XDG_CONFIG_HOME"]):
        def once(_):
            cwd = bench.folder()
            for name in ("package.json", "package-lock.json"):
                shutil.copy(os.path.join(lock, name), cwd)
            env = dict(bench.env, npm_config_cache=os.path.join(cwd, ".cache"),
                       XDG_CONFIG_HOME=config)
            took = run(argv + ["ci", "--no-audit", "--no-fund"], cwd, env)
            shutil.rmtree(cwd)
            return took
        return once

    side(sides[1])(0)  # mirrors on the way, the disk, npm's defaults
    name = "npm ci of %d packages" % packages
    bare, guarded, open_, idle = in_turn(bench.rounds(3), *map(side, sides),
                                         side(sides[2], bench.config(NO_WAIT + NO_LOOK)))
    return (wall_rows(name, "s", "3 % for the walls", bare, guarded, open_) +
            timing_rows(name + ", age and contents alone", "s", "", idle, open_))


def load_sides(bench, nginx, path, count, parallel, length, base="", config=None):
    """load.py by itself, and as a script of `pmg npm run` in a project of that registry, without
    walls: they would let it neither fetch nor see the proxy."""
    _, _, open_ = bench.sides()
    cwd = bench.folder()
    out = os.path.join(cwd, "out.json")
    words = [os.path.join(HERE, "load.py"), out, str(count), str(parallel), str(length),
             nginx.base() + base + path]
    write(os.path.join(cwd, ".npmrc"), "registry=%s\n" % (nginx.base() + base))
    write(os.path.join(cwd, "package.json"), json.dumps({"scripts": {
        "load": " ".join("'%s'" % w for w in words)}}))
    env = bench.env_for(nginx.ca)
    if config:
        env["XDG_CONFIG_HOME"] = bench.config(config)

    def side(argv):
        def once(_):
            run(argv, cwd, env)
            with open(out, encoding="utf-8") as f:
                result = json.load(f)
            os.unlink(out)
            return result
        return once

    guarded_side = side(open_ + ["run", "load"])
    if guarded_side(0)["proxy_cpu"] is None:
        raise NotRun("no pmg-proxy was seen above the script")
    return side(words), guarded_side


def rates(results, amount):
    return [amount / r["seconds"] for r in results]


def body(bench):
    """bodies of 100 MB from nginx with https, and requests of 1 kB"""
    if not shutil.which("curl"):
        raise NotRun("there is no curl")
    with Nginx(os.path.join(bench.folder(), "nginx")) as nginx:
        for name, length in (("big", BODY), ("small", SMALL)):
            nginx.add("%s/-/%s-1.0.0.tgz" % (name, name), length)
            nginx.add_json(name, json.dumps({"versions": {"1.0.0": {"version": "1.0.0"}},
                                             "time": {"1.0.0": "2015-01-01T00:00:00Z"}}))
        a, b = in_turn(bench.rounds(7), *load_sides(bench, nginx, "big/-/big-1.0.0.tgz", BODIES, 1,
                                                    BODY))
        rows = [Pair("100 MB bodies", "MB/s", rates(a, BODIES * BODY / 1e6),
                     rates(b, BODIES * BODY / 1e6), aim="0.5 or more"),
                Single("pmg-proxy: CPU for 100 MB", "ms",
                       [r["proxy_cpu"] * 1000 / BODIES for r in b]),
                Single("pmg-proxy: peak memory with 100 MB bodies", "MB",
                       [r["proxy_peak_kb"] / 1000 for r in b], aim="under 64 MB")]
        a, b = in_turn(bench.rounds(7), *load_sides(bench, nginx, "small/-/small-1.0.0.tgz", SMALLS,
                                                    PARALLEL, SMALL))
    return rows + [Pair("requests of 1 kB, %d at a time" % PARALLEL, "/s", rates(a, SMALLS),
                        rates(b, SMALLS)),
                   Single("pmg-proxy: CPU for a request of 1 kB", "us",
                          [r["proxy_cpu"] * 1e6 / SMALLS for r in b])]


NO_WAIT, NO_LOOK = "dependency_cooldown: {enabled: false}\n", "inspection: {enabled: false}\n"
VERSIONS, YOUNG, DOCUMENTS = 5000, 100, 4


def packument(young):
    """The largest of npm's, some 20 MB, with its last versions published just now."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    names = ["%d.%d.0" % divmod(i, 100) for i in range(VERSIONS)]
    rest = json.dumps({
        "license": "MIT", "main": "./dist/index.js", "description": "Made for a benchmark",
        "dependencies": {"@scope/dependency-%d" % i: "^%d.1.3" % i for i in range(60)},
        "scripts": {"build:%d" % i: 'tsc -p "tsconfig.%d.json" && node x' % i for i in range(12)},
        "maintainers": [{"name": "person%d" % i, "email": "person%d@mail.test" % i}
                        for i in range(16)]})[1:]
    versions = ",".join('"%s": {"name": "large", "version": "%s", "dist": {"tarball": '
                        '"https://127.0.0.1/large/-/large-%s.tgz", "integrity": "sha512-%s"}, %s'
                        % (v, v, v, base64.b64encode(os.urandom(64)).decode(), rest)
                        for v in names)
    times = ",".join('"%s": "%s"' % (v, now if i >= VERSIONS - young else "2015-01-01T00:00:00Z")
                     for i, v in enumerate(names))
    return ('{"_id": "large", "name": "large", "dist-tags": {"latest": "%s"}, "versions": {%s}, '
            '"time": {%s}}' % (names[-1], versions, times))


def filtered(bench):
    """npm's largest packument, 20 MB, with some versions withheld, and passed through"""
    if not shutil.which("curl"):
        raise NotRun("there is no curl")
    rows = []
    with Nginx(os.path.join(bench.folder(), "nginx")) as nginx:
        nginx.add_json("young", packument(YOUNG))
        nginx.add_json("old", packument(0))
        for name, base in (("", ""), (", gzip", "gzip/")):
            sides = [load_sides(bench, nginx, doc, DOCUMENTS, 1, 0, base, config)[1]
                     for doc, config in (("old", NO_WAIT), ("old", None), ("young", None))]
            streamed, passed, cut = in_turn(bench.rounds(7), *sides)
            if base == "" and not cut[0]["bytes"] < passed[0]["bytes"] == streamed[0]["bytes"]:
                raise NotRun("nothing was withheld")
            rows += [Pair("packument of 20 MB%s: %s" % (name, what), "ms",
                          [r["seconds"] / DOCUMENTS for r in a],
                          [r["seconds"] / DOCUMENTS for r in b], aim)
                     for what, a, b, aim in (
                         ("100 of 5,000 versions left out / passed on", passed, cut, "1.5 or less"),
                         ("the same / without a wait, as it comes", streamed, cut, ""))]
            rows += [Single("pmg-proxy: peak memory with it%s" % name, "MB",
                            [r["proxy_peak_kb"] / 1000 for r in cut], aim="under 64 MB"),
                     Single("pmg-proxy: CPU for it%s" % name, "ms",
                            [r["proxy_cpu"] * 1000 / DOCUMENTS for r in cut])]
    return rows


def shared_data(name):
    """As tests/helper/shared.h: $PMG_TEST_SHARED, else "shared" beside a folder above this."""
    top = os.environ.get("PMG_TEST_SHARED")
    here = HERE
    while not top and here != "/":
        here = os.path.dirname(here)
        if os.path.exists(os.path.join(here, "shared/data/README.md")):
            top = os.path.join(here, "shared")
    path = os.path.join(top, name) if top else ""
    return path if os.path.exists(path) else None


def import_feed(bench, feed, rounds):
    def once():
        cwd = bench.folder()
        env = dict(bench.env, XDG_STATE_HOME=cwd)
        os.chmod(cwd, 0o700)
        took = run([bench.pmg, "intel", "import", feed], cwd, env)
        shutil.rmtree(cwd)
        return took.wall

    return [once() for _ in range(rounds)]


INTEL_ROWS = {  # lines of intel_bench: name here, aim
    "build": ("index of 300,000 records, half with digests: build", "under 10 s"),
    "build_cpu": ("the same, processor time", ""),
    "build_peak": ("the same, peak of memory", "no more than with a tenth of them"),
    "build_peak_tenth": ("index of 30,000 records: peak of memory", ""),
    "size": ("index of 300,000 records: size", ""),
    "open_p50": ("index: open, median", "under 1 ms"),
    "open_p99": ("index: open, 99th of 100", ""),
    "ask_p50": ("index: lookup, median", ""),
    "ask_p99": ("index: lookup, 99th of 100", "under 10 us"),
    "digest_p50": ("index: lookup by digest, median", ""),
    "digest_p99": ("index: lookup by digest, 99th of 100", "under 10 us"),
}


def intel(bench):
    """the index of malware: import, open, lookup"""
    rows = []
    feed = shared_data("data/osv/npm-all.zip")
    if not feed:
        bench.notes.append("intel: there is no shared data to import (PMG_TEST_SHARED)")
    elif os.access(bench.pmg, os.X_OK):
        rows.append(Single("pmg intel import of 22,296 records", "s",
                           import_feed(bench, feed, bench.rounds(3)), aim="under 5 s"))
    program = os.path.join(bench.build, "bench", "intel_bench")
    if not os.access(program, os.X_OK):
        raise NotRun("bench/intel_bench is not built")
    said = subprocess.run([program, "300000", bench.folder()], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if said.returncode:
        raise NotRun("intel_bench: " + said.stdout.strip())
    for line in said.stdout.splitlines():
        name, value, unit = line.split()
        if name in INTEL_ROWS:
            rows.append(Single(INTEL_ROWS[name][0], unit, [float(value)], INTEL_ROWS[name][1]))
    return rows


def policy(bench):
    """profile, presets, overlay and flags: from their files to a policy"""
    program = os.path.join(bench.build, "bench", "policy_bench")
    if not os.access(program, os.X_OK):
        raise NotRun("bench/policy_bench is not built")

    def once():
        said = subprocess.run([program, bench.folder()], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if said.returncode:
            raise NotRun("policy_bench: " + said.stdout.strip())
        return [float(word) for word in said.stdout.split()]

    took = [once() for _ in range(bench.rounds(5))]
    return [Single("policy: load and resolve, median of 201", "ms", [t[0] for t in took],
                   "under 2 ms"),
            Single("the same, of CPU", "ms", [t[1] for t in took], "")]


SPLICE_ROWS = {  # lines of splice_bench: name here, aim
    "copy": ("packument of 18 MB: a plain copy, CPU", ""),
    "scan": ("packument of 18 MB: read, CPU", "under 20 ms"),
    "filter": ("packument of 18 MB: read and 100 of 5,000 versions left out, CPU", "under 25 ms"),
    "parse_and_print": ("packument of 18 MB: parsed and printed by jansson, CPU", ""),
}


def splice(bench):
    """versions left out of npm's largest packument"""
    program = os.path.join(bench.build, "bench", "splice_bench")
    if not os.access(program, os.X_OK):
        raise NotRun("bench/splice_bench is not built")
    rows = {}
    for _ in range(bench.rounds(3)):
        said = subprocess.run([program], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if said.returncode:
            raise NotRun("splice_bench: " + said.stdout.strip())
        for line in said.stdout.splitlines():
            name, value, _ = line.split()
            rows.setdefault(name, []).append(float(value))
    return [Single(SPLICE_ROWS[name][0], "ms", rows[name], SPLICE_ROWS[name][1])
            for name in SPLICE_ROWS]


CASES = {"version": version, "walls": walls, "calls": calls, "tiny": tiny, "project": project,
         "body": body, "filtered": filtered,
         "intel": intel, "policy": policy, "splice": splice}
