#include "mpi/cmd/overlap/shared_things.h"

#include "io/store/external_sort.h"
#include "src/base/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 17;
enum { PAGE_BITS = 48 };
static const uint64_t PAGE_MASK = (UINT64_C(1) << PAGE_BITS) - 1;

/* ---- collections */

static nd_status choose(nd_chosen_collections *chosen, uint64_t row, const char *name) {
    if (chosen->place[row] != UINT32_MAX) {
        return nd_fail(ND_ERR_USAGE, "--collections: '%s' is named twice", name);
    }
    if (chosen->count == ND_COLLECTIONS_MOST) {
        return nd_fail(ND_ERR_USAGE,
                       "%" PRIu64 " collections, and at most %d are compared at once: choose some "
                       "by --collections A,B,...",
                       chosen->names.count, (int)ND_COLLECTIONS_MOST);
    }
    chosen->place[row] = (uint32_t)chosen->count;
    chosen->row[chosen->count++] = row;
    return ND_OK;
}

nd_status nd_chosen_collections_read(nd_chosen_collections *chosen, const nd_result *result,
                                     const char *names) {
    nd_status st = ND_OK;
    *chosen = (nd_chosen_collections){.count = 0};
    ND_TRY(nd_collection_names_read(result, &chosen->names));
    const uint64_t all = chosen->names.count;
    nd_new(&chosen->row, nd_min(all, ND_COLLECTIONS_MOST), sizeof *chosen->row);
    nd_new_room(&chosen->place, all, sizeof *chosen->place);
    memset(chosen->place, 0xff, all * sizeof *chosen->place);
    for (uint64_t row = 0; row < all && names == NULL; row++) {
        ND_TRY(choose(chosen, row, ""));
    }
    for (const char *name = names; name != NULL;) {
        const size_t size = strcspn(name, ",");
        uint64_t row = 0;
        while (row < all && (nd_text_column_at(&chosen->names, row).size != size ||
                             (size > 0 && memcmp(nd_text_column_at(&chosen->names, row).data, name,
                                                 size) != 0))) {
            row++;
        }
        if (row == all) {
            st = nd_fail(ND_ERR_USAGE,
                         "--collections: %s has no collection '%.*s' (neardup inspect --sources "
                         "lists them)",
                         result->path, (int)nd_min(size, 200), name);
            goto out;
        }
        ND_TRY(choose(chosen, row, name));
        name = name[size] == ',' ? name + size + 1 : NULL;
    }
out:
    return st;
}

nd_span nd_chosen_name(const nd_chosen_collections *chosen, size_t x) {
    return nd_text_column_at(&chosen->names, chosen->row[x]);
}

void nd_chosen_collections_free(nd_chosen_collections *chosen) {
    nd_text_column_free(&chosen->names);
    free(chosen->row);
    free(chosen->place);
    *chosen = (nd_chosen_collections){0};
}

/* ---- pages by thing */

/* A block of the columns that say of what thing a page is. */
typedef struct block {
    uint16_t *collection;
    uint64_t *thing; /* or offsets of URLs: one more */
    nd_buffer urls;
    nd_key_value *records;
} block;

/* The hashes of URLs in place of their offsets; 0: there is none. */
static nd_status read_urls(const nd_result *result, uint64_t begin, uint64_t count, block *b) {
    nd_status st = ND_OK;
    uint64_t bytes = 0;
    ND_TRY(nd_result_rows(result, "/pages/url_bytes", ND_COLUMN_U8, &bytes));
    ND_TRY(
        nd_result_read_offsets(result, "/pages/url_offset", begin, count, false, bytes, b->thing));
    const uint64_t first = b->thing[0];
    b->urls.size = 0;
    nd_buffer_reserve(&b->urls, b->thing[count] - first);
    ND_TRY(nd_result_read(result, "/pages/url_bytes", ND_COLUMN_U8, first, b->thing[count] - first,
                          b->urls.data));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t size = b->thing[i + 1] - b->thing[i];
        b->thing[i] =
            size == 0 ? 0 : nd_max(1, XXH3_64bits(b->urls.data + (b->thing[i] - first), size));
    }
