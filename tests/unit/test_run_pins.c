#include "run/pins.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../helper/folder.h"
#include "base/str.h"
#include "pm/places.h"
#include "run/run_priv.h"

/* The proxy of these tests: names that begin with "bad" are listed, and so is the hash "h-bad";
 * "young" ones are refused where their age counts, "waived" ones let in by somebody's word. */
static void answer_one(int fd, const struct pmg_wire_ask *ask, size_t at, uint64_t number)
{
	static char block[] = "block", allow[] = "allow", reason[] = "known malware";
	static char young[] = "1 h old", word[] = "waived by sam", *words[] = { word };
	const char *name = ask->names.v[at], *age = ask->ages.v[at];
	struct pmg_err err = PMG_ERR_INIT;
	struct pmg_wire_answer answer = {
		.number = number, .at = at, .verdict = block, .reason = reason, .diag = 3001
	};
	pmg_auto(json) struct json_t *body = NULL;

	if (pmg_str_has_prefix(name, "young") && *age && strcmp(age, "ahead") != 0) {
		answer.reason = young;
		answer.diag = 3003;
	} else if (pmg_str_has_prefix(name, "waived")) {
		answer.verdict = allow;
		answer.waivers = (struct pmg_strv){ .v = words, .n = 1 };
	} else if (!pmg_str_has_prefix(name, "bad") && !strstr(ask->hashes.v[at], "h-bad")) {
		return;
	}
	body = pmg_wire_answer_encode(&answer);
	if (pmg_msg_send(fd, PMG_WIRE_ANSWER, body, &err) < 0)
		_exit(1);
}

/* @param off  added to the number of each answer: an answer to another question */
static void proxy(int fd, unsigned off)
{
	struct pmg_err err = PMG_ERR_INIT;

	for (;;) {
		pmg_auto(msg) struct pmg_msg msg = { 0 };
		pmg_auto(wire_ask) struct pmg_wire_ask ask = { 0 };
		struct pmg_wire_answered answered = { 0 };
		pmg_auto(json) struct json_t *body = NULL;
		size_t i;

		if (pmg_msg_recv(fd, &msg, &err) <= 0)
			_exit(0);
		if (msg.type != PMG_WIRE_ASK || pmg_wire_ask_decode(msg.body, &ask, &err) < 0)
			_exit(2);
		for (i = 0; i < ask.names.n; i++)
			answer_one(fd, &ask, i, ask.number + off);
		answered.number = ask.number;
		body = pmg_wire_answered_encode(&answered);
		if (pmg_msg_send(fd, PMG_WIRE_ANSWERED, body, &err) < 0)
			_exit(1);
	}
}

struct world {
	struct pmg_signals signals;
	struct pmg_proxy proxy;
	struct pmg_record record;
	struct pmg_attend attend;
};

static void begin(struct world *w, unsigned off)
{
	struct pmg_err err = PMG_ERR_INIT;
	int fds[2];

	*w = (struct world){ .signals = PMG_SIGNALS_INIT, .proxy = PMG_PROXY_INIT };
	assert_int_equal(pmg_signals_open(&w->signals, &err), 0);
	assert_int_equal(pmg_msg_pair(fds, &err), 0);
	w->proxy.fd = fds[0];
	w->proxy.pid = fork();
	assert_true(w->proxy.pid >= 0);
	if (w->proxy.pid == 0) {
		(void)close(fds[0]);
		proxy(fds[1], off);
	}
	(void)close(fds[1]);
	w->attend = (struct pmg_attend){ .signals = &w->signals,
					 .proxy = &w->proxy,
					 .record = &w->record };
}

static void end(struct world *w)
{
	pmg_proxy_done(&w->proxy);
	pmg_signals_close(&w->signals);
	pmg_record_done(&w->record);
}

static void add(struct pmg_resolved *set, enum pmg_eco eco, char *name, const char *version,
		char *integrity)
{
	set->v = pmg_grow(set->v, set->n, &set->cap, sizeof *set->v);
	set->v[set->n++] = (struct pmg_resolved_package){ .eco = eco,
							  .name = name,
							  .version = pmg_xstrdup(version),
							  .integrity = integrity,
							  .file = "lock" };
}

