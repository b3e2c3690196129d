#ifndef PMG_POLICY_DRAFT_H
#define PMG_POLICY_DRAFT_H
/**
 * What profile, presets, overlay and --sandbox-allow say, as written: variables
 * not replaced yet, each entry with the line it stands on. policy/build.c
 * makes a policy of it.
 */
#include "conf/keys.h"
#include "conf/managed.h"
#include "policy/library.h"
#include "policy/policy.h"

#define PMG_DRAFT_ENTRIES_MAX 4096U /* of one file */
#define PMG_DRAFT_TEXT_MAX    4096U /* bytes of one entry */
#define PMG_DRAFT_LABELS_MAX  64U

struct pmg_draft_entry {
	enum pmg_access access;
	enum pmg_layer layer;
	bool deny;
	unsigned roles;
	unsigned line, column; /* of the file; 0: it is of none */
	bool official;         /* of a preset that is part of pmg */
	char *text;
	char *source; /* "label:line" */
};

struct pmg_draft {
	char *name;
	char *description;
	char *inherits;
	struct pmg_strv managers;      /* package_managers: tools it is for; none: for all */
	struct pmg_strv presets;       /* of the profile */
	struct pmg_strv preset_places; /* "label:line:column" of each */
	struct pmg_draft_entry *entries;
	size_t n_entries;
	size_t cap_entries;
	char *proxy_only_source, *direct_dns_source; /* "label:line" */
	bool proxy_only, direct_dns, any_bind, pty, git_config, listed_env;
	uint64_t max_processes, max_open_files;
	struct pmg_strv notes;
	/* Of the file that is being read: layer and name of its entries. */
	enum pmg_layer layer;
	bool official;
	const char *label;
};

void pmg_draft_done(struct pmg_draft *draft);
PMG_DEFINE_AUTO_DONE(draft, struct pmg_draft, pmg_draft_done);

/** Copies all. A source that is NULL becomes "label:line". */
void pmg_draft_add(struct pmg_draft *draft, const struct pmg_draft_entry *entry);

/** Where an entry stands, for an error: "label:line:column", or its source where it is of no file.
 *  Caller frees. */
char *pmg_draft_place(const struct pmg_draft_entry *entry) PMG_MUST_CHECK;

/** Read a profile, with what it inherits before it, or a preset.
 *  @return 0; -PMG_E_CONFIG with file:line:column; -PMG_E_NOTFOUND: the file is gone */
int pmg_draft_read(struct pmg_draft *draft, const struct pmg_library_item *item,
		   struct pmg_err *err) PMG_MUST_CHECK;

/** The same of a text. @param label  how messages and sources call it */
int pmg_draft_text(struct pmg_draft *draft, enum pmg_library_kind kind, const char *label,
		   const char *text, size_t len, struct pmg_err *err) PMG_MUST_CHECK;

/** Find one and read it. A file that its name keeps from being used is told of in the notes.
 *  @return as pmg_library_find() and as above */
int pmg_draft_named(struct pmg_draft *draft, const struct pmg_library *library,
		    enum pmg_library_kind kind, const char *name,
		    struct pmg_err *err) PMG_MUST_CHECK;

/** Add what a file that only takes away denies, by its layer. @return 0; -PMG_E_CONFIG with
 *  file:line:column */
int pmg_draft_denials(struct pmg_draft *draft, const struct pmg_managed *from,
		      struct pmg_err *err) PMG_MUST_CHECK;

/** Rows that read a profile or a preset into a draft whose layer and label are set. */
extern const struct pmg_key pmg_draft_profile_keys[];
extern const struct pmg_key pmg_draft_preset_keys[];

/** [A-Za-z0-9_-]{1,64} */
bool pmg_draft_is_name(const char *name);

#endif
