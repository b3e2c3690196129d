#!/bin/sh
# Links in README.md and docs/ lead somewhere, and the files that they name are there: "src/x/y.c",
# and "x/y.h" of src/.
set -eu
cd "${srcdir:-.}"
status=0
for page in README.md docs/*.md; do
	dir=$(dirname "$page")
	for link in $(grep -oE '\]\([^)#]+' "$page" | cut -c3- | grep -v '://' || true); do
		[ -e "$dir/$link" ] || { echo "$page: no $link"; status=1; }
	done
	for file in $(grep -oE '`[a-z0-9_]+(/[a-z0-9_]+)+\.(c|h|mk|py|sh|txt)`' "$page" | tr -d '`' || true); do
		[ -e "$file" ] || [ -e "src/$file" ] || { echo "$page: no $file"; status=1; }
	done
done
exit $status
