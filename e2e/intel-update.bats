#!/usr/bin/env bats
# Feeds that are fetched: what is asked for, what is taken, and what becomes of the index when it goes
# wrong. The server on loopback is as a bucket is; its log says what was asked.
# shellcheck disable=SC2154 # what helper.bash sets
load helper

setup() {
	need python3 jq
	home
	site=$BATS_TEST_TMPDIR/site
	mkdir -p "$site/www/npm"
	mkfifo "$site/alive"
	python3 "$top/tests/helper/feeds.py" "$site" <"$site/alive" >"$site/port" 3>&- &
	exec 7>"$site/alive"
	wait_for 60 test -s "$site/port" || fail "no server"
	port=$(<"$site/port")
	base=http://127.0.0.1:$port
	state=$HOME/.local/state/pmg
	feeds "{name: osv, url: '$base/npm/all.zip', format: osv-zip}"
}
teardown() { exec 7>&-; }

feeds() { # FEED...
	settle ""
	sed -i '/^intel/d' "$HOME/.config/pmg/config.yml"
	printf 'intel:\n  on_missing: warn\n  feeds:\n' >>"$HOME/.config/pmg/config.yml"
	printf '    - %s\n' "$@" >>"$HOME/.config/pmg/config.yml"
}

# evil ID NAME [MODIFIED [WITHDRAWN]]: a record of malware, all versions
evil() {
	printf '{"schema_version":"1.5.0","id":"%s","modified":"%s",%s"affected":[{"package":{"ecosystem":"npm","name":"%s"},
		"ranges":[{"type":"SEMVER","events":[{"introduced":"0"}]}]}]}' "$1" "${3:-2026-01-01T00:00:00Z}" \
		"${4:+\"withdrawn\":\"$4\",}" "$2"
}

