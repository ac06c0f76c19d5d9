#include "io/input/registered_domain.h"

#include "src/text/site.h"

#include <libpsl.h>
#include <string.h>

/* The list takes host names for domains, and would cut an address at its dots. */
static int is_address(nd_span host) {
    return host.size > 0 && (host.data[0] == '[' ||
                             (host.data[host.size - 1] >= '0' && host.data[host.size - 1] <= '9'));
}

nd_span nd_registered_domain(nd_span host) {
    char name[ND_SITE_HOST_SIZE + 1];
    if (host.size == 0 || host.size >= sizeof name || is_address(host)) {
        return host;
    }
    memcpy(name, host.data, host.size);
    name[host.size] = '\0';
    const char *domain = psl_registrable_domain(psl_builtin(), name);
    if (domain == NULL) {
        return host;
    }
    const size_t before = (size_t)(domain - name);
    return (nd_span){host.data + before, host.size - before};
}
