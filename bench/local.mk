# `make bench`: figures, bare and guarded side by side. BENCH_ARGS="--rounds 5 tiny"
EXTRA_DIST += %D%/run %D%/load.py %D%/cases.py %D%/measure.py %D%/servers.py %D%/project.json

EXTRA_PROGRAMS += bench/call_bench
CLEANFILES += bench/call_bench

# Built by `make check`, so that they go on to fit what they measure; what they say is for `make bench`.
check_DATA += bench/intel_bench bench/call_bench bench/policy_bench bench/splice_bench bench/open_bench

bench: all bench/intel_bench bench/call_bench bench/policy_bench bench/splice_bench
	@$(srcdir)/bench/run --build $(abs_builddir) $(BENCH_ARGS)
.PHONY: bench
