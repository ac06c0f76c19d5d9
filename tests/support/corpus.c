#include "tests/support/corpus.h"
#include "io/input/input_list.h"
#include "io/input/page_maker.h"
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/brief.h"

#include <dirent.h>
#include <errno.h>

/* ---- corpus */

static void count_skipped(void *context, uint64_t offset, const char *reason) {
    (void)offset;
    (void)reason;
    ((nd_corpus *)context)->skipped++;
}

static nd_status read_source(nd_corpus *corpus, nd_page_maker *maker, const nd_input_list *list,
                             uint32_t source) {
    nd_status st = ND_OK;
    const nd_input *input = &list->inputs[source];
    ND_OWNED(nd_buffer_free) nd_buffer url = {0};
    nd_source_shape shape;
    nd_reader *reader = NULL;
    nd_record record;
    const nd_reader_options options = {.skip = count_skipped, .skip_context = corpus};
    ND_TRY(nd_source_look(input->path, NULL, &shape));
    nd_input_url(list, input, &url);
    ND_TRY(nd_reader_open(input->path, (const char *)url.data, 0, shape.bytes, &options, &reader));
    while ((st = nd_reader_next(reader, &record)) == ND_OK) {
        ND_TRY(nd_page_maker_add(maker, &record, source, 0, &corpus->pages));
    }
    st = st == ND_END ? ND_OK : st;
out:
    nd_reader_close(&reader);
    if (st == ND_ERR_INPUT) { /* the program goes on after it, too */
        corpus->skipped++;
        st = ND_OK;
    }
    return st;
}

typedef struct text_record {
    nd_text_hash hash;
    uint32_t page;
} text_record;

ND_TEST_ORDER_OF(by_hash_then_page, text_record, hash.high, hash.low, page)

/* By page: the first page with the same text, kept in text_of until the texts have numbers. */
static void mark_first_pages(nd_corpus *corpus, text_record *records, size_t count) {
    uint32_t first = 0;
    nd_sort(records, count, sizeof *records, by_hash_then_page);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || records[i].hash.high != records[i - 1].hash.high ||
            records[i].hash.low != records[i - 1].hash.low) {
            first = records[i].page;
        }
        corpus->text_of[records[i].page] = first;
    }
}

static void number_texts(nd_corpus *corpus) {
    const size_t pages = corpus->pages.count;
    size_t count = 0;
    ND_FREED text_record *records = NULL;
    nd_new(&records, pages, sizeof *records);
    nd_new(&corpus->text_of, pages, sizeof *corpus->text_of);
    nd_new(&corpus->first_page, pages, sizeof *corpus->first_page);
    for (uint32_t page = 0; page < pages; page++) {
        corpus->text_of[page] = ND_NO_TEXT;
        if (corpus->pages.pages[page].token_count > 0) {
            records[count++] = (text_record){corpus->pages.pages[page].text_hash, page};
        }
    }
    corpus->without_text = pages - count;
    mark_first_pages(corpus, records, count);
    for (uint32_t page = 0; page < pages; page++) {
        const uint32_t first = corpus->text_of[page];
        if (first == page) {
            corpus->first_page[corpus->text_count] = page;
            corpus->text_of[page] = corpus->text_count++;
        } else if (first != ND_NO_TEXT) {
            corpus->text_of[page] = corpus->text_of[first];
        }
    }
}

nd_status nd_corpus_read(nd_corpus *corpus, const char *const *words, size_t count) {
    nd_status st = ND_OK;
    ND_OWNED(nd_input_list_free) nd_input_list list = {0};
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {.hash_seed = ND_CORPUS_HASH_SEED};
    *corpus = (nd_corpus){0};
    ND_TRY(nd_input_list_resolve(&list, words, count));
    for (size_t i = 0; i < list.count; i++) {
        ND_TRY(read_source(corpus, &maker, &list, (uint32_t)i));
        if (corpus->pages.count >= ND_NO_TEXT) {
            st = nd_fail(ND_ERR_LIMIT, "more pages than one process can number");
            goto out;
        }
    }
    number_texts(corpus);
out:
    if (st != ND_OK) {
        nd_corpus_free(corpus);
    }
    return st;
}

void nd_corpus_free(nd_corpus *corpus) {
    nd_page_store_free(&corpus->pages);
    free(corpus->text_of);
    free(corpus->first_page);
    *corpus = (nd_corpus){0};
}

/* ---- read file */

enum { CHUNK = 1 << 16 };

nd_status nd_test_read_file(nd_buffer *buffer, const char *path) {
    nd_status st = ND_OK;
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return nd_fail(ND_ERR_IO, "%s: %s", path, strerror(errno));
    }
    for (size_t got = 1; got > 0;) {
        nd_buffer_reserve(buffer, CHUNK);
        got = fread(buffer->data + buffer->size, 1, CHUNK, file);
        buffer->size += got;
    }
    if (ferror(file)) {
        st = nd_fail(ND_ERR_IO, "%s: cannot be read", path);
    }
    (void)fclose(file);
    return st;
}

static bool is_html(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".html") == 0 || strcmp(dot, ".htm") == 0);
}

static int is_visible(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

nd_status nd_test_walk_html(const char *path, nd_status (*visit)(void *context, const char *path),
                            void *context) {
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0) {
        return errno == ENOTDIR ? visit(context, path)
                                : nd_fail(ND_ERR_IO, "%s: %s", path, strerror(errno));
    }
    nd_status st = ND_OK;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        bool is_folder = entries[i]->d_type == DT_DIR;
        if (st == ND_OK && (is_folder || is_html(entries[i]->d_name))) {
            (void)snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
            st = is_folder ? nd_test_walk_html(inner, visit, context) : visit(context, inner);
        }
        free(entries[i]);
    }
    free(entries);
    return st;
}
