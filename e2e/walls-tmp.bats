#!/usr/bin/env bats
# The run has a /tmp of its own, and a project that lies in /tmp is no more open than others.
load helper

setup() {
	need npm jq
	home
	some_index
	below=$(mktemp -d /tmp/pmg-e2e.XXXXXX)
}

teardown() { rm -rf "$below"; }

@test "a project in /tmp: dependency folders are open, sources are not" {
	mkdir "$below/src"
	cd "$below"
	package_json
	guarded npm exec --offline -c 'mkdir node_modules && touch node_modules/x; touch src/x; touch "$TMPDIR/x"'
	[ -e node_modules/x ] || fail "node_modules is closed: $(shown)"
	[ ! -e src/x ] || fail "src was written to"
	"$pmg" violations list --json | jq -e --arg t "$below/src/x" 'any(.[]; .code == "PMG2002" and .target == $t)' >/dev/null ||
		fail "not listed: $(shown)"
	bare npm exec --offline -c 'touch src/x'
	[ -e src/x ]
}

@test "what is written to /tmp and /var/tmp is seen by nobody, and gone afterwards" {
	package_json
	guarded npm exec --offline -c "touch /tmp/$$.mine /var/tmp/$$.mine && ls /tmp /var/tmp; test ! -e '$below'"
	must_work
	grep -q "$$.mine" <<<"$stdout"
	[ ! -e "/tmp/$$.mine" ] && [ ! -e "/var/tmp/$$.mine" ]
}
