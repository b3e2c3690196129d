#!/usr/bin/env bats
# Bodies of 100 MB: bytes right by their hash, and the proxy's memory does not grow with them, however
# slow the readers are and however many.
load helper
load fixture

setup() {
	client_setup
	readers=$top/tests/helper/readers.py
	export readers SSL_CERT_FILE=$reg/ca.pem
}

# equal TEXT: the same output without pmg and with, memory bounded
equal() {
	without "$1"
	must_work
	[[ -n $stdout && $stdout != *failed* ]] || fail "the control: $(shown)"
	want=$stdout
	begin "$1; pause"
	must_be_small
	finish
	must_work
	same "what was read" "$want" "$stdout"
}

@test "an artifact and a packument of 100 MB, plain, chunked and compressed" {
	equal 'python3 "$readers" 0 "$at/npm/big/-/big-1.0.0.tgz" "$at/~chunked/npm/big/-/big-1.0.0.tgz"'
	same "the artifact's hash" "$(curl -fsS "http://127.0.0.1:$http/-/hash/npm/big/1.0.0" | jq -r .sha256)" \
		"$(sed -n '1s/.* //p' <<<"$want")"
	equal 'python3 "$readers" 0 "$at/npm/huge" "$at/~gzip/npm/huge||Accept-Encoding: gzip"'
	[ "$(awk '{ n += $2 } END { print n }' <<<"$want")" -gt 100000000 ]
}

@test "eight slow readers of parts of an artifact" {
	settle 'inspection: {enabled: false}' # else each part is answered with the whole
	local i text='python3 "$readers" 1.5'
	for i in 0 1 2 3 4 5 6 7; do
		text="$text \"\$at/npm/big/-/big-1.0.0.tgz|$((i * 1000000))-$((i * 1000000 + 24000000))\""
	done
	equal "$text"
	[ "$(grep -c '^206 24000001 ' <<<"$stdout")" -eq 8 ]
}

@test "three slow readers of a packument" {
	equal 'python3 "$readers" 1.5 "$at/npm/huge" "$at/~chunked/npm/huge" "$at/~gzip/npm/huge||Accept-Encoding: gzip"'
}

@test "a host that only a packument of 100 MB names is looked into" {
	block pkg:npm/huge@1.299999.0
	use_npm /~cdn/npm/
	export cdn=https://127.0.0.2:$cdn_https/~cdn/npm/huge/-/huge
	begin 'try() { curl -sSk -o body -w "%{http_code} " "$1"; }
		try "$cdn-1.299999.0.tgz"; try "${npm_config_registry}huge"
		try "$cdn-1.299999.0.tgz"; try "$cdn-1.299998.0.tgz"
		pause'
	must_be_small
	finish
	[ "$stdout" = "200 200 403 200 " ] || fail "$(shown)"
}

@test "npm installs 100 MB and verifies them itself" {
	npm_config_cafile=$reg/ca.pem guarded npm install big
	must_work
	[ "$(stat -c %s node_modules/big/data.bin)" -eq 104857600 ]
}

@test "a client that goes away ends the transfer upstream" {
	export LOG=$reg/log.jsonl
	through 'curl -sS -o body --limit-rate 1M --max-time 1 "$at/npm/big/-/big-1.0.0.tgz" || echo "curl $?"
		for i in $(seq 100); do ! grep -q "big-1.0.0.tgz" "$LOG" || break; sleep 0.05; done
		grep -c "big-1.0.0.tgz" "$LOG"'
	[ "$stdout" = "curl 28
1" ] || fail "$(shown)"
	jq -se 'map(select(.path | test("big"))) | last | (.complete | not) and .sent < 60000000' "$reg/log.jsonl"
}
