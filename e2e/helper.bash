# shellcheck shell=bash
# What every .bats file loads. A case has a HOME and a project folder of its own below
# $BATS_TEST_TMPDIR and finds
#   $pmg          the program: of $PMG_ROOT (an installed tree), else of the build folder
#   $top $tools   the source folder; the folder in build/ with other versions of the tools
# Case names are sentences. A refusal is shown beside a control: the same command without pmg works.

bats_require_minimum_version 1.5.0
set -u
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tools=${PMG_E2E_TOOLS:-$top/build/e2e-tools}
real_home=$HOME real_ca=${NODE_EXTRA_CA_CERTS-}

if [ -n "${PMG_ROOT:-}" ]; then
	pmg=$PMG_ROOT/bin/pmg
else
	pmg=${PMG_BUILD:-$top/build}/pmg
fi

fail() {
	printf '%s\n' "$*" >&2
	return 1
}

# Files of cases run at once, and there is one lock on the list of users.
user_command() { # useradd|userdel ARGUMENTS...
	local n
	for ((n = 0; n < 60; n++)); do
		! "$@" || return 0
		sleep 0.5
	done
	return 1
}

# A bare ! does not fail a case of bats.
never() { ! "$@" || fail "must not be: $*"; }

# Skips, or fails where ./check has made sure that it is there.
need() { # COMMAND...
	local command
	for command; do
		command -v "$command" >/dev/null && continue
		[ -z "${PMG_MUST_WORK:-}" ] || fail "no $command here"
		skip "no $command here"
	done
}

# A clean machine: a home without history, and only the variables that reach the real registries.
home() {
	local name
	export HOME=$BATS_TEST_TMPDIR/home
	project=$BATS_TEST_TMPDIR/project
	mkdir -p "$HOME" "$project"
	settle ""
	for name in $(compgen -e | grep -iE '^(npm_|pnpm_|yarn_|bun_|pip_|uv_|poetry_|pipx_|virtual_env|xdg_|pmg_[^rmbet]|node_|.*_proxy$)'); do
		case $name in
		NODE_EXTRA_CA_CERTS | PIP_CERT) ;;
		*) unset "$name" ;;
		esac
	done
	# rustup's links, which pip asks for the version of rustc, set up a home that is none.
	PATH=$(tr : '\n' <<<"$PATH" | grep -v '/\.cargo/bin$' | paste -sd :)
	export npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false
	export npm_config_fetch_retries=0 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=0
	export NO_UPDATE_NOTIFIER=1 CI=true
	# pip asks rustc for its version; without its home that would begin to make one.
	[ ! -d "$real_home/.rustup" ] || export RUSTUP_HOME=${RUSTUP_HOME:-$real_home/.rustup}
	# Functions of the shell are left out of a guarded run, which a run that fails then says.
	while read -r _ _ name; do export -fn "${name?}"; done < <(declare -Fx)
	cd "$project" || return
}

# Where CI is set a run without an index of malware is refused. What a case is about has its own
# index, or none; the case that asks what holds without a word of this takes the file away.
settle() { # [LINES behind the version]
	mkdir -p "$HOME/.config/pmg"
	printf 'schema_version: 1\n%sintel: {on_missing: warn}\n' "${1:+$1$'\n'}" >"$HOME/.config/pmg/config.yml"
	chmod 600 "$HOME/.config/pmg/config.yml"
}

# What was published today is as good as anything else: for cases that compare with a bare install
# from the real registries, where there is always something that is too young.
any_age() {
	settled='dependency_cooldown: {enabled: false}'
	settle "$settled"
}

package_json() { # [DEPENDENCIES-AS-JSON]
	printf '{ "name": "project", "version": "1.0.0", "private": true, "dependencies": %s }\n' \
		"${1:-{\}}" >package.json
}

# Commands

# out COMMAND...: runs it with stdout, stderr and status in $stdout, $stderr, $status
out() {
	local dir=$BATS_TEST_TMPDIR/out
	mkdir -p "$dir"
	status=0
	"$@" >"$dir/stdout" 2>"$dir/stderr" </dev/null || status=$?
	stdout=$(cat "$dir/stdout")
	stderr=$(cat "$dir/stderr")
}

guarded() { out "$pmg" "$@"; }
bare() { out "$@"; }

shown() { printf 'status %s\nstdout: %s\nstderr: %s\n' "$status" "$stdout" "$stderr"; }
must_work() { [ "$status" -eq 0 ] || fail "did not work: $(shown)"; }
must_fail() { [ "$status" -ne 0 ] || fail "must not work: $(shown)"; }
must_say() { grep -qF -- "$1" <<<"$stderr" || fail "does not say \"$1\": $(shown)"; }
must_not_say() { ! grep -qF -- "$1" <<<"$stderr$stdout" || fail "says \"$1\": $(shown)"; }

