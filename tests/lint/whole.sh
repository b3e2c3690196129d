#!/bin/sh
# Each layer links whole with only the layers below it. Without --whole-archive
# an object that nobody needs would hide a call upwards.
# From the Makefile: PMG_CC (compiler and flags), PMG_LIBS (all libraries).
set -eu
top=$(cd "${srcdir:-.}" && pwd)
work=$(mktemp -d ./lint-whole.XXXXXX)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/main.c"

# below LAYER: archives of what it may include, and of what they may
below() {
	for dir in $(sed -n "s/^$1:[ ]*//p" "$top/tools/layers.txt"); do
		echo "$dir"
		below "$dir"
	done
}

status=0
for archive in lib*.a; do
	layer=${archive#lib}
	layer=${layer%.a}
	grep -q "^$layer:" "$top/tools/layers.txt" || continue
	rest=
	for dir in $(below "$layer" | sort -u); do
		[ ! -f "lib$dir.a" ] || rest="$rest lib$dir.a"
	done
	# shellcheck disable=SC2086 # lists of words
	$PMG_CC -o "$work/a.out" "$work/main.c" -Wl,--whole-archive "$archive" \
		-Wl,--no-whole-archive -Wl,--start-group $rest -Wl,--end-group $PMG_LIBS \
		>"$work/log" 2>&1 || {
		echo "$archive does not link with only:${rest:- nothing}"
		grep 'undefined reference' "$work/log" || cat "$work/log"
		status=1
	}
done
exit $status
