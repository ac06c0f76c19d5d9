/* Curves of detection, and what a run is going to need. */
#include "src/method/method.h"
#include "src/plan/curve.h"
#include "src/plan/plan_records.h"
#include "src/plan/run_plan.h"
#include "tests/support/check.h"

#include <math.h>

/* ---- Curves of meeting: their ends. What lies between, p_method compares with slow ways, and
 * tests/long/plan.sh with published figures. */

ND_TEST("the ends of curves") {
    const nd_curve bands = nd_curve_of_bands(20, 5), minima = {9000, 1, 5000};
    CU_ASSERT(nd_curve_at(&bands, 0) == 0 && nd_curve_at(&bands, 1) == 1);
    CU_ASSERT(nd_curve_at(&minima, 0) == 0 && nd_curve_at(&minima, 1) == 1);
    CU_ASSERT(fabs(nd_curve_at(&minima, 0.9) - 1) < 1e-9);
    const nd_curve many = {919831, 1, 155182}; /* as good as surely from far below */
    CU_ASSERT(fabs(nd_curve_at(&many, 0.9375) - 1) < 1e-12 && nd_curve_at(&many, 0.01) < 1e-300);
    const nd_curve none = {5, 1, 0}, too_many = {5, 1, 6};
    CU_ASSERT(nd_curve_at(&none, 0) == 1 && nd_curve_at(&too_many, 1) == 0);
}

/* RedPajama-V2 let datasketch choose for 128 minima and its thresholds, both weights alike; 25 x 5
 * is datasketch's own for .5. */
ND_TEST("the choice of bands and rows") {
    static const struct {
        double threshold;
        uint32_t bands, rows;
    } known[] = {{0.5, 25, 5}, {0.7, 14, 9}, {0.8, 9, 13}, {0.9, 5, 25}};
    const nd_curve_weights alike = {0.5, 0.5};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const nd_curve chosen = nd_curve_choose(known[i].threshold, 128, alike);
        CU_ASSERT_EQUAL(chosen.groups, known[i].bands);
        CU_ASSERT_EQUAL(chosen.rows, known[i].rows);
        CU_ASSERT_EQUAL(chosen.needed, 1);
    }
    const nd_curve only = nd_curve_choose(0.5, 1, alike);
    CU_ASSERT(only.groups == 1 && only.rows == 1);
}

/* ---- Settings as they are written, and their picture. */

static double at(const char *text, double similarity) {
    nd_curve_spec spec;
    return nd_curve_spec_parse(text, &spec) == ND_OK ? nd_curve_spec_at(&spec, similarity) : -1;
}

ND_TEST("kinds of settings") {
    const nd_curve supershingles = {6, 14, 2};
    const nd_curve minima = {100, 1, 90};
    const nd_pieces pieces = {384, 12, 1};
    CU_ASSERT(fabs(at("bands:20x5", .8) - (1 - pow(1 - pow(.8, 5), 20))) < 1e-12);
    CU_ASSERT(fabs(at("buckets:7x3", .5) - (1 - pow(1 - .125, 7))) < 1e-12);
    CU_ASSERT(at("sketch:90/100", .9) == nd_curve_at(&minima, .9));
    CU_ASSERT(at("supershingles:6x14:2", .9) == nd_curve_at(&supershingles, .9));
    CU_ASSERT(at("pieces:12x32:384", 1 - 20.0 / 384) == nd_pieces_at(&pieces, 20));
    CU_ASSERT(at("pieces:12x32:384:12", 1) == 1 && at("pieces:12x32:384:12", .99) == 0);
}

ND_TEST("what is refused") {
    const char *wrong[64];
    const size_t count = ND_TEST_LIST(
        "|bands|bands:|bands:5|bands:5x|bands:x5|bands:0x5|bands:-1x5|bands: 5x5|bands:5x5 |"
        "bands:5x5:1|bands:2000000x5|bands:99999999999999999999x5|band:5x5|sketch:100/90|"
        "supershingles:6x14:7|supershingles:6x14|pieces:12x32:385|pieces:12x32:384:13|"
        "pieces:4x500:2000",
        wrong);
    for (size_t i = 0; i < count; i++) {
        nd_curve_spec spec;
        if (nd_curve_spec_parse(wrong[i], &spec) != ND_ERR_USAGE) {
            printf("taken: '%s'\n", wrong[i]);
            CU_FAIL("taken");
        }
        CU_ASSERT(strstr(nd_fail_text(), wrong[i]) != NULL);
    }
}

ND_TEST("half") {
    nd_curve_spec spec;
    CU_ASSERT(nd_curve_spec_parse("supershingles:6x14:2", &spec) == ND_OK);
    CU_ASSERT(fabs(nd_curve_spec_half(&spec) - .909) < .0006);
    CU_ASSERT(nd_curve_spec_parse("pieces:12x32:384", &spec) == ND_OK);
    const double half = nd_curve_spec_half(&spec);
    CU_ASSERT(nd_curve_spec_at(&spec, half) >= .5);
    CU_ASSERT(nd_curve_spec_at(&spec, half - 2.0 / 384) < .5);
}

static size_t occurrences(const char *text, const char *word) {
    size_t count = 0;
    for (; (text = strstr(text, word)) != NULL; text++) {
        count++;
    }
    return count;
}