# dump ID:NAME...: all.zip with these records
dump() {
	local each
	rm -rf "$site/records"
	mkdir "$site/records"
	for each; do evil "${each%%:*}" "${each#*:}" >"$site/records/${each%%:*}.json"; done
	(cd "$site/records" && python3 -m zipfile -c ../all.zip ./*.json)
	mv "$site/all.zip" "$site/www/npm/all.zip"
}

many() { # LETTER: 71 records, so that there is a middle
	local i
	for i in {10..80}; do echo "MAL-2026-$i:$1$i"; done
}

# Changed records beside the dump: LINES of modified_id.csv
changes() { printf '%s\n' "$@" >"$site/www/npm/modified_id.csv"; }
faults() { printf '%s' "$1" >"$site/faults"; }
asked_for() { jq -rs 'map("\(.status) \(.path)") | join(", ")' "$site/log"; }
forget_log() { rm -f "$site/log"; }
update() {
	forget_log
	out "$pmg" intel update "$@"
}
known() { # NAME: is it known to be malware?
	[ "$("$pmg" -q intel query --json "pkg:npm/$1" | jq -r .verdict)" = block ]
}
is_asked() { [ "$(asked_for)" = "$1" ] || fail "asked for: $(asked_for)"; }

@test "first all, then what has changed, each week all again; withdrawals and what has vanished" {
	local now later
	now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	later=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%S.5Z)
	dump MAL-2026-1:evil-one MAL-2026-2:evil-two MAL-2026-3:evil-three
	changes "2020-01-01T00:00:00Z,MAL-2026-1" "2020-01-01T00:00:00Z,MAL-2026-2"
	update --json
	must_work
	jq -e '.feeds[0].outcome == "whole" and .feeds[0].import.records == 3 and .index.state == "fresh"' <<<"$stdout" ||
		fail "$(shown)"
	is_asked "200 npm/all.zip, 200 npm/modified_id.csv"
	# Nothing new: one question, with the tag as it was given.
	update
	must_work
	grep -q "^osv: nothing new" <<<"$stdout" || fail "$(shown)"
	is_asked "304 npm/modified_id.csv"
	jq -es '.[0].etag | startswith("\"") and endswith("\"")' "$site/log"
	# One is new, one is withdrawn, one cannot be had, one line is none.
	evil MAL-2026-4 evil-four "$now" >"$site/www/npm/MAL-2026-4.json"
	evil MAL-2026-2 evil-two "$now" "$now" >"$site/www/npm/MAL-2026-2.json"
	changes "$now,MAL-2026-4" "$now,MAL-2026-2" "$now,MAL-2026-9" "$now,../../x" "2020-01-01T00:00:00Z,MAL-2026-1"
	update
	must_work
	grep -q "^osv: 2 changed records, now 3" <<<"$stdout" || fail "$(shown)"
	must_say "of the changed records 1 is not there"
	must_say "1 line of the list of changes cannot be read"
	is_asked "200 npm/modified_id.csv, 200 npm/MAL-2026-4.json, 200 npm/MAL-2026-2.json, 404 npm/MAL-2026-9.json"
	known evil-four && known evil-one && known evil-three || fail "not known"
	never known evil-two
	# A further change fetches that alone.
	evil MAL-2026-4 evil-five "$later" >"$site/www/npm/MAL-2026-4.json"
	changes "$later,MAL-2026-4" "$now,MAL-2026-4" "$now,MAL-2026-2"
	update
	must_work
	is_asked "200 npm/modified_id.csv, 200 npm/MAL-2026-4.json"
	known evil-five
	never known evil-four
	# A week later all is taken, and what is not in it is gone.
	dump MAL-2026-1:evil-one MAL-2026-4:evil-four # made before that was changed
	changes "$later,MAL-2026-4" "2020-01-01T00:00:00Z,MAL-2026-1"
	sed -i -E 's/"full":[0-9]+/"full":1/' "$state/feeds/osv.json"
	update
	must_fail
	must_say "PMG3010"
	known evil-three || fail "the index is gone"
	update --accept # it is there by now
	must_work
	is_asked "304 npm/all.zip, 200 npm/modified_id.csv"
	known evil-five && known evil-one || fail "not known"
	never known evil-three
	never known evil-four
	[ "$(ls "$state/feeds/osv.changes")" = "MAL-2026-4~$later.json" ]
}

@test "what goes wrong leaves the index as it was, and the next update goes on" {
	local fault cut size
	dump MAL-2026-1:one
	update
	must_work
	# shellcheck disable=SC2046
	dump MAL-2026-1:one $(many p)
	size=$(stat -c %s "$site/www/npm/all.zip")
	cut=$((size / 2))
	for fault in '{"cut":'$cut'}' '{"length":100}' '{"status":500}' '{"html":true}' '{"status":403}' '{"status":404}' \
		'{"to":"ftp://h.test/"}' '{"to":"/npm/all.zip"}'; do
		rm -f "$state"/feeds/osv.data.part*
		faults '{"npm/all.zip":'"$fault"'}'
		update
		must_fail
		must_say "feed osv"
		[ "$fault" != '{"status":404}' ] || must_say "[PMG4009] feed osv: "
		[ "$fault" != '{"status":404}' ] || must_say "intel.feeds in config.yml"
		known one || fail "$fault: the index is gone"
		never known p10
	done
	# It is begun, ends early, and goes on from there; with another file there by then it is begun anew.
	rm -f "$state"/feeds/osv.data.part*
	faults '{"npm/all.zip":{"cut":'$cut'}}'
	update
	must_fail
	must_say "PMG4006"
	faults '{}'
	update --json
	must_work
	jq -e --argjson cut "$cut" '.feeds[0].resumed == $cut' <<<"$stdout" || fail "$(shown)"
	is_asked "404 npm/modified_id.csv, 206 npm/all.zip, 404 npm/modified_id.csv"
	known p80
	# Two files under one tag: their halves are no archive; the next update begins anew.
	# shellcheck disable=SC2046
	dump MAL-2026-1:one $(many q)
	faults '{"npm/all.zip":{"cut":'$cut',"etag":"same"}}'
	update
	must_fail
	# shellcheck disable=SC2046
	dump MAL-2026-1:one $(many r)
	faults '{"npm/all.zip":{"etag":"same"}}'
	update
	must_fail
	known p80 || fail "the index is gone"
	update
	must_work
	known r80
	never known p80
	# Nobody there.
	exec 7>&-
	sleep 0.2
	update
	must_fail
	must_say PMG4004
	known r80
}

@test "killed while it fetches and while it imports: the next one goes on" {
	local pid
	dump MAL-2026-1:one
	out python3 "$top/tests/helper/onpty.py" -- "$pmg" intel update # the first ever, seen on a terminal
	must_work
	grep -q $'\rosv: reading it' <<<"${stdout//$'\e[K'/}" || fail "no bar: $(shown)"
	grep -q '1 record, 0.0 MB fetched' <<<"$stdout" || fail "no result: $(shown)"
	# shellcheck disable=SC2046
	dump MAL-2026-1:one $(many p)
	faults '{"npm/all.zip":{"slow":20}}'
	"$pmg" intel update >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for 30 test -s "$state/feeds/osv.data.part"
	kill -9 "$pid"
	wait "$pid" || true
	known one || fail "the index is gone"
	faults '{}'
	update
	must_work
	grep -q ' MB fetched, 0.0 MB were there$' <<<"$stdout" || fail "$(shown)"
	known p80
	# The import stops where it would take the lock of the index: it is killed there.
	# shellcheck disable=SC2046
	dump MAL-2026-1:one MAL-2026-2:two $(many p)
	exec 6<>"$state/intel.db.lock"
	flock 6
	"$pmg" intel update >/dev/null 2>&1 3>&- 6>&- &
	pid=$!
	wait_for 30 grep -qs '"pending":true' "$state/feeds/osv.json"
	kill -9 "$pid"
	wait "$pid" || true
	exec 6>&-
	never known two
	update
	must_work
	is_asked "304 npm/all.zip, 404 npm/modified_id.csv" # fetched it was
	known two
	[ ! -e "$state/feeds/osv.data" ]
}

@test "a server that says unchanged for ever is asked anew each week, and after a rollback" {
	local i each command
	local -a hundred=() # all of January 2026
	for i in {100..199}; do hundred+=("MAL-2026-$i:p$i"); done
	dump "${hundred[@]}"
	faults '{"npm/all.zip":{"etag":"same"}}'
	feeds "{name: osv, url: '$base/npm/all.zip'}"
	update --json
	must_work
	jq -e '(.index.warnings | length) == 1 and (.index.warnings[0] | startswith("newest record of osv is of 2026-01-01, "))' <<<"$stdout" || fail "$(shown)"
	dump MAL-2026-1:one "${hundred[@]}"
	update
	must_work
	must_say "newest record of osv is of 2026-01-01"
	grep -q "^osv: nothing new" <<<"$stdout" || fail "$(shown)"
	is_asked "304 npm/all.zip"
	never known one
	for command in "intel status" "intel report" "sandbox doctor"; do
		# shellcheck disable=SC2086 # two words
		out "$pmg" $command
		grep -q "newest record of osv is of 2026-01-01" <<<"$stdout$stderr" || fail "$(shown)"
	done
	sed -i -E 's/"full":[0-9]+/"full":'$(($(date +%s) - 604800))'/' "$state/feeds/osv.json"
	update
	must_work
	is_asked "200 npm/all.zip"
	known one || fail "not known: $(shown)"
	# Two indexes of one date: what the server said of the one does not count for the other.
	SOURCE_DATE_EPOCH=$(date +%s)
	export SOURCE_DATE_EPOCH
	faults '{}'
	for each in second third; do
		dump MAL-2026-1:$each-one "${hundred[@]}"
		update
		must_work
	done
	out "$pmg" intel rollback
	must_work
	known second-one || fail "not rolled back: $(shown)"
	update
	must_work
	is_asked "200 npm/all.zip"
	known third-one || fail "the old index stays: $(shown)"
}

@test "without an index CI is refused, a person told, and an update is what helps" {
	dump MAL-2026-1:one
	rm "$HOME/.config/pmg/config.yml"
	guarded sandbox exec -- touch mark
	[ "$status" -eq 120 ] || fail "$(shown)"
	must_say "[PMG3007] no malware index yet, and intel.on_missing is block, as always where CI is set"
	must_say "pmg intel update"
	[ ! -e mark ]
	CI=false guarded sandbox exec -- touch mark
	must_work
	feeds "{name: osv, url: '$base/npm/all.zip', format: osv-zip}" "{name: local, url: 'file://$site/local'}"
	mkdir "$site/local"
	evil MAL-2026-7 seven >"$site/local/MAL-2026-7.json"
	sed -i '/on_missing/d' "$HOME/.config/pmg/config.yml"
	rm mark
	update
	must_work
	known one && known seven || fail "not known: $(shown)"
	guarded sandbox exec -- touch mark
	must_work
	out "$pmg" sandbox doctor
	grep -q '^intel.index *yes *fresh, 2 records' <<<"$stdout" || fail "$(shown)"
	# Nobody has heard of one of the feeds for long.
	sed -i -E 's/"checked":[0-9]+/"checked":1000000000/' "$state/feeds/osv.json"
	guarded sandbox exec -- touch mark
	[ "$status" -eq 120 ] || fail "$(shown)"
	must_say "intel.max_age is 7 days"
	out "$pmg" intel query pkg:npm/x --json
	jq -e '.index.state == "stale" and .index.age_s > 1000000' <<<"$stdout" || fail "$(shown)"
	out "$pmg" intel update nonsense
	[ "$status" -eq 121 ] || fail "$(shown)"
}

@test "a signed index is taken from whom one has pinned, and never an older one" {
	local key first
	need openssl
	for key in one two; do
		openssl genpkey -algorithm ed25519 -out "$key.pem" 2>/dev/null
		openssl pkey -in "$key.pem" -pubout -out "$key.pub" 2>/dev/null
	done
	dump MAL-2026-1:evil-one
	update
	must_work
	out "$pmg" intel export --sign one.pem --sequence 5 "$site/www/fleet.db"
	must_work
	cp "$site/www/fleet.db" "$site/old.db"
	cp "$site/www/fleet.db.json" "$site/old.json"
	dump MAL-2026-1:evil-one MAL-2026-2:evil-two
	update
	out "$pmg" intel export --sign two.pem --sequence 6 --expires 1h --json "$site/www/fleet.db"
	must_work
	jq -e '.sequence == 6 and .size > 4096' <<<"$stdout" || fail "$(shown)"
	# Elsewhere.
	export XDG_STATE_HOME=$BATS_TEST_TMPDIR/elsewhere
	state=$XDG_STATE_HOME/pmg
	out "$pmg" intel import --manifest "$site/www/fleet.db.json"
	[ "$status" -eq 121 ] || fail "$(shown)"
	out "$pmg" intel import --manifest "$site/www/fleet.db.json" --pubkey one.pub
	must_fail
	must_say PMG3010
	out "$pmg" intel import --manifest "$site/old.json" --pubkey one.pub "$site/old.db"
	must_work
	known evil-one
	never known evil-two
	feeds "{name: fleet, url: '$base/fleet.db.json', format: pmg-index, pubkeys: [\"$(sed -n 2p one.pub)\", \"$(sed -n 2p two.pub)\"]}"
	update
	must_work
	is_asked "200 fleet.db.json, 200 fleet.db"
	known evil-two
	update
	must_work
	grep -q "nothing new" <<<"$stdout" || fail "$(shown)"
	is_asked "200 fleet.db.json"
	# Old, changed, cut, a page: the index stays.
	first=$(sha256sum <"$state/intel.db")
	cp "$site/old.db" "$site/www/fleet.db"
	cp "$site/old.json" "$site/www/fleet.db.json"
	update
	must_fail
	must_say "[PMG3010] feed fleet: its sequence is 5, and one with 6 was taken before"
	jq -c '.sequence = 7' "$site/old.json" >"$site/www/fleet.db.json"
	update
	must_fail
	must_say "the signature is not that of the key"
	faults '{"fleet.db.json":{"html":true}}'
	update
	must_fail
	[ "$first" = "$(sha256sum <"$state/intel.db")" ] || fail "the index was changed"
	# It comes alone.
	feeds "{name: fleet, url: '$base/fleet.db.json', format: pmg-index, pubkeys: [\"$(sed -n 2p one.pub)\"]}" \
		"{name: osv, url: '$base/npm/all.zip'}"
	update
	[ "$status" -eq 121 ] || fail "$(shown)"
}

@test "a registry of images serves a fleet, through the parent proxy" {
	local image=v2/team/intel digest
	dump MAL-2026-1:evil-one
	mkdir -p "$site/www/$image/manifests" "$site/www/$image/blobs"
	digest=$(sha256sum "$site/www/npm/all.zip" | cut -d ' ' -f 1)
	cp "$site/www/npm/all.zip" "$site/www/$image/blobs/sha256:$digest"
	printf '{"schemaVersion":2,"layers":[{"mediaType":"application/zip","digest":"sha256:%s","size":%s}]}' \
		"$digest" "$(stat -c %s "$site/www/npm/all.zip")" >"$site/www/$image/manifests/v1"
	echo '{"token":"for-everybody"}' >"$site/www/token"
	faults '{"'"$image"'/manifests/v1":{"auth":"for-everybody"},"'"$image"'/blobs/sha256:'"$digest"'":{"auth":"for-everybody"}}'
	feeds "{name: image, url: 'oci://127.0.0.1:$port/team/intel:v1'}"
	update
	must_work
	is_asked "401 $image/manifests/v1, 200 token, 200 $image/manifests/v1, 200 $image/blobs/sha256:$digest"
	known evil-one
	update
	must_work
	grep -q "nothing new" <<<"$stdout" || fail "$(shown)"
	# Another file under this digest.
	dump MAL-2026-2:evil-two
	cp "$site/www/npm/all.zip" "$site/www/$image/blobs/sha256:$digest"
	update --full
	must_fail
	known evil-one || fail "the index is gone"
	# The parent proxy is the only way out: it sees the request, or nothing gets anywhere.
	feeds "{name: osv, url: 'http://feeds.invalid/npm/all.zip', format: osv-zip}"
	update
	must_fail
	must_say PMG4003
	dump MAL-2026-3:evil-three-3
	mkdir -p "$site/www/http:/feeds.invalid/npm"
	cp "$site/www/npm/all.zip" "$site/www/http:/feeds.invalid/npm"
	http_proxy=$base update
	must_work
	is_asked "200 http://feeds.invalid/npm/all.zip, 404 http://feeds.invalid/npm/modified_id.csv"
	known evil-three-3
}
