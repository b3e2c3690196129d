#!/usr/bin/env bats
# As an ordinary user and as root; with homes and folders as they are found.
load helper

setup_file() {
	registry_start
	chmod a+r "$reg/ca.pem"
	if [ "$(id -u)" -eq 0 ]; then
		# A place that an ordinary user can enter, and pmg installed there.
		shed=$(mktemp -d /var/tmp/pmg-e2e.XXXXXX)
		export shed
		chmod 755 "$shed"
		cp -r "${PMG_ROOT:?only with an installed tree}" "$shed/pmg"
		cp "$reg/ca.pem" "$shed/ca.pem"
		chmod 644 "$shed/ca.pem"
		getent passwd pmg-e2e >/dev/null || user_command useradd --system --no-create-home --home-dir "$shed/home" \
			--shell /bin/sh pmg-e2e
		install -d -o pmg-e2e -m 700 "$shed/home"
		install -d -o pmg-e2e -m 755 "$shed/folder"
	fi
}
teardown_file() {
	registry_stop
	[ -z "${shed:-}" ] || {
		user_command userdel pmg-e2e || true
		rm -rf "$shed"
	}
}

setup() {
	home
	use_npm
	package_json
}

as_user() { # COMMAND...
	out setpriv --reuid="$(id -u pmg-e2e)" --regid="$(id -g pmg-e2e)" --clear-groups \
		env -C "$shed/folder" -u XDG_RUNTIME_DIR CI=false HOME="$shed/home" TMPDIR="$shed/folder" \
		npm_config_cafile="$shed/ca.pem" NODE_EXTRA_CA_CERTS="$shed/ca.pem" "$@"
}

@test "an ordinary user: installs, is stopped, keeps records of his own" {
	[ "$(id -u)" -eq 0 ] || skip "this whole suite runs as an ordinary user already"
	echo '{"name":"p","version":"1.0.0"}' >"$shed/folder/package.json"
	chown pmg-e2e "$shed/folder/package.json"
	as_user npm install bad
	must_work
	as_user sh -c "rm -rf node_modules package-lock.json ~/.npm; echo '{\"name\":\"p\"}' >package.json"
	as_user "$shed/pmg/bin/pmg" npm install tiny
	must_work
	as_user "$shed/pmg/bin/pmg" intel block pkg:npm/bad
	must_work
	as_user "$shed/pmg/bin/pmg" npm install bad
	refused bad 2.0.0 "$shed/folder/node_modules/bad"
	as_user "$shed/pmg/bin/pmg" audit list
	must_work
	grep -q bad <<<"$stdout"
	[ -z "$(find "$shed/home" "$shed/folder" ! -user pmg-e2e)" ]
	[ -z "$(find "$shed/home/.config/pmg" "$shed/home/.local/state/pmg" -perm /077 2>/dev/null)" ]
}

@test "root and the user see different ledgers and block lists" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user here"
	block pkg:npm/tiny
	as_user "$shed/pmg/bin/pmg" npm view tiny version
	must_work
	guarded npm install tiny
	refused tiny 1.1.0 node_modules/tiny
}

@test "a fresh home without any folder, and a cache elsewhere" {
	rm -rf "$HOME"
	mkdir "$HOME"
	export CI=false # without a file that says so a run without an index is refused there
	guarded npm install tiny
	must_work
	npm_config_cache=$BATS_TEST_TMPDIR/elsewhere guarded npm install @acme/tool
	must_work
	[ -d "$BATS_TEST_TMPDIR/elsewhere/_cacache" ]
}

@test "a home that cannot be written: guarded all the same, and said" {
	[ "$(id -u)" -eq 0 ] || skip "only root can become another user here"
	install -d -o root -m 555 "$shed/sealed"
	rm -rf "$shed/folder/"*
	echo '{"name":"p","version":"1.0.0"}' >"$shed/folder/package.json"
	chown pmg-e2e "$shed/folder/package.json"
	as_user env HOME="$shed/sealed" npm_config_cache="$shed/folder/cache" "$shed/pmg/bin/pmg" npm install tiny
	must_work
	[ -e "$shed/folder/node_modules/tiny" ]
}

@test "names with blanks, quotes and letters of other scripts" {
	mkdir -p "$project/a b'c\"d é"
	cd "$project/a b'c\"d é"
	package_json
	block pkg:npm/bad
	guarded npm install tiny
	must_work
	guarded npm install bad
	refused bad 2.0.0 node_modules/bad
}
