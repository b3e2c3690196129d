#!/usr/bin/env bats
# A package manager within a script, and programs that know nothing of proxies: all meet the one run.
load helper
load walls

setup_file() {
	need python3 node
	shed
}
teardown_file() { unshed; }
setup() { scene; }
teardown() { [ -z "${listener:-}" ] || kill "$listener" 2>/dev/null || true; }

fill() {
	mkdir -p "$project/inner"
	cat >"$project/inner/package.json" <<-'JSON'
		{ "name": "inner", "version": "1.0.0", "scripts": {
		"preinstall": "cd ../node_modules/dep-evil && touch ready; n=0; until [ -e go ] || [ $n = 200 ]; do n=$((n+1)); sleep 0.05; done" } }
	JSON
}

everybody() {
	local who
	for who in "$(id -un)" ${user:+"$user"}; do
		evil_user "$who"
		fresh
		"$1"
	done
}

# script TEXT: dep-evil's postinstall is this text for sh, in its own folder
script() {
	rm -rf "$place/evil" node_modules package-lock.json
	mkdir -p "$place/evil/package"
	echo '{"name":"dep-evil","version":"1.2.3","scripts":{"postinstall":"sh ./run.sh"}}' >"$place/evil/package/package.json"
	printf '%s\n' "$1" >"$place/evil/package/run.sh"
	tar -C "$place/evil" -czf "$project/vendor/dep-evil-1.2.3.tgz" package
	chmod a+r "$project/vendor/dep-evil-1.2.3.tgz"
}

# Names of all processes below one, one a line.
below() {
	local pid
	for pid in $(pgrep -P "$1"); do
		cat "/proc/$pid/comm" 2>/dev/null || true
		below "$pid"
	done
}

@test "a package manager in a script finds the outer run: one proxy, one keeper" {
	with=(env PATH="${pmg%/*}:$PATH")
	# Seen from outside, while the inner npm runs a script of its own.
	meanwhile() { below $$ >"$BATS_TEST_TMPDIR/running"; }
	check() {
		for how in npm "pmg npm"; do
			script "$how --prefix ../../inner install --no-audit --no-fund >nested.out 2>&1; echo \$? >nested; cat /proc/[0-9]*/comm >processes"
			rm -f "$BATS_TEST_TMPDIR/running"
			evil_install guarded_as
			must_work
			same "what runs" $'pmg-broker\npmg-proxy\npmg-reaper\npmg-sweeper' \
				"$(grep -xE 'pmg-.+' "$BATS_TEST_TMPDIR/running" | LC_ALL=C sort)"
			[ "$(grep -c '^npm' "$BATS_TEST_TMPDIR/running")" -ge 2 ] || fail "no inner npm: $(cat "$BATS_TEST_TMPDIR/running")"
			[ "$(cat node_modules/dep-evil/nested)" = 0 ] || fail "$how: $(cat node_modules/dep-evil/nested.out)"
			never grep -qE 'pmg-(proxy|keeper|broker)' node_modules/dep-evil/processes
			[ ! -s node_modules/dep-evil/nested.out ] || never grep -q 'pmg:' node_modules/dep-evil/nested.out
		done
		# One run was recorded for each, not two.
		[ "$("${as[@]}" "$pmg" audit list --json | jq '[.[].run] | unique | length')" -le 2 ]
	}
	everybody check
}

@test "fetch without proxy support and a written address are refused by name" {
	check() {
		script 'node -e "fetch(\"http://evil.test/a\").catch(e => console.log(String(e.cause || e)))" >fetch.out 2>&1
node -e "fetch(\"https://evil.test/a\").catch(e => console.log(String(e.cause || e)))" >>fetch.out 2>&1
node -e "require(\"net\").connect(8080, \"10.99.0.1\").on(\"error\", e => console.log(String(e)))" >net.out 2>&1
exit 0'
		evil_install guarded_as
		must_work
		violations=$("${as[@]}" "$pmg" violations list --last --json)
		listed 2009 "re:evil\\.test" || fail "evil.test is not listed: $(jq -c '.[]|[.code,.target,.package,.script]' <<<"$violations") $(cat node_modules/dep-evil/fetch.out)"
		listed 2009 "tcp 10.99.0.1:8080" || fail "the address is not listed: $(jq -c '.[]|[.code,.target]' <<<"$violations")"
	}
	everybody check
}

@test "one address that is allowed is reached, and none beside it" {
	python3 - "$shed/heard" >"$BATS_TEST_TMPDIR/ports" <<'PY' 3>&- &
import selectors, socket, sys
sel = selectors.DefaultSelector()
names = []
for _ in range(2):
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(16)
    sel.register(s, selectors.EVENT_READ)
    names.append(s.getsockname()[1])
print(*names, flush=True)
while True:
    for key, _ in sel.select():
        c, _ = key.fileobj.accept()
        c.settimeout(2)
        try:
            data = c.recv(4096)
            c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        except OSError:
            pass
        with open(sys.argv[1], "a") as f:
            print(key.fileobj.getsockname()[1], file=f)
        c.close()
PY
	listener=$!
	wait_for 60 test -s "$BATS_TEST_TMPDIR/ports"
	read -r one two <"$BATS_TEST_TMPDIR/ports"
	check() {
		rm -f "$shed/heard"
		script "for port in $one $two; do node -e 'fetch(\"http://127.0.0.1:'\$port'/a\").then(r => r.text()).then(console.log).catch(e => console.log(String(e.cause || e)))' >out.\$port 2>&1; done; exit 0"
		evil_install guarded_as --sandbox-allow "net-connect=127.0.0.1:$one"
		must_work
		[ "$(cat "node_modules/dep-evil/out.$one")" = hello ] || fail "not reached: $(cat node_modules/dep-evil/out.*)"
		[ "$(cat "$shed/heard")" = "$one" ] || fail "reached: $(cat "$shed/heard")"
		violations=$("${as[@]}" "$pmg" violations list --last --json)
		listed 2009 "tcp 127.0.0.1:$two" || fail "not listed: $(jq -c '.[]|[.code,.target]' <<<"$violations")"
	}
	everybody check
}
