#!/usr/bin/env bats
# Ordinary installs within the walls leave the same and say the same as without them, and a run that
# worked says nothing of refusals.
load helper

setup() {
	home
	need npm node
	some_index
}

# quiet COMMAND...: as alike, and nothing was refused
quiet() {
	alike "$@"
	must_not_say "denied"
	must_not_say "[PMG2"
}

# A packed package of what lies in dep/: its postinstall is TEXT.
local_package() { # TEXT
	mkdir -p dep
	jq -n --arg x "$1" '{name:"dep",version:"1.0.0",scripts:{postinstall:$x}}' >dep/package.json
	tar -czf dep.tgz --sort=name --mtime=@0 --transform 's,^dep,package,' dep
	rm -rf dep
	package_json '{ "dep": "file:./dep.tgz" }'
}

left_overs() { find node_modules -name '.*-????????' | grep . && fail "left-overs of npm"; true; }

@test "a fresh home, no node_modules: install, npm ci over it, upgrade, removal" {
	online
	any_age
	prepare() {
		package_json '{ "is-odd": "2.0.0" }'
		npm install --package-lock-only >/dev/null 2>&1
		rm -rf "$HOME/.npm"
	}
	quiet npm install
	quiet npm ci
	guarded npm ci
	must_work
	guarded npm ci
	must_work
	left_overs
	guarded npm install is-odd@3.0.1
	must_work
	grep -q '"3.0.1"' node_modules/is-odd/package.json
	left_overs
	guarded npm uninstall is-odd
	must_work
	[ ! -e node_modules/is-odd ]
	must_not_say denied
}

@test "a package that ships .idea" {
	online
	any_age
	prepare() { package_json; }
	quiet npm install iconv-lite@0.6.3
	[ -d node_modules/iconv-lite/.idea ]
	guarded npm ci
	must_work
	guarded npm uninstall iconv-lite
	must_work
	[ ! -e node_modules/iconv-lite ]
}

@test "files that pnpm links stay links" {
	online
	any_age
	tool pnpm 10 pnpm
	prepare() { package_json; }
	quiet pnpm add is-odd@3.0.1
	same "link counts" "$(grep -v '/\.' <<<"$bare_links")" "$(links "$project" | grep -v '/\.')"
	[ "$(stat -c %h "$(readlink -f node_modules/is-odd)/package.json")" -gt 1 ]
}

@test "a script that starts programs, threads and children in every way of node" {
	prepare() {
		mkdir -p dep
		cat >dep/run.js <<-'JS'
			const { spawnSync, execSync, fork } = require("child_process");
			const { Worker } = require("worker_threads");
			const fs = require("fs");
			if (process.send) { process.send("child"); process.exit(); }
			const out = [spawnSync("sh", ["-c", "echo sync"]).stdout, execSync("echo exec")].join("");
			const child = fork(__filename);
			child.on("message", (word) => {
				new Worker("require('worker_threads').parentPort.postMessage('thread')", { eval: true })
					.on("message", (thread) => fs.writeFileSync("made", out + word + "\n" + thread + "\n"));
			});
		JS
		local_package "node run.js"
	}
	quiet npm install
	same "what it made" $'sync\nexec\nchild\nthread' "$(cat node_modules/dep/made)"
}

@test "a native build with compiler and make" {
	need cc make
	prepare() {
		mkdir -p dep
		printf 'int main(void) { return 7; }\n' >dep/a.c
		printf 'a: a.c\n\tcc -pipe -o $@ $<\n' >dep/Makefile
		local_package 'make -s && { ./a; test $? = 7; } && rm a'
	}
	quiet npm install
}

# Where the headers of node lie: /usr, or the folder that node itself came with.
node_headers() {
	local dir
	for dir in /usr "$(node -p 'path.dirname(path.dirname(fs.realpathSync(process.execPath)))')"; do
		[ ! -e "$dir/include/node/node_api.h" ] || {
			echo "$dir"
			return
		}
	done
}

@test "a native build by node-gyp, with headers of this machine" {
	need c++ make python3
	npm_config_nodedir=$(node_headers)
	[ -n "$npm_config_nodedir" ] || need headers-of-node
	export npm_config_nodedir
	prepare() {
		mkdir -p dep
		cat >dep/seven.c <<-'C'
			#include <node_api.h>
			static napi_value start(napi_env env, napi_value exports)
			{
				napi_value seven;
				napi_create_int32(env, 7, &seven);
				napi_set_named_property(env, exports, "seven", seven);
				return exports;
			}
			NAPI_MODULE(seven, start)
		C
		echo '{"targets":[{"target_name":"seven","sources":["seven.c"]}]}' >dep/binding.gyp
		# node-gyp writes down all that npm was told by variables, the run's proxy included.
		local_package 'sed -i /https_proxy/d build/config.gypi'
	}
	quiet npm install
	[ "$(node -p 'require("./node_modules/dep/build/Release/seven.node").seven')" = 7 ]
}

