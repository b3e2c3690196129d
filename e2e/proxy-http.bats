#!/usr/bin/env bats
# HTTP through the proxy, seen from both ends: what a client gets and what the registry is asked are
# the same with pmg and without, and no way of writing an address gets a refused package through.
load helper
load fixture

# Documents, artifacts and all that may be asked of them, below $npm_base.
requests='
	B=$npm_config_registry
	get full "${B}tiny"
	get short -H "Accept: application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*" "${B}tiny"
	get zipped -H "Accept-Encoding: gzip, deflate, br" "${B}tiny"
	get one "${B}tiny/1.0.0"
	get scoped "${B}@acme%2ftool"
	get scoped2 "${B}@acme/tool"
	get missing "${B}not-there"
	get query "${B}tiny?write=true&x=%20"
	get head -I "${B}tiny"
	get file "${B}tiny/-/tiny-1.0.0.tgz"
	get file2 "${B}@acme/tool/-/tool-1.0.0.tgz"
	get nofile "${B}tiny/-/tiny-9.9.9.tgz"
	get filehead -I "${B}tiny/-/tiny-1.0.0.tgz"
	get begin -r 0-99 "${B}tiny/-/tiny-1.0.0.tgz"
	get middle -r 100-149 "${B}tiny/-/tiny-1.0.0.tgz"
	get end -r -20 "${B}tiny/-/tiny-1.0.0.tgz"
	get beyond -r 900000- "${B}tiny/-/tiny-1.0.0.tgz"
	tag=$(sed -n "s/^ETag: //Ip" full.head) filetag=$(sed -n "s/^ETag: //Ip" file.head)
	[ -z "$tag" ] || get same -H "If-None-Match: $tag" "${B}tiny"
	[ -z "$filetag" ] || get samefile -H "If-None-Match: $filetag" "${B}tiny/-/tiny-1.0.0.tgz"
	get other -H "If-None-Match: \"another\"" "${B}tiny"
	get ping "${B%/npm/}/-/ping"
	get put -X PUT -H "Content-Type: application/json" -d "{\"name\":\"mine\"}" "${B}mine"
	get fields -H "Authorization: Bearer t1" -H "npm-session: 0123" -H "X-Odd:  two  blanks" -A agent/1 "${B}tiny"
'

# Who looks into files wants them whole: a Range is then answered with all of it.
as_they_come() { settle 'inspection: {enabled: false}'; }

@test "every request and answer is as without pmg" {
	as_they_come
	both_ways "$requests"
	[ "$(head -n 1 guarded/same.head)" = "HTTP/1.1 304 Not Modified" ]
	[ "$(head -n 1 guarded/middle.head)" = "HTTP/1.1 206 Partial Content" ]
	[ "$(wc -c <guarded/middle.body)" -eq 50 ]
	head -n 1 guarded/beyond.head | grep -q 416
	in_report '.packages | map("\(.name)@\(.version) \(.verdict)") | sort ==
		["@acme/tool@1.0.0 allow", "tiny@1.0.0 allow", "tiny@9.9.9 allow"]'
}

@test "compressed, chunked, with no validators: as without pmg" {
	as_they_come
	local knobs
	for knobs in gzip chunked/~noetag gzip/~chunked; do
		use_npm "/~$knobs/npm/"
		both_ways "$requests"
	done
}

@test "a server of HTTP/1.0: the same bytes, framed anew" {
	use_npm /~http10/npm/
	without 'get doc "${npm_config_registry}tiny"; get file "${npm_config_registry}tiny/-/tiny-1.0.0.tgz"'
	mv doc.body want.doc
	mv file.body want.file
	through 'get doc "${npm_config_registry}tiny"; get file "${npm_config_registry}tiny/-/tiny-1.0.0.tgz"'
	must_work
	cmp want.doc doc.body
	cmp want.file file.body
	head -n 1 file.head | grep -q ' 200 '
}

@test "statuses of all kinds and Retry-After come through" {
	both_ways '
		for code in 400 401 403 404 409 410 418 422 429 451 500 502 503 504; do
			get "s$code" "$at/~status.$code/npm/tiny"
			get "f$code" "$at/~status.$code/npm/tiny/-/tiny-1.0.0.tgz"
		done'
	grep -qi '^retry-after: 1' guarded/s503.head
}

