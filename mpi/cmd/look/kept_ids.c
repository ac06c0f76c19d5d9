#include "mpi/cmd/look/kept_ids.h"

#include "src/base/sort.h"
#include "src/base/util.h"

#include <stdlib.h>
#include <xxhash.h>

static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

/* Ids and places are of two kinds: the offset of a page with an id is no part of what it is. */
static uint64_t hash_of(const nd_page_table *table, uint64_t i) {
    const nd_span id = nd_page_rows_id(&table->rows, i);
    if (id.size > 0) {
        return XXH3_64bits(id.data, id.size);
    }
    const nd_span path = nd_text_column_at(&table->sources, table->rows.source[i]);
    return XXH3_64bits_withSeed(path.data, path.size, table->rows.offset[i] * 2 + 1);
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Does some source, by its path, stand in the table twice? In two collections it may. */
static void has_repeated_source(const nd_page_table *table, bool *found) {
    uint64_t *hashes = NULL;
    const uint64_t count = table->sources.count;
    *found = false;
    nd_new(&hashes, count, sizeof *hashes);
    for (uint64_t i = 0; i < count; i++) {
        const nd_span path = nd_text_column_at(&table->sources, i);
        hashes[i] = XXH3_64bits(path.data, path.size);
    }
    if (count > 0) {
        nd_sort(hashes, count, sizeof *hashes, by_number);
    }
    for (uint64_t i = 1; i < count; i++) {
        *found = *found || hashes[i] == hashes[i - 1];
    }
    free(hashes);
}

nd_status nd_kept_ids_read(nd_page_table *table, nd_kept_ids *kept) {
    nd_status st = ND_OK;
    uint64_t shared = 0;
    uint64_t count = 0;
    bool repeated_source = false;
    *kept = (nd_kept_ids){0};
    /* results of earlier versions do not say */
    const bool known = nd_result_get_number(&table->result, "shared_ids", &shared) == ND_OK;
    has_repeated_source(table, &repeated_source);
    if (known && shared == 0 && !repeated_source) {
        goto out;
    }
    for (uint64_t p = 0; p < table->pages; p++) {
        count += table->kept[p] == p;
    }
    nd_new(&kept->hashes, count + 1, sizeof *kept->hashes);
    for (uint64_t begin = 0; begin < table->pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(&table->result, begin, nd_min(table->pages - begin, PAGES_AT_ONCE),
                                 &table->rows));
        for (uint64_t i = 0; i < table->rows.count; i++) {
            if (table->kept[begin + i] == begin + i) {
                kept->hashes[kept->count++] = hash_of(table, i);
            }
        }
    }
    if (kept->count > 0) {
        nd_sort(kept->hashes, kept->count, sizeof *kept->hashes, by_number);
    }
out:
    if (st != ND_OK) {
        nd_kept_ids_free(kept);
    }
    return st;
}

bool nd_kept_ids_has(const nd_kept_ids *kept, const nd_page_table *table, uint64_t i) {
    if (kept->count == 0) {
        return false;
    }
    const uint64_t hash = hash_of(table, i);
    return bsearch(&hash, kept->hashes, kept->count, sizeof hash, by_number) != NULL;
}

void nd_kept_ids_free(nd_kept_ids *kept) {
    free(kept->hashes);
    *kept = (nd_kept_ids){0};
}
