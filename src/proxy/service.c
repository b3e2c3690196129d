#include "proxy/service.h"

#include "base/url.h"
#include "proxy/catalog.h"

bool pmg_service_has_room(const struct pmg_service *service, enum pmg_role role)
{
	return service->n_connections < PMG_CONNECTIONS_MAX &&
	       (role == PMG_ROLE_MANAGER || service->n_scripts < PMG_SCRIPTS_MAX);
}

void pmg_service_enter(struct pmg_service *service, enum pmg_role role)
{
	service->n_connections++;
	service->n_scripts += role != PMG_ROLE_MANAGER;
}

void pmg_service_leave(struct pmg_service *service, enum pmg_role role)
{
	service->n_connections--;
	service->n_scripts -= role != PMG_ROLE_MANAGER;
	service->freed(service->freed_ctx);
}

const struct pmg_upstream *pmg_service_way(const struct pmg_service *service,
					   const struct pmg_url *url)
{
	bool is_near = service->nearby.route && pmg_host_is_loopback(url->host) &&
		       !pmg_catalog_knows(service->catalog, url->host, url->port);

	return is_near ? &service->nearby : &service->upstream;
}
