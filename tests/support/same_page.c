#include "tests/support/same_page.h"

#include "io/input/charset.h"

#include <stdlib.h>
#include <string.h>

/* Of all hashes: its halves differ, and none is 0. */
static const uint64_t SEED = UINT64_C(0xF0E1D2C3B4A59687);

nd_status nd_test_make_page(const nd_text_variant *variant, nd_span document, bool html,
                            nd_test_made_page *made) {
    nd_page *page = &made->page;
    nd_status st = ND_OK;
    nd_content_options content = ND_CONTENT_DEFAULTS;
    content.hash_seed = page->hash_seed = SEED;
    nd_text_variant_use(variant);
    made->valid_bytes = nd_utf8_valid_bytes(document);
    ND_TRY(html ? nd_page_from_html(page, document) : nd_page_from_text(page, document));
    nd_grow(&made->sentences, &made->capacity, page->sentence_count, sizeof *made->sentences);
    nd_content_sentences(page, &content, made->sentences);
out:
    nd_text_variant_use(NULL);
    return st;
}

static bool is_same_bytes(const void *left, const void *right, size_t size) {
    return size == 0 || memcmp(left, right, size) == 0;
}

bool nd_test_same_page(const nd_test_made_page *left, const nd_test_made_page *right) {
    const nd_page *a = &left->page, *b = &right->page;
    return left->valid_bytes == right->valid_bytes && a->text.size == b->text.size &&
           a->normalised.size == b->normalised.size && a->block_count == b->block_count &&
           a->sentence_count == b->sentence_count && a->token_count == b->token_count &&
           is_same_bytes(a->text.data, b->text.data, a->text.size) &&
           is_same_bytes(a->normalised.data, b->normalised.data, a->normalised.size) &&
           is_same_bytes(a->blocks, b->blocks, a->block_count * sizeof *a->blocks) &&
           is_same_bytes(a->sentences, b->sentences, a->sentence_count * sizeof *a->sentences) &&
           is_same_bytes(a->tokens, b->tokens, a->token_count * sizeof *a->tokens) &&
           is_same_bytes(left->sentences, right->sentences,
                         a->sentence_count * sizeof *left->sentences);
}

void nd_test_made_page_free(nd_test_made_page *made) {
    nd_page_free(&made->page);
    free(made->sentences);
    *made = (nd_test_made_page){.capacity = 0};
}
