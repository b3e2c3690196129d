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
# shellcheck disable=SC2086 # a list of words
shellcheck -x $scripts