@test "odd but legal answers come through: fields twice, no reason, 103, trailers, closed without a word" {
	server answers python3 "$top/tests/helper/answers.py"
	export npm_config_registry=http://127.0.0.1:$line/npm/
	head -c 3000000 /dev/zero >"$BATS_TEST_TMPDIR/up"
	both_ways '
		B=$npm_config_registry
		for kind in cookies reason noreason fields linefeeds empty nocontent many encoded redirect; do
			get "$kind" "$B$kind"
			get "$kind-head" -I "$B$kind"
		done
		for kind in early continue trailer close; do get "$kind" "$B$kind"; done
		sed -i "/^Transfer-Encoding:/d" close.head
		get early413 -T "$CASE/up" "${B}toolarge"
		# A connection that the server closes after an answer that did not say so.
		for i in 1 2 3 4; do
			get "get$i" "${B}idle"
			get "put$i" -X PUT -d abc "${B}idle"
			get "stream$i" -X PUT -H "Transfer-Encoding: chunked" -d abc "${B}idle"
		done
		if ls ./*.failed; then exit 1; fi'
}

@test "an answer without a body leaves the connection usable" {
	local text='
		url=${npm_config_registry}tiny w="%{http_code} %{num_connects}\n"
		get tag "$url"
		tag=$(sed -n "s/^ETag: //Ip" tag.head)
		curl -sS -I -o a -w "$w" "$url" --next -sS -H "If-None-Match: $tag" -o b -w "$w" "$url" \
			--next -sS -o c -w "$w" "$url"'
	without "$text"
	same "bare" "200 1 304 0 200 0" "${stdout//$'\n'/ }"
	through "$text"
	same "guarded" "200 1 304 0 200 0" "${stdout//$'\n'/ }"
	cmp tag.body c
}

@test "one connection serves many requests, also after refusals" {
	block pkg:npm/bad
	through '
		B=$npm_config_registry
		for path in tiny bad/-/bad-1.0.0.tgz tiny/-/tiny-1.0.0.tgz bad/-/bad-2.0.0.tgz tiny; do
			echo "url = \"$B$path\"" && echo "output = \"body\""
		done | curl -sS -K - -w "%{http_code} %{num_connects}\n"'
	must_fail
	same "statuses" "200 1 403 0 200 0 403 0 200 0" "${stdout//$'\n'/ }"
}

@test "a slow body arrives as it is sent, not at its end" {
	registry_random npm drip
	local text='curl -sS -o body -w "%{time_starttransfer} %{time_total}" "$at/~slow.150000/npm/drip/-/drip-1.0.0.tgz"'
	without "$text"
	cp body want
	through "$text"
	must_work
	cmp want body
	awk '{ exit !($1 < 0.6 && $2 > 1) }' <<<"$stdout" || fail "first byte and end: $stdout"
}

@test "a large upload arrives whole, with Expect and without" {
	head -c 5000000 /dev/urandom >up
	cat >count.py <<-'PY'
		import hashlib, http.server, sys, threading
		class H(http.server.BaseHTTPRequestHandler):
		    protocol_version = "HTTP/1.1"
		    def do_PUT(self):
		        n, body = self.headers.get("Content-Length"), b""
		        if n is not None: body = self.rfile.read(int(n))
		        else:
		            while True:
		                size = int(self.rfile.readline(), 16)
		                body += self.rfile.read(size); self.rfile.readline()
		                if not size: break
		        text = hashlib.sha256(body).hexdigest().encode() + (b" counted" if n else b" chunked")
		        self.send_response(201); self.send_header("Content-Length", str(len(text)))
		        self.end_headers(); self.wfile.write(text)
		    def log_message(self, *a): pass
		s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
		threading.Thread(target=s.serve_forever, daemon=True).start()
		print(s.server_port, flush=True); sys.stdin.read()
	PY
	server count python3 count.py
	export npm_config_registry=http://127.0.0.1:$line/npm/ file=$PWD/up
	both_ways '
		get counted -T "$file" "${npm_config_registry}mine"
		get patient -T "$file" -H "Expect: 100-continue" "${npm_config_registry}mine"
		get hasty -T "$file" -H "Expect:" "${npm_config_registry}mine"
		get chunked -T "$file" -H "Transfer-Encoding: chunked" "${npm_config_registry}mine"'
	grep -q "^$(sha256sum <up | cut -d' ' -f1) chunked" guarded/chunked.body
}

# How else a client may ask for bad 1.0.0. %s is the registry's base below the host.
spellings='
bad/-/bad-1.0.0.tgz
bad/-/bad-1.0.0.tgz?x=1
bad/-/bad-1.0.0.tgz?
%62ad/-/bad-1.0.0.tgz
%62%61%64/-/%62%61%64-1.0.0.tgz
bad/%2d/bad-1.0.0.tgz
bad/%2D/bad%2d1.0.0.tgz
bad/-/bad-1%2e0%2E0.tgz
bad%2f-%2fbad-1.0.0.tgz
bad/-%2Fbad-1.0.0.tgz
@acme/bad/-/bad-1.0.0.tgz
@acme%2fbad/-/bad-1.0.0.tgz
@acme%2Fbad/-/bad-1.0.0.tgz
%40acme%2fbad/-/bad-1.0.0.tgz
%40acme/bad/-/bad-1.0.0.tgz
@%61cme%2f%62ad/-/bad-1.0.0.tgz
'

@test "a refused package is refused however its address is written" {
	local path served=0 base
	block pkg:npm/bad
	block pkg:npm/%40acme/bad
	for base in npm/ artifactory/api/npm/repo/; do
		use_npm "/$base"
		for path in $spellings; do echo "${npm_base}$path"; done >urls
		without 'while read -r url; do curl -sS --path-as-is -o /dev/null -w "%{http_code} $url\n" "$url"; done <urls'
		served=$(grep -c '^200 ' <<<"$stdout") || true
		[ "$served" -gt 10 ] || fail "the control serves too little: $stdout"
		forget
		through 'while read -r url; do curl -sS --path-as-is -o body -w "%{http_code} $url\n" "$url"; if is_package body; then echo "LEAK $url"; fi; done <urls'
		[ "$(grep -cE '^4[0-9][0-9] ' <<<"$stdout")" -eq "$(wc -l <urls)" ] && [[ $stdout != *LEAK* ]] || fail "$(shown)"
		[ "$(asked '')" -eq 0 ] || fail "asked all the same: $(cat "$reg/log.jsonl")"
		must_fail
	done
	in_report '[.packages[] | select(.verdict != "block")] == []'
}

@test "a path that can be read in two ways is refused, not guessed at" {
	local path
	block pkg:npm/bad
	for path in ./bad/-/bad-1.0.0.tgz tiny/../bad/-/bad-1.0.0.tgz tiny/%2e%2e/bad/-/bad-1.0.0.tgz \
		%2562ad/-/bad-1.0.0.tgz tiny/..%2fbad/-/bad-1.0.0.tgz 'tiny\..\bad/-/bad-1.0.0.tgz' \
		bad/-/bad-1.0.0.tgz%00 bad//-//bad-1.0.0.tgz //bad/-/bad-1.0.0.tgz; do
		echo "${npm_base}$path"
	done >urls
	through 'while read -r url; do curl -sS --path-as-is -o body -w "%{http_code} $url\n" "$url"; if is_package body; then echo "LEAK $url"; fi; done <urls'
	[ "$(grep -cE '^4[0-9][0-9] ' <<<"$stdout")" -eq "$(wc -l <urls)" ] && [[ $stdout != *LEAK* ]] || fail "$(shown)"
	[ "$(asked 'bad')" -eq 0 ] || fail "asked all the same: $(cat "$reg/log.jsonl")"
}

@test "what is refused is refused by any method, host name, range and header" {
	block pkg:npm/bad
	export url=${npm_base}bad/-/bad-1.0.0.tgz
	through '
		try() { curl -sS -o body -w "%{http_code}\n" "$@" || true; if is_package body; then echo LEAK; fi; rm -f body; }
		try "$url"
		try -I "$url"
		try -X POST -d x "$url"
		try -X OPTIONS "$url"
		try -r 0-10 "$url"
		try -H "If-None-Match: \"x\"" "$url"
		try -H "Accept: */*" -H "Accept-Encoding: gzip" "$url"
		try --http1.0 "$url"
		try -H "Host: registry.test" "$url"
		try -H "Host: 127.0.0.2" "$url"
		try -H "X-Original-URL: /npm/tiny" -H "X-Forwarded-Host: other" "$url"
		try --http2 "$url"
		try --tlsv1.3 "$url"'
	[ "$(grep -cE '^4[0-9][0-9]$' <<<"$stdout")" -eq 13 ] && [[ $stdout != *LEAK* ]] || fail "$(shown)"
	[ "$(asked bad)" -eq 0 ] || fail "asked all the same: $(cat "$reg/log.jsonl")"
	# The answer says why, to whoever reads it, and in npm's own format.
	through 'curl -sS -D head -o body "$url"'
	grep -q '^HTTP/1.1 403' head
	jq -e '.error | test("bad@1.0.0") and test("PMG3006")' body
}

