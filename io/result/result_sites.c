#include "io/result/result_sites.h"

#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/text/site.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 16;

bool nd_result_knows_sites(const nd_result *result) {
    return nd_result_has(result, "/sites");
}

/* The hashes of names [begin, begin + count); 0 of what can be no name. */
static nd_status read_names(const nd_result *result, uint64_t begin, uint64_t count,
                            uint64_t hash_seed, uint64_t *sites) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint8_t *bytes = NULL;
    uint64_t end = 0;
    ND_TRY(nd_result_rows(result, "/sites/name_bytes", ND_COLUMN_U8, &end));
    nd_new(&offsets, count + 1, sizeof *offsets);
    ND_TRY(nd_result_read_offsets(result, "/sites/name_offset", begin, count, false, end, offsets));
    const uint64_t first = offsets[0];
    nd_new(&bytes, offsets[count] - first, 1);
    ND_TRY(nd_result_read(result, "/sites/name_bytes", ND_COLUMN_U8, first, offsets[count] - first,
                          bytes));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t size = offsets[i + 1] - offsets[i];
        sites[i] =
            size > ND_SITE_HOST_SIZE
                ? 0
                : nd_site_hash((nd_span){bytes + (offsets[i] - first), (size_t)size}, hash_seed);
    }
out:
    free(offsets);
    free(bytes);
    return st;
}

nd_status nd_result_sites_open(nd_result_sites *sites, const nd_result *result) {
    nd_status st = ND_OK;
    const uint64_t count = result->shape.sites;
    uint64_t hash_seed = 0;
    *sites = (nd_result_sites){.result = result, .count = count, .read = count};
    sites->repeats_all = true;
    ND_TRY(nd_result_hash_seed(result, &hash_seed));
    nd_new(&sites->sites, count, sizeof *sites->sites);
    for (uint64_t begin = 0; begin < count; begin += ROWS_AT_ONCE) {
        ND_TRY(read_names(result, begin, nd_min(count - begin, ROWS_AT_ONCE), hash_seed,
                          sites->sites + begin));
    }
    for (uint64_t i = 0; i < count; i++) {
        if (sites->sites[i] <= (i == 0 ? 0 : sites->sites[i - 1])) {
            st = nd_fail(ND_ERR_FORMAT,
                         "%s: /sites/name_bytes: site %" PRIu64
                         " is not in order: damaged, or not written by neardup",
                         result->path, i);
            goto out;
        }
    }
out:
    return st;
}

/* The hashes of one kind of all sites. */
typedef struct site_lists {
    const char *offsets;
    const char *hashes;
    uint64_t count; /* of hashes */
} site_lists;

static site_lists templates_of(const nd_result *result) {
    return (site_lists){"/sites/template_offset", "/sites/template", result->shape.site_templates};
}

static site_lists repeated_of(const nd_result *result) {
    return (site_lists){"/sites/repeated_offset", "/sites/repeated", result->shape.site_repeated};
}

static nd_status broken_order(const nd_result *result, const site_lists *lists, uint64_t site) {
    return nd_fail(ND_ERR_FORMAT,
                   "%s: %s: the hashes of site %" PRIu64
                   " do not ascend: damaged, or not written by neardup",
                   result->path, lists->hashes, site);
}

/* The list of the site in row `site`. */
static nd_status read_list(const nd_result *result, const site_lists *lists, uint64_t site,
                           uint64_t **list, uint64_t *count) {
    nd_status st = ND_OK;
    uint64_t offsets[2] = {0};
    free(*list);
    *list = NULL;
    *count = 0;
    ND_TRY(nd_result_read_offsets(result, lists->offsets, site, 1, false, lists->count, offsets));
    const uint64_t hashes = offsets[1] - offsets[0];
    nd_new(list, hashes, sizeof **list);
    ND_TRY(nd_result_read(result, lists->hashes, ND_COLUMN_U64, offsets[0], hashes, *list));
    for (uint64_t i = 1; i < hashes; i++) {
        if ((*list)[i] <= (*list)[i - 1]) {
            return broken_order(result, lists, site);
        }
    }
    *count = hashes;
out:
    return st;
}

