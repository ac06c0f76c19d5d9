#include "mpi/cmd/report/page_counts.h"

#include "src/base/buffer.h"
#include "src/base/util.h"
#include "src/text/site.h"

#include <stdlib.h>

static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 15;
static const uint64_t SETS_AT_ONCE = UINT64_C(1) << 17;

static void add(nd_named_count *count, bool more) {
    count->pages++;
    count->more += more;
}

static nd_status count_page(nd_page_counts *c, const nd_page_rows *rows, uint64_t i) {
    nd_status st = ND_OK;
    uint8_t room[ND_SITE_HOST_SIZE];
    uint64_t site = 0;
    const bool more = rows->link[i] != rows->begin + i;
    const nd_span host = nd_site_host(nd_page_rows_url(rows, i), room);
    if (more) {
        c->similarities[(int)((double)rows->similarity[i] * (ND_SIMILARITY_BINS - 1))]++;
    }
    c->thin += rows->thin[i] != 0;
    c->revisits += rows->revisit_of[i] != ND_NO_REVISIT;
    c->alone += rows->revisit_of[i] == rows->begin + i;
    c->exact += more && rows->exact_of[i] != rows->begin + i;
    add(&c->collections[rows->collection[i]], more);
    if (host.size == 0) {
        add(&c->without_site, more);
        return ND_OK;
    }
    nd_grow(&c->sites, &c->site_capacity, c->hosts.count + 1, sizeof *c->sites);
    bool is_new = false;
    ND_TRY(nd_name_table_add(&c->hosts, host, &site, &is_new));
    if (is_new) {
        c->sites[site] = (nd_named_count){0};
    }
    add(&c->sites[site], more);
out:
    return st;
}

nd_status nd_page_counts_take(const nd_result *result, nd_page_counts *c) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t *offsets = NULL;
    const nd_result_shape *shape = &result->shape;
    *c = (nd_page_counts){.collection_count = shape->collections};
    nd_new(&c->collections, shape->collections, sizeof *c->collections);
    nd_new_room(&offsets, SETS_AT_ONCE + 1, sizeof *offsets);
    for (uint64_t begin = 0; begin < shape->pages; begin += PAGES_AT_ONCE) {
        const uint64_t count = nd_min(shape->pages - begin, PAGES_AT_ONCE);
        ND_TRY(nd_page_rows_read(result, begin, count, &rows));
        for (uint64_t i = 0; i < count; i++) {
            ND_TRY(count_page(c, &rows, i));
        }
    }
    for (uint64_t begin = 0; begin < shape->sets; begin += SETS_AT_ONCE) {
        const uint64_t count = nd_min(shape->sets - begin, SETS_AT_ONCE);
        ND_TRY(nd_result_set_offsets(result, begin, count, offsets));
        for (uint64_t i = 0; i < count; i++) {
            int power = 0;
            for (uint64_t pages = offsets[i + 1] - offsets[i]; pages > 1; pages /= 2) {
                power++;
            }
            c->sizes[power < ND_SIZE_POWERS ? power : ND_SIZE_POWERS - 1]++;
        }
    }
out:
    free(offsets);
    nd_page_rows_free(&rows);
    return st;
}

void nd_page_counts_free(nd_page_counts *c) {
    nd_name_table_free(&c->hosts);
    free(c->sites);
    free(c->collections);
    *c = (nd_page_counts){0};
}

uint64_t nd_named_counts_first(const nd_named_count *counts, uint64_t count, uint64_t most,
                               uint64_t *rows) {
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = kept;
        while (at > 0 && counts[rows[at - 1]].more < counts[i].more) {
            at--; /* it comes before that one */
        }
        if (at == most) {
            continue;
        }
        for (uint64_t k = kept < most ? kept++ : most - 1; k > at; k--) {
            rows[k] = rows[k - 1];
        }
        rows[at] = i;
    }
    return kept;
}
