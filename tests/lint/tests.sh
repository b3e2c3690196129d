#!/bin/sh
# Every src/<folder>/<module>.c has a test program tests/unit/test_<folder>_<module>.c, or a row
# in tests/lint/untested.txt that names the program which tests it, and why it is not its own.
set -eu
cd "${srcdir:-.}"
rows=tests/lint/untested.txt
status=0
for source in src/*/*.c; do
	case $source in *_data.c) continue ;; esac # made while building
	module=${source#src/}
	module=${module%.c}
	program=test_$(echo "$module" | tr '/-' '__')
	row=$(awk -v m="$module.c" '$1 == m' $rows)
	if [ -f "tests/unit/$program.c" ]; then
		[ -z "$row" ] || { echo "$rows: $module.c has a test of its own now"; status=1; }
		continue
	fi
	other=$(echo "$row" | awk '{ print $2 }')
	why=$(echo "$row" | awk '{ $1 = $2 = ""; print }' | tr -d ' ')
	if [ -z "$row" ]; then
		echo "$source: no tests/unit/$program.c"
		status=1
	elif [ -z "$why" ]; then
		echo "$rows: $module.c: say why"
		status=1
	elif [ ! -f "tests/unit/$other.c" ] && [ ! -f "e2e/$other" ] &&
		[ ! -f "tests/proxy/$other" ]; then
		echo "$rows: $module.c: there is no tests/unit/$other.c, e2e/$other, tests/proxy/$other"
		status=1
	fi
done
for module in $(awk '!/^#/ && NF { print $1 }' $rows); do
	[ -f "src/$module" ] || { echo "$rows: there is no src/$module"; status=1; }
done
for target in tests/fuzz/fuzz_*.c; do
	name=${target##*/fuzz_}
	name=${name%.c}
	ls tests/fuzz/corpus/"$name"/* >/dev/null 2>&1 || { echo "$target: no corpus"; status=1; }
	grep -q "tests/fuzz/fuzz_$name" src/*/*.mk || { echo "$target: in no local.mk"; status=1; }
done
exit $status
