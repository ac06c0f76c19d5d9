/* Microseconds per page of the way from .warc.gz files to stored pages, on one core:
 *   b_front_end [--repeats N] [--only PARTS] [--variant NAME] FILE.warc.gz...
 * A file has a member per record; MOST_PAGES are taken. --only gunzip,MD5 runs these parts alone,
 * --variant portable the text loops of that variant.
 * whole     as the ingest stage does it, less the communication: from the file to the page store
 * kernels   each alone over prepared data: libdeflate, extraction, sentences, MD5, tokens
 * ordinary  the same work by what a person would otherwise use: zlib, libxml2's SAX parser,
 *           libcrypto's MD5 through one reused context, and a plain loop over words
 * In each repeat all are run in turn; the medians over the repeats are printed, and of the ratios
 * the medians of the repeats' own. */
#include "io/input/fields.h"
#include "io/input/page_maker.h"
#include "src/hash/md5.h"
#include "src/text/extract.h"
#include "src/text/page.h"
#include "src/text/text_variant.h"
#include "src/text/token.h"
#include "tests/support/bench.h"
#include "tests/support/brief.h"
#include "tests/support/corpus.h"
#include "tests/support/extract_oracle.h"
#include <ctype.h>
#include <libdeflate.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zlib.h>

enum { MOST_PAGES = 20000, MOST_REPEATS = 64, LONGEST_MEMBER = 64 << 20, HEAD_BYTES = 200 };

/* A page in all the shapes that a kernel may want it in. */
typedef struct sample {
    nd_span member; /* compressed */
    size_t content; /* bytes of it once it is inflated */
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
    *s = (sample){.member = member, .content = content.size};
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
enum { PARTS = sizeof parts / sizeof parts[0], ORDINARY = PARTS - 1 };

static void report(const bench *b, double seconds[][MOST_REPEATS], size_t repeats) {
    double kernels[MOST_REPEATS] = {0}, share[MOST_REPEATS], gain[MOST_REPEATS];
    const double pages = (double)b->count;
    for (size_t r = 0; r < repeats; r++) {
        for (int i = 1; i < ORDINARY; i++) {
            kernels[r] += seconds[i][r];
        }
        share[r] = kernels[r] / seconds[0][r];
        gain[r] = seconds[ORDINARY][r] / seconds[0][r];
    }
    printf("%zu pages; of each %.1f KB, %.1f KB compressed, %.0f sentences, %.0f tokens\n",
           b->count, (double)b->html.size / pages / 1e3, (double)b->member_bytes / pages / 1e3,
           (double)b->sentences / pages, (double)b->tokens / pages);
    for (int i = 0; i < PARTS; i++) {
        const double each = nd_bench_median(seconds[i], repeats) / pages;
        printf("  %-20s %8.2f us/page %8.0f MB/s %9.0f pages/s\n", parts[i].name, each * 1e6,
               (double)b->html.size / pages / each / 1e6, 1 / each);
    }
    printf("  %-20s %8.2f us/page\n", "sum of the kernels",
           nd_bench_median(kernels, repeats) / pages * 1e6);
    printf("  kernels / whole      %8.2f\n", nd_bench_median(share, repeats));
    printf("  ordinary / whole     %8.2f\n", nd_bench_median(gain, repeats));
}

static void measure(bench *b, double seconds[][MOST_REPEATS], size_t repeats, const char *only) {
    for (size_t r = 0; r < repeats; r++) {
        for (int i = 0; i < PARTS; i++) {
            const double start = nd_bench_now();
            if (only == NULL || strstr(only, parts[i].name) != NULL) {
                parts[i].run(b);
            }
            seconds[i][r] = nd_bench_now() - start;
        }
    }
}

static void use_variant(const char *name) {
    for (size_t i = 0; i < nd_text_variant_count; i++) {
        if (strcmp(nd_text_variants[i]->name, name) == 0 &&
            nd_cpu_has(nd_text_variants[i]->needs)) {
            nd_text_variant_use(nd_text_variants[i]);
            return;
        }
    }
    must(false, "no such variant on this machine: portable, AVX2, AVX-512");
}

int main(int argc, char **argv) {
    static double seconds[PARTS][MOST_REPEATS];
    static bench b;
    size_t repeats = 7;
    const char *only = NULL;
    int first = 1;
    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (strcmp(argv[first], "--only") == 0) {
            only = argv[first + 1];
        } else if (strcmp(argv[first], "--variant") == 0) {
            use_variant(argv[first + 1]);
        } else {
            repeats = strtoul(argv[first + 1], NULL, 10);
        }
    }
    if (first >= argc || repeats < 1 || repeats > MOST_REPEATS) {
        (void)fprintf(stderr,
                      "usage: %s [--repeats N] [--only PARTS] [--variant NAME] FILE.warc.gz...\n",
                      argv[0]);
        return 2;
    }
    b.paths = argv + first;
    b.path_count = argc - first;
    prepare(&b);
    measure(&b, seconds, repeats, only);
    report(&b, seconds, repeats);
    clean_up(&b);
    return 0;
}
