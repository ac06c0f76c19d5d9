#include "src/measure/same_site.h"

#include "src/base/buffer.h"
#include "src/base/order.h"

#include <stdlib.h>

/* The different (whole, site) of some pages in order: a part's number is its place. */
typedef struct parts {
    nd_key_value *part;
    size_t count;
} parts;

/* The first part that is not before (whole, site). */
static size_t first_part(const parts *p, uint64_t whole, uint64_t site) {
    size_t i = 0;
    ND_FIND_FIRST(i, 0, p->count,
                  p->part[i].key > whole || (p->part[i].key == whole && p->part[i].value >= site));
    return i;
}

/* List the parts of all pages and number them. */
static nd_status cut(const uint64_t *whole, const uint64_t *site, size_t pages, parts *p,
                     uint64_t **numbers) {
    nd_status st = ND_OK;
    nd_new(&p->part, pages, sizeof *p->part);
    nd_new(numbers, pages, sizeof **numbers);
    for (size_t i = 0; i < pages; i++) {
        p->part[i] = (nd_key_value){whole[i], site[i]};
    }
    ND_TRY(nd_radix_sort(p->part, pages));
    for (size_t i = 0; i < pages; i++) {
        const nd_key_value next = p->part[i];
        const nd_key_value *last = p->count == 0 ? NULL : &p->part[p->count - 1];
        if (last == NULL || last->key != next.key || last->value != next.value) {
            p->part[p->count++] = next;
        }
    }
    for (size_t i = 0; i < pages; i++) {
        (*numbers)[i] = first_part(p, whole[i], site[i]);
    }
out:
    return st;
}

nd_status nd_same_site_make(const nd_labelled_pages *pages, const uint64_t *site,
                            nd_same_site *same) {
    nd_status st = ND_OK;
    parts sets = {0};
    parts clusters = {0};
    *same = (nd_same_site){.pages = {.count = pages->count}};
    ND_TRY(cut(pages->set, site, pages->count, &sets, &same->set));
    ND_TRY(cut(pages->cluster, site, pages->count, &clusters, &same->cluster));
    nd_new(&same->loose, pages->count, sizeof *same->loose);
    for (size_t i = 0; i < pages->count; i++) {
        same->loose[i] = site[i] == ND_NO_SITE || (pages->loose != NULL && pages->loose[i]);
    }
    for (size_t i = 0; i < pages->ambiguous_count; i++) {
        /* parts of two clusters on one site are ambiguous if the clusters are */
        const nd_cluster_pair pair = pages->ambiguous[i];
        const nd_key_value *part = clusters.part;
        size_t a = first_part(&clusters, pair.a, 0);
        size_t b = first_part(&clusters, pair.b, 0);
        while (a < clusters.count && b < clusters.count && part[a].key == pair.a &&
               part[b].key == pair.b) {
            const uint64_t site_a = part[a].value;
            const uint64_t site_b = part[b].value;
            if (site_a == site_b) {
                const size_t count = same->pages.ambiguous_count++;
                nd_grow(&same->ambiguous, &same->ambiguous_capacity, count + 1,
                        sizeof *same->ambiguous);
                same->ambiguous[count] = (nd_cluster_pair){a, b};
            }
            a += site_a <= site_b;
            b += site_b <= site_a;
        }
    }
    same->pages.set = same->set;
    same->pages.cluster = same->cluster;
    same->pages.loose = same->loose;
    same->pages.cluster_count = clusters.count;
    same->pages.ambiguous = same->ambiguous;
out:
    free(sets.part);
    free(clusters.part);
    return st;
}

void nd_same_site_free(nd_same_site *same) {
    free(same->set);
    free(same->cluster);
    free(same->loose);
    free(same->ambiguous);
    *same = (nd_same_site){0};
}
