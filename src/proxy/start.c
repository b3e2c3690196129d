#include "proxy/start.h"

#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "base/io.h"
#include "base/log.h"
#include "base/str.h"
#include "kernel/confine.h"
#include "proxy/spool.h"

#define RESOLV_CONF     "/etc/resolv.conf" /* without it there are no search domains */
#define RESOLV_CONF_MAX 65536U

void pmg_start_done(struct pmg_start *start)
{
	pmg_wire_start_done(&start->wire);
	pmg_catalog_free(start->catalog);
	pmg_hosts_free(start->hosts);
	pmg_str_done(&start->packages);
	pmg_strv_done(&start->kinds);
	pmg_msg_done(&start->listeners);
	pmg_route_free(start->route);
	pmg_bundle_free(start->bundle);
	pmg_ca_free(start->ca);
	pmg_judge_close(start->judge);
	pmg_auto_closep(&start->spool_fd);
	free(start->dates);
	pmg_earlier_free(start->earlier);
	*start = (struct pmg_start)PMG_START_INIT;
}

static int hear_registry(struct pmg_start *start, struct pmg_msg *msg, struct pmg_err *err)
{
	pmg_auto(wire_registry) struct pmg_wire_registry m = { 0 };
	enum pmg_eco eco;
	int r;

	r = pmg_wire_registry_decode(msg->body, &m, err);
	if (r == 0)
		r = pmg_eco_parse(m.eco, &eco, err);
	if (r == 0)
		r = pmg_catalog_add_registry(start->catalog, eco, m.url, err);
	if (r == 0 && m.scope)
		pmg_catalog_set_scope(start->catalog, pmg_catalog_count(start->catalog) - 1,
				      m.scope);
	if (r == 0 && m.is_replaced)
		pmg_catalog_set_replaced(start->catalog, pmg_catalog_count(start->catalog) - 1);
	if (r == 0 && m.is_private)
		pmg_catalog_set_private(start->catalog, pmg_catalog_count(start->catalog) - 1,
					m.scope);
	return r;
}

static int hear_source(struct pmg_start *start, struct pmg_msg *msg, struct pmg_err *err)
{
	pmg_auto(wire_source) struct pmg_wire_source m = { 0 };
	enum pmg_eco eco;
	int r;

	r = pmg_wire_source_decode(msg->body, &m, err);
	if (r == 0)
		r = pmg_eco_parse(m.eco, &eco, err);
	if (r == 0)
		r = pmg_catalog_add_source(start->catalog, eco, m.url, m.name, m.version, err);
	return r;
}

static int hear_netrule(struct pmg_start *start, struct pmg_msg *msg, struct pmg_err *err)
{
	pmg_auto(wire_netrule) struct pmg_wire_netrule m = { 0 };
	int r = pmg_wire_netrule_decode(msg->body, &m, err);

	return r < 0 ? r : pmg_hosts_add(start->hosts, &m, err);
}

static int hear_packages(struct pmg_start *start, struct pmg_msg *msg, struct pmg_err *err)
{
	pmg_auto(wire_packages) struct pmg_wire_packages m = { 0 };
	int r = pmg_wire_packages_decode(msg->body, &m, err);

	if (r == 0 && pmg_str_adds(&start->packages, m.piece) < 0)
		r = pmg_err_set(err, PMG_E_LIMIT, 0, "the policy on packages is too large");
	return r;
}

static int hear_listen(struct pmg_start *start, struct pmg_msg *msg, struct pmg_err *err)
{
	pmg_auto(wire_listen) struct pmg_wire_listen m = { 0 };
	int r = pmg_wire_listen_decode(msg->body, &m, err);

	if (r < 0)
		return r;
	if (start->listeners.n_fds > 0 || msg->n_fds == 0 || m.kinds.n != msg->n_fds)
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "%zu listeners for %zu names",
				   msg->n_fds, m.kinds.n);
	start->listeners = *msg;
	*msg = (struct pmg_msg){ 0 };
	start->kinds = m.kinds;
	m.kinds = (struct pmg_strv){ 0 };
	return 0;
}

