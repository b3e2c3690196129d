#include "proxy/client_priv.h"

/* What is held back may go on, or nothing more of it ever does. */
static void settle(struct pmg_client *client)
{
	struct pmg_refusal refusal = { 0 };
	bool passes = pmg_artifact_judge(client->artifact, &client->asked, &client->request.url,
					 &refusal);

	client->asked.is_inspected = false; /* it was told */
	if (passes)
		passes = pmg_artifact_release(client->artifact) == PMG_FLOW_GO;
	if (client->is_broken)
		pmg_client_end(client);
	else if (passes || client->has_head)
		pmg_client_end_answer(client, passes);
	else
		pmg_client_refuse_package(client, &refusal);
}

/* Not from within libcurl's callbacks: inspections are heard of by the loop. */
static void on_moved(void *ctx)
{
	struct pmg_client *client = ctx;

	if (client->exchange)
		pmg_exchange_resume(client->exchange);
	else if (client->state == PMG_CLIENT_JUDGING && pmg_artifact_is_done(client->artifact))
		settle(client);
}

bool pmg_client_begin_artifact(struct pmg_client *client, struct pmg_head *head,
			       enum pmg_framing framing, uint64_t length)
{
	const struct pmg_artifact_user user = { client, pmg_client_deliver_bytes, on_moved };

	if (!client->asked.is_inspected || !pmg_response_has_content(head))
		return false;
	client->artifact = pmg_artifact_new(client->service->artifacts, &client->asked,
					    client->request.url.path, head, framing, length, &user);
	return true;
}

void pmg_client_end_artifact(struct pmg_client *client)
{
	pmg_client_enter(client, PMG_CLIENT_JUDGING);
	pmg_artifact_finish(client->artifact);
}
