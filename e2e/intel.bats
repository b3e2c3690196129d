#!/usr/bin/env bats
# Feeds, queries, the ledger: what pmg knows and what it keeps.
load helper

setup_file() {
	registry_start
	shared=${PMG_TEST_SHARED:-}
	local dir=$top
	while [ -z "$shared" ] && [ "$dir" != / ]; do
		dir=$(dirname "$dir")
		[ ! -f "$dir/shared/data/README.md" ] || shared=$dir/shared
	done
	export shared
}
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
}

@test "a version that an imported record names is refused, with the record's id" {
	record bad 1.0.0 MAL-2026-1 >one.json
	bare npm install bad@1.0.0
	must_work
	rm -rf node_modules package-lock.json "$HOME/.npm"
	out "$pmg" intel import one.json
	must_work
	guarded npm install bad@1.0.0
	must_fail
	must_say MAL-2026-1
	must_say PMG3001
	[ ! -e node_modules/bad ]
	guarded npm install bad@2.0.0
	must_work
}

@test "help of intel is what its own --help says" {
	local word asked
	for word in "" import; do
		out "$pmg" intel ${word:+"$word"} --help
		must_work
		asked=$stdout
		out "$pmg" help intel ${word:+"$word"}
		must_work
		[ -n "$asked" ]
		[ "$stdout" = "$asked" ]
	done
}

@test "status, query, block, unblock" {
	record bad 1.0.0 MAL-2026-1 >one.json
	out "$pmg" intel import one.json
	must_work
	out "$pmg" intel status --json
	must_work
	jq -e . <<<"$stdout" >/dev/null
	out "$pmg" intel query --json pkg:npm/bad@1.0.0
	jq -e '.verdict == "block" and .ids == ["MAL-2026-1"]' <<<"$stdout" || fail "$(shown)"
	out "$pmg" intel query --json pkg:npm/bad@2.0.0
	jq -e '.verdict == "allow"' <<<"$stdout" || fail "$(shown)"
	block pkg:npm/tiny
	guarded npm install tiny
	refused tiny 1.1.0 node_modules/tiny
	out "$pmg" intel unblock pkg:npm/tiny
	must_work
	guarded npm install tiny
	must_work
}

@test "lists in other shapes are taken, each with its ids and feed" {
	mkdir pypi
	echo '[{"package_name":"bad","version":"*","reason":"MALWARE"},{"package_name":"odd","version":"1.0.0","reason":"TELEMETRY"}]' >list.json
	echo '{"bad": ["1.0"], "worse": null}' >pypi/manifest.json
	printf 'schema_version: 1\nblock:\n  - {purl: "pkg:npm/bad@1.0.0", reason: "ours is better"}\n' >team.yml
	out "$pmg" intel import list.json
	must_fail
	must_say --ecosystem
	out "$pmg" intel import --ecosystem npm --json list.json
	must_work
	jq -e '.records == 1 and .not_malware == 1' <<<"$stdout" || fail "$(shown)"
	out "$pmg" intel import --name datadog pypi/manifest.json
	must_work
	out "$pmg" intel import team.yml
	must_work
	out "$pmg" intel query --json pkg:npm/bad@1.0.0
	jq -e '.ids == ["aikido:npm/bad", "team:npm/bad@1.0.0"] and .source == ["list", "team"] and .note == "ours is better"' \
		<<<"$stdout" || fail "$(shown)"
	out "$pmg" intel query --json pkg:pypi/worse@7
	jq -e '.ids == ["datadog:pypi/worse"]' <<<"$stdout" || fail "$(shown)"
	sed -i 's/purl/purrl/' team.yml
	out "$pmg" intel import team.yml
	must_fail
	must_say "team.yml:3:6: "
	out "$pmg" intel query --json pkg:npm/bad@2.0.0
	jq -e '.verdict == "block"' <<<"$stdout" || fail "$(shown)"
}

