#!/bin/sh
# mandoc has nothing to say about any page.
set -eu
cd "${srcdir:-.}"
command -v mandoc >/dev/null || { echo "skip: no mandoc"; exit 77; }
mandoc -T lint -W warning man/*.[1-8]
