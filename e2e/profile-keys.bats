#!/usr/bin/env bats
# Each key of a profile takes effect: a list of attempts, made bare, with the built-in profile and
# with one that has the key.
load helper
load walls

setup_file() {
	need python3
	shed
	registry_start
}
teardown_file() {
	registry_stop
	unshed
}
setup() {
	one=1 two=2
	scene
}
teardown() { [ -z "${listener:-}" ] || kill "$listener" 2>/dev/null || true; }

# What is tried: "NAME bare built-in keys" and the attempt, as text for sh.
attempts() {
	cat <<-SH
		read-allowed     yes no  yes cat ~/in/f
		read-closed      yes no  no  cat ~/in/closed/f
		read-denied      yes yes no  cat hidden/f
		write-allowed    yes no  yes touch ~/out/f
		write-denied     yes yes no  touch kept/f
		exec-allowed     yes no  yes ~/bin/program
		exec-denied      yes yes no  ./program
		script-outbound  yes no  yes ./attack tcp 127.0.0.1 $one
		deny-outbound    yes no  no  ./attack tcp 127.0.0.1 $two
		allow-bind       yes no  yes ./attack listen 127.0.0.1 45871
		other-bind       yes no  no  ./attack listen 127.0.0.1 45872
		allow-unix       yes no  yes ./attack unix $shed/one
		other-unix       yes no  no  ./attack unix $shed/two
		env-pattern      yes no  yes test "\$ACME_ONE" = 1
		env-denied       yes no  no  test "\$ACME_TWO" = 2
		env-credential   yes no  yes test "\$NAMED_TOKEN" = 3
		env-by-look      yes no  no  test "\$ACME_TOKEN" = 4
		env-other        yes no  no  test "\$OTHER" = 5
		env-injection    yes no  no  test "\$(cat sourced)" = sourced
		pty              yes no  yes eval ': <>/dev/ptmx'
		git-config       yes no  yes cat .git/config
		preset           yes no  yes cat ~/of-preset
		of-the-base      yes yes yes touch in-project
		processes        no  no  yes grep -q 'Max processes  *2047 ' /proc/self/limits
		open-files       no  no  yes grep -q 'Max open files  *99 ' /proc/self/limits
		only-own-tmp     no  yes yes test "\$TMPDIR" = /tmp
		path             yes yes yes test -n "\$PATH"
		home             yes yes yes test "\$HOME" = "$HOME"
	SH
}

fill() {
	mkdir -p "$HOME"/{in/closed,out,bin,.config/pmg/presets} "$project"/{hidden,kept}
	echo text | tee "$HOME/in/f" "$HOME/in/closed/f" "$HOME/of-preset" >"$project/hidden/f"
	cp /bin/true "$HOME/bin/program"
	cp /bin/true "$project/program"
	cp "$attacker" "$project/attack"
	echo 'echo sourced >sourced' >"$HOME/rc"
	git init -q "$project"
	git -C "$project" config http.extraHeader "Authorization: Basic $canary"
	canary_files=$project/.git/config
	cat >"$HOME/.config/pmg/presets/mine.yml" <<-'YML'
		schema_version: 1
		kind: preset
		name: mine
		filesystem: {allow_read: ["${HOME}/of-preset"]}
	YML
	cat >"$place/keys.yml" <<-YML
		schema_version: 1
		name: keys
		description: all of them
		inherits: exec
		presets: [mine]
		allow_pty: true
		allow_git_config: true
		filesystem:
		  allow_read: ["\${HOME}/in/**"]
		  allow_write: ["\${HOME}/out/**"]
		  deny_read: ["\${HOME}/in/closed", "\${PROJECT}/hidden"]
		  deny_write: ["\${PROJECT}/kept/**"]
		process:
		  allow_exec: ["\${HOME}/bin/**"]
		  deny_exec: ["\${PROJECT}/program"]
		network:
		  allow_outbound: ["127.0.0.1"]
		  script_outbound: ["127.0.0.1", "127.0.0.1:$one"]
		  deny_outbound: ["127.0.0.1:$two"]
		  allow_bind: ["127.0.0.1:45871"]
		  allow_unix: ["$shed/one"]
		environment:
		  allow: ["ACME_*", NAMED_TOKEN, "BASH_*"]
		  deny: [ACME_TWO]
		limits: {processes: 2047, open_files: 99}
	YML
	cat >"$place/open.yml" <<-'YML'
		schema_version: 1
		name: open
		inherits: exec
		network: {allow_network_bind: true}
		environment: {only_allowed: false}
	YML
	attempts | while read -r name _ _ _ line; do
		printf 'if { %s; } >/dev/null 2>&1; then echo %s yes; else echo %s no; fi\n' "$line" "$name" "$name"
	done >"$project/probe"
}

