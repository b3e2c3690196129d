#ifndef PMG_VERDICT_BUILD_PRIV_H
#define PMG_VERDICT_BUILD_PRIV_H
/** What build.c lets SQLite do: the present index and what was staged become the new one. */

extern const char pmg_build_stage_sql[];  /* tables for what is added */
extern const char pmg_build_no_old_sql[]; /* in place of the present index, where there is none */
/**
 * To be run in this order, up to NULL. Parameters that one may have: ?1 the feed's name, ?2 the
 * time, ?3 whether it is merged, ?4 how much of it could not be read, ?5 whether it is dropped.
 */
extern const char *const pmg_build_finish_sql[];

#endif
