#!/usr/bin/env bats
# What a postinstall script tries on processes and on the kernel.
load helper
load walls

setup_file() {
	need python3
	shed
}
teardown_file() { unshed; }
setup() { scene; }
teardown() { [ ! -s "$shed/victims" ] || xargs kill <"$shed/victims" 2>/dev/null || true; }

# A process of the host, of whoever runs the case; its number lies in the project.
fill() {
	"${as[@]}" sleep 600 3>&- &
	echo $! >>"$shed/victims"
	echo $! >"$project/victim"
	mkdir "$project/src"
}

victim='"$(cat ../../victim)"'

@test "processes of the host cannot be seen, traced or ended" {
	heard() {
		[ "$1" = control ] || kill -0 "$(cat "$project/victim")" || fail "the victim is gone"
	}
	try - - environ-of "$victim"
	try 2015 ptrace ptrace "$victim"
	try 2015 process_vm_readv vm-read "$victim" '0x$(sed "s/-.*//;q" "/proc/$(cat ../../victim)/maps")'
	try - - kill "$victim"
	attack
}

@test "io_uring, foreign entries, keys, bpf and file handles are closed" {
	try 2016 io_uring_setup io-uring
	try 2016 "re:call 20$" int80
	try 2016 add_key keyctl
	try_root 2016 bpf bpf
	try_root 2016 open_by_handle_at handle /etc/hostname
	attack
}

@test "namespaces and mounts cannot be made" {
	# What the control mounts must not stay on the machine.
	[ "$(id -u)" -ne 0 ] || with=(unshare --mount --propagation private)
	try 2016 "re:unshare.*CLONE_NEWUSER" userns
	try 2016 "re:clone.*CLONE_NEWUSER" clone-userns
	try_root 2016 "re:^mount" mount ../../src
	try_root 2016 "re:^umount" umount ../../src
	try_root 2016 chroot chroot /
	attack
}

@test "the terminal cannot be typed into" {
	[ "$(cat /proc/sys/dev/tty/legacy_tiocsti 2>/dev/null || echo 1)" = 1 ] || [ "$(id -u)" -eq 0 ] ||
		skip "this kernel has no TIOCSTI for ordinary users"
	with=(python3 "$top/tests/helper/onpty.py" --seconds 60 --)
	try_root 2016 "re:TIOCSTI" tiocsti
	attack
}

@test "descriptors that pmg was started with are not handed on" {
	# node closes the low ones for its children by itself: without a high one the control shows nothing.
	exec 7<"$top" 200<"$top"
	codes=(-) targets=(-) lines=(descriptors)
	attack
	# Nor where a container's filter does not know the call that closes them all at once.
	with=("${PMG_E2E_HELPERS:-$top/build/tests/helper}/without" close_range --)
	guarded_as sandbox exec -- ls /proc/self/fd
	must_work
	never grep -qxE '7|200' <<<"$stdout"
	bare_as ls /proc/self/fd
	grep -qxE 7 <<<"$stdout" && grep -qxE 200 <<<"$stdout" || fail "not handed on in any case: $stdout"
	exec 7<&- 200<&-
}

@test "a daemon does not outlive the run" {
	heard() {
		case $1 in
		control) pkill -f "attack daemon $place" || fail "the control left no daemon" ;;
		*) never pgrep -f "attack daemon $place" ;;
		esac
	}
	# To leave one behind is no refusal: it ends with the run.
	lines=("daemon $place/project/node_modules/dep-evil/pid; false") codes=(-) targets=(-)
	evil_user "$(id -un)"
	daemons
	[ -z "$user" ] || {
		evil_user "$user"
		daemons
	}
}

daemons() {
	fresh
	evil_install bare_as
	must_work
	heard control
	fresh
	evil_install guarded_as
	must_work
	heard guarded
	[ -s "$project/node_modules/dep-evil/pid" ] || fail "no daemon was there: $(attack_said 0)"
}

@test "credentials in the environment are not there, and their names are listed" {
	export GITHUB_TOKEN=$canary AWS_SECRET_ACCESS_KEY=$canary
	try - - env GITHUB_TOKEN
	try - - env AWS_SECRET_ACCESS_KEY
	heard() { :; }
	attack
	jq -e 'any(.[]; .code == "PMG2003" and .target == "GITHUB_TOKEN")' <<<"$violations" >/dev/null ||
		fail "GITHUB_TOKEN is not listed"
}
