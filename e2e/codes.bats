#!/usr/bin/env bats
# Each code of the walls as somebody meets it: what is said, what is listed, what its page promises.
load helper

setup() {
	home
	need git jq
	git init -q .
	without=${PMG_E2E_HELPERS:-$top/build/tests/helper}/without
	mkdir -p "$HOME/.config/pmg/profiles" "$HOME/.aws"
	echo S3CRET-of-mine | tee "$HOME/.netrc" >"$HOME/.aws/credentials"
	echo 'echo hello' >"$HOME/.bashrc"
	cp /bin/true "$HOME/evil"
	unset PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE SSH_AUTH_SOCK
}

# within TEXT: a shell within the walls. Bare it works, or the refusal proves nothing.
within() { guarded sandbox exec -- sh -c "$1"; }
control() {
	out sh -c "$1"
	must_work
}
# of the distribution: the first on PATH may be a shim
python() { guarded sandbox exec -- /usr/bin/python3 -c "$1"; }

profile() { # LINES of a profile named "mine"
	printf '%s\n' "schema_version: 1" "name: mine" "inherits: exec" "$@" >"$HOME/.config/pmg/profiles/mine.yml"
	chmod 600 "$HOME/.config/pmg/profiles/mine.yml"
}

# Paths, who it was and numbers differ from run to run.
shape() {
	sed -E -e 's/^pmg: //' -e 's/: by [^;]*/: by WHO/' -e 's/rule [^ ]+ \(/rule RULE (/' \
		-e 's#\$\{NOPE\}/x#ENTRY#' -e 's#(/[^] ;:,"]+)+#PATH#g' -e 's/\([0-9]+\)/(N)/' -e 's/:[0-9]+/:N/g'
}

# as_on_page CODE: a line of what was said is the example of its page
as_on_page() {
	local example
	example=$(sed -n 's/^Example: `\(.*\)`$/\1/p' "$top/docs/codes/$1.md" | shape)
	grep -F "[$1]" <<<"$stderr" | shape | grep -qxF "$example" ||
		fail "the page has \"$example\"; $(grep -F "[$1]" <<<"$stderr" | shape; shown)"
}

listed() { # CODE OP TARGET
	"$pmg" violations list --last --json | jq -e --arg code "$1" --arg op "$2" --arg target "$3" \
		'any(.[]; .code == $code and .op == $op and .target == $target)' >/dev/null ||
		fail "not listed: $* in $("$pmg" violations list --last)"
}

@test "PMG2001: a credential read in passing ends the run with 1" {
	control "cat ~/.aws/credentials"
	within "cat ~/.aws/credentials 2>/dev/null || true"
	[ "$status" -eq 1 ]
	must_not_say S3CRET
	must_say "1 denied"
	must_say "$HOME/.aws/credentials"
	must_say "do not allow it"
	must_say "pmg sandbox explain PMG2001"
	as_on_page PMG2001
	listed PMG2001 read "$HOME/.aws/credentials"
}

@test "PMG2001: what is not sensitive keeps the tool's status, and is in the ledger" {
	echo x >"$HOME/plain"
	control "cat ~/plain"
	within "cat ~/plain 2>/dev/null || true"
	must_work
	must_say "1 denied"
	listed PMG2001 read "$HOME/plain"
}

@test "PMG2002: a start file is not written" {
	local before
	before=$(sha256sum "$HOME/.bashrc")
	within "echo evil >>~/.bashrc"
	must_fail
	as_on_page PMG2002
	listed PMG2002 write "$HOME/.bashrc"
	[ "$before" = "$(sha256sum "$HOME/.bashrc")" ]
	control "echo evil >>~/.bashrc"
}

