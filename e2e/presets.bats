#!/usr/bin/env bats
# Presets open what their tools need, for whoever runs them, and nothing that stays closed.
# shellcheck disable=SC2154 # what helper.bash and walls.bash set
load helper
load walls

setup_file() { shed; }
teardown_file() { unshed; }
setup() { scene; }

# A project of its own: build.cjs says of each thing whether it could be done.
fill() {
	cat >build.cjs <<-'END'
		const fs = require('fs'), net = require('net'), { HOME } = process.env;
		const say = (what, f) => { try { f(); console.log(what, 'yes'); } catch { console.log(what, 'no'); } };
		const write = (dir) => { fs.mkdirSync(dir, { recursive: true }); fs.writeFileSync(dir + '/x', 'x'); };
		for (const dir of ['dist', 'src', '.acme', HOME + '/.config/astro', HOME + '/.config/other'])
			say(dir.replace(HOME, '~'), () => write(dir));
		const server = net.createServer().on('error', () => console.log('listen no'));
		server.listen(5173, '127.0.0.1', () => { console.log('listen yes'); server.close(); });
	END
}

project_json() { # SCRIPT
	rm -rf dist src .acme "$HOME/.config/astro" "$HOME/.config/other"
	printf '{ "name": "project", "version": "1.0.0", "scripts": { "build": "%s" } }\n' "$1" >package.json
	[ "$evil_user" = "$(id -un)" ] || chown -R -h "$evil_user:" "$place"
}

said() { [ "$1" = "$stdout" ] || fail "not \"$1\": $(shown)"; }

# Of the last run.
recorded() { # "CODE OP TARGET"
	"${as[@]}" "$pmg" violations list --json |
		jq -e --arg what "$1" 'map(select(.run == $run)) | any("\(.code) \(.op) \(.target)" == $what)' \
			--arg run "$("${as[@]}" "$pmg" violations list --json | jq -r '.[0].run')" >/dev/null ||
		fail "not recorded: $1: $("${as[@]}" "$pmg" violations list)"
}

# For whoever runs the case and, where that is root, for an ordinary user.
each_user() { # FUNCTION
	"$1"
	[ -n "$user" ] || return 0
	evil_user "$user"
	fresh
	"$1"
}

build_as_presets_say() {
	project_json 'node build.cjs'
	bare_as npm run -s build
	said $'dist yes\nsrc yes\n.acme yes\n~/.config/astro yes\n~/.config/other yes\nlisten yes'
	project_json 'node build.cjs'
	guarded_as npm run -s build
	said $'dist no\nsrc no\n.acme no\n~/.config/astro no\n~/.config/other no\nlisten no'
	recorded "PMG2002 write $project/dist"
	recorded "PMG2014 bind tcp 127.0.0.1:5173"
	guarded_as --sandbox-allow preset=vite --sandbox-allow preset=astro npm run -s build
	said $'dist yes\nsrc no\n.acme no\n~/.config/astro yes\n~/.config/other no\nlisten yes'
	must_work
	[ -f dist/x ] || fail "nothing was written: $(ls -A)"
	[ -f "$HOME/.config/astro/x" ] || fail "nothing was written in the home"
	recorded "PMG2002 write $project/src"
}

@test "presets open what their tools write and listen on, in the home too, and no more" {
	need node
	each_user build_as_presets_say
}

# As lint-staged does it, with the hooks of husky in place.
repository() { # SCRIPT
	rm -rf .git .husky a
	project_json "$1"
	"${as[@]}" sh -ec '
		mkdir -p .husky/_
		echo "*" >.husky/_/.gitignore
		echo one >a
		git init -q .
		git config user.email a@b.test
		git config user.name a
		git config core.hooksPath .husky/_
		git add a
		git commit -qm one --no-verify'
}

stash_as_husky_says() {
	local good='echo two >>dist/b; git add dist/b && git status --short && git stash create x >dist/c'
	good+=' && git stash store -q -m x $(cat dist/c) && git stash drop -q'
	local evil='git config core.fsmonitor ./x || echo config no; mkdir -p .git/hooks; echo x >.git/hooks/post-commit ||'
	evil+=' echo hook no; echo x >.husky/_/post-commit || echo husky no'
	local allows=(--sandbox-allow preset=husky --sandbox-allow 'write=dist/**')
	repository "mkdir dist; $good"
	bare_as npm run -s build
	must_work
	must_not_say warning
	repository "mkdir dist; $good"
	guarded_as "${allows[@]}" npm run -s build
	must_work
	must_not_say warning
	must_not_say refused
	repository "$evil"
	bare_as npm run -s build
	said ''
	repository "$evil"
	guarded_as "${allows[@]}" npm run -s build
	said $'config no\nhook no\nhusky no'
	recorded "PMG2002 write $project/.husky/_/post-commit"
}

@test "preset husky lets git stash and stage; its hooks and configuration stay closed" {
	need git
	each_user stash_as_husky_says
}

@test "a preset of one's own is applied by reference: an edited one takes effect in each repository" {
	need node
	project_json 'node build.cjs'
	guarded sandbox preset init --author ann --label acme acme
	must_work
	guarded sandbox preset lint --strict "$HOME/.config/pmg/presets/acme.yml"
	must_work
	guarded sandbox allow preset=acme
	must_work
	guarded npm run -s build
	said $'dist no\nsrc no\n.acme yes\n~/.config/astro no\n~/.config/other no\nlisten no'
	VISUAL="sed -i s/[.]acme/src/" guarded sandbox preset edit acme
	must_work
	project_json 'node build.cjs'
	guarded npm run -s build
	said $'dist no\nsrc yes\n.acme no\n~/.config/astro no\n~/.config/other no\nlisten no'
	TMPDIR=$place/tmp VISUAL="sed -i s/PROJECT/HOME/;s/src/.ssh/" guarded sandbox preset edit acme
	must_fail
	must_say 'does not open "${HOME}/.ssh/**"'
	guarded sandbox preset show acme
	grep -qF '${PROJECT}/src/**' <<<"$stdout" || fail "it was changed: $(shown)"
	rm "$HOME/.config/pmg/presets/acme.yml"
	project_json 'node build.cjs'
	guarded npm run -s build
	said $'dist no\nsrc no\n.acme no\n~/.config/astro no\n~/.config/other no\nlisten no'
	must_say 'no preset "acme"; nothing is allowed by it'
}
