# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # what helper.bash and the cases set and use
# What the proxy-*.bats and parent-proxy.bats files load after helper: any client (curl, openssl,
# python) within a guarded run, and the same client without pmg as control.
#
#   through TEXT         shell text within a guarded run; sets stdout, stderr, status, $report
#   without TEXT         the same text without pmg
#   both_ways TEXT       both, in folders of their own: what they leave there is equal
#   begin TEXT           as through, in the background, until the text says `pause`; `finish` goes on
#
# These cases are about the proxy, whose clients are scripts to the walls and would reach nothing: so
# there are none, unless a case says otherwise with walls=(OPTIONS...).
# pmg takes a script of five lines for npm, so that a case costs no start of npm; it answers pmg's
# question for the built-in registry, and `npm run` runs the text. Cases about npm itself call it.

walls=(--no-sandbox)
# Nor are they about age, for which registries are asked more, and documents are read whole.
waits=(--skip-dependency-cooldown)

# A stand-in for npm, first on PATH. In setup_file, after registry_start.
stand_in() {
	stand_in=$BATS_FILE_TMPDIR/stand-in
	export stand_in
	mkdir -p "$stand_in"
	printf '%s\n' '#!/bin/sh' 'case $1 in' "config) echo https://127.0.0.1:$https/npm/ ;;" \
		'run) exec bash -eu -c "$THROUGH" through ;;' '*) exit 64 ;;' 'esac' >"$stand_in/npm"
	chmod +x "$stand_in/npm"
}

# In the text of `through`: get NAME ARGUMENTS-OF-CURL... leaves NAME.head, the last one, without what
# belongs to one connection or moment only, its fields sorted, NAME.body, and NAME.failed with curl's
# number when it failed.
get() {
	local name=$1
	shift
	curl -sS --suppress-connect-headers --path-as-is -D "$name.raw" -o "$name.body" "$@" ||
		echo "$?" >"$name.failed"
	[ ! -f "$name.raw" ] || tr -d '\r' <"$name.raw" |
		awk '/^HTTP\// { n = 0; over = 0 } /^$/ { over = 1 } !over { line[n++] = $0 }
			END { for (i = 0; i < n; i++) print line[i] }' |
		sed -E -e '/^(date|connection|keep-alive|via|trailer):/Id' -e 's/^([^:]*): */\1: /' -e 's/ *$//' |
		(sed -u 1q && sort -s -t: -k1,1) >"$name.head"
	rm -f "$name.raw"
	[ "$1" != -I ] || { # the body is the head once more; how one would be framed is not said again
		rm -f "$name.body"
		sed -i '/^transfer-encoding:/Id' "$name.head"
	}
}

# Is FILE a packed package?
is_package() { [ -f "$1" ] && [ "$(head -c 2 "$1" | base64)" = H4s= ]; }

# In the text of `begin`: wait here until the case says `finish`.
pause() {
	: >"$CASE/paused"
	until [ -e "$CASE/resumed" ]; do sleep 0.02; done
}

# the_text TEXT: exported as $THROUGH, with the functions above.
the_text() {
	export THROUGH CASE=$BATS_TEST_TMPDIR
	THROUGH=$(declare -f get is_package pause)$'\n'$1
}

through() {
	the_text "$1"
	report=$BATS_TEST_TMPDIR/report.json
	rm -f "$report"
	PATH=$stand_in:$PATH guarded "${walls[@]}" ${waits[@]+"${waits[@]}"} --report "$report" npm run x
}

without() {
	the_text "$1"
	bare bash -eu -c "$THROUGH" without
}

# What the registry saw, without moments and what belongs to one connection. Of compressions pmg lets
# through only what it can read.
seen_requests() {
	jq -c '[.listener, .method, .path, .status, (.headers | with_entries(.key |= ascii_downcase) |
		del(.connection, ."proxy-connection") | if .["accept-encoding"] then
		.["accept-encoding"] |= sub("^gzip, .*"; "gzip") else . end)]' "$reg/log.jsonl"
}

both_ways() {
	rm -rf "$project/bare" "$project/guarded"
	mkdir "$project/bare" "$project/guarded"
	forget
	cd "$project/bare" || return
	without "$1"
	must_work
	seen_requests >"$BATS_TEST_TMPDIR/seen.bare"
	forget
	cd "$project/guarded" || return
	through "$1"
	must_work
	seen_requests >"$BATS_TEST_TMPDIR/seen.guarded"
	cd "$project" || return
	diff -r bare guarded >&2 || fail "what the client got differs"
	diff "$BATS_TEST_TMPDIR"/seen.* >&2 || fail "what the registry was asked differs"
	[ -n "$(find bare -name '*.body' -size +0)" ] || fail "nothing was fetched"
}