out:
    return st;
}

static nd_status sort_pages(const nd_result *result, const nd_chosen_collections *chosen,
                            nd_thing thing, nd_external_sort *sorted, uint64_t *without) {
    nd_status st = ND_OK;
    block b = {.collection = NULL};
    const uint64_t pages = result->shape.pages;
    const uint64_t most = nd_min(pages, ROWS_AT_ONCE);
    nd_new_room(&b.collection, most, sizeof *b.collection);
    nd_new_room(&b.thing, most + 1, sizeof *b.thing);
    nd_new_room(&b.records, most, sizeof *b.records);
    if (pages > PAGE_MASK) {
        st = nd_fail(ND_ERR_LIMIT, "%s: too many pages", result->path);
        goto out;
    }
    for (uint64_t begin = 0; begin < pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(pages - begin, ROWS_AT_ONCE);
        uint64_t kept = 0;
        ND_TRY(
            nd_result_read(result, "/pages/collection", ND_COLUMN_U16, begin, count, b.collection));
        ND_TRY(thing == ND_THING_URL
                   ? read_urls(result, begin, count, &b)
                   : nd_result_read(result,
                                    thing == ND_THING_SET ? "/pages/set" : "/pages/exact_of",
                                    ND_COLUMN_U64, begin, count, b.thing));
        for (uint64_t i = 0; i < count; i++) {
            if (b.collection[i] >= chosen->names.count) {
                st = nd_fail(ND_ERR_FORMAT,
                             "%s: /pages/collection: page %" PRIu64
                             ": no such collection: damaged, or not written by neardup",
                             result->path, begin + i);
                goto out;
            }
            const uint64_t place = chosen->place[b.collection[i]];
            if (place == UINT32_MAX) {
                continue;
            }
            if (thing == ND_THING_URL && b.thing[i] == 0) {
                (*without)++;
                continue;
            }
            b.records[kept++] = (nd_key_value){b.thing[i], place << PAGE_BITS | (begin + i)};
        }
        ND_TRY(nd_external_sort_add(sorted, b.records, kept));
    }
out:
    free(b.collection);
    free(b.thing);
    free(b.records);
    nd_buffer_free(&b.urls);
    return st;
}

nd_status nd_things_walk(const nd_result *result, const nd_chosen_collections *chosen,
                         nd_thing thing, nd_spool_folder *folder, uint64_t memory,
                         nd_take_thing take, void *context, uint64_t *without) {
    nd_status st = ND_OK;
    nd_external_sort sorted = {0};
    nd_overlap_part *parts = NULL;
    uint64_t *pages = NULL;
    size_t capacity = 0;
    nd_key_value record = {0};
    bool any = false;
    *without = 0;
    nd_external_sort_open(&sorted, folder, sizeof record, &nd_by_key_then_value, memory);
    nd_new_room(&parts, chosen->count, sizeof *parts);
    ND_TRY(sort_pages(result, chosen, thing, &sorted, without));
    ND_TRY(nd_external_sort_finish(&sorted));
    ND_TRY(nd_external_sort_take(&sorted, &record, &any));
    while (any) {
        const uint64_t key = record.key;
        size_t part_count = 0;
        size_t count = 0;
        while (any && record.key == key) {
            const uint32_t place = (uint32_t)(record.value >> PAGE_BITS);
            const uint64_t page = record.value & PAGE_MASK;
            if (part_count == 0 || parts[part_count - 1].collection != place) {
                parts[part_count++] = (nd_overlap_part){.collection = place};
            }
            parts[part_count - 1].pages++;
            nd_grow(&pages, &capacity, count + 1, sizeof *pages);
            pages[count++] = page;
            ND_TRY(nd_external_sort_take(&sorted, &record, &any));
        }
        ND_TRY(take(context, parts, part_count, pages));
    }
out:
    nd_external_sort_close(&sorted);
    free(parts);
    free(pages);
    return st;
}
