#!/usr/bin/env bats
# What the owner of a machine has laid down holds for whoever runs pmg there, and a project's own file
# only tightens. Each case has an /etc of its own, in a mount namespace that goes with the command.
load helper
load walls

setup_file() {
	[ "$(id -u)" -eq 0 ] || skip "only root can lay down a managed policy"
	need unshare
	shed
	registry_start
	chmod a+r "$reg/ca.pem"
	cp -a /etc "$shed/etc"
}
teardown_file() {
	registry_stop
	unshed
}

setup() {
	scene
	rm -rf "$shed/etc/pmg"
	with=()
	cat >"$shed/bind" <<-'EOF'
		#!/bin/sh
		exec unshare -m sh -c 'mount --make-rprivate / && mount --bind "$0" /etc && exec "$@"' "${0%/*}/etc" "$@"
	EOF
	chmod 755 "$shed/bind"
}

fill() {
	echo "open" >open
	echo "secret" >secret
}

managed() { # LINES of managed.yml behind its version; every command from here on is bound by it
	mkdir -p "$shed/etc/pmg"
	printf 'schema_version: 1\n%s\n' "$1" >"$shed/etc/pmg/managed.yml"
	chmod 755 "$shed/etc/pmg"
	chmod 644 "$shed/etc/pmg/managed.yml"
	with=("$shed/bind")
}

# Each of these who runs the case begins anew.
everybody() {
	local who
	for who in "$(id -un)" "$user"; do
		evil_user "$who"
		rm -rf "$shed/etc/pmg"
		with=()
		fresh
		"$1"
	done
}

inside() { guarded_as "${options[@]}" sandbox exec -- sh -c "$1"; }
is_refused() { # OPTION LINE
	[ "$status" -eq 121 ] || fail "not refused: $(shown)"
	must_say "[PMG1001] $1 is refused by managed policy (/etc/pmg/managed.yml:$2)"
}

@test "what managed policy denies nothing opens, and its line is in the record" {
	check() {
		local options=()
		out "${as[@]}" "$pmg" sandbox allow "read=$project/secret" env=ACME_X
		must_work
		inside 'cat secret; echo $ACME_X' # the control: an ordinary profile opens it
		must_work
		managed 'deny:
  filesystem: {deny_read: ["${PROJECT}/secret"], deny_write: ["${PROJECT}/open"]}
  environment: {deny: ["ACME_*"]}'
		options=(--sandbox-allow read=secret --sandbox-allow "write=$project/open")
		out "${with[@]}" "${as[@]}" env ACME_X=5 "$pmg" "${options[@]}" sandbox exec -- \
			sh -c 'cat open; cat secret; echo x >>open; echo "<$ACME_X>"'
		[ "$stdout" = $'open\n<>' ] || fail "not what is open: $(shown)"
		[ "$(cat "$project/open")" = open ]
		guarded_as violations list --last --json
		jq -e '[.[] | select(.layer == "managed")] | sort_by(.op) |
			map([.code, .op, .source, .allow]) == [
			["PMG2003", "env", "/etc/pmg/managed.yml:4", null],
			["PMG2001", "read", "/etc/pmg/managed.yml:3", null],
			["PMG2002", "write", "/etc/pmg/managed.yml:3", null]]' <<<"$stdout" ||
			fail "not the records: $(shown)"
		guarded_as violations explain --last
		grep -qF "managed, /etc/pmg/managed.yml:" <<<"$stdout" || fail "not by whom: $(shown)"
		grep -qF "Nothing allows it" <<<"$stdout" || fail "it is suggested: $(shown)"
		guarded_as sandbox allow --force read=secret
		[ "$status" -eq 121 ] || fail "it can be allowed: $(shown)"
		guarded_as sandbox doctor
		must_work
		grep -qE "^managed +yes +managed policy is in force: /etc/pmg/managed.yml$" <<<"$stdout" ||
			fail "doctor does not say: $(shown)"
		guarded_as --dry-run npm install
		grep -qF "deny managed $project/secret/**  (managed: /etc/pmg/managed.yml:3)" <<<"$stdout"
		grep -qF "set managed_policy=/etc/pmg/managed.yml " <<<"$stdout"
	}
	everybody check
}

