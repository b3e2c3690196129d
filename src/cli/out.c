#include "cli/out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

static bool wants_color(const char *color, FILE *file)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (color && strcmp(color, "always") == 0)
		return true;
	if (color && strcmp(color, "never") == 0)
		return false;
	if ((no && *no) || !term || strcmp(term, "dumb") == 0)
		return false;
	return isatty(fileno(file)) == 1;
}

void pmg_out_init(struct pmg_out *out, const char *color)
{
	out->to = stdout;
	out->messages = stderr;
	out->to_color = wants_color(color, stdout);
	out->messages_color = wants_color(color, stderr);
}

const char *pmg_out_on(bool color, enum pmg_style style)
{
	static const char *const codes[PMG_STYLE_MAX] = {
		[PMG_STYLE_BOLD] = "\033[1m",
		[PMG_STYLE_BAD] = "\033[1;31m",
		[PMG_STYLE_WARN] = "\033[33m",
		[PMG_STYLE_DIM] = "\033[2m",
	};

	return color ? codes[style] : "";
}

const char *pmg_out_off(bool color)
{
	return color ? "\033[0m" : "";
}

char *pmg_out_quote(const char *s)
{
	return s ? pmg_str_quote(s, strlen(s), PMG_OUT_TEXT_MAX) : pmg_xstrdup("");
}

const char *pmg_out_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void pmg_out_note(const struct pmg_out *out, const char *fmt, ...)
{
	va_list ap;

	(void)fputs("pmg: ", out->messages); /* stderr: nowhere to report a failure to */
	va_start(ap, fmt);
	(void)vfprintf(out->messages, fmt, ap);
	va_end(ap);
	(void)fputc('\n', out->messages);
}

char *pmg_out_code(const struct pmg_out *out, int diag)
{
	char text[PMG_DIAG_LEN];

	if (diag == 0)
		return pmg_xstrdup("");
	pmg_diag_text(diag, text);
	return pmg_xasprintf("%s[%s]%s ", pmg_out_on(out->messages_color, PMG_STYLE_BAD), text,
			     pmg_out_off(out->messages_color));
}

void pmg_out_error(const struct pmg_out *out, const struct pmg_err *err)
{
	/* strerror and most texts are ours, but a path in them may be anybody's. */
	pmg_autofree char *msg = pmg_out_quote(err->msg);
	pmg_autofree char *hint = pmg_out_quote(err->hint);
	pmg_autofree char *code = pmg_out_code(out, err->diag);

	pmg_out_note(out, "%s%s", code, msg);
	if (*hint)
		pmg_out_note(out, "%s", hint);
}

void pmg_out_json(const struct pmg_out *out, const struct json_t *json)
{
	pmg_autofree char *text = pmg_json_dump(json);

	(void)fprintf(out->to, "%s\n", text); /* pmg_out_finish() checks */
}

int pmg_out_finish(struct pmg_out *out, struct pmg_err *err)
{
	FILE *to = out->to;
	bool bad = to && ferror(to) != 0;

	if (!to)
		return 0;
	out->to = NULL;
	errno = 0;
	/* close(2) too: NFS and quotas report a lost write only there. */
	if (fclose(to) != 0 && errno != EBADF)
		bad = true;
	if (bad)
		return pmg_err_set(err, PMG_E_SYS, errno, "write to standard output");
	return 0;
}
