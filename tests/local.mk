# Tests that are no unit of one layer, and what goes into the tarball for them.
EXTRA_DIST += check .ci/run tools/apt-need tools/libs
EXTRA_DIST += tests/fuzz/corpus
EXTRA_DIST += tests/helper/shared.h
EXTRA_DIST += tests/helper/folder.h tests/helper/records.h tests/helper/zip.h
EXTRA_DIST += tests/helper/registry.py tests/helper/fixture_packages.py
EXTRA_DIST += tests/helper/parent_proxy.py

# Fuzz targets (tests/fuzz/fuzz.h says how to add one): with --enable-fuzz they
# get libFuzzer's main and `make fuzz` runs them; else replay.c runs the corpus.
if FUZZ
FUZZ_MAIN = $(PMG_FUZZ_MAIN)
else
FUZZ_MAIN = libreplay.a
endif
check_LIBRARIES += libreplay.a
libreplay_a_SOURCES = tests/fuzz/replay.c tests/fuzz/fuzz.h

FUZZ_TIME = 30
fuzz: $(check_PROGRAMS)
	@set -e; for p in $(check_PROGRAMS); do \
		case $$p in tests/fuzz/fuzz_*) ;; *) continue ;; esac; \
		x=$${p##*/fuzz_}; mkdir -p tests/fuzz/found/$$x; echo "fuzz $$x"; \
		./$$p -max_total_time=$(FUZZ_TIME) -rss_limit_mb=1024 -timeout=10 -verbosity=0 \
			-artifact_prefix=tests/fuzz/found/crash-$$x- \
			tests/fuzz/found/$$x $(srcdir)/tests/fuzz/corpus/$$x; \
	done
.PHONY: fuzz