@test "global_lockdown refuses what would loosen, by its line" {
	check() {
		local options=()
		out "${as[@]}" "$pmg" sandbox allow "read=$HOME/mine"
		must_work
		echo mine >"$HOME/mine"
		settle 'sandbox: {enabled: false}'
		inside 'cat ~/mine' # the control: no walls at all
		must_work
		must_say "no sandbox (config.yml)"
		managed 'global_lockdown: true'
		inside 'cat ~/mine'
		must_fail
		must_say "config.yml:2: sandbox.enabled does not hold: managed policy (/etc/pmg/managed.yml:2)"
		must_say ".yml is not used: managed policy (/etc/pmg/managed.yml:2)"
		guarded_as --no-sandbox sandbox exec -- touch mark
		is_refused --no-sandbox 2
		guarded_as --sandbox-allow read=/x sandbox exec -- touch mark
		is_refused --sandbox-allow 2
		guarded_as --sandbox-profile npm sandbox exec -- touch mark
		is_refused --sandbox-profile 2
		guarded_as --driver full sandbox exec -- touch mark
		is_refused --driver 2
		out "${with[@]}" "${as[@]}" env PMG_SANDBOX_DRIVER=full "$pmg" sandbox exec -- touch mark
		is_refused PMG_SANDBOX_DRIVER 2
		guarded_as --no-sandbox npm install
		is_refused --no-sandbox 2
		guarded_as sandbox allow read=/x
		[ "$status" -eq 121 ] || fail "it can be allowed: $(shown)"
		guarded_as sandbox allow --remove "read=$HOME/mine"
		must_work
		[ ! -e mark ] || fail "something was started"
		guarded_as sandbox exec -- touch mark # what loosens nothing works
		must_work
		[ -e mark ]
	}
	everybody check
}

@test "the profile that managed policy names is the one that is used, and root's alone" {
	local options=()
	evil_user "$user"
	fresh
	inside 'touch made' # the control
	must_work
	managed 'sandbox: {policies: {exec: {profile: fleet}}, policy_templates: {fleet: {path: ./fleet.yml}}}'
	printf 'schema_version: 1\nname: fleet\ninherits: exec\nfilesystem: {deny_write: ["${PROJECT}/made"]}\n' \
		>"$shed/etc/pmg/fleet.yml"
	chmod 644 "$shed/etc/pmg/fleet.yml"
	inside 'touch made'
	must_fail
	guarded_as violations list --last --json
	jq -e '.[0].profile == "fleet" and .[0].source == "/etc/pmg/fleet.yml:4"' <<<"$stdout" ||
		fail "not the record: $(shown)"
	guarded_as --sandbox-profile exec sandbox exec -- touch mark
	is_refused --sandbox-profile 2
	settle 'sandbox: {policies: {exec: {profile: exec}}}'
	inside 'touch mark'
	[ "$status" -eq 121 ] || fail "another is taken: $(shown)"
	must_say 'config.yml:2: profile "exec" for exec is refused by managed policy (/etc/pmg/managed.yml:2)'
	settle ""
	chown "$user" "$shed/etc/pmg/fleet.yml"
	inside 'touch mark'
	[ "$status" -eq 121 ] || fail "it is believed: $(shown)"
	must_say "/etc/pmg/fleet.yml belongs to user"
	[ ! -e mark ]
}

@test "a managed policy that others could have written, or with a mistake in it, stops every run" {
	local file=$shed/etc/pmg/managed.yml change
	evil_user "$user"
	fresh
	for change in "chmod 666 $file" "chmod 664 $file" "chown $user $file" "chmod 777 ${file%/*}" \
		"chown $user ${file%/*}" "chmod 777 $shed/etc" "chmod 000 $file" \
		"mv $file $file.x; ln -s managed.yml.x $file" "rm $file; ln -s nowhere $file" \
		"echo 'global_lockdown: yes' >>$file" "echo 'global_lockdwn: true' >>$file" \
		"echo 'deny: []' >>$file" "echo 'block: [left-pad]' >>$file" "echo '  x' >>$file"; do
		rm -rf "$shed/etc/pmg"
		managed 'verbosity: normal'
		guarded_as sandbox exec -- true
		must_work
		eval "$change"
		guarded_as sandbox exec -- touch mark
		chmod 755 "$shed/etc"
		[ "$status" -eq 121 ] || fail "$change: $(shown)"
		must_say PMG1001
		must_say "managed policy: "
		[ ! -e mark ] || fail "$change: something was started"
	done
	rm -rf "$shed/etc/pmg"
	managed 'global_lockdown: off'
	guarded_as sandbox doctor
	[ "$status" -eq 1 ] || fail "doctor finds nothing: $(shown)"
	grep -qF 'managed.yml:2:18: "global_lockdown" must be true or false' <<<"$stdout"
}

