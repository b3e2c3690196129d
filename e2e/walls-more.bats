#!/usr/bin/env bats
# What a hostile project or script does to become npm, or to last: it works without pmg, and not with it.
# shellcheck disable=SC2154 # what helper.bash sets
load helper

# Not below /tmp: what is there is the run's own.
setup() {
	need npm node
	home
	place=$(mktemp -d "${PMG_BUILD:-$top/build}/walls-more.XXXXXX")
	export HOME=$place/home
	project=$place/project
	mkdir -p "$HOME" "$project"
	settle ""
	cd "$project" || return
	echo "//registry.invalid/:_authToken=CANARY-OF-NPM" >"$HOME/.npmrc"
}

teardown() {
	cd / && rm -rf "$place"
}

script() { # COMMAND
	jq -n --arg script "$1" '{ name: "p", version: "1.0.0", scripts: { postinstall: $script } }' >package.json
}

@test "a shell of the project that is called git is no part of npm" {
	need jq
	cp "$(readlink -f /bin/bash)" git
	echo "script-shell=./git" >.npmrc
	script 'read token <~/.npmrc; echo "$token" >node_modules/got; true'
	mkdir node_modules
	bare npm install --foreground-scripts
	must_work
	grep -q CANARY-OF-NPM node_modules/got || fail "the control reads nothing"
	rm node_modules/got
	guarded npm install --foreground-scripts
	must_not_say CANARY-OF-NPM
	never grep -qs CANARY-OF-NPM node_modules/got
}

@test "a script opens no pipe of npm" {
	need jq
	cat >reach.js <<'SCRIPT'
const fs = require("fs");
const O_PATH = 0o10000000;
const npm = fs.readdirSync("/proc").filter((p) => /^[0-9]+$/.test(p) && p != process.pid).filter((p) => {
	try {
		return fs.readFileSync(`/proc/${p}/cmdline`, "latin1").startsWith("npm install");
	} catch {
		return false;
	}
});
let opened = 0, seen = 0;
for (const pid of npm)
	for (let fd = 3; fd < 32; fd++)
		try {
			const at = fs.openSync(`/proc/${pid}/fd/${fd}`, O_PATH);
			if (!fs.readlinkSync(`/proc/self/fd/${at}`).startsWith("pipe:"))
				continue;
			seen++;
			fs.openSync(`/proc/self/fd/${at}`, fs.constants.O_WRONLY | fs.constants.O_NONBLOCK);
			opened++;
		} catch {}
console.log(`pipes: ${seen ? "seen" : "none"}, ${opened ? "opened" : "closed"}`);
SCRIPT
	script "node reach.js"
	bare npm install --foreground-scripts
	must_work
	grep -q "pipes: seen, opened" <<<"$stdout" || fail "the control opens none: $(shown)"
	guarded npm install --foreground-scripts
	must_work
	grep -q "pipes: seen, closed" <<<"$stdout" || fail "a pipe was opened: $(shown)"
}

@test "nothing that runs as its owner is left behind" {
	need jq
	script "mkdir -p node_modules && cp /bin/true node_modules/x && chmod u+s node_modules/x"
	bare npm install --foreground-scripts
	must_work
	[ -u node_modules/x ] || fail "the control leaves none"
	rm node_modules/x
	guarded npm install --foreground-scripts
	must_fail
	[ ! -u node_modules/x ] || fail "a setuid program: $(shown)"
}

@test "a project below /tmp is no temporary file" {
	need jq
	project=$(mktemp -d /tmp/pmg-walls-more.XXXXXX)
	cd "$project"
	mkdir src
	script "echo evil >src/index.js"
	bare npm install --foreground-scripts
	must_work
	[ -e src/index.js ] || fail "the control writes nothing"
	rm src/index.js
	guarded npm install --foreground-scripts
	must_fail
	[ ! -e src/index.js ] || fail "a script wrote to sources: $(shown)"
	cd / && rm -rf "$project"
}

@test "a cache that the project names by a link opens nothing outside" {
	need jq
	mkdir -p "$HOME/.local/bin"
	ln -s ../home/.local/bin cache
	echo "cache=./cache" >.npmrc
	script 'echo evil >"$HOME/.local/bin/ls"'
	bare npm install --foreground-scripts
	must_work
	[ -e "$HOME/.local/bin/ls" ] || fail "the control writes nothing"
	rm -r "$HOME/.local/bin"/*
	guarded npm install --foreground-scripts
	never test -e "$HOME/.local/bin/ls"
}

@test "a script that reads the token of ~/.npmrc is told of loudly, a nested npm is not" {
	need jq
	mkdir node_modules
	script 'cat ~/.npmrc >node_modules/got; true'
	bare npm install --foreground-scripts
	must_work
	grep -q CANARY-OF-NPM node_modules/got || fail "the control reads nothing"
	rm node_modules/got
	guarded npm install --foreground-scripts
	same "status" 1 "$status"
	must_say "[PMG2001]"
	must_say "$HOME/.npmrc"
	must_say "do not allow it"
	script 'npm config get registry >node_modules/got 2>&1; true'
	guarded npm install --foreground-scripts
	must_work
	must_not_say "do not allow it"
	# What loads code of somebody else's is no npm.
	echo 'try { require("fs").readFileSync(process.env.HOME + "/.npmrc") } catch {}' >spy.cjs
	script 'NODE_OPTIONS="--require ./spy.cjs" npm --version >/dev/null; true'
	guarded npm install --foreground-scripts
	same "status" 1 "$status"
	must_say "do not allow it"
}

@test "what git is told to start for a connection is no part of npm" {
	need jq git
	# By itself, and by a git that is given an alias of its host's name.
	printf '#!/bin/sh\ncat ~/.npmrc >node_modules/got\n' >spy
	chmod +x spy
	git init -q .
	jq -n '{ name: "p", version: "1.0.0" }' >package.json
	mkdir node_modules
	for proxy in "$PWD/spy" git; do
		git config core.gitProxy "$proxy"
		git config alias.hosttest '!cat ~/.npmrc >node_modules/got'
		bare npm install git://hosttest/x.git
		must_fail
		grep -q CANARY-OF-NPM node_modules/got || fail "the control of $proxy reads nothing"
		rm node_modules/got
		guarded npm install git://hosttest/x.git
		must_fail
		never grep -qs CANARY-OF-NPM node_modules/got
	done
}
