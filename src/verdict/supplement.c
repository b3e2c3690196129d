#include "verdict/supplement.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* By incident. Only what its source names, version by version. */
static const struct row {
	enum pmg_eco eco;
	const char *name;
	const char *versions; /* canonical, apart by blanks */
	const char *id;       /* NULL: made of the name */
} rows[] = {
	/* Sabotage by its maintainer, January 2022: https://github.com/Marak/colors.js/issues/285,
	   https://snyk.io/blog/open-source-npm-packages-colors-faker/ (faker too). */
	{ PMG_ECO_NPM, "colors", "1.4.1 1.4.2 1.4.44-liberty-2", NULL },
	{ PMG_ECO_NPM, "faker", "6.6.6", NULL },
	/* Stolen account, November 2021: GHSA-73qr-pfmq-6rp8 (coa), GHSA-g2q5-5433-rhrf (rc). */
	{ PMG_ECO_NPM, "coa", "2.0.3 2.0.4 2.1.1 2.1.3 3.0.1 3.1.3", "GHSA-73qr-pfmq-6rp8" },
	{ PMG_ECO_NPM, "rc", "1.2.9 1.3.9 2.3.9", "GHSA-g2q5-5433-rhrf" },
	/* Stolen token, July 2018:
	   https://eslint.org/blog/2018/07/postmortem-for-malicious-package-publishes/ */
	{ PMG_ECO_NPM, "eslint-config-eslint", "5.0.2", NULL },
	{ PMG_ECO_NPM, "eslint-scope", "3.7.2", NULL },
	/* A new maintainer, and what he had it depend on, September 2018:
	   https://snyk.io/blog/a-post-mortem-of-the-malicious-event-stream-backdoor/ */
	{ PMG_ECO_NPM, "event-stream", "3.3.6", NULL },
	{ PMG_ECO_NPM, "flatmap-stream", "0.1.1", NULL },
	/* Overwrote files by where the machine is, March 2022: CVE-2022-23812. Later ones carry
	   "peacenotwar", which only leaves a message: they are not named here. */
	{ PMG_ECO_NPM, "node-ipc", "10.1.1 10.1.2", "CVE-2022-23812" },
	/* Stolen account, October 2021: GHSA-pjwm-rvh2-c87w. */
	{ PMG_ECO_NPM, "ua-parser-js", "0.7.29 0.8.0 1.0.0", "GHSA-pjwm-rvh2-c87w" },
	/* Stolen accounts and tokens, December 2023 to December 2024: the records of
	   https://github.com/ossf/malicious-packages that the ids name. */
	{ PMG_ECO_NPM, "@ledgerhq/connect-kit", "1.1.5 1.1.6 1.1.7", "MAL-2023-8697" },
	{ PMG_ECO_NPM, "@lottiefiles/lottie-player", "2.0.5 2.0.6 2.0.7", "MAL-2024-10301" },
	{ PMG_ECO_NPM, "@solana/web3.js", "1.95.6 1.95.7", "MAL-2024-11183" },
	/* Stolen token, December 2024: manifest of
	   https://github.com/DataDog/malicious-software-packages-dataset */
	{ PMG_ECO_NPM, "@rspack/cli", "1.1.7", NULL },
	{ PMG_ECO_NPM, "@rspack/core", "1.1.7", NULL },
	/* One maintainer was phished, September 2025: Aikido's public list of malware; chalk is
	   MAL-2025-46969 of ossf/malicious-packages. */
	{ PMG_ECO_NPM, "ansi-regex", "6.2.1", NULL },
	{ PMG_ECO_NPM, "ansi-styles", "6.2.2", NULL },
	{ PMG_ECO_NPM, "backslash", "0.2.1", NULL },
	{ PMG_ECO_NPM, "chalk", "5.6.1", "MAL-2025-46969" },
	{ PMG_ECO_NPM, "chalk-template", "1.1.1", NULL },
	{ PMG_ECO_NPM, "color-convert", "3.1.1", NULL },
	{ PMG_ECO_NPM, "color-name", "2.0.1", NULL },
	{ PMG_ECO_NPM, "color-string", "2.1.1", NULL },
	{ PMG_ECO_NPM, "debug", "4.4.2", NULL },
	{ PMG_ECO_NPM, "error-ex", "1.3.3", NULL },
	{ PMG_ECO_NPM, "has-ansi", "6.0.1", NULL },
	{ PMG_ECO_NPM, "is-arrayish", "0.3.3", NULL },
	{ PMG_ECO_NPM, "simple-swizzle", "0.2.3", NULL },
	{ PMG_ECO_NPM, "slice-ansi", "7.1.1", NULL },
	{ PMG_ECO_NPM, "strip-ansi", "7.1.1", NULL },
	{ PMG_ECO_NPM, "supports-color", "10.2.1", NULL },
	{ PMG_ECO_NPM, "supports-hyperlinks", "4.1.1", NULL },
	{ PMG_ECO_NPM, "wrap-ansi", "9.0.1", NULL },
	/* The same, a day later: Aikido's public list. */
	{ PMG_ECO_NPM, "@duckdb/duckdb-wasm", "1.29.2", NULL },
	{ PMG_ECO_NPM, "@duckdb/node-api", "1.3.3", NULL },
	{ PMG_ECO_NPM, "@duckdb/node-bindings", "1.3.3", NULL },
	{ PMG_ECO_NPM, "duckdb", "1.3.3", NULL },
	/* A worm, September 2025, and a stolen account, March 2026: ossf/malicious-packages. */
	{ PMG_ECO_NPM, "@ctrl/tinycolor", "4.1.1 4.1.2", "MAL-2025-47141" },
	{ PMG_ECO_NPM, "axios", "0.30.4 1.14.1", "MAL-2026-2307" },
	/* Its owner's mail domain had run out, May 2022: GHSA-67r3-h899-9w95 and
	   https://github.com/vstinner/python-security/pull/31 */
	{ PMG_ECO_PYPI, "ctx", "0.1.2 0.2.2 0.2.6", "GHSA-67r3-h899-9w95" },
	/* Its build was poisoned, December 2024:
	   https://safetycli.com/research/supply-chain-attack-ultralytics-ai */
	{ PMG_ECO_PYPI, "ultralytics", "8.3.41 8.3.42 8.3.45 8.3.46", NULL },
	/* Stolen tokens, March 2026: ossf/malicious-packages; May 2026: its maintainers' advisory,
	   https://github.com/guardrails-ai/guardrails/blob/main/SECURITY_ADVISORY.md */
	{ PMG_ECO_PYPI, "litellm", "1.82.7 1.82.8", "MAL-2026-2144" },
	{ PMG_ECO_PYPI, "guardrails-ai", "0.10.1", NULL },
};

