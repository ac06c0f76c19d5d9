#include "mpi/cmd/extract/kept_text.h"

#include <stdlib.h>

/* The page's sentences as the choice sees them: it asks for no digests. */
static nd_status choose(nd_kept_text *kept, const nd_page_maker *maker, uint64_t site,
                        nd_result_sites *sites, const nd_job_options *options) {
    nd_status st = ND_OK;
    const size_t count = maker->page.sentence_count;
    nd_grow(&kept->sentences, &kept->sentence_capacity, count, sizeof *kept->sentences);
    for (size_t i = 0; i < count; i++) {
        const nd_content_sentence *s = &maker->contents[i];
        kept->sentences[i] =
            (nd_sentence_digest){.masked = s->masked, .token_count = s->tokens, .flags = s->flags};
    }
    const nd_document document = {
        .sentences = kept->sentences, .sentence_count = (uint32_t)count, .origin = {.site = site}};
    ND_TRY(nd_page_content_choose_again(&kept->chosen, options, sites, false, &document));
out:
    return st;
}

nd_status nd_kept_text_make(nd_kept_text *kept, const nd_page_maker *maker, uint64_t site,
                            nd_result_sites *sites, const nd_job_options *options) {
    nd_status st = ND_OK;
    const nd_page *page = &maker->page;
    uint32_t block = UINT32_MAX; /* of the last sentence that was kept */
    kept->title.size = 0;
    kept->text.size = 0;
    ND_TRY(choose(kept, maker, site, sites, options));
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *sentence = &page->sentences[i];
        const char *begin = (const char *)page->text.data + sentence->text_begin;
        const char *end = (const char *)page->text.data + sentence->text_end;
        const bool in_title = (maker->contents[i].flags & ND_SENTENCE_TITLE) != 0;
        nd_buffer *out = in_title ? &kept->title : &kept->text;
        if (!kept->chosen.keep[i]) {
            continue;
        }
        if (sentence->block != block) {
            block = sentence->block;
            begin += *begin == ' ';
            if (out->size > 0) {
                nd_buffer_append_text(out, "\n");
            }
        }
        nd_buffer_append(out, begin, (size_t)(end - begin));
    }
out:
    return st;
}

void nd_kept_text_free(nd_kept_text *kept) {
    nd_buffer_free(&kept->title);
    nd_buffer_free(&kept->text);
    free(kept->sentences);
    nd_chosen_content_free(&kept->chosen);
    *kept = (nd_kept_text){0};
}