static enum pmg_pin_age age_of(void *ctx, const struct pmg_resolved_package *p)
{
	(void)ctx;
	(void)p;
	return PMG_PIN_AGE_NONE;
}

/* More packages than a question holds, of both ecosystems, some of them twice. */
static void every_package_is_asked_once(void **state)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;
	size_t i;

	(void)state;
	begin(&w, 0);
	for (i = 0; i < 3000; i++)
		add(&set, PMG_ECO_NPM, pmg_xasprintf("p%zu", i), "1.0.0",
		    pmg_xasprintf("sha512-%080zu==", i));
	for (i = 0; i < 5; i++)
		add(&set, PMG_ECO_NPM, pmg_xstrdup("bad-npm"), "1.0.0\x1b[31m", NULL);
	add(&set, PMG_ECO_PYPI, pmg_xstrdup("bad-py"), "1.0", NULL);
	pmg_resolved_sort(&set);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), 0);
	assert_int_equal(hits.n, 2);
	assert_string_equal(set.v[hits.v[0].at].name, "bad-npm");
	assert_string_equal(set.v[hits.v[1].at].name, "bad-py");
	assert_string_equal(hits.v[1].what.reason, "known malware");
	end(&w);
}

/* A package whose hashes fill more than one element is asked for until all are told. */
static void the_last_of_many_hashes_counts(void **state)
{
	pmg_auto(str) struct pmg_str hashes = PMG_STR_INIT(1U << 20);
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;
	size_t i;

	(void)state;
	begin(&w, 0);
	for (i = 0; i < 900; i++)
		assert_int_equal(pmg_str_addf(&hashes, "sha256:%064zu ", i), 0);
	assert_int_equal(pmg_str_adds(&hashes, "h-bad"), 0);
	add(&set, PMG_ECO_PYPI, pmg_xstrdup("many"), "1", pmg_str_steal(&hashes));
	add(&set, PMG_ECO_PYPI, pmg_xstrdup("next"), "1", NULL);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), 0);
	assert_int_equal(hits.n, 1);
	assert_int_equal(hits.v[0].at, 0);
	end(&w);
}

static void an_answer_to_another_question_ends_it(void **state)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;

	(void)state;
	begin(&w, 1);
	add(&set, PMG_ECO_NPM, pmg_xstrdup("bad"), "1.0.0", NULL);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), -PMG_E_PEER);
	assert_int_equal(hits.n, 0);
	end(&w);
}

static void a_proxy_that_is_gone_is_an_error(void **state)
{
	pmg_auto(resolved) struct pmg_resolved set = { 0 };
	pmg_auto(pin_hits) struct pmg_pin_hits hits = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct world w;

	(void)state;
	begin(&w, 0);
	assert_int_equal(kill(w.proxy.pid, SIGKILL), 0);
	add(&set, PMG_ECO_NPM, pmg_xstrdup("x"), "1.0.0", NULL);
	assert_int_equal(pmg_pins_ask(&w.attend, &set, age_of, NULL, &hits, &err), -PMG_E_PEER);
	end(&w);
}

/* A run of npm in a project, with what is pinned and what lies there before and after it. Of what
 * lies there MORE is "listed", where it stands in npm's list alone, or what it is by its own word:
 * "NAME VERSION". */
struct decision {
	const char *line;
	enum pmg_verb verb;
	const char *pinned, *installed; /* "NAME VERSION MORE, ..." of each; "": no such file */
	const char *then_pinned, *then_installed; /* NULL: as before */
	bool refused;
	const char *told;
};

#define REFUSED "(known malware, PMG3001) "

