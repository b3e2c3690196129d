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
	guarded npm uninstall lateone
	must_work
	must_say 'this command may take it out'
	never grep -q lateone package-lock.json package.json
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
}
