#!/usr/bin/env bats
# What is suggested for a refusal opens exactly that; and a hostile flood stays small.
load helper
load walls

setup_file() {
	need python3
	shed
}
teardown_file() { unshed; }
setup() { scene; }
teardown() { [ -z "${listener:-}" ] || kill "$listener" 2>/dev/null || true; }

# In the home, two of each; each time anew, since some are there to be deleted.
files() {
	local i
	for i in 1 2; do
		rm -f "$HOME/new$i" "$HOME/old$i"
		echo "text $i" | tee "$HOME/read$i" "$HOME/written$i" >"$HOME/old$i"
		chmod 644 "$HOME/old$i"
	done
	echo spare >"$project/spare"
	[ "$evil_user" = "$(id -un)" ] || chown -h "$evil_user:" "$HOME"/{read,written,old}* "$project/spare"
}

fill() {
	files
	cp /bin/true "$HOME/program1"
	cp /bin/true "$HOME/program2"
	mkdir -p "$HOME/.ssh" "$project/sealed"
	echo "$canary" | tee "$HOME/.ssh/id_x" >"$HOME/.ssh/id_y"
	canary_files=$(printf '%s\n' "$HOME/.ssh/id_x" "$HOME/.ssh/id_y")
	echo "not to be read" >"$project/sealed/file"
	chmod 000 "$project/sealed/file"
	cp "$attacker" "$project/attack"
}

inside() {
	files
	guarded_as "${with_options[@]}" sandbox exec -- sh -c "$1"
}

# opens CODE COMMAND NEIGHBOUR: refused; what is suggested for it opens it, and not the neighbour.
opens() {
	inside "$2"
	must_fail
	allow=$("${as[@]}" "$pmg" violations list --last --json |
		jq -r --arg code "PMG$1" 'map(select(.code == $code))[0].allow')
	[ "${allow:-null}" != null ] || fail "nothing is suggested: $1 $2: $(shown)"
	guarded_as sandbox allow --last
	must_work
	inside "{ $2; } && ! { $3; }"
	[ "$status" -eq 0 ] || fail "$allow does not open $2, or opens $3: $(shown)"
}

# flips: and it is a line to type; taken back, it is closed again.
flips() {
	opens "$@"
	guarded_as violations explain --last
	grep -qF "pmg sandbox allow" <<<"$stdout" || fail "no line to type: $(shown)"
	guarded_as sandbox allow --remove "$allow"
	must_work
	inside "$2"
	[ "$status" -ne 0 ] || fail "$allow was not taken back: $2"
}

everybody() {
	local who
	for who in "$(id -un)" ${user:+"$user"}; do
		evil_user "$who"
		fresh
		"$1"
	done
}

@test "what is suggested for a file opens that access to that file" {
	with_options=()
	check() {
		# Unguarded all of it works.
		files
		bare_as sh -ec 'for i in 1 2; do cat ~/read$i; echo more >>~/written$i; ~/program$i; ./attack utime ~/old$i
			./attack chmod ~/old$i; cp spare s; mv s ~/old$i; rm ~/old$i; ln spare ~/new$i; rm ~/new$i
			./attack unix-listen ~/new$i; done'
		must_work
		flips 2001 "cat ~/read1" "cat ~/read2"
		flips 2002 "echo more >>~/written1" "echo more >>~/written2"
		flips 2007 "exec ~/program1" "exec ~/program2"
		flips 2017 "./attack utime ~/old1" "./attack utime ~/old2"
		opens 2012 "cp spare s; mv -f s ~/old1" "cp spare s; mv -f s ~/old2"
		opens 2012 "ln spare ~/new1" "ln spare ~/new2"
		rm -r "$HOME/.config/pmg/overlays" # old1 and new1 once more
		opens 2012 "./attack unlink ~/old1" "./attack unlink ~/old2"
		opens 2002 "./attack unix-listen ~/new1" "./attack unix-listen ~/new2"
		# One direction does not give the other.
		guarded_as sandbox allow "read=$HOME/written1"
		inside "cat ~/written1"
		must_work
		inside "echo more >>~/written1"
		must_fail
	}
	everybody check
}

@test "what is suggested for an address, a port or a socket opens that" {
	with_options=()
	python3 - "$shed" >"$BATS_TEST_TMPDIR/ports" <<'PY' 3>&- &
import os, selectors, socket, sys
sel = selectors.DefaultSelector()
names = []
for family, address in [(socket.AF_INET, ("127.0.0.1", 0))] * 2 + [(socket.AF_UNIX, sys.argv[1] + "/one"), (socket.AF_UNIX, sys.argv[1] + "/two")]:
    s = socket.socket(family)
    if family == socket.AF_UNIX and os.path.exists(address):
        os.unlink(address)
    s.bind(address)
    if family == socket.AF_UNIX:
        os.chmod(address, 0o777)
    s.listen(16)
    sel.register(s, selectors.EVENT_READ)
    names.append(s.getsockname())
print(names[0][1], names[1][1], flush=True)
while True:
    for key, _ in sel.select():
        c, _ = key.fileobj.accept()
        c.recv(16)
        c.close()
PY
	listener=$!
	wait_for 60 test -s "$BATS_TEST_TMPDIR/ports"
	read -r one two <"$BATS_TEST_TMPDIR/ports"
	check() {
		bare_as ./attack tcp 127.0.0.1 "$two"
		must_work
		flips 2009 "./attack tcp 127.0.0.1 $one" "./attack tcp 127.0.0.1 $two"
		flips 2014 "./attack listen 127.0.0.1 45877" "./attack listen 127.0.0.1 45878"
		flips 2013 "./attack unix $shed/one" "./attack unix $shed/two"
	}
	everybody check
}

