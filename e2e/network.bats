#!/usr/bin/env bats
# What lies between pmg and the registry: parent proxies, odd configuration.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
	block pkg:npm/bad
}
teardown() { parent_stop; }

# parent OPTIONS...: a parent proxy that also knows registry.test; $parent is its port
parent() {
	mkfifo "$BATS_TEST_TMPDIR/parent.alive"
	python3 "$top/tests/helper/parent_proxy.py" --log "$BATS_TEST_TMPDIR/parent.jsonl" \
		--map "registry.test:443=127.0.0.1:$https" --map "registry.test:80=127.0.0.1:$http" \
		"$@" <"$BATS_TEST_TMPDIR/parent.alive" >"$BATS_TEST_TMPDIR/parent.port" 3>&- &
	exec 7>"$BATS_TEST_TMPDIR/parent.alive"
	wait_for 60 test -s "$BATS_TEST_TMPDIR/parent.port"
	parent=$(cat "$BATS_TEST_TMPDIR/parent.port")
}
parent_stop() {
	exec 7>&-
	rm -f "$BATS_TEST_TMPDIR"/parent.*
}
connects() { jq -s 'map(select(.method == "CONNECT")) | length' "$BATS_TEST_TMPDIR/parent.jsonl"; }

# What pmg makes of parents and of NO_PROXY, with any client, is asked in parent-proxy.bats; here: what
# npm makes of pmg then.

@test "a parent proxy from the environment: names that only it resolves" {
	parent
	export npm_config_registry=https://registry.test/npm/ HTTPS_PROXY=http://127.0.0.1:$parent
	bare npm install tiny
	must_work
	rm -rf node_modules package-lock.json "$HOME/.npm"
	guarded npm install tiny
	must_work
	[ "$(connects)" -gt 0 ]
	guarded npm install bad
	refused bad 2.0.0 node_modules/bad
}

@test "a parent proxy from .npmrc is chained to, not lost" {
	parent
	export npm_config_registry=https://registry.test/npm/
	echo "https-proxy=http://127.0.0.1:$parent" >"$HOME/.npmrc"
	guarded npm install tiny
	must_work
	[ "$(connects)" -gt 0 ]
	guarded npm install bad
	refused bad 2.0.0 node_modules/bad
}

@test "NO_PROXY of the user: pmg goes direct, and still judges" {
	parent --answer 502
	export HTTPS_PROXY=http://127.0.0.1:$parent
	NO_PROXY="localhost, 127.0.0.*, .corp" guarded npm install tiny
	must_work
	NO_PROXY="*" guarded npm install bad
	refused bad 2.0.0 node_modules/bad
	rm -rf "$HOME/.npm"
	NO_PROXY=.corp guarded npm view tiny version
	must_fail
}

@test "lines of .npmrc and variables that would lead round pmg do not" {
	local line
	bare npm install bad # the control
	[ -e node_modules/bad ]
	rm -rf node_modules package-lock.json "$HOME/.npm"
	package_json
	forget
	for line in noproxy=127.0.0.1 "noproxy=*" no-proxy=127.0.0.1 http-proxy=http://127.0.0.1:9 \
		https-proxy=http://127.0.0.1:9 proxy=http://127.0.0.1:9 proxy=null proxy=false https-proxy=null \
		https-proxy= strict-ssl=false cafile=/dev/null ca=null local-address=127.0.0.1 maxsockets=1; do
		echo "$line" >.npmrc
		guarded npm install bad
		[ ! -e node_modules/bad ] || fail "$line: landed"
		must_fail
		[ "$(asked 'bad-2.0.0.tgz')" -eq 0 ] || fail "$line: the artifact was asked for"
	done
	rm .npmrc
	for line in npm_config_noproxy=127.0.0.1 no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 NO_PROXY=* \
		npm_config_https_proxy= npm_config_proxy= ALL_PROXY= npm_config_strict_ssl=false \
		npm_config_NOPROXY=127.0.0.1; do
		out env "$line" "$pmg" npm install bad
		[ ! -e node_modules/bad ] || fail "$line: landed"
		must_fail
		[ "$(asked 'bad-2.0.0.tgz')" -eq 0 ] || fail "$line: the artifact was asked for"
	done
}

@test "options of the command line that would lead round pmg do not" {
	local option
	for option in --noproxy=127.0.0.1 --https-proxy=http://127.0.0.1:9 --proxy=null --no-proxy \
		--https-proxy= --strict-ssl=false; do
		guarded npm install bad "$option"
		[ ! -e node_modules/bad ] || fail "$option: landed"
		must_fail
	done
}

@test "a leaf and the authority of a run are clean by the strictest reader" {
	jq -n --arg x "cp \$NODE_EXTRA_CA_CERTS bundle.pem; openssl s_client -connect \$(echo \$HTTPS_PROXY | sed 's#.*@##') -proxy \$(echo \$HTTPS_PROXY | sed 's#.*@##') -proxy_user pmg -proxy_pass pass:x </dev/null" \
		'{name:"p",version:"1.0.0",scripts:{x:"node get.js"}}' >package.json
	cat >get.js <<-'JS'
		const tls = require('tls'), net = require('net'), fs = require('fs');
		const p = new URL(process.env.HTTPS_PROXY), host = process.argv[2] || process.env.TARGET;
		const s = net.connect(p.port, p.hostname, () => s.write(`CONNECT ${host} HTTP/1.1\r\nHost: ${host}\r\n` +
			`Proxy-Authorization: Basic ${Buffer.from(p.username + ':' + p.password).toString('base64')}\r\n\r\n`));
		s.once('data', () => { const t = tls.connect({ socket: s, servername: 'localhost', rejectUnauthorized: false }, () => {
			const c = t.getPeerCertificate(true);
			const pem = c => '-----BEGIN CERTIFICATE-----\n' + c.raw.toString('base64').match(/.{1,64}/g).join('\n') + '\n-----END CERTIFICATE-----\n';
			fs.writeFileSync('leaf.pem', pem(c));
			fs.copyFileSync(process.env.NODE_EXTRA_CA_CERTS, 'bundle.pem');
			process.exit(0); }); });
	JS
	# Without walls: within them a script gets no connection to look at.
	TARGET=127.0.0.1:$https guarded --no-sandbox npm run x
	must_work
	openssl verify -x509_strict -purpose sslserver -CAfile bundle.pem leaf.pem
	openssl x509 -in leaf.pem -noout -ext basicConstraints | grep -q CA:FALSE
}

@test "an unreachable registry: not 0, one line that says so" {
	export npm_config_registry=https://127.0.0.1:1/npm/
	guarded npm view tiny version
	must_fail
	must_say PMG4004
	must_say 127.0.0.1:1
	export npm_config_registry=https://nothere.invalid/npm/
	guarded npm view tiny version
	must_fail
	must_say PMG4003
}
