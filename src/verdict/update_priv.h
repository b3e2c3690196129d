#ifndef PMG_VERDICT_UPDATE_PRIV_H
#define PMG_VERDICT_UPDATE_PRIV_H
/**
 * What the files of update share.
 *
 *   update.c          which way a feed is brought up to date; a whole feed; a local one
 *   update_changes.c  the list of changed records (modified_id.csv), and those records
 *   update_signed.c   a signed index
 *   update_oci.c      a feed that is the first layer of an image
 *
 * Errors are in u->err.
 */
#include "verdict/update.h"

#define PMG_UPDATING_FILE "file://" /* addresses of this machine begin so */

/* One feed being brought up to date. */
struct pmg_updating {
	const struct pmg_update *up; /* borrowed, as the next three */
	const struct pmg_config_feed *feed;
	struct pmg_update_report *report;
	struct pmg_err *err;
	struct pmg_fetched state; /* what is remembered of it; saved by pmg_updating_save() */
	char *data;               /* path to which the feed's file is fetched */
	char *changes;            /* folder to which changed records are fetched */
	size_t there;             /* how many records lie in it */
	/* Validators of the list of changes that was read; they count once all is merged. */
	char *list_etag, *list_last_modified;
	bool collected; /* the list was read, and the records that it names are there */
	bool quiet;     /* no progress of a single file: it is one of many records */
};

/** Write what is remembered of the feed. @return 0 or -PMG_E_SYS */
int pmg_updating_save(struct pmg_updating *u) PMG_MUST_CHECK;
/** The address of a file that lies beside the one at url, without query. Caller frees. */
char *pmg_updating_beside(const char *url, const char *name) PMG_MUST_CHECK;
/** Fetch an address of the feed to a file, and count it in the report. @return as
 *  pmg_fetch_file() */
int pmg_updating_fetch(struct pmg_updating *u, struct pmg_fetch_want *want,
		       struct pmg_fetch_got *got) PMG_MUST_CHECK;
/**
 * Take a file or folder into the index.
 * @param also, merge  as in struct pmg_import_want
 * @return what the import returns
 */
int pmg_updating_import(struct pmg_updating *u, const char *path, const char *also,
			bool merge) PMG_MUST_CHECK;

/** Does the feed's server have a list of changes, going by its address? */
bool pmg_updating_has_list(const struct pmg_config_feed *feed);
/**
 * Fetch the records that were changed since state.since into the folder of changes, and remove all
 * others from it; u->there is how many it holds then. Nothing is done where everything is merged
 * and the list of changes is the same as before.
 * @return 0; 1: the server has no such list, or it names too many; negative: an error
 */
int pmg_updating_collect(struct pmg_updating *u) PMG_MUST_CHECK;
/** Collect the changed records and take them into the index. @return 0; 1: the whole feed has to be
 *  taken instead; negative: an error */
int pmg_updating_changes(struct pmg_updating *u) PMG_MUST_CHECK;
/** Remember that what was collected is in the index now. */
void pmg_updating_set_merged(struct pmg_updating *u);

/** All that bringing a signed index up to date takes. @return 0 or negative */
int pmg_updating_signed(struct pmg_updating *u) PMG_MUST_CHECK;

/**
 * Fetch the first layer of an image to u->data; its digest becomes state.etag.
 * @param[out] unchanged  it is the layer that was fetched last: nothing was fetched
 * @return 0 or negative
 */
int pmg_updating_blob(struct pmg_updating *u, bool *unchanged) PMG_MUST_CHECK;

#endif
