/* Microseconds per page of the way from .warc.gz files, a member per record, to stored pages, on
 * one core: b_front_end FILE.warc.gz..., of which MOST_PAGES pages are taken. whole     as the
 * ingest stage does it, less the communication: from the file to the page store kernels   each
 * alone over prepared data: libdeflate, extraction, sentences, MD5, tokens ordinary  the same work
 * by what a person would otherwise use: zlib, libxml2's SAX parser, libcrypto's MD5 through one
 * reused context, and a plain loop over words */
#include "io/input/fields.h"
#include "io/input/page_maker.h"
#include "src/hash/md5.h"
#include "src/text/extract.h"
#include "src/text/page.h"
#include "src/text/token.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"
#include "tests/support/extract_oracle.h"
#include <ctype.h>
#include <libdeflate.h>
#include <openssl/evp.h>
#include <xxhash.h>
#include <zlib.h>

enum { MOST_PAGES = 20000, LONGEST_MEMBER = 64 << 20, HEAD_BYTES = 200 };

/* A page in all the shapes that a kernel may want it in. */
typedef struct sample {
    nd_span member; /* compressed */
    nd_page page;
    nd_span *messages; /* its sentences */
} sample;

typedef struct bench {
    char **paths;
    int path_count;
    nd_buffer *files; /* their bytes */
    nd_buffer html;   /* of all pages */
    size_t *ends;     /* of each in it */
    sample *samples;  /* one for each member that is a page */
    size_t count;
    size_t member_bytes, sentences, tokens;
    /* what the runs use */
    struct libdeflate_decompressor *fast;
    z_stream inflate;
    EVP_MD_CTX *context;
    const EVP_MD *md5;
    nd_buffer content, text, sentence, digests;
    nd_page scratch;
    volatile uint64_t sink; /* keeps work from being left out */
} bench;

static void check(nd_status st) {
    if (st != ND_OK) {
        (void)fprintf(stderr, "%s\n", nd_fail_text());
        exit(1);
    }
}

static void must(bool good, const char *what) {
    if (!good) {
        (void)fprintf(stderr, "b_front_end: %s\n", what);
        exit(1);
    }
}

/* ---- whole */

static void run_whole(bench *b) {
    ND_OWNED(nd_page_maker_free) nd_page_maker maker = {0};
    ND_OWNED(nd_page_store_free) nd_page_store store = {0};
    for (int i = 0; i < b->path_count && store.count < b->count; i++) {
        nd_reader *reader = NULL;
        nd_record record;
        nd_status st = ND_OK;
        check(nd_reader_open(b->paths[i], NULL, 0, b->files[i].size, &(nd_reader_options){0},
                             &reader));
        while (store.count < b->count && (st = nd_reader_next(reader, &record)) == ND_OK) {
            check(nd_page_maker_add(&maker, &record, 0, 0, &store));
        }
        check(st == ND_END ? ND_OK : st);
        nd_reader_close(&reader);
    }
    must(store.count == b->count, "the reader and the members disagree on the number of pages");
}

/* ---- kernels */

static void run_gunzip(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        size_t made = 0;
        (void)libdeflate_gzip_decompress(b->fast, b->samples[i].member.data,
                                         b->samples[i].member.size, b->content.data,
                                         b->content.capacity, &made);
        b->sink += made;
    }
}

static nd_span html_of(const bench *b, size_t i) {
    const size_t begin = i == 0 ? 0 : b->ends[i - 1];
    return (nd_span){b->html.data + begin, b->ends[i] - begin};
}

static void run_extraction(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        check(nd_extract_html(&b->scratch, html_of(b, i), NULL));
    }
}

static void run_sentences(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        const nd_page *page = &b->samples[i].page;
        for (size_t k = 0; k < page->block_count; k++) {
            const uint8_t *p = page->text.data + page->blocks[k].begin;
            const uint8_t *end = page->text.data + page->blocks[k].end;
            for (; p < end; b->sink++) {
                p = nd_sentence_end(p, end);
            }
        }
    }
}

static void run_md5(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        nd_md5_batch(b->samples[i].messages, b->samples[i].page.sentence_count,
                     (nd_md5 *)(void *)b->digests.data);
    }
}