static const struct decision decisions[] = {
	{ "npm ci", PMG_VERB_FETCH, "a 1, b 1", "", NULL, "a 1, b 1", false,
	  "allow a@1 from lockfile\nallow b@1 from lockfile\n" },
	{ "npm ci", PMG_VERB_FETCH, "a 1, bad 1", "", NULL, NULL, true,
	  "block bad@1 PMG3008 " REFUSED "here:4; nothing was started\n" },
	{ "npm run x", PMG_VERB_RUN, "a 1", "bad 1", NULL, NULL, true,
	  "block bad@1 PMG3008 " REFUSED "there:3; nothing was started\n" },
	/* What may take it out goes on, and is looked at when it has. */
	{ "npm rm bad", PMG_VERB_FETCH, "bad 1", "", "", NULL, false,
	  "! [PMG3008] here:3: bad@1: known malware; this command may take it out, its scripts do "
	  "not "
	  "run\n" },
	{ "npm rm other", PMG_VERB_FETCH, "bad 1", "", NULL, NULL, false,
	  "! [PMG3008] here:3: bad@1: known malware; this command may take it out, its scripts do "
	  "not "
	  "run\nblock bad@1 PMG3008 " REFUSED "here:3; it stands there now\n" },
	{ "npm install bad@2", PMG_VERB_FETCH, "bad 1", "", "good 2", NULL, false,
	  "! [PMG3008] here:3: bad@1: known malware; this command may take it out, its scripts do "
	  "not "
	  "run\n" },
	{ "npm install bad@2", PMG_VERB_FETCH, "bad 1, bad-too 1", "", NULL, NULL, true,
	  "block bad@1 PMG3008 " REFUSED "here:3; nothing was started\n"
	  "block bad-too@1 PMG3008 " REFUSED "here:4; nothing was started\n" },
	/* Age: of what the command may install. */
	{ "npm ci", PMG_VERB_FETCH, "young 1", "", NULL, NULL, true,
	  "block young@1 PMG3003 (1 h old) here:3; nothing was started\n" },
	{ "npm run x", PMG_VERB_RUN, "young 1", "", NULL, NULL, false, "" },
	{ "npm install", PMG_VERB_FETCH, "young 1", "young 1", NULL, NULL, false, "" },
	{ "npm install", PMG_VERB_FETCH, "young 2", "young 1", NULL, NULL, true,
	  "block young@2 PMG3003 (1 h old) here:3; nothing was started\n" },
	/* It is installed again; it does not lie there; another one does. */
	{ "npm ci", PMG_VERB_FETCH, "young 1", "young 1", NULL, NULL, true,
	  "block young@1 PMG3003 (1 h old) here:3; nothing was started\n" },
	{ "npm install", PMG_VERB_FETCH, "young 1", "young 1 listed", NULL, NULL, true,
	  "block young@1 PMG3003 (1 h old) here:3; nothing was started\n" },
	{ "npm install", PMG_VERB_FETCH, "young 1", "young 1 young 0", NULL, NULL, true,
	  "block young@1 PMG3003 (1 h old) here:3; nothing was started\n" },
	{ "npm ci", PMG_VERB_FETCH, "young 1 darwin", "", NULL, NULL, false, "" },
	/* A setting may have it installed all the same, and so may another entry. */
	{ "npm ci --force", PMG_VERB_FETCH, "young 1 darwin", "", NULL, NULL, true,
	  "block young@1 PMG3003 (1 h old) here:3; nothing was started\n" },
	{ "npm ci", PMG_VERB_FETCH, "young 1 darwin, x/node_modules/young 1", "", NULL, NULL, true,
	  "block young@1 PMG3003 (1 h old) here:4; nothing was started\n" },
	{ "npm update", PMG_VERB_FETCH, "young 1", "", "a 2", NULL, false,
	  "! [PMG3003] here:3: young@1: 1 h old; this command may take it out\n" },
	{ "npm ci", PMG_VERB_FETCH,
	  "young1 1, young2 1, young3 1, young4 1, young5 1, young6 1, young7 1, young8 1, young9 "
	  "1",
	  "", NULL, NULL, true,
	  "block young1@1 PMG3003 (1 h old) here:3; nothing was started\n"
	  "block young2@1 PMG3003 (1 h old) here:4; nothing was started\n"
	  "block young3@1 PMG3003 (1 h old) here:5; nothing was started\n"
	  "block young4@1 PMG3003 (1 h old) here:6; nothing was started\n"
	  "block young5@1 PMG3003 (1 h old) here:7; nothing was started\n"
	  "block young6@1 PMG3003 (1 h old) here:8; nothing was started\n"
	  "block young7@1 PMG3003 (1 h old) here:9; nothing was started\n"
	  "block young8@1 PMG3003 (1 h old) here:10; nothing was started\n"
	  "block young9@1 PMG3003 (1 h old) here:11; nothing was started\n" },
	/* What has come past the proxy. What it has judged is not asked about again. */
	{ "npm install", PMG_VERB_FETCH, "", "", "", "bad 1, young 1, a 1", false,
	  "allow a@1 from lockfile\n"
	  "block bad@1 PMG3008 " REFUSED
	  "there:3; it is installed now, out of the tool's own cache or store: \"npm uninstall "
	  "bad\" takes it out\n"
	  "block young@1 PMG3003 (1 h old) there:4; it is installed now, out of the tool's own "
	  "cache or store: \"npm uninstall young\" takes it out\n" },
	{ "npm install --target x", PMG_VERB_FETCH, "", "", "", "young 1", false,
	  "block young@1 PMG3003 (1 h old) there:3; it is installed now, out of the tool's own "
	  "cache or store\n" },
	{ "npm install", PMG_VERB_FETCH, "", "", "young-seen 1", "young-seen 1", false, "" },
	/* What was said to lie there, and what was put in its place */
	{ "npm install", PMG_VERB_FETCH, "", "young 1 listed", NULL, "young 1", false,
	  "block young@1 PMG3003 (1 h old) there:3; it is installed now, out of the tool's own "
	  "cache or store: \"npm uninstall young\" takes it out\n" },
	{ "npm run x", PMG_VERB_RUN, "", "young 1", NULL, "young 1", false,
	  "block young@1 PMG3003 (1 h old) there:3; it is installed now, out of the tool's own "
	  "cache or store: \"npm uninstall young\" takes it out\n" },
	{ "npm run x", PMG_VERB_RUN, "", "young 1", NULL, "young 1 unchanged, a 1", false,
	  "allow a@1 from lockfile\n" },
	/* What it is by its own word, whatever it was fetched as */
	{ "npm install", PMG_VERB_FETCH, "", "", "", "seen 1 bad 1", false,
	  "block bad@1 PMG3008 " REFUSED
	  "there/seen/package.json; it is installed now, out of the tool's own cache or store: "
	  "\"npm uninstall bad\" takes it out\n" },
	{ "npm install", PMG_VERB_FETCH, "", "", "", "a 0 young 1", false,
	  "allow a@0 from lockfile\nallow a@1 from lockfile\n"
	  "block young@1 PMG3003 (1 h old) there/a/package.json; it is installed now, out of the "
	  "tool's own cache or store: \"npm uninstall young\" takes it out\n" },
	{ "npm install", PMG_VERB_FETCH, "", "", "young 1", "", false, "" },
	{ "npm run x", PMG_VERB_RUN, "waived 1", "", NULL, NULL, false,
	  "allow waived@1 (waived by sam)\n" },
};

