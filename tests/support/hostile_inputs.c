#include "tests/support/hostile_inputs.h"

#include "src/base/util.h"
#include "tests/support/hostile_folder.h"
#include "tests/support/warc_writer.h"

#include <stdio.h>

static void make_page(nd_buffer *out, unsigned family, unsigned copy, bool html) {
    nd_buffer text = {0};
    for (unsigned i = 0; i < 6; i++) {
        nd_test_print(&text, html ? "<p>" : "");
        for (unsigned w = 0; w < 12; w++) {
            const uint64_t word = (i == copy ? 1000 * copy : 0) + 100 * family + 12 * i + w;
            nd_test_print(&text, "w%llx ", (unsigned long long)(nd_mix64(word + 1) % 100000));
        }
        nd_test_print(&text, "end.%s", html ? "</p>\n" : " ");
    }
    nd_buffer_append(out, text.data, text.size);
    nd_buffer_free(&text);
}

static void make_lines(nd_buffer *out, unsigned first, unsigned pages) {
    for (unsigned i = first; i < first + pages; i++) {
        nd_test_print(out, "{\"id\":\"p%u\",\"url\":\"http://h%u.test/%u\",\"text\":\"", i, i % 3,
                      i);
        make_page(out, i / 3, i % 3, false);
        nd_test_print(out, "\"}\n");
    }
}

static void make_archive(nd_buffer *out, nd_test_packing packing) {
    nd_buffer record = {0};
    nd_buffer http = {0};
    nd_buffer page = {0};
    for (unsigned i = 0; i < 8; i++) {
        char url[64];
        char id[64];
        record.size = http.size = page.size = 0;
        (void)snprintf(url, sizeof url, "http://w%u.test/%u", i % 2, i);
        (void)snprintf(id, sizeof id, "<urn:uuid:%08u-0000-0000-0000-000000000000>", i);
        nd_test_print(&page, "<html><title>Page %u</title><ul><li><a href=/>Home</a></ul>", i);
        make_page(&page, i / 2, i % 2, true);
        nd_test_http(&http, 200, "text/html; charset=utf-8", "", nd_buffer_span(&page));
        nd_test_warc_record(&record, i == 7 ? "revisit" : "response", url, id,
                            "application/http; msgtype=response", nd_buffer_span(&http));
        nd_test_pack(out, packing, nd_buffer_span(&record));
    }
    nd_buffer_free(&record);
    nd_buffer_free(&http);
    nd_buffer_free(&page);
}

static void write_base(const char *name, nd_buffer *bytes) {
    nd_hostile_write(name, nd_buffer_span(bytes));
    nd_buffer_free(bytes);
}

void nd_hostile_inputs(void) {
    nd_buffer bytes = {0};
    make_lines(&bytes, 0, 9);
    write_base("a.jsonl", &bytes);
    make_lines(&bytes, 6, 8);
    write_base("b.jsonl", &bytes);
    make_archive(&bytes, ND_TEST_GZIP);
    write_base("c.warc.gz", &bytes);
    make_archive(&bytes, ND_TEST_PLAIN);
    write_base("d.warc", &bytes);
    make_archive(&bytes, ND_TEST_ZSTD);
    write_base("e.warc.zst", &bytes);
    nd_buffer parts[2] = {{0}, {0}};
    static const char *const names[] = {"archive/x.warc.gz", "indexes/index.cdx"};
    make_archive(&parts[0], ND_TEST_GZIP);
    nd_test_print(&parts[1], "an index\n");
    const nd_span spans[2] = {nd_buffer_span(&parts[0]), nd_buffer_span(&parts[1])};
    nd_test_wacz(&bytes, names, spans, 2, false);
    write_base("f.wacz", &bytes);
    nd_test_wacz(&bytes, names, spans, 2, true);
    write_base("g.wacz", &bytes);
    nd_buffer_free(&parts[0]);
    nd_buffer_free(&parts[1]);
    nd_buffer page = {0};
    make_page(&page, 1, 1, true);
    nd_test_arc_record(&bytes, "filedesc://h.arc", "text/plain", nd_test_span("1 0 x\nURL IP\n"));
    nd_buffer http = {0};
    nd_test_http(&http, 200, "text/html", "", nd_buffer_span(&page));
    nd_test_arc_record(&bytes, "http://arc.test/", "text/html", nd_buffer_span(&http));
    write_base("h.arc", &bytes);
    write_base("i.html", &page);
    nd_buffer_free(&http);
    for (unsigned i = 0; i < 14; i++) {
        nd_test_print(&bytes, "p%u\tc%u\n", i, i / 3);
    }
    write_base("labels.tsv", &bytes);
    for (unsigned i = 0; i < 12; i++) {
        nd_test_print(&bytes, "p%u\tp%u\t%u\n", i, i + 1, i % 2);
    }
    write_base("pairs.tsv", &bytes);
}
