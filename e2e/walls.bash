# shellcheck shell=bash
# shellcheck disable=SC2154 # what helper.bash and the cases set
# A hostile package: dep-evil@1.2.3, a tarball in the project, whose postinstall tries what a
# case lists. Every attack runs without pmg first, where it must succeed, and then guarded, in the same
# place made anew: there it must be refused and be listed with its code, its target, the package and
# the script; home and project stay as they were. All that for whoever runs the case and, where that
# is root, for an ordinary user as well.
#
#   shed, unshed             in setup_file and teardown_file: a place outside /tmp, and the user
#   scene                    in setup: a home and a project there, and an empty list
#   fill                     a function of the case: makes what is to be attacked
#   try CODE TARGET ATTACK   one more; CODE is a regular expression for the number without PMG, "-"
#                            where nothing is recorded (it is not there at all); TARGET as the record
#                            has it, or "re:" and a regular expression. ATTACK is text for sh
#   try_root ...             the same, of what only root can do at all
#   meanwhile                a function of the case: happens outside once the script has started
#   heard control|guarded    a function of the case: looks at what the world has noticed
#   attack                   run all of them

attacker=${PMG_E2E_HELPERS:-$top/build/tests/helper}/attack

shed() {
	need npm jq
	[ -x "$attacker" ] || fail "no $attacker: make check builds it"
	shed=$BATS_FILE_TMPDIR user=
	if [ "$(id -u)" -eq 0 ]; then
		# A place that an ordinary user can enter, and pmg installed there.
		need setpriv useradd
		shed=$(mktemp -d /home/pmg-walls.XXXXXX)
		user=pmg-walls-${shed##*.}
		user=${user,,}
		chmod 755 "$shed"
		user_command useradd --system --no-create-home --home-dir "$shed/home" --shell /bin/sh "$user"
		mkdir "$shed/bin"
		cp -a "${PMG_ROOT:-${pmg%/*}}"/{bin,libexec,share,pmg,pmg-proxy,pmg-intel} "$shed/bin" 2>/dev/null || true
	fi
	export shed user
}

unshed() {
	[ -z "${user:-}" ] || {
		user_command userdel "$user" || true
		rm -rf "${shed:?}"
	}
}

scene() {
	home
	only_root=() with=()
	canary=CANARY-$$-$RANDOM
	codes=() targets=() lines=() as=()
	if [ -n "$user" ]; then
		if [ -n "${PMG_ROOT:-}" ]; then pmg=$shed/bin/bin/pmg; else pmg=$shed/bin/pmg; fi
	fi
	place=$shed/case
	HOME=$place/home project=$place/project
	evil_user "$(id -un)"
	fresh
}

try() {
	codes+=("$1")
	targets+=("$2")
	shift 2
	lines+=("$*")
}

try_root() {
	only_root[${#lines[@]}]=yes
	try "$@"
}

# Who runs npm and pmg from here on.
evil_user() {
	as=(env -u XDG_RUNTIME_DIR -u BASH_FUNC_bats_readlinkf%%)
	[ "$1" = "$(id -un)" ] ||
		as+=(setpriv "--reuid=$1" "--regid=$(id -g "$1")" --clear-groups env TMPDIR="$place/tmp" USER="$1" LOGNAME="$1")
	evil_user=$1
}

# $with: what else to start them through
guarded_as() { out "${with[@]}" "${as[@]}" "$pmg" "$@"; }
bare_as() { out "${with[@]}" "${as[@]}" "$@"; }

# A home and a project that nothing has happened in.
fresh() {
	cd / || return
	rm -rf "$place"
	mkdir -p "$project" "$HOME" "$place/tmp"
	settle ""
	cd "$project" || return
	! declare -F fill >/dev/null || fill
	evil_package
	package_json '{ "dep-evil": "file:vendor/dep-evil-1.2.3.tgz" }'
	[ "$evil_user" = "$(id -un)" ] || chown -R -h "$evil_user:" "$place"
	"${as[@]}" "$pmg" intel block pkg:npm/never-asked-for >/dev/null 2>&1
}

# The package: the attack program and a script that runs it once a line.
evil_package() {
	local i dir=$place/evil/package
	mkdir -p "$dir"
	cp "$attacker" "$dir/attack"
	echo spare >"$dir/spare"
	echo '{"name":"dep-evil","version":"1.2.3","scripts":{"postinstall":"sh ./run.sh"}}' >"$dir/package.json"
	{
		# Not at the wrong moment: what happens outside is over before the first attack.
		! declare -F meanwhile >/dev/null ||
			echo 'touch ready; n=0; until [ -e go ] || [ $n = 1200 ]; do n=$((n+1)); sleep 0.05; done'
		for i in "${!lines[@]}"; do
			if [ -n "${only_root[i]:-}" ] && [ "$evil_user" != root ]; then
				echo "echo 77 >status.$i"
			else
				printf './attack %s >out.%s 2>&1; echo $? >status.%s\n' "${lines[i]}" "$i" "$i"
			fi
		done
	} >"$dir/run.sh"
	mkdir -p "$project/vendor"
	tar -C "$place/evil" -czf "$project/vendor/dep-evil-1.2.3.tgz" package
	rm -rf "$place/evil"
}

# What each attack of the last run said and how it ended.
attack_status() { cat "$project/node_modules/dep-evil/status.$1" 2>/dev/null || echo none; }
attack_said() { cat "$project/node_modules/dep-evil/out.$1" 2>/dev/null || echo nothing; }

outside_meanwhile() {
	wait_for 60 test -e "$project/node_modules/dep-evil/ready" || return
	meanwhile
	touch "$project/node_modules/dep-evil/go"
}

# evil_install PREFIX...: bare_as or guarded_as, and options of pmg
evil_install() {
	local other=
	! declare -F meanwhile >/dev/null || {
		outside_meanwhile 3>&- &
		other=$!
	}
	"$@" npm install --no-audit --no-fund --foreground-scripts
	[ -z "$other" ] || wait "$other"
	[ "$(jq -r .version node_modules/dep-evil/package.json)" = 1.2.3 ] || fail "not installed: $(shown)"
}

attack() {
	attack_as "$(id -un)"
	[ -z "$user" ] || attack_as "$user"
}

attack_as() {
	evil_user "$1"
	fresh
	control
	! declare -F heard >/dev/null || heard control
	fresh
	outside >"$place/before"
	evil_install guarded_as
	[ "$status" -le 1 ] || must_work
	! declare -F heard >/dev/null || heard guarded
	same "home or project" "$(cat "$place/before")" "$(outside)"
	violations=$("${as[@]}" "$pmg" violations list --json)
	each_refused
	no_canary
}

# Without pmg all of it works; what this machine cannot do at all is said.
control() {
	local i
	evil_install bare_as
	must_work
	for i in "${!lines[@]}"; do
		case $(attack_status "$i") in
		0) ;;
		77) [ -n "${only_root[i]:-}" ] || echo "# this machine cannot: ${lines[i]}" >&3 ;;
		*) fail "$evil_user: the control is refused: ${lines[i]}: $(attack_said "$i")" ;;
		esac
	done
}

