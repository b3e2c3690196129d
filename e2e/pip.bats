#!/usr/bin/env bats
# pip through pmg: as without it.
load helper

setup() {
	home
	venv
	online
	any_age
	pip_index=$(pip config get global.index-url 2>/dev/null || true)
	pip download -q --no-deps -d "$BATS_TEST_TMPDIR/probe" six >/dev/null 2>&1 ||
		skip "offline: the index of pip cannot be reached"
}

prepare() { :; }

@test "pip install requests: the same files" {
	alike pip install --no-compile --target "$project/lib" requests
	[ -f lib/requests/__init__.py ]
}

@test "pip install of an sdist builds it, with build tools fetched through pmg" {
	alike pip install --no-compile --no-binary iniconfig --target "$project/lib" iniconfig==2.0.0
	[ -d lib/iniconfig ]
}

@test "pip download and python -m pip work" {
	alike pip download --no-deps -d "$project/dl" six==1.16.0
	[ -f dl/six-1.16.0-py2.py3-none-any.whl ]
}

@test "pip install into a virtual environment: pip show says the same" {
	out env "PATH=$PATH" "$pmg" pip install -q six==1.16.0
	must_work
	[ "$(pip show six | sed -n 's/^Version: //p')" = 1.16.0 ]
	pip uninstall -q -y six
}
