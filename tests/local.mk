# Tests that are no unit of one layer, and what goes into the tarball for them.
EXTRA_DIST += try .ci/run tools/apt-need tools/libs tools/check-layers tools/layers.txt tools/sizes
EXTRA_DIST += e2e/helper.bash e2e/blocked.bats e2e/intel.bats e2e/intel-update.bats e2e/network.bats e2e/npm.bats e2e/packages.bats e2e/pip.bats
EXTRA_DIST += e2e/pnpm.bats e2e/proxy.bats e2e/inspect.bats e2e/registry.bats e2e/signals.bats e2e/transparent.bats
EXTRA_DIST += e2e/users.bats e2e/versions.bats e2e/walls-tmp.bats e2e/profile-keys.bats e2e/codes.bats e2e/explain.bats
EXTRA_DIST += e2e/fixture.bash e2e/parent-proxy.bats e2e/proxy-faults.bats e2e/proxy-git.bats
EXTRA_DIST += e2e/proxy-guard.bats e2e/proxy-http.bats e2e/proxy-pip.bats e2e/proxy-size.bats
EXTRA_DIST += e2e/proxy-trust.bats e2e/proxy-tunnel.bats
EXTRA_DIST += e2e/walls.bash e2e/walls-files.bats e2e/walls-killed.bats e2e/walls-terminal.bats
EXTRA_DIST += e2e/bun.bats e2e/cooldown.bats e2e/intact.bats e2e/policy.bats e2e/presets.bats e2e/yarn.bats
EXTRA_DIST += e2e/walls-more.bats e2e/python.bash e2e/uv.bats e2e/pipx.bats e2e/poetry.bats

# In EXTRA_DIST its name would be the target of that name: `make dist` would run every test.
dist-hook:
	cp -p $(srcdir)/check $(distdir)/check

# What a hostile package tries, one attack a call: e2e/walls.bash runs it within the walls and without.
EXTRA_PROGRAMS += tests/helper/attack
check_DATA += tests/helper/attack
CLEANFILES += tests/helper/attack
EXTRA_DIST += e2e/resolved.bats
EXTRA_DIST += e2e/managed.bats e2e/allowances.bats e2e/nested.bats e2e/sandbox-exec.bats e2e/walls-kernel.bats e2e/walls-net.bats
EXTRA_DIST += tests/helper/answers.py tests/helper/feeds.py tests/helper/git_server.py tests/helper/huge_feed.py tests/helper/opaque.py tests/helper/readers.py tests/helper/tunnels.py
EXTRA_DIST += .clang-format .clang-tidy .shellcheckrc tests/lint/untested.txt
EXTRA_DIST += docs/errors.md docs/environment.md docs/codes
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/pieces.h tests/unit/feed_told.h tests/unit/splicing.h tests/unit/configured.h tests/unit/linked.h tests/unit/packumenting.h tests/unit/paging.h tests/fuzz/simple.h
EXTRA_DIST += tests/helper/said.h tests/helper/shared.h tests/helper/valgrind.h
EXTRA_DIST += tests/helper/folder.h tests/helper/intel.h tests/helper/records.h tests/helper/signing.h tests/helper/zip.h
EXTRA_DIST += tests/helper/registry.py tests/helper/fixture_packages.py
EXTRA_DIST += tests/helper/parent_proxy.py tests/helper/onpty.py tests/helper/killer.py

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
FUZZ_JOBS = 1
fuzz-programs:
	@set --; for p in $(check_PROGRAMS); do \
		case $$p in tests/fuzz/fuzz_*) set -- "$$@" "$$p" ;; esac; \
	done; $(MAKE) $(AM_MAKEFLAGS) $(BUILT_SOURCES) "$$@"
fuzz: fuzz-programs
	@for p in $(check_PROGRAMS); do \
		case $$p in tests/fuzz/fuzz_*) echo $${p##*/fuzz_} ;; esac; \
	done | xargs -P $(FUZZ_JOBS) -n 1 sh -c 'mkdir -p tests/fuzz/found/$$1; echo "fuzz $$1"; \
		exec tests/fuzz/fuzz_$$1 -max_total_time=$(FUZZ_TIME) -rss_limit_mb=1024 -timeout=10 \
			-verbosity=0 -artifact_prefix=tests/fuzz/found/crash-$$1- \
			tests/fuzz/found/$$1 $(srcdir)/tests/fuzz/corpus/$$1' sh
.PHONY: fuzz fuzz-programs

# What no compiler sees. They look at the sources; whole and headers also compile. `make check LINTS=`
# leaves them out, where another build of the same sources has run them.
LINTS = tests/lint/banned.sh tests/lint/codes.sh tests/lint/docs.sh tests/lint/format.sh \
	tests/lint/headers.sh tests/lint/hosts.sh tests/lint/layers.sh tests/lint/man.sh \
	tests/lint/shell.sh tests/lint/tests.sh tests/lint/whole.sh
dist_check_SCRIPTS += $(LINTS)
TESTS += $(dist_check_SCRIPTS)
AM_TESTS_ENVIRONMENT = \
	PMG_CC='$(CC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS)'; export PMG_CC; \
	PMG_COMPILE='$(COMPILE)'; export PMG_COMPILE; \
	PMG_LIBS='$(JANSSON_LIBS) $(MD_LIBS) $(SECCOMP_LIBS) $(SQLITE_LIBS) $(YAML_LIBS) \
		$(OPENSSL_LIBS) $(CURL_LIBS) $(ARCHIVE_LIBS) $(ZLIB_LIBS)'; export PMG_LIBS; \
	TMPDIR=$(abs_builddir); export TMPDIR;

# The long rest of ./check: clang-tidy, valgrind, old kernels, a feed of millions, half a minute of each
# fuzz target.
check-deep:
	cd $(srcdir) && ./check deep
.PHONY: check-deep

# Aims of docs/style.md, printed; nothing fails here.
sizes:
	@$(srcdir)/tools/sizes $(srcdir)
.PHONY: sizes
