#!/usr/bin/env bats
# What the proxy does not see: packages that lockfiles pin, that lie installed, or that come out of
# the manager's own cache.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	some_index
}

# What npm has in its cache before anybody knew of it: a package whose script leaves a mark.
warm() { # NAME
	registry_add '{"eco":"npm","name":"'"$1"'","version":"1.0.0","scripts":{"postinstall":"node mark.js"},
		"files":{"mark.js":"require(\"fs\").writeFileSync(\"marked\", \"yes\")\n"}}'
	package_json '{ "'"$1"'": "1.0.0" }'
	bare npm install
	must_work
	[ "$(cat node_modules/"$1"/marked)" = yes ] || fail "the control did not run its script"
}

@test "npm: a lockfile with a listed package is refused before anything runs, and can be mended" {
	warm lateone
	rm -rf node_modules
	record lateone 1.0.0 MAL-2026-77 >m.json
	"$pmg" intel import --name late m.json >/dev/null 2>&1
	rm m.json
	forget
	local verb
	for verb in ci install "install --offline" "install tiny"; do
		# shellcheck disable=SC2086
		guarded npm $verb
		[ "$status" -eq 1 ] || fail "not refused: $(shown)"
		must_say '[PMG3008] refused lateone@1.0.0 (npm): known malware, PMG3001 MAL-2026-77'
		must_say 'package-lock.json:'
		must_say 'nothing was started'
		[ ! -e node_modules ] || fail "something was installed: $(shown)"
	done
	[ "$(asked .)" -eq 0 ] || fail "the registry was asked: $(cat "$reg/log.jsonl")"
	# It stands where the message says.
	local line
	line=$(grep -o 'package-lock.json:[0-9]*' <<<"$stderr" | head -n 1 | cut -d: -f2)
	sed -n "${line}p" package-lock.json | grep -q '"node_modules/lateone": {'
	"$pmg" audit list --blocked --json | jq -e '.[0].packages[0] | .name == "lateone" and .code == "PMG3008"
		and .ids == ["MAL-2026-77"]' >/dev/null || fail "not in the ledger"
	# Listed in the lockfile and, as what is installed, in npm's own list: of the two each is asked of.
	npm install --ignore-scripts >/dev/null 2>&1
	[ -e node_modules/.package-lock.json ]
	guarded npm uninstall not-there
	[ "$status" -eq 1 ] || fail "it still stands there: $(shown)"
	must_say '[PMG3008] refused lateone@1.0.0 (npm): known malware'
	guarded npm uninstall lateone
	must_work
	must_say 'this command may take it out'
	never grep -q lateone package-lock.json package.json
	"$pmg" audit list --json | jq -e '.[0].exit == 0' >/dev/null || fail "not in the ledger"
}

@test "npm: what comes out of its cache is checked, and is on record" {
	package_json '{ "tiny": "1.0.0" }'
	npm install >/dev/null 2>&1
	rm -rf node_modules
	forget
	guarded -v npm ci --offline
	must_work
	[ "$(asked tgz)" -eq 0 ]
	must_say "1 of them new and from the tool's own cache"
	"$pmg" audit list --json | jq -e '.[0].packages | length == 1 and .[0].name == "tiny" and
		.[0].verdict == "allow" and .[0].sources == ["lockfile"]' >/dev/null ||
		fail "not in the ledger: $("$pmg" audit list --json)"
}

@test "npm: a lockfile that two could read in two ways is said, and what it fetches is judged" {
	package_json '{ "bad": "1.0.0" }'
	npm install --package-lock-only >/dev/null 2>&1
	block pkg:npm/bad
	sed -i 's/"lockfileVersion": 3,/"lockfileVersion": 3, "lockfileVersion": 3,/' package-lock.json
	guarded npm ci
	must_fail
	must_say '[PMG3008]'
	must_say 'duplicate object key'
	must_say 'refused bad@1.0.0 (npm): on your block list'
	[ ! -e node_modules/bad ]
	"$pmg" audit list --json | jq -e '.[0].troubles[0] | .code == "PMG3008" and (.target | test("/package-lock.json(:[0-9]+)+$")) and
		(.what | test("duplicate object key.*what it pins is not checked"))' >/dev/null || fail "not in the ledger: $("$pmg" audit list --json)"
	# Where nobody looks at what is said, as with an index that is not there.
	rm "$HOME/.config/pmg/config.yml"
	forget
	guarded npm ci
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
	must_say 'what it pins is not checked; nothing was started'
	[ "$(asked .)" -eq 0 ] || fail "the registry was asked"
	CI='' guarded npm ci
	must_fail
	must_say 'refused bad@1.0.0 (npm): on your block list'
	must_not_say 'nothing was started'
}

