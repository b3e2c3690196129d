#!/usr/bin/env bats
# The tool does not notice pmg: stdout byte for byte, exit status, signals, terminal.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
	some_index
}

scripts() {
	printf '{ "name": "project", "version": "1.0.0", "scripts": { %s } }\n' "$1" >package.json
}

# equal COMMAND...: stdout byte for byte (durations masked), stderr too, and the status, each from
# the same start; what the guarded one left is where the next begins.
equal() {
	local s o e start=$BATS_TEST_TMPDIR/start
	rm -rf "$start"
	mkdir "$start"
	cp -a "$project" "$HOME" "$start/"
	bare "$@"
	s=$status o=$(mask <<<"$stdout") e=$stderr
	cd "$BATS_TEST_TMPDIR" || return
	rm -rf "$project" "$HOME"
	cp -a "$start/." .
	cd "$project" || return
	guarded "$@"
	stdout=$(mask <<<"$stdout")
	same "exit status of $*" "$s" "$status"
	same "stdout of $*" "$o" "$stdout"
	same "stderr of $*" "$(mask <<<"$e")" "$(mask <<<"$stderr")"
}

@test "verbs that fetch nothing" {
	equal npm --version
	equal npm -v
	equal npm --help
	equal npm help install
	equal npm config get registry
	equal npm root -g
	equal npm prefix
	equal npm zzz
	equal npm ls
	equal npm ls --json
	equal npm pkg get name
	equal npm bin
	equal npm completion
	equal npx --version
	equal npm run
}

@test "verbs that ask the registry" {
	equal npm view tiny
	equal npm view tiny --json
	equal npm view tiny version
	equal npm view nothere version
	equal npm search tiny
	equal npm ping
	equal npm pack --json --dry-run
	equal npm ci
	equal npm outdated
	equal npm dist-tag ls tiny
}

@test "install is silent beyond what npm says" {
	equal npm install tiny
	equal npm install tiny
	equal npm install needs-tiny @acme/tool scripted
	equal npm uninstall tiny
	equal npm ls --all
	equal npm test
}

@test "exit codes of scripts come back" {
	scripts '"three":"exit 3","max":"exit 255","fine":"exit 0","term":"kill -TERM $$","kill":"kill -9 $$","up":"kill -TERM $PPID; sleep 2"'
	local script
	for script in three max fine term kill up nothere; do
		equal npm run "$script"
	done
	equal npm test
}

@test "a tool that a signal ends, ends pmg by the same signal" {
	mkdir -p bin
	printf '#!/bin/sh\nkill -KILL $$\n' >bin/npm
	chmod +x bin/npm
	bare env PATH="$PWD/bin:$PATH" npm install x
	[ "$status" -eq 137 ]
	out env PATH="$PWD/bin:$PATH" "$pmg" npm install x
	[ "$status" -eq 137 ] || fail "$(shown)"
}

@test "stdin reaches the tool" {
	scripts '"cat":"cat"'
	local bare_out
	bare_out=$(printf 'a\nb' | npm run -s cat)
	[ "$(printf 'a\nb' | "$pmg" npm run -s cat)" = "$bare_out" ]
	[ "$bare_out" = "$(printf 'a\nb')" ]
}

@test "a blocked program is told from a missing one" {
	out env PATH=/nowhere "$pmg" npm install x
	[ "$status" -eq 127 ]
	mkdir -p bin
	printf 'no program' >bin/npm
	chmod 644 bin/npm
	out env PATH="$PWD/bin" "$pmg" npm install x
	[ "$status" -eq 126 ] || [ "$status" -eq 127 ]
}

@test "npm init asks its questions on the terminal" {
	rm package.json
	unset CI
	local play=(--wait "package name:" --send '\n' --wait "version:" --send '2.3.4\n'
		--wait "description:" --send 'said on a terminal\n' --wait "entry point:" --send '\n'
		--wait "test command:" --send '\n' --wait "git repository:" --send '\n'
		--wait "keywords:" --send '\n' --wait "author:" --send '\n' --wait "license:" --send '\n')
	python3 "$top/tests/helper/onpty.py" "${play[@]}" --sleep 0.7 --send '\n' --sleep 0.7 --send '\n' -- \
		npm init >bare.out || true
	[ -f package.json ] || fail "the control made no package.json: $(cat bare.out)"
	mv package.json bare.json
	python3 "$top/tests/helper/onpty.py" "${play[@]}" --sleep 0.7 --send '\n' --sleep 0.7 --send '\n' -- \
		"$pmg" npm init >guarded.out
	diff bare.json package.json
	grep -q 2.3.4 package.json
}

@test "the tool sees a terminal where there is one, and none where there is none" {
	scripts '"tty":"node -p \"[0,1,2].map(n => require(\u0027tty\u0027).isatty(n))\""'
	equal npm run -s tty
	local b g
	b=$(python3 "$top/tests/helper/onpty.py" -- npm run -s tty)
	g=$(python3 "$top/tests/helper/onpty.py" -- "$pmg" npm run -s tty)
	same "what a terminal run sees" "$b" "$g"
	grep -q true <<<"$g"
}

@test "terminal modes are the same afterwards" {
	scripts '"raw":"stty raw -echo; kill -9 $$"'
	local g
	g=$(python3 "$top/tests/helper/onpty.py" -- sh -c \
		'a=$(stty -g); "$1" npm run -s raw >/dev/null 2>&1; b=$(stty -g); [ "$a" = "$b" ] && echo restored' sh "$pmg")
	grep -q restored <<<"$g"
}

@test "pip and pnpm: versions, help, lists, unknown verbs" {
	venv
	use_pip
	equal pip --version
	equal pip --help
	equal pip list
	equal pip list --format json
	equal pip zzz
	equal pip config list
	equal pip install --target lib tinypy
	tool pnpm 10 pnpm
	equal pnpm --version
	equal pnpm root
	equal pnpm zzz
	equal pnpm list --json
	equal pnpm add tiny
}

@test "called by a link of the tool's name" {
	mkdir -p bin
	ln -s "$pmg" bin/npm
	bare npm --version
	local version=$stdout
	out env PATH="$PWD/bin:$PATH" npm --version
	[ "$stdout" = "$version" ] || fail "$(shown)"
	block pkg:npm/bad
	out env PATH="$PWD/bin:$PATH" npm install bad
	refused bad 2.0.0 node_modules/bad
}

@test "links that call each other end at the real program" {
	mkdir -p one two
	ln -s "$pmg" one/npm
	ln -s "$PWD/one" link
	cp "$pmg" two/npm
	bare npm --version
	local version=$stdout
	out env PATH="$PWD/link:$PWD/one:$PWD/two:$PATH" timeout 10 npm --version
	[ "$stdout" = "$version" ] || fail "$(shown)"
}