static int hear_kinds(const struct pmg_strv *names, uint32_t *kinds, struct pmg_err *err)
{
	enum pmg_trait kind;
	size_t i;

	for (i = 0; i < names->n; i++) {
		kind = pmg_trait_parse(names->v[i]);
		if (kind == PMG_TRAIT_MAX)
			return pmg_err_set(err, PMG_E_PEER, 0, "no finding is called \"%s\"",
					   names->v[i]);
		*kinds |= PMG_TRAIT_BIT(kind);
	}
	return 0;
}

static int hear_start(struct pmg_start *start, struct pmg_msg *msg, struct pmg_err *err)
{
	int r = pmg_wire_start_decode(msg->body, &start->wire, err);

	if (r == 0 && start->wire.walls != (start->listeners.n_fds > 0))
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "walls and listeners come together");
	start->artifacts.enabled = start->wire.inspect;
	if (r == 0)
		r = hear_kinds(&start->wire.inspect_block, &start->artifacts.block, err);
	if (r == 0)
		r = hear_kinds(&start->wire.inspect_report, &start->artifacts.report, err);
	return r;
}

static const struct {
	enum pmg_wire_type type;
	int (*hear)(struct pmg_start *start, struct pmg_msg *msg, struct pmg_err *err);
} messages[] = {
	{ PMG_WIRE_REGISTRY, hear_registry }, { PMG_WIRE_SOURCE, hear_source },
	{ PMG_WIRE_NETRULE, hear_netrule },   { PMG_WIRE_LISTEN, hear_listen },
	{ PMG_WIRE_PACKAGES, hear_packages }, { PMG_WIRE_START, hear_start },
};

/* @return 1: that was START; 0: more is to come. A message that cannot be taken goes to *bad: all
 * are read before one is complained about, since a socket that is closed with something unread in
 * it loses what was said last. */
static int hear_one(int wire_fd, struct pmg_start *start, struct pmg_err *bad, struct pmg_err *err)
{
	pmg_auto(msg) struct pmg_msg msg = { 0 };
	struct pmg_err why = PMG_ERR_INIT;
	uint16_t type;
	size_t i;
	int r = pmg_msg_recv(wire_fd, &msg, err);

	if (r == 0)
		return pmg_err_set(err, PMG_E_PEER, 0, "the front closed before START");
	if (r < 0)
		return r;
	for (i = 0; i < PMG_ARRAY_LEN(messages) && messages[i].type != msg.type; i++)
		;
	if (i == PMG_ARRAY_LEN(messages))
		return pmg_err_set(err, PMG_E_PEER, 0, "message %u before START", msg.type);
	type = msg.type; /* hearing may take the message */
	if (messages[i].hear(start, &msg, &why) < 0 && !bad->msg[0])
		*bad = why;
	return type == PMG_WIRE_START;
}

int pmg_start_hear(int wire_fd, struct pmg_start *start, struct pmg_err *err)
{
	struct pmg_err bad = PMG_ERR_INIT;
	int r;

	start->catalog = pmg_catalog_new();
	start->packages = (struct pmg_str)PMG_STR_INIT(PMG_WIRE_PACKAGES_MAX);
	start->hosts = pmg_hosts_new();
	do
		r = hear_one(wire_fd, start, &bad, err);
	while (r == 0);
	pmg_hosts_seal(start->hosts);
	if (r < 0 || !bad.msg[0])
		return r < 0 ? r : 0;
	*err = bad;
	return -(int)err->code;
}

