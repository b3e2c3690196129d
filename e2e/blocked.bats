#!/usr/bin/env bats
# What is on the block list never lands, whichever way it comes; without pmg each of these works.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
	block pkg:npm/bad
	block pkg:npm/%40acme/bad
	block pkg:pypi/badpy
	block pkg:pypi/badsdist
}

# both NAME VERSION PLACE COMMAND...: works bare, is refused guarded, from the same start
both() {
	local name=$1 version=$2 place=$3
	shift 3
	rm -rf "$BATS_TEST_TMPDIR/start"
	cp -a "$project" "$BATS_TEST_TMPDIR/start"
	bare "$@"
	must_work
	[ -e "$place" ] || fail "the control did not put $place there: $(shown)"
	cd "$BATS_TEST_TMPDIR" || return
	rm -rf "$project" "$HOME/.npm" "$HOME/.local" "$HOME/.cache"
	cp -a start "$project"
	cd "$project" || return
	guarded ${allowed[@]+"${allowed[@]}"} "$@"
	refused "$name" "$version" "$place"
}

@test "npm: a direct dependency, and npm prints why" {
	both bad 2.0.0 node_modules/bad npm install bad
	must_say "403"
}

@test "npm: another version by range" {
	both bad 1.0.0 node_modules/bad npm install bad@^1
}

@test "npm: a dependency of a dependency" {
	both bad 1.0.0 node_modules/bad npm install needs-bad
}

@test "npm: a dependency of a folder that depends on it" {
	mkdir -p "$BATS_TEST_TMPDIR/a"
	echo '{"name":"a","version":"1.0.0","dependencies":{"needs-bad":"1.0.0"}}' >"$BATS_TEST_TMPDIR/a/package.json"
	allowed=(--sandbox-allow "read=$BATS_TEST_TMPDIR/a/") # it lies outside of the project
	both bad 1.0.0 node_modules/bad npm install --install-links "$BATS_TEST_TMPDIR/a"
}

@test "npm: from a lockfile, with npm ci" {
	package_json '{ "bad": "1.0.0" }'
	npm install --package-lock-only >/dev/null 2>&1
	both bad 1.0.0 node_modules/bad npm ci
}

@test "npm: a scoped package, asked for as @scope%2fname" {
	both @acme/bad 1.0.0 node_modules/@acme/bad npm install @acme/bad
}

@test "npm: under an alias" {
	both bad 1.0.0 node_modules/good npm install good@npm:bad@1.0.0
}

@test "npm: by the address of its tarball" {
	both bad 1.0.0 node_modules/bad npm install "${npm_base}bad/-/bad-1.0.0.tgz"
}

@test "npm: by an address that a lockfile names, on another host" {
	package_json '{ "bad": "1.0.0" }'
	npm install --package-lock-only >/dev/null 2>&1
	sed -i "s#https://127.0.0.1:$https/#https://127.0.0.2:$cdn_https/#" package-lock.json
	grep -q "127.0.0.2" package-lock.json || {
		# This npm leaves addresses out: put one in, as others write it.
		jq --arg u "https://127.0.0.2:$cdn_https/npm/bad/-/bad-1.0.0.tgz" \
			'.packages["node_modules/bad"].resolved = $u' package-lock.json >l && mv l package-lock.json
	}
	both bad 1.0.0 node_modules/bad npm ci
}

@test "npm: artifacts on a host that only metadata names" {
	use_npm /~cdn/npm/
	both bad 1.0.0 node_modules/bad npm install bad@1.0.0
}

@test "npm: artifacts on a host that a redirection names" {
	use_npm /~redirect/npm/
	both bad 1.0.0 node_modules/bad npm install bad@1.0.0
}

@test "npm: global install" {
	both bad 1.0.0 "$project/g/lib/node_modules/bad" npm install -g --prefix "$project/g" bad@1.0.0
}

