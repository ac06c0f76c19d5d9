#include "mpi/cmd/explain/explain_page.h"

#include "src/base/order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of a result with their texts that are read at once. */
static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 16;

/* Read the page, and choose what of it is compared, without what only its site can show. */
static nd_status take_record(nd_explained_page *page, const nd_record *record,
                             const nd_job_options *options) {
    nd_status st = ND_OK;
    const nd_document *whole = &page->whole;
    const uint32_t dropped = nd_job_dropped_flags(&options->content);
    page->maker.by_domain = options->content.by_domain;
    page->maker.images = options->method_options.image_terms;
    ND_TRY(nd_page_maker_add(&page->maker, record, 0, 0, &page->store));
    ND_TRY(nd_page_store_document(&page->store, 0, &page->whole));
    page->url.size = 0;
    ND_TRY(nd_buffer_append(&page->url, record->url.data, record->url.size));

    const uint32_t *token = whole->tokens;
    ND_TRY(nd_new(&page->tokens, whole->token_count, sizeof *page->tokens));
    ND_TRY(nd_new(&page->sentences, whole->sentence_count, sizeof *page->sentences));
    page->content =
        (nd_document){.tokens = page->tokens, .sentences = page->sentences, .site = whole->site};
    for (uint32_t i = 0; i < whole->sentence_count; i++) {
        const nd_sentence_digest *sentence = &whole->sentences[i];
        if ((sentence->flags & dropped) == 0) {
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
    ND_TRY(take_record(page, &record, options));
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
                                              .tokens = rows.tokens[i],
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

static nd_status read_again(nd_explained_page *page, const nd_job_options *options) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_source_shape shape;
    nd_record record;
    const nd_page_place *place = &page->place;
    const char *path = (const char *)page->source.data;
    char *url = NULL;
    ND_TRY(nd_source_look(path, &shape));
    ND_TRY(nd_new(&url, page->url.size + 1, 1));
    if (page->url.size > 0) {
        memcpy(url, page->url.data, page->url.size);
    }
    ND_TRY(nd_reader_open(path, url, shape.splittable ? place->offset : 0,
                          shape.splittable ? place->offset + 1 : shape.bytes, &options->reader,
                          &reader));
    /* a unit begins at the page's offset; a source that cannot be entered in the middle is read
     * from its beginning */
    do {
        st = nd_reader_next(reader, &record);
    } while (st == ND_OK && record.offset != place->offset);
    if (st == ND_END) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: no page starts at byte %" PRIu64
                     " any more: has the file been changed since the run?",
                     path, place->offset);
    }
    ND_TRY(st);
    ND_TRY(take_record(page, &record, options));
    if (page->whole.token_count != place->tokens) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: the page at byte %" PRIu64 " has %" PRIu32 " tokens, and had %" PRIu32
                     " in the run: the file, or the --jsonl options, are others now",
                     path, place->offset, page->whole.token_count, place->tokens);
    }
out:
    nd_reader_close(&reader);
    free(url);
    return st;
}

nd_status nd_explained_pages_read(nd_explained_page pages[2], const nd_result *result,
                                  char *const names[2], const nd_job_options *options) {
    nd_status st = ND_OK;
    ND_TRY(find_pages(result, names, pages));
    for (int side = 0; side < 2; side++) {
        ND_TRY(find_place(result, &pages[side]));
        ND_TRY(read_again(&pages[side], options));
    }
out:
    return st;
}

void nd_explained_page_free(nd_explained_page *page) {
    nd_page_maker_free(&page->maker);
    nd_page_store_free(&page->store);
    free(page->tokens);
    free(page->sentences);
    nd_buffer_free(&page->url);
    nd_buffer_free(&page->source);
    *page = (nd_explained_page){0};
}
