#include "src/base/status.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char fail_text[ND_FAIL_TEXT_SIZE];

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
