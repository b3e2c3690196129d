#include "pm/version_priv.h"

/* Words of PEP 440 in any case; longer ones stand before their own beginnings. */
static const struct {
	const char *word;
	char letter;
} pre_words[] = { { "alpha", 'a' }, { "beta", 'b' }, { "preview", 'c' }, { "pre", 'c' },
		  { "rc", 'c' },    { "a", 'a' },    { "b", 'b' },       { "c", 'c' } };
static const char *const post_words[] = { "post", "rev", "r" };

static bool is_separator(char c)
{
	return c == '-' || c == '_' || c == '.';
}

static bool take_word(const char **s, const char *end, const char *word)
{
	const char *p = *s;

	for (; *word; word++, p++)
		if (p == end || pmg_lower(*p) != *word)
			return false;
	*s = p;
	return true;
}

/* "[-_.]?[0-9]*" behind a word; no digits count as 0. */
static struct pmg_digits take_number(const char **s, const char *end)
{
	if (*s < end && is_separator(**s))
		(*s)++;
	return pmg_digits_take(s, end);
}

static void take_pre(const char **s, const char *end, struct pmg_pep440 *v)
{
	const char *p = *s < end && is_separator(**s) ? *s + 1 : *s;
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(pre_words); i++) {
		if (!take_word(&p, end, pre_words[i].word))
			continue;
		v->pre = pre_words[i].letter;
		v->pre_n = take_number(&p, end);
		*s = p;
		return;
	}
}

static void take_post(const char **s, const char *end, struct pmg_pep440 *v)
{
	const char *p = *s;
	size_t i;

	if (end - p >= 2 && *p == '-' && pmg_is_digit(p[1])) { /* "1.0-1" is 1.0.post1 */
		p++;
		v->has_post = true;
		v->post_n = pmg_digits_take(&p, end);
		*s = p;
		return;
	}
	if (p < end && is_separator(*p))
		p++;
	for (i = 0; i < PMG_ARRAY_LEN(post_words); i++) {
		if (!take_word(&p, end, post_words[i]))
			continue;
		v->has_post = true;
		v->post_n = take_number(&p, end);
		*s = p;
		return;
	}
}

static void take_dev(const char **s, const char *end, struct pmg_pep440 *v)
{
	const char *p = *s < end && is_separator(**s) ? *s + 1 : *s;

	if (!take_word(&p, end, "dev"))
		return;
	v->has_dev = true;
	v->dev_n = take_number(&p, end);
	*s = p;
}

/* "+ubuntu-1": letters and digits, single separators between them, to the end. */
static bool take_local(const char **s, const char *end, struct pmg_pep440 *v)
{
	const char *p = *s + 1;
	bool inside = false;

	v->local = p;
	v->local_len = (size_t)(end - p);
	for (; p < end; p++) {
		if (is_separator(*p) ? !inside : !pmg_is_digit(*p) && !pmg_is_alpha(*p))
			return false;
		inside = !is_separator(*p);
	}
	*s = end;
	return inside;
}