@test "PMG2003: names of what is left out are said, values are nowhere" {
	out env GITHUB_TOKEN=v4lue-of-mine "$pmg" sandbox exec -- env
	must_work
	must_not_say v4lue-of-mine
	must_say GITHUB_TOKEN
	as_on_page PMG2003
	listed PMG2003 env GITHUB_TOKEN
	never grep -rqa v4lue-of-mine "$HOME/.local" "$HOME/.config" "$HOME/.cache"
	out env GITHUB_TOKEN=v4lue-of-mine "$pmg" --sandbox-allow env=GITHUB_TOKEN sandbox exec -- env
	grep -q "^GITHUB_TOKEN=v4lue-of-mine" <<<"$stdout"
	must_not_say PMG2003
}

@test "PMG2004: an entry without a value is left out where that is safe, else refused" {
	local key
	profile "filesystem:" '  allow_read: ["${NOPE}/x"]'
	guarded --sandbox-profile mine sandbox exec -- true
	must_work
	as_on_page PMG2004
	out "$pmg" sandbox profile show mine --resolved
	must_work
	never grep -qE ' (.*NOPE.*|/x)  ' <<<"$stdout"
	for key in allow_write deny_read deny_write; do
		profile "filesystem:" "  $key: [\"\${NOPE}/x\"]"
		guarded --sandbox-profile mine sandbox exec -- touch mark
		[ "$status" -eq 121 ]
		must_say PMG2004
		must_say "mine.yml:5"
		[ ! -e mark ]
	done
}

@test "PMG2005: a layer that is missing is said with -v" {
	cd /var/tmp
	guarded -v sandbox exec -- true
	must_work
	as_on_page PMG2005
}

@test "PMG2006: a shim that lacks its manager's variables is named, only after a failure" {
	local shims=$HOME/.local/share/mise/shims
	mkdir -p "$shims"
	printf '#!/bin/sh\n[ -n "$MISE_DATA_DIR" ] || { echo no version is set >&2; exit 1; }\n' >"$shims/tool"
	chmod +x "$shims/tool"
	PATH=$shims:$PATH
	export MISE_DATA_DIR=/of/mine
	guarded sandbox exec -- tool
	[ "$status" -eq 1 ]
	as_on_page PMG2006
	must_say MISE_DATA_DIR
	must_not_say /of/mine
	guarded --sandbox-allow env=MISE_DATA_DIR sandbox exec -- tool
	must_work
	must_not_say PMG2006
	printf '#!/bin/sh\n' >"$shims/tool"
	guarded sandbox exec -- tool
	must_work
	must_not_say PMG2006
}

@test "PMG2007: a dropped program is not started, and the line that is offered starts it" {
	control ~/evil
	within "sh -c ~/evil"
	[ "$status" -eq 126 ]
	as_on_page PMG2007
	must_say "\"pmg sandbox allow exec=$HOME/evil\" allows it"
	listed PMG2007 exec "$HOME/evil"
	out "$pmg" sandbox allow --last
	must_work
	within "sh -c ~/evil"
	must_work
	must_not_say PMG2007
	out "$pmg" sandbox allow --remove "exec=$HOME/evil"
	must_work
	within "sh -c ~/evil"
	must_fail
}

@test "PMG2008: control channels are left out, pmg's own also without walls" {
	local name
	for name in $(compgen -e PMG_); do unset "$name"; done
	export SSH_AUTH_SOCK=/x PMG_CONTROL=/y VSCODE_IPC_HOOK_CLI=/z
	guarded -v sandbox exec -- env
	must_work
	for name in SSH_AUTH_SOCK PMG_CONTROL VSCODE_IPC_HOOK_CLI; do
		never grep -q "^$name=" <<<"$stdout"
		listed PMG2008 env $name
	done
	guarded sandbox exec -- env
	must_not_say PMG2008
	unset VSCODE_IPC_HOOK_CLI
	guarded -v sandbox exec -- true
	as_on_page PMG2008
	guarded -v --no-sandbox sandbox exec -- env
	must_work
	grep -q "^SSH_AUTH_SOCK=/x" <<<"$stdout"
	never grep -q "^PMG_CONTROL" <<<"$stdout"
	must_say "[PMG2008] variables left out: PMG_CONTROL"
	# What a run has of its own leads to nothing but the run.
	[ "$(grep -o '^PMG_[A-Z]*' <<<"$stdout" | sort | tr '\n' ' ')" = "PMG_RUN PMG_VIA " ]
}

