#!/usr/bin/env bats
# Versions that are too young: managers choose what is old enough, what names one all the same is
# refused, and no cache remembers any of it.
# shellcheck disable=SC2154,SC2034 # what helper.bash and fixture.bash set and use
load helper
load fixture
# shellcheck disable=SC2034 # fixture.bash reads it: here age is what counts
waits=()
load python

setup_file() {
	registry_start
	stand_in
	young npm alpha 1.0.0 1.1.0 2.0.0
	young pypi alphapy 1.0 1.1 2.0
	registry_add '[{"eco":"npm","name":"upper","version":"1.0.0","age":"300d"},
		{"eco":"npm","name":"upper","version":"2.0.0","age":"9d","dependencies":{"lower":"^2.0.0"}},
		{"eco":"npm","name":"lower","version":"1.0.0","age":"400d"},
		{"eco":"npm","name":"lower","version":"2.0.0","age":"1h"}]'
}
teardown_file() { registry_stop; }
teardown() { let_go; }

setup() {
	home
	package_json
	use_npm
	some_index
	forget
}

# young ECO NAME OLDEST OLD YOUNG: out for 400 days, 10 days, 1 hour; "latest" is the last one.
young() {
	registry_add "$(jq -nc --arg e "$1" --arg n "$2" '[{version: $ARGS.positional[0], age: "400d"},
		{version: $ARGS.positional[1], age: "10d"}, {version: $ARGS.positional[2], age: "1h"}] |
		map(. + {eco: $e, name: $n})' --args "${@:3}")"
}

installed() { # NAME VERSION
	[ "$(jq -r .version "node_modules/$1/package.json")" = "$2" ] || fail "not $1@$2: $(shown)"
}

again() { # an empty project
	cd "$BATS_TEST_TMPDIR" || return
	rm -rf "$project"
	mkdir "$project"
	cd "$project" || return
	package_json
}

@test "npm takes the newest version that is old enough, though its cache knows a newer one" {
	bare npm view alpha version
	[ "$stdout" = 2.0.0 ]
	report=$BATS_TEST_TMPDIR/report.json
	guarded --report "$report" npm install alpha
	must_work
	installed alpha 1.1.0
	[ "$(jq -r '.packages["node_modules/alpha"].version' package-lock.json)" = 1.1.0 ]
	must_say "withheld: alpha 2.0.0 (1 h old, min age 5 d) (npm); 1.1.0 used instead"
	in_report '.packages[] | select(.name == "alpha" and .verdict == "withheld") |
		.version == "2.0.0" and .instead == "1.1.0" and (.published | length) > 0'
	in_report '.packages[] | select(.name == "alpha" and .verdict == "allow") | .version == "1.1.0"'
	# Exactly one hour is not refused by a shorter wait: the rule is what did it.
	again
	guarded --min-age 30m npm install alpha
	must_work
	installed alpha 2.0.0
	must_not_say withheld
}

@test "what a guarded run was told stays in no manager's cache: a bare run sees the true latest" {
	local manager
	unset CI
	tool pnpm 10 pnpm
	tool bun 1 bun
	export YARN_CACHE_FOLDER=$HOME/yarn-cache
	for manager in npm pnpm pnpm12 bun yarn berry; do
		case $manager in
		pnpm12) # asks by the date that is in a document, too
			tool pnpm 12 pnpm
			use_npm "/~nomatch/npm/"
			;;
		bun) use_npm ;;
		yarn) tool yarn 1 yarn ;;
		berry)
			tool @yarnpkg/cli-dist 4 yarn
			export YARN_NPM_REGISTRY_SERVER=$npm_base YARN_HTTPS_CA_FILE_PATH=$reg/ca.pem
			export YARN_NODE_LINKER=node-modules YARN_ENABLE_TELEMETRY=0
			export YARN_NPM_MINIMAL_AGE_GATE=0 # a wait of its own
			;;
		esac
		set -- "$manager" add alpha
		case $manager in
		pnpm12) set -- pnpm --config.minimum-release-age=0 add alpha ;; # a wait of its own
		berry) set -- yarn add alpha ;;
		esac
		again
		touch yarn.lock # berry takes the folder for a project of its own by that
		[ "$manager" = berry ] || rm yarn.lock
		guarded "$@"
		must_work
		installed alpha 1.1.0
		must_say "withheld: alpha 2.0.0"
		again
		[ "$manager" != berry ] || touch yarn.lock
		bare "$@"
		must_work
		installed alpha 2.0.0
	done
}

