#include "sandbox/lockdown.h"

#include <poll.h>

#include "base/url.h"
#include "sandbox/sandbox.h"

#define DIAG 2107

int pmg_lockdown_can(const struct pmg_policy *policy, const struct pmg_driver *driver,
		     struct pmg_err *err)
{
	const struct {
		bool said, held;
		const char *what, *source, *hint;
	} rows[] = {
		{ policy->proxy_only, driver->locks_network, "network_via_proxy_only: true",
		  policy->proxy_only_source,
		  "\"pmg sandbox doctor\" says which driver this machine can have" },
		{ !policy->proxy_only, driver->opens_network, "network_via_proxy_only: false",
		  policy->proxy_only_source,
		  "take the line out: network.allow_outbound and net-connect= open hosts, "
		  "through pmg's proxy" },
		{ policy->direct_dns, driver->opens_network, "allow_direct_dns: true",
		  policy->direct_dns_source,
		  "take the line out: pmg answers the names of what may be reached" },
	};
	size_t i;

	for (i = 0; i < PMG_ARRAY_LEN(rows); i++) {
		if (!rows[i].said || rows[i].held)
			continue;
		(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0, "%s: driver %s cannot give %s",
				  rows[i].source ? rows[i].source : "the profile", driver->name,
				  rows[i].what);
		(void)pmg_err_hint(err, "%s", rows[i].hint);
		return pmg_err_diag(err, DIAG);
	}
	return 0;
}

static int no_proxy(const char *why, struct pmg_err *err)
{
	(void)pmg_err_set(err, PMG_E_UNSUPPORTED, 0,
			  "network_via_proxy_only, and no live proxy of pmg's: %s", why);
	return pmg_err_diag(err, DIAG);
}

/* Where the driver's listener is, and with the token: any other address would be a way out, or
 * none. */
static const char *wrong_address(const char *proxy)
{
	pmg_auto(url) struct pmg_url url = { 0 };
	struct pmg_err scratch = PMG_ERR_INIT;

	if (!proxy)
		return "it has no address";
	if (pmg_url_parse(proxy, &url, &scratch) < 0)
		return "its address cannot be read";
	if (!pmg_host_is_loopback(url.host))
		return "its address is not on loopback";
	if (url.port != PMG_SANDBOX_PROXY_PORT)
		return "its port is not that of the run's listener";
	return url.userinfo ? NULL : "its address has no token";
}

static bool is_gone(int fd)
{
	struct pollfd one = { .fd = fd };

	return fd < 0 || poll(&one, 1, 0) < 0 || (one.revents & (POLLHUP | POLLERR | POLLNVAL));
}

int pmg_lockdown_check(const struct pmg_policy *policy, const struct pmg_driver *driver,
		       const char *proxy, int fd, struct pmg_err *err)
{
	int r = pmg_lockdown_can(policy, driver, err);
	const char *why = NULL;

	if (r < 0 || !policy->proxy_only)
		return r;
	why = wrong_address(proxy);
	if (!why && is_gone(fd))
		why = "it has ended";
	return why ? no_proxy(why, err) : 0;
}
