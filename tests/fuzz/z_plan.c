/* Settings of curves and numbers as people write them, by the first byte. */
#include "src/base/option.h"
#include "src/plan/curve.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/brief.h"

#include <math.h>

/* A curve does not fall, and passes one half where it says. */
static void check_curve(const char *text) {
    nd_curve_spec spec;
    if (nd_curve_spec_parse(text, &spec) != ND_OK) {
        return;
    }
    double before = 0;
    for (int i = 0; i <= 16; i++) {
        const double share = nd_curve_spec_at(&spec, i / 16.);
        ND_FUZZ_CHECK(share >= before - 1e-9 && share <= 1 + 1e-9);
        before = share;
    }
    const double half = nd_curve_spec_half(&spec);
    ND_FUZZ_CHECK(half >= 0 && half <= 1);
}

static void check_numbers(const char *text) {
    char printed[64];
    uint64_t number = 0;
    uint32_t small = 0;
    double real = 0, again = 0;
    const nd_status whole = nd_parse_number("x", text, &number);
    ND_FUZZ_CHECK(whole == ND_OK || whole == ND_ERR_USAGE);
    ND_FUZZ_CHECK(nd_parse_small("x", text, &small) != ND_OK ||
                  (whole == ND_OK && small == number));
    ND_FUZZ_CHECK(nd_parse_size("x", text, &number) != ND_OK || number > 0);
    if (nd_parse_real("x", text, &real) == ND_OK) {
        nd_print_real(real, printed, sizeof printed);
        ND_FUZZ_CHECK(nd_parse_real("x", printed, &again) == ND_OK && again == real);
    }
}

ND_FUZZ_TARGET(z_plan) {
    nd_span input = {data, size};
    const unsigned how = nd_fuzz_byte(&input) % 2;
    ND_OWNED(nd_buffer_free) nd_buffer text = {0};
    nd_buffer_append(&text, input.data, input.size);
    nd_buffer_append(&text, "", 1);
    if (how == 0) {
        check_curve((const char *)text.data);
    } else {
        check_numbers((const char *)text.data);
    }
    return 0;
}
