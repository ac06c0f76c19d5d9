#include "io/input/record_limits.h"

#include "src/base/util.h"

#include <inttypes.h>
#include <stdio.h>

/* A page takes up to some eight times its bytes while it is read, a token 12 to 16 bytes, a
 * sentence 110, a member of a JSON object 200: each may have the part of the memory that `parts`
 * gives, and all together stay below it and the 150 MB that are allowed beside it. */
static const struct {
    const char *reason; /* with the limit's number, which may be left out */
    const char *option; /* that raises it; NULL: none does */
    uint64_t usual;
    uint64_t parts; /* most = memory / parts; 0: the memory does not matter */
    uint64_t least; /* of what the memory allows */
} rows[ND_LIMITS] = {
    [ND_LIMIT_PAGE] = {"page of more than %" PRIu64 " bytes", "max-page", UINT64_C(128) << 20, 12,
                       1 << 20},
    [ND_LIMIT_EXPANSION] = {"record that unpacks to more than %" PRIu64 " times its bytes",
                            "max-expansion", 200, 0, 0},
    [ND_LIMIT_CODINGS] = {"body in more than %" PRIu64 " content codings", NULL, 4, 0, 0},
    [ND_LIMIT_HEADER] = {"record header of more than %" PRIu64 " bytes", NULL, 1 << 20, 0, 0},
    [ND_LIMIT_HTTP_HEADER] = {"HTTP header of more than %" PRIu64 " bytes", NULL, 64 << 10, 0, 0},
    [ND_LIMIT_TOKENS] = {"page of more than %" PRIu64 " tokens", NULL, 32 << 20, 64, 64 << 10},
    [ND_LIMIT_SENTENCES] = {"page of more than %" PRIu64 " sentences", NULL, 4 << 20, 512, 8 << 10},
    [ND_LIMIT_JSON_VALUES] = {"JSON line of more than %" PRIu64 " values", NULL, 1 << 20, 1024,
                              4 << 10},
    [ND_LIMIT_JSON_DEPTH] = {"JSON line nested more than %" PRIu64 " deep", NULL, 32, 0, 0},
    [ND_LIMIT_WINDOW] = {"zstd frame with a window of more than %" PRIu64 " bytes", NULL, 128 << 20,
                         8, 8 << 20},
};

nd_record_limits nd_record_limits_of(uint64_t page, uint64_t expansion, uint64_t memory) {
    static const uint64_t longest = UINT64_C(1) << 30; /* offsets in a page fit 32 bits */
    nd_record_limits limits = {0};
    for (size_t i = 0; i < ND_LIMITS; i++) {
        const uint64_t asked = i == ND_LIMIT_PAGE && page > 0             ? page
                               : i == ND_LIMIT_EXPANSION && expansion > 0 ? expansion
                                                                          : rows[i].usual;
        const uint64_t part = memory > 0 && rows[i].parts > 0 ? memory / rows[i].parts : UINT64_MAX;
        const uint64_t allowed = nd_max(part, rows[i].least);
        limits.asked[i] = asked;
        limits.by_memory[i] = allowed < asked;
        limits.most[i] = nd_min(allowed, asked);
    }
    limits.most[ND_LIMIT_PAGE] = nd_min(limits.most[ND_LIMIT_PAGE], longest);
    return limits;
}

const char *nd_record_limits_refuse(const nd_record_limits *limits, nd_record_limit limit,
                                    char *text, size_t size) {
    char reason[128];
    (void)snprintf(reason, sizeof reason, rows[limit].reason, limits->most[limit]);
    if (limits->by_memory[limit]) {
        /* what it takes to have the whole limit, in full MiB */
        const uint64_t memory = limits->asked[limit] * rows[limit].parts;
        (void)snprintf(text, size, "%s, the limit for this memory (--memory %" PRIu64 "M takes %s)",
                       reason, (memory + (1 << 20) - 1) >> 20,
                       limit == ND_LIMIT_PAGE ? "what --max-page allows" : "more");
    } else if (rows[limit].option != NULL) {
        (void)snprintf(text, size, "%s, the limit (--%s raises it)", reason, rows[limit].option);
    } else {
        (void)snprintf(text, size, "%s, the limit", reason);
    }
    return text;
}