static bool has_version(const char *versions, const char *version)
{
	size_t n = strlen(version), word;

	for (; *versions; versions += word + (versions[word] == ' ')) {
		word = strcspn(versions, " ");
		if (word == n && memcmp(versions, version, n) == 0)
			return true;
	}
	return false;
}

static char *id_of(const struct row *row)
{
	return row->id ? pmg_xstrdup(row->id)
		       : pmg_xasprintf("%s:%s/%s", PMG_SUPPLEMENT_SOURCE, pmg_eco_name(row->eco),
				       row->name);
}

static void add(const struct row *row, struct pmg_index_answer *answer)
{
	pmg_autofree char *id = id_of(row);

	if (answer->hit != PMG_INDEX_HIT)
		pmg_index_answer_done(answer); /* what the index was not sure of */
	answer->hit = PMG_INDEX_HIT;
	(void)pmg_strv_add_once(&answer->ids, id);
	(void)pmg_strv_add_once(&answer->sources, PMG_SUPPLEMENT_SOURCE);
	pmg_strv_sort(&answer->ids);
	pmg_strv_sort(&answer->sources);
}

bool pmg_supplement_find(enum pmg_eco eco, const char *name, const char *version,
			 struct pmg_index_answer *answer)
{
	size_t i;

	for (i = 0; version && i < PMG_ARRAY_LEN(rows); i++) {
		if (rows[i].eco != eco || strcmp(rows[i].name, name) != 0)
			continue;
		if (has_version(rows[i].versions, version)) {
			add(&rows[i], answer);
			return true;
		}
	}
	return false;
}

bool pmg_supplement_has(enum pmg_eco eco, const char *name)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (rows[i].eco == eco && strcmp(rows[i].name, name) == 0)
			return true;
	return false;
}

const char *pmg_supplement_about(enum pmg_eco eco, const char *name, char **id)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		if (rows[i].eco == eco && strcmp(rows[i].name, name) == 0) {
			*id = id_of(&rows[i]);
			return rows[i].versions;
		}
	return NULL;
}

size_t pmg_supplement_count(void)
{
	size_t i, n = 0;
	const char *c;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++)
		for (n++, c = rows[i].versions; *c; c++)
			n += *c == ' ';
	return n;
}
