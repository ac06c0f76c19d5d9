#include "mpi/cmd/option_value.h"

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
