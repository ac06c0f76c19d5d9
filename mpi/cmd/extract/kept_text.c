#include "mpi/cmd/extract/kept_text.h"

/* Does the page get back its links: is little left of it, or is it an index page? */
static bool needs_links(const nd_page *page, const nd_content_sentence *sentences,
                        const nd_job_options *options) {
    const uint32_t dropped = nd_job_dropped_flags(&options->content);
    uint64_t left = 0;   /* tokens */
    uint64_t own = 0;    /* of them, those that are no links */
    uint64_t linked = 0; /* of links, whether they are kept or not */
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_content_sentence *sentence = &sentences[i];
        left += (sentence->flags & dropped) == 0 ? sentence->tokens : 0;
        if ((sentence->flags & (ND_SENTENCE_LINKS | ND_SENTENCE_LONG_LINKS)) == 0) {
            own += (sentence->flags & dropped) == 0 ? sentence->tokens : 0;
        } else if ((sentence->flags & dropped & ~(uint32_t)ND_SENTENCE_LINKS) == 0) {
            linked += sentence->tokens;
        }
    }
    return options->content.link_tokens > 0 &&
           (left < options->content.link_tokens ||
            nd_method_is_index(&options->method_options, own, linked));
}

nd_status nd_kept_text(const nd_page *page, const nd_content_sentence *sentences,
                       const nd_job_options *options, nd_buffer *title, nd_buffer *text) {
    nd_status st = ND_OK;
    const uint32_t returned = needs_links(page, sentences, options) ? ND_SENTENCE_LINKS : 0;
    const uint32_t dropped = nd_job_dropped_flags(&options->content) & ~returned;
    uint32_t block = UINT32_MAX; /* of the last sentence that was kept */
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        const char *begin = (const char *)page->text.data + sentence->text_begin;
        const char *end = (const char *)page->text.data + sentence->text_end;
        nd_buffer *out = (sentences[i].flags & ND_SENTENCE_TITLE) != 0 ? title : text;
        if ((sentences[i].flags & dropped) != 0) {
            continue;
        }
        if (sentence->block != block) {
            block = sentence->block;
            begin += *begin == ' ';
            ND_TRY(out->size > 0 ? nd_buffer_append_text(out, "\n") : ND_OK);
        }
        ND_TRY(nd_buffer_append(out, begin, (size_t)(end - begin)));
    }
out:
    return st;
}
