#!/bin/sh
# Who includes whom follows tools/layers.txt; and the checker sees what it should.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
"$top/tools/check-layers" "$top"

work=$(mktemp -d ./lint-layers.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/src/base" "$work/src/conf" "$work/src/cli" "$work/src/other"
cp "$top/tools/check-layers" "$top/tools/layers.txt" "$work/tools"

# must FILE allowed|refused TEXT
must() {
	printf '%s\n' "$3" >"$work/src/$1"
	if "$work/tools/check-layers" "$work" >/dev/null; then got=allowed; else got=refused; fi
	rm "$work/src/$1"
	[ "$got" = "$2" ] || { echo "$1 with $3: $got, must be $2"; exit 1; }
}
must base/a.c allowed '#include "base/err.h"'
must base/a.c allowed '#include <jansson.h>'
must conf/a.c allowed '#include "base/err.h"'
must base/a.c refused '#include "conf/yaml.h"'
must conf/a.c refused '# include	"cli/cmd.h"'
must conf/a.c refused '#include <jansson.h>'
must conf/a.c refused '#include <openssl/ssl.h>'
must conf/a.c refused '#include "yaml.h"'
must conf/a.c refused '#include "base/x_priv.h"'
must base/a.c allowed '#include "base/x_priv.h"'
must cli/a.c refused '#include "verdict/judge.h"'
must cli/cmd_intel_query.c allowed '#include "verdict/judge.h"'
must cli/cmd_list.c refused '#include "verdict/judge.h"'
must cli/a.c refused '#include "sandbox/driver_full.h"'
must other/a.c refused 'int x;'
must other.c refused 'int x;'
must pmg.c allowed '#include "cli/cmd.h"'
must pmg.c refused '#include "tls/ca.h"'