struct place {
	struct world world;
	char *folder;
	struct pmg_running run;
	struct pmg_run_want want;
	struct pmg_run_result result;
	struct pmg_str said;
};

static void say_line(void *arg, enum pmg_say kind, const char *line)
{
	struct place *place = arg;

	(void)kind;
	assert_int_equal(pmg_str_addf(&place->said, "! %s\n", line), 0);
}

/* A lockfile with each package on a line of its own, from the third. */
static void write_lock(const char *folder, const char *name, const char *packages)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1U << 16);
	pmg_auto(strv) struct pmg_strv list = { 0 };
	size_t i;

	if (!*packages)
		return;
	pmg_strv_split(&list, packages, ",");
	assert_int_equal(pmg_str_adds(&out, "{\n\"packages\": {"), 0);
	for (i = 0; i < list.n; i++) {
		pmg_auto(strv) struct pmg_strv words = { 0 };

		pmg_strv_split(&words, list.v[i], " ");
		assert_int_equal(pmg_str_addf(&out,
					      "%s\n\"node_modules/%s\": {\"version\": \"%s\"%s}",
					      i > 0 ? "," : "", words.v[0], words.v[1],
					      words.n == 3 && strcmp(words.v[2], "darwin") == 0
						      ? ", \"os\": [\"darwin\"], \"optional\": true"
						      : ""),
				 0);
	}
	assert_int_equal(pmg_str_adds(&out, "}}"), 0);
	folder_write(folder, name, out.s, out.len);
}

