#!/usr/bin/env bats
# Whatever is killed or stopped, nothing of the run stays and nothing goes on without a wall.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }
teardown() { [ -z "${place:-}" ] || rm -rf "$place"; }

# A script that is busy for twenty seconds, and a process of its own that wants to outlive it.
busy='const fs = require("fs"), { spawn } = require("child_process");
if (process.argv[2] !== "daemon")
	spawn(process.execPath, [__filename, "daemon"], { detached: true, stdio: "ignore" }).unref();
const end = Date.now() + 20000;
while (Date.now() < end) {
	fs.appendFileSync("mark", "x");
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}'

setup() {
	home
	use_npm
	package_json
	some_index
	# Once: the registry has it for all cases.
	registry_add "$(jq -n --arg js "$busy" '{eco: "npm", name: "busy", version: "1.0.0",
		scripts: {postinstall: "node busy.js"}, files: {"busy.js": $js}}')"
}

# Rounds; an ordinary user's are a third of them. ./check plays fewer, ./check deep all.
rounds=${PMG_TEST_KILLS:-50}

# kills DIR ROUNDS VICTIMS [OPTIONS OF killer.py]
kills() {
	local dir=$1 seed=${PMG_TEST_SEED:-$RANDOM}
	mkdir -p "$dir/template" "$dir/skeleton"
	cp package.json "$dir/template/"
	cp -a "$HOME/." "$dir/skeleton/"
	python3 "$top/tests/helper/killer.py" --seed "$seed" --rounds "$2" --dir "$dir" \
		--victims "$3" "${@:4}" -- "$pmg" npm install busy >&2 3>&-
}

@test "processes killed at random moments leave nothing behind" {
	kills "$BATS_TEST_TMPDIR/killed" "$rounds" front,keeper,broker,reaper,proxy
}

@test "and none of an ordinary user's run" {
	[ "$(id -u)" -eq 0 ] || skip "every case is run by an ordinary user"
	place=$(mktemp -d /var/lib/pmg-killed.XXXXXX)
	chmod 755 "$place"
	# What he runs has to lie where he can reach it: an installed tree whole, else the programs alone.
	if [ -n "${PMG_ROOT:-}" ]; then
		cp -a "$PMG_ROOT"/. "$place/" && pmg=$place/bin/pmg
	else
		cp -a "$pmg" "${pmg%/*}/pmg-proxy" "$place/" && pmg=$place/pmg
	fi
	cp "$reg/ca.pem" "$place/" && chmod 644 "$place/ca.pem"
	export npm_config_cafile=$place/ca.pem NODE_EXTRA_CA_CERTS=$place/ca.pem
	kills "$place/killed" $((rounds / 3)) front,keeper,broker,reaper,proxy --user 65534
}

@test "front and what would sweep for it killed at once: the next run does" {
	export TMPDIR=$BATS_TEST_TMPDIR/tmp XDG_RUNTIME_DIR=$BATS_TEST_TMPDIR/runtime
	mkdir -p "$TMPDIR" "$XDG_RUNTIME_DIR"
	chmod 700 "$XDG_RUNTIME_DIR"
	begin one
	pkill -KILL -P "$run" -x pmg-sweeper
	kill -KILL "$run"
	wait_for 2 gone one || fail "left: $(of one)"
	[ -n "$(find "$TMPDIR" "$XDG_RUNTIME_DIR" -name 'run-*')" ]
	guarded npm view tiny version
	must_work
	[ -z "$(find "$TMPDIR" "$XDG_RUNTIME_DIR" -mindepth 1 -name '*pmg*')" ] || fail "not swept"
}

# begin NAME: an install of busy in a folder of that name, in the background; $run is its pid
begin() {
	mkdir -p "$1"
	cp package.json "$1/"
	(cd "$1" && PMG_TEST_MARK=$BATS_TEST_TMPDIR/$1 exec env --default-signal=INT,QUIT "$pmg" npm \
		install busy >../"$1.out" 2>../"$1.err" </dev/null 3>&-) &
	run=$!
	wait_for 60 is_busy "$1" || fail "it did not begin: $(cat "$1.err")"
}
marks() { find "$1" -name mark -printf '%s\n' 2>/dev/null | paste -sd+ | bc; }
is_busy() { [ "$(marks "$1")" -gt 0 ] 2>/dev/null; }
goes_on() { # NAME
	local before
	before=$(marks "$1")
	sleep 0.3
	[ "$(marks "$1")" -gt "$before" ]
}

# Processes of the run NAME: they have its mark in their environment, or are children of its front.
of() {
	grep -lzFx "PMG_TEST_MARK=$BATS_TEST_TMPDIR/$1" /proc/[0-9]*/environ 2>/dev/null | while IFS=/ read -r _ _ pid _; do
		grep -q '^State:.[ZX]' "/proc/$pid/status" 2>/dev/null || echo "$pid"
	done
}
gone() { [ -z "$(of "$1")" ]; }

# ends SECONDS NAME: the run and all that belonged to it; $status is its exit status
ends() {
	wait_for "$1" gone "$2" || fail "left after $1 s: $(of "$2")"
	status=0
	wait "$run" || status=$?
}

# tick NAME: a program that goes on saying so, all in one project; $run is its pid
tick() {
	PMG_TEST_MARK=$BATS_TEST_TMPDIR/$1 env --default-signal=INT,QUIT "$pmg" sandbox exec -- node -e \
		'setInterval(() => console.log("tick"), 50)' >"$1.out" 2>"$1.err" </dev/null 3>&- &
	run=$!
	wait_for 60 test -s "$1.out" || fail "it did not begin: $(cat "$1.err")"
}
ticks_on() { # NAME
	local before
	before=$(wc -c <"$1.out")
	wait_for 2 eval "[ \$(wc -c <$1.out) -gt $before ]"
}

@test "a second run in the same project is not disturbed by the end of the first" {
	local role first
	rm -rf "$HOME/.npm"
	for role in pmg-proxy pmg self; do
		tick first
		first=$run
		tick second
		if [ "$role" = self ]; then
			kill -KILL "$first"
		else
			kill -KILL "$(pgrep -P "$first" -x "$role" | head -n 1)"
		fi
		wait_for 3 gone first || fail "left: $(of first)"
		status=0
		wait "$first" || status=$?
		[ "$status" -eq 125 ] || [ "$role" = self ] || fail "status $status: $(cat first.err)"
		ticks_on second || fail "the second stopped: $(cat second.err)"
		kill -TERM "$run"
		ends 3 second
		[ "$status" -eq 143 ] || fail "status $status: $(cat second.err)"
	done
}

@test "a stopped part hangs its own run at most, and that can be ended" {
	local role pid stopped
	for role in pmg-proxy pmg; do
		begin stopped
		stopped=$run
		pid=$(pgrep -P "$run" -x "$role" | head -n 1)
		kill -STOP "$pid"
		mkdir other
		cp package.json other/
		cd other || return
		guarded npm install tiny
		must_work
		cd .. || return
		run=$stopped
		kill -TERM "$run"
		ends 6 stopped
		[ "$status" -ne 0 ]
		rm -rf stopped other
	done
}
