#include "mpi/cmd/html/html_page.h"

#include "io/store/foreign_file.h"
#include "io/store/output_file.h"
#include "io/store/own_file.h"
#include "src/base/buffer.h"
#include "src/base/printable.h"

#include <stdlib.h>
#include <string.h>

/* By its first line a page is known again. */
static const char FIRST_LINE[] = "<!doctype html><!-- made by neardup -->\n";

static bool is_page(const char *path) {
    return nd_foreign_file_begins(path, FIRST_LINE);
}

nd_status nd_html_page_check(const char *path, bool force) {
    const nd_output output = {.option = "-o",
                              .path = path,
                              .force = force,
                              .replaces = is_page,
                              .what = "a page made by neardup"};
    return nd_output_check(&output);
}

/* A checksum as a content security policy names it. */
static void print_source(FILE *to, const nd_built_in *part) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const size_t size = sizeof part->sha256;
    (void)fputs("'sha256-", to);
    for (size_t i = 0; i < size; i += 3) { /* 32 bytes: the last group has two */
        const uint32_t three = (uint32_t)part->sha256[i] << 16 |
                               (uint32_t)(i + 1 < size ? part->sha256[i + 1] : 0) << 8 |
                               (i + 2 < size ? part->sha256[i + 2] : 0);
        (void)fputc(digits[three >> 18], to);
        (void)fputc(digits[three >> 12 & 63], to);
        (void)fputc(i + 1 < size ? digits[three >> 6 & 63] : '=', to);
        (void)fputc(i + 2 < size ? digits[three & 63] : '=', to);
    }
    (void)fputc('\'', to);
}

nd_status nd_html_page_open(nd_html_page *page, const char *kind, const char *result,
                            const nd_built_in *script) {
    const nd_built_in *style = &nd_built_in_page_css;
    *page = (nd_html_page){.to = open_memstream(&page->bytes, &page->size)};
    if (page->to == NULL) {
        return nd_fail(ND_ERR_MEMORY, "out of memory: a page");
    }
    (void)fputs(FIRST_LINE, page->to);
    (void)fputs("<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "base-uri 'none'; form-action 'none'; style-src ",
                page->to);
    print_source(page->to, style);
    if (script != NULL) {
        (void)fputs("; script-src ", page->to);
        print_source(page->to, script);
    }
    (void)fputs("\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
                page->to);
    (void)fprintf(page->to, "neardup %s: ", kind);
    nd_html_words(page->to, result);
    (void)fputs("</title>\n<style>", page->to);
    (void)fwrite(style->bytes, 1, style->size, page->to);
    (void)fprintf(page->to, "</style></head>\n<body class=\"%s\">\n", kind);
    return ND_OK;
}

nd_status nd_html_page_save(nd_html_page *page, const nd_built_in *script, const char *path) {
    if (script != NULL) {
        (void)fputs("<script>", page->to);
        (void)fwrite(script->bytes, 1, script->size, page->to);
        (void)fputs("</script>\n", page->to);
    }
    (void)fputs("</body></html>\n", page->to);
    const bool failed = ferror(page->to) != 0;
    const bool closed = fclose(page->to) == 0;
    page->to = NULL;
    return failed || !closed ? nd_fail(ND_ERR_MEMORY, "out of memory: a page")
                             : nd_own_file_save(path, page->bytes, page->size);
}

void nd_html_page_close(nd_html_page *page) {
    if (page->to != NULL) {
        (void)fclose(page->to);
    }
    free(page->bytes);
    *page = (nd_html_page){0};
}

void nd_html_text(FILE *to, nd_span text) {
    nd_print_text(to, ND_PRINTABLE_HTML, text);
}

void nd_html_words(FILE *to, const char *words) {
    nd_print_words(to, ND_PRINTABLE_HTML, words);
}

bool nd_html_exactly(FILE *to, const char *attribute, nd_span text) {
    char shown[4096];
    const size_t size = nd_printable_put(ND_PRINTABLE_MESSAGE, text, shown, sizeof shown);
    if (size != text.size || size == 0 || memcmp(shown, text.data, size) != 0) {
        return false;
    }
    (void)fprintf(to, " %s=\"", attribute);
    nd_html_text(to, text);
    (void)fputc('"', to);
    return true;
}
