#!/bin/sh
# Every header compiles alone and is guarded by its name.
# From the Makefile: PMG_COMPILE (compiler with all flags).
set -eu
top=$(cd "${srcdir:-.}" && pwd)
status=0
headers=$(cd "$top/src" && find . -name '*.h' | sed 's|^\./||' | sort)
for header in $headers; do
	guard=PMG_$(echo "${header%.h}" | tr 'a-z/-' 'A-Z__')_H
	grep -q "^#define $guard\$" "$top/src/$header" || {
		echo "src/$header: no guard $guard"
		status=1
	}
done
# shellcheck disable=SC2086 # lists of words
(for header in $headers; do echo "$top/src/$header"; done) |
	xargs -n 8 $PMG_COMPILE -Wno-unused -fsyntax-only -x c || status=1
exit $status
