#include "src/base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char fail_text[ND_FAIL_TEXT_SIZE];

const char *nd_status_name(nd_status status) {
    switch (status) {
    case ND_OK:
        return "ok";
    case ND_END:
        return "end of input";
    case ND_ERR_USAGE:
        return "wrong usage";
    case ND_ERR_FORMAT:
        return "wrong format";
    case ND_ERR_IO:
        return "input/output error";
    case ND_ERR_LIMIT:
        return "limit exceeded";
    case ND_ERR_MEMORY:
        return "out of memory";
    case ND_ERR_INTERNAL:
        return "internal error";
    case ND_ERR_PEER:
        return "another rank failed";
    }
    return "unknown status";
}

nd_status nd_fail(nd_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fail_text, sizeof fail_text, format, arguments);
    va_end(arguments);
    return status;
}

const char *nd_fail_text(void) {
    return fail_text;
}