/* A curve in the picture goes through the plot's corners: bottom left, top right. */
ND_TEST("the picture") {
    nd_curve_spec specs[2];
    ND_OWNED(nd_buffer_free) nd_buffer svg = {0};
    CU_ASSERT(nd_curve_spec_parse("bands:20x5", &specs[0]) == ND_OK);
    CU_ASSERT(nd_curve_spec_parse("sketch:90/100", &specs[1]) == ND_OK);
    nd_curve_plot(specs, 2, .8, &svg);
    nd_buffer_append(&svg, "", 1);
    const char *text = (const char *)svg.data;
    CU_ASSERT(strncmp(text, "<svg ", 5) == 0 && strcmp(text + strlen(text) - 7, "</svg>\n") == 0);
    CU_ASSERT(occurrences(text, "<polyline ") == 2);
    CU_ASSERT(occurrences(text, "points=\"60.0,420.00 ") == 2);
    CU_ASSERT(occurrences(text, " 500.0,20.00 \"/>") == 2);
    CU_ASSERT(occurrences(text, " 280.0,") == 2); /* and is drawn at one half */
    CU_ASSERT(occurrences(text, ">0.5</text>") == 2);
    CU_ASSERT(occurrences(text, ">bands:20x5</text>") == 1);
    CU_ASSERT(occurrences(text, ">sketch:90/100</text>") == 1);
    CU_ASSERT(occurrences(text, ">similarity</text>") == 1);
    CU_ASSERT(occurrences(text, "M412.0 420.0V20.0\" stroke=\"#888\"") == 1); /* the mark */
}

/* More curves than there are colours: the next ones have the same colours, and are broken lines. */
ND_TEST("many curves") {
    enum { CURVES = 9 };
    nd_curve_spec specs[CURVES];
    ND_OWNED(nd_buffer_free) nd_buffer svg = {0};
    for (size_t i = 0; i < CURVES; i++) {
        CU_ASSERT(nd_curve_spec_parse("bands:20x5", &specs[i]) == ND_OK);
    }
    nd_curve_plot(specs, CURVES, .8, &svg);
    nd_buffer_append(&svg, "", 1);
    const char *text = (const char *)svg.data;
    CU_ASSERT(occurrences(text, "\"#0072B2\"") == 2 * 2); /* in the plot, and beside it */
    CU_ASSERT(occurrences(text, "\"#B0A000\"") == 2);
    CU_ASSERT(occurrences(text, "\"6 3\"") == 2);
}

/* ---- Rates of runs: built in, at other numbers of pages, and what lots of work fetch. */

static bool near_plan_rates(double a, double b, double most) {
    return fabs(a - b) <= most * fabs(b);
}

ND_TEST("growth") {
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_CANDIDATES] = 20;
    rates.per_doubling[ND_RATE_CANDIDATES] = 3;
    CU_ASSERT(near_plan_rates(nd_plan_rate(&rates, ND_RATE_CANDIDATES, 8e6), 29, 1e-12));
    CU_ASSERT(nd_plan_rate(&rates, ND_RATE_CANDIDATES, 1) == 0); /* never below */
    rates.value[ND_RATE_SIGNED] = 0.9;
    rates.per_doubling[ND_RATE_SIGNED] = 0.1;
    CU_ASSERT(nd_plan_rate(&rates, ND_RATE_SIGNED, 64e6) == 1); /* a share */
}

/* Every method has rates of its own, under its name. */
ND_TEST("kinds of jobs") {
    for (size_t i = 0; nd_method_row(i) != NULL; i++) {
        const char *name = nd_method_row(i)->name;
        const nd_plan_kind kind = nd_plan_kind_of(name);
        CU_ASSERT_FATAL(kind < ND_PLAN_KINDS);
        CU_ASSERT(strcmp(name, "lcs") == 0 ? kind == ND_PLAN_LCS
                                           : strstr(nd_plan_kind_options[kind], name) != NULL);
    }
    CU_ASSERT(nd_plan_kind_of("nothing") == ND_PLAN_KINDS);
    for (int kind = 0; kind < ND_PLAN_KINDS; kind++) {
        const nd_plan_rates r = nd_plan_rates_of((nd_plan_kind)kind, false);
        CU_ASSERT(r.value[ND_RATE_SIGNED] > .5 && r.value[ND_RATE_SIGNED] < 1);
        CU_ASSERT(r.value[ND_RATE_POSTINGS] >= 1 && r.value[ND_RATE_SIGN_TIME] > 0);
        CU_ASSERT(r.value[ND_RATE_LEADERS_TIME] > 0);
    }
    const nd_plan_rates whole = nd_plan_rates_of(ND_PLAN_SIMHASH, true);
    const nd_plan_rates part = nd_plan_rates_of(ND_PLAN_SIMHASH, false);
    CU_ASSERT(whole.value[ND_RATE_CONTENT] == 1 && part.value[ND_RATE_CONTENT] < .8);
    CU_ASSERT(whole.value[ND_RATE_POSTINGS] == part.value[ND_RATE_POSTINGS]);
}

