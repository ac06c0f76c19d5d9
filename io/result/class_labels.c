#include "io/result/class_labels.h"

#include "io/result/tab_lines.h"

#include <stdlib.h>
#include <string.h>

enum { CLASS_COLUMN = 3, SITE_COLUMN = 5, SIMILARITY_COLUMN = 6 };

typedef struct fields {
    nd_span id, class, site;
    double similarity;
} fields;

/* \return why the line cannot be used, or NULL */
static const char *read_fields(const nd_tab_lines *line, fields *f) {
    nd_span text;
    char number[32] = "";
    char *end = NULL;
    if (!nd_tab_lines_column(line, 1, &f->id) ||
        !nd_tab_lines_column(line, CLASS_COLUMN, &f->class) ||
        !nd_tab_lines_column(line, SITE_COLUMN, &f->site) ||
        !nd_tab_lines_column(line, SIMILARITY_COLUMN, &text)) {
        return "too few columns";
    }
    if (f->class.size == 0 || f->site.size == 0) {
        return "the class or the site is empty";
    }
    const bool fits = text.size > 0 && text.size < sizeof number;
    if (fits) {
        memcpy(number, text.data, text.size);
    }
    f->similarity = strtod(number, &end);
    return fits && *end == '\0' && f->similarity >= 0 && f->similarity <= 1
               ? NULL
               : "the similarity in column 6 is no number from 0 to 1";
}

nd_status nd_class_labels_read(const char *path, const nd_labels *labels,
                               nd_class_labels *classes) {
    nd_status st = ND_OK;
    const size_t count = labels->ids.count;
    nd_tab_lines line = {.path = path};
    *classes = (nd_class_labels){.missing = count};
    nd_new(&classes->class, count, sizeof *classes->class);
    nd_new(&classes->site, count, sizeof *classes->site);
    nd_new(&classes->similarity, count, sizeof *classes->similarity);
    for (size_t row = 0; row < count; row++) {
        classes->class[row] = ND_NO_CLASS;
        classes->site[row] = ND_NO_CLASS;
    }
    ND_TRY(nd_tab_lines_open(&line, path));
    while ((st = nd_tab_lines_next(&line)) == ND_OK) {
        fields f = {0};
        const char *why = read_fields(&line, &f);
        const uint64_t row = why == NULL ? nd_name_table_find(&labels->ids, f.id) : ND_NO_NAME;
        if (row != ND_NO_NAME && classes->class[row] != ND_NO_CLASS) {
            why = "an earlier line has this id";
        }
        if (why != NULL) {
            nd_tab_lines_reject(&line, why, &classes->bad_lines, classes->first_bad,
                                sizeof classes->first_bad);
        } else if (row != ND_NO_NAME) {
            ND_TRY(nd_name_table_add(&classes->sites, f.site, &classes->site[row], NULL));
            ND_TRY(nd_name_table_add(&classes->classes, f.class, &classes->class[row], NULL));
            classes->similarity[row] = f.similarity;
            classes->missing--;
        }
    }
    if (st == ND_END && classes->missing == count) {
        st = nd_fail(ND_ERR_FORMAT, "%s: no class of any labelled page in it%s%s", path,
                     classes->bad_lines > 0 ? "; " : "", classes->first_bad);
    }
out:
    return nd_tab_lines_close(&line, st);
}

void nd_class_labels_free(nd_class_labels *classes) {
    nd_name_table_free(&classes->classes);
    nd_name_table_free(&classes->sites);
    free(classes->class);
    free(classes->site);
    free(classes->similarity);
    *classes = (nd_class_labels){0};
}
