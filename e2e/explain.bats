#!/usr/bin/env bats
# Codes are explained where nothing else works: without network, home and configuration.
load helper

setup() { home; }

# Nothing of the environment but PATH.
bare_pmg() { env -i PATH="$PATH" "$pmg" "$@"; }

@test "each code of the sandbox is explained without home and configuration" {
	local page code
	for page in "$top"/docs/codes/PMG2*.md; do
		code=$(basename "$page" .md)
		run --separate-stderr bare_pmg sandbox explain "$code"
		[ "$status" -eq 0 ] || fail "$code: $stderr"
		[ -z "$stderr" ]
		[ "${lines[0]}" = "$(head -n 1 "$page" | cut -c3-)" ]
		for part in What Why Resolution "If malicious" Limits Related Glossary; do
			[[ $output == *"$part."* ]] || fail "$code: no $part"
		done
	done
}

@test "a code is explained without a network" {
	unshare -rn true 2>/dev/null || skip "no namespaces for this user"
	run unshare -rn env -i PATH="$PATH" "$pmg" sandbox explain PMG2009
	[ "$status" -eq 0 ]
	[[ $output == *"If malicious. Exfiltration"* ]]
}

@test "machines get a code as JSON" {
	need python3
	run bare_pmg sandbox explain PMG2007 --json
	[ "$status" -eq 0 ]
	python3 -c 'import json, sys
page = json.load(sys.stdin)
assert page["code"] == "PMG2007" and page["name"] == "exec denied", page
assert page["disposition"] == "denied" and page["malicious"], page
assert page["page"].startswith("# PMG2007"), page' <<<"$output"
}

@test "a code that does not exist is an error that helps" {
	run bare_pmg sandbox explain PMG20071
	[ "$status" -eq 121 ]
	[[ $output == *"did you mean PMG200"* ]]
}

@test "before the first run nothing was refused, and no file is made" {
	run "$pmg" violations list --json
	[ "$status" -eq 0 ]
	[ "$output" = "[]" ]
	run "$pmg" violations explain --last
	[ "$status" -eq 121 ]
	[[ $output == "pmg: nothing was refused yet in "* ]]
	[ ! -e "$HOME/.local/state/pmg/ledger.db" ]
}