@test "a refused package is refused on the host that a redirection names, and unknown there" {
	block pkg:npm/bad
	use_npm /~redirect/npm/
	without 'curl -sSL -o body -w "%{http_code}" "${npm_config_registry}bad/-/bad-1.0.0.tgz"'
	[ "$stdout" = 200 ]
	forget
	through 'curl -sSL -o body -w "%{http_code}" "${npm_config_registry}bad/-/bad-1.0.0.tgz"'
	[ "$stdout" = 403 ]
	[ "$(asked bad)" -eq 0 ]
	# Others are judged there too, once the way is known.
	through 'curl -sSL -o body -w "%{http_code}" "${npm_config_registry}tiny/-/tiny-1.0.0.tgz"
		curl -sSL -o bad -w " %{http_code}" "https://127.0.0.2:'"$cdn_https"'/npm/bad/-/bad-1.0.0.tgz"'
	[ "$stdout" = "200 403" ]
	[ "$(jq -s 'map(select(.listener == "cdn_https" and (.path | test("bad")))) | length' "$reg/log.jsonl")" -eq 0 ]
}

@test "plain http to the proxy, by absolute address, is judged as well" {
	block pkg:npm/bad
	export npm_config_registry=http://127.0.0.1:$http/npm/
	through '
		curl -sS -o body -w "%{http_code} " "${npm_config_registry}tiny"
		curl -sS -o body -w "%{http_code} " "${npm_config_registry}bad/-/bad-1.0.0.tgz"
		curl -sS -p -o body -w "%{http_code} " "${npm_config_registry}bad/-/bad-1.0.0.tgz"
		curl -sS -o body -w "%{http_code} " "http://127.1:'"$http"'/npm/bad/-/bad-1.0.0.tgz"
		curl -sS -o body -w "%{http_code} " "http://0x7f000001:'"$http"'/npm/bad/-/bad-1.0.0.tgz"
		curl -sS -o body -w "%{http_code}" "http://[::ffff:127.0.0.1]:'"$http"'/npm/bad/-/bad-1.0.0.tgz"'
	[ "$stdout" = "200 403 403 403 403 403" ] || fail "$(shown)"
	[ "$(asked bad-)" -eq 0 ]
}

@test "an address that says nothing of its package is known from the document that names it" {
	server opaque python3 "$top/tests/helper/opaque.py"
	block pkg:npm/bad
	local kind
	for kind in plain zipped; do
		export npm_config_registry=http://127.0.0.1:$line/$kind/
		without 'curl -sS --compressed "${npm_config_registry}bad" | jq -r ".versions[].dist.tarball"'
		export blobs=$stdout
		[ "$(wc -w <<<"$blobs")" -eq 2 ]
		without 'for blob in $blobs; do curl -sS -o body "$blob"; is_package body; done'
		must_work
		through 'curl -sS --compressed -o doc "${npm_config_registry}bad"
			for blob in $blobs ${blobs##*[[:space:]]}?more=1; do
				rm -f body
				curl -sS -o body -w "%{http_code} " "$blob"
				if is_package body; then echo "LEAK $blob"; fi
			done'
		[ "$stdout" = "403 403 403 " ] || fail "$kind: $(shown)"
		in_report '[.packages[] | "\(.name)@\(.version) \(.verdict)"] | sort == ["bad@1.0.0 block", "bad@2.0.0 block"]'
	done
}
