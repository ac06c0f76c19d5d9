#include "io/input/registered_domain.h"

#include "src/text/site.h"

#include <libpsl.h>
#include <string.h>

nd_span nd_registered_domain(nd_span host) {
    char name[ND_SITE_HOST_SIZE + 1];
    if (host.size == 0 || host.size >= sizeof name) {
        return host;
    }
    /* the list takes host names for domains, and would cut an address at its dots */
    const uint8_t last = host.data[host.size - 1];
    if (host.data[0] == '[' || (last >= '0' && last <= '9')) {
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
