#include "proxy/dns.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/strv.h"

#define HEADER     12U
#define LABEL_MAX  63U
#define CLASS_IN   1U
#define TYPE_OPT   41U
#define TYPE_IXFR  251U
#define BUFFER     1232U /* what we say we take; only queries come */
#define OPT_LEN    11U
#define FLAG_QR    0x80U /* of the third byte: an answer */
#define FLAG_RD    0x01U
#define OPCODE     0x78U
#define FLAG_RA    0x80U /* of the fourth */
#define V4_LABELS  4U
#define V6_NIBBLES 32U

/* What is left to be read. */
struct input {
	const unsigned char *at;
	size_t left;
};

static bool take(struct input *in, size_t n, const unsigned char **out)
{
	if (in->left < n)
		return false;
	*out = in->at;
	in->at += n;
	in->left -= n;
	return true;
}

static bool take16(struct input *in, unsigned *out)
{
	const unsigned char *p;

	if (!take(in, 2, &p))
		return false;
	*out = (unsigned)p[0] << 8 | p[1];
	return true;
}

/* Letters, digits, "-", "_": what host names and service labels are made of. A dot or a NUL within
 * a label would make two names look like one. */
static bool is_plain(unsigned char c)
{
	return isalnum(c) || c == '-' || c == '_';
}

/* @return false: malformed. *odd: well-formed, but no host is called so */
static bool read_name(struct input *in, char *name, bool *odd)
{
	const unsigned char *p;
	size_t len = 0, i, n;

	for (;;) {
		if (!take(in, 1, &p))
			return false;
		n = *p;
		if (n == 0)
			break;
		/* a pointer: there is nothing before the question that it could point to */
		if (n > LABEL_MAX || !take(in, n, &p))
			return false;
		if (len + (len > 0) + n > PMG_DNS_NAME_MAX)
			return false;
		if (len > 0)
			name[len++] = '.';
		for (i = 0; i < n; i++, len++) {
			*odd |= !is_plain(p[i]);
			name[len] = '?';
			if (is_plain(p[i]))
				name[len] = (char)tolower(p[i]);
		}
	}
	name[len] = '\0';
	return true;
}

static bool read_opt(struct input *in)
{
	const unsigned char *p;
	unsigned type, size, n;

	if (!take(in, 1, &p) || *p != 0 || !take16(in, &type) || type != TYPE_OPT ||
	    !take16(in, &size) || !take(in, 4, &p) || p[1] != 0 || !take16(in, &n))
		return false;
	return take(in, n, &p);
}

static bool read_counts(struct input *in, unsigned *extra)
{
	unsigned questions, answers, authorities;

	return take16(in, &questions) && take16(in, &answers) && take16(in, &authorities) &&
	       take16(in, extra) && questions == 1 && answers == 0 && authorities == 0 &&
	       *extra <= 1;
}

static int judge_kind(const struct pmg_dns_query *query, unsigned class, bool odd)
{
	if (class != CLASS_IN)
		return PMG_DNS_REFUSED;
	if (query->type >= TYPE_IXFR && query->type <= PMG_DNS_ANY)
		return PMG_DNS_REFUSED;
	return odd ? PMG_DNS_NXDOMAIN : PMG_DNS_OK;
}

int pmg_dns_read(const void *bytes, size_t len, struct pmg_dns_query *out)
{
	struct input in = { bytes, len };
	const unsigned char *head, *start;
	struct pmg_dns_query query = { 0 };
	unsigned extra = 0, type, class;
	bool odd = false;

	memset(out, 0, sizeof *out);
	if (!take(&in, 4, &head) || len < HEADER || (head[2] & FLAG_QR))
		return -PMG_E_PARSE;
	if (head[2] & OPCODE)
		return PMG_DNS_NOTIMP;
	if (len > PMG_DNS_QUERY_MAX || !read_counts(&in, &extra))
		return PMG_DNS_FORMERR;
	start = in.at;
	if (!read_name(&in, query.name, &odd) || !take16(&in, &type) || !take16(&in, &class))
		return PMG_DNS_FORMERR;
	query.type = (uint16_t)type;
	query.question = (size_t)(in.at - start);
	query.has_opt = extra == 1;
	if ((query.has_opt && !read_opt(&in)) || in.left > 0)
		return PMG_DNS_FORMERR;
	*out = query;
	return judge_kind(out, class, odd);
}

