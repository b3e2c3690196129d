#!/usr/bin/env bats
# What lies between pmg and the registry: parent proxies, private authorities, odd configuration.
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
	wait_for 10 test -s "$BATS_TEST_TMPDIR/parent.port"
	parent=$(cat "$BATS_TEST_TMPDIR/parent.port")
}
parent_stop() {
	exec 7>&-
	rm -f "$BATS_TEST_TMPDIR"/parent.*
}
connects() { jq -s 'map(select(.method == "CONNECT")) | length' "$BATS_TEST_TMPDIR/parent.jsonl"; }

@test "a parent proxy from the environment: names that only it resolves" {
	parent
	export npm_config_registry=https://registry.test/npm/
	local name
	for name in HTTPS_PROXY https_proxy; do
		rm -rf node_modules package-lock.json "$HOME/.npm"
		out env "$name=http://127.0.0.1:$parent" npm install tiny
		must_work
		rm -rf node_modules package-lock.json "$HOME/.npm"
		out env "$name=http://127.0.0.1:$parent" "$pmg" npm install tiny
		must_work
	done
	[ "$(connects)" -gt 0 ]
	out env "HTTPS_PROXY=http://127.0.0.1:$parent" "$pmg" npm install bad
	refused bad 2.0.0 node_modules/bad
}

@test "every legal answer to CONNECT is taken by its number" {
	local kind
	export npm_config_registry=https://registry.test/npm/
	for kind in http10 noreason headers split; do
		parent --answer "$kind"
		rm -rf node_modules package-lock.json "$HOME/.npm"
		HTTPS_PROXY=http://127.0.0.1:$parent guarded npm install tiny
		must_work
		parent_stop
	done
}

@test "a parent that refuses is named with its answer" {
	local kind
	export npm_config_registry=https://registry.test/npm/
	for kind in 407 502; do
		parent --answer "$kind"
		HTTPS_PROXY=http://127.0.0.1:$parent guarded npm install tiny
		must_fail
		must_say PMG4002
		must_say "$kind"
		parent_stop
	done
}

@test "a parent with a password, which shows nowhere" {
	parent --auth ann:pa55w0rd
	export npm_config_registry=https://registry.test/npm/
	HTTPS_PROXY=http://ann:pa55w0rd@127.0.0.1:$parent guarded -v npm install tiny
	must_work
	must_not_say pa55w0rd
	never grep -rIlq pa55w0rd "$HOME" "$project"
}

@test "a parent proxy from .npmrc is chained to, not lost" {
	parent
	export npm_config_registry=https://registry.test/npm/
	echo "https-proxy=http://127.0.0.1:$parent" >"$HOME/.npmrc"
	bare npm install tiny
	must_work
	rm -rf node_modules package-lock.json "$HOME/.npm"
	guarded npm install tiny
	must_work
	[ "$(connects)" -gt 0 ]
	guarded npm install bad
	refused bad 2.0.0 node_modules/bad
}

@test "NO_PROXY of the user: pmg goes direct, and still judges" {
	parent --answer 502
	local list
	for list in 127.0.0.1 "localhost, 127.0.0.*, .corp" "127.0.0.0/8" "*" "127.0.0.1:$https"; do
		rm -rf node_modules package-lock.json "$HOME/.npm"
		HTTPS_PROXY=http://127.0.0.1:$parent NO_PROXY=$list guarded npm install tiny
		must_work
		HTTPS_PROXY=http://127.0.0.1:$parent NO_PROXY=$list guarded npm install bad
		refused bad 2.0.0 node_modules/bad
	done
	rm -rf "$HOME/.npm"
	NO_PROXY=.corp HTTPS_PROXY=http://127.0.0.1:$parent guarded npm view tiny version
	must_fail
}

@test "lines of .npmrc and variables that would lead round pmg do not" {
	local line
	for line in "noproxy=127.0.0.1" "https-proxy=http://127.0.0.1:9" "proxy=null" "https-proxy=null" \
		"strict-ssl=false" "cafile=/dev/null" "maxsockets=1" "noproxy=*" "proxy=http://127.0.0.1:9"; do
		echo "$line" >.npmrc
		guarded npm install bad
		[ ! -e node_modules/bad ] || fail "$line: landed"
		must_fail
		asked_bad=$(asked 'bad-2.0.0.tgz')
		[ "$asked_bad" -eq 0 ] || fail "$line: the artifact was asked for"
	done
	rm .npmrc
	for line in npm_config_noproxy=127.0.0.1 no_proxy=127.0.0.1 NO_PROXY=127.0.0.1 NO_PROXY=* \
		npm_config_https_proxy= npm_config_proxy= ALL_PROXY= npm_config_strict_ssl=false \
		npm_config_NOPROXY=127.0.0.1; do
		out env "$line" "$pmg" npm install bad
		[ ! -e node_modules/bad ] || fail "$line: landed"
		must_fail
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

@test "a private authority in any of the usual variables is added, not put in place of the others" {
	local name
	unset npm_config_cafile NODE_EXTRA_CA_CERTS
	for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE npm_config_cafile; do
		rm -rf node_modules package-lock.json "$HOME/.npm"
		out env "$name=$reg/ca.pem" "$pmg" npm install tiny
		must_work
	done
	echo "cafile=$reg/ca.pem" >.npmrc
	rm -rf node_modules package-lock.json "$HOME/.npm"
	before=$(sha256sum <"$reg/ca.pem")
	guarded npm install tiny
	must_work
	same "the user's file" "$before" "$(sha256sum <"$reg/ca.pem")"
	rm .npmrc
	mkdir certs
	cp "$reg/ca.pem" "certs/$(openssl x509 -noout -hash -in "$reg/ca.pem").0"
	rm -rf node_modules package-lock.json "$HOME/.npm"
	SSL_CERT_DIR=$PWD/certs guarded npm install tiny
	must_work
	rm -rf "$HOME/.npm"
	guarded npm view tiny version # and without it the registry is not trusted
	must_fail
	must_say PMG4001
}

@test "a stale NODE_EXTRA_CA_CERTS is named once, and the run goes on" {
	local what
	: >empty.pem
	export npm_config_registry=http://127.0.0.1:$http/npm/
	unset npm_config_cafile
	for what in /nonexistent.pem "$PWD" "$PWD/empty.pem"; do
		NODE_EXTRA_CA_CERTS=$what guarded npm view tiny version
		must_work
		[ "$(grep -c "^pmg:.*$what" <<<"$stderr")" -eq 1 ] || fail "$what: $(shown)"
	done
}

@test "the bundle that scripts get holds every root of the system and more" {
	system=$(grep -c BEGIN /etc/ssl/certs/ca-certificates.crt) || skip "no bundle of the system here"
	echo '{"name":"p","version":"1.0.0","scripts":{"x":"grep -hc BEGIN $SSL_CERT_FILE $NODE_EXTRA_CA_CERTS"}}' >package.json
	guarded npm run -s x
	must_work
	# Node adds its file to roots of its own: there the fixture's and pmg's are all.
	{ read -r bundle && read -r extra; } <<<"$stdout"
	[ "$bundle" -ge $((system + 2)) ] || fail "$bundle of $system"
	[ "$extra" -eq 2 ] || fail "$extra for node"
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