/* Built in: sizes that pages of crawls have, and shares below 1. */
ND_TEST("built in") {
    const nd_plan_rates r = nd_plan_rates_of(ND_PLAN_LCS, false);
    CU_ASSERT(r.value[ND_RATE_PAGE_BYTES] > 5e3 && r.value[ND_RATE_PAGE_BYTES] < 1e5);
    CU_ASSERT(r.value[ND_RATE_INPUT] > .05 && r.value[ND_RATE_INPUT] < 1);
    CU_ASSERT(r.value[ND_RATE_TOKENS] > .01 && r.value[ND_RATE_TOKENS] < .3);
    CU_ASSERT(r.value[ND_RATE_TEXT] > 4 && r.value[ND_RATE_TEXT] < 20);
    for (int i = 0; i < ND_RATES; i++) {
        const bool share = i == ND_RATE_CONTENT || i == ND_RATE_CONTENT_TOKENS ||
                           i == ND_RATE_SIGNED || i == ND_RATE_LINKS || i == ND_RATE_BLOCK_PAGES;
        CU_ASSERT(r.value[i] > 0 && (!share || r.value[i] < 1));
    }
}

/* 10 pages, 2 meetings each: one lot fetches 10 (1 - e^-2); very many fetch all 20. */
ND_TEST("fetches") {
    CU_ASSERT(near_plan_rates(nd_plan_fetches(10, 2, 1), 8.646647167633873, 1e-12));
    CU_ASSERT(near_plan_rates(nd_plan_fetches(10, 2, 1e9), 20, 1e-8));
    CU_ASSERT(nd_plan_block_lots(1e6, ND_PLAN_RECORD, 8, 1e12) == 8);
    CU_ASSERT(near_plan_rates(nd_plan_block_lots(1 << 24, ND_PLAN_RECORD, 8, 1e12), 16,
                              1e-12)); /* of 2^20 each */
    CU_ASSERT(near_plan_rates(nd_plan_block_lots(1e6, ND_PLAN_RECORD, 1, 1152 * 1e5), 10, 1e-12));
}

/* ---- Plans: what the arithmetic promises, whatever the rates are; and sums that can be done by
 * hand. */

static bool near_run_plan(double a, double b) {
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Plenty of memory, one node, no checkpoints. */
static nd_plan_task ample_task(double pages, double ranks) {
    return (nd_plan_task){.pages = pages,
                          .page_bytes = 20000,
                          .input_bytes = 8000,
                          .tokens = 2000,
                          .text_bytes = 13000,
                          .name_bytes = 70,
                          .nodes = 1,
                          .ranks = ranks,
                          .memory = {.total = 1e12,
                                     .store = 1e11,
                                     .sort = 1e11,
                                     .spool = 1e11,
                                     .batch = 1e11,
                                     .round = 1e10,
                                     .plain_share = .25,
                                     .packed_share = .25,
                                     .read_share = .25,
                                     .packer_share = .125,
                                     .kept_read_share = .75,
                                     .kept_packer_share = .125,
                                     .name_share = .125,
                                     .per_page = 240,
                                     .per_page_at_first = 240,
                                     .base = 1e8},
                          .speed = 1,
                          .input_disk = 500e6,
                          .disk = 500e6,
                          .network = 1e9};
}

static nd_plan_task tight_task(double pages, double ranks) {
    nd_plan_task task = ample_task(pages, ranks);
    nd_plan_memory *memory = &task.memory;
    memory->total = 3e8;
    memory->store = 2e7;
    memory->sort = 1e7;
    memory->spool = 3e6;
    memory->batch = 2e7;
    memory->round = 3e6;
    return task;
}

static nd_plan make(const nd_plan_task *task) {
    const nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    return nd_plan_make(task, &rates);
}

ND_TEST("everything in memory") {
    const nd_plan_task task = ample_task(1e5, 1);
    const nd_plan plan = make(&task);
    CU_ASSERT(plan.written == 0 && plan.read == 0 && plan.disk_bytes == 0);
    CU_ASSERT(plan.sent == 0); /* to whom? */
    CU_ASSERT(plan.result_bytes > 1e5 * 10 && plan.result_bytes < 1e5 * 100);
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        const nd_plan_part *p = &plan.parts[i];
        CU_ASSERT(p->network == 0 && (p->seconds > 0) == nd_plan_has(&task, (nd_plan_stage)i));
        CU_ASSERT(near_run_plan(p->memory, fmin(p->memory, plan.memory)));
    }
    /* texts as they were read, in which contents take their place, and what sorts them */
    CU_ASSERT(plan.memory > 1e5 * 13000 && plan.memory < 1e5 * 13000 * 1.8);
}

/* Bytes that a rank's packed texts take until words have codes. */
static const double LEARNT = 7e5;

/* With checkpoints there are, while contents are selected, the pages twice, packed texts, names and
 * masks; and before that, pages, texts and names. */
ND_TEST("checkpoints") {
    nd_plan_task task = ample_task(1e5, 4);
    task.checkpoints = true;
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_PACKED] = 0.2;
    rates.per_doubling[ND_RATE_PACKED] = 0;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const double masks = (13000 - ND_PLAN_TOKEN * 2000) / 32. / 8;
    const double read = ND_PLAN_PAGE + 2600 + 70 + 4 * LEARNT / 1e5;
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_INGEST].written * 4, 1e5 * read));
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_INGEST].disk_bytes, 1e5 * read));
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_CONTENT].written * 4, 1e5 * (ND_PLAN_PAGE + masks)));
    CU_ASSERT(
        near_run_plan(plan.parts[ND_PLAN_CONTENT].disk_bytes, 1e5 * (read + ND_PLAN_PAGE + masks)));
    CU_ASSERT(near_run_plan(plan.disk_bytes,
                            fmax(plan.parts[plan.disk_stage].disk_bytes, plan.disk_bytes)));
    /* at the end: two numbers of a page, and where it belongs, beside all that */
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_WRITE].disk_bytes, 1e5 * (read + masks + 16 + 32)));
}

