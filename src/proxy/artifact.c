#include "proxy/artifact.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "proxy/loop.h"

/* An address that was refused. */
struct refused {
	char *url;
	struct pmg_refusal refusal;
};

struct pmg_artifacts {
	const struct pmg_gate *gate;
	struct pmg_artifact_policy policy;
	struct pmg_inspectors *inspectors;
	struct pmg_watch *watch;
	struct refused *refused;
	size_t n_refused, cap_refused;
	bool sha256, sha512; /* somebody knows bad ones */
};

struct pmg_artifact {
	struct pmg_artifacts *all;
	struct pmg_artifact_user user;
	struct pmg_inspect *inspect;
	struct pmg_str head;
	struct pmg_str held;
	uint64_t free_left; /* bytes that may go on before any is held back */
	bool is_coded;      /* so that nobody here can tell what the client will see */
	bool is_wrapped;    /* or, as it says, in gzip: some clients undo that first, others not */
	bool names_no_gzip; /* but what the address names is nothing in gzip */
	bool is_partial;
};

static void on_inspectors(void *ctx, uint32_t events)
{
	(void)events;
	pmg_inspectors_hear(((struct pmg_artifacts *)ctx)->inspectors);
}

int pmg_artifacts_new(struct pmg_loop *loop, const struct pmg_gate *gate,
		      const struct pmg_artifact_policy *policy, struct pmg_artifacts **out,
		      struct pmg_err *err)
{
	struct pmg_artifacts *all = pmg_xcalloc(1, sizeof *all);
	int r = pmg_inspectors_new(&all->inspectors, err);

	all->gate = gate;
	all->policy = *policy;
	all->sha256 = pmg_judge_knows_files(gate->judge, 256);
	all->sha512 = pmg_judge_knows_files(gate->judge, 512);
	if (r == 0)
		r = pmg_watch_new(loop, pmg_inspectors_fd(all->inspectors), EPOLLIN, on_inspectors,
				  all, &all->watch, err);
	if (r < 0) {
		pmg_artifacts_free(all);
		return r;
	}
	*out = all;
	return 0;
}

void pmg_artifacts_free(struct pmg_artifacts *artifacts)
{
	size_t i;

	if (!artifacts)
		return;
	pmg_watch_end(artifacts->watch);
	pmg_inspectors_free(artifacts->inspectors);
	for (i = 0; i < artifacts->n_refused; i++)
		free(artifacts->refused[i].url);
	free(artifacts->refused);
	free(artifacts);
}

/*
 * The metadata file of PEP 658 has no code. It is one only beside a distribution, and only where
 * packages have such files: npm fetches a tarball from whatever address a document names.
 */
static bool is_metadata_file(const struct pmg_asked *asked, const struct pmg_url *url)
{
	static const char suffix[] = ".metadata";
	size_t i, len = strlen(url->path), cut = sizeof suffix - 1;
	pmg_autofree char *beside = len > cut ? pmg_xstrndup(url->path, len - cut) : NULL;

	for (i = 0; i < asked->who.n; i++)
		if (asked->who.v[i].eco != PMG_ECO_PYPI)
			return false;
	return beside && strcmp(url->path + len - cut, suffix) == 0 &&
	       !pmg_str_has_suffix(beside, suffix) && pmg_path_looks_like_artifact(beside);
}

static bool is_due(const struct pmg_artifacts *artifacts, const struct pmg_asked *asked)
{
	return asked->kind == PMG_PATH_ARTIFACT && asked->who.n > 0 &&
	       (artifacts->policy.enabled || artifacts->sha256 || artifacts->sha512);
}

bool pmg_artifacts_want(const struct pmg_artifacts *artifacts, const struct pmg_asked *asked,
			const struct pmg_url *url)
{
	return is_due(artifacts, asked) && !is_metadata_file(asked, url);
}

bool pmg_artifacts_want_text(const struct pmg_artifacts *artifacts, const struct pmg_asked *asked,
			     const struct pmg_url *url)
{
	return is_due(artifacts, asked) && is_metadata_file(asked, url);
}

/* Other addresses of the same file are found out about again. */
static void remember(struct pmg_artifacts *all, const struct pmg_url *url,
		     const struct pmg_refusal *refusal)
{
	if (all->n_refused >= PMG_ARTIFACT_REFUSED_MAX)
		return;
	all->refused =
		pmg_grow(all->refused, all->n_refused, &all->cap_refused, sizeof *all->refused);
	all->refused[all->n_refused++] = (struct refused){ pmg_url_text(url), *refusal };
}

