#ifndef PMG_VERDICT_BUILD_PRIV_H
#define PMG_VERDICT_BUILD_PRIV_H
/**
 * What build.c lets SQLite do (build_sql.c). What is added is staged in temporary tables (s_record,
 * s_package, ...); the present index is attached as `old`; out of both the new one is made.
 */

extern const char pmg_build_stage_sql[];  /* makes the temporary tables */
extern const char pmg_build_no_old_sql[]; /* makes an empty `old`, where there is no index yet */
/**
 * The statements that make the new index, to be run in this order; ends with NULL. Each may have
 * any of these parameters: ?1 name of the feed, ?2 date of the index, ?3 whether the feed is
 * merged, ?4 how many of its files could not be read, ?5 whether the feed is dropped.
 */
extern const char *const pmg_build_finish_sql[];

#endif
