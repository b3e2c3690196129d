#!/usr/bin/env bats
# The proxy as a process of the host: what it has in hand, who may talk to it, what it shows of the
# run's secret, and the certificates it presents.
load helper
load fixture

setup() {
	client_setup
	show='printf "%s\n" "$HTTPS_PROXY" "$PMG_RUN" "$CURL_CA_BUNDLE" >"$CASE/shown"; pause'
}

# begin_shown: a run that waits; $proxy_url, $proxy_at (host:port), $token, $run_folder, $bundle
begin_shown() {
	begin "$show"
	{ read -r proxy_url && read -r run_folder && read -r bundle; } <"$CASE/shown"
	proxy_at=${proxy_url##*@} proxy_at=${proxy_at%/}
	token=${proxy_url#http://pmg:} token=${token%%@*}
	[ ${#token} -ge 32 ] || fail "a token of ${#token} characters"
}

code() { curl -sS -o /dev/null -w '%{http_code}' "$@" || true; }
connect_code() { curl -sS -o /dev/null -w '%{http_connect}' "$@" 2>/dev/null || true; }

@test "it has nothing of its parent's: descriptors, environment, session, terminal, privileges" {
	echo marker >"$BATS_TEST_TMPDIR/marker"
	exec 9<"$BATS_TEST_TMPDIR/marker"
	LEAK=secret begin_shown
	local fds odd status
	fds=$(find "/proc/$proxy/fd" -type l -printf '%f %l\n' | sort -n)
	# Its own: one file without a name, for documents that are large (proxy/spool.h).
	[ "$(grep -cE '^[0-9]+ [^ ]*/#[0-9]+ \(deleted\)$' <<<"$fds")" -eq 1 ] || fail "it holds: $fds"
	fds=$(grep -vE '^[0-9]+ [^ ]*/#[0-9]+ \(deleted\)$' <<<"$fds")
	odd=$(grep -vE '^[012] /dev/null$|^[0-9]+ (socket:\[[0-9]+\]|anon_inode:\[?(eventpoll|timerfd|eventfd|signalfd)\]?|.*/intel\.db)$' <<<"$fds" || true)
	[ -z "$odd" ] || fail "it holds: $odd"
	grep -q '^0 /dev/null' <<<"$fds"
	[ "$(wc -c <"/proc/$proxy/environ")" -eq 0 ] || fail "its environment: $(tr '\0' '\n' <"/proc/$proxy/environ")"
	[ "$(wc -c <"/proc/$run/environ")" -gt 0 ] # the control
	[ "$(tr '\0' ' ' <"/proc/$proxy/cmdline")" = "pmg-proxy " ]
	status=$(cat "/proc/$proxy/status")
	grep -q '^Seccomp:[[:space:]]*2' <<<"$status"
	grep -q '^NoNewPrivs:[[:space:]]*1' <<<"$status"
	grep -qE '^CapEff:[[:space:]]*0+$' <<<"$status"
	grep -qE '^CapBnd:[[:space:]]*0+$|^CapPrm:[[:space:]]*0+$' <<<"$status"
	# pid (comm) state ppid pgrp session tty_nr
	read -r _ _ _ _ group session tty _ <"/proc/$proxy/stat"
	[ "$group" = "$proxy" ]
	[ "$session" = "$proxy" ]
	[ "$tty" = 0 ]
	# The control: pmg itself has what its caller left open.
	find "/proc/$run/fd" -type l -printf '%l\n' | grep -q marker
	finish
	exec 9<&-
}

@test "it listens on 127.0.0.1 only, and not after the run" {
	begin_shown
	local port=${proxy_at##*:} hex listeners address
	[ "${proxy_at%:*}" = 127.0.0.1 ]
	hex=$(printf '%04X' "$port")
	listeners=$(cat /proc/net/tcp /proc/net/tcp6 | awk -v p=":$hex" '$4 == "0A" && index($2, p) { print $2 }')
	same "listeners" "0100007F:$hex" "$listeners"
	for address in 127.0.0.2 ::1 $(hostname -I); do
		never curl -sS -o /dev/null --max-time 2 --noproxy '*' "http://$([[ $address != *:* ]] && echo "$address" || echo "[$address]"):$port/" 2>/dev/null
	done
	[ "$(code --noproxy '*' "http://$proxy_at/")" != 000 ] # the control: it does answer here
	finish
	[ "$(code --noproxy '*' "http://$proxy_at/" 2>/dev/null)" = 000 ]
	[ ! -e "$run_folder" ]
}

@test "without the token: 407 to every kind of request, and nothing goes out" {
	begin_shown
	forget
	local http_url=http://127.0.0.1:$http/npm/tiny https_url=$at/npm/tiny user
	for user in "" "pmg@" "pmg:@" "pmg:$(tr '0-9a-f' '1-9a-f0' <<<"$token")@" "pmg:${token%?}@" "pmg:${token}0@" \
		"root:$token@" "$token@" ":$token@"; do
		[ "$(code -x "http://$user$proxy_at" "$http_url")" = 407 ] || fail "\"$user\": http"
		[ "$(connect_code -x "http://$user$proxy_at" "$https_url")" = 407 ] || fail "\"$user\": CONNECT"
		[ "$(code -x "http://$user$proxy_at" "http://127.0.0.2:$cdn_http/-/ping")" = 407 ] || fail "\"$user\": other"
	done
	[ "$(code --proxy-anyauth -x "http://$proxy_at" "$http_url")" = 407 ]
	[ "$(code -x "http://$proxy_at" -H "Authorization: Basic $(printf 'pmg:%s' "$token" | base64 -w0)" "$http_url")" = 407 ]
	[ "$(code -x "http://$proxy_at" -H "Proxy-Authorization: Bearer $token" "$http_url")" = 407 ]
	for user in "" AAAA =AAAA; do # nearly
		[ "$(code -x "http://$proxy_at" -H "Proxy-Authorization: Basic $(printf 'pmg:%s' "$token" | base64 -w0 | sed "s/=*$/$user/")" "$http_url")" = 407 ] ||
			fail "\"$user\" at the end"
	done
	[ "$(code -x "http://$proxy_at" -T /etc/hostname "$http_url")" = 407 ]
	curl -sS -D head -o /dev/null -x "http://$proxy_at" "$http_url"
	grep -qi '^proxy-authenticate: basic' head
	never grep -qi server head
	[ "$(asked '')" -eq 0 ] || fail "asked: $(cat "$reg/log.jsonl")"
	# The control: with it, everything is as it should be.
	[ "$(code -x "$proxy_url" "$http_url")" = 200 ]
	[ "$(code -x "$proxy_url" --cacert "$bundle" "$https_url")" = 200 ]
	[ "$(asked '')" -eq 2 ]
	finish
}

@test "the token goes to no registry, into no file, record or message, no command line" {
	begin 'curl -sS -o /dev/null "${npm_config_registry}tiny"; curl -sS -o /dev/null "http://127.0.0.1:'"$http"'/npm/tiny"
		curl -sS -o /dev/null "http://127.0.0.2:'"$cdn_http"'/-/ping"; '"$show"
	{ read -r proxy_url && read -r run_folder && read -r bundle; } <"$CASE/shown"
	token=${proxy_url#http://pmg:} token=${token%%@*}
	[ "$(stat -c %a "$run_folder")" = 700 ]
	[ -z "$(find "$run_folder" -type f -perm /077)" ]
	local line
	for line in /proc/[0-9]*/cmdline; do
		never grep -qaF "$token" "$line" 2>/dev/null
	done
	finish
	must_work
	rm "$CASE/shown"
	nowhere "$token"
	nowhere "$(printf 'pmg:%s' "$token" | base64 -w0)"
	jq -se 'length == 3 and all(.headers | keys | map(ascii_downcase) | any(startswith("proxy-")) | not)' "$reg/log.jsonl"
	never grep -qF "$token" "$reg/log.jsonl"
	the_text 'curl -sS -o /dev/null "${npm_config_registry}tiny"; echo "${HTTPS_PROXY#http://pmg:}" >token'
	PATH=$stand_in:$PATH guarded -v --debug --no-sandbox npm run x
	must_work
	token=$(cat token) token=${token%%@*}
	rm token
	must_not_say "$token"
}

@test "two runs have nothing in common: token, port, authority" {
	begin_shown
	local first=$token:${proxy_at##*:} ours=$bundle
	cp "$bundle" first.pem
	# the second within the first's time
	through 'cp "$CURL_CA_BUNDLE" second.pem; echo "$HTTPS_PROXY"'
	must_work
	second=${stdout#http://pmg:}
	[ "${second%%@*}" != "$token" ]
	never cmp -s first.pem second.pem
	[ "$(connect_code -x "http://$stdout" --cacert second.pem "$at/npm/tiny")" != 200 ]
	[ "$(connect_code -x "http://pmg:${second%%@*}@$proxy_at" --cacert first.pem "$at/npm/tiny")" = 407 ]
	finish
}

@test "another user of this machine gets nothing" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user here"
	need setpriv
	begin_shown
	other() { setpriv --reuid=64999 --regid=64999 --clear-groups "$@"; }
	[ "$(other curl -sS -o /dev/null -w '%{http_connect}' -x "http://$proxy_at" "$at/npm/tiny" 2>/dev/null || true)" = 407 ]
	never other cat "/proc/$run/environ" 2>/dev/null
	never other ls "/proc/$proxy/fd" 2>/dev/null
	never other ls "$run_folder" 2>/dev/null
	never other cat "$bundle" 2>/dev/null
	never other kill "$proxy" 2>/dev/null
	[ "$(other curl -sS -o /dev/null -w '%{http_code}' -x "$proxy_url" "http://127.0.0.1:$http/-/ping")" = 200 ] # the control
	finish
}

@test "it cannot be asked to talk to itself, or in words it does not know" {
	begin_shown
	local answer
	for url in "http://$proxy_at/" "http://127.0.0.1:${proxy_at##*:}/x" "http://localhost:${proxy_at##*:}/x" \
		"http://127.1:${proxy_at##*:}/"; do
		answer=$(code --max-time 5 -x "$proxy_url" "$url")
		[[ $answer == [45]?? && $answer != 407 ]] || fail "$url: $answer"
	done
	[[ $(connect_code --max-time 5 -x "$proxy_url" "https://$proxy_at/") != 200 ]]
	for url in ftp://127.0.0.1:$http/x gopher://127.0.0.1:$http/x; do
		answer=$(code --max-time 5 -x "$proxy_url" "$url")
		[[ $answer == 000 || $answer == [45]?? ]] || fail "$url: $answer"
	done
	[ "$(code -x "$proxy_url" "http://127.0.0.1:$http/npm/tiny")" = 200 ]
	finish
}

@test "heads that are broken, endless or smuggle end their own connection and nothing else" {
	begin_shown
	local auth host=${proxy_at%%:*} port=${proxy_at##*:} crlf=$'\r\n' kind answer
	auth="Proxy-Authorization: Basic $(printf 'pmg:%s' "$token" | base64 -w0)"
	raw() { timeout 5 bash -c 'exec 5<>"/dev/tcp/$0/$1"; cat >&5 2>/dev/null; timeout 2 head -c 300 <&5' "$host" "$port" 2>/dev/null || true; }
	forget
	for kind in \
		"GET http://127.0.0.1:$http/npm/tiny HTTP/1.1${crlf}Host: x${crlf}$auth${crlf}Content-Length: 5${crlf}Transfer-Encoding: chunked" \
		"GET http://127.0.0.1:$http/npm/tiny HTTP/1.1${crlf}Host: x${crlf}$auth${crlf}Content-Length: 5${crlf}Content-Length: 6" \
		"GET http://127.0.0.1:$http/npm/tiny HTTP/1.1${crlf}Host: x${crlf}$auth${crlf}Content-Length: -1" \
		"GET http://127.0.0.1:$http/npm/tiny HTTP/1.1${crlf}Host: x${crlf}$auth${crlf}Transfer-Encoding: chunked, identity" \
		"GET http://127.0.0.1:$http/npm/tiny HTTP/1.1${crlf}$auth${crlf}X : space before colon" \
		"GET http://127.0.0.1:$http/npm/tiny HTTP/1.1${crlf}$auth${crlf} folded: line" \
		"GET http://127.0.0.1:$http/npm/ti ny HTTP/1.1${crlf}$auth" \
		"GET http://127.0.0.1:$http/npm/tiny HTTP/2.7${crlf}$auth" \
		"GET http://user@127.0.0.1:$http@127.0.0.2/npm/tiny HTTP/1.1${crlf}$auth" \
		"GET http://127.0.0.1:99999/npm/tiny HTTP/1.1${crlf}$auth" \
		"CONNECT 127.0.0.1 HTTP/1.1${crlf}$auth" \
		"CONNECT 127.0.0.1:$https/x HTTP/1.1${crlf}$auth" \
		"GET /npm/tiny HTTP/1.1${crlf}Host: 127.0.0.1:$http${crlf}$auth"; do
		answer=$(printf '%s\r\n\r\n' "$kind" | raw)
		[[ -z $answer || $answer == "HTTP/1.1 4"* || $answer == "HTTP/1.1 5"* ]] || fail "$kind: $answer"
	done
	{ printf 'GET http://127.0.0.1:%s/ HTTP/1.1\r\n%s\r\nX: ' "$http" "$auth"; head -c 1000000 /dev/zero | tr '\0' x; } | raw >answer
	[[ $(head -c 10 answer) == "" || $(head -c 10 answer) == "HTTP/1.1 4" ]]
	printf '\x16\x03\x01\x02\x00\x01\x00' | raw >answer
	[ "$(asked '')" -eq 0 ] || fail "asked: $(cat "$reg/log.jsonl")"
	# An idle crowd keeps nobody out.
	local -a crowd
	for _ in $(seq 100); do
		exec {fd}<>"/dev/tcp/$host/$port"
		crowd+=("$fd")
	done
	[ "$(code --max-time 5 -x "$proxy_url" "http://127.0.0.1:$http/npm/tiny")" = 200 ]
	for fd in "${crowd[@]}"; do exec {fd}>&-; done
	[ "$(code -x "$proxy_url" "http://127.0.0.1:$http/npm/tiny")" = 200 ]
	finish
}

# leaf HOST PORT NAME-OPTION...: what the proxy presents for a registry, read by the strictest reader
leaf() {
	local host=$1 port=$2
	shift 2
	openssl s_client -proxy "$proxy_at" -proxy_user pmg -proxy_pass "pass:$token" -connect "$host:$port" \
		-CAfile "$bundle" -no-CApath -verify_return_error -x509_strict -purpose sslserver \
		-alpn h2,http/1.1 -showcerts "$@" </dev/null >leaf.txt 2>leaf.err || fail "$host: $(cat leaf.err leaf.txt)"
	grep -q 'Verify return code: 0' leaf.txt
	grep -q 'ALPN protocol: http/1.1' leaf.txt
	openssl x509 -in leaf.txt -out leaf.pem
	openssl verify -x509_strict -purpose sslserver -CAfile "$bundle" leaf.pem
	openssl x509 -in leaf.pem -noout -text >leaf.text
	grep -q 'Version: 3' leaf.text
	grep -A1 'Basic Constraints' leaf.text | grep -q 'CA:FALSE'
	grep -A1 'Key Usage: critical' leaf.text | grep -q 'Digital Signature'
	grep -A1 'Extended Key Usage' leaf.text | grep -q 'TLS Web Server Authentication'
	grep -q 'Subject Key Identifier' leaf.text
	grep -q 'Authority Key Identifier' leaf.text
	openssl x509 -in leaf.pem -noout -checkend 3600
}

@test "its certificates pass openssl -x509_strict and Python's strictest, for names and addresses" {
	server parent python3 "$top/tests/helper/parent_proxy.py" --log parent.jsonl --map "registry.test:443=127.0.0.1:$https"
	export HTTPS_PROXY=http://127.0.0.1:$line NO_PROXY=127.0.0.1,::1 npm_config_registry=https://registry.test/npm/
	printf '@a:registry=https://127.0.0.1:%s/npm/\n@b:registry=https://[::1]:%s/npm/\n' "$https" "$https" >.npmrc
	begin_shown
	unset HTTPS_PROXY NO_PROXY
	leaf registry.test 443 -servername registry.test -verify_hostname registry.test
	leaf 127.0.0.1 "$https" -verify_ip 127.0.0.1
	leaf "[::1]" "$https" -verify_ip ::1
	leaf REGISTRY.test 443 -verify_hostname registry.test
	never openssl verify -x509_strict -verify_hostname other.test -CAfile "$bundle" leaf.pem 2>/dev/null
	openssl verify -x509_strict -CAfile "$bundle" leaf.pem
	# The authority is one, and only that.
	openssl crl2pkcs7 -nocrl -certfile "$bundle" | openssl pkcs7 -print_certs -noout | grep -i pmg >authorities
	[ "$(grep -c '^subject' authorities)" -eq 1 ]
	python3 - "$proxy_at" "$token" "$bundle" "$https" <<-'PY'
		import base64, socket, ssl, sys
		at, token, bundle, port = sys.argv[1:]
		context = ssl.create_default_context(cafile=bundle)
		context.verify_flags |= ssl.VERIFY_X509_STRICT | getattr(ssl, "VERIFY_X509_PARTIAL_CHAIN", 0)
		for host, target in (("registry.test", "registry.test:443"), ("127.0.0.1", "127.0.0.1:" + port)):
		    s = socket.create_connection(at.split(":"))
		    auth = base64.b64encode(("pmg:" + token).encode()).decode()
		    s.sendall(("CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n" % (target, target, auth)).encode())
		    assert b" 200 " in s.recv(4096)
		    t = context.wrap_socket(s, server_hostname=host)
		    assert t.version() in ("TLSv1.2", "TLSv1.3"), t.version()
	PY
	# Nothing older than TLS 1.2.
	never openssl s_client -proxy "$proxy_at" -proxy_user pmg -proxy_pass "pass:$token" -connect registry.test:443 \
		-tls1_1 -cipher 'DEFAULT:@SECLEVEL=0' </dev/null >/dev/null 2>&1
	openssl s_client -proxy "$proxy_at" -proxy_user pmg -proxy_pass "pass:$token" -connect registry.test:443 \
		-tls1_2 -CAfile "$bundle" -verify_return_error </dev/null >/dev/null 2>&1
	finish
}
