#include "src/base/status.h"

#include "src/base/order.h"
#include "src/base/printable.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char fail_text[ND_FAIL_TEXT_SIZE];

nd_status nd_fail(nd_status status, const char *format, ...) {
    va_list arguments;
    char text[ND_FAIL_TEXT_SIZE]; /* the arguments may hold the text that is replaced */
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t size = length < 0 ? 0 : (size_t)length;
    nd_printable_message(text, nd_min(size, sizeof text - 1), fail_text, sizeof fail_text);
    return status;
}

const char *nd_fail_text(void) {
    return fail_text;
}