@test "git in scripts, in the project that is a repository" {
	need git
	prepare() {
		git init -q . 2>/dev/null
		local_package 'git status --porcelain >/dev/null && git rev-parse --is-inside-work-tree >made'
	}
	alike npm install # git would like to refresh its index, and goes on when it may not
	[ "$(cat node_modules/dep/made)" = true ]
}

@test "prepare that sets git's hooks: the installation works, the refusal is explained, and can be allowed" {
	need git
	git init -q .
	# As such tools do it: what git says is passed on, and is no reason to fail.
	cat >hooks.js <<-'JS'
		const { status, stderr } = require("child_process").spawnSync("git", ["config", "core.hooksPath", ".own/_"]);
		if (status) console.log(String(stderr));
	JS
	echo '{"name":"p","version":"1.0.0","scripts":{"prepare":"node hooks.js"}}' >package.json
	bare npm install
	must_work
	[ "$(git config core.hooksPath)" = .own/_ ] || fail "the control sets nothing"
	git config --unset core.hooksPath
	guarded npm install
	must_work
	never git config core.hooksPath
	grep -q "Permission denied" <<<"$stdout" || fail "git does not say it: $(shown)"
	must_say "1 denied"
	guarded violations explain --last
	grep -qF "  by        p@1.0.0 (prepare)" <<<"$stdout" || fail "not whose it was: $(shown)"
	grep -qxF "  pmg sandbox allow --force write=$PWD/.git/config.lock" <<<"$stdout" || fail "no line: $(shown)"
	# The lock first; then what it takes the place of, from which code would start later.
	guarded sandbox allow --last
	must_fail
	guarded sandbox allow --last --force
	must_work
	must_say "write=$PWD/.git/config.lock"
	guarded npm install
	[ "$status" -eq 1 ] || fail "not told by the status: $(shown)"
	must_say "[PMG2012] rename of $PWD/.git/config refused: by p@1.0.0 (prepare)"
	never git config core.hooksPath
	guarded sandbox allow --last --force
	must_work
	must_say "write=$PWD/.git/config"
	must_not_say "read="
	guarded npm install
	must_work
	must_not_say denied
	[ "$(git config core.hooksPath)" = .own/_ ] || fail "not set: $(shown)"
}

@test "a workspace, and prepare of the project itself" {
	prepare() {
		mkdir -p packages/a packages/b
		echo '{"name":"a","version":"1.0.0"}' >packages/a/package.json
		echo '{"name":"b","version":"1.0.0","dependencies":{"a":"1.0.0"}}' >packages/b/package.json
		echo '{"name":"p","version":"1.0.0","private":true,"workspaces":["packages/*"],
			"scripts":{"prepare":"node -e 0"}}' >package.json
	}
	quiet npm install
	[ -L node_modules/a ]
}

@test "home, cache and project behind symbolic links" {
	online
	any_age
	mkdir -p "$BATS_TEST_TMPDIR/real/home" "$BATS_TEST_TMPDIR/real/project" "$BATS_TEST_TMPDIR/real/cache"
	ln -s real/home "$BATS_TEST_TMPDIR/h"
	ln -s real/project "$BATS_TEST_TMPDIR/p"
	ln -s ../cache "$BATS_TEST_TMPDIR/real/home/.npm"
	export HOME=$BATS_TEST_TMPDIR/h
	some_index
	cd "$BATS_TEST_TMPDIR/p" || return
	package_json
	guarded npm install is-odd@3.0.1
	must_work
	must_not_say denied
	[ -d "$BATS_TEST_TMPDIR/real/project/node_modules/is-number" ]
	[ -d "$BATS_TEST_TMPDIR/real/cache/_cacache" ]
}

@test "npm exec of what is installed, and of what is not" {
	online
	any_age
	prepare() { package_json; }
	quiet npm exec --yes semver@7.5.4 -- 1.2.3 -i minor
	[ "$stdout" = 1.3.0 ]
}

@test "pip: a wheel, and an environment in the project" {
	need python3
	prepare() { python3 -m venv .venv; }
	prepare
	.venv/bin/pip download -q --no-deps six==1.17.0 >/dev/null 2>&1 || skip "offline: no six"
	guarded_in_venv() { PATH=$PWD/.venv/bin:$PATH guarded pip install "$@"; }
	guarded_in_venv six==1.17.0
	must_work
	.venv/bin/python -c 'import six'
	PATH=$PWD/.venv/bin:$PATH guarded pip uninstall -y six
	must_work
	never .venv/bin/python -c 'import six' 2>/dev/null
}