@test "pmg scan names what is listed in lockfiles of all kinds, for people, JSON and SARIF" {
	block pkg:npm/bad@1.0.0
	block pkg:pypi/badpy@1.0
	mkdir clean dirty
	echo '{"packages":{"node_modules/tiny":{"version":"1.0.0"}}}' >clean/package-lock.json
	printf 'packages:\n  bad@1.0.0:\n    resolution: {integrity: sha512-x}\n' >dirty/pnpm-lock.yaml
	printf '# yarn lockfile v1\n\n"bad@^1":\n  version "1.0.0"\n' >dirty/yarn.lock
	printf '[[package]]\nname = "badpy"\nversion = "1.0"\n' | tee dirty/uv.lock >dirty/poetry.lock
	mkdir -p dirty/node_modules/bad
	echo '{"name":"bad","version":"1.0.0"}' >dirty/node_modules/bad/package.json
	bare "$pmg" scan clean
	must_work
	[ -z "$stdout" ]
	bare "$pmg" scan dirty
	[ "$status" -eq 1 ] || fail "status: $(shown)"
	[ "$(wc -l <<<"$stdout")" -eq 5 ] || fail "not five: $(shown)"
	grep -qF 'dirty/yarn.lock:3: bad@1.0.0 (npm): on your block list' <<<"$stdout"
	bare "$pmg" scan --json dirty
	jq -e '.findings | length == 5' <<<"$stdout" >/dev/null
	bare "$pmg" scan --sarif dirty
	jq -e '.version == "2.1.0" and (.runs[0].results | length == 5) and
		all(.runs[0].results[]; .level == "error" and .ruleId == "PMG3006" and (.message.text | length > 0) and
			(.locations[0].physicalLocation.artifactLocation.uri | startswith("dirty/"))) and
		(.runs[0].tool.driver | .name == "pmg" and ([.rules[].id] | index("PMG3006")))' <<<"$stdout" >/dev/null ||
		fail "no SARIF: $stdout"
}

@test "a listed file is known by the digest that a lockfile has, whatever it is called" {
	local hex sri
	warm innocent
	hex=$(printf listed | sha256sum | cut -d ' ' -f 1)
	sri=$(jq -r '.packages["node_modules/innocent"].integrity' package-lock.json)
	[[ $sri == sha512-* ]] || fail "no digest: $(cat package-lock.json)"
	printf '{"schema_version":"1.5.0","id":"MAL-2026-90","modified":"2026-01-01T00:00:00Z","affected":[{
		"package":{"ecosystem":"npm","name":"another"},"versions":["1.0.0"],"database_specific":{"indicators":{"package_integrity":[
		{"hashes":{"sha512_sri":"%s"}},{"hashes":{"sha256":"%s"}}]}}}]}\n' "$sri" "$hex" >"$BATS_TEST_TMPDIR/m.json"
	"$pmg" intel import --name late "$BATS_TEST_TMPDIR/m.json" >/dev/null 2>&1
	printf 'x==1.0 --hash=sha256:%064d \\\n  --hash=sha256:%s\ny==1.0 --hash=sha256:%064d\n' 1 "$hex" 2 >requirements.txt
	bare "$pmg" scan
	[ "$status" -eq 1 ] || fail "status: $(shown)"
	grep -qF './requirements.txt:1: x@1.0 (pypi): the file itself is known malware (MAL-2026-90)' <<<"$stdout" || fail "unsaid: $(shown)"
	grep -qF 'innocent@1.0.0 (npm): the file itself is known malware (MAL-2026-90)' <<<"$stdout" || fail "unsaid: $(shown)"
	! grep -q 'y@1.0' <<<"$stdout" || fail "too much: $(shown)"
	rm -rf node_modules
	forget
	guarded npm ci --offline
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
	must_say '[PMG3008] refused innocent@1.0.0 (npm): the file itself is known malware, PMG3002 MAL-2026-90'
	[ ! -e node_modules ]
}

