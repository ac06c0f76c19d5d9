#include "io/result/class_labels.h"

#include "io/result/tab_lines.h"

#include <stdlib.h>
#include <string.h>

enum { CLASS_COLUMN = 3, SITE_COLUMN = 5, SIMILARITY_COLUMN = 6 };

typedef struct class_reader {
    const nd_labels *labels;
    nd_class_labels *classes;
} class_reader;

static bool parse_similarity(nd_span text, double *similarity) {
    char word[32];
    char *end = word;
    if (text.size == 0 || text.size >= sizeof word) {
        return false;
    }
    memcpy(word, text.data, text.size);
    word[text.size] = '\0';
    *similarity = strtod(word, &end);
    return *end == '\0' && *similarity >= 0 && *similarity <= 1;
}

typedef struct fields {
    nd_span id, class, site;
    double similarity;
} fields;

/* \return why the line cannot be used, or NULL */
static const char *read_fields(const nd_tab_line *line, fields *f) {
    nd_span text;
    if (!nd_tab_line_column(line, 1, &f->id) ||
        !nd_tab_line_column(line, CLASS_COLUMN, &f->class) ||
        !nd_tab_line_column(line, SITE_COLUMN, &f->site) ||
        !nd_tab_line_column(line, SIMILARITY_COLUMN, &text)) {
        return "too few columns";
    }
    if (f->class.size == 0 || f->site.size == 0) {
        return "the class or the site is empty";
    }
    return parse_similarity(text, &f->similarity)
               ? NULL
               : "the similarity in column 6 is no number from 0 to 1";
}

static nd_status take_class(void *context, const nd_tab_line *line, bool *stop) {
    const class_reader *reader = context;
    nd_class_labels *c = reader->classes;
    nd_status st = ND_OK;
    fields f = {0};
    (void)stop;
    const char *why = read_fields(line, &f);
    const uint64_t row = why == NULL ? nd_name_table_find(&reader->labels->ids, f.id) : ND_NO_NAME;
    if (row != ND_NO_NAME && c->class[row] != ND_NO_CLASS) {
        why = "an earlier line has this id";
    }
    if (why != NULL) {
        nd_tab_line_reject(line, why, &c->bad_lines, c->first_bad, sizeof c->first_bad);
    } else if (row != ND_NO_NAME) {
        ND_TRY(nd_name_table_add(&c->sites, f.site, &c->site[row], NULL));
        ND_TRY(nd_name_table_add(&c->classes, f.class, &c->class[row], NULL));
        c->similarity[row] = f.similarity;
        c->missing--;
    }
out:
    return st;
}

nd_status nd_class_labels_read(const char *path, const nd_labels *labels,
                               nd_class_labels *classes) {
    nd_status st = ND_OK;
    const size_t count = labels->ids.count;
    class_reader reader = {labels, classes};
    *classes = (nd_class_labels){.missing = count};
    ND_TRY(nd_new(&classes->class, count, sizeof *classes->class));
    ND_TRY(nd_new(&classes->site, count, sizeof *classes->site));
    ND_TRY(nd_new(&classes->similarity, count, sizeof *classes->similarity));
    for (size_t row = 0; row < count; row++) {
        classes->class[row] = ND_NO_CLASS;
        classes->site[row] = ND_NO_CLASS;
    }
    ND_TRY(nd_tab_lines_read(path, take_class, &reader));
    if (classes->missing == count) {
        st = nd_fail(ND_ERR_FORMAT, "%s: no class of any labelled page in it%s%s", path,
                     classes->bad_lines > 0 ? "; " : "", classes->first_bad);
    }
out:
    return st;
}

void nd_class_labels_free(nd_class_labels *classes) {
    nd_name_table_free(&classes->classes);
    nd_name_table_free(&classes->sites);
    free(classes->class);
    free(classes->site);
    free(classes->similarity);
    *classes = (nd_class_labels){0};
}
