# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # what helper.bash and the cases set and use
# What uv.bats, poetry.bats and pipx.bats load after helper.

# python_tool NAME VERSION PROGRAM...: installs a version of a tool from pip's registry into
# build/e2e-tools once. Its programs alone come first on PATH, not the python beside them.
python_tool() {
	local dir=$tools/$1-$2 name=$1 version=$2 program
	shift 2
	need python3
	if [ ! -x "$dir/only/$1" ]; then
		python3 -m venv "$dir"
		really "$dir/bin/pip" install -q "$name==$version" >&2 ||
			skip "offline: cannot install $name $version"
		mkdir -p "$dir/only"
		for program; do ln -sf "../bin/$program" "$dir/only/$program"; done
	fi
	# The interpreter itself: uv asks it a dozen times, and shims are slow.
	PATH=$dir/only:$(python3 -c 'import os, sys; print(os.path.dirname(os.path.realpath(sys.executable)))'):$PATH
}

# The fixture is the only index, and trusted, for whichever tool.
use_python() {
	use_pip "$@"
	export UV_DEFAULT_INDEX=$pip_base UV_HTTP_RETRIES=0 UV_PYTHON_DOWNLOADS=never
	export SSL_CERT_FILE=$reg/ca.pem REQUESTS_CA_BUNDLE=$reg/ca.pem
	unset SSL_CERT_DIR
}

# project NAME [DEPENDENCY]...: a pyproject.toml
project() {
	local dependencies
	dependencies=$(printf ', "%s"' "${@:2}")
	[ $# -gt 1 ] || dependencies=
	printf '%s\n' '[project]' "name = \"$1\"" 'version = "0.1"' 'requires-python = ">=3.9"' \
		"dependencies = [${dependencies#, }]" >pyproject.toml
}

# afresh: an empty home and project, which $prepare, a function, fills
afresh() {
	cd "$BATS_TEST_TMPDIR" || return
	rm -rf "$project" "$HOME"
	mkdir -p "$project" "$HOME"
	settle ""
	cd "$project" || return
	prepare
}

# equally COMMAND...: bare and guarded, each from the same start: the same files with the same links,
# and nothing refused
equally() {
	local tree_bare links_bare
	afresh
	bare "$@"
	must_work
	tree_bare=$(tree .)
	links_bare=$(links .)
	afresh
	guarded "$@"
	must_work
	must_not_say denied
	same "the tree" "$tree_bare" "$(tree .)"
	same "the links" "$links_bare" "$(links .)"
}

# both NAME VERSION PLACE COMMAND...: works bare, is refused guarded, from the same start; of a name
# that the line itself gives VERSION is "command line": it is asked before one is known
both() {
	local name=$1 version=$2 place=$3
	shift 3
	afresh
	bare "$@"
	must_work
	[ -e "$(compgen -G "$place" | head -n 1)" ] || fail "the control did not put $place there: $(shown)"
	afresh
	block pkg:pypi/badpy
	block pkg:pypi/badsdist
	guarded "$@"
	must_fail
	must_say "$name"
	must_say "$version"
	must_say PMG3006
	[ -z "$(compgen -G "$place")" ] || fail "$place landed: $(shown)"
}

# A package, evilpy 1.0, whose build reads a key, goes for the cache and for what is installed. What it
# managed stands in $HOME/loot, or for the guarded run in what it printed.
evil() {
	local backend
	backend=$(
		cat <<-'PYTHON'
			import glob, os, sys
			home = os.environ["HOME"]
			def attempt(what, do):
			    try:
			        do()
			        sys.stderr.write("EVIL %s\n" % what)
			        open(home + "/loot", "a").write(what + "\n")
			    except OSError as e:
			        sys.stderr.write("kept from %s: %s\n" % (what, e.strerror))
			def poison(path):
			    os.link(path, "linked")
			    open("linked", "a").write("# evil\n")
			attempt("key", lambda: open(home + "/.ssh/id_x").read())
			for path in glob.glob(os.environ["EVIL_CACHE"], recursive=True)[:1]:
			    attempt("cache", lambda: open(path, "a").write("# evil\n"))
			    attempt("link", lambda: poison(path))
			attempt("installed", lambda: open(os.environ["EVIL_INSTALLED"], "a").write("# evil\n"))
		PYTHON
	)
	registry_add "$(jq -n --arg b "$backend"$'\n' \
		'{eco: "pypi", name: "evilpy", version: "1.0", sdist_only: true, backend: $b}')"
}

# evil_key: in the home, a key
evil_key() {
	mkdir -p "$HOME/.ssh"
	echo "secret $$" >"$HOME/.ssh/id_x"
}

# kept: the guarded build of evilpy got nothing, the key is said to have been touched, and by whom
kept() { # WHAT...
	local what
	for what; do
		[ "$(grep -cx "$what" "$BATS_TEST_TMPDIR/loot")" -ge 1 ] || fail "the control did not get $what"
	done
	[ ! -e "$HOME/loot" ] || fail "it got $(cat "$HOME/loot"): $(shown)"
	must_fail
	must_say "$HOME/.ssh/id_x"
	must_say evilpy@1.0
}
