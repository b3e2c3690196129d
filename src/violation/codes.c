#include "violation/codes.h"

#include <stddef.h>

static const struct pmg_code_row rows[] = {
	{ 2001, "read denied", "medium", "denied",
	  "A script that reads credentials sends them away: remove the package, rotate what was "
	  "reachable, report it." },
	{ 2002, "write denied", "medium", "denied",
	  "A start file, a cron table or a git hook would run again tomorrow: remove the "
	  "package." },
	{ 2003, "environment stripped", "notice", "noticed", NULL },
	{ 2004, "entry left out", "notice", "skipped", NULL },
	{ 2005, "enforcement degraded", "notice", "noticed", NULL },
	{ 2006, "shim without its variables", "notice", "noticed", NULL },
	{ 2007, "exec denied", "medium", "denied",
	  "A dropped program is the second half of an attack: do not allow its folder." },
	{ 2008, "control channel withheld", "notice", "noticed", NULL },
	{ 2009, "network denied", "medium", "denied",
	  "Exfiltration, or a second stage: keep the record, do not allow the host." },
	{ 2012, "delete, rename or link denied", "medium", "denied",
	  "A hook or a start file is swapped by rename: remove the package." },
	{ 2013, "local socket denied", "medium", "denied",
	  "A container daemon, a session bus or an agent is a full escape: do not allow it." },
	{ 2014, "bind denied", "medium", "denied",
	  "A shell that waits for a caller: nobody could call, remove the package." },
	{ 2015, "process inspection or signal denied", "high", "denied",
	  "The memory of other processes holds tokens: remove the package." },
	{ 2016, "kernel surface denied", "high", "denied",
	  "This is what an exploit looks like: keep the record, remove the package, report it." },
	{ 2017, "metadata change denied", "medium", "denied",
	  "A key was to be opened to everybody, or a file to be made to run: remove the package." },
	{ 2018, "capture incomplete", "notice", "noticed",
	  "A flood hides one access among many: look at the sensitive ones." },
	{ 2106, "sandbox configuration invalid", "high", "refused", NULL },
	{ 2107, "walls unavailable", "high", "refused", NULL },
	{ 3008, "listed package", "high", "refused",
	  "It came out of a cache, past the proxy: remove it, and look what it could reach before "
	  "it was listed (\"pmg audit exposure\")." },
	{ 0, NULL, NULL, NULL, NULL },
};

const struct pmg_code_row *pmg_codes(void)
{
	return rows;
}

const struct pmg_code_row *pmg_code_find(int code)
{
	const struct pmg_code_row *row;

	for (row = rows; row->code; row++)
		if (row->code == code)
			return row;
	return NULL;
}

int pmg_code_of_access(enum pmg_access access)
{
	static const int codes[PMG_ACCESS_MAX] = {
		[PMG_ACCESS_READ] = 2001,    [PMG_ACCESS_WRITE] = 2002, [PMG_ACCESS_EXEC] = 2007,
		[PMG_ACCESS_CONNECT] = 2009, [PMG_ACCESS_BIND] = 2014,  [PMG_ACCESS_UNIX] = 2013,
		[PMG_ACCESS_ENV] = 2003,
	};

	return codes[access];
}
