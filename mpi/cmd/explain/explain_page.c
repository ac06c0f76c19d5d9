#include "mpi/cmd/explain/explain_page.h"

#include "mpi/job/page_content.h"
#include "src/base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a result with their texts that are read at once. */
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 16;

/* What is known of its sentences by other pages of its site, and what of it is compared. */
static nd_status choose(nd_explained_page *page, nd_result_sites *sites,
                        const nd_job_options *options) {
    nd_status st = ND_OK;
    const nd_document *whole = &page->whole;
    const uint32_t count = whole->sentence_count;
    ND_TRY(nd_new(&page->keep, count, sizeof *page->keep));
    ND_TRY(nd_new(&page->is_template, count, sizeof *page->is_template));
    ND_TRY(nd_new(&page->is_repeated, count, sizeof *page->is_repeated));
    if (sites != NULL) {
        ND_TRY(nd_result_sites_find(sites, whole->site));
    }
    for (uint32_t i = 0; i < count; i++) {
        const nd_sentence_digest *sentence = &whole->sentences[i];
        const bool link = nd_sentence_may_return(&options->content, sentence);
        page->is_template[i] = sites != NULL && nd_result_site_drops(sites, sentence->masked);
        page->is_repeated[i] =
            sites != NULL ? nd_result_site_repeats(sites, sentence->masked, link) : link;
    }
    page->flags =
        nd_page_content_choose(options, whole, page->is_template, page->is_repeated, page->keep);
out:
    return st;
}

/* Read the page, and choose what of it is compared. */
static nd_status take_record(nd_explained_page *page, const nd_record *record,
                             nd_result_sites *sites, const nd_job_options *options) {
    nd_status st = ND_OK;
    const nd_document *whole = &page->whole;
    page->maker.by_domain = options->content.by_domain;
    page->maker.images = options->method_options.image_terms;
    ND_TRY(nd_page_maker_add(&page->maker, record, 0, 0, &page->store));
    ND_TRY(nd_page_store_document(&page->store, 0, &page->whole));
    ND_TRY(choose(page, sites, options));

    const uint32_t *token = whole->tokens;
    ND_TRY(nd_new(&page->tokens, whole->token_count, sizeof *page->tokens));
    ND_TRY(nd_new(&page->sentences, whole->sentence_count, sizeof *page->sentences));
    page->content =
        (nd_document){.tokens = page->tokens, .sentences = page->sentences, .site = whole->site};
    for (uint32_t i = 0; i < whole->sentence_count; i++) {
        const nd_sentence_digest *sentence = &whole->sentences[i];
        if (page->keep[i]) {
            memcpy(page->tokens + page->content.token_count, token,
                   sentence->token_count * sizeof *token);
            page->content.token_count += sentence->token_count;
            page->sentences[page->content.sentence_count++] = *sentence;
        }
        token += sentence->token_count;
    }
out:
    return st;
}

/* ---- a file of its own */

nd_status nd_explained_page_read_file(nd_explained_page *page, const char *path,
                                      const nd_job_options *options) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_source_shape shape;
    nd_record record;
    ND_TRY(nd_source_look(path, &shape));
    if (strncmp(shape.format, "warc", 4) == 0 || strncmp(shape.format, "arc", 3) == 0 ||
        strncmp(shape.format, "jsonl", 5) == 0) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: is %s, which holds many pages: partition it, then explain OUT.h5 URL_A "
                       "URL_B",
                       path, shape.format);
    }
    ND_TRY(nd_buffer_append(&page->source, path, strlen(path) + 1));
    ND_TRY(nd_reader_open(path, "", 0, shape.bytes, &options->reader, &reader));
    st = nd_reader_next(reader, &record);
    if (st == ND_END) {
        st = nd_fail(ND_ERR_USAGE, "%s: holds no page that can be read (format: %s)", path,
                     shape.format);
    }
    ND_TRY(st);
    ND_TRY(take_record(page, &record, NULL, options));
out:
    nd_reader_close(&reader);
    return st;
}

