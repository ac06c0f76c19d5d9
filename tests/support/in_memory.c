#include "tests/support/in_memory.h"

#include <stdio.h>
#include <stdlib.h>

static void must(nd_status st) {
    if (st != ND_OK) {
        (void)fprintf(stderr, "test: %s\n", nd_fail_text());
        abort();
    }
}

/* Reading changes no more than the store's scratch memory, which a store in memory never uses. */
static nd_page_store *writable(const nd_page_store *store) {
    return (nd_page_store *)(uintptr_t)store;
}

nd_document nd_test_document(const nd_page_store *store, size_t index) {
    nd_document document;
    must(nd_page_store_document(writable(store), index, &document));
    return document;
}

nd_span nd_test_id(const nd_page_store *store, size_t index) {
    nd_span id;
    nd_span url;
    must(nd_page_store_names(writable(store), index, &id, &url));
    return id;
}

nd_span nd_test_url(const nd_page_store *store, size_t index) {
    nd_span id;
    nd_span url;
    must(nd_page_store_names(writable(store), index, &id, &url));
    return url;
}

uint64_t nd_test_first_sentence(const nd_page_store *store, size_t index) {
    uint64_t sentences = 0;
    for (size_t i = 0; i < index; i++) {
        sentences += store->pages[i].sentence_count;
    }
    return sentences;
}