static void run_tokens(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        const nd_page *page = &b->samples[i].page;
        b->scratch.token_count = 0;
        b->scratch.normalised.size = 0;
        for (size_t k = 0; k < page->block_count; k++) {
            const nd_block *block = &page->blocks[k];
            nd_token_split(&b->scratch,
                           (nd_span){page->text.data + block->begin, block->end - block->begin});
        }
        nd_token_hash(&b->scratch);
    }
}

/* ---- ordinary */

/* After the headers of WARC and HTTP. */
static nd_span body_of(nd_span content) {
    for (int header = 0; header < 2; header++) {
        const size_t passed = nd_fields_header_size(content);
        must(passed > 0, "a member is no response record");
        content = (nd_span){content.data + passed, content.size - passed};
    }
    content.size -= content.size >= 4 ? 4 : 0; /* the line ends that follow the record */
    return content;
}

static nd_span inflate_member(bench *b, nd_span member) {
    z_stream *z = &b->inflate;
    must(inflateReset(z) == Z_OK, "zlib fails");
    z->next_in = (Bytef *)(uintptr_t)member.data;
    z->avail_in = (uInt)member.size;
    z->next_out = b->content.data;
    z->avail_out = (uInt)b->content.capacity;
    must(inflate(z, Z_FINISH) == Z_STREAM_END, "zlib fails");
    return (nd_span){b->content.data, b->content.capacity - z->avail_out};
}

static void end_sentence(bench *b) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    if (b->sentence.size > 0) {
        (void)EVP_DigestInit_ex(b->context, b->md5, NULL);
        (void)EVP_DigestUpdate(b->context, b->sentence.data, b->sentence.size);
        (void)EVP_DigestFinal_ex(b->context, digest, NULL);
        b->sink += digest[0];
        b->sentence.size = 0;
    }
}

static bool is_word(uint8_t c) {
    return c >= 0x80 || isalnum(c);
}

/* Words of letters in lower case, hashed one by one; sentences of words joined by spaces. */
static void cut_text(bench *b, nd_span text) {
    const uint8_t *p = text.data, *end = text.data + text.size;
    b->sentence.size = 0;
    nd_buffer_reserve(&b->sentence, text.size + 1);
    while (p < end) {
        if (is_word(*p)) {
            b->sentence.data[b->sentence.size] = ' ';
            b->sentence.size += b->sentence.size > 0;
            const size_t begin = b->sentence.size;
            for (; p < end && is_word(*p); p++) {
                b->sentence.data[b->sentence.size++] = (uint8_t)tolower(*p);
            }
            b->sink += XXH3_64bits(b->sentence.data + begin, b->sentence.size - begin);
            continue;
        }
        const bool stop = *p == '.' || *p == '!' || *p == '?';
        if ((stop && (p + 1 == end || isspace(p[1]))) || *p == '\n') {
            end_sentence(b);
        }
        p++;
    }
    end_sentence(b);
}

static void run_ordinary(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        check(nd_test_text_by_libxml(&b->text, body_of(inflate_member(b, b->samples[i].member))));
        cut_text(b, nd_buffer_span(&b->text));
    }
}

/* ---- preparing */

static void add_sample(bench *b, nd_span member, nd_span content) {
    sample *s = &b->samples[b->count];
    const nd_span body = body_of(content);
    *s = (sample){.member = member};
    nd_buffer_append(&b->html, body.data, body.size);
    b->ends[b->count++] = b->html.size;
    check(nd_page_from_html(&s->page, body));
    s->messages = nd_bench_allocate(s->page.sentence_count + 1, sizeof *s->messages);
    for (size_t k = 0; k < s->page.sentence_count; k++) {
        const nd_sentence *sentence = &s->page.sentences[k];
        s->messages[k] =
            (nd_span){s->page.normalised.data + sentence->begin, sentence->end - sentence->begin};
    }
    nd_buffer_reserve(&b->digests, s->page.sentence_count * sizeof(nd_md5));
    b->member_bytes += member.size;
    b->sentences += s->page.sentence_count;
    b->tokens += s->page.token_count;
}