# refused NAME VERSION PLACE: nothing of it may lie in PLACE, and pmg must have said which it was
refused() {
	must_fail
	must_say "$1"
	must_say "$2"
	must_say PMG3006
	[ ! -e "$3" ] || fail "$3 landed: $(shown)"
}

block() { # PURL
	"$pmg" intel block --reason "e2e test" "$1" 2>/dev/null
}

# record NAME VERSION ID: a record of malware as feeds have it
record() {
	printf '{"schema_version":"1.5.0","id":"%s","modified":"2026-01-01T00:00:00Z",
		"affected":[{"package":{"ecosystem":"npm","name":"%s"},"versions":["%s"]}]}\n' "$3" "$1" "$2"
}

# An index that knows one package that nobody asks for: without any, pmg says so in every run.
some_index() {
	record never-asked-for 1.0.0 MAL-2026-0 >"$BATS_TEST_TMPDIR/some.json"
	"$pmg" intel import "$BATS_TEST_TMPDIR/some.json" >/dev/null 2>&1
}

# Looking at what was made

# Names, kinds, modes, link targets and contents below a folder; what changes with each run is masked.
tree() {
	(
		cd "$1" || exit 1
		find . -printf '%P\t%y\t%m\t%l\n' | LC_ALL=C sort
		find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum
	) | grep -vE '(\.modules\.yaml|\.pnpm-workspace-state[^ ]*\.json|\.cache|__pycache__[^ ]*\.pyc)$'
}

# Link counts of files: a store that copies where it should link shows here.
links() { (cd "$1" && find . -type f -printf '%n %P\n' | LC_ALL=C sort -k2); }

# Durations, bars of progress, and what else differs from run to run.
mask() {
	sed -E -e '/^Progress: .*added [0-9]+$/d' -e '/WARN.* Request took [0-9]+ms/d' -e '/━/d' -e '/: still running\.\.\.$/d' \
		-e 's/in [0-9.]+ ?(ms|s|m)(econds)?/in TIME/g' -e 's/[0-9]+(\.[0-9]+)? ?[kM]B\/s/SPEED/g' \
		-e 's/Done in .*/Done/' -e 's/\[[0-9.]+m?s\]/[TIME]/g' -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9_:]+Z?/DATE/g' \
		-e 's/eta [0-9:-]+/eta/g'
}

same() { # WHAT EXPECTED GOT
	[ "$2" = "$3" ] || {
		diff <(printf '%s\n' "$2") <(printf '%s\n' "$3") | head -n 40 >&2
		fail "$1 differs"
	}
}

# alike COMMAND...: run bare and guarded from the same start, in the same folder, it leaves the same
# files and says the same. $prepare, a function, fills the empty project. Sets $bare_tree.
alike() {
	local bare_status bare_stdout
	rm -rf "$project" "$HOME"
	mkdir -p "$project" "$HOME"
	settle "${settled:-}"
	cd "$project" || return
	prepare
	bare "$@"
	must_work
	bare_status=$status bare_stdout=$stdout
	bare_tree=$(tree "$project")
	bare_links=$(links "$project")
	cd "$BATS_TEST_TMPDIR" || return
	rm -rf "$project" "$HOME"
	mkdir -p "$project" "$HOME"
	settle "${settled:-}"
	cd "$project" || return
	prepare
	guarded "$@"
	[ "$status" = "$bare_status" ] || fail "exit status $bare_status, guarded $status: $(shown)"
	same "stdout" "$(mask <<<"$bare_stdout")" "$(mask <<<"$stdout")"
	same "the tree" "$bare_tree" "$(tree "$project")"
	no_trace "$project" "$HOME"
}

# No file may hold the address of a proxy that is gone, nor the token of the run.
no_trace() {
	local found
	found=$(grep -rIlE 'http://pmg:|127\.0\.0\.1:[0-9]+|localhost:[0-9]+' "$@" \
		--include='*lock*' --include='.npmrc' --include='*.yaml' --include='*.yml' \
		--include='*.log' --include='*.conf' --include='*.toml' 2>/dev/null |
		grep -vE '/node_modules/[^.]|/site-packages/' || true)
	[ -z "$found" ] || fail "a proxy address is in: $found"
	found=$(grep -rIl 'http://pmg:' "$@" 2>/dev/null || true)
	[ -z "$found" ] || fail "the token is in: $found"
}

