#ifndef PMG_CONF_CONFIG_INSPECTION_H
#define PMG_CONF_CONFIG_INSPECTION_H
/** The "inspection" section of config.yml: what of the contents of artifacts matters. */
#include <stdbool.h>
#include <stdint.h>

#include "base/strv.h"
#include "conf/keys.h"
#include "conf/trait.h"

struct pmg_config_inspection {
	bool enabled;    /* artifacts are opened */
	uint32_t block;  /* bits of those kinds that refuse one */
	uint32_t report; /* and of those that are told; what blocks is told in any case */
};

void pmg_config_inspection_init(struct pmg_config_inspection *inspection);
/** The names of the bits. */
void pmg_config_inspection_names(uint32_t bits, struct pmg_strv *out);

/* Rows over struct pmg_config; and over one of a project, whose file can only add. */
extern const struct pmg_key pmg_config_inspection_keys[];
extern const struct pmg_key pmg_config_inspection_project_keys[];

#endif
