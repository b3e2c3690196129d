#!/usr/bin/env bats
# poetry through pmg: as without it, and what must not be is not.
# shellcheck disable=SC2154,SC2317 # what helper.bash sets; prepare() is called there
load helper
load python

setup_file() {
	registry_start
	evil
}
teardown_file() { registry_stop; }

setup() {
	home
	python_tool poetry 2.5.1 poetry
	use_python
	export POETRY_REQUESTS_MAX_RETRIES=0 POETRY_NO_INTERACTION=1 POETRY_KEYRING_ENABLED=false
	export POETRY_VIRTUALENVS_IN_PROJECT=true POETRY_VIRTUALENVS_OPTIONS_NO_PIP=true
}

# Its index is a source of the project.
poetry_project() {
	project app
	printf '%s\n' '[tool.poetry]' 'package-mode = false' '[[tool.poetry.source]]' 'name = "my-reg"' \
		"url = \"$pip_base\"" 'priority = "primary"' >>pyproject.toml
}

prepare() { poetry_project; }

@test "poetry add and install, in the project and in the cache; certificates of its own configuration" {
	equally poetry add tinypy sdistpy
	rm -rf .venv "$HOME"
	mkdir -p "$HOME/.config/pypoetry"
	settle ""
	# This file beats all variables but its own.
	printf '[certificates.my-reg]\ncert = "%s"\n' "$reg/ca.pem" >"$HOME/.config/pypoetry/config.toml"
	unset REQUESTS_CA_BUNDLE SSL_CERT_FILE PIP_CERT POETRY_VIRTUALENVS_IN_PROJECT
	guarded poetry install
	must_work
	guarded poetry run python -c 'import tinypy, sdistpy; print(tinypy.VERSION)'
	must_work
	[ "$stdout" = 1.1 ]
	must_not_say denied
	[ -n "$(compgen -G "$HOME/.cache/pypoetry/virtualenvs/app-*/bin/python")" ]
}

@test "a blocked package never lands, and a plugin of the project runs within the walls" {
	both badpy 1.0 '.venv/lib/python*/site-packages/badpy' poetry add needs-badpy
	evil_key
	mkdir -p .poetry/plugins/p-1.0.dist-info
	printf 'Metadata-Version: 2.1\nName: p\nVersion: 1.0\n' >.poetry/plugins/p-1.0.dist-info/METADATA
	printf '[poetry.application.plugin]\nx = p:P\n' >.poetry/plugins/p-1.0.dist-info/entry_points.txt
	printf '%s\n' 'import sys' "sys.stderr.write('PLUGIN ' + open('$HOME/.ssh/id_x').read())" \
		'class P: pass' >.poetry/plugins/p.py
	bare poetry --version
	must_say "PLUGIN secret $$"
	guarded poetry --version
	must_fail
	must_not_say "secret $$"
	must_say "$HOME/.ssh/id_x"
}

@test "a build reads no key and does not change what is installed" {
	prepare() {
		poetry_project
		evil_key
	}
	export EVIL_CACHE="$HOME/none" EVIL_INSTALLED=$project/.venv/evil.pth
	afresh
	bare poetry add evilpy
	must_work
	cp "$HOME/loot" "$BATS_TEST_TMPDIR/loot"
	afresh
	guarded poetry add evilpy
	kept key installed
	[ ! -e .venv/evil.pth ]
}
