#!/usr/bin/env bats
# How old a version has to be, and what waives that or more: docs/packages.md. Which cells there are is
# asked by unit tests; here a whole run, from the line in config.yml to the ledger.
load helper

setup_file() {
	registry_start
	registry_add '[{"eco":"npm","name":"waived","version":"1.0.0","age":"1h"},
		{"eco":"npm","name":"fresh","version":"1.0.0","age":"10d"},
		{"eco":"npm","name":"fresh","version":"1.1.0","age":"1h"}]'
}
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
	record waived 1.0.0 MAL-2026-9 >one.json
	"$pmg" intel import one.json >/dev/null 2>&1
}

# Where an age, a pattern or a day cannot be read nothing is started.
is_wrong() { # WORDS COMMAND...
	local words=$1
	shift
	forget
	guarded "$@"
	[ "$status" -eq 121 ] || fail "not refused: $(shown)"
	must_say "$words"
	[ "$(asked .)" -eq 0 ] || fail "the registry was asked: $(shown)"
}

@test "trust waives malware and wait, skip the wait alone; each use is said, an expired one named" {
	settle 'dependency_cooldown: {skip: [{purl: "pkg:npm/waived"}]}'
	guarded npm install waived@1.0.0
	must_fail
	must_say "PMG3001"
	must_say "MAL-2026-9"
	[ ! -e node_modules/waived ] || fail "it landed: $(shown)"

	settle 'trusted_packages: [{purl: "pkg:npm/waived@1.0.0", reason: audited}]'
	guarded npm install waived@1.0.0
	must_work
	[ -e node_modules/waived ]
	must_say "let in waived@1.0.0 (npm): known malware (MAL-2026-9), waived by trusted_packages pkg:npm/waived@1.0.0 ($HOME/.config/pmg/config.yml:2): audited"
	must_say "let in waived@1.0.0 (npm): too young, waived by trusted_packages pkg:npm/waived@1.0.0"
	guarded audit list --json
	jq -e '.[0].packages[] | select(.name == "waived") | .verdict == "allow" and (.waivers | length) == 2' \
		<<<"$stdout" >/dev/null || fail "not in the ledger: $(shown)"

	rm -rf node_modules package-lock.json "$HOME/.npm"
	settle 'trusted_packages: [{purl: "pkg:npm/waived@1.0.0", expires: 2026-01-01}]'
	guarded npm install waived@1.0.0
	must_fail
	must_say "the entry pkg:npm/waived@1.0.0 expired on 2026-01-01: it has no effect"
	must_say "(trusted_packages pkg:npm/waived@1.0.0 ($HOME/.config/pmg/config.yml:2) expired on 2026-01-01)"
	[ ! -e node_modules/waived ]
}

again() { rm -rf node_modules package-lock.json "$HOME/.npm" && package_json; }

@test "a version waits as long as is said: by the default, an option, a day that was" {
	guarded npm install fresh
	must_work
	[ "$(jq -r .version node_modules/fresh/package.json)" = 1.0.0 ] || fail "too young: $(shown)"
	again
	guarded --min-age 30m npm install fresh
	must_work
	[ "$(jq -r .version node_modules/fresh/package.json)" = 1.1.0 ] || fail "too old: $(shown)"
	again
	guarded --skip-dependency-cooldown --as-of "$(date -u -d '2 days ago' +%F)" npm install fresh
	must_work
	[ "$(jq -r .version node_modules/fresh/package.json)" = 1.0.0 ] || fail "not yet there then: $(shown)"
}

@test "a listed name of a private registry is let in and said; a file of the project makes none private" {
	local own="@acme:registry=https://127.0.0.1:$https/repository/npm-group/"
	record @acme/bad 1.0.0 MAL-2026-8 >two.json
	"$pmg" intel import two.json >/dev/null 2>&1
	echo "$own" >.npmrc # whoever wrote the project
	guarded npm install @acme/bad
	must_fail
	must_say "MAL-2026-8"
	[ ! -e node_modules/@acme/bad ] || fail "it landed: $(shown)"

	rm .npmrc
	again
	echo "$own" >>"$HOME/.npmrc"
	guarded npm install @acme/bad
	must_work
	[ -e node_modules/@acme/bad ]
	must_say "let in @acme/bad@1.0.0 (npm): known malware (MAL-2026-8), waived by intel.private_origin"
	guarded npm ci # it is pinned now, and lies there
	must_work
	settle 'dependency_cooldown: {days: 1}'
	sed -i 's/intel: {/intel: {private_origin: block, /' "$HOME/.config/pmg/config.yml"
	guarded npm ci
	must_fail
	must_say "MAL-2026-8"
}

@test "what cannot be read is an error before anything is started, never an age of zero" {
	is_wrong '--min-age "7": no age with its unit' --min-age 7 npm install tiny
	is_wrong '--as-of "tomorrow": no day' --as-of tomorrow npm install tiny
	settle 'dependency_cooldown: {age: 7}'
	is_wrong 'config.yml:2:28: "dependency_cooldown.age" must be an age with its unit' npm install tiny
	settle 'trusted_packages: [{purl: "pkg:npm/tiny@1.x"}]'
	is_wrong 'config.yml:2:20: trusted_packages: package pattern "pkg:npm/tiny@1.x"' --dry-run npm install tiny
	is_wrong 'config.yml:2:20: trusted_packages: package pattern "pkg:npm/tiny@1.x"' npm install tiny
}