/* ---- finding a page in a result */

/* A page without an id or a URL has no name. */
static bool equals(nd_span text, const char *name) {
    return text.size > 0 && text.size == strlen(name) && memcmp(text.data, name, text.size) == 0;
}

static nd_status find_pages(const nd_result *result, char *const names[2],
                            nd_explained_page pages[2]) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    const bool twins = strcmp(names[0], names[1]) == 0;
    const uint64_t count = result->shape.pages;
    for (uint64_t begin = 0; begin < count; begin += ROWS_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(count - begin, ROWS_AT_ONCE), &rows));
        for (uint64_t k = 0; k < 2 * rows.count; k++) {
            const uint64_t i = k / 2;
            const int side = (int)(k % 2);
            nd_explained_page *page = &pages[side];
            const nd_span url = nd_page_rows_url(&rows, i);
            if (!equals(url, names[side]) && !equals(nd_page_rows_id(&rows, i), names[side])) {
                continue;
            }
            page->place.namesakes++;
            if (page->place.namesakes == (twins && side == 1 ? 2 : 1)) {
                page->placed = true;
                page->place = (nd_page_place){.page = rows.begin + i,
                                              .namesakes = page->place.namesakes,
                                              .set = rows.set[i],
                                              .link = rows.link[i],
                                              .exact_of = rows.exact_of[i],
                                              .similarity = rows.similarity[i],
                                              .link_similarity = rows.link_similarity[i],
                                              .source = rows.source[i],
                                              .offset = rows.offset[i]};
                ND_TRY(nd_buffer_append(&page->url, url.data, url.size));
            }
        }
    }
    for (int side = 0; side < 2; side++) {
        if (pages[side].place.namesakes == 0) {
            st = nd_fail(ND_ERR_USAGE, "%s: no page has the URL or id %s", result->path,
                         names[side]);
            goto out;
        }
        if (!pages[side].placed) {
            st = nd_fail(ND_ERR_USAGE, "%s: only one page has the URL or id %s: name two pages",
                         result->path, names[side]);
            goto out;
        }
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

/* Its set and its source file. */
static nd_status find_place(const nd_result *result, nd_explained_page *page) {
    nd_status st = ND_OK;
    nd_page_place *place = &page->place;
    nd_text_column sources = {0};
    uint64_t *members = NULL;
    bool found = false;
    ND_TRY(nd_result_members(result, place->set, &members, &place->set_pages));
    for (uint64_t i = 0; i < place->set_pages && !found; i++) {
        found = members[i] == place->page;
    }
    place->representative = members[0];
    if (!found) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: page %" PRIu64 " is not a member of its set %" PRIu64
                     ": damaged, or not written by neardup",
                     result->path, place->page, place->set);
        goto out;
    }
    ND_TRY(nd_text_column_read(result, "/sources/path_offset", "/sources/path_bytes", &sources));
    const nd_span path = nd_text_column_at(&sources, place->source);
    ND_TRY(nd_buffer_append(&page->source, path.data, path.size));
    ND_TRY(nd_buffer_append(&page->source, "", 1));
out:
    nd_text_column_free(&sources);
    free(members);
    return st;
}

/* ---- reading it again */

/* \param[in] rows  the page alone \param[in] path  of its source */
static nd_status read_again(nd_explained_page *page, const nd_page_rows *rows, const char *path,
                            nd_result_sites *sites, const nd_job_options *options) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_source_shape shape;
    nd_record record;
    const uint64_t offset = rows->offset[0];
    const nd_span name = nd_page_rows_url(rows, 0);
    nd_buffer url = {0};
    ND_TRY(nd_source_look(path, &shape));
    ND_TRY(nd_buffer_append(&url, name.data, name.size));
    ND_TRY(nd_buffer_append(&url, "", 1));
    ND_TRY(nd_reader_open(path, (const char *)url.data, shape.splittable ? offset : 0,
                          shape.splittable ? offset + 1 : shape.bytes, &options->reader, &reader));
    /* a unit begins at the page's offset; a source that cannot be entered in the middle is read
     * from its beginning */
    do {
        st = nd_reader_next(reader, &record);
    } while (st == ND_OK && record.offset != offset);
    if (st == ND_END) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: no page starts at byte %" PRIu64
                     " any more: has the file been changed since the run?",
                     path, offset);
    }
    ND_TRY(st);
    ND_TRY(take_record(page, &record, sites, options));
    if (page->whole.token_count != rows->tokens[0]) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: the page at byte %" PRIu64 " has %" PRIu32 " tokens, and had %" PRIu32
                     " in the run: the file, or the --jsonl options, are others now",
                     path, offset, page->whole.token_count, rows->tokens[0]);
    }