/* What each is by its own word. */
static void write_folders(const char *folder, const char *installed)
{
	pmg_auto(strv) struct pmg_strv list = { 0 };
	size_t i;

	pmg_strv_split(&list, installed, ",");
	for (i = 0; i < list.n; i++) {
		pmg_auto(strv) struct pmg_strv words = { 0 };
		pmg_autofree char *path = NULL, *text = NULL;
		size_t own;

		pmg_strv_split(&words, list.v[i], " ");
		own = words.n > 3 ? 2 : 0;
		if (words.n == 3)
			continue; /* it stays what it is */
		path = pmg_xasprintf("node_modules/%s/package.json", words.v[0]);
		text = pmg_xasprintf("{\"name\": \"%s\", \"version\": \"%s\"}", words.v[own],
				     words.v[own + 1]);
		folder_write(folder, path, text, strlen(text));
	}
}

static void write_locks(const char *folder, const char *pinned, const char *installed)
{
	write_lock(folder, "package-lock.json", pinned);
	write_lock(folder, "node_modules/.package-lock.json", installed);
	write_folders(folder, installed);
}

static void begin_run(struct place *place, const struct decision *row, struct pmg_strv *argv)
{
	static const struct pmg_strv no_env = { 0 };
	pmg_auto(places) struct pmg_places places = { 0 };

	*place = (struct place){ .folder = folder_new(), .said = PMG_STR_INIT(1U << 16) };
	begin(&place->world, 0);
	pmg_strv_split(argv, row->line, " ");
	place->want = (struct pmg_run_want){
		.argv = pmg_strv_argv(argv), .env = &no_env, .say = say_line, .arg = place
	};
	place->run.want = &place->want;
	place->run.result = &place->result;
	place->run.attend = place->world.attend;
	place->run.attend.record = &place->result.record;
	place->run.prepared.pm = pmg_pm_find("npm");
	place->run.prepared.verb = row->verb;
	place->run.prepared.any_system = pmg_strv_has(argv, "--force");
	places.project = pmg_xstrdup(place->folder);
	pmg_strv_take(&places.modules, pmg_path_join(place->folder, "node_modules"));
	pmg_settled_find(place->run.prepared.pm, place->folder, &places, place->want.argv,
			 &place->run.prepared.settled);
}

static void end_run(struct place *place)
{
	pmg_settled_done(&place->run.prepared.settled);
	pmg_pins_done(&place->run.pins);
	pmg_run_result_done(&place->result);
	pmg_str_done(&place->said);
	end(&place->world);
	folder_free(place->folder);
}

/* What the proxy let in meanwhile. */
static void let_in(struct pmg_record *record, const char *name)
{
	struct pmg_wire_judged judged = { .eco = pmg_xstrdup("npm"),
					  .name = pmg_xstrdup(name),
					  .version = pmg_xstrdup("1"),
					  .verdict = pmg_xstrdup("allow"),
					  .url = pmg_xstrdup("https://r.test/") };

	assert_true(pmg_record_judged(record, &judged));
}

static void put(struct pmg_str *out, const char *before, const char *text, const char *behind)
{
	assert_int_equal(pmg_str_addf(out, "%s%s%s", before, text, behind), 0);
}

/* Paths of the project become "here" and "there". Caller frees. */
static char *shortened(const char *text, const char *folder)
{
	const char *const names[][2] = { { "/package-lock.json", "here" },
					 { "/node_modules/.package-lock.json", "there" },
					 { "/node_modules", "there" } };
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1U << 16);
	size_t i;

	while (*text) {
		for (i = 0; i < PMG_ARRAY_LEN(names); i++) {
			pmg_autofree char *path = pmg_xasprintf("%s%s", folder, names[i][0]);

			if (pmg_str_has_prefix(text, path)) {
				put(&out, "", names[i][1], "");
				text += strlen(path);
			}
		}
		if (*text)
			assert_int_equal(pmg_str_add(&out, text++, 1), 0);
	}
	return out.s ? pmg_str_steal(&out) : pmg_xstrdup("");
}

