/* Files of labels: read again they name no other pages, packed they say the same, each line that
 * cannot be used is counted and the first of them said. */
#include "io/input/stream.h"
#include "io/result/labels.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"
#include "tests/support/sources.h"

static nd_status read_kind(nd_labels *labels, unsigned kind, const char *path) {
    return kind == 0   ? nd_labels_read_clusters(labels, path, 2)
           : kind == 1 ? nd_labels_read_pairs(labels, path, false)
           : kind == 2 ? nd_labels_read_pairs(labels, path, true)
                       : nd_labels_read_loose(labels, path);
}

static bool same_names(const nd_name_table *a, const nd_name_table *b) {
    bool same = a->count == b->count;
    for (uint64_t i = 0; same && i < a->count; i++) {
        same = nd_fuzz_same(nd_name_table_at(a, i), nd_name_table_at(b, i));
    }
    return same;
}

static void check_same(const nd_labels *a, const nd_labels *b) {
    ND_FUZZ_CHECK(same_names(&a->ids, &b->ids) && same_names(&a->clusters, &b->clusters));
    ND_FUZZ_CHECK(same_names(&a->labels, &b->labels) && same_names(&a->bands, &b->bands));
    ND_FUZZ_CHECK(same_names(&a->loose, &b->loose));
    ND_FUZZ_CHECK(a->pair_count == b->pair_count && a->bad_lines == b->bad_lines);
    ND_FUZZ_CHECK(a->repeated == b->repeated);
}

static void check_classes(const nd_labels *labels, const char *path) {
    ND_OWNED(nd_class_labels_free) nd_class_labels classes = {0};
    const nd_status st = nd_class_labels_read(path, labels, &classes);
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_FORMAT);
    for (uint64_t row = 0; st == ND_OK && row < labels->ids.count; row++) {
        ND_FUZZ_CHECK(classes.class[row] < classes.classes.count ||
                      classes.class[row] == ND_NO_CLASS);
        ND_FUZZ_CHECK(classes.similarity[row] >= 0 && classes.similarity[row] <= 1);
    }
    ND_FUZZ_CHECK((classes.bad_lines == 0) == (classes.first_bad[0] == '\0'));
}

ND_FUZZ_TARGET(z_labels) {
    nd_span text = {data, size};
    const unsigned kind = nd_fuzz_byte(&text) % 4;
    ND_OWNED(nd_labels_free) nd_labels labels = {0}, packed = {0};
    ND_OWNED(nd_buffer_free) nd_buffer file = {0};
    uint64_t columns = 0;
    const char *path = nd_fuzz_file(0, text);
    const nd_status st = read_kind(&labels, kind, path);
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_FORMAT || st == ND_ERR_INPUT);
    ND_FUZZ_CHECK(nd_labels_columns(path, &columns) == ND_OK || st != ND_OK);
    ND_FUZZ_CHECK((labels.bad_lines == 0) == (labels.first_bad[0] == '\0'));
    for (size_t i = 0; i < labels.pair_count; i++) {
        const nd_labelled_pair *pair = &labels.pairs[i];
        ND_FUZZ_CHECK(pair->a < labels.ids.count && pair->b < labels.ids.count);
        ND_FUZZ_CHECK(pair->a != pair->b && pair->label < labels.labels.count);
    }
    if (st == ND_OK && nd_codec_of(text) == ND_CODEC_PLAIN) {
        nd_test_pack(&file, ND_TEST_GZIP, text);
        ND_FUZZ_CHECK(read_kind(&packed, kind, nd_fuzz_file(1, nd_buffer_span(&file))) == ND_OK);
        check_same(&labels, &packed);
    }
    if (st == ND_OK) {
        const uint64_t ids = labels.ids.count, bad = labels.bad_lines;
        check_classes(&labels, path);
        ND_FUZZ_CHECK(read_kind(&labels, kind, path) == ND_OK);
        ND_FUZZ_CHECK(labels.ids.count == ids);
        ND_FUZZ_CHECK(labels.bad_lines == 2 * bad);
    }
    return 0;
}
