#!/usr/bin/env bats
# pmg-proxy itself: who may use it, what it lets through unjudged, what it leaves behind.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
}

# inside LINE: the line of shell runs as a script of the project, behind pmg
inside() {
	jq -n --arg x "$1" '{name:"p",version:"1.0.0",scripts:{x:$x}}' >package.json
	guarded --no-sandbox npm run -s x # of the proxy, whose clients are scripts to the walls
}

# outside: the address of the proxy of a run that goes on until `release`; $proxy_url, $proxy_at
outside() {
	jq -n '{name:"p",version:"1.0.0",scripts:{x:"env > env.out; mv env.out env; while [ ! -e stop ]; do sleep 0.1; done"}}' >package.json
	"$pmg" --no-sandbox npm run -s x >out 2>err </dev/null 3>&- &
	run=$!
	wait_for 60 test -e env || fail "it did not begin: $(cat err)"
	proxy_url=$(sed -n 's/^HTTPS_PROXY=//p' env)
	proxy_at=${proxy_url##*@}
	[ -n "$proxy_at" ]
}
release() {
	touch stop
	wait "$run"
}

@test "without its token it answers 407, to any request" {
	outside
	at=http://${proxy_at%/}
	[ "$(curl -s -o /dev/null -w '%{http_code}' -x "$at" "http://127.0.0.1:$http/npm/tiny")" = 407 ]
	[ "$(curl -s -o /dev/null -w '%{http_connect}' -x "$at" "https://127.0.0.1:$https/npm/tiny")" = 407 ]
	[ "$(curl -s -o /dev/null -w '%{http_connect}' -x "http://pmg:wrong@${proxy_at%/}" "https://127.0.0.1:$https/npm/tiny")" = 407 ]
	[ "$(curl -s -o /dev/null -w '%{http_code}' "$at/npm/tiny")" != 200 ]
	forget
	curl -fsS -o got --cacert "$reg/ca.pem" -x "http://pmg:wrong@${proxy_at%/}" "https://127.0.0.1:$https/npm/tiny" || true
	[ ! -s got ]
	[ "$(asked tiny)" -eq 0 ]
	# The control: with the token it works.
	curl -fsS -o got -x "$proxy_url" --cacert "$(sed -n 's/^NODE_EXTRA_CA_CERTS=//p' env)" "https://127.0.0.1:$https/npm/tiny"
	[ -s got ]
	release
}

@test "another user of this machine cannot use it, nor see its token" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user here"
	outside
	code=$(setpriv --reuid=65534 --regid=65534 --clear-groups \
		curl -s -o /dev/null -w '%{http_connect}' -x "http://${proxy_at%/}" "https://127.0.0.1:$https/npm/tiny" || true)
	[ "$code" = 407 ]
	token=$(sed -E 's#^http://[^:]*:([^@]*)@.*#\1#' <<<"$proxy_url")
	[ ${#token} -ge 20 ]
	never grep -qF "$token" "/proc/$(pgrep -P "$run" -x pmg-proxy)/cmdline"
	never grep -qF "$token" "/proc/$run/cmdline"
	never setpriv --reuid=65534 --regid=65534 --clear-groups cat "/proc/$(pgrep -P "$run" -x pmg-proxy)/environ"
	release
}

@test "it listens on loopback only and is confined" {
	outside
	pid=$(pgrep -P "$run" -x pmg-proxy)
	grep -q '^Seccomp:[[:space:]]*2' "/proc/$pid/status"
	grep -q '^NoNewPrivs:[[:space:]]*1' "/proc/$pid/status"
	[ "$(stat -c %U "/proc/$pid/environ" 2>/dev/null)" = root ] # not dumpable
	[ "$(ps -o sid= -p "$pid" | tr -d ' ')" = "$pid" ]
	[ "$(tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -cE 'npm_config|HOME=')" -eq 0 ]
	port=${proxy_at##*:}
	hex=$(printf '%04X' "${port%/}")
	elsewhere=$(grep -hE ":$hex 0{8}:0000 0A" /proc/net/tcp | grep -v ' 0100007F:' || true)
	[ -z "$elsewhere" ] || fail "listens elsewhere: $elsewhere"
	release
}

@test "other hosts are tunnelled untouched, and recorded as not judged" {
	inside "curl -sS --cacert $reg/ca.pem https://127.0.0.2:$cdn_https/-/ping"
	must_work
	[ "$stdout" = "{}" ]
	"$pmg" audit list --json | grep -q "127.0.0.2:$cdn_https"
	inside "curl -sS http://127.0.0.2:$cdn_http/-/ping"
	must_work
	[ "$stdout" = "{}" ]
}

@test "tunnels: a half close is handed on, a reset hurts nobody else, an idle one stays" {
	cat >server.py <<-'PY'
		import os, socket, struct, sys, threading, time
		def half(s):
		    got = b""
		    while True:
		        more = s.recv(4096)
		        if not more: break
		        got += more
		    s.sendall(b"got %d bytes, then the end\n" % len(got)); s.close()
		def reset(s):
		    s.recv(1); s.sendall(b"some"); time.sleep(0.2)
		    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)); s.close()
		def idle(s):
		    s.recv(1); time.sleep(6); s.sendall(b"still here\n"); s.close()
		kinds = (half, reset, idle)
		listeners = [socket.create_server(("127.0.0.2", 0), backlog=64) for _ in kinds]
		def serve(l, kind):
		    while True:
		        threading.Thread(target=kind, args=(l.accept()[0],), daemon=True).start()
		for l, kind in zip(listeners, kinds): threading.Thread(target=serve, args=(l, kind), daemon=True).start()
		print(*[l.getsockname()[1] for l in listeners], flush=True)
		time.sleep(60)
	PY
	cat >client.py <<-'PY'
		import base64, os, socket, sys, threading, urllib.parse
		p = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
		auth = base64.b64encode(("%s:%s" % (p.username, p.password)).encode()).decode()
		def tunnel(port):
		    s = socket.create_connection((p.hostname, p.port), timeout=20)
		    s.sendall(("CONNECT 127.0.0.2:%d HTTP/1.1\r\nHost: x\r\nProxy-Authorization: Basic %s\r\n\r\n" % (port, auth)).encode())
		    head = b""
		    while b"\r\n\r\n" not in head: head += s.recv(1)
		    assert b" 200" in head.split(b"\r\n")[0], head
		    return s
		def read(s):
		    got = b""
		    try:
		        while True:
		            more = s.recv(4096)
		            if not more: return got
		            got += more
		    except ConnectionResetError:
		        return got + b"RESET"
		half, reset, idle = map(int, sys.argv[1:])
		waiting = tunnel(idle); waiting.sendall(b"x")
		results = []
		def one():
		    s = tunnel(half); s.sendall(b"a" * 100000); s.shutdown(socket.SHUT_WR); results.append(read(s))
		threads = [threading.Thread(target=one) for _ in range(30)]
		broken = tunnel(reset); broken.sendall(b"x")
		for t in threads: t.start()
		print(read(broken).decode())
		for t in threads: t.join()
		print(set(r.decode() for r in results), len(results))
		print(read(waiting).decode())
	PY
	python3 server.py >ports 3>&- &
	server=$!
	wait_for 60 test -s ports
	inside "python3 client.py $(cat ports)"
	kill "$server"
	must_work
	grep -q "{'got 100000 bytes, then the end\\\\n'} 30" <<<"$stdout" || fail "$(shown)"
	grep -q 'still here' <<<"$stdout" || fail "$(shown)"
	grep -q '^some' <<<"$stdout" || fail "$(shown)"
}

@test "a request that is no HTTP, or too long, ends that connection and nothing else" {
	outside
	host=${proxy_at%%:*} port=${proxy_at##*:}
	port=${port%/}
	printf '\x16\x03\x01garbage\r\n\r\n' | timeout 5 bash -c "cat >/dev/tcp/$host/$port" || true
	{ printf 'GET http://127.0.0.1/ HTTP/1.1\r\nX: '; head -c 2000000 /dev/zero | tr '\0' x; } |
		timeout 5 bash -c "cat >/dev/tcp/$host/$port" 2>/dev/null || true
	printf 'CONNECT 127.0.0.1:%s HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n' "$https" |
		timeout 5 bash -c "cat >/dev/tcp/$host/$port" || true
	curl -fsS -o got -x "$proxy_url" --cacert "$(sed -n 's/^NODE_EXTRA_CA_CERTS=//p' env)" "https://127.0.0.1:$https/npm/tiny"
	[ -s got ]
	release
}
