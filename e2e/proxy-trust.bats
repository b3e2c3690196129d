#!/usr/bin/env bats
# Whom pmg believes, and whom it makes its tools believe: the user's own authorities are added wherever
# a tool would find them, and nothing turns verification off.
load helper
load fixture

setup() {
	client_setup
	unset CURL_CA_BUNDLE
	fetch='curl -sS -o body -w "%{http_code} " "${npm_config_registry}tiny" || true
		curl -sS -o file -w "%{http_code}" "${npm_config_registry}tiny/-/tiny-1.0.0.tgz" || true'
}

reached() { [ "$stdout:$(is_package file && echo whole)" = "200 200:whole" ] || fail "$1: $(shown)"; }
not_reached() { [ "$stdout" = "502 502" ] || fail "$1: $(shown)"; }

@test "the user's authority is found wherever a tool keeps it, in a file or a folder" {
	local name line
	without "$fetch"
	[ "$stdout" = "000 000" ] # the control: it is trusted by nobody
	through "$fetch"
	not_reached "no authority"
	in_report --arg t "127.0.0.1:$https" '.troubles[] | select(.code == "PMG4001" and .target == $t)'
	for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO \
		PIP_CERT npm_config_cafile NPM_CONFIG_CAFILE; do
		export "$name=$reg/ca.pem"
		through "$fetch"
		unset "$name"
		reached "$name"
	done
	mkdir certs other
	cp "$reg/ca.pem" certs/company.pem
	export SSL_CERT_DIR=$PWD/other:$PWD/certs
	through "$fetch"
	unset SSL_CERT_DIR
	reached SSL_CERT_DIR
	cp "$reg/ca.pem" "$project/in project.pem"
	for line in "cafile=$reg/ca.pem" "cafile = \"$reg/ca.pem\"" 'cafile=${FOLDER}/ca.pem' 'cafile=in project.pem'; do
		echo "$line" >.npmrc
		FOLDER=$reg through "$fetch"
		reached "project: $line"
		mv .npmrc "$HOME/.npmrc"
		FOLDER=$reg through "$fetch"
		rm "$HOME/.npmrc"
		reached "user: $line"
	done
}

@test "real tools with an authority of their own: npm and pnpm" {
	export NODE_EXTRA_CA_CERTS=$reg/ca.pem
	guarded npm install tiny
	must_work
	tool pnpm 10 pnpm
	rm -rf node_modules package-lock.json
	guarded pnpm add tiny
	must_work
	unset NODE_EXTRA_CA_CERTS
	rm -rf node_modules "$HOME/.local/share/pnpm" "$HOME/.cache/pnpm" pnpm-lock.yaml
	echo "cafile=$reg/ca.pem" >.npmrc
	guarded pnpm add tiny
	must_work
	rm .npmrc
}

@test "an authority of the system's store is believed" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user here"
	[ -f /etc/ssl/certs/ca-certificates.crt ] || skip "no bundle of the system here"
	cat /etc/ssl/certs/ca-certificates.crt "$reg/ca.pem" >store.pem
	the_text "$fetch"
	report=$BATS_TEST_TMPDIR/report.json
	export STORE=$PWD/store.pem
	PATH=$stand_in:$PATH out unshare -m sh -c 'mount --bind "$STORE" /etc/ssl/certs/ca-certificates.crt &&
		exec "$@"' sh "$pmg" --no-sandbox --report "$report" npm run x
	reached "the system's store"
}

@test "a certificate of nobody is refused, however little the client cares" {
	export npm_config_registry=https://127.0.0.1:$untrusted/npm/ NODE_EXTRA_CA_CERTS=$reg/ca.pem
	export npm_config_strict_ssl=false NODE_TLS_REJECT_UNAUTHORIZED=0
	echo "strict-ssl=false" >.npmrc
	local careless='curl -sSk -o body -w "%{http_code}" "${npm_config_registry}tiny"'
	without "$careless"
	[ "$stdout" = 200 ]
	forget
	through "$careless"
	[ "$stdout" = 502 ] || fail "$(shown)"
	never grep -q '"versions"' body
	[ "$(asked '')" -eq 0 ]
	in_report --arg t "127.0.0.1:$untrusted" '.troubles[] | select(.code == "PMG4001" and .target == $t)'
	through "$careless; exit 1"
	must_say PMG4001
	must_say "127.0.0.1:$untrusted"
}

