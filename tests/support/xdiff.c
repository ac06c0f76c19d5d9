#include "tests/support/xdiff.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(ND_HAVE_LIBGIT2)
#include <git2.h>
#endif

enum { LINE = 9 };

nd_xdiff_text nd_xdiff_text_of(const uint32_t *tokens, size_t count) {
    nd_xdiff_text text = {.bytes = malloc(count * LINE + 1), .size = count * LINE};
    if (text.bytes == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        exit(1);
    }
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text.bytes + i * LINE, LINE + 1, "%08x\n", (unsigned)tokens[i]);
    }
    return text;
}

#if defined(ND_HAVE_LIBGIT2)

bool nd_xdiff_available(void) {
    return true;
}

static int add_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *sum) {
    (void)delta;
    *(size_t *)sum += (size_t)hunk->old_lines + (size_t)hunk->new_lines;
    return 0;
}

size_t nd_xdiff_distance(const nd_xdiff_text *a, const nd_xdiff_text *b) {
    git_diff_options options;
    static bool begun;
    size_t distance = 0;
    begun = begun || git_libgit2_init() > 0;
    if (!begun || git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION) != 0) {
        (void)fprintf(stderr, "libgit2 cannot be used\n");
        exit(1);
    }
    options.flags = GIT_DIFF_MINIMAL | GIT_DIFF_FORCE_TEXT;
    options.context_lines = 0;
    if (git_diff_buffers(a->bytes, a->size, NULL, b->bytes, b->size, NULL, &options, NULL, NULL,
                         add_hunk, NULL, &distance) != 0) {
        (void)fprintf(stderr, "libgit2 cannot compare two texts\n");
        exit(1);
    }
    return distance;
}

#else

bool nd_xdiff_available(void) {
    return false;
}

size_t nd_xdiff_distance(const nd_xdiff_text *a, const nd_xdiff_text *b) {
    (void)a;
    (void)b;
    return 0;
}

#endif