# $run is pmg's pid, $proxy that of its pmg-proxy.
begin() {
	the_text "$1"
	rm -f "$CASE/paused" "$CASE/resumed"
	report=$BATS_TEST_TMPDIR/report.json
	PATH=$stand_in:$PATH "$pmg" "${walls[@]}" ${waits[@]+"${waits[@]}"} --report "$report" npm run x >"$CASE/begin.out" 2>"$CASE/begin.err" \
		</dev/null 3>&- &
	run=$!
	wait_for 60 test -e "$CASE/paused" || fail "it did not begin: $(cat "$CASE/begin.err")"
	proxy=$(pgrep -P "$run" -x pmg-proxy) || fail "no pmg-proxy below pmg"
}

finish() {
	: >"$CASE/resumed"
	status=0
	wait "$run" || status=$?
	stdout=$(cat "$CASE/begin.out")
	stderr=$(cat "$CASE/begin.err")
}

# Most memory that the proxy of `begin` has had, in KiB.
proxy_peak() { sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$proxy/status"; }

# The whole of the registry's 100 MB must not lie in the proxy.
must_be_small() {
	local peak
	peak=$(proxy_peak)
	[ "${peak:-0}" -gt 1000 ] || fail "no memory of pmg-proxy to be seen"
	[ "$peak" -lt 65536 ] || fail "pmg-proxy took $peak KiB"
}

# in_report FILTER: jq says yes to the report of the run
in_report() {
	jq -e "$@" "$report" >/dev/null || fail "not so in the report: $* $(cat "$report")"
}

# nowhere TEXT: no record, no file below HOME and project, no message has it
nowhere() {
	local found
	must_not_say "$1"
	found=$(grep -rFla -e "$1" "$HOME" "$report" "${@:2}" 2>/dev/null | grep -v '/\.npmrc$' || true)
	[ -z "$found" ] || fail "\"$1\" is in $found"
}

# server NAME COMMAND...: a program that prints one line when it listens and ends when its input
# does; the line comes back in $line. Up to the end of the case.
server() {
	local name=$1 dir=$BATS_TEST_TMPDIR/server.$1
	shift
	mkdir -p "$dir"
	rm -f "$dir/alive" "$dir/line"
	mkfifo "$dir/alive"
	"$@" <"$dir/alive" >"$dir/line" 2>"$dir/stderr" 3>&- &
	exec {server_fd}>"$dir/alive"
	wait_for 60 test -s "$dir/line" || fail "$name does not start: $(cat "$dir/stderr")"
	read -r line <"$dir/line"
}

# parent [OPTIONS]: a parent proxy that also knows registry.test; $parent is its port
parent() {
	server parent python3 "$top/tests/helper/parent_proxy.py" --log "$BATS_TEST_TMPDIR/parent.jsonl" \
		--map "registry.test:443=127.0.0.1:$https" --map "registry.test:80=127.0.0.1:$http" "$@"
	parent=$line
	: >"$BATS_TEST_TMPDIR/parent.jsonl"
}
# Targets of the CONNECT requests that it got.
connects() { jq -r 'select(.method == "CONNECT") | .target' "$BATS_TEST_TMPDIR/parent.jsonl"; }

# registry_random ECO NAME: a package of a file of 300 kB that no compression makes smaller
registry_random() {
	head -c 300000 /dev/urandom | base64 -w0 | jq -R --arg e "$1" --arg n "$2" '{eco: $e, name: $n,
		version: (if $e == "npm" then "1.0.0" else "1.0" end), wheel_only: true, files: {"x": .}}' |
		curl -fsS -o /dev/null -d @- "http://127.0.0.1:$http/-/add"
}

# No variable of certificates but what the case sets.
no_certificates() {
	unset NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE
	unset GIT_SSL_CAINFO PIP_CERT npm_config_cafile
}

# What a case of the stand-in starts with: the registry on loopback, trusted by curl as well.
client_setup() { # [BASE]
	home
	package_json
	use_npm "${1:-/npm/}"
	no_certificates
	forget
	export CURL_CA_BUNDLE=$reg/ca.pem at=https://127.0.0.1:$https
}
# In teardown: whatever became of the case, its run must not wait for it.
let_go() { : >"$BATS_TEST_TMPDIR/resumed"; }

# What a file of cases does that does not say otherwise.
setup_file() {
	registry_start
	stand_in
}
teardown_file() { registry_stop; }
setup() { client_setup; }
teardown() { let_go; }
