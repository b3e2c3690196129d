#ifndef PMG_CLI_REPORT_H
#define PMG_CLI_REPORT_H
/**
 * The file of --report. It is looked at before the tool is started: a run whose report cannot be
 * written is no run. A regular file is replaced whole, behind the links that lead to it; a device,
 * a FIFO, or the file that standard output or error goes to, is written into and never renamed
 * over.
 */
#include "violation/record.h"

struct pmg_report {
	char *path; /* to replace; NULL: fd is written into */
	int fd;     /* or -1 */
};

#define PMG_REPORT_INIT                                                                            \
	{                                                                                          \
		.path = NULL, .fd = -1                                                             \
	}

void pmg_report_done(struct pmg_report *report);
PMG_DEFINE_AUTO_DONE(report, struct pmg_report, pmg_report_done);

/**
 * Waits for a reader where name is a FIFO, as a shell does.
 * @param[out] out  PMG_REPORT_INIT before
 * @return 0; -PMG_E_USAGE: cannot be written, or "-"
 */
int pmg_report_open(const char *name, struct pmg_report *out, struct pmg_err *err) PMG_MUST_CHECK;

/** @return 0 or -PMG_E_SYS */
int pmg_report_write(const struct pmg_report *report, const struct pmg_record *record,
		     struct pmg_err *err) PMG_MUST_CHECK;

#endif