static int write_bundle(const struct pmg_start *start, int fd, struct pmg_err *err)
{
	const char *own = pmg_ca_pem(start->ca), *pem;
	size_t len = 0;
	int r;

	pem = pmg_bundle_pem(start->bundle, &len);
	r = pmg_io_write_all(fd, pem, len, err);
	if (r == 0 && len > 0 && pem[len - 1] != '\n')
		r = pmg_io_write_all(fd, "\n", 1, err);
	if (r == 0)
		r = pmg_io_write_all(fd, own, strlen(own), err);
	return r < 0 ? pmg_err_wrap(err, "CA bundle") : 0;
}

/* What was kept of earlier runs. NULL: nothing, or it cannot be read, which only costs time. */
static char *load_kept(const char *path, size_t max)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	char *text = NULL;
	size_t len = 0;

	if (path && pmg_io_slurp(path, max, &text, &len, &scratch) < 0)
		pmg_log_debug("%s", scratch.msg);
	return text;
}

static void load_caches(struct pmg_start *start)
{
	pmg_autofree char *hosts = load_kept(start->wire.cache_path, PMG_START_CACHE_MAX);

	if (hosts)
		pmg_catalog_add_cached(start->catalog, hosts);
	start->dates = load_kept(start->wire.dates_path, PMG_START_DATES_MAX);
	start->earlier =
		pmg_earlier_new(load_kept(start->wire.contents_path, PMG_START_CONTENTS_MAX));
	start->artifacts.earlier = start->earlier;
}

static void load_search(struct pmg_start *start)
{
	struct pmg_err scratch = PMG_ERR_INIT;
	pmg_autofree char *text = NULL;
	size_t len = 0;

	if (pmg_io_slurp(RESOLV_CONF, RESOLV_CONF_MAX, &text, &len, &scratch) == 0)
		pmg_hosts_set_search(start->hosts, text);
}

static void describe(const struct pmg_start *start, struct pmg_wire_ready *ready)
{
	struct pmg_index_info info = { 0 };

	pmg_judge_info(start->judge, &info);
	ready->index_present = info.present;
	ready->index_built = info.built;
	ready->index_checked = info.checked;
	ready->index_records = info.records;
	ready->blocklist_entries = info.blocklist;
	ready->ca_pem = pmg_xstrdup(pmg_ca_pem(start->ca));
}

int pmg_start_prepare(struct pmg_start *start, struct pmg_err *err)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) /* reads OpenSSL's configuration */
		return pmg_err_set(err, PMG_E_INTERNAL, 0, "libcurl cannot be set up");
	start->bundle = pmg_bundle_new();
	return pmg_ca_new(&start->ca, err);
}

int pmg_start_load(struct pmg_start *start, int bundle_fd, struct pmg_wire_ready *ready,
		   struct pmg_err *err)
{
	const struct pmg_wire_start *wire = &start->wire;
	int r;

	r = pmg_route_new(wire->https_proxy, wire->http_proxy, wire->no_proxy, &start->route, err);
	if (r == 0)
		r = pmg_bundle_complete(start->bundle, &wire->ca_files, &wire->ca_dirs,
					&ready->notes, err);
	if (r == 0)
		r = write_bundle(start, bundle_fd, err);
	if (r == 0)
		r = pmg_judge_open(wire->index_path, wire->blocklist_path, &start->judge, err);
	if (r == 0 && wire->managed_path)
		r = pmg_judge_add_managed(start->judge, wire->managed_path, err);
	/* Without them the defaults hold, which let less in. */
	if (r == 0 && start->packages.len > 0)
		r = pmg_judge_hear_packages(start->judge, start->packages.s, start->packages.len,
					    err);
	if (r < 0)
		return r;
	load_caches(start);
	load_search(start);
	start->spool_fd = pmg_spool_open();
	describe(start, ready);
	return 0;
}

int pmg_start_confine(struct pmg_err *err)
{
	struct pmg_confine what = { .network = true };
	int r;

	pmg_confine_resolver_paths(&what.read_files);
	r = pmg_confine_self(&what, err);
	pmg_strv_done(&what.read_files);
	return r;
}