bool pmg_artifacts_refuse(const struct pmg_artifacts *artifacts, const struct pmg_url *url,
			  struct pmg_refusal *out)
{
	pmg_autofree char *text = NULL;
	size_t i;

	if (artifacts->n_refused == 0)
		return false;
	text = pmg_url_text(url);
	for (i = 0; i < artifacts->n_refused; i++) {
		if (strcmp(artifacts->refused[i].url, text) != 0)
			continue;
		*out = artifacts->refused[i].refusal;
		return true;
	}
	return false;
}

void pmg_artifact_ask_plain(struct pmg_head *head)
{
	static char identity[] = "identity";
	size_t i;

	for (i = 0; i < head->n; i++)
		if (strcasecmp(head->fields[i].name, "accept-encoding") == 0)
			head->fields[i].value = identity;
}

void pmg_artifact_ask_whole(struct pmg_head *head)
{
	static const char *const parts[] = { "range",         "if-range",
					     "if-none-match", "if-modified-since",
					     "if-match",      "if-unmodified-since" };
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(parts); i++)
		pmg_head_remove(head, parts[i]);
	pmg_artifact_ask_plain(head);
}

static void on_wake(void *ctx)
{
	struct pmg_artifact *artifact = ctx;

	artifact->user.moved(artifact->user.ctx);
}

/* Servers say "gzip" of a .tar.gz as it is: it is read as it comes. What else is said cannot be. */
static void find_coding(struct pmg_artifact *artifact, const struct pmg_head *head)
{
	const char *coding = pmg_head_get(head, "content-encoding");
	bool is_none = !coding || !*coding || strcasecmp(coding, "identity") == 0;

	artifact->is_wrapped =
		!is_none && (strcasecmp(coding, "gzip") == 0 || strcasecmp(coding, "x-gzip") == 0);
	artifact->is_coded =
		(!is_none && !artifact->is_wrapped) || pmg_head_count(head, "content-encoding") > 1;
}

/*
 * A tar in gzip is the same with and without it. What could not be read to its end as it came may
 * be a package to who undoes the coding first: an archive in gzip in gzip, or a zip in gzip. Nor is
 * its digest that of the file, which may be on record: so it is opened whatever policy says.
 */
static const char *not_seen(const struct pmg_artifact *artifact,
			    const struct pmg_inspected *inspected)
{
	if (artifact->is_partial)
		return "only a part of it came, where all was asked for";
	if (artifact->is_coded ||
	    (artifact->is_wrapped && (artifact->names_no_gzip || !inspected->is_whole)))
		return "it came in a coding that was not asked for";
	return inspected->failed;
}

struct pmg_artifact *pmg_artifact_new(struct pmg_artifacts *artifacts,
				      const struct pmg_asked *asked, const char *path,
				      struct pmg_head *head, enum pmg_framing framing,
				      uint64_t length, const struct pmg_artifact_user *user)
{
	struct pmg_artifact *artifact = pmg_xcalloc(1, sizeof *artifact);
	struct pmg_inspect_what what = { .eco = asked->who.v[0].eco,
					 .limits = *pmg_inspect_limits_default(),
					 .sha256 = artifacts->sha256,
					 .sha512 = artifacts->sha512 };
	size_t i;

	for (i = 0; i < asked->who.n; i++)
		pmg_inspect_what_add(&what, asked->who.v[i].name, asked->who.v[i].version);
	find_coding(artifact, head);
	artifact->names_no_gzip = what.eco == PMG_ECO_PYPI && !pmg_str_has_suffix(path, "gz");
	what.opens = artifacts->policy.enabled || artifact->is_wrapped;
	artifact->all = artifacts;
	artifact->user = *user;
	artifact->inspect = pmg_inspect_new(artifacts->inspectors, &what, on_wake, artifact);
	artifact->head.max = PMG_ARTIFACT_HEAD_MAX;
	artifact->held.max = PMG_ARTIFACT_HELD;
	artifact->is_partial = head->status == 206;
	if (framing == PMG_FRAMING_LENGTH && length > PMG_ARTIFACT_HELD)
		artifact->free_left = length - PMG_ARTIFACT_HELD;
	pmg_head_remove(head, "accept-ranges"); /* they are not served */
	return artifact;
}

void pmg_artifact_free(struct pmg_artifact *artifact)
{
	if (!artifact)
		return;
	pmg_inspect_free(artifact->inspect);
	pmg_str_done(&artifact->head);
	pmg_str_done(&artifact->held);
	free(artifact);
}

struct pmg_str *pmg_artifact_head(struct pmg_artifact *artifact)
{
	return &artifact->head;
}