/* What is read again of a file by who holds so much of it: of one that just fits, half. */
static double read_again(double file, double held) {
    return fmin(file, fmax(file / 2 * fmin(1, file / held), 2 * (file - held)));
}

/* Packing takes time while texts are read, and unpacking each time that they are gone through: not
 * where digests alone are compared. Keys are made while contents are selected, which may be copies,
 * and all but sent then; of texts that are not packed they are made when copies are known. */
ND_TEST("time of packed texts") {
    const double kilobytes = 1e5 * 13;
    nd_plan_task task = ample_task(1e5, 1);
    const nd_plan plain = make(&task);
    task.checkpoints = true;
    const nd_plan packed = make(&task);
    const nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    const double pass = kilobytes * rates.value[ND_RATE_UNPACK_TIME] / 1e6;
    double more[ND_PLAN_STAGES];
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        more[i] = packed.parts[i].cpu - plain.parts[i].cpu;
    }
    CU_ASSERT(near_run_plan(
        plain.parts[ND_PLAN_INGEST].cpu,
        (1e5 * 20 * rates.value[ND_RATE_INGEST_TIME] + kilobytes * rates.value[ND_RATE_TEXT_TIME]) /
            1e6));
    CU_ASSERT(near_plan_rates(more[ND_PLAN_INGEST],
                              kilobytes * rates.value[ND_RATE_PACK_TIME] / 1e6, 1e-9));
    const double keys = plain.parts[ND_PLAN_SIGN].cpu;
    const double made = .95 / nd_plan_rate(&rates, ND_RATE_SIGNED, 1e5);
    CU_ASSERT(keys > 0);
    CU_ASSERT(near_plan_rates(more[ND_PLAN_CONTENT], 2 * pass + made * keys, 1e-9));
    CU_ASSERT(near_plan_rates(more[ND_PLAN_SIGN], -.95 * keys, 1e-9));
    CU_ASSERT(more[ND_PLAN_VERIFY] > pass / 2 && more[ND_PLAN_VERIFY] < 2 * pass);
    CU_ASSERT(more[ND_PLAN_BLOCK] == 0 && more[ND_PLAN_JOIN] > 0 && more[ND_PLAN_WRITE] == 0);
    task.payload = 8;
    CU_ASSERT(make(&task).parts[ND_PLAN_VERIFY].cpu == plain.parts[ND_PLAN_VERIFY].cpu);
    const double pairs = make(&task).parts[ND_PLAN_VERIFY].read;
    task.memory.kept_read_share = 1e-6; /* of texts next to nothing is in memory */
    CU_ASSERT(near_run_plan(make(&task).parts[ND_PLAN_VERIFY].read, pairs));
    task.payload = 0;
    CU_ASSERT(make(&task).parts[ND_PLAN_VERIFY].read > pairs);
}

/* Texts that do not fit as they are are packed, and packed ones that do not fit are in files, of
 * which no more is read again than memory does not hold. */
ND_TEST("packed texts") {
    nd_plan_task task = ample_task(1e5, 1);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_PACKED] = 0.2;
    rates.per_doubling[ND_RATE_PACKED] = 0;
    const double text = 1e5 * 13000;
    task.memory.store = text + 1e5 * 240; /* a quarter is plain */
    const double packed = .75 * .2 * text + LEARNT;
    CU_ASSERT(nd_plan_make(&task, &rates).written == 0); /* they fit in theirs */
    task.memory.packed_share = .1;
    const nd_plan plan = nd_plan_make(&task, &rates);
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_INGEST].written, packed - .1 * text));
    /* for templates, and some of it again for contents: keys are made of them meanwhile */
    const double again = read_again(packed - .1 * text, .25 * text);
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_CONTENT].read, packed - .1 * text + again));
    CU_ASSERT(plan.parts[ND_PLAN_SIGN].read == 0);
    /* the less of them readers hold, the fewer sentences are only named */
    double before = packed - .1 * text;
    for (double share = .125; share > .001; share /= 2) {
        task.memory.read_share = share;
        const nd_plan less = nd_plan_make(&task, &rates);
        const double file = less.parts[ND_PLAN_INGEST].written;
        CU_ASSERT(file > before && file <= .75 * text);
        CU_ASSERT(
            near_run_plan(less.parts[ND_PLAN_CONTENT].read, file + read_again(file, share * text)));
        before = file;
    }
    /* what is lent until contents are selected is room for them like the store's own, and so is
     * what pages take later */
    task.memory.store /= 2;
    task.memory.lent = task.memory.store;
    const nd_plan lent = nd_plan_make(&task, &rates);
    task.memory.lent = 0;
    task.memory.per_page_at_first -= task.memory.store / 1e5;
    const nd_plan later = nd_plan_make(&task, &rates);
    task.memory.per_page_at_first = task.memory.per_page;
    const nd_plan none = nd_plan_make(&task, &rates);
    CU_ASSERT(lent.parts[ND_PLAN_INGEST].written < none.parts[ND_PLAN_INGEST].written);
    CU_ASSERT(
        near_run_plan(lent.parts[ND_PLAN_INGEST].written, later.parts[ND_PLAN_INGEST].written));
    CU_ASSERT(lent.parts[ND_PLAN_CONTENT].memory > none.parts[ND_PLAN_CONTENT].memory);
    CU_ASSERT(near_run_plan(lent.parts[ND_PLAN_WRITE].memory, none.parts[ND_PLAN_WRITE].memory));
}