@test "npm: every short name of install, update, exec and init" {
	package_json '{ "bad": "^1.0.0" }'
	local verb
	for verb in i in ins inst insta instal isnt isnta isntal isntall add install up update upgrade it install-test; do
		guarded npm "$verb"
		[ ! -e node_modules/bad ] || fail "npm $verb: landed"
		must_say PMG3006
		must_fail
	done
	npm install --package-lock-only >/dev/null 2>&1
	for verb in ci clean-install ic install-clean isntall-clean cit install-ci-test; do
		guarded npm "$verb"
		[ ! -e node_modules/bad ] || fail "npm $verb: landed"
		must_say PMG3006
		must_fail
	done
	local name
	for name in create-evil evil; do
		registry_add "{\"eco\":\"npm\",\"name\":\"$name\",\"version\":\"1.0.0\",\"bin\":{\"$name\":\"index.js\"}}"
		block "pkg:npm/$name"
	done
	for verb in exec x; do
		guarded npm "$verb" --yes evil
		must_say PMG3006
		must_fail
	done
	for verb in init create innit; do
		guarded npm "$verb" --yes evil
		must_say PMG3006
		must_fail
	done
	guarded npx --yes evil@1.0.0
	must_say PMG3006
	must_fail
}

@test "npm: options in front of the verb, workspaces, prefix" {
	mkdir -p a
	echo '{"name":"a","version":"1.0.0"}' >a/package.json
	echo '{"name":"project","version":"1.0.0","workspaces":["a"]}' >package.json
	both bad 1.0.0 node_modules/bad npm -w a i bad@1
	both bad 1.0.0 node_modules/bad npm --loglevel silly i bad@1
	echo '{"name":"project","version":"1.0.0"}' >package.json
	both bad 1.0.0 a/node_modules/bad npm --prefix a i bad@1
}

@test "npm: below a path prefix, wherever the registry is configured" {
	local base=https://127.0.0.1:$https/artifactory/api/npm/repo/
	unset npm_config_registry
	rm "$HOME/.npmrc"
	npm_config_registry=$base both bad 1.0.0 node_modules/bad npm i bad@1
	both bad 1.0.0 node_modules/bad npm i --registry "$base" bad@1
	echo "registry=$base" >.npmrc
	both bad 1.0.0 node_modules/bad npm i bad@1
	rm .npmrc
	echo "registry=$base" >"$HOME/.npmrc"
	both bad 1.0.0 node_modules/bad npm i bad@1
	printf '@acme:registry=%s\nregistry=https://127.0.0.1:%s/npm/\n' "$base" "$https" >.npmrc
	both @acme/bad 1.0.0 node_modules/@acme/bad npm i @acme/bad
}

@test "npm: a script that calls npm itself" {
	echo '{"name":"project","version":"1.0.0","scripts":{"x":"npm i bad@1"}}' >package.json
	guarded npm run x # what a script starts is a script: it reaches no registry by itself
	must_fail
	must_say "[PMG2009] connection to tcp 127.0.0.1:$https refused"
	allowed=(--sandbox-allow "net-connect=127.0.0.1:$https")
	both bad 1.0.0 node_modules/bad npm run x
}

@test "npm: an optional dependency is left out, and the run does not end with 0" {
	bare npm i maybe-bad
	must_work
	[ -e node_modules/bad ]
	rm -rf node_modules package-lock.json "$HOME/.npm"
	guarded npm i maybe-bad
	refused bad 1.0.0 node_modules/bad
	[ "$status" -eq 1 ]
}

@test "npm: without a terminal, in a session of its own, with an empty environment" {
	guarded npm i bad
	refused bad 2.0.0 node_modules/bad
	out setsid -w "$pmg" npm i bad
	refused bad 2.0.0 node_modules/bad
	out env -i PATH="$PATH" HOME="$HOME" npm_config_registry="$npm_base" \
		npm_config_cafile="$reg/ca.pem" setsid -w "$pmg" npm i bad
	refused bad 2.0.0 node_modules/bad
}

