#!/usr/bin/env bats
# pip and the proxy: certificates, parent proxies, what would lead round it, bodies that are cut.
load helper
load fixture

setup_file() {
	registry_start
	registry_random pypi largepy
	venv
}

setup() {
	client_setup
	venv
	unset CURL_CA_BUNDLE
}

@test "the user's authority is found wherever pip would" {
	export PIP_INDEX_URL=$at/simple/
	guarded pip install --target none tinypy
	must_fail
	must_say PMG4001
	for name in PIP_CERT REQUESTS_CA_BUNDLE; do
		export "$name=$reg/ca.pem"
		guarded pip install --target "$name" tinypy
		unset "$name"
		must_work
		[ -d "$name/tinypy" ]
	done
	printf '[global]\ncert = %s\n' "$reg/ca.pem" >pip.conf
	PIP_CONFIG_FILE=$PWD/pip.conf guarded pip install --target conf tinypy
	must_work
	guarded pip --cert "$reg/ca.pem" install --target line tinypy
	must_work
	guarded pip install --target line2 tinypy --cert="$reg/ca.pem"
	must_work
}

@test "no option and no file leads round the proxy, and none turns verification off" {
	use_pip
	block pkg:pypi/badpy
	local options
	for options in "--proxy http://127.0.0.1:9" "--proxy=" "--cert $reg/ca.pem" "--trusted-host 127.0.0.1" \
		"--trusted-host 127.0.0.1:$https" "--isolated -i $pip_base --cert $reg/ca.pem"; do
		forget
		# shellcheck disable=SC2086 # a list of words
		guarded pip install --target lib badpy $options
		must_fail
		[ ! -e lib/badpy ] || fail "$options: landed"
		[ "$(asked 'badpy.*whl$')" -eq 0 ] || fail "$options: asked all the same"
	done
	for options in 'proxy = http://127.0.0.1:9' "proxy = " "cert = $reg/ca.pem" "trusted-host = 127.0.0.1"; do
		printf '[global]\n%s\n[install]\n%s\n' "$options" "$options" >pip.conf
		PIP_CONFIG_FILE=$PWD/pip.conf guarded pip install --target lib badpy
		must_fail
		[ ! -e lib/badpy ] || fail "$options: landed"
	done
	rm pip.conf
	pip install --target control badpy >/dev/null 2>&1
	[ -e control/badpy ]
	PIP_INDEX_URL=https://127.0.0.1:$untrusted/simple/ guarded pip install --target lib tinypy --trusted-host 127.0.0.1
	must_fail
	must_say PMG4001
}

@test "a parent proxy is found wherever pip would" {
	parent
	export PIP_INDEX_URL=https://registry.test/simple/ PIP_CERT=$reg/ca.pem
	PIP_PROXY=http://127.0.0.1:$parent guarded pip install --target env tinypy
	must_work
	guarded pip install --target line tinypy --proxy "http://127.0.0.1:$parent"
	must_work
	printf '[global]\nproxy = http://127.0.0.1:%s\n' "$parent" >pip.conf
	PIP_CONFIG_FILE=$PWD/pip.conf guarded pip install --target conf tinypy
	must_work
	[ "$(connects | grep -cx registry.test:443)" -ge 3 ]
	guarded pip install --target none tinypy # the control
	must_fail
}

@test "nothing of a cut artifact lands, and what pip keeps is not spoiled" {
	local base
	export PIP_CERT=$reg/ca.pem
	for base in /~truncate.100000/simple/ /~rst.100000/simple/ /~truncate.100000/~chunked/simple/; do
		PIP_INDEX_URL=$at$base guarded pip install --target lib largepy
		must_fail
		[ ! -e lib/largepy ] || fail "$base: landed"
	done
	PIP_INDEX_URL=$at/simple/ bare pip install --target lib largepy
	must_work
}
