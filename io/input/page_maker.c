#include "io/input/page_maker.h"

#include "src/hash/rabin.h"
#include "src/text/address.h"

#include <libpsl.h>
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

/* ---- sites */

nd_span nd_registered_domain(nd_span host) {
    char name[ND_SITE_HOST_SIZE + 1];
    if (host.size == 0 || host.size >= sizeof name) {
        return host;
    }
    /* the list takes host names for domains, and would cut an address at its dots */
    const uint8_t last = host.data[host.size - 1];
    if (host.data[0] == '[' || (last >= '0' && last <= '9')) {
        return host;
    }
    memcpy(name, host.data, host.size);
    name[host.size] = '\0';
    const char *domain = psl_registrable_domain(psl_builtin(), name);
    if (domain == NULL) {
        return host;
    }
    const size_t before = (size_t)(domain - name);
    return (nd_span){host.data + before, host.size - before};
}

/* ---- pages */

/* Scratch memory beyond this is freed after the page that needed it. */
enum { LARGE_SCRATCH = 64 << 20 };
/* What a sentence takes of it. */
enum {
    SENTENCE_BYTES = sizeof(nd_sentence) + sizeof(nd_span) + sizeof(nd_md5) +
                     sizeof(nd_content_sentence) + sizeof(nd_sentence_digest)
};

/* Append tokens [begin, end) of the page to those that are stored. */
static void pick_tokens(nd_page_maker *m, uint32_t begin, uint32_t end, uint32_t *count) {
    if (begin == end) {
        return; /* of a page without tokens there is no array */
    }
    const uint64_t *from = m->page.tokens + begin;
    uint32_t *to = m->tokens + *count;
    for (uint32_t i = 0; i < end - begin; i++) {
        to[i] = (uint32_t)from[i];
    }
    *count += end - begin;
}

/* What is stored of the page: its sentences as they are hashed, and their tokens. Descriptions of
 * sentences move up. \return how many sentences there are; \param[out] token_count  likewise */
static size_t pick_sentences(nd_page_maker *m, uint32_t *token_count) {
    const nd_page *page = &m->page;
    const uint32_t unwanted = m->no_navigation ? ND_SENTENCE_NAVIGATION | ND_SENTENCE_BESIDE : 0;
    size_t picked = 0;
    uint32_t begin = 0; /* tokens before are stored, or unwanted */
    *token_count = 0;
    for (size_t i = 0; i < page->sentence_count; i++) {
        const nd_sentence *s = &page->sentences[i];
        if ((m->contents[i].flags & unwanted) != 0) {
            pick_tokens(m, begin, s->first_token, token_count);
            begin = s->first_token + s->token_count;
        } else {
            if (m->any_digest) { /* far sooner made than MD5 */
                const nd_joined_digest digest = nd_joined_digest_of(page->tokens + s->first_token,
                                                                    s->token_count, m->hash_seed);
                memcpy(&m->digests[picked], &digest, sizeof digest);
            }
            m->messages[picked] = (nd_span){page->normalised.data + s->begin, s->end - s->begin};
            m->contents[picked++] = m->contents[i];
        }
    }
    pick_tokens(m, begin, (uint32_t)page->token_count, token_count);
    return picked;
}

static void digest_sentences(nd_page_maker *m, size_t count) {
    if (!m->any_digest) {
        nd_md5_batch(m->messages, count, m->digests);
    }
    for (size_t i = 0; i < count; i++) {
        m->sentences[i] = (nd_sentence_digest){m->digests[i], m->contents[i].masked,
                                               m->contents[i].tokens, m->contents[i].flags};
    }
}

/* The URL of a file is file://NAME/..., made of its folder's name. That holds the pages of a
 * mirrored site together; texts that lie in one folder are of no site. */
uint64_t nd_page_maker_site(const nd_page_maker *maker, const nd_record *record) {
    static const char file[] = "file://";
    uint8_t memory[ND_SITE_HOST_SIZE];
    nd_span host = nd_site_host(record->url, memory);
    if (record->content == ND_CONTENT_TEXT && record->url.size >= sizeof file - 1 &&
        memcmp(record->url.data, file, sizeof file - 1) == 0) {
        host.size = 0;
    }
    return nd_site_hash(maker->by_domain ? nd_registered_domain(host) : host, maker->hash_seed);
}

static void free_scratch(nd_page_maker *m) {
    nd_page_free(&m->page);
    free(m->messages);
    free(m->digests);
    free(m->contents);
    free(m->sentences);
    free(m->tokens);
}