@test "npm: one version blocked lets the others pass" {
	registry_add '{"eco":"npm","name":"half","version":"1.0.0"}'
	registry_add '{"eco":"npm","name":"half","version":"1.0.1"}'
	block pkg:npm/half@1.0.1
	both half 1.0.1 node_modules/half npm i half@1.0.1
	guarded npm i half@1.0.0
	must_work
	[ -e node_modules/half ]
}

@test "pnpm: direct, transitive, scoped, alias, tarball, lockfile" {
	tool pnpm 10 pnpm
	both bad 2.0.0 node_modules/bad pnpm add bad
	both bad 2.0.0 node_modules/bad pnpm install bad
	both bad 2.0.0 node_modules/bad pnpm i bad
	both bad 1.0.0 node_modules/.pnpm/bad@1.0.0/node_modules/bad/package.json pnpm add needs-bad
	both @acme/bad 1.0.0 node_modules/@acme/bad pnpm add @acme/bad
	both bad 1.0.0 node_modules/good pnpm add good@npm:bad@1.0.0
	use_npm / # pnpm 10 takes a path prefix for a part of the name
	both bad 1.0.0 node_modules/bad pnpm add "${npm_base}bad/-/bad-1.0.0.tgz"
	package_json '{ "bad": "1.0.0" }'
	pnpm install --lockfile-only >/dev/null 2>&1
	both bad 1.0.0 node_modules/bad pnpm install --frozen-lockfile
}

@test "pnpm: flags in front of the verb, in a workspace" {
	tool pnpm 10 pnpm
	printf 'packages:\n  - a\n' >pnpm-workspace.yaml
	mkdir -p a
	echo '{"name":"a","version":"1.0.0"}' >a/package.json
	both bad 2.0.0 node_modules/bad pnpm -w add bad
	both bad 2.0.0 a/node_modules/bad pnpm --filter a add bad
	both bad 2.0.0 a/node_modules/bad pnpm -r add bad
}

@test "pnpm: the newest version" {
	tool pnpm latest pnpm
	both bad 2.0.0 node_modules/bad pnpm add bad
	both bad 1.0.0 node_modules/.pnpm/bad@1.0.0/node_modules/bad/package.json pnpm add needs-bad
}

@test "pip: direct, transitive, an sdist, by address, from a requirements file" {
	venv
	use_pip
	both badpy 1.0 lib/badpy pip install --target lib badpy
	both badpy 1.0 lib/badpy pip install --target lib needs-badpy
	both badsdist 1.0 lib/badsdist pip install --target lib badsdist
	both badpy 1.0 lib/badpy pip install --target lib \
		"https://127.0.0.1:$https/files/badpy/badpy-1.0-py3-none-any.whl"
	echo 'badpy==1.0' >requirements.txt
	both badpy 1.0 lib/badpy pip install --target lib -r requirements.txt
	both badpy 1.0 dl/badpy-1.0-py3-none-any.whl pip download -d dl badpy
	use_pip /artifactory/api/pypi/repo/simple/
	both badpy 1.0 lib/badpy pip install --target lib badpy
	both badpy 1.0 lib/badpy pip install --target lib -i "https://127.0.0.1:$https/~html/~relative/simple/" badpy
}

@test "pip: a name as somebody types it" {
	venv
	use_pip
	block pkg:pypi/odd-name-py
	both odd-name-py 1.0 lib/odd_name_py pip install --target lib ODD_name.Py
}

@test "real packages: npm, pnpm and pip refuse them as well" {
	unset npm_config_registry npm_config_cafile PIP_INDEX_URL PIP_CERT
	rm "$HOME/.npmrc"
	export NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
	[ -f "$NODE_EXTRA_CA_CERTS" ] || unset NODE_EXTRA_CA_CERTS
	online
	any_age
	block pkg:npm/is-number
	both is-number 6.0.0 node_modules/is-number npm i is-odd@3.0.1
	tool pnpm 10 pnpm
	both is-number 6.0.0 node_modules/.pnpm/is-number@6.0.0/node_modules/is-number/package.json pnpm add is-odd@3.0.1
	venv
	block pkg:pypi/six
	both six 1.16.0 lib/six.py pip install --target lib six==1.16.0
}