@test "PMG3008: a listed package out of a warm cache does not run its script, whoever installs it" {
	warm cached
	rm -rf node_modules package-lock.json
	package_json
	bare npm install --offline cached
	must_work
	[ "$(cat node_modules/cached/marked)" = yes ] || fail "the control did not run its script"
	rm -rf node_modules package-lock.json
	package_json
	record cached 1.0.0 MAL-2026-78 >m.json
	"$pmg" intel import --name late m.json >/dev/null 2>&1
	rm m.json
	forget
	guarded npm install --offline cached
	must_fail
	[ "$(asked .)" -eq 0 ] || fail "the registry was asked"
	[ ! -e node_modules/cached/marked ] || fail "its script ran: $(shown)"
	must_say '[PMG3008] '
	must_say 'cached@1.0.0'
	must_say 'known malware, PMG3001 (MAL-2026-78)'
	"$pmg" violations list --json | jq -e 'any(.[]; .code == "PMG3008" and .package == "cached@1.0.0" and .script == "postinstall")' \
		>/dev/null || fail "not in the ledger"
	# Under another name it is the same package.
	rm -rf node_modules package-lock.json
	package_json '{ "innocent": "npm:cached@1.0.0" }'
	guarded npm install --offline
	must_fail
	[ ! -e node_modules/innocent/marked ] || fail "its script ran: $(shown)"
	must_say '[PMG3008] '
	must_say 'cached@1.0.0'
	package_json
	# Without its script it lands, and that is said.
	rm -rf node_modules package-lock.json
	guarded npm install --offline --ignore-scripts cached
	[ "$status" -eq 1 ] || fail "landed unsaid: $(shown)"
	must_say '[PMG3008] refused cached@1.0.0 (npm): known malware'
	must_say 'it is installed now'
}

@test "pmg audit exposure names what passed before it was listed, and what it could reach" {
	registry_add '{"eco":"npm","name":"sleeper","version":"1.0.0"}'
	package_json '{ "sleeper": "1.0.0", "tiny": "1.0.0" }'
	guarded --sandbox-allow "write=$project/extra/" npm install
	must_work
	bare "$pmg" audit exposure
	must_work
	[ -z "$stdout" ] || fail "exposed already: $(shown)"
	record sleeper 1.0.0 MAL-2026-79 >m.json
	"$pmg" intel import --name late m.json >/dev/null 2>&1
	bare "$pmg" audit exposure
	[ "$status" -eq 1 ] || fail "status: $(shown)"
	grep -qF 'sleeper@1.0.0 (npm): known malware MAL-2026-79 [PMG3001]' <<<"$stdout" || fail "unsaid: $(shown)"
	grep -qF "npm in $project" <<<"$stdout" || fail "unsaid: $(shown)"
	grep -qF "write=$project/extra/" <<<"$stdout" || fail "unsaid: $(shown)"
	must_not_say tiny
	bare "$pmg" audit exposure --json
	jq -e --arg p "$project" 'length == 1 and .[0].name == "sleeper" and (.[0].runs | length == 1) and
		(.[0].runs[0] | .cwd == $p and .walls and (.reach | length > 0) and .profile == "npm")' <<<"$stdout" >/dev/null ||
		fail "no such JSON: $stdout"
	# Who vouches for it is heard, here, in a scan and in a run, and each use is said.
	mkdir -p "$HOME/.config/pmg"
	printf 'schema_version: 1\ntrusted_packages:\n  - {purl: "pkg:npm/sleeper@1.0.0", reason: audited}\n' >"$HOME/.config/pmg/config.yml"
	bare "$pmg" audit exposure
	must_work
	bare "$pmg" scan
	must_work
	must_say 'waived by trusted_packages pkg:npm/sleeper@1.0.0'
	guarded -v npm run env
	must_work
	must_say 'waived by trusted_packages pkg:npm/sleeper@1.0.0'
	"$pmg" audit list --json | jq -e '.[0].packages[0] | .name == "sleeper" and .verdict == "allow" and
		(.waivers[0] | contains("waived by trusted_packages"))' >/dev/null || fail "not in the ledger"
}

