#include "run/withheld.h"

#include <string.h>

#include "policy/scrub.h"

/* Who speaks for the user: whatever listens there does what it is asked, outside of all walls. */
static const char *const channels[] = {
	"CONTAINER_HOST",
	"DBUS_SESSION_BUS_ADDRESS",
	"DBUS_SYSTEM_BUS_ADDRESS",
	"DOCKER_HOST",
	"GNOME_KEYRING_CONTROL",
	"GPG_AGENT_INFO",
	"SSH_AGENT_PID",
	"SSH_AUTH_SOCK",
	"SWAYSOCK",
	"TMUX",
	"VSCODE_IPC_HOOK_CLI",
};

static bool is_channel(const char *name)
{
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(channels); i++)
		if (strcmp(channels[i], name) == 0)
			return true;
	return false;
}

/* @param rule  NULL: its shape alone */
static void note(struct pmg_record *record, const struct pmg_policy_rule *rule, const char *name)
{
	pmg_auto(event) struct pmg_event event = {
		.code = is_channel(name) ? 2008 : 2003,
		.op = PMG_EVENT_ENV,
		.by = PMG_EVENT_BY_BROKER,
		.first = record->started,
		.last = record->started,
		.count = 1,
	};

	event.target = pmg_xstrdup(name);
	event.rule = pmg_xstrdup(rule ? rule->text : "a name like that of a credential");
	event.layer = pmg_xstrdup(pmg_layer_name(rule ? rule->layer : PMG_LAYER_MANDATORY));
	event.source = pmg_xstrdup(rule ? rule->source : "built-in mandatory");
	event.allow = pmg_xasprintf("env=%s", name);
	(void)pmg_record_denied(record, &event);
}

void pmg_withheld_note(struct pmg_record *record, const struct pmg_policy *policy,
		       const struct pmg_strv *names)
{
	size_t i;

	for (i = 0; i < names->n; i++) {
		struct pmg_decision decision =
			pmg_policy_ask(policy, PMG_ACCESS_ENV, PMG_ROLE_MANAGER, names->v[i]);

		if (decision.rule || pmg_scrub_is_secret_name(names->v[i]))
			note(record, decision.rule, names->v[i]);
	}
}
