#ifndef PMG_PM_YARN_RC_H
#define PMG_PM_YARN_RC_H
/**
 * Configuration files of yarn. What names a registry becomes "registry" or
 * "@scope:registry", and a proxy "https-proxy", "proxy" or "http-proxy", as in
 * an npmrc. What beats every variable keeps a name of its own, since the run
 * has to end there: "--https-proxy" and "--proxy" of a .yarnrc, and
 * "networkSettings" of a .yarnrc.yml. A file that is not there, or is no file,
 * adds nothing.
 */
#include "pm/settings.h"

/* Stands for settings that yarn sees in a .yarnrc.yml and we do not. */
#define PMG_YARN_UNREAD "<<"

/** .yarnrc of yarn 1. @return 0; -PMG_E_LIMIT: larger than a megabyte, too many settings */
int pmg_yarnrc_read(struct pmg_settings *settings, const char *path,
		    struct pmg_err *err) PMG_MUST_CHECK;
/** The same from memory. @param path for messages */
int pmg_yarnrc_parse(struct pmg_settings *settings, const char *path, const char *text, size_t len,
		     struct pmg_err *err) PMG_MUST_CHECK;

/**
 * .yarnrc.yml of berry, which yarn 1 reads for yarnPath. Keys are npm's ("httpsProxy" is
 * "https-proxy"), variables put in; files and folders are seen from the one that names them.
 * @return as pmg_yarnrc_read()
 */
int pmg_yarnrc_yml_read(struct pmg_settings *settings, const char *path, const struct pmg_strv *env,
			struct pmg_err *err) PMG_MUST_CHECK;

#endif
