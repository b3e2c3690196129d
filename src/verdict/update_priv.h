#ifndef PMG_VERDICT_UPDATE_PRIV_H
#define PMG_VERDICT_UPDATE_PRIV_H
/** What the files of update share. */
#include "verdict/update.h"

/* One feed being brought up to date. */
struct updating {
	const struct pmg_update *up;
	const struct pmg_config_feed *feed;
	struct pmg_update_report *report;
	struct pmg_err *err;
	struct pmg_fetched state;
	char *data;                     /* path of what is fetched */
	char *changes;                  /* folder of changed records */
	size_t there;                   /* records in it */
	char *list_etag, *list_changed; /* of the list that was read; NULL */
	bool collected;                 /* the list was read, and what it names is there */
	bool quiet;                     /* of single records their number is shown */
};

int pmg_updating_save(struct updating *u) PMG_MUST_CHECK;
/** Fetch an address of the feed to a file. @return as pmg_fetch_file() */
int pmg_updating_fetch(struct updating *u, struct pmg_fetch_want *want,
		       struct pmg_fetch_got *got) PMG_MUST_CHECK;
/** @param also  pmg_import_want */
int pmg_updating_import(struct updating *u, const char *path, const char *also,
			bool merge) PMG_MUST_CHECK;

/** Has the feed's server a list of changes, going by its address? */
bool pmg_updating_has_list(const struct pmg_config_feed *feed);
/**
 * Fetch the records that were changed since state.since into the folder of changes, which then
 * holds no others; u->there is how many. Unless all is merged and the list of them is unchanged.
 * @return 0; 1: there is no such list, or too much in it; negative
 */
int pmg_updating_collect(struct updating *u) PMG_MUST_CHECK;
/** Collect, and take them into the index. @return as above: with 1 the whole is to be taken */
int pmg_updating_changes(struct updating *u) PMG_MUST_CHECK;
/** What was collected is in the index. */
void pmg_updating_is_merged(struct updating *u);

/** The whole of it for a signed index. */
int pmg_updating_signed(struct updating *u) PMG_MUST_CHECK;

/** Fetch the first layer of an image to u->data; its digest becomes state.etag. */
int pmg_updating_blob(struct updating *u, bool *unchanged) PMG_MUST_CHECK;

#endif
