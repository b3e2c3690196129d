#!/usr/bin/env bats
# yarn through pmg: version 1, and berry (2 to 4), which are two programs of one name.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	some_index
	# As root yarn 1 shares one cache among all homes; berry does not read an npmrc.
	export YARN_CACHE_FOLDER=$HOME/yarn-cache YARN_NPM_REGISTRY_SERVER=$npm_base
	export YARN_HTTP_RETRY=0 YARN_ENABLE_TELEMETRY=0
	unset CI # else berry takes every install for one that may change nothing
}

use_yarn() { # VERSION
	unset YARN_NPM_REGISTRY_SERVER YARN_HTTP_RETRY YARN_ENABLE_TELEMETRY
	case $1 in
	1*) tool yarn "$1" yarn ;;
	*)
		tool @yarnpkg/cli-dist "$1" yarn
		printf 'npmRegistryServer: "%s"\nhttpRetry: 0\nenableTelemetry: false\nenableScripts: true\n' "$npm_base" >"$HOME/.yarnrc.yml"
		# Where a command has to find its project.
		touch yarn.lock
		;;
	esac
}

workspace() {
	mkdir -p packages/a packages/b
	echo '{"name":"w","version":"1.0.0","private":true,"workspaces":["packages/*"],
		"dependencies":{"scripted":"1.0.0"},
		"scripts":{"outer":"yarn inner","inner":"cat .npmrc > node_modules/seen; yarn --version"}}' >package.json
	echo '{"name":"a","version":"1.0.0","dependencies":{"tiny":"1.0.0"}}' >packages/a/package.json
	echo '{"name":"b","version":"1.0.0","dependencies":{"a":"1.0.0","tiny":"1.1.0"}}' >packages/b/package.json
}

everyday() { # WORDS THAT ADD TO THE ROOT
	guarded yarn install
	must_work
	must_not_say "pmg:"
	guarded yarn "$@" needs-tiny
	must_work
	grep -q needs-tiny package.json
	guarded yarn workspace b add @acme/tool
	must_work
	grep -q @acme/tool packages/b/package.json
	guarded yarn remove ${2:+"$2"} needs-tiny
	must_work
	never grep -q needs-tiny package.json
	must_not_say "denied"
}

@test "yarn 1 installs a workspace, adds, removes and installs what is locked, as without pmg" {
	use_yarn 1
	workspace
	everyday add -W
	[ -f node_modules/tiny/package.json ]
	[ "$(readlink -f node_modules/a)" = "$project/packages/a" ]
	rm -rf node_modules packages/*/node_modules
	bare yarn install --frozen-lockfile
	must_work
	local without_pmg
	without_pmg=$(tree .)
	rm -rf node_modules packages/*/node_modules "$HOME/yarn-cache"
	guarded yarn install --frozen-lockfile
	must_work
	same "the tree" "$without_pmg" "$(tree .)"
	never grep -rq 'http://pmg:' . "$HOME"
	# A lockfile that says something else is no reason to go on.
	jq '.dependencies.bad = "1.0.0"' package.json >p && mv p package.json
	bare yarn install --frozen-lockfile
	must_fail
	guarded yarn install --frozen-lockfile
	must_fail
}

# berry VERSION
berry() {
	use_yarn "$1"
	workspace
	sed -i 's/"a":"1.0.0"/"a":"workspace:*"/' packages/b/package.json
	everyday add
	guarded yarn install --immutable
	must_work
	no_trace "$project"
	echo '{"name":"a","version":"1.0.0","dependencies":{"bad":"1.0.0"}}' >packages/a/package.json
	bare yarn install --immutable
	must_fail
	guarded yarn install --immutable
	must_fail
}

@test "yarn 4 does so with Plug'n'Play" {
	berry 4
	[ -f .pnp.cjs ] && [ ! -e node_modules ]
	guarded yarn node -p 'require("scripted/package.json").name'
	must_work
	[ "$stdout" = scripted ]
}

@test "yarn 3 does so with node_modules" {
	echo 'nodeLinker: node-modules' >.yarnrc.yml
	berry 3
	[ -f node_modules/tiny/package.json ] && [ ! -e .pnp.cjs ]
}

@test "yarn 2, which sends no user name to a proxy, gets through within walls, and without them nowhere" {
	use_yarn 2
	package_json '{"tiny":"1.0.0"}'
	guarded --no-sandbox yarn install
	must_fail
	guarded yarn install
	must_work
	[ -f .pnp.js ]
}

