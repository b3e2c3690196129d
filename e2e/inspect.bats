#!/usr/bin/env bats
# Artifacts are looked into while they are delivered; what leaves its package never lands.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
}

# tarball NAME [PATH...]: an npm tarball with a path besides package.json, put where the registry of
# files in $BATS_TEST_TMPDIR/shelf has it
tarball() {
	python3 - "$shelf" "$@" <<-'PY'
		import io, json, os, sys, tarfile
		shelf, name, *paths = sys.argv[1:]
		os.makedirs("%s/%s/-" % (shelf, name), exist_ok=True)
		with tarfile.open("%s/%s/-/%s-1.0.0.tgz" % (shelf, name, name), "w:gz") as tar:
		    manifest = {"name": name, "version": "1.0.0", "scripts": {"postinstall": "true"}}
		    for path, data in [("package/package.json", json.dumps(manifest).encode())] + [
		            (p, os.urandom(3000000) if p.endswith("big") else b"x") for p in paths]:
		        info = tarfile.TarInfo(path)
		        info.size = len(data)
		        tar.addfile(info, io.BytesIO(data))
	PY
}

# stopped NAME: PMG3009, and nothing of it lies there
stopped() {
	must_fail
	must_say "refused $1@1.0.0"
	must_say PMG3009
	[ ! -e "node_modules/$1" ] || fail "$1 landed: $(shown)"
}

# A registry of files: npm takes a tarball by its address.
shelf_start() {
	shelf=$BATS_TEST_TMPDIR/shelf
	mkdir -p "$shelf"
	(cd "$shelf" && exec python3 -u -m http.server --bind 127.0.0.1 0 >"$BATS_TEST_TMPDIR/shelf.log" 2>&1) 3>&- &
	shelf_pid=$!
	for _ in $(seq 100); do
		shelf_port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$BATS_TEST_TMPDIR/shelf.log")
		[ -z "$shelf_port" ] || return 0
		sleep 0.05
	done
	fail "the shelf did not start"
}

teardown() { [ -z "${shelf_pid:-}" ] || kill "$shelf_pid"; }

@test "a path that leaves its package: nothing lands, large or small, and the ledger says what it was" {
	shelf_start
	tarball good package/big package/bin/x
	tarball small package/../../evil
	tarball large package/big package/../../evil
	base=http://127.0.0.1:$shelf_port
	bare npm install "$base/small/-/small-1.0.0.tgz"
	must_work # npm itself takes it, and drops what leaves
	[ -e node_modules/small/package.json ] || fail "npm did not unpack it"
	rm -rf node_modules package-lock.json "$HOME/.npm"
	package_json
	mkdir -p "$HOME/.cache/pmg"
	printf 'no such line\nnpm good source 0.9.0 - 20000\n' >"$HOME/.cache/pmg/contents" # of an earlier run
	# As from a registry, which dates nothing: what comes from elsewhere is not held to what was before.
	npm_config_registry=$base/ guarded -v --skip-dependency-cooldown npm install --fetch-retries=0 "$base/good/-/good-1.0.0.tgz"
	must_work
	must_say "new install scripts in 1 package, install scripts in 1 package"
	pmg audit list --limit 1 --json | jq -e '.[0].packages[0].findings[0] ==
		"new-scripts: not in 0.9.0: postinstall: true"' || fail "ledger"
	[[ $(cat "$HOME/.cache/pmg/contents") =~ ^npm\ good\ source\ 1.0.0\ s\.[0-9A-F]{8}\ [0-9]+$ ]] || fail "contents: $(cat "$HOME/.cache/pmg/contents")"
	[ "$(stat -c %a "$HOME/.cache/pmg/contents")" = 600 ] || fail "mode of contents"
	for name in small large; do
		guarded npm install --fetch-retries=1 --fetch-retry-mintimeout=10 "$base/$name/-/$name-1.0.0.tgz"
		stopped "$name"
		must_say "a path leaves the package"
		must_say "pmg sandbox explain PMG3009"
		[ ! -e evil ] && [ ! -e node_modules/evil ] || fail "it left its package"
		pmg audit list --limit 1 --json | jq -e '.[0].packages[] | select(.verdict == "block") |
			.code == "PMG3009" and .findings ==
				["traversal: package/../../evil", "scripts: postinstall: true"]' || fail "ledger"
	done
}

@test "what policy names is refused, unless the package is trusted; a project's file adds to it" {
	settle "inspection: {block: [scripts]}"
	guarded npm install scripted
	stopped scripted
	must_say "postinstall: node mark.js"
	settle "inspection: {block: [scripts]}"$'\n'"trusted_packages: [{purl: pkg:npm/scripted@1.0.0, reason: looked at}]"
	guarded npm install scripted
	must_work
	[ -e node_modules/scripted ] || fail "it is not there"
	rm -rf node_modules package-lock.json
	package_json
	settle "inspection: {block: []}"
	git init -q . # else the file would be looked for at the top of the repository around it, if any
	printf 'schema_version: 1\ninspection: {block: [scripts]}\n' >.pmg.yml
	guarded npm install scripted
	stopped scripted
}