static unsigned char *put16(unsigned char *p, unsigned value)
{
	*p++ = (unsigned char)(value >> 8);
	*p++ = (unsigned char)value;
	return p;
}

static unsigned char *put_name(unsigned char *p, const char *name)
{
	size_t n;

	while (*name) {
		n = strcspn(name, ".");
		*p++ = (unsigned char)n;
		memcpy(p, name, n);
		p += n;
		name += n + (name[n] == '.');
	}
	*p++ = 0;
	return p;
}

static unsigned char *put_record(unsigned char *p, const struct pmg_dns_query *query,
				 const struct pmg_dns_answer *answer)
{
	unsigned char *length, *data;

	p = put16(p, 0xc000 | HEADER); /* the name of the question */
	p = put16(p, query->type);
	p = put16(p, CLASS_IN);
	p = put16(p, 0);
	p = put16(p, PMG_DNS_TTL_S);
	length = p;
	data = p += 2;
	if (query->type == PMG_DNS_PTR) {
		p = put_name(p, answer->name);
	} else {
		memcpy(p, answer->address, query->type == PMG_DNS_A ? 4 : 16);
		p += query->type == PMG_DNS_A ? 4 : 16;
	}
	(void)put16(length, (unsigned)(p - data));
	return p;
}

size_t pmg_dns_write(const void *bytes, const struct pmg_dns_query *query,
		     const struct pmg_dns_answer *answer, unsigned char *out)
{
	const unsigned char *in = bytes;
	unsigned char *p = out;

	memset(out, 0, HEADER);
	memcpy(out, in, 2);
	out[2] = (unsigned char)(FLAG_QR | (in[2] & (OPCODE | FLAG_RD)));
	out[3] = (unsigned char)(FLAG_RA | (unsigned)answer->rcode);
	out[5] = query->question > 0;
	out[7] = answer->has_data;
	out[11] = query->has_opt;
	p += HEADER;
	memcpy(p, in + HEADER, query->question);
	p += query->question;
	if (answer->has_data)
		p = put_record(p, query, answer);
	if (query->has_opt) {
		memset(p, 0, OPT_LEN);
		(void)put16(p + 1, TYPE_OPT);
		(void)put16(p + 3, BUFFER);
		p += OPT_LEN;
	}
	return (size_t)(p - out);
}

/* "4.3.2.1" */
static bool read_v4(const char *name, size_t len, unsigned char address[16])
{
	struct pmg_strv parts = { 0 };
	pmg_autofree char *text = pmg_xstrndup(name, len);
	uint64_t n = 0;
	bool good;
	size_t i;

	pmg_strv_split(&parts, text, ".");
	good = parts.n == V4_LABELS;
	for (i = 0; good && i < V4_LABELS; i++) {
		good = pmg_parse_uint(parts.v[i], UINT8_MAX, &n) == 0;
		address[15 - i] = (unsigned char)n;
	}
	address[10] = address[11] = 0xff;
	pmg_strv_done(&parts);
	return good;
}

/* "1.0.0. ... .f" */
static bool read_v6(const char *name, size_t len, unsigned char address[16])
{
	static const char digits[] = "0123456789abcdef";
	const char *digit;
	size_t i;

	if (len != V6_NIBBLES * 2 - 1)
		return false;
	for (i = 0; i < V6_NIBBLES; i++) {
		digit = strchr(digits, name[i * 2]);
		if (!digit || (i > 0 && name[i * 2 - 1] != '.'))
			return false;
		address[15 - i / 2] |= (unsigned char)((digit - digits) << (i % 2 * 4));
	}
	return true;
}

bool pmg_dns_reverse(const char *name, unsigned char address[16])
{
	static const char v4[] = ".in-addr.arpa", v6[] = ".ip6.arpa";
	size_t len = strlen(name);

	memset(address, 0, 16);
	if (pmg_str_has_suffix(name, v4))
		return read_v4(name, len - (sizeof v4 - 1), address);
	if (pmg_str_has_suffix(name, v6))
		return read_v6(name, len - (sizeof v6 - 1), address);
	return false;
}