@test "PMG2009: a connection is refused with its host, port and protocol" {
	within "bash -c 'exec 3<>/dev/tcp/10.99.0.1/8080'"
	must_fail
	as_on_page PMG2009
	must_say "tcp 10.99.0.1:8080"
	listed PMG2009 connect "tcp 10.99.0.1:8080"
}

@test "PMG2012: git is not moved away, a start file not deleted" {
	within "mv .git gone"
	must_fail
	as_on_page PMG2012
	listed PMG2012 rename "$project/.git"
	within "rm -f ~/.bashrc"
	must_fail
	listed PMG2012 delete "$HOME/.bashrc"
	[ -e .git ]
	[ -e "$HOME/.bashrc" ]
	control "mv .git gone && rm ~/.bashrc"
}

@test "PMG2013: a socket of the file system is not reached" {
	need python3
	cd "$HOME"
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind("sock"); s.listen()
sys.stdin.read()' < <(sleep 30) 3>&- &
	local listener=$!
	wait_for 60 test -S sock
	cd "$project"
	python 'import os, socket
os.chdir(os.environ["HOME"]); socket.socket(socket.AF_UNIX).connect("sock")'
	kill "$listener"
	must_fail
	as_on_page PMG2013
	listed PMG2013 unix "unix $HOME/sock"
}

@test "PMG2014: listening is refused; what is allowed to listen may not connect" {
	need python3
	python 'import socket; socket.socket().bind(("0.0.0.0", 4444))'
	must_fail
	as_on_page PMG2014
	listed PMG2014 bind "tcp 0.0.0.0:4444"
	guarded --sandbox-allow net-bind=127.0.0.1:0 sandbox exec -- /usr/bin/python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print("listening")
try: socket.create_connection(("10.99.0.1", 4444), 5)
except PermissionError: print("alone")'
	[ "$stdout" = $'listening\nalone' ] || fail "$(shown)"
	listed PMG2009 connect "tcp 10.99.0.1:4444"
}

@test "PMG2015: another process is not read, nor traced" {
	within "head -c 1 /proc/1/mem"
	must_fail
	as_on_page PMG2015
	python 'import ctypes, os
os._exit(ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0) != 0)'
	must_fail
	listed PMG2015 signal ptrace
}

@test "PMG2016: what the kernel offers beyond files and sockets is closed" {
	within "unshare -U true"
	must_fail
	must_say "[PMG2016] call of unshare CLONE_NEWUSER refused"
	python 'import ctypes, os
os._exit(ctypes.CDLL(None).syscall(425, 8, 0) < 0)'
	must_fail
	as_on_page PMG2016
	listed PMG2016 kernel io_uring_setup
}

@test "PMG2017: the mode of a credential is not changed" {
	chmod 600 "$HOME/.netrc"
	within "chmod 666 ~/.netrc"
	must_fail
	as_on_page PMG2017
	listed PMG2017 metadata "$HOME/.netrc"
	[ "$(stat -c %a "$HOME/.netrc")" = 600 ]
	control "chmod 666 ~/.netrc"
}

