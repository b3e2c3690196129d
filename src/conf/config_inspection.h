#ifndef PMG_CONF_CONFIG_INSPECTION_H
#define PMG_CONF_CONFIG_INSPECTION_H
/** The "inspection" section of config.yml: are artifacts looked into, and which findings
 *  (conf/trait.h) refuse one. */
#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "conf/keys.h"
#include "conf/trait.h"

struct pmg_config_inspection {
	bool enabled;    /* artifacts are opened */
	uint32_t block;  /* bits of the kinds that refuse an artifact */
	uint32_t report; /* bits of the kinds that are recorded; those that block are in any case */
};

void pmg_config_inspection_init(struct pmg_config_inspection *inspection);
/** Add the names of the kinds that these bits stand for. */
void pmg_config_inspection_names(uint32_t bits, struct pmg_strv *out);

/* Rows over struct pmg_config; the second for a project's file, which can only tighten. */
extern const struct pmg_key pmg_config_inspection_keys[];
extern const struct pmg_key pmg_config_inspection_project_keys[];

#endif