# The pmg-proxy processes of this pmg: others may run on the machine.
proxies() {
	local pid
	for pid in $(pgrep -x pmg-proxy || true); do
		case $(readlink "/proc/$pid/exe" 2>/dev/null) in
		"$(readlink -f "$(dirname "$pmg")/..")"/*) echo "$pid" ;;
		esac
	done
}

# Registries

# With what this machine uses for the real registries, whatever the case has set.
really() {
	env -u npm_config_registry -u npm_config_cafile NODE_EXTRA_CA_CERTS="$real_ca" \
		HOME="$real_home" "$@"
}

# The real registry, asked from the tool; skips where there is none to reach.
online() {
	need npm curl
	npm_registry=$(cd / && really npm config get registry)
	[ -n "${pmg_online:-}" ] || {
		curl -fsS -o /dev/null --max-time 20 "${npm_registry%/}/is-number" 2>/dev/null ||
			skip "offline: the registry of npm cannot be reached"
		export pmg_online=yes
	}
	# A line that fails once is nothing that a case asks for; the registry on loopback has no such thing.
	export npm_config_fetch_retries=2 PIP_RETRIES=2
}

# A registry on loopback: $http $https $untrusted $cdn_http $cdn_https (ports), $reg (its folder:
# ca.pem, log.jsonl). In setup_file; ends in teardown_file.
registry_start() {
	need python3 openssl
	reg=$BATS_FILE_TMPDIR/registry
	mkdir -p "$reg"
	mkfifo "$reg/alive"
	python3 "$top/tests/helper/registry.py" --dir "$reg" "$@" <"$reg/alive" \
		>"$reg/ports" 2>"$reg/stderr" 3>&- &
	exec 8>"$reg/alive" # the registry ends when this is closed
	wait_for 60 test -s "$reg/ports" || fail "no registry: $(cat "$reg/stderr")"
	read -r http https untrusted cdn_http cdn_https <"$reg/ports"
	export reg http https untrusted cdn_http cdn_https
}
registry_stop() { exec 8>&-; }

# At least so long: $SECONDS counts whole ones. What has to begin may take a minute on a busy machine,
# what has to end within a time that pmg promises has that time.
wait_for() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -le "$end" ] || return 1
		sleep 0.05
	done
}

registry_add() { curl -fsS -o /dev/null -d "$1" "http://127.0.0.1:$http/-/add"; }

# How often a path was asked for; the pattern is one of jq's test().
asked() { jq -s --arg p "$1" 'map(select(.path | test($p))) | length' "$reg/log.jsonl"; }
forget() { : >"$reg/log.jsonl"; }

# use_npm [BASE]: the project's registry is the one on loopback, trusted by the user's own file.
use_npm() {
	npm_base=https://127.0.0.1:$https${1:-/npm/}
	echo "registry=$npm_base" >"$HOME/.npmrc" # pnpm 12 does not read npm_config_registry
	export npm_config_registry=$npm_base npm_config_cafile=$reg/ca.pem
	export NODE_EXTRA_CA_CERTS=$reg/ca.pem
}

use_pip() {
	pip_base=https://127.0.0.1:$https${1:-/simple/}
	export PIP_INDEX_URL=$pip_base PIP_CERT=$reg/ca.pem
	unset REQUESTS_CA_BUNDLE CURL_CA_BUNDLE PIP_FIND_LINKS
}

# Tools

# tool NAME VERSION PROGRAM: installs a version of a tool from its registry into build/e2e-tools
# once, and puts it first on PATH.
tool() {
	local dir=$tools/$1-$2
	mkdir -p "$dir"
	[ -e "$dir/whole" ] || tool_install "$dir" "$1@$2" 9>"$dir.lock"
	[ -x "$dir/node_modules/.bin/$3" ] || fail "$1@$2 has no $3"
	PATH=$dir/node_modules/.bin:$PATH
}

# Files of cases run beside each other: the first that needs it installs it, the others wait.
tool_install() { # FOLDER SPEC, with the lock as descriptor 9
	flock 9
	[ ! -e "$1/whole" ] || return 0
	online
	really npm install --silent --no-fund --no-audit --prefix "$1" "$2" >&2 9>&- || fail "cannot install $2"
	touch "$1/whole"
}

# A virtual environment for pip, made once a file; each case copies nothing: it installs with --target.
venv() {
	need python3
	venv=$BATS_FILE_TMPDIR/venv
	[ -x "$venv/bin/pip" ] || python3 -m venv "$venv"
	PATH=$venv/bin:$PATH
}
