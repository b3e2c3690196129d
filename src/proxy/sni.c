#include "proxy/sni.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

#define RECORD_HANDSHAKE 22U
#define RECORD_HEADER    5U
#define RECORD_MAX       16384U
#define CLIENT_HELLO     1U
#define RANDOM_LEN       32U
#define SESSION_MAX      32U
#define EXT_SERVER_NAME  0U
#define HOST_NAME        0U
#define NAME_MAX_LEN     253U

struct input {
	const unsigned char *at;
	size_t left;
};

/* A number of `width` bytes. */
static bool take_number(struct input *in, size_t width, size_t *out)
{
	size_t i;

	if (in->left < width)
		return false;
	for (*out = 0, i = 0; i < width; i++)
		*out = *out << 8 | in->at[i];
	in->at += width;
	in->left -= width;
	return true;
}

static bool take(struct input *in, size_t n, struct input *out)
{
	if (in->left < n)
		return false;
	*out = (struct input){ in->at, n };
	in->at += n;
	in->left -= n;
	return true;
}

/* A vector: its length in `width` bytes, then that many. */
static bool take_vector(struct input *in, size_t width, struct input *out)
{
	size_t n;

	return take_number(in, width, &n) && take(in, n, out);
}

/* The message may be cut into records anywhere. @return as pmg_sni_read() */
static int join(struct input in, struct pmg_str *message)
{
	size_t type, major, minor, n, want, rest = 0;
	struct input part;

	for (;;) {
		if (message->len >= 4) {
			want = 4 + ((size_t)(unsigned char)message->s[1] << 16 |
				    (size_t)(unsigned char)message->s[2] << 8 |
				    (unsigned char)message->s[3]);
			if (want > PMG_SNI_MAX)
				return -PMG_E_PARSE;
			if (message->len >= want)
				return message->len == want && rest == 0 ? 1 : -PMG_E_PARSE;
		}
		if (in.left > 0 && in.at[0] != RECORD_HANDSHAKE)
			return -PMG_E_PARSE;
		if (in.left > 1 && in.at[1] != 3)
			return -PMG_E_PARSE;
		if (!take_number(&in, 1, &type) || !take_number(&in, 1, &major) ||
		    !take_number(&in, 1, &minor) || !take_number(&in, 2, &n))
			return 0;
		if (n == 0 || n > RECORD_MAX)
			return -PMG_E_PARSE;
		rest = in.left < n ? n - in.left : 0; /* of the record: still to come */
		n -= rest;
		if (!take(&in, n, &part) || pmg_str_add(message, part.at, part.left) < 0)
			return -PMG_E_PARSE;
		if (n > 0 && message->s[0] != CLIENT_HELLO)
			return -PMG_E_PARSE;
		if (n == 0)
			return 0;
	}
}

static bool is_plain(unsigned char c)
{
	return isalnum(c) || c == '-' || c == '_' || c == '.';
}

static bool is_host(const struct input *in)
{
	size_t i;

	if (in->left == 0 || in->left > NAME_MAX_LEN || in->at[0] == '.')
		return false;
	for (i = 0; i < in->left; i++)
		if (!is_plain(in->at[i]))
			return false;
	return true;
}

/* One name, of a host. */
static bool read_server_name(struct input in, char **name)
{
	struct input list, host;
	size_t type, i;

	if (!take_vector(&in, 2, &list) || in.left > 0 || !take_number(&list, 1, &type) ||
	    type != HOST_NAME || !take_vector(&list, 2, &host) || list.left > 0 || !is_host(&host))
		return false;
	*name = pmg_xstrndup((const char *)host.at, host.left);
	for (i = 0; i < host.left; i++)
		(*name)[i] = (char)tolower((unsigned char)(*name)[i]);
	return true;
}

static bool read_extensions(struct input in, char **name)
{
	struct input body;
	size_t type;

	while (in.left > 0) {
		if (!take_number(&in, 2, &type) || !take_vector(&in, 2, &body))
			return false;
		if (type == EXT_SERVER_NAME && (*name || !read_server_name(body, name)))
			return false;
	}
	return true;
}

static bool read_hello(struct input in, char **name)
{
	struct input skipped, session, suites, methods, extensions;

	if (!take(&in, 4, &skipped) || !take(&in, 2 + RANDOM_LEN, &skipped) ||
	    !take_vector(&in, 1, &session) || session.left > SESSION_MAX ||
	    !take_vector(&in, 2, &suites) || suites.left == 0 || suites.left % 2 ||
	    !take_vector(&in, 1, &methods) || methods.left == 0)
		return false;
	if (in.left == 0)
		return true; /* as clients of old sent it */
	return take_vector(&in, 2, &extensions) && in.left == 0 &&
	       read_extensions(extensions, name);
}

int pmg_sni_read(const unsigned char *bytes, size_t len, char **name)
{
	pmg_auto(str) struct pmg_str message = PMG_STR_INIT(PMG_SNI_MAX);
	pmg_autofree char *found = NULL;
	int r;

	r = join((struct input){ bytes, len }, &message);
	if (r <= 0)
		return r;
	if (!read_hello((struct input){ (const unsigned char *)message.s, message.len }, &found))
		return -PMG_E_PARSE;
	*name = pmg_steal_ptr(&found);
	return 1;
}