static char *told(const struct place *place)
{
	pmg_auto(str) struct pmg_str out = PMG_STR_INIT(1U << 16);
	const struct pmg_record *record = &place->result.record;
	char code[PMG_DIAG_LEN];
	size_t i;

	put(&out, "", place->said.s ? place->said.s : "", "");
	for (i = 0; i < record->n_packages; i++) {
		const struct pmg_wire_judged *m = &record->packages[i].what;

		if (strcmp(m->url ? m->url : "", "https://r.test/") == 0)
			continue;
		put(&out, m->verdict, " ", m->name);
		put(&out, "@", m->version, "");
		pmg_diag_text(m->diag, code);
		if (m->diag)
			put(&out, " ", code, "");
		if (m->reason)
			put(&out, " (", m->reason, ")");
		if (m->waivers.n > 0)
			put(&out, " (", m->waivers.v[0], ")");
		if (m->note)
			put(&out, " ", m->note, "");
		if (m->sources.n > 0)
			put(&out, " from ", m->sources.v[0], "");
		put(&out, "", "\n", "");
	}
	return shortened(out.s, place->folder);
}

static void what_follows_from_the_answers(void **state)
{
	struct pmg_err err = PMG_ERR_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < PMG_ARRAY_LEN(decisions); i++) {
		const struct decision *row = &decisions[i];
		pmg_auto(strv) struct pmg_strv argv = { 0 };
		pmg_autofree char *got = NULL;
		struct place place;
		bool refused = false;

		begin_run(&place, row, &argv);
		write_locks(place.folder, row->pinned, row->installed);
		assert_int_equal(pmg_pins_read(&place.run, &err), 0);
		assert_int_equal(pmg_pins_before(&place.run, &refused, &err), 0);
		if (!refused) {
			let_in(&place.result.record, "young-seen");
			let_in(&place.result.record, "seen");
			if (row->then_pinned && !*row->then_pinned && *row->pinned)
				folder_write(place.folder, "package-lock.json", "{}", 2);
			write_locks(place.folder, row->then_pinned ? row->then_pinned : "",
				    row->then_installed ? row->then_installed : "");
			assert_int_equal(pmg_pins_after(&place.run, &err), 0);
		}
		got = told(&place);
		if (refused != row->refused || strcmp(got, row->told) != 0)
			fail_msg("row %zu: refused %d\n%s", i, refused, got);
		end_run(&place);
	}
}

static void what_is_pinned_and_installed_counts_once(void **state)
{
	const struct decision row = { .line = "npm install", .verb = PMG_VERB_FETCH };
	pmg_auto(strv) struct pmg_strv argv = { 0 };
	struct pmg_err err = PMG_ERR_INIT;
	struct place place;
	bool refused = false;

	(void)state;
	begin_run(&place, &row, &argv);
	write_locks(place.folder, "a 1, b 1", "a 1, c 1");
	assert_int_equal(pmg_pins_read(&place.run, &err), 0);
	assert_int_equal(pmg_pins_before(&place.run, &refused, &err), 0);
	assert_int_equal(place.run.pins.checked, 3);
	write_locks(place.folder, "a 1, b 1, d 1", "a 1 unchanged, c 1 unchanged, d 1, e 1");
	assert_int_equal(pmg_pins_after(&place.run, &err), 0);
	assert_int_equal(place.run.pins.checked, 5);
	end_run(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_package_is_asked_once),
		cmocka_unit_test(the_last_of_many_hashes_counts),
		cmocka_unit_test(an_answer_to_another_question_ends_it),
		cmocka_unit_test(a_proxy_that_is_gone_is_an_error),
		cmocka_unit_test(what_follows_from_the_answers),
		cmocka_unit_test(what_is_pinned_and_installed_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
