#!/usr/bin/env bats
# Versions of node, npm and pnpm that people have: each installs, and each is stopped.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

setup() {
	home
	use_npm
	package_json
	block pkg:npm/bad
}

works_and_is_stopped() { # COMMAND...
	guarded "$@" tiny
	must_work
	[ -e node_modules/tiny ]
	guarded "$@" bad
	refused bad 2.0.0 node_modules/bad
}

@test "npm 8" {
	tool npm 8 npm
	works_and_is_stopped npm install
}

@test "npm 9" {
	tool npm 9 npm
	works_and_is_stopped npm install
}

@test "npm 10" {
	tool npm 10 npm
	works_and_is_stopped npm install
}

@test "pnpm 8" {
	tool pnpm 8 pnpm
	works_and_is_stopped pnpm add
}

@test "pnpm 9" {
	tool pnpm 9 pnpm
	works_and_is_stopped pnpm add
}

@test "node 22 with its own npm" {
	tool node 22 node
	[[ $(node --version) == v22* ]]
	works_and_is_stopped npm install
}

@test "node 24 with npm's newest" {
	tool node 24 node
	tool npm latest npm
	[[ $(node --version) == v24* ]]
	works_and_is_stopped npm install
}