/* Memory that a long page needed is not kept for the short ones that follow. */
static void free_large_scratch(nd_page_maker *m) {
    const nd_page *page = &m->page;
    if (page->text.capacity + page->normalised.capacity +
            page->token_capacity * sizeof *page->tokens +
            page->sentence_capacity * SENTENCE_BYTES <=
        LARGE_SCRATCH) {
        return;
    }
    free_scratch(m);
    *m = (nd_page_maker){.by_domain = m->by_domain,
                         .hash_seed = m->hash_seed,
                         .images = m->images,
                         .text_urls = m->text_urls,
                         .any_digest = m->any_digest,
                         .beside = m->beside,
                         .unmasked = m->unmasked,
                         .no_navigation = m->no_navigation,
                         .page_is_used = m->page_is_used,
                         .limits = m->limits};
}

nd_status nd_page_maker_read(nd_page_maker *maker, const nd_record *record) {
    nd_status st = ND_OK;
    nd_page *page = &maker->page;
    nd_content_options content = ND_CONTENT_DEFAULTS;
    const nd_html_options html = {
        .images = maker->images, .url = record->url, .beside = maker->beside};
    free_large_scratch(maker);
    page->hash_seed = maker->hash_seed;
    page->text_urls = maker->text_urls;
    if (maker->limits != NULL) {
        page->most_tokens = maker->limits->most[ND_LIMIT_TOKENS];
        page->most_sentences = maker->limits->most[ND_LIMIT_SENTENCES];
    }
    st = record->content == ND_CONTENT_HTML ? nd_page_from_html_with(page, record->text, &html)
                                            : nd_page_from_text(page, record->text);
    if (st == ND_ERR_LIMIT && maker->limits != NULL) {
        char reason[ND_FAIL_TEXT_SIZE];
        st =
            nd_fail(st, "%s",
                    nd_record_limits_refuse(
                        maker->limits, page->too_many_tokens ? ND_LIMIT_TOKENS : ND_LIMIT_SENTENCES,
                        reason, sizeof reason));
    }
    ND_TRY(st);
    nd_grow(&maker->contents, &maker->content_capacity, page->sentence_count,
            sizeof *maker->contents);
    content.unmasked = maker->unmasked;
    content.hash_seed = maker->hash_seed;
    nd_content_sentences(page, &content, maker->contents);
out:
    return st;
}

nd_status nd_page_maker_add(nd_page_maker *maker, const nd_record *record, uint32_t source,
                            uint16_t collection, nd_page_store *store) {
    nd_status st = ND_OK;
    const nd_page *page = &maker->page;
    ND_TRY(nd_page_maker_read(maker, record));
    const size_t most = page->sentence_count;
    nd_grow(&maker->messages, &maker->message_capacity, most, sizeof *maker->messages);
    nd_grow(&maker->digests, &maker->digest_capacity, most, sizeof *maker->digests);
    nd_grow(&maker->sentences, &maker->sentence_capacity, most, sizeof *maker->sentences);
    nd_grow(&maker->tokens, &maker->token_capacity, page->token_count, sizeof *maker->tokens);
    uint32_t token_count = 0;
    const size_t sentence_count = pick_sentences(maker, &token_count);
    digest_sentences(maker, sentence_count);
    const XXH128_hash_t hash =
        XXH3_128bits_withSeed(page->normalised.data, page->normalised.size, maker->hash_seed);
    const nd_stored_page stored = {
        .text_hash = {hash.high64, hash.low64},
        .site = nd_page_maker_site(maker, record),
        /* texts lie under other names as copies: forms that are filled with data are HTML */
        .subject = record->content == ND_CONTENT_HTML   ? nd_url_subject(record->url)
                   : record->content == ND_CONTENT_TEXT ? ND_SUBJECT_TEXT
                                                        : 0,
        .offset = record->offset,
        .date = record->date,
        .checksum = record->checksum,
        .source = source,
        .text_tokens = (uint32_t)page->token_count,
        .token_count = token_count,
        .sentence_count = (uint32_t)sentence_count,
        .collection = collection,
        .flags = (uint16_t)((record->revisit ? ND_PAGE_REVISIT : 0) |
                            (record->content == ND_CONTENT_TEXT ? ND_PAGE_TEXT : 0)),
    };
    ND_TRY(nd_page_store_append(store, &stored, maker->tokens, maker->sentences, record->id,
                                record->url));
    ND_TRY(nd_page_store_append_claim(store, &record->claim));
out:
    if (!maker->page_is_used) {
        free_large_scratch(maker);
    }
    return st;
}

void nd_page_maker_free(nd_page_maker *maker) {
    free_scratch(maker);
    *maker = (nd_page_maker){0};
}
