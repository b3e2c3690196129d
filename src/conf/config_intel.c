#include "conf/config_intel.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/url.h"
#include "conf/config.h"

#define OSV_DUMPS "https://osv-vulnerabilities.storage.googleapis.com/"
#define KEY_MAX   128U /* a key in base64, with room */

static const char *const formats[] = { "auto", "osv-zip", "pmg-index", NULL };

const char *const pmg_config_ecosystems[] = { "npm", "pypi", NULL };

static char osv_npm[] = "osv-npm", osv_pypi[] = "osv-pypi";
static char npm_dump[] = OSV_DUMPS "npm/all.zip", pypi_dump[] = OSV_DUMPS "PyPI/all.zip";

static const struct pmg_config_feed public_feeds[] = {
	{ .name = osv_npm, .url = npm_dump, .format = PMG_FEED_OSV_ZIP, .ecosystem = -1 },
	{ .name = osv_pypi, .url = pypi_dump, .format = PMG_FEED_OSV_ZIP, .ecosystem = -1 },
};

static void feed_done(struct pmg_config_feed *feed)
{
	free(feed->name);
	free(feed->url);
	free(feed->file);
	pmg_strv_done(&feed->pubkeys);
	*feed = (struct pmg_config_feed){ 0 };
}
PMG_DEFINE_AUTO_DONE(feed, struct pmg_config_feed, feed_done);

void pmg_config_intel_done(struct pmg_config_intel *intel)
{
	size_t i;

	for (i = 0; i < intel->n_feeds; i++)
		feed_done(&intel->feeds[i]);
	free(intel->feeds);
	*intel = (struct pmg_config_intel){ 0 };
}

static const struct pmg_key feed_keys[] = {
	{ .name = "name",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct pmg_config_feed, name),
	  .max = PMG_FEED_NAME_MAX },
	{ .name = "url",
	  .kind = PMG_KEY_STR,
	  .flags = PMG_KEY_REQUIRED,
	  .offset = offsetof(struct pmg_config_feed, url),
	  .max = PMG_URL_MAX },
	{ .name = "format",
	  .kind = PMG_KEY_ENUM,
	  .offset = offsetof(struct pmg_config_feed, format),
	  .words = formats },
	{ .name = "ecosystem",
	  .kind = PMG_KEY_ENUM,
	  .offset = offsetof(struct pmg_config_feed, ecosystem),
	  .words = pmg_config_ecosystems },
	{ .name = "pubkeys",
	  .kind = PMG_KEY_STRV,
	  .offset = offsetof(struct pmg_config_feed, pubkeys),
	  .max = PMG_CONFIG_PUBKEYS_MAX },
	{ 0 },
};

bool pmg_feed_name_is_valid(const char *name)
{
	size_t n =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

	return n > 0 && n <= PMG_FEED_NAME_MAX && name[n] == '\0' && !strchr("-_.", name[0]);
}

/* What follows the scheme is read as an address is, whatever the scheme. */
static int check_address(const struct pmg_yaml *value, const char *text, struct pmg_err *err)
{
	static const char *const others[] = { "file:///", "oci://" };
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err why = PMG_ERR_INIT;

	if (pmg_str_has_prefix(text, others[0]) && text[strlen(others[0])])
		return 0;
	if (pmg_str_has_prefix(text, others[1])) {
		pmg_autofree char *as_https = pmg_xasprintf("https://%s", text + strlen(others[1]));

		if (pmg_url_parse(as_https, &url, &why) < 0)
			return pmg_yaml_err(err, value, "\"url\": %s", why.msg);
	} else if (pmg_url_parse(text, &url, &why) < 0) {
		(void)pmg_yaml_err(err, value, "\"url\": %s", why.msg);
		return pmg_err_hint(err, "a feed lies at https://, http://, file:/// or oci://");
	}
	if (url.userinfo)
		return pmg_yaml_err(err, value, "\"url\" has a user name or password in it");
	return 0;
}

static int check_keys(const struct pmg_yaml *value, const struct pmg_config_feed *feed,
		      struct pmg_err *err)
{
	size_t i;

	if ((feed->format == PMG_FEED_PMG_INDEX) != (feed->pubkeys.n > 0))
		return pmg_yaml_err(err, value,
				    "\"pubkeys\" and \"format: pmg-index\" go together");
	if (feed->pubkeys.n > 0 && pmg_str_has_prefix(feed->url, "oci:"))
		return pmg_yaml_err(err, value, "a signed index is not fetched from oci://");
	for (i = 0; i < feed->pubkeys.n; i++)
		if (feed->pubkeys.v[i][0] == '\0' || strlen(feed->pubkeys.v[i]) > KEY_MAX)
			return pmg_yaml_err(err, value, "\"pubkeys\": not a key in base64");
	return 0;
}

static struct pmg_config_feed *find(struct pmg_config_intel *intel, const char *name)
{
	size_t i;

