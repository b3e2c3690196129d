#!/usr/bin/env bats
# Registries as they are, and what npm makes of them: authentication, prefixes, encodings, faults. What
# any client sees of them is in proxy-*.bats, giants are in proxy-size.bats.
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
	for knobs in "~gzip/~chunked/~noetag/" "~http10/" "~cdn/" "~redirect/~delay.200/"; do
		installs "/${knobs}npm/" needs-tiny
	done
	installs /repository/npm-group/ @acme/tool
	installs /artifactory/api/npm/repo/ needs-tiny
}

@test "npm create: what it makes is refused by name, and with what is suggested as without pmg" {
	registry_add '{"eco":"npm","name":"create-thing","version":"1.0.0","bin":{"create-thing":"make.js"},"files":{
		"make.js":"#!/usr/bin/env node\nconst fs = require(\"fs\"), to = process.argv[2];\nfs.mkdirSync(to);\nfs.writeFileSync(to + \"/package.json\", \"{}\");\nfs.mkdirSync(to + \"/src\");\nfs.writeFileSync(to + \"/src/index.js\", \"\");\n"}}'
	some_index
	rm package.json
	bare npm create --yes thing bare
	must_work
	guarded npm create --yes thing guarded
	must_fail
	must_say "[PMG2002] write to $PWD/guarded refused"
	must_say "pmg sandbox allow 'write=$PWD/guarded/**'"
	never test -e guarded
	"$pmg" sandbox allow --last
	guarded npm create --yes thing guarded
	must_work
	must_not_say denied
	same "the project" "$(tree bare)" "$(tree guarded)"
	block pkg:npm/create-thing
	rm -rf "$HOME/.npm"
	guarded npm create --yes thing refused
	refused create-thing 1.0.0 refused
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
	use_npm "/~truncate.100000/npm/"
	bare npm install large
	must_fail
	for knobs in truncate.100000 rst.100000 truncate.100000/~chunked rst.0/~chunked truncate.50/~on.meta; do
		use_npm "/~$knobs/npm/"
		guarded npm install large
		must_fail
		[ ! -e node_modules/large ] || fail "$knobs: landed"
	done
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
	# Where age counts the proxy fetches the document whole, and answers 304 itself: withheld.py.
	guarded --skip-dependency-cooldown npm install --prefer-online tiny
	must_work
	[ "$(jq -s 'map(select(.status == 304)) | length' "$reg/log.jsonl")" -gt 0 ]
}

@test "a hundred requests at a time" {
	local i spec=()
	for i in $(seq 100); do spec+=("many-$i"); done
	registry_add "[$(printf '{"eco":"npm","name":"%s","version":"1.0.0"},' "${spec[@]}" | sed 's/,$//')]"
	guarded npm install --maxsockets 100 "${spec[@]}"
	must_work
	[ "$(find node_modules -maxdepth 1 -name 'many-*' | wc -l)" -eq 100 ]
}

@test "a script that may fetch packages fetches them and asks which are vulnerable, no more" {
	cat >package.json <<-JSON
		{ "name": "project", "version": "1.0.0", "scripts": { "fetch": "npm install --audit --no-save tiny",
		"tell": "curl -fsS -X PUT -d x ${npm_base}told" } }
	JSON
	forget
	guarded npm run fetch
	must_fail
	must_say '"pmg sandbox allow net-connect=registry" allows it'
	[ "$(asked tiny)" -eq 0 ]
	guarded --sandbox-allow net-connect=registry npm run fetch
	must_work
	must_not_say PMG2009
	[ -e node_modules/tiny/package.json ] && [ "$(asked security)" -ge 1 ]
	guarded --sandbox-allow net-connect=registry npm run tell
	must_fail
	must_say "rule registry, only to fetch packages (flag)"
	[ "$(asked told)" -eq 0 ]
	bare env CURL_CA_BUNDLE="$reg/ca.pem" npm run tell
	must_work
	[ "$(asked told)" -eq 1 ]
}
