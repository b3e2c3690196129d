#!/usr/bin/env bats
# bun and bunx through pmg: one program, no node needed.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	some_index
	unset CI npm_config_cafile
	tool bun 1 bun
}

workspace() {
	mkdir -p packages/a packages/b
	echo '{"name":"w","version":"1.0.0","private":true,"workspaces":["packages/*"],
		"trustedDependencies":["scripted"],"dependencies":{"scripted":"1.0.0"},
		"scripts":{"outer":"bun run inner","inner":"cat .npmrc > node_modules/seen; bun --version"}}' >package.json
	echo '{"name":"a","version":"1.0.0","dependencies":{"tiny":"1.0.0"}}' >packages/a/package.json
	echo '{"name":"b","version":"1.0.0","dependencies":{"a":"workspace:*","tiny":"1.1.0"}}' >packages/b/package.json
}

@test "bun installs a workspace as without pmg, hard links included, and what is locked" {
	workspace
	bare bun install
	must_work
	local without_pmg link_counts said=$stdout
	without_pmg=$(tree .)
	link_counts=$(links .)
	rm -rf node_modules packages/*/node_modules bun.lock "$HOME/.bun"
	guarded bun install
	must_work
	same "stdout" "$(mask <<<"$said")" "$(mask <<<"$stdout")"
	same "the tree" "$without_pmg" "$(tree .)"
	same "link counts" "$link_counts" "$(links .)"
	never grep -rq 'http://pmg:' . "$HOME"
	[ "$(stat -c %h node_modules/scripted/package.json)" -gt 1 ]
	[ "$(cat node_modules/scripted/marked)" = yes ]
	[ "$(readlink -f packages/b/node_modules/a)" = "$project/packages/a" ]
	rm -rf node_modules packages/*/node_modules
	guarded bun install --frozen-lockfile
	must_work
	[ -f packages/a/node_modules/tiny/package.json ]
	sed -i 's/"tiny":"1.0.0"/"tiny":"1.1.0"/' packages/a/package.json
	guarded bun install --frozen-lockfile
	must_fail
}

@test "bun adds, removes, runs and lists, says nothing of it, and reads no .env" {
	workspace
	echo 'NO_PROXY=*' >.env
	bare bun install
	must_work
	rm .env
	for words in "add needs-tiny" "add --cwd packages/b @acme/tool" "remove needs-tiny" "pm ls" "run outer" "x tiny@1.1.0"; do
		# shellcheck disable=SC2086
		guarded bun $words
		must_work
		must_not_say "pmg:"
	done
	[ "$stdout" = "tiny 1.1.0" ]
	grep -q @acme/tool packages/b/package.json
	never grep -q needs-tiny package.json
	# What it would take for variables is closed, and no reason to stop.
	printf 'NO_PROXY=*\nSECRET=abc\n' >.env
	guarded bun -e 'console.log(process.env.SECRET ?? "none")'
	must_work
	[ "$stdout" = none ]
	must_say "1 denied"
	bare bun -e 'console.log(process.env.SECRET ?? "none")'
	[ "$stdout" = abc ]
	block pkg:npm/bad
	guarded --no-sandbox bun add bad
	refused bad 2.0.0 node_modules/bad
}

@test "bunx runs a package, and bun add -g installs into the user's own folder" {
	guarded bunx tiny@1.1.0
	must_work
	[ "$stdout" = "tiny 1.1.0" ]
	guarded bun add -g tiny@1.1.0
	must_work
	[ "$("$HOME/.bun/bin/tiny")" = "tiny 1.1.0" ]
}

@test "what is blocked never lands, by bun or bunx, and is named" {
	block pkg:npm/bad
	block pkg:npm/tiny@1.1.0
	package_json
	bare bun add needs-bad
	must_work
	[ -e node_modules/bad ]
	rm -rf node_modules bun.lock "$HOME/.bun"
	package_json
	guarded bun add needs-bad
	refused bad 1.0.0 node_modules/bad
	guarded bunx tiny@1.1.0
	refused tiny 1.1.0 node_modules/tiny
	[ -z "$stdout" ]
}

@test "a script of a package that reads ~/.ssh is refused, with its package and name" {
	mkdir -p "$HOME/.ssh" evil
	echo key >"$HOME/.ssh/id_rsa"
	echo '{"name":"evil","version":"1.2.3","scripts":{"postinstall":"cat $HOME/.ssh/id_rsa"}}' >evil/package.json
	echo '{"name":"p","trustedDependencies":["evil"],"dependencies":{"evil":"file:./evil"}}' >package.json
	guarded bun install
	must_fail
	must_say PMG2001
	must_say "by evil@1.2.3 (postinstall)"
	rm -rf node_modules
	bare bun install
	must_work
}

@test "certificates that a file names would win, so the run ends with its line" {
	package_json '{"tiny":"1.0.0"}'
	printf '[install]\ncafile = "%s"\n' "$reg/ca.pem" >bunfig.toml
	guarded bun install
	[ "$status" -ge 120 ] || fail "$(shown)"
	must_say "bunfig.toml:2"
	[ ! -e node_modules ]
	bare bun install
	must_work
}

@test "code that bun itself runs is a script, and reads no configuration of bun's" {
	echo "//registry.test/:_authToken=CANARY-OF-NPM" >>"$HOME/.npmrc"
	echo 'console.log(await Bun.file(process.env.HOME + "/.npmrc").text())' >x.ts
	for words in "x.ts" "run x.ts" "./x.ts"; do
		# shellcheck disable=SC2086
		bare bun $words
		must_work
		grep -q CANARY-OF-NPM <<<"$stdout" || fail "the control reads nothing: $(shown)"
		# shellcheck disable=SC2086
		guarded bun $words
		same "status" 1 "$status" # it reads as empty, and that it was asked for is told
		must_say "do not allow it"
		must_not_say CANARY-OF-NPM
	done
}
