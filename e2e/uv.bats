#!/usr/bin/env bats
# uv and uvx through pmg: as without it, and what must not be is not.
# shellcheck disable=SC2154,SC2317 # what helper.bash sets; prepare() is called there
load helper
load python

setup_file() {
	registry_start
	evil
	registry_add '{"eco":"pypi","name":"hello","version":"1.0","files":
		{"hello/cli.py":"def main():\n    print(\"hello of uvx\")\n",
		"hello-1.0.dist-info/entry_points.txt":"[console_scripts]\nhello = hello.cli:main\n"}}'
}
teardown_file() { registry_stop; }

setup() {
	home
	python_tool uv 0.13.9 uv uvx
	use_python
}

prepare() { project app tinypy; }

@test "uv add and uv sync: the same files, hard links to the cache among them" {
	equally uv add sdistpy
	[ "$(stat -c %h .venv/lib/python*/site-packages/tinypy/__init__.py)" -eq 2 ]
	rm -rf .venv
	guarded uv sync --frozen
	must_work
	guarded uv run python -c 'import tinypy, sdistpy; print(tinypy.VERSION)'
	must_work
	[ "$stdout" = 1.1 ]
	must_not_say denied
}

@test "uv venv and uv pip install, uvx and uv tool install, a script with inline metadata" {
	guarded uv venv --quiet
	must_work
	guarded uv pip install --quiet tinypy==1.0 sdistpy
	must_work
	guarded uv pip install --quiet --target lib tinypy
	must_work
	[ -d lib/tinypy ]
	guarded uvx hello
	must_work
	[ "$stdout" = "hello of uvx" ]
	guarded uv tool install hello
	must_work
	[ "$("$HOME/.local/bin/hello")" = "hello of uvx" ]
	guarded uv tool list
	must_work
	must_not_say denied
	grep -q '^hello v1.0' <<<"$stdout"
	printf '%s\n' '# /// script' '# dependencies = ["tinypy"]' '# ///' 'import tinypy' 'print(1)' >s.py
	guarded uv run s.py
	must_work
	[ "$stdout" = 1 ]
	[ "$(.venv/bin/python -c 'import tinypy; print(tinypy.VERSION)')" = 1.0 ]
	# Its environment is there, and uv's cache has it: nobody is asked for it.
	"$pmg" intel block --reason e2e pkg:pypi/tinypy
	guarded uv run s.py
	must_fail
	[ -z "$stdout" ]
	grep -q "\[PMG3008\] refused tinypy .*s.py: e2e; nothing was started" <<<"$stderr"
	bare uv run s.py
	must_work
}

@test "a blocked package never lands, whichever way it is asked for" {
	both badpy 1.0 '.venv/lib/python*/site-packages/badpy' uv add needs-badpy
	both badsdist 1.0 lib/badsdist uv pip install --target lib badsdist
	both badpy "command line" "$HOME/.cache/uv/archive-v0/*/badpy" uvx --from badpy --with hello hello
	# A lockfile names its file, and no index is asked.
	prepare() {
		project app badpy
		[ ! -e "$BATS_TEST_TMPDIR/uv.lock" ] || cp "$BATS_TEST_TMPDIR/uv.lock" .
	}
	afresh
	bare uv lock
	must_work
	cp uv.lock "$BATS_TEST_TMPDIR"
	both badpy 1.0 '.venv/lib/python*/site-packages/badpy' uv sync --frozen
}

@test "a build reads no key and changes neither the cache nor what is installed" {
	prepare() {
		project app tinypy
		evil_key
		uv sync --quiet
	}
	export EVIL_CACHE="$HOME/.cache/uv/archive-v0/*/tinypy/__init__.py"
	export EVIL_INSTALLED=$project/.venv/evil.pth
	afresh
	bare uv add evilpy
	must_work
	cp "$HOME/loot" "$BATS_TEST_TMPDIR/loot"
	afresh
	guarded uv add evilpy
	kept key cache link installed
	never grep -rqx '# evil' .venv "$HOME/.cache"
}