@test "pip: what lies in the environment is judged before a run, and what has landed past the proxy after it" {
	venv
	use_pip
	registry_add '{"eco":"pypi","name":"latepy","version":"1.0"}'
	registry_add '{"eco":"pypi","name":"latesdist","version":"1.0","sdist_only":true,
		"backend":"open(\"'"$project"'/built\", \"w\")\n"}'
	python3 -m venv "$BATS_TEST_TMPDIR/own"
	PATH=$BATS_TEST_TMPDIR/own/bin:$PATH
	pip download --no-deps --no-binary latesdist -d "$project/wheels" latepy latesdist >/dev/null 2>&1
	[ -e built ] || fail "the control did not run its build"
	rm built
	bare pip install --no-index --find-links wheels latepy
	must_work
	printf '{"schema_version":"1.5.0","id":"MAL-2026-80","modified":"2026-01-01T00:00:00Z",
		"affected":[{"package":{"ecosystem":"PyPI","name":"latepy"},"versions":["1.0"]}]}\n' >m.json
	"$pmg" intel import --name late m.json >/dev/null 2>&1
	# It lies in the environment: nothing is installed there before it is gone.
	guarded pip install --no-index --find-links wheels latesdist
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
	must_say '[PMG3008] refused latepy@1.0 (pypi): known malware'
	must_say 'latepy-1.0.dist-info/METADATA'
	pip uninstall -qy latepy >/dev/null 2>&1
	guarded pip install --no-index --find-links wheels latepy
	[ "$status" -eq 1 ] || fail "landed unsaid: $(shown)"
	must_say '[PMG3008] refused latepy@1.0 (pypi): known malware'
	must_say 'it is installed now'
	pip uninstall -qy latepy >/dev/null 2>&1
	# Wherever it is put: the case above is its control.
	guarded pip install --no-index --find-links wheels --target elsewhere latepy
	[ "$status" -eq 1 ] || fail "landed unsaid: $(shown)"
	must_say 'elsewhere/latepy-1.0.dist-info/METADATA; it is installed now'
	# The build of an sdist that nobody fetched is what runs its code.
	block pkg:pypi/latesdist@1.0
	guarded --sandbox-allow "write=$project/built" pip install --no-index --find-links wheels --no-build-isolation --target sdist latesdist
	must_fail
	must_say '[PMG3008] '
	must_say 'latesdist'
	[ ! -e built ] || fail "its build ran: $(shown)"
}

@test "pnpm: a listed package in the lockfile, and one out of its store" {
	tool pnpm 10 pnpm
	registry_add '{"eco":"npm","name":"stored","version":"1.0.0","scripts":{"postinstall":"node mark.js"},
		"files":{"mark.js":"require(\"fs\").writeFileSync(\"marked\", \"yes\")\n"}}'
	printf '{"name":"p","version":"1.0.0","dependencies":{"stored":"1.0.0"},"pnpm":{"onlyBuiltDependencies":["stored"]}}\n' >package.json
	bare pnpm install
	must_work
	[ "$(cat node_modules/stored/marked)" = yes ] || fail "the control did not run its script: $(shown)"
	cp package.json "$BATS_TEST_TMPDIR/first.json"
	record stored 1.0.0 MAL-2026-81 >"$BATS_TEST_TMPDIR/m.json"
	"$pmg" intel import --name late "$BATS_TEST_TMPDIR/m.json" >/dev/null 2>&1
	# What stands below the key is not what pnpm goes by.
	sed -i 's/^    resolution: {integrity.*/&\n    name: innocent\n    version: 1.0.0/' pnpm-lock.yaml
	grep -q '^    name: innocent' pnpm-lock.yaml
	rm -rf node_modules
	bare pnpm install --offline --frozen-lockfile --ignore-scripts
	must_work
	[ -e node_modules/stored/package.json ] || fail "the control did not install it: $(shown)"
	rm -rf node_modules
	guarded pnpm install --offline --frozen-lockfile
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
	must_say '[PMG3008] refused stored@1.0.0 (npm): known malware, PMG3001 MAL-2026-81'
	must_say 'pnpm-lock.yaml:'
	[ ! -e node_modules ]
	guarded pnpm remove stored
	must_work
	never grep -q stored pnpm-lock.yaml
	# Without a lockfile: nobody knew before that it would come out of the store.
	cp "$BATS_TEST_TMPDIR/first.json" package.json
	rm -rf node_modules pnpm-lock.yaml
	# What pnpm has kept of the first build is not the script that runs.
	guarded pnpm install --offline --config.side-effects-cache=false
	must_fail
	[ ! -e node_modules/stored/marked ] || fail "its script ran: $(shown)"
	must_say PMG3008
}

