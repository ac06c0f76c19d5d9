#include "src/text/page.h"

#include "src/text/extract.h"
#include "src/text/sentence.h"
#include "src/text/token.h"

#include <inttypes.h>
#include <stdlib.h>

static nd_status add_sentence(nd_page *page, uint32_t block, nd_span text) {
    nd_status st = ND_OK;
    size_t first_token = page->token_count;
    size_t begin = page->normalised.size;
    /* The limits come before any memory is taken. Most sentences are so short that their tokens
     * need not be counted. */
    const uint64_t left = page->most_tokens - page->token_count;
    if (page->most_tokens > 0 && nd_token_most(text.size) > left && nd_token_count(text) > left) {
        page->too_many_tokens = true;
        return nd_fail(ND_ERR_LIMIT, "page of more than %" PRIu64 " tokens", page->most_tokens);
    }
    if (page->most_sentences > 0 && page->sentence_count >= page->most_sentences) {
        page->too_many_tokens = false;
        return nd_fail(ND_ERR_LIMIT, "page of more than %" PRIu64 " sentences",
                       page->most_sentences);
    }
    nd_token_split(page, text);
    if (page->token_count == first_token) {
        goto out;
    }
    nd_grow(&page->sentences, &page->sentence_capacity, page->sentence_count + 1,
            sizeof *page->sentences);
    page->sentences[page->sentence_count++] = (nd_sentence){
        .first_token = (uint32_t)first_token,
        .token_count = (uint32_t)(page->token_count - first_token),
        .begin = (uint32_t)begin,
        .end = (uint32_t)page->normalised.size,
        .text_begin = (uint32_t)(text.data - page->text.data),
        .text_end = (uint32_t)(text.data + text.size - page->text.data),
        .block = block,
    };
    page->normalised.size++; /* the space after the last token, which is there */
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

/* Cut the blocks into sentences, if there was no failure before; a page that fails is empty. */
static nd_status split_blocks(nd_page *page, nd_status st) {
    for (size_t block = 0; st == ND_OK && block < page->block_count; block++) {
        const uint8_t *p = page->text.data + page->blocks[block].begin;
        const uint8_t *end = page->text.data + page->blocks[block].end;
        while (st == ND_OK && p < end) {
            const uint8_t *stop = nd_sentence_end(p, end);
            st = add_sentence(page, (uint32_t)block, (nd_span){p, (size_t)(stop - p)});
            p = stop;
        }
    }
    if (st != ND_OK) {
        clear(page);
    }
    nd_token_hash(page);
    return st;
}

nd_status nd_page_from_html_with(nd_page *page, nd_span html, const nd_html_options *options) {
    clear(page);
    return split_blocks(page, nd_extract_html(page, html, options));
}

nd_status nd_page_from_html(nd_page *page, nd_span html) {
    return nd_page_from_html_with(page, html, NULL);
}

nd_status nd_page_from_text(nd_page *page, nd_span text) {
    clear(page);
    return split_blocks(page, nd_extract_text(page, text));
}

void nd_page_free(nd_page *page) {
    nd_buffer_free(&page->text);
    nd_buffer_free(&page->normalised);
    free(page->blocks);
    free(page->sentences);
    free(page->tokens);
    *page = (nd_page){0};
}