out:
    nd_reader_close(&reader);
    nd_buffer_free(&url);
    return st;
}

nd_status nd_explained_page_read_number(nd_explained_page *page, const nd_result *result,
                                        nd_result_sites *sites, uint64_t number,
                                        const nd_job_options *options) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    nd_text_column sources = {0};
    nd_buffer path = {0};
    ND_TRY(nd_page_rows_read(result, number, 1, &rows));
    ND_TRY(nd_text_column_read(result, "/sources/path_offset", "/sources/path_bytes", &sources));
    const nd_span text = nd_text_column_at(&sources, rows.source[0]);
    ND_TRY(nd_buffer_append(&path, text.data, text.size));
    ND_TRY(nd_buffer_append(&path, "", 1));
    ND_TRY(read_again(page, &rows, (const char *)path.data, sites, options));
    page->compared = number;
out:
    nd_page_rows_free(&rows);
    nd_text_column_free(&sources);
    nd_buffer_free(&path);
    return st;
}

/* Sentences are known by their digests, as in the run. */
static bool equal_contents(const nd_document *a, const nd_document *b) {
    bool equal = a->sentence_count == b->sentence_count && a->token_count > 0;
    for (uint32_t i = 0; i < a->sentence_count && equal; i++) {
        equal = memcmp(&a->sentences[i].digest, &b->sentences[i].digest, sizeof(nd_md5)) == 0;
    }
    return equal;
}

/* A run compares one page of each text, and of those one of each content. */
static nd_status read_compared(nd_explained_page *page, const nd_result *result,
                               nd_result_sites *sites, const nd_job_options *options) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    nd_explained_page first = {0};
    ND_TRY(nd_explained_page_read_number(page, result, sites, page->place.exact_of, options));
    ND_TRY(nd_page_rows_read(result, page->compared, 1, &rows));
    if (rows.link[0] < page->compared && rows.link_similarity[0] == 1) {
        ND_TRY(nd_explained_page_read_number(&first, result, sites, rows.link[0], options));
        if (equal_contents(&page->content, &first.content)) {
            nd_explained_page other = *page;
            first.placed = other.placed;
            first.place = other.place;
            first.url = other.url;
            first.source = other.source;
            other.url = other.source = (nd_buffer){0};
            *page = first;
            first = other;
        }
    }
out:
    nd_page_rows_free(&rows);
    nd_explained_page_free(&first);
    return st;
}

nd_status nd_explained_pages_read(nd_explained_page pages[2], const nd_result *result,
                                  nd_result_sites *sites, char *const names[2],
                                  const nd_job_options *options) {
    nd_status st = ND_OK;
    ND_TRY(find_pages(result, names, pages));
    for (int side = 0; side < 2; side++) {
        ND_TRY(find_place(result, &pages[side]));
        ND_TRY(read_compared(&pages[side], result, sites, options));
    }
out:
    return st;
}

void nd_explained_page_free(nd_explained_page *page) {
    nd_page_maker_free(&page->maker);
    nd_page_store_free(&page->store);
    free(page->keep);
    free(page->is_template);
    free(page->is_repeated);
    free(page->tokens);
    free(page->sentences);
    nd_buffer_free(&page->url);
    nd_buffer_free(&page->source);
    *page = (nd_explained_page){0};
}