@test "PMG2018: a flood is counted, not kept, and writes no escape to the terminal" {
	need python3
	cat >flood.py <<'END'
import os
for i in range(20000):
    try: os.open("%s/\x1b]0;%d\a" % (os.environ["HOME"], i), os.O_CREAT | os.O_WRONLY)
    except OSError: pass
try: open(os.environ["HOME"] + "/.netrc")
except OSError: pass
END
	guarded sandbox exec -- /usr/bin/python3 flood.py
	[ "$status" -eq 1 ]
	as_on_page PMG2018
	[ "$(grep -c PMG2018 <<<"$stderr")" -eq 2 ] # the line, and where to read more
	never grep -q $'\x1b' "$BATS_TEST_TMPDIR/out/stderr"
	[ "$("$pmg" violations list --last --limit 1000 --json | jq length)" -le 512 ]
	listed PMG2001 read "$HOME/.netrc" # what matters is not lost in it
	never grep -q $'\x1b' <("$pmg" violations list --last)
}

@test "PMG2106: what is misspelt in a profile is named by line, and nothing runs" {
	profile "filesytem:" '  allow_read: [x]'
	guarded --sandbox-profile mine sandbox exec -- touch mark
	[ "$status" -eq 121 ]
	as_on_page PMG2106
	must_say 'did you mean "filesystem"?'
	[ ! -e mark ]
}

@test "PMG2106: ports are numbers from 1 to 65535, in options and profiles" {
	local bad
	for bad in h:65616 h:0 h:-1 h:80x h: h:+80 "h: 80" :80 65536; do
		guarded --sandbox-allow "net-connect=$bad" sandbox exec -- touch mark
		[ "$status" -eq 121 ] || fail "$bad: $(shown)"
		must_say PMG2106
		profile "network:" "  allow_outbound: [\"$bad\"]"
		guarded --sandbox-profile mine sandbox exec -- touch mark
		[ "$status" -eq 121 ] || fail "profile, $bad: $(shown)"
	done
	for bad in 127.0.0.1:99999 127.0.0.1:-1 8080; do
		guarded --sandbox-allow "net-bind=$bad" sandbox exec -- touch mark
		[ "$status" -eq 121 ] || fail "bind, $bad: $(shown)"
	done
	[ ! -e mark ]
	guarded --sandbox-allow net-connect=h:80 --sandbox-allow net-bind=127.0.0.1:0 sandbox exec -- touch mark
	must_work
	[ -e mark ]
}

@test "PMG2107: without what the walls are made of nothing is started" {
	local call
	for call in landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp unshare mount \
		pidfd_getfd openat2 landlock_create_ruleset,seccomp,unshare; do
		out "$without" "$call" -- "$pmg" sandbox exec -- touch mark
		[ "$status" -eq 120 ] || fail "$call: $(shown)"
		must_say "[PMG2107]"
		[ "$(wc -l <<<"$stderr")" -eq 2 ] || fail "$call: no hint: $(shown)"
		[ ! -e mark ] || fail "$call: started"
	done
	# Nor without walls: pmg-proxy confines itself by the same calls.
	for call in landlock_create_ruleset landlock_add_rule landlock_restrict_self seccomp; do
		out "$without" "$call" -- "$pmg" --no-sandbox sandbox exec -- touch mark
		[ "$status" -eq 120 ] || fail "no walls, $call: $(shown)"
		[ "$(wc -l <<<"$stderr")" -eq 3 ] || fail "no walls, $call: no hint: $(shown)"
		[ ! -e mark ] || fail "no walls, $call: started"
	done
	out "$without" unshare -- "$pmg" sandbox exec -- touch mark
	as_on_page PMG2107
	must_say "let it run with unshare(2) allowed"
	guarded sandbox exec -- touch mark
	must_work
	[ -e mark ]
}

@test "PMG2107: user namespaces that are switched off are the reason, and how to get them" {
	local script='echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set=-all --inh-caps=-all --securebits=+noroot "$@"'
	need setpriv
	unshare -Ur true 2>/dev/null || skip "no namespaces for this user"
	out unshare -Ur sh -c "$script" - "$pmg" sandbox exec -- touch mark
	[ "$status" -eq 120 ]
	must_say "[PMG2107]"
	must_say user.max_user_namespaces
	[ ! -e mark ]
}

