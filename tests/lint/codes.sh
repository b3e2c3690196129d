#!/bin/sh
# docs/errors.md lists every code of enum pmg_code and no other; each PMGnnnn that the sources use
# has a page docs/codes/PMGnnnn.md, and each page is used; those of the sandbox are in the manual and
# in e2e too; docs/environment.md lists every PMG_* variable that is read or set, and no other.
set -eu
cd "${srcdir:-.}"
status=0

# compare WHAT FILE: standard input is what the sources have, FILE what is documented
compare() {
	sort -u >"$work/sources"
	for word in $(comm -23 "$work/sources" "$2"); do
		echo "$1: $word is not documented"
		status=1
	done
	for word in $(comm -13 "$work/sources" "$2"); do
		echo "$1: $word is documented but not in the sources"
		status=1
	done
}
work=$(mktemp -d "${TMPDIR:-/tmp}/lint-codes.XXXXXX")
trap 'rm -rf "$work"' EXIT

grep -oE 'PMG_E_[A-Z]+' docs/errors.md | sort -u >"$work/docs"
sed -n '/^enum pmg_code/,/^};/p' src/base/err.h | grep -oE 'PMG_E_[A-Z]+' | grep -v PMG_E_MAX \
	>"$work/enum"
compare docs/errors.md "$work/docs" <"$work/enum"

# Numbers stand alone in the tables, so they are known by their ranges: the first twenty of each.
for page in docs/codes/PMG*.md; do basename "$page" .md; done | sort -u >"$work/docs"
grep -rhoE '(^|[^0-9A-Za-z_])(PMG)?([13-5]0[01][0-9]|2[01][01][0-9])([^0-9A-Za-z_:]|$)' src \
	--include='*.[ch]' | grep -oE '[0-9]{4}' | grep -v '00$' | sed 's/^/PMG/' >"$work/used"
compare docs/codes "$work/docs" <"$work/used"
for page in docs/codes/PMG*.md; do
	head -n 1 "$page" | grep -qE "^# $(basename "$page" .md): ." || {
		echo "$page: begins with another title"
		status=1
	}
done

# A number means one thing for ever: what is retired has no page any more, and is not used.
grep -oE '^PMG[0-9]{4} .' docs/codes/RETIRED | cut -c1-7 | sort -u >"$work/retired"
for code in $(comm -12 "$work/retired" "$work/docs"); do
	echo "docs/codes/RETIRED: $code is in use again"
	status=1
done

# A code of the sandbox is in the table, is said by something besides it, is in the manual, and is
# met by a case of e2e.
sed -n 's/^\t{ \([0-9]\{4\}\), .*/PMG\1/p' src/violation/codes.c | sort -u >"$work/table"
grep -xE 'PMG2.*|PMG3008' "$work/docs" | compare src/violation/codes.c "$work/table"
# Without comments: these say nothing to anybody.
find src -name '*.[ch]' ! -name codes.c ! -name '*_data.c' -exec cat {} + |
	sed -e 's|/\*.*||' -e '/^[[:space:]]*\*/d' >"$work/code"
while read -r code; do
	grep -qE "(^|[^0-9A-Za-z_])(PMG)?${code#PMG}([^0-9A-Za-z_:]|\$)" "$work/code" ||
		{ echo "src: nothing says $code"; status=1; }
	grep -q "^\.It $code\$" man/pmg.1 || { echo "man/pmg.1: no $code"; status=1; }
	grep -q "@test .*$code" e2e/*.bats || { echo "e2e: no case meets $code"; status=1; }
done <"$work/table"

# Pages of the sandbox say the same things in the same order, and lead on.
for page in docs/codes/PMG2*.md; do
	parts=$(grep -oE '^(\*\*[A-Z][a-z]+\.\*\*|- \*[A-Za-z ]+\.\*|Example:)' "$page" | tr -d '*' | tr '\n' ' ')
	[ "$parts" = "What. Example: Why. Resolution. - Yours. - Legitimate package. - If malicious. \
Limits. Related. Glossary. Tags. Updated. " ] || {
		echo "$page: has the parts $parts"
		status=1
	}
	grep -qE '^\*\*Updated\.\*\* 20[0-9]{2}-[0-9]{2}-[0-9]{2}\.$' "$page" || {
		echo "$page: does not say when it was updated"
		status=1
	}
	related=$(sed -n 's/^\*\*Related\.\*\*//p' "$page" | grep -oE '\(PMG[0-9]+\.md\)' | tr -d '()')
	[ "$(echo "$related" | wc -l)" -ge 2 ] || { echo "$page: related to less than two"; status=1; }
	for other in $related; do
		[ -f "docs/codes/$other" ] || { echo "$page: no $other"; status=1; }
	done
done

grep -oE '^(\| )?`PMG_[A-Z_]+`' docs/environment.md | grep -oE 'PMG_[A-Z_]+' | sort -u >"$work/docs"
grep -rhoE '"PMG_[A-Z_]+[="]' src --include='*.[ch]' | grep -oE 'PMG_[A-Z_]+' >"$work/used" || true
compare docs/environment.md "$work/docs" <"$work/used"
exit $status
