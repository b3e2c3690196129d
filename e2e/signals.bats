#!/usr/bin/env bats
# Ctrl-C, signals and lost processes: the run ends, whole and at once, and says why.
load helper
load fixture

setup_file() {
	registry_start
	stand_in
}
teardown_file() { registry_stop; }

setup() {
	home
	use_npm /~slow.2000/npm/
	package_json
	registry_add '{"eco":"npm","name":"slowly","version":"1.0.0","filler":200000}'
}

gone() { # PIDS...
	local pid
	for pid; do
		[ ! -d "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" || return 1
	done
}

# The artifact is noted only when it has ended, so the document before it has to do.
started() { [ "$(asked "/slowly$")" -gt 0 ]; }

# begin [COMMAND...]: pmg npm install in the background; $run is its pid
begin() {
	forget
	# A shell without job control starts background commands with SIGINT ignored.
	env --default-signal=INT,QUIT "$pmg" npm install slowly >out 2>err </dev/null 3>&- &
	run=$!
	wait_for 60 started || fail "it did not begin: $(cat err)"
	sleep 0.5
	proxy=$(pgrep -P "$run" -x pmg-proxy) || fail "no pmg-proxy runs"
	tree=$(pgrep -P "$run" | tr '\n' ' ')
	[ "$tree" != "$proxy " ] || fail "pmg has no other child"
}

# ends SECONDS: the run and all that belonged to it; $status is its exit status
ends() {
	local all="$run $proxy $tree"
	# shellcheck disable=SC2086
	wait_for "$1" gone $all || {
		for pid in $all; do ps -o pid,ppid,stat,wchan,args -p "$pid" >&2; done
		fail "still there after $1 s"
	}
	status=0
	wait "$run" || status=$?
}

@test "Ctrl-C on a terminal ends everything within two seconds" {
	forget
	mkfifo keys
	python3 "$top/tests/helper/onpty.py" --seconds 40 --keys keys -- \
		"$pmg" npm install slowly >pty.out 3>&- &
	local pty=$! sent
	exec 9>keys
	wait_for 60 started || fail "it did not begin: $(cat pty.out)"
	sleep 0.5
	run=$(pgrep -P "$pty")
	all=$(pgrep -P "$run" | tr '\n' ' ')
	[ "$(wc -w <<<"$all")" -ge 2 ] || fail "no proxy and tool below pmg"
	sent=$(date +%s%N)
	printf '\003' >&9
	# shellcheck disable=SC2086 # a list of words
	wait_for 4 gone $run $all || {
		for pid in $run $all; do ps -o pid,ppid,stat,wchan,args -p "$pid" >&2; done
		fail "still there: $(cat pty.out)"
	}
	took=$((($(date +%s%N) - sent) / 1000000))
	exec 9>&-
	status=0
	wait "$pty" || status=$?
	[ "$took" -lt 2000 ] || fail "took $took ms"
	[ "$status" -eq 130 ] || [ "$status" -eq 143 ] || fail "status $status"
}

@test "SIGTERM, SIGINT and SIGHUP to pmg alone end the tool and pmg by that signal" {
	local signal number
	for signal in TERM:15 INT:2 HUP:1; do
		number=${signal#*:}
		begin
		kill -"${signal%:*}" "$run"
		ends 3
		# npm goes on after SIGINT while it waits for a registry: then SIGTERM has ended it.
		[ "$status" -eq $((128 + number)) ] || [ "$status" -eq 143 ] ||
			fail "SIG$signal: status $status"
		rm -rf node_modules package-lock.json "$HOME/.npm"
	done
}

@test "SIGKILL of pmg leaves nothing behind" {
	begin
	kill -KILL "$run"
	ends 3
	[ "$status" -eq 137 ]
}

@test "a proxy that dies ends the run with a reason, not unguarded" {
	begin
	kill -KILL "$proxy"
	ends 5
	[ "$status" -ne 0 ]
	stderr=$(cat err) stdout=$(cat out)
	must_say "pmg: "
	grep -qiE 'proxy' err || fail "no reason: $stderr"
	[ ! -e node_modules/slowly/package.json ]
}

@test "a stopped and continued run goes on" {
	use_npm
	"$pmg" npm install tiny >out 2>err </dev/null 3>&- &
	run=$!
	sleep 0.2
	kill -STOP "$run"
	sleep 0.5
	kill -CONT "$run"
	wait "$run"
	[ -e node_modules/tiny ]
}

@test "thirty runs leave no process, no temporary file and no socket behind" {
	use_npm
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir -p "$TMPDIR"
	before=$(proxies)
	walls=()
	for i in $(seq 30); do
		through 'touch node_modules'
		must_work
	done
	gone_all() { [ "$before" = "$(proxies)" ] && [ -z "$(find "$TMPDIR" -name '*pmg*')" ]; }
	wait_for 2 gone_all || fail "left: $(proxies) $(find "$TMPDIR" -name '*pmg*')"
}
