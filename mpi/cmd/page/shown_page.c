#include "mpi/cmd/page/shown_page.h"

#include "io/result/result_order.h"
#include "io/result/result_read.h"
#include "mpi/cmd/run_pages.h"
#include "mpi/job/job.h"
#include "src/base/printable.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "src/hash/rabin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ==== pages read again */

/* Rows of the result that are read at a time. */
static const uint64_t ROWS_AT_ONCE = 1024;

/* Read the page, and choose what of it is compared. */
static nd_status take_record(nd_shown_page *page, const nd_record *record, nd_result_sites *sites,
                             const nd_job_options *options) {
    nd_status st = ND_OK;
    nd_joined_digest joined = {0};
    const nd_document *whole = &page->whole;
    page->maker = nd_job_page_maker(options, NULL);
    page->maker.any_digest = false;    /* each method looks at the page, */
    page->maker.no_navigation = false; /* and a person does */
    page->maker.page_is_used = true;
    ND_TRY(nd_page_maker_add(&page->maker, record, 0, 0, &page->store));
    ND_TRY(nd_page_store_document(&page->store, 0, &page->whole));
    page->own_tokens = whole->token_count;
    page->own_sentences = whole->sentence_count;
    ND_TRY(nd_page_content_choose_again(&page->chosen, options, sites, true, whole));

    const uint32_t *token = whole->tokens;
    nd_new(&page->tokens, whole->token_count, sizeof *page->tokens);
    nd_new(&page->sentences, whole->sentence_count, sizeof *page->sentences);
    page->content = (nd_document){
        .tokens = page->tokens, .sentences = page->sentences, .origin = whole->origin};
    for (uint32_t i = 0; i < whole->sentence_count; i++) {
        const nd_sentence_digest *sentence = &whole->sentences[i];
        if (page->chosen.keep[i]) {
            memcpy(page->tokens + page->content.token_count, token,
                   sentence->token_count * sizeof *token);
            page->content.token_count += sentence->token_count;
            page->sentences[page->content.sentence_count++] = *sentence;
            joined = nd_joined_digest_join(
                joined,
                nd_joined_digest_of(page->maker.page.tokens +
                                        page->maker.page.sentences[i].first_token,
                                    sentence->token_count, options->hash_seed),
                sentence->token_count, options->hash_seed);
        }
        token += sentence->token_count;
    }
    page->content.hash = (nd_text_hash){joined.high, joined.low};
out:
    return st;
}

/* ---- a file of its own */

