#!/usr/bin/env bats
# pnpm through pmg, an old and the newest version: as without it, links into the store included.
load helper

setup() {
	home
	online
	any_age
}

workspace() {
	printf 'packages:\n  - "packages/*"\n' >pnpm-workspace.yaml
	package_json
	mkdir -p packages/a packages/b packages/c
	echo '{"name":"@w/a","version":"1.0.0","dependencies":{"is-odd":"3.0.1"}}' >packages/a/package.json
	echo '{"name":"@w/b","version":"1.0.0","dependencies":{"@w/a":"workspace:*","express":"4.19.2"}}' \
		>packages/b/package.json
	echo '{"name":"@w/c","version":"1.0.0","dependencies":{"@w/b":"workspace:*"}}' >packages/c/package.json
}
prepare() { workspace; }

workspace_is_alike() {
	alike pnpm install
	[ "$bare_links" = "$(links "$project")" ] || fail "other link counts"
	[ -e packages/b/node_modules/express/package.json ]
	# Hard links into the store, not copies: the file system is the same here.
	[ "$(stat -L -c %h packages/a/node_modules/is-odd/index.js)" -gt 1 ]
	[ "$(readlink -f packages/c/node_modules/@w/b)" = "$project/packages/b" ]
}

@test "pnpm 10 installs a workspace of three as without pmg" {
	tool pnpm 10 pnpm
	workspace_is_alike
}

@test "pnpm 9 installs a workspace of three as without pmg" {
	tool pnpm 9 pnpm
	workspace_is_alike
}

@test "the newest pnpm installs a workspace of three as without pmg" {
	tool pnpm latest pnpm
	workspace_is_alike
}

@test "pnpm add and pnpm dlx work" {
	tool pnpm 10 pnpm
	prepare() { package_json; }
	alike pnpm add bottleneck@2.19.5
	[ -f node_modules/bottleneck/.env ]
	alike pnpm dlx semver@7.5.4 1.2.3 -i minor
}