# column N: what attempts says of bare (1), the built-in profile (2), the one with all keys (3)
column() { attempts | awk -v n="$1" '{ print $1, $(n + 1) }'; }

# Two ports and two sockets that take whatever comes.
listen() {
	python3 - "$shed/one" "$shed/two" >"$BATS_TEST_TMPDIR/ports" <<'PY' 3>&- &
import os, signal, socket, sys, threading

def serve(s):
    s.listen(64)
    while True:
        c, _ = s.accept()
        c.recv(16)
        c.close()

ports = []
for _ in range(2):
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    ports.append(s.getsockname()[1])
    threading.Thread(target=serve, args=(s,), daemon=True).start()
for path in sys.argv[1:]:
    s = socket.socket(socket.AF_UNIX)
    s.bind(path)
    os.chmod(path, 0o777)
    threading.Thread(target=serve, args=(s,), daemon=True).start()
print(*ports, flush=True)
signal.pause()
PY
	listener=$!
	wait_for 60 test -s "$BATS_TEST_TMPDIR/ports"
	read -r one two <"$BATS_TEST_TMPDIR/ports"
}

given=(env ACME_ONE=1 ACME_TWO=2 NAMED_TOKEN=3 ACME_TOKEN=4 OTHER=5)
probe() { # OPTION-OF-PMG...: "exec" runs it
	rm -f sourced
	out "${as[@]}" "${given[@]}" BASH_ENV="$HOME/rc" "$@" bash probe
	[ "$status" -le 1 ] || must_work # 1: a credential was reached for
}

@test "each key of a profile takes effect, and nothing beside it" {
	listen
	check() {
		probe
		same "bare" "$(column 1)" "$stdout"
		probe "$pmg" sandbox exec --
		same "the built-in profile" "$(column 2)" "$stdout"
		probe "$pmg" --sandbox-profile "$place/keys.yml" sandbox exec --
		same "all keys" "$(column 3)" "$stdout"
		grep -q "ACME_TOKEN looks like a credential: ACME_\* ($place/keys.yml:[0-9]*) does not let it through" <<<"$stderr" ||
			fail "no note: $(shown)"
		no_canary
	}
	for who in "$(id -un)" ${user:+"$user"}; do
		evil_user "$who"
		fresh
		check
	done
	# By its name in config.yml too; and the switches of a child win over those of its base.
	mkdir -p "$HOME/.config/pmg"
	settle "sandbox: {policies: {exec: {profile: mine}}, policy_templates: {mine: {path: $place/open.yml}}}"
	chown -R "$evil_user:" "$HOME/.config"
	probe "$pmg" sandbox exec --
	same "two switches" "$(column 2 | sed -E 's/^((allow|other)-bind|env-(pattern|denied|other)) no/\1 yes/')" "$stdout"
}

