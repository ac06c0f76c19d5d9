#include "mpi/cmd/page/page_batch.h"

#include <stdio.h>
#include <stdlib.h>

static int by_number(const void *a, const void *b) {
    const nd_batch_page *x = a;
    const nd_batch_page *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static int by_first(const void *a, const void *b) {
    const nd_batch_page *x = a;
    const nd_batch_page *y = b;
    return x->first != y->first ? (x->first > y->first) - (x->first < y->first)
                                : (x->wanted > y->wanted) - (x->wanted < y->wanted);
}

static int by_wanted(const void *a, const void *b) {
    const nd_batch_page *x = a;
    const nd_batch_page *y = b;
    return (x->wanted > y->wanted) - (x->wanted < y->wanted);
}

nd_status nd_page_batch_read(nd_page_batch *batch, nd_shown_run *run, const uint64_t *numbers,
                             uint64_t count) {
    nd_status st = ND_OK;
    *batch = (nd_page_batch){.count = 0};
    nd_new(&batch->pages, count, sizeof *batch->pages);
    batch->count = count;
    for (uint64_t i = 0; i < count; i++) {
        nd_batch_page *page = &batch->pages[i];
        page->wanted = i;
        page->number = numbers[i];
    }
    qsort(batch->pages, count, sizeof *batch->pages, by_number);
    for (uint64_t i = 0; i < count; i++) {
        nd_batch_page *page = &batch->pages[i];
        ND_TRY(nd_shown_page_find(&page->page, run, page->number));
        page->first = page->page.place.exact_of;
    }
    qsort(batch->pages, count, sizeof *batch->pages, by_first);
    for (uint64_t i = 0; i < count; i++) {
        nd_batch_page *page = &batch->pages[i];
        const nd_status read = nd_shown_page_read_number(&page->page, run, page->first);
        ND_TRY(read == ND_ERR_MEMORY ? read : ND_OK);
        if (read != ND_OK) {
            batch->unread++;
            (void)snprintf(page->reason, sizeof page->reason, "%s", nd_fail_text());
        }
    }
    qsort(batch->pages, count, sizeof *batch->pages, by_wanted);
out:
    return st;
}

void nd_page_batch_free(nd_page_batch *batch) {
    for (uint64_t i = 0; i < batch->count; i++) {
        nd_shown_page_free(&batch->pages[i].page);
    }
    free(batch->pages);
    *batch = (nd_page_batch){0};
}