nd_status nd_shown_page_read_file(nd_shown_page *page, const char *path,
                                  const nd_job_options *options) {
    nd_status st = ND_OK;
    nd_reader *reader = NULL;
    nd_source_shape shape;
    nd_record record;
    ND_TRY(nd_source_look(path, &options->reader, &shape));
    if (strncmp(shape.format, "warc", 4) == 0 || strncmp(shape.format, "arc", 3) == 0 ||
        strncmp(shape.format, "jsonl", 5) == 0) {
        return nd_fail(ND_ERR_USAGE,
                       "%s: is %s, which holds many pages: partition it, then explain OUT.h5 URL_A "
                       "URL_B",
                       path, shape.format);
    }
    nd_buffer_append(&page->source, path, strlen(path) + 1);
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

/* ---- pages of a result */

const nd_option nd_shown_run_option_table[] = {
    {.help = "How JSONL is read again, for earlier results that do not say it"},
    {"jsonl-text", "FIELD", ND_OPTION_TEXT, offsetof(nd_reader_options, jsonl_text),
     .help = "the text of a page in a JSONL line (text)", .rare = true},
    {"jsonl-id", "FIELD", ND_OPTION_TEXT, offsetof(nd_reader_options, jsonl_id),
     .help = "its id (id)", .rare = true},
    {"jsonl-url", "FIELD", ND_OPTION_TEXT, offsetof(nd_reader_options, jsonl_url),
     .help = "its URL (url)", .rare = true},
    {"jsonl-html", "FIELD", ND_OPTION_TEXT, offsetof(nd_reader_options, jsonl_html),
     .help = "its HTML (html)", .rare = true},
    {0},
};

nd_status nd_shown_run_know(nd_shown_run *run, const nd_result *result) {
    nd_status st = ND_OK;
    run->result = result;
    ND_TRY(nd_run_options_read(result, &run->options));
    ND_TRY(nd_result_sites_open(&run->sites, result));
out:
    return st;
}

nd_status nd_shown_run_begin(nd_shown_run *run) {
    return nd_source_reader_begin(&run->reader, run->result, &run->options.reader);
}

nd_status nd_shown_run_read(nd_shown_run *run, const nd_result *result) {
    const nd_status st = nd_shown_run_know(run, result);
    return st != ND_OK ? st : nd_shown_run_begin(run);
}

void nd_shown_run_close(nd_shown_run *run) {
    nd_result_sites_close(&run->sites);
    nd_source_reader_close(&run->reader);
    nd_page_rows_free(&run->rows);
}

/* The row of a page, which is number i of those at hand. HDF5 unpacks a chunk of each column for
 * it, as for all others in the chunk. */
static nd_status find_row(nd_shown_run *run, uint64_t number, uint64_t *i) {
    const nd_status st = nd_page_rows_around(run->result, number, ROWS_AT_ONCE, &run->rows);
    *i = number - run->rows.begin;
    return st;
}

/* Its place and its names, without its text. Pages in ascending order cost least. */
static nd_status find_page(nd_shown_page *page, nd_shown_run *run, uint64_t number) {
    nd_status st = ND_OK;
    const nd_result *result = run->result;
    nd_page_place *place = &page->place;
    const nd_page_rows *rows = &run->rows;
    uint64_t i = 0;
    uint64_t range[2] = {0, 0};
    ND_TRY(find_row(run, number, &i));
    *place = (nd_page_place){.page = number,
                             .set = rows->set[i],
                             .link = rows->link[i],
                             .exact_of = rows->exact_of[i],
                             .revisit_of = rows->revisit_of[i],
                             .form = rows->form[i] != 0,
                             .similarity = rows->similarity[i],
                             .link_similarity = rows->link_similarity[i],
                             .source = rows->source[i],
                             .offset = rows->offset[i]};
    page->placed = true;
    const nd_span url = nd_page_rows_url(rows, i);
    const nd_span id = nd_page_rows_id(rows, i);
    nd_buffer_append(&page->url, url.data, url.size);
    nd_buffer_append(&page->id, id.data, id.size);
    ND_TRY(nd_result_set_offsets(result, place->set, 1, range));
    place->set_pages = range[1] - range[0];
    ND_TRY(nd_result_member_rows(result, range[0], 1, &place->representative));
    ND_TRY(nd_result_source_name(result, place->source, &page->source));
out:
    return st;
}

/* ---- reading it again */

nd_status nd_shown_page_read_number(nd_shown_page *page, nd_shown_run *run, uint64_t number) {
    nd_status st = ND_OK;
    uint64_t row = 0;
    ND_TRY(find_row(run, number, &row));
    ND_TRY(nd_source_reader_page(&run->reader, &run->rows, row));
    ND_TRY(take_record(page, &run->reader.from.record, &run->sites, &run->options));
    ND_TRY(nd_source_reader_check_tokens(&run->reader, &run->rows, row, page->whole.token_count));
    page->compared = number;
out:
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

nd_status nd_shown_page_read(nd_shown_page *page, nd_shown_run *run, uint64_t number) {
    const nd_status st = find_page(page, run, number);
    return st != ND_OK ? st : nd_shown_page_read_number(page, run, page->place.exact_of);
}

/* A run compares one page of each text, and of those one of each content. */
nd_status nd_shown_page_read_compared(nd_shown_page *page, nd_shown_run *run, uint64_t number) {
    nd_status st = ND_OK;
    uint64_t row = 0;
    nd_shown_page first = {0};
    ND_TRY(nd_shown_page_read(page, run, number));
    ND_TRY(find_row(run, page->compared, &row));
    const uint64_t link = run->rows.link[row];
    if (link < page->compared && run->rows.link_similarity[row] == 1) {
        ND_TRY(nd_shown_page_read_number(&first, run, link));
        if (equal_contents(&page->content, &first.content)) {
            nd_shown_page other = *page;
            first.own_tokens = other.own_tokens;
            first.own_sentences = other.own_sentences;
            first.placed = other.placed;
            first.place = other.place;
            first.url = other.url;
            first.id = other.id;
            first.source = other.source;
            other.url = other.id = other.source = (nd_buffer){0};
            *page = first;
            first = other;
        }
    }
out:
    nd_shown_page_free(&first);
    return st;
}

/* ---- what is shown of it */

nd_span nd_shown_sentence(const nd_shown_page *page, uint32_t sentence) {
    const nd_sentence *s = &page->maker.page.sentences[sentence];
    return (nd_span){page->maker.page.normalised.data + s->begin, s->end - s->begin};
}

nd_span nd_shown_sentence_text(const nd_shown_page *page, uint32_t sentence) {
    const nd_sentence *s = &page->maker.page.sentences[sentence];
    nd_span text = {page->maker.page.text.data + s->text_begin, s->text_end - s->text_begin};
    while (text.size > 0 && nd_is_blank(text.data[0])) {
        text = nd_span_part(text, 1, text.size);
    }
    while (text.size > 0 && nd_is_blank(text.data[text.size - 1])) {
        text.size--;
    }
    return text;
}

const char *nd_drop_reason(const nd_shown_page *page, uint32_t sentence) {
    const uint32_t flags = page->whole.sentences[sentence].flags;
    return page->chosen.is_template[sentence]      ? "template"
           : (flags & ND_SENTENCE_NAVIGATION) != 0 ? "navigation"
           : (flags & ND_SENTENCE_BESIDE) != 0     ? "beside"
                                                   : "links";
}

void nd_shown_page_free(nd_shown_page *page) {
    nd_page_maker_free(&page->maker);
    nd_page_store_free(&page->store);
    nd_chosen_content_free(&page->chosen);
    free(page->tokens);
    free(page->sentences);
    nd_buffer_free(&page->url);
    nd_buffer_free(&page->id);
    nd_buffer_free(&page->source);
    *page = (nd_shown_page){0};
}

/* ==== many at once */

nd_status nd_page_batch_read(nd_page_batch *batch, nd_shown_run *run, const uint64_t *numbers,
                             uint64_t count) {
    nd_status st = ND_OK;
    nd_key_value *order = NULL; /* (page in the result, place among those asked for) */
    *batch = (nd_page_batch){.count = count};
    nd_new(&batch->pages, count, sizeof *batch->pages);
    nd_new_room(&order, count, sizeof *order);
    for (uint64_t i = 0; i < count; i++) {
        batch->pages[i].number = numbers[i];
        order[i] = (nd_key_value){numbers[i], i};
    }
    nd_radix_sort(order, count);
    for (uint64_t i = 0; i < count; i++) {
        nd_batch_page *page = &batch->pages[order[i].value];
        ND_TRY(find_page(&page->page, run, page->number));
        order[i].key = page->page.place.exact_of; /* whose text is read */
    }
    nd_radix_sort(order, count);
    for (uint64_t i = 0; i < count; i++) {
        nd_batch_page *page = &batch->pages[order[i].value];
        const nd_status read = nd_shown_page_read_number(&page->page, run, order[i].key);
        ND_TRY(read == ND_ERR_MEMORY ? read : ND_OK);
        if (read != ND_OK) {
            batch->unread++;
            (void)snprintf(page->reason, sizeof page->reason, "%s", nd_fail_text());
        }
    }
out:
    free(order);
    return st;
}

void nd_page_batch_free(nd_page_batch *batch) {
    for (uint64_t i = 0; i < batch->count; i++) {
        nd_shown_page_free(&batch->pages[i].page);
    }
    free(batch->pages);
    *batch = (nd_page_batch){0};
}

/* ==== by name */

/* All pages whose id, or URL, is `name`. A page without one has no name. */
static nd_status search(const nd_result *result, bool ids, const char *name,
                        nd_named_pages *found) {
    const nd_span wanted = {(const uint8_t *)name, strlen(name)};
    *found = (nd_named_pages){.as = ids ? "id" : "URL"};
    return wanted.size == 0
               ? ND_OK
               : nd_name_order_find(result, ids ? &nd_id_columns : &nd_url_columns, wanted,
                                    found->pages, ND_NAMESAKES_LISTED, &found->count);
}

static bool is_number(const char *name) {
    return name[0] != '\0' && name[strspn(name, "0123456789")] == '\0';
}

/* The rest of the name after its prefix; NULL if it has another or none. */
static const char *after(const char *name, const char *prefix) {
    const size_t size = strlen(prefix);
    return strncmp(name, prefix, size) == 0 ? name + size : NULL;
}

nd_status nd_page_name_find(const nd_result *result, const char *name, nd_named_pages *found) {
    nd_status st = ND_OK;
    const char *number = after(name, "page:");
    const char *id = after(name, "id:");
    const char *url = after(name, "url:");
    const bool plain = number == NULL && id == NULL && url == NULL;
    *found = (nd_named_pages){.as = "page number"};
    if (is_number(plain ? name : number != NULL ? number : "")) {
        errno = 0;
        const uint64_t page = strtoull(plain ? name : number, NULL, 10);
        if (errno == 0 && page < result->shape.pages) {
            found->count = 1;
            found->pages[0] = page;
        }
    }
    if (found->count == 0 && (plain || id != NULL)) {
        ND_TRY(search(result, true, plain ? name : id, found));
    }
    if (found->count == 0 && (plain || url != NULL)) {
        ND_TRY(search(result, false, plain ? name : url, found));
    }
    if (found->count == 0) {
        st =
            nd_fail(ND_ERR_USAGE,
                    "%s: no page has the URL, id or number %s; there are %" PRIu64 " pages, from 0",
                    result->path, name, result->shape.pages);
    }
out:
    return st;
}

/* Is the id of page `page` a number? */
static nd_status id_is_number(const nd_result *result, uint64_t page, bool *is) {
    nd_buffer id = {0};
    const nd_status st =
        nd_result_text_read(result, "/pages/id_offset", "/pages/id_bytes", page, &id);
    *is = st == ND_OK && strlen((const char *)id.data) + 1 == id.size &&
          is_number((const char *)id.data);
    nd_buffer_free(&id);
    return st;
}

nd_status nd_page_name_warn(const nd_result *result, const char *name,
                            const nd_named_pages *found) {
    nd_status st = ND_OK;
    nd_named_pages others = {0};
    if (found->count > 1) {
        char list[24 * ND_NAMESAKES_LISTED] = "";
        for (uint64_t i = 0; i < found->count && i < ND_NAMESAKES_LISTED; i++) {
            const size_t used = strlen(list);
            (void)snprintf(list + used, sizeof list - used, "%s%" PRIu64, i > 0 ? ", " : "",
                           found->pages[i]);
        }
        nd_print_line(stderr, "neardup: %s is the %s of %" PRIu64 " pages: %s%s", name, found->as,
                      found->count, list, found->count > ND_NAMESAKES_LISTED ? ", ..." : "");
        goto out;
    }
    if (is_number(name) && strcmp(found->as, "page number") == 0) {
        bool of_first = false, of_page = false;
        ND_TRY(id_is_number(result, 0, &of_first));
        ND_TRY(id_is_number(result, found->pages[0], &of_page));
        if (of_first || of_page) {
            ND_TRY(search(result, true, name, &others));
        }
    }
    if (others.count > 0 && !(others.count == 1 && others.pages[0] == found->pages[0])) {
        nd_print_line(stderr,
                      "neardup: %s is taken as a page number; it is the id of page %" PRIu64
                      " too: id:%s names that",
                      name, others.pages[0], name);
    }
out:
    return st;
}