@test "a feed that looks wrong is refused with PMG3010 and a list, and accepted on request" {
	mkdir feed
	for i in 1 2 3 4 5 6 7 8 9; do record "bad$i" 1.0.0 "MAL-2026-$i" >"feed/$i.json"; done
	"$pmg" intel import feed >/dev/null
	rm feed/[1-4].json
	echo '{"id":"MAL-2026-5","modified":"2020-01-01T00:00:00Z","affected":[{"package":{"ecosystem":"npm","name":"react"},"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}]}]}' >feed/5.json
	out "$pmg" intel import feed
	must_fail
	must_say PMG3010
	must_say "5 records, where the feed \"feed\" has 9"
	must_say "all versions of react"
	must_say --accept
	out "$pmg" intel query --json pkg:npm/bad1@1.0.0
	jq -e '.verdict == "block"' <<<"$stdout" || fail "$(shown)"
	out "$pmg" intel import --accept --json feed
	must_work
	jq -e '(.accepted | length) >= 2 and .records == 5' <<<"$stdout" || fail "$(shown)"
	out "$pmg" intel rollback --json
	must_work
	jq -e '.index.records == 9 and .previous.records == 5' <<<"$stdout" || fail "$(shown)"
	out "$pmg" intel query --json pkg:npm/react@19.0.0
	jq -e '.verdict == "allow"' <<<"$stdout" || fail "$(shown)"
}

@test "without an index one line says so, and the run goes on" {
	out "$pmg" intel query --json pkg:npm/event-stream@3.3.6
	jq -e '.verdict == "block" and .source == ["built-in"]' <<<"$stdout" || fail "$(shown)"
	guarded npm install tiny
	must_work
	[ "$(grep -c '^pmg:' <<<"$stderr")" -eq 1 ] || fail "$(shown)"
	record bad 1.0.0 MAL-2026-1 >one.json
	"$pmg" intel import one.json >/dev/null
	rm -rf node_modules package-lock.json "$HOME/.npm"
	guarded npm install tiny
	must_work
	[ "$(grep -c '^pmg:' <<<"$stderr")" -eq 0 ] || fail "$(shown)"
}

@test "a damaged index or block list is an error, not an empty one" {
	record bad 1.0.0 MAL-2026-1 >one.json
	"$pmg" intel import one.json >/dev/null
	index=$(find "$HOME" -name intel.db)
	head -c 100 /dev/urandom >"$index"
	guarded npm install bad@1.0.0
	must_fail
	[ ! -e node_modules/bad ]
	rm "$index"
	block pkg:npm/tiny
	list=$(find "$HOME" -name blocklist.yml)
	echo 'nonsense: [' >>"$list"
	guarded npm install tiny
	must_fail
	must_say blocklist.yml
	[ ! -e node_modules/tiny ]
}

@test "the whole feed is imported within five seconds, the golden answers hold" {
	[ -n "$shared" ] || skip "no shared data"
	begin=$(date +%s%N)
	out "$pmg" intel import "$shared/data/osv/npm-all.zip"
	must_work
	took=$((($(date +%s%N) - begin) / 1000000))
	[ "$took" -lt 5000 ] || fail "took $took ms"
	out "$pmg" intel status --json
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/golden
	out "$pmg" intel import "$shared/data/osv/fixture"
	must_work
	tail -n +2 "$shared/data/osv/golden.tsv" | cut -f1-3 >questions
	tail -n +2 "$shared/data/osv/golden.tsv" | awk -F '\t' '{ print $1 "\t" $2 "\t" $3 "\t" tolower($4) }' >want
	"$pmg" intel query --json --stdin <questions |
		jq -r '[.ecosystem, .name, .version, .verdict] | @tsv' >got
	[ "$(wc -l <got)" -eq "$(wc -l <want)" ]
	diff <(cut -f4 want) <(cut -f4 got)
}

@test "the ledger: what was installed, refused and passed unjudged" {
	block pkg:npm/bad
	guarded npm install tiny
	guarded npm install bad
	out "$pmg" audit list --json
	must_work
	jq -e 'length == 2' <<<"$stdout" || fail "$(shown)"
	grep -q '"tiny"' <<<"$stdout"
	grep -q '"bad"' <<<"$stdout"
	out "$pmg" audit list
	must_work
	[ -n "$stdout" ]
	[ "$(stat -c %a "$(find "$HOME" -name ledger.db)")" = 600 ]
}

@test "parallel runs each have their record" {
	local i
	for i in 1 2 3 4 5 6; do
		mkdir -p "p$i"
		echo '{"name":"p","version":"1.0.0"}' >"p$i/package.json"
		(cd "p$i" && npm_config_cache=$PWD/cache "$pmg" npm install tiny >/dev/null 2>&1 </dev/null 3>&-) &
		pids[i]=$!
	done
	for i in 1 2 3 4 5 6; do wait "${pids[i]}"; done
	[ "$("$pmg" audit list --json | jq length)" -eq 6 ]
}

@test "verbose: the summary says how many records the index has, and what was refused" {
	guarded -v npm install tiny
	must_work
	must_say "index: none"
	block pkg:npm/bad
	guarded npm install bad
	must_say "bad@2.0.0"
	must_say "e2e test"
}
