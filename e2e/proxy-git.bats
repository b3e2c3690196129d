#!/usr/bin/env bats
# Git, which the tools start, reaches its hosts through pmg as well: by tunnel, with certificates that
# it checks itself, with the user's authority or the system's.
load helper
load fixture

setup_file() {
	need git
	registry_start
	stand_in
	local dir=$BATS_FILE_TMPDIR/git
	export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	git init -q -b main "$dir/folder"
	echo '{"name":"from-git","version":"1.0.0","main":"index.js"}' >"$dir/folder/package.json"
	echo 'module.exports = "from git"' >"$dir/folder/index.js"
	git -C "$dir/folder" add -A
	git -C "$dir/folder" commit -qm first
	git clone -q --bare "$dir/folder" "$dir/repo.git"
}

setup() {
	client_setup
	unset CURL_CA_BUNDLE GIT_AUTHOR_NAME GIT_COMMITTER_NAME
	rm -f "$BATS_FILE_TMPDIR/git/log"
	server git python3 "$top/tests/helper/git_server.py" "$BATS_FILE_TMPDIR/git" "$reg/cert.pem" "$reg/key.pem"
	git_port=$line
	export repo=https://127.0.0.2:$git_port/repo.git
}

by_tunnel() { in_report --arg t "127.0.0.2:$git_port" '.passed[] | select(.target == $t and .why == "tunnel")'; }

@test "npm, a dependency by git over https: with GIT_SSL_CAINFO of the user, and without" {
	export npm_config_cafile=$reg/ca.pem
	local name
	guarded npm install "git+$repo" # the control: nobody vouches for the host
	[ "$status" -eq 0 ] || [ ! -e node_modules/from-git ]
	for name in GIT_SSL_CAINFO NODE_EXTRA_CA_CERTS SSL_CERT_FILE; do
		rm -rf node_modules package-lock.json "$HOME/.npm" "$BATS_FILE_TMPDIR/git/log"
		package_json
		export "$name=$reg/ca.pem"
		report=$BATS_TEST_TMPDIR/report.json
		guarded --report "$report" npm install "git+$repo" # another host than the registry's
		must_fail
		must_say "net-connect=127.0.0.2:$git_port"
		guarded --report "$report" --sandbox-allow "net-connect=127.0.0.2:$git_port" npm install "git+$repo"
		unset "$name"
		must_work
		[ "$(node -p 'require("from-git")')" = "from git" ]
		grep -q 'GET /repo.git/info/refs' "$BATS_FILE_TMPDIR/git/log"
		by_tunnel
		no_trace package-lock.json package.json node_modules
	done
}

@test "git clone in a script of the project, by https and by http" {
	export GIT_SSL_CAINFO=$reg/ca.pem
	through 'git clone -q "$repo" one; git -C one log --format=%s; cp one/index.js body'
	must_work
	[ "$stdout" = first ]
	by_tunnel
	unset GIT_SSL_CAINFO
	through 'git clone -q "$repo" two' # nobody vouches for the host: git itself refuses
	must_fail
	[ ! -e two ]
}

@test "the user's git configuration counts as without pmg" {
	printf '[http]\n\tsslCAInfo = %s\n[user]\n\tname = Ann\n' "$reg/ca.pem" >"$HOME/.gitconfig"
	without 'git clone -q "$repo" one; git config user.name'
	must_work
	through 'git clone -q "$repo" two; git config user.name'
	must_work
	[ "$stdout" = Ann ]
	by_tunnel
}
