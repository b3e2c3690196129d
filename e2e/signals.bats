#!/usr/bin/env bats
# Ctrl-C, signals and lost processes: the run ends, whole and at once, and says why.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm /~slow.2000/npm/
	package_json
	registry_add "$(jq -nc --arg x "$(head -c 200000 /dev/urandom | base64 -w0)" \
		'{eco:"npm",name:"slowly",version:"1.0.0",files:{"x":$x}}')"
}

proxies() { pgrep -x pmg-proxy || true; }

gone() { # PIDS...
	local pid
	for pid; do
		[ ! -d "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" || return 1
	done
}

started() { [ "$(asked slowly-1.0.0.tgz)" -gt 0 ] || { [ -s "$reg/log.jsonl" ] && sleep 1; }; }

# begin [COMMAND...]: pmg npm install in the background; $run is its pid
begin() {
	before=$(proxies)
	forget
	"$pmg" npm install slowly >out 2>err </dev/null 3>&- &
	run=$!
	wait_for 20 started || fail "it did not begin: $(cat err)"
	proxy=$(comm -13 <(sort <<<"$before") <(proxies | sort) | head -n 1)
	[ -n "$proxy" ] || fail "no pmg-proxy runs"
	tree=$(pgrep -P "$run" || true)
	[ -n "$tree" ] || fail "pmg has no child"
}

# ends SECONDS: the run and all that belonged to it; $status is its exit status
ends() {
	local all="$run $proxy $tree"
	# shellcheck disable=SC2086
	wait_for "$1" gone $all || {
		ps -o pid,ppid,stat,args -p "${all// /,}" >&2
		fail "still there after $1 s"
	}
	status=0
	wait "$run" || status=$?
}

@test "Ctrl-C on a terminal ends everything within two seconds" {
	before=$(proxies)
	forget
	python3 "$top/tests/helper/onpty.py" --seconds 20 --sleep 4 --send '\x03' -- \
		sh -c '"$1" npm install slowly; echo "ended with $?"; date +%s.%N >ended' sh "$pmg" >pty.out 3>&- &
	local pty=$!
	sleep 3.5
	proxy=$(comm -13 <(sort <<<"$before") <(proxies | sort) | head -n 1)
	[ -n "$proxy" ] || fail "no pmg-proxy runs: $(cat pty.out)"
	sleep 0.5
	sent=$(date +%s.%N)
	wait_for 3 gone "$proxy" || fail "pmg-proxy lives on"
	wait "$pty" || true
	awk -v a="$sent" -v b="$(date +%s.%N)" 'BEGIN { exit !(b - a < 2.5) }' || fail "took too long"
	[ ! -e node_modules/slowly ]
}

@test "SIGTERM, SIGINT and SIGHUP to pmg alone end the tool and pmg by that signal" {
	local signal number
	for signal in TERM:15 INT:2 HUP:1; do
		number=${signal#*:}
		begin
		kill -"${signal%:*}" "$run"
		ends 3
		[ "$status" -eq $((128 + number)) ] || [ "$status" -eq 1 ] ||
			fail "SIG$signal: status $status"
		rm -rf node_modules package-lock.json
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
	[ ! -e node_modules/slowly ]
}

@test "a stopped and continued run goes on" {
	use_npm
	before=$(proxies)
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
	for i in $(seq 30); do
		guarded npm view tiny version
		must_work
	done
	sleep 0.3
	same "pmg-proxy processes" "$before" "$(proxies)"
	[ -z "$(find "$TMPDIR" -name '*pmg*')" ] || fail "left: $(find "$TMPDIR" -name '*pmg*')"
}