@test "machines get refusals that hold to the schema" {
	need python3
	within "cat ~/.netrc ~/.nothing; echo >>~/.bashrc; rm ~/.bashrc; chmod 777 ~/.netrc; \$HOME/evil; unshare -U true
		bash -c 'exec 3<>/dev/tcp/10.99.0.1/8080'"
	"$pmg" violations list --json >list.json
	[ "$(jq length list.json)" -ge 6 ]
	python3 - "$top/docs/schema/violation.json" list.json <<'END'
import json, re, sys
schema, rows = (json.load(open(name)) for name in sys.argv[1:])
kinds = {"integer": int, "string": str, "boolean": bool, "array": list}
def check(value, rule, where):
    if "enum" in rule:
        assert value in rule["enum"], (where, value)
        return
    assert type(value) is kinds[rule["type"]], (where, value)
    if type(value) is str:
        assert rule.get("minLength", 0) <= len(value) <= rule.get("maxLength", 1 << 20), where
        assert re.search(rule.get("pattern", ""), value), (where, value)
    if type(value) is list:
        assert len(value) <= rule.get("maxItems", 1 << 20), where
        for item in value:
            check(item, rule["items"], where)
    if type(value) is int:
        assert value >= rule.get("minimum", 0), where
for row in rows:
    for key in schema["required"]:
        assert key in row, (key, row)
    for key, value in row.items():
        assert key in schema["properties"], key
        check(value, schema["properties"][key], key)
END
}

@test "the last refusal is explained: what, who, which rule, the way out" {
	within "\$HOME/evil"
	# A run that only leaves variables out is no refusal.
	out env GITHUB_TOKEN=x "$pmg" sandbox exec -- true
	out "$pmg" sandbox explain --last
	must_work
	for part in "[PMG2007] exec denied" "programs  sh" "none allows it" "pmg sandbox allow exec=$HOME/evil"; do
		grep -qF -- "$part" <<<"$stdout" || fail "no $part: $(shown)"
	done
	out "$pmg" sandbox explain --last --json
	jq -e '.code == "PMG2007" and .name == "exec denied" and .disposition == "denied" and .severity == "medium"
		and .enforced_by == "broker" and .policy_fp and .docs and .command' <<<"$stdout"
}

@test "for what is sensitive there is no line, and --last allows nothing" {
	within "cat ~/.netrc"
	must_not_say "sandbox allow"
	out "$pmg" sandbox explain --last
	must_work
	must_not_say "sandbox allow"
	grep -qF "Do not allow it" <<<"$stdout"
	out "$pmg" sandbox allow --last
	[ "$status" -eq 121 ]
	must_say "was touched in the last run"
	out "$pmg" sandbox allow "read=$HOME/.netrc"
	must_fail
	must_say --force
	within "cat ~/.netrc"
	must_not_say S3CRET
	out "$pmg" sandbox allow --force "read=$HOME/.netrc"
	must_work
	within "cat ~/.netrc"
	must_work
	[ "$stdout" = S3CRET-of-mine ]
}

@test "a run without walls says so each time, and is in the ledger as such" {
	out "$pmg" --no-sandbox sandbox exec -- cat "$HOME/.netrc"
	must_work
	must_say "no sandbox (--no-sandbox)"
	"$pmg" audit list --json | jq -e '.[0].profile == "none" and .[0].tool == "cat"'
	"$pmg" audit list | grep -q ' none  *cat '
	settle 'sandbox: { enabled: false }'
	for _ in 1 2; do
		out "$pmg" sandbox exec -- cat "$HOME/.netrc"
		must_work
		must_say "no sandbox (config.yml)"
	done
	# Nothing in the environment does it.
	settle ""
	out env PMG_NO_SANDBOX=1 PMG_SANDBOX=0 PMG_SANDBOX_DRIVER=none "$pmg" sandbox exec -- cat "$HOME/.netrc"
	must_fail
	must_not_say S3CRET
	# What is typed counts before it.
	out env PMG_SANDBOX_DRIVER=none "$pmg" --driver full sandbox exec -- true
	must_work
}