@test "a certificate for another host or of another time, a port without TLS: refused by name" {
	export NODE_EXTRA_CA_CERTS=$reg/ca.pem
	serve_tls() { server "tls$1" python3 -c 'import socket, ssl, sys, threading
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain(sys.argv[2], sys.argv[3])
l = socket.create_server((sys.argv[1], 0)); print(l.getsockname()[1], flush=True)
def serve():
    while True:
        try:
            s = c.wrap_socket(l.accept()[0], server_side=True); s.recv(4096)
            s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"); s.unwrap()
        except OSError: pass
threading.Thread(target=serve, daemon=True).start(); sys.stdin.read()' "$@"; }
	local careless='curl -sSk -o body -w "%{http_code}" "${npm_config_registry}tiny"; exit 1'
	serve_tls 127.0.0.3 "$reg/cert.pem" "$reg/key.pem"
	export npm_config_registry=https://127.0.0.3:$line/npm/
	without "$careless"
	[ "$stdout" = 200 ]
	through "$careless"
	[ "$stdout" = 502 ] || fail "another host: $(shown)"
	must_say PMG4001
	openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=old -keyout old.key -out old.csr 2>/dev/null
	printf 'subjectAltName=IP:127.0.0.1\n' >old.ext
	openssl x509 -req -in old.csr -CA "$reg/ca.pem" -CAkey "$reg/ca.key" -set_serial 7 -days -1 -extfile old.ext -out old.pem 2>/dev/null
	serve_tls 127.0.0.1 old.pem old.key
	export npm_config_registry=https://127.0.0.1:$line/npm/
	without "$careless"
	[ "$stdout" = 200 ]
	through "$careless"
	[ "$stdout" = 502 ] || fail "expired: $(shown)"
	must_say PMG4001
	must_say expired
	export npm_config_registry=https://127.0.0.1:$http/npm/
	through "$careless"
	[ "$stdout" = 502 ] || fail "no TLS: $(shown)"
	must_say PMG4007
}

@test "the bundle has every root, once, and nothing but certificates, in every variable" {
	[ -f /etc/ssl/certs/ca-certificates.crt ] || skip "no bundle of the system here"
	local system
	system=$(grep -c 'BEGIN CERTIFICATE' /etc/ssl/certs/ca-certificates.crt)
	# A file as people have it: text, the key beside it, the same certificate twice, DOS line ends.
	{ echo "# of our company"; cat "$reg/ca.key" "$reg/ca.pem" "$reg/cert.pem" "$reg/key.pem"; sed 's/$/\r/' "$reg/ca.pem"; } >own.pem
	before=$(stat -c '%i %Y %s' own.pem && sha256sum own.pem)
	# npm is told only where a file of npm's own has to be overruled.
	echo "cafile=$PWD/own.pem" >.npmrc
	NODE_EXTRA_CA_CERTS=$PWD/own.pem through 'env | grep "^[A-Za-z_]*=/.*/bundle.pem$" | sort
		cp "$SSL_CERT_FILE" bundle.pem; cp "$NODE_EXTRA_CA_CERTS" extra.pem; ls -l "$SSL_CERT_FILE" "$NODE_EXTRA_CA_CERTS"'
	must_work
	for name in SSL_CERT_FILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE GIT_SSL_CAINFO PIP_CERT npm_config_cafile; do
		grep -q "^$name=/" <<<"$stdout" || fail "$name is not set: $stdout"
	done
	[ "$(grep '^[A-Za-z_]*=/' <<<"$stdout" | sed 's/^[^=]*=//' | sort -u | wc -l)" -eq 1 ]
	# Node adds to roots of its own, and reads all of the file at every start: it gets no more than it must.
	for file in "$reg/ca.pem" "$reg/cert.pem"; do
		grep -qF "$(sed -n 2p "$file")" extra.pem || fail "$file is not in node's file"
	done
	[ "$(grep -c 'BEGIN CERTIFICATE' extra.pem)" -eq 4 ]
	never grep -q 'PRIVATE KEY' extra.pem
	# What lies beside the system's bundle counts too; pmg's own is one.
	[ "$(grep -c 'BEGIN CERTIFICATE' bundle.pem)" -ge $((system + 3)) ] || fail "$(grep -c BEGIN bundle.pem) of $system"
	[ -z "$(tr -d '\n' <bundle.pem | sed 's/-----END CERTIFICATE-----/&\n/g' | sort | uniq -d)" ] || fail "one is there twice"
	for file in "$reg/ca.pem" "$reg/cert.pem"; do
		grep -qF "$(sed -n 2p "$file")" bundle.pem || fail "$file is not in the bundle"
	done
	never grep -q 'PRIVATE KEY' bundle.pem
	same "own.pem" "$before" "$(stat -c '%i %Y %s' own.pem && sha256sum own.pem)"
	same "certificates that OpenSSL reads" "$(grep -c BEGIN bundle.pem)" \
		"$(openssl crl2pkcs7 -nocrl -certfile bundle.pem | openssl pkcs7 -print_certs -noout | grep -c '^subject')"
	[ "$(grep -cE '^-r[w-]-------' <<<"$stdout")" -eq 2 ]
}

@test "no file of the user's is touched" {
	printf '//127.0.0.1:%s/npm/:_authToken=abc\ncafile=%s\n' "$https" "$reg/ca.pem" >"$HOME/.npmrc"
	mkdir -p "$HOME/.config/pip"
	printf '[global]\ncert = %s\n' "$reg/ca.pem" >"$HOME/.config/pip/pip.conf"
	printf 'registry=%s\n' "$npm_base" >.npmrc
	printf '[http]\n\tsslVerify = true\n' >"$HOME/.gitconfig"
	files="$HOME/.npmrc $HOME/.config/pip/pip.conf $HOME/.gitconfig .npmrc package.json $reg/ca.pem"
	# shellcheck disable=SC2086 # a list of words
	before=$(stat -c '%n %i %Y %Z %a %s' $files && sha256sum $files)
	through "$fetch"
	reached "with a file of one's own"
	guarded npm install tiny --no-save
	must_work
	# shellcheck disable=SC2086
	same "files" "$before" "$(stat -c '%n %i %Y %Z %a %s' $files && sha256sum $files)"
	same "names" ".npmrc body file node_modules package.json" "$(find . -mindepth 1 -maxdepth 1 ! -name package-lock.json -printf '%f\n' | sort | xargs)"
}

@test "a variable that names no certificates: one warning that names it, and the run goes on" {
	local what name
	: >empty.pem
	echo "no certificate" >text.pem
	mkfifo pipe.pem
	for what in /nonexistent.pem "$PWD/empty.pem" "$PWD/text.pem" "$PWD/pipe.pem" "$PWD"; do
		export NODE_EXTRA_CA_CERTS=$what CURL_CA_BUNDLE=$reg/ca.pem
		through "$fetch"
		reached "$what"
		[ "$(grep -c "^pmg: .*$what" <<<"$stderr")" -eq 1 ] || fail "$what: $(shown)"
		grep -q "^pmg: .*NODE_EXTRA_CA_CERTS" <<<"$stderr" || fail "$what: $(shown)"
	done
	unset NODE_EXTRA_CA_CERTS
	echo "cafile=/nonexistent.pem" >.npmrc
	through "$fetch"
	reached cafile
	[ "$(grep -c "^pmg: .*/nonexistent.pem" <<<"$stderr")" -eq 1 ] || fail "cafile: $(shown)"
	rm .npmrc
	through "$fetch"
	reached "the control"
	never grep -vE 'no malware index|no sandbox' <<<"$stderr"
}
