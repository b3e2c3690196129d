#!/usr/bin/env bats
# `pmg sandbox exec`: any command within the walls, what is refused and how it is told.
load helper
load walls

setup_file() { shed; }
teardown_file() { unshed; }

fill() {
	mkdir -p "$HOME/.aws" "$HOME/ws" "$HOME/ws-evil"
	echo "$canary" >"$HOME/.aws/credentials"
	echo "export A=1" >"$HOME/.bashrc"
	echo in >"$HOME/ws/f"
	echo out >"$HOME/ws-evil/f"
	cp /bin/true "$HOME/evil"
	printf 'echo ran\n' >"$HOME/evil.sh"
	git init -q "$project"
	cp "$attacker" "$project/attack"
	canary_files=$HOME/.aws/credentials
}
setup() { scene; }
teardown() { [ -z "${listener:-}" ] || kill "$listener" 2>/dev/null || true; }

# both CASE: as whoever runs this, and as an ordinary user; the same place made anew
both() {
	local who
	for who in "$(id -un)" ${user:+"$user"}; do
		evil_user "$who"
		fresh
		"$1"
	done
}

inside() { guarded_as sandbox exec -- sh -c "$@"; } # TEXT
inside_with() { # ALLOWANCE TEXT
	guarded_as --sandbox-allow "$1" sandbox exec -- sh -c "$2"
}
bare_sh() { bare_as sh -c "$1"; }

# denied CODE TARGET: said on stderr, with where to read on
denied() {
	must_say "[PMG$1]"
	must_say "$2"
	must_say "pmg sandbox explain PMG$1"
}

# recorded CODE TARGET: not worth a line of its own, but in the ledger
recorded() {
	must_say "pmg violations list"
	"${as[@]}" "$pmg" violations list --last --json |
		jq -e --arg code "PMG$1" --arg target "$2" 'any(.[]; .code == $code and .target == $target)' >/dev/null ||
		fail "not recorded: $1 $2: $("${as[@]}" "$pmg" violations list --last)"
}

@test "D1 D20: reading a credential is told, even if the command goes on as if nothing were" {
	check() {
		bare_sh 'cat ~/.aws/credentials'
		must_work
		inside 'cat ~/.aws/credentials'
		must_fail
		denied 2001 "$HOME/.aws/credentials"
		no_canary
		inside 'cat ~/.aws/credentials || true'
		[ "$status" -eq 1 ] || fail "ends with $status: $(shown)"
		must_say "1 denied"
		inside 'cat ~/ws/f || true'
		must_work
		recorded 2001 "$HOME/ws/f"
	}
	both check
}

@test "D2: writing a start file is told, and it stays as it is" {
	check() {
		inside 'echo x >>~/.bashrc'
		must_fail
		denied 2002 "$HOME/.bashrc"
		[ "$(cat "$HOME/.bashrc")" = "export A=1" ]
		bare_sh 'echo x >>~/.bashrc'
		must_work
	}
	both check
}

@test "D3 D4: starting a dropped program, also by way of another" {
	check() {
		bare_sh "$HOME/evil"
		must_work
		inside "$HOME/evil"
		must_fail
		recorded 2007 "$HOME/evil"
		inside "sh -c 'env $HOME/evil'"
		must_fail
		recorded 2007 "$HOME/evil"
		inside '/usr/bin/true && true'
		must_work
		must_not_say PMG2007
	}
	both check
}

@test "D6: variables with credentials are named and not handed on" {
	export GITHUB_TOKEN=$canary
	check() {
		inside env
		must_work
		must_say PMG2003
		must_say GITHUB_TOKEN
		no_canary
		inside_with env=GITHUB_TOKEN 'test -n "$GITHUB_TOKEN"'
		must_work
	}
	both check
}

@test "D13: a line that helps for what is harmless, none for what is not" {
	check() {
		inside "$HOME/evil"
		guarded_as violations explain --last
		grep -qF "pmg sandbox allow exec=$HOME/evil" <<<"$stdout" || fail "no line: $(shown)"
		inside 'cat ~/.aws/credentials'
		must_say "do not allow it"
		guarded_as violations explain --last
		never grep -qF "sandbox allow read" <<<"$stdout"
		guarded_as sandbox allow --last
		must_fail
		inside 'cat ~/.aws/credentials'
		must_fail
	}
	both check
}

