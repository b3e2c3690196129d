#include "proxy/framing.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

int pmg_request_framing(const struct pmg_head *head, enum pmg_framing *out, uint64_t *length,
			struct pmg_err *err)
{
	const char *coding = pmg_head_get(head, "transfer-encoding");
	const char *text = pmg_head_get(head, "content-length");
	uint64_t n = 0;
	int r;

	if (pmg_head_count(head, "transfer-encoding") > 1 ||
	    pmg_head_count(head, "content-length") > 1 || (coding && text))
		return pmg_err_set(err, PMG_E_PARSE, 0, "the length of the body is given twice");
	if (coding && (head->minor == 0 || strcasecmp(coding, "chunked") != 0))
		return pmg_err_set(err, PMG_E_PARSE, 0, "a transfer coding other than chunked");
	r = text ? pmg_parse_uint(text, PMG_HTTP_BODY_MAX, &n) : 0;
	if (r < 0)
		return pmg_err_set(err, r == -PMG_E_LIMIT ? PMG_E_LIMIT : PMG_E_PARSE, 0,
				   "the Content-Length is no usable number");
	*out = coding ? PMG_FRAMING_CHUNKED : n > 0 ? PMG_FRAMING_LENGTH : PMG_FRAMING_NONE;
	*length = n;
	return 0;
}

/* All Content-Length lines must say the same. @return 1: *n is set; 0: there is none */
static int one_length(const struct pmg_head *head, uint64_t *n, struct pmg_err *err)
{
	const char *first = pmg_head_get(head, "content-length");
	size_t i;

	if (!first)
		return 0;
	for (i = 0; i < head->n; i++)
		if (strcasecmp(head->fields[i].name, "content-length") == 0 &&
		    strcmp(head->fields[i].value, first) != 0)
			return pmg_err_set(err, PMG_E_PARSE, 0, "two different Content-Length");
	if (pmg_parse_uint(first, PMG_HTTP_BODY_MAX, n) < 0)
		return pmg_err_set(err, PMG_E_PARSE, 0, "the Content-Length is no usable number");
	return 1;
}

int pmg_response_framing(const struct pmg_head *head, const char *method, enum pmg_framing *out,
			 uint64_t *length, struct pmg_err *err)
{
	uint64_t n = 0;
	int has;

	if (strcmp(method, "HEAD") == 0 || head->status == 204 || head->status == 304 ||
	    head->status < 200) {
		*out = PMG_FRAMING_NONE;
		*length = 0;
		return 0;
	}
	if (pmg_head_lists(head, "transfer-encoding", "chunked")) {
		*out = PMG_FRAMING_CHUNKED;
		*length = 0;
		return 0;
	}
	has = one_length(head, &n, err);
	if (has < 0)
		return has;
	*out = has ? PMG_FRAMING_LENGTH : PMG_FRAMING_CLOSE;
	*length = n;
	return 0;
}

/* What a chunked body is at. */
enum {
	AT_SIZE,      /* first digit of a size */
	AT_DIGITS,    /* further digits */
	AT_EXTENSION, /* after ";" */
	AT_SIZE_LF,
	AT_DATA,
	AT_DATA_CR,
	AT_DATA_LF,
	AT_TRAILER, /* first byte of a trailer line, or of the empty one */
	AT_TRAILER_TEXT,
	AT_TRAILER_LF,
	AT_END_LF,
	AT_END
};

static int digit_value(unsigned char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* After the digits: the end of the line, or an extension. "5 " and "0x5" are read as 5 by some and
 * refused by others. */
static bool may_follow_size(int state, unsigned char byte)
{
	if (state == AT_SIZE)
		return false;
	if (state == AT_DIGITS)
		return byte == '\r' || byte == ';';
	return byte >= 0x20 || byte == '\t' || byte == '\r';
}

static int step_size(struct pmg_chunked *c, unsigned char byte)
{
	int digit = digit_value(byte);

	if (c->state != AT_EXTENSION && digit >= 0) {
		if (c->left > (PMG_HTTP_BODY_MAX >> 4))
			return -PMG_E_LIMIT;
		c->left = c->left * 16 + (uint64_t)digit;
		c->state = AT_DIGITS;
	} else if (may_follow_size(c->state, byte)) {
		c->state = byte == '\r' ? AT_SIZE_LF : AT_EXTENSION;
	} else {
		return -PMG_E_PARSE;
	}
	return ++c->line > PMG_HTTP_EXT_MAX ? -PMG_E_LIMIT : 0;
}

static int step_trailer(struct pmg_chunked *c, unsigned char byte)
{
	if (++c->trailer > PMG_HTTP_TRAILER_MAX)
		return -PMG_E_LIMIT;
	if (byte == '\r')
		c->state = c->state == AT_TRAILER ? AT_END_LF : AT_TRAILER_LF;
	else if (byte < 0x20 && byte != '\t')
		return -PMG_E_PARSE;
	else
		c->state = AT_TRAILER_TEXT;
	return 0;
}

/* One byte that is not body. */
static int step(struct pmg_chunked *c, unsigned char byte)
{
	static const struct {
		unsigned char want;
		int next;
	} fixed[] = {
		[AT_DATA_CR] = { '\r', AT_DATA_LF },
		[AT_DATA_LF] = { '\n', AT_SIZE },
		[AT_TRAILER_LF] = { '\n', AT_TRAILER },
		[AT_END_LF] = { '\n', AT_END },
	};

	if (c->state <= AT_EXTENSION)
		return step_size(c, byte);
	if (c->state == AT_TRAILER || c->state == AT_TRAILER_TEXT)
		return step_trailer(c, byte);
	if (c->state == AT_SIZE_LF) {
		c->state = c->left > 0 ? AT_DATA : AT_TRAILER;
		c->line = 0;
		return byte == '\n' ? 0 : -PMG_E_PARSE;
	}
	if (byte != fixed[c->state].want)
		return -PMG_E_PARSE;
	c->state = fixed[c->state].next;
	return 0;
}

int pmg_chunked_next(struct pmg_chunked *c, const char *bytes, size_t len, size_t *used,
		     const char **data, size_t *n)
{
	size_t i = 0;
	int r;

	*data = NULL;
	*n = 0;
	while (i < len && c->state != AT_END) {
		if (c->state == AT_DATA) {
			*data = bytes + i;
			*n = len - i < c->left ? len - i : (size_t)c->left;
			c->left -= *n;
			if (c->left == 0)
				c->state = AT_DATA_CR;
			*used = i + *n;
			return 0;
		}
		r = step(c, (unsigned char)bytes[i]);
		if (r < 0)
			return r;
		i++;
	}
	*used = i;
	return c->state == AT_END;
}
