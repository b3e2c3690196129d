#include "pm/version_priv.h"

static bool is_id_char(char c)
{
	return pmg_is_digit(c) || pmg_is_alpha(c) || c == '-';
}

/* Dot-separated identifiers, none empty. *s then stands behind the last. */
static bool take_ids(const char **s, const char *end)
{
	const char *start;

	for (;;) {
		start = *s;
		while (*s < end && is_id_char(**s))
			(*s)++;
		if (*s == start)
			return false;
		if (*s == end || **s != '.')
			return true;
		(*s)++;
	}
}

/* MAJOR[.MINOR[.PATCH]]. @return how many parts were there, 0 when none */
static size_t take_parts(const char **s, const char *end, struct pmg_digits part[3])
{
	size_t n = 0;

	while (n < 3 && *s < end && pmg_is_digit(**s)) {
		part[n++] = pmg_digits_take(s, end);
		if (n == 3 || end - *s < 2 || **s != '.' || !pmg_is_digit((*s)[1]))
			break;
		(*s)++;
	}
	return n;
}

bool pmg_semver_parse(const char *text, struct pmg_semver *out)
{
	struct pmg_semver v = { 0 };
	const char *s = text, *end = text + strlen(text);
	size_t parts;

	while (s < end && strchr("v= \t", *s))
		s++;
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	parts = take_parts(&s, end, v.part);
	if (parts == 0)
		return false;
	if (parts == 3 && end - s >= 2 && *s == '.') { /* a fourth part: build from here on */
		s++;
		if (!take_ids(&s, end))
			return false;
	} else if (s < end && (*s == '-' || (parts == 3 && pmg_is_alpha(*s)))) {
		if (*s == '-') /* npm reads "1.0.0rc1" as "1.0.0-rc1" */
			s++;
		v.pre = s;
		if (!take_ids(&s, end))
			return false;
		v.pre_len = (size_t)(s - v.pre);
	}
	if (s < end && *s == '+') {
		s++;
		if (!take_ids(&s, end))
			return false;
	}
	if (s != end)
		return false;
	*out = v;
	return true;
}

/* One identifier of a pre-release. */
struct id {
	const char *s;
	size_t n;
	bool numeric;
};

static struct id next_id(const char **s, const char *end)
{
	struct id id = { *s, 0, true };

	for (; *s < end && **s != '.'; (*s)++, id.n++)
		if (!pmg_is_digit(**s))
			id.numeric = false;
	if (*s < end)
		(*s)++;
	return id;
}

static struct pmg_digits id_digits(struct id id)
{
	const char *s = id.s;

	return pmg_digits_take(&s, id.s + id.n);
}

/* SemVer 2.0, 11.4: numbers by value and below words, words by their bytes. */
static int id_compare(struct id a, struct id b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c;

	if (a.numeric != b.numeric)
		return a.numeric ? -1 : 1;
	if (a.numeric)
		return pmg_digits_compare(id_digits(a), id_digits(b));
	c = memcmp(a.s, b.s, n);
	if (c != 0)
		return c;
	return a.n == b.n ? 0 : (a.n < b.n ? -1 : 1);
}

static int pre_compare(const struct pmg_semver *a, const struct pmg_semver *b)
{
	const char *p = a->pre, *q = b->pre, *p_end, *q_end;
	int c;

	if (!p || !q)
		return p == q ? 0 : (p ? -1 : 1); /* a pre-release is below its release */
	p_end = p + a->pre_len;
	q_end = q + b->pre_len;
	while (p < p_end && q < q_end) {
		c = id_compare(next_id(&p, p_end), next_id(&q, q_end));
		if (c != 0)
			return c;
	}
	if (p == p_end && q == q_end)
		return 0;
	return p == p_end ? -1 : 1;
}

int pmg_semver_compare(const struct pmg_semver *a, const struct pmg_semver *b)
{
	size_t i;
	int c;

	for (i = 0; i < 3; i++) {
		c = pmg_digits_compare(a->part[i], b->part[i]);
		if (c != 0)
			return c;
	}
	return pre_compare(a, b);
}

void pmg_semver_canonical(const struct pmg_semver *v, struct pmg_str *out)
{
	const char *s = v->pre, *end = s ? s + v->pre_len : NULL, *sep = "-";
	struct id id;
	size_t i;

	for (i = 0; i < 3; i++) {
		if (i > 0)
			(void)!pmg_str_adds(out, "."); /* room: see pmg_version_canonical */
		pmg_digits_add(out, v->part[i]);
	}
	for (; s < end; sep = ".") {
		(void)!pmg_str_adds(out, sep);
		id = next_id(&s, end);
		if (id.numeric)
			pmg_digits_add(out, id_digits(id));
		else
			(void)!pmg_str_add(out, id.s, id.n);
	}
}
