#include "tests/support/met_pages.h"

#include "io/input/records.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint64_t hash_of(nd_span id, nd_span url) {
    return XXH3_64bits_withSeed(url.data, url.size, XXH3_64bits(id.data, id.size));
}

nd_status nd_met_pages_add(nd_met_pages *met, const nd_record *record) {
    nd_grow(&met->pages, &met->capacity, met->count + 1, sizeof *met->pages);
    met->pages[met->count++] =
        (nd_met_page){record->offset, hash_of(record->id, record->url), record->checksum};
    return ND_OK;
}

/* Is it the page, and known by its checksum alone? Of lines only that is known. */
static const char *compare(nd_walk *walk, const nd_walked *walked, const nd_met_page *page,
                           bool *is_page) {
    bool same = false;
    bool other = false;
    *is_page = !nd_walk_is_archive(walk) || hash_of(walked->id, walked->url) == page->names;
    return !*is_page || (nd_walk_compare(walk, walked, page->checksum, &same) == ND_OK && same &&
                         nd_walk_compare(walk, walked, ~page->checksum, &other) == ND_OK && !other)
               ? NULL
               : "the record of a page has its checksum, and no other";
}

const char *nd_met_pages_walk(const nd_met_pages *met, const char *path,
                              const nd_reader_options *options) {
    const char *broken = NULL;
    nd_walk *walk = NULL;
    nd_walked walked;
    nd_status st = ND_OK;
    size_t page = 0;
    uint64_t before = 0;
    if (nd_walk_open(path, options, &walk) != ND_OK) {
        return "a source that can be read can be walked";
    }
    const bool whole = nd_walk_form_of(walk) == ND_WALK_FILE;
    while (broken == NULL) {
        const uint64_t place = page < met->count ? met->pages[page].offset : UINT64_MAX;
        st = nd_walk_next(walk, place, &walked);
        if (st != ND_OK) {
            break;
        }
        if (walked.begin < before || walked.begin > place) {
            broken = "records ascend, and none hides a page";
        }
        before = walked.begin;
        if (walked.kind != ND_WALKED_RECORD || walked.begin != place) {
            continue;
        }
        bool is_page = false;
        broken = compare(walk, &walked, &met->pages[page], &is_page);
        page += is_page;
    }
    if (broken != NULL) {
        /* said already */
    } else if (st != ND_END || page != met->count || !(whole || nd_walk_end(walk) >= before)) {
        broken = "each page is met, up to the end";
    }
    nd_walk_close(&walk);
    return broken;
}

void nd_met_pages_free(nd_met_pages *met) {
    free(met->pages);
    *met = (nd_met_pages){0};
}