/* Fragments that do not fit are sorted in files, and are gone before contents are written. */
ND_TEST("fragments") {
    nd_plan_task task = ample_task(1e5, 2);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_FRAGMENTS] = 1;
    task.memory.sort = 1e8; /* runs of 50 MB; each rank has 161 MB of fragments */
    const double fragments = 650e3 * ND_PLAN_FRAGMENT;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const nd_plan_part *p = &plan.parts[ND_PLAN_CONTENT];
    const double packed = ND_PLAN_FRAGMENT_PACKED * fragments;
    CU_ASSERT(near_run_plan(p->written, packed) && near_run_plan(p->read, packed));
    CU_ASSERT(near_run_plan(p->disk_bytes, 2 * packed));
    CU_ASSERT(near_run_plan(2 * p->sent, 5e4 * 80 + fragments + 650e3 * ND_PLAN_MARKS));
    task.memory.sort = 2.1 * fragments;
    CU_ASSERT(nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT].written == 0);
}

/* Marks that fit neither their spool nor their sort are written to both; a rank alone holds what it
 * sends once, of several each three times. */
ND_TEST("marks") {
    nd_plan_task task = ample_task(1e5, 1);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_FRAGMENTS] = 1;
    const double count = 1300e3; /* of fragments, and of their marks */
    const double fragments = count * ND_PLAN_FRAGMENT;
    const double marks = count * ND_PLAN_MARKS;
    const double sent = nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT].memory;
    task.ranks = 2;
    task.pages *= 2;
    CU_ASSERT(near_run_plan(nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT].memory - sent,
                            3 * fragments - fmax(fragments, marks)));
    task.memory.spool = marks / 4;
    task.memory.sort = marks / 2;
    const nd_plan_part p = nd_plan_make(&task, &rates).parts[ND_PLAN_CONTENT];
    const double packed = ND_PLAN_FRAGMENT_PACKED * fragments;
    CU_ASSERT(near_run_plan(p.written, packed + .75 * marks + marks));
    CU_ASSERT(near_run_plan(p.disk_bytes, 2 * (packed + .75 * marks)));
}

/* What does not fit of the digests is written once, where they are made, and read where they are
 * compared; texts no more than they were. */
ND_TEST("digests") {
    nd_plan_task task = ample_task(1e6, 2);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    const double digests = 5e5 * rates.value[ND_RATE_DIGEST];
    rates.value[ND_RATE_POSTINGS] = 1; /* which then fit, as do the pairs */
    rates.value[ND_RATE_PAIRS] = 1;
    task.memory.sort = 0.9 * digests;
    const nd_plan plan = nd_plan_make(&task, &rates);
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_SIGN].written, 0.1 * digests));
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_SIGN].disk_bytes, 2 * 0.1 * digests));
    CU_ASSERT(plan.parts[ND_PLAN_BLOCK].read > 0 && plan.parts[ND_PLAN_VERIFY].read == 0);
    task.memory.sort = 1.1 * digests;
    CU_ASSERT(nd_plan_make(&task, &rates).parts[ND_PLAN_SIGN].written == 0);
    /* beside packed texts they are made earlier, and keys wait that may not fit either */
    rates.value[ND_RATE_POSTINGS] = 20;
    const double keys = 5e5 * .95 * (16 + 8 * 20);
    task.memory.sort = 0.9 * digests;
    const nd_plan fits = nd_plan_make(&task, &rates);
    task.memory.plain_share = 0;
    task.memory.store = 1e12;
    const nd_plan packed = nd_plan_make(&task, &rates);
    const double beyond = 0.1 * digests + keys - task.memory.sort;
    CU_ASSERT(near_run_plan(
        packed.parts[ND_PLAN_CONTENT].written - fits.parts[ND_PLAN_CONTENT].written, beyond));
    CU_ASSERT(near_run_plan(packed.parts[ND_PLAN_SIGN].read - fits.parts[ND_PLAN_SIGN].read,
                            keys - task.memory.sort));
    CU_ASSERT(near_run_plan(fits.parts[ND_PLAN_SIGN].written - packed.parts[ND_PLAN_SIGN].written,
                            0.1 * digests));
}

