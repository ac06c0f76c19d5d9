/* The registered domain of hosts of every kind. */
#include "io/input/page_maker.h"
#include "tests/support/check.h"

#include <string.h>

static void check(const char *host, const char *expected) {
    const nd_span domain = nd_registered_domain((nd_span){(const uint8_t *)host, strlen(host)});
    CU_ASSERT_EQUAL(domain.size, strlen(expected));
    CU_ASSERT(domain.size == strlen(expected) && memcmp(domain.data, expected, domain.size) == 0);
}

static void test_domains(void) {
    check("example.com", "example.com");
    check("www.news.example.com", "example.com");
    check("www.news.example.co.uk", "example.co.uk");
    check("news.163.com", "163.com");
    check("a.b.gov.cn", "b.gov.cn");
}

static void test_hosts_without_one(void) {
    check("", "");
    check("localhost", "localhost");
    check("co.uk", "co.uk");
    check("192.0.2.10", "192.0.2.10");
    check("192.0.2.1", "192.0.2.1");
    check("[2001:db8::1]", "[2001:db8::1]");
}

static const nd_test tests[] = {
    {"domains", test_domains},
    {"hosts without one", test_hosts_without_one},
};
ND_SUITE(t_registered_domain, tests)
