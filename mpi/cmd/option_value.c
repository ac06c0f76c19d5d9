#include "mpi/cmd/option_value.h"

#include "src/base/order.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

nd_status nd_parse_size(const char *option, const char *text, uint64_t *bytes) {
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (end != text && *end != '\0' && strchr(units, *end) != NULL) {
        shift = 10 * (unsigned)(strchr(units, *end) - units + 1);
        end++;
    }
    if (errno != 0 || end == text || *end != '\0' || text[0] == '-' || number == 0 ||
        number > UINT64_MAX >> shift) {
        return nd_fail(ND_ERR_USAGE, "--%s %s: must be a size such as 65536, 512M or 2G", option,
                       text);
    }
    *bytes = (uint64_t)number << shift;
    return ND_OK;
}

nd_status nd_parse_progress(const char *text, nd_progress_mode *mode) {
    if (strcmp(text, "auto") == 0) {
        *mode = isatty(STDERR_FILENO) ? ND_PROGRESS_BAR : ND_PROGRESS_LINES;
    } else if (strcmp(text, "bar") == 0) {
        *mode = ND_PROGRESS_BAR;
    } else if (strcmp(text, "lines") == 0) {
        *mode = ND_PROGRESS_LINES;
    } else if (strcmp(text, "none") == 0) {
        *mode = ND_PROGRESS_NONE;
    } else {
        return nd_fail(ND_ERR_USAGE, "--progress %s: must be auto, bar, lines or none", text);
    }
    return ND_OK;
}

/* ---- what there is not */

enum { WORD_MAX = 32, NEAR = 2 };

/* Letters to add, to leave out or to change, and neighbours to swap, from one word to the other. */
static size_t distance(const char *a, const char *b) {
    size_t rows[3]
               [WORD_MAX + 1]; /* of the two letters before, the one before, and the present one */
    const size_t b_size = strlen(b);
    if (strlen(a) > WORD_MAX || b_size > WORD_MAX) {
        return NEAR + 1;
    }
    for (size_t k = 0; k <= b_size; k++) {
        rows[0][k] = k;
    }
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t *row = rows[i % 3];
        const size_t *before = rows[(i + 2) % 3];
        const size_t *two_before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t k = 1; k <= b_size; k++) {
            row[k] =
                nd_min(nd_min(row[k - 1], before[k]) + 1, before[k - 1] + (a[i - 1] != b[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
                row[k] = nd_min(row[k], two_before[k - 2] + 1);
            }
        }
    }
    return rows[strlen(a) % 3][b_size];
}

const char *nd_near_word(const char *word, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t nearest = NEAR + 1;
    for (size_t i = 0; i < count; i++) {
        const size_t found = distance(word, names[i]);
        if (found < nearest && found < strlen(names[i])) {
            nearest = found;
            best = names[i];
        }
    }
    return best;
}

/* The option that getopt_long() has taken the word for: it is spelled out, or begins so. */
static const struct option *meant_option(const char *word, const struct option *options) {
    const size_t size = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    while (options->name != NULL &&
           (size == 0 || options->val != optopt || strncmp(options->name, word + 2, size) != 0)) {
        options++;
    }
    return options->name != NULL ? options : NULL;
}

/* After an unknown word of its own optopt is 0; after a known one with too much or too little, its
 * value; else a letter, whose word may not be over yet. */
nd_status nd_wrong_option(const char *word, const struct option *options) {
    char name[WORD_MAX + 2];
    const char *near = NULL;
    size_t nearest = NEAR + 1;
    const struct option *meant = optopt != 0 ? meant_option(word, options) : NULL;
    if (meant != NULL) {
        return nd_fail(ND_ERR_USAGE, "%s: %s", word,
                       meant->has_arg == no_argument ? "takes no value" : "missing value");
    }
    if (optopt != 0) {
        return nd_fail(ND_ERR_USAGE, "-%c: unknown option or missing value", optopt);
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (; options->name != NULL; options++) {
        const size_t found = distance(name, options->name);
        if (found < nearest && found < strlen(options->name)) {
            nearest = found;
            near = options->name;
        }
    }
    return near != NULL
               ? nd_fail(ND_ERR_USAGE, "%s: unknown option; did you mean --%s?", word, near)
               : nd_fail(ND_ERR_USAGE, "%s: unknown option, or one of several", word);
}
