#include "proxy/http1.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

/* Bytes of a token (RFC 9110, 5.6.2). */
static bool is_token_byte(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(const char *s)
{
	if (*s == '\0')
		return false;
	for (; *s; s++)
		if (!is_token_byte((unsigned char)*s))
			return false;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Field values and reason phrases: no control byte but HTAB (RFC 9110, 5.5). */
static bool is_text(const char *s)
{
	for (; *s; s++)
		if (((unsigned char)*s < 0x20 && *s != '\t') || *s == 0x7f)
			return false;
	return true;
}

void pmg_head_done(struct pmg_head *head)
{
	free(head->text);
	free(head->fields);
	*head = (struct pmg_head){ 0 };
}

ssize_t pmg_head_end(const char *bytes, size_t len, size_t *scanned)
{
	size_t max = len < PMG_HTTP_HEAD_MAX ? len : PMG_HTTP_HEAD_MAX, i;
	size_t least = len > 0 && bytes[0] == '\r' ? 5 : 3; /* past an empty line in front */

	for (i = *scanned; i < max; i++) {
		if (bytes[i] == '\0')
			return -PMG_E_PARSE;
		/* A reader that takes a bare LF for a line end would see another message than
		 * one that does not: the way requests are smuggled. */
		if (bytes[i] == '\n' && (i == 0 || bytes[i - 1] != '\r'))
			return -PMG_E_PARSE;
		if (bytes[i] == '\n' && i >= least && memcmp(bytes + i - 3, "\r\n\r", 3) == 0)
			return (ssize_t)i + 1;
	}
	*scanned = max;
	return len >= PMG_HTTP_HEAD_MAX ? -PMG_E_LIMIT : 0;
}

/* Cut the next CRLF line out of the text. A CR elsewhere stays in the line, where is_text() and
 * the token rules refuse it. @return NULL when no line is left */
static char *next_line(char **at)
{
	char *line = *at, *end = strstr(line, "\r\n");

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 2;
	return line;
}

static int add_field(struct pmg_head *head, size_t *cap, char *name, char *value,
		     struct pmg_err *err)
{
	char *end;

	if (head->n == PMG_HTTP_FIELDS_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "more than %u header lines",
				   PMG_HTTP_FIELDS_MAX);
	while (is_blank(*value))
		value++;
	end = value + strlen(value);
	while (end > value && is_blank(end[-1]))
		*--end = '\0';
	head->fields = pmg_grow(head->fields, head->n, cap, sizeof *head->fields);
	head->fields[head->n++] = (struct pmg_field){ name, value };
	return 0;
}

/* "name:value"; a blank before the colon or a folded line is refused by the token rule. */
static int read_field(struct pmg_head *head, size_t *cap, char *line, struct pmg_err *err)
{
	char *colon = strchr(line, ':');

	if (colon)
		*colon = '\0';
	if (!colon || !is_token(line) || !is_text(colon + 1))
		return pmg_err_set(err, PMG_E_PARSE, 0, "header line %zu is malformed",
				   head->n + 1);
	return add_field(head, cap, line, colon + 1, err);
}

/* Request targets: what RFC 3986 has no place for would be read differently by whom we ask. */
static bool is_target(const char *s)
{
	if (*s == '\0')
		return false;
	for (; *s; s++)
		if ((unsigned char)*s <= 0x20 || *s == 0x7f || *s == '#')
			return false;
	return true;
}

static int read_request_line(struct pmg_head *head, char *line, struct pmg_err *err)
{
	char *target = strchr(line, ' '), *version = target ? strchr(target + 1, ' ') : NULL;

	if (!version)
		return pmg_err_set(err, PMG_E_PARSE, 0, "no request line");
	*target++ = '\0';
	*version++ = '\0';
	if (!is_token(line) || strlen(line) > PMG_HTTP_METHOD_MAX)
		return pmg_err_set(err, PMG_E_PARSE, 0, "the method is no token");
	if (!is_target(target))
		return pmg_err_set(err, PMG_E_PARSE, 0, "the request target has a bad byte");
	if (strncmp(version, "HTTP/", 5) != 0 || strlen(version) != 8)
		return pmg_err_set(err, PMG_E_PARSE, 0, "no HTTP version");
	if (strcmp(version, "HTTP/1.1") != 0 && strcmp(version, "HTTP/1.0") != 0)
		return pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "only HTTP/1.0 and 1.1 are spoken");
	head->method = line;
	head->target = target;
	head->minor = version[7] - '0';
	return 0;
}

int pmg_request_parse(const char *bytes, size_t len, struct pmg_head *out, struct pmg_err *err)
{
	pmg_auto(head) struct pmg_head head = { .text = pmg_xstrndup(bytes, len) };
	char *at = head.text, *line;
	size_t cap = 0;
	int r;

	if (strlen(head.text) != len)
		return pmg_err_set(err, PMG_E_PARSE, 0, "a NUL in the request head");
	if (strncmp(at, "\r\n", 2) == 0)
		at += 2;
	line = next_line(&at);
	if (!line)
		return pmg_err_set(err, PMG_E_PARSE, 0, "no request line");
	r = read_request_line(&head, line, err);
	if (r < 0)
		return r;
	while ((line = next_line(&at)) && *line) {
		r = read_field(&head, &cap, line, err);
		if (r < 0)
			return r;
	}
	if (!line || *at)
		return pmg_err_set(err, PMG_E_PARSE, 0, "the request head has no end");
	*out = head;
	head = (struct pmg_head){ 0 };
	return 0;
}

/* "HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/2 200 " */
static int read_status_line(struct pmg_head *head, char *line, struct pmg_err *err)
{
	char *code = strchr(line, ' ');
	size_t i;

	if (strncmp(line, "HTTP/", 5) != 0 || !code || !is_text(code))
		return pmg_err_set(err, PMG_E_PARSE, 0, "no status line");
	code += strspn(code, " ");
	for (i = 0; i < 3; i++) {
		if (code[i] < '0' || code[i] > '9')
			return pmg_err_set(err, PMG_E_PARSE, 0, "no status code");
		head->status = head->status * 10 + (code[i] - '0');
	}
	if (head->status < 100 || (code[3] != '\0' && code[3] != ' '))
		return pmg_err_set(err, PMG_E_PARSE, 0, "no status code");
	head->minor = strncmp(line, "HTTP/1.0", 8) == 0 ? 0 : 1;
	head->reason = code + 3 + (code[3] == ' ');
	return 0;
}

/* One line of a response, by LF or CRLF, with the folded ones that follow it joined. */
static char *next_folded(char **at)
{
	char *line = *at, *end;

	if (*line == '\0')
		return NULL;
	end = line + strcspn(line, "\n");
	while (end > line && *end && is_blank(end[1])) {
		*end = ' ';
		if (end[-1] == '\r')
			end[-1] = ' ';
		end += strcspn(end, "\n");
	}
	*at = *end ? end + 1 : end;
	*end = '\0';
	if (end > line && end[-1] == '\r')
		end[-1] = '\0';
	return line;
}

int pmg_response_parse(const char *bytes, size_t len, struct pmg_head *out, struct pmg_err *err)
{
	pmg_auto(head) struct pmg_head head = { 0 };
	size_t cap = 0;
	char *at, *line;
	int r;

	if (len > PMG_HTTP_HEAD_MAX)
		return pmg_err_set(err, PMG_E_LIMIT, 0, "response head of %zu bytes", len);
	if (memchr(bytes, '\0', len))
		return pmg_err_set(err, PMG_E_PARSE, 0, "a NUL in the response head");
	head.text = pmg_xstrndup(bytes, len);
	at = head.text;
	line = next_folded(&at);
	if (!line)
		return pmg_err_set(err, PMG_E_PARSE, 0, "no status line");
	r = read_status_line(&head, line, err);
	if (r < 0)
		return r;
	while ((line = next_folded(&at)) && *line) {
		r = read_field(&head, &cap, line, err);
		if (r < 0)
			return r;
	}
	*out = head;
	head = (struct pmg_head){ 0 };
	return 0;
}

const char *pmg_head_get(const struct pmg_head *head, const char *name)
{
	size_t i;

	for (i = 0; i < head->n; i++)
		if (strcasecmp(head->fields[i].name, name) == 0)
			return head->fields[i].value;
	return NULL;
}

size_t pmg_head_count(const struct pmg_head *head, const char *name)
{
	size_t i, count = 0;

	for (i = 0; i < head->n; i++)
		if (strcasecmp(head->fields[i].name, name) == 0)
			count++;
	return count;
}

void pmg_head_remove(struct pmg_head *head, const char *name)
{
	size_t i, kept = 0;

	for (i = 0; i < head->n; i++)
		if (strcasecmp(head->fields[i].name, name) != 0)
			head->fields[kept++] = head->fields[i];
	head->n = kept;
}

/* Does the comma-separated list hold that member? */
static bool list_has(const char *list, const char *token)
{
	size_t n = strlen(token), len;

	while (*list) {
		list += strspn(list, ", \t");
		len = strcspn(list, ", \t");
		if (len == n && strncasecmp(list, token, n) == 0)
			return true;
		list += len;
	}
	return false;
}

bool pmg_head_lists(const struct pmg_head *head, const char *name, const char *token)
{
	size_t i;

	for (i = 0; i < head->n; i++)
		if (strcasecmp(head->fields[i].name, name) == 0 &&
		    list_has(head->fields[i].value, token))
			return true;
	return false;
}

static bool is_hop(const struct pmg_head *head, const char *name)
{
	static const char *const hops[] = { "connection", "keep-alive",        "te",
					    "trailer",    "transfer-encoding", "upgrade" };
	size_t i;

	if (pmg_str_has_prefix_nocase(name, "proxy-"))
		return true;
	for (i = 0; i < PMG_ARRAY_LEN(hops); i++)
		if (strcasecmp(name, hops[i]) == 0)
			return true;
	return pmg_head_lists(head, "connection", name);
}

void pmg_head_strip(struct pmg_head *head)
{
	bool hop[PMG_HTTP_FIELDS_MAX];
	size_t i, kept = 0;

	for (i = 0; i < head->n; i++) /* first all questions, since moving changes the answers */
		hop[i] = is_hop(head, head->fields[i].name);
	for (i = 0; i < head->n; i++)
		if (!hop[i])
			head->fields[kept++] = head->fields[i];
	head->n = kept;
}

bool pmg_head_keeps(const struct pmg_head *head)
{
	if (pmg_head_lists(head, "connection", "close") ||
	    pmg_head_lists(head, "proxy-connection", "close"))
		return false;
	return head->minor > 0 || pmg_head_lists(head, "connection", "keep-alive") ||
	       pmg_head_lists(head, "proxy-connection", "keep-alive");
}