@test "what the kernel refuses by itself is not reported" {
	with_options=()
	check() {
		inside 'cat nowhere ~/nowhere; ./nowhere; cat nowhere/at/all'
		[ "$evil_user" = root ] || inside 'cat sealed/file; cat nowhere'
		must_fail
		must_not_say "pmg:"
		[ "$evil_user" = root ] || must_say "Permission denied"
	}
	everybody check
}

@test "a program on a mount without execution is not reported" {
	[ "$(id -u)" -eq 0 ] || skip "mounting takes root"
	with_options=()
	# In a mount namespace of its own, before it becomes who runs pmg.
	local mounted='mount -t tmpfs -o "$0" none noexec && cp -p attack noexec/attack && chmod 777 noexec && exec "$@"'
	check() {
		mkdir noexec
		with=(unshare --mount --propagation private sh -c "$mounted" mode=777)
		inside './noexec/attack env HOME'
		must_work
		with=(unshare --mount --propagation private sh -c "$mounted" "mode=777,noexec")
		bare_as ./noexec/attack env HOME
		[ "$status" -eq 126 ] || fail "the kernel starts it: $(shown)"
		inside './noexec/attack env HOME'
		[ "$status" -eq 126 ] || fail "started: $(shown)"
		must_say "ermission denied"
		must_not_say "pmg:"
		with=()
		rmdir noexec
	}
	everybody check
}

@test "for what is sensitive nothing is suggested, --last refuses it, --last --force opens it" {
	with_options=()
	check() {
		bare_as ./attack open "$HOME/.ssh/id_x"
		must_work
		inside './attack open ~/.ssh/id_x'
		must_fail
		must_say "do not allow it"
		"${as[@]}" "$pmg" violations list --last --json | jq -e '.[0] | has("allow") | not' >/dev/null
		guarded_as sandbox allow --last
		must_fail
		inside './attack open ~/.ssh/id_x'
		must_fail
		no_canary
		guarded_as sandbox allow --last --force
		must_work
		inside './attack open ~/.ssh/id_x >/dev/null && ! ./attack open ~/.ssh/id_y'
		[ "$(grep -c "$HOME/.ssh" <<<"$stderr")" -eq 1 ] || fail "not that alone is open: $(shown)"
		must_say "$HOME/.ssh/id_y"
		guarded_as sandbox allow --remove "read=$HOME/.ssh/id_x"
		must_work
		inside './attack open ~/.ssh/id_x'
		must_fail
		no_canary
	}
	everybody check
}

@test "100,000 denied paths: few records, a clean terminal, no memory" {
	with_options=()
	check() {
		local few
		flood 2000
		few=$most
		flood 100000
		[ "$most" -lt $((few + 8192)) ] || fail "the broker grew from $few to $most kB"
		must_fail
		never grep -q $'\033' <<<"$stderr$stdout"
		[ "$(grep -c '\[PMG2018\]' <<<"$stderr")" -eq 1 ] || fail "PMG2018 once: $(head -c 3000 <<<"$stderr")"
		n=$("${as[@]}" "$pmg" violations list --last --limit 100000 --json | jq length)
		{ [ "$n" -gt 400 ] && [ "$n" -le 512 ]; } || fail "$n records"
	}
	everybody check
}

# flood N: so many; sets what `out` sets, and $most, what keeper and broker had in memory at most, in kB
flood() {
	local run n
	"${as[@]}" "$pmg" sandbox exec -- sh -c "./attack flood ~ $1; status=\$?; touch flooded; n=0
		until [ -e seen ] || [ \$n = 400 ]; do n=\$((n+1)); sleep 0.05; done; exit \$status" \
		>"$BATS_TEST_TMPDIR/flood.out" 2>"$BATS_TEST_TMPDIR/flood.err" </dev/null 3>&- &
	run=$! status=0 most=0
	wait_for 300 test -e flooded || fail "no flood"
	for n in $(pgrep -P "$(pgrep -d, -P $run)") $(pgrep -P $run); do
		n=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$n/status" 2>/dev/null || true)
		[ "${n:-0}" -le "$most" ] || most=$n
	done
	[ "$most" -gt 0 ] || fail "nobody was measured"
	touch seen
	wait $run || status=$?
	rm -f flooded seen
	stdout=$(cat "$BATS_TEST_TMPDIR/flood.out") stderr=$(cat "$BATS_TEST_TMPDIR/flood.err")
}