ND_TEST("spilling") {
    nd_plan_task task = tight_task(1e5, 2);
    task.memory.sort = 5e6; /* less than a rank's digests */
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_PACKED] = 0.2;
    rates.per_doubling[ND_RATE_PACKED] = 0;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const double room = 2e7 - 5e4 * 240; /* of texts and names: a quarter plain, one packed */
    const double text = 5e4 * 13000 - .25 * room;
    const double share =
        .2 + .048 * log2(1.5 * text * .2 / (.25 * room)); /* a quarter is read there */
    const double files =
        2 * (text * share + LEARNT + 5e4 * 70 - .25 * room - .125 * room); /* of both ranks */
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_INGEST].written * 2, files));
    CU_ASSERT(plan.parts[ND_PLAN_CONTENT].read > plan.parts[ND_PLAN_INGEST].written);
    CU_ASSERT(plan.memory < task.memory.total);
    /* at the end: names, packed texts, and digests */
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_WRITE].disk_bytes,
                            files + 1e5 * rates.value[ND_RATE_DIGEST] - 2 * task.memory.sort));
    const nd_plan_task small = tight_task(1e3, 2); /* 6.5 MB of texts on a rank */
    CU_ASSERT(make(&small).disk_bytes == 0);
}

/* What join writes of pages lies beside what was kept before. */
ND_TEST("memberships") {
    nd_plan_task task = ample_task(1e6, 2);
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_LINKS] = rates.value[ND_RATE_FRAGMENTS] = 1e-3; /* all but none of these */
    const nd_plan ample = nd_plan_make(&task, &rates);
    task.memory.spool = 1e6;
    const nd_plan plan = nd_plan_make(&task, &rates);
    CU_ASSERT(ample.parts[ND_PLAN_JOIN].written == 0 && plan.parts[ND_PLAN_JOIN].written > 1e6);
    CU_ASSERT(
        near_run_plan(plan.parts[ND_PLAN_JOIN].disk_bytes - ample.parts[ND_PLAN_JOIN].disk_bytes,
                      2 * plan.parts[ND_PLAN_JOIN].written));
}

/* What is asked takes time, exchange, memory and disk of its own, and changes no stage before. */
ND_TEST("contained") {
    nd_plan_task task = tight_task(1e6, 4);
    task.checkpoints = true;
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    rates.value[ND_RATE_UNPACK_TIME] = 0;
    const nd_plan without = nd_plan_make(&task, &rates);
    task.asking = 1;
    const nd_plan with = nd_plan_make(&task, &rates);
    task.asking = .1;
    const nd_plan tenth = nd_plan_make(&task, &rates);
    const nd_plan_part *all = &with.parts[ND_PLAN_CONTAIN];
    const nd_plan_part *few = &tenth.parts[ND_PLAN_CONTAIN];
    const double keys = 2.5e5 * rates.value[ND_RATE_CONTAIN_KEYS];
    const double pairs = 2.5e5 * rates.value[ND_RATE_CONTAIN_PAIRS];
    for (int i = 0; i < ND_PLAN_CONTAIN; i++) {
        CU_ASSERT(with.parts[i].seconds == without.parts[i].seconds);
        CU_ASSERT(with.parts[i].disk_bytes == without.parts[i].disk_bytes);
    }
    CU_ASSERT(without.parts[ND_PLAN_CONTAIN].seconds == 0);
    CU_ASSERT(near_run_plan(all->cpu, 2.5e5 * 2 * rates.value[ND_RATE_CONTENT_TOKENS] *
                                          rates.value[ND_RATE_CONTAIN_TIME] / 1e6));
    CU_ASSERT(near_run_plan(few->cpu, all->cpu * .28)); /* a fifth whoever asks */
    /* sorted keys and hits, and what is found */
    CU_ASSERT(near_run_plan(all->written, keys * (ND_PLAN_CONTAIN_KEY + 1.1 * ND_PLAN_CONTAIN_HIT) +
                                              pairs * ND_PLAN_LINK));
    CU_ASSERT(near_run_plan(few->sent, all->sent / 10) &&
              near_run_plan(few->written, all->written / 10));
    CU_ASSERT(all->read > all->written - pairs * ND_PLAN_LINK && few->read < all->read);
    CU_ASSERT(all->memory > few->memory && few->memory > 0);
    CU_ASSERT(near_run_plan(with.parts[ND_PLAN_WRITE].disk_bytes,
                            without.parts[ND_PLAN_WRITE].disk_bytes + 4 * pairs * ND_PLAN_LINK));
    CU_ASSERT(near_run_plan(with.seconds, without.seconds + all->seconds));
}

/* A disk of each node takes what no checkpoint keeps: together at least what there is without it,
 * and without checkpoints all. */
ND_TEST("a disk of each node") {
    nd_plan_task task = tight_task(1e6, 4);
    for (int kept = 0; kept < 2; kept++) {
        task.checkpoints = kept == 1;
        task.local_tmp = false;
        const nd_plan before = make(&task);
        task.local_tmp = true;
        const nd_plan plan = make(&task);
        CU_ASSERT(before.local_bytes == 0 && plan.local_bytes > 0);
        for (int i = 0; i < ND_PLAN_STAGES; i++) {
            const nd_plan_part *p = &plan.parts[i];
            const double all = before.parts[i].disk_bytes;
            CU_ASSERT(p->disk_bytes <= all && p->disk_bytes + p->local_bytes >= all * .999);
            CU_ASSERT(p->seconds == before.parts[i].seconds);
            CU_ASSERT(kept || (p->disk_bytes == 0 && p->local_bytes == all));
        }
        CU_ASSERT(kept ? plan.disk_bytes > 0 && plan.disk_bytes < before.disk_bytes
                       : plan.disk_bytes == 0 && plan.local_bytes == before.disk_bytes);
    }
}

