#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "pm/version.h"
#include "proxy/identity.h"
#include "proxy/place.h"

static void check(const struct pmg_identities *who)
{
	size_t i;

	for (i = 0; i < who->n; i++)
		if (strlen(who->v[i].name) > PMG_NAME_MAX ||
		    (who->v[i].version && strlen(who->v[i].version) > PMG_VERSION_MAX))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmg_autofree char *text = pmg_xstrndup((const char *)data, size);
	pmg_autofree char *plain = pmg_path_plain(text);
	enum pmg_eco eco;

	if (!plain)
		return 0;
	if (plain[0] != '/' || strstr(plain, "//"))
		abort();
	for (eco = 0; eco < PMG_ECO_MAX; eco++) {
		pmg_auto(identities) struct pmg_identities below = { 0 };
		pmg_auto(identities) struct pmg_identities anywhere = { 0 };

		/* What is an artifact by its shape is one wherever the registry stands. */
		if (pmg_identity_artifact(eco, plain, &anywhere) &&
		    pmg_identity_path(eco, plain + 1, &below) != PMG_PATH_ARTIFACT)
			abort();
		check(&below);
		check(&anywhere);
	}
	return 0;
}
