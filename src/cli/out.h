#ifndef PMG_CLI_OUT_H
#define PMG_CLI_OUT_H
/**
 * What a command says. stdout carries results only; everything else goes to
 * stderr as "pmg: ...". Text from outside (names, addresses, paths) goes
 * through pmg_out_quote(), so that no control byte reaches a terminal.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/json.h"

enum pmg_style { PMG_STYLE_BOLD, PMG_STYLE_BAD, PMG_STYLE_WARN, PMG_STYLE_DIM, PMG_STYLE_MAX };

/* Plain values; nothing to free. */
struct pmg_out {
	FILE *to;       /* stdout */
	FILE *messages; /* stderr */
	bool to_color;
	bool messages_color;
};

#define PMG_OUT_COLORS   "auto|always|never"
#define PMG_OUT_TEXT_MAX 1024U /* bytes of one outside text that are shown */

/**
 * @param color  one of PMG_OUT_COLORS; NULL is auto: a terminal that is not "dumb", and no
 *               NO_COLOR in the environment (https://no-color.org: set and not empty)
 */
void pmg_out_init(struct pmg_out *out, const char *color);

/** Escape sequence that turns a style on, or off again; "" without colour. */
const char *pmg_out_on(bool color, enum pmg_style style);
const char *pmg_out_off(bool color);

/** Outside text made safe to show; NULL gives "". Caller frees. */
char *pmg_out_quote(const char *s) PMG_MUST_CHECK;

/** "[PMG3001] " as messages begin with it, "" for 0. Caller frees. */
char *pmg_out_code(const struct pmg_out *out, int diag) PMG_MUST_CHECK;

/** What makes a word a plural after a number: "" for 1, else "s". */
const char *pmg_out_plural(uint64_t n);

/** One line "pmg: ..." on stderr. */
void pmg_out_note(const struct pmg_out *out, const char *fmt, ...) PMG_PRINTF(2, 3);

/** The error: "pmg: [PMG3001] message", then "pmg: hint" when there is one. */
void pmg_out_error(const struct pmg_out *out, const struct pmg_err *err);

/** One JSON value and a newline on stdout. */
void pmg_out_json(const struct pmg_out *out, const struct json_t *json);

/**
 * Flush and close stdout: a full disk there is an error like any other. Call
 * once, after all output.
 * @return 0 or -PMG_E_SYS
 */
int pmg_out_finish(struct pmg_out *out, struct pmg_err *err) PMG_MUST_CHECK;

#endif
