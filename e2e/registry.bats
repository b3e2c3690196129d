#!/usr/bin/env bats
# Registries as they are: authentication, prefixes, encodings, faults, giants. Bytes arrive as sent,
# faults as faults, and the proxy's memory does not grow with them.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
}

installs() { # BASE PACKAGE: guarded and bare give the same tree
	use_npm "$1"
	rm -rf node_modules package-lock.json "$HOME/.npm"
	bare npm install "$2"
	must_work
	bare_tree=$(tree .)
	rm -rf node_modules package-lock.json "$HOME/.npm"
	package_json
	guarded npm install "$2"
	must_work
	same "the tree from $1" "$bare_tree" "$(tree .)"
	rm -rf node_modules package-lock.json "$HOME/.npm"
	package_json
}

@test "every way of sending: gzip, chunked, closed, no validators, another host, redirected" {
	local knobs
	for knobs in "" "~gzip/" "~chunked/" "~gzip/~chunked/" "~http10/" "~noetag/" "~cdn/" \
		"~redirect/" "~delay.200/"; do
		installs "/${knobs}npm/" needs-tiny
	done
	installs /repository/npm-group/ @acme/tool
	installs /artifactory/api/npm/repo/ needs-tiny
}

@test "plain http, and a registry on IPv6" {
	export npm_config_registry=http://127.0.0.1:$http/npm/
	guarded npm install tiny
	must_work
	rm -rf node_modules package-lock.json "$HOME/.npm"
	export npm_config_registry="http://[::1]:$http/npm/"
	bare npm view tiny version
	[ "$status" -eq 0 ] || return 0 # no IPv6 here
	guarded npm install tiny
	must_work
	block pkg:npm/bad
	guarded npm install bad
	refused bad 2.0.0 node_modules/bad
}

@test "a token reaches the registry that wants it, and nobody else, and is in no record" {
	printf '%s\n' "//127.0.0.1:$https/~token.ann/:_authToken=secret-of-ann" \
		"@acme:registry=https://127.0.0.1:$https/~token.ann/~redirect/npm/" >.npmrc
	bare npm install @acme/tool
	must_work
	rm -rf node_modules package-lock.json "$HOME/.npm"
	forget
	guarded npm install @acme/tool tiny
	must_work
	[ -e node_modules/@acme/tool ]
	[ -e node_modules/tiny ]
	jq -c '.headers |= with_entries(.key |= ascii_downcase)' "$reg/log.jsonl" >log
	jq -se 'map(select(.path | startswith("/~token"))) | map(select(.listener == "https")) |
		length > 0 and all(.headers.authorization == "Bearer secret-of-ann")' log
	jq -se 'map(select(.listener | startswith("cdn"))) | length > 0 and
		all(.headers.authorization == null)' log
	jq -se 'map(select(.path | startswith("/npm/"))) | length > 0 and
		all(.headers.authorization == null)' log
	jq -se 'all(.headers["proxy-authorization"] == null and .headers["proxy-connection"] == null)' log
	never grep -rIlq secret-of-ann "$HOME/.local" "$HOME/.cache" "$HOME/.config"
	"$pmg" audit list --json >audit.json
	never grep -q secret-of-ann audit.json
}

@test "without the token it is refused by the registry, in its own words" {
	use_npm /~token.ann/npm/
	bare npm view tiny version
	local bare_err
	bare_err=$(mask <<<"$stderr")
	must_fail
	guarded npm view tiny version
	must_fail
	same "what npm says" "$bare_err" "$(mask <<<"$stderr")"
}

@test "basic authentication with a password that needs escaping" {
	printf '%s\n' "//127.0.0.1:$https/~basic.ann.pa55/npm/:_auth=$(printf 'ann:pa55' | base64)" >.npmrc
	installs_with_rc() { use_npm /~basic.ann.pa55/npm/ && "$@" npm install tiny; }
	installs_with_rc bare
	must_work
	rm -rf node_modules package-lock.json "$HOME/.npm"
	installs_with_rc guarded
	must_work
}

@test "503 and Retry-After: npm's own retries work, and its own words come through" {
	export npm_config_fetch_retries=2 npm_config_fetch_retry_mintimeout=100 npm_config_fetch_retry_maxtimeout=200
	use_npm /~fail.1.503/npm/
	guarded npm install tiny
	must_work
	export npm_config_fetch_retries=0
	use_npm /~status.503/npm/
	guarded npm view tiny version
	must_fail
	must_say 503
}

@test "a body that is cut or reset is an error, never a shorter body" {
	registry_add '{"eco":"npm","name":"large","version":"1.0.0","filler":300000}'
	local knobs
	for knobs in truncate.100000 rst.100000 truncate.0 rst.0; do
		use_npm "/~$knobs/npm/"
		bare npm install large
		must_fail
		guarded npm install large
		must_fail
		[ ! -e node_modules/large ] || fail "$knobs: landed"
		use_npm "/~$knobs/~chunked/npm/"
		guarded npm install large
		must_fail
		[ ! -e node_modules/large ] || fail "$knobs chunked: landed"
	done
	use_npm "/~truncate.50/~on.meta/npm/"
	guarded npm install large
	must_fail
}