static void cut_members(bench *b, const nd_buffer *file) {
    for (size_t at = 0; at < file->size && b->count < MOST_PAGES;) {
        size_t used = 0, made = 0;
        must(libdeflate_gzip_decompress_ex(b->fast, file->data + at, file->size - at,
                                           b->content.data, b->content.capacity, &used,
                                           &made) == LIBDEFLATE_SUCCESS,
             "a file is no sequence of gzip members");
        const nd_span content = {b->content.data, made};
        const nd_span head = {content.data, made < HEAD_BYTES ? made : HEAD_BYTES};
        if (nd_fields_find(head, "WARC-Type: response") != SIZE_MAX) {
            add_sample(b, (nd_span){file->data + at, used}, content);
        }
        at += used;
    }
}

static void prepare(bench *b) {
    b->files = nd_bench_allocate((size_t)b->path_count, sizeof *b->files);
    b->samples = nd_bench_allocate(MOST_PAGES, sizeof *b->samples);
    b->ends = nd_bench_allocate(MOST_PAGES, sizeof *b->ends);
    b->fast = libdeflate_alloc_decompressor();
    b->context = EVP_MD_CTX_new();
    b->md5 = EVP_MD_fetch(NULL, "MD5", NULL);
    must(b->fast != NULL && b->context != NULL && b->md5 != NULL &&
             inflateInit2(&b->inflate, MAX_WBITS + 16) == Z_OK,
         "libdeflate, zlib or libcrypto cannot be used");
    nd_buffer_reserve(&b->content, LONGEST_MEMBER);
    for (int i = 0; i < b->path_count; i++) {
        check(nd_test_read_file(&b->files[i], b->paths[i]));
        cut_members(b, &b->files[i]);
    }
    must(b->count > 0, "no page in the files");
}

static void clean_up(bench *b) {
    for (size_t i = 0; i < b->count; i++) {
        nd_page_free(&b->samples[i].page);
        free(b->samples[i].messages);
    }
    for (int i = 0; i < b->path_count; i++) {
        nd_buffer_free(&b->files[i]);
    }
    nd_buffer *const buffers[] = {&b->html, &b->content, &b->text, &b->sentence, &b->digests};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        nd_buffer_free(buffers[i]);
    }
    nd_page_free(&b->scratch);
    free(b->files);
    free(b->samples);
    free(b->ends);
    libdeflate_free_decompressor(b->fast);
    (void)inflateEnd(&b->inflate);
    EVP_MD_CTX_free(b->context);
    EVP_MD_free((EVP_MD *)(uintptr_t)b->md5);
}

/* ---- measuring */

static const struct {
    const char *name;
    void (*run)(bench *b);
} parts[] = {
    {"whole", run_whole},
    {"gunzip", run_gunzip},
    {"extraction", run_extraction},
    {"sentences", run_sentences},
    {"MD5", run_md5},
    {"tokens", run_tokens},
    {"ordinary stack", run_ordinary},
};

typedef struct part_run {
    void (*run)(bench *b);
    bench *b;
} part_run;

static void run_part(void *context) {
    const part_run *p = context;
    p->run(p->b);
}

int main(int argc, char **argv) {
    static bench b;
    if (argc < 2) {
        (void)fprintf(stderr, "usage: %s FILE.warc.gz...\n", argv[0]);
        return 2;
    }
    b.paths = argv + 1;
    b.path_count = argc - 1;
    prepare(&b);
    const double pages = (double)b.count;
    printf("%zu pages; of each %.1f KB, %.1f KB compressed, %.0f sentences, %.0f tokens\n", b.count,
           (double)b.html.size / pages / 1e3, (double)b.member_bytes / pages / 1e3,
           (double)b.sentences / pages, (double)b.tokens / pages);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        part_run run = {parts[i].run, &b};
        const double each = nd_bench_seconds(run_part, &run) / pages;
        printf("  %-20s %8.2f us/page %8.0f MB/s %9.0f pages/s\n", parts[i].name, each * 1e6,
               (double)b.html.size / pages / each / 1e6, 1 / each);
    }
    clean_up(&b);
    return 0;
}
