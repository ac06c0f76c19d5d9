/* make_warc OUT.warc.gz REPEAT FOLDER...: pages as a crawler would have kept them.
 * Every .html file below the folders, in the order of the paths' bytes, becomes a WARC response
 * record in a gzip member of its own. All of it is repeated REPEAT times; in each repetition but
 * the first some words of every page are replaced, so that repetitions are near copies and not
 * exact ones. REPEAT ending in M: until the file has that many MiB. The same arguments give the
 * same bytes. */
#include "src/base/buffer.h"
#include "src/base/sort.h"
#include "src/base/util.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"
#include "tests/support/sources.h"

#include <errno.h>
#include <libdeflate.h>

/* The level at which crawlers compress. */
enum { GZIP_LEVEL = 6 };
/* One word in so many is replaced in a repetition. */
enum { WORDS_PER_EDIT = 150 };

static struct {
    char **paths;
    size_t count, capacity;
} files;

static void die(const char *what) {
    (void)fprintf(stderr, "make_warc: %s: %s\n", what, strerror(errno));
    exit(1);
}

static nd_status add_file(void *context, const char *path) {
    (void)context;
    nd_grow(&files.paths, &files.capacity, files.count + 1, sizeof *files.paths);
    files.paths[files.count++] = strdup(path);
    return ND_OK;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- one page of one repetition */

static bool is_letter(uint8_t byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* Copy the page; outside of tags, now and then a word is replaced by another one. */
static void edit_page(const nd_buffer *page, nd_random *random, nd_buffer *edited) {
    bool in_tag = false;
    size_t at = 0;
    edited->size = 0;
    while (at < page->size) {
        size_t end = at;
        while (end < page->size && is_letter(page->data[end])) {
            end++;
        }
        if (end == at) {
            in_tag = page->data[at] == '<' || (in_tag && page->data[at] != '>');
            end++;
        } else if (!in_tag && nd_random_below(random, WORDS_PER_EDIT) == 0) {
            char word[32];
            (void)snprintf(word, sizeof word, "word%llu",
                           (unsigned long long)nd_random_below(random, 1000));
            nd_buffer_append_text(edited, word);
            at = end;
            continue;
        }
        nd_buffer_append(edited, page->data + at, end - at);
        at = end;
    }
}

static void make_record(const nd_buffer *page, const char *path, unsigned long long repetition,
                        size_t number, nd_buffer *record) {
    static const char http[] = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    char head[4096];
    const unsigned long long id = nd_mix64(repetition << 32 | number);
    (void)snprintf(head, sizeof head,
                   "WARC/1.0\r\nWARC-Type: response\r\n"
                   "WARC-Target-URI: http://repeat%llu.example%s%s\r\n"
                   "WARC-Date: 2020-01-01T00:00:00Z\r\n"
                   "WARC-Record-ID: <urn:uuid:%08llx-%04llx-4%03llx-8%03llx-%012llx>\r\n"
                   "Content-Type: application/http; msgtype=response\r\n"
                   "Content-Length: %zu\r\n\r\n",
                   repetition, path[0] == '/' ? "" : "/", path, id & 0xffffffff, id >> 32 & 0xffff,
                   id >> 48 & 0xfff, repetition & 0xfff, (unsigned long long)number,
                   sizeof http - 1 + page->size);
    record->size = 0;
    nd_buffer_append_text(record, head);
    nd_buffer_append_text(record, http);
    nd_buffer_append(record, page->data, page->size);
    nd_buffer_append_text(record, "\r\n\r\n");
}

static size_t write_member(struct libdeflate_compressor *compressor, const nd_buffer *record,
                           FILE *out, nd_buffer *member) {
    const size_t bound = libdeflate_gzip_compress_bound(compressor, record->size);
    member->size = 0;
    nd_buffer_reserve(member, bound);
    const size_t size =
        libdeflate_gzip_compress(compressor, record->data, record->size, member->data, bound);
    if (size == 0 || fwrite(member->data, 1, size, out) != size) {
        die("cannot write a member");
    }
    return size;
}

/* ---- the file */

static unsigned long long write_repetition(struct libdeflate_compressor *compressor,
                                           unsigned long long repetition, FILE *out) {
    ND_OWNED(nd_buffer_free) nd_buffer edited = {0};
    ND_OWNED(nd_buffer_free) nd_buffer record = {0};
    ND_OWNED(nd_buffer_free) nd_buffer member = {0};
    unsigned long long written = 0;
    for (size_t i = 0; i < files.count; i++) {
        nd_random random = {nd_mix64(repetition * files.count + i)};
        ND_OWNED(nd_buffer_free) nd_buffer page = nd_test_read(files.paths[i]);
        edit_page(&page, &random, &edited);
        make_record(repetition == 0 ? &page : &edited, files.paths[i], repetition, i, &record);
        written += write_member(compressor, &record, out, &member);
    }
    return written;
}

int main(int argc, char **argv) {
    char *end = NULL;
    const unsigned long long wanted = argc < 4 ? 0 : strtoull(argv[2], &end, 10);
    const bool by_size = wanted > 0 && strcmp(end, "M") == 0;
    if (wanted == 0 || (*end != '\0' && !by_size)) {
        (void)fprintf(stderr, "usage: make_warc OUT.warc.gz REPEAT|SIZEM FOLDER...\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        nd_test_must(nd_test_walk_html(argv[i], add_file, NULL));
    }
    FILE *out = fopen(argv[1], "wb");
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(GZIP_LEVEL);
    if (out == NULL || compressor == NULL || files.count == 0) {
        die(files.count == 0 ? "no .html file below the folders" : argv[1]);
    }
    nd_sort(files.paths, files.count, sizeof *files.paths, by_text);
    unsigned long long written = 0;
    unsigned long long repetition = 0;
    for (; by_size ? written < wanted << 20 : repetition < wanted; repetition++) {
        written += write_repetition(compressor, repetition, out);
    }
    libdeflate_free_compressor(compressor);
    if (fclose(out) != 0) {
        die(argv[1]);
    }
    (void)printf("%s: %llu pages, %llu bytes\n", argv[1], repetition * files.count, written);
    for (size_t i = 0; i < files.count; i++) {
        free(files.paths[i]);
    }
    free(files.paths);
    return 0;
}
