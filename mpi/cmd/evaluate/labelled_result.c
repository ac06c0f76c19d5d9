#include "mpi/cmd/evaluate/labelled_result.h"

#include "src/base/util.h"
#include "src/text/site.h"

#include <stdlib.h>

/* Pages of the result read at once: some 10 MB of columns. */
static const uint64_t PAGES_AT_ONCE = UINT64_C(1) << 16;

nd_status nd_truth_read(const nd_truth_files *files, nd_truth *truth) {
    nd_status st = ND_OK;
    nd_labels *labels = &truth->labels;
    uint64_t columns = 0;
    ND_TRY(nd_labels_columns(files->truth, &columns));
    truth->by_pairs = files->column == 0 && columns > ND_CLUSTER_COLUMN;
    if (files->bands && !truth->by_pairs) {
        return nd_fail(ND_ERR_USAGE, "--bands: %s lists clusters, not pairs", files->truth);
    }
    ND_TRY(truth->by_pairs
               ? nd_labels_read_pairs(labels, files->truth, files->bands)
               : nd_labels_read_clusters(labels, files->truth,
                                         files->column == 0 ? ND_CLUSTER_COLUMN : files->column));
    if (labels->ids.count == 0) {
        st = nd_fail(ND_ERR_FORMAT, "%s: no labelled page in it%s%s", files->truth,
                     labels->bad_lines > 0 ? "; " : "", labels->first_bad);
        goto out;
    }
    if (files->loose != NULL) {
        ND_TRY(nd_labels_read_loose(labels, files->loose));
    }
    if (files->ambiguous != NULL && truth->by_pairs) {
        st = nd_fail(ND_ERR_USAGE, "--ambiguous %s: %s lists pairs, not clusters", files->ambiguous,
                     files->truth);
    } else if (files->ambiguous != NULL) {
        st = nd_labels_read_ambiguous(labels, files->ambiguous);
    }
out:
    return st;
}

void nd_truth_free(nd_truth *truth) {
    nd_labels_free(&truth->labels);
    *truth = (nd_truth){0};
}

static void match_page(const nd_truth *truth, const nd_page_rows *rows, uint64_t i,
                       nd_labelled_result *labelled) {
    uint8_t host[ND_SITE_HOST_SIZE];
    const nd_span id = nd_page_rows_id(rows, i);
    const nd_span url = nd_page_rows_url(rows, i);
    const uint64_t row = nd_name_table_find(&truth->labels.ids, id.size > 0 ? id : url);
    if (row == ND_NO_NAME) {
        return;
    }
    if (labelled->page[row] != ND_NO_PAGE) {
        labelled->repeated++;
        return;
    }
    labelled->set[row] = rows->set[i];
    labelled->page[row] = rows->begin + i;
    labelled->similarity[row] = rows->similarity[i];
    labelled->certainty[row] = rows->certainty[i];
    nd_span site = nd_site_host(url, host);
    site = site.size > 0 ? site : nd_site_host(id, host);
    labelled->site[row] = site.size > 0 ? nd_site_hash(site, 0) : ND_NO_SITE;
}

/* Find the labelled pages: reads the result's sets into memory, and its pages a block at a time. */
static nd_status match_pages(const nd_truth *truth, const nd_result *result,
                             nd_labelled_result *labelled) {
    nd_status st = ND_OK;
    nd_page_rows rows = {0};
    uint64_t *representatives = NULL;
    const uint64_t pages = result->shape.pages;
    for (uint64_t begin = 0; begin < pages; begin += PAGES_AT_ONCE) {
        ND_TRY(nd_page_rows_read(result, begin, nd_min(pages - begin, PAGES_AT_ONCE), &rows));
        for (uint64_t i = 0; i < rows.count; i++) {
            match_page(truth, &rows, i, labelled);
        }
    }
    ND_TRY(nd_result_check_partition(result));
    ND_TRY(nd_result_representatives(result, &representatives));
    for (size_t row = 0; row < labelled->count; row++) {
        const nd_span id = nd_name_table_at(&truth->labels.ids, row);
        const uint64_t page = labelled->page[row];
        const bool missing = page == ND_NO_PAGE;
        const bool loose = nd_name_table_find(&truth->labels.loose, id) != ND_NO_NAME;
        labelled->representative[row] = !missing && representatives[labelled->set[row]] == page;
        labelled->left_out[row] = missing || loose;
        labelled->missing += missing;
        labelled->loose += loose && !missing;
    }
out:
    nd_page_rows_free(&rows);
    free(representatives);
    return st;
}

nd_status nd_labelled_result_open(const nd_truth *truth, const char *truth_path,
                                  const char *result_path, nd_labelled_result *labelled) {
    nd_status st = ND_OK;
    nd_result result;
    const size_t count = truth->labels.ids.count;
    *labelled = (nd_labelled_result){.count = count};
    ND_TRY(nd_result_open(&result, result_path));
    nd_new(&labelled->set, count, sizeof *labelled->set);
    nd_new(&labelled->page, count, sizeof *labelled->page);
    nd_new(&labelled->site, count, sizeof *labelled->site);
    nd_new(&labelled->similarity, count, sizeof *labelled->similarity);
    nd_new(&labelled->certainty, count, sizeof *labelled->certainty);
    nd_new(&labelled->representative, count, sizeof *labelled->representative);
    nd_new(&labelled->left_out, count, sizeof *labelled->left_out);
    for (size_t row = 0; row < count; row++) {
        labelled->set[row] = ND_NO_SET;
        labelled->page[row] = ND_NO_PAGE;
        labelled->site[row] = ND_NO_SITE;
    }
    ND_TRY(match_pages(truth, &result, labelled));
    if (labelled->missing == count) {
        st = nd_fail(ND_ERR_FORMAT,
                     "%s: none of its %zu ids is the id (or URL, without an id) of a page of %s",
                     truth_path, count, result_path);
    }
out:
    (void)nd_result_close(&result);
    return st;
}

nd_labelled_pages nd_labelled_result_pages(const nd_truth *truth,
                                           const nd_labelled_result *labelled) {
    return (nd_labelled_pages){.set = labelled->set,
                               .cluster = truth->labels.cluster,
                               .loose = labelled->left_out,
                               .count = labelled->count,
                               .cluster_count = truth->labels.clusters.count,
                               .ambiguous = truth->labels.ambiguous,
                               .ambiguous_count = truth->labels.ambiguous_count};
}

void nd_labelled_result_free(nd_labelled_result *labelled) {
    free(labelled->set);
    free(labelled->page);
    free(labelled->site);
    free(labelled->similarity);
    free(labelled->certainty);
    free(labelled->representative);
    free(labelled->left_out);
    *labelled = (nd_labelled_result){0};
}
