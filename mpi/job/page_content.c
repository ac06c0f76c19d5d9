#include "mpi/job/page_content.h"

#include "src/base/buffer.h"
#include "src/base/util.h"
#include "src/hash/rabin.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

nd_page_maker nd_job_page_maker(const nd_job_options *options, const nd_record_limits *limits) {
    return (nd_page_maker){.limits = limits,
                           .hash_seed = options->hash_seed,
                           .by_domain = options->content.by_domain,
                           .images = options->method_options.image_terms,
                           .text_urls = options->method_options.text_urls,
                           .any_digest = !options->method->sentence_keys,
                           .unmasked = options->content.sample == 0,
                           .no_navigation = options->content.navigation};
}

bool nd_page_is_compared(const nd_job_options *options, uint32_t tokens, uint16_t flags) {
    return tokens > 0 && !(options->method->rules && (flags & ND_PAGE_THIN) != 0);
}

uint32_t nd_pair_of_keys(const nd_job_options *options, uint32_t relation, uint64_t tokens,
                         bool common) {
    const uint32_t may_be_one = ND_PAIR_MAY_BE_SAME_SITE | ND_PAIR_TEXTS;
    const bool apart = (relation & may_be_one) == 0;
    return relation |
           (common && apart && tokens < options->content.link_tokens ? ND_PAIR_COMMON : 0U);
}

uint16_t nd_page_content_choose(const nd_job_options *options, const nd_document *document,
                                const bool *is_template, const bool *is_repeated, bool *keep) {
    const nd_content_choice *choice = &options->content;
    uint64_t tokens = 0;
    uint64_t own = 0;
    uint64_t linked = 0;
    bool has_text = false; /* besides its title, of the template or not */
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        const bool wanted = nd_sentence_is_wanted(choice, sentence);
        has_text = has_text || (wanted && (sentence->flags & ND_SENTENCE_TITLE) == 0);
        keep[k] = wanted && !is_template[k];
        tokens += keep[k] ? sentence->token_count : 0;
        /* Links are what an index page is about, whether they are kept or not; what its site
         * repeats is about the site. */
        if ((sentence->flags & (ND_SENTENCE_LINKS | ND_SENTENCE_LONG_LINKS)) == 0) {
            own += keep[k] ? sentence->token_count : 0;
        } else if ((sentence->flags & (ND_SENTENCE_NAVIGATION | ND_SENTENCE_BESIDE)) == 0 &&
                   !is_template[k] && !is_repeated[k]) {
            linked += sentence->token_count;
        }
    }
    const bool known = choice->sample > 0 && choice->link_tokens > 0; /* what the site repeats */
    const bool index_page = known && nd_method_is_index(&options->method_options, own, linked);
    const bool needs_links = choice->sample > 0 && (tokens < choice->link_tokens || index_page);
    /* what would leave nothing is not dropped, whoever repeats it */
    const bool only_links = !has_text && !(needs_links && linked > 0);
    for (uint32_t k = 0; k < document->sentence_count && (needs_links || only_links); k++) {
        const bool returns = !keep[k] && nd_sentence_may_return(choice, &document->sentences[k]) &&
                             !is_template[k] && (!is_repeated[k] || only_links);
        keep[k] = keep[k] || returns;
        tokens += returns ? document->sentences[k].token_count : 0;
    }
    return (uint16_t)((index_page ? ND_PAGE_INDEX : 0) |
                      (tokens < options->method_options.sentence_tokens ? ND_PAGE_THIN : 0));
}

/* The same sentences have the same, wherever their texts were cut into them. */
static nd_text_hash joined_hash(const nd_document *document, const bool *keep, uint64_t seed) {
    nd_joined_digest joined = {0};
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        nd_joined_digest digest;
        memcpy(&digest, &sentence->digest, sizeof digest);
        if (keep == NULL || keep[k]) {
            joined = nd_joined_digest_join(joined, digest, sentence->token_count, seed);
        }
    }
    return (nd_text_hash){nd_mix64(joined.high), nd_mix64(joined.low)};
}

void nd_page_content_hash(const nd_job_options *options, const nd_document *document,
                          const bool *keep, nd_buffer *scratch, nd_text_hash *hash) {
    scratch->size = 0;
    if (!options->method->sentence_keys) {
        *hash = joined_hash(document, keep, options->hash_seed);
        return;
    }
    nd_buffer_reserve(scratch, document->sentence_count * sizeof(nd_md5));
    for (uint32_t k = 0; k < document->sentence_count; k++) {
        if (keep == NULL || keep[k]) {
            memcpy(scratch->data + scratch->size, &document->sentences[k].digest, sizeof(nd_md5));
            scratch->size += sizeof(nd_md5);
        }
    }
    const XXH128_hash_t all =
        XXH3_128bits_withSeed(scratch->data, scratch->size, options->hash_seed);
    *hash = (nd_text_hash){all.high64, all.low64};
}

nd_status nd_page_content_choose_again(nd_chosen_content *chosen, const nd_job_options *options,
                                       nd_result_sites *sites, bool all_repeat,
                                       const nd_document *document) {
    nd_status st = ND_OK;
    nd_chosen_content *c = chosen;
    const uint32_t count = document->sentence_count;
    nd_grow(&c->is_template, &c->template_capacity, count, sizeof *c->is_template);
    nd_grow(&c->is_repeated, &c->repeated_capacity, count, sizeof *c->is_repeated);
    nd_grow(&c->keep, &c->keep_capacity, count, sizeof *c->keep);
    ND_TRY(sites != NULL ? nd_result_sites_find(sites, document->origin.site) : ND_OK);
    for (uint32_t k = 0; k < count; k++) {
        const nd_sentence_digest *sentence = &document->sentences[k];
        const bool link = nd_sentence_may_return(&options->content, sentence);
        c->is_template[k] = sites != NULL && nd_result_site_drops(sites, sentence->masked);
        c->is_repeated[k] = sites != NULL ? nd_result_site_repeats(sites, sentence->masked, link)
                                          : all_repeat && link;
    }
    c->flags = nd_page_content_choose(options, document, c->is_template, c->is_repeated, c->keep);
out:
    return st;
}

void nd_chosen_content_free(nd_chosen_content *chosen) {
    free(chosen->is_template);
    free(chosen->is_repeated);
    free(chosen->keep);
    *chosen = (nd_chosen_content){0};
}