@test "pip and uv: the same, by dates of each file" {
	local tool target
	venv
	python_tool uv 0.13.9 uv uvx
	use_python
	for tool in pip uv; do
		target=$project/$tool
		set -- pip install -q --target "$target" alphapy
		[ "$tool" = pip ] || set -- uv "$@"
		guarded "$@"
		must_work
		[ -d "$target/alphapy-1.1.dist-info" ] || fail "not 1.1: $(ls "$target")"
		must_say "withheld: alphapy 2.0 (1 h old, min age 5 d) (pypi); 1.1 used instead"
		rm -rf "$target"
		bare "$@"
		must_work
		[ -d "$target/alphapy-2.0.dist-info" ] || fail "not 2.0: $(ls "$target")"
		rm -rf "$target"
		# Its cache knows the young one now, page and file.
		guarded "$@"
		must_work
		[ -d "$target/alphapy-1.1.dist-info" ] || fail "not 1.1: $(ls "$target")"
		rm -rf "$target"
	done
	# 10 days are not 11; the file itself is refused as well.
	guarded --min-age 11d pip install -q --target "$project/eleven" alphapy
	must_work
	[ -d "$project/eleven/alphapy-1.0.dist-info" ] || fail "not 1.0: $(ls "$project/eleven")"
	guarded pip install -q --target "$project/direct" \
		"https://127.0.0.1:$https/files/alphapy/alphapy-2.0-py3-none-any.whl"
	must_fail
	must_say "[PMG3003] refused alphapy@2.0 (pypi): 1 h old, min age 5 d"
	[ ! -e "$project/direct" ]
}

@test "an index that answers in HTML is asked for JSON by pmg itself; one without dates is withheld" {
	venv
	use_python "/~htmlfirst/simple/"
	guarded pip install -q --target lib alphapy
	must_work
	[ -d lib/alphapy-1.1.dist-info ] || fail "not 1.1: $(ls lib)"
	use_python "/~html/simple/"
	guarded pip install -q --target dateless alphapy
	must_fail
	must_say "does not say when it was published"
	[ ! -e dateless/alphapy ]
	settle $'dependency_cooldown: {undated: warn}\n'
	guarded pip install -q --target dateless alphapy
	must_work
	[ -d dateless/alphapy-2.0.dist-info ]
}

@test "a lockfile that pins a young version is refused with version, age and rule, by each way in" {
	npm install alpha >/dev/null 2>&1
	rm -rf node_modules "$HOME/.npm"
	cp package-lock.json "$BATS_TEST_TMPDIR/before"
	guarded npm ci
	must_fail
	must_say "[PMG3003] refused alpha@2.0.0 (npm): 1 h old, min age 5 d"
	[ ! -e node_modules/alpha ]
	cmp package-lock.json "$BATS_TEST_TMPDIR/before"
	bare npm ci # the control
	must_work
	installed alpha 2.0.0
	# From here on it is in npm's cache, so that nobody would ask for it.
	forget
	rm -rf node_modules
	guarded npm ci --offline
	must_fail
	must_say "[PMG3003] refused alpha@2.0.0 (npm): 1 h old, min age 5 d"
	must_say "package-lock.json:"
	must_say "nothing was started"
	[ ! -e node_modules ]
	[ "$(asked tgz)" -eq 0 ]
	# Bundled, it says, and has an archive of its own.
	sed -i 's/"version": "2.0.0",/& "inBundle": true,/' package-lock.json
	guarded npm ci --offline
	must_fail
	must_say "[PMG3003] refused alpha@2.0.0 (npm): 1 h old, min age 5 d"
	must_say "nothing was started"
	bare npm ci --offline # the control
	must_work
	guarded npm run env # it lies there: nothing lands
	must_work
	guarded npm install alpha@1.1.0 # the way out
	must_work
	installed alpha 1.1.0
	# What is known of a version needs no network; of one that was never judged it does.
	rm -rf node_modules "$HOME/.cache/pmg/dates"
	https_proxy=http://127.0.0.1:1 guarded npm ci --offline
	must_fail
	must_say "refused alpha@1.1.0 (npm): no publish time is known: "
	must_say "--skip-dependency-cooldown leaves the wait out"
	guarded npm ci --offline
	must_work
	forget
	rm -rf node_modules
	guarded npm ci --offline
	must_work
	installed alpha 1.1.0
	[ "$(asked .)" -eq 0 ] || fail "the registry was asked: $(cat "$reg/log.jsonl")"
	tool pnpm 10 pnpm
	again
	pnpm add alpha >/dev/null 2>&1
	for option in "" --frozen-lockfile; do
		rm -rf node_modules "$HOME"/.cache/pnpm "$HOME"/.local/share/pnpm
		guarded pnpm install $option
		must_fail
		must_say "[PMG3003] refused alpha@2.0.0 (npm): 1 h old, min age 5 d"
		[ ! -e node_modules/alpha ]
	done
}

# Out of the cache that COMMAND would install from, by what the lockfile pins.
refused_out_of_cache() { # WHERE IT LANDS, WHAT IS SAID, COMMAND...
	local lands=$1 says=$2
	shift 2
	rm -rf "${lands%%/*}"
	guarded "$@"
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
	must_say "[PMG3003] refused $says: 1 h old, min age 5 d"
	must_say "nothing was started"
	[ ! -e "$lands" ] || fail "it landed"
	bare "$@" # the control
	must_work
	[ -e "$lands" ] || fail "the control did not install it"
	guarded "$@" # it lies there
	must_work
}

