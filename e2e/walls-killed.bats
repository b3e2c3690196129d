#!/usr/bin/env bats
# Whatever is killed or stopped, nothing of the run stays and nothing goes on without a wall.
load helper

setup_file() { registry_start; }
teardown_file() { registry_stop; }

# A script that is busy for twenty seconds, and a process of its own that wants to outlive it.
busy='const fs = require("fs"), { spawn } = require("child_process");
if (process.argv[2] !== "daemon")
	spawn(process.execPath, [__filename, "daemon"], { detached: true, stdio: "ignore" }).unref();
const end = Date.now() + 20000;
while (Date.now() < end) {
	fs.appendFileSync("mark", "x");
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
}'

setup() {
	home
	use_npm
	package_json
	some_index
	# Once: the registry has it for all cases.
	registry_add "$(jq -n --arg js "$busy" '{eco: "npm", name: "busy", version: "1.0.0",
		scripts: {postinstall: "node busy.js"}, files: {"busy.js": $js}}')"
}

# kills ROUNDS VICTIMS
kills() {
	local dir=$BATS_TEST_TMPDIR/killed seed=${PMG_KILL_SEED:-$RANDOM}
	mkdir -p "$dir/template" "$dir/skeleton"
	cp package.json "$dir/template/"
	cp -a "$HOME/." "$dir/skeleton/"
	python3 "$top/tests/helper/killer.py" --seed "$seed" --rounds "$1" --dir "$dir" \
		--victims "$2" -- "$pmg" npm install busy >&2 3>&-
}

@test "fifty processes killed at random moments leave nothing behind" {
	kills 50 front,keeper,broker,reaper,proxy
}
