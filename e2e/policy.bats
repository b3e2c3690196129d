#!/usr/bin/env bats
# What `pmg sandbox check` says beforehand is what the kernel then does.
# shellcheck disable=SC2154 # what helper.bash and walls.bash set
load helper
load walls

setup_file() { shed; }
teardown_file() { unshed; }
setup() { scene; }

# Things that a file may be beside what it is called: a link, another name of a closed one, a script
# whose interpreter is closed.
fill() {
	mkdir -p src .vscode .git/hooks tools "$HOME/.ssh" "$HOME/other"
	echo k >"$HOME/.ssh/id"
	echo o >"$HOME/other/f"
	echo e >"$HOME/.bashrc"
	echo A=1 >.env
	echo A=1 >.env.example
	ln .env hard
	ln -s "$HOME/.ssh" keys
	ln -s ../home/other/f leads
	ln -s "$HOME/other/made" dangling
	cp /bin/true tools/own
	cp /bin/true "$HOME/other/run"
	printf '#!%s\n' "$HOME/other/run" >tools/script
	chmod +x tools/script
	ln -s "$HOME/other/run" tools/link
	cat >probe.sh <<-'END'
		say() { echo "$1 $2 $3"; }
		while read -r what path; do
			case $what in
			read) cat "$path" ;;
			write) (: >>"$path") ;;
			exec) "$path" ;;
			esac >/dev/null 2>&1 </dev/null && say "$what" "$path" yes || say "$what" "$path" no
		done <"$1"
	END
	questions >asked
}

questions() {
	printf 'read %s\n' .env .env.example hard keys/id src/../.env leads "$HOME/other/f" "$HOME/.bashrc" /etc/passwd
	printf 'write %s\n' src/new .env .vscode/x .git/hooks/x .git/config keys/new dangling "$HOME/.bashrc" "$HOME/other/new" /dev/null
	printf 'exec %s\n' tools/own tools/script tools/link "$HOME/other/run" /bin/true
}

ask_check() {
	local word=() what path
	while read -r what path; do word+=("--$what=$path"); done <asked
	guarded_as sandbox check --json "${word[@]}" -- sh probe.sh asked
	[ "$status" -eq 1 ] || fail "ends with $status: $(shown)"
	jq -r '.[] | "\(.access) \(.asked) \(if .allowed then "yes" else "no" end)"' <<<"$stdout" | sort >"$place/said"
	jq -e 'all(.allowed or (.code | startswith("PMG20")))' <<<"$stdout" >/dev/null || fail "no code: $stdout"
}

@test "check says beforehand what may be read, written and started, links and all" {
	agree() {
		bare_as sh probe.sh asked
		[ "$(grep -c ' yes$' <<<"$stdout")" -eq "$(wc -l <asked)" ] || fail "the control is refused: $(shown)"
		fresh
		ask_check
		guarded_as sandbox exec -- sh probe.sh asked
		diff "$place/said" <(sort <<<"$stdout") || fail "they differ: $(shown)"
		grep -q ' yes$' "$place/said"
		grep -q ' no$' "$place/said"
		# With an allowance of the command line both change alike.
		fresh
		guarded_as --sandbox-allow "read=$HOME/other/f" sandbox check --read leads --read "$HOME/other/f" -- sh x
		must_work
		guarded_as --sandbox-allow "read=$HOME/other/f" sandbox exec -- cat leads
		must_work
	}
	agree
	[ -n "$user" ] || return 0
	evil_user "$user"
	fresh
	agree
}
