#include "mpi/job/memory.h"

#include "src/base/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shares are parts of this many of what is left above the base: sorts 3 x 5, spools 5 x 1, batch 8,
 * rounds 4 x 1. The pages have the rest, and what the others do not want. */
enum { PARTS = 64, SORTS = 3, SORT = 5, SPOOLS = 5, SPOOL = 1, BATCH = 8, ROUNDS = 4, ROUND = 1 };

/* Larger runs gain a sort nothing: merging more of them costs less than sorting far from the cache.
 */
static const uint64_t LARGEST_SORT = UINT64_C(512) << 20;

/* Larger batches gain nothing either: their memory is used again from one to the next. */
static const uint64_t LARGEST_BATCH = UINT64_C(256) << 20;

/* What goes through rounds is written and read a few times in each: from there on messages are as
 * large as they need to be, and memory is used again that the kernel need not give anew. */
static const uint64_t LARGEST_ROUND = UINT64_C(16) << 20;

nd_memory nd_memory_shares(uint64_t total) {
    const uint64_t base = ND_MEMORY_BASE;
    const uint64_t part = (total > 2 * base ? total - base : total / 2) / PARTS;
    nd_memory m = {.total = total,
                   .sort = nd_min(SORT * part, LARGEST_SORT),
                   .spool = SPOOL * part,
                   .batch = nd_min(BATCH * part, LARGEST_BATCH),
                   .round = nd_min(ROUND * part, LARGEST_ROUND)};
    m.store = PARTS * part - SORTS * m.sort - SPOOLS * m.spool - m.batch - ROUNDS * m.round;
    return m;
}

/* The limit of a control group; 0: none, or no such file. */
static uint64_t limit_in(const char *folder, const char *file) {
    char path[1024];
    unsigned long long bytes = 0;
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, file);
    FILE *limit = fopen(path, "r");
    if (limit == NULL) {
        return 0;
    }
    if (fscanf(limit, "%llu", &bytes) != 1) { /* "max" */
        bytes = 0;
    }
    (void)fclose(limit);
    return bytes;
}

/* 0 is no limit. */
static uint64_t smaller_limit(uint64_t a, uint64_t b) {
    return a == 0 || b == 0 ? nd_max(a, b) : nd_min(a, b);
}

uint64_t nd_memory_of_node(void) {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_size = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page_size > 0 ? (uint64_t)pages * (uint64_t)page_size : 0;
    /* Slurm says what the job may use of each node, or for each CPU, in MiB */
    const char *per_node = getenv("SLURM_MEM_PER_NODE");
    const char *per_cpu = getenv("SLURM_MEM_PER_CPU");
    const char *cpus = getenv("SLURM_CPUS_ON_NODE");
    uint64_t mebibytes = 0;
    if (per_node != NULL) {
        mebibytes = strtoull(per_node, NULL, 10);
    } else if (per_cpu != NULL && cpus != NULL) {
        mebibytes = strtoull(per_cpu, NULL, 10) * strtoull(cpus, NULL, 10);
    }
    bytes = smaller_limit(bytes, mebibytes << 20);

    /* this process's control groups, versions 1 and 2, each with all that it lies in */
    char line[512];
    FILE *groups = fopen("/proc/self/cgroup", "r");
    bytes = smaller_limit(bytes, limit_in("/memory", "memory.limit_in_bytes"));
    while (groups != NULL && fgets(line, sizeof line, groups) != NULL) {
        char *folder = strncmp(line, "0::", 3) == 0 ? line + 3 : NULL;
        for (size_t size = folder == NULL ? 0 : strcspn(folder, "\n"); folder != NULL; size--) {
            if (size == 0 || folder[size] == '/' || folder[size] == '\n') {
                folder[size] = '\0';
                bytes = smaller_limit(bytes, limit_in(folder, "memory.max"));
            }
            if (size == 0) {
                break;
            }
        }
    }
    if (groups != NULL) {
        (void)fclose(groups);
    }
    return bytes;
}

uint64_t nd_memory_default(int ranks_on_node) {
    /* a fifth is left to the system and to the page cache that spilled data lives by */
    return nd_memory_of_node() / 5 * 4 / (uint64_t)(ranks_on_node < 1 ? 1 : ranks_on_node);
}