@test "what only the manager may, what a script may not, and hosts for each" {
	use_npm
	cp "$npm_config_cafile" "$place/ca.pem" && chmod a+r "$place/ca.pem"
	export npm_config_cafile=$place/ca.pem NODE_EXTRA_CA_CERTS=$place/ca.pem
	only() { # [LINE-OF-YAML]...
		printf '%s\n' 'schema_version: 1' 'name: only' 'inherits: exec' 'package_managers: [npm]' "$@" >"$place/only.yml"
		rm -rf node_modules package-lock.json said "$HOME/.npm"
		guarded_as --sandbox-profile "$place/only.yml" npm install --no-audit
	}
	tried() { cat said 2>/dev/null || true; }
	mkdir -p docs
	echo text >docs/f
	cat >package.json <<-'JSON'
		{ "name": "project", "version": "1.0.0", "dependencies": { "tiny": "1.0.0" }, "scripts": { "postinstall": "sh ./try" } }
	JSON
	cat >try <<-SH
		{ ls ~/.npm/_cacache && echo cache read; touch ~/.npm/x && echo cache written
		cat docs/f && echo docs read; touch node_modules/x && echo modules written
		curl -fsS -o /dev/null ${npm_base}tiny && echo registry asked; } >tried 2>/dev/null
		grep -E '^[a-z]+ (read|written|asked)\$' tried >said
		exit 0
	SH
	bare_as env CURL_CA_BUNDLE="$place/ca.pem" npm install --no-audit
	must_work
	all=$'cache read\ncache written\ndocs read\nmodules written\nregistry asked'
	same "bare" "$all" "$(tried)"
	manager='filesystem: {manager_read: ["${CACHE}/**", "${CONFIG}/**"], manager_write: ["${CACHE}/**"]'
	only "$manager}" 'network: {allow_outbound: [registry]}'
	must_work
	same "the manager alone" $'docs read\nmodules written' "$(tried)"
	only "$manager, script_deny_read: [\"\${PROJECT}/docs\"], script_deny_write: [\"\${PROJECT}/node_modules/**\"]}" \
		'network: {allow_outbound: [registry], script_outbound: [registry]}'
	must_work
	[ -e node_modules/tiny/package.json ]
	same "scripts" 'registry asked' "$(tried)"
	only "$manager}"
	must_fail
	must_say '[PMG2009]'
	only 'network: {allow_outbound: [registry]}'
	must_fail
	sed -i 's/^package_managers: .*/package_managers: [pip]/' "$place/only.yml"
	guarded_as --sandbox-profile "$place/only.yml" npm install --no-audit
	[ "$status" -eq 121 ] || fail "ends with $status: $(shown)"
	must_say "package_managers"
}

refused_as_config() {
	out "$pmg" "$@"
	[ "$status" -eq 121 ] || fail "$* ends with $status: $(shown)"
	must_say PMG2106
}

@test "the environment of sandbox exec is the list, and patterns are read strictly" {
	local pattern
	out env -i "PATH=$PATH" "HOME=$HOME" TERM=dumb EDITOR=vi A=1 AWS_SECRET_ACCESS_KEY=z PYTHONPATH=/x LD_PRELOAD= \
		"$pmg" sandbox exec -- env
	must_work
	same "the names" "$(printf '%s\n' BUN_MANIFEST_CACHE CURL_CA_BUNDLE EDITOR GIT_OPTIONAL_LOCKS GIT_SSL_CAINFO HOME HTTPS_PROXY HTTP_PROXY \
		NODE_EXTRA_CA_CERTS NO_PROXY PATH PIP_CERT PIP_PROXY PMG_RUN PMG_VIA REQUESTS_CA_BUNDLE SSL_CERT_FILE TERM TMPDIR \
		http_proxy https_proxy no_proxy | LC_ALL=C sort)" \
		"$(cut -d= -f1 <<<"$stdout" | grep -vE '^(npm|pnpm|yarn)_(config_)?[a-z_]*proxy$' | LC_ALL=C sort)"
	for pattern in '*' 'A*B*' ''; do
		mkdir -p "$HOME/.config/pmg/"{presets,overlays}
		printf 'schema_version: 1\nname: bad\ninherits: exec\nenvironment: {allow: ["%s"]}\n' "$pattern" >"$HOME/bad.yml"
		printf 'schema_version: 1\nkind: preset\nname: bad\nenvironment: {allow: ["%s"]}\n' "$pattern" >"$HOME/.config/pmg/presets/bad.yml"
		refused_as_config --sandbox-profile "$HOME/bad.yml" sandbox exec -- touch ran
		refused_as_config --sandbox-allow preset=bad sandbox exec -- touch ran
		refused_as_config --sandbox-allow "env=$pattern" sandbox exec -- touch ran
		refused_as_config sandbox allow "env=$pattern"
		out "$pmg" sandbox allow env=FINE
		must_work
		sed -i "s/value: .*FINE[^,}]*/value: \"$pattern\"/" "$HOME"/.config/pmg/overlays/*.yml
		refused_as_config sandbox exec -- touch ran
		rm -r "$HOME/.config/pmg/overlays"
	done
	[ ! -e ran ]
}
