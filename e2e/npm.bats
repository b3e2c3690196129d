#!/usr/bin/env bats
# npm through pmg: with real packages everything is as without it.
load helper

setup() {
	home
	online
	any_age
}

prepare() { package_json; }

@test "npm install express: files, lockfile and output are as without pmg" {
	alike npm install express
	[ -f node_modules/express/package.json ]
	grep -q '"express"' package-lock.json
}

@test "npm install esbuild: its install script runs its program" {
	alike npm install esbuild
	node -e 'require("esbuild").transformSync("let x = 1")'
}

@test "npm install bottleneck@2.19.5: a package that ships a .env" {
	alike npm install bottleneck@2.19.5
	[ -f node_modules/bottleneck/.env ]
}

# Direct dependencies of an ordinary web application of some years; no lockfile is kept here.
large() {
	package_json '{ "express": "4", "webpack": "5", "webpack-cli": "5", "jest": "29",
		"eslint": "8", "typescript": "5", "@babel/core": "7", "@babel/preset-env": "7",
		"lodash": "4", "axios": "1", "mocha": "10", "react": "18", "react-dom": "18",
		"prettier": "3", "rollup": "4", "nodemon": "3", "gulp": "4" }'
}

@test "npm ci of 600 packages and more is as without pmg, from cold caches" {
	prepare() {
		large
		cp "$BATS_TEST_TMPDIR/package-lock.json" . 2>/dev/null || {
			npm install --package-lock-only >/dev/null 2>&1
			cp package-lock.json "$BATS_TEST_TMPDIR/"
			rm -rf "$HOME/.npm"
		}
	}
	alike npm ci
	count=$(find node_modules -name package.json -path '*node_modules/*' |
		grep -cE 'node_modules/(@[^/]+/)?[^/]+/package\.json$')
	[ "$count" -gt 600 ] || fail "only $count packages"
}

@test "npm ci of what is already cached is as without pmg" {
	prepare() { package_json '{ "is-odd": "3.0.1" }'; npm install >/dev/null 2>&1; }
	alike npm ci
}

@test "npx runs a package as without pmg" {
	alike npx --yes semver@7.5.4 1.2.3 -i minor
	[ "$stdout" = 1.3.0 ]
}

@test "npm audit and npm view print the same JSON" {
	prepare() { package_json '{ "is-odd": "3.0.1" }'; npm install >/dev/null 2>&1; }
	alike npm view is-odd --json
	jq -e .name <<<"$stdout" >/dev/null
	alike npm outdated --json
}