@test "a wait that managed policy wants holds for whoever runs pmg there" {
	use_npm
	package_json
	managed 'dependency_cooldown: {days: 7, skip: [{purl: "pkg:npm/@acme/*"}]}'
	guarded_as --skip-dependency-cooldown npm install tiny
	is_refused --skip-dependency-cooldown 2
	guarded_as --min-age 6d npm install tiny
	is_refused --min-age 2
	settle $'trusted_packages: [{purl: "pkg:npm/x"}]\ndependency_cooldown: {days: 1, skip: [{purl: "pkg:npm/x"}]}'
	guarded_as --dry-run npm install tiny
	must_work
	grep -qF 'set dependency_cooldown.age=604800s' <<<"$stdout" || fail "not in the plan: $(shown)"
	grep -qF 'set dependency_cooldown.skip=pkg:npm/@acme/*' <<<"$stdout" || fail "not in the plan: $(shown)"
	! grep -qF 'set dependency_cooldown.skip=pkg:npm/x' <<<"$stdout" || fail "waived by a user: $(shown)"
}

@test "managed policy blocks a package whatever the user unblocks" {
	use_npm
	export npm_config_cafile=$shed/ca.pem NODE_EXTRA_CA_CERTS=$shed/ca.pem
	cp "$reg/ca.pem" "$shed/ca.pem"
	package_json
	guarded_as npm install tiny # the control
	must_work
	rm -rf node_modules package-lock.json "$HOME/.npm"
	managed 'block: ["pkg:npm/tiny"]'
	guarded_as npm install tiny
	refused tiny 1.1.0 node_modules/tiny
	must_say "blocked by managed policy"
	must_say "/etc/pmg/managed.yml:2"
	guarded_as intel query pkg:npm/tiny@1.1.0 --json
	jq -e '.verdict == "block" and .source == ["managed"]' <<<"$stdout"
	guarded_as intel status --json
	jq -e '.managed == {path: "/etc/pmg/managed.yml", entries: 1}' <<<"$stdout"
	guarded_as intel report pkg:npm/tiny --json
	jq -e '.known == [{id: "pkg:npm/tiny", feed: "managed", versions: "all versions", note: "/etc/pmg/managed.yml:2"}]' <<<"$stdout" ||
		fail "$(shown)"
}

@test "a project's own file tightens, and is not a script's to write" {
	check() {
		local options=()
		inside 'cat secret'
		must_work
		printf 'schema_version: 1\ndeny: {filesystem: {deny_read: ["${PROJECT}/secret"]}}\n' >.pmg.yml
		chown "$evil_user" .pmg.yml
		inside 'cat secret'
		must_fail
		guarded_as violations list --last --json
		jq -e --arg s "$project/.pmg.yml:2" '.[0].layer == "project" and .[0].source == $s' <<<"$stdout" ||
			fail "not the record: $(shown)"
		options=(--sandbox-allow read=secret) # its user may open it
		inside 'cat secret'
		must_work
		options=()
		out "${as[@]}" sh -c 'echo >>.pmg.yml' # the control
		must_work
		inside 'echo >>.pmg.yml'
		must_fail
		inside 'rm .pmg.yml'
		must_fail
		inside 'mv .pmg.yml other'
		must_fail
		echo 'sandbox: {enabled: false}' >>.pmg.yml
		inside 'touch mark'
		[ "$status" -eq 121 ] || fail "it loosens: $(shown)"
		must_say '.pmg.yml:4:20: "sandbox.enabled" can only be true'
		[ ! -e mark ]
	}
	everybody check
}

@test "what no driver here can give of the network is refused, never left out" {
	local line
	mkdir -p "$HOME/.config/pmg/profiles"
	for line in "network_via_proxy_only: false" "allow_direct_dns: true"; do
		printf 'schema_version: 1\nname: mine\ninherits: exec\nnetwork:\n  %s\n' "$line" \
			>"$HOME/.config/pmg/profiles/mine.yml"
		guarded_as --sandbox-profile mine sandbox exec -- touch mark
		[ "$status" -eq 120 ] || fail "$line: $(shown)"
		must_say PMG2107
		must_say "profiles/mine.yml:5: driver full cannot give $line"
		[ ! -e mark ]
	done
	printf 'schema_version: 1\nname: mine\ninherits: exec\nnetwork: {script_outbound: ["a.test:443"]}\n' \
		>"$HOME/.config/pmg/profiles/mine.yml"
	guarded_as --sandbox-profile mine sandbox exec -- true
	must_work
	guarded_as sandbox profile show mine --resolved
	must_work
	must_say "no proxy runs here, so the network is shown closed; in a run it lets through: script a.test:443"
	never grep -q "^net-connect allow" <<<"$stdout"
}