/* Twice the pages on twice the ranks: the same for each rank, but for the logarithms, which are
 * set to 0 here, and for pages that more ranks fetch and pairs that more ranks find. */
ND_TEST("pages and ranks") {
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    for (int i = 0; i < ND_RATES; i++) {
        rates.per_doubling[i] = 0;
    }
    nd_plan_task one = tight_task(1e6, 16);
    nd_plan_task two = tight_task(2e6, 32);
    one.checkpoints = two.checkpoints = true;
    const nd_plan a = nd_plan_make(&one, &rates);
    const nd_plan b = nd_plan_make(&two, &rates);
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        CU_ASSERT(i == ND_PLAN_BLOCK || near_run_plan(a.parts[i].written, b.parts[i].written));
    }
    const double written = a.parts[ND_PLAN_BLOCK].written;
    CU_ASSERT(b.parts[ND_PLAN_BLOCK].written > written);
    CU_ASSERT(b.parts[ND_PLAN_BLOCK].written < 1.3 * written);
    CU_ASSERT(near_run_plan(2 * a.disk_bytes, b.disk_bytes));
    CU_ASSERT(near_run_plan(a.smallest_memory, b.smallest_memory));
    CU_ASSERT(b.sent > a.sent && b.sent < 1.3 * a.sent);
    CU_ASSERT(near_run_plan(2 * a.pairs, b.pairs));
}

/* The paper's form has a stage in place of two; chains of fingerprints no candidates. */
ND_TEST("sets of the paper") {
    nd_plan_task task = ample_task(1e5, 2);
    task.checkpoints = true;
    task.kind = ND_PLAN_PKU;
    task.leaders = task.chained = true;
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_PKU, true);
    const nd_plan plan = nd_plan_make(&task, &rates);
    for (int i = 0; i < ND_PLAN_STAGES; i++) {
        const nd_plan_stage stage = (nd_plan_stage)i;
        const bool gone = stage == ND_PLAN_VERIFY || stage == ND_PLAN_JOIN;
        const bool there = !gone && stage != ND_PLAN_CONTAIN;
        CU_ASSERT(nd_plan_has(&task, stage) == there);
        CU_ASSERT((plan.parts[i].seconds > 0) == there && (plan.parts[i].memory > 0) == there);
    }
    CU_ASSERT(plan.candidates == 0 && plan.pairs > 0);
    const double links = 5e4 * nd_plan_rate(&rates, ND_RATE_SIGNED, 1e5) *
                         rates.value[ND_RATE_POSTINGS] * rates.value[ND_RATE_CHAINED];
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_BLOCK].written, links * ND_PLAN_LINK));
    /* links are kept until members are */
    CU_ASSERT(
        near_run_plan(plan.parts[ND_PLAN_BLOCK].disk_bytes - plan.parts[ND_PLAN_SIGN].disk_bytes,
                      2 * links * ND_PLAN_LINK));
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_LEADERS].written, 5e4 * ND_PLAN_MEMBER));
    /* a comparison as the method has it, of so many tokens; a page is unpacked for it once */
    const double pairs = plan.pairs / 2;
    const double perhaps =
        5e4 * nd_plan_rate(&rates, ND_RATE_SIGNED, 1e5) * rates.value[ND_RATE_PERHAPS];
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_LEADERS].cpu,
                            pairs * 2 * rates.value[ND_RATE_LEADERS_TIME] / 1e6 +
                                perhaps * 13 * rates.value[ND_RATE_UNPACK_TIME] / 1e6));
    /* a set is compared whole, on one rank, whatever the batch */
    task.memory.batch = 1;
    const double none = nd_plan_make(&task, &rates).parts[ND_PLAN_LEADERS].memory;
    task.set_cap = 4096;
    const double capped = nd_plan_make(&task, &rates).parts[ND_PLAN_LEADERS].memory;
    const double page =
        ND_PLAN_TOKEN * 2000 + ND_PLAN_ASK + rates.value[ND_RATE_DIGEST] + ND_PLAN_RECORD;
    const double largest = 2 * perhaps * rates.value[ND_RATE_LARGEST];
    CU_ASSERT(largest > 4096 && near_run_plan(none - capped, 2 * (largest - 4096) * page));
    task.memory.batch = 1e11;
    task.chained = false; /* over pairs within the bounds */
    rates = nd_plan_rates_of(ND_PLAN_STAR, false);
    const nd_plan star = nd_plan_make(&task, &rates);
    CU_ASSERT(star.candidates > 0 && star.parts[ND_PLAN_VERIFY].seconds == 0);
    CU_ASSERT(near_run_plan(star.parts[ND_PLAN_BLOCK].written, star.pairs / 2 * ND_PLAN_PAIR));
}