/* @return as the user's pass() */
static enum pmg_flow pass(struct pmg_artifact *artifact, const char *bytes, size_t len)
{
	return len > 0 ? artifact->user.pass(artifact->user.ctx, bytes, len) : PMG_FLOW_GO;
}

/* Where nobody knows how long it is, all that has come last is held back. */
static enum pmg_flow hold(struct pmg_artifact *artifact, const char *bytes, size_t len)
{
	size_t all = artifact->held.len + len, old, new;
	enum pmg_flow flow = PMG_FLOW_GO;

	if (all > PMG_ARTIFACT_HELD) {
		old = all - PMG_ARTIFACT_HELD < artifact->held.len ? all - PMG_ARTIFACT_HELD
								   : artifact->held.len;
		new = all - PMG_ARTIFACT_HELD - old;
		flow = pass(artifact, artifact->held.s, old);
		if (flow == PMG_FLOW_GO)
			flow = pass(artifact, bytes, new);
		pmg_str_consume(&artifact->held, old);
		bytes += new;
		len -= new;
	}
	if (pmg_str_add(&artifact->held, bytes, len) < 0)
		return PMG_FLOW_STOP;
	return flow;
}

enum pmg_flow pmg_artifact_feed(struct pmg_artifact *artifact, const char *bytes, size_t len)
{
	size_t now = artifact->free_left < len ? (size_t)artifact->free_left : len;
	enum pmg_flow flow;

	if (!pmg_inspect_feed(artifact->inspect, bytes, len))
		return PMG_FLOW_WAIT;
	artifact->free_left -= now;
	flow = pass(artifact, bytes, now);
	return flow == PMG_FLOW_GO ? hold(artifact, bytes + now, len - now) : flow;
}

void pmg_artifact_finish(struct pmg_artifact *artifact)
{
	pmg_inspect_finish(artifact->inspect);
}

bool pmg_artifact_is_done(struct pmg_artifact *artifact)
{
	return pmg_inspect_result(artifact->inspect) != NULL;
}

/*
 * Is it a file of a registry's package, and of which? What an address stands for may be read in
 * several ways: what is inside says which it is. An archive from anywhere else is no version of
 * a package whatever it says: one that any project may name would be what later ones are held to.
 */
static bool names_file(const struct pmg_artifact *artifact, const struct pmg_asked *asked,
		       const struct pmg_url *url, const struct pmg_inspected *inspected,
		       struct pmg_earlier_file *out)
{
	const struct pmg_artifacts *all = artifact->all;
	size_t homes[PMG_REGISTRIES_MAX];
	bool is_foreign;

	if (!all->policy.enabled || !inspected->who || !inspected->who->version)
		return false;
	(void)pmg_catalog_homes(all->gate->catalog, url, asked->who.v[0].eco, asked->who.v[0].name,
				homes, &is_foreign);
	if (is_foreign)
		return false;
	*out = (struct pmg_earlier_file){ asked->who.v[0].eco, inspected->who->name,
					  inspected->who->version, inspected->is_wheel };
	return true;
}

bool pmg_artifact_judge(struct pmg_artifact *artifact, const struct pmg_asked *asked,
			const struct pmg_url *url, struct pmg_refusal *out)
{
	struct pmg_artifacts *all = artifact->all;
	struct pmg_inspected *inspected = pmg_inspect_result(artifact->inspect);
	const struct pmg_gate_artifact seen = {
		.findings = &inspected->findings,
		.others = &inspected->others,
		.sha256 = all->sha256 ? inspected->sha256 : NULL,
		.sha512 = all->sha512 ? inspected->sha512 : NULL,
		.block = all->policy.enabled ? all->policy.block : 0,
		.report = all->policy.enabled ? all->policy.report : 0,
		.failed = not_seen(artifact, inspected),
	};
	struct pmg_earlier_file file;
	bool is_named = names_file(artifact, asked, url, inspected, &file);

	if (is_named)
		pmg_earlier_compare(all->policy.earlier, &file, &inspected->findings);
	if (!pmg_gate_release(all->gate, asked, url, &seen, out)) {
		/* What was cut on its way may come whole the next time. */
		if (inspected->findings.counts[PMG_TRAIT_UNREADABLE] == 0)
			remember(all, url, out);
		return false;
	}
	if (is_named && inspected->is_whole)
		pmg_earlier_keep(all->policy.earlier, &file, &inspected->findings);
	return true;
}

enum pmg_flow pmg_artifact_release(struct pmg_artifact *artifact)
{
	return pass(artifact, artifact->held.s, artifact->held.len);
}
