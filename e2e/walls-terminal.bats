#!/usr/bin/env bats
# Terminal, signals, pipes and exit statuses within the walls are what they are without.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
	some_index
}

# on_pty STEPS... -- COMMAND...: what was shown comes back in $shown, without carriage returns
on_pty() {
	status=0
	shown=$(python3 "$top/tests/helper/onpty.py" "$@" 3>&- | tr -d '\r'; exit "${PIPESTATUS[0]}") ||
		status=$?
}

shows() { grep -qF -- "$1" <<<"$shown" || fail "\"$1\" is not shown: $shown"; }

# A program that counts until it is told to end. Not in sh: one that is stopped between vfork and
# exec of its child never comes to the child's end, with or without pmg.
ticks='let i = 0; process.on("SIGTERM", () => { console.log("ended by 15"); process.exit(3) })
setInterval(() => { console.log("tick " + ++i); if (i === 400) process.exit() }, 50)'

within() { "$pmg" sandbox exec -- "$@"; }

@test "Ctrl-C ends all within two seconds, as killed by SIGINT" {
	on_pty --wait "tick 3" --send '\x03' -- "$pmg" sandbox exec -- node -e "$ticks"
	[ "$status" -eq 130 ] || fail "status $status: $shown"
	never grep -qF "tick 45" <<<"$shown"
}

@test "Ctrl-Z stops the run, fg goes on with it, and Ctrl-C still ends it" {
	printf '%s\n' "$ticks" >ticks.js
	on_pty --wait '$ ' --send '"$PMG" sandbox exec -- node ticks.js\n' --wait "tick 5" --send '\x1a' \
		--wait Stopped --sleep 0.5 --send 'jobs; echo "it is "stopped\n' --wait "it is stopped" \
		--send 'fg\n' --wait "tick 1" --wait "tick" --wait "tick" --send '\x03' --sleep 0.5 \
		--send 'echo "status "$?; exit\n' -- env PMG="$pmg" PS1='$ ' bash --norc --noediting -i
	shows "it is stopped"
	shows "status 130"
	never grep -qF "tick 100" <<<"$shown"
}

@test "a window that changes is told to the tool" {
	on_pty --size 24x80 --wait ready --size 33x77 --wait "33 77" -- "$pmg" sandbox exec -- sh -c \
		'trap "stty size; exit 0" WINCH; stty size; echo ready
		i=0; while [ $i -lt 200 ]; do i=$((i + 1)); sleep 0.05; done; exit 1'
	[ "$status" -eq 0 ] || fail "status $status: $shown"
	shows "24 80"
}

@test "exit statuses and signals of the tool come back" {
	local want
	for want in 0 1 7 120 125 255; do
		out within sh -c "exit $want"
		[ "$status" -eq "$want" ] || fail "not $want: $(shown)"
	done
	for want in 1 2 3 6 9 11 13 14 15 24; do
		out within sh -c "kill -$want \$\$; sleep 5"
		[ "$status" -eq $((128 + want)) ] || fail "not 128 + $want: $(shown)"
	done
}

@test "a signal to pmg alone reaches the tool, which may end as it likes" {
	"$pmg" sandbox exec -- node -e "$ticks" >ticked 2>err 3>&- &
	local run=$!
	wait_for 60 grep -q "tick 2" ticked
	kill -TERM "$run"
	status=0
	wait "$run" || status=$?
	[ "$status" -eq 3 ] || fail "status $status: $(cat err)"
	grep -q "ended by 15" ticked
}

@test "pipes pass and close in time" {
	local began=$SECONDS text
	text=$("$pmg" npm view tiny --json 2>err | head -c 10)
	[ "$text" = "$(npm view tiny --json | head -c 10)" ]
	[ "$(yes 2>/dev/null | within head -c 4 2>>err)" = "$(printf 'y\ny\n')" ]
	[ "$(printf 'a\nb' | within cat 2>>err)" = "$(printf 'a\nb')" ]
	# Nobody reads any more: the tool hears of it, and pmg ends as it does.
	set +o pipefail
	{
		status=0
		within yes 2>>err || status=$?
		echo "$status" >status
	} | head -c 4 >/dev/null
	[ "$(cat status)" -eq 141 ] || fail "status $(cat status)"
	# The end of what is typed is seen, and nobody of the run holds the other end.
	[ "$(within sh -c 'cat; echo over' </dev/null 2>>err)" = over ]
	text=$(within sh -c '(sleep 30) >/dev/null 2>&1 </dev/null & echo left' 2>>err)
	[ "$text" = left ]
	[ $((SECONDS - began)) -lt 25 ] || fail "took $((SECONDS - began)) s"
}

@test "what is written to both streams comes in order and whole" {
	within sh -c 'i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); echo $i; echo $i >&2; done' \
		>both 2>&1
	same "both" "$(for i in $(seq 2000); do printf '%s\n%s\n' "$i" "$i"; done)" \
		"$(grep -v '^pmg: ' both)"
}

# The terminal as a tool leaves it that dies with its walls.
@test "a run that loses its walls leaves the terminal as it was" {
	printf '%s\n' '#!/bin/sh' 'front=$(cat front)' \
		'for pid in $(pgrep -P "$front" -x pmg); do kill -9 "$pid"; done' >lose
	chmod +x lose
	on_pty --wait ready --run "$PWD/lose" --wait "that is all" -- sh -c \
		'a=$(stty -g); sh -c "echo \$\$ >front; exec \"\$@\"" sh "$1" sandbox exec -- sh -c \
			"stty raw -echo; echo ready; sleep 20"
		echo "status $?"; b=$(stty -g); [ "$a" = "$b" ] && echo restored; echo "that is all"' sh "$pmg"
	shows restored
	shows "status 125"
	shows PMG2107
}
