#!/bin/sh
# No package registry is named in this repository (docs/style.md): pmg learns them. The
# names below are in two halves for that reason.
set -eu
cd "${srcdir:-.}"
dot='[.]'
pattern=
for halves in npm+js"$dot"org npm+js"$dot"com yarn+pkg"$dot"com pypi"$dot"+org pypi"$dot"+python \
	python+hosted"$dot" npm"$dot"jsr+"$dot"io npmmirror"$dot"+com; do
	name=${halves%+*}${halves#*+}
	pattern="$pattern${pattern:+|}$name"
done

files() {
	if [ -e .git ] && command -v git >/dev/null; then
		git ls-files -co --exclude-standard
	else
		find . -name 'build*' -prune -o -name 'pmg-*' -prune -o -type f -print
	fi
}

half=npm
probe="https://host.${half}js.org/x"
echo "$probe" | grep -qE "$pattern" || { echo "this test sees nothing"; exit 1; }
hits=$(files | while read -r file; do [ ! -f "$file" ] || grep -nHIE "$pattern" "$file" || true; done)
[ -z "$hits" ] || { echo "$hits"; exit 1; }
locks=$(files | grep -E '(^|/)(package-lock.json|npm-shrinkwrap.json|pnpm-lock.yaml|yarn.lock)$' || true)
[ -z "$locks" ] || { echo "lockfiles hold addresses: $locks"; exit 1; }
