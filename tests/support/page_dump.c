#include "tests/support/page_dump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static nd_buffer dump;

static void add(const void *bytes, size_t size) {
    nd_buffer_append(&dump, bytes, size);
}

static const char *finish(void) {
    add("", 1);
    return (const char *)dump.data;
}

const char *nd_test_blocks(const nd_page *page) {
    dump.size = 0;
    for (size_t i = 0; i < page->block_count; i++) {
        const nd_block *block = &page->blocks[i];
        add("T:", (block->flags & ND_BLOCK_TITLE) != 0 ? 2 : 0);
        add("N:", (block->flags & ND_BLOCK_NAVIGATION) != 0 ? 2 : 0);
        add("M:", (block->flags & ND_BLOCK_MAIN) != 0 ? 2 : 0);
        add("A:", (block->flags & ND_BLOCK_APART) != 0 ? 2 : 0);
        add("B:", (block->flags & ND_BLOCK_BESIDE) != 0 ? 2 : 0);
        add(page->text.data + block->begin, block->end - block->begin);
        add("|", 1);
    }
    return finish();
}

const char *nd_test_sentences(const nd_page *page) {
    dump.size = 0;
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        add(page->normalised.data + sentence->begin, sentence->end - sentence->begin);
        add("|", 1);
    }
    return finish();
}

const char *nd_test_html_bytes(const char *html, size_t size) {
    nd_page page = {0};
    if (nd_page_from_html(&page, (nd_span){(const uint8_t *)html, size}) != ND_OK) {
        return nd_fail_text();
    }
    const char *blocks = nd_test_blocks(&page);
    nd_page_free(&page);
    return blocks;
}

const char *nd_test_html(const char *html) {
    return nd_test_html_bytes(html, strlen(html));
}

const char *nd_test_text(const char *text) {
    nd_page page = {0};
    if (nd_page_from_text(&page, (nd_span){(const uint8_t *)text, strlen(text)}) != ND_OK) {
        return nd_fail_text();
    }
    const char *sentences = nd_test_sentences(&page);
    nd_page_free(&page);
    return sentences;
}
