#!/usr/bin/env bats
# The way out leads through a proxy of somebody else's: pmg goes where the tool would have gone, and
# nowhere else.
load helper
load fixture

setup() {
	client_setup
	export NODE_EXTRA_CA_CERTS=$reg/ca.pem pnpm_config_fetch_retries=0
	fetch='curl -sS -o file -w "%{http_code}" "${npm_config_registry}tiny/-/tiny-1.0.0.tgz"'
}

named() { # HOST: the registry is one that only the parent can find
	export npm_config_registry=https://$1/npm/
}
fetched() { [ "$stdout:$(is_package file && echo whole)" = 200:whole ] || fail "$1: $(shown)"; }

@test "NO_PROXY: what curl, npm and others take for direct is direct" {
	# list, then who is asked: the registry on 127.0.0.1, port $https
	local list
	parent
	export HTTPS_PROXY=http://127.0.0.1:$parent
	for list in 127.0.0.1 "localhost, 127.0.0.1" " 127.0.0.1 " "a.test,127.0.0.1,b.test" "127.0.0.1:$https" \
		"127.0.0.*" "127.*" "127.0.0.0/8" "127.0.0.1/32" "10.0.0.0/8 127.0.0.0/24" "*" "a.test	127.0.0.1"; do
		: >"$BATS_TEST_TMPDIR/parent.jsonl"
		NO_PROXY=$list through "$fetch"
		fetched "$list"
		[ -z "$(connects)" ] || fail "\"$list\": went through the parent"
	done
	for list in "" "127.0.0.2" "localhost" "127.0.0.1:1" "128.0.0.0/8" "127.0.1.*" ".127.0.0.1" "27.0.0.1" "1" ".corp,corp"; do
		: >"$BATS_TEST_TMPDIR/parent.jsonl"
		NO_PROXY=$list through "$fetch"
		fetched "$list"
		[ "$(connects)" = "127.0.0.1:$https" ] || fail "\"$list\": $(connects)"
	done
	NO_PROXY=b.test no_proxy=127.0.0.1 through "$fetch" # lower case first, as curl has it
	fetched "both"
}

@test "NO_PROXY for names: the host, all below it, a port; a name that only looks alike is not it" {
	local list
	parent
	named registry.test
	# Nobody but the parent knows the name: direct fails.
	export HTTPS_PROXY=http://127.0.0.1:$parent
	for list in registry.test REGISTRY.TEST .test test .registry.test '*.test' "registry.test:443" "x, .test , y" "registry.test."; do
		NO_PROXY=$list through "$fetch; exit 1"
		[ "$stdout" = 502 ] || fail "\"$list\": $(shown)"
		must_say PMG4003
	done
	for list in try.test gistry.test est "registry.test:444" xregistry.test registry.test.corp "127.0.0.1"; do
		NO_PROXY=$list through "$fetch"
		fetched "\"$list\""
	done
	same "what the parent was asked for" "registry.test:443" "$(connects | sort -u)"
}

@test "wherever a parent is named: variables in either case, with and without http://, npmrc" {
	local name line
	parent
	named registry.test
	through "$fetch; exit 1" # the control: without the parent there is no such host
	[ "$stdout" = 502 ]
	for name in HTTPS_PROXY https_proxy ALL_PROXY all_proxy npm_config_https_proxy NPM_CONFIG_HTTPS_PROXY npm_config_proxy; do
		for line in "http://127.0.0.1:$parent" "http://127.0.0.1:$parent/" "127.0.0.1:$parent"; do
			[[ $name == *config* && $line != http* ]] && continue # npm itself refuses that
			export "$name=$line"
			through "$fetch"
			unset "$name"
			fetched "$name=$line"
		done
	done
	for line in "https-proxy=http://127.0.0.1:$parent" "proxy=http://127.0.0.1:$parent" "https-proxy = \"http://127.0.0.1:$parent\""; do
		echo "$line" >.npmrc
		through "$fetch"
		fetched "project: $line"
		mv .npmrc "$HOME/.npmrc"
		through "$fetch"
		rm "$HOME/.npmrc"
		fetched "user: $line"
	done
	HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:$parent through "$fetch"
	fetched "each scheme its own"
}

