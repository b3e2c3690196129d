#!/usr/bin/env bats
# When something breaks: a cut body is never a whole one, every cause has a name, and a run without its
# proxy does not go on.
load helper
load fixture

setup_file() {
	registry_start
	stand_in
	registry_random npm large
}

@test "a body that is cut or reset: the client is told, whatever its framing" {
	# A small artifact is held back whole, so that there can be a 502 instead of a part of it.
	local text='
		try() { rm -f body; curl -fsS -o body "$@" && echo "whole: $*" || true; }
		for fault in truncate rst; do
			for n in 0 1 1000 100000; do
				try "$at/~$fault.$n/npm/large/-/large-1.0.0.tgz"
				try "$at/~$fault.$n/~chunked/npm/large/-/large-1.0.0.tgz"
				try -r 10-200000 "$at/~$fault.$n/npm/large/-/large-1.0.0.tgz"
			done
			for n in 0 1 100; do
				try "$at/~$fault.$n/~on.meta/npm/large"
				try "$at/~$fault.$n/~on.meta/~chunked/npm/large"
				try --compressed "$at/~$fault.$n/~on.meta/~gzip/npm/large"
				try --compressed "$at/~$fault.$n/~on.meta/~gzip/~chunked/npm/large"
			done
		done'
	without "$text"
	must_work
	[ -z "$stdout" ] || fail "the control: $(shown)"
	through "$text"
	must_work
	[ -z "$stdout" ] || fail "taken for a whole one: $(shown)"
	[ "$(jq -s 'map(select(.complete | not)) | length' "$reg/log.jsonl")" -ge 90 ]
	in_report --arg t "127.0.0.1:$https" '.troubles[] | select(.code == "PMG4006" and .target == $t)'
	through 'for n in 1 2 3; do curl -sS -o body "$at/npm/large/-/large-1.0.0.tgz"; done' # it is in good health
	must_work
}

@test "pnpm: nothing of a cut artifact lands, and what it keeps is not spoiled" {
	local base
	export NODE_EXTRA_CA_CERTS=$reg/ca.pem
	tool pnpm 10 pnpm
	for base in /~truncate.100000/npm/ /~rst.100000/npm/; do
		export npm_config_registry=$at$base npm_config_fetch_retries=0
		guarded pnpm add large
		must_fail
		[ ! -e node_modules/large ] || fail "$base: landed"
	done
	must_say PMG4006
	export npm_config_registry=$at/npm/ npm_config_cafile=$reg/ca.pem
	rm -rf "$HOME/.cache/pnpm" # pnpm keeps metadata by host: it has the addresses of the faulty ones
	bare pnpm add large
	must_work
}

@test "answers that are no HTTP: 502 for each, by name" {
	server answers python3 "$top/tests/helper/answers.py"
	export npm_config_registry=http://127.0.0.1:$line/npm/
	through 'for kind in silent words status two endless chunk head plain; do
			rm -f body
			code=$(curl -sS -o body -w "%{http_code}" "$npm_config_registry$kind") && how=whole || how=broken
			echo "$kind $code $how"
		done; exit 1'
	local kind
	for kind in silent words status two endless head; do
		grep -qE "^$kind 502 whole$" <<<"$stdout" || fail "$kind: $(shown)"
	done
	grep -qE '^chunk (502 whole|200 broken)$' <<<"$stdout" || fail "$(shown)"
	grep -qE '^plain 200 whole$' <<<"$stdout" || fail "$(shown)"
	must_say PMG4006
	must_say "127.0.0.1:$line"
}

# What a tool leaves to run: it ignores every polite signal, hides in a session of its own, and its
# children fork away.
stubborn='
	trap "" TERM INT HUP
	beat() { while :; do echo "$$" >>"$CASE/beats"; sleep 0.05; done; }
	beat &
	setsid bash -c "$(declare -f beat); trap \"\" TERM; beat" &
	(setsid bash -c "$(declare -f beat); trap \"\" TERM; (beat &) ; beat" &)
	curl -sS -o /dev/null "$at/npm/tiny/-/tiny-1.0.0.tgz"
	pause
	curl -sS -o after "$at/npm/tiny" || true
	sleep 60'

@test "the proxy is killed: pmg says why, ends with 125, and in two seconds nothing is left" {
	local signal began ended beats
	for signal in KILL SEGV TERM; do
		rm -f "$BATS_TEST_TMPDIR/beats" after
		begin "$stubborn"
		below=$(ps -e -o pid=,ppid= | awk -v root="$run" '{ up[$1] = $2 }
			END { for (p in up) { for (q = p; q in up && q != root; ) q = up[q]; if (q == root && p != root) print p } }')
		[ "$(wc -w <<<"$below")" -ge 5 ] || fail "too few processes: $below"
		began=$(date +%s%N)
		kill "-$signal" "$proxy"
		status=0
		wait "$run" || status=$?
		ended=$(($(date +%s%N) - began))
		stderr=$(cat "$BATS_TEST_TMPDIR/begin.err") stdout=
		[ "$status" -eq 125 ] || fail "$signal: $(shown)"
		must_say PMG4019
		[ "$ended" -lt 2000000000 ] || fail "$signal: it took $ended ns"
		for pid in $below; do
			[ ! -e "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" || fail "still there: $(ps -o pid,ppid,args -p "$pid")"
		done
		beats=$(wc -l <"$BATS_TEST_TMPDIR/beats")
		[ "$beats" -gt 0 ]
		sleep 0.2
		[ "$(wc -l <"$BATS_TEST_TMPDIR/beats")" -eq "$beats" ] || fail "$signal: something goes on"
		[ ! -e after ] || fail "$signal: something was still fetched"
	done
	"$pmg" audit list --json >audit.json
	jq -e '.[0].exit == 125' audit.json
}

@test "the proxy is killed in the middle of npm install: what was fetched stays out, the next run mends it" {
	use_npm /~slow.50000/npm/
	"$pmg" npm install large >out 2>err </dev/null 3>&- &
	run=$!
	asked_for() { [ "$(asked 'large-1.0.0.tgz')" -gt 0 ] || pgrep -P "$run" -x pmg-proxy >/dev/null && sleep 1.5; }
	wait_for 60 asked_for
	proxy=$(pgrep -P "$run" -x pmg-proxy)
	kill -KILL "$proxy"
	status=0
	wait "$run" || status=$?
	stderr=$(cat err) stdout=$(cat out)
	[ "$status" -eq 125 ] || fail "$(shown)"
	must_say PMG4019
	[ ! -e node_modules/large ]
	use_npm
	guarded npm install large
	must_work
	[ -e node_modules/large/x ]
}

@test "a proxy that is not there, or not sound, is an error before anything is started" {
	mkdir bin
	cp "$pmg" bin/pmg
	pmg=$PWD/bin/pmg
	cp /bin/false bin/pmg-proxy
	through 'touch started'
	[ "$status" -eq 125 ] || fail "$(shown)"
	[ ! -e started ]
	must_say pmg-proxy
	printf '#!/bin/sh\nexec sleep 60\n' >bin/pmg-proxy
	chmod 777 bin/pmg-proxy # others could have put it there
	through 'touch started'
	[ "$status" -eq 120 ] || fail "$(shown)"
	[ ! -e started ]
}