@test "an upstream certificate of nobody is refused, whatever strict-ssl says" {
	export npm_config_registry=https://127.0.0.1:$untrusted/npm/
	bare npm view tiny version
	must_fail
	guarded npm view tiny version
	must_fail
	must_say PMG4001
	npm_config_strict_ssl=false guarded npm view tiny version
	must_fail
	must_say PMG4001
}

@test "conditional requests: 304 works and validators are the registry's" {
	guarded npm view tiny version
	must_work
	forget
	sleep 1
	guarded npm install --prefer-online tiny
	must_work
	[ "$(jq -s 'map(select(.status == 304)) | length' "$reg/log.jsonl")" -gt 0 ]
}

# Highest resident memory of the pmg-proxy processes that start while a command runs, in KiB.
proxy_memory() {
	local peak=0 now pid before
	before=" $(proxies | tr '\n' ' ') "
	"$@" >"$BATS_TEST_TMPDIR/mem.out" 2>"$BATS_TEST_TMPDIR/mem.err" </dev/null 3>&- &
	local run=$!
	while kill -0 "$run" 2>/dev/null; do
		for pid in $(proxies); do
			[[ $before != *" $pid "* ]] || continue
			now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null) || true
			[ "${now:-0}" -le "$peak" ] || peak=$now
		done
		sleep 0.02
	done
	status=0
	wait "$run" || status=$?
	stdout=$(cat "$BATS_TEST_TMPDIR/mem.out") stderr=$(cat "$BATS_TEST_TMPDIR/mem.err")
	memory=$peak
}

bounded() {
	must_work
	[ "$memory" -gt 0 ] || fail "no pmg-proxy was seen"
	[ "$memory" -lt 65536 ] || fail "the proxy took $memory KiB"
}

@test "an artifact of 100 MB arrives whole, with bounded memory, also to a slow reader" {
	proxy_memory "$pmg" npm install big
	bounded
	want=$(curl -fsS "http://127.0.0.1:$http/-/hash/npm/big/1.0.0" | jq -r .length)
	[ "$(jq -s 'map(select(.path | test("big-1.0.0.tgz"))) | last | .sent' "$reg/log.jsonl")" = "$want" ]
	[ "$(stat -c %s node_modules/big/data.bin)" -eq $((100 * 1048576)) ]
	through_proxy "https://127.0.0.1:$https/npm/big/-/big-1.0.0.tgz" --limit-rate 30M
	bounded
	same "sha256 of the body" "$(curl -fsS "http://127.0.0.1:$http/-/hash/npm/big/1.0.0" | jq -r .sha256)" \
		"$(sha256sum <got | cut -d' ' -f1)"
}

# A request as the tool makes it, by curl, which a script of the project starts.
# A script asks for it, which has no registry within walls.
through_proxy() { # URL CURL-OPTIONS...
	local url=$1
	shift
	jq -n --arg x "curl -sS --compressed -o got $* '$url'" '{name:"p",version:"1.0.0",scripts:{get:$x}}' >package.json
	proxy_memory "$pmg" --no-sandbox npm run get
}

@test "a packument of 100 MB arrives whole, gzip or not, with bounded memory" {
	local knobs
	for knobs in "" "~gzip/"; do
		use_npm "/${knobs}npm/"
		curl -fsS --cacert "$reg/ca.pem" -o want "${npm_base}huge"
		through_proxy "${npm_base}huge"
		bounded
		cmp want got
	done
	proxy_memory "$pmg" npm view huge version
	bounded
	[ "$stdout" = 1.299999.0 ]
}

@test "HEAD, Range, If-None-Match and Expect come through" {
	local url=https://127.0.0.1:$https/npm/tiny/-/tiny-1.0.0.tgz
	through_proxy "$url" -I -w '%{http_code}' --no-compressed
	must_work
	curl -fsS --cacert "$reg/ca.pem" -r 10-99 -o want "$url"
	through_proxy "$url" -r 10-99
	must_work
	cmp want got
	[ "$(jq -s last.status "$reg/log.jsonl")" = 206 ]
	through_proxy "https://127.0.0.1:$https/npm/-/ping" -H 'Expect:\ 100-continue' -d '{}'
	must_work
}

@test "a hundred requests at a time" {
	local i spec=
	for i in $(seq 100); do
		registry_add "{\"eco\":\"npm\",\"name\":\"many-$i\",\"version\":\"1.0.0\"}"
		spec="$spec many-$i"
	done
	# shellcheck disable=SC2086 # a list of words
	guarded npm install --maxsockets 100 $spec
	must_work
	[ "$(find node_modules -maxdepth 1 -name 'many-*' | wc -l)" -eq 100 ]
}