each_refused() {
	local i bad=
	for i in "${!lines[@]}"; do
		case $(attack_status "$i") in
		1 | 77) ;;
		*) bad+="not refused ($(attack_status "$i")): ${lines[i]}: $(attack_said "$i")"$'\n' ;;
		esac
		if [ "${codes[i]}" != - ] && [ "$(attack_status "$i")" != 77 ] && ! listed "${codes[i]}" "${targets[i]}"; then
			bad+="not listed: ${codes[i]} ${targets[i]} (${lines[i]}: $(attack_said "$i"))"$'\n'
		fi
	done
	[ -z "$bad" ] || fail "$evil_user: $bad$(jq -c '.[]|[.code,.operation,.target,.package,.script]' <<<"$violations")
$(shown)"
}

# Everything that no install may change, as it is now.
outside() {
	(cd "$HOME" && find . -mindepth 1 \( -path ./.npm -o -path ./.cache -o -path ./.local -o -path ./.config \) -prune \
		-o -printf '%P\t%y\t%m\t%l\t%T@\n' | LC_ALL=C sort)
	(cd "$project" && find . -mindepth 1 \( -path ./node_modules -o -name 'package*.json' \) -prune \
		-o -printf '%P\t%y\t%m\t%l\t%T@\n' | LC_ALL=C sort)
	find "$HOME" "$project" \( -name node_modules -o -name 'package*.json' -o -path "$HOME/.[clnC]*" \) -prune \
		-o -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum
}

# listed CODE TARGET: by dep-evil@1.2.3 in its postinstall
listed() {
	jq -e --arg code "^PMG($1)\$" --arg target "$2" 'any(.[]; (.code | test($code)) and .package == "dep-evil@1.2.3"
		and .script == "postinstall" and (.target == $target or
		(($target | startswith("re:")) and (.target | test($target[3:])))))' <<<"$violations" >/dev/null
}

# Nowhere but in the files that the case itself made may the canary lie.
no_canary() {
	local found
	found=$(grep -rl "$canary" "$place" 2>/dev/null | grep -vxF -e "${canary_files:-none}" || true)
	[ -z "$found" ] || fail "the canary is in: $found"
	must_not_say "$canary"
}
