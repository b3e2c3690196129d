#!/usr/bin/env bats
# What a postinstall script tries on files: every attempt works without pmg, is refused and listed
# with it, and leaves home and project as they were.
load helper
load walls

setup_file() { shed; }
teardown_file() { unshed; }
setup() { scene; }

fill() {
	mkdir -p "$HOME/.ssh" "$HOME/.config/gh" "$project/packages/a" "$project/src" "$project/.github/workflows"
	echo "$canary" >"$HOME/.ssh/id_x"
	echo "$canary" >"$project/.env"
	echo "$canary" >"$project/packages/a/.env"
	echo nothing >"$project/.enx"
	echo "export A=1" >"$HOME/.bashrc"
	echo "code" >"$project/src/index.js"
	echo "on: push" >"$project/.github/workflows/ci.yml"
	git init -q "$project"
	printf '#!/bin/sh\n' >"$project/.git/hooks/pre-commit"
	cp /bin/true "$HOME/dropped"
	printf '#!/bin/sh\nexit 0\n' >"$HOME/script"
	echo plain >"$HOME/plain"
	chmod +x "$HOME/dropped" "$HOME/script"
	ln "$HOME/.ssh/id_x" "$project/src/innocent.txt"
	echo "; $canary" >"$HOME/.npmrc"
	ln "$HOME/.npmrc" "$project/src/settings.txt"
	canary_files=$(printf '%s\n' "$HOME/.ssh/id_x" "$project/src/innocent.txt" "$project/.env" \
		"$HOME/.npmrc" "$project/src/settings.txt" \
		"$project/packages/a/.env" "$project/packages/a/.env.local" "$project/packages/new/.env")
}

@test "reading: credentials of the home, by every way to name them" {
	key=$HOME/.ssh/id_x
	try 2001 "$key" open "$key"
	try 2001 "$key" openat2 "$key"
	try "2001|2002" "$key" open-rdwr "$key"
	try 2001 "$key" symlink-read "$key" ./link
	try 2001 "$key" symlink-read "$HOME/.ssh" ./folder ./folder/id_x
	try 2001 "$key" open "/proc/self/root$key"
	try 2001 "$key" open "/proc/thread-self/root$key"
	try 2001 "$HOME/.ssh" list "$HOME/.ssh"
	try 2012 "$key" link-read "$key" ./hard
	try 2012 "$key" rename-read "$key" ./moved
	attack
}

@test "reading: secrets of the project, at any depth" {
	try 2001 "$project/.env" open "$project/.env"
	try 2001 "$project/.env" openat2 ../../.env
	try "2001|2002" "$project/.env" open-rdwr "$project/.env"
	try 2001 "$project/.env" open "/proc/self/cwd/../../.env"
	try 2001 "$project/packages/a/.env" open "$project/packages/a/.env"
	try 2001 "$project/.env" symlink-read "$project/.env" ./link
	try 2012 "$project/.env" link-read "$project/.env" ./hard
	try 2012 "$project/packages/a" move-parent-read "$project/packages/a" ./moved .env
	try 2012 "$project/.env" exchange-read "$project/.env" ./exchanged
	attack
}

@test "reading: a hard link that was made before" {
	try 2001 "$project/src/innocent.txt" open "$project/src/innocent.txt"
	try 2001 "$project/src/innocent.txt" symlink-read "$project/src/innocent.txt" ./link
	# The manager reads it; its scripts have no name for it.
	try 2001 "$project/src/settings.txt" open "$project/src/settings.txt"
	try 2012 "$project/src/settings.txt" link-read "$project/src/settings.txt" ./settings
	try 2012 "$project/src/innocent.txt" link-read "$project/src/innocent.txt" ./hard
	attack
}

@test "reading: what is made or replaced from outside while the script runs" {
	meanwhile() {
		mkdir -p "$project/packages/new"
		echo "$canary" >"$project/packages/new/.env"
		echo "$canary" >"$project/packages/a/.env.local"
		echo "$canary" >"$project/.env.new"
		[ "$evil_user" = "$(id -un)" ] || chown -R "$evil_user:" "$project/packages" "$project/.env.new"
		mv "$project/.env.new" "$project/.env"
		outside >"$place/before"
	}
	try 2001 "$project/.env" open "$project/.env"
	try 2001 "$project/packages/new/.env" open "$project/packages/new/.env"
	try 2001 "$project/packages/a/.env.local" open "$project/packages/a/.env.local"
	try 2001 "$project/.env" symlink-read "$project/.env" ./link
	try 2012 "$project/packages/new" move-parent-read "$project/packages/new" ./moved .env
	attack
}

@test "reading: a path that another process changes, 20,000 times" {
	try 2001 "$project/.env" race-read "$project/.enx" "$project/.env" 20000 CANARY
	attack
}

@test "writing: start files, sources, workflows, hooks" {
	try 2002 "$HOME/.bashrc" append "$HOME/.bashrc"
	try 2002 "$HOME/.profile" creat "$HOME/.profile"
	try 2002 "$project/src/index.js" append "$project/src/index.js"
	try 2002 "$project/src/new.js" creat "$project/src/new.js"
	try 2012 "$project/src/index.js" rename ./spare "$project/src/index.js"
	try 2012 "$project/src/innocent.txt" unlink "$project/src/innocent.txt"
	try 2002 "$project/.github/workflows/ci.yml" truncate "$project/.github/workflows/ci.yml"
	try 2002 "$project/.github/workflows/new.yml" creat "$project/.github/workflows/new.yml"
	try 2002 "$project/.git/hooks/pre-commit" append "$project/.git/hooks/pre-commit"
	try 2002 "$project/.git/hooks/post-merge" creat "$project/.git/hooks/post-merge"
	try 2012 "$project/.git" rename "$project/.git" "$project/.git2"
	attack
}

@test "modes and times outside cannot be changed" {
	try 2017 "$HOME/plain" chmod "$HOME/plain"
	try 2017 "$HOME/plain" utime "$HOME/plain"
	try 2017 "$project/src/index.js" fchmod "$project/src/index.js"
	try 2017 "$HOME/.ssh/id_x" chmod "$HOME/.ssh/id_x"
	attack
}

@test "starting: a program that was dropped, by name, by the loader, from memory" {
	try 2007 "$HOME/dropped" exec "$HOME/dropped"
	try 2007 "$HOME/script" exec "$HOME/script"
	try 2007 "re:." exec "$(loader)" "$HOME/dropped"
	try 2016 "re:^memfd" memfd /bin/true
	attack
}

# The dynamic loader of this machine, as programs name it.
loader() { ldd /bin/true | sed -n 's/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' | head -n 1; }