	for (i = 0; i < intel->n_feeds; i++)
		if (strcmp(intel->feeds[i].name, name) == 0)
			return &intel->feeds[i];
	return NULL;
}

static void add(struct pmg_config_intel *intel, const struct pmg_config_feed *taken)
{
	intel->feeds =
		pmg_grow(intel->feeds, intel->n_feeds, &intel->cap_feeds, sizeof *intel->feeds);
	intel->feeds[intel->n_feeds++] = *taken;
}

int pmg_config_read_feed(const struct pmg_yaml *value, void *out, struct pmg_err *err)
{
	struct pmg_config_intel *intel = &((struct pmg_config *)out)->intel;
	pmg_auto(feed) struct pmg_config_feed feed = { .line = value->line, .ecosystem = -1 };
	int r = pmg_keys_read(feed_keys, value, &feed, err);

	if (r < 0)
		return r;
	if (!pmg_feed_name_is_valid(feed.name))
		return pmg_yaml_err(err, pmg_yaml_get(value, "name"),
				    "\"name\" is letters, digits and -_. and begins with one of "
				    "the first two");
	if (find(intel, feed.name))
		return pmg_yaml_err(err, pmg_yaml_get(value, "name"), "a second feed \"%s\"",
				    feed.name);
	r = check_address(pmg_yaml_get(value, "url"), feed.url, err);
	if (r == 0)
		r = check_keys(value, &feed, err);
	if (r < 0)
		return r;
	add(intel, &feed);
	feed = (struct pmg_config_feed){ 0 };
	return 0;
}

const struct pmg_config_feed *pmg_config_feeds(const struct pmg_config_intel *intel, size_t *n)
{
	*n = intel->n_feeds ? intel->n_feeds : PMG_ARRAY_LEN(public_feeds);
	return intel->n_feeds ? intel->feeds : public_feeds;
}

void pmg_config_add_feed(struct pmg_config_intel *intel, const struct pmg_config_feed *feed,
			 const char *file)
{
	struct pmg_config_feed new = { .name = pmg_xstrdup(feed->name),
				       .url = pmg_xstrdup(feed->url),
				       .format = feed->format,
				       .ecosystem = feed->ecosystem,
				       .line = feed->line,
				       .file = file ? pmg_xstrdup(file) : NULL };
	struct pmg_config_feed *old = find(intel, feed->name);

	if (feed->pubkeys.n > 0)
		pmg_strv_extend(&new.pubkeys, feed->pubkeys.v);
	if (!old) {
		add(intel, &new);
		return;
	}
	feed_done(old);
	*old = new;
}

static bool is_on(const char *ci)
{
	return ci && *ci && strcmp(ci, "0") != 0 && strcmp(ci, "false") != 0;
}

int pmg_config_on_missing(const struct pmg_config *config, bool managed, const char *ci)
{
	if (pmg_config_line(config, "intel.on_missing"))
		return config->on_missing;
	return managed || is_on(ci) ? PMG_ON_MISSING_BLOCK : PMG_ON_MISSING_WARN;
}

const char *pmg_index_state_name(enum pmg_index_state state)
{
	static const char *const names[] = { "missing", "stale", "fresh" };

	return names[state];
}

enum pmg_index_state pmg_config_index_state(const struct pmg_config *config, bool present,
					    int64_t checked, int64_t now)
{
	if (!present)
		return PMG_INDEX_MISSING;
	return now > checked && (uint64_t)(now - checked) > config->intel.max_age_s
		       ? PMG_INDEX_STALE
		       : PMG_INDEX_FRESH;
}

char *pmg_config_stale_text(const struct pmg_config *config, int64_t checked)
{
	pmg_autofree char *age = pmg_clock_age(checked, pmg_clock_now());
	pmg_autofree char *most = pmg_clock_age(0, (int64_t)config->intel.max_age_s);

	return pmg_xasprintf(
		"the malware index was last brought up to date %s ago, intel.max_age is "
		"%s",
		age, most);
}

int pmg_config_index_check(const struct pmg_config *config, bool managed, const char *ci,
			   bool present, int64_t checked, struct pmg_err *err)
{
	enum pmg_index_state state =
		pmg_config_index_state(config, present, checked, pmg_clock_now());
	pmg_autofree char *what = NULL;

	if (state == PMG_INDEX_FRESH ||
	    pmg_config_on_missing(config, managed, ci) != PMG_ON_MISSING_BLOCK)
		return 0;
	what = state == PMG_INDEX_STALE ? pmg_config_stale_text(config, checked)
					: pmg_xstrdup("no malware index yet");
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s, and intel.on_missing is block%s", what,
			  pmg_config_line(config, "intel.on_missing") ? ""
			  : managed ? ", as always under managed policy"
				    : ", as always where CI is set");
	(void)pmg_err_diag(err, 3007);
	return pmg_err_hint(err,
			    "\"pmg intel update\" fetches one; \"intel: {on_missing: warn}\" in "
			    "config.yml goes on without");
}
