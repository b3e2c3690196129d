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

@test "what is opened in /tmp by its name is opened no further" {
	echo theirs >"$below/data"
	bare sh -c "echo mine >>'$below/data' && cat '$below/data'"
	must_work
	guarded --sandbox-allow "read=$below/data" sandbox exec -- sh -c "cat '$below/data'; echo more >>'$below/data' || touch \"\$TMPDIR/x\""
	must_work
	[ "$stdout" = "$(printf 'theirs\nmine')" ] || fail "not readable: $(shown)"
	[ "$(cat "$below/data")" = "$stdout" ] || fail "written to: $(cat "$below/data")"
	"$pmg" violations list --last --json | jq -e --arg t "$below/data" 'any(.[]; .code == "PMG2002" and .target == $t)' >/dev/null ||
		fail "not listed: $(shown)"
}

@test "results that a command line has put below /tmp outlast the run, or nothing runs" {
	venv
	package_json
	guarded npm pack --offline --pack-destination "$below/new/packed"
	must_work
	[ -s "$below/new/packed/project-1.0.0.tgz" ] || fail "lost: $(shown)"
	guarded pip install --disable-pip-version-check --no-index --log "$below/log" nowhere-to-be-found
	must_fail
	grep -q nowhere-to-be-found "$below/log" || fail "lost: $(shown)"
	guarded pip download --disable-pip-version-check --no-index -d "$below/none" nowhere-to-be-found
	[ ! -e "$below/none" ] || fail "nothing was put there, and it stays"
	guarded npm pack --offline --pack-destination /tmp
	[ "$status" -eq 121 ] || fail "ends with $status: $(shown)"
	must_say "/tmp is private to each run"
	[ ! -e /tmp/project-1.0.0.tgz ]
}

@test "what is typed is reached: a folder and a file beside the project, a file in /tmp" {
	local beside=$BATS_TEST_TMPDIR/beside
	mkdir -p "$beside/lib" "$beside/package"
	echo '{"name":"lib","version":"1.0.0","bin":{"from-lib":"cli.js"}}' >"$beside/lib/package.json"
	printf '#!/usr/bin/env node\nconsole.log("lib runs")\n' >"$beside/lib/cli.js"
	echo "KEY=$$.secret" >"$beside/lib/.env"
	for name in one two; do
		echo "{\"name\":\"$name\",\"version\":\"1.0.0\",\"scripts\":{\"postinstall\":\"cat '$beside/lib/package.json' >seen; cat '$beside/one.tgz' '$beside/lib/.env'\"}}" >"$beside/package/package.json"
		tar -C "$beside" -czf "$beside/$name.tgz" package
	done
	mv "$beside/two.tgz" "$below"
	package_json
	# A script reads the folder, which is linked to, but nothing closed in it and not the file.
	guarded npm i --foreground-scripts "$beside/lib" ../beside/one.tgz
	[ "$status" -ne 0 ]
	must_not_say "$$.secret"
	for name in one.tgz lib/.env; do
		grep -q "read of $beside/$name refused: by one@1.0.0 (postinstall)" <<<"$stderr" || fail "$name: $(shown)"
	done
	never grep -q "read of $beside/lib/package.json" <<<"$stderr"
	bare npm i --foreground-scripts "$beside/lib" ../beside/one.tgz
	grep -q "$$.secret" <<<"$stdout" || fail "$(shown)"
	rm -r node_modules package-lock.json && package_json
	guarded npm i --ignore-scripts "$beside/lib" ../beside/one.tgz "$below/two.tgz"
	must_work
	grep -qF "pmg sandbox allow read=$beside/lib/ exec=$beside/lib/" <<<"$stderr" || fail "$(shown)"
	[ -e node_modules/one/package.json ] && [ -e node_modules/two/package.json ] && [ -x "$beside/lib/cli.js" ]
	guarded npm exec --offline -c 'from-lib'
	[ "$status" -ne 0 ]
	"$pmg" sandbox allow "read=$beside/lib/" "exec=$beside/lib/"
	guarded npm exec --offline -c 'from-lib'
	must_work
	[ "$stdout" = 'lib runs' ]
}
