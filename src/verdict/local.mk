noinst_LIBRARIES += libverdict.a
libverdict_a_SOURCES = \
	%D%/blocklist.c %D%/blocklist.h %D%/build.c %D%/build.h %D%/build_priv.h %D%/build_sql.c %D%/digest.c %D%/digest.h %D%/feed.c %D%/feed.h \
	%D%/decide.c %D%/feed_archive.c %D%/feed_archive.h %D%/feed_priv.h %D%/fixes.c %D%/fixes.h %D%/feed_tar.c %D%/feed_text.c \
	%D%/feed_zip.c %D%/gates.c %D%/gates.h %D%/import.c %D%/import.h %D%/index.c %D%/index.h %D%/index_priv.h %D%/index_rows.c %D%/index_rows.h \
	%D%/judge.c %D%/judge.h %D%/judge_priv.h %D%/lists.c %D%/lists.h %D%/lock.c %D%/lock.h \
	%D%/osv.c %D%/osv.h %D%/osv_priv.h %D%/osv_range.c %D%/popular.h \
	%D%/publish.c %D%/publish.h %D%/supplement.c %D%/supplement.h \
	%D%/waivers.c %D%/waivers.h
# What is fetched.
libverdict_a_SOURCES += %D%/delta.c %D%/delta.h %D%/fetched.c %D%/fetched.h \
	%D%/known.c %D%/known.h %D%/oci.c %D%/oci.h %D%/update_oci.c \
	%D%/manifest.c %D%/manifest.h %D%/signed.c %D%/signed.h \
	%D%/update.c %D%/update.h %D%/update_changes.c %D%/update_priv.h %D%/update_signed.c
check_PROGRAMS += tests/unit/test_verdict_oci tests/fuzz/fuzz_oci
tests_unit_test_verdict_oci_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_fuzz_fuzz_oci_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)
check_PROGRAMS += tests/unit/test_verdict_known
tests_unit_test_verdict_known_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
check_PROGRAMS += tests/unit/test_verdict_manifest tests/unit/test_verdict_signed tests/fuzz/fuzz_manifest
tests_unit_test_verdict_manifest_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_signed_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_fuzz_fuzz_manifest_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)

nodist_libverdict_a_SOURCES = %D%/popular_data.c
BUILT_SOURCES += %D%/popular_data.c
CLEANFILES += %D%/popular_data.c
EXTRA_DIST += data/popular.txt tools/embed-popular
%D%/popular_data.c: data/popular.txt tools/embed-popular
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(SHELL) $(srcdir)/tools/embed-popular $(srcdir)/data/popular.txt >$@.new && mv $@.new $@

check_PROGRAMS += tests/unit/test_verdict_blocklist tests/unit/test_verdict_build \
	tests/unit/test_verdict_delta tests/unit/test_verdict_fetched \
	tests/unit/test_verdict_digest \
	tests/unit/test_verdict_feed tests/unit/test_verdict_feed_tar \
	tests/unit/test_verdict_feed_zip \
	tests/unit/test_verdict_gates \
	tests/unit/test_verdict_import tests/unit/test_verdict_import_shared \
	tests/unit/test_verdict_index tests/unit/test_verdict_index_rows tests/unit/test_verdict_judge tests/unit/test_verdict_killed \
	tests/unit/test_verdict_lists \
	tests/unit/test_verdict_lock \
	tests/unit/test_verdict_osv tests/unit/test_verdict_osv_range tests/unit/test_verdict_publish \
	tests/unit/test_verdict_supplement
check_PROGRAMS += tests/unit/test_verdict_decide tests/unit/test_verdict_fixes tests/unit/test_verdict_waivers
tests_unit_test_verdict_fixes_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_decide_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_waivers_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_blocklist_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_delta_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_fetched_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_build_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_digest_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_feed_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_feed_tar_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS) $(ARCHIVE_LIBS)
tests_unit_test_verdict_feed_zip_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS) $(ARCHIVE_LIBS)
tests_unit_test_verdict_gates_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_import_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_import_shared_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS) $(ARCHIVE_LIBS)
tests_unit_test_verdict_index_rows_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_index_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_judge_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_killed_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_killed_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=rename -Wl,--wrap=renameat2 -Wl,--wrap=link \
	-Wl,--wrap=unlink -Wl,--wrap=unlinkat -Wl,--wrap=mkdir -Wl,--wrap=rmdir -Wl,--wrap=fsync
tests_unit_test_verdict_lists_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_lock_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_osv_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_osv_range_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_publish_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_supplement_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_blocklist tests/fuzz/fuzz_delta tests/fuzz/fuzz_feed_zip \
	tests/fuzz/fuzz_lists tests/fuzz/fuzz_osv
tests_fuzz_fuzz_delta_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)
tests_fuzz_fuzz_blocklist_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)
tests_fuzz_fuzz_feed_zip_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)
tests_fuzz_fuzz_lists_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)
tests_fuzz_fuzz_osv_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)

# Artifacts looked into on their way.
libverdict_a_SOURCES += \
	%D%/earlier.c %D%/earlier.h %D%/traits.c %D%/traits.h %D%/inspect.c %D%/inspect.h %D%/inspect_entry.c \
	%D%/inspect_inside.c %D%/inspect_paths.c %D%/inspect_priv.h %D%/inspect_read.c %D%/inspect_stream.c \
	%D%/inspect_stream.h %D%/tardir.c %D%/tardir.h %D%/tarpax.c %D%/tarpax.h %D%/zipdir.c %D%/zipdir.h
check_PROGRAMS += tests/unit/test_verdict_traits tests/unit/test_verdict_inspect \
	tests/unit/test_verdict_inspect_read tests/unit/test_verdict_zipdir tests/unit/test_verdict_earlier \
	tests/unit/test_verdict_tardir
tests_unit_test_verdict_earlier_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_traits_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_inspect_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS) $(ARCHIVE_LIBS)
tests_unit_test_verdict_inspect_read_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS) $(ARCHIVE_LIBS)
tests_unit_test_verdict_tardir_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_zipdir_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_inspect tests/fuzz/fuzz_tardir
tests_fuzz_fuzz_tardir_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)
tests_fuzz_fuzz_inspect_LDADD = $(FUZZ_MAIN) $(LINK_VERDICT)

# Times of the index at 300,000 records; `make bench` runs it.
EXTRA_PROGRAMS += bench/intel_bench
CLEANFILES += bench/intel_bench
bench_intel_bench_LDADD = $(LINK_VERDICT)
EXTRA_DIST += docs/intel.md docs/packages.md
EXTRA_DIST += tests/helper/tar.h

# What lockfiles pin, and what is installed
libverdict_a_SOURCES += %D%/pinned.c %D%/pinned.h
check_PROGRAMS += tests/unit/test_verdict_pinned
tests_unit_test_verdict_pinned_LDADD = $(LINK_VERDICT) $(CMOCKA_LIBS)
tests_unit_test_verdict_pinned_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pmg_judge_decide