@test "plain http goes to the parent by absolute address, tunnels by CONNECT" {
	parent
	export HTTPS_PROXY=http://127.0.0.1:$parent HTTP_PROXY=http://127.0.0.1:$parent
	export npm_config_registry=http://registry.test/npm/
	through "$fetch"
	fetched "http"
	jq -se 'any(.method == "GET" and .target == "http://registry.test/npm/tiny/-/tiny-1.0.0.tgz")' "$BATS_TEST_TMPDIR/parent.jsonl"
	through 'curl -sS --cacert '"$reg/ca.pem"' "https://127.0.0.2:'"$cdn_https"'/-/ping"; curl -sS "http://127.0.0.2:'"$cdn_http"'/-/ping"'
	[ "$stdout" = "{}{}" ] || fail "$(shown)"
	connects | grep -qx "127.0.0.2:$cdn_https"
	: >"$BATS_TEST_TMPDIR/parent.jsonl"
	NO_PROXY=127.0.0.2 through 'curl -sS --cacert '"$reg/ca.pem"' "https://127.0.0.2:'"$cdn_https"'/-/ping"; curl -sS "http://127.0.0.2:'"$cdn_http"'/-/ping"'
	[ "$stdout" = "{}{}" ] || fail "$(shown)"
	[ ! -s "$BATS_TEST_TMPDIR/parent.jsonl" ] || fail "NO_PROXY does not count for tunnels"
	in_report --arg t "127.0.0.2:$cdn_https" '.passed[] | select(.target == $t and .why == "tunnel")'
}

@test "every legal answer to CONNECT is taken by its number, for registries and tunnels" {
	local kind
	named registry.test
	for kind in plain http10 noreason headers split; do
		parent --answer "$kind"
		export HTTPS_PROXY=http://127.0.0.1:$parent
		through "$fetch"'; curl -sS --cacert '"$reg/ca.pem"' "https://127.0.0.2:'"$cdn_https"'/-/ping"'
		[ "$stdout" = "200{}" ] || fail "$kind: $(shown)"
	done
}

@test "a parent spoken to by TLS: registries, tunnels, 100 MB; its certificate is verified too" {
	named registry.test
	parent --tls "$reg/cert.pem:$reg/key.pem"
	export HTTPS_PROXY=https://127.0.0.1:$parent HTTP_PROXY=https://127.0.0.1:$parent
	through "$fetch"'; curl -sS --cacert '"$reg/ca.pem"' "https://127.0.0.2:'"$cdn_https"'/-/ping"
		curl -sS "http://127.0.0.2:'"$cdn_http"'/-/ping"
		curl -sS --cacert '"$reg/ca.pem"' "https://127.0.0.2:'"$cdn_https"'/npm/big/-/big-1.0.0.tgz" | sha256sum
		curl -sS "${npm_config_registry}big/-/big-1.0.0.tgz" | sha256sum'
	sum=$(curl -fsS "http://127.0.0.1:$http/-/hash/npm/big/1.0.0" | jq -r .sha256)
	same "what came" "200{}{}$sum  -
$sum  -" "$stdout"
	connects | grep -qx "127.0.0.2:$cdn_https"
	connects | grep -qx registry.test:443
	parent --tls "$reg/bad.pem:$reg/bad.key"
	export HTTPS_PROXY=https://127.0.0.1:$parent
	through "$fetch; exit 1"
	[ "$stdout" = 502 ] || fail "$(shown)"
	must_say PMG4001
	must_say "127.0.0.1:$parent"
}