/* "[N!]N(.N)*" */
static bool take_release(const char **s, const char *end, struct pmg_pep440 *v)
{
	struct pmg_digits first;
	const char *start = *s;

	if (*s == end || !pmg_is_digit(**s))
		return false;
	first = pmg_digits_take(s, end);
	if (*s < end && **s == '!') {
		v->epoch = first;
		start = ++*s;
		if (*s == end || !pmg_is_digit(**s))
			return false;
		(void)pmg_digits_take(s, end);
	}
	while (end - *s >= 2 && **s == '.' && pmg_is_digit((*s)[1])) {
		(*s)++;
		(void)pmg_digits_take(s, end);
	}
	v->release = start;
	v->release_len = (size_t)(*s - start);
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The grammar is that of PEP 440, appendix B. None of its optional parts can begin like what
   follows an earlier one, so one pass from left to right is enough. */
bool pmg_pep440_parse(const char *text, struct pmg_pep440 *out)
{
	struct pmg_pep440 v = { 0 };
	const char *s = text, *end = text + strlen(text);

	while (s < end && is_blank(*s))
		s++;
	while (end > s && is_blank(end[-1]))
		end--;
	if (s < end && pmg_lower(*s) == 'v')
		s++;
	if (!take_release(&s, end, &v))
		return false;
	take_pre(&s, end, &v);
	take_post(&s, end, &v);
	take_dev(&s, end, &v);
	if (s < end && *s == '+' && !take_local(&s, end, &v))
		return false;
	if (s != end)
		return false;
	*out = v;
	return true;
}

/* Missing numbers of the shorter release are 0: "1.0" equals "1.0.0". */
static int release_compare(const struct pmg_pep440 *a, const struct pmg_pep440 *b)
{
	const char *p = a->release, *p_end = p + a->release_len;
	const char *q = b->release, *q_end = q + b->release_len;
	struct pmg_digits x, y;
	int c;

	while (p < p_end || q < q_end) {
		x = pmg_digits_take(&p, p_end);
		y = pmg_digits_take(&q, q_end);
		c = pmg_digits_compare(x, y);
		if (c != 0)
			return c;
		p += p < p_end; /* the dot */
		q += q < q_end;
	}
	return 0;
}

/* Phase of a release: 1.0.dev1 < 1.0a1 < 1.0b1 < 1.0rc1 < 1.0. */
static char phase(const struct pmg_pep440 *v)
{
	if (v->pre)
		return v->pre;
	return v->has_dev && !v->has_post ? 'A' : 'z';
}

struct segment {
	const char *s;
	size_t n;
	bool numeric;
};

static struct segment next_segment(const char **s, const char *end)
{
	struct segment seg = { *s, 0, true };

	for (; *s < end && !is_separator(**s); (*s)++, seg.n++)
		if (!pmg_is_digit(**s))
			seg.numeric = false;
	if (*s < end)
		(*s)++;
	return seg;
}

static struct pmg_digits segment_digits(struct segment seg)
{
	const char *s = seg.s;

	return pmg_digits_take(&s, seg.s + seg.n);
}

static int segment_compare(struct segment a, struct segment b)
{
	size_t i;
	char x, y;

	if (a.numeric != b.numeric)
		return a.numeric ? 1 : -1;
	if (a.numeric)
		return pmg_digits_compare(segment_digits(a), segment_digits(b));
	for (i = 0; i < a.n && i < b.n; i++) {
		x = pmg_lower(a.s[i]);
		y = pmg_lower(b.s[i]);
		if (x != y)
			return x < y ? -1 : 1;
	}
	return a.n == b.n ? 0 : (a.n < b.n ? -1 : 1);
}

static int local_compare(const struct pmg_pep440 *a, const struct pmg_pep440 *b)
{
	const char *p = a->local, *q = b->local, *p_end, *q_end;
	int c;

	if (!p || !q)
		return p == q ? 0 : (p ? 1 : -1);
	p_end = p + a->local_len;
	q_end = q + b->local_len;
	while (p < p_end && q < q_end) {
		c = segment_compare(next_segment(&p, p_end), next_segment(&q, q_end));
		if (c != 0)
			return c;
	}
	if (p == p_end && q == q_end)
		return 0;
	return p == p_end ? -1 : 1;
}

int pmg_pep440_compare(const struct pmg_pep440 *a, const struct pmg_pep440 *b)
{
	int c = pmg_digits_compare(a->epoch, b->epoch);

	if (c == 0)
		c = release_compare(a, b);
	if (c == 0)
		c = phase(a) - phase(b);
	if (c == 0)
		c = pmg_digits_compare(a->pre_n, b->pre_n);
	if (c == 0)
		c = a->has_post - b->has_post;
	if (c == 0)
		c = pmg_digits_compare(a->post_n, b->post_n);
	if (c == 0)
		c = b->has_dev - a->has_dev;
	if (c == 0)
		c = pmg_digits_compare(a->dev_n, b->dev_n);
	return c ? c : local_compare(a, b);
}

/* Without trailing zeros: "1.0.0" and "1" become "1". */
static void add_release(const struct pmg_pep440 *v, struct pmg_str *out)
{
	const char *s = v->release, *end = s + v->release_len;
	size_t zeros = 0;
	struct pmg_digits d;

	pmg_digits_add(out, pmg_digits_take(&s, end));
	while (s < end) {
		s++;
		d = pmg_digits_take(&s, end);
		if (d.n == 0) {
			zeros++;
			continue;
		}
		for (; zeros > 0; zeros--)
			(void)!pmg_str_adds(out, ".0");
		(void)!pmg_str_adds(out, ".");
		pmg_digits_add(out, d);
	}
}

static void add_local(const struct pmg_pep440 *v, struct pmg_str *out)
{
	const char *s = v->local, *end = s + v->local_len, *sep = "+";
	struct segment seg;
	size_t i;
	char c;

	for (; s < end; sep = ".") {
		(void)!pmg_str_adds(out, sep);
		seg = next_segment(&s, end);
		if (seg.numeric) {
			pmg_digits_add(out, segment_digits(seg));
			continue;
		}
		for (i = 0; i < seg.n; i++) {
			c = pmg_lower(seg.s[i]);
			(void)!pmg_str_add(out, &c, 1);
		}
	}
}

void pmg_pep440_canonical(const struct pmg_pep440 *v, struct pmg_str *out)
{
	if (v->epoch.n > 0) {
		pmg_digits_add(out, v->epoch);
		(void)!pmg_str_adds(out, "!"); /* room: see pmg_version_canonical */
	}
	add_release(v, out);
	if (v->pre) {
		(void)!pmg_str_adds(out, v->pre == 'c' ? "rc" : v->pre == 'b' ? "b" : "a");
		pmg_digits_add(out, v->pre_n);
	}
	if (v->has_post) {
		(void)!pmg_str_adds(out, ".post");
		pmg_digits_add(out, v->post_n);
	}
	if (v->has_dev) {
		(void)!pmg_str_adds(out, ".dev");
		pmg_digits_add(out, v->dev_n);
	}
	if (v->local)
		add_local(v, out);
}
