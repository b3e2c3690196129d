#!/bin/sh
# Calls and forms that are banned (docs/style.md); each with the way that is right here.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
cd "$top"
status=0

# ban WHERE PATTERN WHY: comments and string literals are not looked at.
ban() {
	# shellcheck disable=SC2086 # $1 is a list of patterns
	hits=$(find $1 -name '*.[ch]' | sort | xargs awk -v pattern="$2" '
		FNR == 1 { inside = 0 }
		{
			line = $0
			gsub(/\\./, "", line)
			gsub(/"[^"]*"/, "\"\"", line)
			if (inside) { if (!sub(/^.*\*\//, "", line)) next; inside = 0 }
			gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
			if (sub(/\/\*.*/, "", line)) inside = 1
			if (line ~ pattern) print FILENAME ":" FNR ": " $0
		}')
	if [ -n "$hits" ]; then
		echo "$hits"
		echo "   ^ $3"
		status=1
	fi
}
call() { echo "(^|[^_[:alnum:]])($1)[[:space:]]*\\("; }

ban src "$(call 'strcpy|strcat|strncpy|strncat|sprintf|vsprintf|stpcpy')" "use pmg_str or snprintf"
ban src "$(call 'strtok|strtok_r')" "use strcspn"
ban src "$(call 'atoi|atol|atoll|sscanf|gets')" "use pmg_parse_uint"
ban src "$(call 'mktemp|tmpnam|tempnam|tmpfile')" "use mkostemp"
ban src "$(call 'system|popen|wordexp')" "no shell: use pmg_proc_capture"
ban src "$(call 'alloca|basename|dirname|readdir_r|vfork')" "see base/mem.h, base/path.h"
ban src "$(call 'gmtime|localtime|ctime|asctime')" "use gmtime_r"
ban src "$(call 'signal')" "use sigaction"
ban src/*/ "$(call 'exit')" "return an error; children use _exit"
ban src "$(call 'setenv|putenv|unsetenv')" "an environment is data: base/env.h"
ban src '(^|[^:])//' "comments are /* */"
ban src "$(call 'printf|puts|putchar|perror')" "results go through cli/out.h, errors are returned"
ban src '^[[:space:]]*typedef[[:space:]]+struct' "no typedef of structs"
ban src '^[[:space:]]*#[[:space:]]*pragma[[:space:]]+once' "use a guard"

# A test of the test: each form is seen, and not in a comment or a string.
work=$(mktemp -d "${TMPDIR:-/tmp}/lint-banned.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf 'x = atoi(s);\n/* atoi(s) */ y = my_atoi(s);\n"atoi(s)";\n/* a\n atoi(s) */\n' >"$work/a.c"
before=$status
seen=$(ban "$work" "$(call atoi)" "why" | grep -c 'a.c:' || true)
[ "$seen" = 1 ] || { echo "this test sees $seen of 1 atoi"; exit 1; }
exit "$before"