@test "PMG1002: a mistake in config.yml, or in a file of the project, with its place" {
	package_json
	some_index
	settle "intell: {}"
	guarded npm install
	same "status" 121 "$status"
	must_say "[PMG1002]"
	must_say "config.yml:"
	settle ""
	echo "dney: {}" >.pmg.yml
	guarded npm install
	same "status" 121 "$status"
	must_say "[PMG1002] $PWD/.pmg.yml:1:1"
	rm .pmg.yml
}

@test "the plan has all rules, and its fingerprint is that of the record" {
	package_json
	some_index
	guarded --dry-run npm install
	must_work
	grep -qE "^[0-9]{2,} built-in rules: -v shows them$" <<<"$stdout" || fail "$(shown)"
	never grep -qF "read deny mandatory" <<<"$stdout"
	grep -q "^fetch " <<<"$stdout"
	guarded -v --dry-run npm install
	must_work
	for part in "read deny mandatory sensitive" "write allow" "exec allow" "net-connect allow" "env deny" "fetch "; do
		grep -qF -- "$part" <<<"$stdout" || fail "no $part in the plan"
	done
	local fingerprint
	fingerprint=$(sed -n 's/^fingerprint: //p' <<<"$stdout")
	[ "${#fingerprint}" -eq 64 ]
	echo '{ "name": "project", "scripts": { "install": "cat ~/.netrc || true" } }' >package.json
	guarded --dry-run npm install
	fingerprint=$(sed -n 's/^fingerprint: //p' <<<"$stdout")
	guarded npm install
	[ "$("$pmg" violations list --last --json | jq -r '.[0].fingerprint')" = "$fingerprint" ]
	guarded npm install
	[ "$("$pmg" violations list --last --json | jq -r '.[0].fingerprint')" = "$fingerprint" ]
}

@test "a profile is shown as written, as it comes to here, as a plan and as JSON" {
	out "$pmg" sandbox profile show npm
	grep -q "^inherits: base-node" <<<"$stdout"
	out "$pmg" sandbox profile show npm --resolved
	grep -qF "read deny $HOME/.aws/**  (mandatory: " <<<"$stdout" || fail "$(shown | head -30)"
	never grep -q fingerprint <<<"$stdout"
	out "$pmg" sandbox profile show npm --plan
	[ "$(grep -c '^fingerprint: ' <<<"$stdout")" -eq 1 ]
	out "$pmg" sandbox profile show npm --json
	jq -e --arg aws "$HOME/.aws/**" 'any(.[]; .access == "read" and .allow == false and .pattern == $aws
		and .layer == "mandatory" and .sensitive)' <<<"$stdout"
	out "$pmg" sandbox profile show nmp
	[ "$status" -eq 121 ]
	must_say 'did you mean "npm"?'
}

@test "the doctor says what this machine can enforce, and what is missing" {
	out "$pmg" sandbox doctor --json
	must_work
	jq -e '.[0].driver == "full" and .[0].usable and (.[0].gives | index("files"))' <<<"$stdout"
	out "$without" landlock_create_ruleset -- "$pmg" sandbox doctor --json
	[ "$status" -eq 1 ]
	jq -e '(.[0].usable | not) and .[0].missing and .[0].hint
		and any(.[0].items[]; .id == "landlock" and (.works | not))' <<<"$stdout"
}

@test "help fits a screen" {
	for words in help "help sandbox" "sandbox --help" "sandbox exec --help" "sandbox allow --help"; do
		# shellcheck disable=SC2086 # words
		out "$pmg" $words
		must_work
		[ "$(wc -l <<<"$stdout")" -le 50 ] || fail "$words: $(wc -l <<<"$stdout") lines"
		[ "$(wc -L <<<"$stdout")" -le 100 ] || fail "$words: too wide"
	done
}