@test "a refusal of the parent reaches the client with its number, and stderr with its name" {
	local kind
	named registry.test
	for kind in 407 502; do
		parent --answer "$kind"
		export HTTPS_PROXY=http://127.0.0.1:$parent
		through 'curl -sS -o body -w "%{http_code} " "${npm_config_registry}tiny"
			curl -sS -o body2 -w "%{http_connect}" "https://127.0.0.2:'"$cdn_https"'/-/ping" || exit 1'
		[[ $stdout == "50"[24]" $kind" || $stdout == "$kind $kind" ]] || fail "$kind: $(shown)"
		grep -q "$kind" body || fail "the body says nothing of it: $(cat body)"
		must_say PMG4002
		must_say "$kind"
		must_say "127.0.0.1:$parent"
	done
	export HTTPS_PROXY=http://127.0.0.1:9
	# Also where it is pmg itself that asks, for the age of a file.
	for waits in --skip-dependency-cooldown --min-age=5d; do
		through "$fetch; exit 1"
		[ "$stdout" = 502 ]
		must_say PMG4004
		must_say 127.0.0.1:9
	done
}

@test "the parent's password goes to the parent, decoded, and nowhere else" {
	named registry.test
	parent --auth 'ann:p@ss:w0rd'
	export HTTPS_PROXY=http://ann:p%40ss%3Aw0rd@127.0.0.1:$parent HTTP_PROXY=http://ann:p%40ss%3Aw0rd@127.0.0.1:$parent
	through "$fetch"'; curl -sS "http://127.0.0.2:'"$cdn_http"'/-/ping"; env | grep -i proxy >env.out'
	[ "$stdout" = "200{}" ] || fail "$(shown)"
	never grep -q w0rd env.out
	jq -se 'all(.headers | keys | map(ascii_downcase) | any(startswith("proxy-")) | not)' "$reg/log.jsonl"
	HTTPS_PROXY=http://ann:wr0ng@127.0.0.1:$parent through "$fetch; exit 1"
	[ "$stdout" != 200 ]
	must_say PMG4002
	must_say 407
	nowhere w0rd "$project"
	nowhere wr0ng "$project"
	the_text "$fetch"
	HTTPS_PROXY=http://ann:wr0ng@127.0.0.1:$parent PATH=$stand_in:$PATH guarded -v --debug npm run x
	must_not_say wr0ng
}

# Lines that lead round a proxy, or into the void, are in network.bats. Here: what else comes is judged.
@test "npm: no line of a project's .npmrc leads past the judge" {
	local line
	export npm_config_cafile=$reg/ca.pem
	for line in no-proxy=127.0.0.1 maxsockets=1 strict-ssl=false proxy=null; do
		rm -rf node_modules package-lock.json "$HOME/.npm"
		echo "$line" >.npmrc
		report=$BATS_TEST_TMPDIR/report.json
		guarded --report "$report" npm install tiny@1.0.0
		must_work
		in_report '.packages == [.packages[] | select(.name == "tiny" and .verdict == "allow")] and (.packages | length == 1)'
	done
}

@test "pnpm: no line of a project's .npmrc leads round pmg" {
	local line version
	block pkg:npm/bad
	for version in 10 latest; do
		tool pnpm "$version" pnpm
		for line in "noproxy=127.0.0.1" "https-proxy=http://127.0.0.1:9" "proxy=null" "strict-ssl=false" "cafile=/dev/null"; do
			rm -rf node_modules pnpm-lock.yaml "$HOME/.local/share/pnpm" "$HOME/.cache/pnpm"
			echo "$line" >.npmrc
			forget
			guarded pnpm add bad@1.0.0
			must_fail
			[ ! -e node_modules/bad ] || fail "$version, $line: landed"
			[ "$(asked 'bad-1.0.0.tgz')" -eq 0 ] || fail "$version, $line: asked for all the same"
		done
	done
}

@test "pnpm goes through a parent as well" {
	parent
	named registry.test
	export HTTPS_PROXY=http://127.0.0.1:$parent
	tool pnpm 10 pnpm
	guarded pnpm add tiny
	must_work
	connects | grep -qx registry.test:443
}
