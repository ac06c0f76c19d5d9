/* Files of coefficients, settings of curves and numbers as people write them, by the first byte. */
#include "io/result/plan_file.h"
#include "src/base/parse.h"
#include "src/plan/curve_spec.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

static void check_rates(nd_span file) {
    nd_plan_rates rates, again;
    const char *path = nd_fuzz_file(0, file);
    (void)memset(&rates, 0, sizeof rates);
    (void)memset(&again, 0, sizeof again);
    const nd_status st = nd_plan_rates_read(path, &rates);
    ND_FUZZ_CHECK(st == ND_OK || st == ND_ERR_FORMAT);
    ND_FUZZ_CHECK(nd_plan_rates_read(path, &again) == st);
    for (size_t i = 0; st == ND_OK && i < ND_RATES; i++) {
        ND_FUZZ_CHECK(isfinite(rates.value[i]) && isfinite(rates.per_doubling[i]));
    }
    ND_FUZZ_CHECK(st != ND_OK || memcmp(&rates, &again, sizeof rates) == 0);
}

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
    const unsigned how = nd_fuzz_byte(&input) % 4;
    nd_buffer text = {0};
    ND_FUZZ_CHECK(nd_buffer_append(&text, input.data, input.size) == ND_OK);
    ND_FUZZ_CHECK(nd_buffer_append(&text, "", 1) == ND_OK);
    if (how == 0) {
        check_curve((const char *)text.data);
    } else if (how == 1) {
        check_numbers((const char *)text.data);
    } else {
        check_rates(input);
    }
    nd_buffer_free(&text);
    return 0;
}
