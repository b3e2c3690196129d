#!/usr/bin/env bats
# pipx through pmg: as without it, by uv and by pip, and what must not be is not.
# shellcheck disable=SC2154,SC2317 # what helper.bash sets; prepare() is called there
load helper
load python

setup_file() {
	registry_start
	evil
	# The pip that all environments of pipx share, made once: it takes its time.
	python3 -m venv "$BATS_FILE_TMPDIR/shared"
	# An app that tells whether it is the manager to the walls: that alone may write the cache.
	registry_add "$(jq -n '{eco: "pypi", name: "hello", version: "1.0", files: {
		"hello/cli.py": "import os, sys\ndef main():\n    print(\"hello\", *sys.argv[1:])\n    try:\n        open(os.environ[\"HOME\"] + \"/.cache/pipx/mark\", \"w\")\n    except OSError:\n        pass\n",
		"hello-1.0.dist-info/entry_points.txt": "[console_scripts]\nhello = hello.cli:main\n"}}')"
}
teardown_file() { registry_stop; }

setup() {
	home
	python_tool pipx 1.18.4 pipx
	python_tool uv 0.13.9 uv uvx
	use_python
	# Its pip brings itself up to date first, and the fixture has none.
	export PIPX_DISABLE_SHARED_LIBS_AUTO_UPGRADE=1
}

prepare() { :; }

@test "pipx install and pipx run, by uv and by pip: the app works, and is no manager" {
	local backend
	for backend in uv pip; do
		prepare() {
			[ "$backend" = pip ] || return 0
			mkdir -p "$HOME/.local/share/pipx"
			cp -a "$BATS_FILE_TMPDIR/shared" "$HOME/.local/share/pipx/"
		}
		afresh
		PIPX_DEFAULT_BACKEND=$backend guarded pipx install hello
		must_work
		must_not_say denied
		[ "$("$HOME/.local/bin/hello" x)" = "hello x" ]
		rm -rf "$HOME/.cache/pipx/mark"
		PIPX_DEFAULT_BACKEND=$backend guarded pipx run --spec hello==1.0 --no-cache hello there
		must_work
		[ "$stdout" = "hello there" ]
		[ ! -e "$HOME/.cache/pipx/mark" ] || fail "$backend: the app wrote the cache"
		guarded pipx list --short
		[ "$stdout" = "hello 1.0" ]
		guarded pipx uninstall hello
		must_work
		must_not_say denied
		[ ! -e "$HOME/.local/bin/hello" ] && [ ! -e "$HOME/.local/share/pipx/venvs/hello" ]
	done
}

@test "a blocked package never lands, whichever way it is asked for" {
	both badpy "command line" "$HOME/.local/share/pipx/venvs/hello/lib/python*/site-packages/badpy" \
		pipx install --preinstall badpy hello
	both badpy "command line" "$HOME/.cache/uv/archive-v0/*/badpy" pipx run --with badpy hello
}

@test "a build reads no key and does not change the cache" {
	prepare() {
		evil_key
		pipx install hello >/dev/null 2>&1
	}
	export EVIL_CACHE="$HOME/.cache/uv/archive-v0/*/hello/__init__.py"
	export EVIL_INSTALLED=$HOME/.local/share/pipx/venvs/hello/evil.pth
	afresh
	bare pipx inject hello evilpy
	must_work
	cp "$HOME/loot" "$BATS_TEST_TMPDIR/loot"
	afresh
	guarded pipx inject hello evilpy
	kept key cache link installed
	never grep -rqx '# evil' "$HOME/.cache" "$HOME/.local/share/pipx"
}
