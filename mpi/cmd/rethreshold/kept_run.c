#include "mpi/cmd/rethreshold/kept_run.h"

#include "io/input/registered_domain.h"
#include "io/result/result_pairs.h"
#include "src/base/order.h"
#include "src/text/site.h"
#include "src/text/subject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t ROWS_AT_ONCE = UINT64_C(1) << 16;

/* The site of a page as it was read: the file of a page that is a text is of no site, and of such
 * a page only the name says what it is. */
static uint64_t site_of(nd_span url, bool by_domain, uint64_t hash_seed) {
    static const char file[] = "file://";
    static const char ending[] = ".txt";
    uint8_t memory[ND_SITE_HOST_SIZE];
    nd_span host = nd_site_host(url, memory);
    if (url.size >= sizeof file - 1 && memcmp(url.data, file, sizeof file - 1) == 0 &&
        memcmp(url.data + url.size - (sizeof ending - 1), ending, sizeof ending - 1) == 0) {
        host.size = 0;
    }
    return nd_site_hash(by_domain ? nd_registered_domain(host) : host, hash_seed);
}

static nd_status read_pages(nd_kept_run *run, const nd_result *result, bool by_domain) {
    nd_status st = ND_OK;
    uint64_t hash_seed = 0;
    ND_TRY(nd_result_hash_seed(result, &hash_seed));
    nd_page_rows rows = {0};
    for (uint64_t begin = 0; begin < run->pages; begin += ROWS_AT_ONCE) {
        const uint64_t count = nd_min(run->pages - begin, ROWS_AT_ONCE);
        ND_TRY(nd_page_rows_read(result, begin, count, &rows));
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t page = begin + i;
            run->set[page] = rows.set[i];
            run->link[page] = rows.link[i];
            run->exact_of[page] = rows.exact_of[i];
            run->similarity[page] = rows.similarity[i];
            run->link_similarity[page] = rows.link_similarity[i];
            run->tokens[page] = rows.tokens[i];
            run->form[page] = rows.form[i] != 0;
            run->revisit[page] = rows.revisit_of[i] != ND_NO_REVISIT;
            run->origin[page] =
                (nd_origin){.site = site_of(nd_page_rows_url(&rows, i), by_domain, hash_seed),
                            .subject = rows.subject[i],
                            .text = rows.subject[i] == ND_SUBJECT_TEXT};
        }
    }
out:
    nd_page_rows_free(&rows);
    return st;
}

static nd_status read_pairs(nd_kept_run *run, const nd_result *result) {
    nd_status st = ND_OK;
    nd_pair_rows rows = {0};
    ND_TRY(nd_pair_rows_open(&rows, result, &nd_verified_columns));
    ND_TRY(nd_new_room(&run->pairs, rows.total, sizeof *run->pairs));
    do {
        ND_TRY(nd_pair_rows_next(&rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            run->pairs[run->pair_count++] =
                (nd_link){rows.a[i], rows.b[i], (double)rows.similarity[i]};
            run->in_pair[rows.a[i]] = run->in_pair[rows.b[i]] = true;
        }
    } while (rows.count > 0);
out:
    nd_pair_rows_free(&rows);
    return st;
}

nd_status nd_kept_run_read(nd_kept_run *run, const nd_result *result, bool by_domain) {
    nd_status st = ND_OK;
    const uint64_t pages = result->shape.pages;
    uint64_t *representatives = NULL;
    *run = (nd_kept_run){.pages = pages};
    ND_TRY(nd_new(&run->set, pages, sizeof *run->set));
    ND_TRY(nd_new(&run->link, pages, sizeof *run->link));
    ND_TRY(nd_new(&run->exact_of, pages, sizeof *run->exact_of));
    ND_TRY(nd_new(&run->representative, pages, sizeof *run->representative));
    ND_TRY(nd_new(&run->origin, pages, sizeof *run->origin));
    ND_TRY(nd_new(&run->first, pages, sizeof *run->first));
    ND_TRY(nd_new(&run->similarity, pages, sizeof *run->similarity));
    ND_TRY(nd_new(&run->link_similarity, pages, sizeof *run->link_similarity));
    ND_TRY(nd_new(&run->tokens, pages, sizeof *run->tokens));
    ND_TRY(nd_new(&run->form, pages, sizeof *run->form));
    ND_TRY(nd_new(&run->revisit, pages, sizeof *run->revisit));
    ND_TRY(nd_new(&run->in_pair, pages, sizeof *run->in_pair));
    ND_TRY(read_pairs(run, result));
    ND_TRY(nd_result_check_partition(result));
    ND_TRY(read_pages(run, result, by_domain));
    ND_TRY(nd_result_representatives(result, &representatives));
    for (uint64_t page = 0; page < pages; page++) {
        /* Pages of equal contents are compared once: the others hang on the first by a link of 1,
         * and are of no pair. */
        const bool copy =
            run->exact_of[page] != page ||
            (!run->in_pair[page] && run->link[page] < page && run->link_similarity[page] == 1);
        const uint64_t on = run->exact_of[page] != page ? run->exact_of[page] : run->link[page];
        run->first[page] = copy ? run->first[on] : page;
        run->representative[page] = representatives[run->set[page]];
    }
    for (uint64_t page = 0; page < pages;
         page++) { /* the page that a revisit is of may come later */
        run->first[page] = run->revisit[page] ? run->first[run->exact_of[page]] : run->first[page];
    }
out:
    free(representatives);
    return st;
}

void nd_kept_run_free(nd_kept_run *run) {
    free(run->pairs);
    free(run->set);
    free(run->link);
    free(run->exact_of);
    free(run->representative);
    free(run->origin);
    free(run->first);
    free(run->similarity);
    free(run->link_similarity);
    free(run->tokens);
    free(run->form);
    free(run->revisit);
    free(run->in_pair);
    *run = (nd_kept_run){0};
}