ND_TEST("time") {
    nd_plan_task task = tight_task(1e6, 16);
    task.checkpoints = true;
    const nd_plan slow = make(&task);
    task.speed = 2;
    const nd_plan fast = make(&task);
    CU_ASSERT(near_run_plan(slow.parts[ND_PLAN_BLOCK].cpu, 2 * fast.parts[ND_PLAN_BLOCK].cpu));
    CU_ASSERT(near_run_plan(slow.parts[ND_PLAN_BLOCK].disk, fast.parts[ND_PLAN_BLOCK].disk));
    task.input_disk = 1e6; /* 8 GB of inputs take longer than all the work on them */
    const nd_plan starved = make(&task);
    CU_ASSERT(starved.parts[ND_PLAN_INGEST].seconds > 8000);
    CU_ASSERT(starved.parts[ND_PLAN_INGEST].disk > 8000); /* which are the inputs' disk's */
    task.nodes = 4;
    const nd_plan spread = make(&task);
    CU_ASSERT(near_run_plan(
        spread.parts[ND_PLAN_INGEST].seconds -
            (spread.parts[ND_PLAN_INGEST].written + spread.parts[ND_PLAN_INGEST].read) * 4 /
                task.disk,
        2000));
    CU_ASSERT(spread.parts[ND_PLAN_VERIFY].network > 0);
    int by_disk = 0;
    for (int i = 0; i < ND_PLAN_STAGES; i++) { /* the disk works while ranks do */
        const nd_plan_part *p = &spread.parts[i];
        CU_ASSERT(near_run_plan(p->seconds, fmax(p->cpu, p->disk) + p->network));
        by_disk += p->disk > p->cpu;
    }
    CU_ASSERT(by_disk > 0 && by_disk < ND_PLAN_STAGES - 1); /* of which one is off */
    task.network *= 2;
    const nd_plan wide = make(&task);
    CU_ASSERT(near_run_plan(spread.parts[ND_PLAN_VERIFY].network,
                            2 * wide.parts[ND_PLAN_VERIFY].network));
}

/* Of short pages more are compared, and pass the bounds; of long ones as many as of those that
 * rates are from. */
ND_TEST("short pages") {
    nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    const double measured = rates.value[ND_RATE_PAGE_BYTES] * rates.value[ND_RATE_TOKENS];
    nd_plan_task task = ample_task(1e6, 2);
    task.tokens = 2 * measured;
    const double pairs = rates.value[ND_RATE_SIGNED] * rates.value[ND_RATE_PAIRS];
    CU_ASSERT(near_run_plan(make(&task).pairs, 1e6 * pairs));
    task.tokens = measured / 4;
    const double more = (rates.value[ND_RATE_SIGNED] + 2 * rates.per_halving[ND_RATE_SIGNED]) *
                        (rates.value[ND_RATE_PAIRS] + 2 * rates.per_halving[ND_RATE_PAIRS]);
    CU_ASSERT(more > pairs && near_run_plan(make(&task).pairs, 1e6 * more));
    rates = nd_plan_rates_of(ND_PLAN_EXACT, false);
    CU_ASSERT(rates.per_halving[ND_RATE_SIGNED] == 0);
}

/* Batches that join fetches pages in are read one by one, the smaller, the more. */
ND_TEST("batches of join") {
    nd_plan_task task = tight_task(1e6, 2);
    task.checkpoints = true;
    task.tokens = 300;
    task.text_bytes = 2000;
    const double read = make(&task).parts[ND_PLAN_JOIN].read;
    task.memory.batch = 1e12;
    CU_ASSERT(make(&task).parts[ND_PLAN_JOIN].read < .9 * read);
}

/* Names are read four times, and where pages do not fit they are sorted in files. */
ND_TEST("write") {
    nd_plan_task task = ample_task(1e6, 2);
    task.checkpoints = true;
    CU_ASSERT(near_run_plan(make(&task).parts[ND_PLAN_WRITE].read, 4 * 5e5 * 70));
    CU_ASSERT(make(&task).parts[ND_PLAN_WRITE].written == 0);
    task.memory.sort = 2 * 5e5 * 30; /* of a page 24 bytes by its id, and 32 by its set */
    CU_ASSERT(near_run_plan(make(&task).parts[ND_PLAN_WRITE].written, 5e5 * 32));
}

/* As the job refuses it: pages and base may take three quarters. */
ND_TEST("smallest memory") {
    const nd_plan_task task = ample_task(1e6, 3);
    CU_ASSERT(near_run_plan(make(&task).smallest_memory, (333334.0 * 240 + 1e8) * 4 / 3));
}

/* What is not given is taken from the rates. */
ND_TEST("what is not given") {
    const nd_plan_rates rates = nd_plan_rates_of(ND_PLAN_LCS, false);
    nd_plan_task task = ample_task(1e5, 2);
    task.page_bytes = task.input_bytes = task.tokens = task.text_bytes = task.name_bytes = 0;
    task.checkpoints = true;
    const nd_plan plan = nd_plan_make(&task, &rates);
    const double text = rates.value[ND_RATE_PAGE_BYTES] * rates.value[ND_RATE_TOKENS] *
                        rates.value[ND_RATE_TEXT] * nd_plan_rate(&rates, ND_RATE_PACKED, 1e5);
    CU_ASSERT(near_run_plan(plan.parts[ND_PLAN_INGEST].disk_bytes,
                            2 * LEARNT + 1e5 * (ND_PLAN_PAGE + text + rates.value[ND_RATE_NAMES])));
    task.page_bytes = 2 * rates.value[ND_RATE_PAGE_BYTES];
    CU_ASSERT(
        near_run_plan(nd_plan_make(&task, &rates).parts[ND_PLAN_INGEST].disk_bytes,
                      2 * LEARNT + 1e5 * (ND_PLAN_PAGE + 2 * text + rates.value[ND_RATE_NAMES])));
}
