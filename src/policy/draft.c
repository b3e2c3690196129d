#include "policy/draft.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 64U

void pmg_draft_done(struct pmg_draft *draft)
{
	size_t i;

	for (i = 0; i < draft->n_entries; i++) {
		free(draft->entries[i].text);
		free(draft->entries[i].source);
	}
	free(draft->entries);
	free(draft->name);
	free(draft->proxy_only_source);
	free(draft->direct_dns_source);
	free(draft->description);
	free(draft->inherits);
	pmg_strv_done(&draft->managers);
	pmg_strv_done(&draft->presets);
	pmg_strv_done(&draft->preset_places);
	pmg_strv_done(&draft->notes);
	*draft = (struct pmg_draft){ 0 };
}

void pmg_draft_add(struct pmg_draft *draft, const struct pmg_draft_entry *entry)
{
	struct pmg_draft_entry *new;

	draft->entries = pmg_grow(draft->entries, draft->n_entries, &draft->cap_entries,
				  sizeof *draft->entries);
	new = &draft->entries[draft->n_entries++];
	*new = *entry;
	new->text = pmg_xstrdup(entry->text);
	new->source = entry->source ? pmg_xstrdup(entry->source)
				    : pmg_xasprintf("%s:%u", draft->label, entry->line);
}

char *pmg_draft_place(const struct pmg_draft_entry *entry)
{
	return entry->column > 0 ? pmg_xasprintf("%s:%u", entry->source, entry->column)
				 : pmg_xstrdup(entry->source);
}

bool pmg_draft_is_name(const char *name)
{
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

	return n > 0 && n <= NAME_MAX_LEN && name[n] == '\0';
}
