# Tests that are no unit of one layer, and what goes into the tarball for them.
EXTRA_DIST += check .ci/run tools/apt-need tools/libs