@test "settings that move what is installed, or leave no list of it, hide nothing" {
	tool pnpm 10 pnpm
	tool yarn 1 yarn
	registry_add '{"eco":"npm","name":"moved","version":"1.0.0","scripts":{"postinstall":"node mark.js"},
		"files":{"mark.js":"require(\"fs\").writeFileSync(\"marked\", \"yes\")\n"}}'
	record moved 1.0.0 MAL-2026-82 >"$BATS_TEST_TMPDIR/m.json"
	local -A lines=(
		[npm]="npm install --offline --install-strategy=linked --no-package-lock"
		[pnpm]="pnpm install --offline --modules-dir=deps --no-lockfile --config.node-linker=hoisted --config.side-effects-cache=false"
		[yarn]="yarn install --offline --modules-folder=deps --no-lockfile"
	)
	local one
	marks() { find "$project" -name marked; }
	fresh() {
		rm -rf "$project" && mkdir "$project" && cd "$project" || return
		printf '{"name":"p","version":"1.0.0","dependencies":{"moved":"1.0.0"},"pnpm":{"onlyBuiltDependencies":["moved"]}}\n' >package.json
	}
	for one in "${!lines[@]}"; do
		fresh
		# shellcheck disable=SC2086
		bare ${lines[$one]/--offline /} # into its cache
		must_work
		[ -n "$(marks)" ] || fail "the control of $one did not run its script: $(shown)"
	done
	"$pmg" intel import --name late "$BATS_TEST_TMPDIR/m.json" >/dev/null 2>&1
	forget
	for one in "${!lines[@]}"; do
		fresh
		# shellcheck disable=SC2086
		guarded ${lines[$one]}
		must_fail
		[ -z "$(marks)" ] || fail "$one ran its script: $(shown)"
		must_say '[PMG3008] exec of'
		fresh
		# shellcheck disable=SC2086
		guarded ${lines[$one]} --ignore-scripts
		[ "$status" -eq 1 ] || fail "$one: it landed unsaid: $(shown)"
		must_say '[PMG3008] refused moved@1.0.0 (npm): known malware, PMG3001 MAL-2026-82'
		must_say 'it is installed now'
	done
	# For the whole host, and without walls
	fresh
	guarded --no-sandbox npm install -g --offline --ignore-scripts --prefix "$BATS_TEST_TMPDIR/host" moved
	[ "$status" -eq 1 ] || fail "it landed unsaid: $(shown)"
	must_say "host/lib/node_modules/moved/package.json; it is installed now, out of the tool's own cache or store"
	[ "$(asked tgz)" -eq 0 ] || fail "the registry was asked"
}

@test "yarn 1 and bun: a listed package in the lockfile" {
	tool yarn 1 yarn
	package_json '{ "bad": "1.0.0" }'
	bare yarn install --ignore-scripts
	must_work
	block pkg:npm/bad@1.0.0
	rm -rf node_modules
	guarded yarn install --offline
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
	must_say 'yarn.lock:'
	must_say '[PMG3008] refused bad@1.0.0 (npm): on your block list'
	[ ! -e node_modules ]
	# A copy of a folder of one's own is of no registry, and none is asked of it.
	rm yarn.lock
	mkdir own
	echo '{"name":"own","version":"1.0.0"}' >own/package.json
	package_json '{ "own": "file:./own", "tiny": "1.0.0" }'
	forget
	guarded yarn install
	must_work
	[ -e node_modules/own/package.json ]
	[ "$(asked /own)" -eq 0 ] || fail "the registry was asked: $(cat "$reg/log.jsonl")"
	rm -r yarn.lock node_modules
	printf '{ "lockfileVersion": 1, "workspaces": { "": { "dependencies": { "bad": "1.0.0", }, }, },\n "packages": {\n  "bad": ["bad@1.0.0", "", {}, ""],\n } }\n' >bun.lock
	tool bun 1 bun
	guarded bun install
	[ "$status" -eq 1 ] || fail "not refused: $(shown)"
	must_say 'bun.lock:3'
	[ ! -e node_modules ]
}
