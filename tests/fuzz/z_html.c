/* A document, by the first byte HTML or plain text: every variant of the inner loops gives the same
 * page, what the page says of itself agrees, its text escaped and read again is the same text, and
 * memory stays within a factor of the document. */
#include "io/input/charset.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/pages.h"

enum {
    /* Bytes of memory for a byte of the document, at worst: "a. " is a sentence and a token, "<p>a"
     * a block besides, and arrays grow by doubling. */
    MEMORY_FACTOR = 96,
    MEMORY_BASE = 64 << 10
};

static void check_page(const nd_test_made_page *made) {
    const nd_page *page = &made->page;
    size_t block_end = 0, text_end = 0, end = 0, tokens = 0;
    ND_FUZZ_CHECK(nd_utf8_valid_bytes(nd_buffer_span(&page->text)) == page->text.size);
    ND_FUZZ_CHECK(nd_utf8_valid_bytes(nd_buffer_span(&page->normalised)) == page->normalised.size);
    for (size_t i = 0; i < page->block_count; i++) {
        const nd_block *block = &page->blocks[i];
        ND_FUZZ_CHECK(block->begin >= block_end && block->begin < block->end);
        ND_FUZZ_CHECK(block->end <= page->text.size);
        ND_FUZZ_CHECK(block->link_bytes <= block->end - block->begin);
        block_end = block->end;
    }
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        ND_FUZZ_CHECK(sentence->block < page->block_count);
        const nd_block *block = &page->blocks[sentence->block];
        ND_FUZZ_CHECK(sentence->first_token == tokens && sentence->token_count > 0);
        ND_FUZZ_CHECK(sentence->begin == end && sentence->begin < sentence->end &&
                      page->normalised.data[sentence->end] == ' ');
        ND_FUZZ_CHECK(sentence->text_begin >= text_end && sentence->text_begin >= block->begin);
        ND_FUZZ_CHECK(sentence->text_end > sentence->text_begin &&
                      sentence->text_end <= block->end);
        ND_FUZZ_CHECK(made->sentences[i].tokens == sentence->token_count);
        const nd_span text = {page->text.data + sentence->text_begin,
                              sentence->text_end - sentence->text_begin};
        ND_FUZZ_CHECK(nd_token_count(text) == sentence->token_count);
        tokens += sentence->token_count;
        end = sentence->end + 1; /* after the space */
        text_end = sentence->text_end;
    }
    ND_FUZZ_CHECK(tokens == page->token_count && end == page->normalised.size);
}

/* The blocks as paragraphs of a document whose text they are. */
static void write_blocks(const nd_page *page, nd_buffer *html) {
    for (size_t i = 0; i < page->block_count; i++) {
        nd_buffer_append_text(html, "<p>");
        for (size_t at = page->blocks[i].begin; at < page->blocks[i].end; at++) {
            const uint8_t byte = page->text.data[at];
            if (byte == '<' || byte == '&') {
                nd_buffer_append_text(html, byte == '<' ? "&lt;" : "&amp;");
            } else {
                nd_buffer_append(html, &byte, 1);
            }
        }
    }
}

ND_FUZZ_TARGET(z_html) {
    static nd_test_made_page by_portable, by_variant, again;
    nd_span document = {data, size};
    const bool html = nd_fuzz_byte(&document) % 4 != 0;
    ND_OWNED(nd_buffer_free) nd_buffer written = {0};
    nd_test_made_page_free(&by_portable);
    nd_fuzz_memory_start();
    ND_FUZZ_CHECK(nd_test_make_page(&nd_text_portable, document, html, &by_portable) == ND_OK);
    ND_FUZZ_CHECK(nd_fuzz_memory_peak() <= MEMORY_BASE + MEMORY_FACTOR * document.size);
    check_page(&by_portable);
    for (size_t i = 1; i < nd_text_variant_count; i++) {
        if (nd_cpu_has(nd_text_variants[i]->needs)) {
            ND_FUZZ_CHECK(nd_test_make_page(nd_text_variants[i], document, html, &by_variant) ==
                          ND_OK);
            ND_FUZZ_CHECK(nd_test_same_page(&by_portable, &by_variant));
        }
    }
    write_blocks(&by_portable.page, &written);
    ND_FUZZ_CHECK(nd_test_make_page(NULL, nd_buffer_span(&written), true, &again) == ND_OK);
    ND_FUZZ_CHECK(
        nd_fuzz_same(nd_buffer_span(&again.page.text), nd_buffer_span(&by_portable.page.text)));
    ND_FUZZ_CHECK(nd_fuzz_same(nd_buffer_span(&again.page.normalised),
                               nd_buffer_span(&by_portable.page.normalised)));
    return 0;
}
