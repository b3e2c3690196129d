#!/bin/sh
# The tool shellcheck has nothing to say about any script.
set -eu
cd "${srcdir:-.}"
command -v shellcheck >/dev/null || { echo "skip: no shellcheck"; exit 77; }
scripts=$(find check try bootstrap .ci tools tests e2e bench -type f 2>/dev/null |
	while read -r file; do
		if head -n 1 "$file" | grep -aqE '^#!/(bin/(ba)?sh|usr/bin/(env )?bats)'; then
			echo "$file"
		fi
	done)
cases=$(for file in $scripts; do case $file in *.bats) echo "$file" ;; esac; done)
others=$(for file in $scripts; do case $file in *.bats) ;; *) echo "$file" ;; esac; done)
# shellcheck disable=SC2086 # lists of words
shellcheck -x $others
# What a case calls or sets by way of `load` and `run` is out of the tool's sight.
# shellcheck disable=SC2086
[ -z "$cases" ] || shellcheck -x -e SC2154,SC2317,SC2034,SC2030,SC2031 $cases e2e/helper.bash
