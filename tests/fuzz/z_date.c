/* Dates: within their range, the same with blanks around them, and written out they read back. */
#include "io/input/fields.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* The same second by the C library, in one of the forms that dates may have. */
static void check_written(uint64_t seconds, const char *form) {
    char text[64];
    const time_t time = (time_t)seconds;
    struct tm parts;
    ND_FUZZ_CHECK(gmtime_r(&time, &parts) != NULL);
    const size_t size = strftime(text, sizeof text, form, &parts);
    ND_FUZZ_CHECK(nd_date_read((nd_span){(const uint8_t *)text, size}) == seconds);
}

ND_FUZZ_TARGET(z_date) {
    const nd_span text = {data, size};
    const uint64_t seconds = nd_date_read(text);
    ND_FUZZ_CHECK(seconds <= ND_LAST_DATE);
    if (size < 64) {
        char wide[68];
        (void)memset(wide, ' ', sizeof wide);
        (void)memcpy(wide + 1, data, size);
        ND_FUZZ_CHECK(nd_date_read((nd_span){(const uint8_t *)wide, size + 3}) == seconds);
    }
    if (seconds > 0) {
        check_written(seconds, "%Y-%m-%dT%H:%M:%SZ");
        check_written(seconds, "%Y-%m-%d %H:%M:%S.25 +0000");
        check_written(seconds, "%Y%m%d%H%M%S");
    }
    return 0;
}