@test "what is blocked never lands, by any yarn, and is named" {
	block pkg:npm/bad
	for version in 1 3 4; do
		(
			cd "$BATS_TEST_TMPDIR"
			rm -rf project "$HOME/yarn-cache" "$HOME/.yarn"
			mkdir project
			cd project
			package_json
			use_yarn "$version"
			[ "$version" = 1 ] || echo 'nodeLinker: node-modules' >.yarnrc.yml
			cp -a . ../start
			bare yarn add needs-bad
			must_work
			[ -e node_modules/bad ] || fail "no control: $(shown)"
			cd "$BATS_TEST_TMPDIR"
			rm -rf project "$HOME/yarn-cache" "$HOME/.yarn"
			mv start project
			cd project
			guarded yarn add needs-bad
			refused bad 1.0.0 node_modules/bad
		) || return 1
	done
}

@test "a script of a package that reads ~/.ssh is refused, with its package and name" {
	mkdir -p "$HOME/.ssh" evil
	echo key >"$HOME/.ssh/id_rsa"
	echo '{"name":"evil","version":"1.2.3","scripts":{"postinstall":"cat $HOME/.ssh/id_rsa"}}' >evil/package.json
	for version in 1 4; do
		use_yarn "$version"
		package_json '{"evil":"file:./evil"}'
		rm -rf node_modules yarn.lock .yarn .pnp.cjs
		touch yarn.lock
		[ "$version" = 1 ] && rm yarn.lock
		guarded yarn install
		must_fail
		must_say "PMG2001"
		must_say "by evil@1.2.3 (postinstall)"
		rm -rf node_modules yarn.lock .yarn .pnp.cjs
		[ "$version" = 1 ] || touch yarn.lock
		bare yarn install
		must_work
	done
}

@test "yarn within a script of yarn goes on where credentials are closed" {
	use_yarn 1
	workspace
	guarded yarn install
	must_work
	echo "//registry.test/:_authToken=abc" >.npmrc
	echo 'registry "https://registry.test"' >"$HOME/.yarnrc"
	bare yarn run outer
	must_work
	grep -q abc node_modules/seen
	guarded yarn run outer
	must_work
	[ ! -s node_modules/seen ]
	must_say "denied"
}

@test "the yarn that a project brings is the manager, and no script may change it" {
	use_yarn 4
	local release
	release=$(readlink -f "$(command -v yarn)")
	use_yarn 1
	mkdir -p .yarn/releases
	cp "$release" .yarn/releases/yarn-4.cjs
	printf 'yarnPath: .yarn/releases/yarn-4.cjs\nnodeLinker: node-modules\n' >.yarnrc.yml
	touch yarn.lock
	package_json '{"tiny":"1.0.0"}'
	jq '.scripts.change = "echo x >> .yarn/releases/yarn-4.cjs"' package.json >p && mv p package.json
	guarded yarn install
	must_work
	[ -f node_modules/tiny/package.json ]
	guarded yarn run change
	must_fail
	must_say PMG2002
	bare yarn run change
	must_work
}

@test "what a file of yarn's own puts above every variable is overruled or refused" {
	package_json '{"tiny":"1.0.0"}'
	use_yarn 1
	printf 'cafile "/dev/null"\nproxy "http://127.0.0.1:9/"\nhttps-proxy "http://127.0.0.1:9"\n' >.yarnrc
	guarded yarn install
	must_say "127.0.0.1:9" # the parent proxy of pmg's own by now, and nobody is there
	echo 'cafile "/dev/null"' >.yarnrc
	guarded yarn install
	must_work
	echo '--install.https-proxy "http://127.0.0.1:9"' >.yarnrc
	guarded yarn install
	[ "$status" -ge 120 ] || fail "$(shown)"
	must_say ".yarnrc:1"
	rm -rf .yarnrc node_modules yarn.lock
	use_yarn 4
	echo 'httpsCaFilePath: /dev/null' >.yarnrc.yml
	guarded yarn install
	must_work
	echo 'networkSettings: {"*": {httpsProxy: "http://127.0.0.1:9"}}' >.yarnrc.yml
	guarded yarn install
	[ "$status" -ge 120 ] || fail "$(shown)"
	must_say ".yarnrc.yml:1"
}

@test "a shell of the project that is called git is no part of yarn" {
	need jq
	use_yarn 1
	echo "//registry.test/:_authToken=CANARY-OF-NPM" >>"$HOME/.npmrc"
	cp "$(readlink -f /bin/bash)" git
	echo 'script-shell "./git"' >.yarnrc
	jq -n '{ name: "p", version: "1.0.0", scripts: { postinstall: "cat ~/.npmrc >node_modules/got; true" } }' >package.json
	mkdir node_modules
	bare yarn install
	must_work
	grep -q CANARY-OF-NPM node_modules/got || fail "the control reads nothing"
	rm -r node_modules
	mkdir node_modules
	guarded yarn install
	must_not_say CANARY-OF-NPM
	never grep -qs CANARY-OF-NPM node_modules/got
}