nd_status nd_result_sites_find(nd_result_sites *sites, uint64_t site) {
    nd_status st = ND_OK;
    uint8_t all = true;
    const nd_result *result = sites->result;
    const uint64_t place = nd_numbers_place(sites->sites, sites->count, site);
    const bool listed = place < sites->count && sites->sites[place] == site;
    const uint64_t row = listed ? place : sites->count;
    if (row == sites->read) {
        return ND_OK;
    }
    sites->template_count = sites->repeated_count = 0;
    sites->repeats_all = true;
    sites->read = sites->count;
    if (listed) {
        const site_lists templates = templates_of(result), repeated = repeated_of(result);
        ND_TRY(read_list(result, &templates, row, &sites->templates, &sites->template_count));
        ND_TRY(read_list(result, &repeated, row, &sites->repeated, &sites->repeated_count));
        ND_TRY(nd_result_read(result, "/sites/repeats_all", ND_COLUMN_U8, row, 1, &all));
        sites->repeats_all = all != 0;
        sites->read = row;
    }
out:
    return st;
}

bool nd_result_site_drops(const nd_result_sites *sites, uint64_t masked) {
    return nd_numbers_hold(sites->templates, sites->template_count, masked);
}

bool nd_result_site_repeats(const nd_result_sites *sites, uint64_t masked, bool link) {
    return sites->repeats_all ? link
                              : nd_numbers_hold(sites->repeated, sites->repeated_count, masked);
}

void nd_result_sites_close(nd_result_sites *sites) {
    free(sites->sites);
    free(sites->templates);
    free(sites->repeated);
    *sites = (nd_result_sites){0};
}

/* Lists follow one another, and so are read in parts of bounded size. */
static nd_status check_lists(const nd_result *result, const site_lists *lists) {
    nd_status st = ND_OK;
    uint64_t *offsets = NULL;
    uint64_t *hashes = NULL;
    uint64_t before = 0;
    nd_new(&offsets, ROWS_AT_ONCE + 1, sizeof *offsets);
    nd_new(&hashes, ROWS_AT_ONCE, sizeof *hashes);
    for (uint64_t begin = 0; begin < result->shape.sites; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(result->shape.sites - begin, ROWS_AT_ONCE);
        uint64_t site = 0; /* of the part */
        ND_TRY(nd_result_read_offsets(result, lists->offsets, begin, count, false, lists->count,
                                      offsets));
        for (uint64_t at = offsets[0], read = 0; at < offsets[count]; at += read) {
            read = nd_min(offsets[count] - at, ROWS_AT_ONCE);
            ND_TRY(nd_result_read(result, lists->hashes, ND_COLUMN_U64, at, read, hashes));
            for (uint64_t i = 0; i < read; i++) {
                while (offsets[site + 1] <= at + i) {
                    site++;
                }
                if (offsets[site] < at + i && hashes[i] <= before) {
                    st = broken_order(result, lists, begin + site);
                    goto out;
                }
                before = hashes[i];
            }
        }
    }
out:
    free(offsets);
    free(hashes);
    return st;
}

static nd_status check_flags(const nd_result *result) {
    nd_status st = ND_OK;
    uint8_t *flags = NULL;
    nd_new(&flags, ROWS_AT_ONCE, sizeof *flags);
    for (uint64_t i = 0; i < result->shape.sites; i++) {
        const uint64_t place = i % ROWS_AT_ONCE;
        if (place == 0) {
            ND_TRY(nd_result_read(result, "/sites/repeats_all", ND_COLUMN_U8, i,
                                  nd_min(result->shape.sites - i, ROWS_AT_ONCE), flags));
        }
        if (flags[place] > 1) {
            st = nd_fail(ND_ERR_FORMAT, "%s: /sites/repeats_all: site %" PRIu64 " has %d",
                         result->path, i, flags[place]);
            goto out;
        }
    }
out:
    free(flags);
    return st;
}

nd_status nd_result_sites_check(const nd_result *result) {
    nd_result_sites sites = {0};
    const site_lists templates = templates_of(result), repeated = repeated_of(result);
    nd_status st = ND_OK;
    if (!nd_result_knows_sites(result)) {
        return ND_OK;
    }
    st = nd_result_sites_open(&sites, result);
    nd_result_sites_close(&sites);
    ND_TRY(st);
    ND_TRY(check_flags(result));
    ND_TRY(check_lists(result, &templates));
    ND_TRY(check_lists(result, &repeated));
out:
    return st;
}
