#include "src/text/page.h"

#include "src/text/extract.h"
#include "src/text/sentence.h"
#include "src/text/token.h"

#include <stdlib.h>

static nd_status add_sentence(nd_page *page, uint32_t block, nd_span text) {
    nd_status st = ND_OK;
    size_t first_token = page->token_count;
    size_t begin = page->normalised.size;
    ND_TRY(nd_token_split(page, text));
    if (page->token_count == first_token) {
        goto out;
    }
    ND_TRY(nd_grow(&page->sentences, &page->sentence_capacity, page->sentence_count + 1,
                   sizeof *page->sentences));
    page->sentences[page->sentence_count++] = (nd_sentence){
        .first_token = (uint32_t)first_token,
        .token_count = (uint32_t)(page->token_count - first_token),
        .begin = (uint32_t)begin,
        .end = (uint32_t)page->normalised.size,
        .block = block,
    };
out:
    return st;
}

static nd_status split_block(nd_page *page, uint32_t block) {
    nd_status st = ND_OK;
    const uint8_t *p = page->text.data + page->blocks[block].begin;
    const uint8_t *end = page->text.data + page->blocks[block].end;
    while (p < end) {
        const uint8_t *stop = nd_sentence_end(p, end);
        ND_TRY(add_sentence(page, block, (nd_span){p, (size_t)(stop - p)}));
        p = stop;
    }
out:
    return st;
}

static void clear(nd_page *page) {
    page->text.size = 0;
    page->normalised.size = 0;
    page->block_count = 0;
    page->sentence_count = 0;
    page->token_count = 0;
}

static nd_status fill(nd_page *page, nd_span input,
                      nd_status (*extract)(nd_page *page, nd_span input)) {
    nd_status st = ND_OK;
    clear(page);
    ND_TRY(extract(page, input));
    for (size_t block = 0; block < page->block_count; block++) {
        ND_TRY(split_block(page, (uint32_t)block));
    }
out:
    if (st != ND_OK) {
        clear(page);
    }
    return st;
}

nd_status nd_page_from_html(nd_page *page, nd_span html) {
    return fill(page, html, nd_extract_html);
}

nd_status nd_page_from_text(nd_page *page, nd_span text) {
    return fill(page, text, nd_extract_text);
}

void nd_page_free(nd_page *page) {
    nd_buffer_free(&page->text);
    nd_buffer_free(&page->normalised);
    free(page->blocks);
    free(page->sentences);
    free(page->tokens);
    *page = (nd_page){0};
}