@test "a young version that a lockfile pins does not come out of a warm cache or store either" {
	export YARN_CACHE_FOLDER=$HOME/yarn-cache
	tool pnpm 10 pnpm
	tool yarn 1 yarn
	tool bun 1 bun
	pnpm add alpha >/dev/null 2>&1
	refused_out_of_cache node_modules/alpha "alpha@2.0.0 (npm)" pnpm install --frozen-lockfile --offline
	again
	yarn add alpha >/dev/null 2>&1
	refused_out_of_cache node_modules/alpha "alpha@2.0.0 (npm)" yarn install --frozen-lockfile --offline
	again
	bun add alpha >/dev/null 2>&1
	refused_out_of_cache node_modules/alpha "alpha@2.0.0 (npm)" bun install --frozen-lockfile
	again
	python_tool uv 0.13.9 uv uvx
	use_python
	printf '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["alphapy"]\n' >pyproject.toml
	uv sync >/dev/null 2>&1
	refused_out_of_cache .venv/bin "alphapy@2.0 (pypi)" uv sync --offline
	rm -rf .venv
	guarded uv run --offline python -c 1
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
}

@test "a dependency for which there is no older version: one report, and both ways out" {
	guarded npm install upper
	must_fail
	must_say "[PMG3004] lower (npm)"
	must_say "2.0.0 (1 h old, min age 5 d, old enough on "
	must_say "ask for an older version of it or of what needs it"
	must_say "or let it in: dependency_cooldown.skip in $HOME/.config/pmg/config.yml"
	must_say '    - {purl: "pkg:npm/lower@2.0.0", reason: "..."}'
	[ ! -e node_modules/upper ]
	# The first way out, and the second.
	guarded npm install upper@1
	must_work
	installed upper 1.0.0
	settle $'dependency_cooldown: {skip: [{purl: "pkg:npm/lower@2.0.0", reason: looked at}]}\n'
	guarded npm install upper@2
	must_work
	installed lower 2.0.0
}

@test "mode fail: nothing is left out, and nothing is installed" {
	settle $'dependency_cooldown: {mode: fail}\n'
	guarded npm install alpha
	must_fail
	must_say "[PMG3003] refused alpha@2.0.0 (npm): 1 h old, min age 5 d"
	must_not_say "withheld:"
	[ ! -e node_modules/alpha ]
	[ ! -e package-lock.json ]
	[ "$(jq -c .dependencies package.json)" = "{}" ]
}

@test "where nothing is withheld a document is as without pmg; without a wait the request is, too" {
	client_setup
	local abbreviated="-H 'Accept: application/vnd.npm.install-v1+json'"
	both='get full --compressed "$at/npm/tiny"
		get plain "$at/npm/tiny"'
	without "$both"
	must_work
	mkdir "$BATS_TEST_TMPDIR/bare"
	mv ./*.head ./*.body "$BATS_TEST_TMPDIR/bare/"
	through "$both"
	must_work
	for name in full plain; do
		cmp "$name.body" "$BATS_TEST_TMPDIR/bare/$name.body"
		diff "$name.head" "$BATS_TEST_TMPDIR/bare/$name.head" >&2 || fail "another head"
		grep -qi '^etag: ' "$name.head"
	done
	forget
	walls+=(--skip-dependency-cooldown)
	through "get short $abbreviated \"\$at/npm/alpha\"
		get again $abbreviated -H \"If-None-Match: \$(sed -n 's/^etag: //Ip' short.head)\" \"\$at/npm/alpha\""
	must_work
	grep -q '^HTTP/1.1 304' again.head || fail "asked for the whole again: $(cat again.head)"
	[ "$(jq -s 'map(select(.path == "/npm/alpha") | .headers.Accept) | unique' -c "$reg/log.jsonl")" = \
		'["application/vnd.npm.install-v1+json"]' ]
	[ "$(jq -r '.versions | keys | length' short.body)" -eq 3 ]
}

@test "the giant of 100 MB and 200,000 versions, packed and not, loses one version in bounded memory" {
	local kind
	for kind in "~young" "~young/~gzip"; do
		client_setup "/$kind/npm/"
		begin "get huge --compressed \"\$at/$kind/npm/huge\"; pause"
		must_be_small
		finish
		must_work
		[ ! -e huge.failed ] || fail "curl says $(cat huge.failed)"
		python3 - huge.body <<'PY'
import json, sys
doc = json.load(open(sys.argv[1]))
assert len(doc["versions"]) == 199999, len(doc["versions"])
assert doc["dist-tags"]["latest"] in doc["versions"], doc["dist-tags"]
assert len([v for v in doc["time"] if v[0].isdigit()]) == 199999
PY
	done
}