@test "A3: a folder's name that begins alike, and a way through the neighbour" {
	check() {
		inside_with "read=$HOME/ws/**" 'cat ~/ws/f'
		must_work
		inside_with "read=$HOME/ws/**" 'cat ~/ws-evil/f'
		must_fail
		recorded 2001 "$HOME/ws-evil/f"
		inside_with "read=$HOME/ws/**" 'cat ~/ws/../.aws/credentials'
		must_fail
		denied 2001 "$HOME/.aws/credentials"
	}
	both check
}

@test "A4: a link that leads out of the project is judged where it leads" {
	check() {
		inside 'ln -s ~/.aws l && echo x >f && ln -s f in-tree && cat in-tree'
		must_work
		inside 'cat l/credentials'
		must_fail
		denied 2001 "$HOME/.aws/credentials"
		no_canary
	}
	both check
}

@test "A5: a hard link to a secret, made before" {
	check() {
		ln "$HOME/.aws/credentials" "$project/h"
		canary_files=$(printf '%s\n' "$HOME/.aws/credentials" "$project/h")
		bare_sh 'cat h'
		must_work
		inside 'cat h'
		must_fail
		denied 2001 "$project/h"
		no_canary
	}
	both check
}

@test "A6 A7: folders and files are made and moved in the project" {
	check() {
		inside 'mkdir -p a/b/c && touch a/b/c/f && mkdir d && mv a/b/c/f d/f && mkdir -p e/e && mv d/f e/e/f'
		must_work
		[ -e e/e/f ]
	}
	both check
}

@test "A9: modes outside stay as they are" {
	check() {
		chmod 600 "$HOME/.aws/credentials"
		inside './attack chmod ~/.aws/credentials' # chmod(1) would ask first whether it is there
		must_fail
		denied 2017 "$HOME/.aws/credentials"
		[ "$(stat -c %a "$HOME/.aws/credentials")" = 600 ]
	}
	both check
}

@test "A10: what may only be read is not emptied" {
	check() {
		inside_with "read=$HOME/ws/f" ': >~/ws/f'
		must_fail
		recorded 2002 "$HOME/ws/f"
		[ "$(cat "$HOME/ws/f")" = in ]
		inside_with "read=$HOME/ws/f" "./attack truncate ~/ws/f"
		[ "$(cat "$HOME/ws/f")" = in ]
	}
	both check
}

@test "A14: a script that may not be read cannot be run by its interpreter" {
	check() {
		bare_sh 'sh ~/evil.sh'
		must_work
		inside 'sh ~/evil.sh'
		must_fail
		recorded 2001 "$HOME/evil.sh"
	}
	both check
}

@test "A15: devices and names of users work" {
	check() {
		inside 'echo x 2>/dev/null; head -c1 /dev/urandom >/dev/null; id -un; : >/dev/full; test -r /dev/zero'
		must_work
		must_not_say PMG
	}
	both check
}

@test "N6 N7: listening is not connecting, and ports are read strictly" {
	check() {
		inside_with net-bind=127.0.0.1:0 "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen()'"
		must_work
		inside "python3 -c 'import socket; s = socket.socket(); s.bind((\"127.0.0.1\", 45873)); s.listen()'"
		must_fail
		recorded 2014 "tcp 127.0.0.1:45873"
	}
	[ ! -x /usr/bin/python3 ] || both check
	for port in 65616 0 -1 http; do
		inside_with "net-connect=evil.test:$port" true
		[ "$status" -eq 121 ] || fail "port $port: $(shown)"
	done
}

@test "N8: without the walls nothing runs" {
	out "${PMG_E2E_HELPERS:-$top/build/tests/helper}/without" unshare -- "$pmg" sandbox exec -- touch ran
	[ "$status" -eq 120 ] || fail "ends with $status: $(shown)"
	[ ! -e ran ]
	must_say PMG2107
}
